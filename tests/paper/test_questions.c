/* SPDX-License-Identifier: Apache-2.0 */
/* Questions through the public interface: answers, what cannot be decided, and every error message. */
#include "base/base.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct example {
    const char *app;
    mmm_query query;
    const char *answer; /* or, when NULL, it cannot be decided */
} example;

static const example examples[] = {
    {"division", {.expression = "T1/T > 1", .set = "l=Z/2,s=Z/7", .solve = "Z"}, "Z > 63/5"},
    {"division", {.expression = "T1/T < 1", .set = "l=Z/2,s=Z/7", .solve = "Z"}, "Z < 63/5"},
    {"division", {.expression = "T1/T >= 1", .set = "l=Z/2,s=Z/7", .solve = "Z"}, "Z >= 63/5"},
    {"division", {.expression = "T1/T = 1", .set = "l=Z/2,s=Z/7", .solve = "Z"}, "Z = 63/5"},
    {"division", {.expression = "T1/T > 1", .set = "l=Z/2,s=Z/7", .solve = "U"}, NULL},
    {"division", {.expression = "T1/T > 1", .set = "l=Z/2,s=Z/7", .solve = "U", .assume = "Z>13"}, "always"},
    {"division", {.expression = "T1/T > 1", .set = "l=Z/2,s=Z/7", .assume = "Z>13"}, "always"},
    {"division", {.expression = "T1/T > 1", .set = "l=Z/2,s=Z/7"}, "not always"},
    {"division", {.expression = "T1/T > 1", .set = "l=Z/2,s=Z/7", .assume = "Z<12"}, "never"},
    {"division", {.expression = "(Z-12)*(n-m+1) < 0", .assume = "Z<12"}, "always"},
    {"division", {.expression = "W1/W", .set = "l=Z/2,s=Z/7"}, "8*(Z + 1)/(9*Z + 7)"},
    {"division", {.expression = "W1/W", .set = "l=Z/2,s=Z/7", .limit = "Z"}, "8/9"},
    {"division", {.expression = "W", .limit = "n"}, "infinity"},
    {"division", {.expression = "-W", .limit = "n"}, "-infinity"},
    {"division", {.expression = "1/W", .limit = "n"}, "0"},
    {"division", {.expression = "(5*U-6)*n", .limit = "n"}, NULL},
    {"division", {.expression = "1/((5*U-6)*n+1)", .limit = "n"}, NULL},
    {"division", {.expression = "(5*U-6)*Z > 144*U", .solve = "Z"}, NULL},
    {"division", {.expression = "(5*U-6)*Z > 144*U", .solve = "Z", .assume = "U>2"}, "Z > 144*U/(5*U - 6)"},
    {"division", {.expression = "n^2-5*n+6 > 0", .solve = "n"}, "n < 2 or n > 3"},
    {"division", {.expression = "n^2-5*n+6 <= 0", .solve = "n"}, "2 <= n <= 3"},
    {"division", {.expression = "(n-3)^2 > 0", .solve = "n"}, "n < 3 or n > 3"},
    {"division", {.expression = "(n-3)^2 <= 0", .solve = "n"}, "n = 3"},
    {"division", {.expression = "(n-4)/(n-3) >= 0", .solve = "n"}, "n < 3 or n >= 4"},
    {"division", {.expression = "n^2 = 2", .solve = "n"}, "n = 1.41421356237310"},
    {"division", {.expression = "n^2 > n*m", .solve = "n"}, "n > m"},
    {"division", {.expression = "n+m > 0", .solve = "n"}, "always"},
    {"division", {.expression = "n+m < 0", .solve = "n"}, "never"},
    {"division", {.expression = "(n-l)*(n-s) > 0", .solve = "n"}, NULL},
    {"division", {.expression = "2^s > 100*m", .solve = "s"}, "s > log2(m) + 2*log2(5) + 2"},
    {"division", {.expression = "log2(n) < 3*U", .solve = "n"}, "n < 2^(3*U)"},
    {"division", {.expression = "n - m + 1 > 0"}, "always"},
    {"division", {.expression = "log2(n) >= 0"}, "always"}, /* by n >= m and m >= 1 */
    {"division", {.expression = "log2(l) > 0", .set = "s=log2(l)", .assume = "s>=3"}, "always"},
    {"division", {.expression = "l >= 8", .set = "s=log2(l)", .assume = "s>=3"}, "always"},
    {"division", {.expression = "Z >= 2^4", .assume = "l>=2^s,s>=3"}, "always"},
    {"division", {.expression = "1/(m-5)", .limit = "n"}, "1/(m - 5)"},
    {"division", {.expression = "Z >= 2*s^2", .solve = "s"}, "s <= sqrt(Z/2)"},
    {"division", {.expression = "s^2 + s > Z", .solve = "s"}, "s > sqrt((4*Z + 1)/4) - 1/2"},
    {"division", {.expression = "(s^2 - Z)*(s + 1) < 0", .solve = "s"}, "s < sqrt(Z)"},
    {"division", {.expression = "(s^2 - Z)*(s - Z - 1) < 0", .solve = "s"}, "s > sqrt(Z)"},
    {"division", {.expression = "s^2 - m*s + Z > 0", .solve = "s"}, NULL},
    {"division", {.expression = "W", .evaluate = "n=11,m=8,s=2", .measured = 1}, "80"},
    {"division", {.expression = "W", .set = "s=2,n=11,m=8", .measured = 1}, "80"},
    {"division", {.expression = "O1/O", .set = "l=Z/2,s=Z/7", .measured = 1}, "Z*(8*m + Z)/(98*m)"},
    {"division", {.expression = "m - n > 0"}, "never"},
    {"division", {.expression = "ceil(m/s) >= m/s"}, "always"},
    {"division", {.expression = "ceil(m/s) < m/s + 1"}, "always"},
    {"division", {.expression = "ceil(m/s) <= m/s"}, "not always"},
    {"division", {.expression = "ceil(m/s) >= 1"}, "always"},
    {"division", {.expression = "floor(m/s) > m/s"}, "never"},
    {"division", {.expression = "ceil(m/s) = floor(m/s) + 1"}, "false"},
    {"division", {.expression = "ceil(m/s) = floor((m+s-1)/s)"}, NULL}, /* only of whole numbers */
    {"division", {.expression = "ceil(n/s)*m", .limit = "n"}, "infinity"},
    {"division", {.expression = "ceil(n/s)/(n+1)", .limit = "n"}, "1/s"},
    {"division", {.expression = "ceil(n/s) - n/s", .limit = "n"}, NULL},
    {"division", {.expression = "n/(s*ceil(n/s) - n + 1)", .limit = "n"}, "infinity"},
    {"division", {.expression = "n/(s*ceil(n/s) - n)", .limit = "n"}, NULL},
    {"division", {.expression = "ceil(n/s) > 3", .solve = "n"}, NULL},
    {"division", {.expression = "ceil(m/(2*s))*ceil((n-m+1)/s)", .evaluate = "n=10,m=5,s=2"}, "6"},
    {"division", {.expression = "ceil(n/s)", .set = "n=3*s"}, "3"},
    {"division", {.expression = "floor(m/l)*2", .notation = MMM_C}, "2.0*floor(m/l)"},
    {"division", {.expression = "n^2 - n*m + m^2 > 0"}, "always"},
    {"division", {.expression = "S1/S = 1"}, "true"},
    {"division", {.expression = "W1/W = 1"}, "false"},
    {"division", {.expression = "W1/W ~ 8/9", .set = "l=Z/2,s=Z/7", .limit = "Z"}, "true"},
    {"division", {.expression = "T(P)"}, "3*(s + 3*U)*(2*s*P + m)*(n - m + 1)/(2*s^2*P)"},
    {"division", {.expression = "T(m/(2*s))/T"}, "1"},
    {"division", {.expression = "W(s=1)/W(s)"}, "10*s/(9*s + 1)"},
    {"division", {.expression = "W(2*s)", .set = "s=m"}, "(18*m + 1)*(n - m + 1)/8"},
    {"division", {.expression = "W1", .evaluate = "n=4096,m=2048,l=256"}, "8409096"},
    {"radix-sort", {.expression = "W1/W(s=1)"}, "1"},
    {"radix-sort", {.expression = "S", .set = "s=log2(l)", .evaluate = "l=1024,c=32"}, "22784/5"},
    {"multiplication", {.expression = "O1/O", .set = "m=n", .limit = "n"}, "7*s^2/(5*s + 2)"},
    {"multiplication", {.expression = "T1/T", .set = "m=n", .limit = "n,U"}, "2/(s + 1)"},
    {"gcd", {.expression = "T1/T > 1", .set = "l=Z/2,s=Z/6,m=n", .limit = "n", .solve = "Z"}, "Z > 48/5"},
    {"gcd",
     {.expression = "O1/O", .notation = MMM_LATEX},
     "\\frac{5\\,s^{2}\\,\\left(n + \\ell + 1\\right)}{8\\,\\ell\\,\\left(n + s\\right)}"},
    {"gcd", {.expression = "O1/O", .notation = MMM_C}, "5.0*s*s*(n + l + 1.0)/(8.0*l*(n + s))"},
    {"gcd", {.expression = "O1/O", .notation = MMM_PYTHON}, "5*s**2*(n + l + 1)/(8*l*(n + s))"},
};

static void test_answers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        const example *x = &examples[i];
        mmm_formula *formula;
        mmm_answer answer;
        assert_int_equal(mmm_formula_open(x->app, &formula), MMM_OK);
        if (mmm_formula_ask(formula, &x->query, &answer) != MMM_OK)
            fail_msg("%s: %s", x->query.expression, mmm_message());
        if (x->answer) {
            if (strcmp(answer.text, x->answer) != 0)
                fail_msg("%s: %s, not %s", x->query.expression, answer.text, x->answer);
            assert_true(answer.decided);
        } else {
            if (answer.decided) fail_msg("%s: decided as %s", x->query.expression, answer.text);
            assert_non_null(strstr(answer.text, "cannot be decided: "));
        }
        mmm_answer_clear(&answer);
        mmm_formula_free(formula);
    }
}

static void test_numbers(void **state)
{
    (void)state;
    mmm_formula *formula;
    mmm_answer answer;
    mmm_query query = {.expression = "T1/T", .set = "l=Z/2,s=Z/7", .evaluate = "Z=12288,U=100"};
    assert_int_equal(mmm_formula_open("division", &formula), MMM_OK);
    assert_int_equal(mmm_formula_ask(formula, &query, &answer), MMM_OK);
    assert_true(fabs(answer.number - 503.0 * 12288 / (3 * (12288 + 2100))) < 1e-9);
    assert_non_null(answer.decimal);
    mmm_answer_clear(&answer);
    query = (mmm_query){.expression = "log2(n)", .evaluate = "n=10"};
    assert_int_equal(mmm_formula_ask(formula, &query, &answer), MMM_OK);
    assert_true(fabs(answer.number - log2(10)) < 1e-14);
    mmm_answer_clear(&answer);
    mmm_formula_free(formula);
}

typedef struct mistake {
    mmm_query query;
    const char *message;
    int column;
} mistake;

static const mistake mistakes[] = {
    {{.expression = ""}, "empty", 0},
    {{.expression = "W1/W +"}, "ends where", 6},
    {{.expression = "2*(n+m"}, "')' is missing at the end", 6},
    {{.expression = "n m"}, "'m' was not expected here", 2},
    {{.expression = "2n"}, "write 2*n", 1},
    {{.expression = "n $ m"}, "'$' was not expected here", 2},
    {{.expression = "n + * m"}, "a number, a name or '(' was expected here", 4},
    {{.expression = "Q + 1"}, "unknown name 'Q'; accepted are n m l s", 0},
    {{.expression = "1 + Q(s=1)"}, "unknown name 'Q'", 4},
    {{.expression = "W(q=1)"}, "unknown name 'q'", 2},
    {{.expression = "W(2*s=1)"}, "a name must stand before '='", 3},
    {{.expression = "W(s=1, 2)"}, "only the first argument", 7},
    {{.expression = "n(2)"}, "write n*(...)", 0},
    {{.expression = "n/(m-m)"}, "division by zero", 1},
    {{.expression = "log2(n-n)"}, "log2 of zero", 0},
    {{.expression = "log2(-3)"}, "log2 of what is negative", 0},
    {{.expression = "log2((n-m)*(l-s))"}, "unknown sign", 0},
    {{.expression = "log2(n, m)"}, "log2 takes one argument", 0},
    {{.expression = "pow(n)"}, "pow takes two arguments", 0},
    {{.expression = "3^s"}, "only 2 can be raised", 1},
    {{.expression = "2^(s/2)"}, "whole coefficients", 1},
    {{.expression = "2^(n*s)"}, "a sum of parameters", 1},
    {{.expression = "2^(1/s)"}, "without a quotient", 1},
    {{.expression = "2^2^s"}, "beyond rational functions", 1},
    {{.expression = "\\sqrt{n}"}, "unknown LaTeX command", 0},
    {{.expression = "\\frac n m"}, "\\frac needs", 6},
    {{.expression = "n > m > l"}, "'>' was not expected here", 6},
    {{.expression = "1/(n-m)", .set = "n=m"}, "division by zero", 1},
    {{.expression = "1/(n-m)", .evaluate = "n=5,m=5"}, "the values make a denominator vanish", -1},
    {{.expression = "W", .set = "s=0"}, "the formulas hold where s >= 1, which is not so here", -1},
    {{.expression = "W", .evaluate = "s=0"}, "the formulas hold where s >= 1, which is not so here", -1},
    {{.expression = "W", .evaluate = "n=5,m=10,s=2"}, "the formulas hold where n >= m, which is not so", -1},
    {{.expression = "W > 1", .set = "n=5", .evaluate = "m=10"}, "the formulas hold where n >= m, which is not so", -1},
    {{.expression = "T1/T", .evaluate = "s=100,Z=699"}, "the formulas hold where 7*s <= Z, which is not so", -1},
    {{.expression = "O", .evaluate = "U=1"}, "the formulas hold where U > 1, which is not so", -1},
    {{.expression = "n/W(m=20)", .evaluate = "n=10,m=5"}, "the formulas hold where n >= m, which is not so", -1},
    {{.expression = "W", .evaluate = "n=5,m=10,s=2", .measured = 1}, "the formulas hold where n >= m", -1},
    {{.expression = "W", .evaluate = "n=10,m=5,s=2", .measured = 1}, "m/(2*s) is whole, and here it is 5/4", -1},
    {{.expression = "W", .set = "s=2,m=5", .measured = 1}, "m/(2*s) is whole, and here it is 5/4", -1},
    {{.expression = "O1", .evaluate = "n=10,m=5,l=1", .measured = 1}, "where l >= 2, which is not so", -1},
    {{.expression = "W(s=3)", .evaluate = "n=11,m=8", .measured = 1}, "m/(2*s) is whole, and here it is 4/3", -1},
    {{.expression = "W", .set = "q=1"}, "unknown name 'q'", -1},
    {{.expression = "W", .set = "s"}, "'s' is no setting", -1},
    {{.expression = "W", .set = "s=1,s=2"}, "'s' is set twice", -1},
    {{.expression = "W", .set = "s=1+"}, "ends where", 2},
    {{.expression = "W", .limit = "q"}, "unknown name 'q'", -1},
    {{.expression = "W", .solve = "Z"}, "--solve needs a relation", -1},
    {{.expression = "W > 1", .solve = "q"}, "unknown name 'q'", -1},
    {{.expression = "W ~ 1"}, "'~' needs the variable that grows", -1},
    {{.expression = "W", .assume = "U"}, "a relation with", 0},
    {{.expression = "n^99999999999999999999"}, "a power beyond", 1},
    {{.expression = "(n+m+l+s+U+Z)^50"}, "grows too large", -1},
    {{.expression = "2^8000*2^8000"}, "bits", -1},
};

static void test_mistakes(void **state)
{
    (void)state;
    mmm_formula *formula;
    assert_int_equal(mmm_formula_open("division", &formula), MMM_OK);
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        const mistake *x = &mistakes[i];
        mmm_answer answer;
        mmm_status status = mmm_formula_ask(formula, &x->query, &answer);
        if (status == MMM_OK) fail_msg("%s: %s", x->query.expression, answer.text);
        if (!strstr(mmm_message(), x->message)) fail_msg("%s: %s", x->query.expression, mmm_message());
        if (mmm_formula_place(NULL) != x->column)
            fail_msg("%s: column %d, not %d", x->query.expression, mmm_formula_place(NULL), x->column);
    }
    mmm_formula_free(formula);
    assert_int_equal(mmm_formula_open("nothing", &formula), MMM_INVALID);
    assert_non_null(strstr(mmm_message(), "accepted are division division-inverse multiplication"));
    assert_int_equal(mmm_formula_open("./nothing.txt", &formula), MMM_IO);
}

static void test_files(void **state)
{
    (void)state;
    static const char *const files[][2] = {
        {"", "defines no quantity"},
        {"W = n", "x: W"}, /* reads; see below */
        {"size n keys\nW = n*\n", "line 2: the expression ends"},
        {"size n keys\nwhat is this\n", "line 2: unknown entry 'what'"},
        {"size n keys\nsize n more\nW = n", "line 2: parameter 'n' is given twice"},
        {"W = 1\nW = 2\n", "line 2: 'W' is defined twice"},
        {"W = 1\n    colour red\n", "line 2: unknown word 'colour'"},
        {"    section 1\n", "line 1: 'section' is indented"},
        {"where n\nW = 1\n", "line 1: 'n' is no constraint"},
        {"W = 1\nclaim x\n", "line 2: a claim needs a name and a relation"},
        {"W = 1\nclaim x W = 1\nclaim x W = 1\n", "line 3: claim 'x' is made twice"},
        {"choose q\nW = 1\n", "unknown name 'q'"},
        {"2W = 1\n", "'2W' is no name"},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        mmm_formula *formula = NULL;
        mmm_status status = mmm_formula_read("x", files[i][0], &formula);
        if (status == MMM_OK) {
            mmm_answer answer;
            mmm_query query = {.expression = "W"};
            assert_int_equal(i, 1);
            assert_int_equal(mmm_formula_ask(formula, &query, &answer), MMM_INVALID);
            assert_non_null(strstr(mmm_message(), "unknown name 'n'"));
            mmm_formula_free(formula);
            continue;
        }
        assert_int_equal(status, MMM_INVALID);
        if (!strstr(mmm_message(), files[i][1])) fail_msg("%s: %s", files[i][0], mmm_message());
    }
    /* Definitions in a circle, and ones that would take for ever. */
    mmm_formula *formula;
    mmm_answer answer;
    mmm_query query = {.expression = "W"};
    assert_int_equal(mmm_formula_read("x", "W = S\nS = W\n", &formula), MMM_OK);
    assert_int_equal(mmm_formula_ask(formula, &query, &answer), MMM_INVALID);
    assert_non_null(strstr(mmm_message(), "defined by itself"));
    mmm_formula_free(formula);
    char text[2000] = "size n keys\nW = a0\n";
    for (int i = 0; i < 22; i++) {
        char line[80];
        snprintf(line, sizeof line, "let a%d = a%d+a%d+a%d+a%d+a%d\n", i, i + 1, i + 1, i + 1, i + 1, i + 1);
        strcat(text, line);
    }
    strcat(text, "let a22 = n\n");
    assert_int_equal(mmm_formula_read("x", text, &formula), MMM_OK);
    assert_int_equal(mmm_formula_ask(formula, &query, &answer), MMM_TOO_LARGE);
    mmm_formula_free(formula);
}

/* Whether a relation, or a condition such as "1/2 < n <= U or n > 7", holds at a point. */
static bool holds_at(const mmm_formula *formula, const char *text, const char *point)
{
    char copy[2000];
    bool any = false;
    if (strcmp(text, "always") == 0 || strcmp(text, "never") == 0) return text[0] == 'a';
    snprintf(copy, sizeof copy, "%s", text);
    for (char *piece = copy, *next; piece; piece = next) {
        char parts[2][2000];
        int count = 1;
        bool all = true;
        next = strstr(piece, " or ");
        if (next) *next = 0, next += 4;
        snprintf(parts[0], sizeof parts[0], "%s", piece);
        char *middle = strstr(piece, "< n <"), *closed = strstr(piece, "<= n <");
        if (middle || closed) { /* A < n < B */
            const char *n = strstr(piece, " n <");
            snprintf(parts[1], sizeof parts[1], "%s", n + 1);
            parts[0][n + 2 - piece] = 0;
            count = 2;
        }
        for (int i = 0; i < count; i++) {
            mmm_answer answer;
            mmm_query query = {.expression = parts[i], .evaluate = point};
            if (mmm_formula_ask(formula, &query, &answer) != MMM_OK)
                fail_msg("%s at %s: %s", parts[i], point, mmm_message());
            assert_true(answer.decided);
            all = all && (strcmp(answer.text, "always") == 0 || strcmp(answer.text, "true") == 0);
            mmm_answer_clear(&answer);
        }
        any = any || all;
    }
    return any;
}

/* What is solved, or said to hold always or never, agrees with the relation at random points. */
static void test_solutions(void **state)
{
    (void)state;
    static const char *const relations[] = {">", "<", ">=", "<=", "="};
    mmm_random random = {.state = 99};
    mmm_formula *formula;
    int decided = 0, thresholds = 0;
    assert_int_equal(mmm_formula_open("division", &formula), MMM_OK);
    for (int i = 0; i < 300; i++) {
        char text[400] = "1";
        int factors = 1 + (int)mmm_random_below(&random, 3);
        for (int j = 0; j < factors; j++) {
            static const char *const forms[] = {"(%d*n-%d)",   "(%d*n-%d*U)",   "(n*U-%d*U-%d)",
                                                "(%d*n+%d*U)", "(n^2-%d*n+%d)", "(n*U+%d-%d*U*n)"};
            char factor[60];
            snprintf(factor, sizeof factor, forms[mmm_random_below(&random, 6)], 1 + (int)mmm_random_below(&random, 6),
                     (int)mmm_random_below(&random, 40));
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s%s",
                     mmm_random_below(&random, 3) ? "*" : "/", factor, mmm_random_below(&random, 4) ? "" : "^2");
        }
        snprintf(text + strlen(text), sizeof text - strlen(text), " %s 0", relations[mmm_random_below(&random, 5)]);
        mmm_answer answer;
        mmm_query query = {.expression = text, .solve = "n"};
        if (mmm_formula_ask(formula, &query, &answer) != MMM_OK) { /* a factor such as n*U-1*U*n */
            assert_non_null(strstr(mmm_message(), "division by zero"));
            continue;
        }
        decided += answer.decided;
        thresholds += answer.decided && strstr(answer.text, "n ") != NULL;
        for (int j = 0; j < 20 && answer.decided; j++) {
            char point[80];
            mmm_answer ignored;
            snprintf(point, sizeof point, "n=%d,U=%d/%d", 1 + (int)mmm_random_below(&random, j < 10 ? 10 : 300),
                     11 + (int)mmm_random_below(&random, 200), 2 + (int)mmm_random_below(&random, 8));
            query = (mmm_query){.expression = text, .evaluate = point};
            if (mmm_formula_ask(formula, &query, &ignored) != MMM_OK) continue; /* a pole */
            mmm_answer_clear(&ignored);
            if (holds_at(formula, text, point) != holds_at(formula, answer.text, point))
                fail_msg("%s: %s fails at %s", text, answer.text, point);
        }
        mmm_answer_clear(&answer);
    }
    assert_true(decided > 120);
    assert_true(thresholds > 80);
    mmm_formula_free(formula);
}

/* Any text is answered or refused; none crashes. */
static void test_noise(void **state)
{
    (void)state;
    static const char *const tokens[] = {
        "n",       "m",  "s", "l",     "U",       "Z", "W", "W1", "T",        "T(",   "W(s=",  "log2(", "2^", "^",
        "+",       "-",  "*", "/",     "(",       ")", ",", "=",  ">",        "<=",   "~",     "0",     "1",  "7.5",
        "\\frac{", "}{", "}", "\\ell", "\\log_2", " ", "$", "\t", "\xc3\xa9", "pow(", "^(-1)", "^9"};
    mmm_random random = {.state = 4};
    mmm_formula *formula;
    assert_int_equal(mmm_formula_open("gcd", &formula), MMM_OK);
    for (int i = 0; i < 3000; i++) {
        char text[200] = "";
        int count = 1 + (int)mmm_random_below(&random, 10);
        for (int j = 0; j < count; j++)
            strcat(text, tokens[mmm_random_below(&random, sizeof tokens / sizeof *tokens)]);
        mmm_answer answer;
        mmm_query query = {.expression = text, .notation = (mmm_notation)mmm_random_below(&random, 4)};
        if (i % 3 == 0) query.limit = "n";
        if (mmm_formula_ask(formula, &query, &answer) == MMM_OK) {
            assert_non_null(answer.text);
            mmm_answer_clear(&answer);
        } else {
            assert_true(strlen(mmm_message()) > 0);
            assert_true(mmm_formula_place(NULL) <= (int)strlen(text));
        }
    }
    mmm_formula_free(formula);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers), cmocka_unit_test(test_numbers),   cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_files),   cmocka_unit_test(test_solutions), cmocka_unit_test(test_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
