/* SPDX-License-Identifier: Apache-2.0 */
/* Polynomials over Z/p as FLINT's text, "length modulus  c0 c1 ...". */
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

mmm_status mmm_vector_text_parse(const char *text, int64_t size, const char *name, mmm_vector *out)
{
    mmm_status result = MMM_OK;
    uint64_t *coefficients = NULL, length, p;
    mmm_modulus modulus;
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
    TRY(mmm_vector_polynomial(out, p, coefficients, (int64_t)length, name));
done:
    free(coefficients);
    return result;
}

void mmm_vector_text_print(const mmm_vector *v, FILE *stream)
{
    const uint64_t *a = v->elements;
    fprintf(stream, "%" PRId64 " %" PRIu64, v->count, v->p);
    for (int64_t i = 0; i < v->count; i++)
        fprintf(stream, "%s%" PRIu64, i ? " " : "  ", a[i]);
    fputc('\n', stream);
}
