/* SPDX-License-Identifier: Apache-2.0 */
/* Plain multiplication (section 5) against FLINT, by evaluation, and its counts against the paper's. */
#include "products.h"

static mmm_job *job_of(int64_t n, int64_t m, int64_t s, int64_t l, int64_t p)
{
    mmm_job *job;
    assert_ok(mmm_job_new("multiplication", &job));
    assert_ok(mmm_job_set(job, "n", n));
    assert_ok(mmm_job_set(job, "m", m));
    assert_ok(mmm_job_set(job, "s", s));
    assert_ok(mmm_job_set(job, "l", l));
    assert_ok(mmm_job_set(job, "p", p));
    return job;
}

/* Sizes that nothing divides, either operand the larger one. */
static void check_sizes(mmm_machine *machine, uint64_t seed, int rounds, int64_t terms)
{
    mmm_random random = {seed};
    for (int i = 0; i < PRIMES; i++)
        for (int64_t s = 1; s <= 9; s++)
            for (int round = 0; round < rounds; round++) {
                mmm_job *job = job_of(draw(&random, 1, terms), draw(&random, 1, terms), s, draw(&random, 1, 20),
                                      (int64_t)primes[i]);
                run_checked(job, machine);
                mmm_job_free(job);
            }
    mmm_machine_free(machine);
}

static void test_on_cpu(void **state)
{
    (void)state;
    check_sizes(open_cpu(), 1, 12, 200);
    mmm_machine *machine = open_cpu();
    for (int i = 0; i < PRIMES; i++) {
        mmm_job *job = job_of(1234, 987, 16, 64, (int64_t)primes[i]);
        run_checked(job, machine);
        run_checked(job, machine); /* again: nothing is left over from the first run */
        mmm_job_free(job);
    }
    mmm_machine_free(machine);
}

static void test_no_violation(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++)
        check_sizes(open_abstract(seed), 10 + seed, 3, 40);
}

/* Every coefficient as large as it can be, where sums of products have the most to carry. */
static void test_largest_coefficients(void **state)
{
    (void)state;
    mmm_machine *machines[] = {open_cpu(), open_abstract(3)};
    for (int i = 0; i < 2 * PRIMES; i++) {
        mmm_job *job = job_of(1, 1, 33, 8, 2);
        nmod_poly_t f;
        nmod_poly_init(f, primes[i % PRIMES]);
        for (int j = 0; j < 100; j++)
            nmod_poly_set_coeff_ui(f, j, primes[i % PRIMES] - 1);
        give(job, 0, f);
        give(job, 1, f);
        run_checked(job, machines[i / PRIMES]);
        nmod_poly_clear(f);
        mmm_job_free(job);
    }
    mmm_machine_free(machines[0]);
    mmm_machine_free(machines[1]);
}

static mmm_job *any_job(mmm_random *random)
{
    return job_of(1, 1, draw(random, 1, 12), draw(random, 1, 64), 2);
}

static void test_zero(void **state)
{
    (void)state;
    check_zero(any_job);
}

static void test_evaluation(void **state)
{
    (void)state;
    check_evaluation(any_job);
}

/* The paper has S = 2 s^2 + s log2(m/s) - s, O = (n + s - 1) (5 m s + 2 m - 3 s^2) / (s^2 l) words,
 * N = (n + s - 1) (2 m - s) / (s^2 l), L = log2(m/s) + 1, and they are so; W = (2 m - 1/2) (n + s - 1), which is
 * (2 m - 1) (n + s - 1); and C = s (2 s - 1) + 2 U (s + 1), of blocks that multiply: blocks that add can cost more. */
static void test_counts(void **state)
{
    (void)state;
    double U = mmm_parameters_builtin()->U;
    const int64_t moduli[] = {2013265921, 9223372036854775783};
    for (int64_t s = 2; s <= 8; s += 2)
        for (int64_t l = 8; l <= 16; l *= 2)
            for (int64_t log = 0; log <= 4; log++)
                for (int64_t parts = 1; parts <= 3; parts++) {
                    int64_t y = parts * s * l, n = y - s + 1, m = s << log;
                    double multiply = (double)(s * (2 * s - 1)) + 2 * U * (double)(s + 1);
                    double add = log ? (double)s + 3 * U * (double)s : 0;
                    mmm_job *job = job_of(n, m, s, l, moduli[log % 2]);
                    assert_counts(job, (expected){.W = (2 * m - 1) * y,
                                                  .S = 2 * s * s + s * log - s,
                                                  .S_thread = 2 * s * s + s * log - s,
                                                  .O = y * (5 * m * s + 2 * m - 3 * s * s) / (s * s * l),
                                                  .N = y * (2 * m - s) / (s * s * l),
                                                  .L = log + 1,
                                                  .K = y * m / (s * s * l),
                                                  .C = multiply > add ? multiply : add});
                    mmm_job_free(job);
                }
}

/* s = 1, the paper's naive algorithm: no thread reads a word of a beyond its s, so one word less a block and in C. */
static void test_counts_of_one(void **state)
{
    (void)state;
    for (int64_t log = 0; log <= 4; log++) {
        int64_t n = 24, l = 8, m = (int64_t)1 << log, blocks = m * n / l, sums = (m - 1) * n / l;
        mmm_job *job = job_of(n, m, 1, l, 2013265921);
        assert_counts(job, (expected){.W = (2 * m - 1) * n,
                                      .S = 1 + log,
                                      .S_thread = 1 + log,
                                      .O = 3 * blocks + 3 * sums,
                                      .N = blocks + sums,
                                      .L = log + 1,
                                      .K = blocks,
                                      .C = 1 + 3 * mmm_parameters_builtin()->U});
        mmm_job_free(job);
    }
}

static void test_too_large(void **state)
{
    (void)state;
    mmm_job *job = job_of(1 << 28, 1 << 28, 1, 256, 2013265921);
    assert_fails(mmm_job_prepare(job), MMM_TOO_LARGE, "M has 268435456 rows of 268435456 words");
    assert_null(mmm_job_program(job));
    mmm_job_free(job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_on_cpu),     cmocka_unit_test(test_no_violation),
        cmocka_unit_test(test_zero),       cmocka_unit_test(test_largest_coefficients),
        cmocka_unit_test(test_evaluation), cmocka_unit_test(test_counts),
        cmocka_unit_test(test_too_large),  cmocka_unit_test(test_counts_of_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
