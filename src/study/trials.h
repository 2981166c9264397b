/* SPDX-License-Identifier: Apache-2.0 */
/* The values to try of each choice of a job. */
#ifndef MMM_STUDY_TRIALS_H
#define MMM_STUDY_TRIALS_H

#include "study/study.h"

enum { MMM_VALUES_MOST = 64 };
/* The values of a choice that its record tries, added to *count others; false where they are none, or too many. */
bool mmm_trials_read(const mmm_parameter *p, int64_t *values, int *count);

typedef struct mmm_trials {
    int choices, numbers[MMM_CHOICES_MOST]; /* of parameters */
    int64_t values[MMM_CHOICES_MOST][MMM_VALUES_MOST];
    int counts[MMM_CHOICES_MOST];
    int64_t usual[MMM_CHOICES_MOST]; /* where to begin */
    bool measured;                   /* these were found on such machines, they are not the record's alone */
    bool free[MMM_CHOICES_MOST];     /* not set from outside */
} mmm_trials;

/* Those of the job's record; with the usual values of all parameters among them, where these are not NULL.  The trials
 * are 0 at first. */
mmm_status mmm_trials_of(const mmm_job *job, const int64_t *usual, mmm_trials *out);

#endif
