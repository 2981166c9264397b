/* Read as part of macros.c, once. */
#include "more.h"
#define TILE        4
#define SQUARE(x)   ((x) * (x))
#define ROW(i)      (TILE * (i))
#define AT(m, i, k) m[ROW(i) + (k)]

int half_of(int x)
{
    return x / 2;
}
