/* 'x' may be read here before it has a value; give it one where it is declared */
KERNEL void f(GLOBAL word *a)
{
    THREADS (t) {
        int x;
        switch (t) {
        case 0: x = 1; break;
        case 1: x = 2; break;
        }
        a[t] = (word)x; /* here */
    }
}
