/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled kernels on disk: MMM_CACHE, or mmm below the user's cache folder.
 *
 * An entry is a file named by a digest of its key: a line of format, the key's and the code's lengths and a digest of
 * both, then key and code.  It is written beside and renamed, so that two processes may fill the cache at once;
 * whatever does not read back in full, or could have been written by another user, is as good as absent. */
#include "machine/gpu/gpu.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static mmm_status find_folder(char *path, size_t size)
{
    static const mmm_place place = {"MMM_CACHE", "XDG_CACHE_HOME", ".cache", "mmm"};
    if (mmm_place_find(&place, path, size) && strlen(path) + 64 <= size) return MMM_OK;
    return mmm_fail(MMM_IO, "no place for compiled code: set MMM_CACHE, XDG_CACHE_HOME or HOME");
}

mmm_status mmm_cache_folder(char *path, size_t size)
{
    MMM_TRY(find_folder(path, size));
    if (!mmm_folders_make(path, true))
        return mmm_fail(MMM_IO, "no place for compiled code: cannot make '%.200s': %s", path, strerror(errno));
    return mmm_trust(path);
}

/* Who reads makes no folders. */
static bool entry_path(const char *key, bool reads, char *path, size_t size)
{
    char name[MMM_DIGEST_TEXT];
    if ((reads ? find_folder(path, size) : mmm_cache_folder(path, size)) != MMM_OK) return false;
    if (reads && mmm_trust(path) != MMM_OK) return false;
    size_t used = strlen(path);
    snprintf(path + used, size - used, "/%s", mmm_digest_text(mmm_digest_of(key, strlen(key)), name));
    return true;
}

/* The digest is of key and code. */
static void first_line(char *line, size_t size, const char *key, const void *code, size_t code_size)
{
    char text[MMM_DIGEST_TEXT];
    mmm_digest digest = mmm_digest_of(key, strlen(key));
    mmm_digest_add(&digest, code, code_size);
    snprintf(line, size, "mmm-cache 2 %zu %zu %s\n", strlen(key), code_size, mmm_digest_text(digest, text));
}

bool mmm_cache_load(const char *key, void **code, size_t *size)
{
    char path[4096], line[128], wanted[128];
    size_t key_size = strlen(key), stored_size, code_size;
    bool good = false;
    char *stored = NULL, *body = NULL;
    if (!entry_path(key, true, path, sizeof path)) return false;
    FILE *stream = fopen(path, "rb");
    if (!stream) return false;
    struct stat status;
    if (fstat(fileno(stream), &status) != 0 || !S_ISREG(status.st_mode) || mmm_trust(path) != MMM_OK ||
        !fgets(line, sizeof line, stream) || sscanf(line, "mmm-cache 2 %zu %zu", &stored_size, &code_size) != 2 ||
        stored_size != key_size || code_size > (size_t)status.st_size ||
        strlen(line) + key_size + code_size != (size_t)status.st_size)
        goto done;
    stored = malloc(key_size + 1);
    body = malloc(code_size + 1);
    if (!stored || !body || fread(stored, 1, key_size, stream) != key_size ||
        fread(body, 1, code_size, stream) != code_size)
        goto done;
    first_line(wanted, sizeof wanted, key, body, code_size);
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
    if (!entry_path(key, false, path, sizeof path)) return;
    snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
    int descriptor = mkstemp(temporary);
    if (descriptor < 0) return;
    FILE *stream = fdopen(descriptor, "wb");
    if (!stream) {
        close(descriptor);
        unlink(temporary);
        return;
    }
    first_line(line, sizeof line, key, code, size);
    fputs(line, stream);
    fwrite(key, 1, key_size, stream);
    fwrite(code, 1, size, stream);
    bool bad = ferror(stream);
    if (fclose(stream) != 0) bad = true; /* a full disk may show only here */
    if (bad || rename(temporary, path) != 0) unlink(temporary);
}
