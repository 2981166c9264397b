/* 'x' may be read here before it has a value; give it one where it is declared */
KERNEL void f(GLOBAL word *a)
{
    THREADS (t) {
        int x, k = 0;
        do {
            if (a[k] > 3) break;
            x = k++;
        } while (k < 9);
        a[t] = (word)x; /* here */
    }
}
