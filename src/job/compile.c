/* SPDX-License-Identifier: Apache-2.0 */
/* Applications in folders, compiled: by commands that run side by side, with errors that name the user's own lines. */
#include "job/compile.h"

#include "kernel/generate.h"
#include "machine/gpu/gpu.h"

#include <dirent.h>
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

enum { ARGUMENTS_MOST = 32 };

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

mmm_status mmm_file_write(const char *path, const char *text)
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

mmm_status mmm_path_in(char *out, const char *folder, const char *name)
{
    int length = snprintf(out, MMM_PATH_MOST, "%s/%s", folder, name);
    return length > 0 && length < MMM_PATH_MOST ? MMM_OK
                                                : mmm_fail(MMM_INVALID, "the path '%.100s...' is too long", folder);
}

void mmm_folder_remove(const char *path, int depth)
{
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        char name[MMM_PATH_MOST];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        if (mmm_path_in(name, path, entry->d_name) != MMM_OK) continue;
        if (unlink(name) != 0 && depth > 0) mmm_folder_remove(name, depth - 1);
    }
    if (folder) closedir(folder);
    rmdir(path);
}

mmm_status mmm_folder_check(const char *folder)
{
    char path[MMM_PATH_MOST];
    static const char *const needed[] = {"kernels.c", "app.c"};
    for (int i = 0; i < 2; i++) {
        mmm_status status = mmm_path_in(path, folder, needed[i]);
        if (status != MMM_OK) return status;
        if (access(path, R_OK) != 0)
            return mmm_fail(MMM_INVALID,
                            "'%.200s' is no application: it lacks %s (mmm new NAME writes a folder that is one)",
                            folder, needed[i]);
    }
    return MMM_OK;
}

mmm_status mmm_workplace_headers(mmm_workplace *w, const char *cache)
{
    mmm_status result = MMM_OK;
    mmm_digest digest = {{0}};
    char temporary[MMM_PATH_MOST] = "", path[MMM_PATH_MOST], *out = w->headers, text[MMM_DIGEST_TEXT];
    for (const mmm_header *h = mmm_headers; h->name; h++)
        mmm_digest_add(&digest, h->text, strlen(h->text));
    snprintf(path, sizeof path, "%.3000s/headers-%s", cache, mmm_digest_text(digest, text));
    snprintf(out, sizeof w->headers, "%s", path);
    if (access(path, R_OK) == 0) return mmm_trust(path);
    snprintf(temporary, sizeof temporary, "%.3000s/mmm-headers-XXXXXX", cache);
    if (!mkdtemp(temporary)) FAIL(MMM_IO, "cannot write '%s': %s", temporary, strerror(errno));
    TRY(mmm_path_in(path, temporary, "mmm"));
    mkdir(path, 0700);
    TRY(mmm_path_in(path, temporary, "mmm/apps"));
    mkdir(path, 0700);
    for (const mmm_header *h = mmm_headers; h->name; h++) {
        TRY(mmm_path_in(path, temporary, h->name));
        TRY(mmm_file_write(path, h->text));
    }
    if (rename(temporary, out) != 0 && access(out, R_OK) != 0)
        FAIL(MMM_IO, "cannot write '%s': %s", out, strerror(errno));
done:
    if (*temporary) mmm_folder_remove(temporary, 2); /* another process was first, or something failed */
    return result;
}

void mmm_workplace_compiler(mmm_workplace *w)
{
    const char *name = getenv("CC"), *folders = getenv("PATH");
    char path[MMM_PATH_MOST];
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

static mmm_status ask_compiler(mmm_workplace *w)
{
    mmm_status result = MMM_OK;
    char log[MMM_PATH_MOST], *text = NULL;
    int64_t size;
    TRY(mmm_path_in(log, w->place, "compiler.log"));
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

static mmm_status start_part(const mmm_workplace *w, part *p)
{
    mmm_status result = MMM_OK;
    const char *a[ARGUMENTS_MOST];
    char source[MMM_PATH_MOST], object[MMM_PATH_MOST], log[MMM_PATH_MOST], variant[96];
    char own[MMM_PATH_MOST + 2], headers[MMM_PATH_MOST + 2], user[MMM_PATH_MOST + 2];
    int n = 0;
    if (p->source)
        TRY(mmm_path_in(source, w->place, p->source));
    else
        TRY(mmm_path_in(source, w->folder, "app.c"));
    TRY(mmm_path_in(object, w->place, p->object));
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
    if (!w->clang) a[n++] = "-ftrack-macro-expansion=0"; /* errors in our macros are told at the user's line */
    if (p->variant) {
        snprintf(variant, sizeof variant, "-DMMM_VARIANT=%s", p->variant);
        a[n++] = variant;
        a[n++] = p->wide ? "-DMMM_WORD_BITS=64" : "-DMMM_WORD_BITS=32";
        a[n++] = "-w";
    } else {
        a[n++] = "-O2";
        a[n++] = "-Werror=implicit-function-declaration"; /* which linking would find, without a line */
    }
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
        snprintf(variant, sizeof variant, "-DMMM_APPLICATION_NAME=%.63s", w->unit);
        if (!p->source) a[n++] = variant;
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

static mmm_status finish_part(const mmm_workplace *w, part *p)
{
    mmm_status result = MMM_OK;
    char object[MMM_PATH_MOST], log[MMM_PATH_MOST], hooks[MMM_PATH_MOST + 32];
    const char *objcopy = getenv("OBJCOPY");
    TRY(mmm_path_in(object, w->place, p->object));
    snprintf(log, sizeof log, "%.4000s.log", object);
    snprintf(hooks, sizeof hooks, "--redefine-syms=%s/hooks.txt", w->headers);
    TRY(finish(p->pid, w->compiler, log));
    if (p->counted) TRY(run((const char *[]){objcopy && *objcopy ? objcopy : "objcopy", hooks, object, NULL}, log));
done:
    return result;
}

/* Compiles the parts at once, and puts them together. */
static mmm_status compile(mmm_workplace *w, bool object)
{
    part parts[] = {
        {.object = "record.o"},
        {.object = "records.o", .source = "kernels.records.c"},
        {.object = "w32.count.o", .source = "kernels.host.c", .variant = "w32_count", .counted = true},
        {.object = "w32.base.o", .source = "kernels.host.c", .variant = "w32_base"},
        {.object = "w64.count.o", .source = "kernels.host.c", .variant = "w64_count", .counted = true, .wide = true},
        {.object = "w64.base.o", .source = "kernels.host.c", .variant = "w64_base", .wide = true}};
    mmm_status result = MMM_OK, status = MMM_OK;
    int count = w->words ? 6 : 4, started = 0;
    const char *a[ARGUMENTS_MOST];
    char objects[6][MMM_PATH_MOST], library[MMM_PATH_MOST], log[MMM_PATH_MOST], message[512] = "";
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
    TRY(mmm_path_in(library, w->place, object ? "app.o" : "app.so"));
    TRY(mmm_path_in(log, w->place, "link.log"));
    a[n++] = w->compiler;
    a[n++] = object ? "-r" : "-shared";
    a[n++] = "-o";
    a[n++] = library;
    for (int i = 0; i < count; i++) {
        TRY(mmm_path_in(objects[i], w->place, parts[i].object));
        a[n++] = objects[i];
    }
    a[n++] = object ? "-nostdlib" : "-lm";
    a[n] = NULL;
    TRY(run(a, log));
done:
    return result;
}

/* Reads and checks the kernels, and writes what is compiled. */
static mmm_status generate(mmm_workplace *w)
{
    mmm_status result = MMM_OK;
    mmm_generated made = {0};
    mmm_text warnings = {0};
    char path[MMM_PATH_MOST], kernels[MMM_PATH_MOST];
    TRY(mmm_path_in(kernels, w->folder, "kernels.c"));
    TRY(mmm_generate(kernels, kernels, w->unit, &made));
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
        TRY(mmm_path_in(path, w->place, files[i].name));
        TRY(mmm_file_write(path, files[i].text));
    }
done:
    mmm_generated_clear(&made);
    free(warnings.data);
    return result;
}

mmm_status mmm_workplace_compile(mmm_workplace *w, bool object)
{
    mmm_status result = MMM_OK;
    TRY(generate(w));
    TRY(ask_compiler(w));
    TRY(compile(w, object));
done:
    return result;
}
