/* SPDX-License-Identifier: Apache-2.0 */
/* What tests of faults on the fake CUDA share: the fakes, a program, and the check that nothing is left. */
#ifndef FAKES_H
#define FAKES_H

#include "testing.h"
#include "fake/fake.h"
#include "machine/gpu/gpu.h"

#include <dlfcn.h>

static char folder[512]; /* of the fakes */
static fake_cuda *cuda;
static void (*restart)(void);
static fake_nvrtc *nvrtc;

static const mmm_kernel_parameter parameters[] = {{"a", MMM_PARAMETER_ARRAY, MMM_WORD, 1},
                                                  {"s", MMM_PARAMETER_CONSTANT, MMM_I32, 0}};
#define FAKE_KERNEL(kernel)                                                                                     \
    static const mmm_kernel kernel = {.name = #kernel,                                                          \
                                      .file = "test.c",                                                         \
                                      .text = "MMM_KERNEL void " #kernel                                        \
                                              "(MMM_GLOBAL word *a, MMM_CONSTANT(s) MMM_KERNEL_BLOCK)\n{\n}\n", \
                                      .parameters = parameters,                                                 \
                                      .parameter_count = 2,                                                     \
                                      .dimensions = 1,                                                          \
                                      .words = 1}
FAKE_KERNEL(small);
FAKE_KERNEL(large);

enum { KERNELS = 7, CELLS = 100 };

static uint32_t in[CELLS], in_out[CELLS];

/* Two arrays, and kernels in a DAG with an edge that is there twice; numbers do not follow the order.  Only the last
 * two are next to each other and to no others. */
static const int edges[][2] = {{6, 0}, {6, 1}, {0, 2}, {1, 2}, {1, 2}, {2, 5}, {6, 5}, {3, 5}, {5, 4}};
enum { EDGES = sizeof edges / sizeof *edges };

static inline mmm_program *make_program(int64_t cells)
{
    mmm_program *program;
    int array;
    assert_ok(mmm_program_new(&program));
    assert_ok(mmm_program_set_words(program, 32, NULL));
    mmm_program_chain(program, 0);
    assert_ok(mmm_program_array(program, "in", MMM_WORD, cells, MMM_IN, in, &array));
    assert_ok(mmm_program_array(program, "in_out", MMM_WORD, CELLS, MMM_IN_OUT, in_out, &array));
    for (int k = 0; k < KERNELS; k++) {
        const mmm_value arguments[] = {{.number = k % 2}, {.integer = 3}};
        bool is_large = k == 2 || k == 5; /* local memory of 60000 bytes */
        assert_ok(mmm_program_launch(program, is_large ? &large : &small, (mmm_grid){10 + k, 1, 32 * (1 + k % 3), 1},
                                     (mmm_local){.words = is_large ? 15000 : 16}, arguments));
    }
    for (int e = 0; e < EDGES; e++)
        assert_ok(mmm_program_depend(program, edges[e][0], edges[e][1]));
    return program;
}

/* Everything is as it was before the machine was opened. */
static inline void assert_nothing_left(void)
{
    assert_int_equal(cuda->live, 0);
    assert_int_equal(cuda->retained, 0);
    assert_int_equal(cuda->pushed, 0);
    assert_int_equal(cuda->misuses, 0);
    assert_int_equal(nvrtc->live, 0);
}

static inline void set_fault(const char *call, int nth, int error)
{
    cuda->call = call;
    cuda->nth = nth;
    cuda->error = error;
    cuda->calls = 0;
}

/* Takes the folder of the fakes from the test's own path. */
static inline void find_fakes(const char *program)
{
    char *real = realpath(program, NULL);
    assert_non_null(real);
    *strrchr(real, '/') = 0;
    snprintf(folder, sizeof folder, "%s/../fake", real);
    free(real);
    setenv("MMM_CACHE", "/dev/null/none", 1);
}

/* Opens them as the library will. */
static inline void open_fakes(void)
{
    char path[600];
    snprintf(path, sizeof path, "%s/libcuda.so", folder);
    setenv("MMM_CUDA", path, 1);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
    cuda = dlsym(library, "fake_cuda_state");
    void *function = dlsym(library, "fake_cuda_restart");
    memcpy(&restart, &function, sizeof function);
    snprintf(path, sizeof path, "%s/libnvrtc.so", folder);
    setenv("MMM_NVRTC", path, 1);
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
    nvrtc = dlsym(library, "fake_nvrtc_state");
    restart();
}

#endif
