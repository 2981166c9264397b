/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of 32 threads: what they exchange is that of plain C on every machine, and the abstract machine finds what is
 * not ordered in them and between them, and nothing else. */
#include "bench.h"
#include "machine/gpu/gpu.h"

#include "groups/kernels.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_group_order),      cmocka_unit_test(test_rotation),
        cmocka_unit_test(test_first_group),      cmocka_unit_test(test_arms),
        cmocka_unit_test(test_collectives),      cmocka_unit_test(test_match),
        cmocka_unit_test(test_wide_collectives), cmocka_unit_test(test_exchange),
    };
    return cmocka_run_group_tests(tests, open_machines, close_machines);
}
