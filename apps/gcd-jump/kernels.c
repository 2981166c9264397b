/* SPDX-License-Identifier: Apache-2.0 */
/* The Euclidean algorithm in jumps of s steps: a head learns from the leading s coefficients of both polynomials what s
 * steps do to them, a 2 x 2 matrix of short polynomials; updates apply it to all coefficients, with no chain at all.
 *
 * As in the application `gcd`, a step lowers exactly one of the degrees by one: a polynomial whose leading coefficient
 * is 0 loses just that; else the one of higher degree (a, where they are equal) loses its leading term to the other,
 * and x y' - x' y, with the leading coefficients x' and y', takes the place of x - (x' / y') y.  Let a_i be the
 * coefficient i places behind the leading one.  Then a step is a_i <- y' a_{i+1} - x' b_{i+1}: with z for the shift of
 * i by one, the pair (a, b) is multiplied by a matrix of polynomials in z.
 *
 * Of jump number j, the first one number 0, state[4 j] and state[4 j + 1] are the degrees of a and b before it (a
 * polynomial of degree below 0 is 0, and the other one is the gcd), state[4 j + 2] is the least power of z in its
 * matrix and state[4 j + 3] how many powers it has. */

/* All steps at once, for polynomials that fit local memory. */
KERNEL void euclid(GLOBAL const word *a, GLOBAL const word *b, GLOBAL word *next_a, GLOBAL word *next_b,
                   GLOBAL int *state, int first_da, int first_db, CONSTANT int n)
{
    LOCAL word cell_a[2 * n], cell_b[2 * n];
    int da = first_da, db = first_db, u = 0, v = 0; /* leading terms lost by a and b */
    ITEMS (i, 2 * n) {
        cell_a[i] = i <= da ? a[da - i] : 0;
        cell_b[i] = i <= db ? b[db - i] : 0;
    }
    while (u <= da && v <= db) {
        word lead_a = cell_a[u], lead_b = cell_b[v];
        int above = da - u >= db - v, lower_a = !lead_a || (lead_b && above);
        int count = lead_a && lead_b ? above ? da - u : db - v : 0;
        multiplier keep = multiplier_of(lower_a ? lead_b : lead_a), take = multiplier_of(lower_a ? lead_a : lead_b);
        LOCAL word *cell = lower_a ? &cell_a[u + 1] : &cell_b[v + 1];
        LOCAL const word *other = lower_a ? &cell_b[v + 1] : &cell_a[u + 1];
        ITEM_LANES (word, i, count)
            lanes_store(cell[i], cross_by(keep, lanes_load(cell[i]), take, lanes_load(other[i])));
        u += lower_a;
        v += !lower_a;
    }
    REGION {
        ITEMS (i, da - u + 1)
            next_a[da - u - i] = cell_a[u + i];
        ITEMS (i, db - v + 1)
            next_b[db - v - i] = cell_b[v + i];
        ITEMS (i, 6)
            state[i] = i < 4 ? 0 : i == 4 ? da - u : db - v;
    }
}

/* Jumps have the leading coefficient first: from a and b to x and y.  What lies behind the last coefficient is taken
 * for 0 whatever it is; it is written here so that it may be read. */
KERNEL void enter(GLOBAL const word *a, GLOBAL const word *b, GLOBAL word *x, GLOBAL word *y, GLOBAL word *next_x,
                  GLOBAL word *next_y, int n, int m, int room)
{
    THREADS (t)
        for (int i = block * block_size + t; i < room; i += blocks * block_size) {
            x[i] = i < n ? a[n - 1 - i] : 0;
            y[i] = i < m ? b[m - 1 - i] : 0;
            next_x[i] = 0;
            next_y[i] = 0;
        }
}

/* And back, after jump number j - 1. */
KERNEL void leave(GLOBAL const word *x, GLOBAL const word *y, GLOBAL word *a, GLOBAL word *b, GLOBAL const int *state,
                  int j)
{
    int da = state[4 * j], db = state[4 * j + 1];
    THREADS (t)
        for (int i = block * block_size + t; i <= max(da, db); i += blocks * block_size) {
            if (i <= da) a[da - i] = x[i];
            if (i <= db) b[db - i] = y[i];
        }
}

#include "steps.h"

/* The matrix of s steps, step by step. */
KERNEL void plain_head(GLOBAL const word *a, GLOBAL const word *b, GLOBAL word *matrix, GLOBAL int *state, int j,
                       int first_da, int first_db, CONSTANT int s)
{
    LOCAL word cell_a[2 * s], cell_b[2 * s], row_a[2 * ENTRY], row_b[2 * ENTRY];
    LOCAL int told[4];
    int da = j ? state[4 * j] : first_da, db = j ? state[4 * j + 1] : first_db;
    ITEMS (i, 2 * s) {
        word x = a[min(i, s - 1)], y = b[min(i, s - 1)];
        cell_a[i] = i < s && i <= da ? x : 0;
        cell_b[i] = i < s && i <= db ? y : 0;
    }
    take_steps(cell_a, cell_b, row_a, row_b, told, da, db, s);
    int u = told[0], v = told[1], low = told[2], terms = told[3];
    REGION {
        for (int c = 0; c < 2; c++)
            ITEMS (i, terms) {
                matrix[c * (s + 1) + i] = row_a[c * ENTRY + s - u + low + i];
                matrix[(c + 2) * (s + 1) + i] = row_b[c * ENTRY + s - v + low + i];
            }
        ITEMS (i, s + 1 - terms)
            EACH (c, 4)
                matrix[c * (s + 1) + terms + i] = 0;
        ITEMS (i, 1) {
            if (j == 0) {
                state[0] = da;
                state[1] = db;
            }
            state[4 * j + 2] = low;
            state[4 * j + 3] = terms;
            state[4 * j + 4] = da - u;
            state[4 * j + 5] = db - v;
        }
    }
}

#define STAGES 15                 /* pairs of steps of a batch, done by 32 threads in their registers */
#define BATCH  (2 * STAGES)       /* steps of a batch, and coefficients of each polynomial that they need */
#define TAPS   32                 /* terms of an entry of a batch's matrix at most, and zeros */
#define LINE   (TAPS + 4)         /* from one to the next, so that four of them lie in different banks */
#define ROOM   (2 * BATCH + 1)    /* for one entry while steps are done one by one */
#define SLOW   (BATCH + 2 * ROOM) /* and for a polynomial's coefficients with its row */

#define SIDES  (l ? 1 : 2)
#define WINDOW (s + TAPS)     /* cells for the leading coefficients, */
#define COLUMN (s + 2 * TAPS) /* for a column of the matrix of all batches, */
#define REST   (l ? l + WINDOW : 2 * COLUMN)
#define CELLS  (WINDOW + REST) /* and behind the leading coefficients those of a block, or both columns */

/* All of them lie SHIFT places on: then pairs of those that a usual batch begins at, which loses STAGES, are read at
 * once. */
#define SHIFT  1
#define PLACES ((CELLS + SHIFT + 1) / 2 * 2)
#define LOADS  4 /* coefficients of each polynomial that a thread asks for before it waits for any */

/* Coefficient number i of a, or where c is 1 of b, which comes in four parts. */
#define NEAR(near, c, i)                                           \
    add(add(near[8 * (i) + 4 * (c)], near[8 * (i) + 4 * (c) + 1]), \
        add(near[8 * (i) + 4 * (c) + 2], near[8 * (i) + 4 * (c) + 3]))

/* What eight taps make of the cells, `h`. */
#define EIGHT(h, tap, cells) \
    dots h;                  \
    dots_clear(h);           \
    EACH (e, 8)              \
        dots_more(h, (tap)[e], (cells)[e]);

/* Neighbouring cells that a thread does at once, where sums are short enough for it. */
#define RUN (8 / (int)sizeof(word))

/* What eight taps make of neighbouring cells: their residues, `to`. */
#define EIGHT_AT_ONCE(to, tap, cells)                      \
    word to[2];                                            \
    do {                                                   \
        dots h[2];                                         \
        EACH (c, RUN)                                      \
            dots_clear(h[c]);                              \
        EACH (e, 8)                                        \
            EACH (c, RUN)                                  \
                dots_more(h[c], (tap)[e], (cells)[e + c]); \
        EACH (c, RUN)                                      \
            to[c] = (word)dots_few(h[c]);                  \
    } while (0)

/* The leading coefficients that the next batch needs, of what a batch's matrix makes of the cells from a and b on: of
 * both rows, in four parts each. */
void lead(LOCAL const operand *a, LOCAL const operand *b, LOCAL const operand *step, LOCAL word *near, int first)
{
    for (int k = 0; k < 8 * BATCH / RUN; k += block_size)
        THREADS (t, 0, 8 * BATCH / RUN - k) {
            int i = k + t, at = (i >> 3) * RUN;
            LOCAL const operand *cells = (i & 2 ? b : a) + (at + (i & 1) * 8);
            LOCAL const operand *tap = step + ((i & 6) / 2 * LINE + (i & 1) * 8);
            EIGHT_AT_ONCE(to, tap, cells);
            if (!first) {
                EIGHT_AT_ONCE(more, tap + 16, cells + 16);
                EACH (c, RUN)
                    to[c] = add(to[c], more[c]);
            }
            EACH (c, RUN)
                near[8 * (at + c) + (i & 7)] = to[c];
        }
}

/* What eight taps of both rows of a batch's matrix make of them. */
#define EIGHT_OF_RUN(tap, cells)                    \
    do {                                            \
        operand xs[9], hs[8], gs[8];                \
        dots h[2], g[2];                            \
        EACH (e, 7 + RUN)                           \
            xs[e] = (cells)[e];                     \
        EACH (e, 8) {                               \
            hs[e] = (tap)[e];                       \
            gs[e] = (tap)[2 * LINE + e];            \
        }                                           \
        EACH (c, RUN) {                             \
            dots_clear(h[c]);                       \
            dots_clear(g[c]);                       \
        }                                           \
        EACH (e, 8)                                 \
            EACH (c, RUN) {                         \
                dots_more(h[c], hs[e], xs[e + c]);  \
                dots_more(g[c], gs[e], xs[e + c]);  \
            }                                       \
        EACH (c, RUN) {                             \
            to_a[c] = products_dots(to_a[c], h[c]); \
            to_b[c] = products_dots(to_b[c], g[c]); \
        }                                           \
    } while (0)

/* What both rows of the batch's matrix make of the cells from a and b on. */
#define APPLY(taps, step, a, b)                   \
    for (int q = 0; q < (taps); q += 8) {         \
        EIGHT_OF_RUN(&(step)[q], &(a)[q]);        \
        EIGHT_OF_RUN(&(step)[LINE + q], &(b)[q]); \
    }

#define APART (change ? db - da >= BATCH : da - db >= BATCH - 1)

/* Whether pairs of steps can do: the leading coefficients are seen to be not 0 later. */
#define CLOSE (apart || da == db || da + 1 == db)

#define LOST_A (!apart ? STAGES : change ? 0 : BATCH)
#define LOST_B (!apart ? STAGES : change ? BATCH : 0)

/* How many batches there are, if all but the next one are of pairs of steps. */
#define DONE(x, y) (min(x, y) < 0 || tile > max(x, y))
#define LATER      (min(min(da - u, db - v), max(da - u, db - v) - tile) / STAGES + 1)
#define LEFT       (DONE(da, db) ? 0 : DONE(da - u, db - v) ? 1 : min(s / BATCH - batch, 1 + LATER))

/* The matrix of s steps, batch by batch.  The first 32 threads do a batch in their registers, in pairs of steps: with
 * the leading coefficients a0 and b0, a <- b0 a - a0 b, whose leading coefficient is the next a0, then b <- a0 b - b0 a
 * / z. Thread t has coefficients number t - 1 - k of both once k pairs are done, from t = k + 1 to t = 30 - k; above
 * and below grow the matrix's columns, by the same operations.  Where the degree of b is above that of a, they change
 * places.  The other threads meanwhile apply the batch before to the windows and to the matrix of all batches.  Where a
 * leading coefficient is 0, the batch is done again, one step at a time; this is known once the next batch has been
 * prepared, by corners of the matrix: y of thread 0 is the product of all a0 but the first, y of thread 15 that of all
 * b0 and of all a0 but the last, or its negative.
 *
 * With l = 0 there is one block, and the matrix goes to next_a, which is next_b.  Else each block does the same steps,
 * and in place of the matrix has l coefficients of its own, to which the others apply the batches: from number l *
 * block on, and as many behind them as steps are left.  A block whose coefficients are all gone is done. */
KERNEL void jump_head(GLOBAL const word *a, GLOBAL const word *b, GLOBAL word *next_a, GLOBAL word *next_b,
                      GLOBAL int *state, int j, int first_da, int first_db, CONSTANT int s, CONSTANT int l)
{
    LOCAL operand cell_a[2][PLACES], cell_b[2][PLACES]; /* leading coefficient and highest power of z first */
    LOCAL operand steps[2][4 * LINE];                 /* the last batch's matrix and the one before */
    LOCAL word parts[2][8 * BATCH], slow[2 * SLOW];
    PRIVATE word x, y, a0, b0, x2, power, quotient;
    PRIVATE int beside;
    int da = j ? state[4 * j] : first_da, db = j ? state[4 * j + 1] : first_db, low = 0;
    int first = 0, batch = 0; /* least power of z of the last batch's matrix; batches */
    int tile = l * block;
    REGION {
        for (int start = 0; start < CELLS; start += LOADS * block_size)
            THREADS (t) {
                word of_a[LOADS], of_b[LOADS];
                EACH (c, LOADS)
                    if (start + c * block_size < CELLS) {
                        int i = min(start + c * block_size + t, CELLS - 1);
                        int k = l && i >= WINDOW ? tile + i - WINDOW : min(i, s - 1);
                        of_a[c] = a[k];
                        of_b[c] = b[k];
                    }
                EACH (c, LOADS) {
                    int i = start + c * block_size + t;
                    if (i < CELLS) {
                        int own = l && i >= WINDOW, k = own ? tile + i - WINDOW : min(i, s - 1), some = own || i < s;
                        word p = some && k <= da ? of_a[c] : !l && i == WINDOW + s ? ONE : 0;
                        word r = some && k <= db ? of_b[c] : !l && i == WINDOW + COLUMN + s ? ONE : 0;
                        cell_a[0][SHIFT + i] = operand_of(p);
                        cell_b[0][SHIFT + i] = operand_of(r);
                        cell_a[1][SHIFT + i] = 0;
                        cell_b[1][SHIFT + i] = 0;
                        if (i < BATCH)
                            EACH (e, 8)
                                parts[0][8 * i + e] = e == 0 ? p : e == 4 ? r : 0;
                    }
                }
            }
        ITEMS (i, 4 * LINE)
            steps[1][i] = operand_of(i == 0 || i == 3 * LINE ? ONE : 0);
    }
    /* What the batch before left to do is from old_a to from_a by old_step.  Places change by turns, and what is the
     * same for all batches of pairs is kept, as it would come between the barrier and the chain.  What is done seldom
     * stands outside the inner loop, whose instructions a GPU then finds one behind the other. */
    LOCAL operand *old_a = &cell_a[1][0], *from_a = &cell_a[0][0], *old_b = &cell_b[1][0], *from_b = &cell_b[0][0];
    LOCAL operand *step = &steps[0][0], *old_step = &steps[1][0];
    LOCAL word *near = &parts[0][0], *next_near = &parts[1][0];
    int width = s, change = da < db, apart = APART, close = CLOSE, u = LOST_A, v = LOST_B, left = LEFT;
    while (left > 0) {
        int good = 1;
        do {
            int skip = first, done = batch;
            low += first;
            first = apart ? 0 : STAGES;
            batch++;
            left--;
            int more = l ? l + width : BATCH * done - low + 1; /* s - width is the highest power of z */
            int runs = (width + RUN - 1) / RUN, columns = (more + RUN - 1) / RUN;
            int count = done ? runs + SIDES * columns : 0;
            /* Far apart, all steps are of one division: a' = power z^30 a + (q_1 z + ... + q_30 z^30) b, and thread t
             * has number 30 - t of these quotients. */
            int to = change * 2 * LINE, other = 2 * LINE - to, own = change * LINE, cross_over = LINE - own;
            /* Where a leading coefficient was 0, so is one of two words of the matrix. */
            int corner = apart ? to + own + BATCH : other + cross_over, beyond = apart ? 0 : STAGES;
            FIRST_GROUP
            {
                GROUPS (t) {
                    int i = t > 0 && t <= BATCH ? t - 1 : 0;
                    word p = NEAR(near, change, i);
                    word r = NEAR(near, 1 - change, i);
                    x = t == 31 ? ONE : t == 0 ? 0 : p;
                    y = t == 0 ? ONE : t == 31 ? 0 : r;
                }
                a0 = shuffle(x, 1);
                GROUPS (t) {
                    power = ONE;
                    quotient = 0;
                    beside = t - 1;
                }
                if (!apart)
                    EACH (k, STAGES) {
                        b0 = shuffle(y, k + 1);
                        GROUPS (t) {
                            int none = t == k + 1 || t == 2 * STAGES - k;
                            x2 = cross_late(b0, x, a0, y);
                            x = none ? 0 : x2;
                            y = none ? 0 : y;
                            beside = t > k + 1 ? t + 1 : t - 1;
                        }
                        a0 = shuffle(x2, k + 2);
                        x2 = shuffle(x2, beside);
                        GROUPS (t)
                            y = cross_late(a0, y, t == 0 || t == 31 ? 0 : b0, x2);
                    }
                for (int k = 0; k < (apart ? BATCH : 0); k++) {
                    b0 = shuffle(y, k + 1);
                    GROUPS (t) {
                        x = cross(b0, x, a0, y);
                        quotient = t == k ? sub(0, a0) : mul(b0, quotient);
                        power = mul(power, b0);
                    }
                    a0 = shuffle(x, k + 2);
                    y = shuffle(y, beside);
                }
                GROUPS (t) {
                    /* Pairs write two words twice: in arms of an `if`, PoCL would have the other threads write, too. */
                    int e = apart ? own + t : t < 16 ? cross_over + t : own + 31 - t;
                    int e2 = apart ? cross_over + (t <= BATCH ? BATCH - t : t) : e, e3 = apart ? cross_over + t : e;
                    word row = !apart ? x : t == BATCH ? power : 0, beneath = apart ? 0 : y;
                    step[to + e] = operand_of(row);
                    step[other + e] = operand_of(beneath);
                    step[to + e2] = operand_of(!apart ? row : t < BATCH ? quotient : 0);
                    step[other + e3] = operand_of(!apart ? beneath : t == 0 ? ONE : 0);
                }
            }
            /* Meanwhile the others apply the matrix before to the rest of the window and to the matrix of all batches,
             * or to the coefficients of the block. */
            REGION {
                ITEMS (i, count, 32) {
                    int k = i - runs, second = k >= columns;
                    int start = k < 0 ? 0 : l ? WINDOW : WINDOW + second * COLUMN + width;
                    int at = start + RUN * (k < 0 ? i : second ? k - columns : k), end = start + (k < 0 ? width : more);
                    products to_a[2], to_b[2];
                    EACH (c, RUN) {
                        to_a[c] = 0;
                        to_b[c] = 0;
                    }
                    if (skip) {
                        APPLY(16, old_step, &old_a[at + (SHIFT + STAGES)], &old_b[at + (SHIFT + STAGES)])
                    } else {
                        APPLY(TAPS, old_step, &old_a[at + SHIFT], &old_b[at + SHIFT])
                    }
                    EACH (e, RUN)
                        if (e == 0 || at + e < end) {
                            from_a[SHIFT + at + e] = operand_of(products_value(to_a[e]));
                            from_b[SHIFT + at + e] = operand_of(products_value(to_b[e]));
                        }
                }
                if (!l)
                    ITEMS (i, done ? 2 * TAPS : 0, 32) {
                        int at = WINDOW + width + more + i % TAPS + i / TAPS * COLUMN;
                        from_a[SHIFT + at] = 0;
                        from_b[SHIFT + at] = 0;
                    }
            }
            if (left) lead(from_a + (SHIFT + first), from_b + (SHIFT + first), step, next_near, first);
            good = close & (step[corner] != 0) & (step[corner + beyond] != 0);
            LOCAL operand *turn_a = old_a, *turn_b = old_b, *turn_step = old_step;
            LOCAL word *turn_near = near;
            old_a = from_a;
            old_b = from_b;
            old_step = step;
            near = next_near;
            from_a = turn_a;
            from_b = turn_b;
            step = turn_step;
            next_near = turn_near;
            width -= BATCH;
            da -= u;
            db -= v;
        } while (left > 0 && good && !apart);
        if (!good) {
            int none = left >> 20; /* 0, which compilers do not know: so what is only needed here they leave here */
            da += u;
            db += v;
            u = 0;
            v = 0;
            ITEMS (i, 2 * SLOW) {
                int k = (i + none) % SLOW, c = (i + none) / SLOW;
                word p = NEAR(next_near, c, k < BATCH ? k : 0);
                slow[i] = k < BATCH ? p : k == (c == 0 ? 2 * BATCH : 2 * BATCH + ROOM) ? ONE : 0;
            }
            for (int k = 0; k < BATCH && da - u >= 0 && db - v >= 0; k++) {
                word lead_a = slow[u], lead_b = slow[SLOW + v];
                int divides = lead_a && lead_b, above = da - u >= db - v;
                word keep = divides ? above ? lead_b : lead_a : ONE, take = divides ? above ? lead_a : lead_b : 0;
                int mine = above ? 0 : SLOW, lost = above ? u : v, gone = above ? v : u;
                ITEMS (number, BATCH + 2 * (BATCH + 1)) {
                    int i = number + none;
                    int c = i < BATCH ? 0 : i < 2 * BATCH + 1 ? BATCH : BATCH + ROOM;
                    int e = i < BATCH ? 0 : i < 2 * BATCH + 1 ? i - BATCH : i - 2 * BATCH - 1;
                    int at = i < BATCH ? i + lost : c + BATCH - lost + e;
                    int of = i < BATCH ? i + gone : c + BATCH - gone + e;
                    if (i >= BATCH || (i > 0 && at < BATCH && of < BATCH))
                        slow[mine + at] = cross(keep, slow[mine + at], take, slow[SLOW - mine + of]);
                }
                int lower_a = !lead_a || (lead_b && above);
                u += lower_a;
                v += !lower_a;
            }
            ITEMS (i, 4 * TAPS) {
                int c = (i + none) / TAPS, e = (i + none) % TAPS, lost = c < 2 ? u : v;
                int at = (c < 2 ? 0 : SLOW) + BATCH + c % 2 * ROOM + BATCH - lost + (e > BATCH ? 0 : e);
                old_step[c * LINE + e] = operand_of(e > BATCH ? 0 : slow[at]);
            }
            first = 0;
            da -= u;
            db -= v;
        }
        if (batch == s / BATCH) break;
        change = da < db;
        apart = APART;
        close = CLOSE;
        u = LOST_A;
        v = LOST_B;
        left = LEFT;
        if (!good && left) lead(old_a + SHIFT, old_b + SHIFT, old_step, near, 0);
    }
    int terms = BATCH * batch - low - first + 1, more = l ? l : terms, each = SIDES * more;
    REGION {
        ITEMS (i, 2 * each) {
            int row = i >= each, second = i - row * each >= more, term = i - row * each - second * more;
            int of = SHIFT + WINDOW + first + term + (l ? 0 : second * COLUMN + s - BATCH * batch);
            LOCAL const operand *a_cells = (batch ? old_a : from_a) + of, *b_cells = (batch ? old_b : from_b) + of;
            LOCAL const operand *tap = old_step + row * 2 * LINE;
            products sum = 0;
            for (int q = 0; q < (first ? 16 : TAPS); q += 8) {
                EIGHT(h, tap + q, a_cells + q)
                EIGHT(g, tap + (LINE + q), b_cells + q)
                sum = products_dots(products_dots(sum, h), g);
            }
            word value = products_value(sum);
            if (l && row) next_b[tile + term] = value;
            if (l && !row) next_a[tile + term] = value;
            if (!l) next_a[(2 * row + second) * (s + 1) + terms - 1 - term] = value;
        }
        ITEMS (i, l ? 0 : s + 1 - terms)
            EACH (c, 4)
                next_a[c * (s + 1) + terms + i] = 0;
        ITEMS (i, block == 0) {
            if (j == 0) {
                state[0] = first_da;
                state[1] = first_db;
            }
            state[4 * j + 2] = low + first;
            state[4 * j + 3] = terms;
            state[4 * j + 4] = da;
            state[4 * j + 5] = db;
        }
    }
}

#define R 8

/* Applies the matrix of jump number j: coefficients begin .. end - 1, from the leading one on, of both polynomials.  A
 * thread sums a quarter of the terms of one entry with one coefficient. */
KERNEL void update_by_parts(GLOBAL const word *a, GLOBAL const word *b, GLOBAL word *next_a, GLOBAL word *next_b,
                            GLOBAL const word *matrix, GLOBAL const int *state, int j, int begin, int end,
                            CONSTANT int s, CONSTANT int l)
{
    LOCAL operand w[2][l + s + 5 * R], m[4][s + 5 * R];
    LOCAL word value[16][l];
    int da = state[4 * j], db = state[4 * j + 1], low = state[4 * j + 2], terms = state[4 * j + 3];
    int most = max(state[4 * j + 4], state[4 * j + 5]), part = (terms + 4 * R - 1) / (4 * R) * R;
    for (int tile = begin + l * block; tile < end && tile <= most; tile += l * blocks) {
        REGION {
            ITEMS (i, s + 5 * R)
                EACH (c, 4)
                    m[c][i] = i <= s ? operand_of(matrix[c * (s + 1) + i]) : 0;
            ITEMS (i, l + s + 5 * R) {
                int k = tile + i;
                word x = a[k], y = b[k];
                w[0][i] = k <= da ? operand_of(x) : 0;
                w[1][i] = k <= db ? operand_of(y) : 0;
            }
        }
        THREADS (t) {
            int c = t / l, i = t % l, from = c / 4 * part;
            LOCAL const operand *x = &w[c % 2][low + i + from], *y = &m[c % 4][from];
            dots sum;
            dots_clear(sum);
            for (int q = 0; q < part; q += R) {
                EACH (e, R)
                    dots_more(sum, x[q + e], y[q + e]);
                dots_carry(sum);
            }
            value[c][i] = (word)dots_value(sum);
        }
        THREADS (t, 0, 2 * l) {
            int i = t % l, c = t / l * 2;
            word x = 0;
            EACH (q, 4)
                x = add(x, add(value[4 * q + c][i], value[4 * q + c + 1][i]));
            if (c)
                next_b[tile + i] = x;
            else
                next_a[tile + i] = x;
        }
    }
}

/* The same, R neighbouring coefficients a thread, from R terms of the matrix at a time. */
KERNEL void update_by_tiles(GLOBAL const word *a, GLOBAL const word *b, GLOBAL word *next_a, GLOBAL word *next_b,
                            GLOBAL const word *matrix, GLOBAL const int *state, int j, int begin, int end,
                            CONSTANT int s, CONSTANT int l)
{
    LOCAL operand w[2 * R][l + (s + R) / R + 1], m[4][s + 2 * R]; /* of a, then of b */
    LOCAL u64 value[2 * R][l];
    int da = state[4 * j], db = state[4 * j + 1], low = state[4 * j + 2], terms = state[4 * j + 3];
    int most = max(state[4 * j + 4], state[4 * j + 5]), steps = (terms + R - 1) / R;
    ITEMS (i, R * steps)
        EACH (c, 4)
            m[c][i] = i < terms ? operand_of(matrix[c * (s + 1) + i]) : 0;
    for (int tile = begin + R * l * block; tile < end && tile <= most; tile += R * l * blocks) {
        GLOBAL const word *from_a = a + (tile + low), *from_b = b + (tile + low);
        int left_a = da - tile - low, left_b = db - tile - low;
        REGION {
            ITEMS (i, l + steps)
                EACH (e, R) {
                    word x = from_a[R * i + e];
                    w[e][i] = R * i + e <= left_a ? operand_of(x) : 0;
                }
            ITEMS (i, l + steps)
                EACH (e, R) {
                    word y = from_b[R * i + e];
                    w[R + e][i] = R * i + e <= left_b ? operand_of(y) : 0;
                }
        }
        for (int row = 0; row < 2; row++) {
            GLOBAL word *out = (row ? next_b : next_a) + tile;
            for (int c = 0; c < 2; c++)
                THREADS (t) {
                    dots sum[R];
                    EACH (e, R)
                        dots_clear(sum[e]);
                    int i = 0;
                    do {
                        operand x[2 * R], y[R];
                        EACH (e, R) {
                            x[e] = w[c * R + e][t + i];
                            x[R + e] = w[c * R + e][t + i + 1];
                            y[e] = m[2 * row + c][R * i + e];
                        }
                        EACH (e, R) {
                            EACH (k, R)
                                dots_more(sum[e], x[e + k], y[k]);
                            dots_carry(sum[e]);
                        }
                        i++;
                    } while (i < steps);
                    EACH (e, R)
                        value[c * R + e][t] = dots_value(sum[e]);
                }
            THREADS (t)
                EACH (e, R)
                    out[R * t + e] = add((word)value[e][t], (word)value[R + e][t]);
        }
    }
}
