/* SPDX-License-Identifier: Apache-2.0 */
/* mmm formula: questions about the analyses of sections 3 to 6. */
#include "cli.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct request {
    mmm_query query;
    int notation;
    const char *plot, *output, *counts;
    int json, paper, check, template;
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

/* A quantity as it is listed. */
typedef struct entry {
    const char *name, *meaning;
    mmm_answer answer; /* its expression; for a parameter, its name */
} entry;

static const char *shown(const entry *e, bool *parameter)
{
    *parameter = strcmp(e->answer.text, e->name) == 0;
    return *parameter ? e->meaning : e->answer.text;
}

/* Every quantity of the formula: all of them, or the first that cannot be told. */
static mmm_status collect(const mmm_formula *formula, request *o, entry **out, int *count)
{
    int room = 0;
    while (mmm_formula_name(formula, room, NULL))
        room++;
    entry *entries = calloc((size_t)room + 1, sizeof *entries);
    if (!entries) return mmm_fail(MMM_MEMORY, "no memory for %d quantities", room);
    *out = entries;
    for (int i = 0; i < room; i++) {
        entry *e = &entries[*count];
        e->name = o->query.expression = mmm_formula_name(formula, i, &e->meaning);
        mmm_status status = mmm_formula_ask(formula, &o->query, &e->answer);
        if (status != MMM_OK && strcmp(e->name, "T") == 0) continue; /* not every formula has all that T needs */
        if (status != MMM_OK) return status;
        ++*count;
    }
    return MMM_OK;
}

static void list_json(const mmm_formula *formula, const entry *entries, int count)
{
    const char *text;
    bool parameter;
    printf("{\"title\":");
    print_json_string(mmm_formula_title(formula));
    printf(",\"quantities\":{");
    for (int i = 0; i < count; i++) {
        printf("%s", i ? "," : "");
        print_json_string(entries[i].name);
        printf(":");
        print_json_string(shown(&entries[i], &parameter));
    }
    printf("},\"constraints\":[");
    for (int i = 0; (text = mmm_formula_constraint(formula, i)); i++) {
        printf("%s", i ? "," : "");
        print_json_string(text);
    }
    printf("]}\n");
}

static void list_text(const mmm_formula *formula, const entry *entries, int count)
{
    const char *text;
    bool parameter;
    int width = 4;
    for (int i = 0; i < count; i++)
        if ((int)strlen(entries[i].name) > width) width = (int)strlen(entries[i].name);
    printf("%s\n", mmm_formula_title(formula));
    for (int i = 0; i < count; i++) {
        text = shown(&entries[i], &parameter);
        printf("  %-*s %s %s\n", width, entries[i].name, parameter ? " " : "=", text);
    }
    for (int i = 0; (text = mmm_formula_constraint(formula, i)); i++)
        printf("  where %s\n", text);
}

static int list(const mmm_formula *formula, request *o)
{
    entry *entries = NULL;
    int count = 0;
    mmm_status status = collect(formula, o, &entries, &count);
    if (status == MMM_OK) (o->json ? list_json : list_text)(formula, entries, count);
    if (status == MMM_OK && !o->json && o->query.measured) list_given(formula);
    for (int i = 0; i < count; i++)
        mmm_answer_clear(&entries[i].answer);
    free(entries);
    return status == MMM_OK ? EXIT_WORKED : complain_formula(status);
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

static const char template_text[] =
    "# What an algorithm costs, as exact expressions.  mmm derive finds such a file from counts; docs/formulas.md has "
    "more.\n"
    "\n"
    "title      Sum of n numbers, s a thread\n"
    "size       n    numbers                           # sizes grow; parameters are chosen\n"
    "parameter  l    threads of a thread-block\n"
    "parameter  s    numbers of a thread\n"
    "choose     s                                      # the one that mmm optimize chooses\n"
    "\n"
    "where  s >= 1                                     # what always holds: A <= B, A < B, A >= B or A > B\n"
    "where  l >= 1\n"
    "where  n >= s*l\n"
    "where  U > 1\n"
    "\n"
    "given  n/(s*l) is whole                           # where the measured forms are what is counted\n"
    "\n"
    "let blocks = n/(s*l)                              # a name, no row of the table\n"
    "\n"
    "W = n                                             # what is stated\n"
    "    because   s*l*blocks                          # what it has to follow from\n"
    "    measured  n                                   # what mmm analyze counts\n"
    "S = s\n"
    "    measured  s\n"
    "O = (s + 1)*U*blocks\n"
    "    measured  (s + 1)*U*blocks\n"
    "N = blocks\n"
    "    measured  blocks\n"
    "L = 1\n"
    "    measured  1\n"
    "K = blocks\n"
    "    measured  blocks\n"
    "C = s + (s + 1)*U\n"
    "    measured  s + (s + 1)*U\n"
    "\n"
    "claim overhead   O1/O = 2*s/(s + 1)               # W1, O1, ...: with s = 1\n"
    "claim twice      O1/O < 2\n"
    "claim bounded    O1/O = Theta(1)\n"
    "    as       s\n";

static bool is_application(const char *name)
{
    struct stat status;
    for (const mmm_app *const *app = mmm_app_list(); *app; app++)
        if (strcmp((*app)->name, name) == 0) return true;
    return stat(name, &status) == 0 && S_ISDIR(status.st_mode);
}

static int carry_out(void *context, const words *w)
{
    request *r = context;
    mmm_query *q = &r->query;
    int most = r->paper || r->template ? 0 : r->check ? 1 : 2;
    q->notation = (mmm_notation)r->notation;
    if (w->count > most)
        return complain("'%s' is one word too many: %s", w->list[most],
                        r->template ? "--template is of no application"
                        : r->paper  ? "--paper goes through all algorithms"
                        : r->check  ? "--check goes through all claims of the algorithm"
                                    : "write an expression with spaces in quotes");
    if (r->template) {
        printf("%s", template_text);
        return EXIT_WORKED;
    }
    if (r->paper) return show_claims(NULL, r->json);
    if (!w->count) return complain("an application of mmm list, a folder or a file of formulas is needed");
    if (r->check) {
        int code = show_claims(w->list[0], r->json);
        const char *counts = r->counts ? r->counts : is_application(w->list[0]) ? w->list[0] : NULL;
        int counted = counts && !r->json && code != EXIT_USED_WRONGLY ? show_counts(w->list[0], counts) : EXIT_WORKED;
        return counted ? counted : code;
    }
    if (r->counts) return complain("--counts goes with --check");
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
     .help = "the claims of APP alone, and its quantities against counted jobs; exit 1 when one does not hold"},
    {0, "counts", "APP|FOLDER", OPTION_TEXT, offsetof(request, counts),
     .help = "with --check of a file: compare its quantities with the counts of this application"},
    {0, "paper", NULL, OPTION_FLAG, offsetof(request, paper), .help = "every claim of sections 3 to 6, checked"},
    {0, "template", NULL, OPTION_FLAG, offsetof(request, template),
     .help = "a file of formulas to begin with, which says what may stand in one"},
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
    .use = "APP|FOLDER|FILE [EXPR] [options]\n--paper [--json]\n--template",
    .description =
        "APP is an application of mmm list, a folder, or a file of formulas. EXPR uses W, S, O, N, L, C, K, T "
        "(Corollary 1), "
        "T(P) (Theorem 1), each with its own substitution, as in W(s=1)/W(s); W1, S1, ... are the naive form "
        "(division-naive is division). Without EXPR every quantity is shown.",
    .options = options,
    .example = "mmm formula division 'T1/T > 1' --set l=Z/2,s=Z/7 --solve Z",
    .exits = "0, 1 when a claim of --check does not hold, 2 when used wrongly, 130 when interrupted.",
    .usual = &(const request){.notation = MMM_TEXT},
    .size = sizeof(request),
    .call = carry_out,
};
