/* A block that is a rectangle of threads. */

/* The transpose of a matrix of n columns, through a tile with a spare column. */
KERNEL void transpose(GLOBAL const float *from, GLOBAL float *to, int n, CONSTANT int s)
{
    LOCAL float tile[s][s + 1];
    PRIVATE float mine;
    int left = block_x * s, top = block_y * s;
    THREADS_2D (x, y) {
        mine = from[(top + y) * n + left + x];
        tile[y][x] = mine;
    }
    THREADS_2D (x, y)
        to[(left + y) * n + top + x] = tile[x][y];
}

int row(int i)
{
    return i / block_width;
}

/* Two-dimensional because of what it calls. */
KERNEL void rows(GLOBAL int *a)
{
    REGION {
        THREADS_2D (x, y)
            a[y] = row(x);
    }
}
