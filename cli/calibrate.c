/* SPDX-License-Identifier: Apache-2.0 */
/* mmm calibrate: what the model needs of a real machine, measured. */
#include "cli.h"

#include <stdio.h>

static int help(void)
{
    puts("Use: mmm calibrate [MACHINE] [options]\n\n"
         "Measures in well under a minute what predictions need of a machine (cpu, cuda:N or opencl:N; default cpu): "
         "the\n"
         "time of a local operation, of a word moved (U), of a barrier and of a launch, the lanes of a SM, and what "
         "the\n"
         "applications make of them. Writes it as a machine file, by default where mmm tune and mmm run find it.\n\n"
         "  -o, --output F    the file ('-': standard output)\n"
         "      --name NAME   the machine's name in it\n\n"
         "Example: mmm calibrate cuda:0 && mmm tune gcd n=10000 m=9000 -m cuda:0\n\n"
         "Exit status: 0, 2 when used wrongly.");
    return EXIT_WORKED;
}

static void print(const mmm_parameters *p)
{
    printf("%s: an operation takes %.3g ns; in operations: U = %.3g, barrier %.3g, launch %.3g\n", p->name,
           p->operation * 1e9, p->U, p->barrier, p->launch);
    printf("P = %lld, Z = %lld words, %lld lanes\n", (long long)p->P, (long long)p->Z, (long long)p->lanes);
    for (int i = 0; i < MMM_RATES_MOST && p->rates[i].app[0]; i++) {
        const mmm_rates *r = &p->rates[i];
        printf("  %-15s kernel %.3g us, region %.3g ns, part %.3g ns, operation %.3g ns, word %.3g ns, access %.3g ns; "
               "error %.0f %%\n",
               r->app, r->launch * 1e6, r->barrier * 1e9, r->part * 1e9, r->operation * 1e9, r->word * 1e9,
               r->access * 1e9, 100 * r->error);
    }
}

int verb_calibrate(int argc, char **argv)
{
    static const struct option options[] = {{"output", required_argument, NULL, 'o'},
                                            {"name", required_argument, NULL, 'n'},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    const char *path = NULL, *name = NULL, *word = "cpu";
    mmm_machine *machine = NULL;
    mmm_parameters parameters;
    opterr = 0;
    for (int c; (c = getopt_long(argc, argv, ":o:h", options, NULL)) != -1;) {
        if (c == 'h') return help();
        if (c == 'o')
            path = optarg;
        else if (c == 'n')
            name = optarg;
        else
            return complain_option(c, argv, options);
    }
    if (optind < argc) word = argv[optind++];
    if (optind < argc) return complain("calibrate takes one machine, not '%s' too", argv[optind]);
    mmm_status status = mmm_machine_open(word, &machine);
    char what[] = "calibrating";
    if (status == MMM_OK) status = mmm_calibrate(machine, name, show_progress, what, path, &parameters);
    end_progress();
    mmm_machine_free(machine);
    if (status != MMM_OK) return complain_status(status);
    if (!path || path[0] != '-' || path[1]) print(&parameters);
    return EXIT_WORKED;
}
