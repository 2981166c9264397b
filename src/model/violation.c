/* SPDX-License-Identifier: Apache-2.0 */
/* The words for what a program must not do. */
#include "model/model.h"

static const struct {
    const char *name, *meaning;
} kinds[] = {
    [MMM_VIOLATION_WRITE_WRITE] = {"write-write", "two threads of a block write one cell in one region"},
    [MMM_VIOLATION_READ_WRITE] = {"read-write", "a thread reads a cell that another thread writes in the same region"},
    [MMM_VIOLATION_BLOCK_RACE] = {"block-race", "a block reads or writes what another block of the same kernel writes"},
    [MMM_VIOLATION_KERNEL_RACE] = {"kernel-race", "a block reads or writes what a block of an unordered kernel writes"},
    [MMM_VIOLATION_OUT_OF_BOUNDS] = {"out-of-bounds", "an index outside an array; the block is stopped there"},
    [MMM_VIOLATION_UNWRITTEN_READ] = {"unwritten-read", "a read of a cell that nobody wrote"},
    [MMM_VIOLATION_LOCAL_MEMORY] = {"local-memory",
                                    "a block needs more local words than Z, or than its launch declares"},
    [MMM_VIOLATION_THREADS] = {"threads", "a block has more threads than the machine allows"},
    [MMM_VIOLATION_LEFT_REGION] = {"left-region", "a region was left by break, goto or return"},
    [MMM_VIOLATION_WILD_POINTER] = {"wild-pointer", "an access outside every array; the block is stopped there"},
    [MMM_VIOLATION_WIDE_ACCESS] = {"wide-access",
                                   "an access wider than an element, or across two; the block is stopped there"},
    [MMM_VIOLATION_FOREIGN_PRIVATE] = {"foreign-private",
                                       "a PRIVATE value of another thread; the block is stopped there"},
    [MMM_VIOLATION_UNWRITTEN_RESULT] = {"unwritten-result", "an element that goes to the caller and that nobody wrote"},
    [MMM_VIOLATION_UNFOLD_ORDER] = {"unfold-order",
                                    "another order of blocks unfolds another DAG; the index is that of a kernel"},
};

const char *mmm_violation_name(mmm_violation_kind kind)
{
    return (unsigned)kind < MMM_VIOLATION_KINDS ? kinds[kind].name : "unknown";
}

const char *mmm_violation_meaning(mmm_violation_kind kind)
{
    return (unsigned)kind < MMM_VIOLATION_KINDS ? kinds[kind].meaning : "unknown";
}
