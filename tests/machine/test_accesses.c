/* SPDX-License-Identifier: Apache-2.0 */
/* The abstract machine finds accesses outside arrays and of what nobody wrote, and blocks that need too much, and says
 * where. */
#include "faulty.h"

#include <sys/resource.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounds), cmocka_unit_test(test_few_addresses), cmocka_unit_test(test_unwritten),
        cmocka_unit_test(test_limits), cmocka_unit_test(test_private),       cmocka_unit_test(test_own),
        cmocka_unit_test(test_far),    cmocka_unit_test(test_results),       cmocka_unit_test(test_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
