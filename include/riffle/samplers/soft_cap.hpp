#pragma once
#include <array>

#include <riffle/core/facts.hpp>
#include <riffle/math/elementwise.hpp>

namespace riffle::inline RIFFLE_ABI {

/// Squeezes logits into (-cap, cap): cap * tanh(logit / cap). The cap of Gemma 2 (arXiv 2408.00118, section 2) is 30.
/// riffle's own tanh, monotone over all floats; logit / cap is a product with 1 / cap.
///
/// `cap` > 0; cap <= 0, or over 2^125 = off; NaN is an error.
///
/// Wide: folded or commuted like temperature.
struct soft_cap {
    float cap = 30.0f;  ///< no logit gets further from 0; usual 30, 0 or below is off

    static constexpr const char* name = "soft_cap";
    static constexpr facts fact{.maps = true, .monotone = true};

    bool off() const noexcept { return !(flushed(cap) > 0.0f) || cap > 0x1p125f; }

    /// cap and 1 / cap; off as cap = 0, beside a factor that -inf stays -inf by.
    std::array<float, 2> parameters() const noexcept {
        if (off()) return {0.0f, 1.0f};
        const float scale = 1.0f / cap;
        return {cap, scale < greatest_logit ? scale : greatest_logit};
    }
    template <class V>
    static RIFFLE_INLINE constexpr V map(const V& logit, const std::array<V, 2>& p) noexcept {
        const auto is_off = p[0] == V(0.0f);
        return blend(is_off, logit, p[0] * tanh(logit * p[1]));
    }

    status (check)() const noexcept {
        return cap == cap ? status() : status::invalid(name, "cap", double(cap), "is not a number");
    }
};

}  // namespace riffle
