/* SPDX-License-Identifier: Apache-2.0 */
/* The number-theoretic transform: s levels of butterflies a kernel, and the inverse. */
#define value  word
#define values word_lanes
#include "butterflies.h"
#include "stages.h"

/* s levels, on each of 2^d polynomials: a block has c neighbouring columns of one of them, all 2^s rows.  A polynomial
 * takes 2^chunks blocks. */
KERNEL void columns_forward(GLOBAL const word *a, GLOBAL word *f, GLOBAL const word *table, i64 offset, i64 far, int d,
                            int distance, int chunks, word p, CONSTANT int s, CONSTANT int c, CONSTANT int e)
{
    LOCAL word tile[(c << s) + (c << s) / 32 + 1], factors[(1 << s) + (1 << s >> (e - 1)) + 2];
    LOCAL word quotients[(1 << s) + (1 << s >> (e - 1)) + 2];
    int number = block >> chunks, room = room_of(s, e);
    i64 first = ((i64)number * distance << s) + (block & ((1 << chunks) - 1)) * c;
    GLOBAL const word *own = table + offset + (i64)(number & ((1 << d) - 1)) * room;
    fetch(own, own + far, room, factors, quotients);
    columns_down(a + first, f + first, distance, tile, factors, quotients, p, s, c, e);
}

KERNEL void columns_backward(GLOBAL const word *f, GLOBAL word *a, GLOBAL const word *table, i64 offset, i64 far, int d,
                             int distance, int chunks, word p, CONSTANT int s, CONSTANT int c, CONSTANT int e)
{
    LOCAL word tile[(c << s) + (c << s) / 32 + 1], factors[(1 << s) + (1 << s >> (e - 1)) + 2];
    LOCAL word quotients[(1 << s) + (1 << s >> (e - 1)) + 2];
    int number = block >> chunks, room = room_of(s, e);
    i64 first = ((i64)number * distance << s) + (block & ((1 << chunks) - 1)) * c;
    GLOBAL const word *own = table + offset + (i64)(number & ((1 << d) - 1)) * room;
    fetch(own, own + far, room, factors, quotients);
    columns_up(f + first, a + first, distance, tile, factors, quotients, p, s, c, e);
}

/* The last s + e levels, on each of 2^d polynomials: a block has `groups` of them. */
KERNEL void rows_forward(GLOBAL const word *a, GLOBAL word *f, GLOBAL const word *table, GLOBAL const word *last,
                         i64 offset, i64 far, int d, word p, CONSTANT int s, CONSTANT int groups, CONSTANT int e)
{
    LOCAL word tile[(groups << (s + e)) + (groups << (s + e)) / 32 + 1],
        factors[groups * ((1 << s) + (1 << s >> (e - 1)) + 2)];
    LOCAL word quotients[groups * ((1 << s) + (1 << s >> (e - 1)) + 2)];
    int number = (block & ((1 << d) / groups - 1)) * groups, words = groups << (s + e), room = room_of(s, e);
    i64 first = (i64)block * words;
    GLOBAL const word *own = table + offset + (i64)number * room;
    fetch(own, own + far, groups * room, factors, quotients);
    rows_down(a + first, tile, factors, quotients, last + ((i64)number << (s + e + 1)), p, s, e, groups);
    REGION
    {
        EACH (k, 1 << e)
            THREADS (t)
                f[first + k * block_size + t] = tile[spread(k * block_size) + spread(t)];
    }
}

/* Back, with a factor for each word. */
KERNEL void rows_backward(GLOBAL const word *f, GLOBAL word *a, GLOBAL const word *table, GLOBAL const word *last,
                          i64 offset, i64 far, int d, word scale, word scale_q, word p, CONSTANT int s,
                          CONSTANT int groups, CONSTANT int e)
{
    LOCAL word tile[(groups << (s + e)) + (groups << (s + e)) / 32 + 1],
        factors[groups * ((1 << s) + (1 << s >> (e - 1)) + 2)];
    LOCAL word quotients[groups * ((1 << s) + (1 << s >> (e - 1)) + 2)];
    int number = (block & ((1 << d) / groups - 1)) * groups, room = room_of(s, e);
    i64 first = (i64)block * (groups << (s + e));
    GLOBAL const word *own = table + offset + (i64)number * room;
    REGION
    {
        FETCH(own, own + far, groups * room)
        EACH (k, 1 << e)
            THREADS (t)
                tile[spread(k * block_size) + spread(t)] = times(f[first + k * block_size + t], scale, scale_q, p);
    }
    rows_up(tile, a + first, factors, quotients, last + ((i64)number << (s + e + 1)), f + first + (groups << (s + e)),
            p, s, e, groups);
}

/* All levels of a small transform, one after the other: a block has one transform.  Factors are those of level j from
 * 2^j on, and n words later their quotients. */
KERNEL void small_forward(GLOBAL const word *a, GLOBAL word *f, GLOBAL const word *table, word p, CONSTANT int n)
{
    LOCAL word tile[n];
    ITEMS (i, n)
        tile[i] = a[(i64)block * n + i];
    for (int parts = 1; parts < n; parts *= 2) {
        ITEMS (i, n / 2) {
            int half_length = n / (2 * parts), part = i / half_length, low = i + part * half_length;
            word x = tile[low], y = tile[low + half_length];
            APART(word, x, y, table[parts + part], table[n + parts + part])
            tile[low] = x;
            tile[low + half_length] = y;
        }
    }
    ITEMS (i, n)
        f[(i64)block * n + i] = fold(tile[i], p);
}

KERNEL void small_backward(GLOBAL const word *f, GLOBAL word *a, GLOBAL const word *table, word scale, word scale_q,
                           word p, CONSTANT int n)
{
    LOCAL word tile[n];
    ITEMS (i, n)
        tile[i] = times(f[(i64)block * n + i], scale, scale_q, p);
    for (int parts = n / 2; parts > 0; parts /= 2) {
        ITEMS (i, n / 2) {
            int half_length = n / (2 * parts), part = i / half_length, low = i + part * half_length;
            word x = tile[low], y = tile[low + half_length];
            TOGETHER(word, x, y, table[parts + part], table[n + parts + part])
            tile[low] = x;
            tile[low + half_length] = y;
        }
    }
    ITEMS (i, n)
        a[(i64)block * n + i] = fold(tile[i], p);
}

/* The lowest `bits` bits of i the other way round. */
int reversed(int i, int bits)
{
    int r = 0;
    for (int k = 0; k < bits; k++)
        r |= (i >> k & 1) << (bits - 1 - k);
    return r;
}

/* Word i of a transform of 2^k words to where its bits reversed say: a block has `side` = 2^t rows of as many words,
 * which it turns. */
KERNEL void reorder(GLOBAL const word *from, GLOBAL word *to, int k, int t, CONSTANT int side)
{
    LOCAL word tile[side * (side + 1)];
    int middle = k - 2 * t, part = block & ((1 << middle) - 1), turned = reversed(part, middle);
    i64 first = (i64)(block >> middle) << k;
    THREADS_2D (column, line)
        tile[reversed(column, t) * (side + 1) + reversed(line, t)] =
            from[first + ((i64)line << (k - t)) + (part << t) + column];
    THREADS_2D (column, line)
        to[first + ((i64)line << (k - t)) + (turned << t) + column] = tile[line * (side + 1) + column];
}
