KERNEL void nothing(GLOBAL word *a) { THREADS (t) a[t] = 0; }
