/* SPDX-License-Identifier: Apache-2.0 */
/* Examples of mmm/kernel.h: a program of one's own, made of a kernel of the library. */
#include "example.h"

#include <mmm/apps/division.h>
#include <mmm/model.h>

/* mmm_modulus_read mmm_modulus_enter mmm_modulus_leave */
static void residues(void)
{
    mmm_modulus p;
    must(mmm_modulus_read(2013265921, &p));
    assert(p.bits == 32 && p.shift == 32);
    uint64_t x = mmm_modulus_enter(&p, 5); /* as kernels see it: 5 * 2^32 mod p */
    assert(x == ((uint64_t)5 << 32) % p.p && x != 5);
    assert(mmm_modulus_leave(&p, x) == 5);
    assert(mmm_modulus_read(100, &p) == MMM_INVALID); /* no prime */
}

/* mmm_type_name mmm_type_size */
static void types(void)
{
    assert(strcmp(mmm_type_name(MMM_F32), "f32") == 0 && mmm_type_size(MMM_F32) == 4);
    assert(strcmp(mmm_type_name(MMM_WORD), "word") == 0 && mmm_type_size(MMM_WORD) == 0); /* the program's */
}

/* mmm_program_set_words mmm_program_set_batch mmm_program_batch mmm_program_array mmm_program_expect
 * mmm_program_launch mmm_program_hint mmm_machine_run mmm_machine_fetch */
enum { N = 3, M = 2, S = 1 }; /* a of 3 terms, b of 2, one division step a kernel */

static void divide_two(mmm_machine *machine)
{
    uint32_t a[2][N] = {{3, 3, 1}, {2, 3, 1}}, b[2][M] = {{1, 1}, {1, 1}}, q[2][N - M + 1]; /* two problems */
    mmm_word_array in, by, out;
    mmm_modulus p;
    mmm_program *program;
    must(mmm_modulus_read(P, &p));
    for (int i = 0; i < 2 * N; i++)
        a[0][i] = (uint32_t)mmm_modulus_enter(&p, a[0][i]);
    for (int i = 0; i < 2 * M; i++)
        b[0][i] = (uint32_t)mmm_modulus_enter(&p, b[0][i]);
    must(mmm_program_new(&program));
    must(mmm_program_set_words(program, p.bits, &p));
    must(mmm_program_set_batch(program, 2));
    assert(mmm_program_batch(program) == 2);
    must(mmm_program_array(program, "a", MMM_WORD, N, MMM_IN | MMM_RESULT, a,
                           &in.number)); /* the remainder is left in it */
    must(mmm_program_array(program, "b", MMM_WORD, M, MMM_IN, b, &by.number));
    must(mmm_program_array(program, "q", MMM_WORD, N - M + 1, MMM_OUT, q, &out.number));
    must(mmm_program_expect(program, 2));

    /* The first step by the launcher that is made from the kernel's file ... */
    uint64_t inverse = p.one; /* of the leading coefficient of b */
    must(launch_division(program, 1, 3 * S, in, by, out, N - 1, M - 1, S, inverse, S));
    /* ... and the second as the launcher does it, with the arguments in the order of the kernel's parameters. */
    const mmm_value arguments[] = {{.number = in.number}, {.number = by.number}, {.number = out.number},
                                   {.integer = N - 2},    {.integer = M - 1},    {.integer = S},
                                   {.word = inverse},     {.integer = S}};
    must(mmm_program_launch(program, &mmm_kernels_division[0], (mmm_grid){1, 1, 3 * S, 1}, (mmm_local){7 * S, 0},
                            arguments));
    mmm_program_hint(program, 0, 0); /* it does all that its constants say */

    double seconds;
    must(mmm_machine_run(machine, program, &seconds));
    assert(mmm_modulus_leave(&p, q[0][0]) == 2 && mmm_modulus_leave(&p, q[0][1]) == 1); /* x + 2 */
    must(mmm_machine_fetch(machine, program, in.number, 0, 1)); /* of the whole array only the remainders */
    assert(mmm_modulus_leave(&p, a[0][0]) == 1 && a[1][0] == 0);
    mmm_program_free(program);
}

/* mmm_program_chain */
static void in_any_order(void)
{
    uint32_t a[2][2] = {{0}}, b[2] = {0}, q[2][1];
    mmm_word_array in[2], by, out[2];
    mmm_shape shape;
    mmm_program *program;
    must(mmm_program_new(&program));
    must(mmm_program_array(program, "b", MMM_WORD, 2, MMM_IN, b, &by.number));
    mmm_program_chain(program, 0); /* two divisions, neither of which waits for the other */
    for (int i = 0; i < 2; i++) {
        must(mmm_program_array(program, i ? "a1" : "a0", MMM_WORD, 2, MMM_IN, a[i], &in[i].number));
        must(mmm_program_array(program, i ? "q1" : "q0", MMM_WORD, 1, MMM_OUT, q[i], &out[i].number));
        must(launch_division(program, 1, 3 * S, in[i], by, out[i], 1, 1, S, 1, S));
    }
    must(mmm_program_shape(program, &shape));
    assert(shape.edges == 0 && shape.K == 2 && shape.L == 1);
    mmm_program_free(program);
}

/* mmm_program_on_end mmm_program_look */
typedef struct division {
    mmm_word_array a, b, q;
    int64_t left; /* division steps */
} division;

/* Called when a step has ended: another one, unless nothing is left of a. */
static mmm_status go_on(mmm_program *program, int kernel, const void *context)
{
    division d = *(const division *)context;
    uint32_t a[4], any = 0;
    (void)kernel;
    mmm_status status = mmm_program_look(program, d.a.number, 0, 0, 4, a); /* as the step left it */
    if (status != MMM_OK) return status;
    for (int i = 0; i < d.left + M - 1; i++)
        any |= a[i];
    if (!any || !d.left) return MMM_OK;
    status = launch_division(program, 1, 3 * S, d.a, d.b, d.q, d.left + M - 2, M - 1, S, 1, S);
    d.left--;
    return status == MMM_OK ? mmm_program_on_end(program, mmm_program_kernels(program) - 1, go_on, &d, sizeof d)
                            : status;
}

static void until_nothing_is_left(mmm_machine *machine)
{
    uint32_t a[4] = {0, 0, 1, 1}, b[2] = {1, 1}, q[3] = {0}; /* x^3 + x^2 by x + 1: one step of three is enough */
    division d = {.left = 2};
    mmm_modulus two;
    mmm_program *program;
    must(mmm_modulus_read(2, &two)); /* residues modulo 2 are in arrays what they are */
    must(mmm_program_new(&program));
    must(mmm_program_set_words(program, two.bits, &two));
    must(mmm_program_array(program, "a", MMM_WORD, 4, MMM_IN, a, &d.a.number));
    must(mmm_program_array(program, "b", MMM_WORD, 2, MMM_IN, b, &d.b.number));
    must(mmm_program_array(program, "q", MMM_WORD, 3, MMM_ZERO_OUT, q, &d.q.number));
    must(launch_division(program, 1, 3 * S, d.a, d.b, d.q, 3, M - 1, S, 1, S));
    must(mmm_program_on_end(program, 0, go_on, &d, sizeof d));
    must(mmm_machine_run(machine, program, NULL));
    assert(mmm_program_kernels(program) == 1 && q[0] == 0 && q[1] == 0 && q[2] == 1); /* x^2 */
    mmm_program_free(program);
}

/* end */
int main(void)
{
    mmm_machine *machine;
    must(mmm_machine_open("cpu", &machine));
    residues();
    types();
    divide_two(machine);
    in_any_order();
    until_nothing_is_left(machine);
    mmm_machine_free(machine);
    return 0;
}
