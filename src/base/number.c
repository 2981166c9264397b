/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers: read from text, compared, and taken from the clock. */
#include "base/base.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

double mmm_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
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
    double value = strtod(text, &end);
    if (end == text || *end || *text == ' ' || !isfinite(value)) return false;
    *out = value;
    return true;
}

int mmm_compare_doubles(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}
