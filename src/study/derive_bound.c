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
static bool is_tried(const derivation *d, const verdicts *v, const row_given *g, const int axes[2], const double bounds[2])
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

/* Where choices have few values nothing is said of larger ones than a row was tried at, some times; nor of larger sizes
 * on a lattice of the record, where they are small. */
void mmm_derive_bound(const derivation *d, verdicts *v, int row)
{
    enum { MANY = 1024 };
    row_given *g = &v->rows[row];
    const int first = g->count;
    int axes[AXES] = {0};
    for (int axis = 0; axis < d->real && g->count < CONDITIONS; axis++) {
        condition c = {.kind = AT_MOST, .of = no_term, .bound = 0};
        bool bounded = (d->axes[axis].size && !d->coarse) || d->axes[axis].other;
        for (int k = 0; k < g->count; k++)
            bounded = bounded || (g->own[k].kind == AT_MOST && is_alone(d, &g->own[k], axis));
        for (int64_t i = 0; i < d->diverse.count && !bounded; i++) {
            const int64_t value = d->diverse.list[i].at[axis];
            int64_t times = 0;
            if ((double)value <= c.bound || !mmm_derive_given(d, v, g, d->diverse.list[i].at)) continue;
            for (int64_t j = 0; j < d->diverse.count && times < OFTEN; j++)
                times += d->diverse.list[j].at[axis] >= value && mmm_derive_given(d, v, g, d->diverse.list[j].at);
            if (times == OFTEN) c.bound = (double)value;
        }
        c.of.exponents[axis] = 1;
        if (!(c.bound > 0 && c.bound < MANY && d->axes[axis].most > (int64_t)c.bound)) continue;
        if (!d->axes[axis].size) tighten(d, v, g, axis, c.bound);
        axes[g->count - first] = axis;
        g->own[g->count++] = c;
    }
    bound_together(d, v, g, first, axes);
}
