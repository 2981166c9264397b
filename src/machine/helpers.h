/* SPDX-License-Identifier: Apache-2.0 */
/* Who helps the caller of a run on a CPU: when others are asked, how many, and when they are left out. */
#ifndef MMM_HELPERS_H
#define MMM_HELPERS_H

#include "machine/machine.h"
#include "machine/team.h"

#include <stdatomic.h>

typedef struct mmm_helpers {
    mmm_team *team;
    int load;             /* a file that tells how many threads of the system run, -1: there is none */
    int online;           /* cores of the system */
    int64_t most;         /* blocks that the caller takes at once while it is alone */
    double start, seen;   /* the times when the run began, and when the clock, which is not free, was looked at last */
    double end;           /* when the last one ended */
    double ask_at;        /* when to look for idle cores */
    double idle_until;    /* cores for all helpers, as they were seen, are taken to be idle until then */
    double shun_until;    /* no helper is asked before */
    double shun, shunned; /* for how long, after one was late; the same when the run began */
    char apart[64];       /* what follows helpers look at again and again, and hardly anybody writes it */
    _Atomic int open;     /* helpers that may take blocks */
    int threads;          /* that a run may have */
} mmm_helpers;

void mmm_helpers_open(mmm_helpers *x);
void mmm_helpers_close(mmm_helpers *x);

/* A run of a program begins, with so many threads at most, and ends: how long it took. */
void mmm_helpers_begin(mmm_helpers *x, int threads, mmm_program *program);
double mmm_helpers_end(mmm_helpers *x, mmm_program *program);

/* Lets helpers call work(context, number), 0 < number < threads, where that pays by now and cores are idle. */
void mmm_helpers_ask(mmm_helpers *x, void (*work)(void *context, int number), void *context);

/* Blocks that the caller takes at once: few while it is alone, as it may ask for help after them.  Then it says that it
 * has done them. */
int64_t mmm_helpers_most(const mmm_helpers *x);
void mmm_helpers_done(mmm_helpers *x);

/* The caller has waited since `since` for blocks of others, in a step that began at `began`: who is late with them gets
 * no others, and nobody is asked for a while. */
void mmm_helpers_late(mmm_helpers *x, double began, double since);

/* Whether a helper may take blocks. */
static inline bool mmm_helpers_may(mmm_helpers *x, int number)
{
    return number <= atomic_load_explicit(&x->open, memory_order_acquire);
}

#endif
