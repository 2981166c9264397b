/* SPDX-License-Identifier: Apache-2.0 */
/* Plots with log axes as SVG in a page. */
#include "show/page/page.h"

#include <math.h>
#include <string.h>

/* A plot under way, in one of its two sizes. */
typedef struct canvas {
    FILE *out;
    const mmm_plot *plot;
    double width, height, factor; /* factor: from y to what the axis names */
    const char *unit;
    mmm_axis x, y;
} canvas;

static void extend(double value, double *low, double *high)
{
    if (!(value > 0) || !isfinite(value)) return;
    if (!(*low <= value)) *low = value;
    if (!(*high >= value)) *high = value;
}

/* At least a factor of 2 from end to end, so that noise does not look like a result. */
static void set_range(mmm_axis *axis, double low, double high, double margin, double least)
{
    if (!(low > 0)) low = high = 1;
    double ratio = high / low, wanted = ratio * margin * margin;
    if (wanted < least) wanted = least;
    double more = sqrt(wanted / ratio);
    axis->low = low / more;
    axis->high = high * more;
}

/* Whether some series has something there: what was skipped takes no room. */
static bool has_point(const mmm_plot *p, int i)
{
    for (int j = 0; j < p->series_count; j++)
        if (p->series[j].y[i] > 0) return true;
    return false;
}

static void set_axes(canvas *c)
{
    const mmm_plot *p = c->plot;
    double x_low = NAN, x_high = NAN, low = NAN, high = NAN;
    for (int i = 0; i < p->count; i++) {
        if (has_point(p, i)) extend(p->x[i], &x_low, &x_high);
        for (int j = 0; j < p->series_count; j++) {
            extend(p->series[j].y[i], &low, &high);
            if (p->series[j].low) extend(p->series[j].low[i], &low, &high);
            if (p->series[j].high) extend(p->series[j].high[i], &low, &high);
        }
    }
    c->factor = 1;
    c->unit = "";
    if (p->seconds) {
        bool long_ = high >= 1, milli = high >= 1e-3;
        c->factor = long_ ? 1 : milli ? 1e3 : 1e6;
        c->unit = long_ ? "s" : milli ? "ms" : "µs";
    }
    c->x = (mmm_axis){.from = 52, .to = c->width - 12, .log = true};
    c->y = (mmm_axis){.from = c->height - 44, .to = 46, .log = true};
    set_range(&c->x, x_low, x_high, 1.12, 2);
    set_range(&c->y, low * c->factor, high * c->factor, 1.25, 2);
}

static void write_y_axis(const canvas *c)
{
    double ticks[MMM_TICKS_MOST];
    int count = mmm_axis_ticks(&c->y, 24, ticks);
    for (int i = 0; i < count; i++) {
        double y = mmm_axis_at(&c->y, ticks[i]);
        fprintf(c->out, "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>", c->x.from, c->x.to, y,
                y);
        fprintf(c->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", c->x.from - 7, y + 4,
                mmm_label_short(ticks[i]).text);
    }
    fprintf(c->out, "<text class=\"name\" x=\"4\" y=\"15\">");
    mmm_html_text(c->out, c->plot->y_name);
    fprintf(c->out, "%s%s</text>\n", *c->unit ? ", " : "", c->unit);
}

static bool is_power_of_two(double value)
{
    int exponent;
    return frexp(value, &exponent) == 0.5;
}

/* Values of x are named where there is room, powers of two first. */
static void write_x_axis(const canvas *c)
{
    double used[MMM_TICKS_MOST];
    int used_count = 0;
    double bottom = c->y.from;
    fprintf(c->out, "<line class=\"axis\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>\n", c->x.from, c->x.to,
            bottom, bottom);
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < c->plot->count; i++) {
            double value = c->plot->x[i], x = mmm_axis_at(&c->x, value);
            if (!has_point(c->plot, i)) continue;
            bool room = used_count < MMM_TICKS_MOST && is_power_of_two(value) == (pass == 0);
            for (int j = 0; room && j < used_count; j++)
                room = fabs(used[j] - x) >= (value < 1000 ? 34 : 52);
            if (pass == 0)
                fprintf(c->out, "<line class=\"axis\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>", x, x, bottom,
                        bottom + 4);
            if (!room) continue;
            used[used_count++] = x;
            fprintf(c->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>\n", x, bottom + 18,
                    (value < 1e5 ? mmm_label_number(value) : mmm_label_short(value)).text);
        }
    fprintf(c->out, "<text class=\"name\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">", c->x.to, bottom + 37);
    mmm_html_text(c->out, c->plot->x_name);
    fputs("</text>\n", c->out);
}

static void write_choice(const canvas *c)
{
    const mmm_plot *p = c->plot;
    if (p->near_low < p->near_high)
        fprintf(c->out, "<rect class=\"near\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n",
                mmm_axis_at(&c->x, p->near_low) - 7, c->y.to,
                mmm_axis_at(&c->x, p->near_high) - mmm_axis_at(&c->x, p->near_low) + 14, c->y.from - c->y.to);
    if (!(p->chosen > 0)) return;
    double x = mmm_axis_at(&c->x, p->chosen), half = 40, middle = x;
    if (middle < c->x.from + half) middle = c->x.from + half;
    if (middle > c->x.to - half) middle = c->x.to - half;
    fprintf(c->out, "<line class=\"chosen\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>", x, x, c->y.to,
            c->y.from);
    fprintf(c->out, "<text class=\"chosen\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">take ", middle, c->y.to - 7);
    mmm_html_text(c->out, p->x_name);
    fprintf(c->out, " = %s</text>\n", mmm_label_number(p->chosen).text);
}

static void write_mark(FILE *out, int style, double x, double y)
{
    switch (style) {
    case 0: fprintf(out, "<circle class=\"mark c0\" cx=\"%.1f\" cy=\"%.1f\" r=\"4.2\"/>", x, y); break;
    case 1: fprintf(out, "<path class=\"mark c1\" d=\"M%.1f %.1fh7v7h-7z\"/>", x - 3.5, y - 3.5); break;
    case 2: fprintf(out, "<path class=\"mark c2\" d=\"M%.1f %.1fl4.5 8h-9z\"/>", x, y - 5); break;
    default: fprintf(out, "<path class=\"mark c3\" d=\"M%.1f %.1fl4.5 4.5l-4.5 4.5l-4.5-4.5z\"/>", x, y - 4.5);
    }
}

static mmm_label value_label(const mmm_plot *plot, double value)
{
    return plot->seconds ? mmm_label_seconds(value) : mmm_label_number(value);
}

static void write_series(const canvas *c, const mmm_series *s)
{
    const mmm_plot *p = c->plot;
    bool open = false;
    fprintf(c->out, "<path class=\"line c%d\" d=\"", s->style);
    for (int i = 0; i < p->count; i++) {
        if (!(s->y[i] > 0) || (s->bad && s->bad[i])) continue;
        fprintf(c->out, "%c%.1f %.1f", open ? 'L' : 'M', mmm_axis_at(&c->x, p->x[i]),
                mmm_axis_at(&c->y, s->y[i] * c->factor));
        open = true;
    }
    fputs(open ? "\"/>\n" : "M0 0\"/>\n", c->out);
    for (int i = 0; i < p->count; i++) {
        if (!(s->y[i] > 0)) continue;
        double x = mmm_axis_at(&c->x, p->x[i]), y = mmm_axis_at(&c->y, s->y[i] * c->factor);
        fprintf(c->out, "<g><title>");
        mmm_html_text(c->out, s->name);
        fprintf(c->out, " at %s: %s", mmm_label_number(p->x[i]).text, value_label(p, s->y[i]).text);
        if (s->low && s->high && s->low[i] < s->high[i])
            fprintf(c->out, " (%s to %s)", value_label(p, s->low[i]).text, value_label(p, s->high[i]).text);
        fputs("</title>", c->out);
        if (s->low && s->high && s->low[i] > 0) {
            double low = mmm_axis_at(&c->y, s->low[i] * c->factor), high = mmm_axis_at(&c->y, s->high[i] * c->factor);
            fprintf(c->out, "<path class=\"spread c%d\" d=\"M%.1f %.1fh8M%.1f %.1fv%.1fM%.1f %.1fh8\"/>", s->style,
                    x - 4, low, x, low, high - low, x - 4, high);
        }
        if (s->bad && s->bad[i])
            fprintf(c->out, "<path class=\"bad\" d=\"M%.1f %.1fl10 10m0-10l-10 10\"/>", x - 5, y - 5);
        else
            write_mark(c->out, s->style, x, y);
        fputs("</g>\n", c->out);
    }
}

static void write_svg(canvas *c, const char *class)
{
    set_axes(c);
    fprintf(c->out, "<svg class=\"plot %s\" viewBox=\"0 0 %g %g\" role=\"img\"><title>", class, c->width, c->height);
    mmm_html_text(c->out, c->plot->title);
    fputs("</title>\n", c->out);
    write_choice(c);
    write_y_axis(c);
    write_x_axis(c);
    for (int i = c->plot->series_count - 1; i >= 0; i--)
        write_series(c, &c->plot->series[i]);
    fputs("</svg>\n", c->out);
}

static void write_legend(FILE *out, const mmm_plot *plot)
{
    fputs("<ul class=\"legend\">", out);
    for (int i = 0; i < plot->series_count; i++) {
        int style = plot->series[i].style;
        fprintf(out, "<li><svg viewBox=\"0 0 34 14\" aria-hidden=\"true\"><path class=\"line c%d\" d=\"M1 7h32\"/>",
                style);
        write_mark(out, style, 17, 7);
        fputs("</svg>", out);
        mmm_html_text(out, plot->series[i].name);
        fputs("</li>", out);
    }
    if (plot->near_low < plot->near_high)
        fputs("<li><svg viewBox=\"0 0 34 14\" aria-hidden=\"true\"><rect class=\"near\" x=\"2\" y=\"1\" width=\"30\" "
              "height=\"12\"/></svg>within 10 % of the best</li>",
              out);
    fputs("</ul>\n", out);
}

void mmm_plot_write(FILE *out, const mmm_plot *plot)
{
    write_legend(out, plot);
    write_svg(&(canvas){.out = out, .plot = plot, .width = 840, .height = 400}, "wide");
    write_svg(&(canvas){.out = out, .plot = plot, .width = 360, .height = 340}, "narrow");
}
