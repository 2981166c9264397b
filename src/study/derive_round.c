/* SPDX-License-Identifier: Apache-2.0 */
/* Forms where sizes do not divide: what had to be whole is rounded up, and becomes one more quantity that forms are in.
 */
#include "study/derive.h"

#include <stdlib.h>
#include <string.h>

enum { NAME = 48, ROUNDS = 4, MORE = 150 };
static const double round_time = 3; /* about seconds, at most, for points that try a form */

/* ---- What is rounded ------------------------------------------------------------------------------------------------
 */

/* What a condition says is whole, rounded up, at a point; -1 where it is negative, or not of a positive number. */
static int64_t rounded(const derivation *d, const condition *c, const int64_t *at)
{
    int64_t unit = c->factor, x = mmm_condition_shifted(c, at), log = 0;
    for (int i = 0; i < d->real; i++)
        for (int j = 0; j < c->of.exponents[i]; j++)
            unit *= at[i];
    if (c->of.power >= 0 && __builtin_mul_overflow(x, (int64_t)1 << (at[c->of.power] & 31), &x)) return -1;
    if (x <= 0 || unit <= 0) return -1;
    if (c->kind == WHOLE) return (x + unit - 1) / unit;
    if (x < unit) return -1;
    while (unit < x)
        unit *= 2, log++;
    return log;
}

/* "ceil(m/(2*s))", of the text "m/(2*s) is whole, ..." */
static mmm_status name_of(const derivation *d, const condition *c, char *out)
{
    mmm_status result = MMM_OK;
    mmm_text text = {0};
    TRY(mmm_condition_quotient(d, c, &text));
    if (strlen(text.data) > NAME - 8) FAIL(MMM_TOO_LARGE, "a condition of more than %d letters", NAME - 8);
    snprintf(out, NAME, "ceil(%.*s)", NAME - 8, text.data);
done:
    mmm_free(text.data);
    return result;
}

static void set_rounded(derivation *d, const verdicts *v, int64_t from)
{
    for (int64_t i = from; i < d->diverse.count; i++)
        for (int j = d->real; j < d->axis_count; j++)
            d->diverse.list[i].at[j] = rounded(d, &v->whole[j - d->real], d->diverse.list[i].at);
}

static mmm_status add_axes(derivation *d, const verdicts *v)
{
    mmm_status result = MMM_OK;
    for (int i = 0; i < v->whole_count && d->axis_count < AXES; i++) {
        char *name = d->names[d->axis_count];
        TRY(name_of(d, &v->whole[i], name));
        d->axes[d->axis_count++] = (derive_axis){.name = name, .size = true, .rounded = true, .most = INT64_MAX};
    }
    set_rounded(d, v, 0);
done:
    return result;
}

/* ---- Forms ----------------------------------------------------------------------------------------------------- */

/* Where logarithms are not negative: m >= s for log2(m/s). */
static void bound(const derivation *d, const verdicts *v, rounding *r)
{
    r->least_count = 0;
    for (int j = 0; j < v->whole_count; j++) {
        condition c = {.kind = AT_LEAST, .of = no_term, .bound = (double)v->whole[j].factor};
        bool divided = v->whole[j].factor > 1;
        for (int i = 0; i < d->real; i++) {
            c.of.exponents[i] = (signed char)((i == v->whole[j].shifted) - v->whole[j].of.exponents[i]);
            divided = divided || v->whole[j].of.exponents[i];
        }
        if (v->whole[j].kind == WHOLE_LOG && divided) r->least[r->least_count++] = c;
    }
}

/* What still must be whole where sizes divide less: by s where it was 2 s. */
static void weaken(const derivation *d, const verdicts *v, rounding *r)
{
    r->count = 0;
    r->weakened = false;
    for (int j = 0; j < v->whole_count; j++) {
        condition c = v->whole[j];
        bool choices = false;
        for (int i = 0; i < d->real; i++)
            choices = choices || c.of.exponents[i];
        c.factor = 1;
        const bool kept = c.kind == WHOLE && (choices || c.shift != SHIFT_NONE);
        r->weakened = r->weakened || !kept || v->whole[j].factor > 1;
        if (kept) r->weaker[r->count++] = c;
    }
}

typedef struct weak_filter {
    const verdicts *v;
    const rounding *r;
    bool weaker; /* where sizes divide a little; else anywhere */
} weak_filter;

static bool is_wanted(const derivation *d, const void *context, const int64_t *at)
{
    const weak_filter *f = context;
    bool in = mmm_derive_wide(d, f->v, at);
    for (int j = 0; j < f->r->least_count; j++)
        in = in && mmm_condition_holds(d, &f->r->least[j], at);
    for (int j = 0; j < f->r->count && f->weaker; j++)
        in = in && mmm_condition_holds(d, &f->r->weaker[j], at);
    return in;
}

static mmm_status find(derivation *d, const verdicts *v, rounding *r)
{
    mmm_status result = MMM_OK;
    bool *use = NULL;
    memset(r->forms, 0, sizeof r->forms);
    TRY(mmm_alloc(&use, d->diverse.count + 1, sizeof *use));
    for (int weaker = 0; weaker < 2; weaker++) {
        const weak_filter filter = {v, r, weaker};
        for (int64_t i = 0; i < d->diverse.count; i++)
            use[i] = is_wanted(d, &filter, d->diverse.list[i].at);
        TRY(mmm_derive_fit(d, &d->diverse, use, FIT_PLAIN, r->forms));
        for (int row = 0; row < ROWS; row++) {
            const row_given *g = &v->rows[row];
            const count_kind kind = mmm_rows[row].first;
            r->found[row] = mmm_row_found(r->forms, row) && mmm_row_found(d->forms, row) && g->enough &&
                            r->forms[kind].count <= d->forms[kind].count + 2 && /* not much longer */
                            g->whole_count && !g->count && (!weaker || r->weakened || r->wide[row]);
            if (!weaker) r->wide[row] = r->found[row];
        }
    }
done:
    mmm_free(use);
    return result;
}

typedef struct trial {
    derivation *d;
    const verdicts *v;
    rounding *r;
    int64_t from;
    bool failed;
} trial;

static mmm_status judge(void *context)
{
    trial *t = context;
    for (int row = 0; row < ROWS; row++) {
        const weak_filter filter = {t->v, t->r, !t->r->wide[row]};
        for (int64_t i = t->from; i < t->d->diverse.count && t->r->found[row]; i++) {
            const point *p = &t->d->diverse.list[i];
            if (!is_wanted(t->d, &filter, p->at) || mmm_row_holds(t->r->forms, p, t->d->axis_count, row)) continue;
            t->r->found[row] = false;
            t->failed = true;
        }
    }
    return MMM_OK;
}

/* Forms are tried at further points, and found again with these; those that fail at last are none. */
mmm_status mmm_derive_round(derivation *d, const verdicts *v, rounding *r)
{
    mmm_status result = MMM_OK;
    trial t = {d, v, r, 0, true};
    weaken(d, v, r);
    bound(d, v, r);
    TRY(add_axes(d, v));
    for (int round = 0; round < ROUNDS && t.failed; round++) {
        TRY(find(d, v, r));
        t.from = d->diverse.count;
        t.failed = false;
        for (int weaker = 0; weaker < 2; weaker++) {
            d->until = d->spent + round_time / 2;
            TRY(mmm_derive_near(d, &d->diverse, NULL, is_wanted, &(weak_filter){v, r, weaker},
                                d->diverse.count + MORE / 2, &d->diverse));
        }
        set_rounded(d, v, t.from);
        TRY(mmm_guarded(judge, &t));
    }
done:
    return result;
}
