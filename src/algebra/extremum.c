/* SPDX-License-Identifier: Apache-2.0 */
/* Where a function of one variable turns: the zeros of its slope, isolated by interval arithmetic.
 *
 * On an interval on which the slope has no zero nothing turns; on one on which the slope's own slope has none, the
 * signs at its ends tell.  Any other is cut in two.  What is found is proven; where the cuts do not end, nothing is
 * said. */
#include "algebra/extremum.h"

#include <acb.h>
#include <string.h>

enum { CUTS = 4000, BITS = 192 };

/* The value with balls for the variable and for ln(2); false where another variable is left. */
static bool evaluate(const mmm_space *space, const mmm_fraction *value, int variable, const arb_t at, slong precision,
                     arb_t out)
{
    bool fine = true;
    acb_ptr atoms = _acb_vec_init(MMM_ATOMS);
    acb_t result;
    acb_init(result);
    for (int i = 0; i < space->count && fine; i++) {
        const mmm_atom *a = &space->atoms[i];
        arb_ptr ball = acb_realref(atoms + i);
        if (a->kind == ATOM_VARIABLE && strcmp(a->name, MMM_LN2) == 0) {
            arb_const_log2(ball, precision);
        } else if (i == variable) {
            arb_set(ball, at);
        } else if (a->kind == ATOM_POWER && a->variable == variable) {
            arb_set_ui(ball, 2);
            arb_pow(ball, ball, at, precision);
        } else if (a->kind == ATOM_LOG && (a->variable == variable || fmpz_mpoly_is_fmpz(&a->argument, space->ctx))) {
            fmpz_t number;
            fmpz_init(number);
            if (a->variable != variable) fmpz_mpoly_get_fmpz(number, &a->argument, space->ctx);
            arb_set_fmpz(ball, number);
            arb_log_base_ui(ball, a->variable == variable ? at : ball, 2, precision);
            fmpz_clear(number);
        } else {
            fine = !mmm_value_uses(space, value, i);
        }
    }
    if (fine) {
        fmpz_mpoly_q_evaluate_acb(result, value, atoms, precision, space->ctx);
        arb_set(out, acb_realref(result));
    }
    acb_clear(result);
    _acb_vec_clear(atoms, MMM_ATOMS);
    return fine;
}

typedef struct search {
    const mmm_space *space;
    const mmm_fraction *slope, *curve;
    int variable, cuts, roots;
    bool lost, falls; /* falls: the slope goes from plus to minus at the root */
    arb_ptr root;
} search;

/* The sign of the slope at a point; 0 where it may be zero. */
static int sign_at(search *f, const arf_t point)
{
    arb_t at, value;
    int sign = 0;
    arb_init(at);
    arb_init(value);
    arb_set_arf(at, point);
    if (evaluate(f->space, f->slope, f->variable, at, BITS, value))
        sign = arb_is_positive(value) ? 1 : arb_is_negative(value) ? -1 : 0;
    arb_clear(at);
    arb_clear(value);
    return sign;
}

/* Between two points; not quite in the middle, where roots like to be. */
static void between(arf_t out, const arf_t low, const arf_t high)
{
    arf_sub(out, high, low, BITS, ARF_RND_DOWN);
    arf_mul_ui(out, out, 509, BITS, ARF_RND_DOWN);
    arf_mul_2exp_si(out, out, -10);
    arf_add(out, out, low, BITS, ARF_RND_DOWN);
}

/* The slope changes its sign between the points, once. */
static void refine(search *f, const arf_t low, const arf_t high, int sign_low)
{
    arf_t a, b, middle;
    arf_init(a);
    arf_init(b);
    arf_init(middle);
    arf_set(a, low);
    arf_set(b, high);
    for (int i = 0; i < 90; i++) {
        between(middle, a, b);
        int sign = sign_at(f, middle);
        if (sign == 0) break;
        arf_swap(sign == sign_low ? a : b, middle);
    }
    f->roots++;
    f->falls = sign_low > 0;
    arb_set_interval_arf(f->root, a, b, BITS);
    arf_clear(a);
    arf_clear(b);
    arf_clear(middle);
}

static void isolate(search *f, const arf_t low, const arf_t high)
{
    arb_t range, value;
    arf_t middle;
    if (f->lost || f->cuts++ > CUTS) {
        f->lost = true;
        return;
    }
    arb_init(range);
    arb_init(value);
    arf_init(middle);
    arb_set_interval_arf(range, low, high, BITS);
    f->lost = !evaluate(f->space, f->slope, f->variable, range, BITS, value);
    bool none = arb_is_positive(value) || arb_is_negative(value), steady = false;
    if (!f->lost && !none) {
        f->lost = !evaluate(f->space, f->curve, f->variable, range, BITS, value);
        steady = arb_is_positive(value) || arb_is_negative(value);
    }
    int left = steady ? sign_at(f, low) : 0, right = steady ? sign_at(f, high) : 0;
    if (steady && left * right < 0)
        refine(f, low, high, left);
    else if (!none && !steady) {
        between(middle, low, high);
        isolate(f, low, middle);
        isolate(f, middle, high);
    }
    arb_clear(range);
    arb_clear(value);
    arf_clear(middle);
}

mmm_status mmm_turning_point(mmm_space *space, const mmm_fraction *slope, int variable, const fmpq_t low,
                             const fmpq_t high, mmm_turn *out)
{
    mmm_status result = MMM_OK;
    mmm_fraction curve;
    arf_t a, b;
    search f = {.space = space, .slope = slope, .curve = &curve, .variable = variable, .root = out->number};
    arf_init(a);
    arf_init(b);
    mmm_value_init(space, &curve);
    TRY(mmm_value_derivative(space, &curve, slope, variable));
    arf_set_fmpz(a, fmpq_numref(low));
    arf_div_fmpz(a, a, fmpq_denref(low), BITS, ARF_RND_UP);
    arf_set_fmpz(b, fmpq_numref(high));
    arf_div_fmpz(b, b, fmpq_denref(high), BITS, ARF_RND_DOWN);
    isolate(&f, a, b);
    out->found = !f.lost && f.roots == 1 && f.falls;
    out->sign = 0;
    between(b, a, b);
    if (!f.lost && f.roots == 0) out->sign = sign_at(&f, b);
done:
    mmm_value_clear(space, &curve);
    arf_clear(a);
    arf_clear(b);
    return result;
}
