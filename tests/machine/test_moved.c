/* SPDX-License-Identifier: Apache-2.0 */
/* What counts of traffic say of a block: sectors that are moved, kinds of operations; and of every application, where
 * they change nothing else. */
#include "traffic.h"

/* What a prediction for a GPU hears of a block: a sector that it had lately is not moved again; atomics of each of the
 * sectors of an array are one turn of all of them.  Of many rounds of a loop some are looked at. */
static void test_moved(void **state)
{
    enum { THREADS = 64, WIDTH = 64 };
    static int32_t index[BLOCKS * THREADS];
    static uint32_t a[MOST], b[BLOCKS * THREADS], sums[WIDTH];
    mmm_parameters gpu;
    mmm_random random = {10};
    (void)state;
    assert_ok(mmm_parameters_read("h200", &gpu));
    for (int width = 1; width <= MOST; width += width < 512 ? 73 : 431) {
        mmm_program *program = begin(32);
        mmm_sampler *sampler;
        mmm_profile profile;
        mmm_i32_array of_index;
        mmm_word_array of_a, of_b;
        mmm_u32_array of_sums;
        for (int i = 0; i < BLOCKS * THREADS; i++)
            index[i] = (int32_t)draw(&random, 0, width < WIDTH ? width - 1 : WIDTH - 1);
        ARRAY(program, of_index, BLOCKS * THREADS, MMM_IN, index);
        ARRAY(program, of_a, width, MMM_IN, a);
        ARRAY(program, of_b, BLOCKS * THREADS, MMM_OUT, b);
        ARRAY(program, of_sums, WIDTH, MMM_ZERO, sums);
        assert_ok(launch_gather(program, BLOCKS, THREADS, of_index, of_a, of_b, width));
        assert_ok(launch_tally(program, BLOCKS, THREADS, of_index, of_sums, WIDTH));
        assert_ok(mmm_sampler_new(program, &gpu, &sampler));
        for (int block = 0; block < BLOCKS; block++) {
            assert_ok(mmm_sampler_block(sampler, 0, block, &profile));
            const int64_t moved = THREADS * 4 / 32 + (width * 4 + 31) / 32 + THREADS * 4 / 32;
            assert_in_range(profile.moved, width > 14 * THREADS ? moved * 15 / 16 : moved, moved * 17 / 16);
            if (width <= 14 * THREADS) assert_int_equal(profile.moved, moved);
            assert_int_equal(profile.serial, 0);
            assert_ok(mmm_sampler_block(sampler, 1, block, &profile));
            assert_int_equal(profile.moved, THREADS * 4 / 32 + WIDTH * 4 / 32);
            assert_int_equal(profile.serial, 1000000000);
        }
        mmm_sampler_free(sampler);
        mmm_program_free(program);
    }
}

static void test_kinds(void **state)
{
    enum { THREADS = 40 };
    static const int64_t each[MMM_OPERATION_KINDS] = {
        [MMM_OPERATION_ADD] = 4,      [MMM_OPERATION_MUL] = 2,   [MMM_OPERATION_INVERSE] = 2,
        [MMM_OPERATION_CROSS] = 3,    [MMM_OPERATION_TIMES] = 1, [MMM_OPERATION_PRODUCTS] = 1 + 2 + 2,
        [MMM_OPERATION_EXCHANGE] = 1, [MMM_OPERATION_OTHER] = 7,
    };
    static uint64_t a[THREADS], b[BLOCKS * THREADS];
    static const uint64_t primes[] = {2013265921, 9223372036854775783u};
    (void)state;
    for (int i = 0; i < 2; i++) {
        mmm_modulus modulus;
        mmm_program *program;
        mmm_word_array of_a, of_b;
        int64_t sum = 0;
        assert_ok(mmm_modulus_read(primes[i], &modulus));
        assert_ok(mmm_program_new(&program));
        assert_ok(mmm_program_set_words(program, modulus.bits, &modulus));
        for (int j = 0; j < THREADS; j++)
            a[j] = ~(uint64_t)0 >> 35 | (uint64_t)j << 32;
        ARRAY(program, of_a, THREADS, MMM_IN, a);
        ARRAY(program, of_b, BLOCKS * THREADS, MMM_OUT, b);
        assert_ok(launch_kinds(program, BLOCKS, THREADS, of_a, of_b));
        mmm_traffic t = counted(program);
        for (int k = 0; k < MMM_OPERATION_KINDS; k++) {
            assert_int_equal(t.operations[k], BLOCKS * THREADS * each[k]);
            sum += each[k];
        }
        assert_int_equal(t.reductions, BLOCKS * THREADS * 3);
        assert_int_equal(t.issued, BLOCKS * 2 * sum); /* both groups do all of it */
        assert_int_equal(t.private_words, 3);
        assert_int_equal(t.turns, BLOCKS * 4);
        assert_int_equal(t.partial, BLOCKS * 2);
        mmm_program_free(program);
    }
}

/* Every application and example: nothing but traffic is different where it is asked for, and no seed changes it. */
static void test_applications(void **state)
{
    (void)state;
    const mmm_app *const *apps = mmm_app_list();
    for (; *apps; apps++) {
        mmm_traffic first;
        for (int seed = 1; seed <= 2; seed++) {
            mmm_job *job;
            mmm_machine *counter;
            assert_ok(mmm_job_new((*apps)->name, &job));
            assert_ok(mmm_job_set(job, "n", 64));
            assert_ok(mmm_machine_open_abstract(mmm_parameters_builtin(), (uint64_t)seed, &counter));
            assert_ok(mmm_job_run(job, counter, NULL));
            mmm_counts plain = *mmm_machine_counts(counter);
            assert_null(plain.traffic);
            assert_ok(mmm_machine_count_traffic(counter, 1));
            assert_ok(mmm_job_run(job, counter, NULL));
            const mmm_counts *with = mmm_machine_counts(counter);
            assert_int_equal(with->arithmetic, plain.arithmetic);
            assert_int_equal(with->local_accesses, plain.local_accesses);
            assert_int_equal(with->global_reads, plain.global_reads);
            assert_int_equal(with->global_writes, plain.global_writes);
            assert_int_equal(with->violation_count, plain.violation_count);
            const mmm_traffic *t = with->traffic;
            int64_t operations = 0;
            for (int k = 0; k < MMM_OPERATION_KINDS; k++)
                operations += t->operations[k];
            assert_int_equal(operations, plain.arithmetic);
            assert_true(32 * t->issued >= operations);
            assert_true(t->lines <= t->sectors && t->sectors <= 4 * t->lines);
            assert_true(t->requests <= t->lines && t->sectors <= plain.global_reads + plain.global_writes);
            assert_true(t->local_requests <= t->passes && t->local_requests <= plain.local_accesses);
            assert_true(t->threads <= 32 * t->turns && t->partial <= t->turns);
            if (seed == 1)
                first = *t;
            else
                assert_memory_equal(&first, t, sizeof first);
            mmm_machine_free(counter);
            mmm_job_free(job);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_moved),
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_applications),
    };
    if (mmm_machine_open("abstract", &machine) != MMM_OK) return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    mmm_machine_free(machine);
    return failed;
}
