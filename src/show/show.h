/* SPDX-License-Identifier: Apache-2.0 */
/* What the outputs share. */
#ifndef MMM_SHOW_H
#define MMM_SHOW_H

#include "job/job.h"
#include "base/json.h"

/* Where there are more than `shown` kernels, first[k] is the first of the run of kernels in a row that k belongs to,
 * and run[first[k]] their number: of one name and block size and, unless told otherwise, of as many blocks. */
mmm_status mmm_dag_runs(const mmm_program *program, int64_t shown, bool same_blocks, int *first, int64_t *run);

/* Whether analyses that a caller hands over can be shown. */
mmm_status mmm_analyses_check(const mmm_analysis *analyses, int count);

/* A table of text: rows of cells, the first row being the heads of the columns. */
enum { MMM_COLUMNS_MOST = 16 + 2 * MMM_BOUNDS_MOST, MMM_CELL = 48 };

typedef struct mmm_row {
    char cell[MMM_COLUMNS_MOST][MMM_CELL];
    int count;
} mmm_row;

void mmm_row_text(mmm_row *row, const char *text);
void mmm_row_integer(mmm_row *row, int64_t value);
void mmm_row_number(mmm_row *row, double value);
void mmm_row_amount(mmm_row *row, mmm_amount amount);

/* A time in local operations: as it is, or in seconds where the machine's operation takes some. */
void mmm_row_time(mmm_row *row, double time, const mmm_parameters *machine);
void mmm_seconds_text(double seconds, char *text, size_t size);

/* Columns end at the right, the first one too unless `left` says that it begins at the left. */
void mmm_table_print(FILE *stream, const mmm_row *rows, int64_t count, bool left);

/* "W, S: local operations; ...", of all heads of columns; `operation` is what bounds are in seconds by, 0: they are not. */
void mmm_units_print(FILE *stream, double operation);

/* A number, or null. */
json_t *mmm_amount_json(mmm_amount amount);

/* Limits of a time by name, in seconds; NULL: there are none. */
json_t *mmm_limits_json(const double limits[MMM_LIMITS]);

/* The kernels of a->listed, runs of alike ones together: a table, a JSON array. */
mmm_status mmm_kernels_text(const mmm_analysis *a, FILE *stream);
mmm_status mmm_kernels_json(const mmm_analysis *a, json_t **out);

/* The traffic of regions as a JSON array. */
json_t *mmm_regions_json(const mmm_counts *counts);

#endif
