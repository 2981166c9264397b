/* SPDX-License-Identifier: Apache-2.0 */
/* Models side by side as an HTML page: each against the parameter, with the measured times, and their rankings. */
#include "show/compare.h"
#include "show/page/page.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { IN_A_PLOT = 3 };

/* Divided by the smallest, so that curves of different units lie together. */
static void scale(const double *from, int count, double *to)
{
    double least = NAN;
    for (int i = 0; i < count; i++)
        if (isfinite(from[i])) least = fmin(least, from[i]);
    for (int i = 0; i < count; i++)
        to[i] = least > 0 ? from[i] / least : NAN;
}

static bool known(const double *costs, int count)
{
    for (int i = 0; i < count; i++)
        if (isfinite(costs[i]) && costs[i] > 0) return true;
    return false;
}

/* A plot of the measured times and some models, from number `first` of those that are known. */
static mmm_status write_plot(FILE *out, const mmm_report_input *input, const mmm_comparison *c, const int *which,
                             int count)
{
    mmm_status result = MMM_OK;
    mmm_series series[IN_A_PLOT + 1];
    double *scaled = NULL;
    int n = 0;
    TRY(mmm_alloc(&scaled, (int64_t)c->count * (IN_A_PLOT + 1), sizeof *scaled));
    if (c->measured) {
        scale(c->times, c->count, scaled);
        series[n++] = (mmm_series){.name = "measured", .style = 0, .y = scaled};
    }
    for (int i = 0; i < count; i++) {
        double *y = scaled + (int64_t)c->count * (i + 1);
        scale(c->costs[which[i]], c->count, y);
        series[n++] = (mmm_series){.name = mmm_model_at(which[i])->name, .style = i + 1, .y = y};
    }
    fputs("<figure>\n", out);
    mmm_plot_write(out, &(mmm_plot){.title = "Costs by models against the program parameter",
                                    .x_name = input->parameter,
                                    .y_name = "cost over the least",
                                    .x = c->values,
                                    .count = c->count,
                                    .series = series,
                                    .series_count = n,
                                    .chosen = NAN,
                                    .near_low = NAN,
                                    .near_high = NAN});
    fputs("</figure>\n", out);
done:
    free(scaled);
    return result;
}

static void write_table(FILE *out, const mmm_report_input *input, const mmm_comparison *c, int *order)
{
    fputs("<section id=\"models\">\n<h2>Models and their rankings</h2>\n<div class=\"scroll\"><table "
          "class=\"plain\"><thead><tr><th "
          "scope=\"col\">model</th><th scope=\"col\">formula</th><th scope=\"col\">from</th>",
          out);
    fputs(c->measured > 1 ? "<th scope=\"col\">tau</th><th scope=\"col\">ranking of " : "<th scope=\"col\">ranking of ",
          out);
    mmm_html_text(out, input->parameter);
    fputs("</th></tr></thead><tbody>\n", out);
    for (int m = -!!c->measured; m < c->models; m++) {
        const mmm_model *model = m < 0 ? &(const mmm_model){"measured", "", ""} : mmm_model_at(m);
        const char *const cells[] = {model->formula, model->source};
        fputs("<tr><th scope=\"row\">", out);
        mmm_html_text(out, model->name);
        fputs("</th>", out);
        for (int i = 0; i < 2; i++) {
            fputs("<td>", out);
            mmm_html_text(out, cells[i]);
            fputs("</td>", out);
        }
        if (c->measured > 1)
            fprintf(out, m >= 0 && isfinite(c->tau[m]) ? "<td>%.2f</td>" : "<td></td>", m < 0 ? 0 : c->tau[m]);
        fputs("<td>", out);
        mmm_comparison_print(out, input, c, m, order);
        fputs("</td></tr>\n", out);
    }
    fputs("</tbody></table></div>\n<p class=\"soft\">tau is Kendall\u2019s tau-b with the measured times: 1 where a "
          "model orders "
          "all values as they were measured, \u22121 where it orders them the other way round; ties count for "
          "neither. Costs that differ by less than 5 %, and times by less than their noise, are ties (=).</p>\n"
          "</section>\n",
          out);
}

mmm_status mmm_compare_html(const mmm_report_input *input, const char *path)
{
    mmm_status result = MMM_OK;
    mmm_output output = {0};
    mmm_comparison c = {0};
    int *order = NULL, which[MMM_MODELS_MOST], n = 0;
    char title[128];
    NEED(path, "the path of a comparison");
    MMM_TRY(mmm_report_check(input));
    if (input->count < 1) return mmm_fail(MMM_INVALID, "a comparison needs at least one value of %s", input->parameter);
    TRY(mmm_comparison_make(input, &c));
    TRY(mmm_alloc(&order, c.count, sizeof *order));
    TRY(mmm_output_open(&output, path));
    FILE *out = output.stream;
    snprintf(title, sizeof title, "mmm compare: %.80s", input->app->name);
    mmm_page_begin(out, title);
    fputs("<header>\n<p class=\"kicker\">mmm compare · models of many-core machines</p>\n<h1>", out);
    mmm_html_text(out, input->app->name);
    fputs(" by several models</h1>\n</header>\n<main>\n<section id=\"costs\">\n<h2>Costs against ", out);
    mmm_html_text(out, input->parameter);
    fputs("</h2>\n<p>Each line is divided by its least value: what counts is its shape, and where its lowest point "
          "lies.</p>\n",
          out);
    for (int m = 0; m < c.models; m++)
        if (known(c.costs[m], c.count)) which[n++] = m;
    for (int i = 0; i < n; i += IN_A_PLOT)
        TRY(write_plot(out, input, &c, which + i, n - i < IN_A_PLOT ? n - i : IN_A_PLOT));
    fputs("</section>\n", out);
    write_table(out, input, &c, order);
    fputs("</main>\n<footer>\n<p>By mmm " MMM_VERSION ", counted once for each value.</p>\n", out);
    mmm_html_command(out, input->command);
    fputs("</footer>\n", out);
    mmm_page_end(out);
    TRY(mmm_output_commit(&output));
done:
    mmm_output_discard(&output);
    mmm_comparison_clear(&c);
    free(order);
    return result;
}
