/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel DAG as a picture: a box a kernel, a row a parallel step; what repeats is drawn once. */
#include "show/page/page.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
    KERNELS_SHOWN = 6,
    ROWS_MOST = 14,
    ROWS_BEFORE = 9,
    ROWS_AFTER = 4,
    SQUARES = 17,
    NAME = 20,
    LINE = 4 /* boxes of a chain */
};
enum { BOX_WIDTH = 168, BOX_HEIGHT = 90, SPACE_DOWN = 30, SPACE_ACROSS = 34, BRACKET = 34 };

/* A box: a kernel, or a run of kernels in a row. */
typedef struct box {
    int kernel; /* the first of them */
    int64_t run, blocks_least, blocks_most;
    int level, place; /* its row, and where in it */
    int row;          /* where its row is drawn; -1: left out */
} box;

typedef struct picture {
    FILE *out;
    const mmm_program *program;
    box *boxes;
    int *box_of; /* by kernel */
    int count, levels;
    int *width;          /* boxes by level */
    int rows;            /* rows drawn */
    int repeats, period; /* how often the first `period` of them are gone through */
    int gap;             /* the row before which rows are left out; -1: none are */
    int most;            /* boxes in a row */
    bool across;         /* from left to right */
    double page;         /* its width */
} picture;

static mmm_status make_boxes(picture *p)
{
    mmm_status result = MMM_OK;
    const mmm_order *order;
    int *first = NULL;
    int64_t *run = NULL, kernels = p->program->kernels;
    TRY(mmm_alloc(&first, kernels, sizeof *first));
    TRY(mmm_alloc(&run, kernels, sizeof *run));
    TRY(mmm_alloc(&p->boxes, kernels, sizeof *p->boxes));
    TRY(mmm_alloc(&p->box_of, kernels, sizeof *p->box_of));
    TRY(mmm_alloc(&p->width, kernels, sizeof *p->width));
    TRY(mmm_dag_runs(p->program, KERNELS_SHOWN, false, first, run));
    TRY(mmm_program_order(p->program, &order));
    for (int64_t i = 0; i < kernels; i++) {
        int k = order->sequence[i];
        const mmm_node *node = &p->program->nodes[k];
        if (first[k] == k) {
            p->box_of[k] = p->count;
            p->boxes[p->count++] =
                (box){.kernel = k, .run = run[k], .blocks_least = node->blocks, .blocks_most = node->blocks};
            continue;
        }
        box *b = &p->boxes[p->box_of[k] = p->box_of[first[k]]];
        if (node->blocks < b->blocks_least) b->blocks_least = node->blocks;
        if (node->blocks > b->blocks_most) b->blocks_most = node->blocks;
    }
    for (int64_t i = 0; i < kernels; i++) {
        int k = order->sequence[i], level = p->boxes[p->box_of[k]].level;
        for (int e = order->first[k]; e < order->first[k + 1]; e++) {
            box *next = &p->boxes[p->box_of[order->to[e]]];
            if (next != &p->boxes[p->box_of[k]] && next->level <= level) next->level = level + 1;
        }
    }
    for (int i = 0; i < p->count; i++) {
        p->boxes[i].place = p->width[p->boxes[i].level]++;
        if (p->boxes[i].level >= p->levels) p->levels = p->boxes[i].level + 1;
    }
done:
    free(first);
    free(run);
    return result;
}

static bool alike(const picture *p, const box *a, const box *b)
{
    const mmm_node *x = &p->program->nodes[a->kernel], *y = &p->program->nodes[b->kernel];
    return a->run == b->run && a->blocks_least == b->blocks_least && a->blocks_most == b->blocks_most &&
           x->threads == y->threads && strcmp(x->name, y->name) == 0;
}

/* In a chain, whose boxes are numbered by level: the start that, drawn once for all its repetitions, leaves fewest. */
static void find_period(picture *p)
{
    for (int length = 1; length <= p->count / 2; length++) {
        int same = 0;
        while (same + length < p->count && alike(p, &p->boxes[same], &p->boxes[same + length]))
            same++;
        int repeats = same / length + 1, rows = p->count - length * (repeats - 1);
        if (repeats > 1 && rows < p->rows) p->rows = rows, p->period = length, p->repeats = repeats;
    }
}

static void choose_rows(picture *p)
{
    p->rows = p->levels;
    p->repeats = 1;
    p->gap = -1;
    if (p->count == p->levels) find_period(p);              /* a chain */
    int kept = p->rows, cut = p->period * (p->repeats - 1); /* of the rows after the first ones */
    if (p->rows > ROWS_MOST) {
        p->gap = ROWS_BEFORE;
        p->rows = ROWS_BEFORE + ROWS_AFTER;
    }
    for (int i = 0; i < p->count; i++) {
        int level = p->boxes[i].level;
        if (cut && level >= p->period) level = level < p->period + cut ? INT_MAX : level - cut;
        p->boxes[i].row = level == INT_MAX ? -1 : level;
        if (p->gap >= 0 && level >= p->gap && level < INT_MAX)
            p->boxes[i].row = level >= kept - ROWS_AFTER ? level - kept + p->rows : -1;
    }
}

static int shown_in_row(const picture *p, int level)
{
    return p->width[level] < p->most ? p->width[level] : p->most;
}

static void position(const picture *p, const box *b, double *x, double *y)
{
    int place = b->place < p->most ? b->place : p->most - 1, shown = shown_in_row(p, b->level);
    int in_line = p->rows < LINE ? p->rows : LINE;
    double all =
        p->across ? in_line * (double)(BOX_WIDTH + SPACE_ACROSS) - SPACE_ACROSS : shown * (double)(BOX_WIDTH + 8) - 8;
    double left = (p->page - all) / 2;
    *x = left + (p->across ? b->row % LINE * (double)(BOX_WIDTH + SPACE_ACROSS) : place * (double)(BOX_WIDTH + 8));
    *y = 4 + (p->across ? b->row / LINE : b->row) * (double)(BOX_HEIGHT + SPACE_DOWN);
    if (p->across && p->repeats > 1) *y += BRACKET;
    if (!p->across && p->gap >= 0 && b->row >= p->gap) *y += SPACE_DOWN;
}

static void write_name(FILE *out, const char *name)
{
    char cut[NAME + 8];
    size_t length = strlen(name);
    if (length > NAME) {
        length = NAME - 1;
        while (length > 0 && ((unsigned char)name[length] & 0xc0) == 0x80)
            length--;
        snprintf(cut, sizeof cut, "%.*s…", (int)length, name);
        name = cut;
    }
    mmm_html_text(out, name);
}

static void write_box(const picture *p, const box *b)
{
    const mmm_node *node = &p->program->nodes[b->kernel];
    FILE *out = p->out;
    double x, y, middle;
    position(p, b, &x, &y);
    middle = x + BOX_WIDTH / 2.0;
    int left_out = p->width[b->level] - p->most;
    fputs("<g><title>", out);
    mmm_html_text(out, node->name);
    fprintf(out, "</title><rect class=\"node\" x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\" rx=\"8\"/>", x, y,
            BOX_WIDTH, BOX_HEIGHT);
    if (left_out > 0 && b->place >= p->most - 1) {
        fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">and %d more</text></g>\n", middle,
                y + BOX_HEIGHT / 2.0 + 4, left_out + 1);
        return;
    }
    fprintf(out, "<text class=\"strong\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">", middle, y + 20);
    write_name(out, node->name);
    if (b->run > 1) fprintf(out, " × %s", mmm_label_number((double)b->run).text);
    fprintf(out, "</text><text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s", middle, y + 38,
            mmm_label_number((double)b->blocks_least).text);
    if (b->blocks_most > b->blocks_least) fprintf(out, " to %s", mmm_label_number((double)b->blocks_most).text);
    fprintf(out, " block%s of</text><text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s thread%s</text>",
            b->blocks_most == 1 ? "" : "s", middle, y + 54, mmm_label_number((double)node->threads).text,
            node->threads == 1 ? "" : "s");
    int squares = b->blocks_most <= SQUARES ? (int)b->blocks_most : SQUARES - 2;
    double start = middle - (squares + (b->blocks_most > SQUARES ? 2 : 0)) * 4.5 + 1;
    for (int i = 0; i < squares; i++)
        fprintf(out, "<rect class=\"k0\" x=\"%.1f\" y=\"%.1f\" width=\"7\" height=\"7\"/>", start + 9 * i, y + 69);
    if (b->blocks_most > SQUARES) fprintf(out, "<text x=\"%.1f\" y=\"%.1f\">…</text>", start + 9 * squares + 1, y + 76);
    fputs("</g>\n", out);
}

static void write_edge(const picture *p, const box *from, const box *to, bool decides)
{
    const char *dashes = decides ? " stroke-dasharray=\"4 3\"" : "";
    double x1, y1, x2, y2;
    position(p, from, &x1, &y1);
    position(p, to, &x2, &y2);
    if (p->across) {
        double y = y1 + BOX_HEIGHT / 2.0, turn = y1 + BOX_HEIGHT + SPACE_DOWN / 2.0 - 4;
        if (y2 > y1) {
            fprintf(p->out,
                    "<path class=\"edge\"%s d=\"M%.1f %.1fV%.1fH%.1fV%.1f\"/><path class=\"head\" d=\"M%.1f "
                    "%.1fl-4-8h8z\"/>\n",
                    dashes, x1 + BOX_WIDTH / 2.0, y1 + BOX_HEIGHT, turn, x2 + BOX_WIDTH / 2.0, y2 - 7,
                    x2 + BOX_WIDTH / 2.0, y2);
            return;
        }
        fprintf(p->out,
                "<path class=\"edge\"%s d=\"M%.1f %.1fH%.1f\"/><path class=\"head\" d=\"M%.1f %.1fl-8-4v8z\"/>\n",
                dashes, x1 + BOX_WIDTH, y, x2 - 7, x2, y);
        return;
    }
    x1 += BOX_WIDTH / 2.0, x2 += BOX_WIDTH / 2.0, y1 += BOX_HEIGHT;
    fprintf(p->out,
            "<path class=\"edge\"%s d=\"M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f\"/><path class=\"head\" d=\"M%.1f "
            "%.1fl-4-8h8z\"/>\n",
            dashes, x1, y1, x1, y1 + 18, x2, y2 - 24, x2, y2 - 7, x2, y2);
}

static void write_edges(const picture *p)
{
    for (int64_t e = 0; e < p->program->edge_count; e++) {
        const box *from = &p->boxes[p->box_of[p->program->edges[e].before]];
        const box *to = &p->boxes[p->box_of[p->program->edges[e].after]];
        if (from == to || from->row < 0 || to->row < 0) continue;
        if (from->place >= p->most && to->place >= p->most) continue; /* drawn by what stands for them */
        write_edge(p, from, to, p->program->edges[e].decides);
    }
    /* What follows the repetitions, the last of which is not drawn. */
    int next = p->period * p->repeats;
    if (p->repeats > 1 && next < p->count && p->boxes[next].row >= 0)
        write_edge(p, &p->boxes[p->period - 1], &p->boxes[next], false);
}

static void write_repeats(const picture *p)
{
    double x1, y1, x2, y2;
    position(p, &p->boxes[0], &x1, &y1);
    position(p, &p->boxes[p->period - 1], &x2, &y2);
    if (p->across && y2 == y1)
        fprintf(p->out,
                "<path class=\"bracket\" d=\"M%.1f %.1fv-8H%.1fv8\"/><text class=\"chosen\" x=\"%.1f\" y=\"%.1f\" "
                "text-anchor=\"middle\">%d times</text>\n",
                x1, y1 - 6, x2 + BOX_WIDTH, (x1 + x2 + BOX_WIDTH) / 2, y1 - 20, p->repeats);
    else if (!p->across)
        fprintf(p->out,
                "<path class=\"bracket\" d=\"M%.1f %.1fh8V%.1fh-8\"/><text class=\"chosen\" x=\"%.1f\" y=\"%.1f\">"
                "%d times</text>\n",
                x1 + BOX_WIDTH + 8, y1, y2 + BOX_HEIGHT, x1 + BOX_WIDTH + 22, (y1 + y2 + BOX_HEIGHT) / 2 + 4,
                p->repeats);
}

static void write_picture(picture *p, const char *class)
{
    p->across = p->page > 600 && p->count == p->levels && p->gap < 0;
    int lines = p->across ? (p->rows + LINE - 1) / LINE : p->rows;
    double height = lines * (double)(BOX_HEIGHT + SPACE_DOWN) - SPACE_DOWN + 8;
    if (p->gap >= 0) height += SPACE_DOWN;
    if (p->across && p->repeats > 1) height += BRACKET;
    fprintf(p->out, "<svg class=\"dag %s\" viewBox=\"0 0 %g %g\" role=\"img\"><title>The kernel DAG</title>\n", class,
            p->page, height);
    write_edges(p);
    for (int i = 0; i < p->count; i++)
        if (p->boxes[i].row >= 0 && p->boxes[i].place < p->most) write_box(p, &p->boxes[i]);
    if (p->gap >= 0)
        fprintf(p->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">⋮ %d more steps</text>\n", p->page / 2,
                p->gap * (double)(BOX_HEIGHT + SPACE_DOWN) + 4, p->levels - p->period * (p->repeats - 1) - p->rows);
    if (p->repeats > 1) write_repeats(p);
    fputs("</svg>\n", p->out);
}

mmm_status mmm_part_dag(FILE *out, const mmm_program *program)
{
    mmm_status result = MMM_OK;
    picture p = {.out = out, .program = program};
    mmm_shape shape;
    TRY(mmm_program_shape(program, &shape));
    fputs("<section id=\"dag\">\n<h2>The kernel DAG</h2>\n<figure>\n", out);
    TRY(make_boxes(&p));
    choose_rows(&p);
    p.most = 4, p.page = 840;
    write_picture(&p, "wide");
    p.most = 2, p.page = 360;
    write_picture(&p, "narrow");
    fprintf(out, "<figcaption>%s kernel%s with N = ", mmm_label_number((double)shape.kernels).text,
            shape.kernels == 1 ? "" : "s");
    fprintf(out, "%s thread-blocks in all; ", mmm_label_number((double)shape.N).text);
    fprintf(out, "L = %s on the longest path; ", mmm_label_number((double)shape.L).text);
    fprintf(
        out,
        "at most K = %s blocks that do not wait for each other. A square is a thread-block; kernels of one name in a "
        "row are one box.",
        mmm_label_number((double)shape.K).text);
    if (shape.unfolded) {
        fprintf(out, " %s kernel%s unfolded, by", mmm_label_number((double)shape.unfolded).text,
                shape.unfolded == 1 ? "" : "s");
        fprintf(out, " at most %s decision%s on a path: the dashed lines.",
                mmm_label_number((double)shape.decisions).text, shape.decisions == 1 ? "" : "s");
    }
    if (p.repeats > 1) fprintf(out, " The first %d boxes are gone through %d times.", p.period, p.repeats);
    fputs("</figcaption>\n</figure>\n</section>\n", out);
done:
    free(p.boxes);
    free(p.box_of);
    free(p.width);
    return result;
}
