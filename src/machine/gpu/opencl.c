/* SPDX-License-Identifier: Apache-2.0 */
/* OpenCL 1.2 and later: the DAG of a program becomes events on an out-of-order queue. */
#include "machine/gpu/opencl_driver.h"

#include <stdlib.h>
#include <string.h>

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

static mmm_status describe(mmm_machine *machine, opencl_state *x, cl_platform_id of)
{
    mmm_status result = MMM_OK;
    char name[128], driver[128], version[128], platform[128] = "";
    cl_uint units, clock;
    cl_ulong local;
    cl_device_type type = 0;
    size_t threads;
    text_of(x->device, CL_DEVICE_NAME, name, sizeof name);
    text_of(x->device, CL_DRIVER_VERSION, driver, sizeof driver);
    text_of(x->device, CL_DEVICE_VERSION, version, sizeof version);
    mmm_cl.GetPlatformInfo(of, CL_PLATFORM_NAME, sizeof platform - 1, platform, NULL);
    CL(mmm_cl.GetDeviceInfo(x->device, CL_DEVICE_TYPE, sizeof type, &type, NULL));
    CL(mmm_cl.GetDeviceInfo(x->device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
    CL(mmm_cl.GetDeviceInfo(x->device, CL_DEVICE_MAX_CLOCK_FREQUENCY, sizeof clock, &clock, NULL));
    CL(mmm_cl.GetDeviceInfo(x->device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof local, &local, NULL));
    CL(mmm_cl.GetDeviceInfo(x->device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof x->memory, &x->memory, NULL));
    CL(mmm_cl.GetDeviceInfo(x->device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof x->allocation_most, &x->allocation_most,
                            NULL));
    CL(mmm_cl.GetDeviceInfo(x->device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof threads, &threads, NULL));
    snprintf(x->gpu.identity, sizeof x->gpu.identity, "%s|%s|%s|%s", platform, name, driver, version);
    snprintf(machine->description, sizeof machine->description,
             "%.60s, %u SMs, %llu KB local memory, %.0f GB, %u MHz, %.30s, driver %.20s", name, units,
             (unsigned long long)local / 1024, (double)x->memory / 1e9, clock, platform, driver);
    snprintf(machine->device, sizeof machine->device, "%.60s, %u SMs, %.30s", name, units, platform);
    machine->cpu = type & CL_DEVICE_TYPE_CPU;
    machine->parameters.P = units;
    machine->parameters.Z = (int64_t)local / 4;
    machine->parameters.threads = (int64_t)threads;
done:
    return result;
}

static void release_events(opencl_state *x)
{
    for (int64_t k = 0; k < x->event_count; k++)
        if (x->events[k]) mmm_cl.ReleaseEvent(x->events[k]);
    x->event_count = 0;
}

static void close_opencl(mmm_machine *machine)
{
    opencl_state *x = machine->state;
    if (mmm_gpu_close(machine)) {
        release_events(x);
        if (x->queue) mmm_cl.ReleaseCommandQueue(x->queue);
        if (x->context) mmm_cl.ReleaseContext(x->context);
    }
    free(x->events);
    free(x);
    machine->state = NULL;
}

static mmm_status open_opencl(mmm_machine *machine)
{
    mmm_status result = MMM_OK;
    opencl_state *x = NULL;
    const opencl_device *devices;
    int count;
    cl_int error;
    TRY(mmm_opencl_open(&devices, &count));
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
done:
    if (result != MMM_OK && x) close_opencl(machine);
    return result;
}

static mmm_status build_log(const opencl_state *x, cl_program program, const char *file)
{
    size_t size = 0;
    mmm_cl.GetProgramBuildInfo(program, x->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
    char *log = calloc(size + 1, 1);
    if (log) mmm_cl.GetProgramBuildInfo(program, x->device, CL_PROGRAM_BUILD_LOG, size, log, NULL);
    mmm_status result = mmm_fail_compiling("OpenCL", file, log);
    free(log);
    return result;
}

static mmm_status room(mmm_machine *machine, double *available, double *most)
{
    const opencl_state *x = machine->state;
    *available = (double)x->memory;
    *most = (double)x->allocation_most;
    return MMM_OK;
}

static mmm_status load(mmm_machine *machine, const void *code, size_t size, void **module)
{
    const opencl_state *x = machine->state;
    const unsigned char *binary = code;
    mmm_status result = MMM_OK;
    cl_int error, loaded;
    CL_MADE(*module = mmm_cl.CreateProgramWithBinary(x->context, 1, &x->device, &size, &binary, &loaded, &error));
    CL(loaded);
    CL(mmm_cl.BuildProgram(*module, 1, &x->device, "-w", NULL, NULL));
done:
    return result;
}

/* The device's code for a program, NULL where it gives none. */
static void *code_of(cl_program program, size_t *size)
{
    if (mmm_cl.GetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof *size, size, NULL) != CL_SUCCESS || !*size)
        return NULL;
    unsigned char *code = malloc(*size);
    if (code && mmm_cl.GetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof code, &code, NULL) == CL_SUCCESS)
        return code;
    free(code);
    return NULL;
}

static mmm_status compile(mmm_machine *machine, const char *text, const char *file, void **module, void **code,
                          size_t *size)
{
    mmm_status result = MMM_OK;
    const opencl_state *x = machine->state;
    cl_int error;
    CL_MADE(*module = mmm_cl.CreateProgramWithSource(x->context, 1, &text, NULL, &error));
    if (mmm_cl.BuildProgram(*module, 1, &x->device, "-cl-std=CL1.2 -w", NULL, NULL) != CL_SUCCESS)
        TRY(build_log(x, *module, file));
    *code = code_of(*module, size);
done:
    return result;
}

static mmm_status find(void *module, const char *name, size_t dynamic, void **function)
{
    mmm_status result = MMM_OK;
    cl_int error;
    (void)dynamic;
    *function = mmm_cl.CreateKernel(module, name, &error);
    if (error == CL_INVALID_KERNEL_NAME) FAIL(MMM_INVALID, "the text of kernel '%s' has no kernel of that name", name);
    if (error != CL_SUCCESS) TRY(mmm_opencl_explain(error, "cl.CreateKernel"));
done:
    return result;
}

static void unload(void *module, void *function)
{
    if (function) mmm_cl.ReleaseKernel(function);
    if (module) mmm_cl.ReleaseProgram(module);
}

static mmm_status enqueue(opencl_state *x, const mmm_program *program, int kernel, const cl_event *before, int count,
                          cl_event *event)
{
    mmm_status result = MMM_OK;
    mmm_ready *r = x->gpu.now;
    const mmm_node *node = &program->nodes[kernel];
    cl_kernel code = r->code[r->variants.of[kernel]].function;
    cl_uint given = (cl_uint)node->code->parameter_count;
    for (int i = 0; i < node->code->parameter_count; i++) {
        const mmm_kernel_parameter *p = &node->code->parameters[i];
        const mmm_value *a = &node->arguments[i];
        size_t size = p->type == MMM_WORD ? (size_t)program->word_bits / 8 : (size_t)mmm_type_size(p->type);
        if (p->kind == MMM_PARAMETER_ARRAY)
            CL(mmm_cl.SetKernelArg(code, (cl_uint)i, sizeof(cl_mem), &r->arrays[a->number]));
        else
            CL(mmm_cl.SetKernelArg(code, (cl_uint)i, size, a));
        if (program->batch > 1 && p->kind == MMM_PARAMETER_ARRAY)
            CL(mmm_cl.SetKernelArg(code, given++, sizeof(cl_long), &program->arrays[a->number].count));
    }
    size_t local[3] = {(size_t)node->threads_x, (size_t)(node->threads / node->threads_x), 1};
    size_t global[3] = {local[0] * (size_t)node->blocks_x,
                        local[1] * (size_t)(node->blocks / program->batch / node->blocks_x), (size_t)program->batch};
    cl_uint dimensions = program->batch > 1 ? 3 : (cl_uint)node->code->dimensions;
    CL(mmm_cl.EnqueueNDRangeKernel(x->queue, code, dimensions, NULL, global, local, (cl_uint)count,
                                   count ? before : NULL, event));
done:
    return result;
}

static mmm_status start(mmm_machine *machine, const mmm_program *program, const mmm_order *order, int first)
{
    mmm_status result = MMM_OK;
    opencl_state *x = machine->state;
    cl_event *before = NULL;
    if (!first) release_events(x);
    TRY(mmm_grow(&x->events, &x->event_room, program->kernels, sizeof(cl_event)));
    for (; x->event_count < program->kernels; x->event_count++)
        x->events[x->event_count] = NULL;
    TRY(mmm_alloc(&before, program->edge_count, sizeof(cl_event)));
    for (int k = 0; k < order->kernels; k++) {
        int kernel = order->sequence[k], count = 0;
        if (kernel < first) continue;
        if (!x->ordered)
            for (int i = order->from_first[kernel]; i < order->from_first[kernel + 1]; i++)
                before[count++] = x->events[order->from[i]];
        TRY(enqueue(x, program, kernel, before, count, &x->events[kernel]));
        if (k % 1024 == 1023) CL(mmm_cl.Flush(x->queue));
    }
    CL(mmm_cl.Flush(x->queue));
done:
    free(before);
    return result;
}

static mmm_status runs(mmm_machine *machine, bool wait, bool *runs)
{
    mmm_status result = MMM_OK;
    const opencl_state *x = machine->state;
    cl_int error = CL_SUCCESS;
    if (wait) CL(mmm_cl.Finish(x->queue));
    *runs = false;
    for (int64_t k = 0; k < x->event_count && !*runs; k++) {
        cl_int status = CL_COMPLETE;
        if (!x->events[k]) continue;
        cl_int failed =
            mmm_cl.GetEventInfo(x->events[k], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
        if (failed != CL_SUCCESS) status = failed;
        if (status < 0) error = status;
        *runs = status > 0;
    }
    if (!*runs && error != CL_SUCCESS) result = mmm_opencl_explain(error, "cl.EnqueueNDRangeKernel");
done:
    return result;
}

/* From the start of the first kernel to the end of the last, by the device's clock. */
static mmm_status elapsed(mmm_machine *machine, double *seconds)
{
    mmm_status result = MMM_OK;
    const opencl_state *x = machine->state;
    cl_ulong first = ~(cl_ulong)0, last = 0, begin, end;
    for (int64_t k = 0; k < x->event_count; k++) {
        CL(mmm_cl.GetEventProfilingInfo(x->events[k], CL_PROFILING_COMMAND_START, sizeof begin, &begin, NULL));
        CL(mmm_cl.GetEventProfilingInfo(x->events[k], CL_PROFILING_COMMAND_END, sizeof end, &end, NULL));
        if (begin < first) first = begin;
        if (end > last) last = end;
    }
    *seconds = last > first ? (double)(last - first) * 1e-9 : 0;
done:
    return result;
}

static mmm_status leave(mmm_machine *machine, mmm_status result)
{
    opencl_state *x = machine->state;
    if (x->gpu.late) return result;
    if (result != MMM_OK) mmm_cl.Finish(x->queue); /* before the host's arrays may change */
    release_events(x);
    return result;
}

static const mmm_gpu_driver driver = {
    .target = "MMM_TARGET_OPENCL",
    .group_extra = 8,
    .local_static = SIZE_MAX,
    .rows_most = INT32_MAX,
    .leave = leave,
    .room = room,
    .load = load,
    .compile = compile,
    .find = find,
    .unload = unload,
    .start = start,
    .runs = runs,
    .elapsed = elapsed,
};

const mmm_machine_type mmm_machine_opencl = {
    .name = "opencl",
    .summary = "OpenCL devices: the DAG as events on an out-of-order queue",
    .has_time = true,
    .system = "OpenCL",
    .count = count_devices,
    .open = open_opencl,
    .run = mmm_gpu_run,
    .fetch = mmm_gpu_fetch,
    .keep = mmm_gpu_keep,
    .drop = mmm_gpu_drop,
    .array = mmm_gpu_array,
    .close = close_opencl,
    .memory = &mmm_memory_opencl,
    .gpu = &driver,
};
