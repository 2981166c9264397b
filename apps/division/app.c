/* SPDX-License-Identifier: Apache-2.0 */
/* Polynomial division (section 3.2): a = q b + r with deg r < deg b, s division steps a kernel. */
#include <mmm/app.h>

#include "kernels.h"

enum { A, B }; /* inputs */
enum { Q, R }; /* outputs */

static mmm_status build(mmm_job *job, mmm_program *program)
{
    int64_t n = mmm_job_length(job, A), m = mmm_job_length(job, B), s = mmm_job_get(job, "s");
    int64_t left = n < m ? 0 : n - m + 1;
    mmm_word_array a, b, q;
    if (m == 0) return mmm_fail(MMM_INVALID, "b is 0: division by the zero polynomial");
    MMM_TRY(mmm_job_input(job, A, 0, n, MMM_IN, &a)); /* what is left of it is r */
    MMM_TRY(mmm_job_input(job, B, 0, m, MMM_IN, &b));
    MMM_TRY(mmm_job_array(job, "q", left, MMM_WORK, &q));
    MMM_TRY(mmm_job_output(job, Q, q, 0, left));
    MMM_TRY(mmm_job_output(job, R, a, 0, n < m ? n : m - 1));
    MMM_TRY(mmm_program_expect(program, (left + s - 1) / s));
    uint64_t inverse = mmm_job_residue(job, mmm_job_inverse(job, mmm_job_lead(job, B)));
    for (int64_t i = n - 1; left > 0; i -= s, left -= s) {
        int64_t steps = left < s ? left : s;
        MMM_TRY(launch_division(program, (m + 2 * s - 1) / (2 * s), 3 * s, a, b, q, i, m - 1, steps, inverse, s));
        mmm_program_hint(program, 0, 1 - (double)steps / (double)s);
    }
    return MMM_OK;
}

MMM_APPLICATION = {
    .name = "division",
    .summary = "polynomial division, s steps a kernel",
    .section = "3.2",
    .oracle = "FLINT",
    .parameters = {{"n", "the number of terms of a", MMM_SIZE, 1, 1 << 28, 4096},
                   {"m", "the number of terms of b", MMM_SIZE, 1, 1 << 28, 2048},
                   {"s", "the number of division steps of a kernel", MMM_CHOICE, 1, 1 << 20, 64, NULL,
                    "min(s, max(n - m + 1, 1))"},
                   {"p", "the prime modulus", MMM_MODULUS, 2, INT64_MAX, 2013265921},
                   {"seed", "the seed of random inputs", MMM_SEED, 0, INT64_MAX, 1}},
    .constraints = "7*s <= Z; 3*s <= threads",
    .oblivious = "*",
    .inputs = {{"a", MMM_POLYNOMIAL, "n"}, {"b", MMM_POLYNOMIAL, "m"}},
    .outputs = {{"q", MMM_POLYNOMIAL, "max(n - m + 1, 0)"}, {"r", MMM_POLYNOMIAL, "m - 1"}},
    .calibration = {"n=500 m=250 s=8,32,96,256", "n=1000 m=500 s=8,32,96,256", "n=2000 m=1000 s=8,32,96,256",
                    "n=1500 m=300 s=8,32,96,256"},
    .build = build,
    .check = mmm_oracle_divide,
};
