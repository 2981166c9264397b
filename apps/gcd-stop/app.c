/* SPDX-License-Identifier: Apache-2.0 */
/* The Euclidean algorithm of `gcd` as a DAG that unfolds: it stops when it is done.
 *
 * Where a and b have a common factor of d terms, one of them is 0 after about n + m - 2 d steps, but a step takes no
 * more than one term off: what follows only counts down the degree of what is 0.  Here r kernels are added at a time,
 * and a decision at their end looks at the degrees.  Where a polynomial lost a term in every step of the last kernel
 * although it was not the longer one, s of its leading coefficients were 0, and one more kernel looks whether all
 * are. */
#include <mmm/app.h>
#include <mmm/apps/division.h>
#include <mmm/apps/gcd.h>
#include <mmm/model.h>

#include "kernels.h"

#include <limits.h>
#include <stdbool.h>
#include <string.h>

enum { A, B, NEXT_A, NEXT_B, DEGREE, QUOTIENT, SOME }; /* the arrays of the program, in this order */
enum { THREADS_OF_LOOK = 64, BLOCKS_OF_LOOK = 32 };    /* of the kernel that looks for what is not 0 */
static const int32_t never = INT_MIN;                  /* the degree of a before a kernel that did not run */

/* What a job of n and m terms, n >= m, takes: steps by the division kernel, then at most so many calls of the other. */
typedef struct plan {
    int64_t n, m, s, r;
    int first;       /* the input with more terms, which takes the place of a */
    int64_t divided; /* steps of division */
    int64_t degrees; /* deg a + deg b after them */
    int64_t calls;
} plan;

/* What a decision knows: the arrays, before an odd and an even number of calls, and how many there were. */
typedef struct state {
    plan p;
    mmm_word_array a[2], b[2];
    mmm_i32_array degree, some;
    int64_t done, looks;
} state;

static plan plan_of(const mmm_job *job)
{
    plan p = {.first = mmm_job_length(job, 0) < mmm_job_length(job, 1), .s = mmm_job_get(job, "s")};
    p.r = mmm_job_get(job, "r");
    p.n = mmm_job_length(job, p.first);
    p.m = mmm_job_length(job, !p.first);
    p.divided = p.m ? (p.n - p.m + 1) / p.s * p.s : 0;
    p.degrees = p.n + p.m - 2 - p.divided;
    p.calls = p.m && p.degrees > 0 ? (p.degrees + p.s - 1) / p.s : 0;
    return p;
}

static mmm_status decide(mmm_program *program, int kernel, const void *context);

/* r more calls, and a decision where there may be others behind them. */
static mmm_status go_on(mmm_program *program, state *x)
{
    const plan *p = &x->p;
    for (int64_t k = 0; k < p->r && x->done < p->calls; k++, x->done++) {
        const int64_t degrees = p->degrees - p->s * x->done, from = x->done % 2;
        int64_t terms = (degrees + 1) / 2 + 1;
        if (x->done == 0) terms = p->n - p->divided > p->m ? p->n - p->divided : p->m;
        MMM_TRY(launch_gcd(program, (terms + p->s - 1) / p->s, 3 * p->s, x->a[from], x->b[from], x->a[1 - from],
                           x->b[1 - from], x->degree, x->done, degrees, p->s));
    }
    if (x->done == p->calls) return MMM_OK;
    return mmm_program_on_end(program, mmm_program_kernels(program) - 1, decide, x, sizeof *x);
}

typedef enum verdict { GOES_ON, MAY_BE_ZERO, DONE } verdict;

/* After the last call, from deg a before and after it. */
static verdict look_at(const state *x, const int32_t *da)
{
    const int64_t s = x->p.s, before = x->p.degrees - s * (x->done - 1) - da[0],
                  after = x->p.degrees - s * x->done - da[1];
    if (da[1] < 0 || after < 0) return DONE;
    bool a_fell = da[0] - da[1] == s && da[0] - (s - 1) < before;
    bool b_fell = da[0] == da[1] && before - (s - 1) <= da[0];
    return a_fell || b_fell ? MAY_BE_ZERO : GOES_ON;
}

/* What kernel `vanish` found: done where one polynomial is 0. */
static mmm_status decide_after_look(mmm_program *program, int kernel, const void *context)
{
    state x = *(const state *)context;
    int32_t some[2 * BLOCKS_OF_LOOK], found[2] = {0};
    (void)kernel;
    MMM_TRY(mmm_program_look(program, x.some.number, 0, 0, 2 * x.looks, some));
    for (int64_t i = 0; i < 2 * x.looks; i++)
        found[i % 2] |= some[i];
    return found[0] && found[1] ? go_on(program, &x) : MMM_OK;
}

static mmm_status decide(mmm_program *program, int kernel, const void *context)
{
    state x = *(const state *)context;
    const int64_t left = x.p.degrees - x.p.s * x.done, now = x.done % 2;
    int32_t da[2];
    (void)kernel;
    MMM_TRY(mmm_program_look(program, x.degree.number, 0, x.done - 1, 2, da));
    const verdict found = look_at(&x, da);
    if (found == DONE) return MMM_OK;
    if (found == GOES_ON) return go_on(program, &x);
    x.looks = left / THREADS_OF_LOOK + 1;
    if (x.looks > BLOCKS_OF_LOOK) x.looks = BLOCKS_OF_LOOK;
    MMM_TRY(launch_vanish(program, x.looks, THREADS_OF_LOOK, x.a[now], x.b[now], x.degree, x.some, x.done, left));
    return mmm_program_on_end(program, mmm_program_kernels(program) - 1, decide_after_look, &x, sizeof x);
}

static mmm_status build(mmm_job *job, mmm_program *program)
{
    state x = {.p = plan_of(job)};
    const int64_t n = x.p.n, m = x.p.m, s = x.p.s, divided = x.p.divided;
    mmm_word_array q;
    MMM_TRY(mmm_job_input(job, x.p.first, 0, n, MMM_IN | MMM_RESULT, &x.a[0]));
    MMM_TRY(mmm_job_input(job, !x.p.first, 0, m, MMM_IN | MMM_RESULT, &x.b[0]));
    MMM_TRY(mmm_job_array(job, "next_a", n - divided, MMM_RESULT, &x.a[1]));
    MMM_TRY(mmm_job_array(job, "next_b", m, MMM_RESULT, &x.b[1]));
    MMM_TRY(mmm_job_array(job, "degree", x.p.calls + 1, MMM_IN_OUT, &x.degree));
    MMM_TRY(mmm_job_array(job, "q", m ? n - m + 1 : 0, MMM_WORK, &q));
    MMM_TRY(mmm_job_array(job, "some", x.p.calls > x.p.r ? 2 * BLOCKS_OF_LOOK : 0, MMM_WORK, &x.some));
    uint64_t inverse = m ? mmm_job_residue(job, mmm_job_inverse(job, mmm_job_lead(job, !x.p.first))) : 0;
    for (int64_t i = 0; i < divided; i += s)
        MMM_TRY(launch_division(program, (m + 2 * s - 1) / (2 * s), 3 * s, x.a[0], x.b[0], q, n - 1 - i, m - 1, s,
                                inverse, s));
    return go_on(program, &x);
}

/* A random polynomial times x^(d-1) + 1, where both are so long. */
static mmm_status draw(mmm_job *job, int input, void *elements, int64_t count)
{
    uint64_t *x = elements;
    const uint64_t p = mmm_job_modulus(job)->p;
    const int64_t other = mmm_job_length(job, !input), least = other < count ? other : count;
    const int64_t d = mmm_job_get(job, "d"), shift = (d < least ? d : least) - 1;
    for (int64_t i = 0; i < count; i++)
        x[i] = i < count - shift ? mmm_job_random(job) % p : 0;
    if (count > 0) x[count - 1 - shift] = 1 + mmm_job_random(job) % (p - 1);
    for (int64_t i = count - 1; i >= shift && shift > 0; i--)
        x[i] = (x[i] + x[i - shift]) % p; /* p < 2^63 */
    return MMM_OK;
}

static mmm_status load(mmm_job *job)
{
    const plan p = plan_of(job);
    int32_t *degree = mmm_job_memory(job, DEGREE);
    for (int64_t i = 1; i <= p.calls; i++)
        degree[i] = never;
    degree[0] = (int32_t)(p.n - 1 - p.divided);
    return MMM_OK;
}

/* The terms of the common factor of random inputs. */
static int64_t common(const mmm_job *job)
{
    const plan p = plan_of(job);
    const int64_t d = mmm_job_get(job, "d");
    return d < p.m ? d : p.m;
}

/* deg a after i calls on polynomials of which no more is known: of two of the same degree a loses a term; once it is 0,
 * its own counts down. */
static int32_t likely(const plan *p, int64_t d, int64_t i)
{
    const int64_t left = p->degrees - p->s * i;
    if (i == 0) return (int32_t)(p->n - 1 - p->divided);
    return (int32_t)(left >= 2 * (d - 1) ? left / 2 : left - (d - 1));
}

/* Calls before a kernel; *looked: it is the one that looks for what is not 0. */
static int64_t calls_before(const mmm_program *program, int kernel, bool *looked)
{
    enum { CALL = 5, CALLS = 4 }; /* arguments: the number of the call, of those that were done */
    *looked = strcmp(mmm_program_code(program, kernel)->name, "vanish") == 0;
    return mmm_program_argument(program, kernel, *looked ? CALLS : CALL).integer;
}

/* deg a before a call, and coefficients where it reads them. */
static void sample(mmm_job *job, int kernel)
{
    const mmm_program *program = mmm_job_program(job);
    const plan p = plan_of(job);
    const size_t bytes = (size_t)mmm_job_modulus(job)->bits / 8;
    int32_t *degree = mmm_job_memory(job, DEGREE);
    bool looked;
    if (kernel < p.divided / p.s) return;
    const int64_t i = calls_before(program, kernel, &looked);
    memcpy(mmm_job_memory(job, NEXT_A), mmm_job_memory(job, A), (size_t)(p.n - p.divided) * bytes);
    memcpy(mmm_job_memory(job, NEXT_B), mmm_job_memory(job, B), (size_t)p.m * bytes);
    degree[i] = likely(&p, common(job), i);
}

/* What a decision looks at: degrees before and after the last call, and what is not 0 behind it. */
static void foresee(mmm_job *job)
{
    const mmm_program *program = mmm_job_program(job);
    const int last = mmm_program_kernels(program) - 1;
    const plan p = plan_of(job);
    bool looked;
    const int64_t d = common(job), before = calls_before(program, last, &looked), done = before + !looked;
    int32_t *degree = mmm_job_memory(job, DEGREE), *some = mmm_job_memory(job, SOME);
    for (int64_t i = done - 1; i <= done; i++)
        degree[i] = likely(&p, d, i);
    for (int i = 0; i < 2 * BLOCKS_OF_LOOK; i++)
        some[i] = i % 2 || p.degrees - p.s * done >= 2 * (d - 1);
}

/* The gcd is what the last call left: one of the two is 0, or both are constants. */
static mmm_status finish(mmm_job *job)
{
    const plan p = plan_of(job);
    const int32_t *degree = mmm_job_memory(job, DEGREE);
    int64_t left = p.degrees, i = 0;
    while (i < p.calls && degree[i + 1] != never && degree[i] >= 0 && left >= degree[i])
        i++, left -= p.s;
    MMM_TRY(mmm_job_set_output(job, 0, i % 2 ? NEXT_A : A, 0, degree[i] < 0 ? 0 : degree[i] + 1));
    return mmm_job_set_output_else(job, 0, i % 2 ? NEXT_B : B, 0, left < degree[i] ? 0 : left - degree[i] + 1);
}

MMM_APPLICATION = {
    .name = "gcd-stop",
    .summary = "greatest common divisor of polynomials that stops when it is done, s division steps a kernel",
    .oracle = "FLINT",
    .parameters = {{"n", "the number of terms of a", MMM_SIZE, 1, 1 << 28, 4096},
                   {"m", "the number of terms of b", MMM_SIZE, 1, 1 << 28, 2048},
                   {"s", "the number of division steps of a kernel", MMM_CHOICE, 1, 1 << 20, 128, NULL,
                    "min(s, min(n, m))"},
                   {"r", "the number of kernels between two decisions", MMM_CHOICE, 1, 1 << 20, 8, "2-32:*4"},
                   {"d", "the terms of a common factor of random inputs: 1, none", MMM_OTHER, 1, 1 << 28, 1},
                   {"p", "the prime modulus", MMM_MODULUS, 2, INT64_MAX, 2013265921},
                   {"seed", "the seed of random inputs", MMM_SEED, 0, INT64_MAX, 1}},
    .constraints = "7*s <= Z; 3*s <= threads; 128 <= Z; 64 <= threads",
    .oblivious = "division",
    .inputs = {{"a", MMM_POLYNOMIAL, "n"}, {"b", MMM_POLYNOMIAL, "m"}},
    .outputs = {{"g", MMM_POLYNOMIAL, "max(n, m)", .monic = 1}},
    .calibration = {"n=300 m=280 s=8,32,96,256 r=1000", "n=600 m=500 s=8,32,96,256 r=1000",
                    "n=1100 m=1000 s=8,32,96,256 r=1000", "n=900 m=400 s=8,32,96,256 r=1000"}, /* without decisions */
    .draw = draw,
    .build = build,
    .load = load,
    .sample = sample,
    .foresee = foresee,
    .finish = finish,
    .check = mmm_oracle_gcd,
};
