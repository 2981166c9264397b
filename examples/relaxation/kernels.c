/* Relaxation on a line of cells: each goes half of the way to the mean of its neighbours, the two ends stay as they are.
 *
 * At most s steps a kernel, as in the stencil; a block also says how much its cells changed in the last of them. */

KERNEL void relax(GLOBAL const float *from, GLOBAL float *to, GLOBAL float *change, int n, int count,
                  CONSTANT int s)
{
    LOCAL float cell[2][block_size + 2 * s]; /* before a step, and after it */
    LOCAL float most[block_size];
    int width = block_size + 2 * s, first = block * block_size - s;
    ITEMS (i, width)
        cell[0][i] = first + i >= 0 && first + i < n ? from[first + i] : 0;
    for (int k = 1; k <= count; k++) {
        int old = (k - 1) % 2, new_one = k % 2;
        ITEMS (i, width) {
            int at = first + i;
            float u = cell[old][i];
            if (i >= k && i < width - k && at > 0 && at < n - 1) {
                u = 0.5f * u + 0.25f * (cell[old][i - 1] + cell[old][i + 1]);
                OPS(4);
            }
            cell[new_one][i] = u;
        }
    }
    THREADS (t) {
        int at = block * block_size + t;
        most[t] = 0;
        if (at < n) {
            to[at] = cell[count % 2][s + t];
            most[t] = fabs(cell[count % 2][s + t] - cell[(count - 1) % 2][s + t]);
            OPS(1);
        }
    }
    for (int half_way = block_size / 2; half_way > 0; half_way /= 2) {
        THREADS (t, 0, half_way) {
            most[t] = max(most[t], most[half_way + t]);
            OPS(1);
        }
    }
    THREADS (t, 0, 1)
        change[block] = most[0];
}
