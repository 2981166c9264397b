# gcd and products of files: x^2 - 1 and x^2 + 2x + 1 modulo 7 have x + 1; zero polynomials; sizes that do not fit.
printf '3 7  6 0 1\n' >a.poly
printf '3 7  1 2 1\n' >b.poly
printf '0 7\n' >zero.poly
for app in gcd gcd-naive multiplication; do
    mmm run $app a.poly b.poly -o - 2>/dev/null
    mmm run $app zero.poly b.poly -o - 2>/dev/null
    mmm run $app zero.poly zero.poly -o - 2>/dev/null
done
mmm run gcd a.poly - <b.poly s=2 -m abstract -o g.poly --check | sed 's/: .* [um]s, /: TIME, /; s/(.*)/(CORES)/'
cat g.poly
mmm analyze gcd n=8 m=8 s=4 -P 2 -m U=10,Z=24 | tail -n 1
mmm analyze multiplication n=13 m=8 s=4 l=4 -P 2 -m U=10,Z=100 | tail -n 1
mmm run multiplication n=268435456 m=268435456 s=1 2>&1 | sed 's/; .* GB are/; SOME GB are/'
