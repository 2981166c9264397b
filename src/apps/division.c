/* SPDX-License-Identifier: Apache-2.0 */
/* Polynomial division (section 3): a = q b + r with deg r < deg b, naive and optimised. */
#include "apps/apps.h"

#include <flint/nmod_poly.h>
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
    return mmm_modulus_enter(&job->modulus, n_invmod(b->coefficients[b->terms - 1], b->p));
}

/* A chain of kernels; each call must follow the one before. */
static mmm_status chain(mmm_program *program, const mmm_kernel *code, int64_t blocks, int64_t threads,
                        int64_t local_words, const mmm_argument *arguments, int count)
{
    mmm_status result = MMM_OK;
    int kernel;
    TRY(mmm_program_launch(program, code, blocks, threads, local_words, arguments, count, &kernel));
    if (kernel > 0) TRY(mmm_program_depend(program, kernel - 1, kernel));
done:
    return result;
}

static mmm_status build_naive(mmm_job *job)
{
    mmm_status result = MMM_OK;
    int64_t n = job->inputs[0].terms, m = job->inputs[1].terms, l = mmm_job_get(job, "l");
    TRY(build_arrays(job));
    uint64_t inverse = lead_inverse(job);
    for (int64_t i = n - 1; i >= m - 1; i--) {
        const mmm_argument arguments[] = {
            {MMM_ARRAY, A},          {MMM_ARRAY, B},          {MMM_ARRAY, Q}, {MMM_INTEGER, (uint64_t)i},
            {MMM_INTEGER, (uint64_t)m - 1}, {MMM_WORD, inverse},
        };
        TRY(chain(job->program, &mmm_kernel_naive_division, (m + l - 1) / l, l, 1, arguments, 6));
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
        TRY(chain(job->program, &mmm_kernel_division, (m + 2 * s - 1) / (2 * s), 3 * s, 7 * s, arguments, 8));
    }
done:
    return result;
}

static void load(mmm_job *job)
{
    mmm_job_put(job, A, &job->inputs[0]);
    mmm_job_put(job, B, &job->inputs[1]);
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

static void set_flint(nmod_poly_t f, const mmm_polynomial *a)
{
    nmod_poly_init2(f, a->p, a->terms);
    for (int64_t i = 0; i < a->terms; i++)
        nmod_poly_set_coeff_ui(f, i, a->coefficients[i]);
}

static mmm_status compare(const char *name, const mmm_polynomial *ours, const nmod_poly_t theirs)
{
    for (int64_t i = 0; i < ours->terms || i < nmod_poly_length(theirs); i++) {
        uint64_t x = i < ours->terms ? ours->coefficients[i] : 0, y = nmod_poly_get_coeff_ui(theirs, i);
        if (x != y)
            return mmm_fail(MMM_WRONG, "%s differs from FLINT's: the coefficient of x^%lld is %llu, FLINT has %llu",
                            name, (long long)i, (unsigned long long)x, (unsigned long long)y);
    }
    return MMM_OK;
}

static mmm_status check(const mmm_job *job)
{
    mmm_status result = MMM_OK;
    nmod_poly_t a, b, q, r;
    set_flint(a, &job->inputs[0]);
    set_flint(b, &job->inputs[1]);
    nmod_poly_init(q, job->modulus.p);
    nmod_poly_init(r, job->modulus.p);
    nmod_poly_divrem(q, r, a, b);
    TRY(compare("q", &job->outputs[0], q));
    TRY(compare("r", &job->outputs[1], r));
done:
    nmod_poly_clear(a);
    nmod_poly_clear(b);
    nmod_poly_clear(q);
    nmod_poly_clear(r);
    return result;
}

static const char *const inputs[] = {"a", "b", NULL}, *const outputs[] = {"q", "r", NULL};

#define N_M {"n", "the number of terms of a", 1, 1 << 28, 4096}, {"m", "the number of terms of b", 1, 1 << 28, 2048}
#define P_SEED                                                                                                         \
    {"p", "the prime modulus", 2, INT64_MAX, 2013265921}, {"seed", "the seed of random inputs", 0, INT64_MAX, 1}

static const mmm_app_parameter naive_parameters[] = {
    N_M, {"l", "the number of threads of a block", 1, 1 << 20, 256}, P_SEED, {0}};
static const mmm_app_parameter parameters[] = {
    N_M, {"s", "the number of division steps of a kernel", 1, 1 << 20, 64}, P_SEED, {0}};

const mmm_app_type mmm_app_division_naive = {
    .app = {.name = "division-naive",
            .summary = "polynomial division, one step a kernel",
            .section = "3.1",
            .parameters = naive_parameters,
            .inputs = inputs,
            .outputs = outputs},
    .format = &mmm_format_polynomials,
    .build = build_naive,
    .load = load,
    .finish = finish,
    .check = check,
};

const mmm_app_type mmm_app_division = {
    .app = {.name = "division",
            .summary = "polynomial division, s steps a kernel",
            .section = "3.2",
            .parameters = parameters,
            .inputs = inputs,
            .outputs = outputs},
    .format = &mmm_format_polynomials,
    .build = build_optimised,
    .load = load,
    .finish = finish,
    .check = check,
};
