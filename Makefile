# mmm: plain GNU make.  make help lists the targets.

, := ,
PREFIX  ?= /usr/local
DESTDIR ?=
CC      ?= cc
OPT     ?= -O2 -g
B       := build$(if $(SAN),-san)

VERSION := $(shell sed -n 's/.*MMM_VERSION "\(.*\)"/\1/p' include/mmm.h)
WARN    := -Wall -Wextra -Wshadow -Wpointer-arith -Wstrict-prototypes -Wmissing-prototypes -Wwrite-strings
CPPFLAGS += -Iinclude -Isrc -D_GNU_SOURCE -DMMM_BUILD
SANITIZE := $(if $(SAN),-fsanitize=address$(,)undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
BASE     := -std=c11 $(WARN) $(WERROR) -fPIC -fvisibility=hidden -MMD -MP
CFLAGS_ALL = $(BASE) $(OPT) -fopenmp $(SANITIZE) $(CPPFLAGS) $(CFLAGS)
LIBS    := -lcalcium -lflint-arb -lflint -ljansson -ldw -lelf -lgmp -lm -ldl

# ---- sources, in the order in which folders may use each other -------------------------------------------------------

LIB_SOURCES := \
  src/base/status.c src/base/memory.c src/base/random.c src/base/file.c \
  src/formula/parse.c src/formula/space.c src/formula/rational.c src/formula/substitute.c src/formula/print.c \
  src/formula/number.c src/formula/settings.c src/formula/analysis.c src/formula/evaluate.c src/formula/region.c \
  src/formula/sign.c src/formula/limit.c src/formula/roots.c src/formula/solve.c src/formula/ask.c src/formula/claims.c \
  src/formula/optimize.c src/formula/powers.c src/formula/plot.c

ANALYSES := division radix-sort multiplication gcd

CLI_SOURCES := cli/main.c cli/formula.c cli/optimize.c

TESTS := tests/formula/algebra.c tests/formula/questions.c tests/formula/claims.c

CLI_TESTS := tests/cli/formula.sh

include kernels.mk

LIB_OBJECTS := $(LIB_SOURCES:%.c=$B/%.o) $B/analyses.o $(KERNEL_OBJECTS)
CLI_OBJECTS := $(CLI_SOURCES:%.c=$B/%.o)
TEST_BINARIES := $(TESTS:%.c=$B/%)

.PHONY: all run test check bench install clean help format
all: $B/libmmm.a $B/libmmm.so $(if $(CLI_SOURCES),$B/mmm)

help:
	@echo 'make            the library and build/mmm'
	@echo 'make test       every test (SAN=1: under the address and undefined-behaviour sanitizers)'

$B/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) -c $< -o $@

# The formula files, as strings: an installed mmm needs no files.
$B/analyses.c: $(ANALYSES:%=analyses/%.txt) Makefile
	@mkdir -p $(@D)
	@{ echo '#include "formula/formula.h"'; echo 'const mmm_embedded mmm_analyses[] = {'; \
	for a in $(ANALYSES); do echo "{\"$$a\","; \
	sed -e 's/[\\"]/\\&/g' -e 's/^/"/' -e 's/$$/\\n"/' analyses/$$a.txt; echo '},'; done; echo '{0}};'; } > $@

$B/analyses.o: $B/analyses.c
	$(CC) $(CFLAGS_ALL) -c $< -o $@

$B/libmmm.a: $(LIB_OBJECTS)
	@rm -f $@
	ar rcs $@ $^

$B/libmmm.so: $(LIB_OBJECTS)
	$(CC) -shared -Wl,-soname,libmmm.so.0 -Wl,-z,defs $(SANITIZE) -fopenmp $(LDFLAGS) $^ $(LIBS) -o $@

$B/mmm: $(CLI_OBJECTS) $B/libmmm.a
	$(CC) $(SANITIZE) -fopenmp $(LDFLAGS) $^ $(LIBS) -o $@

$B/tests/%: $B/tests/%.o $B/libmmm.a
	$(CC) $(SANITIZE) -fopenmp $(LDFLAGS) $^ -lcmocka $(LIBS) -o $@

test: all $(TEST_BINARIES)
	@for t in $(TEST_BINARIES); do echo "== $$t"; $$t || exit 1; done
	@for t in $(CLI_TESTS); do echo "== $$t"; MMM=$B/mmm sh $$t > $B/output 2>&1; \
	diff -u $${t%.sh}.expected $B/output || exit 1; done

clean:
	rm -rf build build-san

-include $(LIB_OBJECTS:.o=.d) $(CLI_OBJECTS:.o=.d) $(TEST_BINARIES:=.d)
