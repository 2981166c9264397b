/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel files for tests of the generator. */
#ifndef MMM_TESTS_GENERATED_H
#define MMM_TESTS_GENERATED_H

#include "testing.h"

#include "kernel/generate.h"

#include <dirent.h>

#define FOLDER "tests/kernel/"

static inline int is_kernel(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > 2 && strcmp(entry->d_name + length - 2, ".c") == 0;
}

/* Calls `check` for each kernel file of the folder; returns how many there are. */
static inline int for_each(const char *folder, void (*check)(const char *path))
{
    struct dirent **entries;
    int count = scandir(folder, &entries, is_kernel, alphasort);
    assert_true(count > 0);
    for (int i = 0; i < count; i++) {
        char path[400];
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        check(path);
        free(entries[i]);
    }
    free(entries);
    return count;
}

/* The kernels of the library itself. */
static const struct {
    const char *name, *path;
} own[] = {
    {"naive", "apps/division-naive/kernels.c"},
    {"division", "apps/division/kernels.c"},
    {"multiplication", "apps/multiplication/kernels.c"},
    {"naive_gcd", "apps/gcd-naive/kernels.c"},
    {"gcd", "apps/gcd/kernels.c"},
    {"radix_sort", "apps/radix-sort/kernels.c"},
    {"polynomial", "src/job/polynomial_kernels.c"},
    {"probe", "src/study/probe_kernels.c"},
};
enum { OWN = sizeof own / sizeof *own };

static inline mmm_status generate_text(const char *text, mmm_generated *out)
{
    return mmm_generate(file_with(text), "k.c", "unit", out);
}

#endif
