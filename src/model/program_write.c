/* SPDX-License-Identifier: Apache-2.0 */
/* Programs with their costs, written in the form that program_json.c reads. */
#include "model/model.h"
#include "base/json.h"

#include <inttypes.h>
#include <string.h>

static bool equal(const mmm_node *x, const mmm_node *y)
{
    return strcmp(x->name, y->name) == 0 && x->blocks == y->blocks && x->threads == y->threads &&
           x->local_words == y->local_words && x->seconds == y->seconds && x->groups == y->groups &&
           memcmp(x->costs, y->costs, (size_t)x->groups * sizeof *x->costs) == 0;
}

static mmm_status write_kernel(FILE *stream, const mmm_node *node, int64_t count)
{
    fputs("\n {\"name\":", stream);
    if (!mmm_json_string(stream, node->name))
        return mmm_fail(MMM_INVALID, "kernel '%.100s' has a name that is not UTF-8: JSON cannot hold it", node->name);
    if (count > 1) fprintf(stream, ",\"count\":%" PRId64, count);
    fprintf(stream, ",\"blocks\":%" PRId64 ",\"threads\":%" PRId64, node->blocks, node->threads);
    if (node->local_words) fprintf(stream, ",\"local_words\":%" PRId64, node->local_words);
    if (node->seconds > 0) fprintf(stream, ",\"seconds\":%.9g", node->seconds);
    fputs(",\"costs\":[", stream);
    for (int g = 0; g < node->groups; g++) {
        const mmm_cost *c = &node->costs[g];
        fprintf(stream,
                "%s{\"blocks\":%" PRId64 ",\"work\":%" PRId64 ",\"span\":%" PRId64 ",\"span_thread\":%" PRId64
                ",\"reads\":%" PRId64 ",\"writes\":%" PRId64 "}",
                g ? ",\n   " : "", c->blocks, c->work, c->span, c->span_thread, c->reads, c->writes);
    }
    fputs("]}", stream);
    return MMM_OK;
}

static mmm_status write_kernels(FILE *stream, const mmm_program *program)
{
    mmm_status result = MMM_OK;
    for (int64_t k = 0, end; k < program->kernels; k = end) {
        const mmm_node *node = &program->nodes[k];
        if (!node->costs) FAIL(MMM_INVALID, "kernel '%.100s' has no costs", node->name);
        for (end = k + 1; end < program->kernels && program->nodes[end].costs && equal(node, &program->nodes[end]);)
            end++;
        if (k) fputc(',', stream);
        TRY(write_kernel(stream, node, end - k));
    }
done:
    return result;
}

/* Edges whose ends both go up by one are one entry: a chain is a single one. */
static void write_edges(FILE *stream, const mmm_program *program, bool decides)
{
    const char *separator = "";
    for (int64_t e = 0, end; e < program->edge_count; e = end) {
        const mmm_edge *edge = &program->edges[e];
        for (end = e + 1; end < program->edge_count && edge[end - e].before == edge->before + (end - e) &&
                          edge[end - e].after == edge->after + (end - e) && edge[end - e].decides == edge->decides;)
            end++;
        if (edge->decides != decides) continue;
        fprintf(stream, "%s[%d,%d", separator, edge->before, edge->after);
        separator = ",\n ";
        if (end > e + 1) fprintf(stream, ",%" PRId64, end - e);
        fputc(']', stream);
    }
}

mmm_status mmm_program_write(const mmm_program *program, const char *path)
{
    mmm_status result = MMM_OK;
    mmm_output output = {0};
    NEED(program, "the program");
    NEED(path, "the path of a program");
    TRY(mmm_output_open(&output, path));
    fputs("{\"kernels\":[", output.stream);
    TRY(write_kernels(output.stream, program));
    fputs("],\n\"edges\":[", output.stream);
    write_edges(output.stream, program, false);
    bool unfolds = false;
    for (int64_t e = 0; e < program->edge_count; e++)
        unfolds |= program->edges[e].decides;
    if (unfolds) {
        fputs("],\n\"unfolds\":[", output.stream);
        write_edges(output.stream, program, true);
    }
    fputs("]}\n", output.stream);
    TRY(mmm_output_commit(&output));
done:
    mmm_output_discard(&output);
    return result;
}
