/* SPDX-License-Identifier: Apache-2.0 */
/* What regions, blocks and kernels take on a GPU, by constants of the machine (docs/model.md). */
#include "model/model.h"

#include <math.h>
#include <string.h>

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
    [MMM_GPU_REGISTERS] = {"registers", 28},
    [MMM_GPU_ATOMIC] = {"atomic", 11},
    [MMM_GPU_LINE] = {"line", 0.5},
    [MMM_GPU_GLOBAL_TURN] = {"global_turn", 30},
};

/* Hardware that GPUs of today have in common: groups, registers and blocks of an SM, what a block takes of local memory
 * for itself, and schedulers, each of which issues for a quarter of the groups. */
enum { GROUP = 32, REGISTERS = 65536, BLOCKS_MOST = 32, OWN_LOCAL = 1024, SCHEDULERS = 4, CHAINS_MOST = 8 };

static double total(const double limits[MMM_LIMITS])
{
    double sum = 0;
    for (int i = 0; i < MMM_LIMITS; i++)
        sum += limits[i];
    return sum;
}

/* The larger of two, smoothly, goes to `out`, each of their parts with its derivative: what is homogeneous is the sum
 * of these (Euler), so that they say what limits it. */
static void join(const double x[MMM_LIMITS], double times, const double y[MMM_LIMITS], double out[MMM_LIMITS])
{
    const double a = total(x), b = times * total(y), most = fmax(a, b), p = most > 0 ? a / most : 0,
                 q = most > 0 ? b / most : 0, root = cbrt(p * p * p + q * q * q);
    if (!(most > 0)) return;
    for (int i = 0; i < MMM_LIMITS; i++)
        out[i] += (p * p * x[i] + q * q * times * y[i]) / (root * root);
}

/* What a group waits for.  Operations on several values of a thread do not wait for each other. */
static void wait_for(const mmm_group_work *w, const double *c, double chains, double limits[MMM_LIMITS])
{
    for (int i = 0; i <= MMM_OPERATION_KINDS; i++) {
        if (!w->operations[i]) continue;
        const double latency = c[MMM_GPU_LATENCY + i], issue = SCHEDULERS * c[MMM_GPU_ISSUE + i],
                     n = (double)w->operations[i];
        limits[MMM_LIMIT_LATENCY] += n * latency / chains;
        limits[issue < latency ? MMM_LIMIT_ISSUE : MMM_LIMIT_LATENCY] += n * fmin(issue, latency) * (1 - 1 / chains);
    }
    if (w->local) limits[MMM_LIMIT_SCATTER] += c[MMM_GPU_LOCAL] + (double)(w->local - 1) * c[MMM_GPU_LOCAL_NEXT];
    if (w->reads) limits[MMM_LIMIT_LATENCY] += c[MMM_GPU_GLOBAL];
    if (w->reads + w->writes > 1)
        limits[MMM_LIMIT_LATENCY] += (double)(w->reads + w->writes - 1) * c[MMM_GPU_GLOBAL_NEXT];
    const int64_t reading = w->reads < w->turns ? w->reads : w->turns;
    if (reading > 1) limits[MMM_LIMIT_LATENCY] += (double)(reading - 1) * c[MMM_GPU_GLOBAL_TURN];
    if (w->turns > 1) limits[MMM_LIMIT_LATENCY] += (double)(w->turns - 1) * c[MMM_GPU_TURN];
}

static void issue(const mmm_group_work *w, double regions, const double *c, double limits[MMM_LIMITS])
{
    limits[MMM_LIMIT_ISSUE] += regions * c[MMM_GPU_REGION_ISSUE] + (double)w->turns * c[MMM_GPU_TURN_ISSUE];
    for (int i = 0; i <= MMM_OPERATION_KINDS; i++)
        limits[MMM_LIMIT_ISSUE] += (double)w->operations[i] * c[MMM_GPU_ISSUE + i];
    limits[MMM_LIMIT_SCATTER] += (double)w->local * c[MMM_GPU_LOCAL_ISSUE] + (double)w->passes * c[MMM_GPU_PASS];
    limits[MMM_LIMIT_MEMORY] += (double)(w->reads + w->writes) * c[MMM_GPU_GLOBAL_ISSUE] +
                                (double)w->sectors * c[MMM_GPU_SECTOR] + (double)w->lines * c[MMM_GPU_LINE];
}

void mmm_gpu_region(const mmm_region_work *w, const double *c, double at_once[MMM_AT_ONCE][MMM_LIMITS])
{
    const double chains = fmin(fmax((double)w->private_words / 4, 1), CHAINS_MOST);
    const int64_t groups = (w->threads + GROUP - 1) / GROUP;
    double wait[MMM_LIMITS] = {0}, first[MMM_LIMITS] = {0}, work[MMM_LIMITS] = {0};
    if (!w->groups && !w->first.turns && !w->all.reads && !w->all.local) return; /* after the last region */
    wait_for(&w->most, c, chains, wait);
    if (w->first.turns) {
        wait_for(&w->first, c, chains, first);
        double both[MMM_LIMITS] = {0};
        join(wait, 1, first, both);
        memcpy(wait, both, sizeof wait);
        issue(&w->first, (double)w->first.turns, c, work);
    }
    wait[MMM_LIMIT_BETWEEN] += c[MMM_GPU_REGION] + (w->of_groups ? 0 : (double)groups * c[MMM_GPU_BARRIER]);
    issue(&w->all, (double)w->groups, c, work);
    for (int i = 0; i < MMM_AT_ONCE; i++)
        join(wait, (double)(1 << i), work, at_once[i]);
}

void mmm_gpu_block(double at_once[MMM_AT_ONCE][MMM_LIMITS], mmm_profile *out)
{
    for (int i = 0; i < MMM_AT_ONCE; i++)
        for (int k = 0; k < MMM_LIMITS; k++)
            out->at_once[i][k] = (int64_t)fmin(1000 * at_once[i][k] + 0.5, 1e15);
}

/* Blocks that an SM has at once: by threads, registers and local memory. */
static double resident(int word_bits, const mmm_node *node, double private_words, const mmm_parameters *machine)
{
    const int64_t groups = (node->threads + GROUP - 1) / GROUP;
    const double threads = (double)(GROUP * groups);
    const double registers = fmin(machine->gpu[MMM_GPU_REGISTERS] + private_words, REGISTERS / threads);
    const double local = (double)node->local_words * word_bits / 8 + OWN_LOCAL;
    double most = fmin(BLOCKS_MOST, floor(2 * (double)machine->threads / threads));
    most = fmin(most, floor(REGISTERS / (registers * threads)));
    most = fmin(most, floor((4 * (double)machine->Z + OWN_LOCAL) / local));
    return fmax(most, 1);
}

/* Adds what a block takes where there are so many, between the numbers of them that are known. */
static void add_at(double at_once[MMM_AT_ONCE][MMM_LIMITS], double blocks, double times, double limits[MMM_LIMITS])
{
    int i = 0;
    while (i < MMM_AT_ONCE - 2 && blocks > (double)(2 << i))
        i++;
    const double low = (double)(1 << i), part = (blocks - low) / low;
    for (int k = 0; k < MMM_LIMITS; k++)
        limits[k] += times * (at_once[i][k] + part * (at_once[i + 1][k] - at_once[i][k]));
}

/* Waves of blocks, the last one with fewer; blocks that are started; and bytes that are moved: the largest of these. */
mmm_kernel_time mmm_gpu_kernel(int word_bits, const mmm_node *node, const mmm_profile *groups, int64_t count,
                               double size, const double *factors, const mmm_parameters *machine)
{
    const double *c = machine->gpu, P = machine->P ? (double)machine->P : 1, n = (double)node->blocks;
    double mean[MMM_AT_ONCE][MMM_LIMITS] = {{0}}, most[MMM_AT_ONCE][MMM_LIMITS] = {{0}}, moved = 0, serial = 0,
           words = 0, blocks = 0;
    for (int64_t g = 0; g < count; g++)
        blocks += (double)groups[g].cost.blocks;
    for (int64_t g = 0; g < count; g++) {
        const double share = (double)groups[g].cost.blocks;
        for (int i = 0; i < MMM_AT_ONCE; i++) {
            double block[MMM_LIMITS];
            for (int k = 0; k < MMM_LIMITS; k++) {
                block[k] = (double)groups[g].at_once[i][k] * 1e-3 * (factors ? factors[k] : 1);
                mean[i][k] += share / blocks * block[k];
            }
            if (total(block) > total(most[i])) memcpy(most[i], block, sizeof block);
        }
        moved += share * (double)groups[g].moved;
        serial += share * (double)groups[g].serial * 1e-9;
        words = fmax(words, (double)groups[g].private_words);
    }
    const double together = resident(word_bits, node, words, machine), waves = floor(n / (P * together));
    const double rest = n - waves * P * together, part = blocks > 0 ? n / blocks : 0;
    const double far = mmm_past_level(size, c[MMM_GPU_CACHE]);
    const double bytes = 32 * moved * part * ((1 - far) / c[MMM_GPU_CACHE_RATE] + far / c[MMM_GPU_MEMORY_RATE]);
    double time[MMM_LIMITS] = {0}, memory[MMM_LIMITS] = {[MMM_LIMIT_MEMORY] = bytes};
    double start[MMM_LIMITS] = {[MMM_LIMIT_START] = n * c[MMM_GPU_BLOCK]};
    double atomics[MMM_LIMITS] = {[MMM_LIMIT_MEMORY] = serial * part * c[MMM_GPU_ATOMIC]};
    double moving[MMM_LIMITS] = {0}, following[MMM_LIMITS] = {0}, all[MMM_LIMITS] = {0};
    add_at(mean, together, waves, time);
    if (rest > 0) add_at(waves > 0 ? mean : most, ceil(rest / P), 1, time);
    join(time, 1, memory, moving);
    join(start, 1, atomics, following);
    join(moving, 1, following, all);
    const double alone = total(all) * 1e-9;
    mmm_kernel_time result = {
        .launch = c[MMM_GPU_LAUNCH] * 1e-9, .alone = alone, .share = alone * fmin(1, n / (P * together))};
    for (int k = 0; k < MMM_LIMITS; k++)
        result.limits[k] = all[k] * 1e-9;
    return result;
}
