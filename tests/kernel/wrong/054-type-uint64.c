/* 'uint64_t' is no type of the dialect: OpenCL C does not know it; write u64 */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    THREADS (t) {
        uint64_t x = 0; /* here */
        a[t] = 1;
    }
}
