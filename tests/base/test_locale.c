/* SPDX-License-Identifier: Apache-2.0 */
/* A program whose locale writes 1,5 for 1.5: files are the same bytes, and numbers are read as everywhere. */
#include "testing.h"

#include "base/text.h"
#include "mmm/study.h"

#include <locale.h>

#define PLACE "build/test-locale"

/* A locale with a comma, made here; false where there is none to be made of (Debian: locales). */
static bool take_comma(void)
{
    char path[4200], here[4096];
    if (!getcwd(here, sizeof here)) return false;
    snprintf(path, sizeof path, "%s/" PLACE, here);
    setenv("LOCPATH", path, 1);
    if (system("{ test -d " PLACE "/comma || "
               "localedef -i de_DE -f UTF-8 " PLACE "/comma; } >/dev/null 2>&1") != 0)
        return false;
    return setlocale(LC_ALL, "comma") != NULL;
}

/* Everything that is written with numbers that are not whole, into files that begin with `name`. */
static void write_all(const char *name)
{
    mmm_parameters machine;
    mmm_analysis analysis;
    char path[200];
    const int64_t P = 3;
    mmm_random random = {7};
    mmm_program *program = random_program(&random, 9, 5, 3);
    random_costs(&random, program, 20, 10);
    assert_ok(mmm_parameters_read("U=1.5,Z=64", &machine));
    assert_true(machine.U == 1.5);
    assert_ok(mmm_parameters_read(file_with("{\"U\":2.25,\"Z\":100}"), &machine));
    assert_true(machine.U == 2.25);
    assert_ok(mmm_analysis_make(&analysis, program, &machine, &P, 1, 1));
    analysis.app = "program";
    snprintf(path, sizeof path, PLACE "/%s.json", name);
    assert_ok(mmm_report_json(&analysis, 1, 0, path));
    snprintf(path, sizeof path, PLACE "/%s.csv", name);
    assert_ok(mmm_report_csv(&analysis, 1, path));
    snprintf(path, sizeof path, PLACE "/%s.txt", name);
    assert_ok(mmm_report_text(&analysis, 1, path));
    snprintf(path, sizeof path, PLACE "/%s.trace", name);
    assert_ok(mmm_report_trace(program, &machine, P, 1, path));
    snprintf(path, sizeof path, PLACE "/%s.program", name);
    assert_ok(mmm_program_write(program, path));
    mmm_program_free(program);
}

static void test_comma(void **state)
{
    (void)state;
    mmm_text text = {0};
    double number;
    mkdir("build", 0777);
    mkdir(PLACE, 0777);
    write_all("point");
    if (!take_comma()) skip();
    char printed[8];
    snprintf(printed, sizeof printed, "%.1f", 1.5);
    assert_string_equal(printed, "1,5");
    write_all("comma");
    for (int i = 0; i < 5; i++) {
        static const char *const kinds[] = {"json", "csv", "txt", "trace", "program"};
        char command[200];
        snprintf(command, sizeof command, "cmp " PLACE "/point.%s " PLACE "/comma.%s", kinds[i], kinds[i]);
        assert_int_equal(system(command), 0);
    }
    assert_true(mmm_parse_number("1.5", &number) && number == 1.5);
    assert_false(mmm_parse_number("1,5", &number));
    assert_ok(mmm_text_add(&text, "%g", 0.25));
    assert_string_equal(text.data, "0.25");
    free(text.data);
    /* The program's own numbers are as it wants them. */
    snprintf(printed, sizeof printed, "%.1f", 2.5);
    assert_string_equal(printed, "2,5");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_comma)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
