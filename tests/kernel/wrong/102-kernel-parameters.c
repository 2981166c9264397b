/* more than 16 parameters */
KERNEL void wrong(GLOBAL word *a, int b, int c, int d, int e, int f, int g, int h, int i, int j, int k, int l, int m,
                  int n, int o, int p, int q) /* here */
{
    THREADS (t)
        a[t] = 1;
}
