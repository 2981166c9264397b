/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays in files as they are: little-endian elements one after the other. */
#include "job/job.h"

#include <endian.h>
#include <inttypes.h>
#include <string.h>

/* `element` bytes each; words are kept as 64 bits whatever they have in the file. */
mmm_status mmm_raw_parse(const char *bytes, int64_t size, mmm_type type, int element, const char *name, mmm_vector *out)
{
    mmm_status result = MMM_OK;
    int64_t count = size / element;
    char *elements = NULL;
    size_t kept = mmm_element_size(type);
    if (size % element)
        FAIL(MMM_INVALID, "'%s' has %" PRId64 " bytes, no whole number of elements of %d bits", name, size,
             8 * element);
    TRY(mmm_alloc(&elements, count, kept));
    for (int64_t i = 0; i < count; i++) {
        uint64_t x = 0;
        memcpy(&x, bytes + i * element, (size_t)element);
        x = le64toh(x);
        memcpy(elements + (size_t)i * kept, &x, kept);
    }
    mmm_vector_clear(out);
    *out = (mmm_vector){.type = type, .count = count, .lengths = {count}, .dimensions = 1, .elements = elements};
done:
    return result;
}

void mmm_raw_print(const mmm_vector *v, int element, FILE *stream)
{
    size_t kept = mmm_element_size(v->type);
    for (int64_t i = 0; i < v->count; i++) {
        uint64_t x = 0;
        memcpy(&x, (const char *)v->elements + (size_t)i * kept, kept);
        x = htole64(x); /* its low bytes come first */
        fwrite(&x, (size_t)element, 1, stream);
    }
}
