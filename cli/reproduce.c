/* SPDX-License-Identifier: Apache-2.0 */
/* mmm reproduce: the paper's tables on the machines at hand. */
#include "cli.h"

#include <stdio.h>
#include <string.h>

typedef struct request {
    const char *folder;
    text_list machines;
    double limit;
    int64_t largest;
    int json;
} request;

typedef struct machines {
    char names[LIST_MOST][64];
    const char *list[LIST_MOST + 1];
    int count;
} machines;

static void add_machine(void *context, const mmm_machine_info *info)
{
    machines *m = context;
    if (!info->works || !info->has_time || m->count == LIST_MOST) return;
    snprintf(m->names[m->count], sizeof m->names[0], "%s", info->name);
    m->list[m->count] = m->names[m->count];
    m->count++;
}

static int print_file(const char *folder, const char *name)
{
    char path[4096], line[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *stream = fopen(path, "r");
    if (!stream) return complain("cannot read '%s'", path);
    while (fgets(line, sizeof line, stream))
        fputs(line, stdout);
    fclose(stream);
    return EXIT_WORKED;
}

static int carry_out(void *context, const words *w)
{
    const request *r = context;
    machines m = {0};
    char what[] = "reproducing";
    if (w->count) return complain("'%s' is one word too many: there are options only", w->list[0]);
    for (; m.count < r->machines.count; m.count++)
        m.list[m.count] = r->machines.list[m.count];
    if (!m.count) mmm_machine_list(add_machine, &m);
    mmm_status status = mmm_reproduce(r->folder, m.list, r->limit, r->largest, show_progress, what);
    end_progress();
    if (status != MMM_OK) return complain_status(status);
    return print_file(r->folder, r->json ? "reproduce.json" : "reproduce.txt");
}

static const option_row options[] = {
    {'m', "machine", "M", OPTION_TEXTS, offsetof(request, machines),
     .help = "cpu, cuda:N or opencl:N; may be repeated (default: all that are found)", .most = LIST_MOST},
    {'o', "output", "FOLDER", OPTION_TEXT, offsetof(request, folder),
     .help = "where results are kept (default reproduce)"},
    {0, "limit", "SEC", OPTION_POSITIVE, offsetof(request, limit),
     .help = "leave out what would take longer (default 10)", .most = SECONDS_MOST},
    {0, "largest", "N", OPTION_COUNT, offsetof(request, largest), .help = "leave out rows of more than N terms",
     .least = 1, .most = INT64_MAX},
    {0, "json", NULL, OPTION_FLAG, offsetof(request, json), .help = "print the JSON instead of the tables"},
    {0},
};

const verb verb_reproduce = {
    .name = "reproduce",
    .summary = "the paper's tables, measured on the machines at hand",
    .use = "[-m MACHINE ...] [-o FOLDER] [options]",
    .description =
        "Measures tables 1 and 2 of the paper and a division table of the same shape, beside the paper's "
        "seconds and FLINT on one core. Results go to FOLDER as text, CSV and JSON. It can be stopped at any "
        "time: the same command goes on where it was.",
    .options = options,
    .example = "mmm reproduce -m cpu --largest 4000",
    .exits = "0, 2 when used wrongly, 130 when interrupted.",
    .usual = &(const request){.folder = "reproduce", .limit = 10},
    .size = sizeof(request),
    .call = carry_out,
};
