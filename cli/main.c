/* SPDX-License-Identifier: Apache-2.0 */
/* The command mmm: finds the verb and calls it. */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const verb *const all_verbs[] = {&verb_list,      &verb_new,       &verb_compile, &verb_analyze,
                                 &verb_run,       &verb_calibrate, &verb_tune,    &verb_formula,
                                 &verb_reproduce, &verb_optimize,  &verb_report,  &verb_import,
                                 &verb_derive,    &verb_compare,   &verb_doctor,  NULL};

enum { VERBS = sizeof all_verbs / sizeof *all_verbs - 1 };

static const verb *current; /* the one that complains */

/* One line, whatever the words were that it names: what a terminal would obey is a space. */
int complain(const char *format, ...)
{
    char text[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f) *c = ' ';
    fprintf(stderr, current ? "mmm %s: %s\n" : "mmm: %s%s\n", current ? current->name : "", text);
    return EXIT_USED_WRONGLY;
}

int complain_status(mmm_status status)
{
    complain(status == MMM_STOPPED ? "interrupted: %s" : "%s", mmm_message());
    if (status == MMM_STOPPED) return EXIT_INTERRUPTED;
    return status == MMM_WRONG ? EXIT_CHECK_FAILED : EXIT_USED_WRONGLY;
}

void show_wisdom_note(void)
{
    static bool shown;
    if (shown || !*mmm_wisdom_note()) return;
    complain("note: %s", mmm_wisdom_note());
    shown = true;
}

int complain_interrupted(void)
{
    complain("interrupted");
    return EXIT_INTERRUPTED;
}

static const verb *find_verb(const char *name)
{
    char known[256] = "";
    for (int i = 0; i < VERBS; i++) {
        if (strcmp(name, all_verbs[i]->name) == 0) return all_verbs[i];
        strcat(strcat(known, i ? ", " : ""), all_verbs[i]->name);
    }
    complain("unknown verb '%s'; the verbs are %s, help", name, known);
    return NULL;
}

static int usage(int status)
{
    puts("mmm: the many-core machine model as software\n\nUse: mmm VERB ...   (mmm help VERB tells more)\n");
    for (int i = 0; i < VERBS; i++)
        printf("  %-10s %s\n", all_verbs[i]->name, all_verbs[i]->summary);
    puts("\nExample: mmm analyze division n=4096 m=2048 s=16,32,64\n\n"
         "Exit status: 0 when it worked, 1 when a check failed, 2 when the command was used wrongly, 130 when\n"
         "interrupted.\n\n"
         "mmm help --man [VERB] is this as a page for man; mmm help --bash and --zsh are completion for shells.");
    return status;
}

/* help in other forms than text; false: `form` is none. */
static bool help_in_form(const char *form, const verb *v)
{
    if (strcmp(form, "--man") == 0)
        manual_page(all_verbs, v);
    else if (strcmp(form, "--bash") == 0)
        completion_bash(all_verbs);
    else if (strcmp(form, "--zsh") == 0)
        completion_zsh(all_verbs);
    else
        return false;
    return true;
}

static int help(int count, char **names)
{
    if (!count) return usage(EXIT_WORKED);
    const char *form = names[0][0] == '-' ? names[0] : NULL;
    if (form) names++, count--;
    const verb *v = count ? find_verb(names[0]) : NULL;
    if (count && !v) return EXIT_USED_WRONGLY;
    if (count > 1) return complain("help takes one verb, not '%s' too", names[1]);
    if (form && !help_in_form(form, v)) return complain("help: '%s' is none of --man, --bash, --zsh", form);
    if (!form) verb_help(v);
    return EXIT_WORKED;
}

static int carry_out(int argc, char **argv)
{
    if (argc < 2) return usage(EXIT_USED_WRONGLY);
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0)
        return help(argc - 2, argv + 2);
    if (strcmp(argv[1], "--version") == 0) return show_version();
    current = find_verb(argv[1]);
    return current ? verb_call(current, argc - 1, argv + 1) : EXIT_USED_WRONGLY;
}

/* What was not written was not done.  A write that failed while the buffer filled has left no reason: one more byte
 * tells it.  A verb that failed has complained already. */
static int close_output(int status)
{
    bool bad = fflush(stdout) != 0;
    if (!bad && ferror(stdout)) {
        bad = true;
        errno = EIO;
        (void)(fputc('\n', stdout) != EOF && fflush(stdout));
    }
    int reason = errno;
    if (fclose(stdout) != 0 && !bad && errno != EBADF) { /* closed from the start, and nothing was to be written */
        bad = true;
        reason = errno;
    }
    if (!bad || status == EXIT_USED_WRONGLY || status == EXIT_INTERRUPTED) return status;
    return complain("cannot write to standard output: %s", strerror(reason));
}

/* Where standard streams are closed, files would take their numbers, and what is printed would go there: what cannot be
 * written to, or read, takes them.  A file that may not grow is a failed write. */
static void prepare_streams(void)
{
    for (int i = 0; i < 3; i++)
        if (fcntl(i, F_GETFD) < 0) (void)(open("/dev/null", i == 1 ? O_RDONLY : O_WRONLY) < 0);
    signal(SIGXFSZ, SIG_IGN);
}

int main(int argc, char **argv)
{
    prepare_streams();
    return close_output(carry_out(argc, argv));
}
