// SPDX-License-Identifier: Apache-2.0
// NTL beside bench/rows.c; built only where a C++ compiler and the library are.
#include <NTL/lzz_pX.h>
#include <chrono>
#include <cstdint>

static void set(NTL::zz_pX &x, const uint64_t *a, int64_t n)
{
    x.rep.SetLength(n);
    for (int64_t i = 0; i < n; i++)
        x.rep[i] = NTL::to_zz_p((long)a[i]);
    x.normalize();
}

// Seconds of a product, division or gcd (0, 1, 2), without setting up its operands.
extern "C" double bench_ntl(int what, const uint64_t *a, int64_t n, const uint64_t *b, int64_t m, uint64_t p)
{
    NTL::zz_p::init((long)p);
    NTL::zz_pX x, y, z, w;
    set(x, a, n);
    set(y, b, m);
    auto start = std::chrono::steady_clock::now();
    if (what == 0)
        NTL::mul(z, x, y);
    else if (what == 1)
        NTL::DivRem(z, w, x, y);
    else
        NTL::GCD(z, x, y);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}
