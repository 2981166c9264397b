/* 'e' is declared outside this region and written in it */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    REGION {
        for (int e = 0; e < 4; e++)
            THREADS (t, 0, 1)
                e = 7; /* here */
    }
}
