/* SPDX-License-Identifier: Apache-2.0 */
/* The place where a function of one variable is largest, as a proven number. */
#ifndef MMM_EXTREMUM_H
#define MMM_EXTREMUM_H

#include "algebra/algebra.h"

#include <arb.h>

typedef struct mmm_turn {
    bool found;   /* the slope has one zero in the range, at which it goes from plus to minus */
    arb_t number; /* that zero */
    int sign;     /* that of the slope where it has no zero in the range; else 0 */
} mmm_turn;

/* `slope` has no variable but the given one and ln(2); out->number is initialised. */
mmm_status mmm_turning_point(mmm_space *space, const mmm_fraction *slope, int variable, const fmpq_t low,
                             const fmpq_t high, mmm_turn *out);

#endif
