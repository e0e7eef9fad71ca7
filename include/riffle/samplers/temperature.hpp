#pragma once
#include <algorithm>
#include <array>
#include <type_traits>

#include <riffle/core/facts.hpp>
#include <riffle/math/elementwise.hpp>

namespace riffle::inline RIFFLE_ABI {

/// Divides every logit by `t`: below 1 sharper, above 1 flatter. As a product with 1 / t, rounded once, which is what a
/// GPU can repeat exactly. Same meaning as llama.cpp's temp.
///
/// `t` > 0; 1 = off; t <= 0, and a denormal, which counts as 0, keeps only the first in rank; +inf makes all legal
/// tokens equal; NaN is an error. Any other t below 2^-64 counts as 2^-64: sharp enough for any two floats, and no
/// logit below 2^63 overflows.
///
/// Wide: folded into the pass that takes exp, or commuted past a cut.
struct temperature {
    float t = 0.8f;  ///< below 1 sharper, above 1 flatter, 1 is off; 0 or below keeps the first in rank

    static constexpr const char* name = "temperature";
    static constexpr facts fact{.maps = true, .monotone = true, .narrows = narrowing::rank};
    /// A product needs no guard where weights are taken of it: -inf stays -inf, NaN stays NaN and weighs nothing, and a
    /// denormal times at most 2^64 stays below 2^-62, which no weight can tell from 0.
    static constexpr bool needs_no_canonical_form = true;
    static constexpr bool multiplies = true;  ///< the map is a product with its only parameter (wide/fused_maps.hpp)

    bool narrows_now() const noexcept { return flushed(t) <= 0.0f; }
    std::size_t rank() const noexcept { return 1; }

    /// 1 / t
    std::array<float, 1> parameters() const noexcept { return {flushed(t > 0x1p-64f ? 1.0f / t : 0x1p64f)}; }
    template <class V>
    static RIFFLE_INLINE constexpr V map(const V& logit, const std::array<V, 1>& scale) noexcept {
        // Float by float a cut is looked for, down to the lowest: without an overflow, which some hosts trap. The
        // product of two floats is exact as a double, and its bounds come before it is rounded, whatever a compiler
        // does early.
        if constexpr (std::is_same_v<V, lanes<1>>) {
            constexpr double greatest = double(greatest_logit), beyond = 0x1.ffffffp127;
            const double product = double(logit[0]) * double(scale[0][0]);
            const float within = float((std::max)((std::min)(product, greatest), -greatest));
            return V(product <= -beyond ? illegal_logit : within);
        }
        return logit * scale[0];
    }

    status(check)() const noexcept {
        return t == t ? status() : status::invalid(name, "t", double(t), "is not a number");
    }
};

}  // namespace riffle
