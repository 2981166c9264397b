/* SPDX-License-Identifier: Apache-2.0 */
/* Coefficients modulo many primes and back, on cores that multiply numbers of 52 bits: by plans of the kernels in
 * wide.c, and the tables of these. */
#include "integer/integer.h"
#include "integer/wide.h"

#include <flint/ulong_extras.h>
#include <gmp.h>
#include <stdlib.h>
#include <string.h>

/* ---- The programs ------------------------------------------------------------------------------------------------ */

static mmm_status build_remainders(mmm_job *job, mmm_program *program)
{
    wide_there x = {.n = mmm_job_get(job, "n"),
                    .size = mmm_job_get(job, "size"),
                    .rows = mmm_job_get(job, "rows"),
                    .primes = mmm_job_get(job, "primes"),
                    .stride = mmm_job_get(job, "stride"),
                    .from = mmm_job_get(job, "from"),
                    .pieces = mmm_job_get(job, "pieces"),
                    .apart = mmm_job_get(job, "apart")};
    const int64_t groups = mmm_quotient_up(x.primes, GROUP);
    MMM_TRY(mmm_job_input(job, 0, 0, x.n * x.size, MMM_IN, &x.limbs));
    MMM_TRY(mmm_job_input(job, 1, 0, x.n, MMM_IN, &x.negative));
    MMM_TRY(mmm_job_input(job, 2, 0, groups * x.rows * WIDE_LIMBS, MMM_IN, &x.weights));
    MMM_TRY(mmm_job_input(job, 3, 0, x.primes * WIDE_THERE, MMM_IN, &x.constants));
    MMM_TRY(mmm_job_array(job, "residues", x.primes * x.stride, (x.stride > x.n ? MMM_ZERO : MMM_WORK) | MMM_RESULT,
                          &x.residues));
    return mmm_wide_remainders(program, &x);
}

static mmm_status build_reconstruct(mmm_job *job, mmm_program *program)
{
    wide_back x = {.n = mmm_job_get(job, "n"),
                   .size = mmm_job_get(job, "size"),
                   .rows = mmm_job_get(job, "rows"),
                   .primes = mmm_job_get(job, "primes"),
                   .stride = mmm_job_get(job, "stride"),
                   .from = mmm_job_get(job, "from"),
                   .pieces = mmm_job_get(job, "pieces"),
                   .per = mmm_job_get(job, "per"),
                   .all = mmm_job_get(job, "all")};
    const int64_t groups = mmm_quotient_up(x.primes, GROUP);
    MMM_TRY(mmm_job_input(job, 0, 0, x.primes * x.stride, MMM_IN, &x.residues));
    MMM_TRY(mmm_job_input(job, 1, 0, x.primes * WIDE_BACK, MMM_IN, &x.constants));
    MMM_TRY(mmm_job_input(job, 2, 0, groups * WIDE_LIMBS, MMM_IN, &x.others));
    MMM_TRY(mmm_job_input(job, 3, 0, (groups + 1) * (x.rows + WIDE_HALO), MMM_IN, &x.weights));
    MMM_TRY(mmm_job_array(job, "limbs", x.n * x.size, MMM_WORK, &x.limbs));
    MMM_TRY(mmm_job_array(job, "negative", x.n, MMM_WORK, &x.negative));
    MMM_TRY(mmm_job_output(job, 0, x.limbs, 0, x.n * x.size));
    MMM_TRY(mmm_job_output(job, 1, x.negative, 0, x.n));
    return mmm_wide_reconstruct(program, &x);
}

static const mmm_app remainders = {.name = "wide-remainders",
                                   .parameters = RESIDUE_PARAMETERS("apart", "residues from piece to piece"),
                                   .inputs = {{.name = "limbs", .type = MMM_U32, .shape = "n*size"},
                                              {.name = "negative", .type = MMM_U32, .shape = "n"},
                                              {.name = "weights", .type = MMM_U64, .shape = "(primes + 4)/5*rows*3"},
                                              {.name = "constants", .type = MMM_U64, .shape = "primes*12"}},
                                   .build = build_remainders};
static const mmm_app reconstruction = {
    .name = "wide-reconstruction",
    .parameters = RESIDUE_PARAMETERS("all", "digits of each coefficient"),
    .inputs = {{.name = "residues", .type = MMM_U32, .shape = "primes*stride"},
               {.name = "constants", .type = MMM_U64, .shape = "8*primes"},
               {.name = "others", .type = MMM_U64, .shape = "(primes + 4)/5*3"},
               {.name = "weights", .type = MMM_U64, .shape = "((primes + 4)/5 + 1)*(rows + 3)"}},
    .outputs = {{.name = "limbs", .type = MMM_U32, .shape = "n*size"},
                {.name = "negative", .type = MMM_U32, .shape = "n"}},
    .build = build_reconstruct};

/* ---- There ------------------------------------------------------------------------------------------------------- */

typedef unsigned __int128 u128;

static void put_digits(const mp_limb_t *x, int64_t limbs, int64_t count, uint64_t *digits)
{
    for (int64_t j = 0; j < count; j++)
        digits[j] = mmm_digit_at(x, limbs, j, WIDE_BITS);
}

static uint64_t quotient_of(uint64_t w, uint64_t p)
{
    return (uint64_t)(((u128)w << WIDE_BITS) / p);
}

/* The product of the primes of a group, or of all of them but one. */
static mp_size_t multiply(const uint64_t *p, int64_t count, int64_t without, mp_limb_t *out)
{
    const int64_t before = without < 0 ? count : without;
    memset(out, 0, (WIDE_LIMBS + 1) * sizeof *out);
    out[0] = 1;
    const int64_t used = mmm_limbs_times(out, 1, p, before);
    return without < 0 ? used : mmm_limbs_times(out, used, p + before + 1, count - before - 1);
}

/* Powers of 2^52 modulo the product of each group, and modulo each prime, in the form of programs. */
static void fill_weights(const uint64_t *p, int64_t primes, int64_t rows, uint64_t *weights, uint64_t *constants)
{
    for (int64_t i = 0; i < primes; i += GROUP) {
        mp_limb_t product[WIDE_LIMBS + 1], x[WIDE_LIMBS + 1] = {1}, next[WIDE_LIMBS + 1], quotient[WIDE_LIMBS + 1];
        const mp_size_t used = multiply(p + i, mmm_lesser(GROUP, primes - i), -1, product);
        uint64_t *to = weights + i / GROUP * rows * WIDE_LIMBS;
        for (int64_t j = 0; j < rows; j++) {
            put_digits(x, WIDE_LIMBS, WIDE_LIMBS, to + j * WIDE_LIMBS);
            next[WIDE_LIMBS] = mpn_lshift(next, x, WIDE_LIMBS, WIDE_BITS);
            mpn_tdiv_qr(quotient, x, 0, next, WIDE_LIMBS + 1, product, used);
        }
    }
    for (int64_t i = 0; i < primes; i++) {
        uint64_t *to = constants + i * WIDE_THERE, x = ((uint64_t)1 << 32) % p[i];
        to[0] = p[i];
        to[1] = quotient_of(1, p[i]);
        for (int k = 0; k < WIDE_PLACES; k++) {
            to[2 + 2 * k] = x;
            to[3 + 2 * k] = quotient_of(x, p[i]);
            x = (uint64_t)(((u128)x << WIDE_BITS) % p[i]);
        }
    }
}

mmm_status mmm_wide_there(mmm_machine *machine, const mmm_numbers *a, mmm_pieces cut, const uint64_t *p, int64_t count,
                          int64_t stride, int64_t from, void *buffer)
{
    mmm_status result = MMM_OK;
    enum { RESIDUES = 4 };
    const int64_t rows = cut.digits;
    const int64_t sizes[] = {a->terms, a->limbs, rows, count, stride, from, cut.count, 1, cut.apart};
    uint64_t *weights = NULL, *constants = NULL;
    mmm_plan *plan;
    TRY(mmm_recent_of(machine, &remainders, sizes, &plan));
    if (!mmm_plan_holds(plan, 0, p, count)) {
        TRY(mmm_alloc(&weights, mmm_quotient_up(count, GROUP) * rows * WIDE_LIMBS, sizeof *weights));
        TRY(mmm_alloc(&constants, count * WIDE_THERE, sizeof *constants));
        fill_weights(p, count, rows, weights, constants);
        TRY(mmm_plan_hold(plan, 0, NULL, 0));
    }
    mmm_plan_put(plan, RESIDUES, buffer); /* the machine works in host memory */
    TRY(mmm_plan_start(plan, (const void *[]){NULL, NULL, weights, constants},
                       (void *[]){a->words, a->negative, NULL, NULL}));
    if (weights) TRY(mmm_plan_hold(plan, 0, p, count));
done:
    free(weights);
    free(constants);
    return result;
}

/* ---- And back ---------------------------------------------------------------------------------------------------- */

/* `all` and `part` have room for as many limbs as `rows` digits, and one more. */
static void fill_table(const uint64_t *p, int64_t primes, int64_t rows, bool form, mp_limb_t *all, mp_limb_t *part,
                       int64_t room, uint64_t *constants, uint64_t *others, uint64_t *weights)
{
    const int64_t groups = mmm_quotient_up(primes, GROUP), row = rows + WIDE_HALO;
    all[0] = 1;
    const int64_t used = mmm_limbs_times(all, 1, p, primes);
    for (int64_t g = 0; g < groups; g++) {
        const uint64_t *own = p + g * GROUP;
        const int64_t count = mmm_lesser(GROUP, primes - g * GROUP);
        mp_limb_t product[WIDE_LIMBS + 1], rest[WIDE_LIMBS + 1] = {0};
        memcpy(part, all, (size_t)used * sizeof *part);
        for (int64_t i = 0; i < count; i++)
            mpn_divexact_1(part, part, used, own[i]);
        put_digits(part, used, rows, weights + g * row + WIDE_HALO);
        for (int64_t i = 0; i < count; i++) {
            uint64_t *to = constants + (g * GROUP + i) * WIDE_BACK;
            const mp_size_t size = multiply(own, count, i, product);
            uint64_t x = mpn_mod_1(part, used, own[i]) * mpn_mod_1(product, size, own[i]) % own[i];
            x = n_invmod(form ? (x << 32) % own[i] : x, own[i]);
            to[0] = own[i];
            to[1] = x;
            to[2] = quotient_of(x, own[i]);
            to[3] = (uint64_t)(((u128)1 << 82) / own[i]);
            put_digits(product, WIDE_LIMBS, WIDE_LIMBS, to + 4);
        }
        multiply(own, count, -1, product);
        mpn_neg(rest, product, WIDE_LIMBS);
        put_digits(rest, WIDE_LIMBS, WIDE_LIMBS, others + g * WIDE_LIMBS);
    }
    memset(part, 0, (size_t)room * sizeof *part);
    memcpy(part, all, (size_t)used * sizeof *part);
    mpn_neg(part, part, room);
    put_digits(part, room, rows, weights + groups * row + WIDE_HALO);
}

mmm_status mmm_wide_back(mmm_machine *machine, const uint64_t *p, int64_t count, const uint32_t *residues, void *buffer,
                         const int64_t where[2], mmm_pieces cut, mmm_numbers *out)
{
    mmm_status result = MMM_OK;
    enum { LIMBS = 4, NEGATIVE };
    const int64_t rows = mmm_quotient_up((int64_t)mmm_primes_bits(p, count) + 3, WIDE_BITS), row = rows + WIDE_HALO;
    const int64_t all = cut.count > 1 ? cut.all : rows, groups = mmm_quotient_up(count, GROUP);
    const int64_t size = cut.count > 1 ? mmm_quotient_up(all * WIDE_BITS, 64) * 2 : mmm_reconstruct_limbs(p, count);
    const int64_t sizes[] = {cut.apart, size, rows, count, where[0], where[1], cut.count, cut.digits, all};
    const int64_t room = mmm_quotient_up(31 * count + WIDE_BITS, 64) + 2;
    const bool form = buffer != NULL; /* residues are in the form of programs */
    uint64_t *constants = NULL, *others = NULL, *weights = NULL;
    mp_limb_t *product = NULL;
    mmm_plan *plan;
    mmm_numbers found = {0};
    TRY(mmm_recent_of(machine, &reconstruction, sizes, &plan));
    if (!mmm_plan_holds(plan, form, p, count)) {
        TRY(mmm_alloc(&constants, count * WIDE_BACK, sizeof *constants));
        TRY(mmm_alloc(&others, groups * WIDE_LIMBS, sizeof *others));
        TRY(mmm_alloc(&weights, (groups + 1) * row, sizeof *weights));
        TRY(mmm_alloc(&product, 2 * room, sizeof *product));
        fill_table(p, count, rows, form, product, product + room, room, constants, others, weights);
        TRY(mmm_plan_hold(plan, 0, NULL, 0));
    }
    TRY(mmm_numbers_borrow(machine, cut.apart, size, &found));
    mmm_plan_put(plan, LIMBS, found.words);
    mmm_plan_put(plan, NEGATIVE, found.negative);
    TRY(mmm_plan_start(plan, (const void *[]){residues, constants, others, weights},
                       (void *[]){buffer, NULL, NULL, NULL}));
    if (weights) TRY(mmm_plan_hold(plan, form, p, count));
    mmm_numbers_trim(&found);
    *out = found;
    found = (mmm_numbers){0};
done:
    mmm_numbers_clear(&found);
    free(constants);
    free(others);
    free(weights);
    free(product);
    return result;
}
