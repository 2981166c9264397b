/* SPDX-License-Identifier: Apache-2.0 */
/* The lines that a block comes to on a core, for kernels whose addresses are known. */
#include "traffic.h"

enum { LINE = 64 };

static mmm_profile block_of(mmm_program *program, bool sparse)
{
    mmm_parameters core;
    mmm_sampler *sampler;
    mmm_profile p;
    assert_ok(mmm_parameters_read("cpu-epyc", &core));
    assert_ok(mmm_sampler_new(program, &core, &sampler));
    mmm_sampler_sparse(sampler, sparse);
    assert_ok(mmm_sampler_block(sampler, 0, 0, &p));
    mmm_sampler_free(sampler);
    return p;
}

/* Each thread reads down a column: one after the other every access is a new line, side by side a row is few. */
static void test_columns(void **state)
{
    enum { THREADS = 64, ROW = THREADS * 4 / LINE };
    static int32_t rounds[THREADS];
    static uint32_t a[64 * THREADS], b[THREADS];
    (void)state;
    for (int rows = 1; rows <= 16; rows *= 2) {
        mmm_program *program = begin(32);
        mmm_i32_array of_rounds;
        mmm_word_array of_a, of_b;
        for (int i = 0; i < THREADS; i++)
            rounds[i] = rows;
        ARRAY(program, of_rounds, THREADS, MMM_IN, rounds);
        ARRAY(program, of_a, rows * THREADS, MMM_IN, a);
        ARRAY(program, of_b, THREADS, MMM_OUT, b);
        assert_ok(launch_loops(program, 1, THREADS, of_rounds, of_a, of_b));
        const mmm_profile p = block_of(program, false);
        assert_int_equal(p.distinct, (1 + rows + 1) * ROW);
        /* A compiler reads rounds at one place of its code or at two. */
        if (p.lines != p.distinct) assert_int_equal(p.lines, p.distinct + ROW);
        mmm_program_free(program);
    }
}

/* What is written down a column comes to a line an element, of a few different ones. */
static void test_transposes(void **state)
{
    enum { N = 96, TILE = 32, ROW = TILE * 4 / LINE };
    static float a[N * N], b[N * N];
    (void)state;
    for (int tiled = 0; tiled < 2; tiled++)
        for (int sparse = 0; sparse < 2; sparse++) {
            mmm_program *program = begin(32);
            mmm_f32_array of_a, of_b;
            ARRAY(program, of_a, N * N, MMM_IN, a);
            ARRAY(program, of_b, N * N, MMM_OUT, b);
            if (tiled)
                assert_ok(launch_transpose_tiled(program, N / TILE, N / TILE, TILE, TILE, of_a, of_b, N, 1));
            else
                assert_ok(launch_transpose_plain(program, N / TILE, N / TILE, TILE, TILE, of_a, of_b, N));
            const mmm_profile p = block_of(program, sparse);
            assert_int_equal(p.distinct, 2 * TILE * ROW);
            assert_int_equal(p.lines, tiled ? 2 * TILE * ROW : TILE * ROW + TILE * TILE);
            mmm_program_free(program);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_columns), cmocka_unit_test(test_transposes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
