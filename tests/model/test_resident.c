/* SPDX-License-Identifier: Apache-2.0 */
/* Several blocks on an SM at once, against a simulation of their shares. */
#include "durations.h"

/* Blocks that share SMs, each of which has up to `resident` of them and works on all at once, at an equal share of its
 * speed; a block that is ready goes to some SM that has room; a kernel is ready `launch` after those before it.  The
 * time at which the last block ends. */
static double shared(const mmm_program *program, double U, double launch, int64_t resident, int64_t P, bool crowd,
                     mmm_random *random)
{
    enum { SMS = 8, LIVE = 4096 };
    static double left[LIVE];
    static int64_t at[LIVE], kernel[LIVE];
    double now = 0, from[64];
    int64_t started[64] = {0}, ended[64] = {0}, on[SMS] = {0}, live = 0, to_do = 0;
    assert_true(P <= SMS && program->kernels <= 64);
    for (int k = 0; k < (int)program->kernels; k++) {
        from[k] = launch;
        to_do += program->nodes[k].blocks;
    }
    while (to_do > 0) {
        for (bool again = true; again;) { /* every block that is ready and finds room starts */
            again = false;
            for (int k = 0; k < (int)program->kernels; k++) {
                const mmm_node *node = &program->nodes[k];
                bool ready = from[k] <= now && started[k] < node->blocks;
                for (int64_t e = 0; e < program->edge_count && ready; e++)
                    ready = program->edges[e].after != k ||
                            ended[program->edges[e].before] == program->nodes[program->edges[e].before].blocks;
                int64_t sm = crowd ? 0 : draw(random, 0, P - 1), tries = 0;
                while (ready && tries < P && on[sm] == resident)
                    sm = (sm + 1) % P, tries++;
                if (!ready || on[sm] == resident) continue;
                int64_t number = started[k]++, g = 0;
                while (number >= node->costs[g].blocks)
                    number -= node->costs[g++].blocks;
                assert_true(live < LIVE);
                left[live] = duration_of(&node->costs[g], U);
                at[live] = sm;
                kernel[live++] = k;
                on[sm]++;
                again = true;
            }
        }
        double step = INFINITY; /* until a block ends or a kernel becomes ready */
        for (int64_t b = 0; b < live; b++)
            step = fmin(step, left[b] * (double)on[at[b]]);
        for (int k = 0; k < (int)program->kernels; k++)
            if (from[k] > now) step = fmin(step, from[k] - now);
        assert_true(step < INFINITY);
        int64_t share[SMS];
        memcpy(share, on, sizeof share);
        now += step;
        for (int64_t b = live - 1; b >= 0; b--) {
            left[b] -= step / (double)share[at[b]];
            if (left[b] > 1e-9) continue;
            int k = (int)kernel[b];
            on[at[b]]--;
            to_do--;
            if (++ended[k] == program->nodes[k].blocks)
                for (int64_t e = 0; e < program->edge_count; e++)
                    if (program->edges[e].before == k) from[program->edges[e].after] = now + launch;
            live--;
            left[b] = left[live], at[b] = at[live], kernel[b] = kernel[live];
        }
    }
    return now;
}

/* Several blocks on an SM at once: the bound counts the longest block as often as it may have to share. */
static void test_resident_blocks(void **state)
{
    (void)state;
    mmm_random random = {77};
    for (int trial = 0; trial < 1000; trial++) {
        mmm_program *program = random_program(&random, (int)draw(&random, 1, 8), 30, (int)draw(&random, 0, 10));
        random_costs(&random, program, trial % 2 ? 4 : 40, draw(&random, 0, 2));
        double U = (double)draw(&random, 1, 10), launch = (double)draw(&random, 0, 20);
        int64_t P = draw(&random, 1, 6), resident = draw(&random, 1, 5);
        double end = shared(program, U, launch, resident, P, trial % 3 == 0, &random);
        assert_true(end <= extended_bound(program, U, launch, resident, P) * (1 + 1e-9));
        mmm_program_free(program);
    }
    /* Three blocks that greed puts on one of two SMs: with the longest block counted once it would be no bound. */
    mmm_program *program;
    assert_ok(mmm_program_new(&program));
    assert_ok(mmm_program_add(program, "a", 3, 1, NULL));
    assert_ok(mmm_program_set_costs(program, 0, &(mmm_cost){.blocks = 3, .span = 10}, 1));
    double end = shared(program, 1, 0, 3, 2, true, &random);
    assert_true(fabs(end - 30) < 1e-9);
    assert_true(fabs(end / extended_bound(program, 1, 0, 1, 2) - 1.2) < 1e-9);
    assert_true(end <= extended_bound(program, 1, 0, 3, 2));
    mmm_program_free(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_resident_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
