/* SPDX-License-Identifier: Apache-2.0 */
/* For tests that run everything on the abstract machine and on the CPU. */
#ifndef BOTH_H
#define BOTH_H

#include "testing.h"

static mmm_machine *machines[2]; /* abstract, cpu */

static inline int open_machines(void **state)
{
    (void)state;
    return mmm_machine_open("abstract", &machines[0]) != MMM_OK || mmm_machine_open("cpu", &machines[1]) != MMM_OK;
}

static inline int close_machines(void **state)
{
    (void)state;
    mmm_machine_free(machines[0]);
    mmm_machine_free(machines[1]);
    return 0;
}

#endif
