/* SPDX-License-Identifier: Apache-2.0 */
/* What a machine is to the rest of the library: a record and a small table of functions. */
#ifndef MMM_MACHINE_H
#define MMM_MACHINE_H

#include "model/model.h"

#include <setjmp.h>

/* An array of a program in global memory.  Name, host memory and buffer are borrowed. */
typedef struct mmm_global {
    const char *name;
    mmm_type type;
    int64_t count; /* elements of one problem */
    int size;      /* bytes of an element */
    mmm_use use;
    void *host;
    int64_t known; /* bytes of `host` that count, a page or more: others are as if these were repeated; 0: all of it */
    void *buffer; /* memory of the machine that the array lies in, so that a run moves nothing; NULL: `host` counts */
    bool races_allowed;
    bool fixed; /* what goes in is the same in all runs, and nothing changes it */
    bool there; /* what goes in lies in the machine's own array already */
    bool stays; /* results are not wanted in host memory */
} mmm_global;

/* Lays an array of a program into a buffer of the machine that will run it. */
void mmm_program_bind(mmm_program *program, int array, void *buffer);

/* Bytes of an array: of all problems of a batch, one after the other. */
static inline size_t mmm_global_bytes(const mmm_program *program, const mmm_global *array)
{
    return (size_t)(array->count * array->size * program->batch);
}

/* Where an array lies for a machine that works in host memory. */
static inline void *mmm_global_memory(const mmm_global *array)
{
    return array->buffer ? array->buffer : array->host;
}

enum { MMM_ARRAYS_MOST = 64, MMM_ARGUMENTS_MOST = 16, MMM_LOCAL_ARRAYS_MOST = 16 };
/* Of a thread: arrays, and values of 8 bytes. */
enum { MMM_PRIVATE_ARRAYS_MOST = 32, MMM_PRIVATE_MOST = 96 };

/* Memory of a machine, in buffers that only their machine understands.  Sizes and offsets are bytes, multiples of 4 and
 * not 0; each call sees what the calls and runs before it did. */
typedef struct mmm_memory_type {
    /* Memory with anything in it; fails with MMM_TOO_LARGE or MMM_MEMORY where there is not so much. */
    mmm_status (*make)(mmm_machine *machine, size_t bytes, void **buffer);
    /* Releases a buffer, also of a device that was lost. */
    void (*release)(mmm_machine *machine, void *buffer);
    /* Host memory into a buffer from `offset` on; `from` is free when it returns. */
    mmm_status (*write)(mmm_machine *machine, void *buffer, size_t offset, const void *from, size_t bytes);
    /* The other way; `to` is complete when it returns. */
    mmm_status (*read)(mmm_machine *machine, void *buffer, size_t offset, void *to, size_t bytes);
    /* Write and read for which `finish` is what completes them, with all that was begun before; NULL: there are none,
     * and nothing is left to be completed. */
    mmm_status (*send)(mmm_machine *machine, void *buffer, size_t offset, const void *from, size_t bytes);
    mmm_status (*receive)(mmm_machine *machine, void *buffer, size_t offset, void *to, size_t bytes);
    mmm_status (*finish)(mmm_machine *machine);
    /* Host memory from and to which the device copies faster, and its release; NULL: any other is as good. */
    mmm_status (*stage)(mmm_machine *machine, size_t bytes, void **memory);
    void (*unstage)(mmm_machine *machine, void *memory);
    /* Bytes of one buffer from an offset on into another one from an offset on. */
    mmm_status (*copy)(mmm_machine *machine, void *to, size_t to_offset, void *from, size_t from_offset, size_t bytes);
    /* Zeros from the beginning on. */
    mmm_status (*zero)(mmm_machine *machine, void *buffer, size_t bytes);
    /* Bytes that there are now; NULL: nobody knows. */
    mmm_status (*available)(mmm_machine *machine, uint64_t *bytes);
} mmm_memory_type;

extern const mmm_memory_type mmm_memory_host, mmm_memory_cuda, mmm_memory_opencl;

/* The same for any machine and any size, 0 too; what goes in and out is counted. */
mmm_status mmm_buffer_new(mmm_machine *machine, size_t bytes, void **buffer);
void mmm_buffer_free(mmm_machine *machine, void *buffer);

/* The same where buffers come and go often: those of devices and CPUs are put by, some of them, and taken again as they
 * are.  *bytes is what the buffer has, which may be more than was asked for. */
mmm_status mmm_buffer_take(mmm_machine *machine, size_t *bytes, void **buffer);
void mmm_buffer_put_by(mmm_machine *machine, size_t bytes, void *buffer);
void mmm_buffer_drop_spares(mmm_machine *machine);

mmm_status mmm_buffer_write(mmm_machine *machine, void *buffer, size_t offset, const void *from, size_t bytes);
mmm_status mmm_buffer_read(mmm_machine *machine, void *buffer, size_t offset, void *to, size_t bytes);
mmm_status mmm_buffer_copy(mmm_machine *machine, void *to, size_t to_offset, void *from, size_t from_offset,
                           size_t bytes);
mmm_status mmm_buffer_zero(mmm_machine *machine, void *buffer, size_t bytes);

typedef struct mmm_machine_type {
    const char *name, *summary;
    bool has_time; /* its runs take time: it can be tuned and calibrated */
    /* How many there are, for machines called name:0, name:1, ..., and what finds them; NULL for one that is called by
     * its name alone. */
    mmm_status (*count)(int *count);
    const char *system;
    /* Acquires what the machine needs and says what it is: description, parameters, device and cpu where that is more.
     * Fails with MMM_DEVICE where it is not to be had.  Its number is below count. */
    mmm_status (*open)(mmm_machine *machine);
    /* Runs a validated program; sets *seconds, unless it is NULL.  Arrays in buffers stay there, the others come from and go to `host`. */
    mmm_status (*run)(mmm_machine *machine, mmm_program *program, const mmm_order *order, double *seconds);
    /* Elements of an array of the program that ran last into host memory; NULL where they are there. */
    mmm_status (*fetch)(mmm_machine *machine, const mmm_program *program, int array, int64_t first, int64_t count);
    /* Makes a program ready to run, to stay so until it is dropped; the machine's own memory of one of its arrays, NULL
     * where the program is not ready.  All three are NULL for a machine that works in host memory. */
    mmm_status (*keep)(mmm_machine *machine, mmm_program *program, const mmm_order *order);
    void (*drop)(mmm_machine *machine, const mmm_program *program);
    void *(*array)(mmm_machine *machine, const mmm_program *program, int array);
    /* Releases machine->state. */
    void (*close)(mmm_machine *machine);
    const mmm_memory_type *memory;
    const struct mmm_gpu_driver *gpu; /* for those that run by mmm_gpu_run */
} mmm_machine_type;

enum { MMM_SPARES_MOST = 16 };
typedef struct mmm_spare {
    void *buffer;
    size_t bytes;
} mmm_spare;

struct mmm_machine {
    const mmm_machine_type *type;
    int number;       /* of the device */
    char file[64];    /* its name in file names, "cpu" or "cuda-0" */
    char device[512]; /* the device for wisdom and machine files: what the best choice depends on, not drivers, memory
                       * and clock, which change; by default the description */
    bool cpu;         /* the device is a CPU */
    char description[256];
    mmm_parameters parameters; /* the abstract machine's; of another P, Z, threads and, where they are known, lanes */
    uint64_t seed;
    bool traffic; /* is counted */
    bool quick;   /* costs alone are counted: nobody looks for races */
    mmm_counts counts;
    double time_limit; /* seconds, 0: none */
    double *kernel_seconds; /* where a run on one core adds up the seconds of each kernel; NULL: nowhere */
    int launches;      /* of the kernels, in a run; 0 is 1 */
    mmm_progress *progress;
    void *progress_context;
    int64_t bytes_in, bytes_out; /* moved between host memory and the machine's */
    mmm_spare spares[MMM_SPARES_MOST]; /* buffers put by */
    int spare_count;
    mmm_spare stages[MMM_SPARES_MOST]; /* and memory of the host that the device reads and writes itself */
    int stage_count;
    int process;                 /* that opened it */
    struct mmm_engine *engine;   /* that the functions over Z hand their work to; NULL: none */
    mmm_machine *host;           /* of a device: the cpu as a machine, once plans need it */
    struct mmm_recent *recent;   /* plans that the functions on arrays keep with it, and how they are dropped: those */
    void (*drop_recent)(struct mmm_recent *recent, bool all); /* that are not in use, or all and the record itself */
    void *state;
};

/* Whether the machine can be used here: drivers of devices, unlike threads of our own, do not survive a fork.  The other
 * one fails where it cannot. */
bool mmm_machine_is_ours(const mmm_machine *machine);
mmm_status mmm_machine_check_process(const mmm_machine *machine);

extern const mmm_machine_type mmm_machine_abstract, mmm_machine_cpu, mmm_machine_cuda, mmm_machine_opencl;

/* What is known of a machine that was not calibrated: the shipped numbers that fit its device, or, where there are
 * none, those of "an unknown device", with its own P, Z and threads. */
mmm_status mmm_machine_numbers(const mmm_machine *machine, mmm_parameters *out);

/* How a decision looks into arrays: in which buffers they are, and who is told of it (NULL: nobody). */
typedef struct mmm_sight {
    mmm_machine *machine;
    void *const *base;
    void (*told)(void *context, int array, int64_t first, int64_t count);
    void *context;
} mmm_sight;

/* Calls the functions that the kernels from `first` on, which have ended, named for their end.  *more: they have added
 * kernels, which are to run next, in the *order of all (NULL: nobody runs them). */
mmm_status mmm_machine_unfold(mmm_program *program, int64_t first, const mmm_sight *sight, const mmm_order **order,
                              bool *more);

/* Whether some kernel named a function for its end. */
bool mmm_program_is_open(const mmm_program *program);

/* Fails unless the machine can run the kernels from `first` on. */
mmm_status mmm_machine_check_code(const mmm_machine *machine, const mmm_program *program, int64_t first);

/* Makes a program ready to run any number of times, with other data in its arrays' host memory; and its end. */
mmm_status mmm_machine_keep(mmm_machine *machine, mmm_program *program);
void mmm_machine_drop(mmm_machine *machine, const mmm_program *program);

/* The machine's memory of an array of a program that it keeps; NULL where there is none: its number is below 0. */
void *mmm_machine_array(mmm_machine *machine, const mmm_program *program, int array);

/* Waits for all that was begun with the machine's memory. */
mmm_status mmm_buffer_finish(mmm_machine *machine);

/* Host memory of arrays that go to the machine and back. */
mmm_status mmm_stage_new(mmm_machine *machine, size_t bytes, void **memory);
void mmm_stage_free(mmm_machine *machine, void *memory);

/* One that was put by, or a new one, of *bytes or more, which it is set to; and putting it by. */
mmm_status mmm_stage_take(mmm_machine *machine, size_t *bytes, void **memory);
void mmm_stage_put_by(mmm_machine *machine, size_t bytes, void *memory);

/* Has *memory, a pointer to such memory of *bytes or to none of 0, hold what it holds and `need` bytes at least. */
mmm_status mmm_stage_reach(mmm_machine *machine, size_t need, size_t *bytes, void *memory);

/* Whether two calls differ only in arguments that are not compiled in. */
bool mmm_nodes_alike(const mmm_node *x, const mmm_node *y);

/* The same of programs with the same calls, edges and sizes of arrays. */
mmm_digest mmm_program_digest(const mmm_program *program);

/* The arguments of a call for one problem of a batch, with arrays replaced by the memory `base` gives for them. */
void mmm_machine_values(const mmm_program *program, const mmm_node *node, void *const *base, int64_t problem,
                        mmm_value *values);

/* What the code of a call compiled for the host needs to know besides; it is to run blocks first .. last-1 of a problem.
 */
mmm_call mmm_machine_call(const mmm_program *program, const mmm_node *node, int64_t problem, int64_t first,
                          int64_t last, mmm_scratch *scratch);

/* Gives each problem of a program's batch a modulus of its own, odd, for words as the program has them. */
mmm_status mmm_program_set_moduli(mmm_program *program, const mmm_modulus *moduli);

/* Counts single blocks, without looking for violations; arrays hold what the host's hold. */
typedef struct mmm_sampler mmm_sampler;
mmm_status mmm_sampler_new(mmm_program *program, const mmm_parameters *parameters, mmm_sampler **out);
/* Copies the host's arrays again: those the program reads first, or all. */
void mmm_sampler_load(mmm_sampler *sampler, bool all);
int64_t mmm_sampler_work(const mmm_sampler *sampler); /* accesses that were counted */
/* Whether few threads of a group, on cores few turns of a part, stand for the others, as they may where no data decide
 * what threads do. */
void mmm_sampler_sparse(mmm_sampler *sampler, bool sparse);
/* Blocks that make more accesses are too large from now on; `hasty`: they are given up as soon as the first group of a
 * part tells that they will. */
void mmm_sampler_limit(mmm_sampler *sampler, int64_t accesses, bool hasty);
mmm_status mmm_sampler_block(mmm_sampler *sampler, int kernel, int64_t block, mmm_profile *out);
/* From now on each part of a block goes to `sink`, and at the block's end one of width 0: what is done between regions, its
 * operations and accesses as operations[0] and own; blocks then have no time. */
typedef void mmm_part_sink(void *context, const mmm_part *part);
mmm_status mmm_sampler_listen(mmm_sampler *sampler, mmm_part_sink *sink, void *context);
/* From now on the work of each region of a block goes to `sink`, too, on a machine with constants of a GPU. */
void mmm_sampler_hear(mmm_sampler *sampler, mmm_work_sink *sink, void *context);
void mmm_sampler_free(mmm_sampler *sampler);

/* The best instruction set of this machine: a number of those for which kernels are compiled; and the same for words
 * modulo p, where there may be a better one. */
int mmm_cpu_isa(void);
int mmm_cpu_way(uint64_t p);

/* The source line of an address in a kernel, 0 where there is no debug information. */
int mmm_source_line(const void *address);

#endif
