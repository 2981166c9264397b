/* SPDX-License-Identifier: Apache-2.0 */
/* Points that satisfy conditions, from anywhere: without regard to where forms were found. */
#include "study/derive.h"

enum { TRIES = 20000, LARGE = 1024, NEAR = 24 };

/* How the coordinates of a point go together. */
typedef struct style {
    bool powers;    /* choices are powers of two */
    int64_t factor; /* of all sizes */
    int shift;      /* the first size has another size, or a choice, less 1 added (1) or taken off (2) */
} style;

/* A choice: small, a power of two, many of 64, its least or largest value, or what derivations take; or any at all. */
static int64_t any_choice(derivation *d, const derive_axis *a, bool powers)
{
    if (d->odd) {
        const int64_t most = mmm_derive_draw(d, 2) ? LARGE : LARGE / 8, range = a->high - a->low + 1;
        return range > 0 ? a->low + mmm_derive_draw(d, range < most ? range : most) : a->low;
    }
    switch (mmm_derive_draw(d, 6)) {
    case 0: return a->least;
    case 1: return a->most < LARGE ? a->most : LARGE;
    case 2: return (int64_t)1 << mmm_derive_draw(d, 11);
    case 3: return powers ? (int64_t)1 << mmm_derive_draw(d, 5) : 64 * (1 + mmm_derive_draw(d, 16));
    case 4: return powers ? (int64_t)64 << mmm_derive_draw(d, 5) : 1 + mmm_derive_draw(d, 16);
    default: return powers ? (int64_t)1 << mmm_derive_draw(d, 5) : a->values[mmm_derive_draw(d, a->count)];
    }
}

/* A size: any, or a multiple of some choices and a round number. */
static int64_t any_size(derivation *d, const point *p, const style *y)
{
    int64_t unit = y->factor;
    if (mmm_derive_draw(d, 6) == 0) return 1 + mmm_derive_draw(d, 300);
    for (int i = 0; i < d->real; i++)
        if (!d->axes[i].size && mmm_derive_draw(d, 2) && p->at[i] > 0 && unit % p->at[i] && unit < 10000)
            unit *= p->at[i];
    return unit * (mmm_derive_draw(d, 3) ? 1 + mmm_derive_draw(d, 12) : (int64_t)1 << mmm_derive_draw(d, 8));
}

/* From the last parameter to the first, each is such that what is said of those that have a value holds: a choice is
 * drawn again, a size is looked for near what was drawn. */
static bool draw_any(derivation *d, derive_part *part, const void *context, point *p)
{
    static const int64_t factors[] = {1, 1, 2, 4, 16, 256, 256};
    const style y = {mmm_derive_draw(d, 2), factors[mmm_derive_draw(d, 7)], (int)mmm_derive_draw(d, 4)};
    const int other = d->sizes > 1 && mmm_derive_draw(d, 2) ? 1 : (int)mmm_derive_draw(d, d->real);
    bool there = true;
    for (int i = d->real - 1; i >= 0 && there; i--) { /* choices stand behind the sizes */
        const bool size = d->axes[i].size;
        if (size) p->at[i] = any_size(d, p, &y);
        if (i == 0 && size && other && y.shift == 1) p->at[i] += p->at[other] - 1;
        if (i == 0 && size && other && y.shift == 2) p->at[i] -= p->at[other] - 1;
        there = false;
        for (int step = 0; step < (size ? 2 * NEAR : 8) && !there; step++) { /* by 0, 1, -1, 2, -2, ... in all */
            if (!size) p->at[i] = any_choice(d, &d->axes[i], y.powers);
            if (size) p->at[i] += step % 2 ? step : -step;
            there = part(d, context, p->at, i);
        }
    }
    return there;
}

mmm_status mmm_derive_anywhere(derivation *d, derive_part *part, const void *context, int64_t wanted, point_list *out)
{
    mmm_status result = MMM_OK;
    for (int64_t tries = 0; tries < TRIES && out->count < wanted && d->spent < d->until; tries++) {
        point p = {0};
        d->spent += 1e-5;
        if (!draw_any(d, part, context, &p) || (mmm_derive_dear(d, &p) && mmm_derive_draw(d, 3))) continue;
        if (mmm_derive_small(d, &p)) TRY(mmm_derive_take(d, &p, out));
    }
done:
    return result;
}
