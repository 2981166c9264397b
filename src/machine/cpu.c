/* SPDX-License-Identifier: Apache-2.0 */
/* The CPU: thread-blocks on the threads of a team, the threads of a block as SIMD lanes. */
#include "machine/machine.h"
#include "machine/team.h"

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

/* The best instruction set that this machine has. */
static int best_isa(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi2") || !__builtin_cpu_supports("fma"))
        return MMM_ISA_BASE;
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
        !__builtin_cpu_supports("avx512cd") || !__builtin_cpu_supports("avx512dq") ||
        !__builtin_cpu_supports("avx512vl"))
        return MMM_ISA_V3;
    return MMM_ISA_V4;
#else
    return MMM_ISA_BASE;
#endif
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

static mmm_status open_cpu(mmm_machine *machine)
{
    static const char *const names[] = {"baseline", "AVX2", "AVX-512"};
    char model[128];
    int cores = mmm_team_size();
    snprintf(machine->description, sizeof machine->description, "%d core%s, %s", cores, cores == 1 ? "" : "s",
             names[best_isa()]);
    machine->cpu = true;
    read_model(model);
    snprintf(machine->device, sizeof machine->device, "%s%s", model, machine->description);
    long cache = sysconf(_SC_LEVEL1_DCACHE_SIZE); /* what a block needs again and again should stay there */
    machine->parameters.P = cores;
    machine->parameters.Z = (cache > 0 ? cache : 32 * 1024) / 4;
    machine->parameters.threads = 0;
    machine->parameters.lanes = 4 << best_isa(); /* words of 32 bits in a vector */
    return MMM_OK;
}

static void close_cpu(mmm_machine *machine)
{
    mmm_team_free(machine->state);
}

static const double patience = 0.02; /* seconds between calls of a progress function */

/* A piece of a kernel: what one thread takes at a time. */
typedef struct piece {
    int kernel, first, last;
} piece;

/* A program laid out for the cores: parallel step k is pieces start[k] .. start[k + 1] - 1. */
typedef struct plan {
    const mmm_program *program;
    void *base[MMM_ARRAYS_MOST];
    int isa;
    piece *pieces;
    int64_t piece_count, piece_room;
    int64_t *start;
    int64_t steps;
    /* The step under way and its next free piece (step << 32 | piece of the step), and its pieces not yet done.  No
     * thread waits for another that has no piece: a core that is busy elsewhere holds nobody up. */
    _Atomic uint64_t next;
    _Atomic int64_t left;
    _Atomic int failed; /* one more than the number of a kernel that needs more scratch than there is */
    char *scratch;      /* a share for each thread */
    size_t share;
    const mmm_machine *machine;
    double asked;         /* when its progress function was called last */
    _Atomic bool stopped; /* nothing further is run */
} plan;

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

static mmm_status lay_out(plan *p, const mmm_order *order, int threads)
{
    mmm_status result = MMM_OK;
    int64_t kernels = order->kernels;
    int *by_step = NULL;
    int64_t *place = NULL;
    for (int64_t k = 0; k < kernels; k++)
        if (order->level[k] >= p->steps) p->steps = order->level[k] + 1;
    TRY(mmm_alloc(&by_step, kernels, sizeof *by_step));
    TRY(mmm_alloc(&place, p->steps + 1, sizeof *place));
    TRY(mmm_alloc(&p->start, p->steps + 1, sizeof *p->start));
    for (int64_t k = 0; k < kernels; k++)
        place[order->level[k] + 1]++;
    for (int64_t step = 0; step < p->steps; step++)
        place[step + 1] += place[step];
    for (int64_t k = 0; k < kernels; k++)
        by_step[place[order->level[k]]++] = (int)k;
    for (int64_t i = 0; i < kernels; i++) {
        int kernel = by_step[i];
        int64_t blocks = p->program->nodes[kernel].blocks;
        int64_t count = blocks < 2 * threads ? blocks : 2 * threads; /* two a thread even out what is uneven */
        TRY(mmm_grow(&p->pieces, &p->piece_room, p->piece_count + count, sizeof *p->pieces));
        for (int64_t j = 0; j < count; j++)
            p->pieces[p->piece_count++] = (piece){kernel, (int)(blocks * j / count), (int)(blocks * (j + 1) / count)};
        p->start[order->level[kernel] + 1] = p->piece_count;
    }
    p->left = p->steps ? p->start[1] : 0;
done:
    free(by_step);
    free(place);
    return result;
}

/* What a kernel calls whose arrays have no room: LOCAL ones are declared by its launch, so it is the PRIVATE ones. */
MMM_API void mmm_count_no_room(mmm_scratch *scratch);
void mmm_count_no_room(mmm_scratch *scratch)
{
    longjmp(*(jmp_buf *)scratch->leave, 1);
}

static void run_piece(plan *p, const piece *part, mmm_scratch *scratch)
{
    const mmm_program *program = p->program;
    const mmm_node *node = &program->nodes[part->kernel];
    mmm_value values[MMM_ARGUMENTS_MOST];
    mmm_machine_values(node, p->base, values);
    const mmm_call call = mmm_machine_call(program, node, part->first, part->last, scratch);
    jmp_buf leave;
    scratch->leave = &leave;
    if (setjmp(leave) == 0)
        node->code->compiled[program->word_bits == 64][p->isa][node->code->index](values, &call);
    else
        p->failed = part->kernel + 1;
}

/* Whether the run is to end.  Only the caller's own thread asks. */
static bool is_over(plan *p, int number, double done)
{
    if (atomic_load_explicit(&p->stopped, memory_order_relaxed)) return true;
    if (!p->machine->progress || number) return false;
    double now = mmm_now();
    if (now - p->asked < patience) return false;
    p->asked = now;
    if (p->machine->progress(p->machine->progress_context, done)) p->stopped = true;
    return p->stopped;
}

static void pause_briefly(int *waited)
{
    if (++*waited % 256 == 0)
        sched_yield();
    else
        CPU_PAUSE();
}

/* Takes pieces until the last step is done. */
static void work(void *context, int number)
{
    plan *p = context;
    mmm_scratch scratch = {.memory = p->scratch + p->share * (size_t)number, .size = p->share};
    int waited = 0;
    for (;;) {
        uint64_t now = atomic_load_explicit(&p->next, memory_order_acquire);
        int64_t step = (int64_t)(now >> 32), taken = (int64_t)(now & UINT32_MAX);
        if (step == p->steps) return;
        int64_t count = p->start[step + 1] - p->start[step];
        if (taken == count || !atomic_compare_exchange_weak(&p->next, &now, now + 1)) {
            pause_briefly(&waited);
            continue;
        }
        for (;;) {
            if (!is_over(p, number, (double)step / (double)p->steps))
                run_piece(p, &p->pieces[p->start[step] + taken], &scratch);
            if (atomic_fetch_sub(&p->left, 1) > 1) break;
            if (++step == p->steps) {
                atomic_store(&p->next, (uint64_t)step << 32);
                return;
            }
            /* Who ends a step opens the next one and has its first piece. */
            atomic_store(&p->left, p->start[step + 1] - p->start[step]);
            atomic_store(&p->next, (uint64_t)step << 32 | 1);
            taken = 0;
        }
        waited = 0;
    }
}

static mmm_status run_cpu(mmm_machine *machine, mmm_program *program, const mmm_order *order, double *seconds)
{
    mmm_status result = MMM_OK;
    const int threads = (int)machine->parameters.P;
    plan p = {.program = program, .machine = machine, .isa = best_isa()};
    char *memory = NULL;
    mmm_team *team = machine->state;
    for (int64_t i = 0; i < program->array_count; i++)
        p.base[i] = mmm_global_memory(&program->arrays[i]);
    for (int64_t i = 0; i < program->array_count; i++)
        if (program->arrays[i].use & MMM_ZERO && program->arrays[i].count)
            memset(p.base[i], 0, (size_t)(program->arrays[i].count * program->arrays[i].size));
    TRY(lay_out(&p, order, threads));
    p.share = (scratch_bytes(program) + 4095) / 4096 * 4096;
    TRY(mmm_alloc(&memory, (int64_t)threads + 1, p.share)); /* one more: the first begins where a cache line does */
    p.scratch = memory + (64 - (uintptr_t)memory % 64) % 64;
    mmm_team_ready(&team, threads);
    machine->state = team;
    double start = p.asked = mmm_now();
    mmm_team_run(&team, threads, work, &p);
    *seconds = mmm_now() - start;
    if (p.stopped) FAIL(MMM_STOPPED, "stopped after %.3g s", *seconds);
    if (p.failed)
        FAIL(MMM_TOO_LARGE, "PRIVATE of kernel '%s' is too much: a thread has at most %d values of 8 bytes",
             program->nodes[p.failed - 1].name, MMM_PRIVATE_MOST);
done:
    free(p.pieces);
    free(p.start);
    free(memory);
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
