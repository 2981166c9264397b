/* SPDX-License-Identifier: Apache-2.0 */
/* Problems over Z by the workers of an engine: how residues and their way back become tasks, and how a worker does one.
 */
#include "integer/integer.h"

#include <stdlib.h>
#include <string.h>

static const char *const operations[] = {mmm_multiplication, mmm_division, mmm_gcd_app};

/* ---- Numbers that tasks share --------------------------------------------------------------------------------------
 */

/* What they are in one piece: these, the words, the signs. */
typedef struct head {
    int64_t terms, limbs, bits, zero;
} head;

typedef struct mmm_shared {
    mmm_engine *engine;
    int64_t number;
    head *memory;
} mmm_shared;

static size_t shared_bytes(int64_t terms, int64_t limbs)
{
    return sizeof(head) + (size_t)(terms * limbs + terms) * sizeof(uint32_t);
}

mmm_status mmm_numbers_share(mmm_machine *machine, mmm_numbers *a)
{
    mmm_status result = MMM_OK;
    mmm_engine *engine = machine->engine;
    mmm_shared *shared = NULL;
    char *memory = NULL;
    if (!engine || a->shared || !a->terms) return MMM_OK;
    TRY(mmm_alloc(&shared, 1, sizeof *shared));
    TRY(mmm_alloc(&memory, (int64_t)shared_bytes(a->terms, a->limbs), 1));
    memcpy(memory, &(head){a->terms, a->limbs, a->bits, 0}, sizeof(head));
    uint32_t *words = (uint32_t *)(memory + sizeof(head));
    memcpy(words, a->words, (size_t)(a->terms * a->limbs) * sizeof *words);
    memcpy(words + a->terms * a->limbs, a->negative, (size_t)a->terms * sizeof *words);
    TRY(engine->plugin->share(engine->state, memory, shared_bytes(a->terms, a->limbs), &shared->number));
    shared->engine = engine;
    shared->memory = (head *)memory;
    a->shared = shared;
    shared = NULL;
    memory = NULL;
done:
    free(shared);
    free(memory);
    return result;
}

int64_t mmm_shared_number(const mmm_numbers *a)
{
    return a->shared ? a->shared->number : -1;
}

void mmm_shared_drop(mmm_shared *shared)
{
    if (!shared) return;
    shared->engine->plugin->drop(shared->engine->state, shared->number);
    free(shared->memory);
    free(shared);
}

mmm_status mmm_numbers_view(const mmm_engine_data *data, mmm_numbers *out)
{
    head h;
    if (data->bytes < sizeof h) return mmm_fail(MMM_INVALID, "numbers without a head");
    memcpy(&h, data->memory, sizeof h);
    if (h.terms < 1 || h.limbs < 2 || h.limbs % 2 || h.limbs > INT32_MAX / h.terms || h.bits < 0 ||
        h.bits > 32 * h.limbs || data->bytes != shared_bytes(h.terms, h.limbs))
        return mmm_fail(MMM_INVALID, "numbers whose head does not fit them");
    uint32_t *words = (uint32_t *)(uintptr_t)((const char *)data->memory + sizeof h);
    *out = (mmm_numbers){.terms = h.terms, .limbs = h.limbs, .bits = h.bits, .words = words};
    out->negative = words + h.terms * h.limbs;
    return MMM_OK;
}

/* ---- Residues ------------------------------------------------------------------------------------------------------
 */

typedef struct residues_words {
    int64_t kind, operation, order, first, count;
    int64_t piece; /* bits of the pieces of a product's coefficients, digits of every machine; 0: they stay whole */
} residues_words;

/* Of `count` primes: the words of both outputs, and how many each prime has. */
static uint64_t residues_bytes(const int64_t room[2], int64_t count)
{
    return (uint64_t)count * ((uint64_t)(room[0] + room[1]) * sizeof(uint32_t) + 2 * sizeof(int64_t));
}

static void pack(const mmm_residues *r, char *to)
{
    for (int k = 0; k < 2; k++, to += (size_t)r->count * sizeof(int64_t))
        memcpy(to, r->terms[k], (size_t)r->count * sizeof(int64_t));
    uint32_t *words = (uint32_t *)to;
    for (int k = 0; k < 2; k++)
        for (int64_t i = 0; i < r->count; i++, words += r->room[k])
            for (int64_t j = 0; j < r->room[k]; j++)
                words[j] = j < r->terms[k][i] ? (uint32_t)r->words[k][i * r->room[k] + j] : 0;
}

static void unpack(const char *from, int64_t first, int64_t count, mmm_residues *r)
{
    for (int k = 0; k < 2; k++, from += (size_t)count * sizeof(int64_t))
        memcpy(r->terms[k] + first, from, (size_t)count * sizeof(int64_t));
    const uint32_t *words = (const uint32_t *)from;
    for (int k = 0; k < 2; k++)
        for (int64_t i = 0; i < count * r->room[k]; i++)
            r->words[k][first * r->room[k] + i] = *words++;
}

static void drop_primes(mmm_worker *worker)
{
    if (worker->primes) mmm_primes_free(worker->primes);
    free(worker->primes);
    worker->primes = NULL;
}

mmm_status mmm_perform_residues(mmm_worker *worker, const mmm_engine_data *shared, int shared_count,
                                const mmm_engine_task *task)
{
    mmm_status result = MMM_OK;
    residues_words w;
    mmm_numbers a = {0}, b = {0};
    mmm_residues r = {0};
    mmm_task own;
    if (shared_count != 2 || task->words_bytes != sizeof w) return mmm_fail(MMM_INVALID, "residues of what?");
    memcpy(&w, task->words, sizeof w);
    TRY(mmm_numbers_view(&shared[0], &a));
    TRY(mmm_numbers_view(&shared[1], &b));
    if (w.operation < 0 || w.operation > 2 || w.order < 1 || w.order > 30 || w.first < 0 || w.count < 1 ||
        w.count > PRIMES_MOST || w.first > PRIMES_MOST || (w.operation == 1 && a.terms < b.terms) || w.piece < 0 ||
        w.piece % PIECE_STEP || w.piece > PIECE_MOST || (w.piece && w.operation))
        FAIL(MMM_INVALID, "residues of something else");
    if (!worker->primes) {
        TRY(mmm_alloc(&worker->primes, 1, sizeof *worker->primes));
        worker->drop = drop_primes;
    }
    if (worker->primes->order != w.order) {
        mmm_primes_free(worker->primes);
        worker->primes->order = (int)w.order;
    }
    mmm_task_new(worker->machine, operations[w.operation], &a, &b, 1, w.piece / mmm_digit_bits(worker->machine), &own);
    own.primes = *worker->primes;
    result = mmm_task_run(&own, w.first, w.count, &r);
    *worker->primes = own.primes;
    if (result != MMM_OK) goto done;
    TRY(mmm_engine_check_task(task, shared_count, sizeof w, 2, 0, residues_bytes(r.room, w.count)));
    pack(&r, task->output);
done:
    mmm_residues_free(&r);
    return result;
}

mmm_status mmm_far_run(mmm_task *task, int64_t first, int64_t count, mmm_residues *r)
{
    mmm_status result = MMM_OK;
    mmm_engine *engine = task->machine->engine;
    const int parts = (int)mmm_lesser(count, engine->workers);
    const int64_t shared[] = {mmm_shared_number(task->a), mmm_shared_number(task->b)};
    int operation = 0;
    mmm_engine_task *tasks = NULL;
    residues_words *words = NULL;
    char *outputs = NULL;
    uint64_t used = 0;
    while (operation < 2 && task->operation != operations[operation])
        operation++;
    TRY(mmm_alloc(&tasks, parts, sizeof *tasks));
    TRY(mmm_alloc(&words, parts, sizeof *words));
    TRY(mmm_alloc(&outputs, (int64_t)residues_bytes(r->room, count) + 8 * parts, 1));
    for (int i = 0; i < parts; i++) {
        const int64_t from = count * i / parts, here = count * (i + 1) / parts - from;
        words[i] = (residues_words){MMM_KIND_RESIDUES, operation, task->primes.order, first + from, here, task->piece};
        tasks[i] = (mmm_engine_task){.words = &words[i],
                                     .words_bytes = sizeof words[i],
                                     .output = outputs + used,
                                     .output_bytes = residues_bytes(r->room, here),
                                     .worker = -1};
        used += (tasks[i].output_bytes + 7) / 8 * 8;
    }
    TRY(mmm_engine_run(engine, shared, 2, tasks, parts));
    for (int i = 0; i < parts; i++)
        unpack(tasks[i].output, words[i].first - first, words[i].count, r);
done:
    free(tasks);
    free(words);
    free(outputs);
    return result;
}

/* ---- And back ------------------------------------------------------------------------------------------------------
 */

typedef struct back_words {
    int64_t kind, count, n;
    uint64_t p[];
} back_words;

mmm_status mmm_perform_reconstruct(mmm_worker *worker, const mmm_engine_data *shared, int shared_count,
                                   const mmm_engine_task *task)
{
    mmm_status result = MMM_OK;
    const back_words *w = task->words;
    mmm_numbers found = {0};
    (void)shared;
    if (task->words_bytes < sizeof *w || w->count < 1 || w->count > PRIMES_MOST || w->n < 1 || w->n > INT32_MAX ||
        task->words_bytes != sizeof *w + (size_t)w->count * sizeof *w->p)
        return mmm_fail(MMM_INVALID, "no such primes");
    for (int64_t i = 0; i < w->count; i++)
        if (w->p[i] < (uint64_t)1 << 30 || w->p[i] > (uint64_t)1 << 31 || (i && w->p[i] >= w->p[i - 1]))
            return mmm_fail(MMM_INVALID, "primes of another kind");
    const int64_t limbs = mmm_reconstruct_limbs(w->p, w->count);
    TRY(mmm_engine_check_task(task, shared_count, sizeof *w, 0, (uint64_t)(w->count * w->n) * sizeof(uint32_t),
                              (uint64_t)(w->n * (limbs + 1)) * sizeof(uint32_t)));
    TRY(mmm_reconstruct(worker->machine, w->p, w->count, task->input, w->n, &found));
    uint32_t *to = task->output;
    memcpy(to, found.words, (size_t)(w->n * limbs) * sizeof *to);
    memcpy(to + w->n * limbs, found.negative, (size_t)w->n * sizeof *to);
done:
    mmm_numbers_clear(&found);
    return result;
}

mmm_status mmm_far_reconstruct(mmm_engine *engine, const uint64_t *p, int64_t count, const uint32_t *residues,
                               int64_t n, mmm_numbers *out)
{
    mmm_status result = MMM_OK;
    const int64_t limbs = mmm_reconstruct_limbs(p, count), tiles = (n + TILE - 1) / TILE;
    const int parts = (int)mmm_lesser(tiles, engine->workers);
    const size_t words_bytes = sizeof(back_words) + (size_t)count * sizeof *p;
    mmm_numbers found = {0};
    mmm_engine_task *tasks = NULL;
    uint32_t *inputs = NULL, *outputs = NULL;
    char *words = NULL;
    TRY(mmm_numbers_room(n, limbs, &found));
    TRY(mmm_alloc(&tasks, parts, sizeof *tasks));
    TRY(mmm_alloc(&words, (int64_t)words_bytes * parts, 1));
    TRY(mmm_alloc(&inputs, n * count, sizeof *inputs));
    TRY(mmm_alloc(&outputs, n * (limbs + 1), sizeof *outputs));
    for (int i = 0; i < parts; i++) {
        const int64_t from = mmm_lesser(tiles * i / parts * TILE, n),
                      to = mmm_lesser(tiles * (i + 1) / parts * TILE, n);
        uint32_t *input = inputs + from * count;
        back_words *w = (back_words *)(words + words_bytes * (size_t)i);
        *w = (back_words){.kind = MMM_KIND_RECONSTRUCT, .count = count, .n = to - from};
        memcpy(w->p, p, (size_t)count * sizeof *p);
        for (int64_t k = 0; k < count; k++)
            memcpy(input + k * w->n, residues + k * n + from, (size_t)w->n * sizeof *input);
        tasks[i] = (mmm_engine_task){.words = w,
                                     .words_bytes = words_bytes,
                                     .input = input,
                                     .input_bytes = (size_t)(count * w->n) * sizeof *input,
                                     .output = outputs + from * (limbs + 1),
                                     .output_bytes = (size_t)(w->n * (limbs + 1)) * sizeof *outputs,
                                     .worker = -1};
    }
    TRY(mmm_engine_run(engine, NULL, 0, tasks, parts));
    for (int i = 0; i < parts; i++) {
        const int64_t here = ((const back_words *)tasks[i].words)->n, from = mmm_lesser(tiles * i / parts * TILE, n);
        const uint32_t *output = tasks[i].output;
        memcpy(found.words + from * limbs, output, (size_t)(here * limbs) * sizeof *output);
        memcpy(found.negative + from, output + here * limbs, (size_t)here * sizeof *output);
    }
    mmm_numbers_trim(&found);
    *out = found;
    found = (mmm_numbers){0};
done:
    mmm_numbers_clear(&found);
    free(tasks);
    free(words);
    free(inputs);
    free(outputs);
    return result;
}

/* ---- Whether one divides two others --------------------------------------------------------------------------------
 */

typedef struct divides_words {
    int64_t kind, which;
} divides_words;

mmm_status mmm_perform_divides(mmm_worker *worker, const mmm_engine_data *shared, int shared_count,
                               const mmm_engine_task *task)
{
    mmm_status result = MMM_OK;
    divides_words w;
    mmm_numbers x = {0}, g = {0}, q = {0}, r = {0};
    mmm_integer_facts ignored = {0};
    bool exists = false;
    TRY(mmm_engine_check_task(task, shared_count, sizeof w, 3, 0, sizeof(int64_t)));
    memcpy(&w, task->words, sizeof w);
    if (w.which < 0 || w.which > 1) FAIL(MMM_INVALID, "a divisor of what?");
    TRY(mmm_numbers_view(&shared[w.which], &x));
    TRY(mmm_numbers_view(&shared[2], &g));
    TRY(mmm_numbers_divide(worker->machine, &x, &g, MMM_DIVIDE_EXACTLY, &q, &r, &exists, &ignored));
    memcpy(task->output, &(int64_t){exists}, sizeof(int64_t));
done:
    mmm_numbers_clear(&q);
    mmm_numbers_clear(&r);
    return result;
}

mmm_status mmm_far_divides(mmm_engine *engine, const mmm_numbers x[2], const mmm_numbers *g, bool *both)
{
    const int64_t shared[] = {mmm_shared_number(&x[0]), mmm_shared_number(&x[1]), mmm_shared_number(g)};
    const divides_words words[] = {{MMM_KIND_DIVIDES, 0}, {MMM_KIND_DIVIDES, 1}};
    int64_t divides[2];
    mmm_engine_task tasks[2];
    for (int i = 0; i < 2; i++)
        tasks[i] = (mmm_engine_task){.words = &words[i],
                                     .words_bytes = sizeof words[i],
                                     .output = &divides[i],
                                     .output_bytes = sizeof divides[i],
                                     .worker = -1};
    MMM_TRY(mmm_engine_run(engine, shared, 3, tasks, 2));
    *both = divides[0] && divides[1];
    return MMM_OK;
}
