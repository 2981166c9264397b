#!/bin/bash
# The engine on StarPU and MPI: 1, 2 and 4 ranks give what one machine gives, and FLINT; what fails is done elsewhere, or
# is told with its rank; a rank that dies ends all, and leaves nothing behind.
# Use: many.sh BUILD SCRATCH
set -u
mmm=$(realpath "$1/mmm")
missing=
[ -e "$1/libmmm-starpu.so" ] || missing="libmmm-starpu.so, for which libstarpu-dev and libopenmpi-dev"
command -v mpirun >/dev/null || missing=${missing:-"mpirun, for which openmpi-bin"}
[ -z "$missing" ] || { echo "many: not tested: there is no $missing would be needed"; exit 0; }
fake=$(realpath "$1/tests/fake/rank.so")
rm -rf "$2" && mkdir -p "$2" && cd "$2" || exit 1
export MMM_CACHE=$PWD/cache MMM_WISDOM=$PWD/wisdom.jsonl OCL_ICD_VENDORS=$PWD/none
export OMPI_MCA_btl=self,vader,tcp OMPI_MCA_btl_tcp_if_include=lo OMPI_MCA_oob_tcp_if_include=lo
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
bad=0 runs=0
complain() { echo "many: $*: $(head -c 600 stderr)"; bad=1; }
ranks() { local n=$1; shift; runs=$((runs + 1)); timeout 60 mpirun --oversubscribe -n "$n" "$@" >stdout 2>stderr </dev/null; }
over() { "$mmm" run "$@" --over Z >stdout 2>stderr </dev/null || complain "mmm run $*"; }

# polynomial SEED TERMS DIGITS
polynomial() {
    awk -v seed="$1" -v terms="$2" -v digits="$3" 'BEGIN {
        srand(seed); printf "%d ", terms
        for (i = 0; i < terms; i++) {
            printf rand() < 0.5 ? " -" : " "; printf "%d", 1 + int(9 * rand())
            for (k = 1; k < digits; k++) printf "%d", int(10 * rand())
        }
        print "" }'
}
polynomial 1 150 60 >g.poly
polynomial 2 130 50 >u.poly
polynomial 3 101 70 >v.poly
polynomial 5 900 400 >w.poly # so long that the way back of its product is worth a round
polynomial 4 30 3000 >long.poly
polynomial 6 40 20 >s.poly # its resultant with v has 16,000 bits
over multiplication g.poly u.poly -o a.poly --check
over multiplication g.poly v.poly -o b.poly --check
over multiplication w.poly u.poly -o f.poly --check
over gcd a.poly b.poly -o gcd.poly --check
over division a.poly g.poly -o q.poly -o r.poly --check

for n in 1 2 4; do
    ranks $n "$mmm" run gcd --over Z a.poly b.poly -o gcd-$n.poly --engine starpu --check || complain "gcd by $n ranks"
    cmp -s gcd.poly gcd-$n.poly || complain "gcd by $n ranks differs"
    [ "$(wc -l <stdout)" = 1 ] && grep -q " $n rank.*equal to the result of FLINT" stdout || complain "$n ranks say: $(cat stdout)"
    ranks $n "$mmm" run multiplication --over Z w.poly u.poly -o f-$n.poly --engine starpu --json --check || complain "a product by $n ranks"
    cmp -s f.poly f-$n.poly || complain "a product by $n ranks differs"
    ranks $n "$mmm" run multiplication --over Z long.poly long.poly --engine starpu --json --check || complain "a product in pieces by $n ranks"
    grep -q '"primes":[1-9][0-9],.*"check":"equal"' stdout || complain "a product in pieces by $n ranks says: $(cat stdout)" # whole it has 666
    ranks $n "$mmm" run resultant --over Z s.poly v.poly -o - --engine starpu --check || complain "a resultant by $n ranks"
    ranks $n "$mmm" run division --over Z a.poly g.poly -o q-$n.poly -o r-$n.poly --engine starpu || complain "a quotient by $n ranks"
    cmp -s q.poly q-$n.poly && cmp -s r.poly r-$n.poly || complain "a quotient by $n ranks differs"
done
# Without mpirun it is one rank.
"$mmm" run gcd --over Z a.poly b.poly -o gcd-0.poly --engine starpu >stdout 2>stderr || complain "gcd without mpirun"
cmp -s gcd.poly gcd-0.poly || complain "gcd without mpirun differs"

# fails NEEDLE COMMAND...: one line of ours, which has the needle, and no file.
fails() {
    local needle=$1 status
    shift
    "$@"
    status=$?
    [ $status != 0 ] || complain "$* works"
    [ $status != 124 ] || complain "$* hangs"
    [ "$(grep -c '^mmm' stderr)" = 1 ] && grep -q "$needle" stderr || complain "$* does not say $needle"
    [ ! -e none.poly ] && [ -z "$(ls | grep none.poly)" ] || complain "$* leaves a file"
}
gcd="$mmm run gcd --over Z a.poly b.poly -o none.poly --engine"
fails "the one that comes with mmm is starpu" ranks 1 $gcd stapru
fails "is not the name of an engine" ranks 1 $gcd ../starpu
fails "rank 0: there is no device opencl:9\|rank 0: .*OpenCL" ranks 2 $gcd starpu -m cpu,opencl:9
fails "rank 0: 'cpu,,cpu' is not a list of machines" ranks 2 $gcd starpu -m cpu,,cpu
fails "rank 1: " ranks 1 $gcd starpu : -n 1 $gcd starpu -m cuda:9
fails "cannot read 'nowhere.poly'\|nowhere.poly" ranks 2 "$mmm" run gcd --over Z nowhere.poly b.poly -o none.poly --engine starpu

# A task that fails is done by another rank; where all fail, one is named.
RANK_FAILS=1:1 LD_PRELOAD=$fake ranks 2 "$mmm" run gcd --over Z a.poly b.poly -o again.poly --engine starpu --check || complain "a task that fails once"
cmp -s gcd.poly again.poly || complain "a task that fails once: the result differs"
RANK_FAILS=0:1 LD_PRELOAD=$fake ranks 1 "$mmm" run gcd --over Z a.poly b.poly -o again.poly --engine starpu --check || complain "a task that fails once on one rank"
export RANK_FAILS=-1:0 LD_PRELOAD=$fake
fails "rank [0-3], cpu: .*memory" ranks 4 $gcd starpu
unset RANK_FAILS

# A rank that dies, before its first result and in the middle; and the leader itself.
for dies in 2:1 1:20 3:10 0:30; do
    export RANK_DIES=$dies
    ranks 4 $gcd starpu
    status=$?
    [ $status != 0 ] && [ $status != 124 ] || complain "rank $dies dies: exit status $status"
    grep -q "rank ${dies%:*} " stderr || complain "rank $dies dies: it is not named"
    [ -z "$(ls | grep none.poly)" ] || complain "rank $dies dies: a file is left"
done
unset RANK_DIES LD_PRELOAD

# Tuning: the workers of a kind of device share its configurations; one file of results, and a line of wisdom.
tune="tune division n=900 m=400 --engine starpu --max-runs 12"
ranks 2 "$mmm" $tune -o results.json || complain "tuning by 2 ranks"
[ "$(wc -l <stdout)" = 2 ] && grep -q '^division on cpu (.*), 2 workers: s=[0-9]* ' stdout || complain "tuning by 2 ranks says: $(cat stdout)"
! command -v python3 >/dev/null || python3 - results.json wisdom.jsonl <<'P' || complain "what tuning by 2 ranks wrote"
import json, sys
t4 = json.load(open(sys.argv[1]))
assert t4["schema_version"] == "1.1.0" and t4["metadata"]["application"] == "division"
times = {r["configuration"]["s"]: r["times"]["runtimes"] for r in t4["results"] if r["times"]["runtimes"]}
assert len(times) >= 4, times
wisdom = [json.loads(line) for line in open(sys.argv[2]).read().splitlines()[1:]]
assert len(wisdom) == 1 and wisdom[0]["device"] == t4["metadata"]["device"], wisdom
s = wisdom[0]["configuration"]["s"]
assert min(times[s]) == min(min(x) for x in times.values()) and len(times[s]) > 3, (s, times)
P
ranks 1 "$mmm" run division n=900 m=400 --check && grep -q 'by wisdom' stdout || complain "wisdom of tuning by 2 ranks is not used"
[ $bad = 0 ] && echo "many: $runs runs of 1, 2 and 4 ranks are right, or name the rank that is wrong"
exit $bad
