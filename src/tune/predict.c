/* SPDX-License-Identifier: Apache-2.0 */
/* Prediction: from measures and a calibrated machine to a time (section 2.4). */
#include "apps/apps.h"

mmm_status mmm_predict(mmm_job *job, const mmm_parameters *machine, mmm_prediction *out)
{
    mmm_status result = MMM_OK;
    mmm_machine *abstract = NULL;
    mmm_shape shape;
    mmm_measures measures;
    if (!(machine->operation > 0))
        FAIL(MMM_INVALID, "machine %s is not calibrated: the time of a local operation is not known", machine->name);
    TRY(mmm_machine_open_abstract(machine, 1, &abstract));
    TRY(mmm_job_run(job, abstract, NULL));
    TRY(mmm_program_shape(mmm_job_program(job), &shape));
    TRY(mmm_program_measures(mmm_job_program(job), machine, &measures));
    double bound = machine->P ? mmm_theorem1(&shape, &measures, machine->P) : mmm_corollary1(&shape, &measures);
    out->plain = bound * machine->operation;
    out->extended = out->plain + (double)shape.L * machine->launch * machine->operation;
done:
    mmm_machine_free(abstract);
    return result;
}
