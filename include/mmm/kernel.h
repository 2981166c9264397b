/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that run: kernels of the dialect with their code, arrays, arguments, and machines that take them.
 * Applications need none of this: see mmm/app.h. */
#ifndef MMM_KERNEL_API_H
#define MMM_KERNEL_API_H

#include <mmm.h>

#ifdef __cplusplus
extern "C" {
#endif

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

/* Runs every kernel of the program.  Arrays used as MMM_OUT hold their results in host memory when it returns; the
 * time of the kernels alone goes to *seconds (may be NULL).  The abstract machine sets the program's costs. */
MMM_API mmm_status mmm_machine_run(mmm_machine *machine, mmm_program *program, double *seconds);

#ifdef __cplusplus
}
#endif
#endif
