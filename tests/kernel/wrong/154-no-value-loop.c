/* 'last' may be read here before it has a value; give it one where it is declared */
KERNEL void f(GLOBAL word *a, int n)
{
    THREADS (t) {
        word last;
        for (int k = 0; k < n; k++)
            last = a[k];
        a[t] = last; /* here */
    }
}
