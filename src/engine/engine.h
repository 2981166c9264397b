/* SPDX-License-Identifier: Apache-2.0 */
/* Engines as the rest of the library sees them, and the kinds of tasks that they do. */
#ifndef MMM_ENGINE_PRIVATE_H
#define MMM_ENGINE_PRIVATE_H

#include "machine/machine.h"

#include "mmm/engine.h"

struct mmm_engine {
    const mmm_engine_plugin *plugin;
    void *state;
    int rank, ranks, workers;
    bool cpu;             /* all devices are CPUs */
    mmm_machine *engaged; /* whose progress function the work asks */
};

/* What a worker holds. */
typedef struct mmm_worker {
    mmm_machine *machine;
    struct mmm_primes *primes;               /* of its last task (integer/integer.h) */
    void (*drop)(struct mmm_worker *worker); /* of what it keeps beside the machine; NULL: nothing */
} mmm_worker;

/* The kinds of tasks: what `words` begins with. */
typedef enum mmm_kind {
    MMM_KIND_RESIDUES,
    MMM_KIND_RECONSTRUCT,
    MMM_KIND_DIVIDES,
    MMM_KIND_RESULTANT,
    MMM_KIND_TUNE,
    MMM_KINDS
} mmm_kind;

typedef mmm_status mmm_performer(mmm_worker *worker, const mmm_engine_data *shared, int shared_count,
                                 const mmm_engine_task *task);
mmm_performer mmm_perform_residues, mmm_perform_reconstruct, mmm_perform_divides, mmm_perform_resultant,
    mmm_perform_tune;

/* Does them all; the engaged machine's progress function may stop it. */
mmm_status mmm_engine_run(mmm_engine *engine, const int64_t *shared, int shared_count, const mmm_engine_task *tasks,
                          int count);

/* Fails unless a task has so many bytes of words at least, shared data and input, and exactly so much output. */
mmm_status mmm_engine_check_task(const mmm_engine_task *task, int shared_count, size_t words, int shared,
                                 uint64_t input, uint64_t output);

#endif
