/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that each do one thing a kernel must not do, and kernels that come close and do not. */
#include "modp.h"

KERNEL void write_write_local(GLOBAL word *a MMM_BLOCK)
{
    LOCAL(word, cell, 4);
    THREADS (t)
        cell[t / 2] = (word)t;
    THREADS (t)
        a[block * block_size + t] = cell[t / 2];
}
ENTRY(write_write_local, ARRAY(0))

KERNEL void write_write_global(GLOBAL word *a MMM_BLOCK)
{
    THREADS (t)
        a[block * block_size + t % 7] = (word)t;
}
ENTRY(write_write_global, ARRAY(0))

KERNEL void read_after_write(GLOBAL word *a MMM_BLOCK)
{
    LOCAL(word, cell, 8);
    THREADS (t) {
        cell[t] = (word)t;
        a[block * block_size + t] = cell[t ? t - 1 : 0];
    }
}
ENTRY(read_after_write, ARRAY(0))

KERNEL void write_after_read(GLOBAL word *a MMM_BLOCK)
{
    LOCAL(word, cell, 9);
    THREADS (t)
        cell[t] = (word)t;
    REGION {
        SOME (t, 7, 8)
            cell[8] = (word)t;
    }
    THREADS (t)
        cell[t] = cell[t + 1];
    THREADS (t)
        a[block * block_size + t] = cell[t];
}
ENTRY(write_after_read, ARRAY(0))

/* The first reader of a cell and its writer are one thread; another thread read it between. */
KERNEL void write_after_two_reads(GLOBAL word *a MMM_BLOCK)
{
    LOCAL(word, cell, 1);
    REGION {
        SOME (t, 0, 1)
            cell[0] = 1;
    }
    REGION {
        SOME (t, 0, 2)
            a[block * block_size + t] = cell[0];
        SOME (t, 0, 1)
            cell[0] = 2;
    }
}
ENTRY(write_after_two_reads, ARRAY(0))

/* Every thread reads outside a region what one writes in the next: there is no barrier between. */
KERNEL void uniform_read_then_write(GLOBAL word *a, GLOBAL word *b MMM_BLOCK)
{
    word x = a[0];
    REGION {
        SOME (t, 0, 1)
            if (block == 0) a[0] = x + 1;
    }
    THREADS (t)
        b[block * block_size + t] = x;
}
ENTRY(uniform_read_then_write, ARRAY(0), ARRAY(1))

KERNEL void uniform_write(GLOBAL word *a MMM_BLOCK)
{
    a[block] = 1;
    THREADS (t)
        OPS(1);
}
ENTRY(uniform_write, ARRAY(0))

KERNEL void block_write_write(GLOBAL word *a MMM_BLOCK)
{
    REGION {
        SOME (t, 0, 1)
            a[block / 2] = (word)block;
    }
}
ENTRY(block_write_write, ARRAY(0))

/* Block 0 writes what all the others read, whichever comes first. */
KERNEL void block_read_write(GLOBAL word *a, GLOBAL word *b MMM_BLOCK)
{
    REGION {
        SOME (t, 0, 1) {
            if (block == 0)
                a[0] = 7;
            else
                b[block] = a[0];
        }
    }
}
ENTRY(block_read_write, ARRAY(0), ARRAY(1))

/* Each block reads a[0]; the last one to run does so itself before it writes: its own read must not hide the others'. */
KERNEL void block_reads_then_one_writes(GLOBAL word *a, GLOBAL word *b, int writer MMM_BLOCK)
{
    REGION {
        SOME (t, 0, 1)
            b[block] = a[0];
    }
    REGION {
        SOME (t, 0, 1)
            if (block == writer) a[0] = 9;
    }
}
ENTRY(block_reads_then_one_writes, ARRAY(0), ARRAY(1), INT(2))

KERNEL void write_one(GLOBAL word *a, int i MMM_BLOCK)
{
    REGION {
        SOME (t, 0, 1)
            if (block == 0) a[i] = 3;
    }
}
ENTRY(write_one, ARRAY(0), INT(1))

KERNEL void read_one(GLOBAL word *a, GLOBAL word *b, int i, int j MMM_BLOCK)
{
    REGION {
        SOME (t, 0, 1)
            if (block == 0) b[j] = a[i];
    }
}
ENTRY(read_one, ARRAY(0), ARRAY(1), INT(2), INT(3))

KERNEL void index_outside(GLOBAL word *a, int i MMM_BLOCK)
{
    THREADS (t)
        a[i] = 1;
}
ENTRY(index_outside, ARRAY(0), INT(1))

KERNEL void local_index_outside(GLOBAL word *a, int i MMM_BLOCK)
{
    LOCAL(word, cell, 8);
    THREADS (t)
        cell[t] = (word)t;
    THREADS (t)
        a[block * block_size + t] = cell[t + i];
}
ENTRY(local_index_outside, ARRAY(0), INT(1))

KERNEL void wild(GLOBAL word *a MMM_BLOCK)
{
    THREADS (t) {
#if defined(MMM_TARGET_ABSTRACT) || defined(MMM_TARGET_CPU)
        GLOBAL word *nowhere = (GLOBAL word *)(uintptr_t)4096;
        a[t] = nowhere[t];
#else
        a[t] = 0;
#endif
    }
}
ENTRY(wild, ARRAY(0))

KERNEL void unwritten_local(GLOBAL word *a MMM_BLOCK)
{
    LOCAL(word, cell, 8);
    REGION {
        SOME (t, 1, block_size)
            cell[t] = (word)t;
    }
    THREADS (t)
        a[block * block_size + t] = cell[t];
}
ENTRY(unwritten_local, ARRAY(0))

KERNEL void much_local(GLOBAL word *a, CONSTANT(words) MMM_BLOCK)
{
    LOCAL(word, cell, words);
    THREADS (t)
        cell[t] = a[t];
}
ENTRY(much_local, ARRAY(0), INT(1))

/* Leaving a region is an error that compilers reject on the CPU; the abstract machine finds it at run time. */
KERNEL void left_region(GLOBAL word *a, int how MMM_BLOCK)
{
    THREADS (t) {
#if defined(MMM_TARGET_ABSTRACT)
        if (t == 3 && how == 0) break;
        if (t == 3 && how == 1) return;
#endif
        a[block * block_size + t] = (word)how;
    }
    THREADS (t)
        OPS(1);
}
ENTRY(left_region, ARRAY(0), INT(1))

/* Clean: a reversal through local memory, values carried across regions, and a shared read. */
KERNEL void clean(GLOBAL const word *a, GLOBAL word *b, GLOBAL const word *shared MMM_BLOCK)
{
    LOCAL(word, cell, 8);
    PRIVATE(word, kept);
    word offset = shared[0];
    THREADS (t) {
        kept[MINE(t)] = a[block * block_size + t];
        cell[t] = kept[MINE(t)];
    }
    THREADS (t) {
        if (t == 5) continue;
        kept[MINE(t)] = kept[MINE(t)] + cell[block_size - 1 - t];
    }
    REGION {
        SOME (t, -3, 4)
            cell[t] = 1;
        SOME (t, 4, 100)
            cell[t] = 2;
    }
    THREADS (t)
        b[block * block_size + t] = kept[MINE(t)] + cell[t] + offset;
}
ENTRY(clean, ARRAY(0), ARRAY(1), ARRAY(2))

/* Counts that are known: thread t does t operations in one region and block_size - t in the next. */
KERNEL void staircase(GLOBAL word *a MMM_BLOCK)
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
ENTRY(staircase, ARRAY(0))

/* Every operation of modp.h on every target. */
KERNEL void arithmetic(GLOBAL const word *a, GLOBAL const word *b, GLOBAL word *c MMM_BLOCK)
{
    THREADS (t) {
        int i = block * block_size + t;
        c[4 * i] = add(a[i], b[i]);
        c[4 * i + 1] = sub(a[i], b[i]);
        c[4 * i + 2] = mul(a[i], b[i]);
        c[4 * i + 3] = inv(a[i]);
    }
}
ENTRY(arithmetic, ARRAY(0), ARRAY(1), ARRAY(2))
