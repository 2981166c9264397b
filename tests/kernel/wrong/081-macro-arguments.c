/* the macro 'TWICE' takes 1 argument, not 2 */
#define TWICE(x) (2 * (x))
KERNEL void wrong(GLOBAL word *a)
{
    THREADS (t)
        a[t] = TWICE(1, 2); /* here */
}
