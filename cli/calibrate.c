/* SPDX-License-Identifier: Apache-2.0 */
/* mmm calibrate: what the model needs of a real machine, measured. */
#include "cli.h"

#include <stdio.h>
#include <string.h>

static void print(const mmm_parameters *p)
{
    printf("%s: an operation takes %.3g ns; in operations: U = %.3g, barrier %.3g, launch %.3g, decide %.3g, unfold "
           "%.3g\n",
           p->name, p->operation * 1e9, p->U, p->barrier, p->launch, p->decide, p->unfold);
    printf("P = %lld, Z = %lld words, %lld lanes\n", (long long)p->P, (long long)p->Z, (long long)p->lanes);
    for (int i = 0; i < MMM_RATES_MOST && p->rates[i].app[0]; i++) {
        const mmm_rates *r = &p->rates[i];
        printf("  %-15s kernel %.3g us, region %.3g ns, part %.3g ns, operation %.3g ns, word %.3g ns, access %.3g ns; "
               "error %.0f %%\n",
               r->app, r->launch * 1e6, r->barrier * 1e9, r->part * 1e9, r->operation * 1e9, r->word * 1e9,
               r->access * 1e9, 100 * r->error);
    }
    for (int i = 0; i < p->factor_count; i++) {
        const mmm_factors *f = &p->factors[i];
        printf("  %-19s %-18s", f->app, f->kernel);
        for (int j = 0; j < MMM_LIMITS; j++)
            printf(" %s %.2g", mmm_limit_name(j), f->factors[j]);
        printf("; error %.0f %%\n", 100 * f->error);
    }
}

/* The keys of a machine file. */
static void print_json(const mmm_parameters *p)
{
    printf("{\"name\":");
    print_json_string(p->name);
    printf(",\"U\":%.9g,\"Z\":%lld,\"P\":%lld,\"threads\":%lld,\"launch\":%.9g,\"lanes\":%lld,\"barrier\":%.9g,"
           "\"decide\":%.9g,\"unfold\":%.9g,\"operation\":%.9g,\"applications\":{",
           p->U, (long long)p->Z, (long long)p->P, (long long)p->threads, p->launch, (long long)p->lanes, p->barrier,
           p->decide, p->unfold, p->operation);
    for (int i = 0; i < MMM_RATES_MOST && p->rates[i].app[0]; i++) {
        const mmm_rates *r = &p->rates[i];
        printf("%s\n  \"%s\":{\"launch\":%.9g,\"barrier\":%.9g,\"part\":%.9g,\"operation\":%.9g,\"word\":%.9g,"
               "\"access\":%.9g,\"error\":%.9g}",
               i ? "," : "", r->app, r->launch, r->barrier, r->part, r->operation, r->word, r->access, r->error);
    }
    printf("},\"kernels\":[");
    for (int i = 0; i < p->factor_count; i++) {
        const mmm_factors *f = &p->factors[i];
        printf("%s\n  {\"app\":\"%s\",\"kernel\":\"%s\",\"factors\":[", i ? "," : "", f->app, f->kernel);
        for (int j = 0; j < MMM_LIMITS; j++)
            printf("%s%.9g", j ? "," : "", f->factors[j]);
        printf("],\"error\":%.9g}", f->error);
    }
    puts("]}");
}

typedef struct request {
    const char *output, *name, *from;
    int json;
} request;

static int carry_out(void *context, const words *w)
{
    const request *r = context;
    mmm_machine *machine = NULL;
    mmm_parameters parameters;
    char what[] = "calibrating";
    bool to_standard_output = r->output && strcmp(r->output, "-") == 0;
    if (w->count > 2)
        return complain("'%s' is one word too many: one machine and one application at a time", w->list[2]);
    if (r->json && to_standard_output) return complain("--json and -o - both want standard output");
    if (r->from && (!w->count || !r->output))
        return complain(
            "--from needs a machine whose constants are known, and -o: mmm calibrate h200 --from %s -o h200.json",
            r->from);
    mmm_status status = r->from ? MMM_OK : mmm_machine_open(w->count ? w->list[0] : "cpu", &machine);
    if (r->from)
        status = mmm_calibrate_from(w->list[0], r->from, w->count == 2 ? w->list[1] : NULL, show_progress, what,
                                    r->output, &parameters);
    else if (status == MMM_OK)
        status = w->count == 2 ? mmm_calibrate_app(machine, w->list[1], show_progress, what, r->output, &parameters)
                               : mmm_calibrate(machine, r->name, show_progress, what, r->output, &parameters);
    end_progress();
    mmm_machine_free(machine);
    if (status != MMM_OK) return complain_status(status);
    if (!to_standard_output) (r->json ? print_json : print)(&parameters);
    return EXIT_WORKED;
}

static const option_row options[] = {
    {'o', "output", "F", OPTION_TEXT, offsetof(request, output), .help = "the file ('-': standard output)"},
    {0, "from", "CSV", OPTION_TEXT, offsetof(request, from),
     .help =
         "run nothing: fit factors of kernels to these times, lines of app,size,choice,seconds; MACHINE is one with "
         "constants of a GPU"},
    {0, "name", "NAME", OPTION_TEXT, offsetof(request, name), .help = "the machine's name in it"},
    {0, "json", NULL, OPTION_FLAG, offsetof(request, json), .help = "print what was measured as JSON"},
    {0},
};

const verb verb_calibrate = {
    .name = "calibrate",
    .summary = "measure what the model needs of a machine, for predictions",
    .use = "[MACHINE [APP|FOLDER]] [options]",
    .description =
        "Measures in well under a minute what predictions need of a machine (cpu, cuda:N or opencl:N; default cpu): "
        "the "
        "time of a local operation, of a word moved (U), of a barrier and of a launch, the lanes of a SM, and what the "
        "applications make of them, or on a GPU its constants and, unless it is one that has a file here, what its "
        "compiler makes of the applications' kernels. Writes it as a machine file, by default where mmm tune and mmm "
        "run find it. With "
        "an application, only that one "
        "is fitted, and added to the file.",
    .options = options,
    .example = "mmm calibrate cuda:0 && mmm tune gcd n=10000 m=9000 -m cuda:0\nmmm calibrate cpu ./stencil\nmmm "
               "calibrate h200 --from times.csv -o "
               "h200.json",
    .exits = "0, 2 when used wrongly, 130 when interrupted.",
    .usual = &(const request){0},
    .size = sizeof(request),
    .call = carry_out,
};
