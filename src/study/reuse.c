/* SPDX-License-Identifier: Apache-2.0 */
/* From which cache a kernel's lines come on a core: by what the program has touched since it touched their array
 * before, run after run, inputs being put in and results taken out each time. */
#include "study/constants.h"

#include <math.h>
#include <stdlib.h>

/* The arrays of a program, and where their words come from and go to outside of it, the last touched first. */
typedef struct history {
    int64_t arrays;
    int count, *order;
    double *bytes; /* that were touched of each then, by its number */
} history;

typedef struct touched {
    int count, numbers[MMM_ARGUMENTS_MOST];
    double bytes[MMM_ARGUMENTS_MOST], sum;
} touched;

static int place_of(const touched *t, int number)
{
    for (int i = 0; i < t->count; i++)
        if (t->numbers[i] == number) return i;
    return -1;
}

static void add(touched *t, int64_t number, double bytes)
{
    if (t->count == MMM_ARGUMENTS_MOST || place_of(t, (int)number) >= 0) return;
    t->numbers[t->count] = (int)number;
    t->bytes[t->count++] = bytes;
    t->sum += bytes;
}

/* Touches some arrays at once.  What a line of them takes, on average, the first time: it comes from where as much fits
 * as was touched since its array was, these included; from memory where that was never. */
static double touch(history *h, const touched *t, const double *constants)
{
    double seconds = 0, others = 0;
    int found = 0, end = 0, kept[MMM_ARGUMENTS_MOST];
    bool known[MMM_ARGUMENTS_MOST] = {false};
    for (; end < h->count && found < t->count; end++) {
        const int number = h->order[end], k = place_of(t, number);
        if (k < 0) {
            others += h->bytes[number];
            continue;
        }
        known[k] = true;
        kept[found++] = end;
        seconds += t->bytes[k] * mmm_line_time(t->sum + others, constants);
    }
    for (int k = 0; k < t->count; k++)
        if (!known[k]) seconds += t->bytes[k] * mmm_line_time(INFINITY, constants);
    /* What lies before the last that was found moves back; where some were not, all others do. */
    const int more = t->count - found;
    for (int i = end - 1, to = end + more - 1, left = found; i >= 0; i--)
        if (left && kept[left - 1] == i)
            left--;
        else
            h->order[to--] = h->order[i];
    h->count += more;
    for (int k = 0; k < t->count; k++) {
        h->order[k] = t->numbers[k];
        h->bytes[t->numbers[k]] = t->bytes[k];
    }
    return t->sum > 0 ? seconds / t->sum : 0;
}

static double bytes_of(const mmm_program *program, int64_t array)
{
    return (double)mmm_global_bytes(program, &program->arrays[array]);
}

/* Inputs are put in before a run, and results taken out behind it.  An array and what is outside are touched side by
 * side: who comes to the array next has both before it. */
static void move(history *h, const mmm_program *program, mmm_use use, const double *constants)
{
    for (int64_t i = 0; i < h->arrays; i++) {
        const mmm_global *a = &program->arrays[i];
        touched inside = {.count = 0}, outside = {.count = 0};
        if (!(a->use & use) || a->fixed) continue;
        add(&outside, (use == MMM_IN ? 1 : 2) * h->arrays + i,
            a->type == MMM_WORD ? 8.0 * (double)a->count * (double)program->batch : bytes_of(program, i));
        add(&inside, i, bytes_of(program, i));
        touch(h, &inside, constants);
        touch(h, &outside, constants);
    }
}

/* The arrays of a kernel, of which it may look at a part: at no more than all lines of its blocks. */
static touched touched_by(const mmm_program *program, const mmm_node *node, double lines)
{
    touched t = {.count = 0};
    for (int i = 0; node->code && i < node->code->parameter_count; i++)
        if (node->code->parameters[i].kind == MMM_PARAMETER_ARRAY)
            add(&t, node->arguments[i].number, bytes_of(program, node->arguments[i].number));
    const double part = t.sum > 0 ? fmin(1, 64 * lines / t.sum) : 0;
    for (int i = 0; i < t.count; i++)
        t.bytes[i] *= part;
    t.sum *= part;
    return t;
}

mmm_status mmm_first_lines(const mmm_program *program, const mmm_profiles *profiles, const double *constants,
                           double *seconds)
{
    mmm_status result = MMM_OK;
    history h = {.arrays = program->array_count};
    TRY(mmm_alloc(&h.order, 3 * h.arrays + 1, sizeof *h.order));
    TRY(mmm_alloc(&h.bytes, 3 * h.arrays + 1, sizeof *h.bytes));
    for (int run = 0; run < 2; run++) { /* the first one is there for the second */
        move(&h, program, MMM_IN, constants);
        for (int64_t k = 0; k < profiles->kernels; k++) {
            int64_t count;
            const mmm_profile *groups = mmm_profiles_of(profiles, k, &count);
            double lines = 0;
            for (int64_t g = 0; g < count; g++)
                lines += (double)groups[g].distinct * (double)groups[g].cost.blocks;
            const touched t = touched_by(program, &program->nodes[k], lines);
            seconds[k] = touch(&h, &t, constants);
        }
        move(&h, program, MMM_OUT, constants);
    }
done:
    free(h.order);
    free(h.bytes);
    return result;
}
