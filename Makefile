# mmm: plain GNU make.  make help lists the targets.

PREFIX  ?= /usr/local
LIBDIR  ?= $(PREFIX)/lib
ZSHDIR  ?= $(PREFIX)/share/zsh/site-functions
DESTDIR ?=
CC      ?= cc
OPT     ?= -O2 -g
B       := build$(if $(SAN),-san)
, := ,

VERSION := $(shell sed -n 's/.*MMM_VERSION "\(.*\)"/\1/p' include/mmm.h)
# Before version 1 structs may grow with each minor version, and the soname goes with it.
SONAME  := libmmm.so.$(basename $(VERSION))
WARN    := -Wall -Wextra -Wshadow -Wpointer-arith -Wstrict-prototypes -Wmissing-prototypes -Wwrite-strings
CPPFLAGS += -Iinclude -Isrc -I$B/gen -D_GNU_SOURCE -DMMM_BUILD
SANITIZE := $(if $(SAN),-fsanitize=address$(,)undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
BASE     := -std=c11 $(WARN) $(WERROR) -fPIC -fvisibility=hidden -MMD -MP
CFLAGS_ALL = $(BASE) $(OPT) -pthread $(SANITIZE) $(CPPFLAGS) $(CFLAGS)
LIBS    := -lcalcium -lflint-arb -lflint -ljansson -lsodium -ldw -lelf -lgmp -lm -ldl

# ---- sources, in the order in which folders may use each other -------------------------------------------------------

GENERATOR := $(wildcard src/kernel/*.c)

LIB_SOURCES := \
  $(addprefix src/base/,status.c ledger.c memory.c guard.c random.c file.c number.c json.c text.c modulus.c place.c digest.c) \
  $(addprefix src/model/,parameters.c kernel_factors.c program.c violation.c program_json.c program_write.c import.c order.c antichain.c measures.c traffic.c core.c bounds.c quantities.c extended.c gpu.c schedule.c \
    analysis.c) \
  $(addprefix src/algebra/,parse.c settings.c atoms.c rational.c round.c substitute.c print.c number.c bounds.c region.c sign.c limit.c roots.c \
    solve.c extremum.c) \
  $(addprefix src/paper/,formula_file.c scope.c evaluate.c conditions.c inside.c ask.c claims.c strategy.c strategy_slope.c strategy_power_of_two.c plot.c) \
  $(GENERATOR) \
  $(addprefix src/machine/,machine.c launch.c unfold.c buffer.c team.c helpers.c cpu.c) \
  $(addprefix src/machine/abstract/,run.c block.c count.c traffic.c requests.c work.c sparse.c parts.c turns.c races.c block_order.c address_space.c count_block.c results.c decisions.c source_line.c) \
  $(addprefix src/machine/gpu/,dynload.c cache.c specialise.c ready.c nvrtc.c cuda_driver.c cuda.c cuda_memory.c opencl_driver.c \
    opencl.c opencl_memory.c) \
  src/engine/engine.c \
  $(addprefix src/job/,app.c create.c compile.c folder.c expression.c job.c inputs.c vector.c move.c plan.c form.c settle.c there.c recent.c choice.c array.c polynomial.c raw.c npy.c oracle.c sorted.c) \
  $(addprefix src/study/,fit.c constants.c reuse.c gpu_constants.c factors.c runs.c runs_fit.c gpu_factors.c study.c measure.c decide.c unfold.c profiles.c blocks.c profile.c larger.c smaller.c predict.c limits.c rates.c machine_file.c calibrate.c wisdom.c trials.c search.c t4.c tune.c kinds.c names.c reproduce.c reproduce_tables.c \
    derive_axes.c derive_points.c derive_near.c derive_anywhere.c derive_term.c derive_fit.c derive_lattice.c derive_search.c \
    derive_given.c derive_choose.c derive_trial.c derive_bound.c derive_round.c derive_file.c derive.c agree.c models.c doctor.c doctor_devices.c) \
  src/operations.c src/functions.c $(addprefix src/integer/,numbers.c spread.c primes.c residues.c residues_wide.c wide.c task.c far.c multiply.c divide.c gcd.c rational.c resultant.c text.c) \
  $(addprefix src/show/,table.c kernels.c json.c text.c dot.c trace.c compare.c) \
  $(addprefix src/show/page/,markup.c axis.c svg.c mathml.c style.c verdict.c tables.c plots.c limits.c dag.c gantt.c formulas.c html.c compare.c)

CLI_SOURCES := cli/main.c cli/options.c cli/manual.c cli/settings.c cli/progress.c cli/list.c cli/new.c cli/compile.c cli/analyze.c cli/run.c cli/over.c cli/formula.c cli/claims.c \
  cli/optimize.c cli/reproduce.c cli/report.c cli/calibrate.c cli/tune.c cli/import.c cli/derive.c cli/compare.c cli/page.c cli/doctor.c

include kernels.mk

TESTS := \
  $(wildcard tests/base/test_*.c) \
  tests/model/test_parameters.c tests/model/test_program.c tests/model/test_program_json.c tests/model/test_program_write.c tests/model/test_import.c tests/model/test_antichain.c \
  tests/model/test_measures.c tests/model/test_schedule.c tests/model/test_resident.c tests/model/test_gpu.c \
  tests/algebra/test_values.c tests/paper/test_questions.c tests/paper/test_claims.c tests/paper/test_measured.c \
  $(wildcard tests/kernel/test_*.c) tests/machine/test_count.c tests/machine/test_violations.c tests/machine/test_accesses.c tests/machine/test_cache.c tests/machine/test_faults.c \
  tests/machine/test_atomics.c tests/machine/test_groups.c tests/machine/test_lanes.c tests/machine/test_within.c tests/machine/test_types.c tests/machine/test_unfold.c tests/machine/test_traffic.c tests/machine/test_lines.c tests/machine/test_moved.c tests/machine/test_nvrtc.c tests/machine/test_opencl.c \
  tests/job/test_expression.c tests/job/test_npy.c tests/job/test_folder.c tests/job/test_copy.c tests/job/test_register.c \
  tests/job/test_memory.c tests/job/test_machines.c tests/job/test_library.c tests/job/test_plans.c tests/job/test_arrays.c \
  $(wildcard tests/integer/test_*.c) \
  $(wildcard $(APPS:%=apps/%/test.c)) \
  tests/study/test_reproduce.c tests/show/test_pictures.c tests/show/test_html.c \
  tests/study/test_predict.c tests/study/test_larger.c tests/study/test_constants.c tests/study/test_reuse.c tests/study/test_runs.c tests/study/test_blocks.c tests/study/test_algorithms.c tests/study/test_sparse.c tests/study/test_models.c tests/study/test_tune.c tests/study/test_measure.c tests/study/test_derive.c tests/study/test_wisdom.c tests/study/test_doctor.c tests/whole/test_nonsense.c tests/faults/test_catalogue.c

# The engine on StarPU and MPI, where both are installed: a file of its own, which nothing else needs.
STARPU := starpumpi-1.3 ompi-c
STARPU_FOUND := $(if $(SAN),,$(shell pkg-config --exists $(STARPU) 2>/dev/null && echo yes))
ENGINES := $(if $(STARPU_FOUND),$B/libmmm-starpu.so)

LIB_OBJECTS := $(LIB_SOURCES:%.c=$B/%.o) $(KERNEL_OBJECTS) $(APP_OBJECTS) $(EMBEDDED_OBJECTS)
CLI_OBJECTS := $(CLI_SOURCES:%.c=$B/%.o)
TEST_BINARIES := $(TESTS:%.c=$B/%)

.DEFAULT_GOAL := all
.PHONY: all run test test-gpu test-derive test-threads fuzz lint bench bench-tuner bundle wheel-files wheel dist site install clean help
all: $B/libmmm.a $B/libmmm.so $B/mmm $(ENGINES)

help:
	@echo 'make            the library (shared and static) and build/mmm'
	@echo 'make run        calibrates the best machine at hand, tunes the GCD for it, checks it, writes report.html'
	@echo 'make test       every test; SAN=1: under the address and undefined-behaviour sanitizers'
	@echo 'make test-derive  what mmm derive states against the counts at 100 random jobs for each form; JOBS=100'
	@echo 'make test-threads  the threads of the CPU and of callers under the thread sanitizer'
	@echo 'make fuzz       every parser and every application on inputs nobody thought of, SECONDS=60 each'
	@echo 'make lint       clang with more warnings; cppcheck and clang-tidy, where installed'
	@echo 'make bench      speed: the abstract machine, and the algorithms beside FLINT and other sorts'
	@echo 'make bench-tuner  how good the choice of s is, with no runs and with few (MACHINE=cpu)'
	@echo 'make bundle     a folder that runs where none of the libraries is installed'
	@echo 'make wheel      the Python package as a wheel with everything it needs, in build/dist'
	@echo 'make dist       the sources as one archive, in build/dist, the same bytes each time'
	@echo 'make site       docs/ as pages for a browser, in build/site'
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

# Thread-local storage by descriptors, where the compiler knows them: as quick as the storage of the program itself, and
# found too where the library is opened by dlopen.
TLS_DESCRIPTORS := $(shell echo 'int x;' | $(CC) -mtls-dialect=gnu2 -x c -c -o /dev/null - 2>/dev/null && echo -mtls-dialect=gnu2)
$B/src/machine/abstract/block.o $B/src/machine/abstract/count.o: CFLAGS_ALL += $(TLS_DESCRIPTORS)

$B/src/study/calibrate.o $B/src/study/constants.o $B/src/study/gpu_constants.o: $B/gen/probe/kernels.h
$B/src/study/constants.o $B/src/study/gpu_constants.o: $B/gen/gpu_probe/kernels.h
$B/src/integer/residues.o: $B/gen/integer/kernels.h
$B/src/integer/wide.o: OPT := -O3
$B/src/job/array.o $B/src/job/move.o $B/src/job/form.o $B/src/job/settle.o: $B/gen/polynomial/kernels.h

$B/libmmm.a: $(LIB_OBJECTS)
	@rm -f $@
	ar rcs $@ $^

# It stays where it was opened, whoever closes it: it has threads, and allocation functions in GMP, FLINT and jansson.
LINK_SHARED := -shared -Wl,-soname,$(SONAME) -Wl,--version-script=src/libmmm.map -Wl,-z,nodelete
$B/libmmm.so: $(LIB_OBJECTS) src/libmmm.map
	$(CC) $(LINK_SHARED) -Wl,-z,defs $(SANITIZE) -pthread $(LDFLAGS) $(LIB_OBJECTS) $(LIBS) -o $@

$B/src/engine/engine.o: CPPFLAGS += -DMMM_ENGINE_FOLDER='"$(LIBDIR)/mmm"'
$B/libmmm-starpu.so: $(wildcard engines/starpu/*.[ch]) include/mmm/engine.h
	$(CC) $(BASE) $(OPT) -pthread -Iinclude -D_GNU_SOURCE $$(pkg-config --cflags $(STARPU) | sed 's/-I/-isystem /g') $(CFLAGS) -shared -Wl,-z,defs $(LDFLAGS) \
	  $(wildcard engines/starpu/*.c) $$(pkg-config --libs $(STARPU)) -o $@

# Applications in folders call the library that opened them: what links it statically exports it (-rdynamic).
$B/mmm: $(CLI_OBJECTS) $B/libmmm.a
	$(CC) $(SANITIZE) -pthread -rdynamic $(LDFLAGS) $(CLI_OBJECTS) $(WHOLE) $(LIBS) -o $@
WHOLE := -Wl,--whole-archive $B/libmmm.a -Wl,--no-whole-archive

# Folders call the library that is in the test.
AS_THE_COMMAND := $(addprefix $B/tests/,job/test_folder job/test_copy study/test_derive faults/test_catalogue)
$(filter-out $(AS_THE_COMMAND),$(TEST_BINARIES)): %: %.o $B/libmmm.a
	$(CC) $(SANITIZE) -pthread $(LDFLAGS) $(filter %.o,$^) $B/libmmm.a -lcmocka $(LIBS) -o $@
$(TEST_BINARIES:=.o): CPPFLAGS += -Itests

# Its own malloc for the library's code.
$B/tests/base/test_memory $B/tests/base/test_memory_of_runs: private LDFLAGS += -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=posix_memalign

$(AS_THE_COMMAND): %: %.o $B/libmmm.a
	$(CC) $(SANITIZE) -pthread -rdynamic $(LDFLAGS) $(filter %.o,$^) $(WHOLE) -lcmocka $(LIBS) -o $@

# Cases by subject.
NONSENSE := $(patsubst %.c,$B/%.o,$(wildcard tests/whole/nonsense_*.c))
$(NONSENSE): CPPFLAGS += -Itests
$B/tests/whole/test_nonsense: $(NONSENSE)

# Kernels of tests, linked to those that launch them.
OF_FAULTY := $(addprefix $B/tests/machine/test_,count violations accesses)
$(OF_FAULTY): $(call unit_objects,faulty)
$(OF_FAULTY:=.o): $B/gen/faulty/kernels.h
OF_TRAFFIC := $(addprefix $B/tests/,machine/test_traffic machine/test_lines machine/test_moved study/test_models)
$(OF_TRAFFIC): $(call unit_objects,traffic)
$(OF_TRAFFIC:=.o): $B/gen/traffic/kernels.h
$B/tests/job/test_register: $(call unit_objects,types)
$B/tests/job/test_register.o: $B/gen/types/kernels.h
define KERNELS_OF_TEST
$B/tests/machine/test_$(1): $(call unit_objects,$(1))
$B/tests/machine/test_$(1).o: $B/gen/$(1)/kernels.h
endef
$(foreach u,atomics groups lanes types unfold within,$(eval $(call KERNELS_OF_TEST,$u)))

# The command with kernels that the other compiler instrumented.
$B/mmm-other: $(CLI_OBJECTS) $(filter-out %.count.o,$(LIB_OBJECTS)) $(OTHER_OBJECTS)
	$(CC) $(SANITIZE) -pthread $(LDFLAGS) $^ $(LIBS) -o $@

# A short run of the fuzzer, where clang is; it has sanitizers of its own.
FUZZ_CC    ?= $(shell command -v clang 2>/dev/null)
# clang's libFuzzer and sanitizers are packages of their own (libclang-rt-dev): where they are not, nothing is fuzzed.
FUZZ_FOUND := $(if $(FUZZ_CC),$(wildcard $(shell $(FUZZ_CC) -print-runtime-dir)/libclang_rt.fuzzer*.a))
FUZZ_SHORT := $(if $(SAN),,$(if $(FUZZ_FOUND),$B/fuzz/fuzz))

# What is tested by scripts, the long ones first; tests are run TESTS_AT_ONCE at a time.
TESTS_AT_ONCE ?= 2
define CHECKS
tests/checks/commands.sh $B/mmm $(GENERATE) $B/checks/commands
tests/checks/tutorial.sh $B $B/checks/install/usr $B/checks/tutorial
tests/checks/memory.sh $(if $(SAN),$B/mmm-short -,$B/mmm $B/tests/fake/short.so) $B/checks/memory
tests/cli/run-all.sh $B/mmm $B/cli
tests/checks/examples.sh $B $B/checks/examples
$(if $(FUZZ_SHORT),tests/fuzz/run.sh $B/fuzz/fuzz 2 $B/fuzz/runs,echo "fuzz: left out, clang has no libFuzzer here (libclang-rt-dev)")
$(if $(SAN),,tests/checks/wheel.sh $B $B/checks/wheel)
$(if $(SAN),,tests/checks/manual.sh $B $B/checks/install/usr $B/checks/manual)
$(if $(SAN),,tests/checks/site.sh $B/checks/install/usr $B/checks/site)
$(if $(SAN),,tests/checks/deb.sh $B $B/checks/deb)
tests/checks/layers.sh
tests/lint/lint.sh $B
LIBS="$(LIBS)" tests/checks/kernels.sh $B $B/checks
tests/checks/compilers.sh $B/mmm $B/mmm-other
tests/checks/symbols.sh $B/libmmm.so
tests/checks/nonsense.sh tests/whole/nonsense_*.c
tests/checks/limits.sh $B/mmm
tests/checks/dlopen.sh $B/libmmm.so
tests/checks/progress.sh $B/mmm
tests/checks/hostile.sh $B/mmm $B/checks/hostile
tests/checks/crash.sh $B/mmm $B/checks/crash
tests/checks/interrupt.sh $B/mmm $B/checks/interrupt
tests/checks/stack.sh $B/mmm $(GENERATE) $B/checks/stack
tests/checks/report.sh $B/mmm $B/checks/report
$B/tests/fuzz/differential 10
tests/checks/many.sh $B $B/checks/many
$(if $(SAN),,tests/checks/derived.sh $B/mmm $B/checks/derived 5)
endef
export CHECKS

# What takes minutes begins first, so that nothing waits for it alone at the end.
LONGEST := %/test_machines %/test_derive

# Tests leave the user's caches and choices alone; and leaks of drivers are no leaks of this project.
test: export MMM_CACHE := $(CURDIR)/$B/cache
test: export MMM_WISDOM := $(CURDIR)/$B/no-wisdom/wisdom.jsonl
test: export POCL_CACHE_DIR := $(CURDIR)/$B/pocl-cache
test: export LSAN_OPTIONS := suppressions=$(CURDIR)/tests/lsan.supp:print_suppressions=0
test: all $(TEST_BINARIES) $(FUZZ_SHORT) $B/tests/fuzz/differential $B/mmm-other $B/bench/bench $B/bench/products $B/bench/sort $B/bench/calls $B/bench/busy $B/bench/tuner $(if $(SAN),$B/mmm-short,$B/tests/fake/short.so) $B/tests/fake/rank.so
	@tests/checks/install.sh $B $B/checks/install
	@printf '%s\n' $(filter $(LONGEST),$(TEST_BINARIES)) "$$CHECKS" $(filter-out $(LONGEST),$(TEST_BINARIES)) \
	  | tests/run.sh $(TESTS_AT_ONCE) $B/tests/logs
	@echo "all tests passed"

# ---- Fuzzing: the library once more with clang's libFuzzer and sanitizers; kernels are those of the build -------------

FUZZ_FLAGS := -fsanitize=address,undefined -fno-sanitize-recover=all -O1 -g
FUZZ_OBJECTS := $(patsubst %.c,$B/fuzz/%.o,$(LIB_SOURCES) $(CLI_SOURCES) tests/fuzz/fuzz.c)
$B/fuzz/%.o: %.c
	@mkdir -p $(@D)
	$(FUZZ_CC) $(BASE) $(FUZZ_FLAGS) -fsanitize=fuzzer-no-link -pthread $(CPPFLAGS) -Icli -c $< -o $@
$B/fuzz/cli/main.o: CPPFLAGS += -Dmain=main_of_command
$(FUZZ_OBJECTS): | $B/libmmm.a
$B/fuzz/fuzz: $(FUZZ_OBJECTS) $(KERNEL_OBJECTS) $(APP_OBJECTS) $(EMBEDDED_OBJECTS)
	$(FUZZ_CC) -fsanitize=fuzzer $(FUZZ_FLAGS) -pthread $^ $(LIBS) -o $@

$B/tests/fuzz/differential: $B/tests/fuzz/differential.o $B/libmmm.a
	$(CC) $(SANITIZE) -pthread -rdynamic $(LDFLAGS) $< $(WHOLE) $(LIBS) -o $@

# Every parser, SECONDS each, then applications on machines with hostile inputs, against FLINT, as long.
SECONDS ?= 60
fuzz: $B/fuzz/fuzz $B/tests/fuzz/differential
	@tests/fuzz/run.sh $B/fuzz/fuzz $(SECONDS) $B/fuzz/runs
	@$B/tests/fuzz/differential $(SECONDS)

# ---- Threads: the library once more under the thread sanitizer; kernels are those of the build ------------------------

TSAN_FLAGS   := -fsanitize=thread -O1 -g
TSAN_OBJECTS := $(patsubst %.c,$B/tsan/%.o,$(LIB_SOURCES))
TSAN_CLI     := $(patsubst %.c,$B/tsan/%.o,$(CLI_SOURCES))
$B/tsan/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(BASE) $(TSAN_FLAGS) -pthread $(CPPFLAGS) -Itests -c $< -o $@
TSAN_TESTS   := $B/tsan/test_library $B/tsan/test_plans
$(TSAN_OBJECTS) $(TSAN_TESTS:$B/tsan/%=$B/tsan/tests/job/%.o): | $B/libmmm.a
$B/tsan/mmm: $(TSAN_CLI) $(TSAN_OBJECTS) $(KERNEL_OBJECTS) $(APP_OBJECTS) $(EMBEDDED_OBJECTS)
	$(CC) $(TSAN_FLAGS) -pthread $^ $(LIBS) -o $@
$(TSAN_TESTS): $B/tsan/%: $B/tsan/tests/job/%.o $(TSAN_OBJECTS) $(KERNEL_OBJECTS) $(APP_OBJECTS) $(EMBEDDED_OBJECTS)
	$(CC) $(TSAN_FLAGS) -pthread $^ -lcmocka $(LIBS) -o $@
test-threads: $B/tsan/mmm $(TSAN_TESTS)
	@tests/checks/threads.sh $B/tsan

# Minutes: every application that has forms, and most examples.
JOBS ?= 100
test-derive: all
	@tests/checks/derived.sh $B/mmm $B/checks/derived $(JOBS)

# What other compilers and checkers have to say: nothing.
lint: all
	@tests/lint/lint.sh $B all

bench: $B/bench/bench $B/bench/rows $B/bench/products $B/bench/sort $B/bench/report $B/bench/calls $B/bench/busy $B/bench/integers $B/bench/crossovers $B/bench/many
	@$B/bench/bench
	@$B/bench/rows $B/bench/rows.csv
	@$B/bench/sort 10000000 $B/bench/sort.csv
	@$B/bench/report $B/bench/rows.csv $B/bench/sort.csv $B/bench/bench.json $B/bench/bench.svg
	@$B/bench/products $B/bench/products.csv
	@$B/bench/calls
	@$B/bench/busy
	@$B/bench/integers
	@bench/many.sh $B
	@bench/threads.sh $B
	@OMP_NUM_THREADS=1 $B/bench/crossovers cpu 16384 $B/bench/crossovers.svg
	@echo 'results: $B/bench/rows.csv, sort.csv, bench.json, bench.svg, products.csv'

# Peers in C++, where there is a compiler for it: vqsort, where libhwy-dev is, and NTL, where libntl-dev is.
CXX_FOUND := $(shell command -v $(CXX) >/dev/null 2>&1 && echo yes)
HWY_FOUND := $(if $(CXX_FOUND),$(shell $(CXX) -E -x c++ -include hwy/contrib/sort/vqsort.h /dev/null >/dev/null 2>&1 && echo yes))
NTL_FOUND := $(if $(CXX_FOUND),$(shell $(CXX) -E -x c++ -include NTL/lzz_pX.h /dev/null >/dev/null 2>&1 && echo yes))
BENCH_PEERS := $(if $(CXX_FOUND),-DBENCH_CXX) $(if $(HWY_FOUND),-DBENCH_VQSORT) $(if $(NTL_FOUND),-DBENCH_NTL)
$B/bench/sort.o $B/bench/rows.o: CPPFLAGS += $(BENCH_PEERS)
$B/bench/ntl_peers.o: bench/ntl_peers.cc
	@mkdir -p $(@D)
	$(CXX) -O3 -c $< -o $@
$B/bench/rows: $B/bench/rows.o $(if $(NTL_FOUND),$B/bench/ntl_peers.o) $B/libmmm.a
	$(CC) $(SANITIZE) -pthread $(LDFLAGS) $^ $(LIBS) $(if $(NTL_FOUND),-lntl -lstdc++) -o $@
$B/bench/sort_peers.o: bench/sort_peers.cc
	@mkdir -p $(@D)
	$(CXX) -O3 $(BENCH_PEERS) -c $< -o $@
$B/bench/sort: $B/bench/sort.o $(if $(CXX_FOUND),$B/bench/sort_peers.o) $B/libmmm.a
	$(CC) $(SANITIZE) -pthread $(LDFLAGS) $^ $(LIBS) $(if $(HWY_FOUND),-lhwy_contrib -lhwy) $(if $(CXX_FOUND),-lstdc++) -o $@

# How good the choice of s is; MACHINE=cuda:0 for a GPU.  As the command: folders call the library that is in it.
$B/bench/tuner: $B/bench/tuner.o $B/libmmm.a
	$(CC) $(SANITIZE) -pthread -rdynamic $(LDFLAGS) $< $(WHOLE) $(LIBS) -o $@
MACHINE ?= cpu
bench-tuner: $B/bench/tuner
	@$B/bench/tuner $(MACHINE) $B/bench/tuner.csv
	@echo 'details: $B/bench/tuner.csv'

$B/bench/%: $B/bench/%.o $B/libmmm.a
	$(CC) $(SANITIZE) -pthread $(LDFLAGS) $^ $(LIBS) -o $@

# What a wheel of Python holds, and a bundle: the library, the command and the libraries they need, which are found beside
# them; libraries.txt says where those are from.
BESIDE := -Wl,--disable-new-dtags,-rpath,'$$ORIGIN'
wheel-files: all
	rm -rf $B/wheel && mkdir -p $B/wheel
	$(CC) $(LINK_SHARED) -s -pthread $(BESIDE) $(LIB_OBJECTS) $(LIBS) -o $B/wheel/$(SONAME)
	$(CC) $(CLI_OBJECTS) -s $(BESIDE) $B/wheel/$(SONAME) -lflint -lm -o $B/wheel/mmm
	ldd $B/wheel/$(SONAME) | awk '$$2 == "=>" && $$3 ~ /^\// && $$1 !~ /^(libc|libm|libdl|libpthread|libgcc_s|libstdc..)\.so/ {print $$3}' >$B/wheel/libraries.txt
	for f in $$(cat $B/wheel/libraries.txt); do install -m 644 $$f $B/wheel/; done

# One wheel for every Python from 3.9 on.
PYTHON ?= python3
wheel:
	@mkdir -p $B/dist
	cd $B/dist && PYTHONPATH=$(CURDIR)/python $(PYTHON) -c 'import backend; print(backend.build_wheel("."))'

# A folder that runs where none of the libraries is installed: they lie beside the command and are found there.
BUNDLE_TESTS := test_machines test_arrays
DIALECT_TESTS := atomics groups lanes types within
bundle: wheel-files $(BUNDLE_TESTS:%=$B/tests/job/%.o) $(foreach t,$(DIALECT_TESTS),$B/tests/machine/test_$t.o $(call unit_objects,$t)) $B/bench/bench.o $B/bench/tuner.o $B/bench/calls.o
	rm -rf $B/bundle && mkdir -p $B/bundle
	cp $B/wheel/* $B/bundle/ && rm $B/bundle/libraries.txt
	ln -s $(SONAME) $B/bundle/libmmm.so
	for b in bench calls; do $(CC) -s $B/bench/$$b.o -pthread $(BESIDE) $B/libmmm.a $(LIBS) -o $B/bundle/$$b; done
	$(CC) -s $B/bench/tuner.o -pthread -rdynamic $(BESIDE) $(WHOLE) $(LIBS) -o $B/bundle/tuner
	for t in $(BUNDLE_TESTS); do $(CC) -s $B/tests/job/$$t.o -pthread $(BESIDE) $B/libmmm.a -lcmocka $(LIBS) -o $B/bundle/$$t; done
	$(foreach t,$(DIALECT_TESTS),$(CC) -s $B/tests/machine/test_$t.o $(call unit_objects,$t) -pthread $(BESIDE) $B/libmmm.a -lcmocka $(LIBS) -o $B/bundle/test_$t &&) true
	for f in $$(ldd $B/bundle/test_groups $B/bundle/$(SONAME) | awk '$$1 ~ /^lib(cmocka|stdc..|gcc_s)\.so/ {print $$3}'); do cp -L $$f $B/bundle/; done
	@du -sh $B/bundle

# Every application on every GPU, then under the tools of compute-sanitizer.
GPU_TESTS := $(BUNDLE_TESTS:%=$B/tests/job/%) $(DIALECT_TESTS:%=$B/tests/machine/test_%)
test-gpu: all $(GPU_TESTS)
	for t in $(GPU_TESTS); do $$t || exit 1; done
	bench/gpu-check.sh $B/mmm $$($B/mmm list | sed -n 's/^  \(cuda:[0-9]*\|opencl:[0-9]*\) .*SMs.*/\1/p')
	bench/gpu-sanitize.sh $B/mmm

# Pages for man and completion for shells, from the tables of the verbs and from the headers.
$B/share/made: $B/mmm $(wildcard include/*.h include/mmm/*.h docs/make/examples/*.c) docs/make/api.awk
	rm -rf $B/share && mkdir -p $B/share/man1 $B/share/man3
	$B/mmm help --man >$B/share/man1/mmm.1
	for v in $$($B/mmm help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do $B/mmm help --man $$v >$B/share/man1/mmm-$$v.1 || exit 1; done
	awk -v form=man -v out=$B/share/man3 -v version=$(VERSION) -v examples=docs/make/examples -f docs/make/api.awk include/mmm.h include/mmm/*.h
	$B/mmm help --bash >$B/share/mmm.bash
	$B/mmm help --zsh >$B/share/_mmm
	touch $@

INSTALLED := $(DESTDIR)$(PREFIX)
install: all $B/share/made
	install -d $(INSTALLED)/bin $(DESTDIR)$(LIBDIR)/pkgconfig $(INSTALLED)/include/mmm/apps $(INSTALLED)/share/man/man1 \
	  $(INSTALLED)/share/man/man3 $(INSTALLED)/share/bash-completion/completions $(DESTDIR)$(ZSHDIR)
	install $B/mmm $(INSTALLED)/bin/mmm
	install -m 644 include/mmm.h $(INSTALLED)/include/mmm.h
	install -m 644 include/mmm/*.h $(DIALECT) src/kernel/hooks.txt $(INSTALLED)/include/mmm/
	install -m 644 $B/include/mmm/apps/*.h $(INSTALLED)/include/mmm/apps/
	install -m 644 $B/libmmm.a $(DESTDIR)$(LIBDIR)/libmmm.a
	install -m 644 $B/libmmm.so $(DESTDIR)$(LIBDIR)/libmmm.so.$(VERSION)
	$(if $(ENGINES),install -d $(DESTDIR)$(LIBDIR)/mmm && install -m 644 $(ENGINES) $(DESTDIR)$(LIBDIR)/mmm/)
	ln -sf libmmm.so.$(VERSION) $(DESTDIR)$(LIBDIR)/$(SONAME)
	ln -sf $(SONAME) $(DESTDIR)$(LIBDIR)/libmmm.so
	sed 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(LIBDIR)|; s|@VERSION@|$(VERSION)|; s|@LIBS@|$(LIBS)|' mmm.pc.in >$(DESTDIR)$(LIBDIR)/pkgconfig/mmm.pc
	install -m 644 $B/share/man1/* $(INSTALLED)/share/man/man1/
	install -m 644 $B/share/man3/* $(INSTALLED)/share/man/man3/
	install -m 644 $B/share/mmm.bash $(INSTALLED)/share/bash-completion/completions/mmm
	install -m 644 $B/share/_mmm $(DESTDIR)$(ZSHDIR)/_mmm

# The sources as one archive, the same bytes whenever and by whomever it is made; its files have the date of the version.
DIST := $B/dist/mmm-$(VERSION).tar.gz
dist:
	@mkdir -p $B/dist
	{ git ls-files 2>/dev/null || find . \( -name build -o -name build-san -o -name .git -o -name __pycache__ \) -prune -o -type f -print; } | sed 's|^\./||' | LC_ALL=C sort >$B/dist/files
	tar --create --files-from=$B/dist/files --transform='s|^|mmm-$(VERSION)/|S' --mtime="$$(sed -n 's/^ -- .*>  //p;T;q' debian/changelog)" --owner=0 --group=0 --numeric-owner \
	  --mode=u+rw,go=u-w --format=ustar | gzip -n9 >$(DIST)
	@echo $(DIST)

# docs/ as pages for a browser, in $B/site.
site: all
	@docs/make/site.sh $B/site

clean:
	rm -rf build build-san

# Fakes of CUDA's libraries, for tests of what happens when they fail.
FAKES := $B/tests/fake/libcuda.so $B/tests/fake/libnvrtc.so
$B/tests/machine/test_faults $B/tests/machine/test_nvrtc: | $(FAKES)
$B/tests/fake/lib%.so: tests/fake/%.c tests/fake/fake.h src/machine/gpu/cuda_driver.h
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) -Itests -shared $< -o $@

# No sanitizer: malloc is its own.
$B/tests/fake/short.so $B/tests/fake/rank.so: $B/tests/fake/%.so: tests/fake/%.c
	@mkdir -p $(@D)
	$(CC) -std=c11 $(WARN) $(WERROR) $(OPT) -fPIC -shared $< -o $@

# The command with a malloc of its own for what mmm allocates itself, in front of the sanitizer's.
$B/mmm-short: tests/fake/short.c $(CLI_OBJECTS) $B/libmmm.a
	$(CC) -std=c11 $(WARN) $(OPT) $(SANITIZE) -DSHORT_WRAP -pthread -rdynamic $(LDFLAGS) -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=posix_memalign \
	  $< $(CLI_OBJECTS) $(WHOLE) $(LIBS) -o $@

-include $(shell find $B -name "*.d" 2>/dev/null)
