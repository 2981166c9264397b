/* SPDX-License-Identifier: Apache-2.0 */
/* The part of OpenCL that mmm uses; its header is needed to build, its library only to run. */
#ifndef MMM_OPENCL_DRIVER_H
#define MMM_OPENCL_DRIVER_H

#define CL_TARGET_OPENCL_VERSION 120
#include "machine/gpu/gpu.h"

#include <CL/cl.h>

/* The functions of libOpenCL that are used, under their own names without cl. */
/* clang-format off */
#define MMM_OPENCL_FUNCTIONS(F)                                                                                        \
    F(GetPlatformIDs) F(GetPlatformInfo) F(GetDeviceIDs) F(GetDeviceInfo) F(CreateContext) F(ReleaseContext)           \
    F(CreateCommandQueue) F(ReleaseCommandQueue) F(CreateProgramWithSource) F(CreateProgramWithBinary)                 \
    F(BuildProgram) F(GetProgramInfo) F(GetProgramBuildInfo) F(ReleaseProgram) F(CreateKernel) F(ReleaseKernel)        \
    F(SetKernelArg) F(CreateBuffer) F(ReleaseMemObject) F(EnqueueWriteBuffer) F(EnqueueReadBuffer)                     \
    F(EnqueueCopyBuffer) F(EnqueueFillBuffer) F(EnqueueNDRangeKernel) F(Finish) F(Flush) F(GetEventInfo)               \
    F(ReleaseEvent) F(GetEventProfilingInfo)
/* clang-format on */

#define MMM_OPENCL_MEMBER(name) __typeof__(&cl##name) name;
typedef struct opencl_driver {
    MMM_OPENCL_FUNCTIONS(MMM_OPENCL_MEMBER)
} opencl_driver;

/* The functions, after mmm_opencl_open. */
extern opencl_driver mmm_cl;

enum { MMM_OPENCL_DEVICES_MOST = 32 };

typedef struct opencl_device {
    cl_platform_id platform;
    cl_device_id device;
} opencl_device;

/* Opens the library and finds the devices of all platforms; only the first call does much. */
mmm_status mmm_opencl_open(const opencl_device **devices, int *count);

/* The status and message of an error in `call`, the text of a call of one of the functions above. */
mmm_status mmm_opencl_explain(cl_int error, const char *call);

/* The state of a machine. */
typedef struct opencl_state {
    mmm_gpu gpu; /* first */
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    bool ordered; /* the queue runs kernels one after the other */
    cl_ulong memory, allocation_most;
    cl_event *events; /* of the kernels of the last run */
    int64_t event_count, event_room;
} opencl_state;

/* In a function with `mmm_status result` and a label `done:`. */
#define CL(call)                                        \
    do {                                                \
        cl_int error_ = (call);                         \
        if (error_ != CL_SUCCESS) {                     \
            result = mmm_opencl_explain(error_, #call); \
            goto done;                                  \
        }                                               \
    } while (0)

/* The same for functions that make something and leave their error in `error`. */
#define CL_MADE(call)                                                   \
    do {                                                                \
        (call);                                                         \
        if (error != CL_SUCCESS) {                                      \
            result = mmm_opencl_explain(error, strchr(#call, '=') + 1); \
            goto done;                                                  \
        }                                                               \
    } while (0)

#endif
