/* SPDX-License-Identifier: Apache-2.0 */
/* The formulas of a report: the model's own, the paper's analysis of the algorithm beside what was counted, and its
 * strategy for choosing the parameter. */
#include "show/page/page.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void write_formula(FILE *out, const char *expression)
{
    fputs("<div class=\"formula\">", out);
    mmm_mathml_write(out, expression, true);
    fputs("</div>\n", out);
}

static void write_model(FILE *out, const mmm_analysis *a)
{
    char text[512];
    fputs("<h3>The model</h3>\n<p>A thread-block B whose threads each read at most α words from global memory and "
          "write at "
          "most β of them has the overhead</p>\n",
          out);
    write_formula(out, "O(B) = (alpha+beta)*U");
    fputs("<p>On P SMs a program of N thread-blocks, L kernels on its longest path, and cost at most C a block takes "
          "(Theorem 1)</p>\n",
          out);
    write_formula(out, "T_P <= (N/P+L)*C");
    fputs("<p>and, where at most K blocks do not wait for each other (Corollary 1),</p>\n", out);
    write_formula(out, "T <= (N/K+L)*C");
    if (!a) return;
    snprintf(text, sizeof text, "(%" PRId64 "/%" PRId64 "+%" PRId64 ")*%.6g = %.10g", a->shape.N, a->shape.K,
             a->shape.L, a->measures.C, round(a->corollary1));
    fputs("<p>which is here, in local operations,</p>\n", out);
    write_formula(out, text);
}

/* The values of everything the analysis names: "n=4000,m=3500,s=128,U=100,Z=12288". */
static void list_values(const mmm_report_input *input, const mmm_formula *formula, int64_t chosen, char *text,
                        size_t size)
{
    const char *name;
    size_t used = (size_t)snprintf(text, size, "U=%.15g,Z=%" PRId64, input->machine.U, input->machine.Z);
    for (int i = 0; (name = mmm_formula_name(formula, i, NULL)); i++)
        for (const mmm_parameter *p = input->app->parameters; p->name && used < size; p++)
            if (strcmp(p->name, name) == 0)
                used += (size_t)snprintf(text + used, size - used, ",%s=%" PRId64, name,
                                         strcmp(name, input->parameter) == 0 ? chosen : mmm_job_get(input->job, name));
}

/* NaN where the analysis cannot be evaluated. */
static mmm_status evaluate(const mmm_formula *formula, const char *expression, const char *values, double *number)
{
    mmm_answer answer = {.number = NAN};
    mmm_status status = mmm_formula_ask(formula, &(mmm_query){.expression = expression, .evaluate = values}, &answer);
    *number = answer.number;
    mmm_answer_clear(&answer);
    return status == MMM_MEMORY ? status : MMM_OK;
}

static mmm_status write_quantities(FILE *out, const mmm_report_input *input, const mmm_formula *formula, bool naive,
                                   const mmm_trial *chosen)
{
    static const char *const letters[] = {"W", "S", "O", "N", "L", "K", "C"};
    mmm_status result = MMM_OK;
    const mmm_analysis *a = chosen ? chosen->analysis : NULL;
    char values[512], expression[16], text[1024];
    if (chosen) list_values(input, formula, chosen->value, values, sizeof values);
    fputs("<h3>The paper\u2019s analysis</h3>\n<p class=\"soft\">", out);
    mmm_html_text(out, mmm_formula_title(formula));
    fputs(", as the paper states it, where all sizes divide.", out);
    if (a) {
        fputs(" The columns are its value and what the abstract machine counted, at ", out);
        mmm_html_text(out, input->parameter);
        fprintf(out, " = %" PRId64 ".", chosen->value);
    }
    fputs(
        "</p>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"The paper\u2019s analysis\"><table>\n"
        "<thead><tr><th scope=\"col\" class=\"text\"></th><th scope=\"col\">stated</th><th scope=\"col\">counted</th>"
        "<th scope=\"col\" class=\"text\">formula</th></tr></thead>\n<tbody>\n",
        out);
    for (int j = 0; j < 7; j++) {
        const char *name, *meaning = NULL;
        snprintf(expression, sizeof expression, "%s%s", letters[j], naive ? "1" : "");
        for (int i = 0; (name = mmm_formula_name(formula, i, &meaning)); i++)
            if (strcmp(name, expression) == 0) break;
        if (!name) continue;
        const double counted[] = {a ? (double)a->measures.work : NAN,
                                  a ? (double)a->measures.span : NAN,
                                  a ? a->measures.overhead : NAN,
                                  a ? (double)a->shape.N : NAN,
                                  a ? (double)a->shape.L : NAN,
                                  a ? (double)a->shape.K : NAN,
                                  a ? a->measures.C : NAN};
        snprintf(text, sizeof text, "%s = %s", name, meaning);
        double stated = NAN;
        if (chosen) TRY(evaluate(formula, expression, values, &stated));
        fprintf(out, "<tr><th scope=\"row\" class=\"text\">%s</th>", letters[j]);
        fprintf(out, "<td>%s</td>", mmm_label_number(stated > 1000 ? round(stated) : stated).text);
        fprintf(out, "<td>%s</td><td class=\"text\">", mmm_label_number(counted[j]).text);
        mmm_mathml_write(out, text, false);
        fputs("</td></tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
done:
    return result;
}

static void write_ratio(FILE *out, const char *words, const char *letter, const char *parameter, const char *ratio)
{
    char text[2048];
    snprintf(text, sizeof text, "%s(%s_0)/%s(%s) = %s", letter, parameter, letter, parameter, ratio);
    fprintf(out, "<p>%s</p>\n", words);
    write_formula(out, text);
}

static mmm_status write_strategy(FILE *out, const mmm_report_input *input, const mmm_formula *formula)
{
    mmm_strategy s = {0};
    mmm_status status = mmm_formula_optimize(formula, input->parameter, NULL, &s);
    if (status == MMM_MEMORY) return status;
    if (status != MMM_OK) return MMM_OK; /* not a parameter to choose */
    fputs("<h3>The paper\u2019s strategy</h3>\n<p>", out);
    fputs("Its verdict: ", out);
    mmm_html_text(out, s.verdict);
    fputs(".</p>\n<p>The parameter ranges over</p>\n", out);
    write_formula(out, s.range);
    write_ratio(out, "Between the naive form and this one, the work changes by", "W", input->parameter, s.work);
    write_ratio(out, "the overhead by", "O", input->parameter, s.overhead);
    write_ratio(out, "and the bound of Corollary 1 by", "T", input->parameter, s.time);
    if (*s.assumptions && strcmp(s.assumptions, "none") != 0) {
        fputs("<p class=\"soft\">Under the assumption that ", out);
        mmm_html_text(out, s.assumptions);
        fputs(".</p>\n", out);
    }
    mmm_strategy_clear(&s);
    return MMM_OK;
}

mmm_status mmm_part_formulas(FILE *out, const mmm_report_input *input, const mmm_verdict *v)
{
    mmm_status result = MMM_OK;
    mmm_formula *formula = NULL;
    bool naive = input->app->naive;
    const mmm_trial *chosen = v->chosen >= 0 ? &input->trials[v->chosen] : NULL;
    TRY(mmm_app_formula(input->app, &formula));
    fputs("<section id=\"formulas\">\n<h2>The formulas</h2>\n", out);
    write_model(out, chosen ? chosen->analysis : NULL);
    if (formula) {
        TRY(write_quantities(out, input, formula, naive, chosen));
        if (!naive) TRY(write_strategy(out, input, formula));
    }
    fputs("</section>\n", out);
done:
    mmm_formula_free(formula);
    return result;
}
