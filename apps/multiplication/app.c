/* SPDX-License-Identifier: Apache-2.0 */
/* Polynomial multiplication (section 5): f = a b, rows of products into M, then rows added in pairs. */
#include <mmm/app.h>

#include "kernels.h"

enum { A, B }; /* inputs */

/* Sizes: M has `rows` rows of `width` words (the paper's x and y), the last of which lies in f; a row takes `parts`
 * blocks. */
typedef struct sizes {
    int64_t s, l, rows, width, parts;
    int64_t a, b, M, f; /* words of each array */
} sizes;

static sizes sizes_of(const mmm_job *job)
{
    int64_t n = mmm_job_get(job, "n"), m = mmm_job_get(job, "m");
    sizes z = {.s = mmm_job_get(job, "s"), .l = mmm_job_get(job, "l")};
    if (n == 0 || m == 0) return z;
    z.rows = (m + z.s - 1) / z.s;
    z.width = n + z.s - 1;
    z.parts = (z.width + z.s * z.l - 1) / (z.s * z.l);
    z.a = z.parts * z.s * z.l + z.s - 1;
    z.b = z.rows * z.s;
    z.M = (z.rows - 1) * z.width;
    z.f = (z.rows - 1) * z.s + z.width;
    return z;
}

static mmm_status settle(mmm_job *job)
{
    sizes z = sizes_of(job);
    double bytes = (double)(z.a + z.b + z.M + z.f) * (mmm_job_modulus(job)->bits / 8);
    double available = (double)mmm_memory_available();
    if (bytes > available)
        return mmm_fail(MMM_TOO_LARGE,
                        "n=%lld, m=%lld, s=%lld: M has %lld rows of %lld words, which with a, b and f take %.1f GB of "
                        "memory; %.1f GB are available",
                        (long long)mmm_job_get(job, "n"), (long long)mmm_job_get(job, "m"), (long long)z.s,
                        (long long)z.rows, (long long)z.width, bytes / 1e9, available / 1e9);
    return MMM_OK;
}

static mmm_status build(mmm_job *job, mmm_program *program)
{
    sizes z = sizes_of(job);
    mmm_word_array a, b, M, f;
    MMM_TRY(mmm_job_input(job, A, z.rows ? z.s - 1 : 0, z.rows ? z.a : mmm_job_length(job, A), MMM_IN, &a));
    MMM_TRY(mmm_job_input(job, B, 0, z.rows ? z.b : mmm_job_length(job, B), MMM_IN, &b));
    MMM_TRY(mmm_job_array(job, "M", z.M, MMM_WORK, &M));
    MMM_TRY(mmm_job_array(job, "f", z.f, MMM_ZERO, &f));
    MMM_TRY(mmm_job_output(job, 0, f, 0, z.rows ? mmm_job_length(job, A) + mmm_job_length(job, B) - 1 : 0));
    if (z.rows == 0) return MMM_OK;
    MMM_TRY(launch_multiply_rows(program, z.rows * z.parts, z.l, a, b, M, f, z.rows, z.width, z.s, z.l));
    mmm_program_hint(program, z.parts, 0);
    for (int64_t distance = 1; distance < z.rows; distance *= 2) {
        int64_t pairs = (z.rows - 1 + distance) / (2 * distance);
        MMM_TRY(launch_add_rows(program, pairs * z.parts, z.l, M, f, z.rows, z.width, distance, z.s, z.l));
        mmm_program_hint(program, z.parts, 0);
    }
    return MMM_OK;
}

MMM_APPLICATION = {
    .name = "multiplication",
    .summary = "polynomial multiplication, s coefficients of b a row",
    .section = "5",
    .oracle = "FLINT",
    .parameters = {{"n", "the number of terms of a", MMM_SIZE, 1, 1 << 28, 4096},
                   {"m", "the number of terms of b", MMM_SIZE, 1, 1 << 28, 2048},
                   {"s", "the number of coefficients of b of a row, and of sums of a thread", MMM_CHOICE, 1, 1 << 12, 4,
                    "1-4096:*2", "min(s, m)"},
                   {"l", "the number of threads of a block", MMM_CHOICE, 1, 1 << 16, 256, "16-4096:*2",
                    "min(l, (n + 2*s - 2) / s)"},
                   {"p", "the prime modulus", MMM_MODULUS, 2, INT64_MAX, 2013265921},
                   {"seed", "the seed of random inputs", MMM_SEED, 0, INT64_MAX, 1}},
    .constraints = "s*l + 2*s - 1 <= Z; l <= threads",
    .oblivious = "*",
    .inputs = {{"a", MMM_POLYNOMIAL, "n"}, {"b", MMM_POLYNOMIAL, "m"}},
    .outputs = {{"f", MMM_POLYNOMIAL, "n + m - 1"}},
    .calibration = {"n=400 m=400 s=2,8,32,96 l=16,64,256", "n=1000 m=700 s=2,8,32,96 l=16,64,256",
                    "n=2000 m=1800 s=2,8,32,96 l=16,64,256"},
    .settle = settle,
    .build = build,
    .check = mmm_oracle_multiply,
};
