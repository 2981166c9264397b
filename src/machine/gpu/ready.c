/* SPDX-License-Identifier: Apache-2.0 */
/* What all GPUs do alike: a program is made ready once and run any number of times, within a limit of time. */
#include "machine/gpu/gpu.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Bytes of results that come along with a run, whether they will be asked for or not. */
enum { RESULTS_FEW = 256 << 10 };

static mmm_status finish(mmm_machine *machine)
{
    mmm_status status = machine->type->memory->finish(machine);
    ((mmm_gpu *)machine->state)->running = false;
    return status;
}

static void release(mmm_machine *machine, mmm_ready *r)
{
    if (((mmm_gpu *)machine->state)->running) finish(machine); /* what failed shows in the next run */
    if (machine->type->gpu->drop) machine->type->gpu->drop(machine, r);
    for (int i = 0; i < r->loaded; i++)
        machine->type->gpu->unload(r->code[i].module, r->code[i].function);
    for (int i = 0; i < r->array_count; i++)
        if (r->arrays[i] && !r->bound[i]) machine->type->memory->release(machine, r->arrays[i]);
}

static void forget(mmm_gpu *gpu, mmm_ready *r)
{
    for (mmm_ready **at = &gpu->all; *at; at = &(*at)->next)
        if (*at == r) {
            *at = r->next;
            break;
        }
    if (gpu->now == r) gpu->now = NULL;
    free(r->code);
    mmm_variants_free(&r->variants);
    free(r);
}

static mmm_ready *find_ready(const mmm_gpu *gpu, const mmm_program *program)
{
    mmm_ready *r = gpu->all;
    while (r && r->program != program->identity)
        r = r->next;
    return r;
}

/* Whether kernels that took longer than their limit still run. */
static bool is_late(mmm_machine *machine)
{
    mmm_gpu *gpu = machine->state;
    bool runs = false;
    if (gpu->late && machine->type->gpu->runs(machine, false, &runs) != MMM_OK) runs = false;
    return gpu->late = runs;
}

bool mmm_gpu_close(mmm_machine *machine)
{
    mmm_gpu *gpu = machine->state;
    bool late = is_late(machine);
    while (gpu->all) {
        if (!late) release(machine, gpu->all);
        forget(gpu, gpu->all);
    }
    return !late;
}

static mmm_status arrays_fit(mmm_machine *machine, const mmm_program *program)
{
    mmm_status result = MMM_OK;
    double need = 0, available, most;
    TRY(machine->type->gpu->room(machine, &available, &most));
    for (int64_t i = 0; i < program->array_count; i++) {
        const mmm_global *array = &program->arrays[i];
        double bytes = (double)array->count * array->size * (double)program->batch;
        if (array->buffer) continue;
        need += bytes;
        if (bytes > most)
            FAIL(MMM_TOO_LARGE, "array '%s' of %.1f GB: the device takes arrays of at most %.1f GB", array->name,
                 bytes / 1e9, most / 1e9);
    }
    if (need > available)
        FAIL(MMM_TOO_LARGE, "%.1f GB of device memory are needed, %.1f GB are available", need / 1e9, available / 1e9);
done:
    return result;
}

/* A variant's code as a module of the device, from the cache or compiled and put there. */
static mmm_status load_module(mmm_machine *machine, const mmm_program *program, const mmm_node *node, bool dynamic,
                              void **module)
{
    mmm_status result = MMM_OK;
    const mmm_gpu *gpu = machine->state;
    char *text = NULL, *kernel = NULL, *key = NULL, compiler[64] = "";
    void *code = NULL;
    size_t size;
    const int64_t P = machine->parameters.P > 0 ? machine->parameters.P : 1, blocks = (node->blocks + P - 1) / P;
    const int64_t at_once = blocks <= machine->type->gpu->threads_few / node->threads ? blocks : 0;
    TRY(mmm_kernel_key(program, node, machine->type->gpu->target, dynamic, at_once, &kernel));
    if (machine->type->gpu->compiler) TRY(machine->type->gpu->compiler(compiler, sizeof compiler));
    if (asprintf(&key, "%s\n%s\n%s", gpu->identity, compiler, kernel) < 0) {
        key = NULL;
        FAIL(MMM_MEMORY, "no memory for a cache key");
    }
    if (mmm_cache_load(key, &code, &size)) {
        if (machine->type->gpu->load(machine, code, size, module) == MMM_OK) goto done;
        machine->type->gpu->unload(*module, NULL); /* what the device refuses is compiled anew */
        *module = NULL;
        free(code);
        code = NULL;
    }
    TRY(mmm_kernel_text(program, node, machine->type->gpu->target, dynamic, at_once, &text));
    TRY(machine->type->gpu->compile(machine, text, node->code->file, module, &code, &size));
    if (code) mmm_cache_store(key, code, size);
done:
    free(text);
    free(kernel);
    free(key);
    free(code);
    return result;
}

static mmm_status load_variant(mmm_machine *machine, const mmm_program *program, const mmm_node *node, mmm_loaded *out)
{
    mmm_status result = MMM_OK;
    const mmm_parameters *most = &machine->parameters;
    const mmm_gpu_driver *driver = machine->type->gpu;
    size_t bytes = (size_t)node->local_words * (size_t)(program->word_bits / 8) + driver->local_extra;
    if (node->code->groups) bytes += driver->group_extra * (size_t)node->threads;
    if (node->threads > most->threads)
        FAIL(MMM_TOO_LARGE, "kernel '%s' has %lld threads a block: the device takes %lld", node->name,
             (long long)node->threads, (long long)most->threads);
    const int64_t rows = node->blocks / program->batch / node->blocks_x;
    if (rows > driver->rows_most)
        FAIL(MMM_TOO_LARGE, "kernel '%s' has %lld rows of blocks: the device takes %lld", node->name, (long long)rows,
             (long long)driver->rows_most);
    if (bytes > 4 * (size_t)most->Z)
        FAIL(MMM_TOO_LARGE, "kernel '%s' needs %zu bytes of local memory a block: the device has %lld", node->name,
             bytes, 4 * (long long)most->Z);
    out->dynamic = bytes > driver->local_static ? bytes : 0;
    TRY(load_module(machine, program, node, out->dynamic, &out->module));
    TRY(driver->find(out->module, node->code->name, out->dynamic, &out->function));
done:
    return result;
}

/* The code of kernels that are new. */
static mmm_status load_kernels(mmm_machine *machine, const mmm_program *program)
{
    mmm_status result = MMM_OK;
    mmm_ready *r = ((mmm_gpu *)machine->state)->now;
    TRY(mmm_variants_add(program, &r->variants));
    TRY(mmm_grow(&r->code, &r->code_room, r->variants.count, sizeof *r->code));
    for (; r->loaded < r->variants.count; r->loaded++) {
        mmm_loaded code = {0};
        result = load_variant(machine, program, &r->variants.nodes[r->loaded], &code);
        if (result != MMM_OK) machine->type->gpu->unload(code.module, code.function);
        TRY(result);
        r->code[r->loaded] = code;
    }
done:
    return result;
}

static mmm_status make_arrays(mmm_machine *machine, const mmm_program *program)
{
    mmm_status result = MMM_OK;
    mmm_ready *r = ((mmm_gpu *)machine->state)->now;
    for (int64_t i = 0; i < program->array_count; i++) {
        size_t bytes = mmm_global_bytes(program, &program->arrays[i]);
        r->array_count = (int)i + 1;
        r->arrays[i] = program->arrays[i].buffer;
        r->bound[i] = program->arrays[i].buffer;
        if (r->bound[i]) continue;
        TRY(machine->type->memory->make(machine, bytes ? bytes : 4, &r->arrays[i]));
        /* Of these, all may come to the host, whether kernels write them or not: never what others left there. */
        const mmm_use use = program->arrays[i].use;
        if (bytes && use & MMM_RESULT && !(use & (MMM_IN | MMM_ZERO)))
            TRY(machine->type->memory->zero(machine, r->arrays[i], bytes));
    }
done:
    return result;
}

/* Makes a program the one that runs now; what was kept for nobody goes first. */
static mmm_status make_ready(mmm_machine *machine, const mmm_program *program, const mmm_order *order, bool keep)
{
    mmm_status result = MMM_OK;
    mmm_gpu *gpu = machine->state;
    mmm_ready *r = find_ready(gpu, program);
    gpu->now = r;
    if (r) {
        r->kept |= keep;
        r->variants.kernels = program->kernels; /* what the last run added is not there any more */
        return MMM_OK;
    }
    for (mmm_ready *next, *old = gpu->all; old; old = next) {
        next = old->next;
        if (old->kept) continue;
        release(machine, old);
        forget(gpu, old);
    }
    if (program->batch > machine->type->gpu->rows_most)
        FAIL(MMM_TOO_LARGE, "a batch of %lld problems: the device takes %lld", (long long)program->batch,
             (long long)machine->type->gpu->rows_most);
    TRY(arrays_fit(machine, program));
    TRY(mmm_alloc(&r, 1, sizeof *r));
    r->next = gpu->all;
    gpu->all = gpu->now = r;
    TRY(load_kernels(machine, program));
    TRY(make_arrays(machine, program));
    if (machine->type->gpu->prepare && program->kernels) TRY(machine->type->gpu->prepare(machine, program, order));
    r->program = program->identity;
    r->kept = keep;
done:
    if (result != MMM_OK && r) {
        release(machine, r);
        forget(gpu, r);
    }
    return result;
}

/* Zeros where they are needed, and what goes in; *moved is set where the host's memory is read. */
static mmm_status send_arrays(mmm_machine *machine, const mmm_program *program, bool *moved)
{
    mmm_status result = MMM_OK;
    const mmm_memory_type *memory = machine->type->memory;
    mmm_ready *r = ((mmm_gpu *)machine->state)->now;
    for (int64_t i = 0; i < program->array_count; i++) {
        const mmm_global *array = &program->arrays[i];
        size_t bytes = mmm_global_bytes(program, array);
        if (!bytes || array->buffer) continue;
        if (array->use & MMM_ZERO)
            TRY(memory->zero(machine, r->arrays[i], bytes));
        else if (array->use & MMM_IN && !array->there && !r->sent[i]) {
            TRY((memory->send ? memory->send : memory->write)(machine, r->arrays[i], 0, array->host, bytes));
            machine->bytes_in += (int64_t)bytes;
            *moved = true;
            r->sent[i] = array->fixed;
        }
    }
done:
    return result;
}

/* What goes out; small results too, so that asking for them costs no further way to the device. */
static mmm_status receive_arrays(mmm_machine *machine, const mmm_program *program, bool *moved)
{
    mmm_status result = MMM_OK;
    const mmm_memory_type *memory = machine->type->memory;
    mmm_ready *r = ((mmm_gpu *)machine->state)->now;
    size_t few = r->kept && memory->receive ? RESULTS_FEW : 0;
    for (int64_t i = 0; i < program->array_count; i++) {
        const mmm_global *array = &program->arrays[i];
        size_t bytes = mmm_global_bytes(program, array);
        r->here[i] = false;
        if (!bytes || array->buffer || !(array->use & (MMM_OUT | MMM_RESULT)) || !array->host) continue;
        if (!(array->use & MMM_OUT)) {
            if (bytes > few || array->stays) continue;
            few -= bytes;
            r->here[i] = true;
        }
        TRY((memory->receive ? memory->receive : memory->read)(machine, r->arrays[i], 0, array->host, bytes));
        *moved = true;
    }
done:
    return result;
}

/* Waits for the end of the kernels, or until their time is up.  They cannot be stopped: even the reset of a device
 * waits for them, so the machine is left to them. */
static mmm_status wait_for_end(mmm_machine *machine)
{
    mmm_status result = MMM_OK;
    mmm_gpu *gpu = machine->state;
    double start = mmm_now(), limit = machine->time_limit;
    bool runs = true;
    for (;;) {
        TRY(machine->type->gpu->runs(machine, !(limit > 0), &runs));
        if (!runs) return MMM_OK;
        if (limit > 0 && mmm_now() - start > limit) {
            gpu->late = true;
            FAIL(MMM_DEVICE, "the kernels take longer than %g s: given up", limit);
        }
        nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
    }
done:
    return result;
}

mmm_status mmm_gpu_fetch(mmm_machine *machine, const mmm_program *program, int array, int64_t first, int64_t count)
{
    mmm_status result = MMM_OK;
    const mmm_ready *r = find_ready(machine->state, program);
    const mmm_global *global = &program->arrays[array];
    size_t size = (size_t)global->size, from = (size_t)first * size;
    if (!r) FAIL(MMM_INVALID, "array '%s' is not on the machine: another program ran there since", global->name);
    if (!r->here[array])
        TRY(machine->type->memory->read(machine, r->arrays[array], from, (char *)global->host + from,
                                        (size_t)count * size));
done:
    return result;
}

void *mmm_gpu_array(mmm_machine *machine, const mmm_program *program, int array)
{
    const mmm_ready *r = find_ready(machine->state, program);
    return r ? r->arrays[array] : NULL;
}

static mmm_status enter(mmm_machine *machine)
{
    mmm_status result = MMM_OK;
    const mmm_gpu_driver *driver = machine->type->gpu;
    if (driver->enter) result = driver->enter(machine);
    if (result != MMM_OK) return result;
    if (is_late(machine)) FAIL(MMM_DEVICE, "kernels of an earlier run take longer than their limit and still run");
    return MMM_OK;
done:
    return driver->leave(machine, result);
}

mmm_status mmm_gpu_keep(mmm_machine *machine, mmm_program *program, const mmm_order *order)
{
    mmm_status result = enter(machine);
    if (result != MMM_OK) return result;
    return machine->type->gpu->leave(machine, make_ready(machine, program, order, true));
}

void mmm_gpu_drop(mmm_machine *machine, const mmm_program *program)
{
    mmm_gpu *gpu = machine->state;
    mmm_ready *r = find_ready(gpu, program);
    if (!r) return;
    if (is_late(machine)) {
        r->kept = false; /* it goes when they have ended */
    } else {
        release(machine, r);
        forget(gpu, r);
    }
}

/* What is known has ended: decisions, and what they add, until they add no more. */
static mmm_status unfold(mmm_machine *machine, mmm_program *program, const mmm_order *order)
{
    mmm_status result = MMM_OK;
    const mmm_sight sight = {.machine = machine, .base = ((mmm_gpu *)machine->state)->now->arrays};
    bool more;
    for (int64_t first = 0, ran = 0;; ran = first) {
        first = program->kernels;
        TRY(mmm_machine_unfold(program, ran, &sight, &order, &more));
        if (!more) break;
        TRY(load_kernels(machine, program));
        TRY(machine->type->gpu->start(machine, program, order, (int)first));
        TRY(wait_for_end(machine));
    }
done:
    return result;
}

mmm_status mmm_gpu_run(mmm_machine *machine, mmm_program *program, const mmm_order *order, double *seconds)
{
    const mmm_gpu_driver *driver = machine->type->gpu;
    const mmm_memory_type *memory = machine->type->memory;
    mmm_gpu *gpu = machine->state;
    bool moved = false;
    /* Results are sent for before the kernels have ended, where these are known and the device keeps the order. */
    const bool open = mmm_program_is_open(program), early = !(machine->time_limit > 0) && memory->receive && !open;
    if (open && machine->launches > 1)
        return mmm_fail(MMM_INVALID, "%d launches: a program that unfolds as it runs has one", machine->launches);
    mmm_status result = enter(machine);
    if (result != MMM_OK) return result;
    gpu->timed = seconds || !early || !memory->finish; /* else the end of all copies is waited for, if anything is */
    TRY(make_ready(machine, program, order, false));
    TRY(send_arrays(machine, program, &moved));
    TRY(driver->start(machine, program, order, 0));
    if (early) TRY(receive_arrays(machine, program, &moved));
    if (gpu->timed) TRY(wait_for_end(machine));
    if (open) TRY(unfold(machine, program, order));
    if (!early) TRY(receive_arrays(machine, program, &moved));
    gpu->running = !gpu->timed;
    if (memory->finish && (gpu->timed || moved || !program->loose)) TRY(finish(machine));
    if (seconds) TRY(driver->elapsed(machine, seconds));
done:
    return driver->leave(machine, result);
}
