/* SPDX-License-Identifier: Apache-2.0 */
/* For tests of tuning and wisdom: a clock and executions that are made up. */
#ifndef MMM_TESTS_TUNING_H
#define MMM_TESTS_TUNING_H

#include "study/study.h"
#include "jobs.h"

#include <math.h>

/* Time passes only while something is executed; how long depends on s alone. */
typedef struct fake {
    double now;
    int executions, fail_s;
    bool flat;    /* not even on s */
    double scale; /* of all times; 0: 1 */
    double load;  /* the part of executions that other work holds up, for up to `wait` seconds */
    double wait, jitter;
    mmm_random random;
} fake;

static double fake_now(void *context)
{
    return ((fake *)context)->now;
}

/* From 0 to 1. */
static double part(fake *f)
{
    return (double)mmm_random_below(&f->random, 1 << 30) / (1 << 30);
}

static mmm_status fake_execute(void *context, mmm_job *job, mmm_machine *machine, double *seconds)
{
    fake *f = context;
    mmm_status status = mmm_job_run(job, machine, NULL);
    double s = (double)mmm_job_get(job, "s");
    if (status != MMM_OK) return status;
    if (f->fail_s == (int)s) return mmm_fail(MMM_DEVICE, "the device is on fire");
    *seconds = (f->flat ? 1 : 1 + 0.25 * fabs(log2(s / 32))) * (f->scale > 0 ? f->scale : 1);
    if (f->load > 0) {
        *seconds *= 1 + f->jitter * part(f);
        if (part(f) < f->load) *seconds += f->wait * part(f);
    }
    f->now += *seconds;
    f->executions++;
    return MMM_OK;
}

static mmm_parameters machine_of(void)
{
    mmm_parameters p;
    assert_ok(mmm_parameters_read("U=10,Z=2000,P=2,lanes=8,threads=1024,operation=1e-9,barrier=5,launch=100", &p));
    return p;
}

static mmm_job *job_of(const char *app, int64_t n, int64_t m)
{
    mmm_job *job;
    assert_ok(mmm_job_new(app, &job));
    assert_ok(mmm_job_set(job, "n", n));
    if (m) assert_ok(mmm_job_set(job, "m", m));
    return job;
}

static void fresh_wisdom(void)
{
    static char path[64];
    snprintf(path, sizeof path, "build/test-wisdom-%d/wisdom.jsonl", (int)getpid());
    mkdir("build", 0777);
    setenv("MMM_WISDOM", path, 1);
    unlink(path);
}

static mmm_status tune(mmm_job *job, mmm_machine *machine, const mmm_tune_options *options, fake *f, mmm_tuning *out)
{
    mmm_parameters p = machine_of();
    mmm_clock clock = {f, fake_now, fake_execute};
    return mmm_tune_with(job, machine, &p, options, &clock, out);
}

static char *text_of(const char *path)
{
    char *text;
    int64_t size;
    assert_ok(mmm_file_read(path, 1 << 24, &text, &size));
    return text;
}

static int stop_after(void *context, double done)
{
    (void)done;
    return --*(int *)context < 0;
}

#endif
