/* SPDX-License-Identifier: Apache-2.0 */
/* Random rational functions: printing and parsing, substitution, evaluation, limits, all as identities. */
#include "paper/paper.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const names[] = {"n", "m", "l", "s", "Z"};
enum { NAMES = sizeof names / sizeof *names };

/* A random expression as text, and its value at a point computed beside it with rationals alone. */
typedef struct generator {
    mmm_random random;
    fmpq *point;       /* of the names: l is 2^power, s is a small whole number */
    slong power;       /* log2(l) */
    bool transcendent; /* with log2(l) and 2^s */
    bool positive;     /* no minus, no constant zero */
    bool rounds;       /* with ceil and floor */
    bool fine;         /* no division by zero at the point */
} generator;

static uint64_t draw(generator *g, uint64_t bound)
{
    return mmm_random_below(&g->random, bound);
}

static void leaf(generator *g, mmm_text *text, fmpq_t value)
{
    uint64_t kind = draw(g, g->transcendent ? 10 : 7);
    if (kind < 2) {
        slong number = (slong)draw(g, 9) + (g->positive ? 1 : 0);
        fmpq_set_si(value, number, 1);
        mmm_text_add(text, "%ld", number);
    } else if (kind < 7) {
        int name = (int)draw(g, NAMES);
        fmpq_set(value, g->point + name);
        mmm_text_add(text, "%s", names[name]);
    } else if (kind < 8) {
        fmpq_set_si(value, g->power, 1);
        mmm_text_add(text, "log2(l)");
    } else if (kind < 9) {
        fmpq_set_si(value, 2 * g->power + 3, 1);
        mmm_text_add(text, "log2(8*l^2)");
    } else {
        fmpz_one_2exp(fmpq_numref(value), fmpz_get_ui(fmpq_numref(g->point + 3)) * 2 + 1);
        fmpz_one(fmpq_denref(value));
        mmm_text_add(text, "2^(2*s+1)");
    }
}

static void generate(generator *g, int depth, mmm_text *text, fmpq_t value)
{
    static const char signs[] = "+*-/^cf";
    if (depth == 0 || draw(g, 6) == 0) {
        leaf(g, text, value);
        return;
    }
    fmpq_t right;
    fmpq_init(right);
    char sign = signs[draw(g, g->rounds ? 7 : 5)];
    if (sign == '-' && g->positive) sign = '+';
    mmm_text_add(text, sign == 'c' ? "ceil(" : sign == 'f' ? "floor(" : "(");
    generate(g, depth - 1, text, value);
    if (sign == '^') {
        slong exponent = (slong)draw(g, 3);
        mmm_text_add(text, ")^%ld", exponent);
        fmpq_pow_si(value, value, exponent);
    } else if (sign == 'c' || sign == 'f') {
        mmm_text_add(text, ")");
        (sign == 'c' ? fmpz_cdiv_q : fmpz_fdiv_q)(fmpq_numref(value), fmpq_numref(value), fmpq_denref(value));
        fmpz_one(fmpq_denref(value));
    } else {
        mmm_text_add(text, "%c", sign);
        generate(g, depth - 1, text, right);
        mmm_text_add(text, ")");
        if (sign == '/' && fmpq_is_zero(right)) {
            g->fine = false;
            fmpq_one(right);
        }
        if (sign == '+') fmpq_add(value, value, right);
        if (sign == '-') fmpq_sub(value, value, right);
        if (sign == '*') fmpq_mul(value, value, right);
        if (sign == '/') fmpq_div(value, value, right);
    }
    fmpq_clear(right);
}

static generator *start(uint64_t seed, bool transcendent)
{
    generator *g = calloc(1, sizeof *g);
    g->random.state = seed;
    g->transcendent = transcendent;
    g->fine = true;
    g->point = _fmpq_vec_init(NAMES);
    for (int i = 0; i < NAMES; i++) {
        fmpz_set_ui(fmpq_numref(g->point + i), draw(g, UINT64_MAX) >> 2);
        fmpz_set_ui(fmpq_denref(g->point + i), (draw(g, UINT64_MAX) >> 2) + 1);
        fmpq_canonicalise(g->point + i);
    }
    g->power = (slong)draw(g, 12);
    if (transcendent) {
        fmpq_set_si(g->point + 2, (slong)1 << g->power, 1);
        fmpq_set_si(g->point + 3, (slong)draw(g, 9), 1);
    }
    return g;
}

static void stop(generator *g)
{
    _fmpq_vec_clear(g->point, NAMES);
    free(g);
}

static mmm_evaluator open_space(void)
{
    mmm_evaluator e = {0};
    int atom;
    assert_int_equal(mmm_space_new(&e.space), MMM_OK);
    for (int i = 0; i < NAMES; i++)
        assert_int_equal(mmm_space_variable(e.space, names[i], &atom), MMM_OK);
    return e;
}

static void scope_point(mmm_evaluator *e, const generator *g, mmm_scope *scope)
{
    mmm_fraction value;
    mmm_value_init(e->space, &value);
    for (int i = 0; i < NAMES; i++) {
        fmpz_mpoly_q_set_fmpq(&value, g->point + i, e->space->ctx);
        assert_int_equal(mmm_scope_add(e->space, scope, names[i], &value), MMM_OK);
    }
    mmm_value_clear(e->space, &value);
}

/* parse(print(e)) = e in every notation; the same value prints the same; values at a point agree. */
static void test_print_and_evaluate(void **state)
{
    (void)state;
    int compared = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        generator *g = start(seed, seed % 2);
        g->rounds = seed % 3 == 0;
        mmm_evaluator e = open_space();
        mmm_text text = {0};
        mmm_fraction value, again, number;
        mmm_scope scope = {0};
        fmpq_t direct;
        fmpq_init(direct);
        mmm_value_init(e.space, &value);
        mmm_value_init(e.space, &again);
        mmm_value_init(e.space, &number);
        generate(g, 4, &text, direct);
        mmm_status status = mmm_evaluate_text(&e, text.data, NULL, &value);
        if (status == MMM_OK) {
            char *plain = NULL, *twice = NULL;
            for (mmm_notation notation = MMM_TEXT; notation <= MMM_PYTHON; notation++) {
                char *printed = NULL;
                assert_int_equal(mmm_value_print(e.space, &value, notation, &printed), MMM_OK);
                if (mmm_evaluate_text(&e, printed, NULL, &again) != MMM_OK)
                    fail_msg("%s -> %s: %s", text.data, printed, mmm_message());
                if (!mmm_value_same(e.space, &value, &again)) fail_msg("%s -> %s", text.data, printed);
                if (notation == MMM_TEXT) plain = mmm_copy_string(printed);
                free(printed);
            }
            assert_int_equal(mmm_value_print(e.space, &again, MMM_TEXT, &twice), MMM_OK);
            assert_string_equal(plain, twice);
            free(plain);
            free(twice);
            scope_point(&e, g, &scope);
            if (g->fine && mmm_value_substitute(e.space, &again, &value, &scope) == MMM_OK) {
                fmpz_mpoly_q_set_fmpq(&number, direct, e.space->ctx);
                if (!mmm_value_same(e.space, &again, &number)) fail_msg("%s at a point", text.data);
                assert_int_equal(mmm_evaluate_text(&e, text.data, &scope, &again), MMM_OK);
                assert_true(mmm_value_same(e.space, &again, &number));
                compared++;
            }
        } else {
            assert_true(strstr(mmm_message(), "division by zero") || status == MMM_TOO_LARGE);
        }
        mmm_scope_free(e.space, &scope);
        mmm_value_clear(e.space, &value);
        mmm_value_clear(e.space, &again);
        mmm_value_clear(e.space, &number);
        mmm_space_free(e.space);
        fmpq_clear(direct);
        free(text.data);
        stop(g);
    }
    assert_true(compared > 200);
}

/* Substitution commutes with arithmetic. */
static void test_substitution(void **state)
{
    (void)state;
    int compared = 0;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        generator *g = start(seed + 7000, false);
        mmm_evaluator e = open_space();
        mmm_text first = {0}, second = {0}, image = {0};
        mmm_fraction a, b, c, x, y;
        mmm_fraction *all[] = {&a, &b, &c, &x, &y};
        mmm_scope scope = {0};
        fmpq_t ignored;
        fmpq_init(ignored);
        for (int i = 0; i < 5; i++)
            mmm_value_init(e.space, all[i]);
        generate(g, 2, &first, ignored);
        generate(g, 2, &second, ignored);
        generate(g, 2, &image, ignored);
        if (mmm_evaluate_text(&e, first.data, NULL, &a) == MMM_OK &&
            mmm_evaluate_text(&e, second.data, NULL, &b) == MMM_OK &&
            mmm_evaluate_text(&e, image.data, NULL, &c) == MMM_OK &&
            mmm_scope_add(e.space, &scope, "n", &c) == MMM_OK &&
            mmm_value_substitute(e.space, &x, &a, &scope) == MMM_OK &&
            mmm_value_substitute(e.space, &y, &b, &scope) == MMM_OK) {
            mmm_fraction sum;
            mmm_value_init(e.space, &sum);
            assert_int_equal(mmm_value_multiply(e.space, &sum, &a, &b), MMM_OK);
            assert_int_equal(mmm_value_add(e.space, &sum, &sum, &a), MMM_OK);
            assert_int_equal(mmm_value_substitute(e.space, &sum, &sum, &scope), MMM_OK);
            assert_int_equal(mmm_value_multiply(e.space, &y, &x, &y), MMM_OK);
            assert_int_equal(mmm_value_add(e.space, &y, &y, &x), MMM_OK);
            assert_true(mmm_value_same(e.space, &sum, &y));
            mmm_value_clear(e.space, &sum);
            compared++;
        }
        mmm_scope_free(e.space, &scope);
        for (int i = 0; i < 5; i++)
            mmm_value_clear(e.space, all[i]);
        mmm_space_free(e.space);
        fmpq_clear(ignored);
        free(first.data), free(second.data), free(image.data);
        stop(g);
    }
    assert_true(compared > 60);
}

/* A limit against the value at l = 2^(2^40), where log2(l) is still only 2^40. */
static void test_limits(void **state)
{
    (void)state;
    int finite = 0;
    for (uint64_t seed = 1; seed <= 150; seed++) {
        generator *g = start(seed + 9000, false);
        mmm_evaluator e = open_space();
        mmm_region region = {0};
        mmm_text text = {0};
        mmm_fraction value, limit, at;
        mmm_scope scope = {0}, rest = {0};
        mmm_limit_kind kind;
        fmpq_t ignored;
        int n = mmm_space_name(e.space, "n");
        double far, bound;
        fmpq_init(ignored);
        g->positive = true;
        mmm_value_init(e.space, &value);
        mmm_value_init(e.space, &limit);
        mmm_value_init(e.space, &at);
        generate(g, 3, &text, ignored);
        assert_int_equal(mmm_evaluate_text(&e, text.data, NULL, &value), MMM_OK);
        assert_int_equal(mmm_value_limit(e.space, &region, &value, n, &limit, &kind), MMM_OK);
        assert_true(kind == LIMIT_FINITE || kind == LIMIT_PLUS);
        assert_int_equal(mmm_evaluate_text(&e, "2^400", NULL, &at), MMM_OK);
        assert_int_equal(mmm_scope_add(e.space, &scope, "n", &at), MMM_OK);
        for (int i = 1; i < NAMES; i++) {
            fmpz_mpoly_q_set_si(&at, 3 + i, e.space->ctx);
            assert_int_equal(mmm_scope_add(e.space, &scope, names[i], &at), MMM_OK);
            assert_int_equal(mmm_scope_add(e.space, &rest, names[i], &at), MMM_OK);
        }
        assert_int_equal(mmm_value_substitute(e.space, &at, &value, &scope), MMM_OK);
        assert_true(mmm_value_number(e.space, &at, &far, NULL));
        if (kind == LIMIT_PLUS) {
            assert_true(far > 1e50);
        } else {
            assert_int_equal(mmm_value_substitute(e.space, &at, &limit, &rest), MMM_OK);
            assert_true(mmm_value_number(e.space, &at, &bound, NULL));
            double error = far - bound;
            assert_true((error < 0 ? -error : error) <= 1e-9 * (1 + bound));
            finite++;
        }
        mmm_scope_free(e.space, &scope);
        mmm_scope_free(e.space, &rest);
        mmm_value_clear(e.space, &value);
        mmm_value_clear(e.space, &limit);
        mmm_value_clear(e.space, &at);
        mmm_space_free(e.space);
        fmpq_clear(ignored);
        free(text.data);
        stop(g);
    }
    assert_true(finite > 40);
}

/* Left and right are the same value. */
static void test_identities(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"log2(m/s)", "log2(m)-log2(s)"},
        {"log2(8*m^3/s)", "3+3*log2(m)-log2(s)"},
        {"log2(2^s*l)", "s+log2(l)"},
        {"2^log2(l)", "l"},
        {"2^(3*log2(l)+s-1)", "l^3*2^s/2"},
        {"log2(6)", "1+log2(3)"},
        {"log2(1/7)", "-log2(7)"},
        {"log2(n^2+2*n+1)", "2*log2(n+1)"},
        {"2^log2(n-m)", "n-m"},
        {"log2(2*m-2*n)", "1+log2(m-n)"},
        {"(n^2-m^2)/(n-m)", "n+m"},
        {"0.125*n", "n/8"},
        {"\\frac{n\\,(m + 1)}{\\ell}", "n*(m+1)/l"},
        {"\\log_2 \\ell + 2^{s}", "log2(l)+2^s"},
        {"pow(n, 3) + exp2(s)", "n**3 + 2**s"},
        {"-n^2", "-(n*n)"},
        {"2^3^2", "512"},
        {"n/m/l", "n/(m*l)"},
        {"ceil(7/2) + floor(-7/2)", "0"},
        {"ceil(n/s + 2)", "ceil(n/s) + 2"},
        {"floor(-n/s)", "-ceil(n/s)"},
        {"ceil(2*ceil(n/s) - 1)", "2*ceil(n/s) - 1"},
        {"ceil((n-s)/s)", "ceil(n/s) - 1"},
        {"\\left\\lceil \\frac{n}{\\ell}\\right\\rceil ^{2}", "ceil(n/l)^2"},
        {"ceil(log2(1000)) + floor(log2(1000))", "19"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        mmm_evaluator e = open_space();
        mmm_fraction left, right;
        mmm_value_init(e.space, &left);
        mmm_value_init(e.space, &right);
        assert_int_equal(mmm_evaluate_text(&e, pairs[i][0], NULL, &left), MMM_OK);
        assert_int_equal(mmm_evaluate_text(&e, pairs[i][1], NULL, &right), MMM_OK);
        if (!mmm_value_same(e.space, &left, &right)) fail_msg("%s is not %s", pairs[i][0], pairs[i][1]);
        mmm_value_clear(e.space, &left);
        mmm_value_clear(e.space, &right);
        mmm_space_free(e.space);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_print_and_evaluate),
        cmocka_unit_test(test_substitution),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_identities),
    };
    int code = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return code;
}
