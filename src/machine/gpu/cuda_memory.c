/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of a CUDA device.  Everything goes through the machine's stream, which keeps the order. */
#include "machine/gpu/cuda_driver.h"

static mmm_status enter(const cuda_place *x)
{
    if (*x->lost) return mmm_fail(MMM_DEVICE, "the CUDA device was lost in an earlier run: open the machine again");
    if (mmm_cuda.context_push(x->context) != 0) return mmm_fail(MMM_DEVICE, "the CUDA context cannot be used");
    return MMM_OK;
}

/* An error of the device ends its context. */
static mmm_status leave(const cuda_place *x, mmm_status result)
{
    cuda_context old;
    if (result == MMM_DEVICE) *x->lost = true;
    mmm_cuda.context_pop(&old);
    return result;
}

static mmm_status make_buffer(mmm_machine *machine, size_t bytes, void **buffer)
{
    const cuda_place *x = machine->state;
    cuda_pointer memory;
    size_t available, total;
    mmm_status result = enter(x);
    if (result != MMM_OK) return result;
    cuda_result error = mmm_cuda.memory_alloc(&memory, bytes);
    if (error == CUDA_ERROR_OUT_OF_MEMORY && mmm_cuda.memory_info(&available, &total) == 0)
        FAIL(MMM_TOO_LARGE, "%.1f GB of device memory are needed, %.1f GB are available", (double)bytes / 1e9,
             (double)available / 1e9);
    if (error != 0) {
        result = mmm_cuda_explain(error, "cuda.memory_alloc");
        goto done;
    }
    *buffer = (void *)(uintptr_t)memory;
done:
    return leave(x, result);
}

static void release_buffer(mmm_machine *machine, void *buffer)
{
    const cuda_place *x = machine->state;
    cuda_context old;
    if (*x->lost || mmm_cuda.context_push(x->context) != 0) return; /* the memory went with the context */
    mmm_cuda.memory_free((cuda_pointer)(uintptr_t)buffer);
    mmm_cuda.context_pop(&old);
}

static mmm_status write_buffer(mmm_machine *machine, void *buffer, size_t offset, const void *from, size_t bytes)
{
    const cuda_place *x = machine->state;
    mmm_status result = enter(x);
    if (result != MMM_OK) return result;
    CUDA(mmm_cuda.copy_in((cuda_pointer)(uintptr_t)buffer + offset, from, bytes, x->stream));
    CUDA(mmm_cuda.stream_synchronize(x->stream));
done:
    return leave(x, result);
}

static mmm_status read_buffer(mmm_machine *machine, void *buffer, size_t offset, void *to, size_t bytes)
{
    const cuda_place *x = machine->state;
    mmm_status result = enter(x);
    if (result != MMM_OK) return result;
    CUDA(mmm_cuda.copy_out(to, (cuda_pointer)(uintptr_t)buffer + offset, bytes, x->stream));
    CUDA(mmm_cuda.stream_synchronize(x->stream));
done:
    return leave(x, result);
}

static mmm_status copy_buffer(mmm_machine *machine, void *to, size_t offset, void *from, size_t bytes)
{
    const cuda_place *x = machine->state;
    mmm_status result = enter(x);
    if (result != MMM_OK) return result;
    CUDA(mmm_cuda.copy((cuda_pointer)(uintptr_t)to + offset, (cuda_pointer)(uintptr_t)from, bytes, x->stream));
done:
    return leave(x, result);
}

static mmm_status zero_buffer(mmm_machine *machine, void *buffer, size_t bytes)
{
    const cuda_place *x = machine->state;
    mmm_status result = enter(x);
    if (result != MMM_OK) return result;
    CUDA(mmm_cuda.fill((cuda_pointer)(uintptr_t)buffer, 0, bytes, x->stream));
done:
    return leave(x, result);
}

const mmm_memory_type mmm_memory_cuda = {
    .make = make_buffer,
    .release = release_buffer,
    .write = write_buffer,
    .read = read_buffer,
    .copy = copy_buffer,
    .zero = zero_buffer,
};
