/* SPDX-License-Identifier: Apache-2.0 */
/* The number-theoretic transform: against its definition, back again, linear, and products of values are those of
 * cyclic convolutions; on the CPU and on the abstract machine. */
#include "jobs.h"

#include <stdlib.h>

/* Primes with 2^17 dividing p - 1, of both word sizes, the largest of each size nearly; and small ones. */
static const uint64_t moduli[] = {2013265921, 469762049, 2147352577, 1152921504204193793u, 9223372036836950017u};
enum { MODULI = sizeof moduli / sizeof *moduli };

typedef struct shape {
    int64_t n, batch, s, m, w; /* w = 0: as it is when nobody says */
} shape;

static mmm_job *job_of(shape x, uint64_t p, bool inverse, bool ordered)
{
    mmm_job *job;
    assert_ok(mmm_job_new("ntt", &job));
    assert_ok(mmm_job_set(job, "n", x.n));
    assert_ok(mmm_job_set(job, "batch", x.batch));
    assert_ok(mmm_job_set(job, "s", x.s));
    assert_ok(mmm_job_set(job, "m", x.m));
    if (x.w) assert_ok(mmm_job_set(job, "w", x.w));
    assert_ok(mmm_job_set(job, "p", (int64_t)p));
    assert_ok(mmm_job_set(job, "inverse", inverse));
    assert_ok(mmm_job_set(job, "ordered", ordered));
    return job;
}

/* Every size, batches, every s, shape of a block and number of words of a thread, all four kinds, by the definition. */
static void check_definition(mmm_machine *machine, uint64_t seed, int rounds, int64_t k)
{
    mmm_random random = {seed};
    for (int64_t i = 0; i <= k; i++)
        for (int kind = 0; kind < 4; kind++)
            for (int round = 0; round < rounds; round++) {
                shape x = {(int64_t)1 << i, draw(&random, 1, 3), draw(&random, 1, 13),
                           (int64_t)1 << draw(&random, 4, 12), (int64_t)1 << draw(&random, 2, 4)};
                mmm_job *job = job_of(x, moduli[(i + round) % MODULI], kind & 1, kind & 2);
                run_checked(job, machine);
                mmm_job_free(job);
            }
    mmm_machine_free(machine);
}

static void test_definition(void **state)
{
    (void)state;
    check_definition(open_cpu(), 1, 5, 11);
    for (uint64_t seed = 2; seed <= 3; seed++)
        check_definition(open_abstract(seed), seed, 2, 10);
}

/* Small primes have few roots of unity; for p = 2 there is only the one of order 1. */
static void test_small_primes(void **state)
{
    (void)state;
    mmm_machine *machines[] = {open_cpu(), open_abstract(3)};
    static const int64_t cases[][2] = {{2, 1}, {3, 2}, {5, 4}, {17, 16}, {257, 256}, {65537, 4096}, {12289, 4096}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int kind = 0; kind < 4; kind++)
            for (int m = 0; m < 2; m++) {
                mmm_job *job = job_of((shape){cases[i][1], 2, 5, 256, 0}, (uint64_t)cases[i][0], kind & 1, kind & 2);
                run_checked(job, machines[m]);
                mmm_job_free(job);
            }
    mmm_machine_free(machines[0]);
    mmm_machine_free(machines[1]);
}

/* The transform of given words; the result is the caller's. */
static uint64_t *transform(mmm_machine *machine, const uint64_t *a, shape x, uint64_t p, bool inverse, bool ordered)
{
    mmm_job *job = job_of(x, p, inverse, ordered);
    int64_t count, lengths[] = {x.batch, x.n};
    assert_ok(mmm_job_give(job, 0, a, lengths, 2));
    assert_ok(mmm_job_run(job, machine, NULL));
    const uint64_t *result = mmm_job_result(job, 0, &count);
    assert_non_null(result);
    assert_int_equal(count, x.n * x.batch);
    uint64_t *copy = malloc((size_t)count * sizeof *copy);
    assert_non_null(copy);
    memcpy(copy, result, (size_t)count * sizeof *copy);
    mmm_job_free(job);
    return copy;
}

static uint64_t product(uint64_t x, uint64_t y, uint64_t p)
{
    return (uint64_t)((unsigned __int128)x * y % p);
}

/* Words as large as they can be and words at random, there and back, with another s and c. */
static void test_back(void **state)
{
    (void)state;
    mmm_machine *machine = open_cpu();
    mmm_random random = {5};
    for (int64_t k = 0; k <= 17; k++)
        for (int i = 0; i < 4 * MODULI; i++) {
            uint64_t p = moduli[i % MODULI];
            bool ordered = i / MODULI % 2, largest = i / MODULI / 2;
            shape x = {(int64_t)1 << k, 2, draw(&random, 1, 13), 4096, (int64_t)1 << draw(&random, 2, 4)};
            shape y = {x.n, x.batch, draw(&random, 1, 13), 1024, (int64_t)1 << draw(&random, 2, 4)};
            uint64_t *a = malloc((size_t)(2 * x.n) * sizeof *a);
            assert_non_null(a);
            for (int64_t j = 0; j < 2 * x.n; j++)
                a[j] = largest ? p - 1 : mmm_random_below(&random, p);
            uint64_t *f = transform(machine, a, x, p, false, ordered), *b = transform(machine, f, y, p, true, ordered);
            assert_memory_equal(a, b, (size_t)(2 * x.n) * sizeof *a);
            free(a);
            free(f);
            free(b);
        }
    mmm_machine_free(machine);
}

/* f(a + r b) = f(a) + r f(b). */
static void test_linear(void **state)
{
    (void)state;
    mmm_machine *machine = open_cpu();
    mmm_random random = {6};
    for (int i = 0; i < 3 * MODULI; i++) {
        uint64_t p = moduli[i % MODULI], r = mmm_random_below(&random, p);
        shape x = {(int64_t)1 << draw(&random, 0, 14), 1, draw(&random, 4, 9), 2048, 0};
        uint64_t *a = malloc((size_t)(3 * x.n) * sizeof *a), *b = a + x.n, *sum = b + x.n;
        assert_non_null(a);
        for (int64_t j = 0; j < x.n; j++) {
            a[j] = mmm_random_below(&random, p);
            b[j] = mmm_random_below(&random, p);
            sum[j] = (uint64_t)(((unsigned __int128)r * b[j] + a[j]) % p);
        }
        uint64_t *f = transform(machine, a, x, p, false, false), *g = transform(machine, b, x, p, false, false);
        uint64_t *h = transform(machine, sum, x, p, false, false);
        for (int64_t j = 0; j < x.n; j++)
            assert_true(h[j] == (uint64_t)(((unsigned __int128)r * g[j] + f[j]) % p));
        free(a);
        free(f);
        free(g);
        free(h);
    }
    mmm_machine_free(machine);
}

/* Products of values are the values of the product modulo x^n - 1. */
static void test_convolution(void **state)
{
    (void)state;
    mmm_machine *machine = open_cpu();
    mmm_random random = {7};
    for (int i = 0; i < 3 * MODULI; i++) {
        uint64_t p = moduli[i % MODULI];
        shape x = {(int64_t)1 << draw(&random, 0, 10), 1, draw(&random, 4, 9), 2048, 0};
        uint64_t *a = calloc((size_t)(3 * x.n), sizeof *a), *b = a + x.n, *c = b + x.n;
        assert_non_null(a);
        for (int64_t j = 0; j < x.n; j++) {
            a[j] = mmm_random_below(&random, p);
            b[j] = mmm_random_below(&random, p);
        }
        for (int64_t j = 0; j < x.n; j++)
            for (int64_t k = 0; k < x.n; k++) {
                uint64_t *sum = &c[(j + k) % x.n];
                *sum = (uint64_t)(((unsigned __int128)a[j] * b[k] + *sum) % p);
            }
        uint64_t *f = transform(machine, a, x, p, false, false), *g = transform(machine, b, x, p, false, false);
        for (int64_t j = 0; j < x.n; j++)
            f[j] = product(f[j], g[j], p);
        uint64_t *d = transform(machine, f, x, p, true, false);
        assert_memory_equal(c, d, (size_t)x.n * sizeof *c);
        free(a);
        free(f);
        free(g);
        free(d);
    }
    mmm_machine_free(machine);
}

static void test_refused(void **state)
{
    (void)state;
    const uint64_t large[] = {1, 2, 97, 3};
    const int64_t lengths[] = {1, 4};
    mmm_job *job = job_of((shape){4, 1, 8, 1024, 0}, 97, false, false);
    assert_ok(mmm_job_give(job, 0, large, lengths, 2));
    assert_fails(mmm_job_prepare(job), MMM_INVALID, "number 2, 97, is not below the modulus 97");
    mmm_job_free(job);
    job = job_of((shape){64, 1, 8, 1024, 0}, 97, false, false);
    assert_fails(mmm_job_prepare(job), MMM_INVALID, "n=64 does not divide p - 1 = 96");
    mmm_job_free(job);
    job = job_of((shape){12, 1, 8, 1024, 0}, 97, false, false);
    assert_fails(mmm_job_prepare(job), MMM_INVALID, "is_power_of_2(n)");
    mmm_job_free(job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_definition), cmocka_unit_test(test_small_primes), cmocka_unit_test(test_back),
        cmocka_unit_test(test_linear),     cmocka_unit_test(test_convolution),  cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
