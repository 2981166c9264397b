/* SPDX-License-Identifier: Apache-2.0 */
/* What the dialect has besides what the paper's algorithms need: atomics, groups of threads, two dimensions, types of
 * every size.  Results are those of plain C on every machine, and the abstract machine finds no violation, or the one
 * that is there. */
#include "machine/gpu/gpu.h"
#include "machines.h"

#include "groups/kernels.h"

#include <math.h>

enum { ARRAYS = 16, BLOCKS = 5, THREADS_OF_BLOCK = 50, COUNT = BLOCKS * THREADS_OF_BLOCK };

/* A program under way, and its arrays as they began. */
typedef struct bench {
    mmm_program *program;
    int count;
    void *memory[ARRAYS], *start[ARRAYS];
    size_t bytes[ARRAYS];
} bench;

static bench begin(int bits)
{
    bench x = {0};
    assert_ok(mmm_program_new(&x.program));
    assert_ok(mmm_program_set_words(x.program, bits, NULL));
    return x;
}

static void add_array(bench *x, const char *name, mmm_type type, int64_t count, mmm_use use, void *memory, int *number)
{
    size_t size = type == MMM_WORD ? (size_t)x->program->word_bits / 8 : (size_t)mmm_type_size(type);
    assert_ok(mmm_program_array(x->program, name, type, count, use, memory, number));
    x->memory[x->count] = memory;
    x->bytes[x->count] = size * (size_t)count;
    x->start[x->count] = malloc(x->bytes[x->count] + 1);
    memcpy(x->start[x->count], memory, x->bytes[x->count]);
    x->count++;
}

#define ARRAY(x, handle, count, use, memory) \
    add_array(x, #handle, MMM_TYPE_OF(&(handle)), count, use, memory, &(handle).number)

static void end(bench *x)
{
    for (int i = 0; i < x->count; i++)
        free(x->start[i]);
    mmm_program_free(x->program);
}

/* Runs the program on a machine, with the arrays as they began. */
static void run(bench *x, int machine)
{
    for (int i = 0; i < x->count; i++)
        memcpy(x->memory[i], x->start[i], x->bytes[i]);
    mmm_status status = mmm_machine_run(machines[machine], x->program, NULL);
    if (status != MMM_OK) fail_msg("%s: %s", names[machine], mmm_message());
    const mmm_counts *counts = mmm_machine_counts(machines[machine]);
    if (!counts || !counts->violation_count) return;
    const mmm_violation *v = counts->violations;
    fail_msg("%s of %s[%lld] by block %lld, threads %lld and %lld of %s, line %d", mmm_violation_name(v->kind),
             v->array, (long long)v->index, (long long)v->second.block, (long long)v->first.thread,
             (long long)v->second.thread, v->second.kernel, v->line);
}

#define assert_same(machine, what, found, expected)                                                            \
    do {                                                                                                       \
        if ((found) != (expected))                                                                             \
            fail_msg("%s: %s is %.17g, not %.17g", names[machine], what, (double)(found), (double)(expected)); \
    } while (0)

/* ---- Atomics --------------------------------------------------------------------------------------------------------
 */

static int by_value(const void *x, const void *y)
{
    uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return (a > b) - (a < b);
}

/* An element of `size` bytes as a number of 64 bits, with its sign where it has one. */
static uint64_t element(const void *memory, int64_t i, int size, bool negative)
{
    uint64_t x = 0;
    memcpy(&x, (const char *)memory + i * size, (size_t)size);
    return negative && size == 4 ? (uint64_t)(int64_t)(int32_t)x : x;
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

/* ---- Violations -----------------------------------------------------------------------------------------------------
 */

enum { WORDS = 512 };

/* A program on the words a (given) and b, run on the abstract machine. */
typedef struct trial {
    mmm_program *program;
    mmm_machine *machine;
    mmm_word_array a, b;
    uint32_t words[2][WORDS];
} trial;

static void try(trial *x, uint64_t seed)
{
    memset(x, 0, sizeof *x);
    assert_ok(mmm_program_new(&x->program));
    assert_ok(mmm_program_set_words(x->program, 32, NULL));
    assert_ok(mmm_program_array(x->program, "a", MMM_WORD, WORDS, MMM_IN_OUT, x->words[0], &x->a.number));
    assert_ok(mmm_program_array(x->program, "b", MMM_WORD, WORDS, MMM_IN_OUT, x->words[1], &x->b.number));
    assert_ok(mmm_machine_open_abstract(mmm_parameters_builtin(), seed, &x->machine));
}

/* Finds violations of one kind on one array, or none where kind is NULL; how many in all. */
static int64_t found(trial *x, const char *kind, const char *array)
{
    int64_t count = 0;
    assert_ok(mmm_machine_run(x->machine, x->program, NULL));
    const mmm_counts *counts = mmm_machine_counts(x->machine);
    for (int i = 0; i < counts->violation_count; i++) {
        const mmm_violation *v = &counts->violations[i];
        if (!kind || strcmp(mmm_violation_name(v->kind), kind) != 0 || strcmp(v->array, array) != 0)
            fail_msg("%s of %s[%lld] by block %lld, threads %lld and %lld of %s, line %d", mmm_violation_name(v->kind),
                     v->array, (long long)v->index, (long long)v->second.block, (long long)v->first.thread,
                     (long long)v->second.thread, v->second.kernel, v->line);
        count += v->count;
    }
    if (kind && !count) fail_msg("no %s of %s was found", kind, array);
    mmm_machine_free(x->machine);
    mmm_program_free(x->program);
    return count;
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

static void test_group_order(void **state)
{
    static const struct {
        mmm_status (*launch)(mmm_program *program, int64_t blocks, int64_t threads, mmm_word_array b, int64_t distance);
        int64_t distance, threads;
        const char *kind;
    } cases[] = {
        {launch_group_then_group, 0, 96, NULL}, /* its own */
        {launch_group_then_group, 1, 20, NULL}, /* one group */
        {launch_group_then_group, 1, 32, NULL},
        {launch_group_then_group, 1, 96, "read-write"}, /* thread 31 reads what 32 wrote */
        {launch_group_then_group, 32, 96, "read-write"},
        {launch_group_then_group, 32, 64, "read-write"},
        {launch_group_then_group, 31, 33, "read-write"},
        {launch_group_then_threads, 0, 96, NULL},
        {launch_group_then_threads, 1, 32, NULL},
        {launch_group_then_threads, 1, 33, "read-write"},
        {launch_group_then_threads, 32, 96, "read-write"}, /* the barrier comes after the region of all threads */
        {launch_group_then_barrier, 0, 96, NULL},
        {launch_group_then_barrier, 1, 96, NULL},
        {launch_group_then_barrier, 32, 96, NULL},
        {launch_first_group_then_threads, 0, 96, NULL}, /* its own */
        {launch_first_group_then_threads, 31, 32, NULL},
        {launch_first_group_then_threads, 33, 96, "read-write"},
        {launch_first_group_then_threads, 70, 96, "read-write"},
        {launch_first_group_then_barrier, 0, 96, NULL},
        {launch_first_group_then_barrier, 7, 96, NULL},
        {launch_group_write_write, 0, 96, NULL},
        {launch_group_write_write, 1, 96, "write-write"},
        {launch_group_write_write, 2, 70, "write-write"},
        {launch_group_read_read_write, 1, 96, NULL},
        {launch_group_read_read_write, 0, 96, "read-write"}, /* the first reader's group is another than the writer's */
        {launch_group_read_read_write, 2, 96, "read-write"},
    };
    (void)state;
    for (uint64_t seed = 0; seed < 10; seed++) {
        trial x;
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            try(&x, seed);
            assert_ok(cases[i].launch(x.program, 3, cases[i].threads, x.b, cases[i].distance));
            int64_t count = found(&x, cases[i].kind, "cell");
            if (cases[i].kind && cases[i].distance == 32 && cases[i].threads == 96) assert_int_equal(count, 3 * 96);
        }
        try(&x, seed);
        assert_ok(launch_group_then_uniform(x.program, 3, 64, x.b));
        found(&x, "read-write", "cell");
        try(&x, seed);
        assert_ok(launch_group_then_uniform(x.program, 3, 32, x.b));
        found(&x, NULL, NULL);
        try(&x, seed);
        assert_ok(launch_group_same_region(x.program, 3, 64, x.b));
        found(&x, "read-write", "cell");
        try(&x, seed);
        assert_ok(launch_group_atomics(x.program, 3, 70, x.b));
        found(&x, NULL, NULL);
        try(&x, seed);
        assert_ok(launch_group_atomics_across(x.program, 3, 70, x.b));
        found(&x, "write-write", "cell");
    }
}

/* ---- Words of a group ------------------------------------------------------------------------------------------ */

static const int64_t block_sizes[] = {1, 31, 32, 33, 64, 100};
enum { SIZES = sizeof block_sizes / sizeof *block_sizes, MOST = BLOCKS * 100 };

/* The first thread of t's group in the block of i, and how many there are. */
static int64_t group_of(int64_t i, int64_t threads, int64_t *size)
{
    int64_t t = i % threads, first = t / 32 * 32;
    *size = threads - first < 32 ? threads - first : 32;
    return i - t + first;
}

static int64_t partner_of(int64_t i, int64_t threads, int64_t from)
{
    int64_t size, first = group_of(i, threads, &size), place = from & 31;
    return place < size ? first + place : i;
}

static void test_rotation(void **state)
{
    static uint32_t a[MOST], b[MOST], expected[MOST], next[MOST];
    mmm_random random = {4};
    (void)state;
    for (int k = 0; k < SIZES; k++) {
        int64_t threads = block_sizes[k], count = BLOCKS * threads;
        for (int64_t i = 0; i < count; i++)
            expected[i] = a[i] = (uint32_t)mmm_random_next(&random);
        for (int turn = 0; turn < 5; turn++) {
            for (int64_t i = 0; i < count; i++) {
                int64_t size, first = group_of(i, threads, &size);
                next[i] = expected[first + (i - first + 1) % size] + 1;
            }
            memcpy(expected, next, sizeof next);
        }
        mmm_word_array of_a, of_b;
        bench x = begin(32);
        ARRAY(&x, of_a, count, MMM_IN, a);
        ARRAY(&x, of_b, count, MMM_OUT, b);
        assert_ok(launch_group_rotate(x.program, BLOCKS, threads, of_a, of_b, 5));
        for (int i = 0; i < machine_count; i++) {
            run(&x, i);
            for (int64_t j = 0; j < count; j++)
                assert_same(i, "a word that went round", b[j], expected[j]);
        }
        end(&x);
    }
}

/* What 32 threads do alone, and what the others do meanwhile: its results everywhere, its work and its span. */
static void test_first_group(void **state)
{
    enum { TURNS = 7, ITEMS_OF_BLOCK = 150 };
    static uint32_t a[MOST], b[32 * BLOCKS], c[ITEMS_OF_BLOCK * BLOCKS];
    mmm_random random = {6};
    (void)state;
    for (int k = 0; k < SIZES; k++) {
        int64_t threads = block_sizes[k], count = BLOCKS * threads, alone = threads < 32 ? threads : 32;
        int64_t others = threads > 32 ? threads - 32 : threads, rounds = (ITEMS_OF_BLOCK + others - 1) / others;
        for (int64_t i = 0; i < count; i++)
            a[i] = (uint32_t)mmm_random_next(&random);
        mmm_word_array of_a, of_b, of_c;
        mmm_measures measures;
        bench x = begin(32);
        ARRAY(&x, of_a, count, MMM_IN, a);
        ARRAY(&x, of_b, alone * BLOCKS, MMM_OUT, b);
        ARRAY(&x, of_c, ITEMS_OF_BLOCK * BLOCKS, MMM_OUT, c);
        assert_ok(launch_first_group(x.program, BLOCKS, threads, of_a, of_b, of_c, TURNS, ITEMS_OF_BLOCK));
        for (int i = 0; i < machine_count; i++) {
            run(&x, i);
            for (int64_t j = 0; j < alone * BLOCKS; j++)
                assert_same(i, "a word that went round", b[j],
                            a[j / alone * threads + (j % alone + TURNS) % alone] + TURNS);
            for (int64_t j = 0; j < ITEMS_OF_BLOCK * BLOCKS; j++)
                assert_same(i, "an item", c[j],
                            a[j / ITEMS_OF_BLOCK * threads + j % ITEMS_OF_BLOCK % threads] +
                                (uint32_t)(j % ITEMS_OF_BLOCK));
            if (!mmm_machine_counts(machines[i])) continue;
            assert_ok(mmm_program_measures(x.program, mmm_parameters_builtin(), &measures));
            assert_int_equal(measures.work, BLOCKS * (2 * TURNS * alone + ITEMS_OF_BLOCK));
            assert_int_equal(measures.span, threads > 32 && rounds > 2 * TURNS ? rounds
                                            : threads > 32                     ? 2 * TURNS
                                                                               : 2 * TURNS + rounds);
        }
        end(&x);
    }
}

/* Regions at the ends of the arms of an `if`: no thread does another's part, or that of another arm. */
static void test_arms(void **state)
{
    static const int64_t sizes[] = {1, 2, 33, 100};
    static uint32_t a[MOST], b[MOST], expected[MOST];
    static const uint32_t rounds[] = {7, 5, 2}, steps[] = {1, 3, 5};
    mmm_random random = {7};
    (void)state;
    for (int k = 0; k < (int)(sizeof sizes / sizeof *sizes); k++)
        for (int turns = 1; turns <= 3; turns++) {
            int64_t threads = sizes[k], count = BLOCKS * threads, few = threads < 32 ? threads : 32;
            for (int64_t i = 0; i < count; i++)
                a[i] = (uint32_t)mmm_random_next(&random);
            for (int64_t block = 0; block < BLOCKS; block++) {
                uint32_t own[32], x[32], *to = expected + block * threads, step = 0;
                const uint32_t *from = a + block * threads;
                memcpy(own, from, (size_t)few * sizeof *own);
                for (int turn = 0; turn < turns; turn++) {
                    step = steps[(block + turn) % 3];
                    for (uint32_t round = 0; round < rounds[(block + turn) % 3]; round++) {
                        for (int64_t t = 0; t < few; t++)
                            x[t] = own[(t + step) % few] + round;
                        memcpy(own, x, (size_t)few * sizeof *own);
                    }
                }
                for (int64_t t = 0; t < threads; t++)
                    to[t] = t < few ? 2 * own[t] + step : 2 * from[t];
            }
            mmm_word_array of_a, of_b;
            bench x = begin(32);
            ARRAY(&x, of_a, count, MMM_IN, a);
            ARRAY(&x, of_b, count, MMM_OUT, b);
            assert_ok(launch_arms(x.program, BLOCKS, threads, of_a, of_b, turns, 7));
            for (int i = 0; i < machine_count; i++) {
                run(&x, i);
                for (int64_t j = 0; j < count; j++)
                    assert_same(i, "a word of an arm", b[j], expected[j]);
            }
            end(&x);
        }
}

static void test_collectives(void **state)
{
    static int32_t values[MOST], same[MOST], named[MOST], sums[MOST];
    static uint32_t odd[MOST];
    mmm_random random = {5};
    (void)state;
    for (int k = 0; k < SIZES; k++)
        for (int from = 0; from < 70; from += 35) {
            int64_t threads = block_sizes[k], count = BLOCKS * threads;
            for (int64_t i = 0; i < count; i++)
                values[i] = (int32_t)mmm_random_next(&random) >> draw(&random, 0, 30);
            mmm_i32_array of_values, of_same, of_named, of_sums;
            mmm_u32_array of_odd;
            bench x = begin(32);
            ARRAY(&x, of_values, count, MMM_IN, values);
            ARRAY(&x, of_odd, count, MMM_OUT, odd);
            ARRAY(&x, of_same, count, MMM_OUT, same);
            ARRAY(&x, of_named, count, MMM_OUT, named);
            ARRAY(&x, of_sums, count, MMM_OUT, sums);
            assert_ok(
                launch_collectives(x.program, BLOCKS, threads, of_values, of_odd, of_same, of_named, of_sums, from));
            for (int m = 0; m < machine_count; m++) {
                run(&x, m);
                for (int64_t i = 0; i < count; i++) {
                    int64_t size, first = group_of(i, threads, &size);
                    uint32_t votes = 0, sum = 0;
                    for (int64_t j = 0; j < size; j++)
                        votes |= (uint32_t)(values[first + j] % 2 != 0) << j;
                    for (int64_t j = first; j <= i; j++)
                        sum += (uint32_t)values[j];
                    assert_same(m, "a ballot", odd[i], votes);
                    assert_same(m, "a shuffle", same[i], values[partner_of(i, threads, from)]);
                    assert_same(m, "a shuffle by each", named[i], values[partner_of(i, threads, values[i])]);
                    assert_same(m, "a sum", (uint32_t)sums[i], sum);
                }
                const mmm_counts *counts = mmm_machine_counts(machines[m]);
                if (counts) assert_int_equal(counts->arithmetic, count * (1 + 1 + 1 + 1 + 5));
            }
            end(&x);
        }
}

/* Who has the same bits; and their number, which every thread of the same kind knows. */
static void test_match(void **state)
{
    static uint64_t values[MOST];
    static uint32_t same[MOST], ones[MOST];
    mmm_random random = {8};
    (void)state;
    for (int k = 0; k < SIZES; k++)
        for (int bits = 1; bits <= 64; bits += bits < 8 ? 7 : 28) /* 1, 8, 36, 64 */
            for (int low = 0; low + bits <= 64; low += 7) {
                int64_t threads = block_sizes[k], count = BLOCKS * threads;
                uint64_t mask = bits < 64 ? ((uint64_t)1 << bits) - 1 : ~(uint64_t)0;
                for (int64_t i = 0; i < count; i++)
                    values[i] = mmm_random_next(&random) & ~(mask << low) & (uint64_t)-draw(&random, 0, 1);
                for (int64_t i = 0; i < count; i++) /* few kinds, so that some are the same */
                    values[i] |= (uint64_t)draw(&random, 0, 3) * 0x9249249249249249u & mask << low;
                mmm_word_array of_values;
                mmm_u32_array of_same, of_ones;
                bench x = begin(64);
                ARRAY(&x, of_values, count, MMM_IN, values);
                ARRAY(&x, of_same, count, MMM_OUT, same);
                ARRAY(&x, of_ones, count, MMM_OUT, ones);
                assert_ok(launch_alike(x.program, BLOCKS, threads, of_values, of_same, of_ones, low, bits));
                for (int m = 0; m < machine_count; m++) {
                    run(&x, m);
                    for (int64_t i = 0; i < count; i++) {
                        int64_t size, first = group_of(i, threads, &size);
                        uint32_t alike = 0;
                        for (int64_t j = 0; j < size; j++)
                            alike |= (uint32_t)(((values[first + j] ^ values[i]) >> low & mask) == 0) << j;
                        assert_same(m, "a match", same[i], alike);
                        assert_same(m, "a popcount", ones[i],
                                    (uint32_t)(__builtin_popcount(alike) + 100 * __builtin_popcountll(values[i])));
                    }
                    const mmm_counts *counts = mmm_machine_counts(machines[m]);
                    if (counts) assert_int_equal(counts->arithmetic, count * (bits + 2));
                }
                end(&x);
            }
}

static void test_wide_collectives(void **state)
{
    enum { THREADS_HERE = 70, HERE = BLOCKS * THREADS_HERE };
    static int64_t values[HERE];
    static double reals[HERE];
    static float singles[HERE];
    static uint64_t words[HERE];
    mmm_random random = {6};
    (void)state;
    for (int i = 0; i < HERE; i++) {
        values[i] = (int64_t)mmm_random_next(&random);
        reals[i] = ((double)i - 100) / 7 * 1e100;
        singles[i] = ((float)i - 100) / 7;
        words[i] = mmm_random_next(&random);
    }
    mmm_i64_array of_values;
    mmm_f64_array of_reals;
    mmm_f32_array of_singles;
    mmm_word_array of_words;
    bench x = begin(64);
    ARRAY(&x, of_values, HERE, MMM_IN_OUT, values);
    ARRAY(&x, of_reals, HERE, MMM_IN_OUT, reals);
    ARRAY(&x, of_singles, HERE, MMM_IN_OUT, singles);
    ARRAY(&x, of_words, HERE, MMM_IN_OUT, words);
    assert_ok(launch_wide_collectives(x.program, BLOCKS, THREADS_HERE, of_values, of_reals, of_singles, of_words, 3));
    const int64_t *old = x.start[0];
    const double *old_reals = x.start[1];
    const float *old_singles = x.start[2];
    const uint64_t *old_words = x.start[3];
    for (int m = 0; m < machine_count; m++) {
        run(&x, m);
        for (int64_t i = 0; i < HERE; i++) {
            int64_t size, first = group_of(i, THREADS_HERE, &size), at = i;
            uint64_t sum = 0, word_sum = 0;
            for (int64_t j = first; j <= i; j++) {
                int64_t from = j;
                for (int turn = 0; turn < 3; turn++)
                    from = partner_of(from, THREADS_HERE, from % THREADS_HERE + 1);
                sum += (uint64_t)old[from];
                word_sum += old_words[from];
                at = from;
            }
            if ((uint64_t)values[i] != sum || words[i] != word_sum) fail_msg("%s: a sum of 64 bits is wrong", names[m]);
            assert_same(m, "a double", reals[i], old_reals[at]);
            assert_same(m, "a float", singles[i], old_singles[at]);
        }
    }
    end(&x);
}

/* ---- Items, two dimensions, types ------------------------------------------------------------------------------ */

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

/* Where groups exchange values in local memory, it counts among what a block needs. */
static void test_exchange(void **state)
{
    static int32_t values[64];
    static uint32_t odd[64];
    (void)state;
    for (int m = 0; m < machine_count; m++) {
        const mmm_gpu_driver *driver = machines[m]->type->gpu;
        if (!driver || !driver->group_extra) continue;
        int64_t Z = machines[m]->parameters.Z;
        for (int less = 1; less >= 0; less--) {
            mmm_i32_array of_values;
            mmm_u32_array of_odd;
            bench x = begin(32);
            ARRAY(&x, of_values, 64, MMM_IN_OUT, values);
            ARRAY(&x, of_odd, 64, MMM_OUT, odd);
            assert_ok(launch_collectives(x.program, 1, 64, of_values, of_odd, of_values, of_values, of_values, 0));
            machines[m]->parameters.Z = 64 * 8 / 4 - less;
            if (less)
                assert_fails(mmm_machine_run(machines[m], x.program, NULL), MMM_TOO_LARGE,
                             "needs 512 bytes of local memory a block");
            else
                assert_ok(mmm_machine_run(machines[m], x.program, NULL));
            machines[m]->parameters.Z = Z;
            end(&x);
        }
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
    bench x = {0};
    assert_ok(mmm_modulus_read(p, &modulus));
    assert_ok(mmm_program_new(&x.program));
    assert_ok(mmm_program_set_words(x.program, modulus.bits, &modulus));
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
            const unsigned __int128 right[] = {sum, sum, sum, (unsigned __int128)sum + modulus.one,
                                               (unsigned __int128)sum + sum + modulus.one,
                                               two, two, mmm_modulus_leave(&modulus, one)};
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_atomics),
        cmocka_unit_test(test_atomic_counts),
        cmocka_unit_test(test_atomics_and_others),
        cmocka_unit_test(test_group_order),
        cmocka_unit_test(test_rotation),
        cmocka_unit_test(test_first_group),
        cmocka_unit_test(test_arms),
        cmocka_unit_test(test_collectives),
        cmocka_unit_test(test_match),
        cmocka_unit_test(test_wide_collectives),
        cmocka_unit_test(test_exchange),
        cmocka_unit_test(test_items),
        cmocka_unit_test(test_planes),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_small_locals),
        cmocka_unit_test(test_scalars),
        cmocka_unit_test(test_small_scalars),
        cmocka_unit_test(test_floats),
        cmocka_unit_test(test_private_arrays),
        cmocka_unit_test(test_sums_of_products),
        cmocka_unit_test(test_lanes),
    };
    return cmocka_run_group_tests(tests, open_machines, close_machines);
}
