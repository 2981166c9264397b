/* SPDX-License-Identifier: Apache-2.0 */
/* The form of a quantity: the simplest products of powers, logarithms and powers of two whose combination over Q gives
 * every count.  The columns stand in order of their simplicity, so that elimination takes the simple ones first. */
#include "study/derive.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 420, SPARE = 12, MANY = 14 };       /* a form of more terms is more likely an accident */
static const mp_limb_t prime = 2305843009213693951u; /* 2^61 - 1 */

/* ---- Terms --------------------------------------------------------------------------------------------------------
 */

typedef struct family {
    term terms[COLUMNS];
    int weights[COLUMNS];
    int count;
    int log, under; /* whose logarithm is in it, or -1 */
} family;

/* What a family has in it. */
typedef struct recipe {
    int degree;       /* of the sizes together */
    int each, all;    /* of the choices, one and together, either sign */
    bool power, logs; /* 2^choice, log2 */
    bool tiles; /* few: 2^s counts of s bits in tiles of l words are 2^s/l, 2^s/l^2, these by s, and what has none */
} recipe;

static const recipe recipes[] = {
    {.degree = 1, .each = 1, .all = 1},
    {.degree = 2, .each = 2, .all = 2},
    {.degree = 2, .each = 2, .all = 3},
    {.degree = 1, .each = 1, .all = 1, .logs = true},
    {.degree = 1, .each = 2, .all = 2, .logs = true},
    {.degree = 1, .each = 2, .all = 3, .power = true, .tiles = true},
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
static bool is_tile(const derivation *d, const term *t, int power)
{
    for (int i = 0; i < d->axis_count; i++) {
        const signed char e = t->exponents[i];
        int least = power < 0 ? -1 : i == power ? -1 : -2, most = power < 0 ? 1 : i == power ? 0 : -1;
        if (!d->axes[i].size && !d->axes[i].other && (e < least || e > most)) return false;
    }
    return true;
}

static void add_terms(const derivation *d, const recipe *k, family *f, term *t, int at, int degree, int all)
{
    if (at == d->axis_count) {
        int weight = 2 * degree + 2 * all;
        for (int i = 0; i < d->axis_count; i++) /* a quotient that is rounded is not simpler than one that is not */
            if (d->axes[i].rounded) weight += 3 * t->exponents[i];
        if (!k->tiles || is_tile(d, t, -1)) add_column(f, t, weight);
        for (int i = 0; i < d->axis_count && k->power; i++)
            if (d->axes[i].exponent && (!k->tiles || is_tile(d, t, i))) {
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
    for (int e = size || other ? 0 : -k->each; e <= (size ? k->degree : other ? 1 : k->each); e++) {
        int more_degree = degree + (size ? e : 0), more = all + (size || other ? 0 : abs(e));
        if (more_degree > k->degree || more > k->all) continue;
        t->exponents[at] = (signed char)e;
        add_terms(d, k, f, t, at + 1, more_degree, more);
    }
    t->exponents[at] = 0;
}

double mmm_term_value(const term *t, const int64_t *at, int axes)
{
    double value = 1;
    for (int i = 0; i < axes; i++)
        value *= pow((double)at[i], t->exponents[i]);
    if (t->power >= 0) value *= pow(2, (double)at[t->power]);
    if (t->log >= 0) value *= log2((double)at[t->log] / (t->under >= 0 ? (double)at[t->under] : 1));
    return value;
}

/* The logarithm of the term, where it is whole. */
static bool whole_log(const term *t, const int64_t *at, int64_t *out)
{
    int64_t under = t->under >= 0 ? at[t->under] : 1, x;
    *out = 0;
    if (t->log < 0) return true;
    if (under <= 0 || at[t->log] <= 0 || at[t->log] % under) return false;
    for (x = at[t->log] / under; x > 1 && x % 2 == 0; x /= 2)
        ++*out;
    return x == 1;
}

/* False where the term has no rational value there. */
static bool term_modular(const term *t, const int64_t *at, int axes, nmod_t mod, mp_limb_t *out)
{
    mp_limb_t value = 1;
    int64_t log;
    if (!whole_log(t, at, &log)) return false;
    for (int i = 0; i < axes; i++) {
        if (!t->exponents[i]) continue;
        if (at[i] < 0 || (at[i] == 0 && t->exponents[i] < 0)) return false;
        mp_limb_t factor = nmod_pow_ui((mp_limb_t)at[i], (ulong)abs(t->exponents[i]), mod);
        value = nmod_mul(value, t->exponents[i] < 0 ? nmod_inv(factor, mod) : factor, mod);
    }
    if (t->power >= 0) value = nmod_mul(value, nmod_pow_ui(2, (ulong)at[t->power], mod), mod);
    if (t->log >= 0) value = nmod_mul(value, (mp_limb_t)log, mod);
    *out = value;
    return true;
}

static bool term_exact(const term *t, const int64_t *at, int axes, fmpq_t out)
{
    fmpz_t power;
    fmpz_init(power);
    fmpq_one(out);
    int64_t log;
    bool fine = whole_log(t, at, &log);
    for (int i = 0; i < axes && fine; i++) {
        if (!t->exponents[i]) continue;
        fine = at[i] > 0 || (at[i] == 0 && t->exponents[i] > 0);
        fmpz_set_si(power, at[i]);
        fmpz_pow_ui(power, power, (ulong)abs(t->exponents[i]));
        if (fine && t->exponents[i] > 0) fmpq_mul_fmpz(out, out, power);
        if (fine && t->exponents[i] < 0) fmpq_div_fmpz(out, out, power);
    }
    if (fine && t->power >= 0) fmpz_one_2exp(power, (ulong)at[t->power]), fmpq_mul_fmpz(out, out, power);
    if (fine && t->log >= 0) fmpz_set_si(power, log), fmpq_mul_fmpz(out, out, power);
    fmpz_clear(power);
    return fine;
}

static bool form_holds(const form *f, const point *p, int axes, count_kind kind)
{
    fmpq_t sum, value, coefficient;
    bool fine = f->found;
    fmpq_init(coefficient);
    fmpq_init(sum);
    fmpq_init(value);
    for (int i = 0; i < f->count && fine; i++) {
        fine = term_exact(&f->terms[i], p->at, axes, value);
        fmpq_set_si(coefficient, f->above[i], (ulong)f->below[i]);
        fmpq_addmul(sum, value, coefficient);
    }
    fmpq_set_si(value, p->counted[kind], 1);
    fine = fine && fmpq_equal(sum, value);
    fmpq_clear(sum);
    fmpq_clear(value);
    fmpq_clear(coefficient);
    return fine;
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
            asked = asked && whole_log(&f->terms[j], points->list[i].at, &log);
        if (asked && !form_holds(f, &points->list[i], d->axis_count, kind)) return false;
    }
    return true;
}

/* How many functions of a choice the form has in it. */
static int functions_of(const form *f, int axis)
{
    int count = 0;
    for (int i = 0; i < f->count; i++) {
        bool seen = false;
        const term *t = &f->terms[i];
        for (int j = 0; j < i && !seen; j++) {
            const term *o = &f->terms[j];
            seen = o->exponents[axis] == t->exponents[axis] && (o->power == axis) == (t->power == axis) &&
                   (o->log == axis) == (t->log == axis) && (o->under == axis) == (t->under == axis);
        }
        count += !seen;
    }
    return count;
}

/* Whether the points have more values of each choice than the form has functions of it: as many would fit anything. */
static bool is_rich(const derivation *d, const point_list *points, const bool *use, const form *f)
{
    for (int i = 0; i < d->axis_count; i++) {
        const derive_axis *a = &d->axes[i];
        int values = 0;
        if (a->size || a->other) continue;
        for (int j = 0; j < a->count; j++) {
            bool there = false;
            int64_t log;
            for (int64_t k = 0; k < points->count && !there; k++) {
                const point *p = &points->list[k];
                there = p->at[i] == a->values[j] && (!use || use[k]) && !mmm_derive_held_out(d, p);
                for (int m = 0; m < f->count && there; m++)
                    there = whole_log(&f->terms[m], p->at, &log);
            }
            values += there;
        }
        if (a->count > 1 && values <= functions_of(f, i)) return false;
    }
    return true;
}

/* A solution from the reduced matrix: the coefficients of its leading columns. */
static void read_solution(const nmod_mat_t a, slong rank, const family *columns, slong right, form *f)
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
        f->found = lead < columns->count && f->count < MANY;
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
static void solve(const derivation *d, const family *columns, const point_list *points, const bool *use, form *forms)
{
    nmod_mat_t a;
    nmod_t mod;
    slong rows = 0;
    nmod_init(&mod, prime);
    nmod_mat_init(a, points->count, columns->count + COUNTS, prime);
    for (int64_t i = 0; i < points->count; i++) {
        bool fine = (!use || use[i]) && !mmm_derive_held_out(d, &points->list[i]);
        for (int j = 0; j < columns->count && fine; j++)
            fine =
                term_modular(&columns->terms[j], points->list[i].at, d->axis_count, mod, &nmod_mat_entry(a, rows, j));
        if (!fine) continue;
        for (int j = 0; j < COUNTS; j++) /* what has its form already is a column of zeros */
            nmod_mat_entry(a, rows, columns->count + j) = forms[j].found ? 0 : (mp_limb_t)points->list[i].counted[j];
        rows++;
    }
    for (slong i = rows; i < points->count; i++) /* what a point left out has begun */
        for (slong j = 0; j < columns->count + COUNTS; j++)
            nmod_mat_entry(a, i, j) = 0;
    slong rank = rows >= columns->count + SPARE ? nmod_mat_rref(a) : 0;
    for (int kind = 0; kind < COUNTS && rank; kind++) {
        if (forms[kind].found) continue;
        read_solution(a, rank, columns, columns->count + kind, &forms[kind]);
        forms[kind].found = forms[kind].found && is_rich(d, points, use, &forms[kind]) &&
                            verify(d, points, use, (count_kind)kind, &forms[kind]);
    }
    nmod_mat_clear(a);
}

typedef struct request {
    const derivation *d;
    const point_list *points;
    const bool *use;
    int most;
    form *forms;
    count_kind kind;
    bool *holds;
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
    int missing = 0;
    for (int j = 0; j < COUNTS; j++)
        missing += !r->forms[j].found;
    if (!missing) return;
    columns->count = 0;
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

mmm_status mmm_derive_fit(const derivation *d, const point_list *points, const bool *use, int most, form forms[COUNTS])
{
    return mmm_guarded(fit, &(request){.d = d, .points = points, .use = use, .most = most, .forms = forms});
}

static mmm_status check(void *context)
{
    const request *r = context;
    for (int64_t i = 0; i < r->points->count; i++)
        r->holds[i] = form_holds(r->forms, &r->points->list[i], r->d->axis_count, r->kind);
    return MMM_OK;
}

mmm_status mmm_form_check(const form *f, const derivation *d, const point_list *points, count_kind kind, bool *holds)
{
    form copy = *f;
    return mmm_guarded(check, &(request){.d = d, .points = points, .forms = &copy, .kind = kind, .holds = holds});
}

/* ---- Text ---------------------------------------------------------------------------------------------------------
 */

static mmm_status term_text(const derivation *d, const term *t, mmm_text *out)
{
    mmm_status result = MMM_OK;
    for (int i = 0; i < d->axis_count; i++)
        if (t->exponents[i]) TRY(mmm_text_add(out, "*%s^(%d)", d->axes[i].name, t->exponents[i]));
    if (t->power >= 0) TRY(mmm_text_add(out, "*2^%s", d->axes[t->power].name));
    if (t->log >= 0)
        TRY(mmm_text_add(out, "*log2(%s%s%s)", d->axes[t->log].name, t->under >= 0 ? "/" : "",
                         t->under >= 0 ? d->axes[t->under].name : ""));
done:
    return result;
}

mmm_status mmm_form_text(const derivation *d, const form *f, const char *factor, mmm_text *out)
{
    mmm_status result = MMM_OK;
    TRY(mmm_text_add(out, "%s(0", factor));
    for (int i = 0; i < f->count; i++) {
        TRY(mmm_text_add(out, " + (%lld/%lld)", (long long)f->above[i], (long long)f->below[i]));
        TRY(term_text(d, &f->terms[i], out));
    }
    TRY(mmm_text_add(out, ")"));
done:
    return result;
}
