/* SPDX-License-Identifier: Apache-2.0 */
/* Estimates by the constants of a GPU: laws that hold whatever the constants are. */
#include "model/model.h"
#include "testing.h"

#include <math.h>

static mmm_parameters gpu(void)
{
    mmm_parameters machine;
    assert_ok(mmm_parameters_read("h200", &machine));
    assert_true(mmm_has_gpu(&machine));
    return machine;
}

static mmm_random numbers = {12345};

static int64_t up_to(int64_t most)
{
    return draw(&numbers, 0, most);
}

static mmm_group_work draw_work(int64_t most)
{
    mmm_group_work w = {.turns = 1 + up_to(3)};
    for (int i = 0; i <= MMM_OPERATION_KINDS; i++)
        w.operations[i] = up_to(most);
    w.reads = up_to(most);
    w.writes = up_to(most);
    w.sectors = w.reads + w.writes + up_to(most);
    w.lines = w.reads + w.writes;
    w.local = up_to(most);
    w.passes = w.local + up_to(most);
    return w;
}

static mmm_region_work draw_region(void)
{
    mmm_region_work w = {.threads = 1 + up_to(1023), .private_words = up_to(40)};
    w.groups = (w.threads + 31) / 32;
    w.most = draw_work(20);
    w.all = w.most;
    int64_t *to = (int64_t *)&w.all;
    for (size_t i = 0; i < sizeof w.all / sizeof *to; i++)
        to[i] *= w.groups;
    return w;
}

/* The time of a region where 1, 2, 4, ... are at once: the sum of what limits it. */
static void region(const mmm_region_work *w, const double *constants, double out[MMM_AT_ONCE])
{
    double limits[MMM_AT_ONCE][MMM_LIMITS] = {{0}};
    mmm_gpu_region(w, constants, limits);
    for (int i = 0; i < MMM_AT_ONCE; i++) {
        out[i] = 0;
        for (int k = 0; k < MMM_LIMITS; k++) {
            assert_true(limits[i][k] >= 0);
            out[i] += limits[i][k];
        }
    }
}

/* More blocks at once take no less, and no more than one after the other; neither does anything that is added. */
static void test_monotone(void **unused)
{
    (void)unused;
    const mmm_parameters machine = gpu();
    for (int round = 0; round < 200; round++) {
        mmm_region_work w = draw_region();
        double base[MMM_AT_ONCE] = {0};
        region(&w, machine.gpu, base);
        for (int i = 0; i + 1 < MMM_AT_ONCE; i++) {
            assert_true(base[i + 1] >= base[i] * (1 - 1e-12));
            assert_true(base[i + 1] <= 2 * base[i] * (1 + 1e-12));
        }
        mmm_group_work *parts[] = {&w.all, &w.most};
        for (size_t p = 0; p < 2; p++)
            for (size_t k = 0; k < sizeof *parts[p] / sizeof(int64_t); k++) {
                double more[MMM_AT_ONCE] = {0};
                ((int64_t *)parts[p])[k] += 3;
                region(&w, machine.gpu, more);
                ((int64_t *)parts[p])[k] -= 3;
                for (int i = 0; i < MMM_AT_ONCE; i++)
                    assert_true(more[i] >= base[i] * (1 - 1e-12));
            }
    }
}

/* A GPU all of whose times are twice as long takes twice as long. */
static void test_scale(void **unused)
{
    (void)unused;
    const mmm_parameters machine = gpu();
    mmm_parameters slow = machine;
    for (int i = 0; i < MMM_GPU_CONSTANTS; i++)
        if (i < MMM_GPU_CACHE_RATE || i >= MMM_GPU_ATOMIC) slow.gpu[i] *= 2;
    for (int round = 0; round < 50; round++) {
        const mmm_region_work w = draw_region();
        double once[MMM_AT_ONCE] = {0}, twice[MMM_AT_ONCE] = {0};
        region(&w, machine.gpu, once);
        region(&w, slow.gpu, twice);
        for (int i = 0; i < MMM_AT_ONCE; i++)
            assert_true(fabs(twice[i] - 2 * once[i]) <= 1e-9 * twice[i]);
    }
}

/* A kernel is no quicker than its bytes can be moved, its atomics of a sector follow each other, its blocks started,
 * its longest block run; with more blocks it takes no less, and full waves take as often as long. */
static void test_kernel(void **unused)
{
    (void)unused;
    const mmm_parameters machine = gpu();
    for (int round = 0; round < 100; round++) {
        const mmm_region_work w = draw_region();
        double block[MMM_AT_ONCE], limits[MMM_AT_ONCE][MMM_LIMITS] = {{0}}, before = 0;
        region(&w, machine.gpu, block);
        mmm_gpu_region(&w, machine.gpu, limits);
        mmm_profile profile = {.moved = w.all.sectors, .serial = up_to(100000000), .private_words = w.private_words};
        mmm_gpu_block(limits, &profile);
        for (int64_t n = 1; n < 100000; n = n * 3 / 2 + 1) {
            const mmm_node node = {.blocks = n, .threads = w.threads, .local_words = up_to(8000)};
            profile.cost.blocks = n;
            const double time = 1e9 * mmm_gpu_kernel(32, &node, &profile, 1, 1e6, NULL, &machine).alone;
            assert_true(time >= block[0] * (1 - 1e-3) - 1);
            assert_true(time >= (double)n * machine.gpu[MMM_GPU_BLOCK]);
            assert_true(time >= 1e-9 * (double)(n * profile.serial) * machine.gpu[MMM_GPU_ATOMIC] * (1 - 1e-3));
            assert_true(time * machine.gpu[MMM_GPU_CACHE_RATE] >= 32 * (double)(n * profile.moved) * (1 - 1e-3));
        }
        const mmm_node few = {.blocks = 132 * 32, .threads = 1024}, many = {.blocks = 132 * 32 * 8, .threads = 1024};
        profile.moved = profile.serial = 0;
        profile.cost.blocks = few.blocks;
        before = mmm_gpu_kernel(32, &few, &profile, 1, 1e6, NULL, &machine).alone;
        profile.cost.blocks = many.blocks;
        const double after = mmm_gpu_kernel(32, &many, &profile, 1, 1e6, NULL, &machine).alone;
        assert_true(fabs(after - 8 * before) <= 1e-9 * after);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_monotone),
        cmocka_unit_test(test_scale),
        cmocka_unit_test(test_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
