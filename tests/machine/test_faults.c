/* SPDX-License-Identifier: Apache-2.0 */
/* What CUDA machines do when the driver, its compiler or the device fails; all on fakes of both. */
#include "testing.h"
#include "fake/fake.h"
#include "machine/gpu.h"

#include <dlfcn.h>

static char folder[512]; /* of the fakes */
static fake_cuda *cuda;
static void (*restart)(void);
static fake_nvrtc *nvrtc;

static const char *const texts[] = {"KERNEL void small(GLOBAL word *a, CONSTANT(s) MMM_BLOCK)\n{\n}\n"
                                    "KERNEL void large(GLOBAL word *a, CONSTANT(s) MMM_BLOCK)\n{\n}\n",
                                    NULL};
static const mmm_kernel small = {.name = "small", .file = "test.c", .texts = texts};
static const mmm_kernel large = {.name = "large", .file = "test.c", .texts = texts};

enum { KERNELS = 7, CELLS = 100 };

static uint32_t in[CELLS], in_out[CELLS];

/* Two arrays, and kernels in a DAG with an edge that is there twice; numbers do not follow the order. */
static const int edges[][2] = {{6, 0}, {6, 1}, {0, 2}, {1, 2}, {1, 2}, {2, 5}, {6, 5}, {3, 5}};
enum { EDGES = sizeof edges / sizeof *edges };

static mmm_program *make_program(int64_t cells)
{
    mmm_program *program;
    int array, kernel;
    assert_ok(mmm_program_new(&program));
    assert_ok(mmm_program_set_words(program, 32, NULL));
    assert_ok(mmm_program_array(program, "in", cells, 4, MMM_IN, in, &array));
    assert_ok(mmm_program_array(program, "in_out", CELLS, 4, MMM_IN_OUT, in_out, &array));
    for (int k = 0; k < KERNELS; k++) {
        mmm_argument arguments[] = {{MMM_ARRAY, (uint64_t)(k % 2)}, {MMM_CONSTANT, 3}};
        bool is_large = k == 2 || k == 5; /* local memory of 60000 bytes */
        assert_ok(mmm_program_launch(program, is_large ? &large : &small, 10 + k, 32 * (1 + k % 3),
                                     is_large ? 15000 : 16, arguments, 2, &kernel));
    }
    for (int e = 0; e < EDGES; e++)
        assert_ok(mmm_program_depend(program, edges[e][0], edges[e][1]));
    return program;
}

/* Everything is as it was before the machine was opened. */
static void assert_nothing_left(void)
{
    assert_int_equal(cuda->live, 0);
    assert_int_equal(cuda->retained, 0);
    assert_int_equal(cuda->pushed, 0);
    assert_int_equal(cuda->misuses, 0);
    assert_int_equal(nvrtc->live, 0);
}

static void set_fault(const char *call, int nth, int error)
{
    cuda->call = call;
    cuda->nth = nth;
    cuda->error = error;
    cuda->calls = 0;
}

/* Before the fakes are opened: libraries that are not there or not what they should be. */
static void test_libraries(void **state)
{
    mmm_machine *machine;
    char path[600], version[64];
    (void)state;
    setenv("MMM_CUDA", "/nonexistent/libcuda.so", 1);
    assert_fails(mmm_machine_open("cuda:0", &machine), MMM_DEVICE,
                 "no CUDA driver: looked for /nonexistent/libcuda.so (the variable MMM_CUDA names another)");
    setenv("MMM_CUDA", "/dev/null", 1); /* there, and no library: the reason is told */
    assert_fails(mmm_machine_open("cuda:0", &machine), MMM_DEVICE, "; /dev/null: ");
    snprintf(path, sizeof path, "%s/libnvrtc.so", folder);
    setenv("MMM_CUDA", path, 1);
    assert_fails(mmm_machine_open("cuda:0", &machine), MMM_DEVICE,
                 "CUDA driver is too old or not what it should be: it has no cuInit");
    setenv("MMM_NVRTC", "/nonexistent/libnvrtc.so", 1);
    assert_fails(
        mmm_nvrtc_version(version, sizeof version), MMM_DEVICE,
        "no CUDA compiler (NVRTC): looked for /nonexistent/libnvrtc.so (the variable MMM_NVRTC names another)");
    unsetenv("MMM_CUDA");
}

static void test_no_compiler(void **state)
{
    mmm_machine *machine;
    mmm_program *program = make_program(CELLS);
    char path[600];
    (void)state;
    snprintf(path, sizeof path, "%s/libcuda.so", folder);
    setenv("MMM_CUDA", path, 1);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
    cuda = dlsym(library, "fake_cuda_state");
    void *function = dlsym(library, "fake_cuda_restart");
    memcpy(&restart, &function, sizeof function);
    snprintf(path, sizeof path, "%s/libnvrtc.so", folder);
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
    nvrtc = dlsym(library, "fake_nvrtc_state");
    assert_ok(mmm_machine_open("cuda:0", &machine)); /* a machine without its compiler opens and runs nothing */
    assert_non_null(strstr(mmm_machine_description(machine), "Fake 0, 4 SMs, 227 KB local memory"));
    assert_fails(mmm_machine_run(machine, program, NULL), MMM_DEVICE, "looked for /nonexistent/libnvrtc.so");
    setenv("MMM_NVRTC", path, 1); /* and runs once it is there */
    assert_ok(mmm_machine_run(machine, program, NULL));
    mmm_machine_free(machine);
    mmm_program_free(program);
    assert_nothing_left();
}

static void test_no_device(void **state)
{
    mmm_machine *machine;
    (void)state;
    restart();
    set_fault("cuInit", 0, 100);
    assert_fails(mmm_machine_open("cuda:0", &machine), MMM_DEVICE, "CUDA error 100 in init: ");
    restart();
    assert_fails(mmm_machine_open("cuda:1", &machine), MMM_DEVICE, "there is no device cuda:1: CUDA finds 1 device");
    cuda->devices = 0;
    assert_fails(mmm_machine_open("cuda:0", &machine), MMM_DEVICE, "there is no device cuda:0: CUDA finds 0 devices");
    assert_nothing_left();
}

/* The driver gets the DAG: each edge once, grids, blocks, and local memory above 48 KB asked for. */
static void test_graph(void **state)
{
    mmm_machine *machine;
    mmm_program *program = make_program(CELLS);
    double seconds;
    int place[KERNELS];
    (void)state;
    restart();
    for (int i = 0; i < CELLS; i++)
        in_out[i] = (uint32_t)i * 7;
    assert_ok(mmm_machine_open("cuda:0", &machine));
    for (int again = 0; again < 3; again++)
        assert_ok(mmm_machine_run(machine, program, &seconds));
    assert_true(seconds > 0.00149 && seconds < 0.00151);
    assert_int_equal(cuda->launches, 3);
    assert_int_equal(cuda->node_count, KERNELS);
    for (int i = 0; i < CELLS; i++) /* in and out again */
        assert_int_equal(in_out[i], i * 7);
    for (int i = 0; i < KERNELS; i++) {
        const fake_node *n = &cuda->nodes[i];
        int k = (int)n->grid[0] - 10; /* its number in the program */
        bool is_large = k == 2 || k == 5;
        assert_true(k >= 0 && k < KERNELS);
        place[k] = i;
        assert_string_equal(n->function, is_large ? "large" : "small");
        assert_int_equal(n->block[0], 32 * (1 + k % 3));
        assert_true(n->grid[1] == 1 && n->grid[2] == 1 && n->block[1] == 1 && n->block[2] == 1);
        assert_true(is_large ? n->shared_bytes >= 60000 && n->opted_in == (int)n->shared_bytes
                             : n->shared_bytes == 0 && n->opted_in == 0);
    }
    size_t count = 0;
    for (int k = 0; k < KERNELS; k++)
        for (int j = 0; j < KERNELS; j++) {
            bool wanted = false, there = false;
            for (int e = 0; e < EDGES; e++)
                wanted |= edges[e][0] == j && edges[e][1] == k;
            for (size_t i = 0; i < cuda->nodes[place[k]].before_count; i++)
                there |= cuda->nodes[place[k]].before[i] == place[j];
            assert_int_equal(there, wanted);
            count += wanted;
        }
    assert_int_equal(count, EDGES - 1);
    mmm_machine_free(machine);
    mmm_program_free(program);
    assert_nothing_left();
}

/* Every call of the driver fails once, with every sort of error, in opening, in the first run and in the second. */
static void test_every_call(void **state)
{
    static const char *const calls[] = {"cuInit",
                                        "cuDriverGetVersion",
                                        "cuDeviceGetCount",
                                        "cuDeviceGet",
                                        "cuDeviceGetName",
                                        "cuDeviceGetAttribute",
                                        "cuDeviceTotalMem_v2",
                                        "cuDevicePrimaryCtxRetain",
                                        "cuCtxPushCurrent_v2",
                                        "cuModuleLoadData",
                                        "cuModuleGetFunction",
                                        "cuFuncSetAttribute",
                                        "cuMemGetInfo_v2",
                                        "cuMemAlloc_v2",
                                        "cuMemcpyHtoDAsync_v2",
                                        "cuMemcpyDtoHAsync_v2",
                                        "cuStreamCreate",
                                        "cuStreamSynchronize",
                                        "cuEventCreate",
                                        "cuEventRecord",
                                        "cuEventSynchronize",
                                        "cuEventElapsedTime",
                                        "cuGraphCreate",
                                        "cuGraphAddKernelNode_v2",
                                        "cuGraphInstantiateWithFlags",
                                        "cuGraphLaunch"};
    static const struct {
        int error;
        mmm_status status;
        const char *text;
    } errors[] = {{1, MMM_DEVICE, "CUDA error 1 in "},
                  {2, MMM_MEMORY, "the CUDA device has no memory left ("},
                  {701, MMM_TOO_LARGE, "CUDA error 701 in "},
                  {719, MMM_DEVICE, "CUDA error 719 in "},
                  {999, MMM_DEVICE, "CUDA error 999 in "}};
    int faults = 0;
    (void)state;
    for (size_t c = 0; c < sizeof calls / sizeof *calls; c++)
        for (size_t e = 0; e < sizeof errors / sizeof *errors; e++)
            for (int nth = 1, reached = 1; reached; nth++) {
                mmm_program *program = make_program(CELLS);
                mmm_machine *machine = NULL;
                restart();
                set_fault(calls[c], nth, errors[e].error);
                mmm_status status = mmm_machine_open("cuda:0", &machine);
                for (int run = 0; run < 2 && status == MMM_OK; run++)
                    status = mmm_machine_run(machine, program, NULL);
                reached = cuda->calls >= nth;
                cuda->call = NULL;
                bool clock = strcmp(calls[c], "cuDeviceGetAttribute") == 0 && nth == 6; /* its rate may be missing */
                if (reached && (!clock || cuda->lasting)) {
                    assert_fails(status, errors[e].status, errors[e].text);
                    faults++;
                } else {
                    assert_int_equal(status, MMM_OK);
                }
                if (status != MMM_OK && machine) {
                    if (cuda->lasting)
                        assert_fails(mmm_machine_run(machine, program, NULL), MMM_DEVICE,
                                     "failed in an earlier run: only a new process can use it again");
                    else
                        assert_ok(mmm_machine_run(machine, program, NULL));
                }
                mmm_machine_free(machine);
                mmm_program_free(program);
                assert_nothing_left();
                machine = NULL;
                if (cuda->lasting)
                    assert_int_equal(mmm_machine_open("cuda:0", &machine), MMM_DEVICE);
                else
                    assert_ok(mmm_machine_open("cuda:0", &machine));
                mmm_machine_free(machine);
                assert_nothing_left();
            }
    assert_true(faults > 200);
}

/* Two machines share a device: one that fails for want of memory does not touch the other. */
static void test_two_machines(void **state)
{
    mmm_machine *one, *two;
    mmm_program *program = make_program(CELLS);
    (void)state;
    restart();
    assert_ok(mmm_machine_open("cuda:0", &one));
    assert_ok(mmm_machine_open("cuda:0", &two));
    assert_ok(mmm_machine_run(one, program, NULL));
    set_fault("cuMemAlloc_v2", 2, 2);
    assert_fails(mmm_machine_run(two, program, NULL), MMM_MEMORY, "no memory left (memory_alloc)");
    assert_ok(mmm_machine_run(one, program, NULL));
    assert_ok(mmm_machine_run(two, program, NULL));
    mmm_machine_free(one);
    assert_ok(mmm_machine_run(two, program, NULL));
    mmm_machine_free(two);
    mmm_program_free(program);
    assert_nothing_left();
}

static void test_too_large(void **state)
{
    mmm_machine *machine;
    mmm_program *program = make_program((int64_t)1 << 28), *usual = make_program(CELLS);
    mmm_argument arguments[] = {{MMM_ARRAY, 0}, {MMM_CONSTANT, 3}};
    int array, live;
    (void)state;
    restart();
    assert_ok(mmm_machine_open("cuda:0", &machine));
    assert_ok(mmm_machine_run(machine, usual, NULL));
    assert_fails(mmm_machine_run(machine, program, NULL), MMM_TOO_LARGE,
                 "1.1 GB of device memory are needed, 1.1 GB are available");
    assert_fails(mmm_program_array(program, "endless", INT64_MAX / 4 + 1, 4, MMM_WORK, NULL, &array), MMM_TOO_LARGE,
                 "array 'endless' of 2305843009213693952 elements is more than can be addressed");
    mmm_program_free(program);
    live = cuda->live;
    program = make_program(CELLS);
    assert_ok(mmm_program_launch(program, &small, 1, 1025, 0, arguments, 2, NULL));
    assert_fails(mmm_machine_run(machine, program, NULL), MMM_TOO_LARGE,
                 "kernel 'small' has 1025 threads a block: the device takes 1024");
    mmm_program_free(program);
    program = make_program(CELLS);
    assert_ok(mmm_program_launch(program, &small, 1, 32, 60000, arguments, 2, NULL));
    assert_fails(mmm_machine_run(machine, program, NULL), MMM_TOO_LARGE,
                 "bytes of local memory a block: the device has");
    mmm_program_free(program);
    assert_int_equal(cuda->live, live);
    assert_ok(mmm_machine_run(machine, usual, NULL));
    mmm_program_free(usual);
    mmm_machine_free(machine);
    assert_nothing_left();
}

/* Kernels that take too long are given up, and the machine works again once they have ended. */
static void test_time_limit(void **state)
{
    mmm_machine *machine;
    mmm_program *program = make_program(CELLS);
    (void)state;
    restart();
    assert_ok(mmm_machine_open("cuda:0", &machine));
    mmm_machine_set_time_limit(machine, 0.02);
    assert_ok(mmm_machine_run(machine, program, NULL));
    set_fault("cuEventQuery", 0, 600);
    assert_fails(mmm_machine_run(machine, program, NULL), MMM_DEVICE, "the kernels take longer than 0.02 s: given up");
    assert_fails(mmm_machine_run(machine, program, NULL), MMM_DEVICE, "kernels of an earlier run take longer");
    cuda->call = NULL;
    assert_ok(mmm_machine_run(machine, program, NULL));
    set_fault("cuEventQuery", 3, 719); /* lost while they run */
    assert_ok(mmm_machine_run(machine, program, NULL));
    set_fault("cuEventQuery", 1, 719);
    assert_fails(mmm_machine_run(machine, program, NULL), MMM_DEVICE,
                 "CUDA error 719 in event_query: an error on purpose");
    mmm_machine_free(machine);
    assert_nothing_left();

    restart();
    assert_ok(mmm_machine_open("cuda:0", &machine));
    mmm_machine_set_time_limit(machine, 0.02);
    set_fault("cuEventQuery", 0, 600);
    assert_fails(mmm_machine_run(machine, program, NULL), MMM_DEVICE, "given up");
    int live = cuda->live;
    mmm_machine_free(machine); /* nothing that would wait for the kernels is released */
    assert_int_equal(cuda->live, live);
    assert_int_equal(cuda->retained, 1);
    assert_int_equal(cuda->pushed, 0);
    assert_int_equal(cuda->misuses, 0);
    restart();
    mmm_program_free(program);
}

static void test_compiler(void **state)
{
    static const struct {
        const char *call, *log, *text;
    } faults[] = {
        {"nvrtcCompileProgram", "test.c(3): warning: w\ntest.c(7): error: what is this?\n1 error\n",
         "NVRTC does not compile test.c: test.c(7): error: what is this?"},
        {"nvrtcCompileProgram", "strange\nworld", "NVRTC does not compile test.c: strange"},
        {"nvrtcCompileProgram", "", "NVRTC does not compile test.c: it does not say why"},
        {"nvrtcVersion", "", "does not tell its version"},
        {"nvrtcGetNumSupportedArchs", "", "does not tell its architectures"},
        {"nvrtcGetSupportedArchs", "", "does not tell its architectures"},
        {"nvrtcCreateProgram", "", "NVRTC takes no program"},
        {"nvrtcGetCUBINSize", "", "NVRTC gives no code"},
        {"nvrtcGetCUBIN", "", "NVRTC gives no code"},
    };
    mmm_machine *machine;
    mmm_program *program = make_program(CELLS);
    void *code;
    size_t size;
    (void)state;
    restart();
    assert_ok(mmm_machine_open("cuda:0", &machine));
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        nvrtc->call = faults[i].call;
        nvrtc->log = faults[i].log;
        assert_fails(mmm_machine_run(machine, program, NULL), MMM_DEVICE, faults[i].text);
        assert_null(strstr(mmm_message(), "1 error"));
        assert_null(strstr(mmm_message(), "world"));
        assert_int_equal(nvrtc->live, 0);
    }
    nvrtc->call = NULL;
    assert_ok(mmm_machine_run(machine, program, NULL));
    mmm_machine_free(machine);
    mmm_program_free(program);
    assert_nothing_left();
    assert_fails(mmm_nvrtc_compile("", "test.c", 70, &code, &size), MMM_DEVICE,
                 "too new for a device of architecture sm_70");
    assert_ok(mmm_nvrtc_compile("", "test.c", 120, &code, &size)); /* newer than the compiler: PTX */
    assert_string_equal(code, "ptx");
    free(code);
}

/* Code in the cache that the driver refuses is compiled anew, and replaced. */
static void test_refused_code(void **state)
{
    mmm_machine *machine;
    mmm_program *program = make_program(CELLS);
    static const int compiled[] = {3, 0, 1, 0};
    char cache[600];
    (void)state;
    restart();
    snprintf(cache, sizeof cache, "%s/cache-%d", folder, (int)getpid());
    setenv("MMM_CACHE", cache, 1);
    for (int round = 0; round < 4; round++) {
        assert_ok(mmm_machine_open("cuda:0", &machine));
        if (round == 2) set_fault("cuModuleLoadData", 1, 209);
        nvrtc->compiled = 0;
        assert_ok(mmm_machine_run(machine, program, NULL));
        assert_int_equal(nvrtc->compiled, compiled[round]); /* of three variants */
        mmm_machine_free(machine);
    }
    assert_nothing_left();
    mmm_program_free(program);
    char command[700];
    snprintf(command, sizeof command, "rm -r '%s'", cache);
    assert_int_equal(system(command), 0);
}

int main(int count, char **words)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_libraries), /* the first two come first: later the fakes are open */
        cmocka_unit_test(test_no_compiler), cmocka_unit_test(test_no_device),    cmocka_unit_test(test_graph),
        cmocka_unit_test(test_every_call),  cmocka_unit_test(test_two_machines), cmocka_unit_test(test_too_large),
        cmocka_unit_test(test_time_limit),  cmocka_unit_test(test_compiler),     cmocka_unit_test(test_refused_code),
    };
    char *real = realpath(words[0], NULL);
    (void)count;
    if (!real) return 1;
    *strrchr(real, '/') = 0; /* the fakes lie beside the folder of this test */
    snprintf(folder, sizeof folder, "%s/../fake", real);
    free(real);
    setenv("MMM_CACHE", "/dev/null/none", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
