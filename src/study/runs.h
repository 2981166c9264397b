/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that ran on a GPU, each with its time, kept so that it can be estimated by any factors of its kernels; and
 * the fit of these factors. */
#ifndef MMM_RUNS_H
#define MMM_RUNS_H

#include "study/constants.h"

/* Kernels of a run that take the same time. */
typedef struct mmm_run_kernel {
    int code; /* number among the application's */
    mmm_node node;
    mmm_profile *groups;
    int64_t count;
    double size, feature[MMM_FEATURES_MOST];
} mmm_run_kernel;

typedef struct mmm_run {
    mmm_run_kernel *kernels;
    int64_t kernel_count, kernel_room;
    int *of;         /* of each kernel of the program, in an order of the DAG, which of these; */
    int *first, *to; /* and its successors, by their places in that order: to[first[i]] .. to[first[i + 1] - 1] */
    int steps;
    mmm_digest program;
    int word_bits, set; /* runs of one set are of one size: it is they that are chosen from */
    double fixed, seconds;
} mmm_run;

/* The runs of an application. */
enum { MMM_CODES_MOST = 48 };
typedef struct mmm_runs {
    char app[48];
    mmm_parameters machine[2]; /* for words of 32 and of 64 bits */
    mmm_run *all;
    int64_t count, room;
    char codes[MMM_CODES_MOST][48];
    int features[MMM_CODES_MOST], code_count;
} mmm_runs;

void mmm_runs_begin(mmm_runs *runs, const char *app, const mmm_parameters *machine);
void mmm_runs_free(mmm_runs *runs);

/* Adds a job that took so long; of a program that its set has under another name the least time counts. */
mmm_status mmm_runs_add(mmm_runs *runs, mmm_job *job, int set, double seconds);

/* What a run is expected to take, kernels of code c by factors[c], or, where that has no features, by constants alone.
 */
mmm_status mmm_run_estimate(const mmm_runs *runs, const mmm_run *run, const mmm_factors *factors, double *out);

/* How far what is fitted may go from what is usual, in logarithms (standard deviations), and how much a time says. */
typedef struct mmm_freedom {
    double noise;  /* of a time, */
    double ranked; /* and how much more it counts that times of one set are right beside each other */
    double apart;  /* an error from which on one of a time says less */
    double as_one; /* so many times count fully; more of them count as so many */
    double common, limit, slope, words;
    double slowest; /* the least that a time counts: others by the square of the best over it */
} mmm_freedom;
extern const mmm_freedom mmm_freedom_usual;

/* Factors of all kernels of the runs, but for those of set `without` (-1: all of them), one a code; what the machine
 * knows of words of 64 bits stays where no run has them. */
mmm_status mmm_runs_fit(const mmm_runs *runs, int without, const mmm_freedom *freedom, mmm_factors *out);

/* How good factors are on the runs: the mean over sets of the logarithm of what is predicted to be fastest over what
 * is, and of the errors of times within twice the best. */
typedef struct mmm_runs_verdict {
    double chosen, error;
} mmm_runs_verdict;
mmm_status mmm_runs_judge(const mmm_runs *runs, const mmm_factors *factors, mmm_runs_verdict *out);

/* Gives a machine the factors that are fitted to the runs in place of those that it has of the application, unless
 * these are better on the runs in both ways; the table is that of mmm_factors_measure. */
mmm_status mmm_runs_learn(const mmm_runs *runs, mmm_parameters *machine, mmm_factors *table);

#endif
