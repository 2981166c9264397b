/* SPDX-License-Identifier: Apache-2.0 */
/* What the verbs of the command share.  The command uses the library through its public headers alone. */
#ifndef MMM_CLI_H
#define MMM_CLI_H

#include "mmm.h"
#include "mmm/formula.h"
#include "mmm/model.h"
#include "mmm/study.h"

#include <getopt.h>
#include <stdbool.h>

enum { EXIT_WORKED = 0, EXIT_CHECK_FAILED = 1, EXIT_USED_WRONGLY = 2, EXIT_INTERRUPTED = 130 };

/* One verb a file; argv[0] is the verb. */
int verb_list(int argc, char **argv);
int verb_analyze(int argc, char **argv);
int verb_run(int argc, char **argv);
int verb_calibrate(int argc, char **argv);
int verb_tune(int argc, char **argv);
int verb_formula(int argc, char **argv);
int verb_optimize(int argc, char **argv);
int verb_reproduce(int argc, char **argv);
int verb_report(int argc, char **argv);

/* Opens the analysis of that name, of the application of that name, or the file at that path. */
mmm_status open_formula(const char *name, mmm_formula **out);

/* The claims of one analysis, or (NULL) of all that are built in, as JSON, as a table or, for one, in full; 0, 1 where
 * one of a single analysis does not hold, or 2 after a failure, which is left to the caller to report. */
int show_claims(const char *name, bool json);

/* Text as a JSON string on standard output; null for NULL. */
void print_json_string(const char *text);

/* Prints "mmm: message" on standard error and returns the exit status for it. */
int complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
int complain_status(mmm_status status);

/* Shows the part done on a terminal, and stops the work when the user interrupts it. */
int show_progress(void *context, double done);
void end_progress(void);

/* For qsort: the smallest first. */
int compare_doubles(const void *x, const void *y);

/* After getopt_long found something wrong (':' for a missing value): names the word and the options there are. */
int complain_option(int found, char **argv, const struct option *options);

/* name=value words: each value a number, a list "64,128,256", a range "1-8" or "1-512:10log2", or a mix of them. */
enum { SETTINGS_MOST = 16 };

typedef struct setting {
    char name[32];
    int64_t *values;
    int count;
} setting;

typedef struct settings {
    setting list[SETTINGS_MOST];
    int count;
    bool ranged; /* some value was written as a list or range */
} settings;

/* Adds the word; 0, or an exit status after complaining. */
int settings_add(settings *s, const char *word);
void settings_free(settings *s);

/* Configurations are numbered 0 .. settings_combinations - 1, the last setting varying fastest. */
int64_t settings_combinations(const settings *s);
mmm_status settings_apply(const settings *s, int64_t number, mmm_job *job);

/* Reads "1,8,132" into out (room for `most`); 0, or an exit status after complaining about `option`. */
int read_numbers(const char *text, const char *option, int64_t *out, int most, int *count);

#endif
