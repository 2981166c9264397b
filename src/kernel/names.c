/* SPDX-License-Identifier: Apache-2.0 */
/* Names, each kept once; memory that is freed with the generator; and what is noted about a file. */
#include "kernel/generator.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void *mmm_gen_take(generator *g, size_t bytes)
{
    gen_block *block = NULL;
    if (g->status == MMM_OK) g->status = mmm_alloc(&block, 1, sizeof *block + bytes);
    if (g->status != MMM_OK) return NULL;
    block->next = g->pool;
    g->pool = block;
    return block->data;
}

const char *mmm_gen_format(generator *g, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = mmm_gen_take(g, (size_t)length + 1);
    if (!text) return "";
    va_start(arguments, format);
    vsnprintf(text, (size_t)length + 1, format, arguments);
    va_end(arguments);
    return text;
}

static uint64_t hash_of(const char *text, int length)
{
    uint64_t hash = 14695981039346656037u;
    for (int i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 1099511628211u;
    return hash ^ hash >> 29;
}

static gen_name **slot_of(gen_name **table, int64_t room, uint64_t hash, const char *text, int length)
{
    for (int64_t i = (int64_t)(hash & (uint64_t)(room - 1));; i = (i + 1) & (room - 1))
        if (!table[i] || (table[i]->hash == hash && strncmp(table[i]->text, text, (size_t)length) == 0 &&
                          table[i]->text[length] == 0))
            return &table[i];
}

static bool grow(generator *g)
{
    gen_name **table;
    int64_t room = g->name_room ? 2 * g->name_room : 2048;
    g->status = mmm_alloc(&table, room, sizeof *table);
    if (g->status != MMM_OK) return false;
    for (int64_t i = 0; g->names && i < g->name_room; i++) {
        gen_name *name = g->names[i];
        if (name) *slot_of(table, room, name->hash, name->text, (int)strlen(name->text)) = name;
    }
    free(g->names);
    g->names = table;
    g->name_room = room;
    return true;
}

static gen_name *find(generator *g, const char *text, int length)
{
    if (g->status != MMM_OK || ((!g->names || 2 * g->name_count >= g->name_room) && !grow(g))) return NULL;
    uint64_t hash = hash_of(text, length);
    gen_name **slot = slot_of(g->names, g->name_room, hash, text, length);
    if (*slot) return *slot;
    gen_name *name = mmm_gen_take(g, sizeof *name + (size_t)length + 1);
    if (!name) return NULL;
    name->text = (char *)(name + 1);
    memcpy(name->text, text, (size_t)length);
    name->hash = hash;
    *slot = name;
    g->name_count++;
    return name;
}

static void enter_words(generator *g)
{
    for (int i = 0; mmm_gen_word(i); i++) {
        gen_name *name = find(g, mmm_gen_word(i)->text, (int)strlen(mmm_gen_word(i)->text));
        if (name) name->word = mmm_gen_word(i);
    }
    for (int functions = 0; functions < 2; functions++) {
        const char *list;
        const gen_word *word = mmm_gen_foreign(functions, &list);
        for (size_t length; *list; list += length + (list[length] == ' ')) {
            length = strcspn(list, " ");
            gen_name *name = find(g, list, (int)length);
            if (name && !name->word) name->word = word;
        }
    }
}

gen_name *mmm_gen_name(generator *g, const char *text, int length)
{
    if (!g->names) enter_words(g);
    return find(g, text, length);
}

bool mmm_gen_is_call(const gen_token *token, gen_call call)
{
    return token->kind == TOKEN_NAME && token->name->word && token->name->word->class == CLASS_CALL &&
           token->name->word->value == (int)call;
}

/* float4, int2, uchar16: of CUDA and OpenCL C. */
static bool is_vector(const char *text)
{
    static const char *const bases[] = {"char",  "uchar", "short",    "ushort",    "int",    "uint", "long",
                                        "ulong", "float", "longlong", "ulonglong", "double", "half", "bool"};
    static const char *const counts[] = {"1", "2", "3", "4", "8", "16"};
    for (size_t b = 0; b < sizeof bases / sizeof *bases; b++) {
        size_t length = strlen(bases[b]);
        if (strncmp(text, bases[b], length) != 0) continue;
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            if (strcmp(text + length, counts[c]) == 0) return true;
    }
    return false;
}

static bool begins_with(const char *text, const char *const *starts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strncmp(text, starts[i], strlen(starts[i])) == 0) return true;
    return false;
}

/* convert_int4_sat, vload_half, sub_group_any: of OpenCL C. */
static bool is_device_function(const char *text)
{
    static const char *const families[] = {"native_",      "vload",          "vstore",      "atom_",
                                           "atomic_fetch", "atomic_flag",    "atomic_load", "atomic_store",
                                           "atomic_comp",  "sub_group_",     "work_group_", "get_image_",
                                           "intel_",       "get_sub_group_", "amd_",        "arm_"};
    static const char *const types[] = {"char", "uchar", "short", "ushort", "int", "uint",
                                        "long", "ulong", "float", "double", "half"};
    if (strncmp(text, "convert_", 8) == 0) return begins_with(text + 8, types, sizeof types / sizeof *types);
    return begins_with(text, families, sizeof families / sizeof *families);
}

/* M_PI_F, FLT_DIG, CLK_LOCAL_MEM_FENCE, INT8_MAX: macros of headers that a kernel's text is compiled with. */
static bool is_macro(const char *text)
{
    static const char *const families[] = {"CLK_",  "CL_",   "cl_",    "cles_", "M_",   "FP_",   "FLT_",
                                           "DBL_",  "LDBL_", "HALF_",  "HUGE_", "SNAN", "MATH_", "ATOMIC_",
                                           "POCL_", "LLVM_", "CLANG_", "CUDA",  "cuda"};
    static const char *const types[] = {"CHAR",  "SCHAR", "UCHAR",  "SHRT",    "USHRT", "INT",  "UINT",       "LONG",
                                        "ULONG", "LLONG", "ULLONG", "PTRDIFF", "SIZE",  "WINT", "SIG_ATOMIC", "WCHAR"};
    static const char *const ends[] = {"_MAX", "_MIN", "_WIDTH", "_BIT"};
    size_t length = strlen(text);
    bool limit = false;
    if (begins_with(text, families, sizeof families / sizeof *families)) return true;
    for (size_t i = 0; i < sizeof ends / sizeof *ends && !limit; i++)
        limit = length > strlen(ends[i]) && strcmp(text + length - strlen(ends[i]), ends[i]) == 0;
    return limit && begins_with(text, types, sizeof types / sizeof *types);
}

void mmm_gen_check_name(generator *g, const gen_token *token, bool function, bool kernel_parameter)
{
    const char *text = token->name->text;
    const gen_word *word = token->name->word;
    size_t length = strlen(text);
    if (length > 100)
        mmm_gen_error(g, token, "'%.40s...' is longer than 100 letters; choose another name", text);
    else if (strncmp(text, "mmm_", 4) == 0 || strncmp(text, "MMM_", 4) == 0)
        mmm_gen_error(g, token, "'%s' begins like the names of mmm itself; choose another name", text);
    else if (is_vector(text) || is_macro(text) ||
             (word && (word->class == CLASS_FOREIGN || word->class == CLASS_BAD_TYPE || word->class == CLASS_REFUSED)))
        mmm_gen_error(g, token,
                      "'%s' is a word of C++, CUDA, OpenCL C or their headers and no name for anything; choose another "
                      "name",
                      text);
    else if (strstr(text, "__") || text[length - 1] == '_' || (text[0] == '_' && text[1] >= 'A' && text[1] <= 'Z'))
        mmm_gen_error(g, token,
                      "'%s' has two underscores together or one at its end, as names of compilers have; choose another "
                      "name",
                      text);
    else if (function && strncmp(text, "entry_", 6) == 0)
        mmm_gen_error(g, token, "'%s' begins like the generated entries of kernels; choose another name", text);
    else if (function && ((word && word->class == CLASS_FUNCTION) || (!word && is_device_function(text))))
        mmm_gen_error(g, token, "'%s' is a function of C, CUDA or OpenCL C; choose another name", text);
    else if (word && word->class == CLASS_LAUNCHER && kernel_parameter)
        mmm_gen_error(g, token, "'%s' is a name in the kernel's launcher; choose another name", text);
    else if (word && word->class < CLASS_REFUSED)
        mmm_gen_error(g, token, "'%s' is a word of the dialect and no name for anything; choose another name", text);
}

static void note(generator *g, int file, int line, bool warning, const char *format, va_list arguments)
{
    mmm_generated *out = g->out;
    char text[400];
    if (g->status != MMM_OK || (warning ? g->warnings : g->errors) >= GEN_ERRORS) return;
    vsnprintf(text, sizeof text, format, arguments);
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ') *c = ' ';
    for (int64_t i = 0; i < out->diagnostic_count; i++)
        if (out->diagnostics[i].line == line && strcmp(out->diagnostics[i].text, text) == 0) return;
    g->status = mmm_grow(&out->diagnostics, &out->room, out->diagnostic_count + 1, sizeof *out->diagnostics);
    if (g->status != MMM_OK) return;
    mmm_diagnostic *last = &out->diagnostics[out->diagnostic_count++];
    *last = (mmm_diagnostic){mmm_copy_string(file < g->file_count ? g->files[file].shown : "?"), line,
                             mmm_copy_string(text), warning};
    if (!last->file || !last->text) g->status = mmm_fail(MMM_MEMORY, "no memory for a message");
    *(warning ? &g->warnings : &g->errors) += 1;
}

void mmm_gen_error_at(generator *g, int file, int line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    note(g, file, line, false, format, arguments);
    va_end(arguments);
}

void mmm_gen_error(generator *g, const gen_token *at, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    note(g, at->file, at->line, false, format, arguments);
    va_end(arguments);
}

void mmm_gen_lost(generator *g, const gen_token *at, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (!g->lost) note(g, at->file, at->line, false, format, arguments);
    va_end(arguments);
    g->lost = true;
}

void mmm_gen_warn(generator *g, const gen_token *at, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    note(g, at->file, at->line, true, format, arguments);
    va_end(arguments);
}
