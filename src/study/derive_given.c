/* SPDX-License-Identifier: Apache-2.0 */
/* What could be said of a point in a few words, and how it is said. */
#include "study/derive.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int64_t mmm_condition_shifted(const condition *c, const int64_t *at)
{
    int64_t x = at[c->shifted];
    return c->shift == SHIFT_LESS ? x - at[c->by] + 1 : c->shift == SHIFT_MORE ? x + at[c->by] - 1 : x;
}

bool mmm_condition_holds(const derivation *d, const condition *c, const int64_t *at)
{
    if (c->kind == WHOLE || c->kind == WHOLE_LOG) {
        int64_t unit = c->factor > 0 ? c->factor : 1, x = mmm_condition_shifted(c, at);
        if (c->factor < 0) x *= -c->factor;
        for (int i = 0; i < d->real; i++)
            for (int j = 0; j < c->of.exponents[i]; j++)
                unit *= at[i];
        if (c->of.power >= 0 && __builtin_mul_overflow(x, (int64_t)1 << (at[c->of.power] & 31), &x)) return false;
        if (x <= 0 || unit <= 0 || x % unit) return false;
        x /= unit;
        return c->kind == WHOLE || (x & (x - 1)) == 0;
    }
    double value = mmm_term_value(&c->of, at, d->real), slack = 1e-9 * fabs(c->bound);
    if (c->shift != SHIFT_NONE) value *= (double)mmm_condition_shifted(c, at);
    return c->kind == AT_LEAST ? value >= c->bound - slack : value <= c->bound + slack;
}

int mmm_condition_first(const derivation *d, const condition *c)
{
    const bool shifted = c->shift != SHIFT_NONE, sized = c->kind == WHOLE || c->kind == WHOLE_LOG || shifted;
    for (int i = 0; i < d->real; i++)
        if (c->of.exponents[i] || c->of.power == i || (sized && c->shifted == i) || (shifted && c->by == i)) return i;
    return 0;
}

/* ---- Candidates ---------------------------------------------------------------------------------------------------
 */

typedef struct candidates {
    condition *list;
    int count, most;
} candidates;

static void add(candidates *c, const condition *one)
{
    if (c->count < c->most) c->list[c->count++] = *one;
}

/* Numbers that sizes are divided by, or (negative) multiplied by before; where no choice is free, also those that have
 * a value, and twice these; on a lattice of the record, its grain. */
static int list_factors(const derivation *d, int64_t *out)
{
    static const int64_t usual[] = {1, 2, 4, 8, 16, 256};
    int count = sizeof usual / sizeof *usual;
    memcpy(out, usual, sizeof usual);
    if (d->coarse) out[count++] = -2, out[count++] = d->coarse / 2;
    for (int i = 0; mmm_derive_only_sizes(d) && d->app->parameters[i].name; i++)
        for (int64_t f = d->fixed[i], twice = 0; d->is_fixed[i] && f > 1 && f <= DERIVE_LARGEST && twice < 2;
             twice++, f *= 2)
            if (d->app->parameters[i].role == MMM_CHOICE) out[count++] = f;
    return count;
}

/* An axis, shifted or not, divided by a number and by products of choices. */
static void add_whole(const derivation *d, candidates *all, int x)
{
    int64_t factors[8 + 2 * MMM_PARAMETERS_MOST];
    const int factor_count = list_factors(d, factors);
    for (int way = 0; way < 1 + 2 * d->real; way++) {
        condition c = {.kind = WHOLE, .of = no_term, .shifted = x};
        int by = (way - 1) / 2;
        if (way) c.shift = way % 2 ? SHIFT_LESS : SHIFT_MORE, c.by = by;
        if (way && (by == x || !d->axes[x].size || (c.shift == SHIFT_LESS) != d->axes[by].size)) continue;
        for (int f = 0; f < factor_count; f++) {
            c.factor = factors[f];
            if (c.factor > 1 && (!way || mmm_derive_only_sizes(d))) add(all, &c);
            for (int i = 0; i < d->real; i++) {
                if (d->axes[i].size || d->axes[i].other || i == x) continue;
                c.of.exponents[i]++;
                add(all, &c);
                for (int j = i; j < d->real && c.shift != SHIFT_LESS; j++) {
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
        for (int i = 0; i < d->real; i++) {
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
    for (int x = 0; x < d->real; x++)
        for (int s = 0; s < d->real && d->axes[x].size; s++)
            for (int l = 0; l < d->real && d->axes[s].exponent; l++)
                for (int64_t factor = 1; factor <= 16; factor *= 4) {
                    condition c = {.kind = WHOLE, .of = no_term, .shifted = x, .factor = factor};
                    if (l == s || d->axes[l].size || d->axes[l].other) continue;
                    c.of.power = (signed char)s;
                    c.of.exponents[l] = 2;
                    add(all, &c);
                }
}

/* How much larger than another one a size is: x - y + 1 >= z. */
static void add_gaps(const derivation *d, candidates *all)
{
    for (int a = 0; a < d->real; a++)
        for (int b = 0; b < d->real; b++)
            for (int z = 0; z < d->real; z++) {
                condition c = {.kind = AT_LEAST, .of = no_term, .shift = SHIFT_LESS, .shifted = a, .by = b, .bound = 1};
                if (a == b || !d->axes[a].size || !d->axes[b].size || d->axes[z].size || d->axes[z].other) continue;
                c.of.exponents[z] = -1;
                add(all, &c);
            }
}

int mmm_derive_candidates(const derivation *d, condition *out, int most)
{
    candidates all = {out, 0, most};
    add_gaps(d, &all);
    add_tiles(d, &all);
    for (int i = 0; i < d->real; i++)
        add_whole(d, &all, i);
    return all.count;
}

/* Products to compare with numbers: an axis, quotients, 2^s by another, and what regimes are made of. */
int mmm_derive_products(const derivation *d, term *out, int most)
{
    int count = 0;
    const term one = no_term;
    for (int i = 0; i < d->real; i++) {
        term t = one;
        t.exponents[i] = 1;
        if (count < most) out[count++] = t;
        for (int j = 0; j < d->real; j++) {
            if (j == i) continue;
            t = one;
            t.exponents[i] = 1;
            t.exponents[j] = -1;
            bool once = d->axes[i].size > d->axes[j].size || (i < j && d->axes[i].size == d->axes[j].size) ||
                        (d->axes[i].other && !d->axes[j].size && !d->axes[j].other);
            if (once && count < most) out[count++] = t;
            if (once && d->sizes == 1 && d->real == 2 && count < most) { /* as many blocks as one has threads: n/l^2 */
                out[count] = t;
                out[count++].exponents[j] = -2;
            }
            for (int k = j + 1; k < d->real && d->axes[i].size && !d->axes[j].size; k++) {
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
    for (int s = 0; s < d->real; s++) {
        if (!d->axes[s].exponent) continue;
        for (int l = 0; l < d->real; l++) {
            if (l == s || d->axes[l].size || d->axes[l].other) continue;
            term t = one;
            t.power = (signed char)s;
            t.exponents[l] = -1;
            if (count < most) out[count++] = t;
            for (int n = 0; n < d->real; n++)
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
    for (int i = 0; i < d->real; i++) {
        int e = sign * t->exponents[i];
        if (e <= 0) continue;
        TRY(mmm_text_add(out, "%s%s", (*written)++ ? "*" : "", d->axes[i].name));
        if (e > 1) TRY(mmm_text_add(out, "^%d", e));
    }
done:
    return result;
}

mmm_status mmm_condition_quotient(const derivation *d, const condition *c, mmm_text *out)
{
    mmm_status result = MMM_OK;
    mmm_text below = {0};
    const char *x = d->axes[c->shifted].name, *y = d->axes[c->by].name;
    term unit = c->of;
    int written;
    unit.power = -1;
    TRY(product_text(d, &unit, c->factor, 1, &below, &written));
    if (c->kind == WHOLE_LOG) TRY(mmm_text_add(out, "log2("));
    if (c->of.power >= 0) TRY(mmm_text_add(out, "2^%s*", d->axes[c->of.power].name));
    if (c->factor < 0) TRY(mmm_text_add(out, "%lld*", (long long)-c->factor));
    TRY(c->shift == SHIFT_LESS   ? mmm_text_add(out, "(%s-%s+1)", x, y)
        : c->shift == SHIFT_MORE ? mmm_text_add(out, "(%s+%s-1)", x, y)
                                 : mmm_text_add(out, "%s", x));
    if (written) TRY(mmm_text_add(out, written > 1 ? "/(%s)" : "/%s", below.data));
    if (c->kind == WHOLE_LOG) TRY(mmm_text_add(out, ")"));
done:
    mmm_free(below.data);
    return result;
}

/* The logarithm of a quotient may be whole where it is not. */
static mmm_status whole_text(const derivation *d, const condition *c, mmm_text *out)
{
    mmm_status result = MMM_OK;
    condition quotient = *c;
    bool divided = c->factor > 1;
    for (int i = 0; i < d->real; i++)
        divided = divided || c->of.exponents[i];
    quotient.kind = WHOLE;
    if (c->kind == WHOLE || divided) {
        TRY(mmm_condition_quotient(d, &quotient, out));
        TRY(mmm_text_add(out, " is whole"));
    }
    if (c->kind == WHOLE_LOG) {
        TRY(mmm_text_add(out, divided ? ", " : ""));
        TRY(mmm_condition_quotient(d, c, out));
        TRY(mmm_text_add(out, " is whole"));
    }
    if (c->shift == SHIFT_LESS) TRY(mmm_text_add(out, ", %s >= %s", d->axes[c->shifted].name, d->axes[c->by].name));
done:
    return result;
}

mmm_status mmm_condition_text(const derivation *d, const condition *c, mmm_text *out)
{
    mmm_status result = MMM_OK;
    mmm_text above = {0}, below = {0};
    int written;
    if (c->kind == WHOLE || c->kind == WHOLE_LOG) return whole_text(d, c, out);
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
