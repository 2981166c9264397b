# Costs kernel by kernel: runs of alike kernels are one line, each configuration has a table, data has no local memory.
mmm analyze gcd n=1000 m=900 s=64,128 --kernels -P 8
mmm analyze radix-sort n=5000 s=16 --kernels -P 8
mmm analyze division n=8 m=4 s=2 --kernels -P 2 -m U=10,Z=13; echo "exit $?"
mmm analyze division n=1000 m=900 s=64 --kernels --json -P 8 | sed -n '/"kernels": \[/,$p'
cat >two.json <<'END'
{"kernels":[{"name":"A","blocks":4,"threads":32,"work":640,"span":20,"overhead_words":5},
            {"name":"B","blocks":6,"threads":8,"work":[1,2,3,4,5,6],"span":[1,2,3,4,5,6],"overhead_words":1}],
 "edges":[["A","B"]]}
END
mmm analyze two.json --kernels -P 2
mmm analyze division n=64 m=32 s=4 -P 65537 --trace big.trace; echo "exit $?"
