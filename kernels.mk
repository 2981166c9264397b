# How a kernel file of the dialect becomes objects: for each word size once for the abstract machine, where every load
# and store is reported, and once for each instruction set of the CPU.

KERNEL_FILES := division radix_sort

ARCH := $(shell $(CC) -dumpmachine)
ISAS := base $(if $(filter x86_64-%,$(ARCH)),v3 v4)
ISA_base :=
ISA_v3   := -march=x86-64-v3
ISA_v4   := -march=x86-64-v4 -mprefer-vector-width=512

# Kernels are never built with the sanitizers of SAN=1: the counting form has hooks of its own, and the CPU form is
# checked by the counting form.
KERNEL_CFLAGS = $(BASE) -O3 -g -fopenmp-simd -fno-math-errno $(CPPFLAGS) -Isrc/kernels
COUNT_CC     ?= $(CC)
COUNT_CFLAGS  = $(BASE) -O2 -g -fsanitize=thread $(CPPFLAGS) -Isrc/kernels -Wno-psabi \
  $(if $(findstring clang,$(shell $(COUNT_CC) --version)),\
    -mllvm -tsan-instrument-func-entry-exit=0 -mllvm -tsan-instrument-read-before-write=1,\
    --param=tsan-instrument-func-entry-exit=0)

KERNEL_OBJECTS := $(foreach f,$(KERNEL_FILES),$(foreach w,32 64,\
  $B/kernels/$f.w$w.count.o $(foreach i,$(ISAS),$B/kernels/$f.w$w.$i.o)))

# $(1): word bits
define COUNT_RULE
$B/kernels/%.w$(1).count.o: src/kernels/%.c src/kernels/hooks.txt
	@mkdir -p $$(@D)
	$$(COUNT_CC) $$(COUNT_CFLAGS) -DMMM_TARGET_ABSTRACT -DMMM_WORD_BITS=$(1) -DMMM_VARIANT=w$(1)_count -c $$< -o $$@
	objcopy --redefine-syms=src/kernels/hooks.txt $$@
endef

# $(1): word bits, $(2): instruction set
define CPU_RULE
$B/kernels/%.w$(1).$(2).o: src/kernels/%.c
	@mkdir -p $$(@D)
	$$(CC) $$(KERNEL_CFLAGS) $$(ISA_$(2)) -DMMM_TARGET_CPU -DMMM_WORD_BITS=$(1) -DMMM_VARIANT=w$(1)_$(2) -c $$< -o $$@
endef

$(foreach w,32 64,$(eval $(call COUNT_RULE,$w))$(foreach i,$(ISAS),$(eval $(call CPU_RULE,$w,$i))))
