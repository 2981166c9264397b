/* SPDX-License-Identifier: Apache-2.0 */
/* The blocks of memory that a guarded call holds, so that they can be released when it is left in the middle. */
#ifndef MMM_LEDGER_H
#define MMM_LEDGER_H

#include "base/base.h"

/* A set of addresses: a hash table with linear probing, at most half full. */
typedef struct mmm_ledger {
    void **slots;
    size_t used, room;                                     /* room: 0 or a power of 2 */
    void *(*allocate)(size_t bytes);                       /* NULL: malloc */
    void (*release)(void *block);                          /* NULL: free */
    void (*lack)(struct mmm_ledger *ledger, size_t bytes); /* what to do without memory; does not return */
    bool bare;                                             /* what GMP allocates for a number at first is nothing */
} mmm_ledger;

/* This thread's, NULL outside of guarded calls. */
mmm_ledger *mmm_ledger_own(void);
bool mmm_ledger_open(mmm_ledger *ledger); /* false where the system has no place for it */
void mmm_ledger_close(void);

/* As malloc, calloc, realloc and free; where this thread has a ledger they are written down, and never fail. */
void *mmm_ledger_malloc(size_t bytes);
void *mmm_ledger_calloc(size_t count, size_t size);
void *mmm_ledger_aligned(size_t alignment, size_t bytes); /* a power of 2; what it holds is not known */
bool mmm_ledger_realloc(void *pointer_to_pointer, size_t bytes); /* false: no memory, and all is as before */
void mmm_ledger_free(void *block);

/* Releases every block, or keeps what is left: it is the result. */
void mmm_ledger_drop(mmm_ledger *ledger);
void mmm_ledger_keep(mmm_ledger *ledger);

#endif
