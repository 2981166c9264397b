#!/bin/sh
# Every command that a document or a comment of a header names has a verb and options that there are, the kernel of
# docs/dialect.md is one, and the files that documents point to are there.  Whole commands in the text of documents work.
# (Blocks marked `console` are run, by tutorial.sh.)
# Use: commands.sh MMM GENERATE SCRATCH
set -eu
mmm=$1 generate=$2 scratch=$3
mkdir -p "$scratch"
documents="README.md CONTRIBUTING.md SECURITY.md CHANGELOG.md docs/*.md examples/README.md examples/*/README.md"
failed=0 seen=0
# shellcheck disable=SC2086
cat $documents include/mmm.h include/mmm/*.h | grep -oE '(^|[ `"(])(build/)?mmm [a-z]+( [^`"|;]*)?' | sed 's/^[ `"(]*//; s/^build\///' | sort -u >"$scratch/commands"
for verb in $("$mmm" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do "$mmm" "$verb" --help >"$scratch/help-$verb"; done
while read -r _ verb rest; do
    [ -e "$scratch/help-$verb" ] || continue # "mmm finds ..." in prose
    seen=$((seen + 1))
    for word in $rest; do
        case $word in
        --*) name=${word%%[=,.)]*} ;;
        -[a-zA-Z]) name=$word ;;
        *) continue ;;
        esac
        grep -q -e "[ ,]$name\b" "$scratch/help-$verb" || { echo "commands: mmm $verb has no $name: mmm $verb $rest"; failed=1; }
    done
done <"$scratch/commands"
# Those with an application and without "…", names to fill in, and machines that may not be here.
mmm=$(realpath "$mmm") run=0
grep -ohE '`mmm [a-z]+ [^`]*`' README.md docs/*.md examples/README.md examples/*/README.md | tr -d '`' | sort -u |
    grep -v -e '…' -e '\./' -e 'cuda' -e '[A-Z][A-Z]' -e '^mmm \(analyze\|run\|tune\|report\|optimize\) -' -e ' --measured$' >"$scratch/whole"
while read -r _ rest; do
    run=$((run + 1))
    # "make test-derive" has what these derive, to the end, and tries it.
    case $rest in derive*) seconds=10 ended=124 ;; *) seconds=600 ended=0 ;; esac
    status=0
    # shellcheck disable=SC2086
    (cd "$scratch" && MMM_WISDOM=$PWD/wisdom.jsonl timeout -s INT $seconds "$mmm" $rest >whole.out 2>&1 </dev/null) || status=$?
    [ $status = 0 ] || [ $status = $ended ] || { echo "commands: mmm $rest: exit status $status: $(tail -n 1 "$scratch/whole.out")"; failed=1; }
done <"$scratch/whole"
[ $run -gt 5 ] || { echo "commands: only $run whole ones found"; failed=1; }
[ $seen -gt 40 ] || { echo "commands: only $seen found"; failed=1; }
# shellcheck disable=SC2086
for document in $documents; do
    folder=$(dirname "$document")
    for link in $(grep -oE '\]\([^)#]+' "$document" | sed 's/^](//' | grep -v '^http' || true); do
        [ -e "$folder/$link" ] || { echo "commands: $document points to $link, which is not there"; failed=1; }
    done
done
awk '/^```c$/ { inside = 1; next } /^```/ { inside = 0 } inside' docs/dialect.md >"$scratch/dialect.c"
"$generate" "$scratch/dialect.c" unit "$scratch" || { echo "commands: the kernel of docs/dialect.md is refused"; failed=1; }
[ $failed = 0 ] && echo "commands: $seen commands of documents and headers have verbs and options that there are; $run whole ones work"
exit $failed
