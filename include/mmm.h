/* SPDX-License-Identifier: Apache-2.0 */
/* mmm: the many-core machine model of Haque, Moreno Maza and Xie, as a library.
 *
 * This header is the manual.  It follows the paper: machines (2.1), programs (2.2), measures (2.3), bounds and
 * schedules (2.4); then what the paper leaves to the reader: counting a program on the abstract machine, running it on
 * a real one, and the applications of sections 3 to 6.
 *
 * Whatever can fail returns an mmm_status and leaves one line of explanation in mmm_message().  Results go through
 * pointers and are untouched on failure unless their comment says otherwise.  Things made by a ..._new function are
 * released by the matching ..._free, which takes NULL.  The library never prints, exits or aborts.  Different threads
 * may use the library at once as long as they do not share a program or a machine. */
#ifndef MMM_H
#define MMM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(MMM_BUILD)
#define MMM_API __attribute__((visibility("default")))
#else
#define MMM_API
#endif

#define MMM_VERSION "0.1.0"

/* ---- Status ------------------------------------------------------------------------------------------------------ */

typedef enum mmm_status {
    MMM_OK = 0,
    MMM_INVALID,   /* an argument, file or program is not what it should be; the message names the bad word */
    MMM_TOO_LARGE, /* what was asked for does not fit this machine; nothing was allocated */
    MMM_MEMORY,    /* the system refused memory */
    MMM_IO,        /* a file could not be read or written */
    MMM_DEVICE,    /* a device or its driver failed */
    MMM_WRONG,     /* a result failed its check */
    MMM_STOPPED,   /* a progress function asked for it */
} mmm_status;

/* The explanation of the last failure in this thread: one line, no newline. */
MMM_API const char *mmm_message(void);

/* A short name of a status, for logs. */
MMM_API const char *mmm_status_name(mmm_status status);

/* ---- Machines (section 2.1) -------------------------------------------------------------------------------------- */

/* What parts of a program cost on a real machine, in seconds, fitted to short runs of one application: a kernel, a
 * region, a part of one (SOME), an operation of each lane, a word moved by each lane, an access of local memory by each
 * lane. */
typedef struct mmm_rates {
    char app[24];
    double launch, barrier, part, operation, word, access;
    double error; /* of the fit: the root mean square of the relative error */
} mmm_rates;

enum { MMM_RATES_MOST = 8 };

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
    double operation;                /* seconds of a local operation; 0: not known, and then no time can be predicted */
    mmm_rates rates[MMM_RATES_MOST]; /* of applications, up to an empty name: for estimates, never for bounds */
} mmm_parameters;

/* Reads a machine from `text`: the name of a built-in one, the path of a JSON file (a word with a '/' or ending in
 * ".json"), or settings such as "U=100,Z=12288,P=132". */
MMM_API mmm_status mmm_parameters_read(const char *text, mmm_parameters *out);

/* The built-in machines, ended by one with an empty name.  The first is the default. */
MMM_API const mmm_parameters *mmm_parameters_builtin(void);

/* ---- Programs (section 2.2) -------------------------------------------------------------------------------------- */

/* A DAG of kernels.  Kernels are numbered from 0 in the order they are added. */
typedef struct mmm_program mmm_program;

MMM_API mmm_status mmm_program_new(mmm_program **out);
MMM_API void mmm_program_free(mmm_program *program);

/* Adds a kernel of `blocks` thread-blocks of `threads` threads; its number goes to *kernel (which may be NULL). */
MMM_API mmm_status mmm_program_add(mmm_program *program, const char *name, int64_t blocks, int64_t threads,
                                   int *kernel);

/* States that kernel `before` must end before kernel `after` starts. */
MMM_API mmm_status mmm_program_depend(mmm_program *program, int before, int after);

/* Reads a program with its costs from a JSON file:
 *   {"kernels":[{"name":"A","blocks":4,"threads":32,"work":640,"span":20,"overhead_words":5}, ...],
 *    "edges":[["A","B"], ...]}
 * where work and span are per block and overhead_words is alpha + beta per block, each a number or an array with one
 * entry a block. */
MMM_API mmm_status mmm_program_read(const char *path, mmm_program **out);

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

typedef struct mmm_measures {
    int64_t work;           /* W: sum over all blocks */
    int64_t span;           /* S: the heaviest path, a kernel weighing its largest S(B) */
    int64_t span_thread;    /* the same with span_thread */
    int64_t overhead_words; /* sum of alpha + beta over all blocks */
    double overhead;        /* O = overhead_words * U */
    double C;               /* largest S(B) + (alpha + beta) U of a block */
} mmm_measures;

MMM_API mmm_status mmm_program_measures(const mmm_program *program, const mmm_parameters *machine, mmm_measures *out);

/* ---- Bounds and schedules (section 2.4) -------------------------------------------------------------------------- */

/* Theorem 1: the program takes at most (N/P + L) C on P SMs. */
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

/* ---- Kernels: code and data of a program ------------------------------------------------------------------------- */

/* A prime modulus and what arithmetic modulo it needs.  Residues lie in arrays in Montgomery form, x R mod p with
 * R = 2^shift; shift is the word's size, except for p = 2, where R = 1. */
typedef struct mmm_modulus {
    uint64_t p;
    uint64_t minus_inverse; /* -1/p mod R */
    uint64_t one;           /* R mod p */
    uint64_t square;        /* R^2 mod p */
    int bits;               /* of a word: 32 for p < 2^31, else 64 (p < 2^63) */
    int shift;
} mmm_modulus;

/* Fails with MMM_INVALID unless p is a prime below 2^63. */
MMM_API mmm_status mmm_modulus_read(uint64_t p, mmm_modulus *out);

/* An argument of a kernel as machines pass it on. */
typedef union mmm_value {
    void *array;
    int32_t integer;
    uint64_t word;
} mmm_value;

/* Memory of one core for the LOCAL and PRIVATE arrays of the block it runs. */
typedef struct mmm_scratch {
    char *memory;
    size_t used;
} mmm_scratch;

/* A kernel compiled for the host: runs blocks first .. last-1. */
typedef void mmm_entry(const mmm_value *arguments, int first, int last, int block_size, mmm_modulus modulus,
                       mmm_scratch *scratch);

enum { MMM_ISA_BASE, MMM_ISA_V3, MMM_ISA_V4, MMM_ISAS }; /* x86-64 as it began; with AVX2; with AVX-512 */

/* A kernel of the dialect, compiled in every way it is needed: [0] for 32-bit words, [1] for 64-bit ones. */
typedef struct mmm_kernel {
    const char *name;
    const char *file;                 /* its source file, for messages */
    const char *const *texts;         /* for GPUs: the dialect's headers and its file, ended by NULL; NULL: no GPU */
    mmm_entry *counted[2];            /* for the abstract machine */
    mmm_entry *compiled[2][MMM_ISAS]; /* for the CPU */
} mmm_kernel;

/* The texts of the dialect's headers, for the `texts` of a kernel: these two, then the kernel's own file, then NULL.
 * The headers themselves are installed as <mmm/dialect.h> and <mmm/modp.h>; examples/reduction shows a kernel of one's
 * own. */
MMM_API const char *const *mmm_kernel_headers(void);

/* How a machine treats an array: what it holds before the program runs, and whether it is wanted after. */
typedef enum mmm_use { MMM_WORK = 0, MMM_IN = 1, MMM_OUT = 2, MMM_IN_OUT = 3 } mmm_use;

/* Adds an array of `count` elements of `size` bytes (4 or 8) in global memory, whose contents lie at `host`; its
 * number goes to *array.  The program borrows `host` and `name`. */
MMM_API mmm_status mmm_program_array(mmm_program *program, const char *name, int64_t count, int size, mmm_use use,
                                     void *host, int *array);

/* Declares races on the array of that name benign: the abstract machine no longer reports them. */
MMM_API mmm_status mmm_program_allow_races(mmm_program *program, const char *array);

typedef enum mmm_argument_kind { MMM_ARRAY, MMM_INTEGER, MMM_WORD, MMM_CONSTANT } mmm_argument_kind;

/* An array by its number, an int, a word, or an int that GPUs compile in. */
typedef struct mmm_argument {
    mmm_argument_kind kind;
    uint64_t value;
} mmm_argument;

/* Adds a call of a kernel; local_words is what its LOCAL arrays hold, in words. */
MMM_API mmm_status mmm_program_launch(mmm_program *program, const mmm_kernel *code, int64_t blocks, int64_t threads,
                                      int64_t local_words, const mmm_argument *arguments, int count, int *kernel);

/* The arithmetic of a program: a modulus, or plain words of `bits` (32 or 64) where `modulus` is NULL. */
MMM_API mmm_status mmm_program_set_words(mmm_program *program, int bits, const mmm_modulus *modulus);

/* ---- Machines that run programs ---------------------------------------------------------------------------------- */

typedef struct mmm_machine mmm_machine;

/* Opens "cpu", "abstract" (with the default parameters), "cuda:N" or "opencl:N", device number N.  An unknown name
 * fails and lists the known ones; a device that is not there fails with what was looked for. */
MMM_API mmm_status mmm_machine_open(const char *name, mmm_machine **out);

/* The abstract machine with given parameters; blocks of a kernel run in an order drawn from `seed`. */
MMM_API mmm_status mmm_machine_open_abstract(const mmm_parameters *parameters, uint64_t seed, mmm_machine **out);
MMM_API void mmm_machine_free(mmm_machine *machine);

/* One line about a machine: what it is, cores, instruction set. */
MMM_API const char *mmm_machine_description(const mmm_machine *machine);

/* The machines there are, one by one: the kind's summary and the machine's description, or, where `works` is 0, why the
 * kind or the device cannot be used.  Visits every kind at least once. */
typedef struct mmm_machine_info {
    const char *name, *summary, *description;
    int works;
} mmm_machine_info;
typedef void mmm_machine_visitor(void *context, const mmm_machine_info *info);
MMM_API void mmm_machine_list(mmm_machine_visitor *visit, void *context);

/* Gives up a run that takes longer, with MMM_DEVICE; 0, the default: never.  For GPUs, whose kernels cannot be stopped:
 * until they end by themselves the machine runs nothing else, and freeing it leaves behind what they use. */
MMM_API void mmm_machine_set_time_limit(mmm_machine *machine, double seconds);

/* Runs every kernel of the program.  Arrays used as MMM_OUT hold their results in host memory when it returns; the
 * time of the kernels alone goes to *seconds (may be NULL).  The abstract machine sets the program's costs. */
MMM_API mmm_status mmm_machine_run(mmm_machine *machine, mmm_program *program, double *seconds);

/* Bytes that went from host memory into the machine's and out of it since it was opened, in runs and for mmm_arrays.
 * The cpu and the abstract machine work in host memory: they count what a device would have had to move. */
MMM_API void mmm_machine_transferred(const mmm_machine *machine, int64_t *in, int64_t *out);

/* Called now and then while a machine counts, with the part done, from 0 to 1; other than 0 stops the run, which then
 * fails with MMM_STOPPED. */
typedef int mmm_progress(void *context, double done);
MMM_API void mmm_machine_on_progress(mmm_machine *machine, mmm_progress *progress, void *context);

/* Who touched a cell. */
typedef struct mmm_entity {
    const char *kernel;
    int64_t block, thread; /* -1: not known */
} mmm_entity;

/* Something a program must not do; equal ones (same kind, array, kernels and line) are counted, not repeated. */
typedef struct mmm_violation {
    const char *kind;         /* one of mmm_violation_kinds() */
    const char *memory;       /* "global", "local", "private" or "none" */
    const char *array;        /* "" where there is none */
    int64_t index;            /* of the cell; for limits, what was asked for */
    mmm_entity first, second; /* second is the one found out; first.kernel is NULL where one entity is all there is */
    const char *file;
    int line;
    int64_t count;
} mmm_violation;

/* The kinds of violation and what each means, ended by a NULL name. */
typedef struct mmm_violation_kind {
    const char *name, *meaning;
} mmm_violation_kind;
MMM_API const mmm_violation_kind *mmm_violation_kinds(void);

/* What the abstract machine counted in its last run. */
typedef struct mmm_counts {
    int64_t arithmetic;     /* operations charged: the paper's local operations */
    int64_t local_accesses; /* reads and writes of LOCAL arrays, which the paper leaves out */
    int64_t global_reads, global_writes;
    int64_t local_words; /* most words of local memory that a block used */
    int64_t violation_count;
    const mmm_violation *violations; /* each with the count of its repetitions */
} mmm_counts;

/* Valid until the next run, the end of the machine or of the program that ran; NULL for a machine that does not count.
 */
MMM_API const mmm_counts *mmm_machine_counts(const mmm_machine *machine);

/* ---- Applications (sections 3 to 6) ------------------------------------------------------------------------------ */

typedef struct mmm_app_parameter {
    const char *name, *meaning;
    int64_t least, most, standard;
} mmm_app_parameter;

/* An algorithm: its parameters, and the names of its input and output files. */
typedef struct mmm_app {
    const char *name, *summary, *section;
    const char *oracle;  /* what mmm_job_check compares with */
    const char *formula; /* its analysis, for mmm_formula_open; of one named ...-naive, W1, S1, ... there */
    const mmm_app_parameter *parameters;        /* ended by a NULL name */
    const char *const *inputs, *const *outputs; /* ended by NULL */
} mmm_app;

/* The applications, ended by NULL. */
MMM_API const mmm_app *const *mmm_app_list(void);

/* One use of an application: parameters, inputs, the program they give, and its results. */
typedef struct mmm_job mmm_job;

MMM_API mmm_status mmm_job_new(const char *app, mmm_job **out);
MMM_API void mmm_job_free(mmm_job *job);
MMM_API const mmm_app *mmm_job_app(const mmm_job *job);

/* Sets a parameter; an unknown name fails and lists the known ones. */
MMM_API mmm_status mmm_job_set(mmm_job *job, const char *name, int64_t value);
MMM_API int64_t mmm_job_get(const mmm_job *job, const char *name);

/* Reads input number `which` from a file ("-": standard input); sizes and the modulus then come from it.  Polynomials
 * are text, "length modulus  c0 c1 ..."; keys and values are raw little-endian words of as many bits as
 * the parameter `bits` says by then. */
MMM_API mmm_status mmm_job_read(mmm_job *job, int which, const char *path);

/* The same from memory: a polynomial of `terms` coefficients below the prime p, the lowest first; they are copied. */
MMM_API mmm_status mmm_job_polynomial(mmm_job *job, int which, uint64_t p, const uint64_t *coefficients, int64_t terms);

/* The same for radix-sort: `count` keys, or (which = 1) the values that go with them; they are copied. */
MMM_API mmm_status mmm_job_keys(mmm_job *job, int which, const uint64_t *words, int64_t count);

/* Result number `which` of the last run: its words, lowest coefficient first, and how many; valid until the next. */
MMM_API mmm_status mmm_job_result(const mmm_job *job, int which, const uint64_t **words, int64_t *count);

/* Makes the inputs that were not given, at random from the parameter `seed`, and builds the program. */
MMM_API mmm_status mmm_job_prepare(mmm_job *job);
MMM_API mmm_program *mmm_job_program(mmm_job *job);

/* Runs it, any number of times and on any machine.  *seconds is the time of the kernels. */
MMM_API mmm_status mmm_job_run(mmm_job *job, mmm_machine *machine, double *seconds);

/* Compares the results with FLINT's, those of radix-sort with the C library's: MMM_WRONG, with the first difference in
 * the message, when they differ. */
MMM_API mmm_status mmm_job_check(const mmm_job *job);

/* The same, and how long FLINT's function (or the C library's) took on one core. */
MMM_API mmm_status mmm_job_check_timed(const mmm_job *job, double *seconds);

/* Writes output number `which` to a file ("-": standard output). */
MMM_API mmm_status mmm_job_write(const mmm_job *job, int which, const char *path);

/* ---- The algorithms as functions --------------------------------------------------------------------------------- */

/* Polynomials over Z/p are arrays of coefficients below the prime p, lowest first; the number of terms given may count
 * leading zeros, the number returned does not.  Arrays lie in host memory.  An output may be the same array as an input
 * or overlap it in any way; two outputs must not overlap.  Calls for different machines may run at the same time.  s is
 * what mmm_tune found for the machine and a size like this one, else the application's usual value. */

/* f = a b; f has room for n + m - 1 coefficients (none where n or m is 0). */
MMM_API mmm_status mmm_multiply(mmm_machine *machine, uint64_t p, const uint64_t *a, int64_t n, const uint64_t *b,
                                int64_t m, uint64_t *f, int64_t *f_terms);

/* a = q b + r with deg r < deg b; q and r have room for n coefficients each.  b must not be 0. */
MMM_API mmm_status mmm_divide(mmm_machine *machine, uint64_t p, const uint64_t *a, int64_t n, const uint64_t *b,
                              int64_t m, uint64_t *q, int64_t *q_terms, uint64_t *r, int64_t *r_terms);

/* g = gcd(a, b), monic, and 0 where both are 0; g has room for max(n, m) coefficients. */
MMM_API mmm_status mmm_gcd(mmm_machine *machine, uint64_t p, const uint64_t *a, int64_t n, const uint64_t *b, int64_t m,
                           uint64_t *g, int64_t *g_terms);

/* Sorts keys in place, and moves `values` (may be NULL) along with them; equal keys keep their order. */
MMM_API mmm_status mmm_sort_u32(mmm_machine *machine, uint32_t *keys, uint32_t *values, int64_t count);
MMM_API mmm_status mmm_sort_u64(mmm_machine *machine, uint64_t *keys, uint64_t *values, int64_t count);

/* A polynomial over Z/p that lives in the memory of a machine, so that operations on it and on their results move
 * nothing but a few words (degrees, a leading coefficient):
 *     mmm_array_new(machine, p, a, n, &x);   mmm_array_new(machine, p, b, m, &y);
 *     mmm_array_multiply(x, y, &f);          mmm_array_divide(f, z, &q, &r);     mmm_array_gcd(q, y, &g);
 *     mmm_array_read(g, coefficients);
 * Operands must be of the same machine and the same p; they stay as they are, may be the same array, and results are
 * new arrays.  A machine must outlive its arrays, and both belong to one thread at a time.  When a device is lost, its
 * arrays are too: each use fails with MMM_DEVICE, and mmm_array_free is still to be called. */
typedef struct mmm_array mmm_array;

/* Copies `terms` coefficients into the machine's memory. */
MMM_API mmm_status mmm_array_new(mmm_machine *machine, uint64_t p, const uint64_t *coefficients, int64_t terms,
                                 mmm_array **out);
MMM_API void mmm_array_free(mmm_array *array);

/* The number of terms without leading zeros; costs nothing. */
MMM_API int64_t mmm_array_terms(const mmm_array *array);

/* Copies the coefficients back: `coefficients` has room for mmm_array_terms of them. */
MMM_API mmm_status mmm_array_read(const mmm_array *array, uint64_t *coefficients);

/* f = a b */
MMM_API mmm_status mmm_array_multiply(const mmm_array *a, const mmm_array *b, mmm_array **f);

/* a = q b + r with deg r < deg b; b must not be 0. */
MMM_API mmm_status mmm_array_divide(const mmm_array *a, const mmm_array *b, mmm_array **q, mmm_array **r);

/* g = gcd(a, b), monic, and 0 where both are 0. */
MMM_API mmm_status mmm_array_gcd(const mmm_array *a, const mmm_array *b, mmm_array **g);

/* ---- Analyses and reports ---------------------------------------------------------------------------------------- */

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

/* The paper's tables 1 and 2 and a division table of the same shape, measured on the machines named (ended by NULL).
 * Every result goes to folder/reproduce.jsonl as soon as it is there; what that file has already is not measured again.
 * In the end folder/reproduce.txt, .csv and .json hold the tables.  A run that would take longer than `limit` seconds,
 * judging by a smaller one, is left out; `largest` leaves out rows with more terms (0: none). */
MMM_API mmm_status mmm_reproduce(const char *folder, const char *const *machines, double limit, int64_t largest,
                                 mmm_progress *progress, void *context);

/* ---- Choosing s: prediction -------------------------------------------------------------------------------------- */

/* The time of a job's kernels on a calibrated machine, in seconds. */
typedef struct mmm_prediction {
    double plain;    /* the paper's estimate: Theorem 1 for the machine's P, Corollary 1 where P is 0 */
    double extended; /* with launches, barriers and lanes, a bound in the spirit of Theorem 1: see docs/model.md */
    double estimate; /* what the kernels are expected to take: the one to choose by */
    int exact;       /* every block was counted; otherwise blocks were sampled and costs extrapolated */
} mmm_prediction;

/* Needs no device, and sets the program's costs.  The job is prepared if it is not. */
MMM_API mmm_status mmm_predict(mmm_job *job, const mmm_parameters *machine, mmm_prediction *out);

/* ---- Choosing s: calibration, wisdom, tuning --------------------------------------------------------------------- */

/* Measures what the model needs of a machine, with its spread, in well under a minute, and writes it as a machine file
 * to `path` (NULL: beside the wisdom, where mmm_parameters_of finds it).  `name` (may be NULL) is for the file. */
MMM_API mmm_status mmm_calibrate(mmm_machine *machine, const char *name, mmm_progress *progress, void *context,
                                 const char *path, mmm_parameters *out);

/* A machine's parameters for predictions: calibrated on it where mmm_calibrate has been here, else those of the shipped
 * machine of its kind with its own P, Z and threads; *own (may be NULL) says which. */
MMM_API mmm_status mmm_parameters_of(const mmm_machine *machine, mmm_parameters *out, int *own);

/* Chooses the parameters of the job that were not set (s, l): from wisdom, which is what tuning wrote to the file
 * MMM_WISDOM, or mmm/wisdom.jsonl below XDG_DATA_HOME or ~/.local/share; or else by prediction.  *how (may be NULL)
 * says "given", "wisdom", "wisdom of a near size", "prediction" or "default". */
MMM_API mmm_status mmm_tune_choose(mmm_job *job, mmm_machine *machine, const char **how);

typedef struct mmm_tune_options {
    int64_t max_runs;  /* measurements of a configuration, each the best of `repeat` executions; 0: 24 */
    double time_limit; /* seconds for all of them, never exceeded by more than one execution; 0: no limit */
    int repeat;        /* 0: 3 */
    int dry_run;
    int exhaustive;      /* measure all that was not pruned, */
    double within;       /* but where this is not 0 only what is predicted within this factor of the best prediction */
    const char *results; /* T4 results, written after each measurement and read at the start; NULL: none */
    mmm_progress *progress; /* may be NULL; other than 0 stops the tuning, whose results are kept */
    void *context;
} mmm_tune_options;

enum { MMM_TIMES_MOST = 64 };

/* A configuration of the parameters that are tuned (0: the application has none of that name). */
typedef struct mmm_candidate {
    int64_t s, l;
    mmm_prediction prediction;
    mmm_measures measures;
    const char *invalidity; /* T4's word: "correct", or why there are no times: "constraints", "runtime", ... */
    char reason[200];       /* of an invalid one */
    double times[MMM_TIMES_MOST];
    int time_count;
    double best; /* the smallest of the times, 0: not measured */
} mmm_candidate;

typedef struct mmm_tuning {
    mmm_candidate *candidates; /* the best predicted first; pruned ones last */
    int count;
    int chosen; /* the one to take: the fastest, or the best predicted where nothing was measured; -1: none */
    int ties;   /* others that cannot be told apart from it */
    int64_t runs, executions; /* of this call */
    const char *end;          /* why it ended: "decided", "undecided", "max-runs", "time-limit", "dry-run" */
} mmm_tuning;

/* Tries the values of s and l that were not set: prunes, ranks by prediction, measures the best, checks every result.
 * Leaves the choice in the job, and writes it to the wisdom if it was measured.  Released by mmm_tuning_free. */
MMM_API mmm_status mmm_tune(mmm_job *job, mmm_machine *machine, const mmm_parameters *parameters,
                            const mmm_tune_options *options, mmm_tuning *out);
MMM_API void mmm_tuning_free(mmm_tuning *tuning);
/* ---- Formulas (sections 3 to 6) ---------------------------------------------------------------------------------- */

/* The analysis of an algorithm: its parameters, their constraints, W, S, O, N, L, C, K as exact expressions, and what
 * the paper claims of them.  docs/formulas.md describes the files. */
typedef struct mmm_formula mmm_formula;

/* Opens a built-in analysis ("division", "radix-sort", "multiplication", "gcd") or the file at a path (a word with a
 * '/' or a '.'). */
MMM_API mmm_status mmm_formula_open(const char *name_or_path, mmm_formula **out);
/* The same from text, which `name` names in messages. */
MMM_API mmm_status mmm_formula_read(const char *name, const char *text, mmm_formula **out);
MMM_API void mmm_formula_free(mmm_formula *formula);

/* The built-in analyses by number from 0; NULL after the last. */
MMM_API const char *mmm_formula_builtin(int number);
MMM_API const char *mmm_formula_title(const mmm_formula *formula);
MMM_API const char *mmm_formula_program_parameter(const mmm_formula *formula);

/* The names an expression may use, by number from 0; NULL after the last.  *meaning (may be NULL) is what a parameter
 * means or what a quantity equals. */
MMM_API const char *mmm_formula_name(const mmm_formula *formula, int number, const char **meaning);

/* The constraints on the parameters, such as "7*s <= Z", by number from 0; NULL after the last.  Besides, every
 * parameter is positive. */
MMM_API const char *mmm_formula_constraint(const mmm_formula *formula, int number);

/* The conditions under which the measured forms are what the abstract machine counts, such as "m/l is whole" or
 * "l >= 2", by number from 0; NULL after the last.  With a quantity: its further ones, all in one text, as number 0. */
MMM_API const char *mmm_formula_given(const mmm_formula *formula, const char *quantity, int number);

typedef enum mmm_notation { MMM_TEXT, MMM_LATEX, MMM_C, MMM_PYTHON } mmm_notation;

/* A question about an expression such as "W(s=1)/W(s)" or "T1/T > 1".  T is Corollary 1, T(P) is Theorem 1, a name
 * followed by 1 is the naive form.  What is not asked is NULL.  All are applied in the order of the fields. */
typedef struct mmm_query {
    const char *expression;
    const char *set;      /* substitutions, which see each other: "l=Z/2,s=Z/7" */
    const char *assume;   /* relations besides the formula's own constraints: "U>2,n>=m" */
    const char *limit;    /* variables that go to infinity, one after the other: "n" or "n,U" */
    const char *leading;  /* the same, but the answer is the quotient of the leading terms */
    const char *solve;    /* the variable to solve a relation for */
    const char *evaluate; /* values: "n=10000,m=9000" */
    mmm_notation notation;
    int measured; /* 1: take what the abstract machine measures for each quantity, not what the paper states */
} mmm_query;

typedef struct mmm_answer {
    char *text;    /* canonical and factored, so that equal expressions read the same */
    int decided;   /* 0: the question cannot be decided, and text says why */
    char *decimal; /* the value in decimals where the answer is a number, else NULL */
    double number; /* the same; NaN for none */
} mmm_answer;

MMM_API mmm_status mmm_formula_ask(const mmm_formula *formula, const mmm_query *query, mmm_answer *out);
MMM_API void mmm_answer_clear(mmm_answer *answer);

/* After MMM_INVALID from an expression: the column (from 0) of the offending place in *text; -1 when there is none. */
MMM_API int mmm_formula_place(const char **text);

/* Draws the expression over a range of one variable ("s=1-512", "s=1-512:10log2", "s=64,128,256") into an SVG file,
 * with gnuplot; every other variable must have a value from `set` or `evaluate`. */
MMM_API mmm_status mmm_formula_plot(const mmm_formula *formula, const mmm_query *query, const char *range,
                                    const char *path);

/* What a paper states, what follows from its own quantities, what the abstract machine measures (NULL where it has not
 * been measured), and the verdict "holds", "does not follow" or "differs". */
typedef struct mmm_claim {
    char *id, *section, *states, *follows, *measured;
    const char *verdict;
} mmm_claim;

/* Checks every claim of an analysis. */
MMM_API mmm_status mmm_formula_claims(const mmm_formula *formula, mmm_claim **claims, int *count);
MMM_API void mmm_claims_free(mmm_claim *claims, int count);

/* The strategy of the introduction: how to choose a program parameter. */
typedef struct mmm_strategy {
    char *parameter, *range; /* "s", "1 <= s <= Z/7" */
    char *work;              /* W(s0)/W(s) */
    int work_bounded;        /* 1 bounded, 0 not, -1 cannot be decided */
    char *overhead;          /* O(s0)/O(s) */
    char *best;              /* the s that maximises it */
    char *time;              /* T(s0)/T(s) by Corollary 1 */
    int confirmed;           /* whether Corollary 1 confirms the choice: 1, 0, -1 */
    char *assumptions;       /* under which the above was found */
    char *verdict;           /* in words */
} mmm_strategy;

MMM_API mmm_status mmm_formula_optimize(const mmm_formula *formula, const char *parameter, const char *set,
                                        mmm_strategy *out);
MMM_API void mmm_strategy_clear(mmm_strategy *strategy);

/* ---- Choosing s: a report to look at ----------------------------------------------------------------------------- */

/* One value of the program parameter: what was counted, predicted and measured.  What is not known is 0 or NULL. */
typedef struct mmm_trial {
    int64_t value;                /* of the parameter */
    const mmm_analysis *analysis; /* made from a job, which is kept: its program is drawn */
    mmm_prediction predicted;
    int runs;                   /* on the device */
    double median, least, most; /* seconds of these runs */
    int checked;                /* whether the result was compared with FLINT's */
    mmm_status check;           /* and what mmm_job_check said */
    const char *skipped;        /* why there is nothing */
} mmm_trial;

/* All of it is borrowed. */
typedef struct mmm_report_input {
    const mmm_app *app;
    const mmm_job *job;      /* the sizes; its value of the parameter does not matter */
    const char *parameter;   /* the name of the program parameter, such as "s" */
    const mmm_trial *trials; /* in order of value */
    int count;
    int chosen;             /* the number of the trial to recommend; -1: the fastest right one, by what is known best */
    mmm_parameters machine; /* the device as the model knows it */
    const char *device, *description; /* its name and mmm_machine_description; NULL: nothing ran */
    int64_t P;                        /* SMs of the schedule that is drawn; 0: the machine's, or 8 */
    uint64_t seed;                    /* of that schedule */
    const char *command;              /* what made the report; NULL: not said */
    int64_t date;                     /* seconds since 1970; 0: now */
} mmm_report_input;

/* One HTML file that needs nothing else: the verdict, times and measures against the parameter as plots and tables, the
 * kernel DAG, a greedy schedule, formulas.  It goes to `path` like the outputs above. */
MMM_API mmm_status mmm_report_html(const mmm_report_input *input, const char *path);

/* The data behind it as JSON. */
MMM_API mmm_status mmm_report_data(const mmm_report_input *input, const char *path);

/* The verdict in one sentence, cut to `size`. */
MMM_API mmm_status mmm_report_verdict(const mmm_report_input *input, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
