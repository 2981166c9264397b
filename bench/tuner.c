/* SPDX-License-Identifier: Apache-2.0 */
/* What make bench-tuner prints: how good the choice of s is, per application and size, and by other models.
 *
 * Every configuration that is not pruned is measured, in turn, so that the best is the best; the least of its times is
 * what it takes, which other work cannot move once it lets one run pass.  Of many that are alike the least of all is
 * the luckiest: those that may be the best, and those that are ranked first, are visited more often.  Sizes are 4 to 64
 * times those that calibration runs.  Told are, for each way of ranking, the time of what it ranks first, and of the
 * fastest in one visit of the four that it ranks first, over the best time; and how far predicted times are off.
 *
 * Use: tuner [MACHINE [CSV-FILE [MACHINE-FILE [SECONDS [FIRST [LAST]]]]]]
 * A CSV file that it wrote in place of MACHINE: its times are taken, nothing is run.  Beside CSV-FILE goes the summary,
 * as JSON. */
#include "bench.h"
#include "study/study.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

enum { SIZES = 2, ROUNDS = 5, MORE = 10, FEW = 4, CONFIGURATIONS_MOST = 8192, TEXT = 96, GAP = 1 << 18, PAGE = 4096 };
static const double hopeless = 4;    /* times the best after a round: it needs no further ones */
static const double close_to = 1.15; /* times the best after all rounds: it may be as good */

/* Settings of jobs, for CPUs and for others, which have more of it. */
static const struct {
    const char *app;
    const char *sizes[SIZES], *larger[SIZES];
} cases[] = {
    {"division", {"n=8000 m=4000", "n=16000 m=8000"}, {"n=32000 m=16000", "n=128000 m=64000"}},
    {"gcd", {"n=4400 m=4000", "n=8800 m=8000"}, {"n=17600 m=16000", "n=44000 m=40000"}},
    {"multiplication", {"n=8000 m=8000", "n=16000 m=8000"}, {"n=16000 m=16000", "n=40000 m=40000"}},
    {"radix-sort", {"n=120000", "n=480000"}, {"n=480000", "n=1900000"}},
    {"sort", {"n=240000", "n=1000000"}, {"n=960000", "n=3800000"}},
    {"ntt", {"n=262144", "n=1048576"}, {"n=262144", "n=4194304"}},
    {"multiplication-tile", {"n=8000 m=8000", "n=16000 m=12000"}, {"n=16000 m=16000", "n=40000 m=40000"}},
    {"multiplication-ntt", {"n=80000 m=80000", "n=300000 m=200000"}, {"n=400000 m=300000", "n=1200000 m=900000"}},
    {"multiplication-ring", {"n=65536", "n=262144"}, {"n=131072", "n=1048576"}},
    {"division-inverse", {"n=8000 m=4000", "n=20000 m=10000"}, {"n=16000 m=8000", "n=64000 m=32000"}},
    {"division-newton", {"n=36000 m=18000", "n=200000 m=100000"}, {"n=100000 m=50000", "n=560000 m=280000"}},
    {"division-naive", {"n=4800 m=2400", "n=9600 m=4800"}, {"n=9600 m=4800", "n=19200 m=9600"}},
    {"gcd-naive", {"n=3600 m=3000", "n=5400 m=5000"}, {"n=7200 m=6000", "n=14400 m=12000"}},
    {"gcd-stop", {"n=4400 m=4000", "n=6600 m=6000"}, {"n=8800 m=8000", "n=17600 m=16000"}},
    {"gcd-jump", {"n=3600 m=3400", "n=7200 m=7000"}, {"n=10000 m=9000", "n=40000 m=40000"}},
    {"gcd-half", {"n=12000 m=12000", "n=24000 m=20000"}, {"n=24000 m=24000", "n=96000 m=90000"}},
    {"examples/stencil", {"n=64000 steps=64", "n=400000 steps=64"}, {"n=400000 steps=64", "n=1000000 steps=128"}},
    {"examples/matrix-product", {"n=640", "n=800"}, {"n=640", "n=2000"}},
    {"examples/prefix-sum", {"n=200000", "n=2000000"}, {"n=640000", "n=2500000"}},
    {"examples/transpose", {"n=2000 m=2000", "n=3000 m=3000"}, {"n=4000 m=4000", "n=8000 m=8000"}},
    {"examples/reduction", {"n=400000", "n=3000000"}, {"n=1200000", "n=5000000"}},
    {"examples/histogram", {"n=400000", "n=4000000"}, {"n=1600000", "n=6000000"}},
};

enum { APPS = sizeof cases / sizeof *cases, CASES = APPS * SIZES };

/* Ways of ranking, and what each says of a configuration. */
enum { ESTIMATE, EXTENDED, PLAIN, ROOFLINE, HONG_KIM, WAYS };
static const char *const ways[WAYS] = {"estimate", "extended bound", "the paper's bound", "roofline", "Hong-Kim"};

typedef struct configuration {
    char choice[TEXT];
    double first, best; /* seconds of the first visit, and the least of all */
    mmm_digest program;
    double score[WAYS];
} configuration;

typedef struct result {
    char app[TEXT], size[TEXT];
    int count;
    double least, outside, zero[WAYS], few[WAYS], error, near, each; /* outside: times the sizes of calibration; near:
                                                                      * the error of times within twice the best */
} result;

static void set_words(mmm_job *job, const char *settings)
{
    char copy[TEXT], *rest = copy, *word;
    snprintf(copy, sizeof copy, "%s", settings);
    while ((word = strsep(&rest, " "))) {
        char *value = strchr(word, '=');
        if (!value) continue;
        *value++ = 0;
        must(mmm_job_set(job, word, atoll(value)));
    }
}

/* The first size of the job over the largest that the record has calibration run; NaN where it names none. */
static double outside(const mmm_job *job)
{
    const mmm_app *app = mmm_job_app(job);
    double most = 0;
    for (int i = 0; i < MMM_CALIBRATIONS_MOST && app->calibration[i]; i++)
        if (strncmp(app->calibration[i], "n=", 2) == 0) most = fmax(most, atof(app->calibration[i] + 2));
    return most > 0 ? (double)mmm_job_get(job, "n") / most : NAN;
}

/* What each way says of the job as it is; the time that the prediction took is added to *spent. */
static void score(mmm_job *job, const mmm_parameters *parameters, double out[WAYS], double *spent)
{
    mmm_prediction p;
    const double start = mmm_now();
    if (mmm_predict(job, parameters, &p) != MMM_OK) p.estimate = p.extended = p.plain = INFINITY; /* not ranked */
    *spent += mmm_now() - start;
    out[ESTIMATE] = p.estimate;
    out[EXTENDED] = p.extended;
    out[PLAIN] = p.plain;
    if (mmm_model_sampled(job, parameters, &out[ROOFLINE], &out[HONG_KIM]) != MMM_OK)
        out[ROOFLINE] = out[HONG_KIM] = INFINITY;
}

static double visit(mmm_job *job, mmm_machine *machine, double seconds)
{
    double best = INFINITY, sum = 0, once;
    must(mmm_job_prepare(job));
    for (int i = 0; i < 2 || (sum < seconds && i < 10); i++, sum += once) {
        must(mmm_job_run(job, machine, &once));
        if (i || once > 0.2) best = fmin(best, once); /* the first one warms up */
        if (once > 0.2) break;
    }
    return best;
}

/* Whether it is visited in that round: of more rounds than all have, those that may be the best, and those that are
 * ranked first. */
static bool is_visited(const configuration *all, int count, int i, int round, double least)
{
    int before = 0;
    if (!round) return true;
    if (round < ROUNDS) return all[i].best <= hopeless * least;
    for (int k = 0; k < count; k++)
        before += all[k].score[ESTIMATE] < all[i].score[ESTIMATE];
    return all[i].best <= close_to * least || before < FEW;
}

/* In turn, so that slow times of the machine meet all of them.  On cores each round is by a machine that was opened for
 * it: where the memory of its blocks lies makes some configurations a quarter slower, as long as it lies there. */
static void measure(mmm_job *job, const char *name, mmm_machine *machine, configuration *all, int count, double seconds)
{
    double least = INFINITY;
    void *gaps[ROUNDS + MORE] = {NULL};
    const bool anew = strcmp(name, "cpu") == 0;
    for (int round = 0; round < ROUNDS + MORE; round++) {
        if (anew) {
            gaps[round] = room(GAP + (int64_t)(rand() % 64) * PAGE, 1);
            must(mmm_machine_open(name, &machine));
        }
        for (int i = 0; i < count; i++) {
            if (!is_visited(all, count, i, round, least)) continue;
            set_words(job, all[i].choice);
            const double once = visit(job, machine, seconds / (2 * ROUNDS * count));
            if (!round) all[i].first = all[i].best = once;
            all[i].best = fmin(all[i].best, once);
            least = fmin(least, all[i].best);
        }
        if (anew) mmm_machine_free(machine);
    }
    for (int round = 0; round < ROUNDS + MORE; round++)
        free(gaps[round]);
}

/* Of those that a way ranks first, the one that was fastest in its first visit. */
static double fastest(const configuration *all, int count, int way, int few)
{
    bool *taken = room(count, sizeof *taken);
    int best = -1;
    for (int k = 0; k < few; k++) {
        int next = -1;
        for (int i = 0; i < count; i++)
            if (!taken[i] && (next < 0 || all[i].score[way] < all[next].score[way])) next = i;
        if (next < 0) break;
        taken[next] = true;
        if (best < 0 || all[next].first < all[best].first) best = next;
    }
    free(taken);
    return all[best].best;
}

static result judge(const configuration *all, int count, result r, FILE *csv)
{
    int best = 0, chosen = 0, near = 0;
    r.count = count;
    for (int i = 0; i < count; i++) {
        if (all[i].best < all[best].best) best = i;
        if (all[i].score[ESTIMATE] < all[chosen].score[ESTIMATE]) chosen = i;
        r.error += fabs(all[i].score[ESTIMATE] / all[i].best - 1) / count;
        if (!csv) continue;
        fprintf(csv, "%s,%s,%s,%.9g", r.app, r.size, all[i].choice, all[i].best);
        for (int w = 0; w < WAYS; w++)
            fprintf(csv, ",%.9g", all[i].score[w]);
        fputc('\n', csv);
    }
    r.least = all[best].best;
    for (int i = 0; i < count; i++)
        if (all[i].best <= 2 * r.least) {
            r.near += fabs(all[i].score[ESTIMATE] / all[i].best - 1);
            near++;
        }
    r.near /= near;
    for (int w = 0; w < WAYS; w++) {
        r.zero[w] = fastest(all, count, w, 1) / r.least;
        r.few[w] = fastest(all, count, w, FEW) / r.least;
    }
    printf("%-23s %-20s %5.1f %4d  %9.3f ms %-26s %-26s", r.app, r.size, r.outside, count, r.least * 1e3,
           all[best].choice, all[chosen].choice);
    for (int w = 0; w < WAYS; w++)
        printf(" %6.3f %6.3f", r.zero[w], r.few[w]);
    printf("  %5.1f %%  %5.2f ms\n", 100 * r.error, r.each * 1e3);
    fflush(stdout);
    return r;
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

static result one_case(const char *name, mmm_machine *machine, const mmm_parameters *parameters, const char *app,
                       const char *size, double seconds, FILE *csv)
{
    mmm_tuning tuning;
    mmm_job *job;
    const mmm_tune_options dry = {.dry_run = 1};
    result r = {.each = 0};
    int count = 0;
    snprintf(r.app, sizeof r.app, "%s", app);
    snprintf(r.size, sizeof r.size, "%s", size);
    must(mmm_job_new(app, &job));
    set_words(job, size);
    r.outside = outside(job);
    must(mmm_tune(job, machine, parameters, &dry, &tuning));
    configuration *all = room(tuning.count, sizeof *all);
    for (int i = 0; i < tuning.count; i++)
        if (!tuning.candidates[i].reason[0])
            words_of(job, &tuning.candidates[i], all[count++].choice, sizeof all[i].choice);
    for (int i = 0; i < count; i++) {
        set_words(job, all[i].choice);
        score(job, parameters, all[i].score, &r.each);
    }
    r.each /= count;
    measure(job, name, machine, all, count, seconds);
    r = judge(all, count, r, csv);
    free(all);
    mmm_job_free(job);
    mmm_tuning_free(&tuning);
    return r;
}

/* A line of times: its four fields, or false. */
static bool read_line(FILE *times, char field[4][TEXT])
{
    char line[1024], *rest = line;
    if (!fgets(line, sizeof line, times)) return false;
    for (int i = 0; i < 4; i++) {
        const char *word = strsep(&rest, ",\n");
        if (!word) return false;
        snprintf(field[i], TEXT, "%s", word);
    }
    return true;
}

/* The next case of a file of times: lines of one application and size that follow each other. */
static bool stored_case(FILE *times, char field[4][TEXT], const mmm_parameters *parameters, FILE *csv, result *out)
{
    static configuration all[CONFIGURATIONS_MOST];
    mmm_job *job;
    int count = 0;
    result r = {.each = 0};
    bool more = *field[0];
    if (!more) return false;
    snprintf(r.app, sizeof r.app, "%.95s", field[0]);
    snprintf(r.size, sizeof r.size, "%.95s", field[1]);
    must(mmm_job_new(r.app, &job));
    set_words(job, r.size);
    r.outside = outside(job);
    while (more && strcmp(field[0], r.app) == 0 && strcmp(field[1], r.size) == 0 && count < CONFIGURATIONS_MOST) {
        configuration *c = &all[count];
        snprintf(c->choice, sizeof c->choice, "%.95s", field[2]);
        c->first = c->best = atof(field[3]);
        set_words(job, c->choice);
        must(mmm_job_plan(job));
        c->program = mmm_program_digest(mmm_job_program(job));
        int same = 0; /* of a program under several names the least time counts, and it is predicted once */
        while (same < count && (mmm_program_is_open(mmm_job_program(job)) ||
                                memcmp(&all[same].program, &c->program, sizeof c->program) != 0))
            same++;
        if (same < count)
            all[same].best = fmin(all[same].best, c->best);
        else
            score(job, parameters, all[count++].score, &r.each);
        more = read_line(times, field);
    }
    if (!more) *field[0] = 0;
    mmm_job_free(job);
    r.each /= count;
    *out = judge(all, count, r, csv);
    return true;
}

static double mean_of(const result *all, int count, size_t at, double *worst)
{
    double sum = 0;
    *worst = 0;
    for (int i = 0; i < count; i++) {
        const double ratio = *(const double *)((const char *)&all[i] + at);
        sum += log(ratio);
        *worst = fmax(*worst, ratio);
    }
    return exp(sum / count);
}

/* Chosen over best, for each way: geometric mean and worst, with no runs and with few. */
static void summarise(const result *all, int count, const char *csv_path)
{
    char path[256] = "";
    double error = 0, near = 0, each = 0, worst[2];
    const char *end = csv_path ? strrchr(csv_path, '.') : NULL;
    if (end) snprintf(path, sizeof path, "%.*s.json", (int)(end - csv_path), csv_path);
    FILE *json = end ? fopen(path, "w") : NULL;
    for (int i = 0; i < count; i++) {
        error += all[i].error / count;
        near += all[i].near / count;
        each += all[i].each / count;
    }
    printf("\n%d cases, chosen over best\n%-20s %-22s  %-22s\n", count, "ranked by", "0 runs", "4 runs");
    if (json)
        fprintf(json, "{\"cases\":%d,\"error\":%.4f,\"near\":%.4f,\"seconds\":%.6f,\"ranked\":{", count, error, near,
                each);
    for (int w = 0; w < WAYS; w++) {
        const double zero = mean_of(all, count, offsetof(result, zero) + (size_t)w * sizeof(double), &worst[0]),
                     few = mean_of(all, count, offsetof(result, few) + (size_t)w * sizeof(double), &worst[1]);
        printf("%-20s mean %.3f worst %6.3f  mean %.3f worst %6.3f\n", ways[w], zero, worst[0], few, worst[1]);
        if (json)
            fprintf(json, "%s\"%s\":{\"0\":{\"mean\":%.4f,\"worst\":%.4f},\"4\":{\"mean\":%.4f,\"worst\":%.4f}}",
                    w ? "," : "", ways[w], zero, worst[0], few, worst[1]);
    }
    printf(
        "mean error of predicted times %.1f %%, of those within twice the best %.1f %%, a prediction takes %.2f ms\n",
        100 * error, 100 * near, each * 1e3);
    if (json) fprintf(json, "}}\n");
    if (json) fclose(json);
}

static bool is_csv(const char *name)
{
    const size_t length = strlen(name);
    return length > 4 && strcmp(name + length - 4, ".csv") == 0;
}

int main(int argc, char **argv)
{
    static result all[CONFIGURATIONS_MOST];
    const char *name = argc > 1 ? argv[1] : "cpu";
    char folder[] = "/tmp/mmm-tuner-XXXXXX", path[64], field[4][TEXT];
    mmm_machine *machine = NULL;
    mmm_parameters parameters;
    FILE *csv = argc > 2 && *argv[2] ? fopen(argv[2], "w") : NULL, *times = is_csv(name) ? fopen(name, "r") : NULL;
    int count = 0;
    /* The user's own wisdom stays as it is. */
    if (!mkdtemp(folder) || (is_csv(name) && !times)) return 1;
    snprintf(path, sizeof path, "%s/wisdom.jsonl", folder);
    setenv("MMM_WISDOM", path, 1);
    if (!times) must(mmm_machine_open(name, &machine));
    printf("%s: %s\n", name, times ? "times that were measured before" : mmm_machine_description(machine));
    if (argc > 3 && argv[3][0]) /* a machine file instead of a calibration */
        must(mmm_parameters_read(argv[3], &parameters));
    else if (times)
        must(mmm_parameters_read("h200", &parameters));
    else
        must(mmm_calibrate(machine, NULL, NULL, NULL, NULL, &parameters));
    if (machine) { /* whoever wrote the file may have had more cores */
        mmm_parameters own;
        must(mmm_machine_numbers(machine, &own));
        parameters.P = own.P;
    }
    const double seconds = argc > 4 ? atof(argv[4]) : 10; /* for a case, about */
    const int first = argc > 5 ? atoi(argv[5]) : 0, last = argc > 6 ? atoi(argv[6]) : CASES;
    if (csv) fprintf(csv, "app,size,choice,seconds,estimate,extended,plain,roofline,hong_kim\n");
    printf("%-23s %-20s %5s %4s  %12s %-26s %-26s", "application", "size", "times", "of", "best", "", "chosen");
    for (int w = 0; w < WAYS; w++)
        printf(" %-13.13s", ways[w]);
    printf("  %7s  %8s\n", "error", "each");
    if (times && read_line(times, field) && read_line(times, field)) /* after the heads */
        while (count < CONFIGURATIONS_MOST && stored_case(times, field, &parameters, csv, &all[count]))
            count++;
    for (int i = first; machine && i < last && i < CASES; i++) {
        const char *size = (strcmp(name, "cpu") == 0 ? cases[i / SIZES].sizes : cases[i / SIZES].larger)[i % SIZES];
        all[count++] = one_case(name, machine, &parameters, cases[i / SIZES].app, size, seconds, csv);
    }
    if (count) summarise(all, count, argc > 2 ? argv[2] : NULL);
    if (csv) fclose(csv);
    if (times) fclose(times);
    unlink(path);
    snprintf(path, sizeof path, "%s/%.20s.json", folder, name);
    for (char *c = path; *c; c++)
        if (*c == ':') *c = '-';
    unlink(path);
    rmdir(folder);
    mmm_machine_free(machine);
    return 0;
}
