/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels as texts for GPU compilers, with s, the threads, p and the word size compiled in. */
#include "machine/gpu/gpu.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool same_variant(const mmm_node *x, const mmm_node *y)
{
    if (x->code != y->code || x->threads != y->threads || x->local_words != y->local_words) return false;
    for (int i = 0; i < x->argument_count; i++)
        if (x->arguments[i].kind == MMM_CONSTANT && x->arguments[i].value != y->arguments[i].value) return false;
    return true;
}

mmm_status mmm_variants_new(const mmm_program *program, mmm_variants *out)
{
    mmm_status result = MMM_OK;
    mmm_variants v = {0};
    TRY(mmm_alloc(&v.of, program->kernels, sizeof *v.of));
    for (int64_t k = 0; k < program->kernels; k++) {
        const mmm_node *node = &program->nodes[k];
        int i = v.count - 1; /* the last one is the likely one */
        while (i >= 0 && !same_variant(v.nodes[i], node))
            i--;
        if (i < 0) {
            TRY(mmm_grow(&v.nodes, &v.room, v.count + 1, sizeof *v.nodes));
            v.nodes[i = v.count++] = node;
        }
        v.of[k] = i;
    }
    *out = v;
    memset(&v, 0, sizeof v);
done:
    mmm_variants_free(&v);
    return result;
}

void mmm_variants_free(mmm_variants *variants)
{
    free(variants->nodes);
    free(variants->of);
    memset(variants, 0, sizeof *variants);
}

/* The name in the next CONSTANT(name) before `end`, NULL when there is none. */
static const char *next_constant(const char *text, const char *end, char *name, size_t size)
{
    const char *found = strstr(text, "CONSTANT(");
    if (!found || found >= end) return NULL;
    found += strlen("CONSTANT(");
    size_t length = strcspn(found, ")");
    snprintf(name, size, "%.*s", (int)length, found);
    return found + length;
}

/* The parameters of the kernel in its file: from its opening parenthesis to MMM_BLOCK. */
static mmm_status find_parameters(const mmm_kernel *code, const char *text, const char **start, const char **end)
{
    char wanted[128];
    int length = snprintf(wanted, sizeof wanted, " %s(", code->name);
    for (const char *c = text; (c = strstr(c, "KERNEL void")); c++) {
        const char *name = c + strlen("KERNEL void");
        if (strncmp(name, wanted, (size_t)length) != 0) continue;
        *start = name + length;
        *end = strstr(name, "MMM_BLOCK");
        if (*end) return MMM_OK;
    }
    return mmm_fail(MMM_INVALID, "there is no KERNEL void%s ... MMM_BLOCK) in %s", wanted, code->file);
}

static void define_constants(FILE *stream, const mmm_node *node, const char *start, const char *end)
{
    char name[64];
    int argument = 0;
    const char *c = start;
    for (const char *found; (found = next_constant(c, end, name, sizeof name)); c = found) {
        for (; c < found; c++)
            if (*c == ',') argument++;
        fprintf(stream, "#define %s %" PRIu64 "\n", name, node->arguments[argument].value);
    }
}

/* The text without its includes, for everything it needs comes before it, without what is for the host, and without
 * kernels other than the one whose parameters start at `wanted`: compilers take long enough for one.  Lines keep their
 * numbers. */
static void print_text(FILE *stream, const char *text, const char *wanted)
{
    bool other = false;
    for (const char *line = text; *line;) {
        size_t length = strcspn(line, "\n");
        if (strncmp(line, "KERNEL void", 11) == 0) other = wanted < line || wanted > line + length;
        if (!other && strncmp(line, "#include", 8) != 0 && strncmp(line, "ENTRY(", 6) != 0)
            fwrite(line, 1, length, stream);
        if (*line == '}') other = false;
        fputc('\n', stream);
        line += length + (line[length] == '\n');
    }
}

mmm_status mmm_kernel_text(const mmm_program *program, const mmm_node *node, const char *target, bool dynamic,
                           char **text)
{
    mmm_status result = MMM_OK;
    const char *const *texts = node->code->texts, *last, *start = NULL, *end = NULL;
    const mmm_modulus *m = program->modulus;
    char *buffer = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&buffer, &size);
    if (!stream) FAIL(MMM_MEMORY, "no memory for the text of kernel '%s'", node->code->name);
    if (!texts) FAIL(MMM_INVALID, "kernel '%s' comes without its text: a GPU cannot run it", node->code->name);
    fprintf(stream, "#define %s 1\n#define MMM_WORD_BITS %d\n#define MMM_BLOCK_SIZE %" PRId64 "\n", target,
            program->word_bits, node->threads);
    if (dynamic) fprintf(stream, "#define MMM_DYNAMIC_LOCAL 1\n");
    if (m)
        fprintf(stream,
                "#define MMM_P ((word)%" PRIu64 "ul)\n#define MMM_N ((word)%" PRIu64 "ul)\n"
                "#define MMM_ONE ((word)%" PRIu64 "ul)\n#define MMM_SHIFT %d\n",
                m->p, m->minus_inverse, m->one, m->shift);
    for (; texts[1]; texts++)
        print_text(stream, *texts, NULL);
    last = *texts;
    TRY(find_parameters(node->code, last, &start, &end));
    define_constants(stream, node, start, end);
    fprintf(stream, "#line 1 \"%s\"\n", node->code->file);
    print_text(stream, last, start);
done:
    if (stream && fclose(stream) != 0 && result == MMM_OK)
        result = mmm_fail(MMM_MEMORY, "no memory for a kernel's text");
    if (result == MMM_OK)
        *text = buffer;
    else
        free(buffer);
    return result;
}
