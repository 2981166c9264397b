/* SPDX-License-Identifier: Apache-2.0 */
/* A greedy schedule as a Gantt picture: a row a SM, time to the right, a colour a kernel name. */
#include "show/page/page.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Where there are more slices than could be seen, the picture is a grid of cells, each as full as its SMs are busy. */
enum { SLICES_SHOWN = 1200, COLOURS = 6, ROWS_MOST = 48, COLUMNS_MOST = 400, LEVELS = 8 };

typedef struct gantt {
    const mmm_program *program;
    double makespan, busy; /* busy: of all SMs together */
    int64_t P, slice_count, slice_room;
    mmm_slice *slices; /* the first SLICES_SHOWN */
    int *colour;       /* by kernel */
    const char *names[COLOURS];
    int colours;
    int rows, columns;
    float *cells; /* time by row, column and colour */
    mmm_status status;
} gantt;

static void find_colours(gantt *g)
{
    int tried = 0;
    for (int k = 0; k < (int)g->program->kernels; k++) {
        const char *name = g->program->nodes[k].name;
        int c = 0;
        while (c < g->colours && strcmp(g->names[c], name) != 0)
            c++;
        if (c == g->colours && c < COLOURS - 1) g->names[g->colours++] = name;
        if (c == COLOURS - 1 && tried++ == 0) g->names[COLOURS - 1] = "others";
        g->colour[k] = c;
    }
    if (tried) g->colours = COLOURS;
}

static void first_pass(void *context, const mmm_slice *slice)
{
    gantt *g = context;
    g->busy += (double)slice->sms * (double)slice->rounds * slice->duration;
    if (g->slice_count++ < SLICES_SHOWN) {
        if (g->status == MMM_OK) g->status = mmm_grow(&g->slices, &g->slice_room, g->slice_count, sizeof *g->slices);
        if (g->status == MMM_OK) g->slices[g->slice_count - 1] = *slice;
    }
}

/* Adds the slice's time to the cells that it covers, in parts. */
static void second_pass(void *context, const mmm_slice *slice)
{
    gantt *g = context;
    double width = g->makespan / g->columns, start = slice->start,
           end = start + slice->duration * (double)slice->rounds, sms_a_row = (double)g->P / g->rows;
    int column = (int)(start / width), last_column = (int)ceil(end / width);
    int row = (int)((double)slice->sm / sms_a_row), last_row = (int)ceil((double)(slice->sm + slice->sms) / sms_a_row);
    if (last_column > g->columns) last_column = g->columns;
    if (last_row > g->rows) last_row = g->rows;
    for (int r = row; r < last_row; r++) {
        double sms =
            fmin((double)(slice->sm + slice->sms), (r + 1) * sms_a_row) - fmax((double)slice->sm, r * sms_a_row);
        for (int c = column; sms > 0 && c < last_column; c++) {
            double time = fmin(end, (c + 1) * width) - fmax(start, c * width);
            if (time > 0)
                g->cells[((int64_t)r * g->columns + c) * COLOURS + g->colour[slice->kernel]] += (float)(time * sms);
        }
    }
}

/* The colour that a cell shows, -1 for none, and how full it is from 0 to LEVELS. */
static int cell(const gantt *g, int row, int column, int *level)
{
    const float *times = &g->cells[((int64_t)row * g->columns + column) * COLOURS];
    double sum = 0, full = g->makespan / g->columns * (double)g->P / g->rows;
    int best = 0;
    for (int i = 0; i < COLOURS; i++) {
        sum += times[i];
        if (times[i] > times[best]) best = i;
    }
    *level = (int)lround(LEVELS * sum / full);
    if (*level == 0 && sum > 0) *level = 1;
    return *level ? best : -1;
}

static void write_cells(FILE *out, const gantt *g, double left, double top, double width, double height)
{
    for (int r = 0; r < g->rows; r++)
        for (int c = 0, next; c < g->columns; c = next) {
            int level, other, colour = cell(g, r, c, &level);
            for (next = c + 1; next < g->columns; next++)
                if (cell(g, r, next, &other) != colour || other != level) break;
            if (colour < 0) continue;
            fprintf(out, "<rect class=\"k%d\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"", colour,
                    left + width * c / g->columns, top + height * r / g->rows, width * (next - c) / g->columns,
                    height / g->rows - (g->P <= ROWS_MOST ? 1 : 0));
            if (level < LEVELS) fprintf(out, " opacity=\"%.2f\"", 0.25 + 0.75 * level / LEVELS);
            fputs("/>\n", out);
        }
}

static void write_slices(FILE *out, const gantt *g, double left, double top, double width, double height)
{
    for (int64_t i = 0; i < g->slice_count; i++) {
        const mmm_slice *s = &g->slices[i];
        double x = left + width * s->start / g->makespan, row = height / (double)g->P,
               all = width * s->duration * (double)s->rounds / g->makespan;
        fprintf(out, "<g><title>");
        mmm_html_text(out, g->program->nodes[s->kernel].name);
        fprintf(out, ", kernel %d: %" PRId64 " block%s</title>", s->kernel, s->sms * s->rounds,
                s->sms * s->rounds == 1 ? "" : "s");
        /* Blocks one by one where they can be told apart. */
        int64_t across = all / (double)s->rounds >= 3 ? s->rounds : 1, down = row >= 4 ? s->sms : 1;
        if (across * down > 400) across = 1;
        if (across * down > 400) down = 1;
        int64_t high = s->sms / down; /* SMs of a rectangle */
        for (int64_t r = 0; r < down; r++)
            for (int64_t c = 0; c < across; c++)
                fprintf(out, "<rect class=\"k%d%s\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/>",
                        g->colour[s->kernel], all / (double)across >= 2 ? " cut" : "",
                        x + all * (double)c / (double)across, top + row * (double)(s->sm + r * high),
                        all / (double)across, row * (double)high);
        fputs("</g>\n", out);
    }
}

static void write_svg(FILE *out, const gantt *g, double operation, const char *class, double page)
{
    double row = g->P <= 4 ? 28 : g->P <= 16 ? 18 : g->P <= 64 ? 260.0 / (double)g->P : 0;
    double left = 52, top = 24, width = page - left - 14, height = row > 0 ? row * (double)g->P : 264;
    double ticks[MMM_TICKS_MOST], factor = 1;
    const char *unit = "local operations";
    if (operation > 0) {
        double seconds = g->makespan * operation;
        unit = seconds >= 1 ? "s" : seconds >= 1e-3 ? "ms" : "µs";
        factor = operation * (seconds >= 1 ? 1 : seconds >= 1e-3 ? 1e3 : 1e6);
    }
    mmm_axis time = {.high = g->makespan * factor, .from = left, .to = left + width};
    fprintf(out, "<svg class=\"gantt %s\" viewBox=\"0 0 %g %.1f\" role=\"img\"><title>A greedy schedule</title>\n",
            class, page, top + height + 46);
    fprintf(out, "<rect class=\"idle\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n", left, top, width,
            height);
    if (g->slice_count <= SLICES_SHOWN)
        write_slices(out, g, left, top, width, height);
    else
        write_cells(out, g, left, top, width, height);
    fputs("<text class=\"name\" x=\"4\" y=\"14\">SM</text>\n", out);
    int64_t step = 1;
    while (height / (double)g->P * (double)step < 15)
        step *= 2;
    for (int64_t sm = 0;; sm += step) {
        fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%" PRId64 "</text>", left - 7,
                top + height * ((double)sm + 0.5) / (double)g->P + 4, sm);
        if (g->P - sm <= step) break; /* before sm passes what it can hold */
    }
    int count = mmm_axis_ticks(&time, operation > 0 ? 48 : 80, ticks);
    for (int i = 0; i < count; i++) {
        double x = mmm_axis_at(&time, ticks[i]);
        fprintf(out, "<line class=\"axis\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>", x, x, top + height,
                top + height + 4);
        fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>\n", x, top + height + 18,
                (operation > 0 ? mmm_label_short(ticks[i]) : mmm_label_number(ticks[i])).text);
    }
    fprintf(out, "<text class=\"name\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">time, %s</text>\n</svg>\n",
            left + width, top + height + 37, unit);
}

static mmm_status write_caption(FILE *out, const gantt *g, const mmm_parameters *machine)
{
    mmm_status result = MMM_OK;
    mmm_shape shape;
    mmm_measures measures;
    TRY(mmm_program_shape(g->program, &shape));
    TRY(mmm_program_measures(g->program, machine, &measures));
    fprintf(out, "<figcaption>A greedy schedule on P = %" PRId64 " SM%s, which are busy %.0f %% of the time. It takes ",
            g->P, g->P == 1 ? "" : "s", 100 * g->busy / (g->makespan * (double)g->P));
    fprintf(out, "%s local operations; ", mmm_label_number(g->makespan).text);
    fprintf(out, "Theorem 1 allows %s.", mmm_label_number(mmm_theorem1(&shape, &measures, g->P)).text);
    if (g->slice_count > SLICES_SHOWN)
        fputs(" There are too many blocks to show each: paler colour means that SMs idle part of the time.", out);
    fputs("</figcaption>\n", out);
done:
    return result;
}

mmm_status mmm_part_schedule(FILE *out, const mmm_program *program, const mmm_parameters *machine, int64_t P,
                             uint64_t seed)
{
    mmm_status result = MMM_OK;
    gantt g = {.program = program, .P = P};
    TRY(mmm_alloc(&g.colour, program->kernels, sizeof *g.colour));
    find_colours(&g);
    TRY(mmm_program_schedule(program, machine, P, seed, first_pass, &g, &g.makespan));
    TRY(g.status);
    if (!(g.makespan > 0)) goto done;
    if (g.slice_count > SLICES_SHOWN) {
        g.rows = P < ROWS_MOST ? (int)P : ROWS_MOST;
        g.columns = COLUMNS_MOST;
        TRY(mmm_alloc(&g.cells, (int64_t)g.rows * g.columns * COLOURS, sizeof *g.cells));
        TRY(mmm_program_schedule(program, machine, P, seed, second_pass, &g, &g.makespan));
    }
    fputs("<section id=\"schedule\">\n<h2>A schedule</h2>\n<figure>\n<ul class=\"legend\">", out);
    for (int c = 0; c < g.colours; c++) {
        fprintf(out,
                "<li><svg class=\"swatch\" viewBox=\"0 0 14 14\" aria-hidden=\"true\"><rect class=\"k%d\" "
                "width=\"14\" height=\"14\"/></svg>",
                c);
        mmm_html_text(out, g.names[c]);
        fputs("</li>", out);
    }
    fputs("<li><svg class=\"swatch\" viewBox=\"0 0 14 14\" aria-hidden=\"true\"><rect class=\"idle\" width=\"14\" "
          "height=\"14\"/></svg>idle</li></ul>\n",
          out);
    write_svg(out, &g, machine->operation, "wide", 840);
    write_svg(out, &g, machine->operation, "narrow", 360);
    TRY(write_caption(out, &g, machine));
    fputs("</figure>\n</section>\n", out);
done:
    free(g.colour);
    free(g.slices);
    free(g.cells);
    return result;
}
