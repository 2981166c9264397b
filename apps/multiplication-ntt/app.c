/* SPDX-License-Identifier: Apache-2.0 */
/* Polynomial multiplication by number-theoretic transforms, modulo any prime. */
#include <mmm/app.h>

#include "kernels.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { A, B };                                                     /* inputs */
enum { PRIMES_MOST = 5, LEAST = 8, LONGEST = 21, STEPS_MOST = 8 }; /* levels of a residue: at least, at most */

/* Primes below 2^31 and above 2^30 with roots of unity of order 2^24. */
static const uint32_t all_primes[PRIMES_MOST] = {2130706433, 2113929217, 2013265921, 1811939329, 1711276033};

/* Places of constants, as kernels.c has them. */
enum {
    PRIME,
    MINUS_INVERSE,
    SCALE,
    HIGH_WORD,
    HALVED,
    ROOT_HALVED,
    ROOT,
    UNIT,
    W1,
    V0 = 11,
    DOWN_8 = 24,
    UP_8 = 32,
    INVERSES = 40,
    TABLE = 48,
    TABLE_BACK,
    LAST,
    LAST_BACK,
    QUOTIENT = 64,
    CONSTANTS = 128
};

static uint64_t product(uint64_t x, uint64_t y, uint64_t p)
{
    return (uint64_t)((unsigned __int128)x * y % p);
}

static uint64_t power(uint64_t x, uint64_t e, uint64_t p)
{
    uint64_t result = 1 % p;
    for (; e; e >>= 1, x = product(x, x, p))
        if (e & 1) result = product(result, x, p);
    return result;
}

static uint64_t root_of(uint64_t p, int k)
{
    uint64_t x = 2;
    while (power(x, (p - 1) / 2, p) != p - 1)
        x++;
    return power(x, (p - 1) >> k, p);
}

/* As in butterflies.h. */
static int rest_of(int s)
{
    return (s + 3) % 4 + 1;
}

static int room_of(int s)
{
    int room = 0;
    for (int depth = rest_of(s); depth <= s; depth += 4)
        room += 1 << depth;
    return room;
}

/* How a product is made: polynomials of Q 2^k words modulo some primes, by kernels that take columns and one that takes
 * rows; a in slices of `slice_a` words and b of `slice_b`. */
typedef struct plan {
    int64_t n, m, slice_a, slice_b;
    int k, Q, primes, steps;
    bool direct, square;
    uint32_t prime[PRIMES_MOST];
    int first[STEPS_MOST], levels[STEPS_MOST]; /* of each kernel, the last with 4 levels more than it says */
    int64_t width[STEPS_MOST];                 /* columns or polynomials of a block */
    int64_t table[STEPS_MOST];
    int64_t words; /* of a table of a prime */
} plan;

static int log2_of(int64_t n)
{
    int k = 0;
    while (n >> k > 1)
        k++;
    return k;
}

/* Q and k for `length` words: Q 2^k of them with Q from 4 to 8. */
static void size_of(int64_t length, int *k, int *Q)
{
    *k = LEAST;
    while ((int64_t)8 << *k < length)
        ++*k;
    *Q = (int)((length + ((int64_t)1 << *k) - 1) >> *k);
    if (*Q < 4) *Q = 4;
}

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

static plan plan_of(const mmm_job *job)
{
    plan x = {.n = mmm_job_length(job, A), .m = mmm_job_length(job, B), .square = mmm_job_get(job, "square")};
    const mmm_modulus *p = mmm_job_modulus(job);
    int s = (int)mmm_job_get(job, "s");
    int64_t c = mmm_job_get(job, "c"), half = (int64_t)4 << LONGEST;
    if (x.n == 0 || x.m == 0) return x;
    x.slice_b = x.m;
    if (x.n < x.m ? x.n > half : x.m > half) x.slice_b = half;
    x.slice_a = x.n;
    if (x.n + x.slice_b - 1 > 8 << LONGEST || x.n > 2 * x.slice_b) x.slice_a = slice_of(x.n, x.slice_b);
    if (x.slice_a < x.n || x.slice_b < x.m) x.square = false;
    size_of(x.slice_a + x.slice_b - 1, &x.k, &x.Q);
    x.direct = p->bits == 32 && p->p > 2 && (p->p - 1) % ((uint64_t)8 << x.k) == 0;
    double bits = 2 * log2_of((int64_t)p->p) + 2 + log2_of(x.slice_a < x.slice_b ? x.slice_a : x.slice_b) + 1;
    if (x.direct)
        x.prime[x.primes++] = (uint32_t)p->p;
    else
        for (; bits > 0 && x.primes < PRIMES_MOST; bits -= 30.6)
            x.prime[x.primes] = all_primes[x.primes], x.primes++;
    if (s < 4) s = 4;
    int rows = x.k < 12 && x.k <= s + 4 ? x.k : s < LEAST ? LEAST : s > 12 ? 12 : s;
    if (rows > x.k) rows = x.k;
    int left = x.k - rows, columns = (left + s - 1) / s;
    for (int i = 0, level = 0; i <= columns; i++) {
        bool last = i == columns;
        int levels = last ? rows : left * (i + 1) / columns - level;
        x.first[i] = level;
        x.levels[i] = last ? rows - 4 : levels;
        level += levels;
        x.width[i] = last ? c / 2 > 0 ? c / 2 : 1 : c;
        while (x.width[i] > (int64_t)1 << (last ? x.first[i] : x.k - level))
            x.width[i] /= 2;
        x.table[i] = x.words;
        x.words += (int64_t)room_of(x.levels[i]) * 8 << x.first[i];
    }
    x.steps = columns + 1;
    return x;
}

static void put(uint32_t *factor, uint32_t *quotient, uint64_t w, uint64_t p)
{
    *factor = (uint32_t)w;
    *quotient = (uint32_t)((w << 32) / p);
}

static void put_constant(uint32_t *constants, int place, uint64_t w, uint64_t p)
{
    put(constants + place, constants + QUOTIENT + place, w, p);
}

/* Tables of a prime in one direction: factor number i of a level is the root whose exponent has the bits of i,
 * reversed. */
static void fill_tables(const plan *x, const uint64_t *roots, uint64_t p, uint32_t *table, uint32_t *quotients,
                        uint32_t *last)
{
    int64_t parts = (int64_t)x->Q << x->k >> 4;
    for (int i = 0; i < x->steps; i++) {
        int64_t at = x->table[i];
        for (int64_t node = 0; node < (int64_t)x->Q << x->first[i]; node++)
            for (int depth = 0, e = rest_of(x->levels[i]); depth < x->levels[i]; depth += e, e = 4)
                for (int64_t part = node << depth; part < (node + 1) << depth; part++, at += 1 << e)
                    for (int64_t j = 1; j < 1 << e; j *= 2)
                        for (int64_t f = 0; f < j; f++)
                            put(table + at + j + f, quotients + at + j + f, roots[part * j + f], p);
    }
    for (int64_t i = 0; i < parts; i++)
        for (int64_t j = 1; j < 16; j *= 2)
            for (int64_t f = 0; f < j; f++) {
                int64_t at = i / 16 * 512 + i % 16 + 16 * (j + f);
                put(last + at, last + at + 256, roots[i * j + f], p);
            }
}

static void fill_constants(const plan *x, int prime, const uint64_t *forward, const uint64_t *backward, uint32_t *to)
{
    uint64_t p = x->prime[prime], half = (p + 1) / 2, i = forward[1], quarter_i = product(product(half, half, p), i, p);
    uint32_t inverse = (uint32_t)p;
    for (int step = 0; step < 4; step++)
        inverse *= 2 - (uint32_t)p * inverse;
    to[PRIME] = (uint32_t)p;
    to[MINUS_INVERSE] = -inverse;
    /* Products of values are divided by 2^32, and of numbers in the form of the program that is right once. */
    uint64_t scale = power(power(2, (uint64_t)(x->k + (x->Q == 8 ? 3 : 2)), p), p - 2, p);
    if (!x->direct) scale = product(scale, ((uint64_t)1 << 32) % p, p);
    const uint64_t plain[] = {[SCALE] = scale, [HIGH_WORD] = ((uint64_t)1 << 32) % p,
                              [HALVED] = half,   [ROOT_HALVED] = product(half, i, p),
                              [ROOT] = i,      [UNIT] = 1};
    for (int j = SCALE; j <= UNIT; j++)
        put_constant(to, j, plain[j], p);
    for (int j = 1; j < 4; j++)
        put_constant(to, W1 + j - 1, product(half, power(forward[2], (uint64_t)j, p), p), p);
    for (int j = 0; j < 6; j++)
        put_constant(to, V0 + j, product(quarter_i, power(forward[3], (uint64_t)j, p), p), p);
    for (int j = 1; j < 8; j *= 2)
        for (int f = 0; f < j; f++) {
            put_constant(to, DOWN_8 + j + f, forward[f], p);
            put_constant(to, UP_8 + j + f, backward[f], p);
        }
    for (int j = 0; j < prime; j++)
        put_constant(to, INVERSES + j, power(x->prime[j], p - 2, p), p);
}

typedef struct arrays {
    mmm_word_array a, b, f, weights;
    mmm_u32_array fa, fb, table, quotients, last, constants;
    int64_t words, last_words; /* of fa; of `last` for a prime */
} arrays;

static mmm_status fill(mmm_job *job, const plan *x, const arrays *y)
{
    uint32_t *table = mmm_job_memory(job, y->table.number), *last = mmm_job_memory(job, y->last.number);
    uint32_t *constants = mmm_job_memory(job, y->constants.number);
    uint32_t *quotients = mmm_job_memory(job, y->quotients.number);
    const mmm_modulus *m = mmm_job_modulus(job);
    void *weights = mmm_job_memory(job, y->weights.number);
    int64_t count = (int64_t)4 << x->k;
    uint64_t *roots[2], weight = 1;
    roots[0] = malloc((size_t)(2 * count) * sizeof **roots);
    if (!roots[0]) return mmm_fail(MMM_MEMORY, "no memory for %lld roots of unity", (long long)(2 * count));
    roots[1] = roots[0] + count;
    for (int i = 0; i < x->primes; i++) {
        uint64_t p = x->prime[i], root = root_of(p, x->k + 3);
        for (int back = 0; back < 2; back++) {
            if (back) root = power(root, p - 2, p);
            roots[back][0] = 1;
            for (int64_t j = 1; j < count; j *= 2) {
                uint64_t next = power(root, (uint64_t)(2 * count / (4 * j)), p);
                for (int64_t k = 0; k < j; k++)
                    roots[back][j + k] = roots[back][k] * next % p;
            }
            int64_t number = back * x->primes + i;
            fill_tables(x, roots[back], p, table + number * x->words, quotients + number * x->words,
                        last + number * y->last_words);
            constants[CONSTANTS * i + (back ? TABLE_BACK : TABLE)] = (uint32_t)(number * x->words);
            constants[CONSTANTS * i + (back ? LAST_BACK : LAST)] = (uint32_t)(number * y->last_words);
        }
        fill_constants(x, i, roots[0], roots[1], constants + CONSTANTS * i);
        uint64_t w = mmm_job_residue(job, mmm_job_residue(job, weight)); /* twice: it meets numbers in plain form */
        if (m->bits == 64)
            ((uint64_t *)weights)[i] = w;
        else
            ((uint32_t *)weights)[i] = (uint32_t)w;
        weight = product(weight, p % m->p, m->p);
    }
    free(roots[0]);
    return MMM_OK;
}

/* Levels of all columns of an array, forward or backward; `operands` of them one behind the other. */
static mmm_status launch_columns(mmm_program *program, const plan *x, const arrays *y, int i, mmm_u32_array f,
                                 bool back)
{
    int64_t c = x->width[i], distance = (int64_t)1 << (x->k - x->first[i] - x->levels[i]);
    int64_t blocks = y->words / (c << x->levels[i]), lines = x->levels[i] > 4 ? 1 << (x->levels[i] - 4) : 1;
    return (back ? launch_columns_backward : launch_columns_forward)(
        program, blocks, 1, c, lines, f, y->constants, y->table, y->quotients, x->table[i], x->first[i], distance,
        log2_of(distance / c), x->primes, x->Q, x->levels[i], c);
}

static mmm_status launch_forward(mmm_program *program, const plan *x, const arrays *y, bool second, int64_t first,
                                 int64_t terms, bool wide)
{
    int64_t threads = 256, blocks = x->primes * ((int64_t)1 << x->k) / threads;
    MMM_TRY(launch_split(program, blocks, threads, second ? y->b : y->a, second ? y->fb : y->fa, y->constants, first,
                         terms, x->k - 8, (int64_t)1 << x->k, x->Q, x->direct, wide));
    for (int i = 0; i < x->steps - 1; i++)
        MMM_TRY(launch_columns(program, x, y, i, second ? y->fb : y->fa, false));
    return MMM_OK;
}

static mmm_status build(mmm_job *job, mmm_program *program)
{
    plan x = plan_of(job);
    const mmm_modulus *m = mmm_job_modulus(job);
    arrays y = {.words = (int64_t)x.primes * x.Q << x.k, .last_words = (int64_t)x.Q << (x.k + 1)};
    int64_t terms = x.primes ? x.n + x.m - 1 : 0;
    MMM_TRY(mmm_job_input(job, A, 0, x.n, MMM_IN, &y.a));
    MMM_TRY(mmm_job_input(job, B, 0, x.m, MMM_IN, &y.b));
    MMM_TRY(mmm_job_array(job, "f", terms, MMM_ZERO, &y.f));
    MMM_TRY(mmm_job_array(job, "fa", y.words, MMM_WORK, &y.fa));
    MMM_TRY(mmm_job_array(job, "fb", x.square ? 0 : y.words, MMM_WORK, &y.fb));
    MMM_TRY(mmm_job_array(job, "table", 2 * x.primes * x.words, MMM_IN, &y.table));
    MMM_TRY(mmm_job_array(job, "quotients", 2 * x.primes * x.words, MMM_IN, &y.quotients));
    MMM_TRY(mmm_job_array(job, "last", 2 * x.primes * y.last_words, MMM_IN, &y.last));
    MMM_TRY(mmm_job_array(job, "constants", CONSTANTS * x.primes, MMM_IN, &y.constants));
    MMM_TRY(mmm_job_array(job, "weights", x.primes, MMM_IN, &y.weights));
    MMM_TRY(mmm_job_output(job, 0, y.f, 0, terms));
    if (!x.primes) return MMM_OK;
    int i = x.steps - 1;
    int64_t c = x.width[i], threads = 128;
    bool many = x.slice_a < x.n || x.slice_b < x.m;
    for (int64_t b = 0; b < x.m; b += x.slice_b) {
        int64_t terms_b = x.m - b < x.slice_b ? x.m - b : x.slice_b;
        if (!x.square) MMM_TRY(launch_forward(program, &x, &y, true, b, terms_b, m->bits == 64));
        for (int64_t a = 0; a < x.n; a += x.slice_a) {
            int64_t terms_a = x.n - a < x.slice_a ? x.n - a : x.slice_a;
            MMM_TRY(launch_forward(program, &x, &y, false, a, terms_a, m->bits == 64));
            MMM_TRY(launch_multiply_rows(program, y.words / 16 / (c << x.levels[i]), 1, 16, c << x.levels[i] >> 4, y.fa,
                                         x.square ? y.fa : y.fb, y.constants, y.table, y.quotients, y.last, x.table[i],
                                         x.first[i], x.primes, x.Q, x.levels[i], c, x.square));
            for (int j = i - 1; j >= 0; j--)
                MMM_TRY(launch_columns(program, &x, &y, j, y.fa, true));
            MMM_TRY(launch_join(program, ((int64_t)1 << x.k) / threads, threads, y.fa, y.f, y.constants, y.weights,
                                a + b, terms_a + terms_b - 1, (int64_t)1 << x.k,
                                m->p == 2 ? 1 : UINT64_MAX >> (64 - m->bits), many, x.primes, x.Q, x.direct));
        }
    }
    return fill(job, &x, &y);
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

static mmm_status load(mmm_job *job)
{
    int64_t n, m;
    const uint64_t *a = mmm_job_given(job, A, &n), *b = mmm_job_given(job, B, &m);
    if (mmm_job_get(job, "square") && (n != m || (a && b && memcmp(a, b, (size_t)n * sizeof *a) != 0)))
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
                   {"p", "the prime modulus", MMM_MODULUS, 2, INT64_MAX, 2013265921},
                   {"seed", "the seed of random inputs", MMM_SEED, 0, INT64_MAX, 1}},
    .constraints = "is_power_of_2(c); n = m or square = 0",
    .inputs = {{"a", MMM_POLYNOMIAL, "n"}, {"b", MMM_POLYNOMIAL, "m"}},
    .outputs = {{"f", MMM_POLYNOMIAL, "n + m - 1"}},
    .calibration = {"n=1000 m=900 s=6,8,12 c=16,32", "n=4000 m=3000 s=6,8,12 c=16,32", "n=20000 m=9000 s=6,8 c=16,32"},
    .draw = draw,
    .load = load,
    .build = build,
    .check = mmm_oracle_multiply,
};
