/* SPDX-License-Identifier: Apache-2.0 */
/* Command lines read by the tables of options.h, and the help and the complaints that follow from them. */
#include "cli.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MOST = 32, LINE = 100, LONG = 256 };

static const option_row help_row = {'h', "help", NULL, OPTION_FLAG, 0, .help = "print this"};

const option_row *verb_option(const verb *v, int number)
{
    for (int i = 0; i <= number; i++)
        if (!v->options || !v->options[i].kind) return i == number ? &help_row : NULL;
    return &v->options[number];
}

/* ---- Help -------------------------------------------------------------------------------------------------------- */

/* Text broken at spaces, from column `column` on; further lines are indented by as much as `indent`. */
static void print_wrapped(const char *text, int column, int indent)
{
    while (*text) {
        int room = LINE - column, length = (int)strcspn(text, "\n");
        if (length > room) {
            length = room;
            while (length > 0 && text[length] != ' ')
                length--;
            if (length == 0) length = (int)strcspn(text, " \n");
        }
        printf("%.*s\n", length, text);
        text += length;
        if (*text) text++;
        if (*text && *text != '\n') printf("%*s", indent, "");
        column = indent;
    }
}

/* "-m, --machine M", "    --json", "-P LIST" */
static int option_text(const option_row *o, char *out, size_t room)
{
    char letter[] = {'-', o->letter, 0};
    return snprintf(out, room, "%s%s%s%s%s%s", o->letter ? letter : "  ",
                    o->letter && o->name ? ", "
                    : o->name            ? "  "
                                         : "",
                    o->name ? "--" : "", o->name ? o->name : "", o->argument ? " " : "",
                    o->argument ? o->argument : "");
}

void verb_help(const verb *v)
{
    const option_row *o;
    char text[128];
    int width = 0;
    for (const char *use = v->use; use; use = strchr(use, '\n') ? strchr(use, '\n') + 1 : NULL)
        printf("%s mmm %s %.*s\n", use == v->use ? "Use:" : "    ", v->name, (int)strcspn(use, "\n"), use);
    putchar('\n');
    print_wrapped(v->description, 0, 0);
    putchar('\n');
    for (int i = 0; (o = verb_option(v, i)); i++) {
        int length = option_text(o, text, sizeof text);
        if (length > width) width = length;
    }
    for (int i = 0; (o = verb_option(v, i)); i++) {
        option_text(o, text, sizeof text);
        printf("  %-*s   ", width, text);
        print_wrapped(o->help, width + 5, width + 5);
    }
    for (const char *line = v->example; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        printf("%s %.*s\n", line == v->example ? "\nExample:" : "        ", (int)strcspn(line, "\n"), line);
    printf("\nExit status: ");
    print_wrapped(v->exits, 13, 13);
}

/* ---- Complaints -------------------------------------------------------------------------------------------------- */

/* The options whose long names begin with `prefix`, or all of them; returns how many. */
static int list_options(const verb *v, const char *prefix, size_t length, char *out, size_t room)
{
    const option_row *o;
    size_t used = 0;
    int count = 0;
    *out = 0;
    for (int i = 0; (o = verb_option(v, i)); i++) {
        char letter[] = {o->letter, 0};
        if (prefix && (!o->name || strncmp(o->name, prefix, length) != 0)) continue;
        if (used < room)
            used += (size_t)snprintf(out + used, room - used, "%s%s%s", count ? ", " : "", o->name ? "--" : "-",
                                     o->name ? o->name : letter);
        count++;
    }
    return count;
}

/* After getopt_long found nothing to do with a word: says why. */
static int complain_option(const verb *v, int found, const char *word, const option_row *known)
{
    char list[1024], letter[] = {'-', (char)optopt, 0};
    bool is_long = optopt == 0 || optopt >= LONG; /* else the word may be another one: letters can share a word */
    size_t length = strcspn(word, "=");
    if (found == ':') return complain("option '%s' needs a value", is_long ? word : letter);
    if (known) return complain("option '%.*s' takes no value", (int)length, word);
    if (is_long && list_options(v, word + 2, length - 2, list, sizeof list) > 1)
        return complain("option '%.*s' is ambiguous; it may be %s", (int)length, word, list);
    list_options(v, NULL, 0, list, sizeof list);
    return complain("unknown option '%.*s'; the options are %s", is_long ? (int)length : 2, is_long ? word : letter,
                    list);
}

/* ---- Values ------------------------------------------------------------------------------------------------------ */

static const char *name_of(const option_row *o, char room[static 64])
{
    if (o->name)
        snprintf(room, 64, "--%s", o->name);
    else
        snprintf(room, 64, "-%c", o->letter);
    return room;
}

static int read_count(const option_row *o, const char *text, int64_t *out)
{
    char name[64];
    const char *c = text;
    int64_t number;
    if (!number_at(&c, &number) || *c || number < o->least || number > o->most)
        return complain("%s '%s': a whole number from %lld to %lld is needed", name_of(o, name), text,
                        (long long)o->least, (long long)o->most);
    *out = number;
    return 0;
}

static int read_positive(const option_row *o, const char *text, double *out)
{
    char name[64], *end;
    double number = strtod(text, &end);
    if (end == text || *end || !(number > 0) || number > (double)o->most)
        return complain("%s '%s': a number larger than 0 and at most %lld is needed", name_of(o, name), text,
                        (long long)o->most);
    *out = number;
    return 0;
}

static int read_numbers(const option_row *o, const char *text, number_list *out)
{
    char name[64];
    out->count = 0;
    for (const char *c = text;; c++) {
        int64_t number;
        if (out->count == LIST_MOST || !number_at(&c, &number) || number < o->least || number > o->most ||
            (*c && *c != ','))
            return complain("%s '%s': up to %d whole numbers from %lld to %lld are needed, separated by commas",
                            name_of(o, name), text, LIST_MOST, (long long)o->least, (long long)o->most);
        out->list[out->count++] = number;
        if (!*c) return 0;
    }
}

static int read_word(const option_row *o, const char *text, const char **out)
{
    char name[64], known[256] = "";
    size_t used = 0;
    for (const char *const *w = o->words; *w; w++) {
        if (strcmp(*w, text) == 0) {
            *out = *w;
            return 0;
        }
        if (used < sizeof known)
            used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", used ? " or " : "", *w);
    }
    return complain("%s '%s': %s is needed", name_of(o, name), text, known);
}

static int read_option(const option_row *o, char *text, void *request)
{
    void *field = (char *)request + o->at;
    char name[64];
    text_list *texts = field;
    switch (o->kind) {
    case OPTION_FLAG: *(int *)field = 1; return 0;
    case OPTION_SET: *(int *)field = (int)o->least; return 0;
    case OPTION_TEXT: *(const char **)field = text; return 0;
    case OPTION_WORD: return read_word(o, text, field);
    case OPTION_COUNT: return read_count(o, text, field);
    case OPTION_POSITIVE: return read_positive(o, text, field);
    case OPTION_NUMBERS: return read_numbers(o, text, field);
    case OPTION_TEXTS:
        if (texts->count == o->most || texts->count == LIST_MOST)
            return complain("%s '%s' is one too many: at most %lld", name_of(o, name), text, (long long)o->most);
        texts->list[texts->count++] = text;
        return 0;
    }
    return 0;
}

/* ---- Command lines ----------------------------------------------------------------------------------------------- */

/* The table as getopt_long takes it.  The '-' lets it return other words in their place, whatever the environment. */
static void make_getopt(const verb *v, struct option *options, char *letters)
{
    const option_row *o;
    int count = 0;
    letters += sprintf(letters, "-:");
    for (int i = 0; i < ROWS_MOST && (o = verb_option(v, i)); i++) {
        if (o->letter) letters += sprintf(letters, o->argument ? "%c:" : "%c", o->letter);
        if (o->name) options[count++] = (struct option){o->name, o->argument != NULL, NULL, LONG + i};
    }
    options[count] = (struct option){0};
}

static const option_row *find_row(const verb *v, int found)
{
    const option_row *o;
    if (found >= LONG) return verb_option(v, found - LONG);
    for (int i = 0; (o = verb_option(v, i)); i++)
        if (o->letter && o->letter == found) return o;
    return NULL;
}

/* Fills the request and w->list; an exit status, or -1 to go on. */
static int read_line(const verb *v, void *request, words *w)
{
    struct option options[ROWS_MOST + 1];
    char letters[3 * ROWS_MOST + 3];
    make_getopt(v, options, letters);
    opterr = 0;
    for (int found; (found = getopt_long(w->argc, w->argv, letters, options, NULL)) != -1;) {
        if (found == 1) {
            w->list[w->count++] = optarg;
            continue;
        }
        if (found == '?' || found == ':')
            return complain_option(v, found, w->argv[optind - 1], found == '?' ? find_row(v, optopt) : NULL);
        const option_row *o = find_row(v, found);
        if (o == &help_row) {
            verb_help(v);
            return EXIT_WORKED;
        }
        if (read_option(o, optarg, request)) return EXIT_USED_WRONGLY;
    }
    for (int i = optind; i < w->argc; i++)
        w->list[w->count++] = w->argv[i];
    return -1;
}

int verb_call(const verb *v, int argc, char **argv)
{
    words w = {.argc = argc, .argv = argv, .list = calloc((size_t)argc + 1, sizeof(char *))};
    void *request = malloc(v->size ? v->size : 1);
    int status = EXIT_USED_WRONGLY;
    if (!request || !w.list) {
        complain("no memory");
    } else {
        if (v->size) memcpy(request, v->usual, v->size);
        status = read_line(v, request, &w);
        if (status < 0) {
            watch_interrupts(v->name);
            status = v->call(request, &w);
        }
    }
    free(request);
    free(w.list);
    return status;
}
