/* SPDX-License-Identifier: Apache-2.0 */
/* NumPy's .npy files: a magic string, a version, and a Python dictionary that says type, order and shape. */
#include "job/job.h"

#include <ctype.h>
#include <endian.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC "\x93NUMPY"
enum { MAGIC_SIZE = 6, HEADER_MOST = 65536, ALIGNMENT = 64 };

bool mmm_is_npy(const char *bytes, int64_t size)
{
    return size >= MAGIC_SIZE && memcmp(bytes, MAGIC, MAGIC_SIZE) == 0;
}

/* What follows 'key': in the dictionary; NULL when it is not there. */
static const char *value_of(const char *header, const char *key)
{
    char quoted[32];
    snprintf(quoted, sizeof quoted, "'%s'", key);
    const char *found = strstr(header, quoted);
    if (!found) return NULL;
    found += strlen(quoted);
    found += strspn(found, " ");
    if (*found++ != ':') return NULL;
    return found + strspn(found, " ");
}

/* Kind ('i', 'u', 'f') and bytes of elements such as '<i4' or '|u1'. */
static bool read_type(const char *text, char *kind, int *element)
{
    if (!text || strnlen(text, 5) < 5 || text[0] != '\'' || text[4] != '\'') return false;
    *kind = text[2];
    *element = text[3] - '0';
    return strchr("<|=", text[1]) && strchr("iuf", *kind) && strchr("1248", text[3]);
}

static bool read_shape(const char *text, mmm_vector *v)
{
    if (!text || *text++ != '(') return false;
    v->count = 1;
    for (;;) {
        text += strspn(text, " ,");
        if (*text == ')') break;
        if (!isdigit((unsigned char)*text) || v->dimensions == DIMENSIONS_MOST) return false;
        int64_t length = 0;
        for (; isdigit((unsigned char)*text); text++)
            if (__builtin_mul_overflow(length, 10, &length) || __builtin_add_overflow(length, *text - '0', &length))
                return false;
        v->lengths[v->dimensions++] = length;
        if (__builtin_mul_overflow(v->count, length, &v->count)) return false;
    }
    if (v->dimensions == 0) v->lengths[v->dimensions++] = 1;
    return true;
}

/* The kind of a type in NumPy's letters; words and coefficients are unsigned. */
static char kind_of(mmm_type type)
{
    switch (type) {
    case MMM_I8:
    case MMM_I16:
    case MMM_I32:
    case MMM_I64: return 'i';
    case MMM_F32:
    case MMM_F64: return 'f';
    default: return 'u';
    }
}

/* Elements of words may have any size, and be signed where none is negative; all others must be what they should. */
static mmm_status convert(const char *from, char kind, int element, mmm_type type, const char *name, mmm_vector *v)
{
    mmm_status result = MMM_OK;
    bool word = mmm_type_size(type) == 0;
    size_t kept = mmm_element_size(type);
    if (word ? kind == 'f' : kind != kind_of(type) || element != (int)kept)
        FAIL(MMM_INVALID, "'%s' has elements of type %c%d, %s%c%d are expected", name, kind, element,
             word ? "unsigned integers such as " : "", kind_of(type), word ? 4 : (int)kept);
    TRY(mmm_alloc(&v->elements, v->count, kept));
    for (int64_t i = 0; i < v->count; i++) {
        uint64_t x = 0;
        memcpy(&x, from + i * element, (size_t)element);
        x = le64toh(x);
        if (word && kind == 'i' && x >> (8 * element - 1) & 1)
            FAIL(MMM_INVALID, "'%s': element %" PRId64 " is negative", name, i);
        memcpy((char *)v->elements + (size_t)i * kept, &x, kept);
    }
done:
    return result;
}

mmm_status mmm_npy_parse(const char *bytes, int64_t size, mmm_type type, const char *name, mmm_vector *out,
                         int *element)
{
    mmm_status result = MMM_OK;
    mmm_vector v = {.type = type};
    char *header = NULL, kind;
    const unsigned char *b = (const unsigned char *)bytes;
    int64_t length = 0, start = 10;
    if (size < 12) FAIL(MMM_INVALID, "'%s': the header of the .npy file is cut", name);
    if (b[6] < 1 || b[6] > 3) FAIL(MMM_INVALID, "'%s' is an .npy file of an unknown version", name);
    length = b[8] | b[9] << 8;
    if (b[6] > 1) {
        length |= (int64_t)b[10] << 16 | (int64_t)b[11] << 24;
        start = 12;
    }
    if (length > HEADER_MOST || length > size - start)
        FAIL(MMM_INVALID, "'%s': the header of the .npy file is cut", name);
    TRY(mmm_alloc(&header, length + 1, 1));
    memcpy(header, bytes + start, (size_t)length);
    if (!read_type(value_of(header, "descr"), &kind, element))
        FAIL(MMM_INVALID, "'%s': the type of the .npy file must be '<i4', '<u8', '<f4' or the like", name);
    if (!read_shape(value_of(header, "shape"), &v))
        FAIL(MMM_INVALID, "'%s': the shape of the .npy file is not of 1 to %d lengths", name, DIMENSIONS_MOST);
    const char *fortran = value_of(header, "fortran_order");
    if (!fortran || (strncmp(fortran, "False", 5) != 0 && v.dimensions > 1))
        FAIL(MMM_INVALID, "'%s': rows must come one after the other (fortran_order: False)", name);
    start += length;
    if (v.count > (size - start) / *element || v.count * *element != size - start)
        FAIL(MMM_INVALID, "'%s' has %" PRId64 " bytes of elements, its shape needs %" PRId64 " elements of %d", name,
             size - start, v.count, *element);
    TRY(convert(bytes + start, kind, *element, type, name, &v));
    mmm_vector_clear(out);
    *out = v;
    memset(&v, 0, sizeof v);
done:
    free(header);
    mmm_vector_clear(&v);
    return result;
}

void mmm_npy_print(const mmm_vector *v, int element, FILE *stream)
{
    char shape[128] = "", header[256];
    for (int i = 0; i < v->dimensions; i++) {
        size_t used = strlen(shape);
        snprintf(shape + used, sizeof shape - used, "%" PRId64 "%s", v->lengths[i],
                 v->dimensions == 1      ? ","
                 : i + 1 < v->dimensions ? ", "
                                         : "");
    }
    int length = snprintf(header, sizeof header, "{'descr': '%c%c%d', 'fortran_order': False, 'shape': (%s), }",
                          element == 1 ? '|' : '<', kind_of(v->type), element, shape);
    int whole = (MAGIC_SIZE + 4 + length + 1 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT, rest = whole - MAGIC_SIZE - 4;
    fwrite(MAGIC "\x01\x00", 1, MAGIC_SIZE + 2, stream);
    fputc(rest & 255, stream);
    fputc(rest >> 8, stream);
    fprintf(stream, "%-*s\n", rest - 1, header);
    mmm_raw_print(v, element, stream);
}
