/* SPDX-License-Identifier: Apache-2.0 */
/* Polynomial division by the inverse series: a = q b + r with deg r < deg b, s quotients at once. */
#include <mmm/app.h>

#include "kernels.h"

#include <stdbool.h>

enum { A, B }; /* inputs */
enum { Q, R }; /* outputs */
enum { SET, NEGATE, SUBTRACT };
/* Words that a thread makes at once; most terms of `invert` and quotients of `divide_few`, with 65 for n = 128 and m =
 * 64; threads of copies; most terms of b for the latter, of 32 and of 64 bits: then products are quicker. */
enum { TILE = 8, DIRECT = 72, THREADS = 256, FEW = 193, FEW_LONG = 97 };

typedef struct plan {
    mmm_program *program;
    int64_t w, l, g;
    mmm_word_array rows;
    int64_t room; /* words of rows */
} plan;

/* A series: a part of an array. */
typedef struct series {
    mmm_word_array array;
    int64_t first, count;
} series;

static int64_t up(int64_t x, int64_t y)
{
    return (x + y - 1) / y;
}

/* Tiles of a block of a product of which `count` words are wanted: few words are for two blocks at least. */
static int64_t tiles_of(const plan *z, int64_t count)
{
    int64_t half = up(count, TILE * z->l) / 2;
    return z->g <= half ? z->g : half > 1 ? half : 1;
}

static int64_t width_of(const plan *z, int64_t count)
{
    int64_t block = TILE * z->l * tiles_of(z, count);
    return up(count, block) * block;
}

/* Words of rows that a product of y words of which `count` are wanted needs. */
static int64_t rows_of(const plan *z, int64_t y, int64_t count)
{
    return y > z->w ? up(y, z->w) * width_of(z, count) : 0;
}

/* `to` is made of the words of x y from number j on, as many as it has. */
static mmm_status multiply(plan *z, series x, series y, int64_t j, series to, int how)
{
    int64_t rows = up(y.count, z->w), width = width_of(z, to.count), g = tiles_of(z, to.count);
    int64_t blocks = rows * (width / (TILE * z->l * g));
    if (to.count <= 0) return MMM_OK;
    if (rows == 1) {
        MMM_TRY(launch_product(z->program, blocks, z->l, x.array, y.array, to.array, x.first, x.count, y.first, y.count,
                               to.first, j, to.count, width, how, z->w, z->l, g));
        return MMM_OK;
    }
    MMM_TRY(launch_product(z->program, blocks, z->l, x.array, y.array, z->rows, x.first, x.count, y.first, y.count, 0,
                           j, to.count, width, SET, z->w, z->l, g));
    return launch_add_rows(z->program, up(to.count, THREADS), THREADS, z->rows, to.array, rows, to.first, to.count,
                           width, how);
}

static mmm_status build(mmm_job *job, mmm_program *program)
{
    int64_t n = mmm_job_length(job, A), m = mmm_job_length(job, B), left = n < m ? 0 : n - m + 1;
    int64_t s = mmm_job_get(job, "s"), levels = 0;
    plan z = {program, mmm_job_get(job, "w"), mmm_job_get(job, "l"), mmm_job_get(job, "g"), {0}, 0};
    mmm_word_array a, b, q, r, x, y, inverse, error, quotients;
    if (m == 0) return mmm_fail(MMM_INVALID, "b is 0: division by the zero polynomial");
    const bool few = left <= DIRECT && left <= s && m <= (mmm_job_modulus(job)->bits == 64 ? FEW_LONG : FEW);
    const int64_t many = few ? 0 : left; /* quotients by the inverse */
    if (s > many) s = many;
    if (z.w > s) z.w = s ? s : 1;
    while (up(s, (int64_t)1 << levels) > DIRECT)
        levels++;
    if (many) {
        z.room = rows_of(&z, s, s);
        if (rows_of(&z, s, m - 1) > z.room) z.room = rows_of(&z, s, m - 1);
    }
    MMM_TRY(mmm_job_input(job, A, 0, n, MMM_IN, &a));
    MMM_TRY(mmm_job_input(job, B, 0, m, MMM_IN, &b));
    MMM_TRY(mmm_job_array(job, "q", left, MMM_WORK, &q));
    MMM_TRY(mmm_job_array(job, "r", left ? m - 1 : 0, MMM_WORK, &r));
    MMM_TRY(mmm_job_array(job, "x", many ? n : 0, MMM_WORK, &x)); /* a as a series; b; 1 / b; what it is off by */
    MMM_TRY(mmm_job_array(job, "y", many ? m : 0, MMM_WORK, &y));
    MMM_TRY(mmm_job_array(job, "inverse", s, MMM_WORK, &inverse));
    MMM_TRY(mmm_job_array(job, "error", s / 2 + 1, MMM_WORK, &error));
    MMM_TRY(mmm_job_array(job, "quotients", many, MMM_WORK, &quotients));
    MMM_TRY(mmm_job_array(job, "rows", z.room, MMM_WORK, &z.rows));
    MMM_TRY(mmm_job_output(job, Q, q, 0, left));
    MMM_TRY(mmm_job_output(job, R, left ? r : a, 0, left ? m - 1 : n));
    if (left == 0) return MMM_OK;
    if (few) return launch_divide_few(program, 1, m > 1 ? up(m - 1, 16) * 16 : 16, a, b, q, r, n, m, left);
    MMM_TRY(mmm_program_expect(program, 3 + 4 * levels + 4 * up(left, s)));
    MMM_TRY(launch_reverse(program, up(n, THREADS) + up(m, THREADS), THREADS, a, b, x, y, n, m, n - 1, m - 1));
    int64_t k = up(s, (int64_t)1 << levels);
    MMM_TRY(launch_invert(program, 1, k, y, inverse, m, k));
    for (; levels > 0; levels--) { /* with k terms of 1 / b, b times them is 1 + error x^k + ... */
        int64_t next = up(s, (int64_t)1 << (levels - 1));
        series known = {inverse, 0, k}, off = {error, 0, next - k}, more = {inverse, k, next - k};
        MMM_TRY(multiply(&z, (series){y, 0, m}, known, k, off, SET));
        known.count = next - k;
        MMM_TRY(multiply(&z, off, known, 0, more, NEGATE));
        k = next;
    }
    for (int64_t i = 0; i < left; i += s) {
        int64_t steps = left - i < s ? left - i : s;
        series found = {quotients, i, steps};
        MMM_TRY(multiply(&z, (series){x, i, steps}, (series){inverse, 0, steps}, 0, found, SET));
        MMM_TRY(multiply(&z, (series){y, 0, m}, found, steps, (series){x, i + steps, m - 1}, SUBTRACT));
    }
    return launch_reverse(program, up(left, THREADS) + up(m - 1, THREADS), THREADS, quotients, x, q, r, left, m - 1,
                          left - 1, n - 1);
}

MMM_APPLICATION = {
    .name = "division-inverse",
    .summary = "polynomial division by the inverse series of b, s quotients at once",
    .section = "3",
    .oracle = "FLINT",
    .parameters = {{"n", "the number of terms of a", MMM_SIZE, 1, 1 << 28, 4096},
                   {"m", "the number of terms of b", MMM_SIZE, 1, 1 << 28, 2048},
                   {"s", "the number of quotients of a step, and of terms of the inverse", MMM_CHOICE, 1, 1 << 28, 128,
                    "32-65536:*2", "min(s, max(n - m + 1, 1))"},
                   {"w", "the number of coefficients of a row", MMM_CHOICE, 1, 1 << 14, 1024, "64-1024:*4",
                    "min(w, s)"},
                   {"l", "the number of threads of a block", MMM_CHOICE, 1, 1 << 12, 8, "8-128:*4"},
                   {"g", "how often a thread makes 8 words", MMM_CHOICE, 1, 1 << 12, 8, "1-64:*8"},
                   {"p", "the prime modulus", MMM_MODULUS, 2, INT64_MAX, 2013265921},
                   {"seed", "the seed of random inputs", MMM_SEED, 0, INT64_MAX, 1}},
    .constraints = "(g + 2)*8*l + 2*min(w, s) + 14 <= Z; l <= threads; 256 <= threads",
    .oblivious = "*",
    .inputs = {{"a", MMM_POLYNOMIAL, "n"}, {"b", MMM_POLYNOMIAL, "m", .leads = 1}},
    .outputs = {{"q", MMM_POLYNOMIAL, "max(n - m + 1, 0)", .leads = 1}, {"r", MMM_POLYNOMIAL, "m - 1"}},
    .calibration = {"n=500 m=250 s=64,256 w=1024 l=8,32 g=1,8", "n=1000 m=500 s=64,256 w=64,1024 l=8,32 g=1,8",
                    "n=2000 m=1000 s=64,256,1024 w=64,1024 l=8,32 g=1,8"},
    .build = build,
    .check = mmm_oracle_divide,
};
