/* SPDX-License-Identifier: Apache-2.0 */
/* Greatest common divisors over Z: monic ones modulo primes, times what the leading coefficients have in common, put
 * together when they seem to be all there is, and proved by division of both operands.
 *
 * Modulo a prime that divides no leading coefficient the gcd has at least the degree of the one over Z; primes that
 * give more than others are unlucky. */
#include "integer/integer.h"

#include <flint/ulong_extras.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 4, FIRST_PRIMES = 2, MORE_PRIMES = 8, GPU_PRIMES = 64 };

/* What good primes gave so far, all of one degree. */
typedef struct images {
    int64_t count, p_room, word_room, digit_room, terms;
    uint64_t *p;
    uint32_t *words;  /* prime by prime */
    uint64_t *digits; /* of some coefficients, SAMPLES for each prime: c = d0 + p0 (d1 + p1 (...)) */
    int stable;       /* primes in a row that added nothing to these */
} images;

/* The operands without their contents; what these have in common, and the leading coefficients. */
typedef struct parts {
    const mmm_numbers *a, *b;
    mmm_numbers x, y, content, lead;
} parts;

static mmm_status from_flint(const fmpz_t a, mmm_numbers *out)
{
    fmpz_poly_t constant;
    fmpz_poly_init(constant);
    fmpz_poly_set_fmpz(constant, a);
    mmm_status result = mmm_numbers_read(constant, "a", out);
    fmpz_poly_clear(constant);
    return result;
}

/* In a guarded call, as all that allocates in FLINT. */
static mmm_status take_apart(void *context)
{
    mmm_status result = MMM_OK;
    parts *z = context;
    fmpz_poly_t f[2];
    fmpz_t content[2], common;
    fmpz_init(common);
    for (int i = 0; i < 2; i++) {
        fmpz_poly_init(f[i]);
        fmpz_init(content[i]);
    }
    for (int i = 0; i < 2; i++) {
        TRY(mmm_numbers_write(i ? z->b : z->a, f[i]));
        fmpz_poly_content(content[i], f[i]);
        if (!fmpz_is_one(content[i])) fmpz_poly_scalar_divexact_fmpz(f[i], f[i], content[i]);
        TRY(mmm_numbers_read(f[i], "a", i ? &z->y : &z->x));
    }
    fmpz_gcd(common, content[0], content[1]);
    TRY(from_flint(common, &z->content));
    fmpz_gcd(common, f[0]->coeffs + f[0]->length - 1, f[1]->coeffs + f[1]->length - 1);
    TRY(from_flint(common, &z->lead));
done:
    for (int i = 0; i < 2; i++) {
        fmpz_poly_clear(f[i]);
        fmpz_clear(content[i]);
    }
    fmpz_clear(common);
    return result;
}

/* The primitive part of a, or a times a number. */
typedef struct scaling {
    const mmm_numbers *a, *factor;
    mmm_numbers out;
} scaling;

static mmm_status scale(void *context)
{
    mmm_status result = MMM_OK;
    scaling *z = context;
    fmpz_poly_t f, factor;
    fmpz_poly_init(f);
    fmpz_poly_init(factor);
    TRY(mmm_numbers_write(z->a, f));
    if (z->factor) {
        TRY(mmm_numbers_write(z->factor, factor));
        fmpz_poly_scalar_mul_fmpz(f, f, factor->coeffs);
    } else
        fmpz_poly_primitive_part(f, f);
    TRY(mmm_numbers_read(f, "g", &z->out));
done:
    fmpz_poly_clear(f);
    fmpz_poly_clear(factor);
    return result;
}

static void forget(images *z)
{
    z->count = 0;
    z->stable = 0;
}

static void release(images *z)
{
    free(z->p);
    free(z->words);
    free(z->digits);
}

static uint64_t residue_of(const mmm_numbers *a, uint64_t p)
{
    return mpn_mod_1((const mp_limb_t *)a->words, a->limbs / 2, p);
}

/* One more prime: its monic gcd times the residue of `lead`. */
static mmm_status add(images *z, uint64_t p, const uint64_t *gcd, uint64_t lead)
{
    mmm_status result = MMM_OK;
    bool same = z->count > 0;
    TRY(mmm_grow(&z->p, &z->p_room, z->count + 1, sizeof *z->p));
    TRY(mmm_grow(&z->words, &z->word_room, (z->count + 1) * z->terms, sizeof *z->words));
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

/* Whether g divides both. */
static mmm_status prove(mmm_machine *machine, const parts *z, const mmm_numbers *g, bool *proved)
{
    mmm_status result = MMM_OK;
    mmm_integer_facts ignored = {0};
    mmm_numbers q = {0}, r = {0};
    for (int i = 0; i < 2; i++) {
        TRY(mmm_numbers_divide(machine, i ? &z->y : &z->x, g, MMM_DIVIDE_EXACTLY, &q, &r, proved, &ignored));
        mmm_numbers_clear(&q);
        mmm_numbers_clear(&r);
        if (!*proved) break;
    }
done:
    return result;
}

/* As many as the machine, or all workers of its engine, like to have at once; few at first, for often one is enough,
 * and never many more than can be needed. */
static int64_t primes_at_once(const mmm_machine *machine, int64_t tried, int64_t needed)
{
    const mmm_engine *engine = machine->engine;
    const bool cpu = engine ? engine->cpu : machine->cpu;
    const int64_t workers = engine ? engine->workers : 1, least = cpu ? MORE_PRIMES : GPU_PRIMES,
                  left = needed - tried > least ? needed - tried : least;
    int64_t many = workers * (cpu && tried == 0 ? 1 : least);
    if (many < FIRST_PRIMES) many = FIRST_PRIMES;
    return many < left ? many : left;
}

/* The primitive gcd of z->x and z->y, which have terms. */
static mmm_status find(mmm_machine *machine, const parts *z, mmm_numbers *g, mmm_integer_facts *facts)
{
    mmm_status result = MMM_OK;
    const mmm_numbers *small = z->x.terms + z->x.bits < z->y.terms + z->y.bits ? &z->x : &z->y;
    const int64_t most = z->lead.bits + small->terms + small->bits + 64; /* bits of what is put together (Mignotte) */
    int64_t tried = 0, limit = INT64_MAX;
    images found = {.terms = INT64_MAX};
    mmm_residues r = {0};
    scaling part = {0};
    mmm_numbers whole = {0};
    mmm_task task;
    bool proved = false;
    mmm_task_new(machine, mmm_gcd_app, &z->x, &z->y, mmm_primes_needed(most), &task);
    while (!proved) {
        const int64_t more = primes_at_once(machine, tried, mmm_primes_needed(most) + 1);
        TRY(mmm_task_run(&task, tried, more, &r));
        for (int64_t i = 0; i < more; i++) {
            const int64_t terms = r.terms[0][i];
            const uint64_t p = task.primes.p[tried + i];
            if (r.bad[i] || terms >= limit || terms > found.terms || terms == 0) continue;
            if (terms < found.terms) forget(&found);
            found.terms = terms;
            TRY(add(&found, p, r.words[0] + i * r.room[0], residue_of(&z->lead, p)));
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
        part = (scaling){.a = &whole};
        TRY(mmm_guarded(scale, &part));
        TRY(mmm_numbers_share(machine, &part.out));
        TRY(prove(machine, z, &part.out, &proved));
        facts->proof = MMM_PROOF_DIVISION;
        if (proved) {
            *g = part.out;
            part.out = (mmm_numbers){0};
        } else if (bits > (double)most) { /* all of them were unlucky */
            limit = found.terms;
            forget(&found);
            found.terms = INT64_MAX;
        }
        mmm_numbers_clear(&whole);
        mmm_numbers_clear(&part.out);
    }
done:
    mmm_numbers_clear(&whole);
    mmm_numbers_clear(&part.out);
    mmm_residues_free(&r);
    release(&found);
    mmm_task_free(&task);
    return result;
}

/* Of a polynomial and 0: the polynomial, with a positive leading coefficient. */
static mmm_status make_positive(const mmm_numbers *a, mmm_numbers *out)
{
    mmm_status result = MMM_OK;
    TRY(mmm_numbers_copy(a, out));
    const uint32_t turn = a->terms ? a->negative[a->terms - 1] : 0;
    for (int64_t i = 0; i < a->terms; i++)
        out->negative[i] ^= turn;
done:
    return result;
}

mmm_status mmm_integer_gcd(mmm_machine *machine, fmpz_poly_t g, const fmpz_poly_t a, const fmpz_poly_t b,
                           mmm_integer_facts *facts)
{
    mmm_status result = MMM_OK;
    mmm_numbers x = {0}, y = {0}, found = {0};
    parts z = {.a = &x, .b = &y};
    scaling last = {0};
    mmm_integer_facts own = {.proof = MMM_PROOF_NONE};
    TRY(mmm_operands_read(machine, g, "g", a, b, &x, &y));
    if (x.terms == 0 || y.terms == 0)
        TRY(make_positive(x.terms ? &x : &y, &found));
    else {
        TRY(mmm_guarded(take_apart, &z));
        TRY(mmm_numbers_share(machine, &z.x));
        TRY(mmm_numbers_share(machine, &z.y));
        if (x.terms > 1 && y.terms > 1) TRY(find(machine, &z, &last.out, &own));
        if (!last.out.terms) {
            TRY(mmm_numbers_copy(&z.content, &found));
        } else {
            mmm_numbers primitive = last.out;
            last = (scaling){.a = &primitive, .factor = &z.content};
            result = mmm_guarded(scale, &last);
            mmm_numbers_clear(&primitive);
            if (result != MMM_OK) goto done;
            found = last.out;
            last.out = (mmm_numbers){0};
        }
    }
    own.bits = found.bits;
    TRY(mmm_numbers_write(&found, g));
    if (facts) *facts = own;
done:
    mmm_numbers_clear(&x);
    mmm_numbers_clear(&y);
    mmm_numbers_clear(&z.x);
    mmm_numbers_clear(&z.y);
    mmm_numbers_clear(&z.content);
    mmm_numbers_clear(&z.lead);
    mmm_numbers_clear(&found);
    mmm_numbers_clear(&last.out);
    return result;
}
