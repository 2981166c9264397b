# Options of every kind: where they may stand, how they may be shortened, and what is no value for them.
say() { echo "\$ $*"; "$@"; echo "exit $?"; }
short() { echo "\$ $*"; "$@" | tail -n 1; }
short mmm analyze division n=8 m=4 s=2 -P 2 -m U=10,Z=14
short mmm analyze -P2 division --machine U=10,Z=14 n=8 m=4 -- s=2
short mmm analyze --mach=U=10,Z=14 division -P 2 n=8 m=4 s=2
short mmm analyze --parameters U=10,Z=14 division -P 2 n=8 m=4 s=2
say mmm report division --machine-file U=10,Z=14
short mmm run -m cpu radix-sort n=10 -ho x
say mmm analyze division -- --json
say mmm tune --ma cpu
say mmm tune --m cpu division
say mmm tune division --json=yes
say mmm tune division --dry-run --js=
say mmm list -x
say mmm list --json -xh
say mmm list all
say mmm list --json=1
say mmm list -m
say mmm run division --repeat
say mmm run division --repeat 100000000000
say mmm run division --repeat 99999999999999999999999
say mmm run division --repeat -1
say mmm run division --repeat 1x
say mmm run division --repeat ''
say mmm run division -o 1 -o 2 -o 3 -o 4 -o 5 -o 6 -o 7 -o 8 -o 9 -o a -o b -o c -o d -o e -o f -o g -o h
say mmm report division --repeat 100000000000
say mmm report division -P 1000000001
say mmm tune division --repeat 65
say mmm tune division --max-runs 1000001
say mmm tune division --time-limit nan
say mmm tune division --time-limit 1e10
say mmm tune division x
say mmm reproduce --limit -1
say mmm reproduce --largest 0
say mmm reproduce -o here there
say mmm analyze division -P 1,,2
say mmm analyze division -P 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17
say mmm analyze division -P 1000000001
say mmm analyze division --seed -3
say mmm calibrate cpu --json -o -
say mmm optimize division gcd
say mmm formula division W S O
say mmm formula --paper division
say mmm formula division --check W
