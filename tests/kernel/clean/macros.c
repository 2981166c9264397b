/* Macros of every kind, and a file of the same folder. */
#include "modp.h"
#include "more.h"
#include <mmm/dialect.h>

#define n n /* stands for itself */
#define EMPTY
#define NEGATIVE -1
#define LOOP(k)  for (int k = 0; k < TILE; k++)
#define CALL(f)  f(3)
#define OLD 1
#undef OLD
#define OLD 2

// Squares of a tile,
// and what macros make of them.
KERNEL void squares(GLOBAL word *a, GLOBAL const word *b, int n)
{
    LOCAL word tile[SQUARE(TILE)];
    int first = half_of(n) -NEGATIVE;
    THREADS (t, 0, TILE) {
        LOOP (k) {
            AT(tile, t, k) = SQUARE(b[first + OLD]) EMPTY;
            OPS(1);
        }
    }
    THREADS (t, 0,
             CALL(half_of))
        a[t] = AT(tile,
                  t,
                  0);
}

#define type   word
#define larger larger_of_word
#include "larger.h"
#undef type
#undef larger
#define type   u64
#define larger larger_of_u64
#include "larger.h"

/* Both functions of one text. */
KERNEL void both(GLOBAL word *a, GLOBAL u64 *b)
{
    THREADS (t)
        b[t] = larger(b[t], larger_of_word(a[t], 1));
}
