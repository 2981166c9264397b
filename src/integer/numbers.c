/* SPDX-License-Identifier: Apache-2.0 */
/* Integer coefficients in one piece of memory, from and to FLINT's polynomials. */
#include "integer/integer.h"

#include "base/ledger.h"

#include <stdatomic.h>
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

static int64_t bytes_of(const mmm_numbers *a)
{
    return a->terms * a->limbs * (int64_t)sizeof *a->words;
}

/* Coefficients that are looked at, and the bits of the largest. */
typedef struct looking {
    const mmm_numbers *numbers;
    const fmpz *from;
    _Atomic int64_t bits;
} looking;

static void find_bits(void *context, int64_t first, int64_t last)
{
    looking *z = context;
    int64_t most = 0;
    for (int64_t i = first; i < last; i++) {
        const int64_t bits = bits_at(z->numbers, i);
        if (bits > most) most = bits;
    }
    int64_t known = z->bits;
    while (known < most && !atomic_compare_exchange_weak(&z->bits, &known, most))
        ;
}

static void copy_in(void *context, int64_t first, int64_t last)
{
    const looking *z = context;
    const mmm_numbers *a = z->numbers;
    for (int64_t i = first; i < last; i++) {
        const fmpz c = z->from[i];
        char *to = (char *)(a->words + i * a->limbs);
        const uint64_t small = c < 0 ? -(uint64_t)c : (uint64_t)c;
        const size_t size = COEFF_IS_MPZ(c) ? mpz_size(COEFF_TO_PTR(c)) : 1;
        a->negative[i] = fmpz_sgn(z->from + i) < 0;
        memcpy(to, COEFF_IS_MPZ(c) ? mpz_limbs_read(COEFF_TO_PTR(c)) : &small, 8 * size);
        memset(to + 8 * size, 0, 4 * (size_t)a->limbs - 8 * size);
    }
    find_bits(context, first, last);
}

static void drop_zeros(mmm_numbers *a)
{
    while (a->terms > 0 && bits_at(a, a->terms - 1) == 0)
        a->terms--;
}

void mmm_numbers_trim(mmm_numbers *a)
{
    looking z = {.numbers = a};
    drop_zeros(a);
    mmm_spread(a->lender, a->terms, bytes_of(a), find_bits, &z);
    a->bits = z.bits;
}

mmm_status mmm_numbers_read(mmm_machine *machine, const fmpz_poly_t a, const char *name, mmm_numbers *out)
{
    mmm_status result = MMM_OK;
    const int64_t terms = fmpz_poly_length(a);
    int64_t limbs = 1;
    looking z = {.numbers = out, .from = a->coeffs};
    TRY(mmm_check_terms(terms, a->coeffs, name));
    for (int64_t i = 0; i < terms; i++)
        if (COEFF_IS_MPZ(a->coeffs[i])) {
            const int64_t size = (int64_t)mpz_size(COEFF_TO_PTR(a->coeffs[i]));
            if (size > limbs) limbs = size;
        }
    TRY(mmm_numbers_borrow(machine, terms, 2 * limbs, out));
    mmm_spread(machine, terms, bytes_of(out), copy_in, &z);
    out->bits = z.bits;
    drop_zeros(out);
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

/* What takes the place of a polynomial's coefficients: of each, its size, limbs of its own where it is large and the
 * one before it has not as many, and a number for these. */
typedef struct written {
    const mmm_numbers *from;
    fmpz_poly_struct *to;
    fmpz *numbers, *array; /* array: a longer one for the polynomial, if it needs one */
    mp_limb_t **limbs;
    int *sizes;
    bool *lacks; /* limbs */
} written;

static void find_sizes(void *context, int64_t first, int64_t last)
{
    const written *w = context;
    const fmpz_poly_struct *f = w->to;
    for (int64_t i = first; i < last; i++) {
        const int64_t bits = bits_at(w->from, i);
        const int size = bits <= FLINT_BITS - 2 ? 0 : (int)mmm_quotient_up(bits, FLINT_BITS);
        const bool has = i < f->length && COEFF_IS_MPZ(f->coeffs[i]);
        w->sizes[i] = w->from->negative[i] ? -size : size;
        w->lacks[i] = size && (!has || COEFF_TO_PTR(f->coeffs[i])->_mp_alloc < size);
    }
}

static void copy_out(void *context, int64_t first, int64_t last)
{
    const written *w = context;
    for (int64_t i = first; i < last; i++) {
        if (!w->sizes[i]) continue;
        mpz_ptr z = COEFF_TO_PTR(w->to->coeffs[i]);
        memcpy(z->_mp_d, w->from->words + i * w->from->limbs, (size_t)abs(w->sizes[i]) * sizeof **w->limbs);
        z->_mp_size = w->sizes[i];
    }
}

/* All that may fail. */
static mmm_status prepare(written *w)
{
    mmm_status result = MMM_OK;
    const mmm_numbers *a = w->from;
    bool large = false;
    TRY(mmm_alloc(&w->sizes, a->terms, sizeof *w->sizes));
    TRY(mmm_alloc(&w->limbs, a->terms, sizeof *w->limbs));
    TRY(mmm_alloc(&w->numbers, a->terms, sizeof *w->numbers));
    TRY(mmm_alloc(&w->lacks, a->terms, sizeof *w->lacks));
    if (a->terms > w->to->alloc) TRY(mmm_alloc(&w->array, a->terms, sizeof *w->array));
    mmm_spread(a->lender, a->terms, bytes_of(a), find_sizes, w);
    for (int64_t i = 0; i < a->terms; i++) {
        const size_t bytes = (size_t)abs(w->sizes[i]) * sizeof **w->limbs;
        if (!w->lacks[i]) continue;
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
    written w = {.from = a, .to = out};
    if (a->terms) TRY(prepare(&w));
    if (w.array) {
        if (out->alloc) memcpy(w.array, out->coeffs, (size_t)out->alloc * sizeof *w.array);
        flint_free(out->coeffs);
        out->coeffs = w.array;
        out->alloc = a->terms;
    }
    for (int64_t i = 0; i < a->terms; i++) { /* what FLINT does is for this thread */
        fmpz *to = out->coeffs + i, small;
        if (w.sizes[i] == 0) {
            memcpy(&small, a->words + i * a->limbs, sizeof small);
            fmpz_set_si(to, a->negative[i] ? -small : small);
        } else if (w.limbs[i]) {
            fmpz_clear(to);
            *to = w.numbers[i];
        }
    }
    if (a->terms) mmm_spread(a->lender, a->terms, bytes_of(a), copy_out, &w);
    _fmpz_poly_set_length(out, a->terms);
    _fmpz_poly_normalise(out);
done:
    mmm_free(w.sizes);
    mmm_free(w.lacks);
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
