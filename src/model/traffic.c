/* SPDX-License-Identifier: Apache-2.0 */
/* What groups of 32 threads do in the kernels of a program. */
#include "model/model.h"

#include <stdlib.h>

const char *mmm_operation_kind_name(mmm_operation_kind kind)
{
    static const char *const names[MMM_OPERATION_KINDS] = {
        [MMM_OPERATION_ADD] = "add",           [MMM_OPERATION_MUL] = "mul",
        [MMM_OPERATION_INVERSE] = "inverse",   [MMM_OPERATION_CROSS] = "cross",
        [MMM_OPERATION_PRODUCTS] = "products", [MMM_OPERATION_TIMES] = "times",
        [MMM_OPERATION_EXCHANGE] = "exchange", [MMM_OPERATION_ATOMIC] = "atomic",
        [MMM_OPERATION_OTHER] = "other",
    };
    return (unsigned)kind < MMM_OPERATION_KINDS ? names[kind] : "";
}

static void raise(int64_t *most, int64_t value)
{
    if (*most < value) *most = value;
}

void mmm_traffic_add(mmm_traffic *sum, const mmm_traffic *term)
{
    sum->turns += term->turns;
    sum->threads += term->threads;
    sum->partial += term->partial;
    for (int i = 0; i < MMM_OPERATION_KINDS; i++)
        sum->operations[i] += term->operations[i];
    sum->reductions += term->reductions;
    sum->issued += term->issued;
    sum->requests += term->requests;
    sum->sectors += term->sectors;
    sum->lines += term->lines;
    sum->local_requests += term->local_requests;
    sum->passes += term->passes;
    raise(&sum->words_most, term->words_most);
    raise(&sum->local_most, term->local_most);
    raise(&sum->private_words, term->private_words);
    raise(&sum->footprint, term->footprint);
}

mmm_status mmm_program_set_traffic(mmm_program *program, int kernel, const mmm_traffic *traffic)
{
    mmm_status result = MMM_OK;
    mmm_node *node = &program->nodes[kernel];
    if (!traffic) {
        free(node->traffic);
        node->traffic = NULL;
        return MMM_OK;
    }
    if (!node->traffic) TRY(mmm_alloc(&node->traffic, 1, sizeof *node->traffic));
    *node->traffic = *traffic;
done:
    return result;
}

mmm_status mmm_program_traffic(const mmm_program *program, int kernel, mmm_traffic *out)
{
    NEED(program, "the program");
    NEED(out, "the place for traffic");
    if (kernel < 0 || kernel >= program->kernels)
        return mmm_fail(MMM_INVALID, "there is no kernel %d; the program's are numbered from 0 and are %lld", kernel,
                        (long long)program->kernels);
    const mmm_node *node = &program->nodes[kernel];
    if (!node->traffic)
        return mmm_fail(MMM_INVALID, "the traffic of kernel '%.100s' was not counted: see mmm_machine_count_traffic",
                        node->name);
    *out = *node->traffic;
    return MMM_OK;
}
