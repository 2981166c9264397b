/* SPDX-License-Identifier: Apache-2.0 */
/* Engines: more machines than one, in this computer and in others, for work that is made of many tasks.
 *
 *     mmm_engine_open("starpu", "cuda:0,cuda:1", &engine);        every process, started by mpirun
 *     if (mmm_engine_rank(engine) != 0)
 *         mmm_engine_serve(engine);                               works until process 0 frees its engine
 *     else {
 *         mmm_machine_engage(machine, engine);                    now mmm_integer_gcd and its siblings use all of them
 *         mmm_integer_gcd(machine, g, a, b, NULL);
 *     }
 *     mmm_engine_free(engine);
 *
 * An engine has ranks, processes numbered from 0, and each has workers: threads that open a machine of their own.  A
 * task is a pure function of data that it is given, so that it may be done by any worker, and again by another one
 * where one fails.  Rank 0 leads: it alone calls the functions that do work.
 *
 * An engine is a shared library, libmmm-NAME.so, which is opened when it is asked for: nothing else depends on what it
 * needs.  The one that comes with mmm is "starpu", on StarPU and MPI, where these are installed. */
#ifndef MMM_ENGINE_H
#define MMM_ENGINE_H

#include <mmm.h>
#include <mmm/study.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mmm_engine mmm_engine;

/* Opens the engine NAME on all ranks, which call this together: the file libmmm-NAME.so in the folder MMM_ENGINES,
 * beside the library (or the program that it is linked to), where make install puts it, or where the system finds
 * libraries.  `machines` are those of this rank's workers, names as mmm_machine_open takes them with commas between;
 * "cpu" gives a worker to each core that is this rank's share of the computer, "cpu=N" N workers that have them
 * together.  A name without such a file fails with what there is.  Where some rank cannot be opened all fail: rank 0
 * with a message that names it, others with MMM_STOPPED. */
MMM_API mmm_status mmm_engine_open(const char *name, const char *machines, mmm_engine **out);

/* Of rank 0: ends the others' mmm_engine_serve. */
MMM_API void mmm_engine_free(mmm_engine *engine);

MMM_API int mmm_engine_rank(const mmm_engine *engine);
MMM_API int mmm_engine_ranks(const mmm_engine *engine);

/* A worker of any rank, numbered from 0 on over all ranks; what its machine is. */
typedef struct mmm_engine_place {
    int rank, cpu;    /* cpu: the device is a CPU */
    char machine[32]; /* as it was opened */
    char device[512]; /* what it is: devices of one kind have the same here */
} mmm_engine_place;
MMM_API int mmm_engine_workers(const mmm_engine *engine);
MMM_API mmm_status mmm_engine_worker(const mmm_engine *engine, int number, mmm_engine_place *out);

/* Of the other ranks: does what rank 0 asks for, until that frees its engine. */
MMM_API mmm_status mmm_engine_serve(mmm_engine *engine);

/* Has the functions of mmm/integer.h on a machine hand their work to an engine, until it is NULL again; the engine must
 * outlive that.  Of rank 0. */
MMM_API mmm_status mmm_machine_engage(mmm_machine *machine, mmm_engine *engine);

/* ---- Tuning ------------------------------------------------------------------------------------------------------ */

/* What mmm_tune would find for one kind of device that an engine's workers have. */
typedef struct mmm_kind_tuning {
    char device[512], machine[32]; /* machine: what the first of its workers opened */
    char results[512];             /* the file of its results; "" where none was asked for */
    int workers;
    int64_t values[MMM_CHOICES_MOST]; /* of the configuration to take, in the order of mmm_app_choices */
    double best, predicted;           /* seconds; best is 0 where nothing was measured */
    int64_t runs, executions;
    int ties, doubtful, wrong; /* wrong: some configuration gave a wrong result */
    mmm_tuning_end end;
} mmm_kind_tuning;

/* Tunes an application for each of these kinds: workers with devices of one kind share its configurations, and one of
 * them decides by what all have found.  Of rank 0: `app` as mmm_job_new takes it, of which `job` has what was set.  The
 * budget is that of a kind, and the one that decides has as much again.  Results go to options->results, of several
 * kinds to FILE-1.json, FILE-2.json and so on, and each kind's choice to this computer's wisdom.  *out is the caller's
 * to free. */
MMM_API mmm_status mmm_tune_kinds(mmm_engine *engine, const char *app, const mmm_job *job,
                                  const mmm_tune_options *options, mmm_kind_tuning **out, int *count);

/* ---- To write an engine ------------------------------------------------------------------------------------------ */

/* One piece of work.  All of `output` is filled. */
typedef struct mmm_engine_task {
    const void *words; /* what is to be done: a few bytes */
    size_t words_bytes;
    const void *input; /* data of its own */
    size_t input_bytes;
    void *output;
    size_t output_bytes;
    int worker; /* that is to do it; -1: any */
} mmm_engine_task;

typedef struct mmm_engine_data {
    const void *memory; /* aligned as malloc does it */
    size_t bytes;
} mmm_engine_data;

/* What an engine calls: the library that opened it. */
typedef struct mmm_engine_library {
    /* Leaves a message, for mmm_message of this thread; that message. */
    mmm_status (*fail)(mmm_status status, const char *text);
    const char *(*message)(void);
    /* A folder of the user's own for files that make the next start quicker. */
    mmm_status (*folder)(char *path, size_t size);
    /* In the thread of a worker: its machine, for the CPU one of so many threads, and its end. */
    mmm_status (*open)(const char *machine, int threads, mmm_engine_place *place, void **worker);
    void (*close)(void *worker);
    /* Does a task by a worker, in any thread, but in one at a time.  `shared` is what all tasks of a run have. */
    mmm_status (*perform)(void *worker, const mmm_engine_data *shared, int shared_count, const mmm_engine_task *task);
} mmm_engine_library;

enum { MMM_ENGINE_VERSION = 1, MMM_ENGINE_SHARED_MOST = 4 };

/* What libmmm-NAME.so exports, under the name mmm_engine_record.  A state is one engine. */
typedef struct mmm_engine_plugin {
    int version; /* MMM_ENGINE_VERSION */
    const char *name;
    mmm_status (*open)(const mmm_engine_library *library, const char *machines, void **state);
    void (*close)(void *state);
    int (*rank)(void *state);
    int (*ranks)(void *state);
    int (*workers)(void *state);
    const mmm_engine_place *(*place)(void *state, int worker);
    mmm_status (*serve)(void *state);
    /* Of rank 0.  Data for tasks to share, which stay in place until they are dropped: they go to a rank once, when a
     * task there needs them first. */
    mmm_status (*share)(void *state, const void *memory, size_t bytes, int64_t *number);
    void (*drop)(void *state, int64_t number);
    /* Does tasks that share data by their numbers.  One that fails is done again by another worker, once; what fails
     * then is named with its rank. */
    mmm_status (*run)(void *state, const int64_t *shared, int shared_count, const mmm_engine_task *tasks, int count);
} mmm_engine_plugin;

/* The same as mmm_engine_open with an engine that the program has itself. */
MMM_API mmm_status mmm_engine_new(const mmm_engine_plugin *plugin, const char *machines, mmm_engine **out);

#ifdef __cplusplus
}
#endif
#endif
