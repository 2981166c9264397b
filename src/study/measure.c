/* SPDX-License-Identifier: Apache-2.0 */
/* The runs of one configuration, for studies and for tuning. */
#include "study/study.h"

#include <math.h>

enum { SMALL = 1 << 14 }; /* the largest size of a job that takes no time to check */

static double real_now(void *context)
{
    (void)context;
    return mmm_now();
}

static mmm_status real_execute(void *context, mmm_job *job, mmm_machine *machine, double *seconds)
{
    (void)context;
    return mmm_job_run(job, machine, seconds);
}

const mmm_clock mmm_clock_real = {NULL, real_now, real_execute};

static double passed(const mmm_clock *clock, double start)
{
    return clock->now(clock->context) - start;
}

/* One run; with options that say so it is given up where the limit is reached. */
static mmm_status run(const mmm_study_options *o, const mmm_clock *clock, double start, mmm_job *job, double *seconds)
{
    if (o->give_up && o->limit > 0) mmm_machine_set_time_limit(o->machine, fmax(o->limit - passed(clock, start), 1e-3));
    mmm_status status = clock->execute(clock->context, job, o->machine, seconds);
    if (o->give_up) mmm_machine_set_time_limit(o->machine, 0);
    return status;
}

/* Checks the result.  Where a limit is to be kept that the oracle, by what it takes for a smaller job, would not keep,
 * the verdict is that of the smaller job, which ran with the same choices. */
static mmm_status check(const mmm_study_options *o, const mmm_clock *clock, double start, mmm_trial *t)
{
    mmm_status status = MMM_INVALID;
    mmm_job *small = NULL;
    double growth = 1;
    if (o->give_up && o->limit > 0) status = mmm_job_smaller(t->job, SMALL, false, &small);
    for (int i = 0; status == MMM_OK && i < MMM_PARAMETERS_MOST && t->job->app->parameters[i].name; i++)
        if (t->job->app->parameters[i].role == MMM_SIZE)
            growth *= fmax(1, (double)t->job->values[i]) / fmax(1, (double)small->values[i]);
    if (status == MMM_OK && growth > 2) {
        double seconds;
        status = clock->execute(clock->context, small, o->machine, &seconds);
        if (status == MMM_OK) status = mmm_job_check_timed(small, &t->oracle);
        if (status == MMM_WRONG || (status == MMM_OK && growth * t->oracle > o->limit - passed(clock, start)))
            goto done;
    }
    status = mmm_job_check_timed(t->job, &t->oracle);
done:
    mmm_job_free(small);
    return status;
}

/* One of some runs: what a machine reports of it, seen from all of them. */
typedef struct part {
    const mmm_study_options *options;
    int number;
} part;

static int report(void *context, double done)
{
    const part *x = context;
    if (!x->options->progress) return 0;
    return x->options->progress(x->options->context, (x->number + done) / x->options->repeat);
}

mmm_status mmm_measure(const mmm_study_options *o, const mmm_clock *clock, mmm_trial *t, double *times)
{
    mmm_status result = MMM_OK;
    part under_way = {o, 0};
    double start = clock->now(clock->context);
    mmm_machine_on_progress(o->machine, report, &under_way);
    t->runs = 0;
    if (o->warm) TRY(run(o, clock, start, t->job, &times[0]));
    const double first = o->warm ? o->give_up ? passed(clock, start) : times[0] : 0;
    const bool slow = o->limit > 0 && first > o->limit / 2;
    if (slow) t->runs = 1;
    if (!o->give_up) start = clock->now(clock->context); /* kernels that the first run compiled are no part of it */
    for (int i = 0; !slow && i < o->repeat && (!i || !(o->limit > 0) || passed(clock, start) < o->limit); i++) {
        under_way.number = i;
        if (report(&under_way, 0)) FAIL(MMM_STOPPED, "stopped after %d runs", i);
        TRY(run(o, clock, start, t->job, &times[i]));
        t->runs = i + 1;
    }
    if (!o->check || !t->job->app->check) goto done;
    t->check = check(o, clock, start, t);
    t->checked = t->check == MMM_OK || t->check == MMM_WRONG;
    if (!t->checked) TRY(t->check); /* it could not be checked: that is no verdict */
done:
    mmm_machine_on_progress(o->machine, NULL, NULL);
    return result;
}
