/* SPDX-License-Identifier: Apache-2.0 */
/* Values: arithmetic on rational functions, bounded so that no expression can take all memory or time. */
#include "algebra/algebra.h"

void mmm_value_init(mmm_space *space, mmm_fraction *value)
{
    fmpz_mpoly_q_init(value, space->ctx);
}

void mmm_value_clear(mmm_space *space, mmm_fraction *value)
{
    fmpz_mpoly_q_clear(value, space->ctx);
}

/* Charges an operation whose work is about `cost` term products. */
static mmm_status charge(mmm_space *space, double cost)
{
    if (cost > (double)space->budget || cost > MMM_PRODUCT) {
        return mmm_fail(MMM_TOO_LARGE, "the expression grows too large to work with");
    }
    space->budget -= (int64_t)cost + 1;
    return MMM_OK;
}

static mmm_status check_polynomial(mmm_space *space, const fmpz_mpoly_struct *p)
{
    if (p->length > MMM_TERMS) return mmm_fail(MMM_TOO_LARGE, "the expression grows beyond %d terms", MMM_TERMS);
    if (fmpz_mpoly_max_bits(p) > MMM_BITS || fmpz_mpoly_max_bits(p) < -MMM_BITS)
        return mmm_fail(MMM_TOO_LARGE, "the expression has numbers of more than %d bits", MMM_BITS);
    if (p->length &&
        (!fmpz_mpoly_total_degree_fits_si(p, space->ctx) || fmpz_mpoly_total_degree_si(p, space->ctx) > MMM_DEGREE))
        return mmm_fail(MMM_TOO_LARGE, "the expression has powers beyond %d", MMM_DEGREE);
    return MMM_OK;
}

static mmm_status check(mmm_space *space, const mmm_fraction *value)
{
    mmm_status result = check_polynomial(space, fmpz_mpoly_q_numref(value));
    return result == MMM_OK ? check_polynomial(space, fmpz_mpoly_q_denref(value)) : result;
}

static double top(const mmm_fraction *a)
{
    return (double)fmpz_mpoly_q_numref(a)->length + 1;
}

static double bottom(const mmm_fraction *a)
{
    return (double)fmpz_mpoly_q_denref(a)->length + 1;
}

static mmm_status charge_pair(mmm_space *space, const mmm_fraction *a, const mmm_fraction *b)
{
    return charge(space, (top(a) + bottom(a)) * (top(b) + bottom(b)));
}

mmm_status mmm_value_add(mmm_space *space, mmm_fraction *out, const mmm_fraction *a, const mmm_fraction *b)
{
    mmm_status result = charge_pair(space, a, b);
    if (result != MMM_OK) return result;
    fmpz_mpoly_q_add(out, a, b, space->ctx);
    return check(space, out);
}

mmm_status mmm_value_subtract(mmm_space *space, mmm_fraction *out, const mmm_fraction *a, const mmm_fraction *b)
{
    mmm_status result = charge_pair(space, a, b);
    if (result != MMM_OK) return result;
    fmpz_mpoly_q_sub(out, a, b, space->ctx);
    return check(space, out);
}

mmm_status mmm_value_multiply(mmm_space *space, mmm_fraction *out, const mmm_fraction *a, const mmm_fraction *b)
{
    mmm_status result = charge_pair(space, a, b);
    if (result != MMM_OK) return result;
    fmpz_mpoly_q_mul(out, a, b, space->ctx);
    return check(space, out);
}

mmm_status mmm_value_divide(mmm_space *space, mmm_fraction *out, const mmm_fraction *a, const mmm_fraction *b)
{
    if (fmpz_mpoly_q_is_zero(b, space->ctx)) return mmm_fail(MMM_INVALID, "division by zero");
    mmm_status result = charge_pair(space, a, b);
    if (result != MMM_OK) return result;
    fmpz_mpoly_q_div(out, a, b, space->ctx);
    return check(space, out);
}

/* A sum of t terms to the power e has at most binomial(t + e - 1, e) terms. */
static bool power_fits(const mmm_space *space, const fmpz_mpoly_struct *p, int64_t exponent)
{
    double terms = 1;
    int64_t smaller = p->length - 1 < exponent ? p->length - 1 : exponent;
    for (int64_t i = 1; i <= smaller && terms < 1e9; i++)
        terms *= (double)(p->length - 1 + exponent - smaller + i) / (double)i;
    slong bits = fmpz_mpoly_max_bits(p);
    double degree = p->length ? (double)fmpz_mpoly_total_degree_si(p, space->ctx) : 0;
    return terms <= MMM_TERMS && (double)(bits < 0 ? -bits : bits) * (double)exponent <= MMM_BITS + (double)exponent &&
           degree * (double)exponent <= MMM_DEGREE;
}

mmm_status mmm_value_raise(mmm_space *space, mmm_fraction *out, const mmm_fraction *a, int64_t exponent)
{
    mmm_status result = MMM_OK;
    bool inverse = exponent < 0;
    if (exponent > MMM_BITS || exponent < -MMM_BITS) return mmm_fail(MMM_TOO_LARGE, "a power beyond %d", MMM_BITS);
    if (inverse) exponent = -exponent;
    if (inverse && fmpz_mpoly_q_is_zero(a, space->ctx)) return mmm_fail(MMM_INVALID, "division by zero");
    if (!power_fits(space, fmpz_mpoly_q_numref(a), exponent) || !power_fits(space, fmpz_mpoly_q_denref(a), exponent))
        return mmm_fail(MMM_TOO_LARGE, "a power that grows too large to work with");
    result = charge(space, 4096.0);
    if (result != MMM_OK) return result;
    /* Powers of coprime polynomials are coprime: the quotient stays canonical. */
    if (!fmpz_mpoly_pow_ui(fmpz_mpoly_q_numref(out), fmpz_mpoly_q_numref(a), (ulong)exponent, space->ctx) ||
        !fmpz_mpoly_pow_ui(fmpz_mpoly_q_denref(out), fmpz_mpoly_q_denref(a), (ulong)exponent, space->ctx))
        return mmm_fail(MMM_TOO_LARGE, "a power that grows too large to work with");
    if (inverse) fmpz_mpoly_q_inv(out, out, space->ctx);
    return check(space, out);
}

bool mmm_value_uses(const mmm_space *space, const mmm_fraction *value, int atom)
{
    return fmpz_mpoly_degree_si(fmpz_mpoly_q_numref(value), atom, space->ctx) > 0 ||
           fmpz_mpoly_degree_si(fmpz_mpoly_q_denref(value), atom, space->ctx) > 0;
}

static bool atom_mentions(const mmm_space *space, int atom, int variable)
{
    const mmm_atom *a = &space->atoms[atom];
    if (atom == variable || (a->kind == ATOM_POWER && a->variable == variable)) return true;
    if (a->kind != ATOM_LOG && !mmm_atom_rounds(a)) return false;
    /* The argument of an atom only has atoms that came before it: this ends. */
    for (int i = 0; i < atom; i++)
        if ((fmpz_mpoly_degree_si(&a->argument, i, space->ctx) > 0 ||
             (mmm_atom_rounds(a) && fmpz_mpoly_degree_si(&a->below, i, space->ctx) > 0)) &&
            atom_mentions(space, i, variable))
            return true;
    return false;
}

bool mmm_value_mentions(const mmm_space *space, const mmm_fraction *value, int variable)
{
    for (int i = 0; i < space->count; i++)
        if (mmm_value_uses(space, value, i) && atom_mentions(space, i, variable)) return true;
    return false;
}

bool mmm_value_same(const mmm_space *space, const mmm_fraction *a, const mmm_fraction *b)
{
    return fmpz_mpoly_q_equal(a, b, space->ctx);
}

/* Whether factoring it takes longer than somebody waits: (n + s)^54 + 1 took 15 seconds. */
static bool is_large(const mmm_space *space, const fmpz_mpoly_struct *p)
{
    int atoms = 0;
    if (p->length > MMM_FACTORED || !fmpz_mpoly_total_degree_fits_si(p, space->ctx)) return true;
    for (int i = 0; i < space->count; i++)
        atoms += fmpz_mpoly_degree_si(p, i, space->ctx) > 0;
    return atoms > 1 && fmpz_mpoly_total_degree_si(p, space->ctx) > MMM_FACTORED_TO;
}

/* Large polynomials are left whole but for their content, so that no factorisation takes for ever. */
bool mmm_factor(mmm_space *space, fmpz_mpoly_factor_t factors, const fmpz_mpoly_struct *p)
{
    if (!is_large(space, p)) return fmpz_mpoly_factor(factors, p, space->ctx);
    fmpz_mpoly_t content, rest, atom;
    fmpz_mpoly_init(content, space->ctx);
    fmpz_mpoly_init(rest, space->ctx);
    fmpz_mpoly_init(atom, space->ctx);
    fmpz_mpoly_term_content(content, p, space->ctx);
    bool fine = fmpz_mpoly_divides(rest, p, content, space->ctx);
    fmpz_mpoly_factor_set_fmpz(factors, content->coeffs, space->ctx);
    fmpz_mpoly_factor_append_ui(factors, rest, 1, space->ctx);
    for (int i = 0; i < space->count; i++) {
        ulong exponent = fmpz_mpoly_get_term_var_exp_ui(content, 0, i, space->ctx);
        if (!exponent) continue;
        fmpz_mpoly_gen(atom, i, space->ctx);
        fmpz_mpoly_factor_append_ui(factors, atom, exponent, space->ctx);
    }
    fmpz_mpoly_clear(content, space->ctx);
    fmpz_mpoly_clear(rest, space->ctx);
    fmpz_mpoly_clear(atom, space->ctx);
    return fine;
}
