/* SPDX-License-Identifier: Apache-2.0 */
/* Terms and forms: their values at a point, in floating point, modulo a prime and exactly; their text. */
#include "study/derive.h"

#include <math.h>
#include <stdlib.h>

double mmm_term_value(const term *t, const int64_t *at, int axes)
{
    double value = 1;
    for (int i = 0; i < axes; i++)
        for (int e = abs(t->exponents[i]); e > 0; e--)
            value = t->exponents[i] > 0 ? value * (double)at[i] : value / (double)at[i];
    if (t->power >= 0) value *= pow(2, (double)at[t->power]);
    if (t->log >= 0) value *= log2((double)at[t->log] / (t->under >= 0 ? (double)at[t->under] : 1));
    return value;
}

/* The logarithm of the term, where it is whole. */
bool mmm_term_log(const term *t, const int64_t *at, int64_t *out)
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
bool mmm_term_modular(const term *t, const int64_t *at, int axes, nmod_t mod, mp_limb_t *out)
{
    mp_limb_t value = 1;
    int64_t log;
    if (!mmm_term_log(t, at, &log)) return false;
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
    bool fine = mmm_term_log(t, at, &log);
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

bool mmm_form_holds(const form *f, const point *p, int axes, count_kind kind)
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

/* ---- Whether a form is what was counted ----------------------------------------------------------------------------
 */

typedef struct request {
    const form *form;
    int axes;
    const point_list *points;
    count_kind kind;
    bool *holds;
} request;

static mmm_status check(void *context)
{
    const request *r = context;
    for (int64_t i = 0; i < r->points->count; i++)
        r->holds[i] = mmm_form_holds(r->form, &r->points->list[i], r->axes, r->kind);
    return MMM_OK;
}

mmm_status mmm_form_check(const form *f, const derivation *d, const point_list *points, count_kind kind, bool *holds)
{
    return mmm_guarded(check, &(request){f, d->axis_count, points, kind, holds});
}

/* ---- Text ----------------------------------------------------------------------------------------------------------
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
