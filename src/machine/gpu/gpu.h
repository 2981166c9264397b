/* SPDX-License-Identifier: Apache-2.0 */
/* What the machines that compile kernels at run time share: libraries opened by name, texts of kernels with their
 * constants filled in, and a cache of compiled code. */
#ifndef MMM_GPU_H
#define MMM_GPU_H

#include "machine/machine.h"

/* A function of a library that is opened at run time, and where its address goes. */
typedef struct mmm_symbol {
    const char *name;
    void *address; /* of a function pointer */
    bool optional;
} mmm_symbol;

/* Opens the first library of `names` (ended by NULL) that can be opened, or the one that the environment variable
 * `override` names, and finds its symbols (ended by a NULL name); it stays open.  The message of a failure says what
 * was looked for. */
mmm_status mmm_library_open(const char *what, const char *override, const char *const *names,
                            const mmm_symbol *symbols);

/* The distinct ways in which a program's kernels must be compiled: by code, threads and constants. */
typedef struct mmm_variants {
    int count;
    int64_t room;
    const mmm_node **nodes; /* one that stands for each */
    int *of;                /* by kernel of the program */
} mmm_variants;

mmm_status mmm_variants_new(const mmm_program *program, mmm_variants *out);
void mmm_variants_free(mmm_variants *variants);

/* The text of a kernel's file with everything defined that a GPU compiles in: target ("MMM_TARGET_CUDA"), word,
 * modulus, threads, constants.  `dynamic`: local memory is given at the launch. */
mmm_status mmm_kernel_text(const mmm_program *program, const mmm_node *node, const char *target, bool dynamic,
                           char **text);

/* Compiled code kept on disk.  The key is text that names everything the code depends on; it is stored with the code
 * and compared in full.  Loading fails quietly (false) for whatever reason; storing never fails. */
bool mmm_cache_load(const char *key, void **code, size_t *size);
void mmm_cache_store(const char *key, const void *code, size_t size);

/* The line of a compiler's log that says what is wrong: the first with an error, else the first. */
void mmm_log_line(const char *log, char *line, size_t size);

/* The CUDA compiler's version, for cache keys. */
mmm_status mmm_nvrtc_version(char *text, size_t size);

/* CUDA C++ to machine code for an architecture such as 90, without a device; the code is released with free(). */
mmm_status mmm_nvrtc_compile(const char *text, const char *name, int architecture, void **code, size_t *size);

#endif
