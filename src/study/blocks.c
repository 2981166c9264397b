/* SPDX-License-Identifier: Apache-2.0 */
/* Which blocks of a kernel are counted, and for how many others each stands. */
#include "study/study.h"

#include <stdlib.h>
#include <string.h>

/* Blocks between the ends are taken one from each of as many equal parts, at a place that the golden section moves from
 * part to part: places at even distances meet the same column of a grid, or of one that a kernel makes of its blocks,
 * again and again. */
static int spread(int64_t first, int64_t count, int64_t row, int64_t stride, int most, mmm_stand *out)
{
    static const double golden = 0.6180339887498949;
    const int parts = (int)(count < most ? count : most);
    int64_t from = 0;
    for (int i = 0; i < parts; i++) {
        const int64_t end = count * (i + 1) / parts;
        const double place = (i + 1) * golden;
        const int64_t at = from + (int64_t)((double)(end - from) * (place - (double)(int64_t)place));
        out[i] = (mmm_stand){.block = first + at / row * stride + at % row, .blocks = end - from};
        from = end;
    }
    return parts;
}

/* In a grid of rows the last column and the last row, which may be part of a tile, stand for themselves. */
static int in_grid(int64_t columns, int64_t rows, int most, mmm_stand *out)
{
    int count = spread(0, (columns - 1) * (rows - 1), columns - 1, columns, most - 3, out);
    out[count++] = (mmm_stand){.block = (rows - 1) / 2 * columns + columns - 1, .blocks = rows - 1};
    out[count++] = (mmm_stand){.block = (rows - 1) * columns + (columns - 1) / 2, .blocks = columns - 1};
    out[count++] = (mmm_stand){.block = rows * columns - 1, .blocks = 1};
    return count;
}

/* Else the first one and the last do. */
static int in_row(int64_t N, int most, mmm_stand *out)
{
    int count = 0;
    out[count++] = (mmm_stand){.block = 0, .blocks = 1};
    if (N > 2) count += spread(1, N - 2, N, N, most > 3 ? most - 2 : 1, out + count);
    if (N > 1) out[count++] = (mmm_stand){.block = N - 1, .blocks = 1};
    return count;
}

int mmm_blocks_that_stand(const mmm_program *program, const mmm_node *node, int most, mmm_stand out[MMM_STANDS])
{
    const int64_t N = node->period && node->period < node->blocks ? node->period : node->blocks,
                  columns = node->blocks_x, rows = columns > 0 ? N / columns : 0;
    const bool grid =
        program->batch == 1 && N > most && most > MMM_STANDS_LARGEST && columns > 1 && rows > 1 && rows * columns == N;
    const int count = grid ? in_grid(columns, rows, most, out) : in_row(N, most, out);
    for (int i = 0; i < count; i++)
        out[i].blocks *= node->blocks / N;
    out[0].blocks += node->blocks % N;
    return count;
}

/* Whether a record's list has a kernel: names, or "*". */
static bool is_listed(const mmm_job *job, int kernel, const char *names)
{
    const mmm_kernel *code = job->program->nodes[kernel].code;
    if (!names || !code) return false;
    if (strcmp(names, "*") == 0) return true;
    const size_t length = strlen(code->name);
    for (const char *at = names; (at = strstr(at, code->name)); at += length)
        if ((at == names || at[-1] == ' ') && (at[length] == ' ' || !at[length])) return true;
    return false;
}

bool mmm_kernel_is_oblivious(const mmm_job *job, int kernel)
{
    return is_listed(job, kernel, job->app->oblivious);
}

bool mmm_kernel_is_proportional(const mmm_job *job, int kernel)
{
    return is_listed(job, kernel, job->app->proportional);
}

mmm_status mmm_count_block(const mmm_job *job, mmm_sampler *sampler, int kernel, int64_t block, mmm_profile *out)
{
    mmm_sampler_sparse(sampler, mmm_kernel_is_oblivious(job, kernel));
    mmm_status status = mmm_sampler_block(sampler, kernel, block, out);
    mmm_sampler_sparse(sampler, false);
    return status;
}

void mmm_fill_arrays(mmm_job *job, mmm_sampler *sampler, int kernel)
{
    if (!job->app->sample) return;
    job->app->sample(job, kernel);
    mmm_sampler_load(sampler, true);
}

/* Whether blocks cost the same but for where their elements lie in lines: one more or less in a thousand accesses. */
static bool is_near(const mmm_profile *x, const mmm_profile *y)
{
    mmm_profile moved = *y;
    if (llabs(x->lines - y->lines) > x->accesses / 1000 || llabs(x->distinct - y->distinct) > x->accesses / 1000)
        return false;
    moved.lines = x->lines;
    moved.distinct = x->distinct;
    return memcmp(x, &moved, sizeof moved) == 0;
}

/* The order in which they are counted: those that tell whether the others need be, the middle one first; so many. */
static int tellers(const mmm_node *node, int count, int order[MMM_STANDS])
{
    const bool grid = node->blocks_x > 1 && node->blocks_x < node->blocks; /* ends of rows and columns come last */
    const int ends = grid ? 3 : 1, middle = grid ? 0 : count / 2, tell = grid ? 4 : count / 2 + 1;
    int n = 0;
    order[n++] = middle;
    for (int i = count - 1; i > middle && n <= ends; i--)
        order[n++] = i;
    for (int i = 0; i < count; i++) {
        bool taken = false;
        for (int k = 0; k < n; k++)
            taken |= order[k] == i;
        if (!taken) order[n++] = i;
    }
    return tell;
}

/* Where no data decide what threads do, and blocks at the ends cost what one of the middle does, so do the others; of
 * kernels that are alike, or of whose code others were so, the last one and the one of the middle tell.  Of large ones
 * that do the same for each element those between the ends cost the same. */
mmm_status mmm_count_stands(mmm_job *job, mmm_sampler *sampler, int kernel, int most, const mmm_profile *known,
                            mmm_alike *alike, mmm_profiles *out)
{
    mmm_status result = MMM_OK;
    mmm_stand chosen[MMM_STANDS];
    mmm_profile p[MMM_STANDS] = {0};
    int order[MMM_STANDS];
    const mmm_node *node = &job->program->nodes[kernel];
    const int64_t from = out->group_count;
    const int count = mmm_blocks_that_stand(job->program, node, most, chosen), last = count - 1;
    const bool oblivious = mmm_kernel_is_oblivious(job, kernel), same = oblivious && alike->known && count > 1;
    int tell = tellers(node, count, order);
    const bool proportional = most < MMM_STANDS && mmm_kernel_is_proportional(job, kernel);
    bool near = oblivious || proportional;
    if (!known || count > 1 || chosen[0].block) mmm_fill_arrays(job, sampler, kernel);
    if (same) TRY(mmm_count_block(job, sampler, kernel, chosen[last].block, &p[last]));
    if (oblivious && alike->usual && tell > 2) tell = 2;
    if (same && is_near(&alike->block, &p[last])) tell = 1;
    for (int k = 0; k < count; k++) {
        const int i = oblivious || proportional ? order[k] : k;
        const bool counted = same && i == last;
        if (known && !chosen[i].block)
            p[i] = *known;
        else if (near && k >= tell && !counted)
            p[i] = p[order[0]];
        else if (!counted)
            TRY(mmm_count_block(job, sampler, kernel, chosen[i].block, &p[i]));
        near = near && (proportional || is_near(&p[order[0]], &p[i]));
        if (!k && tell == 1) near = is_near(&alike->block, &p[i]);
    }
    if (near && oblivious && count >= tell && tell > 1) {
        alike->known = true;
        alike->block = p[order[0]];
    }
    for (int i = 0; i < count; i++)
        TRY(mmm_profiles_add(out, from, p[i], chosen[i].blocks));
done:
    return result;
}
