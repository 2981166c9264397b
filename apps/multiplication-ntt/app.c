/* SPDX-License-Identifier: Apache-2.0 */
/* Polynomial multiplication by number-theoretic transforms, modulo any prime. */
#include <mmm/app.h>

#include "kernels.h"
#define TRANSFORMS_OF_THIS_FOLDER
#include "transforms.h"

#include <string.h>

enum { A, B }; /* inputs */

/* Slices that cost least, as butterflies: three transforms, of which that of b is shared. */
static int64_t slice_of(int64_t n, int64_t m)
{
    double best = 0;
    int64_t slice = 0;
    for (int64_t count = 1; count <= n; count *= 2) {
        int64_t each = (n + count - 1) / count;
        int k, Q;
        size_of(each + m - 1, &k, &Q);
        double cost = (double)Q * (double)((int64_t)1 << k) * (k + 6) * (2 * (double)count + 1);
        if (k <= LONGEST && (slice == 0 || cost < best)) {
            best = cost;
            slice = each;
        }
        if (each < m) break;
    }
    return slice;
}

/* How a product is made: the longer operand, of n words, in slices of `slice_a` and the other of `slice_b`. */
typedef struct plan {
    int64_t n, m, slice_a, slice_b;
    bool square, swapped; /* swapped: b is longer than a */
} plan;

static plan plan_of(const mmm_job *job)
{
    int64_t n = mmm_job_length(job, A), m = mmm_job_length(job, B), half = (int64_t)4 << LONGEST;
    plan x = {.n = n < m ? m : n, .m = n < m ? n : m, .square = mmm_job_get(job, "square"), .swapped = n < m};
    x.slice_b = x.m > half ? half : x.m;
    x.slice_a = x.n;
    if (x.n + x.slice_b - 1 > 8 << LONGEST || x.n > 2 * x.slice_b) x.slice_a = slice_of(x.n, x.slice_b);
    if (x.slice_a < x.n || x.slice_b < x.m) x.square = false;
    return x;
}

static mmm_status build(mmm_job *job, mmm_program *program)
{
    mmm_word_array a, b, f;
    mmm_u32_array fa, fb;
    transforms z = {.program = program,
                    .s = (int)mmm_job_get(job, "s"),
                    .c = mmm_job_get(job, "c"),
                    .large = wants_large(job),
                    .shared = true};
    int64_t n = mmm_job_length(job, A), m = mmm_job_length(job, B);
    MMM_TRY(mmm_job_input(job, A, 0, n, MMM_IN, &a));
    MMM_TRY(mmm_job_input(job, B, 0, m, MMM_IN, &b));
    const plan x = n && m ? plan_of(job) : (plan){0};
    const bool many = x.slice_a < x.n || x.slice_b < x.m; /* products that are added */
    MMM_TRY(mmm_job_array(job, "f", n && m ? n + m - 1 : 0, many ? MMM_ZERO : MMM_WORK, &f));
    MMM_TRY(mmm_job_output(job, 0, f, 0, n && m ? n + m - 1 : 0));
    if (n == 0 || m == 0) return MMM_OK;
    const int size = transforms_size(&z, x.slice_a + x.slice_b - 1);
    MMM_TRY(transforms_arrays(&z, job, x.slice_a < x.slice_b ? x.slice_a : x.slice_b));
    int64_t words = z.primes * words_of(&z.sizes[size]);
    MMM_TRY(transforms_array(&z, job, "fa", words, &fa));
    MMM_TRY(transforms_array(&z, job, "fb", x.square ? 0 : words, &fb));
    n = x.n;
    m = x.m;
    for (int64_t j = 0; j < m; j += x.slice_b) {
        int64_t terms_b = m - j < x.slice_b ? m - j : x.slice_b;
        int before = mmm_program_kernels(program);
        if (!x.square) MMM_TRY(transforms_forward(&z, size, x.swapped ? a : b, j, terms_b, fb));
        for (int64_t i = 0; i < n; i += x.slice_a) {
            int64_t terms_a = n - i < x.slice_a ? n - i : x.slice_a;
            MMM_TRY(transforms_forward(&z, size, x.swapped ? b : a, i, terms_a, fa));
            MMM_TRY(transforms_multiply(&z, size, fa, x.square ? fa : fb, f, i + j, terms_a + terms_b - 1, many));
            MMM_TRY(transforms_share(&z, size, before));
            before = mmm_program_kernels(program);
        }
    }
    return transforms_fill(&z, job);
}

/* A square has two equal inputs. */
static mmm_status draw(mmm_job *job, int input, void *elements, int64_t count)
{
    uint64_t *a = elements, p = mmm_job_modulus(job)->p;
    if (input == B && mmm_job_get(job, "square"))
        memcpy(a, mmm_job_given(job, A, NULL), (size_t)count * sizeof *a);
    else
        for (int64_t i = 0; i < count; i++)
            a[i] = i == count - 1 ? 1 + mmm_job_random(job) % (p - 1) : mmm_job_random(job) % p;
    return MMM_OK;
}

static mmm_status settle(mmm_job *job)
{
    int64_t n, m;
    const uint64_t *a = mmm_job_given(job, A, &n), *b = mmm_job_given(job, B, &m);
    if (mmm_job_get(job, "square") && a && b && (n != m || memcmp(a, b, (size_t)n * sizeof *a) != 0))
        return mmm_fail(MMM_INVALID, "square=1, but b is not a");
    return MMM_OK;
}

MMM_APPLICATION = {
    .name = "multiplication-ntt",
    .summary = "polynomial multiplication by number-theoretic transforms, s levels of butterflies a kernel",
    .oracle = "FLINT",
    .parameters = {{"n", "the number of terms of a", MMM_SIZE, 1, 1 << 28, 4096},
                   {"m", "the number of terms of b", MMM_SIZE, 1, 1 << 28, 4096},
                   {"s", "the number of levels of a kernel", MMM_CHOICE, 1, 12, 8, "4-12", "max(s, 4)"},
                   {"c", "the number of neighbouring columns of a block", MMM_CHOICE, 1, 1 << 10, 16, "4-64:*2", NULL},
                   {"square", "1: b is a", MMM_OTHER, 0, 1, 0},
                   {"large", "1: primes below 2^48 where words have 64 bits, not below 2^31", MMM_OTHER, 0, 1, 0},
                   {"p", "the prime modulus", MMM_MODULUS, 2, INT64_MAX, 2013265921},
                   {"seed", "the seed of random inputs", MMM_SEED, 0, INT64_MAX, 1}},
    .constraints = "is_power_of_2(c); n = m or square = 0",
    .oblivious = "*",
    .inputs = {{"a", MMM_POLYNOMIAL, "n"}, {"b", MMM_POLYNOMIAL, "m"}},
    .outputs = {{"f", MMM_POLYNOMIAL, "n + m - 1", .leads = 1}},
    .calibration = {"n=1000 m=900 s=6,8,12 c=16,32", "n=4000 m=3000 s=6,8,12 c=16,32", "n=20000 m=9000 s=6,8 c=16,32"},
    .draw = draw,
    .settle = settle,
    .build = build,
    .check = mmm_oracle_multiply,
};
