/* SPDX-License-Identifier: Apache-2.0 */
/* Limits as a variable grows: log2(v) grows slower than v, v slower than 2^v, and nothing else may depend on v but what
 * is rounded, which is within 1 of what it was. */
#include "algebra/algebra.h"

#include <stdio.h>

enum { SCALES = 3 };

typedef struct growth {
    int atoms[SCALES]; /* 2^v, v, log2(v); -1 where the space has none */
} growth;

/* Whether what the value depends on grows in one of the known ways. */
static bool known_growth(const mmm_space *space, const mmm_fraction *value, int variable, growth *g)
{
    g->atoms[0] = mmm_space_find(space, ATOM_POWER, variable);
    g->atoms[1] = variable;
    g->atoms[2] = mmm_space_find(space, ATOM_LOG, variable);
    mmm_fraction atom;
    mmm_value_init((mmm_space *)space, &atom);
    bool known = true;
    for (int i = 0; i < space->count; i++) {
        if (i == g->atoms[0] || i == g->atoms[1] || i == g->atoms[2] || !mmm_value_uses(space, value, i)) continue;
        fmpz_mpoly_q_gen(&atom, i, space->ctx);
        if (mmm_value_mentions(space, &atom, variable)) known = false;
    }
    mmm_value_clear((mmm_space *)space, &atom);
    return known;
}

static int compare(const ulong *a, const ulong *b)
{
    for (int i = 0; i < SCALES; i++)
        if (a[i] != b[i]) return a[i] > b[i] ? 1 : -1;
    return 0;
}

static void term_growth(const mmm_space *space, const fmpz_mpoly_struct *p, slong term, const growth *g, ulong *out)
{
    for (int i = 0; i < SCALES; i++)
        out[i] = g->atoms[i] < 0 ? 0 : fmpz_mpoly_get_term_var_exp_ui(p, term, g->atoms[i], space->ctx);
}

/* The terms that grow fastest; `strip` divides them by their growth. */
static void leading(mmm_space *space, const fmpz_mpoly_struct *p, const growth *g, bool strip, mmm_fraction *out,
                    ulong *most)
{
    for (int i = 0; i < SCALES; i++)
        most[i] = 0;
    for (slong i = 0; i < p->length; i++) {
        ulong own[SCALES];
        term_growth(space, p, i, g, own);
        if (compare(own, most) > 0)
            for (int j = 0; j < SCALES; j++)
                most[j] = own[j];
    }
    fmpz_mpoly_struct *sum = fmpz_mpoly_q_numref(out);
    fmpz_mpoly_q_zero(out, space->ctx);
    for (slong i = 0; i < p->length; i++) {
        ulong own[SCALES], exponents[MMM_ATOMS];
        term_growth(space, p, i, g, own);
        if (compare(own, most) != 0) continue;
        fmpz_mpoly_get_term_exp_ui(exponents, p, i, space->ctx);
        for (int j = 0; j < SCALES && strip; j++)
            if (g->atoms[j] >= 0) exponents[g->atoms[j]] = 0;
        fmpz_mpoly_push_term_fmpz_ui(sum, p->coeffs + i, exponents, space->ctx);
    }
    fmpz_mpoly_sort_terms(sum, space->ctx);
    fmpz_mpoly_combine_like_terms(sum, space->ctx);
}

mmm_status mmm_value_leading(mmm_space *space, const mmm_fraction *value, int variable, mmm_fraction *out, bool *known)
{
    mmm_status result = MMM_OK;
    growth g;
    ulong most[SCALES];
    mmm_fraction top, bottom;
    mmm_value_init(space, &top);
    mmm_value_init(space, &bottom);
    *known = known_growth(space, value, variable, &g);
    if (!*known) goto done;
    leading(space, fmpz_mpoly_q_numref(value), &g, false, &top, most);
    leading(space, fmpz_mpoly_q_denref(value), &g, false, &bottom, most);
    TRY(mmm_value_divide(space, out, &top, &bottom));
done:
    mmm_value_clear(space, &top);
    mmm_value_clear(space, &bottom);
    return result;
}

static mmm_status limit_of_rounded(mmm_space *space, const mmm_region *region, const mmm_fraction *value, int variable,
                                   mmm_fraction *out, mmm_limit_kind *kind);

mmm_status mmm_value_limit(mmm_space *space, const mmm_region *region, const mmm_fraction *value, int variable,
                           mmm_fraction *out, mmm_limit_kind *kind)
{
    mmm_status result = MMM_OK;
    growth g;
    ulong above[SCALES], below[SCALES];
    mmm_fraction top, bottom;
    mmm_sign sign;
    mmm_value_init(space, &top);
    mmm_value_init(space, &bottom);
    *kind = LIMIT_UNKNOWN;
    if (!mmm_value_mentions(space, value, variable)) {
        fmpz_mpoly_q_set(out, value, space->ctx);
        *kind = LIMIT_FINITE;
        goto done;
    }
    if (!known_growth(space, value, variable, &g)) {
        if (mmm_value_rounds(space, value)) TRY(limit_of_rounded(space, region, value, variable, out, kind));
        goto done;
    }
    leading(space, fmpz_mpoly_q_numref(value), &g, true, &top, above);
    leading(space, fmpz_mpoly_q_denref(value), &g, true, &bottom, below);
    /* Where the leading coefficient below may vanish, the limit would be another. */
    TRY(mmm_value_sign(space, region, &bottom, &sign));
    if (sign != SIGN_POSITIVE && sign != SIGN_NEGATIVE) goto done;
    int order = compare(above, below);
    if (order < 0) {
        fmpz_mpoly_q_zero(out, space->ctx);
        *kind = LIMIT_FINITE;
        goto done;
    }
    TRY(mmm_value_divide(space, &top, &top, &bottom));
    if (order == 0) {
        fmpz_mpoly_q_swap(out, &top, space->ctx);
        *kind = LIMIT_FINITE;
        goto done;
    }
    TRY(mmm_value_sign(space, region, &top, &sign));
    *kind = sign == SIGN_POSITIVE ? LIMIT_PLUS : sign == SIGN_NEGATIVE ? LIMIT_MINUS : LIMIT_UNKNOWN;
done:
    mmm_value_clear(space, &top);
    mmm_value_clear(space, &bottom);
    return result;
}

/* Between 1 and 2, one for each atom that rounds. */
static mmm_status add_part(mmm_space *space, mmm_region *region, int atom, int *part)
{
    mmm_status result = MMM_OK;
    char name[MMM_NAME + 1];
    snprintf(name, sizeof name, "part(%d)", atom);
    TRY(mmm_space_variable(space, name, part));
    for (int i = 0; i < 2; i++) {
        TRY(mmm_grow(&region->differences, &region->room, region->count + 1, sizeof *region->differences));
        TRY(mmm_grow(&region->strict, &region->strict_room, region->count + 1, sizeof *region->strict));
        mmm_fraction *difference = &region->differences[region->count];
        mmm_value_init(space, difference);
        region->strict[region->count++] = false;
        fmpz_mpoly_q_gen(difference, *part, space->ctx);
        fmpz_mpoly_q_sub_si(difference, difference, i + 1, space->ctx);
        if (i) fmpz_mpoly_q_neg(difference, difference, space->ctx);
    }
done:
    return result;
}

/* ceil(x) is x + t and floor(x) is x - t, with t from 0 to 1: where the limit is the same for all t, it is the limit,
 * for what t is multiplied with is bounded, and what stands below stays away from 0. */
static mmm_status limit_of_rounded(mmm_space *space, const mmm_region *region, const mmm_fraction *value, int variable,
                                   mmm_fraction *out, mmm_limit_kind *kind)
{
    mmm_status result = MMM_OK;
    mmm_region more = {0};
    mmm_fraction x, image, limit, none;
    int parts[MMM_ATOMS], count = 0;
    const int atoms = space->count;
    mmm_value_init(space, &x);
    mmm_value_init(space, &image);
    mmm_value_init(space, &limit);
    mmm_value_init(space, &none);
    fmpz_mpoly_q_set(&x, value, space->ctx);
    TRY(mmm_region_rounded(space, region, &none, &more)); /* a copy */
    for (int i = atoms - 1; i >= 0; i--) {
        const mmm_fraction *images[MMM_ATOMS] = {0};
        if (!mmm_atom_rounds(&space->atoms[i]) || !mmm_value_uses(space, &x, i)) continue;
        mmm_atom_argument(space, i, &limit);
        if (!mmm_value_mentions(space, &limit, variable)) continue;
        if (space->count == MMM_ATOMS) goto done;
        TRY(add_part(space, &more, i, &parts[count]));
        fmpz_mpoly_q_gen(&image, parts[count++], space->ctx);
        fmpz_mpoly_q_sub_si(&image, &image, 1, space->ctx);
        if (space->atoms[i].kind == ATOM_FLOOR) fmpz_mpoly_q_neg(&image, &image, space->ctx);
        TRY(mmm_value_add(space, &image, &image, &limit));
        images[i] = &image;
        TRY(mmm_value_compose(space, &x, &x, images));
    }
    if (count) TRY(mmm_value_limit(space, &more, &x, variable, &limit, kind)); /* else it has log2 of what is rounded */
    for (int i = 0; i < count && *kind == LIMIT_FINITE; i++)
        if (mmm_value_mentions(space, &limit, parts[i])) *kind = LIMIT_UNKNOWN;
    if (*kind == LIMIT_FINITE) fmpz_mpoly_q_swap(out, &limit, space->ctx);
done:
    mmm_region_free(space, &more);
    mmm_value_clear(space, &x);
    mmm_value_clear(space, &image);
    mmm_value_clear(space, &limit);
    mmm_value_clear(space, &none);
    return result;
}
