/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of products, of residues that are numbers of type `value`. */

/* Pieces of `terms` words of a, eight of them or four where the others are 0, modulo Q polynomials and the prime of the
 * block.  Words are taken as numbers, in whatever form the program has them.  Several operands begin `stride` words
 * from each other.  One share: a block has columns of all residues modulo a prime; two: see IS_CUT; none: one, without
 * the first `known` residues. */
KERNEL void split(GLOBAL const word *a, GLOBAL value *f, GLOBAL const value *constants, int first, int stride,
                  int terms, int chunks, int size, int primes, int known, CONSTANT int Q, CONSTANT int pieces,
                  CONSTANT int long_words, CONSTANT int shares)
{
    LOCAL value x[8 * (1 + long_words) * block_size];
    int parts = primes + IS_CUT, which = (block >> chunks) % parts, whose = (block >> chunks) / parts;
    int side = IS_CUT && which == primes / 2 ? 1 : IS_CUT && which == primes / 2 + 1 ? 2 : 0;
    int prime = which - (IS_CUT && which > primes / 2), number = whose * primes + prime;
    int start = (block & ((1 << chunks) - 1)) * block_size, begin = first + whose * stride;
    int ring = max(FIRST_OF(side), known), beyond = END_OF(side);
    GLOBAL const value *own = constants + CONSTANTS * prime;
    GLOBAL value *to = f + (i64)number * Q * size;

    value p = own[PRIME];
    REGION
    {
        EACH (i, pieces) {
            int inside = terms - i * size - start;
            GLOBAL const word *from = a + begin + i * size + start;
            if (long_words) {
                THREADS (t, 0, inside) {
                    word w = from[t];
                    X(0, i) = LOWER(w);
                    X(1, i) = UPPER(w);
                }
                THREADS (t, inside, block_size)
                    X(1, i) = 0;
            } else
                THREADS (t, 0, inside)
                    X(0, i) = (value)from[t];
            THREADS (t, inside, block_size)
                X(0, i) = 0;
        }
        if (long_words)
            EACH (i, pieces)
                LANES (value, t) {
                    values low = lanes_load(X(0, i)), high = lanes_load(X(1, i));
                    lanes_store(X(0, i), WHOLE(low, high));
                    OPS(1);
                }
        if (pieces == 4)
            BY_SIDES(4)
        else
            BY_SIDES(8)
    }
}

/* s levels: a block has c neighbouring columns of a part. */
KERNEL void columns_forward(GLOBAL value *f, GLOBAL const value *constants, GLOBAL const value *table,
                            GLOBAL const value *quotient_table, int offset, int d, int distance, int chunks, int primes,
                            int known, CONSTANT int Q, CONSTANT int s, CONSTANT int c)
{
    LOCAL value tile[(c << s) + (c << s) / 32 + 1], factors[(1 << s) + (1 << s) / 8 + 2];
    LOCAL value quotients[(1 << s) + (1 << s) / 8 + 2];
    int number = AMONG(block >> chunks, known), room = room_of(s, 4);
    GLOBAL const value *own = constants + CONSTANTS * PRIME_OF(number);
    value p = own[PRIME];
    i64 first = ((i64)number * distance << s) + (block & ((1 << chunks) - 1)) * c;
    i64 at = (i64)own[TABLE] + offset + (i64)PART_OF(number) * room;
    fetch(table + at, quotient_table + at, room, factors, quotients);
    columns_down(f + first, f + first, distance, tile, factors, quotients, p, s, c, 4);
}

/* The s levels, 1 to 7, of 2^s rows in the tile. */
void down_from_tile(LOCAL value *tile, GLOBAL value *to, int distance, LOCAL const value *factors,
                    LOCAL const value *quotients, value p, int s, int c)
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

/* split and the first s levels, 1 to 7, in one: a block has c neighbouring columns of all pieces.  It reads them once
 * and takes them through prime after prime. */
KERNEL void split_columns(GLOBAL const word *a, GLOBAL value *f, GLOBAL const value *constants,
                          GLOBAL const value *table, GLOBAL const value *quotient_table, int offset, int first,
                          int stride, int terms, int distance, int primes, CONSTANT int Q, CONSTANT int pieces,
                          CONSTANT int long_words, CONSTANT int s, CONSTANT int c)
{
    LOCAL value halves[(1 + long_words) * pieces * c << s];
    LOCAL value tile[(Q * c << s) + (Q * c << s) / 32 + 1], factors[Q * ((1 << s) + (1 << s) / 8 + 2)];
    LOCAL value quotients[Q * ((1 << s) + (1 << s) / 8 + 2)];
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
        GLOBAL const value *own = constants + CONSTANTS * prime;
        GLOBAL value *to = f + (i64)(number * primes + prime) * Q * size + start;
        i64 factors_at = (i64)own[TABLE] + offset;
        value p = own[PRIME];
        REGION
        {
            FETCH(table + factors_at, quotient_table + factors_at, Q * room)
            for (int part = 0; part < 1 << s; part += block_height)
                LANES (value, column, line) {
                    values y[8];
                    if (pieces == 4) {
                        EACH (i, 4) {
                            RESIDUE(i)
                            y[i + 4] = y[i];
                        }
                        DOWN_ON(3, 1, 0, 8, y)
                    } else {
                        EACH (i, 8) {
                            RESIDUE(i)
                        }
                        DOWN_ON(3, 0, 0, 8, y)
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

KERNEL void columns_backward(GLOBAL value *f, GLOBAL const value *constants, GLOBAL const value *table,
                             GLOBAL const value *quotient_table, int offset, int d, int distance, int chunks,
                             int primes, int known, CONSTANT int Q, CONSTANT int s, CONSTANT int c)
{
    LOCAL value tile[(c << s) + (c << s) / 32 + 1], factors[(1 << s) + (1 << s) / 8 + 2];
    LOCAL value quotients[(1 << s) + (1 << s) / 8 + 2];
    int number = AMONG(block >> chunks, known), room = room_of(s, 4);
    GLOBAL const value *own = constants + CONSTANTS * PRIME_OF(number);
    value p = own[PRIME];
    i64 first = ((i64)number * distance << s) + (block & ((1 << chunks) - 1)) * c;
    i64 at = (i64)own[TABLE_BACK] + offset + (i64)PART_OF(number) * room;
    fetch(table + at, quotient_table + at, room, factors, quotients);
    columns_up(f + first, f + first, distance, tile, factors, quotients, p, s, c, 4);
}

/* The last s + 1 levels of f and g, the products of what they come to, and as many levels back: a block has `groups`
 * parts of each. */
KERNEL void multiply_rows(GLOBAL value *f, GLOBAL const value *g, GLOBAL const value *constants,
                          GLOBAL const value *table, GLOBAL const value *quotient_table, GLOBAL const value *last,
                          int offset, int d, int primes, CONSTANT int Q, CONSTANT int s, CONSTANT int groups,
                          CONSTANT int square)
{
    LOCAL value tile[(16 * groups << s) + (groups << s) / 2 + 1], second[(16 * groups << s) + (groups << s) / 2 + 1];
    LOCAL value factors[groups * ((1 << s) + (1 << s) / 8 + 2)];
    LOCAL value quotients[groups * ((1 << s) + (1 << s) / 8 + 2)];
    int number = block * groups, room = room_of(s, 4), words = 16 * groups << s;
    GLOBAL const value *own = constants + CONSTANTS * PRIME_OF(number);
    value p = own[PRIME], minus_inverse = own[MINUS_INVERSE], scale = own[SCALE], scale_q = own[QUOTIENT + SCALE];
    i64 first = (i64)block * words, at = offset + (i64)PART_OF(number) * room, z = ((i64)PART_OF(number) << s) * 2;
    i64 begin = (i64)own[TABLE] + at, back = (i64)own[TABLE_BACK] + at;
    GLOBAL const value *down = last + (i64)own[LAST] + z, *up = last + (i64)own[LAST_BACK] + z;
    fetch(table + begin, quotient_table + begin, groups * room, factors, quotients);
    rows_to_tile(f + first, tile, factors, quotients, p, s, 4, groups);
    if (!square) rows_to_tile(g + first, second, factors, quotients, p, s, 4, groups);
    REGION
    {
        FETCH(table + back, quotient_table + back, groups * room)
        LANES (value, column, line) {
            ROW_FACTORS(v, q, down)
            ROW_FACTORS(back_v, back_q, up)
            lanes_ahead_rows(f[first + words + 256 * line + 16 * column]); /* of the next block */
            if (!square) lanes_ahead_rows(g[first + words + 256 * line + 16 * column]);
            values x[16], low_x[8], high_x[8], low_y[8], high_y[8], low_w[8], high_w[8], low[8], high[8];
            lanes_load_rows(x, tile[spread(256 * line + 16 * column)]);
            LAST_DOWN(x)
            CENTRED(x, low_x, high_x)
            if (!square) {
                lanes_load_rows(x, second[spread(256 * line + 16 * column)]);
                LAST_DOWN(x)
            }
            CENTRED(x, low_y, high_y)
            TURNED(x, low_w, high_w)
            RING(low, low_x, low_y, low_w, minus_inverse, p);
            RING(high, high_x, high_y, high_w, minus_inverse, p);
            FIRST_UP(x, low, high)
            lanes_store_rows(tile[spread(256 * line + 16 * column)], x);
        }
    }
    rows_from_tile(tile, f + first, factors, quotients, p, s, 4, groups);
}

/* The last s + 4 levels of f, to values. */
KERNEL void rows_forward(GLOBAL value *f, GLOBAL const value *constants, GLOBAL const value *table,
                         GLOBAL const value *quotient_table, GLOBAL const value *last, int offset, int d, int primes,
                         int known, CONSTANT int Q, CONSTANT int s, CONSTANT int groups)
{
    LOCAL value tile[(16 * groups << s) + (groups << s) / 2 + 1];
    LOCAL value factors[groups * ((1 << s) + (1 << s) / 8 + 2)];
    LOCAL value quotients[groups * ((1 << s) + (1 << s) / 8 + 2)];
    int number = AMONG(block * groups, known), room = room_of(s, 4);
    GLOBAL const value *own = constants + CONSTANTS * PRIME_OF(number);
    value p = own[PRIME];
    i64 first = (i64)number * (16 << s), at = offset + (i64)PART_OF(number) * room;
    i64 begin = (i64)own[TABLE] + at;
    GLOBAL const value *down = last + 16 * ((i64)own[LAST] + ((i64)PART_OF(number) << s) * 2);
    fetch(table + begin, quotient_table + begin, groups * room, factors, quotients);
    rows_to_tile(f + first, tile, factors, quotients, p, s, 4, groups);
    LANES (value, column, line) {
        GLOBAL const value *factor = down + 512 * line, *quotient = factor + 16;
        FACTORS_AHEAD
        values x[16];
        lanes_load_rows(x, tile[spread(256 * line + 16 * column)]);
        DOWN(4, OWN, values)
        EACH (i, 16)
            x[i] = AT_LAST(x[i]);
        lanes_store_rows(tile[spread(256 * line + 16 * column)], x);
    }
    REGION
    {
        EACH (k, 16)
            THREADS (t)
                f[first + k * block_size + t] = tile[spread(k * block_size) + spread(t)];
    }
}

/* Of 2 x 2 matrices f and g of values, or a matrix f and a vector g, row by row, the product, as g has `columns`; and s +
 * 4 levels back.  Modulo the program's own prime, products are the first values of larger transforms: where `stride` is
 * not 0 they go to `kept`, too, whose entries lie so far apart. */
KERNEL void combine_rows(GLOBAL const value *f, GLOBAL const value *g, GLOBAL value *to, GLOBAL value *kept,
                         GLOBAL const value *constants, GLOBAL const value *table, GLOBAL const value *quotient_table,
                         GLOBAL const value *last, int offset, int d, int primes, int columns, int stride,
                         CONSTANT int Q, CONSTANT int s, CONSTANT int groups)
{
    LOCAL value tile[(16 * groups << s) + (groups << s) / 2 + 1];
    LOCAL value factors[groups * ((1 << s) + (1 << s) / 8 + 2)];
    LOCAL value quotients[groups * ((1 << s) + (1 << s) / 8 + 2)];
    int number = block * groups, room = room_of(s, 4), words = 16 * groups << s, all = (Q * primes) << d;
    int entry = number / all, row = entry / columns, column_of = entry % columns;
    GLOBAL const value *own = constants + CONSTANTS * PRIME_OF(number);
    value p = own[PRIME], minus_inverse = own[MINUS_INVERSE], scale = own[SCALE], scale_q = own[QUOTIENT + SCALE];
    i64 apart = (i64)all * (16 << s), inside = (i64)(number % all) * (16 << s);
    GLOBAL const value *a = f + 2 * row * apart + inside, *b = g + column_of * apart + inside;
    GLOBAL const value *c = a + apart, *e = b + columns * apart;
    GLOBAL value *first = kept + (i64)entry * stride + inside;
    i64 back = (i64)own[TABLE_BACK] + offset + (i64)PART_OF(number) * room;
    GLOBAL const value *up = last + 16 * ((i64)own[LAST_BACK] + ((i64)PART_OF(number) << s) * 2);
    REGION
    {
        FETCH(table + back, quotient_table + back, groups * room)
        EACH (k, 16)
            LANES (value, t) {
                values x = lanes_load(a[k * block_size + t]), y = lanes_load(b[k * block_size + t]);
                values u = lanes_load(c[k * block_size + t]), v = lanes_load(e[k * block_size + t]);
                values sum = BOTH(x, y, u, v, minus_inverse, p);
                if (stride) lanes_store(first[k * block_size + t], fold(sum, p));
                lanes_store(tile[spread(k * block_size) + spread(t)], sum);
            }
    }
    LANES (value, column, line) {
        GLOBAL const value *factor = up + 512 * line, *quotient = factor + 16;
        FACTORS_AHEAD
        values x[16];
        lanes_load_rows(x, tile[spread(256 * line + 16 * column)]);
        EACH (i, 16)
            x[i] = TIMES(x[i], scale, scale_q, p);
        UP(4, OWN, values)
        lanes_store_rows(tile[spread(256 * line + 16 * column)], x);
    }
    rows_from_tile(tile, to + (i64)block * words, factors, quotients, p, s, 4, groups);
}

/* The product from its residues: for each prime the pieces; of several primes digits, d0 + p0 (d1 + p1 (d2 + ...)); and
 * that modulo the program's prime, by `weights` and their quotients.  Words `begin` to `terms` - 1 are the result, from
 * number `first` on, or added to it where there is `more`.  Several products go `stride` words from each other. */
KERNEL void join(GLOBAL const value *f, GLOBAL word *result, GLOBAL const value *constants, GLOBAL const u64 *weights,
                 int first, int stride, int begin, int terms, int chunks, int size, word modulus, int more,
                 CONSTANT int primes, CONSTANT int Q, CONSTANT int direct, CONSTANT int long_words)
{
    LOCAL value x[8 * primes * block_size];
    LOCAL word pairs[long_words * (primes / GATHERED + 1) * block_size + 1];
    PRIVATE word sum[8];
    int start = (block & ((1 << chunks) - 1)) * block_size, number = block >> chunks;
    REGION
    {
        EACH (i, primes) {
            GLOBAL const value *own = constants + CONSTANTS * i;
            GLOBAL const value *from = f + (i64)(number * primes + i) * Q * size;
            value p = own[PRIME];
            if (Q == 4)
                LANES (value, t) {
                    FOUR KEEP(4)
                }
            if (Q == 5)
                LANES (value, t) {
                    FOUR FIFTH KEEP(5)
                }
            if (Q == 6)
                LANES (value, t) {
                    FOUR FIFTH_AND_SIXTH KEEP(6)
                }
            if (Q == 7)
                LANES (value, t) {
                    FOUR FIFTH_AND_SIXTH SEVENTH KEEP(7)
                }
            if (Q == 8)
                LANES (value, t) {
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
            } else if (long_words) { /* GATHERED digits are a word */
                EACH (i, primes / GATHERED) {
                    value p = constants[CONSTANTS * GATHERED * i + PRIME];
                    THREADS (t) {
                        pairs[i * block_size + t] = GATHER(X(GATHERED * i, k), X(GATHERED * i + 1, k), p);
                        OPS(2 * GATHERED - 2);
                    }
                }
                if (primes % GATHERED == 1)
                    THREADS (t)
                        pairs[primes / GATHERED * block_size + t] = X(primes - 1, k);
                LANES (word, t) {
                    word_lanes h = lanes_load(pairs[t]);
                    h = fold(SHORT_TIMES(h, (word)weights[0], (word)weights[primes], modulus), modulus);
                    EACH (i, (primes - 1) / GATHERED) {
                        word_lanes pair = lanes_load(pairs[(i + 1) * block_size + t]);
                        word weight = (word)weights[GATHERED * (i + 1)];
                        word quotient = (word)weights[primes + GATHERED * (i + 1)];
                        h = fold(h + fold(SHORT_TIMES(pair, weight, quotient, modulus), modulus), modulus);
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
