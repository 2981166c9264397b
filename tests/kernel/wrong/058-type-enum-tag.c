/* the enum 'color' has a tag */
enum color { RED, GREEN }; /* here */

KERNEL void wrong(GLOBAL word *a)
{
    THREADS (t)
        a[t] = 1;
}
