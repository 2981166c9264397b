/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of divisions share.  Who includes it defines divide_all. */
#ifndef DIVISIONS_H
#define DIVISIONS_H

#include "both.h"

static const uint64_t primes[] = {
    2, 3, 7, 65537, 2013265921, 2147483647, 4294967291, 4294967311, 1152921504606846883u, 9223372036854775783u};

enum { PRIMES = sizeof primes / sizeof *primes };

/* Runs a job on both machines: right by FLINT, without violation, and identical. */
static inline void check_job(mmm_job *job)
{
    const uint64_t *words;
    int64_t count, counts[2];
    uint64_t *saved[2];
    for (int i = 0; i < 2; i++) {
        assert_ok(mmm_job_run(job, machines[i], NULL));
        assert_ok(mmm_job_check(job));
        for (int which = 0; which < 2; which++) {
            words = mmm_job_result(job, which, &count);
            assert_non_null(words);
            if (i == 0) {
                counts[which] = count;
                saved[which] = malloc((size_t)count * sizeof *words + 1);
                memcpy(saved[which], words, (size_t)count * sizeof *words);
            } else {
                assert_int_equal(count, counts[which]);
                assert_memory_equal(words, saved[which], (size_t)count * sizeof *words);
                free(saved[which]);
            }
        }
    }
    assert_int_equal(mmm_machine_counts(machines[0])->violation_count, 0);
}

/* Divides a by b in every way that the test is about, with s or what stands for it. */
static void divide_all(int64_t s, uint64_t p, const uint64_t *a, int64_t n, const uint64_t *b, int64_t m);

static void test_random(void **state)
{
    mmm_random random = {7};
    (void)state;
    for (int round = 0; round < 250; round++) {
        uint64_t p = primes[round % PRIMES], a[200], b[200];
        int64_t n = draw(&random, 1, 200), m = draw(&random, 1, round % 3 ? 200 : 20);
        for (int i = 0; i < 200; i++) {
            a[i] = mmm_random_below(&random, p);
            b[i] = mmm_random_below(&random, p);
        }
        b[m - 1] = 1 + mmm_random_below(&random, p - 1);
        divide_all(draw(&random, 1, round % 2 ? 12 : 300), p, a, n, b, m);
    }
}

/* Inputs that break careless code: sparse ones, whose remainders drop by many degrees at once, all coefficients p - 1,
 * exact multiples, constants, powers of x, a shorter than b, and zero. */
static void test_hostile(void **state)
{
    enum { N = 97 };
    (void)state;
    for (int i = 0; i < PRIMES; i++) {
        uint64_t p = primes[i], a[N], b[N];
        for (int64_t s = 1; s <= 64; s = s < 4 ? s + 1 : 2 * s + 1) {
            memset(a, 0, sizeof a);
            memset(b, 0, sizeof b);
            a[N - 1] = a[0] = 1;
            b[40] = p - 1;
            divide_all(s, p, a, N, b, 41); /* x^96 + 1 by -x^40 */
            b[0] = 1;
            divide_all(s, p, a, N, b, 41);
            for (int j = 0; j < N; j++)
                a[j] = b[j] = p - 1;
            divide_all(s, p, a, N, b, 33);
            divide_all(s, p, a, N, b, N);
            divide_all(s, p, a, N, b, 1);
            divide_all(s, p, a, 20, b, 50);
            divide_all(s, p, a, 0, b, 50);
            divide_all(s, p, a, 1, b, 1);
            memset(a, 0, sizeof a); /* (x^10 + 1)^2 x^20: an exact multiple with zero runs */
            a[20] = a[40] = 1;
            a[30] = 2 % p;
            memset(b, 0, sizeof b);
            b[0] = b[10] = 1;
            divide_all(s, p, a, N, b, 11);
        }
    }
}

/* Counts do not depend on the order in which blocks run, nor on the word or the values. */
static inline void check_counts(const char *app)
{
    mmm_measures first;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        mmm_job *job;
        mmm_machine *machine;
        mmm_measures x;
        assert_ok(mmm_job_new(app, &job));
        assert_ok(mmm_job_set(job, "n", 333));
        assert_ok(mmm_job_set(job, "m", 111));
        assert_ok(mmm_job_set(job, "s", 7));
        assert_ok(mmm_job_set(job, "seed", (int64_t)seed));
        assert_ok(mmm_job_set(job, "p", (int64_t)primes[seed]));
        assert_ok(mmm_machine_open_abstract(mmm_parameters_builtin(), seed, &machine));
        assert_ok(mmm_job_run(job, machine, NULL));
        assert_int_equal(mmm_machine_counts(machine)->violation_count, 0);
        assert_ok(mmm_program_measures(mmm_job_program(job), mmm_parameters_builtin(), &x));
        if (seed == 1) first = x;
        assert_memory_equal(&x, &first, sizeof x);
        mmm_machine_free(machine);
        mmm_job_free(job);
    }
}

/* What every division refuses; `parameters` are those it knows. */
static inline void check_errors(const char *app, const char *parameters)
{
    mmm_job *job;
    const uint64_t a[] = {1, 2, 3}, zero[] = {0, 0};
    assert_ok(mmm_job_new(app, &job));
    assert_fails(mmm_job_set(job, "t", 1), MMM_INVALID, parameters);
    assert_fails(mmm_job_set(job, "n", 0), MMM_INVALID, "n=0");
    assert_fails(mmm_job_set(job, "s", 0), MMM_INVALID, "s=0");
    assert_fails(mmm_job_set(job, "s", -1), MMM_INVALID, "s=-1");
    assert_fails(mmm_job_set(job, "p", 91), MMM_INVALID, "prime");
    assert_fails(mmm_job_set(job, "n", INT64_MAX), MMM_INVALID, "must be from 1 to");
    assert_fails(mmm_job_polynomial(job, 2, 7, a, 3), MMM_INVALID, "2 inputs");
    assert_fails(mmm_job_polynomial(job, 0, 3, a, 3), MMM_INVALID, "coefficient 3 of x^2 is not below");
    assert_fails(mmm_job_check(job), MMM_INVALID, "not run");
    assert_no_result(job, 0, "not run");
    assert_ok(mmm_job_polynomial(job, 0, 7, a, 3));
    assert_fails(mmm_job_set(job, "n", 5), MMM_INVALID, "input a");
    assert_ok(mmm_job_polynomial(job, 1, 7, zero, 2));
    assert_fails(mmm_job_run(job, machines[1], NULL), MMM_INVALID, "b is 0");
    assert_ok(mmm_job_polynomial(job, 1, 11, a, 2));
    assert_fails(mmm_job_run(job, machines[1], NULL), MMM_INVALID, "modulus");
    mmm_job_free(job);
    mmm_job_free(NULL);
}

#endif
