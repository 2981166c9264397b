/* SPDX-License-Identifier: Apache-2.0 */
/* mmm derive: closed forms of what the abstract machine counts. */
#include "cli.h"

#include <stdio.h>
#include <string.h>

typedef struct request {
    const char *over, *output;
    int json;
} request;

static int carry_out(void *context, const words *w)
{
    const request *r = context;
    mmm_derivation derivation;
    char fixed[1000] = "";
    if (!w->count) return complain("an application of mmm list or a folder is needed");
    for (int i = 1; i < w->count; i++) {
        size_t used = strlen(fixed);
        if (!strchr(w->list[i], '=')) return complain("'%s': a parameter is written name=value", w->list[i]);
        if (used + strlen(w->list[i]) + 2 > sizeof fixed) return complain("too many parameters");
        snprintf(fixed + used, sizeof fixed - used, "%s%s", used ? "," : "", w->list[i]);
    }
    mmm_status status = r->output ? mmm_path_check(r->output) : MMM_OK;
    if (status == MMM_OK) status = mmm_derive(w->list[0], r->over, *fixed ? fixed : NULL, &derivation);
    if (status != MMM_OK) return complain_status(status);
    if (r->output || !r->json) status = mmm_derivation_write(&derivation, r->output ? r->output : "-");
    if (status == MMM_OK && r->json) {
        printf("{\"found\":%d,\"quantities\":%d,\"runs\":%lld,", derivation.found, derivation.quantities,
               (long long)derivation.runs);
        print_json_field("formulas", derivation.text, "}\n");
    }
    mmm_derivation_clear(&derivation);
    return status == MMM_OK ? EXIT_WORKED : complain_status(status);
}

static const option_row options[] = {
    {0, "over", "N,M,S", OPTION_TEXT, offsetof(request, over),
     .help = "the parameters of the forms (default: all sizes and choices)"},
    {'o', "output", "FILE", OPTION_TEXT, offsetof(request, output),
     .help = "where the formulas go, such as formulas.txt"},
    {0, "json", NULL, OPTION_FLAG, offsetof(request, json), .help = "print JSON"},
    {0},
};

const verb verb_derive = {
    .name = "derive",
    .summary = "closed forms of W, S, O, N, L, K, C and local words, found from counted jobs",
    .use = "APP|FOLDER [name=value ...] [--over n,m,s] [-o FILE] [--json]",
    .description =
        "Counts small jobs of an application on the abstract machine and finds exact expressions in its parameters for "
        "what was counted, by linear algebra over the rational numbers, with the conditions under which they hold, as "
        "a "
        "file of formulas that mmm formula and mmm optimize take. Other parameters have their usual values, or those "
        "given.",
    .options = options,
    .example = "mmm derive division --over n,m,s\nmmm derive ./stencil -o stencil/formulas.txt",
    .exits = "0, 2 when used wrongly, 130 when interrupted.",
    .usual = &(const request){0},
    .size = sizeof(request),
    .call = carry_out,
};
