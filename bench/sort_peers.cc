// SPDX-License-Identifier: Apache-2.0
// Peers of bench/sort.c that exist in C++ alone; built only where a C++ compiler and the library are.
#include <algorithm>
#include <cstddef>
#include <cstdint>

extern "C" void bench_std_sort(void *keys, size_t n, int bits)
{
    if (bits == 64)
        std::sort((uint64_t *)keys, (uint64_t *)keys + n);
    else
        std::sort((uint32_t *)keys, (uint32_t *)keys + n);
}

#if defined(BENCH_VQSORT)
#include <hwy/contrib/sort/vqsort.h>

extern "C" void bench_vqsort(void *keys, size_t n, int bits)
{
    static hwy::Sorter sorter;
    if (bits == 64)
        sorter((uint64_t *)keys, n, hwy::SortAscending());
    else
        sorter((uint32_t *)keys, n, hwy::SortAscending());
}
#endif
