/* SPDX-License-Identifier: Apache-2.0 */
/* Radix sort (section 4): c / s passes, each by a digit of s bits; a pass sorts tiles, sums counts and scatters. */
#include <mmm/app.h>

#include "kernels.h"

#include <string.h>

enum { KEYS, VALUES };          /* inputs and outputs */
enum { SORTED_KEYS = 1 };       /* the second array of the program */
enum { COUNTS_MOST = 1 << 30 }; /* their numbers are ints in kernels */

/* The arrays; where there are no values, the keys stand for them. */
typedef struct arrays {
    mmm_word_array keys, sorted_keys, counts, values, sorted_values;
} arrays;

static int64_t tiles(int64_t elements, int64_t l)
{
    return (elements + 4 * l - 1) / (4 * l);
}

/* What `length` counts and the sums of their tiles, of the tiles of these, and so on take. */
static int64_t counts_room(int64_t length, int64_t l)
{
    int64_t room = length;
    for (; length > 4 * l; room += length)
        length = tiles(length, l) - 1;
    return room;
}

/* Prefix sums of the counts numbered from `to` on, `length` of them: tile by tile; then likewise of what the tiles but
 * the last add up to, which lies at the end of each; then these are added to the tiles that follow. */
static mmm_status scan(mmm_program *program, mmm_word_array counts, int64_t from, int64_t step, int64_t to,
                       int64_t length, int64_t l)
{
    int64_t blocks = tiles(length, l), sums = to + length;
    MMM_TRY(launch_tile_scan(program, blocks, l, counts, from, step, to, length, l));
    if (blocks == 1) return MMM_OK;
    MMM_TRY(scan(program, counts, to + 4 * l - 1, 4 * l, sums, blocks - 1, l));
    return launch_tile_add(program, blocks - 1, l, counts, sums, to, length, l);
}

/* Sorts by the s bits from `shift` on. */
static mmm_status pass(mmm_program *program, const arrays *x, int64_t n, int64_t shift, int64_t s, int64_t l, int pairs)
{
    int64_t blocks = tiles(n, l);
    MMM_TRY(launch_tile_sort(program, blocks, l, x->keys, x->values, x->sorted_keys, x->sorted_values, x->counts, n,
                             shift, s, l, pairs));
    MMM_TRY(scan(program, x->counts, 0, 1, 0, blocks << s, l));
    return launch_tile_scatter(program, blocks, l, x->sorted_keys, x->sorted_values, x->keys, x->values, x->counts, n,
                               shift, s, l, pairs);
}

/* The bits of a pass: not more than there are. */
static int64_t digit_bits(const mmm_job *job)
{
    int64_t s = mmm_job_get(job, "s"), c = mmm_job_get(job, "c");
    return s < c ? s : c;
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
    mmm_job_default(job, "c", mmm_job_get(job, "bits"));
    int64_t n = mmm_job_get(job, "n"), l = mmm_job_get(job, "l"), s = digit_bits(job);
    MMM_TRY(check_bits(job, KEYS, mmm_job_get(job, "c")));
    MMM_TRY(check_bits(job, VALUES, mmm_job_get(job, "bits")));
    int64_t room = counts_room(tiles(n, l) << s, l);
    if (room <= COUNTS_MOST) return MMM_OK;
    return mmm_fail(MMM_TOO_LARGE,
                    "n=%lld, s=%lld, l=%lld need %lld counts: %d are possible; take a smaller s or a larger l",
                    (long long)n, (long long)s, (long long)l, (long long)room, COUNTS_MOST);
}

/* Keys are random; values are the numbers of the keys, so that a sort gives the permutation it makes. */
static mmm_status draw(mmm_job *job, int input, void *elements, int64_t count)
{
    uint64_t *x = elements;
    int unused = 64 - (int)mmm_job_get(job, "c");
    for (int64_t i = 0; i < count; i++)
        x[i] = input == VALUES ? (uint64_t)i : mmm_job_random(job) >> unused;
    return MMM_OK;
}

static mmm_status build(mmm_job *job, mmm_program *program)
{
    int64_t n = mmm_job_length(job, KEYS), s = digit_bits(job), l = mmm_job_get(job, "l"), c = mmm_job_get(job, "c");
    int pairs = mmm_job_get(job, "values") != 0;
    arrays x;
    MMM_TRY(mmm_job_input(job, KEYS, 0, n, MMM_IN, &x.keys));
    MMM_TRY(mmm_job_array(job, "sorted keys", n, MMM_WORK, &x.sorted_keys));
    MMM_TRY(mmm_job_array(job, "counts", counts_room(tiles(n, l) << s, l), MMM_WORK, &x.counts));
    MMM_TRY(mmm_job_output(job, KEYS, x.keys, 0, n));
    x.values = x.keys;
    x.sorted_values = x.sorted_keys;
    if (pairs) {
        MMM_TRY(mmm_job_input(job, VALUES, 0, n, MMM_IN, &x.values));
        MMM_TRY(mmm_job_array(job, "sorted values", n, MMM_WORK, &x.sorted_values));
        MMM_TRY(mmm_job_output(job, VALUES, x.values, 0, n));
    }
    for (int64_t shift = 0; n > 0 && shift < c; shift += s)
        MMM_TRY(pass(program, &x, n, shift, c - shift < s ? c - shift : s, l, pairs));
    return MMM_OK;
}

/* The scattering kernel needs tiles that are sorted by the digit. */
static void sample(mmm_job *job, int kernel)
{
    const mmm_program *program = mmm_job_program(job);
    int64_t n = mmm_job_length(job, KEYS), tile = 4 * mmm_job_get(job, "l");
    if (strcmp(mmm_program_code(program, kernel)->name, "tile_scatter") != 0) return;
    int64_t shift = mmm_program_argument(program, kernel, 6).integer,
            s = mmm_program_argument(program, kernel, 7).integer;
    char *sorted = mmm_job_memory(job, SORTED_KEYS);
    int narrow = mmm_job_get(job, "bits") == 32;
    size_t size = narrow ? sizeof(uint32_t) : sizeof(uint64_t);
    for (int64_t i = 0; i < n && i < tile; i++) {
        uint64_t key = ((uint64_t)i << s) / (uint64_t)tile << shift;
        if (narrow)
            ((uint32_t *)sorted)[i] = (uint32_t)key;
        else
            ((uint64_t *)sorted)[i] = key;
    }
    if (mmm_job_sketch(job) && n > mmm_job_sketch(job)) n = mmm_job_sketch(job);
    for (int64_t i = tile; i < n; i += tile) /* all tiles are like the first */
        memcpy(sorted + (size_t)i * size, sorted, (size_t)(n - i < tile ? n - i : tile) * size);
}

MMM_APPLICATION = {
    .name = "radix-sort",
    .summary = "stable sort of keys, s bits a pass",
    .section = "4",
    .oracle = "the C library",
    .parameters = {{"n", "the number of keys", MMM_SIZE, 0, 1 << 28, 1 << 16},
                   {"s", "the number of bits of a pass", MMM_CHOICE, 1, 16, 4, "1-16", "ceil(c, min(s, c))"},
                   {"l", "the number of threads of a block", MMM_CHOICE, 1, 1 << 16, 256, "16-4096:*2",
                    "min(l, ceil(n, 4))"},
                   {"c", "the number of bits of a key", MMM_OTHER, 1, 64, 32},
                   {"bits", "the bits of a word (32 or 64)", MMM_OTHER, 32, 64, 32},
                   {"values", "whether values move with the keys", MMM_OTHER, 0, 1, 0},
                   {"seed", "the seed of random inputs", MMM_SEED, 0, INT64_MAX, 1}},
    .constraints = "is_power_of_2(l); c <= bits; l <= threads; 5*l + 1 + 2^s <= Z",
    .word = "bits",
    .inputs = {{"keys", MMM_WORD, "n"}, {"values", MMM_WORD, "n", "values"}},
    .outputs = {{"keys", MMM_WORD, "n"}, {"values", MMM_WORD, "n", "values"}},
    .calibration = {"n=2000 s=3,5,8,11 l=64,256,1024", "n=8000 s=3,5,8,11 l=64,256,1024",
                    "n=30000 s=3,5,8,11 l=64,256,1024"},
    .settle = settle,
    .draw = draw,
    .build = build,
    .proportional = "tile_sort tile_scatter",
    .sample = sample,
    .check = mmm_oracle_sort,
};
