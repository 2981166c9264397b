/* SPDX-License-Identifier: Apache-2.0 */
/* From which cache a kernel's lines come: by what a program has touched since it touched their array. */
#include "jobs.h"
#include "study/constants.h"

#include <math.h>
#include <string.h>

enum { ARRAYS = 3, KERNELS = 4, LINES = 1 << 20 };

/* Kernels that are given one array each, or the first and the last. */
typedef struct world {
    mmm_global arrays[ARRAYS];
    mmm_kernel code;
    mmm_kernel_parameter parameters[2];
    mmm_node nodes[KERNELS];
    mmm_value arguments[KERNELS][2];
    mmm_profile groups[KERNELS];
    int64_t first[KERNELS], end[KERNELS], rest[KERNELS];
    mmm_program program;
    mmm_profiles profiles;
    mmm_parameters machine;
    double seconds[KERNELS];
} world;

static const int64_t words[ARRAYS] = {100000, 3000000, 500000};

static void begin(world *w, mmm_use use)
{
    memset(w, 0, sizeof *w);
    assert_ok(mmm_parameters_read("cpu-epyc", &w->machine));
    for (int i = 0; i < ARRAYS; i++)
        w->arrays[i] = (mmm_global){.type = MMM_WORD, .count = words[i], .size = 4, .use = i ? MMM_WORK : use};
    w->parameters[0].kind = w->parameters[1].kind = MMM_PARAMETER_ARRAY;
    w->code = (mmm_kernel){.parameters = w->parameters, .parameter_count = 2};
    w->program = (mmm_program){.arrays = w->arrays, .array_count = ARRAYS, .nodes = w->nodes, .batch = 1};
    w->profiles =
        (mmm_profiles){.program = &w->program, .groups = w->groups, .first = w->first, .end = w->end, .rest = w->rest};
}

/* A kernel of one block, which has so many lines. */
static void call(world *w, int x, int y, int64_t lines)
{
    const int k = (int)w->program.kernels++;
    w->arguments[k][0].number = x;
    w->arguments[k][1].number = y;
    w->nodes[k] = (mmm_node){.blocks = 1, .threads = 1, .code = &w->code, .arguments = w->arguments[k]};
    w->groups[k] = (mmm_profile){.cost = {.blocks = 1}, .lines = lines, .distinct = lines};
    w->first[k] = w->rest[k] = k;
    w->end[k] = k + 1;
    w->profiles.kernels = w->profiles.group_count = k + 1;
}

static void expect(world *w, int kernel, double bytes)
{
    assert_ok(mmm_first_lines(&w->program, &w->profiles, w->machine.constants, w->seconds));
    const double right = mmm_line_time(bytes, w->machine.constants);
    assert_true(right > 0 && fabs(w->seconds[kernel] / right - 1) < 1e-9);
}

/* What is touched again and again lies where it fits, and so does what others are touched between. */
static void test_between(void **state)
{
    (void)state;
    world w;
    begin(&w, MMM_WORK);
    call(&w, 0, 0, LINES);
    expect(&w, 0, 4.0 * 100000);
    call(&w, 1, 1, LINES);
    expect(&w, 0, 4.0 * 3100000);
    expect(&w, 1, 4.0 * 3100000);
    call(&w, 1, 1, LINES); /* it was touched just before */
    expect(&w, 2, 4.0 * 3000000);
    expect(&w, 0, 4.0 * 3100000);
    call(&w, 2, 2, LINES);
    expect(&w, 3, 4.0 * 3600000);
    expect(&w, 1, 4.0 * 3600000);
}

/* A kernel that looks at a part of its array touches no more than its lines. */
static void test_part(void **state)
{
    (void)state;
    world w;
    begin(&w, MMM_WORK);
    call(&w, 0, 0, LINES);
    call(&w, 1, 1, 1000);
    expect(&w, 0, 4.0 * 100000 + 64 * 1000);
    expect(&w, 1, 4.0 * 100000 + 64 * 1000);
}

/* Of two arrays each lies where it does: one was touched just before, the other one before a large one. */
static void test_both(void **state)
{
    (void)state;
    world w;
    begin(&w, MMM_WORK);
    call(&w, 1, 1, LINES);
    call(&w, 0, 0, LINES);
    call(&w, 0, 2, LINES);
    assert_ok(mmm_first_lines(&w.program, &w.profiles, w.machine.constants, w.seconds));
    const double *c = w.machine.constants, near = mmm_line_time(4.0 * 600000, c), far = mmm_line_time(4.0 * 3600000, c);
    assert_true(far > near && fabs(w.seconds[2] / ((near + 5 * far) / 6) - 1) < 1e-9);
}

/* Inputs are put in before each run, from words of 8 bytes, and are as near then as both are; results are taken out
 * behind it. */
static void test_inputs(void **state)
{
    (void)state;
    world w;
    begin(&w, MMM_IN);
    call(&w, 0, 0, LINES);
    expect(&w, 0, 12.0 * 100000);
    call(&w, 1, 1, LINES);
    expect(&w, 1, 4.0 * 3000000 + 12.0 * 100000);
    begin(&w, MMM_OUT);
    call(&w, 0, 0, LINES);
    expect(&w, 0, 12.0 * 100000);
    w.arrays[0].fixed = true; /* nothing goes in or out again */
    expect(&w, 0, 4.0 * 100000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_between),
        cmocka_unit_test(test_part),
        cmocka_unit_test(test_both),
        cmocka_unit_test(test_inputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
