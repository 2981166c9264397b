/* SPDX-License-Identifier: Apache-2.0 */
/* A team of threads that tolerates the loss of any but the caller's own. */
#include "machine/team.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#if defined(__x86_64__)
#define CPU_PAUSE() __builtin_ia32_pause()
#else
#define CPU_PAUSE() ((void)0)
#endif

enum { TEAM_MOST = 1024, STACK = 2 << 20, SPINS = 1 << 13 };

typedef struct helper {
    mmm_team *team;
    pthread_t thread;
    int number;
    _Atomic int core; /* on which it went to sleep; -1: it has not yet */
} helper;

struct mmm_team {
    pid_t process; /* whose threads these are: the child of a fork has none of them */
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    _Atomic uint64_t round; /* grows when there is something new: work, or the end */
    _Atomic int awake;      /* helpers that do not sleep */
    _Atomic bool ended;
    void (*work)(void *context, int number);
    void *context;
    int size, made; /* threads wanted, the caller's included, and helpers that there are */
    helper helpers[];
};

/* The first number of a list such as "8,4"; 0 where there is none. */
static int variable(const char *name)
{
    const char *text = getenv(name);
    char *end;
    if (!text) return 0;
    long value = strtol(text, &end, 10);
    return end == text || value < 1 ? 0 : value > TEAM_MOST ? TEAM_MOST : (int)value;
}

int mmm_team_size(void)
{
    cpu_set_t set;
    long size = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : sysconf(_SC_NPROCESSORS_ONLN);
    int wanted = variable("OMP_NUM_THREADS"), limit = variable("OMP_THREAD_LIMIT");
    if (wanted && wanted < size) size = wanted;
    if (limit && limit < size) size = limit;
    return size < 1 ? 1 : size > TEAM_MOST ? TEAM_MOST : (int)size;
}

/* A helper that sleeps where its caller runs would wait there until the system moves it, for milliseconds: it is moved
 * first, and may be anywhere again then. */
static void move_apart(const mmm_team *team)
{
    cpu_set_t all, others;
    const int core = sched_getcpu();
    for (int i = 0; i < team->made && core >= 0 && core < CPU_SETSIZE; i++) {
        const helper *h = &team->helpers[i];
        const int last = atomic_load_explicit(&h->core, memory_order_relaxed);
        if ((last >= 0 && last != core) || pthread_getaffinity_np(h->thread, sizeof all, &all) != 0) continue;
        others = all;
        CPU_CLR((size_t)core, &others);
        if (CPU_COUNT(&others) == 0 || pthread_setaffinity_np(h->thread, sizeof others, &others) != 0) continue;
        pthread_setaffinity_np(h->thread, sizeof all, &all);
    }
}

/* Waits until the round is another than `seen`: busily at first, as the next run often comes soon. */
static uint64_t next_round(helper *own, uint64_t seen)
{
    mmm_team *team = own->team;
    uint64_t round;
    for (int i = 0; i < SPINS; i++) {
        round = atomic_load_explicit(&team->round, memory_order_acquire);
        if (round != seen) return round;
        CPU_PAUSE();
    }
    atomic_store_explicit(&own->core, sched_getcpu(), memory_order_relaxed);
    atomic_fetch_sub(&team->awake, 1);
    pthread_mutex_lock(&team->mutex);
    while ((round = atomic_load(&team->round)) == seen)
        pthread_cond_wait(&team->wake, &team->mutex);
    pthread_mutex_unlock(&team->mutex);
    atomic_fetch_add(&team->awake, 1);
    return round;
}

static void *help(void *context)
{
    helper *own = context;
    mmm_team *team = own->team;
    uint64_t seen = 0;
    atomic_fetch_add(&team->awake, 1);
    for (;;) {
        seen = next_round(own, seen);
        if (team->ended) return NULL;
        pthread_mutex_lock(&team->mutex);
        void (*work)(void *, int) = team->work;
        void *of = team->context;
        pthread_mutex_unlock(&team->mutex);
        work(of, own->number);
    }
}

static mmm_team *make(int size)
{
    mmm_team *team = calloc(1, sizeof *team + (size_t)(size - 1) * sizeof *team->helpers);
    pthread_attr_t attributes;
    sigset_t all, before;
    if (!team) return NULL;
    team->process = getpid();
    team->size = size;
    pthread_mutex_init(&team->mutex, NULL);
    pthread_cond_init(&team->wake, NULL);
    if (pthread_attr_init(&attributes) != 0) return team;
    pthread_attr_setstacksize(&attributes, STACK);
    sigfillset(&all); /* signals are the program's */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (; team->made < size - 1; team->made++) {
        helper *h = &team->helpers[team->made];
        *h = (helper){.team = team, .number = team->made + 1, .core = -1};
        if (pthread_create(&h->thread, &attributes, help, h) != 0) break;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return team;
}

void mmm_team_ready(mmm_team **out, int size)
{
    mmm_team *team = *out;
    if (team && (team->process != getpid() || team->size != size)) {
        mmm_team_free(team);
        team = NULL;
    }
    if (!team && size > 1) team = make(size);
    *out = team;
}

/* Helpers that are awake see the new round by themselves; one that is about to sleep has said so before it looks at the
 * round again, under the lock, so that either it sees the new one or this sees that it sleeps. */
void mmm_team_call(mmm_team *team, void (*work)(void *context, int number), void *context)
{
    if (!team || !team->made) return;
    if (team->work != work || team->context != context) {
        pthread_mutex_lock(&team->mutex);
        team->work = work;
        team->context = context;
        pthread_mutex_unlock(&team->mutex);
    }
    atomic_fetch_add(&team->round, 1);
    if (atomic_load(&team->awake) >= team->made) return;
    move_apart(team);
    pthread_mutex_lock(&team->mutex);
    pthread_cond_broadcast(&team->wake);
    pthread_mutex_unlock(&team->mutex);
}

int mmm_team_awake(const mmm_team *team)
{
    return team ? atomic_load(&team->awake) : 0;
}

void mmm_team_free(mmm_team *team)
{
    if (!team) return;
    if (team->process == getpid()) {
        team->ended = true;
        mmm_team_call(team, team->work, team->context);
        for (int i = 0; i < team->made; i++)
            pthread_join(team->helpers[i].thread, NULL);
        pthread_cond_destroy(&team->wake);
        pthread_mutex_destroy(&team->mutex);
    }
    free(team);
}
