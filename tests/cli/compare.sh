# Several models on one counted run: a table with rankings, JSON with formulas, a page; what is wrong with a request.
mmm compare division n=600 m=300 s=4,16,64 -P 8; echo "exit $?"
mmm compare division n=600 m=300 s=4,16,64 --parameters h200 | sed -n 1,3p
mmm compare division n=600 m=300 s=4,16 --json | sed -n '/"models"/,/}/p'
mmm compare division n=600 m=300 s=4,16 -o page.html >/dev/null && grep -c "<svg" page.html
mmm compare division n=600 m=300 s=16 -m cpu --repeat 3 | sed -n '/ranking/,$p'
mmm compare; echo "exit $?"
mmm compare division n=600 m=300 s=4 -o -; echo "exit $?"
mmm compare division n=1,2 s=4,8; echo "exit $?"
mmm compare ntt; echo "exit $?"
