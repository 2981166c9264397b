/* SPDX-License-Identifier: Apache-2.0 */
/* The abstract machine finds each thing a kernel must not do, says where, and is silent about clean kernels. */
#include "machine/machine.h"
#include "testing.h"

#include "faulty/kernels.h"

#include <sys/resource.h>

enum { THREADS_OF_BLOCK = 8, BLOCKS = 6, WORDS = 64 };

/* A program on two arrays of 64 words, a (given) and b (given where `b_given`). */
typedef struct bench {
    mmm_program *program;
    mmm_machine *machine;
    mmm_word_array array_a, array_b;
    uint32_t a[WORDS], b[WORDS];
} bench;

static void begin(bench *x, const char *parameters, uint64_t seed, bool b_given)
{
    mmm_parameters machine;
    memset(x, 0, sizeof *x);
    for (int i = 0; i < WORDS; i++)
        x->a[i] = (uint32_t)(100 + i);
    assert_ok(mmm_program_new(&x->program));
    assert_ok(mmm_program_set_words(x->program, 32, NULL));
    mmm_program_chain(x->program, 0);
    assert_ok(mmm_program_array(x->program, "a", MMM_WORD, WORDS, MMM_IN_OUT, x->a, &x->array_a.number));
    assert_ok(
        mmm_program_array(x->program, "b", MMM_WORD, WORDS, b_given ? MMM_IN_OUT : MMM_RESULT, x->b, &x->array_b.number));
    assert_ok(mmm_parameters_read(parameters, &machine));
    assert_ok(mmm_machine_open_abstract(&machine, seed, &x->machine));
}

/* The number of the call that was just added. */
static int added(const bench *x, mmm_status status)
{
    assert_ok(status);
    return mmm_program_kernels(x->program) - 1;
}

/* Calls on blocks of 8 threads, by the array a, both arrays, and numbers. */
#define CALL(x, name, blocks, ...) added(x, launch_##name((x)->program, blocks, THREADS_OF_BLOCK, __VA_ARGS__))

/* What is found; no two violations have the same kind, array, kernel and line. */
static const mmm_counts *run(bench *x)
{
    assert_ok(mmm_machine_run(x->machine, x->program, NULL));
    const mmm_counts *counts = mmm_machine_counts(x->machine);
    for (int64_t i = 0; counts && i < counts->violation_count; i++)
        for (int64_t j = 0; j < i; j++) {
            const mmm_violation *v = &counts->violations[i], *w = &counts->violations[j];
            assert_true(!v->line || v->kind != w->kind || v->line != w->line || strcmp(v->array, w->array) != 0 ||
                        strcmp(v->second.kernel, w->second.kernel) != 0);
        }
    return counts;
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

/* The last line of a kernel that has this text. */
static int line_in(const char *kernel, const char *text)
{
    char line[256];
    int found = 0;
    bool inside = false;
    FILE *stream = fopen("tests/kernels/faulty.c", "r");
    assert_non_null(stream);
    for (int number = 1; fgets(line, sizeof line, stream); number++) {
        if (strstr(line, kernel)) inside = true;
        if (inside && strstr(line, text)) found = number;
        if (line[0] == '}') inside = false;
    }
    fclose(stream);
    assert_true(found > 0);
    return found;
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

/* What the threads may be is known, and how often they meet. */
static void test_threads(void **state)
{
    static const struct {
        mmm_status (*launch)(mmm_program *program, int64_t blocks, int64_t threads, mmm_word_array a);
        const char *name, *kind, *memory, *array, *lines[2];
        int least_index, most_index; /* of a cell, in a block */
        int low, apart, step;        /* the threads are low + step index, and the one `apart` from it */
        int64_t count;               /* of pairs in a block */
    } cases[] = {
        {launch_write_write_local,
         "write_write_local",
         "write-write",
         "local",
         "cell",
         {"cell[t / 2] = (word)t", NULL},
         0,
         3,
         0,
         1,
         2,
         4},
        {launch_write_write_global,
         "write_write_global",
         "write-write",
         "global",
         "a",
         {"a[block * block_size + t % 7]", NULL},
         0,
         0,
         0,
         7,
         0,
         1},
        {launch_read_after_write,
         "read_after_write",
         "read-write",
         "local",
         "cell",
         {"cell[t ? t - 1 : 0]", "        cell[t] = (word)t;"},
         0,
         6,
         0,
         1,
         1,
         7},
        {launch_write_after_read,
         "write_after_read",
         "read-write",
         "local",
         "cell",
         {"cell[t] = cell[t + 1]", NULL},
         1,
         7,
         -1,
         1,
         1,
         7},
        {launch_write_after_two_reads,
         "write_after_two_reads",
         "read-write",
         "local",
         "cell",
         {"cell[0] = 2;", NULL},
         0,
         0,
         0,
         1,
         0,
         1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int64_t lines[] = {line_of(cases[i].lines[0]),
                                 cases[i].lines[1] ? line_in(cases[i].name, cases[i].lines[1]) : 0};
        int firsts = 0; /* whether the smaller, the greater number came first */
        for (uint64_t seed = 1; seed <= 20; seed++) {
            bench x;
            int64_t count = 0;
            begin(&x, "abstract", seed, false);
            assert_ok(cases[i].launch(x.program, BLOCKS, THREADS_OF_BLOCK, x.array_a));
            const mmm_counts *counts = run(&x);
            assert_in_range(counts->violation_count, 1, 2); /* the one that comes second reads, or it writes */
            for (int k = 0; k < counts->violation_count; k++) {
                const mmm_violation *v = &counts->violations[k];
                int64_t index = v->index, first = v->first.thread, second = v->second.thread;
                assert_string_equal(mmm_violation_name(v->kind), cases[i].kind);
                assert_string_equal(v->memory, cases[i].memory);
                assert_string_equal(v->array, cases[i].array);
                assert_true(v->line == lines[0] || v->line == lines[1]);
                assert_string_equal(v->file, "tests/kernels/faulty.c");
                if (strcmp(v->memory, "global") == 0) index -= v->second.block * THREADS_OF_BLOCK;
                assert_in_range(index, cases[i].least_index, cases[i].most_index);
                int64_t low = cases[i].low + cases[i].step * index;
                assert_int_equal(first < second ? first : second, low);
                assert_int_equal(first < second ? second : first, low + cases[i].apart);
                assert_int_equal(v->first.block, v->second.block);
                assert_string_equal(v->first.kernel, cases[i].name);
                assert_string_equal(v->second.kernel, cases[i].name);
                count += v->count;
                firsts |= first < second ? 1 : 2;
            }
            assert_int_equal(count, BLOCKS * cases[i].count);
            end(&x);
        }
        assert_true(firsts == 1 || firsts == 2); /* whatever the seed */
    }
}

static void test_uniform_read(void **state)
{
    bench x;
    (void)state;
    begin(&x, "abstract", 1, false);
    CALL(&x, uniform_read_then_write, 1, x.array_a, x.array_b);
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
        CALL(&x, block_write_write, BLOCKS, x.array_a);
        const mmm_violation *v = only(run(&x), "block-race", "global", "a");
        assert_int_equal(v->count, BLOCKS / 2);
        assert_int_equal(v->first.block / 2, v->second.block / 2);
        assert_int_not_equal(v->first.block, v->second.block);
        end(&x);

        begin(&x, "abstract", seed, false);
        CALL(&x, block_read_write, BLOCKS, x.array_a, x.array_b);
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
        CALL(&x, block_reads_then_one_writes, BLOCKS, x.array_a, x.array_b, (int64_t)(seed % BLOCKS));
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
                int first = CALL(&x, write_one, 2, x.array_a, 5), last = first;
                for (int i = 0; i < between; i++) {
                    int next = CALL(&x, write_one, 2, x.array_a, 10 + i);
                    assert_ok(mmm_program_depend(x.program, last, next));
                    last = next;
                }
                int other =
                    second ? CALL(&x, write_one, 2, x.array_a, 5) : CALL(&x, read_one, 2, x.array_a, x.array_b, 5, 0);
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
            readers[i] = CALL(&x, read_one, 3, x.array_a, x.array_b, 5, 10 + i);
        int writer = CALL(&x, write_one, 1, x.array_a, 5);
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
        CALL(&x, index_outside, 1, x.array_a, outside[i]);
        const mmm_violation *v = only(run(&x), "out-of-bounds", "global", "a");
        assert_int_equal(v->index, outside[i]);
        assert_int_equal(v->line, line_of("a[i] = 1;"));
        end(&x);
        int offset = outside[i] > 5000 || outside[i] < -5000 ? outside[i] / 2 : outside[i];
        begin(&x, "abstract", 1, false);
        CALL(&x, local_index_outside, 2, x.array_a, offset);
        v = only(run(&x), "out-of-bounds", "local", "cell");
        assert_true(v->index < 0 || v->index >= 8);
        end(&x);
    }
    bench x;
    begin(&x, "abstract", 1, false);
    CALL(&x, wild, 1, x.array_a, (int64_t)1 << 50);
    only(run(&x), "out-of-bounds", "global", "a");
    end(&x);
}

/* A process with few addresses: an index off by more than the zones hold is a wild pointer, any other is found as ever.
 */
static void test_few_addresses(void **state)
{
    static const int outside[] = {-1, -5, WORDS, WORDS + 1, 4096, -4096, INT32_MAX, INT32_MIN};
    struct rlimit old, limit;
    long pages = 0;
    (void)state;
#if defined(__SANITIZE_ADDRESS__)
    skip(); /* it has most addresses itself */
#endif
    FILE *stream = fopen("/proc/self/statm", "r");
    assert_true(stream && fscanf(stream, "%ld", &pages) == 1);
    fclose(stream);
    assert_int_equal(getrlimit(RLIMIT_AS, &old), 0);
    limit = old;
    limit.rlim_cur = (rlim_t)(pages * sysconf(_SC_PAGESIZE) + (200 << 20));
    assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        bench x;
        bool far = outside[i] < -5000 || outside[i] > 5000;
        begin(&x, "abstract", 1, false);
        CALL(&x, index_outside, 1, x.array_a, outside[i]);
        const mmm_violation *v =
            far ? only(run(&x), "wild-pointer", "none", "") : only(run(&x), "out-of-bounds", "global", "a");
        if (!far) assert_int_equal(v->index, outside[i]);
        assert_int_equal(v->line, line_of("a[i] = 1;"));
        end(&x);
    }
    limit.rlim_cur = (rlim_t)(pages * sysconf(_SC_PAGESIZE) + (20 << 20));
    assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
    bench x;
    begin(&x, "abstract", 1, false);
    CALL(&x, index_outside, 1, x.array_a, 1);
    assert_fails(mmm_machine_run(x.machine, x.program, NULL), MMM_MEMORY, "no addresses for the abstract machine");
    assert_int_equal(setrlimit(RLIMIT_AS, &old), 0);
    run(&x);
    end(&x);
}

static void test_unwritten(void **state)
{
    bench x;
    (void)state;
    begin(&x, "abstract", 1, false);
    CALL(&x, unwritten_local, BLOCKS, x.array_a);
    const mmm_violation *v = only(run(&x), "unwritten-read", "local", "cell");
    assert_int_equal(v->index, 0);
    assert_int_equal(v->second.thread, 0);
    assert_null(v->first.kernel);
    assert_int_equal(v->count, BLOCKS);
    end(&x);

    begin(&x, "abstract", 1, false); /* b is not given: nobody wrote b[3] */
    assert_ok(launch_read_one(x.program, 1, 1, x.array_b, x.array_a, 3, 0));
    v = only(run(&x), "unwritten-read", "global", "b");
    assert_int_equal(v->index, 3);
    end(&x);
}

/* A thread's own values: written before they are read, also where a group exchanges them. */
static void test_private(void **state)
{
    bench x;
    (void)state;
    begin(&x, "abstract", 1, true);
    CALL(&x, unwritten_private, BLOCKS, x.array_a);
    const mmm_counts *counts = run(&x);
    assert_int_equal(counts->violation_count, 2);
    static const char *const arrays[] = {"kept", "pair"};
    for (int i = 0; i < 2; i++) {
        const mmm_violation *v = &counts->violations[i];
        assert_string_equal(mmm_violation_name(v->kind), "unwritten-read");
        assert_string_equal(v->memory, "private");
        assert_string_equal(v->array, arrays[i]);
        assert_int_equal(v->index, 0);
        assert_int_equal(v->second.thread, i ? 0 : 6);
        assert_int_equal(v->count, i ? BLOCKS : 2 * BLOCKS);
        assert_int_equal(v->line, line_in("unwritten_private", i ? "pair[0] + pair[1]" : "= kept;"));
    }
    end(&x);

    begin(&x, "abstract", 1, true);
    CALL(&x, unwritten_in_group, BLOCKS, x.array_a);
    const mmm_violation *v = only(run(&x), "unwritten-read", "private", "flag");
    assert_int_equal(v->count, BLOCKS);
    assert_int_equal(v->line, line_of("votes = ballot(flag);"));
    end(&x);

    static const int outside[] = {-1, 2, 100, INT32_MAX, INT32_MIN};
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        begin(&x, "abstract", 1, true);
        CALL(&x, private_index_outside, 1, x.array_a, outside[i]);
        v = only(run(&x), "out-of-bounds", "private", "pair");
        assert_int_equal(v->index, outside[i]);
        assert_int_equal(v->line, line_of("pair[i] = 1;"));
        end(&x);
    }
}

/* Arrays on the stack. */
static void test_own(void **state)
{
    static const int outside[] = {-1, 4, 5, 1000, -1000, INT32_MAX, INT32_MIN};
    (void)state;
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        bench x;
        begin(&x, "abstract", 1, true);
        CALL(&x, own_index_outside, BLOCKS, x.array_a, outside[i]);
        const mmm_violation *v = only(run(&x), "out-of-bounds", "private", "own");
        assert_int_equal(v->index, outside[i]);
        assert_int_equal(v->line, line_of("own[i] = 9;"));
        end(&x);
        begin(&x, "abstract", 1, true);
        CALL(&x, own_row_outside, BLOCKS, x.array_a, 1, outside[i]);
        v = only(run(&x), "out-of-bounds", "private", "own[0]");
        assert_int_equal(v->index, outside[i]);
        end(&x);
        begin(&x, "abstract", 1, true);
        CALL(&x, own_row_outside, BLOCKS, x.array_a, outside[i], 0);
        only(run(&x), "out-of-bounds", "private", "own");
        end(&x);
    }
    bench x;
    begin(&x, "abstract", 1, true);
    CALL(&x, own_index_outside, BLOCKS, x.array_a, 3);
    CALL(&x, own_row_outside, BLOCKS, x.array_a, 1, 3);
    mmm_program_chain(x.program, 0);
    assert_ok(mmm_program_depend(x.program, 0, 1));
    assert_int_equal(run(&x)->violation_count, 0);
    end(&x);
}

/* From every array to an element of every other: no distance is too far. */
static void test_far(void **state)
{
    static const struct {
        mmm_status (*launch)(mmm_program *program, int64_t blocks, int64_t threads, mmm_word_array a, int64_t far);
        const char *memory, *array;
    } cases[] = {
        {launch_far_index, "global", "a"}, {launch_far_pointer, "global", "a"}, {launch_far_sum, "local", "cell"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int bits = 3; bits < 64; bits++)
            for (int sign = -1; sign <= 1; sign += 2) {
                bench x;
                int64_t far = bits == 63 ? (sign < 0 ? INT64_MIN : INT64_MAX) : sign * ((int64_t)1 << bits);
                begin(&x, "abstract", 1, true);
                assert_ok(cases[i].launch(x.program, 1, THREADS_OF_BLOCK, x.array_a, far));
                if (cases[i].memory[0] == 'g' && far >= 0 && far < WORDS)
                    assert_int_equal(run(&x)->violation_count, 0);
                else
                    assert_int_equal(only(run(&x), "out-of-bounds", cases[i].memory, cases[i].array)->index, far);
                end(&x);
            }
}

/* What goes to the caller and nobody wrote: all of an MMM_OUT array, what is fetched of an MMM_RESULT one. */
static void test_results(void **state)
{
    (void)state;
    for (int missing = -1; missing < 3; missing++) {
        bench x;
        mmm_parameters machine;
        mmm_word_array result;
        uint32_t memory[WORDS] = {0};
        begin(&x, "abstract", 1, false);
        assert_ok(mmm_program_array(x.program, "out", MMM_WORD, WORDS, MMM_OUT, memory, &result.number));
        CALL(&x, result_but_one, WORDS / THREADS_OF_BLOCK, result, missing);
        const mmm_counts *counts = run(&x);
        if (missing < 0)
            assert_int_equal(counts->violation_count, 0);
        else {
            const mmm_violation *v = only(counts, "unwritten-result", "global", "out");
            assert_int_equal(v->index, missing);
            assert_int_equal(v->count, 1);
            assert_string_equal(v->second.kernel, "result_but_one");
            assert_string_equal(v->file, "tests/kernels/faulty.c");
        }
        end(&x);

        memset(&x, 0, sizeof x);
        assert_ok(mmm_program_new(&x.program));
        assert_ok(mmm_program_set_words(x.program, 32, NULL));
        assert_ok(mmm_program_array(x.program, "r", MMM_WORD, WORDS, MMM_RESULT, memory, &result.number));
        assert_ok(mmm_parameters_read("abstract", &machine));
        assert_ok(mmm_machine_open_abstract(&machine, 1, &x.machine));
        CALL(&x, result_but_one, 4, result, missing);
        assert_int_equal(run(&x)->violation_count, 0);
        assert_ok(mmm_machine_fetch(x.machine, x.program, result.number, 3, 4 * THREADS_OF_BLOCK - 3));
        assert_int_equal(mmm_machine_counts(x.machine)->violation_count, 0);
        assert_ok(mmm_machine_fetch(x.machine, x.program, result.number, 3, 4 * THREADS_OF_BLOCK - 1));
        assert_int_equal(only(mmm_machine_counts(x.machine), "unwritten-result", "global", "r")->count, 2);
        end(&x);
    }
}

/* What no kernel of the dialect does, and compilers might: by hand, as the hooks are called. */
void mmm_hook_read1(void *p);
void mmm_hook_write8(void *p);
void mmm_hook_unaligned_write4(void *p);
void mmm_hook_write_range(void *p, size_t bytes);
void mmm_hook_read_range(void *p, size_t bytes);
void *mmm_hook_memcpy(void *to, const void *from, size_t bytes);
void *mmm_hook_memset(void *to, int byte, size_t bytes);
void *mmm_count_private(const char *name, int size, int count);
int mmm_count_region(int line);
int mmm_count_region_end(int group);
int mmm_count_part(int low, int high);
int mmm_count_next(void);

enum { WIDE, SKEW, COPY, COPY_OUT, COPY_SKEW, FILL, FILL_OUT, RANGE, RANGE_OUT, CALLER, CALLER_FILL, GIVEN, FOREIGN };

static uint32_t *volatile of_caller;

static void by_hand(const mmm_value *a, const mmm_call *call)
{
    char *array = a[0].array;
    uint32_t own[16] = {0};
    void *mine = mmm_count_private("mine", 4, 1);
    mmm_count_region(1);
    int thread = mmm_count_part(0, 1);
    switch (a[1].integer) {
    case WIDE: mmm_hook_write8(array + 8); break;
    case SKEW: mmm_hook_unaligned_write4(array + 6); break;
    case COPY: mmm_hook_memcpy(array + 64, array, 64); break;
    case COPY_OUT: mmm_hook_memcpy(own, array + 4 * WORDS - 60, 64); break;
    case COPY_SKEW: mmm_hook_memcpy(array + 2, own, 4); break;
    case FILL: mmm_hook_memset(array, 0, 4 * WORDS); break;
    case FILL_OUT: mmm_hook_memset(array, 0, 4 * WORDS + 4); break;
    case RANGE: mmm_hook_write_range(array + 12, 12); break;
    case RANGE_OUT: mmm_hook_read_range(array - 4, 12); break;
    case CALLER: mmm_hook_unaligned_write4((void *)of_caller); break;
    case CALLER_FILL: mmm_hook_memset(own, 0, (size_t)((char *)of_caller - (char *)own) + 4); break;
    case GIVEN: mmm_hook_read1((void *)call); break;
    case FOREIGN: mmm_hook_unaligned_write4((char *)mine + 4 * (thread + 1)); break;
    }
    mmm_count_next();
    mmm_count_region_end(0);
}

static void test_by_hand(void **state)
{
    static mmm_entry *const entries[] = {by_hand};
    static const mmm_kernel_parameter parameters[] = {{"a", MMM_PARAMETER_ARRAY, MMM_WORD, 1},
                                                      {"what", MMM_PARAMETER_SCALAR, MMM_I32, 0}};
    static const mmm_kernel code = {.name = "by_hand",
                                    .file = "test_violations.c",
                                    .parameters = parameters,
                                    .parameter_count = 2,
                                    .dimensions = 1,
                                    .counted = {entries, entries}};
    static const struct {
        const char *kind, *memory, *array;
        int64_t index, reads, writes;
    } found[] = {
        [WIDE] = {"wide-access", "global", "a", 2},           [SKEW] = {"wide-access", "global", "a", 1},
        [COPY] = {NULL, .reads = 16, .writes = 16},           [COPY_OUT] = {"out-of-bounds", "global", "a", WORDS},
        [COPY_SKEW] = {"wide-access", "global", "a", 0},      [FILL] = {NULL, .writes = WORDS},
        [FILL_OUT] = {"out-of-bounds", "global", "a", WORDS}, [RANGE] = {NULL, .writes = 3},
        [RANGE_OUT] = {"out-of-bounds", "global", "a", -1},   [CALLER] = {"wild-pointer", "none", ""},
        [CALLER_FILL] = {"wild-pointer", "none", ""},         [GIVEN] = {NULL},
        [FOREIGN] = {"foreign-private", "private", "mine", 0}};
    uint32_t caller = 5;
    (void)state;
    of_caller = &caller;
    for (int i = 0; i <= FOREIGN; i++) {
        bench x;
        begin(&x, "abstract", 1, true);
        const mmm_value arguments[] = {{.number = x.array_a.number}, {.integer = i}};
        assert_ok(
            mmm_program_launch(x.program, &code, (mmm_grid){1, 1, THREADS_OF_BLOCK, 1}, (mmm_local){0}, arguments));
        const mmm_counts *counts = run(&x);
        if (found[i].kind) {
            const mmm_violation *v = only(counts, found[i].kind, found[i].memory, found[i].array);
            if (*found[i].array) assert_int_equal(v->index, found[i].index);
            assert_true(v->line > 0);
        } else {
            assert_int_equal(counts->violation_count, 0);
            assert_int_equal(counts->global_reads, found[i].reads);
            assert_int_equal(counts->global_writes, found[i].writes);
        }
        end(&x);
    }
    assert_int_equal(caller, 5);
}

static const mmm_kernel *kernel(const char *name)
{
    const mmm_kernel *code = mmm_kernels_faulty;
    while (strcmp(code->name, name) != 0)
        code++;
    return code;
}

static void test_limits(void **state)
{
    bench x;
    (void)state;
    for (int words = 14; words < 19; words++) {
        begin(&x, "U=10,Z=16", 1, false);
        CALL(&x, much_local, 1, x.array_a, words);
        const mmm_counts *counts = run(&x);
        assert_int_equal(counts->local_words, words);
        if (words > 16)
            assert_int_equal(only(counts, "local-memory", "none", "")->index, words);
        else
            assert_int_equal(counts->violation_count, 0);
        end(&x);
    }
    begin(&x, "abstract", 1, false); /* more than its launch declares */
    const mmm_value arguments[] = {{.number = x.array_a.number}, {.integer = 9}};
    assert_ok(mmm_program_launch(x.program, kernel("much_local"), (mmm_grid){1, 1, 8, 1}, (mmm_local){.words = 8},
                                 arguments));
    only(run(&x), "local-memory", "none", "");
    end(&x);

    begin(&x, "U=10,Z=100,threads=7", 1, true);
    CALL(&x, write_one, 1, x.array_a, 0);
    assert_int_equal(only(run(&x), "threads", "none", "")->index, THREADS_OF_BLOCK);
    end(&x);
    begin(&x, "U=10,Z=7", 1, true); /* Z bounds the threads of a block too (section 2.1) */
    CALL(&x, write_one, 1, x.array_a, 0);
    only(run(&x), "threads", "none", "");
    end(&x);
}

static void test_allowed(void **state)
{
    bench x;
    (void)state;
    begin(&x, "abstract", 1, false);
    CALL(&x, block_write_write, BLOCKS, x.array_a);
    assert_ok(mmm_program_allow_races(x.program, "a"));
    assert_int_equal(run(&x)->violation_count, 0);
    assert_fails(mmm_program_allow_races(x.program, "c"), MMM_INVALID, "a, b");
    end(&x);
}

/* What is reported does not depend on the seed: not even which threads and blocks are named, nor how often. */
static void call_case(bench *x, int number)
{
    switch (number) {
    case 0: CALL(x, write_write_local, BLOCKS, x->array_a); break;
    case 1: CALL(x, write_write_global, BLOCKS, x->array_a); break;
    case 2: CALL(x, read_after_write, BLOCKS, x->array_a); break;
    case 3: CALL(x, write_after_read, BLOCKS, x->array_a); break;
    case 4: CALL(x, write_after_two_reads, BLOCKS, x->array_a); break;
    case 5: CALL(x, uniform_read_then_write, BLOCKS, x->array_a, x->array_b); break;
    case 6: CALL(x, block_write_write, BLOCKS, x->array_a); break;
    case 7: CALL(x, block_read_write, BLOCKS, x->array_a, x->array_b); break;
    case 8: CALL(x, block_reads_then_one_writes, BLOCKS, x->array_a, x->array_b, 4); break;
    case 9: CALL(x, index_outside, BLOCKS, x->array_a, -1); break;
    case 10: CALL(x, local_index_outside, BLOCKS, x->array_a, 8); break;
    case 11: CALL(x, unwritten_local, BLOCKS, x->array_a); break;
    default: fail();
    }
}

static void test_seeds(void **state)
{
    (void)state;
    for (int number = 0; number < 12; number++) {
        mmm_violation first[16];
        mmm_counts usual = {0};
        for (uint64_t seed = 0; seed < 12; seed++) {
            bench x;
            begin(&x, "abstract", seed, false);
            call_case(&x, number);
            const mmm_counts *counts = run(&x);
            assert_in_range(counts->violation_count, 1, 16);
            if (seed == 0) usual = *counts;
            assert_int_equal(counts->violation_count, usual.violation_count);
            assert_true(counts->arithmetic == usual.arithmetic && counts->local_accesses == usual.local_accesses &&
                        counts->global_reads == usual.global_reads && counts->global_writes == usual.global_writes);
            for (int j = 0; j < counts->violation_count; j++) {
                const mmm_violation *v = &counts->violations[j], *w = &first[j];
                if (seed == 0) first[j] = *v;
                assert_true(v->kind == w->kind);
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
        CALL(&x, write_write_global, BLOCKS, x.array_a);
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
        mmm_word_array array;
        begin(&x, "abstract", seed, false);
        assert_ok(mmm_program_array(x.program, "shared", MMM_WORD, 1, MMM_IN, shared, &array.number));
        CALL(&x, clean, BLOCKS, x.array_a, x.array_b, array);
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
        cmocka_unit_test(test_threads),       cmocka_unit_test(test_uniform_read), cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_kernels),       cmocka_unit_test(test_many_readers), cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_few_addresses), cmocka_unit_test(test_unwritten),    cmocka_unit_test(test_limits),
        cmocka_unit_test(test_allowed),       cmocka_unit_test(test_seeds),        cmocka_unit_test(test_thread_order),
        cmocka_unit_test(test_clean),         cmocka_unit_test(test_private),      cmocka_unit_test(test_own),
        cmocka_unit_test(test_far),           cmocka_unit_test(test_results),      cmocka_unit_test(test_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
