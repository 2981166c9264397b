/* SPDX-License-Identifier: Apache-2.0 */
/* The state of the abstract machine while a kernel runs on it.
 *
 * Every array lies in a zone of its own, 2^zone_bits bytes of reserved addresses with the array in the middle, so that
 * the address of an access names its array, and an index wrong by anything an int can hold still names it.  Each
 * element has a cell that remembers who wrote and who read it last. */
#ifndef MMM_COUNT_H
#define MMM_COUNT_H

#include "machine/machine.h"

enum { ALL_THREADS = -1, NO_THREAD = -2 };

/* Who touched an element.  A block has a number, from 2 on, in the order in which blocks ran; 1 is the host, 0 nobody.
 * An interval is the time between two barriers of a block. */
typedef struct mmm_cell {
    uint64_t writer, reader, other_reader; /* blocks; other_reader is one not ordered with reader */
    int32_t writer_interval, writer_thread;
    int32_t reader_interval, reader_thread, other_thread; /* other_thread: another reader of the same interval */
    int32_t more;                                          /* further unordered readers: an index into `extra`, or 0 */
} mmm_cell;

typedef enum mmm_memory { NO_MEMORY, GLOBAL_MEMORY, LOCAL_MEMORY, PRIVATE_MEMORY } mmm_memory;

typedef struct mmm_zone {
    mmm_memory memory;
    const char *name;
    int shift;     /* an element has 1 << shift bytes */
    int64_t count; /* elements now; accesses past them are out of bounds */
    int64_t room;  /* elements with memory and cells behind them */
    mmm_cell *cells;
    bool races_allowed;
} mmm_zone;

/* What one thread did. */
typedef struct mmm_tally {
    int64_t operations, local, reads, writes;
} mmm_tally;

typedef struct mmm_thread {
    mmm_tally total;
    int64_t interval_operations;
    int32_t interval;
} mmm_thread;

typedef struct mmm_extra {
    uint64_t reader;
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

enum { ZONES_GLOBAL = 32, ZONES = ZONES_GLOBAL + 2 * MMM_LOCAL_ARRAYS_MOST };

typedef struct mmm_counter {
    /* where things are */
    uintptr_t base, reserved;
    int zone_bits;
    mmm_zone zones[ZONES];
    uintptr_t stack_top;

    /* where we are */
    int kernel;            /* node number */
    int64_t block;         /* in the kernel */
    uint64_t number;       /* of the block, in order of running */
    uint64_t kernel_start; /* number of the kernel's first block */
    uint64_t ordered_below; /* blocks with smaller numbers are known to precede this kernel */
    int32_t interval, thread;
    int line;
    bool in_region, in_part;
    int64_t block_threads;

    /* what was counted: of the thread now running, of the block, of the run */
    mmm_tally now, uniform, block_sum;
    int64_t span, interval_most;
    mmm_thread *threads;
    int64_t thread_room;
    int64_t local_words;
    int locals, privates;
    mmm_tally run_sum;
    int64_t local_words_most;

    /* the program */
    mmm_program *program;
    const mmm_order *order;
    const mmm_parameters *parameters;
    uint64_t seed;
    int *position;           /* of a kernel in order->sequence */
    uint64_t *start_of;      /* number of the first block of the kernel at a position */
    int *predecessor_first, *predecessors;
    unsigned char *before;   /* kernels that precede `before_of`, by number */
    int before_of;
    int *stack;

    mmm_extra *extra;
    int64_t extra_count, extra_room;
    mmm_finding *findings;
    int64_t finding_count, finding_room;
    mmm_status failure;
    jmp_buf leave; /* abandons the block: after an access that must not happen */
} mmm_counter;

/* The counter of the kernel that this thread runs. */
extern _Thread_local mmm_counter *mmm_counter_now __attribute__((tls_model("initial-exec")));

enum {
    KIND_WRITE_WRITE,
    KIND_READ_WRITE,
    KIND_BLOCK_RACE,
    KIND_KERNEL_RACE,
    KIND_OUT_OF_BOUNDS,
    KIND_UNWRITTEN,
    KIND_LOCAL_MEMORY,
    KIND_THREADS,
    KIND_LEFT_REGION,
    KIND_WILD,
};

/* Memory: zones and what fills them. */
mmm_status mmm_counter_reserve(mmm_counter *c);
mmm_status mmm_counter_fill(mmm_counter *c, int zone, mmm_memory memory, const char *name, int size, int64_t count);
void *mmm_counter_address(const mmm_counter *c, int zone);
void mmm_counter_release(mmm_counter *c);

/* Races: one access of the running thread to a cell. */
void mmm_cell_read(mmm_counter *c, mmm_zone *zone, int64_t index, const void *address);
void mmm_cell_write(mmm_counter *c, mmm_zone *zone, int64_t index, const void *address);

/* Notes a violation by the running thread; `other` is the block that it collides with, 0: none. */
void mmm_counter_note(mmm_counter *c, int kind, const mmm_zone *zone, int64_t index, uint64_t other, int other_thread,
                      const void *address);

/* Order: whether the block of that number ran in a kernel that precedes the running one; its kernel and place. */
bool mmm_counter_ordered(mmm_counter *c, uint64_t number);
void mmm_counter_locate(mmm_counter *c, uint64_t number, int *kernel, int64_t *block);

/* The order in which the blocks of a kernel run: `blocks` numbers, drawn from the seed. */
void mmm_counter_shuffle(uint64_t seed, int kernel, int64_t blocks, int32_t *sequence);

/* A block begins and ends. */
void mmm_counter_begin_block(mmm_counter *c);
void mmm_counter_end_block(mmm_counter *c, mmm_cost *cost);

#endif
