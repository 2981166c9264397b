/* SPDX-License-Identifier: Apache-2.0 */
/* The program record behind mmm_program, and what the model's files share. */
#ifndef MMM_MODEL_H
#define MMM_MODEL_H

#include "base/base.h"

/* One call of a kernel.  The model reads name, blocks, threads and costs; code and arguments are for machines. */
typedef struct mmm_node {
    char *name;
    int64_t blocks, threads; /* blocks of all problems of a batch */
    mmm_cost *costs;         /* groups of blocks of equal cost, NULL until counted or given */
    int groups;
    const mmm_kernel *code;      /* NULL: a program that is data */
    mmm_value *arguments;        /* as many as the code has parameters; arrays by number */
    int64_t blocks_x, threads_x; /* blocks in a row of the grid, threads in a row of a block */
    int64_t local_words;
    int64_t shares;       /* it goes on with what the kernel before it did, so many shares; 0: it waits for all of it */
    int64_t period;       /* blocks whose numbers differ by a multiple of it cost the same; 0: not known */
    double seconds;       /* measured elsewhere, 0: not */
    mmm_traffic *traffic; /* NULL until counted */
    double less; /* the part of what its constants say that it leaves undone: where it has fewer steps than others */
    mmm_unfold *unfold; /* what is called when it has ended, NULL: nothing; */
    void *context;      /* and with what */
} mmm_node;

typedef struct mmm_edge {
    int before, after;
    int decides; /* 1: `after` was added when `before` had ended */
} mmm_edge;

/* The DAG in the form algorithms walk: kernels in a topological order, and the neighbours of each. */
typedef struct mmm_order {
    int kernels;
    int *sequence;                   /* kernels, predecessors first */
    int *first, *to;                 /* successors of k are to[first[k]] .. to[first[k + 1] - 1] */
    int *from_first, *from;          /* predecessors of k are from[from_first[k]] .. from[from_first[k + 1] - 1] */
    bool *to_decides, *from_decides; /* of the edges to and from them */
    int *level;                      /* kernels on the longest path that ends before k: its parallel step, from 0 */
} mmm_order;

struct mmm_program {
    uint64_t identity; /* no other program, and no other state of this one, has it */
    mmm_node *nodes;
    int64_t kernels, node_room;
    mmm_edge *edges;
    int64_t edge_count, edge_room;
    mmm_order *order;          /* see mmm_program_order; empty until it is asked for */
    struct mmm_global *arrays; /* for machines */
    int64_t array_count, array_room;
    mmm_modulus *modulus;            /* NULL: words are plain integers */
    mmm_modulus *moduli;             /* of each problem; NULL: all have that one */
    int word_bits;                   /* 32 or 64 */
    int64_t batch;                   /* problems solved at once, each with arrays and blocks of its own */
    bool unchained;                  /* a call does not follow the one before by itself */
    struct mmm_unfolding *unfolding; /* NULL: it is as it was built */
    uint64_t reserved, available;    /* bytes of host memory: see mmm_program_reserve */
    int64_t expected;                /* kernels that are among them */
    double took;                     /* seconds of its last run on a CPU */
    double alone;                    /* and of the last one there without helpers */
    int64_t runs;                    /* on a CPU */
    int worse;                       /* runs with helpers since one that was quicker than alone */
    int left_out, pause;             /* runs to do alone before helpers are tried again, now and the next time */
    bool loose;                      /* whoever runs it need not wait for its end, where a device keeps the order */
};

/* Notes bytes of host memory that kernels, arrays or inputs of the program are going to take.  Fails with
 * MMM_TOO_LARGE, naming what comes to be, where the sum of all that was noted is more than there was when the first
 * was. */
mmm_status mmm_program_reserve(mmm_program *program, uint64_t bytes, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Gives the program a new identity: called by whatever changes it, but for what a run adds to it. */
void mmm_program_touch(mmm_program *program);

/* What a run has added to a program, and the decision under way. */
typedef struct mmm_unfolding {
    int64_t kernels, edges;        /* how many there were before the run */
    int deciding;                  /* the kernel that has ended; -1: none */
    int64_t first;                 /* the first kernel that this decision adds */
    bool unchained;                /* before the decision */
    const struct mmm_sight *sight; /* of the machine that runs it */
} mmm_unfolding;

/* Whether a decision adds to the program now. */
static inline bool mmm_program_decides(const mmm_program *program)
{
    return program->unfolding && program->unfolding->deciding >= 0;
}

/* Takes back what the last run has added. */
void mmm_program_fold(mmm_program *program);

/* Fails unless a machine that a caller filled in is one: every number in its range, every name ended. */
mmm_status mmm_parameters_check(const mmm_parameters *machine);

/* The built-in machine that fits a device, NULL: there is none.  After mmm_parameters_builtin, which reads them. */
const mmm_parameters *mmm_parameters_shipped(const char *device, bool cpu);

/* The file of a built-in machine; NULL: there is none of that name. */
const char *mmm_parameters_text(const char *name);

/* The costs of a kernel's blocks, in groups; NULL: not known. */
typedef struct mmm_cost_list {
    const mmm_cost *costs;
    int groups;
} mmm_cost_list;

/* Work, span and overhead of a program with the costs that a function says, of one kernel after the other, instead of
 * its own. */
typedef mmm_cost_list mmm_costs_of(void *context, int64_t kernel);
mmm_status mmm_measures_of(const mmm_program *program, mmm_costs_of *costs_of, void *context,
                           const mmm_parameters *machine, mmm_measures *out);

/* Keeps the traffic of a kernel; NULL: forgets it.  Adds one to another: maxima where the record has them. */
mmm_status mmm_program_set_traffic(mmm_program *program, int kernel, const mmm_traffic *traffic);
void mmm_traffic_add(mmm_traffic *sum, const mmm_traffic *term);

extern const double mmm_factors_usual[MMM_LIMITS];

/* The factors of a machine: from its file; whether they are some; and a copy that stays, in place of the table of the
 * caller that it has. */
struct json_t;
mmm_status mmm_factors_read(const struct json_t *kernels, const char *path, mmm_parameters *out);
mmm_status mmm_factors_check(const mmm_parameters *machine);
mmm_status mmm_factors_keep(mmm_parameters *machine);

/* A part of a region, THREADS or ITEMS, as a core of a CPU sees it: a loop over its turns, in vectors.  Accesses are by
 * how the elements of neighbouring turns lie: next to each other, the same one, or anywhere. */
typedef struct mmm_part {
    int64_t turns, width, lanes;                 /* width: turns of a row; lanes: those of a vector */
    int64_t operations[MMM_OPERATION_KINDS + 1]; /* of all turns, by kind; the last: reductions */
    int64_t vector, same, gathered, scattered;   /* the last two: anywhere, reads and writes */
    int64_t own;                                 /* of PRIVATE memory */
    int64_t lines, distinct; /* of 64 bytes that accesses of global memory come to; of a block as a whole, how many
                              * different ones */
} mmm_part;

/* Adds what a part takes with these constants, in seconds.  A part of width 0 is a block as a whole: operations between
 * its regions as operations[0], but for exchanges, one a group, and accesses there as `own`.  Lines of memory take
 * their own time. */
void mmm_part_time(const mmm_part *part, const double *constants, double limits[MMM_LIMITS]);

/* What is waited for in a block of a kernel of so many: where blocks are short, a core is at the next ones meanwhile. */
void mmm_blocks_overlap(double blocks, const double *constants, double limits[MMM_LIMITS]);

/* A line from the level of cache that holds so many bytes; those of its arrays that a kernel touches, which may look at
 * a part of them only, at no more than all lines of its blocks; and the lines of a block of a kernel with so many bytes
 * and blocks, of which so many are different.  Of these the first that it has of the bytes that are touched take
 * `first_line` each; the others, and those that it comes to again, are where the block's own lie. */
double mmm_line_time(double bytes, const double *constants);
double mmm_bytes_touched(double bytes, double lines, double blocks);
double mmm_lines_time(double lines, double distinct, double bytes, double blocks, double first_line,
                      const double *constants);

/* A constant's name in machine files, and about what it is where nothing is known. */
typedef struct mmm_constant_record {
    const char *key;
    double usual;
} mmm_constant_record;
extern const mmm_constant_record mmm_constant_records[MMM_CONSTANTS], mmm_gpu_records[MMM_GPU_CONSTANTS];

/* Constants that a machine and its file may have, of a core and of a GPU, for words of 32 and of 64 bits: all of a set
 * are numbers, or all are 0. */
typedef struct mmm_constant_set {
    const char *key, *what; /* in files, and in messages */
    size_t offset;          /* in mmm_parameters */
    const mmm_constant_record *records;
    int count;
    double most;
    const char *bound; /* which says that in messages */
} mmm_constant_set;
enum { MMM_CONSTANT_SETS = 4 };
extern const mmm_constant_set mmm_constant_sets[MMM_CONSTANT_SETS];

/* How much of `bytes` is past a level of cache: from 0 to 1, half where they are as many. */
double mmm_past_level(double bytes, double level);

/* The machine as programs with such words see it: where it has constants of its own for 64 bits, a copy, *wide. */
const mmm_parameters *mmm_parameters_by_words(const mmm_parameters *machine, int word_bits, mmm_parameters *wide);

/* Whether times go by constants of a core. */
static inline bool mmm_has_core(const mmm_parameters *machine)
{
    return machine->constants[0] > 0 && !machine->threads;
}

/* What groups of 32 threads do in a region of a block: all of them, and the one that does most.  A turn counts as much
 * as the thread that does most in it. */
typedef struct mmm_group_work {
    int64_t turns;
    int64_t operations[MMM_OPERATION_KINDS + 1]; /* by kind; the last: reductions */
    int64_t reads, writes, sectors;              /* requests of global memory, atomics among the reads; their sectors */
    int64_t lines;                               /* of 128 bytes that these are in */
    int64_t moved;                               /* sectors that the block had not had lately */
    int64_t serial;                              /* billionths: sectors of atomics over those of their array */
    int64_t local, passes;                       /* requests of local memory, and their passes over its banks */
} mmm_group_work;

typedef struct mmm_region_work {
    int64_t groups;                  /* that had turns */
    int64_t threads, private_words;  /* of the block; of 4 bytes that a thread has */
    bool of_groups;                  /* it ends with no barrier of all threads */
    mmm_group_work all, most, first; /* first: what the first group did alone beside it; turns are regions there */
    uint64_t number;                 /* regions of one number did the same; 0: nobody knows */
} mmm_region_work;

typedef void mmm_work_sink(void *context, const mmm_region_work *work);

struct mmm_profile;

/* What a block takes where an SM has 1, 2, 4 and so on to 32 of them at once. */
enum { MMM_AT_ONCE = 6 };

/* Adds what a region takes on a GPU with these constants, in nanoseconds, by what limits it (gpu.c); and keeps the sum
 * over the regions of a block. */
void mmm_gpu_region(const mmm_region_work *work, const double *constants, double at_once[MMM_AT_ONCE][MMM_LIMITS]);
void mmm_gpu_block(double at_once[MMM_AT_ONCE][MMM_LIMITS], struct mmm_profile *out);

static inline bool mmm_has_gpu(const mmm_parameters *machine)
{
    return machine->gpu[MMM_GPU_LAUNCH] > 0;
}

/* What a block costs where a SM runs `lanes` threads at once: sums over the regions, and over groups of so many
 * neighbours in each, of the most that one thread of the group does. */
typedef struct mmm_profile {
    mmm_cost cost;                                   /* cost.blocks: how many blocks are like this one */
    int64_t regions, parts;                          /* parts: SOME and THREADS, each a loop over lanes on a CPU */
    int64_t lane_operations, lane_words, lane_local; /* arithmetic, words of global memory, accesses of local memory */
    int64_t accesses;                                /* all of them: what counting the block takes */
    int64_t lines, distinct;                  /* of global memory, see mmm_part; only where the machine has constants */
    int64_t time[MMM_LIMITS];                 /* without these, by the machine's constants, in picoseconds */
    int64_t moved, private_words, serial;     /* likewise; see mmm_group_work */
    int64_t issued, requests, sectors;        /* likewise: all operations, and of global memory, of all groups */
    int64_t at_once[MMM_AT_ONCE][MMM_LIMITS]; /* by the constants of a GPU, in picoseconds; 0: there are none */
} mmm_profile;

/* The extended model (docs/model.md), in seconds: a block. */
double mmm_extended_block(const mmm_profile *block, const mmm_rates *rates);

/* A kernel of `count` groups of blocks. */
typedef struct mmm_kernel_time {
    double launch;
    double blocks;             /* all its blocks, one after the other */
    double longest;            /* of a block, where as many as a SM has at once take turns */
    double alone;              /* an estimate: what it takes after the launch where nothing else runs */
    double share;              /* of all SMs' time, as much of that as a full machine would need */
    double limits[MMM_LIMITS]; /* what `alone` consists of, on a GPU with constants */
} mmm_kernel_time;

mmm_kernel_time mmm_extended_kernel(const mmm_node *node, const mmm_profile *groups, int64_t count,
                                    const mmm_parameters *machine, const mmm_rates *rates);

/* An estimate by the constants of a GPU: launch, alone and share.  The kernel works on `size` bytes; what
 * limits its blocks is multiplied by these factors, one a limit, or, where there are none, stays.  Of the node its
 * blocks, threads and local words are looked at. */
mmm_kernel_time mmm_gpu_kernel(int word_bits, const mmm_node *node, const mmm_profile *groups, int64_t count,
                               double size, const double *factors, const mmm_parameters *machine);

/* What decisions add to an estimate, in seconds. */
double mmm_decisions_time(const mmm_shape *shape, const mmm_parameters *machine);

/* The program's bound on P SMs (0: no limit) and estimate, from the times of its kernels. */
mmm_status mmm_extended_program(const mmm_program *program, const mmm_kernel_time *times, int64_t P, double *bound,
                                double *estimate);

/* What a kernel is expected to take as a sum: rates times these, in the order launch, barrier, part, operation, word,
 * access. */
enum { MMM_RATE_COUNT = 6 };
void mmm_estimate_terms(const mmm_node *node, const mmm_profile *groups, int64_t count, const mmm_parameters *machine,
                        double terms[MMM_RATE_COUNT]);

/* Where JSON has a quantity. */
typedef enum mmm_quantity_part { MMM_NOWHERE, MMM_MEASURES, MMM_DAG, MMM_BOUNDS, MMM_OUTSIDE } mmm_quantity_part;

/* A quantity of an analysis: what outputs call it, and where it is.  NULL: it is not there. */
typedef struct mmm_quantity {
    const char *head;    /* of a column in tables for people: the paper's letter where it has one */
    const char *key;     /* in JSON */
    const char *column;  /* in CSV */
    const char *name;    /* in words, for the page */
    const char *meaning; /* of the main ones, a sentence's part */
    const char *found;   /* of one that few analyses have: the head of its column in tables, where one has it */
    const char *unit;
    mmm_quantity_part part;
    bool main;      /* W, S and O, which are drawn */
    bool predicted; /* a prediction has it too, in its measures */
    enum { MMM_FROM_INTEGER, MMM_FROM_REAL, MMM_FROM_COUNTS, MMM_FROM_QUOTIENT } source;
    size_t at;   /* offset in mmm_analysis, or in its counts */
    size_t when; /* offset of a number without which it is not there; 0: it is */
    size_t by;   /* offset of the divisor of a quotient, or of what stands for counts that are not there */
} mmm_quantity;

typedef struct mmm_amount {
    bool known, whole;
    int64_t integer;
    double real; /* the same number; NaN where it is not known */
} mmm_amount;

/* All of them, in the order of outputs; and the value of one. */
extern const mmm_quantity mmm_quantities[];
extern const int mmm_quantity_count;
mmm_amount mmm_quantity_of(const mmm_quantity *quantity, const mmm_analysis *analysis);

/* The order of a program, made when first asked for and good until the program changes.  Fails for a cycle, naming a
 * kernel on it. */
mmm_status mmm_program_order(const mmm_program *program, const mmm_order **out);

/* The shape of a program without K, which takes longest. */
mmm_status mmm_program_extent(const mmm_program *program, mmm_shape *out);

/* What mmm_program_touch does to it. */
void mmm_order_clear(mmm_order *order);

/* The largest total weight of pairwise unordered kernels. */
mmm_status mmm_antichain(const mmm_order *order, const int64_t *weight, int64_t *out);

#endif
