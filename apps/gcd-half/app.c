/* SPDX-License-Identifier: Apache-2.0 */
/* The half-GCD: g = gcd(a, b), monic, with the matrices of the steps multiplied by transforms.
 *
 * What 2 s steps do depends on the leading 2 s coefficients: the matrix of the first s comes from the leading s of
 * them, is applied to all, which leaves s that are right; the matrix of the others comes from these; and the product of
 * the two is the matrix of all.  A matrix of s steps has s + 1 powers of z at most, whatever the degrees do, so that
 * all sizes are known before the run.  The leaves of this recursion are heads of gcd-jump.
 *
 * Polynomials are reduced so in stages: a matrix of about half of the steps that are left is applied to both.  Where
 * one has become 0 after a stage the other one is the gcd, and what the stages behind it do is of no use.  With u=1
 * they are not there: each stage is decided on when the one before has ended, and the first ones are short, so that a
 * gcd of high degree is soon found. */
#include "transforms.h"

#include <mmm/apps/gcd-jump.h>
#include <mmm/model.h>

#include "kernels.h"

#include <string.h>

enum { A, B }; /* inputs */
enum { STAGES_MOST = 96, NODES_MOST = 24, THREADS = 256, EARLY = 5 };
enum { DEGREES, POLYNOMIALS }; /* arrays that `finish` reads, in this order */

typedef struct stage {
    int level;             /* of its matrix, of w 2^level steps */
    int64_t terms;         /* of both polynomials before it */
    int64_t from, to, far; /* where they are, where what it leaves goes; from one to the other, before */
    int64_t leaf;          /* leaves before it */
} stage;

typedef struct plan {
    int64_t n, m, s, jumps, w;
    int count, levels; /* of stages; the highest level */
    stage stages[STAGES_MOST];
    int64_t words, leaves; /* of all polynomials; all leaves */
} plan;

typedef struct arrays {
    mmm_word_array a, b, polynomials, windows, matrices, places[2][2], matrix[2];
    mmm_i32_array state, degrees;
    mmm_u32_array left[NODES_MOST], result; /* left[0] is of whole stages */
    mmm_u32_array other[2];                 /* of odd levels and of even ones: a product leaves values in the next */
    mmm_u32_array early[NODES_MOST];        /* as other, of levels whose windows are transformed early */
    int64_t window[NODES_MOST], own[NODES_MOST]; /* of each level, where its windows and its matrix are */
    int size[NODES_MOST], whole[STAGES_MOST];    /* of transforms */
    int64_t leaf, h, l;
    bool ahead;
} arrays;

/* What is known of stages that are decided on. */
typedef struct stages {
    plan x;
    arrays z;
    transforms y;
    int next;
} stages;

static int64_t larger(int64_t x, int64_t y)
{
    return x > y ? x : y;
}

static plan plan_of(const mmm_job *job)
{
    plan x = {.n = mmm_job_length(job, A), .m = mmm_job_length(job, B), .s = mmm_job_get(job, "s")};
    x.jumps = mmm_job_get(job, "j");
    if (mmm_job_get(job, "k") == 2) x.s = x.s < 30 ? 30 : x.s / 30 * 30;
    x.w = x.s * x.jumps;
    const bool unfolds = mmm_job_get(job, "u");
    int64_t left = x.n + x.m - 1, terms = larger(larger(x.n, x.m), x.w), far = terms;
    if (x.n == 0 || x.m == 0 || x.n + x.m <= 2) return x;
    x.words = 2 * terms;
    for (int64_t from = 0; left > 0; x.count++) {
        stage *y = &x.stages[x.count];
        const int64_t before = x.w * x.leaves, most = (left + 1) / 2;
        while (x.w << (y->level + 1) <= (unfolds && before < most ? before : most))
            y->level++;
        if (x.levels < y->level) x.levels = y->level;
        *y = (stage){y->level, terms, from, x.words, far, x.leaves};
        x.leaves += (int64_t)1 << y->level;
        left -= x.w << y->level;
        far = terms;
        x.words += 2 * terms;
        from = y->to;
        if (larger(left, x.w) < terms) { /* the leading ones of those that are there */
            from += terms - larger(left, x.w);
            terms = larger(left, x.w);
        }
    }
    return x;
}

/* Words of a leaf's place for a polynomial; an update of l coefficients reads more behind them than it writes.  A leaf
 * of one jump has none. */
static int64_t place_of(const plan *x, const arrays *z)
{
    return x->jumps > 1 || z->ahead ? 5 * x->w + z->l + 52 : 0;
}

/* Coefficients begin ... end - 1 behind jump number j. */
static mmm_status update(mmm_program *program, const plan *x, const arrays *z, int from, int64_t j, int64_t begin,
                         int64_t end)
{
    const mmm_word_array *a = z->places[from], *b = z->places[1 - from];
    const int64_t blocks =
        begin < end ? (end - begin + z->l - 1) / z->l : 1; /* there may be nothing behind a short jump */
    return launch_update_by_parts(program, blocks, 16 * z->l, a[0], a[1], b[0], b[1], z->matrix[from], z->state, j,
                                  begin, end, x->s, z->l);
}

/* Leaf number z->leaf, of the windows from first_a and first_b on: its matrix to level 0. */
static mmm_status leaf(mmm_program *program, const plan *x, arrays *z, mmm_word_array windows, int64_t first_a,
                       int64_t first_b)
{
    const int64_t w = x->w, s = x->s, low = 3 * w + 3, size = place_of(x, z);
    const int64_t start = z->leaf * (x->jumps + 1) + 1, end = start + x->jumps, near = (s + z->l - 1) / z->l * z->l;
    const int64_t blocks = (4 * (w + 1) + THREADS - 1) / THREADS;
    const int done = (int)(x->jumps % 2);
    if (size == 0)
        return launch_plain_leaf(program, 1, z->h, windows, z->matrices, z->degrees, first_a, first_b, z->own[0],
                                 z->leaf++, s);
    MMM_TRY(launch_place(program, (size + THREADS - 1) / THREADS, THREADS, windows, z->places[0][0], z->places[0][1],
                         z->places[1][0], z->places[1][1], z->degrees, z->state, first_a, first_b, z->leaf, start, w,
                         low, size));
    for (int64_t j = 0; j < x->jumps; j++) { /* as in gcd-jump; of the last jump only the matrix is left to do */
        const int from = (int)(j % 2), head = mmm_program_kernels(program);
        const bool last = j == x->jumps - 1;
        const mmm_word_array *a = z->places[from], *b = z->places[1 - from];
        if (z->ahead) {
            MMM_TRY(launch_jump_head(program, (3 * w + 1 + z->l) / z->l, z->h, a[0], a[1], b[0], b[1], z->state,
                                     start + j, 0, 0, s, z->l));
            continue;
        }
        MMM_TRY(launch_plain_head(program, 1, z->h, a[0], a[1], z->matrix[from], z->state, start + j, 0, 0, s));
        if (j) MMM_TRY(mmm_program_depend(program, head - 2, head));
        mmm_program_chain(program, 0);
        if (!last) MMM_TRY(update(program, x, z, from, start + j, 0, near));
        MMM_TRY(update(program, x, z, from, start + j, last ? w / z->l * z->l : near, 3 * w + 2));
        for (int i = head + 1; i < mmm_program_kernels(program); i++) {
            MMM_TRY(mmm_program_depend(program, head, i));
            if (j) MMM_TRY(mmm_program_depend(program, head - 1, i));
        }
    }
    mmm_program_chain(program, 1);
    return launch_take_columns(program, blocks, THREADS, z->places[done][0], z->places[done][1], z->matrices, z->state,
                               z->degrees, z->own[0], z->leaf++, x->jumps, end, w);
}

/* The size for products of `length` words of which those from `least` on are 0, as leading ones cancel.  Modulo several
 * primes they are multiples of p, which may be added to other words, but not changed. */
static int size_for(transforms *y, bool direct, int64_t least, int64_t length)
{
    return direct ? transforms_size(y, least) : transforms_cyclic(y, least, length);
}

static operands matrix_of(const plan *x, const arrays *z, int level)
{
    int64_t terms = (x->w << level) + 1;
    return (operands){z->matrices, z->own[level], terms, terms, 4};
}

/* Kernels from number `first` on work on the rows of a matrix, or on two polynomials, each by itself. */
static mmm_status by_halves(mmm_program *program, int first)
{
    for (int i = first + 1; i < mmm_program_kernels(program); i++)
        MMM_TRY(mmm_program_shares(program, i, 2));
    return MMM_OK;
}

/* Whether windows of a level, 0 for whole stages, are transformed before they are needed: beside leaves, which leave
 * room for that on GPUs, and on CPUs are one block's work, where what lies there meanwhile is not too large for caches.
 */
static bool is_early(const arrays *z, int level)
{
    return z->ahead || (level > 0 && level < EARLY);
}

/* How many residues of size `next` the product that made the matrix of a level has left there. */
static int known_of(const transforms *y, const arrays *z, int level, int next)
{
    return level > 0 ? residues_of(y, next, z->size[level]) : 0;
}

/* Where it leaves them. */
static keep keep_in(const transforms *y, const arrays *z, int level, int next, mmm_u32_array array)
{
    return (keep){array, known_of(y, z, level, next) ? words_of(&y->sizes[next]) : 0};
}

/* What the matrix of a level makes of two polynomials, words `begin` ... of it, for level `above`, or 0 for a stage.
 * The polynomials have been there since kernel number `since`. */
static mmm_status apply(const transforms *y, const plan *x, arrays *z, int level, int above, int size, int since,
                        operands to_what, operands result, int64_t begin)
{
    mmm_program *program = y->program;
    const int last = mmm_program_kernels(program) - 1, before = is_early(z, above) ? since : last;
    const mmm_u32_array values = z->left[above], other = is_early(z, above) ? z->early[above] : z->other[0];
    mmm_program_chain(program, 0);
    MMM_TRY(transforms_values(y, size, to_what, 0, other));
    const int middle = mmm_program_kernels(program);
    MMM_TRY(by_halves(program, last + 1));
    MMM_TRY(transforms_values(y, size, matrix_of(x, z, level), known_of(y, z, level, size), values));
    for (int i = last + 1; i < mmm_program_kernels(program); i++)
        MMM_TRY(mmm_program_depend(program, i == last + 1 ? before : i == middle ? last : i - 1, i));
    mmm_program_chain(program, 1);
    const int end = mmm_program_kernels(program);
    MMM_TRY(transforms_combine(y, size, values, other, 1, z->result, (keep){.stride = 0}, result, begin));
    MMM_TRY(mmm_program_depend(program, middle - 1, end));
    return by_halves(program, middle);
}

/* The matrix of w 2^level steps, to its level; its values to where they are kept. */
static mmm_status jump(const transforms *y, const plan *x, arrays *z, int level, mmm_word_array windows,
                       int64_t first_a, int64_t first_b, keep kept)
{
    if (level == 0) return leaf(y->program, x, z, windows, first_a, first_b);
    const int64_t steps = x->w << level, half = steps / 2, right = z->window[level - 1];
    const int size = z->size[level], since = mmm_program_kernels(y->program) - 1;
    const mmm_u32_array left = z->left[level], other = z->other[level % 2];
    MMM_TRY(jump(y, x, z, level - 1, windows, first_a + half, first_b + half, keep_in(y, z, level - 1, size, left)));
    MMM_TRY(apply(y, x, z, level - 1, level, size, since, (operands){windows, first_a, first_b - first_a, steps, 2},
                  (operands){z->windows, right, half, half, 2}, half));
    MMM_TRY(jump(y, x, z, level - 1, z->windows, right, right + half, keep_in(y, z, level - 1, size, other)));
    const int product = mmm_program_kernels(y->program);
    MMM_TRY(transforms_values(y, size, matrix_of(x, z, level - 1), known_of(y, z, level - 1, size), other));
    MMM_TRY(transforms_combine(y, size, other, left, 2, z->result, kept, matrix_of(x, z, level), 0));
    return by_halves(y->program, product);
}

static mmm_status add_stage(stages *all, int number)
{
    const plan *x = &all->x;
    const stage *u = &x->stages[number];
    const int64_t above = u->terms - (x->w << u->level);
    const transforms *y = &all->y;
    arrays *z = &all->z;
    const int size = z->whole[number], since = mmm_program_kernels(y->program) - 1;
    MMM_TRY(jump(y, x, z, u->level, z->polynomials, u->from + above, u->from + u->far + above,
                 keep_in(y, z, u->level, size, z->left[0])));
    return apply(y, x, z, u->level, 0, size, since, (operands){z->polynomials, u->from, u->far, u->terms, 2},
                 (operands){z->polynomials, u->to, u->terms, u->terms, 2}, 0);
}

/* Degrees are those of steps, which do not see that a polynomial is 0 before they have passed all of it: a decision is
 * to know at once. */
static mmm_status add_decided(mmm_program *program, stages *all, mmm_unfold *decide)
{
    const stage *u = &all->x.stages[all->next];
    MMM_TRY(add_stage(all, all->next++));
    if (all->next == all->x.count) return MMM_OK;
    MMM_TRY(launch_vanish(program, 1, THREADS, all->z.polynomials, all->z.degrees, u->to, u->terms,
                          u->leaf + ((int64_t)1 << u->level)));
    return mmm_program_on_end(program, mmm_program_kernels(program) - 1, decide, all, sizeof *all);
}

/* The next stage, where some problem is not done. */
static mmm_status decide(mmm_program *program, int kernel, const void *context)
{
    stages all = *(const stages *)context;
    const stage *last = &all.x.stages[all.next - 1];
    const int64_t behind = 2 * (last->leaf + ((int64_t)1 << last->level));
    bool done = true;
    (void)kernel;
    for (int64_t problem = 0; problem < mmm_program_batch(program); problem++) {
        int32_t degrees[2];
        MMM_TRY(mmm_program_look(program, all.z.degrees.number, problem, behind, 2, degrees));
        done &= degrees[0] < 0 || degrees[1] < 0;
    }
    return done ? MMM_OK : add_decided(program, &all, decide);
}

static mmm_status build(mmm_job *job, mmm_program *program)
{
    const plan x = plan_of(job);
    const bool unfolds = mmm_job_get(job, "u");
    const bool direct = is_direct(mmm_job_modulus(job), 2 * (x.stages[0].terms + (x.w << x.levels)));
    arrays z = {.h = mmm_job_get(job, "h"), .l = mmm_job_get(job, "l"), .ahead = mmm_job_get(job, "k") == 2};
    transforms y = {.program = program,
                    .s = (int)mmm_job_get(job, "e"),
                    .c = mmm_job_get(job, "c"),
                    .large = wants_large(job),
                    .single = true};
    const int64_t place = place_of(&x, &z);
    int64_t windows = 0, matrices = 0, most = 0;
    MMM_TRY(
        mmm_job_array(job, "degrees", x.count ? 2 * (x.leaves + 1) : 0, unfolds ? MMM_ZERO_OUT : MMM_OUT, &z.degrees));
    MMM_TRY(mmm_job_array(job, "polynomials", x.words, MMM_RESULT, &z.polynomials));
    MMM_TRY(mmm_job_input(job, A, 0, x.n, MMM_IN | MMM_RESULT, &z.a));
    MMM_TRY(mmm_job_input(job, B, 0, x.m, MMM_IN | MMM_RESULT, &z.b));
    if (!x.count) return MMM_OK;
    MMM_TRY(mmm_program_expect(program, x.leaves * (3 * x.jumps + 30)));
    for (int i = 0; i <= x.levels; i++) {
        z.window[i] = windows;
        z.own[i] = matrices;
        windows += 2 * x.w << i;
        matrices += 4 * ((x.w << i) + 1);
        if (i) z.size[i] = size_for(&y, direct, (x.w << i) + 1, 3 * x.w << i >> 1);
    }
    for (int i = 0; i < x.count; i++) {
        const int64_t terms = x.stages[i].terms, steps = x.w << x.stages[i].level;
        z.whole[i] = size_for(&y, direct, larger(terms, steps + 1), terms + steps);
    }
    MMM_TRY(transforms_arrays(&y, job, 4 * ((x.w << x.levels) + 1)));
    for (int i = 0; i < y.count; i++)
        most = larger(most, words_of(&y.sizes[i]));
    MMM_TRY(mmm_job_array(job, "windows", windows, MMM_WORK, &z.windows));
    MMM_TRY(mmm_job_array(job, "matrices", matrices, MMM_WORK, &z.matrices));
    for (int i = 0; i < 2; i++) {
        MMM_TRY(mmm_job_array(job, "place_a", place, MMM_WORK, &z.places[i][0]));
        MMM_TRY(mmm_job_array(job, "place_b", place, MMM_WORK, &z.places[i][1]));
        MMM_TRY(mmm_job_array(job, "matrix", 4 * (x.s + 1), MMM_WORK, &z.matrix[i]));
    }
    MMM_TRY(mmm_job_array(job, "state", 4 * (x.leaves * (x.jumps + 1) + 2), MMM_WORK, &z.state));
    for (int i = 0; i <= x.levels; i++)
        MMM_TRY(
            transforms_array(&y, job, "left", 4 * y.primes * (i ? words_of(&y.sizes[z.size[i]]) : most), &z.left[i]));
    for (int i = 0; i <= x.levels; i++)
        if (is_early(&z, i))
            MMM_TRY(transforms_array(&y, job, "early", 2 * y.primes * (i ? words_of(&y.sizes[z.size[i]]) : most),
                                     &z.early[i]));
    for (int i = 0; i < 2; i++)
        MMM_TRY(transforms_array(&y, job, "other", 4 * y.primes * most, &z.other[i]));
    MMM_TRY(transforms_array(&y, job, "result", 4 * y.primes * most, &z.result));
    MMM_TRY(launch_align(program, (x.stages[0].terms + THREADS - 1) / THREADS, THREADS, z.a, z.b, z.polynomials,
                         z.degrees, x.n, x.m, x.stages[0].terms));
    stages all = {x, z, y, 0};
    if (unfolds)
        MMM_TRY(add_decided(program, &all, decide));
    else
        for (int i = 0; i < x.count; i++)
            MMM_TRY(add_stage(&all, i));
    return transforms_fill(&y, job);
}

/* The same of a leaf of one jump: windows that both have coefficients. */
static void sample_leaf(mmm_job *job, int kernel)
{
    enum { WINDOWS, DEGREES_OF = 2, FIRST, LEAF = 6 }; /* arguments */
    const mmm_program *program = mmm_job_program(job);
    const plan x = plan_of(job);
    const int64_t least = x.n < x.m ? x.n : x.m, size = mmm_job_modulus(job)->bits / 8;
    char *windows = mmm_job_memory(job, mmm_program_argument(program, kernel, WINDOWS).number);
    int32_t *degrees = mmm_job_memory(job, mmm_program_argument(program, kernel, DEGREES_OF).number);
    if (!windows || !degrees) return; /* of a plan, on a device */
    degrees += 2 * mmm_program_argument(program, kernel, LEAF).integer;
    for (int i = 0; i < 2; i++) {
        degrees[i] = (int32_t)(2 * x.w - 1);
        memcpy(windows + mmm_program_argument(program, kernel, FIRST + i).integer * size,
               mmm_job_memory(job, POLYNOMIALS + 1 + i), (size_t)((x.s < least ? x.s : least) * size));
    }
}

/* What the kernels of a leaf's jumps find on polynomials of which nothing is known: some leading coefficients, degrees
 * that are as close as they can be, and the matrix of a jump, of half its steps a polynomial. */
static void sample(mmm_job *job, int kernel)
{
    static const struct {
        const char *kernel;
        int state; /* the number of that argument, which that of the jump follows */
    } those[] = {{"plain_head", 3}, {"jump_head", 4}, {"update_by_parts", 5}};
    const mmm_program *program = mmm_job_program(job);
    const plan x = plan_of(job);
    const int64_t degree = 2 * x.w - 1, least = x.n < x.m ? x.n : x.m, leading = x.s < least ? x.s : least;
    int at = 0;
    for (int i = 0; i < 3; i++)
        if (strcmp(mmm_program_code(program, kernel)->name, those[i].kernel) == 0) at = those[i].state;
    if (strcmp(mmm_program_code(program, kernel)->name, "plain_leaf") == 0) sample_leaf(job, kernel);
    if (!at) return;
    int32_t *state = mmm_job_memory(job, mmm_program_argument(program, kernel, at).number);
    if (!state) return; /* of a plan, on a device */
    state += 4 * mmm_program_argument(program, kernel, at + 1).integer;
    state[0] = state[1] = (int32_t)degree;
    state[2] = (int32_t)(x.s / 2);
    state[3] = (int32_t)(x.s - x.s / 2 + 1);
    state[4] = state[5] = (int32_t)(degree - x.s / 2);
    for (int i = 0; i < 2; i++)
        memcpy(mmm_job_memory(job, mmm_program_argument(program, kernel, i).number),
               mmm_job_memory(job, POLYNOMIALS + 1 + i), (size_t)leading * (size_t)mmm_job_modulus(job)->bits / 8);
}

static mmm_status finish(mmm_job *job)
{
    const plan x = plan_of(job);
    const int32_t *degrees = mmm_job_memory(job, DEGREES);
    if (!x.count) return mmm_job_set_output(job, 0, POLYNOMIALS + (x.n ? 1 : 2), 0, x.n ? x.n : x.m);
    for (int i = 0; i < x.count; i++) {
        const stage *y = &x.stages[i];
        const int32_t *behind = degrees + 2 * (y->leaf + ((int64_t)1 << y->level));
        if (behind[0] >= 0 && behind[1] >= 0) continue;
        const int which = behind[0] < 0;
        const int64_t terms = behind[which] + 1;
        return mmm_job_set_output(job, 0, POLYNOMIALS, y->to + which * y->terms + y->terms - terms, terms);
    }
    return mmm_fail(MMM_WRONG, "no polynomial has become 0");
}

static mmm_status settle(mmm_job *job)
{
    const int64_t h = mmm_job_get(job, "h");
    if (mmm_job_get(job, "k") == 2 && h < 32)
        return mmm_fail(MMM_INVALID, "h=%lld: a head that does 2 steps at once (k=2) has 32 threads or more",
                        (long long)h);
    return MMM_OK;
}

MMM_APPLICATION = {
    .name = "gcd-half",
    .summary = "greatest common divisor of polynomials, matrices of steps multiplied by number-theoretic transforms",
    .oracle = "FLINT",
    .parameters = {{"n", "the number of terms of a", MMM_SIZE, 1, 1 << 22, 4096},
                   {"m", "the number of terms of b", MMM_SIZE, 1, 1 << 22, 4096},
                   {"s", "the number of division steps of a jump", MMM_CHOICE, 1, 1 << 12, 255, "120,180,255"},
                   {"j", "the number of jumps of a leaf", MMM_CHOICE, 1, 64, 1, "1,4,10,20"},
                   {"h", "the number of threads of a head", MMM_CHOICE, 1, 1024, 1, "1,256"},
                   {"l", "the number of coefficients of a block that updates, or of one of a head (k=2)", MMM_CHOICE, 1,
                    512, 32, "8,32,82"},
                   {"k", "the number of steps at once in a head: 1, or 2 by 32 threads ahead of the others", MMM_CHOICE,
                    1, 2, 1, "1-2"},
                   {"e", "the number of levels of a kernel of butterflies", MMM_CHOICE, 1, 12, 8, "6,8,10,12",
                    "max(e, 4)"},
                   {"c", "the number of neighbouring columns of a block", MMM_CHOICE, 1, 1 << 10, 16, "16,32", NULL},
                   {"u", "the stages: 0, known beforehand; 1, decided on one by one, short ones first", MMM_CHOICE, 0,
                    1, 0, "0"},
                   {"large", "1: primes below 2^48 where words have 64 bits, not below 2^31", MMM_OTHER, 0, 1, 0},
                   {"p", "the prime modulus", MMM_MODULUS, 2, INT64_MAX, 2013265921},
                   {"seed", "the seed of random inputs", MMM_SEED, 0, INT64_MAX, 1}},
    .constraints = "is_power_of_2(c); k = 2 or 12*s + 8 <= Z; k = 1 or 8*max(s, 30) + 4*l + 1336 <= Z; "
                   "k = 2 or j = 1 or 18*l + 6*s + 240 <= Z; h <= threads; 16*min(2 - k, j - 1)*l <= threads; "
                   "256 <= threads; 32*(k - 1) <= h",
    .oblivious = "align place take_columns split columns_forward columns_backward rows_forward combine_rows join "
                 "update_by_parts",
    .inputs = {{"a", MMM_POLYNOMIAL, "n"}, {"b", MMM_POLYNOMIAL, "m"}},
    .outputs = {{"g", MMM_POLYNOMIAL, "max(n, m)", .monic = 1}},
    .calibration = {"n=1500 m=1400 s=120,255 j=1 h=1 e=6,8 c=16,32", "n=3000 m=3000 s=120,255 j=1 h=1 e=6,8 c=16,32"},
    .settle = settle,
    .build = build,
    .sample = sample,
    .finish = finish,
    .check = mmm_oracle_gcd,
};
