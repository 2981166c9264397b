/* 'n' may be read here before it has a value; give it one where it is declared */
KERNEL void f(GLOBAL word *a)
{
    int n;
    THREADS (t, 0, n) /* here */
        a[t] = 1;
}
