/* SPDX-License-Identifier: Apache-2.0 */
/* The abstract machine on single blocks: what they cost, and nothing about violations. */
#include "machine/abstract/parts.h"
#include "machine/abstract/traffic.h"

#include <stdlib.h>
#include <string.h>

/* What regions of one number take. */
enum { TIMES_MOST = 32 };
typedef struct region_time {
    uint64_t number;
    double at_once[MMM_AT_ONCE][MMM_LIMITS];
} region_time;

struct mmm_sampler {
    mmm_counter counter;
    region_time times[TIMES_MOST];
    double at_once[MMM_AT_ONCE][MMM_LIMITS]; /* of the block, by the constants of a GPU */
    int64_t moved, serial, private_words, issued, requests, sectors;
    int64_t work, most;  /* accesses of all blocks so far; those that a block may make */
    mmm_work_sink *sink; /* hears of regions, too; NULL: nobody */
    void *context;
    void *base[ZONES_GLOBAL];
};

static const char zeros[1 << PAGE_BITS]; /* in arrays that nobody has looked at */

/* A region that did what another did takes as long. */
static void add_time(mmm_sampler *x, const mmm_region_work *work)
{
    region_time *t = &x->times[work->number % TIMES_MOST];
    if (!work->number) {
        mmm_gpu_region(work, x->counter.parameters->gpu, x->at_once);
        return;
    }
    if (t->number != work->number) {
        *t = (region_time){.number = work->number};
        mmm_gpu_region(work, x->counter.parameters->gpu, t->at_once);
    }
    for (int i = 0; i < MMM_AT_ONCE; i++)
        for (int k = 0; k < MMM_LIMITS; k++)
            x->at_once[i][k] += t->at_once[i][k];
}

static void take_region(void *context, const mmm_region_work *work)
{
    mmm_sampler *x = context;
    add_time(x, work);
    if (x->sink) x->sink(x->context, work);
    x->moved += work->all.moved + work->first.moved;
    x->serial += work->all.serial + work->first.serial;
    for (int i = 0; i < MMM_OPERATION_KINDS; i++)
        x->issued += work->all.operations[i] + work->first.operations[i];
    x->requests += work->all.reads + work->all.writes + work->first.reads + work->first.writes;
    x->sectors += work->all.sectors + work->first.sectors;
    if (work->private_words > x->private_words) x->private_words = work->private_words;
}

/* By the constants of a GPU each region is heard of; what was collected before is dropped. */
static mmm_status listen(mmm_sampler *sampler)
{
    mmm_counter *c = &sampler->counter;
    mmm_collector_free(c->traffic);
    c->traffic = NULL;
    memset(sampler->times, 0, sizeof sampler->times); /* numbers begin anew */
    return mmm_has_gpu(c->parameters) ? mmm_collector_hear(take_region, sampler, &c->traffic) : MMM_OK;
}

mmm_status mmm_sampler_new(mmm_program *program, const mmm_parameters *parameters, mmm_sampler **out)
{
    mmm_status result = MMM_OK;
    mmm_sampler *sampler = NULL;
    TRY(mmm_alloc(&sampler, 1, sizeof *sampler));
    mmm_counter *c = &sampler->counter;
    c->program = program;
    c->parameters = parameters;
    c->sampling = true;
    sampler->most = INT64_MAX;
    TRY(mmm_counter_fit(c));
    TRY(mmm_counter_reserve(c));
    for (int i = 0; i < (int)program->array_count; i++) {
        const mmm_global *array = &program->arrays[i];
        TRY(mmm_counter_fill(c, i, GLOBAL_MEMORY, array->name, array->size, array->count * program->batch));
        sampler->base[i] = mmm_counter_address(c, i);
        TRY(mmm_alloc(&c->zones[i].touched, ((array->count * program->batch * array->size) >> PAGE_BITS) + 1,
                      sizeof *c->zones[i].touched));
    }
    if (mmm_has_core(parameters)) TRY(mmm_part_counter_new(parameters, NULL, NULL, &c->part_counter));
    TRY(listen(sampler));
    if (!c->traffic) c->of_parts = c->part_counter;
    mmm_sampler_load(sampler, false);
    *out = sampler;
    sampler = NULL;
done:
    mmm_sampler_free(sampler);
    return result;
}

int64_t mmm_sampler_work(const mmm_sampler *sampler)
{
    return sampler->work;
}

void mmm_sampler_limit(mmm_sampler *sampler, int64_t accesses, bool hasty)
{
    sampler->most = accesses;
    sampler->counter.hasty = hasty;
}

void mmm_sampler_hear(mmm_sampler *sampler, mmm_work_sink *sink, void *context)
{
    sampler->sink = sink;
    sampler->context = context;
}

void mmm_sampler_sparse(mmm_sampler *sampler, bool sparse)
{
    mmm_counter *c = &sampler->counter;
    if (c->traffic) mmm_traffic_sparse(c->traffic, sparse);
    /* without room for it all turns run */
    c->few = sparse && !c->traffic && c->part_counter && mmm_turns_new(c->part_counter) == MMM_OK;
}

mmm_status mmm_sampler_listen(mmm_sampler *sampler, mmm_part_sink *sink, void *context)
{
    mmm_counter *c = &sampler->counter;
    mmm_part_counter_free(c->part_counter);
    c->part_counter = c->of_parts = NULL;
    c->few = false;
    return mmm_part_counter_new(c->parameters, sink, context, &c->part_counter);
}

void mmm_sampler_load(mmm_sampler *sampler, bool all)
{
    mmm_counter *c = &sampler->counter;
    c->loads++;
    for (int i = 0; i < (int)c->program->array_count; i++) {
        const mmm_global *array = &c->program->arrays[i];
        c->zones[i].host = !array->count || !(all || array->use & MMM_IN) ? NULL : array->host ? array->host : zeros;
        c->zones[i].known = array->host ? array->known : (int64_t)sizeof zeros;
    }
}

mmm_status mmm_sampler_block(mmm_sampler *sampler, int kernel, int64_t block, mmm_profile *out)
{
    mmm_status result = MMM_OK;
    mmm_counter *c = &sampler->counter, *outer = mmm_counter_enter(c);
    const mmm_node *node = &c->program->nodes[kernel];
    mmm_value values[MMM_ARGUMENTS_MOST];
    mmm_scratch none = {0};
    mmm_entry *const *table = node->code ? node->code->counted[c->program->word_bits == 64] : NULL;
    if (!table || !table[node->code->index]) FAIL(MMM_INVALID, "kernel '%.100s' has no code to count", node->name);
    c->lanes = c->parameters->lanes ? c->parameters->lanes : node->threads;
    int64_t groups = (node->threads + c->lanes - 1) / c->lanes;
    TRY(mmm_grow(&c->threads, &c->thread_room, node->threads, sizeof *c->threads));
    TRY(mmm_grow(&c->groups, &c->group_room, groups, sizeof *c->groups));
    memset(c->groups, 0, (size_t)groups * sizeof *c->groups);
    c->kernel = kernel;
    c->block = block;
    c->block_threads = node->threads;
    c->block_start = (mmm_stamp)2 << INTERVAL_BITS;
    c->failure = MMM_OK;
    c->finding_count = 0;
    const int64_t each = node->blocks / c->program->batch;
    mmm_machine_values(c->program, node, sampler->base, block / each, values);
    mmm_counter_begin_block(c);
    if (c->part_counter) mmm_parts_block(c);
    memset(sampler->at_once, 0, sizeof sampler->at_once);
    sampler->moved = sampler->serial = sampler->private_words = 0;
    sampler->issued = sampler->requests = sampler->sectors = 0;
    mmm_tally before = c->run_sum;
    const mmm_call call = mmm_machine_call(c->program, node, block / each, block % each, block % each + 1, &none);
    c->left = sampler->most;
    mmm_counter_run_block(c, table[node->code->index], values, &call);
    if (c->failure != MMM_OK) { /* what it had begun is no other block's */
        const mmm_status failure = c->failure;
        sampler->work += sampler->most - (c->left > 0 ? c->left : 0);
        TRY(listen(sampler));
        TRY(failure);
    }
    mmm_profile profile = {0};
    mmm_counter_end_block(c, &profile.cost);
    if (c->part_counter) mmm_parts_take(c, &profile);
    profile.regions = c->regions;
    profile.parts = c->parts;
    int64_t alone = (GROUP + c->lanes - 1) / c->lanes;
    if (alone > groups) alone = groups;
    profile.lane_operations = c->lane_sum.operations + groups * c->uniform.operations + alone * c->alone.operations;
    profile.lane_words = c->lane_sum.reads + groups * (c->uniform.reads + c->uniform.writes) +
                         alone * (c->alone.reads + c->alone.writes);
    profile.lane_local = c->lane_sum.local + groups * c->uniform.local + alone * c->alone.local;
    profile.accesses = c->run_sum.local + c->run_sum.reads + c->run_sum.writes - before.local - before.reads -
                       before.writes + node->threads * c->regions;
    mmm_gpu_block(sampler->at_once, &profile);
    profile.moved = sampler->moved;
    profile.serial = sampler->serial;
    profile.private_words = sampler->private_words;
    profile.issued = sampler->issued;
    profile.requests = sampler->requests;
    profile.sectors = sampler->sectors;
    if (!c->traffic)
        sampler->work += profile.accesses - (c->few ? mmm_turns_passed(c) : 0);
    else
        sampler->work += (c->traffic->sparse ? 0 : profile.accesses / 8) + mmm_traffic_taken(c);
    *out = profile;
done:
    mmm_counter_enter(outer);
    return result;
}

void mmm_sampler_free(mmm_sampler *sampler)
{
    if (!sampler) return;
    mmm_counter *c = &sampler->counter;
    mmm_counter_release(c);
    mmm_part_counter_free(c->part_counter);
    mmm_collector_free(c->traffic);
    free(c->threads);
    free(c->groups);
    free(c->findings);
    free(sampler);
}
