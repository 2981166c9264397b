/* SPDX-License-Identifier: Apache-2.0 */
/* Files read whole, and written beside their name and renamed. */
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
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

/* Makes a file of a name that none has, with the permissions of any new file; -1 with errno where it cannot. */
static int make_beside(const char *path, char *name, size_t size)
{
    static atomic_uint turn;
    int descriptor = -1;
    for (int tries = 0; descriptor < 0 && tries < 1000; tries++) {
        unsigned number = (unsigned)getpid() * 2654435761u + turn++ * 40503u;
        snprintf(name, size, "%s.%06x", path, number & 0xffffff);
        descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor < 0 && errno != EEXIST) break;
    }
    return descriptor;
}

mmm_status mmm_output_open(mmm_output *output, const char *path)
{
    memset(output, 0, sizeof *output);
    if (strcmp(path, "-") == 0) {
        output->stream = stdout;
        output->before = mmm_locale_own();
        return MMM_OK;
    }
    struct stat status;
    bool there = stat(path, &status) == 0;
    if (there && S_ISDIR(status.st_mode)) return mmm_fail(MMM_IO, "cannot write '%.200s': it is a directory", path);
    output->path = mmm_copy_string(path);
    size_t size = strlen(path) + 8;
    char *temporary = malloc(size);
    if (!output->path || !temporary) {
        free(temporary);
        mmm_output_discard(output);
        return mmm_fail(MMM_MEMORY, "no memory for a file name");
    }
    /* A device or a pipe is written to as it is: renaming onto it would replace it by a file. */
    bool beside = !there || S_ISREG(status.st_mode);
    int descriptor = beside ? make_beside(path, temporary, size) : open(path, O_WRONLY | O_CLOEXEC);
    if (descriptor >= 0 && beside)
        output->temporary = temporary;
    else
        free(temporary);
    if (descriptor >= 0) output->stream = fdopen(descriptor, "wb");
    if (!output->stream) {
        int error = errno;
        if (descriptor >= 0) close(descriptor);
        mmm_output_discard(output);
        return mmm_fail(error == ENOMEM ? MMM_MEMORY : MMM_IO, "cannot write '%.200s': %s", path, strerror(error));
    }
    output->before = mmm_locale_own();
    return MMM_OK;
}

mmm_status mmm_path_check(const char *path)
{
    mmm_output output;
    struct stat status;
    NEED(path, "the path");
    bool there = stat(path, &status) == 0;
    if (strcmp(path, "-") == 0 || (there && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))) return MMM_OK;
    MMM_TRY(mmm_output_open(&output, path));
    mmm_output_discard(&output);
    return MMM_OK;
}

/* Why a stream could not be written; 0 where it could.  A write that failed while the buffer filled has left no reason:
 * one more byte tells it. */
static int reason(FILE *stream)
{
    if (!ferror(stream)) return fflush(stream) == 0 ? 0 : errno;
    errno = EIO;
    (void)(fputc('\n', stream) != EOF && fflush(stream));
    return errno;
}

mmm_status mmm_output_commit(mmm_output *output)
{
    mmm_status result = MMM_OK;
    FILE *stream = output->stream;
    int error = reason(stream);
    if (stream == stdout) {
        if (error) FAIL(MMM_IO, "cannot write to standard output: %s", strerror(error));
        goto done;
    }
    output->stream = NULL;
    mmm_locale_back(output->before);
    if (fclose(stream) != 0 && !error) error = errno;
    if (!error && output->temporary && rename(output->temporary, output->path) != 0) error = errno;
    if (error) FAIL(MMM_IO, "cannot write '%.200s': %s", output->path, strerror(error));
    free(output->temporary);
    output->temporary = NULL;
done:
    mmm_output_discard(output);
    return result;
}

void mmm_output_discard(mmm_output *output)
{
    if (output->stream) mmm_locale_back(output->before);
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
