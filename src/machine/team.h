/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that share the work of a CPU. */
#ifndef MMM_TEAM_H
#define MMM_TEAM_H

#include "base/base.h"

typedef struct mmm_team mmm_team;

/* How many threads a run takes: the processors that this process may use, or fewer where OMP_NUM_THREADS or
 * OMP_THREAD_LIMIT say so; from 1 to 1024. */
int mmm_team_size(void);

/* Wakes the helpers, each of which then calls work(context, i), 0 < i < size, once, perhaps much later: the context must
 * last as long as the team, and tell it that there is nothing to do.  Helpers that could not be made are missed by
 * nobody. */
void mmm_team_call(mmm_team *team, void (*work)(void *context, int number), void *context);

/* How many helpers run just now, be it to wait for work; the team may be NULL. */
int mmm_team_awake(const mmm_team *team);

/* Makes the threads of a team, which is NULL at first; again where they are too few, or in the child of a fork. */
void mmm_team_ready(mmm_team **team, int size);

void mmm_team_free(mmm_team *team);

#endif
