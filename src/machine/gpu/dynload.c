/* SPDX-License-Identifier: Apache-2.0 */
/* What GPU machines share: libraries opened at run time, so that one build serves machines with and without them. */
#include "machine/gpu/gpu.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void mmm_child_begin(void)
{
    int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0) dup2(nowhere, 2);
    signal(SIGABRT, SIG_DFL);
    alarm(30);
}

mmm_status mmm_library_open(const char *what, const char *override, const char *const *names, const mmm_symbol *symbols)
{
    char tried[256] = "", reason[200] = "";
    const char *path = getenv(override);
    const char *const only[] = {path, NULL};
    void *handle = NULL;
    for (const char *const *name = path && *path ? only : names; *name && !handle; name++) {
        size_t used = strlen(tried);
        handle = dlopen(*name, RTLD_NOW | RTLD_LOCAL);
        snprintf(tried + used, sizeof tried - used, "%s%s", used ? ", " : "", *name);
        const char *error = handle ? NULL : dlerror(); /* one that is there and does not open is worth a word */
        if (error && !*reason && !strstr(error, "No such file")) snprintf(reason, sizeof reason, "; %s", error);
    }
    if (!handle)
        return mmm_fail(MMM_DEVICE, "no %s: looked for %s (the variable %s names another)%s", what, tried, override,
                        reason);
    for (; symbols->name; symbols++) {
        void *address = dlsym(handle, symbols->name);
        if (!address && !symbols->optional) {
            dlclose(handle);
            return mmm_fail(MMM_DEVICE, "%s is too old or not what it should be: it has no %s", what, symbols->name);
        }
        memcpy(symbols->address, &address, sizeof address);
    }
    return MMM_OK;
}

void mmm_log_line(const char *log, char *line, size_t size)
{
    const char *start = strstr(log, "error");
    if (!start) start = log + strspn(log, "\n");
    while (start > log && start[-1] != '\n')
        start--;
    snprintf(line, size, "%.*s", (int)strcspn(start, "\n"), start);
}

mmm_status mmm_fail_compiling(const char *compiler, const char *file, const char *log)
{
    char line[300] = "";
    if (log) mmm_log_line(log, line, sizeof line);
    return mmm_fail(MMM_DEVICE, "%s does not compile %s: %s", compiler, file, *line ? line : "it does not say why");
}
