/* SPDX-License-Identifier: Apache-2.0 */
/* Wisdom: choices that were measured, one JSON line each, to be found again for the same and for near sizes. */
#include "base/json.h"
#include "study/study.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define HEADER "{\"mmm\":\"wisdom\",\"version\":1}\n"
static const double near_enough = 1.4; /* the sum of the logarithms of size ratios: about a factor of 4 */

/* A fixed date makes files the same from run to run. */
void mmm_date(char out[32])
{
    const char *fixed = getenv("SOURCE_DATE_EPOCH");
    time_t now = fixed ? (time_t)strtoll(fixed, NULL, 10) : time(NULL);
    struct tm parts;
    strftime(out, 32, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &parts));
}

static mmm_status wisdom_path(char **out)
{
    const char *own = getenv("MMM_WISDOM"), *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    int length;
    if (own && *own)
        length = asprintf(out, "%s", own);
    else if (data && *data)
        length = asprintf(out, "%s/mmm/wisdom.jsonl", data);
    else if (home && *home)
        length = asprintf(out, "%s/.local/share/mmm/wisdom.jsonl", home);
    else
        return mmm_fail(MMM_IO, "no place for wisdom: set MMM_WISDOM, XDG_DATA_HOME or HOME");
    return length < 0 ? mmm_fail(MMM_MEMORY, "no memory for a path") : MMM_OK;
}

static void make_folders(char *path)
{
    for (char *c = strchr(path + 1, '/'); c; c = strchr(c + 1, '/')) {
        *c = 0;
        mkdir(path, 0777);
        *c = '/';
    }
}

mmm_status mmm_wisdom_beside(const char *name, char **path)
{
    mmm_status result = MMM_OK;
    char *wisdom = NULL;
    TRY(wisdom_path(&wisdom));
    make_folders(wisdom);
    char *slash = strrchr(wisdom, '/');
    if (slash) slash[1] = 0;
    if (asprintf(path, "%s%s", slash ? wisdom : "", name) < 0) FAIL(MMM_MEMORY, "no memory for a path");
done:
    free(wisdom);
    return result;
}

/* The parameters of a job: its choices, or what makes its size. */
static json_t *parameters_of(const mmm_job *job, bool choices)
{
    json_t *object = json_object();
    for (int i = 0; i < MMM_PARAMETERS_MOST && job->app->parameters[i].name; i++) {
        const mmm_parameter *p = &job->app->parameters[i];
        if ((p->role == MMM_CHOICE) == choices && p->role != MMM_SEED)
            mmm_json_set(&object, p->name, json_integer(job->values[i]));
    }
    return object;
}

mmm_status mmm_wisdom_add(const mmm_job *job, const mmm_machine *machine, double seconds)
{
    mmm_status result = MMM_OK;
    char date[32], *path = NULL, *line = NULL, *text = NULL;
    json_t *root = NULL;
    int file = -1;
    TRY(wisdom_path(&path));
    make_folders(path);
    mmm_date(date);
    root = json_pack("{s:s,s:o,s:o,s:f,s:s,s:s,s:s}", "app", job->app->name, "configuration", parameters_of(job, true),
                     "size", parameters_of(job, false), "time", seconds, "device", machine->device, "mmm", MMM_VERSION,
                     "date", date);
    line = root ? json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(6)) : NULL;
    if (!line) FAIL(MMM_MEMORY, "no memory for a line of wisdom");
    file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0) FAIL(MMM_IO, "cannot write '%s': %s", path, strerror(errno));
    /* One write at the end of the file: lines of several processes never mix. */
    bool fresh = lseek(file, 0, SEEK_END) == 0;
    int length = asprintf(&text, "%s%s\n", fresh ? HEADER : "", line);
    if (length < 0) FAIL(MMM_MEMORY, "no memory for a line of wisdom");
    if (write(file, text, (size_t)length) != length) FAIL(MMM_IO, "cannot write '%s': %s", path, strerror(errno));
done:
    if (file >= 0) close(file);
    free(path);
    free(line);
    free(text);
    json_decref(root);
    return result;
}

/* How far the size of a line is from the job's; infinite where they do not compare. */
static double distance(const json_t *size, const mmm_job *job)
{
    double sum = 0;
    for (int i = 0; i < MMM_PARAMETERS_MOST && job->app->parameters[i].name; i++) {
        const mmm_parameter *p = &job->app->parameters[i];
        if (p->role == MMM_CHOICE || p->role == MMM_SEED) continue;
        const json_t *value = json_object_get(size, p->name);
        if (!json_is_integer(value)) return INFINITY;
        int64_t theirs = json_integer_value(value), ours = job->values[i];
        if (theirs < 0) return INFINITY;
        if (p->role == MMM_SIZE)
            sum += fabs(log(((double)theirs + 1) / ((double)ours + 1)));
        else if (p->role == MMM_MODULUS ? (theirs >> 31 != 0) != (ours >> 31 != 0) : theirs != ours)
            return INFINITY;
    }
    return sum;
}

/* Whether a line is a choice for this job's application and device, with values for all that is to be chosen. */
static bool applies(const json_t *line, const mmm_job *job, const char *device, mmm_candidate *choice)
{
    const char *app = json_string_value(json_object_get(line, "app"));
    const char *where = json_string_value(json_object_get(line, "device"));
    const json_t *configuration = json_object_get(line, "configuration");
    int numbers[MMM_CHOICES_MOST], count = mmm_app_choices(job->app, numbers);
    if (!app || strcmp(app, job->app->name) != 0 || !where || strcmp(where, device) != 0) return false;
    for (int i = 0; i < count; i++) {
        const mmm_parameter *p = &job->app->parameters[numbers[i]];
        const json_t *value = json_object_get(configuration, p->name);
        int64_t number = choice->values[i] = json_integer_value(value);
        if (!json_is_integer(value) || number < p->least || number > p->most) return false;
        if (job->set[numbers[i]] && job->values[numbers[i]] != number) return false;
    }
    return true;
}

bool mmm_wisdom_find(const mmm_job *job, const mmm_machine *machine, mmm_candidate *choice, bool *exact)
{
    char *path = NULL, *text = NULL, *rest;
    int64_t size;
    double best = near_enough;
    bool found = false;
    if (wisdom_path(&path) != MMM_OK || mmm_file_read(path, 64 << 20, &text, &size) != MMM_OK) goto done;
    rest = text;
    while (rest) {
        json_t *line = json_loads(strsep(&rest, "\n"), 0, NULL); /* NULL for a damaged one, which nothing matches */
        mmm_candidate candidate = {0};
        if (applies(line, job, machine->device, &candidate)) {
            double far = distance(json_object_get(line, "size"), job);
            if (far <= best) { /* of equal ones the last */
                best = far;
                found = true;
                memcpy(choice->values, candidate.values, sizeof choice->values);
                *exact = far == 0;
            }
        }
        json_decref(line);
    }
done:
    free(path);
    free(text);
    return found;
}
