/* SPDX-License-Identifier: Apache-2.0 */
/* Progress of long work on standard error, when that is a terminal; and what an interrupt does to it.
 *
 * Work that reports progress is asked to stop, which it does in good order; where that takes too long, where the user
 * insists, or where nothing reports, the command ends at once. */
#include "cli.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE = 100000 }; /* microseconds that work has to stop */

static volatile sig_atomic_t interrupted, watching, shown;
static double next_time;
static char last_words[64];

/* Only what a signal handler may do. */
static void end_now(int signal_number)
{
    (void)signal_number;
    ssize_t ignored = shown ? write(2, "\r\033[K", 4) : 0;
    ignored += write(2, last_words, strlen(last_words));
    (void)ignored;
    _exit(EXIT_INTERRUPTED);
}

static void interrupt(int signal_number)
{
    if (interrupted || !watching) end_now(signal_number);
    interrupted = 1;
    setitimer(ITIMER_REAL, &(struct itimerval){.it_value = {.tv_usec = PATIENCE}}, NULL);
}

void watch_interrupts(const char *verb_name)
{
    struct sigaction action = {.sa_handler = interrupt, .sa_flags = SA_RESTART}, before;
    snprintf(last_words, sizeof last_words, "mmm %s: interrupted\n", verb_name);
    if (sigaction(SIGINT, NULL, &before) == 0 && before.sa_handler == SIG_IGN) return; /* as who called wants it */
    sigaction(SIGINT, &action, NULL);
    action.sa_handler = end_now;
    sigaction(SIGALRM, &action, NULL);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int show_progress(void *context, double done)
{
    if (!watching) {
        watching = 1;
        next_time = now() + 1;
    }
    if (isatty(2) && now() > next_time) {
        shown = 1;
        fprintf(stderr, "\r%s: %.0f %%", (const char *)context, 100 * done);
        next_time = now() + 0.2;
    }
    return interrupted;
}

/* Work that was asked to stop has done so in time. */
void end_progress(void)
{
    watching = 0;
    setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
    if (shown) fputs("\r\033[K", stderr);
    shown = 0;
}
