# mmm: plain GNU make.  make help lists the targets.

PREFIX  ?= /usr/local
DESTDIR ?=
CC      ?= cc
OPT     ?= -O2 -g
B       := build$(if $(SAN),-san)
, := ,

VERSION := $(shell sed -n 's/.*MMM_VERSION "\(.*\)"/\1/p' include/mmm.h)
WARN    := -Wall -Wextra -Wshadow -Wpointer-arith -Wstrict-prototypes -Wmissing-prototypes -Wwrite-strings
CPPFLAGS += -Iinclude -Isrc -D_GNU_SOURCE -DMMM_BUILD
SANITIZE := $(if $(SAN),-fsanitize=address$(,)undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
BASE     := -std=c11 $(WARN) $(WERROR) -fPIC -fvisibility=hidden -MMD -MP
CFLAGS_ALL = $(BASE) $(OPT) -fopenmp $(SANITIZE) $(CPPFLAGS) $(CFLAGS)
LIBS    := -lcalcium -lflint -ljansson -ldw -lelf -lgmp -lm -ldl

# ---- sources, in the order in which folders may use each other -------------------------------------------------------

LIB_SOURCES := \
  src/base/status.c src/base/memory.c src/base/random.c src/base/file.c src/base/modulus.c \
  src/model/parameters.c src/model/program.c src/model/read.c src/model/order.c src/model/antichain.c \
  src/model/measures.c src/model/bounds.c src/model/schedule.c \
  src/machine/machine.c src/machine/launch.c src/machine/cpu.c src/machine/abstract.c src/machine/count.c \
  src/machine/races.c src/machine/before.c src/machine/zones.c src/machine/source_line.c \
  src/kernels/kernels.c \
  src/apps/job.c src/apps/polynomial.c src/apps/keys.c src/apps/division.c src/apps/radix_sort.c

CLI_SOURCES :=

TESTS := \
  tests/model/test_parameters.c tests/model/test_program.c tests/model/test_read.c tests/model/test_antichain.c \
  tests/model/test_measures.c tests/model/test_schedule.c

include kernels.mk

LIB_OBJECTS := $(LIB_SOURCES:%.c=$B/%.o) $(KERNEL_OBJECTS)
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

clean:
	rm -rf build build-san

-include $(LIB_OBJECTS:.o=.d) $(CLI_OBJECTS:.o=.d) $(TEST_BINARIES:=.d)
