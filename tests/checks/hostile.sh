#!/bin/bash
# Words, descriptors, limits and places that nobody would choose: a status, at most one line of complaint without anything
# that a terminal would obey, no wait without end, and nothing printed into files.
# Use: hostile.sh MMM SCRATCH
set -u
mmm=$(realpath "$1")
example=$(realpath examples/reduction)
rm -rf "$2" && mkdir -p "$2" && cd "$2" || exit 1
export OCL_ICD_VENDORS=$PWD/none MMM_CACHE=$PWD/cache MMM_WISDOM=$PWD/wisdom.jsonl
bad=0 runs=0
complain() { echo "hostile: $*"; bad=1; }

# gives STATUS [TEXT] -- ARGUMENTS...: this status, and what it says on standard error has the text.
gives() {
    local wanted=$1 text= status
    shift
    [ "$1" = -- ] || { text=$1 && shift; }
    shift
    timeout 60 "$mmm" "$@" >stdout 2>stderr </dev/null
    status=$?
    runs=$((runs + 1))
    [ $status = "$wanted" ] || complain "mmm $*: exit status $status, not $wanted: $(head -c 200 stderr)"
    [ "$(wc -l <stderr)" -le 1 ] || complain "mmm $*: more than one line"
    ! LC_ALL=C grep -q '[[:cntrl:]]' stderr || complain "mmm $*: a control character in $(cat -v stderr)"
    [ -z "$text" ] || grep -q "$text" stderr || complain "mmm $*: '$(head -c 200 stderr)' without '$text'"
}

# Words with what terminals obey, with ends of lines and of great length, for every verb and option.
odd=$'two\nlines \e[31m\177' long=$(printf '%05000d' 0)
for verb in $("$mmm" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p') "$odd"; do
    gives 2 -- "$verb" "$odd"
    gives 2 -- "$verb" "$long"
    gives 2 -- "$verb" "--$odd"
    gives 2 -- "$verb" division "n=$odd"
done
gives 2 -- run division "n=1$odd"
gives 2 -- run division --repeat "$odd"
gives 2 -- run division -m "$odd"
gives 2 -- run division -o "$odd/$odd" n=20 m=10
gives 2 -- analyze division -m "U=$odd"
gives 2 -- tune division --time-limit "$odd"
gives 2 -- formula division "$odd"
gives 2 -- formula division W "--set=$odd"
printf '3 7  1 \e[31m' >escape.poly
gives 2 "letter\|expected" -- run division escape.poly escape.poly
printf '{"kernels":[{"name":"A\\u001b[2J"}]}' >escape.json
gives 2 "control characters" -- analyze escape.json

# Standard streams that are closed: files do not take their places.
for streams in '0<&-' '1>&-' '2>&-' '0<&- 1>&-' '0<&- 1>&- 2>&-'; do
    for work in "run division n=40 m=20 -o q.poly" "report division n=40 m=20 s=4 --no-runs -o page.html" "tune division n=40 m=20 --max-runs 1"; do
        rm -f q.poly page.html
        eval "timeout 60 $mmm $work $streams" >/dev/null 2>&1
        runs=$((runs + 1))
        ! grep -qs '^mmm [a-z]*: \|The report is in\|^division' q.poly page.html wisdom.jsonl || complain "$work $streams: prints into its files"
    done
done
"$mmm" list 2>stderr >&-
[ $? = 2 ] && grep -q 'Bad file descriptor' stderr || complain "list >&-: $(cat stderr)"
# A reader that leaves: by the signal, or, where that is ignored, with its reason.
(trap '' PIPE; "$mmm" run division n=20000 m=1 s=64 -o - 2>stderr; echo $? >status) | head -c 10 >/dev/null
[ "$(cat status)" = 2 ] && grep -q 'standard output: Broken pipe' stderr || complain "a pipe: $(cat status stderr)"
# A file that may not grow: no signal, and its reason.
(ulimit -f 0; "$mmm" report division n=40 m=20 s=4 --no-runs -o large.html 2>&1; echo "exit $?") 2>&1 | cat >limited
grep -q "'large.html': File too large" limited && grep -q 'exit 2' limited || complain "ulimit -f 0: $(cat limited)"
[ -z "$(ls large* 2>/dev/null)" ] || complain "ulimit -f 0: $(ls large*) is left"
# Few files, one process, little of everything.
(ulimit -n 8; gives 0 -- run division n=60 m=30 --check; exit $bad) || bad=1
(ulimit -u 1; exec "$mmm" run gcd n=600 m=300 --check >stdout 2>stderr </dev/null) # who is not root has no second thread
status=$?
[ $status = 0 ] || { [ $status = 2 ] && grep -q 'no memory for a thread' stderr; } || complain "ulimit -u 1: exit status $status: $(cat stderr)"
(ulimit -s 1024; gives 0 -- run multiplication n=3000 m=3000 --fastest --check; exit $bad) || bad=1

# Places that are pipes, folders, loops of links, devices without end.
"$mmm" run "$example" n=100 >/dev/null || complain "the example does not run"
mkfifo pipe && ln -s loop loop && mkdir folder && echo text >file
for place in pipe loop folder /dev/zero /dev/full /dev/null /proc/self/mem "$long"; do
    MMM_WISDOM=$place gives 0 -- run division n=60 m=30 --check
    MMM_WISDOM=$place gives 0 -- tune division n=60 m=30 s=4 --max-runs 1
    grep -q '^division: s=4' stdout || complain "$place: tuning gives no answer"
done
MMM_WISDOM=pipe gives 0 'neither a file nor a folder' -- run division n=60 m=30
for place in pipe loop file /dev/zero /proc "$long"; do
    MMM_CACHE=$place gives 2 -- run "$example" n=100
done
# Others may write it: not read, and not added to.
echo '{"mmm":"wisdom","version":1}' >shared.jsonl && chmod 666 shared.jsonl
MMM_WISDOM=shared.jsonl gives 0 'not trusted' -- tune division n=60 m=30 s=4 --max-runs 1
[ "$(wc -l <shared.jsonl)" = 1 ] || complain "a line is added to wisdom that others may write"
for mask in 0 077 277; do
    rm -rf cache wisdom.jsonl
    (umask $mask; gives 0 -- tune division n=60 m=30 s=4 --max-runs 1; gives 0 -- run division n=60 m=30; exit $bad) || bad=1
    [ -z "$(find wisdom.jsonl -perm /022)" ] || complain "umask $mask: others may write the wisdom"
done
[ $bad = 0 ] && echo "hostile: $runs runs with words, descriptors, limits and places that nobody would choose"
exit $bad
