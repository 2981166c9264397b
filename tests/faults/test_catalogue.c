/* SPDX-License-Identifier: Apache-2.0 */
/* Every fault of catalogue.txt is found by the abstract machine, the generator or the check; and in the applications as
 * they are, nothing is.
 * Use: test_catalogue [-v] [NUMBER ...], or test_catalogue -k FOLDER, which only makes the folders. */
#include <mmm/app.h>
#include <mmm/study.h>

#include "machine/machine.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TEXT = 1 << 13, SECONDS = 100, AT_ONCE = 2 };

typedef struct fault {
    char app[40], settings[200], file[40], what[200], before[TEXT], after[TEXT], expected[40];
    int line; /* of the catalogue */
} fault;

static fault *faults;
static int count;
static const char *place = "build/checks/faults";

static void give_up(const char *why, const char *what)
{
    fprintf(stderr, "catalogue: %s: %s\n", what, why);
    exit(2);
}

static void add_line(char *text, const char *line)
{
    if (strlen(text) + strlen(line) + 2 > TEXT) give_up("too long", line);
    if (*text) strcat(text, "\n");
    strcat(text, line);
}

static fault *another(const fault *last)
{
    faults = realloc(faults, (size_t)(count + 1) * sizeof *faults);
    if (!faults) give_up("no memory", "catalogue.txt");
    faults[count] = (fault){0};
    if (last) {
        strcpy(faults[count].app, last->app);
        strcpy(faults[count].settings, last->settings);
    }
    return &faults[count++];
}

/* Each application comes first as it is, with nothing expected. */
static void read_catalogue(const char *path)
{
    static fault app;
    char line[TEXT];
    FILE *stream = fopen(path, "r");
    if (!stream) give_up(strerror(errno), path);
    for (int number = 1; fgets(line, sizeof line, stream); number++) {
        line[strcspn(line, "\n")] = 0;
        fault *f = count ? &faults[count - 1] : NULL;
        if (strncmp(line, "app ", 4) == 0) {
            sscanf(line, "app %39s %199[^\n]", app.app, app.settings);
            another(&app);
        } else if (strncmp(line, "fault ", 6) == 0) {
            f = another(&app);
            f->line = number;
            sscanf(line, "fault %39s %199[^\n]", f->file, f->what);
        } else if (line[0] == '<') {
            add_line(f->before, line + (line[1] == ' ' ? 2 : 1));
        } else if (line[0] == '>') {
            add_line(f->after, line + (line[1] == ' ' ? 2 : 1));
        } else if (line[0] == '=') {
            sscanf(line, "= %39s", f->expected);
        } else if (*line && *line != '#') {
            give_up("not understood", line);
        }
    }
    fclose(stream);
}

static char *read_file(const char *path)
{
    char *text;
    int64_t size;
    if (mmm_file_read(path, 1 << 20, &text, &size) != MMM_OK) give_up(mmm_message(), path);
    return text;
}

static void write_file(const char *path, const char *text, size_t length)
{
    FILE *stream = fopen(path, "w");
    if (!stream || fwrite(text, 1, length, stream) != length || fclose(stream) != 0) give_up(strerror(errno), path);
}

/* The application's folder with its fault, which is where the catalogue says and only there. */
static void make(const fault *f, int number, char folder[300])
{
    char path[400], from[400];
    bool made = !*f->file;
    snprintf(folder, 300, "%s/%s-%d", place, f->app, number);
    mkdir(folder, 0700);
    snprintf(from, sizeof from, "apps/%s", f->app);
    DIR *files = opendir(from);
    if (!files) give_up(strerror(errno), from);
    for (const struct dirent *entry; (entry = readdir(files));) {
        const char *name = entry->d_name, *dot = strrchr(name, '.');
        if (name[0] == '.' || !dot || (strcmp(dot, ".c") != 0 && strcmp(dot, ".h") != 0)) continue;
        if (strcmp(name, "test.c") == 0) continue;
        snprintf(path, sizeof path, "apps/%s/%s", f->app, name);
        char *text = read_file(path), *at = strcmp(name, f->file) == 0 ? strstr(text, f->before) : NULL;
        snprintf(path, sizeof path, "%s/%s", folder, name);
        if (at) {
            char *rest = at + strlen(f->before), *whole = malloc(strlen(text) + TEXT);
            if (strstr(at + 1, f->before)) give_up("occurs twice", f->before);
            int length = sprintf(whole, "%.*s%s%s", (int)(at - text), text, f->after, rest);
            write_file(path, whole, (size_t)length);
            free(whole);
            made = true;
        } else
            write_file(path, text, strlen(text));
        free(text);
    }
    closedir(files);
    if (!made) {
        fprintf(stderr, "catalogue.txt:%d: apps/%s/%s does not have this text\n", f->line, f->app, f->file);
        exit(2);
    }
}

/* Polynomials with a common factor, of n and m terms: to coprime ones the gcd is 1, whatever is wrong. */
static mmm_status give_common(mmm_job *job)
{
    enum { MOST = 1000 };
    const uint64_t p = 2013265921;
    const int64_t terms[] = {mmm_job_get(job, "n"), mmm_job_get(job, "m")}, common = terms[1] / 3;
    uint64_t factor[MOST], other[MOST], product[MOST];
    mmm_random random = {7};
    mmm_status status = MMM_OK;
    if (terms[0] > MOST || terms[1] > terms[0]) give_up("m <= n <= 1000 is what there is room for", "a gcd");
    for (int64_t i = 0; i < common; i++)
        factor[i] = 1 + mmm_random_below(&random, p - 1);
    for (int which = 0; which < 2 && status == MMM_OK; which++) {
        memset(product, 0, sizeof product);
        for (int64_t j = 0; j <= terms[which] - common; j++) {
            other[j] = 1 + mmm_random_below(&random, p - 1);
            for (int64_t i = 0; i < common; i++)
                product[i + j] = (product[i + j] + factor[i] * other[j]) % p;
        }
        status = mmm_job_polynomial(job, which, p, product, terms[which]);
    }
    return status;
}

/* What is found, in words: names of violations, "refused", "wrong". */
static void judge(const fault *f, const char *folder, FILE *out)
{
    mmm_job *job = NULL;
    mmm_machine *machine = NULL;
    char settings[200], *rest = settings;
    alarm(SECONDS);
    mmm_status status = mmm_job_new(folder, &job);
    strcpy(settings, f->settings);
    for (char *word; status == MMM_OK && (word = strsep(&rest, " "));) {
        char *value = strchr(word, '=');
        *value++ = 0;
        status = mmm_job_set(job, word, atoll(value));
    }
    if (status == MMM_OK && strncmp(f->app, "gcd", 3) == 0) status = give_common(job);
    if (status == MMM_OK) status = mmm_machine_open_abstract(mmm_parameters_builtin(), 1, &machine);
    if (status == MMM_OK) status = mmm_job_run(job, machine, NULL);
    if (status != MMM_OK) {
        fprintf(out, "refused (%s)", mmm_message());
        return;
    }
    const mmm_counts *counts = mmm_machine_counts(machine);
    for (int64_t i = 0; i < counts->violation_count; i++) {
        const mmm_violation *v = &counts->violations[i];
        const char *slash = strrchr(v->file, '/');
        fprintf(out, "%s %s[%lld] %s:%d, ", mmm_violation_name(v->kind), v->array, (long long)v->index,
                slash ? slash + 1 : v->file, v->line);
    }
    status = mmm_job_check(job);
    if (status != MMM_OK) fprintf(out, "wrong");
}

typedef struct child {
    pid_t pid;
    int number;
    FILE *end;
} child;

static child start(int number)
{
    char folder[300];
    make(&faults[number], number, folder);
    child c = {.number = number, .end = tmpfile()};
    if (!c.end || (c.pid = fork()) < 0) give_up(strerror(errno), "a child");
    if (c.pid == 0) {
        judge(&faults[number], folder, c.end);
        fflush(c.end);
        _exit(0);
    }
    return c;
}

/* Whether it ended as expected. */
static bool finish(child *c, bool verbose)
{
    const fault *f = &faults[c->number];
    char found[4000] = "";
    int status = 0;
    waitpid(c->pid, &status, 0);
    rewind(c->end);
    found[fread(found, 1, sizeof found - 1, c->end)] = 0;
    fclose(c->end);
    if (!WIFEXITED(status)) snprintf(found, sizeof found, "killed by signal %d", WTERMSIG(status));
    if (WIFEXITED(status) && WEXITSTATUS(status)) snprintf(found, sizeof found, "exit %d", WEXITSTATUS(status));
    bool good = *f->expected ? strstr(found, f->expected) != NULL : !*found;
    if (!good)
        printf("catalogue: %d %s: %s: %s was expected, found: %s\n", c->number, f->app, *f->what ? f->what : "as it is",
               *f->expected ? f->expected : "nothing", *found ? found : "nothing");
    else if (verbose)
        printf("%d %s: %s: %.160s\n", c->number, f->app, *f->what ? f->what : "as it is", found);
    c->pid = 0;
    return good;
}

/* Whether docs/faults.md says how many there are. */
static bool is_told(int seeded)
{
    char words[60], *text = read_file("docs/faults.md");
    snprintf(words, sizeof words, "has %d faults", seeded);
    bool told = strstr(text, words) != NULL;
    if (!told) printf("catalogue: docs/faults.md does not say that it %s\n", words);
    free(text);
    return told;
}

int main(int argc, char **argv)
{
    bool verbose = argc > 1 && strcmp(argv[1], "-v") == 0, keep = argc > 2 && strcmp(argv[1], "-k") == 0;
    int failed = 0, seeded = 0, first = 1 + verbose;
    char path[400];
    read_catalogue("tests/faults/catalogue.txt");
    if (keep) {
        place = argv[2];
        for (int i = 0; i < count; i++) {
            make(&faults[i], i, path);
            printf("%s\t%s\t%s\t%s\n", path, faults[i].settings, *faults[i].expected ? faults[i].expected : "-",
                   *faults[i].what ? faults[i].what : "as it is");
        }
        return 0;
    }
    mkdir("build", 0700);
    mkdir("build/checks", 0700);
    mkdir(place, 0700);
    snprintf(path, sizeof path, "%s/cache", place);
    setenv("MMM_CACHE", path, 1);
    char *compiler = realpath("tests/faults/cc.sh", NULL);
    if (!compiler) give_up(strerror(errno), "tests/faults/cc.sh");
    setenv("CC", compiler, 1);
    free(compiler);
    child running[AT_ONCE] = {{0}};
    for (int i = 0; i < count; i++) {
        bool asked = argc <= first;
        for (int k = first; k < argc; k++)
            asked |= atoi(argv[k]) == i;
        if (!asked) continue;
        child *slot = running;
        while (slot < running + AT_ONCE && slot->pid)
            slot++;
        if (slot == running + AT_ONCE) { /* in turns: they take about the same time */
            slot = &running[i % AT_ONCE];
            failed += !finish(slot, verbose);
        }
        *slot = start(i);
        seeded += *faults[i].expected != 0;
    }
    for (int i = 0; i < AT_ONCE; i++)
        if (running[i].pid) failed += !finish(&running[i], verbose);
    if (argc <= first) failed += !is_told(seeded);
    printf("catalogue: %d faults seeded, %d runs not as expected\n", seeded, failed);
    free(faults);
    return failed != 0;
}
