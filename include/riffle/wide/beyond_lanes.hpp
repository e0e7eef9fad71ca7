#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <riffle/math/lanes.hpp>

// What the lane type has no word for: a mask as bits, the lanes of a mask moved together, whether any of many is NaN, a
// product and a sum in one, integers of floats that may not fit, sums of 64-bit products. x86 has instructions for
// each; other processors do it in more steps, and do not move lanes together. (As builtins, because the header that
// names the intrinsics would double what including riffle costs a compiler.)

namespace riffle::inline RIFFLE_ABI::wide {

/// Which lanes are at least as great as the bound, as bits; a NaN is not.
template <int N>
RIFFLE_INLINE std::uint64_t lanes_reaching(const lanes<N>& a, const lanes<N>& bound) noexcept {
    std::uint64_t bits = 0;
    for (int i = 0; i < N; ++i) bits |= std::uint64_t{a[i] >= bound[i]} << i;
    return bits;
}

/// Stores the lanes of `a` whose bit is set one after the other, and answers how many; it may write N floats whatever
/// the answer, the rest of them without meaning.
template <int N>
RIFFLE_INLINE std::size_t compress(const lanes<N>& a, std::uint64_t bits, float* to) noexcept {
    std::size_t count = 0;
    for (; bits; bits &= bits - 1) to[count++] = a[std::countr_zero(bits)];
    return count;
}
/// Whether this processor has instructions for that, so that it costs less than an exp.
template <int N>
inline constexpr bool compresses = false;

#if RIFFLE_X86 && defined(__SSE2__)
inline constexpr int greater_equal = 29, unordered = 3, current_rounding = 4, no_exceptions = 8;
using detail::every_lane, detail::every_lane_of_arithmetic;

RIFFLE_INLINE std::uint64_t lanes_reaching(const lanes<4>& a, const lanes<4>& bound) noexcept {
    return std::uint8_t(__builtin_ia32_movmskps(__builtin_ia32_cmpleps(bound.v, a.v)));
}
RIFFLE_TARGET_AVX2 inline std::uint64_t lanes_reaching(const lanes<8>& a, const lanes<8>& bound) noexcept {
    return std::uint8_t(__builtin_ia32_movmskps256(__builtin_ia32_cmpps256(a.v, bound.v, greater_equal)));
}
RIFFLE_TARGET_AVX512 inline std::uint64_t lanes_reaching(const lanes<16>& a, const lanes<16>& bound) noexcept {
    return std::uint64_t(
        __builtin_ia32_cmpps512_mask(a.v, bound.v, greater_equal, every_lane, current_rounding));
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
#endif

/// The 64-bit products of the even lanes of integers without a sign, as pairs of lanes, the lower half first.
template <int N>
RIFFLE_INLINE int_lanes<N> even_products(const int_lanes<N>& a, const int_lanes<N>& b) noexcept {
#if defined(__clang__) && RIFFLE_VECTORS  // which knows this as the instruction, and a loop not always
    if constexpr (N > 1) {
        using pair = typename int_lanes<N>::pair_vector;
        return int_lanes<N>(typename int_lanes<N>::vector((pair(a.v) & 0xffffffffu) * (pair(b.v) & 0xffffffffu)));
    }
#endif
    std::uint32_t x[std::size_t(N)], y[std::size_t(N)];
    std::memcpy(x, &a.v, sizeof x);
    std::memcpy(y, &b.v, sizeof y);
    std::uint64_t product[std::size_t(N / 2)];
    for (int i = 0; i < N / 2; ++i) product[i] = std::uint64_t{x[2 * i]} * y[2 * i];
    int_lanes<N> products;
    std::memcpy(&products.v, product, sizeof product);
    return products;
}
#if RIFFLE_X86 && defined(__SSE2__) && !defined(__clang__)
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

/// Whether any of many floats is NaN. No invalid operation asks that, at which a host may trap: an infinity is none.
template <int N>
class nan_search {
public:
    RIFFLE_INLINE void look_at(const lanes<N>& a, const lanes<N>& b) noexcept {
        seen_ = blend(a != a, int_lanes<N>(1), seen_);
        seen_ = blend(b != b, int_lanes<N>(1), seen_);
    }
    RIFFLE_INLINE bool found() const noexcept { return any(seen_); }

private:
    int_lanes<N> seen_;
};
#if RIFFLE_X86 && defined(__SSE2__)
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
    RIFFLE_TARGET_AVX2 bool found() const noexcept {
        return __builtin_ia32_movmskps256(lanes<8>::vector(seen_)) != 0;
    }

private:
    using words = int_lanes<8>::vector;
    words seen_{};
};
template <>
class nan_search<16> {
public:
    RIFFLE_TARGET_AVX512 void look_at(const lanes<16>& a, const lanes<16>& b) noexcept {
        seen_ = std::uint16_t(seen_ | __builtin_ia32_cmpps512_mask(a.v, b.v, unordered, every_lane,
                                                                   current_rounding));
    }
    RIFFLE_INLINE bool found() const noexcept { return seen_ != 0; }

private:
    std::uint16_t seen_ = 0;
};
#endif

/// a * b + c, rounded once or twice: for those who know that it makes no difference.
template <int N>
RIFFLE_INLINE lanes<N> multiply_add(const lanes<N>& a, const lanes<N>& b, const lanes<N>& c) noexcept {
    return a * b + c;
}
/// 0 <= a < 2^24 as an integer, rounded down; of greater ones, +inf too, no matter what. (truncate may not be asked for
/// those: its conversion is undefined then, and an invalid operation, at which a host may trap.)
template <int N>
RIFFLE_INLINE int_lanes<N> truncate_24_bits(const lanes<N>& a) noexcept {
    return truncate(lesser_of(a, lanes<N>(0x1p24f)));
}
#if RIFFLE_X86 && defined(__SSE2__)
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
#endif

/// Sums in 64 bits over lanes of 32-bit integers without a sign. Even and odd lanes are kept apart, which is cheaper
/// than widening.
template <int N>
class wide_sum {
public:
#if RIFFLE_VECTORS
    RIFFLE_INLINE void add(const int_lanes<N>& a) noexcept {
        even_ += pair(a.v) & 0xffffffffu;
        odd_ += pair(a.v) >> 32;
    }
    /// Adds a * b, or where it says so a * b >> Shift.
    template <int Shift = 0>
    RIFFLE_INLINE void add_products(const int_lanes<N>& a, const int_lanes<N>& b) noexcept {
        even_ += pair(even_products(a, b).v) >> Shift;
        odd_ += pair(even_products(odd_lanes(a), odd_lanes(b)).v) >> Shift;
    }
    RIFFLE_INLINE wide_sum& operator+=(const wide_sum& other) noexcept {
        even_ += other.even_;
        odd_ += other.odd_;
        return *this;
    }
    RIFFLE_INLINE std::uint64_t total() const noexcept {
        const pair sum = even_ + odd_;
        std::uint64_t s = 0;
        for (int i = 0; i < N / 2; ++i) s += sum[i];
        return s;
    }

private:
    using pair = typename int_lanes<N>::pair_vector;
    static RIFFLE_INLINE int_lanes<N> odd_lanes(const int_lanes<N>& a) noexcept {
        return int_lanes<N>(typename int_lanes<N>::vector(pair(a.v) >> 32));
    }
    pair even_{}, odd_{};
#else
    void add(const int_lanes<N>& a) noexcept {
        for (int i = 0; i < N; ++i) sum_ += std::uint32_t(a[i]);
    }
    template <int Shift = 0>
    void add_products(const int_lanes<N>& a, const int_lanes<N>& b) noexcept {
        for (int i = 0; i < N; ++i) sum_ += std::uint64_t{std::uint32_t(a[i])} * std::uint32_t(b[i]) >> Shift;
    }
    wide_sum& operator+=(const wide_sum& other) noexcept {
        sum_ += other.sum_;
        return *this;
    }
    std::uint64_t total() const noexcept { return sum_; }

private:
    std::uint64_t sum_ = 0;
#endif
};

}  // namespace riffle::wide
