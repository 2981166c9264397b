/* SPDX-License-Identifier: Apache-2.0 */
/* What roots.c finds and solve.c writes: the places where a rational function may change its sign. */
#ifndef MMM_ROOTS_H
#define MMM_ROOTS_H

#include "algebra/algebra.h"

#include <arb_fmpz_poly.h>

enum { MMM_ROOTS = 32 };

typedef struct mmm_root {
    mmm_fraction value;  /* exact, or when `irrational`: */
    arb_t number;        /* a ball around it; or when `radical`: */
    mmm_fraction square; /* value + sqrt(square), which is positive */
    bool irrational, radical, odd, pole;
} mmm_root;

typedef struct mmm_solver {
    mmm_space *space;
    const mmm_region *region;
    int variable, scale;       /* scale: the atom solved for (the variable, its log2, or 2^variable), -1 while open */
    int sign;                  /* where the variable is large */
    mmm_root roots[MMM_ROOTS]; /* in increasing order */
    int count;
    const char *doubt; /* why the question cannot be decided, or NULL */
    char reason[300];
} mmm_solver;

/* The roots and poles of a value on the region. */
mmm_status mmm_roots_find(mmm_solver *solver, const mmm_fraction *value);
void mmm_roots_clear(mmm_solver *solver);

#endif
