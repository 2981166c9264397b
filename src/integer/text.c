/* SPDX-License-Identifier: Apache-2.0 */
/* Polynomials over Z as FLINT's text, "length  c0 c1 ...", and results beside those of FLINT's functions. */
#include "integer/integer.h"

#include <ctype.h>
#include <flint/fmpz_mpoly.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_MOST = INT32_MAX };

/* A file, and where in it the next polynomial begins. */
typedef struct parsing {
    const char *name;
    char *text, *next;
    int64_t size, terms; /* terms: that the last one said it has */
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
    char *word;
    fmpz_poly_t a;
    fmpz_poly_init(a);
    TRY(next_word(&z->next, z->name, "length", &word));
    if (!mmm_parse_integer(word, &z->terms) || z->terms < 0 || z->terms > z->size - (z->next - z->text) + 1)
        FAIL(MMM_INVALID, "'%s' says it has %.20s coefficients and is too short for them", z->name, word);
    fmpz_poly_fit_length(a, z->terms);
    for (int64_t i = 0; i < z->terms; i++) {
        TRY(next_word(&z->next, z->name, "coefficient", &word));
        fmpz_set_str(a->coeffs + i, word, 10);
    }
    _fmpz_poly_set_length(a, z->terms);
    _fmpz_poly_normalise(a);
    while (isspace((unsigned char)*z->next))
        z->next++;
    TRY(mmm_numbers_read(NULL, a, z->name, &z->out));
done:
    fmpz_poly_clear(a);
    return result;
}

static mmm_status open_text(const char *path, parsing *z)
{
    mmm_status result = MMM_OK;
    NEED(path, "the path of a polynomial");
    z->name = path;
    TRY(mmm_file_read(path, FILE_MOST, &z->text, &z->size));
    if ((int64_t)strlen(z->text) != z->size) FAIL(MMM_INVALID, "'%s' is not text", path);
    z->next = z->text;
done:
    return result;
}

static mmm_status read_next(parsing *z, fmpz_poly_t out)
{
    mmm_numbers_clear(&z->out);
    MMM_TRY(mmm_guarded(parse, z));
    return mmm_numbers_write(&z->out, out);
}

static void close_text(parsing *z)
{
    free(z->text);
    mmm_numbers_clear(&z->out);
}

mmm_status mmm_integer_read(const char *path, fmpz_poly_t out)
{
    mmm_status result = MMM_OK;
    parsing z = {0};
    fmpz_poly_t found = {{0}};
    NEED(out, "the place for a polynomial");
    TRY(open_text(path, &z));
    TRY(read_next(&z, found));
    if (*z.next)
        FAIL(MMM_INVALID, "'%s' has more than its %lld coefficients: '%.20s'", path, (long long)z.terms, z.next);
    fmpz_poly_swap(found, out);
done:
    fmpz_poly_clear(found);
    close_text(&z);
    return result;
}

void mmm_integer_rows_free(fmpz_poly_struct *rows, int64_t count)
{
    for (int64_t i = 0; rows && i < count; i++)
        fmpz_poly_clear(rows + i);
    free(rows);
}

/* One polynomial, whose coefficients are those of y. */
static mmm_status spread(fmpz_poly_struct **rows, int64_t *count)
{
    mmm_status result = MMM_OK;
    fmpz_poly_struct *out = NULL, *a = *rows;
    const int64_t terms = fmpz_poly_length(a);
    mmm_numbers all = {0};
    TRY(mmm_alloc(&out, terms ? terms : 1, sizeof *out));
    TRY(mmm_numbers_read(NULL, a, "a", &all));
    for (int64_t i = 0; i < terms; i++) {
        mmm_numbers one = {.terms = 1, .limbs = all.limbs, .words = all.words + i * all.limbs};
        one.negative = all.negative + i;
        mmm_numbers_trim(&one);
        TRY(mmm_numbers_write(&one, out + i));
    }
    mmm_integer_rows_free(a, 1);
    *rows = out;
    *count = terms;
    out = NULL;
done:
    mmm_integer_rows_free(out, terms);
    mmm_numbers_clear(&all);
    return result;
}

mmm_status mmm_integer_read_rows(const char *path, fmpz_poly_struct **out, int64_t *count)
{
    mmm_status result = MMM_OK;
    parsing z = {0};
    fmpz_poly_struct *rows = NULL;
    int64_t found = 0, room = 0;
    NEED(out, "the place for polynomials");
    NEED(count, "the place for their number");
    TRY(open_text(path, &z));
    do {
        TRY(mmm_grow(&rows, &room, found + 1, sizeof *rows));
        rows[found] = (fmpz_poly_struct){0};
        TRY(read_next(&z, rows + found));
        found++;
    } while (*z.next);
    if (found == 1) TRY(spread(&rows, &found));
    *out = rows;
    *count = found;
    rows = NULL;
done:
    mmm_integer_rows_free(rows, found);
    close_text(&z);
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

typedef struct resultant_comparison {
    const fmpz_poly_struct *rows[2], *r;
    int64_t counts[2];
    double seconds;
} resultant_comparison;

/* By FLINT's polynomials in several variables; x is the first. */
static mmm_status compare_resultant(void *context)
{
    mmm_status result = MMM_OK;
    resultant_comparison *z = context;
    fmpz_mpoly_ctx_t about;
    fmpz_mpoly_t f[2], r, other;
    fmpz_mpoly_ctx_init(about, 2, ORD_LEX);
    fmpz_mpoly_init(f[0], about), fmpz_mpoly_init(f[1], about), fmpz_mpoly_init(r, about);
    fmpz_mpoly_init(other, about);
    for (int k = 0; k < 2; k++)
        for (int64_t i = 0; i < z->counts[k]; i++)
            for (slong j = 0; j < fmpz_poly_length(z->rows[k] + i); j++)
                fmpz_mpoly_set_coeff_fmpz_ui(f[k], z->rows[k][i].coeffs + j, (ulong[]){(ulong)j, (ulong)i}, about);
    const double start = mmm_now();
    const bool zero = fmpz_mpoly_is_zero(f[0], about) || fmpz_mpoly_is_zero(f[1], about);
    if (!zero && !fmpz_mpoly_resultant(r, f[0], f[1], 1, about))
        FAIL(MMM_TOO_LARGE, "FLINT finds no resultant of these");
    z->seconds = mmm_now() - start;
    for (slong j = 0; j < fmpz_poly_length(z->r); j++)
        fmpz_mpoly_set_coeff_fmpz_ui(other, z->r->coeffs + j, (ulong[]){(ulong)j, 0}, about);
    if (!fmpz_mpoly_equal(r, other, about)) FAIL(MMM_WRONG, "the resultant differs from that of FLINT");
done:
    fmpz_mpoly_clear(f[0], about), fmpz_mpoly_clear(f[1], about), fmpz_mpoly_clear(r, about);
    fmpz_mpoly_clear(other, about);
    fmpz_mpoly_ctx_clear(about);
    return result;
}

mmm_status mmm_integer_check_resultant(const fmpz_poly_struct *a, int64_t n, const fmpz_poly_struct *b, int64_t m,
                                       const fmpz_poly_t r, double *seconds)
{
    mmm_status result = MMM_OK;
    resultant_comparison z = {{a, b}, r, {n, m}, 0};
    NEED(r, "the polynomial r");
    TRY(mmm_check_terms(n, a, "a"));
    TRY(mmm_check_terms(m, b, "b"));
    TRY(mmm_guarded(compare_resultant, &z));
    if (seconds) *seconds = z.seconds;
done:
    return result;
}
