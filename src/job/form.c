/* SPDX-License-Identifier: Apache-2.0 */
/* Coefficients of plans for devices into their form and out of it: few by the caller's thread, many by programs on the
 * host. */
#include "job/plan.h"

#include "polynomial/kernels.h" /* made from polynomial_kernels.c */

#include <inttypes.h>
#include <stdlib.h>

/* Memory is what limits these: below so many bytes waking a thread costs more than it does, and a few threads have all
 * of the bandwidth. */
enum { SHARED_BYTES = 3 << 20, SHARED_MOST = 4 };

enum { ENTER_THREADS = 256, ENTER_MANY = 1 << 16 };

/* Whether elements are the same in the caller's memory and in arrays. */
bool mmm_plan_is_plain(const mmm_job *job, mmm_type type)
{
    return type != MMM_POLYNOMIAL && !(type == MMM_WORD && job->modulus.p);
}

mmm_status mmm_plan_host(mmm_plan *plan)
{
    return plan->machine->host ? MMM_OK : mmm_machine_open("cpu", &plan->machine->host);
}

mmm_status mmm_plan_run_host(mmm_plan *plan, mmm_program *program)
{
    mmm_machine *host = plan->machine->host;
    const int64_t cores = host->parameters.P;
    size_t bytes = 0;
    for (int64_t i = 0; i < program->array_count; i++)
        bytes += mmm_global_bytes(program, &program->arrays[i]);
    host->parameters.P = bytes < SHARED_BYTES ? 1 : cores < SHARED_MOST ? cores : SHARED_MOST;
    mmm_status status = mmm_machine_run(host, program, NULL);
    host->parameters.P = cores;
    return status;
}

/* Whether an array gets many coefficients, which need not be brought into zeros again and again. */
static bool gets_many(const mmm_plan *plan, const mmm_job *job, int array)
{
    const mmm_global *global = &job->program->arrays[array];
    const int input = job->loads[array].input;
    const int64_t n = input < 0 ? 0 : job->inputs[input].count;
    return plan->machine->type->keep && n * job->batch >= ENTER_MANY &&
           !mmm_plan_is_plain(job, job->app->inputs[input].type) &&
           (n == global->count || !(global->use & (MMM_OUT | MMM_RESULT)));
}

/* A kernel on the host for such an array; `flat`: the problems of a batch follow each other there and here. */
static mmm_status make_entering(mmm_plan *plan, const mmm_job *job, int array, bool flat)
{
    mmm_status result = MMM_OK;
    mmm_entering *e = &plan->enters[array];
    mmm_program *program = plan->entering;
    const mmm_global *global = &job->program->arrays[array];
    const int64_t n = job->inputs[job->loads[array].input].count * (flat ? job->batch : 1);
    int64_t l = 16;
    mmm_u64_array from, seen;
    mmm_word_array to;
    while (l < n && l < ENTER_THREADS)
        l *= 2;
    const int64_t rounds = (n + l - 1) / l < 8 ? (n + l - 1) / l : 8;
    e->blocks = (n + rounds * l - 1) / (rounds * l);
    TRY(mmm_alloc(&e->seen, e->blocks * program->batch, sizeof *e->seen));
    TRY(mmm_program_array(program, "from", MMM_U64, n, MMM_IN, NULL, &from.number));
    TRY(mmm_program_array(program, "to", MMM_WORD, flat ? n : global->count, MMM_OUT, global->host, &to.number));
    TRY(mmm_program_array(program, "seen", MMM_U64, e->blocks, MMM_OUT, e->seen, &seen.number));
    e->from = from.number;
    TRY(launch_enter_checked(program, e->blocks, l, from, to, seen, job->modulus.square, job->modulus.p - 1, n,
                             job->loads[array].first, rounds, l));
done:
    return result;
}

/* The same for an output whose place is known before a run. */
static mmm_status make_leaving(mmm_plan *plan, const mmm_job *job, int output)
{
    mmm_status result = MMM_OK;
    const mmm_data *data = &job->app->outputs[output];
    const struct mmm_take *take = job->takes[output];
    const int64_t n = take->array < 0 ? 0 : take->count, blocks = (n + LEAVE_WORDS - 1) / LEAVE_WORDS;
    mmm_program *program = NULL;
    mmm_u64_array to;
    mmm_word_array from;
    if (!plan->machine->type->keep || n < ENTER_MANY || job->batch > 1 || mmm_plan_is_plain(job, data->type) ||
        data->monic || job->app->finish || take[1].array >= 0 || n != plan->rooms[output])
        return MMM_OK;
    TRY(mmm_plan_host(plan));
    TRY(mmm_program_new(&program));
    plan->leaving[output] = program;
    TRY(mmm_program_set_words(program, job->word_bits, &job->modulus));
    const mmm_global *global = &job->program->arrays[take->array];
    TRY(mmm_program_array(program, "from", MMM_WORD, global->count, MMM_IN, global->host, &from.number));
    TRY(mmm_program_array(program, "to", MMM_U64, n, MMM_OUT, NULL, &to.number));
    TRY(launch_leave_many(program, blocks, LEAVE_WORDS, from, to, 1, n, take->first, LEAVE_WORDS));
done:
    return result;
}

mmm_status mmm_plan_make_forms(mmm_plan *plan, const mmm_job *job)
{
    mmm_status result = MMM_OK;
    bool some = false, flat = true;
    if (job->moduli) return MMM_OK; /* what enters and leaves depends on the problem */
    for (int i = 0; i < (int)job->program->array_count; i++) {
        if (!gets_many(plan, job, i)) continue;
        some = true;
        flat &= job->inputs[job->loads[i].input].count == job->program->arrays[i].count;
    }
    for (int i = 0; i < MMM_DATA_MOST && job->app->outputs[i].name; i++)
        TRY(make_leaving(plan, job, i));
    if (!some) return MMM_OK;
    TRY(mmm_plan_host(plan));
    TRY(mmm_program_new(&plan->entering));
    TRY(mmm_program_set_words(plan->entering, job->word_bits, &job->modulus));
    if (!flat) TRY(mmm_program_set_batch(plan->entering, job->batch));
    mmm_program_chain(plan->entering, 0);
    for (int i = 0; i < (int)job->program->array_count; i++)
        if (gets_many(plan, job, i)) TRY(make_entering(plan, job, i, flat));
done:
    return result;
}

void mmm_plan_drop_forms(mmm_plan *plan)
{
    mmm_program_free(plan->entering);
    for (int i = 0; i < ARRAYS_MOST; i++)
        free(plan->enters[i].seen);
    for (int i = 0; i < MMM_DATA_MOST; i++) {
        mmm_program_free(plan->leaving[i]);
        mmm_program_free(plan->settled[i].leaving);
    }
}

/* Whether an input's elements of one problem are what they should be; the place of the first that is not. */
mmm_status mmm_plan_check_below(const mmm_job *job, int64_t problem, int input, const uint64_t *a)
{
    const int64_t count = job->inputs[input].count;
    const uint64_t p = mmm_job_modulus_of(job, problem)->p;
    int64_t i = 0;
    if (mmm_plan_is_plain(job, job->app->inputs[input].type) || mmm_words_below(a, count, p)) return MMM_OK;
    while (i < count - 1 && a[i] < p)
        i++;
    return mmm_fail(MMM_INVALID, "'%s': coefficient %" PRIu64 " of x^%" PRId64 " is not below the modulus %" PRIu64,
                    job->app->inputs[input].name, a[i], i, p);
}

/* What lies beside the coefficients is 0 since the array was made. */
mmm_status mmm_plan_enter(mmm_plan *plan, const void *const *inputs)
{
    mmm_status result = MMM_OK;
    const mmm_job *job = plan->job;
    TRY(mmm_plan_run_host(plan, plan->entering));
    for (int k = 0; k < (int)job->program->array_count; k++) {
        const mmm_entering *e = &plan->enters[k];
        const int input = job->loads[k].input;
        uint64_t seen = 0;
        for (int64_t i = 0; e->seen && i < e->blocks * plan->entering->batch; i++)
            seen |= e->seen[i];
        const uint64_t *from = seen >> 63 ? inputs[input] : NULL;
        for (int64_t q = 0; from && q < job->batch; q++)
            TRY(mmm_plan_check_below(job, q, input, from + q * job->inputs[input].count));
    }
done:
    return result;
}
