/* SPDX-License-Identifier: Apache-2.0 */
/* Radix sort (section 4): c / s passes, each by a digit of s bits; a pass sorts tiles, sums counts and scatters. */
#include "job/job.h"

#include <stdlib.h>

enum { KEYS, SORTED_KEYS, COUNTS, VALUES, SORTED_VALUES }; /* the arrays; the last two only where there are values */

enum { COUNTS_MOST = 1 << 30 }; /* their numbers are ints in kernels */

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
static mmm_status scan(mmm_job *job, int64_t from, int64_t step, int64_t to, int64_t length, int64_t l)
{
    mmm_status result = MMM_OK;
    int64_t blocks = tiles(length, l), sums = to + length;
    const mmm_argument arguments[] = {
        {MMM_ARRAY, COUNTS},         {MMM_INTEGER, (uint64_t)from},   {MMM_INTEGER, (uint64_t)step},
        {MMM_INTEGER, (uint64_t)to}, {MMM_INTEGER, (uint64_t)length}, {MMM_CONSTANT, (uint64_t)l},
    };
    TRY(mmm_job_chain(job, &mmm_kernel_tile_scan, blocks, l, l + 1, arguments, 6));
    if (blocks > 1) {
        const mmm_argument add_arguments[] = {
            {MMM_ARRAY, COUNTS},         {MMM_INTEGER, (uint64_t)sums},
            {MMM_INTEGER, (uint64_t)to}, {MMM_INTEGER, (uint64_t)length},
            {MMM_CONSTANT, (uint64_t)l},
        };
        TRY(scan(job, to + 4 * l - 1, 4 * l, sums, blocks - 1, l));
        TRY(mmm_job_chain(job, &mmm_kernel_tile_add, blocks - 1, l, 0, add_arguments, 5));
    }
done:
    return result;
}

/* Sorts by the s bits from `shift` on. */
static mmm_status pass(mmm_job *job, int64_t n, int64_t shift, int64_t s, int64_t l, bool pairs)
{
    mmm_status result = MMM_OK;
    int64_t blocks = tiles(n, l);
    uint64_t values = pairs ? VALUES : KEYS, sorted_values = pairs ? SORTED_VALUES : SORTED_KEYS;
    mmm_argument arguments[] = {
        {MMM_ARRAY, KEYS},
        {MMM_ARRAY, values},
        {MMM_ARRAY, SORTED_KEYS},
        {MMM_ARRAY, sorted_values},
        {MMM_ARRAY, COUNTS},
        {MMM_INTEGER, (uint64_t)n},
        {MMM_INTEGER, (uint64_t)blocks},
        {MMM_INTEGER, (uint64_t)shift},
        {MMM_CONSTANT, (uint64_t)s},
        {MMM_CONSTANT, (uint64_t)l},
        {MMM_CONSTANT, pairs},
    };
    TRY(mmm_job_chain(job, &mmm_kernel_tile_sort, blocks, l, 5 * l + 1 + (1 << s), arguments, 11));
    TRY(scan(job, 0, 1, 0, blocks << s, l));
    arguments[0].value = SORTED_KEYS;
    arguments[1].value = sorted_values;
    arguments[2].value = KEYS;
    arguments[3].value = values;
    TRY(mmm_job_chain(job, &mmm_kernel_tile_scatter, blocks, l, 4 * l + (1 << s), arguments, 11));
done:
    return result;
}

/* The bits of a pass: not more than there are. */
static int64_t digit_bits(const mmm_job *job)
{
    int64_t s = mmm_job_get(job, "s"), c = mmm_job_get(job, "c");
    return s < c ? s : c;
}

static mmm_status fit(const mmm_job *job)
{
    int64_t n = mmm_job_get(job, "n"), s = digit_bits(job), l = mmm_job_get(job, "l");
    if (l & (l - 1))
        return mmm_fail(MMM_INVALID, "l=%lld: the number of threads of a block must be a power of two", (long long)l);
    int64_t room = counts_room(tiles(n, l) << s, l);
    if (room <= COUNTS_MOST) return MMM_OK;
    return mmm_fail(MMM_TOO_LARGE,
                    "n=%lld, s=%lld, l=%lld need %lld counts: %d are possible; take a smaller s or a larger l",
                    (long long)n, (long long)s, (long long)l, (long long)room, COUNTS_MOST);
}

static int64_t most_s(const mmm_job *job)
{
    return mmm_job_get(job, "c");
}

static int64_t most_l(const mmm_job *job)
{
    return tiles(mmm_job_get(job, "n"), 1);
}

static mmm_status build(mmm_job *job)
{
    mmm_status result = MMM_OK;
    int64_t n = job->inputs[0].terms, s = digit_bits(job), l = mmm_job_get(job, "l"), c = mmm_job_get(job, "c");
    bool pairs = mmm_job_get(job, "values");
    int array;
    TRY(mmm_job_array(job, "keys", n, MMM_IN_OUT, &array));
    TRY(mmm_job_array(job, "sorted keys", n, MMM_WORK, &array));
    TRY(mmm_job_array(job, "counts", counts_room(tiles(n, l) << s, l), MMM_WORK, &array));
    if (pairs) {
        TRY(mmm_job_array(job, "values", n, MMM_IN_OUT, &array));
        TRY(mmm_job_array(job, "sorted values", n, MMM_WORK, &array));
    }
    for (int64_t shift = 0; n > 0 && shift < c; shift += s)
        TRY(pass(job, n, shift, c - shift < s ? c - shift : s, l, pairs));
done:
    return result;
}

static mmm_status load(mmm_job *job)
{
    mmm_status result = MMM_OK;
    TRY(mmm_job_put(job, KEYS, &job->inputs[0]));
    if (mmm_job_get(job, "values")) TRY(mmm_job_put(job, VALUES, &job->inputs[1]));
done:
    return result;
}

/* The scattering kernel needs tiles that are sorted by the digit. */
static void sample(mmm_job *job, int kernel)
{
    const mmm_node *node = &job->program->nodes[kernel];
    int64_t n = job->inputs[0].terms, tile = 4 * mmm_job_get(job, "l");
    if (node->code != &mmm_kernel_tile_scatter) return;
    uint64_t shift = node->arguments[7].value, s = node->arguments[8].value;
    for (int64_t i = 0; i < n; i++) {
        uint64_t key = ((uint64_t)(i % tile) << s) / (uint64_t)tile << shift;
        if (job->program->word_bits == 32)
            ((uint32_t *)job->arrays[SORTED_KEYS])[i] = (uint32_t)key;
        else
            ((uint64_t *)job->arrays[SORTED_KEYS])[i] = key;
    }
}

static mmm_status finish(mmm_job *job)
{
    mmm_status result = MMM_OK;
    int64_t n = job->inputs[0].terms;
    TRY(mmm_job_get_words(job, KEYS, n, &job->outputs[0]));
    if (mmm_job_get(job, "values")) TRY(mmm_job_get_words(job, VALUES, n, &job->outputs[1]));
done:
    return result;
}

/* A key and its number in the input: no two are equal, so that any correct sort of them is a stable one of the keys. */
typedef struct numbered {
    uint64_t key;
    int64_t number;
} numbered;

static int compare(const void *x, const void *y)
{
    const numbered *a = x, *b = y;
    if (a->key != b->key) return a->key < b->key ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

static mmm_status check(const mmm_job *job, double *seconds)
{
    mmm_status result = MMM_OK;
    const uint64_t *keys = job->inputs[0].coefficients, *values = job->inputs[1].coefficients;
    bool pairs = mmm_job_get(job, "values");
    int64_t n = job->inputs[0].terms;
    numbered *sorted = NULL;
    TRY(mmm_alloc(&sorted, n, sizeof *sorted));
    for (int64_t i = 0; i < n; i++)
        sorted[i] = (numbered){keys[i], i};
    double start = mmm_now();
    qsort(sorted, (size_t)n, sizeof *sorted, compare);
    *seconds = mmm_now() - start;
    for (int64_t i = 0; i < n; i++) {
        uint64_t key = job->outputs[0].coefficients[i];
        if (key != sorted[i].key)
            FAIL(MMM_WRONG, "keys differ from qsort's: number %lld is %llu, qsort has %llu", (long long)i,
                 (unsigned long long)key, (unsigned long long)sorted[i].key);
        if (!pairs) continue;
        uint64_t value = job->outputs[1].coefficients[i], theirs = values[sorted[i].number];
        if (value != theirs)
            FAIL(MMM_WRONG, "values differ from qsort's: number %lld is %llu, qsort has %llu", (long long)i,
                 (unsigned long long)value, (unsigned long long)theirs);
    }
done:
    free(sorted);
    return result;
}

static const char *const data[] = {"keys", "values", NULL};

static const mmm_app_parameter parameters[] = {
    {"n", "the number of keys", 0, 1 << 28, 1 << 16},
    {"s", "the number of bits of a pass", 1, 16, 4},
    {"l", "the number of threads of a block", 1, 1 << 16, 256},
    {"c", "the number of bits of a key", 1, 64, 32},
    {"bits", "the bits of a word (32 or 64)", 32, 64, 32},
    {"values", "whether values move with the keys", 0, 1, 0},
    {"seed", "the seed of random inputs", 0, INT64_MAX, 1},
    {0},
};

const mmm_app_type mmm_app_radix_sort = {
    .app = {.name = "radix-sort",
            .summary = "stable sort of keys, s bits a pass",
            .section = "4",
            .oracle = "the C library",
            .formula = "radix-sort",
            .parameters = parameters,
            .inputs = data,
            .outputs = data},
    .format = &mmm_format_keys,
    .fit = fit,
    .build = build,
    .most_s = most_s,
    .most_l = most_l,
    .load = load,
    .sample = sample,
    .finish = finish,
    .check = check,
};
