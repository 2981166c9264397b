/* SPDX-License-Identifier: Apache-2.0 */
/* What regions, blocks and kernels take on a GPU, by constants of the machine (docs/model.md). */
#include "model/model.h"

#include <math.h>

#define KIND(kind, name, latency, issue) \
    [MMM_GPU_LATENCY + (kind)] = {"latency_" name, latency}, [MMM_GPU_ISSUE + (kind)] = {"issue_" name, issue}

const mmm_constant_record mmm_gpu_records[MMM_GPU_CONSTANTS] = {
    [MMM_GPU_GRAPH] = {"graph", 1350},
    [MMM_GPU_LAUNCH] = {"launch", 540},
    [MMM_GPU_BLOCK] = {"block", 0.62},
    [MMM_GPU_REGION] = {"region", 12},
    [MMM_GPU_BARRIER] = {"barrier", 0.5},
    [MMM_GPU_REGION_ISSUE] = {"issue_region", 1.2},
    [MMM_GPU_TURN] = {"turn", 3},
    [MMM_GPU_TURN_ISSUE] = {"issue_turn", 0.5},
    [MMM_GPU_LOCAL] = {"local", 15},
    [MMM_GPU_LOCAL_NEXT] = {"local_next", 3},
    [MMM_GPU_LOCAL_ISSUE] = {"issue_local", 0.4},
    [MMM_GPU_PASS] = {"pass", 0.45},
    [MMM_GPU_GLOBAL] = {"global", 350},
    [MMM_GPU_GLOBAL_NEXT] = {"global_next", 10},
    [MMM_GPU_GLOBAL_ISSUE] = {"issue_global", 1},
    [MMM_GPU_SECTOR] = {"sector", 0.3},
    KIND(MMM_OPERATION_ADD, "add", 5.3, 0.305),
    KIND(MMM_OPERATION_MUL, "mul", 16.3, 1.2),
    KIND(MMM_OPERATION_INVERSE, "inverse", 780, 93),
    KIND(MMM_OPERATION_CROSS, "cross", 5.4, 0.6),
    KIND(MMM_OPERATION_PRODUCTS, "products", 2.5, 0.2),
    KIND(MMM_OPERATION_TIMES, "times", 8.6, 1),
    KIND(MMM_OPERATION_EXCHANGE, "exchange", 12, 1),
    KIND(MMM_OPERATION_ATOMIC, "atomic", 20, 1),
    KIND(MMM_OPERATION_OTHER, "other", 3, 0.4),
    KIND(MMM_OPERATION_KINDS, "reduction", 10, 1),
    [MMM_GPU_CACHE_RATE] = {"cache_rate", 4500},
    [MMM_GPU_MEMORY_RATE] = {"memory_rate", 3300},
    [MMM_GPU_CACHE] = {"cache", 40e6},
    [MMM_GPU_REGISTERS] = {"registers", 32},
    [MMM_GPU_ATOMIC] = {"atomic", 11},
    [MMM_GPU_LINE] = {"line", 0.5},
    [MMM_GPU_GLOBAL_TURN] = {"global_turn", 30},
};

/* Hardware that GPUs of today have in common: groups, registers and blocks of an SM, what a block takes of local memory
 * for itself, and schedulers, each of which issues for a quarter of the groups. */
enum { GROUP = 32, REGISTERS = 65536, BLOCKS_MOST = 32, OWN_LOCAL = 1024, SCHEDULERS = 4, CHAINS_MOST = 8 };

/* The larger one, smoothly. */
static double larger(double a, double b)
{
    const double most = fmax(a, b), least = fmin(a, b), x = most > 0 ? least / most : 0;
    return most * cbrt(1 + x * x * x);
}

/* What a group waits for.  Operations on several values of a thread do not wait for each other. */
static double latency(const mmm_group_work *w, const double *c, double chains)
{
    double sum = 0;
    for (int i = 0; i <= MMM_OPERATION_KINDS; i++) {
        if (!w->operations[i]) continue;
        const double least = fmin(SCHEDULERS * c[MMM_GPU_ISSUE + i], c[MMM_GPU_LATENCY + i]);
        sum += (double)w->operations[i] * (least + (c[MMM_GPU_LATENCY + i] - least) / chains);
    }
    if (w->local) sum += c[MMM_GPU_LOCAL] + (double)(w->local - 1) * c[MMM_GPU_LOCAL_NEXT];
    if (w->reads) sum += c[MMM_GPU_GLOBAL];
    if (w->reads + w->writes > 1) sum += (double)(w->reads + w->writes - 1) * c[MMM_GPU_GLOBAL_NEXT];
    const int64_t reading = w->reads < w->turns ? w->reads : w->turns;
    if (reading > 1) sum += (double)(reading - 1) * c[MMM_GPU_GLOBAL_TURN];
    if (w->turns > 1) sum += (double)(w->turns - 1) * c[MMM_GPU_TURN];
    return sum;
}

static double issue(const mmm_group_work *w, double regions, const double *c)
{
    double sum = regions * c[MMM_GPU_REGION_ISSUE] + (double)w->turns * c[MMM_GPU_TURN_ISSUE];
    for (int i = 0; i <= MMM_OPERATION_KINDS; i++)
        sum += (double)w->operations[i] * c[MMM_GPU_ISSUE + i];
    return sum + (double)w->local * c[MMM_GPU_LOCAL_ISSUE] + (double)w->passes * c[MMM_GPU_PASS] +
           (double)(w->reads + w->writes) * c[MMM_GPU_GLOBAL_ISSUE] + (double)w->sectors * c[MMM_GPU_SECTOR] +
           (double)w->lines * c[MMM_GPU_LINE];
}

void mmm_gpu_region(const mmm_region_work *w, const double *c, double at_once[MMM_AT_ONCE])
{
    const double chains = fmin(fmax((double)w->private_words / 4, 1), CHAINS_MOST);
    const double first = latency(&w->first, c, chains) + (double)w->first.turns * c[MMM_GPU_REGION];
    const int64_t groups = (w->threads + GROUP - 1) / GROUP;
    if (!w->groups && !w->first.turns && !w->all.reads && !w->all.local) return; /* after the last region */
    const double wait = fmax(latency(&w->most, c, chains), first) + c[MMM_GPU_REGION] +
                        (w->of_groups ? 0 : (double)groups * c[MMM_GPU_BARRIER]);
    const double work = issue(&w->all, (double)w->groups, c) + issue(&w->first, (double)w->first.turns, c);
    for (int i = 0; i < MMM_AT_ONCE; i++)
        at_once[i] += larger(wait, (double)(1 << i) * work);
}

/* Blocks that an SM has at once: by threads, registers and local memory. */
static double resident(const mmm_program *program, const mmm_node *node, double private_words,
                       const mmm_parameters *machine)
{
    const int64_t groups = (node->threads + GROUP - 1) / GROUP;
    const double threads = (double)(GROUP * groups);
    const double registers = fmin(machine->gpu[MMM_GPU_REGISTERS] + private_words, REGISTERS / threads);
    const double local = (double)node->local_words * program->word_bits / 8 + OWN_LOCAL;
    double most = fmin(BLOCKS_MOST, floor(2 * (double)machine->threads / threads));
    most = fmin(most, floor(REGISTERS / (registers * threads)));
    most = fmin(most, floor((4 * (double)machine->Z + OWN_LOCAL) / local));
    return fmax(most, 1);
}

/* Between the numbers of blocks that are known. */
static double at(const double at_once[MMM_AT_ONCE], double blocks)
{
    int i = 0;
    while (i < MMM_AT_ONCE - 2 && blocks > (double)(2 << i))
        i++;
    const double low = (double)(1 << i), part = (blocks - low) / low;
    return at_once[i] + part * (at_once[i + 1] - at_once[i]);
}

/* Waves of blocks, the last one with fewer; blocks that are started; and bytes that are moved: the largest of these. */
mmm_kernel_time mmm_gpu_kernel(const mmm_program *program, const mmm_node *node, const mmm_profile *groups,
                               int64_t count, double size, double factor, const mmm_parameters *machine)
{
    const double *c = machine->gpu, P = machine->P ? (double)machine->P : 1, n = (double)node->blocks;
    double mean[MMM_AT_ONCE] = {0}, most[MMM_AT_ONCE] = {0}, moved = 0, serial = 0, words = 0, blocks = 0;
    for (int64_t g = 0; g < count; g++) {
        const double share = (double)groups[g].cost.blocks;
        for (int i = 0; i < MMM_AT_ONCE; i++) {
            mean[i] += share * (double)groups[g].at_once[i] * 1e-3;
            most[i] = fmax(most[i], (double)groups[g].at_once[i] * 1e-3);
        }
        moved += share * (double)groups[g].moved;
        serial += share * (double)groups[g].serial * 1e-9;
        words = fmax(words, (double)groups[g].private_words);
        blocks += share;
    }
    for (int i = 0; i < MMM_AT_ONCE && blocks > 0; i++)
        mean[i] /= blocks;
    const double together = resident(program, node, words, machine), waves = floor(n / (P * together));
    const double rest = n - waves * P * together;
    double time = waves * at(mean, together);
    if (rest > 0) time += at(waves > 0 ? mean : most, ceil(rest / P));
    time *= factor;
    const double far = mmm_past_level(size, c[MMM_GPU_CACHE]);
    const double part = blocks > 0 ? n / blocks : 0;
    const double bytes = 32 * moved * part * ((1 - far) / c[MMM_GPU_CACHE_RATE] + far / c[MMM_GPU_MEMORY_RATE]);
    time = larger(larger(time, bytes), larger(n * c[MMM_GPU_BLOCK], serial * part * c[MMM_GPU_ATOMIC]));
    return (mmm_kernel_time){
        .launch = c[MMM_GPU_LAUNCH] * 1e-9, .alone = time * 1e-9, .share = time * 1e-9 * fmin(1, n / (P * together))};
}
