/* only a file of the same folder */
#include "../clean/more.h" /* here */
KERNEL void wrong(GLOBAL word *a)
{
    THREADS (t)
        a[t] = 1;
}
