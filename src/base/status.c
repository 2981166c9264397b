/* SPDX-License-Identifier: Apache-2.0 */
/* Status codes and the message of the last failure. */
#include "base/base.h"

#include <stdarg.h>

static _Thread_local char message[512];

mmm_status mmm_fail(mmm_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    for (char *c = message; *c; c++)
        if ((unsigned char)*c < ' ') *c = ' ';
    return status;
}

const char *mmm_message(void)
{
    return message;
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
