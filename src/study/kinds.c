/* SPDX-License-Identifier: Apache-2.0 */
/* Tuning by the workers of an engine: each kind of device that they have is tuned, and those of one kind share its
 * configurations.
 *
 * First every worker measures its share, once each.  What they found is put together, and one worker of the kind goes
 * on from there until one configuration stands out. */
#include "base/json.h"
#include "engine/engine.h"
#include "study/study.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROOM = 1 << 20, KINDS_MOST = 64 };

/* What a worker is told; then the results so far, as the task's own data. */
typedef struct words {
    int64_t kind, share, shares, last;
    int64_t max_runs, repeat, dry_run, exhaustive, keep, settings;
    double time_limit, within;
    char app[1024];
    struct {
        char name[32];
        int64_t value;
    } set[MMM_PARAMETERS_MOST];
} words;

/* What it answers: results in the T4 format, then a line for the wisdom. */
typedef struct answer {
    mmm_kind_tuning found;
    int64_t text_bytes, line_bytes;
    char text[ROOM];
} answer;

/* ---- A worker ------------------------------------------------------------------------------------------------------
 */

/* A folder of its own, which nobody else writes to, for results; they begin with what is known. */
static mmm_status open_results(const mmm_engine_task *task, char folder[32], char path[64])
{
    mmm_status result = MMM_OK;
    mmm_output output = {0};
    strcpy(folder, "/tmp/mmm-tune-XXXXXX");
    if (!mkdtemp(folder)) {
        folder[0] = 0;
        FAIL(MMM_IO, "no place for results in /tmp");
    }
    snprintf(path, 64, "%s/results.json", folder);
    if (!task->input_bytes) goto done;
    TRY(mmm_output_open(&output, path));
    fwrite(task->input, 1, task->input_bytes, output.stream);
    TRY(mmm_output_commit(&output));
done:
    mmm_output_discard(&output);
    return result;
}

static mmm_status make_job(const words *w, mmm_job **job)
{
    mmm_status result = MMM_OK;
    if (w->app[sizeof w->app - 1] || w->settings < 0 || w->settings > MMM_PARAMETERS_MOST)
        FAIL(MMM_INVALID, "tuning of what?");
    TRY(mmm_job_new(w->app, job));
    for (int i = 0; i < w->settings; i++) {
        if (w->set[i].name[sizeof w->set[i].name - 1]) FAIL(MMM_INVALID, "tuning of what size?");
        TRY(mmm_job_set(*job, w->set[i].name, w->set[i].value));
    }
done:
    return result;
}

static void keep_findings(const mmm_machine *machine, const mmm_tuning *t, mmm_kind_tuning *out)
{
    const mmm_candidate *c = &t->candidates[t->chosen];
    memcpy(out->values, c->values, sizeof out->values);
    out->best = c->best;
    out->predicted = c->prediction.estimate;
    out->runs = t->runs;
    out->executions = t->executions;
    out->ties = t->ties;
    out->doubtful = t->doubtful;
    out->end = t->end;
    for (int i = 0; i < t->count; i++)
        out->wrong |= t->candidates[i].invalidity == MMM_INVALIDITY_CORRECTNESS;
    snprintf(out->device, sizeof out->device, "%s", machine->device);
}

mmm_status mmm_perform_tune(mmm_worker *worker, const mmm_engine_data *shared, int shared_count,
                            const mmm_engine_task *task)
{
    mmm_status result = MMM_OK;
    const words *w = task->words;
    answer *to = task->output;
    char folder[32] = "", path[64] = "", *text = NULL, *line = NULL;
    int64_t size = 0;
    mmm_job *job = NULL;
    mmm_tuning t = {0};
    mmm_parameters parameters;
    (void)shared;
    if (task->words_bytes != sizeof *w || task->output_bytes != sizeof *to || shared_count)
        return mmm_fail(MMM_INVALID, "tuning of something else");
    if (w->share < 0 || w->shares < 1 || w->share >= w->shares) return mmm_fail(MMM_INVALID, "no such share");
    memset(to, 0, sizeof *to);
    TRY(open_results(task, folder, path));
    TRY(make_job(w, &job));
    TRY(mmm_parameters_of(worker->machine, &parameters, NULL));
    const mmm_tune_options options = {.max_runs = w->max_runs,
                                      .time_limit = w->time_limit,
                                      .repeat = (int)w->repeat,
                                      .dry_run = (int)w->dry_run,
                                      .keep = (int)w->keep,
                                      .exhaustive = (int)w->exhaustive,
                                      .within = w->within,
                                      .results = path};
    const mmm_share share = {.number = (int)w->share, .of = (int)w->shares, .last = w->last != 0, .line = &line};
    TRY(mmm_tune_share(job, worker->machine, &parameters, &options, &mmm_clock_real, &share, &t));
    keep_findings(worker->machine, &t, &to->found);
    TRY(mmm_file_read(path, ROOM / 2, &text, &size));
    memcpy(to->text, text, (size_t)size);
    to->text_bytes = size;
    to->line_bytes = line ? (int64_t)strlen(line) : 0;
    if (to->text_bytes + to->line_bytes >= ROOM) FAIL(MMM_TOO_LARGE, "results of more than %d bytes", ROOM);
    if (line) memcpy(to->text + size, line, strlen(line));
done:
    if (path[0]) unlink(path);
    if (folder[0]) rmdir(folder);
    free(text);
    free(line);
    mmm_tuning_free(&t);
    mmm_job_free(job);
    return result;
}

/* ---- Rank 0 --------------------------------------------------------------------------------------------------------
 */

/* Measured, or found to fail when it ran. */
static bool has_news(const json_t *entry)
{
    const char *invalidity = json_string_value(json_object_get(entry, "invalidity"));
    return json_array_size(json_object_get(json_object_get(entry, "times"), "runtimes")) > 0 ||
           (invalidity && (strcmp(invalidity, "runtime") == 0 || strcmp(invalidity, "correctness") == 0 ||
                           strcmp(invalidity, "compile") == 0));
}

/* Adds what another worker measured to the results of one. */
static mmm_status merge(json_t *into, const answer *a)
{
    mmm_status result = MMM_OK;
    json_t *root = NULL, *mine = json_object_get(into, "results"), *theirs, *entry;
    size_t i, k;
    TRY(mmm_json_read("results of a worker", a->text, a->text_bytes, 0, &root));
    theirs = json_object_get(root, "results");
    json_array_foreach(theirs, i, entry)
    {
        if (!has_news(entry)) continue;
        for (k = 0; k < json_array_size(mine); k++)
            if (json_equal(json_object_get(json_array_get(mine, k), "configuration"),
                           json_object_get(entry, "configuration")))
                json_array_set(mine, k, entry);
    }
done:
    json_decref(root);
    return result;
}

/* The workers of a kind. */
typedef struct group {
    int workers[1024], count;
} group;

static int group_workers(const mmm_engine *engine, group *groups, mmm_kind_tuning *kinds)
{
    int count = 0;
    for (int i = 0; i < engine->workers; i++) {
        const mmm_engine_place *p = engine->plugin->place(engine->state, i);
        int k = 0;
        while (k < count && strcmp(kinds[k].device, p->device) != 0)
            k++;
        if (k == KINDS_MOST || groups[k].count == 1024) continue;
        if (k == count) {
            snprintf(kinds[k].device, sizeof kinds[k].device, "%s", p->device);
            snprintf(kinds[k].machine, sizeof kinds[k].machine, "%s", p->machine);
            count++;
        }
        groups[k].workers[groups[k].count++] = i;
    }
    return count;
}

static void describe(const mmm_job *job, const char *app, const mmm_tune_options *o, words *w)
{
    *w = (words){.kind = MMM_KIND_TUNE,
                 .shares = 1,
                 .max_runs = o->max_runs,
                 .repeat = o->repeat,
                 .dry_run = o->dry_run,
                 .exhaustive = o->exhaustive,
                 .keep = o->keep,
                 .time_limit = o->time_limit,
                 .within = o->within};
    snprintf(w->app, sizeof w->app, "%s", app);
    for (int i = 0; i < MMM_PARAMETERS_MOST && job->app->parameters[i].name; i++)
        if (job->set[i]) {
            snprintf(w->set[w->settings].name, sizeof w->set[0].name, "%s", job->app->parameters[i].name);
            w->set[w->settings++].value = job->values[i];
        }
}

/* One task for each worker of each kind, or for the first of each. */
static mmm_status run_round(mmm_engine *engine, const words *all, const group *groups, int kinds, bool last,
                            char *const *inputs, answer *answers, words *own, mmm_engine_task *tasks)
{
    int count = 0;
    for (int k = 0; k < kinds; k++)
        for (int i = 0; i < (last ? 1 : groups[k].count); i++, count++) {
            own[count] = *all;
            own[count].share = i;
            own[count].shares = last ? 1 : groups[k].count;
            own[count].last = last;
            tasks[count] = (mmm_engine_task){.words = &own[count],
                                             .words_bytes = sizeof *own,
                                             .input = inputs ? inputs[k] : NULL,
                                             .input_bytes = inputs ? strlen(inputs[k]) : 0,
                                             .output = &answers[count],
                                             .output_bytes = sizeof *answers,
                                             .worker = groups[k].workers[i]};
        }
    return mmm_engine_run(engine, NULL, 0, tasks, count);
}

/* FILE for one kind, FILE-1, FILE-2, ... before its ending for several. */
static void file_of(const char *results, int kind, int kinds, char *path, size_t size)
{
    const char *dot = strrchr(results, '.');
    if (!dot || strchr(dot, '/')) dot = results + strlen(results);
    if (kinds == 1 || strcmp(results, "-") == 0)
        snprintf(path, size, "%s", results);
    else
        snprintf(path, size, "%.*s-%d%s", (int)(dot - results), results, kind + 1, dot);
}

static mmm_status write_text(const char *path, const char *text, int64_t bytes)
{
    mmm_status result = MMM_OK;
    mmm_output output = {0};
    TRY(mmm_output_open(&output, path));
    if (fwrite(text, 1, (size_t)bytes, output.stream) != (size_t)bytes) FAIL(MMM_IO, "cannot write '%.200s'", path);
    TRY(mmm_output_commit(&output));
done:
    mmm_output_discard(&output);
    return result;
}

mmm_status mmm_tune_kinds(mmm_engine *engine, const char *app, const mmm_job *job, const mmm_tune_options *options,
                          mmm_kind_tuning **out, int *count)
{
    mmm_status result = MMM_OK;
    group *groups = NULL;
    mmm_kind_tuning *kinds = NULL;
    answer *answers = NULL;
    words all, *own = NULL;
    mmm_engine_task *tasks = NULL;
    char *texts[KINDS_MOST] = {0}, path[4096];
    json_t *root = NULL;
    int found = 0, at = 0;
    NEED(engine, "the engine");
    NEED(app, "the name of an application");
    NEED(job, "the job");
    NEED(options, "the options of tuning");
    NEED(out, "the place for what tuning finds");
    NEED(count, "the place for the number of kinds");
    if (engine->rank) return mmm_fail(MMM_INVALID, "rank %d of an engine serves: rank 0 leads", engine->rank);
    if (strlen(app) >= sizeof all.app) FAIL(MMM_INVALID, "the name of the application is too long");
    TRY(mmm_alloc(&groups, KINDS_MOST + 1, sizeof *groups));
    TRY(mmm_alloc(&kinds, KINDS_MOST + 1, sizeof *kinds));
    found = group_workers(engine, groups, kinds);
    TRY(mmm_alloc(&answers, engine->workers, sizeof *answers));
    TRY(mmm_alloc(&own, engine->workers, sizeof *own));
    TRY(mmm_alloc(&tasks, engine->workers, sizeof *tasks));
    describe(job, app, options, &all);
    TRY(run_round(engine, &all, groups, found, false, NULL, answers, own, tasks));
    for (int k = 0; k < found; k++) {
        for (int i = 0; i < groups[k].count; i++, at++) {
            kinds[k].runs += answers[at].found.runs;
            kinds[k].executions += answers[at].found.executions;
            kinds[k].wrong |= answers[at].found.wrong;
            if (i == 0)
                TRY(mmm_json_read("results of a worker", answers[at].text, answers[at].text_bytes, 0, &root));
            else
                TRY(merge(root, &answers[at]));
        }
        texts[k] = json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
        json_decref(root);
        root = NULL;
        if (!texts[k]) FAIL(MMM_MEMORY, "no memory for the results of tuning");
    }
    TRY(run_round(engine, &all, groups, found, true, texts, answers, own, tasks));
    for (int k = 0; k < found; k++) {
        const mmm_kind_tuning before = kinds[k];
        kinds[k] = answers[k].found;
        strcpy(kinds[k].machine, before.machine);
        kinds[k].workers = groups[k].count;
        kinds[k].runs += before.runs;
        kinds[k].executions += before.executions;
        kinds[k].wrong |= before.wrong;
        if (options->results) {
            file_of(options->results, k, found, path, sizeof path);
            snprintf(kinds[k].results, sizeof kinds[k].results, "%.*s", (int)sizeof kinds[k].results - 1, path);
            TRY(write_text(path, answers[k].text, answers[k].text_bytes));
        }
        if (answers[k].line_bytes) {
            answers[k].text[answers[k].text_bytes + answers[k].line_bytes] = 0;
            if (mmm_wisdom_append(answers[k].text + answers[k].text_bytes) != MMM_OK)
                mmm_note("the choice is not kept: %s", mmm_message());
        }
    }
    *out = kinds;
    *count = found;
    kinds = NULL;
done:
    for (int k = 0; k < found; k++)
        free(texts[k]);
    json_decref(root);
    free(groups);
    free(kinds);
    free(answers);
    free(own);
    free(tasks);
    return result;
}
