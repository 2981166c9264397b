/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of the paper and the results that fill them. */
#ifndef MMM_REPRODUCE_H
#define MMM_REPRODUCE_H

#include "base/json.h"
#include "study/study.h"

enum { VALUES_OF_S_MOST = 8, PAPER_COLUMNS_MOST = 4 };

typedef struct mmm_table_row {
    int64_t n, m;
    double paper[PAPER_COLUMNS_MOST]; /* seconds, 0: the paper has none */
} mmm_table_row;

/* A table of the paper: times of an application over sizes and values of s. */
typedef struct mmm_table {
    const char *id, *title, *app;
    const int *paper_s;      /* the columns of the paper, ended by 0 */
    int s[VALUES_OF_S_MOST]; /* what is measured, ended by 0 */
    const mmm_table_row *rows;
    int row_count;
} mmm_table;

extern const mmm_table mmm_tables[];
extern const int mmm_table_count;

/* One measurement.  machine "flint": FLINT on one core, s is 0.  seconds is negative where there is none, and `note`
 * says why. */
typedef struct mmm_result {
    char table[16], machine[32], note[160];
    int64_t n, m, s;
    double seconds;
} mmm_result;

typedef struct mmm_results {
    mmm_result *list;
    int64_t count, room;
} mmm_results;

const mmm_result *mmm_results_find(const mmm_results *results, const char *table, int64_t n, int64_t m, int64_t s,
                                   const char *machine);

/* Writes the tables into the folder, as text, CSV and JSON. */
mmm_status mmm_results_write(const mmm_results *results, const char *folder, const char *const *machines,
                             int64_t largest);

#endif
