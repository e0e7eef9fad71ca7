#pragma once
#include <array>

#include <riffle/core/facts.hpp>
#include <riffle/math/elementwise.hpp>
#include <riffle/wide/moments.hpp>

namespace riffle::inline RIFFLE_ABI {

/// Keeps logits within n standard deviations of the maximum. (Tang et al. 2024, arXiv 2411.07641.) The deviation is
/// that of the legal logits, from integer moments of the distance to the maximum; distances over 255.99 nats count as
/// 255.99.
///
/// `n` <= 0 = off; so great that the cut lies under all, +inf included, keeps all legal ones; a single candidate is
/// left alone; NaN is an error.
///
/// Wide: max, moments, and one pass over blocks whose maximum reaches the cut. Narrow: O(candidates).
struct top_n_sigma {
    float n = 1.0f;  ///< standard deviations under the maximum that are kept; 0 or below is off

    static constexpr const char* name = "top_n_sigma";
    static constexpr facts fact{.keeps_sorted = true, .narrows = narrowing::deviation};

    bool narrows_now() const noexcept { return flushed(n) > 0.0f; }
    std::array<float, 1> cut_parameters() const noexcept { return {n}; }
    /// All legal ones where n is infinite: illegal_logit, which is also what 0 * inf comes to, where it is computed.
    template <class V>
    static RIFFLE_INLINE constexpr V cut(const V& maximum, const V& deviation, const std::array<V, 1>& p) noexcept {
        return canonical(maximum - flushed(deviation * p[0]));
    }
    float cut(float maximum, const moments& m) const noexcept {
        const lanes<1> finite = lesser_of(lanes<1>(n), lanes<1>(greatest_logit));  // a host may trap at 0 * inf
        const float least = cut<lanes<1>>(maximum, float(m.deviation()) * 0x1p-24f, {finite})[0];
        return n > greatest_logit ? illegal_logit : least;
    }

    void apply(candidates& c) const noexcept {
        if (!narrows_now() || c.size <= 1) return;
        const std::size_t best = c.greatest();
        if (best == c.size) return c.keep_legal();
        const lanes<1> maximum(c[best].logit);
        moments m;
        for (const auto& token : c)
            if (token.logit > illegal_logit) m.add(std::uint32_t(fixed_distance(lanes<1>(token.logit), maximum)[0]));
        c.keep_above(cut(c[best].logit, m), 1);
    }

    status(check)() const noexcept {
        return n == n ? status() : status::invalid(name, "n", double(n), "is not a number");
    }
};

}  // namespace riffle
