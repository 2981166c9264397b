/* SPDX-License-Identifier: Apache-2.0 */
/* libFuzzer on everything that reads what others wrote: no input crashes it, leaks, or breaks a rule of C.
 * Use: MMM_FUZZ=TARGET fuzz [options of libFuzzer] CORPUS; run it in a folder of its own, where it writes. */
#include "cli.h"
#include "job/job.h"
#include "kernel/generate.h"
#include "machine/gpu/gpu.h"
#include "mmm/integer.h"
#include "study/study.h"

#include <dirent.h>
#include <fcntl.h>
#include <getopt.h>
#include <math.h>
#include <signal.h>
#include <sys/stat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- What targets need --------------------------------------------------------------------------------------------
 */

static char here[2000];

/* The input as a file of this name, in the folder of this run. */
static const char *as_file(const char *name, const void *data, size_t size)
{
    static char path[2200];
    snprintf(path, sizeof path, "%s/%s", here, name);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || write(file, data, size) != (ssize_t)size) abort();
    close(file);
    return path;
}

/* The input as a text. */
static char *as_text(const void *data, size_t size)
{
    char *text = malloc(size + 1);
    memcpy(text, data, size);
    text[size] = 0;
    return text;
}

static mmm_machine *cpu(void)
{
    static mmm_machine *machine;
    if (!machine && mmm_machine_open("cpu", &machine) != MMM_OK) abort();
    return machine;
}

static mmm_job *a_job(void)
{
    mmm_job *job;
    if (mmm_job_new("division", &job) != MMM_OK || mmm_job_set(job, "n", 60) != MMM_OK ||
        mmm_job_set(job, "m", 30) != MMM_OK)
        abort();
    return job;
}

/* ---- Targets ------------------------------------------------------------------------------------------------------
 */

static void fuzz_program(const uint8_t *data, size_t size)
{
    mmm_program *program;
    if (mmm_program_read(as_file("program.json", data, size), &program) != MMM_OK) return;
    mmm_measures measures;
    if (mmm_program_measures(program, mmm_parameters_builtin(), &measures) == MMM_OK &&
        mmm_program_kernels(program) < 200) {
        mmm_report_dot(program, "/dev/null");
        mmm_program_write(program, "/dev/null");
    }
    mmm_program_free(program);
}

static void fuzz_import(const uint8_t *data, size_t size)
{
    mmm_program *program;
    mmm_measures measures;
    if (mmm_program_import(as_file("launches.csv", data, size), &program) != MMM_OK) return;
    mmm_program_measures(program, mmm_parameters_builtin(), &measures);
    mmm_program_write(program, "/dev/null");
    mmm_program_free(program);
}

/* On a machine that could be read, a small job is predicted, and its times are numbers. */
static void predict(const mmm_parameters *machine)
{
    static mmm_job *job;
    mmm_prediction p;
    if (!job && (mmm_job_new("division", &job) != MMM_OK || mmm_job_set(job, "n", 20) != MMM_OK ||
                 mmm_job_set(job, "m", 10) != MMM_OK || mmm_job_set(job, "s", 4) != MMM_OK))
        abort();
    if (mmm_predict(job, machine, &p) == MMM_OK && !isfinite(p.estimate + p.extended)) abort();
    mmm_predict_limits(job, machine, &p, NULL, 0, NULL);
}

static void fuzz_machine(const uint8_t *data, size_t size)
{
    mmm_parameters parameters;
    char *text = as_text(data, size);
    if (!strchr(text, '/') && mmm_parameters_read(text, &parameters) == MMM_OK) predict(&parameters);
    if (mmm_parameters_read(as_file("machine.json", data, size), &parameters) == MMM_OK) predict(&parameters);
    free(text);
}

static void fuzz_polynomial(const uint8_t *data, size_t size)
{
    mmm_vector v = {0};
    char *text = as_text(data, size); /* as mmm_file_read gives it */
    if (mmm_vector_text_parse(text, (int64_t)size, "polynomial", &v) == MMM_OK) {
        FILE *null = fopen("/dev/null", "w");
        mmm_vector_text_print(&v, null);
        fclose(null);
    }
    mmm_vector_clear(&v);
    free(text);
}

static void fuzz_integer(const uint8_t *data, size_t size)
{
    fmpz_poly_t a;
    fmpz_poly_init(a);
    if (mmm_integer_read(as_file("integer.poly", data, size), a) == MMM_OK) mmm_integer_write(a, "/dev/null");
    fmpz_poly_clear(a);
}

static void fuzz_array(const uint8_t *data, size_t size)
{
    static const mmm_type types[] = {MMM_WORD, MMM_POLYNOMIAL, MMM_I8, MMM_U16, MMM_I32, MMM_U64, MMM_F32, MMM_F64};
    mmm_vector v = {0};
    int element;
    if (size < 1) return;
    mmm_type type = types[data[0] % 8];
    const char *bytes = (const char *)data + 1;
    if (mmm_is_npy(bytes, (int64_t)size - 1))
        mmm_npy_parse(bytes, (int64_t)size - 1, type, "array", &v, &element);
    else if (type != MMM_POLYNOMIAL)
        mmm_raw_parse(bytes, (int64_t)size - 1, type, type == MMM_WORD ? 4 : mmm_type_size(type), "array", &v);
    mmm_vector_clear(&v);
}

/* "expression; set; assume; limit; solve; evaluate" */
static void fuzz_expression(const uint8_t *data, size_t size)
{
    static mmm_formula *formula;
    if (size > 120) return; /* algebra takes its time; long texts are the formula target's */
    if (!formula && mmm_formula_open("division", &formula) != MMM_OK) abort();
    char *text = as_text(data, size), *rest = text, *parts[6] = {0};
    mmm_answer answer = {0};
    for (int i = 0; i < 6 && rest; i++) {
        parts[i] = strsep(&rest, ";");
        if (!*parts[i]) parts[i] = NULL;
    }
    const mmm_query query = {.expression = parts[0] ? parts[0] : "",
                             .set = parts[1],
                             .assume = parts[2],
                             .limit = parts[3],
                             .solve = parts[4],
                             .evaluate = parts[5]};
    mmm_formula_ask(formula, &query, &answer);
    mmm_answer_clear(&answer);
    free(text);
}

static int no_value(const void *context, const char *name, int64_t *value)
{
    (void)context;
    *value = name[0];
    return name[0] == 'x' ? -1 : name[0] != 'y';
}

/* Expressions and constraints of records. */
static void fuzz_constraint(const uint8_t *data, size_t size)
{
    char *text = as_text(data, size), failed[100];
    int64_t value;
    bool known;
    mmm_integer_evaluate(text, no_value, NULL, &value, &known);
    mmm_constraints_check(text, no_value, NULL, failed, sizeof failed);
    free(text);
}

static void fuzz_formula(const uint8_t *data, size_t size)
{
    mmm_formula *formula = NULL;
    char *text = as_text(data, size);
    if (mmm_formula_read("formula", text, &formula) == MMM_OK) {
        mmm_answer answer = {0};
        const char *meaning;
        for (int i = 0; mmm_formula_name(formula, i, &meaning); i++)
            ;
        if (size < 200) mmm_formula_ask(formula, &(mmm_query){.expression = "W"}, &answer);
        mmm_answer_clear(&answer);
    }
    mmm_formula_free(formula);
    free(text);
}

static void fuzz_wisdom(const uint8_t *data, size_t size)
{
    mmm_job *job = a_job();
    bool found, exact;
    setenv("MMM_WISDOM", as_file("wisdom.jsonl", data, size), 1);
    mmm_wisdom_apply(job, cpu(), &found, &exact);
    mmm_wisdom_note();
    mmm_job_free(job);
}

static void fuzz_t4(const uint8_t *data, size_t size)
{
    mmm_job *job = a_job();
    mmm_candidate candidates[] = {{.values = {4}}, {.values = {8}}};
    mmm_tuning tuning = {.candidates = candidates, .count = 2};
    mmm_t4_read(as_file("results.json", data, size), job, cpu(), &tuning);
    mmm_job_free(job);
}

static void fuzz_reproduce(const uint8_t *data, size_t size)
{
    char folder[2100];
    snprintf(folder, sizeof folder, "%s/tables", here);
    mkdir(folder, 0700);
    as_file("tables/reproduce.jsonl", data, size);
    mmm_reproduce(folder, (const char *const[]){NULL}, 1, 1, NULL, NULL);
}

static void fuzz_cache(const uint8_t *data, size_t size)
{
    static char entry[4200];
    static const char key[] = "key";
    void *code;
    size_t bytes;
    if (!*entry) { /* what a good one is called */
        char folder[4096];
        mmm_cache_store(key, "code", 4);
        if (mmm_cache_folder(folder, sizeof folder) != MMM_OK) abort();
        DIR *files = opendir(folder);
        for (struct dirent *d; (d = readdir(files));)
            if (d->d_name[0] != '.') snprintf(entry, sizeof entry, "%s/%.100s", folder, d->d_name);
        closedir(files);
    }
    FILE *stream = fopen(entry, "w");
    fwrite(data, 1, size, stream);
    fclose(stream);
    if (mmm_cache_load(key, &code, &bytes)) free(code);
}

static void fuzz_generator(const uint8_t *data, size_t size)
{
    mmm_generated out = {0};
    mmm_generate(as_file("kernels.c", data, size), NULL, "unit", &out);
    mmm_generated_clear(&out);
}

/* Up to the point where a verb would begin its work. */
static int no_work(void *request, const words *w)
{
    settings s = {0};
    (void)request;
    settings_add_words(&s, w, w->count > 1);
    settings_free(&s);
    return 0;
}

static void fuzz_command(const uint8_t *data, size_t size)
{
    char *argv[64], *text = as_text(data, size), *rest = text;
    int argc = 0;
    for (char *word; argc < 63 && (word = strsep(&rest, "\n"));)
        argv[argc++] = word;
    argv[argc] = NULL;
    signal(SIGINT, SIG_IGN); /* or verbs would watch interrupts and alarms, which are libFuzzer's */
    for (int i = 0; all_verbs[i]; i++) {
        verb v = *all_verbs[i];
        char *copy[64];
        if (argc && strcmp(argv[0], v.name) != 0 && argv[0][0] != '*') continue;
        memcpy(copy, argv, sizeof copy); /* getopt reorders */
        v.call = no_work;
        optind = 0;
        verb_call(&v, argc, copy);
    }
    free(text);
}

static const struct {
    const char *name;
    void (*call)(const uint8_t *data, size_t size);
} targets[] = {{"program", fuzz_program},       {"import", fuzz_import},
               {"machine", fuzz_machine},       {"polynomial", fuzz_polynomial},
               {"array", fuzz_array},           {"expression", fuzz_expression},
               {"constraint", fuzz_constraint}, {"formula", fuzz_formula},
               {"wisdom", fuzz_wisdom},         {"t4", fuzz_t4},
               {"reproduce", fuzz_reproduce},   {"cache", fuzz_cache},
               {"generator", fuzz_generator},   {"command", fuzz_command},
               {"integer", fuzz_integer}};
static void (*target)(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const char *name = getenv("MMM_FUZZ");
    (void)argc, (void)argv;
    for (size_t i = 0; name && i < sizeof targets / sizeof *targets; i++)
        if (strcmp(name, targets[i].name) == 0) target = targets[i].call;
    if (!target) {
        fprintf(stderr, "MMM_FUZZ is one of");
        for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
            fprintf(stderr, " %s", targets[i].name);
        fprintf(stderr, "\n");
        exit(2);
    }
    if (!getcwd(here, sizeof here)) exit(2);
    char path[2100];
    snprintf(path, sizeof path, "%s/cache", here);
    setenv("MMM_CACHE", path, 1);
    if (!freopen("/dev/null", "w", stdout)) exit(2); /* help; libFuzzer speaks on standard error */
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    target(data, size);
    return 0;
}
