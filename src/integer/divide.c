/* SPDX-License-Identifier: Apache-2.0 */
/* Division of polynomials over Z: quotient and remainder modulo primes, put together and proved.
 *
 * Modulo the product M of the primes a = q b + r holds by construction.  It holds over Z, too, once M is larger than
 * twice what both sides can differ by, which is known when q and r are. */
#include "integer/integer.h"

#include <stdlib.h>
#include <string.h>

/* What good primes gave so far. */
typedef struct collected {
    mmm_machine *lender; /* of the words */
    int64_t count, p_room;
    size_t lent[2];
    uint64_t *p;
    uint32_t *words[2]; /* prime by prime */
} collected;

static void release(collected *c)
{
    free(c->p);
    for (int k = 0; k < 2; k++)
        mmm_stage_put_by(c->lender, c->lent[k], c->words[k]);
}

/* Room for as many more as r has. */
static mmm_status make_room(collected *c, const mmm_residues *r)
{
    mmm_status result = MMM_OK;
    TRY(mmm_grow(&c->p, &c->p_room, c->count + r->count, sizeof *c->p));
    for (int k = 0; k < 2; k++)
        TRY(mmm_stage_reach(c->lender, (size_t)((c->count + r->count) * r->room[k]) * sizeof *c->words[k], &c->lent[k],
                            &c->words[k]));
done:
    return result;
}

static void add(collected *c, uint64_t p, const mmm_residues *r, int64_t i)
{
    for (int k = 0; k < 2; k++)
        for (int64_t j = 0; j < r->room[k]; j++)
            c->words[k][c->count * r->room[k] + j] = j < r->terms[k][i] ? (uint32_t)r->words[k][i * r->room[k] + j] : 0;
    c->p[c->count++] = p;
}

static int64_t larger(int64_t x, int64_t y)
{
    return x > y ? x : y;
}

/* Runs primes until the good ones among them are `count`; *whole: whether all remainders were 0. */
static mmm_status reach(mmm_task *task, int64_t count, bool exact, int64_t *tried, collected *c, bool *whole)
{
    mmm_status result = MMM_OK;
    mmm_residues r = {0};
    while (c->count < count && (*whole || !exact)) {
        const int64_t more = count - c->count;
        TRY(mmm_task_run(task, *tried, more, &r));
        TRY(make_room(c, &r));
        for (int64_t i = 0; i < more; i++) {
            if (r.bad[i]) continue;
            if (r.terms[1][i]) *whole = false;
            add(c, task->primes.p[*tried + i], &r, i);
        }
        *tried += more;
        mmm_residues_free(&r);
    }
done:
    mmm_residues_free(&r);
    return result;
}

static bool is_unit(const mmm_numbers *b)
{
    const uint32_t *lead = b->words + (b->terms - 1) * b->limbs;
    for (int64_t i = 1; i < b->limbs; i++)
        if (lead[i]) return false;
    return lead[0] == 1;
}

mmm_status mmm_numbers_divide(mmm_machine *machine, const mmm_numbers *a, const mmm_numbers *b, mmm_dividing how,
                              mmm_numbers *q, mmm_numbers *r, bool *exists, mmm_integer_facts *facts)
{
    mmm_status result = MMM_OK;
    const int64_t n = a->terms, m = b->terms, quotients = n - m + 1;
    mmm_task task = {0};
    collected c = {.lender = machine};
    bool whole = true;
    int64_t tried = 0, need;
    bool exact = how == MMM_DIVIDE_EXACTLY;
    if (n < m) { /* a itself is the remainder */
        *exists = !exact || n == 0;
        if (*exists) TRY(mmm_numbers_copy(a, r));
        goto done;
    }
    if (how == MMM_DIVIDE && !is_unit(b)) exact = true;
    /* A factor of a has no coefficient of more bits than these (Mignotte). */
    const int64_t most = quotients + a->bits + mmm_length_of(n) + 1;
    need = larger(a->bits, b->bits) + mmm_length_of(m) + 4;
    mmm_task_new(machine, mmm_division, a, b, mmm_primes_needed(need), 0, &task);
    *exists = true;
    if (!machine->engine) TRY(reach(&task, 2, exact, &tried, &c, &whole)); /* for an engine one round is one too many */
    for (;;) {
        const int64_t before = c.count;
        TRY(reach(&task, larger(mmm_primes_needed(need), before), exact, &tried, &c, &whole));
        if (exact && !whole) {
            *exists = false;
            break;
        }
        TRY(mmm_reconstruct(machine, c.p, c.count, c.words[0], quotients, q));
        if (!whole && m > 1) TRY(mmm_reconstruct(machine, c.p, c.count, c.words[1], m - 1, r));
        const double bits = mmm_primes_bits(c.p, c.count);
        need = larger(larger(a->bits, r->bits), q->bits + b->bits + mmm_length_of(larger(m, quotients))) + 4;
        if (bits > (double)need) break;
        if (exact && bits > (double)(most + b->bits + mmm_length_of(n) + 4)) {
            *exists = false;
            break;
        }
        mmm_numbers_clear(q);
        mmm_numbers_clear(r);
        if (exact && need > most + b->bits + mmm_length_of(n) + 34) need = most + b->bits + mmm_length_of(n) + 34;
        need = larger(need, (int64_t)(1.5 * bits));
    }
    facts->primes += c.count;
    facts->unlucky += tried - c.count;
done:
    mmm_task_free(&task);
    release(&c);
    if (result != MMM_OK || !*exists) {
        mmm_numbers_clear(q);
        mmm_numbers_clear(r);
    }
    return result;
}

static mmm_status divide(mmm_machine *machine, fmpz_poly_t q, fmpz_poly_struct *r, const fmpz_poly_t a,
                         const fmpz_poly_t b, mmm_dividing how, mmm_integer_facts *facts)
{
    mmm_status result = MMM_OK;
    mmm_numbers x = {0}, y = {0}, quotient = {0}, rest = {0};
    mmm_integer_facts found = {.proof = MMM_PROOF_NONE};
    bool exists;
    TRY(mmm_operands_read(machine, q, "q", a, b, &x, &y));
    if (q == r) FAIL(MMM_INVALID, "q and r are the same polynomial");
    if (y.terms == 0) FAIL(MMM_INVALID, "b is 0: division by the zero polynomial");
    TRY(mmm_numbers_share(machine, &x));
    TRY(mmm_numbers_share(machine, &y));
    TRY(mmm_numbers_divide(machine, &x, &y, how, &quotient, &rest, &exists, &found));
    if (!exists)
        FAIL(MMM_INVALID, "b does not divide a over the integers%s",
             r ? ", and its leading coefficient is neither 1 nor -1" : "");
    if (found.primes) found.proof = MMM_PROOF_IDENTITY;
    found.bits = larger(quotient.bits, rest.bits);
    TRY(mmm_numbers_write(&quotient, q));
    if (r) TRY(mmm_numbers_write(&rest, r));
    if (facts) *facts = found;
done:
    mmm_numbers_clear(&x);
    mmm_numbers_clear(&y);
    mmm_numbers_clear(&quotient);
    mmm_numbers_clear(&rest);
    return result;
}

mmm_status mmm_integer_divide(mmm_machine *machine, fmpz_poly_t q, fmpz_poly_struct *r, const fmpz_poly_t a,
                              const fmpz_poly_t b, mmm_integer_facts *facts)
{
    return divide(machine, q, r, a, b, r ? MMM_DIVIDE : MMM_DIVIDE_EXACTLY, facts);
}

mmm_status mmm_divide_surely(mmm_machine *machine, fmpz_poly_t q, fmpz_poly_t r, const fmpz_poly_t a,
                             const fmpz_poly_t b, mmm_integer_facts *facts)
{
    return divide(machine, q, r, a, b, MMM_DIVIDE_SURELY, facts);
}
