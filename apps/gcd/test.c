/* SPDX-License-Identifier: Apache-2.0 */
/* The Euclidean algorithm (section 6) against FLINT, by identities, and its counts against the paper's. */
#include "pairs.h"

static void check_kinds(const char *app, const char *size, const int64_t *sizes, mmm_machine *machine, uint64_t seed,
                        int rounds, int64_t terms)
{
    mmm_random random = {seed};
    mmm_job *job;
    assert_ok(mmm_job_new(app, &job));
    for (int i = 0; sizes[i]; i++) {
        assert_ok(mmm_job_set(job, size, sizes[i]));
        check_pairs(job, machine, &random, rounds, terms);
    }
    mmm_job_free(job);
    mmm_machine_free(machine);
}

static void test_optimised_on_cpu(void **state)
{
    (void)state;
    check_kinds("gcd", "s", (const int64_t[]){1, 2, 3, 4, 7, 16, 64, 0}, open_cpu(), 1, 3, 100);
}

static void test_naive_on_cpu(void **state)
{
    (void)state;
    check_kinds("gcd-naive", "l", (const int64_t[]){1, 5, 32, 0}, open_cpu(), 2, 2, 60);
}

static void test_optimised_has_no_violation(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++)
        check_kinds("gcd", "s", (const int64_t[]){1, 2, 3, 5, 8, 16, 0}, open_abstract(seed), 10 + seed, 1, 60);
}

static void test_naive_has_no_violation(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++)
        check_kinds("gcd-naive", "l", (const int64_t[]){1, 2, 5, 16, 0}, open_abstract(seed), 20 + seed, 1, 40);
}

static void test_larger_on_cpu(void **state)
{
    (void)state;
    check_kinds("gcd", "s", (const int64_t[]){32, 128, 0}, open_cpu(), 5, 1, 1500);
}

/* gcd(f g, f h) is a multiple of f; random g and h are coprime for a large p. */
static void test_common_factor(void **state)
{
    (void)state;
    mmm_random random = {31};
    mmm_machine *machine = open_cpu();
    mmm_job *job;
    nmod_poly_t f, g, h;
    assert_ok(mmm_job_new("gcd", &job));
    assert_ok(mmm_job_set(job, "s", 8));
    for (int i = 0; i < 4 * PRIMES; i++) {
        nmod_poly_init(f, primes[i % PRIMES]);
        nmod_poly_init(g, primes[i % PRIMES]);
        nmod_poly_init(h, primes[i % PRIMES]);
        random_polynomial(&random, f, draw(&random, 1, 50));
        random_polynomial(&random, g, draw(&random, 1, 80));
        random_polynomial(&random, h, draw(&random, 1, 80));
        nmod_poly_mul(g, f, g);
        nmod_poly_mul(h, f, h);
        give(job, 0, g);
        give(job, 1, h);
        run_checked(job, machine);
        take(job, g);
        nmod_poly_rem(h, g, f);
        assert_true(nmod_poly_is_zero(h));
        if (primes[i % PRIMES] > 1000) assert_int_equal(nmod_poly_degree(g), nmod_poly_degree(f));
        nmod_poly_clear(f);
        nmod_poly_clear(g);
        nmod_poly_clear(h);
    }
    mmm_job_free(job);
    mmm_machine_free(machine);
}

static mmm_job *job_of(const char *app, int64_t n, int64_t m, const char *size, int64_t value, int64_t p)
{
    mmm_job *job;
    assert_ok(mmm_job_new(app, &job));
    assert_ok(mmm_job_set(job, "n", n));
    assert_ok(mmm_job_set(job, "m", m));
    assert_ok(mmm_job_set(job, size, value));
    assert_ok(mmm_job_set(job, "p", p));
    return job;
}

/* The paper has W = m (2 n l + n + l - 1) / l, S = 3 (n + m - 2), O = 5 m (n + l + 1) / l words, N = m (n + l + 1) / l,
 * L = n + m - 2, C = 3 + 5 U.  S and L are these; docs/paper.md tells why the others differ. */
static void test_naive_counts(void **state)
{
    (void)state;
    double U = mmm_parameters_builtin()->U;
    for (int64_t l = 1; l <= 16; l *= 2)
        for (int64_t m = l; m <= 4 * l; m += l)
            for (int64_t n = m; n <= m + 9; n += 3) {
                if (n + m == 2) continue; /* no kernel at all */
                mmm_job *job = job_of("gcd-naive", n, m, "l", l, 2013265921);
                int64_t N = m * (n + l - 1) / l - 1;
                assert_counts(job, (expected){.W = m * (2 * n * l + n + l - 1) / l - 3,
                                              .S = 3 * (n + m - 2),
                                              .S_thread = 3 * (n + m - 2),
                                              .O = 6 * N,
                                              .N = N,
                                              .L = n + m - 2,
                                              .K = m / l,
                                              .C = 3 + 6 * U});
                mmm_job_free(job);
            }
}

/* The paper has S = 3 (n + m), L = (n + m) / s, N = m n / s^2 + m / s, O = 8 N words, C = 3 s + 8 U, and a W of which
 * docs/paper.md tells more.  S and L are these, and N for n = m. */
static void test_optimised_counts(void **state)
{
    (void)state;
    double U = mmm_parameters_builtin()->U;
    const int64_t moduli[] = {2013265921, 9223372036854775783};
    for (int64_t s = 3; s <= 16; s += s < 5 ? 1 : 3)
        for (int64_t b = 1; b <= 6; b++)
            for (int64_t more = 0; more <= 3; more++) {
                int64_t m = b * s, n = m + more * s, divisions = more * ((b + 1) / 2), N = b * b + b;
                mmm_job *job = job_of("gcd", n, m, "s", s, moduli[(b + more) % 2]);
                assert_counts(job, (expected){.W = 3 * s * (5 * s - 1) / 2 * N + 5 * s * s * divisions,
                                              .S = 3 * (n + m),
                                              .S_thread = 6 * m + 2 * (n - m),
                                              .O = 5 * N - 2 * b + 1 + 4 * divisions,
                                              .N = N + divisions,
                                              .L = (n + m) / s,
                                              .K = b,
                                              .C = 3 * (double)s + 5 * U});
                mmm_job_free(job);
            }
}

/* The counts do not depend on which operand is the larger one. */
static void test_counts_of_swapped_operands(void **state)
{
    (void)state;
    mmm_job *job = job_of("gcd", 24, 40, "s", 8, 2013265921);
    assert_counts(job, (expected){.W = 3 * 8 * 39 / 2 * 12 + 5 * 64 * 4,
                                  .S = 3 * 64,
                                  .S_thread = 6 * 24 + 2 * 16,
                                  .O = 60 - 6 + 1 + 16,
                                  .N = 16,
                                  .L = 8,
                                  .K = 3,
                                  .C = 24 + 5 * mmm_parameters_builtin()->U});
    mmm_job_free(job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_optimised_on_cpu),
        cmocka_unit_test(test_naive_on_cpu),
        cmocka_unit_test(test_optimised_has_no_violation),
        cmocka_unit_test(test_naive_has_no_violation),
        cmocka_unit_test(test_larger_on_cpu),
        cmocka_unit_test(test_common_factor),
        cmocka_unit_test(test_naive_counts),
        cmocka_unit_test(test_optimised_counts),
        cmocka_unit_test(test_counts_of_swapped_operands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
