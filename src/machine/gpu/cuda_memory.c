/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of a CUDA device.  Everything goes through the machine's stream, which keeps the order. */
#include "machine/gpu/cuda_driver.h"

mmm_status mmm_cuda_enter(mmm_machine *machine)
{
    mmm_status result = MMM_OK;
    const cuda_state *x = machine->state;
    CUDA(mmm_cuda.context_push(x->context));
    if (x->gpu.lost)
        result = mmm_cuda_leave(machine, mmm_fail(MMM_DEVICE, "the CUDA device failed in an earlier run: only a new "
                                                              "process can use it again"));
done:
    return result;
}

/* What was begun must end before the host's arrays may change; an error that lasts shows here again. */
mmm_status mmm_cuda_leave(mmm_machine *machine, mmm_status result)
{
    cuda_state *x = machine->state;
    cuda_context old;
    if (result != MMM_OK && !x->gpu.lost && !x->gpu.late) x->gpu.lost = mmm_cuda.stream_synchronize(x->stream) != 0;
    mmm_cuda.context_pop(&old);
    return result;
}

static mmm_status make_buffer(mmm_machine *machine, size_t bytes, void **buffer)
{
    cuda_pointer memory;
    size_t available, total;
    mmm_status result = mmm_cuda_enter(machine);
    if (result != MMM_OK) return result;
    cuda_result error = mmm_cuda.memory_alloc(&memory, bytes);
    if (error == CUDA_ERROR_OUT_OF_MEMORY && mmm_cuda.memory_info(&available, &total) == 0 && bytes > available)
        FAIL(MMM_TOO_LARGE, "%.1f GB of device memory are needed, %.1f GB are available", (double)bytes / 1e9,
             (double)available / 1e9);
    if (error != 0) {
        result = mmm_cuda_explain(error, "cuda.memory_alloc");
        goto done;
    }
    *buffer = (void *)(uintptr_t)memory;
done:
    return mmm_cuda_leave(machine, result);
}

static mmm_status find_available(mmm_machine *machine, uint64_t *bytes)
{
    size_t available, total;
    mmm_status result = mmm_cuda_enter(machine);
    if (result != MMM_OK) return result;
    CUDA(mmm_cuda.memory_info(&available, &total));
    *bytes = available;
done:
    return mmm_cuda_leave(machine, result);
}

static void release_buffer(mmm_machine *machine, void *buffer)
{
    const cuda_state *x = machine->state;
    cuda_context old;
    if (mmm_cuda.context_push(x->context) != 0) return; /* the memory went with the context */
    mmm_cuda.memory_free((cuda_pointer)(uintptr_t)buffer);
    mmm_cuda.context_pop(&old);
}

static mmm_status write_buffer(mmm_machine *machine, void *buffer, size_t offset, const void *from, size_t bytes)
{
    const cuda_state *x = machine->state;
    mmm_status result = mmm_cuda_enter(machine);
    if (result != MMM_OK) return result;
    CUDA(mmm_cuda.copy_in((cuda_pointer)(uintptr_t)buffer + offset, from, bytes, x->stream));
    CUDA(mmm_cuda.stream_synchronize(x->stream));
done:
    return mmm_cuda_leave(machine, result);
}

static mmm_status read_buffer(mmm_machine *machine, void *buffer, size_t offset, void *to, size_t bytes)
{
    const cuda_state *x = machine->state;
    mmm_status result = mmm_cuda_enter(machine);
    if (result != MMM_OK) return result;
    CUDA(mmm_cuda.copy_out(to, (cuda_pointer)(uintptr_t)buffer + offset, bytes, x->stream));
    CUDA(mmm_cuda.stream_synchronize(x->stream));
done:
    return mmm_cuda_leave(machine, result);
}

/* These are only queued. */
static mmm_status send(mmm_machine *machine, void *buffer, size_t offset, const void *from, size_t bytes)
{
    mmm_status result = MMM_OK;
    const cuda_state *x = machine->state;
    CUDA(mmm_cuda.copy_in((cuda_pointer)(uintptr_t)buffer + offset, from, bytes, x->stream));
done:
    return result;
}

static mmm_status receive(mmm_machine *machine, void *buffer, size_t offset, void *to, size_t bytes)
{
    mmm_status result = MMM_OK;
    const cuda_state *x = machine->state;
    CUDA(mmm_cuda.copy_out(to, (cuda_pointer)(uintptr_t)buffer + offset, bytes, x->stream));
done:
    return result;
}

static mmm_status finish(mmm_machine *machine)
{
    const cuda_state *x = machine->state;
    mmm_status result = mmm_cuda_enter(machine);
    if (result != MMM_OK) return result;
    CUDA(mmm_cuda.stream_synchronize(x->stream));
done:
    return mmm_cuda_leave(machine, result);
}

/* Memory that the system does not move, so that the device reads and writes it itself. */
static mmm_status make_stage(mmm_machine *machine, size_t bytes, void **memory)
{
    mmm_status result = mmm_cuda_enter(machine);
    if (result != MMM_OK) return result;
    CUDA(mmm_cuda.host_alloc(memory, bytes, 0));
done:
    return mmm_cuda_leave(machine, result);
}

static void release_stage(mmm_machine *machine, void *memory)
{
    const cuda_state *x = machine->state;
    cuda_context old;
    if (mmm_cuda.context_push(x->context) != 0) return;
    mmm_cuda.host_free(memory);
    mmm_cuda.context_pop(&old);
}

static mmm_status copy_buffer(mmm_machine *machine, void *to, size_t to_offset, void *from, size_t from_offset,
                              size_t bytes)
{
    const cuda_state *x = machine->state;
    mmm_status result = mmm_cuda_enter(machine);
    if (result != MMM_OK) return result;
    CUDA(mmm_cuda.copy((cuda_pointer)(uintptr_t)to + to_offset, (cuda_pointer)(uintptr_t)from + from_offset, bytes,
                       x->stream));
done:
    return mmm_cuda_leave(machine, result);
}

static mmm_status zero_buffer(mmm_machine *machine, void *buffer, size_t bytes)
{
    const cuda_state *x = machine->state;
    mmm_status result = mmm_cuda_enter(machine);
    if (result != MMM_OK) return result;
    CUDA(mmm_cuda.fill((cuda_pointer)(uintptr_t)buffer, 0, bytes, x->stream));
done:
    return mmm_cuda_leave(machine, result);
}

const mmm_memory_type mmm_memory_cuda = {
    .make = make_buffer,
    .release = release_buffer,
    .write = write_buffer,
    .read = read_buffer,
    .send = send,
    .receive = receive,
    .finish = finish,
    .stage = make_stage,
    .unstage = release_stage,
    .copy = copy_buffer,
    .zero = zero_buffer,
    .available = find_available,
};
