/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of applications share: jobs on polynomials of FLINT, on both machines, and counts. */
#ifndef JOBS_H
#define JOBS_H

#include "job/job.h"
#include "testing.h"

#include <flint/nmod_poly.h>

static const uint64_t primes[] = {
    2, 3, 101, 2147483647, 2013265921, 4294967311, 1152921504606846883u, 9223372036854775783u};
enum { PRIMES = sizeof primes / sizeof *primes };

/* The machines of a test: the CPU, and the abstract machine with blocks in some order. */
static inline mmm_machine *open_cpu(void)
{
    mmm_machine *machine;
    assert_ok(mmm_machine_open("cpu", &machine));
    return machine;
}

static inline mmm_machine *open_abstract(uint64_t seed)
{
    mmm_machine *machine;
    assert_ok(mmm_machine_open_abstract(mmm_parameters_builtin(), seed, &machine));
    return machine;
}

/* Runs the job: no violation, and FLINT's result. */
static inline void run_checked(mmm_job *job, mmm_machine *machine)
{
    assert_ok(mmm_job_run(job, machine, NULL));
    const mmm_counts *counts = mmm_machine_counts(machine);
    if (counts && counts->violation_count) {
        const mmm_violation *v = counts->violations;
        fail_msg("%s of %s[%lld] by block %lld, thread %lld of %s, line %d", mmm_violation_name(v->kind), v->array,
                 (long long)v->index, (long long)v->second.block, (long long)v->second.thread, v->second.kernel,
                 v->line);
    }
    assert_ok(mmm_job_check(job));
}

static inline void give(mmm_job *job, int which, const nmod_poly_t f)
{
    assert_ok(mmm_job_polynomial(job, which, nmod_poly_modulus(f), f->coeffs, nmod_poly_length(f)));
}

static inline void take(const mmm_job *job, nmod_poly_t f)
{
    const uint64_t *words;
    int64_t count;
    words = mmm_job_result(job, 0, &count);
    assert_non_null(words);
    nmod_poly_zero(f);
    for (int64_t i = 0; i < count; i++)
        nmod_poly_set_coeff_ui(f, i, words[i]);
    assert_int_equal(nmod_poly_length(f), count);
}

/* Random coefficients, `terms` of them with the last not 0. */
static inline void random_polynomial(mmm_random *random, nmod_poly_t f, int64_t terms)
{
    uint64_t p = nmod_poly_modulus(f);
    nmod_poly_zero(f);
    for (int64_t i = 0; i < terms; i++)
        nmod_poly_set_coeff_ui(f, i, mmm_random_below(random, p));
    if (terms) nmod_poly_set_coeff_ui(f, terms - 1, 1 + mmm_random_below(random, p - 1));
}

/* All that a count test compares; O in words. */
typedef struct expected {
    int64_t W, S, S_thread, O, N, L, K;
    double C;
} expected;

/* Runs the job on the abstract machine and compares every count. */
static inline void assert_counts(mmm_job *job, expected e)
{
    mmm_machine *machine = open_abstract(7);
    mmm_shape shape;
    mmm_measures measures;
    run_checked(job, machine);
    assert_ok(mmm_program_shape(mmm_job_program(job), &shape));
    assert_ok(mmm_program_measures(mmm_job_program(job), mmm_parameters_builtin(), &measures));
    assert_int_equal(measures.work, e.W);
    assert_int_equal(measures.span, e.S);
    assert_int_equal(measures.span_thread, e.S_thread);
    assert_int_equal(measures.overhead_words, e.O);
    assert_int_equal(shape.N, e.N);
    assert_int_equal(shape.L, e.L);
    assert_int_equal(shape.K, e.K);
    assert_true(measures.C == e.C);
    mmm_machine_free(machine);
}

#endif
