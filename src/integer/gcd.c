/* SPDX-License-Identifier: Apache-2.0 */
/* Greatest common divisors over Z: monic ones modulo primes, times what the leading coefficients have in common, put
 * together when they seem to be all there is, and proved by division of both operands.
 *
 * Modulo a prime that divides no leading coefficient the gcd has at least the degree of the one over Z; primes that
 * give more than others are unlucky. */
#include "integer/integer.h"

#include <flint/ulong_extras.h>
#include <gmp.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 4, FIRST_PRIMES = 2, MORE_PRIMES = 8, SOME_PRIMES = 32, GPU_PRIMES = 64 };

/* What good primes gave so far, all of one degree. */
typedef struct images {
    mmm_machine *lender; /* of the words */
    size_t lent;
    int64_t count, p_room, digit_room, terms;
    uint64_t *p;
    uint32_t *words;  /* prime by prime */
    uint64_t *digits; /* of some coefficients, SAMPLES for each prime: c = d0 + p0 (d1 + p1 (...)) */
    int stable;       /* primes in a row that added nothing to these */
} images;

/* The operands, then without their contents; what these have in common, and the leading coefficients. */
typedef struct parts {
    mmm_numbers x[2], content, lead;
} parts;

/* ---- Contents: in guarded calls, for GMP allocates, but without FLINT, which would make a store of its numbers ----
 */

static mpz_srcptr coefficient(const mmm_numbers *a, int64_t i, mpz_t view)
{
    return mpz_roinit_n(view, (const mp_limb_t *)(a->words + i * a->limbs), a->limbs / 2);
}

static void set_coefficient(mmm_numbers *a, int64_t i, const mpz_t value)
{
    const size_t bytes = mpz_size(value) * sizeof(mp_limb_t);
    char *to = (char *)(a->words + i * a->limbs);
    memcpy(to, mpz_limbs_read(value), bytes);
    memset(to + bytes, 0, (size_t)a->limbs * sizeof *a->words - bytes);
}

static mmm_status number_of(const mpz_t value, mmm_numbers *out)
{
    MMM_TRY(mmm_numbers_room(1, 2 * (int64_t)(mpz_size(value) + 1), out));
    set_coefficient(out, 0, value);
    mmm_numbers_trim(out);
    return MMM_OK;
}

/* Divides a by its content. */
static void take_content(mmm_numbers *a, mpz_t content)
{
    mpz_t view, quotient;
    mpz_set_ui(content, 0);
    for (int64_t i = a->terms - 1; i >= 0 && mpz_cmp_ui(content, 1) != 0; i--)
        mpz_gcd(content, content, coefficient(a, i, view));
    if (mpz_cmp_ui(content, 1) == 0) return;
    mpz_init(quotient);
    for (int64_t i = 0; i < a->terms; i++) {
        mpz_divexact(quotient, coefficient(a, i, view), content);
        set_coefficient(a, i, quotient);
    }
    mpz_clear(quotient);
    mmm_numbers_trim(a);
}

static mmm_status take_apart(void *context)
{
    mmm_status result = MMM_OK;
    parts *z = context;
    mmm_numbers common = {0}, lead = {0}; /* the caller's when nothing can fail any more */
    mpz_t content[2], views[2];
    for (int i = 0; i < 2; i++) {
        mpz_init(content[i]);
        take_content(&z->x[i], content[i]);
    }
    mpz_gcd(content[0], content[0], content[1]);
    TRY(number_of(content[0], &common));
    for (int i = 0; i < 2; i++)
        coefficient(&z->x[i], z->x[i].terms - 1, views[i]);
    mpz_gcd(content[0], views[0], views[1]);
    TRY(number_of(content[0], &lead));
    z->content = common;
    z->lead = lead;
    common = (mmm_numbers){0};
done:
    mmm_numbers_clear(&common);
    mpz_clear(content[0]);
    mpz_clear(content[1]);
    return result;
}

static void make_positive(mmm_numbers *a)
{
    const uint32_t turn = a->terms ? a->negative[a->terms - 1] : 0;
    for (int64_t i = 0; i < a->terms; i++)
        a->negative[i] ^= turn;
}

/* Makes a primitive with a positive leading coefficient. */
static mmm_status make_primitive(void *context)
{
    mmm_numbers *a = context;
    mpz_t content;
    mpz_init(content);
    take_content(a, content);
    mpz_clear(content);
    make_positive(a);
    return MMM_OK;
}

typedef struct scaling {
    const mmm_numbers *a, *factor;
    mmm_numbers out;
} scaling;

/* a times a number. */
static mmm_status scale(void *context)
{
    mmm_status result = MMM_OK;
    scaling *z = context;
    const mmm_numbers *a = z->a;
    mmm_numbers out;
    mpz_t views[2], product;
    mpz_init(product);
    TRY(mmm_numbers_room(a->terms, a->limbs + z->factor->limbs, &out));
    for (int64_t i = 0; i < a->terms; i++) {
        mpz_mul(product, coefficient(a, i, views[0]), coefficient(z->factor, 0, views[1]));
        set_coefficient(&out, i, product);
        out.negative[i] = a->negative[i];
    }
    mmm_numbers_trim(&out);
    z->out = out;
done:
    mpz_clear(product);
    return result;
}

static bool is_one(const mmm_numbers *a)
{
    return a->terms == 1 && a->bits == 1 && !a->negative[0];
}

static void forget(images *z)
{
    z->count = 0;
    z->stable = 0;
}

static void release(images *z)
{
    free(z->p);
    mmm_stage_put_by(z->lender, z->lent, z->words);
    free(z->digits);
}

static uint64_t residue_of(const mmm_numbers *a, uint64_t p)
{
    return mpn_mod_1((const mp_limb_t *)a->words, a->limbs / 2, p);
}

/* One more prime, the first of so many that are to come: its monic gcd times the residue of `lead`. */
static mmm_status add(images *z, uint64_t p, const uint64_t *gcd, uint64_t lead, int64_t more)
{
    mmm_status result = MMM_OK;
    bool same = z->count > 0;
    TRY(mmm_grow(&z->p, &z->p_room, z->count + 1, sizeof *z->p));
    TRY(mmm_stage_reach(z->lender, (size_t)((z->count + more) * z->terms) * sizeof *z->words, &z->lent, &z->words));
    TRY(mmm_grow(&z->digits, &z->digit_room, (z->count + 1) * SAMPLES, sizeof *z->digits));
    uint32_t *words = z->words + z->count * z->terms;
    for (int64_t i = 0; i < z->terms; i++)
        words[i] = (uint32_t)(gcd[i] * lead % p);
    uint64_t product = 1;
    for (int64_t i = 0; i < z->count; i++)
        product = product * (z->p[i] % p) % p;
    const uint64_t inverse = n_invmod(product, p);
    for (int k = 0; k < SAMPLES; k++) {
        uint64_t known = 0;
        for (int64_t i = z->count - 1; i >= 0; i--)
            known = (known * (z->p[i] % p) + z->digits[i * SAMPLES + k]) % p;
        const uint64_t word = words[(z->terms - 1) * k / SAMPLES], digit = (word + p - known) % p * inverse % p;
        z->digits[z->count * SAMPLES + k] = digit;
        if (digit != 0 && digit != p - 1) same = false;
    }
    z->stable = same ? z->stable + 1 : 0;
    z->p[z->count++] = p;
done:
    return result;
}

/* Whether two workers have about as much to do when each divides one of them. */
static bool are_alike(const parts *z)
{
    const int64_t words[] = {z->x[0].terms * z->x[0].bits, z->x[1].terms * z->x[1].bits};
    return words[0] < 2 * words[1] && words[1] < 2 * words[0];
}

/* Whether g divides both. */
static mmm_status prove(mmm_machine *machine, const parts *z, const mmm_numbers *g, bool *proved)
{
    mmm_status result = MMM_OK;
    mmm_engine *engine = machine->engine;
    mmm_integer_facts ignored = {0};
    mmm_numbers q = {0}, r = {0};
    if (engine && engine->workers == 2 && are_alike(z)) return mmm_far_divides(engine, z->x, g, proved);
    for (int i = 0; i < 2; i++) {
        TRY(mmm_numbers_divide(machine, &z->x[i], g, MMM_DIVIDE_EXACTLY, &q, &r, proved, &ignored));
        mmm_numbers_clear(&q);
        mmm_numbers_clear(&r);
        if (!*proved) break;
    }
done:
    return result;
}

/* As many as the machine, or all workers of its engine, like to have at once; few at first, for often one is enough,
 * then of cores no more than were tried before, once these are some, and never many more than can be needed. */
static int64_t primes_at_once(const mmm_machine *machine, int64_t tried, int64_t needed)
{
    const mmm_engine *engine = machine->engine;
    const bool cpu = engine ? engine->cpu : machine->cpu;
    const int64_t workers = engine ? engine->workers : 1, least = cpu ? MORE_PRIMES : GPU_PRIMES,
                  left = needed - tried > least ? needed - tried : least;
    int64_t many = workers * (cpu && tried == 0 ? 1 : least);
    if (many < FIRST_PRIMES) many = FIRST_PRIMES;
    if (cpu && tried) many = mmm_lesser(many, tried > SOME_PRIMES ? tried : SOME_PRIMES);
    return many < left ? many : left;
}

/* The primitive gcd of both, which have terms. */
static mmm_status find(mmm_machine *machine, const parts *z, mmm_numbers *g, mmm_integer_facts *facts)
{
    mmm_status result = MMM_OK;
    const mmm_numbers *x = &z->x[0], *y = &z->x[1], *small = x->terms + x->bits < y->terms + y->bits ? x : y;
    const int64_t most = z->lead.bits + small->terms + small->bits + 64; /* bits of what is put together (Mignotte) */
    int64_t tried = 0, limit = INT64_MAX;
    images found = {.lender = machine, .terms = INT64_MAX};
    mmm_residues r = {0};
    mmm_numbers whole = {0};
    mmm_task task;
    bool proved = false;
    mmm_task_new(machine, mmm_gcd_app, x, y, mmm_primes_needed(most), 0, &task);
    while (!proved) {
        const int64_t more = primes_at_once(machine, tried, mmm_primes_needed(most) + 1);
        TRY(mmm_task_run(&task, tried, more, &r));
        for (int64_t i = 0; i < more; i++) {
            const int64_t terms = r.terms[0][i];
            const uint64_t p = task.primes.p[tried + i];
            if (r.bad[i] || terms >= limit || terms > found.terms || terms == 0) continue;
            if (terms < found.terms) forget(&found);
            found.terms = terms;
            TRY(add(&found, p, r.words[0] + i * r.room[0], residue_of(&z->lead, p), more - i));
        }
        mmm_residues_free(&r);
        tried += more;
        facts->primes = found.count;
        facts->unlucky = tried - found.count;
        if (found.count && found.terms == 1) { /* the operands have no common divisor but constants */
            TRY(mmm_numbers_room(1, 2, g));
            g->words[0] = 1;
            g->bits = 1;
            facts->proof = MMM_PROOF_PRIME;
            break;
        }
        const double bits = mmm_primes_bits(found.p, found.count);
        if (!found.stable && bits <= (double)most) continue;
        TRY(mmm_reconstruct(machine, found.p, found.count, found.words, found.terms, &whole));
        TRY(mmm_guarded(make_primitive, &whole));
        TRY(mmm_numbers_share(machine, &whole));
        TRY(prove(machine, z, &whole, &proved));
        facts->proof = MMM_PROOF_DIVISION;
        if (proved) {
            *g = whole;
            whole = (mmm_numbers){0};
        } else if (bits > (double)most) { /* all of them were unlucky */
            limit = found.terms;
            forget(&found);
            found.terms = INT64_MAX;
        }
        mmm_numbers_clear(&whole);
    }
done:
    mmm_numbers_clear(&whole);
    mmm_residues_free(&r);
    release(&found);
    mmm_task_free(&task);
    return result;
}

mmm_status mmm_integer_gcd(mmm_machine *machine, fmpz_poly_t g, const fmpz_poly_t a, const fmpz_poly_t b,
                           mmm_integer_facts *facts)
{
    mmm_status result = MMM_OK;
    mmm_numbers found = {0};
    parts z = {0};
    mmm_numbers *x = &z.x[0], *y = &z.x[1];
    scaling last = {.a = &found, .factor = &z.content};
    const mmm_numbers *all = &found;
    mmm_integer_facts own = {.proof = MMM_PROOF_NONE};
    TRY(mmm_operands_read(machine, g, "g", a, b, x, y));
    if (x->terms == 0 || y->terms == 0) {
        TRY(mmm_numbers_copy(x->terms ? x : y, &found));
        make_positive(&found);
    } else {
        TRY(mmm_guarded(take_apart, &z));
        TRY(mmm_numbers_share(machine, x));
        TRY(mmm_numbers_share(machine, y));
        if (x->terms > 1 && y->terms > 1) TRY(find(machine, &z, &found, &own));
        if (!found.terms)
            all = &z.content;
        else if (!is_one(&z.content)) {
            TRY(mmm_guarded(scale, &last));
            all = &last.out;
        }
    }
    own.bits = all->bits;
    TRY(mmm_numbers_write(all, g));
    if (facts) *facts = own;
done:
    mmm_numbers_clear(x);
    mmm_numbers_clear(y);
    mmm_numbers_clear(&z.content);
    mmm_numbers_clear(&z.lead);
    mmm_numbers_clear(&last.out);
    mmm_numbers_clear(&found);
    return result;
}
