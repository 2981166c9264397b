/* SPDX-License-Identifier: Apache-2.0 */
/* What OpenCL machines do when something fails, as far as it can be made to fail on a real device. */
#include "testing.h"
#include "machine/gpu/gpu.h"

#include <dirent.h>
#include <sys/wait.h>
#include <time.h>

static mmm_machine *machine;
static char cache[300];

/* `spin` goes round `turns` times; `bad` does not compile where it is wanted. */
static const mmm_kernel_parameter parameters[] = {{"a", MMM_PARAMETER_ARRAY, MMM_WORD, 1},
                                                  {"turns", MMM_PARAMETER_SCALAR, MMM_I32, 0},
                                                  {"s", MMM_PARAMETER_CONSTANT, MMM_I32, 0}};
#define KERNEL_OF(kernel, source, code)                                                                               \
    {                                                                                                                 \
        .name = kernel, .file = source, .text = code, .parameters = parameters, .parameter_count = 3, .dimensions = 1 \
    }
static const char spin_text[] = "MMM_KERNEL void spin(MMM_GLOBAL volatile word *a, int turns, MMM_CONSTANT(s) "
                                "MMM_KERNEL_BLOCK)\n"
                                "{ MMM_CONSTANT_HERE(s)\n"
                                "    for (int i = 0; i < turns; i++)\n"
                                "        a[get_global_id(0)] += s;\n"
                                "}\n";
static const char bad_text[] =
    "MMM_KERNEL void bad(MMM_GLOBAL word *a, int turns, MMM_CONSTANT(s) MMM_KERNEL_BLOCK)\n{\n"
    "    a[0] = nowhere;\n    a[1] = nothing;\n}\n";
static const mmm_kernel spin = KERNEL_OF("spin", "spin.c", spin_text);
static const mmm_kernel bad = KERNEL_OF("bad", "bad.c", bad_text);
static const mmm_kernel missing = KERNEL_OF("missing", "spin.c", spin_text);
static const mmm_kernel host_only = KERNEL_OF("host_only", "spin.c", NULL);

enum { CELLS = 64 };
static uint32_t cells[CELLS];

/* One kernel, that adds 5 to every cell `turns` times; and an array of `more` cells beside. */
static mmm_program *make_program(const mmm_kernel *code, int64_t threads, int64_t local_words, int turns, int64_t more)
{
    mmm_program *program;
    const mmm_value arguments[] = {{.number = 0}, {.integer = turns}, {.integer = 5}};
    int array;
    assert_ok(mmm_program_new(&program));
    assert_ok(mmm_program_set_words(program, 32, NULL));
    assert_ok(mmm_program_array(program, "cells", MMM_WORD, CELLS, MMM_IN_OUT, cells, &array));
    assert_ok(mmm_program_array(program, "more", MMM_WORD, more, MMM_WORK, NULL, &array));
    assert_ok(mmm_program_launch(program, code, (mmm_grid){CELLS / 32, 1, threads, 1},
                                 (mmm_local){.words = local_words}, arguments));
    return program;
}

static void assert_works(void)
{
    mmm_program *program = make_program(&spin, 32, 0, 2, 0);
    memset(cells, 0, sizeof cells);
    assert_ok(mmm_machine_run(machine, program, NULL));
    for (int i = 0; i < CELLS; i++)
        assert_int_equal(cells[i], 10);
    mmm_program_free(program);
}

static void assert_run_fails(mmm_program *program, mmm_status status, const char *text)
{
    assert_fails(mmm_machine_run(machine, program, NULL), status, text);
    assert_fails(mmm_machine_run(machine, program, NULL), status, text); /* and again in the same way */
    mmm_program_free(program);
    assert_works();
}

/* Opens the first device in another process, where `name` has the value; what it says goes to `message`. */
static mmm_status open_with(const char *name, const char *value, char message[512])
{
    int ends[2], exit_status;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        setenv(name, value, 1);
        mmm_status status = mmm_machine_open("opencl:0", &machine);
        if (write(ends[1], mmm_message(), strlen(mmm_message()) + 1) < 0) _exit(100);
        _exit((int)status);
    }
    close(ends[1]);
    ssize_t size = read(ends[0], message, 511);
    message[size > 0 ? size : 0] = 0;
    close(ends[0]);
    assert_int_equal(waitpid(child, &exit_status, 0), child);
    assert_true(WIFEXITED(exit_status));
    return (mmm_status)WEXITSTATUS(exit_status);
}

static void test_no_library(void **state)
{
    char message[512];
    (void)state;
    assert_int_equal(open_with("MMM_OPENCL", "/nonexistent/libOpenCL.so", message), MMM_DEVICE);
    assert_string_equal(message,
                        "no OpenCL: looked for /nonexistent/libOpenCL.so (the variable MMM_OPENCL names another)");
}

static void test_no_platform(void **state)
{
    char message[512];
    (void)state;
    assert_int_equal(open_with("OCL_ICD_VENDORS", "/nonexistent/", message), MMM_DEVICE);
    assert_string_equal(message, "there is no device opencl:0: OpenCL finds 0 devices");
}

/* From here on there must be a device; without one these tests are skipped. */
static void need_device(void)
{
    if (!machine && mmm_machine_open("opencl:0", &machine) != MMM_OK) {
        print_message("skipped: %s\n", mmm_message());
        skip();
    }
}

/* A child of a process that has used the driver is told, and does not hang. */
static void test_fork(void **state)
{
    int status;
    (void)state;
    need_device();
    assert_works();
    pid_t child = fork();
    if (child == 0) {
        mmm_machine *own;
        mmm_program *program = make_program(&spin, 32, 0, 2, 0);
        alarm(30);
        int failed = mmm_machine_run(machine, program, NULL) != MMM_DEVICE || !strstr(mmm_message(), "forked");
        failed |= 2 * (mmm_machine_open("opencl:0", &own) != MMM_DEVICE || !strstr(mmm_message(), "forked"));
        mmm_program_free(program);
        mmm_machine_free(machine);
        _exit(failed);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_works();
}

static void test_too_large(void **state)
{
    mmm_machine *other;
    (void)state;
    need_device();
    assert_works();
    assert_run_fails(make_program(&spin, 32, 0, 1, (int64_t)1 << 60), MMM_TOO_LARGE,
                     "array 'more' of 4611686018.4 GB: ");
    assert_run_fails(make_program(&spin, 1 << 20, 0, 1, 0), MMM_TOO_LARGE,
                     "kernel 'spin' has 1048576 threads a block: the device takes ");
    assert_run_fails(make_program(&spin, 32, (int64_t)1 << 30, 1, 0), MMM_TOO_LARGE,
                     "kernel 'spin' needs 4294967296 bytes of local memory a block: the device has ");
    assert_fails(mmm_machine_open("opencl:1000", &other), MMM_DEVICE, "there is no device opencl:1000: OpenCL finds ");
}

static void test_texts(void **state)
{
    (void)state;
    need_device();
    assert_run_fails(make_program(&bad, 32, 0, 1, 0), MMM_DEVICE, "OpenCL does not compile bad.c: ");
    mmm_program *program = make_program(&bad, 32, 0, 1, 0);
    assert_fails(mmm_machine_run(machine, program, NULL), MMM_DEVICE, "nowhere");
    assert_null(strstr(mmm_message(), "nothing")); /* one line of the log */
    mmm_program_free(program);
    assert_run_fails(make_program(&missing, 32, 0, 1, 0), MMM_INVALID,
                     "the text of kernel 'missing' has no kernel of that name");
    assert_run_fails(make_program(&host_only, 32, 0, 1, 0), MMM_INVALID, "comes without its text");
}

/* Code in the cache that the device refuses is built anew. */
static void test_refused_code(void **state)
{
    char path[700], line[128];
    size_t key_size, size;
    void *code;
    (void)state;
    need_device();
    mmm_machine_free(machine);
    assert_ok(mmm_machine_open("opencl:0", &machine));
    assert_works();
    DIR *files = opendir(cache);
    if (!files) skip(); /* a device that does not give its code */
    for (struct dirent *file; (file = readdir(files));) {
        if (file->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", cache, file->d_name);
        FILE *stream = fopen(path, "rb");
        assert_non_null(stream);
        assert_non_null(fgets(line, sizeof line, stream));
        assert_int_equal(sscanf(line, "mmm-cache 2 %zu", &key_size), 1);
        char *key = calloc(key_size + 1, 1);
        assert_int_equal(fread(key, 1, key_size, stream), key_size);
        fclose(stream);
        mmm_cache_store(key, "not code", 8);
        mmm_machine_free(machine);
        assert_ok(mmm_machine_open("opencl:0", &machine));
        assert_works();
        assert_true(mmm_cache_load(key, &code, &size));
        if (strstr(key, "\nspin ")) assert_true(size > 8); /* replaced */
        free(code);
        free(key);
    }
    closedir(files);
}

/* Kernels that take too long are given up, and the machine works again once they have ended. */
static void test_time_limit(void **state)
{
    mmm_program *program = make_program(&spin, 32, 0, 20000000, 0);
    (void)state;
    if (!machine) mmm_program_free(program);
    need_device();
    assert_works();
    mmm_machine_set_time_limit(machine, 0.02);
    assert_fails(mmm_machine_run(machine, program, NULL), MMM_DEVICE, "the kernels take longer than 0.02 s: given up");
    assert_fails(mmm_machine_run(machine, program, NULL), MMM_DEVICE, "kernels of an earlier run take longer");
    mmm_machine_set_time_limit(machine, 60);
    memset(cells, 0, sizeof cells);
    mmm_program *other = make_program(&spin, 32, 0, 3, 0);
    for (int wait = 0; wait < 6000; wait++) {
        if (mmm_machine_run(machine, other, NULL) == MMM_OK) break;
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    assert_int_equal(cells[0], 15);
    mmm_program_free(program);
    mmm_program_free(other);
}

static int start(void **state)
{
    (void)state;
    mkdir("build", 0777);
    snprintf(cache, sizeof cache, "build/test-opencl-%d", (int)getpid());
    setenv("MMM_CACHE", cache, 1);
    return 0;
}

static int end(void **state)
{
    char command[400];
    (void)state;
    mmm_machine_free(machine);
    snprintf(command, sizeof command, "rm -rf '%s'", cache);
    return system(command) != 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_library), /* the first two come first: they fork */
        cmocka_unit_test(test_no_platform),  cmocka_unit_test(test_too_large), cmocka_unit_test(test_texts),
        cmocka_unit_test(test_refused_code), cmocka_unit_test(test_fork),      cmocka_unit_test(test_time_limit),
    };
    return cmocka_run_group_tests(tests, start, end);
}
