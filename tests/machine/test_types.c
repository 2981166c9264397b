/* SPDX-License-Identifier: Apache-2.0 */
/* Items, blocks of two dimensions, types of every size and sums of products: results are those of plain C on every
 * machine, and the abstract machine finds no violation. */
#include "bench.h"

#include "types/kernels.h"

#include <math.h>

static void test_items(void **state)
{
    enum { ITEMS_MOST = 1000 };
    static uint32_t a[ITEMS_MOST], b[ITEMS_MOST];
    (void)state;
    for (int i = 0; i < ITEMS_MOST; i++)
        a[i] = (uint32_t)(i * i);
    static const int64_t threads[] = {1, 7, 64, 100}, each[] = {0, 1, 6, 64, 199};
    for (int k = 0; k < 4; k++)
        for (int e = 0; e < 5; e++) {
            if (each[e] > 3 * threads[k] + 5) continue;
            int64_t count = each[e] * BLOCKS - each[e] / 3;
            mmm_word_array of_a, of_b;
            bench x = begin(32);
            memset(b, 0xff, sizeof b);
            ARRAY(&x, of_a, ITEMS_MOST, MMM_IN, a);
            ARRAY(&x, of_b, ITEMS_MOST, MMM_IN_OUT, b);
            assert_ok(launch_items(x.program, BLOCKS, threads[k], of_a, of_b, count, each[e]));
            for (int m = 0; m < machine_count; m++) {
                run(&x, m);
                for (int64_t i = 0; i < ITEMS_MOST; i++)
                    assert_same(m, "an item", b[i], i < count ? a[i] + (uint32_t)(i % each[e]) : 0xffffffffu);
                const mmm_counts *counts = mmm_machine_counts(machines[m]);
                if (counts) assert_int_equal(counts->global_writes, count);
            }
            end(&x);
        }
}

static void test_planes(void **state)
{
    enum { ROWS = 37, COLUMNS = 53 };
    static float a[ROWS * COLUMNS], b[ROWS * COLUMNS];
    static const int64_t shapes[][2] = {{8, 4}, {4, 8}, {16, 16}, {1, 5}, {33, 1}}; /* width, height */
    (void)state;
    for (int i = 0; i < ROWS * COLUMNS; i++)
        a[i] = (float)i / 3;
    for (int k = 0; k < 5; k++) {
        int64_t width = shapes[k][0], height = shapes[k][1];
        mmm_f32_array of_a, of_b;
        bench x = begin(32);
        ARRAY(&x, of_a, ROWS * COLUMNS, MMM_IN, a);
        ARRAY(&x, of_b, ROWS * COLUMNS, MMM_OUT, b);
        assert_ok(launch_transpose(x.program, (COLUMNS + width - 1) / width, (ROWS + height - 1) / height, width,
                                   height, of_a, of_b, ROWS, COLUMNS, width, height));
        for (int m = 0; m < machine_count; m++) {
            run(&x, m);
            for (int i = 0; i < ROWS; i++)
                for (int j = 0; j < COLUMNS; j++)
                    assert_same(m, "an element of the transpose", b[j * ROWS + i], a[i * COLUMNS + j]);
            const mmm_counts *counts = mmm_machine_counts(machines[m]);
            if (counts) assert_int_equal(counts->local_words, height * (width + 1));
        }
        end(&x);
    }
}

static void test_places(void **state)
{
    enum { X = 3, Y = 2, WIDTH = 5, HEIGHT = 4, PLACES = X * Y * WIDTH * HEIGHT };
    static int32_t out[8 * PLACES];
    mmm_i32_array of_out;
    bench x = begin(32);
    (void)state;
    ARRAY(&x, of_out, 8 * PLACES, MMM_OUT, out);
    assert_ok(launch_places(x.program, X, Y, WIDTH, HEIGHT, of_out));
    assert_int_equal(x.program->nodes[0].blocks, X * Y);
    assert_int_equal(x.program->nodes[0].threads, WIDTH * HEIGHT);
    for (int m = 0; m < machine_count; m++) {
        run(&x, m);
        for (int i = 0; i < PLACES; i++) {
            int t = i % (WIDTH * HEIGHT), block = i / (WIDTH * HEIGHT);
            const int32_t expected[] = {
                t % WIDTH + 1000 * (t / WIDTH), block % X, block / X, X, Y, WIDTH, HEIGHT, X * Y};
            for (int k = 0; k < 8; k++)
                assert_same(m, "a place", out[8 * i + k], expected[k]);
        }
    }
    end(&x);
}

/* Elements of 1 to 8 bytes, in numbers that leave no array whole words. */
static void test_sizes(void **state)
{
    enum { ELEMENTS = 237, THREADS_HERE = 48 };
    static int8_t a[ELEMENTS], b[ELEMENTS];
    static uint8_t c[ELEMENTS], d[ELEMENTS];
    static int16_t e[ELEMENTS], f[ELEMENTS];
    static uint16_t g[ELEMENTS], h[ELEMENTS];
    static int64_t i[ELEMENTS], j[ELEMENTS];
    static uint64_t k[ELEMENTS], l[ELEMENTS];
    mmm_random random = {7};
    (void)state;
    for (int n = 0; n < ELEMENTS; n++) {
        a[n] = (int8_t)mmm_random_next(&random);
        c[n] = (uint8_t)mmm_random_next(&random);
        e[n] = (int16_t)mmm_random_next(&random);
        g[n] = (uint16_t)mmm_random_next(&random);
        i[n] = (int64_t)mmm_random_next(&random);
        k[n] = mmm_random_next(&random);
    }
    c[5] = 255;
    g[6] = 65535;
    mmm_i8_array of_a, of_b;
    mmm_u8_array of_c, of_d;
    mmm_i16_array of_e, of_f;
    mmm_u16_array of_g, of_h;
    mmm_i64_array of_i, of_j;
    mmm_u64_array of_k, of_l;
    bench x = begin(32);
    ARRAY(&x, of_a, ELEMENTS, MMM_IN, a);
    ARRAY(&x, of_b, ELEMENTS, MMM_OUT, b);
    ARRAY(&x, of_c, ELEMENTS, MMM_IN, c);
    ARRAY(&x, of_d, ELEMENTS, MMM_OUT, d);
    ARRAY(&x, of_e, ELEMENTS, MMM_IN, e);
    ARRAY(&x, of_f, ELEMENTS, MMM_OUT, f);
    ARRAY(&x, of_g, ELEMENTS, MMM_IN, g);
    ARRAY(&x, of_h, ELEMENTS, MMM_OUT, h);
    ARRAY(&x, of_i, ELEMENTS, MMM_IN, i);
    ARRAY(&x, of_j, ELEMENTS, MMM_OUT, j);
    ARRAY(&x, of_k, ELEMENTS, MMM_IN, k);
    ARRAY(&x, of_l, ELEMENTS, MMM_OUT, l);
    assert_ok(launch_sizes(x.program, (ELEMENTS + THREADS_HERE - 1) / THREADS_HERE, THREADS_HERE, of_a, of_b, of_c,
                           of_d, of_e, of_f, of_g, of_h, of_i, of_j, of_k, of_l, ELEMENTS));
    for (int m = 0; m < machine_count; m++) {
        run(&x, m);
        for (int n = 0; n < ELEMENTS; n++) {
            assert_same(m, "an i8", b[n], (int8_t)-a[n]);
            assert_same(m, "a u8", d[n], (uint8_t)(c[n] + 1));
            assert_same(m, "an i16", f[n], (int16_t)-e[n]);
            assert_same(m, "a u16", h[n], (uint16_t)(g[n] + 1));
            assert_same(m, "an i64", j[n], -i[n]);
            assert_same(m, "a u64", l[n], k[n] + 1);
        }
        const mmm_counts *counts = mmm_machine_counts(machines[m]);
        if (counts) assert_int_equal(counts->local_words, THREADS_HERE * (1 + 2 + 8) / 4);
    }
    end(&x);
}

static void test_small_locals(void **state)
{
    static uint8_t out[BLOCKS];
    mmm_u8_array of_out;
    (void)state;
    for (int bits = 32; bits <= 64; bits += 32) {
        bench x = begin(bits);
        ARRAY(&x, of_out, BLOCKS, MMM_OUT, out);
        assert_ok(launch_small_locals(x.program, BLOCKS, 3, of_out));
        for (int m = 0; m < machine_count; m++) {
            run(&x, m);
            for (int i = 0; i < BLOCKS; i++)
                assert_same(m, "a sum of small things", out[i], 10);
        }
        end(&x);
    }
}

static void test_scalars(void **state)
{
    (void)state;
    for (int bits = 32; bits <= 64; bits += 32) {
        static int64_t out[8];
        static double reals[2];
        const int64_t word = bits == 32 ? 4000000000 : INT64_MAX - 7;
        const int64_t expected[] = {-5, 4000000000, INT32_MIN, 4294967295, INT64_MIN + 3, -2, word, 77};
        mmm_i64_array of_out;
        mmm_f64_array of_reals;
        bench x = begin(bits);
        ARRAY(&x, of_out, 8, MMM_OUT, out);
        ARRAY(&x, of_reals, 2, MMM_OUT, reals);
        assert_ok(launch_scalars(x.program, 1, 3, of_out, of_reals, expected[0], expected[1], expected[2], expected[3],
                                 expected[4], (uint64_t)expected[5], (uint64_t)expected[6], 0.1f, 0.1, expected[7]));
        for (int m = 0; m < machine_count; m++) {
            run(&x, m);
            for (int i = 0; i < 8; i++)
                if (out[i] != expected[i])
                    fail_msg("%s: parameter %d is %lld, not %lld", names[m], i, (long long)out[i],
                             (long long)expected[i]);
            assert_same(m, "a float parameter", reals[0], (double)0.1f);
            assert_same(m, "a double parameter", reals[1], 0.1);
        }
        /* What an int does not hold is refused, and arrays of another type are. */
        assert_fails(launch_scalars(x.program, 1, 3, of_out, of_reals, (int64_t)1 << 31, 0, 0, 0, 0, 0, 0, 0, 0, 0),
                     MMM_TOO_LARGE, "'a' of kernel 'scalars' is 2147483648");
        assert_fails(launch_scalars(x.program, 1, 3, of_out, of_reals, 0, -1, 0, 0, 0, 0, 0, 0, 0, 0), MMM_TOO_LARGE,
                     "'b'");
        assert_fails(
            launch_scalars(x.program, 1, 3, (mmm_i64_array){of_reals.number}, of_reals, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
            MMM_INVALID, "'out' of kernel 'scalars' is an array of i64, 'of_reals' has f64");
        assert_fails(launch_scalars(x.program, 1, 3, (mmm_i64_array){9}, of_reals, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
                     MMM_INVALID, "names array 9 of 2");
        assert_int_equal(mmm_program_kernels(x.program), 1);
        end(&x);
    }
}

static void test_small_scalars(void **state)
{
    static int64_t out[4];
    const int64_t least[] = {INT8_MIN, 0, INT16_MIN, 0}, most[] = {INT8_MAX, UINT8_MAX, INT16_MAX, UINT16_MAX};
    mmm_i64_array of_out;
    (void)state;
    for (int high = 0; high < 2; high++) {
        const int64_t *x = high ? most : least;
        bench b = begin(32);
        ARRAY(&b, of_out, 4, MMM_OUT, out);
        assert_ok(launch_small_scalars(b.program, 1, 3, of_out, x[0], x[1], x[2], x[3]));
        for (int m = 0; m < machine_count; m++) {
            run(&b, m);
            for (int i = 0; i < 4; i++)
                if (out[i] != x[i]) fail_msg("%s: parameter %d is %lld", names[m], i, (long long)out[i]);
        }
        for (int i = 0; i < 4; i++) {
            int64_t y[] = {x[0], x[1], x[2], x[3]};
            y[i] += high ? 1 : -1;
            assert_fails(launch_small_scalars(b.program, 1, 3, of_out, y[0], y[1], y[2], y[3]), MMM_TOO_LARGE,
                         "does not hold it");
        }
        end(&b);
    }
}

static void test_floats(void **state)
{
    enum { THREADS_HERE = 40, HERE = BLOCKS * THREADS_HERE };
    static float a[HERE], u[HERE];
    static double b[HERE], v[HERE];
    const float f = 1.7f;
    const double d = 1.7;
    mmm_random random = {8};
    (void)state;
    for (int i = 0; i < HERE; i++) {
        b[i] = (double)(mmm_random_next(&random) >> 11) / 9007199254740992.0 * 20 + 0.01;
        a[i] = (float)b[i];
    }
    mmm_f32_array of_a, of_u;
    mmm_f64_array of_b, of_v;
    bench x = begin(32);
    ARRAY(&x, of_a, HERE, MMM_IN, a);
    ARRAY(&x, of_b, HERE, MMM_IN, b);
    ARRAY(&x, of_u, HERE, MMM_OUT, u);
    ARRAY(&x, of_v, HERE, MMM_OUT, v);
    assert_ok(launch_exact_floats(x.program, BLOCKS, THREADS_HERE, of_a, of_b, of_u, of_v, f, d));
    for (int m = 0; m < machine_count; m++) {
        run(&x, m);
        for (int i = 0; i < HERE; i++) {
            volatile float s = a[i] * f, n = a[i];
            volatile double t = b[i] * d, o = b[i];
            s = s + 0.1f;
            s = s - floorf(n);
            s = s + ceilf(f);
            s = s + fabsf(n);
            s = s + (n < f ? n : f);
            s = s - (n > 0.5f ? n : 0.5f);
            s = s + fmaf(n, f, n);
            s = s + fabsf(n - f);
            t = t + 0.1;
            t = t - floor(o);
            t = t + ceil(d);
            t = t + fabs(o);
            t = t + (o < d ? o : d);
            t = t - (o > 0.5 ? o : 0.5);
            t = t + fma(o, d, o);
            t = t + fabs(o - d);
            t = t + (double)n;
            assert_same(m, "a float", u[i], s);
            assert_same(m, "a double", v[i], t);
        }
    }
    end(&x);
    x = begin(32);
    ARRAY(&x, of_a, HERE, MMM_IN, a);
    ARRAY(&x, of_b, HERE, MMM_IN, b);
    ARRAY(&x, of_u, HERE, MMM_OUT, u);
    ARRAY(&x, of_v, HERE, MMM_OUT, v);
    assert_ok(launch_other_floats(x.program, BLOCKS, THREADS_HERE, of_a, of_b, of_u, of_v));
    for (int m = 0; m < machine_count; m++) {
        run(&x, m);
        for (int i = 0; i < HERE; i++) {
            double s = sqrt(a[i]) + exp(a[i]) + log(a[i]) + sin(a[i]) + cos(a[i]) + pow(a[i], 1.5) + 1 / (double)a[i];
            double t = sqrt(b[i]) + exp(b[i]) + log(b[i]) + sin(b[i]) + cos(b[i]) + pow(b[i], 1.5) + 1 / b[i];
            if (fabs(u[i] - s) > 1e-5 * fabs(s) + 1e-5)
                fail_msg("%s: %.9g is not near %.9g", names[m], (double)u[i], s);
            if (fabs(v[i] - t) > 1e-13 * fabs(t) + 1e-13) fail_msg("%s: %.17g is not near %.17g", names[m], v[i], t);
        }
    }
    end(&x);
}

static void test_private_arrays(void **state)
{
    enum { THREADS_HERE = 37, EACH_HAS = 4, HERE = BLOCKS * THREADS_HERE * EACH_HAS };
    static uint32_t a[HERE], b[HERE];
    static double reals[BLOCKS * THREADS_HERE];
    mmm_word_array of_a, of_b;
    (void)state;
    for (int i = 0; i < HERE; i++)
        a[i] = (uint32_t)i * 7;
    bench x = begin(32);
    ARRAY(&x, of_a, HERE, MMM_IN, a);
    ARRAY(&x, of_b, HERE, MMM_OUT, b);
    assert_ok(launch_private_arrays(x.program, BLOCKS, THREADS_HERE, of_a, of_b, 5, EACH_HAS));
    for (int m = 0; m < machine_count; m++) {
        run(&x, m);
        for (int i = 0; i < HERE; i++)
            assert_same(m, "a thread's own", b[i], a[i - i % EACH_HAS + (i + 5) % EACH_HAS]);
    }
    end(&x);
    for (int count = 96; count <= 1000; count += 904) { /* as many as there may be; more than hosts have room for */
        mmm_f64_array of_reals;
        x = begin(32);
        ARRAY(&x, of_reals, BLOCKS * THREADS_HERE, MMM_OUT, reals);
        assert_ok(launch_private_too_many(x.program, BLOCKS, THREADS_HERE, of_reals, count));
        for (int m = 0; m < machine_count; m++) {
            bool host = strcmp(names[m], "cpu") == 0 || strcmp(names[m], "abstract") == 0;
            if (count == 96)
                run(&x, m);
            else if (host)
                assert_fails(mmm_machine_run(machines[m], x.program, NULL), MMM_TOO_LARGE,
                             "is too much: a thread has at most 96 values of 8 bytes");
        }
        end(&x);
    }
}

/* Sums of one to eight products of residues: the largest operands of either sign, 0, 1 and random ones. */
static void check_sums(uint64_t p, int count)
{
    enum { TERMS = 8 * COUNT };
    static uint64_t wide[2][TERMS], out[8][COUNT];
    static uint32_t narrow[2][TERMS], out32[8][COUNT];
    mmm_modulus modulus;
    mmm_word_array a, b, few, value, carried, kept, joined, late, by, first;
    mmm_random random = {p + (uint64_t)count};
    bench x = begin_modulo(p, &modulus);
    for (int i = 0; i < 2 * TERMS; i++) {
        const uint64_t hostile[] = {(p - 1) / 2, (p + 1) / 2 % p, p - 1, 0, 1 % p, mmm_random_below(&random, p)};
        int thread = i % TERMS / 8,
            which = thread < 24 ? thread / (i < TERMS ? 1 : 5) % 5 : (int)((random.state >> 7) % 6);
        wide[i / TERMS][i % TERMS] = hostile[which];
        narrow[i / TERMS][i % TERMS] = (uint32_t)hostile[which];
    }
    bool is_wide = modulus.bits == 64;
    ARRAY(&x, a, TERMS, MMM_IN, is_wide ? (void *)wide[0] : narrow[0]);
    ARRAY(&x, b, TERMS, MMM_IN, is_wide ? (void *)wide[1] : narrow[1]);
    ARRAY(&x, few, COUNT, MMM_OUT, is_wide ? (void *)out[0] : out32[0]);
    ARRAY(&x, value, COUNT, MMM_OUT, is_wide ? (void *)out[1] : out32[1]);
    ARRAY(&x, carried, COUNT, MMM_OUT, is_wide ? (void *)out[2] : out32[2]);
    ARRAY(&x, kept, COUNT, MMM_OUT, is_wide ? (void *)out[3] : out32[3]);
    ARRAY(&x, joined, COUNT, MMM_OUT, is_wide ? (void *)out[4] : out32[4]);
    ARRAY(&x, late, COUNT, MMM_OUT, is_wide ? (void *)out[5] : out32[5]);
    ARRAY(&x, by, COUNT, MMM_OUT, is_wide ? (void *)out[6] : out32[6]);
    ARRAY(&x, first, COUNT, MMM_OUT, is_wide ? (void *)out[7] : out32[7]);
    assert_ok(launch_sums_of_products(x.program, BLOCKS, THREADS_OF_BLOCK, a, b, few, value, carried, kept, joined,
                                      late, by, first, count));
    for (int m = 0; m < machine_count; m++) {
        run(&x, m);
        for (int i = 0; i < COUNT; i++) {
            uint64_t sum = 0;
            for (int k = 8 * i; k < 8 * i + count; k++)
                sum = (uint64_t)((sum + (unsigned __int128)wide[0][k] * wide[1][k]) % p);
            sum = mmm_modulus_leave(&modulus, sum);
            uint64_t less = (uint64_t)((unsigned __int128)wide[0][8 * i + 1] * wide[1][8 * i + 1] % p);
            uint64_t one = (uint64_t)((unsigned __int128)wide[0][8 * i] * wide[1][8 * i] % p);
            uint64_t two = mmm_modulus_leave(&modulus, (uint64_t)(((unsigned __int128)one + p - less) % p));
            const unsigned __int128 right[] = {sum,
                                               sum,
                                               sum,
                                               (unsigned __int128)sum + modulus.one,
                                               (unsigned __int128)sum + sum + modulus.one,
                                               two,
                                               two,
                                               mmm_modulus_leave(&modulus, one)};
            for (int j = 0; j < 8; j++) {
                uint64_t found = is_wide ? out[j][i] : out32[j][i], expected = (uint64_t)(right[j] % p);
                if (found != expected)
                    fail_msg("%s: p=%llu, %d products, sum %d of thread %d is %llu, not %llu", names[m],
                             (unsigned long long)p, count, j, i, (unsigned long long)found,
                             (unsigned long long)expected);
            }
        }
    }
    end(&x);
}

static void test_sums_of_products(void **state)
{
    static const uint64_t primes[] = {
        2, 3, 5, 65537, 2013265921, 2147483647, 4294967291, 4294967311, 1152921504606846883u, 9223372036854775783u};
    (void)state;
    for (size_t i = 0; i < sizeof primes / sizeof *primes; i++)
        for (int count = 1; count <= 8; count += i < 4 ? 7 : 1)
            check_sums(primes[i], count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_items),          cmocka_unit_test(test_planes),
        cmocka_unit_test(test_places),         cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_small_locals),   cmocka_unit_test(test_scalars),
        cmocka_unit_test(test_small_scalars),  cmocka_unit_test(test_floats),
        cmocka_unit_test(test_private_arrays), cmocka_unit_test(test_sums_of_products),
    };
    return cmocka_run_group_tests(tests, open_machines, close_machines);
}
