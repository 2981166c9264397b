/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks that are too large to be counted, told by those of smaller jobs, against the counts of whole ones. */
#include "study/constants.h"
#include "shapes.h"

static mmm_job *sort_of(int64_t n, int64_t s, int64_t l, int64_t e, int64_t method, int64_t b)
{
    static const char *const names[] = {"n", "s", "l", "e", "method", "b", "values"};
    const int64_t values[] = {n, s, l, e, method, b, 1};
    mmm_job *job, *sketch;
    assert_ok(mmm_job_new("sort", &job));
    for (int i = 0; i < 7; i++)
        assert_ok(mmm_job_set(job, names[i], values[i]));
    assert_ok(mmm_job_sketch_of(job, &sketch));
    mmm_job_free(job);
    assert_ok(mmm_job_plan(sketch));
    return sketch;
}

/* A block that grows with the size is found from smaller sizes, and one that makes many accesses is not counted to its
 * end: a prediction of 10^8 keys counts about as much as one of 10^6. */
static void test_large_blocks(void **state)
{
    static const int64_t choices[][5] = {{8, 256, 16, 1, 1}, {8, 256, 16, 2, 1}, {8, 128, 4, 3, 1}};
    (void)state;
    mmm_parameters machines[2];
    assert_ok(mmm_parameters_read("cpu-epyc", &machines[0]));
    assert_ok(mmm_parameters_read("h200", &machines[1]));
    for (int i = 0; i < 3; i++) {
        const int64_t *c = choices[i];
        mmm_job *job = sort_of(100000000, c[0], c[1], c[2], c[3], c[4]);
        mmm_prediction p;
        int64_t work;
        assert_ok(mmm_predict_each(job, &machines[1], &p, NULL, &work));
        assert_true(work < 8 << 20 && p.estimate > 0.002);
        mmm_job_free(job);
    }
    for (int i = 0; i < 2; i++) { /* scatter is the second of its kernels */
        mmm_job *job = sort_of(1 << 21, 8, 256, 8, 2, 1);
        mmm_sampler *sampler;
        mmm_profile all, found;
        bool is_found;
        int64_t work = 0;
        assert_ok(mmm_job_load(job));
        assert_ok(mmm_sampler_new(job->program, &machines[i], &sampler));
        assert_ok(mmm_sampler_block(sampler, 1, 1, &all));
        assert_ok(mmm_block_from_smaller(job, &machines[i], 1, 1 << 17, &found, &is_found, &work));
        assert_true(is_found && work < 1 << 19);
        assert_true(llabs(found.cost.work - all.cost.work) < all.cost.work / 100);
        assert_true(llabs(found.accesses - all.accesses) < all.accesses / 100);
        mmm_sampler_limit(sampler, all.accesses / 2, false);
        assert_int_equal(mmm_sampler_block(sampler, 1, 1, &found), MMM_TOO_LARGE);
        mmm_sampler_limit(sampler, all.accesses, false); /* the one that was left does not count */
        assert_ok(mmm_sampler_block(sampler, 1, 1, &found));
        assert_int_equal(found.cost.work, all.cost.work);
        assert_int_equal(found.requests, all.requests);
        mmm_sampler_limit(sampler, all.accesses, true); /* nor is one given up that will not make more */
        assert_ok(mmm_sampler_block(sampler, 1, 1, &found));
        work = mmm_sampler_work(sampler);
        mmm_sampler_limit(sampler, all.accesses / 2, true);
        assert_int_equal(mmm_sampler_block(sampler, 1, 1, &found), MMM_TOO_LARGE);
        assert_true(mmm_sampler_work(sampler) - work < all.accesses / 4);
        mmm_sampler_free(sampler);
        mmm_job_free(job);
    }
}

/* Blocks of one thread that do the same for each key, and the last one, which has fewer: by smaller jobs they cost what
 * they do when counted. */
static void test_proportional(void **state)
{
    (void)state;
    mmm_parameters machine;
    assert_ok(mmm_parameters_read("cpu-epyc", &machine));
    mmm_job *job = sort_of(1000000, 8, 1, 65536, 4, 256);
    mmm_sampler *sampler;
    assert_ok(mmm_job_load(job));
    assert_ok(mmm_sampler_new(job->program, &machine, &sampler));
    for (int k = 0; k < 3; k += 2) /* what counts buckets, and what splits */
        for (int last = 0; last < 2; last++) {
            mmm_profile all, found;
            bool is_found;
            int64_t work = 0;
            assert_true(mmm_kernel_is_proportional(job, k));
            assert_ok(mmm_sampler_block(sampler, k, last ? job->program->nodes[k].blocks - 1 : 1, &all));
            assert_ok((last ? mmm_last_from_smaller : mmm_block_from_smaller)(job, &machine, k, 1 << 19, &found,
                                                                              &is_found, &work));
            assert_true(is_found && work < all.accesses);
            assert_true(llabs(found.cost.work - all.cost.work) <= all.cost.work / 1000);
            assert_true(llabs(found.accesses - all.accesses) <= all.accesses / 1000);
            /* where keys are split to depends on counts, which nobody has made here */
            if (!k) assert_true(llabs(found.lines - all.lines) <= all.lines / 100);
        }
    mmm_sampler_free(sampler);
    mmm_job_free(job);
}

/* Blocks that sort buckets look at the keys they find: those of smaller jobs find what makes them do for a key what the
 * whole ones do, whether there are few large buckets or many. */
static void test_buckets(void **state)
{
    static const struct {
        int64_t n, s, e, b;
    } cases[] = {{1000000, 8, 1 << 20, 1},   {240000, 11, 1 << 20, 1},  {240000, 11, 65536, 16},
                 {1000000, 8, 62501, 16},    {1000000, 11, 62501, 256}, {1000000, 8, 1 << 20, 256},
                 {1000000, 12, 62501, 1024}, {240000, 11, 65536, 256}};
    (void)state;
    mmm_parameters machine;
    assert_ok(mmm_parameters_read("cpu-epyc", &machine));
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        mmm_profile all, found;
        bool is_found;
        int64_t work = 0;
        mmm_job *job = sort_of(cases[i].n, cases[i].s, 1, cases[i].e, 4, cases[i].b);
        mmm_sampler *sampler;
        const int finish = (int)job->program->kernels - 1, block = job->program->nodes[finish].blocks > 1;
        assert_ok(mmm_job_load(job));
        assert_ok(mmm_sampler_new(job->program, &machine, &sampler));
        assert_true(mmm_kernel_is_proportional(job, finish));
        mmm_fill_arrays(job, sampler, finish);
        assert_ok(mmm_sampler_block(sampler, finish, block, &all));
        assert_ok(mmm_block_from_smaller(job, &machine, finish, 1 << 19, &found, &is_found, &work));
        assert_true(is_found && work < all.accesses);
        assert_true(llabs(found.accesses - all.accesses) <= all.accesses / 30);
        assert_true(llabs(found.cost.work - all.cost.work) <= all.cost.work / 30);
        mmm_sampler_free(sampler);
        mmm_job_free(job);
    }
}

/* A kernel in the middle of many, of which a smaller job has fewer: the one in the middle of those tells of it. */
static void test_fewer_kernels(void **state)
{
    (void)state;
    mmm_parameters machine;
    mmm_job *job;
    mmm_sampler *sampler;
    mmm_profile all, found;
    bool is_found;
    int64_t work = 0;
    assert_ok(mmm_parameters_read("cpu-epyc", &machine));
    assert_ok(mmm_job_new("gcd", &job));
    assert_ok(mmm_job_set(job, "n", 8800));
    assert_ok(mmm_job_set(job, "m", 8000));
    assert_ok(mmm_job_set(job, "s", 256));
    assert_ok(mmm_job_prepare(job));
    assert_ok(mmm_job_load(job));
    assert_ok(mmm_sampler_new(job->program, &machine, &sampler));
    const int middle = (int)job->program->kernels / 2;
    mmm_fill_arrays(job, sampler, middle);
    assert_ok(mmm_count_block(job, sampler, middle, 1, &all));
    assert_ok(mmm_block_from_smaller(job, &machine, middle, 0, &found, &is_found, &work));
    assert_true(is_found && work < all.accesses / 2);
    assert_true(llabs(found.cost.work - all.cost.work) <= all.cost.work / 50);
    assert_true(llabs(found.accesses - all.accesses) <= all.accesses / 50);
    mmm_sampler_free(sampler);
    mmm_job_free(job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_large_blocks),
        cmocka_unit_test(test_proportional),
        cmocka_unit_test(test_buckets),
        cmocka_unit_test(test_fewer_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
