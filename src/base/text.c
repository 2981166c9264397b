/* SPDX-License-Identifier: Apache-2.0 */
/* Strings that grow, and strings without control characters. */
#include "base/text.h"

#include <stdarg.h>
#include <stdlib.h>

mmm_status mmm_text_add(mmm_text *text, const char *format, ...)
{
    va_list arguments;
    locale_t before = mmm_locale_own();
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    mmm_status result = mmm_grow(&text->data, &text->room, text->used + length + 1, 1);
    if (result == MMM_OK) {
        va_start(arguments, format);
        vsnprintf(text->data + text->used, (size_t)length + 1, format, arguments);
        va_end(arguments);
        text->used += length;
    }
    mmm_locale_back(before);
    return result;
}

/* Of the control characters beyond ASCII, C2 80 to C2 9F, the second byte. */
static bool is_control(const unsigned char *c, bool first)
{
    return *c < ' ' || *c == 0x7f || (!first && c[-1] == 0xc2 && *c >= 0x80 && *c < 0xa0);
}

bool mmm_is_plain(const char *text)
{
    for (const char *c = text; *c; c++)
        if (is_control((const unsigned char *)c, c == text)) return false;
    return true;
}

void mmm_make_plain(char *text)
{
    for (char *c = text; *c; c++) {
        if (!is_control((const unsigned char *)c, c == text)) continue;
        if ((unsigned char)*c >= 0x80) c[-1] = ' ';
        *c = ' ';
    }
}
