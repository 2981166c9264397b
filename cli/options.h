/* SPDX-License-Identifier: Apache-2.0 */
/* Verbs and their options as tables: parsing, complaints and help are made from them.  A verb keeps what it is asked
 * for in a struct of its own, its request, which options reach by offset. */
#ifndef MMM_OPTIONS_H
#define MMM_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

enum { LIST_MOST = 16 };

typedef struct number_list {
    int64_t list[LIST_MOST];
    int count;
} number_list;

typedef struct text_list {
    const char *list[LIST_MOST];
    int count;
} text_list;

/* What an option takes, and the type of its field in the request. */
typedef enum option_kind {
    OPTION_FLAG = 1, /* nothing; int, set to 1 */
    OPTION_SET,      /* nothing; int, set to `least` */
    OPTION_TEXT,     /* const char * */
    OPTION_WORD,     /* one of `words`; const char * */
    OPTION_COUNT,    /* a whole number from `least` to `most`; int64_t */
    OPTION_POSITIVE, /* a number above 0, at most `most`; double */
    OPTION_NUMBERS,  /* whole numbers from `least` to `most`, separated by commas; number_list */
    OPTION_TEXTS,    /* may be repeated up to `most` times; text_list */
} option_kind;

typedef struct option_row {
    char letter;          /* 0: none */
    const char *name;     /* the long one; NULL: none */
    const char *argument; /* how help calls it; NULL: it takes none */
    option_kind kind;
    size_t at; /* of its field in the request */
    const char *help;
    int64_t least, most;
    const char *const *words; /* ended by NULL */
} option_row;

/* What stood on the command line besides options, in order; and all of it, argv[0] being the verb. */
typedef struct words {
    char **list;
    int count;
    char **argv;
    int argc;
} words;

typedef struct verb {
    const char *name, *summary;
    const char *use;           /* what follows the name; further lines are further uses */
    const char *description;   /* paragraphs of a line each */
    const option_row *options; /* ended by kind 0; every verb has --help besides */
    const char *example;       /* lines */
    const char *exits;         /* the exit status, in words */
    const void *usual;         /* the request when no option is given, `size` bytes */
    size_t size;
    int (*call)(void *request, const words *w); /* returns the exit status */
} verb;

/* Reads the command line into a request and calls the verb, or prints its help; returns the exit status. */
int verb_call(const verb *v, int argc, char **argv);

void verb_help(const verb *v);

/* The options of a verb by number, --help last; NULL behind it. */
const option_row *verb_option(const verb *v, int number);

/* The manual page of a verb, or (NULL) of the command, as man reads it; and completion of command lines by a shell.
 * Verbs are ended by NULL. */
void manual_page(const verb *const *verbs, const verb *v);
void completion_bash(const verb *const *verbs);
void completion_zsh(const verb *const *verbs);

#endif
