/* SPDX-License-Identifier: Apache-2.0 */
/* Division (section 3): equal to FLINT on every machine, and counted as the paper has it. */
#include "divisions.h"

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

static void test_counts_are_the_programs(void **state)
{
    (void)state;
    check_counts("division");
}

static void test_errors(void **state)
{
    mmm_job *job;
    (void)state;
    assert_fails(mmm_job_new("divisoin", &job), MMM_INVALID, "division");
    check_errors("division", "n, m, s, p, seed");
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
