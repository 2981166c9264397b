/* SPDX-License-Identifier: Apache-2.0 */
/* Studies: how long an application takes, predicted and measured; which parameters to take; reports; the paper's
 * tables. */
#ifndef MMM_STUDY_API_H
#define MMM_STUDY_API_H

#include <mmm/app.h>
#include <mmm/formula.h>
#include <mmm/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Choosing s: prediction -------------------------------------------------------------------------------------- */

/* The time of a job's kernels on a calibrated machine, in seconds. */
typedef struct mmm_prediction {
    double plain;    /* the paper's estimate: Theorem 1 for the machine's P, Corollary 1 where P is 0 */
    double extended; /* with launches, barriers and lanes, a bound in the spirit of Theorem 1: see docs/model.md */
    double estimate; /* what the kernels are expected to take: the one to choose by */
    int exact;       /* every block was counted; otherwise blocks were sampled and costs extrapolated */
    mmm_measures measures; /* by which it was predicted */
    double limits[MMM_LIMITS]; /* seconds on one core by what they consist of, or what mmm_predict_limits says; 0: the
                                * machine has no constants */
} mmm_prediction;

/* Needs no device, and leaves the costs of the job's program as they are.  A job that is prepared is counted with its
 * inputs; any other with few that are drawn, and has its program then. */
MMM_API mmm_status mmm_predict(mmm_job *job, const mmm_parameters *machine, mmm_prediction *out);

/* Calls of kernels of one name: seconds that they are expected to take, on a CPU as a part of the program's time, on a
 * GPU where nothing runs beside them, and what limits them. */
typedef struct mmm_kernel_limits {
    char kernel[64];
    int64_t calls;
    double seconds, limits[MMM_LIMITS];
} mmm_kernel_limits;

/* mmm_predict, and what limits the time, on a machine with constants: `limits` add up to the estimate, and the
 * time falls by a hundredth of one where what is behind it gets faster by a hundredth (docs/model.md).  On a GPU it
 * takes as long as 7 predictions.  `kernels` (may be NULL) has room for `most`: those that take longest, the first ones;
 * *count says how many they are. */
MMM_API mmm_status mmm_predict_limits(mmm_job *job, const mmm_parameters *machine, mmm_prediction *out,
                                      mmm_kernel_limits *kernels, int most, int *count);

/* Number and part (0 to 1) of the largest of these limits; -1: they are all 0. */
MMM_API int mmm_limit_largest(const double limits[MMM_LIMITS], double *part);

/* ---- Choosing s: calibration, wisdom, tuning --------------------------------------------------------------------- */

/* Whether a file could be written to `path` now, so that nothing is measured in vain; "-", devices and pipes are not
 * looked at. */
MMM_API mmm_status mmm_path_check(const char *path);

/* Measures what the model needs of a machine, with its spread, in well under a minute, and writes it as a machine file
 * to `path` (NULL: beside the wisdom, where mmm_parameters_of finds it).  `name` (may be NULL) is for the file. */
MMM_API mmm_status mmm_calibrate(mmm_machine *machine, const char *name, mmm_progress *progress, void *context,
                                 const char *path, mmm_parameters *out);

/* Fits the rates of one more application, or factors of its kernels, by what its record says calibration runs, and adds
 * them to the machine's file: to `path`, or (NULL) where mmm_calibrate writes it, after such a calibration where there was none. */
MMM_API mmm_status mmm_calibrate_app(mmm_machine *machine, const char *app, mmm_progress *progress, void *context,
                                     const char *path, mmm_parameters *out);

/* The same without a device, from times of whole programs on a GPU that were measured before: a file of lines
 * "gcd,n=4000 m=3500,s=64,0.00125" below a line of heads, an application, its sizes, its choices and seconds.  The machine,
 * a built-in one or a file, gets factors of the kernels of these applications, or of `app` alone (NULL: all), in place
 * of those that it has, and goes to `path`. */
MMM_API mmm_status mmm_calibrate_from(const char *machine, const char *times, const char *app, mmm_progress *progress,
                                      void *context, const char *path, mmm_parameters *out);

/* A machine's parameters for predictions: calibrated on it where mmm_calibrate has been here, else those of the shipped
 * machine that its device is like (a CPU, an H200), else round ones whose name is "an unknown device", with its own P,
 * Z and threads; *own (may be NULL) says whether they are calibrated. */
MMM_API mmm_status mmm_parameters_of(const mmm_machine *machine, mmm_parameters *out, int *own);

/* Where the values of the parameters that can be tuned are from. */
typedef enum mmm_origin {
    MMM_ORIGIN_GIVEN,       /* all were set */
    MMM_ORIGIN_WISDOM,      /* of this size and machine */
    MMM_ORIGIN_NEAR_WISDOM, /* of a near size */
    MMM_ORIGIN_PREDICTION,
    MMM_ORIGIN_DEFAULT, /* the application's usual ones */
} mmm_origin;

/* "given", "wisdom", "wisdom of a near size", "prediction" or "default" */
MMM_API const char *mmm_origin_name(mmm_origin origin);

/* Gives values to the choices of the job that were not set: from wisdom, which is what tuning wrote to the file
 * MMM_WISDOM, or mmm/wisdom.jsonl below XDG_DATA_HOME or ~/.local/share; or else by prediction, which takes a tenth of
 * a second, or as long as the best configuration is predicted to run.  *origin (may be NULL) says where from.  Wisdom
 * that is not possible for the job is passed over: see mmm_wisdom_note. */
MMM_API mmm_status mmm_tune_choose(mmm_job *job, mmm_machine *machine, mmm_origin *origin);

/* What the last mmm_tune_choose or mmm_tune of this thread has to say of the wisdom although nothing failed: lines that
 * were passed over and why, or that a choice could not be kept; one line, "" where there is nothing. */
MMM_API const char *mmm_wisdom_note(void);

/* Zero-initialise it: a field that is 0 means the default. */
typedef struct mmm_tune_options {
    int64_t max_runs;  /* visits to a configuration, each `repeat` executions after one to warm up; 0: 24 */
    double time_limit; /* seconds for all of it, never exceeded by more than one execution; 0: no limit.  What the
                        * oracle would take too long for is checked at a smaller size */
    int repeat;        /* 0: 3 */
    int dry_run;
    int keep;            /* a choice whose time is 4 times its prediction, or a quarter of it, goes to the wisdom too */
    int exhaustive;      /* measure all that was not pruned, */
    double within;       /* but where this is not 0 only what is predicted within this factor of the best prediction */
    const char *results; /* T4 results, written after each measurement and read at the start; NULL: none */
    mmm_progress *progress; /* may be NULL; other than 0 stops the tuning, whose results are kept, in the wisdom too */
    void *context;
} mmm_tune_options;

enum { MMM_TIMES_MOST = 64 };

/* Whether a configuration ran, or why not, in T4's words. */
typedef enum mmm_invalidity {
    MMM_INVALIDITY_CORRECT,     /* there is nothing against it */
    MMM_INVALIDITY_CONSTRAINTS, /* left out before anything was compiled */
    MMM_INVALIDITY_COMPILE,
    MMM_INVALIDITY_RUNTIME,
    MMM_INVALIDITY_CORRECTNESS, /* its result is wrong */
    MMM_INVALIDITY_TIMEOUT,
} mmm_invalidity;

/* "correct", "constraints", "compile", "runtime", "correctness" or "timeout" */
MMM_API const char *mmm_invalidity_name(mmm_invalidity invalidity);

/* Why tuning ended. */
typedef enum mmm_tuning_end {
    MMM_TUNING_DECIDED,   /* all others are slower by more than the noise */
    MMM_TUNING_UNDECIDED, /* some cannot be told apart */
    MMM_TUNING_MAX_RUNS,
    MMM_TUNING_TIME_LIMIT,
    MMM_TUNING_DRY_RUN,
} mmm_tuning_end;

/* "decided", "undecided", "max-runs", "time-limit" or "dry-run" */
MMM_API const char *mmm_tuning_end_name(mmm_tuning_end end);

/* A configuration: a value for each choice of the application, in the order of mmm_app_choices. */
typedef struct mmm_candidate {
    int64_t values[MMM_CHOICES_MOST];
    mmm_prediction prediction;
    mmm_invalidity invalidity;
    char reason[200]; /* of an invalid one */
    double times[MMM_TIMES_MOST];
    int time_count;
    double best; /* the smallest of the times, 0: not measured */
} mmm_candidate;

typedef struct mmm_tuning {
    mmm_candidate *candidates; /* the best predicted first; pruned ones last */
    int count;
    int chosen;         /* the one to take: the fastest, or the best predicted where nothing was measured; -1: none */
    int ties;           /* others that cannot be told apart from it */
    double lead, noise; /* by how much of its time the next one is slower, and the noise of these two; 0: not known */
    int doubtful; /* its time is so far from its prediction that one of them is not of this: other work, a calibration
                   * of another machine; the wisdom does not have it, unless `keep` says so */
    int64_t runs, executions; /* of this call */
    mmm_tuning_end end;
} mmm_tuning;

/* Tries values of the choices that were not set: prunes, ranks by prediction, measures the best, checks every result.
 * They are visited in turn, and compared by the least of their times, which other work cannot move once it lets one run
 * pass; the noise is how far the least of every other visit lies from that of the rest (docs/model.md).
 * Leaves the choice in the job, and writes it to the wisdom if it was measured; where that cannot be written,
 * mmm_wisdom_note says so.  Released by mmm_tuning_free. */
MMM_API mmm_status mmm_tune(mmm_job *job, mmm_machine *machine, const mmm_parameters *parameters,
                            const mmm_tune_options *options, mmm_tuning *out);
MMM_API void mmm_tuning_free(mmm_tuning *tuning);
/* ---- Studies: configurations of an application, counted, predicted, measured ------------------------------------- */

/* One configuration.  What is not known is 0 or NULL. */
typedef struct mmm_trial {
    mmm_job *job;                 /* the study's */
    int64_t value;                /* of the parameter that a report varies */
    const mmm_analysis *analysis; /* of what was counted; made from a job, which is kept: its program is drawn */
    mmm_prediction predicted;
    mmm_origin origin;          /* of the choices that were not set */
    int runs;                   /* on the machine */
    double median, least, most; /* seconds of these runs; the least is what it takes (see mmm_tune) */
    double noise;        /* how far the least of every other visit lies from that of the rest; 0: there was one visit */
    int checked;         /* whether the result was compared with the oracle's */
    mmm_status check;    /* MMM_OK or MMM_WRONG, */
    const char *message; /* and what is wrong */
    double oracle;       /* seconds that the oracle took */
    const char *skipped; /* why there is nothing */
} mmm_trial;

/* What is done with each configuration, in this order.  Zero-initialise it. */
typedef struct mmm_study_options {
    const mmm_parameters *parameters; /* to count and to predict with; NULL: those of the machine "abstract" */
    mmm_machine *machine;             /* to run on; NULL: none */
    int choose; /* 1: choices that were not set are chosen for the machine, as mmm_tune_choose does */
    int count;  /* 1: counted on the abstract machine, with Theorem 1 and schedules for each P */
    int traffic; /* 1: and what groups of 32 threads do, with it */
    const int64_t *P;
    int P_count;
    uint64_t seed;              /* of the orders of counting and of the schedules */
    const char *const *allowed; /* arrays on which races are benign */
    int allowed_count;
    int warm;     /* 1: a first run that does not count */
    int repeat;   /* runs */
    int visits;   /* in which they are made: the first when a configuration is added, the others, with those of all
                   * configurations in turn, by mmm_study_finish; 0: one */
    double limit; /* seconds after which no further run starts; a first run of half of it is the only one; 0: none */
    int give_up;  /* 1: a run that reaches the limit is given up, which fails */
    int check;    /* 1: the last result is checked, where the application has a check */
    int predict;  /* 1: predicted, where the parameters tell times */
    int limits;   /* 1: and what limits it, see mmm_predict_limits */
    int skip;  /* 1: one that is not possible, or not with these parameters, is kept with the reason, unless none is */
    int total; /* how many configurations there will be, for progress; 0: one */
    mmm_progress *progress;
    void *context;
} mmm_study_options;

typedef struct mmm_study mmm_study;

/* The options are copied, what they point to is borrowed. */
MMM_API mmm_status mmm_study_new(const mmm_study_options *options, mmm_study **out);
MMM_API void mmm_study_free(mmm_study *study);

/* Adds a configuration, a job that the study takes over whatever happens, and does with it what the options say.  The
 * trial (may be NULL) is valid until the next one is added. */
MMM_API mmm_status mmm_study_add(mmm_study *study, mmm_job *take, const mmm_trial **trial);

/* Adds a configuration for which there is no job: `status` and mmm_message say why.  Treated as one that is not
 * possible. */
MMM_API mmm_status mmm_study_refuse(mmm_study *study, mmm_status status);

/* Makes the runs that are left.  Stopped, it leaves the trials as they are by then. */
MMM_API mmm_status mmm_study_finish(mmm_study *study);

/* All trials, in the order they were added. */
MMM_API const mmm_trial *mmm_study_trials(const mmm_study *study, int *count);

/* ---- Choosing s: a report to look at ----------------------------------------------------------------------------- */

/* All of it is borrowed.  Zero-initialise it: a field that is 0 or NULL means the default, or that there is none. */
typedef struct mmm_report_input {
    const mmm_app *app;
    const mmm_job *job;      /* the sizes; its value of the parameter does not matter */
    const char *parameter;   /* the name of the program parameter, such as "s" */
    const mmm_trial *trials; /* in order of value */
    int count;
    int chosen;             /* the trial to recommend, from 1; 0: the fastest right one, by what is known best */
    mmm_parameters machine; /* the device as the model knows it */
    const char *device, *description; /* its name and mmm_machine_description; NULL: nothing ran */
    int64_t P;                        /* SMs of the schedule that is drawn; 0: the machine's, or 8 */
    uint64_t seed;                    /* of that schedule */
    const char *command;              /* what made the report; NULL: not said */
    int64_t date;                     /* seconds since 1970; 0: now */
} mmm_report_input;

/* One HTML file that needs nothing else: the verdict, times and measures against the parameter as plots and tables, the
 * kernel DAG, a greedy schedule, formulas.  It goes to `path` like the outputs above. */
MMM_API mmm_status mmm_report_html(const mmm_report_input *input, const char *path);

/* The data behind it as JSON. */
MMM_API mmm_status mmm_report_data(const mmm_report_input *input, const char *path);

/* The verdict in one sentence, cut to `size`. */
MMM_API mmm_status mmm_report_verdict(const mmm_report_input *input, char *text, size_t size);

/* ---- Models side by side ------------------------------------------------------------------------------------------- */

/* A model of many-core machines: what it says a program takes is in local operations (docs/models.md). */
typedef struct mmm_model {
    const char *name, *formula, *source;
} mmm_model;

/* Model number 0, 1 and so on; NULL after the last. */
MMM_API const mmm_model *mmm_model_at(int number);

/* What it says of a trial that was counted with its traffic, on P SMs of a machine; NaN where it needs to know more of the
 * machine. */
MMM_API mmm_status mmm_model_cost(int number, const mmm_trial *trial, const mmm_parameters *machine, int64_t P,
                                  double *out);

/* Kendall's tau-b of two lists: 1 where they order their places alike, -1 where they order them the other way round; ties
 * count for neither.  NaN and infinite values are left out; NaN where one list has nothing but ties. */
MMM_API double mmm_rank_correlation(const double *x, const double *y, int count);

/* All models on trials that were counted with their traffic: a table, JSON, an HTML page.  Where trials have runs, each model
 * has its rank correlation with their times. */
MMM_API mmm_status mmm_compare_text(const mmm_report_input *input, const char *path);
MMM_API mmm_status mmm_compare_json(const mmm_report_input *input, const char *path);
MMM_API mmm_status mmm_compare_html(const mmm_report_input *input, const char *path);

/* ---- Closed forms --------------------------------------------------------------------------------------------------
 */

/* A formula file (mmm/formula.h reads it) with W, S, O, N, L, K, C and the words of local memory as exact expressions in
 * the parameters: found from jobs counted on the abstract machine, by linear algebra over Q, and true of all that were
 * counted where its conditions hold. */
typedef struct mmm_derivation {
    char *text;
    int found, quantities; /* how many of them have a form in the family that is tried */
    int64_t runs;          /* jobs that were counted */
} mmm_derivation;

/* `over` names the parameters of the forms, "n,m,s" (NULL: all sizes and choices); `fixed` (may be NULL) gives values to
 * others, "c=8,g=1".  The family: sums of products of powers of the parameters, with at most one logarithm and one power
 * of two each. */
MMM_API mmm_status mmm_derive(const char *app, const char *over, const char *fixed, mmm_derivation *out);

/* Writes its text to a file, which is whole or not there; "-" is standard output. */
MMM_API mmm_status mmm_derivation_write(const mmm_derivation *derivation, const char *path);
MMM_API void mmm_derivation_clear(mmm_derivation *derivation);

/* A quantity of an analysis against the counts of small jobs that satisfy its constraints and conditions: its measured form,
 * or what it states where it has none. */
typedef struct mmm_agreement {
    char quantity[8];
    int64_t compared, wrong; /* jobs */
    char first[340];         /* the first that is wrong */
} mmm_agreement;
enum { MMM_AGREEMENTS = 8 }; /* W, S, O, N, L, K, C, local */

MMM_API mmm_status mmm_formula_agrees(const mmm_formula *formula, const char *app, mmm_agreement out[MMM_AGREEMENTS]);

/* ---- Whether all is well here --------------------------------------------------------------------------------------
 */

typedef enum mmm_health {
    MMM_WELL,
    MMM_NOTE, /* worth knowing, such as a device that is not there */
    MMM_ILL,  /* something does not work */
} mmm_health;

typedef struct mmm_diagnosis {
    const char *subject; /* "library", "compiler", "cache", "wisdom", a machine, "calibration of ..." */
    mmm_health health;
    const char *text;
    const char *mend; /* what to do about it; "" where there is nothing to do */
} mmm_diagnosis;
typedef void mmm_diagnosis_visitor(void *context, const mmm_diagnosis *finding);

/* What the library is and finds here, one by one.  Where `thorough` is not 0 it is also tried: a folder is compiled,
 * the cache written, the wisdom read, a small gcd run and checked on each machine; a second or a few. */
MMM_API mmm_status mmm_doctor(int thorough, mmm_diagnosis_visitor *visit, void *context);

/* ---- The paper's tables, measured again ----------------------------------------------------------------------------
 */

/* The paper's tables 1 and 2 and a division table of the same shape, measured on the machines named (ended by NULL).
 * Every result goes to folder/reproduce.jsonl as soon as it is there; what that file has already is not measured again.
 * In the end folder/reproduce.txt, .csv and .json hold the tables.  A run that would take longer than `limit` seconds,
 * judging by a smaller one, is left out; `largest` leaves out rows with more terms (0: none). */
MMM_API mmm_status mmm_reproduce(const char *folder, const char *const *machines, double limit, int64_t largest,
                                 mmm_progress *progress, void *context);

#ifdef __cplusplus
}
#endif
#endif
