/* SPDX-License-Identifier: Apache-2.0 */
/* The Euclidean algorithm (section 6): g = gcd(a, b), monic, naive and optimised.
 *
 * The number of kernels: a step lowers deg a + deg b, n + m - 2 at first, by one (see the kernels).  So after n + m - 2
 * steps one of the two is negative, its polynomial 0 and the other the gcd; or both are 0, and the gcd of constants,
 * not both 0, is 1. */
#include "job/job.h"

#include <flint/ulong_extras.h>
#include <string.h>

enum { A, B, NEXT_A, NEXT_B, DEGREE, Q }; /* the arrays; the naive kernel has no NEXT_..., DEGREE is 2 there */
enum { NAIVE_DEGREE = 2 };

/* The input with more terms, which takes the place of a, and the other. */
static const mmm_polynomial *larger(const mmm_job *job)
{
    return &job->inputs[job->inputs[0].terms < job->inputs[1].terms];
}

static const mmm_polynomial *smaller(const mmm_job *job)
{
    return &job->inputs[job->inputs[0].terms >= job->inputs[1].terms];
}

static mmm_status build_naive(mmm_job *job)
{
    mmm_status result = MMM_OK;
    int64_t n = larger(job)->terms, m = smaller(job)->terms, l = mmm_job_get(job, "l");
    int64_t steps = m ? n + m - 2 : 0;
    int array;
    TRY(mmm_job_array(job, "a", n, MMM_IN_OUT, &array));
    TRY(mmm_job_array(job, "b", m, MMM_IN_OUT, &array));
    TRY(mmm_job_integers(job, "degree", steps + 1, MMM_IN_OUT, &array));
    for (int64_t i = 0; i < steps; i++) {
        int64_t degrees = steps - i, lower = degrees / 2 < m - 1 ? degrees / 2 : m - 1; /* the lower is at most this */
        const mmm_argument arguments[] = {
            {MMM_ARRAY, A},
            {MMM_ARRAY, B},
            {MMM_ARRAY, NAIVE_DEGREE},
            {MMM_INTEGER, (uint64_t)i},
            {MMM_INTEGER, (uint64_t)degrees},
        };
        TRY(mmm_job_chain(job, &mmm_kernel_naive_gcd, lower / l + 1, l, 1, arguments, 5));
    }
done:
    return result;
}

/* The first steps of the optimised algorithm, as long as s of them are left in the division of a by b: they are those
 * of the division kernel, which needs half as many blocks and leaves b alone. */
static int64_t division_steps(const mmm_job *job)
{
    int64_t n = larger(job)->terms, m = smaller(job)->terms, s = mmm_job_get(job, "s");
    return m ? (n - m + 1) / s * s : 0;
}

static mmm_status build_division(mmm_job *job)
{
    mmm_status result = MMM_OK;
    const mmm_polynomial *b = smaller(job);
    int64_t n = larger(job)->terms, m = b->terms, s = mmm_job_get(job, "s"), steps = division_steps(job);
    if (steps == 0) goto done;
    uint64_t inverse = mmm_modulus_enter(&job->modulus, n_invmod(mmm_polynomial_lead(b), b->p));
    for (int64_t i = 0; i < steps; i += s) {
        const mmm_argument arguments[] = {
            {MMM_ARRAY, A},
            {MMM_ARRAY, B},
            {MMM_ARRAY, Q},
            {MMM_INTEGER, (uint64_t)(n - 1 - i)},
            {MMM_INTEGER, (uint64_t)m - 1},
            {MMM_INTEGER, (uint64_t)s},
            {MMM_WORD, inverse},
            {MMM_CONSTANT, (uint64_t)s},
        };
        TRY(mmm_job_chain(job, &mmm_kernel_division, (m + 2 * s - 1) / (2 * s), 3 * s, 7 * s, arguments, 8));
    }
done:
    return result;
}

/* deg a + deg b at the first call of the gcd kernel, and the number of calls. */
static int64_t degrees_left(const mmm_job *job)
{
    return larger(job)->terms + smaller(job)->terms - 2 - division_steps(job);
}

static int64_t calls(const mmm_job *job)
{
    int64_t degrees = degrees_left(job), s = mmm_job_get(job, "s");
    return smaller(job)->terms && degrees > 0 ? (degrees + s - 1) / s : 0;
}

static mmm_status build_optimised(mmm_job *job)
{
    mmm_status result = MMM_OK;
    int64_t n = larger(job)->terms, m = smaller(job)->terms, s = mmm_job_get(job, "s");
    int64_t divided = division_steps(job);
    int array;
    TRY(mmm_job_array(job, "a", n, MMM_IN_OUT, &array));
    TRY(mmm_job_array(job, "b", m, MMM_IN_OUT, &array));
    TRY(mmm_job_array(job, "next_a", n - divided, MMM_OUT, &array));
    TRY(mmm_job_array(job, "next_b", m, MMM_OUT, &array));
    TRY(mmm_job_integers(job, "degree", calls(job) + 1, MMM_IN_OUT, &array));
    TRY(mmm_job_array(job, "q", m ? n - m + 1 : 0, MMM_WORK, &array));
    TRY(build_division(job));
    for (int64_t i = 0; i < calls(job); i++) {
        /* Terms of the longer polynomial, where degrees differ by at most one once the division is done. */
        int64_t degrees = degrees_left(job) - s * i, terms = (degrees + 1) / 2 + 1;
        if (i == 0) terms = n - divided > m ? n - divided : m;
        int64_t blocks = (terms + s - 1) / s;
        bool odd = i % 2;
        const mmm_argument arguments[] = {
            {MMM_ARRAY, odd ? NEXT_A : A},
            {MMM_ARRAY, odd ? NEXT_B : B},
            {MMM_ARRAY, odd ? A : NEXT_A},
            {MMM_ARRAY, odd ? B : NEXT_B},
            {MMM_ARRAY, DEGREE},
            {MMM_INTEGER, (uint64_t)i},
            {MMM_INTEGER, (uint64_t)degrees},
            {MMM_INTEGER, (uint64_t)blocks},
            {MMM_CONSTANT, (uint64_t)s},
        };
        TRY(mmm_job_chain(job, &mmm_kernel_gcd, blocks, 3 * s, 6 * s, arguments, 9));
    }
done:
    return result;
}

/* Where s passes the shorter polynomial there is one block; and a block has l of its coefficients. */
static int64_t most_s(const mmm_job *job)
{
    int64_t n = mmm_job_get(job, "n"), m = mmm_job_get(job, "m");
    return n < m ? n : m;
}

static void load_degree(mmm_job *job, int array, int64_t degree)
{
    int32_t *degrees = job->arrays[array];
    degrees[0] = (int32_t)degree;
}

static mmm_status load_inputs(mmm_job *job)
{
    mmm_status result = MMM_OK;
    TRY(mmm_job_put(job, A, larger(job)));
    TRY(mmm_job_put(job, B, smaller(job)));
done:
    return result;
}

static mmm_status load_naive(mmm_job *job)
{
    load_degree(job, NAIVE_DEGREE, larger(job)->terms - 1);
    return load_inputs(job);
}

static mmm_status load_optimised(mmm_job *job)
{
    load_degree(job, DEGREE, larger(job)->terms - 1 - division_steps(job));
    return load_inputs(job);
}

/* deg a in the middle of a run on polynomials of which nothing is known: the degrees are as close as they can be. */
static void sample_naive(mmm_job *job, int kernel)
{
    int64_t n = larger(job)->terms, m = smaller(job)->terms;
    int32_t *degrees = job->arrays[NAIVE_DEGREE];
    degrees[kernel] = (int32_t)(kernel <= n - m ? n - 1 - kernel : (n + m - 1 - kernel) / 2);
}

static void sample_optimised(mmm_job *job, int kernel)
{
    size_t bytes = (size_t)(job->program->word_bits / 8);
    int64_t s = mmm_job_get(job, "s"), n = larger(job)->terms, divided = division_steps(job);
    int64_t i = kernel - divided / s;
    int32_t *degrees = job->arrays[DEGREE];
    if (i < 0) return;
    memcpy(job->arrays[NEXT_A], job->arrays[A], (size_t)(n - divided) * bytes);
    memcpy(job->arrays[NEXT_B], job->arrays[B], (size_t)smaller(job)->terms * bytes);
    degrees[i] = (int32_t)(i == 0 ? n - 1 - divided : (degrees_left(job) - s * i + 1) / 2);
}

static mmm_status make_monic(mmm_polynomial *g)
{
    nmod_t modulus;
    if (g->array) return mmm_array_make_monic(g->array);
    if (g->terms == 0) return MMM_OK;
    nmod_init(&modulus, g->p);
    uint64_t inverse = n_invmod(mmm_polynomial_lead(g), g->p);
    for (int64_t i = 0; i < g->terms; i++)
        g->coefficients[i] = nmod_mul(g->coefficients[i], inverse, modulus);
    return MMM_OK;
}

/* The gcd of what the steps left, in arrays `a` and `b`: one of them is 0, or both are constants. */
static mmm_status take_gcd(mmm_job *job, int a, int64_t degree_a, int b, int64_t degree_b)
{
    mmm_status result = MMM_OK;
    mmm_polynomial rest = {0}, *g = &job->outputs[0];
    TRY(mmm_job_get_polynomial(job, a, degree_a < 0 ? 0 : degree_a + 1, g));
    TRY(mmm_job_get_polynomial(job, b, degree_b < 0 ? 0 : degree_b + 1, &rest));
    if (g->terms == 0) {
        mmm_polynomial other = *g;
        *g = rest;
        rest = other;
    }
    TRY(make_monic(g));
done:
    mmm_polynomial_clear(&rest);
    return result;
}

static mmm_status finish_naive(mmm_job *job)
{
    int64_t n = larger(job)->terms, m = smaller(job)->terms, steps = m ? n + m - 2 : 0;
    const int32_t *degree = job->arrays[NAIVE_DEGREE];
    int64_t left = n + m - 2;
    for (int64_t i = 0;; i++, left--) /* the degrees stay as they were when one became negative */
        if (i == steps || degree[i] < 0 || left < degree[i]) return take_gcd(job, A, degree[i], B, left - degree[i]);
}

static mmm_status finish_optimised(mmm_job *job)
{
    const int32_t *degree = job->arrays[DEGREE];
    int64_t s = mmm_job_get(job, "s"), left = degrees_left(job), most = calls(job);
    for (int64_t i = 0;; i++, left -= s) /* call i found it done, and did nothing */
        if (i == most || degree[i] < 0 || left < degree[i])
            return take_gcd(job, i % 2 ? NEXT_A : A, degree[i], i % 2 ? NEXT_B : B, left - degree[i]);
}

static mmm_status check(const mmm_job *job, double *seconds)
{
    nmod_poly_t a, b;
    mmm_polynomial_to_flint(a, &job->inputs[0]);
    mmm_polynomial_to_flint(b, &job->inputs[1]);
    double start = mmm_now();
    nmod_poly_gcd(a, a, b);
    *seconds = mmm_now() - start;
    mmm_status result = mmm_polynomial_compare("g", &job->outputs[0], a);
    nmod_poly_clear(a);
    nmod_poly_clear(b);
    return result;
}

static const char *const inputs[] = {"a", "b", NULL}, *const outputs[] = {"g", NULL};

static const mmm_app_parameter naive_parameters[] = {
    PARAMETER_N_M, {"l", "the number of threads of a block", 1, 1 << 20, 256}, PARAMETER_P_SEED, {0}};
static const mmm_app_parameter parameters[] = {
    PARAMETER_N_M, {"s", "the number of division steps of a kernel", 1, 1 << 20, 128}, PARAMETER_P_SEED, {0}};

const mmm_app_type mmm_app_gcd_naive = {
    .app = {.name = "gcd-naive",
            .summary = "greatest common divisor of polynomials, one division step a kernel",
            .section = "6.1",
            .oracle = "FLINT",
            .formula = "gcd",
            .parameters = naive_parameters,
            .inputs = inputs,
            .outputs = outputs},
    .format = &mmm_format_polynomials,
    .build = build_naive,
    .most_l = most_s,
    .load = load_naive,
    .sample = sample_naive,
    .finish = finish_naive,
    .check = check,
};

const mmm_app_type mmm_app_gcd = {
    .app = {.name = "gcd",
            .summary = "greatest common divisor of polynomials, s division steps a kernel",
            .section = "6.2",
            .oracle = "FLINT",
            .formula = "gcd",
            .parameters = parameters,
            .inputs = inputs,
            .outputs = outputs},
    .format = &mmm_format_polynomials,
    .build = build_optimised,
    .most_s = most_s,
    .load = load_optimised,
    .sample = sample_optimised,
    .finish = finish_optimised,
    .check = check,
};
