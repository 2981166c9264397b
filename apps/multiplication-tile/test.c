/* SPDX-License-Identifier: Apache-2.0 */
/* Multiplication in tiles against FLINT and by evaluation, and its counts against their closed forms. */
#include "products.h"

static mmm_job *job_of(int64_t n, int64_t m, int64_t s, int64_t l, int64_t g, int64_t p)
{
    mmm_job *job;
    assert_ok(mmm_job_new("multiplication-tile", &job));
    assert_ok(mmm_job_set(job, "n", n));
    assert_ok(mmm_job_set(job, "m", m));
    assert_ok(mmm_job_set(job, "s", s));
    assert_ok(mmm_job_set(job, "l", l));
    assert_ok(mmm_job_set(job, "g", g));
    assert_ok(mmm_job_set(job, "p", p));
    return job;
}

/* Sizes that nothing divides, either operand the larger one. */
static void check_sizes(mmm_machine *machine, uint64_t seed, int rounds, int64_t terms)
{
    mmm_random random = {seed};
    for (int i = 0; i < PRIMES; i++)
        for (int64_t s = 1; s <= 300; s = s < 8 ? s + 3 : s + s / 2)
            for (int round = 0; round < rounds; round++) {
                mmm_job *job = job_of(draw(&random, 1, terms), draw(&random, 1, terms), s, draw(&random, 1, 20),
                                      draw(&random, 1, 4), (int64_t)primes[i]);
                run_checked(job, machine);
                mmm_job_free(job);
            }
    mmm_machine_free(machine);
}

static void test_on_cpu(void **state)
{
    (void)state;
    check_sizes(open_cpu(), 1, 12, 400);
    mmm_machine *machine = open_cpu();
    for (int i = 0; i < PRIMES; i++) {
        mmm_job *job = job_of(1234, 987, 160, 8, 3, (int64_t)primes[i]);
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
        check_sizes(open_abstract(seed), 10 + seed, 2, 60);
}

/* Gives f / R, whose form in arrays is f. */
static void give_montgomery(mmm_job *job, int which, nmod_poly_t f)
{
    mmm_modulus modulus;
    assert_ok(mmm_modulus_read(nmod_poly_modulus(f), &modulus));
    for (int64_t i = 0; i < nmod_poly_length(f); i++)
        nmod_poly_set_coeff_ui(f, i, mmm_modulus_leave(&modulus, nmod_poly_get_coeff_ui(f, i)));
    give(job, which, f);
}

/* Every coefficient p - 1, the largest, or (p - 1) / 2 and (p + 1) / 2, of which operands are the largest: where sums
 * of products have the most to carry, and with either sign. */
static void test_largest_coefficients(void **state)
{
    (void)state;
    mmm_machine *machines[] = {open_cpu(), open_abstract(3)};
    for (int i = 0; i < 2 * PRIMES; i++)
        for (int signs = 0; signs < 5; signs++) {
            mmm_job *job = job_of(1, 1, signs % 2 ? 33 : 300, 8, 2, 2);
            uint64_t p = primes[i % PRIMES];
            nmod_poly_t f, g;
            nmod_poly_init(f, p);
            nmod_poly_init(g, p);
            for (int j = 0; j < 300; j++) {
                nmod_poly_set_coeff_ui(f, j, signs == 4 ? p - 1 : signs & 1 ? (p - 1) / 2 : (p + 1) / 2);
                nmod_poly_set_coeff_ui(g, j, signs == 4 ? p - 1 : signs & 2 ? (p - 1) / 2 : (p + 1) / 2);
            }
            nmod_poly_set_coeff_ui(f, 300, 1); /* for p = 2 half of them are 0 */
            nmod_poly_set_coeff_ui(g, 300, 1);
            give_montgomery(job, 0, f);
            give_montgomery(job, 1, g);
            run_checked(job, machines[i / PRIMES]);
            nmod_poly_clear(f);
            nmod_poly_clear(g);
            mmm_job_free(job);
        }
    mmm_machine_free(machines[0]);
    mmm_machine_free(machines[1]);
}

static mmm_job *any_job(mmm_random *random)
{
    return job_of(1, 1, draw(random, 1, 200), draw(random, 1, 64), draw(random, 1, 3), 2);
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

/* One row, s = m: nothing to add.  formulas.txt has the forms for more rows, and a test of its own compares them. */
static void test_counts_of_one_row(void **state)
{
    (void)state;
    for (int64_t l = 2; l <= 8; l *= 2)
        for (int64_t g = 1; g <= 2; g++)
            for (int64_t k = 1; k <= 3; k++) {
                int64_t block = 8 * l * g, s = k * block, n = (k + 2) * block;
                double U = mmm_parameters_builtin()->U;
                mmm_job *job = job_of(n, s, s, l, g, l == 4 ? 9223372036854775783 : 2013265921);
                assert_counts(job, (expected){.W = 2 * s * (n + 8 * l),
                                              .S = 16 * s * g,
                                              .S_thread = 16 * s * g,
                                              .O = 2 * (n + 2 * s + n * s / block) / l,
                                              .N = (n + s) / block,
                                              .L = 1,
                                              .K = (n + s) / block,
                                              .C = (double)(16 * s * g) + U * (double)(16 * g + 2 * s / l)});
                mmm_job_free(job);
            }
}

static void test_too_large(void **state)
{
    (void)state;
    mmm_job *job = job_of(1 << 28, 1 << 28, 1, 256, 1, 2013265921);
    assert_fails(mmm_job_prepare(job), MMM_TOO_LARGE, "268435456 rows of 268435456 words");
    assert_null(mmm_job_program(job));
    mmm_job_free(job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_on_cpu),     cmocka_unit_test(test_no_violation),
        cmocka_unit_test(test_zero),       cmocka_unit_test(test_largest_coefficients),
        cmocka_unit_test(test_evaluation), cmocka_unit_test(test_counts_of_one_row),
        cmocka_unit_test(test_too_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
