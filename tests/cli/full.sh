# Standard output that takes nothing: every verb says why, and fails.
say() { echo "\$ $*"; "$@" >/dev/full; echo "exit $?"; }
say mmm
say mmm --help
say mmm --version
say mmm help tune
for verb in $(mmm --help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do say mmm $verb --help; done
say mmm help --man
say mmm help --man run
say mmm help --bash
say mmm help --zsh
say mmm new new
say mmm list
say mmm list --json
say mmm analyze division n=64 m=32 s=4
say mmm analyze division n=64 m=32 s=4 --json
say mmm analyze division n=64 m=32 s=4 --csv -
say mmm analyze division n=64 m=32 s=4 --dot - --trace - --json
say mmm analyze division n=64 m=32 s=4 -m U=10,Z=13
say mmm run division n=64 m=32 s=4
say mmm run division n=64 m=32 s=4 --json
say mmm run division n=2000 m=32 s=4 -o - 2>/dev/null
cp "$(dirname "$0")/../../machines/cpu-epyc.json" calibrated.json # its constants need not be measured again
say mmm calibrate cpu division-naive -o calibrated.json
say mmm tune division n=64 m=32 --dry-run --parameters calibrated.json
say mmm formula --paper
say mmm formula --paper --json
say mmm formula division W
say mmm formula division --check
say mmm reproduce -m cpu --largest 1
say mmm derive division-naive
say mmm derive division-naive --json
say mmm run gcd-jump n=64 m=32 --batch 3
say mmm run gcd n=64 m=32 --fastest
printf '2  -3 5\n' >a.poly
say mmm run multiplication --over Z a.poly a.poly
say mmm run multiplication --over Z a.poly a.poly --json
say mmm run multiplication --over Z a.poly a.poly -o - 2>/dev/null
say mmm compare division n=64 m=32 s=4,8
say mmm compare division n=64 m=32 s=4,8 --json
say mmm doctor
say mmm formula --template
say mmm optimize division
say mmm optimize division --json
say mmm report division n=64 m=32 s=4,8 --no-runs
say mmm report division n=64 m=32 s=4,8 --no-runs -o -
say mmm report division n=64 m=32 s=4,8 --no-runs --json
mmm list >&-; echo "exit $?"
mmm run division -m gpu >/dev/full; echo "exit $?"
