/* SPDX-License-Identifier: Apache-2.0 */
/* Exact algebra for sections 3 to 6: rational functions over named atoms, and what is asked about them.
 *
 * An expression is text turned into a tree.  A value is a rational function in the atoms of a space: variables, log2 of
 * a variable (or of a prime, or of an irreducible polynomial), and 2^variable.  These are algebraically independent, so
 * two values are equal exactly when their canonical quotients are.  Ceilings and floors are atoms, too, but not
 * independent: values with different quotients may be equal. */
#ifndef MMM_ALGEBRA_H
#define MMM_ALGEBRA_H

#include "base/base.h"
#include "base/text.h"

#include <calcium/fmpz_mpoly_q.h>
#include <flint/fmpq_poly.h>
#include <flint/fmpz_mpoly_factor.h>

/* Bounds on what untrusted text may ask for. */
enum {
    MMM_ATOMS = 28,        /* atoms of a space */
    MMM_NAME = 24,         /* letters of a name */
    MMM_EXPRESSION = 4096, /* characters of an expression */
    MMM_NESTING = 64,      /* open brackets */
    MMM_DIGITS = 400,      /* digits of a number */
    MMM_DEGREE = 400,      /* of a polynomial */
    MMM_TERMS = 2500,      /* terms of a polynomial */
    MMM_BITS = 8192,       /* of a coefficient */
    MMM_FACTORED = 300,    /* terms of a polynomial that is factored, */
    MMM_FACTORED_TO = 40,  /* and its degree, if it is one in several atoms */
    MMM_PRODUCT = 500000,  /* term products of one operation */
    MMM_BINDINGS = 16,     /* substitutions at once */
};

/* ---- Expressions: parse.c ------------------------------------------------------------------------------------- */

typedef enum mmm_node_kind {
    NODE_NUMBER,
    NODE_NAME,
    NODE_CALL, /* name with arguments: bindings (name=expression) or positional ones */
    NODE_NEGATE,
    NODE_ADD,
    NODE_SUBTRACT,
    NODE_MULTIPLY,
    NODE_DIVIDE,
    NODE_POWER,
    NODE_RELATION, /* relation is one of < > = ~ and l (<=), g (>=); only at the top */
} mmm_node_kind;

typedef struct mmm_tree {
    mmm_node_kind kind;
    char relation;
    int position;            /* in the expression's text, for the caret */
    char name[MMM_NAME + 1]; /* of a name, a call, or the variable of a binding */
    char *digits;            /* of a number: digits, perhaps with one point */
    struct mmm_tree *left, *right;
    struct mmm_tree *next; /* next argument of a call; the first is left of the call; a binding is a NODE_NAME */
    struct mmm_tree *link; /* all nodes of an expression, for release */
} mmm_tree;

typedef struct mmm_expression {
    char *text;
    mmm_tree *root, *nodes;
} mmm_expression;

mmm_status mmm_expression_parse(const char *text, mmm_expression *out);
void mmm_expression_free(mmm_expression *expression);

/* Fails with a message and remembers where, for mmm_formula_place. */
mmm_status mmm_fail_at(const char *text, int position, const char *format, ...) __attribute__((format(printf, 3, 4)));
void mmm_place_clear(void);

/* Cuts "a, b(c, d)" at its outer commas: calls `visit` with each piece, trimmed. */
typedef mmm_status mmm_piece_visitor(void *context, char *piece);
mmm_status mmm_pieces_read(const char *text, mmm_piece_visitor *visit, void *context);

/* Reads "l=Z/2, s=Z/7" piece by piece: calls `visit` with each name and the text after its '='. */
typedef mmm_status mmm_setting_visitor(void *context, const char *name, const char *text);
mmm_status mmm_settings_read(const char *text, mmm_setting_visitor *visit, void *context);

/* ---- Values: atoms.c, rational.c ------------------------------------------------------------------------------ */

typedef fmpz_mpoly_q_struct mmm_fraction;

typedef enum mmm_atom_kind { ATOM_VARIABLE, ATOM_LOG, ATOM_POWER, ATOM_CEIL, ATOM_FLOOR } mmm_atom_kind;

typedef struct mmm_atom {
    mmm_atom_kind kind;
    char name[MMM_NAME + 1];    /* of a variable */
    int variable;               /* of log2(variable) and 2^variable; -1 for other logarithms */
    fmpz_mpoly_struct argument; /* of a logarithm, or */
    fmpz_mpoly_struct below;    /* with this below it, of ceil and floor */
} mmm_atom;

typedef struct mmm_space {
    fmpz_mpoly_ctx_t ctx;
    mmm_atom atoms[MMM_ATOMS];
    int count;
    int64_t budget; /* term operations left before an expression counts as too large */
} mmm_space;

mmm_status mmm_space_new(mmm_space **out);
void mmm_space_free(mmm_space *space);
mmm_status mmm_space_variable(mmm_space *space, const char *name, int *atom); /* found or added */
mmm_status mmm_space_atom(mmm_space *space, mmm_atom_kind kind, int *atom);   /* a new one */
int mmm_space_find(const mmm_space *space, mmm_atom_kind kind, int variable); /* log or power of a variable, or -1 */
int mmm_space_name(const mmm_space *space, const char *name);                 /* a variable, or -1 */

void mmm_value_init(mmm_space *space, mmm_fraction *value);
void mmm_value_clear(mmm_space *space, mmm_fraction *value);
mmm_status mmm_value_add(mmm_space *space, mmm_fraction *out, const mmm_fraction *a, const mmm_fraction *b);
mmm_status mmm_value_subtract(mmm_space *space, mmm_fraction *out, const mmm_fraction *a, const mmm_fraction *b);
mmm_status mmm_value_multiply(mmm_space *space, mmm_fraction *out, const mmm_fraction *a, const mmm_fraction *b);
mmm_status mmm_value_divide(mmm_space *space, mmm_fraction *out, const mmm_fraction *a, const mmm_fraction *b);
mmm_status mmm_value_raise(mmm_space *space, mmm_fraction *out, const mmm_fraction *a, int64_t exponent);
mmm_status mmm_value_log2(mmm_space *space, mmm_fraction *out, const mmm_fraction *a);
mmm_status mmm_value_exp2(mmm_space *space, mmm_fraction *out, const mmm_fraction *a);
bool mmm_factor(mmm_space *space, fmpz_mpoly_factor_t factors, const fmpz_mpoly_struct *p);
bool mmm_value_uses(const mmm_space *space, const mmm_fraction *value, int atom);
bool mmm_value_mentions(const mmm_space *space, const mmm_fraction *value, int variable); /* also inside log2 and 2^ */
bool mmm_value_same(const mmm_space *space, const mmm_fraction *a, const mmm_fraction *b);

/* round.c: ceil(a), or floor(a).  What lies between two whole numbers stays an atom. */
mmm_status mmm_value_round(mmm_space *space, mmm_fraction *out, const mmm_fraction *a, bool up);
bool mmm_atom_rounds(const mmm_atom *atom);                                  /* whether it is ceil or floor, */
void mmm_atom_argument(const mmm_space *space, int atom, mmm_fraction *out); /* and of what */
bool mmm_value_rounds(const mmm_space *space, const mmm_fraction *value);    /* has one of these in it */
bool mmm_positive(const mmm_space *space, const fmpz_mpoly_struct *p);       /* shown by its coefficients */

/* substitute.c: replaces atom i by images[i] (NULL: stays) in a polynomial or a value. */
mmm_status mmm_polynomial_compose(mmm_space *space, mmm_fraction *out, const fmpz_mpoly_struct *p,
                                  const mmm_fraction *const *images);
mmm_status mmm_value_compose(mmm_space *space, mmm_fraction *out, const mmm_fraction *a,
                             const mmm_fraction *const *images);
/* Where logarithms or powers of the variable occur, the result has a variable that stands for ln(2). */
#define MMM_LN2 "ln(2)"
mmm_status mmm_value_derivative(mmm_space *space, mmm_fraction *out, const mmm_fraction *a, int variable);

/* What a name stands for while an expression is evaluated; inner scopes hide outer ones. */
typedef struct mmm_scope {
    const struct mmm_scope *outer;
    int count;
    char names[MMM_BINDINGS][MMM_NAME + 1];
    mmm_fraction values[MMM_BINDINGS];
} mmm_scope;

void mmm_scope_free(mmm_space *space, mmm_scope *scope);
mmm_status mmm_scope_add(mmm_space *space, mmm_scope *scope, const char *name, const mmm_fraction *value);

/* substitute.c, after the fact: what was evaluated before gets these values for its variables. */
mmm_status mmm_value_substitute(mmm_space *space, mmm_fraction *out, const mmm_fraction *a, const mmm_scope *scope);

/* print.c: canonical and factored; the text is the caller's to free. */
mmm_status mmm_value_print(mmm_space *space, const mmm_fraction *value, mmm_notation notation, char **out);
mmm_status mmm_polynomial_print(mmm_space *space, const fmpz_mpoly_struct *p, mmm_notation notation, char **out);
int mmm_atom_compare(const mmm_space *space, int a, int b); /* the order of atoms in print */

/* number.c: a value without variables as a ball; false when variables remain. */
bool mmm_value_number(const mmm_space *space, const mmm_fraction *value, double *out, int *sign);
/* Rounded to a whole number; false where it has variables, or no digits tell. */
bool mmm_value_rounded(const mmm_space *space, const mmm_fraction *value, bool up, fmpz_t out);
mmm_status mmm_value_decimal(const mmm_space *space, const mmm_fraction *value, char **out);

/* ---- Questions: region.c, limit.c, solve.c --------------------------------------------------------------------- */

/* Where the parameters may lie: differences that are >= 0, or > 0. */
typedef struct mmm_region {
    mmm_fraction *differences;
    bool *strict;
    int64_t count, room, strict_room;
} mmm_region;

void mmm_region_free(mmm_space *space, mmm_region *region);
/* round.c: a copy, with what is known of the ceilings and floors of a value. */
mmm_status mmm_region_rounded(mmm_space *space, const mmm_region *region, const mmm_fraction *value, mmm_region *out);

typedef enum mmm_sign {
    SIGN_UNKNOWN, /* neither shown nor refuted */
    SIGN_NEGATIVE,
    SIGN_ZERO,
    SIGN_POSITIVE,
    SIGN_MIXED, /* takes both signs, by example */
} mmm_sign;

mmm_status mmm_value_sign(mmm_space *space, const mmm_region *region, const mmm_fraction *value, mmm_sign *out);

/* *level: 2 shown positive, 1 shown not negative, 0 not shown. */
mmm_status mmm_region_prove(mmm_space *space, const mmm_region *region, const mmm_fraction *value, int *level);
/* Whether a difference is slope * variable + rest, both numbers: it bounds the variable by a number. */
bool mmm_linear_bound(const mmm_space *space, const mmm_fraction *value, int variable, fmpq_t slope, fmpq_t rest);
void mmm_region_lower(const mmm_space *space, const mmm_region *region, int variable, fmpq_t lower, bool *strict);
/* bounds.c: how small an atom of any kind can be, by all relations; false where nothing is known. */
bool mmm_region_least(const mmm_space *space, const mmm_region *region, int atom, fmpq_t least, bool *strict);
/* Evaluates at points of the region and says which signs were seen, among them zero. */
mmm_status mmm_region_sample(mmm_space *space, const mmm_region *region, const mmm_fraction *value, bool *negative,
                             bool *zero, bool *positive);

typedef enum mmm_limit_kind { LIMIT_FINITE, LIMIT_PLUS, LIMIT_MINUS, LIMIT_INFINITE, LIMIT_UNKNOWN } mmm_limit_kind;

/* The limit as the variable grows, in *out when finite. */
mmm_status mmm_value_limit(mmm_space *space, const mmm_region *region, const mmm_fraction *value, int variable,
                           mmm_fraction *out, mmm_limit_kind *kind);
/* The quotient of the leading terms; false in *known where the order of growth is not known. */
mmm_status mmm_value_leading(mmm_space *space, const mmm_fraction *value, int variable, mmm_fraction *out, bool *known);

/* Where a relation holds, in words: "always", "never", "Z > 63/5" (above a bound), "Z < 3" (below one), other
 * conditions; or why that cannot be decided. */
typedef enum mmm_solution_kind {
    SOLUTION_DOUBT,
    SOLUTION_ALWAYS,
    SOLUTION_NEVER,
    SOLUTION_ABOVE,
    SOLUTION_BELOW,
    SOLUTION_OTHER
} mmm_solution_kind;

typedef struct mmm_solution {
    mmm_solution_kind kind;
    char *text;
    int64_t bound; /* where it begins in the text */
} mmm_solution;

/* Where `value relation 0` holds, as a condition on `variable`.  The text is released by mmm_free. */
mmm_status mmm_solve(mmm_space *space, const mmm_region *region, const mmm_fraction *value, char relation, int variable,
                     mmm_notation notation, mmm_solution *out);

#endif
