/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting by digits of s bits, the last digit first.
 *
 * For machines with many threads: a block has a tile of e keys a thread, groups of 32 threads rank them by a digit, and
 * the tile is written in runs of equal digits.  For cores: blocks of one thread that share out the keys to buckets, and
 * sort a bucket each.
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
    PRIVATE word key[e], value[pairs ? e : 1];
    PRIVATE u32 place[e], sum[2], before[2];
    int first = block * block_size * e, filled = min(n - first, block_size * e);
    REGION
    {
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
    REGION
    {
        if (pairs) /* asked for long before they are used */
            THREADS (t)
                EACH (k, e)
                    value[k] = place_of(t, k, e) < filled ? from_values[first + place_of(t, k, e)] : 0;
        ITEMS (d, 1 << s) {
            for (int i = 1; i < parts; i++) {
                goal[d] += goal[(i << s) + d];
                whole[d] += whole[(i << s) + d];
                OPS(2);
            }
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
                tile[block_size * e + (int)place[k]] = value[k];
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
    REGION
    {
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

/* The number of bits of x: 0 for 0. */
int bits_of(u64 x)
{
    int bits = 0;
    for (int step = 32; step > 0; step /= 2)
        if (x >> step) {
            x >>= step;
            bits += step;
        }
    return bits + (x != 0);
}

/* Counts become the places where keys with each digit begin and end. */
u32 sum_up(LOCAL u32 *counter, LOCAL u32 *back, int s)
{
    u32 place = 0, most = 0;
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

#define KEY(x) ((x) >> FROM)
#define item   word
#define FROM   0
#include "buckets.h"

/* The bits to the right of a bucket's number, by some of the keys. */
int right_of(GLOBAL const word *keys, int n, int b)
{
    word most = 0;
    for (int i = 0; i < 256; i++)
        most = max(most, keys[(i64)n * i / 256]);
    OPS(256);
    return max(bits_of(most) - b, 0);
}

/* How a key becomes the number of a bucket: by these bits; the last bucket also has the keys that are larger than was
 * seen; or by lines that meet, where the first bucket would have more than an eighth of the keys. */
enum { STRAIGHT, CAPPED, BENT };

int way_of(GLOBAL const word *keys, int n, int right, int b)
{
    int low = 0;
    for (int i = 0; i < 256; i++)
        low += keys[(i64)n * i / 256] >> right == 0;
    OPS(512);
    return low > 32 && right > 0 && b > 1 ? BENT : right + b < 8 * (int)sizeof(word) ? CAPPED : STRAIGHT;
}

/* The bits to the right of what a line adds to where its buckets begin: a quarter of them is for keys of few bits, a
 * quarter for those of more, and half for those of most. */
int right_of_line(int line, int right, int b)
{
    return max(right + 1 - (2 - line) * ((right + b) / 3), 0);
}

u32 bucket_of(word x, int right, int b, int way)
{
    word last = ((word)1 << b) - 1, quarter = (word)1 << b >> 2;
    word few = x >> right_of_line(0, right, b), more = quarter + (x >> right_of_line(1, right, b));
    word most = 2 * quarter + (x >> right_of_line(2, right, b));
    return (u32)(way == BENT ? min(min(few, more), min(most, last)) : way == CAPPED ? min(x >> right, last) : x >> right);
}

/* How many of their last bits keys of bucket number d may differ in. */
int rest_of(int d, int right, int b, int way)
{
    int line = d < 1 << b >> 2 ? 0 : d < 1 << b >> 1 ? 1 : 2;
    if (d == (1 << b) - 1) return 8 * (int)sizeof(word);
    return way == BENT ? right_of_line(line, right, b) : right;
}

/* Counts the buckets of m keys in four tables, as an increment waits for the one before it in the same place. */
void count_part(GLOBAL const word *keys, int m, int right, int b, int way, LOCAL u32 *own)
{
    int i = 0;
    for (; i + 4 <= m; i += 4)
        EACH (j, 4)
            own[((u32)j << b) + bucket_of(keys[i + j], right, b, way)]++;
    for (; i < m; i++)
        own[bucket_of(keys[i], right, b, way)]++;
}

/* Moves m keys, and values where there are, to where counter says that keys of their buckets go next. */
void split_part(GLOBAL const word *from, GLOBAL const word *from_values, GLOBAL word *to, GLOBAL word *to_values, int m,
                int right, int b, int way, int pairs, LOCAL u32 *counter)
{
    for (int i = 0; i < m; i++) {
        word x = from[i], v = pairs ? from_values[i] : 0;
        u32 place = counter[bucket_of(x, right, b, way)]++;
        to[place] = x;
        if (pairs) to_values[place] = v;
    }
}

/* How often each bucket comes among e keys, counts[d blocks + b]. */
KERNEL void count_buckets(GLOBAL const word *keys, GLOBAL u32 *counts, int n, CONSTANT int b, CONSTANT int e)
{
    LOCAL u32 own[4 << b];
    THREADS (t, 0, 1) {
        int right = right_of(keys, n, b), way = way_of(keys, n, right, b), m = min(n - block * e, e);
        for (int d = 0; d < 4 << b; d++)
            own[d] = 0;
        if (way == BENT)
            count_part(keys + block * e, m, right, b, BENT, own);
        else if (way == CAPPED)
            count_part(keys + block * e, m, right, b, CAPPED, own);
        else
            count_part(keys + block * e, m, right, b, STRAIGHT, own);
        for (int d = 0; d < 1 << b; d++)
            counts[d * blocks + block] = own[d] + own[(1 << b) + d] + own[(2 << b) + d] + own[(3 << b) + d];
        OPS(3 * m + (3 << b));
    }
}

/* counter[..] becomes where keys of each bucket go next; starts[..] where each begins, where the last one ends, and how
 * many bits are left to sort each by. */
void begin_split(GLOBAL const u32 *counts, GLOBAL const u32 *totals, GLOBAL u32 *starts, int right, int b, int way,
                 LOCAL u32 *counter)
{
    u32 start = 0;
    for (int d = 0; d < 1 << b; d++) {
        if (block == 0) {
            starts[d] = start;
            starts[(1 << b) + 1 + d] = (u32)rest_of(d, right, b, way);
        }
        counter[d] = start + counts[d * blocks + block];
        start += totals[d];
    }
    if (block == 0) starts[1 << b] = start;
}

/* Moves e keys to their buckets. */
KERNEL void split(GLOBAL const word *from, GLOBAL const word *from_values, GLOBAL word *to, GLOBAL word *to_values,
                  GLOBAL const u32 *counts, GLOBAL const u32 *totals, GLOBAL u32 *starts, int n, CONSTANT int b,
                  CONSTANT int e, CONSTANT int pairs)
{
    LOCAL u32 counter[1 << b];
    THREADS (t, 0, 1) {
        int right = right_of(from, n, b), way = way_of(from, n, right, b), first = block * e, m = min(n - first, e);
        begin_split(counts, totals, starts, right, b, way, counter);
        if (pairs)
            split_part(from + first, from_values + first, to, to_values, m, right, b, way, 1, counter);
        else if (way == BENT)
            split_part(from + first, from + first, to, to, m, right, b, BENT, 0, counter);
        else if (way == CAPPED)
            split_part(from + first, from + first, to, to, m, right, b, CAPPED, 0, counter);
        else
            split_part(from + first, from + first, to, to, m, right, b, STRAIGHT, 0, counter);
        OPS(3 * m + (2 << b));
    }
}

/* A block sorts its share of the b buckets, or where there is one all n keys.  What is under way lies for each of its
 * buckets in the same place of the other arrays, where its share begins, so that it stays in the caches. */
KERNEL void finish(GLOBAL word *keys, GLOBAL word *values, GLOBAL word *other_keys, GLOBAL word *other_values,
                   GLOBAL const u32 *starts, int n, int b, int surplus, CONSTANT int s, CONSTANT int pairs)
{
    LOCAL u32 counter[(2 << s) + 16], back[1 << s];
    THREADS (t, 0, 1) {
        int low = (int)((i64)b * block / blocks), high = (int)((i64)b * (block + 1) / blocks);
        int at = b == 1 ? 0 : (int)starts[low], near = 0;
        for (int d = low; d < high; d++) {
            int first = b == 1 ? 0 : (int)starts[d], m = (b == 1 ? n : (int)starts[d + 1]) - first;
            int bits = b == 1 ? 8 * (int)sizeof(word) : (int)starts[b + 1 + d];
            if (in_order(keys + first, m)) continue;
            for (int i = near; i < m; i++) /* in order, memory comes near sooner than when written here and there */
                other_keys[at + i] = 0;
            for (int i = near; pairs && i < m; i++)
                other_values[at + i] = 0;
            near = max(near, m);
            sort_bucket(keys + first, values + first, other_keys + at, other_values + at, m, bits, surplus, counter,
                        back, s, pairs);
        }
    }
}

/* ---- Pairs of 32-bit words in one number, the key above its value, so that one store moves both ---- */

#undef item
#undef FROM
#define item           u64
#define FROM           32
#define part_of        part_of_pair
#define deal           deal_whole_pairs
#define deal_pairs     deal_pairs_twice
#define deal_both_ways deal_pairs_both_ways
#define varying        varying_pairs
#define tally          tally_pairs
#define in_runs        pairs_in_runs
#define spread_out     pairs_spread_out
#define pass           pass_pairs
#define falls          pairs_fall
#define insert         insert_pairs
#define in_order       pairs_in_order
#define rewrite        rewrite_pairs
#define sort_bucket    sort_bucket_of_pairs
#include "buckets.h"

/* Moves m keys with their values to where counter says that keys of their buckets go next. */
void split_pairs_part(GLOBAL const word *from, GLOBAL const word *from_values, GLOBAL u64 *to, int m, int right, int b,
                      int way, LOCAL u32 *counter)
{
    int i = 0;
    for (; i + 4 <= m; i += 4) {
        u64 x[4];
        EACH (j, 4)
            x[j] = (u64)from[i + j] << 32 | (u64)from_values[i + j];
        EACH (j, 4)
            to[counter[bucket_of((word)(x[j] >> 32), right, b, way)]++] = x[j];
    }
    for (; i < m; i++)
        to[counter[bucket_of(from[i], right, b, way)]++] = (u64)from[i] << 32 | (u64)from_values[i];
}

/* split with pairs. */
KERNEL void split_pairs(GLOBAL const word *from, GLOBAL const word *from_values, GLOBAL u64 *to,
                        GLOBAL const u32 *counts, GLOBAL const u32 *totals, GLOBAL u32 *starts, int n, CONSTANT int b,
                        CONSTANT int e)
{
    LOCAL u32 counter[1 << b];
    THREADS (t, 0, 1) {
        int right = right_of(from, n, b), way = way_of(from, n, right, b), first = block * e, m = min(n - first, e);
        begin_split(counts, totals, starts, right, b, way, counter);
        if (way == BENT)
            split_pairs_part(from + first, from_values + first, to, m, right, b, BENT, counter);
        else if (way == CAPPED)
            split_pairs_part(from + first, from_values + first, to, m, right, b, CAPPED, counter);
        else
            split_pairs_part(from + first, from_values + first, to, m, right, b, STRAIGHT, counter);
        OPS(3 * m + (2 << b));
    }
}

/* finish with pairs, which go to keys and values in the end. */
KERNEL void finish_pairs(GLOBAL u64 *pairs, GLOBAL u64 *other, GLOBAL word *keys, GLOBAL word *values,
                         GLOBAL const u32 *starts, int b, int surplus, CONSTANT int s)
{
    LOCAL u32 counter[(2 << s) + 16], back[1 << s];
    THREADS (t, 0, 1) {
        int low = (int)((i64)b * block / blocks), high = (int)((i64)b * (block + 1) / blocks);
        int at = (int)starts[low], near = 0;
        for (int d = low; d < high; d++) {
            int first = (int)starts[d], m = (int)starts[d + 1] - first;
            int bits = 32 + (int)starts[b + 1 + d];
            if (!in_order(pairs + first, m)) {
                for (int i = near; i < m; i++)
                    other[at + i] = 0;
                near = max(near, m);
                sort_bucket(pairs + first, pairs + first, other + at, other + at, m, bits, surplus, counter, back, s,
                            0);
            }
            for (int i = 0; i < m; i++) {
                keys[first + i] = (word)(pairs[first + i] >> 32);
                values[first + i] = (word)(pairs[first + i] & 0xffffffff);
            }
        }
    }
}
