/* SPDX-License-Identifier: Apache-2.0 */
/* The model of section 2: machines, programs as DAGs of kernels, measures, bounds, schedules; counting a program on the
 * abstract machine; and everything the model says of one program, as text, JSON, CSV, DOT and traces. */
#ifndef MMM_MODEL_API_H
#define MMM_MODEL_API_H

#include <mmm/kernel.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Machines (section 2.1) -------------------------------------------------------------------------------------- */

/* What parts of a program cost on a real machine, in seconds, fitted to short runs of one application: a kernel, a
 * region, a part of one (SOME), an operation of each lane, a word moved by each lane, an access of local memory by each
 * lane. */
typedef struct mmm_rates {
    char app[48];
    double launch, barrier, part, operation, word, access;
    double error; /* of the fit: the root mean square of the relative error */
} mmm_rates;

enum { MMM_RATES_MOST = 32 };

/* Constants of a core of a CPU (docs/model.md), measured by mmm_calibrate where a kernel can tell them: seconds, but
 * for the last four. */
typedef enum mmm_constant {
    MMM_CONSTANT_STEP,        /* a step of the DAG */
    MMM_CONSTANT_BLOCK,       /* the start of a block, */
    MMM_CONSTANT_PART,        /* and of a part of a region */
    MMM_CONSTANT_CHAIN,       /* until the next part may use what a part has stored */
    MMM_CONSTANT_ACCESS,      /* a vector of neighbouring elements, read or written, in the first-level cache */
    MMM_CONSTANT_OWN,         /* the same in PRIVATE memory */
    MMM_CONSTANT_GATHER,      /* an element by itself, read, */
    MMM_CONSTANT_SCATTER,     /* and written */
    MMM_CONSTANT_LINE_2,      /* a line of global memory in the second-level cache, */
    MMM_CONSTANT_LINE_3,      /* the third-level cache, */
    MMM_CONSTANT_LINE_MEMORY, /* and in memory */
    MMM_CONSTANT_BETWEEN,     /* an operation between regions, */
    MMM_CONSTANT_FETCH,       /* and an access of memory there */
    MMM_CONSTANT_TURN,        /* a turn of a loop that is not in vectors */
    MMM_CONSTANT_ISSUE, /* a vector of operations of a kind, where there are many: from here on by kind; the last is a
                         * reduction */
    MMM_CONSTANT_LATENCY = MMM_CONSTANT_ISSUE + MMM_OPERATION_KINDS + 1, /* where the next one waits for it, likewise */
    MMM_CONSTANT_HELPER = MMM_CONSTANT_LATENCY + MMM_OPERATION_KINDS + 1, /* until another thread helps */
    MMM_CONSTANT_MEET,      /* a step that several threads share, until all of them know */
    MMM_CONSTANT_WINDOW,    /* work in which a core looks ahead, and begins blocks behind one that waits */
    MMM_CONSTANT_REMAINDER, /* a thread that fills no vector, as a part of what a vector takes */
    MMM_CONSTANT_LEVEL_1,   /* bytes of the caches */
    MMM_CONSTANT_LEVEL_2,
    MMM_CONSTANT_LEVEL_3,
    MMM_CONSTANTS
} mmm_constant;

/* What the time of a kernel on a core consists of (docs/model.md): starts of blocks and parts; what waits for what was
 * computed before; what takes its turn in vectors; elements that do not lie side by side; the same turns as if there
 * were no vectors, operations and loop; what is done between regions; lines of global memory.  On a GPU: starts of
 * programs, kernels and blocks; what waits for operations and for global memory; issue; local memory and its banks; the
 * two of loops never; barriers; bandwidth of global memory and its atomics. */
typedef enum mmm_limit {
    MMM_LIMIT_START,
    MMM_LIMIT_LATENCY,
    MMM_LIMIT_ISSUE,
    MMM_LIMIT_SCATTER,
    MMM_LIMIT_SCALAR,
    MMM_LIMIT_TURN,
    MMM_LIMIT_BETWEEN,
    MMM_LIMIT_MEMORY,
    MMM_LIMITS
} mmm_limit;

/* "start", "latency", "issue", ...; NULL: there is no such. */
MMM_API const char *mmm_limit_name(int limit);

enum { MMM_FEATURES_MOST = 9, MMM_FACTORS_MOST = 160 };

/* By what the compiler made of one kernel its times differ from what the constants say: a factor on each of these, and,
 * for the logarithm of all of it, slopes by the logarithms (of 2) of the threads of a block, of those of a row, of the
 * values that are compiled in, and of the bits of a word over 32, from their centre on.  Fitted to short runs. */
typedef struct mmm_factors {
    char app[48], kernel[48];
    double factors[MMM_LIMITS];
    int features;
    double centre[MMM_FEATURES_MOST], low[MMM_FEATURES_MOST], high[MMM_FEATURES_MOST], slope[MMM_FEATURES_MOST];
    double error; /* of the fit: the root mean square of errors of logarithms */
} mmm_factors;

/* Constants of a GPU (docs/model.md), of machine files (mmm_calibrate measures them): nanoseconds, but for those with a
 * unit of their own. A latency is what a group of 32 threads waits until its next step, an issue what an SM needs for a
 * group where there are many. */
typedef enum mmm_gpu_constant {
    MMM_GPU_GRAPH,        /* a program, */
    MMM_GPU_LAUNCH,       /* a kernel after another, */
    MMM_GPU_BLOCK,        /* and a block, of all SMs together, where there are many */
    MMM_GPU_REGION,       /* a region: latency, */
    MMM_GPU_BARRIER,      /* what each group of the block adds to it, */
    MMM_GPU_REGION_ISSUE, /* and issue */
    MMM_GPU_TURN,         /* a further round of items */
    MMM_GPU_TURN_ISSUE,
    MMM_GPU_LOCAL,      /* the first access of local memory in a region, */
    MMM_GPU_LOCAL_NEXT, /* each further one */
    MMM_GPU_LOCAL_ISSUE,
    MMM_GPU_PASS,   /* a pass over the banks */
    MMM_GPU_GLOBAL, /* the same of global memory */
    MMM_GPU_GLOBAL_NEXT,
    MMM_GPU_GLOBAL_ISSUE,
    MMM_GPU_SECTOR,
    MMM_GPU_LATENCY,                                              /* an operation, by kind; the last is a reduction */
    MMM_GPU_ISSUE = MMM_GPU_LATENCY + MMM_OPERATION_KINDS + 1,    /* likewise */
    MMM_GPU_CACHE_RATE = MMM_GPU_ISSUE + MMM_OPERATION_KINDS + 1, /* bytes a nanosecond from the second-level cache, */
    MMM_GPU_MEMORY_RATE,                                          /* and from memory */
    MMM_GPU_CACHE,                                                /* bytes of that cache */
    MMM_GPU_REGISTERS,                                            /* of a thread, beside its PRIVATE words */
    MMM_GPU_ATOMIC,      /* an atomic after another of one sector, of all SMs */
    MMM_GPU_LINE,        /* a line of 128 bytes of a request of global memory, */
    MMM_GPU_GLOBAL_TURN, /* requests of the next turn of a loop, which wait for those before */
    MMM_GPU_CONSTANTS
} mmm_gpu_constant;

/* What the model knows of a machine.  Times are in local operations. */
typedef struct mmm_parameters {
    char name[64];
    double U;                        /* time to move one word between global and local memory */
    int64_t Z;                       /* words of local memory of a streaming multiprocessor (SM) */
    int64_t P;                       /* SMs; 0 where the model's unbounded number is meant */
    int64_t threads;                 /* most threads of a thread-block; 0 for the model's own limit, Z */
    double launch;                   /* cost of starting a kernel; 0 as in the paper, which neglects it */
    int64_t lanes;                   /* threads that a SM runs at once; 0: all of a block, as in the paper */
    double barrier;                  /* cost of a barrier between two regions; 0 as in the paper */
    double decide;                   /* time from the end of a kernel until what it decides on may start; 0: none */
    double unfold;                   /* what each further kernel takes that the same end decides on; for estimates */
    double operation;                /* seconds of a local operation; 0: not known, and then no time can be predicted */
    mmm_rates rates[MMM_RATES_MOST]; /* of applications, up to an empty name: for estimates, never for bounds */
    double constants[MMM_CONSTANTS]; /* of a core; all 0: not known, and then estimates go by rates */
    double constants_64[MMM_CONSTANTS]; /* the same with words of 64 bits, whose products take longer; all 0: those
                                           above */
    const mmm_factors *factors; /* of kernels on it, borrowed; those of a machine that was read stay until the process
                                 * ends */
    int factor_count;
    double gpu[MMM_GPU_CONSTANTS];    /* constants; all 0: not known, and then estimates go by rates */
    double gpu_64[MMM_GPU_CONSTANTS]; /* as constants_64 */
} mmm_parameters;

/* Reads a machine from `text`: the name of a built-in one, the path of a JSON file (a word with a '/' or ending in
 * ".json"), or settings such as "U=100,Z=12288,P=132". */
MMM_API mmm_status mmm_parameters_read(const char *text, mmm_parameters *out);

/* The built-in machines, ended by one with an empty name.  The first is the default.  NULL without memory to read them.
 */
MMM_API const mmm_parameters *mmm_parameters_builtin(void);

/* ---- Programs (section 2.2) -------------------------------------------------------------------------------------- */

MMM_API mmm_status mmm_program_new(mmm_program **out);
MMM_API void mmm_program_free(mmm_program *program);

/* Adds a kernel of `blocks` thread-blocks of `threads` threads; its number goes to *kernel (which may be NULL).  A name
 * has no control characters. */
MMM_API mmm_status mmm_program_add(mmm_program *program, const char *name, int64_t blocks, int64_t threads,
                                   int *kernel);

/* States that kernel `before` must end before kernel `after` starts. */
MMM_API mmm_status mmm_program_depend(mmm_program *program, int before, int after);

/* Says that a kernel goes on with what the one before it did, share by share: the blocks of both, in their order, are
 * so many shares of equal size, and a share touches nothing that other shares of the kernel before write, nor writes
 * what they touch.  Where that one goes on in the same way, the same holds for all of them.  A CPU with no more threads
 * than shares does not wait for all of the kernel before then.  0: not so, as it begins. */
MMM_API mmm_status mmm_program_shares(mmm_program *program, int kernel, int64_t shares);

/* States that the end of kernel `before` decided on kernel `after`: it comes after it, and the machine's `decide` later
 * at the soonest.  Programs that unfold as they run (mmm_program_on_end) have such edges after a run. */
MMM_API mmm_status mmm_program_unfolds(mmm_program *program, int before, int after);

/* Reads a program with its costs from a JSON file ("-": standard input):
 *   {"kernels":[{"name":"A","blocks":4,"threads":32,"work":640,"span":20,"overhead_words":5}, ...],
 *    "edges":[["A","B"], ...]}
 * where work and span are per block and overhead_words is alpha + beta per block, each a number or an array with one
 * entry a block.  For large programs there are shorter forms:
 *   "costs":[{"blocks":3,"work":640,"span":20,"span_thread":20,"reads":3,"writes":2}, ...]
 *                     in place of work, span and overhead_words: groups of equal blocks, as in mmm_cost below; where
 *                     span_thread is left out it is span, where reads or writes is, 0;
 *   "count":100       of a kernel: so many equal kernels in a row;
 *   [0,1]             an edge by the numbers of its kernels, from 0, which names that occur twice need;
 *   [0,1,99]          99 edges: 0 to 1, 1 to 2, and so on.
 * "unfolds" beside "edges" holds the edges of mmm_program_unfolds, in the same forms.
 * "local_words" of a kernel is what a block uses of local memory, "seconds" what it was measured to take. */
MMM_API mmm_status mmm_program_read(const char *path, mmm_program **out);

/* Writes a program with its costs in that form, so that mmm_program_read gives the same kernels, groups and edges in
 * the same order, and thereby the same measures, bounds and schedules.  Code and arrays are not written. */
MMM_API mmm_status mmm_program_write(const mmm_program *program, const char *path);

/* A program of the kernel launches that a profiler lists in CSV: Nsight Compute's (ncu --csv, with --page raw or not),
 * or Nsight Systems' (nsys stats -r cuda_gpu_trace -f csv).  Launches of a stream follow each other, and those in the
 * default stream all others.  A block's work are the instructions of its threads, its span those of a group of 32 on
 * average, alpha and beta the words of a thread in the sectors read and written: with ncu take the metrics
 *   smsp__inst_executed.sum,smsp__thread_inst_executed.sum,lts__t_sectors_op_read.sum,lts__t_sectors_op_write.sum,
 *   gpu__time_duration.sum
 * What the file does not have is 0.  Nsight Systems' form was tried only with files written by hand. */
MMM_API mmm_status mmm_program_import(const char *path, mmm_program **out);

MMM_API int mmm_program_kernels(const mmm_program *program);
MMM_API const char *mmm_program_kernel_name(const mmm_program *program, int kernel);

/* The quantities of section 2.2 and of Corollary 1.  The paper defines L by the edges of a path and uses it as the
 * number of kernels on a path; both are here, and L (kernels) is the one the theorem needs. */
typedef struct mmm_shape {
    int64_t kernels, edges;
    int64_t N;              /* thread-blocks */
    int64_t L;              /* kernels on the longest path */
    int64_t L_edges;        /* edges on the longest path */
    int64_t K;              /* most thread-blocks in an anti-chain, exact */
    int64_t parallel_steps; /* anti-chains that cover the DAG (Mirsky): the same number as L */
    int64_t unfolded;       /* kernels that decisions added */
    int64_t decisions;      /* most decisions on a path */
} mmm_shape;

/* Fails with MMM_INVALID for a DAG that is none, naming a kernel on the cycle. */
MMM_API mmm_status mmm_program_shape(const mmm_program *program, mmm_shape *out);

/* ---- Measures (section 2.3) -------------------------------------------------------------------------------------- */

/* What each of `blocks` thread-blocks of one kernel costs. */
typedef struct mmm_cost {
    int64_t blocks;
    int64_t work;        /* W(B): arithmetic operations of all threads */
    int64_t span;        /* S(B): region by region the most that any thread does, summed */
    int64_t span_thread; /* the most that one thread does in all */
    int64_t reads;       /* alpha: most words that one thread reads from global memory */
    int64_t writes;      /* beta: most words that one thread writes to global memory */
} mmm_cost;

/* States the costs of a kernel's blocks in groups of equal ones, whose sizes must add up to its blocks. */
MMM_API mmm_status mmm_program_set_costs(mmm_program *program, int kernel, const mmm_cost *groups, int count);

/* One kernel of a program.  name and costs are borrowed from the program, until its costs are set again. */
typedef struct mmm_kernel_info {
    const char *name;
    int64_t blocks, threads;
    int64_t local_words;           /* of local memory that a block uses; 0 where nobody said */
    const mmm_cost *costs;         /* in groups of equal blocks; NULL until counted or stated: all below is 0 then */
    int groups;                    /* how many */
    int64_t work;                  /* of all its blocks */
    int64_t span, span_thread;     /* the largest of a block */
    int64_t reads, writes;         /* the largest alpha and the largest beta of a block */
    int64_t words;                 /* the largest alpha + beta of a block */
    double seconds;                /* measured elsewhere; 0: not */
    int64_t all_reads, all_writes; /* alpha and beta summed over its blocks: what it adds to O is their sum times U */
} mmm_kernel_info;

/* Kernel number `kernel`, from 0 to mmm_program_kernels - 1. */
MMM_API mmm_status mmm_program_kernel(const mmm_program *program, int kernel, mmm_kernel_info *out);

typedef struct mmm_measures {
    int64_t work;           /* W: sum over all blocks */
    int64_t span;           /* S: the heaviest path, a kernel weighing its largest S(B) */
    int64_t span_thread;    /* the same with span_thread */
    int64_t overhead_words; /* sum of alpha + beta over all blocks */
    double overhead;        /* O = overhead_words * U */
    double C;               /* largest S(B) + (alpha + beta) U of a block */
    double burdened_span;   /* S with the machine's `decide` for each decision on the path */
    double decide;          /* the machine's */
} mmm_measures;

MMM_API mmm_status mmm_program_measures(const mmm_program *program, const mmm_parameters *machine, mmm_measures *out);

/* ---- Bounds and schedules (section 2.4) -------------------------------------------------------------------------- */

/* Theorem 1: the program takes at most (N/P + L) C on P SMs, and where its DAG unfolded `decide` more for each decision
 * on a path (docs/model.md). */
MMM_API double mmm_theorem1(const mmm_shape *shape, const mmm_measures *measures, int64_t P);

/* Corollary 1: (N/K + L) C, which names no number of SMs. */
MMM_API double mmm_corollary1(const mmm_shape *shape, const mmm_measures *measures);

/* A piece of a schedule: `sms` SMs from number `sm` on each run `rounds` blocks of `kernel` one after the other, each
 * taking `duration`, from time `start` on. */
typedef struct mmm_slice {
    int kernel;
    int64_t sm, sms, rounds;
    double start, duration;
} mmm_slice;

typedef void mmm_slice_visitor(void *context, const mmm_slice *slice);

/* Schedules the thread-block DAG greedily on P SMs: no SM idles while a block is ready.  Which ready kernel goes first
 * is drawn from `seed`.  The time goes to *makespan; `visit` (may be NULL) sees every slice, in order of start. */
MMM_API mmm_status mmm_program_schedule(const mmm_program *program, const mmm_parameters *machine, int64_t P,
                                        uint64_t seed, mmm_slice_visitor *visit, void *context, double *makespan);

/* ---- Counting: the abstract machine --------------------------------------------------------------------------------
 */

/* The abstract machine with given parameters.  Blocks of a kernel, and threads of a region or of a part of one, run in
 * an order drawn from `seed`.  A program that does something it must not is counted once more in the order of the
 * numbers: what is reported does not depend on the seed, but for what only another order brings about. */
MMM_API mmm_status mmm_machine_open_abstract(const mmm_parameters *parameters, uint64_t seed, mmm_machine **out);

/* Declares races on the array of that name benign: the abstract machine no longer reports them. */
MMM_API mmm_status mmm_program_allow_races(mmm_program *program, const char *array);

/* What a program must not do. */
typedef enum mmm_violation_kind {
    MMM_VIOLATION_WRITE_WRITE,      /* two threads of a block write one cell in one region */
    MMM_VIOLATION_READ_WRITE,       /* a thread reads a cell that another thread writes in the same region */
    MMM_VIOLATION_BLOCK_RACE,       /* a block reads or writes what another block of the same kernel writes */
    MMM_VIOLATION_KERNEL_RACE,      /* a block reads or writes what a block of an unordered kernel writes */
    MMM_VIOLATION_OUT_OF_BOUNDS,    /* an index outside an array; the block is stopped there */
    MMM_VIOLATION_UNWRITTEN_READ,   /* a read of a cell that nobody wrote */
    MMM_VIOLATION_LOCAL_MEMORY,     /* a block needs more local words than Z, or than its launch declares */
    MMM_VIOLATION_THREADS,          /* a block has more threads than the machine allows */
    MMM_VIOLATION_LEFT_REGION,      /* a region was left by break, goto or return */
    MMM_VIOLATION_WILD_POINTER,     /* an access outside every array; the block is stopped there */
    MMM_VIOLATION_WIDE_ACCESS,      /* an access wider than an element, or across two; the block is stopped there */
    MMM_VIOLATION_FOREIGN_PRIVATE,  /* a PRIVATE value of another thread; the block is stopped there */
    MMM_VIOLATION_UNWRITTEN_RESULT, /* an element that goes to the caller and that nobody wrote */
    MMM_VIOLATION_UNFOLD_ORDER,     /* another order of blocks unfolds another DAG; the index is that of a kernel */
    MMM_VIOLATION_KINDS,            /* how many there are */
} mmm_violation_kind;

/* The word for a kind, such as "write-write", and what it means, as above. */
MMM_API const char *mmm_violation_name(mmm_violation_kind kind);
MMM_API const char *mmm_violation_meaning(mmm_violation_kind kind);

/* Who touched a cell. */
typedef struct mmm_entity {
    const char *kernel;
    int64_t block, thread; /* -1: not known */
} mmm_entity;

/* One of them, found; equal ones (same kind, array, kernels and line) are counted, not repeated. */
typedef struct mmm_violation {
    mmm_violation_kind kind;
    const char *memory;       /* "global", "local", "private" or "none" */
    const char *array;        /* "" where there is none */
    int64_t index;            /* of the cell; for limits, what was asked for */
    mmm_entity first, second; /* second is the one found out; first.kernel is NULL where one entity is all there is */
    const char *file;
    int line;
    int64_t count;
} mmm_violation;

/* What groups of 32 threads, those of a GPU that run as one, do in a kernel: none of it is in the paper, and all of it
 * is exact.  A turn is a group's doing a part of a region, or a round of ITEMS.  A request is what the threads of a
 * group do at one place of the source, an access of one array, for the first time in a turn, or the second, and so on.
 * Code between regions is done by each group once. */
typedef struct mmm_traffic {
    int64_t turns, threads;                  /* turns of groups; threads that had a part in them: 32 a turn at most */
    int64_t partial;                         /* turns of fewer than 32 threads */
    int64_t operations[MMM_OPERATION_KINDS]; /* of all threads, by kind: their sum is the work */
    int64_t reductions;                      /* of sums of products to a residue, which are not work */
    int64_t issued;                          /* operations of groups: the most of a thread, turn by turn */
    int64_t requests, sectors, lines;        /* of global memory: 32 and 128 bytes, each counted once a request */
    int64_t local_requests, passes; /* of local memory, 32 banks of 4 bytes: words of one bank follow each other */
    int64_t words_most, local_most; /* accesses of global and local memory by one thread: the largest number */
    int64_t private_words;          /* of 4 bytes that a thread has in PRIVATE: the largest number */
    int64_t footprint;              /* bytes of global memory in sectors that were touched: the largest number */
} mmm_traffic;

/* "add", "mul" and so on; "" for a number that is none. */
MMM_API const char *mmm_operation_kind_name(mmm_operation_kind kind);

/* The traffic of a region, by the line where it begins: of all calls of its kernel. */
typedef struct mmm_region_traffic {
    const char *kernel;
    int line;
    mmm_traffic traffic; /* footprint and what a thread does at most are 0 */
} mmm_region_traffic;

/* Has the abstract machine count traffic, too, from the next run on: in a second pass, so that it takes about three
 * times as long. */
MMM_API mmm_status mmm_machine_count_traffic(mmm_machine *machine, int wanted);

/* What was counted of one kernel; fails where it was not. */
MMM_API mmm_status mmm_program_traffic(const mmm_program *program, int kernel, mmm_traffic *out);

/* What the abstract machine counted in its last run. */
typedef struct mmm_counts {
    int64_t arithmetic;     /* operations charged: the paper's local operations */
    int64_t local_accesses; /* reads and writes of LOCAL arrays, which the paper leaves out */
    int64_t global_reads, global_writes;
    int64_t local_words; /* most words of local memory that a block used */
    int64_t violation_count;
    const mmm_violation *violations; /* each with the count of its repetitions */
    const mmm_traffic *traffic;      /* of all kernels, where it was asked for, else NULL */
    const mmm_region_traffic *regions;
    int64_t region_count;
} mmm_counts;

/* Valid until the next run, the end of the machine or of the program that ran; NULL for a machine that does not count.
 */
MMM_API const mmm_counts *mmm_machine_counts(const mmm_machine *machine);

/* ---- Analyses --------------------------------------------------------------------------------------------------- */

typedef struct mmm_bound {
    int64_t P;
    double bound;    /* Theorem 1 */
    double schedule; /* what a greedy schedule takes */
} mmm_bound;

enum { MMM_BOUNDS_MOST = 16 };

/* Everything the model says about one program on one machine. */
typedef struct mmm_analysis {
    const char *app;    /* the application, or the file of a program given as data; borrowed */
    const mmm_job *job; /* its parameters, NULL for data; borrowed */
    mmm_parameters machine;
    mmm_shape shape;
    mmm_measures measures;
    const mmm_counts *counts; /* NULL for data; borrowed from the abstract machine */
    double corollary1;
    mmm_bound bounds[MMM_BOUNDS_MOST];
    int bound_count;
    double measured, measured_path; /* seconds of all kernels, where they were measured elsewhere, and of the heaviest
                                     * path of them; 0: not */
    const mmm_program *listed;      /* outputs as text and JSON list its kernels; NULL: they do not; borrowed */
} mmm_analysis;

/* Analyses a program whose costs are known, with Theorem 1 and a greedy schedule for each of `count` numbers of SMs. */
MMM_API mmm_status mmm_analysis_make(mmm_analysis *out, const mmm_program *program, const mmm_parameters *machine,
                                     const int64_t *P, int count, uint64_t seed);

/* The outputs of a report.  Each goes to `path` ("-": standard output), written beside it and renamed when complete.
 * JSON is one object for one analysis and an array for several, unless `array` asks for an array always. */
MMM_API mmm_status mmm_report_json(const mmm_analysis *analyses, int count, int array, const char *path);
MMM_API mmm_status mmm_report_text(const mmm_analysis *analyses, int count, const char *path);

/* A table with Cilkscale's columns first: tag,work,span,parallelism,overhead,N,L,K,C,bound. */
MMM_API mmm_status mmm_report_csv(const mmm_analysis *analyses, int count, const char *path);

/* The kernel DAG in DOT, with its thread-blocks where they are few; runs of equal kernels are one node where there are
 * many. */
MMM_API mmm_status mmm_report_dot(const mmm_program *program, const char *path);

/* A greedy schedule on P SMs as Chrome trace events: one row a SM, one microsecond a local operation. */
MMM_API mmm_status mmm_report_trace(const mmm_program *program, const mmm_parameters *machine, int64_t P, uint64_t seed,
                                    const char *path);

#ifdef __cplusplus
}
#endif
#endif
