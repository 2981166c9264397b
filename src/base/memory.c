/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that is checked before it is asked for, and in guarded calls written down. */
#include "base/ledger.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { FEW = 64 << 20, LINE = 64, PAGE = 4096, HUGE = 2 << 20 };
enum { ARRAY = 1 << 10, LARGE = 1 << 16, FRESH = 1 << 25 }; /* bytes from which on memory is for arrays, and so on */

/* A number that is alone in a file, or the one after a word at the beginning of a line; UINT64_MAX: "max", or none. */
static uint64_t number_in(const char *path, const char *word)
{
    char line[256];
    unsigned long long number, found = UINT64_MAX;
    FILE *stream = fopen(path, "r");
    if (!stream) return UINT64_MAX;
    size_t length = word ? strlen(word) : 0;
    while (found == UINT64_MAX && fgets(line, sizeof line, stream))
        if ((!word || strncmp(line, word, length) == 0) && sscanf(line + length, " %llu", &number) == 1) found = number;
    fclose(stream);
    return found;
}

static uint64_t rest(uint64_t limit, uint64_t used)
{
    return limit == UINT64_MAX ? limit : used == UINT64_MAX ? limit : limit > used ? limit - used : 0;
}

static uint64_t least(uint64_t x, uint64_t y)
{
    return x < y ? x : y;
}

/* The files of both versions of cgroups.  What of its use are files that nobody read for long can be had back. */
static const struct version {
    const char *folder, *limit, *used, *cached;
} versions[] = {
    {"", "memory.max", "memory.current", "inactive_file"},
    {"/unified", "memory.max", "memory.current", "inactive_file"},
    {"/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"},
};

/* What a group and those it belongs to leave.  In a container its path may be unknown there: then only the first is. */
static uint64_t of_group(const struct version *v, const char *mount, const char *group)
{
    char folder[4096], path[4200];
    uint64_t left = UINT64_MAX;
    int base = snprintf(folder, sizeof folder, "%s%s", mount, v->folder);
    if (base < 0 || snprintf(folder + base, sizeof folder - (size_t)base, "%s", group) >= (int)sizeof folder - base)
        return UINT64_MAX;
    for (;;) {
        snprintf(path, sizeof path, "%s/%s", folder, v->limit);
        uint64_t limit = number_in(path, NULL);
        snprintf(path, sizeof path, "%s/%s", folder, v->used);
        uint64_t used = number_in(path, NULL);
        snprintf(path, sizeof path, "%s/memory.stat", folder);
        uint64_t cached = limit == UINT64_MAX ? UINT64_MAX : number_in(path, v->cached);
        if (used != UINT64_MAX && cached != UINT64_MAX) used = rest(used, cached);
        left = least(left, rest(limit, used));
        char *slash = strrchr(folder + base, '/');
        if (!slash) return left;
        *slash = 0;
    }
}

uint64_t mmm_memory_of_groups(const char *groups, const char *mount)
{
    char line[4096];
    uint64_t left = UINT64_MAX;
    FILE *stream = fopen(groups, "r");
    if (!stream) return left;
    while (fgets(line, sizeof line, stream)) { /* number:controllers:path */
        char *controllers = strchr(line, ':'), *group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!group) continue;
        *group++ = 0;
        group[strcspn(group, "\n")] = 0;
        bool second = !controllers[1];
        if (!second && !strstr(controllers, "memory")) continue;
        for (int i = second ? 0 : 2; i < (second ? 2 : 3); i++)
            left = least(left, of_group(&versions[i], mount, group));
    }
    fclose(stream);
    return left;
}

/* What a limit of the process leaves; `used` is the place in /proc/self/statm of the pages it has used. */
static uint64_t of_limit(__rlimit_resource_t resource, int used)
{
    struct rlimit limit;
    long pages[7] = {0};
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return UINT64_MAX;
    FILE *stream = fopen("/proc/self/statm", "r");
    for (int i = 0; stream && i < 7; i++)
        if (fscanf(stream, "%ld", &pages[i]) != 1) pages[i] = 0;
    if (stream) fclose(stream);
    return rest(limit.rlim_cur, (uint64_t)pages[used] * (uint64_t)sysconf(_SC_PAGESIZE));
}

uint64_t mmm_addresses_left(void)
{
    return of_limit(RLIMIT_AS, 0);
}

uint64_t mmm_memory_available(void)
{
    uint64_t bytes = number_in("/proc/meminfo", "MemAvailable:");
    bytes = bytes == UINT64_MAX ? (uint64_t)1 << 40 : bytes * 1024;
    bytes = least(bytes, mmm_addresses_left());
    bytes = least(bytes, of_limit(RLIMIT_DATA, 5));
    return least(bytes, mmm_memory_of_groups("/proc/self/cgroup", "/sys/fs/cgroup"));
}

bool mmm_memory_has(uint64_t bytes, uint64_t *available)
{
    if (bytes <= FEW) return true;
    uint64_t now = mmm_memory_available();
    if (available) *available = now;
    return bytes <= now;
}

static mmm_status fits(size_t bytes)
{
    uint64_t available;
    if (mmm_memory_has(bytes, &available)) return MMM_OK;
    return mmm_fail(MMM_TOO_LARGE, "%.1f GB of memory are needed, %.1f GB are available", (double)bytes / 1e9,
                    (double)available / 1e9);
}

/* Zeros.  Arrays begin at a line of the cache, so that no vector of a kernel lies in two of them, whereas malloc's
 * begin 16 bytes behind one; what is large at a page, and from half a page of 2 MB on at such a one, which are asked
 * for: in them a megabyte takes kernels half as long.  Very large ones are fresh pages, which are zero without being
 * written. */
static void *zeros(size_t bytes)
{
    if (bytes < ARRAY) return mmm_ledger_calloc(bytes, 1);
    const size_t unit = bytes < LARGE                                 ? LINE
                        : bytes < HUGE / 2 || bytes > SIZE_MAX - HUGE ? PAGE
                                                                      : HUGE,
                 all = unit == HUGE ? (bytes + HUGE - 1) / HUGE * HUGE : bytes;
    char *memory = mmm_ledger_aligned(unit, all);
    if (!memory) return NULL;
#if defined(MADV_HUGEPAGE)
    if (unit == HUGE) madvise(memory, all, MADV_HUGEPAGE);
#endif
    if (bytes < FRESH || madvise(memory, all / PAGE * PAGE, MADV_DONTNEED) != 0) memset(memory, 0, bytes);
    return memory;
}

mmm_status mmm_alloc(void *pointer_to_pointer, int64_t count, size_t size)
{
    void *memory = NULL;
    size_t bytes;
    if (count < 0 || __builtin_mul_overflow((size_t)count, size, &bytes))
        return mmm_fail(MMM_TOO_LARGE, "%lld items of %zu bytes are more than can be addressed", (long long)count,
                        size);
    mmm_status status = fits(bytes);
    if (status != MMM_OK) return status;
    memory = zeros(bytes);
    if (!memory) return mmm_fail(MMM_MEMORY, "no memory for %zu bytes", bytes);
    memcpy(pointer_to_pointer, &memory, sizeof memory);
    return MMM_OK;
}

mmm_status mmm_map(void *pointer_to_pointer, size_t bytes)
{
    mmm_status status = fits(bytes);
    if (status != MMM_OK) return status;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return mmm_fail(MMM_MEMORY, "no memory for %zu bytes", bytes);
    memcpy(pointer_to_pointer, &memory, sizeof memory);
    return MMM_OK;
}

void mmm_unmap(void *memory, size_t bytes)
{
    munmap(memory, bytes);
}

mmm_status mmm_grow(void *pointer_to_pointer, int64_t *room, int64_t need, size_t size)
{
    if (need <= *room) return MMM_OK;
    int64_t more = *room ? *room : 8;
    while (more < need) {
        if (more > INT64_MAX / 2) return mmm_fail(MMM_TOO_LARGE, "%lld items are too many", (long long)need);
        more *= 2;
    }
    size_t bytes;
    if (__builtin_mul_overflow((size_t)more, size, &bytes))
        return mmm_fail(MMM_TOO_LARGE, "%lld items of %zu bytes are more than can be addressed", (long long)more, size);
    mmm_status status = fits(bytes);
    if (status != MMM_OK) return status;
    if (!mmm_ledger_realloc(pointer_to_pointer, bytes)) return mmm_fail(MMM_MEMORY, "no memory for %zu bytes", bytes);
    *room = more;
    return MMM_OK;
}

char *mmm_copy_string(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = mmm_ledger_malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

void mmm_free(void *memory)
{
    mmm_ledger_free(memory);
}
