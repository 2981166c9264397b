/* SPDX-License-Identifier: Apache-2.0 */
/* Machines as the model knows them, built in or read from text (section 2.1). */
#include "model/model.h"
#include "base/json.h"

#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define KEYS "U, Z, P, threads, launch, lanes, barrier, decide, unfold, operation"

/* Of words, SMs, threads and lanes: as far as sums and products of them are numbers. */
static const int64_t integer_most = 1000000000000;
#define AT_MOST ", at most 10^12"

/* One number of a machine: where it is kept and what it may be. */
typedef struct field {
    const char *key;
    size_t offset;
    bool real, required;
    const char *range;
    double least;
    bool above; /* the number must be larger than `least` */
} field;

static const field fields[] = {
    {.key = "U",
     .offset = offsetof(mmm_parameters, U),
     .real = true,
     .required = true,
     .above = true,
     .range = "a number larger than 0"},
    {.key = "Z",
     .offset = offsetof(mmm_parameters, Z),
     .required = true,
     .least = 1,
     .range = "an integer of at least 1" AT_MOST},
    {.key = "P", .offset = offsetof(mmm_parameters, P), .range = "an integer of at least 0" AT_MOST},
    {.key = "threads", .offset = offsetof(mmm_parameters, threads), .range = "an integer of at least 0" AT_MOST},
    {.key = "launch", .offset = offsetof(mmm_parameters, launch), .real = true, .range = "a number of at least 0"},
    {.key = "lanes", .offset = offsetof(mmm_parameters, lanes), .range = "an integer of at least 0" AT_MOST},
    {.key = "barrier", .offset = offsetof(mmm_parameters, barrier), .real = true, .range = "a number of at least 0"},
    {.key = "decide", .offset = offsetof(mmm_parameters, decide), .real = true, .range = "a number of at least 0"},
    {.key = "unfold", .offset = offsetof(mmm_parameters, unfold), .real = true, .range = "a number of at least 0"},
    {.key = "operation",
     .offset = offsetof(mmm_parameters, operation),
     .real = true,
     .range = "a number of at least 0"},
};

enum { FIELDS = sizeof fields / sizeof *fields };

extern const char mmm_machine_h200[], mmm_machine_cpu_epyc[]; /* embedded */

/* The machines that are shipped as files, and what they fit: CPUs or other devices, with a word in their name. */
static const struct shipped {
    const char *text, *word;
    bool cpu;
} shipped[] = {
    {mmm_machine_h200, "NVIDIA H200", false},
    {mmm_machine_cpu_epyc, "", true},
};

enum { SHIPPED = sizeof shipped / sizeof *shipped };

static mmm_parameters builtin[1 + SHIPPED + 1] = {{.name = "abstract", .U = 100, .Z = 12288}};
static pthread_mutex_t builtin_mutex = PTHREAD_MUTEX_INITIALIZER;
static bool builtin_read;

static bool store_real(const field *f, double value, mmm_parameters *out)
{
    if (!isfinite(value) || value < f->least || (f->above && value <= f->least)) return false;
    memcpy((char *)out + f->offset, &value, sizeof value);
    return true;
}

static bool store_integer(const field *f, int64_t value, mmm_parameters *out)
{
    if (value < (int64_t)f->least || value > integer_most) return false;
    memcpy((char *)out + f->offset, &value, sizeof value);
    return true;
}

static bool store_text(const field *f, const char *text, mmm_parameters *out)
{
    double real;
    int64_t integer;
    if (f->real) return mmm_parse_number(text, &real) && store_real(f, real, out);
    return mmm_parse_integer(text, &integer) && store_integer(f, integer, out);
}

static bool store_json(const field *f, const json_t *value, mmm_parameters *out)
{
    if (f->real) return json_is_number(value) && store_real(f, json_number_value(value), out);
    return json_is_integer(value) && store_integer(f, json_integer_value(value), out);
}

static mmm_status read_settings(const char *text, mmm_parameters *out)
{
    mmm_status result = MMM_OK;
    bool seen[FIELDS] = {false};
    char *copy = mmm_copy_string(text), *rest = copy;
    if (!copy) return mmm_fail(MMM_MEMORY, "no memory for the settings of a machine");
    while (rest) {
        char *word = strsep(&rest, ","), *value = strchr(word, '=');
        if (!value) FAIL(MMM_INVALID, "machine setting '%.100s' is not of the form key=value (keys: %s)", word, KEYS);
        *value++ = 0;
        int i = 0;
        while (i < FIELDS && strcmp(word, fields[i].key) != 0)
            i++;
        if (i == FIELDS) FAIL(MMM_INVALID, "unknown machine setting '%.100s'; known are %s", word, KEYS);
        if (seen[i]) FAIL(MMM_INVALID, "machine setting '%s' is given twice", word);
        seen[i] = true;
        if (!store_text(&fields[i], value, out))
            FAIL(MMM_INVALID, "machine setting %s='%.100s' must be %s", word, value, fields[i].range);
    }
done:
    free(copy);
    return result;
}

static mmm_status read_rates(const json_t *applications, const char *path, mmm_parameters *out)
{
    mmm_status result = MMM_OK;
    const char *app;
    json_t *rates;
    int count = 0;
    if (applications && !json_is_object(applications))
        FAIL(MMM_INVALID, "'%.200s': applications must be an object of rates by application", path);
    json_object_foreach((json_t *)applications, app, rates)
    {
        mmm_rates *r = &out->rates[count];
        const struct {
            const char *key;
            double *value;
        } all[] = {{"launch", &r->launch}, {"barrier", &r->barrier}, {"part", &r->part},  {"operation", &r->operation},
                   {"word", &r->word},     {"access", &r->access},   {"error", &r->error}};
        if (++count > MMM_RATES_MOST || strlen(app) >= sizeof r->app)
            FAIL(MMM_INVALID, "'%.200s': application '%.100s' is one too many, or its name too long", path, app);
        for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
            const json_t *value = json_object_get(rates, all[i].key);
            if (!json_is_number(value) || !(json_number_value(value) >= 0))
                FAIL(MMM_INVALID, "'%.200s': %s of application '%s' must be a number of at least 0", path, all[i].key,
                     app);
            *all[i].value = json_number_value(value);
        }
        strcpy(r->app, app);
    }
done:
    return result;
}

#define GPU_MOST 1e10

const mmm_constant_set mmm_constant_sets[MMM_CONSTANT_SETS] = {
    {"constants", "the constants", offsetof(mmm_parameters, constants), mmm_constant_records, MMM_CONSTANTS, DBL_MAX,
     ""},
    {"constants_64", "the constants for 64 bits", offsetof(mmm_parameters, constants_64), mmm_constant_records,
     MMM_CONSTANTS, DBL_MAX, ""},
    {"gpu", "gpu", offsetof(mmm_parameters, gpu), mmm_gpu_records, MMM_GPU_CONSTANTS, GPU_MOST, ", and at most 1e10"},
    {"gpu_64", "gpu for 64 bits", offsetof(mmm_parameters, gpu_64), mmm_gpu_records, MMM_GPU_CONSTANTS, GPU_MOST,
     ", and at most 1e10"},
};

static mmm_status check_constants(const mmm_parameters *machine)
{
    for (const mmm_constant_set *s = mmm_constant_sets; s < mmm_constant_sets + MMM_CONSTANT_SETS; s++) {
        const double *values = (const double *)(const void *)((const char *)machine + s->offset);
        bool known = false;
        for (int i = 0; i < s->count; i++)
            known |= values[i] != 0;
        for (int i = 0; known && i < s->count; i++)
            if (!(values[i] > 0) || !(values[i] <= s->most))
                return mmm_fail(MMM_INVALID, "machine '%s': %s of %s is %g: all must be larger than 0%s, or all 0",
                                machine->name, s->records[i].key, s->what, values[i], s->bound);
    }
    return MMM_OK;
}

const mmm_parameters *mmm_parameters_by_words(const mmm_parameters *machine, int word_bits, mmm_parameters *wide)
{
    if (word_bits != 64 || !(machine->constants_64[0] > 0 || machine->gpu_64[0] > 0)) return machine;
    *wide = *machine;
    if (machine->constants_64[0] > 0) memcpy(wide->constants, machine->constants_64, sizeof wide->constants);
    if (machine->gpu_64[0] > 0) memcpy(wide->gpu, machine->gpu_64, sizeof wide->gpu);
    return wide;
}

static mmm_status check_rates(const mmm_rates *r)
{
    const double all[] = {r->launch, r->barrier, r->part, r->operation, r->word, r->access, r->error};
    if (!memchr(r->app, 0, sizeof r->app)) return mmm_fail(MMM_INVALID, "machine: a name among its rates does not end");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!(all[i] >= 0) || !isfinite(all[i]))
            return mmm_fail(MMM_INVALID,
                            "machine: a rate of application '%s' is %g: numbers of at least 0 are possible", r->app,
                            all[i]);
    return MMM_OK;
}

static mmm_status read_constants(const json_t *root, const char *path, mmm_parameters *out)
{
    mmm_status result = MMM_OK;
    for (const mmm_constant_set *s = mmm_constant_sets; s < mmm_constant_sets + MMM_CONSTANT_SETS; s++) {
        const json_t *constants = json_object_get(root, s->key);
        double *values = (double *)(void *)((char *)out + s->offset);
        for (int i = 0; constants && i < s->count; i++) {
            const json_t *value = json_object_get(constants, s->records[i].key);
            if (!json_is_number(value) || !(json_number_value(value) > 0) || !(json_number_value(value) <= s->most))
                FAIL(MMM_INVALID, "'%.200s': %s of %s must be a number larger than 0%s", path, s->records[i].key,
                     s->what, s->bound);
            values[i] = json_number_value(value);
        }
    }
done:
    return result;
}

mmm_status mmm_parameters_check(const mmm_parameters *machine)
{
    mmm_status result = MMM_OK;
    mmm_parameters ignored;
    if (!machine) FAIL(MMM_INVALID, "the parameters of a machine are NULL");
    if (!memchr(machine->name, 0, sizeof machine->name)) FAIL(MMM_INVALID, "machine: its name does not end");
    for (int i = 0; i < FIELDS; i++) {
        double real = 0;
        int64_t integer = 0;
        memcpy(fields[i].real ? (void *)&real : (void *)&integer, (const char *)machine + fields[i].offset, 8);
        if (fields[i].real && !store_real(&fields[i], real, &ignored))
            FAIL(MMM_INVALID, "machine '%s': %s = %g must be %s", machine->name, fields[i].key, real, fields[i].range);
        if (!fields[i].real && !store_integer(&fields[i], integer, &ignored))
            FAIL(MMM_INVALID, "machine '%s': %s = %lld must be %s", machine->name, fields[i].key, (long long)integer,
                 fields[i].range);
    }
    for (int i = 0; i < MMM_RATES_MOST && machine->rates[i].app[0]; i++)
        TRY(check_rates(&machine->rates[i]));
    TRY(check_constants(machine));
    TRY(mmm_factors_check(machine));
done:
    return result;
}

/* Keys that are not ours stay unread: calibration keeps spreads, clocks and dates in the same file. */
static mmm_status parse_json(const char *path, const char *text, size_t size, mmm_parameters *out)
{
    mmm_status result = MMM_OK;
    json_t *root = NULL;
    TRY(mmm_json_read(path, text, (int64_t)size, JSON_REJECT_DUPLICATES, &root));
    if (!json_is_object(root)) FAIL(MMM_INVALID, "'%.200s' must hold a JSON object with the keys %s", path, KEYS);
    const json_t *name = json_object_get(root, "name");
    if (name) {
        if (!json_is_string(name) || json_string_length(name) >= sizeof out->name || !json_string_length(name) ||
            !mmm_is_plain(json_string_value(name)))
            FAIL(MMM_INVALID, "'%.200s': name must be a string of 1 to %zu bytes, none of them a control character",
                 path, sizeof out->name - 1);
        strcpy(out->name, json_string_value(name));
    }
    for (int i = 0; i < FIELDS; i++) {
        const json_t *value = json_object_get(root, fields[i].key);
        if (!value && fields[i].required)
            FAIL(MMM_INVALID, "'%.200s' lacks the key %s (keys: name, %s)", path, fields[i].key, KEYS);
        if (value && !store_json(&fields[i], value, out))
            FAIL(MMM_INVALID, "'%.200s': %s must be %s", path, fields[i].key, fields[i].range);
    }
    TRY(read_constants(root, path, out));
    TRY(read_rates(json_object_get(root, "applications"), path, out));
    TRY(mmm_factors_read(json_object_get(root, "kernels"), path, out));
    TRY(mmm_parameters_check(out));
done:
    json_decref(root);
    return result;
}

static mmm_status read_json(const char *path, mmm_parameters *out)
{
    mmm_status result = MMM_OK;
    char *text = NULL;
    int64_t size;
    TRY(mmm_file_read(path, 16 << 20, &text, &size));
    TRY(parse_json(path, text, (size_t)size, out));
done:
    free(text);
    return result;
}

/* The shipped files are right, as a test sees: what cannot be read now has no memory, and may be another time. */
static bool read_shipped(void)
{
    for (int i = 0; i < SHIPPED; i++) {
        mmm_parameters machine = {.name = "custom"};
        if (parse_json("a shipped machine", shipped[i].text, strlen(shipped[i].text), &machine) != MMM_OK) {
            mmm_fail(MMM_MEMORY, "no memory to read the machines that are built in");
            return false;
        }
        builtin[1 + i] = machine;
    }
    return true;
}

static bool is_path(const char *text)
{
    size_t length = strlen(text);
    return strchr(text, '/') || (length >= 5 && strcmp(text + length - 5, ".json") == 0);
}

static mmm_status unknown_machine(const char *text)
{
    char names[256] = "";
    size_t used = 0;
    for (const mmm_parameters *m = builtin; m->name[0] && used < sizeof names; m++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", m == builtin ? "" : ", ", m->name);
    return mmm_fail(MMM_INVALID,
                    "unknown machine '%.100s'; known are %s, a JSON file (with a '/' or ending in .json), and settings "
                    "such as U=100,Z=12288 (keys: %s)",
                    text, names, KEYS);
}

mmm_status mmm_parameters_read(const char *text, mmm_parameters *out)
{
    NEED(text, "the text that names a machine");
    NEED(out, "the place for the parameters of a machine");
    if (!mmm_parameters_builtin()) return MMM_MEMORY;
    for (const mmm_parameters *m = builtin; m->name[0]; m++)
        if (strcmp(text, m->name) == 0) {
            *out = *m;
            return MMM_OK;
        }
    mmm_parameters machine = builtin[0];
    strcpy(machine.name, "custom");
    mmm_status status;
    if (is_path(text))
        status = read_json(text, &machine);
    else if (strchr(text, '='))
        status = read_settings(text, &machine);
    else
        status = unknown_machine(text);
    if (status == MMM_OK) *out = machine;
    return status;
}

const mmm_parameters *mmm_parameters_builtin(void)
{
    pthread_mutex_lock(&builtin_mutex);
    if (!builtin_read) builtin_read = read_shipped();
    bool fine = builtin_read;
    pthread_mutex_unlock(&builtin_mutex);
    return fine ? builtin : NULL;
}

const char *mmm_parameters_text(const char *name)
{
    for (int i = 0; i < SHIPPED; i++)
        if (mmm_parameters_builtin() && strcmp(builtin[1 + i].name, name) == 0) return shipped[i].text;
    return NULL;
}

const mmm_parameters *mmm_parameters_shipped(const char *device, bool cpu)
{
    for (int i = 0; i < SHIPPED; i++)
        if (shipped[i].cpu == cpu && strstr(device, shipped[i].word)) return &builtin[1 + i];
    return NULL;
}
