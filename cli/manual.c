/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of the verbs as pages for man, and as completion for bash and zsh. */
#include "cli.h"

#include <stdio.h>
#include <string.h>

/* ---- Manual pages ------------------------------------------------------------------------------------------------ */

/* Text of a page: what roff would take for its own is escaped. */
static void print_roff(const char *text, int length)
{
    bool begin = true;
    for (const char *c = text; c < text + length && *c; c++) {
        if (begin && (*c == '.' || *c == '\'')) fputs("\\&", stdout);
        begin = *c == '\n';
        if (*c == '\\')
            fputs("\\e", stdout);
        else if (*c == '-')
            fputs("\\-", stdout);
        else
            putchar(*c);
    }
}

/* Each line of `text` between two macros. */
static void print_lines(const char *before, const char *text, const char *after)
{
    for (const char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        int length = (int)strcspn(line, "\n");
        if (!length) continue;
        fputs(before, stdout);
        print_roff(line, length);
        fputs(after, stdout);
    }
}

static void print_options(const verb *v)
{
    const option_row *o;
    puts(".SH OPTIONS");
    for (int i = 0; (o = verb_option(v, i)); i++) {
        printf(".TP\n");
        if (o->letter) printf("\\fB\\-%c\\fR%s", o->letter, o->name ? ", " : "");
        if (o->name) {
            printf("\\fB\\-\\-");
            print_roff(o->name, 100);
            printf("\\fR");
        }
        if (o->argument) printf(" \\fI%s\\fR", o->argument);
        puts("");
        print_roff(o->help, 10000);
        puts("");
    }
}

static void print_title(const char *page, const char *summary)
{
    printf(".TH %s 1 \"\" \"mmm " MMM_VERSION "\" \"many\\-core machine model\"\n.SH NAME\n", page);
    print_roff(page, 100);
    printf(" \\- ");
    print_roff(summary, 1000);
    puts("\n.SH SYNOPSIS");
}

static void verb_page(const verb *v)
{
    char page[64];
    snprintf(page, sizeof page, "mmm-%s", v->name);
    print_title(page, v->summary);
    char before[64];
    snprintf(before, sizeof before, ".B mmm %s\n", v->name);
    print_lines(before, v->use, "\n.br\n");
    puts(".SH DESCRIPTION");
    print_lines("", v->description, "\n.PP\n");
    print_options(v);
    puts(".SH EXIT STATUS");
    print_lines("", v->exits, "\n");
    puts(".SH EXAMPLES\n.nf");
    print_lines("", v->example, "\n");
    puts(".fi\n.SH SEE ALSO\n.BR mmm (1)");
}

void manual_page(const verb *const *verbs, const verb *v)
{
    if (v) {
        verb_page(v);
        return;
    }
    print_title("mmm", "the many-core machine model as software");
    puts(
        ".B mmm\n.I verb\n[words] [options]\n.SH DESCRIPTION\n"
        "Algorithms as DAGs of kernels, written once: counted on an abstract machine, reasoned about in closed forms,\n"
        "run on CPUs, CUDA and OpenCL devices, and tuned there. Each verb has a page of its own.\n.SH VERBS");
    for (; *verbs; verbs++) {
        printf(".TP\n.BR mmm\\-%s (1)\n", (*verbs)->name);
        print_roff((*verbs)->summary, 1000);
        puts("");
    }
    puts(".SH APPLICATIONS");
    for (const mmm_app *const *a = mmm_app_list(); *a; a++) {
        printf(".TP\n.B ");
        print_roff((*a)->name, 100);
        puts("");
        print_roff((*a)->summary, 1000);
        puts("");
    }
    puts(".SH ENVIRONMENT\n.TP\n.B MMM_CACHE\nthe folder of compiled code (default mmm below XDG_CACHE_HOME or "
         "~/.cache)\n"
         ".TP\n.B MMM_WISDOM\nthe file of choices that were tuned (default mmm/wisdom.jsonl below XDG_DATA_HOME or\n"
         "~/.local/share); calibrations lie beside it\n"
         ".TP\n.BR CC \", \" OBJCOPY\nwhat compiles an application's folder (default cc, objcopy)\n"
         ".SH EXIT STATUS\n0 when it worked, 1 when a check failed, 2 when the command was used wrongly, 130 when "
         "interrupted.\n"
         ".SH SEE ALSO\n.BR mmm_multiply (3)");
}

/* ---- Completion -------------------------------------------------------------------------------------------------- */

static void print_apps(const char *separator)
{
    for (const mmm_app *const *a = mmm_app_list(); *a; a++)
        printf("%s%s", a == mmm_app_list() ? "" : separator, (*a)->name);
}

/* The machines that are numbers for the abstract one, or those that run. */
static void print_machines(bool numbers)
{
    if (!numbers) printf("abstract cpu cuda:0 opencl:0");
    for (const mmm_parameters *m = mmm_parameters_builtin(); numbers && m && *m->name; m++)
        printf("%s%s", m == mmm_parameters_builtin() ? "" : " ", m->name);
}

/* name= of the parameters of each application, as arms of a shell's case. */
static void print_parameters(void)
{
    for (const mmm_app *const *a = mmm_app_list(); *a; a++) {
        printf("    %s) echo \"", (*a)->name);
        for (const mmm_parameter *p = (*a)->parameters; p->name; p++)
            printf("%s%s=", p == (*a)->parameters ? "" : " ", p->name);
        puts("\" ;;");
    }
}

static bool is_machine(const option_row *o)
{
    return o->name && (strcmp(o->name, "machine") == 0 || strcmp(o->name, "parameters") == 0);
}

static bool takes_numbers(const option_row *o)
{
    return strstr(o->help, PARAMETERS) || strcmp(o->name, "parameters") == 0;
}

void completion_bash(const verb *const *verbs)
{
    const option_row *o;
    printf("# Completion of mmm for bash, made by mmm help --bash.\n_mmm_parameters() {\n    case $1 in\n");
    print_parameters();
    printf("    esac\n}\n_mmm() {\n    local cur prev words cword options values verb app i\n"
           "    COMPREPLY=()\n    words=(\"${COMP_WORDS[@]}\") cword=$COMP_CWORD\n    cur=${words[cword]} "
           "prev=${words[cword-1]}\n"
           "    [[ $cur == : ]] && cur=\n    [[ $prev == : ]] && return\n"
           "    if ((cword == 1)); then\n        COMPREPLY=($(compgen -W \"");
    for (const verb *const *v = verbs; *v; v++)
        printf("%s ", (*v)->name);
    printf("help --help --version\" -- \"$cur\"))\n        return\n    fi\n    verb=${words[1]} app=${words[2]}\n"
           "    values=\n    case $verb:$prev in\n");
    for (const verb *const *v = verbs; *v; v++)
        for (int i = 0; (o = verb_option(*v, i)); i++) {
            if (!o->argument || (!is_machine(o) && !o->words)) continue;
            if (o->letter) printf("    %s:-%c%s", (*v)->name, o->letter, o->name ? "|" : "");
            if (o->name) printf("%s%s:--%s", o->letter ? "" : "    ", (*v)->name, o->name);
            printf(") values=\"");
            for (const char *const *w = o->words; w && *w; w++)
                printf("%s ", *w);
            if (is_machine(o)) print_machines(takes_numbers(o));
            puts("\" ;;");
        }
    printf("    esac\n    if [[ $values ]]; then\n        COMPREPLY=($(compgen -W \"$values\" -- \"$cur\") $(compgen "
           "-f -- \"$cur\"))\n"
           "        return\n    fi\n    case $verb in\n");
    for (const verb *const *v = verbs; *v; v++) {
        printf("    %s) options=\"", (*v)->name);
        for (int i = 0; (o = verb_option(*v, i)); i++) {
            if (o->letter) printf("-%c ", o->letter);
            if (o->name) printf("--%s ", o->name);
        }
        puts("\" ;;");
    }
    printf("    help) COMPREPLY=($(compgen -W \"");
    for (const verb *const *v = verbs; *v; v++)
        printf("%s ", (*v)->name);
    printf("\" -- \"$cur\")); return ;;\n    esac\n    if [[ $cur == -* ]]; then\n"
           "        COMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n    elif ((cword == 2)); then\n"
           "        COMPREPLY=($(compgen -W \"");
    print_apps(" ");
    printf("\" -- \"$cur\") $(compgen -f -- \"$cur\"))\n    else\n"
           "        COMPREPLY=($(compgen -W \"$(_mmm_parameters \"$app\")\" -- \"$cur\") $(compgen -f -- \"$cur\"))\n"
           "        [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace\n    fi\n}\ncomplete -o filenames -F _mmm mmm\n");
}

/* Text inside '...[...]' of _arguments. */
static void print_zsh(const char *text)
{
    for (; *text; text++) {
        if (*text == '\'') {
            fputs("'\\''", stdout);
            continue;
        }
        if (strchr("[]:\\", *text)) putchar('\\');
        putchar(*text);
    }
}

static void print_zsh_option(const option_row *o)
{
    printf(" \\\n        ");
    if (o->letter && o->name)
        printf("'(-%c --%s)'{-%c,--%s}'[", o->letter, o->name, o->letter, o->name);
    else if (o->letter)
        printf("'-%c[", o->letter);
    else
        printf("'%s--%s[", o->kind == OPTION_TEXTS ? "*" : "", o->name);
    print_zsh(o->help);
    putchar(']');
    if (o->argument) {
        printf(":");
        print_zsh(o->argument);
        printf(":");
        if (o->words) {
            printf("(");
            for (const char *const *w = o->words; *w; w++)
                printf("%s%s", w == o->words ? "" : " ", *w);
            printf(")");
        } else
            printf("%s", is_machine(o) ? (takes_numbers(o) ? "_mmm_numbers" : "_mmm_machines") : "_files");
    }
    putchar('\'');
}

void completion_zsh(const verb *const *verbs)
{
    const option_row *o;
    printf("#compdef mmm\n# Completion of mmm for zsh, made by mmm help --zsh.\n_mmm_parameters() {\n    case $1 in\n");
    print_parameters();
    printf("    esac\n}\n_mmm_machines() {\n    compadd ");
    print_machines(false);
    printf("\n}\n_mmm_numbers() {\n    compadd ");
    print_machines(true);
    printf("\n    _files\n}\n_mmm_apps() {\n    compadd ");
    print_apps(" ");
    printf("\n    _files\n}\n_mmm_words() {\n    compadd -S '' -- $(_mmm_parameters $line[1])\n    _files\n}\n"
           "_mmm() {\n    local -a verbs line\n    local state\n    verbs=(\n");
    for (const verb *const *v = verbs; *v; v++) {
        printf("        '%s:", (*v)->name);
        print_zsh((*v)->summary);
        puts("'");
    }
    printf("        'help:more on a verb'\n    )\n    if ((CURRENT == 2)); then\n        _describe verb verbs\n        "
           "return\n    fi\n"
           "    local verb=$words[2]\n    shift words\n    ((CURRENT--))\n    case $verb in\n    help) _describe verb "
           "verbs ;;\n");
    for (const verb *const *v = verbs; *v; v++) {
        printf("    %s) _arguments", (*v)->name);
        for (int i = 0; (o = verb_option(*v, i)); i++)
            print_zsh_option(o);
        puts(" \\\n        '1:application:_mmm_apps' '*:parameter:_mmm_words' ;;");
    }
    puts("    esac\n}\n[[ $funcstack[1] == _mmm ]] && _mmm \"$@\" || compdef _mmm mmm");
}
