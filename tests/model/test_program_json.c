/* SPDX-License-Identifier: Apache-2.0 */
/* Programs read from files, good and bad (sections 2.2 and 2.3). */
#include "testing.h"

#define A "{\"name\":\"A\",\"blocks\":4,\"threads\":32,\"work\":640,\"span\":20,\"overhead_words\":5}"
#define B "{\"name\":\"B\",\"blocks\":3,\"threads\":8,\"work\":[9,8,9],\"span\":[2,1,2],\"overhead_words\":0}"
#define MANY(n)                                                                                              \
    "{\"name\":\"C\",\"count\":" n ",\"blocks\":3,\"threads\":8,\"local_words\":7,"                          \
    "\"costs\":[{\"blocks\":1,\"work\":5,\"span\":4},{\"blocks\":2,\"work\":6,\"span\":3,\"span_thread\":2," \
    "\"reads\":1,\"writes\":9}]}"
#define WITH(text) "{\"kernels\":[{\"name\":\"A\",\"blocks\":2,\"threads\":1," text "}]}"

static void test_read(void **state)
{
    (void)state;
    mmm_program *program;
    mmm_shape shape;
    mmm_measures measures;
    mmm_parameters machine = {.U = 10, .Z = 1};
    const char *path = file_with("{\"kernels\":[" A "," B "],\"edges\":[[\"A\",\"B\"],[\"A\",\"B\"]]}");
    assert_ok(mmm_program_read(path, &program));
    unlink(path);
    assert_int_equal(mmm_program_kernels(program), 2);
    assert_string_equal(mmm_program_kernel_name(program, 1), "B");
    assert_int_equal(program->nodes[1].groups, 2);
    assert_int_equal(program->nodes[1].threads, 8);
    assert_ok(mmm_program_shape(program, &shape));
    assert_true(shape.N == 7 && shape.L == 2 && shape.K == 4 && shape.edges == 2);
    assert_ok(mmm_program_measures(program, &machine, &measures));
    assert_true(measures.work == 4 * 640 + 26 && measures.span == 22 && measures.span_thread == 22 &&
                measures.overhead_words == 20 && measures.C == 70);
    mmm_program_free(program);
}

/* The short forms of large programs. */
static void test_runs(void **state)
{
    (void)state;
    mmm_program *program;
    static const mmm_cost costs[] = {{1, 5, 4, 4, 0, 0}, {2, 6, 3, 2, 1, 9}};
    const char *path = file_with("{\"kernels\":[" A "," MANY("3") "],\"edges\":[[0,1,3],[\"A\",2],[0,3,1]]}");
    assert_ok(mmm_program_read(path, &program));
    unlink(path);
    assert_int_equal(mmm_program_kernels(program), 4);
    for (int k = 1; k < 4; k++) {
        mmm_kernel_info info;
        assert_ok(mmm_program_kernel(program, k, &info));
        assert_string_equal(info.name, "C");
        assert_true(info.blocks == 3 && info.threads == 8 && info.local_words == 7 && info.groups == 2);
        assert_memory_equal(info.costs, costs, sizeof costs);
    }
    static const int edges[][2] = {{0, 1}, {1, 2}, {2, 3}, {0, 2}, {0, 3}};
    assert_int_equal(program->edge_count, 5);
    for (int i = 0; i < 5; i++) {
        const mmm_edge *e = &program->edges[i];
        assert_true(e->before == edges[i][0] && e->after == edges[i][1] && !e->decides);
    }
    mmm_program_free(program);
}

static void test_no_edges_and_many_blocks(void **state)
{
    (void)state;
    mmm_program *program;
    mmm_shape shape;
    const char *path = file_with("{\"kernels\":[{\"name\":\"A\",\"blocks\":1000000000000000000,\"threads\":1,"
                                 "\"work\":1,\"span\":1,\"overhead_words\":1},"
                                 "{\"name\":\"B\",\"blocks\":1,\"threads\":1,"
                                 "\"work\":[1],\"span\":[1],\"overhead_words\":[1]}]}");
    assert_ok(mmm_program_read(path, &program));
    unlink(path);
    assert_int_equal(program->nodes[0].groups, 1);
    assert_ok(mmm_program_shape(program, &shape));
    assert_true(shape.N == 1000000000000000001 && shape.K == shape.N);
    mmm_program_free(program);
}

/* Any order of the blocks gives the same groups, and each group stands for its blocks. */
static void test_groups(void **state)
{
    (void)state;
    mmm_random random = {41};
    char text[1024];
    for (int trial = 0; trial < 100; trial++) {
        int blocks = (int)draw(&random, 1, 100);
        int64_t count[3][3] = {{0}};
        char work[256] = "", span[256] = "";
        for (int b = 0; b < blocks; b++) {
            int w = (int)draw(&random, 0, 2), s = (int)draw(&random, 0, 2);
            count[w][s]++;
            sprintf(work + strlen(work), "%s%d", b ? "," : "", w);
            sprintf(span + strlen(span), "%s%d", b ? "," : "", s);
        }
        snprintf(text, sizeof text,
                 "{\"kernels\":[{\"name\":\"A\",\"blocks\":%d,\"threads\":1,\"work\":[%s],\"span\":[%s],"
                 "\"overhead_words\":7}]}",
                 blocks, work, span);
        mmm_program *program;
        const char *path = file_with(text);
        assert_ok(mmm_program_read(path, &program));
        unlink(path);
        for (int g = 0; g < program->nodes[0].groups; g++) {
            const mmm_cost *cost = &program->nodes[0].costs[g];
            assert_int_equal(cost->blocks, count[cost->work][cost->span]);
            assert_true(cost->span_thread == cost->span && cost->reads == 7 && cost->writes == 0);
            count[cost->work][cost->span] = 0;
        }
        for (int i = 0; i < 9; i++)
            assert_int_equal(count[i / 3][i % 3], 0);
        mmm_program_free(program);
    }
}

static void test_many_kernels(void **state)
{
    (void)state;
    int n = 100000;
    const char *path = file_with("");
    FILE *stream = fopen(path, "w");
    fputs("{\"kernels\":[", stream);
    for (int k = 0; k < n; k++)
        fprintf(stream, "%s{\"name\":\"k%d\",\"blocks\":1,\"threads\":1,\"work\":1,\"span\":1,\"overhead_words\":1}",
                k ? "," : "", k);
    fputs("],\"edges\":[", stream);
    for (int k = 1; k < n; k++)
        fprintf(stream, "%s[\"k%d\",\"k%d\"]", k > 1 ? "," : "", k - 1, k);
    fputs("]}", stream);
    fclose(stream);
    mmm_program *program;
    assert_ok(mmm_program_read(path, &program));
    unlink(path);
    assert_int_equal(mmm_program_kernels(program), n);
    assert_int_equal(program->edge_count, n - 1);
    mmm_program_free(program);
}

static void test_bad(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "is not JSON: line 1, column 0"},
        {"{\"kernels\":\n[,]}", "is not JSON: line 2, column 2"},
        {"{\"kernels\":[" A "]} x", "end of file expected"},
        {"{\"kernels\":[],\"kernels\":[]}", "duplicate"},
        {"[]", "must be a JSON object with the keys kernels, edges"},
        {"{}", "no kernels"},
        {"{\"kernels\":[]}", "no kernels"},
        {"{\"kernels\":7}", "kernels must be an array"},
        {"{\"kernels\":[" A "],\"edges\":7}", "edges must be an array"},
        {"{\"kernels\":[" A "],\"edge\":[]}", "unknown key 'edge'; known are kernels, edges"},
        {"{\"kernels\":[" A ",7]}", "kernel 1 is not an object with the keys name, blocks, threads"},
        {"{\"kernels\":[{}]}", "kernel 0 needs a name"},
        {"{\"kernels\":[{\"name\":\"\"}]}", "kernel 0 needs a name"},
        {"{\"kernels\":[{\"name\":3}]}", "kernel 0 needs a name"},
        {"{\"kernels\":[{\"name\":\"\\u001b[31mA\"}]}", "not empty and without control characters"},
        {"{\"kernels\":[{\"name\":\"A\\n\"}]}", "not empty and without control characters"},
        {"{\"kernels\":[{\"name\":\"\\u009b31mA\"}]}", "not empty and without control characters"},
        {"{\"kernels\":[{\"name\":\"\\u00c4\\u007f\"}]}", "not empty and without control characters"},
        {"{\"kernels\":[" A "," A "," B "],\"edges\":[[\"B\",\"A\"]]}", "kernel 'A', of which there are several"},
        {"{\"kernels\":[" B "," MANY("2") "],\"edges\":[[\"B\",\"C\"]]}", "kernel 'C', of which there are several"},
        {"{\"kernels\":[" MANY("0") "]}", "count must be an integer of at least 1"},
        {WITH("\"local_words\":-1"), "local_words must be an integer of at least 0"},
        {WITH("\"work\":1,\"costs\":[]"), "kernel 'A' has both costs and work"},
        {WITH("\"costs\":7"), "costs must be an array of groups"},
        {WITH("\"costs\":[7]"), "costs must be objects with the keys blocks, work, span"},
        {WITH("\"costs\":[]"), "costs for 0 blocks, but it has 2"},
        {WITH("\"costs\":[{\"blocks\":1,\"work\":1,\"span\":1}]"), "costs for 1 blocks, but it has 2"},
        {WITH("\"costs\":[{\"blocks\":3,\"work\":1,\"span\":1}]"), "costs for more than its 2 blocks"},
        {WITH("\"costs\":[{\"blocks\":2,\"span\":1}]"), "kernel 'A' lacks the key work"},
        {WITH("\"costs\":[{\"blocks\":0,\"work\":1,\"span\":1}]"), "blocks must be an integer of at least 1"},
        {WITH("\"costs\":[{\"blocks\":2,\"work\":1,\"span\":1,\"reads\":-1}]"),
         "reads must be an integer of at least 0"},
        {WITH("\"costs\":[{\"blocks\":2,\"work\":1,\"span\":1,\"read\":1}]"), "unknown key 'read'; known are blocks, "},
        {"{\"kernels\":[{\"name\":\"A\"}]}", "kernel 'A' lacks the key blocks"},
        {"{\"kernels\":[{\"name\":\"A\",\"blocks\":1}]}", "kernel 'A' lacks the key threads"},
        {"{\"kernels\":[{\"name\":\"A\",\"blocks\":0}]}", "blocks must be an integer of at least 1"},
        {"{\"kernels\":[{\"name\":\"A\",\"blocks\":-3}]}", "blocks must be an integer of at least 1"},
        {"{\"kernels\":[{\"name\":\"A\",\"blocks\":2.0}]}", "blocks must be an integer of at least 1"},
        {"{\"kernels\":[{\"name\":\"A\",\"blocks\":99999999999999999999}]}", "is not JSON"},
        {"{\"kernels\":[{\"name\":\"A\",\"blocks\":1,\"threads\":0}]}", "threads must be an integer of at least 1"},
        {WITH("\"wrok\":1"), "kernel 'A' has the unknown key 'wrok'; known are name, blocks, threads, work, span, "},
        {WITH("\"work\":1,\"span\":1"), "kernel 'A' lacks the key overhead_words"},
        {WITH("\"work\":-1,\"span\":1,\"overhead_words\":0"), "work must be an integer of at least 0"},
        {WITH("\"work\":\"x\",\"span\":1,\"overhead_words\":0"), "work must be an integer of at least 0"},
        {WITH("\"work\":1,\"span\":[1,-1],\"overhead_words\":0"), "span must be an integer of at least 0"},
        {WITH("\"work\":1,\"span\":[1,null],\"overhead_words\":0"), "span must be an integer of at least 0"},
        {WITH("\"work\":1,\"span\":1,\"overhead_words\":[1]"), "overhead_words has 1 entries, but there are 2 blocks"},
        {WITH("\"work\":[1,2],\"span\":[1,2,3],\"overhead_words\":1"), "span has 3 entries"},
        {WITH("\"work\":[],\"span\":1,\"overhead_words\":1"), "work has 0 entries"},
        {"{\"kernels\":[" A "],\"edges\":[[\"A\",\"C\"]]}", "unknown kernel 'C'"},
        {"{\"kernels\":[" A "],\"edges\":[[\"A\"]]}", "an edge must be two names"},
        {"{\"kernels\":[" A "],\"edges\":[[\"A\",\"A\",1,1]]}", "an edge must be two names"},
        {"{\"kernels\":[" A "],\"edges\":[[0,0.5]]}", "an edge must be two names"},
        {"{\"kernels\":[" A "],\"edges\":[[0,1]]}", "names kernel 1; they are numbered from 0 and are 1"},
        {"{\"kernels\":[" A "],\"edges\":[[-1,0]]}", "names kernel -1"},
        {"{\"kernels\":[" MANY("5") "],\"edges\":[[0,1,5]]}", "from kernel 0 to 1 on are from 1 to 4, not 5"},
        {"{\"kernels\":[" MANY("5") "],\"edges\":[[3,2,3]]}", "from kernel 3 to 2 on are from 1 to 2, not 3"},
        {"{\"kernels\":[" MANY("5") "],\"edges\":[[0,1,0]]}", "not 0"},
        {"{\"kernels\":[" MANY("5") "],\"edges\":[[0,1,\"x\"]]}", "not 0"},
        {"{\"kernels\":[" A "],\"edges\":[null]}", "an edge must be two names"},
        {"{\"kernels\":[" A "],\"edges\":[[\"A\",\"A\"]]}", "kernel 'A' would be on a cycle"},
        {"{\"kernels\":[" A "," B "],\"edges\":[[\"A\",\"B\"],[\"B\",\"A\"]]}", "' is on a cycle"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mmm_program *program = NULL;
        const char *path = file_with(cases[i].text);
        assert_fails(mmm_program_read(path, &program), MMM_INVALID, cases[i].message);
        assert_non_null(strstr(mmm_message(), path));
        assert_null(program);
        unlink(path);
    }
    mmm_program *program = NULL;
    const char *large = file_with("{\"kernels\":[" MANY("9000000000000000000") "]}");
    assert_fails(mmm_program_read(large, &program), MMM_TOO_LARGE,
                 "with 9000000000000000000 of them there are more than 4194304 kernels");
    unlink(large);
    assert_fails(mmm_program_read("nowhere.json", &program), MMM_IO, "nowhere.json");
    assert_fails(mmm_program_read("build", &program), MMM_IO, "build");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read),   cmocka_unit_test(test_no_edges_and_many_blocks),
        cmocka_unit_test(test_groups), cmocka_unit_test(test_many_kernels),
        cmocka_unit_test(test_bad),    cmocka_unit_test(test_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
