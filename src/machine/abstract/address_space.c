/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of the abstract machine: a zone of addresses for each array. */
#include "machine/abstract/count.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* 64 GiB a zone: any int index of 8-byte elements, negative ones too, stays in its own.  Where so many addresses are
 * not to be had, smaller zones still catch what people get wrong. */
mmm_status mmm_counter_reserve(mmm_counter *c)
{
    for (c->zone_bits = 36; c->zone_bits >= 30; c->zone_bits--) {
        c->reserved = (uintptr_t)ZONES << c->zone_bits;
        void *memory = mmap(NULL, c->reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory != MAP_FAILED) {
            c->base = (uintptr_t)memory;
            c->zone_half = (int64_t)1 << (c->zone_bits - 1);
            return MMM_OK;
        }
    }
    c->reserved = 0;
    return mmm_fail(MMM_MEMORY, "cannot reserve addresses for the abstract machine: %s", strerror(errno));
}

void *mmm_counter_address(const mmm_counter *c, int zone)
{
    return (void *)(c->base + ((uintptr_t)zone << c->zone_bits) + (uintptr_t)c->zone_half);
}

mmm_status mmm_counter_fill(mmm_counter *c, int number, mmm_memory memory, const char *name, int size, int64_t count)
{
    mmm_status result = MMM_OK;
    mmm_zone *zone = &c->zones[number];
    int shift = __builtin_ctz((unsigned)size);
    int64_t most = c->zone_half >> 4;
    if (count < 0 || count > most)
        FAIL(MMM_TOO_LARGE, "array '%s' of %lld elements: the abstract machine holds %lld", name, (long long)count,
             (long long)most);
    if (size != 1 << shift || size > 16)
        FAIL(MMM_INVALID, "elements of '%s' have %d bytes: 1, 2, 4, 8 or 16", name, size);
    if (count > zone->room) {
        size_t bytes = (size_t)count * sizeof(mmm_cell) + (size_t)count * 16;
        if (!c->sampling && bytes > mmm_memory_available())
            FAIL(MMM_TOO_LARGE, "counting array '%s' of %lld elements takes %.1f GB of memory, %.1f GB are available",
                 name, (long long)count, (double)bytes / 1e9, (double)mmm_memory_available() / 1e9);
        if (mprotect(mmm_counter_address(c, number), (size_t)count * 16, PROT_READ | PROT_WRITE) != 0)
            FAIL(MMM_MEMORY, "no memory for array '%s': %s", name, strerror(errno));
        mmm_cell *cells = NULL;
        if (memory != PRIVATE_MEMORY && !c->sampling) TRY(mmm_alloc(&cells, count, sizeof *cells));
        free(zone->cells);
        zone->cells = cells;
        zone->room = count;
    }
    zone->memory = memory;
    zone->name = name;
    zone->shift = shift;
    zone->count = count;
done:
    return result;
}

void mmm_counter_release(mmm_counter *c)
{
    for (int i = 0; i < ZONES; i++)
        free(c->zones[i].cells);
    memset(c->zones, 0, sizeof c->zones);
    if (c->reserved) munmap((void *)c->base, c->reserved);
    c->reserved = 0;
}
