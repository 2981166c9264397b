/* A three-point stencil on a line of cells, s time steps a kernel.
 *
 * A block has block_size cells of the result.  It reads s more on either side, so that all s steps can be made in local
 * memory: the more steps, the fewer words move, and the more cells are computed twice. */

KERNEL void steps(GLOBAL const float *from, GLOBAL float *to, int n, int count, CONSTANT int s)
{
    LOCAL float cell[2][block_size + 2 * s]; /* before a step, and after it */
    int width = block_size + 2 * s, first = block * block_size - s;
    ITEMS (i, width) /* more cells than threads: thread i % block_size has cell i */
        cell[0][i] = first + i >= 0 && first + i < n ? from[first + i] : 0;
    for (int k = 1; k <= count; k++) {
        int old = (k - 1) % 2, new_one = k % 2;
        ITEMS (i, width) {
            float u = 0;
            if (i >= k && i < width - k && first + i >= 0 && first + i < n) {
                u = 0.5f * cell[old][i] + 0.25f * (cell[old][i - 1] + cell[old][i + 1]);
                OPS(4);
            }
            cell[new_one][i] = u;
        }
    }
    THREADS (t, 0, n - block * block_size) /* the block's own cells */
        to[block * block_size + t] = cell[count % 2][s + t];
}
