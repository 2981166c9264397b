/* SPDX-License-Identifier: Apache-2.0 */
/* Rates of an application on a machine: fitted to its times at small sizes, once a machine (docs/model.md). */
#include "study/study.h"

#include <math.h>
#include <string.h>

enum { FIT_ROUNDS = 8, SWEEPS = 4000, SAMPLES_MOST = 64 };

/* Sizes are small, so that runs are short: a short run has a chance to be alone on a busy machine.  A machine with many
 * SMs takes larger ones, or most of it would be idle. */
enum { LARGER = 4, MANY = 32 };

const mmm_attempt mmm_trials[] = {
    {"division", {"s"}, {{8, 32, 96, 256}}, {{500, 250}, {1000, 500}, {2000, 1000}, {1500, 300}}},
    {"gcd", {"s"}, {{8, 32, 96, 256}}, {{300, 280}, {600, 500}, {1100, 1000}, {900, 400}}},
    {"multiplication", {"s", "l"}, {{2, 8, 32, 96}, {16, 64, 256}}, {{400, 400}, {1000, 700}, {2000, 1800}}},
    {"radix-sort", {"s", "l"}, {{3, 5, 8, 11}, {64, 256, 1024}}, {{2000, 0}, {8000, 0}, {30000, 0}}},
    {"division-naive", {"l"}, {{32, 256}}, {{300, 150}, {800, 400}, {1200, 1000}}},
    {"gcd-naive", {"l"}, {{32, 256}}, {{300, 250}, {700, 600}, {900, 300}}},
    {0},
};

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

/* One configuration at one size: its terms and time. */
static mmm_status sample(const mmm_attempt *trial, const int *at, const int64_t *size, mmm_machine *machine,
                         const mmm_parameters *parameters, double terms[MMM_RATE_COUNT], double *time)
{
    mmm_status result = MMM_OK;
    mmm_job *job = NULL;
    mmm_profiles profiles = {0};
    TRY(mmm_job_new(trial->app, &job));
    int64_t times = parameters->P >= MANY ? LARGER : 1;
    TRY(mmm_job_set(job, "n", times * size[0]));
    if (size[1]) TRY(mmm_job_set(job, "m", times * size[1]));
    for (int i = 0; trial->names[i]; i++)
        TRY(mmm_job_set(job, trial->names[i], trial->values[i][at[i]]));
    TRY(mmm_profile_job(job, parameters, MMM_PROFILE_BUDGET, &profiles));
    memset(terms, 0, MMM_RATE_COUNT * sizeof *terms);
    for (int64_t k = 0; k < profiles.kernels; k++)
        mmm_estimate_terms(&job->program->nodes[k], profiles.groups + profiles.first[k],
                           profiles.first[k + 1] - profiles.first[k], parameters, terms);
    TRY(mmm_time_job(job, machine, 5, 0.04, time, NULL));
done:
    mmm_profiles_free(&profiles);
    mmm_job_free(job);
    return result;
}

mmm_status mmm_fit_app(const mmm_attempt *trial, mmm_machine *machine, const mmm_parameters *parameters, mmm_rates *out)
{
    mmm_status result = MMM_OK;
    double terms[SAMPLES_MOST][MMM_RATE_COUNT], times[SAMPLES_MOST], x[MMM_RATE_COUNT];
    int count = 0, at[4] = {0};
    for (bool more = true; more;) {
        for (int i = 0; i < 5 && trial->sizes[i][0] && count < SAMPLES_MOST; i++) {
            mmm_status status = sample(trial, at, trial->sizes[i], machine, parameters, terms[count], &times[count]);
            if (status == MMM_TOO_LARGE) continue; /* a device with less */
            TRY(status);
            if (times[count] > 0) count++;
        }
        more = false;
        for (int i = 0; trial->names[i] && !more; i++) {
            more = at[i] < 4 && trial->values[i][at[i] + 1];
            at[i] = more ? at[i] + 1 : 0;
        }
    }
    if (count < MMM_RATE_COUNT) FAIL(MMM_DEVICE, "%s runs too rarely on this device to be calibrated", trial->app);
    mmm_rates rates = {.error = 0};
    mmm_fit_rates(terms, times, count, x, &rates.error);
    snprintf(rates.app, sizeof rates.app, "%s", trial->app);
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
