/* SPDX-License-Identifier: Apache-2.0 */
/* Where points are drawn: the lattice of sizes on which the forms are simplest. */
#include "study/derive.h"

#include <math.h>

static const double own_time = 6; /* about seconds, for points of a lattice of the record */
/* Judgements: of a quantity without a form; that most have one, also where a choice is large; that hardly any has. */
enum { MISSING = 20, GOOD = 4 * MISSING, GOOD_GRAINED = GOOD + 5, POOR = 5 * MISSING };

/* How many points tell lattices apart: more parameters make more terms. */
static int64_t quick_points(const derivation *d, const point_lattice *lattice)
{
    return mmm_derive_only_sizes(d) ? 48
           : lattice->own           ? d->sizes > 1 ? 100 : 70
           : lattice->grain         ? 200
           : d->axis_count > 3      ? 320
                                    : 160;
}

/* Points at which no choice has one of its `depth` least values, where much is otherwise. */
int64_t mmm_derive_inner(const derivation *d, const point_list *points, int depth, bool *use)
{
    int64_t left = 0;
    for (int64_t i = 0; i < points->count; i++) {
        use[i] = true;
        for (int j = 0; j < d->axis_count; j++) {
            const derive_axis *a = &d->axes[j];
            if (!a->size && !a->other && a->count > 4 && points->list[i].at[j] <= a->values[depth - 1]) use[i] = false;
        }
        left += use[i];
    }
    return left;
}

bool mmm_derive_exponent(const derivation *d)
{
    for (int i = 0; i < d->axis_count; i++)
        if (d->axes[i].exponent) return true;
    return false;
}

/* The points of the regime that most are in: where L is one number, or one number times one product. */
void mmm_derive_regime(const derivation *d, const point_list *all, bool *use)
{
    term products[81] = {no_term};
    int count = 1 + mmm_derive_products(d, products + 1, 80), most = 0;
    term best = products[0];
    double number = 0;
    for (int i = 0; i < count; i++) {
        for (int64_t j = 0; j < all->count && j < 60; j++) {
            double own =
                (double)all->list[j].counted[COUNT_L] / mmm_term_value(&products[i], all->list[j].at, d->axis_count);
            int votes = 0;
            for (int64_t k = 0; k < all->count; k++) {
                double other = (double)all->list[k].counted[COUNT_L] /
                               mmm_term_value(&products[i], all->list[k].at, d->axis_count);
                votes += fabs(own - other) < 1e-9 * own;
            }
            if (votes > most) most = votes, best = products[i], number = own;
        }
    }
    for (int64_t k = 0; k < all->count; k++)
        use[k] = fabs((double)all->list[k].counted[COUNT_L] -
                      number * mmm_term_value(&best, all->list[k].at, d->axis_count)) < 1e-6;
}

/* Whether work, blocks, span or kernels depend on a size: where they do not, all points are of one special kind. */
static bool depends(const form *forms, int axis)
{
    static const count_kind kinds[] = {COUNT_W, COUNT_N, COUNT_S, COUNT_L};
    int missing = 0;
    for (int i = 0; i < 4; i++) {
        const form *f = &forms[kinds[i]];
        missing += !f->found;
        for (int j = 0; j < f->count && f->found; j++)
            if (f->terms[j].exponents[axis] || f->terms[j].log == axis) return true;
    }
    return missing > 1;
}

/* How simple the forms are on some points; less is better. */
static mmm_status judge(derivation *d, const point_list *points, double *out)
{
    mmm_status result = MMM_OK;
    bool *use = NULL;
    form *forms = NULL;
    *out = 0;
    TRY(mmm_alloc(&forms, COUNTS, sizeof *forms));
    TRY(mmm_alloc(&use, points->count + 1, sizeof *use));
    mmm_derive_inner(d, points, 2, use);
    TRY(mmm_derive_fit(d, points, NULL, FIT_PLAIN + 1, forms));
    TRY(mmm_derive_fit(d, points, use, FIT_PLAIN + 1, forms));
    if (!forms[COUNT_L].found) {
        mmm_derive_regime(d, points, use);
        TRY(mmm_derive_fit(d, points, use, mmm_derive_exponent(d) ? FIT_TILES : FIT_PLAIN + 1, forms));
    }
    for (int i = 0; i < COUNT_LOCAL; i++)
        *out += forms[i].found ? forms[i].count : MISSING;
    for (int i = 0; i < d->real; i++)
        if (d->axes[i].size && !depends(forms, i)) *out += POOR;
done:
    mmm_free(forms);
    mmm_free(use);
    return result;
}

/* The points are kept, where it is the best and somebody asks for them. */
static mmm_status try_lattice(derivation *d, const point_lattice *lattice, double *best, point_list *kept)
{
    mmm_status result = MMM_OK;
    point_list quick = {0};
    double cost;
    TRY(mmm_derive_aligned(d, lattice, quick_points(d, lattice), &quick));
    if (quick.count < (mmm_derive_only_sizes(d) || lattice->own ? 24 : 60)) goto done;
    TRY(judge(d, &quick, &cost));
    cost += 0.1 * lattice->level + 2 * (lattice->shift != SHIFT_NONE);
    if (cost >= *best) goto done;
    *best = cost;
    d->lattice = *lattice;
    if (kept) {
        const point_list old = *kept;
        *kept = quick;
        quick = old;
    }
done:
    mmm_free(quick.list);
    return result;
}

static mmm_status try_shifts(derivation *d, const point_lattice *plain, double enough, double *best)
{
    mmm_status result = MMM_OK;
    for (int x = 0; x < d->axis_count; x++)
        for (int y = 0; y < d->axis_count; y++) {
            if (x == y || !d->axes[x].size || d->axes[y].other || (y < x && d->axes[y].size) || *best < enough)
                continue;
            point_lattice shifted = *plain;
            shifted.shift = d->axes[y].size ? SHIFT_LESS : SHIFT_MORE;
            shifted.shifted = x;
            shifted.by = y;
            TRY(try_lattice(d, &shifted, best, NULL));
        }
done:
    return result;
}

static bool is_good(const derivation *d, double best)
{
    return best <= (d->lattice.grain ? GOOD_GRAINED : GOOD);
}

/* Whether the values of a choice that are tried are multiples of a number that is no power of two. */
static bool has_own(const derivation *d, int axis)
{
    enum { LEAST = 16 };
    const int64_t common = mmm_derive_common(d, axis);
    return common >= LEAST && common % 2 == 0 && (common & (common - 1));
}

/* Lattices on which a choice is large that usually is. */
static mmm_status try_grains(derivation *d, double *best)
{
    static const int64_t grains[] = {256, 64};
    mmm_status result = MMM_OK;
    for (int i = 0; i < 4 * d->axis_count && !is_good(d, *best); i++) {
        point_lattice lattice = {.grain = grains[i / 2 % 2], .grained = i / 4};
        if (!mmm_derive_is_large(d, i / 4) || has_own(d, i / 4)) continue;
        if (i % 2 && d->sizes < 2) continue;
        if (i % 2) lattice.shift = SHIFT_LESS, lattice.shifted = 0, lattice.by = 1;
        TRY(try_lattice(d, &lattice, best, NULL));
    }
done:
    return result;
}

/* The axes of another time; what was spent stays spent. */
static void put_back(derivation *d, const derivation *other)
{
    const mmm_random random = d->random;
    const int64_t runs = d->runs;
    const double spent = d->spent;
    *d = *other;
    d->random = random;
    d->runs = runs;
    d->spent = spent;
}

/* Where nothing else is known: a choice that usually is large is a multiple of what all its values that are tried
 * have in common, and so is twice one more than sizes, or twice these, or these where they are equal. */
static mmm_status try_own(derivation *d, double *best)
{
    enum { WAYS = 4 };
    mmm_status result = MMM_OK;
    derivation *states = NULL;
    point_list kept = {0};
    TRY(mmm_alloc(&states, 2, sizeof *states));
    states[0] = states[1] = *d; /* as it is, and the best */
    for (int i = 0; i < WAYS * states->real && !is_good(d, *best); i++) {
        const int axis = i / WAYS;
        const bool equal = i % WAYS > 1;
        const double before = *best;
        put_back(d, &states[0]);
        if (!mmm_derive_is_large(d, axis) || !has_own(d, axis) || (equal && d->sizes < 2)) continue;
        point_lattice own = {
            .grain = mmm_derive_common(d, axis), .grained = axis - equal * (d->sizes - 1), .own = true};
        if (equal) mmm_derive_equal(d);
        if (i % 2 == 0) mmm_derive_next(d);
        d->until = d->spent + own_time;
        TRY(try_lattice(d, &own, best, &kept));
        if (*best < before) states[1] = *d;
    }
    put_back(d, &states[1]);
    d->aligned = kept;
    kept = (point_list){0};
done:
    mmm_free(kept.list);
    mmm_free(states);
    return result;
}

mmm_status mmm_derive_lattice(derivation *d)
{
    mmm_status result = MMM_OK;
    double best = 1e9;
    const bool exponent = mmm_derive_exponent(d);
    for (int i = exponent ? STRONG - 1 : STRONG; i < POWER && !is_good(d, best); i++) {
        point_lattice plain = {.level = i < STRONG ? POWER : i}; /* with 2^s, what it divides comes first */
        TRY(try_lattice(d, &plain, &best, NULL));
        if (i == STRONG && best > POOR) TRY(try_own(d, &best));
        if (d->lattice.own) break; /* the axes are those of it */
        if (i == STRONG && best > POOR) TRY(try_grains(d, &best));
        TRY(try_shifts(d, &plain, plain.level == POWER ? GOOD : d->lattice.grain ? GOOD_GRAINED : 25, &best));
    }
    if (best == 1e9)
        FAIL(MMM_INVALID, "%s: too few small jobs could be counted: %s", d->app->name,
             *d->why    ? d->why
             : d->sizes ? "the values that are given need sizes that are too large"
                        : "no size is among the parameters of the forms");
done:
    return result;
}
