/* SPDX-License-Identifier: Apache-2.0 */
/* JSON into files, complete or not at all. */
#include "base/json.h"

#include <math.h>

json_t *mmm_json_number(double value)
{
    if (value == floor(value) && fabs(value) < 9e15) return json_integer((json_int_t)value);
    return json_real(value);
}

bool mmm_json_string(FILE *stream, const char *text)
{
    json_t *string = json_string(text);
    if (!string) return false;
    json_dumpf(string, stream, JSON_ENCODE_ANY);
    json_decref(string);
    return true;
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
