/* SPDX-License-Identifier: Apache-2.0 */
/* Measuring the paper's tables again, one cell after the other; what is measured is kept at once. */
#include "study/reproduce.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { RUNS = 5 };

typedef struct reproduction {
    mmm_results results;
    const char *log; /* the path of reproduce.jsonl */
    double limit;
    int64_t done, cells;
    mmm_progress *progress;
    void *context;
} reproduction;

static mmm_status add(reproduction *x, const mmm_result *r)
{
    mmm_status result = mmm_grow(&x->results.list, &x->results.room, x->results.count + 1, sizeof *r);
    if (result == MMM_OK) x->results.list[x->results.count++] = *r;
    return result;
}

/* A line that does not read back is measured again. */
static mmm_status read_log(reproduction *x, const char *path)
{
    mmm_status result = MMM_OK;
    char *text = NULL, *rest;
    int64_t size;
    result = mmm_file_read(path, 1 << 26, &text, &size);
    if (result == MMM_IO) return MMM_OK; /* the first time */
    if (result != MMM_OK) return result;
    rest = text;
    for (char *line; (line = strsep(&rest, "\n"));) {
        mmm_result r = {0};
        const char *table, *machine, *note = "";
        json_int_t n, m, s;
        json_t *object = NULL;
        result = mmm_json_line(line, &object);
        if (object && json_unpack(object, "{s:s, s:I, s:I, s:I, s:s, s:F, s?s}", "table", &table, "n", &n, "m", &m, "s",
                                  &s, "machine", &machine, "seconds", &r.seconds, "note", &note) == 0) {
            snprintf(r.table, sizeof r.table, "%s", table);
            snprintf(r.machine, sizeof r.machine, "%s", machine);
            snprintf(r.note, sizeof r.note, "%s", note);
            r.n = n;
            r.m = m;
            r.s = s;
            result = add(x, &r);
        }
        json_decref(object);
        if (result != MMM_OK) break;
    }
    free(text);
    return result;
}

static mmm_status keep(reproduction *x, const mmm_result *r)
{
    mmm_status result = MMM_OK;
    json_t *object = json_pack("{s:s, s:I, s:I, s:I, s:s, s:f, s:s}", "table", r->table, "n", (json_int_t)r->n, "m",
                               (json_int_t)r->m, "s", (json_int_t)r->s, "machine", r->machine, "seconds", r->seconds,
                               "note", r->note);
    char *line = object ? json_dumps(object, JSON_COMPACT) : NULL;
    if (!line) FAIL(MMM_MEMORY, "no memory for a result");
    TRY(mmm_line_append(x->log, "", line));
    TRY(add(x, r));
done:
    free(line);
    json_decref(object);
    return result;
}

/* What a run of more terms would take at least: the time grows with n and m. */
static double at_least(const mmm_results *results, const mmm_result *wanted)
{
    double most = 0;
    for (int64_t i = 0; i < results->count; i++) {
        const mmm_result *r = &results->list[i];
        if (r->s == wanted->s && strcmp(r->table, wanted->table) == 0 && strcmp(r->machine, wanted->machine) == 0 &&
            r->n <= wanted->n && r->m <= wanted->m && r->seconds > most)
            most = r->seconds;
    }
    return most;
}

/* Runs a cell until RUNS times are there or the limit is reached; wrong results are an error, not a time. */
static mmm_status measure(reproduction *x, const mmm_table *t, mmm_machine *machine, mmm_result *r, double *flint)
{
    mmm_status result = MMM_OK;
    mmm_study *study = NULL;
    mmm_job *job = NULL;
    const mmm_trial *trial;
    const mmm_study_options options = {.machine = machine, .warm = 1, .repeat = RUNS, .limit = x->limit, .check = 1};
    TRY(mmm_study_new(&options, &study));
    TRY(mmm_job_new(t->app, &job));
    TRY(mmm_job_set(job, "n", r->n));
    TRY(mmm_job_set(job, "m", r->m));
    TRY(mmm_job_set(job, "s", r->s));
    result = mmm_study_add(study, job, &trial);
    job = NULL;
    TRY(result);
    if (trial->check == MMM_WRONG) FAIL(MMM_WRONG, "%s", trial->message);
    r->seconds = trial->median;
    *flint = trial->oracle;
done:
    mmm_job_free(job);
    mmm_study_free(study);
    return result;
}

static mmm_status do_cell(reproduction *x, const mmm_table *t, const mmm_table_row *row, int s, const char *name,
                          mmm_machine *machine)
{
    mmm_status result = MMM_OK;
    mmm_result r = {.n = row->n, .m = row->m, .s = s, .seconds = -1};
    double flint = -1;
    if (x->progress && x->progress(x->context, (double)x->done++ / (double)x->cells) != 0)
        FAIL(MMM_STOPPED, "stopped with %" PRId64 " results; the same command goes on from here", x->results.count);
    if (mmm_results_find(&x->results, t->id, row->n, row->m, s, name)) return MMM_OK;
    snprintf(r.table, sizeof r.table, "%s", t->id);
    snprintf(r.machine, sizeof r.machine, "%s", name);
    if (at_least(&x->results, &r) > x->limit) {
        snprintf(r.note, sizeof r.note, "left out: a smaller one took longer than %g s", x->limit);
        TRY(keep(x, &r));
        return MMM_OK;
    }
    mmm_status status = measure(x, t, machine, &r, &flint);
    if (status == MMM_TOO_LARGE)
        snprintf(r.note, sizeof r.note, "%.150s", mmm_message());
    else
        TRY(status);
    TRY(keep(x, &r));
    if (flint >= 0 && !mmm_results_find(&x->results, t->id, row->n, row->m, 0, "flint")) {
        r.s = 0;
        r.seconds = flint;
        r.note[0] = 0;
        snprintf(r.machine, sizeof r.machine, "flint");
        TRY(keep(x, &r));
    }
done:
    return result;
}

static mmm_status do_machine(reproduction *x, const char *name, int64_t largest)
{
    mmm_status result = MMM_OK;
    mmm_machine *machine = NULL;
    TRY(mmm_machine_open(name, &machine));
    for (int k = 0; k < mmm_table_count; k++) {
        const mmm_table *t = &mmm_tables[k];
        for (int r = 0; r < t->row_count; r++)
            for (int i = 0; i < VALUES_OF_S_MOST && t->s[i]; i++)
                if (!largest || t->rows[r].n <= largest) TRY(do_cell(x, t, &t->rows[r], t->s[i], name, machine));
    }
done:
    mmm_machine_free(machine);
    return result;
}

mmm_status mmm_reproduce(const char *folder, const char *const *machines, double limit, int64_t largest,
                         mmm_progress *progress, void *context)
{
    mmm_status result = MMM_OK;
    char path[4096];
    reproduction x = {.limit = limit, .progress = progress, .context = context};
    NEED(folder, "the folder of the tables");
    NEED(machines, "the array of names of machines");
    if (!(limit > 0) || largest < 0)
        FAIL(MMM_INVALID, "a limit of %g s and of %" PRId64 " terms: seconds above 0, and 0 or more terms", limit,
             largest);
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        FAIL(MMM_IO, "cannot make the folder '%.200s': %s", folder, strerror(errno));
    if (snprintf(path, sizeof path, "%s/reproduce.jsonl", folder) > 4000)
        FAIL(MMM_INVALID, "the name of the folder is too long");
    TRY(read_log(&x, path));
    FILE *stream = fopen(path, "a"); /* who cannot write says so before anything is measured */
    if (!stream) FAIL(MMM_IO, "cannot write '%.200s': %s", path, strerror(errno));
    fclose(stream);
    x.log = path;
    for (int j = 0; machines[j]; j++)
        for (int k = 0; k < mmm_table_count; k++)
            for (int r = 0; r < mmm_tables[k].row_count; r++)
                for (int i = 0; i < VALUES_OF_S_MOST && mmm_tables[k].s[i]; i++)
                    if (!largest || mmm_tables[k].rows[r].n <= largest) x.cells++;
    for (int j = 0; machines[j]; j++)
        TRY(do_machine(&x, machines[j], largest));
    TRY(mmm_results_write(&x.results, folder, machines, largest));
done:
    free(x.results.list);
    return result;
}
