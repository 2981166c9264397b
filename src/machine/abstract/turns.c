/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of which few turns run, on cores.  Where no data decide what threads do, four turns of many tell what the
 * others would: if these made the same operations and the same accesses, of elements that lie evenly, so would all.  If
 * they do not lie evenly, those whose numbers are powers of two tell whether each bit of a turn's number adds a number
 * of its own.  Otherwise all run.  Turns may run in any order, so they are recorded, and counted in theirs; what others
 * would have done is counted without running them: the lines that a place comes to are known by its steps. */
#include "machine/abstract/parts.h"

#include <stdlib.h>
#include <string.h>

enum { FEW = 8, TOLD_MOST = 6, BITS_MOST = 20, ROWS_MOST = TOLD_MOST + BITS_MOST, ACCESSES_MOST = 1 << 17 };

/* An access of every turn: where it is in the first of the turns that are looked at, and how far on in the next one, in
 * bytes; the access before it of the same place in the turn, -1: it is the first. */
typedef struct step {
    part_place *place;
    const mmm_zone *zone;
    int64_t at, apart, before;
    int64_t times; /* of its place before it in the turn */
    int shift;
} step;

typedef struct part_turns {
    int64_t begin, end; /* the places of the part that these turns have; */
    int64_t most;       /* so many next, at most */
    part_turn rows[ROWS_MOST];
    int count, told;          /* rows that have run; of them, those that are no powers of two */
    bool plain;               /* they do not stand for the others: all run, */
    int64_t cursor;           /* from this one on */
    mmm_tally started, delta; /* of the thread, before the turn that runs; what the first turn did, */
    int64_t operations[MMM_OPERATION_KINDS + 1], own, left; /* the same, of the part and the block; */
    int64_t each_operations[MMM_OPERATION_KINDS + 1], each_own, each_left;
    bool unlike; /* another did other things */
    step *steps;
    int64_t
        *carries; /* by the lowest bit that is 0 before, what the next turn adds to a step: carries[bit * count + i] */
    int64_t step_room, carry_room;
    int64_t passed; /* accesses that were not made, since it was asked last */
} part_turns;

mmm_status mmm_turns_new(mmm_part_counter *x)
{
    return x->turns ? MMM_OK : mmm_alloc(&x->turns, 1, sizeof *x->turns);
}

void mmm_turns_free(part_turns *x)
{
    if (!x) return;
    for (int i = 0; i < ROWS_MOST; i++)
        free(x->rows[i].list);
    free(x->steps);
    free(x->carries);
    free(x);
}

static void must(mmm_counter *c, mmm_status status)
{
    c->failure = status;
    if (status != MMM_OK) longjmp(c->leave, 1);
}

void mmm_turns_grow(mmm_counter *c, part_turn *turn)
{
    must(c, mmm_grow(&turn->list, &turn->room, turn->count + 1, sizeof *turn->list));
}

int64_t mmm_turns_passed(mmm_counter *c)
{
    part_turns *x = c->part_counter->turns;
    const int64_t passed = x->passed;
    x->passed = 0;
    return passed;
}

/* The next row is that of a turn, which runs. */
static int64_t record(mmm_counter *c, int64_t number)
{
    mmm_part_counter *parts = c->part_counter;
    part_turns *x = parts->turns;
    part_turn *row = &x->rows[x->count++];
    row->count = 0;
    row->number = number;
    parts->recorded = row;
    x->started = c->threads[mmm_counter_thread_of(c, x->begin + number)].total;
    memcpy(x->operations, parts->now.operations, sizeof x->operations);
    x->own = parts->now.own;
    x->left = c->left;
    return x->begin + number;
}

/* What the turn did that has ended: it is the first, or did the same. */
static void compare(mmm_counter *c)
{
    mmm_part_counter *parts = c->part_counter;
    part_turns *x = parts->turns;
    const part_turn *first = &x->rows[0], *row = parts->recorded;
    mmm_tally delta = c->threads[mmm_counter_thread_of(c, x->begin + row->number)].total;
    int64_t operations[MMM_OPERATION_KINDS + 1];
    mmm_tally_add(&delta, &x->started, -1);
    for (int i = 0; i <= MMM_OPERATION_KINDS; i++)
        operations[i] = parts->now.operations[i] - x->operations[i];
    parts->recorded = NULL;
    if (row == first) {
        x->delta = delta;
        memcpy(x->each_operations, operations, sizeof operations);
        x->each_own = parts->now.own - x->own;
        x->each_left = x->left - c->left;
        x->unlike = row->count > ACCESSES_MOST;
        return;
    }
    x->unlike = row->count != first->count || memcmp(&delta, &x->delta, sizeof delta) != 0 ||
                memcmp(operations, x->each_operations, sizeof operations) != 0 ||
                parts->now.own - x->own != x->each_own || x->left - c->left != x->each_left;
    for (int64_t i = 0; i < row->count && !x->unlike; i++)
        x->unlike = row->list[i].address != first->list[i].address || row->list[i].zone != first->list[i].zone;
}

/* Whether elements of the turns that have told lie as far apart as the turns do. */
static bool is_even(const part_turns *x)
{
    const part_turn *row = x->rows;
    for (int64_t i = 0; i < row->count; i++) {
        const int64_t from = row[0].list[i].index, more = row[1].list[i].index - from;
        for (int k = 2; k < x->told; k++)
            if (row[k].list[i].index != from + row[k].number * more) return false;
    }
    return true;
}

/* The row of the turn whose number has this bit alone. */
static const part_turn *row_of(const part_turns *x, int bit)
{
    return &x->rows[bit ? x->told + bit - 1 : 1];
}

/* Whether each bit of a turn's number adds a number of its own. */
static bool is_by_bits(const part_turns *x)
{
    for (int64_t i = 0; i < x->rows[0].count; i++)
        for (int k = 2; k < x->told; k++) {
            const int64_t from = x->rows[0].list[i].index;
            int64_t sum = from;
            for (int bit = 0; x->rows[k].number >> bit; bit++)
                if (x->rows[k].number >> bit & 1) sum += row_of(x, bit)->list[i].index - from;
            if (sum != x->rows[k].list[i].index) return false;
        }
    return true;
}

/* The turn that runs as the next: two neighbours, the last, one of the middle and, of many, of each half; then those
 * whose numbers are powers of two. */
static int64_t next_turn(const part_turns *x)
{
    const int64_t n = x->end - x->begin, told[TOLD_MOST] = {0, 1, n - 1, n / 2 + 1, n / 4 + 1, n - n / 4 + 1};
    return x->count < x->told ? told[x->count] : (int64_t)1 << (x->count - x->told + 1);
}

/* That of the turn of this number, NULL: it has not run. */
static const part_turn *row_at(const part_turns *x, int64_t number)
{
    for (int i = 0; i < x->count && i < x->told; i++)
        if (x->rows[i].number == number) return &x->rows[i];
    const bool power = number > 1 && (number & (number - 1)) == 0;
    const int i = power ? x->told + __builtin_ctzll((uint64_t)number) - 1 : x->count;
    return i < x->count ? &x->rows[i] : NULL;
}

static int64_t line_of(int64_t bytes)
{
    return bytes >> LINE_BITS;
}

/* The lines of one access after another, at a and b in the first turn: so many turns, each so many bytes on. */
static void count_lines(part_place *p, int64_t a, int64_t a_apart, int64_t b, int64_t b_apart, int64_t turns)
{
    enum { LINE = 1 << LINE_BITS };
    int64_t period = turns;
    if (a_apart == b_apart) {
        if (b - a == a_apart && llabs(a_apart) <= LINE) { /* one that goes on by less than a line */
            p->lines += llabs(line_of(a + turns * a_apart) - line_of(a));
            return;
        }
        const int64_t lowest = (a_apart | LINE) & -(a_apart | LINE); /* its lowest bit that is set, or a line */
        period = (b - a) % LINE == 0 ? 1 : LINE / lowest;
    }
    for (int64_t t = 0; t < turns && t < period; t++)
        if (line_of(b + t * b_apart) != line_of(a + t * a_apart)) p->lines += (turns - t + period - 1) / period;
}

/* The lines of an access in so many turns, one after the other. */
static void come_to_lines(mmm_part_counter *parts, const step *s, int64_t turns)
{
    part_place *p = s->place;
    const int64_t end = s->at + (turns - 1) * s->apart, first = line_of(s->at), last = line_of(end);
    const bool all = llabs(s->apart) <= 1 << LINE_BITS; /* lines that follow each other */
    const int64_t count = all ? llabs(last - first) + 1 : turns, way = last < first ? -1 : 1;
    if (!p->global) return;
    mmm_parts_beside(p, s->times, first);
    p->aside += s->times < TIMES ? count - 1 : turns - 1;
    if (s->times < TIMES) p->beside[s->times] = last + 1;
    for (int64_t i = 0; i < count; i++)
        mmm_parts_line(parts, s->zone, all ? first + way * i : line_of(s->at + i * s->apart));
}

/* The turns from where the steps are, so many, in which each goes on evenly. */
static void count_run(mmm_part_counter *parts, int64_t turns)
{
    part_turns *x = parts->turns;
    const int64_t count = x->rows[0].count;
    for (int64_t i = 0; i < count; i++) {
        const step *s = &x->steps[i];
        part_place *p = s->place;
        if (!p) {
            parts->now.vector += turns;
        } else if (s->before < 0) {
            if (p->turn != parts->turn) mmm_parts_distance(p, (s->at >> s->shift) - p->index, 1);
            p->lines += line_of(s->at) != p->line;
            if (turns > 1) mmm_parts_distance(p, s->apart >> s->shift, turns - 1);
            p->index = (s->at + (turns - 1) * s->apart) >> s->shift;
            p->accesses += turns;
        } else {
            const step *b = &x->steps[s->before];
            count_lines(p, b->at, b->apart, s->at, s->apart, turns);
            p->accesses += turns;
        }
    }
    for (int64_t i = 0; i < count; i++) {
        const step *first = &x->steps[i];
        part_place *p = first->place;
        if (p) come_to_lines(parts, first, turns);
        if (!p || first->before >= 0) continue;
        const step *last = &x->steps[p->last];
        if (turns > 1) count_lines(p, last->at, last->apart, first->at + first->apart, first->apart, turns - 1);
        p->line = line_of(last->at + (turns - 1) * last->apart);
        p->turn = parts->turn;
    }
}

/* The steps of the first turn, whose places there are now. */
static void take_steps(mmm_counter *c)
{
    mmm_part_counter *parts = c->part_counter;
    part_turns *x = parts->turns;
    const part_turn *first = &x->rows[0];
    must(c, mmm_grow(&x->steps, &x->step_room, first->count, sizeof *x->steps));
    parts->turn++;
    for (int64_t i = 0; i < first->count; i++) {
        const part_access *a = &first->list[i];
        const int shift = a->zone->shift;
        part_place *p = mmm_parts_place(parts, a->zone, a->index, a->write, a->address);
        x->steps[i] = (step){.place = p,
                             .zone = a->zone,
                             .at = a->index << shift,
                             .apart = (x->rows[1].list[i].index - a->index) * ((int64_t)1 << shift),
                             .before = -1,
                             .shift = shift};
        if (!p) continue;
        /* a number that is the place's own in this turn */
        if (p->last < i && p->last >= 0 && x->steps[p->last].place == p) {
            x->steps[i].before = p->last;
            x->steps[i].times = x->steps[p->last].times + 1;
        }
        p->last = i;
    }
}

/* Of 2^bits turns by the bits of their numbers: in runs, as long as every step goes on evenly. */
static void count_by_bits(mmm_counter *c, int bits)
{
    mmm_part_counter *parts = c->part_counter;
    part_turns *x = parts->turns;
    const int64_t count = x->rows[0].count;
    int even = bits;
    must(c, mmm_grow(&x->carries, &x->carry_room, bits * count, sizeof *x->carries));
    for (int64_t i = 0; i < count; i++) {
        const int shift = x->steps[i].shift;
        int64_t sum = 0, expected = x->steps[i].apart;
        for (int bit = 0; bit < bits; bit++, expected *= 2) {
            const int64_t more = (row_of(x, bit)->list[i].index - x->rows[0].list[i].index) * ((int64_t)1 << shift);
            if (more != expected && bit < even) even = bit;
            x->carries[bit * count + i] = more - sum;
            sum += more;
        }
    }
    for (int64_t run = 0; run < (int64_t)1 << (bits - even); run++) {
        if (run) {
            const int bit = even + __builtin_ctzll((uint64_t)run);
            for (int64_t i = 0; i < count; i++) /* from the last turn of the run before */
                x->steps[i].at += x->steps[i].apart * (((int64_t)1 << even) - 1) + x->carries[bit * count + i];
            parts->turn++;
        }
        count_run(parts, (int64_t)1 << even);
    }
}

/* The threads between those that have run did as much. */
static void credit_others(mmm_counter *c)
{
    const part_turns *x = c->part_counter->turns;
    int64_t ran[ROWS_MOST + 1], from = x->begin;
    for (int i = 0; i < x->count; i++) { /* in the order of their numbers */
        int k = i;
        for (; k > 0 && ran[k - 1] > x->rows[i].number; k--)
            ran[k] = ran[k - 1];
        ran[k] = x->rows[i].number;
    }
    ran[x->count] = x->end - x->begin;
    for (int i = 0; i <= x->count; i++) {
        mmm_counter_credit(c, from, x->begin + ran[i], &x->delta);
        from = x->begin + ran[i] + 1;
    }
}

/* The turns that have not run did what the others did. */
static void stand_for(mmm_counter *c, int bits)
{
    mmm_part_counter *parts = c->part_counter;
    part_turns *x = parts->turns;
    const int64_t n = x->end - x->begin, passed = n - x->count;
    take_steps(c);
    if (bits)
        count_by_bits(c, bits);
    else
        count_run(parts, n);
    parts->now.turns += passed;
    parts->now.own += passed * x->each_own;
    for (int i = 0; i <= MMM_OPERATION_KINDS; i++)
        parts->now.operations[i] += passed * x->each_operations[i];
    x->passed += passed * x->rows[0].count;
    c->left -= passed * x->each_left;
    if (c->left < 0) mmm_counter_give_up(c);
    credit_others(c);
}

/* The next turn that runs where all do: those that were recorded are counted when it is theirs. */
static int64_t next_plain(mmm_counter *c)
{
    mmm_part_counter *parts = c->part_counter;
    part_turns *x = parts->turns;
    for (const part_turn *row; x->begin + x->cursor < x->end && (row = row_at(x, x->cursor)); x->cursor++) {
        parts->turn++;
        for (int64_t i = 0; i < row->count; i++)
            mmm_parts_count(parts, row->list[i].zone, row->list[i].index, row->list[i].write, row->list[i].address);
    }
    return x->begin + x->cursor < x->end ? x->begin + x->cursor++ : mmm_turns_first(c, x->end);
}

/* As many turns as there are, a power of two: at first few, for what differs in the middle must be met; then twice as
 * many each time, unless those before were unlike. */
int64_t mmm_turns_first(mmm_counter *c, int64_t at)
{
    part_turns *x = c->part_counter->turns;
    const int64_t width = c->items ? 0 : c->part_counter->width, row = width & (width - 1) ? width - at % width : 0;
    const int64_t rest = row && row < c->walk.high - at ? row : c->walk.high - at; /* rows may end anywhere */
    if (rest <= 0) return c->walk.high;
    if (at == c->walk.first || x->plain) x->most = GROUP;
    int64_t n = x->most;
    while (n > rest || (n > GROUP && at % n)) /* what is done by bits of turns' numbers begins at such */
        n /= 2;
    x->begin = at;
    x->end = at + n;
    x->count = 0;
    x->cursor = 0;
    x->told = n > GROUP ? TOLD_MOST : TOLD_MOST - 2;
    x->plain = n < FEW;
    if (at != c->walk.first && 2 * x->most <= (int64_t)1 << BITS_MOST) x->most *= 2;
    return x->plain ? next_plain(c) : record(c, 0);
}

int64_t mmm_turns_next(mmm_counter *c)
{
    part_turns *x = c->part_counter->turns;
    const int64_t n = x->end - x->begin;
    const int bits = __builtin_ctzll((uint64_t)n);
    if (x->plain) return next_plain(c);
    compare(c);
    const int most = n < 2 * FEW ? x->told : x->told + bits - 1;
    const bool even = x->count == x->told && !x->unlike && is_even(x);
    x->plain = x->unlike || (x->count == most && !even && (most == x->told || !is_by_bits(x)));
    if (x->plain) return next_plain(c);
    if (!even && x->count < most) return record(c, next_turn(x));
    stand_for(c, even ? 0 : bits);
    return mmm_turns_first(c, x->end);
}
