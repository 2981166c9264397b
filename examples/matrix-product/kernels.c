/* The product of matrices, by tiles of s x s: a block has a tile of c, and goes along a row of tiles of a and a column of
 * tiles of b.  Each word of a and b is read n / s times instead of n times. */

KERNEL void product(GLOBAL const float *a, GLOBAL const float *b, GLOBAL float *c, int n, CONSTANT int s)
{
    LOCAL float tile_a[s][s], tile_b[s][s];
    PRIVATE float sum;
    int row = block_y * s, column = block_x * s;
    THREADS_2D (x, y)
        sum = 0;
    for (int k = 0; k < n; k += s) {
        THREADS_2D (x, y) {
            tile_a[y][x] = row + y < n && k + x < n ? a[(row + y) * n + k + x] : 0;
            tile_b[y][x] = k + y < n && column + x < n ? b[(k + y) * n + column + x] : 0;
        }
        THREADS_2D (x, y) {
            for (int j = 0; j < s; j++) {
                sum += tile_a[y][j] * tile_b[j][x];
                OPS(2);
            }
        }
    }
    THREADS_2D (x, y)
        if (row + y < n && column + x < n) c[(row + y) * n + column + x] = sum;
}
