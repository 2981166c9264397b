#!/bin/sh
# The faults of the catalogue under Oclgrind, as a witness: what it reports beside what the abstract machine does, as the
# table of docs/faults.md.  Needs Oclgrind (Debian: oclgrind); takes some minutes.
# Heads of gcds, which it takes minutes for, are run at smaller sizes than the catalogue has.
# Use: oclgrind.sh BUILD SCRATCH [APPLICATION ...] >TABLE      OCLGRIND_SECONDS (120) is what a run may take
set -eu
build=$(realpath "$1")
mkdir -p "$2"
scratch=$(realpath "$2")
shift 2
wanted=" $* "
library=${OCLGRIND:-/usr/lib/oclgrind/liboclgrind-rt.so}
[ -e "$library" ] || { echo "oclgrind.sh: $library is not there; install oclgrind" >&2; exit 1; }
# With another clEnqueueFillBuffer; the name is the one by which the linker knows Oclgrind.
ln -sf "$(realpath "$library")" "$scratch/libOpenCL.so"
${CC:-cc} -O1 -shared -fPIC tests/faults/fill.c -o "$scratch/fill.so" "$scratch/libOpenCL.so" -Wl,-rpath,"$scratch"
# Unoptimised: it does not know some instructions that optimisers make.
export MMM_OPENCL="$scratch/fill.so" OCLGRIND_BUILD_OPTIONS=-cl-opt-disable OCLGRIND_DATA_RACES=1 OCLGRIND_UNINITIALIZED=1 OCLGRIND_UNIFORM_WRITES=1 OCLGRIND_LOG="$scratch/log"
export MMM_CACHE="$scratch/cache" MMM_WISDOM=/dev/null CC="$PWD/tests/faults/cc.sh"
usual=
tab=$(printf '\t')
"$build/tests/faults/test_catalogue" -k "$scratch" >"$scratch/list"
echo '| application | fault | abstract machine | Oclgrind |'
echo '|---|---|---|---|'
while IFS="$tab" read -r folder settings expected what; do
    app=$(basename "$folder" | sed 's/-[0-9]*$//')
    case $wanted in "  " | *" $app "*) ;; *) continue ;; esac
    case "$app $settings" in
    gcd-jump*r=0*) settings="n=40 m=33 s=12 h=40 l=16 r=0 k=2" ;;
    gcd-jump*) settings="n=40 m=33 s=12 h=40 l=4 r=1 k=2" ;;
    gcd-half*) settings="n=60 m=50 s=12 j=1 h=1 l=2 k=1 e=4 c=4" ;;
    esac
    rm -f "$scratch/log"
    status=0
    # shellcheck disable=SC2086
    timeout "${OCLGRIND_SECONDS:-120}" "$build/mmm" run "$folder" $settings -m opencl:0 --check --repeat 1 >"$scratch/out" 2>&1 </dev/null || status=$?
    found=
    [ "$what" != "as it is" ] || usual=
    for kind in 'data race:race' 'Invalid read:invalid read' 'Invalid write:invalid write' 'Uninitialized:uninitialised' 'divergence:divergence'; do
        case $usual in *"${kind#*:}"*) continue ;; esac
        if grep -qi "${kind%%:*}" "$scratch/log" 2>/dev/null; then found="$found${found:+, }${kind#*:}"; fi
    done
    [ "$what" != "as it is" ] || usual=$found # what it says of the application as it is, it says of a fault in vain
    case $status in
    0) ;;
    1) found="$found${found:+; }wrong result" ;;
    124) found="$found${found:+; }does not end" ;;
    2) found="$found${found:+; }refused before" ;;
    *) found="$found${found:+; }crash" ;;
    esac
    echo "| $app | $what | ${expected#-} | ${found:-nothing} |"
done <"$scratch/list"
