/* SPDX-License-Identifier: Apache-2.0 */
/* Formulas (sections 3 to 6): exact analyses, what is asked about them, the paper's claims, its strategy. */
#ifndef MMM_FORMULA_API_H
#define MMM_FORMULA_API_H

#include <mmm.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Formulas (sections 3 to 6) ---------------------------------------------------------------------------------- */

/* The analysis of an algorithm: its parameters, their constraints, W, S, O, N, L, C, K as exact expressions, and what
 * the paper claims of them.  docs/formulas.md describes the files. */
typedef struct mmm_formula mmm_formula;

/* Opens a built-in analysis ("division", "radix-sort", "multiplication", "gcd") or the file at a path (a word with a
 * '/' or a '.'). */
MMM_API mmm_status mmm_formula_open(const char *name_or_path, mmm_formula **out);
/* The analysis of an application (mmm/app.h): that of its record, or formulas.txt in its folder.  *out is NULL where it
 * has none. */
MMM_API mmm_status mmm_app_formula(const mmm_app *app, mmm_formula **out);
/* The same from text, which `name` names in messages. */
MMM_API mmm_status mmm_formula_read(const char *name, const char *text, mmm_formula **out);
MMM_API void mmm_formula_free(mmm_formula *formula);

/* The built-in analyses by number from 0; NULL after the last. */
MMM_API const char *mmm_formula_builtin(int number);
MMM_API const char *mmm_formula_title(const mmm_formula *formula);
MMM_API const char *mmm_formula_program_parameter(const mmm_formula *formula);

/* The names an expression may use, by number from 0; NULL after the last.  *meaning (may be NULL) is what a parameter
 * means or what a quantity equals. */
MMM_API const char *mmm_formula_name(const mmm_formula *formula, int number, const char **meaning);

/* The constraints on the parameters, such as "7*s <= Z", by number from 0; NULL after the last.  Besides, every
 * parameter is positive. */
MMM_API const char *mmm_formula_constraint(const mmm_formula *formula, int number);

/* The conditions under which the measured forms are what the abstract machine counts, such as "m/l is whole" or
 * "l >= 2", by number from 0; NULL after the last.  With a quantity: its further ones, all in one text, as number 0. */
MMM_API const char *mmm_formula_given(const mmm_formula *formula, const char *quantity, int number);

typedef enum mmm_notation { MMM_TEXT, MMM_LATEX, MMM_C, MMM_PYTHON } mmm_notation;

/* A question about an expression such as "W(s=1)/W(s)" or "T1/T > 1".  T is Corollary 1, T(P) is Theorem 1, a name
 * followed by 1 is the naive form.  Zero-initialise it: what is not asked is NULL or 0.  All are applied in the
 * order of the fields. */
typedef struct mmm_query {
    const char *expression;
    const char *set;      /* substitutions, which see each other: "l=Z/2,s=Z/7" */
    const char *assume;   /* relations besides the formula's own constraints: "U>2,n>=m" */
    const char *limit;    /* variables that go to infinity, one after the other: "n" or "n,U" */
    const char *leading;  /* the same, but the answer is the quotient of the leading terms */
    const char *solve;    /* the variable to solve a relation for */
    const char *evaluate; /* values: "n=10000,m=9000" */
    mmm_notation notation;
    int measured; /* 1: take what the abstract machine measures for each quantity, not what the paper states */
} mmm_query;

typedef struct mmm_answer {
    char *text;    /* canonical and factored, so that equal expressions read the same */
    int decided;   /* 0: the question cannot be decided, and text says why */
    char *decimal; /* the value in decimals where the answer is a number, else NULL */
    double number; /* the same; NaN for none */
} mmm_answer;

MMM_API mmm_status mmm_formula_ask(const mmm_formula *formula, const mmm_query *query, mmm_answer *out);
MMM_API void mmm_answer_clear(mmm_answer *answer);

/* After MMM_INVALID from an expression: the column (from 0) of the offending place in *text; -1 when there is none. */
MMM_API int mmm_formula_place(const char **text);

/* Draws the expression over a range of one variable ("s=1-512", "s=1-512:10log2", "s=64,128,256") into an SVG file,
 * with gnuplot; every other variable must have a value from `set` or `evaluate`. */
MMM_API mmm_status mmm_formula_plot(const mmm_formula *formula, const mmm_query *query, const char *range,
                                    const char *path);

typedef enum mmm_claim_verdict {
    MMM_CLAIM_HOLDS,
    MMM_CLAIM_DOES_NOT_FOLLOW, /* from the paper's own quantities */
    MMM_CLAIM_DIFFERS,         /* follows, but differs from what is measured */
    MMM_CLAIM_BY_DEFINITION,   /* holds whatever the quantities are: an identity, or a definition said again */
} mmm_claim_verdict;

/* "holds", "does not follow", "differs" or "by definition" */
MMM_API const char *mmm_claim_verdict_name(mmm_claim_verdict verdict);

/* What a paper states, what follows from its own quantities, what the abstract machine measures (NULL where it has not
 * been measured), and the verdict. */
typedef struct mmm_claim {
    char *id, *section, *states, *follows, *measured;
    mmm_claim_verdict verdict;
} mmm_claim;

/* Checks every claim of an analysis. */
MMM_API mmm_status mmm_formula_claims(const mmm_formula *formula, mmm_claim **claims, int *count);
MMM_API void mmm_claims_free(mmm_claim *claims, int count);

/* The strategy of the introduction: how to choose a program parameter. */
typedef struct mmm_strategy {
    char *parameter, *range; /* "s", "1 <= s <= Z/7" */
    char *work;              /* W(s0)/W(s) */
    int work_bounded;        /* whether W(s) stays within a constant factor of W(s0): 1, 0, -1 cannot be decided */
    char *overhead;          /* O(s0)/O(s) */
    char *best;              /* the s that maximises it: an end of the range, an expression, or a number */
    char *time;              /* T(s0)/T(s) by Corollary 1 */
    int confirmed;           /* whether Corollary 1 confirms the choice: 1, 0, -1 */
    char *assumptions;       /* under which the above was found */
    char *verdict;           /* in words */
} mmm_strategy;

MMM_API mmm_status mmm_formula_optimize(const mmm_formula *formula, const char *parameter, const char *set,
                                        mmm_strategy *out);
MMM_API void mmm_strategy_clear(mmm_strategy *strategy);

#ifdef __cplusplus
}
#endif
#endif
