/* SPDX-License-Identifier: Apache-2.0 */
/* What all models say of some trials. */
#ifndef MMM_COMPARE_H
#define MMM_COMPARE_H

#include "show/show.h"

enum { MMM_MODELS_MOST = 16 };

typedef struct mmm_comparison {
    int models, count, measured; /* trials that ran */
    int64_t P;
    double *values, *times;         /* of the trials; NaN: did not run, or its result is wrong */
    double *costs[MMM_MODELS_MOST]; /* NaN: not known */
    double *places[MMM_MODELS_MOST + 1]; /* of times, then of costs: the same where they cannot be told apart */
    double tau[MMM_MODELS_MOST];
} mmm_comparison;

mmm_status mmm_comparison_make(const mmm_report_input *input, mmm_comparison *out);
void mmm_comparison_clear(mmm_comparison *c);

/* Numbers of the trials that have a cost by a model (-1: a time), the cheapest first; how many. */
int mmm_comparison_rank(const mmm_comparison *c, int model, int *order);

/* The same as values with spaces between, or '=' where they cannot be told apart; how many.  `order` has room for all. */
int mmm_comparison_print(FILE *stream, const mmm_report_input *input, const mmm_comparison *c, int model, int *order);

#endif
