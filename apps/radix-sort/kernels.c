/* SPDX-License-Identifier: Apache-2.0 */
/* Radix sort (section 4): the kernels of one pass, which sorts by an s-bit digit.
 *
 * A block of l threads, a power of two, holds a tile of 4 l elements.  Charged are the shifts, masks, additions,
 * subtractions and comparisons on keys, bits, digits, counts and positions, for every element alike: a thread does what
 * the others do, needed or not.  Element numbers are index arithmetic and free, and so is moving words. */

/* The first `filled` elements of a tile, numbers k l + t: threads that are neighbours have elements that are. */
#define ELEMENTS(t, k, filled) EACH (k, 4) THREADS (t, 0, (filled) - (k) * l)

/* The s bits of x from `shift` on. */
word digit_of(word x, int shift, int s)
{
    return x >> shift & (((word)1 << s) - 1);
}

/* Exclusive prefix sum of sums[0 .. l-1], and their total in sums[l]: up and down a binary tree. */
void prefix_sum(LOCAL word *sums)
{
    for (int d = 1; d < block_size; d *= 2) {
        THREADS (t, 0, block_size / (2 * d)) {
            sums[2 * d * (t + 1) - 1] += sums[2 * d * t + d - 1];
            OPS(1);
        }
    }
    THREADS (t, 0, 1) {
        sums[block_size] = sums[block_size - 1];
        sums[block_size - 1] = 0;
    }
    for (int d = block_size / 2; d > 0; d /= 2) {
        THREADS (t, 0, block_size / (2 * d)) {
            word left = sums[2 * d * t + d - 1], above = sums[2 * d * (t + 1) - 1];
            sums[2 * d * t + d - 1] = above;
            sums[2 * d * (t + 1) - 1] = above + left;
            OPS(1);
        }
    }
}

/* Element 4 t + k of the tile becomes thread t's own number k, and the other way round. */
void own(PRIVATE word *x, LOCAL const word *tile)
{
    THREADS (t) {
        EACH (k, 4)
            x[k] = tile[4 * t + k];
    }
}

void disown(LOCAL word *tile, PRIVATE const word *x)
{
    THREADS (t) {
        EACH (k, 4)
            tile[4 * t + k] = x[k];
    }
}

/* The tile that begins with number `first`, filled up with `rest`, to the threads. */
void fetch(GLOBAL const word *from, int first, int filled, word rest, LOCAL word *tile, PRIVATE word *x, int l)
{
    REGION {
        ELEMENTS (t, k, filled)
            tile[k * l + t] = from[first + k * l + t];
        EACH (k, 4)
            THREADS (t, filled - k * l, l)
                tile[k * l + t] = rest;
    }
    own(x, tile);
}

/* Moves each element to its place in the tile; the threads then own what came to theirs. */
void exchange(LOCAL word *tile, PRIVATE word *x, PRIVATE const word *place)
{
    THREADS (t) {
        EACH (k, 4)
            tile[place[k]] = x[k];
    }
    own(x, tile);
}

/* Sorts each tile by the s bits from `shift` on, by s stable one-bit splits, and counts each digit: that of digit d in
 * tile b goes to counts[d blocks + b].  The last tile is filled up with ones in every bit: they come last and, the
 * splits being stable, stay behind every key that there is. */
KERNEL void tile_sort(GLOBAL const word *keys, GLOBAL const word *values, GLOBAL word *sorted_keys,
                      GLOBAL word *sorted_values, GLOBAL word *counts, int n, int shift, CONSTANT int s,
                      CONSTANT int l, CONSTANT int pairs)
{
    LOCAL word tile[4 * l], sums[l + 1], count[1 << s];
    PRIVATE word key[4], value[4], place[4]; /* place: first the bit, then where it takes its element */
    int first = block * 4 * l, filled = n - first < 4 * l ? n - first : 4 * l;
    fetch(keys, first, filled, ~(word)0, tile, key, l);
    if (pairs) fetch(values, first, filled, 0, tile, value, l);
    for (int bit = shift; bit < shift + s; bit++) {
        THREADS (t) {
            word ones = 0;
            EACH (k, 4) {
                word one = key[k] >> bit & 1;
                place[k] = one;
                ones += one;
                OPS(3);
            }
            sums[t] = ones;
        }
        prefix_sum(sums);
        THREADS (t) {
            word ones = sums[t], zeros = (word)(4 * l) - sums[l];
            OPS(1);
            EACH (k, 4) {
                word one = place[k];
                place[k] = one ? zeros + ones : (word)(4 * t + k) - ones;
                ones += one;
                OPS(2);
            }
        }
        if (pairs) exchange(tile, value, place);
        exchange(tile, key, place);
    }
    REGION {
        ELEMENTS (t, k, filled) { /* from here on the tile holds digits */
            int i = k * l + t;
            word x = tile[i];
            sorted_keys[first + i] = x;
            tile[i] = digit_of(x, shift, s);
            OPS(2);
        }
        ITEMS (d, 1 << s)
            count[d] = 0;
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
    ITEMS (d, 1 << s)
        counts[d * blocks + block] = count[d];
    if (pairs) {
        disown(tile, value);
        REGION {
            ELEMENTS (t, k, filled)
                sorted_values[first + k * l + t] = tile[k * l + t];
        }
    }
}

/* Inclusive prefix sums, tile by tile, of `length` counts: numbers from, from + step, from + 2 step ... become numbers
 * to, to + 1, to + 2 ... */
KERNEL void tile_scan(GLOBAL word *counts, int from, int step, int to, int length, CONSTANT int l)
{
    LOCAL word sums[l + 1];
    PRIVATE word x[4];
    int first = block * 4 * l;
    THREADS (t) {
        word sum = 0;
        EACH (k, 4) {
            int i = first + 4 * t + k;
            word y = i < length ? counts[from + i * step] : 0;
            x[k] = y;
            sum += y;
            OPS(1);
        }
        sums[t] = sum;
    }
    prefix_sum(sums);
    THREADS (t) {
        word sum = sums[t];
        EACH (k, 4) {
            int i = first + 4 * t + k;
            sum += x[k];
            if (i < length) counts[to + i] = sum;
            OPS(1);
        }
    }
}

/* Adds to each tile but the first of counts[to ..] the sum of the tiles before it, which counts[sums ..] has. */
KERNEL void tile_add(GLOBAL word *counts, int sums, int to, int length, CONSTANT int l)
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

/* Copies each tile's elements to their places: those with digit d, one after another, from where the counts of smaller
 * digits and of d in earlier tiles end. */
KERNEL void tile_scatter(GLOBAL const word *sorted_keys, GLOBAL const word *sorted_values, GLOBAL word *keys,
                         GLOBAL word *values, GLOBAL const word *counts, int n, int shift, CONSTANT int s,
                         CONSTANT int l, CONSTANT int pairs)
{
    LOCAL word digit[4 * l];
    LOCAL word start[1 << s]; /* of a digit: where its elements go, less where they are in the tile */
    PRIVATE word key[4];
    int first = block * 4 * l, filled = n - first < 4 * l ? n - first : 4 * l;
    REGION {
        ELEMENTS (t, k, filled) {
            word x = sorted_keys[first + k * l + t];
            key[k] = x;
            digit[k * l + t] = digit_of(x, shift, s);
            OPS(2);
        }
        ITEMS (d, 1 << s)
            start[d] = d + block > 0 ? counts[d * blocks + block - 1] : 0;
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
            keys[place] = key[k];
            if (pairs) values[place] = sorted_values[first + k * l + t];
        }
    }
}
