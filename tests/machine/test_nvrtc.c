/* SPDX-License-Identifier: Apache-2.0 */
/* What CUDA machines do when the compiler fails, or the driver refuses its code; on fakes of both. */
#include "machine/fakes.h"

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
    open_fakes();
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

/* A const parameter is read as early as the compiler likes where the kernel writes none of it: not through another
 * parameter of the same array, nor through a buffer that may be the same memory.  Kernels that differ in this are
 * compiled by themselves. */
static void test_alone(void **state)
{
    static const mmm_kernel_parameter both[] = {{"from", MMM_PARAMETER_ARRAY, MMM_WORD, 0},
                                                {"to", MMM_PARAMETER_ARRAY, MMM_WORD, 1}};
    static const mmm_kernel copy = {.name = "copy",
                                    .file = "test.c",
                                    .text = "MMM_KERNEL void copy(MMM_GLOBAL const word *MMM_ALONE(from) from, "
                                            "MMM_GLOBAL word *to MMM_KERNEL_BLOCK)\n{\n}\n",
                                    .parameters = both,
                                    .parameter_count = 2,
                                    .dimensions = 1,
                                    .words = 1};
    static const struct {
        int from, to, bound; /* arrays, and how many of them are buffers */
        bool alone;
    } cases[] = {{0, 1, 0, true}, {1, 1, 0, false}, {1, 0, 1, true}, {0, 1, 2, false}, {1, 0, 0, true}};
    static const char told[] = "#define MMM_ALONE_from __restrict__\n";
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mmm_program *program;
        mmm_variants variants = {0};
        char *text, *key;
        int array;
        assert_ok(mmm_program_new(&program));
        assert_ok(mmm_program_set_words(program, 32, NULL));
        assert_ok(mmm_program_array(program, "in", MMM_WORD, CELLS, MMM_IN_OUT, in, &array));
        assert_ok(mmm_program_array(program, "in_out", MMM_WORD, CELLS, MMM_IN_OUT, in_out, &array));
        for (int k = 0; k < cases[i].bound; k++)
            mmm_program_bind(program, k, in);
        const mmm_value arguments[] = {{.number = cases[i].from}, {.number = cases[i].to}}, in_place[2] = {{0}};
        for (int k = 0; k < 3; k++)
            assert_ok(mmm_program_launch(program, &copy, (mmm_grid){1, 1, 32, 1}, (mmm_local){.words = 0},
                                         k == 2 ? in_place : arguments));
        assert_ok(mmm_variants_add(program, &variants));
        assert_int_equal(variants.count, cases[i].alone ? 2 : 1);
        assert_ok(mmm_kernel_text(program, &variants.nodes[0], "MMM_TARGET_CUDA", false, 0, &text));
        assert_ok(mmm_kernel_key(program, &variants.nodes[0], "MMM_TARGET_CUDA", false, 0, &key));
        assert_int_equal(strstr(text, told) != NULL, cases[i].alone);
        assert_int_equal(strstr(key, told) != NULL, cases[i].alone);
        free(text);
        free(key);
        mmm_variants_free(&variants);
        mmm_program_free(program);
    }
}

/* Code in the cache that the driver refuses is compiled anew, and replaced. */
static void test_refused_code(void **state)
{
    mmm_machine *machine;
    mmm_program *program = make_program(CELLS);
    static const int compiled[] = {3, 0, 1, 0};
    char cache[600];
    (void)state;
    open_fakes();
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
        cmocka_unit_test(test_compiler),
        cmocka_unit_test(test_alone),
        cmocka_unit_test(test_refused_code),
    };
    (void)count;
    find_fakes(words[0]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
