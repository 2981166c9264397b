/* SPDX-License-Identifier: Apache-2.0 */
/* A report as one HTML page: its parts in order. */
#include "show/page/page.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>

static void tile(FILE *out, const char *name, const char *value)
{
    fputs("<div><dt>", out);
    mmm_html_text(out, name);
    fputs("</dt><dd>", out);
    mmm_html_text(out, value);
    fputs("</dd></div>", out);
}

static void write_tiles(FILE *out, const mmm_report_input *input, const mmm_verdict *v)
{
    if (v->chosen < 0) return;
    const mmm_trial *t = &input->trials[v->chosen];
    fputs("<dl class=\"tiles\">", out);
    tile(out, input->parameter, mmm_label_number((double)t->value).text);
    if (t->runs) tile(out, "measured, fastest", mmm_label_seconds(t->least).text);
    if (t->predicted.estimate > 0) tile(out, "predicted", mmm_label_seconds(t->predicted.estimate).text);
    for (int i = 0; t->analysis && i < mmm_quantity_count; i++) {
        const mmm_quantity *q = &mmm_quantities[i];
        char name[64];
        if (!q->main) continue;
        snprintf(name, sizeof name, "%s %s", q->name, q->head);
        tile(out, name, mmm_label_number(mmm_quantity_of(q, t->analysis).real).text);
    }
    fputs("</dl>\n", out);
}

static void write_warnings(FILE *out, const mmm_report_input *input)
{
    for (int i = 0; i < input->count; i++) {
        const mmm_trial *t = &input->trials[i];
        const mmm_counts *counts = t->analysis ? t->analysis->counts : NULL;
        if (t->checked && t->check != MMM_OK) {
            fputs("<p class=\"warning\">The result at ", out);
            mmm_html_text(out, input->parameter);
            fprintf(out, " = %" PRId64 " is wrong.</p>\n", t->value);
        }
        if (!counts || !counts->violation_count) continue;
        fputs("<p class=\"warning\">At ", out);
        mmm_html_text(out, input->parameter);
        fprintf(out, " = %" PRId64 " the abstract machine found %" PRId64 " kind%s of violation, the first: ", t->value,
                counts->violation_count, counts->violation_count == 1 ? "" : "s");
        mmm_html_text(out, mmm_violation_name(counts->violations[0].kind));
        fputs(".</p>\n", out);
    }
}

static void write_origin(FILE *out, const mmm_report_input *input)
{
    time_t date = input->date ? (time_t)input->date : time(NULL);
    struct tm parts;
    char text[64] = "";
    int runs = 0;
    if (gmtime_r(&date, &parts)) strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &parts);
    for (int i = 0; i < input->count; i++)
        runs += input->trials[i].runs;
    fprintf(out, "<footer id=\"origin\">\n<h2>How this was made</h2>\n<p>By mmm %s on %s, with %d run%s", MMM_VERSION,
            text, runs, runs == 1 ? "" : "s");
    if (input->device) {
        fputs(" on ", out);
        mmm_html_text(out, input->device);
        if (input->description) fputs(" (", out), mmm_html_text(out, input->description), fputs(")", out);
    }
    fputs(".</p>\n", out);
    mmm_html_command(out, input->command);
    fputs(
        "<p class=\"soft\">Times are those of the kernels alone. Work, span and overhead were counted on the abstract "
        "machine, and results compared with those of an independent library where the table says so.</p>\n</footer>\n",
        out);
}

mmm_status mmm_report_html(const mmm_report_input *input, const char *path)
{
    mmm_status result = MMM_OK;
    mmm_output output = {0};
    mmm_verdict verdict;
    char sentence[MMM_VERDICT_LENGTH], title[128];
    MMM_TRY(mmm_report_check(input));
    NEED(path, "the path of a report");
    if (input->count < 1) FAIL(MMM_INVALID, "a report needs at least one value of %s", input->parameter);
    mmm_verdict_find(input, &verdict);
    mmm_verdict_text(input, &verdict, sentence, sizeof sentence);
    snprintf(title, sizeof title, "mmm report: %.80s", input->app->name);
    TRY(mmm_output_open(&output, path));
    FILE *out = output.stream;
    mmm_page_begin(out, title);
    fputs("<header>\n<p class=\"kicker\">mmm report · many-core machine model</p>\n<h1 id=\"verdict\">", out);
    mmm_html_text(out, sentence);
    fputs("</h1>\n", out);
    write_warnings(out, input);
    write_tiles(out, input, &verdict);
    fputs("</header>\n<main>\n", out);
    TRY(mmm_part_plots(out, input, &verdict));
    TRY(mmm_part_limits(out, input, &verdict));
    mmm_part_words(out, input, &verdict);
    mmm_part_tables(out, input, &verdict);
    const mmm_analysis *chosen = verdict.chosen >= 0 ? input->trials[verdict.chosen].analysis : NULL;
    if (chosen && chosen->job && chosen->job->program) {
        int64_t P = input->P ? input->P : input->machine.P ? input->machine.P : 8;
        TRY(mmm_part_dag(out, chosen->job->program));
        TRY(mmm_part_schedule(out, chosen->job->program, &input->machine, P, input->seed));
    }
    TRY(mmm_part_formulas(out, input, &verdict));
    fputs("</main>\n", out);
    write_origin(out, input);
    mmm_page_end(out);
    TRY(mmm_output_commit(&output));
done:
    mmm_output_discard(&output);
    return result;
}

static json_t *positive(double value)
{
    return value > 0 ? mmm_json_number(value) : json_null();
}

static json_t *trial_object(const mmm_report_input *input, const mmm_trial *t)
{
    json_t *object = json_pack("{s:I, s:s?, s:{s:o, s:o, s:o}, s:i, s:o, s:o, s:o, s:o, s:s}", input->parameter,
                               (json_int_t)t->value, "skipped", t->skipped, "predicted", "plain",
                               positive(t->predicted.plain), "extended", positive(t->predicted.extended), "estimate",
                               positive(t->predicted.estimate), "runs", t->runs, "median", positive(t->median), "least",
                               positive(t->least), "most", positive(t->most), "noise", positive(t->noise), "check",
                               !t->checked          ? "none"
                               : t->check == MMM_OK ? "equal"
                                                    : "wrong");
    json_t *limits = mmm_limits_json(t->predicted.limits);
    if (limits) mmm_json_set(&object, "limits", limits);
    const mmm_analysis *a = t->analysis;
    for (int i = 0; a && i < mmm_quantity_count; i++) {
        const mmm_quantity *q = &mmm_quantities[i];
        if (q->head)
            mmm_json_set(&object, strlen(q->head) == 1 ? q->head : q->key, mmm_amount_json(mmm_quantity_of(q, a)));
    }
    return object;
}

mmm_status mmm_report_data(const mmm_report_input *input, const char *path)
{
    mmm_verdict verdict;
    char sentence[MMM_VERDICT_LENGTH];
    MMM_TRY(mmm_report_check(input));
    NEED(path, "the path of a report");
    json_t *trials = json_array(), *parameters = json_object();
    mmm_verdict_find(input, &verdict);
    mmm_verdict_text(input, &verdict, sentence, sizeof sentence);
    for (const mmm_parameter *p = input->app->parameters; p->name; p++)
        if (strcmp(p->name, input->parameter) != 0)
            mmm_json_set(&parameters, p->name, json_integer(mmm_job_get(input->job, p->name)));
    for (int i = 0; i < input->count; i++)
        mmm_json_append(&trials, trial_object(input, &input->trials[i]));
    json_t *chosen = verdict.chosen < 0 ? json_null() : json_integer(input->trials[verdict.chosen].value);
    return mmm_json_write(
        json_pack("{s:s, s:s, s:s, s:o, s:o, s:s?, s:s?, s:{s:s, s:o, s:I, s:I, s:o}, s:o}", "app", input->app->name,
                  "verdict", sentence, "parameter", input->parameter, "chosen", chosen, "parameters", parameters,
                  "device", input->device, "description", input->description, "machine", "name", input->machine.name,
                  "U", mmm_json_number(input->machine.U), "Z", (json_int_t)input->machine.Z, "P",
                  (json_int_t)input->machine.P, "operation", positive(input->machine.operation), "trials", trials),
        path, MMM_JSON_FORM);
}
