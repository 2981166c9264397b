/* SPDX-License-Identifier: Apache-2.0 */
/* A study: configurations of an application, each counted, predicted and measured as far as is asked for.  A prediction
 * never takes the place of what was counted. */
#include "study/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A trial with all that it borrows from. */
typedef struct item {
    mmm_machine *counter;
    mmm_analysis analysis;
    char *message, *skipped;
    double *times; /* room for all runs */
} item;

struct mmm_study {
    mmm_study_options options;
    mmm_parameters parameters;
    mmm_trial *trials;
    item **items;
    int64_t count, trial_room, item_room;
    int worked;
    double from, to; /* the part of all work that is under way */
};

mmm_status mmm_study_new(const mmm_study_options *options, mmm_study **out)
{
    mmm_status result = MMM_OK;
    mmm_study *study = NULL;
    NEED(options, "the options of a study");
    NEED(out, "the place for a study");
    if (options->parameters) MMM_TRY(mmm_parameters_check(options->parameters));
    if (options->P_count < 0 || options->P_count > MMM_BOUNDS_MOST)
        FAIL(MMM_INVALID, "%d numbers of SMs: from 0 to %d are possible", options->P_count, MMM_BOUNDS_MOST);
    NEED(options->P || !options->P_count, "the array of numbers of SMs");
    if (options->allowed_count < 0 || options->total < 0 || !(options->limit >= 0) || options->visits < 0)
        FAIL(MMM_INVALID, "a study of %d allowed arrays, of %d trials, limited to %g s, in %d visits: none is negative",
             options->allowed_count, options->total, options->limit, options->visits);
    NEED(options->allowed || !options->allowed_count, "the array of allowed arrays");
    if (options->repeat < 0 || options->repeat > MMM_REPEAT_MOST)
        FAIL(MMM_INVALID, "%d runs: from 0 to %d are possible", options->repeat, MMM_REPEAT_MOST);
    TRY(mmm_alloc(&study, 1, sizeof *study));
    study->options = *options;
    const mmm_parameters *parameters = options->parameters ? options->parameters : mmm_parameters_builtin();
    if (!parameters) {
        result = MMM_MEMORY;
        goto done;
    }
    study->parameters = *parameters;
    *out = study;
    study = NULL;
done:
    free(study);
    return result;
}

static void item_free(item *x)
{
    if (!x) return;
    mmm_machine_free(x->counter);
    free(x->message);
    free(x->skipped);
    free(x->times);
    free(x);
}

void mmm_study_free(mmm_study *study)
{
    if (!study) return;
    for (int64_t i = 0; i < study->count; i++) {
        item_free(study->items[i]);
        mmm_job_free(study->trials[i].job);
    }
    free(study->items);
    free(study->trials);
    free(study);
}

const mmm_trial *mmm_study_trials(const mmm_study *study, int *count)
{
    if (count) *count = study ? (int)study->count : 0;
    return study ? study->trials : NULL;
}

/* Part of a part: what a machine or a run reports, seen from all trials. */
static int report(void *context, double done)
{
    const mmm_study *study = context;
    if (!study->options.progress) return 0;
    return study->options.progress(study->options.context, study->from + (study->to - study->from) * done);
}

/* The next part of the work on a trial, from `from` to `to` of it. */
static void enter(mmm_study *study, double from, double to)
{
    double total = study->options.total > 0 ? study->options.total : 1, before = (double)study->count - 1;
    if (study->options.visits > 1) total *= study->options.visits;
    study->from = (before + from) / total;
    study->to = (before + to) / total;
}

static mmm_status count(mmm_study *study, mmm_trial *t, item *x)
{
    mmm_status result = MMM_OK;
    const mmm_study_options *o = &study->options;
    for (int i = 0; i < o->allowed_count; i++)
        TRY(mmm_program_allow_races(t->job->program, o->allowed[i]));
    TRY(mmm_machine_open_abstract(&study->parameters, o->seed, &x->counter));
    TRY(mmm_machine_count_traffic(x->counter, o->traffic));
    mmm_machine_on_progress(x->counter, report, study);
    result = mmm_job_run(t->job, x->counter, NULL);
    mmm_machine_on_progress(x->counter, NULL, NULL);
    TRY(result);
    TRY(mmm_analysis_make(&x->analysis, t->job->program, &study->parameters, o->P, o->P_count, o->seed));
    x->analysis.app = t->job->app->name;
    x->analysis.job = t->job;
    x->analysis.counts = mmm_machine_counts(x->counter);
    t->analysis = &x->analysis;
done:
    return result;
}

/* Runs of a visit. */
static int visit_of(const mmm_study *study)
{
    int visits = study->options.visits > 1 ? study->options.visits : 1;
    return (study->options.repeat + visits - 1) / visits;
}

/* One visit. */
static mmm_status measure(mmm_study *study, mmm_trial *t, item *x)
{
    mmm_status result = MMM_OK;
    mmm_study_options o = study->options;
    int before = t->runs, left = o.repeat - before, visit = visit_of(study);
    double *sorted = NULL;
    if (!x->times) TRY(mmm_alloc(&x->times, o.repeat, sizeof *x->times));
    TRY(mmm_alloc(&sorted, o.repeat, sizeof *sorted));
    o.repeat = left < visit ? left : visit;
    o.progress = report;
    o.context = study;
    o.check &= !before;
    result = mmm_measure(&o, &mmm_clock_real, t, x->times + before);
    t->runs = result == MMM_OK ? before + t->runs : before;
    TRY(result);
    if (t->check == MMM_WRONG && !x->message) {
        x->message = mmm_copy_string(mmm_message());
        t->message = x->message ? x->message : "";
    }
    memcpy(sorted, x->times, (size_t)t->runs * sizeof *sorted);
    qsort(sorted, (size_t)t->runs, sizeof *sorted, mmm_compare_doubles);
    t->least = sorted[0];
    t->median = (sorted[(t->runs - 1) / 2] + sorted[t->runs / 2]) / 2;
    t->most = sorted[t->runs - 1];
    double noise = mmm_noise(x->times, t->runs, visit);
    t->noise = isfinite(noise) ? noise : 0;
done:
    free(sorted);
    return result;
}

static mmm_status examine(mmm_study *study, mmm_trial *t, item *x)
{
    mmm_status result = MMM_OK;
    const mmm_study_options *o = &study->options;
    bool runs = o->machine && o->repeat > 0;
    char failed[128];
    double counted = o->count ? runs ? 0.5 : 1 : 0;
    if (o->choose && o->machine) TRY(mmm_tune_choose(t->job, o->machine, &t->origin));
    if (!t->job->program) TRY(mmm_job_prepare(t->job));
    if (o->skip) { /* what the machine cannot do is left out, as the tuner leaves it out */
        TRY(mmm_constraints_on(t->job, &study->parameters, failed, sizeof failed));
        if (*failed)
            FAIL(MMM_INVALID, "%s needs %s, which does not hold on machine %s", t->job->app->name, failed,
                 study->parameters.name);
    }
    enter(study, 0, counted);
    if (o->count) TRY(count(study, t, x));
    enter(study, counted, 1);
    if (runs) {
        bool wise = t->origin == MMM_ORIGIN_WISDOM || t->origin == MMM_ORIGIN_NEAR_WISDOM;
        result = measure(study, t, x);
        if (wise) mmm_wisdom_blame(result, t->job);
        TRY(result);
    }
    if (o->predict && study->parameters.operation > 0)
        TRY(o->limits ? mmm_predict_limits(t->job, &study->parameters, &t->predicted, NULL, 0, NULL)
                      : mmm_predict(t->job, &study->parameters, &t->predicted));
done:
    return result;
}

/* A trial that is not possible keeps nothing but the reason. */
static mmm_status skip(mmm_study *study, mmm_trial *t, item *x, mmm_status status)
{
    if (!study->options.skip || (status != MMM_INVALID && status != MMM_TOO_LARGE)) return status;
    if (study->count == study->options.total && !study->worked) return status;
    x->skipped = mmm_copy_string(mmm_message());
    *t = (mmm_trial){.job = t->job, .value = t->value, .skipped = x->skipped ? x->skipped : "no memory for the reason"};
    return MMM_OK;
}

/* Adds a trial of a job, which may be NULL. */
static mmm_status add(mmm_study *study, mmm_job *take, mmm_trial **trial, item **out)
{
    mmm_status result = MMM_OK;
    item *x = NULL;
    TRY(mmm_alloc(&x, 1, sizeof *x));
    TRY(mmm_grow(&study->items, &study->item_room, study->count + 1, sizeof *study->items));
    TRY(mmm_grow(&study->trials, &study->trial_room, study->count + 1, sizeof *study->trials));
    *trial = &study->trials[study->count];
    **trial = (mmm_trial){.job = take};
    *out = study->items[study->count++] = x;
    take = NULL;
    x = NULL;
done:
    free(x);
    mmm_job_free(take);
    return result;
}

mmm_status mmm_study_add(mmm_study *study, mmm_job *take, const mmm_trial **trial)
{
    mmm_trial *t;
    item *x;
    if (!study) mmm_job_free(take);
    NEED(study, "the study");
    NEED(take, "the job");
    mmm_status status = add(study, take, &t, &x);
    if (status != MMM_OK) return status;
    status = examine(study, t, x);
    study->worked += status == MMM_OK;
    if (status != MMM_OK) status = skip(study, t, x, status);
    if (trial) *trial = t;
    return status;
}

mmm_status mmm_study_refuse(mmm_study *study, mmm_status status)
{
    mmm_trial *t;
    item *x;
    char reason[512];
    NEED(study, "the study");
    if (status == MMM_OK || (unsigned)status > MMM_STOPPED)
        return mmm_fail(MMM_INVALID, "the status %d is no reason to refuse a configuration", (int)status);
    snprintf(reason, sizeof reason, "%s", mmm_message());
    mmm_status added = add(study, NULL, &t, &x);
    if (added != MMM_OK) return added;
    return skip(study, t, x, mmm_fail(status, "%s", reason));
}

mmm_status mmm_study_finish(mmm_study *study)
{
    mmm_status result = MMM_OK;
    NEED(study, "the study");
    const mmm_study_options *o = &study->options;
    if (!o->machine || o->visits < 2) return MMM_OK;
    for (int v = 1; v < o->visits; v++)
        for (int64_t i = 0; i < study->count; i++) {
            mmm_trial *t = &study->trials[i];
            if (!t->runs || t->runs >= o->repeat || t->runs < v * visit_of(study)) continue;
            study->from = (v + (double)i / (double)study->count) / o->visits;
            study->to = (v + (double)(i + 1) / (double)study->count) / o->visits;
            TRY(measure(study, t, study->items[i]));
        }
done:
    return result;
}
