/* THREADS inside a switch */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    switch (n) {
    case 1:
        THREADS (t) /* here */
            a[t] = 1;
    }
}
