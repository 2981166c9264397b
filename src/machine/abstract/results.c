/* SPDX-License-Identifier: Apache-2.0 */
/* What goes to the caller: whether somebody wrote it. */
#include "machine/abstract/count.h"

#include <stdlib.h>
#include <string.h>

void mmm_abstract_forget(mmm_abstract *state)
{
    for (int i = 0; i < ZONES_GLOBAL; i++)
        free(state->written[i]);
    free(state->regions);
    free(state->violations);
    memset(state, 0, sizeof *state);
}

static bool is_written(const unsigned char *written, int64_t i)
{
    return written[i / 8] >> i % 8 & 1;
}

/* Notes elements of an array that go to the caller and nobody wrote, in the last kernel that might have. */
static mmm_status check_results(mmm_machine *machine, const mmm_program *program, int array, int64_t first,
                                int64_t count)
{
    mmm_status result = MMM_OK;
    mmm_abstract *state = machine->state;
    const unsigned char *written = state->written[array];
    mmm_violation v = {.kind = MMM_VIOLATION_UNWRITTEN_RESULT,
                       .memory = "global",
                       .array = program->arrays[array].name,
                       .second = {"no kernel", -1, -1},
                       .file = ""};
    for (int64_t i = first; written && i < first + count; i++) {
        if (is_written(written, i)) continue;
        if (v.count++ == 0) v.index = i;
    }
    if (v.count == 0) return MMM_OK;
    for (int64_t k = 0; k < program->kernels; k++) {
        const mmm_node *node = &program->nodes[k];
        for (int i = 0; i < node->code->parameter_count; i++) {
            const mmm_kernel_parameter *p = &node->code->parameters[i];
            if (p->kind != MMM_PARAMETER_ARRAY || !p->written || node->arguments[i].number != array) continue;
            v.second.kernel = node->code->name;
            v.file = node->code->file;
        }
    }
    TRY(mmm_grow(&state->violations, &state->room, machine->counts.violation_count + 1, sizeof v));
    state->violations[machine->counts.violation_count++] = v;
    machine->counts.violations = state->violations;
done:
    return result;
}

/* All of an MMM_OUT array goes to the caller; of others, what is fetched. */
mmm_status mmm_abstract_results(mmm_machine *machine, const mmm_counter *c, int i)
{
    mmm_status result = MMM_OK;
    mmm_abstract *state = machine->state;
    const mmm_global *array = &c->program->arrays[i];
    const int64_t count = array->count * c->program->batch;
    bool goes = array->use & (MMM_OUT | MMM_RESULT);
    if (!goes || array->use & (MMM_IN | MMM_ZERO) || array->buffer) return MMM_OK;
    TRY(mmm_alloc(&state->written[i], count / 8 + 1, 1));
    for (int64_t j = 0; j < count; j++)
        if (c->zones[i].cells[j].writer) state->written[i][j / 8] |= (unsigned char)(1 << j % 8);
    if (array->use & MMM_OUT) TRY(check_results(machine, c->program, i, 0, count));
done:
    return result;
}

/* The elements are there; whether somebody wrote them is said now. */
mmm_status mmm_abstract_fetch(mmm_machine *machine, const mmm_program *program, int array, int64_t first, int64_t count)
{
    return check_results(machine, program, array, first, count);
}
