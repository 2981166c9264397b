/* SPDX-License-Identifier: Apache-2.0 */
/* Prediction: from measures and a calibrated machine to a time (section 2.4 and docs/model.md). */
#include "study/study.h"

#include <stdlib.h>
#include <string.h>

mmm_rates mmm_rates_of(const mmm_parameters *machine, const char *app)
{
    for (int i = 0; i < MMM_RATES_MOST && machine->rates[i].app[0]; i++)
        if (strcmp(machine->rates[i].app, app) == 0) return machine->rates[i];
    double operation = machine->operation;
    return (mmm_rates){.launch = machine->launch * operation,
                       .barrier = machine->barrier * operation,
                       .operation = operation,
                       .word = machine->U * operation};
}

static mmm_status set_costs(mmm_program *program, const mmm_profiles *profiles)
{
    mmm_status result = MMM_OK;
    mmm_cost *costs = NULL;
    int64_t room = 0;
    for (int k = 0; k < (int)program->kernels; k++) {
        int64_t first = profiles->first[k], count = profiles->first[k + 1] - first;
        TRY(mmm_grow(&costs, &room, count, sizeof *costs));
        for (int64_t g = 0; g < count; g++)
            costs[g] = profiles->groups[first + g].cost;
        TRY(mmm_program_set_costs(program, k, costs, (int)count));
    }
done:
    free(costs);
    return result;
}

mmm_status mmm_predict(mmm_job *job, const mmm_parameters *machine, mmm_prediction *out)
{
    mmm_status result = MMM_OK;
    mmm_profiles profiles = {0};
    mmm_shape shape;
    mmm_measures measures;
    if (!(machine->operation > 0))
        FAIL(MMM_INVALID, "machine %s is not calibrated: the time of a local operation is not known", machine->name);
    TRY(mmm_profile_job(job, machine, MMM_PROFILE_BUDGET, &profiles));
    TRY(set_costs(job->program, &profiles));
    TRY(mmm_program_shape(job->program, &shape));
    TRY(mmm_program_measures(job->program, machine, &measures));
    mmm_rates rates = mmm_rates_of(machine, job->app->name);
    double bound = machine->P ? mmm_theorem1(&shape, &measures, machine->P) : mmm_corollary1(&shape, &measures);
    mmm_prediction prediction = {.plain = bound * machine->operation, .exact = profiles.exact};
    for (int64_t k = 0; k < profiles.kernels; k++) {
        const mmm_profile *groups = profiles.groups + profiles.first[k];
        int64_t count = profiles.first[k + 1] - profiles.first[k];
        prediction.extended += mmm_extended_kernel(groups, count, machine) * machine->operation;
        prediction.estimate += mmm_estimate_kernel(&job->program->nodes[k], groups, count, machine, &rates);
    }
    *out = prediction;
done:
    mmm_profiles_free(&profiles);
    return result;
}
