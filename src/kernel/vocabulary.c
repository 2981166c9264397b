/* SPDX-License-Identifier: Apache-2.0 */
/* The words of the dialect, of C, and of the languages that kernels are compiled as. */
#include "kernel/generator.h"

#define NEXT_NAME "choose another name"

const gen_type_facts mmm_gen_types[] = {
    [TYPE_VOID] = {"void", "", "", 0, TYPE_VOID, false, "", "", ""},
    [TYPE_INT] = {"int", "i32", "I32", 4, TYPE_I32, true, "int64_t", "integer", "(int)"},
    [TYPE_UNSIGNED] = {"unsigned", "u32", "U32", 4, TYPE_U32, true, "int64_t", "integer", "(unsigned)"},
    [TYPE_FLOAT] = {"float", "f32", "F32", 4, TYPE_FLOAT, true, "float", "single", ""},
    [TYPE_DOUBLE] = {"double", "f64", "F64", 8, TYPE_DOUBLE, true, "double", "real", ""},
    [TYPE_WORD] = {"word", "word", "WORD", 8, TYPE_WORD, true, "uint64_t", "word", "(word)"},
    [TYPE_PRODUCTS] = {"products", "", "", 8, TYPE_PRODUCTS, false, "", "", ""},
    [TYPE_DOTS] = {"dots", "", "", 32, TYPE_DOTS, false, "", "", ""},
    [TYPE_OPERAND] = {"operand", "", "", 8, TYPE_OPERAND, false, "", "", ""},
    [TYPE_MULTIPLIER] = {"multiplier", "", "", 16, TYPE_MULTIPLIER, false, "", "", ""},
    [TYPE_WORD_LANES] = {"word_lanes", "", "", 64, TYPE_WORD_LANES, false, "", "", ""},
    [TYPE_U32_LANES] = {"u32_lanes", "", "", 64, TYPE_U32_LANES, false, "", "", ""},
    [TYPE_I8] = {"i8", "i8", "I8", 1, TYPE_I8, true, "int64_t", "integer", "(i8)"},
    [TYPE_U8] = {"u8", "u8", "U8", 1, TYPE_U8, true, "int64_t", "integer", "(u8)"},
    [TYPE_I16] = {"i16", "i16", "I16", 2, TYPE_I16, true, "int64_t", "integer", "(i16)"},
    [TYPE_U16] = {"u16", "u16", "U16", 2, TYPE_U16, true, "int64_t", "integer", "(u16)"},
    [TYPE_I32] = {"i32", "i32", "I32", 4, TYPE_I32, true, "int64_t", "integer", "(i32)"},
    [TYPE_U32] = {"u32", "u32", "U32", 4, TYPE_U32, true, "int64_t", "integer", "(u32)"},
    [TYPE_I64] = {"i64", "i64", "I64", 8, TYPE_I64, true, "int64_t", "integer", "(i64)"},
    [TYPE_U64] = {"u64", "u64", "U64", 8, TYPE_U64, true, "uint64_t", "word", "(u64)"},
};

static const gen_word words[] = {
    {"KERNEL", CLASS_KEYWORD, WORD_KERNEL, 0, 0},
    {"GLOBAL", CLASS_KEYWORD, WORD_GLOBAL, 0, 0},
    {"LOCAL", CLASS_KEYWORD, WORD_LOCAL, 0, 0},
    {"PRIVATE", CLASS_KEYWORD, WORD_PRIVATE, 0, 0},
    {"CONSTANT", CLASS_KEYWORD, WORD_CONSTANT, 0, 0},
    {"THREADS", CLASS_KEYWORD, WORD_THREADS, 0, 0},
    {"ITEMS", CLASS_KEYWORD, WORD_ITEMS, 0, 0},
    {"REGION", CLASS_KEYWORD, WORD_REGION, 0, 0},
    {"GROUPS", CLASS_KEYWORD, WORD_GROUPS, 0, 0},
    {"FIRST_GROUP", CLASS_KEYWORD, WORD_FIRST_GROUP, 0, 0},
    {"LANES", CLASS_KEYWORD, WORD_LANES, 0, 0},
    {"ITEM_LANES", CLASS_KEYWORD, WORD_ITEM_LANES, 0, 0},
    {"THREADS_2D", CLASS_KEYWORD, WORD_THREADS_2D, 0, 0},
    {"EACH", CLASS_KEYWORD, WORD_EACH, 0, 0},
    {"ONE", CLASS_KEYWORD, WORD_ONE, 0, 0},
    {"const", CLASS_KEYWORD, WORD_CONST, 0, 0},
    {"static", CLASS_KEYWORD, WORD_STATIC, 0, 0},
    {"inline", CLASS_KEYWORD, WORD_INLINE, 0, 0},
    {"enum", CLASS_KEYWORD, WORD_ENUM, 0, 0},
    {"if", CLASS_KEYWORD, WORD_IF, 0, 0},
    {"else", CLASS_KEYWORD, WORD_ELSE, 0, 0},
    {"for", CLASS_KEYWORD, WORD_FOR, 0, 0},
    {"while", CLASS_KEYWORD, WORD_WHILE, 0, 0},
    {"do", CLASS_KEYWORD, WORD_DO, 0, 0},
    {"switch", CLASS_KEYWORD, WORD_SWITCH, 0, 0},
    {"case", CLASS_KEYWORD, WORD_CASE, 0, 0},
    {"default", CLASS_KEYWORD, WORD_DEFAULT, 0, 0},
    {"break", CLASS_KEYWORD, WORD_BREAK, 0, 0},
    {"continue", CLASS_KEYWORD, WORD_CONTINUE, 0, 0},
    {"return", CLASS_KEYWORD, WORD_RETURN, 0, 0},
    {"goto", CLASS_KEYWORD, WORD_GOTO, 0, 0},
    {"sizeof", CLASS_KEYWORD, WORD_SIZEOF, 0, 0},

    {"void", CLASS_TYPE, TYPE_VOID, 0, 0},
    {"int", CLASS_TYPE, TYPE_INT, 0, 0},
    {"unsigned", CLASS_TYPE, TYPE_UNSIGNED, 0, 0},
    {"float", CLASS_TYPE, TYPE_FLOAT, 0, 0},
    {"double", CLASS_TYPE, TYPE_DOUBLE, 0, 0},
    {"word", CLASS_TYPE, TYPE_WORD, 0, 0},
    {"products", CLASS_TYPE, TYPE_PRODUCTS, 0, 0},
    {"dots", CLASS_TYPE, TYPE_DOTS, 0, 0},
    {"operand", CLASS_TYPE, TYPE_OPERAND, 0, 0},
    {"multiplier", CLASS_TYPE, TYPE_MULTIPLIER, 0, 0},
    {"word_lanes", CLASS_TYPE, TYPE_WORD_LANES, 0, 0},
    {"u32_lanes", CLASS_TYPE, TYPE_U32_LANES, 0, 0},
    {"i8", CLASS_TYPE, TYPE_I8, 0, 0},
    {"u8", CLASS_TYPE, TYPE_U8, 0, 0},
    {"i16", CLASS_TYPE, TYPE_I16, 0, 0},
    {"u16", CLASS_TYPE, TYPE_U16, 0, 0},
    {"i32", CLASS_TYPE, TYPE_I32, 0, 0},
    {"u32", CLASS_TYPE, TYPE_U32, 0, 0},
    {"i64", CLASS_TYPE, TYPE_I64, 0, 0},
    {"u64", CLASS_TYPE, TYPE_U64, 0, 0},

    {"long", CLASS_BAD_TYPE, TYPE_I64, 0, "its size is not the same everywhere; write i64 or u64"},
    {"short", CLASS_BAD_TYPE, TYPE_I16, 0, "write i16 or u16"},
    {"char", CLASS_BAD_TYPE, TYPE_I8, 0, "its sign is not the same everywhere; write i8 or u8"},
    {"signed", CLASS_BAD_TYPE, TYPE_INT, 0, "write int, or i8, i16, i64"},
    {"size_t", CLASS_BAD_TYPE, TYPE_U64, 0, "its size is not the same everywhere; write i64 or u64"},
    {"ssize_t", CLASS_BAD_TYPE, TYPE_I64, 0, "its size is not the same everywhere; write i64"},
    {"ptrdiff_t", CLASS_BAD_TYPE, TYPE_I64, 0, "its size is not the same everywhere; write i64"},
    {"intptr_t", CLASS_BAD_TYPE, TYPE_I64, 0, "its size is not the same everywhere; write i64"},
    {"uintptr_t", CLASS_BAD_TYPE, TYPE_U64, 0, "its size is not the same everywhere; write u64"},
    {"bool", CLASS_BAD_TYPE, TYPE_INT, 0, "its size is not the same everywhere; write int"},
    {"_Bool", CLASS_BAD_TYPE, TYPE_INT, 0, "its size is not the same everywhere; write int"},
    {"int8_t", CLASS_BAD_TYPE, TYPE_I8, 0, "OpenCL C does not know it; write i8"},
    {"uint8_t", CLASS_BAD_TYPE, TYPE_U8, 0, "OpenCL C does not know it; write u8"},
    {"int16_t", CLASS_BAD_TYPE, TYPE_I16, 0, "OpenCL C does not know it; write i16"},
    {"uint16_t", CLASS_BAD_TYPE, TYPE_U16, 0, "OpenCL C does not know it; write u16"},
    {"int32_t", CLASS_BAD_TYPE, TYPE_I32, 0, "OpenCL C does not know it; write i32 or int"},
    {"uint32_t", CLASS_BAD_TYPE, TYPE_U32, 0, "OpenCL C does not know it; write u32 or unsigned"},
    {"int64_t", CLASS_BAD_TYPE, TYPE_I64, 0, "OpenCL C does not know it; write i64"},
    {"uint64_t", CLASS_BAD_TYPE, TYPE_U64, 0, "OpenCL C does not know it; write u64"},
    {"intmax_t", CLASS_BAD_TYPE, TYPE_I64, 0, "OpenCL C does not know it; write i64"},
    {"uintmax_t", CLASS_BAD_TYPE, TYPE_U64, 0, "OpenCL C does not know it; write u64"},
    {"uchar", CLASS_BAD_TYPE, TYPE_U8, 0, "write u8"},
    {"ushort", CLASS_BAD_TYPE, TYPE_U16, 0, "write u16"},
    {"uint", CLASS_BAD_TYPE, TYPE_U32, 0, "write unsigned"},
    {"ulong", CLASS_BAD_TYPE, TYPE_U64, 0, "write u64"},
    {"half", CLASS_BAD_TYPE, TYPE_FLOAT, 0, "it is a word of OpenCL C; write float"},
    {"wchar_t", CLASS_BAD_TYPE, TYPE_I32, 0, "write i32"},
    {"__int128", CLASS_BAD_TYPE, TYPE_I64, 0, "not every machine has it; write i64, or use two words"},
    {"__int128_t", CLASS_BAD_TYPE, TYPE_I64, 0, "not every machine has it; write i64, or use two words"},
    {"__uint128_t", CLASS_BAD_TYPE, TYPE_U64, 0, "not every machine has it; write u64, or use two words"},
    {"struct", CLASS_BAD_TYPE, TYPE_VOID, 0, "its layout is not the same everywhere; write an array for each member"},
    {"union", CLASS_BAD_TYPE, TYPE_VOID, 0, "its layout is not the same everywhere; write separate variables"},
    {"typedef", CLASS_BAD_TYPE, TYPE_VOID, 0, "the dialect has its types; write one of them, or a #define"},
    {"_Complex", CLASS_BAD_TYPE, TYPE_FLOAT, 0, "write two variables"},

    {"block", CLASS_PLACE, 0, 0, 0},
    {"blocks", CLASS_PLACE, 0, 0, 0},
    {"block_size", CLASS_PLACE, 0, 0, 0},
    {"block_x", CLASS_PLACE, 2, 0, 0},
    {"block_y", CLASS_PLACE, 2, 0, 0},
    {"blocks_x", CLASS_PLACE, 2, 0, 0},
    {"blocks_y", CLASS_PLACE, 2, 0, 0},
    {"block_width", CLASS_PLACE, 2, 0, 0},
    {"block_height", CLASS_PLACE, 2, 0, 0},

    {"add", CLASS_CALL, CALL_MODP, 2, 0},
    {"sub", CLASS_CALL, CALL_MODP, 2, 0},
    {"mul", CLASS_CALL, CALL_MODP, 2, 0},
    {"inv", CLASS_CALL, CALL_MODP, 1, 0},
    {"quo", CLASS_CALL, CALL_MODP, 2, 0},
    {"cross", CLASS_CALL, CALL_MODP, 4, 0},
    {"cross_late", CLASS_CALL, CALL_MODP, 4, 0},
    {"multiplier_of", CLASS_CALL, CALL_MULTIPLIER, 1, 0},
    {"mul_by", CLASS_CALL, CALL_BY, 2, 0},
    {"cross_by", CLASS_CALL, CALL_BY, 4, 0},
    {"products_first", CLASS_CALL, CALL_MODP, 2, 0},
    {"products_add", CLASS_CALL, CALL_MODP, 3, 0},
    {"products_two", CLASS_CALL, CALL_MODP, 5, 0},
    {"products_dots", CLASS_CALL, CALL_MODP, 2, 0},
    {"products_value", CLASS_CALL, CALL_MODP_FREE, 1, 0},
    {"operand_of", CLASS_CALL, CALL_OPERAND, 1, 0},
    {"dots_clear", CLASS_CALL, CALL_DOTS_FREE, 1, 0},
    {"dots_more", CLASS_CALL, CALL_DOTS, 3, 0},
    {"dots_carry", CLASS_CALL, CALL_DOTS_FREE, 1, 0},
    {"dots_value", CLASS_CALL, CALL_MODP_FREE, 1, 0},
    {"dots_few", CLASS_CALL, CALL_MODP_FREE, 1, 0},
    {"times", CLASS_CALL, CALL_LOOSE, 4, 0},
    {"times_52", CLASS_CALL, CALL_LOOSE, 4, 0},
    {"times_short", CLASS_CALL, CALL_LOOSE, 4, 0},
    {"times_both", CLASS_CALL, CALL_LOOSE, 6, 0},
    {"times_both_52", CLASS_CALL, CALL_LOOSE, 6, 0},
    {"fold", CLASS_CALL, CALL_LOOSE, 2, 0},
    {"centre", CLASS_CALL, CALL_LOOSE, 2, 0},
    {"lanes_load", CLASS_CALL, CALL_LANES, 1, 0},
    {"lanes_store", CLASS_CALL, CALL_LANES, 2, 0},
    {"lanes_load_rows", CLASS_CALL, CALL_LANES_ROWS, 2, 0},
    {"lanes_store_rows", CLASS_CALL, CALL_LANES_ROWS, 2, 0},
    {"lanes_ahead", CLASS_CALL, CALL_LANES_AHEAD, 1, 0},
    {"lanes_ahead_rows", CLASS_CALL, CALL_LANES_AHEAD, 1, 0},
    {"lanes_ring", CLASS_CALL, CALL_LANES_RING, 6, 0},
    {"lanes_ring_52", CLASS_CALL, CALL_LANES_RING, 6, 0},
    {"spread", CLASS_CALL, CALL_REPEATS, 1, 0},
    {"OPS", CLASS_CALL, CALL_OPS, 1, 0},
    {"popcount", CLASS_CALL, CALL_BITS, 1, "MMM_POPCOUNT"},
    {"min", CLASS_CALL, CALL_REPEATS, 2, 0},
    {"max", CLASS_CALL, CALL_REPEATS, 2, 0},
    {"abs", CLASS_CALL, CALL_REPEATS, 1, 0},
    {"sqrt", CLASS_CALL, CALL_MATH, 1, 0},
    {"fabs", CLASS_CALL, CALL_MATH, 1, 0},
    {"exp", CLASS_CALL, CALL_MATH, 1, 0},
    {"log", CLASS_CALL, CALL_MATH, 1, 0},
    {"sin", CLASS_CALL, CALL_MATH, 1, 0},
    {"cos", CLASS_CALL, CALL_MATH, 1, 0},
    {"pow", CLASS_CALL, CALL_MATH, 2, 0},
    {"fma", CLASS_CALL, CALL_MATH, 3, 0},
    {"floor", CLASS_CALL, CALL_MATH, 1, 0},
    {"ceil", CLASS_CALL, CALL_MATH, 1, 0},
    {"atomic_add", CLASS_CALL, CALL_ATOMIC, 2, "MMM_ATOMIC_ADD"},
    {"atomic_min", CLASS_CALL, CALL_ATOMIC, 2, "MMM_ATOMIC_MIN"},
    {"atomic_max", CLASS_CALL, CALL_ATOMIC, 2, "MMM_ATOMIC_MAX"},
    {"atomic_and", CLASS_CALL, CALL_ATOMIC, 2, "MMM_ATOMIC_AND"},
    {"atomic_or", CLASS_CALL, CALL_ATOMIC, 2, "MMM_ATOMIC_OR"},
    {"atomic_xor", CLASS_CALL, CALL_ATOMIC, 2, "MMM_ATOMIC_XOR"},
    {"atomic_exchange", CLASS_CALL, CALL_ATOMIC, 2, "MMM_ATOMIC_EXCHANGE"},
    {"atomic_cas", CLASS_CALL, CALL_ATOMIC, 3, "MMM_ATOMIC_CAS"},
    {"ballot", CLASS_CALL, CALL_COLLECTIVE, 1, "MMM_BALLOT"},
    {"shuffle", CLASS_CALL, CALL_COLLECTIVE, 2, "MMM_SHUFFLE"},
    {"scan_add", CLASS_CALL, CALL_COLLECTIVE, 1, "MMM_SCAN_ADD"},
    {"match", CLASS_CALL, CALL_COLLECTIVE, 3, "MMM_MATCH"},

    {"asm", CLASS_REFUSED, 0, 0, "machine code is that of one machine"},
    {"_Generic", CLASS_REFUSED, 0, 0, "write a function for each type"},
    {"_Alignas", CLASS_REFUSED, 0, 0, "leave it out"},
    {"_Alignof", CLASS_REFUSED, 0, 0, "write sizeof(type)"},
    {"_Atomic", CLASS_REFUSED, 0, 0, "write atomic_add and its kind"},
    {"_Noreturn", CLASS_REFUSED, 0, 0, "leave it out"},
    {"_Static_assert", CLASS_REFUSED, 0, 0, "leave it out"},
    {"_Thread_local", CLASS_REFUSED, 0, 0, "write PRIVATE"},
    {"_Imaginary", CLASS_REFUSED, 0, 0, "write two variables"},
    {"auto", CLASS_REFUSED, 0, 0, "leave it out"},
    {"extern", CLASS_REFUSED, 0, 0, "a kernel knows its parameters only"},
    {"register", CLASS_REFUSED, 0, 0, "leave it out"},
    {"restrict", CLASS_REFUSED, 0, 0, "leave it out"},
    {"volatile", CLASS_REFUSED, 0, 0, "leave it out: what threads share they see after a region"},
    {"typeof", CLASS_REFUSED, 0, 0, "write the type"},
    {"__attribute__", CLASS_REFUSED, 0, 0, "leave it out"},
    {"__asm__", CLASS_REFUSED, 0, 0, "machine code is that of one machine"},
    {"__syncthreads", CLASS_FOREIGN, 0, 0, "every region ends with a barrier: end the region here and begin another"},
    {"__syncwarp", CLASS_FOREIGN, 0, 0, "a GROUPS region ends with a barrier of 32 threads"},
    {"barrier", CLASS_FOREIGN, 0, 0, "every region ends with a barrier: end the region here and begin another"},
    {"mem_fence", CLASS_FOREIGN, 0, 0, "every region ends with a barrier"},
    {"threadIdx", CLASS_FOREIGN, 0, 0, "the thread is t in THREADS (t)"},
    {"blockIdx", CLASS_FOREIGN, 0, 0, "write block, or block_x and block_y"},
    {"blockDim", CLASS_FOREIGN, 0, 0, "write block_size, or block_width and block_height"},
    {"gridDim", CLASS_FOREIGN, 0, 0, "write blocks, or blocks_x and blocks_y"},
    {"warpSize", CLASS_FOREIGN, 0, 0, "groups have 32 threads"},
    {"get_global_id", CLASS_FOREIGN, 0, 0, "write block * block_size + t"},
    {"get_local_id", CLASS_FOREIGN, 0, 0, "the thread is t in THREADS (t)"},
    {"get_group_id", CLASS_FOREIGN, 0, 0, "write block, or block_x and block_y"},
    {"get_local_size", CLASS_FOREIGN, 0, 0, "write block_size"},
    {"get_num_groups", CLASS_FOREIGN, 0, 0, "write blocks"},
    {"get_global_size", CLASS_FOREIGN, 0, 0, "write blocks * block_size"},
    {"get_global_offset", CLASS_FOREIGN, 0, 0, NEXT_NAME},
    {"get_work_dim", CLASS_FOREIGN, 0, 0, NEXT_NAME},
    {"printf", CLASS_FUNCTION, 0, 0, "a kernel writes to its GLOBAL arrays only"},
    {"malloc", CLASS_FUNCTION, 0, 0, "declare a LOCAL or PRIVATE array"},
    {"memcpy", CLASS_FUNCTION, 0, 0, "write ITEMS (i, count) to[i] = from[i];"},
    {"memset", CLASS_FUNCTION, 0, 0, "write ITEMS (i, count) to[i] = 0;"},
    {"fabsf", CLASS_FUNCTION, 0, 0, "write fabs, for float and double"},
    {"sqrtf", CLASS_FUNCTION, 0, 0, "write sqrt, for float and double"},
    {"expf", CLASS_FUNCTION, 0, 0, "write exp, for float and double"},
    {"fmin", CLASS_FUNCTION, 0, 0, "write min"},
    {"fmax", CLASS_FUNCTION, 0, 0, "write max"},
    {"atomicAdd", CLASS_FUNCTION, 0, 0, "write atomic_add"},
    {"__shfl_sync", CLASS_FUNCTION, 0, 0, "write shuffle"},
    {"__ballot_sync", CLASS_FUNCTION, 0, 0, "write ballot"},
    {"__match_any_sync", CLASS_FUNCTION, 0, 0, "write match"},
    {"__popc", CLASS_FUNCTION, 0, 0, "write popcount"},
    {"program", CLASS_LAUNCHER, 0, 0, NEXT_NAME},
    {"threads", CLASS_LAUNCHER, 0, 0, NEXT_NAME},
    {"threads_x", CLASS_LAUNCHER, 0, 0, NEXT_NAME},
    {"threads_y", CLASS_LAUNCHER, 0, 0, NEXT_NAME},
    {"arguments", CLASS_LAUNCHER, 0, 0, NEXT_NAME},
};

/* Separated by spaces: no names for anything, and none for functions and kernels. */
static const char foreign[] =
    "alignas alignof and and_eq bitand bitor catch class compl concept consteval constexpr constinit const_cast "
    "co_await co_return co_yield decltype delete dynamic_cast explicit export false friend mutable namespace new "
    "noexcept not not_eq nullptr operator or or_eq private protected public reinterpret_cast requires static_assert "
    "static_cast template this thread_local throw true try typeid typename using virtual xor xor_eq char8_t char16_t "
    "char32_t final override import module "
    "global local kernel constant generic pipe read_only write_only read_write uniform event_t sampler_t queue_t "
    "reserve_id_t clk_event_t ndrange_t image1d_t image2d_t image3d_t image1d_array_t image2d_array_t "
    "image1d_buffer_t image2d_depth_t image2d_msaa_t complex imaginary quad vec_step as_int as_uint as_float as_long "
    "dim3 cudaError_t cudaStream_t "
    "NULL EOF errno stdin stdout stderr assert INFINITY NAN MAXFLOAT MAX_WORK_DIM math_errhandling IMG_RO_AQ IMG_RW_AQ "
    "IMG_WO_AQ I linux unix i386";
static const char functions[] =
    "main atomic_sub atomic_inc atomic_dec atomic_cmpxchg atomic_xchg atomic_init atomic_exchange_explicit "
    "atomic_work_item_fence "
    "acos acosh asin asinh atan atan2 atanh atan2pi acospi asinpi atanpi cbrt copysign cosh cospi erf erfc exp2 "
    "exp10 expm1 fdim fmod fract frexp hypot ilogb ldexp lgamma lgamma_r log2 log10 log1p logb mad maxmag minmag "
    "modf nan nextafter pown powr remainder remquo rint root rootn round rsqrt sincos sinh sinpi tan tanh tanpi "
    "tgamma trunc clamp degrees mix radians smoothstep step sign dot distance length normalize fast_distance "
    "fast_length isequal isnotequal isgreater isless isfinite isinf isnan isnormal isordered isunordered signbit any "
    "all bitselect select abs_diff add_sat hadd rhadd clz ctz mad_hi mad_sat mul_hi rotate sub_sat upsample "
    "mad24 mul24 prefetch async_work_group_copy wait_group_events read_mem_fence write_mem_fence shuffle2 labs llabs "
    "div ldiv exit abort free calloc realloc memmove memcmp strlen strcpy strcmp puts putchar fprintf sprintf "
    "snprintf scanf rand srand time clock qsort bsearch index y0 y1 yn j0 j1 jn gamma signal raise read write open "
    "close lround llround lrint llrint nearbyint scalbn scalbln atomicSub atomicExch atomicMin atomicMax atomicCAS "
    "saturate rcp "
    "async_work_group_strided_copy bit_reverse bitfield_extract_signed bitfield_extract_unsigned bitfield_insert "
    "capture_event_profiling_info create_user_event dot_4x8packed_ss_int dot_4x8packed_su_int dot_4x8packed_us_int "
    "dot_4x8packed_uu_uint dot_acc_sat dot_acc_sat_4x8packed_ss_int dot_acc_sat_4x8packed_su_int "
    "dot_acc_sat_4x8packed_us_int dot_acc_sat_4x8packed_uu_uint enqueue_marker fast_normalize get_default_queue "
    "get_enqueued_local_size get_enqueued_num_sub_groups get_fence get_global_linear_id get_local_linear_id "
    "get_max_sub_group_size get_num_sub_groups half_cos half_divide half_exp half_exp10 half_exp2 half_log "
    "half_log10 half_log2 half_powr half_recip half_rsqrt half_sin half_sqrt half_tan is_valid_reserve_id "
    "isgreaterequal islessequal islessgreater ndrange_1D ndrange_2D ndrange_3D read_imagef read_imageh read_imagei "
    "read_imageui release_event retain_event set_user_event_status write_imagef write_imageh write_imagei "
    "write_imageui "
    "acosf acoshf asinf asinhf atan2f atanf atanhf atomicAnd atomicDec atomicInc atomicOr atomicXor cbrtf ceilf "
    "copysignf cosf coshf cospif cyl_bessel_i0 cyl_bessel_i0f cyl_bessel_i1 cyl_bessel_i1f erfcf erfcinv erfcinvf "
    "erfcx erfcxf erff erfinv erfinvf exp10f exp2f expm1f fdimf fdivide fdividef floorf fmaf fmaxf fminf fmodf "
    "frexpf hypotf ilogbf j0f j1f jnf ldexpf lgammaf llmax llmin llrintf llroundf log10f log1pf log2f logbf logf "
    "lrintf lroundf modff nanf nearbyintf nextafterf norm norm3d norm3df norm4d norm4df normcdf normcdff normcdfinv "
    "normcdfinvf normf powf rcbrt rcbrtf remainderf remquof rhypot rhypotf rintf rnorm rnorm3d rnorm3df rnorm4d "
    "rnorm4df rnormf roundf rsqrtf scalblnf scalbnf sincosf sincospi sincospif sinf sinhf sinpif tanf tanhf tgammaf "
    "truncf ullmax ullmin umax umin y0f y1f ynf";

const gen_word *mmm_gen_word(int number)
{
    return number < (int)(sizeof words / sizeof *words) ? &words[number] : NULL;
}

const gen_word *mmm_gen_foreign(bool for_functions, const char **list)
{
    static const gen_word any = {"", CLASS_FOREIGN, 0, 0, NEXT_NAME}, function = {"", CLASS_FUNCTION, 0, 0, NULL};
    *list = for_functions ? functions : foreign;
    return for_functions ? &function : &any;
}
