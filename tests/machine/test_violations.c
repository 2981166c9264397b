/* SPDX-License-Identifier: Apache-2.0 */
/* The abstract machine finds threads, blocks and kernels that are in each other's way, says where, whatever the seed,
 * and is silent about clean kernels. */
#include "faulty.h"

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

/* Kernels that go on with each other share by share: what another share did is a race, be it of the kernel before or of
 * one farther on, read or overwritten, and nothing else is. */
static void test_shares(void **state)
{
    (void)state;
    for (int between = 0; between < 2; between++)
        for (int shares = 0; shares <= BLOCKS; shares++)
            for (int by = 0; by < 2; by++)
                for (int second = 0; second < 2;
                     second++) { /* the array that is handed on is the first's result or source */
                    if (shares && BLOCKS % shares) continue;
                    bench x;
                    begin(&x, "abstract", 1 + (uint64_t)shares, true);
                    mmm_program_chain(x.program, 1);
                    CALL(&x, hand_on, BLOCKS, x.array_a, x.array_b, 0);
                    if (between)
                        assert_ok(
                            mmm_program_shares(x.program, CALL(&x, hand_on, BLOCKS, x.array_b, x.array_b, 0), shares));
                    int last = second ? CALL(&x, hand_on, BLOCKS, x.array_b, x.array_a, by)
                                      : CALL(&x, turn, BLOCKS, x.array_a, by);
                    assert_ok(mmm_program_shares(x.program, last, shares));
                    const mmm_counts *counts = run(&x);
                    if (shares > 1 && by)
                        only(counts, "kernel-race", "global", second ? "b" : "a");
                    else
                        assert_int_equal(counts->violation_count, 0);
                    end(&x);
                }
    bench x;
    begin(&x, "abstract", 1, true);
    mmm_program_chain(x.program, 1);
    for (int i = 0; i < 3; i++)
        CALL(&x, hand_on, i == 2 ? 4 : BLOCKS, x.array_a, x.array_b, 0);
    assert_fails(mmm_program_shares(x.program, 0, 2), MMM_INVALID, "no kernel 0 that another one comes before");
    assert_fails(mmm_program_shares(x.program, 3, 2), MMM_INVALID, "no kernel 3");
    assert_fails(mmm_program_shares(x.program, 1, 4), MMM_INVALID,
                 "4 shares of kernels 'hand_on' and 'hand_on', which have 6 and 6 blocks");
    assert_fails(mmm_program_shares(x.program, 2, 3), MMM_INVALID, "have 6 and 4 blocks");
    assert_fails(mmm_program_shares(x.program, 1, -1), MMM_INVALID, "-1 shares");
    assert_ok(mmm_program_shares(x.program, 1, 3));
    assert_fails(mmm_program_shares(x.program, 2, 2), MMM_INVALID, "it goes on with 'hand_on', which has 3");
    end(&x);
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
        cmocka_unit_test(test_threads), cmocka_unit_test(test_uniform_read), cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_kernels), cmocka_unit_test(test_shares),       cmocka_unit_test(test_many_readers),
        cmocka_unit_test(test_allowed), cmocka_unit_test(test_seeds),        cmocka_unit_test(test_thread_order),
        cmocka_unit_test(test_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
