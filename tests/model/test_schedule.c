/* SPDX-License-Identifier: Apache-2.0 */
/* Greedy schedules: that they are schedules, greedy, and within Theorem 1 (section 2.4). */
#include "durations.h"

enum { MOST = 4096 };

typedef struct run {
    mmm_slice slices[MOST];
    int count;
    double makespan, last_start, decide;
} run;

static void keep(void *context, const mmm_slice *slice)
{
    run *r = context;
    assert_true(r->count < MOST);
    assert_true(slice->start >= r->last_start);
    r->last_start = slice->start;
    r->slices[r->count++] = *slice;
}

static void schedule(const mmm_program *program, const mmm_parameters *machine, int64_t P, uint64_t seed, run *r)
{
    memset(r, 0, sizeof *r);
    r->decide = machine->decide;
    assert_ok(mmm_program_schedule(program, machine, P, seed, keep, r, &r->makespan));
}

static double end_of(const mmm_slice *slice)
{
    return slice->start + (double)slice->rounds * slice->duration;
}

/* When a kernel's predecessors have ended, and what they decided on is known. */
static double ready_at(const mmm_program *program, const run *r, int kernel)
{
    double ready = 0;
    for (int64_t e = 0; e < program->edge_count; e++)
        if (program->edges[e].after == kernel)
            for (int i = 0; i < r->count; i++)
                if (r->slices[i].kernel == program->edges[e].before)
                    ready = fmax(ready, end_of(&r->slices[i]) + (program->edges[e].decides ? r->decide : 0));
    return ready;
}

/* The time for which SM `sm` works between two times. */
static double busy_between(const run *r, int64_t sm, double from, double to)
{
    double busy = 0;
    for (int i = 0; i < r->count; i++) {
        const mmm_slice *s = &r->slices[i];
        if (sm < s->sm || sm >= s->sm + s->sms) continue;
        double begin = fmax(from, s->start), end = fmin(to, end_of(s));
        if (end > begin) busy += end - begin;
    }
    return busy;
}

static void assert_slices_valid(const mmm_program *program, const run *r, int64_t P)
{
    double latest = 0;
    for (int i = 0; i < r->count; i++) {
        const mmm_slice *a = &r->slices[i];
        assert_true(a->sm >= 0 && a->sms >= 1 && a->sm + a->sms <= P && a->rounds >= 1);
        latest = fmax(latest, end_of(a));
        for (int j = 0; j < i; j++) {
            const mmm_slice *b = &r->slices[j];
            bool share = a->sm < b->sm + b->sms && b->sm < a->sm + a->sms;
            if (share) assert_true(a->start >= end_of(b));
        }
        assert_true(a->start >= ready_at(program, r, a->kernel));
    }
    assert_true(latest == r->makespan);
}

/* As many blocks of each duration as the costs say. */
static void assert_blocks_run_once(const mmm_program *program, const run *r, double U)
{
    for (int k = 0; k < (int)program->kernels; k++) {
        const mmm_node *node = &program->nodes[k];
        int64_t ran = 0;
        for (int g = 0; g < node->groups; g++) {
            double duration = duration_of(&node->costs[g], U);
            int64_t want = 0, got = 0;
            for (int h = 0; h < node->groups; h++)
                if (duration_of(&node->costs[h], U) == duration) want += node->costs[h].blocks;
            for (int i = 0; i < r->count; i++)
                if (r->slices[i].kernel == k && r->slices[i].duration == duration)
                    got += r->slices[i].sms * r->slices[i].rounds;
            assert_true(want == got);
        }
        for (int i = 0; i < r->count; i++)
            if (r->slices[i].kernel == k) ran += r->slices[i].sms * r->slices[i].rounds;
        assert_true(ran == node->blocks);
    }
}

/* While a block is ready and not started, all SMs work. */
static void assert_greedy(const mmm_program *program, const run *r, int64_t P)
{
    for (int i = 0; i < r->count; i++) {
        const mmm_slice *s = &r->slices[i];
        double ready = ready_at(program, r, s->kernel), last = s->start + (double)(s->rounds - 1) * s->duration;
        if (last == ready) continue;
        for (int64_t sm = 0; sm < P; sm++)
            assert_true(busy_between(r, sm, ready, last) == last - ready);
    }
}

static void assert_bounds(const mmm_program *program, const mmm_parameters *machine, const run *r, int64_t P)
{
    mmm_shape shape;
    mmm_measures measures;
    double total = 0, path = 0, to[64] = {0};
    const mmm_order *order;
    assert_ok(mmm_program_shape(program, &shape));
    assert_ok(mmm_program_measures(program, machine, &measures));
    assert_ok(mmm_program_order(program, &order));
    for (int i = 0; i < order->kernels; i++) {
        int k = order->sequence[i];
        double most = 0;
        for (int g = 0; g < program->nodes[k].groups; g++) {
            double duration = duration_of(&program->nodes[k].costs[g], machine->U);
            total += duration * (double)program->nodes[k].costs[g].blocks;
            most = fmax(most, duration);
        }
        to[k] += most;
        path = fmax(path, to[k]);
        for (int j = order->first[k]; j < order->first[k + 1]; j++)
            to[order->to[j]] = fmax(to[order->to[j]], to[k] + (order->to_decides[j] ? machine->decide : 0));
    }
    double slack = 1 + 1e-12;
    const double decisions = machine->decide * (double)shape.decisions;
    assert_true(r->makespan <= (extended_bound(program, machine->U, 0, 1, P) + decisions) * slack);
    assert_true(r->makespan <= mmm_theorem1(&shape, &measures, P) * slack);
    assert_true(r->makespan * slack >= total / (double)P);
    assert_true(r->makespan * slack >= path);
    if (P == 1 && !shape.decisions) assert_true(fabs(r->makespan - total) <= total * 1e-12);
    /* On as many SMs as an anti-chain has blocks, nothing ever waits for an SM. */
    if (P >= shape.K) assert_true(r->makespan <= path * slack);
}

static void test_random_programs(void **state)
{
    (void)state;
    static run r, again;
    mmm_random random = {51};
    for (int trial = 0; trial < 1500; trial++) {
        mmm_program *program =
            random_program(&random, (int)draw(&random, 1, 8), trial % 3 ? 12 : 60, (int)draw(&random, 0, 10));
        random_costs(&random, program, trial % 2 ? 4 : 40, draw(&random, 0, 2));
        mmm_parameters machine = {.U = (double)draw(&random, 1, 10), .Z = 1};
        int64_t P = draw(&random, 1, trial % 5 ? 6 : 150);
        schedule(program, &machine, P, (uint64_t)trial, &r);
        assert_slices_valid(program, &r, P);
        assert_blocks_run_once(program, &r, machine.U);
        assert_greedy(program, &r, P);
        assert_bounds(program, &machine, &r, P);
        schedule(program, &machine, P, (uint64_t)trial, &again);
        assert_memory_equal(&r, &again, sizeof r);
        mmm_program_free(program);
    }
}

/* Some edges of a program become decisions. */
static void unfold_some(mmm_random *random, mmm_program *program)
{
    for (int64_t e = 0; e < program->edge_count; e++)
        program->edges[e].decides = draw(random, 0, 2) == 0;
    mmm_program_touch(program);
}

/* Programs that unfolded, decisions of no cost among them: schedules wait for decisions, and Theorem 1 with what these
 * add is a bound. */
static void test_unfolded_programs(void **state)
{
    (void)state;
    static run r;
    mmm_random random = {55};
    int64_t decisions = 0;
    for (int trial = 0; trial < 1500; trial++) {
        mmm_program *program =
            random_program(&random, (int)draw(&random, 1, 8), trial % 3 ? 12 : 2000, (int)draw(&random, 2, 12));
        mmm_parameters machine = {.U = (double)draw(&random, 1, 10), .Z = 1, .decide = (double)draw(&random, 0, 200)};
        int64_t P = draw(&random, 1, trial % 5 ? 6 : 150);
        mmm_shape shape;
        random_costs(&random, program, trial % 2 ? 4 : 40, draw(&random, 0, 2));
        unfold_some(&random, program);
        schedule(program, &machine, P, (uint64_t)trial, &r);
        assert_slices_valid(program, &r, P);
        assert_blocks_run_once(program, &r, machine.U);
        assert_greedy(program, &r, P);
        assert_bounds(program, &machine, &r, P);
        assert_ok(mmm_program_shape(program, &shape));
        decisions += shape.decisions;
        mmm_program_free(program);
    }
    assert_true(decisions > 1000);
}

/* Large groups, so that many rounds are done at once, and a U that makes times inexact. */
static void test_large_groups(void **state)
{
    (void)state;
    static run r;
    mmm_random random = {52};
    for (int trial = 0; trial < 500; trial++) {
        int64_t most = trial % 4 ? 5000 : (int64_t)1 << 55;
        mmm_program *program = random_program(&random, 6, most, (int)draw(&random, 0, 8));
        for (int k = 0; k < 6; k++) {
            mmm_cost cost = {.blocks = program->nodes[k].blocks};
            cost.span = draw(&random, 0, 9);
            cost.reads = draw(&random, 0, 2);
            assert_ok(mmm_program_set_costs(program, k, &cost, 1));
        }
        bool exact = trial % 4 && trial % 2;
        mmm_parameters machine = {.U = exact ? 3 : 0.1, .Z = 1};
        int64_t P = draw(&random, 1, 9);
        schedule(program, &machine, P, (uint64_t)trial, &r);
        assert_blocks_run_once(program, &r, machine.U);
        assert_slices_valid(program, &r, P);
        if (exact) assert_greedy(program, &r, P);
        assert_bounds(program, &machine, &r, P);
        mmm_program_free(program);
    }
}

/* One kernel of equal blocks takes ceil(N / P) rounds, in one group or in many. */
static void test_equal_blocks(void **state)
{
    (void)state;
    static run r;
    mmm_random random = {53};
    mmm_parameters machine = {.U = 10, .Z = 1};
    for (int trial = 0; trial < 300; trial++) {
        mmm_program *program = random_program(&random, 1, trial % 2 ? 60 : (int64_t)1 << 40, 0);
        int64_t N = program->nodes[0].blocks, P = draw(&random, 1, trial % 2 ? 20 : 1000000);
        mmm_cost groups[2] = {{.blocks = N, .span = 2, .reads = 3}};
        assert_ok(mmm_program_set_costs(program, 0, groups, 1));
        schedule(program, &machine, P, 1, &r);
        assert_true(r.makespan == 32.0 * (double)((N + P - 1) / P));
        assert_true(r.count <= 2);
        if (N > 1) {
            groups[1] = groups[0];
            groups[0].blocks = draw(&random, 1, N - 1);
            groups[1].blocks = N - groups[0].blocks;
            assert_ok(mmm_program_set_costs(program, 0, groups, 2));
            schedule(program, &machine, P, 1, &r);
            assert_true(r.makespan == 32.0 * (double)((N + P - 1) / P));
        }
        mmm_program_free(program);
    }
}

static void count_blocks(void *context, const mmm_slice *slice)
{
    *(int64_t *)context += slice->sms * slice->rounds;
}

/* More groups than are drawn one by one. */
static void test_differing_blocks(void **state)
{
    (void)state;
    mmm_random random = {54};
    mmm_parameters machine = {.U = 1, .Z = 1};
    int n = 100000;
    mmm_cost *costs = calloc((size_t)n, sizeof *costs);
    mmm_program *program;
    double total = 0, most = 0;
    assert_ok(mmm_program_new(&program));
    assert_ok(mmm_program_add(program, "a", n, 1, NULL));
    for (int i = 0; i < n; i++) {
        costs[i] = (mmm_cost){.blocks = 1, .span = draw(&random, 0, 1000000)};
        total += (double)costs[i].span;
        most = fmax(most, (double)costs[i].span);
    }
    assert_ok(mmm_program_set_costs(program, 0, costs, n));
    for (int64_t P = 1; P <= 1000000; P *= 100) {
        int64_t blocks = 0;
        double makespan;
        assert_ok(mmm_program_schedule(program, &machine, P, 5, count_blocks, &blocks, &makespan));
        assert_true(blocks == n);
        assert_true(makespan >= total / (double)P && makespan >= most && makespan <= total / (double)P + most);
    }
    free(costs);
    mmm_program_free(program);
}

static void test_zero_costs(void **state)
{
    (void)state;
    static run r;
    mmm_program *program;
    mmm_parameters machine = {.U = 10, .Z = 1};
    assert_ok(mmm_program_new(&program));
    for (int k = 0; k < 50; k++) {
        assert_ok(mmm_program_add(program, "k", (int64_t)1 << 50, 1, NULL));
        assert_ok(mmm_program_set_costs(program, k, &(mmm_cost){.blocks = (int64_t)1 << 50}, 1));
        if (k) assert_ok(mmm_program_depend(program, k - 1, k));
    }
    schedule(program, &machine, 7, 3, &r);
    assert_true(r.makespan == 0);
    assert_slices_valid(program, &r, 7);
    assert_blocks_run_once(program, &r, 10);
    mmm_program_free(program);
}

static void test_seed_matters(void **state)
{
    (void)state;
    static run r;
    mmm_random random = {55};
    mmm_program *program = random_program(&random, 6, 1, 0);
    random_costs(&random, program, 9, 1);
    mmm_parameters machine = {.U = 2, .Z = 1};
    int first[6] = {0};
    for (uint64_t seed = 0; seed < 300; seed++) {
        schedule(program, &machine, 1, seed, &r);
        first[r.slices[0].kernel]++;
    }
    for (int k = 0; k < 6; k++)
        assert_in_range(first[k], 20, 90);
    mmm_program_free(program);
}

static void test_bad(void **state)
{
    (void)state;
    mmm_program *program;
    mmm_parameters machine = {.U = 10, .Z = 1};
    double makespan = -1;
    assert_ok(mmm_program_new(&program));
    assert_ok(mmm_program_schedule(program, &machine, 4, 1, NULL, NULL, &makespan));
    assert_true(makespan == 0);
    assert_ok(mmm_program_add(program, "a", 4, 1, NULL));
    assert_ok(mmm_program_add(program, "b", 4, 1, NULL));
    makespan = -1;
    assert_fails(mmm_program_schedule(program, &machine, 0, 1, NULL, NULL, &makespan), MMM_INVALID, "P = 0");
    assert_fails(mmm_program_schedule(program, &machine, -2, 1, NULL, NULL, &makespan), MMM_INVALID, "P = -2");
    assert_fails(mmm_program_schedule(program, &machine, 1, 1, NULL, NULL, &makespan), MMM_INVALID, "'a' has no costs");
    mmm_cost cost = {.blocks = 4, .span = 1, .reads = INT64_MAX, .writes = INT64_MAX};
    assert_ok(mmm_program_set_costs(program, 0, &cost, 1));
    assert_ok(mmm_program_set_costs(program, 1, &cost, 1));
    machine.U = NAN;
    assert_fails(mmm_program_schedule(program, &machine, 1, 1, NULL, NULL, &makespan), MMM_INVALID, "U");
    machine.U = 1e300;
    assert_fails(mmm_program_schedule(program, &machine, 1, 1, NULL, NULL, &makespan), MMM_TOO_LARGE, "a block takes");
    machine.U = 9e288;
    assert_fails(mmm_program_schedule(program, &machine, 1, 1, NULL, NULL, &makespan), MMM_TOO_LARGE, "its blocks end");
    machine.U = 1;
    assert_ok(mmm_program_depend(program, 0, 1));
    assert_ok(mmm_program_depend(program, 1, 0));
    assert_fails(mmm_program_schedule(program, &machine, 1, 1, NULL, NULL, &makespan), MMM_INVALID, "on a cycle");
    assert_true(makespan == -1);
    mmm_program_free(program);
}

/* The most blocks and the most SMs that numbers can hold. */
static void test_extremes(void **state)
{
    (void)state;
    static run r;
    static const int64_t Ps[] = {1, 2, 1000, INT64_MAX - 1, INT64_MAX};
    mmm_program *program;
    mmm_parameters machine = {.U = 1, .Z = 1};
    assert_ok(mmm_program_new(&program));
    assert_ok(mmm_program_add(program, "a", INT64_MAX, 1, NULL));
    assert_ok(mmm_program_set_costs(program, 0, &(mmm_cost){.blocks = INT64_MAX, .span = 3}, 1));
    for (size_t i = 0; i < sizeof Ps / sizeof *Ps; i++) {
        schedule(program, &machine, Ps[i], 1, &r);
        assert_slices_valid(program, &r, Ps[i]);
        assert_blocks_run_once(program, &r, 1);
        assert_bounds(program, &machine, &r, Ps[i]);
    }
    mmm_program_free(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unfolded_programs), cmocka_unit_test(test_random_programs),
        cmocka_unit_test(test_large_groups),      cmocka_unit_test(test_equal_blocks),
        cmocka_unit_test(test_differing_blocks),  cmocka_unit_test(test_zero_costs),
        cmocka_unit_test(test_seed_matters),      cmocka_unit_test(test_bad),
        cmocka_unit_test(test_extremes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
