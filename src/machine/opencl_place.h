/* SPDX-License-Identifier: Apache-2.0 */
/* What buffers need to know of their OpenCL machine: the first member of its state. */
#ifndef MMM_OPENCL_PLACE_H
#define MMM_OPENCL_PLACE_H

#define CL_TARGET_OPENCL_VERSION 120
#include "mmm.h"

#include <CL/cl.h>

typedef struct opencl_place {
    cl_context context;
    cl_command_queue queue;
    mmm_status (*explain)(cl_int error, const char *call); /* a failed "cl.Call(...)" as status and message */
    __typeof__(&clCreateBuffer) CreateBuffer;
    __typeof__(&clReleaseMemObject) ReleaseMemObject;
    __typeof__(&clEnqueueWriteBuffer) EnqueueWriteBuffer;
    __typeof__(&clEnqueueReadBuffer) EnqueueReadBuffer;
    __typeof__(&clEnqueueCopyBuffer) EnqueueCopyBuffer;
    __typeof__(&clEnqueueFillBuffer) EnqueueFillBuffer;
    __typeof__(&clFinish) Finish;
} opencl_place;

#endif
