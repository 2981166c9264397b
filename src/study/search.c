/* SPDX-License-Identifier: Apache-2.0 */
/* The configurations there are: listed, pruned before anything is compiled, and ranked by prediction. */
#include "study/trials.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CANDIDATES_MOST = 4096, LITTLE = 2048 };
enum { LOOK = 2000 };              /* accesses in the time that it takes to look at a configuration without any, */
enum { BLOCK_MOST = 1 << 21 };     /* and until a block proves too large to be counted */
static const double access = 3e-8; /* seconds in which one is counted, about: what is chosen must not depend on it */
static const double moment = 0.25; /* seconds that nobody minds */
static const double never = 1e9;   /* seconds */
const char mmm_not_predicted[] = "not predicted: there was no time";

mmm_status mmm_candidate_apply(mmm_job *job, const mmm_candidate *candidate)
{
    int numbers[MMM_CHOICES_MOST], count = mmm_app_choices(job->app, numbers);
    for (int i = 0; i < count; i++)
        mmm_job_choose(job, numbers[i], candidate->values[i]);
    return mmm_job_prepare(job);
}

/* The reason why a smaller value of a choice does the same; the job has the configuration. */
static mmm_status is_useless(mmm_job *job, const mmm_trials *s, const mmm_candidate *c, char *reason, size_t size)
{
    mmm_status result = MMM_OK;
    for (int i = 0; i < s->choices && !*reason; i++) {
        const mmm_parameter *p = &job->app->parameters[s->numbers[i]];
        int64_t mine, other;
        bool known;
        if (!s->free[i] || !p->same) continue;
        TRY(mmm_integer_evaluate(p->same, mmm_job_lookup, job, &mine, &known));
        for (int k = 0; k < s->counts[i] && s->values[i][k] < c->values[i] && !*reason; k++) {
            job->values[s->numbers[i]] = s->values[i][k];
            TRY(mmm_integer_evaluate(p->same, mmm_job_lookup, job, &other, &known));
            if (other == mine)
                snprintf(reason, size, "%s=%" PRId64 " does what %s=%" PRId64 " does: %s is %" PRId64 " for both",
                         p->name, c->values[i], p->name, s->values[i][k], p->same, mine);
        }
        job->values[s->numbers[i]] = c->values[i];
    }
done:
    return result;
}

typedef struct place {
    const mmm_job *job;
    const mmm_parameters *machine;
} place;

/* Names of constraints: the machine's limits besides the job's parameters. */
static int lookup(const void *context, const char *name, int64_t *value)
{
    const place *at = context;
    int known = mmm_job_lookup(at->job, name, value);
    if (known) return known;
    *value = strcmp(name, "Z") == 0 ? at->machine->Z / (at->job->word_bits / 32) : at->machine->threads;
    return *value > 0;
}

bool mmm_program_unfit(const mmm_program *program, const mmm_parameters *machine, char *reason, size_t size)
{
    int64_t words = machine->Z / (program->word_bits / 32);
    for (int64_t k = 0; k < program->kernels; k++) {
        const mmm_node *node = &program->nodes[k];
        if (machine->threads && node->threads > machine->threads) {
            snprintf(reason, size, "kernel '%s' has %" PRId64 " threads a block: the machine takes %" PRId64,
                     node->name, node->threads, machine->threads);
            return true;
        }
        if (node->local_words > words) {
            snprintf(reason, size,
                     "kernel '%s' needs %" PRId64 " words of local memory a block: the machine has %" PRId64,
                     node->name, node->local_words, words);
            return true;
        }
    }
    return false;
}

mmm_status mmm_constraints_on(const mmm_job *job, const mmm_parameters *machine, char *failed, size_t size)
{
    const place at = {job, machine};
    return mmm_constraints_check(job->app->constraints, lookup, &at, failed, size);
}

/* A prediction of a job that is planned.  What unfolds has to run for it, unless it is foreseen: with less data, where
 * there is much and time is short. */
static mmm_status predict(mmm_job *job, const mmm_parameters *machine, bool brief, mmm_prediction *out, int64_t *work)
{
    mmm_status result = MMM_OK;
    mmm_job *less = NULL;
    if (brief && mmm_program_is_open(job->program) && !mmm_job_foresees(job) && mmm_job_largest(job) > 4 * LITTLE) {
        const mmm_status status = mmm_job_smaller(job, LITTLE, true, &less);
        if (status == MMM_INVALID) FAIL(MMM_TOO_LARGE, "it is for larger sizes, which take too long to unfold");
        TRY(status);
    }
    TRY(mmm_predict_each(less ? less : job, machine, out, NULL, work));
done:
    mmm_job_free(less);
    return result;
}

/* Programs that were predicted. */
typedef struct programs {
    int64_t count, room;
    struct programmed {
        mmm_digest digest;
        int64_t values[MMM_CHOICES_MOST];
    } * list;
} programs;

/* The reason why another configuration does the same: it makes the same kernels.  What unfolds is not known before. */
static mmm_status is_known(const mmm_job *job, const mmm_trials *s, const mmm_candidate *c, programs *known,
                           char *reason, size_t size)
{
    mmm_status result = MMM_OK;
    size_t used = 0;
    if (mmm_program_is_open(job->program)) return MMM_OK;
    struct programmed mine = {.digest = mmm_program_digest(job->program)};
    memcpy(mine.values, c->values, sizeof mine.values);
    for (int64_t i = 0; i < known->count; i++) {
        if (memcmp(&known->list[i].digest, &mine.digest, sizeof mine.digest) != 0) continue;
        used = (size_t)snprintf(reason, size, "makes the same kernels as");
        for (int k = 0; k < s->choices && used < size; k++)
            used += (size_t)snprintf(reason + used, size - used, " %s=%" PRId64,
                                     job->app->parameters[s->numbers[k]].name, known->list[i].values[k]);
        return MMM_OK;
    }
    TRY(mmm_grow(&known->list, &known->room, known->count + 1, sizeof *known->list));
    known->list[known->count++] = mine;
done:
    return result;
}

/* Whether these values are usual on a CPU, where Z is what its first cache holds and no limit: what was found to be best
 * there may have more. */
static bool has_room(const mmm_parameters *machine, const mmm_trials *s, const mmm_candidate *c)
{
    return s->measured && !mmm_has_gpu(machine) && memcmp(c->values, s->usual, sizeof s->usual) == 0;
}

/* What it takes to look at it goes to *spent: seconds, by what is counted. */
static mmm_status examine(mmm_job *job, const mmm_parameters *machine, const mmm_trials *s, bool brief,
                          mmm_candidate *c, programs *known, double *spent)
{
    mmm_status result = MMM_OK;
    char failed[128];
    int64_t work = BLOCK_MOST;
    *spent += access * LOOK;
    for (int i = 0; i < s->choices; i++)
        mmm_job_choose(job, s->numbers[i], c->values[i]);
    c->invalidity = MMM_INVALIDITY_CONSTRAINTS;
    TRY(is_useless(job, s, c, c->reason, sizeof c->reason));
    if (*c->reason) return MMM_OK;
    TRY(mmm_constraints_on(job, machine, failed, sizeof failed));
    if (*failed) {
        snprintf(c->reason, sizeof c->reason, "%s does not hold on this machine", failed);
        return MMM_OK;
    }
    mmm_status status = mmm_job_plan(job);
    bool reason = status == MMM_TOO_LARGE || status == MMM_INVALID;
    if (status == MMM_OK) {
        if (!has_room(machine, s, c) && mmm_program_unfit(job->program, machine, c->reason, sizeof c->reason))
            return MMM_OK;
        TRY(is_known(job, s, c, known, c->reason, sizeof c->reason));
        if (*c->reason) return MMM_OK;
        status = predict(job, machine, brief, &c->prediction, &work);
        reason = status == MMM_TOO_LARGE; /* a block that cannot be counted is no reason not to look at others */
        if (reason) c->invalidity = MMM_INVALIDITY_TIMEOUT;
        *spent += access * (double)work;
    }
    if (reason) {
        snprintf(c->reason, sizeof c->reason, "%.199s", mmm_message());
        return MMM_OK;
    }
    TRY(status);
    c->invalidity = MMM_INVALIDITY_CORRECT;
done:
    return result;
}

static int compare(const void *x, const void *y)
{
    const mmm_candidate *a = x, *b = y;
    bool valid_a = !a->reason[0], valid_b = !b->reason[0];
    if (valid_a != valid_b) return valid_a ? -1 : 1;
    double p = a->prediction.estimate, q = b->prediction.estimate;
    if (p != q) return p < q ? -1 : 1;
    for (int i = 0; i < MMM_CHOICES_MOST; i++)
        if (a->values[i] != b->values[i]) return a->values[i] < b->values[i] ? -1 : 1;
    return 0;
}

/* A search: what there is, and what of it was looked at. */
typedef struct search {
    mmm_job *job;
    const mmm_parameters *machine;
    const mmm_patience *patience;
    const mmm_trials *space;
    mmm_candidate *all;
    bool *seen;
    programs known;
    int64_t total, count; /* count: of those seen */
    double start, asked, best;
    double spent; /* seconds by what was counted, the same on every host, so that all of them choose the same */
    bool over;
} search;

/* Whether it is time to end: there is a prediction to go by, and the patience is at its end. */
static mmm_status see_whether_over(search *x)
{
    mmm_status result = MMM_OK;
    const mmm_patience *p = x->patience;
    const double now = mmm_now();
    if (now - x->start > 1 && p->progress && now - x->asked > 0.05) {
        x->asked = now;
        if (p->progress(p->context, (double)x->count / (double)x->total))
            FAIL(MMM_STOPPED, "stopped while configurations were ranked");
    }
    if (x->best > 0)
        x->over = (p->seconds > 0 && now - x->start > p->seconds) || (p->brief && x->spent > fmax(x->best, moment));
done:
    return result;
}

/* The distance of a configuration from the usual one. */
typedef struct place_in_line {
    int64_t number;
    double distance;
} place_in_line;

static int compare_places(const void *x, const void *y)
{
    const place_in_line *a = x, *b = y;
    if (a->distance != b->distance) return a->distance < b->distance ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

static double distance(const mmm_trials *s, const mmm_candidate *c)
{
    double sum = 0;
    for (int i = 0; i < s->choices; i++)
        sum += fabs(log2((double)c->values[i] + 1) - log2((double)s->usual[i] + 1));
    return sum;
}

/* A step with which all of so many places are met, far from each other. */
static int64_t spread_out(int64_t total)
{
    for (int64_t step = (total * 5 + 7) / 8; step < total; step++) {
        int64_t a = total, b = step;
        while (b) {
            const int64_t rest = a % b;
            a = b;
            b = rest;
        }
        if (a == 1) return step;
    }
    return 1;
}

/* Where there is little time for much data, those that are fast with less of it are looked at first. */
static mmm_status look_ahead(const mmm_job *job, const mmm_parameters *machine, const mmm_trials *s,
                             const mmm_candidate *all, place_in_line *line, int64_t total)
{
    mmm_status result = MMM_OK;
    mmm_job *small = NULL;
    programs known = {0};
    double spent = 0;
    if (mmm_job_largest(job) <= 4 * LITTLE) return MMM_OK;
    mmm_status status = mmm_job_smaller(job, LITTLE, true, &small);
    if (status == MMM_INVALID || status == MMM_TOO_LARGE) return MMM_OK;
    TRY(status);
    for (int64_t k = 0; k < total; k++)
        line[k].distance += never;
    for (int64_t i = 0, step = spread_out(total); i < total && spent < moment / 2; i++) {
        const int64_t k = i * step % total; /* from all over the line: what is unusual may be the best */
        mmm_candidate c = {0};
        memcpy(c.values, all[line[k].number].values, sizeof c.values);
        TRY(examine(small, machine, s, true, &c, &known, &spent));
        if (!c.reason[0]) line[k].distance = c.prediction.estimate;
    }
    qsort(line, (size_t)total, sizeof *line, compare_places);
done:
    free(known.list);
    mmm_job_free(small);
    return result;
}

/* All combinations of values, and the order to look at them in: the usual ones first, for time may be short. */
static mmm_status list_all(const mmm_job *job, const mmm_trials *s, mmm_candidate **out, place_in_line **line,
                           int64_t *count)
{
    mmm_status result = MMM_OK;
    int64_t total = 1;
    for (int i = 0; i < s->choices; i++)
        total *= s->counts[i] <= CANDIDATES_MOST / total ? s->counts[i] : CANDIDATES_MOST / total + 1;
    if (total > CANDIDATES_MOST)
        FAIL(MMM_TOO_LARGE, "%s has more than %d configurations to try: set some of its choices", job->app->name,
             CANDIDATES_MOST);
    TRY(mmm_alloc(out, total, sizeof **out));
    TRY(mmm_alloc(line, total, sizeof **line));
    for (int64_t k = 0; k < total; k++) {
        int64_t rest = k;
        for (int i = s->choices - 1; i >= 0; i--) {
            (*out)[k].values[i] = s->values[i][rest % s->counts[i]];
            rest /= s->counts[i];
        }
        (*line)[k] = (place_in_line){k, distance(s, &(*out)[k])};
    }
    qsort(*line, (size_t)total, sizeof **line, compare_places);
    *count = total;
done:
    return result;
}

static mmm_status look_at(search *x, int64_t number)
{
    mmm_status result = MMM_OK;
    mmm_candidate *c = &x->all[number];
    if (x->seen[number]) return MMM_OK;
    if (!x->over) TRY(see_whether_over(x));
    if (x->over) return MMM_OK;
    x->seen[number] = true;
    x->count++;
    TRY(examine(x->job, x->machine, x->space, x->patience->brief, c, &x->known, &x->spent));
    if (!c->reason[0] && (!(x->best > 0) || c->prediction.estimate < x->best)) x->best = c->prediction.estimate;
done:
    return result;
}

/* Whether one that was looked at is better than another, which need not be valid. */
static bool is_better(const search *x, int64_t number, int64_t other)
{
    const mmm_candidate *a = &x->all[number], *b = &x->all[other];
    if (!x->seen[number] || a->reason[0]) return false;
    return !x->seen[other] || b->reason[0] || a->prediction.estimate < b->prediction.estimate;
}

/* From one that is valid on: all values of a choice, the best of which is kept, and so with the next choice, until none
 * has a better one.  Few predictions come far where there are many configurations. */
static mmm_status climb(search *x, int64_t at)
{
    mmm_status result = MMM_OK;
    const mmm_trials *s = x->space;
    const int step = mmm_has_gpu(x->machine) ? 1 : s->choices - 1; /* on cores the last choice first: others are dear */
    for (int unchanged = 0, i = mmm_has_gpu(x->machine) ? 0 : s->choices - 1; unchanged < s->choices && !x->over;
         i = (i + step) % s->choices) {
        int64_t stride = 1, best = at;
        for (int j = s->choices - 1; j > i; j--)
            stride *= s->counts[j];
        const int64_t first = at - at / stride % s->counts[i] * stride;
        for (int k = 0; k < s->counts[i]; k++) {
            TRY(look_at(x, first + k * stride));
            if (is_better(x, first + k * stride, best)) best = first + k * stride;
        }
        unchanged = best == at ? unchanged + 1 : 0;
        at = best;
    }
done:
    return result;
}

/* The first in line that is valid; -1: none is, or there is no time. */
static mmm_status first_valid(search *x, const place_in_line *line, int64_t *number)
{
    mmm_status result = MMM_OK;
    *number = -1;
    for (int64_t k = 0; k < x->total && *number < 0; k++) {
        TRY(look_at(x, line[k].number));
        if (x->seen[line[k].number] && !x->all[line[k].number].reason[0]) *number = line[k].number;
    }
done:
    return result;
}

/* From the usual one on, or, where it is better, from one that is fast with less data.  On GPUs less data tell little:
 * they are fast with much of it. */
static mmm_status search_briefly(search *x, place_in_line *line)
{
    mmm_status result = MMM_OK;
    int64_t at, other = -1;
    TRY(first_valid(x, line, &at));
    if (at < 0) return MMM_OK;
    if (!mmm_has_gpu(x->machine)) {
        TRY(look_ahead(x->job, x->machine, x->space, x->all, line, x->total));
        x->spent = 0;
        x->over = false;
        TRY(first_valid(x, line, &other));
    }
    TRY(climb(x, other >= 0 && is_better(x, other, at) ? other : at));
done:
    return result;
}

mmm_status mmm_candidates_new(mmm_job *job, const mmm_parameters *machine, const mmm_patience *patience,
                              mmm_candidate **out, int *count)
{
    mmm_status result = MMM_OK;
    mmm_trials *s = NULL;
    mmm_candidate *all = NULL;
    place_in_line *line = NULL;
    int64_t total = 0;
    mmm_job *sketch = NULL;
    search x = {.machine = machine, .patience = patience, .start = mmm_now(), .asked = mmm_now()};
    TRY(mmm_job_sketch_of(job, &sketch));
    x.job = sketch ? sketch : job;
    TRY(mmm_alloc(&s, 1, sizeof *s));
    TRY(mmm_trials_of(job, patience->usual, s));
    TRY(list_all(job, s, &all, &line, &total));
    TRY(mmm_alloc(&x.seen, total, sizeof *x.seen));
    x.space = s;
    x.all = all;
    x.total = total;
    if (patience->brief) TRY(search_briefly(&x, line));
    for (int64_t k = 0; k < total; k++)
        TRY(look_at(&x, line[k].number));
    for (int64_t k = 0; k < total; k++) {
        if (x.seen[k]) continue;
        all[k].invalidity = MMM_INVALIDITY_TIMEOUT;
        snprintf(all[k].reason, sizeof all[k].reason, "%s", mmm_not_predicted);
    }
    qsort(all, (size_t)total, sizeof *all, compare);
    *out = all;
    *count = (int)total;
    all = NULL;
done:
    mmm_job_free(sketch);
    free(x.seen);
    free(x.known.list);
    free(s);
    free(line);
    free(all);
    return result;
}
