/* SPDX-License-Identifier: Apache-2.0 */
/* mmm formula: questions about the analyses of sections 3 to 6. */
#include "cli.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Use:   mmm formula APP [EXPR] [options]     APP: division, radix-sort, multiplication, gcd, or a file\n"
    "       mmm formula --paper [--json]         every claim of sections 3 to 6, checked\n"
    "\n"
    "EXPR uses W, S, O, N, L, C, K, T (Corollary 1), T(P) (Theorem 1), each with its own substitution, as in\n"
    "W(s=1)/W(s); W1, S1, ... are the naive form (division-naive is division).  Without EXPR every quantity is shown.\n"
    "\n"
    "  --set l=Z/2,s=Z/7     substitute\n"
    "  --assume U>2,n>=m     add to the constraints of the formula\n"
    "  --limit n[,U]         the limit as n (then U) goes to infinity\n"
    "  --leading l           the quotient of the leading terms as l grows\n"
    "  --solve Z             where the relation EXPR holds, as a condition on Z\n"
    "  --eval n=10000,m=9000 the value\n"
    "  --plot s=1-512        draw over a range (s=1-512:10log2, s=64,128,256) into the SVG file of -o\n"
    "  --measured            with what the abstract machine measures instead of what the paper states\n"
    "  --check               the claims of APP alone; exit 1 when one of them does not hold\n"
    "  --text --latex --c --python   how expressions are written\n"
    "  --json                as JSON\n"
    "  -o, --output FILE     where the plot goes\n"
    "\n"
    "Example: mmm formula division 'T1/T > 1' --set l=Z/2,s=Z/7 --solve Z\n"
    "         Z > 63/5\n";

typedef struct options {
    mmm_query query;
    const char *plot, *output;
    int json, paper, check;
} options;

static int fail(void)
{
    const char *text;
    int column = mmm_formula_place(&text);
    fprintf(stderr, "mmm formula: %s\n", mmm_message());
    if (column >= 0) fprintf(stderr, "  %s\n  %*s^\n", text, column, "");
    return 2;
}

/* ---- Expressions --------------------------------------------------------------------------------------------------
 */

static void print_number_json(double number, const char *decimal)
{
    if (!decimal || !isfinite(number))
        printf("null");
    else
        printf("%.17g", number);
}

static int ask(const mmm_formula *formula, const options *o)
{
    mmm_answer answer;
    if (mmm_formula_ask(formula, &o->query, &answer) != MMM_OK) return fail();
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
static int list(const mmm_formula *formula, options *o)
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
        if (mmm_formula_ask(formula, &o->query, &answer) != MMM_OK) {
            if (strcmp(name, "T") == 0) continue; /* not every formula has all that T needs */
            return fail();
        }
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

static int run(const char *name, options *o)
{
    mmm_formula *formula;
    int code = 0;
    if (open_formula(name, &formula) != MMM_OK) return fail();
    if (o->plot) {
        if (mmm_formula_plot(formula, &o->query, o->plot, o->output) != MMM_OK) code = fail();
    } else if (o->query.expression) {
        code = ask(formula, o);
    } else {
        code = list(formula, o);
    }
    mmm_formula_free(formula);
    return code;
}

static int claims(const char *name, bool json)
{
    int code = show_claims(name, json);
    return code == 2 ? fail() : code;
}

int verb_formula(int argc, char **argv)
{
    enum { SET = 256, ASSUME, LIMIT, LEADING, SOLVE, EVAL, PLOT, PAPER, CHECK, JSON, MEASURED, HELP, TEXT };
    static const struct option long_options[] = {
        {"set", required_argument, NULL, SET},
        {"assume", required_argument, NULL, ASSUME},
        {"limit", required_argument, NULL, LIMIT},
        {"leading", required_argument, NULL, LEADING},
        {"solve", required_argument, NULL, SOLVE},
        {"eval", required_argument, NULL, EVAL},
        {"plot", required_argument, NULL, PLOT},
        {"output", required_argument, NULL, 'o'},
        {"paper", no_argument, NULL, PAPER},
        {"check", no_argument, NULL, CHECK},
        {"json", no_argument, NULL, JSON},
        {"measured", no_argument, NULL, MEASURED},
        {"help", no_argument, NULL, HELP},
        {"text", no_argument, NULL, TEXT + MMM_TEXT},
        {"latex", no_argument, NULL, TEXT + MMM_LATEX},
        {"c", no_argument, NULL, TEXT + MMM_C},
        {"python", no_argument, NULL, TEXT + MMM_PYTHON},
        {0},
    };
    options o = {0};
    int option;
    optind = 0;
    opterr = 0;
    while ((option = getopt_long(argc, argv, ":o:h", long_options, NULL)) != -1) {
        switch (option) {
        case SET: o.query.set = optarg; break;
        case ASSUME: o.query.assume = optarg; break;
        case LIMIT: o.query.limit = optarg; break;
        case LEADING: o.query.leading = optarg; break;
        case SOLVE: o.query.solve = optarg; break;
        case EVAL: o.query.evaluate = optarg; break;
        case PLOT: o.plot = optarg; break;
        case 'o': o.output = optarg; break;
        case PAPER: o.paper = 1; break;
        case CHECK: o.check = 1; break;
        case JSON: o.json = 1; break;
        case MEASURED: o.query.measured = 1; break;
        case 'h':
        case HELP: fputs(help, stdout); return 0;
        case ':':
            fprintf(stderr, "mmm formula: %s needs a value; see mmm formula --help\n", argv[optind - 1]);
            return 2;
        case '?':
            fprintf(
                stderr,
                "mmm formula: unknown option '%s'; accepted are --set --assume --limit --leading --solve --eval --plot "
                "--measured --check --paper --text --latex --c --python --json -o --help\n",
                argv[optind - 1]);
            return 2;
        default: o.query.notation = (mmm_notation)(option - TEXT);
        }
    }
    int words = argc - optind;
    if (words > 2 || (o.paper && words > 0)) {
        fprintf(stderr, "mmm formula: unexpected word '%s'; write an expression with spaces in quotes\n",
                argv[argc - 1]);
        return 2;
    }
    if (o.paper) return claims(NULL, o.json);
    if (words == 0) {
        fprintf(stderr, "mmm formula: an algorithm is needed: division, radix-sort, multiplication, gcd or a file\n");
        return 2;
    }
    if (o.check) return claims(argv[optind], o.json);
    if (words == 2) o.query.expression = argv[optind + 1];
    if (!o.query.expression && (o.query.limit || o.query.leading || o.query.solve || o.plot)) {
        fprintf(stderr, "mmm formula: an expression is needed, such as 'T1/T > 1'\n");
        return 2;
    }
    if (o.plot && !o.output) {
        fprintf(stderr, "mmm formula: --plot needs -o FILE\n");
        return 2;
    }
    return run(argv[optind], &o);
}
