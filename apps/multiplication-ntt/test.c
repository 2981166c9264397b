/* SPDX-License-Identifier: Apache-2.0 */
/* Products by transforms against FLINT: any lengths, any primes, squares, slices. */
#include "products.h"

/* Besides the primes of all tests: some with roots of unity, few or many. */
static const uint64_t rooted[] = {12289, 65537, 998244353, 469762049, 2113929217, 1152921504204193793u};
enum { ROOTED = sizeof rooted / sizeof *rooted };

static uint64_t prime_of(int i)
{
    return i < PRIMES ? primes[i] : rooted[i - PRIMES];
}

typedef struct shape {
    int64_t n, m, s, c, large;
} shape;

static mmm_job *job_of(shape x, uint64_t p, bool square)
{
    mmm_job *job;
    assert_ok(mmm_job_new("multiplication-ntt", &job));
    assert_ok(mmm_job_set(job, "n", x.n));
    assert_ok(mmm_job_set(job, "m", square ? x.n : x.m));
    assert_ok(mmm_job_set(job, "s", x.s));
    assert_ok(mmm_job_set(job, "c", x.c));
    assert_ok(mmm_job_set(job, "square", square));
    assert_ok(mmm_job_set(job, "large", x.large));
    assert_ok(mmm_job_set(job, "p", (int64_t)p));
    return job;
}

static shape draw_shape(mmm_random *random, int64_t terms)
{
    return (shape){draw(random, 1, terms), draw(random, 1, terms), draw(random, 1, 12),
                   (int64_t)1 << draw(random, 0, 6), draw(random, 0, 1)};
}

static void check_sizes(mmm_machine *machine, uint64_t seed, int rounds, int64_t terms)
{
    mmm_random random = {seed};
    for (int i = 0; i < PRIMES + ROOTED; i++)
        for (int round = 0; round < rounds; round++) {
            mmm_job *job = job_of(draw_shape(&random, terms), prime_of(i), round % 3 == 2);
            run_checked(job, machine);
            mmm_job_free(job);
        }
    mmm_machine_free(machine);
}

static void test_on_cpu(void **state)
{
    (void)state;
    check_sizes(open_cpu(), 1, 30, 3000);
    check_sizes(open_cpu(), 2, 3, 40000);
}

static void test_no_violation(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 2; seed++)
        check_sizes(open_abstract(seed), 10 + seed, 2, 1200);
    mmm_machine *machine;
    mmm_parameters large = *mmm_parameters_builtin();
    large.Z = 1 << 17;
    assert_ok(mmm_machine_open_abstract(&large, 5, &machine));
    const shape shapes[] = {{6000, 5000, 4, 16, 0},   {6000, 5000, 4, 64, 0}, {14000, 13000, 4, 64, 0},
                            {30000, 30000, 5, 64, 0}, {6000, 5000, 4, 16, 1}, {14000, 13000, 4, 64, 1}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) { /* columns and rows, residues with columns */
        mmm_job *job = job_of(shapes[i], i == 2 || i > 3 ? 1152921504606846883u : 2013265921, false);
        run_checked(job, machine);
        mmm_job_free(job);
    }
    mmm_machine_free(machine);
}

/* Residues in two shares, of four, six and eight, modulo one prime, two and three: what one share writes the other must
 * not touch before the last kernel. */
static void test_shares(void **state)
{
    (void)state;
    const shape shapes[] = {{1100, 1000, 8, 64, 0}, {3000, 2900, 8, 64, 0}, {4000, 4000, 8, 64, 1},
                            {3000, 2900, 4, 64, 0}, {2500, 2500, 8, 64, 0}, {4000, 4000, 4, 64, 1}};
    const uint64_t moduli[] = {2013265921, 12289, 1152921504606846883u};
    mmm_machine *machines[] = {open_cpu(), NULL};
    mmm_parameters large = *mmm_parameters_builtin();
    large.Z = 1 << 17;
    assert_ok(mmm_machine_open_abstract(&large, 7, &machines[1]));
    for (size_t i = 0; i < 2 * 3 * sizeof shapes / sizeof *shapes; i++) {
        mmm_job *job = job_of(shapes[i / 6], moduli[i / 2 % 3], i / 2 % 3 == 1);
        run_checked(job, machines[i % 2]);
        mmm_job_free(job);
    }
    mmm_machine_free(machines[0]);
    mmm_machine_free(machines[1]);
}

/* Residues and one to seven levels of columns in one kernel, operands of 4 and of 8 pieces. */
static void test_columns_at_once(void **state)
{
    (void)state;
    mmm_machine *machine = open_cpu();
    for (int levels = 1; levels <= 7; levels++)
        for (int i = 0; i < 6; i++) {
            const int64_t words = (int64_t)1 << (11 + levels), n[] = {words / 2, words / 8 * 5, words / 3};
            const int64_t a = n[i % 3], b = i % 3 < 2 ? words - a : a - 100;
            const shape x = {a, b, levels < 4 ? 4 : levels, 64, i / 3};
            mmm_job *job = job_of(x, primes[PRIMES - 1 - (levels + i) % 3], false);
            run_checked(job, machine);
            mmm_job_free(job);
        }
    mmm_machine_free(machine);
}

/* Lengths around those at which the transform grows: from 4 to 8 pieces of 64, 128, 256 ... words. */
static void test_lengths(void **state)
{
    (void)state;
    mmm_machine *machine = open_cpu();
    for (int64_t size = 64; size <= 1024; size *= 2)
        for (int64_t pieces = 1; pieces <= 8; pieces++)
            for (int64_t more = -1; more <= 1; more++) {
                int64_t length = size * pieces + more;
                const shape x = {length - length / 2 + 1, length / 2, 8, 16, 0}, large = {x.n, x.m, 8, 16, 1};
                mmm_job *jobs[] = {job_of(x, prime_of((int)(pieces % 3 + 3)), false),
                                   job_of(large, 1152921504606846883u, false)};
                for (int i = 0; i < 2; i++) {
                    run_checked(jobs[i], machine);
                    mmm_job_free(jobs[i]);
                }
            }
    mmm_machine_free(machine);
}

/* Every coefficient as large as it can be, where the sums of products are. */
static void test_largest_coefficients(void **state)
{
    (void)state;
    mmm_machine *machines[] = {open_cpu(), open_abstract(3)};
    for (int i = 0; i < 4 * (PRIMES + ROOTED); i++) {
        const int all = PRIMES + ROOTED, large = i / (2 * all), counted = i / all % 2, terms = counted ? 600 : 5000;
        mmm_job *job = job_of((shape){1, 1, 8, 16, large}, 2, false);
        nmod_poly_t f;
        nmod_poly_init(f, prime_of(i % all));
        for (int j = 0; j < terms; j++)
            nmod_poly_set_coeff_ui(f, j, nmod_poly_modulus(f) - 1);
        give(job, 0, f);
        give(job, 1, f);
        run_checked(job, machines[counted]);
        nmod_poly_clear(f);
        mmm_job_free(job);
    }
    mmm_machine_free(machines[0]);
    mmm_machine_free(machines[1]);
}

/* One operand much longer: slices of it. */
static void test_slices(void **state)
{
    (void)state;
    mmm_machine *machines[] = {open_cpu(), open_abstract(3)};
    mmm_random random = {4};
    for (int i = 0; i < 4 * (PRIMES + ROOTED); i++) {
        bool counted = i >= 3 * (PRIMES + ROOTED);
        int64_t n = draw(&random, 1000, counted ? 4000 : 60000), m = draw(&random, 1, n / (counted ? 4 : 20));
        shape x = {i % 2 ? n : m, i % 2 ? m : n, 8, 16, draw(&random, 0, 1)};
        mmm_job *job = job_of(x, prime_of(i % (PRIMES + ROOTED)), false);
        run_checked(job, machines[counted]);
        run_checked(job, machines[counted]); /* again: sums begin anew */
        mmm_job_free(job);
    }
    mmm_machine_free(machines[0]);
    mmm_machine_free(machines[1]);
}

static mmm_job *any_job(mmm_random *random)
{
    return job_of(draw_shape(random, 1), 101, false);
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

/* A square of two polynomials that are not the same. */
static void test_refused(void **state)
{
    (void)state;
    mmm_machine *machine = open_cpu();
    const uint64_t a[] = {1, 2, 3}, b[] = {1, 2, 4};
    mmm_job *job = job_of((shape){3, 3, 8, 16, 0}, 101, true);
    assert_ok(mmm_job_polynomial(job, 0, 101, a, 3));
    assert_ok(mmm_job_polynomial(job, 1, 101, b, 3));
    assert_fails(mmm_job_run(job, machine, NULL), MMM_INVALID, "square=1, but b is not a");
    mmm_job_free(job);
    mmm_machine_free(machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_on_cpu),          cmocka_unit_test(test_no_violation),
        cmocka_unit_test(test_columns_at_once), cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_slices),          cmocka_unit_test(test_zero),
        cmocka_unit_test(test_evaluation),      cmocka_unit_test(test_largest_coefficients),
        cmocka_unit_test(test_refused),         cmocka_unit_test(test_shares),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
