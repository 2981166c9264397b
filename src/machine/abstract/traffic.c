/* SPDX-License-Identifier: Apache-2.0 */
/* Traffic: what groups of 32 threads ask of memory.  Threads run one after the other, in order, so that a group is done
 * when the next one begins; until then each access of its threads is put to the request that it is part of: that of the
 * same place in the source, the same array, and the same number of times that the thread has come by in this turn. */
#include "machine/abstract/traffic.h"

#include <stdlib.h>
#include <string.h>

mmm_status mmm_collector_new(mmm_collector **out)
{
    mmm_status status = mmm_alloc(out, 1, sizeof **out);
    if (status != MMM_OK) return status;
    (*out)->source = mmm_source_open();
    (*out)->part = -1;
    (*out)->kernels = 1;
    (*out)->times = 1;
    return MMM_OK;
}

void mmm_collector_free(mmm_collector *x)
{
    if (!x) return;
    for (int i = 0; i < ZONES_GLOBAL; i++)
        free(x->touched[i].by);
    mmm_source_close(x->source);
    free(x->regions);
    free(x->requests);
    free(x->at);
    free(x->places);
    free(x->by_instruction.list);
    free(x->by_time.list);
    free(x->of);
    free(x);
}

void mmm_traffic_must(mmm_counter *c, mmm_status status)
{
    c->failure = status;
    if (status != MMM_OK) longjmp(c->leave, 1);
}

static slot *find_slot(const slots *s, uint64_t key, uint64_t other, uint64_t turn)
{
    uint64_t mask = (uint64_t)s->room - 1, i = (key * 0x9e3779b97f4a7c15u ^ other * 0xc2b2ae3d27d4eb4fu) >> 20 & mask;
    while (s->list[i].turn == turn && (s->list[i].key != key || s->list[i].other != other))
        i = (i + 1) & mask;
    return &s->list[i];
}

/* The slot of a key, new where its turn is another; there is room for one more. */
static mmm_status take_slot(slots *s, uint64_t key, uint64_t other, uint64_t turn, slot **out)
{
    mmm_status result = MMM_OK;
    if (2 * (s->count + 1) > s->room) {
        slots larger = {.room = s->room ? 2 * s->room : 1024, .count = 0};
        TRY(mmm_alloc(&larger.list, larger.room, sizeof *larger.list));
        for (int64_t i = 0; i < s->room; i++)
            if (s->list[i].turn == turn) {
                *find_slot(&larger, s->list[i].key, s->list[i].other, turn) = s->list[i];
                larger.count++;
            }
        free(s->list);
        *s = larger;
    }
    *out = find_slot(s, key, other, turn);
done:
    return result;
}

static mmm_status find_place(mmm_counter *c, int zone, mmm_traffic_kind kind, const void *address, int32_t *out)
{
    mmm_status result = MMM_OK;
    mmm_collector *x = c->traffic;
    slot *s;
    const uint64_t key = (uint64_t)(uintptr_t)address, other = 4 * (uint64_t)zone + kind;
    TRY(take_slot(&x->by_instruction, key, other, 1, &s));
    if (!s->turn) {
        place new = {.zone = zone, .kind = kind};
        int32_t i = 0;
        if (x->source) mmm_source_find(x->source, address, &new.line, &new.column);
        if (!new.line) new.address = address;
        if (x->sink) i = (int32_t)x->place_count; /* an instruction is a place */
        for (; i < x->place_count; i++) {
            const place *p = &x->places[i];
            if (p->line == new.line && p->column == new.column && p->zone == zone && p->kind == kind &&
                p->address == new.address)
                break;
        }
        if (i == x->place_count) {
            TRY(mmm_grow(&x->places, &x->place_room, x->place_count + 1, sizeof *x->places));
            x->places[x->place_count++] = new;
        }
        *s = (slot){key, other, 1, i};
        x->by_instruction.count++;
    }
    *out = s->number;
done:
    return result;
}

/* Room for one more request. */
static mmm_status grow_requests(mmm_collector *x)
{
    mmm_status result = MMM_OK;
    request *requests = NULL;
    int64_t *at = NULL;
    const int64_t room = x->room ? 2 * x->room : 272; /* rows are not a power of two apart: caches */
    if (x->count < x->room) return MMM_OK;
    TRY(mmm_alloc(&requests, room, sizeof *requests));
    TRY(mmm_alloc(&at, room * x->row_room, sizeof *at));
    if (x->count) memcpy(requests, x->requests, (size_t)x->count * sizeof *requests);
    for (int j = 0; j < x->threads && x->count; j++) /* rows of threads that have not run stay untouched memory */
        memcpy(at + j * room, x->at + j * x->room, (size_t)x->count * sizeof *at);
    free(x->requests);
    free(x->at);
    x->requests = requests;
    x->at = at;
    x->room = room;
    requests = NULL;
    at = NULL;
done:
    free(requests);
    free(at);
    return result;
}

static mmm_status add_request(mmm_counter *c, int32_t number, uint32_t time, const void *address)
{
    mmm_status result = MMM_OK;
    mmm_collector *x = c->traffic;
    if (x->count == REQUESTS_MOST)
        FAIL(MMM_TOO_LARGE, "a thread of kernel '%s' makes more than %d accesses of memory in a region",
             c->program->nodes[c->kernel].name, REQUESTS_MOST);
    TRY(grow_requests(x));
    x->requests[x->count++] =
        (request){.address = address, .zone = x->places[number].zone, .place = number, .time = time};
done:
    return result;
}

/* Lists request i by its place and time. */
static mmm_status list_request(mmm_collector *x, int64_t i)
{
    slot *s;
    const request *r = &x->requests[i];
    mmm_status status = take_slot(&x->by_time, (uint64_t)r->place, r->time, x->group_turn, &s);
    if (status != MMM_OK) return status;
    *s = (slot){(uint64_t)r->place, r->time, x->group_turn, (int32_t)i};
    x->by_time.count++;
    return MMM_OK;
}

/* The first thread's requests are all new, and are listed when another comes to them in another order. */
static mmm_status find_request(mmm_counter *c, int32_t number, uint32_t time, const void *address, int64_t *out)
{
    mmm_status result = MMM_OK;
    mmm_collector *x = c->traffic;
    slot *s;
    *out = x->next;
    if (x->next < x->count && x->requests[x->next].place == number && x->requests[x->next].time == time) {
        x->next++;
        return MMM_OK;
    }
    if (x->threads > 1) {
        while (x->listed < x->count)
            TRY(list_request(x, x->listed++));
        TRY(take_slot(&x->by_time, (uint64_t)number, time, x->group_turn, &s));
        *out = s->turn == x->group_turn ? s->number : x->count;
    }
    if (*out == x->count) TRY(add_request(c, number, time, address));
    x->next = *out + 1;
done:
    return result;
}

/* Whether the elements of a request lie as far apart as its threads do, which is then known by its step. */
static void see_whether_even(const mmm_collector *x, int64_t number)
{
    request *r = &x->requests[number];
    const int64_t *at = x->at + number, step = r->threads > 1 ? at[x->room] - at[0] : 0;
    for (int j = 2; j < r->threads; j++)
        if (at[j * x->room] - at[(j - 1) * x->room] != step) return;
    r->even = true;
    r->step = step;
}

/* Room for requests of as many threads as a group of the block has: those of one thread may be many. */
static void fit_rows(mmm_counter *c)
{
    mmm_collector *x = c->traffic;
    const int rows = c->block_threads < GROUP ? (int)c->block_threads : GROUP;
    if (rows <= x->row_room) return;
    free(x->requests);
    free(x->at);
    x->requests = NULL;
    x->at = NULL;
    x->room = x->former = 0;
    x->row_room = rows;
}

/* Whether the turn asks for what comes later and does nothing else: on a GPU there is no such turn. */
static bool is_ahead(const mmm_collector *x)
{
    int64_t done = x->count + x->most;
    for (int i = 0; i <= MMM_OPERATION_KINDS; i++)
        done += x->own_most[i];
    return x->ahead && !done;
}

/* The turn of a group ends. */
static void finish(mmm_counter *c)
{
    mmm_collector *x = c->traffic;
    if (x->part < 0) return;
    if (!x->times || is_ahead(x)) {
        x->listed = x->threads = 0;
        x->by_time.count = 0;
        x->part = -1;
        return;
    }
    mmm_traffic *t = &x->now;
    const mmm_traffic before = *t;
    t->turns++;
    t->threads += x->threads;
    t->partial += x->threads < GROUP;
    t->issued += x->most;
    for (int64_t i = 0; i < x->count; i++) {
        const request *r = &x->requests[i];
        const bool local = c->zones[r->zone].memory == LOCAL_MEMORY;
        if (!r->even && !r->by_bits) see_whether_even(x, i);
        uint32_t at[GROUP];
        int64_t first;
        *(local ? &t->local_requests : &t->requests) += 1;
        if (local) {
            t->passes += mmm_traffic_passes(c, i);
        } else if (r->even) {
            t->sectors += mmm_traffic_units(c, i, SECTOR_BITS, &first);
            t->lines += mmm_traffic_units(c, i, SECTOR_BITS + SECTORS_OF_LINE_BITS, &first);
        } else {
            mmm_traffic_asked(c, i, at);
            t->sectors += mmm_traffic_different(at, r->threads, 0);
            t->lines += mmm_traffic_different(at, r->threads, SECTORS_OF_LINE_BITS);
        }
    }
    if (x->sink) mmm_work_turn(c, &before);
    x->former = x->count;
    x->count = x->listed = x->threads = 0;
    x->most = 0;
    x->part = -1;
    x->by_time.count = 0;
}

void mmm_traffic_turn(mmm_counter *c, int64_t round)
{
    mmm_collector *x = c->traffic;
    if (x->skips) return;
    int32_t group = c->thread / GROUP;
    if (x->part != c->parts || x->group != group || x->round != round) {
        finish(c);
        fit_rows(c);
        x->part = c->parts;
        x->group = group;
        x->round = round;
        x->ahead = false;
        x->group_turn++;
        if (x->sink) x->times = mmm_work_times(c->parts - x->parts_before) * mmm_work_times(round);
    }
    if (!x->times) return;
    x->turn++;
    x->threads++;
    x->next = 0;
    x->follows = x->count > 0 || x->former > 0;
    x->start = c->now->operations;
    if (x->sink) memset(x->own, 0, sizeof x->own);
    if (x->sparse) mmm_sparse_turn(c);
}

void mmm_traffic_leave(mmm_counter *c)
{
    mmm_collector *x = c->traffic;
    if (x->skips || !x->times) return;
    if (x->sparse) mmm_sparse_leave(c);
    int64_t operations = c->threads[c->thread].total.operations - x->start;
    if (operations > x->most) x->most = operations;
    if (!x->sink) return;
    for (int i = 0; i <= MMM_OPERATION_KINDS; i++)
        if (x->own[i] > x->own_most[i]) x->own_most[i] = x->own[i];
}

/* Threads, and groups, that do what is done between regions. */
static int64_t doing(const mmm_counter *c)
{
    if (c->thread >= 0) return 1;
    return c->between == &c->alone && c->block_threads > GROUP ? GROUP : c->block_threads;
}

int64_t mmm_traffic_groups(const mmm_counter *c)
{
    return (doing(c) + GROUP - 1) / GROUP;
}

void mmm_traffic_operations(mmm_counter *c, int64_t operations, int kind)
{
    mmm_traffic *t = &c->traffic->now;
    if (c->traffic->skips || (c->thread >= 0 && !c->traffic->times)) return;
    t->operations[kind] += operations * doing(c);
    if (c->thread < 0) t->issued += operations * mmm_traffic_groups(c);
    (c->thread < 0 ? c->traffic->between.operations : c->traffic->own)[kind] += operations;
}

void mmm_traffic_reduction(mmm_counter *c)
{
    if (c->traffic->skips || (c->thread >= 0 && !c->traffic->times)) return;
    c->traffic->now.reductions += doing(c);
    (c->thread < 0 ? c->traffic->between.operations : c->traffic->own)[MMM_OPERATION_KINDS]++;
}

static mmm_status touch_sector(mmm_collector *x, const mmm_zone *zone, int number, uint32_t sector)
{
    mmm_status result = MMM_OK;
    touched *t = &x->touched[number];
    int64_t sectors = (zone->count << zone->shift >> SECTOR_BITS) + 1;
    if (!t->by) TRY(mmm_alloc(&t->by, sectors, sizeof *t->by));
    if (!t->by[sector]) x->all.footprint += 1 << SECTOR_BITS;
    if (t->by[sector] != x->kernels) x->kernel.footprint += 1 << SECTOR_BITS;
    t->by[sector] = x->kernels;
done:
    return result;
}

/* How often the thread has come by each place, where it came to the requests in their order so far: a place's follow
 * each other. */
static void leave_order(mmm_collector *x)
{
    x->follows = false;
    for (int64_t i = 0; i < x->next; i++) {
        place *p = &x->places[x->requests[i].place];
        p->turn = x->turn;
        p->times = x->requests[i].time + 1;
    }
}

static __attribute__((noinline)) void out_of_order(mmm_counter *c, int zone, int64_t at, mmm_traffic_kind kind,
                                                   const void *address)
{
    mmm_collector *x = c->traffic;
    int32_t number = 0;
    int64_t i = 0;
    if (x->follows) leave_order(x);
    mmm_traffic_must(c, find_place(c, zone, kind, address, &number));
    place *p = &x->places[number];
    if (p->turn != x->turn) {
        p->turn = x->turn;
        p->times = 0;
    }
    mmm_traffic_must(c, find_request(c, number, p->times++, address, &i));
    x->at[x->requests[i].threads++ * x->room + i] = at;
}

/* What is done between regions has one element for all. */
static __attribute__((noinline)) void between(mmm_counter *c, bool local, mmm_traffic_kind kind)
{
    mmm_collector *x = c->traffic;
    *(local ? &x->between.local : kind == TRAFFIC_WRITE ? &x->between.writes : &x->between.reads) += 1;
    int64_t groups = mmm_traffic_groups(c);
    *(local ? &x->now.local_requests : &x->now.requests) += groups;
    *(local ? &x->now.passes : &x->now.sectors) += groups;
    if (!local) x->now.lines += groups;
}

void mmm_traffic_access(mmm_counter *c, const mmm_zone *zone, int64_t index, mmm_traffic_kind kind, const void *address)
{
    mmm_collector *x = c->traffic;
    if (x->skips || (c->thread >= 0 && !x->times)) return;
    x->taken++;
    const int number = (int)(zone - c->zones);
    const bool local = zone->memory == LOCAL_MEMORY;
    if (!local && !x->sink)
        mmm_traffic_must(c, touch_sector(x, zone, number, (uint32_t)(index << zone->shift >> SECTOR_BITS)));
    if (c->thread < 0) {
        between(c, local, kind);
        return;
    }
    request *r = x->follows && x->next < (x->threads > 1 ? x->count : x->former) ? &x->requests[x->next] : NULL;
    if (!r || r->address != address || r->zone != number) {
        out_of_order(c, number, index, kind, address);
        return;
    }
    if (x->threads == 1) {
        r->threads = 0;
        r->even = r->by_bits = false;
        x->count++;
    }
    x->at[r->threads++ * x->room + x->next++] = index;
}

void mmm_traffic_region(mmm_counter *c, bool of_groups)
{
    mmm_collector *x = c->traffic;
    const char *kernel = c->program->nodes[c->kernel].name;
    finish(c);
    if (x->sink) {
        mmm_work_tell(c, of_groups);
        memset(&x->now, 0, sizeof x->now);
        return;
    }
    int64_t i = 0;
    while (i < x->region_count && (x->regions[i].line != c->line || strcmp(x->regions[i].kernel, kernel) != 0))
        i++;
    if (i == x->region_count) {
        mmm_traffic_must(c, mmm_grow(&x->regions, &x->region_room, i + 1, sizeof *x->regions));
        x->regions[x->region_count++] = (mmm_region_traffic){.kernel = kernel, .line = c->line};
    }
    mmm_traffic_add(&x->regions[i].traffic, &x->now);
    mmm_traffic_add(&x->kernel, &x->now);
    memset(&x->now, 0, sizeof x->now);
}

void mmm_traffic_block(mmm_counter *c, const mmm_tally *most)
{
    mmm_collector *x = c->traffic;
    finish(c);
    if (x->sink) {
        mmm_work_tell(c, true);
        memset(&x->now, 0, sizeof x->now);
        x->kept_count = 0;
        x->blocks++;
        return;
    }
    x->now.words_most = most->reads + most->writes;
    x->now.local_most = most->local;
    x->now.private_words = c->private_bytes / 4;
    mmm_traffic_add(&x->kernel, &x->now); /* with what came after the last region, which belongs to none */
    memset(&x->now, 0, sizeof x->now);
}

mmm_status mmm_traffic_kernel(mmm_counter *c)
{
    mmm_collector *x = c->traffic;
    mmm_status status = mmm_program_set_traffic(c->program, c->kernel, &x->kernel);
    int64_t footprint = x->all.footprint;
    mmm_traffic_add(&x->all, &x->kernel);
    x->all.footprint = footprint; /* of all kernels together */
    memset(&x->kernel, 0, sizeof x->kernel);
    x->kernels++;
    return status;
}

void mmm_traffic_take(mmm_collector *x, mmm_traffic *sum, mmm_region_traffic **regions, int64_t *count)
{
    *sum = x->all;
    *regions = x->regions;
    *count = x->region_count;
    x->regions = NULL;
}
