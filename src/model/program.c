/* SPDX-License-Identifier: Apache-2.0 */
/* Programs: kernels and what must come before what (section 2.2). */
#include "model/model.h"

#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>

void mmm_program_touch(mmm_program *program)
{
    static _Atomic uint64_t last;
    if (!mmm_program_decides(program)) program->identity = ++last;
    mmm_order_clear(program->order);
}

static void drop_node(mmm_node *node)
{
    free(node->name);
    free(node->costs);
    free(node->traffic);
    free(node->arguments);
    free(node->context);
}

void mmm_program_fold(mmm_program *program)
{
    if (!program->unfolding) return;
    while (program->kernels > program->unfolding->kernels)
        drop_node(&program->nodes[--program->kernels]);
    program->edge_count = program->unfolding->edges;
    free(program->unfolding);
    program->unfolding = NULL;
    mmm_order_clear(program->order);
}

mmm_status mmm_program_new(mmm_program **out)
{
    mmm_status result = MMM_OK;
    mmm_program *program = NULL;
    NEED(out, "the place for a program");
    TRY(mmm_alloc(&program, 1, sizeof *program));
    TRY(mmm_alloc(&program->order, 1, sizeof *program->order));
    program->word_bits = 32;
    program->batch = 1;
    mmm_program_touch(program);
    *out = program;
    program = NULL;
done:
    free(program);
    return result;
}

void mmm_program_free(mmm_program *program)
{
    if (!program) return;
    mmm_program_fold(program);
    for (int64_t k = 0; k < program->kernels; k++)
        drop_node(&program->nodes[k]);
    mmm_order_clear(program->order);
    free(program->order);
    free(program->nodes);
    free(program->edges);
    free(program->arrays);
    free(program->modulus);
    free(program->moduli);
    free(program);
}

mmm_status mmm_program_reserve(mmm_program *program, uint64_t bytes, const char *format, ...)
{
    char what[200];
    va_list arguments;
    if (__builtin_add_overflow(program->reserved, bytes, &program->reserved)) program->reserved = UINT64_MAX;
    if (program->available ? program->reserved <= program->available
                           : mmm_memory_has(program->reserved, &program->available))
        return MMM_OK;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return mmm_fail(MMM_TOO_LARGE, "%s: the program then needs %.1f GB of memory, %.1f GB are available", what,
                    (double)program->reserved / 1e9, (double)program->available / 1e9);
}

/* Numbers of kernels are ints, and the anti-chain needs two vertices a kernel. */
enum { KERNELS_MOST = INT_MAX / 2 - 1 };

/* What a kernel takes: its node; its name and its arguments, as the system gives memory; an edge; places in orders. */
enum { KERNEL_BYTES = sizeof(mmm_node) + 32 + 96 + sizeof(mmm_edge) + 8 * sizeof(int) };

mmm_status mmm_program_expect(mmm_program *program, int64_t kernels)
{
    NEED(program, "the program");
    if (kernels < 0) return mmm_fail(MMM_INVALID, "a program of %lld kernels", (long long)kernels);
    if (kernels > KERNELS_MOST)
        return mmm_fail(MMM_TOO_LARGE, "%lld kernels: a program has at most %d", (long long)kernels, KERNELS_MOST);
    int64_t more = kernels - program->expected;
    if (more <= 0) return MMM_OK;
    program->expected = kernels;
    return mmm_program_reserve(program, (uint64_t)more * KERNEL_BYTES, "%lld kernels", (long long)kernels);
}

/* Makes room for one more kernel.  Where nobody said how many there will be, twice as many must fit each time. */
static mmm_status make_room(mmm_program *program, const char *name)
{
    uint64_t available, bytes;
    if (program->kernels >= KERNELS_MOST)
        return mmm_fail(MMM_TOO_LARGE, "kernel '%.100s' is one too many: a program has at most %d", name, KERNELS_MOST);
    if (program->kernels < program->node_room) return MMM_OK;
    bytes = (uint64_t)program->node_room * (KERNEL_BYTES + sizeof(mmm_node)); /* the old nodes are copied */
    if (program->kernels >= program->expected && !mmm_memory_has(bytes, &available))
        return mmm_fail(MMM_TOO_LARGE,
                        "kernel '%.100s' is number %lld: as many again take %.1f GB of memory, %.1f GB are available",
                        name, (long long)program->kernels, (double)bytes / 1e9, (double)available / 1e9);
    return mmm_grow(&program->nodes, &program->node_room, program->kernels + 1, sizeof *program->nodes);
}

mmm_status mmm_program_add(mmm_program *program, const char *name, int64_t blocks, int64_t threads, int *kernel)
{
    NEED(program, "the program");
    if (!name || !*name || !mmm_is_plain(name))
        return mmm_fail(MMM_INVALID, "a kernel needs a name that is not empty and without control characters");
    if (blocks < 1)
        return mmm_fail(MMM_INVALID, "kernel '%.100s': %lld blocks; at least 1 is needed", name, (long long)blocks);
    if (threads < 1)
        return mmm_fail(MMM_INVALID, "kernel '%.100s': %lld threads a block; at least 1 is needed", name,
                        (long long)threads);
    if (!mmm_program_decides(program)) mmm_program_fold(program);
    mmm_status status = make_room(program, name);
    if (status != MMM_OK) return status;
    char *copy = mmm_copy_string(name);
    if (!copy) return mmm_fail(MMM_MEMORY, "no memory for the name of a kernel");
    program->nodes[program->kernels] = (mmm_node){.name = copy, .blocks = blocks, .threads = threads};
    if (kernel) *kernel = (int)program->kernels;
    program->kernels++;
    mmm_program_touch(program);
    return MMM_OK;
}

static bool is_kernel(const mmm_program *program, int kernel)
{
    return kernel >= 0 && kernel < program->kernels;
}

static mmm_status add_edge(mmm_program *program, int before, int after, bool decides)
{
    NEED(program, "the program");
    if (!mmm_program_decides(program)) mmm_program_fold(program);
    if (!is_kernel(program, before) || !is_kernel(program, after))
        return mmm_fail(MMM_INVALID, "there is no kernel %d; the program's are numbered from 0 and are %lld",
                        is_kernel(program, before) ? after : before, (long long)program->kernels);
    if (before == after)
        return mmm_fail(MMM_INVALID, "kernel '%.100s' would be on a cycle: it cannot come before itself",
                        program->nodes[before].name);
    if (mmm_program_decides(program) && after < program->unfolding->first)
        return mmm_fail(MMM_INVALID,
                        "kernel '%.100s' was there before: an edge that a decision adds goes to a kernel that it adds",
                        program->nodes[after].name);
    if (program->edge_count >= INT_MAX - 1)
        return mmm_fail(MMM_TOO_LARGE, "a program has at most %d edges", INT_MAX - 1);
    mmm_status status = mmm_grow(&program->edges, &program->edge_room, program->edge_count + 1, sizeof *program->edges);
    if (status != MMM_OK) return status;
    program->edges[program->edge_count++] = (mmm_edge){before, after, decides};
    mmm_program_touch(program);
    return MMM_OK;
}

mmm_status mmm_program_depend(mmm_program *program, int before, int after)
{
    return add_edge(program, before, after, false);
}

mmm_status mmm_program_unfolds(mmm_program *program, int before, int after)
{
    return add_edge(program, before, after, true);
}

mmm_status mmm_program_shares(mmm_program *program, int kernel, int64_t shares)
{
    mmm_status result = MMM_OK;
    NEED(program, "the program");
    if (kernel < 1 || kernel >= program->kernels)
        FAIL(MMM_INVALID, "there is no kernel %d that another one comes before", kernel);
    mmm_node *node = &program->nodes[kernel], *before = node - 1;
    const int64_t each = node->blocks / program->batch, each_before = before->blocks / program->batch;
    if (shares < 0 || (shares && (each % shares || each_before % shares)))
        FAIL(MMM_INVALID, "%lld shares of kernels '%.100s' and '%.100s', which have %lld and %lld blocks",
             (long long)shares, before->name, node->name, (long long)each_before, (long long)each);
    if (shares && before->shares && before->shares != shares)
        FAIL(MMM_INVALID, "%lld shares of kernel '%.100s': it goes on with '%.100s', which has %lld", (long long)shares,
             node->name, before->name, (long long)before->shares);
    node->shares = shares;
    mmm_program_touch(program);
done:
    return result;
}

int mmm_program_kernels(const mmm_program *program)
{
    return program ? (int)program->kernels : 0;
}

const char *mmm_program_kernel_name(const mmm_program *program, int kernel)
{
    return program && is_kernel(program, kernel) ? program->nodes[kernel].name : NULL;
}
