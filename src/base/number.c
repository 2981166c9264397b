/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers: read from text, compared, and taken from the clock. */
#include "base/base.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

double mmm_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static locale_t plain; /* 0: no memory for it; then the program's serves */

static void make_plain(void)
{
    plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
}

locale_t mmm_locale_own(void)
{
    pthread_once(&once, make_plain);
    return uselocale(plain);
}

void mmm_locale_back(locale_t before)
{
    uselocale(before);
}

double mmm_read_number(const char *text, char **end)
{
    locale_t before = mmm_locale_own();
    double number = strtod(text, end);
    mmm_locale_back(before);
    return number;
}

bool mmm_parse_integer(const char *text, int64_t *out)
{
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (end == text || *end || errno || *text == ' ') return false;
    *out = value;
    return true;
}

bool mmm_parse_number(const char *text, double *out)
{
    char *end;
    double value = mmm_read_number(text, &end);
    if (end == text || *end || *text == ' ' || !isfinite(value)) return false;
    *out = value;
    return true;
}

int mmm_compare_doubles(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}
