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
        cmocka_unit_test(test_refused_code),
    };
    (void)count;
    find_fakes(words[0]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
