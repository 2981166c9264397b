/* SPDX-License-Identifier: Apache-2.0 */
/* Everything of the dialect that the algorithms of the paper do not use: atomics, groups of threads, blocks of two
 * dimensions, floats, elements of every size. */

/* Every atomic on cells in global memory.  Tickets come in any order, but each once; so do exchanged values. */
#define GLOBAL_ATOMICS(name, T)                                                                  \
    KERNEL void name(GLOBAL T *cells, GLOBAL const T *x, GLOBAL T *tickets, GLOBAL T *exchanged) \
    {                                                                                            \
        THREADS (t) {                                                                            \
            int i = block * block_size + t;                                                      \
            atomic_add(&cells[0], x[i]);                                                         \
            atomic_min(&cells[1], x[i]);                                                         \
            atomic_max(&cells[2], x[i]);                                                         \
            atomic_and(&cells[3], x[i]);                                                         \
            atomic_or(&cells[4], x[i]);                                                          \
            atomic_xor(&cells[5], x[i]);                                                         \
            tickets[i] = atomic_add(&cells[6], 1);                                               \
            exchanged[i] = atomic_exchange(&cells[7], x[i]);                                     \
            T old = 0;                                                                           \
            for (int turn = 0; turn >= 0; turn++) {                                              \
                T found = atomic_cas(&cells[8], old, old + 2);                                   \
                if (found == old) break;                                                         \
                old = found;                                                                     \
            }                                                                                    \
        }                                                                                        \
    }
GLOBAL_ATOMICS(global_atomics_int, int)
GLOBAL_ATOMICS(global_atomics_unsigned, unsigned)
GLOBAL_ATOMICS(global_atomics_i64, i64)
GLOBAL_ATOMICS(global_atomics_u64, u64)
GLOBAL_ATOMICS(global_atomics_word, word)

/* The same in local memory, block by block; `start` is what the cells begin with. */
#define LOCAL_ATOMICS(name, T)                                                                     \
    KERNEL void name(GLOBAL const T *start, GLOBAL const T *x, GLOBAL T *cells, GLOBAL T *tickets) \
    {                                                                                              \
        LOCAL T cell[9];                                                                           \
        ITEMS (i, 9)                                                                               \
            cell[i] = start[i];                                                                    \
        THREADS (t) {                                                                              \
            int i = block * block_size + t;                                                        \
            atomic_add(&cell[0], x[i]);                                                            \
            atomic_min(&cell[1], x[i]);                                                            \
            atomic_max(&cell[2], x[i]);                                                            \
            atomic_and(&cell[3], x[i]);                                                            \
            atomic_or(&cell[4], x[i]);                                                             \
            atomic_xor(&cell[5], x[i]);                                                            \
            tickets[i] = atomic_add(&cell[6], 1);                                                  \
            atomic_exchange(&cell[7], x[0]);                                                       \
            T old = 0;                                                                             \
            for (int turn = 0; turn >= 0; turn++) {                                                \
                T found = atomic_cas(&cell[8], old, old + 2);                                      \
                if (found == old) break;                                                           \
                old = found;                                                                       \
            }                                                                                      \
        }                                                                                          \
        ITEMS (i, 9)                                                                               \
            cells[block * 9 + i] = cell[i];                                                        \
    }
LOCAL_ATOMICS(local_atomics_int, int)
LOCAL_ATOMICS(local_atomics_unsigned, unsigned)
LOCAL_ATOMICS(local_atomics_i64, i64)
LOCAL_ATOMICS(local_atomics_u64, u64)
LOCAL_ATOMICS(local_atomics_word, word)

/* How often each value comes: in local memory, then added up over the blocks. */
KERNEL void histogram(GLOBAL const u8 *values, GLOBAL u32 *bins, int count, CONSTANT int width)
{
    LOCAL u32 own[width];
    ITEMS (i, width)
        own[i] = 0;
    THREADS (t)
        for (int i = block * block_size + t; i < count; i += blocks * block_size)
            atomic_add(&own[values[i] % width], 1);
    ITEMS (i, width)
        if (own[i]) atomic_add(&bins[i], own[i]);
}

/* ---- What atomics do not allow ---- */

/* Thread `low` writes the cell in the plain way, the others add to it. */
KERNEL void atomic_and_write(GLOBAL word *a, int low)
{
    THREADS (t) {
        if (t == low)
            a[block] = 5;
        else
            atomic_add(&a[block], 1);
    }
}

KERNEL void atomic_and_read(GLOBAL word *a, GLOBAL word *b, int low)
{
    THREADS (t) {
        if (t == low)
            b[block] = a[block];
        else
            atomic_add(&a[block], 1);
    }
}

/* One thread alone may mix the two, and all may with a barrier between. */
KERNEL void atomic_alone(GLOBAL word *a, GLOBAL word *b)
{
    LOCAL word cell[block_size];
    THREADS (t) {
        cell[t] = (word)t;
        atomic_add(&cell[t], 1);
        cell[t] = cell[t] + 1;
        atomic_add(&a[block * block_size + t], cell[t]);
        a[block * block_size + t] = a[block * block_size + t] + 1;
        OPS(2);
    }
    THREADS (t)
        atomic_max(&cell[0], cell[t > 0 ? t : 1]);
    THREADS (t)
        b[block * block_size + t] = a[block * block_size + block_size - 1 - t] + cell[0];
}

/* A thread writes, then adds; another adds. */
KERNEL void atomic_after_own_write(GLOBAL word *a)
{
    THREADS (t) {
        if (t == 0) a[block] = 5;
        atomic_add(&a[block], 1);
    }
}

KERNEL void atomic_unwritten(GLOBAL word *a)
{
    LOCAL word cell[8];
    THREADS (t)
        atomic_add(&cell[t % 8], 1);
    THREADS (t)
        a[block * block_size + t] = cell[t % 8];
}

/* Block `first` clears the cell before it adds, the others only add: whoever clears runs too late for some. */
KERNEL void atomic_one_block_clears(GLOBAL word *a, int first)
{
    THREADS (t, 0, 1)
        if (block == first) a[0] = 0;
    THREADS (t)
        atomic_add(&a[0], 1);
}

/* Block `reader` reads what all add to. */
KERNEL void atomic_one_block_reads(GLOBAL word *a, GLOBAL word *b, int reader)
{
    THREADS (t)
        atomic_add(&a[0], 1);
    THREADS (t, 0, 1)
        if (block == reader) b[0] = a[0];
}

KERNEL void atomic_all(GLOBAL word *a)
{
    THREADS (t)
        atomic_add(&a[0], 1);
}

KERNEL void read_it(GLOBAL const word *a, GLOBAL word *b)
{
    THREADS (t)
        b[t] = a[0];
}

/* ---- Groups of 32 threads ---- */

/* Each thread takes what its neighbours in the group left, round and round. */
KERNEL void group_rotate(GLOBAL const word *a, GLOBAL word *b, int turns)
{
    LOCAL word cell[2 * block_size];
    GROUPS (t)
        cell[t] = a[block * block_size + t];
    for (int k = 0; k < turns; k++) {
        GROUPS (t) {
            int first = t / 32 * 32, size = min(32, block_size - first);
            int to = (k + 1) % 2 * block_size, from = k % 2 * block_size;
            cell[to + t] = cell[from + first + (t - first + 1) % size] + 1;
            OPS(1);
        }
    }
    THREADS (t)
        b[block * block_size + t] = cell[turns % 2 * block_size + t];
}

/* Reads what thread t + distance wrote: in a region of groups, in one of all threads right after it, or after a
 * barrier of all. */
KERNEL void group_then_group(GLOBAL word *b, int distance)
{
    LOCAL word cell[block_size];
    GROUPS (t)
        cell[t] = (word)t;
    GROUPS (t)
        b[block * block_size + t] = cell[(t + distance) % block_size];
}

KERNEL void group_then_threads(GLOBAL word *b, int distance)
{
    LOCAL word cell[block_size];
    GROUPS (t)
        cell[t] = (word)t;
    THREADS (t)
        b[block * block_size + t] = cell[(t + distance) % block_size];
}

KERNEL void group_then_barrier(GLOBAL word *b, int distance)
{
    LOCAL word cell[block_size];
    PRIVATE word kept;
    GROUPS (t)
        cell[t] = (word)t;
    THREADS (t)
        kept = 1;
    THREADS (t) {
        b[block * block_size + t] = cell[(t + distance) % block_size] + kept - 1;
        OPS(2);
    }
}

/* A cell that group 0 writes and then group `other`, region by region. */
KERNEL void group_write_write(GLOBAL word *b, int other)
{
    LOCAL word cell[32];
    GROUPS (t)
        if (t < 32) cell[t] = (word)t;
    GROUPS (t)
        if (t / 32 == other) cell[t % 32] = 7;
    THREADS (t)
        b[block * block_size + t] = (word)t;
}

/* Group `first` reads a cell, then group 1 does, then group 1 writes it. */
KERNEL void group_read_read_write(GLOBAL word *b, int first)
{
    LOCAL word cell[1];
    THREADS (t, 0, 1)
        cell[0] = 1;
    GROUPS (t)
        if (t == 32 * first + 5) b[block * block_size + t] = cell[0];
    GROUPS (t)
        if (t == 32 + 7) b[block * block_size + t] = cell[0];
    GROUPS (t)
        if (t == 32 + 9) cell[0] = 2;
}

/* Code outside regions is run by every thread, of every group. */
KERNEL void group_then_uniform(GLOBAL word *b)
{
    LOCAL word cell[1];
    GROUPS (t)
        if (t == 0) cell[0] = 1;
    word x = cell[0];
    THREADS (t)
        b[block * block_size + t] = x;
}

/* Inside one region of groups nothing is ordered. */
KERNEL void group_same_region(GLOBAL word *b)
{
    LOCAL word cell[block_size];
    THREADS (t)
        cell[t] = 0;
    GROUPS (t) {
        cell[t] = (word)t;
        b[block * block_size + t] = cell[t / 2 * 2];
    }
}

/* Counts of a group, which it clears, adds to and reads for itself. */
KERNEL void group_atomics(GLOBAL word *b)
{
    LOCAL word cell[block_size / 32 + 1];
    GROUPS (t)
        if (t % 32 == 0) cell[t / 32] = 0;
    GROUPS (t)
        atomic_add(&cell[t / 32], 1);
    GROUPS (t)
        b[block * block_size + t] = cell[t / 32];
    GROUPS (t) {
        if (t % 32 == 3) {
            atomic_add(&cell[t / 32], 1);
            cell[t / 32] = cell[t / 32] + 1;
        }
    }
}

/* The first group clears a count that all add to. */
KERNEL void group_atomics_across(GLOBAL word *b)
{
    LOCAL word cell[1];
    THREADS (t, 0, 1)
        cell[0] = 0;
    GROUPS (t)
        if (t == 0) cell[0] = 1;
    GROUPS (t)
        atomic_add(&cell[0], 1);
    THREADS (t)
        b[block * block_size + t] = 0;
}

/* Of each group: who has an odd value, the value of thread `from` and of the one that each names, sums. */
KERNEL void collectives(GLOBAL const i32 *values, GLOBAL u32 *odd, GLOBAL i32 *same, GLOBAL i32 *named,
                        GLOBAL i32 *sums, int from)
{
    PRIVATE int flag, partner;
    PRIVATE u32 votes;
    PRIVATE i32 x, y, z;
    THREADS (t) {
        x = values[block * block_size + t];
        flag = x % 2;
        partner = x;
        OPS(1);
    }
    votes = ballot(flag);
    y = shuffle(x, from);
    z = shuffle(x, partner);
    x = scan_add(x);
    THREADS (t) {
        int i = block * block_size + t;
        odd[i] = votes;
        same[i] = y;
        named[i] = z;
        sums[i] = x;
    }
}

/* Who in the group has the same bits, kept in an element of an array; and how many ones that and the value have. */
KERNEL void alike(GLOBAL const word *values, GLOBAL u32 *same, GLOBAL u32 *ones, int low, CONSTANT int bits)
{
    PRIVATE word x[2];
    PRIVATE u32 h[3];
    THREADS (t)
        x[1] = values[block * block_size + t];
    h[2] = match(x[1], low, bits);
    THREADS (t) {
        same[block * block_size + t] = h[2];
        ones[block * block_size + t] = (u32)(popcount(h[2]) + 100 * popcount(x[1]));
        OPS(2);
    }
}

/* The same for wide numbers, and inside a loop. */
KERNEL void wide_collectives(GLOBAL i64 *values, GLOBAL double *reals, GLOBAL float *singles, GLOBAL word *words,
                             int turns)
{
    PRIVATE i64 x;
    PRIVATE double y;
    PRIVATE float z;
    PRIVATE word w;
    PRIVATE int next;
    THREADS (t) {
        x = values[block * block_size + t];
        y = reals[block * block_size + t];
        z = singles[block * block_size + t];
        w = words[block * block_size + t];
        next = t + 1;
        OPS(1);
    }
    for (int k = 0; k < turns; k++) {
        x = shuffle(x, next);
        y = shuffle(y, next);
        z = shuffle(z, next);
        w = shuffle(w, next);
    }
    x = scan_add(x);
    w = scan_add(w);
    THREADS (t) {
        values[block * block_size + t] = x;
        reals[block * block_size + t] = y;
        singles[block * block_size + t] = z;
        words[block * block_size + t] = w;
    }
}

/* The first group passes its values round, while the other threads have the items. */
KERNEL void first_group(GLOBAL const word *a, GLOBAL word *b, GLOBAL word *c, int turns, int count)
{
    PRIVATE word x;
    PRIVATE int next;
    FIRST_GROUP
    {
        GROUPS (t) {
            x = a[block * block_size + t];
            next = (t + 1) % min(32, block_size);
        }
        for (int k = 0; k < turns; k++) {
            x = shuffle(x, next);
            GROUPS (t) {
                x = x + 1;
                OPS(1);
            }
        }
        GROUPS (t)
            b[block * min(32, block_size) + t] = x;
    }
    ITEMS (i, count, 32) {
        c[block * count + i] = a[block * block_size + i % block_size] + (word)i;
        OPS(1);
    }
}

/* Ways through a loop that all end with a region of some of the threads, after regions in a loop of their own. */
#define ARM(rounds, step)                  \
    for (int k = 0; k < (rounds); k++) {   \
        THREADS (t, 0, 32) {               \
            x = own[(t + step) % few] + k; \
            OPS(1);                        \
        }                                  \
        THREADS (t, 0, 32)                 \
            own[t] = x;                    \
    }                                      \
    THREADS (t, 0, 32)                     \
        b[first + t] = x + step;
KERNEL void arms(GLOBAL const word *a, GLOBAL word *b, int turns, CONSTANT int rounds)
{
    LOCAL word own[block_size];
    PRIVATE word x;
    int first = block * block_size, few = min(block_size, 32);
    THREADS (t) {
        x = a[first + t];
        own[t] = x;
        b[first + t] = x;
    }
    for (int turn = 0; turn < turns; turn++) {
        if ((block + turn) % 3 == 2) {
            ARM(2, 5)
            continue;
        }
        if ((block + turn) % 3 == 1) {
            ARM(5, 3)
        } else {
            ARM(rounds, 1)
        }
    }
    THREADS (t)
        b[first + t] = b[first + t] + x;
}

/* What the first group wrote is read beside it by thread t + distance, or after a barrier. */
KERNEL void first_group_then_threads(GLOBAL word *b, int distance)
{
    LOCAL word cell[32];
    FIRST_GROUP
    GROUPS (t)
        cell[t] = (word)t;
    THREADS (t, distance, distance + 1)
        b[block * block_size + t] = cell[t % 32];
}

KERNEL void first_group_then_barrier(GLOBAL word *b, int distance)
{
    LOCAL word cell[32];
    PRIVATE int kept;
    FIRST_GROUP
    GROUPS (t)
        cell[t] = (word)t;
    THREADS (t)
        kept = t + distance;
    THREADS (t)
        b[block * block_size + t] = cell[kept % 32];
}

/* ---- Items, blocks of two dimensions, types ---- */

KERNEL void items(GLOBAL const word *a, GLOBAL word *b, int count, int each)
{
    LOCAL word cell[3 * block_size + 5];
    ITEMS (i, 3 * block_size + 5)
        cell[i] = (word)i;
    ITEMS (i, each)
        if (block * each + i < count) b[block * each + i] = a[block * each + i] + cell[i];
    REGION {
        ITEMS (i, count - 1000000)
            b[i] = 0;
        ITEMS (i, 0)
            b[i] = 0;
    }
    OPS(1);
}

/* b is the transpose of a, rows x columns, tile by tile of width x height. */
KERNEL void transpose(GLOBAL const float *a, GLOBAL float *b, int rows, int columns, CONSTANT int width,
                      CONSTANT int height)
{
    LOCAL float tile[height][width + 1];
    THREADS_2D (x, y) {
        int column = block_x * width + x, row = block_y * height + y;
        if (row < rows && column < columns) tile[y][x] = a[row * columns + column];
    }
    THREADS (t) { /* the same block as one row of threads */
        int x = t / height, y = t % height;
        int column = block_x * width + x, row = block_y * height + y;
        if (row < rows && column < columns) b[column * rows + row] = tile[y][x];
    }
}

/* What each thread of a block of two dimensions knows. */
KERNEL void places(GLOBAL i32 *out)
{
    PRIVATE i32 sum;
    THREADS_2D (x, y)
        sum = x + 1000 * y;
    THREADS_2D (x, y) {
        int i = (block * block_size + y * block_width + x) * 8;
        out[i] = sum;
        out[i + 1] = block_x;
        out[i + 2] = block_y;
        out[i + 3] = blocks_x;
        out[i + 4] = blocks_y;
        out[i + 5] = block_width;
        out[i + 6] = block_height;
        out[i + 7] = blocks;
    }
    OPS(1);
}

/* Exact arithmetic of floats. */
KERNEL void exact_floats(GLOBAL const float *a, GLOBAL const double *b, GLOBAL float *x, GLOBAL double *y, float f,
                         double d)
{
    THREADS (t) {
        int i = block * block_size + t;
        float u = a[i];
        double v = b[i];
        x[i] = u * f + 0.1f;
        x[i] = x[i] - floor(u) + ceil(f) + fabs(u) + min(u, f) - max(u, 0.5f) + fma(u, f, u) + abs(u - f);
        y[i] = v * d + 0.1;
        y[i] = y[i] - floor(v) + ceil(d) + fabs(v) + min(v, d) - max(v, 0.5) + fma(v, d, v) + abs(v - d) + (double)u;
        OPS(20);
    }
}

KERNEL void other_floats(GLOBAL const float *a, GLOBAL const double *b, GLOBAL float *x, GLOBAL double *y)
{
    THREADS (t) {
        int i = block * block_size + t;
        x[i] = sqrt(a[i]) + exp(a[i]) + log(a[i]) + sin(a[i]) + cos(a[i]) + pow(a[i], 1.5f) + 1.0f / a[i];
        y[i] = sqrt(b[i]) + exp(b[i]) + log(b[i]) + sin(b[i]) + cos(b[i]) + pow(b[i], 1.5) + 1.0 / b[i];
        OPS(8);
    }
}

/* Elements of every size: negated, and one more where they have no sign. */
KERNEL void sizes(GLOBAL const i8 *a, GLOBAL i8 *b, GLOBAL const u8 *c, GLOBAL u8 *d, GLOBAL const i16 *e,
                  GLOBAL i16 *f, GLOBAL const u16 *g, GLOBAL u16 *h, GLOBAL const i64 *i, GLOBAL i64 *j,
                  GLOBAL const u64 *k, GLOBAL u64 *l, int count)
{
    LOCAL u8 bytes[block_size];
    LOCAL u16 pairs[block_size];
    LOCAL i64 wide[block_size];
    THREADS (t) {
        int n = block * block_size + t;
        bytes[t] = n < count ? c[n] : 0;
        pairs[t] = n < count ? g[n] : 0;
        wide[t] = n < count ? i[n] : 0;
    }
    THREADS (t) {
        int n = block * block_size + t;
        if (n < count) {
            b[n] = (i8)-a[n];
            d[n] = (u8)(bytes[t] + 1);
            f[n] = (i16)-e[n];
            h[n] = (u16)(pairs[t] + 1);
            j[n] = -wide[t];
            l[n] = k[n] + 1;
        }
        OPS(6);
    }
}

/* Arrays of less than a word. */
KERNEL void small_locals(GLOBAL u8 *out)
{
    LOCAL u8 one[1], two[2], three[3];
    LOCAL u16 four;
    THREADS (t, 0, 1) {
        one[0] = 1;
        two[1] = 2;
        three[2] = 3;
        four = 4;
    }
    THREADS (t, 0, 1)
        out[block] = (u8)(one[0] + two[1] + three[2] + four);
    OPS(1);
}

/* Every type of parameter. */
KERNEL void scalars(GLOBAL i64 *out, GLOBAL double *reals, int a, unsigned b, i32 c, u32 d, i64 e, u64 f, word g,
                    float h, double i, CONSTANT int j)
{
    THREADS (t, 0, 1) {
        out[0] = a;
        out[1] = (i64)b;
        out[2] = c;
        out[3] = (i64)d;
        out[4] = e;
        out[5] = (i64)f;
        out[6] = (i64)g;
        out[7] = j;
        reals[0] = h;
        reals[1] = i;
    }
}

/* Turns the values of a thread round. */
void turn(PRIVATE word *key, int count)
{
    THREADS (t) {
        word first = key[0];
        for (int k = 0; k + 1 < count; k++)
            key[k] = key[k + 1];
        key[count - 1] = first;
        OPS(1);
    }
}

/* Parameters of one and two bytes, as they arrive. */
KERNEL void small_scalars(GLOBAL i64 *out, i8 a, u8 b, i16 c, u16 d)
{
    THREADS (t, 0, 1) {
        out[0] = a;
        out[1] = b;
        out[2] = c;
        out[3] = d;
    }
}

/* Sums of `count` <= 8 products, never carried and carried after each; one that lives across regions; 1 and twice the
 * sum; the difference of the first two products in two ways, and the first. */
KERNEL void sums_of_products(GLOBAL const word *a, GLOBAL const word *b, GLOBAL word *few, GLOBAL word *value,
                             GLOBAL word *carried, GLOBAL word *kept, GLOBAL word *joined, GLOBAL word *late,
                             GLOBAL word *by, GLOBAL word *first, int count)
{
    PRIVATE dots sum;
    THREADS (t) {
        int i = block * block_size + t, k = 0;
        dots h, c;
        dots_clear(h);
        dots_clear(c);
        do {
            operand x = operand_of(a[8 * i + k]), y = operand_of(b[8 * i + k]);
            dots_more(h, x, y);
            dots_more(c, x, y);
            dots_carry(c);
            k++;
        } while (k < count);
        few[i] = dots_few(h);
        value[i] = dots_value(h);
        carried[i] = dots_value(c);
        joined[i] = products_value(products_dots(products_dots(products_first(ONE, ONE), h), h));
        multiplier f = multiplier_of(a[8 * i]), g = multiplier_of(a[8 * i + 1]);
        late[i] = cross_late(a[8 * i], b[8 * i], a[8 * i + 1], b[8 * i + 1]);
        by[i] = cross_by(f, b[8 * i], g, b[8 * i + 1]);
        first[i] = mul_by(f, b[8 * i]);
        sum = c;
    }
    THREADS (t) {
        operand x = operand_of(ONE);
        dots_more(sum, x, x);
        kept[block * block_size + t] = dots_value(sum);
    }
}

KERNEL void private_arrays(GLOBAL const word *a, GLOBAL word *b, int turns, CONSTANT int count)
{
    PRIVATE word key[count];
    PRIVATE int place[2];
    THREADS (t) {
        EACH (k, count)
            key[k] = a[(block * block_size + t) * count + k];
        place[0] = block * block_size + t;
        place[1] = count;
    }
    for (int i = 0; i < turns; i++)
        turn(key, count);
    THREADS (t)
        for (int k = 0; k < place[1]; k++)
            b[place[0] * place[1] + k] = key[k];
}

/* More values of a thread than there is room for. */
KERNEL void private_too_many(GLOBAL double *b, CONSTANT int count)
{
    PRIVATE double x[count];
    THREADS (t)
        for (int k = 0; k < count; k++)
            x[k] = t;
    THREADS (t)
        b[block * block_size + t] = x[count - 1];
}

/* Rows of 16 numbers to columns of a block, and from there back in the other order, with a number added. */
#define TURN(type, values, from, columns, to)                                       \
    LANES (type, t) {                                                               \
        values x[16];                                                               \
        lanes_load_rows(x, from[16 * (block * block_size + t)]);                    \
        EACH (k, 16)                                                                \
            lanes_store(columns[(block * 16 + k) * block_size + t], x[k]);          \
    }                                                                               \
    LANES (type, t) {                                                               \
        values x[16];                                                               \
        EACH (k, 16)                                                                \
            x[k] = lanes_load(columns[(block * 16 + 15 - k) * block_size + t]) + 3; \
        OPS(16);                                                                    \
        lanes_store_rows(to[16 * (block * block_size + t)], x);                     \
    }

KERNEL void lanes_turn(GLOBAL const word *a, GLOBAL word *columns_a, GLOBAL word *b, GLOBAL const u32 *c,
                       GLOBAL u32 *columns_c, GLOBAL u32 *d)
{
    TURN(word, word_lanes, a, columns_a, b)
    TURN(u32, u32_lanes, c, columns_c, d)
}
