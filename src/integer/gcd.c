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

/* The operands, then without their contents; what these have in common, and the leading coefficients. */
typedef struct parts {
    const fmpz_poly_struct *a[2];
    mmm_numbers x[2], content, lead;
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

static void exchange(mmm_numbers *a, mmm_numbers *b)
{
    const mmm_numbers c = *a;
    *a = *b;
    *b = c;
}

/* In a guarded call, as all that allocates in FLINT. */
static mmm_status take_apart(void *context)
{
    mmm_status result = MMM_OK;
    parts *z = context;
    const fmpz_poly_struct *a[2] = {z->a[0], z->a[1]};
    mmm_numbers x[2] = {{0}}, shared = {0}, lead = {0};
    fmpz_poly_t f[2];
    fmpz_t content[2], common;
    fmpz_init(common);
    for (int i = 0; i < 2; i++) {
        fmpz_poly_init(f[i]);
        fmpz_init(content[i]);
    }
    for (int i = 0; i < 2; i++) {
        fmpz_poly_content(content[i], a[i]);
        if (fmpz_is_one(content[i])) continue;
        fmpz_poly_scalar_divexact_fmpz(f[i], a[i], content[i]);
        TRY(mmm_numbers_read(f[i], "a", &x[i]));
        a[i] = f[i];
    }
    fmpz_gcd(common, content[0], content[1]);
    TRY(from_flint(common, &shared));
    fmpz_gcd(common, fmpz_poly_lead(a[0]), fmpz_poly_lead(a[1]));
    TRY(from_flint(common, &lead));
    for (int i = 0; i < 2; i++)
        if (x[i].terms) exchange(&z->x[i], &x[i]);
    exchange(&z->content, &shared);
    exchange(&z->lead, &lead);
done:
    for (int i = 0; i < 2; i++) {
        mmm_numbers_clear(&x[i]);
        fmpz_poly_clear(f[i]);
        fmpz_clear(content[i]);
    }
    mmm_numbers_clear(&shared);
    mmm_numbers_clear(&lead);
    fmpz_clear(common);
    return result;
}

static void make_positive(mmm_numbers *a)
{
    const uint32_t turn = a->terms ? a->negative[a->terms - 1] : 0;
    for (int64_t i = 0; i < a->terms; i++)
        a->negative[i] ^= turn;
}

typedef struct scaling {
    mmm_numbers *a;
    const mmm_numbers *factor;
} scaling;

static bool is_one(const mmm_numbers *a)
{
    return a->terms == 1 && a->bits == 1 && !a->negative[0];
}

static void coefficient(const mmm_numbers *a, int64_t i, fmpz_t out)
{
    fmpz_set_ui_array(out, (const ulong *)(a->words + i * a->limbs), a->limbs / 2);
}

/* Makes a primitive with a positive leading coefficient. */
static mmm_status make_primitive(void *context)
{
    mmm_status result = MMM_OK;
    mmm_numbers *a = context;
    fmpz_t content, c;
    fmpz_poly_t f;
    fmpz_init(content);
    fmpz_init(c);
    fmpz_poly_init(f);
    for (int64_t i = a->terms - 1; i >= 0 && !fmpz_is_one(content); i--) {
        coefficient(a, i, c);
        fmpz_gcd(content, content, c);
    }
    if (!fmpz_is_one(content)) {
        TRY(mmm_numbers_write(a, f));
        fmpz_poly_scalar_divexact_fmpz(f, f, content);
        mmm_numbers_clear(a);
        TRY(mmm_numbers_read(f, "g", a));
    }
    make_positive(a);
done:
    fmpz_clear(content);
    fmpz_clear(c);
    fmpz_poly_clear(f);
    return result;
}

/* a times a number. */
static mmm_status scale(void *context)
{
    mmm_status result = MMM_OK;
    scaling *z = context;
    fmpz_poly_t f;
    fmpz_t factor;
    fmpz_poly_init(f);
    fmpz_init(factor);
    coefficient(z->factor, 0, factor);
    TRY(mmm_numbers_write(z->a, f));
    fmpz_poly_scalar_mul_fmpz(f, f, factor);
    mmm_numbers_clear(z->a);
    TRY(mmm_numbers_read(f, "g", z->a));
done:
    fmpz_poly_clear(f);
    fmpz_clear(factor);
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
        TRY(mmm_numbers_divide(machine, &z->x[i], g, MMM_DIVIDE_EXACTLY, &q, &r, proved, &ignored));
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

/* The primitive gcd of both, which have terms. */
static mmm_status find(mmm_machine *machine, const parts *z, mmm_numbers *g, mmm_integer_facts *facts)
{
    mmm_status result = MMM_OK;
    const mmm_numbers *x = &z->x[0], *y = &z->x[1], *small = x->terms + x->bits < y->terms + y->bits ? x : y;
    const int64_t most = z->lead.bits + small->terms + small->bits + 64; /* bits of what is put together (Mignotte) */
    int64_t tried = 0, limit = INT64_MAX;
    images found = {.terms = INT64_MAX};
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
    parts z = {.a = {a, b}};
    mmm_numbers *x = &z.x[0], *y = &z.x[1];
    scaling last = {.a = &found, .factor = &z.content};
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
            TRY(mmm_numbers_copy(&z.content, &found));
        else if (!is_one(&z.content))
            TRY(mmm_guarded(scale, &last));
    }
    own.bits = found.bits;
    TRY(mmm_numbers_write(&found, g));
    if (facts) *facts = own;
done:
    mmm_numbers_clear(x);
    mmm_numbers_clear(y);
    mmm_numbers_clear(&z.content);
    mmm_numbers_clear(&z.lead);
    mmm_numbers_clear(&found);
    return result;
}
