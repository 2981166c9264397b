/* SPDX-License-Identifier: Apache-2.0 */
/* Values rounded to whole numbers, ceil and floor: atoms of which only x <= ceil(x) < x + 1 is known. */
#include "algebra/algebra.h"

bool mmm_atom_rounds(const mmm_atom *atom)
{
    return atom->kind == ATOM_CEIL || atom->kind == ATOM_FLOOR;
}

void mmm_atom_argument(const mmm_space *space, int atom, mmm_fraction *out)
{
    const mmm_atom *a = &space->atoms[atom];
    fmpz_mpoly_set(fmpz_mpoly_q_numref(out), &a->argument, space->ctx);
    fmpz_mpoly_set(fmpz_mpoly_q_denref(out), &a->below, space->ctx);
}

bool mmm_value_rounds(const mmm_space *space, const mmm_fraction *value)
{
    for (int i = 0; i < space->count; i++)
        if (mmm_atom_rounds(&space->atoms[i]) && mmm_value_uses(space, value, i)) return true;
    return false;
}

/* A sum of products of whole numbers, whatever the parameters are. */
static bool is_whole(const mmm_space *space, const mmm_fraction *a)
{
    if (!fmpz_mpoly_is_one(fmpz_mpoly_q_denref(a), space->ctx)) return false;
    for (int i = 0; i < space->count; i++)
        if (!mmm_atom_rounds(&space->atoms[i]) && mmm_value_uses(space, a, i)) return false;
    return true;
}

static mmm_status find_atom(mmm_space *space, mmm_atom_kind kind, const mmm_fraction *argument, int *atom)
{
    const fmpz_mpoly_struct *top = fmpz_mpoly_q_numref(argument), *bottom = fmpz_mpoly_q_denref(argument);
    for (*atom = 0; *atom < space->count; ++*atom) {
        const mmm_atom *a = &space->atoms[*atom];
        if (a->kind == kind && fmpz_mpoly_equal(&a->argument, top, space->ctx) &&
            fmpz_mpoly_equal(&a->below, bottom, space->ctx))
            return MMM_OK;
    }
    mmm_status result = mmm_space_atom(space, kind, atom);
    if (result != MMM_OK) return result;
    mmm_atom *a = &space->atoms[*atom];
    fmpz_mpoly_init(&a->argument, space->ctx);
    fmpz_mpoly_init(&a->below, space->ctx);
    fmpz_mpoly_set(&a->argument, top, space->ctx);
    fmpz_mpoly_set(&a->below, bottom, space->ctx);
    return MMM_OK;
}

/* Takes the whole number out of the quotient: (n + 2 s - 1)/s is (n - 1)/s and 2. */
static void take_whole(mmm_space *space, mmm_fraction *a, fmpz_t whole)
{
    fmpz_mpoly_t quotient, rest;
    fmpz_mpoly_init(quotient, space->ctx);
    fmpz_mpoly_init(rest, space->ctx);
    fmpz_mpoly_divrem(quotient, rest, fmpz_mpoly_q_numref(a), fmpz_mpoly_q_denref(a), space->ctx);
    fmpz_zero(whole);
    for (slong i = 0; i < quotient->length; i++) {
        bool constant = true;
        for (int j = 0; j < space->count; j++)
            constant = constant && !fmpz_mpoly_get_term_var_exp_ui(quotient, i, j, space->ctx);
        if (constant) fmpz_set(whole, quotient->coeffs + i);
    }
    fmpz_mpoly_q_sub_fmpz(a, a, whole, space->ctx);
    fmpz_mpoly_clear(quotient, space->ctx);
    fmpz_mpoly_clear(rest, space->ctx);
}

/* floor(-x) is -ceil(x): arguments begin with a positive coefficient. */
mmm_status mmm_value_round(mmm_space *space, mmm_fraction *out, const mmm_fraction *a, bool up)
{
    mmm_status result = MMM_OK;
    mmm_fraction argument;
    fmpz_t whole;
    int atom, sign;
    mmm_value_init(space, &argument);
    fmpz_init(whole);
    fmpz_mpoly_q_set(&argument, a, space->ctx);
    if (is_whole(space, a)) {
        fmpz_mpoly_q_swap(out, &argument, space->ctx);
        goto done;
    }
    if (mmm_value_number(space, a, NULL, &sign)) {
        if (!mmm_value_rounded(space, a, up, whole))
            FAIL(MMM_INVALID, "%s of a number that lies too near to a whole one", up ? "ceil" : "floor");
        fmpz_mpoly_q_set_fmpz(out, whole, space->ctx);
        goto done;
    }
    take_whole(space, &argument, whole);
    const bool negative = fmpz_sgn(fmpz_mpoly_q_numref(&argument)->coeffs) < 0;
    if (negative) fmpz_mpoly_q_neg(&argument, &argument, space->ctx);
    TRY(find_atom(space, up != negative ? ATOM_CEIL : ATOM_FLOOR, &argument, &atom));
    fmpz_mpoly_q_gen(out, atom, space->ctx);
    if (negative) fmpz_mpoly_q_neg(out, out, space->ctx);
    fmpz_mpoly_q_add_fmpz(out, out, whole, space->ctx);
done:
    fmpz_clear(whole);
    mmm_value_clear(space, &argument);
    return result;
}

/* One more relation: argument + more * below - below * atom, or its negative, is >= 0 (or > 0). */
static mmm_status add_relation(mmm_space *space, mmm_region *region, int atom, int more, bool above, bool strict)
{
    mmm_status result = MMM_OK;
    const mmm_atom *a = &space->atoms[atom];
    fmpz_mpoly_t part;
    fmpz_mpoly_init(part, space->ctx);
    TRY(mmm_grow(&region->differences, &region->room, region->count + 1, sizeof *region->differences));
    TRY(mmm_grow(&region->strict, &region->strict_room, region->count + 1, sizeof *region->strict));
    mmm_fraction *out = &region->differences[region->count];
    mmm_value_init(space, out);
    region->strict[region->count++] = strict;
    fmpz_mpoly_gen(part, atom, space->ctx);
    fmpz_mpoly_sub_si(part, part, more, space->ctx);
    fmpz_mpoly_mul(part, part, &a->below, space->ctx);
    fmpz_mpoly_sub(fmpz_mpoly_q_numref(out), &a->argument, part, space->ctx);
    if (!above) fmpz_mpoly_q_neg(out, out, space->ctx);
done:
    fmpz_mpoly_clear(part, space->ctx);
    return result;
}

bool mmm_positive(const mmm_space *space, const fmpz_mpoly_struct *p)
{
    for (slong i = 0; i < p->length; i++)
        if (fmpz_sgn(p->coeffs + i) < 0) return false;
    for (int i = 0; i < space->count; i++)
        if (space->atoms[i].kind != ATOM_VARIABLE && space->atoms[i].kind != ATOM_POWER &&
            fmpz_mpoly_degree_si(p, i, space->ctx) > 0)
            return false;
    return p->length > 0;
}

mmm_status mmm_region_rounded(mmm_space *space, const mmm_region *region, const mmm_fraction *value, mmm_region *out)
{
    mmm_status result = MMM_OK;
    *out = (mmm_region){0};
    for (int64_t i = 0; i < region->count; i++) {
        TRY(mmm_grow(&out->differences, &out->room, out->count + 1, sizeof *out->differences));
        TRY(mmm_grow(&out->strict, &out->strict_room, out->count + 1, sizeof *out->strict));
        mmm_value_init(space, &out->differences[out->count]);
        fmpz_mpoly_q_set(&out->differences[out->count], &region->differences[i], space->ctx);
        out->strict[out->count++] = region->strict[i];
    }
    for (int i = 0; i < space->count; i++) {
        const mmm_atom *a = &space->atoms[i];
        if (!mmm_atom_rounds(a) || !mmm_value_uses(space, value, i) || !mmm_positive(space, &a->below)) continue;
        const int up = a->kind == ATOM_CEIL;
        TRY(add_relation(space, out, i, up, true, up));       /* ceil(x) < x + 1, floor(x) <= x */
        TRY(add_relation(space, out, i, up - 1, false, !up)); /* ceil(x) >= x, floor(x) > x - 1 */
    }
done:
    return result;
}
