/* SPDX-License-Identifier: Apache-2.0 */
/* Transforms of several sizes in one program, for applications that are made of products: launches of the kernels of
 * multiplication-ntt. */
#ifndef TRANSFORMS_H
#define TRANSFORMS_H

#include "tables.h"

#include <mmm/model.h>

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

/* Kernels are there for residues of 32 bits and for words: a call of one of both, of arrays of type `kind`. */
#define EITHER(call) (z->large ? call(_words, mmm_word_array) : call(, mmm_u32_array))

/* Levels of all columns of `count` polynomials, of all residues but the first `known`, forward or backward. */
static inline mmm_status launch_columns(const transforms *z, const transform *x, int i, mmm_u32_array f, int count,
                                        int known, bool back)
{
    int64_t c = x->width[i], distance = (int64_t)1 << (x->k - x->first[i] - x->levels[i]);
    int64_t blocks = count * z->primes * ((int64_t)(x->Q - known) << x->k) / (c << x->levels[i]);
    int64_t lines = x->levels[i] > 4 ? 1 << (x->levels[i] - 4) : 1;
#define COLUMNS(way, kind)                                                                                         \
    (back ? launch_columns_backward##way : launch_columns_forward##way)(                                           \
        z->program, blocks, 1, c, lines, (kind){f.number}, (kind){z->constants[x->order]}, (kind){z->table},       \
        (kind){z->quotients}, factors_of(z, x, i), x->first[i], distance, log2_of(distance / c), z->primes, known, \
        x->Q, x->levels[i], c)
    return EITHER(COLUMNS);
}

/* Where blocks have many columns, as on CPUs, residues and first levels are one kernel. */
static inline bool begins_at_once(const transforms *z, const transform *x)
{
    return z->c >= COLUMNS_MANY && x->steps > 1 && x->levels[0] <= AT_ONCE_MOST;
}

/* In how many shares the residues of one polynomial are taken on, each by itself, until the last kernel puts them
 * together: two threads of a CPU need not meet before.  Two where half of the residues are whole ones. */
static inline int shares_of(const transforms *z, const transform *x, int count)
{
    const bool outside = words_of(x) < SHARED_LEAST || z->primes * words_of(x) > SHARED_MOST;
    return z->shared && z->c >= COLUMNS_MANY && count == 1 && x->Q * z->primes % 2 == 0 && !outside ? 2 : 1;
}

/* All levels but those of the last kernel, of all residues but the first `known`. */
static inline mmm_status transforms_begin(const transforms *z, int size, operands a, int known, mmm_u32_array f)
{
    const transform *x = &z->sizes[size];
    const int pieces = a.terms > (int64_t)4 << x->k ? 8 : 4, bits = x->k < 8 ? x->k : 8; /* of the number of a thread */
    const int shares = shares_of(z, x, a.count), parts = z->primes + (shares == 2 ? z->primes % 2 : 0);
    const bool at_once = begins_at_once(z, x) && known == 0;
    const int64_t c = x->width[0], distance = (int64_t)1 << (x->k - x->levels[0]), words = (int64_t)1 << x->k;
    const int64_t lines = x->levels[0] > 4 ? 1 << (x->levels[0] - 4) : 1;
#define SPLIT_COLUMNS(way, kind)                                                                                  \
    launch_split_columns##way(z->program, a.count *distance / c, 1, c, lines, a.array, (kind){f.number},          \
                              (kind){z->constants[x->order]}, (kind){z->table}, (kind){z->quotients},             \
                              factors_of(z, x, 0), a.first, a.stride, a.terms, distance, z->primes, x->Q, pieces, \
                              z->wide, x->levels[0], c)
#define SPLIT(way, kind)                                                                                         \
    launch_split##way(z->program, a.count *parts *(words >> bits), 1 << bits, a.array, (kind){f.number},         \
                      (kind){z->constants[x->order]}, a.first, a.stride, a.terms, x->k - bits, words, z->primes, \
                      known, x->Q, pieces, z->wide, known ? 0 : shares)
    if (at_once)
        MMM_TRY(EITHER(SPLIT_COLUMNS));
    else
        MMM_TRY(EITHER(SPLIT));
    for (int i = at_once; i < x->steps - 1; i++)
        MMM_TRY(launch_columns(z, x, i, f, a.count, known, false));
    return MMM_OK;
}

/* From behind the last kernel back: words `begin` ... of the products to the operands. */
static inline mmm_status transforms_end(const transforms *z, int size, mmm_u32_array f, operands to, int64_t begin,
                                        bool more)
{
    const transform *x = &z->sizes[size];
    int bits = x->k < 7 ? x->k : 7;
    for (int j = x->steps - 2; j >= 0; j--)
        MMM_TRY(launch_columns(z, x, j, f, to.count, 0, true));
#define JOIN(way, kind)                                                                                          \
    launch_join##way(z->program, to.count *((int64_t)1 << (x->k - bits)), 1 << bits, (kind){f.number}, to.array, \
                     (kind){z->constants[x->order]}, z->weights, to.first, to.stride, begin, begin + to.terms,   \
                     x->k - bits, (int64_t)1 << x->k, z->modulus, more, z->primes, x->Q, z->direct, z->wide)
    return EITHER(JOIN);
}

/* Kernels from number `first` on are a product and the transforms for it: what goes on share by share does.  Blocks of
 * split_columns have all residues, as on one thread it took a thirtieth longer to read all pieces for each half. */
static inline mmm_status transforms_share(const transforms *z, int size, int first)
{
    const transform *x = &z->sizes[size];
    const int last = mmm_program_kernels(z->program) - 1;
    if (shares_of(z, x, 1) == 1) return MMM_OK;
    for (int i = begins_at_once(z, x) ? last - (x->steps - 1) : first + 1; i < last; i++)
        MMM_TRY(mmm_program_shares(z->program, i, 2));
    return MMM_OK;
}

/* The same for one operand: `terms` words of a from number `first` on. */
static inline mmm_status transforms_forward(const transforms *z, int size, mmm_word_array a, int64_t first,
                                            int64_t terms, mmm_u32_array f)
{
    return transforms_begin(z, size, (operands){a, first, 0, terms, 1}, 0, f);
}

/* f becomes the products of what f and g were made of, and these go to the result, or are added to it. */
static inline mmm_status transforms_products(const transforms *z, int size, mmm_u32_array f, mmm_u32_array g,
                                             operands result, bool more)
{
    const transform *x = &z->sizes[size];
    int i = x->steps - 1;
    int64_t c = x->width[i], rows = c << x->levels[i];
#define MULTIPLY(way, kind)                                                                                         \
    launch_multiply_rows##way(z->program, result.count * z->primes * words_of(x) / 16 / rows, 1, 16, rows >> 4,     \
                              (kind){f.number}, (kind){g.number}, (kind){z->constants[x->order]}, (kind){z->table}, \
                              (kind){z->quotients}, (kind){z->last}, factors_of(z, x, i), x->first[i], z->primes,   \
                              x->Q, x->levels[i], c, f.number == g.number)
    MMM_TRY(EITHER(MULTIPLY));
    return transforms_end(z, size, f, result, 0, more);
}

/* One product: its first `terms` words go to the result, from number `first` on. */
static inline mmm_status transforms_multiply(const transforms *z, int size, mmm_u32_array f, mmm_u32_array g,
                                             mmm_word_array result, int64_t first, int64_t terms, bool more)
{
    return transforms_products(z, size, f, g, (operands){result, first, 0, terms, 1}, more);
}

/* How many residues of a size are those of all of another one, whose values are then the first of its own: factor
 * number i of a level splits into numbers 2 i and 2 i + 1 of the next.  0 where they are no whole blocks of rows, or
 * words are taken modulo the program's prime in between. */
static inline int residues_of(const transforms *z, int size, int other)
{
    const transform *x = &z->sizes[size];
    const int64_t known = words_of(&z->sizes[other]) >> x->k, groups = x->width[x->steps - 1] >> x->first[x->steps - 1];
    const bool whole = known << x->k == words_of(&z->sizes[other]) && known < x->Q &&
                       (groups < 2 || (known % groups == 0 && x->Q % groups == 0));
    return z->direct && whole ? (int)known : 0;
}

/* All levels, to values, of which those of the first `known` residues are there. */
static inline mmm_status transforms_values(const transforms *z, int size, operands a, int known, mmm_u32_array f)
{
    const transform *x = &z->sizes[size];
    int i = x->steps - 1;
    int64_t c = x->width[i];
    int64_t blocks = a.count * z->primes * ((int64_t)(x->Q - known) << x->k) / 16 / (c << x->levels[i]);
    MMM_TRY(transforms_begin(z, size, a, known, f));
#define ROWS(way, kind)                                                                                               \
    launch_rows_forward##way(z->program, blocks, 1, 16, c << x->levels[i] >> 4, (kind){f.number},                     \
                             (kind){z->constants[x->order]}, (kind){z->table}, (kind){z->quotients}, (kind){z->last}, \
                             factors_of(z, x, i), x->first[i], z->primes, known, x->Q, x->levels[i], c)
    return EITHER(ROWS);
}

/* Where values of a product are kept for a larger transform: its first residues, of entries `stride` words apart; or
 * nowhere, with a stride of 0. */
typedef struct keep {
    mmm_u32_array array;
    int64_t stride;
} keep;

/* The product of a 2 x 2 matrix f with one of `columns` columns, of values; words `begin` ... of its entries. */
static inline mmm_status transforms_combine(const transforms *z, int size, mmm_u32_array f, mmm_u32_array g,
                                            int64_t columns, mmm_u32_array space, keep kept, operands to, int64_t begin)
{
    const transform *x = &z->sizes[size];
    int i = x->steps - 1, other = kept.stride ? kept.array.number : space.number;
    int64_t c = x->width[i], blocks = to.count * z->primes * words_of(x) / 16 / (c << x->levels[i]);
#define COMBINE(way, kind)                                                                                          \
    launch_combine_rows##way(z->program, blocks, 1, 16, c << x->levels[i] >> 4, (kind){f.number}, (kind){g.number}, \
                             (kind){space.number}, (kind){other}, (kind){z->constants[x->order]}, (kind){z->table}, \
                             (kind){z->quotients}, (kind){z->last}, factors_of(z, x, i), x->first[i], z->primes,    \
                             columns, kept.stride, x->Q, x->levels[i], c)
    MMM_TRY(EITHER(COMBINE));
    return transforms_end(z, size, space, to, begin, false);
}

#endif
