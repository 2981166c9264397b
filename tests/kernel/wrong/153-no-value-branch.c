/* 'x' may be read here before it has a value; give it one where it is declared */
KERNEL void f(GLOBAL word *a)
{
    THREADS (t) {
        int x;
        if (t > 3) x = 1;
        a[t] = (word)x; /* here */
    }
}
