/* 'p' points to u64, and what it is given to word */
KERNEL void f(GLOBAL word *a)
{
    THREADS (t) {
        GLOBAL u64 *p = a; /* here */
        p[t] = 1;
    }
}
