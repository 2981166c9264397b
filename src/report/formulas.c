/* SPDX-License-Identifier: Apache-2.0 */
/* The formulas of a report: the model's own, with the numbers of the chosen program. */
#include "report/report.h"

#include <inttypes.h>

static void write_formula(FILE *out, const char *expression)
{
    fputs("<div class=\"formula\">", out);
    mmm_mathml_write(out, expression, true);
    fputs("</div>\n", out);
}

mmm_status mmm_part_formulas(FILE *out, const mmm_report_input *input, const mmm_verdict *v)
{
    const mmm_analysis *a = v->chosen >= 0 ? input->trials[v->chosen].analysis : NULL;
    char text[512];
    fputs("<section id=\"formulas\">\n<h2>The formulas</h2>\n<h3>Overhead of a thread-block B, and of a program</h3>\n"
          "<p class=\"soft\">α and β are the most words that one thread of B reads from and writes to global memory.</p>\n",
          out);
    write_formula(out, "O(B) = (alpha+beta)*U");
    fputs("<h3>Theorem 1: time on P SMs</h3>\n", out);
    write_formula(out, "T_P <= (N/P+L)*C");
    fputs("<h3>Corollary 1: with no number of SMs</h3>\n", out);
    write_formula(out, "T <= (N/K+L)*C");
    if (a) {
        snprintf(text, sizeof text, "(%" PRId64 "/%" PRId64 "+%" PRId64 ")*%.0f = %.0f", a->shape.N, a->shape.K, a->shape.L,
                 a->measures.C, a->corollary1);
        fputs("<p class=\"soft\">Here, in local operations:</p>\n", out);
        write_formula(out, text);
    }
    fputs("</section>\n", out);
    return MMM_OK;
}
