/* SPDX-License-Identifier: Apache-2.0 */
/* A greedy schedule as Chrome trace events, which Perfetto and chrome://tracing open. */
#include "show/show.h"

#include <inttypes.h>
#include <stdlib.h>

enum { SMS_MOST = 65536, EVENTS_MOST = 100000 }; /* some 20 MB, which a browser still opens */

/* What a SM does now: blocks of one kernel one after the other are one event. */
typedef struct event {
    int kernel;
    double start, end;
    int64_t blocks;
} event;

typedef struct trace {
    FILE *stream;
    const mmm_program *program;
    event *open; /* one a SM */
    int64_t events;
} trace;

static void close_event(trace *t, int64_t sm)
{
    const event *e = &t->open[sm];
    if (!e->blocks || ++t->events > EVENTS_MOST) return;
    fprintf(t->stream, ",\n{\"ph\":\"X\",\"pid\":1,\"tid\":%" PRId64 ",\"ts\":%.15g,\"dur\":%.15g,\"name\":", sm,
            e->start, e->end - e->start);
    if (!mmm_json_string(t->stream, t->program->nodes[e->kernel].name)) fputs("\"?\"", t->stream);
    fprintf(t->stream, ",\"args\":{\"kernel\":%d,\"blocks\":%" PRId64 "}}", e->kernel, e->blocks);
}

static void visit(void *context, const mmm_slice *slice)
{
    trace *t = context;
    for (int64_t sm = slice->sm; sm < slice->sm + slice->sms && t->events <= EVENTS_MOST; sm++) {
        event *e = &t->open[sm];
        double end = slice->start + slice->duration * (double)slice->rounds;
        if (e->blocks && e->kernel == slice->kernel && e->end == slice->start) {
            e->end = end;
            e->blocks += slice->rounds;
            continue;
        }
        close_event(t, sm);
        *e = (event){slice->kernel, slice->start, end, slice->rounds};
    }
}

mmm_status mmm_report_trace(const mmm_program *program, const mmm_parameters *machine, int64_t P, uint64_t seed,
                            const char *path)
{
    mmm_status result = MMM_OK;
    mmm_output output = {0};
    trace t = {.program = program};
    double makespan;
    NEED(program, "the program");
    NEED(path, "the path of a trace");
    MMM_TRY(mmm_parameters_check(machine));
    if (P < 1) FAIL(MMM_INVALID, "a trace needs at least 1 SM, not P = %lld", (long long)P);
    if (P > SMS_MOST)
        FAIL(MMM_TOO_LARGE, "a trace of %lld SMs is too large: it has a row for each, and at most %d", (long long)P,
             SMS_MOST);
    TRY(mmm_alloc(&t.open, P, sizeof *t.open));
    TRY(mmm_output_open(&output, path));
    t.stream = output.stream;
    fprintf(t.stream,
            "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"unit\":\"1 us is one local operation\",\"P\":%" PRId64
            "},\"traceEvents\":[\n{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\":"
            "\"greedy schedule on %" PRId64 " SMs\"}}",
            P, P);
    for (int64_t sm = 0; sm < P; sm++)
        fprintf(t.stream,
                ",\n{\"ph\":\"M\",\"pid\":1,\"tid\":%" PRId64
                ",\"name\":\"thread_name\",\"args\":{\"name\":\"SM %" PRId64 "\"}}",
                sm, sm);
    TRY(mmm_program_schedule(program, machine, P, seed, visit, &t, &makespan));
    for (int64_t sm = 0; sm < P; sm++)
        close_event(&t, sm);
    if (t.events > EVENTS_MOST)
        FAIL(MMM_TOO_LARGE, "a trace of more than %d events is too large: take a smaller program or fewer SMs",
             EVENTS_MOST);
    fprintf(t.stream, "\n]}\n");
    TRY(mmm_output_commit(&output));
done:
    mmm_output_discard(&output);
    free(t.open);
    return result;
}
