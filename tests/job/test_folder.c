/* SPDX-License-Identifier: Apache-2.0 */
/* Applications in folders are compiled once for all processes, and what is wrong with a folder is said with the user's
 * path and line. */
#include "folders.h"

#include <dirent.h>
#include <sys/wait.h>

typedef struct child {
    pid_t pid;
    int end;
} child;

/* Opens the application and runs it once, in a process of its own where CC has this value. */
static child start(const char *folder, const char *compiler)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    child c = {.pid = fork(), .end = ends[0]};
    if (c.pid == 0) {
        mmm_job *job = NULL;
        mmm_machine *machine = NULL;
        if (compiler) setenv("CC", compiler, 1);
        mmm_status status = mmm_job_new(folder, &job);
        if (status == MMM_OK && mmm_app_parameter(mmm_job_app(job), "m") >= 0) status = mmm_job_set(job, "m", 40);
        if (status == MMM_OK) status = mmm_job_set(job, "n", 60);
        if (status == MMM_OK) status = mmm_machine_open("abstract", &machine);
        if (status == MMM_OK) status = mmm_job_run(job, machine, NULL);
        if (status == MMM_OK && mmm_job_app(job)->check) status = mmm_job_check(job);
        const char *text = status == MMM_OK ? mmm_job_app(job)->summary : mmm_message();
        if (write(ends[1], text, strlen(text) + 1) < 0) _exit(100);
        _exit((int)status);
    }
    close(ends[1]);
    return c;
}

/* How it ended; the message, or the summary of the application that worked. */
static mmm_status finish(child c, char message[1024])
{
    int status;
    ssize_t size = read(c.end, message, 1023);
    message[size > 0 ? size : 0] = 0;
    close(c.end);
    assert_int_equal(waitpid(c.pid, &status, 0), c.pid);
    assert_true(WIFEXITED(status));
    return (mmm_status)WEXITSTATUS(status);
}

static void assert_works(const char *folder, const char *compiler, const char *summary)
{
    char message[1024];
    mmm_status status = finish(start(folder, compiler), message);
    if (status != MMM_OK || !strstr(message, summary)) fail_msg("%s: %s", folder, message);
}

static void assert_fails_so(const char *folder, const char *compiler, mmm_status status, const char *text)
{
    char message[1024];
    assert_int_equal(finish(start(folder, compiler), message), status);
    if (!strstr(message, text)) fail_msg("'%s' lacks '%s'", message, text);
    assert_null(strchr(message, '\n'));
}

/* The folders in the cache whose names begin so; the path of the last goes to `path` (may be NULL). */
static int cached(const char *prefix, char *path)
{
    int count = 0;
    DIR *list = opendir(cache);
    for (struct dirent *entry; list && (entry = readdir(list));)
        if (strncmp(entry->d_name, prefix, strlen(prefix)) == 0) {
            count++;
            if (path) sprintf(path, "%s/%s", cache, entry->d_name);
        }
    if (list) closedir(list);
    return count;
}

/* The first ones fork: nothing may have run on the CPU's threads before. */
static void test_at_once(void **state)
{
    enum { CHILDREN = 4 };
    child children[CHILDREN];
    (void)state;
    const char *folder = copy_gcd("at-once");
    for (int i = 0; i < CHILDREN; i++)
        children[i] = start(folder, NULL);
    for (int i = 0; i < CHILDREN; i++) {
        char message[1024];
        if (finish(children[i], message) != MMM_OK) fail_msg("process %d of %d: %s", i, CHILDREN, message);
    }
    assert_int_equal(cached("app-", NULL), 1); /* all but one threw theirs away */
    assert_int_equal(cached("mmm-new-", NULL), 0);
    assert_int_equal(cached("headers-", NULL), 1);
}

static void test_cached(void **state)
{
    static const char missing[] = "/nonexistent/cc";
    char where[4300], path[4400];
    (void)state;
    int before = cached("app-", NULL);
    const char *folder = small_app("cached", plain_kernels, plain_app);
    assert_fails_so(folder, missing, MMM_DEVICE, "cannot run '/nonexistent/cc'");
    assert_fails_so(folder, missing, MMM_DEVICE, "needs a C compiler");
    assert_int_equal(cached("app-", NULL), before);
    assert_int_equal(cached("mmm-new-", NULL), 0);
    assert_works(folder, NULL, "doubles");
    assert_int_equal(cached("app-", NULL), before + 1);
    assert_works(folder, missing, "doubles"); /* no compiler is needed now, */
    assert_works(folder, "no-such-compiler-anywhere", "doubles");
    assert_works(folder, NULL, "doubles"); /* and none is run */
    assert_int_equal(cached("app-", NULL), before + 1);
    char changed[4096]; /* but where a source has changed */
    snprintf(changed, sizeof changed, "%s", plain_app);
    memcpy(strstr(changed, "doubles"), "changes", 7);
    write_text(folder, "app.c", changed);
    assert_fails_so(folder, missing, MMM_DEVICE, "cannot run");
    assert_works(folder, NULL, "changes");
    write_text(folder, "app.c", plain_app); /* as before: it is still there */
    assert_works(folder, missing, "doubles");
    write_text(folder, "more.h", "/* a source, too */\n");
    assert_fails_so(folder, missing, MMM_DEVICE, "cannot run");
    write_text(folder, "notes.txt", "no source\n");
    char *more = strdup(place_of("cached/more.h"));
    unlink(more);
    free(more);
    assert_works(folder, missing, "doubles");

    /* A cache that was damaged is mended. */
    char *only = strdup(small_app("damaged", plain_kernels, plain_app));
    char mine[4200];
    snprintf(mine, sizeof mine, "%s/own-cache", base);
    setenv("MMM_CACHE", mine, 1);
    assert_works(only, NULL, "doubles");
    char kept[sizeof cache];
    strcpy(kept, cache);
    strcpy(cache, mine);
    assert_int_equal(cached("app-", where), 1);
    snprintf(path, sizeof path, "%s/app.so", where);
    assert_int_equal(truncate(path, 100), 0);
    assert_fails_so(only, missing, MMM_DEVICE, "cannot run");
    assert_works(only, NULL, "doubles");
    assert_int_equal(cached("app-", where), 1);
    /* A byte of code that is another is found by the digest, and nothing is loaded that others may have written. */
    snprintf(path, sizeof path, "%s/app.so", where);
    FILE *stream = fopen(path, "r+");
    assert_non_null(stream);
    assert_int_equal(fseek(stream, -1000, SEEK_END), 0);
    int byte = getc(stream);
    assert_int_equal(fseek(stream, -1, SEEK_CUR), 0);
    putc(byte ^ 1, stream);
    fclose(stream);
    assert_fails_so(only, missing, MMM_DEVICE, "cannot run");
    assert_works(only, NULL, "doubles");
    assert_int_equal(chmod(where, 0777), 0);
    assert_fails_so(only, missing, MMM_DEVICE, "cannot run");
    assert_works(only, NULL, "doubles");
    assert_int_equal(chmod(mine, 0777), 0);
    assert_fails_so(only, NULL, MMM_IO, "is not trusted: others may write it (chmod go-w)");
    assert_int_equal(chmod(mine, 0700), 0);
    assert_int_equal(cached("app-", where), 1);
    snprintf(path, sizeof path, "%s/key", where);
    assert_int_equal(truncate(path, 10), 0);
    assert_works(only, NULL, "doubles");
    assert_int_equal(unlink(path), 0);
    assert_works(only, NULL, "doubles");
    assert_int_equal(cached("app-", NULL), 1);
    assert_int_equal(cached("mmm-new-", NULL), 0);
    free(only);
    setenv("MMM_CACHE", "/dev/null/none", 1);
    assert_fails_so(place_of("damaged"), NULL, MMM_IO, "no place for compiled code: cannot make");
    strcpy(cache, kept);
    setenv("MMM_CACHE", cache, 1);
}

static void test_wrong_folders(void **state)
{
    const mmm_app *app;
    char text[4300], source[4096];
    (void)state;
    int before = cached("app-", NULL);
    assert_fails(mmm_app_open(place_of("nowhere"), &app), MMM_INVALID, "there is no folder");
    assert_fails(mmm_app_open(small_app("no-kernels", NULL, plain_app), &app), MMM_INVALID, "it lacks kernels.c");
    assert_fails(mmm_app_open(small_app("no-app", plain_kernels, NULL), &app), MMM_INVALID, "it lacks app.c");
    assert_fails(mmm_app_open(small_app("no-record", plain_kernels, "#include <mmm/app.h>\n"), &app), MMM_INVALID,
                 "no-record/app.c' has no record: it ends with MMM_APPLICATION = {...};");
    /* C that is none: the user's file and line. */
    snprintf(source, sizeof source, "%s", plain_app);
    memcpy(strstr(source, "int64_t n ="), "int64_t n +", 11);
    const char *folder = small_app("syntax", plain_kernels, source);
    snprintf(text, sizeof text, "%s/app.c:5:", folder);
    assert_fails(mmm_app_open(folder, &app), MMM_INVALID, text);
    /* A launcher of another kernel. */
    snprintf(source, sizeof source, "%s", plain_app);
    memcpy(strstr(source, "launch_twice"), "launch_thrice", 13);
    folder = small_app("launcher", plain_kernels, source);
    assert_fails(mmm_app_open(folder, &app), MMM_INVALID, "launch_thrice");
    assert_non_null(strstr(mmm_message(), "launcher/app.c:"));
    assert_null(strstr(mmm_message(), "does not load"));
    /* An error that shows inside a macro of ours. */
    snprintf(source, sizeof source, "%s", plain_app);
    *strchr(strstr(source, "mmm_f32_array"), ';') = ' ';
    folder = small_app("macro", plain_kernels, source);
    snprintf(text, sizeof text, "%s/app.c:", folder);
    assert_fails(mmm_app_open(folder, &app), MMM_INVALID, text);
    /* A kernel that is refused. */
    snprintf(source, sizeof source, "%s", plain_kernels);
    memcpy(strstr(source, "OPS(1);"), "break; ", 7);
    folder = small_app("refused", source, plain_app);
    snprintf(text, sizeof text, "%s/kernels.c:7: break leaves a region", folder);
    assert_fails(mmm_app_open(folder, &app), MMM_INVALID, text);
    /* One that the generator leaves to the compiler. */
    folder = small_app("types",
                       "KERNEL void twice(GLOBAL const float *a, GLOBAL float *b, int n)\n{\n    THREADS (t)\n"
                       "        b[t] = a[t] % n;\n}\n",
                       plain_app);
    snprintf(text, sizeof text, "%s/kernels.c:4", folder);
    assert_fails(mmm_app_open(folder, &app), MMM_INVALID, text);
    /* Records that do not hold together. */
    static const struct {
        const char *name, *from, *to, *message;
    } records[] = {
        {"no-build", "    .build = build,\n", "", "it has no build function"},
        {"shape", "\"a\", MMM_F32, \"n\"", "\"a\", MMM_F32, NULL", "a has no shape"},
        {"constraint", "    .build", "    .constraints = \"q > 1\",\n    .build", "there is no parameter 'q'"},
        {"word", "    .build", "    .word = \"32 +\",\n    .build", "expected"},
        {"standard", "1, 1000, 100}", "1, 1000, 2000}", "least, most, standard are not in order"},
        {"twice", "1, 1000, 100}", "1, 1000, 100}, {\"n\", \"again\", MMM_SIZE, 1, 2, 1}", "'n' is there twice"},
        {"polynomial", "\"a\", MMM_F32", "\"a\", MMM_POLYNOMIAL", "no parameter has the role MMM_MODULUS"},
        {"name", "    .summary", "    .name = \"a b\",\n    .summary", "is no name for an application"},
    };
    for (size_t i = 0; i < sizeof records / sizeof *records; i++) {
        char name[64];
        const char *found = strstr(plain_app, records[i].from);
        assert_non_null(found);
        snprintf(source, sizeof source, "%.*s%s%s", (int)(found - plain_app), plain_app, records[i].to,
                 found + strlen(records[i].from));
        snprintf(name, sizeof name, "record-%s", records[i].name);
        assert_fails(mmm_app_open(small_app(name, plain_kernels, source), &app), MMM_INVALID, records[i].message);
        assert_non_null(strstr(mmm_message(), "the record of application"));
    }
    assert_int_equal(cached("mmm-new-", NULL), 0);
    assert_int_equal(cached("app-", NULL), before + 1 + (int)(sizeof records / sizeof *records)); /* these compile */
}

/* A kernel that hosts take and OpenCL's compiler does not: what it says, with the user's file and line. */
static void test_opencl_only(void **state)
{
    static const char kernels[] = "KERNEL void twice(GLOBAL const float *a, GLOBAL float *b, int n)\n"
                                  "{\n"
                                  "    THREADS (t) {\n"
                                  "        int i = block * block_size + t;\n"
                                  "        float x = 1, three = x ? 3 : 0; /* C has conditions that are floats */\n"
                                  "        if (i < n) b[i] = a[i] + three;\n"
                                  "        OPS(1);\n"
                                  "    }\n"
                                  "}\n";
    mmm_job *job;
    mmm_machine *cpu, *device;
    char text[4300];
    (void)state;
    const char *folder = small_app("opencl", kernels, plain_app);
    assert_ok(mmm_job_new(folder, &job));
    assert_string_equal(mmm_job_app(job)->name, "opencl"); /* the folder's, where the record has none */
    assert_ok(mmm_machine_open("cpu", &cpu));
    assert_ok(mmm_job_run(job, cpu, NULL));
    const float *a = mmm_job_given(job, 0, NULL), *b = mmm_job_result(job, 0, NULL);
    for (int i = 0; i < 100; i++)
        assert_true(b[i] == a[i] + 3);
    if (mmm_machine_open("opencl:0", &device) == MMM_OK) {
        snprintf(text, sizeof text, "%s/kernels.c:5", folder);
        assert_fails(mmm_job_run(job, device, NULL), MMM_DEVICE, text);
        mmm_machine_free(device);
    } else
        print_message("skipped: %s\n", mmm_message());
    mmm_machine_free(cpu);
    mmm_job_free(job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_at_once),
        cmocka_unit_test(test_cached),
        cmocka_unit_test(test_wrong_folders),
        cmocka_unit_test(test_opencl_only),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
