/* SPDX-License-Identifier: Apache-2.0 */
/* Which value of the program parameter to take, in one sentence. */
#include "show/page/page.h"
#include "study/study.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#define NEAR 1.1

double mmm_trial_value(const mmm_trial *trial, mmm_reason reason)
{
    if (trial->skipped || (trial->checked && trial->check != MMM_OK)) return NAN;
    const mmm_counts *counts = trial->analysis ? trial->analysis->counts : NULL;
    if (reason != MMM_BY_RUNS && counts && counts->violation_count) return NAN; /* the model does not hold for it */
    switch (reason) {
    case MMM_BY_RUNS: return trial->runs ? trial->least : NAN;
    case MMM_BY_PREDICTION: return trial->predicted.estimate > 0 ? trial->predicted.estimate : NAN;
    case MMM_BY_BOUND: return trial->analysis ? trial->analysis->corollary1 : NAN;
    default: return NAN;
    }
}

mmm_status mmm_report_check(const mmm_report_input *input)
{
    mmm_status result = MMM_OK;
    NEED(input, "the input of a report");
    NEED(input->app, "the application of a report");
    NEED(input->app->name, "the name of the application of a report");
    NEED(input->parameter, "the name of the parameter of a report");
    if (input->count < 0) FAIL(MMM_INVALID, "a report of %d trials: none or more are possible", input->count);
    NEED(input->trials || !input->count, "the array of trials of a report");
    if (input->P < 0) FAIL(MMM_INVALID, "a report for P = %" PRId64 " SMs: 0 or more are possible", input->P);
    TRY(mmm_parameters_check(&input->machine));
done:
    return result;
}

void mmm_verdict_find(const mmm_report_input *input, mmm_verdict *out)
{
    mmm_verdict v = {.chosen = -1};
    int ran = 0;
    for (int i = 0; i < input->count; i++) {
        if (input->trials[i].checked && input->trials[i].check != MMM_OK) v.wrong++;
        if (input->trials[i].runs) ran++;
    }
    /* Where something ran and nothing of it was right, a prediction is no reason to take it. */
    int least = ran && v.wrong == ran ? MMM_BY_RUNS : MMM_BY_BOUND;
    for (int reason = MMM_BY_RUNS; v.chosen < 0 && reason >= least; reason--) {
        for (int i = 0; i < input->count; i++) {
            double value = mmm_trial_value(&input->trials[i], (mmm_reason)reason);
            if (value > 0 && (v.chosen < 0 || value < v.seconds)) v.chosen = i, v.seconds = value;
        }
        v.reason = v.chosen < 0 ? MMM_BY_NOTHING : (mmm_reason)reason;
    }
    int asked = input->chosen; /* from 1 */
    if (v.chosen >= 0 && asked >= 1 && asked <= input->count) {
        double value = mmm_trial_value(&input->trials[asked - 1], v.reason);
        if (value > 0) v.chosen = asked - 1, v.seconds = value;
    }
    v.near_first = v.near_last = v.chosen;
    for (int i = 0; i < input->count; i++) {
        if (!(mmm_trial_value(&input->trials[i], v.reason) <= NEAR * v.seconds)) continue;
        if (i < v.near_first) v.near_first = i;
        if (i > v.near_last) v.near_last = i;
        v.near_count++;
    }
    v.near_row = v.near_count == v.near_last - v.near_first + 1;
    *out = v;
}

/* Appends to a text of limited size. */
typedef struct sentence {
    char *text;
    size_t size;
} sentence;

static void say(sentence *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(sentence *s, const char *format, ...)
{
    size_t used = strlen(s->text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(s->text + used, s->size - used, format, arguments);
    va_end(arguments);
}

static void say_near(sentence *s, const mmm_report_input *input, const mmm_verdict *v)
{
    const mmm_trial *trials = input->trials;
    int usable = 0;
    for (int i = 0; i < input->count; i++)
        if (mmm_trial_value(&trials[i], v->reason) > 0) usable++;
    if (usable < 2) return;
    if (v->near_count < 2)
        say(s, "; no other %s of the %d tried is within 10 %%", input->parameter, usable);
    else if (v->near_row)
        say(s, "; %s from %" PRId64 " to %" PRId64 " are within 10 %%", input->parameter, trials[v->near_first].value,
            trials[v->near_last].value);
    else {
        int left = v->near_count;
        say(s, "; %s =", input->parameter);
        for (int i = v->near_first; i <= v->near_last; i++) {
            if (!(mmm_trial_value(&trials[i], v->reason) <= NEAR * v->seconds)) continue;
            left--;
            say(s, " %" PRId64 "%s", trials[i].value, left > 1 ? "," : left ? " and" : "");
        }
        say(s, " are within 10 %%");
    }
}

/* What a reader must know before he relies on a time. */
static void say_doubt(sentence *s, const mmm_trial *t)
{
    double predicted = t->predicted.estimate;
    if (mmm_far_from(t->least, predicted))
        say(s,
            "; doubtful: %.3g times the prediction, so other work was in the way, or its numbers are not of this "
            "machine",
            t->least / predicted);
    else if (t->noise > NEAR - 1)
        say(s, "; other work was in the way: the fastest runs of two halves differ by %.0f %%", 100 * t->noise);
}

void mmm_verdict_text(const mmm_report_input *input, const mmm_verdict *v, char *text, size_t size)
{
    sentence s = {text, size};
    text[0] = 0;
    say(&s, "%s", input->app->name);
    const char *separator = " at ";
    for (const mmm_parameter *p = input->app->parameters; p->name; p++) {
        if (strcmp(p->name, input->parameter) == 0 || p->role == MMM_MODULUS || p->role == MMM_SEED) continue;
        int64_t value = mmm_job_get(input->job, p->name);
        if (value == p->standard && p->role != MMM_SIZE) continue;
        say(&s, "%s%s=%" PRId64, separator, p->name, value);
        separator = ", ";
    }
    say(&s, " on %s: ", input->device ? input->device : input->machine.name);
    if (v->chosen < 0) {
        say(&s,
            v->wrong ? "no %s can be recommended, every result was wrong." : "no %s can be recommended, none worked.",
            input->parameter);
        return;
    }
    const mmm_trial *t = &input->trials[v->chosen];
    say(&s, "take %s = %" PRId64, input->parameter, t->value);
    bool predicted = t->predicted.estimate > 0;
    if (v->reason == MMM_BY_RUNS) {
        say(&s, "; it ran in %s", mmm_label_seconds(t->least).text);
        if (t->runs > 1) say(&s, " (%d runs, median %s)", t->runs, mmm_label_seconds(t->median).text);
        if (predicted) say(&s, ", predicted %s", mmm_label_seconds(t->predicted.estimate).text);
    } else if (v->reason == MMM_BY_PREDICTION)
        say(&s, "; predicted %s, not measured", mmm_label_seconds(t->predicted.estimate).text);
    else
        say(&s, ", where the bound of Corollary 1 is least, %s local operations; nothing was run",
            mmm_label_number(v->seconds).text);
    say_near(&s, input, v);
    if (v->reason == MMM_BY_RUNS) say_doubt(&s, t);
    if (v->wrong) say(&s, "; %d of the results were wrong", v->wrong);
    say(&s, ".");
}

mmm_status mmm_report_verdict(const mmm_report_input *input, char *text, size_t size)
{
    mmm_verdict verdict;
    MMM_TRY(mmm_report_check(input));
    NEED(text, "the place for the verdict");
    if (size == 0) return mmm_fail(MMM_INVALID, "no room for the verdict");
    mmm_verdict_find(input, &verdict);
    mmm_verdict_text(input, &verdict, text, size);
    return MMM_OK;
}
