/* SPDX-License-Identifier: Apache-2.0 */
/* Keys and the values that go with them: raw little-endian words in files, of 32 or 64 bits as the parameter `bits`
 * says; keys use the lowest c of them. */
#include "job/job.h"

#include <endian.h>
#include <inttypes.h>

enum { KEYS, VALUES };

static mmm_status word_bits(const mmm_job *job, int *bits)
{
    *bits = (int)mmm_job_get(job, "bits");
    return *bits == 32 || *bits == 64 ? MMM_OK : mmm_fail(MMM_INVALID, "bits=%d: words have 32 or 64 bits", *bits);
}

static mmm_status parse(const mmm_job *job, const char *bytes, int64_t size, const char *name, mmm_polynomial *out)
{
    mmm_status result = MMM_OK;
    int bits;
    uint64_t *words = NULL;
    TRY(word_bits(job, &bits));
    int64_t step = bits / 8, count = size / step;
    if (size % step)
        FAIL(MMM_INVALID, "'%s' has %" PRId64 " bytes, no whole number of words of %d bits", name, size, bits);
    TRY(mmm_alloc(&words, count, sizeof *words));
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = 0; j < step; j++)
            words[i] |= (uint64_t)(unsigned char)bytes[i * step + j] << 8 * j;
    mmm_polynomial_clear(out);
    *out = (mmm_polynomial){.terms = count, .coefficients = words};
done:
    return result;
}

static mmm_status print(const mmm_job *job, const mmm_polynomial *a, FILE *stream)
{
    size_t size = (size_t)job->program->word_bits / 8;
    for (int64_t i = 0; i < a->terms; i++) {
        uint64_t word = htole64(a->coefficients[i]); /* its low half comes first */
        if (fwrite(&word, size, 1, stream) != 1) return mmm_fail(MMM_IO, "cannot write keys");
    }
    return MMM_OK;
}

static mmm_status check_bits(const mmm_job *job, int which, int64_t bits)
{
    const mmm_polynomial *a = &job->inputs[which];
    for (int64_t i = 0; i < a->terms && bits < 64; i++)
        if (a->coefficients[i] >> bits)
            return mmm_fail(MMM_INVALID, "%s: number %" PRId64 ", %" PRIu64 ", has more than %" PRId64 " bits",
                            job->type->app.inputs[which], i, a->coefficients[i], bits);
    return MMM_OK;
}

static mmm_status settle(mmm_job *job, int *bits)
{
    mmm_status result = MMM_OK;
    bool values = job->given[VALUES] && mmm_job_get(job, "values");
    int64_t c = mmm_job_get(job, "c");
    TRY(word_bits(job, bits));
    if (c > *bits) FAIL(MMM_INVALID, "c=%" PRId64 ": a key has at most bits=%d", c, *bits);
    job->modulus = (mmm_modulus){0};
    if (job->given[KEYS]) TRY(check_bits(job, KEYS, c));
    if (values) TRY(check_bits(job, VALUES, *bits));
    int64_t n = job->given[KEYS] ? job->inputs[KEYS].terms : mmm_job_get(job, "n");
    if (values && job->inputs[VALUES].terms != n)
        FAIL(MMM_INVALID, "there are %" PRId64 " keys and %" PRId64 " values", n, job->inputs[VALUES].terms);
done:
    return result;
}

/* Keys are random; values are the numbers of the keys, so that a sort gives the permutation it makes. */
static mmm_status draw(mmm_job *job, int which, mmm_random *random)
{
    mmm_status result = MMM_OK;
    int64_t count = which == VALUES ? job->inputs[KEYS].terms : mmm_job_get(job, "n");
    int unused = 64 - (int)mmm_job_get(job, "c");
    uint64_t *words = NULL;
    TRY(mmm_alloc(&words, count, sizeof *words));
    for (int64_t i = 0; i < count; i++)
        words[i] = which == VALUES ? (uint64_t)i : mmm_random_next(random) >> unused;
    mmm_polynomial_clear(&job->inputs[which]);
    job->inputs[which] = (mmm_polynomial){.terms = count, .coefficients = words};
done:
    return result;
}

const mmm_format mmm_format_keys = {
    .name = "keys",
    .sizes = {"n", "n"},
    .fixed = "bits",
    .parse = parse,
    .print = print,
    .settle = settle,
    .draw = draw,
};
