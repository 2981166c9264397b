/* The transpose of a matrix, by tiles of s x s.
 *
 * A block reads rows of its tile and writes columns as rows, so that neighbours always touch neighbours in global
 * memory; the turn happens in local memory.  The extra column keeps the columns of the tile in different banks of a
 * GPU. */

KERNEL void transpose(GLOBAL const float *a, GLOBAL float *b, int n, int m, CONSTANT int s)
{
    LOCAL float tile[s][s + 1];
    int row = block_y * s, column = block_x * s;
    REGION
    {
        THREADS_2D (x, y)
            if (row + y < n && column + x < m) tile[y][x] = a[(row + y) * m + column + x];
        LANES (u32, x, y) /* of the next tile: a core asks for so many rows by itself too late */
            lanes_ahead(a[(row + y) * m + column + s + x]);
    }
    REGION
    {
        THREADS_2D (x, y)
            if (column + y < m && row + x < n) b[(column + y) * n + row + x] = tile[x][y];
        LANES (u32, x, y)
            lanes_ahead(b[(column + s + y) * n + row + x]);
    }
}
