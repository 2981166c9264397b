/* SPDX-License-Identifier: Apache-2.0 */
/* The abstract machine (section 2.1): runs every block of every kernel, one region at a time, counting and checking. */
#include "machine/abstract/count.h"

#include <stdlib.h>
#include <string.h>

static mmm_status open_abstract(mmm_machine *machine)
{
    snprintf(machine->description, sizeof machine->description, "U = %g, Z = %lld words", machine->parameters.U,
             (long long)machine->parameters.Z);
    return mmm_alloc(&machine->state, 1, sizeof(mmm_abstract));
}

static void close_abstract(mmm_machine *machine)
{
    mmm_abstract_forget(machine->state);
    free(machine->state);
}

void mmm_counter_note(mmm_counter *c, int kind, const mmm_zone *zone, int64_t index, mmm_stamp other, int other_thread,
                      const void *address)
{
    if (zone && zone->races_allowed && kind <= KIND_KERNEL_RACE) return;
    int other_kernel = other ? c->kernel : -1;
    int64_t other_block = other ? c->block : -1;
    const char *array = zone ? zone->name : "";
    for (int64_t i = 0; i < c->finding_count; i++) {
        mmm_finding *f = &c->findings[i];
        if (f->kind == kind && f->address == address && f->array == array && f->line == c->line &&
            strcmp(c->program->nodes[f->kernel].name, c->program->nodes[c->kernel].name) == 0) {
            f->count++;
            return;
        }
    }
    if (other && other < c->block_start) mmm_counter_locate(c, other, &other_kernel, &other_block);
    if (mmm_grow(&c->findings, &c->finding_room, c->finding_count + 1, sizeof *c->findings) != MMM_OK) {
        c->failure = MMM_MEMORY;
        return;
    }
    c->findings[c->finding_count++] = (mmm_finding){.kind = kind,
                                                    .memory = zone ? zone->memory : NO_MEMORY,
                                                    .array = array,
                                                    .index = index,
                                                    .kernel = c->kernel,
                                                    .other_kernel = other_kernel,
                                                    .block = c->block,
                                                    .other_block = other_block,
                                                    .thread = c->thread,
                                                    .other_thread = other_thread,
                                                    .address = address,
                                                    .line = c->line,
                                                    .count = 1};
}

static void run_block(mmm_counter *c, const mmm_node *node, void *const *base)
{
    mmm_scratch none = {0};
    mmm_value values[MMM_ARGUMENTS_MOST];
    const int64_t each = node->blocks / c->program->batch, block = c->block % each;
    mmm_machine_values(c->program, node, base, c->block / each, values);
    const mmm_call call = mmm_machine_call(c->program, node, c->block / each, block, block + 1, &none);
    mmm_counter_run_block(c, node->code->counted[c->program->word_bits == 64][node->code->index], values, &call);
}

static int compare_costs(const void *x, const void *y)
{
    return memcmp(x, y, sizeof(mmm_cost));
}

static int64_t group_costs(mmm_cost *costs, int64_t blocks)
{
    int64_t groups = 0;
    qsort(costs, (size_t)blocks, sizeof *costs, compare_costs);
    for (int64_t i = 1; i < blocks; i++) {
        mmm_cost last = costs[groups];
        last.blocks = costs[i].blocks;
        if (compare_costs(&last, &costs[i]) == 0)
            costs[groups].blocks++;
        else
            costs[++groups] = costs[i];
    }
    return blocks ? groups + 1 : 0;
}

static mmm_status report_progress(const mmm_machine *machine, const mmm_counter *c, uint64_t number)
{
    double done = (double)(number - 2) / (double)(c->start_of[c->known] - 2);
    if (machine->traffic) done = (done + !c->traffic) / 2;
    if (!machine->progress || machine->progress(machine->progress_context, done) == 0) return MMM_OK;
    return mmm_fail(MMM_STOPPED, "stopped after %.1f %% of the thread-blocks", 100 * done);
}

static mmm_status run_kernel(const mmm_machine *machine, mmm_counter *c, int position, void *const *base)
{
    mmm_status result = MMM_OK;
    int kernel = c->sequence[position];
    mmm_node *node = &c->program->nodes[kernel];
    mmm_cost *costs = NULL;
    int32_t *sequence = NULL;
    int64_t most_threads = c->parameters->threads ? c->parameters->threads : c->parameters->Z;
    c->kernel = kernel;
    c->block = 0;
    c->thread = NO_THREAD;
    c->line = 0;
    c->kernel_start = c->start_of[position] << INTERVAL_BITS;
    c->block_threads = node->threads;
    if (node->threads > most_threads) mmm_counter_note(c, KIND_THREADS, NULL, node->threads, 0, NO_THREAD, NULL);
    TRY(mmm_grow(&c->threads, &c->thread_room, node->threads, sizeof *c->threads));
    TRY(mmm_alloc(&costs, node->blocks, sizeof *costs));
    TRY(mmm_alloc(&sequence, node->blocks, sizeof *sequence));
    mmm_counter_shuffle(c, kernel, node->blocks, sequence);
    for (int64_t i = 0; i < node->blocks; i++) {
        if (i % 256 == 0) TRY(report_progress(machine, c, c->start_of[position] + (uint64_t)i));
        c->block = sequence[i];
        c->block_start = (c->start_of[position] + (uint64_t)i) << INTERVAL_BITS;
        mmm_counter_begin_block(c);
        run_block(c, node, base);
        TRY(c->failure);
        mmm_counter_end_block(c, &costs[i]);
        if (c->local_words > c->parameters->Z || c->local_words > node->local_words) {
            c->thread = NO_THREAD;
            c->line = 0;
            mmm_counter_note(c, KIND_LOCAL_MEMORY, NULL, c->local_words, 0, NO_THREAD, NULL);
        }
    }
    TRY(mmm_program_set_costs(c->program, kernel, costs, (int)group_costs(costs, node->blocks)));
    if (c->traffic) TRY(mmm_traffic_kernel(c));
done:
    free(costs);
    free(sequence);
    return result;
}

/* The stamp below which all blocks belong to kernels that precede `kernel`; exact for chains of kernels and
 * for stages with a kernel between them, a lower bound otherwise. */
static mmm_stamp ordered_below(const mmm_counter *c, int kernel)
{
    int most = -1; /* positions up to this one precede the kernel */
    for (int i = c->order->from_first[kernel]; i < c->order->from_first[kernel + 1]; i++) {
        int predecessor = c->order->from[i], reach = c->prefix[predecessor];
        if (reach == c->position[predecessor] - 1) reach++;
        if (reach > most) most = reach;
    }
    c->prefix[kernel] = most;
    for (int k = mmm_counter_strand(c, kernel); k < kernel; k++) /* of these other shares do not */
        if (c->position[k] <= most) most = c->position[k] - 1;
    return c->start_of[most + 1] << INTERVAL_BITS;
}

static mmm_status load_arrays(mmm_counter *c, void **base)
{
    mmm_status result = MMM_OK;
    for (int i = 0; i < (int)c->program->array_count; i++) {
        const mmm_global *array = &c->program->arrays[i];
        const int64_t count = array->count * c->program->batch;
        TRY(mmm_counter_fill(c, i, GLOBAL_MEMORY, array->name, array->size, count));
        c->zones[i].races_allowed = array->races_allowed;
        base[i] = mmm_counter_address(c, i);
        if (!(array->use & (MMM_IN | MMM_ZERO))) continue; /* memory is 0 as it comes */
        if (array->use & MMM_IN) memcpy(base[i], mmm_global_memory(array), (size_t)(count * array->size));
        for (int64_t j = 0; j < count && !c->sampling; j++)
            c->zones[i].cells[j].writer = (mmm_stamp)1 << INTERVAL_BITS;
    }
done:
    return result;
}

static mmm_entity entity(const mmm_counter *c, int kernel, int64_t block, int32_t thread)
{
    /* The name of the code is there as long as the code, whatever becomes of the call. */
    return (mmm_entity){kernel >= 0 ? c->program->nodes[kernel].code->name : NULL, block, thread >= 0 ? thread : -1};
}

static bool same(const char *x, const char *y)
{
    return x == y || (x && y && strcmp(x, y) == 0);
}

/* The violation among `count` that a user cannot tell from v: found at another access of the same line. */
static mmm_violation *alike(mmm_violation *all, int64_t count, const mmm_violation *v)
{
    for (int64_t i = 0; i < count; i++)
        if (all[i].kind == v->kind && all[i].array == v->array && all[i].line == v->line &&
            same(all[i].second.kernel, v->second.kernel))
            return &all[i];
    return NULL;
}

static mmm_status publish(mmm_machine *machine, const mmm_counter *c)
{
    static const char *const memories[] = {"none", "global", "local", "private"};
    mmm_status result = MMM_OK;
    mmm_abstract *state = machine->state;
    int64_t count = 0;
    TRY(mmm_grow(&state->violations, &state->room, c->finding_count, sizeof *state->violations));
    for (int64_t i = 0; i < c->finding_count; i++) {
        const mmm_finding *f = &c->findings[i];
        int line = f->address ? mmm_source_line(f->address) : 0;
        const mmm_violation v = {.kind = (mmm_violation_kind)f->kind,
                                 .memory = memories[f->memory],
                                 .array = f->array,
                                 .index = f->index,
                                 .first = entity(c, f->other_kernel, f->other_block, f->other_thread),
                                 .second = entity(c, f->kernel, f->block, f->thread),
                                 .file = c->program->nodes[f->kernel].code->file,
                                 .line = line ? line : f->line,
                                 .count = f->count};
        mmm_violation *same = v.line ? alike(state->violations, count, &v) : NULL;
        if (same)
            same->count += v.count;
        else
            state->violations[count++] = v;
    }
    machine->counts = (mmm_counts){.arithmetic = c->run_sum.operations,
                                   .local_accesses = c->run_sum.local,
                                   .global_reads = c->run_sum.reads,
                                   .global_writes = c->run_sum.writes,
                                   .local_words = c->local_words_most,
                                   .violation_count = count,
                                   .violations = state->violations,
                                   .traffic = machine->traffic ? &state->traffic : NULL,
                                   .regions = state->regions,
                                   .region_count = state->region_count};
    for (int i = 0; i < (int)c->program->array_count && !c->stopped && !c->sampling; i++)
        TRY(mmm_abstract_results(machine, c, i));
done:
    return result;
}

static void counter_free(mmm_counter *c)
{
    if (!c) return;
    mmm_counter_release(c);
    free(c->sequence);
    free(c->position);
    free(c->prefix);
    free(c->start_of);
    free(c->before);
    free(c->shares);
    free(c->stack);
    free(c->threads);
    free(c->extra);
    free(c->findings);
    free(c);
}

static mmm_status count_program(mmm_machine *machine, mmm_program *program, const mmm_order *order, bool shuffled,
                                mmm_collector *traffic, mmm_counter **out)
{
    mmm_status result = MMM_OK;
    mmm_counter *c = NULL, *outer = mmm_counter_enter(NULL);
    void *base[ZONES_GLOBAL];
    bool more = true;
    TRY(mmm_alloc(&c, 1, sizeof *c));
    c->program = program;
    c->order = order;
    c->parameters = &machine->parameters;
    c->shuffled = shuffled;
    c->traffic = traffic;
    c->sampling = traffic || machine->quick; /* races were looked for before, or nobody asks for them */
    c->seed = machine->seed;
    TRY(mmm_counter_fit(c));
    TRY(mmm_counter_reserve(c));
    TRY(mmm_counter_extend(c, 0));
    TRY(load_arrays(c, base));
    const mmm_sight sight = {
        .machine = machine, .base = base, .told = c->sampling ? NULL : mmm_counter_look, .context = c};
    mmm_counter_enter(c);
    double start = mmm_now();
    for (int first = 0; more;) {
        const int end = c->known;
        for (int i = first; i < end; i++) {
            c->ordered_below = ordered_below(c, c->sequence[i]);
            TRY(run_kernel(machine, c, i, base));
        }
        mmm_counter_enter(NULL);
        TRY(mmm_machine_unfold(program, first, &sight, &c->order, &more));
        TRY(c->failure);
        if (more) TRY(mmm_counter_extend(c, end));
        mmm_counter_enter(c);
        first = end;
    }
    c->seconds = mmm_now() - start;
    *out = c;
    c = NULL;
done:
    mmm_counter_enter(outer);
    counter_free(c);
    return result;
}

/* Which of two accesses is found out, and whether a bad index or an unwritten cell comes before it, is a matter of who
 * comes first; limits are not. */
static bool depends_on_order(const mmm_counter *c)
{
    for (int64_t i = 0; i < c->finding_count; i++)
        if (c->findings[i].kind != KIND_LOCAL_MEMORY && c->findings[i].kind != KIND_THREADS) return true;
    return false;
}

/* Notes the first kernel in which the program differs from what it was, in another order of blocks. */
static bool note_change(mmm_counter *c, const uint64_t *prints, int64_t kernels)
{
    mmm_program *program = c->program;
    uint64_t *now = NULL;
    int64_t k = 0, most = kernels < program->kernels ? kernels : program->kernels;
    c->failure = mmm_program_prints(program, &now);
    while (c->failure == MMM_OK && k < most && prints[k] == now[k])
        k++;
    free(now);
    if (k == kernels && k == program->kernels) return false;
    c->kernel = (int)(k < program->kernels ? k : program->kernels - 1);
    c->block = -1;
    c->thread = NO_THREAD;
    c->line = 0;
    mmm_counter_note(c, KIND_UNFOLD_ORDER, NULL, k, 0, NO_THREAD, NULL);
    return true;
}

/* Counts once more in the order of the numbers, so that what is reported does not hang on the seed.  What only another
 * order brings about is reported as it was found, unless the program itself is another one then. */
static mmm_status count_in_order(mmm_machine *machine, mmm_counter **counter)
{
    mmm_status result = MMM_OK;
    mmm_counter *c = *counter, *again = NULL;
    mmm_program *program = c->program;
    const mmm_order *order;
    const int64_t kernels = program->kernels;
    uint64_t *prints = NULL;
    mmm_counter_release(c);
    TRY(mmm_program_prints(program, &prints));
    mmm_program_fold(program);
    TRY(mmm_program_order(program, &order));
    TRY(count_program(machine, program, order, false, NULL, &again));
    if (!note_change(again, prints, kernels) && !depends_on_order(again)) {
        free(again->findings);
        again->findings = c->findings;
        again->finding_count = c->finding_count;
        c->findings = NULL;
    }
    counter_free(c);
    *counter = again;
    TRY(again->failure);
done:
    free(prints);
    return result;
}

/* Traffic alone: first, while the arrays hold what goes in. */
static mmm_status count_traffic(mmm_machine *machine, mmm_program *program, const mmm_order *order)
{
    mmm_status result = MMM_OK;
    mmm_abstract *state = machine->state;
    mmm_collector *traffic = NULL;
    mmm_counter *c = NULL;
    TRY(mmm_collector_new(&traffic));
    TRY(count_program(machine, program, order, false, traffic, &c));
    mmm_traffic_take(traffic, &state->traffic, &state->regions, &state->region_count);
done:
    counter_free(c);
    mmm_collector_free(traffic);
    return result;
}

static mmm_status run_abstract(mmm_machine *machine, mmm_program *program, const mmm_order *order, double *seconds)
{
    mmm_status result = MMM_OK;
    mmm_counter *c = NULL;
    mmm_abstract *state = machine->state;
    mmm_abstract_forget(state);
    memset(&machine->counts, 0, sizeof machine->counts);
    for (int64_t k = 0; k < program->kernels; k++)
        TRY(mmm_program_set_traffic(program, (int)k, NULL));
    if (machine->traffic && mmm_program_is_open(program))
        FAIL(MMM_INVALID, "addresses are not counted of a program that unfolds as it runs");
    if (machine->traffic) TRY(count_traffic(machine, program, order));
    TRY(count_program(machine, program, order, true, NULL, &c));
    if (depends_on_order(c) || (program->unfolding && !machine->quick)) TRY(count_in_order(machine, &c));
    if (seconds) *seconds = c->seconds;
    for (int i = 0; i < (int)program->array_count; i++)
        if (program->arrays[i].buffer || program->arrays[i].use & (MMM_OUT | MMM_RESULT))
            memcpy(mmm_global_memory(&program->arrays[i]), mmm_counter_address(c, i),
                   mmm_global_bytes(program, &program->arrays[i]));
    TRY(publish(machine, c));
done:
    counter_free(c);
    return result;
}

const mmm_machine_type mmm_machine_abstract = {
    .name = "abstract",
    .summary = "the paper's machine: counts every operation and access, reports every violation",
    .open = open_abstract,
    .run = run_abstract,
    .fetch = mmm_abstract_fetch,
    .close = close_abstract,
    .memory = &mmm_memory_host,
};
