#pragma once
#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI {

/// N integers, also the masks, that go with lanes<N>.
template <int N>
struct int_lanes;
/// N floats that are computed together. `Contract` allows a product and a sum to become one fused multiply-add; only
/// numerics::fast asks for it.
template <int N, bool Contract = false>
struct lanes;

/// A product as it is rounded, never part of a fused multiply-add.
RIFFLE_INLINE float rounded(float product) noexcept {
    RIFFLE_PIN_SCALAR(product)
    return product;
}

}  // namespace riffle
