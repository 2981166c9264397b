/* Functions with and without parameters, arrays of a thread's own, and regions in functions. */
enum { WIDTH = 4, DEPTH };

static inline int threads_before(void)
{
    return block * block_size;
}

float largest(const float *x, int count)
{
    float most = x[0];
    for (int i = 1; i < count; i++) {
        most = max(most, x[i]);
        OPS(1);
    }
    return most;
}

void sort_two(float *x, float *y)
{
    OPS(1);
    if (*x > *y) {
        float z = *x;
        *x = *y;
        *y = z;
    }
}

void load(PRIVATE float *mine, GLOBAL const float *from, int first)
{
    THREADS (t)
        EACH (k, 4)
            mine[k] = from[first + 4 * t + k];
}

void load_twice(PRIVATE float *mine, GLOBAL const float *from)
{
    load(mine, from, 0);
    load(mine, from, 4 * threads_before());
}

/* The largest of each thread's four. */
KERNEL void largest_of_four(GLOBAL const float *from, GLOBAL float *to)
{
    PRIVATE float mine[WIDTH];
    const float weights[WIDTH] = {1.0f, 0.5f, .25f, 1e-3f};
    load_twice(mine, from);
    THREADS (t) {
        float x[WIDTH];
        EACH (k, WIDTH)
            x[k] = mine[k];
        sort_two(&x[0], &x[1]);
        sort_two(x, x + 1);
        to[threads_before() + t] = largest(x, WIDTH) + largest(weights, DEPTH - 1);
    }
}
