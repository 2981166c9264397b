/* SPDX-License-Identifier: Apache-2.0 */
/* JSON into files, complete or not at all. */
#include "base/json.h"

#include <math.h>
#include <pthread.h>

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

/* jansson's reader takes a lack of memory for bad text now and then: its allocations are watched.  Once for the
 * process, and in front of the function that was there before. */
static pthread_once_t watch_once = PTHREAD_ONCE_INIT;
static pthread_key_t lacking; /* this thread was refused memory */
static bool watched;
static json_malloc_t allocate;

static void *watched_malloc(size_t size)
{
    void *memory = allocate(size);
    if (!memory) pthread_setspecific(lacking, &lacking);
    return memory;
}

static void watch(void)
{
    json_free_t release;
    if (pthread_key_create(&lacking, NULL) != 0) return;
    json_get_alloc_funcs(&allocate, &release);
    json_set_alloc_funcs(watched_malloc, release);
    watched = true;
}

mmm_status mmm_json_read(const char *path, const char *text, int64_t size, size_t flags, json_t **out)
{
    json_error_t error;
    pthread_once(&watch_once, watch);
    if (watched) pthread_setspecific(lacking, NULL);
    json_t *root = json_loadb(text, (size_t)size, flags, &error);
    if (!root && watched && pthread_getspecific(lacking))
        return mmm_fail(MMM_MEMORY, "no memory to read '%.200s'", path);
    if (!root)
        return mmm_fail(MMM_INVALID, "'%.200s' is not JSON: line %d, column %d: %s", path, error.line, error.column,
                        error.text);
    *out = root;
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
