/* SPDX-License-Identifier: Apache-2.0 */
/* K, the heaviest anti-chain of a kernel DAG (Corollary 1 in section 2.4), as a minimum flow.
 *
 * By Dilworth's theorem with weights, the heaviest anti-chain weighs as much as the least flow from a source s before
 * all kernels to a sink t after all of them that passes every kernel with at least its weight.  A greedy flow comes
 * first; then as much of it as possible is taken back by a maximum flow from t to s in what the flow leaves over.
 * That is a push-relabel algorithm (highest label, gaps, exact labels recomputed now and then) and not Dinic's, whose
 * phases are as many as there are lengths of augmenting paths: too many for a chain of small diamonds. */
#include "model/model.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define UNBOUNDED INT64_MAX

/* Kernel k is the vertices 2k (its entrance) and 2k + 1 (its exit).  The arc from entrance to exit comes first at both,
 * with its bound; the others belong to edges of the DAG. */
typedef struct arc {
    int64_t residual;
    int to, twin;
} arc;

typedef struct network {
    int vertices; /* also the label of those from which s is out of reach */
    int *first;   /* arcs of v are first[v] .. first[v + 1] - 1 */
    arc *arcs;
    int64_t *to_source; /* flow from s into v that may still be taken back */
    int64_t *excess;
    int *label, *current;
    int *active, *next_active;   /* by label: vertices with excess; entries that were lifted since are stale */
    int *layer, *after, *before; /* by label: all vertices, linked both ways */
    int highest_active, highest_layer;
    int *queue;
    int64_t scanned; /* arcs looked at since the labels were exact */
} network;

static void network_free(network *net)
{
    void *all[] = {net->first,  net->arcs,        net->to_source, net->excess, net->label,  net->current,
                   net->active, net->next_active, net->layer,     net->after,  net->before, net->queue};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

static mmm_status network_alloc(network *net, const mmm_order *order)
{
    mmm_status result = MMM_OK;
    int64_t vertices = 2 * (int64_t)order->kernels, arcs = vertices + 2 * (int64_t)order->first[order->kernels];
    if (arcs > INT_MAX)
        FAIL(MMM_TOO_LARGE, "%d kernels with %d edges are too many for the anti-chain", order->kernels,
             order->first[order->kernels]);
    net->vertices = (int)vertices;
    TRY(mmm_alloc(&net->arcs, arcs, sizeof *net->arcs));
    TRY(mmm_alloc(&net->to_source, vertices, sizeof *net->to_source));
    TRY(mmm_alloc(&net->excess, vertices, sizeof *net->excess));
    int **lists[] = {&net->first, &net->label, &net->current, &net->active, &net->next_active,
                     &net->layer, &net->after, &net->before,  &net->queue};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        TRY(mmm_alloc(lists[i], vertices + 1, sizeof(int)));
done:
    return result;
}

static void join(network *net, int from, int from_arc, int to, int to_arc)
{
    net->arcs[from_arc] = (arc){.residual = UNBOUNDED, .to = to, .twin = to_arc};
    net->arcs[to_arc] = (arc){.to = from, .twin = from_arc};
}

/* An arc's residual back is the flow over it, for kernels less their weight; at first there is none. */
static void network_build(network *net, const mmm_order *order)
{
    int n = order->kernels, *first = net->first, *fill = net->current;
    for (int k = 0; k < n; k++) {
        first[2 * k + 1]++;
        first[2 * k + 2] += 1 + order->first[k + 1] - order->first[k];
        for (int i = order->first[k]; i < order->first[k + 1]; i++)
            first[2 * order->to[i] + 1]++;
    }
    for (int v = 0; v < net->vertices; v++)
        first[v + 1] += first[v];
    for (int k = 0; k < n; k++) {
        join(net, 2 * k, first[2 * k], 2 * k + 1, first[2 * k + 1]);
        fill[2 * k] = first[2 * k] + 1;
        fill[2 * k + 1] = first[2 * k + 1] + 1;
    }
    for (int k = 0; k < n; k++)
        for (int i = order->first[k]; i < order->first[k + 1]; i++)
            join(net, 2 * k + 1, fill[2 * k + 1]++, 2 * order->to[i], fill[2 * order->to[i]]++);
}

static int64_t take(network *net, int arc_back, int64_t amount)
{
    net->arcs[arc_back].residual += amount;
    net->excess[net->arcs[arc_back].to] -= amount;
    return amount;
}

/* Flow that has passed a kernel waits at its exit.  The last successor gets all of it, the others only what they lack;
 * what is missing then comes from s, and what nobody fetches goes to t.  Returns the flow. */
static int64_t greedy_flow(network *net, const mmm_order *order, const int64_t *weight)
{
    int64_t total = 0;
    int *left = net->queue;
    for (int k = 0; k < order->kernels; k++)
        left[k] = order->first[k + 1] - order->first[k];
    for (int i = 0; i < order->kernels; i++) {
        int k = order->sequence[i], begin = net->first[2 * k] + 1, end = net->first[2 * k + 1];
        int64_t flow = 0;
        for (int a = begin; a < end; a++)
            if (--left[net->arcs[a].to / 2] == 0) flow += take(net, a, net->excess[net->arcs[a].to]);
        for (int a = begin; a < end && flow < weight[k]; a++) {
            int64_t waiting = net->excess[net->arcs[a].to], lacking = weight[k] - flow;
            flow += take(net, a, waiting < lacking ? waiting : lacking);
        }
        if (flow < weight[k]) {
            net->to_source[2 * k] = weight[k] - flow;
            total += weight[k] - flow;
            flow = weight[k];
        }
        net->arcs[net->first[2 * k + 1]].residual = flow - weight[k];
        net->excess[2 * k + 1] = flow;
    }
    return total;
}

static void activate(network *net, int v)
{
    int label = net->label[v];
    net->next_active[v] = net->active[label];
    net->active[label] = v;
    if (label > net->highest_active) net->highest_active = label;
}

static void layer_insert(network *net, int v)
{
    int label = net->label[v], head = net->layer[label];
    net->after[v] = head;
    net->before[v] = -1;
    if (head >= 0) net->before[head] = v;
    net->layer[label] = v;
    if (label > net->highest_layer) net->highest_layer = label;
}

static void layer_remove(network *net, int v)
{
    if (net->before[v] >= 0)
        net->after[net->before[v]] = net->after[v];
    else
        net->layer[net->label[v]] = net->after[v];
    if (net->after[v] >= 0) net->before[net->after[v]] = net->before[v];
}

/* Exact labels: the distances to s in the residual network. */
static void label_all(network *net)
{
    int begin = 0, end = 0, n = net->vertices;
    memset(net->active, -1, (size_t)n * sizeof(int));
    memset(net->layer, -1, (size_t)n * sizeof(int));
    net->highest_active = net->highest_layer = 0;
    net->scanned = 0;
    for (int v = 0; v < n; v++) {
        net->label[v] = net->to_source[v] > 0 ? 1 : n;
        if (net->to_source[v] > 0) net->queue[end++] = v;
    }
    for (; begin < end; begin++) {
        int v = net->queue[begin];
        net->current[v] = net->first[v];
        layer_insert(net, v);
        if (net->excess[v] > 0) activate(net, v);
        for (int a = net->first[v]; a < net->first[v + 1]; a++) {
            int u = net->arcs[a].to;
            if (net->label[u] < n || net->arcs[net->arcs[a].twin].residual == 0) continue;
            net->label[u] = net->label[v] + 1;
            net->queue[end++] = u;
        }
    }
}

static void push(network *net, int v, arc *over)
{
    int64_t amount = net->excess[v] < over->residual ? net->excess[v] : over->residual;
    arc *back = &net->arcs[over->twin];
    if (over->residual != UNBOUNDED) over->residual -= amount;
    if (back->residual != UNBOUNDED) back->residual += amount;
    net->excess[v] -= amount;
    if (net->excess[over->to] == 0) activate(net, over->to);
    net->excess[over->to] += amount;
}

/* Nothing is left at label `gap`, so s cannot be reached from the labels above it. */
static void lift_above(network *net, int gap)
{
    for (int label = gap + 1; label <= net->highest_layer; label++) {
        for (int v = net->layer[label]; v >= 0; v = net->after[v])
            net->label[v] = net->vertices;
        net->layer[label] = -1;
    }
    net->highest_layer = gap;
}

static void relabel(network *net, int v)
{
    int old = net->label[v], least = net->vertices;
    for (int a = net->first[v]; a < net->first[v + 1]; a++)
        if (net->arcs[a].residual > 0 && net->label[net->arcs[a].to] + 1 < least) {
            least = net->label[net->arcs[a].to] + 1;
            net->current[v] = a;
        }
    net->scanned += net->first[v + 1] - net->first[v];
    layer_remove(net, v);
    net->label[v] = least;
    if (net->layer[old] < 0) {
        net->label[v] = net->vertices;
        lift_above(net, old);
    } else if (least < net->vertices) {
        layer_insert(net, v);
    }
}

/* Moves the excess of v towards s, or v out of the way; returns what reached s. */
static int64_t discharge(network *net, int v)
{
    int64_t reached = 0;
    if (net->to_source[v] > 0) {
        reached = net->excess[v] < net->to_source[v] ? net->excess[v] : net->to_source[v];
        net->to_source[v] -= reached;
        net->excess[v] -= reached;
    }
    while (net->excess[v] > 0 && net->label[v] < net->vertices) {
        int a = net->current[v], end = net->first[v + 1], begin = a;
        for (; a < end; a++) {
            arc *over = &net->arcs[a];
            if (over->residual > 0 && net->label[over->to] + 1 == net->label[v]) push(net, v, over);
            if (net->excess[v] == 0) break; /* the arc may have room left */
        }
        net->scanned += a - begin + 1;
        net->current[v] = a;
        if (net->excess[v] > 0) relabel(net, v);
    }
    return reached;
}

mmm_status mmm_antichain(const mmm_order *order, const int64_t *weight, int64_t *out)
{
    mmm_status result = MMM_OK;
    network net = {0};
    int64_t total = 0;
    for (int k = 0; k < order->kernels; k++) {
        if (weight[k] < 0) FAIL(MMM_INVALID, "kernel %d has a negative weight", k);
        if (__builtin_add_overflow(total, weight[k], &total))
            FAIL(MMM_TOO_LARGE, "the weights of the kernels pass 2^63 - 1 at kernel %d", k);
    }
    TRY(network_alloc(&net, order));
    network_build(&net, order);
    int64_t flow = greedy_flow(&net, order, weight);
    int64_t patience = 2 * ((int64_t)net.vertices + net.first[net.vertices]);
    label_all(&net);
    while (net.highest_active > 0) {
        int v = net.active[net.highest_active];
        if (v < 0) {
            net.highest_active--;
            continue;
        }
        net.active[net.highest_active] = net.next_active[v];
        if (net.label[v] != net.highest_active) continue;
        flow -= discharge(&net, v);
        if (net.scanned > patience) label_all(&net);
    }
    *out = flow;
done:
    network_free(&net);
    return result;
}
