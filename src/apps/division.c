/* SPDX-License-Identifier: Apache-2.0 */
/* Polynomial division (section 3): a = q b + r with deg r < deg b, naive and optimised. */
#include "job/job.h"

#include <flint/ulong_extras.h>

enum { A, B, Q }; /* the arrays, and a's remainder is r */

static mmm_status build_arrays(mmm_job *job)
{
    mmm_status result = MMM_OK;
    int64_t n = job->inputs[0].terms, m = job->inputs[1].terms;
    int array;
    if (m == 0) FAIL(MMM_INVALID, "b is 0: division by the zero polynomial");
    TRY(mmm_job_array(job, "a", n, MMM_IN_OUT, &array));
    TRY(mmm_job_array(job, "b", m, MMM_IN, &array));
    TRY(mmm_job_array(job, "q", n < m ? 0 : n - m + 1, MMM_OUT, &array));
done:
    return result;
}

static uint64_t lead_inverse(const mmm_job *job)
{
    const mmm_polynomial *b = &job->inputs[1];
    return mmm_modulus_enter(&job->modulus, n_invmod(mmm_polynomial_lead(b), b->p));
}

static mmm_status build_naive(mmm_job *job)
{
    mmm_status result = MMM_OK;
    int64_t n = job->inputs[0].terms, m = job->inputs[1].terms, l = mmm_job_get(job, "l");
    TRY(build_arrays(job));
    uint64_t inverse = lead_inverse(job);
    for (int64_t i = n - 1; i >= m - 1; i--) {
        const mmm_argument arguments[] = {
            {MMM_ARRAY, A},
            {MMM_ARRAY, B},
            {MMM_ARRAY, Q},
            {MMM_INTEGER, (uint64_t)i},
            {MMM_INTEGER, (uint64_t)m - 1},
            {MMM_WORD, inverse},
        };
        TRY(mmm_job_chain(job, &mmm_kernel_naive_division, (m + l - 1) / l, l, 1, arguments, 6));
    }
done:
    return result;
}

static mmm_status build_optimised(mmm_job *job)
{
    mmm_status result = MMM_OK;
    int64_t n = job->inputs[0].terms, m = job->inputs[1].terms, s = mmm_job_get(job, "s");
    TRY(build_arrays(job));
    uint64_t inverse = lead_inverse(job);
    for (int64_t i = n - 1; i >= m - 1; i -= s) {
        int64_t steps = i - (m - 1) + 1 < s ? i - (m - 1) + 1 : s;
        const mmm_argument arguments[] = {
            {MMM_ARRAY, A},
            {MMM_ARRAY, B},
            {MMM_ARRAY, Q},
            {MMM_INTEGER, (uint64_t)i},
            {MMM_INTEGER, (uint64_t)m - 1},
            {MMM_INTEGER, (uint64_t)steps},
            {MMM_WORD, inverse},
            {MMM_CONSTANT, (uint64_t)s},
        };
        TRY(mmm_job_chain(job, &mmm_kernel_division, (m + 2 * s - 1) / (2 * s), 3 * s, 7 * s, arguments, 8));
        mmm_job_last(job)->less = 1 - (double)steps / (double)s;
    }
done:
    return result;
}

static int64_t most_s(const mmm_job *job)
{
    return mmm_job_get(job, "n") - mmm_job_get(job, "m") + 1;
}

static int64_t most_l(const mmm_job *job)
{
    return mmm_job_get(job, "m");
}

static mmm_status load(mmm_job *job)
{
    mmm_status result = MMM_OK;
    TRY(mmm_job_put(job, A, &job->inputs[0]));
    TRY(mmm_job_put(job, B, &job->inputs[1]));
done:
    return result;
}

static mmm_status finish(mmm_job *job)
{
    mmm_status result = MMM_OK;
    int64_t n = job->inputs[0].terms, m = job->inputs[1].terms;
    TRY(mmm_job_get_polynomial(job, Q, n < m ? 0 : n - m + 1, &job->outputs[0]));
    TRY(mmm_job_get_polynomial(job, A, n < m ? n : m - 1, &job->outputs[1]));
done:
    return result;
}

static mmm_status check(const mmm_job *job, double *seconds)
{
    mmm_status result = MMM_OK;
    nmod_poly_t a, b, q, r;
    mmm_polynomial_to_flint(a, &job->inputs[0]);
    mmm_polynomial_to_flint(b, &job->inputs[1]);
    nmod_poly_init(q, job->modulus.p);
    nmod_poly_init(r, job->modulus.p);
    double start = mmm_now();
    nmod_poly_divrem(q, r, a, b);
    *seconds = mmm_now() - start;
    TRY(mmm_polynomial_compare("q", &job->outputs[0], q));
    TRY(mmm_polynomial_compare("r", &job->outputs[1], r));
done:
    nmod_poly_clear(a);
    nmod_poly_clear(b);
    nmod_poly_clear(q);
    nmod_poly_clear(r);
    return result;
}

static const char *const inputs[] = {"a", "b", NULL}, *const outputs[] = {"q", "r", NULL};

static const mmm_app_parameter naive_parameters[] = {
    PARAMETER_N_M, {"l", "the number of threads of a block", 1, 1 << 20, 256}, PARAMETER_P_SEED, {0}};
static const mmm_app_parameter parameters[] = {
    PARAMETER_N_M, {"s", "the number of division steps of a kernel", 1, 1 << 20, 64}, PARAMETER_P_SEED, {0}};

const mmm_app_type mmm_app_division_naive = {
    .app = {.name = "division-naive",
            .summary = "polynomial division, one step a kernel",
            .section = "3.1",
            .oracle = "FLINT",
            .formula = "division",
            .parameters = naive_parameters,
            .inputs = inputs,
            .outputs = outputs},
    .format = &mmm_format_polynomials,
    .build = build_naive,
    .most_l = most_l,
    .load = load,
    .finish = finish,
    .check = check,
};

const mmm_app_type mmm_app_division = {
    .app = {.name = "division",
            .summary = "polynomial division, s steps a kernel",
            .section = "3.2",
            .oracle = "FLINT",
            .formula = "division",
            .parameters = parameters,
            .inputs = inputs,
            .outputs = outputs},
    .format = &mmm_format_polynomials,
    .build = build_optimised,
    .most_s = most_s,
    .load = load,
    .finish = finish,
    .check = check,
};
