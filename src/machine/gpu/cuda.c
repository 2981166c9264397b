/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA: the DAG of a program becomes a CUDA graph, its kernels are compiled at run time. */
#include "machine/gpu/cuda_driver.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

static mmm_status count_devices(int *count)
{
    mmm_status result = MMM_OK;
    TRY(mmm_cuda_open());
    CUDA(mmm_cuda.device_count(count));
done:
    return result;
}

static mmm_status describe(mmm_machine *machine, cuda_state *x)
{
    mmm_status result = MMM_OK;
    char name[64] = "";
    int major, minor, version, clock = 0, processors, shared, threads;
    size_t memory;
    CUDA(mmm_cuda.device_name(name, sizeof name, x->device));
    CUDA(mmm_cuda.device_attribute(&major, CUDA_COMPUTE_CAPABILITY_MAJOR, x->device));
    CUDA(mmm_cuda.device_attribute(&minor, CUDA_COMPUTE_CAPABILITY_MINOR, x->device));
    CUDA(mmm_cuda.device_attribute(&shared, CUDA_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, x->device));
    CUDA(mmm_cuda.device_attribute(&threads, CUDA_MAX_THREADS_PER_BLOCK, x->device));
    CUDA(mmm_cuda.device_attribute(&processors, CUDA_MULTIPROCESSOR_COUNT, x->device));
    mmm_cuda.device_attribute(&clock, CUDA_CLOCK_RATE, x->device); /* newer drivers may not tell */
    CUDA(mmm_cuda.driver_version(&version));
    CUDA(mmm_cuda.device_memory(&memory, x->device));
    x->architecture = 10 * major + minor;
    x->follows = x->architecture >= 90 && mmm_cuda.graph_depend;
    snprintf(x->gpu.identity, sizeof x->gpu.identity, "%s sm_%d driver %d", name, x->architecture, version);
    snprintf(machine->description, sizeof machine->description,
             "%s, %d SMs, %d KB local memory, %.0f GB, %d MHz, sm_%d, driver %d.%d", name, processors, shared / 1024,
             (double)memory / 1e9, clock / 1000, x->architecture, version / 1000, version % 1000 / 10);
    snprintf(machine->device, sizeof machine->device, "%s, %d SMs, sm_%d", name, processors, x->architecture);
    machine->parameters.P = processors;
    machine->parameters.Z = shared / 4;
    machine->parameters.threads = threads;
    machine->parameters.lanes = x->architecture == 60 || x->architecture / 10 == 7 || x->architecture == 80 ? 64 : 128;
done:
    return result;
}

static void close_cuda(mmm_machine *machine)
{
    cuda_state *x = machine->state;
    cuda_context old;
    bool pushed = x->context && mmm_cuda.context_push(x->context) == 0;
    bool all = mmm_gpu_close(machine);
    if (all && x->start) mmm_cuda.event_destroy(x->start);
    if (all && x->end) mmm_cuda.event_destroy(x->end);
    if (all && x->stream) mmm_cuda.stream_destroy(x->stream);
    if (pushed) mmm_cuda.context_pop(&old);
    if (all && x->context) mmm_cuda.context_release(x->device);
    free(x);
    machine->state = NULL;
}

/* Opening the compiler takes 5 ms, and its version is part of every cache key: it is done beside the context. */
static void *open_compiler(void *nothing)
{
    char version[64];
    mmm_nvrtc_version(version, sizeof version); /* where it fails, whoever needs it finds that out again */
    return nothing;
}

static mmm_status open_cuda(mmm_machine *machine)
{
    mmm_status result = MMM_OK;
    cuda_state *x = NULL;
    cuda_context old;
    bool pushed = false;
    pthread_t compiler;
    const bool beside = pthread_create(&compiler, NULL, open_compiler, NULL) == 0;
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
done:
    if (beside) pthread_join(compiler, NULL);
    if (pushed) mmm_cuda.context_pop(&old);
    if (result != MMM_OK && x) close_cuda(machine);
    return result;
}

static mmm_status room(mmm_machine *machine, double *available, double *most)
{
    mmm_status result = MMM_OK;
    size_t left, total;
    (void)machine;
    CUDA(mmm_cuda.memory_info(&left, &total));
    *available = (double)left;
    *most = HUGE_VAL;
done:
    return result;
}

static mmm_status load(mmm_machine *machine, const void *code, size_t size, void **module)
{
    mmm_status result = MMM_OK;
    cuda_module loaded;
    (void)machine, (void)size;
    CUDA(mmm_cuda.module_load(&loaded, code));
    *module = loaded;
done:
    return result;
}

static mmm_status compile(mmm_machine *machine, const char *text, const char *file, void **module, void **code,
                          size_t *size)
{
    mmm_status result = mmm_nvrtc_compile(text, file, ((const cuda_state *)machine->state)->architecture, code, size);
    return result == MMM_OK ? load(machine, *code, *size, module) : result;
}

static mmm_status find(void *module, const char *name, size_t dynamic, void **function)
{
    mmm_status result = MMM_OK;
    cuda_function found;
    CUDA(mmm_cuda.module_function(&found, module, name));
    if (dynamic) CUDA(mmm_cuda.function_set(found, CUDA_FUNC_MAX_DYNAMIC_SHARED_SIZE, (int)dynamic));
    *function = found;
done:
    return result;
}

/* A function goes with its module. */
static void unload(void *module, void *function)
{
    (void)function;
    if (module) mmm_cuda.module_unload(module);
}

/* Whether `kernel` is all that follows the one before. */
static bool is_only_next(const mmm_order *order, int before, int kernel)
{
    for (int i = order->first[before]; i < order->first[before + 1]; i++)
        if (order->to[i] != kernel) return false;
    return true;
}

/* An edge to a kernel from the one before it that lets it come while that one still runs: it waits for its end itself
 * (MMM_FOLLOW in the dialect).  A driver that refuses such edges gets plain ones from then on. */
static cuda_result follow(cuda_state *x, cuda_graph graph, const cuda_node *before, const cuda_node *kernel)
{
    static const cuda_edge programmatic = {.from_port = 1, .type = 1};
    x->follows = mmm_cuda.graph_depend(graph, before, kernel, &programmatic, 1) == 0;
    return x->follows ? 0 : mmm_cuda.graph_depend(graph, before, kernel, NULL, 1);
}

/* A graph of the kernels from `first` on, those before having ended. */
static mmm_status graph_from(mmm_machine *machine, const mmm_program *program, const mmm_order *order, int first,
                             void **graph, void **executable)
{
    mmm_status result = MMM_OK;
    cuda_state *x = machine->state;
    mmm_ready *r = x->gpu.now;
    cuda_node *nodes = NULL, *before = NULL;
    TRY(mmm_alloc(&nodes, program->kernels, sizeof *nodes));
    TRY(mmm_alloc(&before, program->edge_count, sizeof *before));
    CUDA(mmm_cuda.graph_create((cuda_graph *)graph, 0));
    for (int k = 0; k < order->kernels; k++) {
        int kernel = order->sequence[k];
        const mmm_node *node = &program->nodes[kernel];
        if (kernel < first) continue;
        void *arguments[2 * MMM_ARGUMENTS_MOST + 1];
        mmm_value values[MMM_ARGUMENTS_MOST];
        unsigned zero = 0;
        int given = node->code->parameter_count;
        mmm_machine_values(program, node, r->arrays, 0, values);
        for (int i = 0; i < node->code->parameter_count; i++) {
            arguments[i] = &values[i];
            if (program->batch > 1 && node->code->parameters[i].kind == MMM_PARAMETER_ARRAY)
                arguments[given++] = &program->arrays[node->arguments[i].number].count;
        }
        arguments[given] = &zero; /* where dynamic local memory starts */
        const mmm_loaded *code = &r->code[r->variants.of[kernel]];
        cuda_kernel_node call = {.function = code->function,
                                 .grid = {(unsigned)node->blocks_x,
                                          (unsigned)(node->blocks / program->batch / node->blocks_x),
                                          (unsigned)program->batch},
                                 .block = {(unsigned)node->threads_x, (unsigned)(node->threads / node->threads_x), 1},
                                 .shared_bytes = (unsigned)code->dynamic,
                                 .arguments = arguments};
        int count = 0, last = 0;
        for (int i = order->from_first[kernel]; i < order->from_first[kernel + 1]; i++) {
            bool known = order->from[i] < first; /* and an edge may be there twice */
            for (int j = order->from_first[kernel]; j < i; j++)
                known |= order->from[j] == order->from[i];
            if (known) continue;
            last = order->from[i];
            before[count++] = nodes[last];
        }
        const bool follows = x->follows && count == 1 && is_only_next(order, last, kernel);
        if (follows) count = 0;
        CUDA(mmm_cuda.graph_add_kernel(&nodes[kernel], *graph, count ? before : NULL, (size_t)count, &call));
        if (follows) CUDA(follow(x, *graph, before, &nodes[kernel]));
    }
    CUDA(mmm_cuda.graph_instantiate((cuda_executable *)executable, *graph, 0));
done:
    free(nodes);
    free(before);
    return result;
}

static mmm_status make_graph(mmm_machine *machine, const mmm_program *program, const mmm_order *order)
{
    mmm_ready *r = ((cuda_state *)machine->state)->gpu.now;
    return graph_from(machine, program, order, 0, &r->graph[0], &r->executable[0]);
}

static void drop_one(mmm_ready *r, int which)
{
    if (r->executable[which]) mmm_cuda.executable_destroy(r->executable[which]);
    if (r->graph[which]) mmm_cuda.graph_destroy(r->graph[which]);
    r->executable[which] = r->graph[which] = NULL;
}

static void drop_graph(mmm_machine *machine, mmm_ready *r)
{
    (void)machine;
    drop_one(r, 0);
    drop_one(r, 1);
}

static int launches_of(const mmm_machine *machine)
{
    return machine->launches > 0 ? machine->launches : 1;
}

/* The time of a run goes from the start of its first kernels on. */
static mmm_status start(mmm_machine *machine, const mmm_program *program, const mmm_order *order, int first)
{
    mmm_status result = MMM_OK;
    const cuda_state *x = machine->state;
    mmm_ready *r = x->gpu.now;
    if (first) {
        drop_one(r, 1);
        TRY(graph_from(machine, program, order, first, &r->graph[1], &r->executable[1]));
    } else if (x->gpu.timed)
        CUDA(mmm_cuda.event_record(x->start, x->stream));
    void *executable = r->executable[first > 0];
    for (int i = 0; executable && i < launches_of(machine); i++)
        CUDA(mmm_cuda.graph_launch(executable, x->stream));
    if (x->gpu.timed) CUDA(mmm_cuda.event_record(x->end, x->stream));
done:
    return result;
}

static mmm_status runs(mmm_machine *machine, bool wait, bool *runs)
{
    mmm_status result = MMM_OK;
    const cuda_state *x = machine->state;
    *runs = false;
    if (wait) {
        CUDA(mmm_cuda.event_synchronize(x->end));
        return MMM_OK;
    }
    cuda_result error = mmm_cuda.event_query(x->end);
    *runs = error == CUDA_ERROR_NOT_READY;
    if (error != 0 && !*runs) result = mmm_cuda_explain(error, "cuda.event_query");
done:
    return result;
}

static mmm_status elapsed(mmm_machine *machine, double *seconds)
{
    mmm_status result = MMM_OK;
    const cuda_state *x = machine->state;
    float milliseconds = 0;
    CUDA(mmm_cuda.event_elapsed(&milliseconds, x->start, x->end));
    *seconds = milliseconds * 1e-3 / launches_of(machine);
done:
    return result;
}

/* Each LOCAL array starts at a multiple of 16 bytes; above 48 KB the device wants to be asked. */
static const mmm_gpu_driver driver = {
    .target = "MMM_TARGET_CUDA",
    .local_extra = 16 * MMM_LOCAL_ARRAYS_MOST,
    .local_static = 48 * 1024,
    .rows_most = 65535,
    .threads_few = 512,
    .enter = mmm_cuda_enter,
    .leave = mmm_cuda_leave,
    .room = room,
    .compiler = mmm_nvrtc_version,
    .load = load,
    .compile = compile,
    .find = find,
    .unload = unload,
    .prepare = make_graph,
    .drop = drop_graph,
    .start = start,
    .runs = runs,
    .elapsed = elapsed,
};

const mmm_machine_type mmm_machine_cuda = {
    .name = "cuda",
    .summary = "NVIDIA GPUs: the DAG as a CUDA graph, kernels compiled at run time",
    .has_time = true,
    .system = "CUDA",
    .count = count_devices,
    .open = open_cuda,
    .run = mmm_gpu_run,
    .fetch = mmm_gpu_fetch,
    .keep = mmm_gpu_keep,
    .drop = mmm_gpu_drop,
    .array = mmm_gpu_array,
    .close = close_cuda,
    .memory = &mmm_memory_cuda,
    .gpu = &driver,
};
