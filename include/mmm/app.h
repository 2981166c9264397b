/* SPDX-License-Identifier: Apache-2.0 */
/* Applications: what an algorithm tells of itself, so that every verb and every machine can use it.
 *
 * An application is a folder: kernels.c (the dialect, docs/dialect.md), app.c (one record, MMM_APPLICATION),
 * formulas.txt where there is an analysis.  app.c includes this header and "kernels.h", which is made from kernels.c
 * and has for each kernel a function to launch it, launch_NAME(program, blocks, threads, arguments ...).  `mmm new
 * NAME` writes a folder that works; docs/tutorial.md goes on from there. */
#ifndef MMM_APP_H
#define MMM_APP_H

#include <mmm/kernel.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The record ---------------------------------------------------------------------------------------------------
 */

/* Expressions in a record are of whole numbers: names of parameters, + - * / (rounded down) % ^, comparisons, and, or,
 * `a divides b`, min(a, b), max(a, b), ceil(a, b) (a / b rounded up), log2(a) (rounded down), is_power_of_2(a).  In
 * constraints also Z, the machine's words of local memory, and threads, its most threads of a block; there, a name with
 * no value leaves the constraint open. */

/* What a parameter is for.  The tuner, calibration, wisdom and reports know roles, never names. */
typedef enum mmm_role {
    MMM_SIZE,    /* of the problem: cost grows with it, and choices for near sizes are near */
    MMM_CHOICE,  /* does not change the result, only the time: the tuner's to choose */
    MMM_MODULUS, /* a prime: arithmetic of words is modulo it */
    MMM_SEED,    /* of random inputs */
    MMM_OTHER,   /* what else the problem depends on */
} mmm_role;

typedef struct mmm_parameter {
    const char *name, *meaning;
    mmm_role role;
    int64_t least, most, standard;
    /* Of a choice: the values to try, "1-16" (each), "16-4096:*2" (factor), "32,64,96"; NULL: powers of two, and where
     * it is the only choice also what lies between them. */
    const char *trials;
    /* Of a choice: an expression; of values for which it is the same number the smallest is tried, for the others would
     * do the same.  "min(s, n)": from n on a larger s changes nothing. */
    const char *same;
} mmm_parameter;

enum {
    MMM_PARAMETERS_MOST = 16,
    MMM_CHOICES_MOST = 8,
    MMM_DATA_MOST = 4,
    MMM_CALIBRATIONS_MOST = 8
}; /* with the end */

/* An input or an output: an array with a name. */
typedef struct mmm_data {
    const char *name;
    mmm_type
        type; /* MMM_POLYNOMIAL: coefficients modulo p, lowest first; files hold FLINT's text.  Others: raw or .npy */
    const char *shape; /* its lengths: "n" or "n, m"; where one is the name of a parameter, a given array settles it */
    const char *when;  /* an expression: it is there only where this is not 0; NULL: always */
    int monic;         /* a polynomial that is divided by its leading coefficient */
    int leads;         /* of an input: the last coefficient of a polynomial must not be 0, which plans look at; of an
                          output: it is not 0 where those of all inputs are not, and the shape is its length */
} mmm_data;

struct mmm_app {
    const char *name; /* NULL: the folder's */
    const char *summary;
    const char *section; /* of the paper; NULL: none */
    const char *oracle;  /* what the check compares with: "FLINT" */
    const char *formula; /* the application whose formulas.txt is its analysis too; NULL: its own, if there is one */
    int naive;           /* 1: of that analysis, the quantities W1, S1, ... are this one's */
    mmm_parameter parameters[MMM_PARAMETERS_MOST]; /* ended by a NULL name */
    const char *constraints; /* expressions separated by ';': what must hold; the tuner prunes by them */
    const char *word;        /* the bits of a word, 32 or 64, as an expression; NULL: what the modulus needs, else 32 */
    mmm_data inputs[MMM_DATA_MOST], outputs[MMM_DATA_MOST]; /* ended by a NULL name */
    const char
        *calibration[MMM_CALIBRATIONS_MOST]; /* what calibration runs: "n=500 m=250 s=8,32,96", ...; small sizes */

    /* Adds arrays and calls of kernels to the program of the job, for its parameters and the lengths of its inputs. */
    mmm_status (*build)(mmm_job *job, mmm_program *program);

    /* The others may be NULL. */

    /* Checks what the parameters and the given inputs must satisfy besides the constraints, before anything is
     * allocated. */
    mmm_status (*settle)(mmm_job *job);
    /* Makes input number `input` at random, by mmm_job_random: `count` elements of its type (uint64_t for words and
     * polynomials).  NULL: any values; floats from 0 to 1. */
    mmm_status (*draw)(mmm_job *job, int input, void *elements, int64_t count);
    /* Called before each run, after the inputs are in their arrays. */
    mmm_status (*load)(mmm_job *job);
    /* Puts into arrays what kernel number `kernel` may find there, as far as its cost depends on it. */
    void (*sample)(mmm_job *job, int kernel);
    /* Puts into arrays what the decision that is due (mmm_program_on_end), at the end of the last kernel, may find there
     * if all inputs are drawn: what is predicted need not run first.  NULL: it runs. */
    void (*foresee)(mmm_job *job);
    /* Kernels, "split join", or "*" for all, whose threads do the same whatever they compute: no index, bound, condition
     * or divisor depends on what the kernel itself has written, or drawn from it by exchanging values.  When they are
     * predicted few threads stand for the others. */
    const char *oblivious;
    /* Kernels, named in the same way, of which a block does the same for each of its elements, however many there are:
     * blocks cost the same but by chance.  Where one makes many accesses, few of them tell of the others, and of blocks
     * of one thread those of smaller jobs. */
    const char *proportional;
    /* Called after each run, before the outputs are taken from their arrays: which array is one may depend on the run.
     */
    mmm_status (*finish)(mmm_job *job);
    /* MMM_WRONG, by mmm_fail, with the first difference, unless the results are right; *seconds is the time of the
     * oracle alone. */
    mmm_status (*check)(const mmm_job *job, double *seconds);
};

/* app.c ends with:  MMM_APPLICATION = {.summary = "...", ...};  Who links it to a program, for mmm_app_register,
 * defines MMM_APPLICATION_NAME, which is then the record's name. */
#if defined(MMM_APPLICATION_NAME)
#define MMM_APPLICATION                        \
    extern const mmm_app MMM_APPLICATION_NAME; \
    const mmm_app MMM_APPLICATION_NAME
#else
#define MMM_APPLICATION                   \
    extern const mmm_app mmm_application; \
    __attribute__((visibility("default"))) const mmm_app mmm_application
#endif

/* Makes an application that is linked to the program known by its name, which no other one may have that was
 * registered. The record is borrowed. */
MMM_API mmm_status mmm_app_register(const mmm_app *app);

/* The choices of an application: their numbers among its parameters; how many there are. */
MMM_API int mmm_app_choices(const mmm_app *app, int numbers[MMM_CHOICES_MOST]);

/* The number of a parameter by its name, or of the first one with a role; -1: none. */
MMM_API int mmm_app_parameter(const mmm_app *app, const char *name);
MMM_API int mmm_app_role(const mmm_app *app, mmm_role role);

/* ---- In `build` -----------------------------------------------------------------------------------------------------
 */

/* Forwards a failure, in functions that return an mmm_status and hold nothing. */
#define MMM_TRY(call)                                  \
    do {                                               \
        mmm_status mmm_result_ = (call);               \
        if (mmm_result_ != MMM_OK) return mmm_result_; \
    } while (0)

/* Leaves the message and returns the status: return mmm_fail(MMM_INVALID, "b is 0"). */
MMM_API mmm_status mmm_fail(mmm_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The number of elements of an input: given, or to be drawn. */
MMM_API int64_t mmm_job_length(const mmm_job *job, int input);

/* The modulus of the job, or of the problem that is selected; its p is 0 where there is none. */
MMM_API const mmm_modulus *mmm_job_modulus(const mmm_job *job);

/* How many moduli its problems have: one, or each its own.  What `build` puts into arrays is the same for all problems,
 * unless it goes through them (mmm_job_select) where there are several. */
MMM_API int64_t mmm_job_moduli(const mmm_job *job);

/* The last coefficient of a polynomial that is given or drawn and not 0, as a residue. */
MMM_API uint64_t mmm_job_lead(const mmm_job *job, int input);

/* 1 / x modulo the job's p, for 0 < x < p; both are plain residues. */
MMM_API uint64_t mmm_job_inverse(const mmm_job *job, uint64_t x);

/* A word as kernels expect a residue in an argument. */
MMM_API uint64_t mmm_job_residue(const mmm_job *job, uint64_t x);

/* Memory for inputs that are drawn and for arrays is there when `build` has returned, and all of it is known to fit:
 * where it does not, the function that asks for more than there is fails with MMM_TOO_LARGE, and nothing was allocated.
 * `build` says as early as it can how many calls it will make (mmm_program_expect), and asks for the elements of inputs
 * (mmm_job_lead, mmm_job_given) and of arrays (mmm_job_memory) last: they are made when first asked for. */

/* An array of `count` elements: mmm_job_array(job, "q", count, MMM_WORK, &q), where q is an mmm_word_array or its like.
 */
#define mmm_job_array(job, name, count, use, handle) \
    mmm_job_add_array(job, name, MMM_TYPE_OF(handle), count, use, &(handle)->number)
MMM_API mmm_status mmm_job_add_array(mmm_job *job, const char *name, mmm_type type, int64_t count, mmm_use use,
                                     int *number);

/* An array of `count` elements that before each run holds an input from element `first` on, and 0 elsewhere. */
#define mmm_job_input(job, input, first, count, use, handle) \
    mmm_job_add_input(job, input, MMM_TYPE_OF(handle), first, count, use, &(handle)->number)
MMM_API mmm_status mmm_job_add_input(mmm_job *job, int input, mmm_type type, int64_t first, int64_t count, mmm_use use,
                                     int *number);

/* After a run, an output is `count` elements of an array, from `first` on: these alone are brought to the host.  Called
 * in `finish`, it needs an array with a use of MMM_RESULT. */
#define mmm_job_output(job, output, handle, first, count) mmm_job_set_output(job, output, (handle).number, first, count)
MMM_API mmm_status mmm_job_set_output(mmm_job *job, int output, int array, int64_t first, int64_t count);

/* Where a polynomial that is set so is 0, it is this one instead. */
MMM_API mmm_status mmm_job_set_output_else(mmm_job *job, int output, int array, int64_t first, int64_t count);

/* In `build`, of an output that is set there: element `at` of an array of i32 (MMM_OUT) is the degree of the polynomial
 * after a run, below 0 where it is 0, and element `at` + 1 that of the other one (mmm_job_set_output_else).  What lies
 * above a degree does not count. */
#define mmm_job_output_degrees(job, output, handle, at) mmm_job_set_output_degrees(job, output, (handle).number, at)
MMM_API mmm_status mmm_job_set_output_degrees(mmm_job *job, int output, int array, int64_t at);

/* ---- In the other functions ------------------------------------------------------------------------------------ */

/* Sets a parameter unless it was set from outside. */
MMM_API void mmm_job_default(mmm_job *job, const char *name, int64_t value);

/* 0: the job is to be run.  Otherwise it is planned for what its kernels cost alone: so many elements of each array are
 * enough, of which later ones are taken to be repetitions, and tables whose values no cost depends on need not be
 * filled. */
MMM_API int64_t mmm_job_sketch(const mmm_job *job);

/* 0: it is what was asked for.  Otherwise its sizes are so many times halved, and blocks of kernels that are
 * `proportional` are counted to tell of those of the whole job: they must do for an element what those do. */
MMM_API int mmm_job_shrunk(const mmm_job *job);

/* The next random number of the job: all 64 bits. */
MMM_API uint64_t mmm_job_random(mmm_job *job);

/* The host's memory of an array, or NULL where it lies in a machine's (arrays of words of mmm_array operations). */
MMM_API void *mmm_job_memory(const mmm_job *job, int array);

/* An input as it was given or drawn, its elements as in `draw`; a result as in mmm_job_result.  *count may be NULL. */
MMM_API const void *mmm_job_given(const mmm_job *job, int input, int64_t *count);

/* Checks of polynomials against FLINT, for `check`: the inputs number 0 and 1 are a and b, and the outputs q and r with
 * a = q b + r; the product; the monic gcd. */
MMM_API mmm_status mmm_oracle_divide(const mmm_job *job, double *seconds);
MMM_API mmm_status mmm_oracle_multiply(const mmm_job *job, double *seconds);
MMM_API mmm_status mmm_oracle_gcd(const mmm_job *job, double *seconds);

/* The same for sorts, against the C library: the inputs and outputs number 0 and 1 are keys and, where there are,
 * values, words as many after as before; the sort is to be a stable one. */
MMM_API mmm_status mmm_oracle_sort(const mmm_job *job, double *seconds);

/* Seconds of a clock that only goes forward, to time an oracle. */
MMM_API double mmm_now(void);

/* Bytes of memory that can be asked for now without driving the machine into swap. */
MMM_API uint64_t mmm_memory_available(void);

/* The code and arguments of a call, as it was launched. */
MMM_API const mmm_kernel *mmm_program_code(const mmm_program *program, int kernel);
MMM_API mmm_value mmm_program_argument(const mmm_program *program, int kernel, int argument);

#ifdef __cplusplus
}
#endif
#endif
