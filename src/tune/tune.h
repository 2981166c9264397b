/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the tuner share. */
#ifndef MMM_TUNE_H
#define MMM_TUNE_H

#include "apps/apps.h"

/* What the blocks of each kernel cost: kernel k's are groups first[k] .. first[k + 1] - 1. */
typedef struct mmm_profiles {
    int64_t kernels;
    int64_t *first;
    mmm_profile *groups;
    int64_t group_count, group_room;
    bool exact; /* every block was counted */
} mmm_profiles;

/* Counts all blocks where that takes at most `budget` accesses, else some blocks of some kernels, which stand for the
 * others.  The job is prepared if it is not. */
enum { MMM_PROFILE_BUDGET = 3000000 };
mmm_status mmm_profile_job(mmm_job *job, const mmm_parameters *machine, int64_t budget, mmm_profiles *out);
void mmm_profiles_free(mmm_profiles *profiles);

/* The rates of the application on the machine: fitted ones where there are some, else the machine's own constants. */
mmm_rates mmm_rates_of(const mmm_parameters *machine, const char *app);

#endif
