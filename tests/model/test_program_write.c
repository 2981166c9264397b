/* SPDX-License-Identifier: Apache-2.0 */
/* Programs written and read again are the same: of every application, and random ones. */
#include "testing.h"

static const char *path(void)
{
    static char text[64];
    mkdir("build", 0777);
    snprintf(text, sizeof text, "build/test-write-%d.json", (int)getpid());
    return text;
}

static mmm_program *write_and_read(const mmm_program *program)
{
    mmm_program *again;
    assert_ok(mmm_program_write(program, path()));
    assert_ok(mmm_program_read(path(), &again));
    return again;
}

static int by_ends(const void *x, const void *y)
{
    const mmm_edge *a = x, *b = y;
    if (a->before != b->before) return a->before < b->before ? -1 : 1;
    return (a->after > b->after) - (a->after < b->after);
}

/* In whatever order: a file has those that unfolded apart. */
static void assert_same_edges(const mmm_program *x, const mmm_program *y)
{
    const size_t count = (size_t)x->edge_count;
    mmm_edge *a = calloc(count + 1, sizeof *a), *b = calloc(count + 1, sizeof *b);
    assert_non_null(a);
    assert_non_null(b);
    for (size_t i = 0; i < count; i++)
        a[i] = x->edges[i], b[i] = y->edges[i];
    qsort(a, count, sizeof *a, by_ends);
    qsort(b, count, sizeof *b, by_ends);
    for (size_t i = 0; i < count; i++)
        assert_true(by_ends(&a[i], &b[i]) == 0 && a[i].decides == b[i].decides);
    free(a);
    free(b);
}

static void assert_same(const mmm_program *x, const mmm_program *y)
{
    assert_true(x->kernels == y->kernels && x->edge_count == y->edge_count);
    for (int64_t k = 0; k < x->kernels; k++) {
        const mmm_node *a = &x->nodes[k], *b = &y->nodes[k];
        assert_string_equal(a->name, b->name);
        assert_true(a->blocks == b->blocks && a->threads == b->threads && a->local_words == b->local_words);
        assert_int_equal(a->groups, b->groups);
        assert_memory_equal(a->costs, b->costs, (size_t)a->groups * sizeof *a->costs);
    }
    assert_same_edges(x, y);
}

static void assert_same_analysis(const mmm_program *x, const mmm_program *y)
{
    static const int64_t P[] = {1, 3, 132};
    mmm_parameters machine = {.U = 10, .Z = 1, .decide = 7};
    mmm_analysis a, b;
    assert_ok(mmm_analysis_make(&a, x, &machine, P, 3, 5));
    assert_ok(mmm_analysis_make(&b, y, &machine, P, 3, 5));
    assert_memory_equal(&a.shape, &b.shape, sizeof a.shape);
    assert_memory_equal(&a.measures, &b.measures, sizeof a.measures);
    assert_true(a.corollary1 == b.corollary1);
    for (int i = 0; i < 3; i++)
        assert_true(a.bounds[i].bound == b.bounds[i].bound && a.bounds[i].schedule == b.bounds[i].schedule);
}

static int64_t size_of_file(void)
{
    struct stat status;
    assert_int_equal(stat(path(), &status), 0);
    return status.st_size;
}

static void test_random(void **state)
{
    (void)state;
    mmm_random random = {23};
    for (int trial = 0; trial < 500; trial++) {
        mmm_program *program = random_program(&random, (int)draw(&random, 1, 20), 40, (int)draw(&random, 0, 10)),
                    *again;
        random_costs(&random, program, trial % 2 ? 1 : 60, trial % 3 ? 1 : 9);
        for (int64_t k = 0; k < program->kernels; k++) { /* names that occur twice, and odd ones */
            static const char *const names[] = {"a",        "a", "\"quoted\"", "back\\slash", "\xce\xb1+\xce\xb2",
                                                "no-break\xc2\xa0space"};
            free(program->nodes[k].name);
            program->nodes[k].name = strdup(names[draw(&random, 0, 5)]);
            program->nodes[k].local_words = draw(&random, 0, 2);
        }
        for (int64_t e = program->edge_count * draw(&random, 0, 4) / 4; e < program->edge_count; e++)
            program->edges[e].decides = 1; /* these are written last */
        mmm_program_touch(program);
        again = write_and_read(program);
        assert_same(program, again);
        assert_same_analysis(program, again);
        mmm_program_free(again);
        mmm_program_free(program);
    }
    unlink(path());
}

/* A chain of equal kernels takes a few lines, whatever its length. */
static void test_chain(void **state)
{
    (void)state;
    mmm_program *program, *again;
    const mmm_cost cost = {.blocks = 1000000000, .work = 5, .span = 4, .span_thread = 3, .reads = 2, .writes = 1};
    assert_ok(mmm_program_new(&program));
    for (int k = 0; k < 5000; k++) {
        assert_ok(mmm_program_add(program, "step", cost.blocks, 32, NULL));
        assert_ok(mmm_program_set_costs(program, k, &cost, 1));
        if (k) assert_ok(mmm_program_depend(program, k - 1, k));
    }
    again = write_and_read(program);
    assert_true(size_of_file() < 250);
    assert_same(program, again);
    assert_same_analysis(program, again);
    mmm_program_free(again);
    mmm_program_free(program);
    unlink(path());
}

static void set_if_known(mmm_job *job, const char *name, int64_t value)
{
    for (const mmm_parameter *p = mmm_job_app(job)->parameters; p->name; p++)
        if (strcmp(p->name, name) == 0) assert_ok(mmm_job_set(job, name, value));
}

static void test_applications(void **state)
{
    (void)state;
    for (const mmm_app *const *app = mmm_app_list(); *app; app++) {
        mmm_job *job;
        mmm_machine *machine;
        assert_ok(mmm_machine_open("abstract", &machine));
        assert_ok(mmm_job_new((*app)->name, &job));
        set_if_known(job, "n", 256); /* powers of two, which suit every application */
        set_if_known(job, "m", 128);
        set_if_known(job, "s", 4);
        set_if_known(job, "l", 16);
        assert_ok(mmm_job_run(job, machine, NULL));
        mmm_program *again = write_and_read(mmm_job_program(job));
        assert_same(mmm_job_program(job), again);
        assert_same_analysis(mmm_job_program(job), again);
        mmm_program_free(again);
        mmm_job_free(job);
        mmm_machine_free(machine);
    }
    unlink(path());
}

static void test_failures(void **state)
{
    (void)state;
    mmm_program *program;
    const mmm_cost cost = {.blocks = 1};
    assert_ok(mmm_program_new(&program));
    assert_ok(mmm_program_add(program, "bad \xff", 1, 1, NULL));
    assert_fails(mmm_program_write(program, path()), MMM_INVALID, "has no costs");
    assert_ok(mmm_program_set_costs(program, 0, &cost, 1));
    assert_fails(mmm_program_write(program, path()), MMM_INVALID, "not UTF-8");
    assert_int_not_equal(access(path(), F_OK), 0);
    assert_fails(mmm_program_write(program, "build/missing/x.json"), MMM_IO, "cannot write 'build/missing/x.json'");
    mmm_program_free(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_applications),
        cmocka_unit_test(test_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
