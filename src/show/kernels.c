/* SPDX-License-Identifier: Apache-2.0 */
/* What each kernel of a program costs; kernels in a row with the same name, threads and local memory are one line. */
#include "show/show.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct run {
    mmm_kernel_info info; /* sums and largest values over the calls */
    int64_t least_blocks, most_blocks;
    int first, calls;
    bool data; /* nobody said how much local memory it uses */
    mmm_traffic traffic;
    bool traffic_known;
} run;

static bool joins(const run *r, const mmm_kernel_info *k)
{
    return strcmp(r->info.name, k->name) == 0 && r->info.threads == k->threads && r->info.local_words == k->local_words;
}

static int64_t larger(int64_t x, int64_t y)
{
    return x > y ? x : y;
}

static mmm_status join(run *r, const mmm_kernel_info *k)
{
    mmm_kernel_info *sum = &r->info;
    if (__builtin_add_overflow(sum->work, k->work, &sum->work) ||
        __builtin_add_overflow(sum->all_reads, k->all_reads, &sum->all_reads) ||
        __builtin_add_overflow(sum->all_writes, k->all_writes, &sum->all_writes))
        return mmm_fail(MMM_TOO_LARGE, "work or overhead of the kernels '%.100s' passes 2^63 - 1", k->name);
    sum->seconds += k->seconds;
    sum->span = larger(sum->span, k->span);
    sum->words = larger(sum->words, k->words);
    r->most_blocks = larger(r->most_blocks, k->blocks);
    if (k->blocks < r->least_blocks) r->least_blocks = k->blocks;
    r->calls++;
    return MMM_OK;
}

static void join_traffic(run *r, const mmm_node *node)
{
    r->traffic_known = node->traffic != NULL;
    if (node->traffic) mmm_traffic_add(&r->traffic, node->traffic);
}

static mmm_status find_runs(const mmm_program *program, run **runs, int64_t *count)
{
    mmm_status result = MMM_OK;
    int64_t room = 0;
    *runs = NULL;
    *count = 0;
    for (int k = 0; k < mmm_program_kernels(program); k++) {
        mmm_kernel_info info;
        TRY(mmm_program_kernel(program, k, &info));
        if (*count && joins(&(*runs)[*count - 1], &info)) {
            TRY(join(&(*runs)[*count - 1], &info));
            join_traffic(&(*runs)[*count - 1], &program->nodes[k]);
            continue;
        }
        TRY(mmm_grow(runs, &room, *count + 1, sizeof **runs));
        (*runs)[(*count)++] = (run){.info = info,
                                    .least_blocks = info.blocks,
                                    .most_blocks = info.blocks,
                                    .first = k,
                                    .calls = 1,
                                    .data = !program->nodes[k].code && !info.local_words};
        join_traffic(&(*runs)[*count - 1], &program->nodes[k]);
    }
done:
    return result;
}

static double overhead(const mmm_analysis *a, const run *r)
{
    return ((double)r->info.all_reads + (double)r->info.all_writes) * a->machine.U;
}

static double share(const mmm_analysis *a, const run *r)
{
    return a->measures.work ? (double)r->info.work / (double)a->measures.work : 0;
}

static void fill_row(const mmm_analysis *a, const run *r, mmm_row *row)
{
    char text[MMM_CELL];
    mmm_row_text(row, r->info.name);
    mmm_row_integer(row, r->calls);
    if (r->least_blocks == r->most_blocks)
        mmm_row_integer(row, r->most_blocks);
    else {
        snprintf(text, sizeof text, "%" PRId64 "-%" PRId64, r->least_blocks, r->most_blocks);
        mmm_row_text(row, text);
    }
    mmm_row_integer(row, r->info.threads);
    mmm_row_integer(row, r->info.work);
    mmm_row_integer(row, r->info.span);
    mmm_row_integer(row, r->info.words);
    mmm_row_number(row, overhead(a, r));
    snprintf(text, sizeof text, "%.1f", 100 * share(a, r));
    mmm_row_text(row, text);
    if (r->data)
        mmm_row_text(row, "-");
    else
        mmm_row_integer(row, r->info.local_words);
    if (!(a->measured > 0)) return;
    mmm_seconds_text(r->info.seconds, text, sizeof text);
    mmm_row_text(row, text);
}

static void row_percent(mmm_row *row, double share)
{
    char text[MMM_CELL];
    snprintf(text, sizeof text, "%.1f", 100 * share);
    mmm_row_text(row, text);
}

static double per(int64_t x, int64_t y)
{
    return y ? (double)x / (double)y : 0;
}

/* Columns of traffic; with no traffic, their heads.  Kinds of operations that do not occur have none. */
static void traffic_row(const mmm_traffic *t, const mmm_traffic *all, mmm_row *row)
{
    static const char *const heads[] = {"issued", "turns",          "lanes %", "requests", "sectors",
                                        "lines",  "local requests", "passes",  "private",  "footprint"};
    for (int i = 0; i < MMM_OPERATION_KINDS; i++) {
        if (!all->operations[i]) continue;
        if (t)
            mmm_row_integer(row, t->operations[i]);
        else
            mmm_row_text(row, mmm_operation_kind_name((mmm_operation_kind)i));
    }
    if (all->reductions) {
        if (t)
            mmm_row_integer(row, t->reductions);
        else
            mmm_row_text(row, "reductions");
    }
    for (size_t i = 0; !t && i < sizeof heads / sizeof *heads; i++)
        mmm_row_text(row, heads[i]);
    if (!t) return;
    mmm_row_integer(row, t->issued);
    mmm_row_integer(row, t->turns);
    row_percent(row, per(t->threads, 32 * t->turns));
    mmm_row_integer(row, t->requests);
    mmm_row_integer(row, t->sectors);
    mmm_row_integer(row, t->lines);
    mmm_row_integer(row, t->local_requests);
    mmm_row_integer(row, t->passes);
    mmm_row_integer(row, t->private_words);
    mmm_row_integer(row, t->footprint);
}

static mmm_status print_traffic(const run *runs, int64_t count, FILE *stream)
{
    mmm_status result = MMM_OK;
    mmm_traffic all = {0};
    mmm_row *rows = NULL;
    TRY(mmm_alloc(&rows, count + 1, sizeof *rows));
    for (int64_t i = 0; i < count; i++)
        mmm_traffic_add(&all, &runs[i].traffic);
    mmm_row_text(&rows[0], "kernel");
    traffic_row(NULL, &all, &rows[0]);
    for (int64_t i = 0; i < count; i++) {
        mmm_row_text(&rows[i + 1], runs[i].info.name);
        traffic_row(&runs[i].traffic, &all, &rows[i + 1]);
    }
    fprintf(stream,
            "\ngroups of 32 threads: operations by kind, what they issue, sectors of 32 and lines of 128 bytes in "
            "global memory, passes of 32 banks in local memory\n");
    mmm_table_print(stream, rows, count + 1, true);
done:
    free(rows);
    return result;
}

static mmm_status print_regions(const mmm_counts *counts, FILE *stream)
{
    static const char *const heads[] = {"kernel",  "line",      "turns",          "lanes %", "requests",
                                        "sectors", "a request", "local requests", "passes",  "a request"};
    mmm_status result = MMM_OK;
    mmm_row *rows = NULL;
    char text[MMM_CELL];
    TRY(mmm_alloc(&rows, counts->region_count + 1, sizeof *rows));
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        mmm_row_text(&rows[0], heads[i]);
    for (int64_t i = 0; i < counts->region_count; i++) {
        const mmm_region_traffic *r = &counts->regions[i];
        const mmm_traffic *t = &r->traffic;
        mmm_row *row = &rows[i + 1];
        mmm_row_text(row, r->kernel);
        mmm_row_integer(row, r->line);
        mmm_row_integer(row, t->turns);
        row_percent(row, per(t->threads, 32 * t->turns));
        mmm_row_integer(row, t->requests);
        mmm_row_integer(row, t->sectors);
        snprintf(text, sizeof text, "%.2f", per(t->sectors, t->requests));
        mmm_row_text(row, text);
        mmm_row_integer(row, t->local_requests);
        mmm_row_integer(row, t->passes);
        snprintf(text, sizeof text, "%.2f", per(t->passes, t->local_requests));
        mmm_row_text(row, text);
    }
    fprintf(stream, "\nregions\n");
    mmm_table_print(stream, rows, counts->region_count + 1, true);
done:
    free(rows);
    return result;
}

mmm_status mmm_kernels_text(const mmm_analysis *a, FILE *stream)
{
    static const char *const heads[] = {"kernel",     "calls", "blocks", "threads", "W",       "largest S",
                                        "alpha+beta", "O",     "% of W", "local",   "measured"};
    mmm_status result = MMM_OK;
    run *runs = NULL;
    mmm_row *rows = NULL;
    int64_t count = 0;
    TRY(find_runs(a->listed, &runs, &count));
    TRY(mmm_alloc(&rows, count + 1, sizeof *rows));
    for (size_t i = 0; i + !(a->measured > 0) < sizeof heads / sizeof *heads; i++)
        mmm_row_text(&rows[0], heads[i]);
    for (int64_t i = 0; i < count; i++)
        fill_row(a, &runs[i], &rows[i + 1]);
    mmm_table_print(stream, rows, count + 1, true);
    if (count && runs[0].traffic_known) TRY(print_traffic(runs, count, stream));
    if (a->counts && a->counts->traffic) TRY(print_regions(a->counts, stream));
done:
    free(runs);
    free(rows);
    return result;
}

static json_t *traffic_json(const mmm_traffic *t)
{
    json_t *kinds = json_object();
    for (int i = 0; i < MMM_OPERATION_KINDS; i++)
        if (t->operations[i])
            mmm_json_set(&kinds, mmm_operation_kind_name((mmm_operation_kind)i), json_integer(t->operations[i]));
    return json_pack("{s:I, s:I, s:I, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "turns",
                     (json_int_t)t->turns, "threads", (json_int_t)t->threads, "partial", (json_int_t)t->partial,
                     "operations", kinds, "reductions", (json_int_t)t->reductions, "issued", (json_int_t)t->issued,
                     "requests", (json_int_t)t->requests, "sectors", (json_int_t)t->sectors, "lines",
                     (json_int_t)t->lines, "local_requests", (json_int_t)t->local_requests, "passes",
                     (json_int_t)t->passes, "words_most", (json_int_t)t->words_most, "local_most",
                     (json_int_t)t->local_most, "private_words", (json_int_t)t->private_words, "footprint",
                     (json_int_t)t->footprint);
}

json_t *mmm_regions_json(const mmm_counts *counts)
{
    json_t *list = json_array();
    for (int64_t i = 0; i < counts->region_count; i++)
        mmm_json_append(&list,
                        json_pack("{s:s, s:i, s:o}", "kernel", counts->regions[i].kernel, "line",
                                  counts->regions[i].line, "traffic", traffic_json(&counts->regions[i].traffic)));
    return list;
}

mmm_status mmm_kernels_json(const mmm_analysis *a, json_t **out)
{
    mmm_status result = MMM_OK;
    run *runs = NULL;
    int64_t count = 0;
    json_t *list = json_array();
    TRY(find_runs(a->listed, &runs, &count));
    for (int64_t i = 0; i < count; i++) {
        const run *r = &runs[i];
        json_t *object = json_pack(
            "{s:s, s:i, s:i, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:o}", "name", r->info.name, "first", r->first,
            "calls", r->calls, "blocks_least", (json_int_t)r->least_blocks, "blocks_most", (json_int_t)r->most_blocks,
            "threads", (json_int_t)r->info.threads, "work", (json_int_t)r->info.work, "span", (json_int_t)r->info.span,
            "words", (json_int_t)r->info.words, "overhead", mmm_json_number(overhead(a, r)), "work_share",
            mmm_json_number(share(a, r)), "local_words", r->data ? json_null() : json_integer(r->info.local_words));
        if (r->info.seconds > 0) mmm_json_set(&object, "measured_seconds", mmm_json_number(r->info.seconds));
        if (r->traffic_known) mmm_json_set(&object, "traffic", traffic_json(&r->traffic));
        if (json_array_append_new(list, object) != 0)
            FAIL(MMM_INVALID, "kernel %d has a name that is not UTF-8, or there is no memory", r->first);
    }
    *out = list;
    list = NULL;
done:
    json_decref(list);
    free(runs);
    return result;
}
