/* SPDX-License-Identifier: Apache-2.0 */
/* The work of groups of 32 threads, region by region, as predictions hear of it: of regions and turns that are alike
 * some are looked at, which stand for the others. */
#include "machine/abstract/traffic.h"

#include <string.h>

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
static void add_request(mmm_counter *c, int64_t number, const place *p, mmm_group_work *turn)
{
    mmm_collector *x = c->traffic;
    const request *r = &x->requests[number];
    uint32_t at[GROUP];
    int64_t first = -1, units = r->even ? mmm_traffic_units(c, number, SECTOR_BITS, &first) : 0;
    const mmm_zone *zone = &c->zones[p->zone];
    *(p->kind == TRAFFIC_WRITE ? &turn->writes : &turn->reads) += 1;
    if (first >= 0 && p->kind != TRAFFIC_ATOMIC) {
        for (int64_t i = 0; i < units; i++)
            turn->moved += is_moved(x, p->zone, (uint32_t)(first + i));
        return;
    }
    mmm_traffic_asked(c, number, at);
    if (p->kind == TRAFFIC_ATOMIC) {
        const int64_t sectors = mmm_traffic_different(at, r->threads, 0),
                      all = zone->count << zone->shift >> SECTOR_BITS;
        turn->moved += sectors;
        turn->serial += sectors * BILLION / (all > 0 ? all : 1);
        return;
    }
    for (int i = 0; i < r->threads; i++)
        turn->moved += is_moved(x, p->zone, at[i]);
}

void mmm_work_turn(mmm_counter *c, const mmm_traffic *before)
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
        if (c->zones[p->zone].memory != LOCAL_MEMORY) add_request(c, i, p, &turn);
    }
    memcpy(turn.operations, x->own_most, sizeof turn.operations);
    memset(x->own_most, 0, sizeof x->own_most);
    mmm_traffic_must(c, mmm_grow(&x->of, &x->of_room, x->group + 1, sizeof *x->of));
    if (x->of_count <= x->group) {
        memset(x->of + x->of_count, 0, (size_t)(x->group + 1 - x->of_count) * sizeof *x->of);
        x->of_count = x->group + 1;
    }
    add_work(&x->of[x->group], &turn, x->times);
}

int64_t mmm_work_times(int64_t number)
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
    x->skips = x->like && ++x->like->seen > KEPT_FIRST && x->like->seen % (x->like->seen < KEPT_EACH ? 4 : KEPT_EACH);
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

/* That of the region that ends, or, where the first group is alone, what it adds to the next. */
void mmm_work_tell(mmm_counter *c, bool of_groups)
{
    mmm_collector *x = c->traffic;
    mmm_region_work work = {.threads = c->block_threads, .private_words = c->private_bytes / 4, .of_groups = of_groups};
    const mmm_group_work *most = NULL;
    if (x->skips && !x->first.turns && c->between != &c->alone) { /* most are */
        x->skips = false;
        x->sink(x->context, &x->like->work);
        goto done;
    }
    if (x->skips) {
        work = x->like->work;
        goto told;
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
    add_work(&work.all, &x->between, mmm_traffic_groups(c));
    if (x->like) {
        work.number = x->like->work.number;
        if (memcmp(&work, &x->like->work, sizeof work) != 0) work.number = ++x->works;
        x->like->work = work;
    }
told:
    x->skips = false;
    if (c->between == &c->alone) {
        work.most.turns = 1; /* regions */
        add_work(&x->first, &work.most, 1);
    } else {
        work.first = x->first;
        if (work.first.turns) work.number = 0;
        memset(&x->first, 0, sizeof x->first);
        x->sink(x->context, &work);
    }
done:
    x->like = NULL;
    memset(&x->between, 0, sizeof x->between);
    x->of_count = 0;
}
