/* SPDX-License-Identifier: Apache-2.0 */
/* Products modulo x^n - 1 (cyclic) or x^n + 1 (negacyclic) of many pairs of polynomials, modulo any prime. */
#include "kernels.h"
#include "transforms.h"

enum { A, B, SHORT = 128 }; /* inputs; words of polynomials that are multiplied without transforms */

static mmm_status build(mmm_job *job, mmm_program *program)
{
    int64_t n = mmm_job_get(job, "n"), batch = mmm_job_get(job, "batch"), words = n * batch;
    transforms z = {.program = program,
                    .s = (int)mmm_job_get(job, "s"),
                    .c = mmm_job_get(job, "c"),
                    .large = wants_large(job),
                    .negative = mmm_job_get(job, "negacyclic")};
    mmm_word_array a, b, f;
    mmm_u32_array fa, fb;
    MMM_TRY(mmm_job_input(job, A, 0, words, MMM_IN, &a));
    MMM_TRY(mmm_job_input(job, B, 0, words, MMM_IN, &b));
    MMM_TRY(mmm_job_array(job, "f", words, MMM_WORK, &f));
    MMM_TRY(mmm_job_output(job, 0, f, 0, words));
    if (n <= SHORT) return launch_short_products(program, batch, n, a, b, f, z.negative, n);
    const int size = transforms_add(&z, log2_of(n) - 3, 8);
    MMM_TRY(transforms_arrays(&z, job, n));
    MMM_TRY(transforms_array(&z, job, "fa", z.primes * words, &fa));
    MMM_TRY(transforms_array(&z, job, "fb", z.primes * words, &fb));
    MMM_TRY(transforms_begin(&z, size, (operands){b, 0, n, n, (int)batch}, 0, fb));
    MMM_TRY(transforms_begin(&z, size, (operands){a, 0, n, n, (int)batch}, 0, fa));
    MMM_TRY(transforms_products(&z, size, fa, fb, (operands){f, 0, n, n, (int)batch}, false));
    return transforms_fill(&z, job);
}

/* Coefficients one by one; all of them where they are not too many. */
static mmm_status check(const mmm_job *job, double *seconds)
{
    int64_t n = mmm_job_get(job, "n"), batch = mmm_job_get(job, "batch"), each = n * n * batch / (1 << 26) + 1;
    bool negative = mmm_job_get(job, "negacyclic");
    uint64_t p = mmm_job_modulus(job)->p;
    const uint64_t *a = mmm_job_given(job, A, NULL), *b = mmm_job_given(job, B, NULL);
    const uint64_t *f = mmm_job_result(job, 0, NULL);
    double start = mmm_now();
    for (int64_t i = 0; i < n * batch; i += each) {
        int64_t first = i / n * n, at = i - first;
        uint64_t sum = 0;
        for (int64_t j = 0; j < n; j++) {
            uint64_t x = product(a[first + j], b[first + ((at - j) & (n - 1))], p);
            if (negative && j > at) x = x ? p - x : 0;
            sum = (uint64_t)(((unsigned __int128)sum + x) % p);
        }
        if (f[i] != sum)
            return mmm_fail(MMM_WRONG, "coefficient %lld of product %lld is %llu, by its definition it is %llu",
                            (long long)at, (long long)(i / n), (unsigned long long)f[i], (unsigned long long)sum);
    }
    *seconds = mmm_now() - start;
    return MMM_OK;
}

MMM_APPLICATION = {
    .name = "multiplication-ring",
    .summary = "products modulo x^n - 1 or x^n + 1 of many pairs of polynomials, by transforms",
    .oracle = "a plain loop",
    .parameters = {{"n", "the number of words of a polynomial, a power of two", MMM_SIZE, 1, 1 << 24, 4096},
                   {"batch", "the number of products", MMM_SIZE, 1, 1 << 20, 1},
                   {"s", "the number of levels of a kernel", MMM_CHOICE, 1, 12, 8, "4-12", "max(s, 4)"},
                   {"c", "the number of neighbouring columns of a block", MMM_CHOICE, 1, 1 << 10, 16, "4-64:*2", NULL},
                   {"negacyclic", "0: modulo x^n - 1, 1: modulo x^n + 1", MMM_OTHER, 0, 1, 0},
                   {"large", "1: primes below 2^48 where words have 64 bits, not below 2^31", MMM_OTHER, 0, 1, 0},
                   {"p", "the prime modulus", MMM_MODULUS, 2, INT64_MAX, 2013265921},
                   {"seed", "the seed of random inputs", MMM_SEED, 0, INT64_MAX, 1}},
    .constraints = "is_power_of_2(n); is_power_of_2(c); n*batch <= 2^26",
    .oblivious = "*",
    .inputs = {{"a", MMM_WORD, "batch, n"}, {"b", MMM_WORD, "batch, n"}},
    .outputs = {{"f", MMM_WORD, "batch, n"}},
    .calibration = {"n=1024 batch=4 s=6,8,12 c=16,32", "n=4096 s=6,8,12 c=16,32", "n=16384 s=6,8 c=16,32"},
    .build = build,
    .check = check,
};
