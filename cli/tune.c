/* SPDX-License-Identifier: Apache-2.0 */
/* mmm tune: the best s (and l) of an application for a size and a machine. */
#include "cli.h"

#include "mmm/engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct request {
    const char *app, *machine, *parameters, *engine;
    mmm_tune_options options;
    int64_t repeat;
    int json;
    settings settings;
} request;

enum { SHOWN = 12, LIMITS_SECONDS = 3 };

static void print_configuration(const mmm_job *job, const mmm_candidate *c)
{
    int numbers[MMM_CHOICES_MOST], count = mmm_app_choices(mmm_job_app(job), numbers);
    for (int i = 0; i < count; i++)
        printf(" %s=%-5lld", mmm_job_app(job)->parameters[numbers[i]].name, (long long)c->values[i]);
}

/* What limits those that are shown: on a GPU it takes as long as some predictions, so there is a moment for it. */
static mmm_status find_limits(const request *r, const mmm_parameters *machine, const mmm_tuning *t)
{
    mmm_status status = MMM_OK;
    const double start = mmm_now();
    if (!(machine->gpu[MMM_GPU_LAUNCH] > 0)) return MMM_OK; /* cores: known */
    for (int k = -1; k < t->count && k < SHOWN && status == MMM_OK && mmm_now() - start < LIMITS_SECONDS; k++) {
        mmm_candidate *c = &t->candidates[k < 0 ? t->chosen : k];
        int numbers[MMM_CHOICES_MOST];
        mmm_job *job = NULL;
        mmm_prediction known;
        if ((k < 0 && t->chosen < 0) || k == t->chosen || c->invalidity != MMM_INVALIDITY_CORRECT) continue;
        status = mmm_job_new(r->app, &job);
        if (status == MMM_OK) status = settings_apply(&r->settings, 0, job);
        const int count = status == MMM_OK ? mmm_app_choices(mmm_job_app(job), numbers) : 0;
        for (int i = 0; i < count && status == MMM_OK; i++)
            status = mmm_job_set(job, mmm_job_app(job)->parameters[numbers[i]].name, c->values[i]);
        if (status == MMM_OK) status = mmm_predict_limits(job, machine, &known, NULL, 0, NULL);
        if (status == MMM_OK) memcpy(c->prediction.limits, known.limits, sizeof known.limits);
        mmm_job_free(job);
    }
    return status;
}

/* "latency 61 %"; "-" where it is not known. */
static const char *limited_by(const mmm_candidate *c, char text[32])
{
    double part;
    const int largest = mmm_limit_largest(c->prediction.limits, &part);
    if (largest < 0) return "-";
    snprintf(text, 32, "%s %.0f %%", mmm_limit_name(largest), 100 * part);
    return text;
}

static void print_text(const mmm_job *job, const mmm_tuning *t)
{
    int pruned = 0, shown = 0;
    char text[32];
    const bool limits = t->chosen >= 0 && mmm_limit_largest(t->candidates[t->chosen].prediction.limits, NULL) >= 0;
    printf(" configuration     predicted     measured%s\n", limits ? "  limited by" : "");
    for (int i = 0; i < t->count; i++) {
        const mmm_candidate *c = &t->candidates[i];
        if (c->invalidity == MMM_INVALIDITY_CONSTRAINTS) {
            pruned++;
            continue;
        }
        if (++shown > SHOWN && !(c->best > 0)) continue;
        print_configuration(job, c);
        printf("  %9.3f ms", c->prediction.estimate * 1e3);
        if (c->best > 0)
            printf(" %9.3f ms", c->best * 1e3);
        else if (limits)
            printf(" %12s", "");
        if (limits) printf("  %s", limited_by(c, text));
        if (c->reason[0]) printf("  %s: %s", mmm_invalidity_name(c->invalidity), c->reason);
        puts(i == t->chosen ? "  <- chosen" : "");
    }
    if (pruned) printf(" %d left out before anything was compiled\n", pruned);
    const mmm_candidate *best = &t->candidates[t->chosen];
    printf("%s:", mmm_job_app(job)->name);
    print_configuration(job, best);
    if (best->best > 0)
        printf(" %.3f ms", best->best * 1e3);
    else
        printf(" %.3f ms predicted", best->prediction.estimate * 1e3);
    printf(", %lld runs, %lld executions, %s", (long long)t->runs, (long long)t->executions,
           mmm_tuning_end_name(t->end));
    if (t->ties) printf("; %d other%s cannot be told apart from it", t->ties, t->ties == 1 ? "" : "s");
    if (t->lead > 0) printf("; the next is slower by %.0f %%, the noise is %.0f %%", 100 * t->lead, 100 * t->noise);
    puts("");
    if (t->doubtful)
        printf(
            "doubtful: that is %.3g times the prediction, so other work was in the way, or the numbers are not of this "
            "machine (mmm calibrate)\n",
            best->best / best->prediction.estimate);
}

static void print_json(const mmm_job *job, const mmm_tuning *t)
{
    const mmm_candidate *c = &t->candidates[t->chosen];
    const char *comma = "";
    printf("{\"app\":\"%s\",\"parameters\":{", mmm_job_app(job)->name);
    for (const mmm_parameter *p = mmm_job_app(job)->parameters; p->name; p++, comma = ",")
        printf("%s\"%s\":%lld", comma, p->name, (long long)mmm_job_get(job, p->name));
    if (c->best > 0)
        printf("},\"seconds\":%.9f", c->best);
    else
        printf("},\"seconds\":null");
    printf(",\"predicted\":%.9f,\"runs\":%lld,\"executions\":%lld,\"ties\":%d,\"lead\":%.4f,\"noise\":%.4f,"
           "\"doubtful\":%s,\"end\":\"%s\"",
           c->prediction.estimate, (long long)t->runs, (long long)t->executions, t->ties, t->lead, t->noise,
           t->doubtful ? "true" : "false", mmm_tuning_end_name(t->end));
    comma = ",\"limits\":{";
    for (int i = 0; i < MMM_LIMITS && mmm_limit_largest(c->prediction.limits, NULL) >= 0; i++, comma = ",")
        printf("%s\"%s\":%.9f%s", comma, mmm_limit_name(i), c->prediction.limits[i], i == MMM_LIMITS - 1 ? "}" : "");
    puts("}");
}

static mmm_status tune(const request *r, mmm_job *job, mmm_machine *machine, mmm_tuning *t)
{
    mmm_parameters parameters;
    mmm_tune_options options = r->options;
    int own = 1;
    mmm_status status =
        r->parameters ? mmm_parameters_read(r->parameters, &parameters) : mmm_parameters_of(machine, &parameters, &own);
    if (status == MMM_OK && !own && !r->json)
        printf("%s is not calibrated: predictions are for %s (mmm calibrate %s)\n", r->machine, parameters.name,
               r->machine);
    options.keep |= !own; /* what is predicted for another machine is no reason to doubt times of this one */
    if (status == MMM_OK) status = mmm_tune(job, machine, &parameters, &options, t);
    return status == MMM_OK ? find_limits(r, &parameters, t) : status;
}

static int carry_out(const request *r)
{
    mmm_machine *machine = NULL;
    mmm_job *job = NULL;
    mmm_tuning t = {0};
    if (r->settings.ranged) return complain("one size at a time: a list or range is for mmm run and mmm analyze");
    mmm_status status = mmm_machine_open(r->machine, &machine);
    if (status == MMM_OK) status = mmm_job_new(r->app, &job);
    if (status == MMM_OK) status = settings_apply(&r->settings, 0, job);
    if (status == MMM_OK) status = tune(r, job, machine, &t);
    end_progress();
    if (status == MMM_OK) (r->json ? print_json : print_text)(job, &t);
    show_wisdom_note();
    bool wrong = false;
    for (int i = 0; i < t.count; i++)
        wrong |= t.candidates[i].invalidity == MMM_INVALIDITY_CORRECTNESS;
    int exit_status = status != MMM_OK ? complain_status(status) : wrong ? EXIT_CHECK_FAILED : EXIT_WORKED;
    mmm_tuning_free(&t);
    mmm_job_free(job);
    mmm_machine_free(machine);
    return exit_status;
}

/* A line for each kind of device. */
static void print_kinds(const request *r, const mmm_job *job, const mmm_kind_tuning *kinds, int count)
{
    const mmm_app *app = mmm_job_app(job);
    int numbers[MMM_CHOICES_MOST], choices = mmm_app_choices(app, numbers);
    if (r->json) fputc('[', stdout);
    for (int k = 0; k < count; k++) {
        const mmm_kind_tuning *t = &kinds[k];
        if (r->json) {
            printf("%s{", k ? ",\n" : "");
            print_json_field("app", app->name, ",");
            print_json_field("device", t->device, ",\"configuration\":{");
            for (int i = 0; i < choices; i++)
                printf("%s\"%s\":%lld", i ? "," : "", app->parameters[numbers[i]].name, (long long)t->values[i]);
            printf("},\"seconds\":%.9f,\"predicted\":%.9f,\"workers\":%d,\"runs\":%lld,\"ties\":%d,\"end\":\"%s\"}",
                   t->best, t->predicted, t->workers, (long long)t->runs, t->ties, mmm_tuning_end_name(t->end));
            continue;
        }
        printf("%s on %s (%s), %d worker%s:", app->name, t->machine, t->device, t->workers, t->workers == 1 ? "" : "s");
        for (int i = 0; i < choices; i++)
            printf(" %s=%lld", app->parameters[numbers[i]].name, (long long)t->values[i]);
        printf(t->best > 0 ? " %.3f ms" : " %.3f ms predicted", (t->best > 0 ? t->best : t->predicted) * 1e3);
        printf(", %lld runs, %s", (long long)t->runs, mmm_tuning_end_name(t->end));
        if (t->ties) printf("; %d other%s cannot be told apart from it", t->ties, t->ties == 1 ? "" : "s");
        if (t->doubtful) printf("; doubtful: far from its prediction of %.3f ms", t->predicted * 1e3);
        puts("");
        if (t->results[0] && strcmp(t->results, "-") != 0) printf("its results are in %s\n", t->results);
    }
    if (r->json) puts("]");
}

static int lead(const request *r, mmm_engine *engine)
{
    mmm_job *job = NULL;
    mmm_kind_tuning *kinds = NULL;
    int count = 0, wrong = 0;
    mmm_status status = mmm_job_new(r->app, &job);
    if (status == MMM_OK) status = settings_apply(&r->settings, 0, job);
    if (status == MMM_OK) status = mmm_tune_kinds(engine, r->app, job, &r->options, &kinds, &count);
    end_progress();
    if (status == MMM_OK) print_kinds(r, job, kinds, count);
    for (int k = 0; k < count; k++)
        wrong |= kinds[k].wrong;
    show_wisdom_note();
    int exit_status = status != MMM_OK ? complain_status(status) : wrong ? EXIT_CHECK_FAILED : EXIT_WORKED;
    free(kinds);
    mmm_job_free(job);
    return exit_status;
}

/* By all processes that mpirun started.  A CPU is tuned as a whole. */
static int carry_out_together(const request *r)
{
    char machines[512] = "";
    mmm_engine *engine;
    if (r->settings.ranged) return complain("one size at a time: a list or range is for mmm run and mmm analyze");
    if (r->parameters) return complain("--parameters are of one machine, --engine has its own for each");
    for (const char *at = r->machine; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        const int length = (int)strcspn(at, ",");
        const size_t used = strlen(machines);
        snprintf(machines + used, sizeof machines - used, "%s%.*s%s", used ? "," : "", length, at,
                 length == 3 && strncmp(at, "cpu", 3) == 0 ? "=1" : "");
    }
    mmm_status status = mmm_engine_open(r->engine, machines, &engine);
    if (status == MMM_STOPPED)
        return EXIT_WORKED; /* rank 0 says why, and fails: mpirun ends with the first that does */
    if (status != MMM_OK) return complain_status(status);
    int exit_status = EXIT_WORKED;
    if (mmm_engine_rank(engine) == 0)
        exit_status = lead(r, engine);
    else if ((status = mmm_engine_serve(engine)) != MMM_OK)
        exit_status = complain_status(status);
    mmm_engine_free(engine);
    return exit_status;
}

static int read_words(void *context, const words *w)
{
    request *r = context;
    if (!w->count) return complain("an application of mmm list is needed");
    r->app = w->list[0];
    r->options.repeat = (int)r->repeat;
    int status = settings_add_words(&r->settings, w, 1);
    if (!status) status = r->engine ? carry_out_together(r) : carry_out(r);
    settings_free(&r->settings);
    return status;
}

static const option_row options[] = {
    {'m', "machine", "M", OPTION_TEXT, offsetof(request, machine), .help = "cpu (default), cuda:N or opencl:N"},
    {0, "parameters", "P", OPTION_TEXT, offsetof(request, parameters),
     .help = "predict with these: " PARAMETERS " (default: what mmm calibrate wrote)"},
    {0, "max-runs", "K", OPTION_COUNT, offsetof(request, options.max_runs),
     .help = "measure at most K times (default 24)", .least = 1, .most = 1000000},
    {0, "time-limit", "SEC", OPTION_POSITIVE, offsetof(request, options.time_limit),
     .help = "end after so many seconds", .most = SECONDS_MOST},
    {0, "repeat", "N", OPTION_COUNT, offsetof(request, repeat),
     .help = "executions of a measurement, after one to warm up; the best counts (default 3)", .least = 1,
     .most = MMM_TIMES_MOST},
    {0, "dry-run", NULL, OPTION_FLAG, offsetof(request, options.dry_run), .help = "measure nothing"},
    {0, "keep", NULL, OPTION_FLAG, offsetof(request, options.keep),
     .help = "keep the choice for mmm run also where its time is far from its prediction"},
    {0, "exhaustive", NULL, OPTION_FLAG, offsetof(request, options.exhaustive), .help = "measure everything"},
    {'o', "output", "F", OPTION_TEXT, offsetof(request, options.results), .help = "results, in the T4 format"},
    {0, "engine", "E", OPTION_TEXT, offsetof(request, engine),
     .help = "by all processes that mpirun started, for each kind of device among their machines, -m cuda:0,cpu; the "
             "engine is starpu"},
    {0, "json", NULL, OPTION_FLAG, offsetof(request, json), .help = "print the choice as JSON"},
    {0},
};

static char what[] = "tuning";

const verb verb_tune = {
    .name = "tune",
    .summary = "find the best s for a size and a machine, with few runs",
    .use = "APP|FOLDER [name=value ...] [options]",
    .description =
        "Finds the s (and l) with which an application is fastest for a size. Configurations that cannot run or cannot "
        "win are left out, the others are ranked by prediction, and the first ones measured in turn, and checked, "
        "until one "
        "stands out from the noise. The choice goes to the wisdom, where mmm run finds it. Interrupted, the same "
        "command with the same -o goes on.",
    .options = options,
    .example = "mmm tune gcd n=4000 m=3500\n"
               "mpirun -n 2 mmm tune gcd n=4000 m=3500 --engine starpu -m cuda:0 -o results.json",
    .exits = "0, 1 when a result is wrong, 2 when used wrongly, 130 when interrupted.",
    .usual = &(const request){.machine = "cpu", .options = {.progress = show_progress, .context = what}},
    .size = sizeof(request),
    .call = read_words,
};
