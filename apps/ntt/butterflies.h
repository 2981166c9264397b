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
#define OWN(i)  values v = lanes_load(factor[(i)*32 + column]), q = lanes_load(quotient[(i)*32 + column]);
#define FEW(i)  value v = factor[((i) << (e + 1)) + column], q = quotient[((i) << (e + 1)) + column];
/* The factors of the 16 rows behind these: where they come from afar, no core asks for them soon enough by itself. */
#define FACTORS_AHEAD                       \
    lanes_ahead_rows(factor[512 + column]); \
    lanes_ahead_rows(factor[768 + column]);
#define DOWN(e, FACTORS, type)                                   \
    EACH (k, e) {                                                \
        EACH (i, 1 << ((e)-1)) {                                 \
            FACTORS((1 << k) + FACTOR(e, k, i))                  \
            APART(type, x[LOW(e, k, i)], x[HIGH(e, k, i)], v, q) \
        }                                                        \
    }
#define UP(e, FACTORS, type)                                        \
    EACH (j, e) {                                                   \
        EACH (i, 1 << ((e)-1)) {                                    \
            int k = (e)-1 - j;                                      \
            FACTORS((1 << k) + FACTOR(e, k, i))                     \
            TOGETHER(type, x[LOW(e, k, i)], x[HIGH(e, k, i)], v, q) \
        }                                                           \
    }

/* A tile is `groups` times 2^s rows of c words, each group with `room` factors.  The e levels from level
 * `depth` on: a thread has 2^e words of a column, 2^step rows apart, and keeps LAST of x[i]. */
#define STAGE(e, depth, LEVELS, FROM, TO, LAST) STAGE_AHEAD(e, depth, LEVELS, FROM, TO, LAST, NOTHING)
#define STAGE_AHEAD(e, depth, LEVELS, FROM, TO, LAST, AHEAD)                                                     \
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
            AHEAD(e)                                                                                             \
            LEVELS(e, SAME, values)                                                                              \
            EACH (i, 1 << (e))                                                                                   \
                lanes_store(TO(row, i << step), LAST);                                                           \
        }                                                                                                        \
    }

/* The word of a column that is `more` rows behind `row`; they share no bit, and so are spread one by one. */
#define TILE(row, more) tile[spread((row)*c + column) + spread((more)*c)]
#define FROM(row, more) from[(i64)(row)*distance + column + (more)*distance]
#define TO(row, more)   to[(i64)(row)*distance + column + (more)*distance]

/* The columns of the next block, where rows lie apart: no core asks for so many lines by itself. */
#define NOTHING(e)
#define NEXT(e)                                                                           \
    if (distance > c) {                                                                   \
        EACH (i, 1 << (e))                                                                \
            lanes_ahead(from[(i64)row * distance + c + column + (i << step) * distance]); \
    }

/* A thread has 2^e words at a time, e from 2 to 4: s levels are a stage of `rest` of them, 1 to e, nearest to the first
 * level, and stages of e. */
int rest_of(int s, int e)
{
    return (s + e - 1) % e + 1;
}

/* Words of the factors of s levels: of each stage, for each of its polynomials, one more than it has.  That is 2^rest +
 * 2^(rest + e) + ... + 2^s. */
int room_of(int s, int e)
{
    return ((1 << (s + e)) - (1 << rest_of(s, e))) / ((1 << e) - 1);
}

#define STAGES(depth, LEVELS, FROM, TO, LAST, AHEAD)                 \
    if (e == 2) STAGE_AHEAD(2, depth, LEVELS, FROM, TO, LAST, AHEAD) \
    if (e == 3) STAGE_AHEAD(3, depth, LEVELS, FROM, TO, LAST, AHEAD) \
    if (e == 4) STAGE_AHEAD(4, depth, LEVELS, FROM, TO, LAST, AHEAD)

/* The last four levels of rows of 16 words, s of them in all: such rows lie 16 together, so that compilers know where,
 * and need not find the place of each word anew for each vector. */
#define SIXTEEN(LEVELS, FROM, TO, LAST)                                             \
    REGION                                                                          \
    {                                                                               \
        int c = 16, distance = 16, room = room_of(s, 4), begin = room_of(s - 4, 4); \
        STAGE(4, s - 4, LEVELS, FROM, TO, LAST)                                     \
    }

/* The first e levels of such rows, where few groups make a block: a step of all its threads is in one group, whose
 * factors are the same for all of them. */
#define FIRST(e, LEVELS, FROM, TO, LAST)                                           \
    for (int part = 0; part < groups << (s - (e)); part += block_height) {         \
        int from_here = begin + (part >> (s - (e))) * room, far = 16 << (s - (e)); \
        int here = 16 * part + (part >> (s - (e))) * (far * ((1 << (e)) - 1));     \
        LOCAL const value *factor = factors + from_here;                           \
        LOCAL const value *quotient = quotients + from_here;                       \
        LANES (value, t) {                                                         \
            values x[1 << (e)];                                                    \
            EACH (i, 1 << (e))                                                     \
                x[i] = lanes_load(FROM(here + t, i * far));                        \
            LEVELS(e, SAME, values)                                                \
            EACH (i, 1 << (e))                                                     \
                lanes_store(TO(here + t, i * far), LAST);                          \
        }                                                                          \
    }
#define IN_TILE(word, more) tile[spread(word) + spread(more)]
#define IN_FROM(word, more) from[(word) + (more)]
#define IN_TO(word, more)   to[(word) + (more)]

/* `count` factors and their quotients into local memory.  Written out, so that GPUs ask for the words of the first
 * stage before they wait for these. */
#define FETCH_PART(table, quotient_table, at)             \
    {                                                     \
        factors[(at) + t] = (table)[(at) + t];            \
        quotients[(at) + t] = (quotient_table)[(at) + t]; \
    }
#define FETCH(table, quotient_table, count)                     \
    EACH (mine, (count) / block_size)                           \
        THREADS (t)                                             \
            FETCH_PART(table, quotient_table, mine *block_size) \
    THREADS (t, 0, (count) % block_size)                        \
    FETCH_PART(table, quotient_table, (count) / block_size * block_size)

/* A thread's row of 8 or 4 words in the tile, at `place`, and what `levels` do to it. */
#define ROW(e, levels, last_of)                                             \
    THREADS_2D (column, line) {                                             \
        GLOBAL const value *factor = z + (2 * line << 2 * (e));             \
        GLOBAL const value *quotient = factor + (1 << (e));                 \
        int place = spread((line << 2 * (e)) + (column << (e)));            \
        value x[1 << (e)];                                                  \
        EACH (i, 1 << (e))                                                  \
            x[i] = tile[place + i];                                         \
        levels(e, FEW, value) EACH (i, 1 << (e)) tile[place + i] = last_of; \
    }
