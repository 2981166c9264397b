/* SPDX-License-Identifier: Apache-2.0 */
/* Plans, and those that a machine keeps. */
#ifndef MMM_PLAN_H
#define MMM_PLAN_H

#include "job/job.h"

/* Coefficients of a device's large input, which the threads of the host bring into their form and check. */
typedef struct mmm_entering {
    mmm_program *program; /* NULL: they are few, and the caller's thread does it */
    uint64_t *seen;
} mmm_entering;

struct mmm_plan {
    mmm_machine *machine;
    mmm_job *job;
    mmm_entering entering[ARRAYS_MOST]; /* by array */
    mmm_program *leaving[MMM_DATA_MOST]; /* the other way: by output, NULL: the caller's thread does it */
    int64_t rooms[MMM_DATA_MOST];       /* elements of an output that a problem has room for */
    double seconds;                     /* of the kernels of the last run */
};

/* About how much memory it takes, on the host and on a device. */
uint64_t mmm_plan_bytes(const mmm_plan *plan);

/* Runs it with polynomials in its machine's memory; the results are new ones there, not yet monic. */
mmm_status mmm_plan_run_there(mmm_plan *plan, const mmm_array *const *inputs, mmm_array **outputs);

/* Multiplies a polynomial by a factor, a word of the program, by a plan that has both as its arrays number 0 and 1. */
mmm_status mmm_plan_scale(mmm_plan *plan, mmm_array *array, const void *factor);

/* The number of terms of a polynomial that may have leading zeros, by a plan that leaves it as numbers, one a block, the
 * last that is not 0 counts, in its array number 1. */
mmm_status mmm_plan_count(mmm_plan *plan, const mmm_array *array, int64_t *terms);

/* What a plan is for. */
enum { MMM_KEY = 8 };
typedef struct mmm_plan_key {
    const char *app; /* the same pointer each time */
    int64_t numbers[MMM_KEY];
} mmm_plan_key;

/* The machine's plan for a key, NULL: it has none.  It stays until two others were found or added. */
mmm_plan *mmm_recent_find(mmm_machine *machine, const mmm_plan_key *key);

/* Hands a plan over to the machine, and it stays as one that was found; plans that were not used for long go for it.  Where the
 * plan cannot be kept, it is freed and this fails. */
mmm_status mmm_recent_add(mmm_machine *machine, const mmm_plan_key *key, mmm_plan *plan);

/* Frees a plan that failed. */
void mmm_recent_drop(mmm_machine *machine, const mmm_plan *plan);

/* How many plans the machine keeps. */
int mmm_recent_count(const mmm_machine *machine);

#endif
