/* SPDX-License-Identifier: Apache-2.0 */
/* What is too large is refused before anything is allocated; and how much memory there is. */
#include "job/job.h"
#include "testing.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#if defined(__SANITIZE_ADDRESS__)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

enum { MEGABYTE = 1 << 20 };

/* Leaves this process so much more address space; under sanitizers, which reserve most of it, nothing. */
static void leave(uint64_t bytes)
{
    long pages = 0;
    FILE *stream = fopen("/proc/self/statm", "r");
    if (SANITIZED || !stream || fscanf(stream, "%ld", &pages) != 1) return;
    fclose(stream);
    rlim_t limit = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + bytes;
    setrlimit(RLIMIT_AS, &(struct rlimit){limit, limit});
}

static long touched(void) /* bytes */
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss * 1024;
}

/* Runs a test in a child of its own, which may limit itself. */
static void in_child(void (*test)(void))
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        test();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

#define REQUIRE(condition)                                                                 \
    do {                                                                                   \
        if (!(condition)) {                                                                \
            fprintf(stderr, "line %d: %s; \"%s\"\n", __LINE__, #condition, mmm_message()); \
            _exit(1);                                                                      \
        }                                                                                  \
    } while (0)

/* ---- Kernels --------------------------------------------------------------------------------------------------------
 */

static void refuse_kernels(void)
{
    static const struct {
        const char *app;
        int64_t n, m;
        const char *choice; /* set to 1 */
    } large[] = {{"division", 1 << 28, 1, "s"},         {"division-naive", 1 << 28, 1, NULL},
                 {"division-inverse", 1 << 27, 1, "s"}, {"division-newton", 1 << 23, 1 << 22, "w"},
                 {"gcd", 1 << 28, 1 << 27, "s"},        {"gcd-naive", 1 << 28, 7, NULL},
                 {"gcd-jump", 1 << 27, 1 << 27, "s"},   {"gcd-half", 1 << 22, 1 << 22, "s"}};
    leave((uint64_t)8 << 30);
    if (mmm_memory_available() > (uint64_t)12 << 30) return; /* some fit, and would take long */
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
        mmm_job *job;
        double start = worked();
        long before = touched();
        REQUIRE(mmm_job_new(large[i].app, &job) == MMM_OK);
        REQUIRE(mmm_job_set(job, "n", large[i].n) == MMM_OK);
        REQUIRE(mmm_job_set(job, "m", large[i].m) == MMM_OK);
        if (large[i].choice) REQUIRE(mmm_job_set(job, large[i].choice, 1) == MMM_OK);
        REQUIRE(mmm_job_prepare(job) == MMM_TOO_LARGE);
        REQUIRE(strstr(mmm_message(), " kernels: ") && strstr(mmm_message(), "GB are available"));
        REQUIRE(mmm_job_program(job) == NULL && mmm_job_given(job, 0, NULL) == NULL);
        REQUIRE(worked() - start < 0.2);
        REQUIRE(touched() - before < 16 * MEGABYTE);
        mmm_job_free(job);
    }
}

static void grow_kernels(void)
{
    mmm_program *program;
    mmm_status status = MMM_OK;
    leave((uint64_t)512 << 20);
    if (mmm_memory_available() > (uint64_t)1 << 30) return;
    REQUIRE(mmm_program_new(&program) == MMM_OK);
    while (status == MMM_OK)
        status = mmm_program_add(program, "k", 1, 1, NULL);
    REQUIRE(status == MMM_TOO_LARGE && strstr(mmm_message(), "as many again"));
    REQUIRE(mmm_program_kernels(program) > 100000);
    mmm_program_free(program);
}

static void test_kernels(void **state)
{
    (void)state;
    in_child(refuse_kernels);
    in_child(grow_kernels);
}

/* ---- Inputs and arrays ----------------------------------------------------------------------------------------------
 */

static int64_t size_of_one;
static int built;

/* Arrays of which the second does not fit with the first; `how` 1: fills one meanwhile; 2: asks for an input. */
static mmm_status build(mmm_job *job, mmm_program *program)
{
    mmm_u8_array a;
    mmm_u8_array b;
    (void)program;
    built++;
    MMM_TRY(mmm_job_array(job, "first", size_of_one, MMM_WORK, &a));
    if (mmm_job_get(job, "how") == 1) {
        unsigned char *memory = mmm_job_memory(job, a.number);
        if (!memory) return mmm_fail(MMM_WRONG, "no memory");
        memset(memory, 7, (size_t)size_of_one);
    }
    if (mmm_job_get(job, "how") == 2) {
        int64_t count;
        const unsigned char *drawn = mmm_job_given(job, 0, &count);
        if (count != mmm_job_get(job, "n") || (count && !drawn)) return mmm_fail(MMM_WRONG, "no input");
    }
    MMM_TRY(mmm_job_array(job, "second", size_of_one, MMM_WORK, &b));
    return mmm_job_output(job, 0, b, 0, size_of_one);
}

static const mmm_app app = {.name = "large",
                            .parameters = {{"n", "bytes", MMM_SIZE, 0, INT64_MAX, 0, NULL, NULL},
                                           {"how", "what is done", MMM_OTHER, 0, 2, 0, NULL, NULL}},
                            .inputs = {{"x", MMM_U8, "n", NULL, 0}, {"y", MMM_U8, "n", NULL, 0}},
                            .outputs = {{"z", MMM_U8, "1", NULL, 0}},
                            .build = build};

static mmm_job *new_job(int64_t n, int64_t how, int64_t size)
{
    mmm_job *job;
    REQUIRE(mmm_app_register(&app) == MMM_OK);
    REQUIRE(mmm_job_new("large", &job) == MMM_OK);
    REQUIRE(mmm_job_set(job, "n", n) == MMM_OK);
    REQUIRE(mmm_job_set(job, "how", how) == MMM_OK);
    size_of_one = size;
    built = 0;
    return job;
}

static void refuse_arrays(void)
{
    leave((uint64_t)4 << 30);
    int64_t part = (int64_t)(mmm_memory_available() * 6 / 10);
    long before = touched();
    mmm_job *job = new_job(10, 0, part);
    REQUIRE(mmm_job_prepare(job) == MMM_TOO_LARGE);
    REQUIRE(strstr(mmm_message(), "array 'second' of ") && strstr(mmm_message(), "GB are available"));
    REQUIRE(built == 1 && touched() - before < 16 * MEGABYTE);
    mmm_job_free(job);

    job = new_job(part, 0, 10); /* the second input does not fit: nothing is built */
    REQUIRE(mmm_job_prepare(job) == MMM_TOO_LARGE);
    REQUIRE(strstr(mmm_message(), "the input y of ") && built == 0 && touched() - before < 16 * MEGABYTE);
    mmm_job_free(job);

    job = new_job(part / 4, 0, part / 2); /* both inputs and both arrays fit, but not also the result */
    REQUIRE(mmm_job_prepare(job) == MMM_TOO_LARGE);
    REQUIRE(strstr(mmm_message(), "the output z of ") && touched() - before < 16 * MEGABYTE);
    mmm_job_free(job);

    job = new_job(0, 0, INT64_MAX);
    REQUIRE(mmm_job_prepare(job) == MMM_TOO_LARGE && strstr(mmm_message(), "array 'first' of "));
    mmm_job_free(job);
}

static void test_arrays(void **state)
{
    (void)state;
    in_child(refuse_arrays);
}

/* Who asks for memory while it builds has it, and inputs are those that are drawn otherwise. */
static void test_early(void **state)
{
    (void)state;
    unsigned char drawn[3][100];
    for (int how = 0; how < 3; how++) {
        mmm_job *job = new_job(100, how, 50);
        assert_ok(mmm_job_prepare(job));
        int64_t count;
        const unsigned char *x = mmm_job_given(job, 1, &count);
        assert_int_equal(count, 100);
        memcpy(drawn[how], x, 100);
        const unsigned char *first = mmm_job_memory(job, 0), *second = mmm_job_memory(job, 1);
        assert_non_null(first);
        assert_int_equal(first[49], how == 1 ? 7 : 0);
        assert_int_equal(second[49], 0);
        mmm_job_free(job);
    }
    assert_memory_equal(drawn[0], drawn[1], 100);
    assert_memory_equal(drawn[0], drawn[2], 100);
}

/* ---- How much there is ----------------------------------------------------------------------------------------------
 */

static char folder[64];

static void put(const char *name, const char *text)
{
    char path[256], part[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    for (char *c = strchr(path, '/'); c; c = strchr(c + 1, '/')) {
        snprintf(part, sizeof part, "%.*s", (int)(c - path), path);
        mkdir(part, 0777);
    }
    FILE *stream = fopen(path, "w");
    assert_non_null(stream);
    fputs(text, stream);
    fclose(stream);
}

static uint64_t groups(const char *list)
{
    char path[128], mount[128];
    put("list", list);
    snprintf(path, sizeof path, "%s/list", folder);
    snprintf(mount, sizeof mount, "%s/mount", folder);
    return mmm_memory_of_groups(path, mount);
}

static void test_groups(void **state)
{
    (void)state;
    char command[128];
    snprintf(folder, sizeof folder, "build/test-groups-%d", (int)getpid());
    assert_true(groups("0::/a/b\n") == UINT64_MAX); /* nothing is mounted */
    put("mount/a/memory.max", "1000\n");
    put("mount/a/memory.current", "300\n");
    put("mount/a/b/memory.max", "max\n");
    put("mount/a/b/memory.current", "200\n");
    assert_true(groups("0::/a/b\n") == 700);
    assert_true(groups("0::/\n") == UINT64_MAX);
    put("mount/a/memory.stat", "anon 17\ninactive_file 100\nactive_file 50\n");
    assert_true(groups("0::/a/b\n") == 800);
    put("mount/a/b/memory.max", "250\n");
    assert_true(groups("0::/a/b\n") == 50);
    put("mount/a/b/memory.current", "300\n"); /* more than it may have */
    assert_true(groups("0::/a/b\n") == 0);
    assert_true(groups("0::/c\n") == UINT64_MAX);
    put("mount/memory.max", "5000\n"); /* the container's own, where its path is another outside */
    assert_true(groups("0::/c/d\n") == 5000);
    put("mount/memory/x/memory.limit_in_bytes", "4000\n");
    put("mount/memory/x/memory.usage_in_bytes", "1000\n");
    put("mount/memory/x/memory.stat", "cache 5\ntotal_inactive_file 500\n");
    assert_true(groups("5:cpu,cpuacct:/\n4:memory:/x/y\n") == 3500);
    assert_true(groups("4:memory:/x/y\n0::/a/b\n") == 0);
    assert_true(groups("") == UINT64_MAX);
    assert_true(groups("nonsense\n:\n::\n") == 5000);
    assert_true(mmm_memory_of_groups("build/no-such-file", "build") == UINT64_MAX);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    assert_int_equal(system(command), 0);
}

static void limit_data(void)
{
    if (SANITIZED) return; /* its own memory is data, too */
    uint64_t before = mmm_memory_available();
    setrlimit(RLIMIT_DATA, &(struct rlimit){200 * MEGABYTE, 200 * MEGABYTE});
    REQUIRE(mmm_memory_available() <= 200 * MEGABYTE && mmm_memory_available() < before);
}

static void limit_addresses(void)
{
    leave(100 * MEGABYTE);
    if (!SANITIZED) REQUIRE(mmm_memory_available() <= 101 * MEGABYTE && mmm_memory_available() > 50 * MEGABYTE);
}

static void test_limits(void **state)
{
    (void)state;
    assert_true(mmm_memory_available() > 0);
    in_child(limit_data);
    in_child(limit_addresses);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernels), cmocka_unit_test(test_arrays), cmocka_unit_test(test_early),
        cmocka_unit_test(test_groups),  cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
