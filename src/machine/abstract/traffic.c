/* SPDX-License-Identifier: Apache-2.0 */
/* Traffic: what groups of 32 threads ask of memory.  Threads run one after the other, in order, so that a group is done
 * when the next one begins; until then each access of its threads is put to the request that it is part of: that of the
 * same place in the source, the same array, and the same number of times that the thread has come by in this turn. */
#include "machine/abstract/count.h"

#include <stdlib.h>
#include <string.h>

enum { SECTOR_BITS = 5, SECTORS_OF_LINE_BITS = 2, BANKS = 32, WORD_BITS = 2, WORDS_MOST = 4 * GROUP };
enum { REQUESTS_MOST = 1 << 20 }; /* of a turn: 150 MB */

/* A line and column of the source with the array that it accesses there.  Compilers make several instructions of one,
 * which must not part a request. */
typedef struct place {
    int line, column, zone;
    mmm_traffic_kind kind;
    const void *address; /* where nothing is known of the source */
    uint64_t turn;       /* of the thread that came by last, */
    uint32_t times;      /* so many times */
} place;

typedef struct request {
    int32_t place;
    uint32_t time;
    int32_t threads;
    uint32_t at[GROUP]; /* sectors of a global array, elements of a local one */
} request;

/* From an instruction and an array to a place; from a place and a time to a request. */
typedef struct slot {
    uint64_t key, other;
    uint64_t turn; /* of the group: older ones are empty */
    int32_t number;
} slot;

typedef struct slots {
    slot *list;
    int64_t room, count; /* a power of two */
} slots;

/* When a sector was touched last: by the kernel of this number. */
typedef struct touched {
    uint32_t *by;
    int64_t sectors;
} touched;

/* A region is seldom alone: of those of a line in a block the first few are looked at, then every so many-th, which
 * stands for the others until the next. */
enum { KEPT_MOST = 24, KEPT_FIRST = 3, KEPT_EACH = 16 };
typedef struct kept {
    int line;
    bool alone;
    int64_t seen;
    mmm_region_work work;
} kept;

/* Nor are the turns of a loop in a region different: after the first ones, every so many-th counts for as many, a
 * number that loops over a few parts seldom have. */
enum { TURNS_FIRST = 14, TURNS_EACH = 7 };

/* Sectors that a block had lately: a cache as small as its share of an SM's. */
enum { LATELY = 1024, BILLION = 1000000000 };

struct mmm_collector {
    mmm_traffic now, kernel, all; /* since the last end of a region; of the kernel; of all */
    mmm_region_traffic *regions;
    int64_t region_count, region_room;

    int64_t part, round; /* of the group's turn */
    int32_t group, threads;
    int64_t most, start;       /* operations: the most of a thread; those that the running one had before */
    uint64_t group_turn, turn; /* numbers */
    request *requests;
    int64_t count, room, next; /* next: the request that the thread is expected to come to */
    place *places;
    int64_t place_count, place_room;
    slots by_instruction, by_time;
    struct Dwfl *source;

    touched touched[ZONES_GLOBAL];
    uint32_t kernels; /* so far */

    /* where somebody hears of the work of groups, region by region */
    mmm_work_sink *sink;
    void *context;
    int64_t own[MMM_OPERATION_KINDS + 1], own_most[MMM_OPERATION_KINDS + 1]; /* of the thread that runs; of the turn */
    mmm_group_work *of, between, first; /* by group; of what is between regions; of the first group alone */
    int64_t of_room, of_count;
    kept kept[KEPT_MOST], *like; /* like: that of the region; NULL: none */
    int kept_count;
    bool skips;           /* the region is not looked at */
    int64_t parts_before; /* the region */
    int64_t times;        /* that the turn counts; 0: it is not looked at */
    int64_t taken;        /* accesses of the block that were looked at */
    uint64_t lately[LATELY], blocks;
};

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

mmm_status mmm_collector_hear(mmm_work_sink *sink, void *context, mmm_collector **out)
{
    mmm_status status = mmm_alloc(out, 1, sizeof **out);
    if (status != MMM_OK) return status;
    (*out)->part = -1;
    (*out)->kernels = 1;
    (*out)->blocks = 1;
    (*out)->sink = sink;
    (*out)->context = context;
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
    free(x->places);
    free(x->by_instruction.list);
    free(x->by_time.list);
    free(x->of);
    free(x);
}

/* What fails ends the block. */
static void must(mmm_counter *c, mmm_status status)
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

static mmm_status find_request(mmm_counter *c, int32_t number, uint32_t time, request **out)
{
    mmm_status result = MMM_OK;
    mmm_collector *x = c->traffic;
    slot *s;
    if (x->next < x->count && x->requests[x->next].place == number && x->requests[x->next].time == time) {
        *out = &x->requests[x->next++];
        return MMM_OK;
    }
    TRY(take_slot(&x->by_time, (uint64_t)number, time, x->group_turn, &s));
    if (s->turn != x->group_turn) {
        if (x->count == REQUESTS_MOST)
            FAIL(MMM_TOO_LARGE, "a thread of kernel '%s' makes more than %d accesses of memory in a region",
                 c->program->nodes[c->kernel].name, REQUESTS_MOST);
        TRY(mmm_grow(&x->requests, &x->room, x->count + 1, sizeof *x->requests));
        x->requests[x->count] = (request){.place = number, .time = time};
        *s = (slot){(uint64_t)number, time, x->group_turn, (int32_t)x->count++};
        x->by_time.count++;
    }
    *out = &x->requests[s->number];
    x->next = s->number + 1;
done:
    return result;
}

static int64_t different(const uint32_t *at, int count, int bits)
{
    uint32_t seen[GROUP];
    int n = 0;
    for (int i = 0; i < count; i++) {
        uint32_t one = at[i] >> bits;
        int j = n;
        while (j > 0 && seen[j - 1] != one)
            j--;
        if (!j) seen[n++] = one;
    }
    return n;
}

/* Different words of one bank follow each other; the same word serves all who read or write it, but not atomics. */
static int64_t passes_of(const request *r, int shift, bool atomic)
{
    int first[BANKS], next[WORDS_MOST], length[BANKS] = {0}, n = 0, most = 0;
    uint32_t word[WORDS_MOST];
    memset(first, -1, sizeof first);
    for (int i = 0; i < r->threads; i++)
        for (uint32_t w = 0; w < (shift > WORD_BITS ? 1u << (shift - WORD_BITS) : 1); w++) {
            uint32_t one = (uint32_t)((uint64_t)r->at[i] << shift >> WORD_BITS) + w, bank = one % BANKS;
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

static void add_work(mmm_group_work *sum, const mmm_group_work *term, int64_t times)
{
    sum->turns += times * term->turns;
    for (int i = 0; i <= MMM_OPERATION_KINDS; i++)
        sum->operations[i] += times * term->operations[i];
    sum->reads += times * term->reads;
    sum->writes += times * term->writes;
    sum->sectors += times * term->sectors;
    sum->lines += times * term->lines;
    sum->moved += times * term->moved;
    sum->serial += times * term->serial;
    sum->local += times * term->local;
    sum->passes += times * term->passes;
}

/* Whether a sector was not there lately, and is now. */
static bool is_moved(mmm_collector *x, int zone, uint32_t sector)
{
    const uint64_t tag = x->blocks << 38 | (uint64_t)zone << 32 | sector;
    uint64_t *had = &x->lately[(sector + (uint32_t)zone * 397) % LATELY];
    if (*had == tag) return false;
    *had = tag;
    return true;
}

/* A request of global memory: sectors that are moved; those of atomics wait for each other where all have the same, as
 * if they were spread over their array. */
static void add_request(mmm_counter *c, const request *r, const place *p, mmm_group_work *turn)
{
    mmm_collector *x = c->traffic;
    const mmm_zone *zone = &c->zones[p->zone];
    *(p->kind == TRAFFIC_WRITE ? &turn->writes : &turn->reads) += 1;
    if (p->kind == TRAFFIC_ATOMIC) {
        const int64_t sectors = different(r->at, r->threads, 0), all = zone->count << zone->shift >> SECTOR_BITS;
        turn->moved += sectors;
        turn->serial += sectors * BILLION / (all > 0 ? all : 1);
        return;
    }
    for (int i = 0; i < r->threads; i++)
        turn->moved += is_moved(x, p->zone, r->at[i]);
}

/* What the turn of a group adds to its work in the region; `before` is the traffic without it. */
static void add_turn(mmm_counter *c, const mmm_traffic *before)
{
    mmm_collector *x = c->traffic;
    const mmm_traffic *t = &x->now;
    mmm_group_work turn = {.turns = 1,
                           .sectors = t->sectors - before->sectors,
                           .lines = t->lines - before->lines,
                           .local = t->local_requests - before->local_requests,
                           .passes = t->passes - before->passes};
    for (int64_t i = 0; i < x->count; i++) {
        const place *p = &x->places[x->requests[i].place];
        if (c->zones[p->zone].memory != LOCAL_MEMORY) add_request(c, &x->requests[i], p, &turn);
    }
    memcpy(turn.operations, x->own_most, sizeof turn.operations);
    memset(x->own_most, 0, sizeof x->own_most);
    must(c, mmm_grow(&x->of, &x->of_room, x->group + 1, sizeof *x->of));
    if (x->of_count <= x->group) {
        memset(x->of + x->of_count, 0, (size_t)(x->group + 1 - x->of_count) * sizeof *x->of);
        x->of_count = x->group + 1;
    }
    add_work(&x->of[x->group], &turn, x->times);
}

/* The turn of a group ends. */
static void finish(mmm_counter *c)
{
    mmm_collector *x = c->traffic;
    if (x->part < 0) return;
    if (!x->times) {
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
        const place *p = &x->places[r->place];
        const mmm_zone *zone = &c->zones[p->zone];
        if (zone->memory == LOCAL_MEMORY) {
            t->local_requests++;
            t->passes += passes_of(r, zone->shift, p->kind == TRAFFIC_ATOMIC);
        } else {
            t->requests++;
            t->sectors += different(r->at, r->threads, 0);
            t->lines += different(r->at, r->threads, SECTORS_OF_LINE_BITS);
        }
    }
    if (x->sink) add_turn(c, &before);
    x->count = x->threads = 0;
    x->most = 0;
    x->part = -1;
    x->by_time.count = 0;
}

/* How many turns one with this number stands for. */
static int64_t times_of(int64_t number)
{
    if (number < TURNS_FIRST) return 1;
    return (number - TURNS_FIRST) % TURNS_EACH == TURNS_EACH / 2 ? TURNS_EACH : 0;
}

void mmm_traffic_begin(mmm_counter *c)
{
    mmm_collector *x = c->traffic;
    const bool alone = c->between == &c->alone;
    int i = 0;
    if (!x->sink) return;
    x->parts_before = c->parts;
    while (i < x->kept_count && (x->kept[i].line != c->line || x->kept[i].alone != alone))
        i++;
    if (i == x->kept_count && i < KEPT_MOST) x->kept[x->kept_count++] = (kept){.line = c->line, .alone = alone};
    x->like = i < KEPT_MOST ? &x->kept[i] : NULL;
    x->skips = x->like && ++x->like->seen > KEPT_FIRST && x->like->seen % KEPT_EACH;
}

void mmm_traffic_turn(mmm_counter *c, int64_t round)
{
    mmm_collector *x = c->traffic;
    if (x->skips) return;
    int32_t group = c->thread / GROUP;
    if (x->part != c->parts || x->group != group || x->round != round) {
        finish(c);
        x->part = c->parts;
        x->group = group;
        x->round = round;
        x->group_turn++;
        if (x->sink) x->times = times_of(c->parts - x->parts_before) * times_of(round);
    }
    if (!x->times) return;
    x->turn++;
    x->threads++;
    x->next = 0;
    x->start = c->now->operations;
    if (x->sink) memset(x->own, 0, sizeof x->own);
}

void mmm_traffic_leave(mmm_counter *c)
{
    mmm_collector *x = c->traffic;
    if (x->skips || !x->times) return;
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

static int64_t groups_doing(const mmm_counter *c)
{
    return (doing(c) + GROUP - 1) / GROUP;
}

void mmm_traffic_operations(mmm_counter *c, int64_t operations, int kind)
{
    mmm_traffic *t = &c->traffic->now;
    if (c->traffic->skips || (c->thread >= 0 && !c->traffic->times)) return;
    t->operations[kind] += operations * doing(c);
    if (c->thread < 0) t->issued += operations * groups_doing(c);
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

void mmm_traffic_access(mmm_counter *c, const mmm_zone *zone, int64_t index, mmm_traffic_kind kind, const void *address)
{
    mmm_collector *x = c->traffic;
    if (x->skips || (c->thread >= 0 && !x->times)) return;
    x->taken++;
    int number = (int)(zone - c->zones);
    bool local = zone->memory == LOCAL_MEMORY;
    uint32_t at = (uint32_t)(local ? index : index << zone->shift >> SECTOR_BITS);
    if (!local && !x->sink) must(c, touch_sector(x, zone, number, at));
    if (c->thread < 0) { /* one element for all */
        *(local ? &x->between.local : kind == TRAFFIC_WRITE ? &x->between.writes : &x->between.reads) += 1;
        int64_t groups = groups_doing(c);
        *(local ? &x->now.local_requests : &x->now.requests) += groups;
        *(local ? &x->now.passes : &x->now.sectors) += groups;
        if (!local) x->now.lines += groups;
        return;
    }
    int32_t place_number = 0;
    request *r = NULL;
    must(c, find_place(c, number, kind, address, &place_number));
    place *p = &x->places[place_number];
    if (p->turn != x->turn) {
        p->turn = x->turn;
        p->times = 0;
    }
    must(c, find_request(c, place_number, p->times++, &r));
    r->at[r->threads++] = at;
}

int64_t mmm_traffic_taken(mmm_counter *c)
{
    const int64_t taken = c->traffic->taken;
    c->traffic->taken = 0;
    return taken;
}

/* How much a group does, to find the one that does most. */
static int64_t weight(const mmm_group_work *w)
{
    int64_t sum = w->turns + 4 * (w->reads + w->writes + w->local);
    for (int i = 0; i <= MMM_OPERATION_KINDS; i++)
        sum += w->operations[i];
    return sum;
}

/* The work of the region that ends, or, where the first group is alone, what it adds to the next. */
static void tell_work(mmm_counter *c, bool of_groups)
{
    mmm_collector *x = c->traffic;
    mmm_region_work work = {.threads = c->block_threads, .private_words = c->private_bytes / 4, .of_groups = of_groups};
    const mmm_group_work *most = NULL;
    if (x->skips) {
        work = x->like->work;
        goto done;
    }
    x->between.sectors = x->between.lines = x->between.reads + x->between.writes;
    x->between.passes = x->between.local;
    for (int64_t i = 0; i < x->of_count; i++) {
        if (!x->of[i].turns) continue;
        work.groups++;
        add_work(&work.all, &x->of[i], 1);
        if (!most || weight(&x->of[i]) > weight(most)) most = &x->of[i];
    }
    if (most) work.most = *most;
    add_work(&work.most, &x->between, 1);
    add_work(&work.all, &x->between, groups_doing(c));
    if (x->like) x->like->work = work;
done:
    x->skips = false;
    x->like = NULL;
    memset(&x->between, 0, sizeof x->between);
    x->of_count = 0;
    if (c->between == &c->alone) {
        work.most.turns = 1; /* regions */
        add_work(&x->first, &work.most, 1);
        return;
    }
    work.first = x->first;
    memset(&x->first, 0, sizeof x->first);
    x->sink(x->context, &work);
}

void mmm_traffic_region(mmm_counter *c, bool of_groups)
{
    mmm_collector *x = c->traffic;
    const char *kernel = c->program->nodes[c->kernel].name;
    finish(c);
    if (x->sink) {
        tell_work(c, of_groups);
        memset(&x->now, 0, sizeof x->now);
        return;
    }
    int64_t i = 0;
    while (i < x->region_count && (x->regions[i].line != c->line || strcmp(x->regions[i].kernel, kernel) != 0))
        i++;
    if (i == x->region_count) {
        must(c, mmm_grow(&x->regions, &x->region_room, i + 1, sizeof *x->regions));
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
        tell_work(c, true);
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
