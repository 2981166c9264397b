/* SPDX-License-Identifier: Apache-2.0 */
/* Polynomial division (section 3.1): a = q b + r with deg r < deg b, one division step a kernel. */
#include <mmm/app.h>

#include "kernels.h"

enum { A, B }; /* inputs */
enum { Q, R }; /* outputs */

static mmm_status build(mmm_job *job, mmm_program *program)
{
    int64_t n = mmm_job_length(job, A), m = mmm_job_length(job, B), l = mmm_job_get(job, "l");
    int64_t steps = n < m ? 0 : n - m + 1;
    mmm_word_array a, b, q;
    if (m == 0) return mmm_fail(MMM_INVALID, "b is 0: division by the zero polynomial");
    MMM_TRY(mmm_job_input(job, A, 0, n, MMM_IN, &a)); /* what is left of it is r */
    MMM_TRY(mmm_job_input(job, B, 0, m, MMM_IN, &b));
    MMM_TRY(mmm_job_array(job, "q", steps, MMM_WORK, &q));
    MMM_TRY(mmm_job_output(job, Q, q, 0, steps));
    MMM_TRY(mmm_job_output(job, R, a, 0, n < m ? n : m - 1));
    MMM_TRY(mmm_program_expect(program, steps));
    uint64_t inverse = mmm_job_residue(job, mmm_job_inverse(job, mmm_job_lead(job, B)));
    for (int64_t i = n - 1; i >= m - 1; i--)
        MMM_TRY(launch_naive_division(program, (m + l - 1) / l, l, a, b, q, i, m - 1, inverse));
    return MMM_OK;
}

MMM_APPLICATION = {
    .name = "division-naive",
    .summary = "polynomial division, one step a kernel",
    .section = "3.1",
    .oracle = "FLINT",
    .formula = "division",
    .naive = 1,
    .parameters = {{"n", "the number of terms of a", MMM_SIZE, 1, 1 << 28, 4096},
                   {"m", "the number of terms of b", MMM_SIZE, 1, 1 << 28, 2048},
                   {"l", "the number of threads of a block", MMM_CHOICE, 1, 1 << 20, 256, "16-4096:*2", "min(l, m)"},
                   {"p", "the prime modulus", MMM_MODULUS, 2, INT64_MAX, 2013265921},
                   {"seed", "the seed of random inputs", MMM_SEED, 0, INT64_MAX, 1}},
    .oblivious = "*",
    .inputs = {{"a", MMM_POLYNOMIAL, "n"}, {"b", MMM_POLYNOMIAL, "m"}},
    .outputs = {{"q", MMM_POLYNOMIAL, "max(n - m + 1, 0)"}, {"r", MMM_POLYNOMIAL, "m - 1"}},
    .calibration = {"n=300 m=150 l=32,256", "n=800 m=400 l=32,256", "n=1200 m=1000 l=32,256"},
    .build = build,
    .check = mmm_oracle_divide,
};
