/* SPDX-License-Identifier: Apache-2.0 */
/* Tuning with a clock and executions that are made up: pruning, budgets, noise, resuming, files. */
#include "tuning.h"

#include <jansson.h>

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

/* Of configurations that make the same kernels one is looked at: those of a transform of 2^12 words with s from 6 to 11
 * are two kernels of six levels each. */
static void test_same_kernels(void **state)
{
    (void)state;
    mmm_parameters p = machine_of();
    mmm_tuning t = {0};
    mmm_job *job;
    int open = 0;
    assert_ok(mmm_job_new("ntt", &job));
    assert_ok(mmm_job_set(job, "n", 4096));
    assert_ok(mmm_job_set(job, "m", 256));
    assert_ok(mmm_job_set(job, "w", 16));
    assert_ok(mmm_candidates_new(job, &p, &(mmm_patience){0}, &t.candidates, &t.count));
    for (int64_t s = 6; s < 12; s++) {
        const char *reason = find(&t, s, 0)->reason;
        open += !*reason;
        if (*reason) assert_string_equal(reason, "makes the same kernels as s=8 m=256 w=16");
    }
    assert_int_equal(open, 1);
    assert_string_equal(find(&t, 5, 0)->reason, "");
    mmm_tuning_free(&t);
    mmm_job_free(job);
}

/* Values to try that go on beyond the range of the parameter, and beyond numbers, end where it does. */
static void test_far_values(void **state)
{
    static mmm_app far;
    (void)state;
    mmm_parameters p = machine_of();
    mmm_tuning t = {0};
    mmm_job *job = job_of("division", 3000, 1000);
    far = *mmm_job_app(job);
    mmm_job_free(job);
    far.name = "far";
    int s = mmm_app_parameter(&far, "s");
    far.parameters[s].most = far.parameters[s].standard = 8;
    far.parameters[s].trials = "1-9223372036854775807,16-9223372036854775807:*3";
    assert_ok(mmm_app_register(&far));
    job = job_of("far", 3000, 1000);
    assert_ok(mmm_candidates_new(job, &p, &(mmm_patience){0}, &t.candidates, &t.count));
    for (int64_t value = 1; value <= 8; value++)
        assert_string_equal(find(&t, value, 0)->reason, "");
    assert_int_equal(t.count, 8);
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

/* No application has more configurations than a search takes, and each has one that a machine here can run. */
static void test_searched(void **state)
{
    (void)state;
    mmm_parameters machine;
    assert_ok(mmm_parameters_read("h200", &machine));
    for (const mmm_app *const *app = mmm_app_list(); *app; app++) {
        mmm_job *job;
        mmm_candidate *all;
        int count;
        assert_ok(mmm_job_new((*app)->name, &job));
        assert_ok(mmm_candidates_new(job, &machine, &(mmm_patience){.seconds = 1e-3}, &all, &count));
        assert_string_equal(all[0].reason, "");
        free(all);
        mmm_job_free(job);
    }
}

/* A brief search ends by what it has counted, not by a clock: whoever searches chooses among the same. */
static void test_brief(void **state)
{
    static const struct {
        const char *app;
        int64_t n, m;
    } cases[] = {{"division-inverse", 16384, 8192}, {"multiplication", 20000, 20000}, {"sort", 100000, 0}};
    (void)state;
    mmm_parameters machines[2];
    int late = 0;
    assert_ok(mmm_parameters_read("cpu-epyc", &machines[0]));
    assert_ok(mmm_parameters_read("h200", &machines[1]));
    for (int i = 0; i < 6; i++) {
        mmm_tuning t[2] = {{0}};
        for (int j = 0; j < 2; j++) {
            mmm_job *job = job_of(cases[i / 2].app, cases[i / 2].n, cases[i / 2].m);
            assert_ok(mmm_candidates_new(job, &machines[i % 2], &(mmm_patience){.brief = true}, &t[j].candidates,
                                         &t[j].count));
            mmm_job_free(job);
        }
        assert_int_equal(t[0].count, t[1].count);
        assert_string_equal(t[0].candidates[0].reason, "");
        for (int k = 0; k < t[0].count; k++) {
            const mmm_candidate *x = &t[0].candidates[k], *y = &t[1].candidates[k];
            assert_memory_equal(x->values, y->values, sizeof x->values);
            assert_string_equal(x->reason, y->reason);
            assert_true(x->prediction.estimate == y->prediction.estimate);
            late += strcmp(x->reason, mmm_not_predicted) == 0;
        }
        for (int j = 0; j < 2; j++)
            mmm_tuning_free(&t[j]);
    }
    assert_true(late > 0);
}

/* What is usual on a machine is tried, whether the record's values have it or not, and where a search begins: nothing
 * worse is chosen.  Given values stay. */
static void test_usual(void **state)
{
    static const struct {
        const char *app;
        int64_t n, m;
    } cases[] = {
        {"gcd-jump", 5000, 4700},
        {"gcd-half", 60000, 60000},
        {"multiplication-tile", 30000, 9000},
        {"sort", 70000, 0},
        {"multiplication-ntt", 300000, 300000}}; /* on a CPU with more local memory than its first cache has */
    static mmm_app own;
    (void)state;
    mmm_machine gpu = {.cpu = false}, cpu = {.cpu = true}, *const machines[] = {&gpu, &cpu};
    int64_t usual[MMM_PARAMETERS_MOST];
    int numbers[MMM_CHOICES_MOST];
    assert_ok(mmm_parameters_read("h200", &gpu.parameters));
    assert_ok(mmm_parameters_read("cpu-epyc", &cpu.parameters));
    for (int i = 0; i < 10; i++) {
        mmm_tuning t = {0};
        const mmm_candidate *first = NULL;
        mmm_job *job = job_of(cases[i / 2].app, cases[i / 2].n, cases[i / 2].m);
        const int choices = mmm_app_choices(mmm_job_app(job), numbers);
        assert_true(mmm_usual_values(job, machines[i % 2], usual));
        assert_ok(mmm_candidates_new(job, &machines[i % 2]->parameters, &(mmm_patience){.brief = true, .usual = usual},
                                     &t.candidates, &t.count));
        for (int k = 0; k < t.count; k++) {
            bool same = true;
            for (int j = 0; j < choices; j++)
                same &= t.candidates[k].values[j] == usual[numbers[j]];
            if (same) first = &t.candidates[k];
        }
        assert_non_null(first);
        assert_string_equal(first->reason, "");
        assert_true(t.candidates[0].prediction.estimate <= first->prediction.estimate);
        assert_ok(mmm_job_usual(job, machines[i % 2]));
        for (int j = 0; j < choices; j++)
            assert_true(job->set[numbers[j]] && job->values[numbers[j]] == usual[numbers[j]]);
        mmm_tuning_free(&t);
        mmm_job_free(job);
    }
    static const int64_t moduli[] = {2013265921, 1000000007, 1152921504606846883};
    for (int i = 0; i < 6; i++) { /* what is no choice is the same whether values are searched or usual */
        mmm_job *searched = job_of("multiplication-ntt", 300, 200), *taken = job_of("multiplication-ntt", 300, 200);
        assert_ok(mmm_job_set(searched, "p", moduli[i / 2]));
        assert_ok(mmm_job_set(taken, "p", moduli[i / 2]));
        mmm_job_usual_others(searched, machines[i % 2]);
        assert_ok(mmm_job_usual(taken, machines[i % 2]));
        assert_int_equal(mmm_job_get(searched, "large"), mmm_job_get(taken, "large"));
        mmm_job_free(searched);
        mmm_job_free(taken);
    }
    mmm_job *job = job_of("gcd-jump", 5000, 4700);
    assert_ok(mmm_job_set(job, "l", 7));
    assert_ok(mmm_job_usual(job, &gpu));
    assert_int_equal(mmm_job_get(job, "l"), 7);
    own = *mmm_job_app(job);
    mmm_job_free(job);
    own.name = "sort"; /* somebody else's, without such choices */
    assert_ok(mmm_job_of(&own, &job));
    assert_ok(mmm_job_usual(job, &cpu));
    assert_int_equal(mmm_job_get(job, "h"), 256);
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
        assert_int_equal(f.executions, 4 * runs); /* one to warm up */
        assert_string_equal(mmm_tuning_end_name(t.end), "max-runs");
        mmm_tuning_free(&t);
        f = (fake){0};
        assert_ok(tune(job, machine, &(mmm_tune_options){.time_limit = (double)runs, .exhaustive = 1}, &f, &t));
        assert_true(f.now < (double)runs + 4);
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
    assert_int_equal(t.executions, MMM_TIMES_MOST * (t.ties + 1));
    assert_int_equal(f.executions, (MMM_TIMES_MOST + 1) * (t.ties + 1));
    assert_true(t.ties > 2);
    mmm_tuning_free(&t);
    mmm_job_free(job);
    mmm_machine_free(machine);
}

/* The noise is what the even visits and the odd ones do not have in common; one visit does not tell. */
static void test_noise(void **state)
{
    (void)state;
    const double times[] = {5, 4, 9, 8, 4.4, 7, 4.8, 6}, wild[] = {12, 1, 1, 12, 12, 1};
    assert_true(isinf(mmm_noise(times, 2, 2)) && isinf(mmm_noise(times, 0, 2)));
    assert_true(fabs(mmm_noise(times, 4, 2) - 1) < 1e-12);
    assert_true(fabs(mmm_noise(times, 6, 2) - 1) < 1e-12);
    assert_true(fabs(mmm_noise(times, 8, 2) - 0.2) < 1e-12);
    assert_true(mmm_noise(wild, 6, 2) == 0.02);
    assert_true(mmm_least_time(times, 8) == 4);
    assert_true(mmm_far_from(5, 1) && mmm_far_from(1, 5) && !mmm_far_from(3, 1) && !mmm_far_from(1, 3));
    assert_true(!mmm_far_from(5, 0) && !mmm_far_from(0, 5));
}

/* With other work beside it, tuning says the right s, or that it cannot tell: never another one as if it were decided.
 */
static void test_load(void **state)
{
    (void)state;
    mmm_machine *machine = open_cpu();
    int decided = 0, right = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        const double loads[] = {0.1, 0.5, 0.9};
        fake f = {.scale = 1e-5, .load = loads[seed % 3], .wait = 12e-3, .jitter = 0.02};
        mmm_tuning t;
        mmm_job *job = job_of("division", 600, 300);
        f.random = (mmm_random){seed};
        fresh_wisdom();
        assert_ok(tune(job, machine, &(mmm_tune_options){.exhaustive = 1, .within = 2}, &f, &t));
        if (t.end == MMM_TUNING_DECIDED) {
            decided++;
            assert_int_equal(t.candidates[t.chosen].values[0], 32);
            assert_true(t.lead > t.noise && t.noise > 0);
        }
        right += t.candidates[t.chosen].values[0] == 32;
        mmm_tuning_free(&t);
        mmm_job_free(job);
    }
    assert_true(decided >= 20 && right >= 40);
    mmm_machine_free(machine);
}

/* A time that is far from its prediction is told, and kept only where that is asked for. */
static void test_doubt(void **state)
{
    (void)state;
    mmm_machine *machine = open_cpu();
    for (int i = 0; i < 3; i++) {
        static const struct {
            double scale;
            int keep, doubtful, kept;
        } cases[] = {{1, 0, 1, 0}, {1, 1, 1, 1}, {1e-5, 0, 0, 1}};
        fake f = {.scale = cases[i].scale};
        mmm_tuning t;
        mmm_candidate choice;
        bool exact;
        mmm_job *job = job_of("division", 600, 300);
        fresh_wisdom();
        assert_ok(tune(job, machine, &(mmm_tune_options){.keep = cases[i].keep}, &f, &t));
        assert_int_equal(t.doubtful, cases[i].doubtful);
        assert_true((strstr(mmm_wisdom_note(), "far from its prediction") != NULL) == !cases[i].kept);
        assert_int_equal(mmm_wisdom_find(job, machine, &choice, &exact), cases[i].kept);
        mmm_tuning_free(&t);
        mmm_job_free(job);
    }
    mmm_machine_free(machine);
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
        {"pthread-skylake-avx512-AMD EPYC, 2 SMs", true, 0, "cpu-epyc", 16},
        {"NVIDIA H200", true, 0, "cpu-epyc", 16},
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
        {mmm_claim_verdict_name(MMM_CLAIM_HOLDS), mmm_claim_verdict_name(MMM_CLAIM_BY_DEFINITION),
         mmm_claim_verdict_name(MMM_CLAIM_BY_DEFINITION + 1), mmm_claim_verdict_name((mmm_claim_verdict)-1)},
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
        cmocka_unit_test(test_pruning),      cmocka_unit_test(test_same_kernels), cmocka_unit_test(test_far_values),
        cmocka_unit_test(test_budgets),      cmocka_unit_test(test_patience),     cmocka_unit_test(test_searched),
        cmocka_unit_test(test_brief),        cmocka_unit_test(test_usual),        cmocka_unit_test(test_choice),
        cmocka_unit_test(test_draw_once),    cmocka_unit_test(test_resume),       cmocka_unit_test(test_ties),
        cmocka_unit_test(test_noise),        cmocka_unit_test(test_load),         cmocka_unit_test(test_doubt),
        cmocka_unit_test(test_machine_file), cmocka_unit_test(test_numbers),      cmocka_unit_test(test_words),
        cmocka_unit_test(test_has_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
