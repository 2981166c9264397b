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

/* Coefficients as they lie in memory, `size` limbs of 32 bits each, into tiles of R `chunks` rows, 0 where there is no
 * coefficient or no limb.  Of a coefficient `per` digits are a piece, and each piece has tiles of its own.  A block
 * does R rows of a tile. */
KERNEL void unpack(GLOBAL const u32 *limbs, GLOBAL u64 *digits, int n, int size, int chunks, int per)
{
    int parts = (n + L - 1) / L, number = block / chunks, piece = number / parts, first = number % parts * L;
    GLOBAL u64 *tile = digits + (i64)block * R * L;
    REGION
    {
        EACH (e, R) {
            int j = block % chunks * R + e;
            i64 bit = (i64)30 * (per * piece + j);
            int k = (int)(bit / 32), shift = (int)(bit % 32), low = j < per && k < size, high = j < per && k + 1 < size;
            GLOBAL const u32 *from = limbs + (i64)first * size + (low ? k : 0);
            if (high)
                THREADS (t, 0, n - first)
                    tile[e * L + t] = ((from[t * size] | (u64)from[t * size + 1] << 32) >> shift) & DIGIT;
            else if (low)
                THREADS (t, 0, n - first)
                    tile[e * L + t] = from[t * size] >> shift & DIGIT;
            else
                THREADS (t, 0, n - first)
                    tile[e * L + t] = 0;
            THREADS (t, n - first, L)
                tile[e * L + t] = 0;
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
 * each with its quotient.  The residues of a prime begin `stride` from those of the one before, at `from`, and those of
 * a piece `apart` from those of the one before. */
KERNEL void remainders(GLOBAL const u64 *digits, GLOBAL const u32 *negative, GLOBAL const u64 *weights,
                       GLOBAL const u32 *constants, GLOBAL u32 *residues, int n, int primes, int chunks, int parts,
                       int pieces, int stride, int from, int apart)
{
    LOCAL u64 lows[R][L], highs[R][L];
    int part = block % (parts * pieces), group = block / (parts * pieces), first = part % parts * L;
    GLOBAL const u64 *tile = digits + (i64)part * chunks * R * L, *table = weights + (i64)group * chunks * R * R;
    i64 to = (i64)from + (i64)(part / parts) * apart + first;
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
            if (group * R + k < primes) residues[(i64)(group * R + k) * stride + to + t] = r;
            OPS(3);
        }
    }
}

/* Coefficients from their residues r modulo primes p with the product M: with y = r / (M / p) mod p, the sum of all
 * y M / p less M times the integer next to the sum of all y / p, where no coefficient is larger than M / 4.  Here the y
 * of R primes a block, of L coefficients, into tiles of R `chunks` rows.  `constants` are, of each prime, itself, the
 * factor of residues, its quotient, and 2^62 / p. */
KERNEL void scale(GLOBAL const u32 *residues, GLOBAL const u32 *constants, GLOBAL u64 *y, int n, int primes, int chunks,
                  int stride, int from)
{
    LOCAL u32 row[L];
    int parts = (n + L - 1) / L, number = block / chunks, first = number % parts * L;
    i64 at = (i64)from + (i64)(number / parts) * n + first;
    GLOBAL u64 *tile = y + (i64)block * R * L;
    EACH (e, R) {
        int i = block % chunks * R + e, there = i < primes;
        GLOBAL const u32 *own = constants + 4 * (there ? i : 0);
        u32 p = own[0], factor = own[1], quotient = own[2];
        REGION
        {
            THREADS (t, 0, there ? n - first : 0)
                row[t] = residues[(i64)i * stride + at + t];
            THREADS (t, there ? n - first : 0, L)
                row[t] = 0;
            LANES (u32, t) {
                u32_lanes r = lanes_load(row[t]);
                lanes_store(row[t], fold(times(r, factor, quotient, p), p));
                OPS(1);
            }
            THREADS (t)
                tile[e * L + t] = row[t];
        }
    }
}

/* The multiples of M, in the row behind the last prime's. */
KERNEL void quotients(GLOBAL u64 *y, GLOBAL const u32 *constants, int primes, int chunks)
{
    GLOBAL u64 *tile = y + (i64)block * chunks * R * L;
    THREADS (t) {
        u64 sum = (u64)1 << 41;
        for (int i = 0; i < primes; i += R) {
            u64 x[R];
            EACH (e, R)
                x[e] = tile[(i + e) * L + t];
            EACH (e, R)
                sum += (x[e] * (i + e < primes ? constants[4 * (i + e) + 3] : 0)) >> 20;
            OPS(R);
        }
        tile[primes * L + t] = sum >> 42;
    }
}

/* Sums over all rows, for R digits a block: low + 2^32 high of each. */
KERNEL void digit_sums(GLOBAL const u64 *y, GLOBAL const u64 *weights, GLOBAL u32 *low_sums, GLOBAL u64 *high_sums,
                       int chunks, int groups)
{
    LOCAL u64 lows[R][L], highs[R][L];
    int group = block % groups;
    GLOBAL const u64 *tile = y + (i64)(block / groups) * chunks * R * L, *table = weights + (i64)group * chunks * R * R;
    i64 to = (i64)block * R * L;
    THREADS (t) {
        SUMS(tile, table)
    }
    THREADS (t)
        EACH (k, R) {
            low_sums[to + k * L + t] = (u32)lows[k][t];
            high_sums[to + k * L + t] = highs[k][t];
        }
}

/* Their digits, of numbers modulo a power of 2. */
KERNEL void carry(GLOBAL const u32 *low_sums, GLOBAL const u64 *high_sums, GLOBAL u32 *digits, int groups)
{
    i64 first = (i64)block * groups * R * L;
    THREADS (t) {
        u64 more = 0;
        for (int i = 0; i < groups * R; i += R) {
            i64 at = first + (i64)i * L + t;
            u64 low[R], high[R];
            EACH (e, R) {
                low[e] = low_sums[at + e * L];
                high[e] = high_sums[at + e * L];
            }
            EACH (e, R) {
                u64 sum = low[e] + (more & LOWER);
                digits[at + e * L] = (u32)sum & DIGIT;
                more = (sum >> 30) + ((high[e] + (more >> 32)) << 2);
            }
            OPS(R);
        }
    }
}

/* Numbers out of such tiles of pieces, `pieces` for each, which overlap: piece i counts from digit number per i on, and
 * its highest bit is its sign.  There are `rows` of the pieces and `all` of the numbers. */
KERNEL void gather(GLOBAL const u32 *digits, GLOBAL u32 *sums, int pieces, int per, int rows, int all)
{
    LOCAL i64 carry[L];
    GLOBAL const u32 *tile = digits + (i64)block * rows * L;
    GLOBAL u32 *result = sums + (i64)block * all * L;
    i64 apart = (i64)blocks * rows * L;
    REGION
    {
        THREADS (t)
            carry[t] = 0;
        for (int j = 0; j < all; j += R) {
            int begin = max((j - rows) / per, 0), end = min((j + R - 1) / per, pieces - 1), here = min(all - j, R);
            THREADS (t) { /* loads before stores, of digits whether they are there or not */
                i64 sum[R], more = carry[t];
                EACH (e, R)
                    sum[e] = 0;
                for (int i = begin; i <= end; i++) {
                    GLOBAL const u32 *own = tile + i * apart;
                    u32 x[R], minus = own[(rows - 1) * L + t] >> 29;
                    EACH (e, R)
                        x[e] = own[min(max(j + e - per * i, 0), rows - 1) * L + t];
                    EACH (e, R) {
                        int at = j + e - per * i;
                        sum[e] += at >= 0 && at < rows ? x[e] : 0;
                        sum[e] -= at == rows ? minus : 0;
                    }
                    OPS(R);
                }
                EACH (e, R) {
                    more += sum[e];
                    if (e < here) result[(j + e) * L + t] = (u32)more & DIGIT;
                    more >>= 30;
                }
                carry[t] = more;
            }
        }
    }
}

/* The tiles of such numbers as `size` limbs of their absolute value, and whether they are negative. */
KERNEL void pack(GLOBAL u32 *digits, GLOBAL u32 *limbs, GLOBAL u32 *negative, int n, int rows, int size)
{
    LOCAL u32 carry[L], turn[L];
    int first = block * L;
    GLOBAL u32 *tile = digits + (i64)block * rows * L;
    REGION
    {
        THREADS (t) {
            carry[t] = tile[(rows - 1) * L + t] >> 29;
            turn[t] = carry[t] ? DIGIT : 0;
        }
        THREADS (t, 0, n - first)
            negative[first + t] = carry[t];
        for (int j = 0; j + R <= rows; j += R)
            THREADS (t) { /* loads before stores: those of a device take long */
                u32 x[R], more = carry[t];
                EACH (e, R)
                    x[e] = tile[(j + e) * L + t];
                EACH (e, R) {
                    u32 digit = (x[e] ^ turn[t]) + more;
                    more = digit >> 30;
                    tile[(j + e) * L + t] = digit & DIGIT;
                }
                carry[t] = more;
                OPS(R);
            }
        for (int j = rows / R * R; j < rows; j++)
            THREADS (t) {
                u32 digit = (tile[j * L + t] ^ turn[t]) + carry[t];
                carry[t] = digit >> 30;
                tile[j * L + t] = digit & DIGIT;
                OPS(1);
            }
        for (int k = 0; k < size; k += R) {
            int j = 32 * k / 30, here = min(size - k, R);
            GLOBAL u32 *to = limbs + (i64)first * size + k;
            THREADS (t, 0, n - first) {
                u32 x[R + 2];
                EACH (e, R + 2)
                    x[e] = tile[min(j + e, rows - 1) * L + t];
                EACH (e, R + 2)
                    x[e] = j + e < rows ? x[e] : 0;
                EACH (e, R) { /* limb k + e begins so many bits behind digit j + e, 42 at most */
                    int shift = 32 * k % 30 + 2 * e;
                    u64 two = x[e] | (u64)x[e + 1] << 30;
                    if (e < here) to[t * size + e] = (u32)(two >> shift | (u64)x[e + 2] << (60 - shift));
                }
            }
        }
    }
}
