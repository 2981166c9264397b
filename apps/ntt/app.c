/* SPDX-License-Identifier: Apache-2.0 */
/* The number-theoretic transform over Z/p, s levels of butterflies a kernel, and its inverse. */
#include <mmm/app.h>

#include "kernels.h"

#include <stdbool.h>
#include <stdlib.h>

enum { A }; /* the input */
/* Levels of the largest transform; of one in one block; of a square that is turned; and those up to which a kernel does
 * not write what it reads, so that it may read words while it waits for its factors: where more blocks than one follow
 * each other they hide that, and memory counts. */
enum { LEVELS_MOST = 28, SMALL = 7, SQUARE = 5, TURNS = 20 };

typedef unsigned __int128 wide;

static uint64_t product(uint64_t x, uint64_t y, uint64_t p)
{
    return (uint64_t)((wide)x * y % p);
}

static uint64_t power(uint64_t x, uint64_t e, uint64_t p)
{
    uint64_t result = 1 % p;
    for (; e; e >>= 1, x = product(x, x, p))
        if (e & 1) result = product(result, x, p);
    return result;
}

/* A root of unity of order 2^k, which divides p - 1: a non-square to the (p - 1) / 2^k. */
static uint64_t root_of(uint64_t p, int k)
{
    uint64_t x = 2;
    while (k > 0 && power(x, (p - 1) / 2, p) != p - 1) /* half of all x are no squares */
        x++;
    return k > 0 ? power(x, (p - 1) >> k, p) : 1 % p;
}

static uint64_t quotient_of(uint64_t w, const mmm_modulus *m)
{
    return (uint64_t)(((wide)w << m->bits) / m->p);
}

static int log2_of(int64_t n)
{
    int k = 0;
    while (n >> k > 1)
        k++;
    return k;
}

/* As in butterflies.h: levels of the first stage, and words of the factors of s levels. */
static int rest_of(int s, int e)
{
    return (s + e - 1) % e + 1;
}

static int64_t room_of(int s, int e)
{
    int64_t room = 0;
    for (int depth = rest_of(s, e); depth <= s; depth += e)
        room += 1 << depth;
    return room;
}

/* The kernels of a transform of 2^k words, k > SMALL: some that take columns, from level 0 on, and one that takes rows
 * of 2^e words and has e levels more than its stages. */
typedef struct step {
    int first, levels; /* its first level, and how many there are, without those e */
    int64_t width;     /* columns of a block, or polynomials */
    int64_t table;     /* where its factors begin */
} step;

typedef struct plan {
    int k, kernels; /* with the last, 0 of a small transform */
    int e;          /* log2 of the words of a thread */
    step steps[LEVELS_MOST];
    int64_t words; /* of factors */
} plan;

static plan plan_of(const mmm_job *job)
{
    plan x = {.k = log2_of(mmm_job_get(job, "n")), .e = log2_of(mmm_job_get(job, "w"))};
    int s = (int)mmm_job_get(job, "s");
    int64_t n = (int64_t)1 << x.k, m = mmm_job_get(job, "m");
    if (x.k <= SMALL) {
        x.words = 2 * n;
        return x;
    }
    if (s < 4) s = 4;
    x.kernels = (x.k + s - 1) / s;
    int rows = x.k / x.kernels > 4 ? x.k / x.kernels : 4, level = 0;
    for (int i = 0; i < x.kernels; i++) {
        bool last = i == x.kernels - 1;
        int levels = last ? rows : (x.k - rows) * (i + 1) / (x.kernels - 1) - level;
        step *y = &x.steps[i];
        *y = (step){.first = level,
                    .levels = last ? levels - x.e : levels,
                    .width = m >> levels ? m >> levels : 1,
                    .table = x.words};
        level += levels;
        while (last && y->width << levels < 1 << 2 * x.e) /* as many rows as a row has words, at least */
            y->width *= 2;
        while (y->width > n >> (last ? levels : level)) /* no more than there are */
            y->width /= 2;
        x.words += room_of(y->levels, x.e) << y->first;
    }
    return x;
}

static void put(void *memory, int bits, int64_t i, uint64_t x)
{
    if (bits == 64)
        ((uint64_t *)memory)[i] = x;
    else
        ((uint32_t *)memory)[i] = (uint32_t)x;
}

/* A factor and its quotient into a table. */
typedef struct writer {
    const mmm_modulus *modulus;
    const uint64_t *roots;
    void *to;
} writer;

static void put_factor(const writer *w, int64_t factor, int64_t quotient, int64_t number)
{
    put(w->to, w->modulus->bits, factor, w->roots[number]);
    put(w->to, w->modulus->bits, quotient, quotient_of(w->roots[number], w->modulus));
}

/* The tables of all kernels.  Factor number i of a level is the root whose exponent has the bits of i, reversed: the
 * same for every level that has one. */
static mmm_status fill(mmm_job *job, const plan *x, mmm_word_array table, mmm_word_array last, bool inverse)
{
    const mmm_modulus *m = mmm_job_modulus(job);
    int64_t n = (int64_t)1 << x->k, half = n / 2 ? n / 2 : 1;
    uint64_t root = root_of(m->p, x->k), *roots = malloc((size_t)half * sizeof *roots);
    writer w = {m, roots, mmm_job_memory(job, table.number)};
    if (!roots) return mmm_fail(MMM_MEMORY, "no memory for %lld roots of unity", (long long)half);
    if (inverse) root = power(root, m->p - 2, m->p);
    roots[0] = 1;
    for (int64_t j = 1; j < half; j *= 2) { /* the root of order 4 j */
        uint64_t next = power(root, (uint64_t)(n / (4 * j)), m->p);
        for (int64_t i = 0; i < j; i++)
            roots[j + i] = product(roots[i], next, m->p);
    }
    for (int64_t j = 1; !x->kernels && j < n; j *= 2)
        for (int64_t i = 0; i < j; i++)
            put_factor(&w, j + i, n + j + i, i);
    for (int i = 0; i < x->kernels; i++) {
        const step *y = &x->steps[i];
        int64_t at = y->table;
        for (int64_t node = 0; node < (int64_t)1 << y->first; node++)
            for (int depth = 0, e = rest_of(y->levels, x->e); depth < y->levels; depth += e, e = x->e)
                for (int64_t part = node << depth; part < (node + 1) << depth; part++, at += 1 << e)
                    for (int64_t j = 1; j < 1 << e; j *= 2)
                        for (int64_t f = 0; f < j; f++)
                            put_factor(&w, at + j + f, x->words + at + j + f, part * j + f);
    }
    w.to = mmm_job_memory(job, last.number);
    const int64_t row = (int64_t)1 << x->e; /* as many rows lie together, number by number */
    for (int64_t i = 0; x->kernels && i < n / row; i++)
        for (int64_t j = 1; j < row; j *= 2)
            for (int64_t f = 0; f < j; f++) {
                int64_t at = i / row * 2 * row * row + i % row + 2 * row * (j + f);
                put_factor(&w, at, at + row, i * j + f);
            }
    free(roots);
    return MMM_OK;
}

static mmm_status settle(mmm_job *job)
{
    uint64_t p = mmm_job_modulus(job)->p;
    int64_t n = mmm_job_get(job, "n");
    if ((p - 1) % (uint64_t)n)
        return mmm_fail(MMM_INVALID, "n=%lld does not divide p - 1 = %llu: there is no root of unity of that order",
                        (long long)n, (unsigned long long)(p - 1));
    return MMM_OK;
}

/* What kernels of a transform are given besides their step. */
typedef struct arrays {
    mmm_word_array from, table, last;
    int64_t words; /* of all transforms */
    uint64_t p, scale, quotient;
    bool inverse;
} arrays;

static mmm_status launch_step(mmm_program *program, const plan *x, int i, mmm_word_array from, mmm_word_array to,
                              const arrays *y)
{
    const step *z = &x->steps[i];
    int64_t c = z->width;
    int s = z->levels, e = x->e;
    if (i == x->kernels - 1) {
        int64_t blocks = (y->words >> e) / (c << s), lines = c << s >> e, row = 1 << e;
        return y->inverse ? launch_rows_backward(program, blocks, 1, row, lines, from, to, y->table, y->last, z->table,
                                                 x->words, z->first, y->scale, y->quotient, y->p, s, c, e)
                          : launch_rows_forward(program, blocks, 1, row, lines, from, to, y->table, y->last, z->table,
                                                x->words, z->first, y->p, s, c, e);
    }
    int64_t distance = (int64_t)1 << (x->k - z->first - s), blocks = y->words / (c << s),
            lines = s > e ? 1 << (s - e) : 1;
    return y->inverse ? launch_columns_backward(program, blocks, 1, c, lines, from, to, y->table, z->table, x->words,
                                                z->first, distance, log2_of(distance / c), y->p, s, c, e)
                      : launch_columns_forward(program, blocks, 1, c, lines, from, to, y->table, z->table, x->words,
                                               z->first, distance, log2_of(distance / c), y->p, s, c, e);
}

static mmm_status build(mmm_job *job, mmm_program *program)
{
    plan x = plan_of(job);
    const mmm_modulus *m = mmm_job_modulus(job);
    int64_t n = mmm_job_get(job, "n"), batch = mmm_job_get(job, "batch"), t = x.k / 2 < SQUARE ? x.k / 2 : SQUARE;
    bool inverse = mmm_job_get(job, "inverse"), ordered = mmm_job_get(job, "ordered");
    uint64_t scale = power((uint64_t)n % m->p, m->p - 2, m->p);
    mmm_word_array a, f, g, between;
    arrays y = {.words = n * batch, .p = m->p, .scale = scale, .quotient = quotient_of(scale, m), .inverse = inverse};
    MMM_TRY(mmm_job_input(job, A, 0, y.words, MMM_IN, &a));
    MMM_TRY(mmm_job_array(job, "f", y.words, MMM_WORK, &f));
    bool turns = x.kernels > 1 && y.words <= 1 << TURNS; /* words go from one array to the other */
    MMM_TRY(mmm_job_array(job, "g", ordered ? y.words : 0, MMM_WORK, &g));
    MMM_TRY(mmm_job_array(job, "between", turns ? y.words : 0, MMM_WORK, &between));
    MMM_TRY(mmm_job_array(job, "table", (x.kernels ? 2 : 1) * x.words, MMM_IN, &y.table));
    MMM_TRY(mmm_job_array(job, "last", x.kernels ? 2 * n : 0, MMM_IN, &y.last));
    MMM_TRY(mmm_job_output(job, 0, ordered && !inverse ? g : f, 0, y.words));
    y.from = a;
    if (ordered && inverse) {
        MMM_TRY(launch_reorder(program, y.words >> 2 * t, 1, 1 << t, 1 << t, a, g, x.k, t, 1 << t));
        y.from = g;
    }
    for (int i = 0; i < x.kernels; i++) {
        mmm_word_array to = turns && (x.kernels - i) % 2 == 0 ? between : f;
        MMM_TRY(launch_step(program, &x, inverse ? x.kernels - 1 - i : i, y.from, to, &y));
        y.from = to;
    }
    int64_t threads = n > 2 ? n / 2 : 1;
    if (!x.kernels && inverse)
        MMM_TRY(launch_small_backward(program, batch, threads, y.from, f, y.table, y.scale, y.quotient, y.p, n));
    if (!x.kernels && !inverse) MMM_TRY(launch_small_forward(program, batch, threads, y.from, f, y.table, y.p, n));
    if (ordered && !inverse)
        MMM_TRY(launch_reorder(program, y.words >> 2 * t, 1, 1 << t, 1 << t, f, g, x.k, t, 1 << t));
    return mmm_job_sketch(job) ? MMM_OK : fill(job, &x, y.table, y.last, inverse);
}

/* Values by Horner's rule; all of them where they are not too many. */
static mmm_status check(const mmm_job *job, double *seconds)
{
    int64_t n = mmm_job_get(job, "n"), batch = mmm_job_get(job, "batch");
    int64_t each = n <= 4096 ? 1 : n / (((int64_t)1 << 26) / n + 2) + 1;
    bool inverse = mmm_job_get(job, "inverse"), ordered = mmm_job_get(job, "ordered");
    int k = log2_of(n);
    uint64_t p = mmm_job_modulus(job)->p, root = root_of(p, k);
    const uint64_t *given = mmm_job_given(job, A, NULL), *result = mmm_job_result(job, 0, NULL);
    const uint64_t *a = inverse ? result : given, *f = inverse ? given : result;
    double start = mmm_now();
    for (int64_t i = 0; i < n * batch; i++)
        if (result[i] >= p)
            return mmm_fail(MMM_WRONG, "word %lld of f is %llu, not below p", (long long)i,
                            (unsigned long long)result[i]);
    for (int64_t b = 0; b < batch; b++)
        for (int64_t i = 0; i < n; i += each) {
            uint64_t e = 0, sum = 0;
            for (int j = 0; j < k; j++)
                e |= ((uint64_t)i >> j & 1) << (k - 1 - j);
            uint64_t x = power(root, ordered ? (uint64_t)i : e, p);
            for (int64_t j = n - 1; j >= 0; j--)
                sum = (uint64_t)(((wide)sum * x + a[b * n + j]) % p);
            if (f[b * n + i] != sum)
                return mmm_fail(MMM_WRONG, "value %lld of transform %lld is %llu, by Horner's rule it is %llu",
                                (long long)i, (long long)b, (unsigned long long)f[b * n + i], (unsigned long long)sum);
        }
    *seconds = mmm_now() - start;
    return MMM_OK;
}

MMM_APPLICATION = {
    .name = "ntt",
    .summary = "the number-theoretic transform, s levels of butterflies a kernel",
    .oracle = "a plain loop",
    .parameters = {{"n", "the number of words of a transform, a power of two that divides p - 1", MMM_SIZE, 1, 1 << 27,
                    4096},
                   {"batch", "the number of transforms", MMM_SIZE, 1, 1 << 20, 1},
                   {"s", "the number of levels of a kernel", MMM_CHOICE, 1, 14, 8, "4-12", "max(s, 4)"},
                   {"m", "the number of words of a block: 2^s rows of m / 2^s neighbouring columns", MMM_CHOICE, 16,
                    1 << 15, 4096, "256-16384:*2", NULL},
                   {"w", "the number of words of a thread: 4, 8 or 16", MMM_CHOICE, 4, 16, 16, "4-16:*2", NULL},
                   {"inverse", "1: from values to coefficients", MMM_OTHER, 0, 1, 0},
                   {"ordered", "1: values in their order, 0: in that of reversed bits", MMM_OTHER, 0, 1, 0},
                   {"p", "the prime modulus", MMM_MODULUS, 2, INT64_MAX, 2013265921},
                   {"seed", "the seed of random inputs", MMM_SEED, 0, INT64_MAX, 1}},
    .constraints = "is_power_of_2(n); is_power_of_2(m); 2*m <= Z; is_power_of_2(w); m/w <= threads; n*batch <= 2^28",
    .oblivious = "*",
    .inputs = {{"a", MMM_WORD, "batch, n"}},
    .outputs = {{"f", MMM_WORD, "batch, n"}},
    .calibration = {"n=1024 s=4,5 m=256,1024 w=16", "n=4096 s=4,6,8 m=256,1024,4096 w=8,16",
                    "n=16384 s=5,7,8 m=1024,4096 w=16", "n=65536 s=6,8 m=1024,4096 w=16"},
    .settle = settle,
    .build = build,
    .check = check,
};
