/* SPDX-License-Identifier: Apache-2.0 */
/* mmm doctor: whether all is well here, and how to mend what is not. */
#include "cli.h"

#include <stdio.h>

typedef struct request {
    int json;
} request;

typedef struct tally {
    int count, ill;
} tally;

static const char *const healths[] = {[MMM_WELL] = "well", [MMM_NOTE] = "note", [MMM_ILL] = "ill"};

static void print_version(void *context, const mmm_diagnosis *f)
{
    (void)context;
    printf("%-9s %s%s\n", f->subject, f->health == MMM_NOTE ? "not usable: " : "", f->text);
}

int show_version(void)
{
    puts("mmm " MMM_VERSION);
    mmm_status status = mmm_doctor(0, print_version, NULL);
    return status == MMM_OK ? EXIT_WORKED : complain_status(status);
}

static void print_finding(void *context, const mmm_diagnosis *f)
{
    tally *t = context;
    printf("%-4s  %s: %s\n", healths[f->health], f->subject, f->text);
    if (*f->mend) printf("      %s: %s\n", f->health == MMM_ILL ? "to mend it" : "what to do", f->mend);
    t->ill += f->health == MMM_ILL;
}

static void print_finding_json(void *context, const mmm_diagnosis *f)
{
    tally *t = context;
    printf("%s\n  {", t->count++ ? "," : "[");
    print_json_field("subject", f->subject, ",");
    print_json_field("health", healths[f->health], ",");
    print_json_field("text", f->text, ",");
    print_json_field("mend", f->mend, "}");
    t->ill += f->health == MMM_ILL;
}

static int carry_out(void *context, const words *w)
{
    const request *r = context;
    tally t = {0};
    if (w->count) return complain("'%s': doctor looks at everything, and takes no words", w->list[0]);
    mmm_status status = mmm_doctor(1, r->json ? print_finding_json : print_finding, &t);
    if (status != MMM_OK) return complain_status(status);
    if (r->json)
        puts("]");
    else if (t.ill)
        printf("%d of these do%s not work\n", t.ill, t.ill == 1 ? "es" : "");
    else
        puts("all is well");
    return t.ill ? EXIT_CHECK_FAILED : EXIT_WORKED;
}

static const option_row options[] = {
    {0, "json", NULL, OPTION_FLAG, offsetof(request, json),
     .help = "print JSON: subject, health, text and mend of each"},
    {0},
};

const verb verb_doctor = {
    .name = "doctor",
    .summary = "whether compilers, caches, wisdom, calibration and devices work, and how to mend what does not",
    .use = "[--json]",
    .description =
        "Tries what mmm needs: compiles an application's folder, writes to the cache, reads the wisdom, runs and "
        "checks a small gcd on each machine, and looks whether it is calibrated, whether files of devices are yours to "
        "use, and whether OpenCL's drivers open. What does not work is told with what to do about it; a device that "
        "is not there is a note.",
    .options = options,
    .example = "mmm doctor",
    .exits = "0, 1 when something does not work, 2 when used wrongly.",
    .usual = &(const request){0},
    .size = sizeof(request),
    .call = carry_out,
};
