/* SPDX-License-Identifier: Apache-2.0 */
/* mmm reproduce: the paper's tables on the machines at hand. */
#include "cli.h"

#include <stdio.h>
#include <string.h>

static int help(void)
{
    puts(
        "Use: mmm reproduce [-m MACHINE ...] [-o FOLDER] [options]\n\n"
        "Measures tables 1 and 2 of the paper and a division table of the same shape, beside the paper's seconds and\n"
        "FLINT on one core. Results go to FOLDER (default: reproduce) as text, CSV and JSON. It can be stopped at any\n"
        "time: the same command goes on where it was.\n\n"
        "  -m, --machine M     cpu, cuda:N or opencl:N; may be repeated (default: all that are found)\n"
        "  -o, --output FOLDER where results are kept\n"
        "      --limit SEC     leave out what would take longer (default 10)\n"
        "      --largest N     leave out rows of more than N terms\n"
        "      --json          print the JSON instead of the tables\n\n"
        "Example: mmm reproduce -m cpu --largest 4000");
    return EXIT_WORKED;
}

enum { MACHINES_MOST = 16 };

typedef struct machines {
    char names[MACHINES_MOST][64];
    const char *list[MACHINES_MOST + 1];
    int count;
} machines;

static void add_machine(void *context, const mmm_machine_info *info)
{
    machines *m = context;
    if (!info->works || !info->has_time || m->count == MACHINES_MOST) return;
    snprintf(m->names[m->count], sizeof m->names[0], "%s", info->name);
    m->list[m->count] = m->names[m->count];
    m->count++;
}

static int print_file(const char *folder, const char *name)
{
    char path[4096], line[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *stream = fopen(path, "r");
    if (!stream) return complain("cannot read '%s'", path);
    while (fgets(line, sizeof line, stream))
        fputs(line, stdout);
    fclose(stream);
    return EXIT_WORKED;
}

int verb_reproduce(int argc, char **argv)
{
    static const struct option options[] = {{"machine", required_argument, NULL, 'm'},
                                            {"output", required_argument, NULL, 'o'},
                                            {"limit", required_argument, NULL, 'l'},
                                            {"largest", required_argument, NULL, 'n'},
                                            {"json", no_argument, NULL, 'j'},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    machines m = {0};
    const char *folder = "reproduce";
    int64_t limit = 10, largest = 0;
    bool json = false;
    int status = 0, count;
    opterr = 0;
    for (int c; !status && (c = getopt_long(argc, argv, ":m:o:h", options, NULL)) != -1;) {
        switch (c) {
        case 'm': add_machine(&m, &(mmm_machine_info){.name = optarg, .works = 1}); break;
        case 'o': folder = optarg; break;
        case 'l': status = read_numbers(optarg, "--limit", &limit, 1, &count); break;
        case 'n': status = read_numbers(optarg, "--largest", &largest, 1, &count); break;
        case 'j': json = true; break;
        case 'h': return help();
        default: return complain_option(c, argv, options);
        }
    }
    if (status) return status;
    if (optind < argc) return complain("reproduce takes no '%s'; see mmm reproduce --help", argv[optind]);
    if (!m.count) mmm_machine_list(add_machine, &m);
    char what[] = "reproducing";
    mmm_status result = mmm_reproduce(folder, m.list, (double)limit, largest, show_progress, what);
    end_progress();
    if (result != MMM_OK) return complain_status(result);
    return print_file(folder, json ? "reproduce.json" : "reproduce.txt");
}
