# Bad input: one line that names the bad word and the right ones, and exit status 2.
say() { echo "\$ $*"; "$@"; echo "exit $?"; }
say mmm frobnicate
say mmm analyze
say mmm analyze divison
say mmm analyze division n=0
say mmm analyze division s=0
say mmm analyze division s=x
say mmm analyze division s=5-2
say mmm analyze division s=
say mmm analyze division t=3
say mmm analyze division n=3 n=4
say mmm analyze division p=15
say mmm analyze division p=9223372036854775837
say mmm analyze division 4096
say mmm analyze division --fast
say mmm analyze division -P 0
say mmm analyze division -P
say mmm analyze division -m nosuch
say mmm analyze division -m U=0
say mmm analyze division -m Q=1
say mmm analyze division -m missing.json
say mmm analyze division n=300000000
say mmm analyze division --allow zz
say mmm analyze missing.json
say mmm run division -m gpu
say mmm run division missing.poly
say mmm run division --repeat 0
printf '3 7  1 2\n' >short.poly
printf '3 7  1 2 3\n' >a.poly
printf '3 7  1 2 9\n' >large.poly
printf '3 8  1 2 3\n' >composite.poly
printf '2 11  1 2\n' >other.poly
printf '0 7\n' >zero.poly
printf '2 7  1 x\n' >letter.poly
printf '2 7  1 2 3\n' >long.poly
printf '99999999999999 7  1\n' >huge.poly
printf '1 7 \0 1' >binary.poly
for file in short large composite other zero letter long huge binary; do
    say mmm run division a.poly $file.poly -o q.poly
done
say mmm run division a.poly a.poly a.poly
say mmm run division a.poly a.poly n=5
say mmm run division a.poly a.poly -o q.poly -o r.poly -o t.poly
say mmm run division a.poly a.poly -o missing/q.poly
echo "files: $(echo *)"
printf '{"kernels":[{"name":"A","blocks":4,"threads":32,"work":640,"span":20,"overhead_words":5}],"edges":[["A","B"]]}' >edge.json
printf '{"kernels":[{"name":"A","blocks":1,"threads":1,"work":1,"span":1,"overhead_words":1},{"name":"B","blocks":1,"threads":1,"work":1,"span":1,"overhead_words":1}],"edges":[["A","B"],["B","A"]]}' >cycle.json
printf '{"kernels":[' >broken.json
for file in edge cycle broken; do say mmm analyze $file.json; done
say mmm analyze edge.json n=3
# the applications are named
mmm run nothing 2>&1 | grep -o 'division-naive, division,'
mmm formula nothing 2>&1 | grep -o 'are division'
