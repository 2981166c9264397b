/* SPDX-License-Identifier: Apache-2.0 */
/* A round: tasks on all ranks, from the order of rank 0 to the last result there. */
#include "starpu.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int64_t up(int64_t x)
{
    return (x + 7) / 8 * 8;
}

/* ---- The text that describes it ------------------------------------------------------------------------------------
 */

/* Then the shared data, numbers and bytes; the entries; the words of each. */
typedef struct opening {
    int64_t tag, shared_count, tasks, shared[MMM_ENGINE_SHARED_MOST][2];
} opening;

/* Spread over the workers of all ranks in their order, but where a task names its worker. */
static void place(const engine *e, const mmm_engine_task *tasks, int count, const int *where, entry *entries)
{
    for (int i = 0; i < count; i++) {
        const int named = where ? where[i] : tasks[i].worker,
                  worker = named < 0 ? (int)((int64_t)i * e->all / count) : named;
        entry *t = &entries[i];
        while (e->first[t->rank + 1] <= worker)
            t->rank++;
        t->worker = named < 0 ? -1 : worker - e->first[t->rank];
    }
}

static mmm_status describe(engine *e, const int64_t *numbers, int count, const mmm_engine_task *tasks, int task_count,
                           const int *where, void **text, int64_t *bytes)
{
    int64_t size = (int64_t)sizeof(opening) + task_count * (int64_t)sizeof(entry), results = 0;
    for (int i = 0; i < task_count; i++) {
        size += up((int64_t)tasks[i].words_bytes);
        results += (int64_t)sizeof(outcome) + up((int64_t)tasks[i].output_bytes);
        if (tasks[i].input_bytes > BYTES_MOST) results = INT64_MAX / 2;
    }
    if (results > BYTES_MOST)
        return e->library->fail(MMM_TOO_LARGE, "more than 2 GB for the tasks of an engine at once");
    char *to = calloc((size_t)size + 1, 1);
    if (!to) return e->library->fail(MMM_MEMORY, "no memory for the tasks of an engine");
    opening *o = (opening *)to;
    entry *entries = (entry *)(o + 1);
    *o = (opening){.tag = e->last_tag, .shared_count = count, .tasks = task_count};
    for (int i = 0; i < count; i++) {
        o->shared[i][0] = numbers[i];
        for (const shared *s = e->list; s; s = s->next)
            if (s->number == numbers[i]) o->shared[i][1] = s->bytes;
    }
    place(e, tasks, task_count, where, entries);
    int64_t at = (char *)(entries + task_count) - to;
    for (int i = 0; i < task_count; i++) {
        entries[i].words = at;
        entries[i].words_bytes = (int64_t)tasks[i].words_bytes;
        entries[i].input_bytes = (int64_t)tasks[i].input_bytes;
        entries[i].output_bytes = (int64_t)tasks[i].output_bytes;
        if (tasks[i].words_bytes) memcpy(to + at, tasks[i].words, tasks[i].words_bytes);
        at += up((int64_t)tasks[i].words_bytes);
    }
    *text = to;
    *bytes = size;
    return MMM_OK;
}

/* ---- Shared data ---------------------------------------------------------------------------------------------------
 */

mmm_status shared_add(void *state, const void *memory, size_t bytes, int64_t *number)
{
    engine *e = state;
    if (bytes > BYTES_MOST)
        return e->library->fail(MMM_TOO_LARGE, "more than 2 GB for the tasks of an engine to share");
    shared *s = calloc(1, sizeof *s);
    if (!s) return e->library->fail(MMM_MEMORY, "no memory for what an engine shares");
    *s = (shared){++e->last_number, (int64_t)bytes, NULL, (void *)(uintptr_t)memory, e->list};
    e->list = s;
    *number = s->number;
    return MMM_OK;
}

/* One that was put by and is not twice as large, or a new one. */
static void *take_memory(engine *e, int64_t bytes)
{
    for (int i = 0; i < SPARES; i++) {
        spare *s = &e->spares[i];
        if (!s->memory || s->bytes < bytes || s->bytes / 2 > bytes) continue;
        void *memory = s->memory;
        s->memory = NULL;
        return memory;
    }
    return malloc((size_t)bytes);
}

/* In place of the oldest. */
static void put_memory_by(engine *e, void *memory, int64_t bytes)
{
    spare *s = &e->spares[e->oldest++ % SPARES];
    free(s->memory);
    *s = (spare){memory, bytes};
}

void spares_free(engine *e)
{
    for (int i = 0; i < SPARES; i++)
        free(e->spares[i].memory);
}

void shared_remove(engine *e, int64_t number)
{
    for (shared **at = &e->list; *at; at = &(*at)->next) {
        shared *s = *at;
        if (s->number != number) continue;
        *at = s->next;
        if (s->handle) starpu_data_unregister_no_coherency(s->handle);
        if (e->rank) put_memory_by(e, s->memory, s->bytes);
        free(s);
        return;
    }
}

void shared_drop(void *state, int64_t number)
{
    engine *e = state;
    if (!e->broken) command_send(e, ORDER_DROP, &number, sizeof number);
    shared_remove(e, number);
}

/* Down a binomial tree: a rank has it from the one without its lowest bit. */
static mmm_status spread(engine *e, int64_t number, int64_t bytes, int64_t tag, starpu_data_handle_t *out)
{
    shared *s = e->list;
    while (s && s->number != number)
        s = s->next;
    if (!s) {
        s = calloc(1, sizeof *s);
        if (!s) return e->library->fail(MMM_MEMORY, "no memory for what an engine shares");
        *s = (shared){number, bytes, NULL, take_memory(e, bytes), e->list};
        e->list = s;
        if (!s->memory) return e->library->fail(MMM_MEMORY, "no memory for what an engine shares");
    }
    if (!s->handle) {
        starpu_vector_data_register(&s->handle, STARPU_MAIN_RAM, (uintptr_t)s->memory, (uint32_t)bytes, 1);
        const int lowest = e->rank ? e->rank & -e->rank : 1 << 30;
        if (e->rank) starpu_mpi_recv(s->handle, e->rank - lowest, tag, e->data, MPI_STATUS_IGNORE);
        int half = 1;
        while (half < e->ranks)
            half *= 2;
        for (; half >= 1; half /= 2)
            if (half < lowest && e->rank + half < e->ranks) starpu_mpi_send(s->handle, e->rank + half, tag, e->data);
    }
    *out = s->handle;
    return MMM_OK;
}

/* ---- Tasks ---------------------------------------------------------------------------------------------------------
 */

typedef struct local {
    engine *e;
    const entry *t;
    const char *text;
    int shared_count;
    outcome *to;
    starpu_data_handle_t input;
    atomic_int *left; /* tasks of this rank that have not ended */
} local;

static void perform(void *buffers[], void *argument)
{
    local *x = argument;
    engine *e = x->e;
    const int worker = starpu_worker_get_id();
    mmm_engine_data shared_data[MMM_ENGINE_SHARED_MOST];
    for (int i = 0; i < x->shared_count; i++)
        shared_data[i] =
            (mmm_engine_data){(const void *)STARPU_VECTOR_GET_PTR(buffers[i]), STARPU_VECTOR_GET_NX(buffers[i])};
    mmm_engine_task task = {.words = x->text + x->t->words,
                            .words_bytes = (size_t)x->t->words_bytes,
                            .input_bytes = (size_t)x->t->input_bytes,
                            .output = x->to + 1,
                            .output_bytes = (size_t)x->t->output_bytes,
                            .worker = e->first[e->rank] + worker};
    if (x->t->input_bytes) task.input = (const void *)STARPU_VECTOR_GET_PTR(buffers[x->shared_count]);
    x->to->worker = task.worker;
    x->to->status = e->library->perform(e->machines[worker], shared_data, x->shared_count, &task);
    if (x->to->status != MMM_OK) snprintf(x->to->message, MESSAGE, "%s", e->library->message());
    if (atomic_fetch_sub(x->left, 1) == 1) starpu_pause();
}

static struct starpu_codelet codelet = {.cpu_funcs = {perform}, .nbuffers = STARPU_VARIABLE_NBUFFERS, .name = "mmm"};

static mmm_status submit(local *x, starpu_data_handle_t *handles)
{
    struct starpu_task *task = starpu_task_create();
    task->cl = &codelet;
    task->cl_arg = x;
    task->nbuffers = x->shared_count + (x->input != NULL);
    for (int i = 0; i < x->shared_count; i++)
        task->handles[i] = handles[i];
    if (x->input) task->handles[x->shared_count] = x->input;
    for (int i = 0; i < task->nbuffers; i++)
        task->modes[i] = STARPU_R;
    if (x->t->worker >= 0) {
        task->execute_on_a_specific_worker = 1;
        task->workerid = (unsigned)x->t->worker;
    }
    if (starpu_task_submit(task) != 0) return x->e->library->fail(MMM_DEVICE, "StarPU takes no task");
    return MMM_OK;
}

/* ---- Results -------------------------------------------------------------------------------------------------------
 */

static int64_t result_bytes(const entry *t)
{
    return (int64_t)sizeof(outcome) + up(t->output_bytes);
}

/* Of ranks from `first` on, before `last`. */
static int64_t subtree_bytes(const entry *entries, int64_t count, int first, int last)
{
    int64_t bytes = 0;
    for (int64_t i = 0; i < count; i++)
        if (entries[i].rank >= first && entries[i].rank < last) bytes += result_bytes(&entries[i]);
    return bytes;
}

/* Up the tree: a rank has those of the ranks behind it, next to its own, and hands all of them on in one piece. */
static void gather(engine *e, const entry *entries, int64_t count, int64_t tag, char *memory)
{
    for (int step = 1; step < e->ranks; step *= 2) {
        const bool gives = e->rank & step;
        const int from = gives ? e->rank : e->rank + step, last = from + step < e->ranks ? from + step : e->ranks;
        starpu_data_handle_t handle;
        if (from >= e->ranks) continue;
        const int64_t bytes = subtree_bytes(entries, count, from, last);
        char *at = gives ? memory : memory + subtree_bytes(entries, count, e->rank, from);
        if (bytes) {
            starpu_vector_data_register(&handle, STARPU_MAIN_RAM, (uintptr_t)at, (uint32_t)bytes, 1);
            if (gives)
                starpu_mpi_send(handle, e->rank - step, tag + from, e->data);
            else
                starpu_mpi_recv(handle, from, tag + from, e->data, MPI_STATUS_IGNORE);
            starpu_data_unregister(handle);
        }
        if (gives) return;
    }
}

/* What a rank needs memory for: made before others wait for it. */
typedef struct needs {
    char *memory; /* results of its own tasks and of the ranks behind it */
    local *locals;
} needs;

static mmm_status prepare(engine *e, const void *text, needs *out)
{
    const opening *o = text;
    const int reach = e->rank ? e->rank + (e->rank & -e->rank) : e->ranks;
    out->memory = malloc((size_t)subtree_bytes((const entry *)(o + 1), o->tasks, e->rank, reach) + 1);
    out->locals = calloc((size_t)o->tasks + 1, sizeof *out->locals);
    return out->memory && out->locals ? MMM_OK : e->library->fail(MMM_MEMORY, "no memory for the results of tasks");
}

static void release(needs *n)
{
    free(n->memory);
    free(n->locals);
}

/* Of rank 0: `tasks` has the data.  Workers of StarPU that find no task look for one without end, and take the core of
 * whoever waits for messages: they wake when all tasks of the rank are there, and the last of these sends them to
 * sleep. */
static mmm_status take_part(engine *e, const void *text, const mmm_engine_task *tasks, needs *n)
{
    mmm_status status = MMM_OK;
    const opening *o = text;
    const entry *entries = (const entry *)(o + 1);
    starpu_data_handle_t handles[MMM_ENGINE_SHARED_MOST];
    char *at = n->memory;
    int64_t tag = o->tag;
    atomic_int left = 0;
    for (int i = 0; status == MMM_OK && i < o->shared_count; i++)
        status = spread(e, o->shared[i][0], o->shared[i][1], tag++, &handles[i]);
    for (int64_t i = 0; status == MMM_OK && i < o->tasks; i++, tag++) {
        const entry *t = &entries[i];
        local *x = &n->locals[i];
        *x = (local){.e = e, .t = t, .text = text, .shared_count = (int)o->shared_count, .left = &left};
        if (t->input_bytes && (t->rank == e->rank || e->rank == 0)) {
            starpu_vector_data_register(&x->input, e->rank ? -1 : STARPU_MAIN_RAM,
                                        e->rank ? 0 : (uintptr_t)tasks[i].input, (uint32_t)t->input_bytes, 1);
            if (e->rank) starpu_mpi_recv(x->input, 0, tag, e->data, MPI_STATUS_IGNORE);
            if (t->rank != e->rank) starpu_mpi_send(x->input, (int)t->rank, tag, e->data);
        }
        if (t->rank != e->rank) continue;
        x->to = (outcome *)at;
        *x->to = (outcome){.worker = -1};
        at += result_bytes(t);
        atomic_fetch_add(&left, 1);
        status = submit(x, handles);
        if (status != MMM_OK) atomic_fetch_sub(&left, 1);
    }
    if (atomic_load(&left) > 0) starpu_resume();
    starpu_task_wait_for_all();
    for (int64_t i = 0; i < o->tasks; i++)
        if (n->locals[i].input) starpu_data_unregister_no_coherency(n->locals[i].input);
    if (status == MMM_OK) gather(e, entries, o->tasks, tag, n->memory);
    e->last_tag = tag + e->ranks;
    e->broken = status != MMM_OK;
    return status;
}

mmm_status round_serve(engine *e, const void *text)
{
    needs n = {0};
    mmm_status status = prepare(e, text, &n);
    if (status == MMM_OK) status = take_part(e, text, NULL, &n);
    release(&n);
    return status;
}

/* ---- Rank 0 --------------------------------------------------------------------------------------------------------
 */

/* Takes the results of a round to the tasks; the number of those that failed, which come first in `failed`. */
static int take_results(const char *text, const char *results, const mmm_engine_task *tasks, int count, int ranks,
                        int *failed, outcome *why)
{
    const entry *entries = (const entry *)((const opening *)text + 1);
    int bad = 0;
    for (int rank = 0; rank < ranks; rank++)
        for (int i = 0; i < count; i++) {
            if (entries[i].rank != rank) continue;
            const outcome *o = (const outcome *)results;
            if (o->status == MMM_OK)
                memcpy(tasks[i].output, o + 1, tasks[i].output_bytes);
            else {
                why[bad] = *o;
                failed[bad++] = i;
            }
            results += result_bytes(&entries[i]);
        }
    return bad;
}

static mmm_status run_once(engine *e, const int64_t *numbers, int count, const mmm_engine_task *tasks, int task_count,
                           const int *where, int *failed, outcome *why, int *bad)
{
    void *text = NULL;
    needs n = {0};
    int64_t bytes = 0;
    mmm_status status = describe(e, numbers, count, tasks, task_count, where, &text, &bytes);
    if (status == MMM_OK) status = prepare(e, text, &n);
    if (status == MMM_OK) command_send(e, ORDER_RUN, text, bytes);
    if (status == MMM_OK) status = take_part(e, text, tasks, &n);
    if (status == MMM_OK) *bad = take_results(text, n.memory, tasks, task_count, e->ranks, failed, why);
    release(&n);
    free(text);
    return status;
}

/* A worker of another rank, or else another one of the same. */
static int elsewhere(const engine *e, int worker)
{
    int rank = 0;
    while (e->first[rank + 1] <= worker)
        rank++;
    const int next = (rank + 1) % e->ranks;
    if (next != rank) return e->first[next];
    return e->first[rank] + (worker - e->first[rank] + 1) % e->workers;
}

mmm_status round_run(void *state, const int64_t *numbers, int count, const mmm_engine_task *tasks, int task_count)
{
    engine *e = state;
    mmm_status status;
    char line[MESSAGE + 128];
    int bad = 0;
    const size_t room = (size_t)task_count + 1;
    int *failed = calloc(room, sizeof *failed), *where = calloc(room, sizeof *where);
    outcome *why = calloc(room, sizeof *why);
    mmm_engine_task *again = calloc(room, sizeof *again);
    if (count > MMM_ENGINE_SHARED_MOST)
        status = e->library->fail(MMM_INVALID, "an engine's tasks share too much");
    else if (!failed || !where || !why || !again)
        status = e->library->fail(MMM_MEMORY, "no memory for the tasks of an engine");
    else
        status = run_once(e, numbers, count, tasks, task_count, NULL, failed, why, &bad);
    if (status == MMM_OK && bad && why[0].status != MMM_STOPPED) {
        for (int i = 0; i < bad; i++) {
            again[i] = tasks[failed[i]];
            where[i] = again[i].worker < 0 ? elsewhere(e, why[i].worker) : again[i].worker;
        }
        status = run_once(e, numbers, count, again, bad, where, failed, why, &bad);
    }
    if (status == MMM_OK && bad) {
        const mmm_engine_place *p = &e->places[why[0].worker];
        if (why[0].status == MMM_STOPPED)
            snprintf(line, sizeof line, "%s", why[0].message);
        else
            snprintf(line, sizeof line, "rank %d, %s: %s", p->rank, p->machine, why[0].message);
        status = e->library->fail((mmm_status)why[0].status, line);
    }
    free(failed);
    free(where);
    free(why);
    free(again);
    return status;
}
