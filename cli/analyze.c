/* SPDX-License-Identifier: Apache-2.0 */
/* mmm analyze: a program counted on the abstract machine, or given as data, with its bounds and schedules. */
#include "cli.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int help(void)
{
    puts("Use: mmm analyze APP|FILE.json [name=value ...] [options]\n\n"
         "Counts an application on the abstract machine: work W, span S, overhead O, the DAG's N, L, K, C, the bounds "
         "of\n"
         "Theorem 1 and Corollary 1, greedy schedules, and every violation of the memory policy. Or does the same for "
         "a\n"
         "program given as data: kernels with costs, and edges.\n\n"
         "A value is a number, a list 16,32 or a range 1-512:10log2 (start-stop:count, evenly in the logarithm).\n\n"
         "  -m, --machine M   abstract machine: a name of mmm list, a JSON file, or U=100,Z=12288[,P=...]\n"
         "  -P LIST           numbers of SMs for Theorem 1 and the schedules (default 1,8,132, or the machine's P)\n"
         "      --seed N      order of thread-blocks, threads and the schedule (default 1)\n"
         "      --allow A     races on array A are benign (may be repeated)\n"
         "      --dot F       write the DAG in DOT\n"
         "      --trace F     write the schedule on the largest P as Chrome trace events\n"
         "      --csv F       write a table, Cilkscale's columns first\n"
         "      --json        print JSON: an object, or an array where a value is a list or range\n\n"
         "Example: mmm analyze division n=4096 m=2048 s=16,32,64 -m U=100,Z=12288 -P 1,132\n\n"
         "Exit status: 0, 1 with a violation, 2 when used wrongly.");
    return EXIT_WORKED;
}

enum { ALLOWED_MOST = 8 };

typedef struct request {
    const char *subject, *machine, *dot, *trace, *csv;
    const char *allowed[ALLOWED_MOST];
    int allowed_count;
    mmm_parameters parameters;
    int64_t P[MMM_BOUNDS_MOST];
    int P_count;
    int64_t seed;
    bool json;
    settings settings;
} request;

/* The analyses with all they borrow from. */
typedef struct answer {
    mmm_analysis *analyses;
    mmm_job **jobs;
    mmm_machine **machines;
    mmm_program *program; /* given as data */
    int count;
} answer;

static void release(answer *a)
{
    for (int i = 0; i < a->count; i++) {
        if (a->machines) mmm_machine_free(a->machines[i]);
        if (a->jobs) mmm_job_free(a->jobs[i]);
    }
    free(a->machines);
    free(a->jobs);
    free(a->analyses);
    mmm_program_free(a->program);
}

static bool is_file(const char *subject)
{
    size_t length = strlen(subject);
    return strchr(subject, '/') || (length > 5 && strcmp(subject + length - 5, ".json") == 0);
}

static mmm_status analyze_one(const request *r, answer *a, int i)
{
    mmm_status status = mmm_job_new(r->subject, &a->jobs[i]);
    if (status == MMM_OK) status = settings_apply(&r->settings, i, a->jobs[i]);
    if (status == MMM_OK) status = mmm_job_prepare(a->jobs[i]);
    for (int j = 0; status == MMM_OK && j < r->allowed_count; j++)
        status = mmm_program_allow_races(mmm_job_program(a->jobs[i]), r->allowed[j]);
    if (status == MMM_OK) status = mmm_machine_open_abstract(&r->parameters, (uint64_t)r->seed, &a->machines[i]);
    if (status == MMM_OK) {
        char text[64];
        snprintf(text, sizeof text, "counting %d of %d", i + 1, a->count);
        mmm_machine_on_progress(a->machines[i], show_progress, text);
        status = mmm_job_run(a->jobs[i], a->machines[i], NULL);
        mmm_machine_on_progress(a->machines[i], NULL, NULL);
        end_progress();
    }
    if (status == MMM_OK)
        status = mmm_analysis_make(&a->analyses[i], mmm_job_program(a->jobs[i]), &r->parameters, r->P, r->P_count,
                                   (uint64_t)r->seed);
    if (status != MMM_OK) return status;
    a->analyses[i].app = r->subject;
    a->analyses[i].job = a->jobs[i];
    a->analyses[i].counts = mmm_machine_counts(a->machines[i]);
    return MMM_OK;
}

static mmm_status analyze_file(const request *r, answer *a)
{
    mmm_status status = mmm_program_read(r->subject, &a->program);
    if (status == MMM_OK)
        status = mmm_analysis_make(&a->analyses[0], a->program, &r->parameters, r->P, r->P_count, (uint64_t)r->seed);
    if (status == MMM_OK) a->analyses[0].app = r->subject;
    return status;
}

static mmm_status report(const request *r, answer *a)
{
    mmm_program *first = a->program ? a->program : mmm_job_program(a->jobs[0]);
    int64_t most = 1;
    mmm_status status = MMM_OK;
    for (int i = 0; i < r->P_count; i++)
        if (r->P[i] > most) most = r->P[i];
    if (r->dot) status = mmm_report_dot(first, r->dot);
    if (status == MMM_OK && r->trace)
        status = mmm_report_trace(first, &r->parameters, most, (uint64_t)r->seed, r->trace);
    if (status == MMM_OK && r->csv) status = mmm_report_csv(a->analyses, a->count, r->csv);
    if (status != MMM_OK) return status;
    return r->json ? mmm_report_json(a->analyses, a->count, r->settings.ranged, "-")
                   : mmm_report_text(a->analyses, a->count, "-");
}

static int carry_out(request *r)
{
    answer a = {0};
    int64_t combinations = settings_combinations(&r->settings);
    bool file = is_file(r->subject);
    if (file && r->settings.count) return complain("%s is a program given as data: it has no parameters", r->subject);
    if (combinations > 10000)
        return complain("%lld configurations are too many: at most 10000", (long long)combinations);
    mmm_status status = mmm_parameters_read(r->machine, &r->parameters);
    if (status != MMM_OK) return complain_status(status);
    if (!r->P_count) {
        static const int64_t usual[] = {1, 8, 132};
        r->P_count = r->parameters.P ? 1 : 3;
        memcpy(r->P, r->parameters.P ? &r->parameters.P : usual, (size_t)r->P_count * sizeof *r->P);
    }
    a.count = file ? 1 : (int)combinations;
    a.analyses = calloc((size_t)a.count, sizeof *a.analyses);
    if (!file) {
        a.jobs = calloc((size_t)a.count, sizeof(mmm_job *));
        a.machines = calloc((size_t)a.count, sizeof(mmm_machine *));
    }
    if (!a.analyses || (!file && (!a.jobs || !a.machines))) {
        release(&a);
        return complain("no memory for %d analyses", a.count);
    }
    if (file) status = analyze_file(r, &a);
    for (int i = 0; !file && status == MMM_OK && i < a.count; i++)
        status = analyze_one(r, &a, i);
    if (status == MMM_OK) status = report(r, &a);
    int exit_status = status == MMM_OK ? EXIT_WORKED : complain_status(status);
    for (int i = 0; exit_status == EXIT_WORKED && i < a.count; i++)
        if (a.analyses[i].counts && a.analyses[i].counts->violation_count) exit_status = EXIT_CHECK_FAILED;
    release(&a);
    return exit_status;
}

int verb_analyze(int argc, char **argv)
{
    static const struct option options[] = {{"machine", required_argument, NULL, 'm'},
                                            {"seed", required_argument, NULL, 's'},
                                            {"allow", required_argument, NULL, 'a'},
                                            {"dot", required_argument, NULL, 'd'},
                                            {"trace", required_argument, NULL, 't'},
                                            {"csv", required_argument, NULL, 'c'},
                                            {"json", no_argument, NULL, 'j'},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    request r = {.machine = "abstract", .seed = 1};
    int status = 0, count;
    opterr = 0;
    for (int c; !status && (c = getopt_long(argc, argv, ":m:P:h", options, NULL)) != -1;) {
        switch (c) {
        case 'm': r.machine = optarg; break;
        case 'P': status = read_numbers(optarg, "-P", r.P, MMM_BOUNDS_MOST, &r.P_count); break;
        case 's': status = read_numbers(optarg, "--seed", &r.seed, 1, &count); break;
        case 'a':
            if (r.allowed_count == ALLOWED_MOST) return complain("at most %d arrays may be allowed", ALLOWED_MOST);
            r.allowed[r.allowed_count++] = optarg;
            break;
        case 'd': r.dot = optarg; break;
        case 't': r.trace = optarg; break;
        case 'c': r.csv = optarg; break;
        case 'j': r.json = true; break;
        case 'h': return help();
        default: return complain_option(c, argv, options);
        }
    }
    for (int i = optind; !status && i < argc; i++) {
        if (strchr(argv[i], '=') && r.subject)
            status = settings_add(&r.settings, argv[i]);
        else if (!r.subject)
            r.subject = argv[i];
        else
            status = complain("'%s': a parameter is written name=value", argv[i]);
    }
    if (!status && !r.subject) status = complain("analyze what? an application of mmm list, or a JSON file");
    if (!status) status = carry_out(&r);
    settings_free(&r.settings);
    return status;
}
