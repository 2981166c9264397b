/* SPDX-License-Identifier: Apache-2.0 */
/* Constants of a core of a CPU and factors of kernels: what they are fitted to, and the fits. */
#ifndef MMM_CONSTANTS_H
#define MMM_CONSTANTS_H

#include "study/study.h"

/* Errors at x, as many as there are rows. */
typedef void mmm_errors(const void *context, const double *x, double *errors);

/* Moves x, so many unknowns, to where the sum of the squares of the errors is least, near where it was; spread
 * (may be NULL) is by how much each may be off. */
mmm_status mmm_least_squares(mmm_errors *errors, const void *context, int rows, int unknowns, double *x,
                             double *spread);

/* An error whose square grows like the error itself from about `apart` on: what is that far off says less. */
double mmm_lessened(double error, double apart);

/* Measures the constants of a core with probes that have words of so many bits.  spread[i] is by how much of itself
 * constant i may be off. */
mmm_status mmm_constants_measure(mmm_machine *machine, const mmm_parameters *parameters, int bits,
                                 double constants[MMM_CONSTANTS], double spread[MMM_CONSTANTS]);

/* The same for a GPU.  Those that cannot be measured well are refused: they are as near to what is usual as the probes
 * allow, and their spread is infinite.  Where `pretended` is not NULL nothing runs: times are what such constants
 * say. */
mmm_status mmm_gpu_constants_measure(mmm_machine *machine, const mmm_parameters *parameters, int bits,
                                     const double *pretended, double constants[MMM_GPU_CONSTANTS],
                                     double spread[MMM_GPU_CONSTANTS]);

/* Six digits of a number; by how much of themselves constants may be off, as JSON: those that no probe tells well are
 * refused, and are near what is usual. */
double mmm_rounded(double x);
struct json_t *mmm_off_json(const double *off, const mmm_constant_record *records, int count);

/* Puts the rates, or else the factors of all kernels, into a machine's file beside what else it holds. */
mmm_status mmm_machine_file_add(const char *path, const mmm_rates *rates, const mmm_parameters *p);

/* The same for the text of such a file, which messages call `name`; the new one goes to `path`. */
mmm_status mmm_machine_file_with(const char *name, const char *text, int64_t size, const mmm_rates *rates,
                                 const mmm_parameters *p, const char *path);

/* Kernels of one configuration that are alike: what the constants say of them, and what they took; and how much of the
 * least time of its size the configuration needs, by which the sample counts. */
typedef struct mmm_kernel_sample {
    char kernel[48];
    int features;
    double feature[MMM_FEATURES_MOST], limits[MMM_LIMITS], seconds, weight;
    double steps; /* of these seconds, what as many empty kernels take: no factor is for it */
} mmm_kernel_sample;

/* The features of a kernel (see mmm_factors); how many. */
int mmm_features_of(const mmm_node *node, int word_bits, double feature[MMM_FEATURES_MOST]);

/* What a line takes that a kernel touches for the first time, for each kernel of a program that is run again and again:
 * it comes from the cache that holds what was touched since its array was. */
mmm_status mmm_first_lines(const mmm_program *program, const mmm_profiles *profiles, const double *constants,
                           double *seconds);

/* What the constants say of a block of a kernel, in seconds; a line that is touched for the first time takes
 * `first_line`. */
void mmm_block_limits(const mmm_program *program, const mmm_node *node, const mmm_profile *block, double first_line,
                      const double *constants, double limits[MMM_LIMITS]);

/* Factors for samples of one kernel; those that have no effect on their times stay as they usually are. */
mmm_status mmm_factors_fit(const mmm_kernel_sample *samples, int count, mmm_factors *out);

/* Those of a kernel; NULL: there are none. */
const mmm_factors *mmm_factors_of(const mmm_parameters *machine, const char *app, const char *kernel);

/* The same on a GPU, for a kernel of so many features: they may know nothing of the last one, words of 64 bits; NULL:
 * there are none, or they are those of another kernel of that name. */
const mmm_factors *mmm_gpu_factors_of(const mmm_parameters *machine, const char *app, const char *kernel, int features);

/* Seconds of a kernel with these features on one core, by its factors (NULL: the usual ones); limits become what they
 * add up to. */
double mmm_factors_apply(const mmm_factors *factors, const double *feature, double limits[MMM_LIMITS]);

/* Those of other applications, into a table; how many. */
int mmm_factors_of_others(const mmm_parameters *machine, const char *app, mmm_factors *table);

/* Runs an application as its record says calibration does, on a core with every value of its choices, and fits the
 * factors of its kernels.  They and those that the machine has of others go to a table with room for MMM_FACTORS_MOST,
 * which may be the one it has: from then on the machine's. */
mmm_status mmm_factors_measure(const mmm_app *app, mmm_machine *machine, mmm_parameters *parameters,
                               mmm_factors *table);

#endif
