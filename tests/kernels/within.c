/* SPDX-License-Identifier: Apache-2.0 */
/* Parts that do nothing but where a condition holds, which says of some from which thread on and up to which one. */

enum { FORMS = 22 };

/* Where thread t of form k writes: a form has twice as many places as threads. */
#define TO(k, t) to[((i64)(call * blocks + block) * FORMS + (k)) * 2 * block_size + (t)]

KERNEL void within(GLOBAL u32 *to, int call, int a, int b, i64 far, CONSTANT int s)
{
    int first = block * block_size;
    THREADS (t)
        if (t < a) TO(0, t) = 1;
    THREADS (t)
        if (t + a <= b) TO(1, t) = 1;
    THREADS (t)
        if (a <= t) TO(2, t) = 1;
    THREADS (t) {
        if (b > a + t && t >= a - b) TO(3, t) = 1;
    }
    THREADS (t) {
        if (a < b) TO(4, t) = 1;
        OPS(1);
        OPS(t);
    }
    THREADS (t)
        if (far + t < b) TO(5, t) = 1;
    THREADS (t)
        if (a - b + t <= 2 * a && t > (a - 1) * s) {
            TO(6, t) = 1;
        }
    ITEMS (i, 2 * block_size)
        if (i >= a && i + 1 < b) TO(7, i) = 1;
    ITEMS (i, b, block_size / 2)
        if (i > a) TO(8, i) = 1;
    THREADS (t, 1, block_size - 1)
        if (t < a) TO(9, t) = 1;
    THREADS (t, a, b)
        if (first + t < 2 * block_size - 3) TO(10, t) = 1;
    REGION
    {
        THREADS (t)
            if (-a < t) TO(11, t) = 1;
        ITEMS (i, block_size)
            if (b - a + i >= 4 && a >= b) TO(12, i) = 1;
    }
    THREADS (t) {
        if (t < b) {
            TO(20, t) = 1;
        }
        OPS(a < b ? 1 : 2);
    }
    /* and those that say nothing of the kind */
    THREADS (t) {
        if (t < b) TO(21, t) = 1;
        OPS(1);
        TO(21, block_size + t) = 1;
    }
    THREADS (t)
        if (t < a)
            TO(13, t) = 1;
        else
            TO(13, t) = 2;
    THREADS (t) {
        if (t < a) TO(14, t) = 1;
        TO(14, block_size + t) = 1;
    }
    THREADS (t)
        if (t < a) {
            if (t > 3)
                TO(15, t) = 1;
            else
                TO(15, t) = 2;
        }
    THREADS (t)
        if (2 * t < a || t > b) TO(16, t) = 1;
    THREADS (t)
        if (a - t < b) TO(17, t) = 1;
    THREADS (t)
        if ((u32)t + (u32)a < 9u) TO(18, t) = 1;
    THREADS (t)
        if (t < a)
            for (int k = 0; k < 2; k++)
                TO(19, t + k * block_size) = 1;
}

KERNEL void within_2d(GLOBAL u32 *to, int call, int a, int b)
{
    THREADS_2D (x, y)
        if (x + a < b && y < a) TO(0, y * block_width + x) = 1;
    THREADS_2D (x, y)
        if (a + y >= b) TO(1, y * block_width + x) = 1;
    THREADS_2D (x, y)
        if (block_x * block_width + x < b && 1 <= a - b + y && a > 0) TO(2, y * block_width + x) = 1;
    THREADS_2D (x, y)
        if (x < y + a) TO(3, y * block_width + x) = 1;
}

enum { SUMS = 8 };

/* What threads add up: turn by turn of all of them on a core in the first four, each by itself in the others. */
KERNEL void sums(GLOBAL u32 *to, GLOBAL float *reals, int a, int b, CONSTANT int s)
{
    LOCAL u32 tile[16 * block_size];
    LOCAL float parts[16];
    PRIVATE u32 sum, other;
    PRIVATE float real;
    ITEMS (i, 16 * block_size)
        tile[i] = (u32)i * 0x9e3779b9u;
    ITEMS (i, 16)
        parts[i] = 1.0f / (float)(i + 3);
    THREADS (t) {
        sum = (u32)t;
        other = 1;
        real = (float)t;
    }
    THREADS (t)
        for (int j = a; j < b; j++)
            sum += (u32)(j * t + 1);
    THREADS (t)
        to[(SUMS * block + 0) * block_size + t] = sum;
    THREADS (t) {
        for (int j = 0; j < s + b; j += 2) {
            sum = sum * 3 + (u32)(t ^ j);
            OPS(2);
        }
        OPS(1);
    }
    THREADS (t)
        to[(SUMS * block + 1) * block_size + t] = sum;
    REGION
    {
        THREADS (t) {
            for (int j = 0; j < s; j++)
                sum += tile[j * block_size + t];
        }
        THREADS (t)
            for (int j = 0; j < s; j++)
                real += parts[j] * (float)t;
    }
    THREADS (t) {
        to[(SUMS * block + 2) * block_size + t] = sum;
        reals[block * block_size + t] = real;
    }
    THREADS (t)
        for (int j = 0; j < t; j++)
            sum += (u32)j;
    THREADS (t)
        to[(SUMS * block + 3) * block_size + t] = sum;
    THREADS (t) {
        for (int j = a; j < b; j++)
            other += sum;
        sum += other;
    }
    THREADS (t)
        to[(SUMS * block + 4) * block_size + t] = sum;
    THREADS (t) {
        for (int j = 0; j < s; j++) {
            if (j > t) break;
            sum += 5;
        }
    }
    THREADS (t)
        to[(SUMS * block + 5) * block_size + t] = sum;
    THREADS (t)
        for (int j = 0; j < s; j++) {
            sum += 2;
            other ^= sum;
        }
    THREADS (t) {
        to[(SUMS * block + 6) * block_size + t] = sum;
        to[(SUMS * block + 7) * block_size + t] = other;
    }
}
