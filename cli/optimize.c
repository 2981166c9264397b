/* SPDX-License-Identifier: Apache-2.0 */
/* mmm optimize: the strategy of the paper's introduction, for one program parameter. */
#include "cli.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

static const char help[] =
    "Use: mmm optimize APP [--param s] [--set l=Z/2] [--json]\n"
    "\n"
    "Chooses a program parameter as the paper does: its range, whether the work W(s0)/W(s) stays bounded, the s that\n"
    "maximises the overhead ratio O(s0)/O(s), and whether Corollary 1 confirms it.  APP: division, radix-sort,\n"
    "multiplication, gcd, or a formula file.\n"
    "\n"
    "Example: mmm optimize division --param s\n";

static int fail(void)
{
    const char *text;
    int column = mmm_formula_place(&text);
    fprintf(stderr, "mmm optimize: %s\n", mmm_message());
    if (column >= 0) fprintf(stderr, "  %s\n  %*s^\n", text, column, "");
    return 2;
}

static void print_field(const char *name, const char *text, const char *end)
{
    printf("\"%s\":\"", name);
    for (; *text; text++)
        printf(*text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    printf("\"%s", end);
}

static const char *answer(int value, const char *yes, const char *no)
{
    return value == 1 ? yes : value == 0 ? no : "cannot be decided";
}

static void print_strategy(const mmm_strategy *s)
{
    printf("parameter    %s\n", s->parameter);
    printf("range        %s\n", s->range);
    printf("assuming     %s\n", s->assumptions);
    printf("W(s0)/W(s)   %s\n", s->work);
    printf("             %s\n", answer(s->work_bounded, "bounded", "not bounded"));
    printf("O(s0)/O(s)   %s\n", s->overhead);
    printf("             largest at %s\n", s->best);
    printf("T(s0)/T(s)   %s\n", s->time);
    printf("             %s\n",
           answer(s->confirmed, "Corollary 1 confirms the choice", "Corollary 1 does not confirm it"));
    printf("verdict      %s\n", s->verdict);
}

static void print_strategy_json(const mmm_strategy *s)
{
    printf("{");
    print_field("parameter", s->parameter, ",");
    print_field("range", s->range, ",");
    print_field("assumptions", s->assumptions, ",");
    print_field("work", s->work, ",");
    printf("\"work_bounded\":%s,", s->work_bounded < 0 ? "null" : s->work_bounded ? "true" : "false");
    print_field("overhead", s->overhead, ",");
    print_field("best", s->best, ",");
    print_field("time", s->time, ",");
    printf("\"confirmed\":%s,", s->confirmed < 0 ? "null" : s->confirmed ? "true" : "false");
    print_field("verdict", s->verdict, "}\n");
}

int verb_optimize(int argc, char **argv)
{
    static const struct option long_options[] = {{"param", required_argument, NULL, 'p'},
                                                 {"set", required_argument, NULL, 's'},
                                                 {"json", no_argument, NULL, 'j'},
                                                 {"help", no_argument, NULL, 'h'},
                                                 {0}};
    const char *parameter = NULL, *set = NULL;
    int option, json = 0;
    optind = 0;
    opterr = 0;
    while ((option = getopt_long(argc, argv, ":h", long_options, NULL)) != -1) {
        switch (option) {
        case 'p': parameter = optarg; break;
        case 's': set = optarg; break;
        case 'j': json = 1; break;
        case 'h': fputs(help, stdout); return 0;
        case ':':
            fprintf(stderr, "mmm optimize: %s needs a value; see mmm optimize --help\n", argv[optind - 1]);
            return 2;
        default:
            fprintf(stderr, "mmm optimize: unknown option '%s'; accepted are --param --set --json --help\n",
                    argv[optind - 1]);
            return 2;
        }
    }
    if (argc - optind != 1) {
        fprintf(stderr,
                argc - optind > 1 ? "mmm optimize: unexpected word '%s'\n"
                                  : "mmm optimize: an algorithm is needed: division, radix-sort, multiplication, gcd "
                                    "or a file\n%.0s",
                argc - optind > 1 ? argv[optind + 1] : "");
        return 2;
    }
    mmm_formula *formula = NULL;
    mmm_strategy strategy;
    int code = 0;
    if (open_formula(argv[optind], &formula) != MMM_OK ||
        mmm_formula_optimize(formula, parameter, set, &strategy) != MMM_OK) {
        code = fail();
    } else {
        if (json)
            print_strategy_json(&strategy);
        else
            print_strategy(&strategy);
        mmm_strategy_clear(&strategy);
    }
    mmm_formula_free(formula);
    return code;
}
