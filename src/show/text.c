/* SPDX-License-Identifier: Apache-2.0 */
/* Analyses as text for people, and as CSV. */
#include "show/show.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A parameter that differs between the analyses has a column of its own. */
static bool varies(const mmm_analysis *a, int count, const char *name)
{
    for (int i = 1; i < count; i++)
        if (mmm_job_get(a[i].job, name) != mmm_job_get(a[0].job, name)) return true;
    return false;
}

/* The head of a quantity's column; NULL: it has none here. */
static const char *head_of(const mmm_quantity *q, const mmm_analysis *analyses, int count)
{
    if (q->head) return mmm_quantity_of(q, &analyses[0]).known ? q->head : NULL;
    for (int i = 0; q->found && i < count; i++)
        if (mmm_quantity_of(q, &analyses[i]).known) return q->found;
    return NULL;
}

static void print_entity(FILE *stream, const mmm_entity *e)
{
    fprintf(stream, "%s", e->kernel);
    if (e->block >= 0) fprintf(stream, " block %" PRId64, e->block);
    if (e->thread >= 0) fprintf(stream, " thread %" PRId64, e->thread);
}

static void print_violations(FILE *stream, const mmm_analysis *a)
{
    for (int64_t i = 0; a->counts && i < a->counts->violation_count; i++) {
        const mmm_violation *v = &a->counts->violations[i];
        fprintf(stream, "violation: %s", mmm_violation_name(v->kind));
        if (*v->array)
            fprintf(stream, " at %s %s[%" PRId64 "]", v->memory, v->array, v->index);
        else if (v->index)
            fprintf(stream, " (%" PRId64 ")", v->index);
        fprintf(stream, " in ");
        print_entity(stream, &v->second);
        if (v->first.kernel) {
            fprintf(stream, " with ");
            print_entity(stream, &v->first);
        }
        if (v->line) fprintf(stream, ", %s:%d", v->file, v->line);
        if (v->count > 1) fprintf(stream, ", %" PRId64 " times", v->count);
        fputc('\n', stream);
    }
}

/* Of a program that ran elsewhere. */
static void print_measured(FILE *stream, const mmm_analysis *a)
{
    char all[32], path[32];
    if (!(a->measured > 0)) return;
    mmm_seconds_text(a->measured, all, sizeof all);
    mmm_seconds_text(a->measured_path, path, sizeof path);
    fprintf(stream, "measured: %s in %" PRId64 " kernels, %s on the heaviest path\n", all, a->shape.kernels, path);
}

static void print_heading(FILE *stream, const mmm_analysis *a, int count)
{
    fprintf(stream, "%s", a->app);
    if (a->job)
        for (const mmm_parameter *p = mmm_job_app(a->job)->parameters; p->name; p++)
            if (!varies(a, count, p->name)) fprintf(stream, " %s=%" PRId64, p->name, mmm_job_get(a->job, p->name));
    fprintf(stream, "\nmachine %s: U = %g, Z = %" PRId64 " words\n", a->machine.name, a->machine.U, a->machine.Z);
    mmm_units_print(stream, a->machine.operation);
    fprintf(stream, "\n\n");
}

/* The kernels of one analysis, under the values that tell it from the others. */
static mmm_status print_kernels(FILE *stream, const mmm_analysis *analyses, int number, int count)
{
    const mmm_analysis *a = &analyses[number];
    fprintf(stream, "\nkernels");
    if (a->job)
        for (const mmm_parameter *p = mmm_job_app(a->job)->parameters; p->name; p++)
            if (varies(analyses, count, p->name))
                fprintf(stream, " %s=%" PRId64, p->name, mmm_job_get(a->job, p->name));
    fprintf(stream, "\n");
    return mmm_kernels_text(a, stream);
}

mmm_status mmm_report_text(const mmm_analysis *analyses, int count, const char *path)
{
    mmm_status result = MMM_OK;
    mmm_output output = {0};
    mmm_row *rows = NULL;
    NEED(path, "the path of a report");
    MMM_TRY(mmm_analyses_check(analyses, count));
    if (count < 1) return MMM_OK;
    TRY(mmm_output_open(&output, path));
    TRY(mmm_alloc(&rows, count + 1, sizeof *rows));
    for (int i = 0; i <= count; i++) {
        const mmm_analysis *a = &analyses[i ? i - 1 : 0];
        mmm_row *r = &rows[i];
        if (a->job)
            for (const mmm_parameter *p = mmm_job_app(a->job)->parameters; p->name; p++) {
                if (!varies(analyses, count, p->name)) continue;
                if (i == 0)
                    mmm_row_text(r, p->name);
                else
                    mmm_row_integer(r, mmm_job_get(a->job, p->name));
            }
        for (int j = 0; j < mmm_quantity_count; j++) {
            const mmm_quantity *q = &mmm_quantities[j];
            mmm_amount x = mmm_quantity_of(q, a);
            const char *head = head_of(q, analyses, count);
            if (!head) continue;
            if (i == 0)
                mmm_row_text(r, head);
            else if (q->part == MMM_BOUNDS)
                mmm_row_time(r, x.real, &a->machine);
            else
                mmm_row_amount(r, x);
        }
        for (int j = 0; i == 0 && j < a->bound_count; j++) {
            char text[32];
            snprintf(text, sizeof text, "T_%" PRId64 " <=", a->bounds[j].P);
            mmm_row_text(r, text);
            mmm_row_text(r, "greedy");
        }
        for (int j = 0; i > 0 && j < a->bound_count; j++) {
            mmm_row_time(r, a->bounds[j].bound, &a->machine);
            mmm_row_time(r, a->bounds[j].schedule, &a->machine);
        }
    }
    print_heading(output.stream, analyses, count);
    mmm_table_print(output.stream, rows, count + 1, false);
    for (int i = 0; i < count; i++)
        print_measured(output.stream, &analyses[i]);
    for (int i = 0; i < count; i++)
        if (analyses[i].listed) TRY(print_kernels(output.stream, analyses, i, count));
    for (int i = 0; i < count; i++)
        print_violations(output.stream, &analyses[i]);
    TRY(mmm_output_commit(&output));
done:
    mmm_output_discard(&output);
    free(rows);
    return result;
}

mmm_status mmm_report_csv(const mmm_analysis *analyses, int count, const char *path)
{
    mmm_status result = MMM_OK;
    mmm_output output = {0};
    NEED(path, "the path of a report");
    MMM_TRY(mmm_analyses_check(analyses, count));
    TRY(mmm_output_open(&output, path));
    fprintf(output.stream, "tag");
    for (int j = 0; j < mmm_quantity_count; j++)
        if (mmm_quantities[j].column) fprintf(output.stream, ",%s", mmm_quantities[j].column);
    fprintf(output.stream, "\n");
    for (int i = 0; i < count; i++) {
        const mmm_analysis *a = &analyses[i];
        fprintf(output.stream, "\"%s", a->app);
        if (a->job)
            for (const mmm_parameter *p = mmm_job_app(a->job)->parameters; p->name; p++)
                fprintf(output.stream, " %s=%" PRId64, p->name, mmm_job_get(a->job, p->name));
        fprintf(output.stream, "\"");
        for (int j = 0; j < mmm_quantity_count; j++) {
            mmm_amount x = mmm_quantity_of(&mmm_quantities[j], a);
            if (!mmm_quantities[j].column) continue;
            if (x.whole)
                fprintf(output.stream, ",%" PRId64, x.integer);
            else
                fprintf(output.stream, ",%.15g", x.real);
        }
        fprintf(output.stream, "\n");
    }
    TRY(mmm_output_commit(&output));
done:
    mmm_output_discard(&output);
    return result;
}
