/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests share: checks of messages, files to read, random programs. */
#ifndef TESTING_H
#define TESTING_H

#include "model/model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

/* The call fails with this status, and its message is one line that has this text in it. */
#define assert_fails(call, status, text)                                                    \
    do {                                                                                    \
        assert_int_equal(call, status);                                                     \
        if (!strstr(mmm_message(), text)) fail_msg("'%s' lacks '%s'", mmm_message(), text); \
        assert_null(strchr(mmm_message(), '\n'));                                           \
    } while (0)

#define assert_ok(call)                                                 \
    do {                                                                \
        if ((call) != MMM_OK) fail_msg("%s: %s", #call, mmm_message()); \
    } while (0)

/* There is no such result, and the message says why. */
#define assert_no_result(job, which, text)                                                  \
    do {                                                                                    \
        assert_null(mmm_job_result(job, which, NULL));                                      \
        if (!strstr(mmm_message(), text)) fail_msg("'%s' lacks '%s'", mmm_message(), text); \
        assert_null(strchr(mmm_message(), '\n'));                                           \
    } while (0)

/* Writes a file below build/ and returns its path, good until the next call. */
static inline const char *file_with(const char *text)
{
    static char path[64];
    mkdir("build", 0777);
    snprintf(path, sizeof path, "build/test-%d.json", (int)getpid());
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_true(fputs(text, stream) >= 0);
    assert_int_equal(fclose(stream), 0);
    return path;
}

static inline int64_t draw(mmm_random *random, int64_t least, int64_t most)
{
    return least + (int64_t)mmm_random_below(random, (uint64_t)(most - least) + 1);
}

/* A program of `kernels` kernels k0, k1, ... of up to `blocks` blocks.  Each pair of kernels has an edge with
 * probability density / 16; some edges are there twice.  Numbers do not follow the order of the DAG. */
static inline mmm_program *random_program(mmm_random *random, int kernels, int64_t blocks, int density)
{
    mmm_program *program;
    int place[64] = {0};
    assert_ok(mmm_program_new(&program));
    for (int k = 0; k < kernels; k++) {
        char name[16];
        snprintf(name, sizeof name, "k%d", k);
        assert_ok(mmm_program_add(program, name, draw(random, 1, blocks), 32, NULL));
        int other = (int)draw(random, 0, k);
        place[k] = place[other];
        place[other] = k;
    }
    for (int a = 0; a < kernels; a++)
        for (int b = a + 1; b < kernels; b++)
            for (int64_t again = draw(random, 0, 15) < density; again; again = draw(random, 0, 9) == 0)
                assert_ok(mmm_program_depend(program, place[a], place[b]));
    return program;
}

/* Gives every kernel costs in random groups, spans up to `span`, and up to `words` words. */
static inline void random_costs(mmm_random *random, mmm_program *program, int64_t span, int64_t words)
{
    for (int k = 0; k < mmm_program_kernels(program); k++) {
        mmm_cost groups[64];
        int count = 0;
        for (int64_t left = program->nodes[k].blocks; left > 0; left -= groups[count++].blocks) {
            int64_t s = draw(random, 0, span);
            groups[count] = (mmm_cost){.blocks = count == 63 ? left : draw(random, 1, left),
                                       .work = draw(random, s, 32 * s),
                                       .span = s,
                                       .span_thread = draw(random, s / 2, s),
                                       .reads = draw(random, 0, words),
                                       .writes = draw(random, 0, words)};
        }
        assert_ok(mmm_program_set_costs(program, k, groups, count));
    }
}

/* Seconds that this process has worked: others do not change it. */
static inline double worked(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

/* reach[a] has bit b where kernel a must end before kernel b, for up to 64 kernels; a closure by brute force. */
static inline void reach_of(const mmm_program *program, uint64_t reach[64])
{
    memset(reach, 0, 64 * sizeof *reach);
    for (int64_t e = 0; e < program->edge_count; e++)
        reach[program->edges[e].before] |= (uint64_t)1 << program->edges[e].after;
    for (int64_t via = 0; via < program->kernels; via++)
        for (int64_t k = 0; k < program->kernels; k++)
            if (reach[k] >> via & 1) reach[k] |= reach[via];
}

#endif
