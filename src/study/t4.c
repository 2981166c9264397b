/* SPDX-License-Identifier: Apache-2.0 */
/* Tuning results in the T4 format (schema 1.1.0), from which an interrupted tuning goes on. */
#include "base/json.h"
#include "study/study.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static json_t *measurement(const char *name, double value, const char *unit)
{
    return json_pack("{s:s,s:f,s:s}", "name", name, "value", value, "unit", unit);
}

static json_t *configuration_of(const mmm_job *job, const mmm_candidate *c)
{
    int numbers[MMM_CHOICES_MOST], count = mmm_app_choices(job->app, numbers);
    json_t *object = json_object();
    for (int i = 0; i < count; i++)
        mmm_json_set(&object, job->app->parameters[numbers[i]].name, json_integer(c->values[i]));
    return object;
}

static json_t *metadata_of(const mmm_job *job, const mmm_machine *machine)
{
    json_t *size = json_object();
    for (int i = 0; i < MMM_PARAMETERS_MOST && job->app->parameters[i].name; i++)
        if (job->app->parameters[i].role != MMM_CHOICE)
            mmm_json_set(&size, job->app->parameters[i].name, json_integer(job->values[i]));
    return json_pack("{s:s,s:s,s:o,s:s,s:s}", "tuner", "mmm " MMM_VERSION, "application", job->app->name, "size", size,
                     "device", machine->device, "time_unit", "seconds");
}

static json_t *result_of(const mmm_job *job, const mmm_candidate *c, const char *date)
{
    json_t *times = json_array(), *measurements = json_array(), *result;
    const mmm_analysis predicted = {.measures = c->prediction.measures};
    bool pruned = c->reason[0];
    for (int i = 0; i < c->time_count; i++)
        mmm_json_append(&times, json_real(c->times[i]));
    if (c->best > 0) mmm_json_append(&measurements, measurement("time", c->best, "seconds"));
    if (!pruned || c->prediction.estimate > 0) {
        mmm_json_append(&measurements, measurement("predicted", c->prediction.estimate, "seconds"));
        mmm_json_append(&measurements, measurement("extended_bound", c->prediction.extended, "seconds"));
        mmm_json_append(&measurements, measurement("bound", c->prediction.plain, "seconds"));
        for (int i = 0; i < mmm_quantity_count; i++)
            if (mmm_quantities[i].predicted)
                mmm_json_append(&measurements,
                                measurement(mmm_quantities[i].head,
                                            mmm_quantity_of(&mmm_quantities[i], &predicted).real, "operations"));
    }
    result =
        json_pack("{s:s,s:o,s:{s:o},s:s,s:i,s:o,s:[s]}", "timestamp", date, "configuration", configuration_of(job, c),
                  "times", "runtimes", times, "invalidity", mmm_invalidity_name(c->invalidity), "correctness",
                  c->best > 0, "measurements", measurements, "objectives", "time");
    if (pruned) mmm_json_set(&result, "reason", json_string(c->reason));
    return result;
}

mmm_status mmm_t4_write(const char *path, const mmm_job *job, const mmm_machine *machine, const mmm_tuning *tuning)
{
    char date[32];
    json_t *results = json_array();
    mmm_date(date);
    for (int i = 0; i < tuning->count; i++)
        mmm_json_append(&results, result_of(job, &tuning->candidates[i], date));
    return mmm_json_write(json_pack("{s:s,s:o,s:o}", "schema_version", "1.1.0", "metadata", metadata_of(job, machine),
                                    "results", results),
                          path, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
}

static void take_times(const json_t *entry, mmm_candidate *c)
{
    const json_t *times = json_object_get(json_object_get(entry, "times"), "runtimes"), *value;
    const char *invalidity = json_string_value(json_object_get(entry, "invalidity"));
    const char *reason = json_string_value(json_object_get(entry, "reason"));
    static const mmm_invalidity failures[] = {MMM_INVALIDITY_RUNTIME, MMM_INVALIDITY_CORRECTNESS,
                                              MMM_INVALIDITY_TIMEOUT, MMM_INVALIDITY_COMPILE};
    size_t i;
    for (int j = 0; j < 4; j++)
        if (invalidity && strcmp(invalidity, mmm_invalidity_name(failures[j])) == 0 && reason &&
            strcmp(reason, mmm_not_predicted) != 0) {
            c->invalidity = failures[j];
            snprintf(c->reason, sizeof c->reason, "%.199s", reason);
        }
    json_array_foreach(times, i, value)
    {
        double seconds = json_number_value(value);
        if (!(seconds > 0) || c->time_count == MMM_TIMES_MOST) continue;
        c->times[c->time_count++] = seconds;
    }
    if (c->time_count) c->best = mmm_least_time(c->times, c->time_count);
}

mmm_status mmm_t4_read(const char *path, const mmm_job *job, const mmm_machine *machine, mmm_tuning *tuning)
{
    mmm_status result = MMM_OK;
    char *text = NULL;
    int64_t size;
    json_t *root = NULL, *ours = NULL, *entry;
    size_t i;
    if (strcmp(path, "-") == 0 || access(path, F_OK) != 0) return MMM_OK;
    TRY(mmm_file_read(path, 64 << 20, &text, &size));
    result = mmm_json_read(path, text, size, 0, &root);
    if (result == MMM_MEMORY) goto done;
    result = MMM_OK;
    ours = metadata_of(job, machine);
    if (!ours) FAIL(MMM_MEMORY, "no memory to read '%.200s'", path);
    if (!json_is_array(json_object_get(root, "results")))
        FAIL(MMM_INVALID, "'%.200s' does not hold tuning results to go on from: remove it or name another file", path);
    json_t *theirs = json_object_get(root, "metadata");
    const char *device = json_string_value(json_object_get(theirs, "device"));
    if (device && mmm_same_device(device, machine)) json_object_set_new(theirs, "device", json_string(machine->device));
    if (!json_equal(theirs, ours))
        FAIL(MMM_INVALID,
             "'%.200s' holds results of another application, size or device: remove it or name another file", path);
    json_array_foreach(json_object_get(root, "results"), i, entry)
    {
        for (int j = 0; j < tuning->count; j++) {
            json_t *configuration = configuration_of(job, &tuning->candidates[j]);
            if (!configuration) FAIL(MMM_MEMORY, "no memory to read '%.200s'", path);
            if (json_equal(json_object_get(entry, "configuration"), configuration))
                take_times(entry, &tuning->candidates[j]);
            json_decref(configuration);
        }
    }
done:
    json_decref(root);
    json_decref(ours);
    free(text);
    return result;
}
