/* SPDX-License-Identifier: Apache-2.0 */
/* The generator as a command of the build:
 *
 *   generate KERNELS.c UNIT OUTDIR       writes kernels.host.c, kernels.records.c and kernels.h into OUTDIR
 *   generate --embed NAME FILE OUT.c     writes the text of FILE as const char NAME[]
 *   generate --flatten NAME FILE OUT.c   the same, with the files beside it that it includes, and without other
 * includes */
#include "kernel/generate.h"

#include <stdlib.h>
#include <string.h>

static mmm_status write_file(const char *folder, const char *name, const char *text)
{
    mmm_status result = MMM_OK;
    mmm_output output = {0};
    char path[4096];
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        return mmm_fail(MMM_INVALID, "'%.80s...' is too long for a path", folder);
    TRY(mmm_output_open(&output, path));
    fputs(text, output.stream);
    TRY(mmm_output_commit(&output));
done:
    mmm_output_discard(&output);
    return result;
}

static mmm_status generate(const char *path, const char *unit, const char *folder)
{
    mmm_status result = MMM_OK;
    mmm_generated generated = {0};
    result = mmm_generate(path, NULL, unit, &generated);
    for (int64_t i = 0; i < generated.diagnostic_count; i++) {
        const mmm_diagnostic *d = &generated.diagnostics[i];
        fprintf(stderr, "%s:%d: %s: %s\n", d->file, d->line, d->warning ? "warning" : "error", d->text);
    }
    if (result != MMM_OK && generated.diagnostic_count == 0) fprintf(stderr, "generate: %s\n", mmm_message());
    if (result != MMM_OK) goto done;
    result = write_file(folder, "kernels.host.c", generated.host);
    if (result == MMM_OK) result = write_file(folder, "kernels.records.c", generated.records);
    if (result == MMM_OK) result = write_file(folder, "kernels.h", generated.header);
    if (result != MMM_OK) fprintf(stderr, "generate: %s\n", mmm_message());
done:
    mmm_generated_clear(&generated);
    return result;
}

static void put_line(FILE *stream, const char *line, size_t length)
{
    fputc('"', stream);
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)line[i];
        if (c == '\n')
            fputs("\\n", stream);
        else if (c == '"' || c == '\\' || c == '?')
            fprintf(stream, "\\%c", c);
        else if (c < ' ' || c > 126)
            fprintf(stream, "\\%03o", c);
        else
            fputc(c, stream);
    }
    fputs("\"\n", stream);
}

static mmm_status put_file(FILE *stream, const char *path, bool flat)
{
    mmm_status result = MMM_OK;
    const char *slash = strrchr(path, '/');
    char *text = NULL, name[256], beside[4096];
    int64_t size;
    TRY(mmm_file_read(path, (int64_t)1 << 26, &text, &size));
    for (const char *line = text, *next; line < text + size; line = next) {
        const char *end = memchr(line, '\n', (size_t)(text + size - line));
        next = end ? end + 1 : text + size;
        if (!flat || strncmp(line, "#include", 8) != 0) {
            put_line(stream, line, (size_t)(next - line));
        } else if (sscanf(line, "#include \"%255[^\"]\"", name) == 1) {
            snprintf(beside, sizeof beside, "%.*s%s", slash ? (int)(slash - path + 1) : 0, path, name);
            TRY(put_file(stream, beside, flat));
        }
    }
done:
    free(text);
    return result;
}

static mmm_status embed(const char *name, const char *path, const char *target, bool flat)
{
    mmm_status result = MMM_OK;
    mmm_output output = {0};
    TRY(mmm_output_open(&output, target));
    fprintf(output.stream, "extern const char %s[];\nconst char %s[] =\n\"\"\n", name, name);
    TRY(put_file(output.stream, path, flat));
    fputs(";\n", output.stream);
    TRY(mmm_output_commit(&output));
done:
    mmm_output_discard(&output);
    if (result != MMM_OK) fprintf(stderr, "generate: %s\n", mmm_message());
    return result;
}

int main(int count, char **words)
{
    bool flat = count == 5 && strcmp(words[1], "--flatten") == 0;
    if (flat || (count == 5 && strcmp(words[1], "--embed") == 0))
        return embed(words[2], words[3], words[4], flat) != MMM_OK;
    if (count == 4 && words[1][0] != '-') return generate(words[1], words[2], words[3]) != MMM_OK;
    fprintf(stderr, "use: generate KERNELS.c UNIT OUTDIR\n     generate --embed|--flatten NAME FILE OUT.c\n");
    return 2;
}
