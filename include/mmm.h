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
    MMM_INVALID,  /* an argument, file or program is not what it should be; the message names the bad word */
    MMM_TOO_LARGE, /* what was asked for does not fit this machine; nothing was allocated */
    MMM_MEMORY,   /* the system refused memory */
    MMM_IO,       /* a file could not be read or written */
    MMM_DEVICE,   /* a device or its driver failed */
    MMM_WRONG,    /* a result failed its check */
} mmm_status;

/* The explanation of the last failure in this thread: one line, no newline. */
MMM_API const char *mmm_message(void);

/* A short name of a status, for logs. */
MMM_API const char *mmm_status_name(mmm_status status);

/* ---- Machines (section 2.1) -------------------------------------------------------------------------------------- */

/* What the model knows of a machine.  Times are in local operations. */
typedef struct mmm_parameters {
    char name[64];
    double U;        /* time to move one word between global and local memory */
    int64_t Z;       /* words of local memory of a streaming multiprocessor (SM) */
    int64_t P;       /* SMs; 0 where the model's unbounded number is meant */
    int64_t threads; /* most threads of a thread-block; 0 for the model's own limit, Z */
    double launch;   /* cost of starting a kernel; 0 as in the paper, which neglects it */
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

/* ---- Formulas (sections 3 to 6) ---------------------------------------------------------------------------------- */

/* The analysis of an algorithm: its parameters, their constraints, W, S, O, N, L, C, K as exact expressions, and what
 * the paper claims of them.  docs/formulas.md describes the files. */
typedef struct mmm_formula mmm_formula;

/* Opens a built-in analysis ("division", "radix-sort", "multiplication", "gcd") or the file at a path (a word with a '/'
 * or a '.'). */
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
    char *parameter, *range;        /* "s", "1 <= s <= Z/7" */
    char *work;                     /* W(s0)/W(s) */
    int work_bounded;               /* 1 bounded, 0 not, -1 cannot be decided */
    char *overhead;                 /* O(s0)/O(s) */
    char *best;                     /* the s that maximises it */
    char *time;                     /* T(s0)/T(s) by Corollary 1 */
    int confirmed;                  /* whether Corollary 1 confirms the choice: 1, 0, -1 */
    char *assumptions;              /* under which the above was found */
    char *verdict;                  /* in words */
} mmm_strategy;

MMM_API mmm_status mmm_formula_optimize(const mmm_formula *formula, const char *parameter, const char *set,
                                        mmm_strategy *out);
MMM_API void mmm_strategy_clear(mmm_strategy *strategy);

#ifdef __cplusplus
}
#endif
#endif
