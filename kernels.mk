.SECONDARY: # what is made on the way stays
# How kernel files of the dialect become code: the generator reads and checks them, and makes of each a header with typed
# launchers, records with the text for GPUs, and a file that is compiled for each word size once for the abstract machine,
# where every load and store is reported, and once for each instruction set of the CPU.

include apps/apps.mk

# Units: a name (a folder below $B/gen) and its kernel file.
UNITS := $(APPS) polynomial integer probe gpu_probe
$(foreach a,$(APPS),$(eval KERNELS_$a := apps/$a/kernels.c))
KERNELS_polynomial := src/job/polynomial_kernels.c
KERNELS_integer    := src/integer/integer_kernels.c
KERNELS_probe      := src/study/probe_kernels.c
KERNELS_gpu_probe  := src/study/gpu_probe_kernels.c
TEST_UNITS := atomics faulty groups lanes traffic types unfold within
$(foreach u,$(TEST_UNITS),$(eval KERNELS_$u := tests/kernels/$u.c))

ARCH := $(shell $(CC) -dumpmachine)
ISAS := base $(if $(filter x86_64-%,$(ARCH)),v3 v4)
ISA_base :=
ISA_v3   := -march=x86-64-v3
ISA_v4   := -march=x86-64-v4 -mprefer-vector-width=512
ISA_v4_60 := $(ISA_v4) -mavx512ifma -DMMM_BELOW_60
# For words of 64 bits also where p is known to be below 2^60 and numbers of 52 bits are multiplied.
ISAS_32 := $(ISAS)
ISAS_64 := $(ISAS) $(addsuffix _60,$(filter v4,$(ISAS)))

# The headers of the dialect; kernels include modp.h, which has all others.
DIALECT := $(wildcard src/kernel/dialect*.h src/kernel/modp*.h)

# Kernels are never built with the sanitizers of SAN=1: the counting form has hooks of its own, and the CPU form is
# checked by the counting form.
KERNEL_CFLAGS = $(BASE) -Wno-unused -Wno-unknown-pragmas -ffp-contract=off $(CPPFLAGS) -Isrc/kernel
CPU_FLAGS     = $(KERNEL_CFLAGS) -g1 -O3 -fopenmp-simd -fno-math-errno
# The other compiler, to see that counts do not depend on the compiler.
OTHER_CC     ?= $(if $(findstring clang,$(shell $(CC) --version)),gcc,clang)
count_flags   = $(KERNEL_CFLAGS) -g -O2 -fsanitize=thread \
  $(if $(findstring clang,$(shell $(1) --version)),\
    -mllvm -tsan-instrument-func-entry-exit=0 -mllvm -tsan-instrument-read-before-write=1,\
    --param=tsan-instrument-func-entry-exit=0)
COUNT_FLAGS := $(call count_flags,$(CC))
OTHER_FLAGS  = $(call count_flags,$(OTHER_CC))

GENERATE := $B/generate
GENERATOR_SOURCES := $(addprefix src/base/,status.c ledger.c memory.c file.c number.c text.c) $(GENERATOR) src/kernel/tool/generate.c
$(GENERATE): $(GENERATOR_SOURCES:%.c=$B/%.o)
	$(CC) $(SANITIZE) $(LDFLAGS) $^ -o $@

# $(1): unit, $(2): its kernel file
define UNIT_RULE
$B/gen/$(1)/kernels.host.c: $(2) $(wildcard $(dir $(2))*.h) $(GENERATE)
	@mkdir -p $$(@D)
	$(GENERATE) $(2) $(subst -,_,$(1)) $$(@D)
$B/gen/$(1)/kernels.records.c $B/gen/$(1)/kernels.h: $B/gen/$(1)/kernels.host.c ;
$B/gen/$(1)/kernels.records.o: $B/gen/$(1)/kernels.records.c
	$(CC) $(CFLAGS_ALL) -c $$< -o $$@
endef

# $(1): unit, $(2): word bits, $(3): folder, $(4): compiler, $(5): its flags
define COUNT_RULE
$B/$(3)/$(1)/w$(2).count.o: $B/gen/$(1)/kernels.host.c src/kernel/hooks.txt $(DIALECT)
	@mkdir -p $$(@D)
	$$($(4)) $$($(5)) -DMMM_TARGET_ABSTRACT -DMMM_WORD_BITS=$(2) -DMMM_VARIANT=w$(2)_count -c $$< -o $$@
	objcopy --redefine-syms=src/kernel/hooks.txt $$@
endef

# $(1): unit, $(2): word bits, $(3): instruction set
define CPU_RULE
$B/gen/$(1)/w$(2).$(3).o: $B/gen/$(1)/kernels.host.c $(DIALECT)
	$$(CC) $$(CPU_FLAGS) $$(ISA_$(3)) -DMMM_TARGET_CPU -DMMM_WORD_BITS=$(2) -DMMM_VARIANT=w$(2)_$(3) -c $$< -o $$@
endef

unit_objects = $B/gen/$(1)/kernels.records.o $(foreach w,32 64,$B/gen/$(1)/w$w.count.o $(foreach i,$(ISAS_$w),$B/gen/$(1)/w$w.$i.o))
$(foreach u,$(UNITS) $(TEST_UNITS),\
  $(eval $(call UNIT_RULE,$u,$(KERNELS_$u)))\
  $(foreach w,32 64,\
    $(eval $(call COUNT_RULE,$u,$w,gen,CC,COUNT_FLAGS))\
    $(eval $(call COUNT_RULE,$u,$w,gen-other,OTHER_CC,OTHER_FLAGS))\
    $(foreach i,$(ISAS_$w),$(eval $(call CPU_RULE,$u,$w,$i)))))

KERNEL_OBJECTS := $(foreach u,$(UNITS),$(call unit_objects,$u))
OTHER_OBJECTS  := $(foreach u,$(UNITS),$(foreach w,32 64,$B/gen-other/$u/w$w.count.o))

# Applications: their records, what they tell other applications, and the list of them with their formulas.
APP_OBJECTS := $(APPS:%=$B/apps/%/app.o) $B/gen/apps.o
APP_HEADERS := $(APPS:%=$B/include/mmm/apps/%.h)
$B/include/mmm/apps/%.h: $B/gen/%/kernels.h
	@mkdir -p $(@D)
	cp $< $@
$B/apps/%/app.o: apps/%/app.c $B/gen/%/kernels.h $(APP_HEADERS) $(wildcard apps/*/*.h)
	@mkdir -p $(@D)
	$(CC) $(APP_FLAGS) -I$B/gen/$* -DMMM_APPLICATION_NAME=mmm_app_$(subst -,_,$*) -c $< -o $@
APP_FLAGS = $(BASE) $(OPT) $(SANITIZE) -Wno-missing-field-initializers -Iinclude -I$B/include

FORMULAS := $(patsubst apps/%/formulas.txt,%,$(wildcard $(APPS:%=apps/%/formulas.txt)))
$B/gen/formulas.%.c: apps/%/formulas.txt $(GENERATE)
	@mkdir -p $(@D)
	$(GENERATE) --embed mmm_formulas_$(subst -,_,$*) $< $@
$B/gen/apps.c: apps/apps.mk kernels.mk $(FORMULAS:%=apps/%/formulas.txt)
	@mkdir -p $(@D)
	@{ echo '#include "job/job.h"'; echo '#include "paper/paper.h"'; \
	for a in $(subst -,_,$(APPS)); do echo "extern const mmm_app mmm_app_$$a;"; done; \
	echo 'const mmm_built_in mmm_apps_built_in[] = {'; \
	for a in $(APPS); do echo "{\"$$a\", &mmm_app_$$(echo $$a | tr - _)},"; done; echo '};'; \
	echo 'const mmm_app *mmm_apps_listed[$(words $(APPS)) + 1]; mmm_app mmm_apps_named[$(words $(APPS))];'; \
	echo 'const int mmm_apps_built_in_count = $(words $(APPS));'; \
	for a in $(subst -,_,$(FORMULAS)); do echo "extern const char mmm_formulas_$$a[];"; done; \
	echo 'const mmm_embedded mmm_analyses[] = {'; \
	for a in $(FORMULAS); do echo "{\"$$a\", mmm_formulas_$$(echo $$a | tr - _)},"; done; echo '{0}};'; } >$@

# Headers that compiling an application's folder needs: the name under which they are included, and where they are.
HEADERS := mmm.h:include/mmm.h $(foreach h,app kernel model formula study,mmm/$h.h:include/mmm/$h.h) \
  $(foreach h,$(DIALECT),$(notdir $h):$h) hooks.txt:src/kernel/hooks.txt \
  $(foreach a,$(APPS),mmm/apps/$a.h:$B/include/mmm/apps/$a.h)
header_file = $(lastword $(subst :, ,$(1)))
header_id   = mmm_header_$(subst /,_,$(subst .,_,$(subst -,_,$(firstword $(subst :, ,$(1))))))
define HEADER_RULE
$B/gen/$(call header_id,$(1)).c: $(call header_file,$(1)) $(GENERATE)
	$(GENERATE) --embed $(call header_id,$(1)) $$< $$@
endef
$(foreach h,$(HEADERS),$(eval $(call HEADER_RULE,$h)))
$B/gen/headers.c: kernels.mk apps/apps.mk $(DIALECT)
	@mkdir -p $(@D)
	@{ echo '#include "job/job.h"'; for h in $(foreach h,$(HEADERS),$(call header_id,$h)); do echo "extern const char $$h[];"; done; \
	echo 'extern const mmm_header mmm_headers[]; const mmm_header mmm_headers[] = {'; \
	$(foreach h,$(HEADERS),echo '{"$(firstword $(subst :, ,$h))", $(call header_id,$h)},';) echo '{0}};'; } >$@

# Texts that an installed library needs and no file should hold: the dialect's headers, machines that are shipped.
$B/gen/text.dialect.c: $(DIALECT) $(GENERATE)
	$(GENERATE) --flatten mmm_text_dialect src/kernel/modp.h $@
$B/gen/text.h200.c: machines/h200.json $(GENERATE)
	$(GENERATE) --embed mmm_machine_h200 $< $@
$B/gen/text.cpu-epyc.c: machines/cpu-epyc.json $(GENERATE)
	$(GENERATE) --embed mmm_machine_cpu_epyc $< $@
$B/gen/text.new-kernels.c: examples/stencil/kernels.c $(GENERATE)
	$(GENERATE) --embed mmm_new_kernels $< $@
$B/gen/text.new-app.c: examples/stencil/app.c $(GENERATE)
	$(GENERATE) --embed mmm_new_app $< $@
EMBEDDED_OBJECTS := $B/gen/headers.o $(foreach h,$(HEADERS),$B/gen/$(call header_id,$h).o) $(FORMULAS:%=$B/gen/formulas.%.o) $(addprefix $B/gen/text.,dialect.o h200.o cpu-epyc.o new-kernels.o new-app.o)
$B/gen/%.o: $B/gen/%.c
	$(CC) $(CFLAGS_ALL) -Wno-missing-field-initializers -c $< -o $@
