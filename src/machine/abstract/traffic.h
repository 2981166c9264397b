/* SPDX-License-Identifier: Apache-2.0 */
/* What the files about traffic share: traffic.c counts requests, requests.c knows what one asks for, work.c tells
 * predictions what groups do, sparse.c has few threads stand for the others. */
#ifndef MMM_TRAFFIC_H
#define MMM_TRAFFIC_H

#include "machine/abstract/count.h"

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
    const void *address; /* of the instruction that asked first, and the number of the array */
    int32_t zone;
    int32_t place;
    uint32_t time;
    int32_t threads;
    bool even; /* the elements lie as far apart as the threads do: only the first is known, and */
    int64_t step;
    bool by_bits; /* each bit of a thread's number adds a number of its own: those of the threads that told are known */
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

/* What the threads of a region did, where few of them stand for the others (sparse.c). */
typedef struct done_work {
    mmm_tally sum, most, lanes; /* of all threads; the most of one; by groups of lanes */
    int64_t span, parts;
} done_work;

/* A region is seldom alone: of those of a line in a block the first few are looked at, then every so many-th, which
 * stands for the others until the next. */
enum { KEPT_MOST = 24, KEPT_FIRST = 3, KEPT_EACH = 16 };
typedef struct kept {
    int line;
    bool alone;
    int64_t seen;
    mmm_region_work work;
    done_work done;
} kept;

/* Nor are the turns of a loop in a region different: after the first ones, every so many-th counts for as many, a
 * number that loops over a few parts seldom have. */
enum { TURNS_FIRST = 14, TURNS_EACH = 7 };

/* Bank passes of a request whose elements lie so by the bits of its threads' numbers, wherever the first is. */
typedef struct bank_passes {
    int64_t more[5], passes;
    int threads, shift;
} bank_passes;

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
    int64_t *at; /* of thread j of request i, at[j * room + i]: the element */
    int row_room; /* threads that it has room for */
    int64_t count, room, next; /* next: the request that the thread is expected to come to */
    int64_t listed;            /* requests that are in by_time */
    int64_t former;            /* requests of the group before: its first thread will come to the same, mostly */
    bool follows;              /* the thread came to all requests before that one, and to no others */
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
    uint64_t works;              /* numbers that were given to the work of regions */
    int kept_count;
    bool skips;           /* the region is not looked at */
    int64_t parts_before; /* the region */
    int64_t times;        /* that the turn counts; 0: it is not looked at */
    int64_t taken;        /* accesses of the block that were looked at */
    bool ahead;           /* the turn asks for what comes later */

    /* where few threads of a group stand for the others */
    bool sparse;
    int64_t begin, end; /* places of the turn: from here to before there */
    int rows;           /* threads that have run in it */
    int arranged, told, order[GROUP]; /* of so many threads so many tell; the order in which they run */
    bool unlike;        /* one had other operations than the first, */
    int64_t own_first[MMM_OPERATION_KINDS + 1]; /* which are these */
    mmm_tally started, delta;                   /* the thread's before the turn; what it did in it */
    done_work region;                           /* so far */
    bank_passes last;                           /* that were looked for */
    mmm_tally lanes_before, skipped_sum, skipped_most;
    uint64_t lately[LATELY], blocks;
};

/* The places of a part that run where few threads stand for the others: the first one from `at` on, and the one behind a
 * thread that ran; at or behind the last there is none. */
int64_t mmm_sparse_first(mmm_counter *c, int64_t at);
int64_t mmm_sparse_next(mmm_counter *c);

/* A thread's turn begins and ends; a region that was looked at, or that was not, ends; so does the block, whose sums
 * have what was passed over. */
void mmm_sparse_turn(mmm_counter *c);
void mmm_sparse_leave(mmm_counter *c);
void mmm_sparse_region(mmm_counter *c);
void mmm_sparse_block(const mmm_counter *c, mmm_tally *sum, mmm_tally *most);

/* What fails ends the block. */
void mmm_traffic_must(mmm_counter *c, mmm_status status);

/* Where few threads stand for the others: so many tell at first, then those whose numbers are powers of two, from 2 on.
 * The row of the thread whose number has this bit alone. */
enum { TOLD = 4 };
static inline int mmm_sparse_row(int bit)
{
    return bit ? TOLD + bit - 1 : 1;
}

/* What the threads of a request ask for, sectors of a global array, elements of a local one; and how many of these
 * differ, without their lowest bits. */
void mmm_traffic_asked(const mmm_counter *c, int64_t number, uint32_t at[GROUP]);
int64_t mmm_traffic_different(const uint32_t *at, int count, int bits);

/* How many units of 2^bits bytes an even request of global memory asks for; where they follow each other, from *first
 * on, which is -1 otherwise. */
int64_t mmm_traffic_units(const mmm_counter *c, int64_t number, int bits, int64_t *first);

/* Passes of the banks that a request of local memory takes. */
int64_t mmm_traffic_passes(const mmm_counter *c, int64_t number);

/* Groups that do what is done between regions. */
int64_t mmm_traffic_groups(const mmm_counter *c);

/* Where somebody hears of work: how many turns one with this number stands for; the turn of a group ends, `before` is
 * the traffic without it; the region ends. */
int64_t mmm_work_times(int64_t number);
void mmm_work_turn(mmm_counter *c, const mmm_traffic *before);
void mmm_work_tell(mmm_counter *c, bool of_groups);

#endif
