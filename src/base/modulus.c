/* SPDX-License-Identifier: Apache-2.0 */
/* Prime moduli and Montgomery form, on the host. */
#include "base/base.h"

#include <flint/ulong_extras.h>
#include <inttypes.h>
#include <string.h>

typedef unsigned __int128 wide;

mmm_status mmm_modulus_read(uint64_t p, mmm_modulus *out)
{
    NEED(out, "the place for the modulus");
    if (p >= (uint64_t)1 << 63) return mmm_fail(MMM_INVALID, "p=%" PRIu64 ": the modulus must be below 2^63", p);
    if (!n_is_prime(p)) return mmm_fail(MMM_INVALID, "p=%" PRIu64 ": the modulus must be a prime", p);
    mmm_modulus m = {.p = p, .bits = p < (uint64_t)1 << 31 ? 32 : 64};
    m.shift = p == 2 ? 0 : m.bits;
    wide r = (wide)1 << m.shift;
    m.one = (uint64_t)(r % p);
    m.square = (uint64_t)((wide)m.one * m.one % p);
    if (p != 2) {
        uint64_t inverse = p; /* right in the last 3 bits, and in twice as many after each step */
        for (int i = 0; i < 5; i++)
            inverse *= 2 - p * inverse;
        m.minus_inverse = (uint64_t)(-inverse & (uint64_t)(r - 1));
    }
    *out = m;
    return MMM_OK;
}

/* x y / R mod p; 0 where there is no modulus */
static uint64_t product(const mmm_modulus *m, uint64_t x, uint64_t y)
{
    if (!m || m->shift < 0 || m->shift > 64) return 0;
    wide t = (wide)x * y;
    uint64_t mask = m->shift ? ~(uint64_t)0 >> (64 - m->shift) : 0;
    uint64_t quotient = (uint64_t)t * m->minus_inverse & mask;
    uint64_t u = (uint64_t)((t + (wide)quotient * m->p) >> m->shift);
    return u >= m->p ? u - m->p : u;
}

uint64_t mmm_modulus_enter(const mmm_modulus *modulus, uint64_t x)
{
    return product(modulus, x, modulus ? modulus->square : 0);
}

uint64_t mmm_modulus_leave(const mmm_modulus *modulus, uint64_t x)
{
    return product(modulus, x, 1);
}
