/* SPDX-License-Identifier: Apache-2.0 */
/* Short of memory: formulas, numbers, files, programs, the generator; and FLINT as the caller has it. */
#include "short.h"

#include "kernel/generate.h"
#include "mmm/integer.h"

#include <flint/fmpq_poly.h>
#include <flint/fmpz.h>
#include <pthread.h>

static mmm_status ask(void)
{
    mmm_formula *formula = NULL;
    mmm_answer answer = {0};
    const mmm_query query = {.expression = "T1/T > 1", .set = "l=Z/2,s=Z/7", .limit = "n", .solve = "Z"};
    mmm_status result = MMM_OK;
    TRY(mmm_formula_open("division", &formula));
    TRY(mmm_formula_ask(formula, &query, &answer));
    assert_non_null(answer.text);
    assert_true(answer.decided);
done:
    mmm_answer_clear(&answer);
    mmm_formula_free(formula);
    return result;
}

/* The machine stays, so that all is the function's own. */
static mmm_machine *standing;

/* Over Q, where the ends of a call are in FLINT's memory. */
static mmm_status divide_rationals(void)
{
    mmm_status result = MMM_OK;
    fmpq_poly_t a, b, q, r;
    fmpq_poly_init(a), fmpq_poly_init(b), fmpq_poly_init(q), fmpq_poly_init(r);
    assert_int_equal(fmpq_poly_set_str(a, "4  1/3 -7/5 123456789012345678901234567890 5/7"), 0);
    assert_int_equal(fmpq_poly_set_str(b, "2  98765432109876543210987654321/4 -3/2"), 0);
    TRY(mmm_rational_divide(standing, q, r, a, b, NULL));
    TRY(mmm_rational_multiply(standing, q, q, b, NULL));
    fmpq_poly_add(q, q, r);
    assert_true(fmpq_poly_equal(q, a));
done:
    fmpq_poly_clear(a), fmpq_poly_clear(b), fmpq_poly_clear(q), fmpq_poly_clear(r);
    return result;
}

/* Operands with contents, which are copied without them. */
static mmm_status gcd_integers(void)
{
    mmm_status result = MMM_OK;
    fmpz_poly_t a, b, g, expected;
    fmpz_poly_init(a), fmpz_poly_init(b), fmpz_poly_init(g), fmpz_poly_init(expected);
    assert_int_equal(fmpz_poly_set_str(a, "3  123456789012345678901234567890 -7 5"), 0);
    assert_int_equal(fmpz_poly_set_str(b, "2  98765432109876543210987654321 -3"), 0);
    assert_int_equal(fmpz_poly_set_str(expected, "2  -35184372088832 6917529027641081856"), 0);
    fmpz_poly_mul(a, a, expected);
    fmpz_poly_scalar_mul_ui(a, a, 77);
    fmpz_poly_mul(b, b, expected);
    fmpz_poly_scalar_mul_ui(b, b, 30);
    fmpz_poly_gcd(expected, a, b);
    TRY(mmm_integer_gcd(standing, g, a, b, NULL));
    assert_true(fmpz_poly_equal(g, expected));
done:
    fmpz_poly_clear(a), fmpz_poly_clear(b), fmpz_poly_clear(g), fmpz_poly_clear(expected);
    return result;
}

static mmm_status claims(void)
{
    mmm_formula *formula = NULL;
    mmm_claim *list = NULL;
    int number = 0;
    mmm_status result = MMM_OK;
    TRY(mmm_formula_open("radix-sort", &formula));
    TRY(mmm_formula_claims(formula, &list, &number));
    for (int i = 0; i < number; i++)
        assert_true(list[i].id && list[i].section && list[i].states && list[i].follows);
done:
    mmm_claims_free(list, number);
    mmm_formula_free(formula);
    return result;
}

static mmm_status optimize(void)
{
    mmm_formula *formula = NULL;
    mmm_strategy s = {0};
    mmm_status result = MMM_OK;
    TRY(mmm_formula_open("radix-sort", &formula));
    TRY(mmm_formula_optimize(formula, NULL, NULL, &s));
    assert_true(s.parameter && s.range && s.work && s.overhead && s.best && s.time && s.assumptions && s.verdict);
done:
    mmm_strategy_clear(&s);
    mmm_formula_free(formula);
    return result;
}

static mmm_status derive(void)
{
    mmm_derivation derived = {0};
    mmm_status result = mmm_derive("division-naive", NULL, NULL, &derived);
    mmm_derivation_clear(&derived);
    return result;
}

static mmm_status import(void)
{
    mmm_program *p = NULL;
    mmm_status result = mmm_program_import("tests/model/profiles/ncu-raw.csv", &p);
    mmm_program_free(p);
    return result;
}

static mmm_status generate(void)
{
    mmm_generated out = {0};
    mmm_status result = mmm_generate("apps/radix-sort/kernels.c", NULL, "radix-sort", &out);
    mmm_generated_clear(&out);
    return result;
}

static mmm_status program(void)
{
    mmm_program *p = NULL;
    mmm_shape shape;
    mmm_status result = MMM_OK;
    double makespan;
    char path[64];
    snprintf(path, sizeof path, "build/test-%d-program.json", (int)getpid());
    TRY(mmm_program_read(path, &p));
    TRY(mmm_program_shape(p, &shape));
    TRY(mmm_program_schedule(p, mmm_parameters_builtin(), 2, 1, NULL, NULL, &makespan));
    TRY(mmm_program_write(p, path));
done:
    mmm_program_free(p);
    return result;
}

/* jansson's buffer for a text grows as it reads, again and again; what is read is all of it. */
static mmm_status read_text(void)
{
    static const int length = 20000;
    json_t *root = NULL;
    mmm_status result = MMM_OK;
    char *line = calloc(1, (size_t)length + 16);
    if (!line) return mmm_fail(MMM_MEMORY, "no memory for a text");
    memset(line, 'x', (size_t)length + 2);
    line[0] = line[length + 1] = '"';
    TRY(mmm_json_read("a text", line, length + 2, JSON_DECODE_ANY, &root));
    assert_int_equal(json_string_length(root), length);
done:
    json_decref(root);
    free(line);
    return result;
}

TEST_SWEEP(ask)
TEST_SWEEP(ask_number)
TEST_SWEEP(claims)
TEST_SWEEP(optimize)
TEST_SWEEP(generate)
TEST_SWEEP(import)
TEST_SWEEP(read_text)

static void sweep_standing(mmm_status (*work)(void))
{
    assert_ok(mmm_machine_open("cpu", &standing));
    sweep_some(work, 500);
    mmm_machine_free(standing);
}

static void test_divide_rationals(void **state)
{
    (void)state;
    sweep_standing(divide_rationals);
}

static void test_gcd_integers(void **state)
{
    (void)state;
    sweep_standing(gcd_integers);
}

static void test_derive(void **state)
{
    (void)state;
    sweep_some(derive, 6);
}

static void test_program(void **state)
{
    char path[64];
    (void)state;
    snprintf(path, sizeof path, "build/test-%d-program.json", (int)getpid());
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    fputs("{\"kernels\":[{\"name\":\"A\",\"blocks\":4,\"threads\":32,\"work\":640,\"span\":20,\"overhead_words\":5},"
          "{\"name\":\"B\",\"blocks\":2,\"threads\":32,\"work\":64,\"span\":2,\"overhead_words\":1}],"
          "\"edges\":[[\"A\",\"B\"]]}",
          stream);
    assert_int_equal(fclose(stream), 0);
    sweep(program);
    assert_int_equal(remove(path), 0);
}

/* A program that uses FLINT itself is not in the way, and its numbers are not touched. */
static void test_callers_own(void **state)
{
    fmpz_t before, after;
    (void)state;
    fmpz_init(before);
    fmpz_set_ui(before, 3);
    fmpz_pow_ui(before, before, 1000);
    sweep(ask_number);
    fmpz_init(after);
    fmpz_set_ui(after, 3);
    fmpz_pow_ui(after, after, 1000);
    assert_true(fmpz_equal(before, after));
    fmpz_clear(before);
    fmpz_clear(after);
    flint_cleanup();
}

static void *ask_often(void *context)
{
    _Atomic int *failed = context;
    for (int i = 0; i < 20; i++)
        if (ask_number() != MMM_OK) ++*failed;
    return NULL;
}

static void test_threads(void **state)
{
    pthread_t threads[4];
    _Atomic int failed = 0;
    (void)state;
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, ask_often, &failed), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(failed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ask),          cmocka_unit_test(test_ask_number), cmocka_unit_test(test_claims),
        cmocka_unit_test(test_optimize),     cmocka_unit_test(test_generate),   cmocka_unit_test(test_program),
        cmocka_unit_test(test_callers_own),  cmocka_unit_test(test_threads),    cmocka_unit_test(test_import),
        cmocka_unit_test(test_read_text),    cmocka_unit_test(test_derive),     cmocka_unit_test(test_divide_rationals),
        cmocka_unit_test(test_gcd_integers),
    };
    mkdir("build", 0777);
    json_set_alloc_funcs(__wrap_malloc, free);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
