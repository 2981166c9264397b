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

typedef struct cuda_driver {
    cuda_result (*init)(unsigned);
    cuda_result (*driver_version)(int *);
    cuda_result (*device_count)(int *);
    cuda_result (*device_get)(cuda_device *, int);
    cuda_result (*device_name)(char *, int, cuda_device);
    cuda_result (*device_attribute)(int *, int, cuda_device);
    cuda_result (*device_memory)(size_t *, cuda_device);
    cuda_result (*context_retain)(cuda_context *, cuda_device);
    cuda_result (*context_release)(cuda_device);
    cuda_result (*context_push)(cuda_context);
    cuda_result (*context_pop)(cuda_context *);
    cuda_result (*error_string)(cuda_result, const char **);
    cuda_result (*module_load)(cuda_module *, const void *);
    cuda_result (*module_unload)(cuda_module);
    cuda_result (*module_function)(cuda_function *, cuda_module, const char *);
    cuda_result (*function_set)(cuda_function, int, int);
    cuda_result (*memory_info)(size_t *, size_t *);
    cuda_result (*memory_alloc)(cuda_pointer *, size_t);
    cuda_result (*memory_free)(cuda_pointer);
    cuda_result (*copy_in)(cuda_pointer, const void *, size_t, cuda_stream);
    cuda_result (*copy_out)(void *, cuda_pointer, size_t, cuda_stream);
    cuda_result (*copy)(cuda_pointer, cuda_pointer, size_t, cuda_stream);
    cuda_result (*fill)(cuda_pointer, unsigned char, size_t, cuda_stream);
    cuda_result (*stream_create)(cuda_stream *, unsigned);
    cuda_result (*stream_destroy)(cuda_stream);
    cuda_result (*stream_synchronize)(cuda_stream);
    cuda_result (*event_create)(cuda_event *, unsigned);
    cuda_result (*event_destroy)(cuda_event);
    cuda_result (*event_record)(cuda_event, cuda_stream);
    cuda_result (*event_query)(cuda_event);
    cuda_result (*event_synchronize)(cuda_event);
    cuda_result (*event_elapsed)(float *, cuda_event, cuda_event);
    cuda_result (*graph_create)(cuda_graph *, unsigned);
    cuda_result (*graph_destroy)(cuda_graph);
    cuda_result (*graph_add_kernel)(cuda_node *, cuda_graph, const cuda_node *, size_t, const cuda_kernel_node *);
    cuda_result (*graph_instantiate)(cuda_executable *, cuda_graph, unsigned long long);
    cuda_result (*executable_destroy)(cuda_executable);
    cuda_result (*graph_launch)(cuda_executable, cuda_stream);
} cuda_driver;

/* What buffers need to know of their machine. */
typedef struct cuda_place {
    cuda_context context;
    cuda_stream stream;
    bool *lost;
} cuda_place;

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
