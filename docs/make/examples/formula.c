/* SPDX-License-Identifier: Apache-2.0 */
/* Examples of mmm/formula.h: exact analyses, and questions about them. */
#include "example.h"

#include <mmm/formula.h>

/* mmm_formula_builtin mmm_formula_open mmm_formula_title mmm_formula_program_parameter mmm_formula_free */
static void built_in(void)
{
    for (int i = 0; mmm_formula_builtin(i); i++) {
        mmm_formula *formula;
        must(mmm_formula_open(mmm_formula_builtin(i), &formula)); /* or the path of a file */
        printf("%s: %s, choose %s\n", mmm_formula_builtin(i), mmm_formula_title(formula),
               mmm_formula_program_parameter(formula));
        mmm_formula_free(formula);
    }
}

/* mmm_app_formula */
static mmm_formula *of_an_application(void)
{
    const mmm_app *app;
    mmm_formula *formula;
    must(mmm_app_open("division", &app));
    must(mmm_app_formula(app, &formula));
    assert(formula); /* NULL for an application without an analysis */
    return formula;
}

/* mmm_formula_read mmm_formula_name mmm_formula_constraint mmm_formula_given */
static void from_text(void)
{
    mmm_formula *formula;
    const char *meaning;
    must(mmm_formula_read("mine",
                          "title Sums\nsize n numbers\nparameter s numbers of a thread\nchoose s\n"
                          "where s <= n\ngiven n/s is whole\nW = n - 1\n    measured n - 1\n",
                          &formula));
    assert(strcmp(mmm_formula_name(formula, 0, &meaning), "n") == 0 && strcmp(meaning, "numbers") == 0);
    assert(strcmp(mmm_formula_constraint(formula, 0), "s <= n") == 0 && !mmm_formula_constraint(formula, 1));
    assert(strcmp(mmm_formula_given(formula, NULL, 0), "n/s is whole") == 0);
    mmm_formula_free(formula);
}

/* mmm_formula_ask mmm_answer_clear */
static void ask(const mmm_formula *formula)
{
    mmm_answer answer;
    must(mmm_formula_ask(formula, &(mmm_query){.expression = "T1/T > 1", .set = "l=Z/2,s=Z/7", .solve = "Z"}, &answer));
    assert(answer.decided && strcmp(answer.text, "Z > 63/5") == 0);
    mmm_answer_clear(&answer);
    must(mmm_formula_ask(formula, &(mmm_query){.expression = "S", .evaluate = "n=100,m=50"}, &answer));
    assert(answer.number == 3 * (100 - 50 + 1));
    mmm_answer_clear(&answer);
}

/* mmm_formula_place */
static void wrong(const mmm_formula *formula)
{
    mmm_answer answer;
    const char *text;
    assert(mmm_formula_ask(formula, &(mmm_query){.expression = "W + * 2"}, &answer) == MMM_INVALID);
    int column = mmm_formula_place(&text);
    printf("%s\n%*s^ %s\n", text, column, "", mmm_message());
    assert(column == 4);
}

/* mmm_formula_plot */
static void plot(const mmm_formula *formula)
{
    mmm_query query = {.expression = "O1/O", .set = "n=10000,m=5000,l=256,U=100"};
    if (mmm_formula_plot(formula, &query, "s=16-512:10log2", "ratio.svg") != MMM_OK)
        puts(mmm_message()); /* where gnuplot is not installed */
}

/* mmm_formula_claims mmm_claim_verdict_name mmm_claims_free */
static void claims(const mmm_formula *formula)
{
    mmm_claim *list;
    int count, holds = 0;
    must(mmm_formula_claims(formula, &list, &count));
    for (int i = 0; i < count; i++) {
        printf("%s: %s\n", list[i].states, mmm_claim_verdict_name(list[i].verdict));
        holds += list[i].verdict == MMM_CLAIM_HOLDS;
    }
    assert(holds > 0 && holds < count); /* not all that the paper states of division follows */
    mmm_claims_free(list, count);
}

/* mmm_formula_optimize mmm_strategy_clear */
static void strategy(const mmm_formula *formula)
{
    mmm_strategy found;
    must(mmm_formula_optimize(formula, "s", NULL, &found));
    printf("%s in %s: %s\n", found.parameter, found.range, found.verdict);
    assert(found.work_bounded == 1 && strstr(found.best, "Z/7")); /* as large as local memory allows */
    mmm_strategy_clear(&found);
}

/* end */
int main(void)
{
    built_in();
    mmm_formula *formula = of_an_application();
    from_text();
    ask(formula);
    wrong(formula);
    plot(formula);
    claims(formula);
    strategy(formula);
    mmm_formula_free(formula);
    return 0;
}
