/* SPDX-License-Identifier: Apache-2.0 */
/* NumPy's .npy files: what is written is read again, in every type and shape; what is not right is refused. */
#include "job/job.h"
#include "testing.h"

static const mmm_type types[] = {MMM_WORD, MMM_I8,  MMM_U8,  MMM_I16, MMM_U16, MMM_I32,
                                 MMM_U32,  MMM_I64, MMM_U64, MMM_F32, MMM_F64};
enum { TYPES = sizeof types / sizeof *types };

/* The .npy file of a vector, in memory. */
static char *print(const mmm_vector *v, int element, size_t *size)
{
    char *text;
    FILE *stream = open_memstream(&text, size);
    assert_non_null(stream);
    mmm_npy_print(v, element, stream);
    assert_int_equal(fclose(stream), 0);
    return text;
}

/* Numbers that the type can hold; of words those of `bits`. */
static mmm_vector vector_of(mmm_type type, int bits, const int64_t *lengths, int dimensions)
{
    mmm_random random = {(uint64_t)type + 17 * (uint64_t)dimensions};
    mmm_vector v = {.type = type, .count = 1, .dimensions = dimensions};
    for (int i = 0; i < dimensions; i++)
        v.count *= v.lengths[i] = lengths[i];
    size_t size = mmm_element_size(type);
    v.elements = calloc((size_t)v.count + 1, size);
    for (int64_t i = 0; i < v.count; i++) {
        uint64_t x = mmm_random_next(&random);
        if (type == MMM_WORD) x >>= 64 - bits;
        if (type == MMM_F32)
            ((float *)v.elements)[i] = (float)(int64_t)x / 3;
        else if (type == MMM_F64)
            ((double *)v.elements)[i] = (double)(int64_t)x / 3;
        else
            memcpy((char *)v.elements + (size_t)i * size, &x, size);
    }
    return v;
}

static void test_round_trips(void **state)
{
    static const int64_t shapes[][4] = {{5}, {0}, {1}, {3, 4}, {1, 7}, {4, 0}, {2, 3, 5}, {1, 1, 1}, {2, 3, 2, 2}};
    static const int dimensions[] = {1, 1, 1, 2, 2, 2, 3, 3, 4};
    (void)state;
    for (int t = 0; t < TYPES; t++)
        for (int k = 0; k < 9; k++)
            for (int bits = 32; bits <= (types[t] == MMM_WORD ? 64 : 32); bits += 32) {
                mmm_vector v = vector_of(types[t], bits, shapes[k], dimensions[k]), w = {0};
                int element = types[t] == MMM_WORD ? bits / 8 : mmm_type_size(types[t]), found = 0;
                size_t size;
                char *file = print(&v, element, &size);
                assert_true(mmm_is_npy(file, (int64_t)size));
                size_t header = 10 + (unsigned char)file[8] + 256 * (size_t)(unsigned char)file[9];
                assert_int_equal(header % 64, 0); /* as NumPy wants it */
                assert_int_equal(file[header - 1], '\n');
                assert_int_equal(size, header + (size_t)(v.count * element));
                assert_ok(mmm_npy_parse(file, (int64_t)size, types[t], "file.npy", &w, &found));
                assert_int_equal(found, element);
                assert_int_equal(w.type, v.type);
                assert_int_equal(w.count, v.count);
                assert_int_equal(w.dimensions, v.dimensions);
                assert_memory_equal(w.lengths, v.lengths, sizeof v.lengths);
                if (v.count) assert_memory_equal(w.elements, v.elements, (size_t)v.count * mmm_element_size(types[t]));
                mmm_vector_clear(&w);
                for (size_t cut = 0; cut < size; cut++) { /* and no part of it is a file */
                    if (!mmm_is_npy(file, (int64_t)cut)) continue;
                    char *part = malloc(cut + 1); /* of just that size, for checkers of memory */
                    memcpy(part, file, cut);
                    assert_int_equal(mmm_npy_parse(part, (int64_t)cut, types[t], "cut.npy", &w, &found), MMM_INVALID);
                    assert_null(strchr(mmm_message(), '\n'));
                    assert_null(w.elements);
                    free(part);
                }
                free(file);
                mmm_vector_clear(&v);
            }
}

/* A file of one version with this header and so many bytes of elements. */
static char *file_of(int version, const char *header, size_t bytes, size_t *size)
{
    size_t length = strlen(header), start = version > 1 ? 12 : 10;
    *size = start + length + bytes;
    char *file = calloc(*size + 1, 1);
    memcpy(file, "\x93NUMPY", 6);
    file[6] = (char)version;
    file[8] = (char)(length & 255);
    file[9] = (char)(length >> 8);
    memcpy(file + start, header, length);
    for (size_t i = 0; i < bytes; i++)
        file[start + length + i] = (char)(i % 100);
    return file;
}

/* What others write: other versions, orders of keys, spaces, signed words. */
static void test_readable(void **state)
{
    static const struct {
        int version;
        const char *header;
        size_t bytes;
        mmm_type type;
        int64_t count, lengths[4];
        int dimensions, element;
    } cases[] = {
        {1, "{'descr': '<i4', 'fortran_order': False, 'shape': (3,), }  \n", 12, MMM_I32, 3, {3}, 1, 4},
        {2, "{'descr': '<i4', 'fortran_order': False, 'shape': (3,), }\n", 12, MMM_I32, 3, {3}, 1, 4},
        {3, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }\n", 32, MMM_F64, 4, {2, 2}, 2, 8},
        {1, "{'shape':(2,3),'fortran_order':False,'descr':'|u1'}", 6, MMM_U8, 6, {2, 3}, 2, 1},
        {1, "{'descr': '=u2', 'fortran_order': False, 'shape': ( 2 , 1 , 2 )}", 8, MMM_U16, 4, {2, 1, 2}, 3, 2},
        {1, "{'descr': '<i8', 'fortran_order': False, 'shape': ()}", 8, MMM_I64, 1, {1}, 1, 8},
        {1, "{'descr': '<u4', 'fortran_order': True, 'shape': (2,)}", 8, MMM_U32, 2, {2}, 1, 4},
        /* words may have any size */
        {1, "{'descr': '|u1', 'fortran_order': False, 'shape': (5,)}", 5, MMM_WORD, 5, {5}, 1, 1},
        {1, "{'descr': '<i8', 'fortran_order': False, 'shape': (2,)}", 16, MMM_WORD, 2, {2}, 1, 8},
        {1, "{'descr': '<i2', 'fortran_order': False, 'shape': (2,)}", 4, MMM_POLYNOMIAL, 2, {2}, 1, 2},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t size;
        mmm_vector v = {0};
        int element = 0;
        char *file = file_of(cases[i].version, cases[i].header, cases[i].bytes, &size);
        if (mmm_npy_parse(file, (int64_t)size, cases[i].type, "x.npy", &v, &element) != MMM_OK)
            fail_msg("%s: %s", cases[i].header, mmm_message());
        assert_int_equal(v.count, cases[i].count);
        assert_int_equal(v.dimensions, cases[i].dimensions);
        assert_memory_equal(v.lengths, cases[i].lengths, sizeof v.lengths);
        assert_int_equal(element, cases[i].element);
        const unsigned char *first = (const unsigned char *)file + size - cases[i].bytes;
        for (int64_t k = 0; k < v.count; k++) {
            uint64_t expected = 0;
            memcpy(&expected, first + k * element, (size_t)element);
            assert_memory_equal((char *)v.elements + (size_t)k * mmm_element_size(v.type), &expected,
                                mmm_element_size(v.type));
        }
        mmm_vector_clear(&v);
        free(file);
    }
}

static void test_refused(void **state)
{
    static const struct {
        int version;
        const char *header;
        size_t bytes;
        mmm_type type;
        const char *message;
    } cases[] = {
        {0, "{'descr': '<i4', 'fortran_order': False, 'shape': (3,)}", 12, MMM_I32, "unknown version"},
        {4, "{'descr': '<i4', 'fortran_order': False, 'shape': (3,)}", 12, MMM_I32, "unknown version"},
        {1, "", 0, MMM_I32, "header of the .npy file is cut"},
        {1, "{}", 12, MMM_I32, "'<i4'"},
        {1, "{'descr", 12, MMM_I32, "'<i4'"},
        {1, "{'descr'", 12, MMM_I32, "'<i4'"},
        {1, "{'descr':", 12, MMM_I32, "'<i4'"},
        {1, "{'descr': '", 12, MMM_I32, "'<i4'"},
        {1, "{'descr': '<", 12, MMM_I32, "'<i4'"},
        {1, "{'descr': '<i", 12, MMM_I32, "'<i4'"},
        {1, "{'descr': '<i4", 12, MMM_I32, "'<i4'"},
        {1, "{'descr': '<i4'", 12, MMM_I32, "shape"},
        {1, "{'descr': '>i4', 'fortran_order': False, 'shape': (3,)}", 12, MMM_I32, "'<i4'"}, /* big-endian */
        {1, "{'descr': '<i3', 'fortran_order': False, 'shape': (4,)}", 12, MMM_I32, "'<i4'"},
        {1, "{'descr': '<i16', 'fortran_order': False, 'shape': (4,)}", 64, MMM_I32, "'<i4'"},
        {1, "{'descr': '<U4', 'fortran_order': False, 'shape': (3,)}", 48, MMM_I32, "'<i4'"},
        {1, "{'descr': '|b1', 'fortran_order': False, 'shape': (3,)}", 3, MMM_U8, "'<i4'"},
        {1, "{'descr': '<c8', 'fortran_order': False, 'shape': (3,)}", 24, MMM_F32, "'<i4'"},
        {1, "{'descr': '|O', 'fortran_order': False, 'shape': (3,)}", 24, MMM_F32, "'<i4'"},
        {1, "{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (3,)}", 12, MMM_I32, "'<i4'"},
        {1, "{'descr': '<f2', 'fortran_order': False, 'shape': (6,)}", 12, MMM_F32, "type f2, f4 are expected"},
        {1, "{'descr': '<i4', 'fortran_order': False, 'shape': (3,)}", 12, MMM_U32, "type i4, u4 are expected"},
        {1, "{'descr': '<i4', 'fortran_order': False, 'shape': (3,)}", 12, MMM_F32, "type i4, f4 are expected"},
        {1, "{'descr': '<i8', 'fortran_order': False, 'shape': (3,)}", 24, MMM_I32, "type i8, i4 are expected"},
        {1, "{'descr': '<f4', 'fortran_order': False, 'shape': (3,)}", 12, MMM_WORD, "unsigned integers such as u4"},
        {1, "{'descr': '<f8', 'fortran_order': False, 'shape': (3,)}", 24, MMM_POLYNOMIAL, "unsigned integers"},
        {1, "{'descr': '<i4', 'fortran_order': True, 'shape': (3, 1)}", 12, MMM_I32,
         "rows must come one after the other"},
        {1, "{'descr': '<i4', 'shape': (3,)}", 12, MMM_I32, "rows must come one after the other"},
        {1, "{'descr': '<i4', 'fortran_order': False, 'shape': 3}", 12, MMM_I32, "shape"},
        {1, "{'descr': '<i4', 'fortran_order': False, 'shape': (3", 12, MMM_I32, "shape"},
        {1, "{'descr': '<i4', 'fortran_order': False, 'shape': (-3,)}", 12, MMM_I32, "shape"},
        {1, "{'descr': '<i4', 'fortran_order': False, 'shape': (x,)}", 12, MMM_I32, "shape"},
        {1, "{'descr': '<i4', 'fortran_order': False, 'shape': (1,1,1,1,3)}", 12, MMM_I32, "1 to 4 lengths"},
        {1, "{'descr': '<i4', 'fortran_order': False, 'shape': (99999999999999999999,)}", 12, MMM_I32, "shape"},
        {1, "{'descr': '<i4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}", 12, MMM_I32, "shape"},
        {1, "{'descr': '<i4', 'fortran_order': False, 'shape': (2305843009213693952, 2)}", 12, MMM_I32, "has 12 bytes"},
        {1, "{'descr': '<i4', 'fortran_order': False, 'shape': (4,)}", 12, MMM_I32, "has 12 bytes of elements"},
        {1, "{'descr': '<i4', 'fortran_order': False, 'shape': (2,)}", 12, MMM_I32, "its shape needs 2 elements of 4"},
        {1, "{'descr': '<i4', 'fortran_order': False, 'shape': (3,)}", 13, MMM_I32, "has 13 bytes of elements"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t size;
        mmm_vector v = {0};
        int element;
        char *file = file_of(cases[i].version, cases[i].header, cases[i].bytes, &size);
        mmm_status status = mmm_npy_parse(file, (int64_t)size, cases[i].type, "x.npy", &v, &element);
        if (status != MMM_INVALID) fail_msg("%s was taken", cases[i].header);
        if (!strstr(mmm_message(), cases[i].message)) fail_msg("%s: %s", cases[i].header, mmm_message());
        assert_non_null(strstr(mmm_message(), "x.npy"));
        assert_null(strchr(mmm_message(), '\n'));
        assert_null(v.elements);
        free(file);
    }
    /* A header that says it is longer than the file, and negative words. */
    size_t size;
    mmm_vector v = {0};
    int element;
    char *file = file_of(2, "{'descr': '<i4', 'fortran_order': False, 'shape': (3,)}", 12, &size);
    file[11] = 127;
    assert_fails(mmm_npy_parse(file, (int64_t)size, MMM_I32, "x.npy", &v, &element), MMM_INVALID, "header");
    free(file);
    file = file_of(1, "{'descr': '<i2', 'fortran_order': False, 'shape': (3,)}", 6, &size);
    file[size - 1] = (char)0x80;
    assert_fails(mmm_npy_parse(file, (int64_t)size, MMM_WORD, "x.npy", &v, &element), MMM_INVALID,
                 "'x.npy': element 2 is negative");
    free(file);
    assert_false(mmm_is_npy("\x93NUMP", 5));
    assert_false(mmm_is_npy("\x93NUMPx", 6));
    assert_false(mmm_is_npy("", 0));
}

/* Any byte of a file may be wrong: it is taken or refused, and nothing else happens. */
static void test_damaged(void **state)
{
    mmm_random random = {9};
    (void)state;
    for (int round = 0; round < 3000; round++) {
        size_t size;
        mmm_vector v = {0};
        int element;
        char *file = file_of(1, "{'descr': '<u4', 'fortran_order': False, 'shape': (2, 2), }\n", 16, &size);
        for (int64_t i = draw(&random, 1, 4); i > 0; i--)
            file[draw(&random, 6, (int64_t)size - 1)] = (char)mmm_random_next(&random);
        if (mmm_npy_parse(file, (int64_t)size, types[round % TYPES], "x.npy", &v, &element) != MMM_OK)
            assert_null(strchr(mmm_message(), '\n'));
        mmm_vector_clear(&v);
        free(file);
    }
}

/* Through a job: keys to sort come as .npy and go back so; the size of words is the file's. */
static void test_job(void **state)
{
    (void)state;
    for (int element = 1; element <= 8; element *= 2) {
        char in[64], out[64], text[512];
        size_t size;
        mmm_job *job;
        mmm_machine *machine;
        int64_t count;
        char header[100];
        snprintf(header, sizeof header, "{'descr': '%cu%d', 'fortran_order': False, 'shape': (6,), }\n",
                 element == 1 ? '|' : '<', element);
        char *file = file_of(1, header, 6 * (size_t)element, &size);
        snprintf(in, sizeof in, "build/test-%d.npy", (int)getpid());
        snprintf(out, sizeof out, "build/test-%d-out.npy", (int)getpid());
        FILE *stream = fopen(in, "wb");
        assert_non_null(stream);
        assert_int_equal(fwrite(file, 1, size, stream), size);
        fclose(stream);
        free(file);
        assert_ok(mmm_job_new("radix-sort", &job));
        assert_ok(mmm_machine_open("cpu", &machine));
        assert_ok(mmm_job_read(job, 0, in));
        assert_int_equal(mmm_job_get(job, "n"), 6);
        assert_int_equal(mmm_job_get(job, "bits"), element == 8 ? 64 : 32);
        assert_ok(mmm_job_run(job, machine, NULL));
        assert_ok(mmm_job_check(job));
        assert_non_null(mmm_job_result(job, 0, &count));
        assert_int_equal(count, 6);
        assert_ok(mmm_job_write(job, 0, out));
        mmm_vector v = {0};
        int found;
        stream = fopen(out, "rb");
        assert_non_null(stream);
        size = fread(text, 1, sizeof text, stream);
        fclose(stream);
        assert_ok(mmm_npy_parse(text, (int64_t)size, MMM_WORD, out, &v, &found));
        assert_int_equal(found, element == 8 ? 8 : 4);
        assert_int_equal(v.count, 6);
        assert_memory_equal(v.elements, mmm_job_result(job, 0, NULL), 6 * sizeof(uint64_t));
        mmm_vector_clear(&v);
        mmm_job_free(job);
        mmm_machine_free(machine);
        unlink(in);
        unlink(out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trips), cmocka_unit_test(test_readable), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_damaged),     cmocka_unit_test(test_job),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
