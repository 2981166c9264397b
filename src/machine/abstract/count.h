/* SPDX-License-Identifier: Apache-2.0 */
/* The state of the abstract machine while a kernel runs on it.
 *
 * Every array lies in a zone of its own, 2^zone_bits bytes of reserved addresses with the array in the middle, so that
 * the address of an access names its array, and an index wrong by anything an int can hold still names it.  A process
 * that may have few addresses has smaller zones: an index that is wrong by less than half a zone, which the largest
 * array of the program does not pass, still names its array; one that is further off may be found in another array, or
 * not found where it meets an element of that one.  Each element has a cell that remembers who wrote and who read it
 * last. */
#ifndef MMM_COUNT_H
#define MMM_COUNT_H

#include "machine/machine.h"

enum { ALL_THREADS = -1, NO_THREAD = -2, ATOMICS = -3 }; /* from the last on down: by atomics, see races.c */

enum { GROUP = 32 }; /* threads that a region of groups closes together */

/* When an element was touched: number << INTERVAL_BITS | interval.  A block has a number, from 2 on, in the order in
 * which blocks ran; 1 is the host, 0 nobody.  An interval, from 1 on, is the time between two barriers of a block. */
typedef uint64_t mmm_stamp;

enum { INTERVAL_BITS = 20 };

/* With an `other` that made an atomic. */
#define BY_ATOMIC ((mmm_stamp)1 << 63)

/* Who touched an element last. */
typedef struct mmm_cell {
    mmm_stamp writer, reader, other; /* other: who else read it, or made an atomic, of a block not ordered with them */
    int32_t writer_thread, reader_thread; /* the first: or who made atomics on it */
    int32_t other_thread; /* another reader of that interval, or of another group since the last barrier of all */
    int32_t more;         /* further such: an index into `extra`, or 0 */
} mmm_cell;

typedef enum mmm_memory { NO_MEMORY, GLOBAL_MEMORY, LOCAL_MEMORY, PRIVATE_MEMORY } mmm_memory;

typedef struct mmm_zone {
    mmm_memory memory;
    const char *name;
    int shift;     /* an element has 1 << shift bytes */
    int64_t count; /* elements now; accesses past them are out of bounds */
    int64_t bytes; /* with memory behind them */
    int64_t room;  /* elements with cells */
    mmm_cell *cells;
    bool races_allowed;
    const char *host;  /* where blocks are sampled: what a page holds when it is first touched; NULL: it is
                        * not looked at */
    int64_t known;     /* bytes of it, then the same again; 0: all */
    uint32_t *touched; /* the load since which each page was touched */
} mmm_zone;

enum { PAGE_BITS = 10 };

/* What one thread did. */
typedef struct mmm_tally {
    int64_t operations, local, reads, writes;
} mmm_tally;

static inline void mmm_tally_add(mmm_tally *sum, const mmm_tally *term, int64_t times)
{
    sum->operations += times * term->operations;
    sum->local += times * term->local;
    sum->reads += times * term->reads;
    sum->writes += times * term->writes;
}

typedef struct mmm_thread {
    mmm_tally total;
    mmm_stamp stamp;  /* of the interval in which it last ran */
    mmm_tally before; /* what it had done before that interval */
} mmm_thread;

/* The most that one thread of `lanes` neighbours did in the interval. */
typedef struct mmm_group {
    mmm_stamp stamp;
    mmm_tally most;
} mmm_group;

typedef struct mmm_extra {
    mmm_stamp other;
    int32_t next;
} mmm_extra;

/* A violation while it is collected: by address, not by line. */
typedef struct mmm_finding {
    int kind;
    mmm_memory memory;
    const char *array;
    int64_t index;
    int kernel, other_kernel; /* node numbers, -1: none */
    int64_t block, other_block;
    int32_t thread, other_thread;
    const void *address;
    int line;
    int64_t count;
} mmm_finding;

/* The threads of a part in the order in which they run: round and round from the first one in steps that meet each. */
typedef struct mmm_walk {
    uint32_t first, step, high, count; /* all below `high`, `count` of them */
    uint32_t at;                       /* the thread that runs */
} mmm_walk;

/* Global arrays come first, as many as the program has; then LOCAL ones, then PRIVATE ones. */
enum { ZONES_GLOBAL = MMM_ARRAYS_MOST, ZONES = ZONES_GLOBAL + MMM_LOCAL_ARRAYS_MOST + MMM_PRIVATE_ARRAYS_MOST };

typedef struct mmm_counter {
    /* where things are */
    uintptr_t base, reserved;
    int zones_global;
    int zone_bits;
    int64_t zone_half; /* bytes of half a zone */
    mmm_zone zones[ZONES];
    uintptr_t stack_top;   /* what kernels keep on the stack lies below */
    uintptr_t given[2][2]; /* what they may read above: their arguments, what they know of the call */

    /* where we are */
    int kernel;              /* node number */
    int64_t block;           /* in the kernel */
    mmm_stamp stamp;         /* now */
    mmm_stamp barrier;       /* the first interval since all threads of the block met; `stamp` where no groups do */
    mmm_stamp block_start;   /* earlier stamps are other blocks' */
    mmm_stamp kernel_start;  /* earlier stamps are other kernels' */
    mmm_stamp ordered_below; /* earlier stamps are of kernels known to precede this one */
    int32_t thread;
    int line;
    bool in_region, in_part;
    mmm_walk walk;
    bool items;     /* of a part: not threads but items, shared out among them */
    int items_from; /* the first thread that has some */
    int64_t block_threads;

    /* what was counted: of the block, of the run */
    mmm_tally *now;     /* of the thread that runs, or `between` */
    mmm_tally *between; /* what is done between regions: by all threads, or by the first group alone */
    mmm_tally uniform, alone;
    int64_t between_booked; /* its operations that are in the span */
    int64_t span, interval_most;
    int64_t span_before, beside; /* what the first group does alone: the span at its start; its own, at its end */
    mmm_thread *threads;
    int64_t thread_room;
    int64_t local_words, local_bytes;
    int locals, privates, private_words, private_bytes; /* the last with 4 bytes for a value at least */
    mmm_tally run_sum;
    int64_t local_words_most;
    double seconds; /* of all kernels */

    bool sampling;       /* no cells: costs alone are wanted */
    int64_t left;        /* accesses that the block may make then; */
    bool few;            /* few turns of a part stand for the others (turns.c) */
    int64_t before_part; /* before the part; */
    bool hasty;          /* it is given up as soon as a group tells that it will make more */
    uint32_t loads;      /* how often the host's arrays were copied, or will have been when they are touched */
    int64_t regions, parts;
    struct mmm_collector *traffic;         /* NULL: not wanted */
    struct mmm_part_counter *part_counter; /* the same */
    struct mmm_part_counter *of_parts;     /* the same where blocks are sampled for nothing else */

    /* where blocks are only sampled: sums by groups of lanes */
    int64_t lanes;
    mmm_tally lane_sum; /* words in `reads` */
    mmm_group *groups;
    int64_t group_room;

    /* the program */
    mmm_program *program;
    const mmm_order *order;
    const mmm_parameters *parameters;
    bool shuffled; /* blocks and threads run in an order drawn from the seed, else in that of their numbers */
    uint64_t seed, block_seed;
    int *sequence;      /* kernels in the order in which they run */
    int known;          /* so many; decisions may add some */
    int *position;      /* of a kernel among them */
    int *prefix;        /* of a kernel: positions up to this one precede it, -1: none is known to */
    uint64_t *start_of; /* number of the first block of the kernel at a position, and of the one behind the last */
    int64_t sequence_room, position_room, prefix_room, start_room, before_room, stack_room;
    unsigned char *before; /* kernels that precede `before_of`, by number */
    int before_of;
    int32_t *shares; /* blocks of kernel `shares_of` in the order in which they ran */
    int64_t shares_room;
    int shares_of;
    int *stack;

    mmm_extra *extra;
    int64_t extra_count, extra_room;
    mmm_finding *findings;
    int64_t finding_count, finding_room;
    mmm_status failure;
    bool stopped;  /* some block was */
    jmp_buf leave; /* abandons the block: after an access that must not happen */
} mmm_counter;

/* The counter of the kernel that this thread runs: all the thread-local storage there is, read at every access of
 * memory.  The Makefile has it read by a descriptor, which is quick and works in a library that is opened late. */
extern _Thread_local mmm_counter *mmm_counter_now;

/* Makes `c` the counter of the kernel that this thread runs; returns the one before, which is to be put
 * back. */
mmm_counter *mmm_counter_enter(mmm_counter *c);

enum {
    KIND_WRITE_WRITE = MMM_VIOLATION_WRITE_WRITE,
    KIND_READ_WRITE = MMM_VIOLATION_READ_WRITE,
    KIND_BLOCK_RACE = MMM_VIOLATION_BLOCK_RACE,
    KIND_KERNEL_RACE = MMM_VIOLATION_KERNEL_RACE,
    KIND_OUT_OF_BOUNDS = MMM_VIOLATION_OUT_OF_BOUNDS,
    KIND_UNWRITTEN = MMM_VIOLATION_UNWRITTEN_READ,
    KIND_LOCAL_MEMORY = MMM_VIOLATION_LOCAL_MEMORY,
    KIND_THREADS = MMM_VIOLATION_THREADS,
    KIND_LEFT_REGION = MMM_VIOLATION_LEFT_REGION,
    KIND_WILD = MMM_VIOLATION_WILD_POINTER,
    KIND_WIDE = MMM_VIOLATION_WIDE_ACCESS,
    KIND_FOREIGN = MMM_VIOLATION_FOREIGN_PRIVATE,
    KIND_NO_RESULT = MMM_VIOLATION_UNWRITTEN_RESULT,
    KIND_UNFOLD_ORDER = MMM_VIOLATION_UNFOLD_ORDER,
};

/* Memory: whether there is enough of it; zones and what fills them. */
mmm_status mmm_counter_fit(const mmm_counter *c);
mmm_status mmm_counter_reserve(mmm_counter *c);
mmm_status mmm_counter_fill(mmm_counter *c, int zone, mmm_memory memory, const char *name, int size, int64_t count);
void *mmm_counter_address(const mmm_counter *c, int zone);
void mmm_counter_release(mmm_counter *c);

/* Races: what the inline checks of count.c cannot settle. */
void mmm_cell_read_slowly(mmm_counter *c, mmm_zone *zone, int64_t index, const void *address);
void mmm_cell_write_slowly(mmm_counter *c, mmm_zone *zone, int64_t index, const void *address);
void mmm_cell_atomic(mmm_counter *c, mmm_zone *zone, int64_t index, const void *address);

/* Notes a violation by the running thread; `other` is when the block that it collides with acted, 0: none. */
void mmm_counter_note(mmm_counter *c, int kind, const mmm_zone *zone, int64_t index, mmm_stamp other, int other_thread,
                      const void *address);

/* Puts the kernels from `first` on behind those that are known to the sequence. */
mmm_status mmm_counter_extend(mmm_counter *c, int first);

/* A decision looks at elements of an array, when the kernel that runs has ended: an mmm_sight is told so. */
void mmm_counter_look(void *counter, int array, int64_t first, int64_t count);

/* A number for each kernel of a program, with what it runs and what it follows: the same for DAGs that are the same. */
mmm_status mmm_program_prints(const mmm_program *program, uint64_t **out);

/* Order: whether the stamp is of a kernel that precedes the running one; its kernel and block. */
bool mmm_counter_ordered(mmm_counter *c, mmm_stamp stamp);
/* The first of the kernels that go on with each other share by share up to this one. */
int mmm_counter_strand(const mmm_counter *c, int kernel);
void mmm_counter_locate(mmm_counter *c, mmm_stamp stamp, int *kernel, int64_t *block);

/* The order in which the blocks of a kernel run. */
void mmm_counter_shuffle(const mmm_counter *c, int kernel, int64_t blocks, int32_t *sequence);

/* The order in which threads low .. high - 1, at least one, run the next part of the block. */
mmm_walk mmm_counter_walk(const mmm_counter *c, int low, int high);

/* A block begins, runs and ends. */
void mmm_counter_begin_block(mmm_counter *c);
void mmm_counter_run_block(mmm_counter *c, mmm_entry *entry, const mmm_value *values, const mmm_call *call);
void mmm_counter_end_block(mmm_counter *c, mmm_cost *cost);

/* The thread that has a place of the part; what threads did at places from .. to - 1, where another one tells. */
int64_t mmm_counter_thread_of(const mmm_counter *c, int64_t at);
void mmm_counter_credit(mmm_counter *c, int64_t from, int64_t to, const mmm_tally *did);

/* One that makes too many accesses ends here. */
void mmm_counter_give_up(mmm_counter *c) __attribute__((noreturn));

/* Debug information, NULL: there is none; the line and column of an address in a kernel, 0 where they are not known. */
struct Dwfl;
struct Dwfl *mmm_source_open(void);
void mmm_source_find(struct Dwfl *dwfl, const void *address, int *line, int *column);
void mmm_source_close(struct Dwfl *dwfl);

/* Traffic of groups (traffic.c), for kernels that run with no cells and threads in order.  A region begins; a
 * thread's turn begins, with the round of items that it is in, and ends; a region, a block, a kernel ends.  What goes
 * wrong is in c->failure. */
typedef struct mmm_collector mmm_collector;
/* Parts of regions, for prediction: the calls of a block, a part, a turn and so on; the last gives the block's time by
 * the machine's constants. */
typedef struct mmm_part_counter mmm_part_counter;
mmm_status mmm_part_counter_new(const mmm_parameters *machine, mmm_part_sink *sink, void *context,
                                mmm_part_counter **out);
void mmm_part_counter_free(mmm_part_counter *x);
void mmm_parts_block(mmm_counter *c);
void mmm_parts_begin(mmm_counter *c);
void mmm_parts_turn(mmm_counter *c);
void mmm_parts_operations(mmm_counter *c, int64_t operations, int kind);
void mmm_parts_access(mmm_counter *c, const mmm_zone *zone, int64_t index, bool write, const void *address);
void mmm_parts_end(mmm_counter *c);
void mmm_parts_take(mmm_counter *c, mmm_profile *out);

typedef enum mmm_traffic_kind { TRAFFIC_READ, TRAFFIC_WRITE, TRAFFIC_ATOMIC } mmm_traffic_kind;
mmm_status mmm_collector_new(mmm_collector **out);
/* One that tells the work of groups, region by region, and keeps nothing. */
mmm_status mmm_collector_hear(mmm_work_sink *sink, void *context, mmm_collector **out);
void mmm_collector_free(mmm_collector *x);
void mmm_traffic_sparse(mmm_collector *x, bool sparse); /* few threads stand for the others from now on, or all run */
void mmm_traffic_begin(mmm_counter *c);
void mmm_traffic_turn(mmm_counter *c, int64_t round);
void mmm_traffic_leave(mmm_counter *c);
void mmm_traffic_operations(mmm_counter *c, int64_t operations, int kind);
void mmm_traffic_reduction(mmm_counter *c);
void mmm_traffic_access(mmm_counter *c, const mmm_zone *zone, int64_t index, mmm_traffic_kind kind,
                        const void *address);
void mmm_traffic_region(mmm_counter *c, bool of_groups);
void mmm_traffic_block(mmm_counter *c, const mmm_tally *most);
int64_t mmm_traffic_taken(mmm_counter *c); /* accesses that were looked at since it was asked last */
mmm_status mmm_traffic_kernel(mmm_counter *c);
/* Of all kernels; the regions become the caller's. */
void mmm_traffic_take(mmm_collector *x, mmm_traffic *sum, mmm_region_traffic **regions, int64_t *count);

/* What is known of the last run. */
typedef struct mmm_abstract {
    mmm_violation *violations;
    int64_t room;
    mmm_traffic traffic;
    mmm_region_traffic *regions;
    int64_t region_count;
    unsigned char
        *written[ZONES_GLOBAL]; /* of arrays that the caller may fetch: a bit an element; NULL: all of it is */
} mmm_abstract;

void mmm_abstract_forget(mmm_abstract *state);

/* Results: keeps which elements of an array were written, notes those that go to the caller and were not. */
mmm_status mmm_abstract_results(mmm_machine *machine, const mmm_counter *c, int array);
mmm_status mmm_abstract_fetch(mmm_machine *machine, const mmm_program *program, int array, int64_t first,
                              int64_t count);

#endif
