/* SPDX-License-Identifier: Apache-2.0 */
/* From an address in this process to a line of source, by its debug information. */
#include "machine/abstract/count.h"

#include <elfutils/libdwfl.h>
#include <unistd.h>

/* Debug information lies in the library itself; nothing is looked for elsewhere. */
static int no_separate_file(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, const char *file,
                            const char *link, GElf_Word crc, char **found)
{
    (void)module, (void)data, (void)name, (void)base, (void)file, (void)link, (void)crc, (void)found;
    return -1;
}

struct Dwfl *mmm_source_open(void)
{
    static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_linux_proc_find_elf, .find_debuginfo = no_separate_file};
    Dwfl *dwfl = dwfl_begin(&callbacks);
    if (!dwfl) return NULL;
    if (dwfl_linux_proc_report(dwfl, getpid()) == 0 && dwfl_report_end(dwfl, NULL, NULL) == 0) return dwfl;
    dwfl_end(dwfl);
    return NULL;
}

void mmm_source_find(struct Dwfl *dwfl, const void *address, int *line, int *column)
{
    Dwarf_Addr call = (Dwarf_Addr)(uintptr_t)address - 1; /* the address is where the call returns to */
    Dwfl_Module *module = dwfl ? dwfl_addrmodule(dwfl, call) : NULL;
    Dwfl_Line *found = module ? dwfl_module_getsrc(module, call) : NULL;
    *line = *column = 0;
    if (found) dwfl_lineinfo(found, NULL, line, column, NULL, NULL);
}

void mmm_source_close(struct Dwfl *dwfl)
{
    if (dwfl) dwfl_end(dwfl);
}

int mmm_source_line(const void *address)
{
    int line, column;
    Dwfl *dwfl = mmm_source_open();
    mmm_source_find(dwfl, address, &line, &column);
    mmm_source_close(dwfl);
    return line;
}
