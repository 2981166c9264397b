/* s time steps a kernel: a block recomputes a halo of s cells on either side. */
#define LEFT(k)  (from[(k) - 1])
#define RIGHT(k) (from[(k) + 1])

/* One value of a cell from three. */
float relax(float left, float middle, float right)
{
    OPS(4);
    return 0.25f * left + 0.5f * middle + 0.25f * right;
}

/* The cells of a line after s time steps. */
KERNEL void stencil(GLOBAL const float *u, GLOBAL float *next, int n, CONSTANT int s)
{
    LOCAL float cell[2 * (block_size + 2 * s)];
    int width = block_size + 2 * s, first = block * block_size - s;
    ITEMS (i, width)
        cell[i] = first + i >= 0 && first + i < n ? u[first + i] : 0;
    for (int k = 1; k <= s; k++) {
        LOCAL const float *from = cell + (k + 1) % 2 * width;
        LOCAL float *to = cell + k % 2 * width;
        ITEMS (i, width)
            if (i >= k && i < width - k) to[i] = relax(LEFT(i), from[i], RIGHT(i));
    }
    THREADS (t)
        if (first + s + t < n) next[first + s + t] = cell[s % 2 * width + s + t];
}
