/* SPDX-License-Identifier: Apache-2.0 */
/* The measured forms of the formula files are what the abstract machine counts: on a grid of sizes, without tolerance,
 * wherever the conditions that the files give hold, and nowhere else are they asked. */
#include "paper/paper.h"
#include "testing.h"

enum { QUANTITIES = 7, PARAMETERS = 6, VALUES = 9, NUMBER = 64 };

static const char *const quantities[QUANTITIES] = {"W", "S", "O", "N", "L", "C", "K"};

/* An application, the form of its formula ("1": naive), and the values of its parameters. */
typedef struct grid {
    const char *app, *form;
    const char *names[PARAMETERS];
    int64_t values[PARAMETERS][VALUES]; /* ended by 0 */
    int least[QUANTITIES];              /* points that must have been compared */
} grid;

static const grid grids[] = {
    {"division-naive",
     "1",
     {"m", "l", "n"},
     {{2, 4, 6, 8, 24, 30}, {1, 2, 3, 4, 8}, {8, 24, 25, 31, 40}},
     {40, 40, 40, 40, 40, 40, 40}},
    {"division",
     "",
     {"m", "s", "n"},
     {{2, 6, 8, 16, 24, 32}, {1, 2, 3, 4, 8}, {15, 31, 34, 39, 47}},
     {40, 40, 40, 40, 40, 40, 40}},
    {"gcd-naive",
     "1",
     {"m", "l", "n"},
     {{2, 4, 6, 8, 24, 30}, {1, 2, 3, 4, 8}, {8, 24, 25, 31, 40}},
     {40, 40, 40, 40, 40, 40, 40}},
    {"gcd",
     "",
     {"m", "s", "n"},
     {{6, 8, 12, 24, 30, 40}, {2, 3, 4, 5, 6, 8}, {24, 30, 40, 48, 60}},
     {25, 25, 25, 25, 25, 25, 25}},
    {"multiplication",
     "",
     {"m", "s", "l", "n"},
     {{1, 4, 6, 12, 16, 32}, {1, 2, 3, 4}, {4, 8, 9}, {15, 24, 31, 32, 47, 70, 72, 106}},
     {30, 30, 15, 30, 30, 8, 30}},
    {"multiplication",
     "1",
     {"m", "s", "l", "n"},
     {{1, 2, 4, 8, 16}, {1}, {2, 4, 8}, {16, 24, 32, 40}},
     {40, 40, 40, 40, 40, 40, 40}},
    {"multiplication-tile",
     "",
     {"m", "s", "l", "n", "g"},
     {{256, 512, 768, 1024}, {256, 512}, {4, 8, 16, 32}, {512, 768, 1024, 1280}, {1, 2, 4}},
     {20, 20, 20, 20, 20, 20, 20}},
    {"division-inverse",
     "",
     {"m", "s", "l", "n", "g", "w"},
     {{512, 768, 1024, 1280}, {256, 512}, {2, 4, 8}, {767, 1023, 1279, 1535, 1791, 2047}, {1}, {512}},
     {20, 20, 20, 20, 20, 20, 20}},
    {"radix-sort",
     "",
     {"n", "l", "s", "c"},
     {{320, 512, 640, 1024, 1280, 2048, 4096, 1088}, {2, 4, 8, 16}, {1, 2, 3}, {6, 12}},
     {20, 20, 20, 20, 20, 20, 20}},
    {"radix-sort",
     "1",
     {"n", "l", "s", "c"},
     {{80, 320, 544, 640, 1024, 1280, 2048, 1088}, {2, 4, 8}, {1}, {6, 12}},
     {14, 14, 14, 14, 14, 14, 14}},
    {"sort",
     "",
     {"n", "l", "s", "e"},
     {{2048, 4096, 8192, 12288, 16384}, {32, 64}, {1, 2, 4}, {8, 16}},
     {20, 20, 20, 20, 20, 20, 20}},
    {"gcd-jump",
     "",
     {"n", "m", "s", "l"},
     {{239, 299, 359, 419}, {239, 299, 359, 419}, {120, 180}, {12, 15, 20, 30}},
     {10, 10, 10, 10, 10, 10, 10}},
    {"ntt",
     "",
     {"n", "s", "m", "batch"},
     {{256, 4096, 65536}, {4, 8}, {256, 8192}, {1, 2, 3}},
     {10, 10, 10, 10, 10, 10, 10}},
    {"multiplication-ntt",
     "",
     {"n", "m", "s", "c"},
     {{1024, 2048, 4096}, {2048, 3000, 4096}, {8, 12}, {16, 32}},
     {8, 8, 8, 8, 8, 8, 8}},
    {"division-newton",
     "",
     {"n", "m", "s", "c"},
     {{8191, 16383}, {4000, 4096, 8192}, {12}, {16, 32}},
     {12, 12, 12, 12, 12, 4, 12}},
    {"multiplication-ring",
     "",
     {"n", "batch", "s", "c"},
     {{2048, 4096, 8192}, {1, 2, 3}, {8, 12}, {16, 32}},
     {8, 8, 8, 8, 8, 8, 8}},
};

/* The value as text: exact, and without a '/' where it is whole; false where variables are left in it. */
static bool value_of(const mmm_formula *formula, const char *expression, const char *at, int measured, char *text)
{
    mmm_answer answer;
    mmm_query query = {.expression = expression, .evaluate = at, .measured = measured};
    if (mmm_formula_ask(formula, &query, &answer) != MMM_OK) fail_msg("%s at %s: %s", expression, at, mmm_message());
    bool number = answer.decimal != NULL;
    snprintf(text, NUMBER, "%s", answer.text);
    mmm_answer_clear(&answer);
    return number;
}

typedef struct condition {
    const mmm_formula *formula;
    const char *at;
    bool holds;
} condition;

/* "X is whole", "A >= B" or "A <= B".  What speaks of a parameter that the application has not says nothing of it. */
static mmm_status check_piece(void *context, char *piece)
{
    condition *c = context;
    char text[NUMBER], difference[200], *relation = strpbrk(piece, "<>"), *whole = strstr(piece, " is whole");
    if (whole) {
        *whole = 0;
        if (value_of(c->formula, piece, c->at, 0, text) && text[strspn(text, "0123456789")]) c->holds = false;
        return MMM_OK;
    }
    assert_true(relation && relation[1] == '=');
    bool less = *relation == '<';
    *relation = 0;
    snprintf(difference, sizeof difference, "(%s) - (%s)", less ? relation + 2 : piece, less ? piece : relation + 2);
    if (value_of(c->formula, difference, c->at, 0, text) && *text == '-') c->holds = false;
    return MMM_OK;
}

static bool given(const mmm_formula *formula, const char *quantity, const char *at)
{
    condition c = {formula, at, true};
    const char *text;
    for (int i = 0; (text = mmm_formula_given(formula, quantity, i)); i++)
        assert_ok(mmm_pieces_read(text, check_piece, &c));
    return c.holds;
}

/* C of a multiplication is the larger of two, and its file gives one; elsewhere it is the one the paper states.  That of
 * a division by Newton's iteration is one of its plain products, where words cost little. */
static void check_other_C(const grid *g, const mmm_formula *formula, const char *at, const char *counted)
{
    char text[NUMBER];
    if (strcmp(g->app, "division-newton") == 0) {
        snprintf(text, sizeof text, "%d", 4096 + 48 * atoi(strstr(at, "U=") + 2));
        assert_string_equal(text, counted);
        return;
    }
    assert_true(strcmp(g->app, "multiplication") == 0 && !*g->form);
    if (strstr(at, "s=1,")) return; /* that is C1 */
    assert_true(value_of(formula, "C", at, 0, text));
    assert_string_equal(text, counted);
}

static void compare(const grid *g, const mmm_formula *formula, const char *at, const mmm_shape *shape,
                    const mmm_measures *measures, int *compared)
{
    char text[NUMBER], counted[NUMBER], name[8];
    const double counts[QUANTITIES] = {(double)measures->work, (double)measures->span, measures->overhead,
                                       (double)shape->N,       (double)shape->L,       measures->C,
                                       (double)shape->K};
    for (int i = 0; i < QUANTITIES; i++) {
        snprintf(name, sizeof name, "%s%s", quantities[i], g->form);
        snprintf(counted, sizeof counted, "%.0f", counts[i]);
        if (!given(formula, name, at)) {
            if (quantities[i][0] == 'C') check_other_C(g, formula, at, counted);
            continue;
        }
        /* With lengths that are equal the form holds beyond its conditions, where --measured would refuse: its text. */
        const char *form = g->names[0] ? name : mmm_formula_find(formula, name)->measured.text;
        if (!value_of(formula, form, at, g->names[0] != NULL, text))
            fail_msg("%s %s at %s is %s", g->app, name, at, text);
        if (strcmp(text, counted) != 0) fail_msg("%s %s at %s: %s, counted %s", g->app, name, at, text, counted);
        compared[i]++;
    }
}

/* Runs the job once and compares for several U: the counts do not depend on it, O and C do. */
static void run_point(const grid *g, const mmm_formula *formula, mmm_machine *machine, const int64_t *point,
                      int *compared)
{
    static const int64_t costs[] = {2, 7, 100};
    char at[200] = "", with[240];
    mmm_job *job;
    mmm_shape shape;
    mmm_measures measures;
    mmm_parameters parameters = *mmm_parameters_builtin();
    for (int i = 0; i < PARAMETERS && g->names[i]; i++)
        snprintf(at + strlen(at), sizeof at - strlen(at), "%s=%lld,", g->names[i], (long long)point[i]);
    snprintf(with, sizeof with, "%sU=2", at);
    if (!given(formula, NULL, with)) return;
    assert_ok(mmm_job_new(g->app, &job));
    for (int i = 0; i < PARAMETERS && g->names[i]; i++)
        assert_ok(mmm_job_set(job, g->names[i], point[i]));
    assert_ok(mmm_job_run(job, machine, NULL));
    assert_ok(mmm_program_shape(mmm_job_program(job), &shape));
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++) {
        parameters.U = (double)costs[i];
        assert_ok(mmm_program_measures(mmm_job_program(job), &parameters, &measures));
        snprintf(with, sizeof with, "%sU=%lld", at, (long long)costs[i]);
        compare(g, formula, with, &shape, &measures, compared);
    }
    mmm_job_free(job);
}

static const mmm_app *find_app(const char *name)
{
    for (const mmm_app *const *app = mmm_app_list(); *app; app++)
        if (strcmp((*app)->name, name) == 0) return *app;
    fail_msg("no application %s", name);
    return NULL;
}

static bool allowed(const grid *g, const int64_t *point)
{
    int64_t n = 0, m = 0;
    for (int i = 0; i < PARAMETERS && g->names[i]; i++) {
        if (g->names[i][0] == 'n') n = point[i];
        if (g->names[i][0] == 'm') m = point[i];
    }
    return n >= m;
}

static void run_grid(const grid *g)
{
    mmm_formula *formula;
    mmm_machine *machine;
    int compared[QUANTITIES] = {0}, places[PARAMETERS] = {0}, last = 0;
    assert_ok(mmm_app_formula(find_app(g->app), &formula));
    assert_ok(mmm_machine_open_abstract(mmm_parameters_builtin(), 1, &machine));
    while (last < PARAMETERS) {
        int64_t point[PARAMETERS];
        for (int i = 0; i < PARAMETERS; i++)
            point[i] = g->values[i][places[i]];
        if (allowed(g, point)) run_point(g, formula, machine, point, compared);
        for (last = 0; last < PARAMETERS; last++) { /* the next point, the first parameter varying fastest */
            if (g->names[last] && g->values[last][++places[last]]) break;
            places[last] = 0;
        }
    }
    for (int i = 0; i < QUANTITIES; i++)
        if (compared[i] < g->least[i])
            fail_msg("%s %s%s: compared %d times", g->app, quantities[i], g->form, compared[i]);
    mmm_machine_free(machine);
    mmm_formula_free(formula);
}

static void test_grid(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof grids / sizeof *grids; i++)
        run_grid(&grids[i]);
}

/* For n = m, s dividing m is enough for the Euclidean algorithm: m/s may be odd. */
static void test_equal_lengths(void **state)
{
    (void)state;
    mmm_formula *formula;
    mmm_machine *machine;
    static const grid g = {.app = "gcd", .form = ""};
    assert_ok(mmm_formula_open("gcd", &formula));
    assert_ok(mmm_machine_open_abstract(mmm_parameters_builtin(), 1, &machine));
    for (int64_t s = 3; s <= 6; s++)
        for (int64_t c = 1; c <= 5; c += 2) {
            char at[100];
            int compared[QUANTITIES] = {0};
            mmm_job *job;
            mmm_shape shape;
            mmm_measures measures;
            assert_ok(mmm_job_new("gcd", &job));
            assert_ok(mmm_job_set(job, "n", c * s));
            assert_ok(mmm_job_set(job, "m", c * s));
            assert_ok(mmm_job_set(job, "s", s));
            assert_ok(mmm_job_run(job, machine, NULL));
            assert_ok(mmm_program_shape(mmm_job_program(job), &shape));
            assert_ok(mmm_program_measures(mmm_job_program(job), mmm_parameters_builtin(), &measures));
            snprintf(at, sizeof at, "n=%d,m=%d,s=%d,U=100", (int)(c * s), (int)(c * s), (int)s);
            compare(&g, formula, at, &shape, &measures, compared);
            mmm_job_free(job);
        }
    mmm_machine_free(machine);
    mmm_formula_free(formula);
}

/* Every application of the paper has an analysis; where the paper's own form is measured, both forms are one. */
static void test_applications(void **state)
{
    (void)state;
    for (const mmm_app *const *app = mmm_app_list(); *app; app++) {
        mmm_formula *formula;
        assert_ok(mmm_app_formula(*app, &formula));
        if (!formula && !(*app)->section) continue;
        assert_non_null(formula);
        const char *form = (*app)->naive ? "1" : "";
        assert_int_equal((*app)->naive, strstr((*app)->name, "-naive") != NULL);
        for (int i = 0; i < QUANTITIES; i++) {
            char name[8];
            snprintf(name, sizeof name, "%s%s", quantities[i], form);
            const mmm_definition *definition = mmm_formula_find(formula, name);
            if (!definition) fail_msg("%s has no %s", (*app)->name, name);
            if (!definition->measured.root) fail_msg("%s.%s has not been measured", (*app)->name, name);
        }
        mmm_formula_free(formula);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grid),
        cmocka_unit_test(test_equal_lengths),
        cmocka_unit_test(test_applications),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
