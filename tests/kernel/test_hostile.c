/* SPDX-License-Identifier: Apache-2.0 */
/* The generator and texts that nobody wrote to be a kernel: changed ones, noise, such that take long or much memory. */
#include "generated.h"

/* n times the text between before and after. */
static char *repeated(const char *before, const char *part, int n, const char *after)
{
    char *text = malloc(strlen(before) + (size_t)n * strlen(part) + strlen(after) + 1), *end = text;
    assert_non_null(text);
    end = stpcpy(end, before);
    for (int i = 0; i < n; i++)
        end = stpcpy(end, part);
    strcpy(end, after);
    return text;
}

#define BEGIN "KERNEL void f(GLOBAL int *a)\n{\n    THREADS (t)\n"

/* Inputs that would take a careless reader long, much memory or a deep stack. */
static void test_limits(void **state)
{
    static const struct {
        const char *before, *part;
        int count;
        const char *after, *message;
    } cases[] = {
        {BEGIN "a[t] = ", "(", 100000, "1;\n}\n", "inside each other"},
        {BEGIN "a[t] = ", "-", 100000, "1;\n}\n", "inside each other"},
        {BEGIN "a[t] = ", "1 ? 2 : ", 50000, "1;\n}\n", "inside each other"},
        {BEGIN, "{", 100000, "\n", "inside each other"},
        {BEGIN, "if (t) ", 50000, ";\n}\n", "inside each other"},
        {BEGIN "a[t] = ", "a[", 100000, "\n", "inside each other"},
        {BEGIN "{ int x = ", "{", 100000, "\n", "inside each other"},
        {"", "KERNEL ", 100000, "\n", "neither a function nor a kernel"},
        {BEGIN "a[t] = 1", " + 1", 250000, ";\n}\n", "tokens"},
        {"", "[", 1000000, "", "tokens"},
        {BEGIN "a[t] = ", "foo() + ", 60000, "1;\n}\n", "'foo' is no function"},
        {"#define A A0\n" BEGIN, "A(", 2000, "\n", "no end"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mmm_generated out;
        char *text = repeated(cases[i].before, cases[i].part, cases[i].count, cases[i].after);
        if (strcmp(cases[i].part, "A(") == 0) memcpy(text, "#define A(x)", 12);
        assert_fails(generate_text(text, &out), MMM_INVALID, cases[i].message);
        mmm_generated_clear(&out);
        free(text);
    }
}

/* Macros that double themselves, with something in them and with nothing. */
static void test_bombs(void **state)
{
    mmm_generated out;
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        char text[8192] = "", line[100];
        for (int i = 0; i < 60; i++) {
            snprintf(line, sizeof line, kind == 2 ? "#define M%d(x) M%d(x x)\n" : "#define M%d M%d M%d\n", i, i + 1,
                     i + 1);
            strcat(text, line);
        }
        strcat(text, kind == 0 ? "#define M60 1\n" : kind == 1 ? "#define M60\n" : "#define M60(x) x\n");
        strcat(text, kind == 2 ? BEGIN "a[t] = M0(1);\n}\n" : BEGIN "a[t] = M0;\n}\n");
        assert_fails(generate_text(text, &out), MMM_INVALID, "tokens");
        mmm_generated_clear(&out);
    }
    assert_ok(
        generate_text("#define a a\n#define b c\n#define c b\n#define f(x) f(x)\n"
                      "int f(int x) { return x; }\n"
                      "KERNEL void g(GLOBAL int *a)\n{\n    THREADS (t) { int b = 1, c = 2; a[t] = f(f(c)) - f(b); "
                      "OPS(1); }\n}\n",
                      &out));
    assert_non_null(strstr(out.host, "a[t] = f(f(c MMM_PASS) MMM_PASS) - f(b MMM_PASS);"));
    mmm_generated_clear(&out);
}

/* The places where words and signs begin, up to `most`. */
static int split(const char *text, const char **at, int *length, int most)
{
    int count = 0;
    for (const char *c = text; *c && count < most;) {
        int n = 1;
        if (*c == '/' && c[1] == '*') {
            const char *end = strstr(c + 2, "*/");
            c = end ? end + 2 : c + strlen(c);
            continue;
        }
        bool word = *c == '_' || (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9');
        while (word && (c[n] == '_' || (c[n] >= 'a' && c[n] <= 'z') || (c[n] >= 'A' && c[n] <= 'Z') ||
                        (c[n] >= '0' && c[n] <= '9')))
            n++;
        while (!word && strchr("<>=+-&|!*", *c) && c[n] && strchr("<>=+-&|", c[n]))
            n++;
        if (*c != ' ' && *c != '\n') {
            at[count] = c;
            length[count++] = n;
        }
        c += n;
    }
    return count;
}

static char mutant[1 << 16];
static mmm_random chance = {20};
static int accepted, refused;

/* One or two changes: a token left out, doubled, moved, or put in another's place. */
static void mutate(const char *text)
{
    static const char *at[8192];
    static int length[8192];
    static bool ends[8192]; /* a line, in the text */
    size_t used = 0;
    int count = split(text, at, length, 8192);
    for (int i = 0; i < count; i++)
        ends[i] = i + 1 < count && memchr(at[i], '\n', (size_t)(at[i + 1] - at[i]));
    for (int64_t changes = draw(&chance, 1, 2); changes > 0; changes--) {
        int i = (int)draw(&chance, 0, count - 1), k = (int)draw(&chance, 0, count - 1);
        for (int tries = 0; tries < 8 && (*at[i] >= 'A') != (*at[k] >= 'A'); tries++) /* words for words */
            k = (int)draw(&chance, 0, count - 1);
        switch (draw(&chance, 0, 3)) {
        case 0: length[i] = 0; break;
        case 1: at[k] = at[i], length[k] = length[i]; break;
        case 2: {
            const char *other = at[i];
            int other_length = length[i];
            at[i] = at[k], length[i] = length[k];
            at[k] = other, length[k] = other_length;
            break;
        }
        default:
            if (i + 1 < count) at[i + 1] = at[i], length[i + 1] = length[i];
        }
    }
    for (int i = 0; i < count && used + 400 < sizeof mutant; i++) {
        used += (size_t)snprintf(mutant + used, sizeof mutant - used, "%.*s", length[i], at[i]);
        mutant[used++] = ends[i] ? '\n' : ' ';
    }
    mutant[used] = 0;
}

static char *read_text(const char *path)
{
    char *text = NULL;
    int64_t size;
    assert_ok(mmm_file_read(path, 1 << 20, &text, &size));
    return text;
}

static void check_mutants(const char *path)
{
    char *text = read_text(path);
    for (int i = 0; i < 150; i++) {
        mmm_generated out;
        mutate(text);
        mmm_status status = generate_text(mutant, &out);
        if (status == MMM_OK) {
            assert_non_null(out.host);
            assert_non_null(out.records);
            assert_non_null(out.header);
            accepted++;
        } else {
            assert_int_equal(status, MMM_INVALID);
            assert_true(out.diagnostic_count > 0 && out.diagnostic_count <= 40);
            assert_non_null(strstr(mmm_message(), "k.c:"));
            refused++;
        }
        mmm_generated_clear(&out);
    }
    free(text);
}

static void test_mutants(void **state)
{
    (void)state;
    for_each(FOLDER "clean", check_mutants);
    for (int i = 0; i < OWN; i++)
        check_mutants(own[i].path);
    assert_true(accepted > 0 && refused > accepted);
}

/* Bytes of any kind, and kernels that end anywhere. */
static void test_noise(void **state)
{
    mmm_generated out;
    char *text = read_text(FOLDER "clean/functions.c"), noise[300];
    (void)state;
    for (size_t length = strlen(text); length > 0; length -= length < 7 ? length : 7) {
        text[length] = 0;
        mmm_status status = generate_text(text, &out);
        assert_true(status == MMM_OK || status == MMM_INVALID);
        mmm_generated_clear(&out);
    }
    free(text);
    for (int i = 0; i < 500; i++) {
        int length = (int)draw(&chance, 1, 299);
        for (int k = 0; k < length; k++)
            noise[k] = (char)(i % 2 ? draw(&chance, 1, 255) : "{}()[];,*&=+-#\"'/\\\n a1?:"[draw(&chance, 0, 23)]);
        noise[length] = 0;
        mmm_status status = generate_text(noise, &out);
        assert_true(status == MMM_OK || status == MMM_INVALID);
        mmm_generated_clear(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_bombs),
        cmocka_unit_test(test_mutants),
        cmocka_unit_test(test_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
