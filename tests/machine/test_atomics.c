/* SPDX-License-Identifier: Apache-2.0 */
/* Atomics: results are those of plain C on every machine, counts are what they should be, and the abstract machine
 * finds what they do not allow, and nothing else. */
#include "bench.h"

#include "atomics/kernels.h"

static int by_value(const void *x, const void *y)
{
    uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return (a > b) - (a < b);
}

/* What the cells hold in the end, but for number 7: `count` numbers from x on worked on the start. */
static void expect(uint64_t cells[9], const void *start, const void *x, int64_t first, int64_t count, int size,
                   bool negative)
{
    for (int i = 0; i < 9; i++)
        cells[i] = element(start, i, size, negative);
    for (int64_t i = first; i < first + count; i++) {
        uint64_t v = element(x, i, size, negative);
        cells[0] += v;
        if (negative ? (int64_t)v < (int64_t)cells[1] : v < cells[1]) cells[1] = v;
        if (negative ? (int64_t)v > (int64_t)cells[2] : v > cells[2]) cells[2] = v;
        cells[3] &= v;
        cells[4] |= v;
        cells[5] ^= v;
        cells[6]++;
        cells[8] += 2;
    }
    if (size == 4) /* what a cell holds */
        for (int i = 0; i < 9; i++)
            cells[i] = negative ? (uint64_t)(int64_t)(int32_t)cells[i] : (uint32_t)cells[i];
}

static void assert_cells(int machine, const void *cells, const uint64_t *expected, int size, bool negative)
{
    for (int i = 0; i < 9; i++)
        if (i != 7 && element(cells, i, size, negative) != expected[i])
            fail_msg("%s, %d bytes%s: cell %d is %llx, not %llx", names[machine], size, negative ? " with sign" : "", i,
                     (unsigned long long)element(cells, i, size, negative), (unsigned long long)expected[i]);
}

/* From the smallest on these are the numbers `first`, first + 1, ... */
static void assert_all_there(int machine, const void *memory, int64_t from, int64_t count, int size, uint64_t first)
{
    uint64_t sorted[COUNT];
    for (int64_t i = 0; i < count; i++)
        sorted[i] = element(memory, from + i, size, false);
    qsort(sorted, (size_t)count, sizeof *sorted, by_value);
    for (int64_t i = 0; i < count; i++)
        if (sorted[i] != first + (uint64_t)i)
            fail_msg("%s, %d bytes: ticket %lld is %llu", names[machine], size, (long long)i,
                     (unsigned long long)sorted[i]);
}

/* What was exchanged, and what is left, is what there was at first and what was put there. */
static void assert_exchanged(int machine, const void *exchanged, const void *left, const void *start, const void *x,
                             int size)
{
    uint64_t found[COUNT + 1], given[COUNT + 1];
    for (int64_t i = 0; i < COUNT; i++) {
        found[i] = element(exchanged, i, size, false);
        given[i] = element(x, i, size, false);
    }
    found[COUNT] = element(left, 7, size, false);
    given[COUNT] = element(start, 7, size, false);
    qsort(found, COUNT + 1, sizeof *found, by_value);
    qsort(given, COUNT + 1, sizeof *given, by_value);
    for (int i = 0; i <= COUNT; i++)
        if (found[i] != given[i]) fail_msg("%s: a value was lost in an exchange of %d bytes", names[machine], size);
}

/* Random numbers, and cells that are not 0 but for those that count. */
static void fill_numbers(mmm_random *random, char *x, char *cells, int size)
{
    for (int i = 0; i < COUNT * size; i++)
        x[i] = (char)mmm_random_next(random);
    for (int i = 0; i < 9 * size; i++)
        cells[i] = i / size == 6 || i / size == 8 ? 0 : (char)mmm_random_next(random);
}

/* Both kernels of a type. */
#define ATOMICS(suffix, array, bits, size, negative)                                                                 \
    do {                                                                                                             \
        static char x[8 * COUNT], cells[8 * 9], tickets[8 * COUNT], exchanged[8 * COUNT], own[8 * 9 * BLOCKS];       \
        mmm_random random = {size};                                                                                  \
        uint64_t expected[9];                                                                                        \
        array of_x, of_cells, of_tickets, of_exchanged, of_own;                                                      \
        fill_numbers(&random, x, cells, size);                                                                       \
        bench b = begin(bits);                                                                                       \
        ARRAY(&b, of_x, COUNT, MMM_IN, x);                                                                           \
        ARRAY(&b, of_cells, 9, MMM_IN_OUT, cells);                                                                   \
        ARRAY(&b, of_tickets, COUNT, MMM_OUT, tickets);                                                              \
        ARRAY(&b, of_exchanged, COUNT, MMM_OUT, exchanged);                                                          \
        assert_ok(launch_global_atomics_##suffix(b.program, BLOCKS, THREADS_OF_BLOCK, of_cells, of_x, of_tickets,    \
                                                 of_exchanged));                                                     \
        for (int i = 0; i < machine_count; i++) {                                                                    \
            run(&b, i);                                                                                              \
            expect(expected, b.start[1], x, 0, COUNT, size, negative);                                               \
            assert_cells(i, cells, expected, size, negative);                                                        \
            assert_all_there(i, tickets, 0, COUNT, size, 0);                                                         \
            assert_exchanged(i, exchanged, cells, b.start[1], x, size);                                              \
        }                                                                                                            \
        memcpy(cells, b.start[1], sizeof cells < b.bytes[1] ? sizeof cells : b.bytes[1]);                            \
        end(&b);                                                                                                     \
        b = begin(bits);                                                                                             \
        ARRAY(&b, of_cells, 9, MMM_IN, cells);                                                                       \
        ARRAY(&b, of_x, COUNT, MMM_IN, x);                                                                           \
        ARRAY(&b, of_own, 9 * BLOCKS, MMM_OUT, own);                                                                 \
        ARRAY(&b, of_tickets, COUNT, MMM_OUT, tickets);                                                              \
        assert_ok(                                                                                                   \
            launch_local_atomics_##suffix(b.program, BLOCKS, THREADS_OF_BLOCK, of_cells, of_x, of_own, of_tickets)); \
        for (int i = 0; i < machine_count; i++) {                                                                    \
            run(&b, i);                                                                                              \
            for (int k = 0; k < BLOCKS; k++) {                                                                       \
                expect(expected, cells, x, k *THREADS_OF_BLOCK, THREADS_OF_BLOCK, size, negative);                   \
                assert_cells(i, own + 9 * k * (size), expected, size, negative);                                     \
                assert_all_there(i, tickets, k *THREADS_OF_BLOCK, THREADS_OF_BLOCK, size, 0);                        \
                assert_int_equal(element(own, 9 * k + 7, size, false), element(x, 0, size, false));                  \
            }                                                                                                        \
        }                                                                                                            \
        end(&b);                                                                                                     \
    } while (0)

static void test_atomics(void **state)
{
    (void)state;
    ATOMICS(int, mmm_i32_array, 32, 4, true);
    ATOMICS(unsigned, mmm_u32_array, 64, 4, false);
    ATOMICS(i64, mmm_i64_array, 32, 8, true);
    ATOMICS(u64, mmm_u64_array, 64, 8, false);
    ATOMICS(word, mmm_word_array, 32, 4, false);
    ATOMICS(word, mmm_word_array, 64, 8, false);
}

/* Atomics cost an operation each, and move a word both ways. */
static void test_atomic_counts(void **state)
{
    enum { WIDTH = 16, VALUES = 4000 };
    static uint8_t values[VALUES];
    static uint32_t bins[WIDTH], expected[WIDTH];
    mmm_random random = {3};
    (void)state;
    for (int i = 0; i < VALUES; i++)
        expected[(values[i] = (uint8_t)mmm_random_next(&random)) % WIDTH]++;
    mmm_u8_array of_values;
    mmm_u32_array of_bins;
    bench b = begin(32);
    ARRAY(&b, of_values, VALUES, MMM_IN, values);
    ARRAY(&b, of_bins, WIDTH, MMM_ZERO_OUT, bins);
    assert_ok(launch_histogram(b.program, BLOCKS, THREADS_OF_BLOCK, of_values, of_bins, VALUES, WIDTH));
    for (int i = 0; i < machine_count; i++) {
        run(&b, i);
        for (int k = 0; k < WIDTH; k++)
            assert_same(i, "a bin", bins[k], expected[k]);
        const mmm_counts *counts = mmm_machine_counts(machines[i]);
        if (!counts) continue;
        assert_int_equal(counts->arithmetic, VALUES + BLOCKS * WIDTH);
        assert_int_equal(counts->global_reads, VALUES + BLOCKS * WIDTH);
        assert_int_equal(counts->global_writes, BLOCKS * WIDTH);
        assert_int_equal(counts->local_accesses, BLOCKS * WIDTH + 2 * VALUES + 2 * BLOCKS * WIDTH);
        assert_int_equal(counts->local_words, WIDTH);
    }
    end(&b);
}

static void test_atomics_and_others(void **state)
{
    trial x;
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        for (int low = 0; low < 40; low += 13) {
            try(&x, seed);
            assert_ok(launch_atomic_and_write(x.program, 3, 40, x.a, low));
            found(&x, "write-write", "a");
            try(&x, seed);
            assert_ok(launch_atomic_and_read(x.program, 3, 40, x.a, x.b, low));
            found(&x, "read-write", "a");
        }
        try(&x, seed);
        assert_ok(launch_atomic_after_own_write(x.program, 3, 2, x.a));
        found(&x, "write-write", "a");
        try(&x, seed);
        assert_ok(launch_atomic_after_own_write(x.program, 3, 1, x.a));
        found(&x, NULL, NULL);
        try(&x, seed);
        assert_ok(launch_atomic_unwritten(x.program, 2, 20, x.a));
        assert_int_equal(found(&x, "unwritten-read", "cell"), 2 * 8);
        try(&x, seed);
        assert_ok(launch_atomic_alone(x.program, 3, 40, x.a, x.b));
        found(&x, NULL, NULL);
        for (int64_t block = 0; block < 4; block++) { /* whichever block runs first */
            try(&x, seed);
            assert_ok(launch_atomic_one_block_clears(x.program, 4, 8, x.a, block));
            found(&x, "block-race", "a");
            try(&x, seed);
            assert_ok(launch_atomic_one_block_reads(x.program, 4, 8, x.a, x.b, block));
            found(&x, "block-race", "a");
        }
        try(&x, seed);
        assert_ok(launch_atomic_all(x.program, 4, 40, x.a));
        assert_ok(launch_atomic_one_block_reads(x.program, 1, 40, x.a, x.b, 0)); /* after it */
        found(&x, NULL, NULL);
        assert_int_equal(x.words[1][0], 5 * 40);
        try(&x, seed);
        mmm_program_chain(x.program, 0); /* adding in unordered kernels is no race, */
        assert_ok(launch_atomic_all(x.program, 4, 40, x.a));
        assert_ok(launch_atomic_all(x.program, 4, 40, x.a));
        found(&x, NULL, NULL);
        assert_int_equal(x.words[0][0], 8 * 40);
        try(&x, seed);
        mmm_program_chain(x.program, 0); /* reading after one of them is, whichever added last, */
        assert_ok(launch_atomic_all(x.program, 2, 40, x.a));
        assert_ok(launch_atomic_all(x.program, 2, 40, x.a));
        assert_ok(launch_read_it(x.program, 1, 40, x.a, x.b));
        assert_ok(mmm_program_depend(x.program, (int)(seed % 2), 2));
        found(&x, "kernel-race", "a");
        try(&x, seed);
        mmm_program_chain(x.program, 0); /* after both it is not, */
        assert_ok(launch_atomic_all(x.program, 2, 40, x.a));
        assert_ok(launch_atomic_all(x.program, 2, 40, x.a));
        assert_ok(launch_read_it(x.program, 1, 40, x.a, x.b));
        assert_ok(mmm_program_depend(x.program, 0, 2));
        assert_ok(mmm_program_depend(x.program, 1, 2));
        found(&x, NULL, NULL);
        try(&x, seed);
        mmm_program_chain(x.program, 0); /* clearing in one of them is */
        assert_ok(launch_atomic_all(x.program, 4, 40, x.a));
        assert_ok(launch_atomic_one_block_clears(x.program, 1, 1, x.a, 0));
        found(&x, "kernel-race", "a");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_atomics),
        cmocka_unit_test(test_atomic_counts),
        cmocka_unit_test(test_atomics_and_others),
    };
    return cmocka_run_group_tests(tests, open_machines, close_machines);
}
