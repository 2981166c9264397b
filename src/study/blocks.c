/* SPDX-License-Identifier: Apache-2.0 */
/* Which blocks of a kernel are counted, and for how many others each stands. */
#include "study/study.h"

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
    if (N > 2) count += spread(1, N - 2, N, N, most - 2, out + count);
    if (N > 1) out[count++] = (mmm_stand){.block = N - 1, .blocks = 1};
    return count;
}

int mmm_blocks_that_stand(const mmm_program *program, const mmm_node *node, bool large, mmm_stand out[MMM_STANDS])
{
    const int most = large ? MMM_STANDS_LARGE : MMM_STANDS;
    const int64_t N = node->period && node->period < node->blocks ? node->period : node->blocks,
                  columns = node->blocks_x, rows = columns > 0 ? N / columns : 0;
    const bool grid = program->batch == 1 && N > most && columns > 1 && rows > 1 && rows * columns == N;
    const int count = grid ? in_grid(columns, rows, most, out) : in_row(N, most, out);
    for (int i = 0; i < count; i++)
        out[i].blocks *= node->blocks / N;
    out[0].blocks += node->blocks % N;
    return count;
}
