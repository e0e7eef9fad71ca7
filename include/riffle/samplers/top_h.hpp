#pragma once
#include <riffle/core/facts.hpp>
#include <riffle/core/rank_sort.hpp>
#include <riffle/core/softmax_statistics.hpp>
#include <riffle/core/tuning.hpp>

namespace riffle::inline RIFFLE_ABI {

/// Top-H: the longest prefix, in the order of ranks, whose entropy stays within alpha times the entropy of all.
/// (Potraghloo et al. 2025, arXiv 2509.02510.) The entropy of the prefix is the partial sum of -p log p, as the
/// authors' code and transformers have it; with `renormalised` that of the prefix as a distribution of its own, as the
/// paper writes it. At least min_keep and at least one.
///
/// `alpha` in (0, 1], usual 0.4; <= 0, or a denormal, keeps max(1, min_keep); > 1 = off; NaN is an error. Tokens more
/// than 20.8 nats under the maximum weigh nothing and are dropped.
///
/// Wide: max, softmax statistics, and the blocks that reach into the set, or all where that needs more than a half of
/// what weighs. Narrow: O(candidates), which are sorted by digits.
struct top_h {
    float alpha = 0.4f;         ///< share of the entropy that is kept; usual 0.4, above 1 is off
    std::size_t min_keep = 0;   ///< tokens left at least; 0 counts as 1
    bool renormalised = false;  ///< takes what is kept for a distribution of its own, as the paper does

    static constexpr const char* name = "top_h";
    static constexpr facts fact{
        .keeps_sorted = true, .narrows = narrowing::searched, .softmax_parts = softmax_part::distances};

    bool narrows_now() const noexcept { return !(alpha > 1.0f); }

    bool keep(candidates& c, const softmax_statistics& of_all, float floor) const noexcept {
        c.keep_legal();
        const bool nothing = flushed(alpha) <= 0.0f;
        const float bound = (lanes<1>(nothing ? 0.0f : alpha) * lanes<1>(of_all.entropy()))[0];
        const std::size_t least = min_keep > 1 ? min_keep : 1;
        const auto exceeds = [&](const softmax_statistics& prefix, float limit) {
            return nothing || entropy_of(prefix, of_all) > limit;
        };
        const float safe = bound - 1e-5f * bound - 1e-6f;  // more than rounding takes from an entropy
        softmax_statistics prefix;
        std::size_t kept = 0;
        const auto go_on_to_safe = [&] {  // several at once, since an entropy takes a logarithm
            prefix = {};
            prefix.maximum = of_all.maximum;
            for (kept = 0; kept < c.size;) {
                const std::size_t behind = (std::min)(kept + 32, c.size);
                const softmax_statistics longer = with(c, prefix, kept, behind);
                if (exceeds(longer, safe)) break;
                prefix = longer;
                kept = behind;
            }
        };
        if (floor > illegal_logit &&
            c.size > tuning::entropy_in_order) {  // in any order they show whether all of them are too few
            c.weigh(of_all.maximum);
            go_on_to_safe();
            if (kept == c.size) return false;
        }
        sort_without_p(c);
        c.weigh(of_all.maximum);
        go_on_to_safe();
        for (; kept < c.size && candidates::weight(c[kept]) > 0; ++kept) {
            prefix = with(c, prefix, kept, kept + 1);
            if (kept >= least && exceeds(prefix, bound)) break;
        }
        const bool ended = kept < c.size && candidates::weight(c[kept]) > 0;
        if (!ended && floor > illegal_logit) return false;
        c.size = kept;
        return true;
    }

    status(check)() const noexcept {
        return alpha == alpha ? status() : status::invalid(name, "alpha", double(alpha), "is not a number");
    }
    template <class Check>
    status check_at_setup(const Check& known) const noexcept {
        return known.share(name, "alpha", alpha);
    }

private:
    /// The softmax statistics of a prefix that goes on with the candidates [first, last), a few that were weighed.
    static softmax_statistics with(const candidates& c, softmax_statistics prefix, std::size_t first,
                                   std::size_t last) noexcept {
        const lanes<1> maximum(prefix.maximum);
        std::uint64_t weights = 0, distances = 0;
        for (std::size_t i = first; i < last; ++i) {
            const std::uint64_t w = candidates::weight(c[i]);
            weights += w;
            distances += w * std::uint32_t(fixed_distance(lanes<1>(c[i].logit), maximum)[0]);
        }
        prefix.add(weights, distances, 0);
        return prefix;
    }
    float entropy_of(const softmax_statistics& prefix, const softmax_statistics& of_all) const noexcept {
        if (renormalised) return prefix.entropy();
        // Σ p (log Σ exp + d): the prefix's share of the mass, times its mean surprise
        const float share = float(double(prefix.mass) / double(of_all.mass));
        const lanes<1> mean(float(detail::divide(prefix.distance * 256, prefix.mass)) * 0x1p-24f);
        return (lanes<1>(share) * (lanes<1>(of_all.log_mass()) + mean))[0];
    }
};

}  // namespace riffle
