/* SPDX-License-Identifier: Apache-2.0 */
/* mmm import: kernel launches that a profiler listed, as a program file. */
#include "cli.h"

#include <stdio.h>
#include <string.h>

typedef struct request {
    const char *output;
    int json;
} request;

/* What there is, for people, or as an object. */
static void print_summary(const request *r, const mmm_program *program, const mmm_shape *shape)
{
    int64_t counted = 0, measured = 0;
    double seconds = 0;
    for (int k = 0; k < mmm_program_kernels(program); k++) {
        mmm_kernel_info info;
        if (mmm_program_kernel(program, k, &info) != MMM_OK) continue;
        counted += info.work > 0;
        measured += info.seconds > 0;
        seconds += info.seconds;
    }
    if (r->json) {
        printf("{\"file\":");
        print_json_string(r->output);
        printf(
            ",\"kernels\":%lld,\"N\":%lld,\"L\":%lld,\"K\":%lld,\"counted\":%lld,\"measured\":%lld,\"seconds\":%.9f}\n",
            (long long)shape->kernels, (long long)shape->N, (long long)shape->L, (long long)shape->K,
            (long long)counted, (long long)measured, seconds);
        return;
    }
    printf("%s: %lld kernels, N = %lld blocks, L = %lld, K = %lld; ", r->output, (long long)shape->kernels,
           (long long)shape->N, (long long)shape->L, (long long)shape->K);
    if (measured)
        printf("%.1f us were measured", seconds * 1e6);
    else
        printf("no times");
    puts(counted ? "" : "; the file has no instructions: work and span are 0");
}

static int read_words(void *context, const words *w)
{
    request *r = context;
    mmm_program *program = NULL;
    mmm_shape shape;
    if (w->count != 1) return complain("one CSV file of a profiler is needed, there are %d", w->count);
    if (r->json && strcmp(r->output, "-") == 0) return complain("--json and -o - both want standard output");
    mmm_status status = mmm_program_import(w->list[0], &program);
    if (status == MMM_OK) status = mmm_program_shape(program, &shape);
    if (status == MMM_OK) status = mmm_program_write(program, r->output);
    if (status == MMM_OK && strcmp(r->output, "-") != 0) print_summary(r, program, &shape);
    mmm_program_free(program);
    return status == MMM_OK ? EXIT_WORKED : complain_status(status);
}

static const option_row options[] = {
    {'o', "output", "F", OPTION_TEXT, offsetof(request, output),
     .help = "the program file (default program.json; '-': standard output)"},
    {0, "json", NULL, OPTION_FLAG, offsetof(request, json), .help = "print what was found as JSON"},
    {0},
};

const verb verb_import = {
    .name = "import",
    .summary = "kernel launches that a profiler listed, as a program for mmm analyze",
    .use = "FILE.csv [options]",
    .description =
        "Reads the CSV of Nsight Compute (ncu --csv) or of Nsight Systems (nsys stats -r cuda_gpu_trace -f csv) and "
        "writes a "
        "program file, with which mmm analyze tells N, L, K, W, S, O, C, the bounds and greedy schedules of CUDA code "
        "that "
        "already exists, beside the times that were measured. The launches of a stream follow each other; one in the "
        "default stream follows all before it. Work is instructions, alpha and beta are words in the sectors of the "
        "cache "
        "before global memory, where the file has them: ncu --csv --page raw with the metrics smsp__inst_executed.sum, "
        "smsp__thread_inst_executed.sum, lts__t_sectors_op_read.sum, lts__t_sectors_op_write.sum and "
        "gpu__time_duration.sum. Files of both were tried as an H200 wrote them.",
    .options = options,
    .example = "mmm import launches.csv -o program.json\n"
               "mmm analyze program.json -m h200 --kernels",
    .exits = "0, 2 when used wrongly.",
    .usual = &(const request){.output = "program.json"},
    .size = sizeof(request),
    .call = read_words,
};
