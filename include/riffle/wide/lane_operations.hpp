#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <riffle/math/lanes.hpp>

// What the lane type has no word for: a mask as bits, the lanes of a mask moved together, whether any of many is NaN, a
// product and a sum in one, integers of floats that may not fit, 64-bit products. Here in steps that every processor
// has; x86 has instructions for each (wide/x86/lane_operations.hpp), and alone moves lanes together quickly.

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

}  // namespace riffle::wide

#if RIFFLE_X86 && defined(__SSE2__)
#include <riffle/wide/x86/lane_operations.hpp>
#endif
