/* SPDX-License-Identifier: Apache-2.0 */
/* What optimize.c and powers.c share: one run of the paper's strategy. */
#ifndef MMM_STRATEGY_H
#define MMM_STRATEGY_H

#include "paper/paper.h"

typedef struct mmm_chooser {
    mmm_evaluator evaluator;
    mmm_space *space;
    mmm_scope scope;
    mmm_region region;
    const char *name; /* of the parameter */
    int s;
    mmm_fraction work, overhead, time; /* naive divided by chosen */
    bool lost;                         /* a ratio has no finite limit as the sizes grow */
    int leader;                        /* the size that grows, -1: none; and those that were put equal to it */
    bool equal[MMM_ATOMS];
    char *low, *high; /* the ends of the range, as text; NULL: open */
    mmm_strategy *out;
} mmm_chooser;

/* Replaces *out. */
mmm_status mmm_set_text(char **out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* For ratios with 2^s in them: 2^s = Theta(l^e) for the best e, in the chooser's strategy. */
mmm_status mmm_choose_by_power(mmm_chooser *chooser);

#endif
