/* SPDX-License-Identifier: Apache-2.0 */
/* OpenCL's library, opened at run time, and the devices it knows. */
#include "machine/gpu/opencl_driver.h"

#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

opencl_driver mmm_cl;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool opened, searched;
static opencl_device found[MMM_OPENCL_DEVICES_MOST];
static int found_count;

mmm_status mmm_opencl_explain(cl_int error, const char *call)
{
    static const struct {
        cl_int error;
        const char *text;
    } texts[] = {
        {CL_DEVICE_NOT_AVAILABLE, "the device is not available"},
        {CL_COMPILER_NOT_AVAILABLE, "there is no compiler"},
        {CL_MEM_OBJECT_ALLOCATION_FAILURE, "no memory left on the device"},
        {CL_OUT_OF_RESOURCES, "the device is out of resources"},
        {CL_OUT_OF_HOST_MEMORY, "no memory left on the host"},
        {CL_INVALID_WORK_GROUP_SIZE, "more threads a block than the device takes"},
        {CL_INVALID_BUFFER_SIZE, "an array is larger than the device takes"},
    };
    const char *text = "unexpected", *name = call + strcspn(call, ".") + 1;
    mmm_status status = MMM_DEVICE;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].error == error) text = texts[i].text;
    if (error == CL_MEM_OBJECT_ALLOCATION_FAILURE || error == CL_OUT_OF_HOST_MEMORY) status = MMM_MEMORY;
    if (error == CL_INVALID_WORK_GROUP_SIZE || error == CL_INVALID_BUFFER_SIZE) status = MMM_TOO_LARGE;
    return mmm_fail(status, "OpenCL error %d in %.*s: %s", error, (int)strcspn(name, "("), name, text);
}

static mmm_status search(void)
{
    enum { NO_PLATFORM = -1001 }; /* what the loader says */
    cl_platform_id platforms[MMM_OPENCL_DEVICES_MOST];
    cl_device_id devices[MMM_OPENCL_DEVICES_MOST];
    cl_uint platform_count = 0, count;
    cl_int error = mmm_cl.GetPlatformIDs(MMM_OPENCL_DEVICES_MOST, platforms, &platform_count);
    if (error == NO_PLATFORM) return MMM_OK;
    if (error != CL_SUCCESS) return mmm_opencl_explain(error, "cl.GetPlatformIDs");
    for (cl_uint i = 0; i < platform_count && i < MMM_OPENCL_DEVICES_MOST; i++) {
        error = mmm_cl.GetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, MMM_OPENCL_DEVICES_MOST, devices, &count);
        if (error != CL_SUCCESS) continue; /* a platform without a device */
        for (cl_uint j = 0; j < count && j < MMM_OPENCL_DEVICES_MOST && found_count < MMM_OPENCL_DEVICES_MOST; j++)
            found[found_count++] = (opencl_device){platforms[i], devices[j]};
    }
    return MMM_OK;
}

/* A driver may end the process that asks for its devices; PoCL does where it finds no /sys.  So a child asks first, and
 * whatever becomes of it, in half a minute at most, becomes of it alone. */
static mmm_status try_search(void)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        mmm_child_begin();
        search();
        _exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFSIGNALED(status)) return MMM_OK;
    return mmm_fail(MMM_DEVICE, "OpenCL's driver ends the process that asks for its devices (%s)",
                    strsignal(WTERMSIG(status)));
}

mmm_status mmm_opencl_open(const opencl_device **devices, int *count)
{
#define SYMBOL(name) {"cl" #name, &mmm_cl.name, false},
    static const mmm_symbol symbols[] = {MMM_OPENCL_FUNCTIONS(SYMBOL){0}};
    static const char *const names[] = {"libOpenCL.so.1", "libOpenCL.so", NULL};
    mmm_status result = MMM_OK;
    pthread_mutex_lock(&lock);
    if (!opened) {
        TRY(mmm_library_open("OpenCL", "MMM_OPENCL", names, symbols));
        opened = true;
    }
    if (!searched) {
        TRY(try_search());
        TRY(search());
        searched = true;
    }
    *devices = found;
    *count = found_count;
done:
    pthread_mutex_unlock(&lock);
    return result;
}
