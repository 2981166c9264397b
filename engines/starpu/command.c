/* SPDX-License-Identifier: Apache-2.0 */
/* What rank 0 tells the others, by MPI's own broadcast; who waits for it leaves its core to others soon. */
#include "starpu.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { INLINE = 2048 };

/* The first message, with the text where that is short. */
typedef struct note {
    int64_t what, bytes;
    char text[INLINE];
} note;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The next order often comes within a millisecond; or the leader reads a file. */
static void wait_for(MPI_Request *request)
{
    const double start = now();
    int done = 0;
    for (;;) {
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (done) return;
        if (now() - start < 1e-3)
            sched_yield();
        else
            nanosleep(&(struct timespec){0, 50000}, NULL);
    }
}

static void broadcast(engine *e, void *memory, int64_t bytes)
{
    enum { PIECE = 1 << 30 };
    for (int64_t i = 0; i < bytes; i += PIECE) {
        MPI_Request request;
        MPI_Ibcast((char *)memory + i, (int)(bytes - i < PIECE ? bytes - i : PIECE), MPI_BYTE, 0, e->commands,
                   &request);
        wait_for(&request);
    }
}

void command_send(engine *e, order what, const void *text, int64_t bytes)
{
    note n = {.what = what, .bytes = bytes};
    if (e->ranks == 1) return;
    if (bytes && bytes <= INLINE) memcpy(n.text, text, (size_t)bytes);
    broadcast(e, &n, sizeof n);
    if (bytes > INLINE) broadcast(e, (void *)(uintptr_t)text, bytes);
}

mmm_status command_wait(engine *e, order *what, void **text, int64_t *bytes)
{
    note n;
    broadcast(e, &n, sizeof n);
    *what = (order)n.what;
    *bytes = n.bytes;
    *text = malloc((size_t)n.bytes + 1);
    if (!*text) return e->library->fail(MMM_MEMORY, "no memory for what rank 0 asks for");
    if (n.bytes <= INLINE)
        memcpy(*text, n.text, (size_t)n.bytes);
    else
        broadcast(e, *text, n.bytes);
    return MMM_OK;
}
