#pragma once
// The only header with macros. Every name starts with RIFFLE_. The translation units of a program may have different
// flags for the processor and the optimiser. RIFFLE_DEBUG (1 by default where NDEBUG is missing) only adds a check;
// where units of one program differ in it, the linker picks whether that is made.

#if __cplusplus < 202002L && !(defined(_MSVC_LANG) && _MSVC_LANG >= 202002L)
#error "riffle: C++20 is needed: compile with -std=c++20 or newer"
#include <riffle needs C++20>  // there is no such file, which ends the compilation here, not 600 errors later
#endif

// The version. CMake reads it here. Versions that differ in the third number only can be mixed in one program.
#define RIFFLE_VERSION_MAJOR 0
#define RIFFLE_VERSION_MINOR 2
#define RIFFLE_VERSION_PATCH 0

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__) || \
    defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__)
// clang-format off
#error "riffle: -ffast-math and -ffinite-math-only are refused, because -inf marks an illegal token; drop the flag for files that include riffle"
// clang-format on
#endif

#if defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ != 0 && __FLT_EVAL_METHOD__ != 16  // 16 is about half floats
// clang-format off
#error "riffle: floats are computed with more digits than they have here, so tokens would differ; on 32-bit x86 compile with -msse2 -mfpmath=sse"
// clang-format on
#endif

// Vector extensions of g++ and clang carry the lane type. RIFFLE_NO_VECTORS turns them off: every lane type is then a
// plain array, which is also what other compilers get.
#if (defined(__GNUC__) || defined(__clang__)) && !defined(RIFFLE_NO_VECTORS)
#define RIFFLE_VECTORS 1
#else
#define RIFFLE_VECTORS 0
#endif

// Everything lies in an inline namespace that has the version in its name, so that two versions of riffle can be in one
// program. Lane types without vectors are other types, and so have a namespace of their own.
#if RIFFLE_VECTORS
#define RIFFLE_ABI v0_2
#else
#define RIFFLE_ABI v0_2_no_vectors
#endif

// Data that every shared object of a program has for itself: inline variables and static members that may be asked for
// their address, and, on a function, its static variables. Otherwise g++ makes symbols of them of which a process has
// one (STB_GNU_UNIQUE), and a plugin with such a symbol stays in memory, and its data with it, when it is closed.
#if defined(__ELF__) && (defined(__GNUC__) || defined(__clang__))
#define RIFFLE_LOCAL __attribute__((visibility("hidden")))
#else
#define RIFFLE_LOCAL
#endif

#if RIFFLE_VECTORS && (defined(__x86_64__) || defined(__i386__))
#define RIFFLE_X86 1
#else
#define RIFFLE_X86 0
#endif

#if defined(__GNUC__) || defined(__clang__)
#define RIFFLE_INLINE inline __attribute__((always_inline))
#define RIFFLE_NOINLINE __attribute__((noinline))
#define RIFFLE_MAY_ALIAS __attribute__((may_alias))
#define RIFFLE_PREFETCH(address) __builtin_prefetch(address)
#else
#define RIFFLE_INLINE inline
#define RIFFLE_NOINLINE
#define RIFFLE_MAY_ALIAS
#define RIFFLE_PREFETCH(address) ((void)(address))
#endif

// Pins a vector in a register, so that g++ cannot merge it with the expressions around it. Only where functions are
// inlined: otherwise the lane operators end up in functions that have no registers of that width. (Nor on 32-bit x86,
// which has none for two floats.)
#if defined(__GNUC__) && !defined(__clang__) && RIFFLE_VECTORS && !defined(__NO_INLINE__) && defined(__x86_64__)
#define RIFFLE_SETTLE(vector) __asm__("" : "+v"(vector));
#elif defined(__GNUC__) && !defined(__clang__) && RIFFLE_VECTORS && !defined(__NO_INLINE__) && defined(__aarch64__)
#define RIFFLE_SETTLE(vector) __asm__("" : "+w"(vector));
#else
#define RIFFLE_SETTLE(vector)
#endif

// Ahead of a loop over the vectors of a block: so many of them to a round. Compilers unroll a loop whose count they
// know altogether and then have not the registers for it.
#define RIFFLE_DO_PRAGMA(text) _Pragma(#text)
#if defined(__clang__)
#define RIFFLE_UNROLL(count) RIFFLE_DO_PRAGMA(clang loop unroll_count(count))
#elif defined(__GNUC__)
#define RIFFLE_UNROLL(count) RIFFLE_DO_PRAGMA(GCC unroll count)
#else
#define RIFFLE_UNROLL(count)
#endif

// Keeping a product and a sum apart, where a fused multiply-add would round once instead of twice: clang obeys a pragma
// inside each operator. g++ knows no such thing; there a product is pinned in a register, as a vector (RIFFLE_SETTLE)
// or as a scalar (RIFFLE_PIN_SCALAR). Where neither is possible, a vector product is put behind a barrier, which is
// slow and enough. (The attribute optimize("fp-contract=off") on a pass would do too, but then g++ inlines no function
// of a user into it; and g++ 16 forgets barriers when it vectorises a loop of scalars.)
#if defined(__clang__)
#define RIFFLE_NO_CONTRACTION _Pragma("clang fp contract(off)")
#define RIFFLE_CONTRACTION _Pragma("clang fp contract(fast)")
#else
#define RIFFLE_NO_CONTRACTION
#define RIFFLE_CONTRACTION
#endif
#if defined(__GNUC__) && !defined(__clang__)
#if defined(__SSE2__)
#define RIFFLE_PIN_SCALAR(scalar) __asm__("" : "+x"(scalar));
#elif defined(__aarch64__)
#define RIFFLE_PIN_SCALAR(scalar) __asm__("" : "+w"(scalar));
#else
#define RIFFLE_PIN_SCALAR(scalar) __asm__("" : "+m"(scalar));
#endif
#else
#define RIFFLE_PIN_SCALAR(scalar)
#endif
// Keeps a scalar as it is rounded, whatever the flags. (clang's pragma is not enough for that: under -ffp-contract=fast
// its code generator fuses all the same.)
#if defined(__clang__) && defined(__SSE2__)
#define RIFFLE_KEEP_ROUNDED(scalar) __asm__("" : "+x"(scalar));
#elif defined(__clang__) && defined(__aarch64__)
#define RIFFLE_KEEP_ROUNDED(scalar) __asm__("" : "+w"(scalar));
#else
#define RIFFLE_KEEP_ROUNDED(scalar) RIFFLE_PIN_SCALAR(scalar)
#endif
#if defined(__GNUC__) && !defined(__clang__) && \
    (defined(__NO_INLINE__) || !(defined(__x86_64__) || defined(__aarch64__)))
#define RIFFLE_ROUNDED_LANES(product) __builtin_assoc_barrier(product)
#else
#define RIFFLE_ROUNDED_LANES(product) (product)
#endif

// Everything that a pass calls is inlined into it, a user's map too, and so runs at the width and for the target of the
// pass. (g++ forgets about the attribute in clones that it makes of a function.)
#if defined(__clang__)
#define RIFFLE_PASS __attribute__((flatten))
#elif defined(__GNUC__)
#define RIFFLE_PASS __attribute__((flatten, noclone))
#else
#define RIFFLE_PASS
#endif

// avx512f implies none of popcnt, bmi, bmi2 and lzcnt, so each is named.
#if RIFFLE_X86
#define RIFFLE_TARGET_AVX2 __attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt,fma,f16c")))
#define RIFFLE_TARGET_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,bmi,bmi2,lzcnt,popcnt,fma")))
#endif

// What g++ needs said by builtins (math/lanes_512.hpp).
#if RIFFLE_X86 && defined(__SSE2__) && !defined(__clang__)
#define RIFFLE_512_BY_BUILTINS 1
#else
#define RIFFLE_512_BY_BUILTINS 0
#endif

// A function of the C library by its name there, as in RIFFLE_C_MATH(expf)(x), without the header <cmath>.
#if defined(__GNUC__) || defined(__clang__)
#define RIFFLE_C_MATH(name) __builtin_##name
#else
#include <cmath>
#define RIFFLE_C_MATH(name) ::name
#endif

// Between a name and its parenthesis, so that somebody's macro of that name is not called.
#define RIFFLE_NOTHING

// Where somebody else's code may throw into a function that may not: RIFFLE_TRY { ... } RIFFLE_CATCH { ... }. Without
// exceptions nothing is caught, and nothing is thrown by code that was compiled so.
#if defined(__cpp_exceptions)
#define RIFFLE_TRY try
#define RIFFLE_CATCH catch (...)
#else
#define RIFFLE_TRY if (true)
#define RIFFLE_CATCH else
#endif

// Debug builds try a user's claim that a map is monotone.
#if !defined(RIFFLE_DEBUG)
#if defined(NDEBUG)
#define RIFFLE_DEBUG 0
#else
#define RIFFLE_DEBUG 1
#endif
#endif
