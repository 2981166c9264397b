/* SPDX-License-Identifier: Apache-2.0 */
/* Values under substitution and differentiation. */
#include "algebra/algebra.h"

#include <string.h>

mmm_status mmm_polynomial_compose(mmm_space *space, mmm_fraction *out, const fmpz_mpoly_struct *p,
                                  const mmm_fraction *const *images)
{
    mmm_status result = MMM_OK;
    mmm_fraction sum, term, factor;
    mmm_value_init(space, &sum);
    mmm_value_init(space, &term);
    mmm_value_init(space, &factor);
    for (slong i = 0; i < p->length; i++) {
        fmpz_mpoly_q_set_fmpz(&term, p->coeffs + i, space->ctx);
        for (int j = 0; j < space->count; j++) {
            ulong exponent = fmpz_mpoly_get_term_var_exp_ui(p, i, j, space->ctx);
            if (!exponent) continue;
            if (images[j])
                fmpz_mpoly_q_set(&factor, images[j], space->ctx);
            else
                fmpz_mpoly_q_gen(&factor, j, space->ctx);
            TRY(mmm_value_raise(space, &factor, &factor, (int64_t)exponent));
            TRY(mmm_value_multiply(space, &term, &term, &factor));
        }
        TRY(mmm_value_add(space, &sum, &sum, &term));
    }
    fmpz_mpoly_q_swap(out, &sum, space->ctx);
done:
    mmm_value_clear(space, &sum);
    mmm_value_clear(space, &term);
    mmm_value_clear(space, &factor);
    return result;
}

mmm_status mmm_value_compose(mmm_space *space, mmm_fraction *out, const mmm_fraction *a,
                             const mmm_fraction *const *images)
{
    mmm_status result = MMM_OK;
    mmm_fraction numerator, denominator;
    mmm_value_init(space, &numerator);
    mmm_value_init(space, &denominator);
    TRY(mmm_polynomial_compose(space, &numerator, fmpz_mpoly_q_numref(a), images));
    TRY(mmm_polynomial_compose(space, &denominator, fmpz_mpoly_q_denref(a), images));
    TRY(mmm_value_divide(space, out, &numerator, &denominator));
done:
    mmm_value_clear(space, &numerator);
    mmm_value_clear(space, &denominator);
    return result;
}

/* d atom / d variable; ln(2), which the powers of 2 and the logarithms bring, is a variable of that name. */
static mmm_status atom_derivative(mmm_space *space, mmm_fraction *out, int atom, int variable)
{
    mmm_status result = MMM_OK;
    const mmm_atom *a = &space->atoms[atom];
    mmm_fraction factor;
    int ln2;
    mmm_value_init(space, &factor);
    fmpz_mpoly_q_one(out, space->ctx);
    if (atom == variable) goto done;
    if (mmm_atom_rounds(a)) FAIL(MMM_INVALID, "ceil and floor have no slope");
    TRY(mmm_space_variable(space, MMM_LN2, &ln2));
    fmpz_mpoly_q_gen(&factor, ln2, space->ctx);
    if (a->kind == ATOM_POWER) { /* 2^v ln(2) */
        fmpz_mpoly_q_gen(out, atom, space->ctx);
        TRY(mmm_value_multiply(space, out, out, &factor));
        goto done;
    }
    for (int i = 0; i < space->count; i++)
        if (space->atoms[i].kind != ATOM_VARIABLE && fmpz_mpoly_degree_si(&a->argument, i, space->ctx) > 0)
            FAIL(MMM_INVALID, "no derivative of logarithms of logarithms and powers of 2");
    fmpz_mpoly_q_zero(out, space->ctx); /* p'/(p ln(2)) */
    fmpz_mpoly_derivative(fmpz_mpoly_q_numref(out), &a->argument, variable, space->ctx);
    TRY(mmm_value_divide(space, out, out, &factor));
    fmpz_mpoly_q_zero(&factor, space->ctx);
    fmpz_mpoly_set(fmpz_mpoly_q_numref(&factor), &a->argument, space->ctx);
    TRY(mmm_value_divide(space, out, out, &factor));
done:
    mmm_value_clear(space, &factor);
    return result;
}

/* d out / d atom of a quotient: (n' d - n d') / d^2. */
static mmm_status partial(mmm_space *space, mmm_fraction *out, const mmm_fraction *a, int atom)
{
    mmm_status result = MMM_OK;
    mmm_fraction top, bottom, slope, product;
    mmm_value_init(space, &top);
    mmm_value_init(space, &bottom);
    mmm_value_init(space, &slope);
    mmm_value_init(space, &product);
    fmpz_mpoly_set(fmpz_mpoly_q_numref(&top), fmpz_mpoly_q_numref(a), space->ctx);
    fmpz_mpoly_set(fmpz_mpoly_q_numref(&bottom), fmpz_mpoly_q_denref(a), space->ctx);
    fmpz_mpoly_derivative(fmpz_mpoly_q_numref(&slope), fmpz_mpoly_q_numref(a), atom, space->ctx);
    TRY(mmm_value_multiply(space, &slope, &slope, &bottom));
    fmpz_mpoly_derivative(fmpz_mpoly_q_numref(&product), fmpz_mpoly_q_denref(a), atom, space->ctx);
    TRY(mmm_value_multiply(space, &product, &product, &top));
    TRY(mmm_value_subtract(space, &slope, &slope, &product));
    TRY(mmm_value_multiply(space, &bottom, &bottom, &bottom));
    TRY(mmm_value_divide(space, out, &slope, &bottom));
done:
    mmm_value_clear(space, &top);
    mmm_value_clear(space, &bottom);
    mmm_value_clear(space, &slope);
    mmm_value_clear(space, &product);
    return result;
}

mmm_status mmm_value_derivative(mmm_space *space, mmm_fraction *out, const mmm_fraction *a, int variable)
{
    mmm_status result = MMM_OK;
    mmm_fraction sum, inner, outer;
    const int count = space->count;
    mmm_value_init(space, &sum);
    mmm_value_init(space, &inner);
    mmm_value_init(space, &outer);
    for (int i = 0; i < count; i++) {
        if (!mmm_value_uses(space, a, i)) continue;
        fmpz_mpoly_q_gen(&inner, i, space->ctx);
        if (!mmm_value_mentions(space, &inner, variable)) continue;
        TRY(atom_derivative(space, &inner, i, variable));
        TRY(partial(space, &outer, a, i));
        TRY(mmm_value_multiply(space, &outer, &outer, &inner));
        TRY(mmm_value_add(space, &sum, &sum, &outer));
    }
    fmpz_mpoly_q_swap(out, &sum, space->ctx);
done:
    mmm_value_clear(space, &sum);
    mmm_value_clear(space, &inner);
    mmm_value_clear(space, &outer);
    return result;
}

/* Variables by their values in the scope; logarithms and powers of 2 follow. */
mmm_status mmm_value_substitute(mmm_space *space, mmm_fraction *out, const mmm_fraction *a, const mmm_scope *scope)
{
    mmm_status result = MMM_OK;
    mmm_fraction images[MMM_ATOMS];
    const mmm_fraction *pointers[MMM_ATOMS] = {0};
    const int count = space->count;
    for (int i = 0; i < count; i++)
        mmm_value_init(space, &images[i]);
    for (int i = 0; i < count; i++) {
        const mmm_atom *atom = &space->atoms[i];
        bool changed = false;
        if (atom->kind == ATOM_VARIABLE) {
            for (int j = 0; j < scope->count; j++)
                if (strcmp(scope->names[j], atom->name) == 0) {
                    fmpz_mpoly_q_set(&images[i], &scope->values[j], space->ctx);
                    changed = true;
                }
        } else if (atom->kind == ATOM_POWER) {
            if (!pointers[atom->variable]) continue;
            TRY(mmm_value_exp2(space, &images[i], &images[atom->variable]));
            changed = true;
        } else {
            const bool rounds = mmm_atom_rounds(atom), up = atom->kind == ATOM_CEIL;
            fmpz_mpoly_q_zero(&images[i], space->ctx);
            fmpz_mpoly_set(fmpz_mpoly_q_numref(&images[i]), &atom->argument, space->ctx);
            if (rounds) fmpz_mpoly_set(fmpz_mpoly_q_denref(&images[i]), &atom->below, space->ctx);
            for (int j = 0; j < i; j++)
                if (pointers[j] && mmm_value_uses(space, &images[i], j)) changed = true;
            if (!changed) continue;
            TRY(mmm_value_compose(space, &images[i], &images[i], pointers));
            TRY(rounds ? mmm_value_round(space, &images[i], &images[i], up)
                       : mmm_value_log2(space, &images[i], &images[i]));
        }
        if (changed) pointers[i] = &images[i];
    }
    TRY(mmm_value_compose(space, out, a, pointers));
done:
    for (int i = 0; i < count; i++)
        mmm_value_clear(space, &images[i]);
    return result;
}
