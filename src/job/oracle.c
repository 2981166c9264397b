/* SPDX-License-Identifier: Apache-2.0 */
/* FLINT as the reference for results on polynomials. */
#include "job/job.h"

#include <flint/nmod_poly.h>

/* Whether there is what is compared: two polynomials, results, and a modulus without which FLINT stops the program. */
static mmm_status check_job(const mmm_job *job, int outputs)
{
    mmm_status result = MMM_OK;
    NEED(job, "the job");
    if (!job->ran || !job->modulus.p) FAIL(MMM_INVALID, "%s has no result to check, or no modulus", job->app->name);
    for (int i = 0; i < 2; i++)
        if (job->inputs[i].type != MMM_POLYNOMIAL || (job->inputs[i].count && !job->inputs[i].elements))
            FAIL(MMM_INVALID, "%s: FLINT compares polynomials in host memory, not input %d", job->app->name, i + 1);
    for (int i = 0; i < outputs; i++)
        if (mmm_job_out(job, i)->type != MMM_POLYNOMIAL)
            FAIL(MMM_INVALID, "%s: FLINT compares polynomials, not output %d", job->app->name, i + 1);
done:
    return result;
}

static void to_flint(nmod_poly_t f, const mmm_job *job, int input)
{
    int64_t terms;
    const uint64_t *a = mmm_job_given(job, input, &terms);
    nmod_poly_init2(f, job->modulus.p, terms);
    for (int64_t i = 0; i < terms; i++)
        nmod_poly_set_coeff_ui(f, i, a[i]);
}

static mmm_status compare(const mmm_job *job, int output, const nmod_poly_t theirs)
{
    int64_t terms;
    const uint64_t *ours = mmm_job_result(job, output, &terms);
    for (int64_t i = 0; i < terms || i < nmod_poly_length(theirs); i++) {
        uint64_t x = i < terms ? ours[i] : 0, y = nmod_poly_get_coeff_ui(theirs, i);
        if (x != y)
            return mmm_fail(MMM_WRONG, "%s differs from FLINT's: the coefficient of x^%lld is %llu, FLINT has %llu",
                            job->app->outputs[output].name, (long long)i, (unsigned long long)x, (unsigned long long)y);
    }
    return MMM_OK;
}

typedef struct checked {
    const mmm_job *job;
    void (*operation)(nmod_poly_t, const nmod_poly_t, const nmod_poly_t);
    double *seconds;
} checked;

static mmm_status divide(void *context)
{
    mmm_status result = MMM_OK;
    const checked *c = context;
    const mmm_job *job = c->job;
    nmod_poly_t a, b, q, r;
    MMM_TRY(check_job(job, 2));
    if (!job->inputs[1].count) return mmm_fail(MMM_INVALID, "b is 0: there is no quotient to compare");
    to_flint(a, job, 0);
    to_flint(b, job, 1);
    nmod_poly_init(q, job->modulus.p);
    nmod_poly_init(r, job->modulus.p);
    double start = mmm_now();
    nmod_poly_divrem(q, r, a, b);
    if (c->seconds) *c->seconds = mmm_now() - start;
    TRY(compare(job, 0, q));
    TRY(compare(job, 1, r));
done:
    nmod_poly_clear(a);
    nmod_poly_clear(b);
    nmod_poly_clear(q);
    nmod_poly_clear(r);
    return result;
}

/* The one output is what the operation makes of the two inputs. */
static mmm_status operate(void *context)
{
    const checked *c = context;
    nmod_poly_t a, b;
    MMM_TRY(check_job(c->job, 1));
    to_flint(a, c->job, 0);
    to_flint(b, c->job, 1);
    double start = mmm_now();
    c->operation(a, a, b);
    if (c->seconds) *c->seconds = mmm_now() - start;
    mmm_status result = compare(c->job, 0, a);
    nmod_poly_clear(a);
    nmod_poly_clear(b);
    return result;
}

mmm_status mmm_oracle_divide(const mmm_job *job, double *seconds)
{
    return mmm_guarded(divide, &(checked){job, NULL, seconds});
}

mmm_status mmm_oracle_multiply(const mmm_job *job, double *seconds)
{
    return mmm_guarded(operate, &(checked){job, nmod_poly_mul, seconds});
}

mmm_status mmm_oracle_gcd(const mmm_job *job, double *seconds)
{
    return mmm_guarded(operate, &(checked){job, nmod_poly_gcd, seconds});
}
