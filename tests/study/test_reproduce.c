/* SPDX-License-Identifier: Apache-2.0 */
/* The paper's tables: stopped, resumed, and complete. */
#include "testing.h"

#include <jansson.h>

static int cells_left;

static int stop_after(void *context, double done)
{
    (void)context;
    assert_true(done >= 0 && done <= 1);
    return cells_left-- == 0;
}

static int lines_of(const char *path)
{
    int lines = 0, c;
    FILE *stream = fopen(path, "r");
    if (!stream) return 0;
    while ((c = fgetc(stream)) != EOF)
        lines += c == '\n';
    fclose(stream);
    return lines;
}

static void test_resume(void **state)
{
    static const char *const machines[] = {"cpu", NULL};
    char folder[64], path[128];
    (void)state;
    mkdir("build", 0777);
    snprintf(folder, sizeof folder, "build/reproduce-%d", (int)getpid());
    snprintf(path, sizeof path, "%s/reproduce.jsonl", folder);
    cells_left = 4;
    assert_fails(mmm_reproduce(folder, machines, 20, 2000, stop_after, NULL), MMM_STOPPED, "goes on from here");
    int lines = lines_of(path);
    assert_true(lines >= 4);
    FILE *stream = fopen(path, "a"); /* a line cut short by a crash */
    fputs("{\"table\":\"tab", stream);
    fclose(stream);
    cells_left = -1;
    assert_ok(mmm_reproduce(folder, machines, 20, 2000, stop_after, NULL));
    /* Rows of 2000 terms: gcd and division, six values of s each, and FLINT for each row. */
    assert_int_equal(lines_of(path), 2 * (6 + 1) + 1);
    assert_ok(mmm_reproduce(folder, machines, 20, 2000, stop_after, NULL)); /* nothing is left to measure */
    assert_int_equal(lines_of(path), 2 * (6 + 1) + 1);

    snprintf(path, sizeof path, "%s/reproduce.json", folder);
    json_t *tables = json_load_file(path, 0, NULL), *table;
    size_t i, j;
    int measured = 0, paper = 0;
    assert_int_equal(json_array_size(tables), 3);
    json_array_foreach(tables, i, table)
    {
        json_t *result;
        json_array_foreach(json_object_get(table, "results"), j, result)
        {
            const char *machine = json_string_value(json_object_get(result, "machine"));
            if (strcmp(machine, "paper") == 0)
                paper++;
            else
                assert_true(json_number_value(json_object_get(result, "seconds")) > 0), measured++;
        }
    }
    assert_int_equal(measured, 14);
    assert_int_equal(paper, 9 * 4 + 9 * 2);
    json_decref(tables);
    static const char *const names[] = {"jsonl", "json", "csv", "txt"};
    for (int k = 0; k < 4; k++) {
        snprintf(path, sizeof path, "%s/reproduce.%s", folder, names[k]);
        assert_int_equal(unlink(path), 0);
    }
    rmdir(folder);
    assert_fails(mmm_reproduce("build/no/such", machines, 1, 0, NULL, NULL), MMM_IO, "cannot make the folder");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_resume)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
