/* SPDX-License-Identifier: Apache-2.0 */
/* The data of a job: into the arrays of its program and out of them, in host memory or in a machine's. */
#include "job/job.h"

#include <string.h>

static size_t bytes_of(const mmm_job *job, int64_t words)
{
    return (size_t)words * (size_t)(job->program->word_bits / 8);
}

mmm_status mmm_job_zero(mmm_job *job, int array)
{
    size_t bytes = bytes_of(job, job->program->arrays[array].count);
    if (job->machine) return mmm_buffer_zero(job->machine, job->buffers[array], bytes);
    memset(job->arrays[array], 0, bytes);
    return MMM_OK;
}

/* From one place in the machine's memory to another; what the polynomial leaves free of the array is 0. */
static mmm_status put_array(mmm_job *job, int array, int64_t first, const mmm_polynomial *a)
{
    mmm_status result = MMM_OK;
    if (a->terms < job->program->arrays[array].count) TRY(mmm_job_zero(job, array));
    TRY(mmm_buffer_copy(job->machine, job->buffers[array], bytes_of(job, first), a->array->buffer,
                        bytes_of(job, a->terms)));
done:
    return result;
}

mmm_status mmm_job_put_at(mmm_job *job, int array, int64_t first, const mmm_polynomial *a)
{
    if (job->machine) return put_array(job, array, first, a);
    uint32_t *narrow = job->arrays[array];
    uint64_t *broad = job->arrays[array];
    for (int64_t i = 0; i < a->terms; i++) {
        uint64_t x = a->p ? mmm_modulus_enter(&job->modulus, a->coefficients[i]) : a->coefficients[i];
        if (job->program->word_bits == 32)
            narrow[first + i] = (uint32_t)x;
        else
            broad[first + i] = x;
    }
    return MMM_OK;
}

mmm_status mmm_job_put(mmm_job *job, int array, const mmm_polynomial *a)
{
    return mmm_job_put_at(job, array, 0, a);
}

mmm_status mmm_job_get_words(const mmm_job *job, int array, int64_t count, mmm_polynomial *out)
{
    mmm_status result = MMM_OK;
    const uint32_t *narrow = job->arrays[array];
    const uint64_t *broad = job->arrays[array];
    uint64_t *words = NULL;
    TRY(mmm_alloc(&words, count, sizeof *words));
    for (int64_t i = 0; i < count; i++)
        words[i] = job->program->word_bits == 32 ? narrow[i] : broad[i];
    mmm_polynomial_clear(out);
    *out = (mmm_polynomial){.terms = count, .coefficients = words};
done:
    return result;
}

static mmm_status get_array(const mmm_job *job, int array, int64_t terms, mmm_polynomial *out)
{
    mmm_status result = MMM_OK;
    mmm_array *copy;
    TRY(mmm_array_copy(job->machine, &job->modulus, job->buffers[array], terms, &copy));
    mmm_polynomial_clear(out);
    *out = (mmm_polynomial){.p = job->modulus.p, .terms = copy->terms, .array = copy};
done:
    return result;
}

mmm_status mmm_job_get_polynomial(const mmm_job *job, int array, int64_t terms, mmm_polynomial *out)
{
    mmm_status result = MMM_OK;
    if (job->machine) return get_array(job, array, terms, out);
    TRY(mmm_job_get_words(job, array, terms, out));
    out->p = job->modulus.p;
    for (int64_t i = 0; i < terms; i++)
        out->coefficients[i] = mmm_modulus_leave(&job->modulus, out->coefficients[i]);
    while (out->terms > 0 && out->coefficients[out->terms - 1] == 0)
        out->terms--;
done:
    return result;
}
