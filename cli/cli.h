/* SPDX-License-Identifier: Apache-2.0 */
/* What the verbs of the command share.  The command uses the library through its public headers alone. */
#ifndef MMM_CLI_H
#define MMM_CLI_H

#include "mmm.h"
#include "mmm/app.h"
#include "mmm/formula.h"
#include "mmm/model.h"
#include "mmm/study.h"

#include "options.h"

#include <stdbool.h>

enum { SMS_MOST = 1000000000, SECONDS_MOST = 1000000000, REPEAT_MOST = 100000, BATCH_MOST = 65535, LAUNCHES_MOST = 1000 };

enum { EXIT_WORKED = 0, EXIT_CHECK_FAILED = 1, EXIT_USED_WRONGLY = 2, EXIT_INTERRUPTED = 130 };

/* What mmm_parameters_read takes, for help. */
#define PARAMETERS "a name of mmm list, a JSON file, or U=100,Z=12288[,P=...][,operation=...]"

/* One verb a file. */
extern const verb verb_list, verb_new, verb_compile, verb_analyze, verb_run, verb_calibrate, verb_tune, verb_formula,
    verb_reproduce, verb_optimize, verb_report, verb_import, verb_derive, verb_compare, verb_doctor;

/* All of them, in the order of help, and a NULL. */
extern const verb *const all_verbs[];

/* What --version prints: the library, the compiler, the machines. */
int show_version(void);

/* Opens the analysis of that name, of the application of that name, or the file at that path. */
mmm_status open_formula(const char *name, mmm_formula **out);

/* The claims of one analysis, or (NULL) of all that are built in, as JSON, as a table or, for one, in full; 0, 1 where
 * one of a single analysis does not hold, or an exit status after complaining. */
int show_claims(const char *name, bool json);

/* The quantities of an analysis against the counts of the application `counts`: one line, or one for each that is wrong; 0, 1
 * where one is, or an exit status after complaining. */
int show_counts(const char *name, const char *counts);

/* Text as a JSON string on standard output; null for NULL. */
void print_json_string(const char *text);

/* "key":"text" and what comes after it. */
void print_json_field(const char *key, const char *text, const char *after);

/* Prints "mmm VERB: message" on standard error and returns EXIT_USED_WRONGLY. */
int complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same for a failure of the library; returns the exit status for it.  After an interrupt the library says how far
 * it came; where that is of no use, complain_interrupted says that it was one. */
int complain_status(mmm_status status);
int complain_interrupted(void);

/* Prints, once, what the library has to say of the wisdom, if anything, on standard error. */
void show_wisdom_note(void);

/* The same for a failure of a question about a formula, with the place in the expression where there is one. */
int complain_formula(mmm_status status);

/* An interrupt (Ctrl-C) ends the verb with EXIT_INTERRUPTED and a line that says so. */
void watch_interrupts(const char *verb_name);

/* The mmm_progress of every verb: shows the part done on a terminal, `context` being what is done, and stops the work
 * when the user interrupts it.  From the first call to end_progress the work is trusted to stop. */
int show_progress(void *context, double done);
void end_progress(void);

/* mmm run --over Z: what is asked for; returns the exit status. */
typedef struct over_request {
    const char *over, *app, *machine, *engine;
    const text_list *inputs, *outputs;
    int check, json;
    int64_t repeat;
} over_request;
int run_over(const over_request *r);

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

/* Adds all words from number `first` on, each of which must be name=value. */
int settings_add_words(settings *s, const words *w, int first);
void settings_free(settings *s);

/* Configurations are numbered 0 .. settings_combinations - 1, the last setting varying fastest. */
int64_t settings_combinations(const settings *s);
mmm_status settings_apply(const settings *s, int64_t number, mmm_job *job);

/* A new job of an application with configuration number `number`. */
mmm_status settings_job(const settings *s, const char *app, int64_t number, mmm_job **out);

/* The command as a shell would take it again. */
enum { COMMAND_MOST = 1024 };
void keep_command(char *command, const words *w);

/* What mmm report and mmm compare are asked: an application at several values of one parameter, on a machine or (NULL)
 * on none. */
typedef struct page_request {
    const char *app, *machine, *parameters, *output;
    int64_t repeat, P;
    int json, no_runs;
    settings settings;
    char command[COMMAND_MOST];
} page_request;

/* Makes the study that `own` asks for beside what all pages have (P_count: schedules on r->P SMs): a trial for each value
 * of the parameter that is given as a list, else of the first choice.  A value that does not suit the sizes or the machine
 * is left out, with the reason.  Then writes it, interrupted as much as there is; returns the exit status. */
typedef int page_writer(const page_request *r, const mmm_report_input *input);
int page_carry_out(page_request *r, mmm_study_options own, page_writer *write_out);

/* The exit status of a page: says what is wrong with the first value at which something is, and at how many. */
int page_judge(const mmm_report_input *input);

/* Reads a whole number from 0 on and moves *text behind it; false where there is none or it does not fit. */
bool number_at(const char **text, int64_t *out);

#endif
