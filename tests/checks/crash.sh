#!/bin/bash
# Processes that are killed at random moments while they tune, measure tables, compile folders and write wisdom: what they
# leave is whole or passed over, and the next one goes on from it.  And places that cannot be written: the answer is given,
# or one line says why not.
# Use: crash.sh MMM SCRATCH; MMM_CRASHES is how often each is killed (4)
set -u
mmm=$(realpath "$1") times=${MMM_CRASHES:-4}
example=$(realpath examples/reduction) profile=$(realpath tests/model/profiles/ncu-raw.csv) calibrated=$(realpath machines/cpu-epyc.json)
rm -rf "$2" && mkdir -p "$2" && cd "$2" || exit 1
export OCL_ICD_VENDORS=$PWD/none MMM_CACHE=$PWD/cache MMM_WISDOM=$PWD/wisdom.jsonl
bad=0 killed=0
complain() { echo "crash: $*: $(tail -n 2 stderr | head -c 300)"; bad=1; }

# killed_after SECONDS ARGUMENTS...: by a signal that nobody can catch, with what it started.
killed_after() {
    local status seconds=$1
    shift
    { timeout -s KILL "$seconds" "$mmm" "$@" >stdout 2>stderr </dev/null; } 2>/dev/null
    status=$?
    [ $status = 137 ] && killed=$((killed + 1))
    case $status in 0 | 137) ;; *) complain "mmm $* exits with $status" ;; esac
}
# works ARGUMENTS...: to the end, with nothing passed over.
works() {
    timeout 120 "$mmm" "$@" >stdout 2>stderr </dev/null || complain "mmm $* exits with $?"
    ! grep -q 'passed over' stderr || complain "mmm $*: damaged"
}
# some: 0.02 to $1 hundredths of a second
some() { printf '%d.%02d' 0 $((2 + RANDOM % $1)); }

for i in $(seq "$times"); do
    killed_after "$(some 60)" tune division n=900 m=400 --exhaustive --repeat 4 -o results.json
    works run division n=900 m=400 --check
    killed_after "$(some 60)" reproduce -m cpu --largest 1000 -o tables
    cp -r "$example" own$i && echo "/* $RANDOM */" >>own$i/kernels.c
    killed_after "$(some 40)" run ./own$i n=100 --check
    works run ./own$i n=100 --check
    rm -rf own$i
done
# What they left in the cache goes when it is old, and only that.
left="cache/mmm-new-abcdef cache/mmm-headers-ABCDEF cache/mmm-doctor-abc123"
others="cache/mmm-new-recent cache/new-folder cache/app-server"
mkdir -p $left $others cache/mmm-headers-ABCDEF/mmm && touch cache/mmm-new-abcdef/app.so cache/mmm-headers-ABCDEF/mmm/app.h
touch -d '3 hours ago' $left cache/new-folder cache/app-server
cp -r "$example" other && echo "/* $RANDOM */" >>other/kernels.c
works run ./other n=100 --check
for folder in $left; do [ ! -e $folder ] || complain "$folder stays"; done
for folder in $others; do [ -d $folder ] || complain "$folder is removed"; done
# Several at once, some of them killed.
for _ in $(seq 8); do
    timeout -s KILL "$(some 50)" "$mmm" tune multiplication n=$((40 + RANDOM % 60)) m=40 --max-runs 2 >/dev/null 2>&1 </dev/null &
done
wait 2>/dev/null
works tune division n=900 m=400 --max-runs 3 -o results.json
works run multiplication n=50 m=40 --check
works reproduce -m cpu --largest 1000 -o tables
[ -s tables/reproduce.txt ] || complain "no tables"
[ "$(head -n 1 wisdom.jsonl)" = '{"mmm":"wisdom","version":1}' ] || complain "wisdom without its first line"

# refused STATUS ARGUMENTS...: one line, and this status; "0" also where a note says what was not kept.
refused() {
    local wanted=$1 status
    shift
    timeout 120 "$@" >stdout 2>stderr </dev/null
    status=$?
    [ $status = "$wanted" ] || complain "$* exits with $status, not $wanted"
    [ "$(wc -l <stderr)" -le 1 ] || complain "$* says more than one line"
}
unset MMM_WISDOM MMM_CACHE
nowhere="env -u HOME -u XDG_CACHE_HOME -u XDG_DATA_HOME"
touch file
for home in "$nowhere" "env HOME=/proc" "env HOME=$PWD/file" "env HOME=/dev/null/home" "env HOME=relative"; do
    # shellcheck disable=SC2086
    {
        refused 0 $home "$mmm" run division n=60 m=30 --check
        refused 0 $home "$mmm" tune division n=60 m=30 --max-runs 1
        grep -q '^division: s=' stdout || complain "$home: tuning gives no answer"
        refused 2 $home "$mmm" run "$example" n=100
        refused 2 $home "$mmm" calibrate
    }
done
# What takes long looks first whether its answer has a place.
for verb in "calibrate" "calibrate cpu division" "derive gcd" "report sort n=3000000" "compare sort n=3000000 -m cpu" "run sort n=100000000 --repeat 100"; do
    # shellcheck disable=SC2086
    refused 2 bash -c 'ulimit -t 5; exec "$@"' - "$mmm" $verb -o nowhere/file
    grep -q "cannot write 'nowhere/file': No such file or directory" stderr || complain "mmm $verb does not look first"
done
# A disk with no room: files may have one block.
printf '#!/bin/bash\ntrap "" XFSZ\nulimit -f 1\nexec "$@"\n' >full && chmod +x full
export MMM_CACHE=$PWD/full-cache MMM_WISDOM=$PWD/full/wisdom.jsonl
refused 2 ./full "$mmm" report division n=64 m=32 s=4,8 --no-runs -o full.html
[ ! -e full.html ] || complain "half a report is left"
refused 2 ./full "$mmm" run "$example" n=100
refused 2 ./full "$mmm" run division n=4000 m=2000 -o full.poly
[ ! -e full.poly ] || complain "half a polynomial is left"
refused 2 ./full "$mmm" analyze division n=4000 m=2000 s=1 --trace full.json
[ ! -e full.json ] || complain "half a trace is left"
echo old >full.txt
refused 2 ./full "$mmm" derive division -o full.txt
[ "$(cat full.txt)" = old ] || complain "half a file of formulas is left"
grep -q "'full.txt': File too large" stderr || complain "derive does not say why"
refused 2 ./full "$mmm" import "$profile" -o full-program.json
[ ! -e full-program.json ] || complain "half a program is left"
cp "$calibrated" full-machine.json
refused 2 ./full "$mmm" calibrate cpu division-naive -o full-machine.json
cmp -s "$calibrated" full-machine.json || complain "half a machine is left"
[ -z "$(find . -name 'full*.??????' ! -name '*.poly' -newer full)" ] || complain "temporary files are left: $(ls)"
# A device that is full, by its name.
for verb in "derive division-naive" "import $profile" "run division n=64 m=32 s=4" "report division n=64 m=32 s=4 --no-runs"; do
    # shellcheck disable=SC2086
    refused 2 "$mmm" $verb -o /dev/full
    grep -q "cannot write '/dev/full': No space left on device" stderr || complain "mmm $verb -o /dev/full"
done
[ $bad = 0 ] && echo "crash: $killed processes killed, and the next ones went on; places that cannot be written are told"
exit $bad
