/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels as texts for GPU compilers, with s, the threads, p and the word size compiled in. */
#include "machine/gpu/gpu.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Whether the kernel writes none of what its const parameter `number` reads, so that the compiler may read it as early
 * as it likes, also before a barrier.  Buffers are the caller's, and may lie in each other. */
static bool is_alone(const mmm_program *program, const mmm_node *node, int number)
{
    const mmm_kernel_parameter *parameters = node->code->parameters;
    if (parameters[number].kind != MMM_PARAMETER_ARRAY || parameters[number].written) return false;
    const int64_t array = node->arguments[number].number;
    for (int i = 0; i < node->code->parameter_count; i++) {
        if (parameters[i].kind != MMM_PARAMETER_ARRAY || !parameters[i].written) continue;
        const int64_t other = node->arguments[i].number;
        if (array == other || (program->arrays[array].buffer && program->arrays[other].buffer)) return false;
    }
    return true;
}

static bool are_alike(const mmm_program *program, const mmm_node *x, const mmm_node *y)
{
    if (!mmm_nodes_alike(x, y) || x->local_words != y->local_words) return false;
    for (int i = 0; i < x->code->parameter_count; i++)
        if (is_alone(program, x, i) != is_alone(program, y, i)) return false;
    return true;
}

/* What compiling a kernel needs of its node; others may go before. */
static mmm_status keep_node(mmm_variants *v, const mmm_node *node)
{
    mmm_status result = MMM_OK;
    mmm_value *arguments = NULL;
    TRY(mmm_grow(&v->nodes, &v->room, v->count + 1, sizeof *v->nodes));
    TRY(mmm_alloc(&arguments, node->code->parameter_count, sizeof *arguments));
    if (node->code->parameter_count)
        memcpy(arguments, node->arguments, (size_t)node->code->parameter_count * sizeof *arguments);
    v->nodes[v->count++] = (mmm_node){.name = (char *)node->code->name,
                                      .blocks = node->blocks,
                                      .blocks_x = node->blocks_x,
                                      .threads = node->threads,
                                      .threads_x = node->threads_x,
                                      .local_words = node->local_words,
                                      .code = node->code,
                                      .arguments = arguments};
done:
    return result;
}

mmm_status mmm_variants_add(const mmm_program *program, mmm_variants *v)
{
    mmm_status result = MMM_OK;
    TRY(mmm_grow(&v->of, &v->of_room, program->kernels, sizeof *v->of));
    for (; v->kernels < program->kernels; v->kernels++) {
        const mmm_node *node = &program->nodes[v->kernels];
        int i = v->count - 1; /* the last one is the likely one */
        while (i >= 0 && !are_alike(program, &v->nodes[i], node))
            i--;
        if (i < 0) TRY(keep_node(v, node));
        if (i < 0) i = v->count - 1;
        if (v->nodes[i].blocks < node->blocks) {
            v->nodes[i].blocks = node->blocks;
            v->nodes[i].blocks_x = node->blocks_x;
        }
        v->of[v->kernels] = i;
    }
done:
    return result;
}

void mmm_variants_free(mmm_variants *variants)
{
    for (int i = 0; i < variants->count; i++)
        free(variants->nodes[i].arguments);
    free(variants->nodes);
    free(variants->of);
    memset(variants, 0, sizeof *variants);
}

extern const char mmm_text_dialect[]; /* modp.h and what it includes, embedded */

/* The moduli of the problems, as a table that the arithmetic looks into; else numbers. */
static void print_moduli(FILE *stream, const mmm_program *program, const char *target)
{
    fprintf(stream, "%s unsigned %s mmm_moduli[][4] = {\n",
            strcmp(target, "MMM_TARGET_CUDA") == 0 ? "__constant__" : "__constant",
            program->word_bits == 64 ? "long" : "int");
    for (int64_t i = 0; i < program->batch; i++) {
        const mmm_modulus *m = &program->moduli[i];
        fprintf(stream, "{%" PRIu64 "ul, %" PRIu64 "ul, %" PRIu64 "ul, %" PRIu64 "ul},\n", m->p, m->minus_inverse,
                m->one, m->square);
    }
    fprintf(stream,
            "};\n#define MMM_P mmm_moduli[MMM_PROBLEM][0]\n#define MMM_N mmm_moduli[MMM_PROBLEM][1]\n"
            "#define MMM_ONE mmm_moduli[MMM_PROBLEM][2]\n#define MMM_SQUARE mmm_moduli[MMM_PROBLEM][3]\n"
            "#define MMM_SHIFT %d\n",
            program->word_bits);
}

/* What distinguishes a variant from others of its file. */
static void print_definitions(FILE *stream, const mmm_program *program, const mmm_node *node, const char *target,
                              bool dynamic, int64_t at_once)
{
    const mmm_kernel *code = node->code;
    const mmm_modulus *m = program->modulus;
    fprintf(stream,
            "#define %s 1\n#define MMM_WORD_BITS %d\n#define MMM_DIMENSIONS %d\n#define MMM_BLOCK_SIZE %" PRId64
            "\n#define MMM_BLOCK_WIDTH %" PRId64 "\n",
            target, program->word_bits, code->dimensions, node->threads, node->threads_x);
    if (at_once) fprintf(stream, "#define MMM_AT_ONCE %" PRId64 "\n", at_once);
    if (dynamic) fprintf(stream, "#define MMM_DYNAMIC_LOCAL 1\n");
    if (m && !program->moduli)
        fprintf(stream,
                "#define MMM_P ((word)%" PRIu64 "ul)\n#define MMM_N ((word)%" PRIu64 "ul)\n"
                "#define MMM_ONE ((word)%" PRIu64 "ul)\n#define MMM_SQUARE ((word)%" PRIu64
                "ul)\n#define MMM_SHIFT %d\n",
                m->p, m->minus_inverse, m->one, m->square, m->shift);
    for (int i = 0; i < code->parameter_count; i++)
        if (code->parameters[i].kind == MMM_PARAMETER_CONSTANT)
            fprintf(stream, "#define MMM_VALUE_%s %" PRId64 "\n", code->parameters[i].name, node->arguments[i].integer);
    for (int i = 0; i < code->parameter_count; i++)
        if (code->parameters[i].kind == MMM_PARAMETER_ARRAY && !code->parameters[i].written)
            fprintf(stream, "#define MMM_ALONE_%s %s\n", code->parameters[i].name,
                    is_alone(program, node, i) ? "__restrict__" : "");
    fprintf(stream, "#define MMM_FROM(moment)");
    for (int i = 0; i < code->parameter_count; i++)
        if (is_alone(program, node, i)) fprintf(stream, " %s += moment;", code->parameters[i].name);
    fprintf(stream, "\n");
    if (program->batch > 1) {
        fprintf(stream, "#define MMM_STRIDES ");
        for (int i = 0; i < code->parameter_count; i++)
            if (code->parameters[i].kind == MMM_PARAMETER_ARRAY) fprintf(stream, ", long mmm_stride_%d", i);
        fprintf(stream, "\n#define MMM_TO_PROBLEM ");
        for (int i = 0; i < code->parameter_count; i++)
            if (code->parameters[i].kind == MMM_PARAMETER_ARRAY)
                fprintf(stream, " %s += MMM_PROBLEM * mmm_stride_%d;", code->parameters[i].name, i);
        fprintf(stream, "\n");
    }
}

mmm_status mmm_kernel_text(const mmm_program *program, const mmm_node *node, const char *target, bool dynamic,
                           int64_t at_once, char **text)
{
    const mmm_kernel *code = node->code;
    char *buffer = NULL;
    size_t size = 0;
    if (!code->text)
        return mmm_fail(MMM_INVALID, "kernel '%s' comes without its text: a GPU cannot run it", code->name);
    FILE *stream = open_memstream(&buffer, &size);
    if (!stream) return mmm_fail(MMM_MEMORY, "no memory for the text of kernel '%s'", code->name);
    print_definitions(stream, program, node, target, dynamic, at_once);
    if (program->moduli) print_moduli(stream, program, target);
    fprintf(stream, "%s%s%s", mmm_text_dialect, code->common ? code->common : "", code->text);
    if (fclose(stream) != 0) {
        free(buffer);
        return mmm_fail(MMM_MEMORY, "no memory for a kernel's text");
    }
    *text = buffer;
    return MMM_OK;
}

static mmm_digest headers;

static void find_headers(void)
{
    headers = mmm_digest_of(mmm_text_dialect, strlen(mmm_text_dialect));
}

mmm_status mmm_kernel_key(const mmm_program *program, const mmm_node *node, const char *target, bool dynamic,
                          int64_t at_once, char **key)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const mmm_kernel *code = node->code;
    char *buffer = NULL, text[MMM_DIGEST_TEXT];
    size_t size = 0;
    if (!code->text)
        return mmm_fail(MMM_INVALID, "kernel '%s' comes without its text: a GPU cannot run it", code->name);
    pthread_once(&once, find_headers);
    mmm_digest digest = headers;
    if (code->common) mmm_digest_add(&digest, code->common, strlen(code->common));
    mmm_digest_add(&digest, code->text, strlen(code->text));
    FILE *stream = open_memstream(&buffer, &size);
    if (!stream) return mmm_fail(MMM_MEMORY, "no memory for a cache key");
    fprintf(stream, "%s %s\n", code->name, mmm_digest_text(digest, text));
    print_definitions(stream, program, node, target, dynamic, at_once);
    if (program->moduli) print_moduli(stream, program, target);
    if (fclose(stream) != 0) {
        free(buffer);
        return mmm_fail(MMM_MEMORY, "no memory for a cache key");
    }
    *key = buffer;
    return MMM_OK;
}
