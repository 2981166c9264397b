/* SPDX-License-Identifier: Apache-2.0 */
/* Programs of the kernels in tests/kernels/traffic.c, counted. */
#ifndef MMM_TESTS_TRAFFIC_H
#define MMM_TESTS_TRAFFIC_H

#include "machine/machine.h"
#include "testing.h"

#include "traffic/kernels.h"

enum { BLOCKS = 3, MOST = 4096 };

static inline mmm_program *begin(int bits)
{
    mmm_program *program;
    assert_ok(mmm_program_new(&program));
    assert_ok(mmm_program_set_words(program, bits, NULL));
    return program;
}

#define ARRAY(program, handle, count, use, memory) \
    assert_ok(mmm_program_array(program, #handle, MMM_TYPE_OF(&(handle)), count, use, memory, &(handle).number))

static mmm_machine *machine;

/* Counts the program of one kernel; sums over its regions are the kernel's but for what is done after the last. */
static inline mmm_traffic counted(mmm_program *program)
{
    mmm_traffic out, sum = {0};
    int64_t operations = 0;
    mmm_kernel_info info;
    assert_ok(mmm_machine_count_traffic(machine, 1));
    assert_ok(mmm_machine_run(machine, program, NULL));
    const mmm_counts *counts = mmm_machine_counts(machine);
    assert_int_equal(counts->violation_count, 0);
    assert_ok(mmm_program_traffic(program, 0, &out));
    assert_ok(mmm_program_kernel(program, 0, &info));
    for (int i = 0; i < MMM_OPERATION_KINDS; i++)
        operations += out.operations[i];
    assert_int_equal(operations, info.work);
    assert_int_equal(operations, counts->arithmetic);
    assert_memory_equal(&out, counts->traffic, sizeof out);
    for (int64_t i = 0; i < counts->region_count; i++) {
        assert_string_equal(counts->regions[i].kernel, info.name);
        mmm_traffic_add(&sum, &counts->regions[i].traffic);
    }
    sum.words_most = out.words_most;
    sum.local_most = out.local_most;
    sum.private_words = out.private_words;
    sum.footprint = out.footprint;
    assert_memory_equal(&sum, &out, sizeof sum);
    return out;
}

#endif
