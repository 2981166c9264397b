/* SPDX-License-Identifier: Apache-2.0 */
/* A string that grows. */
#ifndef MMM_TEXT_H
#define MMM_TEXT_H

#include "base/base.h"

typedef struct mmm_text {
    char *data;
    int64_t used, room;
} mmm_text;

mmm_status mmm_text_add(mmm_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
