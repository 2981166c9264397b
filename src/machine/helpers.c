/* SPDX-License-Identifier: Apache-2.0 */
/* Others are asked when a run has lasted long enough for that to pay and cores are idle, not for a while after one was
 * late, and not for programs that are quicker without them. */
#include "machine/helpers.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* In seconds: a run that is worth a helper; after which a run no longer follows the one before it; waiting for one that
 * is late; between two looks at a busy system, and at an idle one, as a look takes 2 us; no help after one was late, at
 * first and at most. */
static const double worth = 40e-6, soon = 100e-6, late = 100e-6, busy = 250e-6, idle_for = 250e-6, shun_first = 5e-3,
                    shun_most = 1;

void mmm_helpers_open(mmm_helpers *x)
{
    x->online = (int)sysconf(_SC_NPROCESSORS_ONLN);
    x->load = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
}

void mmm_helpers_close(mmm_helpers *x)
{
    mmm_team_free(x->team);
    if (x->load >= 0) close(x->load);
}

/* Cores on which nothing runs, as far as the system tells. */
static int idle_cores(const mmm_helpers *x)
{
    char text[128];
    int running = 0;
    ssize_t size = x->load >= 0 ? pread(x->load, text, sizeof text - 1, 0) : -1;
    if (size <= 0) return x->threads;
    text[size] = 0;
    if (sscanf(text, "%*s %*s %*s %d/", &running) != 1) return x->threads;
    return x->online - (running - mmm_team_awake(x->team));
}

void mmm_helpers_ask(mmm_helpers *x, void (*work)(void *context, int number), void *context)
{
    if (x->threads == 1 || x->open || x->seen < x->ask_at) return;
    int idle = x->seen < x->idle_until ? x->threads - 1 : idle_cores(x);
    if (idle < 1) {
        x->shun_until = x->ask_at = x->seen + busy;
        return;
    }
    if (x->seen >= x->idle_until && idle >= x->threads - 1) x->idle_until = x->seen + idle_for;
    mmm_team_ready(&x->team, x->threads);
    x->open = idle < x->threads - 1 ? idle : x->threads - 1;
    mmm_team_call(x->team, work, context);
}

int64_t mmm_helpers_most(const mmm_helpers *x)
{
    return x->threads == 1 || x->open ? INT64_MAX : x->most;
}

void mmm_helpers_done(mmm_helpers *x)
{
    if (x->threads == 1 || x->open) return;
    const double now = mmm_now();
    if (now - x->seen < worth / 4 && x->most < UINT32_MAX) x->most *= 4;
    x->seen = now;
}

/* One has lost its core if what it took last lasts longer than the step did until then, as blocks may be long, or than
 * a millisecond. */
void mmm_helpers_late(mmm_helpers *x, double began, double since)
{
    const double now = mmm_now(), step = since - began;
    if (now - since < late + (step < 1e-3 ? step : 1e-3) || !x->open) return;
    x->open = 0;
    x->idle_until = 0;
    x->shun = x->shun > 0 ? 2 * x->shun : shun_first;
    if (x->shun > shun_most) x->shun = shun_most;
    x->shun_until = x->ask_at = now + x->shun;
}

/* Whether a run is worth its helpers: cores that share no cache may take longer together than one of them, for what is
 * short.  So a few of TURNS runs are done alone, the first ones to bring words back to where they are needed then, and
 * where three with helpers took longer than the last of them, some others are, too, twice as many each time. */
enum { TURNS = 256, FIRST = 8, LAST = 10, WORSE = 3, PAUSE_FIRST = 8, PAUSE_MOST = 256 };

static bool is_shared(mmm_program *program)
{
    const int64_t turn = program->runs++ % TURNS;
    if (program->took > 10e-3) return true;
    if (turn >= FIRST && turn <= LAST) return false;
    return program->worse < WORSE || program->left_out-- <= 0;
}

/* A run with helpers has ended. */
static void compare(mmm_program *program, double took)
{
    if (!(program->alone > 0 && took > program->alone)) {
        program->worse = program->pause = 0;
        return;
    }
    if (++program->worse < WORSE) return;
    program->worse = WORSE;
    program->pause = program->pause ? 2 * program->pause : PAUSE_FIRST;
    if (program->pause > PAUSE_MOST) program->pause = PAUSE_MOST;
    program->left_out = program->pause;
}

void mmm_helpers_begin(mmm_helpers *x, int threads, mmm_program *program)
{
    const double start = mmm_now();
    const bool awake = mmm_team_awake(x->team) > 0 || start - x->end < soon;
    if (threads != x->threads) { /* a helper may look at it */
        x->threads = threads;
        x->idle_until = 0;
    }
    x->most = 1;
    x->shunned = x->shun;
    x->start = x->seen = start;
    const double lasts = program->alone > program->took ? program->alone : program->took; /* by one thread */
    x->ask_at = lasts > (awake ? worth / 2 : 3 * worth) ? x->start : x->start + worth;
    if (x->ask_at < x->shun_until) x->ask_at = x->shun_until;
    if (!is_shared(program)) x->ask_at = x->start + 1e9;
}

double mmm_helpers_end(mmm_helpers *x, mmm_program *program)
{
    const double took = (x->end = mmm_now()) - x->start;
    if (x->open && x->shun == x->shunned) x->shun = 0;
    if (!x->open)
        program->alone = took;
    else
        compare(program, took);
    x->open = 0;
    return program->took = took;
}
