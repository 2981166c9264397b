/* SPDX-License-Identifier: Apache-2.0 */
/* mmm optimize: the strategy of the paper's introduction, for one program parameter. */
#include "cli.h"

#include <stdio.h>

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
    print_json_field("parameter", s->parameter, ",");
    print_json_field("range", s->range, ",");
    print_json_field("assumptions", s->assumptions, ",");
    print_json_field("work", s->work, ",");
    printf("\"work_bounded\":%s,", s->work_bounded < 0 ? "null" : s->work_bounded ? "true" : "false");
    print_json_field("overhead", s->overhead, ",");
    print_json_field("best", s->best, ",");
    print_json_field("time", s->time, ",");
    printf("\"confirmed\":%s,", s->confirmed < 0 ? "null" : s->confirmed ? "true" : "false");
    print_json_field("verdict", s->verdict, "}\n");
}

typedef struct request {
    const char *parameter, *set;
    int json;
} request;

static int carry_out(void *context, const words *w)
{
    const request *r = context;
    mmm_formula *formula = NULL;
    mmm_strategy strategy;
    if (!w->count) return complain("an application of mmm list, a folder or a file of formulas is needed");
    if (w->count > 1) return complain("'%s' is one word too many: one algorithm at a time", w->list[1]);
    mmm_status status = open_formula(w->list[0], &formula);
    if (status == MMM_OK) status = mmm_formula_optimize(formula, r->parameter, r->set, &strategy);
    mmm_formula_free(formula);
    if (status != MMM_OK) return complain_formula(status);
    (r->json ? print_strategy_json : print_strategy)(&strategy);
    mmm_strategy_clear(&strategy);
    return EXIT_WORKED;
}

static const option_row options[] = {
    {0, "param", "S", OPTION_TEXT, offsetof(request, parameter),
     .help = "the parameter to choose (default: the formula's)"},
    {0, "set", "X=EXPR,...", OPTION_TEXT, offsetof(request, set), .help = "substitute first, such as l=Z/2"},
    {0, "json", NULL, OPTION_FLAG, offsetof(request, json), .help = "print JSON"},
    {0},
};

const verb verb_optimize = {
    .name = "optimize",
    .summary = "the paper's strategy: which values of a program parameter reduce the overhead",
    .use = "APP|FOLDER|FILE [--param s] [--set l=Z/2] [--json]",
    .description =
        "Chooses a program parameter as the paper does: its range, whether the work W(s0)/W(s) stays bounded, "
        "the s that maximises the overhead ratio O(s0)/O(s), and whether Corollary 1 confirms it. APP is "
        "an application of mmm list, a folder, or a file of formulas.",
    .options = options,
    .example = "mmm optimize division --param s",
    .exits = "0, 2 when used wrongly.",
    .usual = &(const request){0},
    .size = sizeof(request),
    .call = carry_out,
};
