/* SPDX-License-Identifier: Apache-2.0 */
/* FLINT, Arb and GMP without aborts: work of theirs that is refused memory is left by a jump.
 *
 * Such a jump leaves their objects half built and their caches (FLINT's store of mpz, Arb's constants) in any state,
 * but both are the thread's own: the work has a thread to itself, which ends with it.  The thread's stack is as large
 * as the algebra may need, whatever the caller's is. */
#include "base/ledger.h"

#include <flint/fmpz.h>
#include <gmp.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { STACK = 16 << 20 };

typedef struct guard {
    mmm_ledger ledger; /* first, so that it leads to the rest */
    jmp_buf leave;
    size_t wanted; /* bytes that were refused */
    mmm_failure *failure;
    mmm_status (*work)(void *context);
    void *context;
    mmm_status result;
} guard;

/* The functions that were there before.  They serve whoever uses FLINT or GMP outside of guarded calls. */
static struct {
    void *(*allocate)(size_t);
    void *(*callocate)(size_t, size_t);
    void *(*reallocate)(void *, size_t);
    void (*release)(void *);
} flint;
static struct {
    void *(*allocate)(size_t);
    void *(*reallocate)(void *, size_t, size_t);
    void (*release)(void *, size_t);
} gmp;

/* The limbs of all numbers that a bare call makes; nobody reads or writes them. */
static mp_limb_t nothing[2];

static void leave(mmm_ledger *ledger, size_t wanted)
{
    guard *g = (guard *)ledger;
    g->wanted = wanted;
    longjmp(g->leave, 1);
}

static void *flint_new(size_t size)
{
    return mmm_ledger_own() ? mmm_ledger_malloc(size) : flint.allocate(size);
}

static void *flint_new_zeroed(size_t count, size_t size)
{
    return mmm_ledger_own() ? mmm_ledger_calloc(count, size) : flint.callocate(count, size);
}

static void *flint_resize(void *old, size_t size)
{
    if (!mmm_ledger_own()) return flint.reallocate(old, size);
    mmm_ledger_realloc(&old, size);
    return old;
}

static void flint_release(void *old)
{
    if (mmm_ledger_own())
        mmm_ledger_free(old);
    else
        flint.release(old);
}

static void *gmp_new(size_t size)
{
    const mmm_ledger *ledger = mmm_ledger_own();
    if (!ledger) return gmp.allocate(size);
    return ledger->bare && size <= sizeof nothing ? nothing : mmm_ledger_malloc(size);
}

static void *gmp_resize(void *old, size_t old_size, size_t size)
{
    if (!mmm_ledger_own()) return gmp.reallocate(old, old_size, size);
    if (old == nothing) return mmm_ledger_malloc(size);
    mmm_ledger_realloc(&old, size);
    return old;
}

static void gmp_release(void *old, size_t size)
{
    if (old == nothing) return;
    if (mmm_ledger_own())
        mmm_ledger_free(old);
    else
        gmp.release(old, size);
}

/* Once for the process, and for good.  No block goes from one side of a guard to the other: objects and caches of the
 * work end with its thread. */
static void install(void)
{
    __flint_get_memory_functions(&flint.allocate, &flint.callocate, &flint.reallocate, &flint.release);
    __flint_set_memory_functions(flint_new, flint_new_zeroed, flint_resize, flint_release);
    mp_get_memory_functions(&gmp.allocate, &gmp.reallocate, &gmp.release);
    mp_set_memory_functions(gmp_new, gmp_resize, gmp_release);
}

static void *run(void *context)
{
    guard *g = context;
    if (g->failure) mmm_failure_borrow(g->failure);
    if (!mmm_ledger_open(&g->ledger)) {
        g->result = mmm_fail(MMM_MEMORY, "no memory for a thread");
    } else if (setjmp(g->leave) == 0) {
        g->result = g->work(g->context);
        flint_cleanup();
        mmm_ledger_close();
        mmm_ledger_keep(&g->ledger);
    } else {
        mmm_ledger_close();
        mmm_ledger_drop(&g->ledger);
        g->result = mmm_fail(MMM_MEMORY, "no memory for %zu bytes", g->wanted);
    }
    if (g->failure) mmm_failure_borrow(NULL);
    return NULL;
}

static mmm_status call(mmm_status (*work)(void *context), void *context, bool bare)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    guard g = {.ledger = {.lack = leave, .bare = bare}, .work = work, .context = context};
    pthread_t thread;
    pthread_attr_t attributes;
    sigset_t all, before;
    int cancel;
    if (mmm_ledger_own()) return work(context);
    pthread_once(&once, install);
    g.failure = mmm_failure_own();
    int error = pthread_attr_init(&attributes);
    if (error) return mmm_fail(MMM_MEMORY, "no memory for a thread: %s", strerror(error));
    pthread_attr_setstacksize(&attributes, STACK);
    /* Signals stay with the threads of the program, and its thread cannot be cancelled while `g` is in use. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    error = pthread_create(&thread, &attributes, run, &g);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!error) error = pthread_join(thread, NULL);
    pthread_setcancelstate(cancel, NULL);
    pthread_attr_destroy(&attributes);
    return error ? mmm_fail(MMM_MEMORY, "no memory for a thread: %s", strerror(error)) : g.result;
}

mmm_status mmm_guarded(mmm_status (*work)(void *context), void *context)
{
    return call(work, context, false);
}

typedef struct places {
    long *numbers;
    unsigned long *const *limbs;
    int64_t count;
} places;

static mmm_status promote(void *context)
{
    const places *z = context;
    for (int64_t i = 0; i < z->count; i++)
        if (z->limbs[i]) _fmpz_promote(z->numbers + i);
    return MMM_OK;
}

/* FLINT makes numbers by thousands, each with two limbs of its own: an allocation each, and most of them are released
 * when the thread ends.  So here they are made without any. */
mmm_status mmm_large_numbers(long *numbers, unsigned long *const *limbs, const int *sizes, int64_t count)
{
    places z = {numbers, limbs, count};
    MMM_TRY(call(promote, &z, true));
    for (int64_t i = 0; i < count; i++) {
        if (!limbs[i]) continue;
        mpz_ptr to = COEFF_TO_PTR(numbers[i]);
        if (to->_mp_d != nothing) mmm_free(to->_mp_d);
        *to = (__mpz_struct){._mp_alloc = abs(sizes[i]), ._mp_size = sizes[i], ._mp_d = limbs[i]};
    }
    return MMM_OK;
}
