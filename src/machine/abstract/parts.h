/* SPDX-License-Identifier: Apache-2.0 */
/* What the files about parts share: parts.c counts them turn by turn, turns.c has few turns stand for the others. */
#ifndef MMM_PARTS_H
#define MMM_PARTS_H

#include "machine/abstract/count.h"

enum { PLACES = 512, PLACES_MOST = 384, LINE_BITS = 6, TIMES = 16, LINES_KNOWN = 1 << 15, LINE_KEY = 48 };

/* An instruction of the part, with what it accessed last and how far that was from what it accessed a turn before. */
typedef struct part_place {
    const void *address;
    struct part_place *follower; /* the place that was accessed after it last time */
    uint64_t part, turn;         /* numbers */
    int64_t index, line;
    int64_t accesses;
    int64_t lines, aside; /* that it comes to, access after access; and where each access of a turn comes after the same
                           * one of the turn before, as vectors have it */
    int64_t beside[TIMES];   /* 1 more than the line of each access of the turn before, or of this one */
    int64_t times;           /* accesses of this turn before the last one */
    int64_t same, next, far; /* turns whose element is that of the turn before, a neighbour of it, or another */
    int64_t last;            /* in turns.c: the number of its last access of the turn */
    bool global, write;
} part_place;

/* An access of a turn that is not counted yet. */
typedef struct part_access {
    const void *address;
    const mmm_zone *zone;
    int64_t index;
    bool write;
} part_access;

/* The accesses of a turn. */
typedef struct part_turn {
    part_access *list;
    int64_t count, room;
    int64_t number; /* of the turn, from the first of those that it stands for */
} part_turn;

struct mmm_part_counter {
    const double *constants;
    mmm_part_sink *sink;
    void *context;
    int64_t width;              /* of the kernel */
    int64_t vector_bytes, size; /* of a vector, and of the part's largest element */
    bool open;
    mmm_part now;
    uint64_t part, turn;
    part_place places[PLACES], none;
    part_place *at; /* the place of the last access */
    int used[PLACES_MOST], count;
    double limits[MMM_LIMITS];
    int64_t operations, accesses; /* between regions, */
    int64_t exchanges;            /* and there, of each group of 32 threads */
    int64_t lines, distinct;      /* of global memory */
    uint64_t block;               /* a number of its own */
    uint64_t known[LINES_KNOWN];  /* the distinct ones: this number above LINE_KEY bits that name a line */
    part_turn *recorded;          /* where accesses go; NULL: they are counted at once */
    struct part_turns *turns;     /* NULL: all turns run */
};

/* The place of an instruction in the part that is open, new where there was none; NULL: there are too many. */
part_place *mmm_parts_place(mmm_part_counter *x, const mmm_zone *zone, int64_t index, bool write, const void *address);

/* Room for one more access of a turn; a block that has none ends. */
void mmm_turns_grow(mmm_counter *c, part_turn *turn);

/* A turn's element, so far from that of the turn before, so many times. */
static inline void mmm_parts_distance(part_place *p, int64_t distance, int64_t times)
{
    *(distance == 0 ? &p->same : distance == 1 || distance == -1 ? &p->next : &p->far) += times;
}

/* A line of an array that the block comes to.  Where there are very many no more are known than have room. */
static inline void mmm_parts_line(mmm_part_counter *x, const mmm_zone *zone, int64_t line)
{
    const uint64_t key = ((uint64_t)line ^ (uint64_t)(uintptr_t)zone << 28) * 0x9e3779b97f4a7c15u >> (64 - LINE_KEY);
    const uint64_t wanted = x->block << LINE_KEY | key;
    uint64_t i = key & (LINES_KNOWN - 1);
    while (x->known[i] != wanted && x->known[i] >> LINE_KEY == (x->block & UINT16_MAX))
        i = (i + 1) & (LINES_KNOWN - 1);
    if (x->known[i] == wanted) return;
    if (x->distinct++ < LINES_KNOWN / 2) x->known[i] = wanted;
}

/* The line of an access of this turn, beside that of the same access of the turn before; of the first TIMES of a turn
 * it is known. */
static inline void mmm_parts_beside(part_place *p, int64_t number, int64_t line)
{
    p->aside += number >= TIMES || p->beside[number] != line + 1;
    if (number < TIMES) p->beside[number] = line + 1;
}

/* Counts an access of the last turn.  Turns come by the same places in the same order, mostly. */
static inline __attribute__((always_inline)) void mmm_parts_count(mmm_part_counter *x, const mmm_zone *zone,
                                                                  int64_t index, bool write, const void *address)
{
    part_place *p = x->at->follower;
    const int64_t line = index << zone->shift >> LINE_BITS;
    if (__builtin_expect(p->address != address || p->part != x->part, 0)) {
        p = mmm_parts_place(x, zone, index, write, address);
        if (!p) {
            x->now.vector++;
            return;
        }
        x->at->follower = p;
    }
    x->at = p;
    if (p->turn != x->turn) {
        mmm_parts_distance(p, index - p->index, 1);
        p->turn = x->turn;
        p->index = index;
        p->times = 0;
    } else {
        p->times++;
    }
    p->accesses++;
    if (!p->global) return;
    mmm_parts_beside(p, p->times, line);
    if (line == p->line) return;
    p->line = line;
    p->lines++;
    mmm_parts_line(x, zone, line);
}

/* The same, or the turn is recorded. */
static inline __attribute__((always_inline)) void mmm_parts_take_access(mmm_counter *c, mmm_part_counter *x,
                                                                        const mmm_zone *zone, int64_t index, bool write,
                                                                        const void *address)
{
    part_turn *turn = x->recorded;
    if (!turn) {
        mmm_parts_count(x, zone, index, write, address);
        return;
    }
    if (turn->count == turn->room) mmm_turns_grow(c, turn);
    turn->list[turn->count++] = (part_access){address, zone, index, write};
}

/* Few turns stand for the others from now on; there is nothing to be freed where that fails. */
mmm_status mmm_turns_new(mmm_part_counter *x);
void mmm_turns_free(struct part_turns *x);

/* The places of a part that run then: the first one from `at` on, and the one behind a turn that ran; at or behind the
 * last there is none. */
int64_t mmm_turns_first(mmm_counter *c, int64_t at);
int64_t mmm_turns_next(mmm_counter *c);

/* Accesses that were not made since it was asked last. */
int64_t mmm_turns_passed(mmm_counter *c);

#endif
