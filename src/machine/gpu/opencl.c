/* SPDX-License-Identifier: Apache-2.0 */
/* OpenCL 1.2 and later: the DAG of a program becomes events on an out-of-order queue. */
#include "machine/gpu/opencl_driver.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct ready {
    uint64_t program;
    mmm_variants variants;
    cl_program *programs;
    cl_kernel *kernels;
    cl_mem arrays[32];
    bool bound[32]; /* arrays in buffers, which are not the program's */
    int array_count;
} ready;

typedef struct state {
    opencl_place place; /* first: memory sees no more */
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    bool ordered; /* the queue runs kernels one after the other */
    cl_ulong local_most, memory, allocation_most;
    size_t threads_most;
    char identity[512];
    bool late;        /* kernels may still run that took longer than their limit */
    cl_event *events; /* of the kernels of the last run */
    int64_t event_count;
    ready now;
} state;

static mmm_status count_devices(int *count)
{
    const opencl_device *devices;
    return mmm_opencl_open(&devices, count);
}

static void text_of(cl_device_id device, cl_device_info what, char *text, size_t size)
{
    *text = 0;
    if (mmm_cl.GetDeviceInfo(device, what, size, text, NULL) != CL_SUCCESS) snprintf(text, size, "?");
    text[size - 1] = 0;
}

static mmm_status describe(mmm_machine *machine, state *x, cl_platform_id of)
{
    mmm_status result = MMM_OK;
    char name[128], driver[128], version[128], platform[128] = "";
    cl_uint units, clock;
    text_of(x->device, CL_DEVICE_NAME, name, sizeof name);
    text_of(x->device, CL_DRIVER_VERSION, driver, sizeof driver);
    text_of(x->device, CL_DEVICE_VERSION, version, sizeof version);
    mmm_cl.GetPlatformInfo(of, CL_PLATFORM_NAME, sizeof platform - 1, platform, NULL);
    CL(mmm_cl.GetDeviceInfo(x->device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
    CL(mmm_cl.GetDeviceInfo(x->device, CL_DEVICE_MAX_CLOCK_FREQUENCY, sizeof clock, &clock, NULL));
    CL(mmm_cl.GetDeviceInfo(x->device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof x->local_most, &x->local_most, NULL));
    CL(mmm_cl.GetDeviceInfo(x->device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof x->memory, &x->memory, NULL));
    CL(mmm_cl.GetDeviceInfo(x->device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof x->allocation_most, &x->allocation_most,
                            NULL));
    CL(mmm_cl.GetDeviceInfo(x->device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof x->threads_most, &x->threads_most, NULL));
    snprintf(x->identity, sizeof x->identity, "%s|%s|%s|%s", platform, name, driver, version);
    snprintf(machine->description, sizeof machine->description,
             "%.60s, %u SMs, %llu KB local memory, %.0f GB, %u MHz, %.30s, driver %.20s", name, units,
             (unsigned long long)x->local_most / 1024, (double)x->memory / 1e9, clock, platform, driver);
    machine->parameters.P = units;
    machine->parameters.Z = (int64_t)x->local_most / 4;
    machine->parameters.threads = (int64_t)x->threads_most;
done:
    return result;
}

static void release(ready *r)
{
    for (int i = 0; i < r->variants.count; i++) {
        if (r->kernels && r->kernels[i]) mmm_cl.ReleaseKernel(r->kernels[i]);
        if (r->programs && r->programs[i]) mmm_cl.ReleaseProgram(r->programs[i]);
    }
    for (int i = 0; i < r->array_count; i++)
        if (r->arrays[i] && !r->bound[i]) mmm_cl.ReleaseMemObject(r->arrays[i]);
}

static void forget(ready *r)
{
    free(r->kernels);
    free(r->programs);
    mmm_variants_free(&r->variants);
    memset(r, 0, sizeof *r);
}

static void release_events(state *x)
{
    for (int64_t k = 0; k < x->event_count; k++)
        if (x->events[k]) mmm_cl.ReleaseEvent(x->events[k]);
    free(x->events);
    x->events = NULL;
    x->event_count = 0;
}

/* Whether a kernel of the last run has not ended; *error is negative where one ended badly. */
static bool still_runs(const state *x, cl_int *error)
{
    bool runs = false;
    *error = CL_SUCCESS;
    for (int64_t k = 0; k < x->event_count && !runs; k++) {
        cl_int status = CL_COMPLETE;
        if (!x->events[k]) continue;
        cl_int failed =
            mmm_cl.GetEventInfo(x->events[k], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
        if (failed != CL_SUCCESS) status = failed;
        if (status < 0) *error = status;
        runs = status > 0;
    }
    return runs;
}

static bool is_late(state *x)
{
    cl_int error;
    if (x->late) x->late = still_runs(x, &error);
    return x->late;
}

static void close_opencl(mmm_machine *machine)
{
    state *x = machine->state;
    bool late = is_late(x); /* if so, what the kernels use must stay, for nothing can stop them */
    if (!late) {
        release_events(x);
        release(&x->now);
        if (x->queue) mmm_cl.ReleaseCommandQueue(x->queue);
        if (x->context) mmm_cl.ReleaseContext(x->context);
    }
    forget(&x->now);
    free(x->events);
    free(x);
    machine->state = NULL;
}

static mmm_status open_opencl(mmm_machine *machine)
{
    mmm_status result = MMM_OK;
    state *x = NULL;
    const opencl_device *devices;
    int count = 0;
    cl_int error;
    TRY(mmm_opencl_open(&devices, &count));
    if (machine->number >= count)
        FAIL(MMM_DEVICE, "there is no device opencl:%d: OpenCL finds %d device%s", machine->number, count,
             count == 1 ? "" : "s");
    TRY(mmm_alloc(&x, 1, sizeof *x));
    machine->state = x;
    x->device = devices[machine->number].device;
    TRY(describe(machine, x, devices[machine->number].platform));
    CL_MADE(x->context = mmm_cl.CreateContext(NULL, 1, &x->device, NULL, NULL, &error));
    cl_command_queue_properties properties = CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    x->queue = mmm_cl.CreateCommandQueue(x->context, x->device, properties, &error);
    if (error == CL_INVALID_QUEUE_PROPERTIES || error == CL_INVALID_VALUE) {
        x->ordered = true;
        x->queue = mmm_cl.CreateCommandQueue(x->context, x->device, CL_QUEUE_PROFILING_ENABLE, &error);
    }
    if (error != CL_SUCCESS) result = mmm_opencl_explain(error, "cl.CreateCommandQueue");
    x->place = (opencl_place){x->context, x->queue};
done:
    if (result != MMM_OK && x) close_opencl(machine);
    return result;
}

static mmm_status build_log(const state *x, cl_program program, const char *name)
{
    char line[300] = "";
    size_t size = 0;
    mmm_cl.GetProgramBuildInfo(program, x->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
    char *log = malloc(size + 1);
    if (log && mmm_cl.GetProgramBuildInfo(program, x->device, CL_PROGRAM_BUILD_LOG, size, log, NULL) == CL_SUCCESS) {
        log[size] = 0;
        mmm_log_line(log, line, sizeof line);
    }
    free(log);
    return mmm_fail(MMM_DEVICE, "OpenCL does not compile %s: %s", name, *line ? line : "it does not say why");
}

/* Puts the device's code for a program into the cache. */
static void keep(const char *key, cl_program program)
{
    size_t size = 0;
    if (mmm_cl.GetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL) != CL_SUCCESS || !size)
        return;
    unsigned char *code = malloc(size);
    if (code && mmm_cl.GetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof code, &code, NULL) == CL_SUCCESS)
        mmm_cache_store(key, code, size);
    free(code);
}

static mmm_status program_of(const state *x, const mmm_program *program, const mmm_node *node, cl_program *out)
{
    mmm_status result = MMM_OK;
    char *text = NULL, *key = NULL;
    void *code = NULL;
    size_t size;
    cl_int error, loaded;
    TRY(mmm_kernel_text(program, node, "MMM_TARGET_OPENCL", false, &text));
    if (asprintf(&key, "%s\n%s", x->identity, text) < 0) {
        key = NULL;
        FAIL(MMM_MEMORY, "no memory for a cache key");
    }
    if (mmm_cache_load(key, &code, &size)) {
        const unsigned char *binary = code;
        *out = mmm_cl.CreateProgramWithBinary(x->context, 1, &x->device, &size, &binary, &loaded, &error);
        if (error == CL_SUCCESS && loaded == CL_SUCCESS &&
            mmm_cl.BuildProgram(*out, 1, &x->device, "-w", NULL, NULL) == CL_SUCCESS)
            goto done;
        if (*out) mmm_cl.ReleaseProgram(*out); /* what the device refuses is built anew */
        *out = NULL;
    }
    const char *source = text;
    CL_MADE(*out = mmm_cl.CreateProgramWithSource(x->context, 1, &source, NULL, &error));
    if (mmm_cl.BuildProgram(*out, 1, &x->device, "-cl-std=CL1.2 -w", NULL, NULL) != CL_SUCCESS)
        TRY(build_log(x, *out, node->code->file));
    keep(key, *out);
done:
    free(text);
    free(key);
    free(code);
    return result;
}

static mmm_status arrays_fit(const state *x, const mmm_program *program)
{
    mmm_status result = MMM_OK;
    double need = 0;
    for (int64_t i = 0; i < program->array_count; i++) {
        double bytes = (double)program->arrays[i].count * program->arrays[i].size;
        need += bytes;
        if (bytes > (double)x->allocation_most)
            FAIL(MMM_TOO_LARGE, "array '%s' of %.1f GB: the device takes arrays of at most %.1f GB",
                 program->arrays[i].name, bytes / 1e9, (double)x->allocation_most / 1e9);
    }
    if (need > (double)x->memory)
        FAIL(MMM_TOO_LARGE, "%.1f GB of device memory are needed, the device has %.1f GB", need / 1e9,
             (double)x->memory / 1e9);
done:
    return result;
}

static mmm_status make_ready(state *x, const mmm_program *program)
{
    mmm_status result = MMM_OK;
    ready *r = &x->now;
    cl_int error;
    if (r->program == program->identity) return MMM_OK;
    release(r);
    forget(r);
    TRY(arrays_fit(x, program));
    TRY(mmm_variants_new(program, &r->variants));
    TRY(mmm_alloc(&r->programs, r->variants.count, sizeof(cl_program)));
    TRY(mmm_alloc(&r->kernels, r->variants.count, sizeof(cl_kernel)));
    for (int i = 0; i < r->variants.count; i++) {
        const mmm_node *node = r->variants.nodes[i];
        size_t bytes = (size_t)node->local_words * (size_t)(program->word_bits / 8);
        if ((size_t)node->threads > x->threads_most)
            FAIL(MMM_TOO_LARGE, "kernel '%s' has %lld threads a block: the device takes %zu", node->name,
                 (long long)node->threads, x->threads_most);
        if (bytes > x->local_most)
            FAIL(MMM_TOO_LARGE, "kernel '%s' needs %zu bytes of local memory a block: the device has %llu", node->name,
                 bytes, (unsigned long long)x->local_most);
        TRY(program_of(x, program, node, &r->programs[i]));
        CL_MADE(r->kernels[i] = mmm_cl.CreateKernel(r->programs[i], node->code->name, &error));
    }
    for (int64_t i = 0; i < program->array_count; i++) {
        size_t bytes = (size_t)(program->arrays[i].count * program->arrays[i].size);
        r->array_count = (int)i + 1;
        r->arrays[i] = program->arrays[i].buffer;
        r->bound[i] = program->arrays[i].buffer;
        if (r->bound[i]) continue;
        CL_MADE(r->arrays[i] = mmm_cl.CreateBuffer(x->context, CL_MEM_READ_WRITE, bytes ? bytes : 4, NULL, &error));
    }
    r->program = program->identity;
done:
    if (result != MMM_OK) {
        release(r);
        forget(r);
    }
    return result;
}

static mmm_status enqueue(state *x, const mmm_program *program, int kernel, const cl_event *before, int count,
                          cl_event *event)
{
    mmm_status result = MMM_OK;
    ready *r = &x->now;
    const mmm_node *node = &program->nodes[kernel];
    cl_kernel code = r->kernels[r->variants.of[kernel]];
    for (int i = 0; i < node->argument_count; i++) {
        const mmm_argument *a = &node->arguments[i];
        cl_int integer = (cl_int)a->value;
        if (a->kind == MMM_ARRAY)
            CL(mmm_cl.SetKernelArg(code, (cl_uint)i, sizeof(cl_mem), &r->arrays[a->value]));
        else if (a->kind == MMM_WORD)
            CL(mmm_cl.SetKernelArg(code, (cl_uint)i, (size_t)program->word_bits / 8, &a->value));
        else
            CL(mmm_cl.SetKernelArg(code, (cl_uint)i, sizeof integer, &integer));
    }
    size_t local = (size_t)node->threads, global = local * (size_t)node->blocks;
    CL(mmm_cl.EnqueueNDRangeKernel(x->queue, code, 1, NULL, &global, &local, (cl_uint)count, count ? before : NULL,
                                   event));
done:
    return result;
}

/* From the start of the first kernel to the end of the last, by the device's clock. */
static mmm_status elapsed(const cl_event *events, int count, double *seconds)
{
    mmm_status result = MMM_OK;
    cl_ulong first = ~(cl_ulong)0, last = 0, start, end;
    for (int i = 0; i < count; i++) {
        CL(mmm_cl.GetEventProfilingInfo(events[i], CL_PROFILING_COMMAND_START, sizeof start, &start, NULL));
        CL(mmm_cl.GetEventProfilingInfo(events[i], CL_PROFILING_COMMAND_END, sizeof end, &end, NULL));
        if (start < first) first = start;
        if (end > last) last = end;
    }
    *seconds = count ? (double)(last - first) * 1e-9 : 0;
done:
    return result;
}

/* Waits for the end of the kernels, or until their time is up; they cannot be stopped: the machine is left to them. */
static mmm_status wait_for_end(mmm_machine *machine, state *x)
{
    mmm_status result = MMM_OK;
    double start = mmm_now();
    cl_int error;
    if (machine->time_limit > 0)
        CL(mmm_cl.Flush(x->queue));
    else
        CL(mmm_cl.Finish(x->queue));
    while (still_runs(x, &error)) {
        if (machine->time_limit > 0 && mmm_now() - start > machine->time_limit) {
            x->late = true;
            FAIL(MMM_DEVICE, "the kernels take longer than %g s: given up", machine->time_limit);
        }
        nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
    }
    if (error != CL_SUCCESS) result = mmm_opencl_explain(error, "cl.EnqueueNDRangeKernel");
done:
    return result;
}

static mmm_status run_opencl(mmm_machine *machine, mmm_program *program, const mmm_order *order, double *seconds)
{
    mmm_status result = MMM_OK;
    state *x = machine->state;
    cl_event *before = NULL;
    int *first = NULL, *predecessors = NULL;
    if (is_late(x)) return mmm_fail(MMM_DEVICE, "kernels of an earlier run take longer than their limit and still run");
    release_events(x);
    TRY(make_ready(x, program));
    TRY(mmm_alloc(&x->events, program->kernels, sizeof(cl_event)));
    x->event_count = program->kernels;
    TRY(mmm_alloc(&before, program->edge_count, sizeof(cl_event)));
    TRY(mmm_predecessors(program, &first, &predecessors));
    for (int64_t i = 0; i < program->array_count; i++) {
        const mmm_global *array = &program->arrays[i];
        if (array->use & MMM_IN && array->count && !array->buffer)
            CL(mmm_cl.EnqueueWriteBuffer(x->queue, x->now.arrays[i], CL_FALSE, 0, (size_t)(array->count * array->size),
                                         array->host, 0, NULL, NULL));
    }
    CL(mmm_cl.Finish(x->queue));
    for (int k = 0; k < order->kernels; k++) {
        int kernel = order->sequence[k], count = 0;
        if (!x->ordered)
            for (int i = first[kernel]; i < first[kernel + 1]; i++)
                before[count++] = x->events[predecessors[i]];
        TRY(enqueue(x, program, kernel, before, count, &x->events[kernel]));
        if (k % 1024 == 1023) CL(mmm_cl.Flush(x->queue));
    }
    TRY(wait_for_end(machine, x));
    for (int64_t i = 0; i < program->array_count; i++) {
        const mmm_global *array = &program->arrays[i];
        if (array->use & MMM_OUT && array->count && !array->buffer)
            CL(mmm_cl.EnqueueReadBuffer(x->queue, x->now.arrays[i], CL_FALSE, 0, (size_t)(array->count * array->size),
                                        array->host, 0, NULL, NULL));
    }
    CL(mmm_cl.Finish(x->queue));
    TRY(elapsed(x->events, (int)program->kernels, seconds));
done:
    if (!x->late) {
        if (result != MMM_OK) mmm_cl.Finish(x->queue); /* before the host's arrays may change */
        release_events(x);
    }
    free(before);
    free(first);
    free(predecessors);
    return result;
}

const mmm_machine_type mmm_machine_opencl = {
    .name = "opencl",
    .summary = "OpenCL devices: the DAG as events on an out-of-order queue",
    .count = count_devices,
    .open = open_opencl,
    .run = run_opencl,
    .close = close_opencl,
    .memory = &mmm_memory_opencl,
};
