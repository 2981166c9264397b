/* SPDX-License-Identifier: Apache-2.0 */
/* Every application on every machine at hand: equal to its oracle, and bit by bit equal between machines.
 *
 * MMM_TEST_MACHINES="cuda:0" restricts the machines, MMM_TEST_SMALL=1 the sizes (for checkers that slow things down).
 * Where there is no CUDA device but CUDA's compiler, every kernel is compiled for sm_90.  PoCL takes about a second to
 * compile a variant of a kernel: it and CUDA's compiler see a thinner grid. */
#include "testing.h"
#include "job/job.h"
#include "machine/gpu/gpu.h"

enum { MACHINES_MOST = 16 };

static mmm_machine *machines[MACHINES_MOST];
static char names[MACHINES_MOST][32];
static bool is_slow[MACHINES_MOST]; /* to compile */
static int machine_count;
static bool has_cuda, has_nvrtc, small;

static void add_machine(void *context, const mmm_machine_info *info)
{
    const char *wanted = getenv("MMM_TEST_MACHINES");
    (void)context;
    if (strcmp(info->name, "abstract") == 0) return; /* has tests of its own */
    if (wanted && !strstr(wanted, info->name)) return;
    if (!info->works) {
        print_message("skipped: %s (%s)\n", info->name, info->description);
        return;
    }
    if (machine_count == MACHINES_MOST) return;
    assert_ok(mmm_machine_open(info->name, &machines[machine_count]));
    is_slow[machine_count] = strstr(info->description, "Portable Computing Language") != NULL;
    snprintf(names[machine_count++], sizeof names[0], "%s", info->name);
    if (strncmp(info->name, "cuda", 4) == 0) has_cuda = true;
    print_message("machine %s: %s\n", info->name, info->description);
}

static int open_machines(void **state)
{
    char version[64];
    (void)state;
    small = getenv("MMM_TEST_SMALL") != NULL;
    mmm_machine_list(add_machine, NULL);
    has_nvrtc = mmm_nvrtc_version(version, sizeof version) == MMM_OK;
    if (has_cuda)
        print_message("CUDA runs the kernels\n");
    else
        print_message("%s\n", has_nvrtc ? "no CUDA device: NVRTC compiles the kernels for sm_90, nothing runs them"
                                        : "skipped: CUDA, for there is neither a device nor NVRTC");
    return machine_count == 0;
}

static int close_machines(void **state)
{
    (void)state;
    for (int i = 0; i < machine_count; i++)
        mmm_machine_free(machines[i]);
    return 0;
}

static void compile_for_cuda(const mmm_program *program)
{
    mmm_variants variants = {0};
    assert_ok(mmm_variants_add(program, &variants));
    for (int i = 0; i < variants.count; i++) {
        static int turn; /* every other one as if it needed more than 48 KB of local memory */
        char *text;
        void *code;
        size_t size;
        assert_ok(mmm_kernel_text(program, &variants.nodes[i], "MMM_TARGET_CUDA", turn % 2, turn / 2 % 2, &text));
        turn++;
        if (!mmm_cache_load(text, &code, &size)) {
            assert_ok(mmm_nvrtc_compile(text, variants.nodes[i].code->file, 90, &code, &size));
            mmm_cache_store(text, code, size);
        }
        assert_true(size > 0);
        free(code);
        free(text);
    }
    mmm_variants_free(&variants);
}

/* Runs the job everywhere, but on slow machines only where it is of the thin grid; the first machine's results are what
 * the others must have. */
static void run_everywhere(mmm_job *job, bool thin, bool compile)
{
    uint64_t *saved[MMM_DATA_MOST] = {0};
    int64_t counts[MMM_DATA_MOST];
    const uint64_t *words;
    int64_t count;
    for (int i = 0; i < machine_count; i++)
        for (int again = 0; again < 2 && (thin || !is_slow[i]);
             again++) { /* the second run uses what the first prepared */
            mmm_status status = mmm_job_run(job, machines[i], NULL);
            if (status == MMM_TOO_LARGE) continue; /* more threads or local memory than this device has */
            if (status != MMM_OK) fail_msg("%s on %s: %s", mmm_job_app(job)->name, names[i], mmm_message());
            status = mmm_job_check(job);
            if (status != MMM_OK) fail_msg("%s on %s: %s", mmm_job_app(job)->name, names[i], mmm_message());
            for (int which = 0; mmm_job_app(job)->outputs[which].name; which++) {
                words = mmm_job_result(job, which, &count);
                if (!words) continue;
                if (!saved[which]) {
                    counts[which] = count;
                    saved[which] = malloc((size_t)count * sizeof *words + 1);
                    if (count) memcpy(saved[which], words, (size_t)count * sizeof *words);
                } else {
                    assert_int_equal(count, counts[which]);
                    if (count) assert_memory_equal(words, saved[which], (size_t)count * sizeof *words);
                }
            }
        }
    for (int which = 0; which < MMM_DATA_MOST; which++)
        free(saved[which]);
    if (compile && has_nvrtc && !has_cuda) compile_for_cuda(mmm_job_program(job));
}

typedef struct grid {
    const char *app;
    const char *varied; /* the parameter with `values` */
    int64_t values[7];  /* ended by two zeros */
} grid;

/* Every value with every size at the usual prime; the other primes take turns.  The thin grid has the first and the
 * last value, and one other prime, of 64 bits; the division also has p = 2. */
static void run_polynomials(const grid *g)
{
    static const int64_t usual = 2013265921, others[] = {9223372036854775783, 2, 2147483647};
    static const int64_t sizes[][2] = {{1, 1}, {40, 33}, {33, 40}, {257, 64}, {600, 599}};
    for (int i = 0; i < 5 && g->values[i]; i++)
        for (int j = 0; j < (small ? 3 : 5); j++)
            for (int k = 0; k < 2; k++) {
                mmm_job *job;
                assert_ok(mmm_job_new(g->app, &job));
                assert_ok(mmm_job_set(job, "n", sizes[j][0]));
                assert_ok(mmm_job_set(job, "m", sizes[j][1]));
                assert_ok(mmm_job_set(job, g->varied, g->values[i]));
                assert_ok(mmm_job_set(job, "p", k ? others[i % 3] : usual));
                assert_ok(mmm_job_set(job, "seed", i + j + k));
                bool end = i == 0 || !g->values[i + 1];
                bool thin = k ? i == 0 || (i == 1 && strcmp(g->app, "division") == 0) : end;
                run_everywhere(job, thin, thin && j == 1 && k + i > 0);
                mmm_job_free(job);
            }
}

static void test_division(void **state)
{
    (void)state;
    run_polynomials(&(grid){"division-naive", "l", {1, 32, 100}});
    run_polynomials(&(grid){"division", "s", {1, 5, 64, 300}});
    run_polynomials(&(grid){"division-inverse", "s", {1, 70, 300, 1000}});
    run_polynomials(&(grid){"division-newton", "w", {100, 5000}});
}

static void test_multiplication(void **state)
{
    (void)state;
    run_polynomials(&(grid){"multiplication", "s", {1, 3, 4, 16}});
    run_polynomials(&(grid){"multiplication-tile", "s", {1, 9, 64, 600}});
}

static void test_gcd(void **state)
{
    (void)state;
    run_polynomials(&(grid){"gcd-naive", "l", {1, 32, 100}});
    run_polynomials(&(grid){"gcd", "s", {1, 5, 64, 300}});
    run_polynomials(&(grid){"gcd-half", "s", {60, 255}});
}

/* A gcd that is not trivial, with degree drops, on every machine. */
static void test_gcd_of_multiples(void **state)
{
    (void)state;
    static const char *const apps[] = {"gcd", "gcd-jump", "gcd-half"};
    for (int round = 0; round < 9; round++) {
        uint64_t p = round % 2 ? 7 : 2013265921, a[200] = {0}, b[200] = {0};
        mmm_job *job;
        assert_ok(mmm_job_new(apps[round % 3], &job));
        if (round == 8) assert_ok(mmm_job_set(job, "u", 1)); /* gcd-half, that stops when it is done */
        assert_ok(mmm_job_set(job, "s", 3 + 10 * round));
        a[0] = b[0] = p - 1; /* x^120 - 1 and x^90 - 1: the gcd is x^30 - 1 */
        a[120] = b[90] = 1;
        assert_ok(mmm_job_polynomial(job, 0, p, a, 121));
        assert_ok(mmm_job_polynomial(job, 1, p, b, 91));
        run_everywhere(job, round == 1, false);
        const uint64_t *words;
        int64_t count;
        words = mmm_job_result(job, 0, &count);
        assert_non_null(words);
        assert_int_equal(count, 31);
        mmm_job_free(job);
    }
}

/* Degrees so far apart that a batch of the head is one division, and threads behind the 32 that do it: PoCL let them do
 * a part of it where this stood in an arm of an `if`. */
static void test_gcd_far_apart(void **state)
{
    (void)state;
    static const int64_t shapes[][2] = {{33, 2}, {70, 40}, {2, 70}, {100, 60}, {64, 64}}; /* n, m */
    for (int i = 0; i < (int)(sizeof shapes / sizeof *shapes); i++) {
        mmm_job *job;
        assert_ok(mmm_job_new("gcd-jump", &job));
        assert_ok(mmm_job_set(job, "n", shapes[i][0]));
        assert_ok(mmm_job_set(job, "m", shapes[i][1]));
        assert_ok(mmm_job_set(job, "h", 40));
        assert_ok(mmm_job_set(job, "s", 30));
        assert_ok(mmm_job_set(job, "l", 4));
        assert_ok(mmm_job_set(job, "r", i % 2));
        run_everywhere(job, true, false);
        mmm_job_free(job);
    }
}

static void test_radix_sort(void **state)
{
    static const int64_t shapes[][5] = {/* n, s, l, c, bits */
                                        {0, 4, 64, 32, 32},    {1, 4, 64, 32, 32},    {3000, 4, 64, 32, 32},
                                        {777, 5, 8, 32, 32},   {5000, 1, 256, 9, 32}, {2000, 8, 4, 32, 32},
                                        {1024, 7, 32, 64, 64}, {900, 3, 1, 33, 64},   {100000, 8, 1024, 32, 32}};
    (void)state;
    for (int i = 0; i < (small ? 8 : 9); i++)
        for (int values = 0; values < 2; values++) {
            mmm_job *job;
            static const char *const parameters[] = {"n", "s", "l", "c", "bits"};
            assert_ok(mmm_job_new("radix-sort", &job));
            for (int j = 0; j < 5; j++)
                assert_ok(mmm_job_set(job, parameters[j], shapes[i][j]));
            assert_ok(mmm_job_set(job, "values", values));
            run_everywhere(job, i < 3 || (i == 6 && values), i == 2 || i == 6);
            mmm_job_free(job);
        }
}

static void test_sort(void **state)
{
    static const int64_t shapes[][7] = {
        /* n, method, s, l, e, b, bits */
        {1, 1, 8, 64, 4, 1, 32},     {200, 1, 8, 64, 4, 1, 32},   {3001, 1, 8, 64, 8, 1, 32},
        {3000, 2, 6, 64, 4, 1, 32},  {3001, 3, 8, 128, 4, 1, 32}, {2000, 3, 7, 32, 3, 1, 64},
        {1000, 4, 8, 1, 200, 8, 64}, {5000, 4, 9, 1, 700, 1, 32}, {100001, 1, 8, 512, 16, 1, 32}};
    (void)state;
    for (int i = 0; i < (small ? 8 : 9); i++)
        for (int values = 0; values < 2; values++) {
            mmm_job *job;
            static const char *const parameters[] = {"n", "method", "s", "l", "e", "b", "bits"};
            assert_ok(mmm_job_new("sort", &job));
            for (int j = 0; j < 7; j++)
                assert_ok(mmm_job_set(job, parameters[j], shapes[i][j]));
            assert_ok(mmm_job_set(job, "values", values));
            assert_ok(mmm_job_set(job, "kind", i % 3 * 2));
            run_everywhere(job, i != 8 && values == i % 2, i == 2 || i == 4 || i == 6);
            mmm_job_free(job);
        }
}

static void test_ntt(void **state)
{
    static const int64_t shapes[][4] = {/* n, batch, s, m */
                                        {1, 1, 8, 1024},    {64, 3, 8, 1024},    {256, 2, 4, 64},     {1024, 3, 5, 1024},
                                        {4096, 1, 6, 1024}, {4096, 2, 12, 4096}, {65536, 1, 8, 2048}};
    (void)state;
    for (int i = 0; i < 7; i++)
        for (int kind = 0; kind < 4; kind++) {
            mmm_job *job;
            static const char *const parameters[] = {"n", "batch", "s", "m"};
            assert_ok(mmm_job_new("ntt", &job));
            for (int j = 0; j < 4; j++)
                assert_ok(mmm_job_set(job, parameters[j], shapes[i][j]));
            assert_ok(mmm_job_set(job, "inverse", kind % 2));
            assert_ok(mmm_job_set(job, "ordered", kind / 2));
            assert_ok(mmm_job_set(job, "p", (i + kind) % 2 ? 1152921504204193793 : 2013265921));
            run_everywhere(job, i < 3, false);
            mmm_job_free(job);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_division),      cmocka_unit_test(test_multiplication),
        cmocka_unit_test(test_gcd),           cmocka_unit_test(test_gcd_of_multiples),
        cmocka_unit_test(test_gcd_far_apart), cmocka_unit_test(test_radix_sort),
        cmocka_unit_test(test_sort),          cmocka_unit_test(test_ntt),
    };
    return cmocka_run_group_tests(tests, open_machines, close_machines);
}
