/* SPDX-License-Identifier: Apache-2.0 */
/* mmm list: what there is. */
#include "cli.h"

#include <stdio.h>

static void print_machine(void *context, const mmm_machine_info *m)
{
    (void)context;
    printf("  %-10s %s%s\n", m->name, m->works ? "" : "not usable: ", m->description);
}

static void print_machine_json(void *context, const mmm_machine_info *m)
{
    const char **comma = context;
    printf("%s\n  {", *comma);
    print_json_field("name", m->name, ",");
    print_json_field("summary", m->summary, ",");
    printf("\"works\":%s,", m->works ? "true" : "false");
    print_json_field("description", m->description, "}");
    *comma = ",";
}

static void print_text(void)
{
    puts("applications");
    for (const mmm_app *const *a = mmm_app_list(); *a; a++) {
        printf("  %-16s %s (section %s, formula %s)\n", (*a)->name, (*a)->summary, (*a)->section, (*a)->formula);
        for (const mmm_app_parameter *p = (*a)->parameters; p->name; p++)
            printf("      %-6s %-44s default %lld\n", p->name, p->meaning, (long long)p->standard);
    }
    puts("\nmachines that run (mmm run -m NAME)");
    mmm_machine_list(print_machine, NULL);
    puts("\nmachines as numbers (mmm analyze -m NAME, a JSON file, or U=100,Z=12288)");
    for (const mmm_parameters *m = mmm_parameters_builtin(); *m->name; m++) {
        printf("  %-10s U = %g, Z = %lld words", m->name, m->U, (long long)m->Z);
        if (m->P) printf(", P = %lld", (long long)m->P);
        puts("");
    }
}

static void print_json(void)
{
    const char *comma = "";
    printf("{\"applications\":[");
    for (const mmm_app *const *a = mmm_app_list(); *a; a++, comma = ",") {
        printf("%s\n  {", comma);
        print_json_field("name", (*a)->name, ",");
        print_json_field("summary", (*a)->summary, ",");
        print_json_field("section", (*a)->section, ",");
        print_json_field("formula", (*a)->formula, ",\"parameters\":[");
        for (const mmm_app_parameter *p = (*a)->parameters; p->name; p++) {
            printf(p == (*a)->parameters ? "{" : ",{");
            print_json_field("name", p->name, ",");
            print_json_field("meaning", p->meaning, ",");
            printf("\"least\":%lld,\"most\":%lld,\"default\":%lld}", (long long)p->least, (long long)p->most,
                   (long long)p->standard);
        }
        printf("]}");
    }
    printf("],\n\"machines\":[");
    comma = "";
    mmm_machine_list(print_machine_json, &comma);
    printf("],\n\"parameters\":[");
    comma = "";
    for (const mmm_parameters *m = mmm_parameters_builtin(); *m->name; m++, comma = ",")
        printf("%s\n  {\"name\":\"%s\",\"U\":%g,\"Z\":%lld,\"P\":%lld}", comma, m->name, m->U, (long long)m->Z,
               (long long)m->P);
    puts("]}");
}

typedef struct request {
    int json;
} request;

static int carry_out(void *context, const words *w)
{
    const request *r = context;
    if (w->count) return complain("'%s' is one word too many: there are options only", w->list[0]);
    (r->json ? print_json : print_text)();
    return EXIT_WORKED;
}

static const option_row options[] = {
    {0, "json", NULL, OPTION_FLAG, offsetof(request, json), .help = "print JSON"},
    {0},
};

const verb verb_list = {
    .name = "list",
    .summary = "applications with their parameters, and machines",
    .use = "[--json]",
    .description =
        "Lists the applications with their parameters, the machines that run them, and the parameters of the "
        "abstract machines that mmm analyze knows.",
    .options = options,
    .example = "mmm list",
    .exits = "0, 2 when used wrongly.",
    .usual = &(const request){0},
    .size = sizeof(request),
    .call = carry_out,
};
