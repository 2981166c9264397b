/* SPDX-License-Identifier: Apache-2.0 */
/* Levels of butterflies on tiles in local memory, of numbers of type `value`, which are `values` of neighbouring
 * threads.
 *
 * Level j has the residues of a polynomial modulo the 2^j polynomials x^M - w, M = n / 2^j words each.  A level takes
 * each of them to two: b + c x^(M/2), modulo x^(M/2) - v and x^(M/2) + v where v v = w, is b + v c and b - v c.  After
 * the last level there are values, in the order of the reversed bits of their numbers.  Backward, b and c come out
 * twice as large.
 *
 * Residues are loose on the way: below 2 p.  Each factor v comes with its quotient floor(v 2^bits / p). */

#define APART(type, low, high, v, q)                                      \
    {                                                                     \
        type plain = fold(low, p), other = fold(times(high, v, q, p), p); \
        low = plain + other;                                              \
        high = plain - other + p;                                         \
        OPS(2);                                                           \
    }
#define TOGETHER(type, low, high, v, q)                   \
    {                                                     \
        type plain = fold(low, p), other = fold(high, p); \
        low = plain + other;                              \
        high = times(plain - other + p, v, q, p);         \
        OPS(2);                                           \
    }

/* Butterfly i of level k, of the e levels on 2^e words: its two words, and the number of its factor among the 2^k. */
#define FACTOR(e, k, i) ((i) >> ((e)-1 - (k)))
#define LOW(e, k, i)    ((i) + (FACTOR(e, k, i) << ((e)-1 - (k))))
#define HIGH(e, k, i)   (LOW(e, k, i) + (1 << ((e)-1 - (k))))

/* The e levels on x, forward and backward.  The factors of level k are numbers 2^k ... 2^(k+1) - 1 of `factor`, and
 * their quotients those of `quotient`: v and q, which SAME or OWN declares. */
#define SAME(i) value v = factor[i], q = quotient[i];
#define OWN(i)  values v = lanes_load(factor[(i)*16 + column]), q = lanes_load(quotient[(i)*16 + column]);
#define DOWN(e, FACTORS)                                           \
    EACH (k, e) {                                                  \
        EACH (i, 1 << ((e)-1)) {                                   \
            FACTORS((1 << k) + FACTOR(e, k, i))                    \
            APART(values, x[LOW(e, k, i)], x[HIGH(e, k, i)], v, q) \
        }                                                          \
    }
#define UP(e, FACTORS)                                                \
    EACH (j, e) {                                                     \
        EACH (i, 1 << ((e)-1)) {                                      \
            int k = (e)-1 - j;                                        \
            FACTORS((1 << k) + FACTOR(e, k, i))                       \
            TOGETHER(values, x[LOW(e, k, i)], x[HIGH(e, k, i)], v, q) \
        }                                                             \
    }

/* A tile is `groups` times 2^s rows of c words, each group with `room` factors.  The e levels from level
 * `depth` on: a thread has 2^e words of a column, 2^step rows apart, and keeps LAST of x[i]. */
#define STAGE(e, depth, LEVELS, FROM, TO, LAST)                                                                  \
    for (int part = 0; part < groups << (s - (e)); part += block_height) {                                       \
        LANES (value, column, line) {                                                                            \
            int step = s - (depth) - (e), at = part + line, node = at >> step; /* with those of groups before */ \
            int row = (node << (step + (e))) + (at & ((1 << step) - 1));                                         \
            int from_here = begin + ((node & ((1 << (depth)) - 1)) << (e)); /* of the factors */                 \
            if (groups > 1) from_here += (at >> (s - (e))) * room;                                               \
            LOCAL const value *factor = factors + from_here;                                                     \
            LOCAL const value *quotient = quotients + from_here;                                                 \
            values x[1 << (e)];                                                                                  \
            EACH (i, 1 << (e))                                                                                   \
                x[i] = lanes_load(FROM(row, i << step));                                                         \
            LEVELS(e, SAME)                                                                                      \
            EACH (i, 1 << (e))                                                                                   \
                lanes_store(TO(row, i << step), LAST);                                                           \
        }                                                                                                        \
    }

/* The word of a column that is `more` rows behind `row`; they share no bit, and so are spread one by one. */
#define TILE(row, more) tile[spread((row)*c + column) + spread((more)*c)]
#define FROM(row, more) from[(i64)(row)*distance + column + (more)*distance]
#define TO(row, more)   to[(i64)(row)*distance + column + (more)*distance]

/* s levels are a stage of `rest` of them, 1 to 4, nearest to the first level, and stages of four. */
int rest_of(int s)
{
    return (s + 3) % 4 + 1;
}

/* Words of the factors of s levels: of each stage, for each of its polynomials, one more than it has. */
int room_of(int s)
{
    int room = 0;
    for (int depth = rest_of(s); depth <= s; depth += 4)
        room += 1 << depth;
    return room;
}

/* The first s levels, 1 or more, of the polynomials at `from`, into the tile. */
void down_to_tile(GLOBAL const value *from, int distance, LOCAL value *tile, LOCAL const value *factors,
                  LOCAL const value *quotients, value p, int s, int c, int groups)
{
    int rest = rest_of(s), room = room_of(s), begin = 0;
    REGION
    {
        if (rest == 1) STAGE(1, 0, DOWN, FROM, TILE, x[i])
        if (rest == 2) STAGE(2, 0, DOWN, FROM, TILE, x[i])
        if (rest == 3) STAGE(3, 0, DOWN, FROM, TILE, x[i])
        if (rest == 4) STAGE(4, 0, DOWN, FROM, TILE, x[i])
    }
}

/* The levels of the last stage but one, up to `last`. */
void down_in_tile(LOCAL value *tile, LOCAL const value *factors, LOCAL const value *quotients, value p, int s, int last,
                  int c, int groups)
{
    int rest = rest_of(s), room = room_of(s), begin = 1 << rest;
    for (int depth = rest; depth < last; depth += 4) {
        REGION{STAGE(4, depth, DOWN, TILE, TILE, x[i])} begin += 16 << depth;
    }
}

/* The same back. */
void up_in_tile(LOCAL value *tile, LOCAL const value *factors, LOCAL const value *quotients, value p, int s, int last,
                int c, int groups)
{
    int rest = rest_of(s), room = room_of(s);
    for (int depth = last - 4; depth >= rest; depth -= 4) {
        int begin = room_of(depth);
        REGION
        {
            STAGE(4, depth, UP, TILE, TILE, x[i])
        }
    }
}

void up_from_tile(LOCAL const value *tile, GLOBAL value *to, int distance, LOCAL const value *factors,
                  LOCAL const value *quotients, value p, int s, int c, int groups)
{
    int rest = rest_of(s), room = room_of(s), begin = 0;
    REGION
    {
        if (rest == 1) STAGE(1, 0, UP, TILE, TO, fold(x[i], p))
        if (rest == 2) STAGE(2, 0, UP, TILE, TO, fold(x[i], p))
        if (rest == 3) STAGE(3, 0, UP, TILE, TO, fold(x[i], p))
        if (rest == 4) STAGE(4, 0, UP, TILE, TO, fold(x[i], p))
    }
}

/* Where there is one stage: words into the tile and out of it as they are. */
void copy_in(GLOBAL const value *from, int distance, LOCAL value *tile, int s, int c)
{
    REGION
    {
        for (int row = 0; row < 1 << s; row += block_height)
            THREADS_2D (column, line)
                tile[spread((row + line) * c + column)] = from[(i64)(row + line) * distance + column];
    }
}

void copy_out(LOCAL const value *tile, GLOBAL value *to, int distance, int s, int c)
{
    REGION
    {
        for (int row = 0; row < 1 << s; row += block_height)
            THREADS_2D (column, line)
                to[(i64)(row + line) * distance + column] = tile[spread((row + line) * c + column)];
    }
}

/* s levels of c columns of a polynomial, 2^s rows of them, `distance` words apart. */
void columns_down(GLOBAL const value *from, GLOBAL value *to, int distance, LOCAL value *tile,
                  LOCAL const value *factors, LOCAL const value *quotients, value p, int s, int c)
{
    int groups = 1, room = 0, begin = room_of(s - 4);
    down_to_tile(from, distance, tile, factors, quotients, p, s, c, groups);
    down_in_tile(tile, factors, quotients, p, s, s - 4, c, groups);
    if (s > 4) {
        REGION
        {
            STAGE(4, s - 4, DOWN, TILE, TO, x[i])
        }
    } else
        copy_out(tile, to, distance, s, c);
}

void columns_up(GLOBAL const value *from, GLOBAL value *to, int distance, LOCAL value *tile, LOCAL const value *factors,
                LOCAL const value *quotients, value p, int s, int c)
{
    int groups = 1, room = 0, begin = room_of(s - 4);
    if (s > 4) {
        REGION
        {
            STAGE(4, s - 4, UP, FROM, TILE, x[i])
        }
    } else
        copy_in(from, distance, tile, s, c);
    up_in_tile(tile, factors, quotients, p, s, s - 4, c, groups);
    up_from_tile(tile, to, distance, factors, quotients, p, s, c, groups);
}

/* Of `groups` polynomials of 2^s rows of 16 words, one behind the other, the s levels before rows are alone: into the
 * tile. */
void rows_to_tile(GLOBAL const value *from, LOCAL value *tile, LOCAL const value *factors, LOCAL const value *quotients,
                  value p, int s, int groups)
{
    if (s == 0) {
        ITEMS (i, 16 * groups)
            tile[spread(i)] = from[i];
    } else
        down_to_tile(from, 16, tile, factors, quotients, p, s, 16, groups);
    down_in_tile(tile, factors, quotients, p, s, s, 16, groups);
}

/* And the four levels after them: a thread has a row; their factors at z lie 16 rows together, number by number. */
void rows_down(GLOBAL const value *from, LOCAL value *tile, LOCAL const value *factors, LOCAL const value *quotients,
               GLOBAL const value *z, value p, int s, int groups)
{
    rows_to_tile(from, tile, factors, quotients, p, s, groups);
    LANES (value, column, line) {
        GLOBAL const value *factor = z + 512 * line, *quotient = factor + 256;
        values x[16];
        lanes_load_rows(x, tile[spread(256 * line + 16 * column)]);
        DOWN(4, OWN)
        EACH (i, 16)
            x[i] = fold(x[i], p);
        lanes_store_rows(tile[spread(256 * line + 16 * column)], x);
    }
}

/* Back from rows in the tile: the s levels, and before them four. */
void rows_from_tile(LOCAL value *tile, GLOBAL value *to, LOCAL const value *factors, LOCAL const value *quotients,
                    value p, int s, int groups)
{
    up_in_tile(tile, factors, quotients, p, s, s, 16, groups);
    if (s == 0) {
        ITEMS (i, 16 * groups)
            to[i] = tile[spread(i)];
    } else
        up_from_tile(tile, to, 16, factors, quotients, p, s, 16, groups);
}

void rows_up(LOCAL value *tile, GLOBAL value *to, LOCAL const value *factors, LOCAL const value *quotients,
             GLOBAL const value *z, value p, int s, int groups)
{
    LANES (value, column, line) {
        GLOBAL const value *factor = z + 512 * line, *quotient = factor + 256;
        values x[16];
        lanes_load_rows(x, tile[spread(256 * line + 16 * column)]);
        UP(4, OWN)
        lanes_store_rows(tile[spread(256 * line + 16 * column)], x);
    }
    rows_from_tile(tile, to, factors, quotients, p, s, groups);
}
