/* SPDX-License-Identifier: Apache-2.0 */
/* How often a configuration runs within a limit. */
#include "study/study.h"
#include "jobs.h"

/* Runs take so long each, and the first one so much longer by the clock, as kernels are compiled in it. */
typedef struct fake {
    double now, each, compiling;
    int executions;
} fake;

static double now_of(void *context)
{
    return ((fake *)context)->now;
}

static mmm_status execute(void *context, mmm_job *job, mmm_machine *machine, double *seconds)
{
    fake *f = context;
    (void)job;
    (void)machine;
    f->now += f->each + (f->executions++ ? 0 : f->compiling);
    *seconds = f->each;
    return MMM_OK;
}

static int runs_of(double each, double compiling, int give_up)
{
    fake f = {.each = each, .compiling = compiling};
    const mmm_clock clock = {&f, now_of, execute};
    double times[9];
    mmm_trial t = {0};
    mmm_study_options o = {.warm = 1, .repeat = 9, .limit = 0.5, .give_up = give_up};
    assert_ok(mmm_machine_open("cpu", &o.machine));
    assert_ok(mmm_measure(&o, &clock, &t, times));
    assert_int_equal(f.executions, t.runs + (t.runs > 1));
    mmm_machine_free(o.machine);
    return t.runs;
}

static void test_limit(void **state)
{
    (void)state;
    assert_int_equal(runs_of(0.001, 0, 0), 9);
    assert_int_equal(runs_of(0.1, 0, 0), 5);
    assert_int_equal(runs_of(0.3, 0, 0), 1);   /* the first one was long enough */
    assert_int_equal(runs_of(0.001, 2, 0), 9); /* what it compiled is not its time, */
    assert_int_equal(runs_of(0.001, 2, 1), 1); /* but is no less a part of what tuning may take */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_limit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
