/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the generator share.  A kernel file is scanned to tokens, its macros are expanded, and one pass
 * over the tokens checks it and notes at each token what is emitted in its place. */
#ifndef MMM_GENERATOR_H
#define MMM_GENERATOR_H

#include "base/text.h"
#include "kernel/generate.h"

enum {
    GEN_FILES = 64,           /* included by each other */
    GEN_FILE_BYTES = 1 << 20, /* of one file */
    GEN_TOKENS = 400000,      /* after the expansion of macros */
    GEN_STEPS = 4000000,      /* of that expansion */
    GEN_NESTING = 100,        /* of brackets, statements, macros */
    GEN_ERRORS = 20,
    GEN_PARAMETERS = 16
};

/* ---- Words ------------------------------------------------------------------------------------------------------- */

typedef enum gen_class {
    CLASS_KEYWORD,  /* of C or the dialect: value is a gen_keyword */
    CLASS_TYPE,     /* value is a gen_type */
    CLASS_BAD_TYPE, /* a type that is refused; advice says what to write */
    CLASS_PLACE,    /* block, block_size ...; value is the number of dimensions it is for, 0 for both */
    CLASS_CALL,     /* a known function: value is a gen_call */
    CLASS_REFUSED,  /* of C, but not of the dialect */
    CLASS_FOREIGN,  /* of C++, CUDA, OpenCL C or the compilers' headers: no name for anything */
    CLASS_FUNCTION, /* no name for a function or a kernel */
    CLASS_LAUNCHER  /* no name for a parameter of a kernel */
} gen_class;

typedef enum gen_keyword {
    WORD_NONE,
    WORD_KERNEL,
    WORD_GLOBAL,
    WORD_LOCAL,
    WORD_PRIVATE,
    WORD_CONSTANT,
    WORD_THREADS,
    WORD_ITEMS,
    WORD_REGION,
    WORD_GROUPS,
    WORD_FIRST_GROUP,
    WORD_LANES,
    WORD_ITEM_LANES,
    WORD_THREADS_2D,
    WORD_EACH,
    WORD_ONE,
    WORD_CONST,
    WORD_STATIC,
    WORD_INLINE,
    WORD_ENUM,
    WORD_IF,
    WORD_ELSE,
    WORD_FOR,
    WORD_WHILE,
    WORD_DO,
    WORD_SWITCH,
    WORD_CASE,
    WORD_DEFAULT,
    WORD_BREAK,
    WORD_CONTINUE,
    WORD_RETURN,
    WORD_GOTO,
    WORD_SIZEOF
} gen_keyword;

typedef enum gen_type {
    TYPE_VOID,
    TYPE_INT,
    TYPE_UNSIGNED,
    TYPE_FLOAT,
    TYPE_DOUBLE,
    TYPE_WORD,
    TYPE_PRODUCTS,
    TYPE_DOTS,
    TYPE_OPERAND,
    TYPE_MULTIPLIER,
    TYPE_WORD_LANES, /* up to here of words */
    TYPE_U32_LANES,
    TYPE_I8,
    TYPE_U8,
    TYPE_I16,
    TYPE_U16,
    TYPE_I32,
    TYPE_U32,
    TYPE_I64,
    TYPE_U64
} gen_type;

typedef enum gen_call {
    CALL_MODP,       /* charges operations */
    CALL_MODP_FREE,  /* does not */
    CALL_OPERAND,    /* gives an operand */
    CALL_MULTIPLIER, /* gives a multiplier */
    CALL_BY,         /* charges operations; of multipliers and words, or their lanes, in turns */
    CALL_DOTS,       /* charges operations, and changes its first argument */
    CALL_DOTS_FREE,  /* changes its first argument */
    CALL_LOOSE,      /* times, fold and centre, of numbers or lanes */
    CALL_LANES,
    CALL_LANES_ROWS,
    CALL_LANES_AHEAD, /* nothing on most machines */
    CALL_LANES_RING,  /* charges operations */
    CALL_OPS,
    CALL_REPEATS, /* min, max, abs: may look at its arguments twice */
    CALL_MATH,
    CALL_BITS, /* an int made of a number's bits */
    CALL_ATOMIC,
    CALL_COLLECTIVE
} gen_call;

typedef struct gen_word {
    const char *text;
    gen_class class;
    int value, arguments;
    const char *advice;
} gen_word;

typedef struct gen_type_facts {
    const char *name, *handle, *constant; /* as written; of mmm_HANDLE_array; of MMM_CONSTANT */
    int bytes;
    gen_type same;                    /* int is i32 and unsigned is u32 */
    bool scalar;                      /* may be a kernel's parameter */
    const char *host, *member, *cast; /* of a parameter: its type in launchers, its member of mmm_value, a cast or "" */
} gen_type_facts;

extern const gen_type_facts mmm_gen_types[];

/* ---- Tokens ------------------------------------------------------------------------------------------------------ */

typedef struct gen_symbol gen_symbol;
typedef struct gen_macro gen_macro;

typedef struct gen_name {
    char *text;
    uint64_t hash;
    const gen_word *word; /* NULL: none of the table's */
    gen_macro *macro;
    gen_symbol *symbol; /* what it means at this place */
    bool missed;        /* its call was noted as that of no function */
} gen_name;

typedef enum gen_kind { TOKEN_END, TOKEN_NAME, TOKEN_NUMBER, TOKEN_CHARACTER, TOKEN_STRING, TOKEN_OPERATOR } gen_kind;

typedef struct gen_token {
    const char *text;
    int length, line, file;
    int blanks; /* before it */
    gen_kind kind;
    int op;              /* its up to three characters, the first in the lowest byte */
    gen_name *name;      /* of a TOKEN_NAME */
    int parameter;       /* in the text of a macro: one more than the number of its parameter, or 0 */
    bool first, fixed;   /* on its line; a macro's name that is not expanded again */
    const char *comment; /* right before it */
    int comment_length;
} gen_token;

#define OP2(a, b)    ((a) | (b) << 8)
#define OP3(a, b, c) ((a) | (b) << 8 | (c) << 16)

typedef struct gen_tokens {
    gen_token *at;
    int64_t count, room;
} gen_tokens;

struct gen_macro {
    bool function, busy;
    int parameters;
    gen_tokens body;
    gen_macro *next;
};

/* What is emitted before a token, in its place (NULL: itself) and after it. */
typedef struct gen_edit {
    const char *before, *instead, *after;
} gen_edit;

typedef struct gen_file {
    char *path, *shown, *text;
    int64_t size;
    int by; /* the number of the file that includes it */
} gen_file;

/* ---- Meaning ----------------------------------------------------------------------------------------------------- */

typedef enum gen_place { PLACE_PLAIN, PLACE_GLOBAL, PLACE_LOCAL, PLACE_PRIVATE } gen_place;

typedef enum gen_symbol_kind {
    SYMBOL_VARIABLE, /* scalar, pointer or array; parameters too */
    SYMBOL_CONSTANT, /* a CONSTANT parameter */
    SYMBOL_THREAD,   /* of THREADS and its kind */
    SYMBOL_COUNTER,  /* of EACH */
    SYMBOL_NUMBER,   /* of an enum */
    SYMBOL_FUNCTION
} gen_symbol_kind;

struct gen_symbol {
    gen_name *name;
    gen_symbol_kind kind;
    gen_type type;
    int levels;      /* 0 scalar, 1 pointer or array, 2 array of arrays */
    bool array;      /* no pointer */
    gen_place place; /* of the scalar or the elements; of what a pointer points to */
    bool constant;   /* these cannot be written */
    bool fixed;      /* nor can the pointer */
    bool parameter;
    bool inner;     /* declared in a part: each thread has its own */
    bool data;      /* holds values, not indices: counts as computing where it is added to */
    bool has_value; /* at this place, on every way to it; of an array, some element */
    int scope;
    struct gen_function *function;
    gen_symbol *hidden, *before; /* what the name meant outside; the symbol declared before this one */
};

typedef struct gen_parameter {
    gen_name *name;
    gen_type type;
    bool pointer, constant, compiled_in; /* constant: to const; compiled_in: CONSTANT */
    gen_place place;
} gen_parameter;

typedef struct gen_local {
    gen_type type;
    int64_t from[2], to[2]; /* the tokens of its sizes; none: a scalar */
    int dimensions;
    struct gen_local *next;
} gen_local;

/* A top-level item: a kernel, a function, or an enum (without a name). */
typedef struct gen_function {
    gen_name *name;
    bool kernel;
    gen_type type;
    gen_parameter parameters[GEN_PARAMETERS];
    int parameter_count;
    bool regions; /* has regions, or calls what has */
    bool shared;  /* writes GLOBAL or LOCAL elements outside regions: only to be called inside one */
    bool charges, computes;
    bool groups;         /* uses words for groups of threads, or calls what does */
    bool plane;          /* uses the names of two dimensions */
    int64_t first, last; /* its tokens: first .. last-1 */
    gen_local *locals, **last_local;
    struct gen_function *next;
} gen_function;

/* What an expression is. */
typedef struct gen_value {
    gen_type type;
    int levels; /* 0 number, 1 pointer, 2 array of arrays */
    bool lvalue, array;
    gen_place place; /* of the object; of what it points to */
    bool constant;   /* this cannot be written */
    bool data;
    bool unknown;       /* an error was noted: say no more about it */
    gen_symbol *object; /* the variable that it is, is part of, or points into; NULL: none */
    gen_name *name;     /* of block, ONE and their kind */
} gen_value;

typedef enum gen_where {
    WHERE_THREAD,  /* a function without regions: what a thread does */
    WHERE_BETWEEN, /* between regions, all threads alike */
    WHERE_REGION,  /* in REGION, between its parts */
    WHERE_PART     /* in a part */
} gen_where;

typedef struct gen_block {
    struct gen_block *next;
    max_align_t data[];
} gen_block;

/* Which variables have got a value: those of the trail have since some place before. */
typedef struct gen_flow {
    gen_symbol **trail;
    int64_t count, room;
    int64_t jump;   /* the trail at the first break or continue of this loop, or -1 */
    int64_t branch; /* and where the switch begins */
    bool dead;      /* after return, break or continue: nothing comes here */
    bool clears;    /* what is read next is written, not looked at */
} gen_flow;

typedef struct generator {
    mmm_status status; /* of memory and files; anything but MMM_OK ends the work */
    mmm_generated *out;
    int errors, warnings;
    bool lost; /* the rest of the item cannot be understood */
    gen_block *pool;

    gen_name **names;
    int64_t name_count, name_room;
    gen_file files[GEN_FILES];
    int file_count;
    gen_macro *macros;
    int64_t steps;
    bool cut; /* an error ended the reading early */

    gen_tokens tokens;
    gen_edit *edits;
    int64_t at;
    gen_function *functions, **last_function;
    bool words; /* the file uses word or modp */

    gen_function *function; /* the one that is read */
    gen_where where;
    int first_group;             /* > 0: the scope outside FIRST_GROUP, which this is in */
    gen_keyword part;            /* THREADS, ITEMS, GROUPS, LANES, ITEM_LANES or THREADS_2D */
    gen_type lanes;              /* of the last LANES: u32 or word */
    int element;                 /* > 0: in an element that lanes_load or its kind is given */
    gen_name *thread, *thread_y; /* of the part */
    int scope, body_scope;
    gen_symbol *symbols;
    int loops, switches, nesting; /* loops and switches inside this part, REGION or function */
    int parts;                    /* so far in this REGION */
    bool shared, shared_between; /* GLOBAL or LOCAL memory is used in this part, beside the parts of this FIRST_GROUP */
    int index;                   /* > 0: in an index, a bound or the head of a loop */
    const char *pure;            /* where nothing may be written: what this is, or NULL */
    gen_flow flow;
} generator;

/* names.c: zeroed memory, freed with the generator; NULL and a status when there is none.  Notes (error, lost, warn):
 * one line each; after _lost the rest of the item is skipped. */
void *mmm_gen_take(generator *g, size_t bytes);
const char *mmm_gen_format(generator *g, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* names.c */
gen_name *mmm_gen_name(generator *g, const char *text, int length);
bool mmm_gen_is_call(const gen_token *token, gen_call call);
void mmm_gen_check_name(generator *g, const gen_token *token, bool function, bool kernel_parameter);

/* vocabulary.c */
const gen_word *mmm_gen_word(int number);                               /* NULL after the last */
const gen_word *mmm_gen_foreign(bool for_functions, const char **list); /* names between spaces, and what they are */

void mmm_gen_error_at(generator *g, int file, int line, const char *format, ...) __attribute__((format(printf, 4, 5)));
void mmm_gen_error(generator *g, const gen_token *at, const char *format, ...) __attribute__((format(printf, 3, 4)));
void mmm_gen_lost(generator *g, const gen_token *at, const char *format, ...) __attribute__((format(printf, 3, 4)));
void mmm_gen_warn(generator *g, const gen_token *at, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* scan.c, macro.c, read.c: to g->tokens, ended by a TOKEN_END. */
void mmm_gen_scan(generator *g, int file, gen_tokens *out);
void mmm_gen_define(generator *g, const gen_token *name, const gen_token *end);
void mmm_gen_expand(generator *g, const gen_token *in, int64_t count, gen_tokens *out);
void mmm_gen_push(generator *g, gen_tokens *tokens, const gen_token *token);
void mmm_gen_read(generator *g, const char *path, const char *shown);

/* tokens under way: parse.c */
const gen_token *mmm_gen_peek(generator *g, int64_t ahead);
bool mmm_gen_is(generator *g, int op);
bool mmm_gen_is_word(generator *g, gen_keyword word);
bool mmm_gen_accept(generator *g, int op);
void mmm_gen_expect(generator *g, int op, const char *where);
bool mmm_gen_enter(generator *g); /* false: nested too deep */
gen_edit *mmm_gen_edit(generator *g, int64_t token);
void mmm_gen_wrap(generator *g, int64_t first, int64_t last, const char *before); /* before ... ) around tokens */
void mmm_gen_parse(generator *g);

/* declare.c */
bool mmm_gen_is_type(const gen_token *token); /* a type, or a word that stands before one */
gen_type mmm_gen_read_type(generator *g, bool *constant);
gen_symbol *mmm_gen_declare(generator *g, const gen_token *token, gen_symbol symbol);
void mmm_gen_leave(generator *g, int scope);
void mmm_gen_declaration(generator *g);
void mmm_gen_point(generator *g, const gen_token *at, const gen_value *from, gen_type type, gen_place place,
                   bool constant, const char *what);

/* primary.c, expression.c, call.c */
gen_value mmm_gen_expression(generator *g);
gen_value mmm_gen_assignment(generator *g);
gen_value mmm_gen_condition(generator *g);
gen_value mmm_gen_unary(generator *g);
/* Say so where a word would be taken for an operand or the other way round, or what was read must not be written. */
void mmm_gen_check_operand(generator *g, const gen_token *at, gen_type to, gen_type from);
void mmm_gen_check_write(generator *g, const gen_token *at, const gen_value *value);
gen_value mmm_gen_primary(generator *g);
gen_value mmm_gen_index(generator *g);      /* with the ] */
int mmm_gen_number(const gen_token *token); /* 0 none of the dialect, 1 an integer, 2 a fraction */
gen_type mmm_gen_common(gen_type x, gen_type y);
bool mmm_gen_outer(generator *g, const gen_value *value);
void mmm_gen_shared(generator *g, const gen_token *at, const gen_symbol *symbol);
gen_value mmm_gen_call(generator *g);
bool mmm_gen_collective(generator *g);

/* flow.c: variables without a value are not read. */
void mmm_gen_value_given(generator *g, gen_symbol *symbol);
void mmm_gen_value_read(generator *g, gen_symbol *symbol, const gen_token *at);
void mmm_gen_flow_back(generator *g, int64_t mark); /* what was given since is not known to be */
/* The ways of an if: between them, and after both. */
typedef struct gen_ways {
    int64_t mark, count;
    gen_symbol **given; /* on the first way */
    bool dead, first_dead;
} gen_ways;
gen_ways mmm_gen_ways(generator *g);
void mmm_gen_ways_other(generator *g, gen_ways *ways);
void mmm_gen_ways_meet(generator *g, gen_ways *ways);

/* lanes.c */
bool mmm_gen_is_lanes(gen_type type);
bool mmm_gen_in_lanes(const generator *g);                                           /* in a part LANES */
void mmm_gen_check_lanes(generator *g, const gen_token *at, gen_type x, gen_type y); /* of a sum */
/* Lanes and multipliers have no place there. */
void mmm_gen_want_scalar(generator *g, const gen_token *at, gen_type type, const char *where);
gen_value mmm_gen_lanes(generator *g, const gen_token *name);
gen_value mmm_gen_lanes_ahead(generator *g, const gen_token *name);
gen_value mmm_gen_lanes_ring(generator *g, const gen_token *name);

/* statement.c */
void mmm_gen_statement(generator *g);

/* within.c: of a part whose word, closing bracket and end these are. */
void mmm_gen_within(generator *g, int64_t word, int64_t close, int64_t end);

/* emit.c, records.c, launchers.c */
void mmm_gen_item(generator *g, const gen_function *item, mmm_text *out);
void mmm_gen_host(generator *g, const char *unit, mmm_text *out);
void mmm_gen_records(generator *g, const char *unit, mmm_text *out);
void mmm_gen_launchers(generator *g, const char *unit, mmm_text *out);
void mmm_gen_add(generator *g, mmm_text *out, const char *format, ...) __attribute__((format(printf, 3, 4)));
void mmm_gen_add_name(generator *g, mmm_text *out, const char *name);
void mmm_gen_add_quoted(generator *g, mmm_text *out, const char *text);

#endif
