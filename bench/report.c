/* SPDX-License-Identifier: Apache-2.0 */
/* What the lines of the benches come to: JSON, and a plot of how many times slower than mmm everybody else is, a line
 * for each row with the middle half of its rounds.  Use: report FILE.csv FILE.json FILE.svg */
#include "bench.h"

#include <string.h>

enum { LINES_MOST = 1024, WHO_MOST = 8, LEFT = 330, WIDTH = 560, STEP = 16, TOP = 50 };

typedef struct line {
    char operation[64], who[64];
    long long n, m;
    unsigned long long p;
    double median, least, most, ratio, low, high;
} line;

static line lines[LINES_MOST];
static int count;
static char who[WHO_MOST][64];
static int whos;
static const char *const colours[WHO_MOST] = {"#888",    "#0072b2", "#d55e00", "#e69f00",
                                              "#009e73", "#cc79a7", "#56b4e9", "#000"};

static FILE *opened(const char *path, const char *mode)
{
    FILE *stream = fopen(path, mode);
    if (!stream) {
        fprintf(stderr, "report: %s cannot be opened\n", path);
        exit(1);
    }
    return stream;
}

static void read_lines(const char *path)
{
    char text[512];
    FILE *csv = opened(path, "r");
    for (int number = 1; fgets(text, sizeof text, csv); number++) {
        line *x = &lines[count];
        if (strncmp(text, "operation,", 10) == 0) continue;
        if (count == LINES_MOST ||
            sscanf(text, "%63[^,],%lld,%lld,%llu,\"%63[^\"]\",%lf,%lf,%lf,%lf,%lf,%lf", x->operation, &x->n, &x->m,
                   &x->p, x->who, &x->median, &x->least, &x->most, &x->ratio, &x->low, &x->high) != 11) {
            fprintf(stderr, "report: %s, line %d is no result, or one too many\n", path, number);
            exit(1);
        }
        count++;
    }
    fclose(csv);
}

static void write_json(const char *path)
{
    FILE *json = opened(path, "w");
    fprintf(json, "[\n");
    for (int i = 0; i < count; i++) {
        const line *x = &lines[i];
        fprintf(json,
                "  {\"operation\": \"%s\", \"n\": %lld, \"m\": %lld, \"p\": %llu, \"who\": \"%s\", \"median\": %.9f, "
                "\"least\": %.9f, \"most\": %.9f, \"ratio\": %.3f, \"ratio_low\": %.3f, \"ratio_high\": %.3f}%s\n",
                x->operation, x->n, x->m, x->p, x->who, x->median, x->least, x->most, x->ratio, x->low, x->high,
                i + 1 < count ? "," : "");
    }
    fprintf(json, "]\n");
    if (fclose(json) != 0) exit(1);
}

static int number_of(const char *name)
{
    for (int i = 0; i < whos; i++)
        if (strcmp(who[i], name) == 0) return i;
    if (whos == WHO_MOST) return WHO_MOST - 1;
    strcpy(who[whos], name);
    return whos++;
}

/* Ratios from 1/8 to 64, by their logarithms in base 2; without libm. */
static double place(double ratio)
{
    double at = 3;
    for (; ratio >= 2 && at < 9; at++)
        ratio /= 2;
    for (; ratio < 1 && at > 0; at--)
        ratio *= 2;
    if (ratio > 2) ratio = 2;
    if (ratio < 1) ratio = 1;
    const double x = (ratio - 1) / (ratio + 1); /* ln(ratio) = 2 (x + x^3/3 + x^5/5 ...) */
    return LEFT + WIDTH / 9.0 * (at + 2.885390 * (x + x * x * x / 3 + x * x * x * x * x / 5));
}

static void write_svg(const char *path)
{
    FILE *svg = opened(path, "w");
    int rows = 0;
    for (int i = 0; i < count; i++)
        rows += strcmp(lines[i].who, "mmm") == 0;
    const int height = TOP + rows * STEP + 20;
    fprintf(svg,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" "
            "font-size=\"11\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            LEFT + WIDTH + 30, height);
    for (int k = -3; k <= 6; k++) {
        const double x = LEFT + WIDTH / 9.0 * (k + 3);
        fprintf(svg, "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"%s\"/>", x, TOP - 4, x, height - 16,
                k ? "#ddd" : "#000");
        fprintf(svg, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s%d</text>\n", x, height - 3, k < 0 ? "1/" : "",
                1 << (k < 0 ? -k : k));
    }
    int row = -1;
    for (int i = 0; i < count; i++) {
        const line *x = &lines[i];
        if (strcmp(x->who, "mmm") == 0) {
            row++;
            fprintf(svg, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s %lld, %lld; %llu: %.4g ms</text>\n", LEFT - 8,
                    TOP + row * STEP + 10, x->operation, x->n, x->m, x->p, x->median * 1e3);
            continue;
        }
        const int y = TOP + row * STEP + 6;
        const char *colour = colours[number_of(x->who)];
        fprintf(svg, "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"%s\"/>", place(x->low), y,
                place(x->high), y, colour);
        fprintf(svg, "<circle cx=\"%.1f\" cy=\"%d\" r=\"4\" fill=\"%s\"/>\n", place(x->ratio), y, colour);
    }
    fprintf(svg,
            "<text x=\"%d\" y=\"16\">times the time of mmm on one thread; to the right of 1 mmm is faster</text>\n",
            LEFT);
    for (int i = 0; i < whos; i++)
        fprintf(svg, "<circle cx=\"%d\" cy=\"31\" r=\"4\" fill=\"%s\"/><text x=\"%d\" y=\"35\">%s</text>\n",
                LEFT + 4 + 118 * i, colours[i], LEFT + 12 + 118 * i, who[i]);
    fprintf(svg, "</svg>\n");
    if (fclose(svg) != 0) exit(1);
}

int main(int arguments, char **words)
{
    if (arguments < 4) {
        fprintf(stderr, "use: report FILE.csv ... FILE.json FILE.svg\n");
        return 2;
    }
    for (int i = 1; i < arguments - 2; i++)
        read_lines(words[i]);
    write_json(words[arguments - 2]);
    write_svg(words[arguments - 1]);
    return 0;
}
