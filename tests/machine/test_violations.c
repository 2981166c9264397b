/* SPDX-License-Identifier: Apache-2.0 */
/* The abstract machine finds each thing a kernel must not do, says where, and is silent about clean kernels. */
#include "testing.h"
#include "faulty.h"

FAULTY(write_write_local);
FAULTY(write_write_global);
FAULTY(read_after_write);
FAULTY(write_after_read);
FAULTY(write_after_two_reads);
FAULTY(uniform_read_then_write);
FAULTY(uniform_write);
FAULTY(block_write_write);
FAULTY(block_read_write);
FAULTY(block_reads_then_one_writes);
FAULTY(write_one);
FAULTY(read_one);
FAULTY(index_outside);
FAULTY(local_index_outside);
FAULTY(wild);
FAULTY(unwritten_local);
FAULTY(much_local);
FAULTY(left_region);
FAULTY(clean);

enum { THREADS_OF_BLOCK = 8, BLOCKS = 6, WORDS = 64 };

/* A program on two arrays of 64 words, a (given) and b (given where `b_given`). */
typedef struct bench {
    mmm_program *program;
    mmm_machine *machine;
    uint32_t a[WORDS], b[WORDS];
} bench;

static void begin(bench *x, const char *parameters, uint64_t seed, bool b_given)
{
    int array;
    mmm_parameters machine;
    memset(x, 0, sizeof *x);
    for (int i = 0; i < WORDS; i++)
        x->a[i] = (uint32_t)(100 + i);
    assert_ok(mmm_program_new(&x->program));
    assert_ok(mmm_program_set_words(x->program, 32, NULL));
    assert_ok(mmm_program_array(x->program, "a", WORDS, 4, MMM_IN_OUT, x->a, &array));
    assert_ok(mmm_program_array(x->program, "b", WORDS, 4, b_given ? MMM_IN_OUT : MMM_OUT, x->b, &array));
    assert_ok(mmm_parameters_read(parameters, &machine));
    assert_ok(mmm_machine_open_abstract(&machine, seed, &x->machine));
}

static int call(bench *x, const mmm_kernel *code, int64_t blocks, int count, int i, int j)
{
    /* Arguments in the order that kernels of one, two, three or four take them. */
    const mmm_argument one_array[] = {{MMM_ARRAY, 0}, {MMM_INTEGER, (uint64_t)i}};
    const mmm_argument two_arrays[] = {
        {MMM_ARRAY, 0}, {MMM_ARRAY, 1}, {MMM_INTEGER, (uint64_t)i}, {MMM_INTEGER, (uint64_t)j}};
    int kernel;
    assert_ok(mmm_program_launch(x->program, code, blocks, THREADS_OF_BLOCK, 64, count > 0 ? two_arrays : one_array,
                                 count > 0 ? count : -count, &kernel));
    return kernel;
}

static const mmm_counts *run(bench *x)
{
    assert_ok(mmm_machine_run(x->machine, x->program, NULL));
    return mmm_machine_counts(x->machine);
}

static void end(bench *x)
{
    mmm_machine_free(x->machine);
    mmm_program_free(x->program);
}

/* The line of tests/kernels/faulty.c that has this text. */
static int line_of(const char *text)
{
    char line[256];
    FILE *stream = fopen("tests/kernels/faulty.c", "r");
    assert_non_null(stream);
    for (int number = 1; fgets(line, sizeof line, stream); number++)
        if (strstr(line, text)) {
            fclose(stream);
            return number;
        }
    fail_msg("no line has '%s'", text);
    return 0;
}

static const mmm_violation *only(const mmm_counts *counts, const char *kind, const char *memory, const char *array)
{
    if (counts->violation_count != 1) fail_msg("%d violations, not 1", (int)counts->violation_count);
    const mmm_violation *v = counts->violations;
    assert_string_equal(mmm_violation_name(v->kind), kind);
    assert_string_equal(v->memory, memory);
    assert_string_equal(v->array, array);
    return v;
}

static void test_threads(void **state)
{
    static const struct {
        const mmm_kernel *code;
        const char *kind, *memory, *array, *line;
        int64_t index, first, second; /* cell and threads of the first violation, -2: do not care */
    } cases[] = {
        {&write_write_local, "write-write", "local", "cell", "cell[t / 2] = (word)t", 0, 0, 1},
        {&write_write_global, "write-write", "global", "a", "a[block * block_size + t % 7]", -2, 0, 7},
        {&read_after_write, "read-write", "local", "cell", "cell[t ? t - 1 : 0]", 0, 0, 1},
        {&write_after_read, "read-write", "local", "cell", "cell[t] = cell[t + 1]", 1, 0, 1},
        {&write_after_two_reads, "read-write", "local", "cell", "cell[0] = 2;", 0, -2, 0},
        {&uniform_write, "write-write", "global", "a", "a[block] = 1;", -2, -1, -1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (uint64_t seed = 1; seed <= 5; seed++) {
            bench x;
            begin(&x, "abstract", seed, false);
            call(&x, cases[i].code, BLOCKS, -1, 0, 0);
            const mmm_violation *v = only(run(&x), cases[i].kind, cases[i].memory, cases[i].array);
            assert_int_equal(v->line, line_of(cases[i].line));
            assert_string_equal(v->file, "faulty.c");
            if (cases[i].index != -2) assert_int_equal(v->index, cases[i].index);
            if (cases[i].first != -2) assert_int_equal(v->first.thread, cases[i].first);
            assert_int_equal(v->second.thread, cases[i].second);
            assert_int_equal(v->first.block, v->second.block);
            assert_string_equal(v->second.kernel, cases[i].code->name);
            assert_true(v->count >= BLOCKS);
            end(&x);
        }
}

static void test_uniform_read(void **state)
{
    bench x;
    (void)state;
    begin(&x, "abstract", 1, false);
    call(&x, &uniform_read_then_write, 1, 2, 0, 0);
    const mmm_violation *v = only(run(&x), "read-write", "global", "a");
    assert_int_equal(v->second.thread, 0);
    end(&x);
}

static void test_blocks(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        bench x;
        begin(&x, "abstract", seed, false);
        call(&x, &block_write_write, BLOCKS, -1, 0, 0);
        const mmm_violation *v = only(run(&x), "block-race", "global", "a");
        assert_int_equal(v->count, BLOCKS / 2);
        assert_int_equal(v->first.block / 2, v->second.block / 2);
        assert_int_not_equal(v->first.block, v->second.block);
        end(&x);

        begin(&x, "abstract", seed, false);
        call(&x, &block_read_write, BLOCKS, 2, 0, 0);
        const mmm_counts *counts = run(&x); /* as writer after reads, as reads after the write, or both */
        assert_in_range(counts->violation_count, 1, 2);
        for (int i = 0; i < counts->violation_count; i++) {
            v = &counts->violations[i];
            assert_string_equal(mmm_violation_name(v->kind), "block-race");
            assert_int_equal(v->index, 0);
            assert_true((v->first.block == 0) != (v->second.block == 0));
        }
        end(&x);

        begin(&x, "abstract", seed, false);
        call(&x, &block_reads_then_one_writes, BLOCKS, 3, (int)(seed % BLOCKS), 0);
        counts = run(&x);
        assert_in_range(counts->violation_count, 1, 2);
        assert_string_equal(mmm_violation_name(counts->violations[0].kind), "block-race");
        end(&x);
    }
}

/* Kernels w and r on one cell: a race exactly when nothing orders them, through any number of kernels between. */
static void test_kernels(void **state)
{
    (void)state;
    for (int between = 0; between < 4; between++)
        for (int ordered = 0; ordered < 2; ordered++)
            for (int second = 0; second < 2; second++) { /* the second access is a read or a write */
                bench x;
                begin(&x, "abstract", 1, false);
                int first = call(&x, &write_one, 2, -2, 5, 0), last = first;
                for (int i = 0; i < between; i++) {
                    int next = call(&x, &write_one, 2, -2, 10 + i, 0);
                    assert_ok(mmm_program_depend(x.program, last, next));
                    last = next;
                }
                int other = second ? call(&x, &write_one, 2, -2, 5, 0) : call(&x, &read_one, 2, 4, 5, 0);
                if (ordered) assert_ok(mmm_program_depend(x.program, last, other));
                const mmm_counts *counts = run(&x);
                if (ordered)
                    assert_int_equal(counts->violation_count, 0);
                else {
                    const mmm_violation *v = only(counts, "kernel-race", "global", "a");
                    assert_int_equal(v->index, 5);
                    assert_int_equal(v->first.block, 0);
                }
                end(&x);
            }
}

/* One cell, three unordered readers, then a writer ordered after some of them: a race unless after all. */
static void test_many_readers(void **state)
{
    (void)state;
    for (int mask = 0; mask < 8; mask++) {
        bench x;
        begin(&x, "abstract", 1, false);
        int readers[3];
        for (int i = 0; i < 3; i++)
            readers[i] = call(&x, &read_one, 3, 4, 5, 10 + i);
        int writer = call(&x, &write_one, 1, -2, 5, 0);
        for (int i = 0; i < 3; i++)
            if (mask >> i & 1) assert_ok(mmm_program_depend(x.program, readers[i], writer));
        const mmm_counts *counts = run(&x);
        if (mask == 7)
            assert_int_equal(counts->violation_count, 0);
        else
            assert_true(counts->violation_count >= 1);
        for (int i = 0; i < counts->violation_count; i++)
            assert_string_equal(mmm_violation_name(counts->violations[i].kind), "kernel-race");
        end(&x);
    }
}

static void test_bounds(void **state)
{
    static const int outside[] = {-1, -5, WORDS, WORDS + 1, 4096, -4096, INT32_MAX, INT32_MIN};
    (void)state;
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        bench x;
        begin(&x, "abstract", 1, false);
        call(&x, &index_outside, 1, -2, outside[i], 0);
        const mmm_violation *v = only(run(&x), "out-of-bounds", "global", "a");
        assert_int_equal(v->index, outside[i]);
        assert_int_equal(v->line, line_of("a[i] = 1;"));
        end(&x);
        int offset = outside[i] > 5000 || outside[i] < -5000 ? outside[i] / 2 : outside[i];
        begin(&x, "abstract", 1, false);
        call(&x, &local_index_outside, 2, -2, offset, 0);
        v = only(run(&x), "out-of-bounds", "local", "cell");
        assert_true(v->index < 0 || v->index >= 8);
        end(&x);
    }
    bench x;
    begin(&x, "abstract", 1, false);
    call(&x, &wild, 1, -1, 0, 0);
    only(run(&x), "wild-pointer", "none", "");
    end(&x);
}

static void test_unwritten(void **state)
{
    bench x;
    (void)state;
    begin(&x, "abstract", 1, false);
    call(&x, &unwritten_local, BLOCKS, -1, 0, 0);
    const mmm_violation *v = only(run(&x), "unwritten-read", "local", "cell");
    assert_int_equal(v->index, 0);
    assert_int_equal(v->second.thread, 0);
    assert_null(v->first.kernel);
    assert_int_equal(v->count, BLOCKS);
    end(&x);

    begin(&x, "abstract", 1, false); /* b is not given: nobody wrote b[3] */
    const mmm_argument arguments[] = {{MMM_ARRAY, 1}, {MMM_ARRAY, 0}, {MMM_INTEGER, 3}, {MMM_INTEGER, 0}};
    assert_ok(mmm_program_launch(x.program, &read_one, 1, 1, 0, arguments, 4, NULL));
    v = only(run(&x), "unwritten-read", "global", "b");
    assert_int_equal(v->index, 3);
    end(&x);
}

static void test_limits(void **state)
{
    bench x;
    (void)state;
    for (int words = 14; words < 19; words++) {
        begin(&x, "U=10,Z=16", 1, false);
        const mmm_argument arguments[] = {{MMM_ARRAY, 0}, {MMM_CONSTANT, (uint64_t)words}};
        assert_ok(mmm_program_launch(x.program, &much_local, 1, 8, 64, arguments, 2, NULL));
        const mmm_counts *counts = run(&x);
        assert_int_equal(counts->local_words, words);
        if (words > 16)
            assert_int_equal(only(counts, "local-memory", "none", "")->index, words);
        else
            assert_int_equal(counts->violation_count, 0);
        end(&x);
    }
    begin(&x, "abstract", 1, false); /* more than its launch declares */
    const mmm_argument arguments[] = {{MMM_ARRAY, 0}, {MMM_CONSTANT, 9}};
    assert_ok(mmm_program_launch(x.program, &much_local, 1, 8, 8, arguments, 2, NULL));
    only(run(&x), "local-memory", "none", "");
    end(&x);

    begin(&x, "U=10,Z=100,threads=7", 1, true);
    call(&x, &write_one, 1, -2, 0, 0);
    assert_int_equal(only(run(&x), "threads", "none", "")->index, THREADS_OF_BLOCK);
    end(&x);
    begin(&x, "U=10,Z=7", 1, true); /* Z bounds the threads of a block too (section 2.1) */
    call(&x, &write_one, 1, -2, 0, 0);
    only(run(&x), "threads", "none", "");
    end(&x);
}

static void test_left_region(void **state)
{
    (void)state;
    for (int how = 0; how < 3; how++) {
        bench x;
        begin(&x, "abstract", 1, false);
        call(&x, &left_region, BLOCKS, -2, how, 0);
        const mmm_counts *counts = run(&x);
        if (how < 2)
            assert_int_equal(only(counts, "left-region", "none", "")->count, BLOCKS);
        else
            assert_int_equal(counts->violation_count, 0);
        end(&x);
    }
}

static void test_allowed(void **state)
{
    bench x;
    (void)state;
    begin(&x, "abstract", 1, false);
    call(&x, &block_write_write, BLOCKS, -1, 0, 0);
    assert_ok(mmm_program_allow_races(x.program, "a"));
    assert_int_equal(run(&x)->violation_count, 0);
    assert_fails(mmm_program_allow_races(x.program, "c"), MMM_INVALID, "a, b");
    end(&x);
}

/* What is reported does not depend on the seed: not even which threads and blocks are named, nor how often. */
static void test_seeds(void **state)
{
    static const struct {
        const mmm_kernel *code;
        int count, i;
    } cases[] = {
        {&write_write_local, -1, 0},      {&write_write_global, -1, 0},
        {&read_after_write, -1, 0},       {&write_after_read, -1, 0},
        {&uniform_write, -1, 0},          {&write_after_two_reads, -1, 0},
        {&uniform_read_then_write, 2, 0}, {&block_write_write, -1, 0},
        {&block_read_write, 2, 0},        {&block_reads_then_one_writes, 3, 4},
        {&index_outside, -2, -1},         {&local_index_outside, -2, 8},
        {&unwritten_local, -1, 0},        {&left_region, -2, 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mmm_violation first[16];
        mmm_counts usual = {0};
        for (uint64_t seed = 0; seed < 12; seed++) {
            bench x;
            begin(&x, "abstract", seed, false);
            call(&x, cases[i].code, BLOCKS, cases[i].count, cases[i].i, 0);
            const mmm_counts *counts = run(&x);
            assert_in_range(counts->violation_count, 1, 16);
            if (seed == 0) usual = *counts;
            assert_int_equal(counts->violation_count, usual.violation_count);
            assert_true(counts->arithmetic == usual.arithmetic && counts->local_accesses == usual.local_accesses &&
                        counts->global_reads == usual.global_reads && counts->global_writes == usual.global_writes);
            for (int j = 0; j < counts->violation_count; j++) {
                const mmm_violation *v = &counts->violations[j], *w = &first[j];
                if (seed == 0) first[j] = *v;
                assert_string_equal(v->kind, w->kind);
                assert_string_equal(v->array, w->array);
                assert_true(v->line == w->line && v->index == w->index && v->count == w->count);
                assert_true(v->first.thread == w->first.thread && v->first.block == w->first.block);
                assert_true(v->second.thread == w->second.thread && v->second.block == w->second.block);
            }
            end(&x);
        }
    }
}

/* Of the threads that write a cell the last one to run leaves its number: where that is allowed, not always the same
 * one; and each thread runs once. */
static void test_thread_order(void **state)
{
    int last[THREADS_OF_BLOCK] = {0};
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        bench x;
        begin(&x, "abstract", seed, false);
        assert_ok(mmm_program_allow_races(x.program, "a"));
        call(&x, &write_write_global, BLOCKS, -1, 0, 0);
        assert_int_equal(run(&x)->violation_count, 0);
        assert_int_equal(mmm_machine_counts(x.machine)->global_writes, BLOCKS * THREADS_OF_BLOCK);
        for (int b = 0; b < BLOCKS; b++) {
            assert_true(x.a[b * THREADS_OF_BLOCK] % 7 == 0);
            last[x.a[b * THREADS_OF_BLOCK]]++;
            for (int t = 1; t < 7; t++)
                assert_int_equal(x.a[b * THREADS_OF_BLOCK + t], t);
        }
        end(&x);
    }
    assert_true(last[0] > 40 && last[7] > 40);
}

static void test_clean(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 10; seed++) {
        bench x;
        mmm_machine *cpu;
        uint32_t counted[WORDS];
        uint32_t shared[1] = {1000};
        int array;
        begin(&x, "abstract", seed, false);
        assert_ok(mmm_program_array(x.program, "shared", 1, 4, MMM_IN, shared, &array));
        const mmm_argument arguments[] = {{MMM_ARRAY, 0}, {MMM_ARRAY, 1}, {MMM_ARRAY, (uint64_t)array}};
        assert_ok(mmm_program_launch(x.program, &clean, BLOCKS, 8, 8, arguments, 3, NULL));
        assert_int_equal(run(&x)->violation_count, 0);
        for (int i = 0; i < BLOCKS * 8; i++) {
            int t = i % 8, other = i - t + 7 - t;
            assert_int_equal(x.b[i], 100 + i + (t == 5 ? 0 : 100 + other) + (t < 4 ? 1 : 2) + 1000);
        }
        memcpy(counted, x.b, sizeof counted);
        memset(x.b, 0, sizeof x.b);
        assert_ok(mmm_machine_open("cpu", &cpu));
        assert_ok(mmm_machine_run(cpu, x.program, NULL));
        assert_memory_equal(counted, x.b, BLOCKS * 8 * sizeof *counted);
        mmm_machine_free(cpu);
        end(&x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads),   cmocka_unit_test(test_uniform_read), cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_kernels),   cmocka_unit_test(test_many_readers), cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_unwritten), cmocka_unit_test(test_limits),       cmocka_unit_test(test_left_region),
        cmocka_unit_test(test_allowed),   cmocka_unit_test(test_seeds),        cmocka_unit_test(test_thread_order),
        cmocka_unit_test(test_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
