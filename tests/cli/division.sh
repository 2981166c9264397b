# Division of files: (x^2 - 1) = (x + 1)(x - 1) and remainders, through every form of input and output.
printf '3 7  6 0 1\n' >a.poly
printf '2 7  1 1\n' >b.poly
mmm run division a.poly b.poly s=64 -o q.poly -o r.poly --check | sed 's/: [0-9].* runs), /: TIME, /; s/(.*)/(CORES)/'
cat q.poly r.poly
mmm run division-naive - b.poly <a.poly -o - 2>/dev/null
mmm run division b.poly a.poly -o - 2>/dev/null
printf '5 2  1 0 0 0 1\n' >c.poly
printf '3 2  1 0 1\n' >d.poly
for m in cpu abstract; do mmm run division c.poly d.poly s=2 -m $m --json -o q.poly --check | sed 's/\("seconds"\|"least"\|"most"\):[0-9.]*/\1:TIME/g; s/"runs":[1-9]/"runs":SOME/'; done
cat q.poly
mmm analyze division n=8 m=4 s=2 -P 2 -m U=10,Z=14 | tail -n 1
mmm analyze division n=8 m=4 s=2 -P 2 -m U=10,Z=13; echo "exit $?"
mmm analyze division n=8 m=4 s=1-4:3log2 --csv - --json | grep -c '"app"'
