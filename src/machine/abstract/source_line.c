/* SPDX-License-Identifier: Apache-2.0 */
/* From an address in this process to a line of source, by its debug information. */
#include "machine/machine.h"

#include <elfutils/libdwfl.h>
#include <unistd.h>

/* Debug information lies in the library itself; nothing is looked for elsewhere. */
static int no_separate_file(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, const char *file,
                            const char *link, GElf_Word crc, char **found)
{
    (void)module, (void)data, (void)name, (void)base, (void)file, (void)link, (void)crc, (void)found;
    return -1;
}

int mmm_source_line(const void *address)
{
    static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_linux_proc_find_elf, .find_debuginfo = no_separate_file};
    Dwarf_Addr call = (Dwarf_Addr)(uintptr_t)address - 1; /* the address is where the call returns to */
    int number = 0;
    Dwfl *dwfl = dwfl_begin(&callbacks);
    if (!dwfl) return 0;
    if (dwfl_linux_proc_report(dwfl, getpid()) == 0 && dwfl_report_end(dwfl, NULL, NULL) == 0) {
        Dwfl_Module *module = dwfl_addrmodule(dwfl, call);
        Dwfl_Line *line = module ? dwfl_module_getsrc(module, call) : NULL;
        if (line) dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL);
    }
    dwfl_end(dwfl);
    return number;
}
