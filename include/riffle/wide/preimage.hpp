#pragma once
#include <cstdint>

#include <riffle/math/config.hpp>
#include <riffle/math/ordered.hpp>

namespace riffle::inline RIFFLE_ABI::wide {

/// The least float x <= known for which reached(x) holds, where reached is monotone in x and reached(known) holds: at
/// most 32 scalar calls, by bisection on the ordered bits. This is how a cut on mapped logits becomes exactly the same
/// cut on raw ones: a float map is monotone but not injective (dividing by 0.8 makes about one in six neighbours
/// equal), so no inverse function would do. NaN is never tried; denormals count as their canonical 0 within `reached`.
template <class Reached>
float least_float(float known, Reached reached) noexcept {
    std::int64_t low = ordered_key(std::numeric_limits<float>::lowest()), high = ordered_key(known);
    while (low < high) {
        const std::int64_t middle = (low + high) >> 1;
        if (reached(from_ordered_key(std::int32_t(middle)))) high = middle;
        else low = middle + 1;
    }
    return from_ordered_key(std::int32_t(high));
}

/// The least raw logit whose mapped value is at least `target`; map(known) >= target. `Map` is monotone, as fused_maps
/// of monotone stages are.
template <class Map>
float preimage(const Map& map, float target, float known) noexcept {
    return least_float(known, [&](float x) { return map(canonical(x)) >= target; });
}

/// The raw logits that are canonically >= target, as one comparison: +0 stands for all below least_magnitude.
constexpr float raw_cut(float target) noexcept {
    return target == 0.0f ? -std::bit_cast<float>(least_magnitude - 1) : target;
}

}  // namespace riffle::wide
