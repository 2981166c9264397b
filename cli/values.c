/* SPDX-License-Identifier: Apache-2.0 */
/* An application at several values of one parameter: what mmm report and mmm compare share. */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES_MOST = 256 };

int values_choose(settings *s, const mmm_app *app, const setting **out)
{
    const setting *list = NULL, *named = NULL;
    int numbers[MMM_CHOICES_MOST];
    if (mmm_app_choices(app, numbers) == 0)
        return complain("%s has no parameter to choose: give one as a list", app->name);
    const char *name = app->parameters[numbers[0]].name;
    for (int i = 0; i < s->count; i++) {
        const setting *one = &s->list[i];
        if (one->count > 1 && list)
            return complain("'%s' and '%s' are both lists: a report varies one", list->name, one->name);
        if (one->count > 1) list = one;
        if (strcmp(one->name, name) == 0) named = one;
    }
    *out = list ? list : named;
    if (*out && (*out)->count > VALUES_MOST)
        return complain("%d values of %s are too many: at most %d", (*out)->count, (*out)->name, VALUES_MOST);
    if (*out) return 0;
    const mmm_parameter *p = &app->parameters[numbers[0]];
    char word[256];
    int used = snprintf(word, sizeof word, "%s=", name);
    int64_t value = p->standard, most = value > 0 && value < p->most / 4 ? 4 * value : p->most;
    for (int i = 0; i < 4 && value / 2 >= p->least; i++)
        value /= 2;
    for (int i = 0; i < 7 && value <= most; i++) {
        used += snprintf(word + used, sizeof word - (size_t)used, "%s%lld", i ? "," : "", (long long)value);
        if (value > most / 2) break;
        value = value > 0 ? 2 * value : value + 1;
    }
    int status = settings_add(s, word);
    *out = &s->list[s->count - 1];
    return status;
}

static int compare_trials(const void *x, const void *y)
{
    const mmm_trial *a = x, *b = y;
    return (a->value > b->value) - (a->value < b->value);
}

mmm_status values_try(const settings *s, const char *app, const setting *values, mmm_study *study, bool *all)
{
    mmm_status status = MMM_OK;
    for (int i = 0; status == MMM_OK && i < values->count; i++) {
        mmm_job *job = NULL;
        status = settings_job(s, app, i, &job);
        status = status == MMM_OK ? mmm_study_add(study, job, NULL) : mmm_study_refuse(study, status);
    }
    if (status == MMM_OK) {
        *all = true;
        status = mmm_study_finish(study);
    }
    end_progress();
    return status;
}

mmm_trial *values_trials(const mmm_study *study, const setting *values, bool stopped, int *count)
{
    const mmm_trial *all = mmm_study_trials(study, count);
    if (stopped) --*count; /* it is not whole */
    mmm_trial *trials = calloc((size_t)*count, sizeof *trials);
    for (int i = 0; trials && values->values && i < *count; i++) {
        trials[i] = all[i];
        trials[i].value = values->values[i];
    }
    if (trials) qsort(trials, (size_t)*count, sizeof *trials, compare_trials);
    return trials;
}

void keep_command(char *command, const words *w)
{
    size_t used = (size_t)snprintf(command, COMMAND_MOST, "mmm");
    for (int i = 0; i < w->argc && used < COMMAND_MOST; i++) {
        bool plain =
            *w->argv[i] && !w->argv[i][strspn(w->argv[i], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                                          "0123456789=,.:/_-+")];
        used += (size_t)snprintf(command + used, COMMAND_MOST - used, plain ? " %s" : " '%s'", w->argv[i]);
    }
}
