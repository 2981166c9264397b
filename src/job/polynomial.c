/* SPDX-License-Identifier: Apache-2.0 */
/* Polynomials over Z/p: in memory, as FLINT's text "length modulus  c0 c1 ...", and at random. */
#include "job/job.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The next number of the text; a file is data, so anything else is named by its place. */
static mmm_status next_number(const char **text, const char *name, const char *what, uint64_t *out)
{
    const char *c = *text;
    while (isspace((unsigned char)*c))
        c++;
    if (!*c) return mmm_fail(MMM_INVALID, "'%s' ends before its %s", name, what);
    const char *start = c;
    uint64_t value = 0;
    for (; isdigit((unsigned char)*c); c++)
        if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, (uint64_t)(*c - '0'), &value))
            return mmm_fail(MMM_INVALID, "'%s': the %s %.20s... is too large", name, what, start);
    if (c == start || (*c && !isspace((unsigned char)*c)))
        return mmm_fail(MMM_INVALID, "'%s': %s expected, '%.20s' found; the form is: length modulus  c0 c1 ...", name,
                        what, start);
    *text = c;
    *out = value;
    return MMM_OK;
}

mmm_status mmm_polynomial_set(mmm_polynomial *a, uint64_t p, const uint64_t *coefficients, int64_t terms,
                              const char *name)
{
    mmm_status result = MMM_OK;
    uint64_t *copy = NULL;
    for (int64_t i = 0; i < terms; i++)
        if (coefficients[i] >= p)
            FAIL(MMM_INVALID, "'%s': coefficient %" PRIu64 " of x^%" PRId64 " is not below the modulus %" PRIu64, name,
                 coefficients[i], i, p);
    while (terms > 0 && coefficients[terms - 1] == 0)
        terms--;
    TRY(mmm_alloc(&copy, terms, sizeof *copy));
    if (terms) memcpy(copy, coefficients, (size_t)terms * sizeof *copy);
    mmm_polynomial_clear(a);
    *a = (mmm_polynomial){.p = p, .terms = terms, .coefficients = copy};
done:
    return result;
}

static mmm_status parse(const mmm_job *job, const char *text, int64_t size, const char *name, mmm_polynomial *out)
{
    mmm_status result = MMM_OK;
    uint64_t *coefficients = NULL, length, p;
    mmm_modulus modulus;
    (void)job;
    if ((int64_t)strlen(text) != size) FAIL(MMM_INVALID, "'%s' is not text", name);
    TRY(next_number(&text, name, "length", &length));
    TRY(next_number(&text, name, "modulus", &p));
    TRY(mmm_modulus_read(p, &modulus));
    if (length > strlen(text)) /* each coefficient takes two characters but the last */
        FAIL(MMM_INVALID, "'%s' says it has %" PRIu64 " coefficients and is too short for them", name, length);
    TRY(mmm_alloc(&coefficients, (int64_t)length, sizeof *coefficients));
    for (uint64_t i = 0; i < length; i++)
        TRY(next_number(&text, name, "coefficient", &coefficients[i]));
    while (isspace((unsigned char)*text))
        text++;
    if (*text) FAIL(MMM_INVALID, "'%s' has more than its %" PRIu64 " coefficients: '%.20s'", name, length, text);
    TRY(mmm_polynomial_set(out, p, coefficients, (int64_t)length, name));
done:
    free(coefficients);
    return result;
}

static mmm_status print(const mmm_job *job, const mmm_polynomial *a, FILE *stream)
{
    (void)job;
    fprintf(stream, "%" PRId64 " %" PRIu64, a->terms, a->p);
    for (int64_t i = 0; i < a->terms; i++)
        fprintf(stream, "%s%" PRIu64, i ? " " : "  ", a->coefficients[i]);
    fputc('\n', stream);
    return ferror(stream) ? mmm_fail(MMM_IO, "cannot write a polynomial") : MMM_OK;
}

void mmm_polynomial_clear(mmm_polynomial *a)
{
    free(a->coefficients);
    if (!a->borrowed) mmm_array_free(a->array);
    *a = (mmm_polynomial){0};
}

uint64_t mmm_polynomial_lead(const mmm_polynomial *a)
{
    return a->array ? a->array->lead : a->coefficients[a->terms - 1];
}

static mmm_status settle(mmm_job *job, int *bits)
{
    mmm_status result = MMM_OK;
    const char *const *names = job->type->app.inputs;
    for (int i = 0; names[i]; i++)
        for (int j = 0; j < i; j++)
            if (job->given[i] && job->given[j] && job->inputs[i].p != job->inputs[j].p)
                FAIL(MMM_INVALID, "%s has modulus %" PRIu64 ", %s has %" PRIu64, names[j], job->inputs[j].p, names[i],
                     job->inputs[i].p);
    TRY(mmm_modulus_read((uint64_t)mmm_job_get(job, "p"), &job->modulus));
    *bits = job->modulus.bits;
done:
    return result;
}

static mmm_status draw(mmm_job *job, int which, mmm_random *random)
{
    mmm_status result = MMM_OK;
    int64_t terms = mmm_job_get(job, mmm_format_polynomials.sizes[which]);
    uint64_t p = job->modulus.p, *coefficients = NULL;
    TRY(mmm_alloc(&coefficients, terms, sizeof *coefficients));
    for (int64_t i = 0; i < terms; i++)
        coefficients[i] = mmm_random_below(random, p);
    if (terms) coefficients[terms - 1] = 1 + mmm_random_below(random, p - 1);
    mmm_polynomial_clear(&job->inputs[which]);
    job->inputs[which] = (mmm_polynomial){.p = p, .terms = terms, .coefficients = coefficients};
done:
    return result;
}

const mmm_format mmm_format_polynomials = {
    .name = "polynomials",
    .sizes = {"n", "m"},
    .fixed = "p",
    .parse = parse,
    .print = print,
    .settle = settle,
    .draw = draw,
};
