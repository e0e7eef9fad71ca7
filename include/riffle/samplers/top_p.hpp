#pragma once
#include <cstdint>

#include <riffle/core/facts.hpp>

namespace riffle::inline RIFFLE_ABI {

/// Nucleus sampling: keeps the shortest prefix, in the order of ranks, whose share of the mass exceeds p, but at least
/// min_keep tokens and at least one. (Holtzman et al. 2019, arXiv 1904.09751.) In integers: the prefix's Σw must exceed
/// the upper half of trunc(p * 2^64) * S.
///
/// `p` >= 1 = off; p <= 0 keeps max(1, min_keep); NaN is an error.
///
/// Wide: max, mass, and one pass over the blocks that can reach into the nucleus. The end of a large one is looked for
/// in a band of logits that a sample of the row gives (wide/nucleus.hpp), or where that fails by a histogram and up to
/// three passes more. Narrow: O(candidates) expected.
struct top_p {
    float p = 0.95f;           ///< mass kept; 1 or more is off
    std::size_t min_keep = 0;  ///< tokens left at least; 0 counts as 1

    static constexpr const char* name = "top_p";
    static constexpr facts fact{.keeps_sorted = true, .narrows = narrowing::mass};

    bool narrows_now() const noexcept { return !(p >= 1.0f); }
    std::size_t keeps_at_least() const noexcept { return min_keep > 1 ? min_keep : 1; }
    /// p in units of 2^-64; the prefix must exceed its product with the total mass.
    std::uint64_t share() const noexcept { return share_of(p); }
    std::uint64_t target(std::uint64_t total) const noexcept { return multiply_high(share(), total); }

    void apply(candidates& c) const noexcept {
        if (!narrows_now()) return;
        const std::size_t best = c.greatest();
        const float maximum = best < c.size ? c[best].logit : 0.0f;
        c.keep_legal();
        const std::uint64_t total = c.weigh(maximum);
        c.keep_weighed_nucleus(target(total), keeps_at_least());
    }

    status(check)() const noexcept {
        return p == p ? status() : status::invalid(name, "p", double(p), "is not a number");
    }
    template <class Check>
    status check_at_setup(const Check& known) const noexcept {
        return known.share(name, "p", p);
    }
};

}  // namespace riffle
