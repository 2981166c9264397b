/* SPDX-License-Identifier: Apache-2.0 */
/* The paper's tables 1 and 2, and how results are set beside them. */
#include "study/reproduce.h"

#include <inttypes.h>
#include <string.h>

static const mmm_table_row multiplication[] = {
    {4000, 4000, {0.004107, 0.002775, 0.003727, 0.004811}}, {5000, 1000, {0.001684, 0.001204, 0.001432, 0.003645}},
    {5000, 5000, {0.008007, 0.005846, 0.007808, 0.011715}}, {6000, 1000, {0.001830, 0.001298, 0.001500, 0.004129}},
    {6000, 6000, {0.010359, 0.007614, 0.010166, 0.014352}}, {7000, 1000, {0.001972, 0.001381, 0.001614, 0.004551}},
    {7000, 7000, {0.013068, 0.008821, 0.012166, 0.016938}}, {8000, 1000, {0.002111, 0.001456, 0.001739, 0.005015}},
    {8000, 8000, {0.016029, 0.010853, 0.014877, 0.019740}},
};

static const mmm_table_row gcd[] = {
    {2000, 1500, {0.058, 0.024}}, {3000, 2500, {0.108, 0.039}}, {4000, 3500, {0.158, 0.053}},
    {5000, 4500, {0.203, 0.069}}, {6000, 5000, {0.235, 0.056}}, {7000, 6000, {0.282, 0.066}},
    {8000, 7000, {0.324, 0.076}}, {9000, 8000, {0.367, 0.087}}, {10000, 9000, {0.411, 0.097}},
};

static const mmm_table_row division[] = {
    {2000, 1000, {0}}, {3000, 1500, {0}}, {4000, 2000, {0}}, {5000, 2500, {0}},  {6000, 3000, {0}},
    {7000, 3500, {0}}, {8000, 4000, {0}}, {9000, 4500, {0}}, {10000, 5000, {0}},
};

static const int multiplication_s[] = {2, 4, 8, 16, 0}, gcd_s[] = {1, 512, 0}, none[] = {0};

#define ROWS(rows) rows, sizeof rows / sizeof *rows
const mmm_table mmm_tables[] = {
    {"table1",
     "Table 1: polynomial multiplication",
     "multiplication",
     multiplication_s,
     {2, 4, 8, 16},
     ROWS(multiplication)},
    {"table2", "Table 2: the Euclidean algorithm", "gcd", gcd_s, {1, 32, 64, 128, 256, 512}, ROWS(gcd)},
    {"division", "Division, in the shape of table 2", "division", none, {1, 32, 64, 128, 256, 512}, ROWS(division)},
};
const int mmm_table_count = sizeof mmm_tables / sizeof *mmm_tables;

const mmm_result *mmm_results_find(const mmm_results *results, const char *table, int64_t n, int64_t m, int64_t s,
                                   const char *machine)
{
    for (int64_t i = 0; i < results->count; i++) {
        const mmm_result *r = &results->list[i];
        if (r->n == n && r->m == m && r->s == s && strcmp(r->table, table) == 0 && strcmp(r->machine, machine) == 0)
            return r;
    }
    return NULL;
}

static void print_time(FILE *stream, const mmm_result *r, int width)
{
    if (r && r->seconds >= 0)
        fprintf(stream, " %*.3f", width, r->seconds * 1e3);
    else
        fprintf(stream, " %*s", width, "-");
}

/* The values of s that a table is printed with: the paper's, and the best. */
static const mmm_result *best_of(const mmm_results *results, const mmm_table *t, const mmm_table_row *row,
                                 const char *machine)
{
    const mmm_result *best = NULL;
    for (int i = 0; i < VALUES_OF_S_MOST && t->s[i]; i++) {
        const mmm_result *r = mmm_results_find(results, t->id, row->n, row->m, t->s[i], machine);
        if (r && r->seconds >= 0 && (!best || r->seconds < best->seconds)) best = r;
    }
    return best;
}

static void print_text(FILE *stream, const mmm_results *results, const char *const *machines, int64_t largest)
{
    for (int k = 0; k < mmm_table_count; k++) {
        const mmm_table *t = &mmm_tables[k];
        fprintf(stream, "%s%s; times in milliseconds\n", k ? "\n" : "", t->title);
        fprintf(stream, "%6s %6s", "n", "m");
        for (int i = 0; t->paper_s[i]; i++) {
            char head[24];
            snprintf(head, sizeof head, "paper s=%d", t->paper_s[i]);
            fprintf(stream, " %12s", head);
        }
        for (int j = 0; machines[j]; j++) {
            for (int i = 0; i < VALUES_OF_S_MOST && t->s[i]; i++) {
                char head[48];
                snprintf(head, sizeof head, "%s s=%d", machines[j], t->s[i]);
                fprintf(stream, " %15s", head);
            }
            fprintf(stream, " %7s", "best s");
        }
        fprintf(stream, " %9s\n", "FLINT");
        for (int r = 0; r < t->row_count; r++) {
            const mmm_table_row *row = &t->rows[r];
            if (largest && row->n > largest) continue;
            fprintf(stream, "%6" PRId64 " %6" PRId64, row->n, row->m);
            for (int i = 0; t->paper_s[i]; i++)
                fprintf(stream, " %12.3f", row->paper[i] * 1e3);
            for (int j = 0; machines[j]; j++) {
                for (int i = 0; i < VALUES_OF_S_MOST && t->s[i]; i++)
                    print_time(stream, mmm_results_find(results, t->id, row->n, row->m, t->s[i], machines[j]), 15);
                const mmm_result *best = best_of(results, t, row, machines[j]);
                fprintf(stream, " %7" PRId64, best ? best->s : 0);
            }
            print_time(stream, mmm_results_find(results, t->id, row->n, row->m, 0, "flint"), 9);
            fputc('\n', stream);
        }
    }
    fprintf(stream, "\nFLINT: its own best algorithm on one core. A missing time is explained in reproduce.json.\n");
}

static void print_csv(FILE *stream, const mmm_results *results)
{
    fprintf(stream, "table,n,m,s,machine,seconds\n");
    for (int k = 0; k < mmm_table_count; k++)
        for (int r = 0; r < mmm_tables[k].row_count; r++)
            for (int i = 0; mmm_tables[k].paper_s[i]; i++)
                fprintf(stream, "%s,%" PRId64 ",%" PRId64 ",%d,paper,%g\n", mmm_tables[k].id, mmm_tables[k].rows[r].n,
                        mmm_tables[k].rows[r].m, mmm_tables[k].paper_s[i], mmm_tables[k].rows[r].paper[i]);
    for (int64_t i = 0; i < results->count; i++) {
        const mmm_result *r = &results->list[i];
        if (r->seconds >= 0)
            fprintf(stream, "%s,%" PRId64 ",%" PRId64 ",%" PRId64 ",%s,%.9g\n", r->table, r->n, r->m, r->s, r->machine,
                    r->seconds);
    }
}

static json_t *json_of(const mmm_results *results)
{
    json_t *tables = json_array();
    for (int k = 0; k < mmm_table_count; k++) {
        const mmm_table *t = &mmm_tables[k];
        json_t *list = json_array();
        for (int r = 0; r < t->row_count; r++)
            for (int i = 0; t->paper_s[i]; i++)
                mmm_json_append(&list, json_pack("{s:I, s:I, s:i, s:s, s:f}", "n", (json_int_t)t->rows[r].n, "m",
                                                 (json_int_t)t->rows[r].m, "s", t->paper_s[i], "machine", "paper",
                                                 "seconds", t->rows[r].paper[i]));
        for (int64_t i = 0; i < results->count; i++) {
            const mmm_result *r = &results->list[i];
            if (strcmp(r->table, t->id) != 0) continue;
            json_t *entry = json_pack("{s:I, s:I, s:I, s:s}", "n", (json_int_t)r->n, "m", (json_int_t)r->m, "s",
                                      (json_int_t)r->s, "machine", r->machine);
            mmm_json_set(&entry, "seconds", r->seconds >= 0 ? json_real(r->seconds) : json_null());
            if (*r->note) mmm_json_set(&entry, "note", json_string(r->note));
            mmm_json_append(&list, entry);
        }
        mmm_json_append(&tables, json_pack("{s:s, s:s, s:s, s:o}", "table", t->id, "title", t->title, "app", t->app,
                                           "results", list));
    }
    return tables;
}

mmm_status mmm_results_write(const mmm_results *results, const char *folder, const char *const *machines,
                             int64_t largest)
{
    mmm_status result = MMM_OK;
    mmm_output output = {0};
    char path[4096];
    snprintf(path, sizeof path, "%s/reproduce.txt", folder);
    TRY(mmm_output_open(&output, path));
    print_text(output.stream, results, machines, largest);
    TRY(mmm_output_commit(&output));
    snprintf(path, sizeof path, "%s/reproduce.csv", folder);
    TRY(mmm_output_open(&output, path));
    print_csv(output.stream, results);
    TRY(mmm_output_commit(&output));
    snprintf(path, sizeof path, "%s/reproduce.json", folder);
    TRY(mmm_json_write(json_of(results), path, MMM_JSON_FORM));
done:
    mmm_output_discard(&output);
    return result;
}
