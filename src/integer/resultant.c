/* SPDX-License-Identifier: Apache-2.0 */
/* Resultants of polynomials in x and y with respect to y: modulo primes, at as many x as the degree of the result asks
 * for, put together by interpolation and Chinese remainders.
 *
 * What is computed is the determinant of Sylvester's matrix for the degrees that a and b have over Z, also where
 * leading coefficients vanish at an x or modulo a prime: no x and no prime is unlucky, and the bound of its
 * coefficients, the product of the rows' sums of absolute values, is the proof. */
#include "integer/integer.h"

#include <flint/nmod_poly.h>
#include <stdlib.h>
#include <string.h>

/* Two polynomials in y, by rows: the coefficients in x of each power of y, `width` of them. */
typedef struct pair {
    mmm_numbers rows[2];
    int64_t terms[2], width[2], points;
} pair;

/* What a worker is told. */
typedef struct words {
    int64_t kind, order, first, count, terms[2], width[2];
} words;

static int64_t points_of(const int64_t terms[2], const int64_t width[2])
{
    return (terms[0] - 1) * (width[1] - 1) + (terms[1] - 1) * (width[0] - 1) + 1;
}

/* ---- Modulo a range of primes ---------------------------------------------------------------------------------------
 */

typedef struct range {
    const pair *z;
    const uint64_t *p;
    int64_t count;
    mmm_machine *machine;
    uint32_t *out; /* prime by prime */
} range;

/* Of values of all coefficients at one x: degrees may be smaller there than they are said to be. */
static uint64_t resultant_at(nmod_poly_t f[2], const int64_t terms[2])
{
    const nmod_t mod = f[0]->mod;
    const int64_t n = terms[0] - 1, m = terms[1] - 1, drop_a = n - nmod_poly_degree(f[0]),
                  drop_b = m - nmod_poly_degree(f[1]);
    if (m == 0) return n_powmod2_preinv(nmod_poly_get_coeff_ui(f[1], 0), n, mod.n, mod.ninv);
    if (n == 0) return n_powmod2_preinv(nmod_poly_get_coeff_ui(f[0], 0), m, mod.n, mod.ninv);
    if (nmod_poly_is_zero(f[0]) || nmod_poly_is_zero(f[1]) || (drop_a && drop_b)) return 0;
    uint64_t r = nmod_poly_resultant(f[0], f[1]);
    if (drop_b) r = n_mulmod2_preinv(r, n_powmod2_preinv(f[0]->coeffs[n], drop_b, mod.n, mod.ninv), mod.n, mod.ninv);
    if (drop_a) r = n_mulmod2_preinv(r, n_powmod2_preinv(f[1]->coeffs[m], drop_a, mod.n, mod.ninv), mod.n, mod.ninv);
    return drop_a % 2 && m % 2 && r ? mod.n - r : r;
}

static uint64_t residue_at(const mmm_numbers *a, int64_t i, uint64_t p)
{
    if (i >= a->terms) return 0;
    const uint64_t r = mpn_mod_1((const mp_limb_t *)(a->words + i * a->limbs), a->limbs / 2, p);
    return a->negative[i] && r ? p - r : r;
}

static void run_prime(const pair *z, uint64_t p, mp_limb_t *x, mp_limb_t *y, mp_limb_t *const rows[2], uint32_t *out)
{
    nmod_poly_t f[2], whole;
    nmod_poly_init(f[0], p);
    nmod_poly_init(f[1], p);
    nmod_poly_init(whole, p);
    const nmod_t mod = whole->mod;
    for (int k = 0; k < 2; k++)
        for (int64_t i = 0; i < z->terms[k] * z->width[k]; i++)
            rows[k][i] = residue_at(&z->rows[k], i, p);
    for (int64_t point = 0; point < z->points; point++) {
        x[point] = (mp_limb_t)point;
        for (int k = 0; k < 2; k++) {
            nmod_poly_zero(f[k]);
            for (int64_t i = z->terms[k] - 1; i >= 0; i--)
                nmod_poly_set_coeff_ui(
                    f[k], i, _nmod_poly_evaluate_nmod(rows[k] + i * z->width[k], z->width[k], (mp_limb_t)point, mod));
        }
        y[point] = resultant_at(f, z->terms);
    }
    nmod_poly_interpolate_nmod_vec(whole, x, y, z->points);
    for (int64_t i = 0; i < z->points; i++)
        out[i] = (uint32_t)nmod_poly_get_coeff_ui(whole, i);
    nmod_poly_clear(f[0]);
    nmod_poly_clear(f[1]);
    nmod_poly_clear(whole);
}

/* In a guarded call. */
static mmm_status run_range(void *context)
{
    mmm_status result = MMM_OK;
    range *r = context;
    const pair *z = r->z;
    mp_limb_t *x = flint_malloc(2 * (size_t)z->points * sizeof *x), *rows[2];
    for (int k = 0; k < 2; k++)
        rows[k] = flint_malloc((size_t)(z->terms[k] * z->width[k]) * sizeof *rows[k]);
    for (int64_t i = 0; i < r->count; i++) {
        if (r->machine->progress && r->machine->progress(r->machine->progress_context, (double)i / (double)r->count))
            FAIL(MMM_STOPPED, "stopped after %lld of %lld primes", (long long)i, (long long)r->count);
        run_prime(z, r->p[i], x, x + z->points, rows, r->out + i * z->points);
    }
done:
    flint_free(x);
    flint_free(rows[0]);
    flint_free(rows[1]);
    return result;
}

mmm_status mmm_perform_resultant(mmm_worker *worker, const mmm_engine_data *shared, int shared_count,
                                 const mmm_engine_task *task)
{
    mmm_status result = MMM_OK;
    words w;
    pair z = {0};
    mmm_primes primes = {0};
    if (shared_count != 2 || task->words_bytes != sizeof w) return mmm_fail(MMM_INVALID, "the resultant of what?");
    memcpy(&w, task->words, sizeof w);
    for (int k = 0; k < 2; k++) {
        TRY(mmm_numbers_view(&shared[k], &z.rows[k]));
        if (w.terms[k] < 1 || w.width[k] < 1 || w.terms[k] > INT32_MAX || w.width[k] > INT32_MAX)
            FAIL(MMM_INVALID, "the resultant of something else");
        z.terms[k] = w.terms[k];
        z.width[k] = w.width[k];
    }
    z.points = points_of(z.terms, z.width);
    if (w.order < 1 || w.order > 30 || w.first < 0 || w.count < 1 || w.first > PRIMES_MOST || w.count > PRIMES_MOST ||
        z.points > RESULTANT_TERMS_MOST)
        FAIL(MMM_INVALID, "the resultant of something else");
    TRY(mmm_engine_check_task(task, shared_count, sizeof w, 2, 0, (uint64_t)(w.count * z.points) * sizeof(uint32_t)));
    primes.order = (int)w.order;
    TRY(mmm_primes_reach(&primes, w.first + w.count));
    range r = {&z, primes.p + w.first, w.count, worker->machine, task->output};
    TRY(mmm_guarded(run_range, &r));
done:
    mmm_primes_free(&primes);
    return result;
}

/* By the workers of an engine. */
static mmm_status run_far(mmm_engine *engine, const pair *z, int64_t count, uint32_t *out)
{
    mmm_status result = MMM_OK;
    const int parts = (int)(count < engine->workers ? count : engine->workers);
    mmm_engine_task *tasks = NULL;
    words *w = NULL;
    TRY(mmm_alloc(&tasks, parts, sizeof *tasks));
    TRY(mmm_alloc(&w, parts, sizeof *w));
    for (int i = 0; i < parts; i++) {
        const int64_t from = count * i / parts, here = count * (i + 1) / parts - from;
        w[i] = (words){MMM_KIND_RESULTANT, 1, from, here, {z->terms[0], z->terms[1]}, {z->width[0], z->width[1]}};
        tasks[i] = (mmm_engine_task){.words = &w[i],
                                     .words_bytes = sizeof w[i],
                                     .output = out + from * z->points,
                                     .output_bytes = (size_t)(here * z->points) * sizeof *out,
                                     .worker = -1};
    }
    TRY(mmm_engine_run(engine, (const int64_t[]){mmm_shared_number(&z->rows[0]), mmm_shared_number(&z->rows[1])}, 2,
                       tasks, parts));
done:
    free(tasks);
    free(w);
    return result;
}

/* ---- Over Z ---------------------------------------------------------------------------------------------------------
 */

/* In a guarded call: all coefficients in one row, and the bits of the sum of their absolute values. */
typedef struct flattening {
    const fmpz_poly_struct *a;
    int64_t terms, width, bits;
    mmm_numbers out;
} flattening;

static mmm_status flatten(void *context)
{
    mmm_status result = MMM_OK;
    flattening *z = context;
    fmpz_poly_t all;
    fmpz_t sum;
    fmpz_poly_init2(all, z->terms * z->width);
    fmpz_init(sum);
    for (int64_t i = 0; i < z->terms; i++)
        for (int64_t j = 0; j < fmpz_poly_length(z->a + i); j++) {
            const fmpz *c = z->a[i].coeffs + j;
            fmpz_poly_set_coeff_fmpz(all, i * z->width + j, c);
            fmpz_sgn(c) < 0 ? fmpz_sub(sum, sum, c) : fmpz_add(sum, sum, c);
        }
    z->bits = (int64_t)fmpz_bits(sum);
    TRY(mmm_numbers_read(NULL, all, "a", &z->out));
    fmpz_poly_clear(all);
    fmpz_clear(sum);
done:
    return result;
}

static mmm_status read_one(const fmpz_poly_struct *a, int64_t n, const char *name, int which, pair *z, int64_t *bits)
{
    mmm_status result = MMM_OK;
    flattening f = {.a = a, .width = 1};
    TRY(mmm_check_terms(n, a, name));
    while (n > 0 && fmpz_poly_is_zero(a + n - 1))
        n--;
    for (int64_t i = 0; i < n; i++)
        if (fmpz_poly_length(a + i) > f.width) f.width = fmpz_poly_length(a + i);
    f.terms = z->terms[which] = n;
    z->width[which] = f.width;
    if (n && f.width > RESULTANT_TERMS_MOST / n)
        FAIL(MMM_TOO_LARGE, "%s has %lld times %lld coefficients: %d are possible", name, (long long)n,
             (long long)f.width, RESULTANT_TERMS_MOST);
    if (n) TRY(mmm_guarded(flatten, &f));
    z->rows[which] = f.out;
    *bits = f.bits;
done:
    return result;
}

mmm_status mmm_integer_resultant(mmm_machine *machine, fmpz_poly_t r, const fmpz_poly_struct *a, int64_t n,
                                 const fmpz_poly_struct *b, int64_t m, mmm_integer_facts *facts)
{
    mmm_status result = MMM_OK;
    mmm_integer_facts found = {.proof = MMM_PROOF_NONE};
    pair z = {0};
    int64_t bits[2];
    mmm_primes primes = {.order = 1};
    mmm_numbers whole = {0};
    uint32_t *residues = NULL;
    NEED(machine, "the machine");
    NEED(r, "the polynomial r");
    TRY(read_one(a, n, "a", 0, &z, &bits[0]));
    TRY(read_one(b, m, "b", 1, &z, &bits[1]));
    if (z.terms[0] && z.terms[1]) {
        const double most = (double)bits[0] * (double)z.terms[1] + (double)bits[1] * (double)z.terms[0];
        z.points = points_of(z.terms, z.width);
        if (z.points > RESULTANT_TERMS_MOST || most > 30.0 * PRIMES_MOST)
            FAIL(MMM_TOO_LARGE, "the resultant may have %lld terms of %.0f bits: %d of %d bits are possible",
                 (long long)z.points, most, RESULTANT_TERMS_MOST, 30 * PRIMES_MOST);
        found.primes = mmm_primes_needed(bits[0] * (z.terms[1] - 1) + bits[1] * (z.terms[0] - 1) + 1);
        found.proof = MMM_PROOF_BOUND;
        TRY(mmm_primes_reach(&primes, found.primes));
        TRY(mmm_alloc(&residues, found.primes * z.points, sizeof *residues));
        if (machine->engine) {
            TRY(mmm_numbers_share(machine, &z.rows[0]));
            TRY(mmm_numbers_share(machine, &z.rows[1]));
            TRY(run_far(machine->engine, &z, found.primes, residues));
        } else {
            range all = {&z, primes.p, found.primes, machine, residues};
            TRY(mmm_guarded(run_range, &all));
        }
        TRY(mmm_reconstruct(machine, primes.p, found.primes, residues, z.points, &whole));
    }
    found.bits = whole.bits;
    TRY(mmm_numbers_write(&whole, r));
    if (facts) *facts = found;
done:
    mmm_primes_free(&primes);
    mmm_numbers_clear(&z.rows[0]);
    mmm_numbers_clear(&z.rows[1]);
    mmm_numbers_clear(&whole);
    free(residues);
    return result;
}
