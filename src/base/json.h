/* SPDX-License-Identifier: Apache-2.0 */
/* JSON into files. */
#ifndef MMM_JSON_H
#define MMM_JSON_H

#include "base/base.h"

#include <jansson.h>

/* Writes a value to a path, with jansson's flags for its form, and releases it; NULL is a lack of memory. */
mmm_status mmm_json_write(json_t *take, const char *path, size_t flags);

#endif
