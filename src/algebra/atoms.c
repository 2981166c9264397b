/* SPDX-License-Identifier: Apache-2.0 */
/* The atoms over which values are rational functions. */
#include "algebra/algebra.h"

#include <stdlib.h>
#include <string.h>

mmm_status mmm_space_new(mmm_space **out)
{
    mmm_space *space;
    mmm_status result = mmm_alloc(&space, 1, sizeof *space);
    if (result != MMM_OK) return result;
    fmpz_mpoly_ctx_init(space->ctx, MMM_ATOMS, ORD_LEX);
    space->budget = 20000000;
    *out = space;
    return MMM_OK;
}

void mmm_space_free(mmm_space *space)
{
    if (!space) return;
    for (int i = 0; i < space->count; i++) {
        mmm_atom *a = &space->atoms[i];
        if (a->kind == ATOM_LOG || mmm_atom_rounds(a)) fmpz_mpoly_clear(&a->argument, space->ctx);
        if (mmm_atom_rounds(a)) fmpz_mpoly_clear(&a->below, space->ctx);
    }
    fmpz_mpoly_ctx_clear(space->ctx);
    mmm_free(space);
}

int mmm_space_name(const mmm_space *space, const char *name)
{
    for (int i = 0; i < space->count; i++)
        if (space->atoms[i].kind == ATOM_VARIABLE && strcmp(space->atoms[i].name, name) == 0) return i;
    return -1;
}

int mmm_space_find(const mmm_space *space, mmm_atom_kind kind, int variable)
{
    for (int i = 0; i < space->count; i++)
        if (space->atoms[i].kind == kind && space->atoms[i].variable == variable && kind != ATOM_VARIABLE) return i;
    return -1;
}

mmm_status mmm_space_atom(mmm_space *space, mmm_atom_kind kind, int *atom)
{
    if (space->count == MMM_ATOMS)
        return mmm_fail(MMM_INVALID, "more than %d different variables, logarithms, powers of 2 and ceilings",
                        MMM_ATOMS);
    *atom = space->count++;
    space->atoms[*atom] = (mmm_atom){.kind = kind, .variable = -1};
    return MMM_OK;
}

mmm_status mmm_space_variable(mmm_space *space, const char *name, int *atom)
{
    *atom = mmm_space_name(space, name);
    if (*atom >= 0) return MMM_OK;
    mmm_status result = mmm_space_atom(space, ATOM_VARIABLE, atom);
    if (result == MMM_OK) snprintf(space->atoms[*atom].name, sizeof space->atoms[*atom].name, "%s", name);
    return result;
}

/* log2 of an irreducible polynomial or a prime. */
static mmm_status log_atom(mmm_space *space, const fmpz_mpoly_struct *argument, int *atom)
{
    for (int i = 0; i < space->count; i++)
        if (space->atoms[i].kind == ATOM_LOG && fmpz_mpoly_equal(&space->atoms[i].argument, argument, space->ctx)) {
            *atom = i;
            return MMM_OK;
        }
    mmm_status result = mmm_space_atom(space, ATOM_LOG, atom);
    if (result != MMM_OK) return result;
    mmm_atom *new = &space->atoms[*atom];
    fmpz_mpoly_init(&new->argument, space->ctx);
    fmpz_mpoly_set(&new->argument, argument, space->ctx);
    for (int i = 0; i < *atom; i++)
        if (fmpz_mpoly_is_gen(argument, i, space->ctx)) new->variable = i;
    return MMM_OK;
}

/* out += times * log2(atom of the polynomial); log2(2^s) is s. */
static mmm_status add_log(mmm_space *space, mmm_fraction *out, const fmpz_mpoly_struct *argument, int64_t times)
{
    mmm_status result = MMM_OK;
    mmm_fraction term;
    int atom = -1;
    mmm_value_init(space, &term);
    for (int i = 0; i < space->count; i++)
        if (space->atoms[i].kind == ATOM_POWER && fmpz_mpoly_is_gen(argument, i, space->ctx))
            atom = space->atoms[i].variable;
    if (atom < 0) TRY(log_atom(space, argument, &atom));
    fmpz_mpoly_q_gen(&term, atom, space->ctx);
    fmpz_mpoly_q_mul_si(&term, &term, times, space->ctx);
    TRY(mmm_value_add(space, out, out, &term));
done:
    mmm_value_clear(space, &term);
    return result;
}

/* out += times * log2(number), by its prime factors. */
static mmm_status add_log_number(mmm_space *space, mmm_fraction *out, const fmpz_t number, int64_t times)
{
    mmm_status result = MMM_OK;
    fmpz_t rest;
    fmpz_mpoly_t prime;
    n_factor_t factors;
    fmpz_init(rest);
    fmpz_mpoly_init(prime, space->ctx);
    n_factor_init(&factors);
    flint_bitcnt_t twos = fmpz_val2(number);
    fmpz_tdiv_q_2exp(rest, number, twos);
    fmpz_mpoly_q_add_si(out, out, (slong)twos * times, space->ctx);
    for (ulong p = 3; p < 1000 && !fmpz_abs_fits_ui(rest); p += 2) {
        slong count = 0;
        while (fmpz_divisible_si(rest, (slong)p))
            fmpz_divexact_ui(rest, rest, p), count++;
        if (count == 0) continue;
        fmpz_mpoly_set_ui(prime, p, space->ctx);
        TRY(add_log(space, out, prime, count * times));
    }
    if (!fmpz_abs_fits_ui(rest)) FAIL(MMM_INVALID, "log2 of a number of more than 64 bits");
    n_factor(&factors, fmpz_get_ui(rest), 1);
    for (int i = 0; i < factors.num; i++) {
        fmpz_mpoly_set_ui(prime, factors.p[i], space->ctx);
        TRY(add_log(space, out, prime, factors.exp[i] * times));
    }
done:
    fmpz_clear(rest);
    fmpz_mpoly_clear(prime, space->ctx);
    return result;
}

static bool all_positive(const fmpz_mpoly_struct *p)
{
    for (slong i = 0; i < p->length; i++)
        if (fmpz_sgn(p->coeffs + i) < 0) return false;
    return true;
}

/* out += times * log2|p|; *sign is multiplied by the sign left over, *open counts the factors of either sign. */
static mmm_status add_log_polynomial(mmm_space *space, mmm_fraction *out, const fmpz_mpoly_struct *p, int64_t times,
                                     int *sign, int *open, fmpz_mpoly_struct *open_factor, int64_t *open_times)
{
    mmm_status result = MMM_OK;
    fmpz_mpoly_factor_t factors;
    fmpz_mpoly_t base;
    fmpz_t constant;
    fmpz_mpoly_factor_init(factors, space->ctx);
    fmpz_mpoly_init(base, space->ctx);
    fmpz_init(constant);
    if (p->length > MMM_FACTORED) FAIL(MMM_TOO_LARGE, "log2 of a sum of more than %d terms", MMM_FACTORED);
    if (!mmm_factor(space, factors, p)) FAIL(MMM_INVALID, "log2 of what could not be factored");
    fmpz_mpoly_factor_get_constant_fmpz(constant, factors, space->ctx);
    if (fmpz_sgn(constant) < 0) *sign = -*sign, fmpz_neg(constant, constant);
    TRY(add_log_number(space, out, constant, times));
    for (slong i = 0; i < fmpz_mpoly_factor_length(factors, space->ctx); i++) {
        slong exponent = fmpz_mpoly_factor_get_exp_si(factors, i, space->ctx);
        fmpz_mpoly_factor_get_base(base, factors, i, space->ctx);
        if (fmpz_sgn(base->coeffs) < 0) {
            fmpz_mpoly_neg(base, base, space->ctx);
            if (exponent % 2) *sign = -*sign;
        }
        if (all_positive(base)) {
            TRY(add_log(space, out, base, exponent * times));
        } else {
            if (exponent % 2 == 0 || ++*open > 1) FAIL(MMM_INVALID, "log2 of a product of factors of unknown sign");
            fmpz_mpoly_set(open_factor, base, space->ctx);
            *open_times = exponent * times;
        }
    }
done:
    fmpz_clear(constant);
    fmpz_mpoly_clear(base, space->ctx);
    fmpz_mpoly_factor_clear(factors, space->ctx);
    return result;
}

mmm_status mmm_value_log2(mmm_space *space, mmm_fraction *out, const mmm_fraction *a)
{
    mmm_status result = MMM_OK;
    mmm_fraction sum;
    fmpz_mpoly_t open_factor;
    int sign = 1, open = 0;
    int64_t open_times = 0;
    mmm_value_init(space, &sum);
    fmpz_mpoly_init(open_factor, space->ctx);
    if (fmpz_mpoly_q_is_zero(a, space->ctx)) FAIL(MMM_INVALID, "log2 of zero");
    TRY(add_log_polynomial(space, &sum, fmpz_mpoly_q_numref(a), 1, &sign, &open, open_factor, &open_times));
    TRY(add_log_polynomial(space, &sum, fmpz_mpoly_q_denref(a), -1, &sign, &open, open_factor, &open_times));
    if (open) {
        if (sign < 0) fmpz_mpoly_neg(open_factor, open_factor, space->ctx);
        TRY(add_log(space, &sum, open_factor, open_times));
    } else if (sign < 0) {
        FAIL(MMM_INVALID, "log2 of what is negative");
    }
    fmpz_mpoly_q_swap(out, &sum, space->ctx);
done:
    fmpz_mpoly_clear(open_factor, space->ctx);
    mmm_value_clear(space, &sum);
    return result;
}

/* One term coefficient * atom (-1: the constant) of an exponent of 2. */
static mmm_status multiply_power(mmm_space *space, mmm_fraction *out, const fmpq_t coefficient, int atom)
{
    mmm_status result = MMM_OK;
    mmm_fraction factor;
    mmm_value_init(space, &factor);
    if (!fmpz_is_one(fmpq_denref(coefficient)) || !fmpz_fits_si(fmpq_numref(coefficient)))
        FAIL(MMM_INVALID, "an exponent of 2 must have whole coefficients");
    slong times = fmpz_get_si(fmpq_numref(coefficient));
    if (atom < 0) {
        if (times > MMM_BITS || times < -MMM_BITS) FAIL(MMM_INVALID, "2 to a power beyond %d", MMM_BITS);
        fmpz_mpoly_set_si(fmpz_mpoly_q_numref(&factor), 1, space->ctx);
        fmpz_t power;
        fmpz_init(power);
        fmpz_one_2exp(power, (ulong)(times < 0 ? -times : times));
        fmpz_mpoly_q_set_fmpz(&factor, power, space->ctx);
        fmpz_clear(power);
        if (times < 0) fmpz_mpoly_q_inv(&factor, &factor, space->ctx);
    } else {
        int base = atom;
        if (space->atoms[atom].kind == ATOM_POWER)
            FAIL(MMM_INVALID, "2^2^%s is beyond rational functions", space->atoms[space->atoms[atom].variable].name);
        if (mmm_atom_rounds(&space->atoms[atom])) FAIL(MMM_INVALID, "2 to the power of ceil or floor is no atom here");
        if (space->atoms[atom].kind == ATOM_VARIABLE) {
            base = mmm_space_find(space, ATOM_POWER, atom);
            if (base < 0) {
                TRY(mmm_space_atom(space, ATOM_POWER, &base));
                space->atoms[base].variable = atom;
            }
            fmpz_mpoly_q_gen(&factor, base, space->ctx);
        } else {
            fmpz_mpoly_set(fmpz_mpoly_q_numref(&factor), &space->atoms[atom].argument, space->ctx);
            fmpz_mpoly_one(fmpz_mpoly_q_denref(&factor), space->ctx);
        }
        TRY(mmm_value_raise(space, &factor, &factor, times));
    }
    TRY(mmm_value_multiply(space, out, out, &factor));
done:
    mmm_value_clear(space, &factor);
    return result;
}

mmm_status mmm_value_exp2(mmm_space *space, mmm_fraction *out, const mmm_fraction *a)
{
    mmm_status result = MMM_OK;
    const fmpz_mpoly_struct *top = fmpz_mpoly_q_numref(a), *bottom = fmpz_mpoly_q_denref(a);
    mmm_fraction product;
    fmpq_t coefficient;
    fmpz_t divisor;
    mmm_value_init(space, &product);
    fmpq_init(coefficient);
    fmpz_init(divisor);
    fmpz_mpoly_q_one(&product, space->ctx);
    if (!fmpz_mpoly_is_fmpz(bottom, space->ctx)) FAIL(MMM_INVALID, "an exponent of 2 must be a sum without a quotient");
    fmpz_mpoly_get_fmpz(divisor, bottom, space->ctx);
    for (slong i = 0; i < top->length; i++) {
        int atom = -1;
        ulong degree = 0;
        for (int j = 0; j < space->count; j++) {
            ulong exponent = fmpz_mpoly_get_term_var_exp_ui(top, i, j, space->ctx);
            if (exponent) atom = j, degree += exponent;
        }
        if (degree > 1) FAIL(MMM_INVALID, "an exponent of 2 must be a sum of parameters, their log2 and whole numbers");
        fmpz_set(fmpq_numref(coefficient), top->coeffs + i);
        fmpz_set(fmpq_denref(coefficient), divisor);
        fmpq_canonicalise(coefficient);
        TRY(multiply_power(space, &product, coefficient, atom));
    }
    fmpz_mpoly_q_swap(out, &product, space->ctx);
done:
    fmpz_clear(divisor);
    fmpq_clear(coefficient);
    mmm_value_clear(space, &product);
    return result;
}
