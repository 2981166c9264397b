/* SPDX-License-Identifier: Apache-2.0 */
/* An example of each function of mmm.h, for the reference (api.awk).  make test compiles and runs it in a folder of its
 * own. */
#include "example.h"

/* mmm_version */
static void version(void)
{
    printf("mmm %s\n", mmm_version());
}

/* mmm_message */
static void message(void)
{
    mmm_machine *machine;
    if (mmm_machine_open("nosuch", &machine) != MMM_OK) puts(mmm_message()); /* names the bad word and the right ones */
}

/* mmm_status_name */
static void status_name(void)
{
    assert(strcmp(mmm_status_name(MMM_TOO_LARGE), "too large") == 0);
}

/* mmm_machine_open */
static mmm_machine *open_machine(void)
{
    mmm_machine *machine;
    must(mmm_machine_open("cpu", &machine)); /* "cuda:0" or "opencl:0" for a device */
    return machine;
}

/* mmm_machine_free */
static void open_and_free(void)
{
    mmm_machine *machine;
    must(mmm_machine_open("abstract", &machine));
    mmm_machine_free(machine);
}

/* mmm_machine_description */
static void description(mmm_machine *machine)
{
    puts(mmm_machine_description(machine)); /* 2 cores, AVX-512 */
}

/* mmm_machine_has_time */
static void has_time(mmm_machine *machine)
{
    assert(mmm_machine_has_time(machine)); /* it can be tuned */
}

/* mmm_machine_list */
static void print_machine(void *context, const mmm_machine_info *info)
{
    printf("%s%s: %s\n", (const char *)context, info->name, info->works ? info->description : "not usable");
}

static void list_machines(void)
{
    char indent[] = "  ";
    mmm_machine_list(print_machine, indent);
}

/* mmm_machine_set_time_limit */
static void set_time_limit(mmm_machine *machine)
{
    mmm_machine_set_time_limit(machine, 10); /* seconds; for GPUs */
    mmm_machine_set_time_limit(machine, 0);  /* never, again */
}

/* mmm_machine_set_launches */
static void set_launches(mmm_machine *machine)
{
    if (mmm_machine_set_launches(machine, 100) != MMM_OK) puts(mmm_message()); /* CUDA devices can do that */
}

/* mmm_machine_transferred */
static void transferred(mmm_machine *machine)
{
    int64_t in, out;
    mmm_machine_transferred(machine, &in, &out);
    printf("%lld bytes went in, %lld out\n", (long long)in, (long long)out);
}

/* mmm_machine_on_progress */
static int stop(void *context, double done)
{
    return *(int *)context && done < 1; /* other than 0 stops the run, which fails with MMM_STOPPED */
}

static void on_progress(mmm_machine *machine)
{
    int wanted = 0;
    mmm_machine_on_progress(machine, stop, &wanted);
    mmm_machine_on_progress(machine, NULL, NULL);
}

/* mmm_fastest */
static void fastest(mmm_machine *machine)
{
    puts(mmm_fastest(machine, "multiplication", P, 1 << 20, 1 << 20)); /* multiplication-ntt */
}

/* mmm_multiply */
static void multiply(mmm_machine *machine)
{
    uint64_t a[] = {1, 1}, b[] = {2, 1}, f[3]; /* x + 1 and x + 2 */
    int64_t terms;
    must(mmm_multiply(machine, P, a, 2, b, 2, f, &terms));
    assert(terms == 3 && f[0] == 2 && f[1] == 3 && f[2] == 1);
}

/* mmm_divide */
static void divide(mmm_machine *machine)
{
    uint64_t a[] = {3, 3, 1}, b[] = {1, 1}, q[3], r[3];
    int64_t q_terms, r_terms;
    must(mmm_divide(machine, P, a, 3, b, 2, q, &q_terms, r, &r_terms));
    assert(q_terms == 2 && q[0] == 2 && q[1] == 1); /* x + 2 */
    assert(r_terms == 1 && r[0] == 1);
}

/* mmm_gcd */
static void gcd(mmm_machine *machine)
{
    uint64_t a[] = {2, 3, 1}, b[] = {5, 6, 1}, g[3]; /* (x + 1)(x + 2) and (x + 1)(x + 5) */
    int64_t terms;
    must(mmm_gcd(machine, P, a, 3, b, 3, g, &terms));
    assert(terms == 2 && g[0] == 1 && g[1] == 1); /* x + 1 */
}

/* mmm_sort_u32 */
static void sort_u32(mmm_machine *machine)
{
    uint32_t keys[] = {3, 1, 2}, values[] = {30, 10, 20};
    must(mmm_sort_u32(machine, keys, values, 3));
    assert(keys[0] == 1 && values[0] == 10 && keys[2] == 3 && values[2] == 30);
}

/* mmm_sort_u64 */
static void sort_u64(mmm_machine *machine)
{
    uint64_t keys[] = {3, 1, (uint64_t)1 << 63, 2};
    must(mmm_sort_u64(machine, keys, NULL, 4)); /* no values */
    assert(keys[0] == 1 && keys[3] == (uint64_t)1 << 63);
}

/* mmm_multiply_many */
static void multiply_many(mmm_machine *machine)
{
    uint64_t a[2][2] = {{1, 1}, {3, 1}}, b[2][2] = {{2, 1}, {3, 1}}, f[2][3]; /* two products in one call */
    int64_t terms[2];
    must(mmm_multiply_many(machine, P, 2, a[0], 2, b[0], 2, f[0], terms));
    assert(f[0][0] == 2 && f[1][0] == 9 && f[1][1] == 6);
}

/* mmm_divide_many */
static void divide_many(mmm_machine *machine)
{
    uint64_t a[2][3] = {{3, 3, 1}, {1, 0, 1}}, b[2][2] = {{1, 1}, {1, 1}}, q[2][2], r[2][1];
    int64_t q_terms[2], r_terms[2];
    must(mmm_divide_many(machine, P, 2, a[0], 3, b[0], 2, q[0], q_terms, r[0], r_terms));
    assert(q[0][0] == 2 && r[0][0] == 1 && q[1][0] == P - 1 && r[1][0] == 2);
}

/* mmm_gcd_many */
static void gcd_many(mmm_machine *machine)
{
    uint64_t a[2][3] = {{2, 3, 1}, {2, 3, 1}}, b[2][3] = {{5, 6, 1}, {2, 3, 1}}, g[2][3];
    int64_t terms[2];
    must(mmm_gcd_many(machine, P, 2, a[0], 3, b[0], 3, g[0], terms));
    assert(terms[0] == 2 && terms[1] == 3 && g[1][0] == 2);
}

/* mmm_sort_many_u32 */
static void sort_many_u32(mmm_machine *machine)
{
    uint32_t keys[2][3] = {{3, 1, 2}, {6, 5, 4}};
    must(mmm_sort_many_u32(machine, 2, keys[0], NULL, 3)); /* each three for themselves */
    assert(keys[0][0] == 1 && keys[1][0] == 4 && keys[1][2] == 6);
}

/* mmm_sort_many_u64 */
static void sort_many_u64(mmm_machine *machine)
{
    uint64_t keys[2][2] = {{2, 1}, {4, 3}}, values[2][2] = {{20, 10}, {40, 30}};
    must(mmm_sort_many_u64(machine, 2, keys[0], values[0], 2));
    assert(keys[0][0] == 1 && values[0][0] == 10 && values[1][1] == 40);
}

/* mmm_array_new */
static mmm_array *new_array(mmm_machine *machine)
{
    uint64_t coefficients[] = {2, 3, 1};
    mmm_array *x;
    must(mmm_array_new(machine, P, coefficients, 3, &x)); /* now in the machine's memory */
    return x;
}

/* mmm_array_free */
static void free_array(mmm_machine *machine)
{
    mmm_array *x;
    must(mmm_array_new(machine, P, (uint64_t[]){1, 1}, 2, &x));
    mmm_array_free(x);
}

/* mmm_array_wrap */
static void wrap(mmm_machine *machine)
{
    uint32_t memory[2] = {0, 0}; /* on the cpu host memory will do; p < 2^31 has words of 32 bits */
    mmm_array *x;
    must(mmm_array_wrap(machine, P, memory, 2, &x));
    assert(mmm_array_terms(x) == 0); /* leading zeros do not count */
    mmm_array_free(x);
}

/* mmm_array_memory */
static void memory(const mmm_array *x)
{
    assert(mmm_array_memory(x)); /* a CUDA pointer, a cl_mem, or on the cpu host memory */
}

/* mmm_array_terms */
static void terms_of(const mmm_array *x)
{
    assert(mmm_array_terms(x) == 3);
}

/* mmm_array_read */
static void read_array(const mmm_array *x)
{
    uint64_t coefficients[3];
    must(mmm_array_read(x, coefficients));
    assert(coefficients[0] == 2 && coefficients[1] == 3 && coefficients[2] == 1);
}

/* mmm_array_multiply */
static void array_multiply(const mmm_array *x)
{
    mmm_array *f;
    must(mmm_array_multiply(x, x, &f));
    assert(mmm_array_terms(f) == 5);
    mmm_array_free(f);
}

/* mmm_array_divide */
static void array_divide(const mmm_array *x)
{
    mmm_array *q, *r;
    must(mmm_array_divide(x, x, &q, &r));
    assert(mmm_array_terms(q) == 1 && mmm_array_terms(r) == 0); /* 1 and 0 */
    mmm_array_free(q);
    mmm_array_free(r);
}

/* mmm_array_gcd */
static void array_gcd(const mmm_array *x)
{
    mmm_array *g;
    must(mmm_array_gcd(x, x, &g));
    assert(mmm_array_terms(g) == 3);
    mmm_array_free(g);
}

/* mmm_app_list */
static void list_apps(void)
{
    int count = 0;
    for (const mmm_app *const *app = mmm_app_list(); *app; app++)
        count++; /* <mmm/app.h> has what (*app)-> tells */
    assert(count > 0);
}

/* mmm_app_open */
static void open_app(void)
{
    const mmm_app *app;
    must(mmm_app_open("gcd", &app)); /* or "./stencil", a folder of one's own */
}

/* mmm_app_compile */
static void compile_app(const char *folder)
{
    char object[4096];
    snprintf(object, sizeof object, "%s.o", folder);
    if (mmm_app_compile(folder, object) != MMM_OK) puts(mmm_message()); /* its record must have a name for that */
}

/* mmm_app_warnings */
static void warnings(void)
{
    const mmm_app *app;
    must(mmm_app_open("gcd", &app));
    assert(*mmm_app_warnings(app) == 0); /* nothing */
}

/* mmm_app_create */
static void create_app(const char *folder)
{
    must(mmm_app_create(folder)); /* kernels.c and app.c, to be changed */
}

/* mmm_job_new */
static mmm_job *new_job(void)
{
    mmm_job *job;
    must(mmm_job_new("gcd", &job));
    return job;
}

/* mmm_job_free */
static void free_job(void)
{
    mmm_job *job;
    must(mmm_job_new("division", &job));
    mmm_job_free(job);
}

/* mmm_job_app */
static void app_of(const mmm_job *job)
{
    assert(mmm_job_app(job));
}

/* mmm_job_set */
static void set(mmm_job *job)
{
    must(mmm_job_set(job, "s", 4));
    if (mmm_job_set(job, "nosuch", 1) != MMM_OK) puts(mmm_message()); /* lists the names there are */
}

/* mmm_job_usual */
static void usual(mmm_job *job, const mmm_machine *machine)
{
    must(mmm_job_usual(job, machine)); /* values for the choices that were not set */
}

/* mmm_job_get */
static void get(const mmm_job *job)
{
    assert(mmm_job_get(job, "s") == 4);
}

/* mmm_job_read */
static void read_input(mmm_job *job, const char *path)
{
    FILE *file = fopen(path, "w");
    fputs("3 101  2 3 1\n", file); /* length, modulus, coefficients */
    fclose(file);
    must(mmm_job_read(job, 0, path));
}

/* mmm_job_polynomial */
static void give_polynomial(mmm_job *job)
{
    uint64_t b[] = {5, 6, 1};
    must(mmm_job_polynomial(job, 1, P, b, 3));
}

/* mmm_job_give */
static void give(mmm_machine *machine)
{
    mmm_job *job;
    uint64_t keys[] = {3, 1, 2}; /* words */
    must(mmm_job_new("radix-sort", &job));
    must(mmm_job_give(job, 0, keys, (int64_t[]){3}, 1));
    must(mmm_job_run(job, machine, NULL));
    assert(((const uint64_t *)mmm_job_result(job, 0, NULL))[0] == 1);
    mmm_job_free(job);
}

/* mmm_job_prepare */
static void prepare(mmm_job *job)
{
    must(mmm_job_prepare(job)); /* inputs that were not given are drawn; the program is built */
}

/* mmm_job_program */
static void program_of(mmm_job *job)
{
    assert(mmm_job_program(job)); /* <mmm/model.h> says what can be known of it */
}

/* mmm_job_run */
static void run(mmm_job *job, mmm_machine *machine)
{
    double seconds;
    must(mmm_job_run(job, machine, &seconds));
    printf("%g s\n", seconds);
}

/* mmm_job_result */
static void result(const mmm_job *job)
{
    int64_t count;
    const uint64_t *g = mmm_job_result(job, 0, &count);
    assert(count == 2 && g[0] == 1 && g[1] == 1); /* x + 1 */
}

/* mmm_job_check */
static void check(const mmm_job *job)
{
    must(mmm_job_check(job)); /* MMM_WRONG where FLINT says otherwise */
}

/* mmm_job_check_timed */
static void check_timed(const mmm_job *job)
{
    double seconds;
    must(mmm_job_check_timed(job, &seconds));
}

/* mmm_job_write */
static void write_output(const mmm_job *job, const char *path)
{
    must(mmm_job_write(job, 0, path)); /* "2 101  1 1" */
}

/* mmm_job_set_batch */
static void batch(mmm_machine *machine)
{
    mmm_job *job;
    must(mmm_job_new("multiplication", &job));
    must(mmm_job_set(job, "n", 40));
    must(mmm_job_set(job, "m", 40));
    must(mmm_job_set_batch(job, 5)); /* five products of 40 by 40 terms */
    must(mmm_job_run(job, machine, NULL));
    must(mmm_job_check(job));
    mmm_job_free(job);
}

/* mmm_job_select */
static void select_problem(mmm_machine *machine)
{
    mmm_job *job;
    must(mmm_job_new("multiplication", &job));
    must(mmm_job_set_batch(job, 2));
    must(mmm_job_run(job, machine, NULL));
    must(mmm_job_select(job, 1)); /* results are now those of the second problem */
    assert(mmm_job_result(job, 0, NULL));
    mmm_job_free(job);
}

/* mmm_plan_multiply */
static mmm_plan *new_plan(mmm_machine *machine)
{
    mmm_plan *plan;
    must(mmm_plan_multiply(machine, P, 2, 2, 1, &plan)); /* products of 2 by 2 terms, one at a time */
    return plan;
}

/* mmm_plan_divide */
static void plan_divide(mmm_machine *machine)
{
    mmm_plan *plan;
    uint64_t a[] = {3, 3, 1}, b[] = {1, 1}, q[2], r[2];
    must(mmm_plan_divide(machine, P, 3, 2, 1, &plan));
    must(mmm_plan_run(plan, (const void *[]){a, b}, (void *[]){q, r}, NULL));
    assert(q[0] == 2 && q[1] == 1 && r[0] == 1);
    mmm_plan_free(plan);
}

/* mmm_plan_gcd */
static void plan_gcd(mmm_machine *machine)
{
    mmm_plan *plan;
    uint64_t a[] = {2, 3, 1}, b[] = {5, 6, 1}, g[3];
    int64_t terms;
    must(mmm_plan_gcd(machine, P, 3, 3, 1, &plan));
    must(mmm_plan_run(plan, (const void *[]){a, b}, (void *[]){g}, (int64_t *[]){&terms}));
    assert(terms == 2 && g[0] == 1);
    mmm_plan_free(plan);
}

/* mmm_plan_sort */
static void plan_sort(mmm_machine *machine)
{
    mmm_plan *plan;
    uint32_t keys[] = {3, 1, 2}, sorted[3];
    must(mmm_plan_sort(machine, 3, 32, 0, 1, &plan)); /* three keys of 32 bits, no values */
    must(mmm_plan_run(plan, (const void *[]){keys}, (void *[]){sorted}, NULL));
    assert(sorted[0] == 1 && sorted[2] == 3);
    mmm_plan_free(plan);
}

/* mmm_plan_take */
static void plan_take(mmm_machine *machine)
{
    mmm_job *job;
    mmm_plan *plan;
    must(mmm_job_new("multiplication", &job));
    must(mmm_job_set(job, "n", 30));
    must(mmm_job_set(job, "m", 20));
    must(mmm_plan_take(job, machine, &plan)); /* the job is the plan's now */
    mmm_plan_free(plan);
}

/* mmm_plan_free */
static void free_plan(mmm_machine *machine)
{
    mmm_plan *plan;
    must(mmm_plan_multiply(machine, P, 5, 5, 1, &plan));
    mmm_plan_free(plan);
}

/* mmm_plan_run */
static void plan_run(mmm_plan *plan)
{
    uint64_t a[] = {1, 1}, b[] = {2, 1}, f[3];
    int64_t terms;
    must(mmm_plan_run(plan, (const void *[]){a, b}, (void *[]){f}, (int64_t *[]){&terms}));
    assert(terms == 3 && f[0] == 2 && f[1] == 3 && f[2] == 1);
}

/* mmm_plan_room */
static void plan_room(const mmm_plan *plan)
{
    assert(mmm_plan_room(plan, 0) == 3); /* of a product of 2 by 2 terms */
}

/* mmm_plan_seconds */
static void plan_seconds(const mmm_plan *plan)
{
    assert(mmm_plan_seconds(plan) >= 0);
}

/* end */
int main(void)
{
    char folder[4096], path[4096];
    snprintf(folder, sizeof folder, "stencil");
    snprintf(path, sizeof path, "a.poly");
    version();
    message();
    status_name();
    mmm_machine *machine = open_machine();
    open_and_free();
    description(machine);
    has_time(machine);
    list_machines();
    set_time_limit(machine);
    set_launches(machine);
    transferred(machine);
    on_progress(machine);
    fastest(machine);
    multiply(machine);
    divide(machine);
    gcd(machine);
    sort_u32(machine);
    sort_u64(machine);
    multiply_many(machine);
    divide_many(machine);
    gcd_many(machine);
    sort_many_u32(machine);
    sort_many_u64(machine);
    mmm_array *x = new_array(machine);
    free_array(machine);
    wrap(machine);
    memory(x);
    terms_of(x);
    read_array(x);
    array_multiply(x);
    array_divide(x);
    array_gcd(x);
    mmm_array_free(x);
    list_apps();
    open_app();
    create_app(folder);
    compile_app(folder);
    warnings();
    mmm_job *job = new_job();
    free_job();
    app_of(job);
    set(job);
    get(job);
    read_input(job, path);
    give_polynomial(job);
    usual(job, machine);
    give(machine);
    prepare(job);
    program_of(job);
    run(job, machine);
    result(job);
    check(job);
    check_timed(job);
    write_output(job, path);
    mmm_job_free(job);
    batch(machine);
    select_problem(machine);
    mmm_plan *plan = new_plan(machine);
    plan_divide(machine);
    plan_gcd(machine);
    plan_sort(machine);
    plan_take(machine);
    free_plan(machine);
    plan_run(plan);
    plan_room(plan);
    plan_seconds(plan);
    mmm_plan_free(plan);
    mmm_machine_free(machine);
    return 0;
}
