/* SPDX-License-Identifier: Apache-2.0 */
/* Factors of kernels on a GPU from times that were measured before, a file of lines "app,size,choice,seconds". */
#include "study/runs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { APPS_MOST = 64, SETS_MOST = 64, FIELDS = 4, TEXT = 120 };

mmm_status mmm_runs_judge(const mmm_runs *runs, const mmm_factors *factors, mmm_runs_verdict *out)
{
    mmm_status result = MMM_OK;
    double *estimates = NULL;
    int sets = 0, counted = 0;
    *out = (mmm_runs_verdict){0};
    TRY(mmm_alloc(&estimates, runs->count, sizeof *estimates));
    for (int64_t i = 0; i < runs->count; i++) {
        TRY(mmm_run_estimate(runs, &runs->all[i], factors, &estimates[i]));
        if (runs->all[i].set >= sets) sets = runs->all[i].set + 1;
    }
    for (int set = 0; set < sets; set++) {
        double least = INFINITY, first = INFINITY, chosen = 0, errors = 0;
        int near = 0;
        for (int64_t i = 0; i < runs->count; i++) {
            if (runs->all[i].set != set) continue;
            least = fmin(least, runs->all[i].seconds);
            if (estimates[i] < first) first = estimates[i], chosen = runs->all[i].seconds;
        }
        for (int64_t i = 0; i < runs->count; i++) {
            const double seconds = runs->all[i].seconds;
            if (runs->all[i].set != set || seconds > 2 * least) continue;
            errors += fabs(estimates[i] / seconds - 1);
            near++;
        }
        if (!near) continue;
        out->chosen += log(chosen / least);
        out->error += errors / near;
        counted++;
    }
    if (counted) out->chosen /= counted, out->error /= counted;
done:
    free(estimates);
    return result;
}

/* Where the factors that the machine has of the application are better on the runs in both ways, they stay. */
static mmm_status keep_better(const mmm_runs *runs, mmm_factors *new)
{
    mmm_status result = MMM_OK;
    mmm_factors *known = NULL;
    mmm_runs_verdict before, after;
    TRY(mmm_alloc(&known, MMM_CODES_MOST, sizeof *known));
    for (int c = 0; c < runs->code_count; c++) {
        const mmm_factors *f = mmm_gpu_factors_of(&runs->machine[0], runs->app, runs->codes[c], runs->features[c]);
        if (!f) goto done;
        known[c] = *f;
    }
    TRY(mmm_runs_judge(runs, known, &before));
    TRY(mmm_runs_judge(runs, new, &after));
    if (before.chosen <= after.chosen && before.error <= after.error)
        memcpy(new, known, (size_t)runs->code_count * sizeof *new);
done:
    free(known);
    return result;
}

mmm_status mmm_runs_learn(const mmm_runs *runs, mmm_parameters *machine, mmm_factors *table)
{
    mmm_status result = MMM_OK;
    mmm_factors *new = NULL;
    TRY(mmm_alloc(&new, MMM_CODES_MOST, sizeof *new));
    TRY(mmm_runs_fit(runs, -1, &mmm_freedom_usual, new));
    TRY(keep_better(runs, new));
    int count = mmm_factors_of_others(machine, runs->app, table);
    for (int c = 0; c < runs->code_count && count < MMM_FACTORS_MOST; c++)
        table[count++] = new[c];
    machine->factors = table;
    machine->factor_count = count;
done:
    free(new);
    return result;
}

/* A file of times, line by line. */
typedef struct times {
    const char *path;
    char *text, *at;
    int64_t size, line;
    char field[FIELDS][TEXT];
} times;

/* The next line; *more is false behind the last. */
static mmm_status next_line(times *t, bool *more)
{
    mmm_status result = MMM_OK;
    *more = t->at < t->text + t->size;
    if (!*more) return MMM_OK;
    t->line++;
    for (int i = 0; i < FIELDS; i++) {
        const size_t length = strcspn(t->at, ",\n");
        const bool last = t->at[length] != ',';
        if (length >= TEXT || (last && i + 1 < FIELDS))
            FAIL(MMM_INVALID,
                 "'%.200s', line %lld: an application, a size, choices and seconds are expected, as in "
                 "gcd,n=4000 m=3500,s=64,0.00125",
                 t->path, (long long)t->line);
        snprintf(t->field[i], TEXT, "%.*s", (int)length, t->at);
        t->at += length + !last;
    }
    t->at += strcspn(t->at, "\n");
    t->at += *t->at == '\n';
done:
    return result;
}

static mmm_status begin(times *t)
{
    bool more;
    t->at = t->text;
    t->line = 0;
    return next_line(t, &more); /* the heads */
}

/* The run of a line. */
static mmm_status add_line(const times *t, const mmm_app *app, int set, mmm_runs *runs)
{
    mmm_status result = MMM_OK;
    char settings[2 * TEXT];
    mmm_job *job = NULL, *sketch = NULL;
    bool exists;
    const double seconds = atof(t->field[3]);
    if (!(seconds > 0) || !isfinite(seconds))
        FAIL(MMM_INVALID, "'%.200s', line %lld: '%s' are no seconds", t->path, (long long)t->line, t->field[3]);
    snprintf(settings, sizeof settings, "%s %s", t->field[1], t->field[2]);
    result = mmm_calibration_job(app, settings, 0, 1, false, &job, &exists);
    if (result == MMM_OK) result = mmm_job_sketch_of(job, &sketch);
    if (result == MMM_OK) result = mmm_runs_add(runs, sketch, set, seconds);
    if (result == MMM_INVALID) {
        char why[400];
        snprintf(why, sizeof why, "%s", mmm_message());
        FAIL(MMM_INVALID, "'%.200s', line %lld: %s", t->path, (long long)t->line, why);
    }
done:
    mmm_job_free(sketch);
    mmm_job_free(job);
    return result == MMM_TOO_LARGE ? MMM_OK : result; /* it cannot be predicted, either */
}

/* What the times tell of one application, whose lines are counted in *done. */
static mmm_status learn(times *t, const char *name, int64_t lines, int64_t *done, mmm_progress *progress, void *context,
                        mmm_parameters *machine, mmm_factors *table)
{
    mmm_status result = MMM_OK;
    const mmm_app *app;
    mmm_runs runs = {.count = 0};
    char sizes[SETS_MOST][TEXT];
    int count = 0;
    bool more;
    TRY(mmm_app_open(name, &app));
    mmm_runs_begin(&runs, app->name, machine);
    TRY(begin(t));
    for (;;) {
        int set = 0;
        TRY(next_line(t, &more));
        if (!more) break;
        if (strcmp(t->field[0], name) != 0) continue;
        while (set < count && strcmp(sizes[set], t->field[1]) != 0)
            set++;
        if (set == SETS_MOST) FAIL(MMM_TOO_LARGE, "'%.200s': more than %d sizes of %s", t->path, SETS_MOST, name);
        if (set == count) memcpy(sizes[count++], t->field[1], TEXT);
        TRY(add_line(t, app, set, &runs));
        if (progress && progress(context, (double)++*done / (double)lines))
            FAIL(MMM_STOPPED, "calibration was stopped");
    }
    TRY(mmm_runs_learn(&runs, machine, table));
done:
    mmm_runs_free(&runs);
    return result;
}

/* The applications of the lines, of one alone where `only` names it, and how many lines they have. */
static mmm_status list(times *t, const char *only, char names[APPS_MOST][TEXT], int *count, int64_t *lines)
{
    mmm_status result = MMM_OK;
    bool more;
    TRY(begin(t));
    for (;;) {
        int i = 0;
        TRY(next_line(t, &more));
        if (!more) break;
        if (only && strcmp(only, t->field[0]) != 0) continue;
        while (i < *count && strcmp(names[i], t->field[0]) != 0)
            i++;
        if (i == APPS_MOST) FAIL(MMM_TOO_LARGE, "'%.200s': more than %d applications", t->path, APPS_MOST);
        if (i == *count) memcpy(names[(*count)++], t->field[0], TEXT);
        ++*lines;
    }
    if (!*count) FAIL(MMM_INVALID, "'%.200s' has no times of %s", t->path, only ? only : "any application");
done:
    return result;
}

static mmm_status machine_text(const char *machine, char **copy, const char **text, int64_t *size)
{
    *text = mmm_parameters_text(machine);
    if (*text) {
        *size = (int64_t)strlen(*text);
        return MMM_OK;
    }
    MMM_TRY(mmm_file_read(machine, 16 << 20, copy, size));
    *text = *copy;
    return MMM_OK;
}

mmm_status mmm_calibrate_from(const char *machine, const char *path_of_times, const char *app, mmm_progress *progress,
                              void *context, const char *path, mmm_parameters *out)
{
    mmm_status result = MMM_OK;
    char *copy = NULL;
    const char *text;
    char names[APPS_MOST][TEXT];
    int64_t size, lines = 0, done = 0;
    int count = 0;
    mmm_factors *table = NULL;
    NEED(machine, "the machine");
    NEED(path_of_times, "the file of times");
    NEED(path, "the place for the file of the machine");
    NEED(out, "the place for the parameters of a machine");
    times t = {.path = path_of_times};
    mmm_parameters p;
    TRY(mmm_parameters_read(machine, &p));
    if (!mmm_has_gpu(&p))
        FAIL(MMM_INVALID, "machine %s has no constants of a GPU, which times of programs are compared with", p.name);
    TRY(machine_text(machine, &copy, &text, &size));
    TRY(mmm_path_check(path));
    TRY(mmm_file_read(path_of_times, 64 << 20, &t.text, &t.size));
    TRY(mmm_alloc(&table, MMM_FACTORS_MOST, sizeof *table));
    TRY(list(&t, app, names, &count, &lines));
    for (int i = 0; i < count; i++)
        TRY(learn(&t, names[i], lines, &done, progress, context, &p, table));
    TRY(mmm_machine_file_with(machine, text, size, NULL, &p, path));
    TRY(mmm_factors_keep(&p));
    *out = p;
done:
    free(t.text);
    free(table);
    free(copy);
    return result;
}
