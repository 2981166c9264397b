/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of an HTML page, and what they share. */
#ifndef MMM_PAGE_H
#define MMM_PAGE_H

#include "show/show.h"

/* ---- text and numbers */

/* Text with everything escaped that HTML and its attributes do not take as it is; what is not UTF-8 is replaced. */
void mmm_html_text(FILE *out, const char *text);

/* The command that a page is from; NULL: nothing. */
void mmm_html_command(FILE *out, const char *command);

/* A number as people read it, in UTF-8. */
typedef struct mmm_label {
    char text[48];
} mmm_label;

mmm_label mmm_label_number(double value);  /* 10 490 880, or 1.23·10¹⁵ where it is very large */
mmm_label mmm_label_short(double value);   /* 10⁷, 2·10⁴, 5000, 0.2: for axes */
mmm_label mmm_label_seconds(double value); /* 33.1 ms */

/* ---- axes and plots */

typedef struct mmm_axis {
    double low, high; /* values at the ends */
    double from, to;  /* where these lie in the picture */
    bool log;
} mmm_axis;

double mmm_axis_at(const mmm_axis *axis, double value);

/* Round values on the axis, at least `gap` apart in the picture; their number. */
enum { MMM_TICKS_MOST = 64 };
int mmm_axis_ticks(const mmm_axis *axis, double gap, double ticks[MMM_TICKS_MOST]);

/* A line of a plot; NaN where there is no value.  Its colour and mark follow from `style`, 0 to 3. */
typedef struct mmm_series {
    const char *name;
    int style;
    const double *y, *low, *high; /* low and high, the spread, may be NULL */
    const bool *bad;              /* points to cross out; may be NULL */
} mmm_series;

typedef struct mmm_plot {
    const char *title;           /* for those who do not see the picture */
    const char *x_name, *y_name; /* y_name without its unit */
    bool seconds;                /* y is in seconds */
    const double *x;
    int count;
    const mmm_series *series;
    int series_count;
    double chosen;              /* a value of x to mark; NaN: none */
    double near_low, near_high; /* values of x about as good; NaN: none */
} mmm_plot;

/* Both with log axes: one for wide pages, one for phones, of which the style sheet shows one; and a legend. */
void mmm_plot_write(FILE *out, const mmm_plot *plot);

/* ---- the parts of a report */

/* What a report recommends, and why. */
typedef enum mmm_reason { MMM_BY_NOTHING, MMM_BY_BOUND, MMM_BY_PREDICTION, MMM_BY_RUNS } mmm_reason;
typedef struct mmm_verdict {
    mmm_reason reason;
    int chosen;     /* the trial; -1: none can be recommended */
    double seconds; /* of the chosen one, or local operations for MMM_BY_BOUND */
    int near_count; /* trials within 10 % of it, itself included */
    bool near_row;  /* these follow one another */
    int near_first, near_last;
    int wrong; /* trials with wrong results */
} mmm_verdict;

enum { MMM_VERDICT_LENGTH = 1024 };

/* The value a trial is judged by; NaN where it has none or its result is wrong. */
double mmm_trial_value(const mmm_trial *trial, mmm_reason reason);

/* Whether a caller's input is one that a report can be made of. */
mmm_status mmm_report_check(const mmm_report_input *input);
void mmm_verdict_find(const mmm_report_input *input, mmm_verdict *out);
void mmm_verdict_text(const mmm_report_input *input, const mmm_verdict *verdict, char *text, size_t size);

/* The beginning of a table with a caption, and of its row of a trial. */
void mmm_html_table(FILE *out, const char *caption, const char *first, const char *const *heads);
void mmm_html_row(FILE *out, const mmm_trial *trial, bool chosen);

void mmm_page_begin(FILE *out, const char *title);
void mmm_page_end(FILE *out);

mmm_status mmm_part_plots(FILE *out, const mmm_report_input *input, const mmm_verdict *verdict);
mmm_status mmm_part_limits(FILE *out, const mmm_report_input *input, const mmm_verdict *verdict);
void mmm_part_words(FILE *out, const mmm_report_input *input, const mmm_verdict *verdict);
void mmm_part_tables(FILE *out, const mmm_report_input *input, const mmm_verdict *verdict);
mmm_status mmm_part_dag(FILE *out, const mmm_program *program);
mmm_status mmm_part_schedule(FILE *out, const mmm_program *program, const mmm_parameters *machine, int64_t P,
                             uint64_t seed);
mmm_status mmm_part_formulas(FILE *out, const mmm_report_input *input, const mmm_verdict *verdict);

/* An expression such as "9*(n-m+1)*m*U/(2*s^2)", or a relation of two, as MathML; as code where it is none. */
void mmm_mathml_write(FILE *out, const char *expression, bool block);

#endif
