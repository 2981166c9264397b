/* SPDX-License-Identifier: Apache-2.0 */
/* Copying by the threads of the host, as a program of one kernel on its cores. */
#include "integer/integer.h"

enum { PART = 64, BYTES_FEW = 1 << 18 }; /* of a block; that one thread moves as fast as several */

typedef struct spreading {
    mmm_spread_work *work;
    void *context;
    int64_t count;
} spreading;

static void run_parts(const mmm_value *a, const mmm_call *call)
{
    const spreading *z = a[0].array;
    z->work(z->context, (int64_t)PART * call->first, mmm_lesser((int64_t)PART * call->last, z->count));
}

static mmm_entry *const entries[] = {run_parts};
static const mmm_kernel_parameter parameters[] = {{"work", MMM_PARAMETER_ARRAY, MMM_U64, 1}};
static const mmm_kernel kernel = {
    .name = "spread",
    .file = "spread.c",
    .parameters = parameters,
    .parameter_count = 1,
    .dimensions = 1,
    .compiled = {{entries, entries, entries, entries}, {entries, entries, entries, entries}}};

static mmm_status run(mmm_machine *host, spreading *z)
{
    mmm_status result = MMM_OK;
    mmm_program *program = NULL;
    mmm_progress *progress = host->progress;
    mmm_value array;
    TRY(mmm_program_new(&program));
    TRY(mmm_program_set_words(program, 32, NULL));
    TRY(mmm_program_array(program, "work", MMM_U64, sizeof *z / sizeof(uint64_t), MMM_IN, z, &array.number));
    TRY(mmm_program_launch(program, &kernel, (mmm_grid){mmm_quotient_up(z->count, PART), 1, 1, 1}, (mmm_local){0},
                           &array));
    program->took = 1; /* help is wanted at once */
    host->progress = NULL;
    result = mmm_machine_run(host, program, NULL);
    host->progress = progress;
done:
    mmm_program_free(program);
    return result;
}

void mmm_spread(mmm_machine *machine, int64_t count, int64_t bytes, mmm_spread_work *work, void *context)
{
    spreading z = {work, context, count};
    mmm_machine *host = machine && machine->type == &mmm_machine_cpu ? machine : NULL;
    if (bytes >= BYTES_FEW && machine && machine->type->gpu) {
        if (!machine->host && mmm_machine_open("cpu", &machine->host) != MMM_OK) machine->host = NULL;
        host = machine->host;
    }
    if (bytes < BYTES_FEW || !host || run(host, &z) != MMM_OK) work(context, 0, count);
}
