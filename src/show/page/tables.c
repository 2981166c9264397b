/* SPDX-License-Identifier: Apache-2.0 */
/* The algorithm and the machine of a report in words, and its tables of numbers. */
#include "show/page/page.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void write_parameters(FILE *out, const mmm_report_input *input)
{
    fputs("<div class=\"scroll fit\"><table class=\"plain\"><tbody>\n", out);
    for (const mmm_parameter *p = input->app->parameters; p->name; p++) {
        fputs("<tr><th scope=\"row\">", out);
        mmm_html_text(out, p->name);
        fputs("</th><td>", out);
        if (strcmp(p->name, input->parameter) == 0)
            fputs("varies", out);
        else
            fputs(mmm_label_number((double)mmm_job_get(input->job, p->name)).text, out);
        fputs("</td><td>", out);
        mmm_html_text(out, p->meaning);
        fputs("</td></tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
}

static void write_machine(FILE *out, const mmm_report_input *input)
{
    const mmm_parameters *m = &input->machine;
    fputs("<h3>The machine</h3>\n<p>", out);
    if (input->device) {
        fputs("It ran on <strong>", out);
        mmm_html_text(out, input->device);
        fputs("</strong>", out);
        if (input->description) fputs(": ", out), mmm_html_text(out, input->description);
        fputs(". ", out);
    } else
        fputs("Nothing was run. ", out);
    fputs("The model takes the numbers of <strong>", out);
    mmm_html_text(out, m->name);
    fprintf(out, "</strong>: moving a word between global and local memory takes as long as U = %s local operations",
            mmm_label_number(m->U).text);
    fprintf(out, ", a streaming multiprocessor (SM) has Z = %s words of local memory",
            mmm_label_number((double)m->Z).text);
    if (m->P)
        fprintf(out, ", and there are P = %" PRId64 " of them", m->P);
    else
        fputs(", and their number has no limit", out);
    if (m->operation > 0) fprintf(out, ". A local operation takes %s", mmm_label_seconds(m->operation).text);
    if (m->launch > 0) fprintf(out, ", starting a kernel as long as %s of them", mmm_label_number(m->launch).text);
    if (m->barrier > 0) fprintf(out, ", a barrier as long as %s", mmm_label_number(m->barrier).text);
    if (m->lanes) fprintf(out, "; an SM runs %" PRId64 " threads at once", m->lanes);
    fputs(".</p>\n", out);
}

void mmm_part_words(FILE *out, const mmm_report_input *input, const mmm_verdict *v)
{
    const mmm_app *app = input->app;
    fputs("<section id=\"words\">\n<h2>What it is about</h2>\n<h3>The algorithm</h3>\n<p><strong>", out);
    mmm_html_text(out, app->name);
    fputs("</strong>: ", out);
    mmm_html_text(out, app->summary);
    fputs(". ", out);
    if (app->section) {
        fputs("It is in section ", out);
        mmm_html_text(out, app->section);
        fputs(" of the paper on the many-core machine model by Haque, Moreno Maza and Xie. ", out);
    }
    fputs("The question is which ", out);
    mmm_html_text(out, input->parameter);
    fputs(" to take.", out);
    const mmm_analysis *a = v->chosen >= 0 ? input->trials[v->chosen].analysis : NULL;
    if (a) {
        fprintf(out, " With the one recommended it is a program of %s kernels",
                mmm_label_number((double)a->shape.kernels).text);
        fprintf(out, " and %s thread-blocks", mmm_label_number((double)a->shape.N).text);
        fprintf(out, " that does %s local operations.", mmm_label_number((double)a->measures.work).text);
        if (a->shape.unfolded) {
            fprintf(out, " It unfolded as it ran: %s decision%s on a path",
                    mmm_label_number((double)a->shape.decisions).text, a->shape.decisions == 1 ? "" : "s");
            fprintf(out, ", of %s operations each,", mmm_label_number(a->measures.decide).text);
            fprintf(out, " make a burdened span of %s.", mmm_label_number(a->measures.burdened_span).text);
        }
    }
    fputs("</p>\n", out);
    write_parameters(out, input);
    write_machine(out, input);
    fputs("</section>\n", out);
}

void mmm_html_table(FILE *out, const char *caption, const char *first, const char *const *heads)
{
    fprintf(out,
            "<h3>%s</h3>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"%s\"><table>\n<thead><tr>"
            "<th scope=\"col\">",
            caption, caption);
    mmm_html_text(out, first);
    fputs("</th>", out);
    for (; *heads; heads++)
        fprintf(out, "<th scope=\"col\"%s>", strcmp(*heads, "result") == 0 ? " class=\"text\"" : ""),
            mmm_html_text(out, *heads), fputs("</th>", out);
    fputs("</tr></thead>\n<tbody>\n", out);
}

void mmm_html_row(FILE *out, const mmm_trial *t, bool chosen)
{
    fprintf(out, "<tr%s><th scope=\"row\">%" PRId64 "</th>", chosen ? " class=\"chosen\"" : "", t->value);
}

static void write_result(FILE *out, const mmm_trial *t)
{
    if (t->skipped) {
        fputs("<td class=\"text wrap\">skipped: ", out);
        mmm_html_text(out, t->skipped);
    } else if (!t->checked)
        fputs(t->runs ? "<td class=\"text\">not checked" : "<td class=\"text\">not run", out);
    else
        fputs(t->check == MMM_OK ? "<td class=\"text\">right" : "<td class=\"text wrong\">wrong", out);
    fputs("</td></tr>\n", out);
}

static double known(double seconds)
{
    return seconds > 0 ? seconds : NAN;
}

static void write_times(FILE *out, const mmm_report_input *input, const mmm_verdict *v)
{
    bool runs = false, predictions = false, skipped = false;
    for (int i = 0; i < input->count; i++) {
        runs = runs || input->trials[i].runs;
        predictions = predictions || input->trials[i].predicted.estimate > 0;
        skipped = skipped || input->trials[i].skipped;
    }
    if (!runs && !predictions && !skipped) return;
    const char *heads[9];
    int count = 0;
    if (runs)
        heads[count++] = "fastest", heads[count++] = "median", heads[count++] = "slowest", heads[count++] = "runs";
    if (predictions) heads[count++] = "predicted", heads[count++] = "paper\u2019s bound";
    if (runs && predictions) heads[count++] = "fastest / predicted";
    heads[count++] = "result";
    heads[count] = NULL;
    mmm_html_table(out, "Times", input->parameter, heads);
    for (int i = 0; i < input->count; i++) {
        const mmm_trial *t = &input->trials[i];
        double least = t->runs ? t->least : NAN, predicted = known(t->predicted.estimate);
        mmm_html_row(out, t, i == v->chosen);
        if (runs) {
            fprintf(out, "<td>%s</td>", mmm_label_seconds(least).text);
            fprintf(out, "<td>%s</td>", mmm_label_seconds(t->runs ? t->median : NAN).text);
            fprintf(out, "<td>%s</td><td>%d</td>", mmm_label_seconds(t->runs ? t->most : NAN).text, t->runs);
        }
        if (predictions) {
            fprintf(out, "<td>%s</td>", mmm_label_seconds(predicted).text);
            fprintf(out, "<td>%s</td>", mmm_label_seconds(known(t->predicted.plain)).text);
        }
        if (runs && predictions) {
            if (isfinite(least / predicted))
                fprintf(out, "<td>%.2f</td>", least / predicted);
            else
                fputs("<td>–</td>", out);
        }
        write_result(out, t);
    }
    fputs("</tbody></table></div>\n", out);
}

static void write_measures(FILE *out, const mmm_report_input *input, const mmm_verdict *v)
{
    const char *heads[MMM_COLUMNS_MOST] = {NULL};
    for (int j = 0, column = 0; j < mmm_quantity_count; j++)
        if (mmm_quantities[j].head) heads[column++] = mmm_quantities[j].head;
    mmm_html_table(out, "Measures", input->parameter, heads);
    for (int i = 0; i < input->count; i++) {
        const mmm_analysis *a = input->trials[i].analysis;
        if (!a) continue;
        mmm_html_row(out, &input->trials[i], i == v->chosen);
        for (int j = 0; j < mmm_quantity_count; j++)
            if (mmm_quantities[j].head)
                fprintf(out, "<td>%s</td>", mmm_label_number(mmm_quantity_of(&mmm_quantities[j], a).real).text);
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div>\n<p class=\"soft\">", out);
    for (int j = 0; j < mmm_quantity_count; j++) {
        const mmm_quantity *q = &mmm_quantities[j];
        if (!q->head) continue;
        mmm_html_text(out, q->head);
        fprintf(out, ": %s; ", q->name);
    }
    mmm_units_print(out, 0);
    fputs(".</p>\n", out);
}

void mmm_part_tables(FILE *out, const mmm_report_input *input, const mmm_verdict *v)
{
    bool counted = false;
    for (int i = 0; i < input->count; i++)
        counted = counted || input->trials[i].analysis;
    fputs("<section id=\"tables\">\n<h2>All numbers</h2>\n", out);
    write_times(out, input, v);
    if (counted) write_measures(out, input, v);
    fputs("</section>\n", out);
}
