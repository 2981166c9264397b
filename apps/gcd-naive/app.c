/* SPDX-License-Identifier: Apache-2.0 */
/* The Euclidean algorithm (section 6.1): g = gcd(a, b), monic, one division step a kernel.
 *
 * The number of kernels: a step lowers deg a + deg b, n + m - 2 at first, by one (see the kernel).  So after n + m - 2
 * steps one of the two is negative, its polynomial 0 and the other the gcd; or both are 0, and the gcd of constants,
 * not both 0, is 1. */
#include <mmm/app.h>

#include "kernels.h"

enum { A, B, DEGREE }; /* the arrays of the program, in this order */

/* The input with more terms takes the place of a. */
static int larger(const mmm_job *job)
{
    return mmm_job_length(job, 0) < mmm_job_length(job, 1);
}

static int64_t steps_of(const mmm_job *job)
{
    int64_t n = mmm_job_length(job, larger(job)), m = mmm_job_length(job, !larger(job));
    return m ? n + m - 2 : 0;
}

static mmm_status build(mmm_job *job, mmm_program *program)
{
    int64_t n = mmm_job_length(job, larger(job)), m = mmm_job_length(job, !larger(job)), l = mmm_job_get(job, "l");
    int64_t steps = steps_of(job);
    mmm_word_array a, b;
    mmm_i32_array degree;
    MMM_TRY(mmm_job_input(job, larger(job), 0, n, MMM_IN | MMM_RESULT, &a));
    MMM_TRY(mmm_job_input(job, !larger(job), 0, m, MMM_IN | MMM_RESULT, &b));
    MMM_TRY(mmm_job_array(job, "degree", steps + 1, MMM_IN_OUT, &degree));
    MMM_TRY(mmm_program_expect(program, steps));
    for (int64_t i = 0; i < steps; i++) {
        int64_t degrees = steps - i, lower = degrees / 2 < m - 1 ? degrees / 2 : m - 1; /* the lower is at most this */
        MMM_TRY(launch_naive_gcd(program, lower / l + 1, l, a, b, degree, i, degrees));
    }
    return MMM_OK;
}

static mmm_status load(mmm_job *job)
{
    int32_t *degree = mmm_job_memory(job, DEGREE);
    degree[0] = (int32_t)mmm_job_length(job, larger(job)) - 1;
    return MMM_OK;
}

/* deg a in the middle of a run on polynomials of which nothing is known: the degrees are as close as they can be. */
static void sample(mmm_job *job, int kernel)
{
    int64_t n = mmm_job_length(job, larger(job)), m = mmm_job_length(job, !larger(job));
    int32_t *degree = mmm_job_memory(job, DEGREE);
    degree[kernel] = (int32_t)(kernel <= n - m ? n - 1 - kernel : (n + m - 1 - kernel) / 2);
}

/* The gcd is what the steps left: one of the two is 0, or both are constants.  Degrees stay as they were when one
 * became negative. */
static mmm_status finish(mmm_job *job)
{
    const int32_t *degree = mmm_job_memory(job, DEGREE);
    int64_t left = mmm_job_length(job, 0) + mmm_job_length(job, 1) - 2, most = steps_of(job), i = 0;
    while (i < most && degree[i] >= 0 && left >= degree[i])
        i++, left--;
    MMM_TRY(mmm_job_set_output(job, 0, A, 0, degree[i] < 0 ? 0 : degree[i] + 1));
    return mmm_job_set_output_else(job, 0, B, 0, left < degree[i] ? 0 : left - degree[i] + 1);
}

MMM_APPLICATION = {
    .name = "gcd-naive",
    .summary = "greatest common divisor of polynomials, one division step a kernel",
    .section = "6.1",
    .oracle = "FLINT",
    .formula = "gcd",
    .naive = 1,
    .parameters = {{"n", "the number of terms of a", MMM_SIZE, 1, 1 << 28, 4096},
                   {"m", "the number of terms of b", MMM_SIZE, 1, 1 << 28, 2048},
                   {"l", "the number of threads of a block", MMM_CHOICE, 1, 1 << 20, 256, "16-4096:*2",
                    "min(l, min(n, m))"},
                   {"p", "the prime modulus", MMM_MODULUS, 2, INT64_MAX, 2013265921},
                   {"seed", "the seed of random inputs", MMM_SEED, 0, INT64_MAX, 1}},
    .inputs = {{"a", MMM_POLYNOMIAL, "n"}, {"b", MMM_POLYNOMIAL, "m"}},
    .outputs = {{"g", MMM_POLYNOMIAL, "max(n, m)", .monic = 1}},
    .calibration = {"n=300 m=250 l=32,256", "n=700 m=600 l=32,256", "n=900 m=300 l=32,256"},
    .build = build,
    .load = load,
    .sample = sample,
    .finish = finish,
    .check = mmm_oracle_gcd,
};
