/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles of CUDA programs as programs: files that Nsight Compute made on an H200 (a fork and a join on two streams,
 * twice), Nsight Systems' form, and files that are none. */
#include "model/model.h"
#include "testing.h"

#include <math.h>
#include <unistd.h>

#define FILES "tests/model/profiles/"

/* Of the program in the files: grids and blocks of fill, scale, smooth and sum. */
static const int64_t grids[] = {4096, 4096, 8192, 264}, blocks[] = {256, 256, 128, 256};

static mmm_kernel_info kernel(const mmm_program *program, int k)
{
    mmm_kernel_info info;
    assert_ok(mmm_program_kernel(program, k, &info));
    return info;
}

static mmm_program *import_text(const char *text)
{
    char path[64];
    mmm_program *program;
    snprintf(path, sizeof path, "build/test-profile-%d.csv", (int)getpid());
    FILE *stream = fopen(path, "w");
    fputs(text, stream);
    fclose(stream);
    assert_ok(mmm_program_import(path, &program));
    unlink(path);
    return program;
}

static void check_shape(const mmm_program *program)
{
    mmm_shape shape;
    assert_ok(mmm_program_shape(program, &shape));
    assert_int_equal(shape.kernels, 8);
    assert_int_equal(shape.N, 2 * (4096 + 4096 + 8192 + 264));
    assert_int_equal(shape.L, 6); /* stream 13; the file does not tell what waits for what in stream 14 */
    assert_int_equal(shape.edges, 5 + 1);
    assert_int_equal(shape.K, 4096 + 8192);
    for (int k = 0; k < 8; k++) {
        assert_int_equal(kernel(program, k).blocks, grids[k % 4]);
        assert_int_equal(kernel(program, k).threads, blocks[k % 4]);
        assert_true(kernel(program, k).seconds > 4e-6 && kernel(program, k).seconds < 12e-6);
        assert_int_equal(kernel(program, k).local_words, k % 4 == 3 ? 256 : 0);
    }
    assert_string_equal(kernel(program, 2).name, "smooth");
}

static void test_raw(void **state)
{
    (void)state;
    mmm_program *program, *again;
    mmm_analysis a, b;
    mmm_parameters machine;
    const int64_t P = 132;
    assert_ok(mmm_program_import(FILES "ncu-raw.csv", &program));
    check_shape(program);
    const int64_t work[] = {14680064, 18874368, 34602962, 13323296}, chains[] = {14, 18, 33, 198};
    for (int k = 0; k < 8; k++) {
        assert_int_equal(kernel(program, k).work, work[k % 4]); /* none is lost where blocks do not divide it */
        assert_int_equal(kernel(program, k).span, chains[k % 4]);
    }
    assert_int_equal(kernel(program, 0).writes, 2); /* 197848 sectors of 8 words for 2^20 threads, rounded up */
    assert_int_equal(kernel(program, 0).reads, 1);
    assert_true(fabs(kernel(program, 2).seconds - 7968e-9) < 1e-15);
    assert_ok(mmm_parameters_read("h200", &machine));
    assert_ok(mmm_analysis_make(&a, program, &machine, &P, 1, 1));
    double one = 4512 + 5376 + 10784 + 4448 + 5184 + 10528, two = 7968 + 7552;
    assert_true(fabs(a.measured - (one + two) * 1e-9) < 1e-12 && fabs(a.measured_path - one * 1e-9) < 1e-12);
    char path[64];
    snprintf(path, sizeof path, "build/test-profile-%d.json", (int)getpid());
    assert_ok(mmm_program_write(program, path));
    assert_ok(mmm_program_read(path, &again));
    unlink(path);
    assert_ok(mmm_analysis_make(&b, again, &machine, &P, 1, 1));
    assert_true(fabs(b.measured - a.measured) < 1e-12 && fabs(b.measured_path - a.measured_path) < 1e-12);
    assert_int_equal(b.measures.work, a.measures.work);
    mmm_program_free(again);
    mmm_program_free(program);
}

/* A metric a row. */
static void test_details(void **state)
{
    (void)state;
    mmm_program *program;
    assert_ok(mmm_program_import(FILES "ncu-details.csv", &program));
    check_shape(program);
    assert_int_equal(kernel(program, 0).work, 0);
    mmm_program_free(program);
}

/* Copies are no kernels; what is in the default stream waits for all, and all for it. */
static void test_systems(void **state)
{
    (void)state;
    mmm_program *program = import_text(
        "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem (MB),Bytes (MB),"
        "Throughput (MBps),SrcMemKd,DstMemKd,Device,Ctx,Strm,Name\n"
        "100,1000,1,,,,,,,,,,4.000,1000,Pageable,Device,H200,1,7,[CUDA memcpy HtoD]\n"
        "2000,500,2,2,3,1,16,16,1,32,0.001,0.000,,,,,H200,1,13,\"a<int, 3>(int *, int)\"\n"
        "2100,700,3,5,1,1,32,1,1,32,0.000,0.000,,,,,H200,1,14,b\n"
        "3000,300,4,1,1,1,32,1,1,32,0.000,0.000,,,,,H200,1,7,\033[2Jc\n"
        "4000,200,5,1,1,1,32,1,1,32,0.000,0.000,,,,,H200,1,14,d\r\n");
    mmm_shape shape;
    mmm_analysis a;
    assert_ok(mmm_program_shape(program, &shape));
    assert_int_equal(shape.kernels, 4);
    assert_int_equal(shape.L, 3);
    assert_int_equal(shape.K, 6 + 5);
    assert_int_equal(kernel(program, 0).blocks, 6);
    assert_int_equal(kernel(program, 0).threads, 256);
    assert_int_equal(kernel(program, 0).local_words, 250);
    assert_string_equal(kernel(program, 0).name, "a");
    assert_string_equal(kernel(program, 2).name, " [2Jc"); /* nothing that a terminal would obey */
    assert_ok(mmm_analysis_make(&a, program, mmm_parameters_builtin(), NULL, 0, 1));
    assert_true(fabs(a.measured_path - 1200e-9) < 1e-15);
    mmm_program_free(program);
}

/* As an H200 wrote it: two streams of two kernels. */
static void test_systems_trace(void **state)
{
    (void)state;
    mmm_program *program;
    mmm_shape shape;
    mmm_analysis a;
    assert_ok(mmm_program_import(FILES "nsys-trace.csv", &program));
    assert_ok(mmm_program_shape(program, &shape));
    assert_int_equal(shape.kernels, 4);
    assert_int_equal(shape.N, 4096 + 2048 + 4096 + 8192);
    assert_int_equal(shape.L, 2);
    assert_int_equal(shape.K, 4096 + 8192);
    assert_int_equal(kernel(program, 3).threads, 128);
    assert_string_equal(kernel(program, 3).name, "scale");
    assert_ok(mmm_analysis_make(&a, program, mmm_parameters_builtin(), NULL, 0, 1));
    assert_true(fabs(a.measured_path - (2528 + 5952) * 1e-9) < 1e-15);
    mmm_program_free(program);
}

/* A launch follows another where both are in one stream or either is in the default stream, and what follows from that:
 * the same as the edges say, for launches drawn at random. */
static void test_streams(void **state)
{
    (void)state;
    enum { LAUNCHES = 40, TRIALS = 60 };
    for (int trial = 0; trial < TRIALS; trial++) {
        static char text[LAUNCHES * 40 + 100];
        bool meant[LAUNCHES][LAUNCHES] = {0}, told[LAUNCHES][LAUNCHES] = {0};
        int64_t streams[LAUNCHES];
        mmm_random random = {(uint64_t)trial};
        int used = snprintf(text, sizeof text, "GrdX,BlkX,Strm,Name\n");
        for (int i = 0; i < LAUNCHES; i++) {
            streams[i] = 7 + (int64_t)mmm_random_below(&random, (uint64_t)(2 + trial % 9));
            used += snprintf(text + used, sizeof text - (size_t)used, "4,32,%lld,k\n", (long long)streams[i]);
        }
        mmm_program *program = import_text(text);
        for (int64_t e = 0; e < program->edge_count; e++)
            told[program->edges[e].before][program->edges[e].after] = true;
        for (int i = 0; i < LAUNCHES; i++)
            for (int j = 0; j < i; j++)
                meant[j][i] = streams[i] == streams[j] || streams[i] == 7 || streams[j] == 7;
        for (int k = 0; k < LAUNCHES; k++)
            for (int i = 0; i < LAUNCHES; i++)
                for (int j = 0; j < LAUNCHES; j++) {
                    meant[i][j] |= meant[i][k] && meant[k][j];
                    told[i][j] |= told[i][k] && told[k][j];
                }
        assert_memory_equal(meant, told, sizeof meant);
        mmm_program_free(program);
    }
}

/* Rows of one launch are together; another process may count its launches from 0 again. */
static void test_metrics_of_launches(void **state)
{
    (void)state;
    mmm_program *program = import_text("ID,Kernel Name,Stream,Block Size,Grid Size,Metric Name,Metric Unit,Metric Value\n"
                                       "0,a,13,32,1,smsp__inst_executed.sum,inst,10\n"
                                       "0,a,13,32,1,lts__t_sectors_op_write.sum,sector,4\n"
                                       "1,b,13,32,1,smsp__inst_executed.sum,inst,20\n"
                                       "0,c,13,32,1,smsp__inst_executed.sum,inst,30\n");
    assert_int_equal(program->kernels, 3);
    for (int k = 0; k < 3; k++)
        assert_int_equal(kernel(program, k).work, 32 * 10 * (k + 1));
    assert_int_equal(kernel(program, 0).writes, 1);
    mmm_program_free(program);
}

static void test_no_profile(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "has no row with the columns of a profile"},
        {"Name,GrdX\na,1\n", "has no row with the columns of a profile"},
        {"\"Kernel Name\",\"Grid Size\",\"Block Size\"\n", "has no kernel below its heading"},
        {"Kernel Name,Grid Size,Block Size\na,x,32\n", "row 2: Grid Size is 'x', which is no number"},
        {"Kernel Name,Grid Size,Block Size\na,0,32\n", "has 0 blocks of 32 threads"},
        {"Kernel Name,Grid Size,Block Size\na,1e300,32\n", "has 1e+300 blocks of 32 threads"},
        {"Kernel Name,Grid Size,Block Size,smsp__inst_executed.sum\na,1,32,1e300\n", "than are possible"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[64];
        mmm_program *program = NULL;
        snprintf(path, sizeof path, "build/test-profile-%d.csv", (int)getpid());
        FILE *stream = fopen(path, "w");
        fputs(cases[i].text, stream);
        fclose(stream);
        assert_fails(mmm_program_import(path, &program), MMM_INVALID, cases[i].message);
        unlink(path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_raw), cmocka_unit_test(test_details),
                                       cmocka_unit_test(test_systems), cmocka_unit_test(test_systems_trace),
                                       cmocka_unit_test(test_streams), cmocka_unit_test(test_metrics_of_launches),
                                       cmocka_unit_test(test_no_profile)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
