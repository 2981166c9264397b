/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that is checked before it is asked for, and in guarded calls written down. */
#include "base/ledger.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* /proc/meminfo's MemAvailable, or the address-space limit where that is smaller. */
uint64_t mmm_memory_available(void)
{
    uint64_t bytes = (uint64_t)1 << 40;
    FILE *stream = fopen("/proc/meminfo", "r");
    if (stream) {
        char line[128];
        unsigned long long kilobytes;
        while (fgets(line, sizeof line, stream))
            if (sscanf(line, "MemAvailable: %llu", &kilobytes) == 1) bytes = kilobytes * 1024;
        fclose(stream);
    }
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < bytes)
        bytes = limit.rlim_cur;
    return bytes;
}

static mmm_status fits(size_t bytes)
{
    if (bytes <= (64u << 20)) return MMM_OK; /* not worth asking the system */
    uint64_t available = mmm_memory_available();
    if (bytes <= available) return MMM_OK;
    return mmm_fail(MMM_TOO_LARGE, "%.1f GB of memory are needed, %.1f GB are available", (double)bytes / 1e9,
                    (double)available / 1e9);
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
    memory = mmm_ledger_calloc(bytes, 1);
    if (!memory) return mmm_fail(MMM_MEMORY, "no memory for %zu bytes", bytes);
    memcpy(pointer_to_pointer, &memory, sizeof memory);
    return MMM_OK;
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
