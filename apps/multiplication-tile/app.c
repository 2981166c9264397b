/* SPDX-License-Identifier: Apache-2.0 */
/* Polynomial multiplication in tiles: f = a b, rows of products by register tiles, then one kernel that adds them. */
#include <mmm/app.h>

#include "kernels.h"

enum { A, B };                /* inputs */
enum { R = 8, ADDING = 256 }; /* words that a thread makes at once; threads of a block that adds */

/* Sizes: `rows` rows of `width` words, of which y are used, in `parts` blocks each. */
typedef struct sizes {
    int64_t n, s, l, g, rows, y, parts, width, before;
    int64_t a, b, M, f; /* words of each array */
} sizes;

static sizes sizes_of(const mmm_job *job)
{
    int64_t n = mmm_job_get(job, "n"), m = mmm_job_get(job, "m");
    sizes z = {.n = n, .s = mmm_job_get(job, "s"), .l = mmm_job_get(job, "l"), .g = mmm_job_get(job, "g")};
    if (n == 0 || m == 0) return z;
    if (z.s > m) z.s = m;
    z.rows = (m + z.s - 1) / z.s;
    z.y = n + z.s - 1;
    int64_t tile = R * z.l, block = z.g * tile;
    z.parts = (z.y + block - 1) / block;
    z.width = z.parts * block;
    z.before = (z.s + R - 1) / R * R;
    z.a = z.before + n + block + R;
    z.b = z.rows * z.s;
    z.M = z.rows > 1 ? z.rows * z.width : 0;
    z.f = z.rows > 1 ? (n + m - 1 + ADDING - 1) / ADDING * ADDING : z.width;
    return z;
}

static mmm_status settle(mmm_job *job)
{
    sizes z = sizes_of(job);
    double bytes = (double)(z.a + z.b + z.M + z.f) * (mmm_job_modulus(job)->bits / 8);
    double available = (double)mmm_memory_available();
    if (bytes > available)
        return mmm_fail(MMM_TOO_LARGE,
                        "n=%lld, m=%lld, s=%lld: %lld rows of %lld words, which with a, b and f take %.1f GB of "
                        "memory; %.1f GB are available",
                        (long long)z.n, (long long)mmm_job_get(job, "m"), (long long)z.s, (long long)z.rows,
                        (long long)z.width, bytes / 1e9, available / 1e9);
    return MMM_OK;
}

static mmm_status build(mmm_job *job, mmm_program *program)
{
    sizes z = sizes_of(job);
    mmm_word_array a, b, M, f;
    MMM_TRY(mmm_job_input(job, A, z.before, z.rows ? z.a : mmm_job_length(job, A), MMM_IN, &a));
    MMM_TRY(mmm_job_input(job, B, 0, z.rows ? z.b : mmm_job_length(job, B), MMM_IN, &b));
    MMM_TRY(mmm_job_array(job, "M", z.M, MMM_WORK, &M));
    MMM_TRY(mmm_job_array(job, "f", z.f, MMM_WORK, &f));
    MMM_TRY(mmm_job_output(job, 0, f, 0, z.rows ? mmm_job_length(job, A) + mmm_job_length(job, B) - 1 : 0));
    if (z.rows == 0) return MMM_OK;
    MMM_TRY(launch_multiply_tiles(program, z.rows * z.parts, z.l, a, b, z.rows > 1 ? M : f, z.n, z.before, z.width, z.s,
                                  z.l, z.g));
    mmm_program_hint(program, z.parts, 0);
    if (z.rows > 1) MMM_TRY(launch_add_all_rows(program, z.f / ADDING, ADDING, M, f, z.rows, z.y, z.width, z.s));
    return MMM_OK;
}

MMM_APPLICATION = {
    .name = "multiplication-tile",
    .summary = "polynomial multiplication in register tiles, s coefficients of b a row",
    .section = "5",
    .oracle = "FLINT",
    .parameters = {{"n", "the number of terms of a", MMM_SIZE, 1, 1 << 28, 4096},
                   {"m", "the number of terms of b", MMM_SIZE, 1, 1 << 28, 2048},
                   {"s", "the number of coefficients of b of a row", MMM_CHOICE, 1, 1 << 14, 256, "64-2048:*2",
                    "min(s, m)"},
                   {"l", "the number of threads of a block", MMM_CHOICE, 1, 1 << 12, 8, "8-256:*4"},
                   {"g", "how often a thread makes 8 words", MMM_CHOICE, 1, 1 << 12, 8, "1-64:*8"},
                   {"p", "the prime modulus", MMM_MODULUS, 2, INT64_MAX, 2013265921},
                   {"seed", "the seed of random inputs", MMM_SEED, 0, INT64_MAX, 1}},
    .constraints = "(g + 2)*8*l + 2*s + 14 <= Z; l <= threads; 256 <= threads",
    .oblivious = "*",
    .inputs = {{"a", MMM_POLYNOMIAL, "n"}, {"b", MMM_POLYNOMIAL, "m"}},
    .outputs = {{"f", MMM_POLYNOMIAL, "n + m - 1", .leads = 1}},
    .calibration = {"n=400 m=400 s=64,128,512 l=8,64 g=1,8", "n=1000 m=700 s=64,256,1024 l=8,64 g=1,8",
                    "n=2000 m=1800 s=64,256,1024 l=8,64 g=1,8"},
    .settle = settle,
    .build = build,
    .check = mmm_oracle_multiply,
};
