/* SPDX-License-Identifier: Apache-2.0 */
/* What calls on the CPU take while every core has other work, beside their time with one thread while none has: first
 * the one, then as many processes that compute as there are cores, and the other.  Each call is timed by itself;
 * medians, and the time that nine of ten do not exceed.  The target is twice the idle time.  `own` is the processor's
 * time of the calls on busy cores beside the idle time: what is more than that was spent waiting for a core, of which a
 * thread gets half where it shares it with one other.  `plain` is the ratio of a loop without threads that does the
 * same: FLINT's function, or the C library's sort; what it takes more on busy cores is the system's doing. Use: busy
 * [SECONDS a row] */
#include "bench.h"
#include "mmm.h"

#include <flint/nmod_poly.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { P = 2013265921, CALLS_MOST = 20000, CHILDREN_MOST = 256, CHILD_SECONDS = 60 };

typedef enum operation { MULTIPLY, DIVIDE, GCD, SORT } operation;
static const char *const names[] = {"multiply", "divide", "gcd", "sort u32"};

static const struct row {
    operation what;
    int64_t n, m;
} rows[] = {{MULTIPLY, 64, 64},   {MULTIPLY, 4096, 4096},     {MULTIPLY, 1 << 18, 1 << 18},
            {DIVIDE, 2048, 1024}, {DIVIDE, 1 << 17, 1 << 16}, {GCD, 256, 256},
            {GCD, 4000, 4000},    {GCD, 30000, 30000},        {SORT, 10000, 0},
            {SORT, 2000000, 0}};
enum { ROWS = sizeof rows / sizeof *rows };

static uint64_t *a, *b, *f, *g;
static uint32_t *keys, *sorted;
static nmod_poly_t polynomials[4];

static int compare_keys(const void *x, const void *y)
{
    const uint32_t *u = x, *v = y;
    return (*u > *v) - (*u < *v);
}

static void call_plain(const struct row *r)
{
    switch (r->what) {
    case MULTIPLY: nmod_poly_mul(polynomials[2], polynomials[0], polynomials[1]); break;
    case DIVIDE: nmod_poly_divrem(polynomials[2], polynomials[3], polynomials[0], polynomials[1]); break;
    case GCD: nmod_poly_gcd(polynomials[2], polynomials[0], polynomials[1]); break;
    case SORT: qsort(sorted, (size_t)r->n, sizeof *sorted, compare_keys); break;
    }
}

/* The same without a machine: by others, in a plain loop. */
static void call(mmm_machine *machine, const struct row *r)
{
    int64_t terms, more;
    if (!machine) {
        call_plain(r);
        return;
    }
    switch (r->what) {
    case MULTIPLY: must(mmm_multiply(machine, P, a, r->n, b, r->m, f, &terms)); break;
    case DIVIDE: must(mmm_divide(machine, P, a, r->n, b, r->m, f, &terms, g, &more)); break;
    case GCD: must(mmm_gcd(machine, P, a, r->n, b, r->m, f, &terms)); break;
    case SORT: must(mmm_sort_u32(machine, sorted, NULL, r->n)); break;
    }
}

static double processor_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Times of calls in order, those of all threads' processors too, and how many. */
static int time_calls(mmm_machine *machine, const struct row *r, double seconds, double *times, double *own)
{
    const double begun = mmm_now();
    int count = 0;
    nmod_poly_zero(polynomials[0]);
    nmod_poly_zero(polynomials[1]);
    for (int64_t i = r->n; !machine && r->what != SORT && i-- > 0;) {
        nmod_poly_set_coeff_ui(polynomials[0], i, a[i]);
        nmod_poly_set_coeff_ui(polynomials[1], i, i < r->m ? b[i] : 0);
    }
    if (r->what == SORT) memcpy(sorted, keys, (size_t)r->n * sizeof *keys);
    call(machine, r);
    while (count < 5 || (count < CALLS_MOST && mmm_now() - begun < seconds)) {
        if (r->what == SORT) memcpy(sorted, keys, (size_t)r->n * sizeof *keys);
        const double start = mmm_now(), processor = processor_time();
        call(machine, r);
        own[count] = processor_time() - processor;
        times[count++] = mmm_now() - start;
    }
    sort_times(times, count);
    sort_times(own, count);
    return count;
}

/* Their median; *most is what nine of ten do not exceed, *own the median of the processor's time. */
static double measure(mmm_machine *machine, const struct row *r, double seconds, double *most, double *own)
{
    static double times[CALLS_MOST], processor[CALLS_MOST];
    const int count = time_calls(machine, r, seconds, times, processor);
    *most = times[(count - 1) * 9 / 10];
    *own = processor[(count - 1) / 2];
    return times[(count - 1) / 2];
}

static mmm_machine *open_with(const char *threads)
{
    mmm_machine *machine;
    if (threads)
        setenv("OMP_NUM_THREADS", threads, 1);
    else
        unsetenv("OMP_NUM_THREADS");
    must(mmm_machine_open("cpu", &machine));
    return machine;
}

static void compute_forever(void)
{
    volatile uint64_t x = 1;
    alarm(CHILD_SECONDS);
    for (;;)
        x = x * 6364136223846793005u + 1;
}

int main(int argc, char **argv)
{
    double idle[ROWS], plain[ROWS], most_time, own;
    const double seconds = argc > 1 ? atof(argv[1]) : 1;
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const int64_t most = 1 << 21;
    pid_t children[CHILDREN_MOST];
    int count = 0;
    a = room(most, 8), b = room(most, 8), f = room(2 * most, 8), g = room(2 * most, 8);
    keys = room(most, 4), sorted = room(most, 4);
    uint64_t x = 1;
    for (int64_t i = 0; i < most; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        a[i] = 1 + (x >> 33) % (P - 1), b[i] = 1 + (x >> 20) % (P - 1), keys[i] = (uint32_t)(x >> 32);
    }
    mmm_machine *one = open_with("1"), *all = open_with(NULL);
    for (int i = 0; i < 4; i++)
        nmod_poly_init(polynomials[i], P);
    for (int i = 0; i < ROWS; i++) {
        idle[i] = measure(one, &rows[i], seconds / 2, &most_time, &own);
        plain[i] = measure(NULL, &rows[i], seconds / 2, &most_time, &own);
    }
    for (; count < cores && count < CHILDREN_MOST; count++) {
        children[count] = fork();
        if (children[count] == 0) compute_forever();
        if (children[count] < 0) break;
    }
    printf("calls on cpu (%s), p = %d, in us: one thread, nothing else; all threads, %d processes that compute\n",
           mmm_machine_description(all), P, count);
    printf("%-8s %8s %8s %12s %12s %12s %8s %8s %8s\n", "call", "n", "m", "idle", "busy", "nine of ten", "ratio", "own",
           "plain");
    for (int i = 0; i < ROWS; i++) {
        double unused, processor;
        const double busy = measure(all, &rows[i], seconds, &most_time, &own);
        const double control = measure(NULL, &rows[i], seconds, &unused, &processor);
        printf("%-8s %8lld %8lld %12.2f %12.2f %12.2f %8.2f %8.2f %8.2f\n", names[rows[i].what], (long long)rows[i].n,
               (long long)rows[i].m, idle[i] * 1e6, busy * 1e6, most_time * 1e6, busy / idle[i], own / idle[i],
               control / plain[i]);
        fflush(stdout);
    }
    for (int i = 0; i < count; i++)
        if (children[i] > 0) kill(children[i], SIGKILL), waitpid(children[i], NULL, 0);
    for (int i = 0; i < 4; i++)
        nmod_poly_clear(polynomials[i]);
    mmm_machine_free(one);
    mmm_machine_free(all);
    free(a), free(b), free(f), free(g), free(keys), free(sorted);
    return 0;
}
