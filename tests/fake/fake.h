/* SPDX-License-Identifier: Apache-2.0 */
/* What tests ask of the fake CUDA driver and the fake NVRTC beside their own interfaces. */
#ifndef FAKE_H
#define FAKE_H

#include <stddef.h>

enum { FAKE_NODES_MOST = 64 };

/* A node of the last graph that was made, and the numbers of the nodes it waits for. */
typedef struct fake_node {
    char function[64];
    unsigned grid[3], block[3], shared_bytes;
    int opted_in; /* to so many bytes of dynamic shared memory, 0: not */
    int before[FAKE_NODES_MOST];
    size_t before_count;
    int follows; /* it may come before the one it waits for has ended */
} fake_node;

typedef struct fake_cuda {
    /* Settings: the fault is that call number `nth` (from 1; 0: every call) of the function `call` returns `error`.
     * Errors that real drivers do not recover from (700 and above, but not 701) last until
     * fake_cuda_restart(). */
    const char *call;
    int nth, error;
    int devices;
    size_t memory; /* bytes */
    /* What happened. */
    int calls;    /* of the function `call` */
    int lasting;  /* the error that lasts, 0: none */
    int live;     /* handles and allocations not released */
    int retained; /* contexts retained and not released */
    int pushed;   /* contexts pushed and not popped */
    int misuses;  /* of handles that are none, of calls without a context, of handles alive when their context ends */
    int launches;
    fake_node nodes[FAKE_NODES_MOST];
    int node_count;
} fake_cuda;

typedef struct fake_nvrtc {
    const char *call; /* this function fails, NULL: none */
    const char *log;
    int live;     /* programs not destroyed */
    int compiled; /* programs compiled */
} fake_nvrtc;

#endif
