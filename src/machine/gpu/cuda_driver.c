/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA's driver, opened at run time. */
#include "machine/gpu/cuda_driver.h"

#include <pthread.h>
#include <string.h>

cuda_driver mmm_cuda;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool opened;

mmm_status mmm_cuda_explain(cuda_result error, const char *call)
{
    const char *text = NULL, *name = call + strcspn(call, ".") + 1;
    int length = (int)strcspn(name, "(");
    if (error == CUDA_ERROR_OUT_OF_MEMORY)
        return mmm_fail(MMM_MEMORY, "the CUDA device has no memory left (%.*s)", length, name);
    if (mmm_cuda.error_string(error, &text) != 0 || !text) text = "unknown";
    return mmm_fail(error == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES ? MMM_TOO_LARGE : MMM_DEVICE,
                    "CUDA error %d in %.*s: %s", error, length, name, text);
}

mmm_status mmm_cuda_open(void)
{
    static const char *const names[] = {"libcuda.so.1", "libcuda.so", NULL};
    static const mmm_symbol symbols[] = {
        {"cuInit", &mmm_cuda.init, false},
        {"cuDriverGetVersion", &mmm_cuda.driver_version, false},
        {"cuDeviceGetCount", &mmm_cuda.device_count, false},
        {"cuDeviceGet", &mmm_cuda.device_get, false},
        {"cuDeviceGetName", &mmm_cuda.device_name, false},
        {"cuDeviceGetAttribute", &mmm_cuda.device_attribute, false},
        {"cuDeviceTotalMem_v2", &mmm_cuda.device_memory, false},
        {"cuDevicePrimaryCtxRetain", &mmm_cuda.context_retain, false},
        {"cuDevicePrimaryCtxRelease_v2", &mmm_cuda.context_release, false},
        {"cuCtxPushCurrent_v2", &mmm_cuda.context_push, false},
        {"cuCtxPopCurrent_v2", &mmm_cuda.context_pop, false},
        {"cuGetErrorString", &mmm_cuda.error_string, false},
        {"cuModuleLoadData", &mmm_cuda.module_load, false},
        {"cuModuleUnload", &mmm_cuda.module_unload, false},
        {"cuModuleGetFunction", &mmm_cuda.module_function, false},
        {"cuFuncSetAttribute", &mmm_cuda.function_set, false},
        {"cuMemGetInfo_v2", &mmm_cuda.memory_info, false},
        {"cuMemAlloc_v2", &mmm_cuda.memory_alloc, false},
        {"cuMemFree_v2", &mmm_cuda.memory_free, false},
        {"cuMemcpyHtoDAsync_v2", &mmm_cuda.copy_in, false},
        {"cuMemcpyDtoHAsync_v2", &mmm_cuda.copy_out, false},
        {"cuMemcpyDtoDAsync_v2", &mmm_cuda.copy, false},
        {"cuMemsetD8Async", &mmm_cuda.fill, false},
        {"cuStreamCreate", &mmm_cuda.stream_create, false},
        {"cuStreamDestroy_v2", &mmm_cuda.stream_destroy, false},
        {"cuStreamSynchronize", &mmm_cuda.stream_synchronize, false},
        {"cuEventCreate", &mmm_cuda.event_create, false},
        {"cuEventDestroy_v2", &mmm_cuda.event_destroy, false},
        {"cuEventRecord", &mmm_cuda.event_record, false},
        {"cuEventQuery", &mmm_cuda.event_query, false},
        {"cuEventSynchronize", &mmm_cuda.event_synchronize, false},
        {"cuEventElapsedTime", &mmm_cuda.event_elapsed, false},
        {"cuGraphCreate", &mmm_cuda.graph_create, false},
        {"cuGraphDestroy", &mmm_cuda.graph_destroy, false},
        {"cuGraphAddKernelNode_v2", &mmm_cuda.graph_add_kernel, false},
        {"cuGraphInstantiateWithFlags", &mmm_cuda.graph_instantiate, false},
        {"cuGraphExecDestroy", &mmm_cuda.executable_destroy, false},
        {"cuGraphLaunch", &mmm_cuda.graph_launch, false},
        {0},
    };
    mmm_status result = MMM_OK;
    pthread_mutex_lock(&lock);
    if (!opened) {
        TRY(mmm_library_open("CUDA driver", "MMM_CUDA", names, symbols));
        opened = true;
    }
    CUDA(mmm_cuda.init(0)); /* once more does no harm, and may work where it failed before */
done:
    pthread_mutex_unlock(&lock);
    return result;
}
