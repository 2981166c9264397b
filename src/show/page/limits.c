/* SPDX-License-Identifier: Apache-2.0 */
/* What limits the time at each value of the program parameter: stacked bars, and their numbers. */
#include "show/page/page.h"

#include <math.h>

enum { BARS_MOST = 24, KERNELS_MOST = 12 };
static const double far = 4; /* times the least: higher bars are cut off, or the others would be flat */

/* In the order in which they lie on each other. */
static const struct {
    const char *on_core, *on_gpu; /* NULL: there is none */
} meanings[MMM_LIMITS] = {
    [MMM_LIMIT_START] = {"steps, blocks and parts that start", "launches of kernels, and blocks that start"},
    [MMM_LIMIT_LATENCY] = {"a part waits for the one before", "operations and global memory are waited for"},
    [MMM_LIMIT_ISSUE] = {"operations, in vectors", "operations of groups take turns"},
    [MMM_LIMIT_SCATTER] = {"elements that lie apart", "local memory and its banks"},
    [MMM_LIMIT_SCALAR] = {"operations outside vectors", NULL},
    [MMM_LIMIT_TURN] = {"turns of loops outside vectors", NULL},
    [MMM_LIMIT_BETWEEN] = {"operations between regions", "barriers"},
    [MMM_LIMIT_MEMORY] = {"lines of global memory", "bandwidth of global memory"},
};

static const char *meaning(const mmm_report_input *input, int limit)
{
    return mmm_has_gpu(&input->machine) ? meanings[limit].on_gpu : meanings[limit].on_core;
}

/* The bars that are drawn, and how high the picture is. */
typedef struct bars {
    const mmm_report_input *input;
    int trials[BARS_MOST], count, of, chosen; /* chosen: the trial */
    double top;
} bars;

static bool has_limits(const mmm_trial *t)
{
    return t->predicted.estimate > 0 && isfinite(t->predicted.estimate) &&
           mmm_limit_largest(t->predicted.limits, NULL) >= 0;
}

/* All of them, or some that are spread evenly, with the chosen one. */
static void find(bars *b)
{
    const mmm_report_input *input = b->input;
    double least = INFINITY, most = 0;
    int seen = 0;
    for (int i = 0; i < input->count; i++)
        b->of += has_limits(&input->trials[i]);
    if (!b->of) return;
    const int room = b->of > BARS_MOST ? BARS_MOST - 1 : b->of;
    for (int i = 0; i < input->count; i++) {
        if (!has_limits(&input->trials[i])) continue;
        const bool next = (int64_t)(seen + 1) * room / b->of > (int64_t)seen * room / b->of;
        seen++;
        if (next || i == b->chosen) b->trials[b->count++] = i;
    }
    for (int i = 0; i < b->count; i++) {
        least = fmin(least, input->trials[b->trials[i]].predicted.estimate);
        most = fmax(most, input->trials[b->trials[i]].predicted.estimate);
    }
    b->top = fmin(most, far * least);
}

typedef struct canvas {
    FILE *out;
    const bars *bars;
    double width, height, factor; /* factor: from seconds to the unit of the axis */
    const char *unit;
    mmm_axis y;
    double left, slot;
} canvas;

static void write_y_axis(const canvas *c)
{
    double ticks[MMM_TICKS_MOST];
    const int count = mmm_axis_ticks(&c->y, 28, ticks);
    for (int i = 0; i < count; i++) {
        const double y = mmm_axis_at(&c->y, ticks[i]);
        fprintf(c->out, "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>", c->left, c->width - 8,
                y, y);
        fprintf(c->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", c->left - 7, y + 4,
                mmm_label_short(ticks[i]).text);
    }
    fprintf(c->out, "<text class=\"name\" x=\"4\" y=\"15\">predicted time, %s</text>\n", c->unit);
}

/* From the bottom up; what is above the top is left out, and said in words. */
static void write_bar(const canvas *c, const mmm_trial *t, double x, double width)
{
    double below = 0;
    for (int i = 0; i < MMM_LIMITS; i++) {
        const double seconds = t->predicted.limits[i], from = fmin(below, c->bars->top),
                     to = fmin(below + seconds, c->bars->top);
        below += seconds;
        if (!(to > from)) continue;
        const double y = mmm_axis_at(&c->y, to * c->factor), height = mmm_axis_at(&c->y, from * c->factor) - y;
        fprintf(c->out,
                "<rect class=\"cut k%d\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>%s at %s: ", i, x,
                y, width, height, mmm_limit_name(i), mmm_label_number((double)t->value).text);
        fprintf(c->out, "%s of ", mmm_label_seconds(seconds).text);
        fprintf(c->out, "%s</title></rect>\n", mmm_label_seconds(t->predicted.estimate).text);
    }
    if (below > c->bars->top * (1 + 1e-9)) /* it goes on */
        fprintf(c->out, "<path class=\"head\" d=\"M%.1f %.1fh%.1fl%.1f -7z\"/>\n", x, c->y.to - 2, width, -width / 2);
    if (t->runs && t->least <= c->bars->top)
        fprintf(c->out, "<path class=\"line c0\" d=\"M%.1f %.1fh%.1f\"><title>measured at %s: ", x - 2,
                mmm_axis_at(&c->y, t->least * c->factor), width + 4, mmm_label_number((double)t->value).text),
            fprintf(c->out, "%s</title></path>\n", mmm_label_seconds(t->least).text);
}

static void write_choice(const canvas *c, const mmm_trial *t, double x, double width)
{
    const double half = 42, least = c->left + half, most = c->width - 8 - half;
    fprintf(c->out, "<rect class=\"bracket\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>", x - 3,
            c->y.to - 11, width + 6, c->y.from - c->y.to + 14);
    fprintf(c->out, "<text class=\"chosen\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">take ",
            fmin(fmax(x + width / 2, least), most), c->y.to - 17);
    mmm_html_text(c->out, c->bars->input->parameter);
    fprintf(c->out, " = %s</text>\n", mmm_label_number((double)t->value).text);
}

static void write_svg(canvas *c, const char *class)
{
    const bars *b = c->bars;
    double named = -INFINITY;
    const bool milli = b->top >= 1e-3, whole = b->top >= 1;
    c->factor = whole ? 1 : milli ? 1e3 : 1e6;
    c->unit = whole ? "s" : milli ? "ms" : "µs";
    c->y = (mmm_axis){.low = 0, .high = b->top * c->factor, .from = c->height - 44, .to = 58};
    c->left = 52;
    c->slot = (c->width - 8 - c->left) / b->count;
    fprintf(c->out,
            "<svg class=\"bars %s\" viewBox=\"0 0 %g %g\" role=\"img\"><title>What limits the time at each value of "
            "the program parameter</title>\n",
            class, c->width, c->height);
    write_y_axis(c);
    fprintf(c->out, "<line class=\"axis\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>\n", c->left, c->width - 8,
            c->y.from, c->y.from);
    for (int i = 0; i < b->count; i++) {
        const mmm_trial *t = &b->input->trials[b->trials[i]];
        const double width = fmin(0.7 * c->slot, 56), middle = c->left + (i + 0.5) * c->slot;
        write_bar(c, t, middle - width / 2, width);
        if (b->trials[i] == b->chosen) write_choice(c, t, middle - width / 2, width);
        const mmm_label label =
            t->value < 100000 ? mmm_label_number((double)t->value) : mmm_label_short((double)t->value);
        if (middle - named < (t->value < 1000 ? 30 : 50)) continue;
        named = middle;
        fprintf(c->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>\n", middle, c->y.from + 18,
                label.text);
    }
    fprintf(c->out, "<text class=\"name\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">", c->width - 8, c->y.from + 37);
    mmm_html_text(c->out, b->input->parameter);
    fputs("</text>\n</svg>\n", c->out);
}

static void write_legend(FILE *out, const mmm_report_input *input, bool runs)
{
    fputs("<ul class=\"legend\">", out);
    for (int i = MMM_LIMITS - 1; i >= 0; i--)
        if (meaning(input, i))
            fprintf(out,
                    "<li><svg class=\"swatch\" viewBox=\"0 0 14 14\" aria-hidden=\"true\"><rect class=\"k%d\" "
                    "width=\"14\" height=\"14\"/></svg>%s: %s</li>",
                    i, mmm_limit_name(i), meaning(input, i));
    if (runs)
        fputs("<li><svg viewBox=\"0 0 34 14\" aria-hidden=\"true\"><path class=\"line c0\" "
              "d=\"M1 7h32\"/></svg>measured, the fastest run</li>",
              out);
    fputs("</ul>\n", out);
}

/* Heads of a table: `first`, the limits, the largest of them. */
static void begin_table(FILE *out, const mmm_report_input *input, const char *caption, const char *name,
                        const char *const *first)
{
    const char *heads[MMM_LIMITS + 4];
    int count = 0;
    while (first[count])
        heads[count] = first[count], count++;
    for (int i = 0; i < MMM_LIMITS; i++)
        if (meaning(input, i)) heads[count++] = mmm_limit_name(i);
    heads[count++] = "limited by";
    heads[count] = NULL;
    mmm_html_table(out, caption, name, heads);
}

/* The cells of a row: seconds, or parts of them. */
static void write_cells(FILE *out, const mmm_report_input *input, double seconds, const double *limits)
{
    double part;
    const int largest = mmm_limit_largest(limits, &part);
    fprintf(out, "<td>%s</td>", mmm_label_seconds(seconds).text);
    for (int i = 0; i < MMM_LIMITS; i++)
        if (meaning(input, i)) fprintf(out, "<td>%.1f %%</td>", seconds > 0 ? 100 * limits[i] / seconds : 0);
    fprintf(out, "<td>%s</td></tr>\n", largest < 0 ? "–" : mmm_limit_name(largest));
}

/* All values, and, of the one that is chosen, its kernels. */
static mmm_status write_tables(FILE *out, const bars *b)
{
    static const char *const heads[] = {"predicted", NULL}, *const kernel_heads[] = {"calls", "predicted", NULL};
    mmm_status result = MMM_OK;
    const mmm_report_input *input = b->input;
    mmm_kernel_limits kernels[KERNELS_MOST];
    mmm_prediction all;
    int count = 0;
    begin_table(out, input, "Limits", input->parameter, heads);
    for (int i = 0; i < input->count; i++) {
        const mmm_trial *t = &input->trials[i];
        if (!has_limits(t)) continue;
        mmm_html_row(out, t, i == b->chosen);
        write_cells(out, input, t->predicted.estimate, t->predicted.limits);
    }
    fputs("</tbody></table></div>\n", out);
    if (b->chosen < 0 || !input->trials[b->chosen].job || !has_limits(&input->trials[b->chosen])) return MMM_OK;
    TRY(mmm_predict_limits(input->trials[b->chosen].job, &input->machine, &all, kernels, KERNELS_MOST, &count));
    begin_table(out, input, "Limits of the kernels, where it is best", "kernel", kernel_heads);
    for (int i = 0; i < count; i++) {
        fputs("<tr><th scope=\"row\">", out);
        mmm_html_text(out, kernels[i].kernel);
        fprintf(out, "</th><td>%s</td>", mmm_label_number((double)kernels[i].calls).text);
        write_cells(out, input, kernels[i].seconds, kernels[i].limits);
    }
    fputs("</tbody></table></div>\n<p class=\"soft\">", out);
    if (count == KERNELS_MOST) fputs("The longest ones. ", out);
    fputs(mmm_has_gpu(&input->machine)
              ? "Each as if nothing ran beside it: kernels that run at once add up to more.</p>\n"
              : "Each with its part of the time that the program takes.</p>\n",
          out);
done:
    return result;
}

mmm_status mmm_part_limits(FILE *out, const mmm_report_input *input, const mmm_verdict *v)
{
    mmm_status result = MMM_OK;
    bars b = {.input = input, .chosen = v->chosen};
    bool runs = false;
    find(&b);
    if (!b.count) return MMM_OK;
    for (int i = 0; i < b.count; i++)
        runs = runs || input->trials[b.trials[i]].runs;
    fputs("<section id=\"limits\">\n<h2>What limits it</h2>\n<figure>\n", out);
    write_legend(out, input, runs);
    write_svg(&(canvas){.out = out, .bars = &b, .width = 840, .height = 380}, "wide");
    write_svg(&(canvas){.out = out, .bars = &b, .width = 360, .height = 340}, "narrow");
    fputs("<figcaption>The predicted time by what limits it: were that faster by a hundredth, the time would be less "
          "by a "
          "hundredth of its part. The parts add up to the prediction.",
          out);
    if (b.count < b.of) fprintf(out, " %d of %d values are drawn.", b.count, b.of);
    fputs(" Bars with a tip are cut off: they are more than 4 times as high as the lowest.</figcaption>\n</figure>\n",
          out);
    TRY(write_tables(out, &b));
    fputs("</section>\n", out);
done:
    return result;
}
