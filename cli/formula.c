/* SPDX-License-Identifier: Apache-2.0 */
/* mmm formula: questions about the analyses of sections 3 to 6. */
#include "cli.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct request {
    mmm_query query;
    int notation;
    const char *plot, *output;
    int json, paper, check;
} request;

/* ---- Expressions --------------------------------------------------------------------------------------------------
 */

static void print_number_json(double number, const char *decimal)
{
    if (!decimal || !isfinite(number))
        printf("null");
    else
        printf("%.17g", number);
}

static int ask(const mmm_formula *formula, const request *o)
{
    mmm_answer answer;
    mmm_status status = mmm_formula_ask(formula, &o->query, &answer);
    if (status != MMM_OK) return complain_formula(status);
    if (o->json) {
        printf("{\"expression\":");
        print_json_string(o->query.expression);
        printf(",\"answer\":");
        print_json_string(answer.text);
        printf(",\"decided\":%s,\"value\":", answer.decided ? "true" : "false");
        print_number_json(answer.number, answer.decimal);
        printf("}\n");
    } else if (answer.decimal && strcmp(answer.decimal, answer.text) != 0) {
        printf("%s = %s\n", answer.text, answer.decimal);
    } else {
        printf("%s\n", answer.text);
    }
    mmm_answer_clear(&answer);
    return 0;
}

/* Where the measured forms are what the abstract machine counts. */
static void list_given(const mmm_formula *formula)
{
    const char *name, *given;
    for (int i = 0; (given = mmm_formula_given(formula, NULL, i)); i++)
        printf("  measured given %s\n", given);
    for (int i = 0; (name = mmm_formula_name(formula, i, NULL)); i++)
        if ((given = mmm_formula_given(formula, name, 0))) printf("  %s measured given %s\n", name, given);
}

/* Every quantity of the formula. */
static int list(const mmm_formula *formula, request *o)
{
    const char *name, *meaning;
    int first = 1;
    if (o->json)
        printf("{\"title\":"), print_json_string(mmm_formula_title(formula)), printf(",\"quantities\":{");
    else
        printf("%s\n", mmm_formula_title(formula));
    for (int i = 0; (name = mmm_formula_name(formula, i, &meaning)); i++) {
        mmm_answer answer;
        o->query.expression = name;
        mmm_status status = mmm_formula_ask(formula, &o->query, &answer);
        if (status != MMM_OK && strcmp(name, "T") == 0) continue; /* not every formula has all that T needs */
        if (status != MMM_OK) return complain_formula(status);
        int parameter = strcmp(answer.text, name) == 0;
        if (o->json) {
            printf("%s", first ? "" : ",");
            print_json_string(name);
            printf(":");
            print_json_string(parameter ? meaning : answer.text);
            first = 0;
        } else {
            printf("  %-4s %s %s\n", name, parameter ? " " : "=", parameter ? meaning : answer.text);
        }
        mmm_answer_clear(&answer);
    }
    if (o->json) printf("},\"constraints\":[");
    for (int i = 0; (meaning = mmm_formula_constraint(formula, i)); i++) {
        if (!o->json) {
            printf("  where %s\n", meaning);
            continue;
        }
        printf("%s", i ? "," : "");
        print_json_string(meaning);
    }
    if (o->json)
        printf("]}\n");
    else if (o->query.measured)
        list_given(formula);
    return 0;
}

static int plot(const mmm_formula *formula, const request *o)
{
    mmm_status status = mmm_formula_plot(formula, &o->query, o->plot, o->output);
    if (status != MMM_OK) return complain_formula(status);
    if (o->json) printf("{\"plot\":"), print_json_string(o->output), puts("}");
    return 0;
}

static int answer(const char *name, request *o)
{
    mmm_formula *formula = NULL;
    mmm_status status = open_formula(name, &formula);
    if (status != MMM_OK) return complain_formula(status);
    int code = o->plot ? plot(formula, o) : o->query.expression ? ask(formula, o) : list(formula, o);
    mmm_formula_free(formula);
    return code;
}

static int carry_out(void *context, const words *w)
{
    request *r = context;
    mmm_query *q = &r->query;
    int most = r->paper ? 0 : r->check ? 1 : 2;
    q->notation = (mmm_notation)r->notation;
    if (w->count > most)
        return complain("'%s' is one word too many: %s", w->list[most],
                        r->paper   ? "--paper goes through all algorithms"
                        : r->check ? "--check goes through all claims of the algorithm"
                                   : "write an expression with spaces in quotes");
    if (r->paper) return show_claims(NULL, r->json);
    if (!w->count) return complain("an algorithm is needed: division, radix-sort, multiplication, gcd or a file");
    if (r->check) return show_claims(w->list[0], r->json);
    if (w->count == 2) q->expression = w->list[1];
    if (!q->expression && (q->limit || q->leading || q->solve || r->plot))
        return complain("an expression is needed, such as 'T1/T > 1'");
    if (r->plot && !r->output) return complain("--plot needs -o FILE");
    return answer(w->list[0], r);
}

static const option_row options[] = {
    {0, "set", "X=EXPR,...", OPTION_TEXT, offsetof(request, query.set), .help = "substitute, such as l=Z/2,s=Z/7"},
    {0, "assume", "RELATION,...", OPTION_TEXT, offsetof(request, query.assume),
     .help = "add to the constraints of the formula, such as U>2,n>=m"},
    {0, "limit", "X[,Y]", OPTION_TEXT, offsetof(request, query.limit),
     .help = "the limit as X (then Y) goes to infinity"},
    {0, "leading", "X", OPTION_TEXT, offsetof(request, query.leading),
     .help = "the quotient of the leading terms as X grows"},
    {0, "solve", "X", OPTION_TEXT, offsetof(request, query.solve),
     .help = "where the relation EXPR holds, as a condition on X"},
    {0, "eval", "X=NUMBER,...", OPTION_TEXT, offsetof(request, query.evaluate),
     .help = "the value, such as n=10000,m=9000"},
    {0, "plot", "X=RANGE", OPTION_TEXT, offsetof(request, plot),
     .help = "draw over a range (s=1-512, s=1-512:10log2, s=64,128,256) into the SVG file of -o"},
    {'o', "output", "FILE", OPTION_TEXT, offsetof(request, output), .help = "where the plot goes"},
    {0, "measured", NULL, OPTION_FLAG, offsetof(request, query.measured),
     .help = "with what the abstract machine measures instead of what the paper states"},
    {0, "check", NULL, OPTION_FLAG, offsetof(request, check),
     .help = "the claims of APP alone; exit 1 when one of them does not hold"},
    {0, "paper", NULL, OPTION_FLAG, offsetof(request, paper), .help = "every claim of sections 3 to 6, checked"},
    {0, "text", NULL, OPTION_SET, offsetof(request, notation), .help = "expressions as text (default)",
     .least = MMM_TEXT},
    {0, "latex", NULL, OPTION_SET, offsetof(request, notation), .help = "expressions in LaTeX", .least = MMM_LATEX},
    {0, "c", NULL, OPTION_SET, offsetof(request, notation), .help = "expressions in C", .least = MMM_C},
    {0, "python", NULL, OPTION_SET, offsetof(request, notation), .help = "expressions in Python", .least = MMM_PYTHON},
    {0, "json", NULL, OPTION_FLAG, offsetof(request, json), .help = "print JSON"},
    {0},
};

const verb verb_formula = {
    .name = "formula",
    .summary = "the paper's analysis as exact algebra: expressions, limits, thresholds, claims",
    .use = "APP [EXPR] [options]\n--paper [--json]",
    .description =
        "APP is division, radix-sort, multiplication, gcd, a folder or a file. EXPR uses W, S, O, N, L, C, K, T (Corollary 1), "
        "T(P) (Theorem 1), each with its own substitution, as in W(s=1)/W(s); W1, S1, ... are the naive form "
        "(division-naive is division). Without EXPR every quantity is shown.",
    .options = options,
    .example = "mmm formula division 'T1/T > 1' --set l=Z/2,s=Z/7 --solve Z",
    .exits = "0, 1 when a claim of --check does not hold, 2 when used wrongly.",
    .usual = &(const request){.notation = MMM_TEXT},
    .size = sizeof(request),
    .call = carry_out,
};
