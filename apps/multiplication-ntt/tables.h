/* SPDX-License-Identifier: Apache-2.0 */
/* Transforms of several sizes in one program: sizes, primes, tables and constants.
 *
 * Factor number i of a level is the same for every size that has one.  So one table serves all sizes: for each number
 * of levels of a kernel, the factors of as many parts as the largest size has; and the factors of the last four levels.
 */
#ifndef TABLES_H
#define TABLES_H

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

/* Words of a product that is made in two shares, and of its residues modulo all primes. */
enum { SHARED_LEAST = 1 << 12, SHARED_MOST = 1 << 16 };

/* Primes below 2^31 and above 2^30 with roots of unity of order 2^24, and just below 2^48 with those of order 2^26. */
static const uint64_t all_primes[][PRIMES_MOST] = {
    {2130706433, 2113929217, 2013265921, 1811939329, 1711276033},
    {281474305622017, 281473567424513, 281473500315649, 281470547525633, 281467460517889}};

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
    bool large;        /* primes below 2^48 and residues that are words, not below 2^31 and of 32 bits */
    bool shared;       /* residues of a product are in two shares where that pays: transforms_share is called */
    bool single;       /* values are of words, for what is multiplied several times; not of polynomials of 8 of them */
    bool negative;     /* modulo the factors of y^8 + 1, which follow those of y^8 - 1 */
    int64_t terms;     /* products in a sum, at most */
    uint64_t modulus;
    uint64_t prime[PRIMES_MOST];
    transform sizes[SIZES_MOST];
    int64_t parts[LEVELS_MOST + 1], at[LEVELS_MOST + 1]; /* of the factors of so many levels: how many, and where */
    int64_t words, last_words;                           /* of the tables of a prime in one direction */
    int table, quotients, last, constants[LONGEST + 4];  /* arrays; constants by the order of a transform */
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
        while (last && x.width[i] > 1 && x.width[i] << rows > BLOCK_MOST >> z->large)
            x.width[i] /= 2;
        while (last && x.width[i] << x.levels[i] < 16) /* rows of a block */
            x.width[i] *= 2;
        int64_t parts = (int64_t)(z->negative ? 16 : x.Q) << x.first[i];
        if (z->parts[x.levels[i]] < parts) z->parts[x.levels[i]] = parts;
    }
    x.steps = columns + 1;
    x.order = x.k + (x.Q == 8 ? 3 : 2) - (z->single ? 0 : 3); /* else rows of 8 words are not taken further */
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

/* Words of the table of a row's last levels, and of factors that it needs of the longest level, over those of one. */
static int64_t row_words(const transforms *z)
{
    return z->single ? 16 : 1;
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
        z->prime[z->primes++] = p->p;
    else
        for (; bits > 0 && z->primes < PRIMES_MOST; bits -= z->large ? 47.99 : 30.6)
            z->prime[z->primes] = all_primes[z->large][z->primes], z->primes++;
    for (int e = 0; e <= LEVELS_MOST; e++) {
        z->at[e] = z->words;
        z->words += z->parts[e] * room_of(e);
    }
    const mmm_type type = z->large ? MMM_WORD : MMM_U32;
    MMM_TRY(mmm_job_add_array(job, "table", type, 2 * z->primes * z->words, MMM_IN, &z->table));
    MMM_TRY(mmm_job_add_array(job, "quotients", type, 2 * z->primes * z->words, MMM_IN, &z->quotients));
    MMM_TRY(mmm_job_add_array(job, "last", type, 2 * z->primes * z->last_words * row_words(z), MMM_IN, &z->last));
    MMM_TRY(mmm_job_array(job, "weights", 2 * z->primes, MMM_IN, &z->weights));
    for (int i = 0; i < z->count; i++)
        z->constants[z->sizes[i].order] = -1;
    for (int i = 0; i < z->count; i++) {
        int *constants = &z->constants[z->sizes[i].order];
        if (*constants < 0)
            MMM_TRY(mmm_job_add_array(job, "constants", type, CONSTANTS * z->primes, MMM_IN, constants));
    }
    return MMM_OK;
}

/* Whether the job asks for large primes, and words have room for their residues. */
static inline bool wants_large(const mmm_job *job)
{
    return mmm_job_get(job, "large") && mmm_job_modulus(job)->bits == 64;
}

/* An array of residues. */
static inline mmm_status transforms_array(const transforms *z, mmm_job *job, const char *name, int64_t count,
                                          mmm_u32_array *out)
{
    return mmm_job_add_array(job, name, z->large ? MMM_WORD : MMM_U32, count, MMM_WORK, &out->number);
}

/* A number of a table. */
static void put(const transforms *z, void *table, int64_t at, uint64_t x)
{
    if (z->large)
        ((uint64_t *)table)[at] = x;
    else
        ((uint32_t *)table)[at] = (uint32_t)x;
}

/* Bits of what residues are multiplied in, and so of quotients. */
static int bits_of(const transforms *z)
{
    return z->large ? 52 : 32;
}

static void put_constant(const transforms *z, void *constants, int64_t place, uint64_t w, uint64_t p)
{
    put(z, constants, place, w);
    put(z, constants, QUOTIENT + place, (uint64_t)(((unsigned __int128)w << bits_of(z)) / p));
}

/* Powers of a root of unity, number i the one whose exponent has the bits of i, reversed; and what `times` needs of
 * each. */
typedef struct powers {
    uint64_t *factors, *quotients;
} powers;

static void fill_powers(const transforms *z, const powers *x, uint64_t root, int64_t count, uint64_t p)
{
    const int bits = bits_of(z);
    const double ratio = (double)((uint64_t)1 << bits) / (double)p;
    x->factors[0] = 1;
    for (int64_t j = 1; j < count; j *= 2) {
        const uint64_t next = power(root, (uint64_t)(2 * count / (4 * j)), p);
        const uint64_t quotient = (uint64_t)(((unsigned __int128)next << 64) / p);
        for (int64_t k = 0; k < j; k++) {
            const uint64_t w = x->factors[k], rest = w * next - (uint64_t)((unsigned __int128)w * quotient >> 64) * p;
            x->factors[j + k] = rest < p ? rest : rest - p;
        }
    }
    for (int64_t k = 0; k < count; k++) { /* w 2^bits / p, by at most one too small or too large at first */
        const uint64_t w = x->factors[k], quotient = (uint64_t)((double)w * ratio);
        const int64_t rest = (int64_t)((w << bits) - quotient * p);
        x->quotients[k] = quotient + (rest >= (int64_t)p) - (rest < 0);
    }
}

/* Tables of a prime in one direction, number `number` of them. */
static void fill_tables(const transforms *z, const powers *x, int64_t number, void *table, void *quotients, void *last)
{
    for (int levels = 1; levels <= LEVELS_MOST; levels++) {
        int64_t at = number * z->words + z->at[levels];
        for (int64_t node = 0; node < z->parts[levels]; node++)
            for (int depth = 0, e = rest_of(levels); depth < levels; depth += e, e = 4)
                for (int64_t part = node << depth; part < (node + 1) << depth; part++, at += 1 << e)
                    for (int64_t j = 1; j < 1 << e; j *= 2)
                        for (int64_t f = 0; f < j; f++) {
                            put(z, table, at + j + f, x->factors[part * j + f]);
                            put(z, quotients, at + j + f, x->quotients[part * j + f]);
                        }
    }
    /* Of 16 rows: a factor of each, then the quotients of these, and so on. */
    for (int64_t i = 0, at = number * z->last_words * row_words(z); i < z->last_words / 2; i++)
        for (int64_t j = 1; j < 16; j *= 2) {
            const int64_t here = at + i / 16 * 32 * row_words(z) + i % 16;
            for (int64_t f = 0; f < j && (z->single || j == 1); f++) {
                const int64_t place = here + (z->single ? 32 * (j + f) : 0);
                put(z, last, place, x->factors[i * j + f]);
                put(z, last, place + 16, x->quotients[i * j + f]);
            }
        }
}

/* Of prime number `prime`. */
static void fill_constants(const transforms *z, int order, int prime, const uint64_t *forward, const uint64_t *backward,
                           void *constants)
{
    const int64_t to = (int64_t)CONSTANTS * prime;
    uint64_t p = z->prime[prime], half = (p + 1) / 2, i = forward[1], quarter_i = product(product(half, half, p), i, p);
    uint64_t inverse = p;
    for (int step = 0; step < 5; step++)
        inverse *= 2 - p * inverse;
    put(z, constants, to + PRIME, p);
    put(z, constants, to + MINUS_INVERSE, -inverse & (((uint64_t)1 << bits_of(z)) - 1));
    /* Where products are subtracted: as many times the square of the program's prime, which is 0. */
    uint64_t square = product(z->modulus % p, z->modulus % p, p);
    put(z, constants, to + OFFSET, z->negative ? product((uint64_t)z->terms % p, square, p) : 0);
    /* Products of values are divided by 2^bits, and of numbers in the form of the program that is right once. */
    uint64_t scale = power(power(2, (uint64_t)order, p), p - 2, p);
    if (!z->direct) scale = product(scale, ((uint64_t)1 << bits_of(z)) % p, p);
    const uint64_t plain[] = {[SCALE] = scale, [HIGH_WORD] = ((uint64_t)1 << (z->large ? 48 : 32)) % p,
                              [HALVED] = half, [ROOT_HALVED] = product(half, i, p),
                              [ROOT] = i,      [UNIT] = 1};
    for (int j = SCALE; j <= UNIT; j++)
        put_constant(z, constants, to + j, plain[j], p);
    for (int j = 1; j < 4; j++)
        put_constant(z, constants, to + W1 + j - 1, product(half, power(forward[2], (uint64_t)j, p), p), p);
    for (int j = 0; j < 6; j++)
        put_constant(z, constants, to + V0 + j, product(quarter_i, power(forward[3], (uint64_t)j, p), p), p);
    for (int j = 1; j < 8; j *= 2)
        for (int f = 0; f < j; f++) {
            put_constant(z, constants, to + DOWN_8 + j + f, forward[z->negative * j + f], p);
            put_constant(z, constants, to + UP_8 + j + f, backward[z->negative * j + f], p);
        }
    for (int j = 0; j < prime; j++)
        put_constant(z, constants, to + INVERSES + j, power(z->prime[j], p - 2, p), p);
    for (int back = 0; back < 2; back++) {
        int64_t number = back * z->primes + prime;
        put(z, constants, to + (back ? TABLE_BACK : TABLE), (uint64_t)(number * z->words));
        put(z, constants, to + (back ? LAST_BACK : LAST),
            (uint64_t)(number * z->last_words + (z->negative ? (int64_t)1 << order : 0)));
    }
}

/* What is in the arrays of the problem that is selected. */
static inline mmm_status transforms_fill_one(const transforms *z, mmm_job *job)
{
    void *table = mmm_job_memory(job, z->table), *last = mmm_job_memory(job, z->last);
    void *quotients = mmm_job_memory(job, z->quotients);
    const mmm_modulus *m = mmm_job_modulus(job);
    uint64_t *weights = mmm_job_memory(job, z->weights.number);
    if (!table || !last || !quotients || !weights) return MMM_MEMORY; /* the message is there */
    int64_t count = 16;
    while (count < z->last_words / 2 * (z->single ? 8 : 1) && !mmm_job_sketch(job))
        count *= 2;
    /* A product of two words in the program's form has that form twice. */
    uint64_t weight = power(mmm_job_residue(job, 1), m->p - 2, m->p);
    uint64_t *memory = malloc((size_t)(4 * count) * sizeof *memory);
    if (!memory) return mmm_fail(MMM_MEMORY, "no memory for %lld roots of unity", (long long)(2 * count));
    const powers roots[] = {{memory, memory + 2 * count}, {memory + count, memory + 3 * count}};
    for (int i = 0; i < z->primes; i++) {
        uint64_t p = z->prime[i], root = root_of(p, log2_of(2 * count));
        for (int back = 0; back < 2; back++) {
            if (back) root = power(root, p - 2, p);
            fill_powers(z, &roots[back], root, count, p);
            if (mmm_job_sketch(job)) continue;
            fill_tables(z, &roots[back], back * z->primes + i, table, quotients, last);
        }
        for (int j = 0; j < z->count; j++) {
            int order = z->sizes[j].order;
            void *constants = mmm_job_memory(job, z->constants[order]);
            if (!constants) {
                free(memory);
                return MMM_MEMORY;
            }
            fill_constants(z, order, i, roots[0].factors, roots[1].factors, constants);
        }
        weights[i] = weight;
        weights[z->primes + i] = (uint64_t)(((unsigned __int128)weight << (z->large ? 52 : m->bits)) / m->p);
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
        if (own.direct) own.prime[0] = own.modulus;
        MMM_TRY(transforms_fill_one(&own, job));
    }
    return MMM_OK;
}

#endif
