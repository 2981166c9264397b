/* SPDX-License-Identifier: Apache-2.0 */
/* Engines: how their files are found and opened, and what they call in this library. */
#include "engine/engine.h"

#include "machine/gpu/gpu.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- What an engine calls -----------------------------------------------------------------------------------------
 */

static mmm_performer *const performers[MMM_KINDS] = {
    [MMM_KIND_RESIDUES] = mmm_perform_residues,
    [MMM_KIND_RECONSTRUCT] = mmm_perform_reconstruct,
    [MMM_KIND_DIVIDES] = mmm_perform_divides,
    [MMM_KIND_RESULTANT] = mmm_perform_resultant,
    [MMM_KIND_TUNE] = mmm_perform_tune,
};

static mmm_status fail(mmm_status status, const char *text)
{
    return mmm_fail(status, "%s", text);
}

/* For what an engine keeps on disk. */
static mmm_status folder(char *path, size_t size)
{
    MMM_TRY(mmm_cache_folder(path, size));
    const size_t used = strlen(path);
    snprintf(path + used, size - used, "/engine");
    return mmm_folders_make(path, true) ? mmm_trust(path)
                                        : mmm_fail(MMM_IO, "cannot make '%.200s': %s", path, strerror(errno));
}

static mmm_status open_worker(const char *name, int threads, mmm_engine_place *place, void **out)
{
    mmm_status result = MMM_OK;
    mmm_worker *worker = NULL;
    TRY(mmm_alloc(&worker, 1, sizeof *worker));
    TRY(mmm_machine_open(name, &worker->machine));
    if (worker->machine->type == &mmm_machine_cpu && threads > 0) worker->machine->parameters.P = threads;
    place->cpu = worker->machine->cpu;
    snprintf(place->machine, sizeof place->machine, "%s", name);
    snprintf(place->device, sizeof place->device, "%s", worker->machine->device);
    *out = worker;
    worker = NULL;
done:
    free(worker);
    return result;
}

static void close_worker(void *worker)
{
    mmm_worker *w = worker;
    if (!w) return;
    if (w->drop) w->drop(w);
    mmm_machine_free(w->machine);
    free(w);
}

/* The engine of rank 0 whose work is under way in this process, for workers that ask whether to go on. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static mmm_engine *leader;

static int ask_leader(void *context, double done)
{
    int stop = 0;
    (void)context;
    pthread_mutex_lock(&lock);
    if (leader && leader->engaged && leader->engaged->progress)
        stop = leader->engaged->progress(leader->engaged->progress_context, done);
    pthread_mutex_unlock(&lock);
    return stop;
}

static mmm_status perform(void *worker, const mmm_engine_data *shared, int shared_count, const mmm_engine_task *task)
{
    mmm_worker *w = worker;
    int64_t kind;
    if (task->words_bytes < sizeof kind) return mmm_fail(MMM_INVALID, "a task that says nothing");
    memcpy(&kind, task->words, sizeof kind);
    if (kind < 0 || kind >= MMM_KINDS) return mmm_fail(MMM_INVALID, "a task of an unknown kind");
    mmm_machine_on_progress(w->machine, ask_leader, NULL);
    return performers[kind](w, shared, shared_count, task);
}

static const mmm_engine_library library = {
    .fail = fail,
    .message = mmm_message,
    .folder = folder,
    .open = open_worker,
    .close = close_worker,
    .perform = perform,
};

mmm_status mmm_engine_check_task(const mmm_engine_task *task, int shared_count, size_t words, int shared,
                                 uint64_t input, uint64_t output)
{
    if (task->words_bytes < words || shared_count != shared || task->input_bytes != input ||
        task->output_bytes != output)
        return mmm_fail(MMM_INVALID, "a task whose data are not those of its kind");
    return MMM_OK;
}

/* ---- Its file ------------------------------------------------------------------------------------------------------
 */

static void *open_file(const char *path, bool *there)
{
    if (access(path, R_OK) != 0) return NULL;
    *there = true;
    if (mmm_trust(path) != MMM_OK) return NULL;
    void *file = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!file) mmm_fail(MMM_DEVICE, "the engine '%.200s' does not load: %.200s", path, dlerror());
    return file;
}

/* The folder of the file that has this library: a program's, where it is linked to one. */
static bool own_folder(char *path, size_t size)
{
    Dl_info self;
    ssize_t length = 0;
    if (dladdr((const void *)(uintptr_t)own_folder, &self) && self.dli_fname && self.dli_fname[0] == '/')
        length = snprintf(path, size, "%s", self.dli_fname);
    else
        length = readlink("/proc/self/exe", path, size);
    if (length <= 0 || (size_t)length >= size) return false;
    path[length] = 0;
    char *slash = strrchr(path, '/');
    if (slash) *slash = 0;
    return slash != NULL;
}

#ifndef MMM_ENGINE_FOLDER
#define MMM_ENGINE_FOLDER "/usr/local/lib/mmm" /* where make install puts them */
#endif

/* The first of its places where there is one counts. */
static mmm_status find_file(const char *name, void **out)
{
    enum { ROOM = 4000 };
    char path[ROOM + 64], plain[64];
    const char *given = getenv("MMM_ENGINES");
    bool there = false;
    void *file = NULL;
    snprintf(plain, sizeof plain, "libmmm-%.40s.so", name);
    for (int i = 0; i < 3 && !there; i++) {
        if (i == 0 && (!given || given[0] != '/')) continue;
        if (i == 1 && !own_folder(path, ROOM)) continue;
        if (i != 1 && snprintf(path, ROOM, "%s", i ? MMM_ENGINE_FOLDER : given) >= ROOM) continue;
        strcat(strcat(path, "/"), plain);
        file = open_file(path, &there);
    }
    if (!there) {
        file = dlopen(plain, RTLD_NOW | RTLD_LOCAL);
        if (!file)
            return mmm_fail(strcmp(name, "starpu") == 0 ? MMM_DEVICE : MMM_INVALID,
                            "there is no engine '%s' (%.200s); the one that comes with mmm is starpu, where StarPU and "
                            "MPI are installed",
                            name, dlerror());
    }
    *out = file;
    return file ? MMM_OK : MMM_DEVICE;
}

static bool is_name(const char *name)
{
    const size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-");
    return length > 0 && length < 32 && !name[length];
}

mmm_status mmm_engine_open(const char *name, const char *machines, mmm_engine **out)
{
    mmm_status result = MMM_OK;
    void *file = NULL;
    NEED(name, "the name of an engine");
    NEED(machines, "the names of an engine's machines");
    NEED(out, "the place for an engine");
    if (!is_name(name))
        FAIL(MMM_INVALID, "'%.100s' is not the name of an engine; the engine that comes with mmm is starpu", name);
    TRY(find_file(name, &file));
    const mmm_engine_plugin *plugin = dlsym(file, "mmm_engine_record");
    if (!plugin || plugin->version != MMM_ENGINE_VERSION)
        FAIL(MMM_DEVICE, "libmmm-%s.so is not an engine for this version of mmm (%s)", name, mmm_version());
    TRY(mmm_engine_new(plugin, machines, out)); /* the file stays open: threads of MPI may outlive the engine */
done:
    return result;
}

mmm_status mmm_engine_new(const mmm_engine_plugin *plugin, const char *machines, mmm_engine **out)
{
    mmm_status result = MMM_OK;
    mmm_engine *engine = NULL;
    NEED(plugin, "the engine's record");
    NEED(machines, "the names of an engine's machines");
    NEED(out, "the place for an engine");
    if (plugin->version != MMM_ENGINE_VERSION || !plugin->open || !plugin->run)
        FAIL(MMM_INVALID, "the engine's record is not one of version %d", MMM_ENGINE_VERSION);
    TRY(mmm_alloc(&engine, 1, sizeof *engine));
    engine->plugin = plugin;
    TRY(plugin->open(&library, machines, &engine->state));
    engine->rank = plugin->rank(engine->state);
    engine->ranks = plugin->ranks(engine->state);
    engine->workers = plugin->workers(engine->state);
    engine->cpu = true;
    for (int i = 0; i < engine->workers; i++)
        engine->cpu &= plugin->place(engine->state, i)->cpu != 0;
    *out = engine;
    engine = NULL;
done:
    free(engine);
    return result;
}

void mmm_engine_free(mmm_engine *engine)
{
    if (!engine) return;
    if (engine->engaged) engine->engaged->engine = NULL;
    engine->plugin->close(engine->state);
    free(engine);
}

int mmm_engine_rank(const mmm_engine *engine)
{
    return engine ? engine->rank : -1;
}

int mmm_engine_ranks(const mmm_engine *engine)
{
    return engine ? engine->ranks : -1;
}

int mmm_engine_workers(const mmm_engine *engine)
{
    return engine ? engine->workers : -1;
}

mmm_status mmm_engine_worker(const mmm_engine *engine, int number, mmm_engine_place *out)
{
    NEED(engine, "the engine");
    NEED(out, "the place for a worker's");
    if (number < 0 || number >= engine->workers)
        return mmm_fail(MMM_INVALID, "there is no worker %d: the engine has %d", number, engine->workers);
    *out = *engine->plugin->place(engine->state, number);
    return MMM_OK;
}

mmm_status mmm_engine_serve(mmm_engine *engine)
{
    NEED(engine, "the engine");
    if (engine->rank == 0) return mmm_fail(MMM_INVALID, "rank 0 of an engine leads: the others serve");
    return engine->plugin->serve(engine->state);
}

mmm_status mmm_machine_engage(mmm_machine *machine, mmm_engine *engine)
{
    NEED(machine, "the machine");
    if (engine && engine->rank != 0)
        return mmm_fail(MMM_INVALID, "rank %d of an engine serves (mmm_engine_serve): rank 0 leads", engine->rank);
    if (engine && engine->engaged && engine->engaged != machine) engine->engaged->engine = NULL;
    if (machine->engine) machine->engine->engaged = NULL;
    machine->engine = engine;
    if (engine) engine->engaged = machine;
    return MMM_OK;
}

mmm_status mmm_engine_run(mmm_engine *engine, const int64_t *shared, int shared_count, const mmm_engine_task *tasks,
                          int count)
{
    pthread_mutex_lock(&lock);
    leader = engine;
    pthread_mutex_unlock(&lock);
    mmm_status result = ask_leader(NULL, 0) ? mmm_fail(MMM_STOPPED, "stopped")
                                            : engine->plugin->run(engine->state, shared, shared_count, tasks, count);
    pthread_mutex_lock(&lock);
    leader = NULL;
    pthread_mutex_unlock(&lock);
    return result;
}
