/* SPDX-License-Identifier: Apache-2.0 */
/* Applications in folders: compiled into the cache where they are not there yet, and loaded. */
#include "job/compile.h"
#include "machine/gpu/gpu.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { FILES_MOST = 256, OLD = 2 * 3600 }; /* seconds after which nobody compiles any more */

static int by_name(const void *x, const void *y)
{
    return strcmp(*(char *const *)x, *(char *const *)y);
}

/* Appends names and contents of the folder's sources to the key. */
static mmm_status add_sources(const char *folder, mmm_text *key)
{
    mmm_status result = MMM_OK;
    char *names[FILES_MOST], path[MMM_PATH_MOST], *text = NULL;
    int count = 0;
    int64_t size;
    DIR *list = opendir(folder);
    if (!list) FAIL(MMM_INVALID, "cannot read the folder '%.200s': %s", folder, strerror(errno));
    for (struct dirent *entry; (entry = readdir(list));) {
        size_t length = strlen(entry->d_name);
        bool source = length > 2 && entry->d_name[length - 2] == '.' && strchr("ch", entry->d_name[length - 1]);
        if (!source || entry->d_name[0] == '.') continue;
        if (count == FILES_MOST) FAIL(MMM_INVALID, "the folder '%.200s' has more than %d sources", folder, FILES_MOST);
        names[count] = mmm_copy_string(entry->d_name);
        if (!names[count++]) FAIL(MMM_MEMORY, "no memory for the names of files");
    }
    qsort(names, (size_t)count, sizeof *names, by_name);
    for (int i = 0; i < count; i++) {
        TRY(mmm_path_in(path, folder, names[i]));
        TRY(mmm_file_read(path, MMM_SOURCE_MOST, &text, &size));
        TRY(mmm_text_add(key, "%s %" PRId64 "\n%s\n", names[i], size, text));
        free(text);
        text = NULL;
    }
done:
    for (int i = 0; i < count; i++)
        free(names[i]);
    free(text);
    if (list) closedir(list);
    return result;
}

/* What kernels are compiled for: the instructions of this processor. */
static mmm_digest processor(void)
{
    char *text = NULL;
    int64_t size;
    mmm_digest digest = {{0}};
    if (mmm_file_read("/proc/cpuinfo", 1 << 24, &text, &size) == MMM_OK) {
        const char *flags = strstr(text, "\nflags");
        if (!flags) flags = strstr(text, "\nFeatures");
        if (flags) digest = mmm_digest_of(flags, strcspn(flags + 1, "\n"));
    }
    free(text);
    return digest;
}

static mmm_status load(const char *folder, const char *library, mmm_app *out)
{
    Dl_info self;
    /* The application calls this library, which may itself have been opened for one caller alone. */
    if (dladdr((const void *)(uintptr_t)load, &self) && self.dli_fname)
        dlopen(self.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!handle) return mmm_fail(MMM_INVALID, "'%.200s' does not load: %s", folder, dlerror());
    const mmm_app *app = dlsym(handle, "mmm_application");
    if (!app) {
        dlclose(handle);
        return mmm_fail(MMM_INVALID, "'%.200s/app.c' has no record: it ends with MMM_APPLICATION = {...};", folder);
    }
    *out = *app; /* the library stays open */
    return MMM_OK;
}

/* Whether a file of the cache holds a text. */
static bool holds(const char *folder, const char *name, const char *text, size_t length)
{
    char path[MMM_PATH_MOST], *known = NULL;
    int64_t size;
    bool same = mmm_path_in(path, folder, name) == MMM_OK && access(path, R_OK) == 0 &&
                mmm_file_read(path, INT64_MAX / 2, &known, &size) == MMM_OK && (size_t)size == length &&
                memcmp(known, text, length) == 0;
    free(known);
    return same;
}

/* The digest of the library in the folder, as its file "digest" has it. */
static bool digest_of(const char *folder, char text[MMM_DIGEST_TEXT])
{
    char path[MMM_PATH_MOST], *bytes = NULL;
    int64_t size;
    if (mmm_path_in(path, folder, "app.so") != MMM_OK || access(path, R_OK) != 0 ||
        mmm_file_read(path, INT64_MAX / 2, &bytes, &size) != MMM_OK)
        return false;
    mmm_digest_text(mmm_digest_of(bytes, (size_t)size), text);
    free(bytes);
    return true;
}

/* Whether the folder has, undamaged, what was compiled with this key; it is private, and so are its files. */
static bool is_of(const char *folder, const mmm_text *key)
{
    char digest[MMM_DIGEST_TEXT];
    return mmm_trust(folder) == MMM_OK && holds(folder, "key", key->data, (size_t)key->used) &&
           digest_of(folder, digest) && holds(folder, "digest", digest, strlen(digest));
}

/* Where the application lies in the cache, made by the compiler at hand; where there is none, by whichever made it. */
static bool is_cached(const mmm_workplace *w, const char *cache, const char *name, const mmm_text *key, char *final)
{
    bool found = false;
    char compiler[MMM_DIGEST_TEXT];
    mmm_digest_text(mmm_digest_of(w->identity, strlen(w->identity)), compiler);
    snprintf(final, MMM_PATH_MOST, "%.3000s/%s-%.16s", cache, name, compiler);
    if (*w->identity) return is_of(final, key);
    DIR *list = opendir(cache);
    for (struct dirent *entry; list && !found && (entry = readdir(list));)
        if (strncmp(entry->d_name, name, strlen(name)) == 0 && mmm_path_in(final, cache, entry->d_name) == MMM_OK)
            found = is_of(final, key);
    if (list) closedir(list);
    return found;
}

/* Removes a damaged folder; whoever opens it just now finds it whole or not at all. */
static void put_aside(const char *folder)
{
    char aside[MMM_PATH_MOST];
    snprintf(aside, sizeof aside, "%.3000s-old-XXXXXX", folder);
    if (mkdtemp(aside) && rename(folder, aside) == 0) mmm_folder_remove(aside, 0);
    rmdir(aside);
}

/* Whether it is a name that mkdtemp made of ours. */
static bool is_passing(const char *name)
{
    static const char *const begins[] = {"mmm-new-", "mmm-headers-", "mmm-doctor-"};
    const size_t length = strlen(name);
    for (int i = 0; i < 3; i++)
        if (strncmp(name, begins[i], strlen(begins[i])) == 0 && length == strlen(begins[i]) + 6) return true;
    return strncmp(name, "app-", 4) == 0 && length == 64 && strncmp(name + 53, "-old-", 5) == 0;
}

/* Removes what processes left that were killed while they compiled, hours later. */
static void sweep(const char *cache)
{
    char path[MMM_PATH_MOST];
    struct stat status;
    DIR *list = opendir(cache);
    for (struct dirent *entry; list && (entry = readdir(list));)
        if (is_passing(entry->d_name) && mmm_path_in(path, cache, entry->d_name) == MMM_OK &&
            lstat(path, &status) == 0 && status.st_mtime < time(NULL) - OLD && unlink(path) != 0)
            mmm_folder_remove(path, 1);
    if (list) closedir(list);
}

/* Compiles into a new folder, w->place, which the caller moves or removes. */
static mmm_status compile_apart(mmm_workplace *w, const char *cache, bool object)
{
    sweep(cache);
    snprintf(w->place, sizeof w->place, "%.3000s/mmm-new-XXXXXX", cache);
    if (!mkdtemp(w->place)) {
        w->place[0] = 0;
        return mmm_fail(MMM_IO, "cannot write below '%s': %s", cache, strerror(errno));
    }
    return mmm_workplace_compile(w, object);
}

/* Compiles into a folder of its own, which then takes its place: others may do the same at the same time. */
static mmm_status make(mmm_workplace *w, const char *cache, const mmm_text *key, const char *final)
{
    mmm_status result = MMM_OK;
    char path[MMM_PATH_MOST], digest[MMM_DIGEST_TEXT];
    TRY(compile_apart(w, cache, false));
    if (!digest_of(w->place, digest)) FAIL(MMM_IO, "what was compiled below '%.200s' cannot be read", cache);
    TRY(mmm_path_in(path, w->place, "digest"));
    TRY(mmm_file_write(path, digest));
    TRY(mmm_path_in(path, w->place, "key"));
    TRY(mmm_file_write(path, key->data));
    bool placed = rename(w->place, final) == 0;
    if (!placed && !is_of(final, key)) { /* else another was first */
        put_aside(final);
        placed = rename(w->place, final) == 0;
        if (!placed && !is_of(final, key)) FAIL(MMM_IO, "cannot write '%s': %s", final, strerror(errno));
    }
    if (placed) w->place[0] = 0;
done:
    if (w->place[0]) mmm_folder_remove(w->place, 0);
    return result;
}

mmm_status mmm_folder_open(const char *folder, mmm_app *out, char **warnings)
{
    mmm_status result = MMM_OK;
    mmm_text key = {0};
    char cache[MMM_PATH_MOST], final[MMM_PATH_MOST], path[MMM_PATH_MOST], name[64], digest[MMM_DIGEST_TEXT];
    int64_t size;
    mmm_workplace *w = NULL;
    TRY(mmm_folder_check(folder));
    TRY(mmm_cache_folder(cache, sizeof cache));
    TRY(mmm_alloc(&w, 1, sizeof *w));
    w->folder = folder;
    w->unit = "mmm_application";
    TRY(mmm_workplace_headers(w, cache));
    mmm_workplace_compiler(w);
    TRY(mmm_text_add(&key, "mmm-app 5 %s\n%s\n%s\n", w->headers, mmm_digest_text(processor(), digest), folder));
    TRY(add_sources(folder, &key));
    snprintf(name, sizeof name, "app-%s", mmm_digest_text(mmm_digest_of(key.data, (size_t)key.used), digest));
    mmm_status status = MMM_INVALID;
    for (int tries = 0; tries < 3 && status != MMM_OK;
         tries++) { /* another process may put aside what it finds damaged */
        bool cached = is_cached(w, cache, name, &key, final);
        if (!cached) TRY(make(w, cache, &key, final));
        TRY(mmm_path_in(path, final, "app.so"));
        status = load(folder, path, out);
        if (status != MMM_OK && cached) put_aside(final);
        if (status != MMM_OK && !cached && access(path, R_OK) == 0) break;
    }
    TRY(status);
    TRY(mmm_path_in(path, final, "warnings"));
    TRY(mmm_file_read(path, MMM_SOURCE_MOST, warnings, &size));
done:
    free(w);
    free(key.data);
    return result;
}

/* The folder's name as an identifier: mmm_app_NAME. */
static void unit_of(const char *folder, char unit[64])
{
    const char *slash = strrchr(folder, '/');
    snprintf(unit, 64, "mmm_app_%.47s", slash ? slash + 1 : folder);
    for (char *c = unit; *c; c++)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9'))) *c = '_';
}

/* Copies what was made to where it is wanted. */
static mmm_status copy_file(const char *from, const char *to)
{
    mmm_status result = MMM_OK;
    mmm_output output = {0};
    char *bytes = NULL;
    int64_t size;
    TRY(mmm_file_read(from, (int64_t)1 << 30, &bytes, &size));
    TRY(mmm_output_open(&output, to));
    if (fwrite(bytes, 1, (size_t)size, output.stream) != (size_t)size)
        FAIL(MMM_IO, "cannot write '%s': %s", to, strerror(errno));
    TRY(mmm_output_commit(&output));
done:
    mmm_output_discard(&output);
    free(bytes);
    return result;
}

mmm_status mmm_app_compile(const char *path, const char *object)
{
    mmm_status result = MMM_OK;
    char cache[MMM_PATH_MOST], made[MMM_PATH_MOST], unit[64], *folder = path ? realpath(path, NULL) : NULL,
                                                              *warnings = NULL;
    mmm_workplace *w = NULL;
    mmm_app app;
    if (!folder) FAIL(MMM_INVALID, "there is no folder '%.200s'", path ? path : "");
    if (!object) FAIL(MMM_INVALID, "the object file to write has no name");
    TRY(mmm_folder_open(folder, &app, &warnings));
    unit_of(folder, unit);
    if (!app.name)
        FAIL(MMM_INVALID,
             "the record in '%.200s/app.c' has no name, and a program that is linked with it knows no folder: write "
             ".name = "
             "\"%s\"",
             folder, strrchr(folder, '/') + 1);
    TRY(mmm_cache_folder(cache, sizeof cache));
    TRY(mmm_alloc(&w, 1, sizeof *w));
    w->folder = folder;
    w->unit = unit;
    TRY(mmm_workplace_headers(w, cache));
    mmm_workplace_compiler(w);
    TRY(compile_apart(w, cache, true));
    TRY(mmm_path_in(made, w->place, "app.o"));
    TRY(copy_file(made, object));
done:
    if (w && w->place[0]) mmm_folder_remove(w->place, 0);
    free(w);
    free(warnings);
    free(folder);
    return result;
}
