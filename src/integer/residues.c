/* SPDX-License-Identifier: Apache-2.0 */
/* Coefficients modulo many primes and back, by plans of the kernels in integer_kernels.c.
 *
 * Both ways are products of a matrix of digits with a table, which costs the square of the number of primes; the trees
 * of FLINT, which cost less for very many of them, are slower by 5 to 10 times for hundreds.  Coefficients may be cut
 * into pieces, each of which has residues of its own, for fewer primes. */
#include "integer/integer.h"
#include "integer/wide.h"

#include "integer/kernels.h" /* made from integer_kernels.c */

#include <flint/ulong_extras.h>
#include <gmp.h>
#include <stdlib.h>
#include <string.h>

/* Products of a residue and a weight that take a core as long as a round of an engine, some 0.2 ms. */
enum { FAR_LEAST = 1 << 21 };

/* ---- The programs ------------------------------------------------------------------------------------------------ */

static mmm_status build_remainders(mmm_job *job, mmm_program *program)
{
    const int64_t n = mmm_job_get(job, "n"), rows = mmm_job_get(job, "rows"), primes = mmm_job_get(job, "primes");
    const int64_t stride = mmm_job_get(job, "stride"), from = mmm_job_get(job, "from");
    const int64_t pieces = mmm_job_get(job, "pieces"), parts = mmm_quotient_up(n, TILE), tiles = parts * pieces;
    mmm_u32_array limbs, negative, constants, residues;
    mmm_u64_array digits, weights;
    MMM_TRY(mmm_job_input(job, 0, 0, n * mmm_job_get(job, "size"), MMM_IN, &limbs));
    MMM_TRY(mmm_job_input(job, 1, 0, n, MMM_IN, &negative));
    MMM_TRY(mmm_job_input(job, 2, 0, mmm_quotient_up(primes, CHUNK) * CHUNK * rows, MMM_IN, &weights));
    MMM_TRY(mmm_job_input(job, 3, 0, mmm_quotient_up(primes, CHUNK) * CHUNK * 8, MMM_IN, &constants));
    MMM_TRY(mmm_job_array(job, "digits", tiles * TILE * rows, MMM_WORK, &digits));
    MMM_TRY(
        mmm_job_array(job, "residues", primes * stride, (stride > n ? MMM_ZERO : MMM_WORK) | MMM_RESULT, &residues));
    MMM_TRY(launch_unpack(program, tiles * (rows / CHUNK), TILE, limbs, digits, n, mmm_job_get(job, "size"),
                          rows / CHUNK, mmm_job_get(job, "per")));
    return launch_remainders(program, tiles * mmm_quotient_up(primes, CHUNK), TILE, digits, negative, weights,
                             constants, residues, n, primes, rows / CHUNK, parts, pieces, stride, from,
                             mmm_job_get(job, "apart"));
}

static mmm_status build_reconstruct(mmm_job *job, mmm_program *program)
{
    const int64_t n = mmm_job_get(job, "n"), rows = mmm_job_get(job, "rows"), primes = mmm_job_get(job, "primes");
    const int64_t parts = mmm_quotient_up(n, TILE), chunks = mmm_quotient_up(primes + 1, CHUNK),
                  size = mmm_job_get(job, "size");
    const int64_t stride = mmm_job_get(job, "stride"), from = mmm_job_get(job, "from"), all = mmm_job_get(job, "all");
    const int64_t pieces = mmm_job_get(job, "pieces"), tiles = parts * pieces;
    mmm_u32_array residues, constants, digits, limbs, negative, low_sums;
    mmm_u64_array weights, y, high_sums;
    MMM_TRY(mmm_job_input(job, 0, 0, primes * stride, MMM_IN, &residues));
    MMM_TRY(mmm_job_input(job, 1, 0, 4 * primes, MMM_IN, &constants));
    MMM_TRY(mmm_job_input(job, 2, 0, rows * chunks * CHUNK, MMM_IN, &weights));
    MMM_TRY(mmm_job_array(job, "y", tiles * TILE * chunks * CHUNK, MMM_WORK, &y));
    MMM_TRY(mmm_job_array(job, "low_sums", tiles * TILE * rows, MMM_WORK, &low_sums));
    MMM_TRY(mmm_job_array(job, "high_sums", tiles * TILE * rows, MMM_WORK, &high_sums));
    MMM_TRY(mmm_job_array(job, "digits", tiles * TILE * rows, MMM_WORK, &digits));
    MMM_TRY(mmm_job_array(job, "limbs", n * size, MMM_WORK, &limbs));
    MMM_TRY(mmm_job_array(job, "negative", n, MMM_WORK, &negative));
    MMM_TRY(mmm_job_output(job, 0, limbs, 0, n * size));
    MMM_TRY(mmm_job_output(job, 1, negative, 0, n));
    MMM_TRY(launch_scale(program, tiles * chunks, TILE, residues, constants, y, n, primes, chunks, stride, from));
    MMM_TRY(launch_quotients(program, tiles, TILE, y, constants, primes, chunks));
    MMM_TRY(launch_digit_sums(program, tiles * (rows / CHUNK), TILE, y, weights, low_sums, high_sums, chunks,
                              rows / CHUNK));
    MMM_TRY(launch_carry(program, tiles, TILE, low_sums, high_sums, digits, rows / CHUNK));
    if (pieces > 1) {
        mmm_u32_array sums;
        MMM_TRY(mmm_job_array(job, "sums", parts * TILE * all, MMM_WORK, &sums));
        MMM_TRY(launch_gather(program, parts, TILE, digits, sums, pieces, mmm_job_get(job, "per"), rows, all));
        digits = sums;
    }
    return launch_pack(program, parts, TILE, digits, limbs, negative, n, all, size);
}

static const mmm_app remainders = {.name = "remainders",
                                   .parameters = RESIDUE_PARAMETERS("apart", "residues from piece to piece"),
                                   .inputs = {{.name = "limbs", .type = MMM_U32, .shape = "n*size"},
                                              {.name = "negative", .type = MMM_U32, .shape = "n"},
                                              {.name = "weights", .type = MMM_U64, .shape = "(primes + 7)/8*8*rows"},
                                              {.name = "constants", .type = MMM_U32, .shape = "(primes + 7)/8*64"}},
                                   .build = build_remainders};
static const mmm_app reconstruction = {
    .name = "reconstruction",
    .parameters = RESIDUE_PARAMETERS("all", "digits of each coefficient"),
    .inputs = {{.name = "residues", .type = MMM_U32, .shape = "primes*stride"},
               {.name = "constants", .type = MMM_U32, .shape = "4*primes"},
               {.name = "weights", .type = MMM_U64, .shape = "rows*((primes + 8)/8*8)"}},
    .outputs = {{.name = "limbs", .type = MMM_U32, .shape = "n*size"},
                {.name = "negative", .type = MMM_U32, .shape = "n"}},
    .build = build_reconstruct};

/* ---- There ------------------------------------------------------------------------------------------------------- */

static uint64_t quotient_of(uint64_t w, uint64_t p)
{
    return (w << 32) / p;
}

/* Powers of 2^30 modulo each prime, in the form of programs: groups of primes, of which each digit has a row. */
static void fill_weights(const uint64_t *p, int64_t primes, int64_t rows, uint64_t *weights, uint32_t *constants)
{
    for (int64_t i = 0; i < primes; i++) {
        uint64_t *to = weights + i / CHUNK * CHUNK * rows + i % CHUNK, x = ((uint64_t)1 << 32) % p[i];
        const uint64_t step = ((uint64_t)1 << DIGIT_BITS) % p[i], word = x, plain[] = {1, word, word * word % p[i]};
        const uint64_t quotient = quotient_of(step, p[i]);
        for (int64_t j = 0; j < rows; j++) {
            to[j * CHUNK] = x;
            x = x * step - (x * quotient >> 32) * p[i];
            if (x >= p[i]) x -= p[i];
        }
        constants[8 * i] = (uint32_t)p[i];
        for (int k = 0; k < 3; k++) {
            constants[8 * i + 2 + 2 * k] = (uint32_t)plain[k];
            constants[8 * i + 3 + 2 * k] = (uint32_t)quotient_of(plain[k], p[i]);
        }
    }
    for (int64_t i = primes; i % CHUNK; i++) /* of columns that nobody looks at */
        constants[8 * i] = 1;
}

mmm_status mmm_remainders(mmm_machine *machine, const mmm_numbers *a, mmm_pieces cut, const uint64_t *p, int64_t count,
                          int64_t stride, int64_t from, void *buffer)
{
    mmm_status result = MMM_OK;
    if (cut.bits == WIDE_BITS) return mmm_wide_there(machine, a, cut, p, count, stride, from, buffer);
    const int64_t rows = mmm_quotient_up(cut.digits, CHUNK) * CHUNK, primes = mmm_quotient_up(count, CHUNK) * CHUNK;
    const int64_t sizes[] = {a->terms, a->limbs, rows, count, stride, from, cut.count, cut.digits, cut.apart};
    enum { RESIDUES = 5 };
    uint64_t *weights = NULL;
    uint32_t *constants = NULL;
    mmm_plan *plan;
    TRY(mmm_recent_of(machine, &remainders, sizes, &plan));
    if (!mmm_plan_holds(plan, 0, p, count)) {
        TRY(mmm_alloc(&weights, primes * rows, sizeof *weights));
        TRY(mmm_alloc(&constants, primes * 8, sizeof *constants));
        fill_weights(p, count, rows, weights, constants);
        TRY(mmm_plan_hold(plan, 0, NULL, 0));
    }
    const bool there = mmm_plan_put(plan, RESIDUES, buffer);
    TRY(mmm_plan_start(plan, (const void *[]){a->words, a->negative, weights, constants}, NULL));
    if (!there)
        TRY(mmm_buffer_copy(machine, buffer, 0, mmm_machine_array(machine, plan->job->program, RESIDUES), 0,
                            (size_t)(count * stride) * sizeof(uint32_t)));
    if (weights) TRY(mmm_plan_hold(plan, 0, p, count));
done:
    free(weights);
    free(constants);
    return result;
}

/* ---- And back ---------------------------------------------------------------------------------------------------- */

/* The digits of M / p for each prime and of -M, a row of each group of columns, and the constants of the primes. */
static void fill_table(const uint64_t *p, int64_t primes, int64_t rows, int64_t chunks, bool form, mp_limb_t *all,
                       mp_limb_t *part, int64_t limbs, uint64_t *weights, uint32_t *constants)
{
    all[0] = 1;
    const int64_t used = mmm_limbs_times(all, 1, p, primes);
    for (int64_t i = 0; i <= primes; i++) {
        if (i < primes) {
            mpn_divexact_1(part, all, used, p[i]);
            const uint64_t rest = mpn_mod_1(part, used, p[i]);
            const uint64_t factor = n_invmod(form ? (rest << 32) % p[i] : rest, p[i]);
            constants[4 * i] = (uint32_t)p[i];
            constants[4 * i + 1] = (uint32_t)factor;
            constants[4 * i + 2] = (uint32_t)quotient_of(factor, p[i]);
            constants[4 * i + 3] = (uint32_t)(((uint64_t)1 << 62) / p[i]);
        } else {
            memset(part, 0, (size_t)limbs * sizeof *part);
            memcpy(part, all, (size_t)used * sizeof *part);
            mpn_neg(part, part, limbs);
        }
        for (int64_t j = 0; j < rows; j++)
            weights[(j / CHUNK * chunks * CHUNK + i) * CHUNK + j % CHUNK] =
                mmm_digit_at(part, i < primes ? used : limbs, j, DIGIT_BITS);
    }
}

static int64_t rows_of(const uint64_t *p, int64_t count)
{
    return mmm_quotient_up(mmm_quotient_up((int64_t)mmm_primes_bits(p, count) + 3, DIGIT_BITS), CHUNK) * CHUNK;
}

int64_t mmm_reconstruct_limbs(const uint64_t *p, int64_t count)
{
    return mmm_quotient_up(rows_of(p, count) * DIGIT_BITS, 64) * 2;
}

static mmm_status reconstruct(mmm_machine *machine, const uint64_t *p, int64_t count, const uint32_t *residues,
                              void *buffer, const int64_t where[2], mmm_pieces cut, mmm_numbers *out)
{
    mmm_status result = MMM_OK;
    if (mmm_digit_bits(machine) == WIDE_BITS && count <= WIDE_PRIMES_MOST)
        return mmm_wide_back(machine, p, count, residues, buffer, where, cut, out);
    const int64_t n = cut.apart, chunks = mmm_quotient_up(count + 1, CHUNK),
                  limbs = mmm_quotient_up(31 * count + 2, 64) + 2;
    const int64_t rows = rows_of(p, count), all = cut.count > 1 ? cut.all : rows,
                  size = mmm_quotient_up(all * DIGIT_BITS, 64) * 2;
    const int64_t sizes[] = {n, size, rows, count, where[0], where[1], cut.count, cut.digits, all};
    const bool form = buffer != NULL; /* residues are in the form of programs */
    uint64_t *weights = NULL;
    uint32_t *constants = NULL;
    mp_limb_t *product = NULL;
    mmm_numbers found = {0};
    mmm_plan *plan;
    const int64_t room =
        limbs > mmm_quotient_up(rows * DIGIT_BITS, 64) + 1 ? limbs : mmm_quotient_up(rows * DIGIT_BITS, 64) + 1;
    TRY(mmm_recent_of(machine, &reconstruction, sizes, &plan));
    if (!mmm_plan_holds(plan, form, p, count)) {
        TRY(mmm_alloc(&weights, rows * chunks * CHUNK, sizeof *weights));
        TRY(mmm_alloc(&constants, 4 * count, sizeof *constants));
        TRY(mmm_alloc(&product, 2 * room, sizeof *product));
        fill_table(p, count, rows, chunks, form, product, product + room, room, weights, constants);
        TRY(mmm_plan_hold(plan, 0, NULL, 0));
    }
    TRY(mmm_numbers_borrow(machine, n, size, &found));
    TRY(mmm_plan_start(plan, (const void *[]){residues, constants, weights}, (void *[]){buffer, NULL, NULL}));
    if (weights) TRY(mmm_plan_hold(plan, form, p, count));
    TRY(mmm_plan_finish(plan, (void *[]){found.words, found.negative}, NULL));
    mmm_numbers_trim(&found);
    *out = found;
    found = (mmm_numbers){0};
done:
    mmm_numbers_clear(&found);
    free(weights);
    free(constants);
    free(product);
    return result;
}

mmm_status mmm_reconstruct(mmm_machine *machine, const uint64_t *p, int64_t count, const uint32_t *residues, int64_t n,
                           mmm_numbers *out)
{
    if (machine->engine && n > TILE && machine->engine->workers > 1 && n * count >= FAR_LEAST / count)
        return mmm_far_reconstruct(machine->engine, p, count, residues, n, out);
    return reconstruct(machine, p, count, residues, NULL, (const int64_t[]){n, 0}, (mmm_pieces){1, 1, n, 0, 0}, out);
}

mmm_status mmm_reconstruct_pieces(mmm_machine *machine, const uint64_t *p, int64_t count, const uint32_t *residues,
                                  int64_t room, mmm_pieces cut, mmm_numbers *out)
{
    return reconstruct(machine, p, count, residues, NULL, (const int64_t[]){room, 0}, cut, out);
}

mmm_status mmm_reconstruct_there(mmm_machine *machine, const uint64_t *p, int64_t count, void *buffer, int64_t stride,
                                 int64_t from, mmm_pieces cut, mmm_numbers *out)
{
    return reconstruct(machine, p, count, NULL, buffer, (const int64_t[]){stride, from}, cut, out);
}
