/* SPDX-License-Identifier: Apache-2.0 */
/* What a request of a group asks of memory: sectors and lines of global memory, passes of the banks of local memory. */
#include "machine/abstract/traffic.h"

#include <stdlib.h>
#include <string.h>

/* The elements that the threads of a request ask for, a power of two, by what each bit of their numbers adds. */
static void elements_by_bits(const mmm_collector *x, int64_t number, int64_t element[GROUP])
{
    element[0] = x->at[number];
    for (int bit = 0; 1 << bit < x->requests[number].threads; bit++) {
        const int64_t more = x->at[mmm_sparse_row(bit) * x->room + number] - element[0];
        for (int j = 0; j < 1 << bit; j++)
            element[(1 << bit) + j] = element[j] + more;
    }
}

void mmm_traffic_asked(const mmm_counter *c, int64_t number, uint32_t at[GROUP])
{
    const mmm_collector *x = c->traffic;
    const request *r = &x->requests[number];
    const mmm_zone *zone = &c->zones[r->zone];
    const bool local = zone->memory == LOCAL_MEMORY;
    const int shift = local ? 0 : zone->shift, back = local ? 0 : SECTOR_BITS;
    int64_t element[GROUP];
    if (r->by_bits)
        elements_by_bits(x, number, element);
    else
        for (int j = 0; j < r->threads; j++)
            element[j] = r->even ? x->at[number] + j * r->step : x->at[j * x->room + number];
    for (int j = 0; j < r->threads; j++)
        at[j] = (uint32_t)(element[j] << shift >> back);
}

int64_t mmm_traffic_units(const mmm_counter *c, int64_t number, int bits, int64_t *first)
{
    const mmm_collector *x = c->traffic;
    const request *r = &x->requests[number];
    const int shift = c->zones[r->zone].shift;
    const int64_t from = x->at[number], last = from + (r->threads - 1) * r->step,
                  low = (from < last ? from : last) << shift >> bits, high = (from < last ? last : from) << shift >> bits;
    const bool follow = llabs(r->step) << shift <= 1 << bits;
    *first = follow ? low : -1;
    return follow ? high - low + 1 : r->threads;
}

/* Bank passes of evenly lying elements, of one word or two. */
static int64_t even_passes(const request *r, int shift)
{
    const int64_t words = llabs(r->step) << (shift - WORD_BITS), banks = words & -words;
    return !words ? 1 : (r->threads * (banks < BANKS ? banks : BANKS) + BANKS - 1) / BANKS;
}

int64_t mmm_traffic_different(const uint32_t *at, int count, int bits)
{
    uint32_t seen[GROUP];
    int n = 0, ordered = 1;
    while (ordered < count && at[ordered] >= at[ordered - 1])
        ordered++;
    if (ordered >= count) { /* as most are */
        for (int i = 0; i < count; i++)
            n += !i || at[i] >> bits != at[i - 1] >> bits;
        return n;
    }
    for (int i = 0; i < count; i++) {
        uint32_t one = at[i] >> bits;
        int j = n;
        while (j > 0 && seen[j - 1] != one)
            j--;
        if (!j) seen[n++] = one;
    }
    return n;
}

/* Whether no bank has two words of elements of one word. */
static bool is_one_pass(const uint32_t *at, int threads)
{
    uint32_t word[BANKS], banks = 0;
    for (int i = 0; i < threads; i++) {
        const uint32_t bank = at[i] % BANKS, bit = (uint32_t)1 << bank;
        if (banks & bit && word[bank] != at[i]) return false;
        banks |= bit;
        word[bank] = at[i];
    }
    return true;
}

/* Different words of one bank follow each other; the same word serves all who read or write it, but not atomics. */
static int64_t passes_of(const uint32_t *at, int threads, int shift, bool atomic)
{
    int first[BANKS], next[WORDS_MOST], length[BANKS] = {0}, n = 0, most = 0;
    uint32_t word[WORDS_MOST];
    if (shift == WORD_BITS && !atomic && is_one_pass(at, threads)) return 1;
    memset(first, -1, sizeof first);
    for (int i = 0; i < threads; i++)
        for (uint32_t w = 0; w < (shift > WORD_BITS ? 1u << (shift - WORD_BITS) : 1); w++) {
            uint32_t one = (uint32_t)((uint64_t)at[i] << shift >> WORD_BITS) + w, bank = one % BANKS;
            int j = first[bank];
            while (j >= 0 && (atomic || word[j] != one))
                j = next[j];
            if (j >= 0) continue;
            word[n] = one;
            next[n] = first[bank];
            first[bank] = n++;
            if (++length[bank] > most) most = length[bank];
        }
    return most;
}

/* Whether a request lies as the last one did that was looked at, mostly of the same loop: passes stay the same where
 * all elements, of words, are moved. */
static bool lies_as_last(mmm_collector *x, int64_t number, int shift)
{
    const request *r = &x->requests[number];
    bank_passes now = {.passes = x->last.passes, .threads = r->threads, .shift = shift};
    for (int bit = 0; 1 << bit < r->threads; bit++)
        now.more[bit] = x->at[mmm_sparse_row(bit) * x->room + number] - x->at[number];
    const bool same = memcmp(&now, &x->last, sizeof now) == 0;
    x->last = now;
    return same;
}

int64_t mmm_traffic_passes(const mmm_counter *c, int64_t number)
{
    mmm_collector *x = c->traffic;
    const request *r = &x->requests[number];
    const int shift = c->zones[r->zone].shift;
    const bool atomic = x->places[r->place].kind == TRAFFIC_ATOMIC;
    const bool by_bits = r->by_bits && !atomic && shift >= WORD_BITS;
    uint32_t at[GROUP];
    if (r->even && !atomic && (shift == WORD_BITS || shift == WORD_BITS + 1)) return even_passes(r, shift);
    if (by_bits && lies_as_last(x, number, shift)) return x->last.passes;
    mmm_traffic_asked(c, number, at);
    const int64_t passes = passes_of(at, r->threads, shift, atomic);
    if (by_bits) x->last.passes = passes;
    return passes;
}
