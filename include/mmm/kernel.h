/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that run: kernels of the dialect (docs/dialect.md) with their code, arrays and arguments, and machines that
 * take them.  Applications need little of this: see mmm/app.h. */
#ifndef MMM_KERNEL_API_H
#define MMM_KERNEL_API_H

#include <mmm.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Values ------------------------------------------------------------------------------------------------------ */

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

/* Between a residue x < p and its form in arrays. */
MMM_API uint64_t mmm_modulus_enter(const mmm_modulus *modulus, uint64_t x);
MMM_API uint64_t mmm_modulus_leave(const mmm_modulus *modulus, uint64_t x);

/* Types of elements and arguments.  A word has as many bits as the program says (mmm_program_set_words). */
typedef enum mmm_type {
    MMM_WORD,
    MMM_I8,
    MMM_U8,
    MMM_I16,
    MMM_U16,
    MMM_I32,
    MMM_U32,
    MMM_I64,
    MMM_U64,
    MMM_F32,
    MMM_F64,
    MMM_POLYNOMIAL, /* of inputs and outputs only: words that are coefficients modulo p */
} mmm_type;

/* The dialect's name of a type, "word" or "f32", and its bytes; 0 for words and polynomials, whose size is the
 * program's. */
MMM_API const char *mmm_type_name(mmm_type type);
MMM_API int mmm_type_size(mmm_type type);

/* An argument of a kernel as machines pass it on; for a launch, an array by its number. */
typedef union mmm_value {
    void *array;
    int number;
    int64_t integer;
    uint64_t word;
    float single;
    double real;
} mmm_value;

/* Arrays of a program by number, one type for each kind of element, so that a launch takes no wrong one. */
typedef struct mmm_word_array {
    int number;
} mmm_word_array;
typedef struct mmm_i8_array {
    int number;
} mmm_i8_array;
typedef struct mmm_u8_array {
    int number;
} mmm_u8_array;
typedef struct mmm_i16_array {
    int number;
} mmm_i16_array;
typedef struct mmm_u16_array {
    int number;
} mmm_u16_array;
typedef struct mmm_i32_array {
    int number;
} mmm_i32_array;
typedef struct mmm_u32_array {
    int number;
} mmm_u32_array;
typedef struct mmm_i64_array {
    int number;
} mmm_i64_array;
typedef struct mmm_u64_array {
    int number;
} mmm_u64_array;
typedef struct mmm_f32_array {
    int number;
} mmm_f32_array;
typedef struct mmm_f64_array {
    int number;
} mmm_f64_array;

/* The mmm_type of the array that a pointer to such a handle is for. */
#define MMM_TYPE_OF(handle)             \
    _Generic((handle), mmm_word_array * \
             : MMM_WORD, mmm_i8_array * \
             : MMM_I8, mmm_u8_array *   \
             : MMM_U8, mmm_i16_array *  \
             : MMM_I16, mmm_u16_array * \
             : MMM_U16, mmm_i32_array * \
             : MMM_I32, mmm_u32_array * \
             : MMM_U32, mmm_i64_array * \
             : MMM_I64, mmm_u64_array * \
             : MMM_U64, mmm_f32_array * \
             : MMM_F32, mmm_f64_array * \
             : MMM_F64)

/* Kinds of operations, by the words of the dialect. */
typedef enum mmm_operation_kind {
    MMM_OPERATION_ADD,      /* add, sub */
    MMM_OPERATION_MUL,      /* mul */
    MMM_OPERATION_INVERSE,  /* inv, quo */
    MMM_OPERATION_CROSS,    /* cross, which counts as three */
    MMM_OPERATION_PRODUCTS, /* products, dots and lanes_ring: one a product, one a sum */
    MMM_OPERATION_TIMES,    /* times */
    MMM_OPERATION_EXCHANGE, /* ballot, shuffle, scan_add, match */
    MMM_OPERATION_ATOMIC,
    MMM_OPERATION_OTHER, /* OPS */
    MMM_OPERATION_KINDS, /* how many there are */
} mmm_operation_kind;

/* ---- Code: what the generator makes of a kernel file --------------------------------------------------------------
 */

typedef enum mmm_parameter_kind {
    MMM_PARAMETER_ARRAY,
    MMM_PARAMETER_SCALAR,
    MMM_PARAMETER_CONSTANT
} mmm_parameter_kind;

typedef struct mmm_kernel_parameter {
    const char *name;
    mmm_parameter_kind kind;
    mmm_type type;
    int written; /* an array that the kernel may write */
} mmm_kernel_parameter;

/* Memory of one core for the LOCAL and PRIVATE arrays of the block it runs. */
typedef struct mmm_scratch {
    char *memory;
    size_t used, size;
    void *leave; /* to where the kernel is left that needs more, a jmp_buf */
} mmm_scratch;

/* Which blocks of a call a kernel compiled for the host is to run, and what they know. */
typedef struct mmm_call {
    int first, last;        /* blocks first .. last-1 */
    int grid, grid_x;       /* blocks of the call; in a row of its grid */
    int threads, threads_x; /* threads of a block; in a row of it */
    mmm_modulus modulus;
    mmm_scratch *scratch;
} mmm_call;

typedef void mmm_entry(const mmm_value *arguments, const mmm_call *call);

/* x86-64 as it began; with AVX2; with AVX-512; so, with products of 52 bits, and p below 2^60 where words have 64. */
enum { MMM_ISA_BASE, MMM_ISA_V3, MMM_ISA_V4, MMM_ISA_V4_60, MMM_ISAS };

/* A kernel of the dialect, compiled in every way it is needed: [0] for 32-bit words, [1] for 64-bit ones.  Each way is
 * a table of the entries of its file, in which the kernel is number `index`. */
typedef struct mmm_kernel {
    const char *name;
    const char *file;          /* its source file, for messages */
    const char *common, *text; /* for GPUs: the functions of its file, and the kernel; NULL: no GPU */
    const mmm_kernel_parameter *parameters;
    int parameter_count;
    int dimensions; /* of its grid and blocks: 1 or 2 */
    int words;      /* whether it depends on the size of words */
    int groups;     /* whether its groups of 32 threads exchange values */
    int index;
    mmm_entry *const *counted[2];            /* for the abstract machine */
    mmm_entry *const *compiled[2][MMM_ISAS]; /* for the CPU */
} mmm_kernel;

/* For generated records: the tables of a unit, which was compiled for every instruction set, or (MMM_ONE_ISA) for the
 * one of this machine, and for both word sizes, or (MMM_ONE_WORD) for one that stands for both. */
#define MMM_TABLE_(unit, variant) mmm_entries_##unit##_##variant
#define MMM_TABLE(unit, variant)  MMM_TABLE_(unit, variant)
#if defined(MMM_ONE_WORD)
#define MMM_BOTH(unit, way) MMM_TABLE(unit, w32_##way), MMM_TABLE(unit, w32_##way)
#else
#define MMM_BOTH(unit, way) MMM_TABLE(unit, w32_##way), MMM_TABLE(unit, w64_##way)
#endif
#define MMM_DECLARE_WAY(unit, way) \
    extern mmm_entry *const MMM_TABLE(unit, w32_##way)[], *const MMM_TABLE(unit, w64_##way)[]
#if defined(__x86_64__) && !defined(MMM_ONE_ISA)
#define MMM_DECLARE_ENTRIES(unit) \
    MMM_DECLARE_WAY(unit, count); \
    MMM_DECLARE_WAY(unit, base);  \
    MMM_DECLARE_WAY(unit, v3);    \
    MMM_DECLARE_WAY(unit, v4);    \
    extern mmm_entry *const MMM_TABLE(unit, w64_v4_60)[]
#define MMM_ENTRIES_OF(unit, number)                                                           \
    .index = number, .counted = {MMM_BOTH(unit, count)},                                       \
    .compiled = {{MMM_TABLE(unit, w32_base), MMM_TABLE(unit, w32_v3), MMM_TABLE(unit, w32_v4), \
                  MMM_TABLE(unit, w32_v4)},                                                    \
                 {MMM_TABLE(unit, w64_base), MMM_TABLE(unit, w64_v3), MMM_TABLE(unit, w64_v4), \
                  MMM_TABLE(unit, w64_v4_60)}}
#else
#define MMM_DECLARE_ENTRIES(unit) \
    MMM_DECLARE_WAY(unit, count); \
    MMM_DECLARE_WAY(unit, base)
#if defined(MMM_ONE_WORD)
#define MMM_BASE_64(unit) MMM_TABLE(unit, w32_base)
#else
#define MMM_BASE_64(unit) MMM_TABLE(unit, w64_base)
#endif
#define MMM_ENTRIES_OF(unit, number)                                                               \
    .index = number, .counted = {MMM_BOTH(unit, count)},                                           \
    .compiled = {{MMM_TABLE(unit, w32_base), MMM_TABLE(unit, w32_base), MMM_TABLE(unit, w32_base), \
                  MMM_TABLE(unit, w32_base)},                                                      \
                 {MMM_BASE_64(unit), MMM_BASE_64(unit), MMM_BASE_64(unit), MMM_BASE_64(unit)}}
#endif

/* ---- Programs -----------------------------------------------------------------------------------------------------
 */

/* The arithmetic of a program: a modulus, or plain words of `bits` (32 or 64) where `modulus` is NULL. */
MMM_API mmm_status mmm_program_set_words(mmm_program *program, int bits, const mmm_modulus *modulus);

/* Makes it solve `batch` problems of the same sizes at once, before the first array and the first call: each array is there
 * once for each problem, one after the other in memory, and each call runs its blocks for each of them.  Kernels see one
 * problem; for the model, and every machine, it is one program with so many times the blocks. */
MMM_API mmm_status mmm_program_set_batch(mmm_program *program, int64_t batch);

/* How many problems it solves at once. */
MMM_API int64_t mmm_program_batch(const mmm_program *program);

/* How a machine treats an array: what it holds before the program runs, and whether it is wanted after. */
typedef enum mmm_use {
    MMM_WORK = 0,
    MMM_IN = 1,
    MMM_OUT = 2, /* all of it goes to host memory after a run */
    MMM_IN_OUT = 3,
    MMM_ZERO = 4, /* holds zeros */
    MMM_ZERO_OUT = 6,
    MMM_RESULT = 8, /* part of it may be wanted: mmm_machine_fetch */
} mmm_use;

/* Adds an array of `count` elements (of each problem) in global memory, whose contents lie at `host`; its number goes to
 * *array.  The program borrows `host` and `name`. */
MMM_API mmm_status mmm_program_array(mmm_program *program, const char *name, mmm_type type, int64_t count, mmm_use use,
                                     void *host, int *array);

/* Blocks of a kernel, and threads of a block; in one dimension y is 1. */
typedef struct mmm_grid {
    int64_t blocks_x, blocks_y, threads_x, threads_y;
} mmm_grid;

/* What the LOCAL arrays of a block hold: elements of arrays of words, and bytes of all others. */
typedef struct mmm_local {
    int64_t words, bytes;
} mmm_local;

/* Adds a call of a kernel with as many arguments as it has parameters.  It comes after the call added before, unless
 * mmm_program_chain said otherwise.  Generated launchers call this. */
MMM_API mmm_status mmm_program_launch(mmm_program *program, const mmm_kernel *code, mmm_grid grid, mmm_local local,
                                      const mmm_value *arguments);

/* Says before the first call how many there will be: fails at once, with MMM_TOO_LARGE, where memory does not hold them
 * and what else was asked for.  It need not be called; then a program that is too large is found out as it grows. */
MMM_API mmm_status mmm_program_expect(mmm_program *program, int64_t kernels);

/* Whether each call follows the one before (1, as it begins), or mmm_program_depend says what follows what (0). */
MMM_API void mmm_program_chain(mmm_program *program, int chain);

/* What is known beforehand of the cost of the call added last, for predictions: blocks whose numbers differ by a
 * multiple of `period` cost the same (0: not known); and the part of what its constants say that it leaves undone,
 * where it has fewer steps than others. */
MMM_API void mmm_program_hint(mmm_program *program, int64_t period, double less);

/* A DAG that unfolds as it runs (docs/model.md).  A kernel may name a function that is called on the host when its last
 * block has ended and that adds calls to the program, or none: by launchers, mmm_program_depend, and mmm_program_on_end
 * again for what it adds.  Calls that it adds come after the kernel, in a chain unless mmm_program_chain says
 * otherwise, until it returns, and edges that it adds go to kernels that it adds, so that the DAG does not depend on
 * when it is called.  `context` is a copy of `size` bytes; what the function does must depend on it and on what it
 * looks at alone.
 *
 * A machine calls it when all kernels that are known have ended, and those of several kernels in the order of their
 * numbers.  After a run the program holds the DAG that came out; the next run, or whatever changes it, begins with the
 * one that was built. */
typedef mmm_status mmm_unfold(mmm_program *program, int kernel, const void *context);
MMM_API mmm_status mmm_program_on_end(mmm_program *program, int kernel, mmm_unfold *unfold, const void *context,
                                      size_t size);

/* In such a function: `count` elements of an array, from `first` on, as they are for one problem of the batch, number 0
 * where there is none, of the type that the array has.  It may look at what the kernel or one before it wrote.  The DAG is
 * the same for all problems of a batch: whoever decides looks at each. */
MMM_API mmm_status mmm_program_look(mmm_program *program, int array, int64_t problem, int64_t first, int64_t count,
                                    void *to);

/* Runs every kernel of the program.  Arrays used as MMM_OUT hold their results in host memory when it returns; the
 * time of the kernels alone goes to *seconds (may be NULL).  The abstract machine sets the program's costs. */
MMM_API mmm_status mmm_machine_run(mmm_machine *machine, mmm_program *program, double *seconds);

/* After a run, until the machine runs another program: brings elements of an array, with a use of MMM_RESULT, to where
 * they belong in host memory. */
MMM_API mmm_status mmm_machine_fetch(mmm_machine *machine, const mmm_program *program, int array, int64_t first,
                                     int64_t count);

#ifdef __cplusplus
}
#endif
#endif
