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
    const int count = mmm_blocks_that_stand(&program, &node, large ? MMM_STANDS_LARGE : MMM_STANDS, chosen);
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
                    const int count =
                        mmm_blocks_that_stand(&program, &node, large ? MMM_STANDS_LARGE : MMM_STANDS, chosen);
                    int64_t elements = 0;
                    for (int i = 0; i < count; i++)
                        elements += chosen[i].blocks * least(s, m - chosen[i].block % columns * s) *
                                    least(s, n - chosen[i].block / columns * s);
                    assert_int_equal(elements, n * m);
                }
}

/* Work of a kernel's groups is that of all its blocks, though few are counted where they are alike. */
static void test_alike(void **state)
{
    static const struct {
        const char *app, *name;
        int64_t n, value;
    } cases[] = {{"ntt", "s", 1 << 16, 5}, {"multiplication-ring", "s", 1 << 16, 4}, {"division", "m", 20000, 10000}};
    (void)state;
    mmm_parameters machine;
    int64_t counted = 0, few = 0;
    assert_ok(mmm_parameters_read("cpu-epyc", &machine));
    for (int i = 0; i < 3; i++) {
        mmm_job *job;
        mmm_sampler *sampler;
        mmm_profiles groups = {0};
        mmm_alike alike = {.known = false};
        assert_ok(mmm_job_new(cases[i].app, &job));
        assert_ok(mmm_job_set(job, "n", cases[i].n));
        assert_ok(mmm_job_set(job, cases[i].name, cases[i].value));
        assert_ok(mmm_job_prepare(job));
        assert_ok(mmm_job_load(job));
        assert_ok(mmm_sampler_new(job->program, &machine, &sampler));
        for (int k = 0; k < (int)job->program->kernels && k < 20; k++) {
            const int64_t from = groups.group_count, blocks = job->program->nodes[k].blocks;
            int64_t all = 0, work = mmm_sampler_work(sampler);
            if (k && !mmm_nodes_alike(&job->program->nodes[k], &job->program->nodes[k - 1])) alike.known = false;
            assert_ok(mmm_count_stands(job, sampler, k, MMM_STANDS, NULL, &alike, &groups));
            few += mmm_sampler_work(sampler) - work;
            for (int64_t g = from; g < groups.group_count; g++)
                all += groups.groups[g].cost.blocks * groups.groups[g].cost.work;
            work = mmm_sampler_work(sampler);
            for (int64_t b = 0; b < blocks; b++) {
                mmm_profile p;
                assert_ok(mmm_count_block(job, sampler, k, b, &p));
                all -= p.cost.work;
            }
            counted += mmm_sampler_work(sampler) - work;
            assert_int_equal(all, 0);
        }
        mmm_profiles_free(&groups);
        mmm_sampler_free(sampler);
        mmm_job_free(job);
    }
    assert_true(2 * few < counted); /* or nothing was saved */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_are_stood_for),
        cmocka_unit_test(test_tiles),
        cmocka_unit_test(test_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
