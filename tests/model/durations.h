/* SPDX-License-Identifier: Apache-2.0 */
/* How long blocks take, and what the extended model says of them. */
#ifndef MMM_TESTS_DURATIONS_H
#define MMM_TESTS_DURATIONS_H

#include "testing.h"

#include <math.h>

static inline double duration_of(const mmm_cost *cost, double U)
{
    return (double)cost->span + (double)(cost->reads + cost->writes) * U;
}

/* What the extended model says of a program whose kernels all take `launch` to start, on SMs with `resident` blocks at
 * once. */
static inline double extended_bound(const mmm_program *program, double U, double launch, int64_t resident, int64_t P)
{
    static mmm_kernel_time times[64];
    double bound, estimate;
    for (int k = 0; k < (int)program->kernels; k++) {
        times[k] = (mmm_kernel_time){.launch = launch};
        for (int g = 0; g < program->nodes[k].groups; g++) {
            double duration = duration_of(&program->nodes[k].costs[g], U);
            times[k].blocks += duration * (double)program->nodes[k].costs[g].blocks;
            times[k].longest = fmax(times[k].longest, (double)resident * duration);
        }
    }
    assert_ok(mmm_extended_program(program, times, P, &bound, &estimate));
    return bound;
}

#endif
