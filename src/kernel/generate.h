/* SPDX-License-Identifier: Apache-2.0 */
/* The generator: a file of the kernel dialect becomes a text for all targets, records of its kernels and launchers. */
#ifndef MMM_GENERATE_H
#define MMM_GENERATE_H

#include "base/base.h"

typedef struct mmm_diagnostic {
    char *file;
    int line;
    char *text; /* one line */
    bool warning;
} mmm_diagnostic;

typedef struct mmm_generated {
    char *host, *records, *header; /* kernels.host.c, kernels.records.c, kernels.h; NULL where the file was refused */
    mmm_diagnostic *diagnostics;   /* by line; at most 20 errors */
    int64_t diagnostic_count, room;
    bool words; /* whether it matters how many bits a word has */
} mmm_generated;

/* Reads the kernel file at `path`; `unit` is the identifier for its tables ('-' counts as '_').  MMM_INVALID with
 * "FILE:LINE: text" (and how many more) in the message when it is refused; diagnostics are there in either case.
 * `shown` is the name of the file in #line and messages (NULL: path). */
mmm_status mmm_generate(const char *path, const char *shown, const char *unit, mmm_generated *out);
void mmm_generated_clear(mmm_generated *g);

#endif
