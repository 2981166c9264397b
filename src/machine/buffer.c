/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers of any machine, and those of machines that work in host memory. */
#include "machine/machine.h"

#include <stdlib.h>
#include <string.h>

mmm_status mmm_buffer_new(mmm_machine *machine, size_t bytes, void **buffer)
{
    mmm_status status = mmm_machine_check_process(machine);
    return status == MMM_OK ? machine->type->memory->make(machine, bytes ? bytes : 4, buffer) : status;
}

void mmm_buffer_free(mmm_machine *machine, void *buffer)
{
    if (buffer && mmm_machine_is_ours(machine)) machine->type->memory->release(machine, buffer);
}

/* Bytes that are worth putting by. */
static const size_t SPARE_MOST = (size_t)32 << 20;

/* Of those put by one that is large enough, and not twice as large. */
static bool find_spare(mmm_spare *spares, int *count, size_t *bytes, void **memory)
{
    for (int i = *count - 1; i >= 0; i--) {
        const mmm_spare spare = spares[i];
        if (spare.bytes < *bytes || spare.bytes / 2 > *bytes) continue;
        memmove(spares + i, spares + i + 1, (size_t)(--*count - i) * sizeof *spares);
        *bytes = spare.bytes;
        *memory = spare.buffer;
        return true;
    }
    return false;
}

static void put_by(mmm_machine *machine, mmm_spare *spares, int *count, mmm_spare spare,
                   void (*drop)(mmm_machine *machine, void *memory))
{
    if (*count == MMM_SPARES_MOST) {
        drop(machine, spares[0].buffer);
        --*count;
        memmove(spares, spares + 1, (size_t)*count * sizeof *spares);
    }
    spares[(*count)++] = spare;
}

mmm_status mmm_buffer_take(mmm_machine *machine, size_t *bytes, void **buffer)
{
    mmm_status status = mmm_machine_check_process(machine);
    if (status == MMM_OK && find_spare(machine->spares, &machine->spare_count, bytes, buffer)) return MMM_OK;
    if (status == MMM_OK) status = mmm_buffer_new(machine, *bytes, buffer);
    if ((status == MMM_TOO_LARGE || status == MMM_MEMORY) && machine->spare_count) {
        mmm_buffer_drop_spares(machine);
        status = mmm_buffer_new(machine, *bytes, buffer);
    }
    return status;
}

void mmm_buffer_put_by(mmm_machine *machine, size_t bytes, void *buffer)
{
    if ((machine->type->memory == &mmm_memory_host && !machine->cpu) || bytes > SPARE_MOST || !buffer)
        mmm_buffer_free(machine, buffer);
    else
        put_by(machine, machine->spares, &machine->spare_count, (mmm_spare){buffer, bytes}, mmm_buffer_free);
}

void mmm_buffer_drop_spares(mmm_machine *machine)
{
    while (machine->spare_count > 0)
        mmm_buffer_free(machine, machine->spares[--machine->spare_count].buffer);
    while (machine->stage_count > 0)
        mmm_stage_free(machine, machine->stages[--machine->stage_count].buffer);
}

mmm_status mmm_buffer_write(mmm_machine *machine, void *buffer, size_t offset, const void *from, size_t bytes)
{
    mmm_status result = MMM_OK;
    TRY(mmm_machine_check_process(machine));
    if (bytes) TRY(machine->type->memory->write(machine, buffer, offset, from, bytes));
    machine->bytes_in += (int64_t)bytes;
done:
    return result;
}

mmm_status mmm_buffer_read(mmm_machine *machine, void *buffer, size_t offset, void *to, size_t bytes)
{
    mmm_status result = MMM_OK;
    TRY(mmm_machine_check_process(machine));
    if (bytes) TRY(machine->type->memory->read(machine, buffer, offset, to, bytes));
    machine->bytes_out += (int64_t)bytes;
done:
    return result;
}

mmm_status mmm_buffer_copy(mmm_machine *machine, void *to, size_t to_offset, void *from, size_t from_offset,
                           size_t bytes)
{
    mmm_status status = mmm_machine_check_process(machine);
    return status == MMM_OK && bytes ? machine->type->memory->copy(machine, to, to_offset, from, from_offset, bytes)
                                     : status;
}

mmm_status mmm_buffer_zero(mmm_machine *machine, void *buffer, size_t bytes)
{
    mmm_status status = mmm_machine_check_process(machine);
    return status == MMM_OK && bytes ? machine->type->memory->zero(machine, buffer, bytes) : status;
}

mmm_status mmm_buffer_finish(mmm_machine *machine)
{
    mmm_status status = mmm_machine_check_process(machine);
    return status == MMM_OK && machine->type->memory->finish ? machine->type->memory->finish(machine) : status;
}

mmm_status mmm_stage_new(mmm_machine *machine, size_t bytes, void **memory)
{
    mmm_status status = mmm_machine_check_process(machine);
    if (status != MMM_OK || !machine->type->memory->stage)
        return status == MMM_OK ? mmm_alloc(memory, (int64_t)bytes, 1) : status;
    return machine->type->memory->stage(machine, bytes ? bytes : 4, memory);
}

void mmm_stage_free(mmm_machine *machine, void *memory)
{
    if (!machine->type->memory->stage)
        free(memory);
    else if (memory && mmm_machine_is_ours(machine))
        machine->type->memory->unstage(machine, memory);
}

mmm_status mmm_stage_take(mmm_machine *machine, size_t *bytes, void **memory)
{
    mmm_status status = mmm_machine_check_process(machine);
    if (status == MMM_OK && find_spare(machine->stages, &machine->stage_count, bytes, memory)) return MMM_OK;
    return status == MMM_OK ? mmm_stage_new(machine, *bytes, memory) : status;
}

void mmm_stage_put_by(mmm_machine *machine, size_t bytes, void *memory)
{
    if (bytes > SPARE_MOST || !memory)
        mmm_stage_free(machine, memory);
    else
        put_by(machine, machine->stages, &machine->stage_count, (mmm_spare){memory, bytes}, mmm_stage_free);
}

mmm_status mmm_stage_reach(mmm_machine *machine, size_t need, size_t *bytes, void *memory)
{
    mmm_status result = MMM_OK;
    size_t room = need > 2 * *bytes ? need : 2 * *bytes;
    void *old, *more = NULL;
    if (need <= *bytes) return MMM_OK;
    TRY(mmm_stage_take(machine, &room, &more));
    memcpy(&old, memory, sizeof old);
    if (*bytes) memcpy(more, old, *bytes);
    mmm_stage_put_by(machine, *bytes, old);
    memcpy(memory, &more, sizeof more);
    *bytes = room;
done:
    return result;
}

static mmm_status make_host(mmm_machine *machine, size_t bytes, void **buffer)
{
    (void)machine;
    return mmm_alloc(buffer, (int64_t)bytes, 1);
}

static void release_host(mmm_machine *machine, void *buffer)
{
    (void)machine;
    free(buffer);
}

static mmm_status write_host(mmm_machine *machine, void *buffer, size_t offset, const void *from, size_t bytes)
{
    (void)machine;
    memcpy((char *)buffer + offset, from, bytes);
    return MMM_OK;
}

static mmm_status read_host(mmm_machine *machine, void *buffer, size_t offset, void *to, size_t bytes)
{
    (void)machine;
    memcpy(to, (const char *)buffer + offset, bytes);
    return MMM_OK;
}

static mmm_status copy_host(mmm_machine *machine, void *to, size_t to_offset, void *from, size_t from_offset,
                            size_t bytes)
{
    (void)machine;
    memcpy((char *)to + to_offset, (const char *)from + from_offset, bytes);
    return MMM_OK;
}

static mmm_status zero_host(mmm_machine *machine, void *buffer, size_t bytes)
{
    (void)machine;
    memset(buffer, 0, bytes);
    return MMM_OK;
}

const mmm_memory_type mmm_memory_host = {
    .make = make_host,
    .release = release_host,
    .write = write_host,
    .read = read_host,
    .copy = copy_host,
    .zero = zero_host,
};
