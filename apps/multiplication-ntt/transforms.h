/* SPDX-License-Identifier: Apache-2.0 */
/* Transforms of several sizes in one program, for applications that are made of products: primes, tables, constants,
 * and launches of the kernels of multiplication-ntt.
 *
 * Factor number i of a level is the same for every size that has one.  So one table serves all sizes: for each number
 * of levels of a kernel, the factors of as many parts as the largest size has; and the factors of the last four levels.
 */
#ifndef TRANSFORMS_H
#define TRANSFORMS_H

#include <mmm/app.h>
#if !defined(TRANSFORMS_OF_THIS_FOLDER) /* else its kernels.h comes before: a copy of the folder runs its own */
#include <mmm/apps/multiplication-ntt.h>
#endif

#include <stdbool.h>
#include <stdlib.h>

enum { PRIMES_MOST = 5, LEAST = 6, LONGEST = 21, STEPS_MOST = 8, SIZES_MOST = 128, LEVELS_MOST = 12 };

/* Residues and up to so many levels are one kernel where a block has so many columns; words of a block of rows, of
 * which there are 16 of 16 at least, of several polynomials if need be. */
enum { AT_ONCE_MOST = 7, COLUMNS_MANY = 64, BLOCK_MOST = 4096, ROWS_LEAST = 8, ROWS_MOST = 11 };

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
    OFFSET = 17,
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

/* Polynomials of Q 2^k words, by kernels that take columns and one that takes rows. */
typedef struct transform {
    int k, Q, steps;
    int first[STEPS_MOST], levels[STEPS_MOST]; /* of each kernel, the last with 4 levels more than it says */
    int64_t width[STEPS_MOST];                 /* columns or polynomials of a block */
    int order;                                 /* log2 of what the levels back multiply by */
} transform;

typedef struct transforms {
    mmm_program *program;
    int s;
    int64_t c;
    int primes, count;
    bool direct, wide; /* modulo the program's prime itself; words of 64 bits */
    bool negative;     /* modulo the factors of y^8 + 1, which follow those of y^8 - 1 */
    int64_t terms;     /* products in a sum, at most */
    uint64_t modulus;
    uint32_t prime[PRIMES_MOST];
    transform sizes[SIZES_MOST];
    int64_t parts[LEVELS_MOST + 1], at[LEVELS_MOST + 1]; /* of the factors of so many levels: how many, and where */
    int64_t words, last_words;                           /* of the tables of a prime in one direction */
    mmm_u32_array table, quotients, last, constants[LONGEST + 4]; /* by the order of a transform */
    mmm_u64_array weights; /* of digits, as many as there are primes, and their quotients */
} transforms;

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

static int log2_of(int64_t n)
{
    int k = 0;
    while (n >> k > 1)
        k++;
    return k;
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

/* Q and k for `length` words: Q 2^k of them with Q from 4 to 8, where a block of rows takes several a multiple of
 * those. */
static void size_of(int64_t length, int *k, int *Q)
{
    *k = ROWS_LEAST;
    while ((int64_t)8 << *k < length)
        ++*k;
    if (length <= 768) *k = length <= 256 ? LEAST : ROWS_LEAST - 1;
    *Q = (int)((length + ((int64_t)1 << *k) - 1) >> *k);
    if (*k < ROWS_LEAST) *Q += *Q % 2;
    if (*Q < 4) *Q = 4;
}

static int64_t words_of(const transform *x)
{
    return (int64_t)x->Q << x->k;
}

/* Whether p itself has the roots of unity for up to `length` words. */
static inline bool is_direct(const mmm_modulus *p, int64_t length)
{
    int k, Q;
    size_of(length, &k, &Q);
    return p->bits == 32 && p->p > 2 && (p->p - 1) % ((uint64_t)8 << k) == 0;
}

/* The number of the size of Q 2^k words, new or known. */
static inline int transforms_add(transforms *z, int k, int Q)
{
    transform x = {.k = k, .Q = Q};
    for (int i = 0; i < z->count; i++)
        if (z->sizes[i].k == x.k && z->sizes[i].Q == x.Q) return i;
    int s = z->s < 4 ? 4 : z->s, rows = x.k < 12 && x.k <= s + 4 ? x.k : s < ROWS_LEAST ? ROWS_LEAST : s > 12 ? 12 : s;
    if (rows > x.k) rows = x.k;
    if (s >= ROWS_LEAST && rows + s < x.k && x.k - s <= ROWS_MOST) rows = x.k - s; /* one kernel for all other levels */
    int left = x.k - rows, columns = (left + s - 1) / s;
    for (int i = 0, level = 0; i <= columns; i++) {
        bool last = i == columns;
        int levels = last ? rows : left * (i + 1) / columns - level;
        x.first[i] = level;
        x.levels[i] = last ? rows - 4 : levels;
        level += levels;
        x.width[i] = last ? z->c / 2 > 0 ? z->c / 2 : 1 : z->c;
        while (x.width[i] > (int64_t)1 << (last ? x.first[i] : x.k - level))
            x.width[i] /= 2;
        while (last && x.width[i] > 1 && x.width[i] << rows > BLOCK_MOST)
            x.width[i] /= 2;
        while (last && x.width[i] << x.levels[i] < 16) /* rows of a block */
            x.width[i] *= 2;
        int64_t parts = (int64_t)(z->negative ? 16 : x.Q) << x.first[i];
        if (z->parts[x.levels[i]] < parts) z->parts[x.levels[i]] = parts;
    }
    x.steps = columns + 1;
    x.order = x.k - 3 + (x.Q == 8 ? 3 : 2); /* rows of 8 words are not taken further */
    int64_t last_words = (z->negative ? 2 : 1) * words_of(&x) / 8;
    if (z->last_words < last_words) z->last_words = last_words;
    z->sizes[z->count] = x;
    return z->count++;
}

/* That of at least `length` words. */
static inline int transforms_size(transforms *z, int64_t length)
{
    int k, Q;
    size_of(length, &k, &Q);
    return transforms_add(z, k, Q);
}

/* The same for a product of `length` words of which it is enough to know their sums modulo x^words - 1, of words not
 * fewer than `cyclic`: sizes that do so are powers of two. */
static inline int transforms_cyclic(transforms *z, int64_t cyclic, int64_t length)
{
    int64_t words = (int64_t)4 << LEAST;
    int k, Q;
    while (words < cyclic)
        words *= 2;
    size_of(length, &k, &Q);
    return transforms_size(z, words < (int64_t)Q << k ? words : length);
}

/* Once all sizes are known: the primes, for sums of `terms` products, and the arrays. */
static inline mmm_status transforms_arrays(transforms *z, mmm_job *job, int64_t terms)
{
    const mmm_modulus *p = mmm_job_modulus(job);
    int longest = 0;
    for (int i = 0; i < z->count; i++)
        if (z->sizes[i].k > longest) longest = z->sizes[i].k;
    z->wide = p->bits == 64;
    z->modulus = p->p;
    z->direct = p->bits == 32 && p->p > 2 && (p->p - 1) % ((uint64_t)(z->negative ? 16 : 8) << longest) == 0;
    for (int64_t i = 0; i < mmm_job_moduli(job) && mmm_job_moduli(job) > 1; i++) {
        MMM_TRY(mmm_job_select(job, i));
        const uint64_t own = mmm_job_modulus(job)->p;
        MMM_TRY(mmm_job_select(job, 0));
        if (!z->direct || (own - 1) % ((uint64_t)8 << longest) != 0)
            return mmm_fail(MMM_INVALID,
                            "p=%llu: with a modulus for each problem all need roots of unity of order %lld",
                            (unsigned long long)own, (long long)8 << longest);
    }
    z->terms = terms;
    double bits = 2 * log2_of((int64_t)p->p) + 2 + log2_of(terms) + 1 + z->negative;
    if (z->direct)
        z->prime[z->primes++] = (uint32_t)p->p;
    else
        for (; bits > 0 && z->primes < PRIMES_MOST; bits -= 30.6)
            z->prime[z->primes] = all_primes[z->primes], z->primes++;
    for (int e = 0; e <= LEVELS_MOST; e++) {
        z->at[e] = z->words;
        z->words += z->parts[e] * room_of(e);
    }
    MMM_TRY(mmm_job_array(job, "table", 2 * z->primes * z->words, MMM_IN, &z->table));
    MMM_TRY(mmm_job_array(job, "quotients", 2 * z->primes * z->words, MMM_IN, &z->quotients));
    MMM_TRY(mmm_job_array(job, "last", 2 * z->primes * z->last_words, MMM_IN, &z->last));
    MMM_TRY(mmm_job_array(job, "weights", 2 * z->primes, MMM_IN, &z->weights));
    for (int i = 0; i < z->count; i++)
        z->constants[z->sizes[i].order].number = -1;
    for (int i = 0; i < z->count; i++) {
        mmm_u32_array *constants = &z->constants[z->sizes[i].order];
        if (constants->number < 0) MMM_TRY(mmm_job_array(job, "constants", CONSTANTS * z->primes, MMM_IN, constants));
    }
    return MMM_OK;
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

/* Powers of a root of unity, number i the one whose exponent has the bits of i, reversed; and what `times` needs of
 * each. */
typedef struct powers {
    uint32_t *factors, *quotients;
} powers;

static void fill_powers(const powers *x, uint64_t root, int64_t count, uint64_t p)
{
    const double ratio = 4294967296.0 / (double)p;
    x->factors[0] = 1;
    for (int64_t j = 1; j < count; j *= 2) {
        const uint64_t next = power(root, (uint64_t)(2 * count / (4 * j)), p), quotient = (next << 32) / p;
        for (int64_t k = 0; k < j; k++) {
            const uint64_t w = x->factors[k], rest = w * next - (w * quotient >> 32) * p;
            x->factors[j + k] = (uint32_t)(rest < p ? rest : rest - p);
        }
    }
    for (int64_t k = 0; k < count; k++) { /* w 2^32 / p, by at most one too small or too large at first */
        const uint64_t w = x->factors[k];
        uint64_t quotient = (uint64_t)((double)w * ratio);
        const int64_t rest = (int64_t)((w << 32) - quotient * p);
        x->quotients[k] = (uint32_t)(quotient + (rest >= (int64_t)p) - (rest < 0));
    }
}

/* Tables of a prime in one direction. */
static void fill_tables(const transforms *z, const powers *x, uint32_t *table, uint32_t *quotients, uint32_t *last)
{
    for (int levels = 1; levels <= LEVELS_MOST; levels++) {
        int64_t at = z->at[levels];
        for (int64_t node = 0; node < z->parts[levels]; node++)
            for (int depth = 0, e = rest_of(levels); depth < levels; depth += e, e = 4)
                for (int64_t part = node << depth; part < (node + 1) << depth; part++, at += 1 << e)
                    for (int64_t j = 1; j < 1 << e; j *= 2)
                        for (int64_t f = 0; f < j; f++) {
                            table[at + j + f] = x->factors[part * j + f];
                            quotients[at + j + f] = x->quotients[part * j + f];
                        }
    }
    for (int64_t i = 0; i < z->last_words / 2; i++) {
        last[i / 16 * 32 + i % 16] = x->factors[i];
        last[i / 16 * 32 + 16 + i % 16] = x->quotients[i];
    }
}

static void fill_constants(const transforms *z, int order, int prime, const uint32_t *forward, const uint32_t *backward,
                           uint32_t *to)
{
    uint64_t p = z->prime[prime], half = (p + 1) / 2, i = forward[1], quarter_i = product(product(half, half, p), i, p);
    uint32_t inverse = (uint32_t)p;
    for (int step = 0; step < 4; step++)
        inverse *= 2 - (uint32_t)p * inverse;
    to[PRIME] = (uint32_t)p;
    to[MINUS_INVERSE] = -inverse;
    /* Where products are subtracted: as many times the square of the program's prime, which is 0. */
    uint64_t square = product(z->modulus % p, z->modulus % p, p);
    to[OFFSET] = z->negative ? (uint32_t)product((uint64_t)z->terms % p, square, p) : 0;
    /* Products of values are divided by 2^32, and of numbers in the form of the program that is right once. */
    uint64_t scale = power(power(2, (uint64_t)order, p), p - 2, p);
    if (!z->direct) scale = product(scale, ((uint64_t)1 << 32) % p, p);
    const uint64_t plain[] = {[SCALE] = scale, [HIGH_WORD] = ((uint64_t)1 << 32) % p,
                              [HALVED] = half, [ROOT_HALVED] = product(half, i, p),
                              [ROOT] = i,      [UNIT] = 1};
    for (int j = SCALE; j <= UNIT; j++)
        put_constant(to, j, plain[j], p);
    for (int j = 1; j < 4; j++)
        put_constant(to, W1 + j - 1, product(half, power(forward[2], (uint64_t)j, p), p), p);
    for (int j = 0; j < 6; j++)
        put_constant(to, V0 + j, product(quarter_i, power(forward[3], (uint64_t)j, p), p), p);
    for (int j = 1; j < 8; j *= 2)
        for (int f = 0; f < j; f++) {
            put_constant(to, DOWN_8 + j + f, forward[z->negative * j + f], p);
            put_constant(to, UP_8 + j + f, backward[z->negative * j + f], p);
        }
    for (int j = 0; j < prime; j++)
        put_constant(to, INVERSES + j, power(z->prime[j], p - 2, p), p);
    for (int back = 0; back < 2; back++) {
        int64_t number = back * z->primes + prime;
        to[back ? TABLE_BACK : TABLE] = (uint32_t)(number * z->words);
        to[back ? LAST_BACK : LAST] = (uint32_t)(number * z->last_words + (z->negative ? (int64_t)1 << order : 0));
    }
}

/* What is in the arrays of the problem that is selected. */
static inline mmm_status transforms_fill_one(const transforms *z, mmm_job *job)
{
    uint32_t *table = mmm_job_memory(job, z->table.number), *last = mmm_job_memory(job, z->last.number);
    uint32_t *quotients = mmm_job_memory(job, z->quotients.number);
    const mmm_modulus *m = mmm_job_modulus(job);
    uint64_t *weights = mmm_job_memory(job, z->weights.number);
    if (!table || !last || !quotients || !weights) return MMM_MEMORY; /* the message is there */
    int64_t count = 16;
    while (count < z->last_words / 2 && !mmm_job_sketch(job))
        count *= 2;
    /* A product of two words in the program's form has that form twice. */
    uint64_t weight = power(mmm_job_residue(job, 1), m->p - 2, m->p);
    uint32_t *memory = malloc((size_t)(4 * count) * sizeof *memory);
    if (!memory) return mmm_fail(MMM_MEMORY, "no memory for %lld roots of unity", (long long)(2 * count));
    const powers roots[] = {{memory, memory + 2 * count}, {memory + count, memory + 3 * count}};
    for (int i = 0; i < z->primes; i++) {
        uint64_t p = z->prime[i], root = root_of(p, log2_of(2 * count));
        for (int back = 0; back < 2; back++) {
            if (back) root = power(root, p - 2, p);
            fill_powers(&roots[back], root, count, p);
            int64_t number = back * z->primes + i;
            if (mmm_job_sketch(job)) continue;
            fill_tables(z, &roots[back], table + number * z->words, quotients + number * z->words,
                        last + number * z->last_words);
        }
        for (int j = 0; j < z->count; j++) {
            int order = z->sizes[j].order;
            uint32_t *constants = mmm_job_memory(job, z->constants[order].number);
            if (!constants) {
                free(memory);
                return MMM_MEMORY;
            }
            fill_constants(z, order, i, roots[0].factors, roots[1].factors, constants + CONSTANTS * i);
        }
        weights[i] = weight;
        weights[z->primes + i] = (uint64_t)(((unsigned __int128)weight << m->bits) / m->p);
        weight = product(weight, p % m->p, m->p);
    }
    free(memory);
    return MMM_OK;
}

/* At the end of `build`: what is in the arrays, of each problem where each has its own modulus. */
static inline mmm_status transforms_fill(const transforms *z, mmm_job *job)
{
    transforms own = *z;
    for (int64_t i = mmm_job_moduli(job) - 1; i >= 0; i--) {
        MMM_TRY(mmm_job_select(job, i));
        own.modulus = mmm_job_modulus(job)->p;
        if (own.direct) own.prime[0] = (uint32_t)own.modulus;
        MMM_TRY(transforms_fill_one(&own, job));
    }
    return MMM_OK;
}

/* Some polynomials in an array, with what is known of them: words of a program, the first of the first, from one to the
 * next, of each; how many there are. */
typedef struct operands {
    mmm_word_array array;
    int64_t first, stride, terms;
    int count;
} operands;

/* Where the factors of a kernel begin. */
static inline int64_t factors_of(const transforms *z, const transform *x, int i)
{
    int levels = x->levels[i];
    return z->at[levels] + (z->negative ? ((int64_t)8 << x->first[i]) * room_of(levels) : 0);
}

/* Levels of all columns of `count` polynomials, forward or backward. */
static inline mmm_status launch_columns(const transforms *z, const transform *x, int i, mmm_u32_array f, int count,
                                        bool back)
{
    int64_t c = x->width[i], distance = (int64_t)1 << (x->k - x->first[i] - x->levels[i]);
    int64_t blocks = count * z->primes * words_of(x) / (c << x->levels[i]);
    int64_t lines = x->levels[i] > 4 ? 1 << (x->levels[i] - 4) : 1;
    return (back ? launch_columns_backward : launch_columns_forward)(
        z->program, blocks, 1, c, lines, f, z->constants[x->order], z->table, z->quotients, factors_of(z, x, i),
        x->first[i], distance, log2_of(distance / c), z->primes, x->Q, x->levels[i], c);
}

/* Where blocks have many columns, as on CPUs, residues and first levels are one kernel. */
static inline bool begins_at_once(const transforms *z, const transform *x)
{
    return z->c >= COLUMNS_MANY && x->steps > 1 && x->levels[0] <= AT_ONCE_MOST;
}

/* All levels but those of the last kernel. */
static inline mmm_status transforms_begin(const transforms *z, int size, operands a, mmm_u32_array f)
{
    const transform *x = &z->sizes[size];
    const int pieces = a.terms > (int64_t)4 << x->k ? 8 : 4, bits = x->k < 8 ? x->k : 8; /* of the number of a thread */
    const bool at_once = begins_at_once(z, x);
    if (at_once) {
        const int64_t c = x->width[0], distance = (int64_t)1 << (x->k - x->levels[0]);
        const int64_t lines = x->levels[0] > 4 ? 1 << (x->levels[0] - 4) : 1;
        MMM_TRY(launch_split_columns(z->program, a.count * distance / c, 1, c, lines, a.array, f,
                                     z->constants[x->order], z->table, z->quotients, factors_of(z, x, 0), a.first,
                                     a.stride, a.terms, distance, z->primes, x->Q, pieces, z->wide, x->levels[0], c));
    } else
        MMM_TRY(launch_split(z->program, a.count * z->primes * ((int64_t)1 << (x->k - bits)), 1 << bits, a.array, f,
                             z->constants[x->order], a.first, a.stride, a.terms, x->k - bits, (int64_t)1 << x->k,
                             z->primes, x->Q, pieces, z->wide));
    for (int i = at_once; i < x->steps - 1; i++)
        MMM_TRY(launch_columns(z, x, i, f, a.count, false));
    return MMM_OK;
}

/* From behind the last kernel back: words `begin` ... of the products to the operands. */
static inline mmm_status transforms_end(const transforms *z, int size, mmm_u32_array f, operands to, int64_t begin,
                                        bool more)
{
    const transform *x = &z->sizes[size];
    int bits = x->k < 7 ? x->k : 7;
    for (int j = x->steps - 2; j >= 0; j--)
        MMM_TRY(launch_columns(z, x, j, f, to.count, true));
    return launch_join(z->program, to.count * ((int64_t)1 << (x->k - bits)), 1 << bits, f, to.array,
                       z->constants[x->order], z->weights, to.first, to.stride, begin, begin + to.terms, x->k - bits,
                       (int64_t)1 << x->k, z->modulus, more, z->primes, x->Q, z->direct, z->wide);
}

/* The same for one operand: `terms` words of a from number `first` on. */
static inline mmm_status transforms_forward(const transforms *z, int size, mmm_word_array a, int64_t first,
                                            int64_t terms, mmm_u32_array f)
{
    return transforms_begin(z, size, (operands){a, first, 0, terms, 1}, f);
}

/* f becomes the products of what f and g were made of, and these go to the result, or are added to it. */
static inline mmm_status transforms_products(const transforms *z, int size, mmm_u32_array f, mmm_u32_array g,
                                             operands result, bool more)
{
    const transform *x = &z->sizes[size];
    int i = x->steps - 1;
    int64_t c = x->width[i], rows = c << x->levels[i];
    MMM_TRY(launch_multiply_rows(z->program, result.count * z->primes * words_of(x) / 16 / rows, 1, 16, rows >> 4, f, g,
                                 z->constants[x->order], z->table, z->quotients, z->last, factors_of(z, x, i),
                                 x->first[i], z->primes, x->Q, x->levels[i], c, f.number == g.number));
    return transforms_end(z, size, f, result, 0, more);
}

/* One product: its first `terms` words go to the result, from number `first` on. */
static inline mmm_status transforms_multiply(const transforms *z, int size, mmm_u32_array f, mmm_u32_array g,
                                             mmm_word_array result, int64_t first, int64_t terms, bool more)
{
    return transforms_products(z, size, f, g, (operands){result, first, 0, terms, 1}, more);
}

/* All levels, to values. */
static inline mmm_status transforms_values(const transforms *z, int size, operands a, mmm_u32_array f)
{
    const transform *x = &z->sizes[size];
    int i = x->steps - 1;
    int64_t c = x->width[i], blocks = a.count * z->primes * words_of(x) / 16 / (c << x->levels[i]);
    MMM_TRY(transforms_begin(z, size, a, f));
    return launch_rows_forward(z->program, blocks, 1, 16, c << x->levels[i] >> 4, f, z->constants[x->order], z->table,
                               z->quotients, z->last, factors_of(z, x, i), x->first[i], z->primes, x->Q, x->levels[i],
                               c);
}

/* The product of a 2 x 2 matrix f with one of `columns` columns, of values; words `begin` ... of its entries. */
static inline mmm_status transforms_combine(const transforms *z, int size, mmm_u32_array f, mmm_u32_array g,
                                            int64_t columns, mmm_u32_array space, operands to, int64_t begin)
{
    const transform *x = &z->sizes[size];
    int i = x->steps - 1;
    int64_t c = x->width[i], blocks = to.count * z->primes * words_of(x) / 16 / (c << x->levels[i]);
    MMM_TRY(launch_combine_rows(z->program, blocks, 1, 16, c << x->levels[i] >> 4, f, g, space, z->constants[x->order],
                                z->table, z->quotients, z->last, factors_of(z, x, i), x->first[i], z->primes, columns,
                                x->Q, x->levels[i], c));
    return transforms_end(z, size, space, to, begin, false);
}

#endif
