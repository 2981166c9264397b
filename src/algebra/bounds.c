/* SPDX-License-Identifier: Apache-2.0 */
/* How small a parameter, its logarithm or its power of 2 can be where the relations of a region hold.
 *
 * Of a v - (b w + ...) - c >= 0 with a, b > 0 follows that v is at least (b least(w) + ... + c)/a; of log2(v) >= k that
 * v is at least 2^k, and so on, a few relations deep. */
#include "algebra/algebra.h"

#include <string.h>

enum { DEPTH = 3 };

/* Whether value = slope * variable + rest, with numbers for both. */
bool mmm_linear_bound(const mmm_space *space, const mmm_fraction *value, int variable, fmpq_t slope, fmpq_t rest)
{
    const fmpz_mpoly_struct *top = fmpz_mpoly_q_numref(value), *bottom = fmpz_mpoly_q_denref(value);
    if (!fmpz_mpoly_is_fmpz(bottom, space->ctx)) return false;
    fmpq_zero(slope);
    fmpq_zero(rest);
    for (slong i = 0; i < top->length; i++) {
        ulong degree = 0;
        for (int j = 0; j < space->count; j++)
            degree += fmpz_mpoly_get_term_var_exp_ui(top, i, j, space->ctx);
        ulong own = fmpz_mpoly_get_term_var_exp_ui(top, i, variable, space->ctx);
        if (degree != own || own > 1) return false;
        fmpz_set(fmpq_numref(own ? slope : rest), top->coeffs + i);
        fmpz_set(fmpq_denref(own ? slope : rest), bottom->coeffs);
        fmpq_canonicalise(own ? slope : rest);
    }
    return !fmpq_is_zero(slope);
}

void mmm_region_lower(const mmm_space *space, const mmm_region *region, int variable, fmpq_t lower, bool *strict)
{
    fmpq_t slope, rest;
    fmpq_init(slope);
    fmpq_init(rest);
    fmpq_zero(lower);
    *strict = true; /* parameters are positive */
    for (int64_t i = 0; i < region->count; i++) {
        if (!mmm_linear_bound(space, &region->differences[i], variable, slope, rest) || fmpq_sgn(slope) < 0) continue;
        fmpq_div(rest, rest, slope);
        fmpq_neg(rest, rest);
        int order = fmpq_cmp(rest, lower);
        if (order > 0 || (order == 0 && region->strict[i])) {
            fmpq_set(lower, rest);
            *strict = region->strict[i];
        }
    }
    fmpq_clear(slope);
    fmpq_clear(rest);
}

/* A bound under way; without `known` there is none. */
typedef struct bound {
    fmpq_t value;
    bool strict, known;
} bound;

static void raise_bound(bound *b, const fmpq_t value, bool strict)
{
    int order = b->known ? fmpq_cmp(value, b->value) : 1;
    if (order > 0) fmpq_set(b->value, value), b->strict = strict;
    if (order == 0) b->strict = b->strict || strict;
    b->known = true;
}

/* floor(log2 of a number that is at least 1) as a bound, or 2^floor of one. */
static void raise_by_log(bound *b, const fmpq_t value, bool strict)
{
    fmpz_t whole;
    fmpq_t log, power;
    fmpz_init(whole);
    fmpq_init(log);
    fmpq_init(power);
    fmpz_fdiv_q(whole, fmpq_numref(value), fmpq_denref(value));
    if (fmpz_sgn(whole) > 0) {
        fmpq_set_si(log, (slong)fmpz_bits(whole) - 1, 1);
        fmpz_one_2exp(fmpq_numref(power), fmpz_bits(whole) - 1);
        raise_bound(b, log, strict || !fmpq_equal(power, value));
    }
    fmpz_clear(whole);
    fmpq_clear(log);
    fmpq_clear(power);
}

static void raise_by_power(bound *b, const fmpq_t value, bool strict)
{
    fmpz_t whole;
    fmpq_t power;
    fmpz_init(whole);
    fmpq_init(power);
    fmpz_fdiv_q(whole, fmpq_numref(value), fmpq_denref(value));
    strict = strict || !fmpz_is_one(fmpq_denref(value));
    if (fmpz_cmp_ui(whole, 1000) > 0) fmpz_set_ui(whole, 1000), strict = true;
    if (fmpz_sgn(whole) >= 0) {
        fmpz_one_2exp(fmpq_numref(power), fmpz_get_ui(whole));
        raise_bound(b, power, strict);
    }
    fmpz_clear(whole);
    fmpq_clear(power);
}

static void find(const mmm_space *space, const mmm_region *region, int atom, int depth, bound *out);

/* The least value of one term without its sign: a number times powers of atoms. */
static bool term_least(const mmm_space *space, const mmm_region *region, const fmpz_mpoly_struct *p, slong term,
                       int depth, fmpq_t least, bool *strict)
{
    bound b;
    bool fine = true, above = false;
    fmpq_init(b.value);
    fmpz_abs(fmpq_numref(least), p->coeffs + term);
    fmpz_one(fmpq_denref(least));
    for (int j = 0; j < space->count && fine; j++) {
        ulong exponent = fmpz_mpoly_get_term_var_exp_ui(p, term, j, space->ctx);
        if (!exponent) continue;
        find(space, region, j, depth, &b);
        fine = b.known && fmpq_sgn(b.value) >= 0;
        above = above || (fine && b.strict);
        for (ulong i = 0; i < exponent && fine; i++)
            fmpq_mul(least, least, b.value);
    }
    *strict = above && !fmpq_is_zero(least);
    fmpq_clear(b.value);
    return fine;
}

/* What one relation says of the atom. */
static void use_relation(const mmm_space *space, const mmm_region *region, int64_t relation, int atom, int depth,
                         bound *out)
{
    const mmm_fraction *d = &region->differences[relation];
    const fmpz_mpoly_struct *top = fmpz_mpoly_q_numref(d);
    bool strict = region->strict[relation], fine = fmpz_mpoly_is_fmpz(fmpz_mpoly_q_denref(d), space->ctx), above;
    fmpq_t slope, sum, least;
    if (!fine || fmpz_mpoly_degree_si(top, atom, space->ctx) != 1) return;
    fmpq_init(slope);
    fmpq_init(sum);
    fmpq_init(least);
    for (slong i = 0; i < top->length && fine; i++) {
        ulong degree = 0;
        for (int j = 0; j < space->count; j++)
            degree += fmpz_mpoly_get_term_var_exp_ui(top, i, j, space->ctx);
        if (fmpz_mpoly_get_term_var_exp_ui(top, i, atom, space->ctx)) {
            fine = degree == 1;
            fmpz_set(fmpq_numref(slope), top->coeffs + i);
        } else if (degree == 0) {
            fmpq_sub_fmpz(sum, sum, top->coeffs + i);
        } else {
            fine = fmpz_sgn(top->coeffs + i) < 0 && depth > 0 &&
                   term_least(space, region, top, i, depth - 1, least, &above);
            if (fine) fmpq_add(sum, sum, least), strict = strict || above;
        }
    }
    if (fine && fmpq_sgn(slope) > 0) {
        fmpq_div(sum, sum, slope);
        raise_bound(out, sum, strict);
    }
    fmpq_clear(slope);
    fmpq_clear(sum);
    fmpq_clear(least);
}

static void find(const mmm_space *space, const mmm_region *region, int atom, int depth, bound *out)
{
    const mmm_atom *a = &space->atoms[atom];
    bound other = {.strict = false};
    fmpq_init(other.value);
    fmpq_zero(out->value);
    out->known = a->kind == ATOM_VARIABLE || a->kind == ATOM_POWER; /* which are positive */
    out->strict = true;
    for (int64_t i = 0; i < region->count; i++)
        use_relation(space, region, i, atom, depth, out);
    if (a->kind == ATOM_LOG && fmpz_mpoly_is_fmpz(&a->argument, space->ctx)) {
        fmpz_mpoly_get_fmpz(fmpq_numref(other.value), &a->argument, space->ctx);
        raise_by_log(out, other.value, false);
    } else if (a->kind == ATOM_LOG && a->variable >= 0 && depth > 0) {
        find(space, region, a->variable, depth - 1, &other);
        raise_by_log(out, other.value, other.strict);
    } else if (mmm_atom_rounds(a) && mmm_positive(space, &a->argument) && mmm_positive(space, &a->below)) {
        fmpq_set_si(other.value, a->kind == ATOM_CEIL, 1);
        raise_bound(out, other.value, false);
    } else if (a->kind == ATOM_POWER && depth > 0) {
        find(space, region, a->variable, depth - 1, &other);
        raise_by_power(out, other.value, other.strict);
    } else if (a->kind == ATOM_VARIABLE && depth > 0) {
        int log = mmm_space_find(space, ATOM_LOG, atom), power = mmm_space_find(space, ATOM_POWER, atom);
        if (log >= 0) find(space, region, log, depth - 1, &other);
        if (log >= 0 && other.known) raise_by_power(out, other.value, other.strict);
        if (power >= 0) find(space, region, power, depth - 1, &other);
        if (power >= 0) raise_by_log(out, other.value, other.strict);
    }
    fmpq_clear(other.value);
}

bool mmm_region_least(const mmm_space *space, const mmm_region *region, int atom, fmpq_t least, bool *strict)
{
    bound b;
    fmpq_init(b.value);
    find(space, region, atom, DEPTH, &b);
    fmpq_set(least, b.value);
    *strict = b.strict;
    fmpq_clear(b.value);
    return b.known;
}
