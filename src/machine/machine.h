/* SPDX-License-Identifier: Apache-2.0 */
/* What a machine is to the rest of the library: a record and a small table of functions. */
#ifndef MMM_MACHINE_H
#define MMM_MACHINE_H

#include "model/model.h"

#include <setjmp.h>

/* An array in global memory.  Name and host memory are borrowed. */
typedef struct mmm_array {
    const char *name;
    int64_t count;
    int size; /* bytes of an element */
    mmm_use use;
    void *host;
    bool races_allowed;
} mmm_array;

enum { MMM_ARGUMENTS_MOST = 16, MMM_LOCAL_ARRAYS_MOST = 16, MMM_PRIVATE_MOST = 16 };

typedef struct mmm_machine_type {
    const char *name, *summary;
    /* How many there are, for machines called name:0, name:1, ...; NULL for one that is called by its name alone. */
    mmm_status (*count)(int *count);
    /* Acquires what the machine needs; fails with MMM_DEVICE where it is not to be had. */
    mmm_status (*open)(mmm_machine *machine);
    /* Runs a validated program; sets *seconds. */
    mmm_status (*run)(mmm_machine *machine, mmm_program *program, const mmm_order *order, double *seconds);
    /* Releases machine->state. */
    void (*close)(mmm_machine *machine);
} mmm_machine_type;

struct mmm_machine {
    const mmm_machine_type *type;
    int number; /* of the device */
    char description[256];
    mmm_parameters parameters; /* of the abstract machine */
    uint64_t seed;
    mmm_counts counts;
    double time_limit; /* seconds, 0: none */
    mmm_progress *progress;
    void *progress_context;
    void *state;
};

extern const mmm_machine_type mmm_machine_abstract, mmm_machine_cpu, mmm_machine_cuda, mmm_machine_opencl;

/* The arguments of a call with arrays replaced by the memory `base` gives for them. */
void mmm_machine_values(const mmm_node *node, void *const *base, mmm_value *values);

/* The predecessors of kernel k are (*list)[(*first)[k]] .. (*list)[(*first)[k + 1] - 1]; both are released by free(). */
mmm_status mmm_predecessors(const mmm_program *program, int **first, int **list);

/* Counts single blocks, without looking for violations; arrays hold what the host's hold. */
typedef struct mmm_sampler mmm_sampler;
mmm_status mmm_sampler_new(mmm_program *program, const mmm_parameters *parameters, mmm_sampler **out);
/* Copies the host's arrays again: those the program reads first, or all. */
void mmm_sampler_load(mmm_sampler *sampler, bool all);
mmm_status mmm_sampler_block(mmm_sampler *sampler, int kernel, int64_t block, mmm_profile *out);
void mmm_sampler_free(mmm_sampler *sampler);

/* The source line of an address in a kernel, 0 where there is no debug information. */
int mmm_source_line(const void *address);

#endif
