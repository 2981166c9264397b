/* SPDX-License-Identifier: Apache-2.0 */
/* Radix sort (section 4): the kernels of one pass, which sorts by an s-bit digit.
 *
 * A block of l threads, a power of two, holds a tile of 4 l elements.  Charged are the shifts, masks, additions,
 * subtractions and comparisons on keys, bits, digits, counts and positions, for every element alike: a thread does what
 * the others do, needed or not.  Element numbers are index arithmetic and free, and so is moving words. */
#include "dialect.h"

#define OWN(t, k)          MINE_OF(t, k, 4) /* number k of a thread's four elements */
#define DIGIT(x, shift, s) ((x) >> (shift) & (((word)1 << (s)) - 1))

/* Regions over the first `filled` elements of a tile, numbers k l + t, and over the digits, numbers d + t: threads that
 * are neighbours have elements that are. */
#define ELEMENTS(t, k, filled) EACH (k, 4) SOME (t, 0, (filled) - (k) * l)
#define DIGITS(t, d)           for (int d = 0; d < 1 << s; d += l) SOME (t, 0, (1 << s) - d)

/* Exclusive prefix sum of sums[0 .. l-1], and their total in sums[l]: up and down a binary tree. */
HELPER void prefix_sum(IN_LOCAL word *sums MMM_BLOCK)
{
    for (int d = 1; d < block_size; d *= 2) {
        REGION {
            SOME (t, 0, block_size / (2 * d)) {
                sums[2 * d * (t + 1) - 1] += sums[2 * d * t + d - 1];
                OPS(1);
            }
        }
    }
    REGION {
        SOME (t, 0, 1) {
            sums[block_size] = sums[block_size - 1];
            sums[block_size - 1] = 0;
        }
    }
    for (int d = block_size / 2; d > 0; d /= 2) {
        REGION {
            SOME (t, 0, block_size / (2 * d)) {
                word left = sums[2 * d * t + d - 1], above = sums[2 * d * (t + 1) - 1];
                sums[2 * d * t + d - 1] = above;
                sums[2 * d * (t + 1) - 1] = above + left;
                OPS(1);
            }
        }
    }
}

/* Element 4 t + k of the tile becomes thread t's own number k, and the other way round. */
HELPER void own(IN_PRIVATE word *x, IN_LOCAL const word *tile MMM_BLOCK)
{
    THREADS (t) {
        EACH (k, 4)
            x[OWN(t, k)] = tile[4 * t + k];
    }
}

HELPER void disown(IN_LOCAL word *tile, IN_PRIVATE const word *x MMM_BLOCK)
{
    THREADS (t) {
        EACH (k, 4)
            tile[4 * t + k] = x[OWN(t, k)];
    }
}

/* The tile that begins with number `first`, filled up with `rest`, to the threads. */
HELPER void fetch(GLOBAL const word *from, int first, int filled, word rest, IN_LOCAL word *tile, IN_PRIVATE word *x,
                  CONSTANT(l) MMM_BLOCK)
{
    REGION {
        ELEMENTS (t, k, filled)
            tile[k * l + t] = from[first + k * l + t];
        EACH (k, 4)
            SOME (t, filled - k * l, l)
                tile[k * l + t] = rest;
    }
    own(x, tile MMM_PASS);
}

/* Moves each element to its place in the tile; the threads then own what came to theirs. */
HELPER void exchange(IN_LOCAL word *tile, IN_PRIVATE word *x, IN_PRIVATE const word *place MMM_BLOCK)
{
    THREADS (t) {
        EACH (k, 4)
            tile[place[OWN(t, k)]] = x[OWN(t, k)];
    }
    own(x, tile MMM_PASS);
}

/* Sorts each tile by the s bits from `shift` on, by s stable one-bit splits, and counts each digit: that of digit d in
 * tile b goes to counts[d blocks + b].  The last tile is filled up with ones in every bit: they come last and, the
 * splits being stable, stay behind every key that there is. */
KERNEL void tile_sort(GLOBAL const word *keys, GLOBAL const word *values, GLOBAL word *sorted_keys,
                      GLOBAL word *sorted_values, GLOBAL word *counts, int n, int blocks, int shift, CONSTANT(s),
                      CONSTANT(l), CONSTANT(pairs) MMM_BLOCK)
{
    LOCAL(word, tile, 4 * l);
    LOCAL(word, sums, l + 1);
    LOCAL(word, count, 1 << s);
    PRIVATES(word, key, 4);
    PRIVATES(word, value, 4);
    PRIVATES(word, place, 4); /* first the bit, then where it takes its element */
    int first = block * 4 * l, filled = n - first < 4 * l ? n - first : 4 * l;
    fetch(keys, first, filled, ~(word)0, tile, key, l MMM_PASS);
    if (pairs) fetch(values, first, filled, 0, tile, value, l MMM_PASS);
    for (int bit = shift; bit < shift + s; bit++) {
        THREADS (t) {
            word ones = 0;
            EACH (k, 4) {
                word one = key[OWN(t, k)] >> bit & 1;
                place[OWN(t, k)] = one;
                ones += one;
                OPS(3);
            }
            sums[t] = ones;
        }
        prefix_sum(sums MMM_PASS);
        THREADS (t) {
            word ones = sums[t], zeros = (word)(4 * l) - sums[l];
            OPS(1);
            EACH (k, 4) {
                word one = place[OWN(t, k)];
                place[OWN(t, k)] = one ? zeros + ones : (word)(4 * t + k) - ones;
                ones += one;
                OPS(2);
            }
        }
        if (pairs) exchange(tile, value, place MMM_PASS);
        exchange(tile, key, place MMM_PASS);
    }
    REGION {
        ELEMENTS (t, k, filled) { /* from here on the tile holds digits */
            int i = k * l + t;
            word x = tile[i];
            sorted_keys[first + i] = x;
            tile[i] = DIGIT(x, shift, s);
            OPS(2);
        }
        DIGITS (t, d)
            count[d + t] = 0;
    }
    REGION {
        ELEMENTS (t, k, filled) { /* where a digit begins */
            int i = k * l + t;
            OPS(1);
            if (i == 0 || tile[i - 1] != tile[i]) count[tile[i]] = (word)i;
        }
    }
    REGION {
        ELEMENTS (t, k, filled) { /* where it ends */
            int i = k * l + t;
            OPS(3);
            if (i + 1 == filled || tile[i + 1] != tile[i]) count[tile[i]] = (word)(i + 1) - count[tile[i]];
        }
    }
    REGION {
        DIGITS (t, d)
            counts[(d + t) * blocks + block] = count[d + t];
    }
    if (pairs) {
        disown(tile, value MMM_PASS);
        REGION {
            ELEMENTS (t, k, filled)
                sorted_values[first + k * l + t] = tile[k * l + t];
        }
    }
}
ENTRY(tile_sort, ARRAY(0), ARRAY(1), ARRAY(2), ARRAY(3), ARRAY(4), INT(5), INT(6), INT(7), INT(8), INT(9), INT(10))

/* Inclusive prefix sums, tile by tile, of `length` counts: numbers from, from + step, from + 2 step ... become numbers
 * to, to + 1, to + 2 ... */
KERNEL void tile_scan(GLOBAL word *counts, int from, int step, int to, int length, CONSTANT(l) MMM_BLOCK)
{
    LOCAL(word, sums, l + 1);
    PRIVATES(word, x, 4);
    int first = block * 4 * l;
    THREADS (t) {
        word sum = 0;
        EACH (k, 4) {
            int i = first + 4 * t + k;
            word y = i < length ? counts[from + i * step] : 0;
            x[OWN(t, k)] = y;
            sum += y;
            OPS(1);
        }
        sums[t] = sum;
    }
    prefix_sum(sums MMM_PASS);
    THREADS (t) {
        word sum = sums[t];
        EACH (k, 4) {
            int i = first + 4 * t + k;
            sum += x[OWN(t, k)];
            if (i < length) counts[to + i] = sum;
            OPS(1);
        }
    }
}
ENTRY(tile_scan, ARRAY(0), INT(1), INT(2), INT(3), INT(4), INT(5))

/* Adds to each tile but the first of counts[to ..] the sum of the tiles before it, which counts[sums ..] has. */
KERNEL void tile_add(GLOBAL word *counts, int sums, int to, int length, CONSTANT(l) MMM_BLOCK)
{
    int first = (block + 1) * 4 * l;
    THREADS (t) {
        word sum = counts[sums + block];
        EACH (k, 4) {
            int i = first + k * l + t;
            if (i < length) counts[to + i] += sum;
            OPS(1);
        }
    }
}
ENTRY(tile_add, ARRAY(0), INT(1), INT(2), INT(3), INT(4))

/* Copies each tile's elements to their places: those with digit d, one after another, from where the counts of smaller
 * digits and of d in earlier tiles end. */
KERNEL void tile_scatter(GLOBAL const word *sorted_keys, GLOBAL const word *sorted_values, GLOBAL word *keys,
                         GLOBAL word *values, GLOBAL const word *counts, int n, int blocks, int shift, CONSTANT(s),
                         CONSTANT(l), CONSTANT(pairs) MMM_BLOCK)
{
    LOCAL(word, digit, 4 * l);
    LOCAL(word, start, 1 << s); /* of a digit: where its elements go, less where they are in the tile */
    PRIVATES(word, key, 4);
    int first = block * 4 * l, filled = n - first < 4 * l ? n - first : 4 * l;
    REGION {
        ELEMENTS (t, k, filled) {
            word x = sorted_keys[first + k * l + t];
            key[OWN(t, k)] = x;
            digit[k * l + t] = DIGIT(x, shift, s);
            OPS(2);
        }
        DIGITS (t, d)
            start[d + t] = d + t + block > 0 ? counts[(d + t) * blocks + block - 1] : 0;
    }
    REGION {
        ELEMENTS (t, k, filled) {
            int i = k * l + t;
            OPS(2);
            if (i == 0 || digit[i - 1] != digit[i]) start[digit[i]] -= (word)i;
        }
    }
    REGION {
        ELEMENTS (t, k, filled) {
            word place = start[digit[k * l + t]] + (word)(k * l + t);
            OPS(1);
            keys[place] = key[OWN(t, k)];
            if (pairs) values[place] = sorted_values[first + k * l + t];
        }
    }
}
ENTRY(tile_scatter, ARRAY(0), ARRAY(1), ARRAY(2), ARRAY(3), ARRAY(4), INT(5), INT(6), INT(7), INT(8), INT(9), INT(10))
