/* SPDX-License-Identifier: Apache-2.0 */
/* The command mmm: finds the verb and calls it. */
#include "cli.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct verb {
    const char *name, *summary;
    int (*call)(int argc, char **argv);
} verbs[] = {
    {"list", "applications with their parameters, and machines", verb_list},
    {"analyze", "count a program on the abstract machine: work, span, overhead, bounds, races", verb_analyze},
    {"run", "run an application on a machine and check its result", verb_run},
    {"calibrate", "measure what the model needs of a machine, for predictions", verb_calibrate},
    {"tune", "find the best s for a size and a machine, with few runs", verb_tune},
    {"formula", "the paper's analysis as exact algebra: expressions, limits, thresholds, claims", verb_formula},
    {"reproduce", "the paper's tables, measured on the machines at hand", verb_reproduce},
    {"optimize", "the paper's strategy: which values of a program parameter reduce the overhead", verb_optimize},
    {"report", "which s to take, and why, as an HTML page with plots", verb_report},
};

enum { VERBS = sizeof verbs / sizeof *verbs };

int complain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("mmm: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    return EXIT_USED_WRONGLY;
}

int complain_status(mmm_status status)
{
    complain("%s", mmm_message());
    if (status == MMM_STOPPED) return EXIT_INTERRUPTED;
    return status == MMM_WRONG ? EXIT_CHECK_FAILED : EXIT_USED_WRONGLY;
}

int compare_doubles(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

int complain_option(int found, char **argv, const struct option *options)
{
    char known[256] = "";
    const char *word = argv[optind - 1];
    if (found == ':') return complain("%s: option '%s' needs a value", argv[0], word);
    for (int i = 0; options[i].name; i++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s--%s", i ? ", " : "", options[i].name);
    }
    return complain("%s: unknown option '%s'; the options are %s", argv[0], word, known);
}

static int usage(void)
{
    puts("mmm: the many-core machine model as software\n\nUse: mmm VERB ...   (mmm VERB --help tells more)\n");
    for (int i = 0; i < VERBS; i++)
        printf("  %-10s %s\n", verbs[i].name, verbs[i].summary);
    puts("\nExample: mmm analyze division n=4096 m=2048 s=16,32,64\n\n"
         "Exit status: 0 when it worked, 1 when a check failed, 2 when the command was used wrongly.");
    return EXIT_WORKED;
}

int main(int argc, char **argv)
{
    char known[256] = "";
    if (argc < 2) {
        usage();
        return EXIT_USED_WRONGLY;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) return usage();
    if (strcmp(argv[1], "--version") == 0) {
        puts("mmm " MMM_VERSION);
        return EXIT_WORKED;
    }
    for (int i = 0; i < VERBS; i++) {
        if (strcmp(argv[1], verbs[i].name) == 0) {
            int status = verbs[i].call(argc - 1, argv + 1);
            if (fflush(stdout) != 0 && status == EXIT_WORKED) return complain("cannot write to standard output");
            return status;
        }
        strcat(strcat(known, i ? ", " : ""), verbs[i].name);
    }
    return complain("unknown verb '%s'; the verbs are %s", argv[1], known);
}
