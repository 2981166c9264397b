/* SPDX-License-Identifier: Apache-2.0 */
/* The sign of a value on a region: by factors, by counting real roots, by examples. */
#include "algebra/algebra.h"

#include <string.h>

/* ---- Examples -----------------------------------------------------------------------------------------------------
 */

/* Whole values of all atoms. */
typedef struct point {
    fmpz *values;
    fmpz *pointers[MMM_ATOMS];
} point;

static int sign_at(const mmm_space *space, const mmm_fraction *value, const point *p, bool *fine)
{
    fmpz_t top, bottom;
    fmpz_init(top);
    fmpz_init(bottom);
    *fine = fmpz_mpoly_evaluate_all_fmpz(top, fmpz_mpoly_q_numref(value), p->pointers, space->ctx) &&
            fmpz_mpoly_evaluate_all_fmpz(bottom, fmpz_mpoly_q_denref(value), p->pointers, space->ctx) &&
            !fmpz_is_zero(bottom);
    int sign = fmpz_sgn(top) * fmpz_sgn(bottom);
    fmpz_clear(top);
    fmpz_clear(bottom);
    return sign;
}

/* Powers of 2 for parameters, so that their logarithms are numbers; small ones for exponents. */
static bool draw_point(const mmm_space *space, mmm_random *random, const bool *needed, point *p)
{
    for (int i = 0; i < space->count; i++) {
        const mmm_atom *a = &space->atoms[i];
        if (a->kind == ATOM_VARIABLE) {
            bool exponent = mmm_space_find(space, ATOM_POWER, i) >= 0;
            bool log = mmm_space_find(space, ATOM_LOG, i) >= 0;
            slong number = (slong)1 << mmm_random_below(random, exponent ? 5 : 24);
            if (!log) number += (slong)mmm_random_below(random, (uint64_t)number);
            fmpz_set_si(p->values + i, number);
        } else if (a->kind == ATOM_POWER) {
            fmpz_one_2exp(p->values + i, fmpz_get_ui(p->values + a->variable));
        } else if (a->variable >= 0 && space->atoms[a->variable].kind == ATOM_VARIABLE) {
            fmpz_set_si(p->values + i, (slong)fmpz_bits(p->values + a->variable) - 1);
        } else if (mmm_atom_rounds(a) && needed[i]) {
            fmpz_t below;
            fmpz_init(below);
            bool fine = fmpz_mpoly_evaluate_all_fmpz(p->values + i, &a->argument, p->pointers, space->ctx) &&
                        fmpz_mpoly_evaluate_all_fmpz(below, &a->below, p->pointers, space->ctx) && !fmpz_is_zero(below);
            if (fine && a->kind == ATOM_CEIL) fmpz_cdiv_q(p->values + i, p->values + i, below);
            if (fine && a->kind == ATOM_FLOOR) fmpz_fdiv_q(p->values + i, p->values + i, below);
            fmpz_clear(below);
            if (!fine) return false;
        } else if (needed[i]) {
            return false;
        }
    }
    return true;
}

mmm_status mmm_region_sample(mmm_space *space, const mmm_region *region, const mmm_fraction *value, bool *negative,
                             bool *zero, bool *positive)
{
    enum { TRIES = 1500, POINTS = 150, TERMS = 20000 };
    const slong terms = fmpz_mpoly_q_numref(value)->length + fmpz_mpoly_q_denref(value)->length;
    const slong most = TERMS / (terms + 1) < POINTS ? TERMS / (terms + 1) + 5 : POINTS;
    mmm_random random = {.state = 20140501};
    point p = {.values = _fmpz_vec_init(MMM_ATOMS)};
    bool needed[MMM_ATOMS] = {false};
    *negative = *zero = *positive = false;
    for (int i = 0; i < MMM_ATOMS; i++)
        p.pointers[i] = p.values + i;
    for (int i = 0; i < space->count; i++) {
        needed[i] = mmm_value_uses(space, value, i);
        for (int64_t j = 0; j < region->count; j++)
            needed[i] = needed[i] || mmm_value_uses(space, &region->differences[j], i);
    }
    for (int tries = 0, points = 0; tries < TRIES && points < most && !(*negative && *positive); tries++) {
        if (!draw_point(space, &random, needed, &p)) break;
        bool inside = true;
        for (int64_t j = 0; j < region->count && inside; j++) {
            int sign = sign_at(space, &region->differences[j], &p, &inside);
            inside = inside && (sign > 0 || (sign == 0 && !region->strict[j]));
        }
        if (!inside) continue;
        int sign = sign_at(space, value, &p, &inside);
        if (!inside) continue;
        points++;
        *(sign < 0 ? negative : sign > 0 ? positive : zero) = true;
    }
    _fmpz_vec_clear(p.values, MMM_ATOMS);
    return MMM_OK;
}

/* ---- One variable -------------------------------------------------------------------------------------------------
 */

/* The sign beyond the least value of the only variable, when the polynomial has no root there. */
static bool univariate_sign(mmm_space *space, const mmm_region *region, const fmpz_mpoly_struct *p, mmm_sign *out)
{
    int only = -1;
    for (int i = 0; i < space->count; i++) {
        if (fmpz_mpoly_degree_si(p, i, space->ctx) <= 0) continue;
        if (only >= 0 || space->atoms[i].kind != ATOM_VARIABLE) return false;
        only = i;
    }
    if (only < 0) return false;
    fmpz_poly_t f, square, shift;
    fmpq_poly_t g, line;
    fmpq_t lower;
    bool strict, fine = false;
    fmpz_poly_init(f);
    fmpz_poly_init(square);
    fmpz_poly_init(shift);
    fmpq_poly_init(g);
    fmpq_poly_init(line);
    fmpq_init(lower);
    mmm_region_least(space, region, only, lower, &strict);
    if (fmpz_mpoly_get_fmpz_poly(f, p, only, space->ctx) && fmpz_poly_degree(f) <= 200) {
        /* Positive roots of f(lower + x), counted as half the roots of f(lower + x^2) that are not 0. */
        fmpq_poly_set_coeff_fmpq(line, 0, lower);
        fmpq_poly_set_coeff_si(line, 2, 1);
        fmpq_poly_set_fmpz_poly(g, f);
        fmpq_poly_compose(g, g, line);
        fmpq_poly_get_numerator(square, g);
        slong at_zero = 0;
        while (fmpz_poly_degree(square) > 0 && fmpz_is_zero(square->coeffs)) {
            fmpz_poly_shift_right(square, square, 1);
            at_zero++;
        }
        fine = fmpz_poly_num_real_roots(square) == 0 && (at_zero == 0 || strict);
        *out = fmpz_sgn(fmpz_poly_lead(f)) > 0 ? SIGN_POSITIVE : SIGN_NEGATIVE;
    }
    fmpz_poly_clear(f);
    fmpz_poly_clear(square);
    fmpz_poly_clear(shift);
    fmpq_poly_clear(g);
    fmpq_poly_clear(line);
    fmpq_clear(lower);
    return fine;
}

static mmm_status factor_sign(mmm_space *space, const mmm_region *region, const fmpz_mpoly_struct *p, mmm_sign *out)
{
    mmm_status result = MMM_OK;
    mmm_fraction value;
    int level, number;
    *out = SIGN_UNKNOWN;
    mmm_value_init(space, &value);
    fmpz_mpoly_set(fmpz_mpoly_q_numref(&value), p, space->ctx);
    if (mmm_value_number(space, &value, NULL, &number)) {
        *out = number < 0 ? SIGN_NEGATIVE : number > 0 ? SIGN_POSITIVE : SIGN_ZERO;
        goto done;
    }
    if (univariate_sign(space, region, p, out)) goto done;
    *out = SIGN_UNKNOWN;
    TRY(mmm_region_prove(space, region, &value, &level));
    if (level == 2) *out = SIGN_POSITIVE;
    if (level == 2) goto done;
    fmpz_mpoly_q_neg(&value, &value, space->ctx);
    TRY(mmm_region_prove(space, region, &value, &level));
    if (level == 2) *out = SIGN_NEGATIVE;
done:
    mmm_value_clear(space, &value);
    return result;
}

/* The product of the signs of the factors. */
static mmm_status polynomial_sign(mmm_space *space, const mmm_region *region, const fmpz_mpoly_struct *p, mmm_sign *out)
{
    mmm_status result = MMM_OK;
    fmpz_mpoly_factor_t factors;
    fmpz_mpoly_t base;
    fmpz_t constant;
    int sign;
    fmpz_mpoly_factor_init(factors, space->ctx);
    fmpz_mpoly_init(base, space->ctx);
    fmpz_init(constant);
    *out = SIGN_UNKNOWN;
    if (!mmm_factor(space, factors, p)) goto done;
    fmpz_mpoly_factor_get_constant_fmpz(constant, factors, space->ctx);
    sign = fmpz_sgn(constant);
    for (slong i = 0; i < factors->num; i++) {
        mmm_sign own;
        fmpz_mpoly_factor_get_base(base, factors, i, space->ctx);
        TRY(factor_sign(space, region, base, &own));
        if (own != SIGN_POSITIVE && own != SIGN_NEGATIVE) goto done;
        if (own == SIGN_NEGATIVE && fmpz_mpoly_factor_get_exp_si(factors, i, space->ctx) % 2) sign = -sign;
    }
    *out = sign > 0 ? SIGN_POSITIVE : SIGN_NEGATIVE;
done:
    fmpz_clear(constant);
    fmpz_mpoly_clear(base, space->ctx);
    fmpz_mpoly_factor_clear(factors, space->ctx);
    return result;
}

mmm_status mmm_value_sign(mmm_space *space, const mmm_region *region, const mmm_fraction *value, mmm_sign *out)
{
    mmm_status result = MMM_OK;
    mmm_sign top, bottom;
    *out = SIGN_ZERO;
    if (fmpz_mpoly_q_is_zero(value, space->ctx)) return MMM_OK;
    *out = SIGN_UNKNOWN;
    TRY(polynomial_sign(space, region, fmpz_mpoly_q_numref(value), &top));
    TRY(polynomial_sign(space, region, fmpz_mpoly_q_denref(value), &bottom));
    if (top != SIGN_UNKNOWN && bottom != SIGN_UNKNOWN) {
        *out = top == bottom ? SIGN_POSITIVE : SIGN_NEGATIVE;
    } else {
        bool negative, zero, positive;
        TRY(mmm_region_sample(space, region, value, &negative, &zero, &positive));
        if (negative + zero + positive > 1) *out = SIGN_MIXED;
    }
done:
    return result;
}
