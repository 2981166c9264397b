/* SPDX-License-Identifier: Apache-2.0 */
/* The CPU: thread-blocks on the threads of a team, the threads of a block as SIMD lanes. */
#include "machine/helpers.h"

#include <sched.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__)
#define CPU_PAUSE() __builtin_ia32_pause()
#else
#define CPU_PAUSE() ((void)0)
#endif

/* The best way to run kernels that this machine has. */
static int find_way(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi2") || !__builtin_cpu_supports("fma"))
        return MMM_ISA_BASE;
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
        !__builtin_cpu_supports("avx512cd") || !__builtin_cpu_supports("avx512dq") ||
        !__builtin_cpu_supports("avx512vl"))
        return MMM_ISA_V3;
    return __builtin_cpu_supports("avx512ifma") ? MMM_ISA_V4_60 : MMM_ISA_V4;
#else
    return MMM_ISA_BASE;
#endif
}

int mmm_cpu_isa(void)
{
    const int way = mmm_cpu_way(0);
    return way == MMM_ISA_V4_60 ? MMM_ISA_V4 : way;
}

int mmm_cpu_way(uint64_t p)
{
    static _Atomic int best = -1;
    int way = best;
    if (way < 0) best = way = find_way();
    return way == MMM_ISA_V4_60 && p >> 60 ? MMM_ISA_V4 : way;
}

/* "AMD EPYC, ", or nothing where the system does not tell. */
static void read_model(char model[128])
{
    char line[256];
    FILE *stream = fopen("/proc/cpuinfo", "r");
    *model = 0;
    while (stream && !*model && fgets(line, sizeof line, stream))
        if (sscanf(line, "model name : %120[^\n]", model) == 1) strcat(model, ", ");
    if (stream) fclose(stream);
}

enum { CHUNKS = 4, PARTS_MOST = 8 }; /* in which a part of a step is taken; parts of a step */

/* Neighbouring blocks of a step.  Nothing else lies in its cache line. */
typedef struct part {
    _Atomic uint64_t next; /* a number of the step that no other had, << 32 | blocks that nobody has taken */
    char apart[56];
} part;

/* Kernels that follow each other share by share, and are taken together so: their numbers from `first` on.  One alone
 * has its blocks for shares. */
typedef struct strand {
    int first, count;
    int64_t shares;
} strand;

static const double patience = 0.02; /* seconds between calls of a progress function */
/* Seconds of blocks that are worth being taken by themselves: where others take them, too, and where nobody does. */
static const double worth_sharing = 0.5e-6, worth_asking = 1e-3;

/* A program is run step by step: the strands of a step have no path between them, and their shares are numbered
 * through: these are meant where blocks are spoken of.  The caller's thread takes blocks alone at first, and asks
 * others to help when a run has lasted long enough for that to pay and cores are idle.  Each thread begins with a part
 * of its own, so that what it wrote in one step it reads in the next, and then helps with the others'.  Nobody is
 * waited for but who has taken blocks; who is late with them is not asked again for a while. */
typedef struct cpu_state {
    uint64_t laid_out; /* the program that the steps are those of: its identity; and for how many threads */
    int laid_out_for;
    int64_t steps;
    strand *strands; /* step after step */
    int64_t *ends;   /* of each of these in the numbers of its step */
    int64_t *start;  /* of each step among the strands */
    int64_t strand_room, end_room, start_room;
    int64_t all;            /* blocks */
    char *memory, *scratch; /* a share for each thread, from the first cache line on */
    size_t memory_size, share;

    /* The run under way: what the caller alone has to do with, */
    double asked; /* when the machine's progress function was called last */
    double began; /* the step */
    mmm_helpers helpers;
    /* what helpers look at again and again, and hardly anybody writes, */
    const mmm_program *program;
    const mmm_machine *machine;
    void *base[MMM_ARRAYS_MOST];
    _Atomic int64_t least; /* blocks that are taken at once, where there are as many */
    _Atomic int failed;    /* one more than the number of a kernel that needs more scratch than there is */
    _Atomic bool stopped;  /* nothing further is run */
    /* and what each step changes. */
    char apart_too[64];
    int64_t step, blocks; /* the step's number and its blocks */
    char from_parts[64];
    part parts[PARTS_MOST];
    _Atomic int64_t left; /* blocks that are not done */
} cpu_state;

static mmm_status open_cpu(mmm_machine *machine)
{
    static const char *const names[] = {"baseline", "AVX2", "AVX-512"};
    mmm_status result = MMM_OK;
    char model[128];
    cpu_state *x;
    const int cores = mmm_team_size(), isa = mmm_cpu_isa();
    TRY(mmm_alloc(&x, 1, sizeof *x));
    machine->state = x;
    mmm_helpers_open(&x->helpers);
    snprintf(machine->description, sizeof machine->description, "%d core%s, %s", cores, cores == 1 ? "" : "s",
             names[isa]);
    machine->cpu = true;
    read_model(model);
    snprintf(machine->device, sizeof machine->device, "%s%s", model, machine->description);
    long cache = sysconf(_SC_LEVEL1_DCACHE_SIZE); /* what a block needs again and again should stay there */
    machine->parameters.P = cores;
    machine->parameters.Z = (cache > 0 ? cache : 32 * 1024) / 4;
    machine->parameters.threads = 0;
    machine->parameters.lanes = 4 << isa; /* words of 32 bits in a vector */
done:
    return result;
}

static void close_cpu(mmm_machine *machine)
{
    cpu_state *x = machine->state;
    mmm_helpers_close(&x->helpers);
    free(x->strands);
    free(x->ends);
    free(x->start);
    free(x->memory);
    free(x);
}

static size_t scratch_bytes(const mmm_program *program)
{
    size_t most = 0;
    for (int64_t k = 0; k < program->kernels; k++) {
        const mmm_node *node = &program->nodes[k];
        size_t bytes = ((size_t)node->local_words + MMM_PRIVATE_MOST * (size_t)node->threads) * 8;
        if (bytes > most) most = bytes;
    }
    return most + (MMM_LOCAL_ARRAYS_MOST + MMM_PRIVATE_ARRAYS_MOST) * 64;
}

/* Memory for the LOCAL and PRIVATE arrays of the blocks that run; it grows and stays. */
static mmm_status make_scratch(cpu_state *x)
{
    mmm_status result = MMM_OK;
    x->share = (scratch_bytes(x->program) + 4095) / 4096 * 4096;
    size_t size = x->share * (size_t)x->helpers.threads + 64;
    if (size > x->memory_size) {
        free(x->memory);
        x->memory = NULL;
        x->memory_size = 0;
        TRY(mmm_alloc(&x->memory, (int64_t)size, 1));
        x->memory_size = size;
    }
    x->scratch = x->memory + (64 - (uintptr_t)x->memory % 64) % 64;
done:
    return result;
}

/* Whether kernel k may be taken with those from number `begin` on, share by share: whatever else it follows comes
 * before all of them. */
static bool goes_on(const cpu_state *x, const mmm_order *order, int begin, int k)
{
    bool follows = false;
    if (k == begin || !x->program->nodes[k].shares || x->program->nodes[k].shares < x->helpers.threads) return false;
    for (int i = order->from_first[k]; i < order->from_first[k + 1]; i++) {
        if (order->from[i] >= begin && order->from[i] != k - 1) return false;
        follows |= order->from[i] == k - 1;
    }
    return follows;
}

/* The strands of kernels from `first` on, and of each kernel the level, on which its strand is behind all that this
 * follows.  Where kernels are not in their order, each is alone. */
static int64_t find_strands(const cpu_state *x, const mmm_order *order, int first, strand *strands, int *level)
{
    int64_t count = 0;
    bool ascend = x->program->batch == 1;
    for (int k = first; k < order->kernels; k++)
        for (int i = order->from_first[k]; i < order->from_first[k + 1]; i++)
            ascend &= order->from[i] < k;
    for (int k = first; k < order->kernels; k++) {
        const int begin = count ? strands[count - 1].first : k;
        if (ascend && goes_on(x, order, begin, k))
            strands[count - 1] = (strand){begin, k + 1 - begin, x->program->nodes[k].shares};
        else
            strands[count++] = (strand){k, 1, x->program->nodes[k].blocks};
        const strand *own = &strands[count - 1];
        int most = own->count > 1 ? level[k - 1] : ascend ? 0 : order->level[k];
        for (int i = order->from_first[k]; i < order->from_first[k + 1] && ascend; i++) {
            const int before = order->from[i];
            if (before >= first && before < own->first && level[before] >= most) most = level[before] + 1;
        }
        for (int i = own->first; i <= k; i++)
            level[i] = most;
    }
    return count;
}

/* Kernels from `first` on by level, in steps whose shares 32 bits can count. */
static mmm_status lay_out(cpu_state *x, const mmm_order *order, int64_t first)
{
    mmm_status result = MMM_OK;
    const int64_t kernels = order->kernels - first;
    int64_t levels = 0, count = 0, *place = NULL;
    int *level = NULL;
    strand *found = NULL;
    x->laid_out = 0;
    x->steps = 0;
    TRY(mmm_alloc(&found, kernels, sizeof *found));
    TRY(mmm_alloc(&level, order->kernels, sizeof *level));
    const int64_t strands = find_strands(x, order, (int)first, found, level);
    for (int64_t i = 0; i < strands; i++)
        if (level[found[i].first] >= levels) levels = level[found[i].first] + 1;
    TRY(mmm_grow(&x->strands, &x->strand_room, strands, sizeof *x->strands));
    TRY(mmm_grow(&x->ends, &x->end_room, strands, sizeof *x->ends));
    TRY(mmm_grow(&x->start, &x->start_room, strands + 1, sizeof *x->start));
    TRY(mmm_alloc(&place, levels + 1, sizeof *place));
    for (int64_t i = 0; i < strands; i++)
        place[level[found[i].first] + 1]++;
    for (int64_t i = 0; i < levels; i++)
        place[i + 1] += place[i];
    for (int64_t i = 0; i < strands; i++)
        x->strands[place[level[found[i].first]]++] = found[i];
    for (int64_t i = 0; i < strands; i++) {
        const strand *own = &x->strands[i];
        if (i == 0 || level[own->first] != level[own[-1].first] || count + own->shares > UINT32_MAX) {
            x->start[x->steps++] = i;
            count = 0;
        }
        x->ends[i] = count += own->shares;
    }
    x->start[x->steps] = strands;
    x->all = 0;
    for (int64_t i = 0; i < strands; i++)
        x->all += x->strands[i].shares;
    if (first == 0) x->laid_out = x->program->identity;
    x->laid_out_for = x->helpers.threads;
done:
    free(found);
    free(level);
    free(place);
    return result;
}

/* What a kernel calls whose arrays have no room: LOCAL ones are declared by its launch, so it is the PRIVATE ones. */
MMM_API void mmm_count_no_room(mmm_scratch *scratch);
void mmm_count_no_room(mmm_scratch *scratch)
{
    longjmp(*(jmp_buf *)scratch->leave, 1);
}

static void run_part(cpu_state *x, int kernel, int64_t first, int64_t last, mmm_scratch *scratch)
{
    const mmm_program *program = x->program;
    const mmm_node *node = &program->nodes[kernel];
    mmm_entry *const *const *const ways = node->code->compiled[program->word_bits == 64];
    const int64_t each = node->blocks / program->batch; /* blocks of a problem */
    mmm_value values[MMM_ARGUMENTS_MOST];
    jmp_buf leave;
    scratch->leave = &leave;
    if (setjmp(leave) != 0) {
        x->failed = kernel + 1;
        scratch->leave = NULL;
        return;
    }
    for (int64_t problem = first / each; problem * each < last; problem++) {
        const int64_t from = problem * each, to = from + each;
        mmm_machine_values(program, node, x->base, problem, values);
        const mmm_call call = mmm_machine_call(program, node, problem, (first > from ? first : from) - from,
                                               (last < to ? last : to) - from, scratch);
        ways[mmm_cpu_way(call.modulus.p)][node->code->index](values, &call);
    }
    scratch->leave = NULL;
}

/* Shares first .. last - 1 of the step. */
static void run_blocks(cpu_state *x, int64_t first, int64_t last, int number)
{
    mmm_scratch scratch = {.memory = x->scratch + x->share * (size_t)number, .size = x->share};
    int64_t low = x->start[x->step], high = x->start[x->step + 1] - 1;
    const int64_t begin = low;
    while (low < high) { /* the strand that share number `first` is of */
        int64_t middle = (low + high) / 2;
        if (x->ends[middle] > first)
            high = middle;
        else
            low = middle + 1;
    }
    for (; first < last; low++) {
        int64_t before = low > begin ? x->ends[low - 1] : 0, end = x->ends[low] < last ? x->ends[low] : last;
        const strand *own = &x->strands[low];
        for (int k = own->first; k < own->first + own->count; k++) {
            const int64_t each = x->program->nodes[k].blocks / own->shares;
            double *seconds = x->machine->kernel_seconds, start = seconds ? mmm_now() : 0;
            run_part(x, k, (first - before) * each, (end - before) * each, &scratch);
            if (seconds) seconds[k] += mmm_now() - start;
        }
        first = end;
    }
}

static int part_count(const cpu_state *x)
{
    return x->helpers.threads < PARTS_MOST ? x->helpers.threads : PARTS_MOST;
}

/* Where part k of the step begins, which is where the one before ends; the first ones are the larger. */
static int64_t part_start(const cpu_state *x, int k)
{
    const int parts = part_count(x);
    return (x->blocks * k + parts - 1) / parts;
}

/* Takes blocks of part k, runs them, and says how many; 0: there was none to take. */
static int64_t take_of_part(cpu_state *x, int k, int number, int64_t most)
{
    uint64_t now = atomic_load_explicit(&x->parts[k].next, memory_order_acquire);
    const int64_t least = atomic_load_explicit(&x->least, memory_order_relaxed);
    int64_t free_blocks, count;
    do {
        free_blocks = (int64_t)(now & UINT32_MAX);
        count = free_blocks / CHUNKS;
        if (!free_blocks) return 0;
        if (count < least) count = least < free_blocks ? least : free_blocks;
        if (count > most) count = most;
    } while (!atomic_compare_exchange_weak(&x->parts[k].next, &now, now - (uint64_t)count));
    const int64_t first = part_start(x, k + 1) - free_blocks; /* nothing of the step changes until these are told of */
    if (!atomic_load_explicit(&x->stopped, memory_order_relaxed)) run_blocks(x, first, first + count, number);
    return count;
}

/* The same of any part, beginning with the thread's own. */
static int64_t take_blocks(cpu_state *x, int number, int64_t most)
{
    const int parts = part_count(x);
    int64_t count = 0;
    for (int i = 0; i < parts && !count; i++)
        count = take_of_part(x, (number + i) % parts, number, most);
    return count;
}

static bool are_free(const cpu_state *x)
{
    for (int k = 0; k < part_count(x); k++)
        if (atomic_load_explicit(&x->parts[k].next, memory_order_relaxed) & UINT32_MAX) return true;
    return false;
}

static void pause_briefly(int *waited)
{
    if (++*waited % 256 == 0)
        sched_yield();
    else
        CPU_PAUSE();
}

/* What a helper does.  Until it has taken blocks it looks at nothing that the caller may change, and while it waits at
 * its own part alone, which has another number in each step.  What it did in a step it tells at once. */
static void help(void *context, int number)
{
    cpu_state *x = context;
    const part *own = &x->parts[number % part_count(x)];
    uint64_t seen = 0;
    for (int waited = 0; mmm_helpers_may(&x->helpers, number);) {
        const uint64_t now = atomic_load_explicit(&own->next, memory_order_acquire) >> 32;
        int64_t done = 0;
        for (int64_t count = now != seen; count && mmm_helpers_may(&x->helpers, number); done += count)
            count = take_blocks(x, number, INT64_MAX);
        if (done)
            atomic_fetch_sub(&x->left, done);
        else
            pause_briefly(&waited);
        seen = now;
    }
}

/* Whether the run is to end. */
static bool is_over(cpu_state *x)
{
    if (atomic_load_explicit(&x->stopped, memory_order_relaxed)) return true;
    if (!x->machine->progress) return false;
    double now = mmm_now();
    if (now - x->asked < patience) return false;
    x->asked = now;
    if (x->machine->progress(x->machine->progress_context, (double)x->step / (double)x->steps)) x->stopped = true;
    return x->stopped;
}

/* The end of a step: of blocks that others have taken. */
static void wait_for_helpers(cpu_state *x)
{
    double since = 0;
    for (int waited = 0; atomic_load_explicit(&x->left, memory_order_acquire) > 0;) {
        pause_briefly(&waited);
        if (waited % 256) continue;
        if (since == 0) since = mmm_now();
        mmm_helpers_late(&x->helpers, x->began, since);
    }
}

static void run_step(cpu_state *x, int64_t step)
{
    static const uint64_t one = (uint64_t)1 << 32;
    x->step = step;
    x->blocks = x->ends[x->start[step + 1] - 1];
    if (x->blocks == 1) { /* nothing to share */
        if (!is_over(x)) run_blocks(x, 0, 1, 0);
        return;
    }
    atomic_store_explicit(&x->left, x->blocks, memory_order_relaxed);
    for (int k = 0; k < part_count(x); k++) {
        const uint64_t before = atomic_load_explicit(&x->parts[k].next, memory_order_relaxed) & ~(uint64_t)UINT32_MAX;
        const uint64_t count = (uint64_t)(part_start(x, k + 1) - part_start(x, k));
        atomic_store_explicit(&x->parts[k].next, before + one + count, memory_order_release);
    }
    if (x->helpers.threads > 1) x->began = mmm_now();
    int64_t done = 0;
    while (are_free(x)) {
        mmm_helpers_ask(&x->helpers, help, x);
        if (is_over(x)) x->stopped = true;
        done += take_blocks(x, 0, mmm_helpers_most(&x->helpers));
        mmm_helpers_done(&x->helpers);
    }
    atomic_fetch_sub(&x->left, done);
    wait_for_helpers(x);
}

/* By what blocks took in the run before: to take one costs as much as some of them do. */
static int64_t least_blocks(const cpu_state *x)
{
    const bool alone = x->helpers.threads == 1;
    if (alone && !x->machine->progress) return UINT32_MAX;
    const double took = x->program->took, count = (alone ? worth_asking : worth_sharing) * (double)x->all / took;
    return !(took > 0) || count < 1 ? 1 : count < UINT32_MAX ? (int64_t)count : UINT32_MAX;
}

/* What is known is run to its end; then what was decided is. */
static mmm_status run_rounds(cpu_state *x, mmm_machine *machine, mmm_program *program, const mmm_order *order)
{
    mmm_status result = MMM_OK;
    const mmm_sight sight = {.machine = machine, .base = x->base};
    bool more = true;
    for (int64_t first = 0; more;) {
        if (first || x->laid_out != program->identity || x->laid_out_for != x->helpers.threads)
            TRY(lay_out(x, order, first));
        TRY(make_scratch(x));
        atomic_store_explicit(&x->least, least_blocks(x), memory_order_relaxed);
        for (int64_t step = 0; step < x->steps; step++)
            run_step(x, step);
        if (x->stopped || x->failed) break;
        const int64_t ran = first;
        first = program->kernels;
        TRY(mmm_machine_unfold(program, ran, &sight, &order, &more));
    }
done:
    return result;
}

static mmm_status run_cpu(mmm_machine *machine, mmm_program *program, const mmm_order *order, double *seconds)
{
    mmm_status result = MMM_OK;
    cpu_state *x = machine->state;
    x->program = program;
    x->machine = machine;
    for (int64_t i = 0; i < program->array_count; i++)
        x->base[i] = mmm_global_memory(&program->arrays[i]);
    for (int64_t i = 0; i < program->array_count; i++)
        if (program->arrays[i].use & MMM_ZERO && program->arrays[i].count)
            memset(x->base[i], 0, mmm_global_bytes(program, &program->arrays[i]));
    x->failed = 0;
    x->stopped = false;
    mmm_helpers_begin(&x->helpers, (int)machine->parameters.P, program);
    x->asked = x->helpers.start;
    result = run_rounds(x, machine, program, order);
    const double took = mmm_helpers_end(&x->helpers, program);
    if (seconds) *seconds = took;
    TRY(result);
    if (x->stopped) FAIL(MMM_STOPPED, "stopped after %.3g s", took);
    if (x->failed)
        FAIL(MMM_TOO_LARGE, "PRIVATE of kernel '%s' is too much: a thread has at most %d values of 8 bytes",
             program->nodes[x->failed - 1].name, MMM_PRIVATE_MOST);
done:
    return result;
}

const mmm_machine_type mmm_machine_cpu = {
    .name = "cpu",
    .summary = "this machine's cores: thread-blocks on threads of the system, threads of a block as SIMD lanes",
    .has_time = true,
    .open = open_cpu,
    .run = run_cpu,
    .close = close_cpu,
    .memory = &mmm_memory_host,
};
