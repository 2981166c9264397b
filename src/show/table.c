/* SPDX-License-Identifier: Apache-2.0 */
/* Tables for people. */
#include "show/show.h"

#include <inttypes.h>
#include <string.h>

mmm_status mmm_analyses_check(const mmm_analysis *analyses, int count)
{
    mmm_status result = MMM_OK;
    if (count < 0) FAIL(MMM_INVALID, "%d analyses: none or more are possible", count);
    NEED(analyses || count == 0, "the array of analyses");
    for (int i = 0; i < count; i++) {
        const mmm_analysis *a = &analyses[i];
        NEED(a->app, "the name of what was analysed");
        TRY(mmm_parameters_check(&a->machine));
        if (a->bound_count < 0 || a->bound_count > MMM_BOUNDS_MOST)
            FAIL(MMM_INVALID, "%d bounds of an analysis: from 0 to %d are possible", a->bound_count, MMM_BOUNDS_MOST);
        if (a->counts && a->counts->violation_count) NEED(a->counts->violations, "the array of violations");
    }
done:
    return result;
}

void mmm_row_text(mmm_row *row, const char *text)
{
    snprintf(row->cell[row->count++], MMM_CELL, "%s", text);
}

void mmm_row_integer(mmm_row *row, int64_t value)
{
    snprintf(row->cell[row->count++], MMM_CELL, "%" PRId64, value);
}

void mmm_row_number(mmm_row *row, double value)
{
    snprintf(row->cell[row->count++], MMM_CELL, value < 1e15 && value == (double)(int64_t)value ? "%.0f" : "%.6g",
             value);
}

void mmm_row_amount(mmm_row *row, mmm_amount amount)
{
    if (amount.whole)
        mmm_row_integer(row, amount.integer);
    else
        mmm_row_number(row, amount.real);
}

void mmm_seconds_text(double seconds, char *text, size_t size)
{
    static const struct {
        double least, factor;
        const char *unit;
    } units[] = {{1, 1, "s"}, {1e-3, 1e3, "ms"}, {1e-6, 1e6, "us"}, {0, 1e9, "ns"}};
    int i = 0;
    while (seconds < units[i].least)
        i++;
    snprintf(text, size, "%.4g %s", seconds * units[i].factor, units[i].unit);
}

void mmm_row_time(mmm_row *row, double time, const mmm_parameters *machine)
{
    if (machine->operation > 0)
        mmm_seconds_text(time * machine->operation, row->cell[row->count++], MMM_CELL);
    else
        mmm_row_number(row, time);
}

void mmm_units_print(FILE *stream, double operation)
{
    char text[32];
    for (int i = 0; i < mmm_quantity_count; i++) {
        const char *unit = mmm_quantities[i].unit, *separator = i ? "; " : "";
        bool first = unit != NULL;
        for (int j = 0; j < i && first; j++)
            first = mmm_quantities[j].unit != unit;
        for (int j = i; first && j < mmm_quantity_count; j++) {
            const mmm_quantity *q = &mmm_quantities[j];
            if (q->unit != unit || (q->part == MMM_BOUNDS && operation > 0)) continue;
            fprintf(stream, "%s%s", separator, q->part == MMM_BOUNDS ? "times" : q->head);
            separator = ", ";
        }
        if (first) fprintf(stream, ": %s", unit);
    }
    if (!(operation > 0)) return;
    mmm_seconds_text(operation, text, sizeof text);
    fprintf(stream, "; times: seconds, of which an operation takes %s", text);
}

void mmm_table_print(FILE *stream, const mmm_row *rows, int64_t count, bool left)
{
    int columns = rows[0].count, width[MMM_COLUMNS_MOST] = {0};
    for (int64_t i = 0; i < count; i++)
        for (int j = 0; j < columns; j++)
            if ((int)strlen(rows[i].cell[j]) > width[j]) width[j] = (int)strlen(rows[i].cell[j]);
    for (int64_t i = 0; i < count; i++)
        for (int j = 0; j < columns; j++)
            fprintf(stream, "%*s%s",
                    j      ? width[j] + 2
                    : left ? -width[0]
                           : width[0],
                    rows[i].cell[j], j + 1 < columns ? "" : "\n");
}
