/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the strategy share: one run of the paper's strategy. */
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
    mmm_fraction nothing;              /* W, which may be 0 */
    bool lost, lost_work, lost_time;   /* the ratio of overheads, ... has no finite limit as the sizes grow */
    int leader;                        /* the size that grows, -1: none; and those that were put equal to it */
    bool equal[MMM_ATOMS];
    char *low, *high;         /* the ends of the range, as text; NULL: open */
    char *tops[MMM_BINDINGS]; /* what bounds it from above, one by one */
    int top_count;
    bool fixed;  /* one of these does not grow with the sizes */
    bool always; /* Corollary 1 confirms every s */
    mmm_strategy *out;
} mmm_chooser;

/* Replaces *out. */
mmm_status mmm_set_text(char **out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* By the sign of the slope of the overhead ratio, or where it changes; *decided is false where neither is known. */
mmm_status mmm_choose_by_slope(mmm_chooser *chooser, bool *decided);

/* For ratios with 2^s in them: 2^s = Theta(l^e) for the best e, in the chooser's strategy. */
mmm_status mmm_choose_by_power(mmm_chooser *chooser);

#endif
