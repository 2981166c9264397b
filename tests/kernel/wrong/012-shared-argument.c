/* 'part' is declared outside this region and written in it */
void fill(word *x)
{
    x[0] = 1;
}

KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    word part[4] = {0};
    THREADS (t)
        fill(part); /* here */
}
