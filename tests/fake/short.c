/* SPDX-License-Identifier: Apache-2.0 */
/* malloc, calloc, realloc and posix_memalign for a process that is short of memory, by LD_PRELOAD: allocation number
 * SHORT_AT fails, and SHORT_FOR (1) of them from there on.  SHORT_COUNT names a file for the number of all of them.  With SHORT_WRAP it is
 * linked to a program by --wrap and serves that alone: beside a sanitizer, whose malloc then looks for leaks. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef SHORT_WRAP
#define OURS(name) __wrap_##name
#define THEIRS(name) __real_##name
#else
#define OURS(name) name
#define THEIRS(name) __libc_##name
#endif
extern void *THEIRS(malloc)(size_t size), *THEIRS(calloc)(size_t count, size_t size);
extern void *THEIRS(realloc)(void *memory, size_t size);
void *OURS(malloc)(size_t size), *OURS(calloc)(size_t count, size_t size), *OURS(realloc)(void *memory, size_t size);
int OURS(posix_memalign)(void **memory, size_t alignment, size_t size);
#ifdef SHORT_WRAP
extern int __real_posix_memalign(void **memory, size_t alignment, size_t size);
#else
extern void *__libc_memalign(size_t alignment, size_t size);
#endif

static _Atomic long count;
static long first, last;
static char path[4096];

__attribute__((constructor)) static void begin(void)
{
    const char *at = getenv("SHORT_AT"), *how_many = getenv("SHORT_FOR"), *file = getenv("SHORT_COUNT");
    if (file && strlen(file) < sizeof path) strcpy(path, file);
    if (at) last = atol(at) + (how_many ? atol(how_many) : 1) - 1;
    if (at) first = atol(at);
    unsetenv("LD_PRELOAD"); /* not for what it starts: a compiler, gnuplot */
    count = 0;
}

__attribute__((destructor)) static void end(void)
{
    char text[32];
    int file = *path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
    if (file < 0) return;
    int length = snprintf(text, sizeof text, "%ld\n", count);
    if (write(file, text, (size_t)length) != length) _exit(99);
    close(file);
}

static int is_short(void)
{
    long number = ++count;
    if (number < first || number > last || !first) return 0;
    errno = ENOMEM;
    return 1;
}

void *OURS(malloc)(size_t size)
{
    return is_short() ? NULL : THEIRS(malloc)(size);
}

void *OURS(calloc)(size_t number, size_t size)
{
    return is_short() ? NULL : THEIRS(calloc)(number, size);
}

void *OURS(realloc)(void *memory, size_t size)
{
    return is_short() ? NULL : THEIRS(realloc)(memory, size);
}

int OURS(posix_memalign)(void **memory, size_t alignment, size_t size)
{
    if (is_short()) return ENOMEM;
#ifdef SHORT_WRAP
    return __real_posix_memalign(memory, alignment, size);
#else
    void *found = __libc_memalign(alignment, size);
    if (found) *memory = found;
    return found ? 0 : ENOMEM;
#endif
}
