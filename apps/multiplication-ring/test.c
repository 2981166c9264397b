/* SPDX-License-Identifier: Apache-2.0 */
/* Products modulo x^n - 1 and x^n + 1 against FLINT: any prime, batches, words at random and as large as they can be.
 */
#include "machine/machine.h"
#include "products.h"

/* Besides the primes of all tests: those of lattice cryptography, and some with many roots of unity. */
static const uint64_t rooted[] = {3329, 12289, 8380417, 998244353, 2013265921, 1152921504204193793u};
enum { ROOTED = sizeof rooted / sizeof *rooted };

typedef struct shape {
    int64_t n, batch, s, c, large;
} shape;

static mmm_job *job_of(shape x, uint64_t p, bool negative)
{
    mmm_job *job;
    assert_ok(mmm_job_new("multiplication-ring", &job));
    assert_ok(mmm_job_set(job, "n", x.n));
    assert_ok(mmm_job_set(job, "batch", x.batch));
    assert_ok(mmm_job_set(job, "s", x.s));
    assert_ok(mmm_job_set(job, "c", x.c));
    assert_ok(mmm_job_set(job, "large", x.large));
    assert_ok(mmm_job_set(job, "p", (int64_t)p));
    assert_ok(mmm_job_set(job, "negacyclic", negative));
    return job;
}

/* The product of the polynomials of n words at a and b is that at f. */
static void assert_product(const uint64_t *a, const uint64_t *b, const uint64_t *f, int64_t n, uint64_t p,
                           bool negative)
{
    nmod_poly_t x, y;
    nmod_poly_init(x, p);
    nmod_poly_init(y, p);
    for (int64_t i = n - 1; i >= 0; i--) {
        nmod_poly_set_coeff_ui(x, i, a[i]);
        nmod_poly_set_coeff_ui(y, i, b[i]);
    }
    nmod_poly_mul(x, x, y);
    for (int64_t i = 0; i < n; i++) {
        uint64_t low = nmod_poly_get_coeff_ui(x, i), high = nmod_poly_get_coeff_ui(x, i + n);
        uint64_t wanted = negative ? n_submod(low, high, p) : n_addmod(low, high, p);
        if (f[i] != wanted)
            fail_msg("p=%llu n=%lld negacyclic=%d: coefficient %lld is %llu, FLINT's %llu", (unsigned long long)p,
                     (long long)n, negative, (long long)i, (unsigned long long)f[i], (unsigned long long)wanted);
    }
    nmod_poly_clear(x);
    nmod_poly_clear(y);
}

/* FLINT sees every coefficient; up to so many words the application's own check, a plain loop, sees them too. */
enum { CHECKED_MOST = 1024 };

static void check(mmm_machine *machine, mmm_random *random, shape x, uint64_t p, bool negative, bool largest)
{
    int64_t count = x.n * x.batch, found, lengths[] = {x.batch, x.n};
    uint64_t *a = malloc((size_t)(2 * count) * sizeof *a), *b = a + count;
    assert_non_null(a);
    for (int64_t i = 0; i < 2 * count; i++)
        a[i] = largest ? p - 1 : mmm_random_below(random, p);
    mmm_job *job = job_of(x, p, negative);
    assert_ok(mmm_job_give(job, 0, a, lengths, 2));
    assert_ok(mmm_job_give(job, 1, b, lengths, 2));
    if (x.n <= CHECKED_MOST || machine->type == &mmm_machine_abstract)
        run_checked(job, machine);
    else
        assert_ok(mmm_job_run(job, machine, NULL));
    const uint64_t *f = mmm_job_result(job, 0, &found);
    assert_int_equal(found, count);
    for (int64_t i = 0; i < count; i += x.n)
        assert_product(a + i, b + i, f + i, x.n, p, negative);
    mmm_job_free(job);
    free(a);
}

static void check_all(mmm_machine *machine, uint64_t seed, int most)
{
    mmm_random random = {seed};
    for (int i = 0; i < PRIMES + ROOTED; i++) {
        const uint64_t p = i < PRIMES ? primes[i] : rooted[i - PRIMES];
        for (int k = 0; k <= most; k++)
            for (int kind = 0; kind < (p >> 32 ? 8 : 4); kind++) {
                shape x = {(int64_t)1 << k, draw(&random, 1, 4), draw(&random, 1, 12),
                           (int64_t)1 << draw(&random, 0, 6), kind / 4};
                check(machine, &random, x, p, kind & 1, kind & 2);
            }
    }
    mmm_machine_free(machine);
}

static void test_on_cpu(void **state)
{
    (void)state;
    check_all(open_cpu(), 1, 13);
}

static void test_no_violation(void **state)
{
    (void)state;
    check_all(open_abstract(2), 2, 9);
    mmm_machine *machine = open_abstract(3);
    mmm_random random = {3};
    for (int negative = 0; negative < 2; negative++) /* columns and rows */
        check(machine, &random, (shape){8192, 2, 5, 16, 0}, 2013265921, negative, false);
    int64_t operations[2];
    for (int large = 0; large < 2; large++) { /* three primes instead of five */
        check(machine, &random, (shape){256, 1, 8, 16, large}, 1152921504606846883u, true, false);
        operations[large] = mmm_machine_counts(machine)->arithmetic;
    }
    assert_true(operations[1] < operations[0]);
    mmm_machine_free(machine);
}

/* The plain loop of the application where it skips some coefficients. */
static void test_check(void **state)
{
    (void)state;
    mmm_machine *machine = open_cpu();
    mmm_job *job = job_of((shape){1 << 14, 1, 8, 16, 0}, 12289, true);
    run_checked(job, machine);
    mmm_job_free(job);
    mmm_machine_free(machine);
}

static void test_refused(void **state)
{
    (void)state;
    mmm_job *job = job_of((shape){12, 1, 8, 16, 0}, 97, false);
    assert_fails(mmm_job_prepare(job), MMM_INVALID, "is_power_of_2(n)");
    mmm_job_free(job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_on_cpu),
        cmocka_unit_test(test_no_violation),
        cmocka_unit_test(test_check),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
