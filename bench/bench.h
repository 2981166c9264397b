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

/* Results as lines of a file, which bench/report.c makes JSON and a plot of.  Times are seconds. */
static inline FILE *open_csv(const char *path)
{
    FILE *csv = fopen(path, "w");
    if (!csv) {
        fprintf(stderr, "%s: %s cannot be written\n", program_invocation_short_name, path);
        exit(1);
    }
    fprintf(csv, "operation,n,m,p,who,median,least,most,ratio,ratio_low,ratio_high\n");
    return csv;
}

/* One line of a row: the times, and their ratios to ours, round by round.  Sorts nothing that it was given. */
static inline void print_run(FILE *csv, const char *operation, long long n, long long m, unsigned long long p,
                             const char *who, const double *times, const double *ours, int rounds)
{
    double sorted[64], ratios[64];
    for (int i = 0; i < rounds; i++) {
        sorted[i] = times[i];
        ratios[i] = times[i] / ours[i];
    }
    sort_times(sorted, rounds);
    sort_times(ratios, rounds);
    const double median = sorted[rounds / 2], ratio = ratios[rounds / 2];
    const double low = ratios[rounds / 4], high = ratios[rounds - 1 - rounds / 4];
    printf("  %-18s %12.2f us (%.2f to %.2f)  %6.2f (%.2f to %.2f)\n", who, 1e6 * median, 1e6 * sorted[0],
           1e6 * sorted[rounds - 1], ratio, low, high);
    if (csv)
        fprintf(csv, "%s,%lld,%lld,%llu,\"%s\",%.9f,%.9f,%.9f,%.3f,%.3f,%.3f\n", operation, n, m, p, who, median,
                sorted[0], sorted[rounds - 1], ratio, low, high);
}

#endif
