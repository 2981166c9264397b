/* SPDX-License-Identifier: Apache-2.0 */
/* The blocks of memory that a guarded call holds. */
#include "base/ledger.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool has_key;

static void make_key(void)
{
    has_key = pthread_key_create(&key, NULL) == 0;
}

mmm_ledger *mmm_ledger_own(void)
{
    pthread_once(&once, make_key);
    return has_key ? pthread_getspecific(key) : NULL;
}

bool mmm_ledger_open(mmm_ledger *ledger)
{
    pthread_once(&once, make_key);
    return has_key && pthread_setspecific(key, ledger) == 0;
}

void mmm_ledger_close(void)
{
    pthread_setspecific(key, NULL);
}

static size_t place_of(const mmm_ledger *l, uintptr_t block)
{
    return (size_t)((block >> 4) * 0x9e3779b97f4a7c15u >> 20) & (l->room - 1);
}

static void add(mmm_ledger *l, void *block)
{
    size_t i = place_of(l, (uintptr_t)block);
    while (l->slots[i])
        i = (i + 1) & (l->room - 1);
    l->slots[i] = block;
    l->used++;
}

static void remove_block(mmm_ledger *l, uintptr_t block)
{
    if (!l->room) return;
    size_t mask = l->room - 1, hole = place_of(l, block);
    while ((uintptr_t)l->slots[hole] != block) {
        if (!l->slots[hole]) return;
        hole = (hole + 1) & mask;
    }
    /* What was pushed past the hole comes back, so that it is found again. */
    for (size_t i = (hole + 1) & mask; l->slots[i]; i = (i + 1) & mask)
        if (((i - place_of(l, (uintptr_t)l->slots[i])) & mask) >= ((i - hole) & mask)) {
            l->slots[hole] = l->slots[i];
            hole = i;
        }
    l->slots[hole] = NULL;
    l->used--;
}

/* Makes room for one more block, before there is one. */
static bool has_room(mmm_ledger *l)
{
    if (!l || 2 * (l->used + 1) <= l->room) return true;
    mmm_ledger more = *l;
    more.used = 0;
    more.room = l->room ? 2 * l->room : 256;
    more.slots = calloc(more.room, sizeof *more.slots);
    if (!more.slots) return false;
    for (size_t i = 0; i < l->room; i++)
        if (l->slots[i]) add(&more, l->slots[i]);
    free(l->slots);
    *l = more;
    return true;
}

void *mmm_ledger_malloc(size_t bytes)
{
    mmm_ledger *l = mmm_ledger_own();
    void *(*allocate)(size_t) = l && l->allocate ? l->allocate : malloc;
    void *block = has_room(l) ? allocate(bytes ? bytes : 1) : NULL;
    if (l && !block) l->lack(l, bytes);
    if (l) add(l, block);
    return block;
}

void *mmm_ledger_calloc(size_t count, size_t size)
{
    mmm_ledger *l = mmm_ledger_own();
    void *block = has_room(l) ? calloc(count ? count : 1, size ? size : 1) : NULL;
    if (l && !block) l->lack(l, count * size);
    if (l) add(l, block);
    return block;
}

void *mmm_ledger_aligned(size_t alignment, size_t bytes)
{
    mmm_ledger *l = mmm_ledger_own();
    void *block = NULL;
    if (has_room(l) && posix_memalign(&block, alignment, bytes) != 0) block = NULL;
    if (l && !block) l->lack(l, bytes);
    if (l) add(l, block);
    return block;
}

bool mmm_ledger_realloc(void *pointer_to_pointer, size_t bytes)
{
    mmm_ledger *l = mmm_ledger_own();
    void *block;
    memcpy(&block, pointer_to_pointer, sizeof block);
    const uintptr_t old = (uintptr_t)block;
    block = has_room(l) ? realloc(block, bytes ? bytes : 1) : NULL;
    if (l && !block) l->lack(l, bytes);
    if (!block) return false;
    if (l && old) remove_block(l, old);
    if (l) add(l, block);
    memcpy(pointer_to_pointer, &block, sizeof block);
    return true;
}

void mmm_ledger_free(void *block)
{
    mmm_ledger *l = mmm_ledger_own();
    if (l && block) remove_block(l, (uintptr_t)block);
    (l && l->release ? l->release : free)(block);
}

void mmm_ledger_drop(mmm_ledger *l)
{
    for (size_t i = 0; i < l->room; i++)
        if (l->slots[i]) (l->release ? l->release : free)(l->slots[i]);
    mmm_ledger_keep(l);
}

void mmm_ledger_keep(mmm_ledger *l)
{
    free(l->slots);
    l->slots = NULL;
    l->used = l->room = 0;
}
