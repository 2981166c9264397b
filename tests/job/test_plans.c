/* SPDX-License-Identifier: Apache-2.0 */
/* Plans and batches: run with other data, of other shapes, forgotten and made again, by several threads; batches are as
 * many single calls, and for the abstract machine one program with so many times the blocks. */
#include "calls.h"
#include "machines.h"

#include "job/plan.h"
#include "mmm/model.h"
#include "mmm/study.h"

#include <pthread.h>

enum { MOST = 80, BATCH = 7 };

static const uint64_t primes[] = {2, 2013265921, 9223372036854775783u};

/* Three plans of the same sizes, in turns, with other data each time; outputs over inputs too. */
static void test_data(void **state)
{
    mmm_random random = {3};
    (void)state;
    for (int i = 0; i < machine_count; i++)
        for (int j = 0; j < 3; j++) {
            uint64_t p = primes[j], a[MOST], b[MOST], f[2 * MOST], q[MOST], r[MOST], g[MOST];
            int64_t n = draw(&random, 20, MOST), m = draw(&random, 2, 20), terms, q_terms, r_terms, g_terms;
            mmm_plan *multiply, *divide, *gcd;
            assert_ok(mmm_plan_multiply(machines[i], p, n, m, 1, &multiply));
            assert_ok(mmm_plan_divide(machines[i], p, n, m, 1, &divide));
            assert_ok(mmm_plan_gcd(machines[i], p, n, m, 1, &gcd));
            assert_int_equal(mmm_plan_room(multiply, 0), n + m - 1);
            for (int round = 0; round < 4; round++) {
                fill(&random, a, n, p);
                fill(&random, b, m, p);
                b[m - 1] = 1 + mmm_random_below(&random, p - 1);
                if (round == 2) a[n - 1] = a[n - 2] = 0;
                assert_ok(mmm_plan_run(multiply, (const void *[]){a, b}, (void *[]){f}, (int64_t *[]){&terms}));
                assert_ok(
                    mmm_plan_run(divide, (const void *[]){a, b}, (void *[]){q, r}, (int64_t *[]){&q_terms, &r_terms}));
                assert_ok(mmm_plan_run(gcd, (const void *[]){a, b}, (void *[]){g}, (int64_t *[]){&g_terms}));
                assert_products(p, a, n, b, m, f, terms, q, q_terms, r, r_terms, g, g_terms);
                assert_true(mmm_plan_seconds(gcd) >= 0);
            }
            memcpy(f, a, sizeof a);
            assert_ok(mmm_plan_run(multiply, (const void *[]){f, b}, (void *[]){f}, (int64_t *[]){&terms}));
            assert_products(p, a, n, b, m, f, terms, NULL, 0, NULL, 0, NULL, 0);
            b[m - 1] = 0;
            assert_fails(mmm_plan_run(divide, (const void *[]){a, b}, (void *[]){q, r}, NULL), MMM_INVALID, "is 0");
            b[m - 1] = p;
            assert_fails(mmm_plan_run(gcd, (const void *[]){a, b}, (void *[]){g}, NULL), MMM_INVALID, "not below");
            assert_fails(mmm_plan_run(gcd, (const void *[]){a, NULL}, (void *[]){g}, NULL), MMM_INVALID, "NULL");
            mmm_plan_free(multiply);
            mmm_plan_free(divide);
            mmm_plan_free(gcd);
        }
}

/* More shapes than a machine keeps, again and again: results are right, and there are never more. */
static void test_recent(void **state)
{
    mmm_random random = {4};
    const uint64_t p = 2013265921;
    (void)state;
    for (int i = 0; i < machine_count; i++) {
        const int64_t shapes = machines[i]->cpu && !machines[i]->type->keep ? 50 : 5;
        for (int round = 0; round < 2; round++)
            for (int64_t n = 3; n < 3 + shapes; n++) {
                uint64_t a[MOST], b[MOST], f[2 * MOST];
                int64_t terms, m = 2 + n % 3;
                fill(&random, a, n, p);
                fill(&random, b, m, p);
                assert_ok(mmm_multiply(machines[i], p, a, n, b, m, f, &terms));
                assert_products(p, a, n, b, m, f, terms, NULL, 0, NULL, 0, NULL, 0);
                assert_in_range(mmm_recent_count(machines[i]), 1, 32);
            }
    }
}

/* B problems in one call are B calls. */
static void test_batches(void **state)
{
    mmm_random random = {5};
    (void)state;
    for (int i = 0; i < machine_count; i++)
        for (int j = 0; j < 3; j++) {
            static uint64_t a[BATCH * MOST], b[BATCH * MOST], f[2 * BATCH * MOST], q[BATCH * MOST], r[BATCH * MOST],
                g[BATCH * MOST];
            uint64_t p = primes[j];
            int64_t n = draw(&random, 20, MOST), m = draw(&random, 2, 20), f_terms[BATCH], q_terms[BATCH],
                    r_terms[BATCH], g_terms[BATCH];
            fill(&random, a, BATCH * n, p);
            fill(&random, b, BATCH * m, p);
            for (int k = 0; k < BATCH; k++)
                b[k * m + m - 1] = 1 + mmm_random_below(&random, p - 1);
            memset(a + 2 * n, 0, (size_t)n * sizeof *a); /* one is 0, one is a multiple, one is short */
            memset(a + 3 * n, 0, (size_t)n * sizeof *a);
            memcpy(a + 3 * n, b + 3 * m, (size_t)m * sizeof *a);
            a[5 * n - 1] = 0;
            assert_ok(mmm_multiply_many(machines[i], p, BATCH, a, n, b, m, f, f_terms));
            assert_ok(mmm_divide_many(machines[i], p, BATCH, a, n, b, m, q, q_terms, r, r_terms));
            assert_ok(mmm_gcd_many(machines[i], p, BATCH, a, n, b, m, g, g_terms));
            for (int k = 0; k < BATCH; k++)
                assert_products(p, a + k * n, n, b + k * m, m, f + k * (n + m - 1), f_terms[k], q + k * (n - m + 1),
                                q_terms[k], r + k * (m - 1), r_terms[k], g + k * n, g_terms[k]);
            memset(b + m, 0, (size_t)m * sizeof *b); /* a divisor that is 0 */
            assert_ok(mmm_gcd_many(machines[i], p, BATCH, a, n, b, m, g, g_terms));
            for (int k = 0; k < BATCH; k++)
                assert_products(p, a + k * n, n, b + k * m, m, NULL, 0, NULL, 0, NULL, 0, g + k * n, g_terms[k]);
            assert_fails(mmm_divide_many(machines[i], p, BATCH, a, n, b, m, q, q_terms, r, r_terms), MMM_INVALID,
                         "b number 1");
        }
}

/* So many coefficients that all threads of the host bring them into their form. */
static void test_many(void **state)
{
    enum { N = 90, MANY = 1100 };
    const uint64_t p = 2013265921;
    mmm_random random = {8};
    uint64_t *a = calloc(MANY * N, sizeof *a), *b = calloc(MANY * N, sizeof *b), *f = calloc(2 * MANY * N, sizeof *f);
    int64_t *terms = calloc(MANY, sizeof *terms);
    (void)state;
    for (int i = 0; i < machine_count; i++) {
        if (!mmm_machine_has_time(machines[i])) continue;
        fill(&random, a, MANY * N, p);
        fill(&random, b, MANY * N, p);
        assert_ok(mmm_multiply_many(machines[i], p, MANY, a, N, b, N, f, terms));
        for (int k = 0; k < MANY; k++)
            assert_products(p, a + k * N, N, b + k * N, N, f + k * (2 * N - 1), terms[k], NULL, 0, NULL, 0, NULL, 0);
        assert_ok(mmm_gcd_many(machines[i], p, MANY, a, N, b, N, f, terms));
        for (int k = 0; k < MANY; k++)
            assert_products(p, a + k * N, N, b + k * N, N, NULL, 0, NULL, 0, NULL, 0, f + k * N, terms[k]);
        a[1000 * N + 17] = p;
        assert_fails(mmm_gcd_many(machines[i], p, MANY, a, N, b, N, f, terms), MMM_INVALID, "x^17 is not below");
        a[1000 * N + 17] = UINT64_MAX;
        assert_fails(mmm_multiply_many(machines[i], p, MANY, a, N, b, N, f, terms), MMM_INVALID, "x^17 is not below");
    }
    free(a);
    free(b);
    free(f);
    free(terms);
}

static int compare(const void *x, const void *y)
{
    const uint32_t *a = x, *b = y;
    return *a < *b ? -1 : *a > *b;
}

static void test_sorts(void **state)
{
    enum { COUNT = 700 };
    static uint32_t keys[BATCH * COUNT], values[BATCH * COUNT], before[BATCH * COUNT], sorted[COUNT];
    mmm_random random = {6};
    (void)state;
    for (int i = 0; i < machine_count; i++)
        for (int pairs = 0; pairs < 2; pairs++) {
            for (int k = 0; k < BATCH * COUNT; k++) {
                before[k] = keys[k] = (uint32_t)(mmm_random_next(&random) >> (k % 2 ? 40 : 60));
                values[k] = (uint32_t)k;
            }
            assert_ok(mmm_sort_many_u32(machines[i], BATCH, keys, pairs ? values : NULL, COUNT));
            for (int k = 0; k < BATCH; k++) {
                memcpy(sorted, before + k * COUNT, sizeof sorted);
                qsort(sorted, COUNT, sizeof *sorted, compare);
                assert_memory_equal(keys + k * COUNT, sorted, sizeof sorted);
                for (int e = 0; pairs && e < COUNT; e++) {
                    assert_int_equal(before[values[k * COUNT + e]], keys[k * COUNT + e]);
                    if (e && keys[k * COUNT + e] == keys[k * COUNT + e - 1])
                        assert_true(values[k * COUNT + e] > values[k * COUNT + e - 1]);
                }
            }
        }
}

/* As jobs: every problem has inputs of its own and is checked; the model sees B times the blocks and the work. */
static void test_jobs(void **state)
{
    static const char *const apps[] = {"gcd-jump", "multiplication-tile", "division-inverse", "sort",
                                       "multiplication-ntt"};
    (void)state;
    for (size_t k = 0; k < sizeof apps / sizeof *apps; k++) {
        mmm_counts one = {0};
        for (int64_t batch = 1; batch <= 3; batch += 2)
            for (int i = 0; i < machine_count; i++) {
                mmm_job *job;
                assert_ok(mmm_job_new(apps[k], &job));
                assert_ok(mmm_job_set_batch(job, batch));
                assert_ok(mmm_job_set(job, "n", 60));
                if (strcmp(apps[k], "sort") != 0) assert_ok(mmm_job_set(job, "m", 40));
                if (strcmp(apps[k], "gcd-jump") == 0) {
                    assert_ok(mmm_job_set(job, "s", 30));
                    assert_ok(mmm_job_set(job, "k", 1)); /* for k = 2 PoCL compiles a minute */
                }
                if (strcmp(apps[k], "sort") == 0) assert_ok(mmm_job_set(job, "l", 32));
                assert_ok(mmm_job_run(job, machines[i], NULL));
                assert_ok(mmm_job_check(job));
                const mmm_counts *counts = mmm_machine_counts(machines[i]);
                if (counts) {
                    assert_int_equal(counts->violation_count, 0);
                    if (batch == 1)
                        one = *counts;
                    else if (strcmp(apps[k], "gcd-jump") != 0) /* whose steps depend on the data */
                        assert_int_equal(counts->arithmetic, batch * one.arithmetic);
                }
                assert_ok(mmm_job_select(job, batch - 1));
                assert_non_null(mmm_job_result(job, 0, NULL));
                assert_fails(mmm_job_select(job, batch), MMM_INVALID, "numbered from 0");
                mmm_job_free(job);
            }
    }
}

static void test_errors(void **state)
{
    mmm_job *job;
    mmm_plan *plan = NULL;
    const uint64_t a[] = {1, 2, 3};
    (void)state;
    assert_ok(mmm_job_new("gcd", &job)); /* which looks at its inputs when it is built */
    assert_ok(mmm_job_set_batch(job, 2));
    assert_fails(mmm_job_prepare(job), MMM_INVALID, "depends on its inputs");
    assert_ok(mmm_job_set_batch(job, 1));
    assert_ok(mmm_job_prepare(job));
    assert_fails(mmm_plan_take(job, machines[0], &plan), MMM_INVALID, "depends on its inputs");
    assert_ok(mmm_job_new("gcd-jump", &job));
    assert_ok(mmm_job_polynomial(job, 0, 7, a, 3));
    assert_ok(mmm_job_set_batch(job, 2));
    assert_fails(mmm_job_prepare(job), MMM_INVALID, "is given");
    assert_fails(mmm_plan_take(job, machines[0], &plan), MMM_INVALID, "is given");
    assert_fails(mmm_plan_multiply(machines[0], 15, 3, 3, 1, &plan), MMM_INVALID, "prime");
    assert_fails(mmm_plan_multiply(machines[0], 7, 3, 0, 1, &plan), MMM_INVALID, "m=0");
    assert_fails(mmm_plan_multiply(machines[0], 7, 3, 3, 0, &plan), MMM_INVALID, "batch of 0");
    assert_null(plan);
    mmm_plan_free(NULL);
}

/* Calls that make, keep and forget plans, each thread with a machine of its own: a product b, and three at once. */
static bool call(mmm_machine *machine, uint64_t p, int64_t n, const uint64_t *a, const uint64_t *b,
                 const uint64_t *expected)
{
    uint64_t all_a[150], all_b[150], f[297], g[50];
    int64_t terms[3];
    for (int i = 0; i < 3; i++) {
        memcpy(all_a + i * n, a, (size_t)n * sizeof *a);
        memcpy(all_b + i * n, b, (size_t)n * sizeof *b);
    }
    if (mmm_gcd(machine, p, a, n, a, n, g, terms) != MMM_OK || terms[0] != n) return false;
    if (mmm_multiply_many(machine, p, 3, all_a, n, all_b, n, f, terms) != MMM_OK) return false;
    for (int i = 0; i < 3; i++)
        for (int64_t k = 0; k < n; k++) /* the low half is that of the longer product */
            if (f[i * (2 * n - 1) + k] != expected[k]) return false;
    return true;
}

/* A plan a thread, each with a machine of its own. */
static void *run_many(void *context)
{
    mmm_random random = {(uint64_t)(uintptr_t)context};
    mmm_machine *machine = NULL;
    mmm_plan *plan = NULL;
    uint64_t a[50], b[50], f[99], expected[99], p = 2013265921;
    int64_t terms;
    const char *wrong = NULL;
    if (mmm_machine_open("cpu", &machine) != MMM_OK) wrong = "no machine";
    if (!wrong && mmm_plan_multiply(machine, p, 50, 50, 1, &plan) != MMM_OK) wrong = "no plan";
    for (int round = 0; !wrong && round < 300; round++) {
        fill(&random, a, 50, p);
        fill(&random, b, 50, p);
        a[49] = b[49] = 1;
        memset(expected, 0, sizeof expected);
        for (int i = 0; i < 50; i++)
            for (int j = 0; j < 50; j++)
                expected[i + j] = (expected[i + j] + a[i] * b[j]) % p;
        if (mmm_plan_run(plan, (const void *[]){a, b}, (void *[]){f}, (int64_t *[]){&terms}) != MMM_OK) wrong = "run";
        if (terms != 99 || memcmp(f, expected, sizeof f) != 0) wrong = "another product";
        if (!wrong && round % 5 == 0) {
            int64_t n = 10 + round / 5 % 41;
            uint64_t lead = a[n - 1];
            a[n - 1] = 1; /* so that the gcd of a with itself has n terms */
            for (int64_t i = 0; i < n; i++) {
                expected[i] = 0;
                for (int64_t j = 0; j <= i; j++)
                    expected[i] = (expected[i] + a[j] * b[i - j]) % p;
            }
            if (!call(machine, p, n, a, b, expected)) wrong = "a call";
            a[n - 1] = lead;
        }
    }
    mmm_plan_free(plan);
    mmm_machine_free(machine);
    return (void *)wrong;
}

static void test_threads(void **state)
{
    pthread_t threads[4];
    (void)state;
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_many, (void *)(uintptr_t)(i + 1)), 0);
    for (int i = 0; i < 4; i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        if (wrong) fail_msg("%s", (const char *)wrong);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_data),   cmocka_unit_test(test_recent),  cmocka_unit_test(test_batches),
        cmocka_unit_test(test_many),   cmocka_unit_test(test_sorts),   cmocka_unit_test(test_jobs),
        cmocka_unit_test(test_errors), cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, open_machines, close_machines);
}
