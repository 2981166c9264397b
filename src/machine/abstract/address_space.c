/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of the abstract machine: a zone of addresses for each array. */
#include "machine/abstract/count.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* 64 GiB a zone: any int index of 8-byte elements, negative ones too, stays in its own. */
enum { BITS_USUAL = 36, BITS_LEAST = 20, VALUE_BYTES = 8 };

/* Bytes of the largest array there will be; LOCAL and PRIVATE ones are as large as launches say. */
static uint64_t largest_array(const mmm_program *program)
{
    uint64_t most = 0;
    for (int64_t i = 0; i < program->array_count; i++) {
        uint64_t bytes = mmm_global_bytes(program, &program->arrays[i]);
        if (bytes > most) most = bytes;
    }
    for (int64_t k = 0; k < program->kernels; k++) {
        uint64_t local = (uint64_t)program->nodes[k].local_words * VALUE_BYTES;
        uint64_t private = (uint64_t)program->nodes[k].threads * MMM_PRIVATE_MOST * VALUE_BYTES;
        if (local > most) most = local;
        if (private > most) most = private;
    }
    return most;
}

/* The largest zones that there are addresses for: half of what the process may have, where that is limited, for it
 * needs memory besides.  Half a zone holds the largest array, so that what is wrong by no more than the length of that
 * is always found. */
mmm_status mmm_counter_reserve(mmm_counter *c)
{
    uint64_t least = 2 * largest_array(c->program), most = mmm_addresses_left() / 2;
    if (least > (uint64_t)1 << BITS_USUAL) least = (uint64_t)1 << BITS_USUAL; /* what is larger is refused by name */
    c->zones_global = (int)c->program->array_count;
    int zones = c->zones_global + MMM_LOCAL_ARRAYS_MOST + MMM_PRIVATE_ARRAYS_MOST;
    errno = ENOMEM;
    for (c->zone_bits = BITS_USUAL; c->zone_bits >= BITS_LEAST; c->zone_bits--) {
        if ((uint64_t)1 << c->zone_bits < least) break;
        c->reserved = (uintptr_t)zones << c->zone_bits;
        if (c->reserved > most) continue;
        void *memory = mmap(NULL, c->reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory != MAP_FAILED) {
            c->base = (uintptr_t)memory;
            c->zone_half = (int64_t)1 << (c->zone_bits - 1);
            return MMM_OK;
        }
    }
    c->reserved = 0;
    return mmm_fail(
        MMM_MEMORY,
        "no addresses for the abstract machine: %d arrays of up to %.1f MB, and as much again on both sides of "
        "each, are needed (%s)",
        zones, (double)least / 2e6, strerror(errno));
}

void *mmm_counter_address(const mmm_counter *c, int zone)
{
    return (void *)(c->base + ((uintptr_t)zone << c->zone_bits) + (uintptr_t)c->zone_half);
}

mmm_status mmm_counter_fit(const mmm_counter *c)
{
    uint64_t bytes = 0, available;
    for (int64_t i = 0; i < c->program->array_count; i++) {
        const mmm_global *array = &c->program->arrays[i];
        bytes += (uint64_t)(array->count * c->program->batch) *
                 ((uint64_t)array->size + (c->sampling ? 0 : sizeof(mmm_cell)));
    }
    if (mmm_memory_has(bytes, &available)) return MMM_OK;
    return mmm_fail(MMM_TOO_LARGE, "counting takes %.1f GB of memory for the arrays, %.1f GB are available",
                    (double)bytes / 1e9, (double)available / 1e9);
}

mmm_status mmm_counter_fill(mmm_counter *c, int number, mmm_memory memory, const char *name, int size, int64_t count)
{
    mmm_status result = MMM_OK;
    mmm_zone *zone = &c->zones[number];
    int shift = __builtin_ctz((unsigned)size);
    if (size != 1 << shift || size > 16)
        FAIL(MMM_INVALID, "elements of '%s' have %d bytes: 1, 2, 4, 8 or 16", name, size);
    if (count < 0 || count > c->zone_half >> shift)
        FAIL(MMM_TOO_LARGE, "array '%s' of %lld elements: the abstract machine holds %lld", name, (long long)count,
             (long long)(c->zone_half >> shift));
    if (count << shift > zone->bytes) {
        if (mprotect(mmm_counter_address(c, number), (size_t)count << shift, PROT_READ | PROT_WRITE) != 0)
            FAIL(MMM_MEMORY, "no memory for array '%s': %s", name, strerror(errno));
        zone->bytes = count << shift;
    }
    if (count > zone->room && !c->sampling) {
        mmm_cell *cells = NULL;
        TRY(mmm_alloc(&cells, count, sizeof *cells));
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
    for (int i = 0; i < ZONES; i++) {
        free(c->zones[i].cells);
        free(c->zones[i].touched);
    }
    memset(c->zones, 0, sizeof c->zones);
    if (c->reserved) munmap((void *)c->base, c->reserved);
    c->reserved = 0;
}
