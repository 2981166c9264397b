/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of derivations share: counted points, forms, conditions. */
#ifndef MMM_DERIVE_H
#define MMM_DERIVE_H

#include "paper/paper.h"
#include "study/study.h"

#include <flint/fmpq.h>
#include <flint/nmod_mat.h>

/* The most parameters of forms that are looked for, and of such as are given; with what is rounded up. */
enum { FREE = 6, PARAMETERS = 16, AXES = 22 };
enum { VALUES = 20, TERMS = 20, CONDITIONS = 12, DEAR = 16 };
enum { DERIVE_LARGEST = 12288, DERIVE_OWN = 900 }; /* size of a job that is counted, mostly; on lattices of records */

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
    int offset;    /* at a point is the parameter and this much more: forms are in n+1 */
    bool idle;     /* on this lattice, above all others: nothing depends on it */
    int64_t least, most, values[VALUES], small[VALUES];
    int64_t low, high;      /* where choices of any value are drawn */
    int count, small_count; /* of values, which are the small ones or, on a lattice with a grain, multiples of it */
} derive_axis;

typedef struct point {
    int64_t at[AXES];
    int64_t counted[COUNTS];
    int64_t low;                  /* the smallest U tried from which on C is on its line */
    int64_t operations, accesses; /* of all threads: what it takes to count it */
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
    int64_t grain;   /* a choice that is large, as others are multiples of a warp or of threads that copy; 0: none */
    int grained;     /* its axis */
    bool own;        /* the grain is what the values that the application's record tries have in common */
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
    int64_t factor; /* of the unit; negative: of the axis */
    shift_kind shift;
    int shifted, by;
    double bound;
} condition;

typedef struct derivation {
    const mmm_app *app;
    mmm_machine *machine;
    derive_axis axes[AXES];
    int axis_count, sizes;
    int real; /* axes that are parameters; behind them is what is rounded */
    int64_t fixed[MMM_PARAMETERS_MOST];
    bool is_fixed[MMM_PARAMETERS_MOST];
    mmm_random random;
    bool equal;        /* sizes are: the first is an axis, the others have its value */
    int coarse_of;     /* an axis whose quotient by a number, rounded up, is the axis behind all parameters */
    int64_t coarse;    /* that number; 0: there is no such axis */
    bool many;         /* parameters that were left out, as forms would have too many */
    bool few;          /* some choices have few values, and those are all there are */
    bool mixed;        /* points need not tell a form from all others; where choices are few, they never do */
    bool odd;          /* choices that are drawn may have any value */
    bool settled;      /* jobs of the largest sizes are not cheap */
    int64_t runs, cap; /* cap: the largest size, as far as jobs stay cheap to count */
    double
        spent; /* on jobs and on eliminations, about in seconds: by what was done, so that it is the same everywhere */
    double until;             /* how much is spent when no more points are looked for */
    int64_t dear[DEAR][AXES]; /* jobs that took long to count */
    int dear_count;
    int64_t seed;  /* of inputs; 0: the usual one */
    char why[160]; /* the last job was not counted */
    point_lattice lattice;
    point_list aligned, diverse;
    point_list *counted; /* all jobs, by the values of the application's parameters; with low = 0 there is none */
    form forms[COUNTS];
    char names[AXES][48]; /* of what is rounded */
} derivation;

/* derive_axes.c: the application, the machine, and the parameters of the forms: those named, those of a formula, or all
 * sizes and choices. */
mmm_status mmm_derive_open(derivation *d, const char *app, const char *over, const char *fixed,
                           const mmm_formula *formula);
void mmm_derive_close(derivation *d);
bool mmm_derive_is_large(const derivation *d, int axis); /* a choice that usually is */
/* What the values of a choice that the application's record tries have as a common divisor; 1 where it has none. */
int64_t mmm_derive_common(const derivation *d, int axis);
void mmm_derive_equal(derivation *d); /* sizes are one */
void mmm_derive_next(derivation *d);  /* forms are in sizes and 1 more */
/* The values of choices on a lattice. */
void mmm_derive_values(derivation *d, const point_lattice *lattice);
bool mmm_derive_exponent(const derivation *d); /* whether some choice may be an exponent of 2 */

/* derive_points.c: counts until `wanted` points are there, or tries end. */
mmm_status mmm_derive_count(derivation *d, point *p, bool *there);
int64_t mmm_derive_unit(const derivation *d, const point_lattice *lattice, const int64_t *at);
/* Counts it and adds it, where it is new and there is such a job. */
mmm_status mmm_derive_take(derivation *d, point *p, point_list *out);
int64_t mmm_derive_divisor(int64_t a, int64_t b); /* the greatest common one */
int64_t mmm_derive_draw(derivation *d, int64_t bound);
bool mmm_derive_choices(derivation *d, const point_lattice *lattice, bool powers, point *p);
bool mmm_derive_sizes(derivation *d, const point_lattice *lattice, bool powers, bool exact, point *p);
bool mmm_derive_in_range(const derivation *d, const point *p, int64_t cap);
bool mmm_derive_only_sizes(const derivation *d);
/* The most that the product of sizes may be. */
int64_t mmm_derive_area(const derivation *d, const point_lattice *lattice);
int64_t mmm_derive_largest(const derivation *d, const point *p); /* choice that is no exponent */
mmm_status mmm_derive_aligned(derivation *d, const point_lattice *lattice, int64_t wanted, point_list *out);

/* derive_near.c: points of all kinds, and points near others: of `from`, those that are used (NULL: all), changed in a
 * coordinate or some.  Only those that are wanted (NULL: all). */
typedef bool derive_filter(const derivation *d, const void *context, const int64_t *at);
mmm_status mmm_derive_diverse(derivation *d, int64_t wanted, point_list *out);
bool mmm_derive_dear(const derivation *d, const point *p);  /* two cheaper ones tell more */
bool mmm_derive_small(const derivation *d, const point *p); /* there is such a job, and it is not too much to count */
mmm_status mmm_derive_near(derivation *d, const point_list *from, const bool *use, derive_filter *filter,
                           const void *context, int64_t wanted, point_list *out);

/* derive_anywhere.c: points that satisfy what is asked of the parameters from one on, all of which have values. */
typedef bool derive_part(const derivation *d, const void *context, const int64_t *at, int from);
mmm_status mmm_derive_anywhere(derivation *d, derive_part *part, const void *context, int64_t wanted, point_list *out);

/* derive_lattice.c */
mmm_status mmm_derive_lattice(derivation *d);
/* Points at which no choice has one of its `depth` least values, where much is otherwise; how many. */
int64_t mmm_derive_inner(const derivation *d, const point_list *points, int depth, bool *use);
/* The points of the regime that most are in: where L is one number, or one number times one product. */
void mmm_derive_regime(const derivation *d, const point_list *all, bool *use);

/* derive_search.c: the forms on the chosen lattice. */
mmm_status mmm_derive_forms(derivation *d);

/* derive_term.c */
double mmm_term_value(const term *t, const int64_t *at, int axes);
bool mmm_term_log(const term *t, const int64_t *at, int64_t *out); /* its logarithm, where that is whole */
/* Modulo a prime; false where the term has no rational value there. */
bool mmm_term_modular(const term *t, const int64_t *at, int axes, nmod_t mod, mp_limb_t *out);
bool mmm_form_holds(const form *f, const point *p, int axes, count_kind kind);
/* At which points the quantity is what its form says. */
mmm_status mmm_form_check(const form *f, const derivation *d, const point_list *points, count_kind kind, bool *holds);
mmm_status mmm_form_text(const derivation *d, const form *f, const char *factor, mmm_text *out);

/* derive_fit.c */
enum { FIT_PLAIN = 7, FIT_LOG = 9, FIT_TILES = 11, FIT_ALL = 99 }; /* families that are tried, in their order */
/* The forms of those quantities that have none yet, on the points for which `use` is set (NULL: all).  `most` bounds
 * how rich the families are that are tried. */
mmm_status mmm_derive_fit(derivation *d, const point_list *points, const bool *use, int most, form forms[COUNTS]);
int mmm_form_functions(const form *f, int first, int second); /* how many functions of two axes it has in it */
/* Whether a point is one that forms are verified on, not found from: it has a value that no other point has. */
bool mmm_derive_held_out(const derivation *d, const point *p);

/* derive_choose.c: conditions that tell the points at which a form holds from those at which it does not. */
mmm_status mmm_derive_conditions(const derivation *d, const point_list *pool, const bool *holds, const bool *inside,
                                 condition *out, int *count);

/* derive_given.c: what could be said of a point, but for bounds of products. */
int mmm_derive_candidates(const derivation *d, condition *out, int most);
/* Products to compare with numbers: an axis, quotients, 2^s by another, and what regimes are made of. */
int mmm_derive_products(const derivation *d, term *out, int most);
bool mmm_condition_holds(const derivation *d, const condition *c, const int64_t *at);
int mmm_condition_first(const derivation *d, const condition *c); /* the first parameter that it speaks of */
mmm_status mmm_condition_text(const derivation *d, const condition *c, mmm_text *out);
mmm_status mmm_condition_quotient(const derivation *d, const condition *c, mmm_text *out); /* what must be whole */

int64_t mmm_condition_shifted(const condition *c, const int64_t *at);

/* derive_trial.c: the rows of the file, and the conditions of each. */
enum { ROWS = 8 };
typedef struct derive_row {
    const char *name, *factor;
    count_kind first, second; /* C has two parts; COUNTS: one */
    bool own;                 /* it has conditions of its own besides those of all */
} derive_row;
extern const derive_row mmm_rows[ROWS];

bool mmm_row_found(const form *forms, int row);
bool mmm_row_holds(const form *forms, const point *p, int axes, int row);

typedef struct row_given {
    condition own[CONDITIONS];
    int count;
    condition whole[CONDITIONS]; /* of what is whole for all, what matters here */
    int whole_count;
    int64_t low; /* U from which on C is on its line */
    bool wrong;  /* it fails at a point of the pool all the same */
    bool enough; /* the conditions stand their trial, and leave something */
} row_given;

typedef struct verdicts {
    bool *holds, *inside, *wide; /* of each point: a form holds; all conditions do; all but of what is whole */
    condition whole[CONDITIONS], rest[CONDITIONS];
    int whole_count, rest_count;
    row_given rows[ROWS];
    int failures[ROWS]; /* in trials */
} verdicts;

mmm_status mmm_derive_try(derivation *d, verdicts *v);
/* Whether the conditions of all hold, but for what must be whole. */
bool mmm_derive_wide(const derivation *d, const verdicts *v, const int64_t *at);
/* Whether all do that a row is stated with. */
bool mmm_derive_given(const derivation *d, const verdicts *v, const row_given *g, const int64_t *at);
enum { OFTEN = 5 }; /* a row that holds at so many points was tried there */

/* derive_bound.c: bounds of a row's choices where they have few values, and of sizes on a lattice of the record. */
void mmm_derive_bound(const derivation *d, verdicts *v, int row);
mmm_status mmm_derive_enlarge(derivation *d, verdicts *v); /* the latter, as far as larger jobs are as a row says */
void mmm_derive_ranges(derivation *d, const verdicts *v, const row_given *g); /* low and high of each axis, for a row */

/* derive_round.c: what is whole by some conditions, rounded up, as further axes of *d, and the forms with these. */
typedef struct rounding {
    form forms[COUNTS];
    bool found[ROWS], wide[ROWS];                    /* wide: without the weaker conditions */
    condition weaker[CONDITIONS], least[CONDITIONS]; /* least: of what logarithms are taken */
    int count, least_count;
    bool weakened; /* the weaker ones are */
} rounding;
mmm_status mmm_derive_round(derivation *d, const verdicts *v, rounding *out);

/* derive_file.c: the file, how many quantities there are and how many have a form. */
mmm_status mmm_derive_write(derivation *d, mmm_text *out, int *found, int *quantities);

#endif
