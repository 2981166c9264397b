/* SPDX-License-Identifier: Apache-2.0 */
/* kernels.records.c: what a machine knows of each kernel, and its text for GPUs. */
#include "kernel/generator.h"

#include <stdlib.h>

static void add_text(generator *g, mmm_text *out, const char *prefix, const char *name, const mmm_text *text)
{
    mmm_gen_add(g, out, "\nstatic const char %s%s[] =\n", prefix, name);
    mmm_gen_add_quoted(g, out, text->data ? text->data : "");
    mmm_gen_add(g, out, ";\n");
}

static void add_parameters(generator *g, mmm_text *out, const gen_function *f)
{
    mmm_gen_add(g, out, "\nstatic const mmm_kernel_parameter parameters_%s[] = {", f->name->text);
    for (int i = 0; i < f->parameter_count; i++) {
        const gen_parameter *p = &f->parameters[i];
        mmm_gen_add(g, out, "%s{\"%s\", MMM_PARAMETER_%s, MMM_%s, %d}", i ? ", " : "", p->name->text,
                    p->pointer       ? "ARRAY"
                    : p->compiled_in ? "CONSTANT"
                                     : "SCALAR",
                    mmm_gen_types[p->type].constant, p->pointer && !p->constant);
    }
    mmm_gen_add(g, out, "%s};\n", f->parameter_count ? "" : "{0}");
}

void mmm_gen_records(generator *g, const char *unit, mmm_text *out)
{
    mmm_text text = {0};
    int number = 0;
    mmm_gen_add(
        g, out,
        "#include <mmm/kernel.h>\n\nMMM_API extern const mmm_kernel mmm_kernels_%s[];\nMMM_DECLARE_ENTRIES(%s);\n",
        unit, unit);
    for (const gen_function *f = g->functions; f; f = f->next)
        if (!f->kernel) mmm_gen_item(g, f, &text);
    add_text(g, out, "common", "", &text);
    for (const gen_function *f = g->functions; f; f = f->next) {
        if (!f->kernel) continue;
        text.used = 0;
        add_parameters(g, out, f);
        mmm_gen_item(g, f, &text);
        add_text(g, out, "text_", f->name->text, &text);
    }
    mmm_gen_add(g, out, "\nconst mmm_kernel mmm_kernels_%s[] = {\n", unit);
    for (const gen_function *f = g->functions; f; f = f->next) {
        if (!f->kernel) continue;
        mmm_gen_add(g, out, "    {.name = \"%s\", .file = ", f->name->text);
        mmm_gen_add_name(g, out, g->files[g->tokens.at[f->first].file].shown);
        mmm_gen_add(g, out,
                    ",\n     .common = common, .text = text_%s, .parameters = parameters_%s, .parameter_count = %d,\n"
                    "     .dimensions = %d, .words = %d, .groups = %d, MMM_ENTRIES_OF(%s, %d)},\n",
                    f->name->text, f->name->text, f->parameter_count, f->plane ? 2 : 1, g->words, f->groups, unit,
                    number++);
    }
    mmm_gen_add(g, out, "};\n");
    free(text.data);
}
