/* SPDX-License-Identifier: Apache-2.0 */
/* Products by number-theoretic transforms modulo one prime or several.
 *
 * A polynomial of fewer than Q M words, M a power of two, is taken modulo the first Q of the 8 factors y - w of y^8 -
 * 1, y = x^M (split); each of these residues goes through the levels of butterflies modulo x^M - w by itself; and from
 * the Q residues of the product the product is put together (join).  Q from 4 to 8 keeps lengths near.
 *
 * Arrays of residues have, prime by prime, Q polynomials of M numbers.  What a kernel must know of a prime is
 * `constants`. */
#define value  u32
#define values u32_lanes
#include "butterflies.h"

/* Numbers of the constants of a prime.  A factor has its quotient QUOTIENT places on. */
enum {
    PRIME,
    MINUS_INVERSE, /* -1 / prime mod 2^32 */
    SCALE,         /* of products of values */
    HIGH_WORD,     /* 2^32 */
    HALVED,        /* 1 / 2 */
    ROOT_HALVED,   /* i / 2, where i i = -1 */
    ROOT,          /* i */
    UNIT,          /* 1 */
    W1,            /* w / 2, where w w = i, and so on */
    W2,
    W3,
    V0, /* i / 4, i v / 4, where v v = -i, and so on */
    V1,
    V2,
    V3,
    V4,
    V5,
    OFFSET,      /* added to residues where there are several primes */
    DOWN_8 = 24, /* factors of three levels */
    UP_8 = 32,
    INVERSES = 40, /* of the primes before, modulo this one */
    TABLE = 48,    /* where its factors begin, those backward, and those of the last levels */
    TABLE_BACK,
    LAST,
    LAST_BACK,
    QUOTIENT = 64,
    CONSTANTS = 128
};

#define X(i, k)         x[(8 * (i) + (k)) * block_size + t]
#define BY(x, constant) fold(TIMES(x, own[constant], own[QUOTIENT + constant], p), p)
#define PLUS(x, y)      fold((x) + (y), p)
#define MINUS(x, y)     fold((x) - (y) + p, p)

/* Levels `from` to e - 1: of each the butterflies that words `begin` to `end` - 1 come from. */
#define IS_FOR(begin, end, e, k, i) \
    (FACTOR(e, k, i) << ((e) - (k)) < (end) && (FACTOR(e, k, i) + 1) << ((e) - (k)) > (begin))
#define DOWN_ON(e, from, begin, end, y)                                        \
    EACH (j, e - (from)) {                                                     \
        EACH (i, 1 << ((e)-1)) {                                               \
            int k = j + (from);                                                \
            if (IS_FOR(begin, end, e, k, i)) {                                 \
                value v = own[DOWN_8 + (1 << k) + FACTOR(e, k, i)];            \
                value q = own[QUOTIENT + DOWN_8 + (1 << k) + FACTOR(e, k, i)]; \
                APART(values, y[LOW(e, k, i)], y[HIGH(e, k, i)], v, q)         \
            }                                                                  \
        }                                                                      \
    }
#define UP_ON(e, y)                                                              \
    EACH (j, e) {                                                                \
        EACH (k, 1 << ((e)-1)) {                                                 \
            int level = (e)-1 - j;                                               \
            value v = own[UP_8 + (1 << level) + FACTOR(e, level, k)];            \
            value q = own[QUOTIENT + UP_8 + (1 << level) + FACTOR(e, level, k)]; \
            TOGETHER(values, y[LOW(e, level, k)], y[HIGH(e, level, k)], v, q)    \
        }                                                                        \
    }

/* Halves of the words of an operand: half i of those of piece k, in rows as the tile has them. */
#define HALF(i, k, row) halves[((((i)*pieces + (k)) << s) + (row)) * c + column]
#define HALVES(w)                       \
    HALF(0, i, part + line) = LOWER(w); \
    if (long_words) HALF(1, i, part + line) = UPPER(w);

#define RESIDUE(i)                                         \
    y[i] = lanes_load(HALF(0, i, part + line));            \
    if (long_words) {                                      \
        values high = lanes_load(HALF(1, i, part + line)); \
        y[i] = WHOLE(y[i], high);                          \
        OPS(1);                                            \
    }

/* Where the residues of all primes are in two shares and primes are odd in number, those of the one in the middle are
 * made half by half: side 1 and side 2 of it; side 0 is all of them.  A block makes residues `ring` to `beyond` - 1, by
 * the butterflies that these need of all. */
#define IS_CUT         (shares == 2 && primes % 2 == 1)
#define FIRST_OF(side) ((side) == 2 ? Q / 2 : 0)
#define END_OF(side)   ((side) == 1 ? Q / 2 : Q)
#define BY_SIDES(pieces)                            \
    {                                               \
        if (shares == 1)                            \
            SPLIT_WORDS(pieces, 0, 8, 0, Q)         \
        else if (ring < 4 && beyond > 4)            \
            SPLIT_WORDS(pieces, 0, 8, ring, beyond) \
        else if (beyond <= 4)                       \
            SPLIT_WORDS(pieces, 0, 4, ring, beyond) \
        else                                        \
            SPLIT_WORDS(pieces, 4, 8, ring, beyond) \
    }

/* Such residues, which are among `begin` to `end` - 1, of four pieces or eight. */
#define SPLIT_WORDS(pieces, begin, end, ring, beyond)                              \
    LANES (value, t) {                                                             \
        values y[8];                                                               \
        EACH (i, pieces)                                                           \
            y[i] = lanes_load(X(0, i));                                            \
        EACH (i, 8 - (pieces))                                                     \
            y[i + 4] = y[i];                                                       \
        DOWN_ON(3, 8 / (pieces)-1, begin, end, y)                                  \
        EACH (i, (end) - (begin))                                                  \
            if ((begin) + i >= ring && (begin) + i < beyond)                       \
                lanes_store(to[((begin) + i) * size + start + t], y[(begin) + i]); \
    }

/* What columns and rows need to know of the polynomial number `number`, one of 2^d parts of each of the residues. */
#define PRIME_OF(number) (((number) >> d) / Q % primes)
#define PART_OF(number)  ((number) % (Q << d))

/* Where the first `known` residues of each polynomial modulo a prime are values already, blocks are of the others:
 * number n of these among all. */
#define AMONG(n, known) ((known) ? (n) + ((known) << d) * ((n) / ((Q - (known)) << d) + 1) : (n))

/* Levels end with rows of 16 words, which are taken modulo X^8 - v and X^8 + v and multiplied there, as numbers from
 * -p/2 to p/2: of each row its v and q, where 16 rows lie together. */
#define ROW_FACTORS(v, q, table) \
    values v = lanes_load(table[32 * line + column]), q = lanes_load(table[32 * line + 16 + column]);
#define LAST_DOWN(x)                        \
    EACH (i, 8)                             \
        APART(values, x[i], x[i + 8], v, q) \
    EACH (i, 16)                            \
        x[i] = fold(x[i], p);
#define CENTRED(x, low, high)          \
    EACH (i, 8) {                      \
        low[i] = centre(x[i], p);      \
        high[i] = centre(x[i + 8], p); \
    }
#define TURNED(x, low, high)                                         \
    EACH (i, 8) {                                                    \
        low[i] = centre(fold(times(x[i], v, q, p), p), p);           \
        high[i] = 0u - centre(fold(times(x[i + 8], v, q, p), p), p); \
    }
/* The first level back, of products over 2^32. */
#define FIRST_UP(x, low, high)                         \
    EACH (i, 8) {                                      \
        values x0 = TIMES(low[i], scale, scale_q, p);  \
        values x1 = TIMES(high[i], scale, scale_q, p); \
        TOGETHER(values, x0, x1, back_v, back_q)       \
        x[i] = x0;                                     \
        x[i + 8] = x1;                                 \
    }

/* The first four pieces as if there were no more: y[0 .. 3]. */
#define RESIDUES(count)                                                               \
    EACH (k, count) {                                                                 \
        y[k] = lanes_load(from[k * size + start + t]);                                \
        lanes_ahead(from[k * size + start + block_size + t]); /* of the next block */ \
    }
#define FOUR                            \
    values y[8];                        \
    RESIDUES(4)                         \
    UP_ON(2, y)                         \
    EACH (k, 4) {                       \
        y[k] = fold(y[k], p);           \
        y[k + 4] = y[k] - y[k]; /* 0 */ \
    }
#define FIFTH                                                                            \
    values fifth = fold(lanes_load(from[4 * size + start + t]), p);                      \
    y[4] = PLUS(PLUS(BY(y[0], HALVED), BY(y[1], W1)), PLUS(BY(y[2], W2), BY(y[3], W3))); \
    y[4] = MINUS(MINUS(y[4], fifth), fifth);                                             \
    y[0] = MINUS(y[0], y[4]);                                                            \
    OPS(6);
#define FIFTH_AND_SIXTH                                                                             \
    values fifth = fold(lanes_load(from[4 * size + start + t]), p);                                 \
    values sixth = fold(lanes_load(from[5 * size + start + t]), p);                                 \
    y[4] = MINUS(PLUS(BY(y[0], HALVED), BY(y[2], ROOT_HALVED)), PLUS(fifth, sixth));                \
    y[5] = MINUS(PLUS(BY(y[1], HALVED), BY(y[3], ROOT_HALVED)), BY(MINUS(fifth, sixth), UP_8 + 6)); \
    y[0] = MINUS(y[0], y[4]);                                                                       \
    y[1] = MINUS(y[1], y[5]);                                                                       \
    OPS(8);
#define SEVENTH                                                                      \
    values seventh = fold(lanes_load(from[6 * size + start + t]), p);                \
    y[6] = PLUS(PLUS(BY(y[0], V0), BY(y[1], V1)), PLUS(BY(y[2], V2), BY(y[3], V3))); \
    y[6] = MINUS(PLUS(y[6], PLUS(BY(y[4], V4), BY(y[5], V5))), BY(seventh, ROOT));   \
    values turned = BY(y[6], ROOT);                                                  \
    y[0] = PLUS(y[0], turned);                                                       \
    y[2] = MINUS(y[2], y[6]);                                                        \
    y[4] = MINUS(y[4], turned);                                                      \
    OPS(9);
#define EIGHT    \
    values y[8]; \
    RESIDUES(8)  \
    UP_ON(3, y)  \
    EACH (k, 8)  \
        y[k] = fold(y[k], p);
#define KEEP(count)                         \
    if (!direct) {                          \
        EACH (k, count)                     \
            y[k] = PLUS(y[k], own[OFFSET]); \
        OPS(count);                         \
    }                                       \
    EACH (k, count)                         \
        lanes_store(X(i, k), y[k]);

/* The digits of a piece in the mixed base of `count` primes. */
#define DIGITS(count)                                                  \
    LANES (value, t) {                                                 \
        values y[count];                                               \
        EACH (i, count)                                                \
            y[i] = lanes_load(X(i, k));                                \
        EACH (i, count) {                                              \
            GLOBAL const value *own = constants + CONSTANTS * i;       \
            value p = own[PRIME];                                      \
            EACH (j, (count)-1)                                        \
                if (j < i) {                                           \
                    y[i] = BY(y[i] - fold(y[j], p) + p, INVERSES + j); \
                    OPS(2);                                            \
                }                                                      \
        }                                                              \
        EACH (i, count)                                                \
            lanes_store(X(i, k), y[i]);                                \
    }

/* Residues modulo primes below 2^31, in numbers of 32 bits.  A word is two of these, and two digits are a word. */
#define TIMES(x, v, q, p)       times(x, v, q, p)
#define LOWER(w)                (u32)(w)
#define UPPER(w)                (u32)((u64)(w) >> 32)
#define WHOLE(low, high)        (fold(fold(low, 2 * p), p) + BY(high, HIGH_WORD)) /* below 4 p */
#define GATHERED                2
#define GATHER(x, y, p)         ((x) + (word)(y) * (p))
#define SHORT_TIMES(x, w, q, p) times(x, w, q, p)
#define RING(z, x, y, w, n, p)  lanes_ring(z, x, y, w, n, p)
#define BOTH(x, y, u, v, n, p)  times_both(x, y, u, v, n, p)
#define AT_LAST(x)              fold(x, p)
#include "stages.h"
#include "residues.h"

/* The same modulo primes below 2^48, in words of 64 bits: residues are below 16 p on the way there, where every fourth
 * level begins with less than 8 p, and below 2 p on the way back.  48 bits of a word and the others are its halves, and
 * a digit is a word. */
#undef value
#undef values
#undef TIMES
#undef LOWER
#undef UPPER
#undef WHOLE
#undef GATHERED
#undef GATHER
#undef RING
#undef BOTH
#undef AT_LAST
#undef SHORT_TIMES
#undef APART
#undef DOWN
#undef UP
#undef TOGETHER
#undef LAST_DOWN
#undef CENTRED
#undef TURNED
#define value                   word
#define values                  word_lanes
#define TIMES(x, v, q, p)       times_52(x, v, q, p)
#define LOWER(w)                (word)((u64)(w)&0xffffffffffff)
#define UPPER(w)                (word)((u64)(w) >> 48)
#define WHOLE(low, high)        (low + TIMES(high, own[HIGH_WORD], own[QUOTIENT + HIGH_WORD], p))
#define GATHERED                1
#define GATHER(x, y, p)         (x)
#define SHORT_TIMES(x, w, q, p) times_short(x, w, q, p)
#define RING(z, x, y, w, n, p)  lanes_ring_52(z, x, y, w, n, p)
#define BOTH(x, y, u, v, n, p)  times_both_52(x, y, u, v, n, p)
#define AT_LAST(x)              fold(fold(fold(x, 8 * p), 4 * p), 2 * p)
#define APART(type, low, high, v, q)                    \
    {                                                   \
        type plain = low, other = TIMES(high, v, q, p); \
        low = plain + other;                            \
        high = plain - other + 2 * p;                   \
        OPS(2);                                         \
    }
#define DOWN(e, FACTORS, type)                                   \
    EACH (i, 1 << ((e)-1))                                       \
        x[i] = fold(x[i], 8 * p);                                \
    EACH (k, e) {                                                \
        EACH (i, 1 << ((e)-1)) {                                 \
            FACTORS((1 << k) + FACTOR(e, k, i))                  \
            APART(type, x[LOW(e, k, i)], x[HIGH(e, k, i)], v, q) \
        }                                                        \
    }
#define TOGETHER(type, low, high, v, q) \
    {                                   \
        type less = low - high + 2 * p; \
        low = fold(low + high, 2 * p);  \
        high = TIMES(less, v, q, p);    \
        OPS(2);                         \
    }
/* How many levels before level j from the end, of up to 2, added to word l; twice as much each time. */
#define SUMS(l, j) ((j) < 1 || ((l) >> ((j)-1) & 1) ? 0 : (j) < 2 || ((l) >> ((j)-2) & 1) ? 1 : 2)
#define UP(e, FACTORS, type)                                         \
    EACH (j, e) {                                                    \
        EACH (i, 1 << ((e)-1)) {                                     \
            int k = (e)-1 - j, l = LOW(e, k, i), h = HIGH(e, k, i);  \
            FACTORS((1 << k) + FACTOR(e, k, i))                      \
            type less = x[l] - x[h] + (2 * p << SUMS(l, j));         \
            x[l] = x[l] + x[h];                                      \
            if (j == 2 && SUMS(l, j) == 2) x[l] = fold(x[l], 8 * p); \
            x[h] = TIMES(less, v, q, p);                             \
            OPS(2);                                                  \
        }                                                            \
    }                                                                \
    EACH (i, 1 << (e)) {                                             \
        if ((e) == 4 && i < 2) x[i] = fold(x[i], 8 * p);             \
        if (SUMS(i, e) == 2) x[i] = fold(x[i], 4 * p);               \
        if (SUMS(i, e) > 0) x[i] = fold(x[i], 2 * p);                \
    }
#define LAST_DOWN(x)                                        \
    EACH (i, 8) {                                           \
        x[i] = fold(fold(fold(x[i], 8 * p), 4 * p), 2 * p); \
        APART(values, x[i], x[i + 8], v, q)                 \
    }
#define CENTRED(x, low, high) \
    EACH (i, 8) {             \
        low[i] = x[i];        \
        high[i] = x[i + 8];   \
    }
#define TURNED(x, low, high)                        \
    EACH (i, 8) {                                   \
        low[i] = TIMES(x[i], v, q, p);              \
        high[i] = 2 * p - TIMES(x[i + 8], v, q, p); \
    }
#define fetch            fetch_words
#define down_to_tile     down_to_tile_words
#define down_in_tile     down_in_tile_words
#define first_in         first_in_words
#define first_out        first_out_words
#define are_few          are_few_words
#define sixteen_in       sixteen_in_words
#define sixteen_down     sixteen_down_words
#define sixteen_up       sixteen_up_words
#define sixteen_out      sixteen_out_words
#define down_from_tile   down_from_tile_words
#define up_in_tile       up_in_tile_words
#define up_from_tile     up_from_tile_words
#define copy_in          copy_in_words
#define copy_out         copy_out_words
#define columns_down     columns_down_words
#define columns_up       columns_up_words
#define rows_to_tile     rows_to_tile_words
#define rows_down        rows_down_words
#define rows_from_tile   rows_from_tile_words
#define rows_up          rows_up_words
#define split            split_words
#define split_columns    split_columns_words
#define columns_forward  columns_forward_words
#define columns_backward columns_backward_words
#define multiply_rows    multiply_rows_words
#define rows_forward     rows_forward_words
#define combine_rows     combine_rows_words
#define join             join_words
#include "stages.h"
#include "residues.h"
