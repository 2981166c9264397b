/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting, fast: digits of s bits, the last one first. */
#include <mmm/app.h>

#include "kernels.h"

#include <string.h>

enum { KEYS, VALUES };          /* inputs and outputs */
enum { COUNTS_MOST = 1 << 30 }; /* their numbers are ints in kernels */
enum { SURPLUS = 6 };           /* bits that random keys of a bucket need beyond log2 of their number to be in order */
enum { MANY = 32 };             /* buckets of a block: some of them tell of the others */

/* How counts of digits become places: by a kernel that adds them up; by each block for itself; and with the counts of
 * the next digit made while the keys move.  Or buckets by the first b bits, each of which a block of one thread then
 * sorts. */
enum { ADD_UP = 1, BY_BLOCK, AHEAD, BUCKETS };

typedef struct arrays {
    mmm_word_array keys[2], values[2]; /* from, to; where there are no values, the keys stand for them */
    mmm_u64_array pairs[2];            /* keys and values of 32 bits in buckets have these instead of a second place */
    mmm_u32_array counts, totals, starts;
} arrays;

static void swap(arrays *x)
{
    mmm_word_array key = x->keys[0], value = x->values[0];
    x->keys[0] = x->keys[1];
    x->values[0] = x->values[1];
    x->keys[1] = key;
    x->values[1] = value;
}

static mmm_status check_bits(const mmm_job *job, int input, int64_t bits)
{
    int64_t count;
    const uint64_t *x = mmm_job_given(job, input, &count);
    for (int64_t i = 0; x && i < count && bits < 64; i++)
        if (x[i] >> bits)
            return mmm_fail(MMM_INVALID, "%s: number %lld, %llu, has more than %lld bits",
                            mmm_job_app(job)->inputs[input].name, (long long)i, (unsigned long long)x[i],
                            (long long)bits);
    return MMM_OK;
}

static mmm_status settle(mmm_job *job)
{
    int64_t n = mmm_job_get(job, "n"), l = mmm_job_get(job, "l"), e = mmm_job_get(job, "e");
    int64_t s = mmm_job_get(job, "s"), bits = mmm_job_get(job, "bits"), method = mmm_job_get(job, "method");
    int64_t tile = method == BUCKETS ? e : l * e, tables = method == AHEAD ? (bits + s - 1) / s : 1;
    int64_t room = (n + tile - 1) / tile * tables * (method == BUCKETS ? mmm_job_get(job, "b") : (int64_t)1 << s);
    MMM_TRY(check_bits(job, KEYS, bits));
    MMM_TRY(check_bits(job, VALUES, bits));
    if (room <= COUNTS_MOST) return MMM_OK;
    return mmm_fail(MMM_TOO_LARGE, "%lld keys in tiles of %lld need %lld counts: %d are possible; take a larger e or l",
                    (long long)n, (long long)tile, (long long)room, COUNTS_MOST);
}

static int bits_of(int64_t x)
{
    int bits = 0;
    for (; x > 0; x /= 2)
        bits++;
    return bits;
}

/* Whether a key and its value are sorted as one number. */
static int in_pairs(const mmm_job *job)
{
    return mmm_job_get(job, "method") == BUCKETS && mmm_job_get(job, "b") > 1 && mmm_job_get(job, "bits") == 32 &&
           mmm_job_get(job, "values");
}

/* Tiles of l e keys, digit by digit. */
static mmm_status build_tiles(mmm_job *job, mmm_program *program, arrays *x, int64_t n, int pairs)
{
    int64_t bits = mmm_job_get(job, "bits"), s = mmm_job_get(job, "s"), passes = (bits + s - 1) / s;
    int64_t l = mmm_job_get(job, "l"), e = mmm_job_get(job, "e"), method = mmm_job_get(job, "method");
    int64_t tiles = (n + l * e - 1) / (l * e), parts = method != ADD_UP && l >> s > 1 ? l >> s : 1;
    if (tiles > 1) {
        MMM_TRY(mmm_job_array(job, "counts", (tiles << s) * (method == AHEAD ? passes : 1), MMM_WORK, &x->counts));
        MMM_TRY(mmm_job_array(job, "totals", (int64_t)1 << s, MMM_WORK, &x->totals));
    } else {
        MMM_TRY(
            launch_sort_tile(program, 1, l, x->keys[0], x->values[0], x->keys[1], x->values[1], n, bits, s, e, pairs));
        swap(x);
    }
    for (int64_t i = 0; tiles > 1 && i < passes; i++) {
        int ahead = method == AHEAD && i + 1 < passes;
        if (i == 0 || method != AHEAD)
            MMM_TRY(launch_count(program, tiles, l, x->keys[0], x->counts, n, i * s, method != ADD_UP,
                                 method == AHEAD ? passes - 1 : 0, s, e));
        if (method == ADD_UP) MMM_TRY(launch_add_up(program, (int64_t)1 << s, l, x->counts, x->totals, tiles));
        MMM_TRY(launch_scatter(program, tiles, l, x->keys[0], x->values[0], x->keys[1], x->values[1], x->counts,
                               x->totals, n, i * s, method == AHEAD ? i : 0, method != ADD_UP, parts, ahead, s, e,
                               pairs));
        swap(x);
    }
    return MMM_OK;
}

/* The blocks that sort the buckets, each its share of them. */
static int64_t shares(const mmm_job *job)
{
    int64_t n = mmm_job_length(job, KEYS), b = mmm_job_get(job, "b"), e = mmm_job_get(job, "e"),
            tiles = (n + e - 1) / e;
    return b < tiles ? b : tiles;
}

/* By how many powers of two the buckets of a job are smaller than those of the one that it tells of: by none where it
 * has fewer of them. */
static int smaller_by(const mmm_job *job)
{
    return mmm_job_get(job, "b") / shares(job) < MANY ? mmm_job_shrunk(job) : 0;
}

/* b buckets, or all keys in one block. */
static mmm_status build_buckets(mmm_job *job, mmm_program *program, arrays *x, int64_t n, int pairs)
{
    int64_t s = mmm_job_get(job, "s"), b = mmm_job_get(job, "b"), e = mmm_job_get(job, "e"), tiles = (n + e - 1) / e;
    int surplus = SURPLUS + smaller_by(job); /* as many bits as those of larger buckets */
    MMM_TRY(mmm_job_array(job, "starts", 2 * b + 1, MMM_WORK, &x->starts));
    if (b > 1) {
        MMM_TRY(mmm_job_array(job, "counts", tiles * b, MMM_WORK, &x->counts));
        MMM_TRY(mmm_job_array(job, "totals", b, MMM_WORK, &x->totals));
        MMM_TRY(launch_count_buckets(program, tiles, 1, x->keys[0], x->counts, n, bits_of(b - 1), e));
        MMM_TRY(launch_add_up(program, b, 1, x->counts, x->totals, tiles));
        if (in_pairs(job)) {
            MMM_TRY(launch_split_pairs(program, tiles, 1, x->keys[0], x->values[0], x->pairs[0], x->counts, x->totals,
                                       x->starts, n, bits_of(b - 1), e));
            return launch_finish_pairs(program, shares(job), 1, x->pairs[0], x->pairs[1], x->keys[0], x->values[0],
                                       x->starts, b, surplus, s);
        }
        MMM_TRY(launch_split(program, tiles, 1, x->keys[0], x->values[0], x->keys[1], x->values[1], x->counts,
                             x->totals, x->starts, n, bits_of(b - 1), e, pairs));
        swap(x);
    }
    return launch_finish(program, shares(job), 1, x->keys[0], x->values[0], x->keys[1], x->values[1], x->starts, n, b,
                         surplus, s, pairs);
}

static mmm_status build(mmm_job *job, mmm_program *program)
{
    int64_t n = mmm_job_length(job, KEYS), method = mmm_job_get(job, "method");
    int pairs = mmm_job_get(job, "values") != 0;
    arrays x;
    MMM_TRY(mmm_job_input(job, KEYS, 0, n, MMM_IN, &x.keys[0]));
    x.values[0] = x.keys[0];
    if (pairs) MMM_TRY(mmm_job_input(job, VALUES, 0, n, MMM_IN, &x.values[0]));
    if (in_pairs(job)) {
        MMM_TRY(mmm_job_array(job, "pairs", n, MMM_WORK, &x.pairs[0]));
        MMM_TRY(mmm_job_array(job, "other pairs", n, MMM_WORK, &x.pairs[1]));
    } else {
        MMM_TRY(mmm_job_array(job, "other keys", n, MMM_WORK, &x.keys[1]));
        x.values[1] = x.keys[1];
        if (pairs) MMM_TRY(mmm_job_array(job, "other values", n, MMM_WORK, &x.values[1]));
    }
    if (n > 0) MMM_TRY((method == BUCKETS ? build_buckets : build_tiles)(job, program, &x, n, pairs));
    MMM_TRY(mmm_job_output(job, KEYS, x.keys[0], 0, n));
    return pairs ? mmm_job_output(job, VALUES, x.values[0], 0, n) : MMM_OK;
}

/* Keys are random, or of another kind; values are the numbers of the keys, so that a sort gives the permutation it
 * makes.
 */
static mmm_status draw(mmm_job *job, int input, void *elements, int64_t count)
{
    uint64_t *x = elements;
    int unused = 64 - (int)mmm_job_get(job, "bits");
    int64_t kind = mmm_job_get(job, "kind");
    for (int64_t i = 0; i < count; i++) {
        uint64_t r = mmm_job_random(job) >> unused;
        switch (input == VALUES ? -1 : kind) {
        case -1: x[i] = (uint64_t)i; break;
        case 1: x[i] = 0x1234567; break;
        case 2: x[i] = r & 1 ? 0x1234567 : 0xfedcba; break;
        case 3: x[i] = (uint64_t)i; break;
        case 4: x[i] = r >> (mmm_job_random(job) % (uint64_t)(64 - unused)); break;
        case 5:
            for (x[i] = 0; mmm_job_random(job) % 100 && x[i] < 4000; x[i]++)
                continue;
            break;
        default: x[i] = r;
        }
    }
    return MMM_OK;
}

/* Where buckets begin that have the same number of keys each; where some of a share tell of the others, those have
 * none. */
static void fill_starts(const mmm_job *job, uint32_t *starts, int64_t n, int64_t b)
{
    int64_t blocks = shares(job), at = 0;
    int by = smaller_by(job) ? 0 : mmm_job_shrunk(job);
    for (int64_t i = 0; i < b; i++) {
        int64_t share = ((i + 1) * blocks - 1) / b, low = b * share / blocks, high = b * (share + 1) / blocks;
        starts[i] = (uint32_t)(by ? at : n * i / b);
        if (i - low < (high - low) >> by) at += (n << by) / b;
    }
    starts[b] = (uint32_t)(by ? at : n);
}

/* Keys of buckets, which differ in the bits that are left to sort by: finish and finish_pairs look at the keys they
 * find, and others would be put in order one by one.  Of the bits that they are sorted by as many are others once more
 * as make a smaller bucket's keys as often equal in these as a larger one's. */
static void sample(mmm_job *job, int kernel)
{
    const mmm_program *program = mmm_job_program(job);
    int64_t n = mmm_job_length(job, KEYS), b = mmm_job_get(job, "b"), bits = mmm_job_get(job, "bits");
    const char *name = mmm_program_code(program, kernel)->name;
    int numbers = strcmp(name, "finish_pairs") == 0; /* of 64 bits, keys in front */
    if ((strcmp(name, "finish") != 0 && !numbers) || (b == 1 && !mmm_job_shrunk(job))) return;
    void *keys = mmm_job_memory(job, mmm_program_argument(program, kernel, 0).number);
    uint32_t *starts = mmm_job_memory(job, mmm_program_argument(program, kernel, 4).number);
    fill_starts(job, starts, n, b);
    int64_t left = bits - bits_of(b - 1), by = smaller_by(job), used = bits_of(n / b) + SURPLUS + by;
    int64_t low = left > used ? left - used : 0;
    for (int64_t i = 0; i < b; i++)
        starts[b + 1 + i] = (uint32_t)(i == b - 1 ? bits : left);
    if (mmm_job_sketch(job) && n > mmm_job_sketch(job)) n = mmm_job_sketch(job);
    for (int64_t i = 0; i < n; i++) {
        uint64_t key = mmm_job_random(job) >> (64 - left);
        for (int64_t bit = 0; bit < by && low > 0; bit++)
            key = (key & ~((uint64_t)1 << (low + bit))) | (key >> (left - 1 - bit) & 1) << (low + bit);
        if (bits == 32 && !numbers)
            ((uint32_t *)keys)[i] = (uint32_t)key;
        else
            ((uint64_t *)keys)[i] = numbers ? key << 32 : key;
    }
}

MMM_APPLICATION = {
    .name = "sort",
    .summary = "stable sort of keys by digits of several bits, the fastest here",
    .oracle = "the C library",
    .parameters = {{"n", "the number of keys", MMM_SIZE, 0, 1 << 28, 1 << 16},
                   {"s", "the number of bits of a digit", MMM_CHOICE, 1, 13, 8, "8,11"},
                   {"l", "the number of threads of a block", MMM_CHOICE, 1, 1024, 256, "128-512:*2", "l*(method < 4)"},
                   {"e", "the number of keys of a thread", MMM_CHOICE, 1, 1 << 28, 16, "4,8,16,65536,1048576",
                    "min(e, n)"},
                   {"method", "1: a kernel adds up counts, 2: blocks do, 3: count ahead, 4: buckets", MMM_CHOICE, 1, 4,
                    1, "1-4"},
                   {"b", "the number of buckets", MMM_CHOICE, 1, 4096, 1, "1,16,256", "b*(method == 4)"},
                   {"bits", "the bits of a word (32 or 64)", MMM_OTHER, 32, 64, 32},
                   {"values", "whether values move with the keys", MMM_OTHER, 0, 1, 0},
                   {"kind", "keys drawn: 0 random, 1 equal, 2 two, 3 sorted, 4 of all magnitudes, 5 geometric",
                    MMM_OTHER, 0, 5, 0},
                   {"seed", "the seed of random inputs", MMM_SEED, 0, INT64_MAX, 1}},
    .constraints =
        "l <= threads; l <= 32 or 32 divides l; is_power_of_2(b); method == 4 or e <= 30; "
        "method == 4 or n <= l*e or 8*l*e >= 2^s or Z == 0; " /* not tried: more counts of digits than keys */
        "method == 4 or (l*e*bits*(1 + values))/32 + (ceil(l, 32) + 2*max(1, l/2^s))*2^s + 2*ceil(l, 32) <= Z",
    .word = "bits",
    .inputs = {{"keys", MMM_WORD, "n"}, {"values", MMM_WORD, "n", "values"}},
    .outputs = {{"keys", MMM_WORD, "n"}, {"values", MMM_WORD, "n", "values"}},
    .calibration = {"n=3000 s=8 l=128 e=4,8 method=1,2,3 b=1", "n=12000 s=8 l=128,256 e=8,16 method=1,2,3 b=1",
                    "n=20000 s=8,11 l=256 e=4096 method=4 b=1,16 values=0,1",
                    "n=60000 s=8,11 l=256 e=16384 method=4 b=1,16,256 values=0,1"},
    .settle = settle,
    .draw = draw,
    .build = build,
    .sample = sample,
    .proportional = "count add_up scatter count_buckets split split_pairs finish finish_pairs",
    .check = mmm_oracle_sort,
};
