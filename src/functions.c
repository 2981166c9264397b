/* SPDX-License-Identifier: Apache-2.0 */
/* The algorithms, each in its fastest form, as functions on arrays: a call runs a plan, which the machine keeps. */
#include "operations.h"

#include <flint/nmod.h>
#include <flint/ulong_extras.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- Polynomials ---------------------------------------------------------------------------------------------------
 */

static mmm_status check_coefficients(uint64_t p, const uint64_t *a, int64_t n, const char *name)
{
    if (mmm_words_below(a, n, p)) return MMM_OK;
    int64_t i = 0;
    while (a[i] < p)
        i++;
    return mmm_fail(MMM_INVALID, "'%s': coefficient %" PRIu64 " of x^%" PRId64 " is not below the modulus %" PRIu64,
                    name, a[i], i, p);
}

static int64_t trim(const uint64_t *a, int64_t n)
{
    while (n > 0 && a[n - 1] == 0)
        n--;
    return n;
}

static mmm_status check_operands(const mmm_machine *machine, const uint64_t *a, int64_t *n, const uint64_t *b,
                                 int64_t *m)
{
    mmm_status result = MMM_OK;
    NEED(machine, "the machine");
    TRY(mmm_check_terms(*n, a, "a"));
    TRY(mmm_check_terms(*m, b, "b"));
    *n = trim(a, *n);
    *m = trim(b, *m);
done:
    return result;
}

/* Where one operand is 0, or too short, no machine is needed; but they must be what they should be. */
static mmm_status check_trivial(uint64_t p, const uint64_t *a, int64_t n, const uint64_t *b, int64_t m,
                                mmm_modulus *modulus)
{
    mmm_status result = MMM_OK;
    TRY(mmm_modulus_read(p, modulus));
    TRY(check_coefficients(p, a, n, "a"));
    TRY(check_coefficients(p, b, m, "b"));
done:
    return result;
}

mmm_status mmm_multiply(mmm_machine *machine, uint64_t p, const uint64_t *a, int64_t n, const uint64_t *b, int64_t m,
                        uint64_t *f, int64_t *f_terms)
{
    mmm_status result = MMM_OK;
    mmm_modulus modulus;
    NEED(f_terms, "the place for the number of terms of f");
    NEED(f || n <= 0 || m <= 0, "the array f");
    TRY(check_operands(machine, a, &n, b, &m));
    if (n == 0 || m == 0) {
        TRY(check_trivial(p, a, n, b, m, &modulus));
        *f_terms = 0;
        return MMM_OK;
    }
    const mmm_plan_key key = mmm_key_of(mmm_multiplication, p, n, m, 1);
    TRY(mmm_plan_call(machine, &key, (const void *[]){a, b}, (void *[]){f}, (int64_t *[]){f_terms}));
done:
    return result;
}

mmm_status mmm_divide(mmm_machine *machine, uint64_t p, const uint64_t *a, int64_t n, const uint64_t *b, int64_t m,
                      uint64_t *q, int64_t *q_terms, uint64_t *r, int64_t *r_terms)
{
    mmm_status result = MMM_OK;
    mmm_modulus modulus;
    NEED(q_terms, "the place for the number of terms of q");
    NEED(r_terms, "the place for the number of terms of r");
    NEED((q && r) || n <= 0, q ? "the array r" : "the array q");
    TRY(check_operands(machine, a, &n, b, &m));
    if (n < m || m == 0) {
        TRY(check_trivial(p, a, n, b, m, &modulus));
        if (m == 0) FAIL(MMM_INVALID, "b is 0: division by the zero polynomial");
        if (n) memmove(r, a, (size_t)n * sizeof *r);
        *q_terms = 0;
        *r_terms = n;
        return MMM_OK;
    }
    const mmm_plan_key key = mmm_key_of(mmm_division, p, n, m, 1);
    TRY(mmm_plan_call(machine, &key, (const void *[]){a, b}, (void *[]){q, r}, (int64_t *[]){q_terms, r_terms}));
done:
    return result;
}

/* g = a, divided by its leading coefficient. */
static void make_monic(const mmm_modulus *modulus, const uint64_t *a, int64_t n, uint64_t *g)
{
    nmod_t p;
    if (n == 0) return;
    nmod_init(&p, modulus->p);
    const uint64_t inverse = n_invmod(a[n - 1], modulus->p);
    memmove(g, a, (size_t)n * sizeof *g);
    for (int64_t i = 0; i < n; i++)
        g[i] = nmod_mul(g[i], inverse, p);
}

mmm_status mmm_gcd(mmm_machine *machine, uint64_t p, const uint64_t *a, int64_t n, const uint64_t *b, int64_t m,
                   uint64_t *g, int64_t *g_terms)
{
    mmm_status result = MMM_OK;
    mmm_modulus modulus;
    NEED(g_terms, "the place for the number of terms of g");
    NEED(g || (n <= 0 && m <= 0), "the array g");
    TRY(check_operands(machine, a, &n, b, &m));
    if (n == 0 || m == 0) {
        TRY(check_trivial(p, a, n, b, m, &modulus));
        make_monic(&modulus, n ? a : b, n + m, g);
        *g_terms = n + m;
        return MMM_OK;
    }
    const mmm_plan_key key = mmm_key_of(mmm_gcd_app, p, n, m, 1);
    TRY(mmm_plan_call(machine, &key, (const void *[]){a, b}, (void *[]){g}, (int64_t *[]){g_terms}));
done:
    return result;
}

static mmm_status check_arrays(const mmm_array *a, const mmm_array *b)
{
    mmm_status result = MMM_OK;
    if (!a || !b) FAIL(MMM_INVALID, "%s is NULL, not an array", a ? "b" : "a");
    if (a->machine != b->machine) FAIL(MMM_INVALID, "a and b are arrays of different machines");
    if (a->modulus.p != b->modulus.p)
        FAIL(MMM_INVALID, "a has modulus %" PRIu64 ", b has %" PRIu64, a->modulus.p, b->modulus.p);
done:
    return result;
}

/* The same in the memory of the machine that has a and b, neither of which is 0. */
static mmm_status run_there(const char *app, const mmm_array *a, const mmm_array *b, mmm_array **outputs, bool *monic)
{
    mmm_plan *plan;
    mmm_plan_key key = mmm_key_of(app, a->modulus.p, a->terms, b->terms, 1);
    key.numbers[KEY_THERE] = a->machine->type->keep != NULL; /* those of host memory are the same */
    MMM_TRY(mmm_plan_find(a->machine, &key, &plan));
    const double start = mmm_plan_begins(plan);
    mmm_status result = mmm_plan_run_there(plan, (const mmm_array *[]){a, b}, outputs, monic);
    mmm_plan_ends(plan, start);
    if (result != MMM_OK && result != MMM_STOPPED) mmm_recent_drop(a->machine, plan);
    return result;
}

static mmm_status copy_array(const mmm_array *a, int64_t terms, mmm_array **out)
{
    return mmm_array_copy(a->machine, &a->modulus, a->buffer, 0, terms, out);
}

mmm_status mmm_array_multiply(const mmm_array *a, const mmm_array *b, mmm_array **f)
{
    mmm_status result = MMM_OK;
    bool monic;
    NEED(f, "the place for the array f");
    TRY(check_arrays(a, b));
    if (a->terms && b->terms)
        TRY(run_there(mmm_multiplication, a, b, f, &monic));
    else
        TRY(copy_array(a, 0, f));
done:
    return result;
}

mmm_status mmm_array_divide(const mmm_array *a, const mmm_array *b, mmm_array **q, mmm_array **r)
{
    mmm_status result = MMM_OK;
    mmm_array *results[2] = {NULL};
    bool monic;
    NEED(q, "the place for the array q");
    NEED(r, "the place for the array r");
    TRY(check_arrays(a, b));
    if (b->terms == 0) FAIL(MMM_INVALID, "b is 0: division by the zero polynomial");
    if (a->terms >= b->terms)
        TRY(run_there(mmm_division, a, b, results, &monic));
    else {
        TRY(copy_array(a, 0, &results[0]));
        TRY(copy_array(a, a->terms, &results[1]));
    }
    *q = results[0];
    *r = results[1];
    results[0] = results[1] = NULL;
done:
    mmm_array_free(results[0]);
    mmm_array_free(results[1]);
    return result;
}

mmm_status mmm_array_gcd(const mmm_array *a, const mmm_array *b, mmm_array **g)
{
    mmm_status result = MMM_OK;
    mmm_array *copy = NULL;
    bool monic = false;
    NEED(g, "the place for the array g");
    TRY(check_arrays(a, b));
    if (a->terms && b->terms)
        TRY(run_there(mmm_gcd_app, a, b, &copy, &monic));
    else
        TRY(copy_array(a->terms ? a : b, a->terms + b->terms, &copy));
    if (!monic) TRY(mmm_array_make_monic(copy));
    *g = copy;
    copy = NULL;
done:
    mmm_array_free(copy);
    return result;
}

static mmm_status sort(mmm_machine *machine, void *keys, void *values, int64_t count, int bits, int64_t batch)
{
    mmm_status result = MMM_OK;
    NEED(machine, "the machine");
    TRY(mmm_check_terms(count, keys, "the array of keys"));
    if (count == 0 || batch == 0) return MMM_OK;
    mmm_plan_key key = mmm_key_of(mmm_sorting, 0, count, 0, batch);
    key.numbers[KEY_BITS] = bits;
    key.numbers[KEY_VALUES] = values != NULL;
    TRY(mmm_plan_call(machine, &key, (const void *[]){keys, values}, (void *[]){keys, values}, NULL));
done:
    return result;
}

mmm_status mmm_sort_u32(mmm_machine *machine, uint32_t *keys, uint32_t *values, int64_t count)
{
    return sort(machine, keys, values, count, 32, 1);
}

mmm_status mmm_sort_u64(mmm_machine *machine, uint64_t *keys, uint64_t *values, int64_t count)
{
    return sort(machine, keys, values, count, 64, 1);
}

/* ---- Batches --------------------------------------------------------------------------------------------------------
 */

/* Problems of one program: what devices take, and about so much memory. */
enum { BATCH_MOST = 65535, BATCH_WORDS = 1 << 25 };

static int64_t part_of(int64_t batch, int64_t words)
{
    int64_t most = BATCH_WORDS / (words + 64) + 1;
    if (most > BATCH_MOST) most = BATCH_MOST;
    return batch < most ? batch : most;
}

static mmm_status check_batch(const mmm_machine *machine, int64_t batch, const void *a, int64_t n, const void *b,
                              int64_t m)
{
    mmm_status result = MMM_OK;
    NEED(machine, "the machine");
    if (batch < 0 || batch > TERMS_MOST)
        FAIL(MMM_INVALID, "a batch of %" PRId64 " problems: 0 to %d are possible", batch, TERMS_MOST);
    TRY(mmm_check_terms(n, batch ? a : "", "a"));
    TRY(mmm_check_terms(m, batch ? b : "", "b"));
done:
    return result;
}

mmm_status mmm_multiply_many(mmm_machine *machine, uint64_t p, int64_t batch, const uint64_t *a, int64_t n,
                             const uint64_t *b, int64_t m, uint64_t *f, int64_t *f_terms)
{
    mmm_status result = MMM_OK;
    mmm_modulus modulus;
    NEED(f_terms || batch <= 0, "the array of numbers of terms of f");
    NEED(f || n <= 0 || m <= 0 || batch <= 0, "the array f");
    TRY(check_batch(machine, batch, a, n, b, m));
    if (n == 0 || m == 0) {
        TRY(check_trivial(p, a, n * batch, b, m * batch, &modulus));
        for (int64_t i = 0; i < batch; i++)
            f_terms[i] = 0;
        return MMM_OK;
    }
    for (int64_t i = 0, part; i < batch; i += part) {
        part = part_of(batch - i, n + m);
        const mmm_plan_key key = mmm_key_of(mmm_multiplication, p, n, m, part);
        TRY(mmm_plan_call(machine, &key, (const void *[]){a + i * n, b + i * m}, (void *[]){f + i * (n + m - 1)},
                          (int64_t *[]){f_terms + i}));
    }
done:
    return result;
}

mmm_status mmm_divide_many(mmm_machine *machine, uint64_t p, int64_t batch, const uint64_t *a, int64_t n,
                           const uint64_t *b, int64_t m, uint64_t *q, int64_t *q_terms, uint64_t *r, int64_t *r_terms)
{
    mmm_status result = MMM_OK;
    const int64_t left = n < m ? 0 : n - m + 1;
    NEED((q_terms && r_terms) || batch <= 0, "the array of numbers of terms of q or r");
    NEED(((q || !left) && (r || m <= 1)) || batch <= 0, q ? "the array r" : "the array q");
    TRY(check_batch(machine, batch, a, n, b, m));
    if (m == 0 && batch) FAIL(MMM_INVALID, "b is 0: division by the zero polynomial");
    for (int64_t i = 0; i < batch; i++)
        if (!b[i * m + m - 1])
            FAIL(MMM_INVALID, "the last coefficient of b number %" PRId64 " is 0: those of a batch have m terms", i);
    for (int64_t i = 0, part; n && i < batch; i += part) {
        part = part_of(batch - i, n + m);
        const mmm_plan_key key = mmm_key_of(mmm_division, p, n, m, part);
        TRY(mmm_plan_call(machine, &key, (const void *[]){a + i * n, b + i * m},
                          (void *[]){q + i * left, r + i * (m - 1)}, (int64_t *[]){q_terms + i, r_terms + i}));
    }
    for (int64_t i = 0; !n && i < batch; i++)
        q_terms[i] = r_terms[i] = 0;
done:
    return result;
}

mmm_status mmm_gcd_many(mmm_machine *machine, uint64_t p, int64_t batch, const uint64_t *a, int64_t n,
                        const uint64_t *b, int64_t m, uint64_t *g, int64_t *g_terms)
{
    mmm_status result = MMM_OK;
    const int64_t most = n > m ? n : m;
    NEED(g_terms || batch <= 0, "the array of numbers of terms of g");
    NEED(g || most <= 0 || batch <= 0, "the array g");
    TRY(check_batch(machine, batch, a, n, b, m));
    for (int64_t i = 0, part = 1; i < batch; i += part) {
        if (n == 0 || m == 0) { /* of some, nothing but one operand is there */
            TRY(mmm_gcd(machine, p, a + i * n, n, b + i * m, m, g + i * most, &g_terms[i]));
            continue;
        }
        part = part_of(batch - i, n + m);
        const mmm_plan_key key = mmm_key_of(mmm_gcd_app, p, n, m, part);
        TRY(mmm_plan_call(machine, &key, (const void *[]){a + i * n, b + i * m}, (void *[]){g + i * most},
                          (int64_t *[]){g_terms + i}));
    }
done:
    return result;
}

static mmm_status sort_many(mmm_machine *machine, int64_t batch, void *keys, void *values, int64_t count, int bits)
{
    mmm_status result = MMM_OK;
    TRY(check_batch(machine, batch, keys, count, "", 0));
    for (int64_t i = 0, part; i < batch; i += part) {
        part = part_of(batch - i, count);
        const size_t at = (size_t)(i * count) * (size_t)bits / 8;
        TRY(sort(machine, (char *)keys + at, values ? (char *)values + at : NULL, count, bits, part));
    }
done:
    return result;
}

mmm_status mmm_sort_many_u32(mmm_machine *machine, int64_t batch, uint32_t *keys, uint32_t *values, int64_t count)
{
    return sort_many(machine, batch, keys, values, count, 32);
}

mmm_status mmm_sort_many_u64(mmm_machine *machine, int64_t batch, uint64_t *keys, uint64_t *values, int64_t count)
{
    return sort_many(machine, batch, keys, values, count, 64);
}
