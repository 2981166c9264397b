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
#define SYMBOL(name, symbol, arguments) {#symbol, &mmm_cuda.name, false},
#define NEWER(name, symbol, arguments)  {#symbol, &mmm_cuda.name, true},
    static const char *const names[] = {"libcuda.so.1", "libcuda.so", NULL};
    static const mmm_symbol symbols[] = {MMM_CUDA_FUNCTIONS(SYMBOL) MMM_CUDA_NEWER_FUNCTIONS(NEWER){0}};
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
