/* SPDX-License-Identifier: Apache-2.0 */
/* What pages are made of: numbers for people, axes, formulas, pictures of any program. */
#include "testing.h"

#include "show/page/page.h"

#include <math.h>

static void test_labels(void **state)
{
    (void)state;
    assert_string_equal(mmm_label_number(0).text, "0");
    assert_string_equal(mmm_label_number(999).text, "999");
    assert_string_equal(mmm_label_number(10490880).text, "10\u202f490\u202f880");
    assert_string_equal(mmm_label_number(-1234).text, "−1\u202f234");
    assert_string_equal(mmm_label_number(1.25).text, "1.25");
    assert_string_equal(mmm_label_number(1.5e15).text, "1.5·10¹⁵");
    assert_string_equal(mmm_label_number(NAN).text, "–");
    assert_string_equal(mmm_label_short(1e7).text, "10⁷");
    assert_string_equal(mmm_label_short(2e-5).text, "2·10⁻⁵");
    assert_string_equal(mmm_label_short(0.2).text, "0.2");
    assert_string_equal(mmm_label_seconds(0.0331).text, "33.1\u202fms");
    assert_string_equal(mmm_label_seconds(1.5).text, "1.50\u202fs");
    assert_string_equal(mmm_label_seconds(0.9999).text, "1.00\u202fs");
    assert_string_equal(mmm_label_seconds(123e-6).text, "123\u202fµs");
    assert_string_equal(mmm_label_seconds(5e-10).text, "0.50\u202fns");
}

static void test_ticks(void **state)
{
    (void)state;
    mmm_random random = {1};
    for (int round = 0; round < 3000; round++) {
        double low = pow(10, (double)draw(&random, -120, 120) / 10),
               ratio = 1 + pow(10, (double)draw(&random, -3, 90) / 10);
        mmm_axis axis = {.low = low, .high = low * ratio, .from = 300, .to = 20, .log = draw(&random, 0, 1)};
        double ticks[MMM_TICKS_MOST], gap = (double)draw(&random, 15, 40);
        int count = mmm_axis_ticks(&axis, gap, ticks);
        assert_in_range(count, 1, MMM_TICKS_MOST);
        for (int i = 0; i < count; i++) {
            double at = mmm_axis_at(&axis, ticks[i]);
            assert_true(at > 19 && at < 301);
            if (i) assert_true(mmm_axis_at(&axis, ticks[i - 1]) - at >= gap);
        }
    }
}

static char *mathml(const char *expression)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    mmm_mathml_write(stream, expression, false);
    fclose(stream);
    return text;
}

static void test_mathml(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"n", "<mi>n</mi>"},
        {"W1", "<msub><mi>W</mi><mn>1</mn></msub>"},
        {"T_P", "<msub><mi>T</mi><mi>P</mi></msub>"},
        {"2*s", "<mn>2</mn><mo>&#x2062;</mo><mi>s</mi>"},
        {"s*2", "<mi>s</mi><mo>·</mo><mn>2</mn>"},
        {"n/s", "<mfrac><mrow><mi>n</mi></mrow><mrow><mi>s</mi></mrow></mfrac>"},
        {"(n+1)/s", "<mfrac><mrow><mi>n</mi><mo>+</mo><mn>1</mn></mrow><mrow><mi>s</mi></mrow></mfrac>"},
        {"s^2", "<msup><mrow><mi>s</mi></mrow><mrow><mn>2</mn></mrow></msup>"},
        {"n-(m-1)", "<mi>n</mi><mo>−</mo><mrow><mo>(</mo><mi>m</mi><mo>−</mo><mn>1</mn><mo>)</mo></mrow>"},
        {"n-m-1", "<mi>n</mi><mo>−</mo><mi>m</mi><mo>−</mo><mn>1</mn>"},
        {"(n+1)*m", "<mrow><mo>(</mo><mi>n</mi><mo>+</mo><mn>1</mn><mo>)</mo></mrow><mo>&#x2062;</mo><mi>m</mi>"},
        {"log2(m)", "<msub><mi>log</mi><mn>2</mn></msub><mo>&#x2061;</mo><mrow><mo>(</mo><mi>m</mi><mo>)</mo></mrow>"},
        {"7*s <= Z", "<mn>7</mn><mo>&#x2062;</mo><mi>s</mi><mo>≤</mo><mi>Z</mi>"},
        {"-s", "<mo>−</mo><mi>s</mi>"},
    };
    char expected[512];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = mathml(cases[i][0]);
        snprintf(expected, sizeof expected, "<math><mrow>%s</mrow></math>", cases[i][1]);
        assert_string_equal(text, expected);
        free(text);
    }
}

/* What is no expression stays as it is, escaped; and no depth of it does harm. */
static void test_no_mathml(void **state)
{
    (void)state;
    static const char *const bad[] = {"", "n+", "(n", "n)", "n m", "<b>", "s=1 & n", "2^", "f(,)"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char *text = mathml(bad[i]);
        assert_int_equal(strncmp(text, "<code>", 6), 0);
        assert_null(strstr(text, "<b>"));
        free(text);
    }
    enum { LONG = 100000 };
    static const char kinds[] = "(-^*1";
    for (const char *k = kinds; *k; k++) {
        char *deep = malloc(LONG + 1);
        memset(deep, *k, LONG);
        deep[LONG] = 0;
        free(mathml(deep));
        free(deep);
    }
}

/* Every analysis that comes with the library can be set. */
static void test_analyses(void **state)
{
    (void)state;
    const char *name, *meaning;
    for (int i = 0; (name = mmm_formula_builtin(i)); i++) {
        mmm_formula *formula;
        assert_ok(mmm_formula_open(name, &formula));
        for (int j = 0; (name = mmm_formula_name(formula, j, &meaning)); j++) {
            if (strlen(name) > 2 || !strchr("WSONLKC", name[0])) continue;
            char *text = mathml(meaning);
            assert_int_equal(strncmp(text, "<math>", 6), 0);
            free(text);
        }
        mmm_formula_free(formula);
    }
}

/* Random programs: chains that repeat, wide ones, long ones; on one SM and on many. */
static void test_pictures(void **state)
{
    (void)state;
    mmm_random random = {7};
    mmm_parameters machine;
    assert_ok(mmm_parameters_read("U=10,Z=8192", &machine));
    for (int round = 0; round < 200; round++) {
        char *text = NULL;
        size_t size;
        FILE *stream = open_memstream(&text, &size);
        mmm_program *program;
        if (round % 2) {
            program =
                random_program(&random, (int)draw(&random, 1, 60), draw(&random, 1, 2000), (int)draw(&random, 0, 16));
        } else {
            static const char *const names[] = {"a", "b", "c"};
            int period = (int)draw(&random, 1, 3), kernels = (int)draw(&random, 1, 60);
            assert_ok(mmm_program_new(&program));
            for (int k = 0; k < kernels; k++) {
                assert_ok(mmm_program_add(program, names[k % period], 1 + k % period, 32, NULL));
                if (k) assert_ok(mmm_program_depend(program, k - 1, k));
            }
        }
        random_costs(&random, program, 100, 10);
        assert_ok(mmm_part_dag(stream, program));
        assert_ok(mmm_part_schedule(stream, program, &machine, draw(&random, 1, round % 3 ? 200 : 3), 1));
        fclose(stream);
        assert_null(strstr(text, "nan"));
        assert_null(strstr(text, "inf"));
        assert_null(strstr(text, "width=\"-"));
        assert_true(size < 4 << 20);
        free(text);
        mmm_program_free(program);
    }
}

/* A chain, or none, of kernels with some groups of blocks each. */
static mmm_program *large_program(int kernels, int64_t blocks, int groups, bool chain)
{
    mmm_program *program;
    mmm_cost costs[64];
    assert_ok(mmm_program_new(&program));
    for (int k = 0; k < kernels; k++) {
        char name[32];
        snprintf(name, sizeof name, "kernel_%d", k % 1000);
        assert_ok(mmm_program_add(program, name, blocks, 32, NULL));
        if (chain && k) assert_ok(mmm_program_depend(program, k - 1, k));
        for (int g = 0; g < groups; g++)
            costs[g] = (mmm_cost){.blocks = blocks / groups, .work = 640 + g, .span = 20 + (k + g) % 17, .reads = 3};
        assert_ok(mmm_program_set_costs(program, k, costs, groups));
    }
    return program;
}

/* Whatever the number of SMs and of blocks, what is drawn and written has a bound, or there is a status. */
static void test_bounded(void **state)
{
    (void)state;
    static const int64_t sms[] = {1, 132, 65536, 1000000000000, INT64_MAX};
    static const struct {
        int kernels;
        int64_t blocks;
        int groups;
        bool chain;
    } programs[] = {{1, 1000000, 1, false},  {1, 1000000, 64, false}, {1000, 1000, 10, true},
                    {100000, 10, 2, false},  {1000000, 1, 1, true},   {300, INT64_MAX / 1000, 1, false},
                    {1, INT64_MAX, 1, false}};
    const mmm_parameters machine = {.U = 10, .Z = 100, .operation = 1e-9};
    const double seconds = 10; /* one or two, but for a busy computer and sanitizers */
    char path[64];
    snprintf(path, sizeof path, "build/test-%d.trace", (int)getpid());
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        mmm_program *program =
            large_program(programs[i].kernels, programs[i].blocks, programs[i].groups, programs[i].chain);
        for (size_t j = 0; j < sizeof sms / sizeof *sms; j++) {
            double makespan, start = worked();
            char *text = NULL;
            size_t size;
            struct stat file;
            assert_ok(mmm_program_schedule(program, &machine, sms[j], 1, NULL, NULL, &makespan));
            double scheduled = worked();
            FILE *stream = open_memstream(&text, &size);
            mmm_status status = mmm_part_schedule(stream, program, &machine, sms[j], 1);
            fclose(stream);
            assert_true(status == MMM_OK || status == MMM_TOO_LARGE);
            assert_true(size < 20 << 20);
            assert_null(strstr(text, "nan"));
            assert_null(strstr(text, "\"-"));
            free(text);
            double drawn = worked();
            status = mmm_report_trace(program, &machine, sms[j], 1, path);
            if (status == MMM_OK) {
                assert_int_equal(stat(path, &file), 0);
                assert_true(file.st_size < 20 << 20);
                assert_int_equal(remove(path), 0);
            } else {
                assert_int_equal(status, MMM_TOO_LARGE);
                assert_non_null(strstr(mmm_message(), "too large"));
                assert_int_equal(access(path, F_OK), -1);
            }
            if (scheduled - start > seconds || drawn - scheduled > seconds || worked() - drawn > seconds)
                fail_msg("program %zu on %lld SMs: %.1f s to schedule, %.1f s to draw, %.1f s to trace", i,
                         (long long)sms[j], scheduled - start, drawn - scheduled, worked() - drawn);
        }
        FILE *stream = fopen("/dev/null", "w");
        assert_ok(mmm_part_dag(stream, program));
        fclose(stream);
        mmm_program_free(program);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounded),  cmocka_unit_test(test_labels),    cmocka_unit_test(test_ticks),
        cmocka_unit_test(test_mathml),   cmocka_unit_test(test_no_mathml), cmocka_unit_test(test_analyses),
        cmocka_unit_test(test_pictures),
    };
    return cmocka_run_group_tests_name("pictures", tests, NULL, NULL);
}
