/* SPDX-License-Identifier: Apache-2.0 */
/* The program record behind mmm_program, and what the model's files share. */
#ifndef MMM_MODEL_H
#define MMM_MODEL_H

#include "base/base.h"

/* One call of a kernel.  The model reads name, blocks, threads and costs; code and arguments are for machines. */
typedef struct mmm_node {
    char *name;
    int64_t blocks, threads;
    mmm_cost *costs; /* groups of blocks of equal cost, NULL until counted or given */
    int groups;
    const mmm_kernel *code; /* NULL: a program that is data */
    mmm_argument *arguments;
    int argument_count;
    int64_t local_words;
} mmm_node;

typedef struct mmm_edge {
    int before, after;
} mmm_edge;

struct mmm_program {
    uint64_t identity; /* no other program, and no other state of this one, has it */
    mmm_node *nodes;
    int64_t kernels, node_room;
    mmm_edge *edges;
    int64_t edge_count, edge_room;
    struct mmm_global *arrays; /* for machines */
    int64_t array_count, array_room;
    mmm_modulus *modulus; /* NULL: words are plain integers */
    int word_bits;               /* 32 or 64 */
};

/* Gives the program a new identity: called by whatever changes it. */
void mmm_program_touch(mmm_program *program);

/* The DAG in the form algorithms walk: kernels in a topological order, and the successors of each. */
typedef struct mmm_order {
    int kernels;
    int *sequence;   /* kernels, predecessors first */
    int *first, *to; /* successors of k are to[first[k]] .. to[first[k + 1] - 1] */
    int *level;      /* kernels on the longest path that ends before k: its parallel step, from 0 */
} mmm_order;

/* Fails for a cycle, naming a kernel on it. */
mmm_status mmm_order_new(const mmm_program *program, mmm_order *order);
void mmm_order_free(mmm_order *order);

/* The largest total weight of pairwise unordered kernels. */
mmm_status mmm_antichain(const mmm_order *order, const int64_t *weight, int64_t *out);

#endif
