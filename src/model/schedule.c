/* SPDX-License-Identifier: Apache-2.0 */
/* A greedy schedule of the thread-block DAG on P SMs (section 2.4).
 *
 * Ready groups (blocks of equal cost of one kernel) are drawn at random; SMs that become free keep to the group drawn
 * last until all its blocks have started.  So what the SMs do while a large group lasts is known in advance, and is
 * done at once: time and memory depend on the numbers of groups and of slices, not of blocks. */
#include "model/model.h"

#include <math.h>
#include <stdlib.h>

/* SMs that run the same blocks until `end`; or that idle, with end = 0, so that they are sorted by number.  No SMs: a
 * decision that comes then. */
typedef struct piece {
    double end;
    int64_t sm, sms, blocks;
    int kernel;
} piece;

typedef struct heap {
    piece *items;
    int64_t count, room;
} heap;

/* Groups `next` .. `end` - 1 of a kernel, which are drawn together. */
typedef struct run {
    int kernel, next, end;
} run;

/* A kernel's groups form at most so many runs: of one group each but where there are very many, whose memory would be
 * visited in an order no cache can follow. */
enum { RUNS = 1024 };

typedef struct scheduler {
    const mmm_program *program;
    double U, decide;
    const mmm_order *order;
    int *waiting;        /* predecessors that have not ended, by kernel */
    int64_t *unfinished; /* blocks that have not ended, by kernel */
    heap busy, idle;
    int64_t idle_sms;
    run *ready;
    int64_t ready_count, ready_room;
    run drawn;
    int64_t left;                   /* blocks not started of the group drawn last */
    double duration, now, makespan; /* duration: of each of them */
    mmm_random random;
    mmm_slice_visitor *visit;
    void *context;
} scheduler;

static bool earlier(const piece *a, const piece *b)
{
    return a->end < b->end || (a->end == b->end && a->sm < b->sm);
}

static mmm_status heap_push(heap *h, piece item)
{
    mmm_status status = mmm_grow(&h->items, &h->room, h->count + 1, sizeof *h->items);
    if (status != MMM_OK) return status;
    int64_t i = h->count++;
    for (; i > 0 && earlier(&item, &h->items[(i - 1) / 2]); i = (i - 1) / 2)
        h->items[i] = h->items[(i - 1) / 2];
    h->items[i] = item;
    return MMM_OK;
}

static piece heap_pop(heap *h)
{
    piece top = h->items[0], item = h->items[--h->count];
    int64_t i = 0;
    for (int64_t child = 1; child < h->count; child = 2 * i + 1) {
        if (child + 1 < h->count && earlier(&h->items[child + 1], &h->items[child])) child++;
        if (!earlier(&h->items[child], &item)) break;
        h->items[i] = h->items[child];
        i = child;
    }
    h->items[i] = item;
    return top;
}

/* One function for all sums of this kind, so that what is planned and what is done agree to the last bit. */
static double end_after(double start, int64_t rounds, double duration)
{
    return start + (double)rounds * duration;
}

static mmm_status make_ready(scheduler *s, int kernel)
{
    int groups = s->program->nodes[kernel].groups, length = groups / RUNS + 1;
    mmm_status status = mmm_grow(&s->ready, &s->ready_room, s->ready_count + RUNS, sizeof *s->ready);
    if (status != MMM_OK) return status;
    for (int64_t g = 0; g < groups; g += length)
        s->ready[s->ready_count++] = (run){kernel, (int)g, groups - g < length ? groups : (int)g + length};
    return MMM_OK;
}

static mmm_status set_idle(scheduler *s, int64_t sm, int64_t sms)
{
    s->idle_sms += sms;
    return heap_push(&s->idle, (piece){.sm = sm, .sms = sms});
}

/* The lowest idle SMs with consecutive numbers, at most `most`. */
static mmm_status take_idle(scheduler *s, int64_t most, piece *out)
{
    *out = heap_pop(&s->idle);
    while (out->sms < most && s->idle.count && s->idle.items[0].sm == out->sm + out->sms)
        out->sms += heap_pop(&s->idle).sms;
    s->idle_sms -= out->sms;
    if (out->sms <= most) return MMM_OK;
    int64_t rest = out->sms - most;
    out->sms = most;
    return set_idle(s, out->sm + most, rest);
}

/* Makes ready what waited for the end of a kernel, or for what was decided then. */
static mmm_status release(scheduler *s, int kernel, bool decided)
{
    mmm_status result = MMM_OK;
    for (int i = s->order->first[kernel]; i < s->order->first[kernel + 1]; i++)
        if (s->order->to_decides[i] == decided && --s->waiting[s->order->to[i]] == 0)
            TRY(make_ready(s, s->order->to[i]));
done:
    return result;
}

/* A decision lasts `decide` on no SM. */
static mmm_status decide(scheduler *s, int kernel)
{
    for (int i = s->order->first[kernel]; i < s->order->first[kernel + 1]; i++)
        if (s->order->to_decides[i]) {
            piece decision = {.end = s->now + s->decide, .sm = -1, .kernel = kernel};
            return s->decide > 0 ? heap_push(&s->busy, decision) : release(s, kernel, true);
        }
    return MMM_OK;
}

/* Ends what runs until now, and makes ready what waited for it. */
static mmm_status end_blocks(scheduler *s)
{
    mmm_status result = MMM_OK;
    while (s->busy.count && s->busy.items[0].end <= s->now) {
        piece ended = heap_pop(&s->busy);
        if (!ended.sms) {
            TRY(release(s, ended.kernel, true));
            continue;
        }
        TRY(set_idle(s, ended.sm, ended.sms));
        s->unfinished[ended.kernel] -= ended.blocks;
        if (s->unfinished[ended.kernel] > 0) continue;
        TRY(release(s, ended.kernel, false));
        TRY(decide(s, ended.kernel));
    }
done:
    return result;
}

/* Lets `sms` of the idle SMs run `rounds` blocks each of the group drawn last. */
static mmm_status start_blocks(scheduler *s, int64_t sms, int64_t rounds)
{
    mmm_status result = MMM_OK;
    double end = end_after(s->now, rounds, s->duration);
    if (!isfinite(end))
        FAIL(MMM_TOO_LARGE, "kernel '%.100s': its blocks end later than a number can hold",
             s->program->nodes[s->drawn.kernel].name);
    if (end > s->makespan) s->makespan = end;
    s->left -= sms * rounds;
    while (sms > 0) {
        piece taken;
        TRY(take_idle(s, sms, &taken));
        sms -= taken.sms;
        if (s->visit) {
            mmm_slice slice = {s->drawn.kernel, taken.sm, taken.sms, rounds, s->now, s->duration};
            s->visit(s->context, &slice);
        }
        taken.end = end;
        taken.kernel = s->drawn.kernel;
        taken.blocks = taken.sms * rounds;
        TRY(heap_push(&s->busy, taken));
    }
done:
    return result;
}

/* Blocks that an SM free from `start` on starts before `horizon`, one after the other; -1 when more than are left. */
static int64_t rounds_before(const scheduler *s, double start, double horizon)
{
    double rounds = ceil((horizon - start) / s->duration);
    if (rounds > (double)s->left || rounds >= 0x1p63) return -1;
    int64_t count = rounds < 1 ? 1 : (int64_t)rounds;
    /* Rounding may leave the end short of the horizon, and slices out of order. */
    while (end_after(start, count, s->duration) < horizon)
        if (++count > s->left) return -1;
    return count;
}

/* Takes the blocks for `sms` SMs free from `start` on from *blocks; false when there are too few. */
static bool take_blocks(const scheduler *s, double start, double horizon, int64_t sms, int64_t *blocks)
{
    int64_t rounds = rounds_before(s, start, horizon), need;
    if (rounds < 0 || __builtin_mul_overflow(sms, rounds, &need) || need > *blocks) return false;
    *blocks -= need;
    return true;
}

/* Whether the group has blocks enough for all SMs that are free, or become so, before `horizon`. */
static bool lasts_until(const scheduler *s, double horizon)
{
    int64_t blocks = s->left;
    if (!take_blocks(s, s->now, horizon, s->idle_sms, &blocks)) return false;
    for (int64_t i = 0; i < s->busy.count; i++) {
        const piece *busy = &s->busy.items[i];
        if (busy->end < horizon && !take_blocks(s, busy->end, horizon, busy->sms, &blocks)) return false;
    }
    return true;
}

/* The most rounds of the idle SMs during which every other SM that becomes free finds a block of the group too. */
static int64_t rounds_that_last(const scheduler *s)
{
    int64_t least = 0, most = s->left / s->idle_sms;
    while (least < most) {
        int64_t middle = most - (most - least) / 2;
        double horizon = end_after(s->now, middle, s->duration);
        if (horizon > s->now && lasts_until(s, horizon))
            least = middle;
        else
            most = middle - 1;
    }
    return least;
}

static mmm_status run_until(scheduler *s, double horizon)
{
    mmm_status result = MMM_OK;
    for (;;) {
        if (s->idle_sms) TRY(start_blocks(s, s->idle_sms, rounds_before(s, s->now, horizon)));
        if (s->busy.items[0].end >= horizon) break;
        s->now = s->busy.items[0].end;
        TRY(end_blocks(s));
    }
done:
    return result;
}

static mmm_status draw_group(scheduler *s)
{
    if (s->drawn.next == s->drawn.end) {
        int64_t i = (int64_t)mmm_random_below(&s->random, (uint64_t)s->ready_count);
        s->drawn = s->ready[i];
        s->ready[i] = s->ready[--s->ready_count];
    }
    const mmm_node *node = &s->program->nodes[s->drawn.kernel];
    const mmm_cost *cost = &node->costs[s->drawn.next++];
    s->left = cost->blocks;
    s->duration = (double)cost->span + ((double)cost->reads + (double)cost->writes) * s->U;
    if (!isfinite(s->duration))
        return mmm_fail(MMM_TOO_LARGE, "kernel '%.100s': a block takes longer than a number can hold", node->name);
    return MMM_OK;
}

static bool has_ready(const scheduler *s)
{
    return s->left > 0 || s->drawn.next < s->drawn.end || s->ready_count > 0;
}

/* Fills idle SMs from one group. */
static mmm_status fill(scheduler *s)
{
    mmm_status result = MMM_OK;
    if (s->left == 0) TRY(draw_group(s));
    if (s->left < s->idle_sms) return start_blocks(s, s->left, 1);
    if (s->duration == 0) return start_blocks(s, s->idle_sms, s->left / s->idle_sms);
    /* Looking ahead costs a look at every busy piece: worth it for several blocks each. */
    int64_t rounds = s->left / 16 >= s->busy.count ? rounds_that_last(s) : 0;
    if (rounds > 1) return run_until(s, end_after(s->now, rounds, s->duration));
    return start_blocks(s, s->idle_sms, 1);
done:
    return result;
}

static mmm_status scheduler_init(scheduler *s, int64_t P)
{
    mmm_status result = MMM_OK;
    const mmm_program *program = s->program;
    TRY(mmm_program_order(program, &s->order));
    TRY(mmm_alloc(&s->waiting, program->kernels, sizeof *s->waiting));
    TRY(mmm_alloc(&s->unfinished, program->kernels, sizeof *s->unfinished));
    for (int k = 0; k < (int)program->kernels; k++) {
        if (!program->nodes[k].costs) FAIL(MMM_INVALID, "kernel '%.100s' has no costs", program->nodes[k].name);
        s->unfinished[k] = program->nodes[k].blocks;
        s->waiting[k] = s->order->from_first[k + 1] - s->order->from_first[k];
        if (s->waiting[k] == 0) TRY(make_ready(s, k));
    }
    TRY(set_idle(s, 0, P));
done:
    return result;
}

mmm_status mmm_program_schedule(const mmm_program *program, const mmm_parameters *machine, int64_t P, uint64_t seed,
                                mmm_slice_visitor *visit, void *context, double *makespan)
{
    mmm_status result = MMM_OK;
    scheduler s = {.program = program, .random = {seed}, .visit = visit, .context = context};
    NEED(program, "the program");
    NEED(makespan, "the place for the time of the schedule");
    MMM_TRY(mmm_parameters_check(machine));
    s.U = machine->U;
    s.decide = machine->decide;
    if (P < 1) FAIL(MMM_INVALID, "a schedule needs at least 1 SM, not P = %lld", (long long)P);
    TRY(scheduler_init(&s, P));
    for (;;) {
        while (s.idle_sms > 0 && has_ready(&s))
            TRY(fill(&s));
        if (s.busy.count == 0) break;
        s.now = s.busy.items[0].end;
        TRY(end_blocks(&s));
    }
    *makespan = s.makespan;
done:
    free(s.waiting);
    free(s.unfinished);
    free(s.busy.items);
    free(s.idle.items);
    free(s.ready);
    return result;
}
