/* 'x' may be read here before it has a value; give it one where it is declared */
KERNEL void f(GLOBAL word *a)
{
    THREADS (t) {
        word x = x + a[t]; /* here */
        a[t] = x;
        OPS(1);
    }
}
