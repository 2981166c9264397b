/* SPDX-License-Identifier: Apache-2.0 */
/* The machines that are there, for tests that run on all of them.  MMM_TEST_MACHINES="cuda:0" restricts them. */
#ifndef MMM_TESTS_MACHINES_H
#define MMM_TESTS_MACHINES_H

#include "testing.h"

enum { MACHINES_MOST = 16 };

static mmm_machine *machines[MACHINES_MOST];
static char names[MACHINES_MOST][32];
static int machine_count;

static inline void add_machine(void *context, const mmm_machine_info *info)
{
    const char *wanted = getenv("MMM_TEST_MACHINES");
    (void)context;
    if ((wanted && !strstr(wanted, info->name)) || machine_count == MACHINES_MOST) return;
    if (!info->works) {
        print_message("skipped: %s (%s)\n", info->name, info->description);
        return;
    }
    assert_ok(mmm_machine_open(info->name, &machines[machine_count]));
    snprintf(names[machine_count++], sizeof names[0], "%s", info->name);
}

static inline int open_machines(void **state)
{
    (void)state;
    mmm_machine_list(add_machine, NULL);
    return machine_count == 0;
}

static inline int close_machines(void **state)
{
    (void)state;
    for (int i = 0; i < machine_count; i++)
        mmm_machine_free(machines[i]);
    return 0;
}

#endif
