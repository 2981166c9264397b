/* Pointers into GLOBAL and LOCAL memory. */
KERNEL void pointers(GLOBAL const word *a, GLOBAL word *b, int n)
{
    LOCAL word cell[2 * block_size], spare;
    GLOBAL const word *from = n > 4 ? a + n : b, *const other = &b[3];
    LOCAL word *low = cell, *high = &cell[block_size];
    from += 2;
    THREADS (t) {
        LOCAL word *mine = t % 2 ? low : high;
        mine[t] = from[t];
        *(mine + t) = *other;
        cell[t] = mine - cell > 3;
        if (t == 0) spare = 1;
    }
    THREADS (t)
        b[t] = cell[t] + spare, OPS(1);
}
