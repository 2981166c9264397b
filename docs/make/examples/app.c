/* SPDX-License-Identifier: Apache-2.0 */
/* Examples of mmm/app.h: an application that is linked to a program, whose kernel is one of the library's. */
#include "example.h"

#include <mmm/app.h>
#include <mmm/apps/division.h>
#include <mmm/model.h>

/* mmm_job_default mmm_job_length mmm_job_modulus mmm_memory_available mmm_fail */
enum { A, B }; /* inputs */

static mmm_status settle(mmm_job *job)
{
    int64_t n = mmm_job_length(job, A), m = mmm_job_length(job, B);
    mmm_job_default(job, "s", n < 64 ? 4 : 32); /* unless somebody set it */
    if (n < m)
        return mmm_fail(MMM_INVALID, "a has %lld terms, b %lld: a must not be shorter", (long long)n, (long long)m);
    if ((uint64_t)(n + m) * (uint64_t)mmm_job_modulus(job)->bits / 8 > mmm_memory_available())
        return mmm_fail(MMM_TOO_LARGE, "a and b do not fit into memory");
    return MMM_OK;
}

/* mmm_job_add_input mmm_job_add_array mmm_job_set_output mmm_job_set_output_else mmm_job_set_output_degrees
 * mmm_job_lead mmm_job_inverse mmm_job_residue mmm_job_moduli */
enum { REST, DIVISOR, QUOTIENT, DEGREES }; /* arrays, in the order in which they are added */

/* One step of Euclid's algorithm: the remainder of a by b, and where that is 0, b. */
static mmm_status build(mmm_job *job, mmm_program *program)
{
    int64_t n = mmm_job_length(job, A), m = mmm_job_length(job, B), s = mmm_job_get(job, "s"), left = n - m + 1;
    mmm_word_array a, b, q;
    mmm_i32_array degrees;
    if (mmm_job_moduli(job) > 1) return mmm_fail(MMM_INVALID, "one modulus for all problems is needed");
    MMM_TRY(
        mmm_job_input(job, A, 0, n, MMM_IN | MMM_RESULT, &a)); /* calls mmm_job_add_input: a is its terms, from 0 on */
    MMM_TRY(mmm_job_input(job, B, 0, m, MMM_IN | MMM_RESULT, &b));
    MMM_TRY(mmm_job_array(job, "q", left, MMM_WORK, &q)); /* calls mmm_job_add_array */
    MMM_TRY(mmm_job_array(job, "degrees", 2, MMM_IN_OUT, &degrees));
    MMM_TRY(mmm_job_output(job, 0, a, 0, n));                 /* calls mmm_job_set_output */
    MMM_TRY(mmm_job_set_output_else(job, 0, b.number, 0, m)); /* where that is 0 */
    MMM_TRY(mmm_job_output_degrees(job, 0, degrees, 0));      /* calls mmm_job_set_output_degrees */
    uint64_t inverse = mmm_job_residue(job, mmm_job_inverse(job, mmm_job_lead(job, B))); /* an argument of the kernel */
    for (int64_t i = n - 1; left > 0; i -= s, left -= s)
        MMM_TRY(launch_division(program, (m + 2 * s - 1) / (2 * s), 3 * s, a, b, q, i, m - 1, left < s ? left : s,
                                inverse, s));
    return MMM_OK;
}

/* mmm_job_memory mmm_job_sketch mmm_job_shrunk */
static mmm_status load(mmm_job *job)
{
    /* It is only counted, itself or to tell of a larger one, and no cost depends on degrees. */
    if (mmm_job_sketch(job) || mmm_job_shrunk(job)) return MMM_OK;
    int32_t *degrees = mmm_job_memory(job, DEGREES);  /* what a run finds in that array */
    degrees[0] = (int32_t)mmm_job_length(job, B) - 2; /* above it is nothing of the remainder */
    degrees[1] = (int32_t)mmm_job_length(job, B) - 1;
    return MMM_OK;
}

/* mmm_job_random */
static mmm_status draw(mmm_job *job, int input, void *elements, int64_t count)
{
    uint64_t *x = elements, p = mmm_job_modulus(job)->p;
    (void)input;
    for (int64_t i = 0; i < count; i++)
        x[i] = mmm_job_random(job) % p;
    x[count - 1] = 1; /* monic */
    return MMM_OK;
}

/* mmm_job_given mmm_now */
static mmm_status check(const mmm_job *job, double *seconds)
{
    int64_t n, m, terms;
    const uint64_t *a = mmm_job_given(job, A, &n), *b = mmm_job_given(job, B, &m), *r = mmm_job_result(job, 0, &terms);
    uint64_t p = mmm_job_modulus(job)->p, rest[64], inverse = mmm_job_inverse(job, b[m - 1]), any = 0;
    if (n > 64) return MMM_OK; /* small ones only, by a plain loop */
    double start = mmm_now();
    memcpy(rest, a, (size_t)n * sizeof *a);
    for (int64_t i = n - 1; i >= m - 1; i--) {
        uint64_t q = rest[i] * inverse % p;
        for (int64_t j = 0; j < m; j++)
            rest[i - m + 1 + j] = (rest[i - m + 1 + j] + (p - q) * b[j]) % p;
    }
    *seconds = mmm_now() - start;
    for (int64_t i = 0; i < m - 1; i++)
        any |= rest[i];
    const uint64_t *expected = any ? rest : b;
    for (int64_t i = 0; i < terms; i++)
        if (r[i] != expected[i]) return mmm_fail(MMM_WRONG, "coefficient %lld differs", (long long)i);
    return MMM_OK;
}

/* mmm_app_register mmm_app_choices mmm_app_parameter mmm_app_role */
static const mmm_app step = {
    .name = "euclidean-step",
    .summary = "the remainder of a by b, or b where it is 0",
    .oracle = "a plain loop",
    .parameters = {{"n", "the number of terms of a", MMM_SIZE, 1, 1 << 28, 60},
                   {"m", "the number of terms of b", MMM_SIZE, 1, 1 << 28, 40},
                   {"s", "the number of division steps of a kernel", MMM_CHOICE, 1, 1024, 32},
                   {"p", "the prime modulus", MMM_MODULUS, 2, INT32_MAX, 101},
                   {"seed", "the seed of random inputs", MMM_SEED, 0, INT64_MAX, 1}},
    .constraints = "7*s <= Z; 3*s <= threads",
    .inputs = {{"a", MMM_POLYNOMIAL, "n"}, {"b", MMM_POLYNOMIAL, "m"}},
    .outputs = {{"r", MMM_POLYNOMIAL, "n"}},
    .settle = settle,
    .build = build,
    .load = load,
    .draw = draw,
    .check = check,
};

static void one_step(mmm_machine *machine)
{
    int choices[MMM_CHOICES_MOST];
    must(mmm_app_register(&step)); /* its name is known from here on */
    assert(mmm_app_choices(&step, choices) == 1 && choices[0] == 2);
    assert(mmm_app_parameter(&step, "s") == 2 && mmm_app_parameter(&step, "t") == -1);
    assert(mmm_app_role(&step, MMM_MODULUS) == 3);

    mmm_job *job;
    must(mmm_job_new("euclidean-step", &job));
    must(mmm_job_run(job, machine, NULL)); /* on what `draw` draws */
    must(mmm_job_check(job));
    must(mmm_job_polynomial(job, A, P, (uint64_t[]){2, 3, 1}, 3));
    must(mmm_job_polynomial(job, B, P, (uint64_t[]){1, 1}, 2));
    must(mmm_job_run(job, machine, NULL));
    int64_t terms;
    const uint64_t *r = mmm_job_result(job, 0, &terms);
    assert(terms == 2 && r[0] == 1 && r[1] == 1); /* x + 1 divides x^2 + 3x + 2 */
    mmm_job_free(job);
}

/* mmm_program_code mmm_program_argument */
static void what_was_launched(void)
{
    mmm_job *job;
    must(mmm_job_new("euclidean-step", &job));
    must(mmm_job_set(job, "s", 8));
    must(mmm_job_prepare(job));
    const mmm_program *program = mmm_job_program(job);
    const mmm_kernel *code = mmm_program_code(program, 0);
    assert(strcmp(code->name, "division") == 0 && strcmp(code->parameters[7].name, "s") == 0);
    assert(mmm_program_argument(program, 0, 7).integer == 8);
    mmm_job_free(job);
}

/* mmm_oracle_multiply mmm_oracle_divide mmm_oracle_gcd mmm_oracle_sort */
static void oracles(mmm_machine *machine)
{
    static const struct {
        const char *app;
        mmm_status (*check)(const mmm_job *job, double *seconds); /* as in the record of an application */
    } each[] = {{"multiplication", mmm_oracle_multiply},
                {"division", mmm_oracle_divide},
                {"gcd", mmm_oracle_gcd},
                {"radix-sort", mmm_oracle_sort}};
    for (int i = 0; i < 4; i++) {
        mmm_job *job;
        double seconds;
        must(mmm_job_new(each[i].app, &job));
        must(mmm_job_set(job, "n", 300));
        must(mmm_job_run(job, machine, NULL));
        must(each[i].check(job, &seconds)); /* MMM_WRONG where FLINT, or the C library, has another result */
        mmm_job_free(job);
    }
}

/* end */
int main(void)
{
    mmm_machine *machine;
    must(mmm_machine_open("cpu", &machine));
    one_step(machine);
    what_was_launched();
    oracles(machine);
    mmm_machine_free(machine);
    return 0;
}
