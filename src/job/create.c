/* SPDX-License-Identifier: Apache-2.0 */
/* A new application to begin with: the files of examples/stencil. */
#include "job/job.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern const char mmm_new_kernels[], mmm_new_app[]; /* embedded */

static mmm_status write_file(const char *folder, const char *name, const char *text)
{
    mmm_status result = MMM_OK;
    mmm_output output = {0};
    char *path = NULL;
    if (asprintf(&path, "%s/%s", folder, name) < 0) {
        path = NULL;
        FAIL(MMM_MEMORY, "no memory for a path");
    }
    TRY(mmm_output_open(&output, path));
    if (fputs(text, output.stream) == EOF) FAIL(MMM_IO, "cannot write '%s': %s", path, strerror(errno));
    TRY(mmm_output_commit(&output));
done:
    mmm_output_discard(&output);
    free(path);
    return result;
}

/* The last part of a path is going to be the application's name. */
static mmm_status check_name(const char *path)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    size_t start = length;
    while (start > 0 && path[start - 1] != '/')
        start--;
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)(length - start), path + start);
    if (length - start >= sizeof name || !mmm_app_is_name(name))
        return mmm_fail(MMM_INVALID, "'%.100s' is no name for an application: " MMM_NAMES, path + start);
    for (const mmm_app *const *app = mmm_app_list(); *app; app++)
        if (strcmp((*app)->name, name) == 0)
            return mmm_fail(MMM_INVALID, "'%s' is the name of an application that is built in: choose another", name);
    return MMM_OK;
}

mmm_status mmm_app_create(const char *path)
{
    mmm_status result = MMM_OK;
    if (!path || !*path) FAIL(MMM_INVALID, "a new application needs the name of a folder");
    TRY(check_name(path));
    if (mkdir(path, 0777) != 0)
        FAIL(errno == EEXIST ? MMM_INVALID : MMM_IO, "cannot make the folder '%.200s': %s", path, strerror(errno));
    TRY(write_file(path, "kernels.c", mmm_new_kernels));
    TRY(write_file(path, "app.c", mmm_new_app));
done:
    return result;
}
