# Polynomials over Z from files: gcds, products, resultants and quotients, what is refused, and JSON.
time() { sed 's/: [0-9.]* ms on .*), /: TIME on CPU, /'; }
printf '3  -6 0 6\n' >a.poly    # 6 (x - 1)(x + 1)
printf '3  4 8 4\n' >b.poly     # 4 (x + 1)^2
printf '2  1 -1\n' >c.poly      # 1 - x
printf '0\n' >zero.poly
printf '3  1 2\n' >short.poly
for app in gcd multiplication; do
    mmm run $app --over Z a.poly b.poly -o - --check 2>&1 | time
done
printf '3  -5 0 1\n0\n1  1\n' >circle.poly # x^2 - 5 + y^2
printf '2  -1 1\n1  -1\n' >line.poly      # x - 1 - y
mmm run resultant --over Z circle.poly line.poly -o - --check 2>&1 | time
mmm run resultant --over Z b.poly c.poly -o - --check 2>&1 | time
mmm run resultant --over Z zero.poly c.poly -o - --check 2>&1 | time
mmm run resultant --over Z circle.poly short.poly; echo "exit $?"
mmm run resultant --over Z circle.poly line.poly -o r.poly -o s.poly; echo "exit $?"
mmm run division --over Z b.poly c.poly -o q.poly -o r.poly --check | time
cat q.poly r.poly
mmm run gcd --over Z zero.poly b.poly -o - 2>/dev/null
mmm run gcd --over Z a.poly b.poly --check --json | sed 's/"\(seconds\|least\|most\|oracle\)":[0-9.]*/"\1":S/g'
mmm run division --over Z a.poly b.poly; echo "exit $?"
mmm run division --over Z a.poly zero.poly; echo "exit $?"
mmm run gcd --over Z a.poly; echo "exit $?"
mmm run gcd --over Z a.poly short.poly; echo "exit $?"
mmm run gcd --over Q a.poly b.poly; echo "exit $?"
mmm run sort --over Z a.poly b.poly; echo "exit $?"
mmm run gcd --over Z a.poly b.poly n=5; echo "exit $?"
mmm run gcd --over Z a.poly b.poly -o g.poly -o h.poly; echo "exit $?"
mmm run gcd --over Z a.poly b.poly --engine ./starpu; echo "exit $?"
mmm run gcd n=10 m=10 --engine starpu; echo "exit $?"
mmm run gcd --over Z a.poly b.poly -m abstract --check | time
