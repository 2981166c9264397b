/* SPDX-License-Identifier: Apache-2.0 */
/* The analysis of an algorithm (sections 3 to 6): formula files, and what is asked about them. */
#ifndef MMM_PAPER_H
#define MMM_PAPER_H

#include "algebra/algebra.h"

/* ---- Analyses: formula_file.c, evaluate.c --------------------------------------------------------------------------
 */

typedef struct mmm_definition {
    char *name;
    bool row; /* a row of the paper's table, not only a name */
    mmm_expression states, because, measured;
    char *section;
    char *given; /* further conditions of its measured form; NULL: none */
} mmm_definition;

typedef struct mmm_claim_text {
    char *id, *section, *text;
    char *with, *as, *solve, *when; /* NULL where not given */
} mmm_claim_text;

typedef struct mmm_formula_parameter {
    char *name, *meaning;
    bool size;
} mmm_formula_parameter;

struct mmm_formula {
    char *name, *title, *section, *program; /* program: the parameter to choose, such as s */
    mmm_formula_parameter *parameters;
    int64_t parameter_count, parameter_room;
    char **constraints;
    int64_t constraint_count, constraint_room;
    char **givens; /* conditions of every measured form: "EXPRESSION is whole", or a relation */
    int64_t given_count, given_room;
    mmm_definition *definitions;
    int64_t definition_count, definition_room;
    mmm_claim_text *claims;
    int64_t claim_count, claim_room;
};

const mmm_definition *mmm_formula_find(const mmm_formula *formula, const char *name);

/* The formula files built into the library, ended by one without a name. */
typedef struct mmm_embedded {
    const char *name, *text;
} mmm_embedded;
extern const mmm_embedded mmm_analyses[];

typedef struct mmm_evaluator {
    const mmm_formula *formula; /* NULL: every name is a variable */
    mmm_space *space;
    bool measured;                   /* take the measured form of each quantity */
    bool met;                        /* set when one was taken */
    bool missing;                    /* set when one has none */
    int depth;                       /* of definitions inside definitions */
    const char *given[MMM_BINDINGS]; /* conditions of the measured forms that were taken */
    int given_count;
    int calls;           /* open calls with parameters of their own, as W(s=1) */
    bool elsewhere;      /* set when a form with such conditions was taken in one: they would be others there */
    bool opaque;         /* quantities are variables of their names, whatever they equal */
    char impossible[80]; /* a condition that cannot hold, for messages */
    const mmm_scope *at; /* values that come after; where given, a form outside its conditions is refused */
} mmm_evaluator;

mmm_status mmm_check_parameter(const mmm_formula *formula,
                               const char *name); /* fails for what no formula parameter is */
mmm_status mmm_scope_set(mmm_evaluator *evaluator, mmm_scope *scope, const char *settings);
mmm_status mmm_evaluate(mmm_evaluator *evaluator, const mmm_expression *expression, const mmm_tree *tree,
                        const mmm_scope *scope, mmm_fraction *out);
mmm_status mmm_evaluate_text(mmm_evaluator *evaluator, const char *text, const mmm_scope *scope, mmm_fraction *out);

/* A space with the formula's parameters, in their order, so that they print in it. */
mmm_status mmm_formula_space(const mmm_formula *formula, mmm_space **out);

/* ---- Questions: ask.c, claims.c --------------------------------------------------------------------------------- */

/* Where the formula and the settings say that parameters lie. */
mmm_status mmm_region_add(mmm_evaluator *evaluator, mmm_region *region, const char *relation, const mmm_scope *scope);
mmm_status mmm_region_formula(mmm_evaluator *evaluator, mmm_region *region, const mmm_scope *scope, const char *assume);
/* Fails where a constraint of the formula, or a condition of the measured form, does not hold at the evaluator's
 * values.
 */
mmm_status mmm_check_conditions(mmm_evaluator *evaluator, const mmm_definition *definition, const mmm_scope *scope);
/* Adds what was measured under; *possible is false where that cannot hold as the variables `as` grow for a value in
 * which they matter.  The condition that fails stays in the evaluator. */
mmm_status mmm_region_given(mmm_evaluator *evaluator, mmm_region *region, const mmm_scope *scope, const char *as,
                            const mmm_fraction *value, bool *possible);

/* inside.c: the constraints of a formula and the conditions of its measured forms, those of a quantity among them, as
 * far as values (NaN: none) settle them; in floating point. */
typedef struct mmm_conditions mmm_conditions;
typedef double mmm_value_of(const void *context, const char *name);
mmm_status mmm_conditions_read(const mmm_formula *formula, const char *quantity, mmm_conditions **out);
bool mmm_conditions_hold(const mmm_conditions *conditions, mmm_value_of *value_of, const void *context);
void mmm_conditions_free(mmm_conditions *conditions);

/* ask.c: limits one after the other ("n, U"), in place. */
mmm_status mmm_limits(mmm_evaluator *evaluator, const mmm_region *region, const char *variables, mmm_fraction *value,
                      mmm_limit_kind *kind);

/* The quotient of leading terms, variable by variable; *kind is LIMIT_UNKNOWN where growth is not known. */
mmm_status mmm_leadings(mmm_evaluator *evaluator, const char *variables, mmm_fraction *value, mmm_limit_kind *kind);

/* Whether left relation right on the region: 1, 0, -1 not known. */
mmm_status mmm_relation_holds(mmm_space *space, const mmm_region *region, const mmm_fraction *left,
                              const mmm_fraction *right, char relation, int *holds);

#endif
