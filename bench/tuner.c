/* SPDX-License-Identifier: Apache-2.0 */
/* What make bench-tuner prints: how good the choice of s is, per application and size: the time of what prediction
 * alone chooses, and of what the tuner chooses with at most 4 runs, over the best of all configurations measured.
 * Best means of those predicted within a factor of 2 of the best prediction: what is further off is not measured.
 * Use: tuner [MACHINE [CSV-FILE [ALL-FILE [MACHINE-FILE]]]] */
#include "bench.h"
#include "mmm/study.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { APPS = 4, SIZES = 6, CASES = APPS * SIZES, ROUNDS = 4 };

static const struct {
    const char *app;
    int64_t sizes[SIZES][2];
} cases[APPS] = {
    /* runs of a few milliseconds at most, which a busy machine lets through; GPUs have eight times as much */
    {"division", {{500, 250}, {800, 400}, {1200, 600}, {1600, 800}, {2000, 1000}, {3000, 1500}}},
    {"gcd", {{300, 250}, {400, 350}, {500, 450}, {700, 600}, {900, 800}, {1200, 1100}}},
    {"multiplication", {{300, 300}, {500, 500}, {800, 800}, {1200, 1200}, {1800, 1800}, {2500, 2500}}},
    {"radix-sort", {{1000, 0}, {2000, 0}, {4000, 0}, {7000, 0}, {12000, 0}, {20000, 0}}},
};

static mmm_job *job_of(const char *app, const int64_t *size)
{
    mmm_job *job;
    must(mmm_job_new(app, &job));
    must(mmm_job_set(job, "n", size[0]));
    if (size[1]) must(mmm_job_set(job, "m", size[1]));
    return job;
}

/* A candidate's value of a choice, 0 where the application has no such choice. */
static long long choice(const char *name, const mmm_job *job, const mmm_candidate *c)
{
    int numbers[MMM_CHOICES_MOST], count = mmm_app_choices(mmm_job_app(job), numbers);
    for (int i = 0; i < count; i++)
        if (strcmp(mmm_job_app(job)->parameters[numbers[i]].name, name) == 0) return (long long)c->values[i];
    return 0;
}

/* The time that the exhaustive measurement has for a configuration. */
static double time_of(const mmm_tuning *all, const mmm_candidate *c)
{
    for (int i = 0; i < all->count; i++)
        if (memcmp(all->candidates[i].values, c->values, sizeof c->values) == 0) return all->candidates[i].best;
    return 0;
}

static void one_case(mmm_machine *machine, const mmm_parameters *parameters, const char *app, const int64_t *size,
                     double *ratios, FILE *csv, FILE *detail)
{
    mmm_tuning all, few;
    mmm_job *job = job_of(app, size);
    mmm_tune_options exhaustive = {.exhaustive = 1, .within = 2}, four = {.max_runs = 4};
    must(mmm_tune(job, machine, parameters, &exhaustive, &all));
    for (int i = 1; i < ROUNDS; i++) { /* what else the machine does passes; the best time of several rounds stays */
        mmm_tuning again;
        mmm_job_free(job);
        job = job_of(app, size);
        must(mmm_tune(job, machine, parameters, &exhaustive, &again));
        for (int j = 0; j < all.count; j++)
            if (again.candidates[j].best > 0 && again.candidates[j].best < all.candidates[j].best)
                all.candidates[j].best = again.candidates[j].best;
        mmm_tuning_free(&again);
    }
    for (int i = 0; i < all.count; i++)
        if (all.candidates[i].best > 0 && all.candidates[i].best < all.candidates[all.chosen].best) all.chosen = i;
    mmm_job_free(job);
    job = job_of(app, size);
    must(mmm_tune(job, machine, parameters, &four, &few));
    const mmm_candidate *best = &all.candidates[all.chosen], *zero = &all.candidates[0],
                        *chosen = &few.candidates[few.chosen];
    ratios[0] = zero->best / best->best;
    ratios[1] = time_of(&all, chosen) / best->best;
    printf("%-15s %8lld %6lld  best s=%-4lld l=%-4lld %9.3f ms  0 runs s=%-4lld l=%-4lld %6.3f  %lld runs s=%-4lld "
           "l=%-4lld %6.3f\n",
           app, (long long)size[0], (long long)size[1], choice("s", job, best), choice("l", job, best),
           best->best * 1e3, choice("s", job, zero), choice("l", job, zero), ratios[0], (long long)few.runs,
           choice("s", job, chosen), choice("l", job, chosen), ratios[1]);
    fflush(stdout);
    if (csv)
        fprintf(csv, "%s,%lld,%lld,%lld,%lld,%.9f,%lld,%lld,%.4f,%lld,%lld,%lld,%.4f,%lld\n", app, (long long)size[0],
                (long long)size[1], choice("s", job, best), choice("l", job, best), best->best, choice("s", job, zero),
                choice("l", job, zero), ratios[0], (long long)few.runs, choice("s", job, chosen),
                choice("l", job, chosen), ratios[1], (long long)few.executions);
    for (int i = 0; detail && i < all.count; i++)
        if (all.candidates[i].best > 0)
            fprintf(detail, "%s,%lld,%lld,%lld,%lld,%.9f,%.9f\n", app, (long long)size[0], (long long)size[1],
                    choice("s", job, &all.candidates[i]), choice("l", job, &all.candidates[i]), all.candidates[i].best,
                    all.candidates[i].prediction.estimate);
    mmm_job_free(job);
    mmm_tuning_free(&all);
    mmm_tuning_free(&few);
}

static void summary(const char *what, double *ratios, int count)
{
    double logarithms = 0;
    int near = 0;
    sort_times(ratios, count);
    for (int i = 0; i < count; i++) {
        logarithms += log(ratios[i]);
        near += ratios[i] <= 1.05;
    }
    printf("%-28s median %.3f, geometric mean %.3f, worst %.3f, within 5 %%: %d of %d\n", what, ratios[count / 2],
           exp(logarithms / count), ratios[count - 1], near, count);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "cpu";
    char folder[] = "/tmp/mmm-tuner-XXXXXX", path[64];
    double zero[CASES], four[CASES];
    mmm_machine *machine;
    mmm_parameters parameters;
    FILE *csv = argc > 2 ? fopen(argv[2], "w") : NULL, *detail = argc > 3 ? fopen(argv[3], "w") : NULL;
    /* The user's own wisdom stays as it is. */
    if (!mkdtemp(folder)) return 1;
    snprintf(path, sizeof path, "%s/wisdom.jsonl", folder);
    setenv("MMM_WISDOM", path, 1);
    must(mmm_machine_open(name, &machine));
    printf("%s: %s\n", name, mmm_machine_description(machine));
    char *file = argc > 4 ? argv[4] : NULL; /* a machine file instead of a calibration */
    if (file)
        must(mmm_parameters_read(file, &parameters));
    else
        must(mmm_calibrate(machine, NULL, NULL, NULL, NULL, &parameters));
    if (csv) fprintf(csv, "app,n,m,best_s,best_l,best_seconds,s_0,l_0,ratio_0,runs,s_4,l_4,ratio_4,executions\n");
    if (detail) fprintf(detail, "app,n,m,s,l,seconds,predicted\n");
    for (int i = 0; i < CASES; i++) {
        double ratios[2];
        int64_t times = strcmp(name, "cpu") == 0 ? 1 : 8;
        int64_t size[2] = {times * cases[i / SIZES].sizes[i % SIZES][0], times * cases[i / SIZES].sizes[i % SIZES][1]};
        one_case(machine, &parameters, cases[i / SIZES].app, size, ratios, csv, detail);
        zero[i] = ratios[0];
        four[i] = ratios[1];
    }
    for (int i = 0; i < APPS; i++) {
        char what[64];
        snprintf(what, sizeof what, "%s, 0 runs", cases[i].app);
        summary(what, zero + i * SIZES, SIZES);
        snprintf(what, sizeof what, "%s, 4 runs", cases[i].app);
        summary(what, four + i * SIZES, SIZES);
    }
    summary("all, 0 runs", zero, CASES);
    summary("all, at most 4 runs", four, CASES);
    if (csv) fclose(csv);
    if (detail) fclose(detail);
    unlink(path);
    snprintf(path, sizeof path, "%s/%.20s.json", folder, name);
    for (char *c = path; *c; c++)
        if (*c == ':') *c = '-';
    unlink(path);
    rmdir(folder);
    mmm_machine_free(machine);
    return 0;
}
