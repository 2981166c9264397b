/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of derivations share: counted points, forms, conditions. */
#ifndef MMM_DERIVE_H
#define MMM_DERIVE_H

#include "paper/paper.h"
#include "study/study.h"

#include <flint/fmpq.h>
#include <flint/nmod_mat.h>

enum { PARAMETERS = 6, AXES = 12, VALUES = 20, TERMS = 16, CONDITIONS = 12 }; /* AXES: with what is rounded up */

/* What is counted: C is slope * U + rest where U is large. */
typedef enum count_kind {
    COUNT_L,
    COUNT_N,
    COUNT_K,
    COUNT_O,
    COUNT_W,
    COUNT_S,
    COUNT_SLOPE,
    COUNT_REST,
    COUNT_LOCAL,
    COUNTS
} count_kind;

/* A parameter that the forms are in. */
typedef struct derive_axis {
    const char *name;
    int parameter;
    bool size;     /* grows; the others are chosen, */
    bool other;    /* or are of the problem */
    bool exponent; /* small enough to be one of 2 */
    bool rounded;  /* a quotient of others, rounded up */
    int64_t least, most, values[VALUES];
    int count;
} derive_axis;

typedef struct point {
    int64_t at[AXES];
    int64_t counted[COUNTS];
    int64_t low; /* the smallest U tried from which on C is on its line */
} point;

typedef struct point_list {
    point *list;
    int64_t count, room;
} point_list;

/* Where points are drawn: sizes are multiples of a unit, one of them when something is added to it. */
typedef enum shift_kind { SHIFT_NONE, SHIFT_LESS, SHIFT_MORE } shift_kind; /* x, x - y + 1, x + y - 1 */
typedef struct point_lattice {
    int level; /* of the unit, from weak to strong */
    shift_kind shift;
    int shifted, by; /* axes x and y */
} point_lattice;
enum { LEVELS = 6, STRONG = 2, SQUARE = 3, POWER = 5 }; /* what holds on a weak lattice holds on a strong one */

/* coefficient * product of powers * 2^power * log2(log/under) */
typedef struct term {
    signed char exponents[AXES];
    signed char power, log, under; /* axes, or -1 */
} term;
static const term no_term = {.power = -1, .log = -1, .under = -1};

typedef struct form {
    bool found;
    int count;
    term terms[TERMS];
    int64_t above[TERMS], below[TERMS]; /* their coefficients */
} form;

/* "A is whole", "A >= number" or "A <= number" with A = (axis shifted)/(unit) or a product of powers, which a shifted
 * axis may be multiplied with. */
typedef struct condition {
    enum { WHOLE, WHOLE_LOG, AT_LEAST, AT_MOST } kind;
    term of;        /* the unit by which the shifted axis is divided, or the product */
    int64_t factor; /* of the unit */
    shift_kind shift;
    int shifted, by;
    double bound;
} condition;

typedef struct derivation {
    const mmm_app *app;
    mmm_machine *machine;
    derive_axis axes[AXES];
    int axis_count, sizes;
    int64_t fixed[MMM_PARAMETERS_MOST];
    bool is_fixed[MMM_PARAMETERS_MOST];
    mmm_random random;
    bool settled;      /* jobs of the largest sizes are not cheap */
    int64_t runs, cap; /* cap: the largest size, as far as jobs stay cheap to count */
    double until;      /* when no more points are looked for */
    int64_t seed;      /* of inputs; 0: the usual one */
    point_lattice lattice;
    point_list aligned, diverse;
    form forms[COUNTS];
    char names[AXES][48]; /* of what is rounded */
} derivation;

/* derive.c: the application, the machine, and the parameters of the forms: those named, those of a formula, or all
 * sizes and choices. */
mmm_status mmm_derive_open(derivation *d, const char *app, const char *over, const char *fixed,
                           const mmm_formula *formula);
void mmm_derive_close(derivation *d);

/* Seconds that the process has worked: what is found must not depend on who else does. */
double mmm_derive_clock(void);

/* derive_points.c: counts until `wanted` points are there, or tries end. */
mmm_status mmm_derive_count(derivation *d, point *p, bool *there);
int64_t mmm_derive_unit(const derivation *d, const point_lattice *lattice, const int64_t *at);
mmm_status mmm_derive_aligned(derivation *d, const point_lattice *lattice, int64_t wanted, point_list *out);
mmm_status mmm_derive_diverse(derivation *d, int64_t wanted, point_list *out);

/* derive_fit.c */
/* At which points the quantity is what its form says. */
mmm_status mmm_form_check(const form *f, const derivation *d, const point_list *points, count_kind kind, bool *holds);
/* The forms of those quantities that have none yet, on the points for which `use` is set (NULL: all).  `most` bounds
 * how rich the families are that are tried. */
mmm_status mmm_derive_fit(const derivation *d, const point_list *points, const bool *use, int most, form forms[COUNTS]);
mmm_status mmm_form_text(const derivation *d, const form *f, const char *factor, mmm_text *out);
/* Whether a point is one that forms are verified on, not found from: it has a value that no other point has. */
bool mmm_derive_held_out(const derivation *d, const point *p);
double mmm_term_value(const term *t, const int64_t *at, int axes);

/* derive_given.c: the conditions under which the listed quantities are as their forms say. */
mmm_status mmm_derive_conditions(const derivation *d, const point_list *pool, const bool *holds, const bool *inside,
                                 condition *out, int *count);
/* Products to compare with numbers: an axis, quotients, 2^s by another, and what regimes are made of. */
int mmm_derive_products(const derivation *d, term *out, int most);
bool mmm_condition_holds(const derivation *d, const condition *c, const int64_t *at);
mmm_status mmm_condition_text(const derivation *d, const condition *c, mmm_text *out);

int64_t mmm_condition_shifted(const condition *c, const int64_t *at);

/* derive_round.c: what is whole by some conditions, rounded up: further axes of *d, with their values at its diverse
 * points. */
mmm_status mmm_derive_round(derivation *d, const condition *whole, int count);

/* derive_file.c: the file, how many quantities there are and how many have a form. */
mmm_status mmm_derive_write(derivation *d, mmm_text *out, int *found, int *quantities);

#endif
