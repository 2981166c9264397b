/* SPDX-License-Identifier: Apache-2.0 */
/* The generator of the kernel dialect: what it emits for kernels that are right, what it says of those that are not. */
#include "generated.h"

static int lines_before(const char *text, const char *end)
{
    int line = 1;
    for (; text < end; text++)
        line += *text == '\n';
    return line;
}

/* The first line of a wrong kernel has the message; the line of the fault has "here" in a comment (else it is line 1).
 * There is one fault, and one message. */
static void check_wrong(const char *path)
{
    mmm_generated out;
    char *text = NULL;
    int64_t size;
    assert_ok(mmm_file_read(path, 1 << 20, &text, &size));
    char *end = strstr(text, " */\n"), *here = strstr(text, "/* here */");
    assert_non_null(end);
    *end = 0;
    mmm_status status = mmm_generate(path, NULL, "wrong", &out);
    if (status != MMM_INVALID) fail_msg("%s: accepted", path);
    for (int64_t i = 0; i < out.diagnostic_count; i++) {
        const mmm_diagnostic *d = &out.diagnostics[i];
        if (i > 0) fail_msg("%s:%d: and also: %s", d->file, d->line, d->text);
        if (!strstr(d->text, text + 3)) fail_msg("%s:%d: '%s' lacks '%s'", d->file, d->line, d->text, text + 3);
        *end = ' ';
        int line = here ? lines_before(text, here) : 1;
        if (d->line != line) fail_msg("%s:%d: line %d was meant: %s", d->file, d->line, line, d->text);
        if (d->warning) fail_msg("%s: only a warning", path);
        assert_non_null(strstr(mmm_message(), path));
        assert_non_null(strstr(mmm_message(), d->text));
    }
    assert_int_equal(out.diagnostic_count, 1);
    assert_null(out.host);
    mmm_generated_clear(&out);
    free(text);
}

static void test_wrong(void **state)
{
    (void)state;
    assert_true(for_each(FOLDER "wrong", check_wrong) >= 50);
}

static void check_clean(const char *path)
{
    mmm_generated out;
    if (mmm_generate(path, NULL, "clean", &out) != MMM_OK) fail_msg("%s", mmm_message());
    for (int64_t i = 0; i < out.diagnostic_count; i++)
        fail_msg("%s:%d: %s", out.diagnostics[i].file, out.diagnostics[i].line, out.diagnostics[i].text);
    assert_non_null(strstr(out.host, "mmm_entry *const MMM_ENTRIES(clean)[] = {entry_"));
    assert_non_null(strstr(out.records, "const mmm_kernel mmm_kernels_clean[] = {"));
    assert_non_null(strstr(out.header, "MMM_API extern const mmm_kernel mmm_kernels_clean[];"));
    assert_null(strstr(out.host, " THREADS"));
    assert_null(strstr(out.host, "\n    PRIVATE "));
    mmm_generated_clear(&out);
}

static void test_clean(void **state)
{
    (void)state;
    assert_true(for_each(FOLDER "clean", check_clean) + OWN >= 16);
    for (int i = 0; i < OWN; i++)
        check_clean(own[i].path);
}

enum { HOST, RECORDS, HEADER };

static void test_emitted(void **state)
{
    static const struct {
        const char *file;
        int where;
        const char *text;
    } wanted[] = {
        {"naive", HOST, "#include \"modp.h\"\n#line 5 \"naive.c\"\nMMM_KERNEL void naive_division("},
        {"naive", HOST,
         "GLOBAL word *q, int i, int db, word lead_inverse MMM_KERNEL_BLOCK)\n{ MMM_BEGIN_0\n    MMM_LOCAL(word, "
         "factor, 1, );"},
        {"naive", HOST, "    MMM_REGION MMM_PART (t, 0, 1) {\n        factor[0] = mul(a[i], lead_inverse);"},
        {"division", HOST, "MMM_CONSTANT(s) MMM_KERNEL_BLOCK)\n{ MMM_BEGIN_0 MMM_CONSTANT_HERE(s)\n"},
        {"division", HOST, "MMM_LOCAL(word, head_a, s, ); MMM_LOCAL(word, head_b, s, );"},
        {"division", HOST, "    MMM_REGION {\n        MMM_PART (t, 0, s) {"},
        {"naive", HOST,
         "naive_division(a_[0].array, a_[1].array, a_[2].array, (int)a_[3].integer, (int)a_[4].integer, "
         "(word)a_[5].word MMM_PASS);"},
        {"polynomial", HOST, "MMM_ENTRIES(a_unit)[] = {entry_count_terms, entry_scale, entry_enter_form, "},
        {"division", RECORDS, "{\"a\", MMM_PARAMETER_ARRAY, MMM_WORD, 1}, {\"b\", MMM_PARAMETER_ARRAY, MMM_WORD, 0}"},
        {"division", RECORDS, "{\"s\", MMM_PARAMETER_CONSTANT, MMM_I32, 0}};"},
        {"division", RECORDS, "static const char common[] =\n    \"\";"},
        {"division", RECORDS,
         "text_division[] =\n    \"#line 6 \\\"division.c\\\"\\n\"\n    \"MMM_KERNEL void division("},
        {"division", RECORDS, ".file = \"division.c\""},
        {"division", RECORDS,
         ".parameter_count = 8,\n     .dimensions = 1, .words = 1, .groups = 0, MMM_ENTRIES_OF(a_unit, 0)},"},
        {"naive", HEADER,
         "/* naive_division: One division step: the leading coefficient a[i] is cancelled by a "
         "multiple of b, of degree db. */\nstatic inline mmm_status launch_naive_division("},
        {"division", HEADER,
         "mmm_word_array q, int64_t i, int64_t db, int64_t steps, uint64_t lead_inverse, int64_t s)"},
        {"division", HEADER, "{.words = (s) + (s) + (2 * s) + (3 * s), .bytes = 0}"},
        {"gcd", HOST, "multiplier keep = multiplier_of(divides ? above ? lead_b : lead_a : ONE);"},
        {"multiplication", HOST, "MMM_PRIVATE(products, h, 1);"},
        {"multiplication", HOST,
         "MMM_MINE(h, t, 0) = products_add(MMM_MINE(h, t, 0), part_a[MMM_SUM(e + t + s - 1 - k)]"},
        {"multiplication", HOST, "        MMM_ITEMS (i, s)\n            part_b[i] = b[MMM_SUM(row * s + i)];"},
        {"multiplication", HOST, "MMM_GLOBAL const word *from = M + MMM_FAR(M, (i64)row * y);"},
        {"radix_sort", HOST, "MMM_FUNCTION void prefix_sum(MMM_IN_LOCAL word *sums MMM_BLOCK)"},
        {"radix_sort", HOST, "tile[MMM_FAR(tile, MMM_MINE(place, t, k))] = MMM_MINE(x, t, k);"},
        {"radix_sort", HOST, "fetch(keys, first, filled, ~(word)0, tile, key, l MMM_PASS);"},
        {"radix_sort", HOST, "MMM_EACH (k, 4) MMM_PART (t, 0, (filled) - (k) * l) {"},
        {"radix_sort", HOST, "MMM_REGION MMM_ITEMS (d, 1 << s)"},
        {"radix_sort", RECORDS,
         "static const char common[] =\n    \"#line 12 \\\"radix_sort.c\\\"\\n\"\n    \"MMM_FUNCTION"},
        {"probe", HEADER, "const int64_t block_size = threads;\n    const mmm_local local = {.words = (block_size)"},
        {"macros", HOST, "#line 8 \"more.h\"\nMMM_FUNCTION int half_of(int x MMM_BLOCK)"},
        {"macros", HOST, "int first = half_of(n MMM_PASS) - -1;"},
        {"macros", HOST, "tile[(4 * (t)) + (k)] = ((b[first + 2]) * (b[first + 2]))"},
        {"macros", HOST, "        a[t] = tile[(4 * (t)) + (0)]\n\n;\n}\n"},
        {"macros", HOST, "\nMMM_FUNCTION word larger_of_word(word x, word y MMM_BLOCK)"},
        {"macros", HOST, "\nMMM_FUNCTION u64 larger_of_u64(u64 x, u64 y MMM_BLOCK)"},
        {"macros", HEADER, "/* squares: Squares of a tile,\n * and what macros make of them. */"},
        {"lanes", HOST, "MMM_REGION MMM_LANES (word, t) {\n        word_lanes x[16];\n        lanes_load_rows(x, a[16"},
        {"lanes", HOST, "    MMM_REGION {\n        MMM_LANES (u32, t) {"},
        {"lanes", HOST, "MMM_REGION MMM_LANES_2D (u32, x, y) {\n        u32 first = a[y];"},
        {"lanes", RECORDS, ".dimensions = 2, .words = 1"},
        {"two_dimensional", HOST, "MMM_LOCAL(float, tile, s, [s + 1]);"},
        {"two_dimensional", HOST,
         "MMM_REGION MMM_PART_2D (x, y) {\n        MMM_MINE(mine, (y) * block_width + (x), 0) ="},
        {"two_dimensional", HOST, "    MMM_REGION {\n        MMM_PART_2D (x, y)"},
        {"two_dimensional", RECORDS, ".dimensions = 2, .words = 0, .groups = 0, MMM_ENTRIES_OF(a_unit, 1)"},
        {"two_dimensional", HEADER,
         "int64_t blocks_x, int64_t blocks_y, int64_t threads_x, int64_t threads_y, mmm_f32_array"},
        {"two_dimensional", HEADER, "{.words = 0, .bytes = 4 * (s) * (s + 1)}"},
        {"two_dimensional", HEADER, "(mmm_grid){blocks_x, blocks_y, threads_x, threads_y}"},
        {"atomics", HOST, "MMM_ATOMIC_ADD(unsigned, LOCAL, &count[i], 1);"},
        {"atomics", HOST, "MMM_ATOMIC_MAX(i64, GLOBAL, &most[0], (i64)a[MMM_SUM(first + t)]);"},
        {"functions", HOST, "= from[first + 4 * t + k];"},
        {"control", HOST, "MMM_PART (t, k, k + 1)\n                a[MMM_SUM(first + t)] = k;"},
        {"groups", HOST, "counts[(block * block_size + t) / 32] ="},
        {"atomics", HOST, "MMM_ATOMIC_CAS(int, LOCAL, &last[0], 0, 1);"},
        {"atomics", HEADER, ".bytes = 4 * (1 << s) + 4 * 1}"},
        {"groups", RECORDS, ".groups = 1, MMM_ENTRIES_OF"},
        {"groups", HOST, "MMM_GROUP_REGION MMM_ALL (t) {"},
        {"groups", HOST,
         "MMM_BALLOT(block_size, u32, votes, flag);\n    MMM_MATCH(block_size, u32, votes, flag, 0, 1);\n    "
         "MMM_SCAN_ADD(block_size, u32, sum, flag);\n"
         "    MMM_SHUFFLE(block_size, u32, sum, sum, MMM_MINE(from, mmm_t, 0));\n"
         "    MMM_SHUFFLE(block_size, u32, votes, votes, block % 32);"},
        {"groups", HOST,
         "MMM_MATCH(block_size, u32, (&MMM_MINE(x, 0, k + 1)), (&MMM_MINE(x, 0, k)), 3, 8 * (int)sizeof(u32) - 3);"},
        {"groups", HOST, "(u32)MMM_POPCOUNT(MMM_MINE(x, t, s));"},
        {"functions", HOST, "MMM_FUNCTION int threads_before(MMM_BLOCK_ONLY)"},
        {"functions", HOST, "load(mine, from, 4 * threads_before(MMM_PASS_ONLY) MMM_PASS);"},
        {"functions", HOST,
         "MMM_FUNCTION void load(MMM_IN_PRIVATE float *mine, MMM_GLOBAL const float *from, int first MMM_BLOCK)"},
        {"functions", RECORDS, "\"enum { WIDTH = 4, DEPTH };\\n\""},
        {"types", HOST,
         "(unsigned)a_[10].integer, (i64)a_[11].integer, (u64)a_[12].word, a_[13].single, a_[14].real, (u32)"},
        {"types", HEADER,
         "mmm_u64_array h, mmm_f64_array x, int64_t i, int64_t j, int64_t k, uint64_t l, float y, double z"},
        {"types", HEADER, "{.single = y}, {.real = z}, {.integer = m}"},
        {"pointers", HOST, "MMM_GLOBAL const word *from = n > 4 ? a + n : b, *const other = &b[3];"},
        {"pointers", HOST, "MMM_IN_LOCAL word *low = cell, *high = &cell[block_size];"},
        {"pointers", HOST, "b[t] = cell[t] + spare[0], MMM_OPS(1);"},
        {"stencil", HOST, "to[i] = relax((from[(i) - 1]), from[i], (from[(i) + 1]) MMM_PASS);"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        char path[100], shown[100];
        mmm_generated out;
        snprintf(path, sizeof path, FOLDER "clean/%s.c", wanted[i].file);
        for (int k = 0; k < OWN; k++)
            if (strcmp(own[k].name, wanted[i].file) == 0) snprintf(path, sizeof path, "%s", own[k].path);
        snprintf(shown, sizeof shown, "%s.c", wanted[i].file);
        assert_ok(mmm_generate(path, shown, "a-unit", &out));
        const char *text = wanted[i].where == HOST ? out.host : wanted[i].where == RECORDS ? out.records : out.header;
        if (!strstr(text, wanted[i].text)) fail_msg("%s lacks:\n%s\n%s", path, wanted[i].text, text);
        mmm_generated_clear(&out);
    }
}

/* Lines of the emitted text are those of the source. */
static void test_lines(void **state)
{
    mmm_generated out;
    (void)state;
    assert_ok(
        generate_text("KERNEL void f(GLOBAL int *a)\n{\n\n    THREADS (t) /* two\n lines */ a[t]\n\n = 1;\n}\n", &out));
    assert_non_null(strstr(out.host,
                           "#line 1 \"k.c\"\nMMM_KERNEL void f(MMM_GLOBAL int *a MMM_KERNEL_BLOCK)\n{ MMM_BEGIN_0\n\n"
                           "    MMM_REGION MMM_ALL (t)\n   a[t]\n\n = 1;\n}\n"));
    mmm_generated_clear(&out);
}

/* Regions of the first 32 threads that share no memory need no barrier, but where some is read between regions. */
static void test_alone(void **state)
{
    static const struct {
        const char *between, *barrier;
    } cases[] = {{"", "ALONE"}, {"y = shuffle(x, 1); ", "ALONE"}, {"if (a[1]) ", "REGION"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mmm_generated out;
        char text[400], wanted[400];
        snprintf(text, sizeof text,
                 "KERNEL void f(GLOBAL int *a)\n{\n    PRIVATE int x, y;\n    FIRST_GROUP {\n"
                 "GROUPS (t) x = t;\nGROUPS (t) { y = x; }\n%sGROUPS (t) a[t] = y;\n    }\n"
                 "    THREADS (t) x = a[t];\n}\n",
                 cases[i].between);
        snprintf(wanted, sizeof wanted,
                 "MMM_GROUP_%s MMM_FIRST_PART (t) MMM_MINE(x, t, 0) = t;\n"
                 "MMM_GROUP_%s MMM_FIRST_PART (t) { MMM_MINE(y, t, 0) = MMM_MINE(x, t, 0); }\n",
                 cases[i].barrier, cases[i].barrier);
        assert_ok(generate_text(text, &out));
        if (!strstr(out.host, wanted)) fail_msg("no %s in\n%s", wanted, out.host);
        assert_non_null(strstr(out.host, "MMM_GROUP_REGION MMM_FIRST_PART (t) a[t] = MMM_MINE(y, t, 0);\n"));
        mmm_generated_clear(&out);
    }
}

/* Several errors in one go, by line, no more than 20. */
static void test_many(void **state)
{
    mmm_generated out;
    char text[4096] = "KERNEL int f(GLOBAL int *a)\n{\n    int x;\n    THREADS (t) {\n";
    (void)state;
    for (int i = 0; i < 30; i++)
        strcat(text, "        x = 1;\n");
    strcat(text, "    }\n}\n");
    assert_fails(generate_text(text, &out), MMM_INVALID, "k.c:5: 'x' is declared outside");
    assert_non_null(strstr(mmm_message(), "(and 19 more)"));
    assert_int_equal(out.diagnostic_count, 20);
    for (int i = 0; i < 20; i++)
        assert_int_equal(out.diagnostics[i].line, 5 + i);
    mmm_generated_clear(&out);

    assert_fails(generate_text("KERNEL int f(GLOBAL int *a)\n{\n    THREADS (t) {\n    break;\n}\n}\n"
                               "KERNEL void g(GLOBAL int *a)\n{\n    )\n}\nKERNEL void h(long x)\n{\n}\n",
                               &out),
                 MMM_INVALID, "k.c:1: the kernel 'f' returns int");
    static const int lines[] = {1, 4, 9, 11, 11};
    assert_int_equal(out.diagnostic_count, 5);
    for (int i = 0; i < 5; i++)
        assert_int_equal(out.diagnostics[i].line, lines[i]);
    mmm_generated_clear(&out);
}

static void test_warning(void **state)
{
    static const struct {
        const char *body;
        bool warned;
    } cases[] = {
        {"THREADS (t) a[t] = b[t] + 1;", true},
        {"THREADS (t) { word x = b[t]; x ^= 3; a[t] = x; }", true},
        {"THREADS (t) a[t] = twice(b[t]);", true},
        {"THREADS (t) a[t] = (word)sqrt((double)b[t]);", true},
        {"THREADS (t) { a[t] = b[t] + 1; OPS(1); }", false},
        {"THREADS (t) a[t] = add(b[t], 1);", false},
        {"THREADS (t) a[t] = b[t] + charged();", false},
        {"THREADS (t) a[block * block_size + t] = b[2 * t + 1];", false},
        {"int i = 3 * block + n; THREADS (t, 0, n - i) { int j = i + t; if (j < n - 1) a[j] = b[j]; }", false},
        {"for (int k = 0; k < n * 2; k++) THREADS (t) a[t] = 1;", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1000];
        mmm_generated out;
        snprintf(text, sizeof text,
                 "word twice(word x) { return 2 * x; }\nint charged(void) { OPS(1); return 1; }\n"
                 "KERNEL void f(GLOBAL word *a, GLOBAL const word *b, int n)\n{\n%s\n}\n",
                 cases[i].body);
        assert_ok(generate_text(text, &out));
        if (out.diagnostic_count != cases[i].warned) fail_msg("%s", cases[i].body);
        if (cases[i].warned) {
            assert_true(out.diagnostics[0].warning);
            assert_int_equal(out.diagnostics[0].line, 3);
            assert_non_null(strstr(out.diagnostics[0].text, "the kernel 'f' computes but charges no operation"));
        }
        mmm_generated_clear(&out);
    }
}

static void test_files(void **state)
{
    mmm_generated out;
    (void)state;
    assert_fails(mmm_generate("tests/kernel/nowhere.c", NULL, "unit", &out), MMM_IO, "nowhere.c");
    mmm_generated_clear(&out);
    assert_fails(mmm_generate("apps/gcd/kernels.c", NULL, "1st", &out), MMM_INVALID, "'1st' is no name for a unit");
    mmm_generated_clear(&out);
    assert_fails(generate_text("", &out), MMM_INVALID, "k.c:1: this file has no kernel");
    mmm_generated_clear(&out);
}

/* Four of the sums of tests/kernels/within.c are added up turn by turn on a core, and no others. */
static void test_outer(void **state)
{
    mmm_generated out;
    int outer = 0, inner = 0;
    (void)state;
    assert_ok(mmm_generate("tests/kernels/within.c", NULL, "within", &out));
    for (const char *at = out.host; (at = strstr(at, "MMM_OUTER(for ")); at++)
        outer++;
    for (const char *at = out.host; (at = strstr(at, "MMM_INNER(for ")); at++)
        inner++;
    assert_int_equal(outer, 4);
    assert_int_equal(inner, 4);
    mmm_generated_clear(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrong),   cmocka_unit_test(test_clean), cmocka_unit_test(test_emitted),
        cmocka_unit_test(test_alone),   cmocka_unit_test(test_lines), cmocka_unit_test(test_many),
        cmocka_unit_test(test_warning), cmocka_unit_test(test_files), cmocka_unit_test(test_outer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
