/* SPDX-License-Identifier: Apache-2.0 */
/* What groups of 32 threads ask of memory, against a plain loop over the addresses of known kernels. */
#include "traffic.h"

/* Numbers of elements that the threads of a group access at once; -1: a thread that does not. */
typedef struct touch {
    int64_t at[32];
    int count;
} touch;

static void add(touch *x, int64_t at)
{
    if (at >= 0) x->at[x->count++] = at;
}

/* Different values of at * size / unit. */
static int64_t units(const touch *x, int size, int unit)
{
    int64_t n = 0;
    for (int i = 0; i < x->count; i++) {
        bool first = true;
        for (int j = 0; j < i; j++)
            first &= x->at[j] * size / unit != x->at[i] * size / unit;
        n += first;
    }
    return n;
}

static void expect_global(mmm_traffic *t, const touch *x, int size)
{
    if (!x->count) return;
    t->requests++;
    t->sectors += units(x, size, 32);
    t->lines += units(x, size, 128);
}

/* Bank by bank, the words of it that somebody wants. */
static void expect_local(mmm_traffic *t, const touch *x, int size, bool atomic)
{
    int64_t most = 0;
    if (!x->count) return;
    for (int bank = 0; bank < 32; bank++) {
        int64_t wanted[4 * 32], n = 0;
        for (int i = 0; i < x->count; i++)
            for (int64_t word = x->at[i] * size / 4; word <= (x->at[i] * size + size - 1) / 4; word++) {
                bool there = word % 32 != bank;
                for (int64_t j = 0; j < n && !atomic; j++)
                    there |= wanted[j] == word;
                if (!there) wanted[n++] = word;
            }
        if (n > most) most = n;
    }
    t->local_requests++;
    t->passes += most;
}

/* A turn of threads low .. high - 1 of a group. */
static void expect_turn(mmm_traffic *t, int threads)
{
    if (threads <= 0) return;
    t->turns++;
    t->threads += threads;
    t->partial += threads < 32;
}

static void assert_same(const mmm_traffic *x, const mmm_traffic *expected)
{
    assert_int_equal(x->turns, expected->turns);
    assert_int_equal(x->threads, expected->threads);
    assert_int_equal(x->partial, expected->partial);
    assert_int_equal(x->requests, expected->requests);
    assert_int_equal(x->sectors, expected->sectors);
    assert_int_equal(x->lines, expected->lines);
    assert_int_equal(x->local_requests, expected->local_requests);
    assert_int_equal(x->passes, expected->passes);
}

/* The region that fills a local array of `width`, and the one that takes elements by their numbers. */
static mmm_traffic expect_gather(const int32_t *index, int threads, int width, int size)
{
    mmm_traffic t = {0};
    for (int b = 0; b < BLOCKS; b++) {
        for (int round = 0; round < width; round += threads)
            for (int g = 0; g < threads; g += 32) {
                touch x = {.count = 0};
                for (int i = g; i < g + 32 && i < threads; i++)
                    if (round + i < width) add(&x, round + i);
                expect_turn(&t, x.count);
                expect_global(&t, &x, size);
                expect_local(&t, &x, size, false);
            }
        for (int g = 0; g < threads; g += 32) {
            touch own = {.count = 0}, taken = own, some = own, others = own;
            for (int i = g; i < g + 32 && i < threads; i++) {
                int32_t at = index[b * threads + i];
                add(&own, b * threads + i);
                add(&taken, at);
                add(at < 0 ? &others : &some, b * threads + i);
            }
            expect_turn(&t, own.count);
            expect_global(&t, &own, 4);
            expect_global(&t, &taken, size);
            expect_local(&t, &taken, size, false);
            expect_global(&t, &some, size);
            expect_global(&t, &others, size);
        }
    }
    return t;
}

static void check_gather(const int32_t *index, int threads, int width, int bits)
{
    mmm_program *program = begin(bits);
    static uint64_t a[MOST], b[MOST];
    mmm_i32_array of_index;
    mmm_word_array of_a, of_b;
    ARRAY(program, of_index, BLOCKS * threads, MMM_IN, (void *)(uintptr_t)index);
    ARRAY(program, of_a, width, MMM_IN, a);
    ARRAY(program, of_b, BLOCKS * threads, MMM_OUT, b);
    assert_ok(launch_gather(program, BLOCKS, threads, of_index, of_a, of_b, width));
    mmm_traffic t = counted(program), expected = expect_gather(index, threads, width, bits / 8);
    assert_same(&t, &expected);
    assert_int_equal(t.footprint, 32 * ((BLOCKS * threads * 4 + 31) / 32 + (width * bits / 8 + 31) / 32 +
                                        (BLOCKS * threads * bits / 8 + 31) / 32));
    mmm_program_free(program);
}

/* Every stride, with groups that are full and not; and random elements, some threads having none. */
static void test_gather(void **state)
{
    static int32_t index[BLOCKS * 100];
    (void)state;
    mmm_random random = {7};
    for (int stride = 1; stride <= 33; stride++) {
        for (int i = 0; i < BLOCKS * 32; i++)
            index[i] = i % 32 * stride;
        check_gather(index, 32, 32 * stride, stride % 2 ? 32 : 64);
    }
    for (int round = 0; round < 100; round++) {
        int threads = (int)draw(&random, 1, 100), width = (int)draw(&random, 1, 1000);
        for (int i = 0; i < BLOCKS * threads; i++)
            index[i] = (int32_t)draw(&random, round % 3 ? 0 : -width, width - 1);
        check_gather(index, threads, width, round % 2 ? 32 : 64);
    }
}

/* Known numbers, so that the loop above is not believed alone: a stride of s words in 32 banks meets gcd(s, 32) times.
 */
static void test_strides(void **state)
{
    static int32_t index[BLOCKS * 32];
    static uint64_t a[MOST], b[MOST];
    (void)state;
    for (int stride = 1; stride <= 64; stride++) {
        mmm_program *program = begin(32);
        mmm_i32_array of_index;
        mmm_word_array of_a, of_b;
        int ways = stride % 32 ? stride & -stride : 32, sectors = stride < 8 ? (31 * stride + 8) / 8 : 32;
        for (int i = 0; i < BLOCKS * 32; i++)
            index[i] = i % 32 * stride;
        ARRAY(program, of_index, BLOCKS * 32, MMM_IN, index);
        ARRAY(program, of_a, 32 * stride, MMM_IN, a);
        ARRAY(program, of_b, BLOCKS * 32, MMM_OUT, b);
        assert_ok(launch_gather(program, BLOCKS, 32, of_index, of_a, of_b, 32 * stride));
        mmm_traffic t = counted(program);
        assert_int_equal(t.passes, BLOCKS * (stride + ways));
        assert_int_equal(t.sectors, BLOCKS * (4 * stride + 4 + sectors + 4));
        assert_int_equal(t.words_most, 3 + stride);
        assert_int_equal(t.local_most, 1 + stride);
        mmm_program_free(program);
    }
}

static void test_bytes(void **state)
{
    static int32_t index[BLOCKS * 64];
    static uint8_t a[MOST], b[MOST];
    mmm_random random = {8};
    (void)state;
    for (int round = 0; round < 20; round++) {
        int threads = (int)draw(&random, 1, 64), width = (int)draw(&random, 1, 500);
        mmm_program *program = begin(32);
        mmm_i32_array of_index;
        mmm_u8_array of_a, of_b;
        for (int i = 0; i < BLOCKS * threads; i++)
            index[i] = (int32_t)draw(&random, 0, width - 1);
        ARRAY(program, of_index, BLOCKS * threads, MMM_IN, index);
        ARRAY(program, of_a, width, MMM_IN, a);
        ARRAY(program, of_b, BLOCKS * threads, MMM_OUT, b);
        assert_ok(launch_gather_bytes(program, BLOCKS, threads, of_index, of_a, of_b, width));
        mmm_traffic t = counted(program), expected = expect_gather(index, threads, width, 1);
        for (int b_ = 0; b_ < BLOCKS; b_++) /* its index is read twice */
            for (int g = 0; g < threads; g += 32) {
                touch own = {.count = 0};
                for (int i = g; i < g + 32 && i < threads; i++)
                    add(&own, b_ * threads + i);
                expect_global(&expected, &own, 4);
            }
        assert_same(&t, &expected);
        mmm_program_free(program);
    }
}

/* The k-th time that a thread comes by is together with the k-th time of the others. */
static void test_loops(void **state)
{
    enum { THREADS = 70, TIMES = 20 };
    static int32_t times[BLOCKS * THREADS];
    static uint32_t a[TIMES * THREADS], b[BLOCKS * THREADS];
    mmm_random random = {9};
    mmm_traffic expected = {0};
    mmm_i32_array of_times;
    mmm_word_array of_a, of_b;
    mmm_program *program = begin(32);
    (void)state;
    for (int i = 0; i < BLOCKS * THREADS; i++)
        times[i] = (int32_t)draw(&random, 0, TIMES);
    ARRAY(program, of_times, BLOCKS * THREADS, MMM_IN, times);
    ARRAY(program, of_a, TIMES * THREADS, MMM_IN, a);
    ARRAY(program, of_b, BLOCKS * THREADS, MMM_OUT, b);
    assert_ok(launch_loops(program, BLOCKS, THREADS, of_times, of_a, of_b));
    for (int block = 0; block < BLOCKS; block++)
        for (int g = 0; g < THREADS; g += 32) {
            touch own = {.count = 0};
            for (int k = 0; k <= TIMES; k++) {
                touch tested = {.count = 0}, read = tested;
                for (int i = g; i < g + 32 && i < THREADS; i++) {
                    int32_t n = times[block * THREADS + i];
                    if (k <= n) add(&tested, block * THREADS + i);
                    if (k < n) add(&read, k * THREADS + i);
                    if (k == 0) add(&own, block * THREADS + i);
                }
                expect_global(&expected, &tested, 4);
                expect_global(&expected, &read, 4);
            }
            expect_turn(&expected, own.count);
            expect_global(&expected, &own, 4);
        }
    mmm_traffic t = counted(program);
    assert_same(&t, &expected);
    mmm_program_free(program);
}

/* The example of every introduction: a column is 32 sectors, a row 4; a tile of 32 columns has them in one bank, one of
 * 33 in different ones. */
static void test_transpose(void **state)
{
    enum { N = 64, GROUPS = N * N / 32 };
    static float a[N * N], b[N * N];
    static const struct {
        int tiled, more;
        int64_t sectors, passes;
    } rows[] = {{0, 0, GROUPS * (4 + 32), 0},
                {1, 0, GROUPS * (4 + 4), GROUPS * (1 + 32)},
                {1, 1, GROUPS * (4 + 4), GROUPS * 2}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        mmm_program *program = begin(32);
        mmm_f32_array of_a, of_b;
        ARRAY(program, of_a, N * N, MMM_IN, a);
        ARRAY(program, of_b, N * N, MMM_OUT, b);
        if (rows[i].tiled)
            assert_ok(launch_transpose_tiled(program, N / 32, N / 32, 32, 32, of_a, of_b, N, rows[i].more));
        else
            assert_ok(launch_transpose_plain(program, N / 32, N / 32, 32, 32, of_a, of_b, N));
        mmm_traffic t = counted(program);
        assert_int_equal(t.requests, 2 * GROUPS);
        assert_int_equal(t.sectors, rows[i].sectors);
        assert_int_equal(t.lines, rows[i].tiled ? 2 * GROUPS : 33 * GROUPS);
        assert_int_equal(t.passes, rows[i].passes);
        assert_int_equal(t.turns, (rows[i].tiled ? 2 : 1) * GROUPS);
        assert_int_equal(t.footprint, 2 * N * N * 4);
        assert_int_equal(t.partial, 0);
        mmm_program_free(program);
    }
}

/* Atomics on one word follow each other. */
static void test_atomics(void **state)
{
    enum { WIDTH = 64, THREADS = 64 };
    static int32_t index[BLOCKS * THREADS];
    static uint32_t sums[WIDTH];
    (void)state;
    for (int ways = 1; ways <= 32; ways *= 2) {
        mmm_program *program = begin(32);
        mmm_i32_array of_index;
        mmm_u32_array of_sums;
        mmm_traffic expected = {0};
        for (int i = 0; i < BLOCKS * THREADS; i++)
            index[i] = i % THREADS / ways;
        ARRAY(program, of_index, BLOCKS * THREADS, MMM_IN, index);
        ARRAY(program, of_sums, WIDTH, MMM_ZERO, sums);
        assert_ok(launch_tally(program, BLOCKS, THREADS, of_index, of_sums, WIDTH));
        mmm_traffic t = counted(program);
        for (int b = 0; b < BLOCKS; b++)
            for (int g = 0; g < THREADS; g += 32) {
                touch own = {.count = 0}, row = own, column = own;
                for (int i = g; i < g + 32; i++) {
                    add(&own, b * THREADS + i);
                    add(&row, i);
                    add(&column, index[i]);
                }
                for (int i = 0; i < 3; i++)
                    expect_turn(&expected, 32);
                expect_local(&expected, &row, 4, false);
                expect_global(&expected, &own, 4);
                expect_local(&expected, &column, 4, true);
                expect_local(&expected, &row, 4, false);
                expect_global(&expected, &row, 4);
            }
        assert_same(&t, &expected);
        assert_int_equal(t.operations[MMM_OPERATION_ATOMIC], BLOCKS * (THREADS + WIDTH));
        assert_int_equal(t.passes, BLOCKS * 2 * (1 + ways + 1));
        mmm_program_free(program);
    }
}

static void test_refused(void **state)
{
    mmm_machine *cpu;
    mmm_program *program = begin(32);
    mmm_traffic t;
    (void)state;
    assert_ok(mmm_machine_open("cpu", &cpu));
    assert_fails(mmm_machine_count_traffic(cpu, 1), MMM_INVALID, "does not count");
    assert_ok(mmm_program_add(program, "A", 1, 1, NULL));
    assert_fails(mmm_program_traffic(program, 0, &t), MMM_INVALID, "was not counted");
    assert_fails(mmm_program_traffic(program, 1, &t), MMM_INVALID, "no kernel 1");
    assert_string_equal(mmm_operation_kind_name(MMM_OPERATION_CROSS), "cross");
    assert_string_equal(mmm_operation_kind_name(MMM_OPERATION_KINDS), "");
    mmm_program_free(program);
    mmm_machine_free(cpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gather),  cmocka_unit_test(test_strides),   cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_loops),   cmocka_unit_test(test_transpose), cmocka_unit_test(test_atomics),
        cmocka_unit_test(test_refused),
    };
    if (mmm_machine_open("abstract", &machine) != MMM_OK) return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    mmm_machine_free(machine);
    return failed;
}
