/* SPDX-License-Identifier: Apache-2.0 */
/* Nonsense for mmm.h: machines, functions, plans, integers, engines, arrays. */
#include "nonsense.h"

void status_cases(void)
{
    IS(*mmm_version());
    IS(mmm_message() != NULL);
    IS(strcmp(mmm_status_name((mmm_status)-1), "unknown") == 0);
    IS(strcmp(mmm_status_name((mmm_status)LOW), "unknown") == 0);
    IS(strcmp(mmm_status_name((mmm_status)1000), "unknown") == 0);
    IS(mmm_fail(MMM_INVALID, no) == MMM_INVALID);
    IS(mmm_fail((mmm_status)77, "%s", endless) == (mmm_status)77);
}

void machine_cases(void)
{
    mmm_machine *out;
    int64_t in = 1, back = 1;
    INVALID(mmm_machine_open(NULL, &out));
    INVALID(mmm_machine_open("cpu", NULL));
    INVALID(mmm_machine_open("", &out));
    INVALID(mmm_machine_open(endless, &out));
    INVALID(mmm_machine_open("cuda:-1", &out));
    INVALID(mmm_machine_open("cuda:99999999999999999999", &out));
    DOES(mmm_machine_free(NULL));
    IS(*mmm_machine_description(NULL) == 0);
    IS(mmm_machine_has_time(NULL) == 0);
    DOES(mmm_machine_list(NULL, NULL));
    DOES(mmm_machine_set_time_limit(NULL, 1));
    DOES(mmm_machine_set_time_limit(machine, NAN));
    DOES(mmm_machine_set_time_limit(machine, -1));
    INVALID(mmm_machine_set_launches(NULL, 1));
    INVALID(mmm_machine_set_launches(machine, 0));
    INVALID(mmm_machine_set_launches(machine, -1));
    INVALID(mmm_machine_set_launches(machine, 1001));
    INVALID(mmm_machine_set_launches(machine, 2)); /* no CUDA device */
    WORKS(mmm_machine_set_launches(machine, 1));
    IS((mmm_machine_transferred(NULL, &in, &back), in == 0 && back == 0));
    DOES(mmm_machine_transferred(machine, NULL, NULL));
    DOES(mmm_machine_on_progress(NULL, endless_progress, NULL));
    WORKS((mmm_machine_on_progress(machine, NULL, NULL), mmm_job_run(job, machine, NULL)));
    IS(mmm_machine_counts(NULL) == NULL);
    INVALID(mmm_machine_open_abstract(NULL, 1, &out));
    INVALID(mmm_machine_open_abstract(&good, 1, NULL));
    for (int i = 0; i < bad_count; i++)
        INVALID(mmm_machine_open_abstract(&bad[i], 1, &out));
    INVALID(mmm_machine_run(NULL, program, NULL));
    INVALID(mmm_machine_run(machine, NULL, NULL));
    INVALID(mmm_machine_run(machine, data, NULL)); /* has no code */
    INVALID(mmm_machine_fetch(NULL, program, 0, 0, 1));
    INVALID(mmm_machine_fetch(machine, NULL, 0, 0, 1));
    INVALID(mmm_machine_fetch(machine, program, -1, 0, 1));
    INVALID(mmm_machine_fetch(machine, program, 1000, 0, 1));
    INVALID(mmm_machine_fetch(machine, program, 0, -1, 1));
    INVALID(mmm_machine_fetch(machine, program, 0, 1, INT64_MAX));
    INVALID(mmm_machine_fetch(machine, program, 0, INT64_MAX, INT64_MAX));
}

void function_cases(void)
{
    assert_null(mmm_fastest(NULL, "gcd", 101, 8, 4));
    assert_null(mmm_fastest(machine, NULL, 101, 8, 4));
    assert_null(mmm_fastest(machine, "sort", 101, 8, 4));
    assert_non_null(mmm_fastest(machine, "gcd", 0, INT64_MIN, INT64_MAX));
    assert_non_null(mmm_fastest(machine, "division", UINT64_MAX, INT64_MIN, INT64_MAX));
    INVALID(mmm_job_usual(NULL, machine));
    INVALID(mmm_multiply(NULL, 101, a, 8, b, 4, f, &terms));
    INVALID(mmm_multiply(machine, 101, NULL, 8, b, 4, f, &terms));
    INVALID(mmm_multiply(machine, 101, a, 8, NULL, 4, f, &terms));
    INVALID(mmm_multiply(machine, 101, a, 8, b, 4, NULL, &terms));
    INVALID(mmm_multiply(machine, 101, a, 8, b, 4, f, NULL));
    INVALID(mmm_multiply(machine, 100, a, 8, b, 4, f, &terms));
    INVALID(mmm_multiply(machine, 0, a, 8, b, 4, f, &terms));
    INVALID(mmm_multiply(machine, UINT64_MAX, a, 8, b, 4, f, &terms));
    INVALID(mmm_multiply(machine, 2, a, 8, b, 4, f, &terms)); /* coefficients are not below p */
    INVALID(mmm_multiply(machine, 101, a, -1, b, 4, f, &terms));
    REFUSED(mmm_multiply(machine, 101, a, INT64_MAX, b, 4, f, &terms));
    REFUSED(mmm_multiply(machine, 101, a, 8, b, INT64_MAX, f, &terms));
    WORKS(mmm_multiply(machine, 101, NULL, 0, b, 4, NULL, &terms));
    INVALID(mmm_divide(NULL, 101, a, 8, b, 4, f, &terms, g, &other_terms));
    INVALID(mmm_divide(machine, 101, NULL, 8, b, 4, f, &terms, g, &other_terms));
    INVALID(mmm_divide(machine, 101, a, 8, NULL, 4, f, &terms, g, &other_terms));
    INVALID(mmm_divide(machine, 101, a, 8, b, 4, NULL, &terms, g, &other_terms));
    INVALID(mmm_divide(machine, 101, a, 8, b, 4, f, NULL, g, &other_terms));
    INVALID(mmm_divide(machine, 101, a, 8, b, 4, f, &terms, NULL, &other_terms));
    INVALID(mmm_divide(machine, 101, a, 8, b, 4, f, &terms, g, NULL));
    INVALID(mmm_divide(machine, 101, a, 8, b, 0, f, &terms, g, &other_terms));
    INVALID(mmm_divide(machine, 101, a, INT64_MIN, b, 4, f, &terms, g, &other_terms));
    REFUSED(mmm_divide(machine, 101, a, INT64_MAX, b, 4, f, &terms, g, &other_terms));
    INVALID(mmm_gcd(NULL, 101, a, 8, b, 4, f, &terms));
    INVALID(mmm_gcd(machine, 101, NULL, 8, b, 4, f, &terms));
    INVALID(mmm_gcd(machine, 101, a, 8, NULL, 4, f, &terms));
    INVALID(mmm_gcd(machine, 101, a, 8, b, 4, NULL, &terms));
    INVALID(mmm_gcd(machine, 101, a, 8, b, 4, f, NULL));
    INVALID(mmm_gcd(machine, 101, a, 8, b, -4, f, &terms));
    REFUSED(mmm_gcd(machine, 101, a, 8, b, INT64_MAX, f, &terms));
    WORKS(mmm_gcd(machine, 101, NULL, 0, NULL, 0, NULL, &terms));
    INVALID(mmm_sort_u32(NULL, keys, NULL, 4));
    INVALID(mmm_sort_u32(machine, NULL, NULL, 4));
    INVALID(mmm_sort_u32(machine, keys, NULL, -1));
    REFUSED(mmm_sort_u32(machine, keys, NULL, INT64_MAX));
    INVALID(mmm_sort_u64(NULL, a, b, 4));
    INVALID(mmm_sort_u64(machine, NULL, b, 4));
    INVALID(mmm_sort_u64(machine, a, b, INT64_MIN));
    REFUSED(mmm_sort_u64(machine, a, b, INT64_MAX / 8));
    WORKS(mmm_sort_u64(machine, NULL, NULL, 0));
}

void many_cases(void)
{
    INVALID(mmm_multiply_many(NULL, 101, 2, a, 4, b, 2, f, both_terms));
    INVALID(mmm_multiply_many(machine, 100, 2, a, 4, b, 2, f, both_terms));
    INVALID(mmm_multiply_many(machine, 101, -1, a, 4, b, 2, f, both_terms));
    INVALID(mmm_multiply_many(machine, 101, INT64_MAX, a, 4, b, 2, f, both_terms));
    INVALID(mmm_multiply_many(machine, 101, 2, NULL, 4, b, 2, f, both_terms));
    INVALID(mmm_multiply_many(machine, 101, 2, a, 4, b, -2, f, both_terms));
    INVALID(mmm_multiply_many(machine, 101, 2, a, 4, b, 2, NULL, both_terms));
    INVALID(mmm_multiply_many(machine, 101, 2, a, 4, b, 2, f, NULL));
    WORKS(mmm_multiply_many(machine, 101, 0, NULL, 4, NULL, 2, NULL, NULL));
    WORKS(mmm_multiply_many(machine, 101, 2, NULL, 0, b, 2, NULL, both_terms));
    INVALID(mmm_divide_many(NULL, 101, 2, a, 4, b, 2, f, both_terms, g, other_both));
    INVALID(mmm_divide_many(machine, 101, 2, a, 4, NULL, 2, f, both_terms, g, other_both));
    INVALID(mmm_divide_many(machine, 101, 2, a, 4, b, 0, f, both_terms, g, other_both));
    INVALID(mmm_divide_many(machine, 101, 2, a, 4, b, 2, NULL, both_terms, g, other_both));
    INVALID(mmm_divide_many(machine, 101, 2, a, 4, b, 2, f, both_terms, g, NULL));
    WORKS(mmm_divide_many(machine, 101, 2, NULL, 0, b, 2, NULL, both_terms, g, other_both));
    INVALID(mmm_gcd_many(NULL, 101, 2, a, 4, b, 2, f, both_terms));
    INVALID(mmm_gcd_many(machine, 101, INT64_MIN, a, 4, b, 2, f, both_terms));
    INVALID(mmm_gcd_many(machine, 101, 2, a, 4, b, 2, NULL, both_terms));
    WORKS(mmm_gcd_many(machine, 101, 2, NULL, 0, b, 2, f, both_terms));
    INVALID(mmm_sort_many_u32(NULL, 2, keys, NULL, 2));
    INVALID(mmm_sort_many_u32(machine, -2, keys, NULL, 2));
    INVALID(mmm_sort_many_u32(machine, 2, NULL, NULL, 2));
    INVALID(mmm_sort_many_u64(machine, 2, a, b, -1));
    WORKS(mmm_sort_many_u64(machine, 2, NULL, NULL, 0));
}

void plan_cases(void)
{
    const void *const inputs[] = {a, b}, *const nothing[] = {NULL, NULL};
    void *const outputs[] = {f};
    static mmm_plan *plan;
    mmm_plan *out;
    mmm_job *given;
    INVALID(mmm_plan_multiply(NULL, 101, 4, 2, 1, &out));
    INVALID(mmm_plan_multiply(machine, 101, 4, 2, 1, NULL));
    INVALID(mmm_plan_multiply(machine, 101, 0, 2, 1, &out));
    INVALID(mmm_plan_multiply(machine, 101, 4, 2, INT64_MAX, &out));
    INVALID(mmm_plan_divide(machine, 1, 4, 2, 1, &out));
    INVALID(mmm_plan_gcd(machine, 101, 4, INT64_MAX, 1, &out));
    INVALID(mmm_plan_sort(machine, 4, 33, 0, 1, &out));
    INVALID(mmm_plan_sort(machine, -1, 32, 0, 1, &out));
    INVALID(mmm_plan_take(NULL, machine, &out));
    INVALID((mmm_job_new("gcd-jump", &given), mmm_plan_take(given, NULL, &out)));
    INVALID((mmm_job_new("gcd-jump", &given), mmm_plan_take(given, machine, NULL)));
    if (!plan) assert_ok(mmm_plan_multiply(machine, 101, 4, 2, 1, &plan));
    INVALID(mmm_plan_run(NULL, inputs, outputs, NULL));
    INVALID(mmm_plan_run(plan, NULL, outputs, NULL));
    INVALID(mmm_plan_run(plan, inputs, NULL, NULL));
    INVALID(mmm_plan_run(plan, nothing, outputs, NULL));
    WORKS(mmm_plan_run(plan, inputs, outputs, NULL));
    IS(mmm_plan_room(plan, 0) == 5);
    IS(mmm_plan_room(plan, -1) == 0);
    IS(mmm_plan_room(NULL, 0) == 0);
    IS(mmm_plan_seconds(NULL) == 0);
    DOES(mmm_plan_free(NULL));
    mmm_plan_free(plan);
    plan = NULL;
}

void integer_cases(void)
{
    static fmpz_poly_struct u, v, w, zero;
    static mmm_integer_facts facts;
    if (!u.length) {
        fmpz_poly_set_str(&u, "3  -1 0 1");
        fmpz_poly_set_str(&v, "2  1 1");
    }
    INVALID(mmm_integer_multiply(NULL, &w, &u, &v, &facts));
    INVALID(mmm_integer_multiply(cpu, NULL, &u, &v, &facts));
    INVALID(mmm_integer_multiply(cpu, &w, NULL, &v, &facts));
    INVALID(mmm_integer_multiply(cpu, &w, &u, NULL, &facts));
    WORKS(mmm_integer_multiply(cpu, &w, &u, &v, NULL));
    INVALID(mmm_integer_gcd(NULL, &w, &u, &v, &facts));
    INVALID(mmm_integer_gcd(cpu, NULL, &u, &v, &facts));
    INVALID(mmm_integer_gcd(cpu, &w, NULL, &v, &facts));
    INVALID(mmm_integer_gcd(cpu, &w, &u, NULL, &facts));
    WORKS(mmm_integer_gcd(cpu, &w, &u, &v, NULL));
    INVALID(mmm_integer_divide(NULL, &w, NULL, &u, &v, &facts));
    INVALID(mmm_integer_divide(cpu, NULL, NULL, &u, &v, &facts));
    INVALID(mmm_integer_divide(cpu, &w, NULL, NULL, &v, &facts));
    INVALID(mmm_integer_divide(cpu, &w, NULL, &u, NULL, &facts));
    INVALID(mmm_integer_divide(cpu, &w, NULL, &u, &zero, &facts));
    WORKS(mmm_integer_divide(cpu, &w, NULL, &u, &v, NULL));
    INVALID(mmm_integer_read(no, &w));
    INVALID(mmm_integer_read("/dev/null", NULL));
    REFUSED(mmm_integer_read("/dev/null/a.poly", &w));
    fmpz_poly_struct *rows;
    int64_t row_count;
    INVALID(mmm_integer_read_rows(no, &rows, &row_count));
    INVALID(mmm_integer_read_rows("/dev/null", NULL, &row_count));
    INVALID(mmm_integer_read_rows("/dev/null", &rows, NULL));
    INVALID(mmm_integer_read_rows("/dev/null", &rows, &row_count));
    REFUSED(mmm_integer_read_rows("/dev/null/a.poly", &rows, &row_count));
    mmm_integer_rows_free(NULL, 3);
    INVALID(mmm_integer_write(NULL, "/dev/null"));
    INVALID(mmm_integer_write(&u, no));
    REFUSED(mmm_integer_write(&u, "/dev/null/a.poly"));
    INVALID(mmm_integer_check(NULL, &u, &v, &w, NULL, NULL));
    INVALID(mmm_integer_check("sum", &u, &v, &w, NULL, NULL));
    INVALID(mmm_integer_check("division", &u, &zero, &w, NULL, NULL));
    INVALID(mmm_integer_check("gcd", &u, &v, NULL, NULL, NULL));
    WORKS(mmm_integer_check("gcd", &u, &v, &v, NULL, NULL));
    INVALID(mmm_integer_check_resultant(&u, -1, &v, 1, &w, NULL));
    INVALID(mmm_integer_check_resultant(NULL, 1, &v, 1, &w, NULL));
    INVALID(mmm_integer_check_resultant(&u, 1, NULL, 1, &w, NULL));
    INVALID(mmm_integer_check_resultant(&u, 1, &v, 1, NULL, NULL));
    WORKS(mmm_integer_check_resultant(NULL, 0, &v, 1, &zero, NULL));
    static fmpq_poly_struct half, third, nothing;
    if (!half.length) {
        fmpq_poly_init(&half), fmpq_poly_init(&third), fmpq_poly_init(&nothing);
        fmpq_poly_set_str(&half, "3  -1/2 0 1");
        fmpq_poly_set_str(&third, "2  1 1/3");
    }
    INVALID(mmm_integer_resultant(NULL, &w, &u, 1, &v, 1, &facts));
    INVALID(mmm_integer_resultant(cpu, NULL, &u, 1, &v, 1, &facts));
    INVALID(mmm_integer_resultant(cpu, &w, NULL, 1, &v, 1, &facts));
    INVALID(mmm_integer_resultant(cpu, &w, &u, 1, NULL, 1, &facts));
    INVALID(mmm_integer_resultant(cpu, &w, &u, -1, &v, 1, &facts));
    WORKS(mmm_integer_resultant(cpu, &w, &u, 1, &v, 1, NULL));
    INVALID(mmm_rational_multiply(NULL, &third, &half, &half, &facts));
    INVALID(mmm_rational_multiply(cpu, NULL, &half, &half, &facts));
    INVALID(mmm_rational_multiply(cpu, &third, NULL, &half, &facts));
    INVALID(mmm_rational_multiply(cpu, &third, &half, NULL, &facts));
    INVALID(mmm_rational_gcd(NULL, &third, &half, &half, &facts));
    INVALID(mmm_rational_gcd(cpu, NULL, &half, &half, &facts));
    INVALID(mmm_rational_gcd(cpu, &third, NULL, &half, &facts));
    INVALID(mmm_rational_gcd(cpu, &third, &half, NULL, &facts));
    INVALID(mmm_rational_divide(NULL, &half, &third, &half, &half, &facts));
    INVALID(mmm_rational_divide(cpu, NULL, &third, &half, &half, &facts));
    INVALID(mmm_rational_divide(cpu, &half, NULL, &half, &half, &facts));
    INVALID(mmm_rational_divide(cpu, &half, &half, &half, &half, &facts));
    INVALID(mmm_rational_divide(cpu, &half, &third, NULL, &half, &facts));
    INVALID(mmm_rational_divide(cpu, &half, &third, &half, NULL, &facts));
    INVALID(mmm_rational_divide(cpu, &half, &third, &half, &nothing, &facts));
    WORKS(mmm_rational_multiply(cpu, &nothing, &nothing, &third, NULL));
    IS(!*mmm_proof_name((mmm_proof)LOW));
    IS(!*mmm_proof_name((mmm_proof)HIGH));
}

void engine_cases(void)
{
    static const mmm_engine_plugin empty, old = {.version = -1};
    mmm_engine *out = NULL;
    mmm_engine_place where;
    INVALID(mmm_engine_open(no, "cpu", &out));
    INVALID(mmm_engine_open("starpu", NULL, &out));
    INVALID(mmm_engine_open("starpu", "cpu", NULL));
    INVALID(mmm_engine_open("", "cpu", &out));
    INVALID(mmm_engine_open("../starpu", "cpu", &out));
    INVALID(mmm_engine_open("an-engine-whose-name-is-longer-than-any", "cpu", &out));
    INVALID(mmm_engine_open("none", "cpu", &out));
    INVALID(mmm_engine_new(NULL, "cpu", &out));
    INVALID(mmm_engine_new(&empty, "cpu", &out));
    INVALID(mmm_engine_new(&old, "cpu", &out));
    DOES(mmm_engine_free(NULL));
    IS(mmm_engine_rank(NULL) == -1);
    IS(mmm_engine_ranks(NULL) == -1);
    IS(mmm_engine_workers(NULL) == -1);
    INVALID(mmm_engine_worker(NULL, 0, &where));
    INVALID(mmm_engine_serve(NULL));
    INVALID(mmm_machine_engage(NULL, NULL));
    WORKS(mmm_machine_engage(cpu, NULL));
    INVALID(mmm_tune_kinds(NULL, "gcd", NULL, NULL, NULL, NULL));
}

void array_cases(void)
{
    mmm_array *out, *rest;
    INVALID(mmm_array_wrap(NULL, 101, keys, 4, &out));
    INVALID(mmm_array_wrap(machine, 101, NULL, 4, &out));
    INVALID(mmm_array_wrap(machine, 100, keys, 4, &out));
    INVALID(mmm_array_wrap(machine, 101, keys, -4, &out));
    INVALID(mmm_array_wrap(machine, 101, keys, 4, NULL));
    IS(mmm_array_memory(NULL) == NULL);
    INVALID(mmm_array_new(NULL, 101, a, 8, &out));
    INVALID(mmm_array_new(machine, 101, NULL, 8, &out));
    INVALID(mmm_array_new(machine, 101, a, 8, NULL));
    INVALID(mmm_array_new(machine, 4, a, 8, &out));
    INVALID(mmm_array_new(machine, 101, a, -8, &out));
    REFUSED(mmm_array_new(machine, 101, a, INT64_MAX, &out));
    DOES(mmm_array_free(NULL));
    IS(mmm_array_terms(NULL) == 0);
    INVALID(mmm_array_read(NULL, f));
    INVALID(mmm_array_read(x, NULL));
    INVALID(mmm_array_multiply(NULL, y, &out));
    INVALID(mmm_array_multiply(x, NULL, &out));
    INVALID(mmm_array_multiply(x, y, NULL));
    INVALID(mmm_array_divide(NULL, y, &out, &rest));
    INVALID(mmm_array_divide(x, NULL, &out, &rest));
    INVALID(mmm_array_divide(x, y, NULL, &rest));
    INVALID(mmm_array_divide(x, y, &out, NULL));
    INVALID(mmm_array_gcd(NULL, y, &out));
    INVALID(mmm_array_gcd(x, NULL, &out));
    INVALID(mmm_array_gcd(x, y, NULL));
    WORKS(mmm_array_gcd(x, x, &out));
}
