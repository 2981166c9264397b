/* SPDX-License-Identifier: Apache-2.0 */
/* mmm report: an application counted, predicted and run at several values of its program parameter, as a page. */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES_MOST = 256, COMMAND_MOST = 1024, VISITS = 3 };

typedef struct request {
    const char *app, *machine, *parameters, *output;
    int64_t repeat, P;
    int json, no_runs;
    settings settings;
    char command[COMMAND_MOST];
} request;

/* The parameter to vary: the one given as a list, else the first choice, with values around its usual one if it has
 * none. */
static int choose_parameter(request *r, const mmm_app *app, const setting **out)
{
    const setting *list = NULL, *named = NULL;
    int numbers[MMM_CHOICES_MOST];
    if (mmm_app_choices(app, numbers) == 0)
        return complain("%s has no parameter to choose: give one as a list", app->name);
    const char *name = app->parameters[numbers[0]].name;
    for (int i = 0; i < r->settings.count; i++) {
        const setting *s = &r->settings.list[i];
        if (s->count > 1 && list)
            return complain("'%s' and '%s' are both lists: a report varies one", list->name, s->name);
        if (s->count > 1) list = s;
        if (strcmp(s->name, name) == 0) named = s;
    }
    *out = list ? list : named;
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
    int status = settings_add(&r->settings, word);
    *out = &r->settings.list[r->settings.count - 1];
    return status;
}

static int compare_trials(const void *x, const void *y)
{
    const mmm_trial *a = x, *b = y;
    return (a->value > b->value) - (a->value < b->value);
}

/* A value that does not suit the sizes or the machine is left out, with the reason.  *all says whether each was tried.
 */
static mmm_status try_all(const request *r, const setting *values, mmm_study *study, bool *all)
{
    mmm_status status = MMM_OK;
    for (int i = 0; status == MMM_OK && i < values->count; i++) {
        mmm_job *job = NULL;
        status = settings_job(&r->settings, r->app, i, &job);
        status = status == MMM_OK ? mmm_study_add(study, job, NULL) : mmm_study_refuse(study, status);
    }
    if (status == MMM_OK) {
        *all = true;
        status = mmm_study_finish(study);
    }
    end_progress();
    return status;
}

/* The trials by value, all but the last one of an interrupted study; NULL without memory. */
static mmm_trial *sorted_trials(const mmm_study *study, const setting *values, bool stopped, int *count)
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

/* Says what is wrong with the first value at which something is, and at how many. */
static int judge(const mmm_report_input *input)
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

static int write_out(const request *r, const mmm_report_input *input)
{
    char verdict[1024];
    const char *path = r->output ? r->output : "report.html";
    mmm_status status = MMM_OK;
    if (!r->json || r->output) status = mmm_report_html(input, path);
    if (status == MMM_OK && r->json) status = mmm_report_data(input, "-");
    if (status == MMM_OK && !r->json && strcmp(path, "-") != 0) {
        status = mmm_report_verdict(input, verdict, sizeof verdict);
        if (status == MMM_OK) printf("%s\nThe report is in %s\n", verdict, path);
    }
    if (status != MMM_OK) return complain_status(status);
    return judge(input);
}

static mmm_status make(const request *r, const setting *values, const mmm_parameters *numbers, mmm_machine *machine,
                       mmm_study **study, bool *all)
{
    char text[] = "counting and running";
    int64_t P = r->P ? r->P : numbers->P ? numbers->P : 8;
    mmm_status status = mmm_study_new(&(mmm_study_options){.parameters = numbers,
                                                           .machine = machine,
                                                           .count = 1,
                                                           .P = &P,
                                                           .P_count = 1,
                                                           .seed = 1,
                                                           .warm = 1,
                                                           .repeat = (int)r->repeat,
                                                           .visits = VISITS,
                                                           .check = 1,
                                                           .predict = 1,
                                                           .skip = 1,
                                                           .total = values->count,
                                                           .progress = show_progress,
                                                           .context = text},
                                      study);
    return status == MMM_OK ? try_all(r, values, *study, all) : status;
}

static int carry_out(request *r)
{
    mmm_study *study = NULL;
    mmm_trial *trials = NULL;
    mmm_job *job = NULL;
    mmm_machine *machine = NULL;
    mmm_parameters numbers;
    const setting none = {0}, *values = &none;
    int exit_status = EXIT_WORKED, count;
    bool all = false;
    mmm_status status = mmm_job_new(r->app, &job);
    if (status == MMM_OK && !r->no_runs) status = mmm_machine_open(r->machine, &machine);
    bool runs = machine && mmm_machine_has_time(machine);
    if (status == MMM_OK) /* the machine's own numbers, where it was calibrated */
        status = r->parameters || !runs ? mmm_parameters_read(r->parameters ? r->parameters : "abstract", &numbers)
                                        : mmm_parameters_of(machine, &numbers, NULL);
    if (status == MMM_OK) {
        exit_status = choose_parameter(r, mmm_job_app(job), &values);
        if (!exit_status && values->count > VALUES_MOST)
            exit_status =
                complain("%d values of %s are too many: at most %d", values->count, values->name, VALUES_MOST);
        if (exit_status) goto done;
        status = make(r, values, &numbers, runs ? machine : NULL, &study, &all);
    }
    bool stopped = false; /* with something to report */
    const bool fewer = status == MMM_STOPPED && all;
    if (fewer) {
        complain("interrupted: there are fewer runs than asked for");
        status = MMM_OK;
    }
    for (int i = 0; status == MMM_STOPPED && mmm_study_trials(study, &count) && i < count - 1; i++)
        stopped |= !mmm_study_trials(study, NULL)[i].skipped;
    if (stopped) status = MMM_OK;
    for (int i = 0; status == MMM_OK && i < r->settings.count; i++)
        if (r->settings.list[i].count == 1) /* not the one that varies, which need not suit */
            status = mmm_job_set(job, r->settings.list[i].name, r->settings.list[i].values[0]);
    if (status == MMM_OK && !(trials = sorted_trials(study, values, stopped, &count)))
        status = mmm_fail(MMM_MEMORY, "no memory for the report");
    if (status != MMM_OK) {
        exit_status = status == MMM_STOPPED ? complain_interrupted() : complain_status(status);
        goto done;
    }
    exit_status = write_out(r, &(mmm_report_input){.app = mmm_job_app(job),
                                                   .job = job,
                                                   .parameter = values->name,
                                                   .trials = trials,
                                                   .count = count,
                                                   .machine = numbers,
                                                   .device = runs ? r->machine : NULL,
                                                   .description = runs ? mmm_machine_description(machine) : NULL,
                                                   .P = r->P,
                                                   .seed = 1,
                                                   .command = r->command});
    if (stopped) complain("interrupted: the report has %d of %d values", count, values->count);
    if (stopped || fewer) exit_status = EXIT_INTERRUPTED;
done:
    free(trials);
    mmm_study_free(study);
    mmm_job_free(job);
    mmm_machine_free(machine);
    return exit_status;
}

/* The command as a shell would take it again. */
static void keep_command(char *command, int argc, char **argv)
{
    size_t used = (size_t)snprintf(command, COMMAND_MOST, "mmm");
    for (int i = 0; i < argc && used < COMMAND_MOST; i++) {
        bool plain = *argv[i] && !argv[i][strspn(argv[i], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                                          "0123456789=,.:/_-+")];
        used += (size_t)snprintf(command + used, COMMAND_MOST - used, plain ? " %s" : " '%s'", argv[i]);
    }
}

static int read_words(void *context, const words *w)
{
    request *r = context;
    keep_command(r->command, w->argc, w->argv);
    if (!w->count) return complain("an application of mmm list is needed");
    r->app = w->list[0];
    if (r->json && r->output && strcmp(r->output, "-") == 0)
        return complain("--json and -o - both want standard output");
    int status = settings_add_words(&r->settings, w, 1);
    if (!status) status = carry_out(r);
    settings_free(&r->settings);
    return status;
}

static const option_row options[] = {
    {'m', "machine", "M", OPTION_TEXT, offsetof(request, machine), .help = "the machine to run on (default cpu)"},
    {0, "parameters", "P", OPTION_TEXT, offsetof(request, parameters),
     .help = "predict and count with these: " PARAMETERS " (default: what mmm calibrate wrote)"},
    {'o', "output", "F", OPTION_TEXT, offsetof(request, output),
     .help = "the page (default report.html; '-': standard output)"},
    {0, "repeat", "N", OPTION_COUNT, offsetof(request, repeat),
     .help = "runs at each s, in 3 visits, each after one to warm up (default 9)", .least = 1, .most = REPEAT_MOST},
    {0, "no-runs", NULL, OPTION_FLAG, offsetof(request, no_runs), .help = "run nothing: predictions and measures only"},
    {'P', NULL, "N", OPTION_COUNT, offsetof(request, P),
     .help = "SMs of the schedule that is drawn (default the machine's, or 8)", .least = 1, .most = SMS_MOST},
    {0, "json", NULL, OPTION_FLAG, offsetof(request, json),
     .help = "print the data behind the page, and write the page only where -o is given"},
    {0},
};

const verb verb_report = {
    .name = "report",
    .summary = "which s to take, and why, as an HTML page with plots",
    .use = "APP|FOLDER [name=value ...] [options]",
    .description =
        "Counts, predicts and runs an application at several values of its program parameter s (or of the parameter "
        "that is given as a list or range), and writes one HTML page: which s to take, times, measures, the kernel "
        "DAG, "
        "a schedule and the formulas. The page needs nothing but a browser.",
    .options = options,
    .example = "mmm report gcd n=4000 m=3500 s=16,32,64,128,256 -o gcd.html",
    .exits = "0, 1 when a result is wrong or the abstract machine finds a violation, 2 when used wrongly, 130 when "
             "interrupted.",
    .usual = &(const request){.machine = "cpu", .repeat = 9},
    .size = sizeof(request),
    .call = read_words,
};
