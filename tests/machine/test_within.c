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

/* Sums of threads are the same to the last bit in whatever order a machine takes the turns of different threads. */
static void check_sums(int threads, int a, int b, int s)
{
    enum { SUMS = 8, THREADS_MOST = 40 };
    static uint32_t words[SUMS * GRID * THREADS_MOST];
    static float reals[GRID * THREADS_MOST];
    mmm_u32_array to;
    mmm_f32_array of_reals;
    bench x = begin(32);
    ARRAY(&x, to, SUMS * GRID * threads, MMM_OUT, words);
    ARRAY(&x, of_reals, GRID * threads, MMM_OUT, reals);
    assert_ok(launch_sums(x.program, GRID, threads, to, of_reals, a, b, s));
    for (int m = 0; m < machine_count; m++) {
        run(&x, m);
        for (int i = 0; i < GRID * threads; i++) {
            const int t = i % threads, block = i / threads;
            uint32_t sum = (uint32_t)t, other = 1, wanted[SUMS];
            float real = (float)t;
            for (int j = a; j < b; j++)
                sum += (uint32_t)(j * t + 1);
            wanted[0] = sum;
            for (int j = 0; j < s + b; j += 2)
                sum = sum * 3 + (uint32_t)(t ^ j);
            wanted[1] = sum;
            for (int j = 0; j < s; j++) {
                volatile float product = 1.0f / (float)(j + 3) * (float)t;
                sum += (uint32_t)(j * threads + t) * 0x9e3779b9u;
                real += product;
            }
            wanted[2] = sum;
            for (int j = 0; j < t; j++)
                sum += (uint32_t)j;
            wanted[3] = sum;
            for (int j = a; j < b; j++)
                other += sum;
            wanted[4] = sum += other;
            wanted[5] = sum += 5 * (uint32_t)(t + 1 < s ? t + 1 : s);
            for (int j = 0; j < s; j++)
                other ^= sum += 2;
            wanted[6] = sum;
            wanted[7] = other;
            for (int k = 0; k < SUMS; k++)
                if (words[(SUMS * block + k) * threads + t] != wanted[k])
                    fail_msg("%s: sum %d of thread %d of block %d with a = %d, b = %d, s = %d", names[m], k, t, block,
                             a, b, s);
            if (memcmp(&reals[i], &real, sizeof real) != 0)
                fail_msg("%s: the sum of thread %d of block %d with s = %d is %a, not %a", names[m], t, block, s,
                         (double)reals[i], (double)real);
        }
    }
    end(&x);
}

static void test_sums(void **state)
{
    (void)state;
    check_sums(16, 0, 9, 16);
    check_sums(37, -3, 5, 7);
    check_sums(40, 4, 4, 1);
    check_sums(33, 9, -9, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_threads), cmocka_unit_test(test_two_dimensions),
                                       cmocka_unit_test(test_sums)};
    return cmocka_run_group_tests(tests, open_machines, close_machines);
}
