#pragma once
#include <riffle/core/float16.hpp>
#include <riffle/math/config.hpp>
#include <riffle/math/lanes.hpp>
#include <riffle/wide/half_widening.hpp>
#include <riffle/wide/x86/lane_operations.hpp>

// What wide/half_widening.hpp does in steps, by instructions. (That of float16 heeds no mode that makes denormals 0.)

#if RIFFLE_X86 && defined(__SSE2__)
namespace riffle::inline RIFFLE_ABI::wide {

/// A vector of the compiler from the place in memory that so many of them lie ahead of.
template <class Vector>
RIFFLE_INLINE void load_halves(Vector& to, const void* from, int place) noexcept {
    __builtin_memcpy(&to, static_cast<const char*>(from) + place * int(sizeof to), sizeof to);
}

RIFFLE_TARGET_AVX2 inline void widen(float16, const void* from, lanes<8>& first, lanes<8>& second) noexcept {
    typedef short halves __attribute__((vector_size(16)));
    halves low, high;
    load_halves(low, from, 0);
    load_halves(high, from, 1);
    first.v = __builtin_ia32_vcvtph2ps256(low);
    second.v = __builtin_ia32_vcvtph2ps256(high);
}
RIFFLE_TARGET_AVX512 inline void widen(float16, const void* from, lanes<16>& first, lanes<16>& second) noexcept {
    typedef short halves __attribute__((vector_size(32)));
    halves low, high;
    load_halves(low, from, 0);
    load_halves(high, from, 1);
    first.v = __builtin_ia32_vcvtph2ps512_mask(low, first.v, every_lane_of_arithmetic, current_rounding);
    second.v = __builtin_ia32_vcvtph2ps512_mask(high, second.v, every_lane_of_arithmetic, current_rounding);
}

/// 16-bit words in lanes of 32 bits. (g++ 12 makes four instructions of the conversion, and clang has no builtin.)
RIFFLE_TARGET_AVX2 inline void words_from(const void* from, int place, int_lanes<8>& to) noexcept {
    typedef short halves __attribute__((vector_size(16)));
    halves words;
    load_halves(words, from, place);
#if defined(__clang__)
    typedef unsigned short numbers __attribute__((vector_size(16)));
    to.v = __builtin_convertvector(numbers(words), int_lanes<8>::vector);
#else
    to.v = __builtin_ia32_pmovzxwd256(words);
#endif
}
RIFFLE_TARGET_AVX512 inline void words_from(const void* from, int place, int_lanes<16>& to) noexcept {
    typedef short halves __attribute__((vector_size(32)));
    halves words;
    load_halves(words, from, place);
#if defined(__clang__)
    typedef unsigned short numbers __attribute__((vector_size(32)));
    to.v = __builtin_convertvector(numbers(words), int_lanes<16>::vector);
#else
    to.v = __builtin_ia32_pmovzxwd512_mask(words, to.v, every_lane);
#endif
}
RIFFLE_TARGET_AVX2 inline void widen(bfloat16 format, const void* from, lanes<8>& first, lanes<8>& second) noexcept {
    int_lanes<8> low, high;
    words_from(from, 0, low);
    words_from(from, 1, high);
    first = widened(format, low);
    second = widened(format, high);
}
RIFFLE_TARGET_AVX512 inline void widen(bfloat16 format, const void* from, lanes<16>& first,
                                       lanes<16>& second) noexcept {
    int_lanes<16> low, high;
    words_from(from, 0, low);
    words_from(from, 1, high);
    first = widened(format, low);
    second = widened(format, high);
}

}  // namespace riffle::wide
#endif
