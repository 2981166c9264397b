/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of an OpenCL device.  The queue keeps no order, so every call waits for its end. */
#include "machine/gpu/opencl_driver.h"

static mmm_status make_buffer(mmm_machine *machine, size_t bytes, void **buffer)
{
    const opencl_state *x = machine->state;
    cl_int error;
    cl_mem memory = mmm_cl.CreateBuffer(x->context, CL_MEM_READ_WRITE, bytes, NULL, &error);
    if (error == CL_INVALID_BUFFER_SIZE)
        return mmm_fail(MMM_TOO_LARGE, "%.1f GB: more than the device takes in one array", (double)bytes / 1e9);
    if (error != CL_SUCCESS) return mmm_opencl_explain(error, "cl.CreateBuffer");
    *buffer = memory;
    return MMM_OK;
}

static void release_buffer(mmm_machine *machine, void *buffer)
{
    (void)machine;
    mmm_cl.ReleaseMemObject(buffer);
}

static mmm_status write_buffer(mmm_machine *machine, void *buffer, size_t offset, const void *from, size_t bytes)
{
    mmm_status result = MMM_OK;
    const opencl_state *x = machine->state;
    CL(mmm_cl.EnqueueWriteBuffer(x->queue, buffer, CL_TRUE, offset, bytes, from, 0, NULL, NULL));
done:
    return result;
}

static mmm_status read_buffer(mmm_machine *machine, void *buffer, size_t offset, void *to, size_t bytes)
{
    mmm_status result = MMM_OK;
    const opencl_state *x = machine->state;
    CL(mmm_cl.EnqueueReadBuffer(x->queue, buffer, CL_TRUE, offset, bytes, to, 0, NULL, NULL));
done:
    return result;
}

static mmm_status copy_buffer(mmm_machine *machine, void *to, size_t to_offset, void *from, size_t from_offset,
                              size_t bytes)
{
    mmm_status result = MMM_OK;
    const opencl_state *x = machine->state;
    CL(mmm_cl.EnqueueCopyBuffer(x->queue, from, to, from_offset, to_offset, bytes, 0, NULL, NULL));
    CL(mmm_cl.Finish(x->queue));
done:
    return result;
}

static mmm_status zero_buffer(mmm_machine *machine, void *buffer, size_t bytes)
{
    mmm_status result = MMM_OK;
    const opencl_state *x = machine->state;
    const cl_uint zero = 0;
    CL(mmm_cl.EnqueueFillBuffer(x->queue, buffer, &zero, sizeof zero, 0, bytes, 0, NULL, NULL));
    CL(mmm_cl.Finish(x->queue));
done:
    return result;
}

const mmm_memory_type mmm_memory_opencl = {
    .make = make_buffer,
    .release = release_buffer,
    .write = write_buffer,
    .read = read_buffer,
    .copy = copy_buffer,
    .zero = zero_buffer,
};
