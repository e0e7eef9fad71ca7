#pragma once
#include <cstdint>

#include <riffle/core/facts.hpp>
#include <riffle/core/prefix.hpp>
#include <riffle/core/softmax_statistics.hpp>

namespace riffle::inline RIFFLE_ABI {

/// Locally typical sampling: keeps the tokens whose surprise -log p is nearest to the entropy, nearest first, until
/// their share of the mass exceeds p; at least min_keep and at least one. (Meister et al. 2022, arXiv 2202.00666.)
///
/// In integers: surprise and entropy differ by |d - Σ p·d|, where d is the distance under the maximum in units of 2^-16
/// nats, since log Σ exp cancels. Tokens as near as each other are taken by lowest id. Tokens more than 20.8 nats under
/// the maximum weigh nothing and are dropped, so masked ones cannot disturb it (in llama.cpp a -inf makes every score
/// NaN).
///
/// `p` >= 1 = off; p <= 0 keeps max(1, min_keep); NaN is an error.
///
/// Wide: max, softmax statistics, and the blocks that reach into the typical set. No sort: O(candidates), a few times
/// over.
struct typical {
    float p = 0.95f;           ///< mass kept; 1 or more is off
    std::size_t min_keep = 0;  ///< tokens left at least; 0 counts as 1

    static constexpr const char* name = "typical";
    static constexpr facts fact{
        .keeps_sorted = true, .narrows = narrowing::searched, .softmax_parts = softmax_part::distances};

    bool narrows_now() const noexcept { return !(p >= 1.0f); }
    std::size_t keeps_at_least() const noexcept { return min_keep > 1 ? min_keep : 1; }
    /// p in units of 2^-64; what is kept must exceed its product with the total mass.
    std::uint64_t share() const noexcept { return share_of(p); }
    /// How far a token's distance is from the mean distance; the nearest are kept.
    template <class Lanes>
    static RIFFLE_INLINE constexpr Lanes score(const Lanes& distance, const Lanes& mean) noexcept {
        const auto is_below = mean < distance;
        const Lanes below = distance - mean;
        return blend(is_below, below, mean - distance);
    }

    bool keep(candidates& c, const softmax_statistics& of_all, float floor) const noexcept {
        const lanes<1> maximum(of_all.maximum);
        const auto mean = std::int32_t(of_all.mean_distance());
        const auto distance = [&](float logit) { return fixed_distance(lanes<1>(logit), maximum); };
        const auto key = [&](const token_data& token) {
            const auto from_mean = std::uint32_t(score(distance(token.logit), int_lanes<1>(mean))[0]);
            return std::uint64_t{from_mean} << 32 | std::uint32_t(token.id);
        };
        const auto weight = [](const token_data& token) { return candidates::weight(token); };
        const auto weighs = [&](const token_data& token) { return weight(token) > 0; };
        c.weigh(of_all.maximum);

        const std::uint64_t target = multiply_high(share(), of_all.mass);
        const std::size_t least = keeps_at_least();
        if (floor > illegal_logit) {  // all of less than this score are here
            const std::int32_t reach = distance(floor)[0];
            const std::uint64_t complete = reach > mean ? std::uint64_t(reach - mean) << 32 : 0;
            std::uint64_t mass = 0;
            std::size_t count = 0;
            for (const auto& token : c)
                if (weighs(token) && key(token) < complete) {
                    mass += weight(token);
                    ++count;
                }
            if (mass <= target || count < least) return false;
        }
        c.keep_if(weighs);
        std::uint64_t last = end_of_prefix(c, key, weight, target);
        const auto kept = [&](const token_data& token) { return key(token) <= last; };
        if (least > 1 && std::size_t(std::count_if(c.begin(), c.end(), kept)) < least)
            last = end_of_prefix(
                c, key, [](const token_data&) { return std::uint64_t{1}; }, least - 1);
        c.keep_if(kept);
        return true;
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
