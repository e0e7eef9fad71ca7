#pragma once
#include <cstdint>
#include <cstring>

#include <riffle/math/config.hpp>
#include <riffle/math/lane_types.hpp>
#include <riffle/math/one_lane.hpp>
#if RIFFLE_VECTORS
#include <riffle/math/lanes_of_vectors.hpp>
#else
#include <riffle/math/lanes_of_arrays.hpp>
#endif

// The lane type: N floats that are computed together, and the N integers (also the masks) that go with them.
//
// A struct around a compiler vector, with always-inline operators and no intrinsics, so that one body serves every
// width and takes on the target of the function it is inlined into. The copy constructors are user-provided on purpose:
// a trivially copyable lane type would travel in registers whose choice depends on the target flags, and a map that is
// not inlined (-O0) would then be called through one ABI and return through another. For the same reason no function
// returns a raw vector.

namespace riffle::inline RIFFLE_ABI {

/// `a` in the lanes where the mask holds, `b` in the others: for maps of your own. Written blend(mask, a, b) where a
/// program has select as a macro.
template <class Mask, class Value>
RIFFLE_INLINE constexpr Value(select)(const Mask& mask, const Value& a, const Value& b) noexcept {
    return blend(mask, a, b);
}

/// The greatest lane.
template <int N, bool Contract>
RIFFLE_INLINE float reduce_max(const lanes<N, Contract>& a) noexcept {
    if constexpr (N == 1) {
        return a[0];
    } else {
        lanes<N / 2, Contract> low, high;
        std::memcpy(&low.v, &a.v, sizeof low.v);
        std::memcpy(&high.v, reinterpret_cast<const char*>(&a.v) + sizeof low.v, sizeof high.v);
        return reduce_max(greater_of(low, high));
    }
}

/// Whether any lane of a mask is set, or any bit. By halves, because g++ would take the lanes out one by one.
template <int N>
RIFFLE_INLINE bool any(const int_lanes<N>& mask) noexcept {
    if constexpr (N <= 4) {
        std::uint64_t pairs[std::size_t(N / 2 + N % 2)] = {};
        std::memcpy(pairs, &mask.v, sizeof mask.v);
        return (pairs[0] | pairs[N / 4]) != 0;
    } else {
        int_lanes<N / 2> low, high;
        std::memcpy(&low.v, &mask.v, sizeof low.v);
        std::memcpy(&high.v, reinterpret_cast<const char*>(&mask.v) + sizeof low.v, sizeof high.v);
        return any(low | high);
    }
}

}  // namespace riffle
