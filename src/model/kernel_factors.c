/* SPDX-License-Identifier: Apache-2.0 */
/* Factors of kernels as a machine's file has them, and where they are kept. */
#include "base/json.h"
#include "model/model.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Tables that machines have, until the process ends: a machine is a value that nobody has to free. */
typedef struct kept {
    struct kept *next;
    int count;
    mmm_factors factors[];
} kept;

static kept *all_kept;
static pthread_mutex_t kept_mutex = PTHREAD_MUTEX_INITIALIZER;

mmm_status mmm_factors_keep(mmm_parameters *machine)
{
    mmm_status result = MMM_OK;
    const size_t bytes = (size_t)machine->factor_count * sizeof *machine->factors;
    kept *k;
    if (!bytes) return MMM_OK;
    pthread_mutex_lock(&kept_mutex);
    for (k = all_kept; k; k = k->next)
        if (k->count == machine->factor_count && memcmp(k->factors, machine->factors, bytes) == 0) break;
    if (!k) {
        TRY(mmm_alloc(&k, 1, sizeof *k + bytes));
        k->count = machine->factor_count;
        memcpy(k->factors, machine->factors, bytes);
        k->next = all_kept;
        all_kept = k;
    }
    machine->factors = k->factors;
done:
    pthread_mutex_unlock(&kept_mutex);
    return result;
}

/* An array of so many numbers. */
static bool read_numbers(const json_t *array, int count, double *out)
{
    if (!json_is_array(array) || json_array_size(array) != (size_t)count) return false;
    for (int i = 0; i < count; i++) {
        out[i] = json_number_value(json_array_get(array, (size_t)i));
        if (!json_is_number(json_array_get(array, (size_t)i)) || !isfinite(out[i])) return false;
    }
    return true;
}

static bool read_kernel(const json_t *kernel, mmm_factors *f)
{
    const char *app = json_string_value(json_object_get(kernel, "app"));
    const char *name = json_string_value(json_object_get(kernel, "kernel"));
    const json_t *error = json_object_get(kernel, "error"), *slope = json_object_get(kernel, "slope");
    const size_t features = json_array_size(slope);
    if (!app || !*app || strlen(app) >= sizeof f->app || !name || strlen(name) >= sizeof f->kernel) return false;
    if (!json_is_number(error) || features > MMM_FEATURES_MOST) return false;
    strcpy(f->app, app);
    strcpy(f->kernel, name);
    f->error = json_number_value(error);
    f->features = (int)features;
    return read_numbers(json_object_get(kernel, "factors"), MMM_LIMITS, f->factors) &&
           read_numbers(slope, f->features, f->slope) &&
           read_numbers(json_object_get(kernel, "centre"), f->features, f->centre) &&
           read_numbers(json_object_get(kernel, "low"), f->features, f->low) &&
           read_numbers(json_object_get(kernel, "high"), f->features, f->high);
}

mmm_status mmm_factors_read(const json_t *kernels, const char *path, mmm_parameters *out)
{
    mmm_status result = MMM_OK;
    mmm_factors *table = NULL;
    const size_t count = json_array_size(kernels);
    mmm_parameters read = *out;
    if (kernels && !json_is_array(kernels)) FAIL(MMM_INVALID, "'%.200s': kernels must be an array", path);
    if (count > MMM_FACTORS_MOST) FAIL(MMM_INVALID, "'%.200s': more than %d kernels", path, MMM_FACTORS_MOST);
    if (!count) return MMM_OK;
    TRY(mmm_alloc(&table, (int64_t)count, sizeof *table));
    for (size_t i = 0; i < count; i++)
        if (!read_kernel(json_array_get(kernels, i), &table[i]))
            FAIL(MMM_INVALID,
                 "'%.200s': kernel %zu lacks app, kernel, error, %d factors, or as many of slope, centre, low and high",
                 path, i, MMM_LIMITS);
    read.factors = table;
    read.factor_count = (int)count;
    TRY(mmm_factors_check(&read));
    TRY(mmm_factors_keep(&read));
    *out = read;
done:
    free(table);
    return result;
}

static bool is_good(const mmm_factors *f)
{
    bool good = memchr(f->app, 0, sizeof f->app) && memchr(f->kernel, 0, sizeof f->kernel) && f->features >= 0 &&
                f->features <= MMM_FEATURES_MOST;
    for (int i = 0; good && i < MMM_LIMITS; i++)
        good = f->factors[i] >= 0 && isfinite(f->factors[i]);
    for (int i = 0; good && i < f->features; i++)
        good = isfinite(f->slope[i]) && isfinite(f->centre[i]) && isfinite(f->low[i]) && isfinite(f->high[i]) &&
               f->low[i] <= f->high[i];
    return good;
}

mmm_status mmm_factors_check(const mmm_parameters *machine)
{
    const int count = machine->factor_count;
    if (count < 0 || count > MMM_FACTORS_MOST || (count && !machine->factors))
        return mmm_fail(MMM_INVALID, "machine '%s': factors of %d kernels: 0 to %d are possible, and a place for them",
                        machine->name, count, MMM_FACTORS_MOST);
    for (int i = 0; i < count; i++)
        if (!is_good(&machine->factors[i]))
            return mmm_fail(MMM_INVALID, "machine '%s': the factors of a kernel are no numbers, or below 0",
                            machine->name);
    return MMM_OK;
}
