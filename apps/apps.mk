# The applications that are built in, one a line: a folder with kernels.c, app.c and, where there is one, formulas.txt.
APPS := \
  division-naive \
  division \
  multiplication \
  gcd-naive \
  gcd \
  radix-sort
