/* SPDX-License-Identifier: Apache-2.0 */
/* A range of primes on one machine: a batch of problems, each with its own modulus. */
#include "integer/integer.h"
#include "integer/wide.h"

#include <gmp.h>
#include <stdlib.h>
#include <string.h>

/* Words of memory that a problem of a batch takes for each of its terms, about, and those of a batch; on a CPU what its
 * cores do at once should stay in their caches. */
enum { WORDS_A_TERM = 32, WORDS_MOST = 1 << 28, WORDS_NEAR = 1 << 21 };

static int64_t length_of(const mmm_task *task, int i)
{
    return (task->cut[i].count - 1) * task->cut[i].apart + (i ? task->b : task->a)->terms;
}

void mmm_task_new(mmm_machine *machine, const char *operation, const mmm_numbers *a, const mmm_numbers *b,
                  int64_t primes, int64_t digits, mmm_task *out)
{
    *out = (mmm_task){.machine = machine, .operation = operation, .a = a, .b = b};
    for (int i = 0; i < 2; i++) {
        int bits = mmm_digit_bits(machine);
        if (!digits && (i ? b : a)->bits >= bits * WIDE_ROWS_MOST) bits = DIGIT_BITS;
        const int64_t all = mmm_quotient_up((i ? b : a)->bits + 1, bits), each = digits ? digits : all;
        out->cut[i] = (mmm_pieces){mmm_quotient_up(all, each), each, a->terms + b->terms - 1, 0, bits};
    }
    out->piece = digits * mmm_digit_bits(machine);
    const int64_t n = length_of(out, 0), m = length_of(out, 1), longest = n > m ? n : m;
    const bool product = operation == mmm_multiplication; /* else some may be unlucky, or not enough */
    out->primes.order =
        mmm_primes_order(operation == mmm_gcd_app ? 8 * longest : 4 * longest, product ? primes : 2 * primes);
}

void mmm_task_free(mmm_task *task)
{
    mmm_primes_free(&task->primes);
}

int64_t mmm_task_part(const mmm_task *task)
{
    const int64_t words = (length_of(task, 0) + length_of(task, 1) + 64) * WORDS_A_TERM;
    const int64_t most = (task->machine->cpu ? WORDS_NEAR : WORDS_MOST) / words;
    if (task->primes.order == 1) return 1;
    return most < 8 ? 8 : most > 512 ? 512 : most / 8 * 8;
}

/* The residues of both operands, as the plans of a range of primes want them. */
typedef struct operands {
    void *buffers[2];
    size_t bytes[2];
    int64_t stride[2], from[2];
} operands;

static void release(const mmm_task *task, operands *x)
{
    for (int i = 0; i < 2; i++)
        if (x->buffers[i]) mmm_buffer_put_by(task->machine, x->bytes[i], x->buffers[i]);
    *x = (operands){0};
}

static mmm_status find_plan(const mmm_task *task, const uint64_t *p, int64_t count, mmm_plan **plan)
{
    return mmm_plan_by_primes(task->machine, task->operation, task->primes.order, p, length_of(task, 0),
                              length_of(task, 1), count, plan);
}

static mmm_status prepare(const mmm_task *task, const uint64_t *p, int64_t count, int64_t part, operands *x)
{
    mmm_status result = MMM_OK;
    mmm_machine *machine = task->machine;
    mmm_plan *plan;
    TRY(find_plan(task, p, part, &plan));
    for (int i = 0; i < 2; i++)
        mmm_plan_array(plan, i, &x->stride[i], &x->from[i]);
    for (int i = 0; i < 2; i++) {
        x->bytes[i] = (size_t)(count * x->stride[i]) * sizeof(uint32_t);
        TRY(mmm_buffer_take(machine, &x->bytes[i], &x->buffers[i]));
        TRY(mmm_remainders(machine, i ? task->b : task->a, task->cut[i], p, count, x->stride[i], x->from[i],
                           x->buffers[i]));
    }
done:
    return result;
}

/* What is done with a part's plan before it runs and after. */
typedef struct taker {
    mmm_status (*before)(void *context, mmm_plan *plan, int64_t first);
    mmm_status (*after)(void *context, mmm_plan *plan, int64_t first, int64_t count);
    void *context;
} taker;

/* Of a device's memory there is no part; elsewhere remainders of many primes are taken at once. */
static mmm_status run_range(const mmm_task *task, const uint64_t *p, int64_t count, taker take)
{
    mmm_status result = MMM_OK;
    mmm_machine *machine = task->machine;
    const int64_t most = mmm_task_part(task), range = machine->type->memory == &mmm_memory_host ? 32 * most : most;
    operands x = {0};
    mmm_plan *plan;
    for (int64_t i = 0, part; i < count; i += part) {
        const int64_t left = count - i / range * range, here = left < range ? left : range;
        part = most < count - i ? most : count - i;
        if (machine->progress && machine->progress(machine->progress_context, (double)i / (double)count))
            FAIL(MMM_STOPPED, "stopped after %lld of %lld primes", (long long)i, (long long)count);
        if (i % range == 0) {
            release(task, &x);
            TRY(prepare(task, p + i, here, part, &x));
        }
        void *buffers[2];
        for (int k = 0; k < 2; k++)
            buffers[k] = (uint32_t *)x.buffers[k] + i % range * x.stride[k];
        TRY(find_plan(task, p + i, part, &plan));
        if (take.before) TRY(take.before(take.context, plan, i));
        TRY(mmm_plan_start(plan, (const void *[]){NULL, NULL}, buffers));
        TRY(take.after(take.context, plan, i, part));
    }
done:
    release(task, &x);
    return result;
}

static bool divides(uint64_t p, const mmm_numbers *a)
{
    return a->terms && mpn_mod_1((const mp_limb_t *)(a->words + (a->terms - 1) * a->limbs), a->limbs / 2, p) == 0;
}

void mmm_residues_free(mmm_residues *r)
{
    for (int i = 0; i < 2; i++) {
        if (r->lender) mmm_stage_put_by(r->lender, r->lent[i], r->words[i]);
        free(r->terms[i]);
    }
    free(r->bad);
    *r = (mmm_residues){0};
}

mmm_status mmm_residues_room(const mmm_task *task, int64_t count, mmm_residues *r)
{
    mmm_status result = MMM_OK;
    const int64_t n = length_of(task, 0), m = length_of(task, 1);
    const bool division = task->operation == mmm_division;
    *r = (mmm_residues){.count = count, .lender = task->machine};
    r->room[0] = division ? n - m + 1 : task->operation == mmm_multiplication ? n + m - 1 : n > m ? n : m;
    r->room[1] = division ? m - 1 : 0;
    for (int i = 0; i < 2; i++) {
        TRY(mmm_stage_reach(r->lender, (size_t)(r->room[i] * count) * sizeof *r->words[i], &r->lent[i], &r->words[i]));
        TRY(mmm_alloc(&r->terms[i], count, sizeof *r->terms[i]));
    }
    TRY(mmm_alloc(&r->bad, count, sizeof *r->bad));
done:
    return result;
}

static mmm_status take_words(void *context, mmm_plan *plan, int64_t first, int64_t count)
{
    mmm_residues *r = context;
    (void)count;
    return mmm_plan_finish(plan, (void *[]){r->words[0] + first * r->room[0], r->words[1] + first * r->room[1]},
                           (int64_t *[]){r->terms[0] + first, r->terms[1] + first});
}

mmm_status mmm_task_run(mmm_task *task, int64_t first, int64_t count, mmm_residues *out)
{
    mmm_status result = MMM_OK;
    mmm_residues r = {0};
    TRY(mmm_primes_reach(&task->primes, first + count));
    TRY(mmm_residues_room(task, count, &r));
    const uint64_t *p = task->primes.p + first;
    if (task->machine->engine)
        TRY(mmm_far_run(task, first, count, &r));
    else
        TRY(run_range(task, p, count, (taker){.after = take_words, .context = &r}));
    for (int64_t i = 0; i < count; i++)
        r.bad[i] = divides(p[i], task->b) || (task->operation == mmm_gcd_app && divides(p[i], task->a));
    *out = r;
    r = (mmm_residues){0};
done:
    mmm_residues_free(&r);
    return result;
}

/* Products of all primes, in the machine's memory. */
typedef struct gathered {
    mmm_machine *machine;
    void *all;
    size_t bytes;
    int64_t count, stride, from;
    bool there; /* the plan writes them where they belong */
} gathered;

static mmm_status place_product(void *context, mmm_plan *plan, int64_t first)
{
    mmm_status result = MMM_OK;
    gathered *z = context;
    const struct mmm_take *take = plan->job->takes[0];
    z->stride = plan->job->program->arrays[take->array].count;
    z->from = take->first;
    if (!z->all) {
        z->bytes = (size_t)(z->count * z->stride) * sizeof(uint32_t);
        TRY(mmm_buffer_take(z->machine, &z->bytes, &z->all));
    }
    z->there = mmm_plan_put(plan, take->array, (uint32_t *)z->all + first * z->stride);
done:
    return result;
}

static mmm_status take_product(void *context, mmm_plan *plan, int64_t first, int64_t count)
{
    gathered *z = context;
    if (z->there) return MMM_OK;
    return mmm_buffer_copy(z->machine, z->all, (size_t)(first * z->stride) * sizeof(uint32_t),
                           mmm_machine_array(z->machine, plan->job->program, plan->job->takes[0]->array), 0,
                           (size_t)(count * z->stride) * sizeof(uint32_t));
}

/* By an engine: prime by prime, then coefficient by coefficient; pieces, which have few primes, go back here. */
static mmm_status multiply_far(mmm_task *task, int64_t count, mmm_pieces back, mmm_numbers *out)
{
    mmm_status result = MMM_OK;
    mmm_residues r = {0};
    uint32_t *words = NULL;
    TRY(mmm_task_run(task, 0, count, &r));
    TRY(mmm_alloc(&words, r.room[0] * count, sizeof *words));
    for (int64_t i = 0; i < r.room[0] * count; i++)
        words[i] = i % r.room[0] < r.terms[0][i / r.room[0]] ? (uint32_t)r.words[0][i] : 0;
    if (task->piece)
        TRY(mmm_reconstruct_pieces(task->machine, task->primes.p, count, words, r.room[0], back, out));
    else
        TRY(mmm_reconstruct(task->machine, task->primes.p, count, words, r.room[0], out));
done:
    free(words);
    mmm_residues_free(&r);
    return result;
}

mmm_status mmm_task_multiply(mmm_task *task, int64_t count, int64_t bits, mmm_numbers *out)
{
    mmm_status result = MMM_OK;
    gathered z = {.machine = task->machine, .count = count};
    const mmm_pieces *cut = task->cut;
    const mmm_pieces back = {cut[0].count + cut[1].count - 1, cut->digits, cut->apart,
                             mmm_quotient_up(bits + 2, cut->bits), cut->bits};
    if (task->machine->engine) return multiply_far(task, count, back, out);
    TRY(mmm_primes_reach(&task->primes, count));
    TRY(run_range(task, task->primes.p, count, (taker){place_product, take_product, &z}));
    TRY(mmm_reconstruct_there(task->machine, task->primes.p, count, z.all, z.stride, z.from, back, out));
done:
    if (z.all) mmm_buffer_put_by(task->machine, z.bytes, z.all);
    return result;
}
