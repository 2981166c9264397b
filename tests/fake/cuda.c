/* SPDX-License-Identifier: Apache-2.0 */
/* A fake of CUDA's driver: it keeps books on every handle, runs no kernel, and fails where it is told to.
 *
 * As real drivers do, it lets an error of a kernel last: every later call, even for a new context, fails with it. */
#include "fake/fake.h"
#include "machine/gpu/cuda_driver.h"

#include <stdlib.h>
#include <string.h>

#define FAKE __attribute__((visibility("default")))

typedef enum kind { CONTEXT, MODULE, FUNCTION, MEMORY, STREAM, EVENT, GRAPH, NODE, EXECUTABLE } kind;

typedef struct object {
    kind kind;
    int number; /* of a node */
    char text[64];
    int opted_in;
    struct object *owner, *next;
} object;

static object *alive;

FAKE extern fake_cuda fake_cuda_state;
fake_cuda fake_cuda_state = {.devices = 1, .memory = (size_t)1 << 30};
static fake_cuda *const f = &fake_cuda_state;

/* The error that this call must return. */
static int fault(const char *name, bool lasts_here)
{
    if (f->call && strcmp(f->call, name) == 0 && (++f->calls == f->nth || f->nth == 0)) {
        if (f->error >= 700 && f->error != 701) f->lasting = f->error;
        return f->error;
    }
    return lasts_here ? f->lasting : 0;
}

#define ENTER(lasts_here)                         \
    do {                                          \
        int error_ = fault(__func__, lasts_here); \
        if (error_) return error_;                \
    } while (0)

#define IN_CONTEXT                    \
    do {                              \
        if (!f->pushed) f->misuses++; \
        ENTER(true);                  \
    } while (0)

static object *make(kind what, object *owner)
{
    object *o = calloc(1, sizeof *o);
    o->kind = what;
    o->owner = owner;
    o->next = alive;
    alive = o;
    if (what != FUNCTION && what != NODE) f->live++; /* those go with their module and graph */
    return o;
}

static object *find(const void *handle, kind what)
{
    for (object *o = alive; o; o = o->next)
        if (o == handle && o->kind == what) return o;
    f->misuses++;
    return NULL;
}

static int destroy(const void *handle, kind what)
{
    object *wanted = find(handle, what);
    if (!wanted) return 400;
    if (what != FUNCTION && what != NODE) f->live--;
    for (object **o = &alive; *o;) {
        object *other = *o;
        if (other == wanted || other->owner == wanted) {
            *o = other->next;
            free(other);
        } else {
            o = &other->next;
        }
    }
    return 0;
}

#define MAKE(out, what)                     \
    do {                                    \
        IN_CONTEXT;                         \
        *(void **)(out) = make(what, NULL); \
        return 0;                           \
    } while (0)

#define DESTROY(handle, what)         \
    do {                              \
        IN_CONTEXT;                   \
        return destroy(handle, what); \
    } while (0)

/* A function of the driver: declared and defined. */
#define DRIVER(name, ...)       \
    FAKE int name(__VA_ARGS__); \
    int name(__VA_ARGS__)

/* As if in a new process: no fault, nothing left. */
FAKE void fake_cuda_restart(void);
void fake_cuda_restart(void)
{
    while (alive) {
        object *next = alive->next;
        free(alive);
        alive = next;
    }
    fake_cuda_state = (fake_cuda){.devices = 1, .memory = (size_t)1 << 30};
}

DRIVER(cuInit, unsigned flags)
{
    ENTER(false);
    return flags ? 1 : 0;
}

DRIVER(cuDriverGetVersion, int *version)
{
    ENTER(false);
    *version = 13000;
    return 0;
}

DRIVER(cuDeviceGetCount, int *count)
{
    ENTER(false);
    *count = f->devices;
    return 0;
}

DRIVER(cuDeviceGet, cuda_device *device, int number)
{
    ENTER(false);
    *device = number;
    return 0;
}

DRIVER(cuDeviceGetName, char *name, int size, cuda_device device)
{
    ENTER(false);
    snprintf(name, (size_t)size, "Fake %d", device);
    return 0;
}

DRIVER(cuDeviceGetAttribute, int *value, int attribute, cuda_device device)
{
    ENTER(false);
    (void)device;
    switch (attribute) {
    case CUDA_MAX_THREADS_PER_BLOCK: *value = 1024; return 0;
    case CUDA_CLOCK_RATE: *value = 1000000; return 0;
    case CUDA_MULTIPROCESSOR_COUNT: *value = 4; return 0;
    case CUDA_COMPUTE_CAPABILITY_MAJOR: *value = 9; return 0;
    case CUDA_COMPUTE_CAPABILITY_MINOR: *value = 0; return 0;
    case CUDA_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: *value = 227 * 1024; return 0;
    default: return 1;
    }
}

DRIVER(cuDeviceTotalMem_v2, size_t *bytes, cuda_device device)
{
    ENTER(false);
    (void)device;
    *bytes = f->memory;
    return 0;
}

DRIVER(cuDevicePrimaryCtxRetain, cuda_context *context, cuda_device device)
{
    static int primary;
    ENTER(true);
    (void)device;
    *context = (cuda_context)(void *)&primary;
    f->retained++;
    return 0;
}

DRIVER(cuDevicePrimaryCtxRelease_v2, cuda_device device)
{
    (void)device;
    if (--f->retained < 0) f->misuses++;
    if (f->retained == 0) { /* everything in it goes with it */
        if (alive && !f->lasting) f->misuses++;
        while (alive) {
            object *next = alive->next;
            free(alive);
            alive = next;
        }
        f->live = 0;
    }
    return 0;
}

DRIVER(cuCtxPushCurrent_v2, cuda_context context)
{
    ENTER(false);
    if (!context || !f->retained) f->misuses++;
    f->pushed++;
    return 0;
}

DRIVER(cuCtxPopCurrent_v2, cuda_context *context)
{
    *context = NULL;
    if (--f->pushed < 0) f->misuses++;
    return 0;
}

DRIVER(cuGetErrorString, int error, const char **text)
{
    (void)error;
    ENTER(false);
    *text = "an error on\npurpose"; /* a message stays one line all the same */
    return 0;
}

DRIVER(cuModuleLoadData, cuda_module *module, const void *code)
{
    if (strncmp(code, "cubin", 5) != 0) return 209;
    MAKE(module, MODULE);
}

DRIVER(cuModuleUnload, cuda_module module)
{
    DESTROY(module, MODULE);
}

DRIVER(cuModuleGetFunction, cuda_function *function, cuda_module module, const char *name)
{
    IN_CONTEXT;
    object *o = make(FUNCTION, find(module, MODULE));
    snprintf(o->text, sizeof o->text, "%s", name);
    *function = (cuda_function)(void *)o;
    return 0;
}

DRIVER(cuFuncSetAttribute, cuda_function function, int attribute, int value)
{
    IN_CONTEXT;
    object *o = find(function, FUNCTION);
    if (!o || attribute != CUDA_FUNC_MAX_DYNAMIC_SHARED_SIZE || value > 227 * 1024) return 1;
    o->opted_in = value;
    return 0;
}

DRIVER(cuMemGetInfo_v2, size_t *available, size_t *total)
{
    IN_CONTEXT;
    *available = *total = f->memory;
    return 0;
}

DRIVER(cuMemAlloc_v2, cuda_pointer *pointer, size_t bytes)
{
    IN_CONTEXT;
    object *o = make(MEMORY, NULL);
    o = realloc(o, sizeof *o + bytes); /* what it holds lies behind it */
    alive = o;
    memset(o + 1, 0, bytes);
    *pointer = (cuda_pointer)(uintptr_t)o;
    return 0;
}

DRIVER(cuMemFree_v2, cuda_pointer pointer)
{
    DESTROY((void *)(uintptr_t)pointer, MEMORY);
}

DRIVER(cuMemHostAlloc, void **memory, size_t bytes, unsigned flags)
{
    IN_CONTEXT;
    (void)flags;
    *memory = malloc(bytes);
    return *memory ? 0 : 2;
}

DRIVER(cuMemFreeHost, void *memory)
{
    IN_CONTEXT;
    free(memory);
    return 0;
}

DRIVER(cuMemcpyHtoDAsync_v2, cuda_pointer to, const void *from, size_t bytes, cuda_stream stream)
{
    IN_CONTEXT;
    object *o = find((void *)(uintptr_t)to, MEMORY);
    if (!find(stream, STREAM) || !o) return 400;
    memcpy(o + 1, from, bytes);
    return 0;
}

DRIVER(cuMemcpyDtoHAsync_v2, void *to, cuda_pointer from, size_t bytes, cuda_stream stream)
{
    IN_CONTEXT;
    object *o = find((void *)(uintptr_t)from, MEMORY);
    if (!find(stream, STREAM) || !o) return 400;
    memcpy(to, o + 1, bytes);
    return 0;
}

DRIVER(cuMemcpyDtoDAsync_v2, cuda_pointer to, cuda_pointer from, size_t bytes, cuda_stream stream)
{
    IN_CONTEXT;
    object *source = find((void *)(uintptr_t)from, MEMORY), *target = find((void *)(uintptr_t)to, MEMORY);
    if (!find(stream, STREAM) || !source || !target) return 400;
    memcpy(target + 1, source + 1, bytes);
    return 0;
}

DRIVER(cuMemsetD8Async, cuda_pointer to, unsigned char value, size_t bytes, cuda_stream stream)
{
    IN_CONTEXT;
    object *o = find((void *)(uintptr_t)to, MEMORY);
    if (!find(stream, STREAM) || !o) return 400;
    memset(o + 1, value, bytes);
    return 0;
}

DRIVER(cuStreamCreate, cuda_stream *stream, unsigned flags)
{
    (void)flags;
    MAKE(stream, STREAM);
}

DRIVER(cuStreamDestroy_v2, cuda_stream stream)
{
    DESTROY(stream, STREAM);
}

DRIVER(cuStreamSynchronize, cuda_stream stream)
{
    IN_CONTEXT;
    return find(stream, STREAM) ? 0 : 400;
}

DRIVER(cuEventCreate, cuda_event *event, unsigned flags)
{
    (void)flags;
    MAKE(event, EVENT);
}

DRIVER(cuEventDestroy_v2, cuda_event event)
{
    DESTROY(event, EVENT);
}

DRIVER(cuEventRecord, cuda_event event, cuda_stream stream)
{
    IN_CONTEXT;
    return find(event, EVENT) && find(stream, STREAM) ? 0 : 400;
}

DRIVER(cuEventQuery, cuda_event event)
{
    IN_CONTEXT;
    return find(event, EVENT) ? 0 : 400;
}

DRIVER(cuEventSynchronize, cuda_event event)
{
    IN_CONTEXT;
    return find(event, EVENT) ? 0 : 400;
}

DRIVER(cuEventElapsedTime, float *milliseconds, cuda_event start, cuda_event end)
{
    IN_CONTEXT;
    *milliseconds = 1.5f;
    return find(start, EVENT) && find(end, EVENT) ? 0 : 400;
}

DRIVER(cuGraphCreate, cuda_graph *graph, unsigned flags)
{
    (void)flags;
    f->node_count = 0;
    MAKE(graph, GRAPH);
}

DRIVER(cuGraphDestroy, cuda_graph graph)
{
    DESTROY(graph, GRAPH);
}

DRIVER(cuGraphAddKernelNode_v2, cuda_node *node, cuda_graph graph, const cuda_node *before, size_t count,
       const cuda_kernel_node *call)
{
    IN_CONTEXT;
    object *function = find(call->function, FUNCTION), *o = make(NODE, find(graph, GRAPH));
    if (!function || f->node_count == FAKE_NODES_MOST || count > FAKE_NODES_MOST) return 1;
    fake_node *n = &f->nodes[o->number = f->node_count++];
    *n = (fake_node){.shared_bytes = call->shared_bytes, .opted_in = function->opted_in, .before_count = count};
    memcpy(n->function, function->text, sizeof n->function);
    memcpy(n->grid, call->grid, sizeof n->grid);
    memcpy(n->block, call->block, sizeof n->block);
    for (size_t i = 0; i < count; i++) {
        object *other = find(before[i], NODE);
        for (size_t j = 0; j < i; j++)
            if (before[j] == before[i]) return 1; /* the real driver does not take an edge twice */
        if (!other) return 1;
        n->before[i] = other->number;
    }
    *node = (cuda_node)(void *)o;
    return 0;
}

DRIVER(cuGraphAddDependencies_v2, cuda_graph graph, const cuda_node *from, const cuda_node *to, const cuda_edge *edges,
       size_t count)
{
    IN_CONTEXT;
    object *before = find(from[0], NODE), *after = find(to[0], NODE);
    if (!find(graph, GRAPH) || !before || !after || count != 1) return 1;
    fake_node *n = &f->nodes[after->number];
    n->follows = edges && edges->from_port == 1 && edges->to_port == 0 && edges->type == 1;
    n->before[n->before_count++] = before->number;
    return 0;
}

DRIVER(cuGraphInstantiateWithFlags, cuda_executable *executable, cuda_graph graph, unsigned long long flags)
{
    (void)flags;
    if (!find(graph, GRAPH)) return 400;
    MAKE(executable, EXECUTABLE);
}

DRIVER(cuGraphExecDestroy, cuda_executable executable)
{
    DESTROY(executable, EXECUTABLE);
}

DRIVER(cuGraphLaunch, cuda_executable executable, cuda_stream stream)
{
    IN_CONTEXT;
    f->launches++;
    return find(executable, EXECUTABLE) && find(stream, STREAM) ? 0 : 400;
}
