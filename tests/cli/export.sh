# A program written as data and read again: the same measures, bounds and schedules.
same() {
    mmm analyze "$@" --export program.json --json -P 1,8,132 >counted.json
    mmm analyze program.json --json -P 1,8,132 >read.json
    for file in counted read; do
        sed -n '/"span\|"work\|"overhead"\|"dag"/p; /"dag"/,/"local_words"/p' $file.json | sed '/"local_words"/d' >$file.txt
    done
    cmp counted.txt read.txt && echo "$1: the same"
}
same division-naive n=300 m=200
same division n=300 m=200 s=16
same multiplication n=300 m=200 s=8
same gcd-naive n=60 m=40
same gcd n=300 m=200 s=16
same radix-sort n=2000 s=4
same radix-sort n=2000 s=4 values=1 bits=64
mmm analyze division n=300 m=200 s=16 --export - -P 8
mmm analyze division n=300 m=200 s=16 --export program.json -P 8 --kernels | tail -n 1
mmm analyze program.json -P 8 --export again.json --kernels | tail -n 1
cmp program.json again.json
mmm analyze - -P 8 <program.json | tail -n 1
for option in export dot trace; do
    mmm analyze division n=300 m=200 s=16,32 --$option two.json; echo "exit $?"
done
mmm analyze division n=300 m=200 s=16 --export missing/x.json; echo "exit $?"
echo "files: $(echo *.json)"
