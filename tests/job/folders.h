/* SPDX-License-Identifier: Apache-2.0 */
/* Folders of applications that tests make. */
#ifndef MMM_TESTS_FOLDERS_H
#define MMM_TESTS_FOLDERS_H

#include "job/job.h"
#include "testing.h"

static char base[4096], cache[4200];

static inline void write_text(const char *folder, const char *name, const char *text)
{
    char path[4300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *stream = fopen(path, "w");
    assert_non_null(stream);
    assert_true(fputs(text, stream) >= 0);
    assert_int_equal(fclose(stream), 0);
}

/* The path of a new folder in the test's own, good until the next call. */
static inline const char *folder_of(const char *name)
{
    static char path[4200];
    snprintf(path, sizeof path, "%s/%s", base, name);
    assert_int_equal(mkdir(path, 0777), 0);
    return path;
}

static inline const char *place_of(const char *name)
{
    static char path[4200];
    snprintf(path, sizeof path, "%s/%s", base, name);
    return path;
}

/* A file of an application of this tree, with one text in it replaced where `from` is not NULL. */
static inline void copy_file(const char *app, const char *name, const char *folder, const char *from, const char *to)
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

static inline const char *copy_gcd(const char *name)
{
    const char *folder = folder_of(name);
    copy_file("gcd", "kernels.c", folder, NULL, NULL);
    copy_file("gcd", "app.c", folder, NULL, NULL);
    copy_file("gcd", "formulas.txt", folder, NULL, NULL);
    return folder;
}

/* An application on words: its kernels and a record that fits them. */
static inline const char *small_app(const char *name, const char *kernels, const char *app)
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

static inline int begin(void **state)
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

static inline int end(void **state)
{
    char command[4300];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", base);
    return system(command) != 0;
}

#endif
