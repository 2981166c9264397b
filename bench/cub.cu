// SPDX-License-Identifier: Apache-2.0
// CUB's radix sort, for bench/gpu.sh: random keys, median of 9 on the device's own clock.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cub/cub.cuh>
#include <vector>

template <class Key> static void bench(size_t n, bool pairs)
{
    Key *from, *to;
    uint32_t *values, *to_values;
    void *room = nullptr;
    size_t bytes = 0, more = 0;
    std::vector<Key> keys(n);
    std::vector<float> times;
    uint64_t x = 88172645463325252u;
    for (Key &key : keys) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        key = (Key)x;
    }
    cudaMalloc(&from, n * sizeof(Key));
    cudaMalloc(&to, n * sizeof(Key));
    cudaMalloc(&values, n * 4);
    cudaMalloc(&to_values, n * 4);
    cudaMemcpy(from, keys.data(), n * sizeof(Key), cudaMemcpyHostToDevice);
    cub::DeviceRadixSort::SortKeys(room, bytes, from, to, n);
    cub::DeviceRadixSort::SortPairs(room, more, from, to, values, to_values, n);
    cudaMalloc(&room, bytes = std::max(bytes, more));
    cudaEvent_t start, end;
    cudaEventCreate(&start);
    cudaEventCreate(&end);
    for (int i = 0; i < 9; i++) {
        float time;
        cudaEventRecord(start);
        if (pairs)
            cub::DeviceRadixSort::SortPairs(room, bytes, from, to, values, to_values, n);
        else
            cub::DeviceRadixSort::SortKeys(room, bytes, from, to, n);
        cudaEventRecord(end);
        cudaEventSynchronize(end);
        cudaEventElapsedTime(&time, start, end);
        times.push_back(time);
    }
    std::sort(times.begin(), times.end());
    printf("CUB: %zu keys of %zu bits%s: %.3f ms (%.3f to %.3f)\n", n, 8 * sizeof(Key),
           pairs ? " with values of 32" : "", times[4], times[0], times[8]);
    cudaFree(from), cudaFree(to), cudaFree(values), cudaFree(to_values), cudaFree(room);
}

int main()
{
    for (size_t n = 10000; n <= 100000000; n *= 10) {
        bench<uint32_t>(n, false);
        bench<uint32_t>(n, true);
        bench<uint64_t>(n, false);
    }
}
