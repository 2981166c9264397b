/* SPDX-License-Identifier: Apache-2.0 */
/* Progress of long work on standard error, when that is a terminal. */
#include "cli.h"

#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;
static double next_time;
static bool shown;

static void interrupt(int signal_number)
{
    (void)signal_number;
    interrupted = 1;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int show_progress(void *context, double done)
{
    static bool watching;
    if (!watching) { /* from here on an interrupt ends the work in good order */
        signal(SIGINT, interrupt);
        watching = true;
        next_time = now() + 1;
    }
    if (isatty(2) && now() > next_time) {
        fprintf(stderr, "\r%s: %.0f %%", (const char *)context, 100 * done);
        next_time = now() + 0.2;
        shown = true;
    }
    return interrupted;
}

void end_progress(void)
{
    if (shown) fputs("\r\033[K", stderr);
    shown = false;
}
