/* SPDX-License-Identifier: Apache-2.0 */
/* The sign of a value where the parameters may lie.
 *
 * Shown by shifting: when every parameter is its least value plus something that is not negative, and no coefficient is
 * negative, the value is not negative.  Refuted by example.  Where neither succeeds the sign is unknown. */
#include "algebra/algebra.h"

#include <stdlib.h>
#include <string.h>

void mmm_region_free(mmm_space *space, mmm_region *region)
{
    for (int64_t i = 0; i < region->count; i++)
        mmm_value_clear(space, &region->differences[i]);
    mmm_free(region->differences);
    mmm_free(region->strict);
    memset(region, 0, sizeof *region);
}

/* An atom as its least value plus itself; false when no least value is known. */
static bool shift_atom(mmm_space *space, const mmm_region *region, int atom, mmm_fraction *image, bool *strict)
{
    fmpq_t lower;
    fmpq_init(lower);
    bool fine = mmm_region_least(space, region, atom, lower, strict);
    fmpz_mpoly_q_gen(image, atom, space->ctx);
    if (fine) fmpz_mpoly_q_add_fmpq(image, image, lower, space->ctx);
    fmpq_clear(lower);
    return fine;
}

/* ---- Bounds by other parameters -----------------------------------------------------------------------------------
 */

/* From difference >= 0, a variable in terms of the others and itself, now >= 0: v = (v' - rest) / slope. */
static mmm_status relation_image(mmm_space *space, const mmm_fraction *difference, int variable, mmm_fraction *image,
                                 bool *fine)
{
    mmm_status result = MMM_OK;
    const fmpz_mpoly_struct *top = fmpz_mpoly_q_numref(difference);
    mmm_fraction slope, generator;
    mmm_value_init(space, &slope);
    mmm_value_init(space, &generator);
    *fine = false;
    if (!fmpz_mpoly_is_fmpz(fmpz_mpoly_q_denref(difference), space->ctx)) goto done;
    for (slong i = 0; i < top->length; i++) {
        ulong degree = 0;
        for (int j = 0; j < space->count; j++)
            degree += fmpz_mpoly_get_term_var_exp_ui(top, i, j, space->ctx);
        ulong own = fmpz_mpoly_get_term_var_exp_ui(top, i, variable, space->ctx);
        if (own && degree != 1) {
            *fine = false;
            goto done;
        }
        if (own) fmpz_mpoly_q_set_fmpz(&slope, top->coeffs + i, space->ctx), *fine = true;
    }
    if (!*fine) goto done;
    fmpz_mpoly_q_set_fmpz(&generator, fmpz_mpoly_q_denref(difference)->coeffs, space->ctx);
    TRY(mmm_value_divide(space, &slope, &slope, &generator));
    fmpz_mpoly_q_gen(&generator, variable, space->ctx);
    fmpz_mpoly_q_set(image, &generator, space->ctx);
    TRY(mmm_value_multiply(space, &generator, &generator, &slope));
    TRY(mmm_value_subtract(space, &generator, difference, &generator)); /* rest */
    TRY(mmm_value_subtract(space, image, image, &generator));
    TRY(mmm_value_divide(space, image, image, &slope));
done:
    mmm_value_clear(space, &slope);
    mmm_value_clear(space, &generator);
    return result;
}

/* ---- Proofs -------------------------------------------------------------------------------------------------------
 */

typedef struct proof {
    mmm_space *space;
    const mmm_region *region;
    bool eliminated[MMM_ATOMS], strict[MMM_ATOMS];
} proof;

/* With no coefficient negative: 1, and 2 when some term is positive; 0 otherwise. */
static int coefficients(const proof *p, const fmpz_mpoly_struct *q)
{
    int level = 1;
    for (slong i = 0; i < q->length; i++) {
        bool positive = true;
        if (fmpz_sgn(q->coeffs + i) < 0) return 0;
        for (int j = 0; j < p->space->count; j++)
            if (fmpz_mpoly_get_term_var_exp_ui(q, i, j, p->space->ctx) && !p->strict[j]) positive = false;
        if (positive) level = 2;
    }
    return level;
}

/* Shifts every atom that is left by its least value, and looks at the coefficients. */
static mmm_status shifted(proof *p, const mmm_fraction *value, int *level)
{
    mmm_status result = MMM_OK;
    mmm_space *space = p->space;
    mmm_fraction images[MMM_ATOMS], out;
    const mmm_fraction *pointers[MMM_ATOMS] = {0};
    int made = 0;
    *level = 0;
    mmm_value_init(space, &out);
    for (; made < space->count; made++) {
        mmm_value_init(space, &images[made]);
        if (p->eliminated[made] || !mmm_value_uses(space, value, made)) continue;
        if (!shift_atom(space, p->region, made, &images[made], &p->strict[made])) {
            made++;
            goto done;
        }
        pointers[made] = &images[made];
    }
    TRY(mmm_value_compose(space, &out, value, pointers));
    int bottom = coefficients(p, fmpz_mpoly_q_denref(&out)), top = coefficients(p, fmpz_mpoly_q_numref(&out));
    if (bottom > 0 && top > 0) *level = top;
done:
    while (made-- > 0)
        mmm_value_clear(space, &images[made]);
    mmm_value_clear(space, &out);
    return result;
}

/* log2(v) in terms of log2(w) where v >= k w is known, k >= 1. */
static void logarithm_image(mmm_space *space, const mmm_fraction *difference, int variable, mmm_fraction *image,
                            int *atom)
{
    const fmpz_mpoly_struct *top = fmpz_mpoly_q_numref(difference);
    slong own_term = top->length == 2 && fmpz_mpoly_get_term_var_exp_ui(top, 1, variable, space->ctx) ? 1 : 0;
    fmpz_t sum;
    fmpz_init(sum);
    *atom = mmm_space_find(space, ATOM_LOG, variable);
    /* v - k w with k >= 1: the sum of the coefficients is not positive. */
    if (top->length == 2) fmpz_add(sum, top->coeffs, top->coeffs + 1);
    bool fits = *atom >= 0 && top->length == 2 && fmpz_sgn(sum) <= 0 && fmpz_sgn(top->coeffs + own_term) > 0 &&
                fmpz_mpoly_total_degree_si(top, space->ctx) == 1;
    fmpz_clear(sum);
    for (int w = 0; w < space->count && fits; w++) {
        int log = mmm_space_find(space, ATOM_LOG, w);
        if (w == variable || log < 0 || fmpz_mpoly_degree_si(top, w, space->ctx) != 1) continue;
        fmpz_mpoly_q_gen(image, log, space->ctx);
        mmm_fraction own;
        mmm_value_init(space, &own);
        fmpz_mpoly_q_gen(&own, *atom, space->ctx);
        fmpz_mpoly_q_add(image, image, &own, space->ctx);
        mmm_value_clear(space, &own);
        return;
    }
    *atom = -1;
}

/* Uses one relation, then the next, up to `depth` of them, and shifts what is left. */
static mmm_status prove(proof *p, const mmm_fraction *value, int depth, int64_t from, int *level)
{
    mmm_status result = MMM_OK;
    mmm_space *space = p->space;
    mmm_fraction image, log, next, difference;
    fmpq_t slope, rest;
    mmm_value_init(space, &image);
    mmm_value_init(space, &log);
    mmm_value_init(space, &next);
    mmm_value_init(space, &difference);
    fmpq_init(slope);
    fmpq_init(rest);
    TRY(shifted(p, value, level));
    if (*level == 2) goto done;
    for (int64_t i = from; i < p->region->count && depth > 0; i++)
        for (int v = 0; v < space->count; v++) {
            const mmm_fraction *d = &p->region->differences[i];
            bool fine;
            int best = *level, atom;
            if (p->eliminated[v] || space->atoms[v].kind != ATOM_VARIABLE || !mmm_value_uses(space, d, v) ||
                !mmm_value_mentions(space, value, v) ||
                (mmm_linear_bound(space, d, v, slope, rest) && fmpq_sgn(slope) > 0)) /* shifted() does that */
                continue;
            for (int w = 0; w < space->count; w++)
                if (p->eliminated[w] && mmm_value_mentions(space, d, w)) goto skip;
            TRY(relation_image(space, d, v, &image, &fine));
            if (!fine) continue;
            const mmm_fraction *images[MMM_ATOMS] = {0};
            images[v] = &image;
            logarithm_image(space, d, v, &log, &atom);
            if (atom >= 0) images[atom] = &log;
            TRY(mmm_value_compose(space, &next, value, images));
            p->eliminated[v] = true;
            p->strict[v] = p->region->strict[i];
            if (atom >= 0) p->eliminated[atom] = true, p->strict[atom] = p->region->strict[i];
            result = prove(p, &next, depth - 1, i + 1, level);
            p->eliminated[v] = false;
            if (atom >= 0) p->eliminated[atom] = false;
            if (result != MMM_OK) goto done;
            if (*level < best) *level = best;
            if (*level == 2) goto done;
        skip:;
        }
done:
    fmpq_clear(slope);
    fmpq_clear(rest);
    mmm_value_clear(space, &image);
    mmm_value_clear(space, &log);
    mmm_value_clear(space, &next);
    mmm_value_clear(space, &difference);
    return result;
}

/* *level: 2 shown positive, 1 shown not negative, 0 not shown. */
mmm_status mmm_region_prove(mmm_space *space, const mmm_region *region, const mmm_fraction *value, int *level)
{
    enum { PROOF = 300000 }; /* a proof that takes more is none */
    for (int64_t i = 0; i < region->count; i++) /* it is one of the relations itself */
        if (mmm_value_same(space, value, &region->differences[i])) return *level = region->strict[i] ? 2 : 1, MMM_OK;
    mmm_region more = {0};
    mmm_status result = MMM_OK;
    const bool rounds = mmm_value_rounds(space, value);
    if (rounds) result = mmm_region_rounded(space, region, value, &more);
    proof p = {.space = space, .region = rounds ? &more : region};
    const int64_t budget = space->budget, own = budget < PROOF ? budget : PROOF;
    space->budget = own;
    if (result == MMM_OK) result = prove(&p, value, 3, 0, level);
    space->budget += budget - own;
    mmm_region_free(space, &more);
    if (result != MMM_TOO_LARGE) return result;
    *level = 0;
    return MMM_OK;
}
