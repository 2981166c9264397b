/* SPDX-License-Identifier: Apache-2.0 */
/* mmm list: what there is. */
#include "cli.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

static int help(void)
{
    puts("Use: mmm list [--json]\n\nLists the applications with their parameters, the machines that run them, and the\n"
         "parameters of the abstract machines that mmm analyze knows.\n\nExample: mmm list");
    return EXIT_WORKED;
}

static void print_machine(void *context, const mmm_machine_info *m)
{
    (void)context;
    printf("  %-10s %s%s\n", m->name, m->works ? "" : "not usable: ", m->description);
}

/* Descriptions come from drivers: quotes and backslashes are escaped. */
static void print_quoted(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') putchar('\\');
        putchar(*text);
    }
    putchar('"');
}

static void print_machine_json(void *context, const mmm_machine_info *m)
{
    const char **comma = context;
    printf("%s\n  {\"name\":\"%s\",\"summary\":\"%s\",\"works\":%s,\"description\":", *comma, m->name, m->summary,
           m->works ? "true" : "false");
    print_quoted(m->description);
    putchar('}');
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

/* The other strings are the library's own, without characters that JSON escapes. */
static void print_json(void)
{
    const char *comma = "";
    printf("{\"applications\":[");
    for (const mmm_app *const *a = mmm_app_list(); *a; a++, comma = ",") {
        printf("%s\n  {\"name\":\"%s\",\"summary\":\"%s\",\"section\":\"%s\",\"formula\":\"%s\",\"parameters\":[",
               comma, (*a)->name, (*a)->summary, (*a)->section, (*a)->formula);
        for (const mmm_app_parameter *p = (*a)->parameters; p->name; p++)
            printf("%s{\"name\":\"%s\",\"meaning\":\"%s\",\"least\":%lld,\"most\":%lld,\"default\":%lld}",
                   p == (*a)->parameters ? "" : ",", p->name, p->meaning, (long long)p->least, (long long)p->most,
                   (long long)p->standard);
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

int verb_list(int argc, char **argv)
{
    static const struct option options[] = {{"json", no_argument, NULL, 'j'}, {"help", no_argument, NULL, 'h'}, {0}};
    bool json = false;
    opterr = 0;
    for (int c; (c = getopt_long(argc, argv, ":h", options, NULL)) != -1;) {
        if (c == 'h') return help();
        if (c != 'j') return complain_option(c, argv, options);
        json = true;
    }
    if (optind < argc) return complain("list takes no '%s'; its options are --json, --help", argv[optind]);
    (json ? print_json : print_text)();
    return EXIT_WORKED;
}
