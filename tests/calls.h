/* SPDX-License-Identifier: Apache-2.0 */
/* Polynomials as arrays of words, and what functions on them give, against FLINT. */
#ifndef MMM_TESTS_CALLS_H
#define MMM_TESTS_CALLS_H

#include "testing.h"

#include <flint/nmod_poly.h>

static inline void fill(mmm_random *random, uint64_t *a, int64_t n, uint64_t p)
{
    for (int64_t i = 0; i < n; i++)
        a[i] = mmm_random_below(random, p);
}

static inline void to_flint(nmod_poly_t f, const uint64_t *a, int64_t n, uint64_t p)
{
    nmod_poly_init(f, p);
    for (int64_t i = 0; i < n; i++)
        nmod_poly_set_coeff_ui(f, i, a[i]);
}

static inline void assert_flint(const nmod_poly_t f, const uint64_t *a, int64_t n)
{
    assert_int_equal(nmod_poly_length(f), n);
    for (int64_t i = 0; i < n; i++)
        assert_int_equal(nmod_poly_get_coeff_ui(f, i), a[i]);
}

/* The product, quotient, remainder and gcd of a and b; NULL: not looked at. */
static inline void assert_products(uint64_t p, const uint64_t *a, int64_t n, const uint64_t *b, int64_t m,
                                   const uint64_t *f, int64_t f_terms, const uint64_t *q, int64_t q_terms,
                                   const uint64_t *r, int64_t r_terms, const uint64_t *g, int64_t g_terms)
{
    nmod_poly_t x, y, z, w;
    to_flint(x, a, n, p);
    to_flint(y, b, m, p);
    nmod_poly_init(z, p);
    nmod_poly_init(w, p);
    nmod_poly_mul(z, x, y);
    if (f) assert_flint(z, f, f_terms);
    nmod_poly_gcd(z, x, y);
    if (g) assert_flint(z, g, g_terms);
    if (q) {
        nmod_poly_divrem(z, w, x, y);
        assert_flint(z, q, q_terms);
        assert_flint(w, r, r_terms);
    }
    nmod_poly_clear(x);
    nmod_poly_clear(y);
    nmod_poly_clear(z);
    nmod_poly_clear(w);
}

#endif
