/* SPDX-License-Identifier: Apache-2.0 */
/* Integer coefficients in one piece of memory, from and to FLINT's polynomials. */
#include "integer/integer.h"

#include <string.h>

static int bits_of(uint32_t x)
{
    return x ? 32 - __builtin_clz(x) : 0;
}

mmm_status mmm_numbers_room(int64_t terms, int64_t limbs, mmm_numbers *out)
{
    mmm_status result = MMM_OK;
    mmm_numbers a = {.terms = terms, .limbs = limbs};
    if (terms && limbs > INT32_MAX / terms)
        FAIL(MMM_TOO_LARGE, "%lld coefficients of up to %lld bits: 2^36 bits are possible", (long long)terms,
             32 * (long long)limbs);
    TRY(mmm_alloc(&a.words, terms * limbs, sizeof *a.words));
    TRY(mmm_alloc(&a.negative, terms, sizeof *a.negative));
    *out = a;
    a = (mmm_numbers){0};
done:
    mmm_numbers_clear(&a);
    return result;
}

void mmm_numbers_clear(mmm_numbers *a)
{
    mmm_shared_drop(a->shared);
    mmm_free(a->words);
    mmm_free(a->negative);
    *a = (mmm_numbers){0};
}

static int64_t bits_at(const mmm_numbers *a, int64_t i)
{
    const uint32_t *x = a->words + i * a->limbs;
    int64_t k = a->limbs;
    while (k > 0 && x[k - 1] == 0)
        k--;
    return k ? 32 * (k - 1) + bits_of(x[k - 1]) : 0;
}

void mmm_numbers_trim(mmm_numbers *a)
{
    while (a->terms > 0 && bits_at(a, a->terms - 1) == 0)
        a->terms--;
    a->bits = 0;
    for (int64_t i = 0; i < a->terms; i++) {
        const int64_t bits = bits_at(a, i);
        if (bits > a->bits) a->bits = bits;
    }
}

mmm_status mmm_numbers_read(const fmpz_poly_t a, const char *name, mmm_numbers *out)
{
    mmm_status result = MMM_OK;
    const int64_t terms = fmpz_poly_length(a);
    int64_t limbs = 1;
    TRY(mmm_check_terms(terms, a->coeffs, name));
    for (int64_t i = 0; i < terms; i++)
        if (COEFF_IS_MPZ(a->coeffs[i])) {
            const int64_t size = (int64_t)mpz_size(COEFF_TO_PTR(a->coeffs[i]));
            if (size > limbs) limbs = size;
        }
    TRY(mmm_numbers_room(terms, 2 * limbs, out));
    for (int64_t i = 0; i < terms; i++) {
        const fmpz c = a->coeffs[i];
        char *to = (char *)(out->words + i * out->limbs);
        out->negative[i] = fmpz_sgn(&a->coeffs[i]) < 0;
        const uint64_t small = c < 0 ? -(uint64_t)c : (uint64_t)c;
        if (COEFF_IS_MPZ(c))
            memcpy(to, mpz_limbs_read(COEFF_TO_PTR(c)), 8 * mpz_size(COEFF_TO_PTR(c)));
        else
            memcpy(to, &small, 8);
    }
    mmm_numbers_trim(out);
done:
    return result;
}

mmm_status mmm_numbers_copy(const mmm_numbers *a, mmm_numbers *out)
{
    mmm_status result = MMM_OK;
    TRY(mmm_numbers_room(a->terms, a->limbs, out));
    memcpy(out->words, a->words, (size_t)(a->terms * a->limbs) * sizeof *a->words);
    memcpy(out->negative, a->negative, (size_t)a->terms * sizeof *a->negative);
    out->bits = a->bits;
done:
    return result;
}

/* Its arrays are allocated here, where a lack of memory aborts nothing; its coefficients may be freed by any thread. */
mmm_status mmm_numbers_write(const mmm_numbers *a, fmpz_poly_t out)
{
    mmm_status result = MMM_OK;
    fmpz_poly_t made = {{.alloc = a->terms, .length = a->terms}};
    mp_limb_t **limbs = NULL;
    int *sizes = NULL;
    int64_t large = 0;
    if (a->terms) {
        TRY(mmm_alloc(&made->coeffs, a->terms, sizeof *made->coeffs));
        TRY(mmm_alloc(&limbs, a->terms, sizeof *limbs));
        TRY(mmm_alloc(&sizes, a->terms, sizeof *sizes));
    }
    for (int64_t i = 0; i < a->terms; i++) {
        const int64_t bits = bits_at(a, i), size = (bits + 63) / 64;
        const void *words = a->words + i * a->limbs;
        if (bits <= FLINT_BITS - 2) {
            memcpy(made->coeffs + i, words, sizeof(fmpz));
            if (a->negative[i]) made->coeffs[i] = -made->coeffs[i];
            continue;
        }
        TRY(mmm_alloc(&limbs[i], size, sizeof **limbs));
        memcpy(limbs[i], words, (size_t)size * sizeof **limbs);
        sizes[i] = (int)(a->negative[i] ? -size : size);
        large++;
    }
    if (large) TRY(mmm_large_numbers(made->coeffs, limbs, sizes, a->terms));
    for (int64_t i = 0; i < a->terms; i++)
        limbs[i] = NULL;
    _fmpz_poly_normalise(made);
    fmpz_poly_swap(out, made);
    fmpz_poly_clear(made);
    made->coeffs = NULL;
done:
    for (int64_t i = 0; limbs && i < a->terms; i++)
        mmm_free(limbs[i]);
    mmm_free(limbs);
    mmm_free(sizes);
    mmm_free(made->coeffs);
    return result;
}

mmm_status mmm_operands_read(const mmm_machine *machine, const fmpz_poly_struct *out, const char *name,
                             const fmpz_poly_struct *a, const fmpz_poly_struct *b, mmm_numbers *x, mmm_numbers *y)
{
    NEED(machine, "the machine");
    if (!out) return mmm_fail(MMM_INVALID, "the polynomial %s is NULL", name);
    NEED(a, "the polynomial a");
    NEED(b, "the polynomial b");
    MMM_TRY(mmm_numbers_read(a, "a", x));
    return mmm_numbers_read(b, "b", y);
}
