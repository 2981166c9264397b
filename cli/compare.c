/* SPDX-License-Identifier: Apache-2.0 */
/* mmm compare: what several models of many-core machines say of an application at several values of a parameter. */
#include "cli.h"

#include <stdio.h>
#include <string.h>

static int write_out(const page_request *r, const mmm_report_input *input)
{
    mmm_status status = r->output ? mmm_compare_html(input, r->output) : MMM_OK;
    if (status == MMM_OK) status = r->json ? mmm_compare_json(input, "-") : mmm_compare_text(input, "-");
    return status == MMM_OK ? page_judge(input) : complain_status(status);
}

static int carry_out(page_request *r)
{
    char text[] = "counting";
    return page_carry_out(r, (mmm_study_options){.traffic = 1, .context = text}, write_out);
}

static int read_words(void *context, const words *w)
{
    page_request *r = context;
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
    {'m', "machine", "M", OPTION_TEXT, offsetof(page_request, machine),
     .help = "run there, too, and rank by measured times (default: nothing runs)"},
    {0, "parameters", "P", OPTION_TEXT, offsetof(page_request, parameters),
     .help = "the machine of the models: " PARAMETERS " (default: what mmm calibrate wrote of -m, or abstract)"},
    {'P', NULL, "N", OPTION_COUNT, offsetof(page_request, P), .help = "SMs (default the machine's, or 8)", .least = 1,
     .most = SMS_MOST},
    {'o', "output", "F", OPTION_TEXT, offsetof(page_request, output), .help = "write a page with plots"},
    {0, "repeat", "N", OPTION_COUNT, offsetof(page_request, repeat),
     .help = "runs at each value, in 3 visits, each after one to warm up (default 9)", .least = 1, .most = REPEAT_MOST},
    {0, "json", NULL, OPTION_FLAG, offsetof(page_request, json), .help = "print JSON"},
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
    .usual = &(const page_request){.repeat = 9},
    .size = sizeof(page_request),
    .call = read_words,
};
