/* SPDX-License-Identifier: Apache-2.0 */
/* Examples of mmm/model.h: programs as data, what the model says of them, and counting. */
#include "example.h"

#include <mmm/model.h>

/* mmm_parameters_builtin mmm_parameters_read mmm_limit_name */
static mmm_parameters machine_of_the_model(void)
{
    mmm_parameters machine;
    for (const mmm_parameters *each = mmm_parameters_builtin(); *each->name; each++)
        printf("%s: U = %g, Z = %lld words\n", each->name, each->U, (long long)each->Z);
    must(mmm_parameters_read("U=10,Z=1000,P=4", &machine)); /* or "h200", or the path of a JSON file */
    assert(machine.U == 10 && machine.P == 4);
    for (int i = 0; i < MMM_LIMITS; i++) /* what predictions tell apart */
        puts(mmm_limit_name(i));
    return machine;
}

/* mmm_program_new mmm_program_add mmm_program_depend mmm_program_shares mmm_program_set_costs
 * mmm_program_kernels mmm_program_kernel_name mmm_program_kernel */
static mmm_program *diamond(void) /* A, then B and C, then D */
{
    static const char *const names[] = {"A", "B", "C", "D"};
    mmm_program *program;
    int k[4];
    must(mmm_program_new(&program));
    for (int i = 0; i < 4; i++) {
        must(mmm_program_add(program, names[i], 8, 32, &k[i])); /* 8 blocks of 32 threads */
        mmm_cost each = {.blocks = 8, .work = 640, .span = 20, .span_thread = 20, .reads = 3, .writes = 2};
        must(mmm_program_set_costs(program, k[i], &each, 1)); /* all blocks alike: one group */
    }
    must(mmm_program_depend(program, k[0], k[1]));
    must(mmm_program_depend(program, k[0], k[2]));
    must(mmm_program_depend(program, k[1], k[3]));
    must(mmm_program_depend(program, k[2], k[3]));
    must(mmm_program_shares(program, k[1], 2)); /* B's blocks 0 to 3 need of A no other ones, and so do 4 to 7 */

    mmm_kernel_info b;
    assert(mmm_program_kernels(program) == 4 && strcmp(mmm_program_kernel_name(program, 1), "B") == 0);
    must(mmm_program_kernel(program, 1, &b));
    assert(b.work == 8 * 640 && b.words == 5);
    return program;
}

/* mmm_program_shape mmm_program_measures mmm_theorem1 mmm_corollary1 */
static void bounds(const mmm_program *program, const mmm_parameters *machine)
{
    mmm_shape shape;
    mmm_measures measures;
    must(mmm_program_shape(program, &shape));
    must(mmm_program_measures(program, machine, &measures));
    assert(shape.N == 32 && shape.L == 3 && shape.K == 16); /* B and C side by side */
    assert(measures.work == 32 * 640 && measures.span == 3 * 20);
    assert(measures.C == 20 + 5 * machine->U);
    assert(mmm_theorem1(&shape, &measures, 4) == (32 / 4 + 3) * measures.C);
    assert(mmm_corollary1(&shape, &measures) == (32. / 16 + 3) * measures.C);
}

/* mmm_program_schedule */
static void add_up(void *context, const mmm_slice *slice)
{
    *(double *)context += (double)(slice->sms * slice->rounds) * slice->duration; /* time that SMs are busy */
}

static void schedule(const mmm_program *program, const mmm_parameters *machine)
{
    double makespan, busy = 0;
    must(mmm_program_schedule(program, machine, 4, 1, add_up, &busy, &makespan));
    assert(makespan == 8 * 70 && busy == 4 * makespan); /* 32 blocks of 70 on 4 SMs, none of which ever waits */
}

/* mmm_program_unfolds */
static void decided_on(mmm_parameters machine)
{
    mmm_program *program;
    mmm_shape shape;
    mmm_measures measures;
    int first, second;
    must(mmm_program_new(&program));
    must(mmm_program_add(program, "look", 1, 32, &first));
    must(mmm_program_add(program, "go on", 1, 32, &second));
    for (int k = first; k <= second; k++)
        must(mmm_program_set_costs(program, k, &(mmm_cost){.blocks = 1, .work = 32, .span = 1}, 1));
    must(mmm_program_unfolds(program, first, second)); /* that there is a second one was decided when the first ended */
    machine.decide = 100;
    must(mmm_program_shape(program, &shape));
    must(mmm_program_measures(program, &machine, &measures));
    assert(shape.decisions == 1 && measures.burdened_span == measures.span + 100);
    mmm_program_free(program);
}

/* mmm_program_write mmm_program_read mmm_program_free */
static void as_data(const mmm_program *program)
{
    mmm_program *again;
    must(mmm_program_write(program, "diamond.json"));
    must(mmm_program_read("diamond.json", &again));
    assert(mmm_program_kernels(again) == 4);
    mmm_program_free(again);
}

/* mmm_program_import */
static void of_a_profiler(void)
{
    FILE *file = fopen("launches.csv", "w"); /* what ncu --csv --page raw prints */
    fputs("\"ID\",\"Kernel Name\",\"Stream\",\"Block Size\",\"Grid Size\",\"gpu__time_duration.sum\"\n"
          "\"\",\"\",\"\",\"\",\"\",\"ns\"\n"
          "\"0\",\"fill(float *, int)\",\"7\",\"(256, 1, 1)\",\"(4096, 1, 1)\",\"4,512\"\n",
          file);
    fclose(file);
    mmm_program *program;
    mmm_kernel_info fill;
    must(mmm_program_import("launches.csv", &program));
    must(mmm_program_kernel(program, 0, &fill));
    assert(fill.blocks == 4096 && fill.threads == 256 && fill.seconds > 4.5e-6 && fill.seconds < 4.52e-6);
    mmm_program_free(program);
}

/* mmm_machine_open_abstract mmm_machine_count_traffic mmm_machine_counts mmm_program_traffic
 * mmm_operation_kind_name */
static void counted(const mmm_parameters *parameters)
{
    mmm_machine *machine;
    mmm_job *job;
    must(mmm_machine_open_abstract(parameters, 1, &machine));
    must(mmm_machine_count_traffic(machine, 1)); /* and what groups of 32 threads do */
    must(mmm_job_new("division", &job));
    must(mmm_job_set(job, "n", 64));
    must(mmm_job_set(job, "m", 32));
    must(mmm_job_set(job, "s", 8));
    must(mmm_job_run(job, machine, NULL));

    const mmm_counts *counts = mmm_machine_counts(machine);
    mmm_measures measures;
    mmm_traffic traffic;
    must(mmm_program_measures(mmm_job_program(job), parameters, &measures));
    assert(counts->arithmetic == measures.work && counts->violation_count == 0);
    assert(counts->local_words == 7 * 8);
    must(mmm_program_traffic(mmm_job_program(job), 0, &traffic)); /* of the first kernel */
    assert(traffic.sectors >= traffic.lines);
    for (int kind = 0; kind < MMM_OPERATION_KINDS; kind++)
        if (traffic.operations[kind])
            printf("%s: %lld\n", mmm_operation_kind_name(kind), (long long)traffic.operations[kind]);
    mmm_job_free(job);
    mmm_machine_free(machine);
}

/* mmm_violation_name mmm_violation_meaning mmm_program_allow_races */
static void violations(mmm_machine *abstract)
{
    mmm_job *job;
    must(mmm_job_new("gcd", &job));
    must(mmm_job_prepare(job));
    must(mmm_program_allow_races(mmm_job_program(job), "degree")); /* where they do no harm */
    must(mmm_job_run(job, abstract, NULL));
    const mmm_counts *counts = mmm_machine_counts(abstract);
    for (int64_t i = 0; i < counts->violation_count; i++) {
        const mmm_violation *v = &counts->violations[i];
        printf("%s at %s[%lld], %s:%d: %s\n", mmm_violation_name(v->kind), v->array, (long long)v->index, v->file,
               v->line, mmm_violation_meaning(v->kind));
    }
    assert(counts->violation_count == 0); /* the gcd breaks no rule */
    mmm_job_free(job);
}

/* mmm_analysis_make mmm_report_text mmm_report_json mmm_report_csv mmm_report_dot mmm_report_trace */
static void reports(const mmm_program *program, const mmm_parameters *machine)
{
    mmm_analysis analysis;
    must(mmm_analysis_make(&analysis, program, machine, (int64_t[]){2, 4}, 2,
                           1)); /* Theorem 1 and a schedule for 2 and 4 SMs */
    analysis.app = "diamond";
    assert(analysis.bound_count == 2 && analysis.bounds[1].schedule <= analysis.bounds[1].bound);
    must(mmm_report_text(&analysis, 1, "-")); /* a table on standard output */
    must(mmm_report_json(&analysis, 1, 0, "diamond.analysis.json"));
    must(mmm_report_csv(&analysis, 1, "diamond.csv"));
    must(mmm_report_dot(program, "diamond.dot"));                         /* dot -Tsvg draws it */
    must(mmm_report_trace(program, machine, 4, 1, "diamond.trace.json")); /* Perfetto opens it */
}

/* end */
int main(void)
{
    mmm_machine *abstract;
    mmm_parameters machine = machine_of_the_model();
    must(mmm_machine_open("abstract", &abstract));
    mmm_program *program = diamond();
    bounds(program, &machine);
    schedule(program, &machine);
    decided_on(machine);
    as_data(program);
    of_a_profiler();
    counted(&machine);
    violations(abstract);
    reports(program, &machine);
    mmm_program_free(program);
    mmm_machine_free(abstract);
    return 0;
}
