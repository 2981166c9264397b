/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks that stand for others: all are stood for, and tiles of a matrix add up to it whatever its edges cut off. */
#include "jobs.h"
#include "study/study.h"

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void stand(int64_t blocks, int64_t columns, int64_t period, int64_t batch, bool large)
{
    const mmm_program program = {.batch = batch};
    const mmm_node node = {.blocks = blocks, .blocks_x = columns, .period = period};
    mmm_stand chosen[MMM_STANDS];
    const int count = mmm_blocks_that_stand(&program, &node, large, chosen);
    int64_t sum = 0;
    assert_true(count >= 1 && count <= (large ? 5 : MMM_STANDS));
    for (int i = 0; i < count; i++) {
        assert_true(chosen[i].block >= 0 && chosen[i].block < blocks);
        assert_true(chosen[i].blocks >= 1);
        for (int j = 0; j < i; j++)
            assert_int_not_equal(chosen[i].block, chosen[j].block);
        sum += chosen[i].blocks;
    }
    assert_int_equal(sum, blocks);
}

static void test_all_are_stood_for(void **state)
{
    (void)state;
    for (int64_t N = 1; N < 200; N++)
        for (int large = 0; large < 2; large++) {
            stand(N, N, 0, 1, large);
            stand(N, N, 7, 1, large);
            for (int64_t rows = 1; rows < 20; rows++)
                stand(N * rows, N, 0, 1 + rows % 2, large);
        }
}

/* Elements of an n x m matrix in tiles of s x s. */
static void test_tiles(void **state)
{
    (void)state;
    const mmm_program program = {.batch = 1};
    for (int64_t n = 1; n < 400; n += 7)
        for (int64_t m = 1; m < 400; m += 13)
            for (int64_t s = 1; s <= 64; s *= 2)
                for (int large = 0; large < 2; large++) {
                    const int64_t columns = (m + s - 1) / s, rows = (n + s - 1) / s;
                    const mmm_node node = {.blocks = columns * rows, .blocks_x = columns};
                    mmm_stand chosen[MMM_STANDS];
                    const int count = mmm_blocks_that_stand(&program, &node, large, chosen);
                    int64_t elements = 0;
                    for (int i = 0; i < count; i++)
                        elements += chosen[i].blocks * least(s, m - chosen[i].block % columns * s) *
                                    least(s, n - chosen[i].block / columns * s);
                    assert_int_equal(elements, n * m);
                }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_are_stood_for),
        cmocka_unit_test(test_tiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
