/* SPDX-License-Identifier: Apache-2.0 */
/* Machines by name, and what all of them do alike. */
#include "machine/machine.h"

#include <stdlib.h>
#include <string.h>

static const mmm_machine_type *const types[] = {&mmm_machine_abstract, &mmm_machine_cpu};

enum { TYPES = sizeof types / sizeof *types };

const mmm_machine_info *mmm_machine_list(void)
{
    static _Thread_local mmm_machine_info list[TYPES + 1];
    for (int i = 0; i < TYPES; i++)
        list[i] = (mmm_machine_info){types[i]->name, types[i]->summary};
    return list;
}

static mmm_status open_type(const mmm_machine_type *type, const mmm_parameters *parameters, uint64_t seed,
                            mmm_machine **out)
{
    mmm_status result = MMM_OK;
    mmm_machine *machine = NULL;
    TRY(mmm_alloc(&machine, 1, sizeof *machine));
    machine->type = type;
    machine->parameters = *parameters;
    machine->seed = seed;
    TRY(type->open(machine));
    *out = machine;
    machine = NULL;
done:
    free(machine);
    return result;
}

mmm_status mmm_machine_open(const char *name, mmm_machine **out)
{
    char known[256] = "";
    for (int i = 0; i < TYPES; i++) {
        if (strcmp(types[i]->name, name) == 0) return open_type(types[i], mmm_parameters_builtin(), 1, out);
        strcat(strcat(known, i ? ", " : ""), types[i]->name);
    }
    return mmm_fail(MMM_INVALID, "unknown machine '%s'; the machines are %s", name, known);
}

mmm_status mmm_machine_open_abstract(const mmm_parameters *parameters, uint64_t seed, mmm_machine **out)
{
    return open_type(&mmm_machine_abstract, parameters, seed, out);
}

void mmm_machine_free(mmm_machine *machine)
{
    if (!machine) return;
    machine->type->close(machine);
    free(machine);
}

const char *mmm_machine_description(const mmm_machine *machine)
{
    return machine->description;
}

void mmm_machine_on_progress(mmm_machine *machine, mmm_progress *progress, void *context)
{
    machine->progress = progress;
    machine->progress_context = context;
}

const mmm_counts *mmm_machine_counts(const mmm_machine *machine)
{
    return machine->type == &mmm_machine_abstract ? &machine->counts : NULL;
}

mmm_status mmm_machine_run(mmm_machine *machine, mmm_program *program, double *seconds)
{
    mmm_status result = MMM_OK;
    mmm_order order = {0};
    double elapsed = 0;
    for (int64_t k = 0; k < program->kernels; k++)
        if (!program->nodes[k].code)
            FAIL(MMM_INVALID, "kernel '%s' has no code: the program can be analysed but not run",
                 program->nodes[k].name);
    TRY(mmm_order_new(program, &order));
    TRY(machine->type->run(machine, program, &order, &elapsed));
    if (seconds) *seconds = elapsed;
done:
    mmm_order_free(&order);
    return result;
}
