/* SPDX-License-Identifier: Apache-2.0 */
/* Plans, and those that a machine keeps. */
#ifndef MMM_PLAN_H
#define MMM_PLAN_H

#include "job/job.h"

/* Coefficients of a device's large input, which the threads of the host bring into their form and check: arrays of
 * plan->entering.  They are few, and the caller's thread does it, where `seen` is NULL. */
typedef struct mmm_entering {
    int from;
    uint64_t *seen; /* by block, of which a problem has `blocks` */
    int64_t blocks;
} mmm_entering;

/* A polynomial that the device finds: arrays of the program, and what takes all of them to the caller's memory. */
enum { LEAVE_WORDS = 1024 }; /* that a block of the host takes out of their form */

typedef struct mmm_settled {
    int found; /* its number of terms, and in which of the output's two places it is; -1: the host looks for it */
    int at;    /* their place in that array */
    int to;    /* its words; -1: they stay in that place */
    mmm_program *leaving;
} mmm_settled;

struct mmm_plan {
    mmm_machine *machine;
    mmm_job *job;
    mmm_program *entering;               /* NULL: all are few */
    mmm_entering enters[ARRAYS_MOST];    /* by array */
    mmm_program *leaving[MMM_DATA_MOST]; /* the other way: by output, NULL: the caller's thread does it */
    mmm_settled settled[MMM_DATA_MOST];  /* by output too */
    bool has_input[MMM_DATA_MOST], has_output[MMM_DATA_MOST];
    int64_t rooms[MMM_DATA_MOST]; /* elements of an output that a problem has room for */
    int64_t lying[ARRAYS_MOST];   /* terms that an array has since a run with polynomials there, and 1 */
    uint64_t *made_of;            /* tables among its inputs, `made` numbers, in what way: mmm_plan_holds */
    int64_t made;
    int made_how;
    bool kept;      /* by its machine: nobody asks how long its runs take */
    double seconds; /* of the kernels of the last run */
    int64_t calls;  /* of a plan that is kept, until it is predicted, */
    double spent;   /* and the seconds that they took, about */
    bool predicted; /* its algorithm and choices are those that prediction takes */
};

/* About how much memory it takes, on the host and on a device. */
uint64_t mmm_plan_bytes(const mmm_plan *plan);

/* As mmm_plan_take; `there`: it is for polynomials in the machine's memory. */
mmm_status mmm_plan_make(mmm_job *job, mmm_machine *machine, bool there, mmm_plan **out);

/* Runs its program, in time where somebody asks for it. */
mmm_status mmm_plan_go(mmm_plan *plan);

/* Whether elements are the same in the caller's memory and in arrays. */
bool mmm_plan_is_plain(const mmm_job *job, mmm_type type);

/* Whether an input's elements of one problem are what they should be; the message names the first that is not. */
mmm_status mmm_plan_check_below(const mmm_job *job, int64_t problem, int input, const uint64_t *a);

/* Makes plan->entering and plan->leaving, once the arrays have memory; their end; and many coefficients, checked, into
 * their arrays: the places they come from are set in plan->entering. */
mmm_status mmm_plan_make_forms(mmm_plan *plan, const mmm_job *job);
void mmm_plan_drop_forms(mmm_plan *plan);
mmm_status mmm_plan_enter(mmm_plan *plan, const void *const *inputs);

/* The host as a machine. */
mmm_status mmm_plan_host(mmm_plan *plan);

/* A program that moves data, by as many threads of the host as help. */
mmm_status mmm_plan_run_host(mmm_plan *plan, mmm_program *program);

/* Has the device find the outputs of a plan for batches, or for polynomials that stay there; then, once the arrays have
 * memory, what takes them out of it; and after a run, one of them, with the numbers of terms. */
mmm_status mmm_plan_settle(mmm_plan *plan, mmm_job *job, bool there);
mmm_status mmm_plan_settle_host(mmm_plan *plan, const mmm_job *job);
mmm_status mmm_plan_give_settled(mmm_plan *plan, int output, void *to, int64_t *counts);

/* The first half of mmm_plan_run: an input whose `buffers` is not NULL lies in the machine's memory, in the words of
 * the program and as large as its array there; and the second half. */
mmm_status mmm_plan_start(mmm_plan *plan, const void *const *inputs, void *const *buffers);
mmm_status mmm_plan_finish(mmm_plan *plan, void *const *outputs, int64_t *const *counts);

/* Whether the tables among its inputs are those made in this way of so many numbers: then they need not be given again,
 * and are NULL in the next run.  It holds none before a run with others (0 numbers), and these after it. */
bool mmm_plan_holds(const mmm_plan *plan, int how, const uint64_t *numbers, int64_t count);
mmm_status mmm_plan_hold(mmm_plan *plan, int how, const uint64_t *numbers, int64_t count);

/* Has an array of the next run lie at `memory`, where the machine works in host memory; false: elsewhere, or it is an
 * input that becomes a result. */
bool mmm_plan_put(mmm_plan *plan, int array, void *memory);

/* The array that holds an input, and where in it it begins. */
int mmm_plan_array(const mmm_plan *plan, int input, int64_t *count, int64_t *first);

/* Runs it with polynomials in its machine's memory; the results are new ones there.  *monic: they are as they
 * are wanted; else still to be divided by their leading coefficients. */
mmm_status mmm_plan_run_there(mmm_plan *plan, const mmm_array *const *inputs, mmm_array **outputs, bool *monic);

/* Multiplies a polynomial by a factor, a word of the program, by a plan that has both as its arrays number 0 and 1. */
mmm_status mmm_plan_scale(mmm_plan *plan, mmm_array *array, const void *factor);

/* The number of terms of a polynomial that may have leading zeros, by a plan that leaves it as numbers, one a block,
 * the last that is not 0 counts, in its array number 1. */
mmm_status mmm_plan_count(mmm_plan *plan, const mmm_array *array, int64_t *terms);

/* What a plan is for. */
enum { MMM_KEY = 9 };
typedef struct mmm_plan_key {
    const char *app; /* the same pointer each time */
    int64_t numbers[MMM_KEY];
} mmm_plan_key;

/* The machine's plan for a key, NULL: it has none.  It stays until two others were found or added. */
mmm_plan *mmm_recent_find(mmm_machine *machine, const mmm_plan_key *key);

/* Hands a plan over to the machine, and it stays as one that was found; plans that were not used for long go for it.
 * Where the plan cannot be kept, it is freed and this fails. */
mmm_status mmm_recent_add(mmm_machine *machine, const mmm_plan_key *key, mmm_plan *plan);

/* The machine's plan for an application of the library's own, found or made and added: `numbers` are its parameters, at
 * most MMM_KEY, in the order of the record. */
mmm_status mmm_recent_of(mmm_machine *machine, const mmm_app *app, const int64_t *numbers, mmm_plan **plan);

/* Frees a plan that failed. */
void mmm_recent_drop(mmm_machine *machine, const mmm_plan *plan);

/* How many plans the machine keeps. */
int mmm_recent_count(const mmm_machine *machine);

#endif
