#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include <riffle/constraint/constrain.hpp>
#include <riffle/constraint/legal_logits.hpp>
#include <riffle/core/candidates.hpp>
#include <riffle/math/fixed_mass.hpp>

namespace riffle::inline RIFFLE_ABI {

/// The probability that the model itself gives to what is legal next: the softmax of the row, summed over the legal
/// tokens, from 0 to 1. Low where the constraint fights the model (below 0.001 say); the sum of its logarithms over a
/// text is the text's log importance weight, with which texts of constrained sampling can be weighed against each
/// other.
///
/// A logit is read as a chain reads it (NaN is -inf), and tokens more than 20.8 nats under the row's maximum weigh
/// nothing; sums are of integers, so the answer is the same everywhere. 0 for a row that has nothing legal. O(V).
template <token_matcher Matcher>
double feasible_mass(std::span<const float> logits, const Matcher& matcher) noexcept {
    float maximum = illegal_logit;
    for (const float logit : logits)
        if (logit > maximum) maximum = logit;
    maximum = canonical(maximum);
    if (!(maximum > illegal_logit)) return 0.0;
    const auto mass_of = [&](std::size_t id) {
        const float logit = canonical(logits[id]);
        return logit > illegal_logit ? std::uint64_t{fixed_mass_of(logit - maximum)} : 0;
    };
    std::uint64_t all = 0, legal = 0;
    for (std::size_t id = 0; id < logits.size(); ++id) all += mass_of(id);
    legal_tokens_of(matcher).each(logits.size(), [&](std::size_t id) { legal += mass_of(id); });
    return all == 0 ? 0.0 : double(legal) / double(all);
}

}  // namespace riffle
