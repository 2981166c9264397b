/* SPDX-License-Identifier: Apache-2.0 */
/* A program of one's own: a tree of kernels that adds n numbers modulo p, counted on the abstract machine and then run
 * on every machine there is.  Each level has 1/(2 l) as many numbers as the one before. */
#include <mmm/kernel.h>
#include <mmm/model.h>

#include <stdio.h>
#include <stdlib.h>

enum { N = 1000000 };

static const uint64_t p = 2013265921;

/* The kernel as it was compiled by the Makefile, and its text for GPUs. */
mmm_entry reduction_w32_count, reduction_w32_base;
__asm__(".section .rodata\n.global reduction_text\nreduction_text:\n.incbin \"reduction.c\"\n.byte 0\n.previous");
extern const char reduction_text[];
static const char *texts[4];
static const mmm_kernel reduction = {.name = "reduction",
                                     .file = "reduction.c",
                                     .texts = texts,
                                     .counted = {reduction_w32_count},
                                     .compiled = {{reduction_w32_base, reduction_w32_base, reduction_w32_base}}};

static void must(mmm_status status)
{
    if (status == MMM_OK) return;
    fprintf(stderr, "reduction: %s\n", mmm_message());
    exit(1);
}

/* Two arrays take turns; which one has the sum in the end goes to *last. */
static mmm_program *build(uint32_t *x, uint32_t *y, int l, int *last)
{
    mmm_program *program;
    mmm_modulus modulus;
    int array, kernel = -1, from = 0;
    must(mmm_program_new(&program));
    must(mmm_modulus_read(p, &modulus));
    must(mmm_program_set_words(program, 32, &modulus));
    must(mmm_program_array(program, "x", N, 4, MMM_IN_OUT, x, &array));
    must(mmm_program_array(program, "y", N, 4, MMM_OUT, y, &array));
    for (int n = N; n > 1; from = 1 - from) {
        int blocks = (n + 2 * l - 1) / (2 * l), previous = kernel;
        const mmm_argument arguments[] = {{MMM_ARRAY, (uint64_t)from},
                                          {MMM_ARRAY, (uint64_t)(1 - from)},
                                          {MMM_INTEGER, (uint64_t)n},
                                          {MMM_CONSTANT, (uint64_t)l}};
        must(mmm_program_launch(program, &reduction, blocks, l, 2 * l, arguments, 4, &kernel));
        if (previous >= 0) must(mmm_program_depend(program, previous, kernel));
        n = blocks;
    }
    *last = from;
    return program;
}

static uint32_t *numbers[2];
static int failures;

static void fill(uint64_t *sum)
{
    *sum = 0;
    for (int i = 0; i < N; i++) { /* sums of residues are the same in every form they may have */
        numbers[0][i] = (uint32_t)((uint64_t)i * i % p);
        *sum = (*sum + numbers[0][i]) % p;
    }
}

static void run_on(void *context, const mmm_machine_info *info)
{
    (void)context;
    if (!info->works) return;
    for (int l = 64; l <= 256; l *= 2) {
        mmm_machine *machine;
        uint64_t sum;
        double seconds;
        int last;
        mmm_program *program = build(numbers[0], numbers[1], l, &last);
        must(mmm_machine_open(info->name, &machine));
        fill(&sum);
        must(mmm_machine_run(machine, program, &seconds));
        int good = numbers[last][0] == sum;
        printf("%-10s l=%-4d %9.3f ms  %s", info->name, l, seconds * 1e3, good ? "right" : "WRONG");
        const mmm_counts *counts = mmm_machine_counts(machine);
        if (counts) {
            mmm_shape shape;
            mmm_measures measures;
            must(mmm_program_shape(program, &shape));
            must(mmm_program_measures(program, mmm_parameters_builtin(), &measures));
            printf("  W=%lld S=%lld O=%g N=%lld L=%lld, %lld violations", (long long)measures.work,
                   (long long)measures.span, measures.overhead, (long long)shape.N, (long long)shape.L,
                   (long long)counts->violation_count);
            if (counts->violation_count) good = 0;
        }
        putchar('\n');
        failures += !good;
        mmm_machine_free(machine);
        mmm_program_free(program);
    }
}

int main(void)
{
    const char *const *headers = mmm_kernel_headers();
    texts[0] = headers[0];
    texts[1] = headers[1];
    texts[2] = reduction_text;
    for (int i = 0; i < 2; i++) {
        numbers[i] = calloc(N, sizeof *numbers[i]);
        if (!numbers[i]) return 1;
    }
    mmm_machine_list(run_on, NULL);
    free(numbers[0]);
    free(numbers[1]);
    return failures != 0;
}
