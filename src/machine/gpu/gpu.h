/* SPDX-License-Identifier: Apache-2.0 */
/* What the machines that compile kernels at run time share: libraries opened by name, texts of kernels with their
 * constants filled in, a cache of compiled code, and programs made ready to run. */
#ifndef MMM_GPU_H
#define MMM_GPU_H

#include "machine/machine.h"

/* A function of a library that is opened at run time, and where its address goes. */
typedef struct mmm_symbol {
    const char *name;
    void *address; /* of a function pointer */
    bool optional;
} mmm_symbol;

/* In a child that exists for what a foreign library may do to it: it prints nothing, and ends in half a minute. */
void mmm_child_begin(void);

/* Opens the first library of `names` (ended by NULL) that can be opened, or the one that the environment variable
 * `override` names, and finds its symbols (ended by a NULL name); it stays open.  The message of a failure says what
 * was looked for. */
mmm_status mmm_library_open(const char *what, const char *override, const char *const *names,
                            const mmm_symbol *symbols);

/* The distinct ways in which a program's kernels must be compiled: by code, threads and constants. */
typedef struct mmm_variants {
    int count;
    int64_t room, of_room;
    mmm_node *nodes; /* a copy of that with the most blocks, which stands for each, with arguments of its own */
    int64_t kernels; /* of the program, that were looked at */
    int *of;         /* by these */
} mmm_variants;

/* Adds those of the kernels that were not looked at. */
mmm_status mmm_variants_add(const mmm_program *program, mmm_variants *variants);
void mmm_variants_free(mmm_variants *variants);

/* The text of a kernel's file with everything defined that a GPU compiles in: target ("MMM_TARGET_CUDA"), word,
 * modulus, threads, constants.  `dynamic`: local memory is given at the launch.  `at_once`: the most blocks that a
 * multiprocessor has at once, 0: not known. */
mmm_status mmm_kernel_text(const mmm_program *program, const mmm_node *node, const char *target, bool dynamic,
                           int64_t at_once, char **text);

/* What tells this text from any other, with digests of all that it is made of: much shorter, and much sooner known. */
mmm_status mmm_kernel_key(const mmm_program *program, const mmm_node *node, const char *target, bool dynamic,
                          int64_t at_once, char **key);

/* Compiled code kept on disk.  The key is text that names everything the code depends on; it is stored with the code
 * and compared in full.  Loading fails quietly (false) for whatever reason; storing never fails. */
/* The folder of the cache, made where it is missing; fails where there is none to be had that can be trusted. */
mmm_status mmm_cache_folder(char *path, size_t size);

bool mmm_cache_load(const char *key, void **code, size_t *size);
void mmm_cache_store(const char *key, const void *code, size_t size);

/* The line of a compiler's log that says what is wrong: the first with an error, else the first. */
void mmm_log_line(const char *log, char *line, size_t size);

/* Fails with the line of a compiler's log (which may be NULL) that says what is wrong with a file: the first with an
 * error, else the first. */
mmm_status mmm_fail_compiling(const char *compiler, const char *file, const char *log);

struct mmm_ready;

/* What is different from one sort of GPU to another.  Modules, functions and arrays are the driver's own pointers;
 * functions are called between enter and leave. */
typedef struct mmm_gpu_driver {
    const char *target;  /* a macro of the dialect, "MMM_TARGET_CUDA" */
    size_t local_extra;  /* bytes of local memory that a block may need beside its words, */
    size_t group_extra;  /* and for each thread where groups of threads exchange values */
    size_t local_static; /* bytes above which local memory is given at the launch */
    int64_t rows_most;   /* rows of blocks of a grid */
    int64_t threads_few; /* threads of a multiprocessor that leave registers to spare */
    /* Around a run: what the driver wants, a device that was lost, and the end of whatever a failed run began. */
    mmm_status (*enter)(mmm_machine *machine);
    mmm_status (*leave)(mmm_machine *machine, mmm_status result);
    /* Bytes that arrays can have: together, and each. */
    mmm_status (*room)(mmm_machine *machine, double *available, double *most);
    /* The compiler's version, for cache keys; NULL where the machine's identity says it. */
    mmm_status (*compiler)(char *text, size_t size);
    /* A module from code of the cache; from text, with its code for the cache (free(); NULL: none). */
    mmm_status (*load)(mmm_machine *machine, const void *code, size_t size, void **module);
    mmm_status (*compile)(mmm_machine *machine, const char *text, const char *file, void **module, void **code,
                          size_t *size);
    /* A kernel of a module, with so many bytes of local memory at the launch; and the end of both, if there are. */
    mmm_status (*find)(void *module, const char *name, size_t dynamic, void **function);
    void (*unload)(void *module, void *function);
    /* What else is made once for a program that is `now`, and its release, also when it was made in part; NULL: nothing.
     */
    mmm_status (*prepare)(mmm_machine *machine, const mmm_program *program, const mmm_order *order);
    void (*drop)(mmm_machine *machine, struct mmm_ready *ready);
    /* Starts the kernels, or those from `first` on that a decision has added; tells, first waiting for their end or
     * not, whether they still run, or how one failed; and how long they took. */
    mmm_status (*start)(mmm_machine *machine, const mmm_program *program, const mmm_order *order, int first);
    mmm_status (*runs)(mmm_machine *machine, bool wait, bool *runs);
    mmm_status (*elapsed)(mmm_machine *machine, double *seconds);
} mmm_gpu_driver;

/* A variant's code on the device. */
typedef struct mmm_loaded {
    void *module, *function;
    size_t dynamic; /* bytes of local memory that it gets at the launch */
} mmm_loaded;

/* A program made ready for a device: until another one runs, or until it is dropped where it is one that is kept. */
typedef struct mmm_ready {
    struct mmm_ready *next;
    bool kept;
    uint64_t program; /* its identity, 0: none */
    mmm_variants variants;
    mmm_loaded *code; /* by variant, */
    int loaded;       /* so many of them */
    int64_t code_room;
    void *arrays[MMM_ARRAYS_MOST];
    bool bound[MMM_ARRAYS_MOST]; /* arrays in buffers, which are not the program's */
    bool sent[MMM_ARRAYS_MOST]; /* arrays whose fixed contents are there */
    bool here[MMM_ARRAYS_MOST];  /* arrays whose results the last run has brought to host memory */
    int array_count;
    void *graph[2], *executable[2]; /* what the driver prepared: of the program, and of what a decision added */
} mmm_ready;

/* The first member of a GPU machine's state. */
typedef struct mmm_gpu {
    char identity[512]; /* of the device and its driver, for cache keys */
    bool lost;          /* to an error that no later call recovers from */
    bool late;          /* kernels may still run that took longer than their limit */
    bool timed;         /* somebody asks how long this run takes */
    bool running;       /* kernels may still run that nobody waited for */
    mmm_ready *all; /* programs that are ready */
    mmm_ready *now; /* of these, the one that runs or ran last; NULL: none */
} mmm_gpu;

/* The `run` of a machine type. */
mmm_status mmm_gpu_run(mmm_machine *machine, mmm_program *program, const mmm_order *order, double *seconds);
mmm_status mmm_gpu_fetch(mmm_machine *machine, const mmm_program *program, int array, int64_t first, int64_t count);

/* `keep`, `drop` and `array` of a machine type. */
mmm_status mmm_gpu_keep(mmm_machine *machine, mmm_program *program, const mmm_order *order);
void mmm_gpu_drop(mmm_machine *machine, const mmm_program *program);
void *mmm_gpu_array(mmm_machine *machine, const mmm_program *program, int array);

/* Releases the program that is ready.  False: kernels that were given up still run, and whatever they use must stay,
 * for releasing it would wait for them, perhaps for ever. */
bool mmm_gpu_close(mmm_machine *machine);

/* The CUDA compiler's version, for cache keys. */
mmm_status mmm_nvrtc_version(char *text, size_t size);

/* CUDA C++ to machine code for an architecture such as 90, without a device; the code is released with free(). */
mmm_status mmm_nvrtc_compile(const char *text, const char *name, int architecture, void **code, size_t *size);

#endif
