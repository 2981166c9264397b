/* SPDX-License-Identifier: Apache-2.0 */
/* An engine that the test has itself: workers one after the other in this thread, each with data of its own copy, as
 * far ranks would have them.  Its tasks can be made to fail. */
#ifndef MMM_TESTS_LOCAL_ENGINE_H
#define MMM_TESTS_LOCAL_ENGINE_H

#include "testing.h"

#include "mmm/engine.h"

enum { LOCAL_WORKERS = 3, LOCAL_SHARED = 64 };

static struct local_state {
    const mmm_engine_library *library;
    void *workers[LOCAL_WORKERS];
    mmm_engine_place places[LOCAL_WORKERS];
    mmm_engine_data shared[LOCAL_SHARED];
    int64_t runs, tasks;
    int fails; /* so many runs from now */
} local_engine;

static void local_close(void *state)
{
    (void)state;
    for (int i = 0; i < LOCAL_WORKERS; i++)
        local_engine.library->close(local_engine.workers[i]);
    for (int i = 0; i < LOCAL_SHARED; i++)
        assert_null(local_engine.shared[i].memory); /* all that was shared was dropped */
    memset(&local_engine, 0, sizeof local_engine);
}

static mmm_status local_open(const mmm_engine_library *library, const char *machines, void **state)
{
    local_engine.library = library;
    for (int i = 0; i < LOCAL_WORKERS; i++) {
        mmm_status status = library->open(machines, 1, &local_engine.places[i], &local_engine.workers[i]);
        if (status != MMM_OK) return status;
    }
    *state = &local_engine;
    return MMM_OK;
}

static int local_rank(void *state)
{
    (void)state;
    return 0;
}

static int local_ranks(void *state)
{
    (void)state;
    return 1;
}

static int local_workers(void *state)
{
    (void)state;
    return LOCAL_WORKERS;
}

static const mmm_engine_place *local_place(void *state, int worker)
{
    return &((struct local_state *)state)->places[worker];
}

static mmm_status local_share(void *state, const void *memory, size_t bytes, int64_t *number)
{
    struct local_state *s = state;
    for (int i = 0; i < LOCAL_SHARED; i++)
        if (!s->shared[i].memory) {
            s->shared[i] = (mmm_engine_data){memory, bytes};
            *number = i;
            return MMM_OK;
        }
    return mmm_fail(MMM_MEMORY, "too much is shared");
}

static void local_drop(void *state, int64_t number)
{
    ((struct local_state *)state)->shared[number] = (mmm_engine_data){0};
}

static mmm_status local_run(void *state, const int64_t *shared, int count, const mmm_engine_task *tasks, int task_count)
{
    struct local_state *s = state;
    mmm_engine_data data[MMM_ENGINE_SHARED_MOST];
    mmm_status status = MMM_OK;
    s->runs++;
    if (s->fails && s->fails-- == 1) return mmm_fail(MMM_DEVICE, "rank 7: lost");
    for (int i = 0; i < count; i++) {
        void *copy = malloc(s->shared[shared[i]].bytes);
        assert_non_null(copy);
        data[i] = (mmm_engine_data){memcpy(copy, s->shared[shared[i]].memory, s->shared[shared[i]].bytes),
                                    s->shared[shared[i]].bytes};
    }
    for (int i = 0; status == MMM_OK && i < task_count; i++, s->tasks++)
        status = s->library->perform(s->workers[i % LOCAL_WORKERS], data, count, &tasks[i]);
    for (int i = 0; i < count; i++)
        free((void *)(uintptr_t)data[i].memory);
    return status;
}

static const mmm_engine_plugin local_plugin = {
    .version = MMM_ENGINE_VERSION,
    .name = "local",
    .open = local_open,
    .close = local_close,
    .rank = local_rank,
    .ranks = local_ranks,
    .workers = local_workers,
    .place = local_place,
    .share = local_share,
    .drop = local_drop,
    .run = local_run,
};

#endif
