/* SPDX-License-Identifier: Apache-2.0 */
/* The paper's claims: the verdicts are computed, so an altered equation must change its verdict. */
#include "formula/formula.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *verdict_of(const mmm_claim *claims, int count, const char *id)
{
    for (int i = 0; i < count; i++)
        if (strcmp(claims[i].id, id) == 0) return claims[i].verdict;
    fail_msg("no claim %s", id);
    return NULL;
}

/* What is known not to follow, and nothing else. */
static void test_paper(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "radix-sort.work-ratio",
        "multiplication.W",
        "multiplication.C-largest",
        "multiplication.overhead-limit",
        "multiplication.R-essentially",
        "multiplication.essentially-smaller",
        "gcd.W1",
    };
    int rows = 0, bad = 0;
    for (int i = 0; mmm_formula_builtin(i); i++) {
        mmm_formula *formula;
        mmm_claim *claims;
        int count;
        assert_int_equal(mmm_formula_open(mmm_formula_builtin(i), &formula), MMM_OK);
        if (mmm_formula_claims(formula, &claims, &count) != MMM_OK) fail_msg("%s", mmm_message());
        for (int j = 0; j < count; j++) {
            bool expected = false;
            for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
                if (strcmp(claims[j].id, wrong[k]) == 0) expected = true;
            if ((strcmp(claims[j].verdict, "does not follow") == 0) != expected)
                fail_msg("%s: %s", claims[j].id, claims[j].verdict);
            if (strcmp(claims[j].verdict, "differs") == 0) assert_non_null(claims[j].measured);
            assert_non_null(claims[j].states);
            assert_non_null(claims[j].follows);
            bad += expected;
        }
        rows += count;
        mmm_claims_free(claims, count);
        mmm_formula_free(formula);
    }
    assert_true(rows > 40);
    assert_int_equal(bad, sizeof wrong / sizeof *wrong);
}

/* The number of the line with the claim or the quantity that has something to follow from, or NULL after the last. */
static char *alter(const char *text, int number, char *id)
{
    const char *line = text;
    for (int found = 0; line && *line; line = strchr(line, '\n'), line += line != NULL) {
        const char *end = strchr(line, '\n'), *next = end + 1;
        size_t length = (size_t)(end - line);
        char copy[400] = "";
        memcpy(copy, line, length < sizeof copy ? length : sizeof copy - 1);
        bool claim = strncmp(copy, "claim ", 6) == 0 && !strstr(copy, "Theta(") &&
                     (strstr(copy, " = ") || strstr(copy, " ~ ") || strstr(copy, " iff "));
        bool because = strchr("WSONLCK", copy[0]) && copy[0] && strstr(copy, " = ") &&
                       memmem(next, 120, "    because", 11) &&
                       !memmem(next, (size_t)((const char *)memmem(next, 120, "    because", 11) - next), " = ", 3);
        if (!claim && !because) continue;
        if (found++ != number) continue;
        sscanf(copy + (claim ? 6 : 0), "%100s", id);
        char *altered = malloc(strlen(text) + 10);
        sprintf(altered, "%.*s + 1/7%s", (int)(end - text), text, end);
        return altered;
    }
    return NULL;
}

static void test_altered(void **state)
{
    (void)state;
    int caught = 0;
    for (int i = 0; mmm_analyses[i].name; i++) {
        char id[128], full[200], *text;
        for (int number = 0; (text = alter(mmm_analyses[i].text, number, id)); number++) {
            mmm_formula *formula;
            mmm_claim *claims;
            int count;
            if (mmm_formula_read(mmm_analyses[i].name, text, &formula) != MMM_OK) fail_msg("%s", mmm_message());
            if (mmm_formula_claims(formula, &claims, &count) != MMM_OK) fail_msg("%s: %s", id, mmm_message());
            snprintf(full, sizeof full, "%s.%s", mmm_analyses[i].name, id);
            if (strcmp(verdict_of(claims, count, full), "does not follow") != 0)
                fail_msg("%s altered goes unseen", full);
            caught++;
            mmm_claims_free(claims, count);
            mmm_formula_free(formula);
            free(text);
        }
    }
    assert_true(caught > 40);
}

static void test_measured(void **state)
{
    (void)state;
    static const char text[] = "size n keys\n"
                               "W = 2*n\n    because 2*n\n    measured 2*n\n"
                               "O = 3*n\n    measured 3*n+1\n"
                               "S = n\n"
                               "claim both O/W = 3/2\n"
                               "claim large O/W ~ 3/2\n    as n\n"
                               "claim none S/W = 1/2\n"
                               "claim false W = n\n";
    static const char *const expected[][3] = {
        {"x.W", "holds", "2*n"},
        {"x.O", "differs", "3*n + 1"},
        {"x.S", "holds", NULL},
        {"x.both", "differs", "(3*n + 1)/(2*n)"},
        {"x.large", "holds", "3/2"},
        {"x.none", "holds", NULL},
        {"x.false", "does not follow", "2*n"},
    };
    mmm_formula *formula;
    mmm_claim *claims;
    int count;
    assert_int_equal(mmm_formula_read("x", text, &formula), MMM_OK);
    assert_int_equal(mmm_formula_claims(formula, &claims, &count), MMM_OK);
    assert_int_equal(count, 7);
    for (int i = 0; i < count; i++) {
        assert_string_equal(claims[i].id, expected[i][0]);
        assert_string_equal(claims[i].verdict, expected[i][1]);
        if (expected[i][2])
            assert_string_equal(claims[i].measured, expected[i][2]);
        else
            assert_null(claims[i].measured);
    }
    mmm_claims_free(claims, count);
    mmm_formula_free(formula);
}

static void test_strategy(void **state)
{
    (void)state;
    static const char *const expected[][3] = {
        {"division", "1 <= s <= Z/7", "large s"},
        {"gcd", "1 <= s <= Z/6", "large s"},
        {"radix-sort", "1 <= s <= log2(Z - 8*l)", "2^s = Theta(l)"},
        {"multiplication", "1 <= s <= min(m, (Z + 1)/(2*(l + 1)))", "small s"},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        mmm_formula *formula;
        mmm_strategy strategy;
        assert_int_equal(mmm_formula_open(expected[i][0], &formula), MMM_OK);
        if (mmm_formula_optimize(formula, "s", NULL, &strategy) != MMM_OK) fail_msg("%s", mmm_message());
        assert_string_equal(strategy.range, expected[i][1]);
        assert_int_equal(strncmp(strategy.verdict, expected[i][2], strlen(expected[i][2])), 0);
        assert_int_equal(strategy.work_bounded, 1);
        assert_int_equal(strategy.confirmed, i != 3);
        mmm_strategy_clear(&strategy);
        assert_int_equal(mmm_formula_optimize(formula, "n", NULL, &strategy), MMM_INVALID);
        assert_int_equal(mmm_formula_optimize(formula, "q", NULL, &strategy), MMM_INVALID);
        assert_int_equal(mmm_formula_optimize(formula, "s", "s=3", &strategy), MMM_INVALID);
        mmm_formula_free(formula);
    }
    /* A strategy that cannot be decided says so. */
    mmm_formula *formula;
    mmm_strategy strategy;
    assert_int_equal(mmm_formula_read("x",
                                      "parameter s x\nparameter a x\nchoose s\nwhere s >= 1\nW = 1\nO = s^2-a*s+a^2\n"
                                      "N = 1\nK = 1\nL = 1\nC = 1\n",
                                      &formula),
                     MMM_OK);
    assert_int_equal(mmm_formula_optimize(formula, NULL, NULL, &strategy), MMM_OK);
    assert_string_equal(strategy.verdict, "cannot be decided");
    mmm_strategy_clear(&strategy);
    mmm_formula_free(formula);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paper),
        cmocka_unit_test(test_altered),
        cmocka_unit_test(test_measured),
        cmocka_unit_test(test_strategy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
