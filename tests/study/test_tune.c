/* SPDX-License-Identifier: Apache-2.0 */
/* Tuning with a clock and executions that are made up: pruning, budgets, resuming, wisdom, files. */
#include "study/study.h"
#include "jobs.h"

#include <jansson.h>
#include <math.h>

/* Time passes only while something is executed; how long depends on s alone. */
typedef struct fake {
    double now;
    int executions, fail_s;
    bool flat; /* not even on s */
} fake;

static double fake_now(void *context)
{
    return ((fake *)context)->now;
}

static mmm_status fake_execute(void *context, mmm_job *job, mmm_machine *machine, double *seconds)
{
    fake *f = context;
    mmm_status status = mmm_job_run(job, machine, NULL);
    double s = (double)mmm_job_get(job, "s");
    if (status != MMM_OK) return status;
    if (f->fail_s == (int)s) return mmm_fail(MMM_DEVICE, "the device is on fire");
    *seconds = f->flat ? 1 : 1 + 0.25 * fabs(log2(s / 32));
    f->now += *seconds;
    f->executions++;
    return MMM_OK;
}

static mmm_parameters machine_of(void)
{
    mmm_parameters p;
    assert_ok(mmm_parameters_read("U=10,Z=2000,P=2,lanes=8,threads=1024,operation=1e-9,barrier=5,launch=100", &p));
    return p;
}

static mmm_job *job_of(const char *app, int64_t n, int64_t m)
{
    mmm_job *job;
    assert_ok(mmm_job_new(app, &job));
    assert_ok(mmm_job_set(job, "n", n));
    if (m) assert_ok(mmm_job_set(job, "m", m));
    return job;
}

static void fresh_wisdom(void)
{
    static char path[64];
    snprintf(path, sizeof path, "build/test-wisdom-%d/wisdom.jsonl", (int)getpid());
    mkdir("build", 0777);
    setenv("MMM_WISDOM", path, 1);
    unlink(path);
}

static mmm_status tune(mmm_job *job, mmm_machine *machine, const mmm_tune_options *options, fake *f, mmm_tuning *out)
{
    mmm_parameters p = machine_of();
    mmm_clock clock = {f, fake_now, fake_execute};
    return mmm_tune_with(job, machine, &p, options, &clock, out);
}

static const mmm_candidate *find(const mmm_tuning *t, int64_t s, int64_t l)
{
    for (int i = 0; i < t->count; i++)
        if (t->candidates[i].values[0] == s && (!l || t->candidates[i].values[1] == l)) return &t->candidates[i];
    fail_msg("there is no candidate s=%lld", (long long)s);
    return NULL;
}

static void test_pruning(void **state)
{
    (void)state;
    mmm_parameters p = machine_of();
    mmm_tuning t = {0};
    mmm_job *job = job_of("division", 3000, 1000);
    assert_ok(mmm_candidates_new(job, &p, &(mmm_patience){0}, &t.candidates, &t.count));
    assert_string_equal(mmm_invalidity_name(find(&t, 64, 0)->invalidity), "correct");
    assert_string_equal(mmm_invalidity_name(find(&t, 512, 0)->invalidity), "constraints");
    assert_non_null(strstr(find(&t, 512, 0)->reason, "7*s <= Z does not hold on this machine"));
    assert_non_null(
        strstr(find(&t, 4096, 0)->reason, "s=4096 does what s=2048 does: min(s, max(n - m + 1, 1)) is 2001 for both"));
    assert_true(find(&t, 64, 0)->prediction.estimate > 0 && find(&t, 64, 0)->prediction.measures.work > 0);
    for (int i = 1; i < t.count && !t.candidates[i].reason[0]; i++)
        assert_true(t.candidates[i - 1].prediction.estimate <= t.candidates[i].prediction.estimate);
    mmm_tuning_free(&t);
    p.Z = 20000;
    assert_ok(mmm_candidates_new(job, &p, &(mmm_patience){0}, &t.candidates, &t.count));
    assert_non_null(strstr(find(&t, 512, 0)->reason, "3*s <= threads does not hold on this machine"));
    mmm_tuning_free(&t);
    p.Z = 300;
    assert_ok(mmm_candidates_new(job, &p, &(mmm_patience){0}, &t.candidates, &t.count));
    assert_non_null(strstr(find(&t, 64, 0)->reason, "7*s <= Z does not hold on this machine"));
    mmm_tuning_free(&t);
    mmm_job_free(job);
    job = job_of("radix-sort", 1000, 0);
    assert_ok(mmm_candidates_new(job, &p, &(mmm_patience){0}, &t.candidates, &t.count));
    assert_non_null(strstr(find(&t, 8, 16)->reason, "5*l + 1 + 2^s <= Z does not hold"));
    assert_non_null(strstr(find(&t, 9, 16)->reason, "s=9 does what s=8 does: ceil(c, min(s, c)) is 4 for both"));
    assert_non_null(strstr(find(&t, 4, 1024)->reason, "l=1024 does what l=256 does"));
    mmm_tuning_free(&t);
    mmm_job_free(job);
}

static int never(void *context, double done)
{
    ++*(int *)context;
    return done < 0;
}

/* Who has no patience has one prediction at least, and that is of a usual configuration; the others say why not. */
static void test_patience(void **state)
{
    (void)state;
    mmm_parameters p = machine_of();
    mmm_tuning t = {0};
    mmm_job *job = job_of("division", 3000, 1000);
    int calls = 0, open = 0, late = 0;
    assert_ok(mmm_candidates_new(job, &p, &(mmm_patience){.seconds = 1e-9, .progress = never, .context = &calls},
                                 &t.candidates, &t.count));
    for (int i = 0; i < t.count; i++) {
        open += !t.candidates[i].reason[0];
        late += strcmp(t.candidates[i].reason, mmm_not_predicted) == 0;
        if (strcmp(t.candidates[i].reason, mmm_not_predicted) == 0)
            assert_string_equal(mmm_invalidity_name(t.candidates[i].invalidity), "timeout");
    }
    assert_int_equal(open, 1);
    assert_int_equal(late, t.count - 1);
    assert_int_equal(t.candidates[0].values[0], 64);
    mmm_tuning_free(&t);
    mmm_job_free(job);
}

/* Programs that differ in their choices have the same inputs, not drawn again; other parameters draw others. */
static void test_draw_once(void **state)
{
    (void)state;
    mmm_job *job = job_of("division", 300, 100), *other = job_of("division", 300, 100);
    int64_t count;
    assert_ok(mmm_job_set(job, "s", 4));
    assert_ok(mmm_job_prepare(job));
    const uint64_t *drawn = mmm_job_given(job, 0, &count);
    uint64_t first[300];
    assert_int_equal(count, 300);
    memcpy(first, drawn, sizeof first);
    assert_ok(mmm_job_set(job, "s", 8));
    assert_ok(mmm_job_prepare(job));
    assert_ptr_equal(mmm_job_given(job, 0, NULL), drawn);
    assert_ok(mmm_job_set(job, "s", 16)); /* planned, it has them when it is loaded */
    assert_ok(mmm_job_plan(job));
    assert_ok(mmm_job_load(job));
    assert_memory_equal(mmm_job_given(job, 0, NULL), first, sizeof first);
    assert_ok(mmm_job_set(job, "seed", 2));
    assert_ok(mmm_job_prepare(job));
    assert_memory_not_equal(mmm_job_given(job, 0, NULL), first, sizeof first);
    assert_ok(mmm_job_set(job, "seed", 1));
    assert_ok(mmm_job_prepare(job));
    assert_memory_equal(mmm_job_given(job, 0, NULL), first, sizeof first);
    /* One input given: the other is drawn as if nothing had been before. */
    const uint64_t b[] = {1, 2, 3};
    uint64_t alone[300];
    assert_ok(mmm_job_polynomial(other, 1, 2013265921, b, 3));
    assert_ok(mmm_job_prepare(other));
    memcpy(alone, mmm_job_given(other, 0, NULL), sizeof alone);
    assert_ok(mmm_job_polynomial(job, 1, 2013265921, b, 3));
    assert_ok(mmm_job_prepare(job));
    assert_memory_equal(mmm_job_given(job, 0, NULL), alone, sizeof alone);
    mmm_job_free(job);
    mmm_job_free(other);
}

static void test_budgets(void **state)
{
    (void)state;
    mmm_machine *machine = open_cpu();
    for (int64_t runs = 1; runs <= 9; runs++) {
        fake f = {0};
        mmm_tuning t;
        mmm_job *job = job_of("division", 600, 300);
        fresh_wisdom();
        assert_ok(tune(job, machine, &(mmm_tune_options){.max_runs = runs, .exhaustive = 1}, &f, &t));
        assert_int_equal(t.runs, runs);
        assert_int_equal(f.executions, 3 * runs);
        assert_string_equal(mmm_tuning_end_name(t.end), "max-runs");
        mmm_tuning_free(&t);
        f = (fake){0};
        assert_ok(tune(job, machine, &(mmm_tune_options){.time_limit = (double)runs, .exhaustive = 1}, &f, &t));
        assert_true(f.now < (double)runs + 3);
        assert_string_equal(mmm_tuning_end_name(t.end), "time-limit");
        mmm_tuning_free(&t);
        f = (fake){0};
        assert_ok(tune(job, machine, &(mmm_tune_options){.dry_run = 1}, &f, &t));
        assert_true(f.executions == 0 && t.chosen == 0 && t.runs == 0);
        assert_string_equal(mmm_tuning_end_name(t.end), "dry-run");
        mmm_tuning_free(&t);
        mmm_job_free(job);
    }
    mmm_machine_free(machine);
}

static void test_choice(void **state)
{
    (void)state;
    mmm_machine *machine = open_cpu();
    mmm_job *job = job_of("division", 600, 300);
    fake f = {.fail_s = 16};
    mmm_tuning t;
    fresh_wisdom();
    assert_ok(tune(job, machine, &(mmm_tune_options){.exhaustive = 1}, &f, &t));
    assert_int_equal(t.candidates[t.chosen].values[0], 32);
    assert_int_equal(mmm_job_get(job, "s"), 32);
    assert_string_equal(mmm_tuning_end_name(t.end), "decided");
    assert_int_equal(t.ties, 0);
    assert_string_equal(mmm_invalidity_name(find(&t, 16, 0)->invalidity), "runtime");
    assert_string_equal(find(&t, 16, 0)->reason, "the device is on fire");
    mmm_tuning_free(&t);
    mmm_job_free(job);
    mmm_machine_free(machine);
}

/* Where nothing can be told apart, it ends when there is no room for further times. */
static void test_ties(void **state)
{
    (void)state;
    mmm_machine *machine = open_cpu();
    mmm_job *job = job_of("division", 60, 30);
    fake f = {.flat = true};
    mmm_tuning t;
    fresh_wisdom();
    assert_ok(tune(job, machine, &(mmm_tune_options){.exhaustive = 1, .repeat = MMM_TIMES_MOST}, &f, &t));
    assert_int_equal(t.end, MMM_TUNING_UNDECIDED);
    assert_int_equal(t.executions, f.executions);
    assert_int_equal(t.executions, MMM_TIMES_MOST * (t.ties + 1));
    assert_true(t.ties > 2);
    mmm_tuning_free(&t);
    mmm_job_free(job);
    mmm_machine_free(machine);
}

static int stop_after(void *context, double done)
{
    (void)done;
    return --*(int *)context < 0;
}

static char *text_of(const char *path)
{
    char *text;
    int64_t size;
    assert_ok(mmm_file_read(path, 1 << 24, &text, &size));
    return text;
}

/* However often it is stopped, the file in the end is the same. */
static void test_resume(void **state)
{
    (void)state;
    mmm_machine *machine = open_cpu();
    mmm_tuning t;
    char *whole = NULL, path[64];
    setenv("SOURCE_DATE_EPOCH", "1000000000", 1);
    snprintf(path, sizeof path, "build/test-results-%d.json", (int)getpid());
    for (int steps = 1000; steps; steps = steps == 1000 ? 3 : steps - 1) {
        int stopped = 0, left;
        mmm_status status;
        unlink(path);
        do {
            fake f = {0};
            mmm_job *job = job_of("division", 600, 300);
            fresh_wisdom();
            left = 4 * steps; /* a visit asks before it begins, and before each of three executions */
            status = tune(job, machine,
                          &(mmm_tune_options){.max_runs = 9, .results = path, .progress = stop_after, .context = &left},
                          &f, &t);
            if (status == MMM_STOPPED) assert_non_null(strstr(mmm_message(), "the same command goes on"));
            if (status == MMM_OK) mmm_tuning_free(&t);
            mmm_job_free(job);
        } while (status == MMM_STOPPED && ++stopped < 100);
        assert_ok(status);
        char *text = text_of(path);
        if (steps == 1000) {
            whole = text;
            assert_int_equal(stopped, 0);
        } else {
            assert_true(stopped > 0);
            assert_string_equal(text, whole);
            free(text);
        }
    }
    json_t *root = json_loads(whole, 0, NULL), *entry, *results = json_object_get(root, "results");
    static const char *const keys[] = {"timestamp",   "configuration", "times",     "invalidity",
                                       "correctness", "measurements",  "objectives"};
    size_t i;
    assert_string_equal(json_string_value(json_object_get(root, "schema_version")), "1.1.0");
    assert_true(json_array_size(results) > 10);
    json_array_foreach(results, i, entry) for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        assert_non_null(json_object_get(entry, keys[k]));
    json_decref(root);
    /* another size does not go on from it, nor does anything from what is no such file */
    fake f = {0};
    mmm_job *job = job_of("division", 700, 300);
    assert_fails(tune(job, machine, &(mmm_tune_options){.results = path}, &f, &t), MMM_INVALID,
                 "of another application");
    FILE *stream = fopen(path, "w");
    fputs("{", stream);
    fclose(stream);
    assert_fails(tune(job, machine, &(mmm_tune_options){.results = path}, &f, &t), MMM_INVALID, "does not hold tuning");
    assert_int_equal(f.executions, 0);
    unlink(path);
    free(whole);
    unsetenv("SOURCE_DATE_EPOCH");
    mmm_job_free(job);
    mmm_machine_free(machine);
}

static const char *choose(const char *app, int64_t n, int64_t m, int64_t *s)
{
    mmm_machine *machine = open_cpu();
    mmm_job *job = job_of(app, n, m);
    mmm_origin origin;
    assert_ok(mmm_tune_choose(job, machine, &origin));
    *s = mmm_job_get(job, "s");
    assert_ok(mmm_job_run(job, machine, NULL));
    mmm_job_free(job);
    mmm_machine_free(machine);
    return mmm_origin_name(origin);
}

static void test_wisdom(void **state)
{
    (void)state;
    mmm_machine *machine = open_cpu();
    int64_t s;
    fresh_wisdom();
    assert_string_equal(choose("division", 600, 300, &s), "prediction");
    for (int i = 0; i < 2; i++) { /* of two lines for a size the later counts */
        mmm_job *job = job_of("division", 600, 300);
        assert_ok(mmm_job_set(job, "s", i ? 17 : 5));
        assert_ok(mmm_wisdom_add(job, machine, 0.001));
        mmm_job_free(job);
        FILE *stream = fopen(getenv("MMM_WISDOM"), "a");
        fputs("{\"app\":\"division\",\n[]\n\0x\n{\"app\":\"division\",\"configuration\":{\"s\":\"x\"}}\n", stream);
        fclose(stream);
    }
    char *text = text_of(getenv("MMM_WISDOM"));
    assert_true(strncmp(text, "{\"mmm\":\"wisdom\"", 15) == 0);
    assert_null(strstr(text + 1, "{\"mmm\":\"wisdom\""));
    free(text);
    assert_string_equal(choose("division", 600, 300, &s), "wisdom");
    assert_int_equal(s, 17);
    assert_string_equal(choose("division", 800, 400, &s), "wisdom of a near size");
    assert_int_equal(s, 17);
    assert_string_equal(choose("division", 9000, 300, &s), "prediction");
    assert_string_equal(choose("gcd", 600, 300, &s), "prediction");
    mmm_job *job = job_of("division", 600, 300);
    mmm_origin origin;
    assert_ok(mmm_job_set(job, "s", 3));
    assert_ok(mmm_tune_choose(job, machine, &origin));
    assert_int_equal(origin, MMM_ORIGIN_GIVEN);
    assert_int_equal(mmm_job_get(job, "s"), 3);
    mmm_job_free(job);
    mmm_machine_free(machine);
}

/* A file of results without its wisdom, which was lost: the choice is kept again; but once. */
static void test_wisdom_again(void **state)
{
    (void)state;
    mmm_machine *machine = open_cpu();
    mmm_job *job = job_of("division", 600, 300);
    char path[64];
    mmm_tuning t;
    int64_t s;
    snprintf(path, sizeof path, "build/test-again-%d.json", (int)getpid());
    unlink(path);
    for (int i = 0; i < 3; i++) {
        fake f = {0};
        if (i < 2) fresh_wisdom();
        assert_ok(tune(job, machine, &(mmm_tune_options){.max_runs = 5, .results = path}, &f, &t));
        assert_true(i ? t.runs == 0 : t.runs > 0);
        assert_string_equal(choose("division", 600, 300, &s), "wisdom");
        assert_int_equal(s, t.candidates[t.chosen].values[0]);
        mmm_tuning_free(&t);
    }
    char *text = text_of(getenv("MMM_WISDOM"));
    assert_null(strstr(strstr(text, "\"app\"") + 1, "\"app\""));
    free(text);
    unlink(path);
    /* Stopped, it keeps what it has. */
    fake f = {0};
    int left = 8;
    fresh_wisdom();
    assert_fails(tune(job, machine, &(mmm_tune_options){.progress = stop_after, .context = &left}, &f, &t), MMM_STOPPED,
                 "stopped after 2 of");
    assert_string_equal(choose("division", 600, 300, &s), "wisdom");
    mmm_job_free(job);
    mmm_machine_free(machine);
}

static void write_wisdom(const char *text)
{
    FILE *stream = fopen(getenv("MMM_WISDOM"), "w");
    assert_non_null(stream);
    fputs(text, stream);
    fclose(stream);
}

/* A line for division, or one with any other numbers. */
static void add_line(char *text, size_t size, const mmm_machine *machine, const char *app, const char *configuration,
                     const char *sizes)
{
    size_t used = strlen(text);
    snprintf(text + used, size - used, "{\"app\":\"%s\",\"configuration\":{%s},\"size\":{%s},\"device\":\"%s\"}\n", app,
             configuration, sizes, machine->device);
}

static void assert_note(const char *text)
{
    if (!strstr(mmm_wisdom_note(), text)) fail_msg("'%s' lacks '%s'", mmm_wisdom_note(), text);
}

/* Lines that cannot be: passed over, and the first is named; they never make a run fail. */
static void test_wisdom_trouble(void **state)
{
    (void)state;
    mmm_machine *machine = open_cpu();
    char text[8192] = "";
    int64_t s;
    fresh_wisdom();
    assert_string_equal(choose("division", 600, 300, &s), "prediction");
    assert_string_equal(mmm_wisdom_note(), "");
    add_line(text, sizeof text, machine, "division", "\"s\":4", "\"n\":9223372036854775807,\"m\":300,\"p\":2013265921");
    add_line(text, sizeof text, machine, "division", "\"s\":4", "\"n\":-600,\"m\":300,\"p\":2013265921");
    add_line(text, sizeof text, machine, "division", "\"s\":-4", "\"n\":600,\"m\":300,\"p\":2013265921");
    add_line(text, sizeof text, machine, "division", "\"s\":1e300", "\"n\":600,\"m\":300,\"p\":2013265921");
    add_line(text, sizeof text, machine, "division", "\"s\":\"4\"", "\"n\":600,\"m\":300,\"p\":2013265921");
    add_line(text, sizeof text, machine, "division", "", "\"n\":600,\"m\":300,\"p\":2013265921");
    add_line(text, sizeof text, machine, "division", "\"s\":4", "\"n\":600");
    write_wisdom(text);
    assert_string_equal(choose("division", 600, 300, &s), "prediction");
    assert_note("line 1 is passed over: n=9223372036854775807 must be from 1 to 268435456; so are 5 others");
    assert_note(getenv("MMM_WISDOM"));
    assert_string_equal(choose("gcd", 600, 300, &s), "prediction");
    assert_string_equal(mmm_wisdom_note(), ""); /* they are not for it */

    /* Numbers that are in their ranges, but do not go together. */
    text[0] = 0;
    add_line(text, sizeof text, machine, "radix-sort", "\"s\":4,\"l\":100",
             "\"n\":1000,\"c\":32,\"bits\":32,\"values\":0");
    write_wisdom(text);
    assert_string_equal(choose("radix-sort", 1000, 0, &s), "prediction");
    assert_note("not possible here and not taken: l=100: radix-sort needs is_power_of_2(l)");
    uint32_t keys[1000];
    for (int i = 0; i < 1000; i++)
        keys[i] = (uint32_t)(i * 7919 % 1000);
    assert_ok(mmm_sort_u32(machine, keys, NULL, 1000));
    assert_int_equal(keys[999], 999);

    /* A last line that was cut short ends before the next one begins. */
    write_wisdom("{\"app\":\"divi");
    mmm_job *job = job_of("division", 600, 300);
    assert_ok(mmm_job_set(job, "s", 17));
    assert_ok(mmm_wisdom_add(job, machine, 0.001));
    assert_string_equal(choose("division", 600, 300, &s), "wisdom");
    assert_int_equal(s, 17);
    assert_note("line 1 is passed over: it is damaged");
    FILE *stream = fopen(getenv("MMM_WISDOM"), "w"); /* a NUL ends nothing */
    fwrite("\0\n", 1, 2, stream);
    fclose(stream);
    assert_ok(mmm_wisdom_add(job, machine, 0.001));
    assert_string_equal(choose("division", 600, 300, &s), "wisdom");
    mmm_job_free(job);
    mmm_machine_free(machine);
}

/* Wisdom that others may write is not read, and that is said; what is written is one's own, whatever the usual mode. */
static void test_wisdom_trust(void **state)
{
    (void)state;
    mmm_machine *machine = open_cpu();
    mmm_job *job = job_of("division", 600, 300);
    struct stat status;
    int64_t s;
    fresh_wisdom();
    assert_ok(mmm_job_set(job, "s", 17));
    mode_t mask = umask(0);
    assert_ok(mmm_wisdom_add(job, machine, 0.001));
    umask(mask);
    assert_int_equal(stat(getenv("MMM_WISDOM"), &status), 0);
    assert_int_equal(status.st_mode & 0022, 0);
    assert_string_equal(choose("division", 600, 300, &s), "wisdom");
    assert_int_equal(chmod(getenv("MMM_WISDOM"), 0664), 0);
    assert_string_equal(choose("division", 600, 300, &s), "prediction");
    assert_note("the wisdom is not read: ");
    assert_note("is not trusted: others may write it (chmod go-w)");
    if (geteuid() == 0) {
        assert_int_equal(chmod(getenv("MMM_WISDOM"), 0644), 0);
        assert_int_equal(chown(getenv("MMM_WISDOM"), 65534, 65534), 0);
        assert_string_equal(choose("division", 600, 300, &s), "prediction");
        assert_note("it belongs to another user");
    }
    mmm_job_free(job);
    mmm_machine_free(machine);
}

/* Who tunes without a place for wisdom has the answer, and is told. */
static void test_no_wisdom(void **state)
{
    (void)state;
    mmm_machine *machine = open_cpu();
    mmm_job *job = job_of("division", 60, 30);
    char *home = getenv("HOME") ? strdup(getenv("HOME")) : NULL;
    fake f = {0};
    mmm_tuning t;
    assert_ok(mmm_job_set(job, "s", 4));
    unsetenv("MMM_WISDOM");
    unsetenv("XDG_DATA_HOME");
    unsetenv("HOME");
    assert_ok(tune(job, machine, &(mmm_tune_options){.max_runs = 1}, &f, &t));
    assert_note("the choice is not kept: no place for wisdom: set MMM_WISDOM, XDG_DATA_HOME or HOME");
    mmm_tuning_free(&t);
    setenv("MMM_WISDOM", "/proc/no/wisdom.jsonl", 1);
    assert_ok(tune(job, machine, &(mmm_tune_options){.max_runs = 1}, &f, &t));
    assert_note("the choice is not kept: cannot write '/proc/no/wisdom.jsonl'");
    mmm_tuning_free(&t);
    fresh_wisdom();
    assert_ok(tune(job, machine, &(mmm_tune_options){.max_runs = 1}, &f, &t));
    assert_string_equal(mmm_wisdom_note(), "");
    mmm_tuning_free(&t);
    if (home) setenv("HOME", home, 1);
    free(home);
    mmm_job_free(job);
    mmm_machine_free(machine);
}

/* The device is known again when its memory, clock or driver differ, and under the longer keys of old. */
static void test_device(void **state)
{
    static const struct {
        const char *text;
        bool same;
    } cases[] = {
        {"NVIDIA H200, 132 SMs, sm_90", true},
        {"NVIDIA H200, 132 SMs, 227 KB local memory, 150 GB, 1980 MHz, sm_90, driver 12.4", true},
        {"NVIDIA H200, 132 SMs, 227 KB local memory, 141 GB, 1500 MHz, sm_90, driver 13.0", true},
        {"NVIDIA H200, 132 SMs, 227 KB local memory, 150 GB, 1980 MHz, sm_90", true},
        {"NVIDIA H200, 132 SMs, 227 KB local memory, 150 GB, 1980 MHz, sm_903, driver 12.4", false},
        {"NVIDIA H200, 132 SMs, 227 KB local memory, 150 GB, 1980 MHz, NVIDIA CUDA, driver 550", false},
        {"NVIDIA H200, 66 SMs, 227 KB local memory, 150 GB, 1980 MHz, sm_90, driver 12.4", false},
        {"NVIDIA H200 NVL, 132 SMs, sm_90", false},
        {"NVIDIA H200", false},
        {"", false},
    };
    mmm_machine machine = {.type = &mmm_machine_cuda, .device = "NVIDIA H200, 132 SMs, sm_90"};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(mmm_same_device(cases[i].text, &machine), cases[i].same);
    machine = (mmm_machine){.type = &mmm_machine_cpu, .device = "A CPU, 2 cores, AVX2"};
    assert_true(mmm_same_device("A CPU, 2 cores, AVX2", &machine));
    assert_false(mmm_same_device("A CPU, 2 cores, more, AVX2", &machine));
}

/* The variable that fixes dates is input: what is no date is passed over. */
static void test_date(void **state)
{
    static const char *const wrong[] = {"9223372036854775807", "253402300800", "-1", "", "1e9", "tomorrow",
                                        "99999999999999999999"};
    char date[32];
    (void)state;
    setenv("SOURCE_DATE_EPOCH", "253402300799", 1);
    mmm_date(date);
    assert_string_equal(date, "9999-12-31T23:59:59Z");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        setenv("SOURCE_DATE_EPOCH", wrong[i], 1);
        mmm_date(date);
        assert_int_equal(strlen(date), 20);
        assert_true(strcmp(date, "2024") > 0 && strcmp(date, "9999") < 0);
    }
    setenv("SOURCE_DATE_EPOCH", "1000000000", 1);
}

static void test_machine_file(void **state)
{
    (void)state;
    mmm_machine *machine = open_cpu(), *abstract = open_abstract(1);
    mmm_parameters written = machine_of(), read;
    mmm_job *job = job_of("division", 600, 300);
    char *path;
    fresh_wisdom();
    strcpy(written.name, "mine");
    written.rates[0] = (mmm_rates){"division", 1e-6, 2e-9, 0, 3e-9, 4e-9, 0, 0.125};
    written.rates[1] = (mmm_rates){"gcd", 0, 0, 1e-9, 3e-9, 4e-9, 5e-10, 0.25};
    assert_ok(mmm_wisdom_beside("cpu.json", &path));
    assert_ok(mmm_machine_file_write(machine, &written, json_object(), path));
    assert_ok(mmm_parameters_read(path, &read));
    assert_memory_equal(&read, &written, sizeof read);
    int own = 0;
    assert_ok(mmm_parameters_of(machine, &read, &own));
    assert_true(own && strcmp(read.name, "mine") == 0);
    unlink(path);
    assert_ok(mmm_parameters_of(machine, &read, &own));
    assert_true(!own && strcmp(read.name, "cpu-epyc") == 0);
    free(path);
    mmm_tuning t;
    assert_fails(mmm_calibrate(abstract, NULL, NULL, NULL, NULL, &read), MMM_INVALID, "cannot be calibrated");
    assert_fails(mmm_tune(job, abstract, &written, &(mmm_tune_options){0}, &t), MMM_INVALID, "no time to tune for");
    assert_fails(mmm_tune(job, machine, &written, &(mmm_tune_options){.max_runs = -1}, &t), MMM_INVALID, "negative");
    written.Z = 1;
    assert_fails(mmm_tune(job, machine, &written, &(mmm_tune_options){0}, &t), MMM_TOO_LARGE, "no configuration fits");
    int left = 0;
    assert_fails(mmm_calibrate(machine, NULL, stop_after, &left, NULL, &read), MMM_STOPPED, "stopped");
    mmm_job_free(job);
    mmm_machine_free(machine);
    mmm_machine_free(abstract);
}

/* A machine that was not calibrated gets the numbers of a device like its own. */
static void test_numbers(void **state)
{
    static const struct {
        const char *device;
        bool cpu;
        int64_t lanes;
        const char *name;
        int64_t its_lanes;
    } cases[] = {
        {"NVIDIA H200, 132 SMs, driver 13.0", false, 128, "h200", 128},
        {"NVIDIA GeForce RTX 4090, 128 SMs", false, 128, "an unknown device", 128},
        {"AMD Radeon, 60 SMs", false, 0, "an unknown device", 32},
        {"pthread-skylake-avx512-AMD EPYC, 2 SMs", true, 0, "cpu-epyc", 8},
        {"NVIDIA H200", true, 0, "cpu-epyc", 8},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mmm_machine machine = {.cpu = cases[i].cpu,
                               .parameters = {.P = 5, .Z = 777, .threads = 99, .lanes = cases[i].lanes}};
        mmm_parameters p;
        snprintf(machine.device, sizeof machine.device, "%s", cases[i].device);
        mmm_machine_numbers(&machine, &p);
        assert_string_equal(p.name, cases[i].name);
        assert_true(p.P == 5 && p.Z == 777 && p.threads == 99 && p.lanes == cases[i].its_lanes);
        assert_true(p.U > 0 && p.operation > 0);
    }
}

static void add_time(void *context, const mmm_machine_info *info)
{
    mmm_machine *machine;
    int *timeless = context;
    if (!info->has_time) ++*timeless;
    if (!info->works || mmm_machine_open(info->name, &machine) != MMM_OK) return;
    assert_int_equal(mmm_machine_has_time(machine), info->has_time);
    assert_true((mmm_machine_counts(machine) == NULL) == info->has_time);
    mmm_machine_free(machine);
}

static void test_has_time(void **state)
{
    int timeless = 0;
    (void)state;
    mmm_machine_list(add_time, &timeless);
    assert_int_equal(timeless, 1);
}

/* Every value of an enum has a word of its own, and no other number has one. */
static void test_words(void **state)
{
    (void)state;
    const struct {
        const char *first, *last, *after, *before;
    } all[] = {
        {mmm_origin_name(MMM_ORIGIN_GIVEN), mmm_origin_name(MMM_ORIGIN_DEFAULT),
         mmm_origin_name(MMM_ORIGIN_DEFAULT + 1), mmm_origin_name((mmm_origin)-1)},
        {mmm_invalidity_name(MMM_INVALIDITY_CORRECT), mmm_invalidity_name(MMM_INVALIDITY_TIMEOUT),
         mmm_invalidity_name(MMM_INVALIDITY_TIMEOUT + 1), mmm_invalidity_name((mmm_invalidity)-1)},
        {mmm_tuning_end_name(MMM_TUNING_DECIDED), mmm_tuning_end_name(MMM_TUNING_DRY_RUN),
         mmm_tuning_end_name(MMM_TUNING_DRY_RUN + 1), mmm_tuning_end_name((mmm_tuning_end)-1)},
        {mmm_claim_verdict_name(MMM_CLAIM_HOLDS), mmm_claim_verdict_name(MMM_CLAIM_DIFFERS),
         mmm_claim_verdict_name(MMM_CLAIM_DIFFERS + 1), mmm_claim_verdict_name((mmm_claim_verdict)-1)},
        {mmm_violation_name(0), mmm_violation_name(MMM_VIOLATION_KINDS - 1), mmm_violation_name(MMM_VIOLATION_KINDS),
         mmm_violation_name((mmm_violation_kind)-1)},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        assert_string_not_equal(all[i].first, all[i].last);
        assert_string_not_equal(all[i].last, "unknown");
        assert_string_equal(all[i].after, "unknown");
        assert_string_equal(all[i].before, "unknown");
    }
    for (int i = 0; i < MMM_VIOLATION_KINDS; i++) {
        assert_true(strlen(mmm_violation_meaning(i)) > 20);
        for (int j = 0; j < i; j++)
            assert_string_not_equal(mmm_violation_name(i), mmm_violation_name(j));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pruning),      cmocka_unit_test(test_budgets),      cmocka_unit_test(test_patience),
        cmocka_unit_test(test_draw_once),    cmocka_unit_test(test_wisdom_again), cmocka_unit_test(test_choice),
        cmocka_unit_test(test_resume),       cmocka_unit_test(test_wisdom),       cmocka_unit_test(test_wisdom_trouble),
        cmocka_unit_test(test_wisdom_trust), cmocka_unit_test(test_no_wisdom),    cmocka_unit_test(test_device),
        cmocka_unit_test(test_machine_file), cmocka_unit_test(test_date),         cmocka_unit_test(test_ties),
        cmocka_unit_test(test_numbers),      cmocka_unit_test(test_has_time),     cmocka_unit_test(test_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
