/* SPDX-License-Identifier: Apache-2.0 */
/* mmm analyze: a program counted on the abstract machine, or given as data, with its bounds and schedules. */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

_Static_assert((int)LIST_MOST <= (int)MMM_BOUNDS_MOST, "an analysis has room for every -P");

typedef struct request {
    const char *subject, *machine, *dot, *trace, *csv, *export;
    text_list allowed;
    mmm_parameters parameters;
    number_list P;
    int64_t seed, batch;
    int json, kernels;
    settings settings;
} request;

/* A program given as data; a folder is an application. */
static bool is_file(const char *subject)
{
    size_t length = strlen(subject);
    struct stat status;
    if (strchr(subject, '/') && stat(subject, &status) == 0 && S_ISDIR(status.st_mode)) return false;
    return strcmp(subject, "-") == 0 || strchr(subject, '/') ||
           (length > 5 && strcmp(subject + length - 5, ".json") == 0);
}

/* The outputs that are asked for, of all analyses; --export, --dot and --trace of the one program there is. */
static mmm_status report(const request *r, const mmm_analysis *analyses, int count, const mmm_program *program)
{
    int64_t most = 1;
    mmm_status status = MMM_OK;
    for (int i = 0; i < r->P.count; i++)
        if (r->P.list[i] > most) most = r->P.list[i];
    if (r->export) status = mmm_program_write(program, r->export);
    if (status == MMM_OK && r->dot) status = mmm_report_dot(program, r->dot);
    if (status == MMM_OK && r->trace)
        status = mmm_report_trace(program, &r->parameters, most, (uint64_t)r->seed, r->trace);
    if (status == MMM_OK && r->csv) status = mmm_report_csv(analyses, count, r->csv);
    if (status != MMM_OK) return status;
    return r->json ? mmm_report_json(analyses, count, r->settings.ranged, "-") : mmm_report_text(analyses, count, "-");
}

static mmm_status analyze_file(const request *r)
{
    mmm_program *program = NULL;
    mmm_analysis analysis;
    mmm_status status = mmm_program_read(r->subject, &program);
    if (status == MMM_OK)
        status = mmm_analysis_make(&analysis, program, &r->parameters, r->P.list, r->P.count, (uint64_t)r->seed);
    if (status == MMM_OK) {
        analysis.app = r->subject;
        if (r->kernels) analysis.listed = program;
        status = report(r, &analysis, 1, program);
    }
    mmm_program_free(program);
    return status;
}

static mmm_status count(const request *r, int combinations, mmm_study *study)
{
    mmm_status status = MMM_OK;
    for (int i = 0; status == MMM_OK && i < combinations; i++) {
        mmm_job *job = NULL;
        status = settings_job(&r->settings, r->subject, i, &job);
        if (status == MMM_OK && r->batch > 1) status = mmm_job_set_batch(job, r->batch);
        if (status == MMM_OK) status = mmm_study_add(study, job, NULL);
    }
    end_progress();
    return status;
}

static mmm_status analyze_app(const request *r, int combinations, bool *violated)
{
    char text[] = "counting";
    mmm_study *study = NULL;
    mmm_analysis *analyses = NULL;
    int trials;
    mmm_status status = mmm_study_new(&(mmm_study_options){.parameters = &r->parameters,
                                                           .count = 1,
                                                           .traffic = r->kernels,
                                                           .P = r->P.list,
                                                           .P_count = r->P.count,
                                                           .seed = (uint64_t)r->seed,
                                                           .allowed = r->allowed.list,
                                                           .allowed_count = r->allowed.count,
                                                           .total = combinations,
                                                           .progress = show_progress,
                                                           .context = text},
                                      &study);
    if (status == MMM_OK) status = count(r, combinations, study);
    if (status == MMM_OK && !(analyses = calloc((size_t)combinations, sizeof *analyses)))
        status = mmm_fail(MMM_MEMORY, "no memory for %d analyses", combinations);
    if (status == MMM_OK) {
        const mmm_trial *trial = mmm_study_trials(study, &trials);
        for (int i = 0; i < trials; i++) {
            analyses[i] = *trial[i].analysis;
            if (r->kernels) analyses[i].listed = mmm_job_program(trial[i].job);
            *violated |= analyses[i].counts->violation_count > 0;
        }
        status = report(r, analyses, trials, mmm_job_program(trial[0].job));
    }
    free(analyses);
    mmm_study_free(study);
    return status;
}

static int carry_out(request *r)
{
    int64_t combinations = settings_combinations(&r->settings);
    bool file = is_file(r->subject), violated = false;
    if (file && r->settings.count) return complain("%s is a program given as data: it has no parameters", r->subject);
    if (combinations > 10000)
        return complain("%lld configurations are too many: at most 10000", (long long)combinations);
    const char *single = r->export ? "--export" : r->dot ? "--dot" : r->trace ? "--trace" : NULL;
    if (single && combinations > 1)
        return complain("%s takes one configuration, there are %lld", single, (long long)combinations);
    mmm_status status = mmm_parameters_read(r->machine, &r->parameters);
    if (status != MMM_OK) return complain_status(status);
    if (!r->P.count) r->P = r->parameters.P ? (number_list){{r->parameters.P}, 1} : (number_list){{1, 8, 132}, 3};
    status = file ? analyze_file(r) : analyze_app(r, (int)combinations, &violated);
    if (status != MMM_OK) return complain_status(status);
    return violated ? EXIT_CHECK_FAILED : EXIT_WORKED;
}

static int read_words(void *context, const words *w)
{
    request *r = context;
    if (!w->count) return complain("an application of mmm list, or a JSON file, is needed");
    r->subject = w->list[0];
    int status = settings_add_words(&r->settings, w, 1);
    if (!status) status = carry_out(r);
    settings_free(&r->settings);
    return status;
}

static const option_row options[] = {
    {'m', "machine", "M", OPTION_TEXT, offsetof(request, machine),
     .help = "abstract machine: " PARAMETERS " (default abstract)"},
    {0, "parameters", "P", OPTION_TEXT, offsetof(request, machine), .help = "the same as -m"},
    {'P', NULL, "LIST", OPTION_NUMBERS, offsetof(request, P),
     .help = "numbers of SMs for Theorem 1 and the schedules (default 1,8,132, or the machine's P)", .least = 1,
     .most = SMS_MOST},
    {0, "seed", "N", OPTION_COUNT, offsetof(request, seed),
     .help = "order of thread-blocks and of the schedule (default 1)", .most = INT64_MAX},
    {0, "allow", "A", OPTION_TEXTS, offsetof(request, allowed), .help = "races on array A are benign (may be repeated)",
     .most = LIST_MOST},
    {0, "batch", "B", OPTION_COUNT, offsetof(request, batch),
     .help = "B problems of the sizes given at once, as one program with B times the blocks (default 1)", .least = 1,
     .most = BATCH_MOST},
    {0, "kernels", NULL, OPTION_FLAG, offsetof(request, kernels),
     .help =
         "what each kernel costs, runs of alike kernels on one line; and what groups of 32 threads do in it and in its "
         "regions: operations by kind, sectors, lines, bank passes"},
    {0, "export", "F", OPTION_TEXT, offsetof(request, export),
     .help = "write the program as data: kernels with their costs, and edges; mmm analyze reads it again"},
    {0, "dot", "F", OPTION_TEXT, offsetof(request, dot), .help = "write the DAG in DOT"},
    {0, "trace", "F", OPTION_TEXT, offsetof(request, trace),
     .help = "write the schedule on the largest P as Chrome trace events"},
    {0, "csv", "F", OPTION_TEXT, offsetof(request, csv), .help = "write a table, Cilkscale's columns first"},
    {0, "json", NULL, OPTION_FLAG, offsetof(request, json),
     .help = "print JSON: an object, or an array where a value is a list or range"},
    {0},
};

const verb verb_analyze = {
    .name = "analyze",
    .summary = "count a program on the abstract machine: work, span, overhead, bounds, races",
    .use = "APP|FOLDER|FILE.json [name=value ...] [options]",
    .description =
        "Counts an application on the abstract machine: work W, span S, overhead O, the DAG's N, L, K, C, the bounds "
        "of "
        "Theorem 1 and Corollary 1, greedy schedules, and every violation of the memory policy. Or does the same for a "
        "program given as data: kernels with costs, and edges.\n\n"
        "A value is a number, a list 16,32 or a range 1-512:10log2 (start-stop:count, evenly in the logarithm).",
    .options = options,
    .example = "mmm analyze division n=4096 m=2048 s=16,32,64 -m U=100,Z=12288 -P 1,132",
    .exits = "0, 1 with a violation, 2 when used wrongly, 130 when interrupted.",
    .usual = &(const request){.machine = "abstract", .seed = 1, .batch = 1},
    .size = sizeof(request),
    .call = read_words,
};
