/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting a bucket by one thread.  Included for each kind of `item`: its key are its bits from FROM on, and what is
 * below them moves along. */

/* The digit of x from `shift` on whose bits are those of `mask`: as a number without a sign, which saves instructions.
 */
u32 part_of(item x, int shift, u32 mask)
{
    return (u32)(x >> shift) & mask;
}

/* Copies m keys to where counter says that keys with their digit go next. */
void deal(GLOBAL const item *from, GLOBAL item *to, int m, int shift, int s, LOCAL u32 *counter)
{
    u32 mask = (1u << s) - 1;
    int i = 0;
    for (; i + 4 <= m; i += 4) { /* four are loaded before the first is stored */
        item x = from[i], y = from[i + 1], z = from[i + 2], w = from[i + 3];
        to[counter[part_of(x, shift, mask)]++] = x;
        to[counter[part_of(y, shift, mask)]++] = y;
        to[counter[part_of(z, shift, mask)]++] = z;
        to[counter[part_of(w, shift, mask)]++] = w;
    }
    for (; i < m; i++)
        to[counter[part_of(from[i], shift, mask)]++] = from[i];
    OPS(3 * m);
}

/* The same with values. */
void deal_pairs(GLOBAL const item *from, GLOBAL const item *from_values, GLOBAL item *to, GLOBAL item *to_values, int m,
                int shift, int s, LOCAL u32 *counter)
{
    u32 mask = (1u << s) - 1;
    int i = 0;
    for (; i + 2 <= m; i += 2) {
        item x = from[i], y = from[i + 1], v = from_values[i], w = from_values[i + 1];
        u32 place = counter[part_of(x, shift, mask)]++;
        to[place] = x;
        to_values[place] = v;
        place = counter[part_of(y, shift, mask)]++;
        to[place] = y;
        to_values[place] = w;
    }
    for (; i < m; i++) {
        u32 place = counter[part_of(from[i], shift, mask)]++;
        to[place] = from[i];
        to_values[place] = from_values[i];
    }
    OPS(3 * m);
}

/* The same from both ends, where many keys have the same digit: back says where the keys with a digit end, and of two
 * places that follow each other one is from either. */
void deal_both_ways(GLOBAL const item *from, GLOBAL const item *from_values, GLOBAL item *to, GLOBAL item *to_values,
                    int m, int shift, int s, LOCAL u32 *counter, LOCAL u32 *back, int pairs)
{
    u32 mask = (1u << s) - 1;
    int i = 0, j = m;
    while (i < j) {
        item x = from[i];
        u32 place = counter[part_of(x, shift, mask)]++;
        to[place] = x;
        if (pairs) to_values[place] = from_values[i];
        i++;
        if (i < j) {
            item y = from[--j];
            u32 other = --back[part_of(y, shift, mask)];
            to[other] = y;
            if (pairs) to_values[other] = from_values[j];
        }
    }
    OPS(3 * m);
}

/* The bits in which not all keys are the same. */
item varying(GLOBAL const item *keys, int m)
{
    item vary = 0;
    for (int i = 1; i < m; i++)
        vary |= keys[i] ^ keys[0];
    OPS(2 * m);
    return KEY(vary) << FROM;
}

/* Counts digits `low` and, where they are two, the one above it; returns the largest count of any. */
u32 tally(GLOBAL const item *keys, int m, int low, int digits, int s, LOCAL u32 *counter)
{
    LOCAL u32 *second = counter + (1 << s);
    u32 most = 0, mask = (1u << s) - 1;
    for (int d = 0; d < digits << s; d++)
        counter[d] = 0;
    if (digits == 1) {
        for (int i = 0; i < m; i++)
            counter[part_of(keys[i], low, mask)]++;
    } else {
        int i = 0;
        for (; i + 2 <= m; i += 2) {
            item x = keys[i] >> low, y = keys[i + 1] >> low;
            counter[part_of(x, 0, mask)]++;
            second[part_of(x, s, mask)]++;
            counter[part_of(y, 0, mask)]++;
            second[part_of(y, s, mask)]++;
        }
        for (; i < m; i++) {
            counter[part_of(keys[i] >> low, 0, mask)]++;
            second[part_of(keys[i] >> low, s, mask)]++;
        }
    }
    for (int d = 0; d < digits << s; d++)
        most = max(most, counter[d]);
    OPS(3 * digits * m + (digits << s));
    return most;
}

/* Whether neighbours often have the same digit, by some of them. */
int in_runs(GLOBAL const item *keys, int m, int shift, int s)
{
    int same = 0;
    for (int i = 0; i < 32; i++) {
        int at = (int)((i64)(m - 1) * i / 32);
        same += part_of(keys[at] ^ keys[at + 1], shift, (1u << s) - 1) == 0;
    }
    OPS(160);
    return same > 8;
}

/* Whether no sixteenth of all keys of so many bits has far more than its share, by some of them. */
int spread_out(GLOBAL const item *keys, int m, int bits, LOCAL u32 *counter)
{
    u32 most = 0;
    for (int d = 0; d < 16; d++)
        counter[d] = 0;
    for (int i = 0; i < 64; i++)
        counter[part_of(keys[(int)((i64)m * i / 64)], bits - 4, 15)]++;
    for (int d = 0; d < 16; d++)
        most = max(most, counter[d]);
    OPS(256);
    return most <= 16;
}

/* Sorts m keys by a digit whose counts are known; 0: all have the same, and nothing was done. */
int pass(GLOBAL const item *from, GLOBAL const item *from_values, GLOBAL item *to, GLOBAL item *to_values, int m,
         int shift, int s, LOCAL u32 *counter, LOCAL u32 *back, int pairs)
{
    u32 most = sum_up(counter, back, s);
    if (most == (u32)m) return 0;
    if (most > (u32)m / 16 || in_runs(from, m, shift, s))
        deal_both_ways(from, from_values, to, to_values, m, shift, s, counter, back, pairs);
    else if (pairs)
        deal_pairs(from, from_values, to, to_values, m, shift, s, counter);
    else
        deal(from, to, m, shift, s, counter);
    return 1;
}

/* Whether one of 64 keys is below the one before it: by vectors, all of them at once. */
int falls(GLOBAL const item *keys)
{
    item wrong = 0;
    for (int i = 0; i < 64; i++)
        wrong |= max(KEY(keys[i - 1]), KEY(keys[i])) ^ KEY(keys[i]);
    return wrong != 0;
}

/* Puts keys right that are sorted but for their last bits; 0: too many moves, not all done. */
int insert(GLOBAL item *keys, GLOBAL item *values, int m, int pairs)
{
    int moves = 4 * m + 200;
    for (int start = 1; start < m && moves >= 0; start += 64) { /* most of 64 are right, which is quickly seen */
        int end = min(start + 64, m), wrong = end - start < 64 || falls(keys + start);
        for (int i = start; i < end && wrong; i++) {
            item x = keys[i];
            if (KEY(x) < KEY(keys[i - 1])) {
                item v = pairs ? values[i] : 0;
                int j = i;
                do {
                    keys[j] = keys[j - 1];
                    if (pairs) values[j] = values[j - 1];
                    j--;
                } while (j > 0 && KEY(x) < KEY(keys[j - 1]));
                keys[j] = x;
                if (pairs) values[j] = v;
                moves -= i - j;
                OPS(i - j);
            }
        }
    }
    OPS(m);
    return moves >= 0;
}

/* Whether keys are in order already: of others a few are looked at. */
int in_order(GLOBAL const item *keys, int m)
{
    int wrong = 0, i = 1;
    for (; i + 64 <= m && !wrong; i += 64)
        wrong = falls(keys + i);
    OPS(i);
    for (; i < m && !wrong; i++)
        wrong = KEY(keys[i]) < KEY(keys[i - 1]);
    return !wrong;
}

/* Writes m keys anew that have two values only, by how many there are of each; 0: they have more, which some of them
 * tell for most. */
int rewrite(GLOBAL item *keys, int m)
{
    item low = keys[0], high = low;
    int lows = 0, highs = 0;
    for (int i = 0; i < 64; i++) {
        low = min(low, keys[(int)((i64)m * i / 64)]);
        high = max(high, keys[(int)((i64)m * i / 64)]);
    }
    for (int i = 0; i < 64; i++)
        lows += keys[(int)((i64)m * i / 64)] == low || keys[(int)((i64)m * i / 64)] == high;
    OPS(256);
    if (lows < 64 || low == high) return 0;
    lows = 0;
    for (int i = 0; i < m; i++) {
        lows += keys[i] == low;
        highs += keys[i] == high;
    }
    OPS(4 * m);
    if (lows + highs < m) return 0;
    for (int i = 0; i < m; i++)
        keys[i] = i < lows ? low : high;
    OPS(m);
    return 1;
}

/* Sorts m keys by their last bits; the other arrays are for what is under way.  Random keys need log2(m) and `surplus`
 * bits more; what these leave is put right by insertion.  Where a digit comes too often for that, or insertion takes too
 * long, all bits are sorted by. */
void sort_bucket(GLOBAL item *keys, GLOBAL item *values, GLOBAL item *other_keys, GLOBAL item *other_values, int m,
                 int bits, int surplus, LOCAL u32 *counter, LOCAL u32 *back, int s, int pairs)
{
    int whole = m > FEW && (bits < FROM + 4 || !spread_out(keys, m, bits, counter));
    int here = 1, done = (whole & (FROM == 0)) && !pairs && rewrite(keys, m);
    for (; !done; whole = 1) {
        item vary = whole ? varying(here ? keys : other_keys, m) : 0;
        if (bits < 8 * (int)sizeof(item)) vary &= ((item)1 << bits) - 1;
        int top = whole ? bits_of(vary) : bits;
        int enough = whole ? top : m <= FEW ? 0 : bits_of((u64)m) + surplus, used = max(min(enough, top - FROM), 0);
        int digits = (used + s - 1) / s, low = top - used;
        int width = digits > 0 ? (used + digits - 1) / digits : 0;
        done = 1;
        for (int k = 0; k < digits && done; k++) {
            int shift = low + k * width, at = k % 2 << width;
            GLOBAL item *from = here ? keys : other_keys, *from_values = here ? values : other_values;
            GLOBAL item *to = here ? other_keys : keys, *to_values = here ? other_values : values;
            if (k % 2 == 0) {
                u32 most = tally(from, m, shift, min(digits - k, 2), width, counter);
                if (low > FROM && most > (u32)(m >> width) * 16 + 64) done = 0;
            }
            if (done && pass(from, from_values, to, to_values, m, shift, width, counter + at, back, pairs))
                here = !here;
        }
        if (done && low > FROM) done = insert(here ? keys : other_keys, here ? values : other_values, m, pairs);
    }
    for (int i = 0; !here && i < m; i++)
        keys[i] = other_keys[i];
    for (int i = 0; !here && pairs && i < m; i++)
        values[i] = other_values[i];
}
