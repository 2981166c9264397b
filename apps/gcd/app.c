/* SPDX-License-Identifier: Apache-2.0 */
/* The Euclidean algorithm (section 6.2): g = gcd(a, b), monic, s division steps a kernel.
 *
 * A step lowers deg a + deg b, n + m - 2 at first, by one (see the kernel), so that the number of kernels is known
 * before the run.  The first steps, as long as s of them are left in the division of a by b, are those of the kernel of
 * the application `division`, which needs half as many blocks and leaves b alone. */
#include <mmm/app.h>
#include <mmm/apps/division.h>

#include "kernels.h"

#include <string.h>

enum { A, B, NEXT_A, NEXT_B, DEGREE }; /* the arrays of the program, in this order */

/* What a job of n and m terms, n >= m, takes: steps by the division kernel, then calls of the gcd kernel. */
typedef struct plan {
    int64_t n, m, s;
    int first;       /* the input with more terms, which takes the place of a */
    int64_t divided; /* steps of division */
    int64_t degrees; /* deg a + deg b after them */
    int64_t calls;
} plan;

static plan plan_of(const mmm_job *job)
{
    plan p = {.first = mmm_job_length(job, 0) < mmm_job_length(job, 1), .s = mmm_job_get(job, "s")};
    p.n = mmm_job_length(job, p.first);
    p.m = mmm_job_length(job, !p.first);
    p.divided = p.m ? (p.n - p.m + 1) / p.s * p.s : 0;
    p.degrees = p.n + p.m - 2 - p.divided;
    p.calls = p.m && p.degrees > 0 ? (p.degrees + p.s - 1) / p.s : 0;
    return p;
}

static mmm_status build(mmm_job *job, mmm_program *program)
{
    const plan p = plan_of(job);
    const int64_t n = p.n, m = p.m, s = p.s;
    mmm_word_array a, b, next_a, next_b, q;
    mmm_i32_array degree;
    MMM_TRY(mmm_job_input(job, p.first, 0, n, MMM_IN | MMM_RESULT, &a));
    MMM_TRY(mmm_job_input(job, !p.first, 0, m, MMM_IN | MMM_RESULT, &b));
    MMM_TRY(mmm_job_array(job, "next_a", n - p.divided, MMM_RESULT, &next_a));
    MMM_TRY(mmm_job_array(job, "next_b", m, MMM_RESULT, &next_b));
    MMM_TRY(mmm_job_array(job, "degree", p.calls + 1, MMM_IN_OUT, &degree));
    MMM_TRY(mmm_job_array(job, "q", m ? n - m + 1 : 0, MMM_WORK, &q));
    MMM_TRY(mmm_program_expect(program, p.divided / s + p.calls));
    uint64_t inverse = m ? mmm_job_residue(job, mmm_job_inverse(job, mmm_job_lead(job, !p.first))) : 0;
    for (int64_t i = 0; i < p.divided; i += s)
        MMM_TRY(launch_division(program, (m + 2 * s - 1) / (2 * s), 3 * s, a, b, q, n - 1 - i, m - 1, s, inverse, s));
    for (int64_t i = 0; i < p.calls; i++) {
        /* Terms of the longer polynomial, where degrees differ by at most one once the division is done. */
        int64_t degrees = p.degrees - s * i, terms = (degrees + 1) / 2 + 1;
        if (i == 0) terms = n - p.divided > m ? n - p.divided : m;
        if (i % 2 == 0)
            MMM_TRY(launch_gcd(program, (terms + s - 1) / s, 3 * s, a, b, next_a, next_b, degree, i, degrees, s));
        else
            MMM_TRY(launch_gcd(program, (terms + s - 1) / s, 3 * s, next_a, next_b, a, b, degree, i, degrees, s));
    }
    return MMM_OK;
}

static mmm_status load(mmm_job *job)
{
    const plan p = plan_of(job);
    int32_t *degree = mmm_job_memory(job, DEGREE);
    degree[0] = (int32_t)(p.n - 1 - p.divided);
    return MMM_OK;
}

/* deg a in the middle of a run on polynomials of which nothing is known: the degrees are as close as they can be. */
static void sample(mmm_job *job, int kernel)
{
    const plan p = plan_of(job);
    size_t bytes = (size_t)mmm_job_modulus(job)->bits / 8;
    int64_t i = kernel - p.divided / p.s;
    int32_t *degree = mmm_job_memory(job, DEGREE);
    if (i < 0) return;
    memcpy(mmm_job_memory(job, NEXT_A), mmm_job_memory(job, A), (size_t)(p.n - p.divided) * bytes);
    memcpy(mmm_job_memory(job, NEXT_B), mmm_job_memory(job, B), (size_t)p.m * bytes);
    degree[i] = (int32_t)(i == 0 ? p.n - 1 - p.divided : (p.degrees - p.s * i + 1) / 2);
}

/* The gcd is what the steps left: one of the two is 0, or both are constants.  Call i found it done, and did nothing.
 */
static mmm_status finish(mmm_job *job)
{
    const plan p = plan_of(job);
    const int32_t *degree = mmm_job_memory(job, DEGREE);
    int64_t left = p.degrees, i = 0;
    while (i < p.calls && degree[i] >= 0 && left >= degree[i])
        i++, left -= p.s;
    MMM_TRY(mmm_job_set_output(job, 0, i % 2 ? NEXT_A : A, 0, degree[i] < 0 ? 0 : degree[i] + 1));
    return mmm_job_set_output_else(job, 0, i % 2 ? NEXT_B : B, 0, left < degree[i] ? 0 : left - degree[i] + 1);
}

MMM_APPLICATION = {
    .name = "gcd",
    .summary = "greatest common divisor of polynomials, s division steps a kernel",
    .section = "6.2",
    .oracle = "FLINT",
    .parameters = {{"n", "the number of terms of a", MMM_SIZE, 1, 1 << 28, 4096},
                   {"m", "the number of terms of b", MMM_SIZE, 1, 1 << 28, 2048},
                   {"s", "the number of division steps of a kernel", MMM_CHOICE, 1, 1 << 20, 128, NULL,
                    "min(s, min(n, m))"},
                   {"p", "the prime modulus", MMM_MODULUS, 2, INT64_MAX, 2013265921},
                   {"seed", "the seed of random inputs", MMM_SEED, 0, INT64_MAX, 1}},
    .constraints = "7*s <= Z; 3*s <= threads",
    .oblivious = "division",
    .proportional = "gcd",
    .inputs = {{"a", MMM_POLYNOMIAL, "n"}, {"b", MMM_POLYNOMIAL, "m"}},
    .outputs = {{"g", MMM_POLYNOMIAL, "max(n, m)", .monic = 1}},
    .calibration = {"n=300 m=280 s=8,32,96,256", "n=600 m=500 s=8,32,96,256", "n=1100 m=1000 s=8,32,96,256",
                    "n=900 m=400 s=8,32,96,256"},
    .build = build,
    .load = load,
    .sample = sample,
    .finish = finish,
    .check = mmm_oracle_gcd,
};
