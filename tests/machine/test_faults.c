/* SPDX-License-Identifier: Apache-2.0 */
/* What CUDA machines do when the driver or the device fails, on a fake. */
#include "machine/fakes.h"

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
    (void)state;
    open_fakes();
    char *path = strdup(getenv("MMM_NVRTC"));
    setenv("MMM_NVRTC", "/nonexistent/libnvrtc.so", 1);
    assert_ok(mmm_machine_open("cuda:0", &machine)); /* a machine without its compiler opens and runs nothing */
    assert_non_null(strstr(mmm_machine_description(machine), "Fake 0, 4 SMs, 227 KB local memory"));
    assert_fails(mmm_machine_run(machine, program, NULL), MMM_DEVICE, "looked for /nonexistent/libnvrtc.so");
    setenv("MMM_NVRTC", path, 1); /* and runs once it is there */
    free(path);
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

/* As many arrays as a program can have. */
static void test_arrays(void **state)
{
    mmm_machine *machine;
    mmm_program *program = make_program(CELLS);
    int array;
    (void)state;
    restart();
    while (program->array_count < MMM_ARRAYS_MOST)
        assert_ok(mmm_program_array(program, "work", MMM_WORD, CELLS, MMM_WORK, NULL, &array));
    assert_fails(mmm_program_array(program, "more", MMM_WORD, CELLS, MMM_WORK, NULL, &array), MMM_TOO_LARGE,
                 "too many");
    assert_ok(mmm_machine_open("cuda:0", &machine));
    assert_ok(mmm_machine_run(machine, program, NULL));
    assert_ok(mmm_machine_run(machine, program, NULL));
    mmm_machine_free(machine);
    mmm_program_free(program);
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
    for (int k = 0; k < KERNELS; k++)
        assert_int_equal(cuda->nodes[place[k]].follows, k == 4);
    mmm_machine_free(machine);
    mmm_program_free(program);
    assert_nothing_left();
}

/* A driver that refuses edges of that sort gets plain ones, and is not asked again. */
static void test_plain_edges(void **state)
{
    mmm_machine *machine;
    (void)state;
    restart();
    assert_ok(mmm_machine_open("cuda:0", &machine));
    for (int again = 0; again < 2; again++) {
        mmm_program *program = make_program(CELLS);
        size_t count = 0;
        set_fault("cuGraphAddDependencies_v2", 1, 1);
        assert_ok(mmm_machine_run(machine, program, NULL));
        assert_int_equal(cuda->calls, again ? 0 : 2);
        for (int i = 0; i < KERNELS; i++) {
            count += cuda->nodes[i].before_count;
            assert_false(cuda->nodes[i].follows);
        }
        assert_int_equal(count, EDGES - 1);
        mmm_program_free(program);
    }
    mmm_machine_free(machine);
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
                    if (cuda->lasting) {
                        assert_int_equal(mmm_machine_run(machine, program, NULL), MMM_DEVICE);
                        assert_fails(mmm_machine_run(machine, program, NULL), MMM_DEVICE,
                                     "failed in an earlier run: only a new process can use it again");
                    } else {
                        assert_ok(mmm_machine_run(machine, program, NULL));
                    }
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
    const mmm_value arguments[] = {{.number = 0}, {.integer = 3}};
    int array, live;
    (void)state;
    restart();
    assert_ok(mmm_machine_open("cuda:0", &machine));
    assert_ok(mmm_machine_run(machine, usual, NULL));
    assert_fails(mmm_machine_run(machine, program, NULL), MMM_TOO_LARGE,
                 "1.1 GB of device memory are needed, 1.1 GB are available");
    assert_fails(mmm_program_array(program, "endless", MMM_WORD, INT64_MAX / 4 + 1, MMM_WORK, NULL, &array),
                 MMM_TOO_LARGE, "array 'endless' of 2305843009213693952 elements is more than can be addressed");
    mmm_program_free(program);
    live = cuda->live;
    program = make_program(CELLS);
    assert_ok(mmm_program_launch(program, &small, (mmm_grid){1, 1, 1025, 1}, (mmm_local){0}, arguments));
    assert_fails(mmm_machine_run(machine, program, NULL), MMM_TOO_LARGE,
                 "kernel 'small' has 1025 threads a block: the device takes 1024");
    mmm_program_free(program);
    program = make_program(CELLS);
    assert_ok(mmm_program_launch(program, &small, (mmm_grid){1, 1, 32, 1}, (mmm_local){.words = 60000}, arguments));
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

int main(int count, char **words)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_libraries), /* the first two come first: later the fakes are open */
        cmocka_unit_test(test_no_compiler),  cmocka_unit_test(test_no_device), cmocka_unit_test(test_graph),
        cmocka_unit_test(test_plain_edges),  cmocka_unit_test(test_arrays),    cmocka_unit_test(test_every_call),
        cmocka_unit_test(test_two_machines), cmocka_unit_test(test_too_large), cmocka_unit_test(test_time_limit),
    };
    (void)count;
    find_fakes(words[0]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
