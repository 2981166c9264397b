/* SPDX-License-Identifier: Apache-2.0 */
/* Few threads stand for the others: what is predicted of a block is the same as if all of them ran. */
#include "jobs.h"
#include "study/study.h"

#include <string.h>

/* What a GPU's block takes and asks for; regions that nobody looks at may have done other things. */
static void compare_on_gpu(const mmm_job *job, const mmm_node *node, int64_t block, const mmm_profile p[2])
{
    if (memcmp(p[0].at_once, p[1].at_once, sizeof p[0].at_once) != 0)
        fail_msg("%s: kernel '%s', block %lld takes another time", job->app->name, node->name, (long long)block);
    if (p[0].moved != p[1].moved || p[0].serial != p[1].serial || p[0].issued != p[1].issued ||
        p[0].requests != p[1].requests || p[0].sectors != p[1].sectors || p[0].private_words != p[1].private_words)
        fail_msg("%s: kernel '%s', block %lld asks for other things", job->app->name, node->name, (long long)block);
    assert_int_equal(p[0].regions, p[1].regions);
    assert_int_equal(p[0].parts, p[1].parts);
    if (p[0].parts > 14 || node->threads * 14 < p[0].accesses) return; /* some were passed over */
    assert_memory_equal(&p[0].cost, &p[1].cost, sizeof p[0].cost);
    assert_int_equal(p[0].lane_operations, p[1].lane_operations);
    assert_int_equal(p[0].lane_words, p[1].lane_words);
    assert_int_equal(p[0].lane_local, p[1].lane_local);
    assert_int_equal(p[0].accesses, p[1].accesses);
}

/* A core's has every part: all is the same. */
static void compare_on_cores(const mmm_job *job, const mmm_node *node, int64_t block, const mmm_profile p[2])
{
    if (memcmp(&p[0], &p[1], sizeof p[0]) != 0)
        fail_msg("%s: kernel '%s', block %lld costs something else", job->app->name, node->name, (long long)block);
}

/* Blocks of the kernels that an application calls oblivious, both ways. */
static void compare(const mmm_job *job, const mmm_parameters *machine, int64_t work[2])
{
    mmm_program *program = job->program;
    mmm_sampler *sampler[2];
    for (int i = 0; i < 2; i++)
        assert_ok(mmm_sampler_new(program, machine, &sampler[i]));
    for (int k = 0; k < (int)program->kernels; k++) {
        const int64_t N = program->nodes[k].blocks, blocks[] = {0, N / 2, N - 1};
        int like = 0; /* of those that are alike the first */
        while (!mmm_nodes_alike(&program->nodes[like], &program->nodes[k]))
            like++;
        if (like < k || !mmm_kernel_is_oblivious(job, k)) continue;
        for (int b = 0; b < 3; b++) {
            mmm_profile p[2];
            for (int i = 0; i < 2; i++) {
                mmm_sampler_sparse(sampler[i], i == 1);
                assert_ok(mmm_sampler_block(sampler[i], k, blocks[b], &p[i]));
            }
            (mmm_has_gpu(machine) ? compare_on_gpu : compare_on_cores)(job, &program->nodes[k], blocks[b], p);
        }
    }
    for (int i = 0; i < 2; i++) {
        work[i] += mmm_sampler_work(sampler[i]);
        mmm_sampler_free(sampler[i]);
    }
}

/* Besides what calibration runs. */
static const char *const more[][2] = {
    {"gcd-half", "n=24000 m=24000 s=120 j=4 h=1 l=32 k=1 e=6 c=16 u=0"},
    {"gcd-jump", "n=3000 m=2900 s=240 h=256 l=32 r=8 k=1"},
};
enum { MORE = sizeof more / sizeof *more };

/* Settings number `i` of an application; NULL: there are not so many. */
static const char *settings_of(const mmm_app *app, int i)
{
    int calibrations = 0;
    while (calibrations < MMM_CALIBRATIONS_MOST && app->calibration[calibrations])
        calibrations++;
    if (i < calibrations) return app->calibration[i];
    i -= calibrations;
    for (int k = 0; k < MORE; k++)
        if (strcmp(more[k][0], app->name) == 0 && i-- == 0) return more[k][1];
    return NULL;
}

/* That of some settings, NULL where they have no such number. */
static mmm_job *job_number(const mmm_app *app, int i, int64_t number)
{
    mmm_job *job;
    bool exists;
    assert_ok(mmm_calibration_job(app, settings_of(app, i), number, 1, false, &job, &exists));
    if (exists) return job;
    mmm_job_free(job);
    return NULL;
}

static void test_machine(const char *name)
{
    mmm_parameters machine;
    int64_t work[2] = {0};
    assert_ok(mmm_parameters_read(name, &machine));
    for (int a = 0; a < mmm_apps_built_in_count; a++) {
        const mmm_app *app = mmm_app_list()[a];
        for (int i = 0; app->oblivious && settings_of(app, i); i++)
            for (int64_t number = 0; number < 2; number++) {
                mmm_job *job = job_number(app, i, number);
                if (!job) break;
                assert_ok(mmm_job_prepare(job));
                assert_ok(mmm_job_load(job));
                compare(job, &machine, work);
                mmm_job_free(job);
            }
    }
    assert_true(work[0] > 3 * work[1]); /* or nothing was saved */
}

static void test_gpu(void **state)
{
    (void)state;
    test_machine("h200");
}

static void test_cores(void **state)
{
    (void)state;
    test_machine("cpu-epyc");
}

static bool has_kernel(const mmm_app *app, const char *name)
{
    bool found = false;
    for (int i = 0; settings_of(app, i) && !found; i++)
        for (int64_t number = 0; !found; number++) {
            mmm_job *job = job_number(app, i, number);
            if (!job) break;
            if (mmm_job_plan(job) == MMM_OK)
                for (int64_t k = 0; k < job->program->kernels; k++)
                    found |= strcmp(job->program->nodes[k].code->name, name) == 0;
            mmm_job_free(job);
        }
    return found;
}

/* Names that no kernel has would say nothing. */
static void test_names(void **state)
{
    (void)state;
    for (int a = 0; a < 2 * mmm_apps_built_in_count; a++) {
        const mmm_app *app = mmm_app_list()[a / 2];
        const char *list = a % 2 ? app->proportional : app->oblivious;
        char names[512], *rest = names, *name;
        if (!list || strcmp(list, "*") == 0) continue;
        assert_true(strlen(list) < sizeof names);
        strcpy(names, list);
        while ((name = strsep(&rest, " ")))
            if (!has_kernel(app, name)) fail_msg("%s: no kernel '%s'", app->name, name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gpu),
        cmocka_unit_test(test_cores),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
