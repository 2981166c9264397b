/* continue leaves a region between its parts */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    for (int k = 0; k < n; k++)
        REGION {
            if (k == 1) continue; /* here */
            THREADS (t, 0, 1)
                a[k] = 1;
        }
}
