/* SPDX-License-Identifier: Apache-2.0 */
/* What the reports share. */
#ifndef MMM_REPORT_H
#define MMM_REPORT_H

#include "model/model.h"

#include <jansson.h>

/* A number as JSON: an integer where it is one. */
json_t *mmm_json_number(double value);

/* Writes a JSON value to a path and releases it. */
mmm_status mmm_json_write(json_t *take, const char *path);

#endif
