/* SPDX-License-Identifier: Apache-2.0 */
/* mmm: the many-core machine model of Haque, Moreno Maza and Xie, as a library.
 *
 * This header is the manual, from simple to expert: algorithms as functions on arrays, machines, applications and jobs.
 * Who goes deeper includes
 *   <mmm/app.h>      to write an application of one's own;
 *   <mmm/model.h>    programs as DAGs of kernels, counting, measures, bounds and schedules (section 2 of the paper);
 *   <mmm/formula.h>  exact closed forms and the paper's analyses (sections 3 to 6);
 *   <mmm/study.h>    prediction, calibration, tuning, reports, the paper's tables;
 *   <mmm/kernel.h>   programs that run: code, arrays, arguments;
 *   <mmm/integer.h>  polynomials over the integers, as FLINT has them;
 *   <mmm/engine.h>   more machines than one, by processes that mpirun starts.
 *
 * Whatever can fail returns an mmm_status and leaves one line of explanation in mmm_message().  Results go through
 * pointers and are untouched on failure unless their comment says otherwise.  Things made by a ..._new function are
 * released by the matching ..._free, which takes NULL.  The library never prints, exits or aborts: a pointer that is
 * NULL where its comment does not allow it, a number out of its range, an enum that is none fail with MMM_INVALID, and
 * what returns no status does nothing then and gives 0, -1 for a number, "" or NULL.  Different threads may use the
 * library at once as long as they do not share a program or a machine.
 *
 * Exact algebra and the checks of polynomials are done with FLINT, Arb and GMP, which abort when they are refused memory.
 * Here they do not: such work has a thread of its own, from which a lack of memory leads back to MMM_MEMORY.  For that
 * the library puts memory functions of its own in front of FLINT's and GMP's, once and for good, which in every other
 * thread just call those that were there before.  A program that sets its own does so before its first call, or lives
 * with their failures.
 *
 * Structs that callers fill and hand over (mmm_query, mmm_tune_options, mmm_trial, mmm_report_input) are
 * zero-initialised first, by = {0} or a designated initialiser; a field that is 0 means the default, so that a field
 * which comes later changes nothing for who does not name it.  Structs that the library fills (measures, analyses,
 * predictions, tunings and the like) are values as this version of the headers has them.  Both may grow: before version
 * 1 from one minor version to the next, and the shared library's soname has that number (libmmm.so.0.1), so that a
 * program never runs with a library whose structs have another size.
 *
 * Stable: everything in this header keeps its meaning until version 1.  The headers below mmm/ may still change from
 * one minor version to the next; the changelog says how. */
#ifndef MMM_H
#define MMM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(MMM_BUILD)
#define MMM_API __attribute__((visibility("default")))
#else
#define MMM_API
#endif

#define MMM_VERSION "0.1.0"

/* The version of the library that runs, which may be newer than the header's. */
MMM_API const char *mmm_version(void);

/* ---- Status ------------------------------------------------------------------------------------------------------ */

typedef enum mmm_status {
    MMM_OK = 0,
    MMM_INVALID,   /* an argument, file or program is not what it should be; the message names the bad word */
    MMM_TOO_LARGE, /* what was asked for does not fit this machine; nothing was allocated */
    MMM_MEMORY,    /* the system refused memory */
    MMM_IO,        /* a file could not be read or written */
    MMM_DEVICE,    /* a device or its driver failed */
    MMM_WRONG,     /* a result failed its check */
    MMM_STOPPED,   /* a progress function asked for it */
} mmm_status;

/* The explanation of the last failure in this thread: one line, no newline. */
MMM_API const char *mmm_message(void);

/* A short name of a status, for logs. */
MMM_API const char *mmm_status_name(mmm_status status);

/* ---- Machines --------------------------------------------------------------------------------------------------- */

typedef struct mmm_machine mmm_machine;

/* Opens "cpu", "abstract" (with the default parameters), "cuda:N" or "opencl:N", device number N.  An unknown name
 * fails and lists the known ones; a device that is not there fails with what was looked for.
 *
 * After a fork the child may use the cpu and the abstract machine, its parent's or its own.  Drivers of devices do not
 * survive a fork: where the parent has used CUDA or OpenCL, both fail in the child, with MMM_DEVICE. */
MMM_API mmm_status mmm_machine_open(const char *name, mmm_machine **out);

MMM_API void mmm_machine_free(mmm_machine *machine);

/* One line about a machine: what it is, cores, instruction set. */
MMM_API const char *mmm_machine_description(const mmm_machine *machine);

/* Whether its runs take time, so that it can be tuned and calibrated: any machine but the abstract one. */
MMM_API int mmm_machine_has_time(const mmm_machine *machine);

/* The machines there are, one by one: the kind's summary and the machine's description, or, where `works` is 0, why the
 * kind or the device cannot be used.  Visits every kind at least once. */
typedef struct mmm_machine_info {
    const char *name, *summary, *description;
    int works;
    int has_time; /* see mmm_machine_has_time */
} mmm_machine_info;
typedef void mmm_machine_visitor(void *context, const mmm_machine_info *info);
MMM_API void mmm_machine_list(mmm_machine_visitor *visit, void *context);

/* Gives up a run that takes longer, with MMM_DEVICE; 0, the default: never.  For GPUs, whose kernels cannot be stopped:
 * until they end by themselves the machine runs nothing else, and freeing it leaves behind what they use. */
MMM_API void mmm_machine_set_time_limit(mmm_machine *machine, double seconds);

/* For measurements on CUDA devices: a run starts its kernels so many times (1 to 1000), one after the other, and its time
 * is that of all over their number, without what the first one waits for.  Right for programs that do not write what
 * they read, as the others find their own results.  MMM_INVALID for other machines. */
MMM_API mmm_status mmm_machine_set_launches(mmm_machine *machine, int launches);

/* Bytes that went from host memory into the machine's and out of it since it was opened, in runs and for mmm_arrays.
 * The cpu and the abstract machine work in host memory: they count what a device would have had to move. */
MMM_API void mmm_machine_transferred(const mmm_machine *machine, int64_t *in, int64_t *out);

/* Called now and then by what takes long (counting, calibration, tuning, the paper's tables), with the part done, from
 * 0 to 1; other than 0 stops the work, which then fails with MMM_STOPPED. */
typedef int mmm_progress(void *context, double done);

/* For runs of the machine: one that counts calls it, the CPU does where a run is long, GPUs do not.  NULL: no more. */
MMM_API void mmm_machine_on_progress(mmm_machine *machine, mmm_progress *progress, void *context);

/* ---- The algorithms as functions --------------------------------------------------------------------------------- */

/* Polynomials over Z/p are arrays of coefficients below the prime p, lowest first; the number of terms given may count
 * leading zeros, the number returned does not.  Arrays lie in host memory.  An output may be the same array as an input
 * or overlap it in any way; two outputs must not overlap.  Calls for different machines may run at the same time.  s is
 * what mmm_tune found for the machine and a size like this one, else the application's usual value.
 * Which algorithm is taken depends on the sizes, p and the machine: at first by crossovers that were measured on machines
 * like it; and once the calls of one shape have taken half a second, by prediction, which then also chooses s, where the
 * machine is calibrated or one that is shipped, and what it finds is predicted to take a quarter less.  That is done once
 * for a shape, and takes about as long.
 *
 * A machine keeps the plans (see mmm_plan) of recent calls, so that the next call for the same sizes and p builds nothing:
 * at most 32, and of at most 1 GB beside the last two; those that were not used for long go first, all with the machine. */

/* The application that is fastest: `operation` is "multiplication", "division" or "gcd", of n and m terms modulo p.  The
 * one that measured crossovers say, unless the machine is known and another one is predicted to take a quarter less, which
 * takes some milliseconds to find out.  NULL, with a message, where it is none of these operations. */
MMM_API const char *mmm_fastest(const mmm_machine *machine, const char *operation, uint64_t p, int64_t n, int64_t m);

/* f = a b; f has room for n + m - 1 coefficients (none where n or m is 0). */
MMM_API mmm_status mmm_multiply(mmm_machine *machine, uint64_t p, const uint64_t *a, int64_t n, const uint64_t *b,
                                int64_t m, uint64_t *f, int64_t *f_terms);

/* a = q b + r with deg r < deg b; q and r have room for n coefficients each.  b must not be 0. */
MMM_API mmm_status mmm_divide(mmm_machine *machine, uint64_t p, const uint64_t *a, int64_t n, const uint64_t *b,
                              int64_t m, uint64_t *q, int64_t *q_terms, uint64_t *r, int64_t *r_terms);

/* g = gcd(a, b), monic, and 0 where both are 0; g has room for max(n, m) coefficients. */
MMM_API mmm_status mmm_gcd(mmm_machine *machine, uint64_t p, const uint64_t *a, int64_t n, const uint64_t *b, int64_t m,
                           uint64_t *g, int64_t *g_terms);

/* Sorts keys in place, and moves `values` (may be NULL) along with them; equal keys keep their order. */
MMM_API mmm_status mmm_sort_u32(mmm_machine *machine, uint32_t *keys, uint32_t *values, int64_t count);
MMM_API mmm_status mmm_sort_u64(mmm_machine *machine, uint64_t *keys, uint64_t *values, int64_t count);

/* The same for `batch` problems of the same sizes in one call, one program with so many times the blocks: arrays hold one
 * problem after the other, n or m coefficients each (leading zeros count), and so do results: a product has n + m - 1, a
 * quotient n - m + 1 (none where n < m), a remainder m - 1, a gcd max(n, m), of which those behind its terms are 0
 * or not written; the numbers of terms are arrays of `batch` numbers.  Of a divisor, the last of the m coefficients must not be 0.  No
 * output may overlap an input. */
MMM_API mmm_status mmm_multiply_many(mmm_machine *machine, uint64_t p, int64_t batch, const uint64_t *a, int64_t n,
                                     const uint64_t *b, int64_t m, uint64_t *f, int64_t *f_terms);
MMM_API mmm_status mmm_divide_many(mmm_machine *machine, uint64_t p, int64_t batch, const uint64_t *a, int64_t n,
                                   const uint64_t *b, int64_t m, uint64_t *q, int64_t *q_terms, uint64_t *r,
                                   int64_t *r_terms);
MMM_API mmm_status mmm_gcd_many(mmm_machine *machine, uint64_t p, int64_t batch, const uint64_t *a, int64_t n,
                                const uint64_t *b, int64_t m, uint64_t *g, int64_t *g_terms);
/* Each `count` keys for themselves. */
MMM_API mmm_status mmm_sort_many_u32(mmm_machine *machine, int64_t batch, uint32_t *keys, uint32_t *values,
                                     int64_t count);
MMM_API mmm_status mmm_sort_many_u64(mmm_machine *machine, int64_t batch, uint64_t *keys, uint64_t *values,
                                     int64_t count);

/* A polynomial over Z/p that lives in the memory of a machine, so that operations on it and on their results move
 * nothing but a few words (degrees, a leading coefficient), and tables where transforms are fastest:
 *     mmm_array_new(machine, p, a, n, &x);   mmm_array_new(machine, p, b, m, &y);
 *     mmm_array_multiply(x, y, &f);          mmm_array_divide(f, z, &q, &r);     mmm_array_gcd(q, y, &g);
 *     mmm_array_read(g, coefficients);
 * Operands must be of the same machine and the same p; they stay as they are, may be the same array, and results are
 * new arrays.  A machine must outlive its arrays, and both belong to one thread at a time.  When a device is lost, its
 * arrays are too: each use fails with MMM_DEVICE, and mmm_array_free is still to be called. */
typedef struct mmm_array mmm_array;

/* Copies `terms` coefficients into the machine's memory. */
MMM_API mmm_status mmm_array_new(mmm_machine *machine, uint64_t p, const uint64_t *coefficients, int64_t terms,
                                 mmm_array **out);
MMM_API void mmm_array_free(mmm_array *array);

/* The same without a copy: `memory` is the caller's own memory of the machine (a CUDA pointer of the
 * device's primary context; a cl_mem of the machine's context, which is that of mmm_array_memory; on the cpu and the
 * abstract machine host memory) and outlives the array; what the caller put into it has arrived there.  It holds
 * `terms` words, uint32_t for p < 2^31 and uint64_t else, in the form that residues have in programs (mmm_modulus in
 * mmm/kernel.h). */
MMM_API mmm_status mmm_array_wrap(mmm_machine *machine, uint64_t p, void *memory, int64_t terms, mmm_array **out);

/* The machine's memory that an array lies in, to hand it on without a copy; NULL where it has no terms.  What computes
 * it has ended by then: functions on arrays return before that where they need no look at the result. */
MMM_API void *mmm_array_memory(const mmm_array *array);

/* The number of terms without leading zeros; costs nothing. */
MMM_API int64_t mmm_array_terms(const mmm_array *array);

/* Copies the coefficients back: `coefficients` has room for mmm_array_terms of them. */
MMM_API mmm_status mmm_array_read(const mmm_array *array, uint64_t *coefficients);

/* f = a b */
MMM_API mmm_status mmm_array_multiply(const mmm_array *a, const mmm_array *b, mmm_array **f);

/* a = q b + r with deg r < deg b; b must not be 0. */
MMM_API mmm_status mmm_array_divide(const mmm_array *a, const mmm_array *b, mmm_array **q, mmm_array **r);

/* g = gcd(a, b), monic, and 0 where both are 0. */
MMM_API mmm_status mmm_array_gcd(const mmm_array *a, const mmm_array *b, mmm_array **g);

/* A DAG of kernels (section 2.2): mmm/model.h says what can be known of it. */
typedef struct mmm_program mmm_program;

/* ---- Applications (sections 3 to 6) ------------------------------------------------------------------------------ */

/* An algorithm, with its parameters, inputs and outputs: the record in mmm/app.h. */
typedef struct mmm_app mmm_app;

/* The applications that are built in, ended by NULL. */
MMM_API const mmm_app *const *mmm_app_list(void);

/* An application by its name, or by the path of its folder (a word with a '/', or "."), which is compiled where that was
 * not done before, and stays open. */
MMM_API mmm_status mmm_app_open(const char *name_or_folder, const mmm_app **out);

/* Compiles the application in a folder to one object file for this machine, to be linked to a program: its record is
 * mmm_app_NAME there, for mmm_app_register (mmm/app.h), and must have a name. */
MMM_API mmm_status mmm_app_compile(const char *folder, const char *object);

/* What the generator warned of when it read the kernels of a folder, a line each; "" where there is nothing. */
MMM_API const char *mmm_app_warnings(const mmm_app *app);

/* Writes a folder with an application that works and can be changed: a stencil.  Fails where the path exists. */
MMM_API mmm_status mmm_app_create(const char *path);

/* One use of an application: parameters, inputs, the program they give, and its results. */
typedef struct mmm_job mmm_job;

/* Of an application, as mmm_app_open takes it. */
MMM_API mmm_status mmm_job_new(const char *app, mmm_job **out);
MMM_API void mmm_job_free(mmm_job *job);
MMM_API const mmm_app *mmm_job_app(const mmm_job *job);

/* Sets a parameter; an unknown name fails and lists the known ones. */
MMM_API mmm_status mmm_job_set(mmm_job *job, const char *name, int64_t value);

/* Sets the choices that were not set to what the functions below take on such a machine where nothing was tuned.
 * Applications that no function takes keep theirs. */
MMM_API mmm_status mmm_job_usual(mmm_job *job, const mmm_machine *machine);
MMM_API int64_t mmm_job_get(const mmm_job *job, const char *name);

/* Reads input number `which` from a file ("-": standard input); sizes and the modulus then come from it.  Polynomials
 * are text, "length modulus  c0 c1 ..."; other arrays are raw little-endian elements, or NumPy's .npy, which is known by
 * its first bytes. */
MMM_API mmm_status mmm_job_read(mmm_job *job, int which, const char *path);

/* The same from memory: a polynomial of `terms` coefficients below the prime p, the lowest first; they are copied. */
MMM_API mmm_status mmm_job_polynomial(mmm_job *job, int which, uint64_t p, const uint64_t *coefficients, int64_t terms);

/* The same for an array of `dimensions` lengths, row by row, whose elements are of the input's type (uint64_t for words). */
MMM_API mmm_status mmm_job_give(mmm_job *job, int which, const void *elements, const int64_t *lengths, int dimensions);

/* Result number `which` of the last run, and how many elements it has (count may be NULL): of its type, uint64_t for words
 * and for polynomials, whose lowest coefficient comes first.  Valid until the next run; NULL with a message where there is
 * none. */
MMM_API const void *mmm_job_result(const mmm_job *job, int which, int64_t *count);

/* Makes it a job of `batch` problems of the same sizes at once, each with inputs of its own, which are drawn: one program
 * with so many times the blocks.  Results are those of the problem that was selected, number 0 at first; the check looks at
 * all of them.  Applications whose program depends on their inputs fail when it is built. */
MMM_API mmm_status mmm_job_set_batch(mmm_job *job, int64_t batch);
MMM_API mmm_status mmm_job_select(mmm_job *job, int64_t problem);

/* Makes the inputs that were not given, at random from the parameter `seed`, and builds the program. */
MMM_API mmm_status mmm_job_prepare(mmm_job *job);
MMM_API mmm_program *mmm_job_program(mmm_job *job);

/* Runs it, any number of times and on any machine.  *seconds is the time of the kernels. */
MMM_API mmm_status mmm_job_run(mmm_job *job, mmm_machine *machine, double *seconds);

/* Compares the results with those of the application's oracle: MMM_WRONG, with the first difference in the message, when
 * they differ. */
MMM_API mmm_status mmm_job_check(const mmm_job *job);

/* The same, and how long the oracle took on one core. */
MMM_API mmm_status mmm_job_check_timed(const mmm_job *job, double *seconds);

/* Writes output number `which` to a file ("-": standard output): as .npy where its name ends so. */
MMM_API mmm_status mmm_job_write(const mmm_job *job, int which, const char *path);

/* ---- Plans -------------------------------------------------------------------------------------------------------- */

/* What is made once for a machine, sizes and p, to be run many times with other data: the program, its arrays, its
 * compiled kernels and, on CUDA, its graph and memory that the device copies fast.
 *     mmm_plan_multiply(machine, p, n, m, 1, &plan);
 *     for (...) mmm_plan_run(plan, (const void *[]){a, b}, (void *[]){f}, (int64_t *[]){&terms});
 *     mmm_plan_free(plan);
 * A plan belongs to its machine, which must outlive it, and with it to one thread at a time. */
typedef struct mmm_plan mmm_plan;

/* For the functions above, with `batch` problems a run; of b, where polynomials are divided by it, the last coefficient of
 * the m must not be 0.  Keys have 32 or 64 bits. */
MMM_API mmm_status mmm_plan_multiply(mmm_machine *machine, uint64_t p, int64_t n, int64_t m, int64_t batch,
                                     mmm_plan **out);
MMM_API mmm_status mmm_plan_divide(mmm_machine *machine, uint64_t p, int64_t n, int64_t m, int64_t batch,
                                   mmm_plan **out);
MMM_API mmm_status mmm_plan_gcd(mmm_machine *machine, uint64_t p, int64_t n, int64_t m, int64_t batch, mmm_plan **out);
MMM_API mmm_status mmm_plan_sort(mmm_machine *machine, int64_t count, int bits, int values, int64_t batch,
                                 mmm_plan **out);

/* For any application: of its job's parameters and batch.  Takes the job, also where it fails; inputs must not be given. */
MMM_API mmm_status mmm_plan_take(mmm_job *job, mmm_machine *machine, mmm_plan **out);
MMM_API void mmm_plan_free(mmm_plan *plan);

/* Runs it: inputs[i] are the elements of input number i of all problems, one after the other, outputs[i] has room for
 * mmm_plan_room of each problem, and counts[i][q] (counts, and counts[i], may be NULL) is how many problem q has there.
 * Elements are uint64_t for polynomials; words of programs without a modulus are uint32_t or uint64_t as the program has
 * them; others are of their type.  Outputs may overlap inputs. */
MMM_API mmm_status mmm_plan_run(mmm_plan *plan, const void *const *inputs, void *const *outputs, int64_t *const *counts);

/* Elements of an output that a problem has room for; and the time of the kernels of the last run, which is less than that
 * of the run. */
MMM_API int64_t mmm_plan_room(const mmm_plan *plan, int output);
MMM_API double mmm_plan_seconds(const mmm_plan *plan);

#ifdef __cplusplus
}
#endif
#endif
