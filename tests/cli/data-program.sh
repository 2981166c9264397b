# A program given as data: a fork-join whose measures are easily found by hand.
#        / B (6 blocks) \            N = 4 + 6 + 3 + 1 = 14, L = 3 kernels, K = 6 + 3
#   A (4)                D (1)       W = 4*640 + (1+2+3+4+5+6) + 3*10 + 7, S = 20 + max(6, 2) + 7
#        \ C (3 blocks) /            O = U (4*5 + 6*1 + 3*2 + 0), C = 20 + 5 U
cat >fork.json <<'END'
{"kernels":[{"name":"A","blocks":4,"threads":32,"work":640,"span":20,"overhead_words":5},
            {"name":"B","blocks":6,"threads":8,"work":[1,2,3,4,5,6],"span":[1,2,3,4,5,6],"overhead_words":1},
            {"name":"C","blocks":3,"threads":8,"work":10,"span":2,"overhead_words":2},
            {"name":"D","blocks":1,"threads":1,"work":7,"span":7,"overhead_words":0}],
 "edges":[["A","B"],["A","C"],["B","D"],["C","D"]]}
END
mmm analyze fork.json -m U=10,Z=100 -P 1,3
mmm analyze fork.json -m U=10,Z=100 -P 3 --json --dot fork.dot --trace fork.trace --csv -
cat fork.dot
