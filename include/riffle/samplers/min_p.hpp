#pragma once
#include <algorithm>
#include <array>

#include <riffle/core/facts.hpp>
#include <riffle/core/size_arithmetic.hpp>
#include <riffle/core/tuning.hpp>
#include <riffle/math/elementwise.hpp>

namespace riffle::inline RIFFLE_ABI {

/// Keeps tokens at least p times as likely as the likeliest: logit >= maximum + log(p), but at least min_keep tokens
/// and at least one. (Nguyen et al. 2024, arXiv 2407.01082.) No exp is taken: the cut is made on logits.
///
/// `p` <= 0 = off; p > 1 keeps max(1, min_keep), and ties of the maximum while log(p) is too small to move it; NaN is
/// an error.
///
/// Wide: max, then one pass over blocks whose maximum reaches the cut. Narrow: O(candidates).
struct min_p {
    float p = 0.05f;           ///< least probability kept, as a share of the greatest; 0 or below is off
    std::size_t min_keep = 0;  ///< tokens left at least; 0 counts as 1

    static constexpr const char* name = "min_p";
    static constexpr facts fact{.keeps_sorted = true, .narrows = narrowing::threshold};

    bool narrows_now() const noexcept { return flushed(p) > 0.0f; }
    std::size_t keeps_at_least() const noexcept { return min_keep > 1 ? min_keep : 1; }
    /// See chain/superset_facts.hpp: what survives on most rows, twice over.
    std::size_t superset() const noexcept {
        return p > 0.0f ? (std::max)(saturating::sum(min_keep, 8), std::size_t{tuning::superset_of_min_p}) : 0;
    }
    /// log p
    std::array<float, 1> cut_parameters() const noexcept { return {log(lanes<1>(p))[0]}; }
    template <class V>
    static RIFFLE_INLINE constexpr V cut(const V& maximum, const std::array<V, 1>& log_p) noexcept {
        return maximum + log_p[0];
    }
    float cut(float maximum) const noexcept { return cut<lanes<1>>(maximum, {cut_parameters()[0]})[0]; }

    void apply(candidates& c) const noexcept {
        if (!narrows_now()) return;
        const std::size_t best = c.greatest();
        if (best == c.size) return c.keep_legal();
        c.keep_above(canonical(cut(c[best].logit)), keeps_at_least());
    }

    status(check)() const noexcept {
        return p == p ? status() : status::invalid(name, "p", double(p), "is not a number");
    }
};

}  // namespace riffle
