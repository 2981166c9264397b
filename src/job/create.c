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

mmm_status mmm_app_create(const char *path)
{
    mmm_status result = MMM_OK;
    if (!path || !*path) FAIL(MMM_INVALID, "a new application needs the name of a folder");
    if (mkdir(path, 0777) != 0)
        FAIL(errno == EEXIST ? MMM_INVALID : MMM_IO, "cannot make the folder '%.200s': %s", path, strerror(errno));
    TRY(write_file(path, "kernels.c", mmm_new_kernels));
    TRY(write_file(path, "app.c", mmm_new_app));
done:
    return result;
}
