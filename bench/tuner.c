/* SPDX-License-Identifier: Apache-2.0 */
/* What make bench-tuner prints: how good the choice of s is, per application and size.
 *
 * Every configuration that is not pruned is measured, in turn, so that the best is the best; sizes are 4 to 64 times
 * those that calibration runs.  Told are the time of what prediction alone chooses, and of the fastest in one visit of
 * the four that it ranks first, over the best time; what the paper's plain bound would choose; and how far predicted
 * times are off. Use: tuner [MACHINE [CSV-FILE [MACHINE-FILE [SECONDS [FIRST [LAST]]]]]] */
#include "bench.h"
#include "mmm/study.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SIZES = 2, ROUNDS = 5, FEW = 4 };
static const double hopeless = 4; /* times the best after a round: it needs no further ones */

/* Settings of jobs, for CPUs and for others, which have more of it. */
static const struct {
    const char *app;
    const char *sizes[SIZES], *larger[SIZES];
} cases[] = {
    {"division", {"n=4000 m=2000", "n=16000 m=8000"}, {"n=32000 m=16000", "n=128000 m=64000"}},
    {"gcd", {"n=2400 m=2200", "n=5000 m=4800"}, {"n=16000 m=15000", "n=40000 m=38000"}},
    {"multiplication", {"n=2500 m=2500", "n=6000 m=6000"}, {"n=16000 m=16000", "n=40000 m=40000"}},
    {"radix-sort", {"n=50000", "n=300000"}, {"n=400000", "n=4000000"}},
    {"sort", {"n=200000", "n=1000000"}, {"n=1000000", "n=10000000"}},
    {"ntt", {"n=65536", "n=262144"}, {"n=262144", "n=4194304"}},
    {"multiplication-tile", {"n=4000 m=4000", "n=10000 m=10000"}, {"n=16000 m=16000", "n=40000 m=40000"}},
    {"multiplication-ntt", {"n=80000 m=80000", "n=300000 m=200000"}, {"n=400000 m=300000", "n=2000000 m=900000"}},
    {"examples/stencil", {"n=64000 steps=16", "n=400000 steps=32"}, {"n=400000 steps=32", "n=4000000 steps=32"}},
    {"examples/matrix-product", {"n=320", "n=640"}, {"n=640", "n=2000"}},
    {"examples/prefix-sum", {"n=200000", "n=2000000"}, {"n=2000000", "n=20000000"}},
    {"examples/transpose", {"n=1200 m=1500", "n=3000 m=3000"}, {"n=3000 m=3000", "n=8000 m=8000"}},
    {"examples/reduction", {"n=400000", "n=3000000"}, {"n=4000000", "n=40000000"}},
    {"examples/histogram", {"n=400000", "n=4000000"}, {"n=4000000", "n=40000000"}},
};

enum { APPS = sizeof cases / sizeof *cases, CASES = APPS * SIZES };

static mmm_job *job_of(const char *app, const char *settings)
{
    char copy[64], *rest = copy, *word;
    mmm_job *job;
    must(mmm_job_new(app, &job));
    snprintf(copy, sizeof copy, "%s", settings);
    while ((word = strsep(&rest, " "))) {
        char *value = strchr(word, '=');
        *value++ = 0;
        must(mmm_job_set(job, word, atoll(value)));
    }
    return job;
}

static void words_of(const mmm_job *job, const mmm_candidate *c, char *out, size_t size)
{
    int numbers[MMM_CHOICES_MOST], count = mmm_app_choices(mmm_job_app(job), numbers);
    size_t used = 0;
    *out = 0;
    for (int i = 0; i < count && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%s=%lld", i ? " " : "",
                                 mmm_job_app(job)->parameters[numbers[i]].name, (long long)c->values[i]);
}

typedef struct trial {
    double first, best; /* seconds of the first visit, and the least of all */
} trial;

static double visit(mmm_job *job, mmm_machine *machine, const mmm_candidate *c, double seconds)
{
    int numbers[MMM_CHOICES_MOST], count = mmm_app_choices(mmm_job_app(job), numbers);
    double best = INFINITY, sum = 0, once;
    for (int i = 0; i < count; i++)
        must(mmm_job_set(job, mmm_job_app(job)->parameters[numbers[i]].name, c->values[i]));
    must(mmm_job_prepare(job));
    for (int i = 0; i < 2 || (sum < seconds && i < 10); i++, sum += once) {
        must(mmm_job_run(job, machine, &once));
        if (i || once > 0.2) best = fmin(best, once); /* the first one warms up */
        if (once > 0.2) break;
    }
    return best;
}

typedef struct result {
    double zero, few, plain, error;
} result;

static result one_case(mmm_machine *machine, const mmm_parameters *parameters, const char *app, const char *settings,
                       double seconds, FILE *csv)
{
    mmm_tuning all;
    mmm_job *job = job_of(app, settings);
    const mmm_tune_options dry = {.dry_run = 1};
    const double start = mmm_now();
    must(mmm_tune(job, machine, parameters, &dry, &all));
    const double ranking = mmm_now() - start;
    int count = 0, best = 0, few = 0, plain = 0;
    while (count < all.count && !all.candidates[count].reason[0])
        count++;
    trial *t = room(count, sizeof *t);
    double least = INFINITY, errors = 0;
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < count; i++) {
            if (round && t[i].best > hopeless * least) continue;
            const double once = visit(job, machine, &all.candidates[i], seconds / (2 * ROUNDS * count));
            if (!round) t[i].first = t[i].best = once;
            t[i].best = fmin(t[i].best, once);
            least = fmin(least, t[i].best);
        }
    for (int i = 0; i < count; i++) {
        if (t[i].best < t[best].best) best = i;
        if (i < FEW && t[i].first < t[few].first) few = i;
        if (all.candidates[i].prediction.plain < all.candidates[plain].prediction.plain) plain = i;
        errors += fabs(all.candidates[i].prediction.estimate / t[i].best - 1);
    }
    result r = {t[0].best / least, t[few].best / least, t[plain].best / least, errors / count};
    char names[3][64];
    words_of(job, &all.candidates[best], names[0], sizeof names[0]);
    words_of(job, &all.candidates[0], names[1], sizeof names[1]);
    words_of(job, &all.candidates[few], names[2], sizeof names[2]);
    printf("%-24s %-20s %4d  %9.3f ms %-24s %6.3f %-24s %6.3f  %6.3f  %5.1f %%  %5.2f ms\n", app, settings, count,
           least * 1e3, names[0], r.zero, names[1], r.few, r.plain, 100 * r.error, ranking / count * 1e3);
    fflush(stdout);
    for (int i = 0; csv && i < count; i++) {
        words_of(job, &all.candidates[i], names[0], sizeof names[0]);
        fprintf(csv, "%s,%s,%s,%.9g,%.9g,%.9g\n", app, settings, names[0], t[i].best,
                all.candidates[i].prediction.estimate, all.candidates[i].prediction.plain);
    }
    free(t);
    mmm_job_free(job);
    mmm_tuning_free(&all);
    return r;
}

static void summary(const char *what, double *ratios, int count)
{
    double logarithms = 0;
    sort_times(ratios, count);
    for (int i = 0; i < count; i++)
        logarithms += log(ratios[i]);
    printf("%-28s median %.3f, geometric mean %.3f, worst %.3f\n", what, ratios[count / 2], exp(logarithms / count),
           ratios[count - 1]);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "cpu";
    char folder[] = "/tmp/mmm-tuner-XXXXXX", path[64];
    double zero[CASES], few[CASES], plain[CASES], error = 0;
    mmm_machine *machine;
    mmm_parameters parameters;
    FILE *csv = argc > 2 ? fopen(argv[2], "w") : NULL;
    /* The user's own wisdom stays as it is. */
    if (!mkdtemp(folder)) return 1;
    snprintf(path, sizeof path, "%s/wisdom.jsonl", folder);
    setenv("MMM_WISDOM", path, 1);
    must(mmm_machine_open(name, &machine));
    printf("%s: %s\n", name, mmm_machine_description(machine));
    if (argc > 3 && argv[3][0]) /* a machine file instead of a calibration */
        must(mmm_parameters_read(argv[3], &parameters));
    else
        must(mmm_calibrate(machine, NULL, NULL, NULL, NULL, &parameters));
    const double seconds = argc > 4 ? atof(argv[4]) : 10; /* for a case, about */
    const int first = argc > 5 ? atoi(argv[5]) : 0, last = argc > 6 ? atoi(argv[6]) : CASES;
    int count = 0;
    if (csv) fprintf(csv, "app,size,choice,seconds,predicted,plain\n");
    printf("%-24s %-20s %4s  %12s %-24s %6s %-24s %6s  %6s  %7s  %8s\n", "application", "size", "of", "best", "",
           "0 runs", "", "4 runs", "plain", "error", "each");
    for (int i = first; i < last && i < CASES; i++, count++) {
        const char *settings = (strcmp(name, "cpu") == 0 ? cases[i / SIZES].sizes : cases[i / SIZES].larger)[i % SIZES];
        const result r = one_case(machine, &parameters, cases[i / SIZES].app, settings, seconds, csv);
        zero[count] = r.zero;
        few[count] = r.few;
        plain[count] = r.plain;
        error += r.error;
    }
    if (count) {
        summary("0 runs", zero, count);
        summary("at most 4 runs", few, count);
        summary("the paper's plain bound", plain, count);
        printf("mean error of predicted times %.1f %%\n", 100 * error / count);
    }
    if (csv) fclose(csv);
    unlink(path);
    snprintf(path, sizeof path, "%s/%.20s.json", folder, name);
    for (char *c = path; *c; c++)
        if (*c == ':') *c = '-';
    unlink(path);
    rmdir(folder);
    mmm_machine_free(machine);
    return 0;
}
