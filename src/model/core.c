/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of a region take on a core of a CPU, by constants of the machine (docs/model.md). */
#include "model/model.h"

#include <math.h>

/* Their names in machine files, and what they are about where nothing is known: seconds, but for the last three. */
const mmm_constant_record mmm_constant_records[MMM_CONSTANTS] = {
    [MMM_CONSTANT_STEP] = {"step", 5e-8},
    [MMM_CONSTANT_BLOCK] = {"block", 5e-9},
    [MMM_CONSTANT_PART] = {"part", 1e-9},
    [MMM_CONSTANT_CHAIN] = {"chain", 3e-9},
    [MMM_CONSTANT_ACCESS] = {"access", 3e-10},
    [MMM_CONSTANT_OWN] = {"own", 3e-10},
    [MMM_CONSTANT_GATHER] = {"gather", 3e-10},
    [MMM_CONSTANT_SCATTER] = {"scatter", 5e-10},
    [MMM_CONSTANT_LINE_2] = {"line_2", 2e-10},
    [MMM_CONSTANT_LINE_3] = {"line_3", 6e-10},
    [MMM_CONSTANT_LINE_MEMORY] = {"line_memory", 2e-9},
    [MMM_CONSTANT_BETWEEN] = {"between", 1.5e-9},
    [MMM_CONSTANT_FETCH] = {"fetch", 3e-9},
    [MMM_CONSTANT_TURN] = {"turn", 3e-10},
    [MMM_CONSTANT_ISSUE + MMM_OPERATION_ADD] = {"issue_add", 3e-10},
    [MMM_CONSTANT_ISSUE + MMM_OPERATION_MUL] = {"issue_mul", 2.5e-9},
    [MMM_CONSTANT_ISSUE + MMM_OPERATION_INVERSE] = {"issue_inverse", 2e-7},
    [MMM_CONSTANT_ISSUE + MMM_OPERATION_CROSS] = {"issue_cross", 1.5e-9},
    [MMM_CONSTANT_ISSUE + MMM_OPERATION_PRODUCTS] = {"issue_products", 5e-10},
    [MMM_CONSTANT_ISSUE + MMM_OPERATION_TIMES] = {"issue_times", 5e-10},
    [MMM_CONSTANT_ISSUE + MMM_OPERATION_EXCHANGE] = {"issue_exchange", 3e-9},
    [MMM_CONSTANT_ISSUE + MMM_OPERATION_ATOMIC] = {"issue_atomic", 8e-9},
    [MMM_CONSTANT_ISSUE + MMM_OPERATION_OTHER] = {"issue_other", 7e-10},
    [MMM_CONSTANT_ISSUE + MMM_OPERATION_KINDS] = {"issue_reduction", 1e-9},
    [MMM_CONSTANT_LATENCY + MMM_OPERATION_ADD] = {"latency_add", 5e-10},
    [MMM_CONSTANT_LATENCY + MMM_OPERATION_MUL] = {"latency_mul", 3e-9},
    [MMM_CONSTANT_LATENCY + MMM_OPERATION_INVERSE] = {"latency_inverse", 5e-7},
    [MMM_CONSTANT_LATENCY + MMM_OPERATION_CROSS] = {"latency_cross", 1e-9},
    [MMM_CONSTANT_LATENCY + MMM_OPERATION_PRODUCTS] = {"latency_products", 5e-10},
    [MMM_CONSTANT_LATENCY + MMM_OPERATION_TIMES] = {"latency_times", 2e-9},
    [MMM_CONSTANT_LATENCY + MMM_OPERATION_EXCHANGE] = {"latency_exchange", 3e-9},
    [MMM_CONSTANT_LATENCY + MMM_OPERATION_ATOMIC] = {"latency_atomic", 5e-9},
    [MMM_CONSTANT_LATENCY + MMM_OPERATION_OTHER] = {"latency_other", 2e-10},
    [MMM_CONSTANT_LATENCY + MMM_OPERATION_KINDS] = {"latency_reduction", 2e-9},
    [MMM_CONSTANT_HELPER] = {"helper", 6e-5},
    [MMM_CONSTANT_MEET] = {"meet", 5e-7},
    [MMM_CONSTANT_WINDOW] = {"window", 3e-8},
    [MMM_CONSTANT_REMAINDER] = {"remainder", 0.1},
    [MMM_CONSTANT_LEVEL_1] = {"level_1", 32768},
    [MMM_CONSTANT_LEVEL_2] = {"level_2", 1 << 20},
    [MMM_CONSTANT_LEVEL_3] = {"level_3", 1 << 24},
};

static const char *const limit_names[MMM_LIMITS] = {
    [MMM_LIMIT_START] = "start",     [MMM_LIMIT_LATENCY] = "latency", [MMM_LIMIT_ISSUE] = "issue",
    [MMM_LIMIT_SCATTER] = "local",   [MMM_LIMIT_SCALAR] = "scalar",   [MMM_LIMIT_TURN] = "turn",
    [MMM_LIMIT_BETWEEN] = "between", [MMM_LIMIT_MEMORY] = "memory",
};

const char *mmm_limit_name(int limit)
{
    return limit >= 0 && limit < MMM_LIMITS ? limit_names[limit] : NULL;
}

/* Turns in vectors are the rule: what they would take one by one counts for little where nothing is known. */
const double mmm_factors_usual[MMM_LIMITS] = {1, 1, 1, 1, 0.05, 0.05, 1, 1};

double mmm_past_level(double bytes, double level)
{
    const double x = bytes > 0 ? level / bytes : INFINITY, square = x * x;
    return 1 / (1 + square * square);
}

double mmm_line_time(double bytes, const double *c)
{
    const double second = mmm_past_level(bytes, c[MMM_CONSTANT_LEVEL_1]),
                 third = mmm_past_level(bytes, c[MMM_CONSTANT_LEVEL_2]),
                 memory = mmm_past_level(bytes, c[MMM_CONSTANT_LEVEL_3]);
    return second * (1 - third) * c[MMM_CONSTANT_LINE_2] + third * (1 - memory) * c[MMM_CONSTANT_LINE_3] +
           memory * c[MMM_CONSTANT_LINE_MEMORY];
}

/* Vectors that a row of turns is: full ones, half a one, and what is left one by one. */
static double vectors(int64_t turns, int64_t lanes, double remainder)
{
    const int64_t full = turns / lanes, rest = turns % lanes, half = lanes > 1 ? lanes / 2 : 1, halves = rest / half;
    const double single = (double)rest * remainder, split = (double)halves + (double)(rest % half) * remainder;
    return (double)full + fmin(single, split);
}

double mmm_bytes_touched(double bytes, double lines, double blocks)
{
    return fmin(bytes, 64 * lines * fmax(blocks, 1));
}

double mmm_lines_time(double lines, double distinct, double bytes, double blocks, double first_line, const double *c)
{
    const double first = mmm_bytes_touched(bytes, distinct, blocks) / fmax(blocks, 1) / 64;
    return first * first_line + (fmax(lines, distinct) - first) * mmm_line_time(64 * distinct, c);
}

void mmm_blocks_overlap(double blocks, const double *c, double limits[MMM_LIMITS])
{
    const double all = limits[MMM_LIMIT_START] + limits[MMM_LIMIT_LATENCY] + limits[MMM_LIMIT_ISSUE] +
                       limits[MMM_LIMIT_SCATTER] + limits[MMM_LIMIT_BETWEEN];
    if (blocks > 1 && all > 0)
        limits[MMM_LIMIT_LATENCY] *= 1 - (1 - 1 / blocks) * c[MMM_CONSTANT_WINDOW] / (c[MMM_CONSTANT_WINDOW] + all);
}

void mmm_part_time(const mmm_part *p, const double *c, double limits[MMM_LIMITS])
{
    if (!p->width) {
        limits[MMM_LIMIT_START] += c[MMM_CONSTANT_BLOCK];
        limits[MMM_LIMIT_BETWEEN] +=
            (double)p->operations[0] * c[MMM_CONSTANT_BETWEEN] + (double)p->own * c[MMM_CONSTANT_FETCH] +
            (double)p->operations[MMM_OPERATION_EXCHANGE] * c[MMM_CONSTANT_ISSUE + MMM_OPERATION_EXCHANGE];
        return;
    }
    if (!p->turns) return;
    const double each = 1 / (double)p->turns;
    double single = ((double)p->vector + 0.5 * (double)p->same) * c[MMM_CONSTANT_ACCESS] +
                    (double)p->own * c[MMM_CONSTANT_OWN],
           latency = 0;
    for (int k = 0; k <= MMM_OPERATION_KINDS; k++) {
        if (!p->operations[k]) continue;
        single += (double)p->operations[k] * c[MMM_CONSTANT_ISSUE + k];
        latency += (double)p->operations[k] * c[MMM_CONSTANT_LATENCY + k];
    }
    const double rows = (double)p->turns / (double)p->width;
    const double issue =
        c[MMM_CONSTANT_PART] + each * single * rows * vectors(p->width, p->lanes, c[MMM_CONSTANT_REMAINDER]);
    latency = c[MMM_CONSTANT_CHAIN] + each * latency;
    /* The larger of the two, smoothly; each has the part of it that it has of the fourth powers. */
    const double most = fmax(issue, latency), a = issue / most, b = latency / most, x = a * a * a * a,
                 y = b * b * b * b;
    const double time = most * sqrt(sqrt(x + y));
    limits[MMM_LIMIT_ISSUE] += time * x / (x + y);
    limits[MMM_LIMIT_LATENCY] += time * y / (x + y);
    limits[MMM_LIMIT_SCATTER] +=
        (double)p->gathered * c[MMM_CONSTANT_GATHER] + (double)p->scattered * c[MMM_CONSTANT_SCATTER];
    limits[MMM_LIMIT_SCALAR] += single;
    limits[MMM_LIMIT_TURN] += (double)p->turns * c[MMM_CONSTANT_TURN];
}
