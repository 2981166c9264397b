/* SPDX-License-Identifier: Apache-2.0 */
/* The values of choices that a search tries: as records name them, or the usual ones. */
#include "study/trials.h"

#include <stdlib.h>
#include <string.h>

static bool add_value(const mmm_parameter *p, int64_t value, int64_t *values, int *count)
{
    if (value < p->least || value > p->most) return true;
    if (*count == MMM_VALUES_MOST) return false;
    values[(*count)++] = value;
    return true;
}

/* "1-16", "16-4096:*2", "32,64,96", or a list of these. */
bool mmm_trials_read(const mmm_parameter *p, int64_t *values, int *count)
{
    for (const char *c = p->trials; *c;) {
        char *end;
        int64_t low = strtoll(c, &end, 10), high = low, step = 1;
        bool factor = false;
        if (end == c) return false;
        if (*end == '-') high = strtoll(end + 1, &end, 10);
        if (*end == ':' && end[1] == '*') {
            factor = true;
            step = strtoll(end + 2, &end, 10);
        }
        if (low < factor || step < 1 + factor || (*end && *end != ',')) return false;
        if (high > p->most) high = p->most;
        if (!factor && low < p->least) low = p->least;
        for (int64_t v = low; v <= high; v = factor ? v * step : v + step) {
            if (!add_value(p, v, values, count)) return false;
            if (v > (factor ? high / step : high - step)) break;
        }
        c = end + (*end == ',');
    }
    return *count > 0;
}

/* Powers of two and, where the choice is the only one, what lies between them. */
static void usual_trials(const mmm_parameter *p, bool alone, int64_t *values, int *count)
{
    for (int64_t v = 1; v <= p->most && v < (int64_t)1 << 40; v *= 2) {
        add_value(p, v, values, count);
        if (alone && v >= 8) add_value(p, v + v / 2, values, count);
    }
}

/* The usual value among those to try, before the first that is larger. */
static void add_usual(int64_t usual, int64_t *values, int *count)
{
    int at = 0;
    for (int i = 0; i < *count; i++)
        if (values[i] == usual) return;
    if (*count == MMM_VALUES_MOST) return;
    while (at < *count && values[at] < usual)
        at++;
    memmove(values + at + 1, values + at, (size_t)(*count - at) * sizeof *values);
    values[at] = usual;
    ++*count;
}

mmm_status mmm_trials_of(const mmm_job *job, const int64_t *usual, mmm_trials *s)
{
    mmm_status result = MMM_OK;
    s->choices = mmm_app_choices(job->app, s->numbers);
    s->measured = usual != NULL;
    for (int i = 0; i < s->choices; i++) {
        const mmm_parameter *p = &job->app->parameters[s->numbers[i]];
        s->free[i] = !job->set[s->numbers[i]];
        s->usual[i] = usual ? usual[s->numbers[i]] : p->standard;
        if (!s->free[i])
            s->values[i][s->counts[i]++] = job->values[s->numbers[i]];
        else if (!p->trials)
            usual_trials(p, s->choices == 1, s->values[i], &s->counts[i]);
        else if (!mmm_trials_read(p, s->values[i], &s->counts[i]))
            FAIL(MMM_INVALID,
                 "parameter '%s' of %s: trials '%s' are not 1 to %d values such as 1-16, 16-512:*2 or 8,12", p->name,
                 job->app->name, p->trials, MMM_VALUES_MOST);
        if (s->free[i] && (usual || !s->counts[i])) add_usual(s->usual[i], s->values[i], &s->counts[i]);
    }
done:
    return result;
}
