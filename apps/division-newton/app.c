/* SPDX-License-Identifier: Apache-2.0 */
/* Polynomial division by the inverse series of b with products by transforms: a = q b + r with deg r < deg b.
 *
 * With polynomials as series, leading coefficient first, q is the first terms of a / b.  With k terms g of 1 / b, b g
 * is 1 + e z^k: as its first k terms are known, a cyclic product of 2 k words has e, and -e g are the next k terms
 * (Newton's iteration).  The last doubling is done to q itself (Karp and Markstein): h terms g give h terms q of a / b,
 * and the next h are those of (a - b q) g / z^h.  The remainder has fewer terms than b: a cyclic product of as many
 * words has it.
 *
 * Many quotients come in slices of w at most, from as many terms of 1 / b.  A few more than a power of two are not
 * worth a larger transform: these come first, without transforms. */
#include "transforms.h"

#include <mmm/apps/division-inverse.h>

#include "kernels.h"

enum { A, B };              /* inputs */
enum { Q, R };              /* outputs */
enum { SET, SUBTRACT = 2 }; /* as in division-inverse */
/* Most terms of 1 / b that come directly, and by plain products; threads and words of a thread of those; threads. */
enum { DIRECT = 72, PLAIN = 512, LANES = 16, TILE = 8, THREADS = 256, LEVELS = 24, FEW = 32 };

typedef struct plan {
    int64_t n, m, quotients, s, slices; /* all quotients; those of a slice */
    int64_t few;                        /* quotients before the first slice */
    bool merged;                        /* the last doubling is of q */
    int64_t h;                          /* terms of 1 / b */
    int levels;                         /* doublings */
    int off[LEVELS], more[LEVELS];      /* sizes of the two products of each: b g and e g */
    int step, check, rest;              /* sizes of a g, of b q for its last half, and of b q */
} plan;

typedef struct arrays {
    mmm_word_array a, b, q, minus_b, x, y, start, inverse, error, series;
    mmm_u32_array f, g, fb;
} arrays;

static int64_t up(int64_t x, int64_t y)
{
    return (x + y - 1) / y;
}

static int64_t least(int64_t x, int64_t y)
{
    return x < y ? x : y;
}

static plan plan_of(const mmm_job *job)
{
    plan x = {.n = mmm_job_length(job, A), .m = mmm_job_length(job, B)};
    x.quotients = x.n < x.m ? 0 : x.n - x.m + 1;
    if (!x.quotients) return x;
    x.slices = up(x.quotients, mmm_job_get(job, "w"));
    x.s = up(x.quotients, x.slices);
    int64_t round = PLAIN;
    while (2 * round <= x.s)
        round *= 2;
    if (x.slices == 1 && x.s > round && x.s - round <= FEW) {
        x.few = x.s - round;
        x.s = round;
    }
    x.merged = x.slices == 1 && x.s > PLAIN;
    x.h = x.merged ? up(x.s, 2) : x.s;
    while (up(x.h, (int64_t)1 << x.levels) > DIRECT)
        x.levels++;
    return x;
}

/* Terms of 1 / b before doubling number i from the last one on, and behind it. */
static int64_t terms_of(const plan *x, int i)
{
    return up(x->h, (int64_t)1 << i);
}

static void choose_sizes(plan *x, transforms *z)
{
    int64_t s = x->s, h = x->h;
    for (int i = x->levels - 1; i >= 0 && s; i--) {
        int64_t next = terms_of(x, i), k = terms_of(x, i + 1);
        if (next <= PLAIN) continue;
        x->off[i] = transforms_cyclic(z, next, next + k);
        x->more[i] = words_of(&z->sizes[x->off[i]]) < next + k ? x->off[i] : transforms_size(z, next);
    }
    x->step = transforms_size(z, 2 * h - 1);
    x->check = x->merged ? transforms_cyclic(z, 2 * h, 3 * h) : 0;
    x->rest = transforms_cyclic(z, x->m > s ? x->m : s, s + x->m - 1);
}

static mmm_status arrange(mmm_program *program, mmm_word_array a, mmm_word_array b, int64_t first, int64_t step,
                          int64_t to, int64_t inside, int64_t count, bool minus)
{
    return launch_arrange(program, up(count, THREADS), THREADS, a, b, first, step, to, inside, count, minus);
}

/* Without transforms: words j ... j + count - 1 of the product of the first xn words of x and yn of y, to `out`. */
static mmm_status multiply_plainly(mmm_program *program, mmm_word_array x, int64_t xn, mmm_word_array y, int64_t yn,
                                   int64_t j, mmm_word_array out, int64_t first, int64_t count)
{
    int64_t width = up(count, TILE * LANES) * TILE * LANES;
    return launch_product(program, width / (TILE * LANES), LANES, x, y, out, 0, xn, 0, yn, first, j, count, width, SET,
                          up(yn, 64) * 64, LANES, 1);
}

/* h terms of 1 / b, from y = -b. */
static mmm_status invert(const plan *x, const arrays *y, const transforms *z)
{
    int64_t k = terms_of(x, x->levels);
    MMM_TRY(launch_invert(z->program, 1, k, y->start, y->inverse, least(x->m, DIRECT), k));
    for (int i = x->levels - 1; i >= 0; i--) {
        const int before = mmm_program_kernels(z->program);
        int64_t next = terms_of(x, i), terms = least(x->m, next);
        if (next <= PLAIN) {
            MMM_TRY(multiply_plainly(z->program, y->y, terms, y->inverse, k, k, y->error, 0, next - k));
            MMM_TRY(multiply_plainly(z->program, y->error, next - k, y->inverse, next - k, 0, y->inverse, k, next - k));
        } else {
            MMM_TRY(transforms_forward(z, x->off[i], y->inverse, 0, k, y->g));
            MMM_TRY(transforms_forward(z, x->off[i], y->y, 0, terms, y->f));
            MMM_TRY(transforms_multiply(z, x->off[i], y->f, y->g, y->error, 0, next, false));
            MMM_TRY(transforms_share(z, x->off[i], before));
            const int middle = mmm_program_kernels(z->program);
            if (x->more[i] != x->off[i]) MMM_TRY(transforms_forward(z, x->more[i], y->inverse, 0, k, y->g));
            MMM_TRY(transforms_forward(z, x->more[i], y->error, k, next - k, y->f));
            MMM_TRY(transforms_multiply(z, x->more[i], y->f, y->g, y->inverse, k, next - k, false));
            MMM_TRY(transforms_share(z, x->more[i], middle));
        }
        k = next;
    }
    return MMM_OK;
}

/* Few quotients, the highest. */
static mmm_status divide_few(const plan *x, const arrays *y, const transforms *z)
{
    int64_t few = x->few, s = x->s, lanes = TILE * LANES;
    MMM_TRY(arrange(z->program, y->a, y->x, x->n - 1, -1, 0, few, few, false));
    MMM_TRY(multiply_plainly(z->program, y->x, few, y->inverse, few, 0, y->series, 0, few));
    MMM_TRY(arrange(z->program, y->series, y->q, few - 1, -1, s, few, few, false));
    if (few == 1 && x->m > 1)
        return launch_cancel(z->program, up(x->m - 1, THREADS), THREADS, y->a, y->b, y->q, s, s, x->m - 1);
    return launch_product(z->program, up(x->m, lanes), LANES, y->b, y->q, y->a, 0, x->m, s, few, s, 0, x->m - 1,
                          up(x->m, lanes) * lanes, SUBTRACT, FEW, LANES, 1);
}

/* A slice: s quotients of the words of a from `first` on. */
static mmm_status divide(const plan *x, const arrays *y, const transforms *z, int64_t first)
{
    int64_t s = x->s, h = x->h;
    MMM_TRY(arrange(z->program, y->a, y->x, first + s + x->m - 2, -1, 0, s, x->merged ? 2 * h : s, false));
    int product = mmm_program_kernels(z->program);
    if (x->merged) MMM_TRY(transforms_forward(z, x->step, y->inverse, 0, h, y->g));
    MMM_TRY(transforms_forward(z, x->step, y->x, 0, h, y->f));
    MMM_TRY(transforms_multiply(z, x->step, y->f, y->g, y->series, 0, h, false));
    MMM_TRY(transforms_share(z, x->step, product));
    if (x->merged) { /* fb is for b as a series first */
        product = mmm_program_kernels(z->program);
        MMM_TRY(transforms_forward(z, x->check, y->y, 0, least(x->m, 2 * h), y->fb));
        MMM_TRY(transforms_forward(z, x->check, y->series, 0, h, y->f));
        MMM_TRY(transforms_multiply(z, x->check, y->f, y->fb, y->x, 0, 2 * h, true));
        MMM_TRY(transforms_share(z, x->check, product));
        product = mmm_program_kernels(z->program);
        MMM_TRY(transforms_forward(z, x->step, y->x, h, s - h, y->f));
        MMM_TRY(transforms_multiply(z, x->step, y->f, y->g, y->series, h, s - h, false));
        MMM_TRY(transforms_share(z, x->step, product));
    }
    MMM_TRY(arrange(z->program, y->series, y->q, s - 1, -1, first, s, s, false));
    if (x->m == 1) return MMM_OK;
    int64_t words = words_of(&z->sizes[x->rest]), behind = least(s + x->m - 1 - words, x->m - 1);
    if (behind > 0) MMM_TRY(launch_wrap(z->program, up(behind, THREADS), THREADS, y->a, first, words, behind));
    product = mmm_program_kernels(z->program);
    if (x->merged) MMM_TRY(transforms_forward(z, x->rest, y->minus_b, 0, x->m, y->fb));
    MMM_TRY(transforms_forward(z, x->rest, y->q, first, s, y->f));
    MMM_TRY(transforms_multiply(z, x->rest, y->f, y->fb, y->a, first, x->m - 1, true));
    return transforms_share(z, x->rest, product);
}

static mmm_status build(mmm_job *job, mmm_program *program)
{
    plan x = plan_of(job);
    transforms z = {.program = program,
                    .s = (int)mmm_job_get(job, "s"),
                    .c = mmm_job_get(job, "c"),
                    .large = wants_large(job),
                    .shared = true};
    arrays y;
    int64_t s = x.s, h = x.h, total = x.quotients ? s * x.slices + x.few + x.m - 1 : x.n, most = 0, series = 0;
    if (x.m == 0) return mmm_fail(MMM_INVALID, "b is 0: division by the zero polynomial");
    if (x.quotients) {
        choose_sizes(&x, &z);
        series = x.merged ? 2 * h : s;
        MMM_TRY(mmm_program_expect(program, x.slices * (5 + 2 * (z.sizes[x.step].steps + z.sizes[x.rest].steps))));
    }
    MMM_TRY(mmm_job_input(job, A, 0, total, MMM_IN, &y.a));
    MMM_TRY(mmm_job_input(job, B, 0, x.m, MMM_IN, &y.b));
    MMM_TRY(mmm_job_array(job, "q", s * x.slices + x.few, MMM_WORK, &y.q));
    MMM_TRY(mmm_job_output(job, Q, y.q, 0, x.quotients));
    MMM_TRY(mmm_job_output(job, R, y.a, 0, x.quotients ? x.m - 1 : x.n));
    if (!x.quotients) return MMM_OK;
    MMM_TRY(transforms_arrays(&z, job, x.m > s ? x.m : s));
    for (int i = 0; i < z.count; i++)
        if (most < words_of(&z.sizes[i])) most = words_of(&z.sizes[i]);
    MMM_TRY(mmm_job_array(job, "minus_b", x.m, MMM_WORK, &y.minus_b));
    MMM_TRY(mmm_job_array(job, "x", series, MMM_WORK, &y.x)); /* a as a series; -b; b; 1 / b; what it is off by; q */
    MMM_TRY(mmm_job_array(job, "y", series, MMM_WORK, &y.y));
    MMM_TRY(mmm_job_array(job, "start", DIRECT, MMM_WORK, &y.start));
    MMM_TRY(mmm_job_array(job, "inverse", h, MMM_WORK, &y.inverse));
    MMM_TRY(mmm_job_array(job, "error", h, MMM_WORK, &y.error));
    MMM_TRY(mmm_job_array(job, "series", series, MMM_WORK, &y.series));
    MMM_TRY(transforms_array(&z, job, "f", z.primes * most, &y.f));
    MMM_TRY(transforms_array(&z, job, "g", z.primes * most, &y.g));
    MMM_TRY(transforms_array(&z, job, "fb", z.primes * most, &y.fb));
    int64_t known = least(x.m, series), begin = least(x.m, DIRECT);
    MMM_TRY(arrange(program, y.b, y.minus_b, 0, 1, 0, x.m, x.m, true));
    MMM_TRY(arrange(program, y.b, y.y, x.m - 1, -1, 0, known, known, true));
    MMM_TRY(arrange(program, y.b, y.start, x.m - 1, -1, 0, begin, begin, false));
    MMM_TRY(invert(&x, &y, &z));
    if (x.few) MMM_TRY(divide_few(&x, &y, &z));
    if (!x.merged) {
        MMM_TRY(transforms_forward(&z, x.step, y.inverse, 0, h, y.g));
        MMM_TRY(transforms_forward(&z, x.rest, y.minus_b, 0, x.m, y.fb));
    }
    for (int64_t i = x.slices - 1; i >= 0; i--)
        MMM_TRY(divide(&x, &y, &z, i * s));
    return transforms_fill(&z, job);
}

MMM_APPLICATION = {
    .name = "division-newton",
    .summary = "polynomial division by the inverse series of b, products by number-theoretic transforms",
    .oracle = "FLINT",
    .parameters = {{"n", "the number of terms of a", MMM_SIZE, 1, 1 << 23, 4096},
                   {"m", "the number of terms of b", MMM_SIZE, 1, 1 << 23, 2048},
                   {"s", "the number of levels of a kernel", MMM_CHOICE, 1, 12, 8, "4-12", "max(s, 4)"},
                   {"c", "the number of neighbouring columns of a block", MMM_CHOICE, 1, 1 << 10, 16, "4-64:*2", NULL},
                   {"w", "the number of quotients of a slice, at most", MMM_CHOICE, 1, 1 << 23, 1 << 23,
                    "1024-8388608:*4", "min(w, max(n - m + 1, 1))"},
                   {"large", "1: primes below 2^48 where words have 64 bits, not below 2^31", MMM_OTHER, 0, 1, 0},
                   {"p", "the prime modulus", MMM_MODULUS, 2, INT64_MAX, 2013265921},
                   {"seed", "the seed of random inputs", MMM_SEED, 0, INT64_MAX, 1}},
    .constraints = "is_power_of_2(c); 256 <= threads",
    .oblivious = "*",
    .inputs = {{"a", MMM_POLYNOMIAL, "n"}, {"b", MMM_POLYNOMIAL, "m", .leads = 1}},
    .outputs = {{"q", MMM_POLYNOMIAL, "max(n - m + 1, 0)", .leads = 1}, {"r", MMM_POLYNOMIAL, "m - 1"}},
    .calibration = {"n=3000 m=1500 s=6,8,12 c=16,32", "n=9000 m=4000 s=6,8,12 c=16,32 w=1024,8192"},
    .build = build,
    .check = mmm_oracle_divide,
};
