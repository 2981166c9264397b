/* SPDX-License-Identifier: Apache-2.0 */
/* Machines from names, settings and files, and what is said of bad ones (section 2.1). */
#include "testing.h"

static void test_builtin(void **state)
{
    (void)state;
    const mmm_parameters *all = mmm_parameters_builtin();
    assert_string_equal(all[0].name, "abstract");
    int count = 0;
    for (; all[count].name[0]; count++) {
        mmm_parameters read;
        assert_ok(mmm_parameters_read(all[count].name, &read));
        assert_memory_equal(&read, &all[count], sizeof read);
        assert_true(read.U > 0 && read.Z >= 1);
    }
    assert_int_equal(count, 3);
    assert_string_equal(all[1].name, "h200");
    assert_int_equal(all[1].P, 132);
    assert_string_equal(all[2].name, "cpu-epyc");
    for (int i = 1; i < count; i++)
        assert_true(all[i].operation > 0 && all[i].lanes > 0 && all[i].P > 0);
}

static void test_settings(void **state)
{
    (void)state;
    mmm_parameters m;
    assert_ok(mmm_parameters_read("U=12.5,Z=99", &m));
    assert_string_equal(m.name, "custom");
    assert_true(m.U == 12.5 && m.Z == 99 && m.P == 0 && m.threads == 0 && m.launch == 0);
    assert_ok(mmm_parameters_read("launch=1e3,threads=64,P=7", &m));
    assert_true(m.U == 100 && m.Z == 12288 && m.P == 7 && m.threads == 64 && m.launch == 1000);
}

static void test_bad_settings(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "unknown machine ''; known are abstract, h200, "},
        {"h2000", "unknown machine 'h2000'"},
        {"U=100,", "machine setting '' is not of the form key=value (keys: U, Z, P, threads, launch, lanes, barrier, "
                   "decide, unfold, operation)"},
        {"U=1,V=2", "unknown machine setting 'V'; known are U, Z, P, threads, launch"},
        {"U=1,U=2", "'U' is given twice"},
        {"U=0", "U='0' must be a number larger than 0"},
        {"U=inf", "U='inf' must be"},
        {"U=nan", "U='nan' must be"},
        {"U=-1", "U='-1' must be"},
        {"U=", "U='' must be"},
        {"Z=0", "Z='0' must be an integer of at least 1"},
        {"Z=1.5", "Z='1.5' must be"},
        {"Z=99999999999999999999", "must be an integer"},
        {"P=-1", "P='-1' must be an integer of at least 0"},
        {"threads=x", "threads='x' must be an integer of at least 0"},
        {"lanes=9223372036854775807", "must be an integer of at least 0, at most 10^12"},
        {"launch=-0.5", "launch='-0.5' must be a number of at least 0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mmm_parameters m = {.U = -7};
        assert_fails(mmm_parameters_read(cases[i].text, &m), MMM_INVALID, cases[i].message);
        assert_true(m.U == -7);
    }
}

static void test_file(void **state)
{
    (void)state;
    mmm_parameters m;
    const char *path = file_with("{\"name\":\"my gpu\",\"U\":50,\"Z\":1000,\"P\":4,\"spread\":[1,2],\"clock\":1e9}");
    assert_ok(mmm_parameters_read(path, &m));
    assert_string_equal(m.name, "my gpu");
    assert_true(m.U == 50 && m.Z == 1000 && m.P == 4 && m.threads == 0 && m.launch == 0);
    assert_ok(mmm_parameters_read(file_with("{\"U\":1.5,\"Z\":1,\"launch\":2,\"threads\":8}"), &m));
    assert_string_equal(m.name, "custom");
    assert_true(m.U == 1.5 && m.threads == 8 && m.launch == 2);
    unlink(path);
}

static void test_bad_file(void **state)
{
    (void)state;
    mmm_parameters m;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"{\"U\":1,\n \"Z\"", "line 2, column"},
        {"[1]", "must hold a JSON object"},
        {"{\"Z\":1}",
         "lacks the key U (keys: name, U, Z, P, threads, launch, lanes, barrier, decide, unfold, operation)"},
        {"{\"U\":1}", "lacks the key Z"},
        {"{\"U\":\"1\",\"Z\":1}", "U must be a number larger than 0"},
        {"{\"U\":1,\"Z\":1.0}", "Z must be an integer of at least 1"},
        {"{\"U\":1,\"Z\":1,\"P\":-1}", "P must be an integer of at least 0"},
        {"{\"U\":1,\"Z\":1000000000001}", "Z must be an integer of at least 1, at most 10^12"},
        {"{\"U\":1,\"Z\":1,\"launch\":-1}", "launch must be a number of at least 0"},
        {"{\"U\":1,\"Z\":1,\"gpu\":7}", "graph of gpu must be a number larger than 0"},
        {"{\"U\":1,\"Z\":1,\"gpu\":{\"graph\":1}}", "launch of gpu must be a number"},
        {"{\"U\":1,\"Z\":1,\"gpu\":{\"graph\":1e300}}",
         "graph of gpu must be a number larger than 0, and at most 1e10"},
        {"{\"U\":1,\"Z\":1,\"gpu_64\":{\"graph\":-1}}", "graph of gpu for 64 bits must be a number larger than 0"},
        {"{\"U\":1,\"Z\":1,\"constants_64\":{\"step\":0}}",
         "step of the constants for 64 bits must be a number larger than 0"},
        {"{\"U\":1,\"Z\":1,\"name\":7}", "name must be a string"},
        {"{\"U\":1,\"Z\":1,\"name\":\"\"}", "name must be a string of 1 to 63 bytes"},
        {"{\"U\":1,\"Z\":1,\"name\":\"a\\u001b[2J\"}", "none of them a control character"},
        {"{\"U\":1,\"Z\":1,\"name\":\"0123456789012345678901234567890123456789012345678901234567890123\"}", "63 bytes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *path = file_with(cases[i].text);
        assert_fails(mmm_parameters_read(path, &m), MMM_INVALID, cases[i].message);
        assert_non_null(strstr(mmm_message(), path));
        unlink(path);
    }
    assert_fails(mmm_parameters_read("nowhere.json", &m), MMM_IO, "nowhere.json");
    assert_fails(mmm_parameters_read("./", &m), MMM_IO, "./");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_builtin), cmocka_unit_test(test_settings), cmocka_unit_test(test_bad_settings),
        cmocka_unit_test(test_file),    cmocka_unit_test(test_bad_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
