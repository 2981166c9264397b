/* 'p' points to LOCAL memory, and what it is given to GLOBAL memory */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    LOCAL word cell[4];
    THREADS (t) {
        LOCAL word *p = a; /* here */
        p[0] = 1;
        cell[0] = 1;
    }
}
