/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled kernels on disk: MMM_CACHE, or mmm below the user's cache folder.
 *
 * An entry is a file named by a hash of its key: a line of format, the key's and the code's lengths and a hash of the
 * code, then key and code.  It is written beside and renamed, so that two processes may fill the cache at once;
 * whatever does not read back in full is as good as absent. */
#include "machine/gpu/gpu.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

uint64_t mmm_hash(const void *data, size_t size, uint64_t seed)
{
    const unsigned char *bytes = data;
    uint64_t h = 0xcbf29ce484222325u ^ seed; /* FNV-1a, its bits mixed at the end */
    for (size_t i = 0; i < size; i++)
        h = (h ^ bytes[i]) * 0x100000001b3u;
    h = (h ^ (h >> 32)) * 0xd6e8feb86659fd93u;
    return h ^ (h >> 32);
}

bool mmm_cache_folder(char *path, size_t size)
{
    const char *own = getenv("MMM_CACHE"), *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int length;
    if (own && *own)
        length = snprintf(path, size, "%s", own);
    else if (cache && *cache == '/')
        length = snprintf(path, size, "%s/mmm", cache);
    else if (home && *home == '/')
        length = snprintf(path, size, "%s/.cache/mmm", home);
    else
        return false;
    if (length < 0 || (size_t)length + 64 > size) return false;
    for (char *c = path + 1;; c++) {
        char old = *c;
        if (old && old != '/') continue;
        *c = 0;
        bool there = mkdir(path, 0700) == 0 || errno == EEXIST;
        *c = old;
        if (!there) return false;
        if (!old) return true;
    }
}

static bool entry_path(const char *key, char *path, size_t size)
{
    size_t length = strlen(key);
    if (!mmm_cache_folder(path, size)) return false;
    size_t used = strlen(path);
    snprintf(path + used, size - used, "/%016" PRIx64 "%016" PRIx64, mmm_hash(key, length, 0),
             mmm_hash(key, length, 1));
    return true;
}

static void first_line(char *line, size_t size, size_t key_size, const void *code, size_t code_size)
{
    snprintf(line, size, "mmm-cache 1 %zu %zu %016" PRIx64 "\n", key_size, code_size, mmm_hash(code, code_size, 2));
}

bool mmm_cache_load(const char *key, void **code, size_t *size)
{
    char path[4096], line[128], wanted[128];
    size_t key_size = strlen(key), stored_size, code_size;
    bool good = false;
    char *stored = NULL, *body = NULL;
    if (!entry_path(key, path, sizeof path)) return false;
    FILE *stream = fopen(path, "rb");
    if (!stream) return false;
    struct stat status;
    if (fstat(fileno(stream), &status) != 0 || !S_ISREG(status.st_mode) || !fgets(line, sizeof line, stream) ||
        sscanf(line, "mmm-cache 1 %zu %zu", &stored_size, &code_size) != 2 || stored_size != key_size ||
        code_size > (size_t)status.st_size || strlen(line) + key_size + code_size != (size_t)status.st_size)
        goto done;
    stored = malloc(key_size + 1);
    body = malloc(code_size + 1);
    if (!stored || !body || fread(stored, 1, key_size, stream) != key_size ||
        fread(body, 1, code_size, stream) != code_size)
        goto done;
    first_line(wanted, sizeof wanted, key_size, body, code_size);
    good = memcmp(stored, key, key_size) == 0 && strcmp(line, wanted) == 0;
    if (good) {
        body[code_size] = 0;
        *code = body;
        *size = code_size;
        body = NULL;
    }
done:
    free(stored);
    free(body);
    fclose(stream);
    return good;
}

void mmm_cache_store(const char *key, const void *code, size_t size)
{
    char path[4096], temporary[4200], line[128];
    size_t key_size = strlen(key);
    if (!entry_path(key, path, sizeof path)) return;
    snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
    int descriptor = mkstemp(temporary);
    if (descriptor < 0) return;
    FILE *stream = fdopen(descriptor, "wb");
    if (!stream) {
        close(descriptor);
        unlink(temporary);
        return;
    }
    first_line(line, sizeof line, key_size, code, size);
    fputs(line, stream);
    fwrite(key, 1, key_size, stream);
    fwrite(code, 1, size, stream);
    bool bad = ferror(stream);
    if (fclose(stream) != 0) bad = true; /* a full disk may show only here */
    if (bad || rename(temporary, path) != 0) unlink(temporary);
}
