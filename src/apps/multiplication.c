/* SPDX-License-Identifier: Apache-2.0 */
/* Polynomial multiplication (section 5): f = a b, rows of products into M, then rows added in pairs. */
#include "job/job.h"

enum { A, B, M, F }; /* the arrays */

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

static mmm_status fit(const mmm_job *job)
{
    sizes z = sizes_of(job);
    double bytes = (double)(z.a + z.b + z.M + z.f) * (job->modulus.bits / 8);
    double available = (double)mmm_memory_available();
    if (bytes > available)
        return mmm_fail(MMM_TOO_LARGE,
                        "n=%lld, m=%lld, s=%lld: M has %lld rows of %lld words, which with a, b and f take %.1f GB of "
                        "memory; %.1f GB are available",
                        (long long)mmm_job_get(job, "n"), (long long)mmm_job_get(job, "m"), (long long)z.s,
                        (long long)z.rows, (long long)z.width, bytes / 1e9, available / 1e9);
    return MMM_OK;
}

static int64_t most_s(const mmm_job *job)
{
    return mmm_job_get(job, "m");
}

static int64_t most_l(const mmm_job *job)
{
    int64_t s = mmm_job_get(job, "s");
    return (mmm_job_get(job, "n") + 2 * s - 2) / s;
}

static mmm_status build(mmm_job *job)
{
    mmm_status result = MMM_OK;
    sizes z = sizes_of(job);
    int array;
    TRY(mmm_job_array(job, "a", z.a, MMM_IN, &array));
    TRY(mmm_job_array(job, "b", z.b, MMM_IN, &array));
    TRY(mmm_job_array(job, "M", z.M, MMM_WORK, &array));
    TRY(mmm_job_array(job, "f", z.f, MMM_IN_OUT, &array));
    if (z.rows == 0) goto done;
    const mmm_argument multiply[] = {
        {MMM_ARRAY, A},
        {MMM_ARRAY, B},
        {MMM_ARRAY, M},
        {MMM_ARRAY, F},
        {MMM_INTEGER, (uint64_t)z.rows},
        {MMM_INTEGER, (uint64_t)z.width},
        {MMM_CONSTANT, (uint64_t)z.s},
        {MMM_CONSTANT, (uint64_t)z.l},
    };
    TRY(mmm_job_chain(job, &mmm_kernel_multiply_rows, z.rows * z.parts, z.l, z.s * z.l + 2 * z.s - 1, multiply, 8));
    mmm_job_last(job)->period = z.parts;
    for (int64_t distance = 1; distance < z.rows; distance *= 2) {
        int64_t pairs = (z.rows - 1 + distance) / (2 * distance);
        const mmm_argument add[] = {
            {MMM_ARRAY, M},
            {MMM_ARRAY, F},
            {MMM_INTEGER, (uint64_t)z.rows},
            {MMM_INTEGER, (uint64_t)z.width},
            {MMM_INTEGER, (uint64_t)distance},
            {MMM_CONSTANT, (uint64_t)z.s},
            {MMM_CONSTANT, (uint64_t)z.l},
        };
        TRY(mmm_job_chain(job, &mmm_kernel_add_rows, pairs * z.parts, z.l, 0, add, 7));
        mmm_job_last(job)->period = z.parts;
    }
done:
    return result;
}

static mmm_status load(mmm_job *job)
{
    mmm_status result = MMM_OK;
    sizes z = sizes_of(job);
    if (z.rows == 0) goto done;
    TRY(mmm_job_put_at(job, A, z.s - 1, &job->inputs[0]));
    TRY(mmm_job_put(job, B, &job->inputs[1]));
    TRY(mmm_job_zero(job, F));
done:
    return result;
}

static mmm_status finish(mmm_job *job)
{
    int64_t n = job->inputs[0].terms, m = job->inputs[1].terms;
    return mmm_job_get_polynomial(job, F, n && m ? n + m - 1 : 0, &job->outputs[0]);
}

static mmm_status check(const mmm_job *job, double *seconds)
{
    nmod_poly_t a, b;
    mmm_polynomial_to_flint(a, &job->inputs[0]);
    mmm_polynomial_to_flint(b, &job->inputs[1]);
    double start = mmm_now();
    nmod_poly_mul(a, a, b);
    *seconds = mmm_now() - start;
    mmm_status result = mmm_polynomial_compare("f", &job->outputs[0], a);
    nmod_poly_clear(a);
    nmod_poly_clear(b);
    return result;
}

static const char *const inputs[] = {"a", "b", NULL}, *const outputs[] = {"f", NULL};

static const mmm_app_parameter parameters[] = {
    PARAMETER_N_M,
    {"s", "the number of coefficients of b of a row, and of sums of a thread", 1, 1 << 12, 4},
    {"l", "the number of threads of a block", 1, 1 << 16, 256},
    PARAMETER_P_SEED,
    {0}};

const mmm_app_type mmm_app_multiplication = {
    .app = {.name = "multiplication",
            .summary = "polynomial multiplication, s coefficients of b a row",
            .section = "5",
            .oracle = "FLINT",
            .formula = "multiplication",
            .parameters = parameters,
            .inputs = inputs,
            .outputs = outputs},
    .format = &mmm_format_polynomials,
    .fit = fit,
    .build = build,
    .most_s = most_s,
    .most_l = most_l,
    .load = load,
    .finish = finish,
    .check = check,
};
