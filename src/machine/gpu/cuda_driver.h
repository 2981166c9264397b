/* SPDX-License-Identifier: Apache-2.0 */
/* The part of CUDA's driver interface that mmm uses, so that neither its header nor its library is needed to build. */
#ifndef MMM_CUDA_DRIVER_H
#define MMM_CUDA_DRIVER_H

#include "machine/gpu/gpu.h"

typedef int cuda_result; /* 0: success */
typedef int cuda_device;
typedef uint64_t cuda_pointer;
typedef struct cuda_context_ *cuda_context;
typedef struct cuda_module_ *cuda_module;
typedef struct cuda_function_ *cuda_function;
typedef struct cuda_stream_ *cuda_stream;
typedef struct cuda_event_ *cuda_event;
typedef struct cuda_graph_ *cuda_graph;
typedef struct cuda_node_ *cuda_node;
typedef struct cuda_executable_ *cuda_executable;

enum {
    CUDA_ERROR_OUT_OF_MEMORY = 2,
    CUDA_ERROR_NO_DEVICE = 100,
    CUDA_ERROR_NOT_READY = 600,
    CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
};

enum {
    CUDA_MAX_THREADS_PER_BLOCK = 1,
    CUDA_CLOCK_RATE = 13,
    CUDA_MULTIPROCESSOR_COUNT = 16,
    CUDA_COMPUTE_CAPABILITY_MAJOR = 75,
    CUDA_COMPUTE_CAPABILITY_MINOR = 76,
    CUDA_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
};

enum { CUDA_FUNC_MAX_DYNAMIC_SHARED_SIZE = 8 };

/* CUDA_KERNEL_NODE_PARAMS; the last two members are those of its second form. */
typedef struct cuda_kernel_node {
    cuda_function function;
    unsigned grid[3], block[3], shared_bytes;
    void **arguments, **extra;
    void *kernel, *context;
} cuda_kernel_node;

/* CUgraphEdgeData: when a kernel comes, and what for. */
typedef struct cuda_edge {
    unsigned char from_port, to_port, type, reserved[5];
} cuda_edge;

/* The functions of libcuda that are used: name, own name, arguments. */
/* clang-format off */
#define MMM_CUDA_FUNCTIONS(F)                                                                                          \
    F(init, cuInit, (unsigned))                                                                                        \
    F(driver_version, cuDriverGetVersion, (int *))                                                                     \
    F(device_count, cuDeviceGetCount, (int *))                                                                         \
    F(device_get, cuDeviceGet, (cuda_device *, int))                                                                   \
    F(device_name, cuDeviceGetName, (char *, int, cuda_device))                                                        \
    F(device_attribute, cuDeviceGetAttribute, (int *, int, cuda_device))                                               \
    F(device_memory, cuDeviceTotalMem_v2, (size_t *, cuda_device))                                                     \
    F(context_retain, cuDevicePrimaryCtxRetain, (cuda_context *, cuda_device))                                         \
    F(context_release, cuDevicePrimaryCtxRelease_v2, (cuda_device))                                                    \
    F(context_push, cuCtxPushCurrent_v2, (cuda_context))                                                               \
    F(context_pop, cuCtxPopCurrent_v2, (cuda_context *))                                                               \
    F(error_string, cuGetErrorString, (cuda_result, const char **))                                                    \
    F(module_load, cuModuleLoadData, (cuda_module *, const void *))                                                    \
    F(module_unload, cuModuleUnload, (cuda_module))                                                                    \
    F(module_function, cuModuleGetFunction, (cuda_function *, cuda_module, const char *))                              \
    F(function_set, cuFuncSetAttribute, (cuda_function, int, int))                                                     \
    F(memory_info, cuMemGetInfo_v2, (size_t *, size_t *))                                                              \
    F(memory_alloc, cuMemAlloc_v2, (cuda_pointer *, size_t))                                                           \
    F(memory_free, cuMemFree_v2, (cuda_pointer))                                                                       \
    F(host_alloc, cuMemHostAlloc, (void **, size_t, unsigned))                                                         \
    F(host_free, cuMemFreeHost, (void *))                                                                              \
    F(copy_in, cuMemcpyHtoDAsync_v2, (cuda_pointer, const void *, size_t, cuda_stream))                                \
    F(copy_out, cuMemcpyDtoHAsync_v2, (void *, cuda_pointer, size_t, cuda_stream))                                     \
    F(copy, cuMemcpyDtoDAsync_v2, (cuda_pointer, cuda_pointer, size_t, cuda_stream))                                   \
    F(fill, cuMemsetD8Async, (cuda_pointer, unsigned char, size_t, cuda_stream))                                       \
    F(stream_create, cuStreamCreate, (cuda_stream *, unsigned))                                                        \
    F(stream_destroy, cuStreamDestroy_v2, (cuda_stream))                                                               \
    F(stream_synchronize, cuStreamSynchronize, (cuda_stream))                                                          \
    F(event_create, cuEventCreate, (cuda_event *, unsigned))                                                           \
    F(event_destroy, cuEventDestroy_v2, (cuda_event))                                                                  \
    F(event_record, cuEventRecord, (cuda_event, cuda_stream))                                                          \
    F(event_query, cuEventQuery, (cuda_event))                                                                         \
    F(event_synchronize, cuEventSynchronize, (cuda_event))                                                             \
    F(event_elapsed, cuEventElapsedTime, (float *, cuda_event, cuda_event))                                            \
    F(graph_create, cuGraphCreate, (cuda_graph *, unsigned))                                                           \
    F(graph_destroy, cuGraphDestroy, (cuda_graph))                                                                     \
    F(graph_add_kernel, cuGraphAddKernelNode_v2,                                                                       \
      (cuda_node *, cuda_graph, const cuda_node *, size_t, const cuda_kernel_node *))                                  \
    F(graph_instantiate, cuGraphInstantiateWithFlags, (cuda_executable *, cuda_graph, unsigned long long))             \
    F(executable_destroy, cuGraphExecDestroy, (cuda_executable))                                                       \
    F(graph_launch, cuGraphLaunch, (cuda_executable, cuda_stream))
/* And those that older drivers do not have. */
#define MMM_CUDA_NEWER_FUNCTIONS(F)                                                                                    \
    F(graph_depend, cuGraphAddDependencies_v2,                                                                         \
      (cuda_graph, const cuda_node *, const cuda_node *, const cuda_edge *, size_t))
/* clang-format on */

#define MMM_CUDA_MEMBER(name, symbol, arguments) cuda_result(*name) arguments;
typedef struct cuda_driver {
    MMM_CUDA_FUNCTIONS(MMM_CUDA_MEMBER)
    MMM_CUDA_NEWER_FUNCTIONS(MMM_CUDA_MEMBER)
} cuda_driver;

/* The state of a machine. */
typedef struct cuda_state {
    mmm_gpu gpu; /* first */
    cuda_device device;
    cuda_context context;
    cuda_stream stream;
    cuda_event start, end;
    int architecture;
    bool follows; /* kernels may come while the one before still runs */
} cuda_state;

/* Makes the machine's context the thread's; the other way, where an error that lasts shows. */
mmm_status mmm_cuda_enter(mmm_machine *machine);
mmm_status mmm_cuda_leave(mmm_machine *machine, mmm_status result);

/* The driver's functions, after mmm_cuda_open. */
extern cuda_driver mmm_cuda;

/* Opens the driver and starts it; only the first call does much. */
mmm_status mmm_cuda_open(void);

/* The status and message of an error in `call`, the text of a call of one of the functions above. */
mmm_status mmm_cuda_explain(cuda_result error, const char *call);

/* In a function with `mmm_status result` and a label `done:`. */
#define CUDA(call)                                    \
    do {                                              \
        cuda_result error_ = (call);                  \
        if (error_ != 0) {                            \
            result = mmm_cuda_explain(error_, #call); \
            goto done;                                \
        }                                             \
    } while (0)

#endif
