/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of choices and small sizes goes no further than it was tried. */
#include "study/derive.h"

#include <math.h>

/* Whether a condition is one of an axis alone. */
static bool is_alone(const derivation *d, const condition *c, int axis)
{
    bool alone = c->of.exponents[axis] == 1 && c->of.power < 0 && c->shift == SHIFT_NONE;
    for (int i = 0; i < d->real; i++)
        alone = alone && (i == axis || !c->of.exponents[i]);
    return alone;
}

/* The number of a row's condition that says what an axis is at most, or -1. */
static int bound_of(const derivation *d, const row_given *g, int axis)
{
    for (int k = 0; k < g->count; k++)
        if (g->own[k].kind == AT_MOST && is_alone(d, &g->own[k], axis)) return k;
    return -1;
}

/* Bounds of products are no wider than they were tried at the largest value of a choice. */
static void tighten(const derivation *d, const verdicts *v, row_given *g, int axis, double largest)
{
    for (int k = 0; k < g->count; k++) {
        condition *c = &g->own[k];
        double most = 0, least = INFINITY;
        if ((c->kind != AT_MOST && c->kind != AT_LEAST) || is_alone(d, c, axis)) continue;
        for (int64_t i = 0; i < d->diverse.count; i++) {
            const int64_t *at = d->diverse.list[i].at;
            if ((double)at[axis] != largest || !mmm_derive_given(d, v, g, at)) continue;
            const double value = mmm_term_value(&c->of, at, d->axis_count) *
                                 (c->shift == SHIFT_NONE ? 1 : (double)mmm_condition_shifted(c, at));
            most = fmax(most, value);
            least = fmin(least, value);
        }
        if (c->kind == AT_MOST && most >= 1 && floor(most) < c->bound) c->bound = floor(most);
        if (c->kind == AT_LEAST && isfinite(least) && ceil(least) > c->bound) c->bound = ceil(least);
    }
}

/* Whether a row was tried where two choices are that large together. */
static bool is_tried(const derivation *d, const verdicts *v, const row_given *g, const int axes[2],
                     const double bounds[2])
{
    int times = 0;
    for (int64_t i = 0; i < d->diverse.count && times < OFTEN; i++) {
        const int64_t *at = d->diverse.list[i].at;
        times += (double)at[axes[0]] >= bounds[0] && (double)at[axes[1]] >= bounds[1] && mmm_derive_given(d, v, g, at);
    }
    return times == OFTEN;
}

/* The next smaller value of a choice where a row is stated. */
static double next_value(const derivation *d, const verdicts *v, const row_given *g, int axis, double bound)
{
    double next = 0;
    for (int64_t i = 0; i < d->diverse.count; i++) {
        const double value = (double)d->diverse.list[i].at[axis];
        if (value < bound && value > next && mmm_derive_given(d, v, g, d->diverse.list[i].at)) next = value;
    }
    return next;
}

/* Of two such bounds the larger is lowered until there are points for both together: alone they say nothing of that.
 * What has the lattice's grain has its own. */
static void bound_together(const derivation *d, const verdicts *v, row_given *g, int first, const int *axes)
{
    for (int i = first; i < g->count; i++)
        for (int j = first; j < i; j++) {
            const int pair[2] = {axes[i - first], axes[j - first]};
            if (pair[0] == d->lattice.grained || pair[1] == d->lattice.grained) continue;
            if (d->axes[pair[0]].size || d->axes[pair[1]].size) continue;
            for (;;) {
                const double bounds[2] = {g->own[i].bound, g->own[j].bound};
                const int larger = bounds[1] > bounds[0];
                const double next = next_value(d, v, g, pair[larger], bounds[larger]);
                if (next <= 0 || is_tried(d, v, g, pair, bounds)) break;
                g->own[larger ? j : i].bound = next;
            }
        }
}

enum { MANY = 1024 }; /* what holds up to here is bounded no more */

/* The largest value of an axis, below `below`, at which and above which a row was tried some times. */
static double tried(const derivation *d, const verdicts *v, const row_given *g, int axis, double below)
{
    double bound = 0;
    for (int64_t i = 0; i < d->diverse.count; i++) {
        const double value = (double)d->diverse.list[i].at[axis];
        int64_t times = 0;
        if (value <= bound || value >= below || !mmm_derive_given(d, v, g, d->diverse.list[i].at)) continue;
        for (int64_t j = 0; j < d->diverse.count && times < OFTEN; j++) {
            const double other = (double)d->diverse.list[j].at[axis];
            times += other >= value && other < below && mmm_derive_given(d, v, g, d->diverse.list[j].at);
        }
        if (times == OFTEN) bound = value;
    }
    return bound;
}

/* Where choices have few values nothing is said of larger ones than a row was tried at, some times; nor of larger sizes
 * on a lattice of the record, where they are small. */
void mmm_derive_bound(const derivation *d, verdicts *v, int row)
{
    row_given *g = &v->rows[row];
    const int first = g->count;
    int axes[AXES] = {0};
    for (int axis = 0; axis < d->real && g->count < CONDITIONS; axis++) {
        condition c = {.kind = AT_MOST, .of = no_term, .bound = 0};
        const bool bounded = (d->axes[axis].size && !d->coarse) || d->axes[axis].other;
        if (!bounded && bound_of(d, g, axis) < 0) c.bound = tried(d, v, g, axis, INFINITY);
        c.of.exponents[axis] = 1;
        if (!(c.bound > 0 && c.bound < MANY && d->axes[axis].most > (int64_t)c.bound)) continue;
        if (!d->axes[axis].size) tighten(d, v, g, axis, c.bound);
        axes[g->count - first] = axis;
        g->own[g->count++] = c;
    }
    bound_together(d, v, g, first, axes);
}

/* ---- Sizes that are larger ------------------------------------------------------------------------------------------
 */

/* What a row says a choice is at most, or 0. */
static double choice_bound(const derivation *d, const row_given *g, int axis)
{
    const int k = d->axes[axis].size ? -1 : bound_of(d, g, axis);
    return k < 0 ? 0 : g->own[k].bound;
}

/* Some jobs of larger sizes that a row speaks of but for their bound, which the caller has taken away: multiples of
 * such as are there, some where each choice is as large as it may be. */
static mmm_status draw_larger(derivation *d, const verdicts *v, const row_given *g, double bound)
{
    enum { TRIES = 16, LARGEST = MANY + MANY / 2 };
    mmm_status result = MMM_OK;
    const int64_t count = d->diverse.count;
    for (int tries = 0; tries < TRIES * d->real && d->spent < d->until; tries++) {
        const int axis = tries % d->real;
        const double large = choice_bound(d, g, axis), least = tries / d->real % 2 ? bound : MANY;
        const double most = least < MANY ? MANY : LARGEST;
        point p = {0};
        int64_t seen = 0;
        if (axis && large <= 0) continue;
        if (is_tried(d, v, g, (const int[2]){0, axis}, (const double[2]){MANY, large})) continue;
        for (int64_t i = 0; i < count; i++) {
            point other = d->diverse.list[i];
            const int64_t unit = mmm_derive_unit(d, &d->lattice, other.at);
            if ((double)other.at[axis] < large || unit < 1 || (double)unit > most) continue;
            other.at[0] = unit * (1 + mmm_derive_draw(d, (int64_t)most / unit));
            if ((double)other.at[0] > least && mmm_derive_given(d, v, g, other.at) && !mmm_derive_draw(d, ++seen))
                p = other;
        }
        d->dear_count = 0; /* these few may take long */
        if (seen) TRY(mmm_derive_take(d, &p, &d->diverse));
    }
done:
    return result;
}

typedef struct larger {
    const derivation *d;
    const verdicts *v;
    int row;
    double wrong; /* the least size at which the row fails */
} larger;

static mmm_status judge(void *context)
{
    larger *x = context;
    for (int64_t i = 0; i < x->d->diverse.count; i++) {
        const point *p = &x->d->diverse.list[i];
        if (mmm_derive_given(x->d, x->v, &x->v->rows[x->row], p->at) &&
            !mmm_row_holds(x->d->forms, p, x->d->axis_count, x->row))
            x->wrong = fmin(x->wrong, (double)p->at[0]);
    }
    return MMM_OK;
}

/* Whether a row was tried at sizes that large where each choice is as large as it says. */
static bool is_tried_with_all(const derivation *d, const verdicts *v, const row_given *g, double size)
{
    for (int axis = 1; axis < d->real; axis++) {
        const double large = choice_bound(d, g, axis);
        if (large > 0 && !is_tried(d, v, g, (const int[2]){0, axis}, (const double[2]){size, large})) return false;
    }
    return true;
}

/* Jobs on a lattice of the record are small while there are many; some that are larger, and the bounds of sizes go as
 * far as these were what a row says. */
mmm_status mmm_derive_enlarge(derivation *d, verdicts *v)
{
    static const double each = 4, all = 10; /* about seconds */
    mmm_status result = MMM_OK;
    const double end = d->spent + all;
    for (int row = 0; row < ROWS; row++) {
        row_given *g = &v->rows[row];
        if (!mmm_row_found(d->forms, row) || !g->enough || !d->axes[0].size || bound_of(d, g, 0) < 0) continue;
        condition *c = &g->own[bound_of(d, g, 0)];
        const double bound = c->bound;
        larger x = {d, v, row, INFINITY};
        c->bound = INFINITY;
        d->until = fmin(end, d->spent + each);
        TRY(draw_larger(d, v, g, bound));
        TRY(mmm_guarded(judge, &x));
        double next = tried(d, v, g, 0, x.wrong);
        while (next > bound && !is_tried_with_all(d, v, g, next < MANY ? next : MANY))
            next = next_value(d, v, g, 0, next);
        c->bound = fmax(bound, next);
        if (next >= MANY && x.wrong == INFINITY) *c = g->own[--g->count];
    }
done:
    return result;
}

/* ---- Ranges of choices ----------------------------------------------------------------------------------------------
 */

void mmm_derive_ranges(derivation *d, const verdicts *v, const row_given *g)
{
    const condition *const lists[] = {v->rest, g->own};
    const int counts[] = {v->rest_count, g->count};
    for (int axis = 0; axis < d->real; axis++) {
        derive_axis *a = &d->axes[axis];
        a->low = a->least;
        a->high = a->most;
        for (int list = 0; list < 2; list++)
            for (int k = 0; k < counts[list]; k++) {
                const condition *c = &lists[list][k];
                if (!is_alone(d, c, axis)) continue;
                if (c->kind == AT_LEAST && c->bound > (double)a->low) a->low = (int64_t)ceil(c->bound);
                if (c->kind == AT_MOST && c->bound < (double)a->high) a->high = (int64_t)c->bound;
            }
    }
}
