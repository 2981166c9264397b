/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel DAG, and the thread-block DAG where it is small, in DOT. */
#include "show/show.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { KERNELS_SHOWN = 64, BLOCKS_SHOWN = 256 };

/* The kernel whose only neighbour in a direction is wanted: -1 none, -2 several. */
static void note(int *only, int kernel)
{
    *only = *only == -1 || *only == kernel ? kernel : -2;
}

static bool alike(const mmm_node *x, const mmm_node *y, bool same_blocks)
{
    return (x->blocks == y->blocks || !same_blocks) && x->threads == y->threads && strcmp(x->name, y->name) == 0;
}

static void print_name(FILE *stream, const char *name)
{
    for (; *name; name++)
        fprintf(stream, *name == '"' || *name == '\\' ? "\\%c" : "%c", *name);
}

static void print_node(FILE *stream, int number, const mmm_node *node, int64_t run, bool blocks)
{
    if (blocks) {
        fprintf(stream, "  subgraph cluster_%d {\n    label=\"", number);
        print_name(stream, node->name);
        fprintf(stream, "\\n%" PRId64 " thread%s a block\"; style=rounded;\n", node->threads,
                node->threads == 1 ? "" : "s");
        for (int64_t b = 0; b < node->blocks; b++)
            fprintf(stream, "    k%d_%" PRId64 " [label=\"%" PRId64 "\", shape=square];\n", number, b, b);
        fprintf(stream, "  }\n");
        return;
    }
    fprintf(stream, "  k%d [label=\"", number);
    print_name(stream, node->name);
    if (run > 1) fprintf(stream, "\\n%" PRId64 " kernels in a row, each", run);
    fprintf(stream, "\\n%" PRId64 " block%s of %" PRId64 " thread%s\"];\n", node->blocks, node->blocks == 1 ? "" : "s",
            node->threads, node->threads == 1 ? "" : "s");
}

mmm_status mmm_dag_runs(const mmm_program *program, int64_t shown, bool same_blocks, int *first, int64_t *run)
{
    mmm_status result = MMM_OK;
    int64_t kernels = program->kernels;
    int *before = NULL, *after = NULL;
    const mmm_order *order;
    TRY(mmm_alloc(&before, kernels, sizeof *before));
    TRY(mmm_alloc(&after, kernels, sizeof *after));
    TRY(mmm_program_order(program, &order));
    for (int64_t k = 0; k < kernels; k++)
        before[k] = after[k] = -1;
    for (int64_t e = 0; e < program->edge_count; e++) {
        note(&after[program->edges[e].before], program->edges[e].after);
        note(&before[program->edges[e].after], program->edges[e].before);
    }
    for (int64_t i = 0; i < kernels; i++) {
        int k = order->sequence[i], previous = before[k];
        bool joins = kernels > shown && previous >= 0 && after[previous] == k &&
                     alike(&program->nodes[previous], &program->nodes[k], same_blocks);
        first[k] = joins ? first[previous] : k;
        run[first[k]]++;
    }
done:
    free(before);
    free(after);
    return result;
}

mmm_status mmm_report_dot(const mmm_program *program, const char *path)
{
    mmm_status result = MMM_OK;
    mmm_output output = {0};
    int *first = NULL;
    int64_t *run = NULL;
    mmm_shape shape;
    NEED(path, "the path of a picture");
    TRY(mmm_program_shape(program, &shape));
    bool blocks = shape.N <= BLOCKS_SHOWN && shape.kernels <= KERNELS_SHOWN;
    TRY(mmm_alloc(&first, program->kernels, sizeof *first));
    TRY(mmm_alloc(&run, program->kernels, sizeof *run));
    TRY(mmm_dag_runs(program, KERNELS_SHOWN, true, first, run));
    TRY(mmm_output_open(&output, path));
    FILE *stream = output.stream;
    fprintf(stream,
            "digraph program {\n  compound=true; node [shape=box, fontname=\"sans-serif\"];\n"
            "  fontname=\"sans-serif\"; label=\"%" PRId64 " kernels, N = %" PRId64 " thread-blocks, L = %" PRId64
            ", K = %" PRId64,
            shape.kernels, shape.N, shape.L, shape.K);
    if (shape.unfolded) fprintf(stream, "; %" PRId64 " kernels unfolded, dashed", shape.unfolded);
    fprintf(stream, "\";\n");
    for (int k = 0; k < (int)program->kernels; k++)
        if (first[k] == k) print_node(stream, k, &program->nodes[k], run[k], blocks);
    for (int64_t e = 0; e < program->edge_count; e++) {
        int from = first[program->edges[e].before], to = first[program->edges[e].after];
        if (from == to) continue;
        const bool decides = program->edges[e].decides;
        if (blocks)
            fprintf(stream, "  k%d_%" PRId64 " -> k%d_%" PRId64 " [ltail=cluster_%d, lhead=cluster_%d%s];\n", from,
                    program->nodes[from].blocks / 2, to, program->nodes[to].blocks / 2, from, to,
                    decides ? ", style=dashed" : "");
        else
            fprintf(stream, "  k%d -> k%d%s;\n", from, to, decides ? " [style=dashed]" : "");
    }
    fprintf(stream, "}\n");
    TRY(mmm_output_commit(&output));
done:
    mmm_output_discard(&output);
    free(first);
    free(run);
    return result;
}
