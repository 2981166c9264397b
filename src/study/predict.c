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

/* The measures of the program with the costs that were counted or sampled; its own stay as they are. */
static mmm_status measure(const mmm_program *program, const mmm_profiles *profiles, const mmm_parameters *machine,
                          mmm_measures *out)
{
    mmm_status result = MMM_OK;
    mmm_cost *costs = NULL;
    mmm_cost_list *lists = NULL;
    TRY(mmm_alloc(&costs, profiles->group_count, sizeof *costs));
    TRY(mmm_alloc(&lists, profiles->kernels, sizeof *lists));
    for (int64_t g = 0; g < profiles->group_count; g++)
        costs[g] = profiles->groups[g].cost;
    for (int64_t k = 0; k < profiles->kernels; k++)
        lists[k] = (mmm_cost_list){costs + profiles->first[k], (int)(profiles->first[k + 1] - profiles->first[k])};
    TRY(mmm_measures_of(program, lists, machine, out));
done:
    free(costs);
    free(lists);
    return result;
}

mmm_status mmm_predict(mmm_job *job, const mmm_parameters *machine, mmm_prediction *out)
{
    mmm_status result = MMM_OK;
    mmm_profiles profiles = {0};
    mmm_kernel_time *times = NULL;
    mmm_shape shape;
    mmm_measures measures;
    NEED(job, "the job");
    NEED(out, "the place for the prediction");
    MMM_TRY(mmm_parameters_check(machine));
    if (!(machine->operation > 0))
        FAIL(MMM_INVALID, "machine %s is not calibrated: the time of a local operation is not known", machine->name);
    TRY(mmm_profile_job(job, machine, MMM_PROFILE_BUDGET, &profiles));
    TRY(mmm_program_shape(job->program, &shape));
    TRY(measure(job->program, &profiles, machine, &measures));
    mmm_rates rates = mmm_rates_of(machine, job->app->name);
    double bound = machine->P ? mmm_theorem1(&shape, &measures, machine->P) : mmm_corollary1(&shape, &measures);
    mmm_prediction prediction = {.plain = bound * machine->operation, .exact = profiles.exact, .measures = measures};
    TRY(mmm_alloc(&times, profiles.kernels, sizeof *times));
    for (int64_t k = 0; k < profiles.kernels; k++)
        times[k] = mmm_extended_kernel(&job->program->nodes[k], profiles.groups + profiles.first[k],
                                       profiles.first[k + 1] - profiles.first[k], machine, &rates);
    TRY(mmm_extended_program(job->program, times, machine->P, &prediction.extended, &prediction.estimate));
    const double decisions = (double)shape.decisions * machine->decide * machine->operation;
    prediction.extended += decisions;
    prediction.estimate += decisions;
    *out = prediction;
done:
    free(times);
    mmm_profiles_free(&profiles);
    return result;
}
