/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles files of CUDA C++ for sm_90, up to PTX, by the compiler that runs use (NVRTC): as many as there are words.
 * Exits with 1 after the first that fails, and with 2 where there is no such compiler.  Use: cuda [FILE ...] */
#include "machine/gpu/gpu.h"

#include <stdlib.h>

enum { AFTER_SM_90 = 91 }; /* which the compiler does not know: it makes PTX for the one before */

int main(int count, char **words)
{
    char version[64];
    if (mmm_nvrtc_version(version, sizeof version) != MMM_OK) return 2;
    if (count == 1) puts(version);
    for (int i = 1; i < count; i++) {
        char *text = NULL;
        void *code = NULL;
        int64_t length;
        size_t size;
        mmm_status status = mmm_file_read(words[i], 1 << 26, &text, &length);
        if (status == MMM_OK) status = mmm_nvrtc_compile(text, words[i], AFTER_SM_90, &code, &size);
        free(text);
        free(code);
        if (status == MMM_OK) continue;
        fprintf(stderr, "cuda: %s: %s\n", words[i], mmm_message());
        return 1;
    }
    return 0;
}
