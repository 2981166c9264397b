/* Words that many others are multiplied by: the same for all threads, a thread's own, and an array of them. */
KERNEL void by_multipliers(GLOBAL const word *a, GLOBAL word *b, int n)
{
    multiplier f = multiplier_of(a[0]), g = f;
    if (n > 1) g = multiplier_of(a[1]);
    THREADS (t) {
        multiplier own[2];
        EACH (k, 2)
            own[k] = multiplier_of(a[t + k]);
        b[t] = add(cross_by(f, a[t], g, a[t + 1]), mul_by(own[0], mul_by(own[1], a[t])));
    }
}
