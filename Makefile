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
LIBS    := -lcalcium -lflint-arb -lflint -ljansson -ldw -lelf -lgmp -lm -ldl

# ---- sources, in the order in which folders may use each other -------------------------------------------------------

LIB_SOURCES := \
  src/base/status.c src/base/memory.c src/base/random.c src/base/file.c src/base/number.c src/base/json.c src/base/modulus.c \
  src/model/parameters.c src/model/program.c src/model/read.c src/model/order.c src/model/antichain.c \
  src/model/measures.c src/model/bounds.c src/model/extended.c src/model/schedule.c \
  src/formula/parse.c src/formula/space.c src/formula/rational.c src/formula/substitute.c src/formula/print.c \
  src/formula/number.c src/formula/settings.c src/formula/analysis.c src/formula/evaluate.c src/formula/region.c \
  src/formula/sign.c src/formula/limit.c src/formula/roots.c src/formula/solve.c src/formula/ask.c src/formula/claims.c \
  src/formula/optimize.c src/formula/powers.c src/formula/plot.c \
  src/machine/machine.c src/machine/launch.c src/machine/buffer.c src/machine/cpu.c src/machine/abstract.c src/machine/count.c \
  src/machine/races.c src/machine/before.c src/machine/zones.c src/machine/source_line.c src/machine/sample.c \
  src/machine/library.c src/machine/cache.c src/machine/specialise.c src/machine/nvrtc.c src/machine/cuda_driver.c \
  src/machine/cuda.c src/machine/cuda_memory.c src/machine/opencl_driver.c src/machine/opencl.c \
  src/machine/opencl_memory.c \
  src/kernels/kernels.c \
  src/apps/job.c src/apps/data.c src/apps/array.c src/apps/polynomial.c src/apps/keys.c src/apps/flint.c src/apps/division.c src/apps/multiplication.c \
  src/apps/gcd.c src/apps/radix_sort.c \
  src/tune/profile.c src/tune/predict.c src/tune/fit.c src/tune/calibrate.c src/tune/wisdom.c src/tune/search.c \
  src/tune/results.c src/tune/tune.c src/tune/library.c \
  src/report/analysis.c src/report/json.c src/report/text.c src/report/dot.c src/report/trace.c \
  src/report/reproduce.c src/report/reproduce_tables.c \
  src/report/markup.c src/report/axis.c src/report/svg.c src/report/mathml.c src/report/page.c src/report/verdict.c \
  src/report/words.c src/report/plots.c src/report/dagpicture.c src/report/gantt.c src/report/formulas.c \
  src/report/html.c

CLI_SOURCES := cli/main.c cli/settings.c cli/progress.c cli/list.c cli/analyze.c cli/run.c cli/formula.c cli/claims.c \
  cli/optimize.c cli/reproduce.c cli/report.c cli/calibrate.c cli/tune.c

ANALYSES := division radix-sort multiplication gcd

TESTS := \
  tests/model/test_parameters.c tests/model/test_program.c tests/model/test_read.c tests/model/test_antichain.c \
  tests/model/test_measures.c tests/model/test_schedule.c \
  tests/formula/algebra.c tests/formula/questions.c tests/formula/claims.c tests/formula/measured.c \
  tests/machine/test_count.c tests/machine/test_violations.c tests/machine/test_cache.c tests/machine/test_faults.c \
  tests/machine/test_nvrtc.c tests/machine/test_opencl.c \
  tests/apps/test_machines.c tests/apps/test_library.c tests/apps/test_arrays.c \
  tests/apps/test_division.c tests/apps/test_multiplication.c \
  tests/apps/test_gcd.c tests/apps/test_radix_sort.c \
  tests/report/test_reproduce.c tests/report/test_pictures.c tests/report/test_html.c \
  tests/tune/test_predict.c tests/tune/test_tune.c

include kernels.mk

LIB_OBJECTS := $(LIB_SOURCES:%.c=$B/%.o) $B/analyses.o $(KERNEL_OBJECTS)
CLI_OBJECTS := $(CLI_SOURCES:%.c=$B/%.o)
TEST_BINARIES := $(TESTS:%.c=$B/%)

.PHONY: all run test test-gpu bench bench-tuner bundle install clean help
all: $B/libmmm.a $B/libmmm.so $B/mmm

help:
	@echo 'make            the library (shared and static) and build/mmm'
	@echo 'make run        calibrates the best machine at hand, tunes the GCD for it, checks it, writes report.html'
	@echo 'make test       every test; SAN=1: under the address and undefined-behaviour sanitizers'
	@echo 'make bench      speed: the abstract machine, and the algorithms beside FLINT'
	@echo 'make bench-tuner  how good the choice of s is, with no runs and with few (MACHINE=cpu)'
	@echo 'make bundle     a folder that runs where none of the libraries is installed'
	@echo 'make test-gpu   the tests of every machine, for a computer with a GPU'
	@echo 'make install    into PREFIX (default /usr/local), below DESTDIR'

# The best machine at hand: a CUDA device, else the CPU.
run: $B/mmm
	@machine=$$($B/mmm list | grep -q '^  cuda:0 *NVIDIA' && echo cuda:0 || echo cpu); \
	echo "== what the model needs of $$machine"; $B/mmm calibrate $$machine && \
	echo "== the GCD at n=4000, m=3500: which s?" && $B/mmm tune gcd n=4000 m=3500 -m $$machine --time-limit 30 && \
	echo "== checked against FLINT" && $B/mmm run gcd n=4000 m=3500 -m $$machine --check --repeat 5 && \
	echo "== the report" && $B/mmm report gcd n=4000 m=3500 s=16,32,64,128,256 -m $$machine -o report.html

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

# The command with kernels that the other compiler instrumented.
$B/mmm-other: $(CLI_OBJECTS) $(filter-out %.count.o,$(LIB_OBJECTS)) $(OTHER_OBJECTS)
	$(CC) $(SANITIZE) -fopenmp $(LDFLAGS) $^ $(LIBS) -o $@

# Tests leave the user's caches alone; and leaks of drivers are no leaks of this project.
test: export MMM_CACHE := $(CURDIR)/$B/cache
test: export POCL_CACHE_DIR := $(CURDIR)/$B/pocl-cache
test: export LSAN_OPTIONS := suppressions=$(CURDIR)/tests/lsan.supp:print_suppressions=0
test: all $(TEST_BINARIES) $B/mmm-other
	@tests/checks/layers.sh
	@tests/checks/kernels.sh $B/checks
	@tests/checks/compilers.sh $B/mmm $B/mmm-other
	@tests/checks/symbols.sh $B/libmmm.so
	@tests/checks/install.sh $B $B/checks/install
	@for t in $(TEST_BINARIES); do echo "== $$t"; $$t || exit 1; done
	@tests/cli/run-all.sh $B/mmm $B/cli
	@tests/checks/report.sh $B/mmm $B/checks/report
	@echo "all tests passed"

bench: $B/bench/bench
	@$B/bench/bench

# How good the choice of s is; MACHINE=cuda:0 for a GPU.
MACHINE ?= cpu
bench-tuner: $B/bench/tuner
	@$B/bench/tuner $(MACHINE) $B/bench/tuner.csv $B/bench/tuner-all.csv
	@echo 'details: $B/bench/tuner.csv, $B/bench/tuner-all.csv'

$B/bench/%: $B/bench/%.o $B/libmmm.a
	$(CC) $(SANITIZE) -fopenmp $(LDFLAGS) $^ $(LIBS) -o $@

# A folder that runs where none of the libraries is installed: they lie beside the command and are found there.
BUNDLE_TESTS := test_machines test_arrays
BUNDLE_LINK  := -Wl,--disable-new-dtags,-rpath,'$$ORIGIN' -L$B/bundle -lmmm -lm
bundle: all $(BUNDLE_TESTS:%=$B/tests/apps/%.o) $B/bench/bench.o $B/bench/tuner.o
	rm -rf $B/bundle && mkdir -p $B/bundle
	$(CC) -shared -Wl,-soname,libmmm.so.0 -fopenmp -Wl,--disable-new-dtags,-rpath,'$$ORIGIN' $(LIB_OBJECTS) $(LIBS) \
	  -o $B/bundle/libmmm.so.0
	ln -s libmmm.so.0 $B/bundle/libmmm.so
	$(CC) $(CLI_OBJECTS) $(BUNDLE_LINK) -o $B/bundle/mmm
	for b in bench tuner; do $(CC) $B/bench/$$b.o -fopenmp -Wl,--disable-new-dtags,-rpath,'$$ORIGIN' $B/libmmm.a $(LIBS) \
	  -o $B/bundle/$$b; done
	for t in $(BUNDLE_TESTS); do $(CC) $B/tests/apps/$$t.o -fopenmp -Wl,--disable-new-dtags,-rpath,'$$ORIGIN' \
	  $B/libmmm.a -lcmocka $(LIBS) -o $B/bundle/$$t; done
	for f in $$(ldd $B/bundle/* 2>/dev/null | awk '$$2 == "=>" && $$3 ~ /^\// {print $$3}' | sort -u); do \
	  case $$(basename $$f) in libc.so*|libm.so*|libgomp.so*|libdl.so*|libpthread.so*|ld-*|libmmm.so*) ;; \
	    *) cp -L $$f $B/bundle/;; esac; done
	@du -sh $B/bundle

test-gpu: $B/tests/apps/test_machines $B/tests/apps/test_arrays
	$B/tests/apps/test_machines
	$B/tests/apps/test_arrays

install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib/pkgconfig $(DESTDIR)$(PREFIX)/include
	install $B/mmm $(DESTDIR)$(PREFIX)/bin/mmm
	install -m 644 include/mmm.h $(DESTDIR)$(PREFIX)/include/mmm.h
	install -d $(DESTDIR)$(PREFIX)/include/mmm
	install -m 644 src/kernels/dialect.h src/kernels/modp.h src/kernels/hooks.txt $(DESTDIR)$(PREFIX)/include/mmm/
	install -m 644 $B/libmmm.a $(DESTDIR)$(PREFIX)/lib/libmmm.a
	install $B/libmmm.so $(DESTDIR)$(PREFIX)/lib/libmmm.so.$(VERSION)
	ln -sf libmmm.so.$(VERSION) $(DESTDIR)$(PREFIX)/lib/libmmm.so.0
	ln -sf libmmm.so.0 $(DESTDIR)$(PREFIX)/lib/libmmm.so
	sed 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(VERSION)|; s|@LIBS@|$(LIBS)|' mmm.pc.in \
	  >$(DESTDIR)$(PREFIX)/lib/pkgconfig/mmm.pc

clean:
	rm -rf build build-san

$B/src/kernels/kernels.o: src/kernels/dialect.h src/kernels/modp.h $(KERNEL_FILES:%=src/kernels/%.c)

$B/tests/machine/test_violations $B/tests/machine/test_count: $(FAULTY_OBJECTS)
$(TEST_BINARIES:=.o): CPPFLAGS += -Itests

# Fakes of CUDA's libraries, for tests of what happens when they fail.
FAKES := $B/tests/fake/libcuda.so $B/tests/fake/libnvrtc.so
$B/tests/machine/test_faults $B/tests/machine/test_nvrtc: | $(FAKES)
$B/tests/fake/lib%.so: tests/fake/%.c tests/fake/fake.h src/machine/cuda_driver.h
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) -Itests -shared $< -o $@

-include $(LIB_OBJECTS:.o=.d) $(CLI_OBJECTS:.o=.d) $(TEST_BINARIES:=.d)

$B/src/model/parameters.o: machines/h200.json machines/cpu-epyc.json
