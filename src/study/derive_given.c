/* SPDX-License-Identifier: Apache-2.0 */
/* The conditions of forms: of all that could be said of a point in a few words, what tells points at which the forms
 * hold from those at which they do not. */
#include "study/derive.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CANDIDATES = 600 };

int64_t mmm_condition_shifted(const condition *c, const int64_t *at)
{
    int64_t x = at[c->shifted];
    return c->shift == SHIFT_LESS ? x - at[c->by] + 1 : c->shift == SHIFT_MORE ? x + at[c->by] - 1 : x;
}

bool mmm_condition_holds(const derivation *d, const condition *c, const int64_t *at)
{
    if (c->kind == WHOLE || c->kind == WHOLE_LOG) {
        int64_t unit = c->factor, x = mmm_condition_shifted(c, at);
        for (int i = 0; i < d->axis_count; i++)
            for (int j = 0; j < c->of.exponents[i]; j++)
                unit *= at[i];
        if (c->of.power >= 0 && __builtin_mul_overflow(x, (int64_t)1 << (at[c->of.power] & 31), &x)) return false;
        if (x <= 0 || unit <= 0 || x % unit) return false;
        x /= unit;
        return c->kind == WHOLE || (x & (x - 1)) == 0;
    }
    double value = mmm_term_value(&c->of, at, d->axis_count), slack = 1e-9 * fabs(c->bound);
    if (c->shift != SHIFT_NONE) value *= (double)mmm_condition_shifted(c, at);
    return c->kind == AT_LEAST ? value >= c->bound - slack : value <= c->bound + slack;
}

/* ---- Candidates ---------------------------------------------------------------------------------------------------
 */

typedef struct candidates {
    condition list[CANDIDATES];
    int count;
} candidates;

static void add(candidates *c, const condition *one)
{
    if (c->count < CANDIDATES) c->list[c->count++] = *one;
}

/* An axis, shifted or not, divided by a number and by products of choices. */
static void add_whole(const derivation *d, candidates *all, int x)
{
    static const int64_t factors[] = {1, 2, 4, 8, 16, 256};
    for (int way = 0; way < 1 + 2 * d->axis_count; way++) {
        condition c = {.kind = WHOLE, .of = no_term, .shifted = x};
        int by = (way - 1) / 2;
        if (way) c.shift = way % 2 ? SHIFT_LESS : SHIFT_MORE, c.by = by;
        if (way && (by == x || !d->axes[x].size || (c.shift == SHIFT_LESS) != d->axes[by].size)) continue;
        for (size_t f = 0; f < sizeof factors / sizeof *factors; f++) {
            c.factor = factors[f];
            if (c.factor > 1) add(all, &c);
            for (int i = 0; i < d->axis_count; i++) {
                if (d->axes[i].size || d->axes[i].other || i == x) continue;
                c.of.exponents[i]++;
                add(all, &c);
                for (int j = i; j < d->axis_count && c.shift != SHIFT_LESS; j++) {
                    if (d->axes[j].size || d->axes[j].other || j == x) continue;
                    c.of.exponents[j]++;
                    add(all, &c);
                    c.of.exponents[j]--;
                }
                c.of.exponents[i]--;
            }
        }
        if (way) continue;
        c.kind = WHOLE_LOG;
        c.factor = 1;
        add(all, &c);
        for (int i = 0; i < d->axis_count; i++) {
            if (d->axes[i].size || d->axes[i].other || i == x) continue;
            c.of.exponents[i]++;
            add(all, &c);
            c.of.exponents[i]--;
        }
    }
}

/* Tiles of 2^s counts a block: 2^s n/(16 l^2). */
static void add_tiles(const derivation *d, candidates *all)
{
    for (int x = 0; x < d->axis_count; x++)
        for (int s = 0; s < d->axis_count && d->axes[x].size; s++)
            for (int l = 0; l < d->axis_count && d->axes[s].exponent; l++)
                for (int64_t factor = 1; factor <= 16; factor *= 4) {
                    condition c = {.kind = WHOLE, .of = no_term, .shifted = x, .factor = factor};
                    if (l == s || d->axes[l].size || d->axes[l].other) continue;
                    c.of.power = (signed char)s;
                    c.of.exponents[l] = 2;
                    add(all, &c);
                }
}

/* Products to compare with numbers: an axis, quotients, 2^s by another, and what regimes are made of. */
int mmm_derive_products(const derivation *d, term *out, int most)
{
    int count = 0;
    const term one = no_term;
    for (int i = 0; i < d->axis_count; i++) {
        term t = one;
        t.exponents[i] = 1;
        if (count < most) out[count++] = t;
        for (int j = 0; j < d->axis_count; j++) {
            if (j == i) continue;
            t = one;
            t.exponents[i] = 1;
            t.exponents[j] = -1;
            bool once = d->axes[i].size > d->axes[j].size || (i < j && d->axes[i].size == d->axes[j].size) ||
                        (d->axes[i].other && !d->axes[j].size && !d->axes[j].other);
            if (once && count < most) out[count++] = t;
            for (int k = j + 1; k < d->axis_count && d->axes[i].size && !d->axes[j].size; k++) {
                if (k == i || d->axes[k].size) continue;
                for (int way = 0; way < 4; way++) { /* n/(l s), n/(l^2 s), n/(l s^2), n/(l^2 s^2) */
                    term both = t;
                    both.exponents[j] = way % 2 ? -2 : -1;
                    both.exponents[k] = way / 2 ? -2 : -1;
                    if (count < most) out[count++] = both;
                }
            }
        }
    }
    for (int s = 0; s < d->axis_count; s++) {
        if (!d->axes[s].exponent) continue;
        for (int l = 0; l < d->axis_count; l++) {
            if (l == s || d->axes[l].size || d->axes[l].other) continue;
            term t = one;
            t.power = (signed char)s;
            t.exponents[l] = -1;
            if (count < most) out[count++] = t;
            for (int n = 0; n < d->axis_count; n++)
                for (int e = 2; e <= 3 && d->axes[n].size; e++) {
                    t.exponents[l] = (signed char)-e;
                    t.exponents[n] = 1;
                    if (count < most) out[count++] = t;
                    t.exponents[n] = 0;
                }
        }
    }
    return count;
}

/* ---- Choice -------------------------------------------------------------------------------------------------------
 */

typedef struct chooser {
    const derivation *d;
    const point_list *pool;
    const bool *holds;
    bool *inside;
} chooser;

/* How many points at which the forms fail, and at which they hold, the condition leaves out. */
static void effect(const chooser *x, const condition *c, int64_t *fails, int64_t *holds)
{
    *fails = *holds = 0;
    for (int64_t i = 0; i < x->pool->count; i++)
        if (x->inside[i] && !mmm_condition_holds(x->d, c, x->pool->list[i].at)) ++*(x->holds[i] ? holds : fails);
}

static void consider(const chooser *x, const condition *c, double *best, condition *out)
{
    int64_t fails, holds;
    effect(x, c, &fails, &holds);
    double score = (double)fails - 4 * (double)holds;
    if (fails > 0 && score > *best) *best = score, *out = *c;
}

/* The bounds of a product that leave out most failures: round numbers, and whole ones at which the forms hold. */
static void consider_bounds(const chooser *x, const term *t, double *best, condition *out)
{
    static const double round[] = {1, 0.5, 0.25, 2, 3, 4, 5, 6, 8, 16, 32, 64, 80};
    const int rounds = sizeof round / sizeof *round;
    double least = INFINITY, most = -INFINITY;
    for (int64_t i = 0; i < x->pool->count; i++) {
        double value = mmm_term_value(t, x->pool->list[i].at, x->d->axis_count);
        if (!x->inside[i] || !x->holds[i]) continue;
        if (value == floor(value) && value < least) least = value;
        if (value == floor(value) && value > most) most = value;
    }
    for (int i = 0; i < rounds + 1; i++)
        for (int end = 0; end < 2; end++) {
            double bound = i < rounds ? round[i] : end ? most : least;
            condition c = {.kind = end ? AT_MOST : AT_LEAST, .of = *t, .bound = bound};
            if (isfinite(bound)) consider(x, &c, best, out);
        }
}

/* How much larger than another one a size is: x - y + 1 >= z. */
static void consider_gaps(const chooser *x, double *best, condition *out)
{
    const derivation *d = x->d;
    for (int a = 0; a < d->axis_count; a++)
        for (int b = 0; b < d->axis_count; b++)
            for (int z = 0; z < d->axis_count; z++) {
                condition c = {.kind = AT_LEAST, .of = no_term, .shift = SHIFT_LESS, .shifted = a, .by = b, .bound = 1};
                if (a == b || !d->axes[a].size || !d->axes[b].size || d->axes[z].size || d->axes[z].other) continue;
                c.of.exponents[z] = -1;
                consider(x, &c, best, out);
            }
}

/* Whether points come back without condition number `one`, at which the forms fail (or how many at which they hold). */
static int64_t come_back(const chooser *x, const bool *inside, const condition *list, int count, int one, bool holds)
{
    int64_t back = 0;
    for (int64_t j = 0; j < x->pool->count; j++) {
        bool in = (!inside || inside[j]) && x->holds[j] == holds &&
                  !mmm_condition_holds(x->d, &list[one], x->pool->list[j].at);
        for (int k = 0; k < count && in; k++)
            in = k == one || mmm_condition_holds(x->d, &list[k], x->pool->list[j].at);
        back += in;
    }
    return back;
}

/* Drops conditions without which no failure comes back, first those that leave out most of what is right. */
static void prune(const chooser *x, const bool *inside, condition *list, int *count)
{
    for (;;) {
        int worst = -1;
        int64_t most = -1;
        for (int i = 0; i < *count; i++) {
            int64_t right = come_back(x, inside, list, *count, i, true);
            if (right > most && !come_back(x, inside, list, *count, i, false)) most = right, worst = i;
        }
        if (worst < 0) return;
        memmove(&list[worst], &list[worst + 1], (size_t)(--*count - worst) * sizeof *list);
    }
}

mmm_status mmm_derive_conditions(const derivation *d, const point_list *pool, const bool *holds, const bool *inside,
                                 condition *out, int *count)
{
    mmm_status result = MMM_OK;
    candidates *all = NULL;
    term products[80];
    int product_count = mmm_derive_products(d, products, 80);
    chooser x = {.d = d, .pool = pool, .holds = holds};
    *count = 0;
    TRY(mmm_alloc(&all, 1, sizeof *all));
    TRY(mmm_alloc(&x.inside, pool->count + 1, sizeof *x.inside));
    for (int64_t i = 0; i < pool->count; i++)
        x.inside[i] = !inside || inside[i];
    add_tiles(d, all);
    for (int i = 0; i < d->axis_count; i++)
        add_whole(d, all, i);
    while (*count < CONDITIONS) {
        double best = -1e9;
        condition chosen = {0};
        int64_t fails = 0, passes = 0;
        for (int64_t i = 0; i < pool->count; i++)
            if (x.inside[i]) ++*(holds[i] ? &passes : &fails);
        if (!fails || !passes) break;
        for (int i = 0; i < all->count; i++)
            consider(&x, &all->list[i], &best, &chosen);
        for (int i = 0; i < product_count; i++)
            consider_bounds(&x, &products[i], &best, &chosen);
        consider_gaps(&x, &best, &chosen);
        if (best == -1e9) break;
        out[(*count)++] = chosen;
        for (int64_t i = 0; i < pool->count; i++)
            x.inside[i] = x.inside[i] && mmm_condition_holds(d, &chosen, pool->list[i].at);
    }
    prune(&x, inside, out, count);
done:
    mmm_free(all);
    mmm_free(x.inside);
    return result;
}

/* ---- Text ---------------------------------------------------------------------------------------------------------
 */

static mmm_status product_text(const derivation *d, const term *t, int64_t factor, int sign, mmm_text *out,
                               int *written)
{
    mmm_status result = MMM_OK;
    *written = 0;
    if (factor > 1) {
        TRY(mmm_text_add(out, "%lld", (long long)factor));
        ++*written;
    }
    if (t->power >= 0 && sign > 0) {
        TRY(mmm_text_add(out, "%s2^%s", *written ? "*" : "", d->axes[t->power].name));
        ++*written;
    }
    for (int i = 0; i < d->axis_count; i++) {
        int e = sign * t->exponents[i];
        if (e <= 0) continue;
        TRY(mmm_text_add(out, "%s%s", (*written)++ ? "*" : "", d->axes[i].name));
        if (e > 1) TRY(mmm_text_add(out, "^%d", e));
    }
done:
    return result;
}

mmm_status mmm_condition_text(const derivation *d, const condition *c, mmm_text *out)
{
    mmm_status result = MMM_OK;
    mmm_text above = {0}, below = {0};
    int written;
    if (c->kind == WHOLE || c->kind == WHOLE_LOG) {
        const char *x = d->axes[c->shifted].name, *y = d->axes[c->by].name;
        term unit = c->of;
        unit.power = -1;
        TRY(product_text(d, &unit, c->factor, 1, &below, &written));
        TRY(mmm_text_add(out, "%s", c->kind == WHOLE_LOG ? "log2(" : ""));
        if (c->of.power >= 0) TRY(mmm_text_add(out, "2^%s*", d->axes[c->of.power].name));
        TRY(c->shift == SHIFT_LESS   ? mmm_text_add(out, "(%s-%s+1)", x, y)
            : c->shift == SHIFT_MORE ? mmm_text_add(out, "(%s+%s-1)", x, y)
                                     : mmm_text_add(out, "%s", x));
        if (written) TRY(mmm_text_add(out, written > 1 ? "/(%s)" : "/%s", below.data));
        TRY(mmm_text_add(out, "%s is whole", c->kind == WHOLE_LOG ? ")" : ""));
        if (c->shift == SHIFT_LESS) TRY(mmm_text_add(out, ", %s >= %s", x, y));
        goto done;
    }
    /* above/below >= bound as above >= bound*below */
    TRY(c->shift == SHIFT_LESS ? mmm_text_add(&above, "%s-%s+1", d->axes[c->shifted].name, d->axes[c->by].name)
                               : product_text(d, &c->of, 1, 1, &above, &written));
    TRY(product_text(d, &c->of, 1, -1, &below, &written));
    if (c->bound < 1) TRY(mmm_text_add(out, "%g*", 1 / c->bound));
    TRY(mmm_text_add(out, "%s %s ", above.data, c->kind == AT_LEAST ? ">=" : "<="));
    if (c->bound < 1) TRY(mmm_text_add(out, "%s", written ? "" : "1"));
    if (c->bound >= 1 && (!written || c->bound != 1)) TRY(mmm_text_add(out, "%.17g%s", c->bound, written ? "*" : ""));
    if (written) TRY(mmm_text_add(out, "%s", below.data));
done:
    mmm_free(above.data);
    mmm_free(below.data);
    return result;
}
