/* SPDX-License-Identifier: Apache-2.0 */
/* What the examples of the reference share. */
#include <mmm.h>

#undef NDEBUG
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { P = 101 }; /* a small prime */

/* Ends the program where something failed. */
static void must(mmm_status status)
{
    if (status == MMM_OK) return;
    fprintf(stderr, "%s: %s\n", mmm_status_name(status), mmm_message());
    exit(1);
}
