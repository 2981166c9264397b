/* SPDX-License-Identifier: Apache-2.0 */
/* The engine on StarPU and MPI: a rank is a process with a StarPU runtime whose workers have machines of mmm.
 *
 * Rank 0 tells the others what comes next (command.c).  Shared data then go down a tree of ranks, a task's own data
 * from rank 0 to the rank that does it, as StarPU handles by StarPU-MPI, so that tasks start when what they need is
 * there; what a rank's tasks gave goes up the same tree in one piece (round.c). */
#ifndef MMM_STARPU_H
#define MMM_STARPU_H

#include "mmm/engine.h"

#include <mpi.h>
#include <starpu.h>
#include <starpu_mpi.h>
#include <stdbool.h>
#include <stdint.h>

enum { WORKERS_MOST = STARPU_MAXCPUS, MESSAGE = 248, BYTES_MOST = INT32_MAX };

/* Data that tasks share, on every rank that has heard of them; those that rank 0 has not sent have no handle yet. */
typedef struct shared {
    int64_t number, bytes;
    starpu_data_handle_t handle;
    void *memory; /* of rank 0: the caller's; elsewhere its own */
    struct shared *next;
} shared;

/* Memory for what a rank is sent: pages that are not given back need not be made again. */
enum { SPARES = 4 };
typedef struct spare {
    void *memory;
    int64_t bytes;
} spare;

typedef struct engine {
    const mmm_engine_library *library;
    MPI_Comm commands, data;
    int rank, ranks, workers, all;
    bool ends_mpi, started;
    void *machines[WORKERS_MOST]; /* by StarPU's worker */
    mmm_engine_place own[WORKERS_MOST], *places;
    int *first; /* worker of each rank, and one behind the last */
    shared *list;
    spare spares[SPARES];
    unsigned oldest;
    int64_t last_number, last_tag;
    bool broken; /* a rank left in the middle: nothing can be told to it */
} engine;

/* What rank 0 tells the others: what to do, and what with. */
typedef enum order { ORDER_END, ORDER_DROP, ORDER_RUN } order;

/* A task as all ranks know it. */
typedef struct entry {
    int64_t rank, worker;                                  /* worker: of that rank's, -1: any */
    int64_t words, words_bytes, input_bytes, output_bytes; /* words: where in the text */
} entry;

/* What a task's result begins with. */
typedef struct outcome {
    int32_t status, worker; /* of all ranks' */
    char message[MESSAGE];
} outcome;

/* Sends an order with a text, or waits for one: the text is the receiver's to free. */
void command_send(engine *e, order what, const void *text, int64_t bytes);
mmm_status command_wait(engine *e, order *what, void **text, int64_t *bytes);

/* A rank's part of a round that rank 0 describes; and rank 0's. */
mmm_status round_serve(engine *e, const void *text);
mmm_status round_run(void *state, const int64_t *numbers, int count, const mmm_engine_task *tasks, int task_count);

mmm_status shared_add(void *state, const void *memory, size_t bytes, int64_t *number);
void shared_drop(void *state, int64_t number);
void shared_remove(engine *e, int64_t number);
void spares_free(engine *e);

#endif
