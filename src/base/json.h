/* SPDX-License-Identifier: Apache-2.0 */
/* JSON into files. */
#ifndef MMM_JSON_H
#define MMM_JSON_H

#include "base/base.h"

#include <jansson.h>

/* Writes a value to a path, with jansson's flags for its form, and releases it; NULL is a lack of memory. */
mmm_status mmm_json_write(json_t *take, const char *path, size_t flags);

/* Adds to an object or an array, and takes the value.  Without memory (a value that is NULL too) the whole becomes
 * NULL, and stays so: what is written in the end is complete, or mmm_json_write says that it is not. */
void mmm_json_set(json_t **object, const char *key, json_t *take);
void mmm_json_append(json_t **array, json_t *take);

/* Reads JSON; `path` names the text in messages. */
mmm_status mmm_json_read(const char *path, const char *text, int64_t size, size_t flags, json_t **out);
/* A line of a file of lines: NULL where it is not JSON. */
mmm_status mmm_json_line(const char *text, json_t **out);

/* Text as a JSON string; false, and nothing is written, where it is not UTF-8. */
bool mmm_json_string(FILE *stream, const char *text);

/* A number as JSON: an integer where it is one. */
json_t *mmm_json_number(double value);

/* How people like to read it. */
#define MMM_JSON_FORM (JSON_INDENT(2) | JSON_REAL_PRECISION(15))

#endif
