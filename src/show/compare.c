/* SPDX-License-Identifier: Apache-2.0 */
/* Models side by side: as a table for people, and as JSON. */
#include "show/compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static mmm_status check(const mmm_report_input *input, const char *path)
{
    NEED(input, "the input of a comparison");
    NEED(path, "the path of a comparison");
    NEED(input->app && input->app->name && input->job, "the application and the job of a comparison");
    NEED(input->parameter, "the parameter of a comparison");
    if (input->count < 1) return mmm_fail(MMM_INVALID, "a comparison needs at least one value of %s", input->parameter);
    NEED(input->trials, "the array of trials");
    return mmm_parameters_check(&input->machine);
}

/* Costs of one model that differ by less are one: its constants are not known that well. */
static const double model_near = 0.05, noise_least = 0.02;

int mmm_comparison_rank(const mmm_comparison *c, int model, int *order)
{
    const double *costs = model < 0 ? c->times : c->costs[model];
    int n = 0;
    for (int i = 0; i < c->count; i++) {
        if (!isfinite(costs[i])) continue;
        int j = n++;
        for (; j > 0 && costs[order[j - 1]] > costs[i]; j--)
            order[j] = order[j - 1];
        order[j] = i;
    }
    return n;
}

/* Those that are not more than `near` above the first of them share a place. */
static mmm_status find_places(mmm_comparison *c, int model, double near)
{
    mmm_status result = MMM_OK;
    const double *costs = model < 0 ? c->times : c->costs[model];
    double **places = &c->places[model + 1];
    int *order = NULL, place = 0, first = 0;
    TRY(mmm_alloc(&order, c->count, sizeof *order));
    TRY(mmm_alloc(places, c->count, sizeof **places));
    for (int i = 0; i < c->count; i++)
        (*places)[i] = NAN;
    for (int i = 0, n = mmm_comparison_rank(c, model, order); i < n; i++) {
        if (costs[order[i]] > costs[order[first]] * (1 + near)) first = i, place++;
        (*places)[order[i]] = place;
    }
done:
    free(order);
    return result;
}

mmm_status mmm_comparison_make(const mmm_report_input *input, mmm_comparison *out)
{
    mmm_status result = MMM_OK;
    mmm_comparison c = {.count = input->count};
    double noise = noise_least;
    c.P = input->P ? input->P : input->machine.P ? input->machine.P : 8;
    TRY(mmm_alloc(&c.values, c.count, sizeof *c.values));
    TRY(mmm_alloc(&c.times, c.count, sizeof *c.times));
    for (int i = 0; i < c.count; i++) {
        const mmm_trial *t = &input->trials[i];
        bool ran = t->runs > 0 && t->check == MMM_OK;
        c.values[i] = (double)t->value;
        c.times[i] = ran ? t->least : NAN;
        c.measured += ran;
        if (ran) noise = fmax(noise, t->noise);
    }
    TRY(find_places(&c, -1, noise));
    for (; c.models < MMM_MODELS_MOST && mmm_model_at(c.models); c.models++) {
        double **costs = &c.costs[c.models];
        TRY(mmm_alloc(costs, c.count, sizeof **costs));
        for (int i = 0; i < c.count; i++) {
            (*costs)[i] = NAN;
            if (input->trials[i].analysis)
                TRY(mmm_model_cost(c.models, &input->trials[i], &input->machine, c.P, &(*costs)[i]));
        }
        TRY(find_places(&c, c.models, model_near));
        c.tau[c.models] = mmm_rank_correlation(c.places[c.models + 1], c.places[0], c.count);
    }
    *out = c;
    memset(&c, 0, sizeof c);
done:
    mmm_comparison_clear(&c);
    return result;
}

void mmm_comparison_clear(mmm_comparison *c)
{
    for (int i = 0; i < MMM_MODELS_MOST; i++)
        free(c->costs[i]);
    for (int i = 0; i <= MMM_MODELS_MOST; i++)
        free(c->places[i]);
    free(c->values);
    free(c->times);
    memset(c, 0, sizeof *c);
}

static void row_cost(mmm_row *row, double cost)
{
    char text[MMM_CELL];
    snprintf(text, sizeof text, isfinite(cost) ? "%.4g" : "-", cost);
    mmm_row_text(row, text);
}

/* The costs, a row for each value and a column for each model. */
static mmm_status print_costs(FILE *stream, const mmm_report_input *input, const mmm_comparison *c)
{
    mmm_status result = MMM_OK;
    mmm_row *rows = NULL;
    char text[MMM_CELL];
    TRY(mmm_alloc(&rows, c->count + 1, sizeof *rows));
    mmm_row_text(&rows[0], input->parameter);
    if (c->measured) mmm_row_text(&rows[0], "measured");
    for (int m = 0; m < c->models; m++)
        mmm_row_text(&rows[0], mmm_model_at(m)->name);
    for (int i = 0; i < c->count; i++) {
        mmm_row *row = &rows[i + 1];
        mmm_row_integer(row, input->trials[i].value);
        strcpy(text, "-");
        if (isfinite(c->times[i])) mmm_seconds_text(c->times[i], text, sizeof text);
        if (c->measured) mmm_row_text(row, text);
        for (int m = 0; m < c->models; m++)
            row_cost(row, c->costs[m][i]);
    }
    mmm_table_print(stream, rows, c->count + 1, false);
done:
    free(rows);
    return result;
}

int mmm_comparison_print(FILE *stream, const mmm_report_input *input, const mmm_comparison *c, int model, int *order)
{
    const double *places = c->places[model + 1];
    int n = mmm_comparison_rank(c, model, order);
    for (int i = 0; i < n; i++)
        fprintf(stream, "%s%" PRId64,
                !i                                        ? ""
                : places[order[i]] > places[order[i - 1]] ? " "
                                                          : " = ",
                input->trials[order[i]].value);
    return n;
}

mmm_status mmm_compare_text(const mmm_report_input *input, const char *path)
{
    mmm_status result = MMM_OK;
    mmm_output output = {0};
    mmm_comparison c = {0};
    int *order = NULL;
    MMM_TRY(check(input, path));
    TRY(mmm_comparison_make(input, &c));
    TRY(mmm_alloc(&order, c.count, sizeof *order));
    TRY(mmm_output_open(&output, path));
    FILE *out = output.stream;
    fprintf(out, "%s", input->app->name);
    for (const mmm_parameter *p = input->app->parameters; p->name; p++)
        if (strcmp(p->name, input->parameter) != 0)
            fprintf(out, " %s=%" PRId64, p->name, mmm_job_get(input->job, p->name));
    fprintf(out, "\nmachine %s: U = %g, P = %" PRId64 ", %" PRId64 " lanes; costs in local operations\n\n",
            input->machine.name, input->machine.U, c.P, input->machine.lanes ? input->machine.lanes : 32);
    TRY(print_costs(out, input, &c));
    fprintf(out, "\nranking of %s, the best first; = between costs less than %g %% apart%s\n", input->parameter,
            100 * model_near, c.measured > 1 ? "; tau: Kendall's tau-b with the measured times" : "");
    if (c.measured) {
        fprintf(out, "%-9s %s ", "measured", c.measured > 1 ? "     " : "");
        fputs(mmm_comparison_print(out, input, &c, -1, order) ? "\n" : "-\n", out);
    }
    for (int m = 0; m < c.models; m++) {
        fprintf(out, "%-9s ", mmm_model_at(m)->name);
        if (c.measured > 1 && isfinite(c.tau[m])) fprintf(out, "%5.2f ", c.tau[m]);
        if (c.measured > 1 && !isfinite(c.tau[m])) fprintf(out, "    - ");
        fputs(mmm_comparison_print(out, input, &c, m, order) ? "\n" : "-\n", out);
    }
    for (int i = 0; i < c.count; i++)
        if (input->trials[i].skipped) fprintf(out, "left out: %s\n", input->trials[i].skipped);
    TRY(mmm_output_commit(&output));
done:
    mmm_output_discard(&output);
    mmm_comparison_clear(&c);
    free(order);
    return result;
}

static json_t *numbers(const double *values, int count)
{
    json_t *list = json_array();
    for (int i = 0; i < count; i++)
        mmm_json_append(&list, isfinite(values[i]) ? mmm_json_number(values[i]) : json_null());
    return list;
}

mmm_status mmm_compare_json(const mmm_report_input *input, const char *path)
{
    mmm_status result = MMM_OK;
    mmm_comparison c = {0};
    int *order = NULL;
    json_t *models = NULL, *parameters = NULL, *values = NULL;
    MMM_TRY(check(input, path));
    TRY(mmm_comparison_make(input, &c));
    TRY(mmm_alloc(&order, c.count, sizeof *order));
    models = json_array();
    parameters = json_object();
    values = json_array();
    for (const mmm_parameter *p = input->app->parameters; p->name; p++)
        if (strcmp(p->name, input->parameter) != 0)
            mmm_json_set(&parameters, p->name, json_integer(mmm_job_get(input->job, p->name)));
    for (int i = 0; i < c.count; i++)
        mmm_json_append(&values, json_integer(input->trials[i].value));
    for (int m = 0; m < c.models; m++) {
        const mmm_model *model = mmm_model_at(m);
        json_t *ranking = json_array();
        int n = mmm_comparison_rank(&c, m, order);
        for (int i = 0; i < n; i++)
            mmm_json_append(&ranking, json_integer(input->trials[order[i]].value));
        mmm_json_append(&models,
                        json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o}", "name", model->name, "formula", model->formula,
                                  "source", model->source, "costs", numbers(c.costs[m], c.count), "ranking", ranking,
                                  "places", numbers(c.places[m + 1], c.count), "tau_b",
                                  isfinite(c.tau[m]) ? mmm_json_number(c.tau[m]) : json_null()));
    }
    result = mmm_json_write(json_pack("{s:s, s:O, s:s?, s:{s:s, s:o, s:I}, s:s, s:O, s:o, s:O}", "app",
                                      input->app->name, "parameters", parameters, "device", input->device, "machine",
                                      "name", input->machine.name, "U", mmm_json_number(input->machine.U), "P",
                                      (json_int_t)c.P, "parameter", input->parameter, "values", values,
                                      "measured_seconds", numbers(c.times, c.count), "models", models),
                            path, MMM_JSON_FORM);
done:
    json_decref(models);
    json_decref(parameters);
    json_decref(values);
    mmm_comparison_clear(&c);
    free(order);
    return result;
}
