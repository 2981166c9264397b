/* SPDX-License-Identifier: Apache-2.0 */
/* Examples of mmm/engine.h: an engine of one's own, whose workers do their tasks in turn. */
#include "example.h"

#include <mmm/engine.h>
#include <mmm/integer.h>

enum { WORKERS = 2, SHARED = 8 };

typedef struct state {
    const mmm_engine_library *library;
    void *workers[WORKERS];
    mmm_engine_place places[WORKERS];
    mmm_engine_data shared[SHARED];
} state;
static state own;

static mmm_status open_own(const mmm_engine_library *library, const char *machines, void **out)
{
    own.library = library;
    for (int i = 0; i < WORKERS; i++)
        must(library->open(machines, 1, &own.places[i], &own.workers[i]));
    *out = &own;
    return MMM_OK;
}

static void close_own(void *s)
{
    for (int i = 0; i < WORKERS; i++)
        own.library->close(((state *)s)->workers[i]);
}

static int rank_of(void *s)
{
    return s == &own ? 0 : -1;
}

static int ranks_of(void *s)
{
    return s == &own;
}

static int workers_of(void *s)
{
    return s == &own ? WORKERS : 0;
}

static const mmm_engine_place *place_of(void *s, int worker)
{
    return &((state *)s)->places[worker];
}

static mmm_status share(void *s, const void *memory, size_t bytes, int64_t *number)
{
    for (*number = 0; ((state *)s)->shared[*number].memory; ++*number)
        assert(*number < SHARED - 1);
    ((state *)s)->shared[*number] = (mmm_engine_data){memory, bytes};
    return MMM_OK;
}

static void drop(void *s, int64_t number)
{
    ((state *)s)->shared[number].memory = NULL;
}

static mmm_status run(void *s, const int64_t *shared, int count, const mmm_engine_task *tasks, int task_count)
{
    mmm_engine_data data[MMM_ENGINE_SHARED_MOST];
    mmm_status status = MMM_OK;
    for (int i = 0; i < count; i++)
        data[i] = ((state *)s)->shared[shared[i]];
    for (int i = 0; i < task_count && status == MMM_OK; i++)
        status = own.library->perform(own.workers[tasks[i].worker < 0 ? i % WORKERS : tasks[i].worker], data, count,
                                      &tasks[i]);
    return status;
}

/* mmm_engine_new mmm_engine_rank mmm_engine_ranks mmm_engine_workers mmm_engine_worker mmm_engine_serve */
static mmm_engine *make(void)
{
    static const mmm_engine_plugin plugin = {MMM_ENGINE_VERSION, "own",    open_own, close_own, rank_of, ranks_of,
                                             workers_of,         place_of, NULL,     share,     drop,    run};
    mmm_engine *engine;
    mmm_engine_place place;
    must(mmm_engine_new(&plugin, "cpu", &engine));
    assert(mmm_engine_ranks(engine) == 1 && mmm_engine_workers(engine) == WORKERS);
    must(mmm_engine_worker(engine, 0, &place));
    printf("worker 0 is on rank %d, %s\n", place.rank, place.device);
    if (mmm_engine_rank(engine) != 0) must(mmm_engine_serve(engine)); /* until rank 0 frees its engine */
    return engine;
}

/* mmm_machine_engage */
static void multiply(mmm_machine *machine, mmm_engine *engine)
{
    fmpz_poly_t a;
    fmpz_poly_init(a);
    fmpz_poly_set_str(a, "2  1 1");
    must(mmm_machine_engage(machine, engine));
    must(mmm_integer_multiply(machine, a, a, a, NULL)); /* by the engine's workers */
    assert(fmpz_poly_get_coeff_si(a, 1) == 2);
    must(mmm_machine_engage(machine, NULL));
    fmpz_poly_clear(a);
}

/* mmm_tune_kinds */
static void tune(mmm_engine *engine)
{
    mmm_job *job;
    mmm_kind_tuning *kinds;
    int count;
    must(mmm_job_new("division", &job));
    must(mmm_job_set(job, "n", 256));
    must(mmm_job_set(job, "m", 128));
    must(mmm_tune_kinds(engine, "division", job, &(mmm_tune_options){.max_runs = 4}, &kinds, &count));
    for (int i = 0; i < count; i++)
        printf("%s: s=%lld\n", kinds[i].device, (long long)kinds[i].values[0]);
    free(kinds);
    mmm_job_free(job);
}

/* mmm_engine_open mmm_engine_free */
static void open_and_free(void)
{
    mmm_engine *engine;
    assert(mmm_engine_open("no-such-engine", "cpu", &engine) != MMM_OK);
    puts(mmm_message());
    mmm_engine_free(NULL);
}

/* end */
int main(void)
{
    mmm_machine *machine;
    must(mmm_machine_open("cpu", &machine));
    mmm_engine *engine = make();
    multiply(machine, engine);
    tune(engine);
    mmm_engine_free(engine);
    open_and_free();
    mmm_machine_free(machine);
    return 0;
}
