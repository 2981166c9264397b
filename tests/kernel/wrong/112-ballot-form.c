/* 'ballot' stands between regions */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    PRIVATE unsigned h;
    THREADS (t)
        h = 1;
    unsigned x = ballot(h); /* here */
}
