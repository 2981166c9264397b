/* SPDX-License-Identifier: Apache-2.0 */
/* An application at several values of one parameter: what mmm report and mmm compare share. */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES_MOST = 256, VISITS = 3 };

/* What comes of a request. */
typedef struct page_data {
    mmm_job *job;
    mmm_machine *machine;
    mmm_parameters numbers; /* the machine's own, where it was calibrated */
    const setting *values;
    mmm_study *study;
    mmm_trial *trials;
    bool runs, all; /* there are times; each value was tried */
} page_data;

/* The parameter that is varied: with values around its usual one if it has none; 0, or an exit status after
 * complaining. */
static int choose(settings *s, const mmm_app *app, const setting **out)
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

static mmm_status try_all(const page_request *r, page_data *p)
{
    mmm_status status = MMM_OK;
    for (int i = 0; status == MMM_OK && i < p->values->count; i++) {
        mmm_job *job = NULL;
        status = settings_job(&r->settings, r->app, i, &job);
        status = status == MMM_OK ? mmm_study_add(p->study, job, NULL) : mmm_study_refuse(p->study, status);
    }
    if (status == MMM_OK) {
        p->all = true;
        status = mmm_study_finish(p->study);
    }
    end_progress();
    return status;
}

static mmm_status open_all(const page_request *r, page_data *p)
{
    mmm_status status = mmm_job_new(r->app, &p->job);
    if (status == MMM_OK && r->machine && !r->no_runs) status = mmm_machine_open(r->machine, &p->machine);
    if (status != MMM_OK) return status;
    p->runs = p->machine && mmm_machine_has_time(p->machine);
    if (r->parameters || !p->runs) return mmm_parameters_read(r->parameters ? r->parameters : "abstract", &p->numbers);
    return mmm_parameters_of(p->machine, &p->numbers, NULL);
}

/* Makes the study; *exit_status is other than 0 where it has complained itself. */
static mmm_status make(page_request *r, mmm_study_options own, page_data *p, int *exit_status)
{
    *exit_status = EXIT_WORKED;
    mmm_status status = r->output ? mmm_path_check(r->output) : MMM_OK;
    if (status == MMM_OK) status = open_all(r, p);
    if (status != MMM_OK) return status;
    *exit_status = choose(&r->settings, mmm_job_app(p->job), &p->values);
    if (*exit_status) return MMM_OK;
    const int64_t P = r->P ? r->P : p->numbers.P ? p->numbers.P : 8;
    if (own.P_count) own.P = &P;
    own.parameters = &p->numbers;
    own.machine = p->runs ? p->machine : NULL;
    own.seed = 1;
    own.count = own.warm = own.check = own.predict = own.skip = 1;
    own.repeat = (int)r->repeat;
    own.visits = VISITS;
    own.total = p->values->count;
    own.progress = show_progress;
    status = mmm_study_new(&own, &p->study);
    return status == MMM_OK ? try_all(r, p) : status;
}

/* The trials by value, all but the last one of an interrupted study. */
static mmm_status input_of(const page_request *r, page_data *p, bool stopped, mmm_report_input *out)
{
    mmm_status status = MMM_OK;
    int count;
    for (int i = 0; status == MMM_OK && i < r->settings.count; i++)
        if (r->settings.list[i].count == 1) /* not the one that varies, which need not suit */
            status = mmm_job_set(p->job, r->settings.list[i].name, r->settings.list[i].values[0]);
    if (status != MMM_OK) return status;
    const mmm_trial *all = mmm_study_trials(p->study, &count);
    if (stopped) --count; /* the last is not whole */
    p->trials = calloc((size_t)count, sizeof *p->trials);
    if (!p->trials) return mmm_fail(MMM_MEMORY, "no memory for %d values", count);
    for (int i = 0; p->values->values && i < count; i++) {
        p->trials[i] = all[i];
        p->trials[i].value = p->values->values[i];
    }
    qsort(p->trials, (size_t)count, sizeof *p->trials, compare_trials);
    *out = (mmm_report_input){.app = mmm_job_app(p->job),
                              .job = p->job,
                              .parameter = p->values->name,
                              .trials = p->trials,
                              .count = count,
                              .machine = p->numbers,
                              .device = p->runs ? r->machine : NULL,
                              .description = p->runs ? mmm_machine_description(p->machine) : NULL,
                              .P = r->P,
                              .seed = 1,
                              .command = r->command};
    return MMM_OK;
}

/* Whether an interrupted study has a value that was tried to the end, and one of use. */
static bool has_some(const mmm_study *study)
{
    int count;
    const mmm_trial *all = mmm_study_trials(study, &count);
    for (int i = 0; all && i < count - 1; i++)
        if (!all[i].skipped) return true;
    return false;
}

int page_carry_out(page_request *r, mmm_study_options own, page_writer *write_out)
{
    page_data p = {0};
    mmm_report_input input;
    int exit_status;
    mmm_status status = make(r, own, &p, &exit_status);
    const bool fewer = status == MMM_STOPPED && p.all, some = status == MMM_STOPPED && !p.all && has_some(p.study);
    if (fewer) complain("interrupted: there are fewer runs than asked for");
    if (fewer || some) status = MMM_OK;
    if (status == MMM_OK && !exit_status) status = input_of(r, &p, some, &input);
    if (status != MMM_OK)
        exit_status = status == MMM_STOPPED ? complain_interrupted() : complain_status(status);
    else if (!exit_status) {
        exit_status = write_out(r, &input);
        if (some) complain("interrupted: there are %d of %d values", input.count, p.values->count);
        if (some || fewer) exit_status = EXIT_INTERRUPTED;
    }
    free(p.trials);
    mmm_study_free(p.study);
    mmm_job_free(p.job);
    mmm_machine_free(p.machine);
    return exit_status;
}

int page_judge(const mmm_report_input *input)
{
    const mmm_trial *first = NULL;
    int count = 0;
    for (int i = 0; i < input->count; i++) {
        const mmm_trial *t = &input->trials[i];
        bool violates = t->analysis && t->analysis->counts && t->analysis->counts->violation_count;
        if (t->check == MMM_OK && !violates) continue;
        if (!count++) first = t;
    }
    if (!first) return EXIT_WORKED;
    char others[64] = "";
    if (count > 1) snprintf(others, sizeof others, "; %d of %d values are at fault", count, input->count);
    if (first->check != MMM_OK)
        complain("%s=%lld: the result is wrong: %s%s", input->parameter, (long long)first->value, first->message,
                 others);
    else
        complain("%s=%lld: the abstract machine finds a violation, %s in %s%s", input->parameter,
                 (long long)first->value, mmm_violation_name(first->analysis->counts->violations[0].kind),
                 first->analysis->counts->violations[0].second.kernel, others);
    return EXIT_CHECK_FAILED;
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
