/* SPDX-License-Identifier: Apache-2.0 */
/* Integers modulo many primes, and back: coefficients of thousands of bits as digits of 30 bits, and plain products of
 * matrices of such digits with tables.
 *
 * A block has L coefficients, and its digits are a tile: L first digits, L second ones, and so on.  A chunk is R rows
 * of them: R products of 30 and 31 bits and a number of 32 bits have a sum of 64 bits. */
#define L     64
#define R     8
#define DIGIT 0x3fffffff
#define LOWER 0xffffffffu

/* Coefficients as they lie in memory, `size` limbs of 32 bits each, into tiles of `rows` rows, 0 where there is no
 * coefficient or no limb. */
KERNEL void unpack(GLOBAL const u32 *limbs, GLOBAL u64 *digits, int n, int size, int rows)
{
    GLOBAL u64 *tile = digits + (i64)block * rows * L;
    THREADS (t) {
        int c = block * L + t;
        for (int j = 0; j < rows; j++) {
            int k = 30 * j / 32;
            i64 at = (i64)c * size + k;
            u64 low = c < n && k < size ? limbs[at] : 0, high = c < n && k + 1 < size ? limbs[at + 1] : 0;
            tile[j * L + t] = ((low | high << 32) >> 30 * j % 32) & DIGIT;
            OPS(1);
        }
    }
}

/* The sums over all rows of a tile times weights, for R columns of these: low + 2^32 high. */
#define SUMS(tile, table)                                      \
    u64 low[R], high[R];                                       \
    EACH (k, R)                                                \
        low[k] = high[k] = 0;                                  \
    int i = 0;                                                 \
    do {                                                       \
        u64 x[R];                                              \
        EACH (e, R)                                            \
            x[e] = tile[(R * i + e) * L + t];                  \
        EACH (k, R) {                                          \
            EACH (e, R)                                        \
                low[k] += x[e] * table[R * R * i + R * e + k]; \
            high[k] += low[k] >> 32;                           \
            low[k] &= LOWER;                                   \
        }                                                      \
        OPS(2 * R * R);                                        \
        i++;                                                   \
    } while (i < chunks);                                      \
    EACH (k, R) {                                              \
        lows[k][t] = low[k];                                   \
        highs[k][t] = high[k];                                 \
    }

/* Coefficients modulo R primes a block, L coefficients: `constants` are, of each prime, itself and 1, 2^32 and 2^64,
 * each with its quotient.  The residues of a prime begin `stride` from those of the one before, at `from`. */
KERNEL void remainders(GLOBAL const u64 *digits, GLOBAL const u32 *negative, GLOBAL const u64 *weights,
                       GLOBAL const u32 *constants, GLOBAL u32 *residues, int n, int primes, int chunks, int parts,
                       int stride, int from)
{
    LOCAL u64 lows[R][L], highs[R][L];
    int part = block % parts, group = block / parts, first = part * L;
    GLOBAL const u64 *tile = digits + (i64)part * chunks * R * L, *table = weights + (i64)group * chunks * R * R;
    THREADS (t) {
        SUMS(tile, table)
    }
    THREADS (t, 0, n - first) {
        u32 minus = negative[first + t];
        EACH (k, R) {
            GLOBAL const u32 *own = constants + 8 * (group * R + k);
            u32 p = own[0];
            u64 h = highs[k][t];
            u32 r = fold(times((u32)lows[k][t], own[2], own[3], p), p);
            r = fold(r + fold(times((u32)h, own[4], own[5], p), p), p);
            r = fold(r + fold(times((u32)(h >> 32), own[6], own[7], p), p), p);
            if (minus) r = r ? p - r : 0;
            if (group * R + k < primes) residues[(i64)(group * R + k) * stride + from + first + t] = r;
            OPS(3);
        }
    }
}

/* Coefficients from their residues r modulo primes p with the product M: with y = r / (M / p) mod p, the sum of all
 * y M / p less M times the integer next to the sum of all y / p, where no coefficient is larger than M / 4.  A block
 * makes L of them, as digits of numbers modulo a power of 2.  `constants` are, of each prime, itself, the factor of
 * residues, its quotient, and 2^62 / p. */
KERNEL void reconstruct(GLOBAL const u32 *residues, GLOBAL const u32 *constants, GLOBAL const u64 *weights,
                        GLOBAL u64 *y, GLOBAL u32 *digits, int n, int primes, int chunks, int groups, int stride,
                        int from)
{
    LOCAL u64 lows[R][L], highs[R][L], carry[L];
    int first = block * L;
    GLOBAL u64 *tile = y + (i64)block * chunks * R * L;
    GLOBAL u32 *result = digits + (i64)block * groups * R * L;
    THREADS (t) {
        u64 parts = 0;
        int there = first + t < n;
        for (int i = 0; i < primes; i++) {
            GLOBAL const u32 *own = constants + 4 * i;
            u32 r = there ? residues[(i64)i * stride + from + first + t] : 0;
            u32 x = fold(times(r, own[1], own[2], own[0]), own[0]);
            tile[i * L + t] = x;
            parts += ((u64)x * own[3]) >> 20;
            OPS(1);
        }
        tile[primes * L + t] = (parts + ((u64)1 << 41)) >> 42;
        for (int i = primes + 1; i < chunks * R; i++)
            tile[i * L + t] = 0;
        carry[t] = 0;
    }
    for (int group = 0; group < groups; group++) {
        GLOBAL const u64 *table = weights + (i64)group * chunks * R * R;
        THREADS (t) {
            SUMS(tile, table)
        }
        THREADS (t) {
            u64 more = carry[t];
            EACH (k, R) {
                u64 sum = lows[k][t] + (more & LOWER);
                result[(group * R + k) * L + t] = (u32)sum & DIGIT;
                more = (sum >> 30) + ((highs[k][t] + (more >> 32)) << 2);
                OPS(1);
            }
            carry[t] = more;
        }
    }
}

/* The tiles of such numbers as `size` limbs of their absolute value, and whether they are negative. */
KERNEL void pack(GLOBAL const u32 *digits, GLOBAL u32 *limbs, GLOBAL u32 *negative, int n, int rows, int size)
{
    GLOBAL const u32 *tile = digits + (i64)block * rows * L;
    THREADS (t, 0, n - block * L) {
        int c = block * L + t, have = 0, k = 0;
        u32 minus = tile[(rows - 1) * L + t] >> 29, turn = minus ? DIGIT : 0, carry = minus;
        u64 bits = 0;
        for (int j = 0; j < rows; j++) {
            u32 digit = (tile[j * L + t] ^ turn) + carry;
            carry = digit >> 30;
            bits |= (u64)(digit & DIGIT) << have;
            have += 30;
            if (have >= 32) {
                limbs[(i64)c * size + k] = (u32)bits;
                bits >>= 32;
                have -= 32;
                k++;
            }
            OPS(1);
        }
        for (; k < size; k++) {
            limbs[(i64)c * size + k] = (u32)bits;
            bits >>= 32;
        }
        negative[c] = minus;
    }
}
