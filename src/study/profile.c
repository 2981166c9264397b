/* SPDX-License-Identifier: Apache-2.0 */
/* What a job's blocks cost, from a few of them: small programs are counted in full, in large ones blocks that are alike
 * are counted once (section 2.3 needs only maxima and sums). */
#include "study/study.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT = 16, MANY = 16, EACH_KERNEL = 32 }; /* a kernel of a program takes as long as so many accesses */
enum { RUN_WHILE_COUNTED = 32 };                 /* accesses of a run, in the time that counting one takes */

/* A kernel that was counted, or made from one that was: its groups, and its blocks. */
typedef struct kept {
    int64_t first, count, blocks;
    int64_t rest; /* the group of most blocks */
    int64_t from; /* the groups it was made from; */
    double less;  /* and see mmm_node */
} kept;

/* Kernels that differ only in arguments that are not compiled in. */
typedef struct class
{
    const mmm_node *node; /* the first */
    int typical;          /* the number of one that stands for others: the first, for which others have computed what
                           * it needs; of many, where the application knows what they find, one of the middle */
    mmm_profile probe;    /* block 0 of that one; */
    bool counted;         /* otherwise not counted, but judged by its size; */
    bool large;           /* it was begun, and makes too many accesses */
    int64_t members, budget;
    double weight;     /* what its members take, about: accesses of a block, times rounds of blocks; */
    bool oblivious;    /* few threads tell; */
    bool proportional; /* its blocks do the same for each element; */
    bool extrapolated; /* the probe was, or little depends on it: it stands for all, */
    bool ends;         /* but for the last block of a kernel */
    mmm_profile last;
    int64_t seen;    /* members passed so far */
    kept kept[KEPT]; /* the last ones that were counted */
    int kept_count;
    kept made; /* the last that was made */
    mmm_alike alike;
} class;

static const double light_part = 0.1; /* of a program: kernels that are told by one block */
enum { CLASSES_MOST = 64, LARGE_BLOCK = 400000, LARGEST_BLOCK = 1 << 20, USUAL = 2 };
/* Accesses of a block until smaller jobs are asked, and if they are no help: on cores, where blocks of one thread sort
 * a million keys in another way than a thousand, and on GPUs. */
static const int64_t long_block[2] = {1 << 25, 1 << 19}, longest_block[2] = {1 << 25, 1 << 22};
/* Of blocks of one thread that do the same for each element: until smaller jobs are asked, and of theirs. */
static const int64_t proportional_block[2] = {1 << 17, 1 << 14}, proportional_small[2] = {1 << 19, 1 << 17};
enum { EACH_ELEMENT = 8 }; /* accesses of a thread that has so many elements that it is large, at least */

static int magnitude(int64_t x)
{
    int bits = 0;
    for (; x > 0; x >>= 1)
        bits++;
    return bits;
}

/* On GPUs kernels with many blocks do not stand for those with few: programs that double their sizes have both. */
static int class_of(class *classes, int *count, const mmm_node *node, bool sizes)
{
    for (int i = 0; i < *count; i++)
        if (mmm_nodes_alike(classes[i].node, node) &&
            (!sizes || magnitude(classes[i].node->blocks) == magnitude(node->blocks)))
            return i;
    if (*count == CLASSES_MOST) return CLASSES_MOST - 1;
    classes[*count] = (class){.node = node};
    return (*count)++;
}

/* Counts in the order of the DAG, for kernels need what those before them wrote. */
static mmm_status count_all(mmm_sampler *sampler, const mmm_program *program, const mmm_order *order, mmm_profiles *out)
{
    mmm_status result = MMM_OK;
    for (int i = 0; i < order->kernels; i++) {
        const int k = order->sequence[i];
        const int64_t from = out->first[k] = out->rest[k] = out->group_count;
        for (int64_t b = 0; b < program->nodes[k].blocks; b++) {
            mmm_profile p;
            TRY(mmm_sampler_block(sampler, k, b, &p));
            TRY(mmm_profiles_add(out, from, p, 1));
        }
        out->end[k] = out->group_count;
    }
    out->exact = true;
done:
    return result;
}

static mmm_profile part_of(mmm_profile p, double less)
{
    int64_t *parts[] = {&p.cost.work, &p.cost.span,       &p.cost.span_thread, &p.regions,
                        &p.parts,     &p.lane_operations, &p.lane_local};
    for (int i = 0; i < 7; i++)
        *parts[i] -= (int64_t)((double)*parts[i] * less);
    for (int i = 0; i < MMM_LIMITS; i++)
        p.time[i] -= (int64_t)((double)p.time[i] * less);
    p.lines -= (int64_t)((double)p.lines * less);
    p.distinct -= (int64_t)((double)p.distinct * less);
    for (int i = 0; i < MMM_AT_ONCE; i++)
        for (int k = 0; k < MMM_LIMITS; k++)
            p.at_once[i][k] -= (int64_t)((double)p.at_once[i][k] * less);
    return p;
}

static double unlike(int64_t x, int64_t y)
{
    return fabs(log2((double)(x > 0 ? x : 1) / (double)(y > 0 ? y : 1)));
}

/* The one of those kept, the latest first, that has nearly as many blocks. */
static int most_like(const class *c, int64_t blocks)
{
    int best = c->kept_count - 1;
    for (int i = best - 1; i >= 0 && c->kept[best].blocks != blocks; i--)
        if (unlike(c->kept[i].blocks, blocks) < unlike(c->kept[best].blocks, blocks)) best = i;
    return best > 0 ? best : 0;
}

/* On GPUs classes are finer, and a kernel is as long as most of its blocks: of large ones two are enough, the first and
 * one in the middle. */
static mmm_status count_two(mmm_job *job, mmm_sampler *sampler, int64_t blocks, const class *c, mmm_profiles *out)
{
    mmm_status result = MMM_OK;
    const int64_t from = out->group_count, period = job->program->nodes[c->typical].period;
    const int64_t N = period && period < blocks ? period : blocks;
    mmm_profile middle;
    const int64_t first = N > 0 && c->counted ? blocks / N + blocks % N : 0;
    if (first) TRY(mmm_profiles_add(out, from, c->probe, first));
    if (first == blocks) goto done;
    mmm_fill_arrays(job, sampler, c->typical);
    TRY(mmm_count_block(job, sampler, c->typical, N / 2, &middle));
    TRY(mmm_profiles_add(out, from, middle, blocks - first));
done:
    return result;
}

/* Whether the budget is not even for the blocks of two members. */
static bool is_large(const class *c)
{
    return 2 * MMM_STANDS * c->probe.accesses > c->budget;
}

/* Whether one of its blocks takes as long as a prediction may, as all its threads run. */
static bool is_largest(const class *c)
{
    return c->probe.accesses > LARGEST_BLOCK && !c->oblivious;
}

/* The blocks of a member that are counted. */
static int stands_of(const class *c)
{
    return is_largest(c) ? MMM_STANDS_LARGEST : is_large(c) ? MMM_STANDS_LARGE : MMM_STANDS;
}

/* How many members the budget is for. */
static int64_t affordable(const class *c)
{
    const int most = stands_of(c);
    const int64_t blocks = c->node->blocks < most ? c->node->blocks : most;
    const int64_t count = c->budget / (blocks * (c->probe.accesses + 1));
    return count < 2 ? 2 : count;
}

/* Members to count are spread evenly; the first and the last are always among them. */
static bool is_chosen(const class *c, int like, int64_t wanted, bool gpu)
{
    if (gpu && c->seen && is_large(c)) return false;
    const int64_t count = affordable(c), at = c->seen;
    const bool few = is_largest(c);
    if (at == 0 || (!few && (at == c->members - 1 || count >= c->members))) return true;
    if (c->kept_count < (is_large(c) ? 3 : KEPT) && unlike(c->kept[like].blocks, wanted) > 0.5) return true;
    return !few && at * (count - 1) / c->members != (at - 1) * (count - 1) / c->members;
}

/* The kernel that is counted for the members from kernel k on: the one in the middle, as costs may grow or fall from
 * each to the next; k itself where that one has another number of blocks, by which costs go then. */
static int middle_of(const class *c, const unsigned char *of, const mmm_program *program, int k)
{
    const int64_t parts = affordable(c) - 1, at = c->seen, part = at * parts / c->members;
    int64_t next = ((part + 1) * c->members + parts - 1) / parts, left;
    if (next > c->members - 1) next = c->members - 1;
    int middle = k;
    for (left = (next - at - 1) / 2; left > 0; left--)
        while (of[++middle] != of[k])
            ;
    return program->nodes[middle].blocks == program->nodes[k].blocks ? middle : k;
}

/* Whether the groups of a kernel are another's but for the number of blocks of the largest: others are at the ends. */
static bool can_share(const mmm_profiles *out, const kept *of, const mmm_node *node)
{
    return !node->period && out->groups[of->rest].cost.blocks + node->blocks - of->blocks >= 1;
}

/* The groups of a kernel that is not counted: those of one that was, or of the block that stands for all.  They are
 * shared with it, or with the last one that had as many blocks. */
static mmm_status make(mmm_profiles *out, class *c, const mmm_node *node, kept *range)
{
    mmm_status result = MMM_OK;
    const kept *of = c->extrapolated ? NULL : &c->kept[most_like(c, node->blocks)];
    const int64_t from = of ? of->first : -1;
    const bool ends = c->ends && node->blocks > 1;
    kept *made = &c->made;
    int64_t blocks;
    if (of && (of->blocks == node->blocks || can_share(out, of, node))) {
        *range = *of;
        return MMM_OK;
    }
    if (!made->count || made->blocks != node->blocks || made->from != from || made->less != node->less) {
        *made = (kept){.first = out->group_count, .blocks = node->blocks, .from = from, .less = node->less};
        if (of)
            TRY(mmm_profiles_copy(out, of->first, of->count, node));
        else
            TRY(mmm_profiles_add(out, made->first, part_of(c->probe, node->less), node->blocks - ends));
        if (!of && ends) TRY(mmm_profiles_add(out, made->first, part_of(c->last, node->less), 1));
        made->count = out->group_count - made->first;
        made->rest = mmm_profiles_largest(out, made->first, made->count, &blocks);
    }
    *range = *made;
done:
    return result;
}

/* Of a block that makes many accesses and was not found from smaller jobs all are counted. */
static mmm_status probe_all(mmm_job *job, mmm_sampler *sampler, class *c)
{
    mmm_fill_arrays(job, sampler, c->typical);
    c->counted = true;
    return mmm_count_block(job, sampler, c->typical, 0, &c->probe);
}

/* Whether classes differ in their number of blocks alone, and have several. */
static bool is_kin(const class *c, const class *d)
{
    return c->node->blocks > 1 && d->node->blocks > 1 && mmm_nodes_alike(c->node, d->node);
}

/* Whether two classes before this one differ in their number of blocks alone, and their first blocks cost the same:
 * then so does its own. */
static bool is_known(const mmm_job *job, const class *classes, class *c)
{
    const class *first = NULL;
    if (mmm_kernel_is_oblivious(job, c->typical)) return false; /* few threads tell it */
    for (const class *d = classes; d < c; d++) {
        if (!d->counted || !is_kin(d, c)) continue;
        if (first && memcmp(&d->probe, &first->probe, sizeof d->probe) == 0) {
            c->probe = d->probe;
            return c->counted = true;
        }
        first = d;
    }
    return false;
}

/* A class before this one that differs in its number of blocks alone, and whose first block costs the same: then so
 * does the one in the middle.  NULL: there is none. */
static const class *same_class(const class *classes, const class *c)
{
    for (const class *d = classes; d < c; d++)
        if (d->counted && d->kept_count && d->kept[0].blocks > 1 && mmm_nodes_alike(d->node, c->node) &&
            memcmp(&d->probe, &c->probe, sizeof c->probe) == 0)
            return d;
    return NULL;
}

/* Whether the blocks of some classes of that code were alike, each within its class. */
static bool is_usual(const class *classes, const class *c)
{
    int count = 0;
    for (const class *d = classes; d < c; d++)
        count += d->alike.known && d->node->code == c->node->code;
    return count >= USUAL;
}

/* Whether block 0 of a kernel was counted as it would be again: its data do not depend on what ran before it. */
static bool is_probed(const mmm_job *job, const class *c, int kernel)
{
    return kernel == c->typical && c->counted && (!kernel || job->app->sample || mmm_kernel_is_oblivious(job, kernel));
}

static mmm_status count_some(mmm_job *job, const mmm_parameters *machine, mmm_sampler *sampler, class *classes,
                             const unsigned char *of, mmm_profiles *out)
{
    mmm_status result = MMM_OK;
    const mmm_program *program = job->program;
    const bool gpu = mmm_has_gpu(machine);
    for (int k = 0; k < (int)program->kernels; k++) {
        class *c = &classes[of[k]];
        const mmm_node *node = &program->nodes[k];
        const int64_t small = (c->proportional ? proportional_small : long_block)[gpu];
        kept range = {.first = out->group_count, .blocks = node->blocks};
        if (c->large && !c->seen) c->large = !is_known(job, classes, c);
        if (c->counted && c->members == 1 && node->blocks == 1 && !(node->less > 0))
            c->extrapolated = true; /* it is all there is */
        if (!c->extrapolated && (!c->counted || (!gpu && c->probe.accesses > LARGE_BLOCK)) && !c->seen)
            TRY(mmm_block_from_smaller(job, machine, c->typical, c->large ? small : 0, &c->probe, &c->extrapolated,
                                       &out->work));
        if (c->large && c->proportional && c->extrapolated && !gpu && !c->seen && node->blocks > 1)
            TRY(mmm_last_from_smaller(job, machine, c->typical, small, &c->last, &c->ends, &out->work));
        if (c->large && !c->extrapolated && !c->seen) TRY(probe_all(job, sampler, c));
        const bool two = gpu && !c->seen && is_large(c);
        if (c->extrapolated || (!two && !is_chosen(c, most_like(c, node->blocks), node->blocks, gpu))) {
            TRY(make(out, c, node, &range));
        } else {
            const bool anywhere = job->app->sample || mmm_kernel_is_oblivious(job, k);
            const int which = !c->seen ? c->typical : anywhere ? middle_of(c, of, program, k) : k;
            c->alike.usual = is_usual(classes, c);
            const class *like = two && c->counted && node->blocks > 1 ? same_class(classes, c) : NULL;
            if (like)
                TRY(mmm_profiles_copy(out, like->kept[0].first, like->kept[0].count, node));
            else if (two)
                TRY(count_two(job, sampler, node->blocks, c, out));
            else
                TRY(mmm_count_stands(job, sampler, which, stands_of(c), is_probed(job, c, which) ? &c->probe : NULL,
                                     &c->alike, out));
            if (!two && which != k) TRY(mmm_profiles_adapt(out, range.first, node));
            range.count = out->group_count - range.first;
            range.rest = mmm_profiles_largest(out, range.first, range.count, &range.blocks);
            if (c->kept_count == KEPT) memmove(c->kept, c->kept + 1, (size_t)--c->kept_count * sizeof *c->kept);
            c->kept[c->kept_count++] = range;
        }
        out->first[k] = range.first;
        out->end[k] = range.first + range.count;
        out->rest[k] = range.rest;
        c->seen++;
    }
done:
    return result;
}

/* How large a block of the kernel is, without counting a very large one: threads times steps. */
static mmm_status probe(mmm_job *job, mmm_sampler *sampler, bool gpu, const class *classes, class *c)
{
    const int kernel = c->typical;
    c->oblivious = mmm_kernel_is_oblivious(job, kernel);
    if (is_known(job, classes, c)) return MMM_OK;
    for (const class *d = classes; d < c && !c->large; d++) { /* then others of that code are, too */
        c->large = d->large && d->node->code == c->node->code && d->node->threads == c->node->threads;
        if (!c->large) continue;
        c->probe = d->probe;
        c->proportional = d->proportional;
    }
    if (c->large) return MMM_OK;
    int64_t threads = job->program->nodes[kernel].threads;
    c->proportional = threads == 1 && mmm_kernel_is_proportional(job, kernel) &&
                      EACH_ELEMENT * mmm_job_largest(job) * (double)job->program->kernels > MMM_PROFILE_BUDGET;
    int choice = mmm_large_choice(job, threads);
    int64_t s = choice < 0 ? 0 : job->values[choice];
    if (threads * s > (gpu ? LARGE_BLOCK : LARGE_BLOCK / 4)) {
        c->probe = (mmm_profile){.accesses = 4 * threads * s, .regions = 1};
        return MMM_OK;
    }
    const int64_t most = (c->proportional ? proportional_block : long_block)[gpu];
    c->large = (gpu || c->proportional) && threads == 1 &&
               mmm_job_largest(job) * EACH_ELEMENT > (double)most * (double)job->program->nodes[kernel].blocks;
    if (c->large) {
        c->probe = (mmm_profile){.accesses = most, .regions = 1};
        return MMM_OK;
    }
    mmm_fill_arrays(job, sampler, kernel);
    mmm_sampler_limit(sampler, most, true);
    mmm_status status = mmm_count_block(job, sampler, kernel, 0, &c->probe);
    mmm_sampler_limit(sampler, longest_block[gpu], false);
    c->counted = status == MMM_OK;
    c->large = status == MMM_TOO_LARGE;
    if (c->large) c->probe = (mmm_profile){.accesses = most, .regions = 1};
    return c->large ? MMM_OK : status;
}

/* Of classes of least weight, as many as have a small part of the program together, the probe stands for all. */
static void weigh(class *classes, int count, const unsigned char *of, const mmm_program *program, int64_t P)
{
    double all = 0, sum = 0;
    for (int k = 0; k < (int)program->kernels; k++) {
        class *c = &classes[of[k]];
        const double weight =
            (double)c->probe.accesses * ceil((double)program->nodes[k].blocks / (double)(P > 0 ? P : 1));
        c->weight += weight;
        all += weight;
    }
    for (;;) {
        class *least = NULL;
        for (int i = 0; i < count; i++)
            if (classes[i].counted && !classes[i].extrapolated && (!least || classes[i].weight < least->weight))
                least = &classes[i];
        if (!least || sum + least->weight > light_part * all) return;
        sum += least->weight;
        least->extrapolated = true;
    }
}

/* Counts a program whose kernels are all known.  Where they are only foreseen and few enough to be counted in full,
 * *few says so, and nothing is counted. */
static mmm_status profile(mmm_job *job, const mmm_parameters *machine, int64_t budget, bool foreseen, bool *few,
                          mmm_profiles *out)
{
    mmm_status result = MMM_OK;
    mmm_sampler *sampler = NULL;
    const mmm_order *order;
    class *classes = NULL;
    unsigned char *of = NULL;
    const bool gpu = mmm_has_gpu(machine);
    int count = 0;
    double total = 0;
    memset(out, 0, sizeof *out);
    *few = false;
    TRY(mmm_job_load(job));
    TRY(mmm_program_order(job->program, &order));
    out->program = job->program;
    out->kernels = job->program->kernels;
    TRY(mmm_alloc(&out->first, out->kernels, sizeof *out->first));
    TRY(mmm_alloc(&out->end, out->kernels, sizeof *out->end));
    TRY(mmm_alloc(&out->rest, out->kernels, sizeof *out->rest));
    TRY(mmm_alloc(&of, out->kernels, 1));
    TRY(mmm_alloc(&classes, CLASSES_MOST, sizeof *classes));
    TRY(mmm_sampler_new(job->program, machine, &sampler));
    for (int k = 0; k < (int)out->kernels; k++) {
        class *c = &classes[of[k] = (unsigned char)class_of(classes, &count, &job->program->nodes[k], gpu)];
        if (!c->members++) c->typical = k;
    }
    for (int k = 0; job->app->sample && k < (int)out->kernels; k++)
        if (classes[of[k]].members > MANY && classes[of[k]].seen++ == classes[of[k]].members / 2)
            classes[of[k]].typical = k;
    for (int i = 0; i < count; i++) {
        classes[i].seen = 0;
        TRY(probe(job, sampler, gpu, classes, &classes[i]));
    }
    for (int k = 0; k < (int)out->kernels; k++)
        total += (double)job->program->nodes[k].blocks * (double)classes[of[k]].probe.accesses;
    for (int i = 0; i < count; i++)
        classes[i].budget = budget / count;
    if (job->app->sample) TRY(mmm_job_load(job)); /* which it may have changed */
    bool all = total <= (double)budget;
    for (int i = 0; i < count; i++)
        all &= !classes[i].large;
    *few = all && foreseen;
    if (*few) goto done;
    if (all || !gpu) mmm_sampler_load(sampler, true); /* else what probes have computed stays */
    if (!all && count >= MANY) weigh(classes, count, of, job->program, machine->P);
    if (all)
        TRY(count_all(sampler, job->program, order, out));
    else
        TRY(count_some(job, machine, sampler, classes, of, out));
    out->work += mmm_sampler_work(sampler) + EACH_KERNEL * out->kernels;
    if (mmm_program_is_open(job->program) && !foreseen) out->work += (int64_t)(total / RUN_WHILE_COUNTED);
done:
    mmm_sampler_free(sampler);
    free(classes);
    free(of);
    if (result != MMM_OK || *few) mmm_profiles_free(out);
    return result;
}

mmm_status mmm_profile_job(mmm_job *job, const mmm_parameters *machine, int64_t budget, mmm_profiles *out)
{
    mmm_status result = MMM_OK;
    bool few = false;
    memset(out, 0, sizeof *out);
    if (!job->program) TRY(mmm_job_plan(job));
    const bool open = mmm_program_is_open(job->program), foreseen = open && mmm_job_foresees(job);
    if (open) TRY(foreseen ? mmm_job_foresee(job) : mmm_job_unfold(job));
    TRY(profile(job, machine, budget, foreseen, &few, out));
    if (!few) goto done;
    TRY(mmm_job_unfold(job));
    TRY(profile(job, machine, budget, false, &few, out));
done:
    return result;
}
