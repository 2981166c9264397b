/* SPDX-License-Identifier: Apache-2.0 */
/* A fake of CUDA's compiler: takes any text, and fails when told to. */
#include "fake/fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FAKE __attribute__((visibility("default")))
#define ENTER \
    if (fake_nvrtc_state.call && strcmp(fake_nvrtc_state.call, __func__) == 0) return 11

typedef char *program;
FAKE extern fake_nvrtc fake_nvrtc_state;
FAKE int nvrtcVersion(int *major, int *minor);
FAKE int nvrtcGetNumSupportedArchs(int *count);
FAKE int nvrtcGetSupportedArchs(int *archs);
FAKE int nvrtcCreateProgram(program *out, const char *text, const char *name, int headers, const char *const *bodies,
                            const char *const *names);
FAKE int nvrtcDestroyProgram(program *p);
FAKE int nvrtcCompileProgram(program p, int count, const char *const *options);
FAKE int nvrtcGetProgramLogSize(program p, size_t *size);
FAKE int nvrtcGetProgramLog(program p, char *log);
FAKE int nvrtcGetCUBINSize(program p, size_t *size);
FAKE int nvrtcGetCUBIN(program p, char *code);
FAKE int nvrtcGetPTXSize(program p, size_t *size);
FAKE int nvrtcGetPTX(program p, char *code);

fake_nvrtc fake_nvrtc_state = {.log = ""};

int nvrtcVersion(int *major, int *minor)
{
    ENTER;
    *major = 13;
    *minor = 0;
    return 0;
}

int nvrtcGetNumSupportedArchs(int *count)
{
    ENTER;
    *count = 2;
    return 0;
}

int nvrtcGetSupportedArchs(int *archs)
{
    ENTER;
    archs[0] = 75;
    archs[1] = 90;
    return 0;
}

int nvrtcCreateProgram(program *out, const char *text, const char *name, int headers, const char *const *bodies,
                       const char *const *names)
{
    ENTER;
    (void)name, (void)headers, (void)bodies, (void)names;
    *out = strdup(text);
    fake_nvrtc_state.live++;
    return 0;
}

int nvrtcDestroyProgram(program *p)
{
    free(*p);
    *p = NULL;
    fake_nvrtc_state.live--;
    return 0;
}

int nvrtcCompileProgram(program p, int count, const char *const *options)
{
    ENTER;
    (void)p, (void)count, (void)options;
    fake_nvrtc_state.compiled++;
    return 0;
}

int nvrtcGetProgramLogSize(program p, size_t *size)
{
    ENTER;
    (void)p;
    *size = strlen(fake_nvrtc_state.log) + 1;
    return 0;
}

int nvrtcGetProgramLog(program p, char *log)
{
    ENTER;
    (void)p;
    strcpy(log, fake_nvrtc_state.log);
    return 0;
}

int nvrtcGetCUBINSize(program p, size_t *size)
{
    ENTER;
    *size = strlen(p) + 6;
    return 0;
}

int nvrtcGetCUBIN(program p, char *code)
{
    ENTER;
    sprintf(code, "cubin%s", p);
    return 0;
}

int nvrtcGetPTXSize(program p, size_t *size)
{
    ENTER;
    *size = strlen(p) + 4;
    return 0;
}

int nvrtcGetPTX(program p, char *code)
{
    ENTER;
    sprintf(code, "ptx%s", p);
    return 0;
}
