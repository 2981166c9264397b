/* 'p' may be read here before it has a value; give it one where it is declared */
KERNEL void f(GLOBAL word *a)
{
    THREADS (t) {
        GLOBAL word *p;
        *p = a[t]; /* here */
    }
}
