/* SPDX-License-Identifier: Apache-2.0 */
/* Wisdom: found again for the same size and near ones, damaged, another's, without a place; devices and dates in it. */
#include "tuning.h"

#include <sys/stat.h>

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
        fake f = {.scale = 1e-5};
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
    fake f = {.scale = 1e-5};
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
    fake f = {.scale = 1e-6};
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wisdom),       cmocka_unit_test(test_wisdom_again), cmocka_unit_test(test_wisdom_trouble),
        cmocka_unit_test(test_wisdom_trust), cmocka_unit_test(test_no_wisdom),    cmocka_unit_test(test_device),
        cmocka_unit_test(test_date),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
