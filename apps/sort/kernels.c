/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting by digits of s bits, the last digit first.
 *
 * For machines with many threads: a block has a tile of e keys a thread, groups of 32 threads rank them by a digit, and the
 * tile is written in runs of equal digits.  For cores: blocks of one thread that share out the keys to buckets, and sort a
 * bucket each.
 *
 * Charged are the shifts, masks, additions, subtractions and comparisons on keys, digits, counts and places; element
 * numbers are index arithmetic and free, and so is moving words. */

/* The s bits of x from `shift` on. */
int digit_of(word x, int shift, int s)
{
    return (int)(x >> shift) & ((1 << s) - 1);
}

/* Where in the tile key number k of thread t lies: a group has neighbours, and its threads take them in turns. */
int place_of(int t, int k, int e)
{
    return t / 32 * 32 * e + k * min(32, block_size) + t % 32;
}

/* Exclusive prefix sums of the threads' x[0], and of their x[1]; sums has two places for each group. */
void prefix_sums(PRIVATE u32 *x, PRIVATE u32 *sum, LOCAL u32 *sums)
{
    sum[0] = scan_add(x[0]);
    sum[1] = scan_add(x[1]);
    THREADS (t) {
        if (t % 32 == 31 || t == block_size - 1) {
            sums[t / 32 * 2] = sum[0];
            sums[t / 32 * 2 + 1] = sum[1];
        }
    }
    THREADS (t) {
        u32 first = sum[0] - x[0], second = sum[1] - x[1];
        EACH (g, (block_size + 31) / 32) {
            first += g < t / 32 ? sums[2 * g] : 0;
            second += g < t / 32 ? sums[2 * g + 1] : 0;
        }
        sum[0] = first;
        sum[1] = second;
        OPS(2 + 2 * ((block_size + 31) / 32));
    }
}

/* How often each digit comes in each tile, counts[d blocks + b], or with `rows` counts[b 2^s + d]; and `more` tables of
 * this kind are cleared. */
KERNEL void count(GLOBAL const word *keys, GLOBAL u32 *counts, int n, int shift, int rows, int more, CONSTANT int s,
                  CONSTANT int e)
{
    LOCAL u32 own[4 << s]; /* four tables, so that equal digits meet less often */
    int first = block * block_size * e, filled = min(n - first, block_size * e);
    ITEMS (d, 4 << s)
        own[d] = 0;
    THREADS (t) {
        int k = 0, mine = (filled - t + block_size - 1) / block_size;
        for (; k + 8 <= mine; k += 8) {
            word x[8];
            EACH (j, 8)
                x[j] = keys[first + (k + j) * block_size + t];
            EACH (j, 8)
                atomic_add(&own[(j % 4 << s) + digit_of(x[j], shift, s)], 1);
        }
        for (; k < mine; k++)
            atomic_add(&own[digit_of(keys[first + k * block_size + t], shift, s)], 1);
        OPS(2 * mine);
    }
    ITEMS (d, 1 << s) {
        counts[rows ? (block << s) + d : d * blocks + block] =
            own[d] + own[(1 << s) + d] + own[(2 << s) + d] + own[(3 << s) + d];
        OPS(3);
    }
    for (int i = 1; i <= more; i++)
        ITEMS (d, 1 << s)
            counts[((i * blocks + block) << s) + d] = 0;
}

/* The counts of digit `block` in all tiles become those in the tiles before; their sum goes to totals. */
KERNEL void add_up(GLOBAL u32 *counts, GLOBAL u32 *totals, int tiles)
{
    LOCAL u32 sums[(block_size + 31) / 32 * 2], carry;
    PRIVATE u32 x[8], sum[2], before[2];
    THREADS (t, 0, 1)
        carry = 0;
    for (int first = 0; first < tiles; first += 8 * block_size) {
        THREADS (t) {
            u32 all = 0;
            EACH (k, 8) {
                int i = first + 8 * t + k;
                x[k] = i < tiles ? counts[block * tiles + i] : 0;
                all += x[k];
                OPS(1);
            }
            sum[0] = all;
            sum[1] = 0;
        }
        prefix_sums(sum, before, sums);
        THREADS (t) {
            u32 run = carry + before[0];
            EACH (k, 8) {
                int i = first + 8 * t + k;
                if (i < tiles) counts[block * tiles + i] = run;
                run += x[k];
                OPS(1);
            }
            before[0] = run;
        }
        THREADS (t, block_size - 1, block_size)
            carry = before[0];
    }
    THREADS (t, 0, 1)
        totals[block] = carry;
}

/* The keys of a thread are numbered among those with the same digit in the group, in order; counter[g 2^s + d] becomes
 * how many there are. */
void rank(PRIVATE const word *key, PRIVATE u32 *place, PRIVATE u32 *same, LOCAL u32 *counter, int shift, int s, int e)
{
    GROUPS (t)
        for (int d = t % 32; d < 1 << s; d += min(32, block_size))
            counter[(t / 32 << s) + d] = 0;
    EACH (i, (e + 3) / 4) { /* four at a time: more would need more registers */
        EACH (j, 4)
            if (4 * i + j < e) place[4 * i + j] = match(key[4 * i + j], shift, s);
        EACH (j, 4) {
            if (4 * i + j < e) {
                GROUPS (t) {
                    same[0] = place[4 * i + j];
                    place[4 * i + j] = counter[(t / 32 << s) + digit_of(key[4 * i + j], shift, s)] +
                                       (u32)popcount(same[0] & ((1u << t % 32) - 1));
                    OPS(3);
                }
                GROUPS (t) { /* the first of those that are the same */
                    if ((same[0] & ((1u << t % 32) - 1)) == 0)
                        counter[(t / 32 << s) + digit_of(key[4 * i + j], shift, s)] =
                            place[4 * i + j] + (u32)popcount(same[0]);
                    OPS(3);
                }
            }
        }
    }
}

/* The counters become the places in the tile where each group's keys with each digit begin; goal[d], where the tile's
 * keys with digit d go among all with it, becomes the place of the first less where it is in the tile.  whole[d] is how
 * many of all keys have the digit. */
void allot(LOCAL u32 *counter, LOCAL const u32 *whole, LOCAL u32 *goal, LOCAL u32 *sums, PRIVATE u32 *sum,
            PRIVATE u32 *before, int s)
{
    int each = ((1 << s) + block_size - 1) / block_size, groups = (block_size + 31) / 32;
    THREADS (t) {
        u32 all = 0, more = 0;
        for (int d = t * each; d < min((t + 1) * each, 1 << s); d++) {
            for (int g = 0; g < groups; g++)
                all += counter[(g << s) + d];
            more += whole[d];
            OPS(groups + 1);
        }
        sum[0] = all;
        sum[1] = more;
    }
    prefix_sums(sum, before, sums);
    THREADS (t) {
        u32 run = before[0], more = before[1];
        for (int d = t * each; d < min((t + 1) * each, 1 << s); d++) {
            goal[d] += more - run;
            more += whole[d];
            for (int g = 0; g < groups; g++) {
                u32 c = counter[(g << s) + d];
                counter[(g << s) + d] = run;
                run += c;
            }
            OPS(groups + 3);
        }
    }
}

/* Copies the keys, and values where there are, of each tile to their places: those with digit d, one after another,
 * behind those with smaller digits and with d in earlier tiles.  Where these begin, is in counts after add_up and in
 * totals; with `rows`, the counts are of the tiles themselves, and added up here.  With `ahead`, they are followed by
 * tables for the next digits, and the next one is filled in. */
KERNEL void scatter(GLOBAL const word *from, GLOBAL const word *from_values, GLOBAL word *to, GLOBAL word *to_values,
                    GLOBAL u32 *counts, GLOBAL const u32 *totals, int n, int shift, int table, CONSTANT int rows,
                    CONSTANT int parts, CONSTANT int ahead, CONSTANT int s, CONSTANT int e, CONSTANT int pairs)
{
    LOCAL word tile[(1 + pairs) * block_size * e]; /* keys, then values */
    LOCAL u32 counter[((block_size + 31) / 32) << s], goal[parts << s], whole[parts << s];
    LOCAL u32 sums[(block_size + 31) / 32 * 2];
    PRIVATE word key[e];
    PRIVATE u32 place[e], sum[2], before[2];
    int first = block * block_size * e, filled = min(n - first, block_size * e);
    REGION {
        THREADS (t)
            EACH (k, e)
                key[k] = place_of(t, k, e) < filled ? from[first + place_of(t, k, e)] : ~(word)0;
        if (rows) {
            ITEMS (i, parts << s) {
                int d = i & ((1 << s) - 1);
                u32 lower = 0, all = 0;
                for (int b = i >> s; b < blocks; b += 8 * parts) {
                    u32 c[8];
                    EACH (j, 8)
                        c[j] = b + j * parts < blocks ? counts[((table * blocks + b + j * parts) << s) + d] : 0;
                    EACH (j, 8) {
                        all += c[j];
                        lower += b + j * parts < block ? c[j] : 0;
                    }
                    OPS(16);
                }
                goal[i] = lower;
                whole[i] = all;
            }
        } else {
            ITEMS (d, 1 << s) {
                goal[d] = counts[d * blocks + block];
                whole[d] = totals[d];
            }
        }
    }
    rank(key, place, sum, counter, shift, s, e);
    ITEMS (d, 1 << s) {
        for (int i = 1; i < parts; i++) {
            goal[d] += goal[(i << s) + d];
            whole[d] += whole[(i << s) + d];
            OPS(2);
        }
    }
    allot(counter, whole, goal, sums, sum, before, s);
    THREADS (t) {
        EACH (k, e) {
            place[k] += counter[(t / 32 << s) + digit_of(key[k], shift, s)];
            tile[place[k]] = key[k];
            OPS(1);
        }
        if (pairs) {
            EACH (k, e)
                if (place_of(t, k, e) < filled)
                    tile[block_size * e + (int)place[k]] = from_values[first + place_of(t, k, e)];
        }
    }
    THREADS (t) {
        EACH (k, e) {
            int i = k * block_size + t;
            if (i < filled) {
                word x = tile[i];
                u32 goes = goal[digit_of(x, shift, s)] + (u32)i;
                to[goes] = x;
                if (pairs) to_values[goes] = tile[block_size * e + i];
                if (ahead)
                    atomic_add(&counts[(((table + 1) * blocks + (int)goes / (block_size * e)) << s) +
                                       digit_of(x, shift + s, s)],
                               1);
            }
            OPS(1);
        }
    }
}

/* One block sorts all keys, n <= block_size e, by all digits. */
KERNEL void sort_tile(GLOBAL const word *from, GLOBAL const word *from_values, GLOBAL word *to, GLOBAL word *to_values,
                      int n, int bits, CONSTANT int s, CONSTANT int e, CONSTANT int pairs)
{
    LOCAL word tile[block_size * e];
    LOCAL u32 counter[((block_size + 31) / 32) << s], goal[1 << s], whole[1 << s];
    LOCAL u32 sums[(block_size + 31) / 32 * 2];
    PRIVATE word key[e], value[e];
    PRIVATE u32 place[e], sum[2], before[2];
    REGION {
        THREADS (t)
            EACH (k, e)
                key[k] = place_of(t, k, e) < n ? from[place_of(t, k, e)] : ~(word)0;
        ITEMS (d, 1 << s)
            goal[d] = whole[d] = 0;
    }
    if (pairs)
        THREADS (t)
            EACH (k, e)
                value[k] = place_of(t, k, e) < n ? from_values[place_of(t, k, e)] : 0;
    for (int shift = 0; shift < bits; shift += s) {
        rank(key, place, sum, counter, shift, s, e);
        THREADS (t)
            sum[0] = 0;
        allot(counter, whole, goal, sums, sum, before, s);
        THREADS (t) {
            EACH (k, e) {
                place[k] += counter[(t / 32 << s) + digit_of(key[k], shift, s)];
                tile[place[k]] = key[k];
                OPS(1);
            }
        }
        THREADS (t)
            EACH (k, e)
                key[k] = tile[place_of(t, k, e)];
        if (pairs) {
            THREADS (t)
                EACH (k, e)
                    tile[place[k]] = value[k];
            THREADS (t)
                EACH (k, e)
                    value[k] = tile[place_of(t, k, e)];
        }
    }
    THREADS (t)
        EACH (k, e)
            if (place_of(t, k, e) < n) to[place_of(t, k, e)] = key[k];
    if (pairs)
        THREADS (t)
            EACH (k, e)
                if (place_of(t, k, e) < n) to_values[place_of(t, k, e)] = value[k];
}

/* ---- Blocks of one thread: what a core does best ---- */

enum { FEW = 24 }; /* keys that are sorted by insertion alone */

/* Copies m keys, and values where there are, from number `first` on to where counter says that keys with their digit go
 * next. */
void deal(GLOBAL const word *from, GLOBAL const word *from_values, GLOBAL word *to, GLOBAL word *to_values, int first,
          int m, int shift, int s, LOCAL u32 *counter, int pairs)
{
    int i = first;
    for (; i + 4 <= first + m; i += 4) {
        word x[4];
        EACH (j, 4)
            x[j] = from[i + j];
        EACH (j, 4) {
            u32 place = counter[digit_of(x[j], shift, s)]++;
            to[place] = x[j];
            if (pairs) to_values[place] = from_values[i + j];
        }
    }
    for (; i < first + m; i++) {
        u32 place = counter[digit_of(from[i], shift, s)]++;
        to[place] = from[i];
        if (pairs) to_values[place] = from_values[i];
    }
    OPS(3 * m);
}

/* The same from both ends, where many keys have the same digit: back says where the keys with a digit end, and of two
 * places that follow each other one is from either. */
void deal_both_ways(GLOBAL const word *from, GLOBAL const word *from_values, GLOBAL word *to, GLOBAL word *to_values,
                    int first, int m, int shift, int s, LOCAL u32 *counter, LOCAL u32 *back, int pairs)
{
    int i = first, j = first + m;
    while (i < j) {
        word x = from[i];
        u32 place = counter[digit_of(x, shift, s)]++;
        to[place] = x;
        if (pairs) to_values[place] = from_values[i];
        i++;
        if (i < j) {
            word y = from[--j];
            u32 other = --back[digit_of(y, shift, s)];
            to[other] = y;
            if (pairs) to_values[other] = from_values[j];
        }
    }
    OPS(3 * m);
}

/* The number of bits of x: 0 for 0. */
int bits_of(word x)
{
    int bits = 0;
    for (int step = 32; step > 0; step /= 2)
        if (step < 8 * (int)sizeof(word) && x >> step) {
            x >>= step;
            bits += step;
        }
    return bits + (x != 0);
}

/* The bits to the right of a bucket's number, by some of the keys. */
int right_of(GLOBAL const word *keys, int n, int b)
{
    word most = 0;
    for (int i = 0; i < 256; i++)
        most = max(most, keys[(i64)n * i / 256]);
    OPS(256);
    return max(bits_of(most) - b, 0);
}

/* The last bucket also has the keys that are larger than was seen. */
int bucket_of(word x, int right, int b)
{
    return (int)min(x >> right, ((word)1 << b) - 1);
}

/* How often each bucket comes among e keys, counts[d blocks + b]. */
KERNEL void count_buckets(GLOBAL const word *keys, GLOBAL u32 *counts, int n, CONSTANT int b, CONSTANT int e)
{
    LOCAL u32 own[4 << b];
    THREADS (t, 0, 1) {
        int right = right_of(keys, n, b), i = block * e, end = min(n - i, e) + i;
        for (int d = 0; d < 4 << b; d++)
            own[d] = 0;
        for (; i + 4 <= end; i += 4)
            EACH (j, 4)
                own[(j << b) + bucket_of(keys[i + j], right, b)]++;
        for (; i < end; i++)
            own[bucket_of(keys[i], right, b)]++;
        for (int d = 0; d < 1 << b; d++)
            counts[d * blocks + block] = own[d] + own[(1 << b) + d] + own[(2 << b) + d] + own[(3 << b) + d];
        OPS(3 * min(n - block * e, e) + (3 << b));
    }
}

/* Moves e keys to their buckets.  starts[..] becomes where each begins and, at the end, the bits to the right. */
KERNEL void split(GLOBAL const word *from, GLOBAL const word *from_values, GLOBAL word *to, GLOBAL word *to_values,
                  GLOBAL const u32 *counts, GLOBAL const u32 *totals, GLOBAL u32 *starts, int n, CONSTANT int b,
                  CONSTANT int e, CONSTANT int pairs)
{
    LOCAL u32 counter[1 << b];
    THREADS (t, 0, 1) {
        int right = right_of(from, n, b), i = block * e, end = min(n - i, e) + i;
        u32 start = 0;
        for (int d = 0; d < 1 << b; d++) {
            if (block == 0) starts[d] = start;
            counter[d] = start + counts[d * blocks + block];
            start += totals[d];
        }
        if (block == 0) {
            starts[1 << b] = start;
            starts[(1 << b) + 1] = (u32)right;
        }
        for (; i + 4 <= end; i += 4) {
            word x[4];
            EACH (j, 4)
                x[j] = from[i + j];
            EACH (j, 4) {
                u32 place = counter[bucket_of(x[j], right, b)]++;
                to[place] = x[j];
                if (pairs) to_values[place] = from_values[i + j];
            }
        }
        for (; i < end; i++) {
            u32 place = counter[bucket_of(from[i], right, b)]++;
            to[place] = from[i];
            if (pairs) to_values[place] = from_values[i];
        }
        OPS(3 * min(n - block * e, e) + (2 << b));
    }
}

/* The bits in which not all keys are the same. */
word varying(GLOBAL const word *keys, int first, int m)
{
    word vary = 0;
    for (int i = first + 1; i < first + m; i++)
        vary |= keys[i] ^ keys[first];
    OPS(2 * m);
    return vary;
}

/* Counts digits `low` and, where they are two, the one above it; returns the largest count of any. */
u32 tally(GLOBAL const word *keys, int first, int m, int low, int digits, int s, LOCAL u32 *counter)
{
    u32 most = 0;
    for (int d = 0; d < digits << s; d++)
        counter[d] = 0;
    if (digits == 1) {
        for (int i = first; i < first + m; i++)
            counter[digit_of(keys[i], low, s)]++;
    } else {
        for (int i = first; i < first + m; i++) {
            word x = keys[i] >> low;
            counter[digit_of(x, 0, s)]++;
            counter[(1 << s) + digit_of(x, s, s)]++;
        }
    }
    for (int d = 0; d < digits << s; d++)
        most = max(most, counter[d]);
    OPS(3 * digits * m + (digits << s));
    return most;
}

/* Counts become the places where keys with each digit begin and end. */
u32 sum_up(LOCAL u32 *counter, LOCAL u32 *back, int first, int s)
{
    u32 place = (u32)first, most = 0;
    for (int d = 0; d < 1 << s; d++) {
        u32 c = counter[d];
        most = max(most, c);
        counter[d] = place;
        place += c;
        back[d] = place;
    }
    OPS(2 << s);
    return most;
}

/* Whether neighbours often have the same digit, by some of them. */
int in_runs(GLOBAL const word *keys, int first, int m, int shift, int s)
{
    int same = 0;
    for (int i = 0; i < 32; i++) {
        int at = first + (int)((i64)(m - 1) * i / 32);
        same += digit_of(keys[at], shift, s) == digit_of(keys[at + 1], shift, s);
    }
    OPS(160);
    return same > 8;
}

/* Whether no sixteenth of all keys of so many bits has far more than its share, by some of them. */
int spread_out(GLOBAL const word *keys, int first, int m, int bits, LOCAL u32 *counter)
{
    u32 most = 0;
    for (int d = 0; d < 16; d++)
        counter[d] = 0;
    for (int i = 0; i < 64; i++)
        counter[digit_of(keys[first + (int)((i64)m * i / 64)], bits - 4, 4)]++;
    for (int d = 0; d < 16; d++)
        most = max(most, counter[d]);
    OPS(256);
    return most <= 16;
}

/* Sorts m keys by a digit whose counts are known; 0: all have the same, and nothing was done. */
int pass(GLOBAL const word *from, GLOBAL const word *from_values, GLOBAL word *to, GLOBAL word *to_values, int first,
         int m, int shift, int s, LOCAL u32 *counter, LOCAL u32 *back, int pairs)
{
    u32 most = sum_up(counter, back, first, s);
    if (most == (u32)m) return 0;
    if (most > (u32)m / 16 || in_runs(from, first, m, shift, s))
        deal_both_ways(from, from_values, to, to_values, first, m, shift, s, counter, back, pairs);
    else
        deal(from, from_values, to, to_values, first, m, shift, s, counter, pairs);
    return 1;
}

/* Puts keys right that are sorted but for their last bits; 0: too many moves, not all done. */
int insert(GLOBAL word *keys, GLOBAL word *values, int first, int m, int pairs)
{
    int moves = 4 * m + 200;
    for (int i = first + 1; i < first + m && moves >= 0; i++) {
        word x = keys[i];
        if (x < keys[i - 1]) {
            word v = pairs ? values[i] : 0;
            int j = i;
            do {
                keys[j] = keys[j - 1];
                if (pairs) values[j] = values[j - 1];
                j--;
            } while (j > first && x < keys[j - 1]);
            keys[j] = x;
            if (pairs) values[j] = v;
            moves -= i - j;
            OPS(i - j);
        }
    }
    OPS(m);
    return moves >= 0;
}

/* A block sorts a bucket, or where there is one block all n keys, by their last bits; the other arrays are
 * for what is under way.  Random keys need log2(m) and a few bits more; what these leave is put right by insertion.
 * Where a digit comes too often for that, or insertion takes too long, all bits are sorted by. */
KERNEL void finish(GLOBAL word *keys, GLOBAL word *values, GLOBAL word *other_keys, GLOBAL word *other_values,
                   GLOBAL const u32 *starts, int n, CONSTANT int s, CONSTANT int pairs)
{
    LOCAL u32 counter[(2 << s) + 16], back[1 << s];
    THREADS (t, 0, 1) {
        int first = blocks == 1 ? 0 : (int)starts[block], m = (blocks == 1 ? n : (int)starts[block + 1]) - first;
        int bits = block == blocks - 1 ? 8 * (int)sizeof(word) : (int)starts[blocks + 1], here = 1, done = m < 2;
        for (int i = first; i < first + m;
             i++) /* in order, memory comes near sooner than when written here and there */
            other_keys[i] = 0;
        for (int i = first; pairs && i < first + m; i++)
            other_values[i] = 0;
        int whole = m > FEW && (bits < 4 || !spread_out(keys, first, m, bits, counter));
        for (; !done; whole = 1) {
            word vary = 0;
            if (whole) {
                if (here)
                    vary = varying(keys, first, m);
                else
                    vary = varying(other_keys, first, m);
                if (bits < 8 * (int)sizeof(word)) vary &= ((word)1 << bits) - 1;
            }
            int top = whole ? bits_of(vary) : bits;
            int used = whole ? top : m <= FEW ? 0 : min(top, bits_of((word)m) + 4);
            int digits = (used + s - 1) / s, low = top - used;
            int width = digits > 0 ? (used + digits - 1) / digits : 0;
            done = 1;
            for (int k = 0; k < digits && done; k++) {
                int shift = low + k * width, at = k % 2 << width;
                if (k % 2 == 0) {
                    u32 most = here ? tally(keys, first, m, shift, min(digits - k, 2), width, counter)
                                    : tally(other_keys, first, m, shift, min(digits - k, 2), width, counter);
                    if (low > 0 && most > (u32)(m >> width) * 16 + 64) done = 0;
                }
                if (done && (here ? pass(keys, values, other_keys, other_values, first, m, shift, width, counter + at,
                                         back, pairs)
                                  : pass(other_keys, other_values, keys, values, first, m, shift, width, counter + at,
                                         back, pairs)))
                    here = !here;
            }
            if (done && low > 0)
                done = here ? insert(keys, values, first, m, pairs) : insert(other_keys, other_values, first, m, pairs);
        }
        for (int i = first; !here && i < first + m; i++)
            keys[i] = other_keys[i];
        for (int i = first; !here && pairs && i < first + m; i++)
            values[i] = other_values[i];
    }
}
