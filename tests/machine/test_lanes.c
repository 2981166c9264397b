/* SPDX-License-Identifier: Apache-2.0 */
/* Lanes of threads and of items: results are those of plain C on every machine, and the abstract machine finds no
 * violation. */
#include "bench.h"

#include "lanes/kernels.h"

/* Blocks that fill vectors and blocks that do not, of both word sizes. */
static void check_lanes(int bits, int threads)
{
    enum { WORDS_MOST = 2 * 16 * 40 };
    uint64_t a[WORDS_MOST], columns_a[WORDS_MOST] = {0}, b[WORDS_MOST] = {0};
    uint32_t c[WORDS_MOST], columns_c[WORDS_MOST] = {0}, d[WORDS_MOST] = {0};
    int count = 2 * 16 * threads, size = bits / 8;
    for (int i = 0; i < count; i++) {
        uint64_t x = (uint64_t)(i + 1) << (bits == 64 ? 40 : 8);
        memcpy((char *)a + i * size, &x, (size_t)size);
        c[i] = (uint32_t)i << 16;
    }
    bench x = begin(bits);
    mmm_word_array from, columns, to;
    mmm_u32_array from_c, columns_of_c, to_d;
    ARRAY(&x, from, count, MMM_IN, a);
    ARRAY(&x, columns, count, MMM_WORK, columns_a);
    ARRAY(&x, to, count, MMM_OUT, b);
    ARRAY(&x, from_c, count, MMM_IN, c);
    ARRAY(&x, columns_of_c, count, MMM_WORK, columns_c);
    ARRAY(&x, to_d, count, MMM_OUT, d);
    assert_ok(launch_lanes_turn(x.program, 2, threads, from, columns, to, from_c, columns_of_c, to_d));
    for (int m = 0; m < machine_count; m++) {
        run(&x, m);
        for (int i = 0; i < count; i++) {
            int turned = i / 16 * 16 + 15 - i % 16;
            assert_same(m, "a word", element(b, i, size, false), element(a, turned, size, false) + 3);
            assert_same(m, "a u32", d[i], c[turned] + 3);
        }
    }
    end(&x);
}

static void test_lanes(void **state)
{
    (void)state;
    for (int bits = 32; bits <= 64; bits += 32)
        for (int threads = 1; threads <= 40; threads += threads < 9 || threads == 15 || threads == 16 ? 1 : 3)
            check_lanes(bits, threads);
}

/* Words times words that all have, of every place in a vector: those behind the last one stay as they are. */
static void check_item_lanes(uint64_t p, int count, int threads)
{
    enum { MANY = 6, HERE = 48 * MANY };
    uint64_t in[3][HERE], out[2][HERE] = {{0}};
    uint32_t in32[3][HERE], out32[2][HERE] = {{0}}, sums[HERE] = {0};
    mmm_modulus modulus;
    mmm_word_array a, b, by, one, two;
    mmm_u32_array c;
    mmm_random random = {p + (uint64_t)count};
    bench x = begin_modulo(p, &modulus);
    for (int i = 0; i < 3 * HERE; i++) {
        const uint64_t hostile[] = {p - 1, 0, 1 % p, p / 2, mmm_random_below(&random, p)};
        in[i / HERE][i % HERE] = hostile[mmm_random_below(&random, 5)];
        in32[i / HERE][i % HERE] = (uint32_t)in[i / HERE][i % HERE];
    }
    const bool is_wide = modulus.bits == 64;
    ARRAY(&x, a, HERE, MMM_IN, is_wide ? (void *)in[0] : in32[0]);
    ARRAY(&x, b, HERE, MMM_IN, is_wide ? (void *)in[1] : in32[1]);
    ARRAY(&x, by, 2 * MANY, MMM_IN, is_wide ? (void *)in[2] : in32[2]);
    ARRAY(&x, one, HERE, MMM_ZERO_OUT, is_wide ? (void *)out[0] : out32[0]);
    ARRAY(&x, two, HERE, MMM_ZERO_OUT, is_wide ? (void *)out[1] : out32[1]);
    ARRAY(&x, c, HERE, MMM_ZERO_OUT, sums);
    assert_ok(launch_item_lanes(x.program, MANY, threads, a, b, by, one, two, c, count));
    for (int m = 0; m < machine_count; m++) {
        run(&x, m);
        for (int i = 0; i < HERE; i++) {
            const uint64_t f = in[2][i / 48 * 2], g = in[2][i / 48 * 2 + 1];
            const uint64_t first = (uint64_t)((unsigned __int128)f * in[0][i] % p);
            const uint64_t less = (uint64_t)((unsigned __int128)g * in[1][i] % p);
            const uint64_t both = (uint64_t)(((unsigned __int128)first + p - less) % p);
            const bool is_there = i % 48 < count;
            assert_same(m, "a product", is_wide ? out[0][i] : out32[0][i],
                        is_there ? mmm_modulus_leave(&modulus, first) : 0);
            assert_same(m, "a cross product", is_wide ? out[1][i] : out32[1][i],
                        is_there ? mmm_modulus_leave(&modulus, both) : 0);
            assert_same(m, "a sum", sums[i], is_there ? 5 : 0);
        }
    }
    end(&x);
}

static void test_item_lanes(void **state)
{
    static const uint64_t primes[] = {
        2, 3, 2013265921, 2147483647, 4294967291, 1152921504606846883u, 1152921504606847009u, 9223372036854775783u};
    (void)state;
    for (size_t i = 0; i < sizeof primes / sizeof *primes; i++)
        for (int count = 0; count <= 40; count += count < 17 ? 1 : 5)
            check_item_lanes(primes[i], count, count % 3 ? 1 : 7);
}

static uint64_t minus_inverse(uint64_t m, int bits)
{
    uint64_t inverse = m;
    for (int i = 0; i < 5; i++)
        inverse *= 2 - m * inverse;
    return -inverse & (((uint64_t)1 << bits) - 1);
}

/* Sums of two products over 2^32 modulo m, and of words, which may be loose, over 2^52 modulo a larger m: right, and as
 * small as they are said to be. */
static void check_both(uint32_t m, uint64_t large, int count)
{
    enum { MOST = 40 };
    uint32_t in[4 * MOST], out[2][MOST];
    uint64_t words[4 * MOST], sums[MOST];
    mmm_random random = {m + (uint64_t)count};
    mmm_u32_array a, b, c;
    mmm_word_array d, e;
    bench x = begin(64);
    for (int i = 0; i < 4 * count; i++) {
        const uint64_t hostile[] = {m - 1, 0, 1, m / 2, mmm_random_below(&random, m)};
        const uint64_t loose[] = {2 * large - 1, large, 0, 1, mmm_random_below(&random, 2 * large)};
        in[i] = (uint32_t)hostile[mmm_random_below(&random, 5)];
        words[i] = loose[mmm_random_below(&random, 5)];
    }
    ARRAY(&x, a, 4 * count, MMM_IN, in);
    ARRAY(&x, b, count, MMM_OUT, out[0]);
    ARRAY(&x, c, count, MMM_OUT, out[1]);
    ARRAY(&x, d, 4 * count, MMM_IN, words);
    ARRAY(&x, e, count, MMM_OUT, sums);
    assert_ok(launch_both_lanes(x.program, 1, 7, a, b, c, d, e, minus_inverse(m, 32), m, minus_inverse(large, 52),
                                large, count));
    for (int machine = 0; machine < machine_count; machine++) {
        run(&x, machine);
        for (int i = 0; i < count; i++) {
            const uint64_t y = (uint64_t)in[i] * in[count + i], z = (uint64_t)in[2 * count + i] * in[3 * count + i];
            const unsigned __int128 sum = (unsigned __int128)words[i] * words[count + i] +
                                          (unsigned __int128)words[2 * count + i] * words[3 * count + i];
            for (int way = 0; way < 2; way++) {
                assert_true(out[way][i] < 2 * (uint64_t)m);
                assert_same(machine, "a sum over 2^32", ((uint64_t)out[way][i] << 32) % m, (y % m + z % m) % m);
            }
            assert_true(sums[i] < 2 * large);
            assert_same(machine, "a sum over 2^52", (uint64_t)(((unsigned __int128)sums[i] << 52) % large),
                        (uint64_t)(sum % large));
        }
    }
    end(&x);
}

static void test_both(void **state)
{
    static const uint32_t small[] = {3, 101, 1711276033, 2013265921, 2130706433, 2147483647};
    static const uint64_t large[] = {3, 281467460517889, 281474305622017, 281474976710655, 101, 65537};
    (void)state;
    for (size_t i = 0; i < sizeof small / sizeof *small; i++)
        for (int count = 1; count <= 40; count += count < 17 ? 1 : 5)
            check_both(small[i], large[i], count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lanes), cmocka_unit_test(test_item_lanes),
                                       cmocka_unit_test(test_both)};
    return cmocka_run_group_tests(tests, open_machines, close_machines);
}
