/* SPDX-License-Identifier: Apache-2.0 */
/* Division (section 3): equal to FLINT on every machine, and counted as the paper has it. */
#include "testing.h"

static const uint64_t primes[] = {2, 3, 7, 65537, 2013265921, 2147483647, 4294967311, 9223372036854775783u};

enum { PRIMES = sizeof primes / sizeof *primes };

static mmm_machine *machines[2]; /* abstract, cpu */

static int open_machines(void **state)
{
    (void)state;
    return mmm_machine_open("abstract", &machines[0]) != MMM_OK || mmm_machine_open("cpu", &machines[1]) != MMM_OK;
}

static int close_machines(void **state)
{
    (void)state;
    mmm_machine_free(machines[0]);
    mmm_machine_free(machines[1]);
    return 0;
}

/* Runs a job on both machines: right by FLINT, without violation, and identical. */
static void check_job(mmm_job *job)
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

static void divide(const char *app, const char *parameter, int64_t value, uint64_t p, const uint64_t *a, int64_t n,
                   const uint64_t *b, int64_t m)
{
    mmm_job *job;
    assert_ok(mmm_job_new(app, &job));
    assert_ok(mmm_job_set(job, parameter, value));
    assert_ok(mmm_job_polynomial(job, 0, p, a, n));
    assert_ok(mmm_job_polynomial(job, 1, p, b, m));
    check_job(job);
    mmm_job_free(job);
}

static void divide_all(int64_t value, uint64_t p, const uint64_t *a, int64_t n, const uint64_t *b, int64_t m)
{
    divide("division", "s", value, p, a, n, b, m);
    divide("division-naive", "l", value, p, a, n, b, m);
}

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

typedef struct measured {
    mmm_shape shape;
    mmm_measures measures;
    int64_t local_words;
} measured;

static measured measure(const char *app, const char *parameter, int64_t n, int64_t m, int64_t value)
{
    mmm_job *job;
    measured x;
    assert_ok(mmm_job_new(app, &job));
    assert_ok(mmm_job_set(job, "n", n));
    assert_ok(mmm_job_set(job, "m", m));
    assert_ok(mmm_job_set(job, parameter, value));
    assert_ok(mmm_job_run(job, machines[0], NULL));
    assert_ok(mmm_program_shape(mmm_job_program(job), &x.shape));
    assert_ok(mmm_program_measures(mmm_job_program(job), mmm_parameters_builtin(), &x.measures));
    x.local_words = mmm_machine_counts(machines[0])->local_words;
    assert_int_equal(mmm_machine_counts(machines[0])->violation_count, 0);
    mmm_job_free(job);
    return x;
}

/* Section 3.1 with l dividing m: W, S, N, L, K and C exactly the paper's; the overhead is 4 words a block and 5 for the
 * block that writes the quotient, where the paper has 5 for each. */
static void test_naive_counts(void **state)
{
    double U = mmm_parameters_builtin()->U;
    (void)state;
    for (int64_t l = 1; l <= 16; l *= 2)
        for (int64_t k = 1; k <= 5; k++)
            for (int64_t more = 0; more < 40; more += 13) {
                int64_t m = k * l, n = m + more, steps = n - m + 1;
                measured x = measure("division-naive", "l", n, m, l);
                assert_int_equal(x.measures.work, steps * (m / l) * (2 * l + 1));
                assert_int_equal(x.measures.span, 3 * steps);
                assert_int_equal(x.shape.N, steps * m / l);
                assert_int_equal(x.shape.L, steps);
                assert_int_equal(x.shape.K, m / l);
                assert_true(x.measures.overhead <= 5 * (double)(steps * m) * U / (double)l);
                if (m == 1) continue; /* b is a constant: nothing of a is written */
                /* Where l = 1 the last block's only thread has nothing to write. */
                assert_int_equal(x.measures.overhead_words, steps * (4 * (m / l) + 1 - (l == 1)));
                assert_true(x.measures.C == 3 + 5 * U);
            }
}

/* Section 3.2 with 2s dividing m and s dividing n - m + 1: N, L, S exactly the paper's.  A block does s quotients,
 * 2 (s - 1 + ... + 1) operations on its head and 2 s for each of its 2s coefficients, 5 s^2 in all, where the paper
 * counts one operation for an update of the head: 9/2 s^2 + s/2.  It transfers 4 words, not 9. */
static void test_optimised_counts(void **state)
{
    double U = mmm_parameters_builtin()->U;
    (void)state;
    for (int64_t s = 1; s <= 16; s *= 2)
        for (int64_t k = 1; k <= 4; k++)
            for (int64_t j = 1; j <= 4; j++) {
                int64_t m = 2 * s * k, n = m - 1 + s * j, steps = n - m + 1;
                measured x = measure("division", "s", n, m, s);
                assert_int_equal(x.shape.N, steps * m / (2 * s * s));
                assert_int_equal(x.shape.L, steps / s);
                assert_int_equal(x.shape.K, m / (2 * s));
                assert_int_equal(x.measures.span, 3 * steps);
                assert_int_equal(x.measures.work, x.shape.N * 5 * s * s);
                double paper = (double)(steps * m * (9 * s + 1)) / (double)(4 * s);
                assert_true((double)x.measures.work <= 1.25 * paper && (double)x.measures.work >= 0.75 * paper);
                assert_int_equal(x.measures.overhead_words, 4 * x.shape.N);
                assert_true(x.measures.C == 3 * (double)s + 4 * U);
                assert_int_equal(x.local_words, 7 * s);
            }
}

/* Counts do not depend on the order in which blocks run, nor on the word or the values. */
static void test_counts_are_the_programs(void **state)
{
    mmm_measures first;
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        mmm_job *job;
        mmm_machine *machine;
        mmm_measures x;
        assert_ok(mmm_job_new("division", &job));
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

static void test_errors(void **state)
{
    mmm_job *job;
    const uint64_t a[] = {1, 2, 3}, zero[] = {0, 0};
    (void)state;
    assert_fails(mmm_job_new("divisoin", &job), MMM_INVALID, "division");
    assert_ok(mmm_job_new("division", &job));
    assert_fails(mmm_job_set(job, "t", 1), MMM_INVALID, "n, m, s, p, seed");
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_hostile),
        cmocka_unit_test(test_naive_counts),
        cmocka_unit_test(test_optimised_counts),
        cmocka_unit_test(test_counts_are_the_programs),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, open_machines, close_machines);
}
