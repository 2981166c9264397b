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

static const char *const roles[] = {[MMM_SIZE] = "size",
                                    [MMM_CHOICE] = "choice",
                                    [MMM_MODULUS] = "modulus",
                                    [MMM_SEED] = "seed",
                                    [MMM_OTHER] = "other"};

static void print_data(const char *what, const mmm_data *data)
{
    for (; data->name; data++) {
        printf("    %-7s %-8s %s of length %s", what, data->name, mmm_type_name(data->type), data->shape);
        if (data->when) printf(", where %s is not 0", data->when);
        puts("");
    }
}

/* All there is to know of one application. */
static void print_app(const mmm_app *app)
{
    printf("%s: %s", app->name, app->summary);
    if (app->section) printf(" (section %s)", app->section);
    puts("");
    for (const mmm_parameter *p = app->parameters; p->name; p++) {
        printf("    %-8s %-7s %s, %lld to %lld, default %lld", p->name, roles[p->role], p->meaning, (long long)p->least,
               (long long)p->most, (long long)p->standard);
        if (p->trials) printf("; tried: %s", p->trials);
        puts("");
    }
    if (app->constraints) printf("    needs    %s\n", app->constraints);
    print_data("input", app->inputs);
    print_data("output", app->outputs);
    printf("    checked  against %s\n", app->oracle);
}

static void print_app_json(const mmm_app *app)
{
    const struct {
        const char *name;
        const mmm_data *data;
    } all[] = {{"inputs", app->inputs}, {"outputs", app->outputs}};
    printf("{");
    print_json_field("name", app->name, ",");
    print_json_field("summary", app->summary, ",");
    print_json_field("section", app->section, ",");
    print_json_field("oracle", app->oracle, ",");
    print_json_field("constraints", app->constraints, ",\"parameters\":[");
    for (const mmm_parameter *p = app->parameters; p->name; p++) {
        printf(p == app->parameters ? "{" : ",{");
        print_json_field("name", p->name, ",");
        print_json_field("meaning", p->meaning, ",");
        print_json_field("role", roles[p->role], ",");
        printf("\"least\":%lld,\"most\":%lld,\"default\":%lld}", (long long)p->least, (long long)p->most,
               (long long)p->standard);
    }
    printf("]");
    for (int i = 0; i < 2; i++) {
        printf(",\"%s\":[", all[i].name);
        for (const mmm_data *d = all[i].data; d->name; d++) {
            printf(d == all[i].data ? "{" : ",{");
            print_json_field("name", d->name, ",");
            print_json_field("type", mmm_type_name(d->type), ",");
            print_json_field("shape", d->shape, "}");
        }
        printf("]");
    }
    printf("}");
}

static void print_text(void)
{
    puts("applications (mmm list NAME tells more; a folder of one's own is ./FOLDER)");
    for (const mmm_app *const *a = mmm_app_list(); *a; a++) {
        printf("  %-16s %s", (*a)->name, (*a)->summary);
        if ((*a)->section) printf(" (section %s)", (*a)->section);
        puts("");
        for (const mmm_parameter *p = (*a)->parameters; p->name; p++)
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
        printf("%s\n  ", comma);
        print_app_json(*a);
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
    const mmm_app *app;
    if (w->count > 1) return complain("'%s' is one application too many", w->list[1]);
    if (w->count == 0) {
        if (!mmm_parameters_builtin()) return complain_status(MMM_MEMORY);
        (r->json ? print_json : print_text)();
        return EXIT_WORKED;
    }
    mmm_status status = mmm_app_open(w->list[0], &app);
    if (status != MMM_OK) return complain_status(status);
    (r->json ? print_app_json : print_app)(app);
    if (r->json) puts("");
    return EXIT_WORKED;
}

static const option_row options[] = {
    {0, "json", NULL, OPTION_FLAG, offsetof(request, json), .help = "print JSON"},
    {0},
};

const verb verb_list = {
    .name = "list",
    .summary = "applications with their parameters, and machines",
    .use = "[APP|FOLDER] [--json]",
    .description =
        "Lists the applications with their parameters, the machines that run them, and the parameters of the "
        "abstract machines that mmm analyze knows; or all there is to know of one application.",
    .options = options,
    .example = "mmm list gcd",
    .exits = "0, 2 when used wrongly.",
    .usual = &(const request){0},
    .size = sizeof(request),
    .call = carry_out,
};
