/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of wide.h. */
#include "integer/wide.h"
#include "integer/integer.h"

enum { LANES = 8 };

#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

#define WIDE           __attribute__((target("avx512f,avx512dq,avx512vl,avx512ifma")))
#define INLINE         WIDE static inline __attribute__((always_inline))
#define EACH(k, count) _Pragma("GCC unroll 16") for (int k = 0; k < (count); k++)
enum { V = WIDE_TILE / LANES, VB = WIDE_TILE_BACK / LANES, SPAN = 8 };

typedef __m512i lanes;

INLINE lanes low(lanes sum, lanes x, lanes y) /* the lower 52 bits of x y, and those above them, added to the sum */
{
    return _mm512_madd52lo_epu64(sum, x, y);
}

INLINE lanes high(lanes sum, lanes x, lanes y)
{
    return _mm512_madd52hi_epu64(sum, x, y);
}

INLINE lanes all_of(uint64_t x)
{
    return _mm512_set1_epi64((long long)x);
}

INLINE lanes digit_of(lanes x)
{
    return _mm512_and_si512(x, all_of(((uint64_t)1 << WIDE_BITS) - 1));
}

INLINE lanes less_once(lanes x, lanes p) /* x below 2 p, modulo p */
{
    return _mm512_min_epu64(x, _mm512_sub_epi64(x, p));
}

INLINE __mmask8 first_lanes(int64_t count)
{
    return (__mmask8)(count <= 0 ? 0 : count >= LANES ? 0xff : (1 << count) - 1);
}

/* ---- There ------------------------------------------------------------------------------------------------------- */

/* Eight rows of eight numbers by columns. */
INLINE void turn(lanes x[LANES])
{
    lanes pairs[2][LANES / 2];
    EACH (i, LANES / 2) {
        pairs[0][i] = _mm512_unpacklo_epi64(x[2 * i], x[2 * i + 1]);
        pairs[1][i] = _mm512_unpackhi_epi64(x[2 * i], x[2 * i + 1]);
    }
    EACH (i, 2) {
        const lanes a = _mm512_shuffle_i64x2(pairs[i][0], pairs[i][1], 0x44);
        const lanes b = _mm512_shuffle_i64x2(pairs[i][2], pairs[i][3], 0x44);
        const lanes c = _mm512_shuffle_i64x2(pairs[i][0], pairs[i][1], 0xee);
        const lanes d = _mm512_shuffle_i64x2(pairs[i][2], pairs[i][3], 0xee);
        x[i] = _mm512_shuffle_i64x2(a, b, 0x88);
        x[i + 2] = _mm512_shuffle_i64x2(a, b, 0xdd);
        x[i + 4] = _mm512_shuffle_i64x2(c, d, 0x88);
        x[i + 6] = _mm512_shuffle_i64x2(c, d, 0xdd);
    }
}

/* Digits of `left` coefficients of `size` limbs of 64 bits, from bit `bit` on: `rows` rows, with `space` for their
 * limbs. */
WIDE static void unpack(const uint64_t *limbs, int64_t size, int64_t left, int64_t bit, int64_t rows, lanes (*tile)[V],
                        lanes (*space)[V])
{
    const int64_t first = bit / 64, count = (bit % 64 + WIDE_BITS * rows) / 64 + 2;
    for (int v = 0; v < V; v++) {
        for (int64_t l = 0; l < count; l += LANES) {
            lanes eight[LANES];
            EACH (t, LANES) {
                const __mmask8 mask = first_lanes(LANES * v + t < left ? size - first - l : 0);
                eight[t] = _mm512_maskz_loadu_epi64(mask, limbs + (LANES * v + t) * size + first + l);
            }
            turn(eight);
            EACH (i, LANES)
                space[l + i][v] = eight[i];
        }
        for (int64_t j = 0; j < rows; j++) {
            const int64_t at = bit % 64 + WIDE_BITS * j, k = at / 64, shift = at % 64;
            const lanes x = _mm512_srl_epi64(space[k][v], _mm_cvtsi64_si128(shift));
            const lanes y = _mm512_sll_epi64(space[k + 1][v], _mm_cvtsi64_si128(64 - shift));
            tile[j][v] = digit_of(_mm512_or_si512(x, y));
        }
    }
}

/* Sums over digits times weights, by place: sum[0] + 2^52 sum[1] + ....  The first digits count as they are. */
INLINE void sums_of(lanes (*tile)[V], int64_t rows, const uint64_t *weights, lanes sum[WIDE_LIMBS + 1][V])
{
    EACH (k, WIDE_LIMBS + 1)
        EACH (v, V)
            sum[k][v] = k < WIDE_LIMBS && k < rows ? tile[k][v] : _mm512_setzero_si512();
    for (int64_t j = WIDE_LIMBS; j < rows; j++) {
        lanes x[V];
        EACH (v, V)
            x[v] = tile[j][v];
        EACH (k, WIDE_LIMBS) {
            const lanes w = all_of(weights[WIDE_LIMBS * j + k]);
            EACH (v, V)
                sum[k][v] = low(sum[k][v], x[v], w);
            EACH (v, V)
                sum[k + 1][v] = high(sum[k + 1][v], x[v], w);
        }
    }
    EACH (k, WIDE_LIMBS)
        EACH (v, V) {
            sum[k + 1][v] = _mm512_add_epi64(sum[k + 1][v], _mm512_srli_epi64(sum[k][v], WIDE_BITS));
            sum[k][v] = digit_of(sum[k][v]);
        }
}

/* Digits modulo one prime. */
INLINE lanes residue_of(const lanes digits[WIDE_PLACES], const uint64_t *own)
{
    const lanes p = all_of(own[0]), zero = _mm512_setzero_si512();
    lanes quotient = zero, x = zero;
    EACH (k, WIDE_PLACES) {
        x = low(x, digits[k], all_of(own[2 + 2 * k]));
        if (k < WIDE_PLACES - 1) quotient = high(quotient, digits[k], all_of(own[3 + 2 * k]));
    }
    x = digit_of(_mm512_sub_epi64(x, low(zero, quotient, p))); /* below 2^13 p, as the last digit has 12 bits */
    x = _mm512_sub_epi64(x, low(zero, high(zero, x, all_of(own[1])), p));
    return less_once(x, p);
}

WIDE static void run_remainders(const mmm_value *a, const mmm_call *call)
{
    const uint64_t *limbs = a[0].array;
    const uint32_t *negative = a[1].array;
    const uint64_t *weights = a[2].array, *constants = a[3].array;
    uint32_t *residues = a[4].array;
    const int64_t n = a[5].integer, size = a[6].integer / 2, rows = a[7].integer, primes = a[8].integer,
                  stride = a[9].integer, from = a[10].integer, apart = a[11].integer;
    const int64_t parts = (n + WIDE_TILE - 1) / WIDE_TILE;
    lanes(*tile)[V] = (void *)call->scratch->memory;
    for (int block = call->first; block < call->last; block++) {
        const int64_t piece = block / parts, first = block % parts * WIDE_TILE;
        uint32_t *to = residues + from + piece * apart + first;
        unpack(limbs + first * size, size, n - first, piece * WIDE_BITS * rows, rows, tile, tile + rows);
        for (int64_t i = 0; i < primes; i += GROUP) {
            lanes sum[WIDE_LIMBS + 1][V];
            sums_of(tile, rows, weights + i / GROUP * rows * WIDE_LIMBS, sum);
            EACH (v, V) {
                const __mmask8 mask = first_lanes(n - first - LANES * v);
                const __mmask8 minus = _mm512_mask_test_epi64_mask(
                    mask, all_of(1),
                    _mm512_cvtepu32_epi64(_mm256_maskz_loadu_epi32(mask, negative + first + LANES * v)));
                lanes digits[WIDE_PLACES];
                EACH (k, WIDE_LIMBS)
                    digits[k] = sum[k][v];
                digits[WIDE_LIMBS] = digit_of(sum[WIDE_LIMBS][v]);
                digits[WIDE_LIMBS + 1] = _mm512_srli_epi64(sum[WIDE_LIMBS][v], WIDE_BITS);
                for (int64_t k = i; k < mmm_lesser(i + GROUP, primes); k++) {
                    const uint64_t *own = constants + k * WIDE_THERE;
                    const lanes p = all_of(own[0]), x = residue_of(digits, own);
                    const lanes y = _mm512_mask_sub_epi64(x, _mm512_mask_test_epi64_mask(minus, x, x), p, x);
                    _mm512_mask_cvtepi64_storeu_epi32(to + k * stride + LANES * v, mask, y);
                }
            }
        }
    }
}

/* ---- And back ---------------------------------------------------------------------------------------------------- */

/* The residues of a group as one modulo the product of its primes: its digits, and what they are of that product, in
 * parts of 2^30. */
INLINE lanes join(const uint32_t *residues, int64_t stride, int64_t count, __mmask8 mask, const uint64_t *constants,
                  const uint64_t *others, lanes (*z)[VB], int v)
{
    const lanes zero = _mm512_setzero_si512();
    lanes z0 = zero, z1 = zero, z2 = zero, share = zero;
    for (int64_t i = 0; i < count; i++) {
        const uint64_t *own = constants + i * WIDE_BACK;
        const lanes p = all_of(own[0]), c0 = all_of(own[4]), c1 = all_of(own[5]), c2 = all_of(own[6]);
        const lanes r = _mm512_cvtepu32_epi64(_mm256_maskz_loadu_epi32(mask, residues + i * stride));
        __builtin_prefetch(residues + i * stride + WIDE_TILE_BACK); /* for the next block */
        const lanes q = high(zero, r, all_of(own[2]));
        const lanes y = less_once(digit_of(_mm512_sub_epi64(low(zero, r, all_of(own[1])), low(zero, q, p))), p);
        share = high(share, y, all_of(own[3]));
        z0 = low(z0, y, c0);
        z1 = high(low(z1, y, c1), y, c0);
        z2 = high(low(z2, y, c2), y, c1);
    }
    const lanes whole = _mm512_srli_epi64(share, 30), m0 = all_of(others[0]), m1 = all_of(others[1]);
    z0 = low(z0, whole, m0);
    z1 = high(low(z1, whole, m1), whole, m0);
    z2 = high(low(z2, whole, all_of(others[2])), whole, m1);
    z1 = _mm512_add_epi64(z1, _mm512_srli_epi64(z0, WIDE_BITS));
    z2 = _mm512_add_epi64(z2, _mm512_srli_epi64(z1, WIDE_BITS));
    z[0][v] = digit_of(z0);
    z[1][v] = digit_of(z1);
    z[2][v] = digit_of(z2);
    return _mm512_and_si512(share, all_of(((uint64_t)1 << 30) - 1));
}

/* `count` digits of the sum over all groups of z times weights, added to sums; what is carried to the next, and the
 * last of them. */
INLINE void multiply(lanes (*z)[VB], int64_t groups, int64_t row, const uint64_t *weights, const lanes less[VB],
                     int count, lanes carry[VB], lanes top[VB], lanes (*sums)[VB])
{
    lanes sum[SPAN][VB];
    const uint64_t *minus = weights + groups * row;
    EACH (d, count)
        EACH (v, VB)
            sum[d][v] = high(low(_mm512_setzero_si512(), less[v], all_of(minus[d])), less[v], all_of(minus[d - 1]));
    for (int64_t g = 0; g < groups; g++) {
        lanes x[WIDE_LIMBS][VB];
        EACH (k, WIDE_LIMBS)
            EACH (v, VB)
                x[k][v] = z[WIDE_LIMBS * g + k][v];
        EACH (i, count + WIDE_HALO) {
            const int e = i - WIDE_HALO;
            const lanes w = all_of(weights[g * row + e]);
            EACH (k, WIDE_LIMBS)
                EACH (v, VB)
                    if (e + k >= 0 && e + k < count) sum[e + k][v] = low(sum[e + k][v], x[k][v], w);
            EACH (k, WIDE_LIMBS)
                EACH (v, VB)
                    if (e + k + 1 >= 0 && e + k + 1 < count) sum[e + k + 1][v] = high(sum[e + k + 1][v], x[k][v], w);
        }
    }
    EACH (d, count)
        EACH (v, VB) {
            const lanes x = _mm512_add_epi64(sum[d][v], carry[v]);
            carry[v] = _mm512_srli_epi64(x, WIDE_BITS);
            top[v] = digit_of(x);
            sums[d][v] = _mm512_add_epi64(sums[d][v], top[v]);
        }
}

#define MULTIPLY(count) \
    case count: multiply(z, groups, row, at, less, count, carry, top, to); break;

/* A piece of the coefficients of a tile, added to sums from its place on; it is negative where its highest bit is set.
 */
WIDE static void add_piece(const wide_back *x, const uint32_t *residues, int64_t left, const uint64_t *constants,
                           const uint64_t *others, const uint64_t *weights, lanes (*z)[VB], lanes (*sums)[VB])
{
    const int64_t groups = (x->primes + GROUP - 1) / GROUP, row = x->rows + WIDE_HALO;
    lanes less[VB], carry[VB], top[VB] = {0};
    for (int v = 0; v < VB; v++) {
        lanes share = all_of(1 << 29);
        for (int64_t g = 0; g < groups; g++)
            share = _mm512_add_epi64(share, join(residues + g * GROUP * x->stride + LANES * v, x->stride,
                                                 mmm_lesser(GROUP, x->primes - g * GROUP),
                                                 first_lanes(left - LANES * v), constants + g * GROUP * WIDE_BACK,
                                                 others + g * WIDE_LIMBS, z + WIDE_LIMBS * g, v));
        less[v] = _mm512_srli_epi64(share, 30);
        carry[v] = _mm512_setzero_si512();
    }
    for (int64_t d = 0; d < x->rows; d += SPAN) {
        const uint64_t *at = weights + WIDE_HALO + d;
        lanes(*to)[VB] = sums + d;
        switch (mmm_lesser(SPAN, x->rows - d)) {
            MULTIPLY(8)
            MULTIPLY(7)
            MULTIPLY(6)
            MULTIPLY(5)
            MULTIPLY(4)
            MULTIPLY(3)
            MULTIPLY(2)
            MULTIPLY(1)
        }
    }
    for (int v = 0; v < VB; v++) {
        const __mmask8 minus = _mm512_test_epi64_mask(top[v], all_of((uint64_t)1 << (WIDE_BITS - 1)));
        sums[x->rows][v] = _mm512_mask_sub_epi64(sums[x->rows][v], minus, sums[x->rows][v], all_of(1));
    }
}

/* Sums of digits, or digits where there is one piece, as digits of absolute values, and which are negative: those whose
 * highest bit is set. */
WIDE static __mmask8 settle(lanes (*sums)[VB], int64_t all, bool carried, int v)
{
    lanes carry = _mm512_setzero_si512();
    for (int64_t j = 0; !carried && j < all; j++) {
        const lanes x = _mm512_add_epi64(sums[j][v], carry);
        carry = _mm512_srai_epi64(x, WIDE_BITS);
        sums[j][v] = digit_of(x);
    }
    const __mmask8 minus = _mm512_test_epi64_mask(sums[all - 1][v], all_of((uint64_t)1 << (WIDE_BITS - 1)));
    const lanes turn = _mm512_maskz_mov_epi64(minus, digit_of(all_of(~(uint64_t)0)));
    carry = _mm512_maskz_mov_epi64(minus, all_of(1));
    for (int64_t j = 0; minus && j < all; j++) {
        const lanes x = _mm512_add_epi64(_mm512_xor_si512(sums[j][v], turn), carry);
        carry = _mm512_srli_epi64(x, WIDE_BITS);
        sums[j][v] = digit_of(x);
    }
    return minus;
}

/* Limb number l of 64 bits out of digits, 0 behind the last. */
INLINE lanes limb_of(lanes (*sums)[VB], int64_t all, int64_t l, int v)
{
    const int64_t j = 64 * l / WIDE_BITS, shift = 64 * l % WIDE_BITS;
    if (j >= all) return _mm512_setzero_si512(); /* two digits of 0 are behind the last */
    const lanes x = _mm512_srl_epi64(sums[j][v], _mm_cvtsi64_si128(shift));
    const lanes y = _mm512_sll_epi64(sums[j + 1][v], _mm_cvtsi64_si128(WIDE_BITS - shift));
    const lanes z = _mm512_sll_epi64(sums[j + 2][v], _mm_cvtsi64_si128(2 * WIDE_BITS - shift));
    return _mm512_or_si512(x, _mm512_or_si512(y, z));
}

WIDE static void run_reconstruct(const mmm_value *a, const mmm_call *call)
{
    const uint32_t *residues = a[0].array;
    const uint64_t *constants = a[1].array, *others = a[2].array, *weights = a[3].array;
    uint64_t *limbs = a[4].array;
    uint32_t *negative = a[5].array;
    const wide_back x = {.n = a[6].integer,
                         .size = a[7].integer / 2,
                         .rows = a[8].integer,
                         .primes = a[9].integer,
                         .stride = a[10].integer,
                         .pieces = a[12].integer,
                         .per = a[13].integer,
                         .all = a[14].integer};
    const int64_t from = a[11].integer, groups = (x.primes + GROUP - 1) / GROUP;
    lanes(*z)[VB] = (void *)call->scratch->memory, (*sums)[VB] = z + WIDE_LIMBS * groups;
    const int64_t room = (x.pieces - 1) * x.per + x.rows + 1; /* at least */
    for (int block = call->first; block < call->last; block++) {
        const int64_t first = (int64_t)block * WIDE_TILE_BACK, left = mmm_lesser(x.n - first, WIDE_TILE_BACK);
        memset(sums, 0, (size_t)((room > x.all ? room : x.all) + 2) * sizeof *sums);
        for (int64_t i = 0; i < x.pieces; i++)
            add_piece(&x, residues + from + i * x.n + first, left, constants, others, weights, z, sums + i * x.per);
        memset(sums + x.all, 0, 2 * sizeof *sums);
        uint64_t *to = limbs + first * x.size;
        for (int v = 0; v < VB; v++) {
            const int64_t here = mmm_lesser(left - LANES * v, LANES);
            const __mmask8 minus = settle(sums, x.all, x.pieces == 1, v);
            for (int64_t t = 0; t < here; t++)
                negative[first + LANES * v + t] = minus >> t & 1;
            for (int64_t l = 0; l < x.size && here > 0; l += LANES) {
                lanes eight[LANES];
                EACH (i, LANES)
                    eight[i] = limb_of(sums, x.all, l + i, v);
                turn(eight);
                EACH (t, LANES)
                    if (t < here)
                        _mm512_mask_storeu_epi64(to + (LANES * v + t) * x.size + l, first_lanes(x.size - l), eight[t]);
            }
        }
    }
}

int mmm_digit_bits(const mmm_machine *machine)
{
    const bool wide = machine->type == &mmm_machine_cpu && mmm_cpu_isa() == MMM_ISA_V4;
    return wide && __builtin_cpu_supports("avx512ifma") ? WIDE_BITS : DIGIT_BITS;
}

static mmm_entry *const entries[] = {run_remainders, run_reconstruct};
#else
static mmm_entry *const entries[2];

int mmm_digit_bits(const mmm_machine *machine)
{
    (void)machine;
    return DIGIT_BITS;
}
#endif

/* ---- Records ----------------------------------------------------------------------------------------------------- */

#define EVERYWHERE                         \
    {                                      \
        entries, entries, entries, entries \
    }
#define ARRAY(name, type, written)               \
    {                                            \
        name, MMM_PARAMETER_ARRAY, type, written \
    }
#define NUMBER(name)                           \
    {                                          \
        name, MMM_PARAMETER_SCALAR, MMM_I64, 0 \
    }

static const mmm_kernel_parameter parameters_there[] = {ARRAY("limbs", MMM_U32, 0),
                                                        ARRAY("negative", MMM_U32, 0),
                                                        ARRAY("weights", MMM_U64, 0),
                                                        ARRAY("constants", MMM_U64, 0),
                                                        ARRAY("residues", MMM_U32, 1),
                                                        NUMBER("n"),
                                                        NUMBER("size"),
                                                        NUMBER("rows"),
                                                        NUMBER("primes"),
                                                        NUMBER("stride"),
                                                        NUMBER("from"),
                                                        NUMBER("apart")};
static const mmm_kernel_parameter parameters_back[] = {ARRAY("residues", MMM_U32, 0),
                                                       ARRAY("constants", MMM_U64, 0),
                                                       ARRAY("others", MMM_U64, 0),
                                                       ARRAY("weights", MMM_U64, 0),
                                                       ARRAY("limbs", MMM_U32, 1),
                                                       ARRAY("negative", MMM_U32, 1),
                                                       NUMBER("n"),
                                                       NUMBER("size"),
                                                       NUMBER("rows"),
                                                       NUMBER("primes"),
                                                       NUMBER("stride"),
                                                       NUMBER("from"),
                                                       NUMBER("pieces"),
                                                       NUMBER("per"),
                                                       NUMBER("all")};

static const mmm_kernel kernels[] = {{.name = "wide_remainders",
                                      .file = "wide.c",
                                      .parameters = parameters_there,
                                      .parameter_count = sizeof parameters_there / sizeof *parameters_there,
                                      .dimensions = 1,
                                      .compiled = {EVERYWHERE, EVERYWHERE}},
                                     {.name = "wide_reconstruct",
                                      .file = "wide.c",
                                      .parameters = parameters_back,
                                      .parameter_count = sizeof parameters_back / sizeof *parameters_back,
                                      .dimensions = 1,
                                      .index = 1,
                                      .compiled = {EVERYWHERE, EVERYWHERE}}};

mmm_status mmm_wide_remainders(mmm_program *program, const wide_there *x)
{
    const mmm_value arguments[] = {{.number = x->limbs.number},    {.number = x->negative.number},
                                   {.number = x->weights.number},  {.number = x->constants.number},
                                   {.number = x->residues.number}, {.integer = x->n},
                                   {.integer = x->size},           {.integer = x->rows},
                                   {.integer = x->primes},         {.integer = x->stride},
                                   {.integer = x->from},           {.integer = x->apart}};
    const int64_t blocks = (x->n + WIDE_TILE - 1) / WIDE_TILE * x->pieces;
    return mmm_program_launch(program, &kernels[0], (mmm_grid){blocks, 1, WIDE_TILE, 1},
                              (mmm_local){.bytes = (2 * x->rows + 2 + LANES) * WIDE_TILE * 8}, arguments);
}

mmm_status mmm_wide_reconstruct(mmm_program *program, const wide_back *x)
{
    const mmm_value arguments[] = {{.number = x->residues.number},
                                   {.number = x->constants.number},
                                   {.number = x->others.number},
                                   {.number = x->weights.number},
                                   {.number = x->limbs.number},
                                   {.number = x->negative.number},
                                   {.integer = x->n},
                                   {.integer = x->size},
                                   {.integer = x->rows},
                                   {.integer = x->primes},
                                   {.integer = x->stride},
                                   {.integer = x->from},
                                   {.integer = x->pieces},
                                   {.integer = x->per},
                                   {.integer = x->all}};
    const int64_t blocks = (x->n + WIDE_TILE_BACK - 1) / WIDE_TILE_BACK;
    const int64_t room = (x->pieces - 1) * x->per + x->rows + 1;
    const int64_t rows = WIDE_LIMBS * ((x->primes + GROUP - 1) / GROUP) + (room > x->all ? room : x->all) + 2;
    return mmm_program_launch(program, &kernels[1], (mmm_grid){blocks, 1, WIDE_TILE_BACK, 1},
                              (mmm_local){.bytes = rows * WIDE_TILE_BACK * 8}, arguments);
}
