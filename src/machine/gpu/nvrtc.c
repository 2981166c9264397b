/* SPDX-License-Identifier: Apache-2.0 */
/* NVRTC: CUDA's compiler as a library, opened at run time; it needs no device. */
#include "machine/gpu/gpu.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef void *nvrtc_program;

/* The functions of the library that are used: name, own name, arguments. */
/* clang-format off */
#define NVRTC_FUNCTIONS(F)                                                                                             \
    F(version, nvrtcVersion, (int *, int *))                                                                           \
    F(archs_count, nvrtcGetNumSupportedArchs, (int *))                                                                 \
    F(archs, nvrtcGetSupportedArchs, (int *))                                                                          \
    F(create, nvrtcCreateProgram,                                                                                      \
      (nvrtc_program *, const char *, const char *, int, const char *const *, const char *const *))                    \
    F(destroy, nvrtcDestroyProgram, (nvrtc_program *))                                                                 \
    F(compile, nvrtcCompileProgram, (nvrtc_program, int, const char *const *))                                         \
    F(log_size, nvrtcGetProgramLogSize, (nvrtc_program, size_t *))                                                     \
    F(log, nvrtcGetProgramLog, (nvrtc_program, char *))                                                                \
    F(cubin_size, nvrtcGetCUBINSize, (nvrtc_program, size_t *))                                                        \
    F(cubin, nvrtcGetCUBIN, (nvrtc_program, char *))                                                                   \
    F(ptx_size, nvrtcGetPTXSize, (nvrtc_program, size_t *))                                                            \
    F(ptx, nvrtcGetPTX, (nvrtc_program, char *))
/* clang-format on */

#define MEMBER(name, symbol, arguments) int(*name) arguments;
#define SYMBOL(name, symbol, arguments) {#symbol, &nvrtc.name, false},

static struct {
    NVRTC_FUNCTIONS(MEMBER)
} nvrtc;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool opened;

/* NVRTC opens its second library by name; found once beside the first, it is there for good. */
static void preload_builtins(int major, int minor)
{
    Dl_info info;
    char path[4096];
    void *address;
    memcpy(&address, &nvrtc.version, sizeof address);
    if (!dladdr(address, &info) || !info.dli_fname) return;
    const char *slash = strrchr(info.dli_fname, '/');
    if (!slash) return;
    snprintf(path, sizeof path, "%.*s/libnvrtc-builtins.so.%d.%d", (int)(slash - info.dli_fname), info.dli_fname, major,
             minor);
    dlopen(path, RTLD_NOW | RTLD_GLOBAL);
}

static mmm_status open_nvrtc(void)
{
    static const char *const names[] = {"libnvrtc.so.13",
                                        "libnvrtc.so.12",
                                        "libnvrtc.so.11.2",
                                        "libnvrtc.so",
                                        "/usr/local/cuda/lib64/libnvrtc.so",
                                        NULL};
    static const mmm_symbol symbols[] = {NVRTC_FUNCTIONS(SYMBOL){0}};
    mmm_status result = MMM_OK;
    int major, minor;
    pthread_mutex_lock(&lock);
    if (!opened) {
        TRY(mmm_library_open("CUDA compiler (NVRTC)", "MMM_NVRTC", names, symbols));
        if (nvrtc.version(&major, &minor) == 0) preload_builtins(major, minor);
        opened = true;
    }
done:
    pthread_mutex_unlock(&lock);
    return result;
}

mmm_status mmm_nvrtc_version(char *text, size_t size)
{
    mmm_status result = MMM_OK;
    int major, minor;
    TRY(open_nvrtc());
    if (nvrtc.version(&major, &minor) != 0) FAIL(MMM_DEVICE, "the CUDA compiler (NVRTC) does not tell its version");
    snprintf(text, size, "NVRTC %d.%d", major, minor);
done:
    return result;
}

/* The newest architecture the compiler knows that is not newer than the device. */
static mmm_status best_architecture(int wanted, int *out)
{
    mmm_status result = MMM_OK;
    int count = 0, *known = NULL;
    *out = 0;
    if (nvrtc.archs_count(&count) != 0) FAIL(MMM_DEVICE, "the CUDA compiler (NVRTC) does not tell its architectures");
    TRY(mmm_alloc(&known, count, sizeof *known));
    if (nvrtc.archs(known) != 0) FAIL(MMM_DEVICE, "the CUDA compiler (NVRTC) does not tell its architectures");
    for (int i = 0; i < count; i++)
        if (known[i] <= wanted && known[i] > *out) *out = known[i];
    if (!*out) FAIL(MMM_DEVICE, "the CUDA compiler (NVRTC) is too new for a device of architecture sm_%d", wanted);
done:
    free(known);
    return result;
}

mmm_status mmm_nvrtc_compile(const char *text, const char *name, int architecture, void **code, size_t *size)
{
    mmm_status result = MMM_OK;
    nvrtc_program program = NULL;
    char option[64], *log = NULL, *body = NULL;
    const char *options[] = {option, "-std=c++14", "-default-device", "-lineinfo", "-fmad=false"};
    int best;
    TRY(open_nvrtc());
    TRY(best_architecture(architecture, &best));
    bool exact = best == architecture; /* else PTX, which the driver compiles further */
    snprintf(option, sizeof option, "-arch=%s_%d", exact ? "sm" : "compute", best);
    if (nvrtc.create(&program, text, name, 0, NULL, NULL) != 0) FAIL(MMM_DEVICE, "NVRTC takes no program");
    if (nvrtc.compile(program, sizeof options / sizeof *options, options) != 0) {
        size_t log_size = 0;
        if (nvrtc.log_size(program, &log_size) != 0) log_size = 0;
        TRY(mmm_alloc(&log, (int64_t)log_size + 1, 1));
        if (log_size && nvrtc.log(program, log) != 0) *log = 0;
        TRY(mmm_fail_compiling("NVRTC", name, log));
    }
    if ((exact ? nvrtc.cubin_size : nvrtc.ptx_size)(program, size) != 0) FAIL(MMM_DEVICE, "NVRTC gives no code");
    TRY(mmm_alloc(&body, (int64_t)*size + 1, 1));
    if ((exact ? nvrtc.cubin : nvrtc.ptx)(program, body) != 0) FAIL(MMM_DEVICE, "NVRTC gives no code");
    *code = body;
    body = NULL;
done:
    free(log);
    free(body);
    if (program) nvrtc.destroy(&program);
    return result;
}
