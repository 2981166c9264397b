/* SPDX-License-Identifier: Apache-2.0 */
/* Status codes and the message of the last failure. */
#include "base/base.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool has_key;

/* What a thread has that could not get memory for its own: read only. */
static mmm_failure lost = {.message = "no memory is left, not even for a message", .column = -1};

static void release(void *own)
{
    if (own != &lost) free(own);
}

static void make_key(void)
{
    has_key = pthread_key_create(&key, release) == 0;
}

/* Not thread-local storage: a library that is opened late finds little room for that. */
mmm_failure *mmm_failure_own(void)
{
    pthread_once(&once, make_key);
    mmm_failure *own = has_key ? pthread_getspecific(key) : NULL;
    if ((own && own != &lost) || !has_key) return own;
    own = calloc(1, sizeof *own);
    if (own && pthread_setspecific(key, own) != 0) {
        free(own);
        own = NULL;
    }
    if (own)
        own->column = -1;
    else
        pthread_setspecific(key, &lost);
    return own;
}

void mmm_failure_borrow(mmm_failure *failure)
{
    if (has_key) pthread_setspecific(key, failure);
}

mmm_status mmm_fail(mmm_status status, const char *format, ...)
{
    mmm_failure *own = mmm_failure_own();
    va_list arguments;
    if (!own) return status;
    if (!format) format = "nothing was said about it";
    va_start(arguments, format);
    vsnprintf(own->message, sizeof own->message, format, arguments);
    va_end(arguments);
    mmm_make_plain(own->message);
    return status;
}

void mmm_fail_place(const char *text, int column)
{
    mmm_failure *own = mmm_failure_own();
    if (!own) return;
    if (text) snprintf(own->text, sizeof own->text, "%s", text);
    mmm_make_plain(own->text);
    own->column = column;
}

void mmm_note(const char *format, ...)
{
    mmm_failure *own = mmm_failure_own();
    va_list arguments;
    if (!own) return;
    own->note[0] = 0;
    if (!format) return;
    va_start(arguments, format);
    vsnprintf(own->note, sizeof own->note, format, arguments);
    va_end(arguments);
    mmm_make_plain(own->note);
}

const char *mmm_wisdom_note(void)
{
    const mmm_failure *own = mmm_failure_own();
    return own ? own->note : "";
}

const char *mmm_message(void)
{
    pthread_once(&once, make_key);
    const mmm_failure *own = has_key ? pthread_getspecific(key) : &lost;
    return own ? own->message : "";
}

const char *mmm_status_name(mmm_status status)
{
    static const char *const names[] = {
        [MMM_OK] = "ok",           [MMM_INVALID] = "invalid", [MMM_TOO_LARGE] = "too large", [MMM_MEMORY] = "memory",
        [MMM_IO] = "input/output", [MMM_DEVICE] = "device",   [MMM_WRONG] = "wrong result",  [MMM_STOPPED] = "stopped",
    };
    return (unsigned)status < sizeof names / sizeof *names ? names[status] : "unknown";
}

const char *mmm_version(void)
{
    return MMM_VERSION;
}
