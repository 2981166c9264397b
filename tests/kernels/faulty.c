/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that each do one thing a kernel must not do and the generator cannot see, and kernels that come close and do
 * not. */

KERNEL void write_write_local(GLOBAL word *a)
{
    LOCAL word cell[4];
    THREADS (t)
        cell[t / 2] = (word)t;
    THREADS (t)
        a[block * block_size + t] = cell[t / 2];
}

KERNEL void write_write_global(GLOBAL word *a)
{
    THREADS (t)
        a[block * block_size + t % 7] = (word)t;
}

KERNEL void read_after_write(GLOBAL word *a)
{
    LOCAL word cell[8];
    THREADS (t)
        cell[t] = 0;
    THREADS (t) {
        cell[t] = (word)t;
        a[block * block_size + t] = cell[t ? t - 1 : 0];
    }
}

KERNEL void write_after_read(GLOBAL word *a)
{
    LOCAL word cell[9];
    THREADS (t)
        cell[t] = (word)t;
    THREADS (t, 7, 8)
        cell[8] = (word)t;
    THREADS (t)
        cell[t] = cell[t + 1];
    THREADS (t)
        a[block * block_size + t] = cell[t];
}

/* The first reader of a cell and its writer may be one thread; another thread read it between. */
KERNEL void write_after_two_reads(GLOBAL word *a)
{
    LOCAL word cell[1];
    THREADS (t, 0, 1)
        cell[0] = 1;
    REGION {
        THREADS (t, 0, 2)
            a[block * block_size + t] = cell[0];
        THREADS (t, 0, 1)
            cell[0] = 2;
    }
}

/* Every thread reads outside a region what one writes in the next: there is no barrier between. */
KERNEL void uniform_read_then_write(GLOBAL word *a, GLOBAL word *b)
{
    word x = a[0];
    THREADS (t, 0, 1) {
        if (block == 0) a[0] = x + 1;
        OPS(1);
    }
    THREADS (t)
        b[block * block_size + t] = x;
}

KERNEL void block_write_write(GLOBAL word *a)
{
    THREADS (t, 0, 1)
        a[block / 2] = (word)block;
}

/* Block 0 writes what all the others read, whichever comes first. */
KERNEL void block_read_write(GLOBAL word *a, GLOBAL word *b)
{
    THREADS (t, 0, 1) {
        if (block == 0)
            a[0] = 7;
        else
            b[block] = a[0];
    }
}

/* Each block reads a[0]; the last to run does so itself before it writes: its own read must not hide the others'. */
KERNEL void block_reads_then_one_writes(GLOBAL word *a, GLOBAL word *b, int writer)
{
    THREADS (t, 0, 1)
        b[block] = a[0];
    THREADS (t, 0, 1)
        if (block == writer) a[0] = 9;
}

KERNEL void write_one(GLOBAL word *a, int i)
{
    THREADS (t, 0, 1)
        if (block == 0) a[i] = 3;
}

KERNEL void read_one(GLOBAL word *a, GLOBAL word *b, int i, int j)
{
    THREADS (t, 0, 1)
        if (block == 0) b[j] = a[i];
}

KERNEL void index_outside(GLOBAL word *a, int i)
{
    THREADS (t)
        a[i] = 1;
}

KERNEL void local_index_outside(GLOBAL word *a, int i)
{
    LOCAL word cell[8];
    THREADS (t)
        cell[t] = (word)t;
    THREADS (t)
        a[block * block_size + t] = cell[t + i];
}

/* So far outside that the address is in no array's reach. */
KERNEL void wild(GLOBAL word *a, i64 far)
{
    THREADS (t)
        a[t] = a[far + t];
}

KERNEL void unwritten_local(GLOBAL word *a)
{
    LOCAL word cell[8];
    THREADS (t, 1, block_size)
        cell[t] = (word)t;
    THREADS (t)
        a[block * block_size + t] = cell[t];
}

/* The last threads never write what they read. */
KERNEL void unwritten_private(GLOBAL word *a)
{
    PRIVATE word kept, pair[2];
    THREADS (t, 0, 6)
        kept = (word)t;
    THREADS (t) {
        pair[1] = 1;
        a[block * block_size + t] = kept;
    }
    THREADS (t, 0, 1)
        a[block * block_size] = pair[0] + pair[1];
}

/* A value of a thread that has none is exchanged. */
KERNEL void unwritten_in_group(GLOBAL word *a)
{
    PRIVATE word flag, votes;
    THREADS (t, 1, block_size)
        flag = 1;
    votes = ballot(flag);
    THREADS (t)
        a[block * block_size + t] = votes;
}

KERNEL void private_index_outside(GLOBAL word *a, int i)
{
    PRIVATE word pair[2];
    THREADS (t) {
        pair[0] = pair[1] = a[t];
        pair[i] = 1;
    }
}

/* An array on the stack: what lies beside it is the machine's. */
KERNEL void own_index_outside(GLOBAL word *a, int i)
{
    THREADS (t) {
        word own[4] = {1, 2, 3, 4};
        own[i] = 9;
        a[block * block_size + t] = own[t % 4];
    }
}

KERNEL void own_row_outside(GLOBAL word *a, int i, int j)
{
    THREADS (t) {
        word own[2][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
        a[block * block_size + t] = own[i][j];
    }
}

/* Numbers of 64 bits, by which an address is meant that may be in another array. */
KERNEL void far_index(GLOBAL word *a, i64 far)
{
    THREADS (t, 0, 1)
        a[far] = 1;
}

KERNEL void far_pointer(GLOBAL word *a, i64 far)
{
    THREADS (t, 0, 1) {
        GLOBAL word *p = a;
        p += far;
        *p = 1;
    }
}

KERNEL void far_sum(GLOBAL word *a, i64 far)
{
    LOCAL word cell[8];
    THREADS (t)
        cell[t] = 1;
    THREADS (t, 0, 1)
        a[0] = *(cell + far);
}

/* All but one of the elements that the caller gets. */
KERNEL void result_but_one(GLOBAL word *b, int i)
{
    THREADS (t)
        if (block * block_size + t != i) b[block * block_size + t] = 1;
}

KERNEL void much_local(GLOBAL word *a, CONSTANT int words)
{
    LOCAL word cell[words];
    THREADS (t)
        cell[t] = a[t];
}

/* Clean: a reversal through local memory, values carried across regions, and a shared read. */
KERNEL void clean(GLOBAL const word *a, GLOBAL word *b, GLOBAL const word *shared)
{
    LOCAL word cell[8];
    PRIVATE word kept;
    word offset = shared[0];
    THREADS (t) {
        kept = a[block * block_size + t];
        cell[t] = kept;
    }
    THREADS (t) {
        if (t == 5) continue;
        kept = kept + cell[block_size - 1 - t];
        OPS(1);
    }
    REGION {
        THREADS (t, -3, 4)
            cell[t] = 1;
        THREADS (t, 4, 100)
            cell[t] = 2;
    }
    THREADS (t)
        b[block * block_size + t] = kept + cell[t] + offset;
}

/* Counts that are known: thread t does t operations in one region and block_size - t in the next. */
KERNEL void staircase(GLOBAL word *a)
{
    OPS(2); /* by every thread */
    THREADS (t)
        OPS(t);
    THREADS (t) {
        OPS(block_size - t);
        if (t < 3) a[block * block_size + t] = 1;
        if (t == 0) a[block * block_size + 3] = a[block * block_size];
    }
}

/* Every operation of modp.h on every target. */
KERNEL void arithmetic(GLOBAL const word *a, GLOBAL const word *b, GLOBAL word *c)
{
    THREADS (t) {
        int i = block * block_size + t;
        c[4 * i] = add(a[i], b[i]);
        c[4 * i + 1] = sub(a[i], b[i]);
        c[4 * i + 2] = mul(a[i], b[i]);
        c[4 * i + 3] = inv(a[i]);
    }
}

/* Each block takes over the words of the one `by` further on. */
KERNEL void hand_on(GLOBAL const word *a, GLOBAL word *b, int by)
{
    THREADS (t) {
        b[block * block_size + t] = a[(block + by) % blocks * block_size + t];
        OPS(1);
    }
}

/* Each block writes the words that are the one's `by` further on. */
KERNEL void turn(GLOBAL word *a, int by)
{
    THREADS (t) {
        a[(block + by) % blocks * block_size + t] = (word)t;
        OPS(1);
    }
}
