/* SPDX-License-Identifier: Apache-2.0 */
/* Applications in folders: a copy of a built-in one is the same in everything, compiled once for all processes; and
 * what is wrong with a folder is said with the user's path and line. */
#include "job/job.h"
#include "study/study.h"
#include "testing.h"

#include "mmm/formula.h"
#include "mmm/study.h"

#include <dirent.h>
#include <sys/wait.h>

static char base[4096], cache[4200];

/* ---- Folders -------------------------------------------------------------------------------------------------------
 */

static void write_text(const char *folder, const char *name, const char *text)
{
    char path[4300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *stream = fopen(path, "w");
    assert_non_null(stream);
    assert_true(fputs(text, stream) >= 0);
    assert_int_equal(fclose(stream), 0);
}

/* The path of a new folder in the test's own, good until the next call. */
static const char *folder_of(const char *name)
{
    static char path[4200];
    snprintf(path, sizeof path, "%s/%s", base, name);
    assert_int_equal(mkdir(path, 0777), 0);
    return path;
}

static const char *place_of(const char *name)
{
    static char path[4200];
    snprintf(path, sizeof path, "%s/%s", base, name);
    return path;
}

/* A file of an application of this tree, with one text in it replaced where `from` is not NULL. */
static void copy_file(const char *app, const char *name, const char *folder, const char *from, const char *to)
{
    char path[256], *text = NULL;
    int64_t size;
    snprintf(path, sizeof path, "apps/%s/%s", app, name);
    assert_ok(mmm_file_read(path, 1 << 20, &text, &size));
    char *found = from ? strstr(text, from) : NULL;
    if (from) {
        assert_non_null(found);
        char *changed = calloc((size_t)size + strlen(to) + 1, 1);
        sprintf(changed, "%.*s%s%s", (int)(found - text), text, to, found + strlen(from));
        free(text);
        text = changed;
    }
    write_text(folder, name, text);
    free(text);
}

static const char *copy_gcd(const char *name)
{
    const char *folder = folder_of(name);
    copy_file("gcd", "kernels.c", folder, NULL, NULL);
    copy_file("gcd", "app.c", folder, NULL, NULL);
    copy_file("gcd", "formulas.txt", folder, NULL, NULL);
    return folder;
}

/* An application on words: its kernels and a record that fits them. */
static const char *small_app(const char *name, const char *kernels, const char *app)
{
    const char *folder = folder_of(name);
    if (kernels) write_text(folder, "kernels.c", kernels);
    if (app) write_text(folder, "app.c", app);
    return folder;
}

static const char plain_kernels[] = "/* Doubles. */\n"
                                    "KERNEL void twice(GLOBAL const float *a, GLOBAL float *b, int n)\n"
                                    "{\n"
                                    "    THREADS (t) {\n"
                                    "        int i = block * block_size + t;\n"
                                    "        if (i < n) b[i] = a[i] + a[i];\n"
                                    "        OPS(1);\n"
                                    "    }\n"
                                    "}\n";
static const char plain_app[] = "#include <mmm/app.h>\n"
                                "#include \"kernels.h\"\n"
                                "static mmm_status build(mmm_job *job, mmm_program *program)\n"
                                "{\n"
                                "    int64_t n = mmm_job_length(job, 0);\n"
                                "    mmm_f32_array a, b;\n"
                                "    MMM_TRY(mmm_job_input(job, 0, 0, n, MMM_IN, &a));\n"
                                "    MMM_TRY(mmm_job_array(job, \"b\", n, MMM_OUT, &b));\n"
                                "    MMM_TRY(mmm_job_output(job, 0, b, 0, n));\n"
                                "    return launch_twice(program, (n + 31) / 32, 32, a, b, n);\n"
                                "}\n"
                                "MMM_APPLICATION = {\n"
                                "    .summary = \"doubles\",\n"
                                "    .parameters = {{\"n\", \"the number of floats\", MMM_SIZE, 1, 1000, 100}},\n"
                                "    .inputs = {{\"a\", MMM_F32, \"n\"}},\n"
                                "    .outputs = {{\"b\", MMM_F32, \"n\"}},\n"
                                "    .build = build,\n"
                                "};\n";

/* ---- Processes -----------------------------------------------------------------------------------------------------
 */

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

/* ---- Tests ---------------------------------------------------------------------------------------------------------
 */

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

/* ---- A copy is the same ---------------------------------------------------------------------------------------------
 */

enum { COPIES = 2, TRIALS = 3 };

static mmm_job *job_of(const char *app, int64_t s)
{
    mmm_job *job;
    assert_ok(mmm_job_new(app, &job));
    assert_ok(mmm_job_set(job, "n", 130));
    assert_ok(mmm_job_set(job, "m", 90));
    if (s) assert_ok(mmm_job_set(job, "s", s));
    return job;
}

static void compare_runs(const char *const *apps)
{
    static const char *const names[] = {"cpu", "abstract", "opencl:0"};
    for (int m = 0; m < 3; m++)
        for (int64_t s = 5; s <= 16; s += 11) {
            mmm_job *jobs[COPIES];
            mmm_machine *machines[COPIES];
            const uint64_t *results[COPIES];
            int64_t counts[COPIES];
            mmm_shape shapes[COPIES];
            mmm_measures measures[COPIES];
            memset(shapes, 0, sizeof shapes);
            memset(measures, 0, sizeof measures);
            if (mmm_machine_open(names[m], &machines[0]) != MMM_OK) continue;
            assert_ok(mmm_machine_open(names[m], &machines[1]));
            for (int i = 0; i < COPIES; i++) {
                jobs[i] = job_of(apps[i], s);
                assert_ok(mmm_job_run(jobs[i], machines[i], NULL));
                assert_ok(mmm_job_check(jobs[i]));
                results[i] = mmm_job_result(jobs[i], 0, &counts[i]);
                assert_ok(mmm_program_shape(mmm_job_program(jobs[i]), &shapes[i]));
            }
            assert_int_equal(counts[0], counts[1]);
            assert_memory_equal(results[0], results[1], (size_t)counts[0] * sizeof(uint64_t));
            assert_memory_equal(&shapes[0], &shapes[1], sizeof shapes[0]);
            const mmm_counts *x = mmm_machine_counts(machines[0]), *y = mmm_machine_counts(machines[1]);
            if (x) {
                assert_int_equal(x->violation_count, 0);
                assert_int_equal(y->violation_count, 0);
                assert_int_equal(x->arithmetic, y->arithmetic);
                assert_int_equal(x->local_accesses, y->local_accesses);
                assert_int_equal(x->global_reads, y->global_reads);
                assert_int_equal(x->global_writes, y->global_writes);
                assert_int_equal(x->local_words, y->local_words);
                for (int i = 0; i < COPIES; i++)
                    assert_ok(mmm_program_measures(mmm_job_program(jobs[i]), mmm_parameters_builtin(), &measures[i]));
                assert_memory_equal(&measures[0], &measures[1], sizeof measures[0]);
                assert_true(measures[0].work > 0);
            }
            for (int i = 0; i < COPIES; i++) {
                mmm_job_free(jobs[i]);
                mmm_machine_free(machines[i]);
            }
        }
}

static void compare_tuning(const char *const *apps)
{
    mmm_parameters parameters;
    mmm_tuning tunings[COPIES];
    mmm_machine *machine;
    assert_ok(
        mmm_parameters_read("U=10,Z=2000,P=2,lanes=8,threads=1024,operation=1e-9,barrier=5,launch=100", &parameters));
    assert_ok(mmm_machine_open("cpu", &machine));
    for (int i = 0; i < COPIES; i++) {
        mmm_job *job = job_of(apps[i], 0);
        assert_ok(mmm_tune(job, machine, &parameters, &(mmm_tune_options){.dry_run = 1}, &tunings[i]));
        mmm_job_free(job);
    }
    assert_int_equal(tunings[0].count, tunings[1].count);
    assert_int_equal(tunings[0].chosen, tunings[1].chosen);
    assert_true(tunings[0].count > 10);
    for (int k = 0; k < tunings[0].count; k++) {
        const mmm_candidate *x = &tunings[0].candidates[k], *y = &tunings[1].candidates[k];
        assert_memory_equal(x->values, y->values, sizeof x->values);
        assert_string_equal(x->reason, y->reason);
        assert_true(x->prediction.plain == y->prediction.plain);
        assert_true(x->prediction.extended == y->prediction.extended);
        assert_true(x->prediction.estimate == y->prediction.estimate);
        assert_true(x->prediction.measures.work == y->prediction.measures.work &&
                    x->prediction.measures.span == y->prediction.measures.span);
        assert_true(x->prediction.measures.overhead == y->prediction.measures.overhead &&
                    x->prediction.measures.C == y->prediction.measures.C);
    }
    for (int i = 0; i < COPIES; i++)
        mmm_tuning_free(&tunings[i]);
    mmm_machine_free(machine);
}

/* The data of a report as text. */
static char *report_of(const char *app)
{
    mmm_job *jobs[TRIALS];
    mmm_machine *machines[TRIALS];
    mmm_analysis analyses[TRIALS];
    mmm_trial trials[TRIALS];
    mmm_parameters machine;
    char path[4300], *text = NULL;
    int64_t size;
    memset(analyses, 0, sizeof analyses);
    assert_ok(mmm_parameters_read("U=10,Z=8192,P=4,operation=1e-6,launch=100", &machine));
    for (int i = 0; i < TRIALS; i++) {
        jobs[i] = job_of(app, 8 << i);
        assert_ok(mmm_machine_open_abstract(&machine, 1, &machines[i]));
        assert_ok(mmm_job_run(jobs[i], machines[i], NULL));
        assert_ok(mmm_analysis_make(&analyses[i], mmm_job_program(jobs[i]), &machine, NULL, 0, 1));
        analyses[i].app = mmm_job_app(jobs[i])->name;
        analyses[i].job = jobs[i];
        analyses[i].counts = mmm_machine_counts(machines[i]);
        trials[i] = (mmm_trial){.value = 8 << i, .analysis = &analyses[i], .runs = 1, .median = 0.1 * (i + 1)};
    }
    mmm_report_input input = {.app = mmm_job_app(jobs[0]),
                              .job = jobs[0],
                              .parameter = "s",
                              .trials = trials,
                              .count = TRIALS,
                              .chosen = -1,
                              .machine = machine,
                              .device = "cpu",
                              .seed = 1,
                              .date = 86400};
    snprintf(path, sizeof path, "%s/report.json", base);
    assert_ok(mmm_report_data(&input, path));
    assert_ok(mmm_file_read(path, 1 << 24, &text, &size));
    snprintf(path, sizeof path, "%s/report.html", base);
    assert_ok(mmm_report_html(&input, path));
    char *page = NULL;
    assert_ok(mmm_file_read(path, 1 << 24, &page, &size));
    char *both = calloc(strlen(text) + strlen(page) + 1, 1);
    sprintf(both, "%s%s", text, page);
    free(text);
    free(page);
    for (int i = 0; i < TRIALS; i++) {
        mmm_job_free(jobs[i]);
        mmm_machine_free(machines[i]);
    }
    return both;
}

static void test_copy(void **state)
{
    char *folder = strdup(copy_gcd("gcd"));
    const char *const apps[COPIES] = {"gcd", folder};
    const mmm_app *app, *again, *built_in;
    char path[4300];
    (void)state;
    assert_ok(mmm_app_open(folder, &app));
    assert_string_equal(app->name, "gcd");
    assert_string_equal(mmm_app_folder(app), folder);
    snprintf(path, sizeof path, "%s/../gcd/.", folder); /* by whatever path, it is opened once */
    assert_ok(mmm_app_open(path, &again));
    assert_ptr_equal(app, again);
    assert_ok(mmm_app_open("gcd", &built_in));
    assert_ptr_not_equal(app, built_in);
    assert_null(mmm_app_folder(built_in));
    compare_runs(apps);
    compare_tuning(apps);
    char *reports[COPIES] = {report_of("gcd"), report_of(folder)};
    assert_true(strlen(reports[0]) > 1000);
    assert_string_equal(reports[0], reports[1]);
    for (int i = 0; i < COPIES; i++)
        free(reports[i]);
    /* Its analysis is the one in the folder. */
    mmm_formula *formula;
    assert_ok(mmm_app_formula(app, &formula));
    assert_non_null(formula);
    mmm_formula_free(formula);
    write_text(folder, "formulas.txt",
               "title Mine\nsize n terms\nparameter s steps\nchoose s\nwhere s >= 1\nW = n*s\n");
    assert_ok(mmm_app_formula(app, &formula));
    assert_string_equal(mmm_formula_title(formula), "Mine");
    mmm_formula_free(formula);
    snprintf(path, sizeof path, "%s/formulas.txt", folder);
    assert_int_equal(unlink(path), 0);
    assert_ok(mmm_app_formula(app, &formula));
    assert_null(formula);
    free(folder);
}

/* An application of more than one file, in another dimension, of several inputs. */
static void test_included(void **state)
{
    (void)state;
    const char *folder = small_app("included",
                                   "#include \"more.h\"\n"
                                   "KERNEL void twice(GLOBAL const float *a, GLOBAL float *b, int n)\n{\n"
                                   "    THREADS (t) {\n        int i = block * block_size + t;\n"
                                   "        if (i < n) b[i] = half_of(FOUR * a[i]);\n        OPS(1);\n    }\n}\n",
                                   plain_app);
    write_text(folder, "more.h", "#define FOUR 4\nfloat half_of(float x) { return x / 2; }\n");
    mmm_job *job;
    mmm_machine *machine;
    int64_t count;
    assert_ok(mmm_job_new(folder, &job));
    assert_ok(mmm_machine_open("cpu", &machine));
    assert_ok(mmm_job_run(job, machine, NULL));
    const float *a = mmm_job_given(job, 0, NULL), *b = mmm_job_result(job, 0, &count);
    assert_int_equal(count, 100);
    for (int i = 0; i < 100; i++)
        assert_true(b[i] == 2 * a[i]);
    mmm_job_free(job);
    mmm_machine_free(machine);
}

/* What `mmm new` writes works as it is. */
static void test_new(void **state)
{
    mmm_job *job;
    mmm_machine *machine;
    (void)state;
    assert_ok(mmm_app_create(place_of("fresh")));
    assert_fails(mmm_app_create(place_of("fresh")), MMM_INVALID, "fresh");
    assert_fails(mmm_app_create(place_of("two words")), MMM_INVALID, "'two words' is no name for an application");
    assert_fails(mmm_app_create(place_of("gcd/")), MMM_INVALID, "'gcd' is the name of an application that is built in");
    assert_ok(mmm_job_new(place_of("fresh"), &job));
    assert_ok(mmm_machine_open("abstract", &machine));
    assert_ok(mmm_job_run(job, machine, NULL));
    assert_int_equal(mmm_machine_counts(machine)->violation_count, 0);
    assert_ok(mmm_job_check(job));
    mmm_job_free(job);
    mmm_machine_free(machine);
}

static int begin(void **state)
{
    char here[3000];
    (void)state;
    if (!getcwd(here, sizeof here)) return 1;
    mkdir("build", 0777);
    snprintf(base, sizeof base, "%s/build/test-folder-%d", here, (int)getpid());
    snprintf(cache, sizeof cache, "%s/cache", base);
    setenv("MMM_CACHE", cache, 1);
    return mkdir(base, 0777);
}

static int end(void **state)
{
    char command[4300];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", base);
    return system(command) != 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_at_once),     cmocka_unit_test(test_cached),   cmocka_unit_test(test_wrong_folders),
        cmocka_unit_test(test_copy),        cmocka_unit_test(test_included), cmocka_unit_test(test_new),
        cmocka_unit_test(test_opencl_only),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
