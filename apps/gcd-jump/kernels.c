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
        word keep = lower_a ? lead_b : lead_a, take = lower_a ? lead_a : lead_b;
        LOCAL word *cell = lower_a ? &cell_a[u + 1] : &cell_b[v + 1];
        LOCAL const word *other = lower_a ? &cell_b[v + 1] : &cell_a[u + 1];
        ITEMS (i, count)
            cell[i] = cross(keep, cell[i], take, other[i]);
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

/* One row of the matrix: both of its entries, term e of which lies at s - (terms lost) + e. */
#define ROW (2 * s + 1)

/* The matrix of s steps, step by step.  Of each row the terms from least to most are not 0. */
KERNEL void plain_head(GLOBAL const word *a, GLOBAL const word *b, GLOBAL word *matrix, GLOBAL int *state, int j,
                       int first_da, int first_db, CONSTANT int s)
{
    LOCAL word cell_a[2 * s], cell_b[2 * s], row_a[2][ROW], row_b[2][ROW];
    int da = j ? state[4 * j] : first_da, db = j ? state[4 * j + 1] : first_db, u = 0, v = 0;
    int least_a = 0, most_a = 0, least_b = 0, most_b = 0;
    REGION {
        ITEMS (i, 2 * s) {
            cell_a[i] = i < s && i <= da ? a[da - i] : 0;
            cell_b[i] = i < s && i <= db ? b[db - i] : 0;
        }
        ITEMS (i, ROW) {
            row_a[0][i] = i == s ? ONE : 0;
            row_a[1][i] = 0;
            row_b[0][i] = 0;
            row_b[1][i] = i == s ? ONE : 0;
        }
    }
    for (int k = 0; k < s && u <= da && v <= db; k++) {
        word lead_a = cell_a[u], lead_b = cell_b[v];
        int divides = lead_a && lead_b, lower_a = !lead_a || (lead_b && da - u >= db - v);
        int least = min(least_a, least_b), most = max(most_a, most_b), range = divides ? most - least + 1 : 0;
        int at_a = s - u + least, at_b = s - v + least;
        word keep = lower_a ? lead_b : lead_a, take = lower_a ? lead_a : lead_b;
        LOCAL word *cell = lower_a ? &cell_a[u + 1] : &cell_b[v + 1];
        LOCAL const word *other = lower_a ? &cell_b[v + 1] : &cell_a[u + 1];
        LOCAL word *first = lower_a ? &row_a[0][at_a] : &row_b[0][at_b];
        LOCAL const word *other_first = lower_a ? &row_b[0][at_b] : &row_a[0][at_a];
        LOCAL word *second = lower_a ? &row_a[1][at_a] : &row_b[1][at_b];
        LOCAL const word *other_second = lower_a ? &row_b[1][at_b] : &row_a[1][at_a];
        REGION {
            ITEMS (i, divides ? s - 1 - k : 0)
                cell[i] = cross(keep, cell[i], take, other[i]);
            ITEMS (i, range)
                first[i] = cross(keep, first[i], take, other_first[i]);
            ITEMS (i, range)
                second[i] = cross(keep, second[i], take, other_second[i]);
        }
        u += lower_a;
        v += !lower_a;
        least_a = !lower_a ? least_a : divides ? least + 1 : least_a + 1;
        most_a = !lower_a ? most_a : divides ? most + 1 : most_a + 1;
        least_b = lower_a ? least_b : divides ? least + 1 : least_b + 1;
        most_b = lower_a ? most_b : divides ? most + 1 : most_b + 1;
    }
    int low = min(least_a, least_b), terms = max(most_a, most_b) - low + 1;
    REGION {
        for (int c = 0; c < 2; c++)
            ITEMS (i, terms) {
                matrix[c * terms + i] = row_a[c][s - u + low + i];
                matrix[(c + 2) * terms + i] = row_b[c][s - v + low + i];
            }
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

#define STAGES 15           /* pairs of steps of a batch, done by 32 threads in their registers */
#define BATCH  (2 * STAGES) /* steps of a batch, and coefficients of each polynomial that they need */
#define TAPS   32           /* terms of an entry of a batch's matrix at most, and zeros */
#define ROOM   (2 * BATCH + 1)      /* for one entry while steps are done one by one */
#define SLOW   (BATCH + 2 * ROOM)   /* and for a polynomial's coefficients with its row */

#define NEAR(i) add(add(near[0][i], near[1][i]), add(near[2][i], near[3][i])) /* of its four parts */

/* What both rows of the batch's matrix make of the cells from a and b on, w apart. */
#define APPLY(to_a, to_b, step, a, b, w)                                                                             \
    do {                                                                                                             \
        products pa = products_first(0, 0), pb = pa, qa = pa, qb = pa;                                               \
        for (int many = 0; many < taps; many += 8) {                                                                 \
            word xs[8], ys[8];                                                                                       \
            EACH (tap, 8) {                                                                                          \
                xs[tap] = (a)[(many + tap) * (w)];                                                                   \
                ys[tap] = (b)[(many + tap) * (w)];                                                                   \
            }                                                                                                        \
            EACH (tap, 4) {                                                                                          \
                pa = products_two(pa, (step)[many + 2 * tap], xs[2 * tap], (step)[many + 2 * tap + 1],               \
                                  xs[2 * tap + 1]);                                                                  \
                qa = products_two(qa, (step)[2 * TAPS + many + 2 * tap], xs[2 * tap],                                \
                                  (step)[2 * TAPS + many + 2 * tap + 1], xs[2 * tap + 1]);                           \
                pb = products_two(pb, (step)[TAPS + many + 2 * tap], ys[2 * tap], (step)[TAPS + many + 2 * tap + 1], \
                                  ys[2 * tap + 1]);                                                                  \
                qb = products_two(qb, (step)[3 * TAPS + many + 2 * tap], ys[2 * tap],                                \
                                  (step)[3 * TAPS + many + 2 * tap + 1], ys[2 * tap + 1]);                           \
            }                                                                                                        \
        }                                                                                                            \
        to_a = add(products_value(pa), products_value(pb));                                                          \
        to_b = add(products_value(qa), products_value(qb));                                                          \
    } while (0)

/* The matrix of s steps, batch by batch.  The first 32 threads do a batch in their registers, two steps an exchange: with
 * the leading coefficients a0 and b0, a <- b0 a - a0 b, whose leading coefficient is l, then b <- l b - b0 a / z.  Thread
 * t has coefficients number t - 1 - k of both once k pairs are done, from t = k + 1 to t = 30 - k; above and below grow
 * the matrix's columns, by the same operations.  The other threads meanwhile apply the batch before to the windows and
 * to the matrix of all batches.  Where a leading coefficient is 0, the batch is done again, one step at a time. */
KERNEL void jump_head(GLOBAL const word *a, GLOBAL const word *b, GLOBAL word *matrix, GLOBAL int *state, int j,
                      int first_da, int first_db, CONSTANT int s)
{
    LOCAL word wa[2][s + 2], wb[2][s + 2];                           /* the windows, leading coefficient first */
    LOCAL word ma[2][2 * (s + 2 * TAPS)], mb[2][2 * (s + 2 * TAPS)]; /* the matrix: both columns in turn */
    LOCAL word step[2][4 * TAPS];
    LOCAL word slow[2 * SLOW], near[4][2 * BATCH]; /* near: in four parts to be added */
    LOCAL int fine[2];
    PRIVATE word x, y, a0, b0, a1, b1, x2, y2, power, quotient;
    PRIVATE int beside, ok;
    int da = j ? state[4 * j] : first_da, db = j ? state[4 * j + 1] : first_db, width = s, from = 0, now = 0;
    int low = 0, terms = 1;              /* of the matrix: its least power of z, and how many powers it has */
    int first = 0, taps = 0, batch = 0; /* likewise of the last batch's matrix; batches so far */
    REGION {
        ITEMS (i, s + 2) {
            wa[0][i] = i < s && i <= da ? a[da - i] : 0;
            wb[0][i] = i < s && i <= db ? b[db - i] : 0;
            wa[1][i] = 0;
            wb[1][i] = 0;
        }
        ITEMS (i, 2 * (s + 2 * TAPS)) {
            ma[0][i] = i == 2 * s ? ONE : 0;
            mb[0][i] = i == 2 * s + 1 ? ONE : 0;
            ma[1][i] = 0;
            mb[1][i] = 0;
        }
    }
    for (; batch < s / BATCH && da >= 0 && db >= 0; batch++) {
        int u = STAGES, v = STAGES, good = 0, more = terms + taps - 1, last = now;
        now = 1 - now;
        ITEMS (i, 8 * BATCH) {
            int part = i / (2 * BATCH), c = i % (2 * BATCH) / BATCH, e = i % BATCH;
            LOCAL const word *cells = part < 2 ? &wa[from][e + first] : &wb[from][e + first];
            LOCAL const word *row = &step[last][(2 * c + part / 2) * TAPS];
            products h = products_first(0, 0);
            for (int q = part % 2 * 8; q < taps; q += 16) {
                word cell[8], tap[8];
                EACH (g, 8) {
                    cell[g] = cells[q + g];
                    tap[g] = row[q + g];
                }
                EACH (g, 4)
                    h = products_two(h, tap[2 * g], cell[2 * g], tap[2 * g + 1], cell[2 * g + 1]);
            }
            word value = products_value(h);
            if (!batch) value = part == 2 * c ? cells[0] : 0;
            near[part][i % (2 * BATCH)] = value;
        }
        /* Far apart, all steps are of one division: a' = power z^30 a + (q_1 z + ... + q_30 z^30) b, and thread t has
         * number 30 - t of these quotients. */
        int apart = da - db >= BATCH - 1;
        if (apart) {
            FIRST_GROUP {
                GROUPS (t) {
                    int i = min(t, BATCH - 1);
                    x = NEAR(i);
                    y = NEAR(BATCH + i);
                    power = ONE;
                    quotient = 0;
                    beside = t - 1;
                }
                b0 = shuffle(y, 0);
                for (int k = 0; k < BATCH; k++) {
                    a0 = shuffle(x, k);
                    GROUPS (t) {
                        x = cross(b0, x, a0, y);
                        quotient = t == k ? sub(0, a0) : mul(b0, quotient);
                        power = mul(power, b0);
                    }
                    y = shuffle(y, beside);
                }
                GROUPS (t) {
                    step[now][t] = t == BATCH ? power : 0;
                    step[now][TAPS + (t <= BATCH ? BATCH - t : t)] = t < BATCH ? quotient : 0;
                    step[now][2 * TAPS + t] = 0;
                    step[now][3 * TAPS + t] = t == 0 ? ONE : 0;
                    if (t == 0) fine[now] = b0 != 0;
                }
            }
        } else {
            FIRST_GROUP {
                GROUPS (t) {
                    int i = t > 0 && t <= BATCH ? t - 1 : 0;
                    word p = NEAR(i);
                    word r = NEAR(BATCH + i);
                    x = t == 31 ? ONE : t == 0 ? 0 : p;
                    y = t == 0 ? ONE : t == 31 ? 0 : r;
                    ok = da == db;
                    beside = t > 1 ? t + 1 : t - 1;
                }
                EACH (k, STAGES) {
                    a0 = shuffle(x, k + 1);
                    b0 = shuffle(y, k + 1);
                    a1 = shuffle(x, k + 2);
                    b1 = shuffle(y, k + 2);
                    x2 = shuffle(x, beside);
                    y2 = shuffle(y, beside);
                    GROUPS (t) {
                        int none1 = t == k + 1 || t == 2 * STAGES - k, none2 = t == 0 || t == 31;
                        word u1 = none1 ? 0 : x, v1 = none1 ? 0 : y, u2 = none2 ? 0 : x2, v2 = none2 ? 0 : y2;
                        word l = cross(b0, a1, a0, b1);
                        x = cross(b0, u1, a0, v1);
                        y = cross(l, v1, b0, cross(b0, u2, a0, v2));
                        ok = ok && a0 && b0 && l;
                        beside = t > k + 2 ? t + 1 : t - 1;
                    }
                }
                GROUPS (t) {
                    int e = t < 16 ? TAPS + t : 31 - t;
                    step[now][e] = x;
                    step[now][2 * TAPS + e] = y;
                    if (t == 0) fine[now] = ok;
                }
            }
        }
        /* Meanwhile the others apply the matrix before to the rest of the window and to the matrix of all batches. */
        int begin = 2 * (s - low - first - more + 1);
        REGION {
            ITEMS (i, batch ? width : 0, 32) {
                word to_a, to_b;
                APPLY(to_a, to_b, &step[last][0], &wa[from][i + first], &wb[from][i + first], 1);
                wa[1 - from][i] = to_a;
                wb[1 - from][i] = to_b;
            }
            ITEMS (i, batch ? 2 * more : 0, 32) {
                int e = begin + i + 2 * first;
                word to_a, to_b;
                APPLY(to_a, to_b, &step[last][0], &ma[from][e], &mb[from][e], 2);
                ma[1 - from][begin + i] = to_a;
                mb[1 - from][begin + i] = to_b;
            }
            ITEMS (i, batch ? 2 * TAPS : 0, 32) {
                ma[1 - from][begin + 2 * more + i] = 0;
                mb[1 - from][begin + 2 * more + i] = 0;
            }
        }
        if (batch) {
            from = 1 - from;
            low += first;
            terms = more;
        }
        good = fine[now];
        first = STAGES;
        taps = STAGES + 1;
        if (apart || !good) {
            u = apart && good ? BATCH : 0;
            v = 0;
            first = 0;
            taps = BATCH + 1;
        }
        if (!good) {
            ITEMS (i, 2 * SLOW) {
                int k = i % SLOW, c = i / SLOW, e = c * BATCH + (k < BATCH ? k : 0);
                word p = NEAR(e);
                slow[i] = k < BATCH ? p : k == (c == 0 ? 2 * BATCH : 2 * BATCH + ROOM) ? ONE : 0;
            }
            for (int k = 0; k < BATCH && da - u >= 0 && db - v >= 0; k++) {
                word lead_a = slow[u], lead_b = slow[SLOW + v];
                int divides = lead_a && lead_b, above = da - u >= db - v;
                word keep = divides ? above ? lead_b : lead_a : ONE, take = divides ? above ? lead_a : lead_b : 0;
                int mine = above ? 0 : SLOW, lost = above ? u : v, gone = above ? v : u;
                ITEMS (i, BATCH + 2 * (BATCH + 1)) {
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
                int c = i / TAPS, e = i % TAPS, lost = c < 2 ? u : v;
                step[now][i] = e > BATCH ? 0 : slow[(c < 2 ? 0 : SLOW) + BATCH + c % 2 * ROOM + BATCH - lost + e];
            }
        }
        da -= u;
        db -= v;
        width -= BATCH;
    }
    int more = batch ? terms + taps - 1 : 1, begin = 2 * (s - low - first - more + 1);
    REGION {
        ITEMS (i, batch ? 2 * more : 0) {
            int c = i % 2, e = begin + i + 2 * first, to = more - 1 - i / 2;
            word to_a, to_b;
            APPLY(to_a, to_b, &step[now][0], &ma[from][e], &mb[from][e], 2);
            matrix[c * more + to] = to_a;
            matrix[(c + 2) * more + to] = to_b;
        }
        ITEMS (i, batch ? 0 : 4)
            matrix[i] = i == 0 || i == 3 ? ONE : 0;
        ITEMS (i, 1) {
            if (j == 0) {
                state[0] = first_da;
                state[1] = first_db;
            }
            state[4 * j + 2] = low + first;
            state[4 * j + 3] = more;
            state[4 * j + 4] = da;
            state[4 * j + 5] = db;
        }
    }
}

#define FOUR(h, x, y)                            \
    h = products_two(h, x[0], y[0], x[1], y[1]); \
    h = products_two(h, x[2], y[2], x[3], y[3]);

/* Applies the matrix of jump number j: coefficients begin .. end - 1, from the leading one on, of next_a, and of next_b
 * in every second block.  Half of the threads sum products with a, half with b. */
KERNEL void update_by_halves(GLOBAL const word *a, GLOBAL const word *b, GLOBAL word *next_a, GLOBAL word *next_b,
                             GLOBAL const word *matrix, GLOBAL const int *state, int j, int begin, int end,
                             CONSTANT int s, CONSTANT int l)
{
    LOCAL word w[2][l + s + 16], m[2][s + 16], value[l];
    PRIVATE word sum;
    int da = state[4 * j], db = state[4 * j + 1], low = state[4 * j + 2], terms = state[4 * j + 3];
    int row = block % 2, degree = state[4 * j + 4 + row];
    GLOBAL word *out = row ? next_b : next_a;
    for (int tile = begin + l * (block / 2); tile < end && tile <= degree; tile += l * (blocks / 2)) {
        REGION {
            ITEMS (i, (terms + 15) / 16 * 16) {
                m[0][i] = i < terms ? matrix[2 * row * terms + i] : 0;
                m[1][i] = i < terms ? matrix[(2 * row + 1) * terms + i] : 0;
            }
            ITEMS (i, l + (terms + 15) / 16 * 16) {
                int k = tile + low + i;
                w[0][i] = k <= da ? a[da - k] : 0;
                w[1][i] = k <= db ? b[db - k] : 0;
            }
        }
        THREADS (t) {
            int c = t >= l, i = c ? t - l : t;
            products h = products_first(0, 0), g = products_first(0, 0);
            for (int q = 0; q < terms; q += 16) {
                FOUR(h, (&m[c][q]), (&w[c][i + q]))
                FOUR(g, (&m[c][q + 4]), (&w[c][i + q + 4]))
                FOUR(h, (&m[c][q + 8]), (&w[c][i + q + 8]))
                FOUR(g, (&m[c][q + 12]), (&w[c][i + q + 12]))
            }
            sum = add(products_value(h), products_value(g));
            if (c) value[i] = sum;
        }
        THREADS (t, 0, l)
            if (tile + t <= degree) out[degree - tile - t] = add(sum, value[t]);
    }
}

#define R 8

/* The same, R neighbouring coefficients a thread, from R terms of the matrix at a time. */
KERNEL void update_by_tiles(GLOBAL const word *a, GLOBAL const word *b, GLOBAL word *next_a, GLOBAL word *next_b,
                            GLOBAL const word *matrix, GLOBAL const int *state, int j, int begin, int end,
                            CONSTANT int s, CONSTANT int l)
{
    LOCAL operand w[2 * R][l + (s + R) / R + 1], m[2][s + 2 * R]; /* of a, then of b */
    LOCAL u64 value[2 * R][l];
    int da = state[4 * j], db = state[4 * j + 1], low = state[4 * j + 2], terms = state[4 * j + 3];
    int row = block % 2, degree = state[4 * j + 4 + row], steps = (terms + R - 1) / R;
    GLOBAL word *out = row ? next_b : next_a;
    ITEMS (i, R * steps) {
        m[0][i] = i < terms ? operand_of(matrix[2 * row * terms + i]) : 0;
        m[1][i] = i < terms ? operand_of(matrix[(2 * row + 1) * terms + i]) : 0;
    }
    for (int tile = begin + R * l * (block / 2); tile < end && tile <= degree; tile += R * l * (blocks / 2)) {
        ITEMS (i, l + steps)
            EACH (e, R) {
                int k = tile + low + R * i + e;
                w[e][i] = k <= da ? operand_of(a[da - k]) : 0;
                w[R + e][i] = k <= db ? operand_of(b[db - k]) : 0;
            }
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
                        y[e] = m[c][R * i + e];
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
        ITEMS (i, R * l)
            if (tile + i <= degree)
                out[degree - tile - i] = add((word)value[i % R][i / R], (word)value[R + i % R][i / R]);
    }
}
