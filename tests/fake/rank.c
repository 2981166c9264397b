/* SPDX-License-Identifier: Apache-2.0 */
/* A rank of an engine that dies, or whose tasks fail, by LD_PRELOAD.
 *   RANK_DIES=R:K    rank R is killed when it has taken K residues
 *   RANK_FAILS=R:K   K times (0: always) a worker of rank R (-1: of any rank) gets no memory, once it has looked for a
 * prime
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size), *__libc_calloc(size_t count, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static int rank, dies_rank = -2, dies_after, fails_rank = -2, fails_often;
static _Atomic int calls, failed;
static _Thread_local int hungry;

__attribute__((constructor)) static void begin(void)
{
    const char *own = getenv("OMPI_COMM_WORLD_RANK"), *dies = getenv("RANK_DIES"), *fails = getenv("RANK_FAILS");
    rank = own ? atoi(own) : 0;
    if (dies) sscanf(dies, "%d:%d", &dies_rank, &dies_after);
    if (fails) sscanf(fails, "%d:%d", &fails_rank, &fails_often);
}

unsigned long __gmpn_mod_1(const unsigned long *x, long size, unsigned long p);
unsigned long __gmpn_mod_1(const unsigned long *x, long size, unsigned long p)
{
    static unsigned long (*next)(const unsigned long *, long, unsigned long);
    if (!next) *(void **)&next = dlsym(RTLD_NEXT, "__gmpn_mod_1");
    if (rank == dies_rank && ++calls > dies_after) raise(SIGKILL);
    return next(x, size, p);
}

int n_is_prime(unsigned long n);
int n_is_prime(unsigned long n)
{
    static int (*next)(unsigned long);
    if (!next) *(void **)&next = dlsym(RTLD_NEXT, "n_is_prime");
    if ((rank == fails_rank || fails_rank == -1) && gettid() != getpid()) hungry = 1;
    return next(n);
}

static int is_short(size_t size)
{
    if (!hungry || size < (fails_often ? 64 : 2048)) return 0;
    if (fails_often) hungry = 0;
    if (fails_often && failed++ >= fails_often) return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t size)
{
    return is_short(size) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return is_short(count * size) ? NULL : __libc_calloc(count, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
    void *found = is_short(size) ? NULL : __libc_memalign(alignment, size);
    if (found) *memory = found;
    return found ? 0 : ENOMEM;
}
