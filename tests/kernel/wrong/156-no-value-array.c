/* 'x' may be read here before it has a value; give it one where it is declared */
KERNEL void f(GLOBAL word *a)
{
    THREADS (t) {
        word x[4];
        a[t] = x[0]; /* here */
    }
}
