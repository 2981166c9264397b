/* SPDX-License-Identifier: Apache-2.0 */
/* Applications in folders: read, checked and compiled by the system's compiler into the cache, then loaded. */
#include "job/job.h"

#include "base/text.h"
#include "kernel/generate.h"
#include "machine/gpu/gpu.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern const mmm_header mmm_headers[]; /* what compiling needs, embedded; ended by a NULL name */
extern char **environ;

enum { PATH_MOST = 4096, ARGUMENTS_MOST = 32, FILES_MOST = 256, FILE_MOST = 16 << 20 };

/* Where the parts of an application are compiled. */
typedef struct workplace {
    const char *folder;       /* the user's */
    char place[PATH_MOST];    /* of what is made */
    char headers[PATH_MOST];  /* of mmm's */
    char compiler[PATH_MOST]; /* its name, */
    char identity[PATH_MOST]; /* and which one it is; "" where there is none */
    bool clang, words;
} workplace;

/* ---- Commands -------------------------------------------------------------------------------------------------------
 */

/* Starts a command; what it prints goes to the file `log`. */
static mmm_status start(const char *const *arguments, const char *log, pid_t *pid)
{
    posix_spawn_file_actions_t files;
    if (posix_spawn_file_actions_init(&files) != 0) return mmm_fail(MMM_MEMORY, "no memory to run '%s'", arguments[0]);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&files, 1, 2);
    int error = posix_spawnp(pid, arguments[0], &files, NULL, (char *const *)arguments, environ);
    posix_spawn_file_actions_destroy(&files);
    if (error)
        return mmm_fail(MMM_DEVICE, "cannot run '%s': %s; an application's folder needs a C compiler and binutils",
                        arguments[0], strerror(error));
    return MMM_OK;
}

/* Waits for a command; after a failure the message is the line of its output that says why. */
static mmm_status finish(pid_t pid, const char *what, const char *log)
{
    mmm_status result = MMM_OK;
    char *text = NULL, line[400] = "";
    int64_t size;
    int status = 0;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) return MMM_OK; /* not ours to wait for: what it did not make is missed later */
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return MMM_OK;
    if (mmm_file_read(log, 1 << 20, &text, &size) == MMM_OK) mmm_log_line(text, line, sizeof line);
    if (!*line) snprintf(line, sizeof line, "%s fails and does not say why", what);
    FAIL(MMM_INVALID, "%s", line);
done:
    free(text);
    return result;
}

static mmm_status run(const char *const *arguments, const char *log)
{
    pid_t pid;
    mmm_status status = start(arguments, log, &pid);
    return status == MMM_OK ? finish(pid, arguments[0], log) : status;
}

/* ---- Files
 * ------------------------------------------------------------------------------------------------------------ */

static mmm_status write_file(const char *path, const char *text)
{
    mmm_status result = MMM_OK;
    mmm_output output = {0};
    TRY(mmm_output_open(&output, path));
    if (fputs(text, output.stream) == EOF) FAIL(MMM_IO, "cannot write '%s': %s", path, strerror(errno));
    TRY(mmm_output_commit(&output));
done:
    mmm_output_discard(&output);
    return result;
}

static mmm_status path_in(char *out, const char *folder, const char *name)
{
    int length = snprintf(out, PATH_MOST, "%s/%s", folder, name);
    return length > 0 && length < PATH_MOST ? MMM_OK
                                            : mmm_fail(MMM_INVALID, "the path '%.100s...' is too long", folder);
}

/* Removes a folder and the files in it, two levels deep: what is made there is no deeper. */
static void remove_folder(const char *path, int depth)
{
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        char name[PATH_MOST];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        if (path_in(name, path, entry->d_name) != MMM_OK) continue;
        if (unlink(name) != 0 && depth > 0) remove_folder(name, depth - 1);
    }
    if (folder) closedir(folder);
    rmdir(path);
}

/* The headers of this library, for whoever compiles against it: written once a version. */
static mmm_status write_headers(const char *cache, char *out)
{
    mmm_status result = MMM_OK;
    uint64_t hash = 0;
    char temporary[PATH_MOST] = "", path[PATH_MOST];
    for (const mmm_header *h = mmm_headers; h->name; h++)
        hash = mmm_hash(h->text, strlen(h->text), hash);
    snprintf(path, sizeof path, "%.3000s/headers-%016" PRIx64, cache, hash);
    snprintf(out, PATH_MOST, "%s", path);
    if (access(path, R_OK) == 0) return MMM_OK;
    snprintf(temporary, sizeof temporary, "%.3000s/headers-XXXXXX", cache);
    if (!mkdtemp(temporary)) FAIL(MMM_IO, "cannot write '%s': %s", temporary, strerror(errno));
    TRY(path_in(path, temporary, "mmm"));
    mkdir(path, 0700);
    TRY(path_in(path, temporary, "mmm/apps"));
    mkdir(path, 0700);
    for (const mmm_header *h = mmm_headers; h->name; h++) {
        TRY(path_in(path, temporary, h->name));
        TRY(write_file(path, h->text));
    }
    if (rename(temporary, out) != 0 && access(out, R_OK) != 0)
        FAIL(MMM_IO, "cannot write '%s': %s", out, strerror(errno));
done:
    if (*temporary) remove_folder(temporary, 2); /* another process was first, or something failed */
    return result;
}

static int by_name(const void *x, const void *y)
{
    return strcmp(*(char *const *)x, *(char *const *)y);
}

/* Appends names and contents of the folder's sources to the key. */
static mmm_status add_sources(const char *folder, mmm_text *key)
{
    mmm_status result = MMM_OK;
    char *names[FILES_MOST], path[PATH_MOST], *text = NULL;
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
        TRY(path_in(path, folder, names[i]));
        TRY(mmm_file_read(path, FILE_MOST, &text, &size));
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

/* ---- Compiling
 * ---------------------------------------------------------------------------------------------------------- */

/* Path, size and time of the compiler that CC names, or cc: it need not run to be known. */
static void find_compiler(workplace *w)
{
    const char *name = getenv("CC"), *folders = getenv("PATH");
    char path[PATH_MOST];
    struct stat status;
    if (!name || !*name || strchr(name, ' ')) name = "cc";
    snprintf(w->compiler, sizeof w->compiler, "%s", name);
    if (!folders || strchr(name, '/')) folders = "";
    for (;;) {
        size_t length = strcspn(folders, ":");
        snprintf(path, sizeof path, "%.*s%s%s", (int)length, folders, length ? "/" : "", name);
        if (stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0) {
            snprintf(w->identity, sizeof w->identity, "%.3000s %lld %lld.%09ld", path, (long long)status.st_size,
                     (long long)status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
            return;
        }
        if (!folders[length]) return;
        folders += length + 1;
    }
}

/* What kernels are compiled for: the instructions of this processor. */
static uint64_t processor(void)
{
    char *text = NULL;
    int64_t size;
    uint64_t hash = 0;
    if (mmm_file_read("/proc/cpuinfo", 1 << 24, &text, &size) == MMM_OK) {
        const char *flags = strstr(text, "\nflags");
        if (!flags) flags = strstr(text, "\nFeatures");
        if (flags) hash = mmm_hash(flags, strcspn(flags + 1, "\n"), 0);
    }
    free(text);
    return hash;
}

static mmm_status ask_compiler(workplace *w)
{
    mmm_status result = MMM_OK;
    char log[PATH_MOST], *text = NULL;
    int64_t size;
    TRY(path_in(log, w->place, "compiler.log"));
    TRY(run((const char *[]){w->compiler, "--version", NULL}, log));
    TRY(mmm_file_read(log, 1 << 16, &text, &size));
    w->clang = strstr(text, "clang") != NULL;
done:
    free(text);
    return result;
}

/* A part of the application: how one object is made. */
typedef struct part {
    const char *object, *source; /* the source in the place, or NULL: the user's app.c */
    const char *variant;         /* of kernels: "w32_count", ... */
    bool counted, wide;
    pid_t pid;
} part;

static mmm_status start_part(const workplace *w, part *p)
{
    mmm_status result = MMM_OK;
    const char *a[ARGUMENTS_MOST];
    char source[PATH_MOST], object[PATH_MOST], log[PATH_MOST], variant[64];
    char own[PATH_MOST + 2], headers[PATH_MOST + 2], user[PATH_MOST + 2];
    int n = 0;
    if (p->source)
        TRY(path_in(source, w->place, p->source));
    else
        TRY(path_in(source, w->folder, "app.c"));
    TRY(path_in(object, w->place, p->object));
    snprintf(log, sizeof log, "%.4000s.log", object);
    snprintf(own, sizeof own, "-I%s", w->place);
    snprintf(user, sizeof user, "-I%s", w->folder);
    snprintf(headers, sizeof headers, "-I%s", w->headers);
    a[n++] = w->compiler;
    a[n++] = "-std=gnu11";
    a[n++] = "-g";
    a[n++] = "-fPIC";
    a[n++] = own;
    a[n++] = user;
    a[n++] = headers;
    a[n++] = "-ffp-contract=off";
    if (p->variant) {
        snprintf(variant, sizeof variant, "-DMMM_VARIANT=%s", p->variant);
        a[n++] = variant;
        a[n++] = p->wide ? "-DMMM_WORD_BITS=64" : "-DMMM_WORD_BITS=32";
        a[n++] = "-w";
    } else
        a[n++] = "-O2";
    if (p->variant && p->counted) {
        a[n++] = "-DMMM_TARGET_ABSTRACT";
        a[n++] = "-O2";
        a[n++] = "-fsanitize=thread";
        if (w->clang) {
            a[n++] = "-mllvm";
            a[n++] = "-tsan-instrument-func-entry-exit=0";
            a[n++] = "-mllvm";
            a[n++] = "-tsan-instrument-read-before-write=1";
        } else
            a[n++] = "--param=tsan-instrument-func-entry-exit=0";
    } else if (p->variant) {
        a[n++] = "-DMMM_TARGET_CPU";
        a[n++] = "-O3";
        a[n++] = "-march=native";
        a[n++] = "-fopenmp-simd";
        a[n++] = "-fno-math-errno";
    } else {
        a[n++] = "-DMMM_ONE_ISA";
        if (!w->words) a[n++] = "-DMMM_ONE_WORD";
    }
    a[n++] = "-c";
    a[n++] = source;
    a[n++] = "-o";
    a[n++] = object;
    a[n] = NULL;
    TRY(start(a, log, &p->pid));
done:
    return result;
}

static mmm_status finish_part(const workplace *w, part *p)
{
    mmm_status result = MMM_OK;
    char object[PATH_MOST], log[PATH_MOST], hooks[PATH_MOST + 32];
    const char *objcopy = getenv("OBJCOPY");
    TRY(path_in(object, w->place, p->object));
    snprintf(log, sizeof log, "%.4000s.log", object);
    snprintf(hooks, sizeof hooks, "--redefine-syms=%s/hooks.txt", w->headers);
    TRY(finish(p->pid, w->compiler, log));
    if (p->counted) TRY(run((const char *[]){objcopy && *objcopy ? objcopy : "objcopy", hooks, object, NULL}, log));
done:
    return result;
}

static mmm_status compile(workplace *w)
{
    part parts[] = {
        {.object = "app.o"},
        {.object = "records.o", .source = "kernels.records.c"},
        {.object = "w32.count.o", .source = "kernels.host.c", .variant = "w32_count", .counted = true},
        {.object = "w32.base.o", .source = "kernels.host.c", .variant = "w32_base"},
        {.object = "w64.count.o", .source = "kernels.host.c", .variant = "w64_count", .counted = true, .wide = true},
        {.object = "w64.base.o", .source = "kernels.host.c", .variant = "w64_base", .wide = true}};
    mmm_status result = MMM_OK, status = MMM_OK;
    int count = w->words ? 6 : 4, started = 0;
    const char *a[ARGUMENTS_MOST];
    char objects[6][PATH_MOST], library[PATH_MOST], log[PATH_MOST], message[512] = "";
    int n = 0;
    while (started < count && status == MMM_OK)
        if ((status = start_part(w, &parts[started])) == MMM_OK) started++;
    for (int i = 0; i < started; i++) { /* all of them, whatever becomes of one */
        mmm_status ended = finish_part(w, &parts[i]);
        if (ended != MMM_OK && status == MMM_OK) {
            status = ended;
            snprintf(message, sizeof message, "%s", mmm_message());
        }
    }
    if (status != MMM_OK && *message) FAIL(status, "%s", message);
    TRY(status);
    TRY(path_in(library, w->place, "app.so"));
    TRY(path_in(log, w->place, "link.log"));
    a[n++] = w->compiler;
    a[n++] = "-shared";
    a[n++] = "-o";
    a[n++] = library;
    for (int i = 0; i < count; i++) {
        TRY(path_in(objects[i], w->place, parts[i].object));
        a[n++] = objects[i];
    }
    a[n++] = "-lm";
    a[n] = NULL;
    TRY(run(a, log));
done:
    return result;
}

/* Reads and checks the kernels, and writes what is compiled. */
static mmm_status generate(workplace *w)
{
    mmm_status result = MMM_OK;
    mmm_generated made = {0};
    mmm_text warnings = {0};
    char path[PATH_MOST], kernels[PATH_MOST];
    TRY(path_in(kernels, w->folder, "kernels.c"));
    TRY(mmm_generate(kernels, kernels, "own", &made));
    w->words = made.words;
    for (int64_t i = 0; i < made.diagnostic_count; i++)
        TRY(mmm_text_add(&warnings, "%s:%d: %s\n", made.diagnostics[i].file, made.diagnostics[i].line,
                         made.diagnostics[i].text));
    const struct {
        const char *name, *text;
    } files[] = {{"kernels.host.c", made.host},
                 {"kernels.records.c", made.records},
                 {"kernels.h", made.header},
                 {"warnings", warnings.data ? warnings.data : ""}};
    for (int i = 0; i < 4; i++) {
        TRY(path_in(path, w->place, files[i].name));
        TRY(write_file(path, files[i].text));
    }
done:
    mmm_generated_clear(&made);
    free(warnings.data);
    return result;
}

/* ---- Loading
 * ------------------------------------------------------------------------------------------------------------ */

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

static mmm_status check_folder(const char *folder)
{
    char path[PATH_MOST];
    static const char *const needed[] = {"kernels.c", "app.c"};
    for (int i = 0; i < 2; i++) {
        mmm_status status = path_in(path, folder, needed[i]);
        if (status != MMM_OK) return status;
        if (access(path, R_OK) != 0)
            return mmm_fail(MMM_INVALID,
                            "'%.200s' is no application: it lacks %s (mmm new NAME writes a folder that is one)",
                            folder, needed[i]);
    }
    return MMM_OK;
}

/* Whether the folder has what was compiled with this key. */
static bool is_of(const char *folder, const mmm_text *key)
{
    char path[PATH_MOST], *known = NULL;
    int64_t size;
    bool same = path_in(path, folder, "key") == MMM_OK && access(path, R_OK) == 0 &&
                mmm_file_read(path, INT64_MAX / 2, &known, &size) == MMM_OK && size == key->used &&
                memcmp(known, key->data, (size_t)size) == 0;
    free(known);
    return same;
}

/* Where the application lies in the cache, made by the compiler at hand; where there is none, by whichever made it. */
static bool is_cached(const workplace *w, const char *cache, const char *name, const mmm_text *key, char *final)
{
    bool found = false;
    snprintf(final, PATH_MOST, "%.3000s/%s-%016" PRIx64, cache, name, mmm_hash(w->identity, strlen(w->identity), 0));
    if (*w->identity) return is_of(final, key);
    DIR *list = opendir(cache);
    for (struct dirent *entry; list && !found && (entry = readdir(list));)
        if (strncmp(entry->d_name, name, strlen(name)) == 0 && path_in(final, cache, entry->d_name) == MMM_OK)
            found = is_of(final, key);
    if (list) closedir(list);
    return found;
}

/* Compiles into a folder of its own, which then takes its place: others may do the same at the same time. */
static mmm_status make(workplace *w, const char *cache, const mmm_text *key, const char *final)
{
    mmm_status result = MMM_OK;
    char path[PATH_MOST];
    snprintf(w->place, sizeof w->place, "%.3000s/new-XXXXXX", cache);
    if (!mkdtemp(w->place)) {
        w->place[0] = 0;
        FAIL(MMM_IO, "cannot write below '%s': %s", cache, strerror(errno));
    }
    TRY(generate(w));
    TRY(ask_compiler(w));
    TRY(compile(w));
    TRY(path_in(path, w->place, "key"));
    TRY(write_file(path, key->data));
    if (!is_of(final, key)) remove_folder(final, 0);
    if (rename(w->place, final) == 0)
        w->place[0] = 0;
    else if (!is_of(final, key)) /* another was first */
        FAIL(MMM_IO, "cannot write '%s': %s", final, strerror(errno));
done:
    if (w->place[0]) remove_folder(w->place, 0);
    return result;
}

mmm_status mmm_folder_open(const char *folder, mmm_app *out, char **warnings)
{
    mmm_status result = MMM_OK;
    mmm_text key = {0};
    char cache[PATH_MOST], final[PATH_MOST], path[PATH_MOST], name[64];
    int64_t size;
    workplace *w = NULL;
    TRY(check_folder(folder));
    if (!mmm_cache_folder(cache, sizeof cache))
        FAIL(MMM_IO,
             "no place to compile '%.200s': set MMM_CACHE, XDG_CACHE_HOME or HOME to a folder that can be written",
             folder);
    TRY(mmm_alloc(&w, 1, sizeof *w));
    w->folder = folder;
    TRY(write_headers(cache, w->headers));
    find_compiler(w);
    TRY(mmm_text_add(&key, "mmm-app 2 %s\n%016" PRIx64 "\n%s\n", w->headers, processor(), folder));
    TRY(add_sources(folder, &key));
    snprintf(name, sizeof name, "app-%016" PRIx64 "%016" PRIx64, mmm_hash(key.data, (size_t)key.used, 0),
             mmm_hash(key.data, (size_t)key.used, 1));
    bool cached = is_cached(w, cache, name, &key, final);
    if (!cached) TRY(make(w, cache, &key, final));
    TRY(path_in(path, final, "app.so"));
    mmm_status status = load(folder, path, out);
    if (status != MMM_OK && cached) { /* what lies there is damaged */
        remove_folder(final, 0);
        TRY(make(w, cache, &key, final));
        status = load(folder, path, out);
    }
    TRY(status);
    TRY(path_in(path, final, "warnings"));
    TRY(mmm_file_read(path, FILE_MOST, warnings, &size));
done:
    free(w);
    free(key.data);
    return result;
}
