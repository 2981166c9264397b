/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA: the DAG of a program becomes a CUDA graph, its kernels are compiled at run time. */
#include "machine/cuda_driver.h"
#include "machine/gpu.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static cuda_driver cu;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool opened;

/* A program made ready for the device: kept until another one runs. */
typedef struct ready {
    uint64_t program; /* its identity, 0: none */
    mmm_variants variants;
    cuda_module *modules;
    cuda_function *functions;
    cuda_pointer arrays[32];
    int array_count;
    cuda_graph graph;
    cuda_executable executable;
} ready;

typedef struct state {
    cuda_device device;
    cuda_context context;
    cuda_stream stream;
    cuda_event start, end;
    int architecture, shared_most, threads_most;
    char identity[128]; /* for cache keys */
    bool lost;
    ready now;
} state;

#define CUDA(call)                                                                                                     \
    do {                                                                                                               \
        cuda_result error_ = (call);                                                                                   \
        if (error_ != 0) {                                                                                             \
            result = explain(error_, #call);                                                                           \
            goto done;                                                                                                 \
        }                                                                                                              \
    } while (0)

static mmm_status explain(cuda_result error, const char *call)
{
    const char *text = NULL;
    int length = (int)strcspn(call + 3, "(");
    if (cu.error_string) cu.error_string(error, &text);
    if (error == CUDA_ERROR_OUT_OF_MEMORY) return mmm_fail(MMM_MEMORY, "the CUDA device has no memory left (%.*s)", length, call + 3);
    return mmm_fail(MMM_DEVICE, "CUDA error %d in %.*s: %s", error, length, call + 3, text ? text : "unknown");
}

static mmm_status open_driver(void)
{
    static const char *const names[] = {"libcuda.so.1", "libcuda.so", NULL};
    static const mmm_symbol symbols[] = {
        {"cuInit", &cu.init, false},
        {"cuDriverGetVersion", &cu.driver_version, false},
        {"cuDeviceGetCount", &cu.device_count, false},
        {"cuDeviceGet", &cu.device_get, false},
        {"cuDeviceGetName", &cu.device_name, false},
        {"cuDeviceGetAttribute", &cu.device_attribute, false},
        {"cuDeviceTotalMem_v2", &cu.device_memory, false},
        {"cuDevicePrimaryCtxRetain", &cu.context_retain, false},
        {"cuDevicePrimaryCtxRelease_v2", &cu.context_release, false},
        {"cuDevicePrimaryCtxReset_v2", &cu.context_reset, false},
        {"cuCtxPushCurrent_v2", &cu.context_push, false},
        {"cuCtxPopCurrent_v2", &cu.context_pop, false},
        {"cuGetErrorString", &cu.error_string, false},
        {"cuModuleLoadData", &cu.module_load, false},
        {"cuModuleUnload", &cu.module_unload, false},
        {"cuModuleGetFunction", &cu.module_function, false},
        {"cuFuncSetAttribute", &cu.function_set, false},
        {"cuMemGetInfo_v2", &cu.memory_info, false},
        {"cuMemAlloc_v2", &cu.memory_alloc, false},
        {"cuMemFree_v2", &cu.memory_free, false},
        {"cuMemcpyHtoDAsync_v2", &cu.copy_in, false},
        {"cuMemcpyDtoHAsync_v2", &cu.copy_out, false},
        {"cuStreamCreate", &cu.stream_create, false},
        {"cuStreamDestroy_v2", &cu.stream_destroy, false},
        {"cuStreamSynchronize", &cu.stream_synchronize, false},
        {"cuEventCreate", &cu.event_create, false},
        {"cuEventDestroy_v2", &cu.event_destroy, false},
        {"cuEventRecord", &cu.event_record, false},
        {"cuEventQuery", &cu.event_query, false},
        {"cuEventSynchronize", &cu.event_synchronize, false},
        {"cuEventElapsedTime", &cu.event_elapsed, false},
        {"cuGraphCreate", &cu.graph_create, false},
        {"cuGraphDestroy", &cu.graph_destroy, false},
        {"cuGraphAddKernelNode_v2", &cu.graph_add_kernel, false},
        {"cuGraphInstantiateWithFlags", &cu.graph_instantiate, false},
        {"cuGraphExecDestroy", &cu.executable_destroy, false},
        {"cuGraphLaunch", &cu.graph_launch, false},
        {0},
    };
    mmm_status result = MMM_OK;
    void *library;
    pthread_mutex_lock(&lock);
    if (!opened) {
        TRY(mmm_library_open("CUDA driver", "MMM_CUDA", names, symbols, &library));
        CUDA(cu.init(0));
        opened = true;
    }
done:
    pthread_mutex_unlock(&lock);
    return result;
}

static mmm_status count_devices(int *count)
{
    mmm_status result = MMM_OK;
    TRY(open_driver());
    CUDA(cu.device_count(count));
done:
    return result;
}

static mmm_status describe(mmm_machine *machine, state *x)
{
    mmm_status result = MMM_OK;
    char name[64] = "";
    int major, minor, driver, clock = 0, processors;
    size_t memory;
    CUDA(cu.device_name(name, sizeof name, x->device));
    CUDA(cu.device_attribute(&major, CUDA_COMPUTE_CAPABILITY_MAJOR, x->device));
    CUDA(cu.device_attribute(&minor, CUDA_COMPUTE_CAPABILITY_MINOR, x->device));
    CUDA(cu.device_attribute(&x->shared_most, CUDA_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, x->device));
    CUDA(cu.device_attribute(&x->threads_most, CUDA_MAX_THREADS_PER_BLOCK, x->device));
    CUDA(cu.device_attribute(&processors, CUDA_MULTIPROCESSOR_COUNT, x->device));
    cu.device_attribute(&clock, CUDA_CLOCK_RATE, x->device); /* newer drivers may not tell */
    CUDA(cu.driver_version(&driver));
    CUDA(cu.device_memory(&memory, x->device));
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

static void drop(state *x)
{
    ready *r = &x->now;
    if (!x->lost) {
        if (r->executable) cu.executable_destroy(r->executable);
        if (r->graph) cu.graph_destroy(r->graph);
        for (int i = 0; i < r->array_count; i++)
            if (r->arrays[i]) cu.memory_free(r->arrays[i]);
        for (int i = 0; r->modules && i < r->variants.count; i++)
            if (r->modules[i]) cu.module_unload(r->modules[i]);
    }
    free(r->modules);
    free(r->functions);
    mmm_variants_free(&r->variants);
    memset(r, 0, sizeof *r);
}

static void close_cuda(mmm_machine *machine)
{
    state *x = machine->state;
    cuda_context old;
    if (x->context) {
        cu.context_push(x->context);
        drop(x);
        if (!x->lost) {
            if (x->start) cu.event_destroy(x->start);
            if (x->end) cu.event_destroy(x->end);
            if (x->stream) cu.stream_destroy(x->stream);
        }
        cu.context_pop(&old);
        cu.context_release(x->device);
    }
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
    CUDA(cu.device_get(&x->device, machine->number));
    TRY(describe(machine, x));
    CUDA(cu.context_retain(&x->context, x->device));
    CUDA(cu.context_push(x->context));
    pushed = true;
    CUDA(cu.stream_create(&x->stream, 1)); /* does not wait for the default stream */
    CUDA(cu.event_create(&x->start, 0));
    CUDA(cu.event_create(&x->end, 0));
done:
    if (pushed) cu.context_pop(&old);
    if (result != MMM_OK && x) close_cuda(machine);
    return result;
}

/* Machine code for a variant: from the cache, or compiled and put there. */
static mmm_status code_of(const state *x, const mmm_program *program, const mmm_node *node, bool dynamic, void **code,
                          size_t *size)
{
    mmm_status result = MMM_OK;
    char *text = NULL, *key = NULL, version[64];
    TRY(mmm_kernel_text(program, node, "MMM_TARGET_CUDA", dynamic, &text));
    TRY(mmm_nvrtc_version(version, sizeof version));
    if (asprintf(&key, "%s\n%s\n%s", x->identity, version, text) < 0) {
        key = NULL;
        FAIL(MMM_MEMORY, "no memory for a cache key");
    }
    if (mmm_cache_load(key, code, size)) goto done;
    TRY(mmm_nvrtc_compile(text, node->code->file, x->architecture, code, size));
    mmm_cache_store(key, *code, *size);
done:
    free(text);
    free(key);
    return result;
}

enum { STATIC_SHARED_MOST = 48 * 1024 };

static size_t shared_bytes(const mmm_program *program, const mmm_node *node)
{
    return (size_t)node->local_words * (size_t)(program->word_bits / 8) + 16 * MMM_LOCAL_ARRAYS_MOST;
}

static bool is_dynamic(const mmm_program *program, const mmm_node *node)
{
    return (size_t)node->local_words * (size_t)(program->word_bits / 8) > STATIC_SHARED_MOST;
}

static mmm_status load_kernels(state *x, const mmm_program *program)
{
    mmm_status result = MMM_OK;
    ready *r = &x->now;
    void *code = NULL;
    size_t size;
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
        TRY(code_of(x, program, node, dynamic, &code, &size));
        CUDA(cu.module_load(&r->modules[i], code));
        CUDA(cu.module_function(&r->functions[i], r->modules[i], node->code->name));
        if (dynamic) CUDA(cu.function_set(r->functions[i], CUDA_FUNC_MAX_DYNAMIC_SHARED_SIZE, (int)bytes));
        free(code);
        code = NULL;
    }
done:
    free(code);
    return result;
}

static mmm_status make_arrays(state *x, const mmm_program *program)
{
    mmm_status result = MMM_OK;
    size_t need = 0, available, total;
    for (int64_t i = 0; i < program->array_count; i++)
        need += (size_t)(program->arrays[i].count * program->arrays[i].size);
    CUDA(cu.memory_info(&available, &total));
    if (need > available)
        FAIL(MMM_TOO_LARGE, "%.1f GB of device memory are needed, %.1f GB are available", (double)need / 1e9,
             (double)available / 1e9);
    for (int64_t i = 0; i < program->array_count; i++) {
        size_t bytes = (size_t)(program->arrays[i].count * program->arrays[i].size);
        x->now.array_count = (int)i + 1;
        CUDA(cu.memory_alloc(&x->now.arrays[i], bytes ? bytes : 4));
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
    CUDA(cu.graph_create(&r->graph, 0));
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
        CUDA(cu.graph_add_kernel(&nodes[kernel], r->graph, count ? before : NULL, (size_t)count, &call));
    }
    CUDA(cu.graph_instantiate(&r->executable, r->graph, 0));
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
    drop(x);
    TRY(load_kernels(x, program));
    TRY(make_arrays(x, program));
    if (program->kernels) TRY(make_graph(x, program, order));
    x->now.program = program->identity;
done:
    if (result != MMM_OK) drop(x);
    return result;
}

/* Waits for the end of the graph, or until its time is up; then the device is given up, for it cannot be interrupted. */
static mmm_status wait_for_end(mmm_machine *machine, state *x)
{
    mmm_status result = MMM_OK;
    struct timespec start, now;
    if (!(machine->time_limit > 0)) {
        CUDA(cu.event_synchronize(x->end));
        return MMM_OK;
    }
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (;;) {
        cuda_result error = cu.event_query(x->end);
        if (error != CUDA_ERROR_NOT_READY) {
            CUDA(error);
            return MMM_OK;
        }
        clock_gettime(CLOCK_MONOTONIC, &now);
        double waited = (double)(now.tv_sec - start.tv_sec) + (double)(now.tv_nsec - start.tv_nsec) * 1e-9;
        if (waited > machine->time_limit) {
            x->lost = true;
            cu.context_reset(x->device);
            FAIL(MMM_DEVICE, "the kernels ran longer than %g s; the device was reset", machine->time_limit);
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
    bool started = false;
    float milliseconds = 0;
    if (x->lost) return mmm_fail(MMM_DEVICE, "the CUDA device was lost in an earlier run: open the machine again");
    result = cu.context_push(x->context) == 0 ? MMM_OK : mmm_fail(MMM_DEVICE, "the CUDA context cannot be used");
    if (result != MMM_OK) return result;
    TRY(make_ready(x, program, order));
    started = true;
    for (int64_t i = 0; i < program->array_count; i++) {
        const mmm_array *array = &program->arrays[i];
        if (array->use & MMM_IN && array->count)
            CUDA(cu.copy_in(x->now.arrays[i], array->host, (size_t)(array->count * array->size), x->stream));
    }
    CUDA(cu.event_record(x->start, x->stream));
    if (x->now.executable) CUDA(cu.graph_launch(x->now.executable, x->stream));
    CUDA(cu.event_record(x->end, x->stream));
    TRY(wait_for_end(machine, x));
    CUDA(cu.event_elapsed(&milliseconds, x->start, x->end));
    for (int64_t i = 0; i < program->array_count; i++) {
        const mmm_array *array = &program->arrays[i];
        if (array->use & MMM_OUT && array->count)
            CUDA(cu.copy_out(array->host, x->now.arrays[i], (size_t)(array->count * array->size), x->stream));
    }
    CUDA(cu.stream_synchronize(x->stream));
    *seconds = milliseconds * 1e-3;
done:
    if (started && result == MMM_DEVICE) x->lost = true; /* an error of a kernel ends the context */
    cu.context_pop(&old);
    return result;
}

const mmm_machine_type mmm_machine_cuda = {
    .name = "cuda",
    .summary = "NVIDIA GPUs: the DAG as a CUDA graph, kernels compiled at run time",
    .count = count_devices,
    .open = open_cuda,
    .run = run_cuda,
    .close = close_cuda,
};
