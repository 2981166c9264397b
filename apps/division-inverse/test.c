/* SPDX-License-Identifier: Apache-2.0 */
/* Division by the inverse series: equal to FLINT on every machine, and its counts against their closed forms. */
#include "divisions.h"

static void divide(int64_t s, int64_t w, int64_t l, int64_t g, uint64_t p, const uint64_t *a, int64_t n,
                   const uint64_t *b, int64_t m)
{
    mmm_job *job;
    assert_ok(mmm_job_new("division-inverse", &job));
    assert_ok(mmm_job_set(job, "s", s));
    assert_ok(mmm_job_set(job, "w", w));
    assert_ok(mmm_job_set(job, "l", l));
    assert_ok(mmm_job_set(job, "g", g));
    assert_ok(mmm_job_polynomial(job, 0, p, a, n));
    assert_ok(mmm_job_polynomial(job, 1, p, b, m));
    check_job(job);
    mmm_job_free(job);
}

/* Rows of one, of few and of all words, tiles narrow and wide. */
static void divide_all(int64_t s, uint64_t p, const uint64_t *a, int64_t n, const uint64_t *b, int64_t m)
{
    divide(s, 1 + s / 3, 1 + s % 5, 1 + s % 2, p, a, n, b, m);
    divide(s, 1000, 8, 2, p, a, n, b, m);
}

/* Inverses of many terms, by several steps of Newton's iteration; and divisors of one and two terms. */
static void test_many_levels(void **state)
{
    mmm_random random = {9};
    (void)state;
    for (int round = 0; round < 3 * PRIMES; round++) {
        enum { N = 1100 };
        uint64_t p = primes[round % PRIMES], a[N], b[N];
        int64_t m = round / PRIMES ? round / PRIMES : draw(&random, 300, 600);
        for (int i = 0; i < N; i++) {
            a[i] = mmm_random_below(&random, p);
            b[i] = mmm_random_below(&random, p);
        }
        b[m - 1] = 1 + mmm_random_below(&random, p - 1);
        divide(draw(&random, 129, N), draw(&random, 60, 300), 8, 1, p, a, N, b, m);
    }
}

/* Few quotients, odd and even in number, by few terms: one kernel, and where it ends. */
static void test_few(void **state)
{
    static const int64_t counts[] = {1, 2, 65, 71, 72, 73}, terms[] = {1, 2, 17, 18, 97, 98, 193, 194};
    mmm_random random = {11};
    uint64_t a[300], b[200];
    (void)state;
    for (int round = 0; round < 48; round++) {
        const int64_t m = terms[round / 6], n = counts[round % 6] + m - 1;
        const uint64_t p = primes[round % PRIMES];
        for (int i = 0; i < 300; i++)
            a[i] = mmm_random_below(&random, p);
        for (int i = 0; i < 200; i++)
            b[i] = mmm_random_below(&random, p);
        a[n - 1] = b[m - 1] = 1 + mmm_random_below(&random, p - 1);
        divide(256, 64, 8, 1, p, a, n, b, m);
    }
}

static void test_counts_are_the_programs(void **state)
{
    (void)state;
    check_counts("division-inverse");
}

static void test_errors(void **state)
{
    mmm_job *job;
    (void)state;
    assert_fails(mmm_job_new("division-invers", &job), MMM_INVALID, "division-inverse");
    check_errors("division-inverse", "n, m, s, w, l, g, p, seed");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_hostile),
        cmocka_unit_test(test_many_levels),
        cmocka_unit_test(test_few),
        cmocka_unit_test(test_counts_are_the_programs),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, open_machines, close_machines);
}
