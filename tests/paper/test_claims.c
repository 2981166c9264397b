/* SPDX-License-Identifier: Apache-2.0 */
/* The paper's claims: the verdicts are computed, so an altered equation must change its verdict. */
#include "paper/paper.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *verdict_of(const mmm_claim *claims, int count, const char *id)
{
    for (int i = 0; i < count; i++)
        if (strcmp(claims[i].id, id) == 0) return mmm_claim_verdict_name(claims[i].verdict);
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
        "multiplication.kernels",
        "multiplication.C-largest",
        "multiplication.overhead-limit",
        "multiplication.R-essentially",
        "multiplication.essentially-smaller",
        "gcd.quotients1",
        "division.least1",
        "multiplication.coherent",
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
            if ((claims[j].verdict == MMM_CLAIM_DOES_NOT_FOLLOW) != expected)
                fail_msg("%s: %s", claims[j].id, mmm_claim_verdict_name(claims[j].verdict));
            if (claims[j].verdict == MMM_CLAIM_DIFFERS) assert_non_null(claims[j].measured);
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

/* ---- Altered equations --------------------------------------------------------------------------------------------
 */

/* Ways to alter what is stated. */
typedef enum way { ADD_TERM, MULTIPLY, WAYS } way;

/* The last variable of the "as" line under a claim. */
static void growing(const char *line, char *variable)
{
    for (line = strchr(line, '\n') + 1; *line == ' '; line = strchr(line, '\n') + 1)
        if (strncmp(line, "    as ", 7) == 0) {
            const char *end = strchr(line, '\n'), *start = end;
            while (start[-1] != ' ')
                start--;
            snprintf(variable, 30, "%.*s", (int)(end - start), start);
        }
}

/* Where the last relation of the text ends, and which it is: one of = ~ < > and l, g for <=, >=. */
static const char *stated_side(const char *text, const char *end, char *relation)
{
    const char *side = NULL;
    for (const char *at = text; at + 2 < end; at++) {
        if (*at != ' ' || !strchr("=~<>", at[1])) continue;
        if (at[2] == ' ') side = at + 3, *relation = at[1];
        if (at[2] == '=') side = at + 4, *relation = at[1] == '<' ? 'l' : 'g';
    }
    return side;
}

/* The text with the equation of this line altered; NULL where it has none, or this way would not change it. */
static char *alter(const char *text, const char *line, way how)
{
    const char *end = strchr(line, '\n'), *iff = memmem(line, (size_t)(end - line), " iff ", 5);
    char relation = 0, variable[30] = "", *out = NULL;
    const char *side = stated_side(line, end, &relation);
    int length = (int)(end - side), before = (int)(side - text);
    if (!side) return NULL;
    bool theta = strncmp(side, "Theta(", 6) == 0, order = !iff && strchr("<>lg", relation);
    if (how == MULTIPLY && (theta || order || (length == 1 && *side == '0'))) return NULL;
    growing(line, variable);
    const char *change = how == MULTIPLY ? "*8/7" : order ? strchr("<l", relation) ? "-1000000" : "+1000000" : "+1/7";
    int size = theta ? asprintf(&out, "%.*sTheta(%s*%.*s%s", before, text, variable, length - 6, side + 6, end)
                     : asprintf(&out, "%.*s(%.*s)%s%s", before, text, length, side, change, end);
    assert_true(size > 0);
    return out;
}

/* The verdict on this one alone. */
static const char *verdict_in(const char *name, const char *text, const char *id)
{
    mmm_formula *formula;
    mmm_claim *claims;
    int count;
    char full[200];
    if (mmm_formula_read(name, text, &formula) != MMM_OK) fail_msg("%s: %s", id, mmm_message());
    int64_t all = formula->claim_count;
    formula->claim_count = 0;
    for (int64_t i = 0; i < formula->definition_count; i++)
        if (strcmp(formula->definitions[i].name, id) != 0) formula->definitions[i].row = false;
    for (int64_t i = 0; i < all; i++) {
        if (strcmp(formula->claims[i].id, id) != 0) continue;
        mmm_claim_text first = formula->claims[0];
        formula->claims[0] = formula->claims[i];
        formula->claims[i] = first;
        formula->claim_count = 1;
        break;
    }
    if (mmm_formula_claims(formula, &claims, &count) != MMM_OK) fail_msg("%s: %s", id, mmm_message());
    snprintf(full, sizeof full, "%s.%s", name, id);
    const char *verdict = verdict_of(claims, count, full);
    mmm_claims_free(claims, count);
    formula->claim_count = all;
    mmm_formula_free(formula);
    return verdict;
}

/* Every claim and every quantity, altered in each way: none holds then.  A claim then does not follow; a quantity that
 * nothing else gives differs from the measurement. */
static void test_altered(void **state)
{
    (void)state;
    int caught = 0, lines = 0, rows = 0;
    for (int i = 0; mmm_analyses[i].name; i++) {
        const char *name = mmm_analyses[i].name, *text = mmm_analyses[i].text;
        char id[101];
        for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
            bool claim = sscanf(line, "claim %100s", id) == 1;
            if (!claim && !(strchr("WSONLCK", *line) && sscanf(line, "%100[A-Z1]", id) == 1)) continue;
            rows++;
            int seen = 0;
            for (way how = 0; how < WAYS; how++) {
                char *altered = alter(text, line, how);
                if (!altered) continue;
                const char *verdict = verdict_in(name, altered, id);
                bool same = strcmp(verdict, claim ? "does not follow" : "holds") == 0;
                if (same != claim) fail_msg("%s.%s altered (%d): %s", name, id, how, verdict);
                free(altered);
                seen++;
            }
            if (!seen) fail_msg("%s.%s cannot be altered", name, id);
            caught += seen;
            lines++;
        }
        mmm_formula *formula;
        assert_int_equal(mmm_formula_open(name, &formula), MMM_OK);
        for (int64_t j = 0; j < formula->definition_count; j++)
            rows -= formula->definitions[j].row;
        rows -= (int)formula->claim_count;
        mmm_formula_free(formula);
    }
    assert_int_equal(rows, 0); /* none was left out */
    assert_true(lines > 100 && caught > 180);
}

/* A measured form altered: the quantity no longer holds. */
static void test_altered_measurement(void **state)
{
    (void)state;
    int caught = 0;
    for (int i = 0; mmm_analyses[i].name; i++) {
        const char *name = mmm_analyses[i].name, *text = mmm_analyses[i].text;
        char id[101] = "";
        for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
            if (*line != ' ' && sscanf(line, "%100[A-Z1] =", id) != 1) *id = 0;
            if (!*id || strncmp(line, "    measured ", 13) != 0) continue;
            char *altered;
            const char *end = strchr(line, '\n');
            assert_true(asprintf(&altered, "%.*s+1/7%s", (int)(end - text), text, end) > 0);
            if (strcmp(verdict_in(name, altered, id), "holds") == 0) fail_msg("%s.%s altered goes unseen", name, id);
            free(altered);
            caught++;
        }
    }
    assert_true(caught > 35);
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
        {"x.S", "by definition", NULL},
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
        assert_string_equal(mmm_claim_verdict_name(claims[i].verdict), expected[i][1]);
        if (expected[i][2])
            assert_string_equal(claims[i].measured, expected[i][2]);
        else
            assert_null(claims[i].measured);
    }
    mmm_claims_free(claims, count);
    mmm_formula_free(formula);
}

/* A measured form speaks only of where it was measured. */
static void test_given(void **state)
{
    (void)state;
    static const char text[] = "size n keys\nparameter l x\nparameter s y\nchoose s\n"
                               "given n/l is whole, n <= l^2\n"
                               "W = 2*n\n    measured 3*n\n"
                               "L = l\n    measured 2*l\n"
                               "C = s\n    measured 2*s\n    given s >= 2\n"
                               "claim bounded L/l ~ 1\n    as l\n"
                               "claim unbounded W/n = 2\n    as l\n"
                               "claim beyond (W+l)/n = 2\n    as n\n"
                               "claim never W = 2*l^3\n    with n=l^3\n    when l>=2\n"
                               "claim quantity C/s = 1\n"
                               "claim elsewhere C(s=2*s)/s = 2\n";
    static const char *const expected[][3] = {
        {"x.W", "differs", "3*n"},
        {"x.L", "differs", "2*l"},
        {"x.C", "differs", "2*s, given s >= 2"},
        {"x.bounded", "differs", "2"},   /* some n fits every l */
        {"x.unbounded", "differs", "3"}, /* n no longer matters */
        {"x.beyond", "holds", NULL},     /* n does not grow alone */
        {"x.never", "holds", NULL},      /* l^3 > l^2 */
        {"x.quantity", "differs", "2, given s >= 2"},
        {"x.elsewhere", "holds", NULL},
    };
    mmm_formula *formula;
    mmm_claim *claims;
    int count;
    if (mmm_formula_read("x", text, &formula) != MMM_OK) fail_msg("%s", mmm_message());
    if (mmm_formula_claims(formula, &claims, &count) != MMM_OK) fail_msg("%s", mmm_message());
    assert_int_equal(count, sizeof expected / sizeof *expected);
    for (int i = 0; i < count; i++) {
        assert_string_equal(claims[i].id, expected[i][0]);
        if (!claims[i].measured != !expected[i][2]) fail_msg("%s: %s", claims[i].id, claims[i].measured);
        if (expected[i][2]) assert_string_equal(claims[i].measured, expected[i][2]);
        assert_string_equal(mmm_claim_verdict_name(claims[i].verdict), expected[i][1]);
    }
    assert_string_equal(mmm_formula_given(formula, NULL, 0), "n/l is whole, n <= l^2");
    assert_null(mmm_formula_given(formula, NULL, 1));
    assert_string_equal(mmm_formula_given(formula, "C", 0), "s >= 2");
    assert_null(mmm_formula_given(formula, "W", 0));
    mmm_claims_free(claims, count);
    mmm_formula_free(formula);
    static const char *const bad[] = {"W = 1\ngiven n/2\n", "W = 1\ngiven n > 2 is whole\n", "W = 1\n    given 1 +\n",
                                      "given q >= 1\nW = 1\n    measured 1\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        mmm_status status = mmm_formula_read("x", bad[i], &formula);
        if (i == 3) { /* an unknown name is found when it is used */
            assert_int_equal(status, MMM_OK);
            assert_int_equal(mmm_formula_claims(formula, &claims, &count), MMM_INVALID);
            mmm_formula_free(formula);
        } else {
            assert_int_equal(status, MMM_INVALID);
        }
    }
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
    /* Inside the range, at its end, and where nothing is computed. */
    static const struct {
        const char *text, *set, *range, *best;
        int work, confirmed;
    } cases[] = {
        {"size n x\nparameter s x\nchoose s\nwhere n >= 1\nwhere s >= 1\nwhere s <= n\nW = n\nO = U*(n/s+s)\nN = n\n"
         "L = 1\nK = n\nC = 1+U/s\n",
         NULL, "1 <= s <= n", "s = sqrt(n)", 1, 1},
        {"size n x\nparameter s x\nchoose s\nwhere n >= 1\nwhere s >= 1\nwhere s <= n\nW = n\nO = U*(n/s+s)\nN = n\n"
         "L = 1\nK = n\nC = 1+U/s\n",
         "n=100", "1 <= s <= 100", "s = 10", 1, 1},
        {"size n x\nparameter s x\nparameter l x\nchoose s\nwhere s >= 1\nwhere l >= 2*s\nwhere n >= 2*l\n"
         "W = 4*(n + (s-1)*(n/l-1))\nO = n/s\nN = n/s\nL = 1\nK = n/s\nC = 1+U/s\n",
         NULL, "1 <= s <= l/2", "s = l/2, the largest", 1, 1},
        {"size n x\nparameter s x\nparameter l x\nchoose s\nwhere s >= 1\nwhere l >= s\nwhere n >= l\n"
         "W = n*s\nO = n/s\nN = n/s\nL = 1\nK = n/s\nC = s\n",
         NULL, "1 <= s <= l", "s = l, the largest", 0, 0},
        {"size n x\nparameter s x\nchoose s\nwhere s >= 1\nwhere s*(s+1) <= Z\nwhere n >= s\nW = 0\nO = U*n^2/s^2\n"
         "N = n^2/s^2\nL = 1\nK = N\nC = U\n",
         NULL, "1 <= s <= min(sqrt((4*Z + 1)/4) - 1/2, n)", "s = min(sqrt((4*Z + 1)/4) - 1/2, n), the largest", 1, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mmm_formula *own;
        mmm_strategy s;
        if (mmm_formula_read("x", cases[i].text, &own) != MMM_OK) fail_msg("%s", mmm_message());
        if (mmm_formula_optimize(own, NULL, cases[i].set, &s) != MMM_OK) fail_msg("%s", mmm_message());
        assert_string_equal(s.range, cases[i].range);
        assert_string_equal(s.best, cases[i].best);
        assert_int_equal(s.work_bounded, cases[i].work);
        assert_int_equal(s.confirmed, cases[i].confirmed);
        mmm_strategy_clear(&s);
        mmm_formula_free(own);
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

/* The overhead at a whole s. */
static double overhead_at(const mmm_formula *formula, int s)
{
    char at[20];
    mmm_answer answer;
    snprintf(at, sizeof at, "s=%d,U=1", s);
    assert_int_equal(mmm_formula_ask(formula, &(mmm_query){.expression = "O", .evaluate = at}, &answer), MMM_OK);
    double value = answer.number;
    mmm_answer_clear(&answer);
    return value;
}

/* The best s is next to the best of all whole ones, found by trying them. */
static void test_turning_points(void **state)
{
    (void)state;
    static const char *const forms[] = {"%d/s + %d*s", "(%d + %d*2^s)/s", "%d/s + %d*log2(s) + s^2", "%d/s^2 + %d*s^3"};
    mmm_random random = {.state = 7};
    for (int i = 0; i < 60; i++) {
        char overhead[80], text[400];
        int form = i % 4, large = 200 + (int)mmm_random_below(&random, 100000);
        int small = 1 + (int)mmm_random_below(&random, form == 1 ? 9 : 60);
        snprintf(overhead, sizeof overhead, forms[form], large, small);
        snprintf(
            text, sizeof text,
            "parameter s x\nchoose s\nwhere s >= 1\nwhere s <= 60\nW = 1\nO = U*(%s)\nN = 1\nL = 1\nK = 1\nC = 1\n",
            overhead);
        mmm_formula *formula;
        mmm_strategy s;
        int best = 1;
        if (mmm_formula_read("x", text, &formula) != MMM_OK) fail_msg("%s", mmm_message());
        for (int j = 2; j <= 60; j++)
            if (overhead_at(formula, j) < overhead_at(formula, best)) best = j;
        if (mmm_formula_optimize(formula, NULL, NULL, &s) != MMM_OK) fail_msg("%s", mmm_message());
        double found = strncmp(s.best, "s = ", 4) == 0 ? strtod(s.best + 4, NULL) : 0;
        if (found < best - 1 || found > best + 1)
            fail_msg("%s: %s, but the best whole s is %d", overhead, s.best, best);
        const char *whole = strstr(s.best, "whole numbers ");
        if (whole && atoi(whole + 14) != best) fail_msg("%s: %s, but it is %d", overhead, s.best, best);
        mmm_strategy_clear(&s);
        mmm_formula_free(formula);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paper),
        cmocka_unit_test(test_altered),
        cmocka_unit_test(test_altered_measurement),
        cmocka_unit_test(test_measured),
        cmocka_unit_test(test_given),
        cmocka_unit_test(test_strategy),
        cmocka_unit_test(test_turning_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
