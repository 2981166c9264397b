/* SPDX-License-Identifier: Apache-2.0 */
/* What make bench prints: the abstract machine's speed, and division on the CPU beside FLINT's basecase division, both
 * measured in one run, in turns, median and spread. */
#include "bench.h"
#include "mmm/study.h"

#include <flint/nmod_poly.h>
#include <flint/nmod_vec.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 11 };

/* Sorts and prints the median with the smallest and largest. */
static double summary(double *values, const char *unit, double scale)
{
    sort_times(values, ROUNDS);
    printf("%9.3f %s (%.3f to %.3f)", values[ROUNDS / 2] * scale, unit, values[0] * scale, values[ROUNDS - 1] * scale);
    return values[ROUNDS / 2];
}

static mmm_job *job_of(const char *app, int64_t n, int64_t m, const char *parameter, int64_t value)
{
    mmm_job *job;
    must(mmm_job_new(app, &job));
    must(mmm_job_set(job, "n", n));
    must(mmm_job_set(job, "m", m));
    must(mmm_job_set(job, parameter, value));
    must(mmm_job_prepare(job));
    return job;
}

static void bench_counting(const char *app, const char *parameter, int64_t value)
{
    mmm_machine *machine;
    double rates[ROUNDS];
    mmm_job *job = job_of(app, 4096, 2048, parameter, value);
    must(mmm_machine_open("abstract", &machine));
    for (int i = 0; i < ROUNDS; i++) {
        double seconds;
        must(mmm_job_run(job, machine, &seconds));
        const mmm_counts *c = mmm_machine_counts(machine);
        rates[i] = (double)(c->local_accesses + c->global_reads + c->global_writes) / seconds;
    }
    printf("counting %-15s n=4096 m=2048 %s=%-4lld", app, parameter, (long long)value);
    summary(rates, "M accesses/s", 1e-6);
    putchar('\n');
    mmm_job_free(job);
    mmm_machine_free(machine);
}

/* One row: our division at one s, and FLINT's, in turns on inputs of the same size. */
static void bench_division(int64_t n, int64_t m, int64_t s, uint64_t p)
{
    mmm_machine *machine;
    double ours[ROUNDS], theirs[ROUNDS];
    mmm_job *job = job_of("division", n, m, "s", s);
    must(mmm_job_set(job, "p", (int64_t)p));
    must(mmm_machine_open("cpu", &machine));
    must(mmm_job_run(job, machine, NULL));
    must(mmm_job_check(job));
    nmod_poly_t a, b, q, r;
    flint_rand_t state;
    flint_randinit(state);
    nmod_poly_init(a, p);
    nmod_poly_init(b, p);
    nmod_poly_init(q, p);
    nmod_poly_init(r, p);
    nmod_poly_randtest_monic(a, state, n);
    nmod_poly_randtest_monic(b, state, m);
    for (int i = 0; i < ROUNDS; i++) {
        must(mmm_job_run(job, machine, &ours[i]));
        double start = mmm_now();
        nmod_poly_divrem_basecase(q, r, a, b);
        theirs[i] = mmm_now() - start;
    }
    printf("division %6lld/%-6lld s=%-4lld p=%-20llu", (long long)n, (long long)m, (long long)s, (unsigned long long)p);
    double x = summary(ours, "ms", 1e3);
    printf("  FLINT basecase");
    double y = summary(theirs, "ms", 1e3);
    printf("  ratio %.2f\n", y / x);
    nmod_poly_clear(a);
    nmod_poly_clear(b);
    nmod_poly_clear(q);
    nmod_poly_clear(r);
    flint_randclear(state);
    mmm_job_free(job);
    mmm_machine_free(machine);
}

/* A layered DAG: `width` kernels a layer, each after `edges` of the layer before; width 1 is a chain. */
static mmm_program *layers(int count, int width, int edges)
{
    mmm_program *program;
    unsigned state = 1;
    must(mmm_program_new(&program));
    for (int k = 0; k < count * width; k++) {
        state = state * 1664525u + 1013904223u;
        must(mmm_program_add(program, "kernel", 1 + (state >> 8) % 1000, 32, NULL));
        for (int e = 0; k >= width && e < edges; e++) {
            state = state * 1664525u + 1013904223u;
            must(mmm_program_depend(program, (k / width - 1) * width + (int)((state >> 8) % (unsigned)width), k));
        }
    }
    return program;
}

static void bench_model(void)
{
    static const int shapes[][3] = {{100000, 1, 1}, {100, 100, 5}};
    enum { GROUPS = 1000000, BLOCKS = 10 };
    for (size_t i = 0; i < 2; i++) {
        mmm_program *program = layers(shapes[i][0], shapes[i][1], shapes[i][2]);
        mmm_shape shape;
        double start = mmm_now();
        must(mmm_program_shape(program, &shape));
        printf("N, L, K of %d layers of %d kernels, %lld edges: %.3f s\n", shapes[i][0], shapes[i][1],
               (long long)shape.edges, mmm_now() - start);
        mmm_program_free(program);
    }
    mmm_program *program;
    double makespan;
    mmm_cost *costs = calloc(GROUPS, sizeof *costs);
    if (!costs) exit(1);
    for (int i = 0; i < GROUPS; i++)
        costs[i] = (mmm_cost){.blocks = BLOCKS, .work = i, .span = 1 + i * 7919L % 100003, .reads = i % 5};
    must(mmm_program_new(&program));
    must(mmm_program_add(program, "kernel", (int64_t)GROUPS * BLOCKS, 32, NULL));
    must(mmm_program_set_costs(program, 0, costs, GROUPS));
    double start = mmm_now();
    must(mmm_program_schedule(program, mmm_parameters_builtin(), 132, 1, NULL, NULL, &makespan));
    printf("greedy schedule of %d blocks of %d different costs on 132 SMs: %.3f s\n", GROUPS * BLOCKS, GROUPS,
           mmm_now() - start);
    mmm_program_free(program);
    free(costs);
}

int main(void)
{
    static const int64_t sizes[][2] = {{512, 256}, {2048, 1024}, {4096, 2048}, {16384, 8192}};
    static const uint64_t primes[] = {2013265921, 4611686018427387847u};
    mmm_machine *cpu;
    must(mmm_machine_open("cpu", &cpu));
    printf(
        "medians of %d runs with smallest and largest; %s for mmm, 1 core for FLINT; ratio: FLINT's time over ours\n",
        ROUNDS, mmm_machine_description(cpu));
    mmm_machine_free(cpu);
    bench_model();
    bench_counting("division-naive", "l", 256);
    bench_counting("division", "s", 64);
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            for (int64_t s = 16; s <= 256; s *= 4)
                bench_division(sizes[i][0], sizes[i][1], s, primes[k]);
    return 0;
}
