/* SPDX-License-Identifier: Apache-2.0 */
/* Integer coefficients in one piece of memory, from and to FLINT's polynomials. */
#include "integer/integer.h"

#include "base/ledger.h"

#include <stdlib.h>
#include <string.h>

static int bits_of(uint32_t x)
{
    return x ? 32 - __builtin_clz(x) : 0;
}

/* In memory that its machine keeps from call to call, if there is one; it is not 0 then. */
mmm_status mmm_numbers_borrow(mmm_machine *machine, int64_t terms, int64_t limbs, mmm_numbers *out)
{
    mmm_status result = MMM_OK;
    mmm_numbers a = {.terms = terms, .limbs = limbs, .lent = (size_t)(terms * (limbs + 1)) * sizeof *a.words};
    void *words = NULL;
    if (terms && limbs >= INT32_MAX / terms)
        FAIL(MMM_TOO_LARGE, "%lld coefficients of up to %lld bits: 2^36 bits are possible", (long long)terms,
             32 * (long long)limbs);
    if (machine)
        TRY(mmm_stage_take(machine, &a.lent, &words));
    else
        TRY(mmm_alloc(&words, (int64_t)a.lent, 1));
    a.words = words;
    a.negative = a.words + terms * limbs;
    a.lender = machine;
    *out = a;
done:
    return result;
}

mmm_status mmm_numbers_room(int64_t terms, int64_t limbs, mmm_numbers *out)
{
    return mmm_numbers_borrow(NULL, terms, limbs, out);
}

void mmm_numbers_clear(mmm_numbers *a)
{
    mmm_shared_drop(a->shared);
    if (a->lender)
        mmm_stage_put_by(a->lender, a->lent, a->words);
    else
        mmm_free(a->words);
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

mmm_status mmm_numbers_read(mmm_machine *machine, const fmpz_poly_t a, const char *name, mmm_numbers *out)
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
    TRY(mmm_numbers_borrow(machine, terms, 2 * limbs, out));
    for (int64_t i = 0; i < terms; i++) {
        const fmpz c = a->coeffs[i];
        char *to = (char *)(out->words + i * out->limbs);
        out->negative[i] = fmpz_sgn(&a->coeffs[i]) < 0;
        const uint64_t small = c < 0 ? -(uint64_t)c : (uint64_t)c;
        const size_t size = COEFF_IS_MPZ(c) ? mpz_size(COEFF_TO_PTR(c)) : 1;
        memcpy(to, COEFF_IS_MPZ(c) ? mpz_limbs_read(COEFF_TO_PTR(c)) : &small, 8 * size);
        memset(to + 8 * size, 0, 8 * ((size_t)limbs - size));
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

/* What takes the place of a polynomial's coefficients: of each, limbs of its own where it is large and the one before
 * it has not as many, and its size. */
typedef struct written {
    fmpz *numbers, *array; /* array: a longer one for the polynomial, if it needs one */
    mp_limb_t **limbs;
    int *sizes;
} written;

static bool has_limbs(const fmpz_poly_struct *f, int64_t i, int64_t size)
{
    return i < f->length && COEFF_IS_MPZ(f->coeffs[i]) && COEFF_TO_PTR(f->coeffs[i])->_mp_alloc >= size;
}

/* All that may fail. */
static mmm_status prepare(const mmm_numbers *a, const fmpz_poly_struct *out, written *w)
{
    mmm_status result = MMM_OK;
    bool large = false;
    TRY(mmm_alloc(&w->sizes, a->terms, sizeof *w->sizes));
    TRY(mmm_alloc(&w->limbs, a->terms, sizeof *w->limbs));
    TRY(mmm_alloc(&w->numbers, a->terms, sizeof *w->numbers));
    if (a->terms > out->alloc) TRY(mmm_alloc(&w->array, a->terms, sizeof *w->array));
    for (int64_t i = 0; i < a->terms; i++) {
        const int64_t bits = bits_at(a, i), size = (bits + FLINT_BITS - 1) / FLINT_BITS;
        const size_t bytes = (size_t)size * sizeof **w->limbs;
        if (bits <= FLINT_BITS - 2) continue;
        w->sizes[i] = (int)(a->negative[i] ? -size : size);
        if (has_limbs(out, i, size)) continue;
        w->limbs[i] = mmm_ledger_malloc(bytes);
        if (!w->limbs[i]) FAIL(MMM_MEMORY, "no memory for %zu bytes", bytes);
        large = true;
    }
    if (large) TRY(mmm_large_numbers(w->numbers, w->limbs, w->sizes, a->terms));
done:
    for (int64_t i = 0; result != MMM_OK && w->limbs && i < a->terms; i++)
        mmm_free(w->limbs[i]);
    if (result != MMM_OK) mmm_free(w->array);
    return result;
}

/* Its coefficients keep their limbs where these are enough, as FLINT's own functions do; others may be freed by any
 * thread. */
mmm_status mmm_numbers_write(const mmm_numbers *a, fmpz_poly_t out)
{
    mmm_status result = MMM_OK;
    written w = {0};
    if (a->terms) TRY(prepare(a, out, &w));
    if (w.array) {
        if (out->alloc) memcpy(w.array, out->coeffs, (size_t)out->alloc * sizeof *w.array);
        flint_free(out->coeffs);
        out->coeffs = w.array;
        out->alloc = a->terms;
    }
    for (int64_t i = 0; i < a->terms; i++) {
        const void *words = a->words + i * a->limbs;
        fmpz *to = out->coeffs + i, small;
        if (w.sizes[i] == 0) {
            memcpy(&small, words, sizeof small);
            fmpz_set_si(to, a->negative[i] ? -small : small);
            continue;
        }
        if (w.limbs[i]) {
            fmpz_clear(to);
            *to = w.numbers[i];
        }
        mpz_ptr z = COEFF_TO_PTR(*to);
        memcpy(z->_mp_d, words, (size_t)abs(w.sizes[i]) * sizeof **w.limbs);
        z->_mp_size = w.sizes[i];
    }
    _fmpz_poly_set_length(out, a->terms);
    _fmpz_poly_normalise(out);
done:
    mmm_free(w.sizes);
    mmm_free(w.limbs);
    mmm_free(w.numbers);
    return result;
}

mmm_status mmm_operands_read(mmm_machine *machine, const fmpz_poly_struct *out, const char *name,
                             const fmpz_poly_struct *a, const fmpz_poly_struct *b, mmm_numbers *x, mmm_numbers *y)
{
    NEED(machine, "the machine");
    if (!out) return mmm_fail(MMM_INVALID, "the polynomial %s is NULL", name);
    NEED(a, "the polynomial a");
    NEED(b, "the polynomial b");
    MMM_TRY(mmm_numbers_read(machine, a, "a", x));
    return mmm_numbers_read(machine, b, "b", y);
}
