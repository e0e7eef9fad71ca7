#pragma once
#include <cstdint>
#include <cstring>

#include <riffle/math/config.hpp>
#include <riffle/math/lanes.hpp>
#if RIFFLE_VECTORS
#include <riffle/math/half_lanes_of_vectors.hpp>
#else
#include <riffle/math/half_lanes_of_arrays.hpp>
#endif

// 2N integers of 16 bits in as many bytes as N floats, with a sign: the bits of 16-bit floats, whose order they have
// once their magnitude is turned round where the sign is set. Half as many bytes as floats, and no format asked.

namespace riffle::inline RIFFLE_ABI {

/// The greatest lane.
template <int N>
RIFFLE_INLINE std::int32_t greatest_of(const int_lanes<N>& a) noexcept {
    if constexpr (N == 1) {
        return a[0];
    } else {
        int_lanes<N / 2> low, high;
        std::memcpy(&low.v, &a.v, sizeof low.v);
        std::memcpy(&high.v, reinterpret_cast<const char*>(&a.v) + sizeof low.v, sizeof high.v);
        return greatest_of(blend(low < high, high, low));
    }
}

/// The greatest of all, as an integer.
template <int N>
RIFFLE_INLINE std::int32_t reduce_max(const half_lanes<N>& a) noexcept {
    const int_lanes<N> pairs = pairs_of(a);  // the odd one in the upper half, and below it no more than a tie broken
    return greatest_of(blend(pairs < (pairs << 16), pairs << 16, pairs)) >> 16;
}

}  // namespace riffle
