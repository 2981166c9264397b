/* SPDX-License-Identifier: Apache-2.0 */
/* kernels.h: for each kernel a function that launches it, whose arguments the compiler checks. */
#include "kernel/generator.h"

#include <ctype.h>
#include <string.h>

/* The comment right before the kernel, without what begins and ends it. */
static void add_comment(generator *g, mmm_text *out, const gen_function *f)
{
    const gen_token *token = &g->tokens.at[f->first];
    const char *c = token->comment, *end = c ? c + token->comment_length : NULL;
    if (!c) return;
    bool lines = c[1] == '/';
    if (!lines) end -= 2;
    mmm_gen_add(g, out, "/* %s:", f->name->text);
    while (c < end) {
        const char *stop = memchr(c, '\n', (size_t)(end - c));
        const char *next = stop ? stop + 1 : end, *last = stop ? stop : end;
        while (c < last && (isspace((unsigned char)*c) || *c == '*' || *c == '/'))
            c++;
        while (last > c && isspace((unsigned char)last[-1]))
            last--;
        if (c < last || stop) mmm_gen_add(g, out, " ");
        for (; c < last; c++)
            mmm_gen_add(g, out, "%c", *c == '/' && (c[-1] == '*' || (c + 1 < last && c[1] == '*')) ? ' ' : *c);
        c = next;
        if (c < end && stop) mmm_gen_add(g, out, "\n *");
    }
    mmm_gen_add(g, out, " */\n");
}

static void add_size(generator *g, mmm_text *out, const gen_local *local)
{
    if (local->dimensions == 0) mmm_gen_add(g, out, "1");
    for (int d = 0; d < local->dimensions; d++) {
        mmm_gen_add(g, out, d ? " * (" : "(");
        for (int64_t i = local->from[d]; i < local->to[d]; i++) {
            const gen_token *token = &g->tokens.at[i];
            bool blank = i > local->from[d] && (token->blanks > 0 || token->first || token[-1].line != token->line);
            mmm_gen_add(g, out, "%s%.*s", blank ? " " : "", token->length, token->text);
        }
        mmm_gen_add(g, out, ")");
    }
}

/* The sum over LOCAL arrays: of words and operands their elements, of all others their bytes. */
static void add_locals(generator *g, mmm_text *out, const gen_function *f, bool words)
{
    const char *separator = "";
    for (const gen_local *local = f->locals; local; local = local->next) {
        if ((local->type == TYPE_WORD || local->type == TYPE_OPERAND) != words) continue;
        mmm_gen_add(g, out, "%s", separator);
        if (!words) mmm_gen_add(g, out, "%d * ", mmm_gen_types[local->type].bytes);
        add_size(g, out, local);
        separator = " + ";
    }
    if (!*separator) mmm_gen_add(g, out, "0");
}

static void add_launcher(generator *g, mmm_text *out, const gen_function *f, const char *unit, int number)
{
    mmm_gen_add(g, out, "\n");
    add_comment(g, out, f);
    mmm_gen_add(g, out, "static inline mmm_status launch_%s(mmm_program *program, %s", f->name->text,
                f->plane ? "int64_t blocks_x, int64_t blocks_y, int64_t threads_x, int64_t threads_y"
                         : "int64_t blocks, int64_t threads");
    for (int i = 0; i < f->parameter_count; i++) {
        const gen_type_facts *facts = &mmm_gen_types[f->parameters[i].type];
        if (f->parameters[i].pointer)
            mmm_gen_add(g, out, ", mmm_%s_array %s", facts->handle, f->parameters[i].name->text);
        else
            mmm_gen_add(g, out, ", %s %s", facts->host, f->parameters[i].name->text);
    }
    mmm_gen_add(g, out, ")\n{\n    const mmm_value arguments[] = {");
    for (int i = 0; i < f->parameter_count; i++) {
        const gen_parameter *p = &f->parameters[i];
        mmm_gen_add(g, out, "%s{.%s = %s%s}", i ? ", " : "", p->pointer ? "number" : mmm_gen_types[p->type].member,
                    p->name->text, p->pointer ? ".number" : "");
    }
    mmm_gen_add(g, out, "%s};\n", f->parameter_count ? "" : "{.integer = 0}");
    mmm_gen_add(g, out, "%s",
                f->plane ? "    const int64_t block_width = threads_x, block_height = threads_y;\n"
                           "    const int64_t block_size = block_width * block_height;\n"
                         : "    const int64_t block_size = threads;\n");
    mmm_gen_add(g, out, "    const mmm_local local = {.words = ");
    add_locals(g, out, f, true);
    mmm_gen_add(g, out, ", .bytes = ");
    add_locals(g, out, f, false);
    mmm_gen_add(
        g, out,
        "};\n    (void)block_size;\n    return mmm_program_launch(program, &mmm_kernels_%s[%d], (mmm_grid){%s}, "
        "local, arguments);\n}\n",
        unit, number, f->plane ? "blocks_x, blocks_y, threads_x, threads_y" : "blocks, 1, threads, 1");
}

void mmm_gen_launchers(generator *g, const char *unit, mmm_text *out)
{
    int number = 0;
    mmm_gen_add(g, out,
                "#ifndef MMM_KERNELS_OF_%s\n#define MMM_KERNELS_OF_%s\n\n#include <mmm/kernel.h>\n\n"
                "MMM_API extern const mmm_kernel mmm_kernels_%s[];\n",
                unit, unit, unit);
    for (const gen_function *f = g->functions; f; f = f->next)
        if (f->kernel) add_launcher(g, out, f, unit, number++);
    mmm_gen_add(g, out, "\n#endif\n");
}
