/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of studies share. */
#ifndef MMM_STUDY_H
#define MMM_STUDY_H

#include "job/job.h"

enum { MMM_REPEAT_MOST = 1000000 };

/* What the blocks of each kernel cost: kernel k's are groups first[k] .. end[k] - 1, which others that are like it
 * share; group rest[k] has as many blocks as the others leave. */
typedef struct mmm_profiles {
    const mmm_program *program;
    int64_t kernels;
    int64_t *first, *end, *rest;
    mmm_profile *groups;
    int64_t group_count, group_room;
    bool exact;   /* every block was counted */
    int64_t work; /* accesses that were counted for it */
} mmm_profiles;

/* Counts all blocks where that takes at most `budget` accesses, else some blocks of some kernels, which stand for the
 * others.  The job is planned if it is not.  What groups of a GPU do is counted more slowly. */
enum { MMM_PROFILE_BUDGET = 300000, MMM_PROFILE_BUDGET_GPU = MMM_PROFILE_BUDGET / 16 };
mmm_status mmm_profile_job(mmm_job *job, const mmm_parameters *machine, int64_t budget, mmm_profiles *out);

/* The groups of a kernel, with its own numbers of blocks until the next call. */
const mmm_profile *mmm_profiles_of(const mmm_profiles *profiles, int64_t kernel, int64_t *count);
void mmm_profiles_free(mmm_profiles *profiles);

/* Adds a group, or joins it with an equal one of the same kernel, whose groups begin at `from`. */
mmm_status mmm_profiles_add(mmm_profiles *out, int64_t from, mmm_profile p, int64_t blocks);

/* The group of most blocks among `count` from `first` on, and how many all have. */
int64_t mmm_profiles_largest(const mmm_profiles *out, int64_t first, int64_t count, int64_t *blocks);

/* Adds these groups once more, for a kernel with another number of blocks than they add up to; or makes all from `from`
 * on, which are another kernel's, this one's. */
mmm_status mmm_profiles_copy(mmm_profiles *out, int64_t first, int64_t count, const mmm_node *node);
mmm_status mmm_profiles_adapt(mmm_profiles *out, int64_t from, const mmm_node *node);

/* The kernels that a planned program unfolds to: by a run on the host, with all of its data; or without one, by what
 * the application foresees, where it does. */
bool mmm_job_foresees(const mmm_job *job);
mmm_status mmm_job_foresee(mmm_job *job);
mmm_status mmm_job_unfold(mmm_job *job);

/* Whether the application says that no data decide what the threads of a kernel of its program do. */
bool mmm_kernel_is_oblivious(const mmm_job *job, int kernel);
/* Whether it says that a block does the same for each of its elements. */
bool mmm_kernel_is_proportional(const mmm_job *job, int kernel);

/* Blocks of a kernel that stand for all of them, `most` of these: fewer where they are large.  How many. */
enum { MMM_STANDS = 7, MMM_STANDS_LARGE = 5, MMM_STANDS_LARGEST = 3 };
typedef struct mmm_stand {
    int64_t block, blocks; /* its number, and for how many it stands, itself among them */
} mmm_stand;
int mmm_blocks_that_stand(const mmm_program *program, const mmm_node *node, int most, mmm_stand out[MMM_STANDS]);

/* Arrays as they may be when the kernel runs, where the application knows. */
void mmm_fill_arrays(mmm_job *job, mmm_sampler *sampler, int kernel);

/* What all blocks of a kernel cost, as far as that was seen. */
typedef struct mmm_alike {
    bool known;
    bool usual; /* so it was with others of that code: the last block and one of the middle tell */
    mmm_profile block;
} mmm_alike;

/* Adds groups for all blocks of a kernel, from those that stand for others; block 0 may be known.  *alike is that of
 * kernels that are alike (mmm_nodes_alike). */
mmm_status mmm_count_stands(mmm_job *job, mmm_sampler *sampler, int kernel, int most, const mmm_profile *known,
                            mmm_alike *alike, mmm_profiles *out);

/* A block that stands for others. */
mmm_status mmm_count_block(const mmm_job *job, mmm_sampler *sampler, int kernel, int64_t block, mmm_profile *out);

/* The choice that makes blocks large: the largest one that is below their threads, for a block's steps are meant, not
 * its threads; -1: none is large. */
int mmm_large_choice(const mmm_job *job, int64_t threads);

/* A block of a kernel of a planned job from blocks of smaller ones, where it grows with a choice as a polynomial does;
 * else, unless `most` is 0, from some that make at most so many accesses, where it grows with sizes as a line does.
 * *found is false where neither is so; what was counted is added to *work. */
mmm_status mmm_block_from_smaller(const mmm_job *job, const mmm_parameters *machine, int kernel, int64_t most,
                                  mmm_profile *out, bool *found, int64_t *work);

/* The same for the last block of a kernel whose blocks do the same for each element. */
mmm_status mmm_last_from_smaller(const mmm_job *job, const mmm_parameters *machine, int kernel, int64_t most,
                                 mmm_profile *out, bool *found, int64_t *work);

/* A job like another, planned, with sizes in proportion of which the largest is `most`; a sketch, which has no data and
 * cannot run, or one that can. */
double mmm_job_largest(const mmm_job *job);
mmm_status mmm_job_smaller(const mmm_job *job, double most, bool sketch, mmm_job **out);

/* What a kernel is expected to take, its launch included: on a core, with what that consists of, or on a GPU where
 * nothing else runs. */
typedef struct mmm_share_of {
    double seconds, limits[MMM_LIMITS];
} mmm_share_of;

/* mmm_predict, and (unless `each` is NULL) the same of every kernel, in an array to be freed; and (unless `work` is
 * NULL) how many accesses were counted for it, which is the same on every host, unlike a time. */
mmm_status mmm_predict_each(mmm_job *job, const mmm_parameters *machine, mmm_prediction *out, mmm_share_of **each,
                            int64_t *work);

/* Bytes of the arrays that a kernel is given, each once: what works in place, or has keys stand for values, is given
 * one several times. */
double mmm_working_set(const mmm_program *program, const mmm_node *node);

/* The rates of the application on the machine: fitted ones where there are some, else the machine's own constants. */
mmm_rates mmm_rates_of(const mmm_parameters *machine, const char *app);

/* Rates x >= 0 that make terms[i] . x come near times[i], by least squares of relative errors, less weight on what is
 * far off.  *error is the root mean square of the relative errors. */
void mmm_fit_rates(const double (*terms)[MMM_RATE_COUNT], const double *times, int count, double x[MMM_RATE_COUNT],
                   double *error);

/* Smallest time of some runs of a job, at least `least` of them and more while they take less than `patience` seconds;
 * the sum goes to *spent. */
mmm_status mmm_time_job(mmm_job *job, mmm_machine *machine, int least, double patience, double *best, double *spent);

/* Job number `number` of what the record's calibration settings "n=500 m=250 s=8,32" list, with sizes `larger` times as
 * large, and choices left open where `open` says so; *exists is false where there are not so many. */
mmm_status mmm_calibration_job(const mmm_app *app, const char *settings, int64_t number, int64_t larger, bool open,
                               mmm_job **out, bool *exists);

/* Fits the rates of an application to what its record says calibration runs. */
mmm_status mmm_fit_app(const mmm_app *app, mmm_machine *machine, const mmm_parameters *parameters, mmm_rates *out);

/* A machine file as mmm_parameters_read takes it; consumes `spread`, an object of quartiles by key. */
struct json_t;
mmm_status mmm_machine_file_write(const mmm_machine *machine, const mmm_parameters *p, struct json_t *spread,
                                  const char *path);

/* The path of a file beside the wisdom; its folder is made. */
mmm_status mmm_wisdom_beside(const char *name, char **path);

/* Appends the job's configuration and time; finds the one for the same size, or a near one, on the same device.  Lines
 * that are damaged, or whose numbers are impossible, are passed over and noted. */
mmm_status mmm_wisdom_add(const mmm_job *job, const mmm_machine *machine, double seconds);

/* Its two halves: the line, to be freed, and what appends one. */
mmm_status mmm_wisdom_line(const mmm_job *job, const mmm_machine *machine, double seconds, char **line);
mmm_status mmm_wisdom_append(const char *line);
bool mmm_wisdom_find(const mmm_job *job, const mmm_machine *machine, mmm_candidate *choice, bool *exact);

/* Reads all of the wisdom: its path, how many lines can be used, and, in words, what is wrong with the others.  Fails
 * where there is no place for it, it is not trusted or cannot be written. */
mmm_status mmm_wisdom_check(char *path, size_t size, int64_t *lines, char *faults, size_t room);

/* Gives the job such a configuration, where there is one that it can be prepared with and that fits the machine; *found
 * says whether.  Otherwise the job keeps its values. */
mmm_status mmm_wisdom_apply(mmm_job *job, const mmm_machine *machine, bool *found, bool *exact);

/* Names the wisdom in the message of a failure of a job that has its configuration from there. */
int64_t mmm_wisdom_changes(void); /* how often this process has added to the wisdom */
mmm_status mmm_wisdom_blame(mmm_status status, const mmm_job *job);

/* Whether a text names the device of the machine: as wisdom does now, or as it did with its memory, clock and driver.
 */
bool mmm_same_device(const char *text, const mmm_machine *machine);

/* Checks the constraints of the job's application for a machine: `failed` is the first that does not hold, or "". */
mmm_status mmm_constraints_on(const mmm_job *job, const mmm_parameters *machine, char *failed, size_t size);

/* The reason why the machine cannot run the program; false: there is none. */
bool mmm_program_unfit(const mmm_program *program, const mmm_parameters *machine, char *reason, size_t size);

/* "2026-11-15T03:05:43Z" */
void mmm_date(char out[32]);

/* How long ranking may take; zero: as long as it takes. */
typedef struct mmm_patience {
    double seconds;
    bool brief;             /* as much as can be counted while the best so far is predicted to run, or in a moment */
    mmm_progress *progress; /* asked now and then once it has taken a second; NULL: nobody */
    void *context;
    const int64_t *usual; /* values to begin at, which are tried, too, of all parameters; NULL: the record's */
} mmm_patience;

/* All configurations of the parameters that were not set, pruned and predicted, the best first; those for which there
 * was no patience are last, with the reason mmm_not_predicted.  `parameters` limits threads and local memory.  The job
 * may be left with one of them. */
mmm_status mmm_candidates_new(mmm_job *job, const mmm_parameters *parameters, const mmm_patience *patience,
                              mmm_candidate **out, int *count);
extern const char mmm_not_predicted[];

/* Gives the job a configuration without making it one that was set. */
mmm_status mmm_candidate_apply(mmm_job *job, const mmm_candidate *candidate);

/* Gives the job the values of its open choices that are predicted to be fastest, or the usual ones unless they take
 * less than the part `leave` of these; *estimate is in seconds, and 0 where nothing could be predicted. */
mmm_status mmm_choose_by_prediction(mmm_job *job, mmm_machine *machine, const mmm_parameters *parameters, double leave,
                                    double *estimate);

/* The T4 file: written; and its times, where there is one, put into the candidates. */
mmm_status mmm_t4_write(const char *path, const mmm_job *job, const mmm_machine *machine, const mmm_tuning *tuning);
mmm_status mmm_t4_read(const char *path, const mmm_job *job, const mmm_machine *machine, mmm_tuning *tuning);

/* What measuring needs from outside: time, and executions.  Tests replace both. */
typedef struct mmm_clock {
    void *context;
    double (*now)(void *context);
    mmm_status (*execute)(void *context, mmm_job *job, mmm_machine *machine, double *seconds);
} mmm_clock;

extern const mmm_clock mmm_clock_real;

/* Runs the trial's job, which is prepared, as the options say; progress is that of this trial alone.  The seconds of
 * each run, of which t->runs tells the number also where it fails, go to `times`, which has room for o->repeat; then a
 * check, whose verdict goes to the trial, and where it is MMM_WRONG, what is wrong to mmm_message. */
mmm_status mmm_measure(const mmm_study_options *o, const mmm_clock *clock, mmm_trial *t, double *times);

/* What times say (see decide.c): the least of them; the noise, which is how far the least of every other visit of so
 * many runs lies from the least of the others, infinite after one visit; and whether a time is so far from its
 * prediction that one of the two is of something else. */
double mmm_least_time(const double *times, int count);
double mmm_noise(const double *times, int count, int visit);
bool mmm_far_from(double seconds, double predicted);

/* mmm_tune by that clock. */
mmm_status mmm_tune_with(mmm_job *job, mmm_machine *machine, const mmm_parameters *parameters,
                         const mmm_tune_options *options, const mmm_clock *clock, mmm_tuning *out);

/* The same for one of several workers: it measures every so many-th configuration from its number on, once; the last
 * one goes on from the results of all.  The wisdom stays as it is: *line, where there is one, is what to add to it. */
typedef struct mmm_share {
    int number, of;
    bool last;
    char **line;
} mmm_share;
mmm_status mmm_tune_share(mmm_job *job, mmm_machine *machine, const mmm_parameters *parameters,
                          const mmm_tune_options *options, const mmm_clock *clock, const mmm_share *share,
                          mmm_tuning *out);

/* What a model that goes by kernels says of a program with costs and traffic; the machine is one, P at least 1. */
mmm_status mmm_model_of_program(int number, const mmm_program *program, const mmm_parameters *parameters, int64_t P,
                                double *out);

/* The number of a model by its name, -1: there is none. */
int mmm_model_number(const char *name);

/* What two of them, the roofline and that of Hong and Kim, say of a job of which some blocks are counted. */
mmm_status mmm_model_sampled(mmm_job *job, const mmm_parameters *machine, double *roofline, double *hong_kim);

#endif
