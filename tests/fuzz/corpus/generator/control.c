/* Every statement that a region may hold. */
KERNEL void control(GLOBAL int *a, int n)
{
    int first = block * block_size, steps = 0;
    if (n == 0) return;
    while (steps < 3)
        steps++;
    do {
        steps -= 1;
        if (steps == 1) continue;
        THREADS (t)
            a[first + t] = steps;
    } while (steps > 0);
    REGION {
        for (int k = 0; k < 4; k++) {
            if (k == n) break;
            if (k == 1) continue;
            THREADS (t, k, k + 1)
                a[first + t] = k;
        }
    }
    THREADS (t) {
        if (t == 5) continue;
        for (int k = 0;; k++) {
            if (k == t) break;
        }
        switch (t % 3) {
        case 0: a[first + t] = 1; break;
        case 1: {
            a[first + t] = 2;
            break;
        }
        default: a[first + t] = t > 7 ? 3 : 4;
        }
        int i = 0, j = 3;
        for (i = 0, j = 1; i < j; i++, j--)
            ;
        if (i)
            a[first + t] = i;
        else if (j)
            a[first + t] = j;
        else
            a[first + t] = 0;
    }
}
