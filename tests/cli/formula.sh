# mmm formula and mmm optimize as a person types them.
mmm() { command mmm "$@"; code=$?; [ $code = 0 ] || echo "[exit $code]"; }
mmm formula division 'T1/T > 1' --set l=Z/2,s=Z/7 --solve Z
mmm formula division 'T1/T > 1' --set l=Z/2,s=Z/7 --solve Z --json
mmm formula gcd O1/O --latex
mmm formula radix-sort
mmm formula multiplication T1/T --set m=n --limit n
mmm formula division T1/T --set l=Z/2,s=Z/7 --eval Z=12288,U=100
mmm formula division '(5*U-6)*Z > 144*U' --solve Z
mmm formula division --check
mmm formula multiplication --check --json
mmm formula --paper | head -12
mmm formula --paper | tail -1
mmm formula --paper | wc -L
mmm formula gcd-naive N1 --measured
mmm formula gcd --measured | grep given
mmm optimize division --param s
mmm optimize radix-sort
mmm optimize multiplication --json
echo '# errors'
mmm formula
mmm formula nothing
mmm formula division W + 1
mmm formula division 'W1/(W'
mmm formula division 'Q*2'
mmm formula division W --set s=0
mmm formula division W --eval s=0
mmm formula division W --eval n=5,m=10,s=2
mmm formula division 1/m --eval m=0
mmm formula division --solve Z
mmm formula division W --solve
mmm formula division --colour
mmm formula division W --plot s=1-512
mmm formula division W --plot s=512-1 -o x.svg
mmm formula division W --plot s=1-512 -o x.svg
mmm optimize division --param q
mmm optimize
mmm formula ./nothing.txt
echo '# a file of one'\''s own'
file=$(mktemp /tmp/XXXXXX.txt)
trap 'rm -f "$file" "$file.svg"' EXIT
printf 'title Mine\nsize n keys\nparameter s x\nchoose s\nwhere s >= 1\nW = n*(s+1)/s\nclaim ratio W1/W = 2*s/(s+1)\n' > "$file"
mmm formula "$file" W1/W
mmm formula "$file" --check | sed 's|^[A-Za-z0-9]*[.]\([a-zA-Z]*  \)|FILE.\1|; s/  */ /'
echo '# a plot'
if command -v gnuplot > /dev/null; then
    mmm formula division O1/O --set l=Z/2 --eval Z=12288 --plot s=1-512:20log2 -o "$file.svg"
    grep -c '</svg>' "$file.svg"
else
    echo 1
fi
real=$PWD/bin/mmm
(PATH=/nowhere; "$real" formula division O1/O --set l=Z/2 --eval Z=12288 --plot s=1-512 -o /dev/null; echo "[exit $?]")
# a folder: quantities aligned, claims by its name, and nothing before an error
mmm new line >/dev/null
printf 'title A line\nsize length cells\nW = 4*length\n' >line/formulas.txt
mmm formula ./line
mmm formula ./line --check
mmm formula ./line --measured
mmm formula line
# a file against the counts of a folder
printf 'size n cells\nsize steps steps\nparameter s x\nparameter l x\nchoose s\ngiven steps/s is whole\nL = steps/s\n' >good.txt
sed 's|^L = .*|L = steps/s + 1|' good.txt >bad.txt
mmm formula ./good.txt --check --counts ./line | tail -n 1 | sed 's/[0-9][0-9]* jobs/JOBS/'
mmm formula ./bad.txt --check --counts ./line | tail -n 2 | sed 's/[0-9][0-9]* of [0-9][0-9]* counted.*/JOBS/'
mmm formula ./good.txt --counts ./line
mmm derive
mmm derive division n
mmm derive division --over n,q
