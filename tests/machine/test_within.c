/* SPDX-License-Identifier: Apache-2.0 */
/* Parts with conditions do what their conditions say on every machine, whatever the numbers in them are. */
#include "bench.h"

#include "within/kernels.h"

enum { CALLS = 60, PLACES = 22, GRID = 3, MOST = CALLS * GRID * PLACES * 2 * 40 };

/* The numbers of a call. */
typedef struct given {
    int a, b;
    int64_t far;
} given;

/* What a place holds, of form k of a call with so many threads of a block. */
static unsigned expected(const given *g, int s, int block, int threads, int k, int t)
{
    const int64_t a = g->a, b = g->b;
    const bool thread = t < threads;
    switch (k) {
    case 0: return thread && t < a;
    case 1: return thread && t + a <= b;
    case 2: return thread && a <= t;
    case 3: return thread && b > a + t && t >= a - b;
    case 4: return thread && a < b;
    case 5: return thread && g->far + t < b;
    case 6: return thread && a - b + t <= 2 * a && t > (a - 1) * s;
    case 7: return t >= a && t + 1 < b;
    case 8: return t < b && t > a;
    case 9: return t >= 1 && t < threads - 1 && t < a;
    case 10: return thread && t >= a && t < b && block * threads + t < 2 * threads - 3;
    case 11: return thread && -a < t;
    case 12: return thread && b - a + t >= 4 && a >= b;
    case 13: return !thread ? 0 : t < a ? 1 : 2;
    case 14: return !thread || t < a;
    case 15: return !thread || t >= a ? 0 : t > 3 ? 1 : 2;
    case 16: return thread && (2 * t < a || t > b);
    case 17: return thread && a - t < b;
    case 18: return thread && (uint32_t)t + (uint32_t)a < 9;
    case 19: return t % threads < a;
    case 20: return thread && t < b;
    default: return !thread || t < b;
    }
}

static unsigned expected_2d(const given *g, int block, int width, int threads, int k, int t)
{
    const int64_t a = g->a, b = g->b, x = t % width, y = t / width;
    if (t >= threads) return 0;
    switch (k) {
    case 0: return x + a < b && y < a;
    case 1: return a + y >= b;
    case 2: return block % GRID * width + x < b && 1 <= a - b + y && a > 0;
    case 3: return x < y + a;
    default: return 0;
    }
}

/* Some numbers that are near the ends, some that are far beyond. */
static given draw_numbers(mmm_random *random, int threads)
{
    static const int far[] = {-500000000, -70, 70, 500000000};
    int x[2];
    for (int i = 0; i < 2; i++)
        x[i] = mmm_random_below(random, 5) ? (int)mmm_random_below(random, 2 * (uint64_t)threads + 9) - 5
                                           : far[mmm_random_below(random, 4)];
    const int64_t wide = ((int64_t)mmm_random_below(random, 5) - 2) << 33;
    return (given){x[0], x[1] > 2 * threads ? 2 * threads : x[1], wide + (int)mmm_random_below(random, 9) - 4};
}

/* Each form in many calls, in one dimension or two. */
static void check(int threads, int width)
{
    static uint32_t words[MOST];
    given all[CALLS];
    mmm_u32_array to;
    mmm_random random = {(uint64_t)(threads + width)};
    bench x = begin(32);
    const int s = 3, places = 2 * threads, count = CALLS * GRID * PLACES * places;
    memset(words, 0, sizeof words);
    ARRAY(&x, to, count, MMM_ZERO_OUT, words);
    for (int i = 0; i < CALLS; i++) {
        all[i] = draw_numbers(&random, threads);
        assert_ok(width ? launch_within_2d(x.program, GRID, 1, width, threads / width, to, i, all[i].a, all[i].b)
                        : launch_within(x.program, GRID, threads, to, i, all[i].a, all[i].b, all[i].far, s));
    }
    for (int m = 0; m < machine_count; m++) {
        run(&x, m);
        for (int i = 0; i < count; i++) {
            const int t = i % places, k = i / places % PLACES, block = i / places / PLACES % GRID;
            const given *g = &all[i / places / PLACES / GRID];
            const unsigned wanted =
                width ? expected_2d(g, block, width, threads, k, t) : expected(g, s, block, threads, k, t);
            if (words[i] != wanted)
                fail_msg("%s: form %d, place %d of block %d with a = %d, b = %d, far = %lld is %u, not %u", names[m], k,
                         t, block, g->a, g->b, (long long)g->far, words[i], wanted);
        }
    }
    end(&x);
}

static void test_threads(void **state)
{
    (void)state;
    check(16, 0);
    check(37, 0);
}

static void test_two_dimensions(void **state)
{
    (void)state;
    check(40, 8);
    check(39, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_threads), cmocka_unit_test(test_two_dimensions)};
    return cmocka_run_group_tests(tests, open_machines, close_machines);
}
