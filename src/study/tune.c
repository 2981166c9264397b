/* SPDX-License-Identifier: Apache-2.0 */
/* Tuning: measures the configurations that prediction ranks first, until one stands out or the budget is spent. */
#include "study/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RUNS_STANDARD = 24, REPEAT_STANDARD = 3, VISITS_MOST = 6, FIRST_LEAST = 4 };
static const double worth_trying = 1.3;  /* times the best prediction */
static const double out_of_reach = 4;    /* times the best, and predicted to be slow: no second look is needed */
static const double settled_below = 0.1; /* noise */
static const double worth_leaving = 0.9; /* of the prediction of what is usual: less than it can tell apart */

typedef struct tuner {
    mmm_job *job;
    mmm_machine *machine;
    const mmm_tune_options *options;
    const mmm_clock *clock;
    mmm_tuning *t;
    const mmm_share *share;   /* NULL: all is measured, and kept, here */
    int64_t max_runs, visits; /* those read from a file count */
    int repeat;
    double deadline;
} tuner;

static int visits_of(const tuner *u, const mmm_candidate *c)
{
    return (c->time_count + u->repeat - 1) / u->repeat;
}

/* Seconds of the limit. */
static double left(const tuner *u)
{
    return fmax(u->deadline - u->clock->now(u->clock->context), 1e-3);
}

static bool has_time(const tuner *u)
{
    return !(u->options->time_limit > 0) || u->clock->now(u->clock->context) < u->deadline;
}

static bool has_budget(tuner *u)
{
    bool spent = u->visits >= u->max_runs;
    if (!spent && has_time(u)) return true;
    u->t->end = spent ? MMM_TUNING_MAX_RUNS : MMM_TUNING_TIME_LIMIT;
    return false;
}

static mmm_invalidity invalidity_of(mmm_status status)
{
    switch (status) {
    case MMM_WRONG: return MMM_INVALIDITY_CORRECTNESS;
    case MMM_TOO_LARGE: return MMM_INVALIDITY_CONSTRAINTS;
    case MMM_INVALID: return MMM_INVALIDITY_COMPILE;
    default: return MMM_INVALIDITY_RUNTIME;
    }
}

/* What is reported of a visit, seen from all of them. */
static int report(void *context, double done)
{
    const tuner *u = context;
    if (!u->options->progress) return 0;
    return u->options->progress(u->options->context, ((double)u->visits + done) / (double)u->max_runs);
}

/* A few executions of a configuration; the first time its result is checked. */
static mmm_status visit(tuner *u, mmm_candidate *c)
{
    mmm_status result = MMM_OK;
    mmm_tuning *t = u->t;
    if (report(u, 0))
        FAIL(MMM_STOPPED, "tuning was stopped after %lld of at most %lld runs; the same command goes on",
             (long long)u->visits, (long long)u->max_runs);
    const int room = MMM_TIMES_MOST - c->time_count;
    const mmm_study_options study = {.machine = u->machine,
                                     .repeat = u->repeat < room ? u->repeat : room,
                                     .limit = u->options->time_limit > 0 ? left(u) : 0,
                                     .give_up = 1,
                                     .warm = 1,
                                     .check = c->time_count == 0,
                                     .progress = report,
                                     .context = u};
    mmm_trial trial = {.job = u->job};
    mmm_status status = mmm_candidate_apply(u->job, c);
    if (status == MMM_OK) status = mmm_measure(&study, u->clock, &trial, c->times + c->time_count);
    if (status == MMM_STOPPED)
        FAIL(MMM_STOPPED, "tuning was stopped in run %lld of at most %lld; the same command goes on",
             (long long)u->visits + 1, (long long)u->max_runs);
    if (status == MMM_OK) status = trial.check;
    t->executions += trial.runs;
    for (int i = 0; i < trial.runs && status != MMM_WRONG; i++) {
        double *seconds = &c->times[c->time_count++];
        *seconds = fmax(*seconds, 1e-9);
    }
    if (c->time_count) c->best = mmm_least_time(c->times, c->time_count);
    if (status != MMM_OK) {
        c->invalidity = invalidity_of(status);
        snprintf(c->reason, sizeof c->reason, "%.199s", mmm_message());
        c->best = 0;
    }
    u->visits++;
    t->runs++;
    if (u->options->results) TRY(mmm_t4_write(u->options->results, u->job, u->machine, t));
done:
    return result;
}

static bool is_open(const mmm_candidate *c)
{
    return !c->reason[0];
}

static int fastest(const mmm_tuning *t)
{
    int best = -1;
    for (int i = 0; i < t->count; i++)
        if (is_open(&t->candidates[i]) && t->candidates[i].best > 0 &&
            (best < 0 || t->candidates[i].best < t->candidates[best].best))
            best = i;
    return best;
}

static double noise_of(const tuner *u, const mmm_candidate *c)
{
    return mmm_noise(c->times, c->time_count, u->repeat);
}

/* Whether the one is slower than the fastest beyond doubt: both met their edge, and the difference is larger than the
 * noise; or what was measured once, and is far off, was predicted to be slow. */
static bool is_beaten(const tuner *u, const mmm_candidate *c, const mmm_candidate *best, double *lead, double *noise)
{
    *lead = c->best / best->best - 1;
    *noise = fmax(noise_of(u, best), noise_of(u, c));
    bool settled = *noise <= settled_below,
         hopeless = *lead > out_of_reach - 1 && visits_of(u, best) > 1 &&
                    c->prediction.estimate > worth_trying * best->prediction.estimate;
    return (settled && *lead > *noise) || hopeless;
}

/* Those that the fastest does not beat; *next is the one of all these measured least.  Tells how far ahead the fastest
 * is, and of what noise, too. */
static int contenders(const tuner *u, int *next)
{
    mmm_tuning *t = u->t;
    int best = fastest(t), count = 0;
    *next = best;
    t->lead = t->noise = 0;
    for (int i = 0; best >= 0 && i < t->count; i++) {
        const mmm_candidate *c = &t->candidates[i];
        double lead, noise;
        if (i == best || !is_open(c) || !(c->best > 0)) continue;
        bool beaten = is_beaten(u, c, &t->candidates[best], &lead, &noise);
        if (!(t->lead > 0) || lead < t->lead) {
            t->lead = lead;
            t->noise = isfinite(noise) ? noise : 0;
        }
        if (beaten) continue;
        count++;
        if (visits_of(u, c) < visits_of(u, &t->candidates[*next])) *next = i;
    }
    return count;
}

static mmm_status measure_all(tuner *u)
{
    mmm_status result = MMM_OK;
    mmm_tuning *t = u->t;
    double best = t->candidates[0].prediction.estimate;
    double limit = u->options->exhaustive ? u->options->within : worth_trying;
    for (int i = 0; i < t->count && is_open(&t->candidates[i]); i++) {
        mmm_candidate *c = &t->candidates[i];
        if (i >= FIRST_LEAST && limit > 0 && c->prediction.estimate > limit * best) break;
        if (c->time_count || (u->share && i % u->share->of != u->share->number)) continue;
        if (!has_budget(u)) return MMM_OK;
        TRY(visit(u, c));
    }
    while (!u->share || u->share->last) {
        int next, count = contenders(u, &next);
        t->end = count ? MMM_TUNING_UNDECIDED : MMM_TUNING_DECIDED;
        if (!count || visits_of(u, &t->candidates[next]) >= VISITS_MOST) break;
        if (t->candidates[next].time_count == MMM_TIMES_MOST) break;
        if (!has_budget(u)) break;
        TRY(visit(u, &t->candidates[next]));
    }
done:
    return result;
}

/* Writes the choice to the wisdom, unless it is there and nothing was measured, or is not to be trusted. */
static void keep(tuner *u, const mmm_candidate *c)
{
    int numbers[MMM_CHOICES_MOST], count = mmm_app_choices(u->job->app, numbers);
    mmm_candidate known = {0};
    if (mmm_far_from(c->best, c->prediction.estimate)) {
        u->t->doubtful = 1;
        if (!u->options->keep) {
            mmm_note("the choice is not kept: its time is far from its prediction");
            return;
        }
    }
    bool exact, same = !u->t->runs && mmm_wisdom_find(u->job, u->machine, &known, &exact) && exact;
    for (int i = 0; i < count; i++) {
        u->job->values[numbers[i]] = c->values[i];
        same &= known.values[i] == c->values[i];
    }
    mmm_status status = MMM_OK;
    if (u->share)
        status = u->share->last ? mmm_wisdom_line(u->job, u->machine, c->best, u->share->line) : MMM_OK;
    else if (!same)
        status = mmm_wisdom_add(u->job, u->machine, c->best);
    if (status != MMM_OK) mmm_note("the choice is not kept: %s", mmm_message());
}

mmm_status mmm_tune_share(mmm_job *job, mmm_machine *machine, const mmm_parameters *parameters,
                          const mmm_tune_options *options, const mmm_clock *clock, const mmm_share *share,
                          mmm_tuning *out)
{
    mmm_status result = MMM_OK;
    mmm_tuning t = {.chosen = -1, .end = MMM_TUNING_DRY_RUN};
    int64_t usual[MMM_PARAMETERS_MOST];
    int next;
    tuner u = {.job = job,
               .machine = machine,
               .options = options,
               .clock = clock,
               .t = &t,
               .share = share,
               .max_runs = options->max_runs     ? options->max_runs
                           : options->exhaustive ? INT32_MAX
                                                 : RUNS_STANDARD,
               .repeat = options->repeat ? options->repeat : REPEAT_STANDARD};
    if (options->max_runs < 0 || !(options->time_limit >= 0) || options->repeat < 0 || !(options->within >= 0))
        FAIL(MMM_INVALID, "a budget is negative");
    mmm_note(NULL);
    mmm_job_usual_others(job, machine);
    u.deadline = clock->now(clock->context) + options->time_limit;
    const mmm_patience patience = {.seconds = options->time_limit / 2, /* the other half is for measuring */
                                   .progress = options->progress,
                                   .context = options->context,
                                   .usual = mmm_usual_values(job, machine, usual) ? usual : NULL};
    TRY(mmm_candidates_new(job, parameters, &patience, &t.candidates, &t.count));
    if (!t.count || !is_open(&t.candidates[0]))
        FAIL(MMM_TOO_LARGE, "%s: no configuration fits the machine%s%s", job->app->name, t.count ? ": " : "",
             t.count ? t.candidates[0].reason : "");
    if (options->results) TRY(mmm_t4_read(options->results, job, machine, &t));
    for (int i = 0; i < t.count; i++)
        u.visits += visits_of(&u, &t.candidates[i]);
    if (share && share->last)
        u.max_runs += u.visits; /* those of others do not count */
    else if (share)
        u.max_runs = (u.max_runs + share->of - 1) / share->of;
    if (!options->dry_run) result = measure_all(&u);
    if (result != MMM_OK) {
        if (result == MMM_STOPPED && fastest(&t) >= 0) keep(&u, &t.candidates[fastest(&t)]);
        goto done;
    }
    if (options->results) TRY(mmm_t4_write(options->results, job, machine, &t));
    t.ties = contenders(&u, &next);
    t.chosen = fastest(&t);
    for (int i = 0; i < t.count && t.chosen < 0; i++)
        if (is_open(&t.candidates[i])) t.chosen = i;
    if (t.chosen < 0) FAIL(MMM_DEVICE, "no configuration ran: %s", t.candidates[0].reason);
    TRY(mmm_candidate_apply(job, &t.candidates[t.chosen]));
    if (t.candidates[t.chosen].best > 0) keep(&u, &t.candidates[t.chosen]);
    *out = t;
    t.candidates = NULL;
done:
    free(t.candidates);
    return result;
}

mmm_status mmm_tune_with(mmm_job *job, mmm_machine *machine, const mmm_parameters *parameters,
                         const mmm_tune_options *options, const mmm_clock *clock, mmm_tuning *out)
{
    return mmm_tune_share(job, machine, parameters, options, clock, NULL, out);
}

mmm_status mmm_tune(mmm_job *job, mmm_machine *machine, const mmm_parameters *parameters,
                    const mmm_tune_options *options, mmm_tuning *out)
{
    NEED(job, "the job");
    NEED(machine, "the machine");
    NEED(options, "the options of tuning");
    NEED(out, "the place for what tuning finds");
    MMM_TRY(mmm_parameters_check(parameters));
    if (!machine->type->has_time)
        return mmm_fail(MMM_INVALID, "the abstract machine has no time to tune for; take cpu, cuda:N or opencl:N");
    return mmm_tune_with(job, machine, parameters, options, &mmm_clock_real, out);
}

void mmm_tuning_free(mmm_tuning *tuning)
{
    if (!tuning) return;
    free(tuning->candidates);
    memset(tuning, 0, sizeof *tuning);
}

mmm_status mmm_parameters_of(const mmm_machine *machine, mmm_parameters *out, int *own)
{
    mmm_status result = MMM_OK;
    char file[80], *path = NULL;
    NEED(machine, "the machine");
    NEED(out, "the place for the parameters of a machine");
    if (!machine->type->has_time)
        FAIL(MMM_INVALID, "the abstract machine has no time to tune for; take cpu, cuda:N or opencl:N");
    snprintf(file, sizeof file, "%s.json", machine->file);
    if (own) *own = 1;
    mmm_status placed = mmm_wisdom_beside(file, &path);
    if (placed == MMM_MEMORY) return placed;
    bool there = placed == MMM_OK && access(path, R_OK) == 0;
    if (there && mmm_trust(path) != MMM_OK) {
        mmm_note("what calibration wrote is not read: %s", mmm_message());
        there = false;
    }
    if (there) {
        TRY(mmm_parameters_read(path, out));
        goto done;
    }
    TRY(mmm_machine_numbers(machine, out));
    if (own) *own = 0;
done:
    free(path);
    return result;
}

/* The one to take: the best predicted, or what is usual, which was measured once, where that is hardly worse. */
static int best_of(const mmm_candidate *all, int count, const mmm_candidate *usual, double leave)
{
    for (int i = 1; usual && i < count && is_open(&all[i]); i++)
        if (memcmp(all[i].values, usual->values, sizeof usual->values) == 0)
            return all[0].prediction.estimate > leave * all[i].prediction.estimate ? i : 0;
    return 0;
}

mmm_status mmm_choose_by_prediction(mmm_job *job, mmm_machine *machine, const mmm_parameters *parameters, double leave,
                                    double *estimate)
{
    mmm_status result = MMM_OK;
    mmm_candidate *all = NULL, first = {0};
    int64_t usual[MMM_PARAMETERS_MOST];
    int numbers[MMM_CHOICES_MOST], choices = mmm_app_choices(job->app, numbers), count;
    const bool begins = mmm_usual_values(job, machine, usual);
    for (int i = 0; i < choices; i++)
        first.values[i] = usual[numbers[i]];
    const mmm_patience patience = {.brief = true,
                                   .progress = machine->progress,
                                   .context = machine->progress_context,
                                   .usual = begins ? usual : NULL};
    *estimate = 0;
    mmm_status status = mmm_candidates_new(job, parameters, &patience, &all, &count);
    if (status == MMM_MEMORY)
        count = 0; /* predicting takes more than running: that is no reason not to run */
    else
        TRY(status);
    const mmm_candidate *chosen = &first;
    if (count && is_open(&all[0])) {
        chosen = &all[best_of(all, count, begins ? &first : NULL, leave)];
        *estimate = chosen->prediction.estimate;
    }
    TRY(mmm_candidate_apply(job, chosen));
done:
    free(all);
    return result;
}

mmm_status mmm_tune_choose(mmm_job *job, mmm_machine *machine, mmm_origin *origin)
{
    mmm_status result = MMM_OK;
    mmm_parameters parameters;
    mmm_origin from = MMM_ORIGIN_GIVEN;
    bool open = false, known, exact;
    int numbers[MMM_CHOICES_MOST];
    double estimate;
    NEED(job, "the job");
    NEED(machine, "the machine");
    mmm_note(NULL);
    for (int i = mmm_app_choices(job->app, numbers) - 1; i >= 0; i--)
        open |= !job->set[numbers[i]];
    if (!open) goto done;
    from = MMM_ORIGIN_DEFAULT;
    if (!machine->type->has_time) goto done;
    mmm_job_usual_others(job, machine);
    TRY(mmm_wisdom_apply(job, machine, &known, &exact));
    if (known) {
        from = exact ? MMM_ORIGIN_WISDOM : MMM_ORIGIN_NEAR_WISDOM;
        goto done;
    }
    TRY(mmm_parameters_of(machine, &parameters, NULL));
    TRY(mmm_choose_by_prediction(job, machine, &parameters, worth_leaving, &estimate));
    if (estimate > 0) from = MMM_ORIGIN_PREDICTION;
done:
    if (result == MMM_OK && origin) *origin = from;
    return result;
}
