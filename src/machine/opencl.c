/* SPDX-License-Identifier: Apache-2.0 */
/* OpenCL 1.2 and later: the DAG of a program becomes events on an out-of-order queue. */
#include "machine/gpu.h"
#include "machine/opencl_place.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* The functions of libOpenCL that are used, under their own names without cl. */
#define FUNCTIONS(F)                                                                                                   \
    F(GetPlatformIDs) F(GetPlatformInfo) F(GetDeviceIDs) F(GetDeviceInfo) F(CreateContext) F(ReleaseContext)           \
    F(CreateCommandQueue) F(ReleaseCommandQueue) F(CreateProgramWithSource) F(CreateProgramWithBinary)                 \
    F(BuildProgram) F(GetProgramInfo) F(GetProgramBuildInfo) F(ReleaseProgram) F(CreateKernel) F(ReleaseKernel)        \
    F(SetKernelArg) F(CreateBuffer) F(ReleaseMemObject) F(EnqueueWriteBuffer) F(EnqueueReadBuffer)                     \
    F(EnqueueNDRangeKernel) F(Finish) F(Flush) F(ReleaseEvent) F(GetEventProfilingInfo) F(EnqueueCopyBuffer)            \
    F(EnqueueFillBuffer)

#define MEMBER(name) __typeof__(&cl##name) name;
static struct {
    FUNCTIONS(MEMBER)
} cl;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool opened;

enum { DEVICES_MOST = 32 };

static cl_device_id devices[DEVICES_MOST];
static cl_platform_id platforms[DEVICES_MOST]; /* of each device */
static int device_count;

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
    ready now;
} state;

#define CL(call)                                                                                                       \
    do {                                                                                                               \
        cl_int error_ = (call);                                                                                        \
        if (error_ != CL_SUCCESS) {                                                                                    \
            result = explain(error_, #call);                                                                           \
            goto done;                                                                                                 \
        }                                                                                                              \
    } while (0)

static mmm_status explain(cl_int error, const char *call)
{
    static const struct {
        cl_int error;
        const char *text;
    } texts[] = {
        {CL_DEVICE_NOT_AVAILABLE, "the device is not available"},
        {CL_COMPILER_NOT_AVAILABLE, "there is no compiler"},
        {CL_MEM_OBJECT_ALLOCATION_FAILURE, "no memory left on the device"},
        {CL_OUT_OF_RESOURCES, "the device is out of resources"},
        {CL_OUT_OF_HOST_MEMORY, "no memory left on the host"},
        {CL_INVALID_WORK_GROUP_SIZE, "more threads a block than the device takes"},
        {CL_INVALID_BUFFER_SIZE, "an array is larger than the device takes"},
    };
    const char *text = "unexpected";
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].error == error) text = texts[i].text;
    bool memory = error == CL_MEM_OBJECT_ALLOCATION_FAILURE || error == CL_OUT_OF_HOST_MEMORY;
    return mmm_fail(memory ? MMM_MEMORY : MMM_DEVICE, "OpenCL error %d in %.*s: %s", error,
                    (int)strcspn(call + 3, "("), call + 3, text);
}

static mmm_status find_devices(void)
{
    mmm_status result = MMM_OK;
    cl_platform_id found[DEVICES_MOST];
    cl_uint count = 0, more;
    cl_int error = cl.GetPlatformIDs(DEVICES_MOST, found, &count);
    if (error == -1001) /* the loader found no platform */
        count = 0;
    else
        CL(error);
    for (cl_uint i = 0; i < count && i < DEVICES_MOST; i++) {
        cl_uint room = (cl_uint)(DEVICES_MOST - device_count);
        if (cl.GetDeviceIDs(found[i], CL_DEVICE_TYPE_ALL, room, devices + device_count, &more) != CL_SUCCESS) continue;
        for (cl_uint j = 0; j < more && j < room; j++)
            platforms[device_count++] = found[i];
    }
done:
    return result;
}

static mmm_status count_devices(int *count)
{
#define SYMBOL(name) {"cl" #name, &cl.name, false},
    static const mmm_symbol symbols[] = {FUNCTIONS(SYMBOL){0}};
    static const char *const names[] = {"libOpenCL.so.1", "libOpenCL.so", NULL};
    mmm_status result = MMM_OK;
    void *library;
    pthread_mutex_lock(&lock);
    if (!opened) {
        TRY(mmm_library_open("OpenCL", "MMM_OPENCL", names, symbols, &library));
        TRY(find_devices());
        opened = true;
    }
    *count = device_count;
done:
    pthread_mutex_unlock(&lock);
    return result;
}

static void text_of(cl_device_id device, cl_device_info what, char *text, size_t size)
{
    *text = 0;
    if (cl.GetDeviceInfo(device, what, size, text, NULL) != CL_SUCCESS) snprintf(text, size, "?");
    text[size - 1] = 0;
}

static mmm_status describe(mmm_machine *machine, state *x)
{
    mmm_status result = MMM_OK;
    char name[128], driver[128], version[128], platform[128] = "";
    cl_uint units, clock;
    text_of(x->device, CL_DEVICE_NAME, name, sizeof name);
    text_of(x->device, CL_DRIVER_VERSION, driver, sizeof driver);
    text_of(x->device, CL_DEVICE_VERSION, version, sizeof version);
    cl.GetPlatformInfo(platforms[machine->number], CL_PLATFORM_NAME, sizeof platform - 1, platform, NULL);
    CL(cl.GetDeviceInfo(x->device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
    CL(cl.GetDeviceInfo(x->device, CL_DEVICE_MAX_CLOCK_FREQUENCY, sizeof clock, &clock, NULL));
    CL(cl.GetDeviceInfo(x->device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof x->local_most, &x->local_most, NULL));
    CL(cl.GetDeviceInfo(x->device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof x->memory, &x->memory, NULL));
    CL(cl.GetDeviceInfo(x->device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof x->allocation_most, &x->allocation_most, NULL));
    CL(cl.GetDeviceInfo(x->device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof x->threads_most, &x->threads_most, NULL));
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

static void drop(state *x)
{
    ready *r = &x->now;
    for (int i = 0; i < r->variants.count; i++) {
        if (r->kernels && r->kernels[i]) cl.ReleaseKernel(r->kernels[i]);
        if (r->programs && r->programs[i]) cl.ReleaseProgram(r->programs[i]);
    }
    for (int i = 0; i < r->array_count; i++)
        if (r->arrays[i] && !r->bound[i]) cl.ReleaseMemObject(r->arrays[i]);
    free(r->kernels);
    free(r->programs);
    mmm_variants_free(&r->variants);
    memset(r, 0, sizeof *r);
}

static void close_opencl(mmm_machine *machine)
{
    state *x = machine->state;
    drop(x);
    if (x->queue) cl.ReleaseCommandQueue(x->queue);
    if (x->context) cl.ReleaseContext(x->context);
    free(x);
    machine->state = NULL;
}

static mmm_status open_opencl(mmm_machine *machine)
{
    mmm_status result = MMM_OK;
    state *x = NULL;
    int count = 0;
    cl_int error;
    TRY(count_devices(&count));
    if (machine->number >= count)
        FAIL(MMM_DEVICE, "there is no device opencl:%d: OpenCL finds %d device%s", machine->number, count,
             count == 1 ? "" : "s");
    TRY(mmm_alloc(&x, 1, sizeof *x));
    machine->state = x;
    x->device = devices[machine->number];
    TRY(describe(machine, x));
    x->context = cl.CreateContext(NULL, 1, &x->device, NULL, NULL, &error);
    CL(error);
    cl_command_queue_properties properties = CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    x->queue = cl.CreateCommandQueue(x->context, x->device, properties, &error);
    if (error == CL_INVALID_QUEUE_PROPERTIES || error == CL_INVALID_VALUE) {
        x->ordered = true;
        x->queue = cl.CreateCommandQueue(x->context, x->device, CL_QUEUE_PROFILING_ENABLE, &error);
    }
    CL(error);
    x->place = (opencl_place){x->context,           x->queue,             explain,
                              cl.CreateBuffer,      cl.ReleaseMemObject,  cl.EnqueueWriteBuffer,
                              cl.EnqueueReadBuffer, cl.EnqueueCopyBuffer, cl.EnqueueFillBuffer,
                              cl.Finish};
done:
    if (result != MMM_OK && x) close_opencl(machine);
    return result;
}

static mmm_status build_log(const state *x, cl_program program, const char *name)
{
    char log[400] = "";
    size_t size = 0;
    cl.GetProgramBuildInfo(program, x->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
    char *whole = malloc(size + 1);
    if (whole && cl.GetProgramBuildInfo(program, x->device, CL_PROGRAM_BUILD_LOG, size, whole, NULL) == CL_SUCCESS) {
        whole[size] = 0;
        snprintf(log, sizeof log, "%s", whole);
    }
    free(whole);
    return mmm_fail(MMM_DEVICE, "OpenCL does not compile %s: %s", name, log);
}

/* Puts the device's code for a program into the cache. */
static void keep(const char *key, cl_program program)
{
    size_t size = 0;
    if (cl.GetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL) != CL_SUCCESS || !size) return;
    unsigned char *code = malloc(size);
    if (code && cl.GetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof code, &code, NULL) == CL_SUCCESS)
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
        *out = cl.CreateProgramWithBinary(x->context, 1, &x->device, &size, &binary, &loaded, &error);
        if (error == CL_SUCCESS && loaded == CL_SUCCESS &&
            cl.BuildProgram(*out, 1, &x->device, "-w", NULL, NULL) == CL_SUCCESS)
            goto done;
        if (*out) cl.ReleaseProgram(*out); /* what the device refuses is built anew */
        *out = NULL;
    }
    const char *source = text;
    *out = cl.CreateProgramWithSource(x->context, 1, &source, NULL, &error);
    CL(error);
    if (cl.BuildProgram(*out, 1, &x->device, "-cl-std=CL1.2 -w", NULL, NULL) != CL_SUCCESS) {
        result = build_log(x, *out, node->code->file);
        goto done;
    }
    keep(key, *out);
done:
    free(text);
    free(key);
    free(code);
    return result;
}

static mmm_status make_ready(state *x, const mmm_program *program)
{
    mmm_status result = MMM_OK;
    ready *r = &x->now;
    cl_int error;
    if (r->program == program->identity) return MMM_OK;
    drop(x);
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
        r->kernels[i] = cl.CreateKernel(r->programs[i], node->code->name, &error);
        CL(error);
    }
    for (int64_t i = 0; i < program->array_count; i++) {
        size_t bytes = (size_t)(program->arrays[i].count * program->arrays[i].size);
        if (bytes > x->allocation_most)
            FAIL(MMM_TOO_LARGE, "array '%s' of %.1f GB: the device takes arrays of at most %.1f GB",
                 program->arrays[i].name, (double)bytes / 1e9, (double)x->allocation_most / 1e9);
        r->array_count = (int)i + 1;
        r->arrays[i] = program->arrays[i].buffer;
        r->bound[i] = program->arrays[i].buffer;
        if (r->bound[i]) continue;
        r->arrays[i] = cl.CreateBuffer(x->context, CL_MEM_READ_WRITE, bytes ? bytes : 4, NULL, &error);
        CL(error);
    }
    r->program = program->identity;
done:
    if (result != MMM_OK) drop(x);
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
            CL(cl.SetKernelArg(code, (cl_uint)i, sizeof(cl_mem), &r->arrays[a->value]));
        else if (a->kind == MMM_WORD)
            CL(cl.SetKernelArg(code, (cl_uint)i, (size_t)program->word_bits / 8, &a->value));
        else
            CL(cl.SetKernelArg(code, (cl_uint)i, sizeof integer, &integer));
    }
    size_t local = (size_t)node->threads, global = local * (size_t)node->blocks;
    CL(cl.EnqueueNDRangeKernel(x->queue, code, 1, NULL, &global, &local, (cl_uint)count, count ? before : NULL, event));
done:
    return result;
}

/* From the start of the first kernel to the end of the last, by the device's clock. */
static mmm_status elapsed(const cl_event *events, int count, double *seconds)
{
    mmm_status result = MMM_OK;
    cl_ulong first = ~(cl_ulong)0, last = 0, start, end;
    for (int i = 0; i < count; i++) {
        CL(cl.GetEventProfilingInfo(events[i], CL_PROFILING_COMMAND_START, sizeof start, &start, NULL));
        CL(cl.GetEventProfilingInfo(events[i], CL_PROFILING_COMMAND_END, sizeof end, &end, NULL));
        if (start < first) first = start;
        if (end > last) last = end;
    }
    *seconds = count ? (double)(last - first) * 1e-9 : 0;
done:
    return result;
}

static mmm_status run_opencl(mmm_machine *machine, mmm_program *program, const mmm_order *order, double *seconds)
{
    mmm_status result = MMM_OK;
    state *x = machine->state;
    cl_event *events = NULL, *before = NULL;
    int *first = NULL, *predecessors = NULL;
    TRY(make_ready(x, program));
    TRY(mmm_alloc(&events, program->kernels, sizeof(cl_event)));
    TRY(mmm_alloc(&before, program->edge_count, sizeof(cl_event)));
    TRY(mmm_predecessors(program, &first, &predecessors));
    for (int64_t i = 0; i < program->array_count; i++) {
        const mmm_global *array = &program->arrays[i];
        if (array->use & MMM_IN && array->count && !array->buffer)
            CL(cl.EnqueueWriteBuffer(x->queue, x->now.arrays[i], CL_FALSE, 0, (size_t)(array->count * array->size),
                                     array->host, 0, NULL, NULL));
    }
    CL(cl.Finish(x->queue));
    for (int k = 0; k < order->kernels; k++) {
        int kernel = order->sequence[k], count = 0;
        if (!x->ordered)
            for (int i = first[kernel]; i < first[kernel + 1]; i++)
                before[count++] = events[predecessors[i]];
        TRY(enqueue(x, program, kernel, before, count, &events[kernel]));
        if (k % 1024 == 1023) CL(cl.Flush(x->queue));
    }
    CL(cl.Finish(x->queue));
    for (int64_t i = 0; i < program->array_count; i++) {
        const mmm_global *array = &program->arrays[i];
        if (array->use & MMM_OUT && array->count && !array->buffer)
            CL(cl.EnqueueReadBuffer(x->queue, x->now.arrays[i], CL_FALSE, 0, (size_t)(array->count * array->size),
                                    array->host, 0, NULL, NULL));
    }
    CL(cl.Finish(x->queue));
    TRY(elapsed(events, (int)program->kernels, seconds));
done:
    if (result != MMM_OK) cl.Finish(x->queue);
    for (int64_t k = 0; events && k < program->kernels; k++)
        if (events[k]) cl.ReleaseEvent(events[k]);
    free(events);
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
