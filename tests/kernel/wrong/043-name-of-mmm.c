/* 'mmm_x' begins like the names of mmm */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    int mmm_x = 0; /* here */
    THREADS (t)
        a[t] = 1;
}
