/* SPDX-License-Identifier: Apache-2.0 */
/* Points where a form may fail: of all kinds, and next to points where it holds. */
#include "study/derive.h"

#include <stdlib.h>

enum { TRIES = 60, NEAR_TRIES = 600, LEAST = 16 };

/* Now and then a choice far above those that forms are found from, which may be a case of its own. */
static void draw_large(derivation *d, point *p)
{
    static const int64_t large[] = {20, 24, 32, 33, 48, 64, 100};
    for (int i = 0; i < d->real; i++) {
        const derive_axis *a = &d->axes[i];
        int64_t value = large[mmm_derive_draw(d, sizeof large / sizeof *large)];
        if (!a->size && !a->other && !a->exponent && value <= a->most && value >= a->least && !mmm_derive_draw(d, 10))
            p->at[i] = value;
    }
}

/* Points of all kinds: next to aligned ones, of weaker lattices, and anywhere near the least sizes. */
mmm_status mmm_derive_diverse(derivation *d, int64_t wanted, point_list *out)
{
    mmm_status result = MMM_OK;
    mmm_derive_values(d, &d->lattice);
    for (int i = 0; i < LEAST; i++) { /* the least sizes, at which there may be nothing to do */
        point p = {0};
        if (!mmm_derive_choices(d, &d->lattice, i % 2, &p) || !mmm_derive_sizes(d, &d->lattice, true, true, &p))
            continue;
        for (int j = 0; j < d->real; j++)
            if (d->axes[j].size) p.at[j] = d->axes[j].least + mmm_derive_draw(d, 1 + i / 8);
        TRY(mmm_derive_take(d, &p, out));
    }
    for (int64_t tries = 0; out->count < wanted && tries < TRIES * wanted && d->spent < d->until; tries++) {
        point p = {0};
        bool fine = true, powers = mmm_derive_draw(d, 3) == 0;
        point_lattice weak = d->lattice;
        int64_t way = mmm_derive_draw(d, 4);
        if (!mmm_derive_choices(d, &d->lattice, powers, &p)) continue;
        draw_large(d, &p);
        if (way >= 2 && !weak.grain) weak.level = (int)mmm_derive_draw(d, d->lattice.level + 1);
        fine = mmm_derive_sizes(d, &weak, powers, mmm_derive_draw(d, 2), &p);
        if (way == 1 && d->sizes) { /* one size off its place */
            int i = (int)mmm_derive_draw(d, d->real);
            int64_t by = mmm_derive_draw(d, 2) ? 1 : 4 * mmm_derive_largest(d, &p);
            if (d->axes[i].size) p.at[i] += (mmm_derive_draw(d, 7) - 3) * by;
        }
        for (int i = 0; i < d->real; i++)
            if (d->axes[i].other && mmm_derive_draw(d, 3) == 0) p.at[i] += mmm_derive_draw(d, 5);
        for (int i = 0; i < d->real && way == 0; i++)
            if (d->axes[i].size) p.at[i] = d->axes[i].least + mmm_derive_draw(d, 40), fine = true;
        if (d->sizes > 1 && mmm_derive_draw(d, 8) == 0) { /* the smaller one first */
            int64_t first = p.at[0];
            p.at[0] = p.at[1];
            p.at[1] = first;
        }
        if (fine && mmm_derive_in_range(d, &p, INT64_MAX)) TRY(mmm_derive_take(d, &p, out));
    }
done:
    return result;
}

/* ---- Near others ----------------------------------------------------------------------------------------------------
 */

/* A distance: 1, a choice, a product of two, or threads of a block. */
static int64_t draw_step(derivation *d, const point *p)
{
    static const int64_t steps[] = {1, 1, 2, 8, 16, 32, 64, 256};
    int64_t step = mmm_derive_draw(d, 2) ? steps[mmm_derive_draw(d, sizeof steps / sizeof *steps)] : 1;
    for (int factors = (int)mmm_derive_draw(d, 3); factors > 0; factors--) {
        int i = (int)mmm_derive_draw(d, d->real);
        if (!d->axes[i].size && p->at[i] < 4096) step *= p->at[i];
    }
    return step;
}

/* One coordinate otherwise: a step away, twice or half as much, as much as another, or anything small. */
static void change(derivation *d, point *p)
{
    int i = (int)mmm_derive_draw(d, d->real), j = (int)mmm_derive_draw(d, d->real);
    const int64_t factor = 2 + mmm_derive_draw(d, 2);
    switch (mmm_derive_draw(d, 7)) {
    case 0: p->at[i] *= factor; break;
    case 1: p->at[i] /= factor; break;
    case 2: p->at[i] = p->at[j] * (1 + mmm_derive_draw(d, 4)); break;
    case 3: p->at[i] = d->axes[i].least + mmm_derive_draw(d, d->axes[i].size ? 200 : 20); break;
    case 4: /* together, so that quotients stay */
        p->at[i] *= factor;
        if (i != j) p->at[j] *= factor;
        break;
    default: p->at[i] += (mmm_derive_draw(d, 7) - 3) * draw_step(d, p);
    }
    for (i = 0; i < d->real; i++) /* where something depends on it the job is of another kind: some are enough */
        if (d->axes[i].idle && mmm_derive_draw(d, 4))
            p->at[i] = d->axes[i].values[mmm_derive_draw(d, d->axes[i].count)];
}

bool mmm_derive_small(const derivation *d, const point *p)
{
    const int64_t most = mmm_derive_area(d, &d->lattice);
    int64_t area = 1, cap = d->lattice.own              ? 2 * DERIVE_OWN
                            : d->sizes > 1              ? most / 50
                            : d->lattice.level == POWER ? 24000
                            : d->settled                ? d->cap
                                                        : 2 * d->cap;
    for (int i = 0; i < d->real; i++)
        if (d->axes[i].size && __builtin_mul_overflow(area, p->at[i], &area)) return false;
    return (d->sizes == 1 || area <= most) && mmm_derive_in_range(d, p, cap);
}

bool mmm_derive_dear(const derivation *d, const point *p)
{
    double area = 1;
    for (int i = 0; i < d->real; i++)
        if (d->axes[i].size) area *= (double)p->at[i];
    return d->sizes > 1 ? 4 * area > (double)mmm_derive_area(d, &d->lattice) : area > 6000;
}

/* Where choices have few values, large ones make large jobs, of which there are few: of some points that with the
 * largest value of a choice. */
static int64_t larger_one(derivation *d, const point_list *from, const bool *use, int64_t count, int64_t base)
{
    enum { SOME = 6 };
    const int axis = (int)mmm_derive_draw(d, d->real);
    for (int i = 0; i < SOME && !d->axes[axis].size; i++) {
        const int64_t other = mmm_derive_draw(d, count);
        if (use[other] && from->list[other].at[axis] > from->list[base].at[axis]) base = other;
    }
    return base;
}

mmm_status mmm_derive_near(derivation *d, const point_list *from, const bool *use, derive_filter *filter,
                           const void *context, int64_t wanted, point_list *out)
{
    mmm_status result = MMM_OK;
    const int64_t count = from->count,
                  most = NEAR_TRIES * (wanted - out->count); /* they may be one list, which grows */
    for (int64_t tries = 0; out->count < wanted && tries < most && d->spent < d->until; tries++) {
        int64_t base = mmm_derive_draw(d, count ? count : 1);
        if (!count || (use && !use[base])) continue;
        if (d->few && use) base = larger_one(d, from, use, count, base);
        point p = from->list[base];
        for (int64_t changes = 1 + mmm_derive_draw(d, 3); changes > 0; changes--)
            change(d, &p);
        if (mmm_derive_dear(d, &p) && mmm_derive_draw(d, 3)) continue; /* two cheap ones tell more */
        if (mmm_derive_small(d, &p) && (!filter || filter(d, context, p.at))) TRY(mmm_derive_take(d, &p, out));
    }
done:
    return result;
}
