/* SPDX-License-Identifier: Apache-2.0 */
/* Closed forms found from counts are those of the formula files, which were made by hand. */
#include "paper/paper.h"
#include "testing.h"

#include <mmm/study.h>

typedef struct example {
    const char *app, *over, *fixed;
    int found;            /* so many of eight quantities have a form, at least */
    int jobs;             /* with which each is compared, at least */
    const char *equal;    /* those that are as the application's own file says */
    const char *given[3]; /* in the text: a condition, or a form where sizes do not divide */
} example;

static const example examples[] = {
    {"division-naive", "n,m,l", NULL, 8, 200, "W1 S1 O1 N1 L1 K1 C1", {"m/l is whole"}},
    {"division",
     NULL,
     NULL,
     8,
     200,
     "W S O N L K C",
     {"(n-m+1)/s is whole", "let N_all = ceil(m/(2*s))*ceil((n - m + 1)/s)\n", "where  7*s <= Z\nwhere  n >= m\n"}},
    {"gcd-naive", NULL, NULL, 8, 200, "W1 S1 O1 N1 L1 K1 C1", {"m/l is whole", "m/l is whole, n >= 2\n"}},
    {"gcd", NULL, NULL, 8, 200, "W S O N L K C", {"s >= 3"}},
    {"multiplication", NULL, NULL, 8, 150, "W S O N L K C", {"log2(m/s) is whole", "given     m >= s\n"}},
    {"radix-sort",
     NULL,
     NULL,
     8,
     200,
     "W S O N L K C",
     {"c/s is whole", "2^s*n/(16*l^2) is whole", "local = 5*l + 2^s + 1\n"}},
    {"examples/prefix-sum", NULL, NULL, 8, 200, "", {"O = U*(6*n*s + s*l + n)/(s*l)\n"}},
    {"examples/transpose", NULL, NULL, 8, 200, "W S O N L K C", {"let N_all = ceil(m/s)*ceil(n/s)\n"}},
    {"examples/transpose",
     "n,m",
     NULL,
     8,
     200,
     "",
     {"given  s >= 16, s <= 16\n", "given     m/16 is whole, n/16 is whole\n"}},
    {"examples/matrix-product", NULL, NULL, 8, 60, "W S O N L K C", {"let N_all = ceil(n/s)^2\n"}},
    {"examples/reduction", NULL, NULL, 8, 150, "", {"O = U*(3*n + 4*l)/(2*l)\n", "n <= 2*l^2"}},
    {"examples/histogram", NULL, NULL, 3, 200, "", {"# S: none, it depends on the inputs"}},
};

/* An expression as its formula prints it. */
static char *printed(const mmm_formula *formula, const char *expression, int measured)
{
    mmm_answer answer;
    if (mmm_formula_ask(formula, &(mmm_query){.expression = expression, .measured = measured}, &answer) != MMM_OK)
        fail_msg("%s: %s", expression, mmm_message());
    char *text = strdup(answer.text);
    mmm_answer_clear(&answer);
    return text;
}

/* Found, as the application's own file has it, and as counted at random jobs that satisfy the stated conditions. */
static void check_example(const example *x)
{
    mmm_derivation derived;
    mmm_formula *found, *known;
    const mmm_app *app;
    mmm_agreement agreements[MMM_AGREEMENTS];
    char names[100], *name, *rest;
    int stated = 0;
    if (mmm_derive(x->app, x->over, x->fixed, &derived) != MMM_OK) fail_msg("%s: %s", x->app, mmm_message());
    if (derived.found < x->found) fail_msg("%s: %d forms, not %d:\n%s", x->app, derived.found, x->found, derived.text);
    assert_ok(mmm_formula_read("derived", derived.text, &found));
    assert_ok(mmm_app_open(x->app, &app));
    snprintf(names, sizeof names, "%s", x->equal);
    if (*names) assert_ok(mmm_app_formula(app, &known));
    for (name = strtok_r(names, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
        char plain[2] = {name[0], 0};
        const mmm_definition *definition = mmm_formula_find(known, name);
        const int measured = !definition || definition->measured.root; /* W1 is W(s=1) */
        char *own = printed(found, plain, 1), *expected = printed(known, name, measured), *zero, difference[2000];
        snprintf(difference, sizeof difference, "(%s) - (%s)", own, expected);
        zero = printed(known, difference, 0);
        if (strcmp(zero, "0") != 0) fail_msg("%s %s: %s, not %s", x->app, name, own, expected);
        free(zero);
        free(own);
        free(expected);
    }
    for (int i = 0; i < 3 && x->given[i]; i++)
        if (!strstr(derived.text, x->given[i])) fail_msg("%s: no %s in\n%s", x->app, x->given[i], derived.text);
    assert_ok(mmm_formula_agrees(found, x->app, agreements));
    for (int i = 0; i < MMM_AGREEMENTS; i++) {
        const mmm_agreement *a = &agreements[i];
        stated += a->compared > 0;
        if (a->wrong)
            fail_msg("%s %s at %d of %d: %s\n%s", x->app, a->quantity, (int)a->wrong, (int)a->compared, a->first,
                     derived.text);
        if (a->compared && a->compared < x->jobs)
            fail_msg("%s %s: only %d jobs", x->app, a->quantity, (int)a->compared);
    }
    assert_int_equal(stated, derived.found);
    if (*x->equal) mmm_formula_free(known);
    mmm_formula_free(found);
    mmm_derivation_clear(&derived);
}

static void test_forms(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
        check_example(&examples[i]);
}

/* The number that a formula's measured form has. */
static double value_at(const mmm_formula *formula, const char *quantity, const char *values)
{
    mmm_answer answer;
    const mmm_query query = {.expression = quantity, .evaluate = values, .measured = 1};
    if (mmm_formula_ask(formula, &query, &answer) != MMM_OK) fail_msg("%s at %s: %s", quantity, values, mmm_message());
    const double number = answer.number;
    mmm_answer_clear(&answer);
    return number;
}

/* Jumps: sizes are equal, a jump has as many steps as those that are tried have in common, or some times that, and its
 * forms are numbers of the file that was made by hand, whose ceilings are others. */
static void test_records(void **state)
{
    (void)state;
    static const int64_t jobs[][2] = {{239, 120}, {299, 120}, {359, 120}, {359, 180}};
    static const char *const quantities[] = {"W", "S", "L", "K"};
    mmm_derivation derived;
    mmm_formula *found, *known;
    assert_ok(mmm_derive("gcd-jump", "n,m,s", "l=30", &derived));
    assert_non_null(strstr(derived.text, "given  m >= n, m <= n\n"));
    assert_non_null(strstr(derived.text, "2*(n+1)/s is whole"));
    assert_non_null(strstr(derived.text, "s/60 is whole"));
    assert_ok(mmm_formula_read("derived", derived.text, &found));
    assert_ok(mmm_formula_open("gcd-jump", &known));
    for (int i = 0; i < 16; i++) {
        char values[100];
        const long long n = jobs[i / 4][0], s = jobs[i / 4][1];
        snprintf(values, sizeof values, "n=%lld,m=%lld,s=%lld,l=30", n, n, s);
        const double own = value_at(found, quantities[i % 4], values),
                     other = value_at(known, quantities[i % 4], values);
        if (own != other) fail_msg("%s at %s: %g, not %g", quantities[i % 4], values, own, other);
    }
    mmm_formula_free(known);
    mmm_formula_free(found);
    mmm_derivation_clear(&derived);
}

/* What is altered is not as counted. */
static void test_agreement(void **state)
{
    (void)state;
    mmm_formula *formula;
    mmm_agreement agreements[MMM_AGREEMENTS];
    assert_ok(mmm_formula_read("x",
                               "size n x\nsize m x\nparameter s x\nwhere n >= m\n"
                               "given m/(2*s) is whole, (n-m+1)/s is whole\n"
                               "W = (n-m+1)*m*5/2 + 1\nN = (n-m+1)*m/(2*s^2)\n",
                               &formula));
    assert_ok(mmm_formula_agrees(formula, "division", agreements));
    for (int i = 0; i < MMM_AGREEMENTS; i++) {
        bool work = strcmp(agreements[i].quantity, "W") == 0, blocks = strcmp(agreements[i].quantity, "N") == 0;
        assert_int_equal(agreements[i].compared > 0, work || blocks);
        assert_int_equal(agreements[i].wrong, work ? agreements[i].compared : 0);
    }
    mmm_formula_free(formula);
}

static void test_mistakes(void **state)
{
    (void)state;
    static const char *const mistakes[][4] = {
        {"division", "n,q", NULL, "has no parameter 'q'"},
        {"division", "n,n", NULL, "'n' is named twice"},
        {"division", "n,m", "n=8", "'n' has a value"},
        {"division", NULL, "n=x", "'x' is no whole number for n"},
        {"nothing", NULL, NULL, "unknown application"},
        {"division", "n,p", NULL, "'p': forms are in sizes"},
        {"division", NULL, "p=4", "p=4: the modulus"},
        {"division", NULL, "n=0", "n=0: the number of terms of a"},
        {"division", NULL, "q=4", "no parameter 'q'"},
        {"division", NULL, "n=99999999999999999999", "no whole number"},
        {"division", "n,m", "s=4000", "need sizes that are too large"},
        {"division", "s", "n=40,m=20", "no size is among"},
        {"division", "n,s", NULL, "m is a size: forms are in it"},
        {"gcd-half", "n,m,s,j,h,l,e", NULL, "'e': forms have at most 6 parameters"},
    };
    mmm_derivation derived;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        assert_int_equal(mmm_derive(mistakes[i][0], mistakes[i][1], mistakes[i][2], &derived), MMM_INVALID);
        if (!strstr(mmm_message(), mistakes[i][3])) fail_msg("%s", mmm_message());
    }
}

/* Choices of which no small values are allowed, or none that a lattice has. */
static void test_ranges(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int64_t least, most;
        mmm_status expected;
    } ranges[] = {{"from-13", 13, 15, MMM_OK},
                  {"from-1600", 1600, 1700, MMM_INVALID},
                  {"from-afar", INT64_MAX - 5, INT64_MAX, MMM_INVALID}};
    static mmm_app apps[3];
    const mmm_app *division;
    assert_ok(mmm_app_open("division", &division));
    for (int i = 0; i < 3; i++) {
        mmm_derivation derived;
        mmm_parameter *s = &apps[i].parameters[2];
        apps[i] = *division;
        apps[i].name = ranges[i].name;
        assert_string_equal(s->name, "s");
        *s = (mmm_parameter){"s", s->meaning, MMM_CHOICE, ranges[i].least, ranges[i].most, ranges[i].least, NULL, NULL};
        assert_ok(mmm_app_register(&apps[i]));
        assert_int_equal(mmm_derive(ranges[i].name, NULL, NULL, &derived), ranges[i].expected);
        if (ranges[i].expected == MMM_OK) mmm_derivation_clear(&derived);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),    cmocka_unit_test(test_records), cmocka_unit_test(test_agreement),
        cmocka_unit_test(test_mistakes), cmocka_unit_test(test_ranges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
