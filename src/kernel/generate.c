/* SPDX-License-Identifier: Apache-2.0 */
/* From the path of a kernel file to the texts of the files that are made of it. */
#include "kernel/generator.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *x, const void *y)
{
    const mmm_diagnostic *a = x, *b = y;
    int files = strcmp(a->file, b->file);
    return files ? files : (a->line > b->line) - (a->line < b->line);
}

/* '-' becomes '_', and the rest must be an identifier. */
static mmm_status copy_unit(const char *unit, char name[64])
{
    size_t length = strlen(unit);
    bool good = length > 0 && length < 64 && !isdigit((unsigned char)unit[0]);
    for (size_t i = 0; i < length && good; i++) {
        name[i] = unit[i] == '-' ? '_' : unit[i];
        good = isalnum((unsigned char)name[i]) || name[i] == '_';
    }
    if (!good) return mmm_fail(MMM_INVALID, "'%.80s' is no name for a unit; use letters, digits, - and _", unit);
    name[length] = 0;
    return MMM_OK;
}

static void clear(generator *g)
{
    for (gen_macro *macro = g->macros; macro; macro = macro->next)
        free(macro->body.at);
    for (int i = 0; i < GEN_FILES; i++) {
        free(g->files[i].path);
        free(g->files[i].shown);
        free(g->files[i].text);
    }
    free(g->tokens.at);
    free(g->edits);
    free(g->flow.trail);
    free(g->names);
    while (g->pool) {
        gen_block *next = g->pool->next;
        free(g->pool);
        g->pool = next;
    }
    free(g);
}

static mmm_status refuse(const mmm_generated *out, int errors)
{
    const mmm_diagnostic *first = out->diagnostics;
    while (first->warning)
        first++;
    if (errors == 1) return mmm_fail(MMM_INVALID, "%s:%d: %s", first->file, first->line, first->text);
    return mmm_fail(MMM_INVALID, "%s:%d: %s (and %d more)", first->file, first->line, first->text, errors - 1);
}

mmm_status mmm_generate(const char *path, const char *shown, const char *unit, mmm_generated *out)
{
    mmm_status result = MMM_OK;
    generator *g = NULL;
    mmm_text host = {0}, records = {0}, header = {0};
    char name[64];
    memset(out, 0, sizeof *out);
    TRY(copy_unit(unit, name));
    TRY(mmm_alloc(&g, 1, sizeof *g));
    g->out = out;
    mmm_gen_read(g, path, shown ? shown : path);
    TRY(g->status);
    TRY(mmm_alloc(&g->edits, g->tokens.count, sizeof *g->edits));
    if (!g->cut) mmm_gen_parse(g);
    TRY(g->status);
    if (out->diagnostic_count > 0)
        qsort(out->diagnostics, (size_t)out->diagnostic_count, sizeof *out->diagnostics, compare);
    if (g->errors > 0) {
        result = refuse(out, g->errors);
        goto done;
    }
    mmm_gen_host(g, name, &host);
    mmm_gen_records(g, name, &records);
    mmm_gen_launchers(g, name, &header);
    TRY(g->status);
    out->words = g->words;
    out->host = host.data;
    out->records = records.data;
    out->header = header.data;
    host.data = records.data = header.data = NULL;
done:
    free(host.data);
    free(records.data);
    free(header.data);
    if (g) clear(g);
    return result;
}

void mmm_generated_clear(mmm_generated *g)
{
    free(g->host);
    free(g->records);
    free(g->header);
    for (int64_t i = 0; i < g->diagnostic_count; i++) {
        free(g->diagnostics[i].file);
        free(g->diagnostics[i].text);
    }
    free(g->diagnostics);
    memset(g, 0, sizeof *g);
}
