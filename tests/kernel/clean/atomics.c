/* Atomics on GLOBAL and LOCAL memory. */

void bump(LOCAL unsigned *count, int i)
{
    atomic_add(&count[i], 1);
}

/* How often each digit stands in a. */
KERNEL void histogram(GLOBAL const word *a, GLOBAL unsigned *counts, GLOBAL i64 *most, int n, CONSTANT int s)
{
    LOCAL unsigned count[1 << s];
    LOCAL int last;
    int first = block * block_size;
    ITEMS (d, 1 << s)
        count[d] = 0;
    THREADS (t, 0, n - first) {
        bump(count, (int)(a[first + t] % (1u << s)));
        atomic_max(&most[0], (i64)a[first + t]);
        atomic_cas(&last, 0, 1);
    }
    ITEMS (d, 1 << s)
        if (count[d]) atomic_add(&counts[d], count[d]);
}
