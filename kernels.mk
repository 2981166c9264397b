# How a kernel file of the dialect becomes objects: for each word size once for the abstract machine, where every load
# and store is reported, and once for each instruction set of the CPU.

KERNEL_FILES := division multiplication gcd radix_sort arrays calibration

ARCH := $(shell $(CC) -dumpmachine)
ISAS := base $(if $(filter x86_64-%,$(ARCH)),v3 v4)
ISA_base :=
ISA_v3   := -march=x86-64-v3
ISA_v4   := -march=x86-64-v4 -mprefer-vector-width=512

# Kernels are never built with the sanitizers of SAN=1: the counting form has hooks of its own, and the CPU form is
# checked by the counting form.
KERNEL_CFLAGS = $(BASE) -Wno-unused-parameter -Wno-unused-variable -O3 -g -fopenmp-simd -fno-math-errno $(CPPFLAGS) -Isrc/kernel

# The other compiler, to see that counts do not depend on the compiler.
OTHER_CC     ?= $(if $(findstring clang,$(shell $(CC) --version)),gcc,clang)

KERNEL_OBJECTS := $(foreach f,$(KERNEL_FILES),$(foreach w,32 64,\
  $B/kernels/$f.w$w.count.o $(foreach i,$(ISAS),$B/kernels/$f.w$w.$i.o)))
OTHER_OBJECTS  := $(foreach f,$(KERNEL_FILES),$(foreach w,32 64,$B/kernels-other/$f.w$w.count.o))
FAULTY_OBJECTS := $(foreach w,32 64,$B/tests/kernels/faulty.w$w.count.o $B/tests/kernels/faulty.w$w.base.o)

count_flags = $(BASE) -Wno-unused-parameter -Wno-unused-variable -O2 -g -fsanitize=thread $(CPPFLAGS) -Isrc/kernel \
  $(if $(findstring clang,$(shell $(1) --version)),\
    -mllvm -tsan-instrument-func-entry-exit=0 -mllvm -tsan-instrument-read-before-write=1,\
    --param=tsan-instrument-func-entry-exit=0)
COUNT_FLAGS := $(call count_flags,$(CC))
OTHER_FLAGS  = $(call count_flags,$(OTHER_CC))

# $(1): folder of objects, $(2): folder of sources, $(3): compiler, $(4): its flags, $(5): word bits
define COUNT_RULE
$(1)/%.w$(5).count.o: $(2)/%.c src/kernel/hooks.txt
	@mkdir -p $$(@D)
	$$($(3)) $$($(4)) -DMMM_TARGET_ABSTRACT -DMMM_WORD_BITS=$(5) -DMMM_VARIANT=w$(5)_count -c $$< -o $$@
	objcopy --redefine-syms=src/kernel/hooks.txt $$@
endef

# $(1): folder of objects, $(2): folder of sources, $(3): word bits, $(4): instruction set
define CPU_RULE
$(1)/%.w$(3).$(4).o: $(2)/%.c
	@mkdir -p $$(@D)
	$$(CC) $$(KERNEL_CFLAGS) $$(ISA_$(4)) -DMMM_TARGET_CPU -DMMM_WORD_BITS=$(3) -DMMM_VARIANT=w$(3)_$(4) -c $$< -o $$@
endef

$(foreach w,32 64,\
  $(eval $(call COUNT_RULE,$B/kernels,src/kernels,CC,COUNT_FLAGS,$w))\
  $(eval $(call COUNT_RULE,$B/kernels-other,src/kernels,OTHER_CC,OTHER_FLAGS,$w))\
  $(eval $(call COUNT_RULE,$B/tests/kernels,tests/kernels,CC,COUNT_FLAGS,$w))\
  $(eval $(call CPU_RULE,$B/tests/kernels,tests/kernels,$w,base))\
  $(foreach i,$(ISAS),$(eval $(call CPU_RULE,$B/kernels,src/kernels,$w,$i))))
