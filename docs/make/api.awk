# SPDX-License-Identifier: Apache-2.0
# The manual in the headers as pages for man, one a section and a link for each function, or as Markdown.  Both have the
# examples; that a function has none is an error.
# Use: awk -v form=man -v out=FOLDER -v version=V -v examples=docs/make/examples -f api.awk HEADER ...
#      awk -v form=markdown -v examples=docs/make/examples -f api.awk HEADER
#
# A section begins with a line of dashes and a title.  A comment says what the declarations right below it do.  The examples
# of mmm/model.h are in the file model.c: each stands below a comment that has nothing but the names of the functions that it
# is for, and uses them; a line "/* end */" ends the last one.

function trim(text) { gsub(/^[ \t]+|[ \t]+$/, "", text); return text }

# The name of the function that a declaration declares; "" for types.
function function_of(text)
{
    if (text !~ /^MMM_API/) return ""
    sub(/\(.*/, "", text)
    sub(/.*[ *]/, "", text)
    return text
}

function end_group()
{
    if (comment == "" && code == "") return
    groups++
    text_of[groups] = comment; code_of[groups] = code; section_of[groups] = sections
    comment = code = ""
}

function begin_section(text, path) { end_group(); sections++; title[sections] = text; header[sections] = path }

BEGIN { sections = groups = functions = in_code = in_comment = in_define = 0 }

FNR == 1 { path = FILENAME; sub(/.*include\//, "", path); begin_section("Version", path); read_examples(path) }
/^\/\* ---- / { line = $0; gsub(/^\/\* ---- | -*( \*\/)?$/, "", line); begin_section(line, header[sections]); next }
in_define { in_define = /\\$/; next }
in_code { code = code $0 "\n"; if (/^}.*;/ || (single && /;$/)) in_code = 0; next }
/SPDX-License-Identifier/ { next }
in_comment || /^\/\*/ {
    if (!in_comment) end_group()
    line = $0
    in_comment = line !~ /\*\/$/
    sub(/^\/\* ?/, "", line); sub(/^ \* ?/, "", line); sub(/ *\*\/$/, "", line)
    if (line != "" || in_comment) comment = comment line "\n"
    next
}
/^#ifndef/ { end_group(); next } # what the header begins with
/^#define/ { # of macros the name and what they take
    line = $0
    sub(/^#define /, "", line)
    if (comment != "" && code == "" && comment !~ /^For generated/) code = (line ~ /^[A-Za-z_]+\(/ ? substr(line, 1, index(line, ")")) : substr(line, 1, match(line, / |$/) - 1)) " /* a macro */\n"
    in_define = /\\$/
    next
}
/^#if / && comment != "" { next }
/^#/ || /^extern "C"/ || /^}/ { if (code == "") comment = ""; next }
/^$/ { end_group(); next }
/^MMM_API|^typedef|^enum|^struct/ {
    name = function_of($0)
    if (name != "") { functions++; name_of[functions] = name; group_of[functions] = groups + 1; section_of_function[functions] = sections }
    line = $0
    sub(/^MMM_API /, "", line)
    code = code line "\n"
    single = /^MMM_API/ || !/{/
    in_code = !/;( *\/\*.*)?$/
    next
}

function read_examples(path,    file, line, names, count, i, number)
{
    file = path
    gsub(/.*\/|\.h$/, "", file)
    file = examples "/" file ".c"
    while ((getline line <file) > 0) {
        if (names == "" && line ~ /^\/\* (mmm_[a-z0-9_]+ ?)+/ || names != "" && line ~ /^ \* mmm_/) names = names line
        if (line == "/* end */") number = ""
        if (names == "") { if (number != "") example[number] = example[number] line "\n"; continue }
        if (line !~ /\*\/$/) continue
        number = ++example_count
        gsub(/\/\*|\*\/|\*/, " ", names)
        count = split(trim(names), word, / +/)
        for (i = 1; i <= count; i++) example_of[word[i]] = number
        names_of_example[number] = trim(names)
        names = ""
    }
    close(file)
}

# Says what is wrong with the examples of the functions that were read.
function check_examples(    i, name)
{
    for (i = 1; i <= functions; i++) {
        name = name_of[i]
        if (!(name in example_of)) { print "api: " name " has no example" >"/dev/stderr"; bad = 1 }
        else if (example[example_of[name]] !~ ("(^|[^a-z0-9_])" name "([^a-z0-9_]|$)")) {
            print "api: the example of " name " does not use it" >"/dev/stderr"; bad = 1
        }
        declared[name] = 1
    }
    for (name in example_of) if (!(name in declared)) { print "api: an example is for " name ", which no header declares" >"/dev/stderr"; bad = 1 }
}

function roff(text) { gsub(/\\/, "\\e", text); gsub(/-/, "\\-", text); if (text ~ /^[.']/) text = "\\&" text; return text }

function print_lines(path, text, bold,    lines, count, k)
{
    print ".PP\n.nf" >path
    count = split(text, lines, "\n")
    for (k = 1; k < count; k++) print bold && lines[k] != "" ? "\\fB" roff(lines[k]) "\\fR" : roff(lines[k]) >path
    print ".fi" >path
}

function print_man(s,    page, names, i, k, count, lines, path, indented, shown)
{
    for (i = 1; i <= functions; i++)
        if (section_of_function[i] == s) {
            if (page == "") page = name_of[i]
            names = names (names == "" ? "" : ", ") name_of[i]
        }
    if (page == "") return
    path = out "/" page ".3"
    printf ".TH %s 3 \"\" \"mmm %s\" \"many\\-core machine model\"\n.SH NAME\n%s \\- %s\n.SH SYNOPSIS\n.B #include <%s>\n.PP\nLink with \\fB\\-lmmm\\fR.\n.SH DESCRIPTION\n", page, version, names, roff(tolower(title[s])), header[s] >path
    for (i = 1; i <= groups; i++) {
        if (section_of[i] != s) continue
        if (code_of[i] != "") print_lines(path, code_of[i], 1)
        indented = 0
        print ".PP" >path
        count = split(text_of[i], lines, "\n")
        for (k = 1; k < count; k++) {
            if (lines[k] ~ /^  +[^ ]/) { if (!indented) print ".nf" >path; indented = 1 }
            else if (indented) { print ".fi" >path; indented = 0 }
            print lines[k] == "" ? ".PP" : roff(lines[k]) >path
        }
        if (indented) print ".fi" >path
    }
    print ".SH EXAMPLES" >path
    for (i = 1; i <= functions; i++)
        if (section_of_function[i] == s && !(example_of[name_of[i]] in shown)) {
            shown[example_of[name_of[i]]] = 1
            print_lines(path, example[example_of[name_of[i]]], 0)
        }
    print ".SH SEE ALSO\n.BR mmm (1)" >path
    close(path)
    for (i = 1; i <= functions; i++)
        if (section_of_function[i] == s && name_of[i] != page) {
            print ".so man3/" page ".3" >(out "/" name_of[i] ".3")
            close(out "/" name_of[i] ".3")
        }
}

function print_example(name,    number, words)
{
    number = example_of[name]
    words = names_of_example[number]
    if (shown_at[number] != "") {
        if (shown_group[number] != shown_in) printf "An example of `%s` is that of [`%s`](#%s).\n\n", name, shown_at[number], shown_at[number]
        return
    }
    shown_at[number] = name; shown_group[number] = shown_in
    gsub(/ +/, "`, `", words)
    sub(/\n+$/, "\n", example[number])
    printf "Example of `%s`:\n\n```c\n%s```\n\n", words, example[number]
}

function print_markdown(    i, k, s, previous)
{
    if (header[1] == "mmm.h") print "# The library\n\n`#include <mmm.h>`, and link with `-lmmm` (`pkg-config --cflags --libs mmm`). This page is made from the header, which is\nthe manual; each example is compiled and run by `make test`. Those who go deeper have\n[mmm/app.h](api-app.md), applications of one's own; [mmm/kernel.h](api-kernel.md), programs that run; [mmm/model.h](api-model.md), the\nmodel; [mmm/formula.h](api-formula.md), exact analyses; [mmm/study.h](api-study.md), predicting and choosing; [mmm/integer.h](api-integer.md),\npolynomials over the integers; [mmm/engine.h](api-engine.md), more machines than one.\n"
    else print "# " header[1] "\n\n`#include <" header[1] ">`; [mmm.h](api.md) is what to begin with.\n"
    for (s = 1; s <= sections; s++) {
        k = 0
        for (i = 1; i <= functions; i++) if (section_of_function[i] == s) printf "%s[`%s`](#%s)", k++ ? ", " : "- " title[s] ": ", name_of[i], name_of[i]
        if (k) print ""
    }
    print ""
    for (i = 1; i <= groups; i++) {
        s = section_of[i]
        if (s == 1 && code_of[i] == "") { print_text(text_of[i]); continue }
        if (s != previous) print "## " title[s] "\n"
        previous = s
        shown_in = i
        for (k = 1; k <= functions; k++) if (group_of[k] == i) printf "<a id=\"%s\"></a>", name_of[k]
        if (code_of[i] != "") printf "\n\n```c\n%s```\n\n", code_of[i]
        print_text(text_of[i])
        for (k = 1; k <= functions; k++) if (group_of[k] == i) print_example(name_of[k])
    }
}

# A line of a comment as Markdown: what is not between backticks means itself.
function plain(line,    part, count, i, out)
{
    count = split(line, part, "`")
    for (i = 1; i <= count; i++) {
        if (i % 2) { gsub(/</, "\\&lt;", part[i]); gsub(/\*/, "\\*", part[i]) }
        out = out (i > 1 ? "`" : "") part[i]
    }
    return out
}

function print_text(text,    lines, count, k, was)
{
    count = split(text, lines, "\n")
    for (k = 1; k < count; k++) {
        if (lines[k] ~ /^  +[^ ]/ && !was) print ""
        was = lines[k] ~ /^  +[^ ]/
        print was ? "    " lines[k] : plain(lines[k])
    }
    print ""
}

END {
    end_group()
    bad = 0
    check_examples()
    if (form == "man") for (s = 1; s <= sections; s++) print_man(s)
    else print_markdown()
    exit bad
}
