/* SPDX-License-Identifier: Apache-2.0 */
/* Polynomials over Q: their numerators are polynomials over Z, and only the ends of a function see denominators. */
#include "integer/integer.h"

#include <flint/fmpq_poly.h>

/* The numerator as a polynomial, borrowed. */
static fmpz_poly_struct numerator(const fmpq_poly_t a)
{
    return (fmpz_poly_struct){.coeffs = a->coeffs, .alloc = a->alloc, .length = a->length};
}

static mmm_status check(const fmpq_poly_struct *a, const char *name)
{
    if (!a) return mmm_fail(MMM_INVALID, "the polynomial %s is NULL", name);
    if (fmpz_sgn(a->den) <= 0) return mmm_fail(MMM_INVALID, "the denominator of %s is not positive", name);
    return MMM_OK;
}

/* out = num factor / (den1 den2), in FLINT's form; `factor` and the denominators may be NULL, which is 1. */
typedef struct quotient {
    const fmpz_poly_struct *num;
    const fmpz *factor, *den1, *den2;
    fmpq_poly_t out;
} quotient;

static mmm_status compose(void *context)
{
    quotient *z = context;
    fmpq_poly_init2(z->out, z->num->length);
    _fmpz_vec_set(z->out->coeffs, z->num->coeffs, z->num->length);
    _fmpq_poly_set_length(z->out, z->num->length);
    if (z->den1) fmpz_set(z->out->den, z->den1);
    if (z->den2) fmpz_mul(z->out->den, z->out->den, z->den2);
    if (fmpz_sgn(z->out->den) < 0) {
        fmpz_neg(z->out->den, z->out->den);
        _fmpz_vec_neg(z->out->coeffs, z->out->coeffs, z->num->length);
    }
    if (z->factor) _fmpz_vec_scalar_mul_fmpz(z->out->coeffs, z->out->coeffs, z->num->length, z->factor);
    fmpq_poly_canonicalise(z->out);
    return MMM_OK;
}

static mmm_status give(quotient z, fmpq_poly_t out)
{
    MMM_TRY(mmm_guarded(compose, &z));
    fmpq_poly_swap(out, z.out);
    fmpq_poly_clear(z.out);
    return MMM_OK;
}

/* A function over Z on the numerators, and its result over both denominators, or else made monic. */
typedef mmm_status over_integers(mmm_machine *machine, fmpz_poly_t f, const fmpz_poly_t a, const fmpz_poly_t b,
                                 mmm_integer_facts *facts);

static mmm_status operate(over_integers *function, bool monic, mmm_machine *machine, fmpq_poly_t out,
                          const fmpq_poly_t a, const fmpq_poly_t b, mmm_integer_facts *facts)
{
    mmm_status result = MMM_OK;
    fmpz_poly_t found;
    MMM_TRY(check(a, "a"));
    MMM_TRY(check(b, "b"));
    const fmpz_poly_struct x = numerator(a), y = numerator(b);
    fmpz_poly_init(found);
    TRY(function(machine, found, &x, &y, facts));
    const slong terms = fmpz_poly_length(found);
    const fmpz *lead = terms ? found->coeffs + terms - 1 : NULL;
    TRY(give((quotient){.num = found, .den1 = monic ? lead : a->den, .den2 = monic ? NULL : b->den}, out));
done:
    fmpz_poly_clear(found);
    return result;
}

mmm_status mmm_rational_multiply(mmm_machine *machine, fmpq_poly_t f, const fmpq_poly_t a, const fmpq_poly_t b,
                                 mmm_integer_facts *facts)
{
    NEED(machine, "the machine");
    NEED(f, "the polynomial f");
    return operate(mmm_integer_multiply, false, machine, f, a, b, facts);
}

mmm_status mmm_rational_gcd(mmm_machine *machine, fmpq_poly_t g, const fmpq_poly_t a, const fmpq_poly_t b,
                            mmm_integer_facts *facts)
{
    NEED(machine, "the machine");
    NEED(g, "the polynomial g");
    return operate(mmm_integer_gcd, true, machine, g, a, b, facts);
}

/* A power of the leading coefficient of b, so that b divides what it makes of a: both are set when all is done, as
 * nothing may be cleared that a guarded call has lost. */
typedef struct scaling {
    const fmpz_poly_struct *a, *b;
    fmpz_poly_t out;
    fmpz_t power;
} scaling;

static mmm_status scale(void *context)
{
    scaling *z = context;
    fmpz_poly_t product;
    fmpz_t power;
    fmpz_poly_init(product);
    fmpz_init(power);
    fmpz_pow_ui(power, z->b->coeffs + z->b->length - 1, (ulong)(z->a->length - z->b->length + 1));
    fmpz_poly_scalar_mul_fmpz(product, z->a, power);
    *z->out = *product;
    *z->power = *power;
    return MMM_OK;
}

/* With l the leading coefficient of the numerator B, l^k A = Q B + R has a solution over Z (pseudo-division). */
mmm_status mmm_rational_divide(mmm_machine *machine, fmpq_poly_t q, fmpq_poly_t r, const fmpq_poly_t a,
                               const fmpq_poly_t b, mmm_integer_facts *facts)
{
    mmm_status result = MMM_OK;
    mmm_integer_facts found = {.proof = MMM_PROOF_NONE};
    fmpz_poly_t quotients, rest;
    NEED(machine, "the machine");
    NEED(q, "the polynomial q");
    NEED(r, "the polynomial r");
    MMM_TRY(check(a, "a"));
    MMM_TRY(check(b, "b"));
    if (q == r) return mmm_fail(MMM_INVALID, "q and r are the same polynomial");
    if (b->length == 0) return mmm_fail(MMM_INVALID, "b is 0: division by the zero polynomial");
    const fmpz_poly_struct x = numerator(a), y = numerator(b);
    scaling z = {.a = &x, .b = &y};
    fmpq_poly_t first;
    fmpz_poly_init(quotients);
    fmpz_poly_init(rest);
    fmpz_poly_init(z.out);
    fmpz_init(z.power);
    if (x.length >= y.length) {
        const int64_t bits = (int64_t)fmpz_bits(y.coeffs + y.length - 1);
        if (bits * (x.length - y.length + 1) > (int64_t)30 * PRIMES_MOST)
            FAIL(MMM_TOO_LARGE, "the quotient has denominators of up to %lld bits: %d are possible",
                 (long long)bits * (x.length - y.length + 1), 30 * PRIMES_MOST);
        TRY(mmm_guarded(scale, &z));
        TRY(mmm_divide_surely(machine, quotients, rest, z.out, &y, &found));
    }
    fmpq_poly_init(first);
    const bool all = x.length >= y.length;
    result = give((quotient){.num = quotients, .factor = b->den, .den1 = a->den, .den2 = all ? z.power : NULL}, first);
    if (result == MMM_OK)
        result = give((quotient){.num = all ? rest : &x, .den1 = a->den, .den2 = all ? z.power : NULL}, r);
    if (result == MMM_OK) fmpq_poly_swap(q, first);
    fmpq_poly_clear(first);
    if (result == MMM_OK && facts) *facts = found;
done:
    fmpz_poly_clear(quotients);
    fmpz_poly_clear(rest);
    fmpz_poly_clear(z.out);
    fmpz_clear(z.power);
    return result;
}
