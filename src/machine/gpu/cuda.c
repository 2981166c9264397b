/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA: the DAG of a program becomes a CUDA graph, its kernels are compiled at run time. */
#include "machine/gpu/cuda_driver.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A program made ready for the device: kept until another one runs. */
typedef struct ready {
    uint64_t program; /* its identity, 0: none */
    mmm_variants variants;
    cuda_module *modules;
    cuda_function *functions;
    cuda_pointer arrays[32];
    bool bound[32]; /* arrays in buffers, which are not the program's */
    int array_count;
    cuda_graph graph;
    cuda_executable executable;
} ready;

typedef struct state {
    cuda_place place; /* first: memory sees no more */
    cuda_device device;
    cuda_context context;
    cuda_stream stream;
    cuda_event start, end;
    int architecture, shared_most, threads_most;
    char identity[128]; /* for cache keys */
    bool lost;          /* to an error that no later call recovers from */
    bool late;          /* kernels may still run that took longer than their limit */
    ready now;
} state;

static mmm_status count_devices(int *count)
{
    mmm_status result = MMM_OK;
    TRY(mmm_cuda_open());
    CUDA(mmm_cuda.device_count(count));
done:
    return result;
}

static mmm_status describe(mmm_machine *machine, state *x)
{
    mmm_status result = MMM_OK;
    char name[64] = "";
    int major, minor, driver, clock = 0, processors;
    size_t memory;
    CUDA(mmm_cuda.device_name(name, sizeof name, x->device));
    CUDA(mmm_cuda.device_attribute(&major, CUDA_COMPUTE_CAPABILITY_MAJOR, x->device));
    CUDA(mmm_cuda.device_attribute(&minor, CUDA_COMPUTE_CAPABILITY_MINOR, x->device));
    CUDA(mmm_cuda.device_attribute(&x->shared_most, CUDA_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, x->device));
    CUDA(mmm_cuda.device_attribute(&x->threads_most, CUDA_MAX_THREADS_PER_BLOCK, x->device));
    CUDA(mmm_cuda.device_attribute(&processors, CUDA_MULTIPROCESSOR_COUNT, x->device));
    mmm_cuda.device_attribute(&clock, CUDA_CLOCK_RATE, x->device); /* newer drivers may not tell */
    CUDA(mmm_cuda.driver_version(&driver));
    CUDA(mmm_cuda.device_memory(&memory, x->device));
    x->architecture = 10 * major + minor;
    snprintf(x->identity, sizeof x->identity, "%s sm_%d driver %d", name, x->architecture, driver);
    snprintf(machine->description, sizeof machine->description,
             "%s, %d SMs, %d KB local memory, %.0f GB, %d MHz, sm_%d, driver %d.%d", name, processors,
             x->shared_most / 1024, (double)memory / 1e9, clock / 1000, x->architecture, driver / 1000,
             driver % 1000 / 10);
    machine->parameters.P = processors;
    machine->parameters.Z = x->shared_most / 4;
    machine->parameters.threads = x->threads_most;
    machine->parameters.lanes = x->architecture == 60 || x->architecture / 10 == 7 || x->architecture == 80 ? 64 : 128;
done:
    return result;
}

static void release(ready *r)
{
    if (r->executable) mmm_cuda.executable_destroy(r->executable);
    if (r->graph) mmm_cuda.graph_destroy(r->graph);
    for (int i = 0; i < r->array_count; i++)
        if (r->arrays[i] && !r->bound[i]) mmm_cuda.memory_free(r->arrays[i]);
    for (int i = 0; r->modules && i < r->variants.count; i++)
        if (r->modules[i]) mmm_cuda.module_unload(r->modules[i]);
}

static void forget(ready *r)
{
    free(r->modules);
    free(r->functions);
    mmm_variants_free(&r->variants);
    memset(r, 0, sizeof *r);
}

/* Whether kernels that took longer than their limit still run. */
static bool is_late(state *x)
{
    if (x->late) x->late = mmm_cuda.event_query(x->end) == CUDA_ERROR_NOT_READY;
    return x->late;
}

static void close_cuda(mmm_machine *machine)
{
    state *x = machine->state;
    cuda_context old;
    bool pushed = x->context && mmm_cuda.context_push(x->context) == 0;
    bool late = is_late(x); /* if so, whatever is released waits for the kernels, perhaps for ever: it stays */
    if (!late) {
        release(&x->now);
        if (x->start) mmm_cuda.event_destroy(x->start);
        if (x->end) mmm_cuda.event_destroy(x->end);
        if (x->stream) mmm_cuda.stream_destroy(x->stream);
    }
    forget(&x->now);
    if (pushed) mmm_cuda.context_pop(&old);
    if (x->context && !late) mmm_cuda.context_release(x->device);
    free(x);
    machine->state = NULL;
}

static mmm_status open_cuda(mmm_machine *machine)
{
    mmm_status result = MMM_OK;
    state *x = NULL;
    cuda_context old;
    int count = 0;
    bool pushed = false;
    TRY(count_devices(&count));
    if (machine->number >= count)
        FAIL(MMM_DEVICE, "there is no device cuda:%d: CUDA finds %d device%s", machine->number, count,
             count == 1 ? "" : "s");
    TRY(mmm_alloc(&x, 1, sizeof *x));
    machine->state = x;
    CUDA(mmm_cuda.device_get(&x->device, machine->number));
    TRY(describe(machine, x));
    cuda_result error = mmm_cuda.context_retain(&x->context, x->device);
    if (error != 0) {
        x->context = NULL;
        result = mmm_cuda_explain(error, "cuda.context_retain");
        goto done;
    }
    CUDA(mmm_cuda.context_push(x->context));
    pushed = true;
    CUDA(mmm_cuda.stream_create(&x->stream, 1)); /* does not wait for the default stream */
    CUDA(mmm_cuda.event_create(&x->start, 0));
    CUDA(mmm_cuda.event_create(&x->end, 0));
    x->place = (cuda_place){x->context, x->stream, &x->lost};
done:
    if (pushed) mmm_cuda.context_pop(&old);
    if (result != MMM_OK && x) close_cuda(machine);
    return result;
}

/* Machine code for a variant, from the cache or compiled and put there, as a module. */
static mmm_status load_module(const state *x, const mmm_program *program, const mmm_node *node, bool dynamic,
                              cuda_module *module)
{
    mmm_status result = MMM_OK;
    char *text = NULL, *key = NULL, version[64];
    void *code = NULL;
    size_t size;
    TRY(mmm_kernel_text(program, node, "MMM_TARGET_CUDA", dynamic, &text));
    TRY(mmm_nvrtc_version(version, sizeof version));
    if (asprintf(&key, "%s\n%s\n%s", x->identity, version, text) < 0) {
        key = NULL;
        FAIL(MMM_MEMORY, "no memory for a cache key");
    }
    if (mmm_cache_load(key, &code, &size)) {
        if (mmm_cuda.module_load(module, code) == 0) goto done;
        *module = NULL; /* what the driver refuses is compiled anew */
        free(code);
        code = NULL;
    }
    TRY(mmm_nvrtc_compile(text, node->code->file, x->architecture, &code, &size));
    CUDA(mmm_cuda.module_load(module, code));
    mmm_cache_store(key, code, size);
done:
    free(text);
    free(key);
    free(code);
    return result;
}

enum { STATIC_SHARED_MOST = 48 * 1024 };

/* Each LOCAL array starts at a multiple of 16 bytes. */
static size_t shared_bytes(const mmm_program *program, const mmm_node *node)
{
    return (size_t)node->local_words * (size_t)(program->word_bits / 8) + 16 * MMM_LOCAL_ARRAYS_MOST;
}

static bool is_dynamic(const mmm_program *program, const mmm_node *node)
{
    return shared_bytes(program, node) > STATIC_SHARED_MOST;
}

static mmm_status load_kernels(state *x, const mmm_program *program)
{
    mmm_status result = MMM_OK;
    ready *r = &x->now;
    TRY(mmm_variants_new(program, &r->variants));
    TRY(mmm_alloc(&r->modules, r->variants.count, sizeof *r->modules));
    TRY(mmm_alloc(&r->functions, r->variants.count, sizeof *r->functions));
    for (int i = 0; i < r->variants.count; i++) {
        const mmm_node *node = r->variants.nodes[i];
        bool dynamic = is_dynamic(program, node);
        size_t bytes = shared_bytes(program, node);
        if (node->threads > x->threads_most)
            FAIL(MMM_TOO_LARGE, "kernel '%s' has %lld threads a block: the device takes %d", node->name,
                 (long long)node->threads, x->threads_most);
        if (dynamic && bytes > (size_t)x->shared_most)
            FAIL(MMM_TOO_LARGE, "kernel '%s' needs %zu bytes of local memory a block: the device has %d", node->name,
                 bytes, x->shared_most);
        TRY(load_module(x, program, node, dynamic, &r->modules[i]));
        CUDA(mmm_cuda.module_function(&r->functions[i], r->modules[i], node->code->name));
        if (dynamic) CUDA(mmm_cuda.function_set(r->functions[i], CUDA_FUNC_MAX_DYNAMIC_SHARED_SIZE, (int)bytes));
    }
done:
    return result;
}

static mmm_status make_arrays(state *x, const mmm_program *program)
{
    mmm_status result = MMM_OK;
    size_t available, total;
    double need = 0;
    for (int64_t i = 0; i < program->array_count; i++)
        if (!program->arrays[i].buffer) need += (double)program->arrays[i].count * program->arrays[i].size;
    CUDA(mmm_cuda.memory_info(&available, &total));
    if (need > (double)available)
        FAIL(MMM_TOO_LARGE, "%.1f GB of device memory are needed, %.1f GB are available", need / 1e9,
             (double)available / 1e9);
    for (int64_t i = 0; i < program->array_count; i++) {
        size_t bytes = (size_t)(program->arrays[i].count * program->arrays[i].size);
        x->now.array_count = (int)i + 1;
        x->now.arrays[i] = (cuda_pointer)(uintptr_t)program->arrays[i].buffer;
        x->now.bound[i] = program->arrays[i].buffer;
        if (x->now.bound[i]) continue;
        CUDA(mmm_cuda.memory_alloc(&x->now.arrays[i], bytes ? bytes : 4));
    }
done:
    return result;
}

static mmm_status make_graph(state *x, const mmm_program *program, const mmm_order *order)
{
    mmm_status result = MMM_OK;
    ready *r = &x->now;
    cuda_node *nodes = NULL, *before = NULL;
    int *first = NULL, *predecessors = NULL;
    TRY(mmm_alloc(&nodes, program->kernels, sizeof *nodes));
    TRY(mmm_alloc(&before, program->edge_count, sizeof *before));
    TRY(mmm_predecessors(program, &first, &predecessors));
    CUDA(mmm_cuda.graph_create(&r->graph, 0));
    for (int k = 0; k < order->kernels; k++) {
        int kernel = order->sequence[k];
        const mmm_node *node = &program->nodes[kernel];
        void *base[32], *arguments[MMM_ARGUMENTS_MOST + 1];
        mmm_value values[MMM_ARGUMENTS_MOST];
        unsigned zero = 0;
        for (int i = 0; i < r->array_count; i++)
            base[i] = (void *)(uintptr_t)r->arrays[i];
        mmm_machine_values(node, base, values);
        for (int i = 0; i < node->argument_count; i++)
            arguments[i] = &values[i];
        arguments[node->argument_count] = &zero; /* where dynamic local memory starts */
        bool dynamic = is_dynamic(program, node);
        cuda_kernel_node call = {.function = r->functions[r->variants.of[kernel]],
                                 .grid = {(unsigned)node->blocks, 1, 1},
                                 .block = {(unsigned)node->threads, 1, 1},
                                 .shared_bytes = dynamic ? (unsigned)shared_bytes(program, node) : 0,
                                 .arguments = arguments};
        int count = 0;
        for (int i = first[kernel]; i < first[kernel + 1]; i++) { /* an edge may be there twice */
            bool known = false;
            for (int j = first[kernel]; j < i; j++)
                known |= predecessors[j] == predecessors[i];
            if (!known) before[count++] = nodes[predecessors[i]];
        }
        CUDA(mmm_cuda.graph_add_kernel(&nodes[kernel], r->graph, count ? before : NULL, (size_t)count, &call));
    }
    CUDA(mmm_cuda.graph_instantiate(&r->executable, r->graph, 0));
done:
    free(nodes);
    free(before);
    free(first);
    free(predecessors);
    return result;
}

static mmm_status make_ready(state *x, const mmm_program *program, const mmm_order *order)
{
    mmm_status result = MMM_OK;
    if (x->now.program == program->identity) return MMM_OK;
    release(&x->now);
    forget(&x->now);
    TRY(load_kernels(x, program));
    TRY(make_arrays(x, program));
    if (program->kernels) TRY(make_graph(x, program, order));
    x->now.program = program->identity;
done:
    if (result != MMM_OK) {
        release(&x->now);
        forget(&x->now);
    }
    return result;
}

/* Waits for the end of the graph, or until its time is up.  Kernels cannot be stopped: even the reset of a device waits
 * for them, so the machine is left to them. */
static mmm_status wait_for_end(mmm_machine *machine, state *x)
{
    mmm_status result = MMM_OK;
    double start = mmm_now();
    if (!(machine->time_limit > 0)) {
        CUDA(mmm_cuda.event_synchronize(x->end));
        return MMM_OK;
    }
    for (;;) {
        cuda_result error = mmm_cuda.event_query(x->end);
        if (error == 0) return MMM_OK;
        if (error != CUDA_ERROR_NOT_READY) return mmm_cuda_explain(error, "cuda.event_query");
        if (mmm_now() - start > machine->time_limit) {
            x->late = true;
            FAIL(MMM_DEVICE, "the kernels take longer than %g s: given up", machine->time_limit);
        }
        nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
    }
done:
    return result;
}

static mmm_status run_cuda(mmm_machine *machine, mmm_program *program, const mmm_order *order, double *seconds)
{
    mmm_status result = MMM_OK;
    state *x = machine->state;
    cuda_context old;
    float milliseconds = 0;
    cuda_result error = mmm_cuda.context_push(x->context);
    if (error != 0) return mmm_cuda_explain(error, "cuda.context_push");
    if (x->lost) FAIL(MMM_DEVICE, "the CUDA device failed in an earlier run: only a new process can use it again");
    if (is_late(x)) FAIL(MMM_DEVICE, "kernels of an earlier run take longer than their limit and still run");
    TRY(make_ready(x, program, order));
    for (int64_t i = 0; i < program->array_count; i++) {
        const mmm_global *array = &program->arrays[i];
        if (array->use & MMM_IN && array->count && !array->buffer)
            CUDA(mmm_cuda.copy_in(x->now.arrays[i], array->host, (size_t)(array->count * array->size), x->stream));
    }
    CUDA(mmm_cuda.event_record(x->start, x->stream));
    if (x->now.executable) CUDA(mmm_cuda.graph_launch(x->now.executable, x->stream));
    CUDA(mmm_cuda.event_record(x->end, x->stream));
    TRY(wait_for_end(machine, x));
    CUDA(mmm_cuda.event_elapsed(&milliseconds, x->start, x->end));
    for (int64_t i = 0; i < program->array_count; i++) {
        const mmm_global *array = &program->arrays[i];
        if (array->use & MMM_OUT && array->count && !array->buffer)
            CUDA(mmm_cuda.copy_out(array->host, x->now.arrays[i], (size_t)(array->count * array->size), x->stream));
    }
    CUDA(mmm_cuda.stream_synchronize(x->stream));
    *seconds = milliseconds * 1e-3;
done:
    /* What was begun must end before the host's arrays may change; an error that lasts shows here again. */
    if (result != MMM_OK && !x->lost && !x->late) x->lost = mmm_cuda.stream_synchronize(x->stream) != 0;
    mmm_cuda.context_pop(&old);
    return result;
}

const mmm_machine_type mmm_machine_cuda = {
    .name = "cuda",
    .summary = "NVIDIA GPUs: the DAG as a CUDA graph, kernels compiled at run time",
    .count = count_devices,
    .open = open_cuda,
    .run = run_cuda,
    .close = close_cuda,
    .memory = &mmm_memory_cuda,
};
