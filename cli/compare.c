/* SPDX-License-Identifier: Apache-2.0 */
/* mmm compare: what several models of many-core machines say of an application at several values of a parameter. */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VISITS = 3 };

typedef struct request {
    const char *app, *machine, *parameters, *output;
    int64_t repeat, P;
    int json;
    settings settings;
    char command[COMMAND_MOST];
} request;

static mmm_status count(const request *r, const setting *values, const mmm_parameters *numbers, mmm_machine *machine,
                        mmm_study **study)
{
    char text[] = "counting";
    bool all;
    mmm_status status = mmm_study_new(&(mmm_study_options){.parameters = numbers,
                                                           .machine = machine,
                                                           .count = 1,
                                                           .traffic = 1,
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
    return status == MMM_OK ? values_try(&r->settings, r->app, values, *study, &all) : status;
}

static mmm_status write_out(const request *r, const mmm_report_input *input)
{
    mmm_status status = r->output ? mmm_compare_html(input, r->output) : MMM_OK;
    if (status != MMM_OK) return status;
    return r->json ? mmm_compare_json(input, "-") : mmm_compare_text(input, "-");
}

/* Whether a result is wrong, or the memory policy was broken: then times and counts mean little. */
static int judge(const mmm_trial *trials, int trial_count)
{
    for (int i = 0; i < trial_count; i++) {
        const mmm_trial *t = &trials[i];
        if (t->check == MMM_WRONG) complain("a result is wrong: %s", t->message);
        bool violates = t->analysis && t->analysis->counts->violation_count;
        if (violates)
            complain("the abstract machine finds a violation, %s in %s",
                     mmm_violation_name(t->analysis->counts->violations[0].kind),
                     t->analysis->counts->violations[0].second.kernel);
        if (violates || t->check == MMM_WRONG) return EXIT_CHECK_FAILED;
    }
    return EXIT_WORKED;
}

static int carry_out(request *r)
{
    mmm_study *study = NULL;
    mmm_trial *trials = NULL;
    mmm_job *job = NULL;
    mmm_machine *machine = NULL;
    mmm_parameters numbers;
    const setting *values = NULL;
    int exit_status = EXIT_WORKED, trial_count = 0;
    mmm_status status = mmm_job_new(r->app, &job);
    if (status == MMM_OK && r->machine) status = mmm_machine_open(r->machine, &machine);
    bool runs = machine && mmm_machine_has_time(machine);
    if (status == MMM_OK)
        status = r->parameters || !runs ? mmm_parameters_read(r->parameters ? r->parameters : "abstract", &numbers)
                                        : mmm_parameters_of(machine, &numbers, NULL);
    if (status == MMM_OK) {
        exit_status = values_choose(&r->settings, mmm_job_app(job), &values);
        if (exit_status) goto done;
        status = count(r, values, &numbers, runs ? machine : NULL, &study);
    }
    for (int i = 0; status == MMM_OK && i < r->settings.count; i++)
        if (r->settings.list[i].count == 1) /* not the one that varies, which need not suit */
            status = mmm_job_set(job, r->settings.list[i].name, r->settings.list[i].values[0]);
    if (status == MMM_OK && !(trials = values_trials(study, values, false, &trial_count)))
        status = mmm_fail(MMM_MEMORY, "no memory for the comparison");
    if (status == MMM_OK)
        status = write_out(r, &(mmm_report_input){.app = mmm_job_app(job),
                                                  .job = job,
                                                  .parameter = values->name,
                                                  .trials = trials,
                                                  .count = trial_count,
                                                  .machine = numbers,
                                                  .device = runs ? r->machine : NULL,
                                                  .description = runs ? mmm_machine_description(machine) : NULL,
                                                  .P = r->P,
                                                  .seed = 1,
                                                  .command = r->command});
    exit_status = status == MMM_STOPPED ? complain_interrupted()
                  : status != MMM_OK    ? complain_status(status)
                                        : judge(trials, trial_count);
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
    if (!w->count) return complain("an application of mmm list or a folder is needed");
    r->app = w->list[0];
    if (r->output && strcmp(r->output, "-") == 0)
        return complain("-o is the file of the page: standard output has the table");
    int status = settings_add_words(&r->settings, w, 1);
    if (!status) status = carry_out(r);
    settings_free(&r->settings);
    return status;
}

static const option_row options[] = {
    {'m', "machine", "M", OPTION_TEXT, offsetof(request, machine),
     .help = "run there, too, and rank by measured times (default: nothing runs)"},
    {0, "parameters", "P", OPTION_TEXT, offsetof(request, parameters),
     .help = "the machine of the models: " PARAMETERS " (default: what mmm calibrate wrote of -m, or abstract)"},
    {'P', NULL, "N", OPTION_COUNT, offsetof(request, P), .help = "SMs (default the machine's, or 8)", .least = 1,
     .most = SMS_MOST},
    {'o', "output", "F", OPTION_TEXT, offsetof(request, output), .help = "write a page with plots"},
    {0, "repeat", "N", OPTION_COUNT, offsetof(request, repeat),
     .help = "runs at each value, in 3 visits, each after one to warm up (default 9)", .least = 1, .most = REPEAT_MOST},
    {0, "json", NULL, OPTION_FLAG, offsetof(request, json), .help = "print JSON"},
    {0},
};

const verb verb_compare = {
    .name = "compare",
    .summary = "several models of many-core machines on one counted program, beside measured times",
    .use = "APP|FOLDER [name=value ...] [options]",
    .description =
        "Counts an application once for each value of its program parameter s (or of the parameter that is given as a "
        "list or range), and tells what the models say it costs: the paper's with and without launches, barriers and "
        "lanes, TMM, Nakano's DMM, UMM and HMM, a roofline and a PRAM (docs/models.md). With -m it also runs, and each "
        "model has the rank correlation of its costs with the times.",
    .options = options,
    .example = "mmm compare division n=4096 m=2048 s=16,32,64,128,256 -m cpu",
    .exits = "0, 1 when a result is wrong or the abstract machine finds a violation, 2 when used wrongly, 130 when "
             "interrupted.",
    .usual = &(const request){.repeat = 9},
    .size = sizeof(request),
    .call = read_words,
};
