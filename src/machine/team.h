/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that share the work of a CPU. */
#ifndef MMM_TEAM_H
#define MMM_TEAM_H

#include "base/base.h"

typedef struct mmm_team mmm_team;

/* How many threads a run takes: the processors that this process may use, or fewer where OMP_NUM_THREADS or
 * OMP_THREAD_LIMIT say so; from 1 to 1024. */
int mmm_team_size(void);

/* Calls work(context, 0) in this thread, and work(context, i), i < size, in others that join while it runs; those that
 * come too late do nothing, those that could not be made are missed by nobody.  Returns when all have left.  *team is
 * NULL at first; its threads are made when they are needed, again in the child of a fork. */
void mmm_team_run(mmm_team **team, int size, void (*work)(void *context, int number), void *context);

/* Makes the threads, so that the next run finds them. */
void mmm_team_ready(mmm_team **team, int size);

void mmm_team_free(mmm_team *team);

#endif
