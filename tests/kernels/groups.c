/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of 32 threads: what they exchange, what the first alone does, and what is not ordered. */

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
