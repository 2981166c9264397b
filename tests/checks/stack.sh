#!/bin/bash
# A stack of 256 KB is enough: formula files and kernel files at the limits of what they may hold work or get an error of
# one line, and so does every verb.  Use: stack.sh MMM GENERATE SCRATCH
set -u
mmm=$(realpath "$1") generate=$(realpath "$2") stack=256 example=$(realpath examples/reduction)
nm "$mmm" | grep -q __asan_init && stack=4096 # its frames are several times as large
rm -rf "$3" && mkdir -p "$3" && cd "$3" || exit 1
export OCL_ICD_VENDORS=$PWD/none MMM_CACHE=$PWD/cache MMM_WISDOM=$PWD/wisdom.jsonl
bad=0 runs=0

# small STATUSES COMMAND...: one of the statuses, and one line of complaint where it is not 0.
small() {
    local allowed=$1 status
    shift
    (ulimit -s $stack && exec timeout 120 "$@") >stdout 2>stderr </dev/null
    status=$?
    runs=$((runs + 1))
    case " $allowed " in *" $status "*) ;; *) echo "stack: $*: exits with $status: $(tail -n 1 stderr | head -c 300)"; bad=1 ;; esac
    [ $status = 0 ] || [ "$(grep -vc ': warning: ' stderr)" = 1 ] || { echo "stack: $*: complains: $(head -c 300 stderr)"; bad=1; }
}

# repeat N TEXT
repeat() { printf "%0.s$2" $(seq "$1"); }

# A file of 23 definitions, each with the one before in the middle of BEFORE and AFTER.
chained() {
    local inner=n
    printf 'size n terms\nparameter s\nchoose s\nV = n+s\n'
    for i in $(seq 23); do
        echo "let A$i = $1$inner$2"
        inner=A$i
    done
    echo "W = $inner"
}
alone() { printf 'size n terms\nparameter s\nchoose s\nW = %s\n' "$1"; }

chained "" "$(repeat 2040 +n)" >sums.txt
chained "$(repeat 64 '(1+')" "$(repeat 64 ')')" >brackets.txt
chained "$(repeat 62 '-(')" "$(repeat 62 ')')" >signs.txt
chained "$(repeat 63 'V(s=')" "$(repeat 63 ')')" >calls.txt
chained "$(repeat 64 'log2(')" "$(repeat 64 ')')" >logarithms.txt
chained "" "$(repeat 600 '*(n+1)')" >products.txt
chained "" "$(repeat 2000 /n)" >quotients.txt
alone "$(repeat 64 'n^')1" >powers.txt
alone "$(repeat 1000 '(')n$(repeat 1000 ')')" >deep.txt
alone "$(repeat 300 'n*(s+')n$(repeat 300 ')')" >deeper.txt
{ alone n; echo "claim a W $(repeat 500 '= n ')"; } >relations.txt
{ alone n; repeat 390 'let A%%d = n\n' | awk '{ sub(/%d/, NR) } 1'; } >many.txt
for file in sums brackets signs calls logarithms products quotients powers deep deeper relations many; do
    small "0 2" "$mmm" formula ./$file.txt
    small "0 2" "$mmm" formula ./$file.txt "W1/W > 1" --solve s
    small "0 1 2" "$mmm" formula ./$file.txt --check
    small "0 2" "$mmm" optimize ./$file.txt
done
small 0 "$mmm" formula ./sums.txt W
grep -q '^46921\*n' stdout || { echo "stack: sums.txt: $(head -c 80 stdout)"; bad=1; }

# Kernels: brackets, statements and macros inside each other, up to the limit and beyond it.
kernel() { printf 'KERNEL void f(GLOBAL word *a, CONSTANT int l)\n{\n    THREADS (t) {\n%s\n    }\n}\n' "$1"; }
for n in 80 95 101 2000; do
    kernel "a[t] = $(repeat $n '(')a[t]$(repeat $n ')');" >round$n.c
    kernel "a[$(repeat $n 'a[')t$(repeat $n ']')] = 0;" >square$n.c
    kernel "$(repeat $n '{ ')a[t] = 0;$(repeat $n ' }')" >braces$n.c
    kernel "$(repeat $n 'if (a[t]) ')a[t] = 0;" >ifs$n.c
    kernel "a[t] = $(repeat $n '- ')a[t];" >minuses$n.c
    kernel "a[t] = $(repeat $n 'a[t] ? a[t] : ')a[t];" >choices$n.c
    kernel "$(repeat $n 'a[t] = ')a[t];" >assignments$n.c
    kernel "a[t] = a[t]$(repeat $n ' + a[t]');" >sum$n.c
    { echo '#define M0(x) (x)'; for i in $(seq $n); do echo "#define M$i(x) M$((i - 1))(x)"; done
        kernel "a[t] = M$n(a[t]);"; } >macros$n.c
    { echo '#define M(x) (x)'; kernel "a[t] = $(repeat $n 'M(')a[t]$(repeat $n ')');"; } >arguments$n.c
done
for file in *.c; do
    small "0 1 2" "$generate" $file unit .
done

small 0 "$mmm" list
small 0 "$mmm" new new
small 0 "$mmm" run "$example" n=100 --check
small 0 "$mmm" run gcd n=300 m=200 --check
small 0 "$mmm" run division n=300 m=200 -m abstract --check
small 0 "$mmm" analyze radix-sort n=500
small 0 "$mmm" tune multiplication n=100 m=100 --max-runs 1
small 0 "$mmm" formula --paper
small 0 "$mmm" report gcd n=100 m=50 s=4,8 --repeat 1 -o page.html
cp -r "$example" own
alone "n$(repeat 480 +n)" >own/formulas.txt
small 0 "$mmm" report ./own n=100 --no-runs -o own.html
small 0 "$mmm" reproduce --largest 100 -o tables
[ $bad = 0 ] && echo "stack: $runs runs with $stack KB of stack"
exit $bad
