/* SPDX-License-Identifier: Apache-2.0 */
/* Closed forms found from counts are those of the formula files, which were made by hand. */
#include "paper/paper.h"
#include "testing.h"

#include <mmm/study.h>

typedef struct example {
    const char *app, *over;
    const char *equal; /* quantities that must be found, and be as the file says */
    const char *given; /* in the file: a condition, or a form where sizes do not divide */
} example;

static const example examples[] = {
    {"division-naive", "n,m,l", "W1 S1 O1 N1 L1 K1 C1", "m/l is whole"},
    {"division", NULL, "W S O N L K C", "(n-m+1)/s is whole"},
    {"division", NULL, "W S O N L K C", "let N_all = ceil(m/(2*s))*ceil((n - m + 1)/s)\n"},
    {"gcd-naive", NULL, "W1 S1 O1 N1 L1 K1 C1", "m/l is whole"},
    {"gcd", NULL, "W S O N L K C", "s >= 3"},
    {"multiplication", NULL, "W S O N L K C", "log2(m/s) is whole"},
    {"radix-sort", NULL, "W S O N L K C", "c/s is whole"},
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

static void check_example(const example *x)
{
    mmm_derivation derived;
    mmm_formula *found, *known;
    const mmm_app *app;
    char names[100], *name, *rest;
    if (mmm_derive(x->app, x->over, NULL, &derived) != MMM_OK) fail_msg("%s: %s", x->app, mmm_message());
    assert_true(derived.runs > 300 && derived.found >= 7);
    assert_ok(mmm_formula_read("derived", derived.text, &found));
    assert_ok(mmm_app_open(x->app, &app));
    assert_ok(mmm_app_formula(app, &known));
    snprintf(names, sizeof names, "%s", x->equal);
    for (name = strtok_r(names, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
        char plain[2] = {name[0], 0};
        char *own = printed(found, plain, 1), *expected = printed(known, name, 1), *zero, difference[2000];
        snprintf(difference, sizeof difference, "(%s) - (%s)", own, expected);
        zero = printed(known, difference, 0);
        if (strcmp(zero, "0") != 0) fail_msg("%s %s: %s, not %s", x->app, name, own, expected);
        free(zero);
        free(own);
        free(expected);
    }
    if (!strstr(derived.text, x->given)) fail_msg("%s: no condition %s in\n%s", x->app, x->given, derived.text);
    mmm_formula_free(found);
    mmm_formula_free(known);
    mmm_derivation_clear(&derived);
}

static void test_forms(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
        check_example(&examples[i]);
}

/* What was derived is as counted, at jobs that it was not found from; what is altered is not. */
static void test_agreement(void **state)
{
    (void)state;
    mmm_derivation derived;
    mmm_formula *formula;
    mmm_agreement agreements[MMM_AGREEMENTS];
    assert_ok(mmm_derive("division", NULL, NULL, &derived));
    assert_ok(mmm_formula_read("derived", derived.text, &formula));
    assert_ok(mmm_formula_agrees(formula, "division", agreements));
    for (int i = 0; i < MMM_AGREEMENTS; i++) {
        assert_true(agreements[i].compared >= 20);
        if (agreements[i].wrong) fail_msg("%s: %s", agreements[i].quantity, agreements[i].first);
    }
    mmm_formula_free(formula);
    mmm_derivation_clear(&derived);
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
        {"division", "n,q", NULL, "has no parameter 'q'"}, {"division", "n,n", NULL, "'n' is named twice"},
        {"division", "n,m", "n=8", "'n' has a value"},     {"division", NULL, "n=x", "'x' is no whole number for n"},
        {"nothing", NULL, NULL, "unknown application"},
    };
    mmm_derivation derived;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        assert_int_equal(mmm_derive(mistakes[i][0], mistakes[i][1], mistakes[i][2], &derived), MMM_INVALID);
        if (!strstr(mmm_message(), mistakes[i][3])) fail_msg("%s", mmm_message());
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_agreement),
        cmocka_unit_test(test_mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
