/* SPDX-License-Identifier: Apache-2.0 */
/* mmm report: an application counted, predicted and run at several values of its program parameter, as a page. */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int write_out(const page_request *r, const mmm_report_input *input)
{
    char verdict[1024];
    mmm_status status = r->output ? mmm_report_html(input, r->output) : MMM_OK;
    if (status == MMM_OK && r->json) status = mmm_report_data(input, "-");
    if (status == MMM_OK && !r->json && r->output && strcmp(r->output, "-") != 0) {
        status = mmm_report_verdict(input, verdict, sizeof verdict);
        if (status == MMM_OK) printf("%s\nThe report is in %s\n", verdict, r->output);
    }
    if (status != MMM_OK) return complain_status(status);
    return page_judge(input);
}

static int carry_out(page_request *r)
{
    char text[] = "counting and running";
    return page_carry_out(r, (mmm_study_options){.P_count = 1, .limits = 1, .context = text}, write_out);
}

static int read_words(void *context, const words *w)
{
    page_request *r = context;
    keep_command(r->command, w);
    if (!w->count) return complain("an application of mmm list is needed");
    r->app = w->list[0];
    if (r->json && r->output && strcmp(r->output, "-") == 0)
        return complain("--json and -o - both want standard output");
    if (!r->json && !r->output) r->output = "report.html";
    int status = settings_add_words(&r->settings, w, 1);
    if (!status) status = carry_out(r);
    settings_free(&r->settings);
    return status;
}

static const option_row options[] = {
    {'m', "machine", "M", OPTION_TEXT, offsetof(page_request, machine), .help = "the machine to run on (default cpu)"},
    {0, "parameters", "P", OPTION_TEXT, offsetof(page_request, parameters),
     .help = "predict and count with these: " PARAMETERS " (default: what mmm calibrate wrote)"},
    {'o', "output", "F", OPTION_TEXT, offsetof(page_request, output),
     .help = "the page (default report.html; '-': standard output)"},
    {0, "repeat", "N", OPTION_COUNT, offsetof(page_request, repeat),
     .help = "runs at each s, in 3 visits, each after one to warm up (default 9)", .least = 1, .most = REPEAT_MOST},
    {0, "no-runs", NULL, OPTION_FLAG, offsetof(page_request, no_runs),
     .help = "run nothing: predictions and measures only"},
    {'P', NULL, "N", OPTION_COUNT, offsetof(page_request, P),
     .help = "SMs of the schedule that is drawn (default the machine's, or 8)", .least = 1, .most = SMS_MOST},
    {0, "json", NULL, OPTION_FLAG, offsetof(page_request, json),
     .help = "print the data behind the page, and write the page only where -o is given"},
    {0},
};

const verb verb_report = {
    .name = "report",
    .summary = "which s to take, and why, as an HTML page with plots",
    .use = "APP|FOLDER [name=value ...] [options]",
    .description =
        "Counts, predicts and runs an application at several values of its program parameter s (or of the parameter "
        "that is given as a list or range), and writes one HTML page: which s to take, times, measures, what limits "
        "the time, the kernel DAG, a schedule and the formulas. The page needs nothing but a browser.",
    .options = options,
    .example = "mmm report gcd n=4000 m=3500 s=16,32,64,128,256 -o gcd.html",
    .exits = "0, 1 when a result is wrong or the abstract machine finds a violation, 2 when used wrongly, 130 when "
             "interrupted.",
    .usual = &(const page_request){.machine = "cpu", .repeat = 9},
    .size = sizeof(page_request),
    .call = read_words,
};
