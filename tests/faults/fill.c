/* SPDX-License-Identifier: Apache-2.0 */
/* Oclgrind with another clEnqueueFillBuffer.  Its own fills four bytes at a time, and its plugin for uninitialised
 * values takes each for all there is of the buffer: what kernels write there later is not followed, and whatever is
 * read is reported.  Here a buffer is filled by one write, which is followed. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdlib.h>
#include <string.h>

cl_int clEnqueueFillBuffer(cl_command_queue queue, cl_mem buffer, const void *pattern, size_t pattern_size,
                           size_t offset, size_t size, cl_uint wait_count, const cl_event *wait, cl_event *event)
{
    char *values = malloc(size);
    if (!values) return CL_OUT_OF_HOST_MEMORY;
    for (size_t i = 0; i < size; i += pattern_size)
        memcpy(values + i, pattern, pattern_size);
    cl_int error = clEnqueueWriteBuffer(queue, buffer, CL_TRUE, offset, size, values, wait_count, wait, event);
    free(values);
    return error;
}
