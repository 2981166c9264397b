/* SPDX-License-Identifier: Apache-2.0 */
/* Machines by name, and what all of them do alike. */
#include "machine/machine.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const mmm_machine_type *const types[] = {&mmm_machine_abstract, &mmm_machine_cpu, &mmm_machine_cuda,
                                                &mmm_machine_opencl};

enum { TYPES = sizeof types / sizeof *types, LAUNCHES_MOST = 1000 };

static _Atomic int users[TYPES]; /* the process that asked the driver for its devices, 0: none has */

static mmm_status fail_forked(const mmm_machine_type *type)
{
    return mmm_fail(MMM_DEVICE,
                    "%s was used before this process was forked, and its driver does not work in a child: use it first "
                    "in the child, or start a program (exec)",
                    type->system);
}

/* Remembers who uses the driver; whether that is another process, whose child this one is. */
static mmm_status enter_driver(const mmm_machine_type *type)
{
    int none = 0, own = (int)getpid();
    for (int i = 0; i < TYPES; i++)
        if (types[i] == type && !atomic_compare_exchange_strong(&users[i], &none, own) && none != own)
            return fail_forked(type);
    return MMM_OK;
}

bool mmm_machine_is_ours(const mmm_machine *machine)
{
    return !machine->type->count || machine->process == (int)getpid();
}

mmm_status mmm_machine_check_process(const mmm_machine *machine)
{
    return mmm_machine_is_ours(machine) ? MMM_OK : fail_forked(machine->type);
}

static mmm_status open_type(const mmm_machine_type *type, int number, const mmm_parameters *parameters, uint64_t seed,
                            mmm_machine **out)
{
    mmm_status result = MMM_OK;
    mmm_machine *machine = NULL;
    int count = 0;
    if (!parameters) return MMM_MEMORY; /* those that are built in could not be read */
    if (type->count) {
        TRY(enter_driver(type));
        TRY(type->count(&count));
        if (number >= count)
            FAIL(MMM_DEVICE, "there is no device %s:%d: %s finds %d device%s", type->name, number, type->system, count,
                 count == 1 ? "" : "s");
    }
    TRY(mmm_alloc(&machine, 1, sizeof *machine));
    machine->type = type;
    machine->number = number;
    machine->parameters = *parameters;
    machine->seed = seed;
    machine->process = (int)getpid();
    snprintf(machine->file, sizeof machine->file, type->count ? "%s-%d" : "%s", type->name, number);
    TRY(type->open(machine));
    if (!machine->device[0]) strcpy(machine->device, machine->description);
    *out = machine;
    machine = NULL;
done:
    free(machine);
    return result;
}

/* Whether `name` is this type's: its name alone, or with a number where there may be several. */
static bool is_named(const mmm_machine_type *type, const char *name, int *number)
{
    size_t length = strlen(type->name);
    int64_t value = 0;
    if (strncmp(name, type->name, length) != 0) return false;
    if (name[length] && (!type->count || name[length] != ':' || !mmm_parse_integer(name + length + 1, &value) ||
                         value < 0 || value > 1000))
        return false;
    *number = (int)value;
    return true;
}

mmm_status mmm_machine_open(const char *name, mmm_machine **out)
{
    char known[256] = "";
    int number;
    NEED(name, "the name of a machine");
    NEED(out, "the place for a machine");
    for (int i = 0; i < TYPES; i++) {
        if (is_named(types[i], name, &number)) return open_type(types[i], number, mmm_parameters_builtin(), 1, out);
        strcat(strcat(strcat(known, i ? ", " : ""), types[i]->name), types[i]->count ? ":N" : "");
    }
    return mmm_fail(MMM_INVALID, "unknown machine '%.100s'; the machines are %s", name, known);
}

static void visit_device(const mmm_machine_type *type, const char *name, mmm_machine_visitor *visit, void *context)
{
    mmm_machine *machine = NULL;
    mmm_machine_info info = {.name = name, .summary = type->summary, .has_time = type->has_time};
    info.works = mmm_machine_open(name, &machine) == MMM_OK;
    info.description = info.works ? machine->description : mmm_message();
    visit(context, &info);
    mmm_machine_free(machine);
}

void mmm_machine_list(mmm_machine_visitor *visit, void *context)
{
    for (int i = 0; visit && i < TYPES; i++) {
        char name[64];
        int count = 0;
        if (!types[i]->count) {
            visit_device(types[i], types[i]->name, visit, context);
            continue;
        }
        mmm_status status = enter_driver(types[i]);
        if (status == MMM_OK) status = types[i]->count(&count);
        if (status == MMM_OK && !count) mmm_fail(MMM_DEVICE, "no device is found");
        if (!count)
            visit(context,
                  &(mmm_machine_info){types[i]->name, types[i]->summary, mmm_message(), 0, types[i]->has_time});
        for (int j = 0; j < count; j++) {
            snprintf(name, sizeof name, "%s:%d", types[i]->name, j);
            visit_device(types[i], name, visit, context);
        }
    }
}

mmm_status mmm_machine_open_abstract(const mmm_parameters *parameters, uint64_t seed, mmm_machine **out)
{
    NEED(out, "the place for a machine");
    MMM_TRY(mmm_parameters_check(parameters));
    return open_type(&mmm_machine_abstract, 0, parameters, seed, out);
}

mmm_status mmm_machine_count_traffic(mmm_machine *machine, int wanted)
{
    NEED(machine, "the machine");
    if (machine->type != &mmm_machine_abstract)
        return mmm_fail(MMM_INVALID, "machine %s does not count: the one that does is abstract", machine->type->name);
    machine->traffic = wanted != 0;
    return MMM_OK;
}

void mmm_machine_free(mmm_machine *machine)
{
    if (!machine) return;
    if (machine->recent) machine->drop_recent(machine->recent, true);
    mmm_machine_free(machine->host);
    mmm_buffer_drop_spares(machine);
    if (mmm_machine_is_ours(machine)) machine->type->close(machine);
    free(machine);
}

const char *mmm_machine_description(const mmm_machine *machine)
{
    return machine ? machine->description : "";
}

void mmm_machine_on_progress(mmm_machine *machine, mmm_progress *progress, void *context)
{
    if (!machine) return;
    machine->progress = progress;
    machine->progress_context = context;
}

void mmm_machine_set_time_limit(mmm_machine *machine, double seconds)
{
    if (machine) machine->time_limit = seconds > 0 ? seconds : 0;
}

mmm_status mmm_machine_set_launches(mmm_machine *machine, int launches)
{
    if (!machine) return mmm_fail(MMM_INVALID, "the machine is NULL");
    if (launches < 1 || launches > LAUNCHES_MOST)
        return mmm_fail(MMM_INVALID, "%d launches: from 1 to %d are possible", launches, LAUNCHES_MOST);
    if (launches > 1 && machine->type != &mmm_machine_cuda)
        return mmm_fail(MMM_INVALID, "'%s' starts the kernels of a run once; CUDA devices can do it more often",
                        machine->type->name);
    machine->launches = launches;
    return MMM_OK;
}

const mmm_counts *mmm_machine_counts(const mmm_machine *machine)
{
    return !machine || machine->type->has_time ? NULL : &machine->counts;
}

int mmm_machine_has_time(const mmm_machine *machine)
{
    return machine && machine->type->has_time;
}

/* Round numbers of the order of what GPUs have, for a device of which nothing is known but what it says itself. */
static const mmm_parameters unknown = {
    .name = "an unknown device", .U = 10, .launch = 100, .lanes = 32, .barrier = 10, .decide = 4000, .operation = 5e-9};

mmm_status mmm_machine_numbers(const mmm_machine *machine, mmm_parameters *out)
{
    if (!mmm_parameters_builtin()) return MMM_MEMORY;
    const mmm_parameters *shipped = mmm_parameters_shipped(machine->device, machine->cpu);
    *out = shipped ? *shipped : unknown;
    out->P = machine->parameters.P;
    out->Z = machine->parameters.Z;
    out->threads = machine->parameters.threads;
    if ((!shipped || machine->cpu) && machine->parameters.lanes) out->lanes = machine->parameters.lanes;
    return MMM_OK;
}

void mmm_machine_transferred(const mmm_machine *machine, int64_t *in, int64_t *out)
{
    if (in) *in = machine ? machine->bytes_in : 0;
    if (out) *out = machine ? machine->bytes_out : 0;
}

static void count_arrays(mmm_machine *machine, const mmm_program *program)
{
    for (int64_t i = 0; i < program->array_count; i++) {
        const mmm_global *array = &program->arrays[i];
        if (array->buffer) continue;
        if (array->use & MMM_IN && !array->there && !machine->type->gpu) /* they count what they send */
            machine->bytes_in += (int64_t)mmm_global_bytes(program, array);
        if (array->use & MMM_OUT) machine->bytes_out += (int64_t)mmm_global_bytes(program, array);
    }
}

/* Whether the machine finds the code it runs: GPUs look for their text themselves; of the others, those whose runs take
 * time run the compiled code, and the abstract machine the counted one. */
static bool has_code(const mmm_machine *machine, const mmm_kernel *code, bool wide)
{
    if (machine->type->gpu) return true;
    if (!machine->type->has_time) return code->counted[wide] && code->counted[wide][code->index];
    for (int isa = 0; isa < MMM_ISAS; isa++)
        if (!code->compiled[wide][isa] || !code->compiled[wide][isa][code->index]) return false;
    return true;
}

mmm_status mmm_machine_check_code(const mmm_machine *machine, const mmm_program *program, int64_t first)
{
    mmm_status result = MMM_OK;
    const mmm_kernel *known = NULL; /* most calls are of the kernel of the call before */
    for (int64_t k = first; k < program->kernels; k++) {
        const mmm_node *node = &program->nodes[k];
        if (!node->code)
            FAIL(MMM_INVALID, "kernel '%.100s' has no code: the program can be analysed but not run", node->name);
        if (node->code != known && !has_code(machine, node->code, program->word_bits == 64))
            FAIL(MMM_INVALID, "kernel '%.100s' has no code for words of %d bits on the machine %s", node->name,
                 program->word_bits, machine->type->name);
        known = node->code;
    }
done:
    return result;
}

static mmm_status check_arrays(const mmm_machine *machine, const mmm_program *program)
{
    mmm_status result = MMM_OK;
    for (int64_t i = 0; i < program->array_count; i++) {
        const mmm_global *array = &program->arrays[i];
        bool needed = machine->type->memory == &mmm_memory_host || array->use & (MMM_IN | MMM_OUT);
        if (needed && array->count && !array->host && !array->buffer && !array->there)
            FAIL(MMM_INVALID, "array '%.100s' has %lld elements and no memory: it is NULL", array->name,
                 (long long)array->count);
    }
done:
    return result;
}

mmm_status mmm_machine_run(mmm_machine *machine, mmm_program *program, double *seconds)
{
    mmm_status result = MMM_OK;
    const mmm_order *order;
    NEED(machine, "the machine");
    NEED(program, "the program");
    if (mmm_program_decides(program)) return mmm_fail(MMM_INVALID, "the program runs: a decision cannot run it");
    TRY(mmm_machine_check_process(machine));
    mmm_program_fold(program);
    TRY(mmm_machine_check_code(machine, program, 0));
    TRY(check_arrays(machine, program));
    TRY(mmm_program_order(program, &order));
    result = machine->type->run(machine, program, order, seconds);
    if ((result == MMM_TOO_LARGE || result == MMM_MEMORY) && (machine->recent || machine->spare_count)) {
        mmm_buffer_drop_spares(machine);
        if (machine->recent) machine->drop_recent(machine->recent, false);
        mmm_program_fold(program);
        TRY(mmm_program_order(program, &order));
        result = machine->type->run(machine, program, order, seconds);
    }
    if (result != MMM_OK) mmm_program_fold(program);
    TRY(result);
    count_arrays(machine, program);
done:
    return result;
}

mmm_status mmm_machine_keep(mmm_machine *machine, mmm_program *program)
{
    mmm_status result = MMM_OK;
    const mmm_order *order;
    TRY(mmm_machine_check_process(machine));
    mmm_program_fold(program);
    TRY(mmm_machine_check_code(machine, program, 0));
    TRY(mmm_program_order(program, &order));
    if (machine->type->keep) TRY(machine->type->keep(machine, program, order));
done:
    return result;
}

void mmm_machine_drop(mmm_machine *machine, const mmm_program *program)
{
    if (program && machine->type->drop && mmm_machine_is_ours(machine)) machine->type->drop(machine, program);
}

void *mmm_machine_array(mmm_machine *machine, const mmm_program *program, int array)
{
    if (array < 0) return NULL;
    return machine->type->array ? machine->type->array(machine, program, array) : program->arrays[array].host;
}

mmm_status mmm_machine_fetch(mmm_machine *machine, const mmm_program *program, int array, int64_t first, int64_t count)
{
    mmm_status result = MMM_OK;
    NEED(machine, "the machine");
    NEED(program, "the program");
    if (array < 0 || array >= program->array_count)
        FAIL(MMM_INVALID, "there is no array %d; the program's are numbered from 0 and are %lld", array,
             (long long)program->array_count);
    const mmm_global *global = &program->arrays[array];
    const int64_t all = global->count * program->batch;
    if (first < 0 || count < 0 || first > all || count > all - first)
        FAIL(MMM_INVALID, "%lld elements from %lld on of '%s': it has %lld", (long long)count, (long long)first,
             global->name, (long long)all);
    if (!(global->use & MMM_RESULT) || global->buffer)
        FAIL(MMM_INVALID, "array '%s' is none to fetch from: its use is not MMM_RESULT", global->name);
    TRY(mmm_machine_check_process(machine));
    if (machine->type->fetch && count) TRY(machine->type->fetch(machine, program, array, first, count));
    machine->bytes_out += count * global->size;
done:
    return result;
}
