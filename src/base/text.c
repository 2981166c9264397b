/* SPDX-License-Identifier: Apache-2.0 */
/* Strings that grow. */
#include "base/text.h"

#include <stdarg.h>
#include <stdlib.h>

mmm_status mmm_text_add(mmm_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    mmm_status result = mmm_grow(&text->data, &text->room, text->used + length + 1, 1);
    if (result != MMM_OK) return result;
    va_start(arguments, format);
    vsnprintf(text->data + text->used, (size_t)length + 1, format, arguments);
    va_end(arguments);
    text->used += length;
    return MMM_OK;
}
