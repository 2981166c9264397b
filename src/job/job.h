/* SPDX-License-Identifier: Apache-2.0 */
/* What an application is made of, and what applications share. */
#ifndef MMM_APPS_H
#define MMM_APPS_H

#include "machine/machine.h"
#include "kernels/kernels.h"

#include <flint/nmod_poly.h>

enum { PARAMETERS_MOST = 8, DATA_MOST = 2, ARRAYS_MOST = 8, TERMS_MOST = 1 << 28 };

/* A polynomial in a machine's memory, in the words of programs, the last one not 0. */
struct mmm_array {
    mmm_machine *machine;
    mmm_modulus modulus;
    int64_t terms;
    uint64_t lead; /* the last coefficient, 0 where there is none */
    void *buffer;
};

/* A polynomial: coefficients below p, lowest first, the last one not 0.  With p = 0 it is none but plain words: keys,
 * or the values that go with them. */
typedef struct mmm_polynomial {
    uint64_t p;
    int64_t terms;
    uint64_t *coefficients; /* in host memory, or else */
    mmm_array *array;       /* in a machine's */
    bool borrowed;          /* the array is another's */
} mmm_polynomial;

/* Copies `terms` coefficients and drops leading zeros; a coefficient not below p is an error that names `name`. */
mmm_status mmm_polynomial_set(mmm_polynomial *a, uint64_t p, const uint64_t *coefficients, int64_t terms,
                              const char *name);
void mmm_polynomial_clear(mmm_polynomial *a);

/* The last coefficient of a polynomial that is not 0. */
uint64_t mmm_polynomial_lead(const mmm_polynomial *a);

/* FLINT's form of a polynomial; initialises f. */
void mmm_polynomial_to_flint(nmod_poly_t f, const mmm_polynomial *a);

/* MMM_WRONG, with the first difference in the message, unless the two are equal; `name` is for the message. */
mmm_status mmm_polynomial_compare(const char *name, const mmm_polynomial *ours, const nmod_poly_t theirs);

/* Parameters of every algorithm on two polynomials. */
#define PARAMETER_N_M                                        \
    {"n", "the number of terms of a", 1, TERMS_MOST, 4096},  \
    {                                                        \
        "m", "the number of terms of b", 1, TERMS_MOST, 2048 \
    }
#define PARAMETER_P_SEED                                     \
    {"p", "the prime modulus", 2, INT64_MAX, 2013265921},    \
    {                                                        \
        "seed", "the seed of random inputs", 0, INT64_MAX, 1 \
    }

/* What the inputs and outputs of an application are. */
typedef struct mmm_format {
    const char *name;             /* in the plural, for messages */
    const char *sizes[DATA_MOST]; /* the parameter that an input's length determines */
    const char *fixed;            /* the parameter that any input settles */
    /* From the `size` bytes of a file, and to one. */
    mmm_status (*parse)(const mmm_job *job, const char *bytes, int64_t size, const char *name, mmm_polynomial *out);
    mmm_status (*print)(const mmm_job *job, const mmm_polynomial *a, FILE *stream);
    /* Sets job->modulus and the bits of a word; fails where the inputs that were given do not go together. */
    mmm_status (*settle)(mmm_job *job, int *bits);
    /* Makes an input that was not given. */
    mmm_status (*draw)(mmm_job *job, int which, mmm_random *random);
} mmm_format;

extern const mmm_format mmm_format_polynomials, mmm_format_keys;

/* An input or output that has the name of a parameter is there only where that parameter is not 0. */
typedef struct mmm_app_type {
    mmm_app app;
    const mmm_format *format;
    /* Whether the sizes of the job are possible at all, asked before anything is allocated; may be NULL. */
    mmm_status (*fit)(const mmm_job *job);
    /* Builds job->program for the inputs and parameters, registering arrays with mmm_job_array. */
    mmm_status (*build)(mmm_job *job);
    /* Fills the arrays; called before every run. */
    mmm_status (*load)(mmm_job *job);
    /* Puts into the arrays what kernel number `kernel` may find there, as far as its cost depends on it; NULL where it
     * does not. */
    void (*sample)(mmm_job *job, int kernel);
    /* The s from which on a larger one changes nothing, or the words of a row that l threads with s each share. */
    int64_t (*most_s)(const mmm_job *job);
    int64_t (*most_l)(const mmm_job *job);
    /* Makes the results from the arrays. */
    mmm_status (*finish)(mmm_job *job);
    mmm_status (*check)(const mmm_job *job, double *seconds); /* seconds: of the oracle's own work */
} mmm_app_type;

struct mmm_job {
    const mmm_app_type *type;
    int64_t values[PARAMETERS_MOST];
    bool set[PARAMETERS_MOST]; /* explicitly */
    bool given[DATA_MOST];
    mmm_polynomial inputs[DATA_MOST], outputs[DATA_MOST];
    mmm_modulus modulus;
    mmm_program *program;
    void *arrays[ARRAYS_MOST];  /* host memory of the program's arrays */
    mmm_machine *machine;       /* where inputs, outputs and arrays of words lie; NULL: in host memory */
    void *buffers[ARRAYS_MOST]; /* of that machine, for each array of words */
    bool ran;
};

/* Fails with MMM_INVALID for a negative number of terms, or for some at NULL; `name` is for the message. */
mmm_status mmm_check_terms(int64_t n, const void *a, const char *name);

/* Takes an array as input number `which`, borrowed: the job runs on its machine and leaves its results there. */
mmm_status mmm_job_take(mmm_job *job, int which, const mmm_array *array);

/* A new array of the first `terms` words of a buffer, less leading zeros. */
mmm_status mmm_array_copy(mmm_machine *machine, const mmm_modulus *modulus, void *buffer, int64_t terms,
                          mmm_array **out);

/* Divides by the last coefficient; 0 stays 0. */
mmm_status mmm_array_make_monic(mmm_array *array);

/* Allocates an array of words and registers it with the program. */
mmm_status mmm_job_array(mmm_job *job, const char *name, int64_t count, mmm_use use, int *array);

/* The same with ints. */
mmm_status mmm_job_integers(mmm_job *job, const char *name, int64_t count, mmm_use use, int *array);

/* Adds a call of a kernel to a chain: it follows the call before. */
mmm_status mmm_job_chain(mmm_job *job, const mmm_kernel *code, int64_t blocks, int64_t threads, int64_t local_words,
                         const mmm_argument *arguments, int count);

/* Makes every word of an array 0. */
mmm_status mmm_job_zero(mmm_job *job, int array);
/* The call added last. */
mmm_node *mmm_job_last(mmm_job *job);

/* Whether a parameter was set, and not left to the application or the tuner. */
bool mmm_job_is_set(const mmm_job *job, const char *name);

/* Residues, or plain words, into an array of the job, from element `first` on, and out of it. */
mmm_status mmm_job_put_at(mmm_job *job, int array, int64_t first, const mmm_polynomial *a);
mmm_status mmm_job_put(mmm_job *job, int array, const mmm_polynomial *a);
mmm_status mmm_job_get_polynomial(const mmm_job *job, int array, int64_t terms, mmm_polynomial *out);
mmm_status mmm_job_get_words(const mmm_job *job, int array, int64_t count, mmm_polynomial *out);

extern const mmm_app_type mmm_app_division, mmm_app_division_naive, mmm_app_multiplication, mmm_app_gcd,
    mmm_app_gcd_naive, mmm_app_radix_sort;

#endif
