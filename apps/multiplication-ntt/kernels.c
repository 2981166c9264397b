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
#define BY(x, constant) fold(times(x, own[constant], own[QUOTIENT + constant], p), p)
#define PLUS(x, y)      fold((x) + (y), p)
#define MINUS(x, y)     fold((x) - (y) + p, p)

/* Levels `from` to e - 1. */
#define DOWN_ON(e, from, y)                                              \
    EACH (j, e - (from)) {                                               \
        EACH (i, 1 << ((e)-1)) {                                         \
            int k = j + (from);                                          \
            u32 v = own[DOWN_8 + (1 << k) + FACTOR(e, k, i)];            \
            u32 q = own[QUOTIENT + DOWN_8 + (1 << k) + FACTOR(e, k, i)]; \
            APART(u32_lanes, y[LOW(e, k, i)], y[HIGH(e, k, i)], v, q)    \
        }                                                                \
    }
#define UP_ON(e, y)                                                              \
    EACH (j, e) {                                                                \
        EACH (k, 1 << ((e)-1)) {                                                 \
            int level = (e)-1 - j;                                               \
            u32 v = own[UP_8 + (1 << level) + FACTOR(e, level, k)];              \
            u32 q = own[QUOTIENT + UP_8 + (1 << level) + FACTOR(e, level, k)];   \
            TOGETHER(u32_lanes, y[LOW(e, level, k)], y[HIGH(e, level, k)], v, q) \
        }                                                                        \
    }

/* Pieces of `terms` words of a, eight of them or four where the others are 0, modulo Q polynomials and the prime of the
 * block.  Words are taken as numbers, in whatever form the program has them.  Several operands begin `stride` words
 * from each other. */
KERNEL void split(GLOBAL const word *a, GLOBAL u32 *f, GLOBAL const u32 *constants, int first, int stride, int terms,
                  int chunks, int size, int primes, CONSTANT int Q, CONSTANT int pieces, CONSTANT int long_words)
{
    LOCAL u32 x[8 * (1 + long_words) * block_size];
    int number = block >> chunks, start = (block & ((1 << chunks) - 1)) * block_size;
    int begin = first + number / primes * stride;
    GLOBAL const u32 *own = constants + CONSTANTS * (number % primes);
    GLOBAL u32 *to = f + (i64)number * Q * size;

    u32 p = own[PRIME];
    REGION
    {
        EACH (i, pieces) {
            int inside = terms - i * size - start;
            GLOBAL const word *from = a + begin + i * size + start;
            if (long_words) {
                THREADS (t, 0, inside) {
                    u64 w = from[t];
                    X(0, i) = (u32)w;
                    X(1, i) = (u32)(w >> 32);
                }
                THREADS (t, inside, block_size)
                    X(1, i) = 0;
            } else
                THREADS (t, 0, inside)
                    X(0, i) = (u32)from[t];
            THREADS (t, inside, block_size)
                X(0, i) = 0;
        }
        if (long_words)
            EACH (i, pieces)
                LANES (u32, t) {
                    u32_lanes low = lanes_load(X(0, i)), high = lanes_load(X(1, i)); /* below 4 p */
                    lanes_store(X(0, i), fold(fold(low, 2 * p), p) + BY(high, HIGH_WORD));
                    OPS(1);
                }
        if (pieces == 4) {
            LANES (u32, t) {
                u32_lanes y[8];
                EACH (i, 4) {
                    y[i] = lanes_load(X(0, i));
                    y[i + 4] = y[i];
                }
                DOWN_ON(3, 1, y)
                EACH (i, Q)
                    lanes_store(to[i * size + start + t], y[i]);
            }
        } else
            LANES (u32, t) {
                u32_lanes y[8];
                EACH (i, 8)
                    y[i] = lanes_load(X(0, i));
                DOWN_ON(3, 0, y)
                EACH (i, Q)
                    lanes_store(to[i * size + start + t], y[i]);
            }
    }
}

/* What columns and rows need to know of the polynomial number `number`, one of 2^d parts of each of the residues. */
#define PRIME_OF(number) (((number) >> d) / Q % primes)
#define PART_OF(number)  ((number) % (Q << d))

/* s levels: a block has c neighbouring columns of a part. */
KERNEL void columns_forward(GLOBAL u32 *f, GLOBAL const u32 *constants, GLOBAL const u32 *table,
                            GLOBAL const u32 *quotient_table, int offset, int d, int distance, int chunks, int primes,
                            CONSTANT int Q, CONSTANT int s, CONSTANT int c)
{
    LOCAL u32 tile[(c << s) + (c << s) / 32 + 1], factors[(1 << s) + (1 << s) / 8 + 2];
    LOCAL u32 quotients[(1 << s) + (1 << s) / 8 + 2];
    int number = block >> chunks, room = room_of(s, 4);
    GLOBAL const u32 *own = constants + CONSTANTS * PRIME_OF(number);
    u32 p = own[PRIME];
    i64 first = ((i64)number * distance << s) + (block & ((1 << chunks) - 1)) * c;
    i64 at = (i64)own[TABLE] + offset + (i64)PART_OF(number) * room;
    fetch(table + at, quotient_table + at, room, factors, quotients);
    columns_down(f + first, f + first, distance, tile, factors, quotients, p, s, c, 4);
}

/* The s levels, 1 to 7, of 2^s rows in the tile. */
void down_from_tile(LOCAL u32 *tile, GLOBAL u32 *to, int distance, LOCAL const u32 *factors, LOCAL const u32 *quotients,
                    u32 p, int s, int c)
{
    int groups = 1, room = 0, begin = 0, rest = rest_of(s, 4);
    if (s > 4) {
        REGION
        {
            if (rest == 1) STAGE(1, 0, DOWN, TILE, TILE, x[i])
            if (rest == 2) STAGE(2, 0, DOWN, TILE, TILE, x[i])
            if (rest == 3) STAGE(3, 0, DOWN, TILE, TILE, x[i])
        }
        begin = 1 << rest;
    }
    REGION
    {
        if (s == 1) STAGE(1, 0, DOWN, TILE, TO, x[i])
        if (s == 2) STAGE(2, 0, DOWN, TILE, TO, x[i])
        if (s == 3) STAGE(3, 0, DOWN, TILE, TO, x[i])
        if (s >= 4) STAGE(4, s - 4, DOWN, TILE, TO, x[i])
    }
}

/* Halves of the words of an operand: half i of those of piece k, in rows as the tile has them. */
#define HALF(i, k, row) halves[((((i)*pieces + (k)) << s) + (row)) * c + column]
#define HALVES(w)                     \
    HALF(0, i, part + line) = (u32)w; \
    if (long_words) HALF(1, i, part + line) = (u32)((u64)w >> 32);

#define RESIDUE(i)                                               \
    y[i] = lanes_load(HALF(0, i, part + line));                  \
    if (long_words) { /* below 4 p */                            \
        u32_lanes high = lanes_load(HALF(1, i, part + line));    \
        y[i] = fold(fold(y[i], 2 * p), p) + BY(high, HIGH_WORD); \
        OPS(1);                                                  \
    }

/* split and the first s levels, 1 to 7, in one: a block has c neighbouring columns of all pieces.  It reads them once
 * and takes them through prime after prime. */
KERNEL void split_columns(GLOBAL const word *a, GLOBAL u32 *f, GLOBAL const u32 *constants, GLOBAL const u32 *table,
                          GLOBAL const u32 *quotient_table, int offset, int first, int stride, int terms, int distance,
                          int primes, CONSTANT int Q, CONSTANT int pieces, CONSTANT int long_words, CONSTANT int s,
                          CONSTANT int c)
{
    LOCAL u32 halves[(1 + long_words) * pieces * c << s];
    LOCAL u32 tile[(Q * c << s) + (Q * c << s) / 32 + 1], factors[Q * ((1 << s) + (1 << s) / 8 + 2)];
    LOCAL u32 quotients[Q * ((1 << s) + (1 << s) / 8 + 2)];
    int chunks = distance / c, number = block / chunks, start = block % chunks * c, size = distance << s;
    int room = room_of(s, 4);
    GLOBAL const word *from = a + first + number * stride + start;
    REGION
    {
        EACH (i, pieces)
            for (int part = 0; part < 1 << s; part += block_height) {
                int at = i * size + part * distance, inside = terms - start - at;
                if (inside >= (block_height - 1) * distance + c)
                    THREADS_2D (column, line) {
                        word w = from[at + line * distance + column];
                        HALVES(w)
                    }
                else
                    THREADS_2D (column, line) {
                        word w = line * distance + column < inside ? from[at + line * distance + column] : 0;
                        HALVES(w)
                    }
            }
    }
    for (int prime = 0; prime < primes; prime++) {
        GLOBAL const u32 *own = constants + CONSTANTS * prime;
        GLOBAL u32 *to = f + (i64)(number * primes + prime) * Q * size + start;
        i64 factors_at = (i64)own[TABLE] + offset;
        u32 p = own[PRIME];
        REGION
        {
            FETCH(table + factors_at, quotient_table + factors_at, Q * room)
            for (int part = 0; part < 1 << s; part += block_height)
                LANES (u32, column, line) {
                    u32_lanes y[8];
                    if (pieces == 4) {
                        EACH (i, 4) {
                            RESIDUE(i)
                            y[i + 4] = y[i];
                        }
                        DOWN_ON(3, 1, y)
                    } else {
                        EACH (i, 8) {
                            RESIDUE(i)
                        }
                        DOWN_ON(3, 0, y)
                    }
                    EACH (i, Q)
                        lanes_store(TILE(part + line, i << s), y[i]);
                }
        }
        for (int i = 0; i < Q; i++)
            down_from_tile(tile + spread(i * c << s), to + i * size, distance, factors + i * room, quotients + i * room,
                           p, s, c);
    }
}

KERNEL void columns_backward(GLOBAL u32 *f, GLOBAL const u32 *constants, GLOBAL const u32 *table,
                             GLOBAL const u32 *quotient_table, int offset, int d, int distance, int chunks, int primes,
                             CONSTANT int Q, CONSTANT int s, CONSTANT int c)
{
    LOCAL u32 tile[(c << s) + (c << s) / 32 + 1], factors[(1 << s) + (1 << s) / 8 + 2];
    LOCAL u32 quotients[(1 << s) + (1 << s) / 8 + 2];
    int number = block >> chunks, room = room_of(s, 4);
    GLOBAL const u32 *own = constants + CONSTANTS * PRIME_OF(number);
    u32 p = own[PRIME];
    i64 first = ((i64)number * distance << s) + (block & ((1 << chunks) - 1)) * c;
    i64 at = (i64)own[TABLE_BACK] + offset + (i64)PART_OF(number) * room;
    fetch(table + at, quotient_table + at, room, factors, quotients);
    columns_up(f + first, f + first, distance, tile, factors, quotients, p, s, c, 4);
}

/* Levels end with rows of 16 words, which are taken modulo X^8 - v and X^8 + v and multiplied there, as numbers from
 * -p/2 to p/2: of each row its v and q, where 16 rows lie together. */
#define ROW_FACTORS(v, q, table) \
    u32_lanes v = lanes_load(table[32 * line + column]), q = lanes_load(table[32 * line + 16 + column]);
#define LAST_DOWN(x)                           \
    EACH (i, 8)                                \
        APART(u32_lanes, x[i], x[i + 8], v, q) \
    EACH (i, 16)                               \
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
#define FIRST_UP(x, low, high)                            \
    EACH (i, 8) {                                         \
        u32_lanes x0 = times(low[i], scale, scale_q, p);  \
        u32_lanes x1 = times(high[i], scale, scale_q, p); \
        TOGETHER(u32_lanes, x0, x1, back_v, back_q)       \
        x[i] = x0;                                        \
        x[i + 8] = x1;                                    \
    }

/* The last s + 1 levels of f and g, the products of what they come to, and as many levels back: a block has `groups`
 * parts of each. */
KERNEL void multiply_rows(GLOBAL u32 *f, GLOBAL const u32 *g, GLOBAL const u32 *constants, GLOBAL const u32 *table,
                          GLOBAL const u32 *quotient_table, GLOBAL const u32 *last, int offset, int d, int primes,
                          CONSTANT int Q, CONSTANT int s, CONSTANT int groups, CONSTANT int square)
{
    LOCAL u32 tile[(16 * groups << s) + (groups << s) / 2 + 1], second[(16 * groups << s) + (groups << s) / 2 + 1];
    LOCAL u32 factors[groups * ((1 << s) + (1 << s) / 8 + 2)];
    LOCAL u32 quotients[groups * ((1 << s) + (1 << s) / 8 + 2)];
    int number = block * groups, room = room_of(s, 4), words = 16 * groups << s;
    GLOBAL const u32 *own = constants + CONSTANTS * PRIME_OF(number);
    u32 p = own[PRIME], minus_inverse = own[MINUS_INVERSE], scale = own[SCALE], scale_q = own[QUOTIENT + SCALE];
    i64 first = (i64)block * words, at = offset + (i64)PART_OF(number) * room, z = ((i64)PART_OF(number) << s) * 2;
    i64 begin = (i64)own[TABLE] + at, back = (i64)own[TABLE_BACK] + at;
    GLOBAL const u32 *down = last + (i64)own[LAST] + z, *up = last + (i64)own[LAST_BACK] + z;
    fetch(table + begin, quotient_table + begin, groups * room, factors, quotients);
    rows_to_tile(f + first, tile, factors, quotients, p, s, 4, groups);
    if (!square) rows_to_tile(g + first, second, factors, quotients, p, s, 4, groups);
    REGION
    {
        FETCH(table + back, quotient_table + back, groups * room)
        LANES (u32, column, line) {
            ROW_FACTORS(v, q, down)
            ROW_FACTORS(back_v, back_q, up)
            lanes_ahead_rows(f[first + words + 256 * line + 16 * column]); /* of the next block */
            if (!square) lanes_ahead_rows(g[first + words + 256 * line + 16 * column]);
            u32_lanes x[16], low_x[8], high_x[8], low_y[8], high_y[8], low_w[8], high_w[8], low[8], high[8];
            lanes_load_rows(x, tile[spread(256 * line + 16 * column)]);
            LAST_DOWN(x)
            CENTRED(x, low_x, high_x)
            if (!square) {
                lanes_load_rows(x, second[spread(256 * line + 16 * column)]);
                LAST_DOWN(x)
            }
            CENTRED(x, low_y, high_y)
            TURNED(x, low_w, high_w)
            lanes_ring(low, low_x, low_y, low_w, minus_inverse, p);
            lanes_ring(high, high_x, high_y, high_w, minus_inverse, p);
            FIRST_UP(x, low, high)
            lanes_store_rows(tile[spread(256 * line + 16 * column)], x);
        }
    }
    rows_from_tile(tile, f + first, factors, quotients, p, s, 4, groups);
}

/* The last s + 1 levels of f. */
KERNEL void rows_forward(GLOBAL u32 *f, GLOBAL const u32 *constants, GLOBAL const u32 *table,
                         GLOBAL const u32 *quotient_table, GLOBAL const u32 *last, int offset, int d, int primes,
                         CONSTANT int Q, CONSTANT int s, CONSTANT int groups)
{
    LOCAL u32 tile[(16 * groups << s) + (groups << s) / 2 + 1];
    LOCAL u32 factors[groups * ((1 << s) + (1 << s) / 8 + 2)];
    LOCAL u32 quotients[groups * ((1 << s) + (1 << s) / 8 + 2)];
    int number = block * groups, room = room_of(s, 4), words = 16 * groups << s;
    GLOBAL const u32 *own = constants + CONSTANTS * PRIME_OF(number);
    u32 p = own[PRIME];
    i64 first = (i64)block * words, at = offset + (i64)PART_OF(number) * room, z = ((i64)PART_OF(number) << s) * 2;
    i64 begin = (i64)own[TABLE] + at;
    GLOBAL const u32 *down = last + (i64)own[LAST] + z;
    fetch(table + begin, quotient_table + begin, groups * room, factors, quotients);
    rows_to_tile(f + first, tile, factors, quotients, p, s, 4, groups);
    LANES (u32, column, line) {
        ROW_FACTORS(v, q, down)
        u32_lanes x[16];
        lanes_load_rows(x, tile[spread(256 * line + 16 * column)]);
        LAST_DOWN(x)
        lanes_store_rows(tile[spread(256 * line + 16 * column)], x);
    }
    REGION
    {
        EACH (k, 16)
            THREADS (t)
                f[first + k * block_size + t] = tile[spread(k * block_size) + spread(t)];
    }
}

/* One product of a sum: low and high, which may have others. */
#define COMBINE(x_at, y_at, low, high)                      \
    lanes_load_rows(x, x_at);                               \
    CENTRED(x, low_x, high_x)                               \
    lanes_load_rows(x, y_at);                               \
    CENTRED(x, low_y, high_y)                               \
    TURNED(x, low_w, high_w)                                \
    lanes_ring(low, low_x, low_y, low_w, minus_inverse, p); \
    lanes_ring(high, high_x, high_y, high_w, minus_inverse, p);

/* Of 2 x 2 matrices f and g of such residues, or a matrix f and a vector g, row by row, the product, as g has
 * `columns`; and s + 1 levels back. */
KERNEL void combine_rows(GLOBAL const u32 *f, GLOBAL const u32 *g, GLOBAL u32 *to, GLOBAL const u32 *constants,
                         GLOBAL const u32 *table, GLOBAL const u32 *quotient_table, GLOBAL const u32 *last, int offset,
                         int d, int primes, int columns, CONSTANT int Q, CONSTANT int s, CONSTANT int groups)
{
    LOCAL u32 tile[(16 * groups << s) + (groups << s) / 2 + 1];
    LOCAL u32 factors[groups * ((1 << s) + (1 << s) / 8 + 2)];
    LOCAL u32 quotients[groups * ((1 << s) + (1 << s) / 8 + 2)];
    int number = block * groups, room = room_of(s, 4), words = 16 * groups << s, all = (Q * primes) << d;
    int entry = number / all, row = entry / columns, column_of = entry % columns;
    GLOBAL const u32 *own = constants + CONSTANTS * PRIME_OF(number);
    u32 p = own[PRIME], minus_inverse = own[MINUS_INVERSE], scale = own[SCALE], scale_q = own[QUOTIENT + SCALE];
    i64 at = offset + (i64)PART_OF(number) * room, z = ((i64)PART_OF(number) << s) * 2;
    i64 apart = (i64)all * (16 << s), inside = (i64)(number % all) * (16 << s);
    GLOBAL const u32 *a = f + 2 * row * apart + inside, *b = g + column_of * apart + inside;
    GLOBAL const u32 *c = a + apart, *e = b + columns * apart;
    i64 back = (i64)own[TABLE_BACK] + at;
    GLOBAL const u32 *down = last + (i64)own[LAST] + z, *up = last + (i64)own[LAST_BACK] + z;
    REGION
    {
        FETCH(table + back, quotient_table + back, groups * room)
        LANES (u32, column, line) {
            ROW_FACTORS(v, q, down)
            ROW_FACTORS(back_v, back_q, up)
            u32_lanes x[16], low_x[8], high_x[8], low_y[8], high_y[8], low_w[8], high_w[8], low[8], high[8];
            u32_lanes more_low[8], more_high[8];
            COMBINE(a[256 * line + 16 * column], b[256 * line + 16 * column], low, high)
            COMBINE(c[256 * line + 16 * column], e[256 * line + 16 * column], more_low, more_high)
            EACH (i, 8) {
                low[i] = fold(low[i], p) + fold(more_low[i], p);
                high[i] = fold(high[i], p) + fold(more_high[i], p);
                OPS(2);
            }
            FIRST_UP(x, low, high)
            lanes_store_rows(tile[spread(256 * line + 16 * column)], x);
        }
    }
    rows_from_tile(tile, to + (i64)block * words, factors, quotients, p, s, 4, groups);
}

/* The first four pieces as if there were no more: y[0 .. 3]. */
#define RESIDUES(count)                                                               \
    EACH (k, count) {                                                                 \
        y[k] = lanes_load(from[k * size + start + t]);                                \
        lanes_ahead(from[k * size + start + block_size + t]); /* of the next block */ \
    }
#define FOUR                            \
    u32_lanes y[8];                     \
    RESIDUES(4)                         \
    UP_ON(2, y)                         \
    EACH (k, 4) {                       \
        y[k] = fold(y[k], p);           \
        y[k + 4] = y[k] - y[k]; /* 0 */ \
    }
#define FIFTH                                                                            \
    u32_lanes fifth = fold(lanes_load(from[4 * size + start + t]), p);                   \
    y[4] = PLUS(PLUS(BY(y[0], HALVED), BY(y[1], W1)), PLUS(BY(y[2], W2), BY(y[3], W3))); \
    y[4] = MINUS(MINUS(y[4], fifth), fifth);                                             \
    y[0] = MINUS(y[0], y[4]);                                                            \
    OPS(6);
#define FIFTH_AND_SIXTH                                                                             \
    u32_lanes fifth = fold(lanes_load(from[4 * size + start + t]), p);                              \
    u32_lanes sixth = fold(lanes_load(from[5 * size + start + t]), p);                              \
    y[4] = MINUS(PLUS(BY(y[0], HALVED), BY(y[2], ROOT_HALVED)), PLUS(fifth, sixth));                \
    y[5] = MINUS(PLUS(BY(y[1], HALVED), BY(y[3], ROOT_HALVED)), BY(MINUS(fifth, sixth), UP_8 + 6)); \
    y[0] = MINUS(y[0], y[4]);                                                                       \
    y[1] = MINUS(y[1], y[5]);                                                                       \
    OPS(8);
#define SEVENTH                                                                      \
    u32_lanes seventh = fold(lanes_load(from[6 * size + start + t]), p);             \
    y[6] = PLUS(PLUS(BY(y[0], V0), BY(y[1], V1)), PLUS(BY(y[2], V2), BY(y[3], V3))); \
    y[6] = MINUS(PLUS(y[6], PLUS(BY(y[4], V4), BY(y[5], V5))), BY(seventh, ROOT));   \
    u32_lanes turned = BY(y[6], ROOT);                                               \
    y[0] = PLUS(y[0], turned);                                                       \
    y[2] = MINUS(y[2], y[6]);                                                        \
    y[4] = MINUS(y[4], turned);                                                      \
    OPS(9);
#define EIGHT       \
    u32_lanes y[8]; \
    RESIDUES(8)     \
    UP_ON(3, y)     \
    EACH (k, 8)     \
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
    LANES (u32, t) {                                                   \
        u32_lanes y[count];                                            \
        EACH (i, count)                                                \
            y[i] = lanes_load(X(i, k));                                \
        EACH (i, count) {                                              \
            GLOBAL const u32 *own = constants + CONSTANTS * i;         \
            u32 p = own[PRIME];                                        \
            EACH (j, (count)-1)                                        \
                if (j < i) {                                           \
                    y[i] = BY(y[i] - fold(y[j], p) + p, INVERSES + j); \
                    OPS(2);                                            \
                }                                                      \
        }                                                              \
        EACH (i, count)                                                \
            lanes_store(X(i, k), y[i]);                                \
    }

/* The product from its residues: for each prime the pieces; of several primes digits, d0 + p0 (d1 + p1 (d2 + ...)); and
 * that modulo the program's prime, by `weights` and their quotients.  Words `begin` to `terms` - 1 are the result, from
 * number `first` on, or added to it where there is `more`.  Several products go `stride` words from each other. */
KERNEL void join(GLOBAL const u32 *f, GLOBAL word *result, GLOBAL const u32 *constants, GLOBAL const u64 *weights,
                 int first, int stride, int begin, int terms, int chunks, int size, word modulus, int more,
                 CONSTANT int primes, CONSTANT int Q, CONSTANT int direct, CONSTANT int long_words)
{
    LOCAL u32 x[8 * primes * block_size];
    LOCAL word pairs[long_words * 3 * block_size + 1];
    PRIVATE word sum[8];
    int start = (block & ((1 << chunks) - 1)) * block_size, number = block >> chunks;
    REGION
    {
        EACH (i, primes) {
            GLOBAL const u32 *own = constants + CONSTANTS * i;
            GLOBAL const u32 *from = f + (i64)(number * primes + i) * Q * size;
            u32 p = own[PRIME];
            if (Q == 4)
                LANES (u32, t) {
                    FOUR KEEP(4)
                }
            if (Q == 5)
                LANES (u32, t) {
                    FOUR FIFTH KEEP(5)
                }
            if (Q == 6)
                LANES (u32, t) {
                    FOUR FIFTH_AND_SIXTH KEEP(6)
                }
            if (Q == 7)
                LANES (u32, t) {
                    FOUR FIFTH_AND_SIXTH SEVENTH KEEP(7)
                }
            if (Q == 8)
                LANES (u32, t) {
                    EIGHT
                    KEEP(8)
                }
        }
        EACH (k, Q) {
            if (primes == 2) DIGITS(2)
            if (primes == 3) DIGITS(3)
            if (primes == 4) DIGITS(4)
            if (primes == 5) DIGITS(5)
        }
        EACH (k, Q) {
            if (direct) {
                THREADS (t)
                    sum[k] = X(0, k);
            } else if (long_words) { /* two digits are a word */
                EACH (i, primes / 2) {
                    u32 p = constants[CONSTANTS * 2 * i + PRIME];
                    THREADS (t) {
                        pairs[i * block_size + t] = X(2 * i, k) + (word)X(2 * i + 1, k) * p;
                        OPS(2);
                    }
                }
                if (primes % 2 == 1)
                    THREADS (t)
                        pairs[primes / 2 * block_size + t] = X(primes - 1, k);
                LANES (word, t) {
                    word_lanes h = lanes_load(pairs[t]);
                    h = fold(times(h, (word)weights[0], (word)weights[primes], modulus), modulus);
                    EACH (i, (primes - 1) / 2) {
                        word_lanes pair = lanes_load(pairs[(i + 1) * block_size + t]);
                        word weight = (word)weights[2 * i + 2], quotient = (word)weights[primes + 2 * i + 2];
                        h = fold(h + fold(times(pair, weight, quotient, modulus), modulus), modulus);
                        OPS(1);
                    }
                    lanes_store(pairs[t], h);
                }
                THREADS (t)
                    sum[k] = pairs[t];
            } else
                THREADS (t) {
                    word h = 0;
                    EACH (i, primes) {
                        word digit = X(i, k), weight = (word)weights[i], quotient = (word)weights[primes + i];
                        h = fold(h + fold(times(digit, weight, quotient, modulus), modulus), modulus);
                        OPS(1);
                    }
                    sum[k] = h;
                }
        }
        EACH (k, Q) {
            int inside = terms - k * size - start, outside = max(begin - k * size - start, 0);
            GLOBAL word *to = result + first - begin + number * stride + k * size + start;
            if (more)
                THREADS (t, outside, inside)
                    to[t] = add(to[t], sum[k]);
            else
                THREADS (t, outside, inside)
                    to[t] = sum[k];
        }
    }
}
