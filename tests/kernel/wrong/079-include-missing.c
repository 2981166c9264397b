/* cannot read */
#include "nowhere.h" /* here */
KERNEL void wrong(GLOBAL word *a)
{
    THREADS (t)
        a[t] = 1;
}
