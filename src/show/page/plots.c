/* SPDX-License-Identifier: Apache-2.0 */
/* The plots of a report: time, and work, span and overhead, against the program parameter. */
#include "show/page/page.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum {
    X,
    MEDIAN,
    LEAST,
    PLAIN,
    EXTENDED,
    ESTIMATE,
    COROLLARY,
    THEOREM,
    MAIN,
    MAIN_MOST = 4,
    COLUMNS = MAIN + MAIN_MOST
};

typedef struct columns {
    double *of[COLUMNS];
    bool *bad;
    int runs, predictions, counted;
    int64_t P;
} columns;

static void fill(columns *c, const mmm_report_input *input)
{
    for (int i = 0; i < input->count; i++) {
        const mmm_trial *t = &input->trials[i];
        const mmm_analysis *a = t->analysis;
        for (int j = 0; j < COLUMNS; j++)
            c->of[j][i] = NAN;
        c->of[X][i] = (double)t->value;
        c->bad[i] = t->checked && t->check != MMM_OK;
        if (t->runs) {
            c->of[MEDIAN][i] = t->median;
            c->of[LEAST][i] = t->least;
            c->runs++;
        }
        if (t->predicted.plain > 0) c->of[PLAIN][i] = t->predicted.plain, c->predictions++;
        if (t->predicted.extended > 0) c->of[EXTENDED][i] = t->predicted.extended;
        if (t->predicted.estimate > 0) c->of[ESTIMATE][i] = t->predicted.estimate;
        if (!a) continue;
        c->of[COROLLARY][i] = a->corollary1;
        c->of[THEOREM][i] = mmm_theorem1(&a->shape, &a->measures, c->P);
        for (int j = 0, column = MAIN; j < mmm_quantity_count && column < COLUMNS; j++)
            if (mmm_quantities[j].main) c->of[column++][i] = mmm_quantity_of(&mmm_quantities[j], a).real;
        c->counted++;
    }
}

/* Values that the chosen one does not beat by more than the noise: which is faster may be chance. */
static void write_ties(FILE *out, const mmm_report_input *input, const mmm_verdict *v)
{
    if (v->reason != MMM_BY_RUNS || v->chosen < 0) return;
    const mmm_trial *best = &input->trials[v->chosen];
    int count = 0;
    for (int i = 0; i < input->count; i++) {
        const mmm_trial *t = &input->trials[i];
        if (i == v->chosen || !(mmm_trial_value(t, MMM_BY_RUNS) > 0)) continue;
        if (t->least > best->least * (1 + fmax(best->noise, t->noise))) continue;
        fprintf(out, count++ ? ", %" PRId64 : " Chance may decide between the best and %" PRId64, t->value);
    }
    if (count) fputs(", which it does not beat by more than the noise.", out);
}

/* What each line supposes. */
static void write_suppositions(FILE *out, const mmm_report_input *input, const columns *c)
{
    int64_t lanes = input->machine.lanes;
    bool below = false;
    for (int i = 0; i < input->count; i++)
        below |= c->of[LEAST][i] > c->of[PLAIN][i];
    if (c->runs)
        fputs(" Measured: the fastest of some runs, since other work on the machine only adds to one; bars reach to the"
              " median.",
              out);
    if (!c->predictions) return;
    fputs(" Predicted: what is expected, by constants of the machine or rates fitted at other sizes. The bound with "
          "launches, barriers and lanes supposes the same and the worst order of blocks, so it is never below the "
          "prediction. The paper\u2019s bound "
          "supposes that"
          " all threads of a block run at once",
          out);
    if (lanes) fprintf(out, ", where an SM here runs %" PRId64, lanes);
    fputs(", and that starting kernels and passing barriers takes no time.", out);
    if (c->runs && below)
        fputs(" Where runs lie above it, that is why: Theorem 1 speaks of a machine that does what it supposes.", out);
}

static void write_time(FILE *out, const mmm_report_input *input, const mmm_verdict *v, const columns *c, mmm_plot plot)
{
    mmm_series series[4];
    char theorem[64];
    int count = 0;
    bool times = c->runs || c->predictions;
    fputs("<section id=\"time\">\n<h2>Time against ", out);
    mmm_html_text(out, input->parameter);
    fputs("</h2>\n<figure>\n", out);
    if (c->runs)
        series[count++] = (mmm_series){.name = "measured: the fastest run, and the median",
                                       .style = 0,
                                       .y = c->of[LEAST],
                                       .low = c->of[LEAST],
                                       .high = c->of[MEDIAN],
                                       .bad = c->bad};
    if (c->predictions) {
        series[count++] = (mmm_series){.name = "predicted", .style = 1, .y = c->of[ESTIMATE]};
        series[count++] =
            (mmm_series){.name = "bound with launches, barriers and lanes", .style = 3, .y = c->of[EXTENDED]};
        series[count++] = (mmm_series){.name = "the paper\u2019s bound alone", .style = 2, .y = c->of[PLAIN]};
    }
    if (!times) {
        snprintf(theorem, sizeof theorem, "Theorem 1 for P = %lld", (long long)c->P);
        series[count++] = (mmm_series){.name = "Corollary 1", .style = 0, .y = c->of[COROLLARY]};
        series[count++] = (mmm_series){.name = theorem, .style = 1, .y = c->of[THEOREM]};
    }
    plot.title = times ? "Time against the program parameter" : "Bounds on time against the program parameter";
    plot.y_name = times ? "time" : "bound on time, local operations";
    plot.seconds = times;
    plot.series = series;
    plot.series_count = count;
    mmm_plot_write(out, &plot);
    fputs("<figcaption>Both axes are logarithmic.", out);
    write_suppositions(out, input, c);
    write_ties(out, input, v);
    if (c->predictions && c->runs) fputs(" The predictions know nothing of these runs.", out);
    if (!c->predictions) {
        fputs(" The machine ", out);
        mmm_html_text(out, input->machine.name);
        fputs(" is not calibrated, so there is no prediction in seconds.", out);
    }
    fputs("</figcaption>\n</figure>\n</section>\n", out);
}

static void write_measures(FILE *out, const mmm_report_input *input, const columns *c, mmm_plot plot)
{
    static const int styles[MAIN_MOST] = {0, 2, 1, 3};
    mmm_series series[MAIN_MOST];
    char names[MAIN_MOST][64];
    int count = 0;
    for (int j = 0; j < mmm_quantity_count && count < MAIN_MOST; j++) {
        const mmm_quantity *q = &mmm_quantities[j];
        if (!q->main) continue;
        snprintf(names[count], sizeof *names, "%s %s", q->name, q->head);
        series[count] = (mmm_series){.name = names[count], .style = styles[count], .y = c->of[MAIN + count]};
        count++;
    }
    fputs("<section id=\"measures\">\n<h2>Work, span and overhead against ", out);
    mmm_html_text(out, input->parameter);
    fputs("</h2>\n<figure>\n", out);
    plot.title = "Work, span and parallelism overhead against the program parameter";
    plot.y_name = "local operations";
    plot.series = series;
    plot.series_count = count;
    plot.near_low = plot.near_high = NAN;
    mmm_plot_write(out, &plot);
    fputs("<figcaption>Counted on the abstract machine.", out);
    const char *verb = " is ", *separator = " ";
    for (int j = 0; j < mmm_quantity_count; j++) {
        const mmm_quantity *q = &mmm_quantities[j];
        if (q->main) fprintf(out, "%s%s%s%s", separator, q->head, verb, q->meaning), verb = " ", separator = ", ";
    }
    fprintf(out, " = %s.</figcaption>\n</figure>\n</section>\n", mmm_label_number(input->machine.U).text);
}

mmm_status mmm_part_plots(FILE *out, const mmm_report_input *input, const mmm_verdict *v)
{
    mmm_status result = MMM_OK;
    columns c = {.P = input->P ? input->P : input->machine.P ? input->machine.P : 8};
    for (int j = 0; j < COLUMNS; j++)
        TRY(mmm_alloc(&c.of[j], input->count, sizeof(double)));
    TRY(mmm_alloc(&c.bad, input->count, sizeof *c.bad));
    fill(&c, input);
    char x_name[64];
    snprintf(x_name, sizeof x_name, "%.50s", input->parameter);
    mmm_plot plot = {
        .x_name = x_name, .x = c.of[X], .count = input->count, .chosen = NAN, .near_low = NAN, .near_high = NAN};
    if (v->chosen >= 0) plot.chosen = (double)input->trials[v->chosen].value;
    if (v->chosen >= 0 && v->near_row) {
        plot.near_low = (double)input->trials[v->near_first].value;
        plot.near_high = (double)input->trials[v->near_last].value;
    }
    write_time(out, input, v, &c, plot);
    if (c.counted) write_measures(out, input, &c, plot);
done:
    for (int j = 0; j < COLUMNS; j++)
        free(c.of[j]);
    free(c.bad);
    return result;
}
