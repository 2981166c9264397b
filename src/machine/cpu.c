/* SPDX-License-Identifier: Apache-2.0 */
/* The CPU: thread-blocks on OpenMP threads, the threads of a block as SIMD lanes. */
#include "machine/machine.h"

#include <omp.h>
#include <stdlib.h>

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

static mmm_status open_cpu(mmm_machine *machine)
{
    static const char *const names[] = {"baseline", "AVX2", "AVX-512"};
    int cores = omp_get_max_threads();
    snprintf(machine->description, sizeof machine->description, "%d core%s, %s", cores, cores == 1 ? "" : "s",
             names[best_isa()]);
    return MMM_OK;
}

static void close_cpu(mmm_machine *machine)
{
    (void)machine;
}

/* Kernels in the order of their parallel steps, and where each step begins. */
static mmm_status steps_of(const mmm_order *order, int **kernels, int **first, int *steps)
{
    mmm_status result = MMM_OK;
    *steps = 0;
    for (int k = 0; k < order->kernels; k++)
        if (order->level[k] >= *steps) *steps = order->level[k] + 1;
    TRY(mmm_alloc(kernels, order->kernels, sizeof **kernels));
    TRY(mmm_alloc(first, *steps + 2, sizeof **first));
    for (int k = 0; k < order->kernels; k++)
        (*first)[order->level[k] + 2]++;
    for (int step = 0; step < *steps; step++)
        (*first)[step + 2] += (*first)[step + 1];
    for (int k = 0; k < order->kernels; k++)
        (*kernels)[(*first)[order->level[k] + 1]++] = k;
done:
    return result;
}

static size_t scratch_bytes(const mmm_program *program)
{
    size_t most = 0;
    for (int64_t k = 0; k < program->kernels; k++) {
        const mmm_node *node = &program->nodes[k];
        size_t bytes = ((size_t)node->local_words + MMM_LOCAL_ARRAYS_MOST * (size_t)node->threads) * 8;
        if (bytes > most) most = bytes;
    }
    return most + 2 * MMM_LOCAL_ARRAYS_MOST * 64;
}

static void run_share(const mmm_program *program, void *const *base, const int *kernels, int count, int isa,
                      mmm_scratch *scratch)
{
    int threads = omp_get_num_threads(), self = omp_get_thread_num();
    for (int i = 0; i < count; i++) {
        const mmm_node *node = &program->nodes[kernels[i]];
        mmm_value values[MMM_ARGUMENTS_MOST];
        mmm_entry *entry = node->code->compiled[program->word_bits == 64][isa];
        int share = (self + i) % threads; /* so that small kernels of one step spread over the cores */
        int first = (int)(node->blocks * share / threads), last = (int)(node->blocks * (share + 1) / threads);
        if (first == last) continue;
        mmm_machine_values(node, base, values);
        entry(values, first, last, (int)node->threads, program->modulus ? *program->modulus : (mmm_modulus){0},
              scratch);
    }
}

static mmm_status run_cpu(mmm_machine *machine, mmm_program *program, const mmm_order *order, double *seconds)
{
    mmm_status result = MMM_OK;
    int isa = best_isa(), steps = 0, threads = omp_get_max_threads();
    int *kernels = NULL, *first = NULL;
    char *memory = NULL;
    void *base[32];
    (void)machine;
    for (int64_t i = 0; i < program->array_count; i++)
        base[i] = program->arrays[i].host;
    TRY(steps_of(order, &kernels, &first, &steps));
    size_t share = (scratch_bytes(program) + 4095) / 4096 * 4096;
    TRY(mmm_alloc(&memory, (int64_t)threads + 1, share));
    char *aligned = memory + (64 - (uintptr_t)memory % 64) % 64;
    double start = omp_get_wtime();
#pragma omp parallel num_threads(threads)
    {
        mmm_scratch scratch = {.memory = aligned + share * (size_t)omp_get_thread_num()};
        for (int step = 0; step < steps; step++) {
            run_share(program, base, kernels + first[step], first[step + 1] - first[step], isa, &scratch);
#pragma omp barrier
        }
    }
    *seconds = omp_get_wtime() - start;
done:
    free(kernels);
    free(first);
    free(memory);
    return result;
}

const mmm_machine_type mmm_machine_cpu = {
    .name = "cpu",
    .summary = "this machine's cores: thread-blocks on OpenMP threads, threads of a block as SIMD lanes",
    .open = open_cpu,
    .run = run_cpu,
    .close = close_cpu,
};
