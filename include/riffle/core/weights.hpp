#pragma once
#include <cstddef>
#include <span>
#include <type_traits>

#include <riffle/core/status.hpp>
#include <riffle/core/token.hpp>
#include <riffle/math/elementwise.hpp>

namespace riffle::inline RIFFLE_ABI {

/// Logits for choices with weights: dist then draws i with probability weights[i] / sum of the weights. The logarithm
/// of a weight; of 0, or a denormal, -inf: that choice never comes. (Weights given as logits go wrong without a word:
/// weight 0 is then as likely as any, since e^0 is 1.)
///
///     float logits[4];
///     weights_to_logits(std::array{5.0f, 3.0f, 1.0f, 0.0f}, logits);
///     token_id action = sampler.sample(logits);
///
/// Weights are 0 or positive, of any scale; +inf is so much more than all others that it alone is left. Both spans have
/// one size, and may be the same memory. A weight below 0 or NaN, or spans of two sizes, are invalid_parameter, and
/// nothing is written. Weights of less than a billionth of the greatest never come, as in any row of logits. O(size),
/// no allocation. (A template, so that including riffle does not compile it.)
template <class Weight>
status weights_to_logits(std::span<const Weight> weights, std::span<float> logits) noexcept {
    constexpr const char* name = "weights_to_logits";
    if (weights.size() != logits.size())
        return status::invalid(name, "logits", double(logits.size()), "are not as many as there are weights");
    for (const Weight& weight : weights)
        if (!(weight >= Weight(0))) return status::invalid(name, "weight", double(weight), "is not 0 or positive");
    for (std::size_t i = 0; i < weights.size(); ++i) {
        const float weight = float(weights[i]);
        logits[i] = flushed(weight) > 0.0f ? log(lanes<1>(weight))[0] : illegal_logit;
    }
    return {};
}
/// From anything that is a row of weights: an array, a std::vector, floats or whole numbers.
template <class Weights>
status weights_to_logits(const Weights& weights, std::span<float> logits) noexcept {
    return weights_to_logits(std::span<const std::remove_cvref_t<decltype(*std::data(weights))>>(weights), logits);
}

}  // namespace riffle
