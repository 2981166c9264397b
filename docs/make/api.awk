# SPDX-License-Identifier: Apache-2.0
# The manual in mmm.h as pages for man, one a section and a link for each function, or as Markdown with an example of each.
# Use: awk -v form=man -v out=FOLDER -v version=V -f api.awk include/mmm.h
#      awk -v form=markdown -v examples=docs/make/examples.c -f api.awk include/mmm.h
#
# A section begins with a line of dashes and a title.  A comment says what the declarations right below it do.

function trim(text) { gsub(/^[ \t]+|[ \t]+$/, "", text); return text }

# The name of the function that a declaration declares; "" for types.
function function_of(text)
{
    if (text !~ /^MMM_API/) return ""
    sub(/\(.*/, "", text)
    sub(/.*[ *]/, "", text)
    return text
}

function end_group(    name)
{
    if (comment == "" && code == "") return
    groups++
    text_of[groups] = comment; code_of[groups] = code; section_of[groups] = sections
    comment = code = ""
}

BEGIN { sections = 0; title[0] = "Version"; groups = 0 }

/^\/\* ---- / { end_group(); sections++; title[sections] = $0; gsub(/^\/\* ---- | -*( \*\/)?$/, "", title[sections]); next }

in_code { code = code $0 "\n"; if (/^}.*;$/ || (single && /;$/)) in_code = 0; next }
/SPDX-License-Identifier/ { next }
in_comment || /^\/\*/ {
    if (!in_comment) end_group()
    line = $0
    in_comment = line !~ /\*\/$/
    sub(/^\/\* ?/, "", line); sub(/^ \* ?/, "", line); sub(/ *\*\/$/, "", line)
    comment = comment line "\n"
    next
}
/^#ifndef/ { end_group(); next } # what the header begins with
/^#/ || /^extern "C"/ || /^}/ { comment = ""; next }
/^$/ { end_group(); next }
/^MMM_API|^typedef/ {
    name = function_of($0)
    if (name != "") { functions++; name_of[functions] = name; group_of[functions] = groups + 1; section_of_function[functions] = sections }
    line = $0
    sub(/^MMM_API /, "", line)
    code = code line "\n"
    single = /^MMM_API/ || !/{/
    in_code = !/;$/
    next
}

function roff(text) { gsub(/\\/, "\\e", text); gsub(/-/, "\\-", text); if (text ~ /^[.']/) text = "\\&" text; return text }

function print_man(s,    page, names, i, k, count, lines, path, indented, first)
{
    for (i = 1; i <= functions; i++)
        if (section_of_function[i] == s) {
            if (page == "") page = name_of[i]
            names = names (names == "" ? "" : ", ") name_of[i]
        }
    if (page == "") return
    path = out "/" page ".3"
    printf ".TH %s 3 \"\" \"mmm %s\" \"many\\-core machine model\"\n.SH NAME\n%s \\- %s\n.SH SYNOPSIS\n.B #include <mmm.h>\n.PP\nLink with \\fB\\-lmmm\\fR.\n.SH DESCRIPTION\n", page, version, names, roff(tolower(title[s])) >path
    for (i = 1; i <= groups; i++) {
        if (section_of[i] != s) continue
        if (code_of[i] != "") {
            print ".PP\n.nf" >path
            count = split(code_of[i], lines, "\n")
            for (k = 1; k < count; k++) print "\\fB" roff(lines[k]) "\\fR" >path
            print ".fi" >path
        }
        indented = 0
        print ".PP" >path
        count = split(text_of[i], lines, "\n")
        for (k = 1; k < count; k++) {
            if (lines[k] ~ /^    /) { if (!indented) print ".nf" >path; indented = 1 }
            else if (indented) { print ".fi" >path; indented = 0 }
            print lines[k] == "" ? ".PP" : roff(lines[k]) >path
        }
        if (indented) print ".fi" >path
    }
    print ".SH SEE ALSO\n.BR mmm (1)" >path
    close(path)
    for (i = 1; i <= functions; i++)
        if (section_of_function[i] == s && name_of[i] != page) {
            print ".so man3/" page ".3" >(out "/" name_of[i] ".3")
            close(out "/" name_of[i] ".3")
        }
}

# Examples stand between lines "/* mmm_name */" of the file; a line "/* end */" ends the last one.
function read_examples(    line, name)
{
    while ((getline line <examples) > 0) {
        if (line ~ /^\/\* (mmm_[a-z0-9_]+|end) \*\/$/) { split(line, word, " "); name = word[2]; continue }
        if (name != "" && name != "end") example[name] = example[name] line "\n"
    }
}

function print_markdown(    i, k, s, lines, count, previous, bad)
{
    read_examples()
    print "# The library\n\n`#include <mmm.h>`, and link with `-lmmm` (`pkg-config --cflags --libs mmm`). This page is made from the header, which is\nthe manual; each example is compiled and run by `make test`.\n"
    previous = -1
    for (i = 1; i <= groups; i++) {
        s = section_of[i]
        if (s == 0 && code_of[i] == "") { print_text(text_of[i]); continue }
        if (s != previous) print "## " title[s] "\n"
        previous = s
        for (k = 1; k <= functions; k++) if (group_of[k] == i) printf "<a id=\"%s\"></a>", name_of[k]
        if (code_of[i] != "") printf "\n\n```c\n%s```\n\n", code_of[i]
        print_text(text_of[i])
        for (k = 1; k <= functions; k++)
            if (group_of[k] == i) {
                if (example[name_of[k]] == "") { print "api: " name_of[k] " has no example" >"/dev/stderr"; bad = 1 }
                sub(/\n+$/, "\n", example[name_of[k]])
                printf "Example of `%s`:\n\n```c\n%s```\n\n", name_of[k], example[name_of[k]]
            }
    }
    return bad
}

function print_text(text,    lines, count, k, was)
{
    count = split(text, lines, "\n")
    for (k = 1; k < count; k++) {
        if (lines[k] ~ /^  +[^ ]/ && !was) print ""
        was = lines[k] ~ /^  +[^ ]/
        line = lines[k]
        if (was) line = "    " trim(line)
        gsub(/</, "\\&lt;", line)
        if (was) gsub(/&lt;/, "<", line)
        print line
    }
    print ""
}

END {
    end_group()
    if (form == "man") for (s = 0; s <= sections; s++) print_man(s)
    else exit print_markdown()
}
