/* SPDX-License-Identifier: Apache-2.0 */
/* The file of a machine, as calibration writes it: numbers, constants, factors of kernels, and how far to trust them.
 */
#include "base/json.h"
#include "study/constants.h"

#include <stdlib.h>
#include <string.h>

double mmm_rounded(double x) /* six digits: a file that people read */
{
    char text[32];
    snprintf(text, sizeof text, "%.6g", x);
    return strtod(text, NULL);
}

static json_t *rates_json(const mmm_rates *r)
{
    return json_pack("{s:f,s:f,s:f,s:f,s:f,s:f,s:f}", "launch", r->launch, "barrier", r->barrier, "part", r->part,
                     "operation", r->operation, "word", r->word, "access", r->access, "error", r->error);
}

/* The sets of constants that there are. */
static void add_constants(const mmm_parameters *p, json_t **root)
{
    for (const mmm_constant_set *s = mmm_constant_sets; s < mmm_constant_sets + MMM_CONSTANT_SETS; s++) {
        const double *values = (const double *)(const void *)((const char *)p + s->offset);
        if (!(values[0] > 0)) continue;
        json_t *object = json_object();
        for (int i = 0; i < s->count; i++)
            mmm_json_set(&object, s->records[i].key, json_real(mmm_rounded(values[i])));
        mmm_json_set(root, s->key, object);
    }
}

static json_t *numbers_json(const double *values, int count)
{
    json_t *array = json_array();
    for (int i = 0; i < count; i++)
        mmm_json_append(&array, json_real(mmm_rounded(values[i])));
    return array;
}

static json_t *factors_json(const mmm_parameters *p)
{
    json_t *all = json_array();
    for (int i = 0; i < p->factor_count; i++) {
        const mmm_factors *f = &p->factors[i];
        mmm_json_append(&all, json_pack("{s:s,s:s,s:f,s:o,s:o,s:o,s:o,s:o}", "app", f->app, "kernel", f->kernel,
                                        "error", mmm_rounded(f->error), "factors", numbers_json(f->factors, MMM_LIMITS),
                                        "slope", numbers_json(f->slope, f->features), "centre",
                                        numbers_json(f->centre, f->features), "low", numbers_json(f->low, f->features),
                                        "high", numbers_json(f->high, f->features)));
    }
    return all;
}

struct json_t *mmm_off_json(const double *off, const mmm_constant_record *records, int count)
{
    static const double trusted = 0.5;
    json_t *object = json_object();
    for (int i = 0; i < count; i++)
        mmm_json_set(&object, records[i].key,
                     off[i] <= trusted ? json_real(mmm_rounded(off[i])) : json_string("refused"));
    return object;
}

/* Takes the object; its kernels get a line each. */
static mmm_status write_file(json_t *root, const char *path)
{
    enum { PRECISION = JSON_REAL_PRECISION(9) };
    mmm_status result = MMM_OK;
    mmm_output output = {0};
    json_t *kernels = json_incref(json_object_get(root, "kernels"));
    char *text = NULL;
    if (!kernels) return mmm_json_write(root, path, JSON_INDENT(1) | PRECISION);
    json_object_del(root, "kernels");
    text = json_dumps(root, JSON_INDENT(1) | PRECISION);
    if (!text) FAIL(MMM_MEMORY, "no memory for the file of a machine");
    TRY(mmm_output_open(&output, path));
    fprintf(output.stream, "%.*s,\n \"kernels\": [\n", (int)strlen(text) - 2, text); /* but for its last bracket */
    for (size_t i = 0; i < json_array_size(kernels); i++) {
        fputs("  ", output.stream);
        if (json_dumpf(json_array_get(kernels, i), output.stream, JSON_COMPACT | PRECISION) != 0 &&
            !ferror(output.stream))
            FAIL(MMM_MEMORY, "no memory for the file of a machine");
        fputs(i + 1 < json_array_size(kernels) ? ",\n" : "\n", output.stream);
    }
    fputs(" ]\n}\n", output.stream);
    TRY(mmm_output_commit(&output));
done:
    json_decref(root);
    json_decref(kernels);
    free(text);
    mmm_output_discard(&output);
    return result;
}

mmm_status mmm_machine_file_write(const mmm_machine *machine, const mmm_parameters *p, struct json_t *spread,
                                  const char *path)
{
    char date[32];
    json_t *applications = json_object();
    mmm_date(date);
    for (int i = 0; i < MMM_RATES_MOST && p->rates[i].app[0]; i++)
        mmm_json_set(&applications, p->rates[i].app, rates_json(&p->rates[i]));
    json_t *root =
        json_pack("{s:s,s:s,s:s,s:s,s:f,s:I,s:I,s:I,s:f,s:I,s:f,s:f,s:f,s:f,s:o,s:o}", "name", p->name, "device",
                  machine->device, "description", machine->description, "date", date, "U", p->U, "Z", (json_int_t)p->Z,
                  "P", (json_int_t)p->P, "threads", (json_int_t)p->threads, "launch", p->launch, "lanes",
                  (json_int_t)p->lanes, "barrier", p->barrier, "decide", p->decide, "unfold", p->unfold, "operation",
                  p->operation, "spread", spread, "applications", applications);
    add_constants(p, &root);
    if (p->factor_count) mmm_json_set(&root, "kernels", factors_json(p));
    return write_file(root, path);
}

mmm_status mmm_machine_file_with(const char *name, const char *text, int64_t size, const mmm_rates *rates,
                                 const mmm_parameters *p, const char *path)
{
    mmm_status result = MMM_OK;
    json_t *root = NULL, *applications;
    TRY(mmm_json_read(name, text, size, 0, &root));
    if (!json_is_object(root)) FAIL(MMM_INVALID, "'%.200s' is not the file of a machine", name);
    applications = json_object_get(root, "applications");
    applications = applications ? json_incref(applications) : json_object();
    if (rates) mmm_json_set(&applications, rates->app, rates_json(rates));
    mmm_json_set(&root, "applications", applications);
    if (!rates) mmm_json_set(&root, "kernels", factors_json(p));
    result = write_file(root, path);
    root = NULL;
done:
    json_decref(root);
    return result;
}

mmm_status mmm_machine_file_add(const char *path, const mmm_rates *rates, const mmm_parameters *p)
{
    mmm_status result = MMM_OK;
    char *text = NULL;
    int64_t size;
    TRY(mmm_file_read(path, 16 << 20, &text, &size));
    TRY(mmm_machine_file_with(path, text, size, rates, p, path));
done:
    free(text);
    return result;
}
