/* SPDX-License-Identifier: Apache-2.0 */
/* The Euclidean algorithm in jumps of s steps: g = gcd(a, b), monic.
 *
 * A jump is a head, one block that makes the matrix of s steps, and two updates that apply it.  The next head needs the
 * first s coefficients of each polynomial alone, which the first update makes: the second one makes the others beside
 * that head.  So the DAG is no chain, but two branches.
 *
 * Or (r = 0) a jump is one kernel: each of its blocks does the chain of the head for itself, and every batch of it to l
 * coefficients of its own.  That is as many times the work of a head as there are blocks, but one kernel a jump instead
 * of two on the longest path, and no matrix: the faster way where there are SMs for all blocks. */
#include <mmm/app.h>
#include <mmm/model.h>

#include "kernels.h"

#include <string.h>

enum { STATE = 4, X, Y, MATRIX, NEXT_X, NEXT_Y }; /* numbers of arrays */
static const int coefficients[] = {X, Y, NEXT_X, NEXT_Y};
enum { PASS = 1024, PASS_THREADS = 128 }; /* coefficients and threads of a block that copies */

typedef mmm_status launcher(mmm_program *program, int64_t blocks, int64_t threads, mmm_word_array a, mmm_word_array b,
                            mmm_word_array next_a, mmm_word_array next_b, mmm_word_array matrix, mmm_i32_array state,
                            int64_t j, int64_t begin, int64_t end, int64_t s, int64_t l);

/* What a job of n and m terms, n >= m, takes: a step lowers deg a + deg b, n + m - 2 at first, by one, until one of the
 * degrees is -1. */
typedef struct plan {
    int64_t n, m, s;
    int first; /* the input with more terms, which takes the place of a */
    int64_t jumps;
} plan;

static plan plan_of(const mmm_job *job)
{
    plan p = {.first = mmm_job_length(job, 0) < mmm_job_length(job, 1), .s = mmm_job_get(job, "s")};
    p.n = mmm_job_length(job, p.first);
    p.m = mmm_job_length(job, !p.first);
    if (p.s && mmm_job_get(job, "k") == 2) p.s = p.s < 30 ? 30 : p.s / 30 * 30;
    if (p.m && p.n + p.m > 2) p.jumps = p.s ? (p.n + p.m - 2 + p.s) / p.s : 1;
    return p;
}

static mmm_status build(mmm_job *job, mmm_program *program)
{
    const plan p = plan_of(job);
    const int64_t s = p.s, h = mmm_job_get(job, "h"), l = mmm_job_get(job, "l"), r = mmm_job_get(job, "r");
    const int64_t tile = r ? r * l : l, threads = r == 1 ? 16 * l : l, near = (s + tile - 1) / tile * tile;
    const int64_t room = p.n + tile + s + 48; /* an update reads that far behind its last coefficient */
    const int ahead = mmm_job_get(job, "k") == 2;
    launcher *const update = r == 1 ? launch_update_by_parts : launch_update_by_tiles;
    mmm_word_array a, b, last_a, last_b, x[2], y[2], matrix[2];
    mmm_i32_array state;
    MMM_TRY(mmm_job_input(job, p.first, 0, p.n, MMM_IN, &a));
    MMM_TRY(mmm_job_input(job, !p.first, 0, p.m, MMM_IN, &b));
    MMM_TRY(mmm_job_array(job, "last_a", p.n, MMM_WORK, &last_a));
    MMM_TRY(mmm_job_array(job, "last_b", p.m, MMM_WORK, &last_b));
    MMM_TRY(mmm_job_array(job, "state", p.jumps ? 4 * p.jumps + 2 : 0, MMM_OUT, &state));
    MMM_TRY(mmm_job_output(job, 0, p.jumps ? last_a : a, 0, p.n));
    MMM_TRY(mmm_job_set_output_else(job, 0, (p.jumps ? last_b : b).number, 0, p.m));
    if (p.jumps == 0) return MMM_OK;
    MMM_TRY(mmm_job_output_degrees(job, 0, state, 4 * p.jumps));
    if (s == 0) return launch_euclid(program, 1, h, a, b, last_a, last_b, state, p.n - 1, p.m - 1, p.n);
    for (int i = 0; i < 2; i++) {
        MMM_TRY(mmm_job_array(job, i ? "next_x" : "x", room, MMM_WORK, &x[i]));
        MMM_TRY(mmm_job_array(job, i ? "next_y" : "y", room, MMM_WORK, &y[i]));
        MMM_TRY(mmm_job_array(job, i ? "next_matrix" : "matrix", 4 * (s + 1), MMM_WORK, &matrix[i]));
    }
    MMM_TRY(mmm_program_expect(program, 3 * p.jumps + 2));
    mmm_program_chain(program, r == 0);
    MMM_TRY(
        launch_enter(program, (room + PASS - 1) / PASS, PASS_THREADS, a, b, x[0], y[0], x[1], y[1], p.n, p.m, room));
    for (int64_t j = 0; j < p.jumps; j++) {
        const int from = (int)(j % 2), to = 1 - from;
        if (r == 0) {
            const int64_t left = p.n + p.m - s * j; /* terms of both; of what is the gcd, m at most, for good */
            const int64_t terms = left > p.n ? p.n : left < p.m ? p.m : left;
            MMM_TRY(launch_jump_head(program, (terms + l - 1) / l, h, x[from], y[from], x[to], y[to], state, j, p.n - 1,
                                     p.m - 1, s, l));
            continue;
        }
        const int head = (int)(3 * j + 1), first = head + 1, second = head + 2;
        const int64_t terms = (p.n + p.m - s * j) / 2 + 1, rest = terms > near ? (terms - near + tile - 1) / tile : 1;
        MMM_TRY(ahead
                    ? launch_jump_head(program, 1, h, x[from], y[from], matrix[from], matrix[from], state, j, p.n - 1,
                                       p.m - 1, s, 0)
                    : launch_plain_head(program, 1, h, x[from], y[from], matrix[from], state, j, p.n - 1, p.m - 1, s));
        MMM_TRY(update(program, near / tile, threads, x[from], y[from], x[to], y[to], matrix[from], state, j, 0, near,
                       s, l));
        MMM_TRY(update(program, rest, threads, x[from], y[from], x[to], y[to], matrix[from], state, j, near, INT32_MAX,
                       s, l));
        MMM_TRY(mmm_program_depend(program, j ? first - 3 : 0, head));
        MMM_TRY(mmm_program_depend(program, head, first));
        MMM_TRY(mmm_program_depend(program, head, second));
        if (j == 0) continue;
        MMM_TRY(mmm_program_depend(program, second - 3, first));
        MMM_TRY(mmm_program_depend(program, second - 3, second));
    }
    const int64_t end = p.jumps % 2;
    MMM_TRY(
        launch_leave(program, (p.m + PASS - 1) / PASS, PASS_THREADS, x[end], y[end], last_a, last_b, state, p.jumps));
    if (r == 0) return MMM_OK;
    MMM_TRY(mmm_program_depend(program, (int)(3 * p.jumps - 1), (int)(3 * p.jumps + 1)));
    return mmm_program_depend(program, (int)(3 * p.jumps), (int)(3 * p.jumps + 1));
}

/* Degrees in the middle of a run on polynomials of which nothing is known, as close as they can be, with some leading
 * coefficients, and the matrix that a jump has then: of half its steps a polynomial, but where it divides. */
static void sample(mmm_job *job, int kernel)
{
    const plan p = plan_of(job);
    const int64_t r = mmm_job_get(job, "r"), j = r ? (kernel - 1) / 3 : kernel - 1, s = p.s;
    const int64_t left = p.n + p.m - 2 - (r ? s * j : 0); /* blocks of a head all have something to do */
    const int divides = p.n - p.m >= s * (j + 1);
    const int64_t da = divides ? p.n - 1 - s * j : (left + 1) / 2, db = divides ? p.m - 1 : left / 2;
    const int64_t leading = s + 64 < p.m ? s + 64 : p.m;
    int32_t *state = mmm_job_memory(job, STATE);
    if (!s || kernel < 1 || j >= p.jumps || left < 0 || !mmm_job_memory(job, X)) return; /* of a plan, on a device */
    for (int i = 0; i < 4; i++)
        memcpy(mmm_job_memory(job, coefficients[i]), mmm_job_memory(job, i % 2),
               (size_t)leading * (size_t)mmm_job_modulus(job)->bits / 8);
    state[4 * j] = (int32_t)da;
    state[4 * j + 1] = (int32_t)db;
    state[4 * j + 2] = (int32_t)(divides ? 0 : s / 2);
    state[4 * j + 3] = (int32_t)(divides ? s + 1 : s - s / 2 + 1);
    state[4 * j + 4] = (int32_t)(divides ? da - s : da - s / 2);
    state[4 * j + 5] = (int32_t)(divides ? db : db - s / 2);
}

static mmm_status settle(mmm_job *job)
{
    const int64_t r = mmm_job_get(job, "r"), h = mmm_job_get(job, "h");
    if (mmm_job_get(job, "k") == 2 && mmm_job_get(job, "s") > 0 && h < 32)
        return mmm_fail(MMM_INVALID, "h=%lld: a head that does 2 steps at once (k=2) has 32 threads or more",
                        (long long)h);
    if (r != 0 && r != 1 && r != 8)
        return mmm_fail(MMM_INVALID, "r=%lld: a thread makes 1 or 8 coefficients, or 0: the heads make them",
                        (long long)r);
    if (r == 0 && mmm_job_get(job, "k") == 1 && mmm_job_get(job, "s") > 0)
        return mmm_fail(MMM_INVALID, "r=0: only heads that do 2 steps at once (k=2) apply their matrices themselves");
    return MMM_OK;
}

MMM_APPLICATION = {
    .name = "gcd-jump",
    .summary = "greatest common divisor of polynomials, s division steps a jump",
    .oracle = "FLINT",
    .parameters = {{"n", "the number of terms of a", MMM_SIZE, 1, 1 << 28, 4096},
                   {"m", "the number of terms of b", MMM_SIZE, 1, 1 << 28, 2048},
                   {"s", "the number of division steps of a jump; 0: all of them", MMM_CHOICE, 0, 1 << 12, 240,
                    "60,120,180,240,360,480,960", "min(s, n + m)"},
                   {"h", "the number of threads of a head", MMM_CHOICE, 1, 1024, 256, "1,32-512:*2"},
                   {"l", "how many times r coefficients a block updates at once", MMM_CHOICE, 1, 512, 32,
                    "8-64:*2,80,112"},
                   {"r", "the number of coefficients of a thread: 1 or 8; 0: no updates, blocks of a head do l each",
                    MMM_CHOICE, 0, 8, 1, "0,1,8"},
                   {"k", "the number of steps at once in a head: 1, or 2 by 32 threads ahead of the others", MMM_CHOICE,
                    1, 2, 2, "1-2"},
                   {"p", "the prime modulus", MMM_MODULUS, 2, INT64_MAX, 2013265921},
                   {"seed", "the seed of random inputs", MMM_SEED, 0, INT64_MAX, 1}},
    .constraints =
        "s > 0 or 4*max(n, m) <= Z; s = 0 or r = 0 or 12*max(s, 30*(k - 1)) + 1712*(k - 1) + 8 <= Z; "
        "s = 0 or r > 0 or 8*max(s, 30) + 4*l + 1336 <= Z; "
        "s = 0 or r = 0 or r = 8 or 18*l + 6*max(s, 30*(k - 1)) + 240 <= Z; "
        "s = 0 or r < 8 or 48*l + 6*max(s, 30*(k - 1)) + 96 <= Z; "
        "(2 - k)*(1 - min(r, 1))*min(s, 1) <= 0; h <= threads; 16*min(r, 1)*l <= threads; 32*min(k - 1, s) <= h",
    .oblivious = "enter leave update_by_parts update_by_tiles",
    .inputs = {{"a", MMM_POLYNOMIAL, "n"}, {"b", MMM_POLYNOMIAL, "m"}},
    .outputs = {{"g", MMM_POLYNOMIAL, "max(n, m)", .monic = 1}},
    .calibration = {"n=300 m=280 s=60,120 h=1,64 l=8,32 r=1,8 k=1", "n=700 m=600 s=60,206,240 h=1,64 l=8,32 r=8 k=1",
                    "n=900 m=800 s=120,240 h=64,256 l=32 r=1 k=2"},
    .settle = settle,
    .build = build,
    .sample = sample,
    .check = mmm_oracle_gcd,
};
