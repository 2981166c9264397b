/* SPDX-License-Identifier: Apache-2.0 */
/* JSON into files, complete or not at all. */
#include "base/json.h"

#include "base/ledger.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <string.h>

json_t *mmm_json_number(double value)
{
    if (value == floor(value) && fabs(value) < 9e15) return json_integer((json_int_t)value);
    return json_real(value);
}

/* The bytes of the UTF-8 character at `c`; 0 where there is none. */
static int character(const unsigned char *c)
{
    static const struct {
        unsigned char mask, lead;
        uint32_t least;
    } forms[] = {{0x80, 0x00, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
    for (int more = 0; more < 4; more++) {
        if ((*c & forms[more].mask) != forms[more].lead) continue;
        uint32_t code = *c & (unsigned char)~forms[more].mask;
        for (int i = 1; i <= more; i++) {
            if ((c[i] & 0xc0) != 0x80) return 0;
            code = code << 6 | (c[i] & 0x3f);
        }
        bool fine = code >= forms[more].least && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
        return fine ? more + 1 : 0;
    }
    return 0;
}

bool mmm_json_string(FILE *stream, const char *text)
{
    const unsigned char *bytes = (const unsigned char *)text;
    for (int length, i = 0; bytes[i]; i += length)
        if (!(length = character(bytes + i))) return false;
    fputc('"', stream);
    for (; *bytes; bytes++)
        if (*bytes < ' ')
            fprintf(stream, "\\u%04x", *bytes);
        else
            fprintf(stream, *bytes == '"' || *bytes == '\\' ? "\\%c" : "%c", *bytes);
    fputc('"', stream);
    return true;
}

void mmm_json_set(json_t **object, const char *key, json_t *take)
{
    if (json_object_set_new(*object, key, take) == 0) return; /* it takes in any case */
    json_decref(*object);
    *object = NULL;
}

void mmm_json_append(json_t **array, json_t *take)
{
    if (json_array_append_new(*array, take) == 0) return;
    json_decref(*array);
    *array = NULL;
}

/* jansson's reader goes on where it was refused memory, behind the end of what it has: work of it that lacks memory is
 * left by a jump, and its blocks are released by the thread's ledger.  Set once for the process, in front of the
 * functions that were there before. */
typedef struct {
    mmm_ledger ledger; /* first, so that it leads to the rest */
    jmp_buf leave;
} reading;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static json_malloc_t allocate;
static json_free_t release;

static void *json_new(size_t size)
{
    return mmm_ledger_own() ? mmm_ledger_malloc(size) : allocate(size);
}

static void json_release(void *block)
{
    if (mmm_ledger_own())
        mmm_ledger_free(block);
    else
        release(block);
}

static void install(void)
{
    json_get_alloc_funcs(&allocate, &release);
    json_set_alloc_funcs(json_new, json_release);
}

static void leave(mmm_ledger *ledger, size_t wanted)
{
    (void)wanted;
    longjmp(((reading *)ledger)->leave, 1);
}

/* Between a ledger's opening and its closing. */
static mmm_status load(reading *r, const char *text, int64_t size, size_t flags, json_error_t *error, json_t **out)
{
    if (!mmm_ledger_open(&r->ledger)) return MMM_MEMORY;
    if (setjmp(r->leave) != 0) {
        mmm_ledger_close();
        mmm_ledger_drop(&r->ledger);
        return MMM_MEMORY;
    }
    *out = json_loadb(text, (size_t)size, flags, error);
    mmm_ledger_close();
    mmm_ledger_keep(&r->ledger);
    return MMM_OK;
}

/* NULL: not JSON, and `error` says where.  A guarded call has a ledger already. */
static mmm_status parse(const char *text, int64_t size, size_t flags, json_error_t *error, json_t **out)
{
    pthread_once(&once, install);
    reading r = {.ledger = {.allocate = allocate, .release = release, .lack = leave}};
    if (!mmm_ledger_own()) return load(&r, text, size, flags, error, out);
    *out = json_loadb(text, (size_t)size, flags, error);
    return MMM_OK;
}

mmm_status mmm_json_read(const char *path, const char *text, int64_t size, size_t flags, json_t **out)
{
    json_error_t error;
    if (parse(text, size, flags, &error, out) != MMM_OK)
        return mmm_fail(MMM_MEMORY, "no memory to read '%.200s'", path);
    if (!*out)
        return mmm_fail(MMM_INVALID, "'%.200s' is not JSON: line %d, column %d: %s", path, error.line, error.column,
                        error.text);
    return MMM_OK;
}

mmm_status mmm_json_line(const char *text, json_t **out)
{
    json_error_t error;
    if (parse(text, (int64_t)strlen(text), 0, &error, out) != MMM_OK)
        return mmm_fail(MMM_MEMORY, "no memory to read JSON");
    return MMM_OK;
}

mmm_status mmm_json_write(json_t *take, const char *path, size_t flags)
{
    mmm_status result = MMM_OK;
    mmm_output output = {0};
    if (!take) FAIL(MMM_MEMORY, "no memory for JSON");
    TRY(mmm_output_open(&output, path));
    bool dumped = json_dumpf(take, output.stream, flags) == 0;
    fputc('\n', output.stream);
    if (!dumped && !ferror(output.stream)) FAIL(MMM_MEMORY, "no memory to write JSON to '%s'", path);
    TRY(mmm_output_commit(&output));
done:
    json_decref(take);
    mmm_output_discard(&output);
    return result;
}
