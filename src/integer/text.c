/* SPDX-License-Identifier: Apache-2.0 */
/* Polynomials over Z as FLINT's text, "length  c0 c1 ...", and results beside those of FLINT's functions. */
#include "integer/integer.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_MOST = INT32_MAX };

typedef struct parsing {
    const char *name;
    char *text;
    int64_t size;
    mmm_numbers out;
} parsing;

/* The next number as a word of its own: the text is cut behind it. */
static mmm_status next_word(char **text, const char *name, const char *what, char **word)
{
    char *c = *text;
    while (isspace((unsigned char)*c))
        c++;
    if (!*c) return mmm_fail(MMM_INVALID, "'%s' ends before its %s", name, what);
    *word = c;
    if (*c == '-') c++;
    const char *digits = c;
    while (isdigit((unsigned char)*c))
        c++;
    if (c == digits || (*c && !isspace((unsigned char)*c)))
        return mmm_fail(MMM_INVALID, "'%s': %s expected, '%.20s' found; the form is: length  c0 c1 ...", name, what,
                        *word);
    *text = c + (*c != 0);
    *c = 0;
    return MMM_OK;
}

static mmm_status parse(void *context)
{
    mmm_status result = MMM_OK;
    parsing *z = context;
    char *text = z->text, *word;
    int64_t terms;
    fmpz_poly_t a;
    fmpz_poly_init(a);
    if ((int64_t)strlen(text) != z->size) FAIL(MMM_INVALID, "'%s' is not text", z->name);
    TRY(next_word(&text, z->name, "length", &word));
    if (!mmm_parse_integer(word, &terms) || terms < 0 || terms > z->size - (text - z->text) + 1)
        FAIL(MMM_INVALID, "'%s' says it has %.20s coefficients and is too short for them", z->name, word);
    fmpz_poly_fit_length(a, terms);
    for (int64_t i = 0; i < terms; i++) {
        TRY(next_word(&text, z->name, "coefficient", &word));
        fmpz_set_str(a->coeffs + i, word, 10);
    }
    _fmpz_poly_set_length(a, terms);
    _fmpz_poly_normalise(a);
    while (isspace((unsigned char)*text))
        text++;
    if (*text) FAIL(MMM_INVALID, "'%s' has more than its %lld coefficients: '%.20s'", z->name, (long long)terms, text);
    TRY(mmm_numbers_read(NULL, a, z->name, &z->out));
done:
    fmpz_poly_clear(a);
    return result;
}

mmm_status mmm_integer_read(const char *path, fmpz_poly_t out)
{
    mmm_status result = MMM_OK;
    parsing z = {.name = path};
    NEED(path, "the path of a polynomial");
    NEED(out, "the place for a polynomial");
    TRY(mmm_file_read(path, FILE_MOST, &z.text, &z.size));
    TRY(mmm_guarded(parse, &z));
    TRY(mmm_numbers_write(&z.out, out));
done:
    free(z.text);
    mmm_numbers_clear(&z.out);
    return result;
}

typedef struct printing {
    const fmpz_poly_struct *a;
    char *text;
} printing;

static mmm_status print(void *context)
{
    printing *z = context;
    z->text = fmpz_poly_get_str(z->a);
    return MMM_OK;
}

mmm_status mmm_integer_write(const fmpz_poly_t a, const char *path)
{
    mmm_status result = MMM_OK;
    printing z = {.a = a};
    mmm_output output = {0};
    NEED(a, "the polynomial");
    NEED(path, "the path of a polynomial");
    TRY(mmm_guarded(print, &z));
    TRY(mmm_output_open(&output, path));
    fprintf(output.stream, "%s\n", z.text);
    TRY(mmm_output_commit(&output));
done:
    mmm_output_discard(&output);
    free(z.text);
    return result;
}

/* ---- FLINT's results --------------------------------------------------------------------------------------------- */

typedef struct comparison {
    const char *operation;
    const fmpz_poly_struct *a, *b, *f, *r;
    double seconds;
} comparison;

static mmm_status compare(void *context)
{
    mmm_status result = MMM_OK;
    comparison *z = context;
    fmpz_poly_t f, r;
    fmpz_poly_init(f);
    fmpz_poly_init(r);
    const double start = mmm_now();
    if (strcmp(z->operation, "multiplication") == 0)
        fmpz_poly_mul(f, z->a, z->b);
    else if (strcmp(z->operation, "gcd") == 0)
        fmpz_poly_gcd(f, z->a, z->b);
    else
        fmpz_poly_divrem(f, r, z->a, z->b);
    z->seconds = mmm_now() - start;
    if (!fmpz_poly_equal(f, z->f) || (z->r ? !fmpz_poly_equal(r, z->r) : !fmpz_poly_is_zero(r)))
        FAIL(MMM_WRONG, "the %s differs from that of FLINT", z->operation);
done:
    fmpz_poly_clear(f);
    fmpz_poly_clear(r);
    return result;
}

mmm_status mmm_integer_check(const char *operation, const fmpz_poly_t a, const fmpz_poly_t b, const fmpz_poly_t f,
                             const fmpz_poly_struct *r, double *seconds)
{
    mmm_status result = MMM_OK;
    comparison z = {.operation = operation, .a = a, .b = b, .f = f, .r = r};
    NEED(operation, "the operation");
    NEED(a, "the polynomial a");
    NEED(b, "the polynomial b");
    NEED(f, "the polynomial f");
    const bool division = strcmp(operation, "division") == 0;
    if (!division && strcmp(operation, "multiplication") != 0 && strcmp(operation, "gcd") != 0)
        FAIL(MMM_INVALID, "'%s' is not an operation; they are multiplication, division and gcd", operation);
    if (division && fmpz_poly_is_zero(b)) FAIL(MMM_INVALID, "b is 0: division by the zero polynomial");
    TRY(mmm_guarded(compare, &z));
    if (seconds) *seconds = z.seconds;
done:
    return result;
}
