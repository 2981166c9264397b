/* SPDX-License-Identifier: Apache-2.0 */
/* The command: a verb and its arguments. */
#include "mmm.h"

#include <stdio.h>
#include <string.h>

int verb_formula(int argc, char **argv);
int verb_optimize(int argc, char **argv);

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "formula") == 0) return verb_formula(argc - 1, argv + 1);
    if (argc > 1 && strcmp(argv[1], "optimize") == 0) return verb_optimize(argc - 1, argv + 1);
    fprintf(stderr, "mmm: unknown verb '%s'; accepted are formula, optimize\n", argc > 1 ? argv[1] : "");
    return 2;
}
