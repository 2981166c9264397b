/* SPDX-License-Identifier: Apache-2.0 */
/* Which algorithm the functions take: the usual one, or another that a calibrated machine is predicted to do faster. */
#include "base/json.h"
#include "calls.h"
#include "operations.h"

#include <unistd.h>

/* A machine whose kernels of one application are said to take a thousand times as long as they do. */
static void slow_down(const mmm_machine *machine, const char *app)
{
    mmm_parameters p;
    mmm_factors *table = NULL;
    char *path = NULL;
    assert_ok(mmm_parameters_read("cpu-epyc", &p));
    p.P = machine->parameters.P;
    assert_ok(mmm_alloc(&table, p.factor_count, sizeof *table));
    memcpy(table, p.factors, (size_t)p.factor_count * sizeof *table);
    for (int i = 0; i < p.factor_count; i++)
        for (int k = 0; k < MMM_LIMITS && strcmp(table[i].app, app) == 0; k++)
            table[i].factors[k] *= 1000;
    p.factors = table;
    assert_ok(mmm_wisdom_beside("cpu.json", &path));
    assert_ok(mmm_machine_file_write(machine, &p, json_object(), path));
    mmm_trust_make(path);
    free(path);
    free(table);
}

/* Near the crossovers a prediction decides; far from them nothing does, and where nothing is said the usual one stays. */
static void test_fastest(void **state)
{
    static const struct {
        const char *operation, *few, *many;
        int64_t near, far;
    } cases[] = {{"multiplication", "multiplication-tile", "multiplication-ntt", 100, 1},
                 {"division", "division-inverse", "division-newton", 300, 1},
                 {"gcd", "gcd-jump", "gcd-half", 1200, 4}};
    mmm_machine *cpu;
    (void)state;
    assert_ok(mmm_machine_open("cpu", &cpu));
    for (int i = 0; i < 3; i++) {
        const int64_t m = cases[i].near, n = i == 1 ? 2 * m : m, far = cases[i].far;
        slow_down(cpu, cases[i].few);
        assert_string_equal(mmm_fastest(cpu, cases[i].operation, 2013265921, n, m), cases[i].many);
        assert_string_equal(mmm_fastest(cpu, cases[i].operation, 2013265921, 2 * far, far), cases[i].few);
        slow_down(cpu, cases[i].many);
        assert_string_equal(mmm_fastest(cpu, cases[i].operation, 2013265921, n, m), cases[i].few);
    }
    mmm_machine_free(cpu);
}

/* The plan of a shape is what is usual at first; when its calls have taken long it is what prediction says, once, and the
 * results are the same. */
static void test_reconsidered(void **state)
{
    enum { TERMS = 100 };
    static const uint64_t p = 2013265921;
    uint64_t a[TERMS], b[TERMS], f[2 * TERMS], g[2 * TERMS];
    int64_t f_terms, g_terms;
    mmm_random random = {3};
    mmm_machine *cpu;
    (void)state;
    fill(&random, a, TERMS, p);
    fill(&random, b, TERMS, p);
    a[TERMS - 1] = b[TERMS - 1] = 1;
    assert_ok(mmm_machine_open("cpu", &cpu));
    const mmm_plan_key key = mmm_key_of(mmm_multiplication, p, TERMS, TERMS, 1);
    slow_down(cpu, "multiplication-tile");
    assert_ok(mmm_multiply(cpu, p, a, TERMS, b, TERMS, f, &f_terms));
    mmm_plan *plan = mmm_recent_find(cpu, &key);
    assert_string_equal(mmm_job_app(plan->job)->name, "multiplication-tile");
    assert_true(plan->spent > 0 && !plan->predicted);
    plan->spent = 1e9;
    assert_ok(mmm_multiply(cpu, p, a, TERMS, b, TERMS, g, &g_terms));
    plan = mmm_recent_find(cpu, &key);
    assert_string_equal(mmm_job_app(plan->job)->name, "multiplication-ntt");
    assert_true(plan->predicted && plan->spent < 1e9);
    assert_int_equal(mmm_recent_count(cpu), 1);
    assert_int_equal(f_terms, g_terms);
    assert_memory_equal(f, g, (size_t)f_terms * sizeof *f);
    slow_down(cpu, "multiplication-ntt"); /* which is no longer asked */
    plan->spent = 1e9;
    assert_ok(mmm_multiply(cpu, p, a, TERMS, b, TERMS, g, &g_terms));
    assert_ptr_equal(mmm_recent_find(cpu, &key), plan);
    assert_memory_equal(f, g, (size_t)f_terms * sizeof *f);
    mmm_machine_free(cpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fastest),
        cmocka_unit_test(test_reconsidered),
    };
    char path[64];
    snprintf(path, sizeof path, "build/test-algorithms-%d/wisdom", (int)getpid());
    setenv("MMM_WISDOM", path, 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
