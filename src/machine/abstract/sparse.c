/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of which few threads run.  Where no data decide what threads do, four of the 32 tell what the others would: if
 * these made the same operations and the same requests, of elements that lie evenly, so would all.  If they do not lie
 * evenly, eight threads tell whether each bit of a thread's number adds a number of its own.  Otherwise all run.  Turns
 * and regions that would not be looked at do not run at all.  What was passed over is added to the sums. */
#include "machine/abstract/traffic.h"

#include <string.h>

enum { FEW = 8 }; /* groups with fewer threads run as they are */

void mmm_traffic_sparse(mmm_collector *x, bool sparse)
{
    x->sparse = sparse;
    memset(&x->region, 0, sizeof x->region);
    memset(&x->lanes_before, 0, sizeof x->lanes_before);
    memset(&x->skipped_sum, 0, sizeof x->skipped_sum);
    memset(&x->skipped_most, 0, sizeof x->skipped_most);
}

static void raise(mmm_tally *most, const mmm_tally *now, const mmm_tally *before)
{
    const int64_t operations = now->operations - before->operations, local = now->local - before->local,
                  reads = now->reads - before->reads, writes = now->writes - before->writes;
    if (operations > most->operations) most->operations = operations;
    if (local > most->local) most->local = local;
    if (reads > most->reads) most->reads = reads;
    if (writes > most->writes) most->writes = writes;
}

/* The thread that has a place, as turn() of block.c. */
static int64_t thread_of(const mmm_counter *c, int64_t at)
{
    return c->items ? c->items_from + at % (c->block_threads - c->items_from) : at;
}

static int64_t round_of(const mmm_counter *c, int64_t at)
{
    return c->items ? at / (c->block_threads - c->items_from) : 0;
}

/* The order in which the threads of a turn run: two neighbours, one of the middle and the last, then those whose numbers
 * are powers of two, then the others. */
static void arrange(mmm_collector *x, int n)
{
    bool taken[GROUP] = {false};
    int row = 0;
    if (x->arranged == n) return;
    x->arranged = n;
    x->told = 0;
    if (n >= FEW) {
        const int told[TOLD] = {0, 1, n / 2 + 1, n - 1};
        for (; row < TOLD; row++)
            taken[x->order[row] = told[row]] = true;
        for (int j = 2; (n & (n - 1)) == 0 && j < n; j *= 2)
            taken[x->order[row++] = j] = true;
        x->told = row;
    }
    for (int j = 0; j < n; j++)
        if (!taken[j]) x->order[row++] = j;
}

int64_t mmm_sparse_first(mmm_counter *c, int64_t at)
{
    mmm_collector *x = c->traffic;
    const int64_t high = c->walk.high;
    while (at < high && !x->skips) {
        const int64_t thread = thread_of(c, at), last = (thread / GROUP + 1) * GROUP;
        int64_t end = at + (last < c->block_threads ? last : c->block_threads) - thread;
        if (end > high) end = high;
        if (mmm_work_times(c->parts - x->parts_before) && mmm_work_times(round_of(c, at))) {
            x->begin = at;
            x->end = end;
            x->rows = 0;
            arrange(x, (int)(end - at));
            x->unlike = false;
            return at;
        }
        at = end;
    }
    return high;
}

/* Whether the first `told` threads have made the same requests and operations. */
static bool is_alike(const mmm_collector *x, int told)
{
    if (x->unlike) return false;
    for (int64_t i = 0; i < x->count; i++)
        if (x->requests[i].threads != told) return false;
    return true;
}

/* What thread j of request i asks for: each bit of its number adds a number of its own, or, where `even`, elements lie as
 * far apart as the threads do. */
static int64_t guess(const mmm_collector *x, int64_t i, bool even, int j)
{
    const int64_t *at = x->at + i, from = at[0];
    if (even) return from + j * (at[x->room] - from);
    int64_t sum = from;
    for (int bit = 0; j >> bit; bit++)
        if (j >> bit & 1) sum += at[mmm_sparse_row(bit) * x->room] - from;
    return sum;
}

/* Whether that is so of the threads that told and were not needed to guess. */
static bool is_right(const mmm_collector *x, bool even)
{
    for (int64_t i = 0; i < x->count; i++)
        for (int row = 2; row < TOLD; row++)
            if (x->at[row * x->room + i] != guess(x, i, even, x->order[row])) return false;
    return true;
}

/* The others do what these did.  What lies evenly is known by its step. */
static void stand_for(mmm_counter *c, bool even)
{
    mmm_collector *x = c->traffic;
    const int n = (int)(x->end - x->begin);
    for (int64_t i = 0; i < x->count; i++) {
        request *r = &x->requests[i];
        r->even = even;
        r->step = x->at[x->room + i] - x->at[i];
        r->threads = n;
        r->by_bits = !even;
    }
    x->threads = n;
    for (int row = x->rows; row < n; row++) {
        mmm_thread *self = &c->threads[thread_of(c, x->begin + x->order[row])];
        if (self->stamp != c->stamp) {
            self->stamp = c->stamp;
            self->before = self->total;
        }
        mmm_tally_add(&self->total, &x->delta, 1);
    }
    mmm_tally_add(&x->region.sum, &x->delta, n - x->rows);
}

/* As they would have run one after the other: sectors that a block had lately depend on it. */
static void put_in_order(mmm_collector *x)
{
    const int n = (int)(x->end - x->begin);
    for (int64_t i = 0; i < x->count; i++) {
        int64_t at[GROUP];
        if (x->requests[i].threads != n) continue;
        for (int row = 0; row < n; row++)
            at[x->order[row]] = x->at[row * x->room + i];
        for (int j = 0; j < n; j++)
            x->at[j * x->room + i] = at[j];
    }
}

int64_t mmm_sparse_next(mmm_counter *c)
{
    mmm_collector *x = c->traffic;
    const int64_t n = x->end - x->begin;
    x->rows++;
    if (x->rows == TOLD && n >= FEW && is_alike(x, TOLD) && is_right(x, true))
        stand_for(c, true);
    else if (x->rows == x->told && x->told > TOLD && is_alike(x, x->told) && is_right(x, false))
        stand_for(c, false);
    else if (x->rows < n)
        return x->begin + x->order[x->rows];
    else if (n >= FEW)
        put_in_order(x);
    return mmm_sparse_first(c, x->end);
}

void mmm_sparse_turn(mmm_counter *c)
{
    c->traffic->started = c->threads[c->thread].total;
}

/* A turn that counts several times was done as often. */
void mmm_sparse_leave(mmm_counter *c)
{
    mmm_collector *x = c->traffic;
    mmm_thread *self = &c->threads[c->thread];
    x->delta = (mmm_tally){0};
    mmm_tally_add(&x->delta, &self->total, x->times);
    mmm_tally_add(&x->delta, &x->started, -x->times);
    self->total = x->started;
    mmm_tally_add(&self->total, &x->delta, 1);
    mmm_tally_add(&x->region.sum, &x->delta, 1);
    raise(&x->region.most, &self->total, &self->before);
    if (!x->rows)
        memcpy(x->own_first, x->own, sizeof x->own_first);
    else if (memcmp(x->own_first, x->own, sizeof x->own) != 0)
        x->unlike = true;
}

void mmm_sparse_region(mmm_counter *c)
{
    mmm_collector *x = c->traffic;
    done_work *done = &x->region;
    if (x->skips) {
        *done = x->like->done;
        mmm_tally_add(&x->skipped_sum, &done->sum, 1);
        mmm_tally_add(&x->skipped_most, &done->most, 1);
        mmm_tally_add(&c->lane_sum, &done->lanes, 1);
        c->interval_most = done->span;
        c->parts = x->parts_before + done->parts;
    } else if (x->like) {
        done->lanes = c->lane_sum;
        mmm_tally_add(&done->lanes, &x->lanes_before, -1);
        done->span = c->interval_most;
        done->parts = c->parts - x->parts_before;
        x->like->done = *done;
    }
    x->lanes_before = c->lane_sum;
    memset(done, 0, sizeof *done);
}

void mmm_sparse_block(const mmm_counter *c, mmm_tally *sum, mmm_tally *most)
{
    const mmm_collector *x = c->traffic;
    mmm_tally_add(sum, &x->skipped_sum, 1);
    mmm_tally_add(most, &x->skipped_most, 1);
}
