/* SPDX-License-Identifier: Apache-2.0 */
/* Rates of an application on a machine: fitted to its times at small sizes, once a machine (docs/model.md). */
#include "study/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIT_ROUNDS = 8, SWEEPS = 4000, SAMPLES_MOST = 64 };

/* Sizes in records are small, so that runs are short: a short run has a chance to be alone on a busy machine.  A
 * machine with many SMs takes larger ones, or most of it would be idle. */
enum { LARGER = 4, MANY = 32 };

/* Coordinate descent on the normal equations, of columns scaled to length 1. */
static void solve(const double (*a)[MMM_RATE_COUNT], const double *weight, int count, double *x)
{
    double square[MMM_RATE_COUNT][MMM_RATE_COUNT] = {{0}}, right[MMM_RATE_COUNT] = {0}, y[MMM_RATE_COUNT] = {0};
    for (int i = 0; i < count; i++)
        for (int j = 0; j < MMM_RATE_COUNT; j++) {
            right[j] += weight[i] * a[i][j];
            for (int k = 0; k < MMM_RATE_COUNT; k++)
                square[j][k] += weight[i] * a[i][j] * a[i][k];
        }
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (int j = 0; j < MMM_RATE_COUNT; j++) {
            double rest = right[j];
            if (!(square[j][j] > 0)) continue;
            for (int k = 0; k < MMM_RATE_COUNT; k++)
                if (k != j) rest -= square[j][k] * y[k];
            y[j] = rest > 0 ? rest / square[j][j] : 0;
        }
    memcpy(x, y, sizeof y);
}

void mmm_fit_rates(const double (*terms)[MMM_RATE_COUNT], const double *times, int count, double x[MMM_RATE_COUNT],
                   double *error)
{
    double a[SAMPLES_MOST][MMM_RATE_COUNT], weight[SAMPLES_MOST], scale[MMM_RATE_COUNT] = {0};
    if (count > SAMPLES_MOST) count = SAMPLES_MOST;
    for (int j = 0; j < MMM_RATE_COUNT; j++) {
        for (int i = 0; i < count; i++)
            scale[j] += terms[i][j] / times[i] * (terms[i][j] / times[i]);
        scale[j] = scale[j] > 0 ? sqrt(scale[j]) : 1;
    }
    for (int i = 0; i < count; i++) {
        weight[i] = 1;
        for (int j = 0; j < MMM_RATE_COUNT; j++)
            a[i][j] = terms[i][j] / times[i] / scale[j];
    }
    for (int round = 0; round < FIT_ROUNDS; round++) {
        double squares = 0;
        solve(a, weight, count, x);
        for (int i = 0; i < count; i++) {
            double off = -1;
            for (int j = 0; j < MMM_RATE_COUNT; j++)
                off += a[i][j] * x[j];
            squares += off * off;
            /* A time can only be too long: what others held up counts least. */
            weight[i] = 1 / fmax(off < 0 ? -3 * off : off, 0.05);
        }
        *error = count ? sqrt(squares / count) : 0;
    }
    for (int j = 0; j < MMM_RATE_COUNT; j++)
        x[j] /= scale[j];
}

mmm_status mmm_time_job(mmm_job *job, mmm_machine *machine, int least, double patience, double *best, double *spent)
{
    mmm_status result = MMM_OK;
    double sum = 0;
    *best = INFINITY;
    for (int i = 0; i < least || (sum < patience && i < 20 * least); i++) {
        double seconds;
        TRY(mmm_job_run(job, machine, &seconds));
        if (seconds < *best) *best = seconds;
        sum += seconds;
    }
    if (spent) *spent += sum;
done:
    return result;
}

/* Sets the parameters of a job as "n=500 m=250 s=8,32" says, of lists the values of combination number `number`; false
 * where there are not so many. */
static mmm_status set_all(mmm_job *job, const char *settings, int64_t number, int64_t larger, bool open, bool *exists)
{
    mmm_status result = MMM_OK;
    for (const char *c = settings; *c;) {
        char name[64];
        size_t length = strcspn(c, "=");
        if (!c[length] || length >= sizeof name)
            FAIL(MMM_INVALID, "the record of %s: calibration '%s' is not of the form n=500 s=8,32", job->app->name,
                 settings);
        snprintf(name, sizeof name, "%.*s", (int)length, c);
        c += length + 1;
        int64_t values[16], count = 0;
        for (char *end;; c = end + 1) {
            int64_t value = strtoll(c, &end, 10);
            if (end == c || count == 16)
                FAIL(MMM_INVALID, "the record of %s: calibration '%s' is not of the form n=500 s=8,32", job->app->name,
                     settings);
            values[count++] = value;
            if (*end != ',') {
                c = end + strspn(end, " ");
                break;
            }
        }
        int i = mmm_app_parameter(job->app, name);
        bool size = i >= 0 && job->app->parameters[i].role == MMM_SIZE;
        bool skip = open && i >= 0 && job->app->parameters[i].role == MMM_CHOICE;
        if (!skip) TRY(mmm_job_set(job, name, values[number % count] * (size ? larger : 1)));
        number /= count;
    }
    *exists = number == 0;
done:
    return result;
}

mmm_status mmm_calibration_job(const mmm_app *app, const char *settings, int64_t number, int64_t larger, bool open,
                               mmm_job **out, bool *exists)
{
    MMM_TRY(mmm_job_of(app, out));
    return set_all(*out, settings, number, larger, open, exists);
}

/* One configuration at one size: its terms and time. */
static mmm_status sample(const mmm_app *app, const char *settings, int64_t number, mmm_machine *machine,
                         const mmm_parameters *parameters, double terms[MMM_RATE_COUNT], double *time, bool *exists)
{
    mmm_status result = MMM_OK;
    mmm_job *job = NULL;
    mmm_profiles profiles = {0};
    TRY(mmm_calibration_job(app, settings, number, parameters->P >= MANY ? LARGER : 1, false, &job, exists));
    if (!*exists) goto done;
    TRY(mmm_profile_job(job, parameters, MMM_PROFILE_BUDGET, &profiles));
    memset(terms, 0, MMM_RATE_COUNT * sizeof *terms);
    for (int64_t k = 0; k < profiles.kernels; k++) {
        int64_t count;
        const mmm_profile *groups = mmm_profiles_of(&profiles, k, &count);
        mmm_estimate_terms(&job->program->nodes[k], groups, count, parameters, terms);
    }
    TRY(mmm_time_job(job, machine, 5, 0.04, time, NULL));
done:
    mmm_profiles_free(&profiles);
    mmm_job_free(job);
    return result;
}

mmm_status mmm_fit_app(const mmm_app *app, mmm_machine *machine, const mmm_parameters *parameters, mmm_rates *out)
{
    mmm_status result = MMM_OK;
    double terms[SAMPLES_MOST][MMM_RATE_COUNT], times[SAMPLES_MOST], x[MMM_RATE_COUNT];
    int count = 0;
    for (int i = 0; i < MMM_CALIBRATIONS_MOST && app->calibration[i]; i++) {
        bool exists = true;
        for (int64_t number = 0; exists && count < SAMPLES_MOST; number++) {
            mmm_status status =
                sample(app, app->calibration[i], number, machine, parameters, terms[count], &times[count], &exists);
            if (status == MMM_TOO_LARGE) continue; /* a device with less */
            TRY(status);
            if (exists && times[count] > 0) count++;
        }
    }
    if (count < MMM_RATE_COUNT) FAIL(MMM_DEVICE, "%s runs too rarely on this device to be calibrated", app->name);
    mmm_rates rates = {.error = 0};
    mmm_fit_rates(terms, times, count, x, &rates.error);
    snprintf(rates.app, sizeof rates.app, "%s", app->name);
    rates.launch = x[0];
    rates.barrier = x[1];
    rates.part = x[2];
    rates.operation = x[3];
    rates.word = x[4];
    rates.access = x[5];
    *out = rates;
done:
    return result;
}
