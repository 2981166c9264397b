/* SPDX-License-Identifier: Apache-2.0 */
/* Variables that get their values after they are declared, on every way to where they are read. */

void halves(word x, word *low, word *high)
{
    *low = x & 65535;
    *high = x >> 16;
}

KERNEL void given_later(GLOBAL word *a, int n)
{
    int first, count;
    if (n > 4)
        first = 1;
    else if (n > 2)
        first = 2;
    else
        first = 3;
    for (count = 0; count < n; count++)
        THREADS (t, first, n) {
            word x, y, low, high, own[3], sum;
            int k, last;
            GLOBAL word *place;
            if (t == 5) continue;
            else x = a[t];
            y = t > 1 ? (k = 1, x) : (k = 2, x + 1);
            do {
                last = k;
                if (a[k] > 9) break;
                k++;
            } while (k < n);
            EACH (i, 3)
                own[i] = sum = a[i];
            halves(x, &low, &high);
            place = a + t;
            switch (last) {
            case 0: {
                int inner;
                inner = 2;
                *place = (word)inner;
                break;
            }
            default: *place = own[0] + sum + low + high + y;
            }
            OPS(5);
        }
}
