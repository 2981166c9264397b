/* SPDX-License-Identifier: Apache-2.0 */
/* An analysis: shape, measures, bounds and schedules of one program on one machine (section 2). */
#include "model/model.h"

#include <stdlib.h>

/* What was measured of the kernels: in sum, and on the path where it is most. */
static mmm_status add_measured(const mmm_program *program, mmm_analysis *a)
{
    mmm_status result = MMM_OK;
    const mmm_order *order;
    double *until = NULL;
    TRY(mmm_program_order(program, &order));
    TRY(mmm_alloc(&until, order->kernels, sizeof *until));
    for (int i = 0; i < order->kernels; i++) {
        int k = order->sequence[i];
        double before = 0;
        for (int j = order->from_first[k]; j < order->from_first[k + 1]; j++)
            if (until[order->from[j]] > before) before = until[order->from[j]];
        until[k] = before + program->nodes[k].seconds;
        a->measured += program->nodes[k].seconds;
        if (until[k] > a->measured_path) a->measured_path = until[k];
    }
done:
    free(until);
    return result;
}

mmm_status mmm_analysis_make(mmm_analysis *out, const mmm_program *program, const mmm_parameters *machine,
                             const int64_t *P, int count, uint64_t seed)
{
    mmm_status result = MMM_OK;
    mmm_analysis a = {.bound_count = count};
    NEED(out, "the place for the analysis");
    NEED(program, "the program");
    NEED(P || count <= 0, "the array of numbers of SMs");
    MMM_TRY(mmm_parameters_check(machine));
    if (count < 0 || count > MMM_BOUNDS_MOST)
        FAIL(MMM_INVALID, "%d numbers of SMs: from 0 to %d are possible", count, MMM_BOUNDS_MOST);
    a.machine = *machine;
    TRY(mmm_program_shape(program, &a.shape));
    TRY(mmm_program_measures(program, machine, &a.measures));
    a.corollary1 = mmm_corollary1(&a.shape, &a.measures);
    for (int i = 0; i < count; i++) {
        if (P[i] < 1) FAIL(MMM_INVALID, "P=%lld: a machine has at least one SM", (long long)P[i]);
        a.bounds[i] = (mmm_bound){.P = P[i], .bound = mmm_theorem1(&a.shape, &a.measures, P[i])};
        TRY(mmm_program_schedule(program, machine, P[i], seed, NULL, NULL, &a.bounds[i].schedule));
    }
    TRY(add_measured(program, &a));
    *out = a;
done:
    return result;
}
