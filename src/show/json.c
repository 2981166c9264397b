/* SPDX-License-Identifier: Apache-2.0 */
/* Analyses as JSON. */
#include "show/show.h"

#include <string.h>

static json_t *entity(const mmm_entity *e)
{
    json_t *object;
    if (!e->kernel) return json_null();
    object = json_pack("{s:s, s:I}", "kernel", e->kernel, "block", (json_int_t)e->block);
    mmm_json_set(&object, "thread", e->thread < 0 ? json_null() : json_integer(e->thread));
    return object;
}

static json_t *violations(const mmm_counts *counts)
{
    json_t *list = json_array();
    for (int64_t i = 0; counts && i < counts->violation_count; i++) {
        const mmm_violation *v = &counts->violations[i];
        mmm_json_append(&list, json_pack("{s:s, s:s, s:{s:s, s:I}, s:s?, s:o, s:o, s:{s:s, s:i}, s:I}", "kind",
                                         mmm_violation_name(v->kind), "memory", v->memory, "address", "array", v->array,
                                         "index", (json_int_t)v->index, "kernel", v->second.kernel, "first",
                                         entity(&v->first), "second", entity(&v->second), "source", "file", v->file,
                                         "line", v->line, "count", (json_int_t)v->count));
    }
    return list;
}

json_t *mmm_amount_json(mmm_amount x)
{
    return !x.known ? json_null() : x.whole ? json_integer(x.integer) : mmm_json_number(x.real);
}

json_t *mmm_limits_json(const double limits[MMM_LIMITS])
{
    if (mmm_limit_largest(limits, NULL) < 0) return NULL;
    json_t *object = json_object();
    for (int i = 0; i < MMM_LIMITS; i++)
        mmm_json_set(&object, mmm_limit_name(i), mmm_json_number(limits[i]));
    return object;
}

/* Adds the quantities of a part to an object. */
static void add_part(json_t **object, const mmm_analysis *a, mmm_quantity_part part)
{
    for (int i = 0; i < mmm_quantity_count; i++)
        if (mmm_quantities[i].key && mmm_quantities[i].part == part &&
            (!mmm_quantities[i].when || mmm_quantity_of(&mmm_quantities[i], a).known))
            mmm_json_set(object, mmm_quantities[i].key, mmm_amount_json(mmm_quantity_of(&mmm_quantities[i], a)));
}

static json_t *object(const mmm_analysis *a)
{
    json_t *parameters = json_object(), *theorem1 = json_array(), *measures = json_object(), *dag = json_object(),
           *bounds = json_object();
    if (a->job)
        for (const mmm_parameter *p = mmm_job_app(a->job)->parameters; p->name; p++)
            mmm_json_set(&parameters, p->name, json_integer(mmm_job_get(a->job, p->name)));
    for (int i = 0; i < a->bound_count; i++)
        mmm_json_append(&theorem1, json_pack("{s:I, s:o, s:o}", "P", (json_int_t)a->bounds[i].P, "bound",
                                             mmm_json_number(a->bounds[i].bound), "schedule",
                                             mmm_json_number(a->bounds[i].schedule)));
    add_part(&measures, a, MMM_MEASURES);
    add_part(&dag, a, MMM_DAG);
    add_part(&bounds, a, MMM_BOUNDS);
    mmm_json_set(&bounds, "theorem1", theorem1);
    json_t *all = json_pack("{s:s, s:o, s:{s:s, s:o, s:I}, s:o, s:o, s:o}", "app", a->app, "parameters", parameters,
                            "machine", "name", a->machine.name, "U", mmm_json_number(a->machine.U), "Z",
                            (json_int_t)a->machine.Z, "measures", measures, "dag", dag, "bounds", bounds);
    add_part(&all, a, MMM_OUTSIDE);
    if (a->machine.operation > 0) mmm_json_set(&all, "operation_seconds", mmm_json_number(a->machine.operation));
    if (a->measured > 0)
        mmm_json_set(&all, "measured_seconds",
                     json_pack("{s:o, s:o}", "kernels", mmm_json_number(a->measured), "path",
                               mmm_json_number(a->measured_path)));
    mmm_json_set(&all, "violations", violations(a->counts));
    return all;
}

static mmm_status make_object(const mmm_analysis *a, json_t **out)
{
    json_t *kernels = NULL;
    mmm_status status = a->listed ? mmm_kernels_json(a, &kernels) : MMM_OK;
    if (status != MMM_OK) return status;
    *out = object(a);
    if (kernels) mmm_json_set(out, "kernels", kernels);
    if (kernels && a->counts && a->counts->traffic) mmm_json_set(out, "regions", mmm_regions_json(a->counts));
    return MMM_OK;
}

mmm_status mmm_report_json(const mmm_analysis *analyses, int count, int array, const char *path)
{
    mmm_status result = MMM_OK;
    NEED(path, "the path of a report");
    MMM_TRY(mmm_analyses_check(analyses, count));
    json_t *list = json_array(), *one;
    for (int i = 0; i < count; i++) {
        TRY(make_object(&analyses[i], &one));
        mmm_json_append(&list, one);
    }
    TRY(mmm_json_write(json_incref(count == 1 && !array ? json_array_get(list, 0) : list), path, MMM_JSON_FORM));
done:
    json_decref(list);
    return result;
}
