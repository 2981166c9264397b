/* SPDX-License-Identifier: Apache-2.0 */
/* Wisdom: choices that were measured, one JSON line each, to be found again for the same and for near sizes. */
#include "base/json.h"
#include "study/study.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define HEADER "{\"mmm\":\"wisdom\",\"version\":1}\n"
static const double near_enough = 1.4; /* the sum of the logarithms of size ratios: about a factor of 4 */

/* A fixed date makes files the same from run to run. */
void mmm_date(char out[32])
{
    static const int64_t last = 253402300799; /* of the year 9999 */
    const char *fixed = getenv("SOURCE_DATE_EPOCH");
    int64_t seconds;
    if (!fixed || !mmm_parse_integer(fixed, &seconds) || seconds < 0 || seconds > last) seconds = (int64_t)time(NULL);
    time_t now = (time_t)seconds;
    struct tm parts;
    if (!gmtime_r(&now, &parts) || !strftime(out, 32, "%Y-%m-%dT%H:%M:%SZ", &parts)) *out = 0;
}

static mmm_status wisdom_path(char **out)
{
    static const mmm_place place = {"MMM_WISDOM", "XDG_DATA_HOME", ".local/share", "mmm/wisdom.jsonl"};
    char path[4096];
    if (!mmm_place_find(&place, path, sizeof path))
        return mmm_fail(MMM_IO, "no place for wisdom: set MMM_WISDOM, XDG_DATA_HOME or HOME");
    *out = mmm_copy_string(path);
    return *out ? MMM_OK : mmm_fail(MMM_MEMORY, "no memory for a path");
}

mmm_status mmm_wisdom_beside(const char *name, char **path)
{
    mmm_status result = MMM_OK;
    char *wisdom = NULL;
    TRY(wisdom_path(&wisdom));
    mmm_folders_make(wisdom, false);
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

static _Atomic int64_t changes;

int64_t mmm_wisdom_changes(void)
{
    return changes;
}

mmm_status mmm_wisdom_line(const mmm_job *job, const mmm_machine *machine, double seconds, char **line)
{
    char date[32];
    mmm_date(date);
    json_t *root = json_pack("{s:s,s:o,s:o,s:f,s:s,s:s,s:s}", "app", job->app->name, "configuration",
                             parameters_of(job, true), "size", parameters_of(job, false), "time", seconds, "device",
                             machine->device, "mmm", MMM_VERSION, "date", date);
    *line = root ? json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(6)) : NULL;
    json_decref(root);
    return *line ? MMM_OK : mmm_fail(MMM_MEMORY, "no memory for a line of wisdom");
}

mmm_status mmm_wisdom_append(const char *line)
{
    mmm_status result = MMM_OK;
    char *path = NULL;
    changes++;
    TRY(wisdom_path(&path));
    mmm_folders_make(path, false);
    if (access(path, F_OK) == 0) TRY(mmm_trust(path));
    TRY(mmm_line_append(path, HEADER, line));
done:
    free(path);
    return result;
}

mmm_status mmm_wisdom_add(const mmm_job *job, const mmm_machine *machine, double seconds)
{
    mmm_status result = MMM_OK;
    char *line = NULL;
    TRY(mmm_wisdom_line(job, machine, seconds, &line));
    TRY(mmm_wisdom_append(line));
done:
    free(line);
    return result;
}

/* The key of a GPU is "NAME, P SMs, SYSTEM"; it was "NAME, P SMs, memory, clock, ..., SYSTEM, driver". */
bool mmm_same_device(const char *text, const mmm_machine *machine)
{
    const char *key = machine->device, *system = strrchr(key, ',');
    if (strcmp(text, key) == 0) return true;
    size_t begin = system ? (size_t)(system - key) : 0, length = system ? strlen(system) : 0;
    if (!machine->type->gpu || !system || strncmp(text, key, begin) != 0) return false;
    const char *found = strstr(text + begin, system);
    return found && (found[length] == ',' || !found[length]);
}

/* Lines that were passed over: the first, and how many there are. */
typedef struct trouble {
    const char *path;
    int lines;
    char first[300];
} trouble;

static void pass_over(trouble *t, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void pass_over(trouble *t, int line, const char *format, ...)
{
    va_list arguments;
    if (t->lines++) return;
    int used = snprintf(t->first, sizeof t->first, "line %d is passed over: ", line);
    va_start(arguments, format);
    vsnprintf(t->first + used, sizeof t->first - (size_t)used, format, arguments);
    va_end(arguments);
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
        if (p->role == MMM_SIZE)
            sum += fabs(log(((double)theirs + 1) / ((double)ours + 1)));
        else if (p->role == MMM_MODULUS ? (theirs >> 31 != 0) != (ours >> 31 != 0) : theirs != ours)
            return INFINITY;
    }
    return sum;
}

/* Whether the numbers of a line are possible for the application; a size that is missing is of another version of it.
 */
static bool is_possible(const json_t *line, const mmm_app *app, int number, trouble *t)
{
    for (int i = 0; i < MMM_PARAMETERS_MOST && app->parameters[i].name; i++) {
        const mmm_parameter *p = &app->parameters[i];
        if (p->role == MMM_SEED) continue;
        const json_t *value =
            json_object_get(json_object_get(line, p->role == MMM_CHOICE ? "configuration" : "size"), p->name);
        if (!value && p->role != MMM_CHOICE) continue;
        int64_t x = json_integer_value(value);
        if (json_is_integer(value) && x >= p->least && x <= p->most) continue;
        if (json_is_integer(value))
            pass_over(t, number, "%s=%" PRId64 " must be from %" PRId64 " to %" PRId64, p->name, x, p->least, p->most);
        else
            pass_over(t, number, "%s is no integer", p->name);
        return false;
    }
    return true;
}

/* Whether a line is for this job's application and device. */
static bool is_ours(const json_t *line, const mmm_job *job, const mmm_machine *machine)
{
    const char *app = json_string_value(json_object_get(line, "app"));
    const char *device = json_string_value(json_object_get(line, "device"));
    return app && device && strcmp(app, job->app->name) == 0 && mmm_same_device(device, machine);
}

/* Takes the values of a line for all that is to be chosen, unless others are set. */
static bool take(const json_t *line, const mmm_job *job, mmm_candidate *choice)
{
    int numbers[MMM_CHOICES_MOST], count = mmm_app_choices(job->app, numbers);
    for (int i = 0; i < count; i++) {
        choice->values[i] = json_integer_value(
            json_object_get(json_object_get(line, "configuration"), job->app->parameters[numbers[i]].name));
        if (job->set[numbers[i]] && job->values[numbers[i]] != choice->values[i]) return false;
    }
    return true;
}

/* One line: better than `best`, or as good and later, it becomes the choice. */
static bool consider(const char *text, int number, const mmm_job *job, const mmm_machine *machine,
                     mmm_candidate *choice, double *best, trouble *t)
{
    bool better = false;
    mmm_candidate candidate = {0};
    json_t *line = NULL;
    if (mmm_json_line(text, &line) != MMM_OK)
        pass_over(t, number, "there is no memory to read it");
    else if (!line && text[strspn(text, " \t\r")]) pass_over(t, number, "it is damaged");
    if (is_ours(line, job, machine) && is_possible(line, job->app, number, t) && take(line, job, &candidate)) {
        double far = distance(json_object_get(line, "size"), job);
        better = far <= *best;
        if (better) {
            *best = far;
            memcpy(choice->values, candidate.values, sizeof choice->values);
        }
    }
    json_decref(line);
    return better;
}

bool mmm_wisdom_find(const mmm_job *job, const mmm_machine *machine, mmm_candidate *choice, bool *exact)
{
    char *path = NULL, *text = NULL, *rest;
    int64_t size;
    double best = near_enough;
    trouble t = {0};
    bool found = false;
    mmm_note(NULL);
    if (wisdom_path(&path) != MMM_OK || access(path, F_OK) != 0) goto done;
    if (mmm_trust(path) != MMM_OK || mmm_file_read(path, 64 << 20, &text, &size) != MMM_OK) {
        mmm_note("the wisdom is not read: %s", mmm_message());
        goto done;
    }
    for (int64_t i = 0; i < size; i++)
        if (!text[i]) text[i] = '?';
    rest = text;
    for (int number = 1; rest; number++)
        found |= consider(strsep(&rest, "\n"), number, job, machine, choice, &best, &t);
    *exact = best == 0;
    if (t.lines == 1) mmm_note("wisdom '%.150s': %s", path, t.first);
    if (t.lines > 1) mmm_note("wisdom '%.150s': %s; so are %d others", path, t.first, t.lines - 1);
done:
    free(path);
    free(text);
    return found;
}

/* Why a line is of no use; NULL: it is, or it is the header. */
static const char *fault_of(const char *text, int64_t *lines)
{
    const char *fault = NULL;
    json_t *line = NULL;
    if (mmm_json_line(text, &line) != MMM_OK)
        fault = "could not be read: no memory";
    else if (!line)
        fault = text[strspn(text, " \t\r")] ? "is damaged" : NULL;
    else if (!json_object_get(line, "mmm") && !json_object_get(line, "app"))
        fault = "is no wisdom";
    else if (json_object_get(line, "app"))
        ++*lines;
    json_decref(line);
    return fault;
}

mmm_status mmm_wisdom_check(char *path, size_t size, int64_t *lines, char *faults, size_t room)
{
    mmm_status result = MMM_OK;
    char *own = NULL, *text = NULL, *rest, *slash;
    int64_t length;
    int bad = 0, first = 0;
    const char *why = NULL;
    TRY(wisdom_path(&own));
    snprintf(path, size, "%s", own);
    if (access(own, F_OK) == 0) {
        TRY(mmm_trust(own));
        TRY(mmm_file_read(own, 64 << 20, &text, &length));
        if (access(own, W_OK) != 0) FAIL(MMM_IO, "'%.200s' cannot be written: %s", own, strerror(errno));
    } else {
        mmm_folders_make(own, false);
        if ((slash = strrchr(own, '/'))) snprintf(slash, strlen(slash) + 1, "/."); /* a folder, and no file */
        if (access(slash ? own : ".", W_OK) != 0) FAIL(MMM_IO, "'%.200s' cannot be written: %s", path, strerror(errno));
    }
    rest = text;
    for (int number = 1; rest; number++) {
        const char *fault = fault_of(strsep(&rest, "\n"), lines);
        if (fault && !bad++) first = number, why = fault;
    }
    if (bad) snprintf(faults, room, "line %d %s%s", first, why, bad > 1 ? ", and others are" : "");
done:
    free(own);
    free(text);
    return result;
}

mmm_status mmm_wisdom_apply(mmm_job *job, const mmm_machine *machine, bool *found, bool *exact)
{
    mmm_status result = MMM_OK;
    mmm_candidate choice = {0}, before = {0};
    char reason[256] = "";
    int numbers[MMM_CHOICES_MOST], count = mmm_app_choices(job->app, numbers);
    *found = false;
    if (!mmm_wisdom_find(job, machine, &choice, exact)) return MMM_OK;
    for (int i = 0; i < count; i++)
        before.values[i] = job->values[numbers[i]];
    result = mmm_candidate_apply(job, &choice);
    if (result == MMM_INVALID || result == MMM_TOO_LARGE) {
        snprintf(reason, sizeof reason, "%.250s", mmm_message());
        result = MMM_OK;
    }
    TRY(result);
    if (!*reason && (machine->cpu || !mmm_program_unfit(job->program, &machine->parameters, reason, sizeof reason))) {
        *found = true;
        return MMM_OK;
    }
    mmm_note("what the wisdom has for %s is not possible here and not taken: %s", job->app->name, reason);
    for (int i = 0; i < count; i++)
        mmm_job_choose(job, numbers[i], before.values[i]);
done:
    return result;
}

mmm_status mmm_wisdom_blame(mmm_status status, const mmm_job *job)
{
    char text[512], values[128] = "", *path = NULL;
    int numbers[MMM_CHOICES_MOST], count = mmm_app_choices(job->app, numbers);
    if (status == MMM_OK || status == MMM_STOPPED || wisdom_path(&path) != MMM_OK) return status;
    snprintf(text, sizeof text, "%s", mmm_message());
    for (int i = 0; i < count; i++) {
        size_t used = strlen(values);
        snprintf(values + used, sizeof values - used, "%s%s=%" PRId64, i ? ", " : "",
                 job->app->parameters[numbers[i]].name, job->values[numbers[i]]);
    }
    mmm_fail(status, "%.250s (%s by the wisdom '%.100s')", text, values, path);
    free(path);
    return status;
}
