/* SPDX-License-Identifier: Apache-2.0 */
/* Files read whole, and written beside their name and renamed. */
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

mmm_status mmm_file_read(const char *path, int64_t limit, char **text, int64_t *size)
{
    mmm_status result = MMM_OK;
    char *buffer = NULL;
    int64_t room = 0, used = 0;
    bool standard = strcmp(path, "-") == 0;
    FILE *stream = standard ? stdin : fopen(path, "rb");
    if (!stream) return mmm_fail(MMM_IO, "cannot read '%.200s': %s", path, strerror(errno));
    for (;;) {
        TRY(mmm_grow(&buffer, &room, used + 65537, 1));
        size_t got = fread(buffer + used, 1, (size_t)(room - used - 1), stream);
        used += (int64_t)got;
        if (used > limit) FAIL(MMM_TOO_LARGE, "'%.200s' is larger than %lld bytes", path, (long long)limit);
        if (got == 0) break;
    }
    if (ferror(stream)) FAIL(MMM_IO, "cannot read '%.200s': %s", path, strerror(errno));
    buffer[used] = 0;
    *text = buffer;
    *size = used;
    buffer = NULL;
done:
    free(buffer);
    if (!standard) fclose(stream);
    return result;
}

mmm_status mmm_output_open(mmm_output *output, const char *path)
{
    memset(output, 0, sizeof *output);
    if (strcmp(path, "-") == 0) {
        output->stream = stdout;
        return MMM_OK;
    }
    /* A device or a pipe is written to as it is: renaming onto it would replace it by a file. */
    struct stat status;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
        if (S_ISDIR(status.st_mode)) return mmm_fail(MMM_IO, "cannot write '%.200s': it is a directory", path);
        output->stream = fopen(path, "wb");
        return output->stream ? MMM_OK : mmm_fail(MMM_IO, "cannot write '%.200s': %s", path, strerror(errno));
    }
    size_t length = strlen(path);
    output->path = mmm_copy_string(path);
    output->temporary = malloc(length + 8);
    if (!output->path || !output->temporary) {
        mmm_output_discard(output);
        return mmm_fail(MMM_MEMORY, "no memory for a file name");
    }
    memcpy(output->temporary, path, length);
    memcpy(output->temporary + length, ".XXXXXX", 8);
    int descriptor = mkstemp(output->temporary);
    if (descriptor < 0) {
        int error = errno;
        free(output->temporary);
        output->temporary = NULL;
        mmm_output_discard(output);
        return mmm_fail(MMM_IO, "cannot write '%.200s': %s", path, strerror(error));
    }
    mode_t mask = umask(0);
    umask(mask);
    fchmod(descriptor, 0666 & ~mask);
    output->stream = fdopen(descriptor, "wb");
    return MMM_OK;
}

mmm_status mmm_output_commit(mmm_output *output)
{
    mmm_status result = MMM_OK;
    FILE *stream = output->stream;
    output->stream = NULL;
    const char *name = output->path ? output->path : "standard output";
    if (stream == stdout) {
        if (fflush(stream) != 0 || ferror(stream)) FAIL(MMM_IO, "cannot write to %s: %s", name, strerror(errno));
        goto done;
    }
    bool bad = ferror(stream) || fflush(stream) != 0;
    int error = errno;
    if (fclose(stream) != 0 && !bad) bad = true, error = errno;
    if (bad) FAIL(MMM_IO, "cannot write '%.200s': %s", name, strerror(error));
    if (output->temporary && rename(output->temporary, output->path) != 0)
        FAIL(MMM_IO, "cannot write '%.200s': %s", name, strerror(errno));
    free(output->temporary);
    output->temporary = NULL;
done:
    mmm_output_discard(output);
    return result;
}

void mmm_output_discard(mmm_output *output)
{
    if (output->stream && output->stream != stdout) fclose(output->stream);
    if (output->temporary) unlink(output->temporary);
    free(output->temporary);
    free(output->path);
    memset(output, 0, sizeof *output);
}

mmm_status mmm_line_append(const char *path, const char *header, const char *line)
{
    mmm_status result = MMM_OK;
    char *text = NULL, last = '\n';
    int file = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    if (file < 0) FAIL(MMM_IO, "cannot write '%.200s': %s", path, strerror(errno));
    off_t size = lseek(file, 0, SEEK_END);
    if (size > 0 && pread(file, &last, 1, size - 1) != 1) last = '\n';
    int length = asprintf(&text, "%s%s%s\n", last == '\n' ? "" : "\n", size == 0 ? header : "", line);
    if (length < 0) {
        text = NULL;
        FAIL(MMM_MEMORY, "no memory for a line of '%.200s'", path);
    }
    ssize_t written = write(file, text, (size_t)length);
    if (written != length)
        FAIL(MMM_IO, "cannot write '%.200s': %s", path, written < 0 ? strerror(errno) : "the disk is full");
done:
    if (file >= 0) close(file);
    free(text);
    return result;
}
