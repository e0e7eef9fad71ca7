#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <riffle/math/config.hpp>
#include <riffle/math/lanes.hpp>
#include <riffle/wide/lane_operations.hpp>

// What wide/lane_operations.hpp does in steps, by the instructions of x86. (As builtins, because the header that names
// the intrinsics would double what including riffle costs a compiler.)

#if RIFFLE_X86 && defined(__SSE2__)
namespace riffle::inline RIFFLE_ABI::wide {

inline constexpr int greater_equal = 29, unordered = 3, current_rounding = 4, no_exceptions = 8;
using detail::every_lane, detail::every_lane_of_arithmetic;

RIFFLE_INLINE std::uint64_t lanes_reaching(const lanes<4>& a, const lanes<4>& bound) noexcept {
    return std::uint8_t(__builtin_ia32_movmskps(__builtin_ia32_cmpleps(bound.v, a.v)));
}
RIFFLE_TARGET_AVX2 inline std::uint64_t lanes_reaching(const lanes<8>& a, const lanes<8>& bound) noexcept {
    return std::uint8_t(__builtin_ia32_movmskps256(__builtin_ia32_cmpps256(a.v, bound.v, greater_equal)));
}
RIFFLE_TARGET_AVX512 inline std::uint64_t lanes_reaching(const lanes<16>& a, const lanes<16>& bound) noexcept {
    return std::uint64_t(__builtin_ia32_cmpps512_mask(a.v, bound.v, greater_equal, every_lane, current_rounding));
}

template <>
inline constexpr bool compresses<8> = true;
template <>
inline constexpr bool compresses<16> = true;

/// For every mask of eight bits the places of those set, in order, four bits each.
RIFFLE_LOCAL inline constexpr auto places_of_set_bits = [] {
    std::array<std::uint32_t, 256> places{};
    for (unsigned mask = 0; mask < 256; ++mask)
        for (unsigned bit = 0, n = 0; bit < 8; ++bit)
            if (mask >> bit & 1) places[mask] |= bit << 4 * n++;
    return places;
}();

/// (By shifts, since the permutation looks at the lower three bits alone: g++ 12 widens bytes one by one.)
RIFFLE_TARGET_AVX2 inline std::size_t compress(const lanes<8>& a, std::uint64_t bits, float* to) noexcept {
    using numbers = int_lanes<8>::unsigned_vector;
    const numbers places = (numbers{} + places_of_set_bits[bits & 0xff]) >> numbers{0, 4, 8, 12, 16, 20, 24, 28};
    lanes<8>(__builtin_ia32_permvarsf256(a.v, int_lanes<8>::vector(places))).store(to);
    return std::size_t(std::popcount(bits));
}
/// (Into a register first: AMD's Zen 4 takes a hundred cycles for the form that stores.)
RIFFLE_TARGET_AVX512 inline std::size_t compress(const lanes<16>& a, std::uint64_t bits, float* to) noexcept {
    lanes<16> together;
    together.v = __builtin_ia32_compresssf512_mask(a.v, together.v, std::uint16_t(bits));
    together.store(to);
    return std::size_t(std::popcount(bits));
}

#if !defined(__clang__)
RIFFLE_INLINE int_lanes<4> even_products(const int_lanes<4>& a, const int_lanes<4>& b) noexcept {
    return int_lanes<4>(int_lanes<4>::vector(__builtin_ia32_pmuludq128(a.v, b.v)));
}
RIFFLE_TARGET_AVX2 inline int_lanes<8> even_products(const int_lanes<8>& a, const int_lanes<8>& b) noexcept {
    return int_lanes<8>(int_lanes<8>::vector(__builtin_ia32_pmuludq256(a.v, b.v)));
}
RIFFLE_TARGET_AVX512 inline int_lanes<16> even_products(const int_lanes<16>& a, const int_lanes<16>& b) noexcept {
    typedef long long pairs __attribute__((vector_size(64)));
    return int_lanes<16>(int_lanes<16>::vector(__builtin_ia32_pmuludq512_mask(a.v, b.v, pairs{}, std::uint8_t(0xff))));
}
#endif

template <>
class nan_search<4> {
public:
    RIFFLE_INLINE void look_at(const lanes<4>& a, const lanes<4>& b) noexcept {
        seen_ |= words(__builtin_ia32_cmpunordps(a.v, b.v));
    }
    RIFFLE_INLINE bool found() const noexcept { return __builtin_ia32_movmskps(lanes<4>::vector(seen_)) != 0; }

private:
    using words = int_lanes<4>::vector;
    words seen_{};
};
template <>
class nan_search<8> {
public:
    RIFFLE_TARGET_AVX2 void look_at(const lanes<8>& a, const lanes<8>& b) noexcept {
        seen_ |= words(__builtin_ia32_cmpps256(a.v, b.v, unordered));
    }
    RIFFLE_TARGET_AVX2 bool found() const noexcept { return __builtin_ia32_movmskps256(lanes<8>::vector(seen_)) != 0; }

private:
    using words = int_lanes<8>::vector;
    words seen_{};
};
template <>
class nan_search<16> {
public:
    RIFFLE_TARGET_AVX512 void look_at(const lanes<16>& a, const lanes<16>& b) noexcept {
        seen_ = std::uint16_t(seen_ | __builtin_ia32_cmpps512_mask(a.v, b.v, unordered, every_lane, current_rounding));
    }
    RIFFLE_INLINE bool found() const noexcept { return seen_ != 0; }

private:
    std::uint16_t seen_ = 0;
};

RIFFLE_TARGET_AVX2 inline lanes<8> multiply_add(const lanes<8>& a, const lanes<8>& b, const lanes<8>& c) noexcept {
    return lanes<8>(__builtin_ia32_vfmaddps256(a.v, b.v, c.v));
}
RIFFLE_TARGET_AVX512 inline lanes<16> multiply_add(const lanes<16>& a, const lanes<16>& b,
                                                   const lanes<16>& c) noexcept {
    return lanes<16>(__builtin_ia32_vfmaddps512_mask(a.v, b.v, c.v, every_lane_of_arithmetic, current_rounding));
}
/// (Told to raise no exception, so that it costs nothing. Without AVX-512 the bound is the one instruction more.)
RIFFLE_TARGET_AVX512 inline int_lanes<16> truncate_24_bits(const lanes<16>& a) noexcept {
    return int_lanes<16>(
        __builtin_ia32_cvttps2dq512_mask(a.v, int_lanes<16>(0).v, every_lane_of_arithmetic, no_exceptions));
}

}  // namespace riffle::wide
#endif
