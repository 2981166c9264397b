/* SPDX-License-Identifier: Apache-2.0 */
/* mmm report: an application counted, predicted and run at several values of its program parameter, as a page. */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VISITS = 3 };

typedef struct request {
    const char *app, *machine, *parameters, *output;
    int64_t repeat, P;
    int json, no_runs;
    settings settings;
    char command[COMMAND_MOST];
} request;

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
    return status == MMM_OK ? values_try(&r->settings, r->app, values, *study, all) : status;
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
        exit_status = values_choose(&r->settings, mmm_job_app(job), &values);
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
    if (status == MMM_OK && !(trials = values_trials(study, values, stopped, &count)))
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

static int read_words(void *context, const words *w)
{
    request *r = context;
    keep_command(r->command, w);
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
