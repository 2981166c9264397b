/* SPDX-License-Identifier: Apache-2.0 */
/* The algorithms as functions: identities, aliasing, errors, and calls at the same time. */
#include "calls.h"

#include <pthread.h>
#include <sys/wait.h>

enum { MOST = 120 };

static mmm_machine *cpu;

static int open_cpu(void **state)
{
    (void)state;
    return mmm_machine_open("cpu", &cpu) != MMM_OK;
}

static int close_cpu(void **state)
{
    (void)state;
    mmm_machine_free(cpu);
    return 0;
}

static const uint64_t primes[] = {2, 7, 2013265921, 9223372036854775783u};

/* All functions on a and b, with room for their results. */
static void check_calls(uint64_t p, const uint64_t *a, int64_t n, const uint64_t *b, int64_t m, uint64_t *f,
                        uint64_t *q, uint64_t *r, uint64_t *g)
{
    int64_t f_terms, q_terms, r_terms, g_terms;
    assert_ok(mmm_multiply(cpu, p, a, n, b, m, f, &f_terms));
    assert_ok(mmm_divide(cpu, p, a, n, b, m, q, &q_terms, r, &r_terms));
    assert_ok(mmm_gcd(cpu, p, a, n, b, m, g, &g_terms));
    assert_products(p, a, n, b, m, f, f_terms, q, q_terms, r, r_terms, g, g_terms);
}

/* Sizes far on both sides of each crossover, where no prediction is asked, and unequal ones. */
static void test_fastest(void **state)
{
    mmm_random random = {15};
    (void)state;
    assert_string_equal(mmm_fastest(cpu, "multiplication", 2013265921, 2, 1), "multiplication-tile");
    assert_string_equal(mmm_fastest(cpu, "multiplication", 2013265921, 60000, 50000), "multiplication-ntt");
    assert_string_equal(mmm_fastest(cpu, "multiplication", 2147483647, 60000, 3), "multiplication-tile");
    assert_string_equal(mmm_fastest(cpu, "division", 101, 60000, 59990), "division-inverse");
    assert_string_equal(mmm_fastest(cpu, "division", 101, 200000, 100000), "division-newton");
    assert_string_equal(mmm_fastest(cpu, "gcd", 9223372036854775783u, 20, 20), "gcd-jump");
    assert_string_equal(mmm_fastest(cpu, "gcd", 9223372036854775783u, 90000, 90000), "gcd-half");
    for (int round = 0; round < 16; round++) {
        enum { TERMS = 15000 };
        static uint64_t a[TERMS], b[TERMS], f[2 * TERMS], q[TERMS], r[TERMS], g[TERMS];
        const uint64_t p = primes[round % 4];
        const int64_t n = draw(&random, 1, TERMS), m = draw(&random, 1, round % 3 ? n : 40 < n ? 40 : n);
        fill(&random, a, n, p);
        fill(&random, b, m, p);
        b[m - 1] = 1;
        check_calls(p, a, n, b, m, f, q, r, g);
    }
}

static void test_identities(void **state)
{
    mmm_random random = {5};
    (void)state;
    for (int round = 0; round < 120; round++) {
        uint64_t p = primes[round % 4], a[MOST], b[MOST], f[2 * MOST], q[MOST], r[MOST], g[MOST];
        int64_t n = draw(&random, 0, MOST), m = draw(&random, 1, MOST);
        fill(&random, a, n, p);
        fill(&random, b, m, p);
        b[m - 1] = 1;
        check_calls(p, a, n, b, m, f, q, r, g);
    }
}

/* Outputs over inputs, whole and shifted: the results are those of separate arrays. */
static void test_aliasing(void **state)
{
    mmm_random random = {6};
    (void)state;
    for (int round = 0; round < 60; round++) {
        uint64_t p = primes[round % 4], a[MOST], b[MOST], f[2 * MOST], q[MOST], r[MOST];
        uint64_t memory[6 * MOST];
        int64_t n = draw(&random, 1, MOST), m = draw(&random, 1, MOST), terms, same, q_terms, r_terms, same_r;
        int64_t shift = draw(&random, -40, 40);
        uint64_t *x = memory + 2 * MOST, *y = x + MOST; /* a and b side by side, room around them */
#define RESET() (memcpy(x, a, sizeof a), memcpy(y, b, sizeof b))
        fill(&random, a, MOST, p);
        fill(&random, b, MOST, p);
        b[m - 1] = 1;

        assert_ok(mmm_multiply(cpu, p, a, n, b, m, f, &terms));
        RESET();
        assert_ok(mmm_multiply(cpu, p, x, n, y, m, x + shift, &same));
        assert_int_equal(terms, same);
        assert_memory_equal(f, x + shift, (size_t)terms * 8);
        RESET();
        assert_ok(mmm_multiply(cpu, p, x, n, y, m, y, &same));
        assert_memory_equal(f, y, (size_t)terms * 8);
        assert_ok(mmm_multiply(cpu, p, a, n, a, n, f, &terms)); /* a square, in place */
        RESET();
        assert_ok(mmm_multiply(cpu, p, x, n, x, n, x, &same));
        assert_memory_equal(f, x, (size_t)terms * 8);

        assert_ok(mmm_divide(cpu, p, a, n, b, m, q, &q_terms, r, &r_terms));
        for (int swap = 0; swap < 2; swap++) { /* q over a and r over b, and the other way round */
            RESET();
            uint64_t *to_q = swap ? y : x, *to_r = swap ? x : y;
            assert_ok(mmm_divide(cpu, p, x, n, y, m, to_q, &same, to_r, &same_r));
            assert_int_equal(same, q_terms);
            assert_int_equal(same_r, r_terms);
            assert_memory_equal(q, to_q, (size_t)q_terms * 8);
            assert_memory_equal(r, to_r, (size_t)r_terms * 8);
        }

        assert_ok(mmm_gcd(cpu, p, a, n, b, m, f, &terms));
        RESET();
        assert_ok(mmm_gcd(cpu, p, x, n, y, m, x, &same));
        assert_int_equal(terms, same);
        assert_memory_equal(f, x, (size_t)terms * 8);
        RESET();
        assert_ok(mmm_gcd(cpu, p, x, n, y, m, y + shift, &same));
        assert_memory_equal(f, y + shift, (size_t)terms * 8);
    }
}

static int compare_pairs(const void *x, const void *y)
{
    const uint64_t *a = x, *b = y;
    if (a[0] != b[0]) return a[0] < b[0] ? -1 : 1;
    return a[1] < b[1] ? -1 : a[1] > b[1];
}

/* Values are the positions, so that sorted pairs are those of a stable sort. */
static void test_sort(void **state)
{
    mmm_random random = {7};
    (void)state;
    for (int round = 0; round < 12; round++) {
        int64_t n = round < 2 ? round : draw(&random, 2, 20000);
        uint64_t *pairs = malloc((size_t)(2 * n) * 8 + 8), *keys = malloc((size_t)n * 8 + 8);
        uint64_t *values = malloc((size_t)n * 8 + 8);
        uint32_t *keys32 = malloc((size_t)n * 4 + 4), *values32 = malloc((size_t)n * 4 + 4);
        uint64_t mask = round % 3 == 0 ? 15 : round % 3 == 1 ? UINT32_MAX : UINT64_MAX;
        for (int64_t i = 0; i < n; i++) {
            uint64_t key = mmm_random_next(&random) & mask;
            keys[i] = key;
            keys32[i] = (uint32_t)key;
            values[i] = (uint64_t)i;
            values32[i] = (uint32_t)i;
        }
        for (int wide = 0; wide < 2; wide++) {
            for (int64_t i = 0; i < n; i++) {
                pairs[2 * i] = wide ? keys[i] : keys32[i];
                pairs[2 * i + 1] = (uint64_t)i;
            }
            qsort(pairs, (size_t)n, 16, compare_pairs);
            if (wide)
                assert_ok(mmm_sort_u64(cpu, keys, round % 2 ? values : NULL, n));
            else
                assert_ok(mmm_sort_u32(cpu, keys32, round % 2 ? values32 : NULL, n));
            for (int64_t i = 0; i < n; i++) {
                assert_int_equal(wide ? keys[i] : keys32[i], pairs[2 * i]);
                if (round % 2) assert_int_equal(wide ? values[i] : values32[i], pairs[2 * i + 1]);
            }
        }
        free(pairs);
        free(keys);
        free(values);
        free(keys32);
        free(values32);
    }
}

static void test_errors(void **state)
{
    uint64_t a[] = {1, 2, 3}, zero[] = {0, 0}, out[8];
    int64_t terms, more;
    (void)state;
    assert_fails(mmm_multiply(cpu, 15, a, 3, a, 3, out, &terms), MMM_INVALID, "prime");
    assert_fails(mmm_multiply(cpu, 3, a, 3, a, 3, out, &terms), MMM_INVALID, "not below");
    assert_fails(mmm_multiply(cpu, 7, a, -1, a, 3, out, &terms), MMM_INVALID, "-1 terms");
    assert_fails(mmm_multiply(cpu, 7, NULL, 3, a, 3, out, &terms), MMM_INVALID, "NULL");
    assert_fails(mmm_divide(cpu, 7, a, 3, zero, 2, out, &terms, out + 4, &more), MMM_INVALID, "b is 0");
    assert_fails(mmm_divide(cpu, 7, a, 3, NULL, 0, out, &terms, out + 4, &more), MMM_INVALID, "b is 0");
    assert_fails(mmm_sort_u32(cpu, NULL, NULL, 5), MMM_INVALID, "NULL");
    assert_fails(mmm_sort_u64(cpu, NULL, NULL, -5), MMM_INVALID, "-5");
    assert_ok(mmm_sort_u32(cpu, NULL, NULL, 0));
    assert_ok(mmm_gcd(cpu, 7, NULL, 0, NULL, 0, out, &terms));
    assert_int_equal(terms, 0);
    assert_ok(mmm_multiply(cpu, 7, NULL, 0, a, 3, out, &terms));
    assert_int_equal(terms, 0);
}

/* Each thread has machines of its own: the CPU for results, the abstract machine for counts. */
static const char *attempt(uint64_t seed)
{
    mmm_machine *machine;
    mmm_random random = {seed};
    if (mmm_machine_open(seed % 2 ? "cpu" : "abstract", &machine) != MMM_OK) return "open";
    for (int round = 0; round < 15; round++) {
        uint64_t p = primes[round % 4], a[60], b[60], f[120], q[120], r[120];
        int64_t terms, q_terms, r_terms;
        fill(&random, a, 60, p);
        fill(&random, b, 60, p);
        a[59] = b[59] = 1;
        if (mmm_multiply(machine, p, a, 60, b, 60, f, &terms) != MMM_OK || terms != 119) return "multiply";
        if (mmm_divide(machine, p, f, terms, b, 60, q, &q_terms, r, &r_terms) != MMM_OK) return "divide";
        if (q_terms != 60 || r_terms != 0 || memcmp(q, a, sizeof a) != 0) return "a b / b is not a";
        if (mmm_multiply(machine, 15, a, 60, b, 60, f, &terms) != MMM_INVALID || !strstr(mmm_message(), "p=15"))
            return "message";
    }
    mmm_machine_free(machine);
    return NULL;
}

static void *work(void *argument)
{
    return (void *)(uintptr_t)attempt((uint64_t)(uintptr_t)argument);
}

static void test_threads(void **state)
{
    pthread_t threads[4];
    (void)state;
    for (uintptr_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, (void *)(i + 1)), 0);
    for (int i = 0; i < 4; i++) {
        void *failure;
        pthread_join(threads[i], &failure);
        if (failure) fail_msg("thread %d: %s", i, (const char *)failure);
    }
}

/* The child of a fork computes where its parent did, on its parent's machine and on its own. */
static void test_fork(void **state)
{
    const uint64_t a[] = {2, 3, 1}, b[] = {5, 6, 1};
    uint64_t g[3];
    int64_t terms;
    int status;
    (void)state;
    assert_ok(mmm_gcd(cpu, 101, a, 3, b, 3, g, &terms));
    pid_t child = fork();
    if (child == 0) {
        mmm_machine *own, *both[2] = {cpu, NULL};
        int good = 0;
        alarm(60);
        if (mmm_machine_open("cpu", &own) == MMM_OK) both[1] = own;
        for (int i = 0; i < 2; i++)
            good += mmm_gcd(both[i], 101, a, 3, b, 3, g, &terms) == MMM_OK && terms == 2 && g[0] == 1 && g[1] == 1;
        mmm_machine_free(both[1]);
        _exit(good);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 2);
    assert_ok(mmm_gcd(cpu, 101, a, 3, b, 3, g, &terms));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_identities), cmocka_unit_test(test_fastest), cmocka_unit_test(test_aliasing),
        cmocka_unit_test(test_sort),       cmocka_unit_test(test_errors),  cmocka_unit_test(test_threads),
        cmocka_unit_test(test_fork),
    };
    return cmocka_run_group_tests(tests, open_cpu, close_cpu);
}
