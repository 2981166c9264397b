/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the texts that GPUs would get of a unit's kernels: for each kernel and size of words OpenCL C and CUDA, and
 * once CUDA with local memory given at the launch.  Compiled for each unit, with its records but none of its host code:
 * RECORDS is the file, KERNELS the table in it.  Use: texts FOLDER */
#include "machine/gpu/gpu.h"

#include <stdlib.h>

#undef MMM_DECLARE_ENTRIES
#undef MMM_ENTRIES_OF
#define MMM_DECLARE_ENTRIES(unit)    extern int mmm_no_entries
#define MMM_ENTRIES_OF(unit, number) .index = number
#include RECORDS

static mmm_status write_text(const mmm_program *program, const mmm_kernel *code, const char *folder, const char *target,
                             bool dynamic, const char *suffix)
{
    mmm_value arguments[MMM_ARGUMENTS_MOST] = {0};
    mmm_node node = {.code = code, .threads = 64, .threads_x = code->dimensions == 2 ? 8 : 64, .arguments = arguments};
    char path[4096], *text = NULL;
    for (int i = 0; i < code->parameter_count; i++)
        if (code->parameters[i].kind == MMM_PARAMETER_CONSTANT) arguments[i].integer = 8;
    mmm_status status = mmm_kernel_text(program, &node, target, dynamic, 0, &text);
    if (status != MMM_OK) return status;
    snprintf(path, sizeof path, "%s/%s.w%d.%s", folder, code->name, program->word_bits, suffix);
    FILE *stream = fopen(path, "w");
    if (!stream || fputs(text, stream) == EOF || fclose(stream) != 0)
        return mmm_fail(MMM_IO, "cannot write '%s'", path);
    free(text);
    return MMM_OK;
}

int main(int count, char **words)
{
    static const uint64_t primes[] = {2013265921, 9223372036854775783u};
    mmm_status status = count == 2 ? MMM_OK : MMM_INVALID;
    for (int wide = 0; wide < 2 && status == MMM_OK; wide++) {
        mmm_modulus modulus;
        mmm_program *program = NULL;
        status = mmm_modulus_read(primes[wide], &modulus);
        if (status == MMM_OK) status = mmm_program_new(&program);
        if (status == MMM_OK) status = mmm_program_set_words(program, modulus.bits, &modulus);
        for (size_t i = 0; status == MMM_OK && i < sizeof KERNELS / sizeof *KERNELS; i++) {
            status = write_text(program, &KERNELS[i], words[1], "MMM_TARGET_OPENCL", false, "cl");
            if (status == MMM_OK) status = write_text(program, &KERNELS[i], words[1], "MMM_TARGET_CUDA", false, "cu");
            if (status == MMM_OK && !wide)
                status = write_text(program, &KERNELS[i], words[1], "MMM_TARGET_CUDA", true, "dynamic.cu");
        }
        mmm_program_free(program);
    }
    if (status != MMM_OK) fprintf(stderr, "texts: %s\n", mmm_message());
    return status != MMM_OK;
}
