#pragma once
#include <utility>

#include <riffle/core/float16.hpp>
#include <riffle/math/half_lanes.hpp>
#include <riffle/math/lanes.hpp>

// Floats of 16-bit floats, in integer steps that every processor has and that no mode of it changes.

namespace riffle::inline RIFFLE_ABI::wide {

/// The floats of 16 bits, which stand in the lower half of each lane, the upper one being 0.
template <int N>
RIFFLE_INLINE lanes<N> widened(float16, const int_lanes<N>& bits) noexcept {
    using V = lanes<N>;
    using ints = int_lanes<N>;
    const ints magnitude = bits & 0x7fff, sign = (bits & 0x8000) << 16;
    const ints fraction = as_bits(V::from_int(magnitude) * V(0x1p-24f));  // below the normal ones they are multiples
    const ints bias = blend(magnitude < ints(0x7c00), ints((127 - 15) << 23), ints((255 - 31) << 23));
    return V::from_bits(sign | blend(magnitude < ints(0x0400), fraction, (magnitude << 13) + bias));
}
template <int N>
RIFFLE_INLINE lanes<N> widened(bfloat16, const int_lanes<N>& bits) noexcept {
    return lanes<N>::from_bits(bits << 16);
}

/// The lanes of a and b by turns, the first or the second half of them.
template <int First, int N, int... Lane>
RIFFLE_INLINE int_lanes<N> by_turns(const int_lanes<N>& a, const int_lanes<N>& b,
                                    std::integer_sequence<int, Lane...>) noexcept {
    return detail::permuted<((First + Lane) / 2 + (Lane % 2) * N)...>(a, b);
}
/// The floats of 2N logits from registers.
template <class Half, int N>
RIFFLE_INLINE void widen(Half format, const half_lanes<N>& from, lanes<N>& first, lanes<N>& second) noexcept {
    using lane_numbers = std::make_integer_sequence<int, N>;
    const int_lanes<N> pairs = pairs_of(from);
    const int_lanes<N> even = pairs & 0xffff, odd = shift_right_logical(pairs, 16);
    first = widened(format, by_turns<0>(even, odd, lane_numbers()));
    second = widened(format, by_turns<N>(even, odd, lane_numbers()));
}
/// And from memory.
template <class Half, int N>
RIFFLE_INLINE void widen(Half format, const void* from, lanes<N>& first, lanes<N>& second) noexcept {
    widen(format, half_lanes<N>::load(from), first, second);
}

}  // namespace riffle::wide

#if RIFFLE_X86 && defined(__SSE2__)
#include <riffle/wide/x86/half_widening.hpp>
#endif
