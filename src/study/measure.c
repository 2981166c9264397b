/* SPDX-License-Identifier: Apache-2.0 */
/* The runs of one configuration, for studies and for tuning. */
#include "study/study.h"

#include <math.h>

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

mmm_status mmm_measure(const mmm_study_options *o, const mmm_clock *clock, mmm_trial *t, double *times)
{
    mmm_status result = MMM_OK;
    bool counts = mmm_machine_counts(o->machine) != NULL; /* such a run is long, and reports by itself */
    double start = clock->now(clock->context);
    if (counts) mmm_machine_on_progress(o->machine, o->progress, o->context);
    t->runs = 0;
    if (o->warm) TRY(run(o, clock, start, t->job, &times[0]));
    bool slow = o->warm && o->limit > 0 && passed(clock, start) > o->limit / 2;
    if (slow) t->runs = 1;
    for (int i = 0; !slow && i < o->repeat && (!i || !(o->limit > 0) || passed(clock, start) < o->limit); i++) {
        if (!counts && o->progress && o->progress(o->context, (double)i / o->repeat))
            FAIL(MMM_STOPPED, "stopped after %d runs", i);
        TRY(run(o, clock, start, t->job, &times[i]));
        t->runs = i + 1;
    }
    if (!o->check) goto done;
    t->check = mmm_job_check_timed(t->job, &t->oracle);
    t->checked = t->check == MMM_OK || t->check == MMM_WRONG;
    if (!t->checked) TRY(t->check); /* it could not be checked: that is no verdict */
done:
    mmm_machine_on_progress(o->machine, NULL, NULL);
    return result;
}
