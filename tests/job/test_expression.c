/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions of records: values, what binds how, faults, names without a value, lists of constraints. */
#include "job/job.h"
#include "testing.h"

/* n = 10, m = 3, s = 4, zero = 0, large is the largest number; Z and threads are names without a value. */
static int lookup(const void *context, const char *name, int64_t *value)
{
    static const struct {
        const char *name;
        int64_t value;
    } names[] = {{"n", 10}, {"m", 3}, {"s", 4}, {"zero", 0}, {"large", INT64_MAX}, {"long_name_2", 7}};
    (void)context;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i].name, name) == 0) {
            *value = names[i].value;
            return 1;
        }
    return strcmp(name, "Z") == 0 || strcmp(name, "threads") == 0 ? 0 : -1;
}

static void test_values(void **state)
{
    static const struct {
        const char *text;
        int64_t value;
    } cases[] = {
        {"7", 7},
        {" ( 7 ) ", 7},
        {"n", 10},
        {"long_name_2", 7},
        {"9223372036854775807", INT64_MAX},
        {"-9223372036854775807 - 1", INT64_MIN},
        {"large", INT64_MAX},
        /* what binds how */
        {"1 + 2 * 3", 7},
        {"(1 + 2) * 3", 9},
        {"10 - 4 - 3", 3},
        {"100 / 7 / 2", 7},
        {"2 * 3 ^ 2", 18},
        {"-2 ^ 2", -4},
        {"(-2) ^ 2", 4},
        {"2 * -3", -6},
        {"2 - -3", 5},
        {"- - 3", 3},
        {"-(1 + 2)", -3},
        {"1 + 2 < 4", 1},
        {"1 < 2 and 2 < 1 or 1", 1},
        {"1 or 0 and 0", 1},
        {"(1 or 0) and 0", 0},
        {"n + m divides 2 * n + 2 * m", 1},
        /* division is rounded down, and the rest goes with it */
        {"7 / 2", 3},
        {"-7 / 2", -4},
        {"7 / -2", -4},
        {"-7 / -2", 3},
        {"7 % 2", 1},
        {"-7 % 2", 1},
        {"7 % -2", -1},
        {"-6 / 2", -3},
        {"-9223372036854775807 % 10", 3},
        /* powers */
        {"2 ^ 62", (int64_t)1 << 62},
        {"0 ^ 0", 1},
        {"1 ^ 64", 1},
        {"(-1) ^ 63", -1},
        {"n ^ 2", 100},
        /* relations */
        {"n = 10", 1},
        {"n == 10", 1},
        {"n != 10", 0},
        {"n <= 10", 1},
        {"n >= 11", 0},
        {"n < 10", 0},
        {"n > 9", 1},
        {"3 divides 9", 1},
        {"3 divides 10", 0},
        {"0 divides 5", 0},
        {"0 divides 0", 0},
        {"-3 divides 9", 1},
        {"-1 divides large", 1},
        {"m divides 0", 1},
        {"2 and 3", 1},
        {"2 or 0", 1},
        {"0 or 0", 0},
        /* functions */
        {"min(3, 5)", 3},
        {"max(3, 5)", 5},
        {"min(n, max(m, s))", 4},
        {"min(-1, 1)", -1},
        {"ceil(7, 2)", 4},
        {"ceil(8, 2)", 4},
        {"ceil(-7, 2)", -3},
        {"ceil(0, 5)", 0},
        {"log2(1)", 0},
        {"log2(1023)", 9},
        {"log2(1024)", 10},
        {"log2(large)", 62},
        {"is_power_of_2(1)", 1},
        {"is_power_of_2(64)", 1},
        {"is_power_of_2(65)", 0},
        {"is_power_of_2(0)", 0},
        {"is_power_of_2(-4)", 0},
        {"ceil(n, min(s, n))", 3},
        {"\t5*s + 1\n+ 2^s\t", 37},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t value = -12345;
        bool known = false;
        mmm_status status = mmm_integer_evaluate(cases[i].text, lookup, NULL, &value, &known);
        if (status != MMM_OK) fail_msg("%s: %s", cases[i].text, mmm_message());
        if (value != cases[i].value)
            fail_msg("%s is %lld, not %lld", cases[i].text, (long long)value, (long long)cases[i].value);
        assert_true(known);
    }
}

static void test_faults(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "a number, a name or '(' expected"},
        {"1 +", "column 4: a number, a name or '(' expected"},
        {"(1", "column 3: ')' expected"},
        {"1)", "column 2: an operator expected"},
        {"1 2", "column 3: an operator expected"},
        {"n m", "an operator expected"},
        {"1 < 2 < 3", "an operator expected"},
        {"2 ^ 3 ^ 2", "an operator expected"},
        {"n & m", "an operator expected"},
        {"n && m", "an operator expected"},
        {"!n", "a number, a name or '(' expected"},
        {"'n'", "a number, a name or '(' expected"},
        {"1.5", "an operator expected"},
        {"q + 1", "there is no parameter 'q'"},
        {"N", "there is no parameter 'N'"},
        {"nn", "there is no parameter 'nn'"},
        {"sqrt(4)", "the functions are min(a, b)"},
        {"min(1)", "the functions are"},
        {"min(1, 2, 3)", "too many arguments"},
        {"min()", "a number, a name or '(' expected"},
        {"min(1, 2", "')' expected"},
        {"log2(1, 2)", "the functions are"},
        {"1 / 0", "division by 0"},
        {"1 % zero", "division by 0"},
        {"ceil(1, zero)", "division by 0"},
        {"1 / (n - 10)", "division by 0"},
        {"log2(0)", "log2 of a number below 1"},
        {"log2(0 - 4)", "log2 of a number below 1"},
        {"2 ^ -1", "a number, a name or '(' expected"},
        {"2 ^ (0 - 1)", "an exponent from 0 to 64 expected"},
        {"2 ^ 65", "an exponent from 0 to 64 expected"},
        {"2 ^ 63", "too large a number"},
        {"9223372036854775808", "too large a number"},
        {"99999999999999999999999999", "too large a number"},
        {"large + 1", "too large a number"},
        {"0 - large - 2", "too large a number"},
        {"large * 2", "too large a number"},
        {"-(0 - large - 1)", "too large a number"},
        {"(0 - large - 1) / (0 - 1)", "too large a number"},
        {"ceil(0 - large - 1, 1)", "too large a number"},
        {"a_name_that_is_longer_than_any_name_should_be", "too long a name"},
    };
    int64_t value;
    bool known;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mmm_status status = mmm_integer_evaluate(cases[i].text, lookup, NULL, &value, &known);
        if (status == MMM_OK) fail_msg("'%s' is %lld, and no fault", cases[i].text, (long long)value);
        assert_int_equal(status, MMM_INVALID);
        if (!strstr(mmm_message(), cases[i].message)) fail_msg("'%s': %s", cases[i].text, mmm_message());
    }
    /* Depth is bounded, whatever opens the brackets. */
    char deep[4096];
    for (int kind = 0; kind < 3; kind++) {
        static const char *const opens[] = {"(", "min(1,", "log2("};
        deep[0] = 0;
        for (int i = 0; i < 500; i++)
            strcat(deep, opens[kind]);
        assert_fails(mmm_integer_evaluate(deep, lookup, NULL, &value, &known), MMM_INVALID, "too many brackets");
    }
    memset(deep, '-', sizeof deep - 1);
    deep[sizeof deep - 1] = 0;
    deep[sizeof deep - 2] = '1';
    assert_ok(mmm_integer_evaluate(deep, lookup, NULL, &value, &known));
    assert_int_equal(value, 1);
}

/* A name without a value leaves an expression open, and is no fault, whatever is done with it. */
static void test_unknown(void **state)
{
    static const char *const open[] = {
        "Z",           "7*s <= Z",          "threads + 1",          "n / (Z - 1)",
        "n % (Z - 1)", "log2(Z - 1)",       "2 ^ (Z - 2)",          "2 ^ (100 * Z)",
        "large * Z",   "large + Z + 1",     "ceil(n, Z - threads)", "min(Z, n) divides n",
        "Z or 1",      "-Z ^ 2 * large * 2"};
    static const char *const faults[] = {"Z +", "Z / q", "1 / 0 + Z", "sqrt(Z)"};
    int64_t value;
    (void)state;
    for (size_t i = 0; i < sizeof open / sizeof *open; i++) {
        bool known = true;
        if (mmm_integer_evaluate(open[i], lookup, NULL, &value, &known) != MMM_OK)
            fail_msg("%s: %s", open[i], mmm_message());
        assert_false(known);
    }
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        bool known;
        assert_int_equal(mmm_integer_evaluate(faults[i], lookup, NULL, &value, &known), MMM_INVALID);
    }
}

static void test_constraints(void **state)
{
    static const struct {
        const char *list, *failed;
    } cases[] = {
        {NULL, ""},
        {"", ""},
        {" ; ;; ", ""},
        {"n > 0", ""},
        {"n > 0; m > 5; s > 9", "m > 5"},
        {"n > 0;m > 0;s > 9;", "s > 9"},
        {"7*s <= Z; n < 0", "n < 0"}, /* what is open does not fail, */
        {"7*s <= Z; 3*s <= threads", ""},
        {"n < 0 and Z > 0", ""}, /* as a whole */
        {"n < 0 or m < 0\n; s", "n < 0 or m < 0\n"},
        {"\tn - 10", "n - 10"},
    };
    char failed[64];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        strcpy(failed, "?");
        assert_ok(mmm_constraints_check(cases[i].list, lookup, NULL, failed, sizeof failed));
        assert_string_equal(failed, cases[i].failed);
    }
    assert_fails(mmm_constraints_check("n > 0; q > 0", lookup, NULL, failed, sizeof failed), MMM_INVALID, "'q'");
    assert_fails(mmm_constraints_check("n > 0; 1 +", lookup, NULL, failed, sizeof failed), MMM_INVALID, "expected");
    char large[400];
    memset(large, '1', sizeof large - 1);
    large[sizeof large - 1] = 0;
    assert_fails(mmm_constraints_check(large, lookup, NULL, failed, sizeof failed), MMM_INVALID, "255 characters");
    assert_ok(mmm_constraints_check("m > n", lookup, NULL, failed, 3)); /* cut to what there is room for */
    assert_string_equal(failed, "m ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_constraints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
