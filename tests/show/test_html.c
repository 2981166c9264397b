/* SPDX-License-Identifier: Apache-2.0 */
/* The HTML report: its parts are there, it is well formed, nothing of what it is given gets out of its quotes. */
#include "testing.h"

#include "show/page/page.h"

#include <ctype.h>
#include <math.h>

#define HOSTILE "</title><script>alert('x')</script>\"&<img src=\"https://example.org/x.png\">\xff"

static const char *page_path(void)
{
    static char path[64];
    mkdir("build", 0777);
    snprintf(path, sizeof path, "build/test-%d.html", (int)getpid());
    return path;
}

static char *read_page(const mmm_report_input *input)
{
    char *text;
    int64_t size;
    assert_ok(mmm_report_html(input, page_path()));
    assert_ok(mmm_file_read(page_path(), 64 << 20, &text, &size));
    assert_int_equal(strlen(text), size);
    assert_int_equal(remove(page_path()), 0);
    return text;
}

/* Every element ends, in the right order; attributes are quoted; every & begins a reference. */
static void assert_well_formed(const char *page)
{
    enum { DEPTH = 64, NAME = 32 };
    char open[DEPTH][NAME];
    int depth = 0;
    assert_int_equal(strncmp(page, "<!DOCTYPE html>", 15), 0);
    for (const char *c = page + 15; *c; c++) {
        if (*c == '&') {
            size_t length = strspn(c + 1, "#abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");
            if (length == 0 || c[1 + length] != ';') fail_msg("'%.20s' is not a reference", c);
        }
        if (*c == '>') fail_msg("a stray '>' after '%.40s'", c - 40);
        if (*c != '<') continue;
        bool closing = c[1] == '/';
        const char *name = c + 1 + closing;
        size_t length = 0;
        while (isalnum((unsigned char)name[length]))
            length++;
        assert_in_range(length, 1, NAME - 1);
        const char *end = name + length;
        bool quoted = false;
        for (; *end && (quoted || *end != '>'); end++) {
            if (*end == '"') quoted = !quoted;
            if (*end == '<') fail_msg("'<' inside a tag: '%.60s'", c);
            if (*end == '=' && !quoted) assert_int_equal(end[1], '"');
        }
        assert_int_equal(*end, '>');
        if (closing) {
            assert_true(depth > 0);
            depth--;
            if (strlen(open[depth]) != length || strncmp(open[depth], name, length) != 0)
                fail_msg("<%s> is ended by </%.*s>", open[depth], (int)length, name);
        } else if (end[-1] != '/') {
            assert_true(depth < DEPTH);
            snprintf(open[depth++], NAME, "%.*s", (int)length, name);
        }
        c = end;
    }
    assert_int_equal(depth, 0);
}

static void assert_has(const char *page, const char *text)
{
    if (!strstr(page, text)) fail_msg("the page lacks '%s'", text);
}

static void assert_lacks(const char *page, const char *text)
{
    if (strstr(page, text)) fail_msg("the page has '%s'", text);
}

static void assert_self_contained(const char *page)
{
    static const char *const words[] = {"http:",   "https:",  "src=",   "url(",  "@import", "<script",
                                        "<iframe", "<object", "<embed", "<base", "<form",   "href=\"/"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        assert_lacks(page, words[i]);
}

enum { TRIALS = 4 };

typedef struct fixture {
    mmm_job *jobs[TRIALS];
    mmm_machine *machines[TRIALS];
    mmm_analysis analyses[TRIALS];
    mmm_trial trials[TRIALS];
    mmm_report_input input;
} fixture;

/* An application at s = 4, 8, 16, 32, with invented times; the best is at 16, and 8 is near it. */
static fixture *make(const char *app, int64_t n, int64_t m)
{
    fixture *f = calloc(1, sizeof *f);
    static const double times[TRIALS] = {0.04, 0.0105, 0.01, 0.02};
    mmm_parameters machine;
    assert_non_null(f);
    assert_ok(mmm_parameters_read("U=10,Z=8192,P=4,operation=1e-6,launch=100", &machine));
    for (int i = 0; i < TRIALS; i++) {
        int64_t s = 4 << i;
        assert_ok(mmm_job_new(app, &f->jobs[i]));
        assert_ok(mmm_job_set(f->jobs[i], "n", n));
        if (m) assert_ok(mmm_job_set(f->jobs[i], "m", m));
        if (m) assert_ok(mmm_job_set(f->jobs[i], "s", s));
        assert_ok(mmm_machine_open_abstract(&machine, 1, &f->machines[i]));
        assert_ok(mmm_job_run(f->jobs[i], f->machines[i], NULL));
        assert_ok(mmm_analysis_make(&f->analyses[i], mmm_job_program(f->jobs[i]), &machine, NULL, 0, 1));
        f->analyses[i].app = app;
        f->analyses[i].job = f->jobs[i];
        f->analyses[i].counts = mmm_machine_counts(f->machines[i]);
        f->trials[i] =
            (mmm_trial){.value = s,
                        .analysis = &f->analyses[i],
                        .runs = 3,
                        .median = times[i],
                        .least = times[i] * 0.9,
                        .most = times[i] * 1.2,
                        .checked = 1,
                        .predicted = {.plain = times[i] / 4, .extended = times[i] / 3, .estimate = times[i] / 2}};
    }
    f->input = (mmm_report_input){.app = mmm_job_app(f->jobs[0]),
                                  .job = f->jobs[0],
                                  .parameter = "s",
                                  .trials = f->trials,
                                  .count = TRIALS,
                                  .machine = machine,
                                  .device = "cpu",
                                  .description = "2 cores",
                                  .seed = 1,
                                  .command = "mmm report",
                                  .date = 86400};
    return f;
}

static void release(fixture *f)
{
    for (int i = 0; i < TRIALS; i++) {
        mmm_machine_free(f->machines[i]);
        mmm_job_free(f->jobs[i]);
    }
    free(f);
}

static void test_parts(void **state)
{
    (void)state;
    static const struct {
        const char *app;
        int64_t n, m;
    } apps[] = {{"division", 300, 200},
                {"gcd", 300, 200},
                {"multiplication", 300, 200},
                {"gcd-naive", 40, 0},
                {"radix-sort", 500, 0}};
    for (size_t i = 0; i < sizeof apps / sizeof *apps; i++) {
        fixture *f = make(apps[i].app, apps[i].n, apps[i].m);
        char *page = read_page(&f->input);
        static const char *const parts[] = {"id=\"verdict\"",
                                            "id=\"time\"",
                                            "id=\"measures\"",
                                            "id=\"words\"",
                                            "id=\"tables\"",
                                            "id=\"dag\"",
                                            "id=\"schedule\"",
                                            "id=\"formulas\"",
                                            "id=\"origin\"",
                                            "class=\"plot wide\"",
                                            "class=\"plot narrow\"",
                                            "class=\"dag wide\"",
                                            "class=\"dag narrow\"",
                                            "class=\"gantt wide\"",
                                            "class=\"gantt narrow\"",
                                            "prefers-color-scheme:dark",
                                            "@media print",
                                            "name=\"viewport\"",
                                            "<math",
                                            "<mfrac>",
                                            "take s = 16",
                                            "it ran in 9.00",
                                            "predicted 5.00",
                                            "s from 8 to 16 are within 10 %",
                                            "1970-01-02",
                                            "mmm " MMM_VERSION,
                                            "2 cores",
                                            "<td class=\"text\">right</td>",
                                            "stated",
                                            "counted"};
        for (size_t j = 0; j < sizeof parts / sizeof *parts; j++)
            assert_has(page, parts[j]);
        assert_well_formed(page);
        assert_self_contained(page);
        free(page);
        release(f);
    }
}

/* Numbers that stand in the page are those of the analysis. */
static void test_numbers(void **state)
{
    (void)state;
    fixture *f = make("division", 300, 200);
    char *page = read_page(&f->input);
    for (int i = 0; i < TRIALS; i++) {
        char cell[96];
        snprintf(cell, sizeof cell, "<td>%s</td>", mmm_label_number((double)f->analyses[i].measures.work).text);
        assert_has(page, cell);
        snprintf(cell, sizeof cell, "<td>%s</td>", mmm_label_number(f->analyses[i].corollary1).text);
        assert_has(page, cell);
    }
    free(page);
    release(f);
}

/* Bars: those that are drawn are as high as their parts, of which the chosen one is marked; not more than there is room
 * for; what is far above the least is cut off.  Nothing is drawn where nothing is known. */
static void test_limits(void **state)
{
    (void)state;
    enum { MANY = 100, DRAWN = 24 };
    fixture *f = make("division", 300, 200);
    char *page = read_page(&f->input);
    assert_lacks(page, "id=\"limits\"");
    free(page);
    assert_ok(mmm_parameters_read("h200", &f->input.machine));
    mmm_trial trials[MANY];
    for (int i = 0; i < MANY; i++) {
        trials[i] = (mmm_trial){.value = i + 1, .job = f->jobs[0]};
        trials[i].predicted.estimate = i == MANY - 1 ? 1 : 1e-3 * (2 + (i - 50) * (i - 50) / 2500.0);
        trials[i].predicted.limits[MMM_LIMIT_START] = trials[i].predicted.estimate / 4;
        trials[i].predicted.limits[MMM_LIMIT_LATENCY] = 3 * trials[i].predicted.estimate / 4;
    }
    f->input.trials = trials;
    for (f->input.count = 1; f->input.count <= MANY; f->input.count = f->input.count < 10 ? 10 : 10 * f->input.count) {
        page = read_page(&f->input);
        assert_well_formed(page);
        assert_self_contained(page);
        double heights[2][2] = {{0}}, height;
        int number, bars[2] = {0}, picture = -1;
        for (const char *c = page; (c = strstr(c, "<")); c++) {
            if (strncmp(c, "<svg class=\"bars", 16) == 0) picture++;
            if (sscanf(c, "<rect class=\"cut k%d\" x=\"%*f\" y=\"%*f\" width=\"%*f\" height=\"%lf\"", &number,
                       &height) != 2)
                continue;
            if (picture < 0 || picture > 1) continue;
            assert_in_range(number, MMM_LIMIT_START, MMM_LIMIT_LATENCY);
            bars[picture] += number == MMM_LIMIT_START;
            if (bars[picture] == 1) heights[picture][number] = height; /* of the first */
        }
        assert_int_equal(picture, 1);
        for (int i = 0; i < 2; i++) {
            assert_in_range(bars[i], f->input.count < DRAWN ? f->input.count : DRAWN - 1, DRAWN);
            assert_true(fabs(heights[i][1] - 3 * heights[i][0]) < 0.5);
        }
        assert_int_equal(!strstr(page, " of 100 values are drawn"), f->input.count != MANY);
        assert_int_equal(!strstr(page, "<path class=\"head\" d=\"M"), f->input.count != MANY);
        assert_has(page, f->input.count == MANY ? "take s = 51</text>"
                         : f->input.count == 10 ? "take s = 10</text>"
                                                : "take s = 1</text>");
        assert_has(page, "<td>75.0 %</td>");
        free(page);
    }
    release(f);
}

static void test_hostile_text(void **state)
{
    (void)state;
    fixture *f = make("division", 300, 200);
    mmm_app app = *f->input.app;
    app.parameters[0].meaning = app.name = app.summary = app.section = HOSTILE;
    f->input.app = &app;
    f->input.device = f->input.description = f->input.command = HOSTILE;
    snprintf(f->input.machine.name, sizeof f->input.machine.name, "%.60s", HOSTILE);
    f->trials[0].skipped = HOSTILE;
    for (int i = 0; i < TRIALS; i++)
        for (int k = 0; k < mmm_program_kernels(mmm_job_program(f->jobs[i])); k++) {
            mmm_node *node = &mmm_job_program(f->jobs[i])->nodes[k];
            free(node->name);
            node->name = mmm_copy_string(HOSTILE);
        }
    char *page = read_page(&f->input);
    assert_well_formed(page);
    assert_lacks(page, "<script");
    assert_lacks(page, "<img");
    assert_lacks(page, "\xff");
    assert_has(page, "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&quot;&amp;");
    free(page);
    release(f);
}

/* What is not known is left out, and never a zero. */
static void test_little_known(void **state)
{
    (void)state;
    fixture *f = make("division", 300, 200);
    char verdict[1024];
    for (int i = 0; i < TRIALS; i++)
        f->trials[i] = (mmm_trial){.value = f->trials[i].value, .analysis = f->trials[i].analysis};
    f->input.device = f->input.description = f->input.command = NULL;
    f->input.machine.operation = 0;
    char *page = read_page(&f->input);
    assert_well_formed(page);
    assert_has(page, "Corollary 1");
    assert_has(page, "nothing was run");
    assert_lacks(page, "ms</td>");
    free(page);
    for (int i = 0; i < TRIALS; i++)
        f->trials[i] = (mmm_trial){.value = f->trials[i].value, .skipped = "too large"};
    page = read_page(&f->input);
    assert_well_formed(page);
    assert_has(page, "skipped: too large");
    free(page);
    assert_ok(mmm_report_verdict(&f->input, verdict, sizeof verdict));
    assert_non_null(strstr(verdict, "no s can be recommended, none worked"));
    f->input.count = 0;
    assert_fails(mmm_report_html(&f->input, page_path()), MMM_INVALID, "at least one value of s");
    f->input.count = 1;
    assert_fails(mmm_report_html(&f->input, "build/no/such/folder.html"), MMM_IO, "no/such/folder.html");
    release(f);
}

/* A machine of any size has a page of some size. */
static void test_many_sms(void **state)
{
    (void)state;
    static const int64_t sms[] = {1, 49, 65536, 1000000000000, INT64_MAX};
    for (size_t i = 0; i < sizeof sms / sizeof *sms; i++) {
        fixture *f = make("division", 300, 200);
        f->input.P = sms[i];
        char *page = read_page(&f->input);
        assert_well_formed(page);
        assert_has(page, "id=\"schedule\"");
        assert_true(strlen(page) < 1 << 20);
        free(page);
        release(f);
    }
}

static void test_verdicts(void **state)
{
    (void)state;
    fixture *f = make("division", 300, 200);
    char text[1024];
    assert_ok(mmm_report_verdict(&f->input, text, sizeof text));
    assert_string_equal(text, "division at n=300, m=200 on cpu: take s = 16; it ran in 9.00\u202fms (3 runs, "
                              "median 10.0\u202fms), predicted 5.00\u202fms; s from 8 to 16 are within 10 %.");
    f->input.chosen = 2; /* the caller knows better */
    assert_ok(mmm_report_verdict(&f->input, text, sizeof text));
    assert_non_null(strstr(text, "take s = 8; it ran in 9.45"));
    f->input.chosen = 0;
    f->trials[0].least = 0.0091;
    f->trials[1].least = 0.018;
    assert_ok(mmm_report_verdict(&f->input, text, sizeof text));
    assert_non_null(strstr(text, "s = 4 and 16 are within 10 %"));
    f->trials[2].noise = 0.2; /* other work shows, */
    assert_ok(mmm_report_verdict(&f->input, text, sizeof text));
    assert_non_null(strstr(text, "; other work was in the way: the fastest runs of two halves differ by 20 %"));
    f->trials[2].predicted.estimate = 0.001; /* also in a time far from its prediction */
    assert_ok(mmm_report_verdict(&f->input, text, sizeof text));
    assert_non_null(strstr(text, "; doubtful: 9 times the prediction, so other work was in the way, or "));
    f->trials[2].predicted.estimate = 0.005;
    f->trials[2].noise = 0;
    f->trials[2].check = MMM_WRONG; /* fast and wrong is no choice */
    assert_ok(mmm_report_verdict(&f->input, text, sizeof text));
    assert_non_null(strstr(text, "take s = 4"));
    assert_non_null(strstr(text, "1 of the results were wrong"));
    char *page = read_page(&f->input);
    assert_has(page, "The result at s = 16 is wrong.");
    assert_has(page, "class=\"bad\"");
    free(page);
    for (int i = 0; i < TRIALS; i++)
        f->trials[i].check = MMM_WRONG;
    assert_ok(mmm_report_verdict(&f->input, text, sizeof text));
    assert_non_null(strstr(text, "every result was wrong"));
    for (int i = 0; i < TRIALS; i++)
        f->trials[i].check = MMM_OK, f->trials[i].runs = 0;
    assert_ok(mmm_report_verdict(&f->input, text, sizeof text));
    assert_non_null(strstr(text, "take s = 16; predicted 5.00\u202fms, not measured"));
    char small[8];
    assert_ok(mmm_report_verdict(&f->input, small, sizeof small));
    assert_string_equal(small, "divisio");
    assert_fails(mmm_report_verdict(&f->input, small, 0), MMM_INVALID, "no room");
    release(f);
}

static void test_data(void **state)
{
    (void)state;
    fixture *f = make("division", 300, 200);
    assert_ok(mmm_report_data(&f->input, page_path()));
    json_t *root = json_load_file(page_path(), 0, NULL);
    assert_int_equal(remove(page_path()), 0);
    assert_non_null(root);
    assert_int_equal(json_integer_value(json_object_get(root, "chosen")), 16);
    json_t *trial = json_array_get(json_object_get(root, "trials"), 2);
    assert_int_equal(json_integer_value(json_object_get(trial, "s")), 16);
    assert_int_equal(json_integer_value(json_object_get(trial, "W")), f->analyses[2].measures.work);
    assert_true(json_real_value(json_object_get(trial, "median")) == 0.01);
    json_decref(root);
    release(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts),        cmocka_unit_test(test_numbers),      cmocka_unit_test(test_limits),
        cmocka_unit_test(test_hostile_text), cmocka_unit_test(test_little_known), cmocka_unit_test(test_many_sms),
        cmocka_unit_test(test_verdicts),     cmocka_unit_test(test_data),
    };
    return cmocka_run_group_tests_name("html", tests, NULL, NULL);
}
