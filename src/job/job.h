/* SPDX-License-Identifier: Apache-2.0 */
/* A job: an application with its parameters, inputs, program and results. */
#ifndef MMM_JOB_H
#define MMM_JOB_H

#include "machine/machine.h"

#include "mmm/app.h"

enum { ARRAYS_MOST = 64, TERMS_MOST = 1 << 28, DIMENSIONS_MOST = 4 };

/* A polynomial in a machine's memory, in the words of programs, the last one not 0. */
struct mmm_array {
    mmm_machine *machine;
    mmm_modulus modulus;
    int64_t terms;
    void *buffer;
    int64_t first; /* word of the buffer: 0 in those of callers */
    size_t bytes;  /* that the buffer has */
    bool wrapped;  /* it is the caller's */
};

/* An input or output in host memory, its elements of `type` (uint64_t for words and polynomials). */
typedef struct mmm_vector {
    mmm_type type;
    uint64_t p;    /* of a polynomial: the modulus; coefficients are below it, the last one is not 0 */
    int64_t count; /* of elements: the product of the lengths */
    int64_t lengths[DIMENSIONS_MOST];
    int dimensions;
    void *elements;
} mmm_vector;

void mmm_vector_clear(mmm_vector *v);

/* Bytes of an element in host memory: 8 for words and polynomials. */
size_t mmm_element_size(mmm_type type);

/* Copies `terms` coefficients and drops leading zeros; a coefficient not below p is an error that names `name`. */
mmm_status mmm_vector_polynomial(mmm_vector *v, uint64_t p, const uint64_t *coefficients, int64_t terms,
                                 const char *name);

/* An array of one dimension in a machine's words: residues enter or leave their form in arrays. */
void mmm_words_enter(const mmm_modulus *modulus, int bits, const uint64_t *from, void *to, int64_t count);
/* ... times a factor, a plain residue. */
void mmm_words_leave(const mmm_modulus *modulus, int bits, const void *from, uint64_t *to, uint64_t factor,
                     int64_t count);

/* Words in their form, times a factor in that form. */
void mmm_words_scale(const mmm_modulus *modulus, void *words, const void *factor, int64_t count);

/* The first for residues modulo p, fewer than 2^31; whether all were below p < 2^63. */
bool mmm_words_enter_checked(const mmm_modulus *modulus, const uint64_t *from, void *to, int64_t count);

/* Whether all words are below p < 2^63. */
bool mmm_words_below(const uint64_t *words, int64_t count, uint64_t p);

/* Files: from the `size` bytes of one, which `name` names; and to a stream.  Raw elements have `bytes` each. */
mmm_status mmm_vector_text_parse(const char *text, int64_t size, const char *name, mmm_vector *out);
void mmm_vector_text_print(const mmm_vector *v, FILE *stream);
mmm_status mmm_raw_parse(const char *bytes, int64_t size, mmm_type type, int element, const char *name,
                         mmm_vector *out);
void mmm_raw_print(const mmm_vector *v, int element, FILE *stream);
bool mmm_is_npy(const char *bytes, int64_t size);
mmm_status mmm_npy_parse(const char *bytes, int64_t size, mmm_type type, const char *name, mmm_vector *out,
                         int *element);
void mmm_npy_print(const mmm_vector *v, int element, FILE *stream);

/* ---- Expressions of records ---------------------------------------------------------------------------------------
 */

/* The value of a name: 1 known, 0 a name without a value, -1 no name. */
typedef int mmm_lookup(const void *context, const char *name, int64_t *value);

/* The value of an expression (see mmm/app.h); *known is false where a name has none.  Fails with the place of a fault.
 */
mmm_status mmm_integer_evaluate(const char *text, mmm_lookup *lookup, const void *context, int64_t *out, bool *known);

/* Checks each constraint of a list separated by ';': the first that does not hold is copied to `failed`, else "". */
mmm_status mmm_constraints_check(const char *list, mmm_lookup *lookup, const void *context, char *failed, size_t size);

/* ---- Applications ---------------------------------------------------------------------------------------------------
 */

/* Whether text is a name for an application or a parameter: 1 to 47 letters, digits, '_' and '-'. */
bool mmm_app_is_name(const char *text);
#define MMM_NAMES "up to 47 letters, digits, '_' and '-'"

/* The applications of apps/apps.mk, with their folders' names; and, filled in when first asked for, their records with
 * a name, and the list of these, ended by NULL. */
typedef struct mmm_built_in {
    const char *name;
    const mmm_app *record;
} mmm_built_in;
extern const mmm_built_in mmm_apps_built_in[];
extern const int mmm_apps_built_in_count;
extern mmm_app mmm_apps_named[];
extern const mmm_app *mmm_apps_listed[];

/* The folder of an application; NULL: built in or registered. */
const char *mmm_app_folder(const mmm_app *app);

/* A header of the library as text. */
typedef struct mmm_header {
    const char *name, *text;
} mmm_header;

/* Compiles the application in a folder where the cache has it not, and loads it; warnings are lines, freed by free().
 */
mmm_status mmm_folder_open(const char *folder, mmm_app *out, char **warnings);

/* ---- Jobs ---------------------------------------------------------------------------------------------------------
 */

struct mmm_job {
    const mmm_app *app;
    int64_t values[MMM_PARAMETERS_MOST];
    bool set[MMM_PARAMETERS_MOST]; /* from outside */
    bool given[MMM_DATA_MOST];
    int64_t batch, problem;           /* problems that it solves at once; the one that functions of the record see */
    mmm_vector inputs[MMM_DATA_MOST]; /* of a batch: lengths of one problem, elements of all, one after the other */
    mmm_vector *outputs;              /* MMM_DATA_MOST of each problem */
    mmm_modulus modulus;              /* p is 0 where there is none */
    mmm_modulus *moduli;              /* of each problem of a batch; NULL: all have that one */
    int word_bits;
    mmm_random random;
    mmm_program *program;
    void *arrays[ARRAYS_MOST];  /* host memory of the program's arrays */
    bool staged[ARRAYS_MOST];   /* it is the planned machine's */
    size_t mapped[ARRAYS_MOST]; /* bytes of one of a sketch that is large; 0: of another */
    bool allocated;             /* all that need it have it */
    bool direct[ARRAYS_MOST];   /* of a plan: the caller's memory is its host memory */
    bool brought[ARRAYS_MOST];  /* of a batch, after a run: results that are in host memory */
    mmm_machine *planned;       /* the machine of a plan, whose host memory the arrays lie in; NULL: any memory */
    struct {
        int input; /* that the array holds, from element `first` on; -1: none */
        int64_t first;
    } loads[ARRAYS_MOST];
    struct mmm_take {
        int array; /* -1: not said yet */
        int64_t first, count;
    } takes[MMM_DATA_MOST][2]; /* [1]: where [0] is 0 */
    struct {
        int array; /* whose elements `at` and `at` + 1 are their degrees; -1: the last term that is not 0 tells */
        int64_t at;
    } degrees[MMM_DATA_MOST];
    bool ran;
    bool building;      /* `build` runs: arrays get their memory when it has returned */
    bool sketch;        /* it is counted, not run: see mmm_job_sketch */
    int shrunk;         /* see mmm_job_shrunk */
    bool undrawn;       /* the inputs to draw have their lengths, but not yet their elements */
    mmm_status failure; /* of drawing them, or of memory, while it runs */
    struct {
        mmm_vector inputs[MMM_DATA_MOST];
        int64_t values[MMM_PARAMETERS_MOST]; /* that they were drawn with, */
        bool given[MMM_DATA_MOST];           /* beside these inputs */
        int64_t batch;
        mmm_random random; /* after that */
    } kept;                /* drawn inputs of the last program, for one that differs in its choices only */
};

/* Fails with MMM_INVALID for a negative number of terms, or for some at NULL, and with MMM_TOO_LARGE for more than any
 * application takes; `name` is for the message. */
mmm_status mmm_check_terms(int64_t n, const void *a, const char *name);

/* Of an application that is open. */
mmm_status mmm_job_of(const mmm_app *app, mmm_job **out);

/* A job that is counted in the place of another, with its values; its arrays hold MMM_SKETCH elements that count, and
 * then the same again.  NULL: the inputs are given, or it is a batch. */
enum { MMM_SKETCH = 1 << 16 };
mmm_status mmm_job_sketch_of(const mmm_job *job, mmm_job **out);

/* Makes it a job of `batch` problems, each with a modulus of its own: odd ones, for words of the same size. */
mmm_status mmm_job_set_moduli(mmm_job *job, const uint64_t *p, int64_t batch);

/* The modulus of a problem. */
static inline const mmm_modulus *mmm_job_modulus_of(const mmm_job *job, int64_t problem)
{
    return job->moduli ? &job->moduli[problem] : &job->modulus;
}

/* Gives a parameter a value without making it one that was set. */
void mmm_job_choose(mmm_job *job, int parameter, int64_t value);

/* Algorithms of an operation of so many terms, `batch` problems at once: the usual one on such a machine, and the other,
 * where sizes are near enough to their crossover for it to be the faster one elsewhere, else NULL. */
mmm_status mmm_algorithms(const mmm_machine *machine, const char *operation, uint64_t p, int64_t n, int64_t m,
                          int64_t batch, const char *out[2]);

/* The job's values, with those of its choices that were not set as mmm_job_usual has them; whether it has any. */
bool mmm_usual_values(const mmm_job *job, const mmm_machine *machine, int64_t values[MMM_PARAMETERS_MOST]);

/* Gives the job what is usual of parameters that were not set and are no choices, which are not searched. */
void mmm_job_usual_others(mmm_job *job, const mmm_machine *machine);

/* A name's value in the job, for expressions: its parameters. */
int mmm_job_lookup(const void *job, const char *name, int64_t *value);

/* Whether an input or output is there. */
bool mmm_job_has(const mmm_job *job, const mmm_data *data);

/* The next length of a shape such as "n, m"; gives the rest of it, NULL at the end. */
const char *mmm_shape_next(const char *shape, char *piece, size_t size);

/* Releases the program and its arrays. */
void mmm_job_drop_program(mmm_job *job);

/* Fails with what there is where an application has no input or output (`what`) number `which`. */
mmm_status mmm_job_check_number(const mmm_job *job, const mmm_data *data, int which, const char *what);

/* The modulus, and the bits of a word as far as parameters say: the modulus's, the record's expression, or 32. */
mmm_status mmm_job_settle_words(mmm_job *job);

/* Whether the input, by its own length, modulus or size of words, settles the parameter. */
bool mmm_job_settles(const mmm_job *job, int input, const char *parameter);

/* Whether inputs that were given go together: one modulus, and lengths as their shapes say. */
mmm_status mmm_job_check_inputs(mmm_job *job);

/* Inputs that were not given: their lengths, once they are known to fit; their elements, drawn where that is not done;
 * put by, for the next program; and rid of. */
mmm_status mmm_job_shape_inputs(mmm_job *job);
mmm_status mmm_job_draw(mmm_job *job);
void mmm_job_keep_drawn(mmm_job *job);
void mmm_job_drop_drawn(mmm_job *job);

/* As mmm_job_prepare, but without inputs and memory, unless `build` asks for them: mmm_job_load has them then. */
mmm_status mmm_job_plan(mmm_job *job);

/* An output of the problem that is seen. */
static inline mmm_vector *mmm_job_out(const mmm_job *job, int output)
{
    return &job->outputs[job->problem * MMM_DATA_MOST + output];
}

/* Bytes of an array of the program, of all problems. */
size_t mmm_job_bytes(const mmm_job *job, int array);

/* Calls a function of the record, which may be NULL, for each problem. */
mmm_status mmm_job_each(mmm_job *job, mmm_status (*function)(mmm_job *job));

/* One problem's elements of the input that an array holds, into its host memory.  `wide`: words have 8 bytes there, as
 * in vectors; else as many as the program's.  False: of a polynomial of
 * MMM_PUT_CHECKS or more terms, some are not below the modulus; of others, nobody looked. */
enum { MMM_PUT_CHECKS = 512 };
bool mmm_job_put(mmm_job *job, int array, int64_t problem, const void *elements, bool wide);

/* After a run, an output of the problem that is seen: its place in host memory and the number of its elements, leading
 * zeros dropped; and its elements in the form of inputs. */
mmm_status mmm_job_check_taken(const mmm_job *job, int output);
mmm_status mmm_job_find_output(mmm_job *job, mmm_machine *machine, int output, const char **memory, int64_t *count);
void mmm_job_give_out(const mmm_job *job, int output, const char *memory, int64_t count, bool wide, void *to);

/* Memory for the arrays that `build` added. */
mmm_status mmm_job_allocate(mmm_job *job);

/* The inputs into their arrays, and what else a run or a sampling begins with; what ends a run, and the outputs out of
 * theirs. */
mmm_status mmm_job_load(mmm_job *job);
mmm_status mmm_job_collect(mmm_job *job, mmm_machine *machine);

/* A new array of `terms` words of a buffer from number `first` on, less leading zeros. */
mmm_status mmm_array_copy(mmm_machine *machine, const mmm_modulus *modulus, void *buffer, int64_t first, int64_t terms,
                          mmm_array **out);

/* The same where the last of these words is known not to be 0. */
mmm_status mmm_array_take(mmm_machine *machine, const mmm_modulus *modulus, void *buffer, int64_t first, int64_t terms,
                          mmm_array **out);

/* Divides by the last coefficient; 0 stays 0. */
mmm_status mmm_array_make_monic(mmm_array *array);

#endif
