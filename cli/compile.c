/* SPDX-License-Identifier: Apache-2.0 */
/* mmm compile: an application of one's own as an object file, to be linked to a program. */
#include "cli.h"

#include <stdio.h>
#include <string.h>

typedef struct request {
    const char *output;
    int json;
} request;

static int carry_out(void *context, const words *w)
{
    const request *r = context;
    char standard[256];
    if (w->count != 1) return complain("the folder of an application is needed");
    size_t length = strlen(w->list[0]);
    while (length > 1 && w->list[0][length - 1] == '/')
        length--;
    const char *start = w->list[0];
    for (size_t i = 0; i < length; i++)
        if (w->list[0][i] == '/') start = w->list[0] + i + 1;
    snprintf(standard, sizeof standard, "%.*s.o", (int)(w->list[0] + length - start), start);
    const char *output = r->output ? r->output : standard;
    mmm_status status = mmm_app_compile(w->list[0], output);
    if (status != MMM_OK) return complain_status(status);
    if (r->json) {
        printf("{");
        print_json_field("object", output, "}\n");
    } else
        printf("%s\n", output);
    return EXIT_WORKED;
}

static const option_row options[] = {
    {'o', "output", "F", OPTION_TEXT, offsetof(request, output), .help = "the object file (default NAME.o)"},
    {0, "json", NULL, OPTION_FLAG, offsetof(request, json), .help = "print JSON"},
    {0},
};

const verb verb_compile = {
    .name = "compile",
    .summary = "an application of your own as an object file, to link to a program",
    .use = "FOLDER [-o FILE]",
    .description = "Compiles the application in a folder, kernels and record, to one object file for this machine. A "
                   "program linked with it and with libmmm registers the record, mmm_app_NAME, whose .name is then the "
                   "application's (mmm_app_register), and needs neither the "
                   "folder nor a compiler when it runs. Who opens the folder by its path needs no such file.",
    .options = options,
    .example = "mmm compile ./stencil && cc main.c stencil.o $(pkg-config --cflags --libs mmm) -o main",
    .exits = "0, 2 when used wrongly.",
    .usual = &(const request){0},
    .size = sizeof(request),
    .call = carry_out,
};
