/* SPDX-License-Identifier: Apache-2.0 */
/* The quantities of the model (section 2): one line each, from which every output takes its names and values. */
#include "model/model.h"

#include <math.h>
#include <stddef.h>

static int64_t whole_at(const void *record, size_t offset)
{
    return *(const int64_t *)(const void *)((const char *)record + offset);
}

static mmm_amount whole(int64_t value)
{
    return (mmm_amount){.known = true, .whole = true, .integer = value, .real = (double)value};
}

static mmm_amount value_of(const mmm_quantity *q, const mmm_analysis *a)
{
    double divisor;
    switch (q->source) {
    case MMM_FROM_INTEGER: return whole(whole_at(a, q->at));
    case MMM_FROM_REAL:
        return (mmm_amount){.known = true, .real = *(const double *)(const void *)((const char *)a + q->at)};
    case MMM_FROM_COUNTS:
        if (a->counts) return whole(whole_at(a->counts, q->at));
        return q->by ? whole(whole_at(a, q->by)) : (mmm_amount){.real = NAN};
    case MMM_FROM_QUOTIENT:
        divisor = (double)whole_at(a, q->by);
        return (mmm_amount){.known = true, .real = divisor > 0 ? (double)whole_at(a, q->at) / divisor : 0};
    }
    return (mmm_amount){.real = NAN};
}

mmm_amount mmm_quantity_of(const mmm_quantity *q, const mmm_analysis *a)
{
    mmm_amount amount = value_of(q, a);
    if (q->when && !whole_at(a, q->when)) amount.known = false; /* where others have it, it is shown all the same */
    return amount;
}

#define AT(field)      .at = offsetof(mmm_analysis, field)
#define BY(field)      .by = offsetof(mmm_analysis, field)
#define UNFOLDED       .when = offsetof(mmm_analysis, shape.unfolded)
#define COUNTED(field) .source = MMM_FROM_COUNTS, .at = offsetof(mmm_counts, field)

static const char operations[] = "local operations", times[] = "in units of one local operation", words[] = "words";

const mmm_quantity mmm_quantities[] = {
    {"W", "work", "work", .name = "work", .unit = operations, .part = MMM_MEASURES, .main = true, .predicted = true,
     .meaning = "what all threads compute", AT(measures.work)},
    {"S", "span", "span", .name = "span", .unit = operations, .part = MMM_MEASURES, .main = true, .predicted = true,
     .meaning = "the longest chain of it", AT(measures.span)},
    {.key = "span_thread", .part = MMM_MEASURES, AT(measures.span_thread)},
    {.column = "parallelism", .source = MMM_FROM_QUOTIENT, AT(measures.work), BY(measures.span)},
    {"O", "overhead", "overhead", .name = "parallelism overhead", .unit = times, .part = MMM_MEASURES,
     .source = MMM_FROM_REAL, .main = true, .predicted = true,
     .meaning = "the words moved between global and local memory, times U", AT(measures.overhead)},
    {.key = "arithmetic", .part = MMM_MEASURES, COUNTED(arithmetic), BY(measures.work)},
    {.key = "local_accesses", .part = MMM_MEASURES, COUNTED(local_accesses)},
    {.key = "global_reads", .part = MMM_MEASURES, COUNTED(global_reads)},
    {.key = "global_writes", .part = MMM_MEASURES, COUNTED(global_writes)},
    {.key = "kernels", .part = MMM_DAG, AT(shape.kernels)},
    {"N", "N", "N", .name = "thread-blocks", .part = MMM_DAG, AT(shape.N)},
    {"L", "L", "L", .name = "kernels on the longest path", .part = MMM_DAG, AT(shape.L)},
    {.key = "L_edges", .part = MMM_DAG, AT(shape.L_edges)},
    {"K", "K", "K", .name = "the most blocks that do not wait for each other", .part = MMM_DAG, AT(shape.K)},
    {.key = "parallel_steps", .part = MMM_DAG, AT(shape.parallel_steps)},
    {"C", "C", "C", .name = "the costliest thread-block", .unit = times, .part = MMM_DAG, .source = MMM_FROM_REAL,
     .predicted = true, AT(measures.C)},
    {"local", "local_words", .name = "local memory of a block", .unit = words, .part = MMM_OUTSIDE,
     COUNTED(local_words)},
    {.key = "unfolded", .found = "unfolded", .part = MMM_DAG, AT(shape.unfolded), UNFOLDED},
    {.key = "decisions", .found = "decisions", .part = MMM_DAG, AT(shape.decisions), UNFOLDED},
    {.key = "burdened_span",
     .found = "burdened S",
     .part = MMM_MEASURES,
     .source = MMM_FROM_REAL,
     AT(measures.burdened_span),
     UNFOLDED},
    {"T <= cor.1", "corollary1", "bound", .name = "(N/K + L) C, the bound of Corollary 1", .unit = times,
     .part = MMM_BOUNDS, .source = MMM_FROM_REAL, AT(corollary1)},
};
const int mmm_quantity_count = sizeof mmm_quantities / sizeof *mmm_quantities;
