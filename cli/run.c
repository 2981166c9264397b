/* SPDX-License-Identifier: Apache-2.0 */
/* mmm run: an application on a machine, with files or random inputs. */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct request {
    const char *app, *machine, *over, *engine;
    text_list inputs, outputs;
    int check, json, fastest;
    int64_t repeat, batch, launches;
    settings settings;
} request;

enum { REPEAT = 9 };              /* runs where nothing is said, */
static const double moment = 0.5; /* within so many seconds */

/* A job with its inputs.  Settings may say how files are read, and must agree with them. */
static mmm_status job_of(const request *r, const char *app, int64_t number, mmm_job **job)
{
    mmm_status status = settings_job(&r->settings, app, number, job);
    if (status == MMM_OK && r->batch > 1) status = mmm_job_set_batch(*job, r->batch);
    for (int i = 0; status == MMM_OK && i < r->inputs.count; i++)
        status = mmm_job_read(*job, i, r->inputs.list[i]);
    if (status == MMM_OK) status = settings_apply(&r->settings, number, *job);
    return status;
}

static mmm_status run_one(const request *r, int64_t number, mmm_machine *machine, mmm_study **study,
                          const mmm_trial **trial)
{
    char text[] = "running";
    mmm_job *job = NULL;
    bool timed = mmm_machine_has_time(machine);
    mmm_status status = mmm_study_new(&(mmm_study_options){.machine = machine,
                                                           .choose = 1,
                                                           .warm = timed,
                                                           .repeat = r->repeat ? (int)r->repeat
                                                                     : timed   ? REPEAT
                                                                               : 1,
                                                           .limit = r->repeat ? 0 : moment,
                                                           .check = r->check,
                                                           .progress = show_progress,
                                                           .context = text},
                                      study);
    if (status == MMM_OK) status = job_of(r, r->app, number, &job);
    if (status == MMM_OK && r->fastest) {
        const char *app =
            mmm_fastest(machine, r->app, (uint64_t)mmm_job_get(job, "p"), mmm_job_get(job, "n"), mmm_job_get(job, "m"));
        mmm_job_free(job);
        job = NULL;
        status = app ? job_of(r, app, number, &job) : MMM_INVALID;
        if (status == MMM_OK) status = mmm_job_usual(job, machine);
    }
    if (status == MMM_OK)
        status = mmm_study_add(*study, job, trial);
    else
        mmm_job_free(job);
    end_progress();
    return status;
}

static void print_seconds(FILE *stream, double seconds)
{
    static const struct {
        double least, factor;
        const char *unit;
    } units[] = {{1, 1, "s"}, {1e-3, 1e3, "ms"}, {0, 1e6, "us"}};
    int i = 0;
    while (seconds < units[i].least)
        i++;
    fprintf(stream, "%.*f %s", i == 2 ? 1 : 3, seconds * units[i].factor, units[i].unit);
}

static void print_text(FILE *stream, const request *r, const mmm_trial *t, const mmm_machine *machine)
{
    const mmm_app *app = mmm_job_app(t->job);
    int kernels = mmm_program_kernels(mmm_job_program(t->job));
    fprintf(stream, "%s", app->name);
    for (const mmm_parameter *p = app->parameters; p->name; p++)
        fprintf(stream, " %s=%lld", p->name, (long long)mmm_job_get(t->job, p->name));
    if (r->batch > 1) fprintf(stream, ", %lld problems", (long long)r->batch);
    fputs(": ", stream);
    print_seconds(stream, t->median);
    if (t->runs > 1) {
        fputs(" (", stream);
        print_seconds(stream, t->least);
        fputs(" to ", stream);
        print_seconds(stream, t->most);
        fprintf(stream, ", %d runs)", t->runs);
    }
    fprintf(stream, ", %d kernel%s on %s (%s)", kernels, kernels == 1 ? "" : "s", r->machine,
            mmm_machine_description(machine));
    if (t->checked && t->check == MMM_OK) fprintf(stream, ", equal to the result of %s", app->oracle);
    if (t->checked && t->check != MMM_OK) fprintf(stream, ", WRONG: %s", t->message);
    if (t->origin != MMM_ORIGIN_GIVEN) fprintf(stream, "; what was not given is by %s", mmm_origin_name(t->origin));
    fputc('\n', stream);
}

static void print_json(FILE *stream, const request *r, const mmm_trial *t)
{
    const mmm_app *app = mmm_job_app(t->job);
    const char *comma = "";
    fprintf(stream, "{\"app\":\"%s\",\"parameters\":{", app->name);
    for (const mmm_parameter *p = app->parameters; p->name; p++, comma = ",")
        fprintf(stream, "%s\"%s\":%lld", comma, p->name, (long long)mmm_job_get(t->job, p->name));
    fprintf(stream, "}");
    if (r->batch > 1) fprintf(stream, ",\"batch\":%lld", (long long)r->batch);
    fprintf(stream,
            ",\"choice\":\"%s\",\"machine\":\"%s\",\"seconds\":%.9f,\"least\":%.9f,\"most\":%.9f,\"runs\":%d,"
            "\"kernels\":%d,\"check\":%s}",
            mmm_origin_name(t->origin), r->machine, t->median, t->least, t->most, t->runs,
            mmm_program_kernels(mmm_job_program(t->job)),
            !t->checked          ? "null"
            : t->check == MMM_OK ? "\"equal\""
                                 : "\"wrong\"");
}

/* What would be found only after a run: too many -o, and no check. */
static int check_request(const request *r)
{
    const mmm_app *app;
    int count = 0;
    mmm_status status = mmm_app_open(r->app, &app);
    if (status != MMM_OK) return complain_status(status);
    if (r->check && !app->check) return complain("%s has no check", app->name);
    while (app->outputs[count].name)
        count++;
    if (r->outputs.count > count)
        return complain("%s has %d output%s, there is none for '%s'", r->app, count, count == 1 ? "" : "s",
                        r->outputs.list[count]);
    return 0;
}

static int carry_out(const request *r)
{
    mmm_machine *machine = NULL;
    int64_t combinations = settings_combinations(&r->settings);
    int exit_status = EXIT_WORKED;
    bool to_standard_output = false;
    for (int i = 0; i < r->outputs.count; i++)
        if (strcmp(r->outputs.list[i], "-") == 0) to_standard_output = true;
    FILE *stream = to_standard_output ? stderr : stdout;
    if (combinations > 1 && r->outputs.count)
        return complain("-o takes one configuration, there are %lld", (long long)combinations);
    if (r->batch > 1 && r->outputs.count)
        return complain("-o writes one result, --batch makes %lld", (long long)r->batch);
    if (check_request(r)) return EXIT_USED_WRONGLY;
    mmm_status status = MMM_OK;
    for (int i = 0; status == MMM_OK && i < r->outputs.count; i++)
        status = mmm_path_check(r->outputs.list[i]);
    if (status == MMM_OK) status = mmm_machine_open(r->machine, &machine);
    if (status == MMM_OK) status = mmm_machine_set_launches(machine, (int)r->launches);
    if (status != MMM_OK) {
        mmm_machine_free(machine);
        return complain_status(status);
    }
    bool array = r->json && r->settings.ranged;
    if (array) fputc('[', stream);
    for (int64_t i = 0; status == MMM_OK && i < combinations; i++) {
        mmm_study *study = NULL;
        const mmm_trial *t = NULL;
        status = run_one(r, i, machine, &study, &t);
        show_wisdom_note();
        for (int j = 0; status == MMM_OK && t->check == MMM_OK && j < r->outputs.count; j++)
            status = mmm_job_write(t->job, j, r->outputs.list[j]);
        if (status == MMM_OK) {
            if (array && i) fputs(",\n", stream);
            r->json ? print_json(stream, r, t) : print_text(stream, r, t, machine);
            fflush(stream);
            if (t->check != MMM_OK) exit_status = EXIT_CHECK_FAILED;
        } else
            exit_status = status == MMM_STOPPED ? complain_interrupted() : complain_status(status);
        mmm_study_free(study);
    }
    if (array && status == MMM_OK) fputc(']', stream);
    if (r->json && status == MMM_OK) fputc('\n', stream);
    mmm_machine_free(machine);
    return exit_status;
}

static int read_words(void *context, const words *w)
{
    request *r = context;
    int status = 0;
    if (!w->count) return complain("an application of mmm list is needed");
    r->app = w->list[0];
    for (int i = 1; !status && i < w->count; i++) {
        if (strchr(w->list[i], '='))
            status = settings_add(&r->settings, w->list[i]);
        else if (r->inputs.count == LIST_MOST)
            status = complain("'%s' is one input too many", w->list[i]);
        else
            r->inputs.list[r->inputs.count++] = w->list[i];
    }
    if (!status && r->over && (r->settings.count || r->fastest || r->batch > 1))
        status = complain("--over takes files, and neither parameters nor --fastest nor --batch");
    else if (!status && r->engine && !r->over)
        status = complain("--engine is for --over Z");
    else if (!status && r->over)
        status = run_over(&(over_request){r->over, r->app, r->machine, r->engine, &r->inputs, &r->outputs, r->check,
                                          r->json, r->repeat});
    else if (!status)
        status = carry_out(r);
    settings_free(&r->settings);
    return status;
}

static const option_row options[] = {
    {'m', "machine", "M", OPTION_TEXT, offsetof(request, machine),
     .help = "cpu (default), abstract, cuda:N or opencl:N"},
    {'o', "output", "F", OPTION_TEXTS, offsetof(request, outputs),
     .help = "write a result; repeated, the next one (division: q, then r)", .most = LIST_MOST},
    {0, "check", NULL, OPTION_FLAG, offsetof(request, check),
     .help = "compare the result with that of the application's oracle (FLINT, a plain loop)"},
    {0, "fastest", NULL, OPTION_FLAG, offsetof(request, fastest),
     .help = "of multiplication, division or gcd: the algorithm that is fastest for the sizes, p and the machine"},
    {0, "over", "Z", OPTION_TEXT, offsetof(request, over),
     .help = "multiplication, division or gcd of files with integer coefficients, length  c0 c1 ... , by many primes; "
             "results are proved; and resultants, of polynomials in y, or in x and y: one for each power of y"},
    {0, "engine", "E", OPTION_TEXT, offsetof(request, engine),
     .help =
         "with --over Z: by all processes that mpirun started and the machines of each, -m cuda:0,cuda:1; the engine "
         "is starpu"},
    {0, "repeat", "N", OPTION_COUNT, offsetof(request, repeat),
     .help =
         "run N times after once to warm up, and report the median, the fastest and the slowest (default: 9, or what "
         "half a second is enough for)",
     .least = 1, .most = REPEAT_MOST},
    {0, "batch", "B", OPTION_COUNT, offsetof(request, batch),
     .help = "B problems of the sizes given at once, as one program with B times the blocks (default 1)", .least = 1,
     .most = BATCH_MOST},
    {0, "launches", "K", OPTION_COUNT, offsetof(request, launches),
     .help = "on CUDA devices: start the kernels K times a run and take the time of all over K (default 1)", .least = 1,
     .most = LAUNCHES_MOST},
    {0, "json", NULL, OPTION_FLAG, offsetof(request, json),
     .help = "print JSON: an object, or an array where a value is a list or range"},
    {0},
};

const verb verb_run = {
    .name = "run",
    .summary = "run an application on a machine and check its result",
    .use = "APP|FOLDER [INPUT ...] [name=value ...] [options]",
    .description =
        "Runs an application on the files given, in the order mmm list names them, or on random inputs of the sizes "
        "given. Polynomials are FLINT's text: length modulus  c0 c1 ... ; other arrays are raw little-endian "
        "elements or .npy; '-' is standard input or output. Where s or l is not given, it is what mmm tune found for "
        "the size or a near one, "
        "or else predicted.",
    .options = options,
    .example = "mmm run division n=10000 m=5000 s=16,64,256 --check\n"
               "mmm run division a.poly b.poly -o q.poly -o r.poly\n"
               "mmm run gcd a.poly b.poly -o g.poly --fastest\n"
               "mmm run gcd --over Z a.poly b.poly -o g.poly --check\n"
               "mpirun -n 4 mmm run gcd --over Z a.poly b.poly -o g.poly --engine starpu\n"
               "mmm run gcd-jump n=64 m=64 s=0 --batch 1000 --check\n"
               "mmm run radix-sort keys.bin -o sorted.bin",
    .exits = "0, 1 when a result is wrong, 2 when used wrongly, 130 when interrupted.",
    .usual = &(const request){.machine = "cpu", .batch = 1, .launches = 1},
    .size = sizeof(request),
    .call = read_words,
};
