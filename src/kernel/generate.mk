# The generator of the kernel dialect: part of the library, and a command of the build.

LIB_SOURCES += $(wildcard src/kernel/*.c)
TESTS       += $(wildcard tests/kernel/test_*.c)

GENERATE := $B/generate
GENERATE_OBJECTS := $(patsubst %.c,$B/%.o,$(wildcard src/kernel/*.c) src/kernel/tool/generate.c \
  $(addprefix src/base/,status.c memory.c file.c text.c))

.DEFAULT_GOAL := all
$(GENERATE): $(GENERATE_OBJECTS)
	$(CC) $(SANITIZE) $(LDFLAGS) $^ -o $@

-include $B/src/kernel/tool/generate.d
