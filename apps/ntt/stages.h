/* SPDX-License-Identifier: Apache-2.0 */
/* The levels of butterflies.h on the tile of a block, of numbers of type `value`. */

void fetch(GLOBAL const value *table, GLOBAL const value *quotient_table, int count, LOCAL value *factors,
           LOCAL value *quotients)
{
    REGION
    {
        FETCH(table, quotient_table, count)
    }
}

/* The first s levels, 1 or more, of the polynomials at `from`, into the tile. */
void down_to_tile(GLOBAL const value *from, int distance, LOCAL value *tile, LOCAL const value *factors,
                  LOCAL const value *quotients, value p, int s, int c, int e, int groups)
{
    int rest = rest_of(s, e), room = room_of(s, e), begin = 0;
    REGION
    {
        if (rest == 1) STAGE_AHEAD(1, 0, DOWN, FROM, TILE, x[i], NEXT)
        if (rest == 2) STAGE_AHEAD(2, 0, DOWN, FROM, TILE, x[i], NEXT)
        if (rest == 3) STAGE_AHEAD(3, 0, DOWN, FROM, TILE, x[i], NEXT)
        if (rest == 4) STAGE_AHEAD(4, 0, DOWN, FROM, TILE, x[i], NEXT)
    }
}

/* The levels of the last stage but one, up to `last`. */
void down_in_tile(LOCAL value *tile, LOCAL const value *factors, LOCAL const value *quotients, value p, int s, int last,
                  int c, int e, int groups)
{
    int rest = rest_of(s, e), room = room_of(s, e), begin = 1 << rest;
    for (int depth = rest; depth < last; depth += e) {
        REGION{STAGES(depth, DOWN, TILE, TILE, x[i], NOTHING)} begin += 1 << (depth + e);
    }
}

/* The same back. */
void up_in_tile(LOCAL value *tile, LOCAL const value *factors, LOCAL const value *quotients, value p, int s, int last,
                int c, int e, int groups)
{
    int rest = rest_of(s, e), room = room_of(s, e);
    for (int depth = last - e; depth >= rest; depth -= e) {
        int begin = room_of(depth, e);
        REGION
        {
            STAGES(depth, UP, TILE, TILE, x[i], NOTHING)
        }
    }
}

void up_from_tile(LOCAL const value *tile, GLOBAL value *to, int distance, LOCAL const value *factors,
                  LOCAL const value *quotients, value p, int s, int c, int e, int groups)
{
    int rest = rest_of(s, e), room = room_of(s, e), begin = 0;
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
                  LOCAL const value *factors, LOCAL const value *quotients, value p, int s, int c, int e)
{
    int groups = 1, room = 0, begin = room_of(s - e, e);
    down_to_tile(from, distance, tile, factors, quotients, p, s, c, e, groups);
    down_in_tile(tile, factors, quotients, p, s, s - e, c, e, groups);
    if (s > e) {
        REGION
        {
            STAGES(s - e, DOWN, TILE, TO, x[i], NOTHING)
        }
    } else
        copy_out(tile, to, distance, s, c);
}

void columns_up(GLOBAL const value *from, GLOBAL value *to, int distance, LOCAL value *tile, LOCAL const value *factors,
                LOCAL const value *quotients, value p, int s, int c, int e)
{
    int groups = 1, room = 0, begin = room_of(s - e, e);
    if (s > e) {
        REGION
        {
            STAGES(s - e, UP, FROM, TILE, x[i], NEXT)
        }
    } else
        copy_in(from, distance, tile, s, c);
    up_in_tile(tile, factors, quotients, p, s, s - e, c, e, groups);
    up_from_tile(tile, to, distance, factors, quotients, p, s, c, e, groups);
}

/* Whether blocks are as FIRST wants them. */
int are_few(int s, int e)
{
    return e == 4 && block_height <= 1 << (s - rest_of(s, 4));
}

void first_in(GLOBAL const value *from, LOCAL value *tile, LOCAL const value *factors, LOCAL const value *quotients,
              value p, int s, int groups)
{
    int rest = rest_of(s, 4), room = room_of(s, 4), begin = 0;
    REGION
    {
        if (rest == 1) FIRST(1, DOWN, IN_FROM, IN_TILE, x[i])
        if (rest == 2) FIRST(2, DOWN, IN_FROM, IN_TILE, x[i])
        if (rest == 3) FIRST(3, DOWN, IN_FROM, IN_TILE, x[i])
        if (rest == 4) FIRST(4, DOWN, IN_FROM, IN_TILE, x[i])
    }
}

void first_out(LOCAL const value *tile, GLOBAL value *to, LOCAL const value *factors, LOCAL const value *quotients,
               value p, int s, int groups)
{
    int rest = rest_of(s, 4), room = room_of(s, 4), begin = 0;
    REGION
    {
        if (rest == 1) FIRST(1, UP, IN_TILE, IN_TO, fold(x[i], p))
        if (rest == 2) FIRST(2, UP, IN_TILE, IN_TO, fold(x[i], p))
        if (rest == 3) FIRST(3, UP, IN_TILE, IN_TO, fold(x[i], p))
        if (rest == 4) FIRST(4, UP, IN_TILE, IN_TO, fold(x[i], p))
    }
}

void sixteen_in(GLOBAL const value *from, LOCAL value *tile, LOCAL const value *factors, LOCAL const value *quotients,
                value p, int s, int groups)
{
    SIXTEEN(DOWN, FROM, TILE, x[i])
}

void sixteen_down(LOCAL value *tile, LOCAL const value *factors, LOCAL const value *quotients, value p, int s,
                  int groups)
{
    SIXTEEN(DOWN, TILE, TILE, x[i])
}

void sixteen_up(LOCAL value *tile, LOCAL const value *factors, LOCAL const value *quotients, value p, int s, int groups)
{
    SIXTEEN(UP, TILE, TILE, x[i])
}

void sixteen_out(LOCAL const value *tile, GLOBAL value *to, LOCAL const value *factors, LOCAL const value *quotients,
                 value p, int s, int groups)
{
    SIXTEEN(UP, TILE, TO, fold(x[i], p))
}

/* Of `groups` polynomials of 2^s rows of 2^e words, one behind the other, the s levels before rows are alone: into the
 * tile. */
void rows_to_tile(GLOBAL const value *from, LOCAL value *tile, LOCAL const value *factors, LOCAL const value *quotients,
                  value p, int s, int e, int groups)
{
    int others = e == 4 && s >= 4 ? s - 4 : s;
    if (s == 0) {
        ITEMS (i, groups << e)
            tile[spread(i)] = from[i];
    } else if (others > 0) {
        if (are_few(s, e))
            first_in(from, tile, factors, quotients, p, s, groups);
        else
            down_to_tile(from, 1 << e, tile, factors, quotients, p, s, 1 << e, e, groups);
        down_in_tile(tile, factors, quotients, p, s, others, 1 << e, e, groups);
        if (others < s) sixteen_down(tile, factors, quotients, p, s, groups);
    } else
        sixteen_in(from, tile, factors, quotients, p, s, groups);
}

/* And the e levels after them: a thread has a row; their factors at z lie 2^e rows together, number by number, before
 * their quotients. */
void rows_down(GLOBAL const value *from, LOCAL value *tile, LOCAL const value *factors, LOCAL const value *quotients,
               GLOBAL const value *z, value p, int s, int e, int groups)
{
    rows_to_tile(from, tile, factors, quotients, p, s, e, groups);
    REGION
    {
        if (e == 2) ROW(2, DOWN, fold(x[i], p))
        if (e == 3) ROW(3, DOWN, fold(x[i], p))
        if (e == 4)
            LANES (value, column, line) {
                GLOBAL const value *factor = z + 512 * line, *quotient = factor + 16;
                FACTORS_AHEAD
                values x[16];
                lanes_load_rows(x, tile[spread(256 * line + 16 * column)]);
                DOWN(4, OWN, values)
                EACH (i, 16)
                    x[i] = fold(x[i], p);
                lanes_store_rows(tile[spread(256 * line + 16 * column)], x);
            }
    }
}

/* Back from rows in the tile: the s levels, and before them e. */
void rows_from_tile(LOCAL value *tile, GLOBAL value *to, LOCAL const value *factors, LOCAL const value *quotients,
                    value p, int s, int e, int groups)
{
    int others = e == 4 && s >= 4 ? s - 4 : s;
    if (s == 0) {
        ITEMS (i, groups << e)
            to[i] = tile[spread(i)];
    } else if (others > 0) {
        if (others < s) sixteen_up(tile, factors, quotients, p, s, groups);
        up_in_tile(tile, factors, quotients, p, s, others, 1 << e, e, groups);
        if (are_few(s, e))
            first_out(tile, to, factors, quotients, p, s, groups);
        else
            up_from_tile(tile, to, 1 << e, factors, quotients, p, s, 1 << e, e, groups);
    } else
        sixteen_out(tile, to, factors, quotients, p, s, groups);
}

void rows_up(LOCAL value *tile, GLOBAL value *to, LOCAL const value *factors, LOCAL const value *quotients,
             GLOBAL const value *z, GLOBAL const value *next, value p, int s, int e, int groups)
{
    REGION
    {
        if (e == 2) ROW(2, UP, x[i])
        if (e == 3) ROW(3, UP, x[i])
        if (e == 4)
            LANES (value, column, line) {
                GLOBAL const value *factor = z + 512 * line, *quotient = factor + 16;
                FACTORS_AHEAD
                lanes_ahead_rows(next[256 * line + 16 * column]);
                values x[16];
                lanes_load_rows(x, tile[spread(256 * line + 16 * column)]);
                UP(4, OWN, values)
                lanes_store_rows(tile[spread(256 * line + 16 * column)], x);
            }
    }
    rows_from_tile(tile, to, factors, quotients, p, s, e, groups);
}
