/* SPDX-License-Identifier: Apache-2.0 */
/* The forms on a lattice: on all of its points, else where something small is left out. */
#include "study/derive.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WAYS = 5 };
static const double patience = 8; /* seconds for points that are left out on trial */

/* Leaves out the points at which a product has one of its `drop` least (or largest) values; how many are left. */
static int64_t leave_out(const derivation *d, const point_list *all, const term *t, bool largest, int drop, bool *use)
{
    double bound = largest ? INFINITY : -INFINITY;
    int64_t left = 0;
    for (int i = 0; i < drop; i++) {
        double next = largest ? -INFINITY : INFINITY;
        for (int64_t j = 0; j < all->count; j++) {
            double value = mmm_term_value(t, all->list[j].at, d->axis_count);
            if (largest ? value < bound && value > next : value > bound && value < next) next = value;
        }
        bound = next;
    }
    for (int64_t j = 0; j < all->count; j++) {
        double value = mmm_term_value(t, all->list[j].at, d->axis_count);
        use[j] = largest ? value < bound : value > bound;
        left += use[j];
    }
    return left;
}

/* Where a product is at most, or at least, some number. */
typedef struct part {
    const term *of;
    double bound;
    bool least, chosen; /* chosen: at most, and of choices alone */
    int64_t left;       /* how many points */
} part;

static int64_t cut(const derivation *d, const point_list *all, const part *p, bool *use)
{
    int64_t left = 0;
    for (int64_t i = 0; i < all->count; i++) {
        double value = mmm_term_value(p->of, all->list[i].at, d->axis_count);
        use[i] = p->least ? value >= p->bound : value <= p->bound;
        left += use[i];
    }
    return left;
}

/* One choice not above another first, then large parts. */
static int by_left(const void *x, const void *y)
{
    const part *a = x, *b = y;
    if (a->chosen != b->chosen) return b->chosen - a->chosen;
    if (!a->chosen && a->left != b->left) return a->left < b->left ? 1 : -1;
    return a->of < b->of ? -1 : a->of > b->of ? 1 : a->least - b->least;
}

/* Whether only choices are in a product. */
static bool is_chosen(const derivation *d, const term *t)
{
    for (int i = 0; i < d->axis_count; i++)
        if (t->exponents[i] && (d->axes[i].size || d->axes[i].other)) return false;
    return true;
}

/* The parts that are neither hardly any points nor nearly all, large ones first. */
static int list_parts(const derivation *d, const point_list *all, const term *products, int count, bool *use, part *out)
{
    static const double bounds[WAYS] = {1, 1, 0.5, 2, 2};
    static const bool least[WAYS] = {false, true, false, true, false};
    int parts = 0;
    for (int i = 0; i < WAYS * count; i++) {
        part one = {&products[i / WAYS], bounds[i % WAYS], least[i % WAYS],
                    !least[i % WAYS] && is_chosen(d, &products[i / WAYS]), 0};
        one.left = cut(d, all, &one, use);
        if (5 * one.left > all->count && 20 * one.left < 19 * all->count) out[parts++] = one;
    }
    qsort(out, (size_t)parts, sizeof *out, by_left);
    return parts;
}

/* Where an axis is at most two thirds of what it is at some point. */
static void leave_large(const point_list *all, int axis, bool *use)
{
    int64_t most = 0;
    for (int64_t i = 0; i < all->count; i++)
        if (all->list[i].at[axis] > most) most = all->list[i].at[axis];
    for (int64_t i = 0; i < all->count; i++)
        use[i] = 3 * all->list[i].at[axis] <= 2 * most;
}

/* Whether a choice has none of its `low` least and `high` largest values. */
static void window(const derivation *d, const point_list *all, int axis, int low, int high, bool *use)
{
    const derive_axis *a = &d->axes[axis];
    for (int64_t i = 0; i < all->count; i++)
        use[i] = all->list[i].at[axis] >= a->values[low] && all->list[i].at[axis] <= a->values[a->count - 1 - high];
}

static bool complete(const derivation *d)
{
    bool all = true;
    for (int i = 0; i < COUNTS; i++)
        all = all && d->forms[i].found;
    return all;
}

static void narrow(const bool *regime, int64_t count, bool *use)
{
    for (int64_t i = 0; regime && i < count; i++)
        use[i] = use[i] && regime[i];
}

/* Products without what nothing depends on. */
static int list_products(const derivation *d, term *out, int most)
{
    const int count = mmm_derive_products(d, out, most);
    int kept = 0;
    for (int i = 0; i < count; i++) {
        bool idle = false;
        for (int j = 0; j < d->axis_count; j++)
            idle = idle || (d->axes[j].idle && out[i].exponents[j]);
        if (!idle) out[kept++] = out[i];
    }
    return kept;
}

/* On all points, else inside; where quantities are left, without the points at one end of some product; then with
 * richer families.  Under which conditions a form holds is found later. */
static mmm_status find_in(derivation *d, const bool *regime, bool *use, bool *inner)
{
    mmm_status result = MMM_OK;
    const point_list *all = &d->aligned;
    term products[80];
    part parts[WAYS * 80];
    const int count = list_products(d, products, 80);
    const double until = d->spent + patience;
    const int plain = mmm_derive_exponent(d) ? FIT_TILES : FIT_LOG; /* the families that come first */
    TRY(mmm_derive_fit(d, all, regime, plain, d->forms));
    mmm_derive_inner(d, all, 2, use);
    narrow(regime, all->count, use);
    TRY(mmm_derive_fit(d, all, use, plain, d->forms));
    if (!regime && !d->forms[COUNT_L].found) goto done;            /* there are several regimes */
    for (int i = 0; i < 16 * d->axis_count && !complete(d); i++) { /* a choice away from its ends */
        const derive_axis *a = &d->axes[i / 16];
        if (a->size || a->other || a->count < 7 || i % 16 == 0) continue;
        window(d, all, i / 16, i % 4, i / 4 % 4, use);
        narrow(regime, all->count, use);
        TRY(mmm_derive_fit(d, all, use, plain, d->forms));
    }
    for (int i = 0; i < d->real && d->coarse; i++) { /* sizes that are not large, where blocks copy so many */
        if (!d->axes[i].size) continue;
        leave_large(all, i, use);
        narrow(regime, all->count, use);
        TRY(mmm_derive_fit(d, all, use, plain, d->forms));
    }
    const int part_count = list_parts(d, all, products, count, use, parts);
    for (int i = 0; i < part_count && !complete(d) && d->spent < until; i++) { /* of one kind */
        cut(d, all, &parts[i], use);
        narrow(regime, all->count, use);
        TRY(mmm_derive_fit(d, all, use, plain, d->forms));
        for (int depth = 1; depth <= 2; depth++) {
            mmm_derive_inner(d, all, depth, inner);
            narrow(inner, all->count, use);
            TRY(mmm_derive_fit(d, all, use, plain, d->forms));
        }
    }
    TRY(mmm_derive_fit(d, all, regime, FIT_ALL, d->forms));
    for (int drop = 1; drop <= (d->coarse ? 4 : 3); drop++)
        for (int i = 0; i < 2 * count && !complete(d) && d->spent < until; i++) {
            leave_out(d, all, &products[i / 2], i % 2, drop, use);
            narrow(regime, all->count, use);
            TRY(mmm_derive_fit(d, all, use, FIT_PLAIN, d->forms));
        }
    mmm_derive_inner(d, all, 2, use);
    narrow(regime, all->count, use);
    TRY(mmm_derive_fit(d, all, use, FIT_ALL, d->forms));
done:
    return result;
}

/* More parameters make more terms. */
static int64_t all_points(const derivation *d)
{
    return d->axis_count > 3 ? 1200 : 400;
}

mmm_status mmm_derive_forms(derivation *d)
{
    mmm_status result = MMM_OK;
    bool *use = NULL, *regime = NULL, *inner = NULL;
    TRY(mmm_derive_aligned(d, &d->lattice, all_points(d), &d->aligned));
    TRY(mmm_alloc(&use, d->aligned.count + 1, sizeof *use));
    TRY(mmm_alloc(&regime, d->aligned.count + 1, sizeof *regime));
    TRY(mmm_alloc(&inner, d->aligned.count + 1, sizeof *inner));
    TRY(find_in(d, NULL, use, inner));
    const bool several = !d->forms[COUNT_L].found;
    if (several) {
        memset(d->forms, 0, sizeof d->forms);
        mmm_derive_regime(d, &d->aligned, regime);
        TRY(find_in(d, regime, use, inner));
    }
    d->mixed = true; /* what is left */
    if (!complete(d) && !d->few) TRY(find_in(d, several ? regime : NULL, use, inner));
    d->mixed = false;
done:
    mmm_free(use);
    mmm_free(regime);
    mmm_free(inner);
    return result;
}
