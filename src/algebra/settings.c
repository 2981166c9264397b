/* SPDX-License-Identifier: Apache-2.0 */
/* Lists such as "l=Z/2, s=Z/7". */
#include "algebra/algebra.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* The length up to the next comma that stands outside brackets. */
static int piece_length(const char *text)
{
    int depth = 0, length = 0;
    for (; text[length]; length++) {
        if (strchr("({", text[length])) depth++;
        if (strchr(")}", text[length])) depth--;
        if (text[length] == ',' && depth <= 0) break;
    }
    return length;
}

static char *trim(char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    size_t length = strlen(text);
    while (length && isspace((unsigned char)text[length - 1]))
        text[--length] = 0;
    return text;
}

mmm_status mmm_pieces_read(const char *text, mmm_piece_visitor *visit, void *context)
{
    mmm_status result = MMM_OK;
    char *copy = NULL;
    if (strlen(text) > MMM_EXPRESSION)
        return mmm_fail(MMM_INVALID, "a list of more than %d characters", MMM_EXPRESSION);
    for (bool more = true; more;) {
        int length = piece_length(text);
        TRY(mmm_alloc(&copy, length + 1, 1));
        memcpy(copy, text, (size_t)length);
        TRY(visit(context, trim(copy)));
        mmm_free(copy);
        copy = NULL;
        more = text[length] == ',';
        text += length + 1;
    }
done:
    mmm_free(copy);
    return result;
}

typedef struct settings {
    mmm_setting_visitor *visit;
    void *context;
} settings;

static mmm_status read_setting(void *context, char *piece)
{
    const settings *s = context;
    char *equals = strchr(piece, '=');
    if (!equals) return mmm_fail(MMM_INVALID, "'%s' is no setting; write name=value", piece);
    *equals = 0;
    char *name = trim(piece), *text = trim(equals + 1);
    if (strlen(name) > MMM_NAME) return mmm_fail(MMM_INVALID, "a name longer than %d letters", MMM_NAME);
    bool fine = isalpha((unsigned char)*name);
    for (const char *c = name; *c; c++)
        fine = fine && (isalnum((unsigned char)*c) || *c == '_');
    if (!fine) return mmm_fail(MMM_INVALID, "'%s' is no name; write name=value", name);
    return s->visit(s->context, name, text);
}

mmm_status mmm_settings_read(const char *text, mmm_setting_visitor *visit, void *context)
{
    settings s = {visit, context};
    return mmm_pieces_read(text, read_setting, &s);
}
