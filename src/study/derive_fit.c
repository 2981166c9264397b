/* SPDX-License-Identifier: Apache-2.0 */
/* The form of a quantity: the simplest products of powers, logarithms and powers of two whose combination over Q gives
 * every count.  The columns stand in order of their simplicity, so that elimination takes the simple ones first. */
#include "study/derive.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 420, SPARE = 12, MANY = 16, ENDS = 4 }; /* a form of more terms is more likely an accident */
static const mp_limb_t prime = 2305843009213693951u;     /* 2^61 - 1 */

/* ---- Terms --------------------------------------------------------------------------------------------------------
 */

typedef struct family {
    term terms[COLUMNS];
    int weights[COLUMNS];
    int count;
    int log, under;    /* whose logarithm is in it, or -1 */
    int highest[AXES]; /* power of each choice: where it has few values, they tell few functions of it apart */
} family;

/* What a family has in it. */
typedef struct recipe {
    int degree;       /* of the sizes together */
    bool once;        /* no power of a size */
    int each, all;    /* of the choices, one and together, either sign */
    bool two;         /* for two choices only */
    bool power, logs; /* 2^choice, log2 */
    bool tiles; /* few: 2^s counts of s bits in tiles of l words are 2^s/l, 2^s/l^2, these by s, and what has none */
    bool alone; /* and 2^s */
} recipe;

/* The simple ones first: FIT_PLAIN of them, then those with a logarithm, then with a power of two, then the rest. */
static const recipe recipes[] = {
    {.degree = 1, .each = 1, .all = 1},
    {.degree = 2, .each = 1, .all = 1},
    {.degree = 1, .each = 1, .all = 2},
    {.degree = 2, .each = 2, .all = 2},
    {.degree = 2, .each = 2, .all = 3, .once = true},
    {.degree = 2, .each = 2, .all = 3},
    {.degree = 2, .each = 2, .all = 4, .two = true},
    {.degree = 1, .each = 1, .all = 1, .logs = true},
    {.degree = 1, .each = 2, .all = 2, .logs = true},
    {.degree = 1, .each = 2, .all = 3, .power = true, .tiles = true},
    {.degree = 1, .each = 1, .all = 2, .power = true, .tiles = true, .alone = true},
    {.degree = 1, .each = 2, .all = 3, .power = true},
    {.degree = 2, .each = 2, .all = 3, .power = true},
    {.degree = 1, .each = 1, .all = 2, .power = true, .logs = true},
    {.degree = 2, .each = 1, .all = 1, .logs = true},
    {.degree = 3, .each = 1, .all = 1},
    {.degree = 3, .each = 3, .all = 3},
    {.degree = 2, .each = 2, .all = 2, .power = true, .logs = true},
};

static void add_column(family *f, const term *t, int weight)
{
    int at = f->count;
    if (f->count == COLUMNS) {
        if (f->weights[COLUMNS - 1] <= weight) return;
        at = COLUMNS - 1;
    } else {
        f->count++;
    }
    for (; at > 0 && f->weights[at - 1] > weight; at--)
        f->terms[at] = f->terms[at - 1], f->weights[at] = f->weights[at - 1];
    f->terms[at] = *t;
    f->weights[at] = weight;
}

/* Of the few terms of a recipe with tiles: with 2^power, or without (-1). */
static bool is_tile(const derivation *d, const recipe *k, const term *t, int power)
{
    for (int i = 0; i < d->axis_count; i++) {
        const signed char e = t->exponents[i];
        int least = power < 0 ? -1 : i == power ? -1 : -2, most = power < 0 ? 1 : i == power || k->alone ? 0 : -1;
        if (!d->axes[i].size && !d->axes[i].other && (e < least || e > most)) return false;
    }
    return true;
}

static void add_terms(const derivation *d, const recipe *k, family *f, term *t, int at, int degree, int all)
{
    if (d->coarse && at == d->axis_count && t->exponents[d->real] && (all > 1 || t->exponents[d->real] > 1)) return;
    if (at == d->axis_count) {
        int weight = 2 * degree + 2 * all;
        for (int i = 0; i < d->axis_count; i++) /* a quotient that is rounded is not simpler than one that is not */
            if (d->axes[i].rounded) weight += 3 * t->exponents[i];
        if (!k->tiles || is_tile(d, k, t, -1)) add_column(f, t, weight);
        for (int i = 0; i < d->axis_count && k->power; i++)
            if (d->axes[i].exponent && (!k->tiles || is_tile(d, k, t, i))) {
                term own = *t;
                own.power = (signed char)i;
                add_column(f, &own, weight + 3);
            }
        if (k->logs && f->log >= 0) {
            term own = *t;
            own.log = (signed char)f->log;
            own.under = (signed char)f->under;
            add_column(f, &own, weight + 3);
        }
        return;
    }
    bool size = d->axes[at].size, other = d->axes[at].other;
    if (d->axes[at].idle) return add_terms(d, k, f, t, at + 1, degree, all);
    int most = size ? k->once ? 1 : k->degree : other ? 1 : k->each < f->highest[at] ? k->each : f->highest[at];
    for (int e = size || other ? 0 : -k->each; e <= most; e++) {
        int more_degree = degree + (size ? e : 0), more = all + (size || other ? 0 : abs(e));
        if (more_degree > k->degree || more > k->all) continue;
        t->exponents[at] = (signed char)e;
        add_terms(d, k, f, t, at + 1, more_degree, more);
    }
    t->exponents[at] = 0;
}

bool mmm_derive_held_out(const derivation *d, const point *p)
{
    for (int i = 0; i < d->axis_count; i++) {
        const derive_axis *a = &d->axes[i];
        if (a->size || a->other || a->count < 5) continue;
        if ((a->count > 8 && p->at[i] == a->values[4]) || p->at[i] == a->values[a->count - 1]) return true;
    }
    return false;
}

/* ---- Elimination --------------------------------------------------------------------------------------------------
 */

/* Whether a form is right at every point that is used, held out or not; where it has no rational value nothing is
 * asked. */
static bool verify(const derivation *d, const point_list *points, const bool *use, count_kind kind, const form *f)
{
    for (int64_t i = 0; i < points->count; i++) {
        bool asked = !use || use[i];
        int64_t log;
        for (int j = 0; j < f->count; j++)
            asked = asked && mmm_term_log(&f->terms[j], points->list[i].at, &log);
        if (asked && !mmm_form_holds(f, &points->list[i], d->axis_count, kind)) return false;
    }
    return true;
}

static bool same_function(const term *a, const term *b, int axis)
{
    return a->exponents[axis] == b->exponents[axis] && (a->power == axis) == (b->power == axis) &&
           (a->log == axis) == (b->log == axis) && (a->under == axis) == (b->under == axis);
}

int mmm_form_functions(const form *f, int first, int second)
{
    int count = 0;
    for (int i = 0; i < f->count; i++) {
        bool seen = false;
        for (int j = 0; j < i && !seen; j++)
            seen =
                same_function(&f->terms[i], &f->terms[j], first) && same_function(&f->terms[i], &f->terms[j], second);
        count += !seen;
    }
    return count;
}

/* How many values of a choice there are at the points that a form is found from, where its logarithms are whole. */
static int values_of(const derivation *d, const point_list *points, const bool *use, int axis, const form *f)
{
    const derive_axis *a = &d->axes[axis];
    int values = 0;
    for (int j = 0; j < a->count; j++) {
        bool there = false;
        int64_t log;
        for (int64_t k = 0; k < points->count && !there; k++) {
            const point *p = &points->list[k];
            there = p->at[axis] == a->values[j] && (!use || use[k]) && !mmm_derive_held_out(d, p);
            for (int m = 0; f && m < f->count && there; m++)
                there = mmm_term_log(&f->terms[m], p->at, &log);
        }
        values += there;
    }
    return values;
}

/* Whether a size has twice as many values there as the form has functions of it, or more. */
static bool is_rich_in(const point_list *points, const bool *use, int axis, const form *f)
{
    int64_t seen[2 * TERMS], log;
    const int wanted = 2 * mmm_form_functions(f, axis, axis);
    int count = 0;
    for (int64_t k = 0; k < points->count && count < wanted; k++) {
        const int64_t *at = points->list[k].at;
        bool old = use && !use[k];
        for (int j = 0; j < count && !old; j++)
            old = seen[j] == at[axis];
        for (int j = 0; j < f->count && !old; j++)
            old = !mmm_term_log(&f->terms[j], at, &log);
        if (!old) seen[count++] = at[axis];
    }
    return count == wanted;
}

/* How many values the logarithm of a form has, where it has one. */
static int logs_of(const point_list *points, const bool *use, const form *f)
{
    enum { MOST = 8 };
    const term *t = NULL;
    int64_t seen[MOST], log;
    int count = 0;
    for (int i = 0; i < f->count; i++)
        if (f->terms[i].log >= 0) t = &f->terms[i];
    for (int64_t k = 0; t && k < points->count && count < MOST; k++) {
        if ((use && !use[k]) || !mmm_term_log(t, points->list[k].at, &log)) continue;
        bool old = false;
        for (int i = 0; i < count; i++)
            old = old || seen[i] == log;
        if (!old) seen[count++] = log;
    }
    return t ? count : MOST;
}

/* Whether the points have more values of each choice than the form has functions of it: as many would fit anything.
 * On a lattice with few values, as many as functions are enough: conditions will say that there are no others. */
static bool is_rich(const derivation *d, const point_list *points, const bool *use, const form *f)
{
    if (logs_of(points, use, f) <= ENDS) return false;
    for (int i = 0; i < d->axis_count; i++) {
        const derive_axis *a = &d->axes[i];
        if (mmm_derive_only_sizes(d) && !is_rich_in(points, use, i, f)) return false;
        if (a->size || a->other || a->count < 2) continue;
        const int coarse = d->coarse && i == d->coarse_of ? d->real : i; /* is a function of it */
        int values = values_of(d, points, use, i, f), functions = mmm_form_functions(f, i, coarse);
        const bool few = d->few && !d->coarse && !a->exponent && values >= 3 && values <= ENDS;
        if (values == 1 && a->count >= 3) return false; /* a regime that nobody asked for */
        if (values < functions || (values == functions && !few && values > 1)) return false;
    }
    return true;
}

/* Numbers of many digits fit what is no such form. */
static bool is_plain(const form *f)
{
    enum { BITS = 10, LONGEST = 18 };
    double sum = 0;
    for (int i = 0; i < f->count; i++) {
        double bits = log2(fabs((double)f->above[i])), below = log2((double)f->below[i]);
        if (bits > LONGEST || below > LONGEST) return false;
        sum += bits + below;
    }
    return sum <= BITS * (f->count + 1);
}

/* Whether the points do not tell a leading column from others: one that does not lead has it in it. */
static bool is_mixed(const nmod_mat_t a, slong row, slong lead, slong columns)
{
    for (slong j = lead + 1; j < columns; j++)
        if (nmod_mat_entry(a, row, j)) return true;
    return false;
}

/* A solution from the reduced matrix: the coefficients of its leading columns, which are the only ones that do, unless
 * there are few values; what is rounded up is not independent of what is not. */
static void read_solution(const nmod_mat_t a, slong rank, const family *columns, slong right, bool mixed, form *f)
{
    fmpz_t residue, modulus;
    fmpq_t coefficient;
    fmpz_init(residue);
    fmpz_init_set_ui(modulus, prime);
    fmpq_init(coefficient);
    f->count = 0;
    f->found = true;
    for (slong i = 0, lead = 0; i < rank && f->found; i++) {
        while (!nmod_mat_entry(a, i, lead))
            lead++;
        mp_limb_t x = nmod_mat_entry(a, i, right);
        if (!x) continue;
        f->found = lead < columns->count && f->count < MANY && (mixed || !is_mixed(a, i, lead, columns->count));
        if (!f->found) break;
        fmpz_set_ui(residue, x);
        f->terms[f->count] = columns->terms[lead];
        f->found = fmpq_reconstruct_fmpz(coefficient, residue, modulus);
        f->above[f->count] = fmpz_get_si(fmpq_numref(coefficient));
        f->below[f->count++] = fmpz_get_si(fmpq_denref(coefficient));
    }
    fmpz_clear(residue);
    fmpz_clear(modulus);
    fmpq_clear(coefficient);
}

/* Eliminates once for all quantities; a system with too few equations to spare has no solution here. */
static void solve(derivation *d, const family *columns, const point_list *points, const bool *use, form *forms)
{
    nmod_mat_t a;
    nmod_t mod;
    slong rows = 0;
    nmod_init(&mod, prime);
    nmod_mat_init(a, points->count, columns->count + COUNTS, prime);
    for (int64_t i = 0; i < points->count; i++) {
        bool fine = (!use || use[i]) && !mmm_derive_held_out(d, &points->list[i]);
        for (int j = 0; j < columns->count && fine; j++)
            fine = mmm_term_modular(&columns->terms[j], points->list[i].at, d->axis_count, mod,
                                    &nmod_mat_entry(a, rows, j));
        if (!fine) continue;
        for (int j = 0; j < COUNTS; j++) /* what has its form already is a column of zeros */
            nmod_mat_entry(a, rows, columns->count + j) = forms[j].found ? 0 : (mp_limb_t)points->list[i].counted[j];
        rows++;
    }
    for (slong i = rows; i < points->count; i++) /* what a point left out has begun */
        for (slong j = 0; j < columns->count + COUNTS; j++)
            nmod_mat_entry(a, i, j) = 0;
    slong rank = rows >= columns->count + SPARE ? nmod_mat_rref(a) : 0;
    d->spent += 1.4e-9 * (double)rows * columns->count * (double)rank;
    for (int kind = 0; kind < COUNTS && rank; kind++) {
        if (forms[kind].found) continue;
        read_solution(a, rank, columns, columns->count + kind, d->few || d->mixed || d->axis_count > d->real,
                      &forms[kind]);
        forms[kind].found = forms[kind].found && is_plain(&forms[kind]) && is_rich(d, points, use, &forms[kind]) &&
                            verify(d, points, use, (count_kind)kind, &forms[kind]);
    }
    nmod_mat_clear(a);
}

typedef struct request {
    derivation *d;
    const point_list *points;
    const bool *use;
    int most;
    form *forms;
} request;

/* Logarithm number `pair` of those that a family with one is tried with: of an axis, or of a size by a choice. */
static bool choose_log(const request *r, const recipe *k, int pair, family *columns)
{
    const derivation *d = r->d;
    columns->log = columns->under = -1;
    if (!k->logs) return true;
    columns->log = pair / (d->axis_count + 1);
    columns->under = pair % (d->axis_count + 1) - 1;
    if (d->axes[columns->log].other) return false;
    if (columns->under < 0) return true;
    const derive_axis *under = &d->axes[columns->under];
    return d->axes[columns->log].size && !under->size && !under->other;
}

static void solve_family(const request *r, const recipe *k, family *columns)
{
    term t = no_term;
    int missing = 0, chosen = 0;
    for (int j = 0; j < COUNTS; j++)
        missing += !r->forms[j].found;
    for (int i = 0; i < r->d->real; i++)
        chosen += !r->d->axes[i].size && !r->d->axes[i].other && !r->d->axes[i].idle;
    if (!missing || (k->two && chosen != 2)) return;
    columns->count = 0;
    for (int i = 0; i < r->d->axis_count; i++) {
        bool choice = !r->d->axes[i].size && !r->d->axes[i].other;
        int values = choice ? values_of(r->d, r->points, r->use, i, NULL) : 0;
        columns->highest[i] = values > ENDS ? 3 : values == ENDS ? 1 : 0;
    }
    add_terms(r->d, k, columns, &t, 0, 0, 0);
    solve(r->d, columns, r->points, r->use, r->forms);
}

static mmm_status fit(void *context)
{
    mmm_status result = MMM_OK;
    const request *r = context;
    family *columns;
    TRY(mmm_alloc(&columns, 1, sizeof *columns));
    for (int i = 0; i < (int)(sizeof recipes / sizeof *recipes) && i < r->most; i++)
        for (int pair = 0; pair < (recipes[i].logs ? r->d->axis_count * (r->d->axis_count + 1) : 1); pair++)
            if (choose_log(r, &recipes[i], pair, columns)) solve_family(r, &recipes[i], columns);
    mmm_free(columns);
done:
    return result;
}

mmm_status mmm_derive_fit(derivation *d, const point_list *points, const bool *use, int most, form forms[COUNTS])
{
    return mmm_guarded(fit, &(request){.d = d, .points = points, .use = use, .most = most, .forms = forms});
}
