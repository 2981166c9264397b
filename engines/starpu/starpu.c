/* SPDX-License-Identifier: Apache-2.0 */
/* The engine's beginning and end: ranks, workers and their machines. */
#include "starpu.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How a rank fared, for all of them to know. */
typedef struct fate {
    int status, workers;
    char message[MESSAGE];
} fate;

/* The first failure of all ranks is everybody's. */
static mmm_status agree(engine *e, mmm_status own)
{
    fate mine = {.status = own, .workers = e->workers}, *all = calloc((size_t)e->ranks, sizeof *all);
    if (own != MMM_OK) snprintf(mine.message, MESSAGE, "%s", e->library->message());
    if (!all) MPI_Abort(e->commands, MMM_MEMORY);
    MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all, sizeof mine, MPI_BYTE, e->commands);
    mmm_status status = MMM_OK;
    char line[MESSAGE + 64];
    for (int i = 0; i < e->ranks && status == MMM_OK; i++) {
        if (all[i].status == MMM_OK) continue;
        snprintf(line, sizeof line, "rank %d: %s", i, all[i].message);
        status = e->library->fail(e->rank ? MMM_STOPPED : (mmm_status)all[i].status, line);
    }
    for (int i = 0; i < e->ranks; i++)
        e->first[i + 1] = e->first[i] + all[i].workers;
    e->all = e->first[e->ranks];
    free(all);
    return status;
}

/* This rank's share of the cores that the ranks of this computer may use. */
static int share_of_cores(const engine *e)
{
    MPI_Comm here;
    cpu_set_t own, all;
    int ranks;
    CPU_ZERO(&own);
    CPU_ZERO(&all);
    if (sched_getaffinity(0, sizeof own, &own) != 0) CPU_SET(0, &own);
    MPI_Comm_split_type(e->commands, MPI_COMM_TYPE_SHARED, e->rank, MPI_INFO_NULL, &here);
    MPI_Comm_size(here, &ranks);
    MPI_Allreduce(&own, &all, (int)sizeof own, MPI_BYTE, MPI_BOR, here);
    MPI_Comm_free(&here);
    const int cores = CPU_COUNT(&all) / ranks;
    return cores > 1 ? cores : 1;
}

/* A machine for each worker of this rank: what is to be opened, and with how many threads. */
typedef struct wanted {
    char name[WORKERS_MOST][32];
    int threads[WORKERS_MOST];
} wanted;

static mmm_status read_machines(engine *e, const char *machines, int cores, wanted *w)
{
    char line[160];
    int others = 0;
    for (const char *c = machines; *c; c++)
        others += *c == ',';
    for (const char *at = machines; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        const size_t length = strcspn(at, ",");
        const bool some = length == 5 && memcmp(at, "cpu=", 4) == 0 && at[4] > '0' && at[4] <= '9',
                   cpu = some || (length == 3 && memcmp(at, "cpu", 3) == 0);
        int count = some ? at[4] - '0' : cpu ? cores : 1;
        if (cpu && count > WORKERS_MOST - others) count = WORKERS_MOST - others;
        if (length == 0 || length >= sizeof w->name[0]) {
            snprintf(line, sizeof line, "'%.60s' is not a list of machines, such as cpu or cuda:0,cuda:1", machines);
            return e->library->fail(MMM_INVALID, line);
        }
        if (count < 1 || e->workers + count > WORKERS_MOST) {
            snprintf(line, sizeof line, "StarPU has %d workers a process here: start more ranks", WORKERS_MOST);
            return e->library->fail(MMM_TOO_LARGE, line);
        }
        for (int i = 0; i < count; i++, e->workers++) {
            const int threads = cpu ? cores * (i + 1) / count - cores * i / count : 0;
            snprintf(w->name[e->workers], sizeof w->name[0], "%.*s", cpu ? 3 : (int)length, at);
            w->threads[e->workers] = threads > 1 ? threads : 1;
        }
    }
    return MMM_OK;
}

/* In each worker's thread. */
typedef struct opening {
    engine *e;
    const wanted *w;
    mmm_status status[WORKERS_MOST];
    char message[WORKERS_MOST][MESSAGE];
} opening;

static void open_machine(void *context)
{
    opening *o = context;
    const int i = starpu_worker_get_id();
    o->e->own[i].rank = o->e->rank;
    o->status[i] = o->e->library->open(o->w->name[i], o->w->threads[i], &o->e->own[i], &o->e->machines[i]);
    if (o->status[i] != MMM_OK) snprintf(o->message[i], MESSAGE, "%s", o->e->library->message());
}

static void close_machine(void *context)
{
    engine *e = context;
    const int i = starpu_worker_get_id();
    e->library->close(e->machines[i]);
    e->machines[i] = NULL;
}

static mmm_status start(engine *e, const wanted *w)
{
    struct starpu_conf conf;
    char home[4096], line[128];
    opening o = {.e = e, .w = w};
    mmm_status status = e->library->folder(home, sizeof home);
    if (status != MMM_OK) return status;
    setenv("STARPU_HOME", home, 0); /* it ends the process where it cannot write */
    setenv("STARPU_SILENT", "1", 0);
    setenv("STARPU_WORKERS_NOBIND", "1", 0);
    setenv("STARPU_MPI_NOBIND", "1", 0);
    starpu_conf_init(&conf);
    conf.ncpus = e->workers;
    conf.ncuda = conf.nopencl = 0; /* their devices are machines of mmm */
    conf.sched_policy_name = "eager";
    const int failed = starpu_mpi_init_conf(NULL, NULL, 0, e->data, &conf);
    e->started = failed == 0;
    if (failed || (int)starpu_worker_get_count() != e->workers) {
        snprintf(line, sizeof line, "StarPU does not start %d workers", e->workers);
        return e->library->fail(MMM_DEVICE, line);
    }
    starpu_execute_on_each_worker(open_machine, &o, STARPU_CPU);
    starpu_pause();
    for (int i = 0; i < e->workers; i++)
        if (o.status[i] != MMM_OK) return e->library->fail(o.status[i], o.message[i]);
    return MMM_OK;
}

static void stop(engine *e)
{
    while (e->list)
        shared_remove(e, e->list->number);
    if (e->started) {
        starpu_resume();
        starpu_execute_on_each_worker(close_machine, e, STARPU_CPU);
        starpu_mpi_shutdown();
    }
    MPI_Comm_free(&e->commands);
    MPI_Comm_free(&e->data);
    if (e->ends_mpi) MPI_Finalize();
    spares_free(e);
    free(e->first);
    free(e->places);
    free(e);
}

static mmm_status open_engine(const mmm_engine_library *library, const char *machines, void **out)
{
    int ready, over, level;
    wanted w = {0};
    engine *e = calloc(1, sizeof *e);
    if (!e) return library->fail(MMM_MEMORY, "no memory for an engine");
    e->library = library;
    MPI_Initialized(&ready);
    MPI_Finalized(&over);
    if (over) {
        free(e);
        return library->fail(MMM_DEVICE, "MPI was ended in this process, and cannot begin again");
    }
    if (ready)
        MPI_Query_thread(&level);
    else
        MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level);
    e->ends_mpi = !ready;
    MPI_Comm_dup(MPI_COMM_WORLD, &e->commands);
    MPI_Comm_dup(MPI_COMM_WORLD, &e->data);
    MPI_Comm_rank(e->commands, &e->rank);
    MPI_Comm_size(e->commands, &e->ranks);
    e->first = calloc((size_t)e->ranks + 1, sizeof *e->first);
    if (!e->first) MPI_Abort(e->commands, MMM_MEMORY);
    mmm_status status = level < MPI_THREAD_MULTIPLE
                            ? library->fail(MMM_DEVICE, "MPI was not initialised for threads (MPI_THREAD_MULTIPLE)")
                            : MMM_OK;
    const int cores = share_of_cores(e);
    if (status == MMM_OK) status = read_machines(e, machines, cores, &w);
    status = agree(e, status);
    if (status == MMM_OK) status = agree(e, start(e, &w));
    if (status == MMM_OK) {
        e->places = calloc((size_t)e->all, sizeof *e->places);
        if (!e->places) MPI_Abort(e->commands, MMM_MEMORY);
        int *bytes = calloc(2 * (size_t)e->ranks, sizeof *bytes);
        if (!bytes) MPI_Abort(e->commands, MMM_MEMORY);
        for (int i = 0; i < e->ranks; i++) {
            bytes[i] = (e->first[i + 1] - e->first[i]) * (int)sizeof *e->places;
            bytes[e->ranks + i] = e->first[i] * (int)sizeof *e->places;
        }
        MPI_Allgatherv(e->own, bytes[e->rank], MPI_BYTE, e->places, bytes, bytes + e->ranks, MPI_BYTE, e->commands);
        free(bytes);
        *out = e;
        return MMM_OK;
    }
    stop(e);
    return status;
}

/* A rank that leaves before rank 0 says so ends all: mpirun sees to it. */
static void close_engine(void *state)
{
    engine *e = state;
    if (e->broken) return;
    if (e->rank == 0) command_send(e, ORDER_END, NULL, 0);
    stop(e);
}

static mmm_status serve(void *state)
{
    engine *e = state;
    for (;;) {
        order what;
        void *text = NULL;
        int64_t bytes;
        mmm_status status = command_wait(e, &what, &text, &bytes);
        if (status == MMM_OK && what == ORDER_RUN) status = round_serve(e, text);
        if (status == MMM_OK && what == ORDER_DROP) shared_remove(e, *(int64_t *)text);
        free(text);
        if (status != MMM_OK) e->broken = true;
        if (status != MMM_OK || what == ORDER_END) return status;
    }
}

static int rank_of(void *state)
{
    return ((engine *)state)->rank;
}

static int ranks_of(void *state)
{
    return ((engine *)state)->ranks;
}

static int workers_of(void *state)
{
    return ((engine *)state)->all;
}

static const mmm_engine_place *place_of(void *state, int worker)
{
    return &((engine *)state)->places[worker];
}

extern const mmm_engine_plugin mmm_engine_record __attribute__((visibility("default")));
const mmm_engine_plugin mmm_engine_record = {
    .version = MMM_ENGINE_VERSION,
    .name = "starpu",
    .open = open_engine,
    .close = close_engine,
    .rank = rank_of,
    .ranks = ranks_of,
    .workers = workers_of,
    .place = place_of,
    .serve = serve,
    .share = shared_add,
    .drop = shared_drop,
    .run = round_run,
};
