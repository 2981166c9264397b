/* SPDX-License-Identifier: Apache-2.0 */
/* How a gcd over Z scales with ranks, on paper: its tasks are measured here, one after the other, as an engine of P
 * ranks would share them out, and scheduled greedily on P ranks with the network as one more level of memory: a word
 * that a task is sent or sends costs U, a tree of messages its depth times the latency.  Beside it are Theorem 1's (N/P
 * + L) C, and what runs by mpirun measured, where they are given. Use: many [MACHINE [DEGREE BITS [CSV SVG [P=SECONDS
 * ...]]]]; NETWORK=LATENCY_US,GB_S in the environment (2,12.5) */
#include "bench.h"

#include "mmm/engine.h"
#include "mmm/integer.h"
#include "mmm/model.h"
#include "mmm/study.h"

#include <math.h>
#include <string.h>

enum { RANKS_MOST = 1024, TASKS_MOST = 1 << 15, ROUNDS_MOST = 4096, REPEAT = 3, SHARED = 64, POINTS = 16 };

/* ---- An engine that measures: all workers are one, and their tasks are done in turn
 * ---------------------------------- */

typedef struct task {
    double seconds;
    int64_t in, out; /* bytes */
} task;

typedef struct round {
    int first, count;
    double before;  /* seconds of the leader since the last round */
    int64_t spread; /* bytes that go to all ranks */
} round_of;

static struct measured {
    const mmm_engine_library *library;
    void *worker;
    mmm_engine_place place;
    int ranks, rounds, tasks;
    double last, tail;
    task task[TASKS_MOST];
    round_of round[ROUNDS_MOST];
    mmm_engine_data shared[SHARED];
    int fresh[SHARED];
} m;

static mmm_status open_measured(const mmm_engine_library *library, const char *machines, void **state)
{
    m.library = library;
    *state = &m;
    return library->open(machines, 1, &m.place, &m.worker);
}

static void close_measured(void *state)
{
    (void)state;
    m.library->close(m.worker);
}

static int rank_of(void *state)
{
    (void)state;
    return 0;
}

static int ranks_of(void *state)
{
    (void)state;
    return m.ranks;
}

static const mmm_engine_place *place_of(void *state, int worker)
{
    (void)state, (void)worker;
    return &m.place;
}

static mmm_status share(void *state, const void *memory, size_t bytes, int64_t *number)
{
    (void)state;
    for (*number = 0; *number < SHARED; ++*number)
        if (!m.shared[*number].memory) {
            m.shared[*number] = (mmm_engine_data){memory, bytes};
            m.fresh[*number] = 1;
            return MMM_OK;
        }
    return m.library->fail(MMM_MEMORY, "too much is shared");
}

static void drop(void *state, int64_t number)
{
    (void)state;
    m.shared[number].memory = NULL;
}

static mmm_status run(void *state, const int64_t *shared, int count, const mmm_engine_task *tasks, int task_count)
{
    mmm_engine_data data[MMM_ENGINE_SHARED_MOST];
    mmm_status status = MMM_OK;
    (void)state;
    if (m.rounds == ROUNDS_MOST || m.tasks + task_count > TASKS_MOST)
        return m.library->fail(MMM_TOO_LARGE, "too many tasks to look at");
    round_of *r = &m.round[m.rounds++];
    const double start = mmm_now(), before = start - m.last;
    if (!(r->before > 0) || before < r->before) r->before = before;
    r->first = m.tasks;
    r->count = task_count;
    r->spread = 0;
    for (int i = 0; i < count; i++) {
        data[i] = m.shared[shared[i]];
        if (m.fresh[shared[i]]) r->spread += (int64_t)data[i].bytes;
        m.fresh[shared[i]] = 0;
    }
    for (int i = 0; i < task_count && status == MMM_OK; i++) {
        task *t = &m.task[m.tasks++];
        const double begin = mmm_now();
        status = m.library->perform(m.worker, data, count, &tasks[i]);
        const double seconds = mmm_now() - begin;
        if (!(t->seconds > 0) || seconds < t->seconds) t->seconds = seconds;
        t->in = (int64_t)(tasks[i].words_bytes + tasks[i].input_bytes);
        t->out = (int64_t)tasks[i].output_bytes;
    }
    m.last = mmm_now();
    return status;
}

static const mmm_engine_plugin measured = {.version = MMM_ENGINE_VERSION,
                                           .name = "measured",
                                           .open = open_measured,
                                           .close = close_measured,
                                           .rank = rank_of,
                                           .ranks = ranks_of,
                                           .workers = ranks_of,
                                           .place = place_of,
                                           .share = share,
                                           .drop = drop,
                                           .run = run};

/* ---- The program that they make -------------------------------------------------------------------------------------
 */

typedef struct point {
    int ranks;
    int64_t N, L;
    double bound, greedy, work, mpi;
} point;

static double latency = 2e-6, bytes_a_second = 12.5e9;

static void add(mmm_program *program, const char *name, const mmm_cost *costs, int groups, int64_t blocks, int *last)
{
    int kernel;
    must(mmm_program_add(program, name, blocks, 1, &kernel));
    must(mmm_program_set_costs(program, kernel, costs, groups));
    if (*last >= 0) must(mmm_program_depend(program, *last, kernel));
    *last = kernel;
}

static mmm_cost one(double seconds, int64_t words)
{
    const int64_t ns = (int64_t)(seconds * 1e9) + 1;
    return (mmm_cost){.blocks = 1, .work = ns, .span = ns, .span_thread = ns, .reads = words};
}

static point look_at(void)
{
    const double depth = ceil(log2(m.ranks));
    mmm_parameters network = {
        .name = "network", .U = 4 / bytes_a_second * 1e9, .Z = 1 << 30, .P = m.ranks, .operation = 1e-9};
    mmm_program *program;
    mmm_shape shape;
    mmm_measures measures;
    mmm_cost *costs = room(TASKS_MOST, sizeof *costs);
    int last = -1;
    point p = {.ranks = m.ranks};
    must(mmm_program_new(&program));
    for (int i = 0; i < m.rounds; i++) {
        const round_of *r = &m.round[i];
        int64_t results = 0;
        add(program, "lead", (mmm_cost[]){one(r->before, 0)}, 1, 1, &last);
        if (m.ranks > 1)
            add(program, "spread", (mmm_cost[]){one(depth * latency, (int64_t)depth * r->spread / 4)}, 1, 1, &last);
        for (int k = 0; k < r->count; k++) {
            const task *t = &m.task[r->first + k];
            costs[k] = one(t->seconds, m.ranks > 1 ? t->in / 4 : 0);
            costs[k].writes = m.ranks > 1 ? t->out / 4 : 0;
            results += t->out;
            p.work += t->seconds;
        }
        add(program, "tasks", costs, r->count, r->count, &last);
        if (m.ranks > 1) add(program, "gather", (mmm_cost[]){one(depth * latency, results / 4)}, 1, 1, &last);
    }
    add(program, "end", (mmm_cost[]){one(m.tail, 0)}, 1, 1, &last);
    must(mmm_program_shape(program, &shape));
    must(mmm_program_measures(program, &network, &measures));
    must(mmm_program_schedule(program, &network, m.ranks, 1, NULL, NULL, &p.greedy));
    p.N = shape.N;
    p.L = shape.L;
    p.bound = mmm_theorem1(&shape, &measures, m.ranks) * 1e-9;
    p.greedy *= 1e-9;
    mmm_program_free(program);
    free(costs);
    return p;
}

/* ---- The curve ------------------------------------------------------------------------------------------------------
 */

enum { LEFT = 70, TOP = 30, WIDE = 560, HIGH = 340 };

static double across(double ranks)
{
    return LEFT + WIDE * log2(ranks) / log2(RANKS_MOST);
}

static double up(double speedup)
{
    return TOP + HIGH - HIGH * log2(speedup > 0.5 ? speedup : 0.5) / log2(RANKS_MOST);
}

static void draw(const char *path, const point *p, int count, const char *title)
{
    static const char *const names[] = {"greedy schedule of the measured tasks", "Theorem 1, (N/P + L) C",
                                        "P times as fast"};
    static const char *const colours[] = {"#0072b2", "#d55e00", "#888"};
    FILE *svg = fopen(path, "w");
    if (!svg) must(mmm_fail(MMM_IO, "'%s' cannot be written", path));
    fprintf(svg,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" "
            "font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n<text x=\"%d\" "
            "y=\"18\">%s</text>\n",
            LEFT + WIDE + 30, TOP + HIGH + 110, LEFT, title);
    for (int ranks = 1; ranks <= RANKS_MOST; ranks *= 4)
        fprintf(svg,
                "<path d=\"M%.1f %dv%d M%d %.1fh%d\" stroke=\"#ddd\"/>\n<text x=\"%.1f\" y=\"%d\" "
                "text-anchor=\"middle\">%d</text>\n<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%d</text>\n",
                across(ranks), TOP, HIGH, LEFT, up(ranks), WIDE, across(ranks), TOP + HIGH + 18, ranks, LEFT - 8,
                up(ranks) + 4, ranks);
    fprintf(svg, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">ranks</text>\n", LEFT + WIDE / 2, TOP + HIGH + 36);
    fprintf(
        svg,
        "<text x=\"16\" y=\"%d\" transform=\"rotate(-90 16 %d)\" text-anchor=\"middle\">times as fast as one</text>\n",
        TOP + HIGH / 2, TOP + HIGH / 2);
    for (int line = 0; line < 3; line++) {
        fprintf(svg, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"", colours[line]);
        for (int i = 0; i < count; i++)
            fprintf(svg, "%.1f,%.1f ", across(p[i].ranks),
                    up(line == 0   ? p[0].greedy / p[i].greedy
                       : line == 1 ? p[0].greedy / p[i].bound
                                   : p[i].ranks));
        fprintf(svg, "\"/>\n<text x=\"%d\" y=\"%d\" fill=\"%s\">%s</text>\n", LEFT + 10, TOP + HIGH + 54 + 16 * line,
                colours[line], names[line]);
    }
    for (int i = 0; i < count; i++)
        if (p[i].mpi > 0 && p[0].mpi > 0)
            fprintf(svg, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\" fill=\"none\" stroke=\"#000\" stroke-width=\"2\"/>\n",
                    across(p[i].ranks), up(p[0].mpi / p[i].mpi));
    if (p[0].mpi > 0)
        fprintf(svg, "<text x=\"%d\" y=\"%d\">circles: measured by mpirun on one computer</text>\n", LEFT + 300,
                TOP + HIGH + 54);
    fprintf(svg, "</svg>\n");
    if (fclose(svg)) must(mmm_fail(MMM_IO, "'%s' cannot be written", path));
}

static void draw_number(fmpz_poly_t a, flint_rand_t random, slong terms, flint_bitcnt_t bits)
{
    fmpz_t c;
    fmpz_init(c);
    for (slong i = 0; i < terms; i++) {
        fmpz_randbits(c, random, bits);
        fmpz_poly_set_coeff_fmpz(a, i, c);
    }
    fmpz_clear(c);
}

static void measure(mmm_machine *machine, const fmpz_poly_t a, const fmpz_poly_t b, fmpz_poly_t g)
{
    memset(m.task, 0, sizeof m.task);
    memset(m.round, 0, sizeof m.round);
    m.tail = 1e9;
    for (int i = 0; i < REPEAT; i++) {
        m.rounds = m.tasks = 0;
        m.last = mmm_now();
        must(mmm_integer_gcd(machine, g, a, b, NULL));
        m.tail = fmin(m.tail, mmm_now() - m.last);
    }
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "cpu", *network = getenv("NETWORK");
    const slong degree = argc > 3 ? atol(argv[2]) : 2000, bits = argc > 3 ? atol(argv[3]) : 2000;
    mmm_engine *engine;
    mmm_machine *machine;
    flint_rand_t random;
    fmpz_poly_t a, b, g, u, known;
    point points[POINTS];
    char title[256];
    int count = 0;
    double us, gbs;
    if (network && sscanf(network, "%lf,%lf", &us, &gbs) == 2 && us > 0 && gbs > 0) {
        latency = us * 1e-6;
        bytes_a_second = gbs * 1e9;
    }
    must(mmm_machine_open("cpu", &machine));
    flint_randinit(random);
    fmpz_poly_init(a), fmpz_poly_init(b), fmpz_poly_init(g), fmpz_poly_init(u), fmpz_poly_init(known);
    draw_number(known, random, degree / 2 + 1, (flint_bitcnt_t)(bits / 2));
    draw_number(u, random, degree / 2 + 1, (flint_bitcnt_t)(bits / 2 - 8));
    fmpz_poly_mul(a, known, u);
    draw_number(u, random, degree / 2 + 1, (flint_bitcnt_t)(bits / 2 - 8));
    fmpz_poly_mul(b, known, u);
    snprintf(title, sizeof title, "gcd over Z, degree %ld, %ld bits, on %s; network of %g us and %g GB/s", (long)degree,
             (long)bits, name, latency * 1e6, bytes_a_second * 1e-9);
    FILE *csv = argc > 4 ? fopen(argv[4], "w") : NULL;
    if (csv) fprintf(csv, "ranks,N,L,work,greedy,bound,mpirun\n");
    printf("%s\n%6s %7s %5s %10s %12s %12s %10s %12s\n", title, "ranks", "tasks", "L", "work s", "greedy s",
           "(N/P+L)C s", "faster", "mpirun s");
    for (m.ranks = 1; m.ranks <= RANKS_MOST; m.ranks *= 2) {
        point *p = &points[count++];
        must(mmm_engine_new(&measured, name, &engine));
        must(mmm_machine_engage(machine, engine));
        measure(machine, a, b, g);
        mmm_engine_free(engine);
        if (fmpz_poly_degree(g) != degree / 2) must(mmm_fail(MMM_WRONG, "the gcd has another degree"));
        *p = look_at();
        for (int i = 6; i < argc; i++) {
            int ranks;
            double seconds;
            if (sscanf(argv[i], "%d=%lf", &ranks, &seconds) == 2 && ranks == p->ranks) p->mpi = seconds;
        }
        printf("%6d %7lld %5lld %10.4f %12.6f %12.6f %9.2fx", p->ranks, (long long)p->N, (long long)p->L, p->work,
               p->greedy, p->bound, points[0].greedy / p->greedy);
        if (p->mpi > 0)
            printf(" %12.6f\n", p->mpi);
        else
            printf("\n");
        fflush(stdout);
        if (csv)
            fprintf(csv, "%d,%lld,%lld,%.6f,%.9f,%.9f,%.9f\n", p->ranks, (long long)p->N, (long long)p->L, p->work,
                    p->greedy, p->bound, p->mpi);
    }
    if (csv) fclose(csv);
    if (argc > 5) draw(argv[5], points, count, title);
    fmpz_poly_clear(a), fmpz_poly_clear(b), fmpz_poly_clear(g), fmpz_poly_clear(u), fmpz_poly_clear(known);
    flint_randclear(random);
    mmm_machine_free(machine);
    return 0;
}
