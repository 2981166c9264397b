# The applications that are built in, one a line: a folder with kernels.c, app.c and, where there are such,
# formulas.txt and test.c.
APPS := \
  division-naive \
  division \
  division-inverse \
  multiplication \
  multiplication-tile \
  gcd-naive \
  gcd \
  gcd-stop \
  gcd-jump \
  radix-sort \
  sort \
  ntt \
  multiplication-ntt \
  division-newton \
  gcd-half \
  multiplication-ring
