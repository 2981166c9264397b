/* SPDX-License-Identifier: Apache-2.0 */
/* mmm new: a folder with an application that works, to begin with. */
#include "cli.h"

#include <stdio.h>
#include <string.h>

typedef struct request {
    int json;
} request;

static int carry_out(void *context, const words *w)
{
    const request *r = context;
    if (w->count != 1) return complain("new what? the name of a folder that does not exist yet");
    const char *path = w->list[0], *dot = strchr(path, '/') ? "" : "./";
    mmm_status status = mmm_app_create(path);
    if (status != MMM_OK) return complain_status(status);
    if (r->json) {
        printf("{");
        print_json_field("folder", path, "}\n");
        return EXIT_WORKED;
    }
    printf("%s/kernels.c: a stencil, s time steps a kernel\n%s/app.c: its parameters, its program, its check\n\n"
           "Count it, run it, choose its s, look at it:\n",
           path, path);
    printf("  mmm analyze %s%s\n  mmm run %s%s --check\n  mmm tune %s%s\n  mmm report %s%s\n", dot, path, dot, path,
           dot, path, dot, path);
    return EXIT_WORKED;
}

static const option_row options[] = {
    {0, "json", NULL, OPTION_FLAG, offsetof(request, json), .help = "print JSON"},
    {0},
};

const verb verb_new = {
    .name = "new",
    .summary = "a folder with an application of your own, to begin with",
    .use = "FOLDER",
    .description =
        "Writes a folder with an application that works on every machine and with every verb: kernels.c in the "
        "kernel dialect, and app.c with its record. docs/tutorial.md goes on from there.",
    .options = options,
    .example = "mmm new stencil && mmm run ./stencil --check",
    .exits = "0, 2 when used wrongly.",
    .usual = &(const request){0},
    .size = sizeof(request),
    .call = carry_out,
};
