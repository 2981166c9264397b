/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions of whole numbers, in records of applications: sizes, constraints, what makes a value useless. */
#include "job/job.h"

#include <ctype.h>
#include <string.h>

enum { NAME_MOST = 32, DEPTH_MOST = 64, ARGUMENTS_MOST = 2 };

typedef struct reader {
    const char *text, *at;
    mmm_lookup *lookup;
    const void *context;
    bool known;
    int depth;
} reader;

static mmm_status read_or(reader *r, int64_t *out);

static mmm_status fault(const reader *r, const char *what)
{
    return mmm_fail(MMM_INVALID, "'%.200s', column %d: %s", r->text, (int)(r->at - r->text) + 1, what);
}

/* A number that is none: a fault, unless it comes of names without a value, which stand for any. */
static mmm_status no_number(const reader *r, const char *what, int64_t *out)
{
    *out = 1;
    return r->known ? fault(r, what) : MMM_OK;
}

static void skip(reader *r)
{
    while (isspace((unsigned char)*r->at))
        r->at++;
}

/* Takes the mark or word if it comes next. */
static bool take(reader *r, const char *mark)
{
    size_t length = strlen(mark);
    skip(r);
    if (strncmp(r->at, mark, length) != 0) return false;
    if (isalpha((unsigned char)*mark) && (isalnum((unsigned char)r->at[length]) || r->at[length] == '_')) return false;
    r->at += length;
    return true;
}

static mmm_status floor_divide(const reader *r, int64_t a, int64_t b, int64_t *out)
{
    if (b == 0) return no_number(r, "division by 0", out);
    if (a == INT64_MIN && b == -1) return no_number(r, "too large a number", out);
    *out = a / b - (a % b != 0 && (a < 0) != (b < 0));
    return MMM_OK;
}

static mmm_status call(reader *r, const char *name, const int64_t *x, int count, int64_t *out)
{
    mmm_status result = MMM_OK;
    if (strcmp(name, "min") == 0 && count == 2)
        *out = x[0] < x[1] ? x[0] : x[1];
    else if (strcmp(name, "max") == 0 && count == 2)
        *out = x[0] > x[1] ? x[0] : x[1];
    else if (strcmp(name, "ceil") == 0 && count == 2) {
        if (x[0] == INT64_MIN) return no_number(r, "too large a number", out);
        TRY(floor_divide(r, -x[0], x[1], out));
        *out = -*out;
    } else if (strcmp(name, "log2") == 0 && count == 1) {
        if (x[0] < 1) return no_number(r, "log2 of a number below 1", out);
        *out = 63 - __builtin_clzll((unsigned long long)x[0]);
    } else if (strcmp(name, "is_power_of_2") == 0 && count == 1)
        *out = x[0] > 0 && (x[0] & (x[0] - 1)) == 0;
    else
        return fault(r, "the functions are min(a, b), max(a, b), ceil(a, b), log2(a), is_power_of_2(a)");
done:
    return result;
}

static mmm_status read_name(reader *r, int64_t *out)
{
    mmm_status result = MMM_OK;
    char name[NAME_MOST];
    size_t length = 0;
    while (isalnum((unsigned char)r->at[length]) || r->at[length] == '_')
        length++;
    if (length >= sizeof name) return fault(r, "too long a name");
    memcpy(name, r->at, length);
    name[length] = 0;
    r->at += length;
    if (take(r, "(")) {
        int64_t x[ARGUMENTS_MOST] = {0};
        int count = 0;
        if (++r->depth > DEPTH_MOST) return fault(r, "too many brackets");
        do {
            if (count == ARGUMENTS_MOST) return fault(r, "too many arguments");
            TRY(read_or(r, &x[count++]));
        } while (take(r, ","));
        r->depth--;
        if (!take(r, ")")) return fault(r, "')' expected");
        return call(r, name, x, count, out);
    }
    *out = 0;
    int known = r->lookup(r->context, name, out);
    if (known < 0) return mmm_fail(MMM_INVALID, "'%.200s': there is no parameter '%s'", r->text, name);
    if (!known) r->known = false, *out = 1;
done:
    return result;
}

static mmm_status read_primary(reader *r, int64_t *out)
{
    mmm_status result = MMM_OK;
    skip(r);
    if (isdigit((unsigned char)*r->at)) {
        for (*out = 0; isdigit((unsigned char)*r->at); r->at++)
            if (__builtin_mul_overflow(*out, 10, out) || __builtin_add_overflow(*out, *r->at - '0', out))
                return fault(r, "too large a number");
        return MMM_OK;
    }
    if (isalpha((unsigned char)*r->at)) return read_name(r, out);
    if (!take(r, "(")) return fault(r, "a number, a name or '(' expected");
    if (++r->depth > DEPTH_MOST) return fault(r, "too many brackets");
    TRY(read_or(r, out));
    r->depth--;
    if (!take(r, ")")) return fault(r, "')' expected");
done:
    return result;
}

static mmm_status read_power(reader *r, int64_t *out)
{
    mmm_status result = MMM_OK;
    int64_t exponent, base;
    TRY(read_primary(r, out));
    if (!take(r, "^")) return MMM_OK;
    TRY(read_primary(r, &exponent));
    if (exponent < 0 || exponent > 64) return no_number(r, "an exponent from 0 to 64 expected", out);
    base = *out;
    for (*out = 1; exponent > 0; exponent--)
        if (__builtin_mul_overflow(*out, base, out)) return no_number(r, "too large a number", out);
done:
    return result;
}

/* -2^2 is -4. */
static mmm_status read_signed(reader *r, int64_t *out)
{
    mmm_status result = MMM_OK;
    bool negative = false;
    while (take(r, "-"))
        negative = !negative;
    TRY(read_power(r, out));
    if (negative && __builtin_sub_overflow(0, *out, out)) return no_number(r, "too large a number", out);
done:
    return result;
}

static mmm_status read_product(reader *r, int64_t *out)
{
    mmm_status result = MMM_OK;
    TRY(read_signed(r, out));
    for (;;) {
        int64_t right, quotient = 0;
        if (take(r, "*")) {
            TRY(read_signed(r, &right));
            if (__builtin_mul_overflow(*out, right, out)) TRY(no_number(r, "too large a number", out));
        } else if (take(r, "/")) {
            TRY(read_signed(r, &right));
            TRY(floor_divide(r, *out, right, out));
        } else if (take(r, "%")) {
            TRY(read_signed(r, &right));
            TRY(floor_divide(r, *out, right, &quotient));
            *out = (int64_t)((uint64_t)*out - (uint64_t)quotient * (uint64_t)right);
        } else
            return MMM_OK;
    }
done:
    return result;
}

static mmm_status read_sum(reader *r, int64_t *out)
{
    mmm_status result = MMM_OK;
    TRY(read_product(r, out));
    for (;;) {
        int64_t right;
        bool plus = take(r, "+");
        if (!plus && !take(r, "-")) return MMM_OK;
        TRY(read_product(r, &right));
        if (plus ? __builtin_add_overflow(*out, right, out) : __builtin_sub_overflow(*out, right, out))
            TRY(no_number(r, "too large a number", out));
    }
done:
    return result;
}

static mmm_status read_relation(reader *r, int64_t *out)
{
    static const char *const marks[] = {"<=", ">=", "!=", "==", "<", ">", "=", "divides"};
    mmm_status result = MMM_OK;
    int64_t right;
    TRY(read_sum(r, out));
    for (int i = 0; i < (int)(sizeof marks / sizeof *marks); i++) {
        if (!take(r, marks[i])) continue;
        TRY(read_sum(r, &right));
        const int64_t left = *out;
        bool divides = left == -1 || (left != 0 && right % left == 0);
        const int64_t values[] = {left <= right,  left >= right,  left != right, left == right,
                                  (left < right), (left > right), left == right, divides};
        *out = values[i];
        break;
    }
done:
    return result;
}

static mmm_status read_and(reader *r, int64_t *out)
{
    mmm_status result = MMM_OK;
    int64_t right;
    TRY(read_relation(r, out));
    while (take(r, "and")) {
        TRY(read_relation(r, &right));
        *out = *out && right;
    }
done:
    return result;
}

static mmm_status read_or(reader *r, int64_t *out)
{
    mmm_status result = MMM_OK;
    int64_t right;
    TRY(read_and(r, out));
    while (take(r, "or")) {
        TRY(read_and(r, &right));
        *out = *out || right;
    }
done:
    return result;
}

mmm_status mmm_integer_evaluate(const char *text, mmm_lookup *lookup, const void *context, int64_t *out, bool *known)
{
    mmm_status result = MMM_OK;
    reader r = {.text = text, .at = text, .lookup = lookup, .context = context, .known = true};
    TRY(read_or(&r, out));
    skip(&r);
    if (*r.at) result = fault(&r, "an operator expected");
    *known = r.known;
done:
    return result;
}

mmm_status mmm_constraints_check(const char *list, mmm_lookup *lookup, const void *context, char *failed, size_t size)
{
    mmm_status result = MMM_OK;
    *failed = 0;
    while (list && *list) {
        char piece[256];
        size_t length = strcspn(list, ";");
        int64_t value;
        bool known;
        if (length >= sizeof piece) FAIL(MMM_INVALID, "a constraint of more than %zu characters", sizeof piece - 1);
        memcpy(piece, list, length);
        piece[length] = 0;
        list += length + (list[length] == ';');
        const char *start = piece + strspn(piece, " \t\n");
        if (!*start) continue;
        TRY(mmm_integer_evaluate(start, lookup, context, &value, &known));
        if (!known || value) continue;
        snprintf(failed, size, "%s", start);
        return MMM_OK;
    }
done:
    return result;
}
