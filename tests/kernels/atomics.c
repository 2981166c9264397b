/* SPDX-License-Identifier: Apache-2.0 */
/* Atomics: every one of each type, and what they do not allow. */

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
