/* SPDX-License-Identifier: Apache-2.0 */
/* What the benches share. */
#ifndef BENCH_H
#define BENCH_H

#include "mmm/app.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* Ends where something failed, with its message. */
static inline void must(mmm_status status)
{
    if (status == MMM_OK) return;
    fprintf(stderr, "%s: %s\n", program_invocation_short_name, mmm_message());
    exit(1);
}

/* Memory with zeros in it. */
static inline void *room(int64_t count, size_t size)
{
    void *memory = calloc((size_t)count + 1, size);
    if (!memory) must(MMM_MEMORY);
    return memory;
}

static inline int compare_times(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

/* Smallest first, so that the median is in the middle. */
static inline void sort_times(double *times, int count)
{
    qsort(times, (size_t)count, sizeof *times, compare_times);
}

#endif
